"""Parts and schedules of published British acts, acts by name and year, instruments by year and number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine

FILES = (
    "uk-clml/ukpga_20000032_en.xml", "uk-clml/uksi_20050263_2013-04-01_en.xml",
    "uk-akn-lawmaker/nipubb-quoted-text-and-defined-terms.xml", "uscode-uslm/usc17.xml",
)  # fmt: skip
POLICE = "urn:lex:gb:ukpga-2000-32"
VEHICLES = "urn:lex:gb:uksi-2005-263"


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, shared_data: Path) -> Iterator[Engine]:
    settings = stores.clone(empty_template)
    with Engine.open(settings) as opened:
        assert opened.ingest([shared_data / name for name in FILES], jobs=2).rejected == []
        yield opened
    stores.drop(settings)


@pytest.mark.parametrize(
    ("written", "urn"),
    [
        ("Part V of the Police (Northern Ireland) Act 2000", f"{POLICE}:part_v"),
        ("Police (Northern Ireland) Act 2000, Part V", f"{POLICE}:part_v"),
        ("Police (NI) Act 2000 Pt V", f"{POLICE}:part_v"),
        ("Schedule 1 to the Police (Northern Ireland) Act 2000", f"{POLICE}:sch.1"),
        ("Part V of Schedule 1 to the Police (Northern Ireland) Act 2000", f"{POLICE}:sch.1:part_v"),
        ("Police (Northern Ireland) Act 2000, Sch. 1 para. 3", f"{POLICE}:sch.1:3"),
        ("section 8 in Part II of the Police (Northern Ireland) Act 2000", f"{POLICE}:8"),
        ("Copyright Act of 1976", "urn:lex:us:17usc"),
    ],
)
def test_a_part_of_an_act_or_an_act_by_its_year_is_certain(engine: Engine, written: str, urn: str) -> None:
    found = engine.resolve(written)
    assert (found.status, found.urn, found.hint) == ("resolved", urn, None)


@pytest.mark.parametrize(
    ("written", "urn"),
    [
        ("2005 No. 263, reg. 12", f"{VEHICLES}:12"),
        ("regulation 12 of 2005 No 263", f"{VEHICLES}:12"),
        ("2005 No. 263", VEHICLES),
        ("the Copyright Act", "urn:lex:us:17usc"),
    ],
)
def test_what_may_name_other_law_too_is_found_with_a_warning(engine: Engine, written: str, urn: str) -> None:
    found = engine.resolve(written)
    assert (found.status, found.urn) == ("candidates", urn)
    assert found.hint
    assert found.warnings


@pytest.mark.parametrize("written", ["Copyright Act of 1909", "Part XX of the Police (Northern Ireland) Act 2000"])
def test_another_act_or_part_is_not_found(engine: Engine, written: str) -> None:
    assert engine.resolve(written).urn is None


def test_parts_of_every_publisher_have_their_number_and_act(engine: Engine) -> None:
    with engine.database.read() as conn:
        rows = conn.execute(
            "select source, tags from legal_nodes where level = 'part' and jurisdiction = 'gb'"
        ).fetchall()
    assert {source for source, _ in rows} == {Path(name).name for name in (FILES[0], FILES[2])}
    assert all(tags.get("part_number") and tags.get("act_title") for _, tags in rows)
