"""Words and clauses that stand elsewhere: what still says the same is served, what says something else is not."""

from __future__ import annotations

from datetime import date

import pytest
from altered_answers import ENGLISH, FRENCH, GERMAN
from hypothesis import given
from hypothesis import strategies as st

from rag.languages.word_by_word import word_list
from rag.verification.claims import CheckedClaim, Evidence, EvidenceBlock, Reason, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim

URN = "urn:lex:xx:act:1"
ALTERED = [
    (language, rule, change, text)
    for language, rules in (("en", ENGLISH), ("fr", FRENCH), ("de", GERMAN))
    for rule, claims in rules
    for change, text in claims
]


def verify(rule: str, text: str, language: str = "en") -> CheckedClaim:
    evidence = Evidence((EvidenceBlock(URN, rule),), date(2026, 1, 1), language)
    return verify_claim(DraftClaim(text, (DraftCitation(URN, rule),)), evidence)


@pytest.mark.parametrize(("language", "rule", "change", "text"), ALTERED)
def test_what_a_rule_does_not_say_is_withheld(language: str, rule: str, change: str, text: str) -> None:
    assert verify(rule, text, language).level == "WITHHELD", change


@pytest.mark.parametrize(
    ("language", "rule", "text"),
    [
        ("en", "The tenant may end the tenancy by notice to the landlord, unless the tenant owes rent for 2 months.",
         "Unless the tenant owes rent for two months, the tenant may end the tenancy by notice to the landlord."),
        ("en", "A deposit must not exceed the rent, except where the tenancy is furnished.",
         "Except where the tenancy is furnished, a deposit may not exceed the rent."),
        ("en", "The insurer shall, unless the policy provides otherwise, pay the insured within 30 days.",
         "The insurer must pay the insured within 30 days, unless the policy provides otherwise."),
        ("en", "If the tenant objects in writing, the landlord shall repair the room where the tenant sleeps.",
         "The landlord must repair the room where the tenant sleeps, if the tenant objects in writing."),
        ("en", "There is, in a sale, unless excluded by contract, a warranty of title.",
         "There is, in a sale, a warranty of title, unless it is excluded by contract."),
        ("en", "A licence expires on 31 December of the year of its grant.",
         "A licence expires on December 31 of the year of its grant."),
        ("en", "A person of 18 years or more may apply.", "A person of at least 18 years may apply."),
        ("en", "Every tenant shall receive a copy.", "A tenant must receive a copy."),
        ("fr", "Si le bailleur ne répare pas le logement, le locataire peut retenir le loyer.",
         "Le locataire peut retenir le loyer si le bailleur ne répare pas le logement."),
        ("fr", "L'assureur, sauf si le contrat en dispose autrement, paie l'assuré dans les trente jours.",
         "Sauf si le contrat en dispose autrement, l'assureur paie l'assuré dans les 30 jours."),
        ("de", "Der Arbeitgeber darf dem Arbeitnehmer während der Probezeit nur aus wichtigem Grund kündigen.",
         "Während der Probezeit darf der Arbeitgeber dem Arbeitnehmer nur aus wichtigem Grund kündigen."),
        ("de", "Bis zur Annahme der Erbschaft haftet der Erbe dem Gläubiger nicht.",
         "Der Erbe haftet dem Gläubiger bis zur Annahme der Erbschaft nicht."),
        ("de", "Die Behörde muss den Antrag ablehnen, soweit der Antragsteller die Voraussetzungen nicht nachweist.",
         "Soweit der Antragsteller die Voraussetzungen nicht nachweist, muss die Behörde den Antrag ablehnen."),
        ("de", "Hat der Besteller das Werk abgenommen, so kann er Ersatz nur verlangen, wenn er den Mangel nicht "
         "kannte.",
         "Wenn der Besteller das Werk abgenommen hat, kann er Ersatz nur verlangen, wenn er den Mangel nicht kannte."),
        ("de", "Ist die Ware mangelhaft, kann der Käufer den Preis mindern oder vom Vertrag zurücktreten.",
         "Der Käufer kann den Preis mindern oder vom Vertrag zurücktreten, wenn die Ware mangelhaft ist."),
    ],
)  # fmt: skip
def test_what_says_the_same_in_another_order_is_served(language: str, rule: str, text: str) -> None:
    assert verify(rule, text, language).level == "CHECKED"


