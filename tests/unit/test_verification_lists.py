"""The verifier on lists: items with their lead-in, words after them, items that hold only together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drafted_claims import URN, claim, evidence

from rag.draft import DraftCitation, DraftClaim
from rag.verification import EvidenceBlock, Reason, verbatim_fallback, verify_claim

LEAD = "No person shall, in the District:"
LEAF = EvidenceBlock(f"{URN}:1", "demand a pet fee; or", lead_in=LEAD)
LAST = EvidenceBlock(f"{URN}:2", "demand a second deposit.", lead_in=LEAD)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("No person shall, in the District: demand a pet fee; or", "VERBATIM"),
        ("No person shall, in the District demand a pet fee", "VERBATIM"),
        ("A person must not, in the District, demand a pet fee.", "CHECKED"),
        ("demand a pet fee", "WITHHELD"),
        ("A person may, in the District, demand a pet fee.", "WITHHELD"),
    ],
)
def test_a_list_leaf_is_judged_with_its_lead_in(text: str, level: str) -> None:
    checked = verify_claim(claim(text, "demand a pet fee", LEAF.urn), evidence(LEAF, LAST))
    assert checked.level == level, checked.reasons
    assert checked.citations[0].lead_in == LEAD


def test_lead_in_and_leaves_cited_together_make_one_norm() -> None:
    parent = EvidenceBlock(URN, LEAD)
    cited = tuple(DraftCitation(block.urn, block.text) for block in (parent, LEAF, LAST))
    for text, level in (
        ("No person shall, in the District: demand a pet fee; or demand a second deposit.", "VERBATIM"),
        ("A person may not, in the District, demand a pet fee or demand a second deposit.", "CHECKED"),
        ("A person may not, in the District, demand a pet fee and demand a second deposit.", "WITHHELD"),
    ):
        assert verify_claim(DraftClaim(text, cited), evidence(parent, LEAF, LAST)).level == level, text


def test_flush_text_finishes_the_sentence() -> None:
    block = EvidenceBlock(
        f"{URN}:1", "breaks a lock;", lead_in="A person who:", flush="shall pay a fine of 100 dollars."
    )
    whole = "A person who breaks a lock; shall pay a fine of 100 dollars."
    assert (
        verify_claim(claim("A person who breaks a lock", "breaks a lock", block.urn), evidence(block)).level
        == "WITHHELD"
    )
    assert verify_claim(claim(whole, "breaks a lock", block.urn), evidence(block)).level == "VERBATIM"


def test_a_whole_sentence_under_a_neutral_lead_in_stands_alone() -> None:
    block = EvidenceBlock(URN, "“Fee” means money owed.", lead_in="For the purposes of this chapter, the term:")
    assert verify_claim(claim("“Fee” means money owed.", "means money owed"), evidence(block)).level == "VERBATIM"
    block = replace(block, text="Rent is due.", lead_in="The following does not apply:")
    assert verify_claim(claim("Rent is due.", "Rent is due"), evidence(block)).level == "WITHHELD"


def test_conditions_that_hold_together_are_not_stated_alone() -> None:
    lead = "The tenant may leave if:"
    blocks = (
        EvidenceBlock(f"{URN}:1", "the roof leaks; and", lead_in=lead),
        EvidenceBlock(f"{URN}:2", "the Mayor agrees.", lead_in=lead),
    )
    checked = verify_claim(
        claim("The tenant may leave if the roof leaks.", "the roof leaks", f"{URN}:1"), evidence(*blocks)
    )
    assert checked.level == "VERBATIM"
    assert checked.limited
    checked = verify_claim(
        claim("A tenant is allowed to leave if the roof leaks.", "the roof leaks", f"{URN}:1"), evidence(*blocks)
    )
    assert Reason.LIST_INCOMPLETE in checked.reasons


def test_what_is_compared_is_not_stated_alone() -> None:
    lead_in = "The fee, if it is not waived, shall be the greater of:"
    blocks = tuple(
        EvidenceBlock(f"{URN}:{number}", text, lead_in=lead_in)
        for number, text in enumerate(("one tenth of the rent;", "twenty dollars."), start=1)
    )
    text = "The fee, if it is not waived, must be the greater of one tenth of the rent"
    found = verify_claim(claim(text, blocks[0].text, blocks[0].urn), evidence(*blocks))
    assert Reason.LIST_INCOMPLETE in found.reasons


def test_an_open_sentence_is_limited() -> None:
    checked = verify_claim(claim(LEAD, LEAD), evidence(EvidenceBlock(URN, LEAD)))
    assert checked.limited
    assert Reason.OPEN_SENTENCE in checked.reasons


def test_the_fallback_is_the_whole_sentence_with_lead_in() -> None:
    fallback = verbatim_fallback(claim("Pet fees are fine.", "a pet fee", LEAF.urn), evidence(LEAF, LAST))
    assert fallback is not None
    assert (fallback.text, fallback.level) == (f"{LEAD} {LEAF.text}", "VERBATIM")
    again = verify_claim(claim(fallback.text, "a pet fee", LEAF.urn), evidence(LEAF, LAST))
    assert again.level == "VERBATIM"
