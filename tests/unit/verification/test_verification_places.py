"""Claims with all words of a rule that say something else by the small words beside them, and honest ones beside them.

Each line is a rule, what of it is put otherwise, and the words that then say something else, or the same.
"""

from __future__ import annotations

import re
from datetime import date

import pytest

from rag.verification.claims import CheckedClaim, Evidence, EvidenceBlock, Reason, is_plain, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim

URN = "urn:lex:us:1usc:1"
ARREST = "An officer may arrest a person who is committing an offense in the officer's presence."
SPEEDY = "A constable may stop anyone who is about to leave the port."
RESIDES = "If the tenant resides in the unit, the landlord shall offer the tenant a renewal."
WAS = "The trustee may avoid the transfer if the debtor was insolvent when the transfer was made."
HAS_BEEN = "A person who has been employed for a year may join the fund."
BORROW = "The directors may borrow money with the consent of the members."
MANAGING = "The managing directors shall sign the report."
RETURN = "The court shall return such property to the owner when his claim is allowed."
SHARES = "Where a member has died, the company shall not register any transfer of his shares."
CONCLUDED = "A contract concluded by a minor is void."
LIABLE = "A person who is liable under section 12 may appeal to the board."
EARNING = "A deduction is allowed for expenses incurred for the purpose of earning income."
CARRIER = "The carrier is liable for loss by reason of negligence in connection with the transport."
KNOWING = "A person who sells a firearm to a minor thereby commits an offense."
STEPS = "It is a defence for the accused to prove that he took all reasonable steps to avoid the offence."
HEARING = "The notice shall be given not later than 30 days before the hearing."
PERMIT = "An application shall be filed not earlier than 60 days prior to the expiration of the permit."
OWNED = "The debtor may exempt property owned at the time the petition is filed."
STRICT = "A statute in derogation of common law shall be strictly construed."
ONLY_IF = "The agent may sign only if the principal has agreed in writing."
PLAIN = "The landlord shall repair the roof."
CHANGED = [
    ("time", "en", ARREST, {"is committing": ("has committed", "was committing")}),
    ("time", "en", SPEEDY, {"is about to leave": ("has left", "leaves")}),
    ("time", "en", RESIDES, {"tenant resides": ("tenant resided", "tenant has resided")}),
    ("time", "en", WAS, {"was insolvent": ("is insolvent",), "was made": ("is made",)}),
    ("time", "en", HAS_BEEN, {"has been employed": ("is employed",)}),
    ("count", "en", BORROW, {"The directors": ("A director", "Any director")}),
    ("count", "en", BORROW, {"the members": ("a member", "the member")}),
    ("count", "en", MANAGING, {"The managing directors": ("A managing director", "The managing director")}),
    ("pointing", "en", RETURN, {"such property": ("a property", "property"), "his claim": ("a claim", "any claim")}),
    ("pointing", "en", SHARES, {"his shares": ("shares",), "any transfer": ("his transfer",)}),
    ("pointing", "en", "A collector shall not state that the consumer owes any debt.", {"any debt": ("the debt",)}),
    ("country", "en", "Only U.S. citizens may pay the fee.", {"U.S. citizens": ("citizens",), "the": ("the US",)}),
    ("country", "en", "The fine is $1.", {"$1": ("US$1", "$1.000")}),
    ("under", "en", "The trustee may sell under the lease.", {"under the": ("by", "in the")}),
    ("verb", "en", "A tenant who provides notice may leave.", {"provides": ("has", "states")}),
    ("open list", "en", "The buyer pays fees and taxes.", {"taxes": ("taxes, etc",), "fees": ("title, fees",)}),
    ("title", "en", "The buyer receives the goods on payment.", {"the goods": ("title to the goods",)}),
    ("time", "en", "Interest accrues therefrom.", {"therefrom": ("thereafter",)}),
    ("anybody", "en", "Anyone else may object himself.", {"Anyone else": ("Anyone",), "object himself": ("object",)}),
    ("term of art", "en", CONCLUDED, {"concluded": ("ended", "terminated")}),
    ("reference", "en", LIABLE, {"under section 12 may appeal": ("may appeal under section 12",)}),
    ("relation", "en", EARNING, {"for the purpose of": ("in connection with", "with respect to", "by reason of")}),
    ("relation", "en", CARRIER, {"in connection with": ("by means of", "for the purpose of")}),
    ("cause", "en", KNOWING, {"thereby commits": ("commits", "then commits")}),
    ("all", "en", STEPS, {"all reasonable": ("reasonable",)}),
    ("days before", "en", HEARING, {"not later than": ("within", "not more than", "not earlier than")}),
    ("days before", "en", PERMIT, {"not earlier than": ("at least", "not less than", "not later than")}),
    ("time, no condition", "en", OWNED, {"at the time the": ("if the", "unless the")}),
    ("manner", "en", STRICT, {"strictly": ("necessarily", "automatically", "unconditionally")}),
    ("only if", "en", ONLY_IF, {"only if": ("if and only if", "only to the extent", "if")}),
    ("duty", "en", "A tenant shall not apply to the court.", {"shall not apply": ("does not apply",)}),
    ("duty", "en", "The seller shall apply the payment.", {"shall apply": ("applies",)}),
    ("duty of a thing", "en", "The formula shall apply the rate of 5 percent.", {"shall apply": ("applies",)}),
    ("scope", "en", "Paragraph 1 shall apply to sealed goods.", {"shall apply": ("may apply", "shall not apply")}),
    ("question", "en", PLAIN, {"roof.": ("roof?",)}),
    (
        "count", "fr", "Les administrateurs peuvent emprunter avec l'accord des associés.",
        {"Les administrateurs peuvent": ("Un administrateur peut", "L'administrateur peut"),
         "des associés": ("d'un associé", "de l'associé")},
    ),
    (
        "exception", "de", "Abweichend von § 5 kann die Behörde eine Ausnahme zulassen.",
        {"Abweichend von": ("Unbeschadet von", "Ungeachtet von")},
    ),
    (
        "only moved", "de", "Das Mietverhältnis kann vom Vermieter nur gekündigt werden, wenn er ein Interesse hat.",
        {"Das Mietverhältnis kann vom Vermieter nur": ("Nur das Mietverhältnis kann vom Vermieter",)},
    ),
]  # fmt: skip
SAME = [
    ("en", HEARING, {"not later than": ("at least", "not less than", "no later than")}),
    ("en", OWNED, {"at the time the": ("when the",)}),
    ("en", "Interest is due when the lease ends.", {"when": ("if", "at the time")}),
    ("en", "If the seller knows any purpose, the goods shall be fit for it.", {"any purpose": ("the purpose",)}),
    ("en", "Any resident may apply.", {"Any resident": ("Under D.C. law, any resident",)}),
    ("en", "Fees are due thereafter.", {"Fees are due thereafter": ("The law provides that fees are due afterwards",)}),
    ("en", "An heir may claim the title itself.", {"An heir": ("Under this title, an heir",), "itself": ("himself",)}),
    ("en", EARNING, {"for the purpose of": ("for purposes of",)}),
    ("en", "Forms relating to the loan shall be kept.", {"relating": ("related",)}),
    ("en", "The tenants may proceed in court.", {"The tenants": ("Tenants",)}),
    ("en", "A worker is entitled to leave if he has worked 90 days.", {"he has": ("the worker has",)}),
    ("en", "The clerk may act pursuant to an order.", {"pursuant to": ("under", "in accordance with")}),
    ("en", "The landlord shall act under section 12.", {"The landlord": ("Under section 1, the landlord",)}),
    ("en", "Paragraph 1 shall not apply to contracts for sealed goods.", {"shall not apply": ("does not apply",)}),
    (
        "fr", "Lorsque la chose est perdue, l'acheteur peut demander la résolution de la vente.",
        {"Lorsque la chose est perdue, l'acheteur peut demander la résolution de la vente":
         ("L'acheteur peut demander la résolution de la vente lorsque la chose est perdue",)},
    ),
    ("fr", "Les locataires doivent payer le loyer.", {"doivent": ("sont tenus de",), "le loyer": ("un loyer",)}),
]  # fmt: skip


