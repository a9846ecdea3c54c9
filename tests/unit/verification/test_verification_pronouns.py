"""Pronouns of claims: read as the law's noun only where nothing else can be meant."""

from __future__ import annotations

from datetime import date

import pytest

from rag.verification.claims import Evidence, EvidenceBlock, Reason, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import CheckedClaim

URN = "urn:lex:us-dc:code:42-3502.17:b"
CHECKS = "If the committee has open checks to creditors, the committee shall notify the Mayor."


def checked(sentence: str, text: str) -> CheckedClaim:
    evidence = Evidence((EvidenceBlock(URN, sentence),), date(2026, 1, 1))
    return verify_claim(DraftClaim(text, (DraftCitation(URN, sentence),)), evidence)


def test_a_pronoun_stands_for_the_one_noun_before_it() -> None:
    found = checked(CHECKS, "If the committee has open checks to creditors, it must notify the Mayor.")
    assert found.level == "CHECKED"
    assert found.limited
    assert Reason.PRONOUN_EXPLAINED in found.reasons


def test_a_claim_that_begins_with_a_pronoun_is_served_with_the_noun_in_brackets() -> None:
    found = checked("The committee shall notify the Mayor.", "It must notify the Mayor.")
    assert found.text == "[The committee] must notify the Mayor."
    again = checked("The committee shall notify the Mayor.", found.text)
    assert again.level == "CHECKED"


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (CHECKS, "If the committee has open checks to creditors, they must notify the Mayor."),
        (CHECKS, "If the committee has open checks to creditors, the Mayor must notify it."),
        (
            "If the landlord sues the tenant, the tenant shall hire a lawyer.",
            "If the landlord sues the tenant, he shall hire a lawyer.",
        ),
        ("A tenant may use the roof if the tenant is careful.", "A tenant may use the roof if it is careful."),
        ("The committee shall notify the Mayor.", "They must notify the Mayor."),
        ("The committee shall notify the Mayor.", "It may notify the Mayor."),
    ],
)
def test_a_pronoun_that_may_mean_something_else_explains_nothing(sentence: str, text: str) -> None:
    assert checked(sentence, text).level == "WITHHELD"
