"""A law is cited by the short title that its own text states, and is in force from the day that it states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine

ORDINANCE = "urn:lex:us-wa:doc:ord-17"
TEXT = """# Ordinance No. 17 of Linden

## § 1 Short title

This Ordinance may be cited as the Linden Street Trade Ordinance.

## § 2 Permits

A permit is valid for 12 months from the date of issue.

## § 3 Start

This Ordinance comes into force on 1 March 2024.
"""


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    file: Path = tmp_path_factory.mktemp("law") / "ord-17.md"
    file.write_text(TEXT, encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([file], jurisdiction="us-wa")
        yield opened


def test_it_is_cited_by_its_short_title(engine: Engine) -> None:
    cited = "section 2 of the Linden Street Trade Ordinance"
    assert engine.resolve(cited).urn == f"{ORDINANCE}:2"
    assert engine.context(cited).targets == [f"{ORDINANCE}:2"]
    found = engine.verify(f"A permit is valid for 12 months from the date of issue ({cited}).")
    assert {item.verdict for item in found.items} == {"SUPPORTED"}
    assert engine.resolve("section 2 of the Boston Street Trade Ordinance").urn is None


def test_it_is_in_force_from_the_day_that_it_states(engine: Engine) -> None:
    [block] = [block for block in engine.context(f"{ORDINANCE}:2").blocks if block.role == "rule"]
    assert block.valid_from is not None
    assert block.valid_from.isoformat() == "2024-03-01"
    assert engine.context(f"{ORDINANCE}:2", at_date="2024-02-29").status != "ok"
    assert not [
        one for one in engine.context(f"{ORDINANCE}:2").warnings if one.kind in ("uncertain_dates", "unknown_start")
    ]