def test_a_clause_that_no_comma_sets_off_is_moved_with_a_note() -> None:
    rule = "The court may order the tenant to pay the costs unless the tenant is a minor."
    moved = verify(rule, "Unless the tenant is a minor, the court may order the tenant to pay the costs.")
    assert (moved.level, moved.limited, moved.reasons) == ("CHECKED", True, (Reason.ORDER_CHANGED,))


@pytest.mark.parametrize(
    ("rule", "quote", "text", "reasons"),
    [
        ("A bank need not pay a check that is old, but it may charge its customer for a payment in good faith.",
         "A bank need not pay a check", "A bank does not have to pay a check that is old.", (Reason.PART_STATED,)),
        ("A bank is under no obligation to pay a check, but it may charge its customer for a payment in good faith.",
         "A bank is under no obligation", "A bank is under no obligation to pay the check.", (Reason.PART_STATED,)),
        ("A bank need not pay a check, but it may be required to pay a certified check.",
         "A bank need not pay a check", "A bank does not have to pay a check.", ()),
        ("A bank need not pay a check, but it may not charge a fee.",
         "A bank need not pay a check", "A bank does not have to pay a check.", ()),
        ("A bank must pay a check, but it may refuse a check that is old.",
         "A bank must pay a check", "A bank shall pay a check.", ()),
        ("A person may not carry a gun, but he may carry one on his own land.",
         "A person may not carry a gun", "A person must not carry a gun.", ()),
    ],
)  # fmt: skip
def test_only_what_is_not_owed_is_stated_without_what_may_be_done(
    rule: str, quote: str, text: str, reasons: tuple[Reason, ...]
) -> None:
    evidence = Evidence((EvidenceBlock(URN, rule),), date(2026, 1, 1))
    checked = verify_claim(DraftClaim(text, (DraftCitation(URN, quote),)), evidence)
    assert (checked.level == "CHECKED", checked.reasons if reasons else ()) == (bool(reasons), reasons)


def test_words_in_another_place_are_withheld_and_not_called_altered() -> None:
    rule = "If the tenant asks, the landlord shall, after giving 14 days' notice to the tenant, repair the roof."
    moved = "If the tenant asks, the landlord shall repair the roof after giving 14 days' notice to the tenant."
    assert (verify(rule, moved).level, verify(rule, moved).verdict) == ("WITHHELD", "UNVERIFIED")
    rule = "The owner of a house shall mend the large roof of the barn."
    assert verify(rule, "The owner of a large house shall mend the roof of the barn.").verdict == "UNVERIFIED"


WORDS = word_list("if unless where except the tenant landlord shall may not who is paid , . ; 3 or more on 31 December")
GERMAN_WORDS = word_list("wenn Ist ist der Mieter so , kann während Probezeit darf dem hat soweit es sei denn .")


@given(
    st.lists(st.sampled_from(WORDS), max_size=14),
    st.lists(st.sampled_from(WORDS), max_size=14),
    st.sampled_from(("en", "fr")),
)
def test_no_order_of_words_breaks_the_verifier(claim: list[str], rule: list[str], language: str) -> None:
    assert verify(" ".join(rule), " ".join(claim), language).text == " ".join(claim)


@given(st.lists(st.sampled_from(GERMAN_WORDS), max_size=14), st.lists(st.sampled_from(GERMAN_WORDS), max_size=14))
def test_no_order_of_german_words_breaks_the_verifier(claim: list[str], rule: list[str]) -> None:
    assert verify(" ".join(rule), " ".join(claim), "de").text == " ".join(claim)
