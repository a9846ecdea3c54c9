"""Sections that a verified text cites by number alone: whose law they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine
from rag.citecheck.model import VerifyItem

TRADE, HARBOR = "urn:lex:us-wa:doc:street-trade", "urn:lex:us-ma:doc:harbor"
DC = "urn:lex:us-dc:code"
LAWS = {
    TRADE: (
        "Street Trade Ordinance",
        {"4-9": "The Director decides within 20 days.", "4-10": "A permit is valid for 12 months."},
    ),
    HARBOR: ("Harbor Rules of Quincy", {"4-10": "A berth is let for 12 months.", "7": "Each boat carries two lights."}),
    "urn:lex:us-ma:doc:pier": ("Pier Rules of Salem", {"4-10": "A pier is closed.", "9": "A pier has three lamps."}),
    DC: ("District of Columbia Official Code", {"4-77": "A kite is flown by day."}),
}


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("laws")
    for number, (urn, (title, sections)) in enumerate(LAWS.items()):
        lines: list[Mapping[str, object]] = [
            {"lexscope": 1, "corpus": {"urn": urn, "title": title, "language": "en"}, "edition_date": "2024-01-01"},
            {"urn": urn, "structure_type": "ROOT", "level": "act", "heading": title},
        ]
        lines += [
            {"urn": f"{urn}:{name}", "parent_urn": urn, "structure_type": "SECTION", "level": "section",
             "content_text": text} for name, text in sections.items()
        ]  # fmt: skip
        (folder / f"{number}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([folder])
        yield opened


def items(engine: Engine, text: str, jurisdiction: str | None = None) -> dict[str, VerifyItem]:
    return {item.text: item for item in engine.verify(text, jurisdiction=jurisdiction).items}


MEMO = "A permit is valid for 12 months (§ 4-10). The Director decides within 20 days (§ 4-9)."


def test_the_form_of_a_number_tells_the_law_where_nothing_else_does(engine: Engine) -> None:
    assert items(engine, MEMO)["§ 4-10"].urn == f"{DC}:4-10"
    assert items(engine, "A kite is flown by day (§ 4-77).", "us-dc")["§ 4-77"].urn == f"{DC}:4-77"


def test_the_law_of_the_jurisdiction_asked_for_goes_before_the_form_of_a_number(engine: Engine) -> None:
    found = items(engine, MEMO, "us-wa")
    assert [(found[cited].verdict, found[cited].urn) for cited in ("§ 4-10", "§ 4-9")] == [
        ("SUPPORTED", f"{TRADE}:4-10"), ("SUPPORTED", f"{TRADE}:4-9"),
    ]  # fmt: skip
    assert any("names no law" in reason for reason in found["§ 4-10"].reasons)
    assert found["A permit is valid for 12 months (§ 4-10)."].verdict == "SUPPORTED"


def test_of_two_laws_that_have_the_section_none_is_taken(engine: Engine) -> None:
    assert items(engine, "A berth is let for 12 months (§ 4-10).", "us-ma") == {}
    found = items(engine, "A berth is let for 12 months (§ 4-10). Each boat carries two lights (§ 7).", "us-ma")
    assert found["§ 4-10"].urn == f"{HARBOR}:4-10"


def test_nothing_is_concluded_from_what_a_law_that_nobody_named_does_not_say(engine: Engine) -> None:
    text = (
        "A taxi driver over thirty years of age shows a medical card to each passenger (§ 4-10). "
        "“The meter is sealed by the county” (§ 4-9). The fee is paid by cheque (§ 4-99)."
    )
    result = engine.verify(text, jurisdiction="us-wa")
    assert {item.kind: item.verdict for item in result.items if item.kind != "reference"} == {
        "claim": "UNVERIFIED", "quote": "UNVERIFIED",
    }  # fmt: skip
    assert any(left.text.startswith("§ 4-99") for left in result.not_checked)


@pytest.mark.parametrize("jurisdiction", [None, "us-wa", "us-wa|us-dc"])
def test_the_law_that_a_text_names_goes_before_both(engine: Engine, jurisdiction: str | None) -> None:
    text = f"This is on the Street Trade Ordinance. {MEMO} It is paid at once (§ 4-99)."
    found = items(engine, text, jurisdiction)
    assert (found["§ 4-10"].urn, found["§ 4-99"].verdict) == (f"{TRADE}:4-10", "NOT_FOUND")
    other = items(engine, f"{text} A kite is flown by day (§ 4-77).")
    assert other["§ 4-77"].urn == f"{DC}:4-77"
