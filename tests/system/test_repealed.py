"""Placeholder text such as `[Repealed]` is no law, in whatever format and language it came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import law
import pytest
from conftest import Stores

from rag import Engine

T = "urn:lex:us-dc:tc:1"
GONE, HOLLOW, LIVE = f"{T}:2-5", f"{T}:2-6", f"{T}:2-7"


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    rules = law.document([
        law.node(T), law.node(GONE, "[Repealed]"), law.node(HOLLOW), law.node(f"{HOLLOW}:a", "[Repealed by Act 4.]"),
        law.node(LIVE, "No resident shall keep a snake."), law.node(f"{LIVE}:a", "[Reserved]"),
    ])  # fmt: skip
    folder: Path = tmp_path_factory.mktemp("law")
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([law.write_file(folder, "tc.jsonl", rules)])
        yield engine


@pytest.mark.parametrize("urn", [GONE, HOLLOW])
def test_a_repealed_provision_is_said_to_be_repealed_and_answers_nothing(store: Engine, urn: str) -> None:
    answer = store.ask(urn)
    assert (answer.status, answer.statements) == ("refused", [])
    assert answer.refusal is not None
    assert answer.refusal.reason == "not_in_force"
    assert f"{urn} is not law in force: repealed" in answer.refusal.message
    assert any(warning.kind == "repealed" and warning.urn == urn for warning in store.context(urn).warnings)
    assert any(warning.startswith(f"{urn} is not law in force: repealed") for warning in store.resolve(urn).warnings)
    assert any(warning.startswith(f"{urn} is not law in force: repealed") for warning in store.search(urn).warnings)
    [reference, *_] = store.verify(f"[Repealed] ({urn})").items
    assert reference.verdict == "NOT_IN_FORCE"


def test_a_placeholder_within_law_in_force_is_never_quoted(store: Engine) -> None:
    answer = store.ask(LIVE)
    assert answer.status == "answered"
    assert all("Reserved" not in statement.text for statement in answer.statements)
    assert not any(warning.kind == "repealed" for warning in answer.warnings)
