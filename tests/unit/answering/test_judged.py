"""What a judge is shown: sentences with the lists that they are part of, and nothing twice."""

from __future__ import annotations

from datetime import date

from rag.answering.judged import passages_of
from rag.answering.synthesis import evidence_of
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftStatement
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
    return passages_of(statement, verify_claim(statement.claim, evidence).citations, context, evidence)


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
