"""A refusal says where law of other days would have answered, since when not, and what took its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from requirements import requirement

from rag import Engine
from rag.settings import Settings

CODE = "urn:lex:us-or:harbor"
LOTTERY = "A seaplane pilot may enter the lottery for winter berths until 31 October of each year."


def _node(number: str, text: str, **more: object) -> dict[str, object]:
    return {
        "urn": f"{CODE}:{number}", "parent_urn": CODE, "structure_type": "SECTION", "level": "section",
        "number": number, "content_text": text, **more,
    }  # fmt: skip


LAW = [
    {"lexscope": 1, "corpus": {"urn": CODE, "title": "Harbor Code", "language": "en"}, "annotated": True},
    {"urn": CODE, "structure_type": "ROOT", "level": "code", "heading": "Harbor Code"},
    _node("1", LOTTERY, valid_from="2005-01-01", valid_to="2018-07-01"),
    _node(
        "2",
        "The harbormaster assigns a berth to a seaplane in the order of written requests.",
        valid_from="2018-07-01",
        links=[{"kind": "repeals", "reference": "section 1", "target_urn": f"{CODE}:1"}],
    ),
    _node("3", "A ferry pays 40 dollars for a berth.", valid_from="2010-01-01", valid_to="2020-01-01"),
    _node("3", "A ferry pays 55 dollars for a berth.", valid_from="2020-01-01"),
    _node("5", "A rower keeps to the left side of the channel."),
    {
        "urn": f"{CODE}:5:a", "parent_urn": f"{CODE}:5", "structure_type": "PARAGRAPH", "level": "paragraph",
        "content_text": "A rower carries a whistle and a lantern at dusk.", "valid_to": "2015-01-01",
    },
    _node("6", "A diver flies a blue flag from the buoy.", valid_to="2012-01-01"),
    _node("6", "[Repealed]", valid_from="2012-01-01", tags={"enforcement_status": "repealed"}),
    _node("4", "A kayak polo club may close the basin on Sundays.", valid_from="2030-01-01"),
]  # fmt: skip


@pytest.fixture
def harbor(empty_settings: Settings, tmp_path: Path) -> Iterator[Engine]:
    file = tmp_path / "harbor.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LAW), encoding="utf-8")
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([file]).rejected
        yield engine


@requirement("P6")
@pytest.mark.parametrize(
    ("question", "at_date", "says"),
    [
        (
            "Until when may a seaplane pilot enter the lottery for winter berths?",
            "2026-01-01",
            f"{CODE}:1 (in force from 2005-01-01 until 2018-07-01; repealed or replaced by {CODE}:2)",
        ),
        ("Who may enter the winter lottery?", "2001-01-01", f"{CODE}:1 (in force from 2005-01-01 until 2018-07-01"),
        (
            "Does a rower carry a whistle at dusk?",
            "2026-01-01",
            f"{CODE}:5:a (in force from an unknown date",
        ),
        (
            "Which flag does a diver fly from the buoy?",
            "2026-01-01",
            f"{CODE}:6 (in force from an unknown date",
        ),
        ("May a kayak polo club close the basin?", "2026-01-01", f"{CODE}:4 (in force from 2030-01-01 on)"),
    ],
)
def test_a_refusal_names_law_of_other_days_that_would_answer(
    harbor: Engine, question: str, at_date: str, says: str
) -> None:
    answer = harbor.ask(question, jurisdiction="us-or", at_date=at_date)
    assert answer.status == "refused"
    assert answer.refusal is not None
    assert says in answer.refusal.message
    assert "October" not in answer.refusal.message


@pytest.mark.parametrize(
    "question", ["What does a zeppelin pay for a mast?", "Must a ferry pay 40 dollars to a seaplane pilots' union?"]
)
def test_a_refusal_names_no_law_that_would_not_answer_or_is_in_force_in_other_words(
    harbor: Engine, question: str
) -> None:
    answer = harbor.ask(question, jurisdiction="us-or", at_date="2026-01-01")
    message = answer.refusal.message if answer.refusal else ""
    assert f"{CODE}:3" not in message
    assert "not in force" not in message


def test_a_provision_named_after_its_end_says_what_took_its_place(harbor: Engine) -> None:
    context = harbor.context(f"{CODE}:1", at_date="2026-01-01")
    assert context.status == "not_in_force"
    assert f"from 2005-01-01 until 2018-07-01; repealed or replaced by {CODE}:2" in context.message
    answer = harbor.ask("lottery for seaplane pilots", jurisdiction="us-or", at_date="2010-01-01")
    assert [statement.text for statement in answer.statements] == [LOTTERY]
