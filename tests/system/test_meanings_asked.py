"""A question for what a term means is answered from its stored definitions, each for its own scope, or by places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import law
import pytest
from conftest import Stores
from law import document, node

from rag import Engine
from rag.answering.answer import Answer
from rag.law.nodes import Definition

T = "urn:lex:us-dc:tc"
RULES = {
    f"{T}:1": "In this act, “keeper” means a person who holds a key.",
    f"{T}:2": "A keeper shall lock the door. In this section “keeper” means a person who sleeps in the house.",
    f"{T}:3": "A keeper pays 5 dollars for a lost key.",
    f"{T}:4": "“Lodge” includes a tent.",
    **{f"{T}:{number}": f"In this section “guest” means a visitor of {number} days." for number in range(5, 9)},
}


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str) -> Iterator[Engine]:
    definitions = [
        Definition("keeper", f"{T}:1", T), Definition("keeper", f"{T}:2", f"{T}:2"),
        Definition("lodge", f"{T}:4", T, relation="includes"),
        *(Definition("guest", f"{T}:{number}", f"{T}:{number}") for number in range(5, 9)),
    ]  # fmt: skip
    nodes = [node(T), *(node(urn, text, level="section") for urn, text in RULES.items())]
    with Engine.open(stores.clone(empty_template)) as opened:
        law.store(opened.database, document(nodes, definitions))
        yield opened


def served(answer: Answer) -> list[tuple[str, str]]:
    return [(statement.citations[0].urn, statement.text) for statement in answer.statements]


WIDE, NARROW = (f"{T}:1", RULES[f"{T}:1"]), (f"{T}:2", RULES[f"{T}:2"].partition(". ")[2])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is a keeper?", [WIDE, NARROW]),
        ("What does keeper mean?", [WIDE, NARROW]),
        ("Who are keepers?", [WIDE, NARROW]),
        (f"What does keeper mean in {T}:2?", [NARROW]),
        (f"What does keeper mean in {T}:3?", [WIDE]),
        (f"What does guest mean in {T}:7?", [(f"{T}:7", RULES[f"{T}:7"])]),
    ],
)
def test_each_meaning_is_told_by_the_sentence_that_defines_it(
    engine: Engine, question: str, expected: list[tuple[str, str]]
) -> None:
    answer = engine.ask(question, jurisdiction="us-dc")
    assert (answer.status, served(answer)) == ("answered", expected)
    told = [warning.message for warning in answer.warnings if warning.kind == "search"]
    assert any(all(urn in message for urn, _ in expected) for message in told)


def test_of_more_meanings_than_can_be_served_none_is_certain(engine: Engine) -> None:
    answer = engine.ask("What is a guest?", jurisdiction="us-dc")
    assert (answer.status, answer.statements) == ("places", [])
    assert [place.urn for place in answer.places] == [f"{T}:5", f"{T}:6", f"{T}:7"]
    assert any("has 4 definitions" in warning.message for warning in answer.warnings)


@pytest.mark.parametrize(
    "question",
    [
        "What does a keeper pay for a lost key?",
        "What is a lodge?",
        "What is a keeper in Texas?",
        f"Define keeper in {T}:99",
    ],
)
def test_a_question_for_more_or_elsewhere_is_searched_for_as_any_other(engine: Engine, question: str) -> None:
    answer = engine.ask(question, jurisdiction="us-dc")
    assert not any("definition" in warning.message for warning in answer.warnings if warning.kind == "search")
    assert WIDE not in served(answer)


def test_a_halted_definition_halts(engine: Engine) -> None:
    law.override(engine, f"{T}:7", "VOID")
    answer: Any = engine.ask(f"What does guest mean in {T}:7?", jurisdiction="us-dc")
    assert answer.status == "halted"
