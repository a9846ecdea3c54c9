"""A refusal says in which language to ask and what came nearest."""

from __future__ import annotations

from datetime import date

import pytest

from rag.answering.answer import Refusal
from rag.answering.refusals import in_its_language, nearest
from retrieval.model import Block, ScopedContext


@pytest.mark.parametrize(
    ("question", "law", "reason", "told"),
    [
        ("How much notice must a landlord give?", "de", "insufficient_context", "The law searched is in German"),
        ("How much notice must a landlord give?", "de", "no_entry_point", "seems to be in English: ask in German."),
        ("How much notice must a landlord give?", "nl", "no_entry_point", "The law searched is in the language nl"),
        ("How much notice must a landlord give?", "en", "insufficient_context", ""),
        ("How much notice must a landlord give?", "de", "legal_override", ""),
        ("notice", "de", "insufficient_context", ""),
    ],
)
def test_a_refusal_names_the_language_of_the_law_where_the_question_is_in_another(
    question: str, law: str, reason: str, told: str
) -> None:
    refusal = Refusal.model_validate({"reason": reason, "message": "Nothing answers."})
    out = in_its_language(refusal, question, law)
    assert out is not None
    assert out.message.startswith("Nothing answers.")
    assert (told in out.message) if told else out == refusal
    assert in_its_language(None, question, law) is None


def test_what_came_nearest_has_the_heading_it_stands_under() -> None:
    def block(urn: str, heading: str, parent: str | None) -> Block:
        return Block.model_validate(
            {
                "id": urn[-1], "urn": urn, "role": "rule", "heading": heading, "text": "x", "lead_in": "", "flush": "",
                "valid_from": None, "valid_to": None, "parent_urn": parent, "applies_to": [urn], "reason": "r",
            }
        )  # fmt: skip

    one, part, bare, lost = "urn:lex:us:x:1", "urn:lex:us:x:1:a", "urn:lex:us:x:2", "urn:lex:us:x:3"
    circle = [block("urn:lex:us:x:4", "", "urn:lex:us:x:5"), block("urn:lex:us:x:5", "", "urn:lex:us:x:4")]
    context = ScopedContext(
        status="ok", targets=[part, one, bare, lost, circle[0].urn], at_date=date(2026, 1, 1), digest="d",
        blocks=[block(one, "Deposits", None), block(part, "", one), block(bare, "", None), *circle], definitions=[],
        overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    assert nearest(context) == [(part, "Deposits"), (one, "Deposits"), (bare, ""), (lost, ""), (circle[0].urn, "")]
