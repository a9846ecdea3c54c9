"""The verifier on lists: items with their lead-in, words after them, items that hold only together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drafted_claims import URN, claim, evidence

from rag.verification.claims import EvidenceBlock, Reason, verbatim_fallback, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.lists import may_stand_alone

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
    for text in ("The tenant may leave if the roof leaks.", "A tenant is allowed to leave if the roof leaks."):
        checked = verify_claim(claim(text, "the roof leaks", f"{URN}:1"), evidence(*blocks))
        assert (checked.level, Reason.LIST_INCOMPLETE in checked.reasons) == ("WITHHELD", True)
        fallback = verbatim_fallback(claim(text, "the roof leaks", f"{URN}:1"), evidence(*blocks))
        assert fallback is not None
        assert (fallback.text, fallback.limited) == (f"{lead} the roof leaks; and the Mayor agrees.", False)
        assert [citation.urn for citation in fallback.citations] == [block.urn for block in blocks]


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


def test_items_cited_together_are_joined_by_the_word_that_joins_the_list() -> None:
    lead = "A landlord shall not:"
    items = [
        EvidenceBlock(f"{URN}:{place}", text, lead_in=lead)
        for place, text in enumerate(("enter the unit;", "charge a pet fee; or", "remove a tenant."))
    ]
    cited = tuple(DraftCitation(block.urn, block.text) for block in items[:2])
    for text, level in (
        ("A landlord must not enter the unit or charge a pet fee.", "CHECKED"),
        ("A landlord must not enter the unit and charge a pet fee.", "WITHHELD"),
        ("A landlord must not enter the unit or charge a fee.", "WITHHELD"),
    ):
        assert verify_claim(DraftClaim(text, cited), evidence(*items)).level == level, text


def test_one_item_does_not_define_a_term() -> None:
    lead = "In this chapter, a vehicle means:"
    items = [EvidenceBlock(f"{URN}:1", "a car; or", lead_in=lead), EvidenceBlock(f"{URN}:2", "a truck.", lead_in=lead)]
    checked = verify_claim(
        claim("In this chapter, the vehicle means a car.", "a car; or", f"{URN}:1"), evidence(*items)
    )
    assert (checked.level, checked.reasons[0]) == ("WITHHELD", Reason.LIST_INCOMPLETE)


def test_a_last_item_that_begins_with_a_figure_is_an_item() -> None:
    lead = "The fine is:"
    items = [
        EvidenceBlock(f"{URN}:1", "$100 for the first offence;", lead_in=lead),
        EvidenceBlock(f"{URN}:2", "500 dollars for a later offence.", lead_in=lead),
    ]
    for block in items:
        checked = verify_claim(claim(f"{lead} {block.text}", block.text, block.urn), evidence(*items))
        assert Reason.LIST_INCOMPLETE in checked.reasons, block.text


def test_a_claim_may_rest_on_one_of_the_sentences_that_its_quote_runs_over() -> None:
    text = "The seller shall deliver the goods. The buyer shall pay the price within 10 days."
    block = EvidenceBlock(URN, text)
    checked = verify_claim(claim("The buyer must pay the price within ten days.", text), evidence(block))
    assert checked.level == "CHECKED"
    assert [citation.quote for citation in checked.citations] == ["The buyer shall pay the price within 10 days."]
    for other in (
        "The seller must pay the price within ten days.",
        "The seller must deliver the goods within 10 days.",
    ):
        assert verify_claim(claim(other, text), evidence(block)).level == "WITHHELD"


def test_a_case_that_leans_on_the_item_before_it_is_not_stated_alone() -> None:
    lead_in = "The following provisions shall apply:"
    items = [
        "If the owner has received a written notice, the payment shall be made within 24 hours.",
        "If no such notice has been received, the payment shall be made within 30 days.",
    ]
    assert [may_stand_alone(lead_in, items, at, "en") for at in (0, 1)] == [True, False]
