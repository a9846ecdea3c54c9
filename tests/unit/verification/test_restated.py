"""A sentence of the law told word for word but for one operator is told apart from every other wording."""

from __future__ import annotations

import pytest

from rag.verification.restated import changed

FEE = "The fine is $500 for each day of the violation of this title by the owner."
REFUND = "The tenant is entitled to a refund of the deposit unless the premises are damaged by the tenant."
FILED = "An appeal to the board shall be filed within 30 days after service of the order."
RENT = "Der Vermieter darf die Miete nicht vor Ablauf eines Jahres seit der letzten Erhöhung anheben."
BAIL = "Le bailleur doit restituer le dépôt au locataire dans un délai de deux mois à compter de la remise des clés."


@pytest.mark.parametrize(
    ("language", "law", "statement", "told"),
    [
        ("en", FEE, FEE.replace("500", "5,000"), "says 5000 dollars for each day where that says 500 dollars for each"),
        ("en", FILED, FILED.replace("30", "45"), "says 45 days where that says 30 days"),
        ("en", FILED, FILED.replace("30 days", "30 months"), "says 30 months where that says 30 days"),
        ("en", FILED, FILED.replace("shall", "may"), "says permission where that says obligation"),
        ("en", FILED, FILED.replace("after", "before"), "says before where that says after"),
        ("en", f"{FILED[:-1]} and of its annexes.", FILED.replace("30", "45"), "says 45 days where that says 30 days"),
        ("en", REFUND, REFUND.replace("is entitled", "is not entitled"), "says prohibition where that says permission"),
        ("en", REFUND, REFUND.replace("are damaged", "are not damaged"), "denies what that does not deny"),
        ("de", RENT, RENT.replace("eines Jahres", "von zwei Jahren"), "says 2 Jahre where that says 1 jahr"),
        ("de", RENT, RENT.replace(" nicht", ""), "does not deny what that denies"),
        ("fr", BAIL, BAIL.replace("deux mois", "six mois"), "says 6 mois where that says 2 mois"),
        ("fr", BAIL, BAIL.replace("doit", "peut"), "says permission where that says obligation"),
    ],
)  # fmt: skip
def test_what_a_restated_sentence_says_otherwise_is_told(language: str, law: str, statement: str, told: str) -> None:
    assert told in changed(statement, [law], [law], language)


@pytest.mark.parametrize(
    ("language", "law", "statement"),
    [
        ("en", FEE, FEE),
        ("en", FEE, FEE.replace("$500", "five hundred dollars")),
        ("en", FILED, FILED.replace("shall", "must")),
        ("en", FILED, FILED.replace("30 days", "thirty days")),
        ("en", FILED, FILED.replace("30 days", "one month")),  # may be as long
        ("en", FILED, "The appeal was filed within 12 days after service of the order."),  # told of a case
        ("en", FILED, FILED.replace("An appeal", "A petition").replace("30", "45")),  # of something else
        ("en", "An owner may sell goods only if the board consents to the sale.",
         "An owner shall sell goods only if the board consents to the sale."),
        ("en", "No person shall sell or lease goods or no services in the city.",
         "No person shall sell or lease goods or services in the city."),
        ("en", f"{FILED[:-1]}, unless the board allows more time.", FILED.replace("shall", "may")),
        # "In the absence of" is told in another word.
        ("en", "In the absence of such notice proof of the said matters may not be made at the trial.",
         "Without the notice, proof of those matters may not be made at trial."),
        # An expletive `ne` denies nothing.
        ("fr", "Le bail est renouvelé pour trois ans à moins que le bailleur ne donne congé avant son terme.",
         "Le bail est renouvelé pour trois ans à moins que le bailleur donne congé avant son terme."),
        ("ja", "使用者は、三十日前に予告をしなければならない。", "使用者は、六十日前に予告をしなければならない。"),
    ],
)  # fmt: skip
def test_other_wordings_are_no_change_of_one_sentence(language: str, law: str, statement: str) -> None:
    assert changed(statement, [law], [law], language) == ""


@pytest.mark.parametrize(
    "other",
    [
        FILED.replace("30", "45").replace("order", "order by mail"),  # a rule beside it has the amount
        FILED.replace("30", "45"),
    ],
)
def test_what_another_sentence_of_the_section_may_say_is_no_change(other: str) -> None:
    assert changed(FILED.replace("30", "45"), [FILED], [FILED, other], "en") == ""
    assert changed(FILED.replace("30", "60"), [FILED], [FILED, other], "en") != ""
