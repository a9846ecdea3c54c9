"""What a judge is shown: sentences with the lists that they are part of, and nothing twice."""

from __future__ import annotations

from datetime import date

import pytest

from rag.answering.judged import LONGEST_BESIDE, passages_named, passages_of
from rag.answering.limits.provisions import Grounds, named_in
from rag.answering.synthesis import evidence_of
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftClaim, DraftStatement
from rag.verification.judging import Passage, distinct_passages
from retrieval.model import Block, ScopedContext

URN = "urn:lex:us:x:35:1"
LEAD, AFTER = "A body shall not, for as long as—", "modify its articles without consent in writing."
ITEMS = ("the interest remains registered; or", "the land remains in its ownership,")


def block(number: int, urn: str, text: str, **more: object) -> Block:
    return Block.model_validate(
        {
            "id": f"b{number}", "urn": urn, "role": "rule", "heading": "", "text": text, "lead_in": "", "flush": "",
            "valid_from": None, "valid_to": None, "parent_urn": URN, "applies_to": [URN], "reason": "r", **more,
        }
    )  # fmt: skip


def passages(claim: str, *cited: tuple[str, str]) -> tuple[Passage, ...]:
    items = [
        block(number, f"{URN}:{letter}", text, lead_in=LEAD, flush=AFTER)
        for number, letter, text in zip((2, 3), "ab", ITEMS, strict=True)
    ]
    whole = block(1, URN, f"{LEAD}\n{AFTER}", parent_urn="urn:lex:us:x:35", after_children=len(LEAD) + 1)
    context = ScopedContext(
        status="ok", targets=[URN], at_date=date(2026, 1, 1), digest="d" * 64, blocks=[whole, *items],
        definitions=[], overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    evidence = evidence_of(context, "en")
    statement = DraftStatement("s1", "law", claim, tuple(DraftCitation(*pair) for pair in cited))
    return passages_of(statement.claim, verify_claim(statement.claim, evidence).citations, Grounds(context, evidence))


def test_a_sentence_around_a_list_is_shown_with_its_items_between_its_words() -> None:
    [shown] = passages("It keeps its articles while it owns the land.", (URN, AFTER), (f"{URN}:b", ITEMS[1]))
    assert shown.text == " ".join((LEAD, *ITEMS, AFTER))
    assert (shown.urn, shown.lead_in, shown.flush) == (URN, "", "")


def test_words_that_a_cited_passage_has_are_shown_once() -> None:
    long, part = Passage(URN, "One. Two. Three."), Passage(f"{URN}:a", "Two.")
    other = Passage(f"{URN}:a", "Four.", role="limit")
    defined = Passage(URN, "Two.", role="definition")
    assert distinct_passages([part, long, other, defined, long]) == (long, other)
    # What only defines a term takes no cited sentence's place.
    wide = Passage(URN, "One. Two.", role="definition")
    assert distinct_passages([Passage(URN, "Two."), wide]) == (Passage(URN, "Two."), wide)


SECTION = "urn:lex:us:x:7"
PARTS = [f"{SECTION}:{part}" for part in ("a", "a:1", "a:2", "b", "b:1", "c", "d")]


@pytest.mark.parametrize(
    ("said", "part", "named"),
    [
        ("Subject to subsection (b), a person may file.", "a", ["b"]),
        ("The request described in paragraph (2) is free.", "a:1", ["a:2"]),
        ("Paragraph (2) of subsection (a) applies.", "c", ["a"]),
        ("Paragraph (1) of subsection (b) applies.", "a:2", ["b"]),
        ("Subsection (b)(1) and section 5 apply.", "c", ["b:1"]),
        ("Subsections (a) through (c) apply.", "d", ["a", "b", "c"]),
        ("Subsection (b) of section 99 applies.", "a", []),
        ("A person may file (b) a request.", "a", []),
        ("Subsection (a) applies to it.", "a:1", []),
    ],
)
def test_the_parts_of_its_section_that_a_sentence_names_are_found(said: str, part: str, named: list[str]) -> None:
    found = named_in(said, f"{SECTION}:{part}", PARTS, "en")
    assert found == [f"{SECTION}:{one}" for one in named]


def test_german_law_names_its_paragraphs() -> None:
    law = "urn:lex:de:bgb:1851:"
    named = named_in(
        "Absatz 1 gilt nicht, soweit Absatz 2 Satz 1 anzuwenden ist.", f"{law}3", [f"{law}1", f"{law}2"], "de"
    )
    assert named == [f"{law}1", f"{law}2"]


def test_a_named_part_is_shown_whole_or_not_at_all() -> None:
    said = [(f"{SECTION}:c", "The notice under subsection (a) or (b) is void.")]
    long = "x" * (LONGEST_BESIDE + 1)
    texts = [(f"{SECTION}:a", "A notice has:"), (f"{SECTION}:a:1", "a date; and"), (f"{SECTION}:b", long)]
    assert passages_named(said, texts, "en") == [Passage(f"{SECTION}:a", "A notice has:\na date; and", role="beside")]


@pytest.mark.parametrize(
    ("claim", "second", "shown"),
    [
        ("The buyer may reply within a month.", "Within a month that person may reply.", True),  # the buyer is before
        ("A reply within a month is possible.", "Within a month that person may reply.", False),
        ("A reply within a month is possible.", "They may reply within a month.", True),  # it leans on what is before
    ],
)
def test_the_sentence_that_a_cited_one_goes_on_from_is_shown(claim: str, second: str, shown: bool) -> None:
    first = "The seller shall write to the buyer."
    whole = block(1, URN, f"{first} {second}")
    context = ScopedContext(
        status="ok", targets=[URN], at_date=date(2026, 1, 1), digest="d" * 64, blocks=[whole],
        definitions=[], overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    evidence = evidence_of(context, "en")
    statement = DraftStatement("s1", "law", claim, (DraftCitation(URN, second),))
    checked = verify_claim(statement.claim, evidence)
    shown_with = passages_of(statement.claim, checked.citations, Grounds(context, evidence))
    beside = [one.text for one in shown_with if one.role == "beside"]
    assert beside == ([first] if shown else [])


def test_drafts_that_share_their_grounds_are_shown_each_their_own_law() -> None:
    second = "Within a month that person may reply."
    whole = block(1, URN, f"The seller shall write to the buyer. {second}")
    other = block(2, "urn:lex:us:x:35:2", "The reply is free.")
    context = ScopedContext(
        status="ok", targets=[URN], at_date=date(2026, 1, 1), digest="d" * 64, blocks=[whole, other],
        definitions=[], overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    evidence = evidence_of(context, "en")
    texts = ("The buyer may reply within a month.", "A reply within a month is possible.")
    cited = (DraftCitation(URN, second),), (DraftCitation(URN, second), DraftCitation(other.urn, other.text))
    claims = [DraftClaim(text, citations) for text in texts for citations in cited]

    def of(claim: DraftClaim, grounds: Grounds) -> tuple[Passage, ...]:
        return passages_of(claim, grounds.verified(claim).citations, grounds)

    alone = [of(claim, Grounds(context, evidence)) for claim in claims]
    assert len(set(alone)) == len(claims)
    for order in (claims, claims[::-1]):
        grounds = Grounds(context, evidence)
        shown = {claim: of(claim, grounds) for claim in order}
        assert [shown[claim] for claim in claims] == alone
        assert [of(claim, grounds) for claim in claims] == alone
