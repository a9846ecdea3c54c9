"""The suite of small laws: what it counts as right, as missing and as wrong with certainty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evals.suites.laws import given
from evals.suites.laws.suite import measure

NODES = [
    {"key": "P1", "parent": None, "kind": "part", "label": "Part 1", "heading": "Sales", "text": ""},
    {"key": "1", "parent": "P1", "kind": "section", "label": "1", "heading": "", "text": "A trader must keep books."},
    {"key": "2", "parent": None, "kind": "section", "label": "2", "heading": "Definitions", "text": 'In this Act:'},
    {"key": "2(1)", "parent": "2", "kind": "subsection", "label": "(1)", "heading": "",
     "text": '"trader" means a person who sells goods.'},
    {"key": "3", "parent": None, "kind": "section", "label": "3", "heading": "",
     "text": "Section 1 does not apply to a church."},
]  # fmt: skip


EXPECTED: dict[str, Any] = {
    "rule": "1", "definitions": [{"term": "trader", "node": "2(1)"}], "not_definitions": [], "exceptions": ["3"],
    "not_exceptions": [], "conflicts": [], "external": [],
}  # fmt: skip
CASES: list[dict[str, Any]] = [  # what is expected otherwise; the first case is right
    {}, {"external": ["Bank Act"]}, {"not_definitions": ["2(1)"]}, {"not_exceptions": ["3"]},
    {"conflicts": ["trader"]},
]  # fmt: skip


def test_faults_are_told_and_certain_only_where_something_wrong_is_served_unmarked(tmp_path: Path) -> None:
    for number, otherwise in enumerate(CASES):
        law = {"id": f"{number:02}", "language": "en", "jurisdiction": "GB", "title": "Trade Act", "nodes": NODES}
        whole = {**law, "expect": [{**EXPECTED, **otherwise}]}
        (tmp_path / f"{number:02}.json").write_text(json.dumps(whole), encoding="utf-8")
    report = measure(tmp_path)
    assert {row.metric: row.value for row in report.rows if row.source == "all"} == {
        "contexts_right": 0.2, "wrong_as_certain": 0.4, "wrong_unmarked": 0.4, "right_without_doubt": 1.0,
        "wrong_with_doubt": 0.0,
    }  # fmt: skip
    assert report.misses[:4] == [
        "en 01 1: external law 'Bank Act' is not named",
        "en 02 1 (as certain): 2(1) is served as a definition",
        "en 03 1: 3 is served as an exception",
        "en 04 1 (as certain): the conflict about 'trader' is not told",
    ]


def test_a_law_in_the_words_of_its_country_is_printed_with_its_levels_and_numbers(tmp_path: Path) -> None:
    def printed(language: str, jurisdiction: str, *units: tuple[str, str | None, str]) -> list[tuple[str, ...]]:
        nodes = [
            {"key": key, "parent": parent, "kind": kind, "label": key, "heading": "", "text": "Text."}
            for key, parent, kind in units
        ]
        whole = {"id": "1", "language": language, "jurisdiction": jurisdiction, "title": "Law", "nodes": nodes}
        expected = {**EXPECTED, "rule": units[0][0], "not_definitions": [units[0][0]]}
        path = tmp_path / "1.json"
        path.write_text(json.dumps({**whole, "expect": [expected]}), encoding="utf-8")
        law = given.read_law(path)
        assert law.given["expect"][0]["not_definitions"] == [{"term": "", "node": units[0][0]}]
        lines = [json.loads(line) for line in given.native(law).splitlines()[2:]]
        return [(line["urn"].split(":", 4)[4], line["structure_type"], line["level"], line["number"]) for line in lines]

    assert printed(
        "de", "DE", ("Abschnitt 1", None, "abschnitt"), ("§ 4a", "Abschnitt 1", "paragraph"),
        ("§ 4a Abs. 2", "§ 4a", "absatz"), ("§ 4a Abs. 2 Nr. 1", "§ 4a Abs. 2", "nummer"),
    ) == [
        ("abschnitt_1", "PART", "abschnitt", "1"), ("4a", "SECTION", "section", "4a"),
        ("4a:2", "SUBSECTION", "subsection", "2"), ("4a:2:nr.1", "PARAGRAPH", "nummer", "1"),
    ]  # fmt: skip
    assert printed(
        "en", "US", ("Article 1", None, "article"), ("29.410.", "Article 1", "section"),
        ("29.410 “Kite”", "29.410.", "definition"), ("Schedule", None, "schedule"),
    ) == [
        ("article_1", "PART", "article", "1"), ("29-410", "SECTION", "section", "29.410"),
        ("29-410:kite", "PARAGRAPH", "paragraph", "kite"), ("sch", "APPENDIX", "schedule", "sch"),
    ]  # fmt: skip
    assert printed(
        "fr", "FR", ("Article L. 131-1", None, "article"), ("Article L. 131-1, 1°", "Article L. 131-1", "point")
    ) == [
        ("l131-1", "ARTICLE", "article", "L131-1"), ("l131-1:1", "PARAGRAPH", "paragraph", "1"),
    ]  # fmt: skip
    assert printed("ja", "JP", ("第二条の二", None, "article"), ("第二条の二第三項", "第二条の二", "paragraph")) == [
        ("2-2", "ARTICLE", "article", "2-2"), ("2-2:3", "PARAGRAPH", "paragraph", "3"),
    ]  # fmt: skip