def checked(rule: str, text: str, language: str) -> CheckedClaim:
    evidence = Evidence((EvidenceBlock(URN, rule),), date(2026, 1, 1), language)
    return verify_claim(DraftClaim(text, (DraftCitation(URN, rule),)), evidence)


@pytest.mark.parametrize(
    ("language", "rule", "text"),
    [
        pytest.param(language, rule, rule.replace(old, new), id=f"{kind}: {new}")
        for kind, language, rule, edits in CHANGED
        for old, words in edits.items()
        for new in words
    ],
)
def test_the_same_words_that_say_something_else_are_withheld(language: str, rule: str, text: str) -> None:
    assert text != rule
    assert checked(rule, text, language).level == "WITHHELD"


@pytest.mark.parametrize(
    ("language", "rule", "text"),
    [
        pytest.param(language, rule, rule.replace(old, new), id=new)
        for language, rule, edits in SAME
        for old, words in edits.items()
        for new in words
    ],
)
def test_the_same_in_other_small_words_is_checked(language: str, rule: str, text: str) -> None:
    assert text != rule
    assert checked(rule, text, language).level == "CHECKED"


def test_a_pronoun_of_the_law_is_explained_by_no_other_noun_of_it() -> None:
    rule = "The tenant shall pay the landlord the costs that he incurred."
    assert checked(rule, rule.replace("that he", "that the tenant"), "en").level == "WITHHELD"
    rule = "A worker is entitled to leave if he has worked 90 days."
    told = checked(rule, rule.replace("he has", "the worker has"), "en")
    assert (told.reasons, told.limited) == ((Reason.PRONOUN_EXPLAINED,), True)


@pytest.mark.parametrize("mark", ["\u0336", "\u0338", "\u20d2", "\u20dd"])
def test_a_letter_struck_out_is_no_plain_text(mark: str) -> None:
    assert not is_plain(f"The landlord shall{mark} pay.")
    assert is_plain(re.sub(mark, "", f"The landlord shall{mark} pay."))
