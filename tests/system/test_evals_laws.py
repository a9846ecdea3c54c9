"""The suite of small laws: what it counts as right, as missing and as wrong with certainty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evals.suites.laws import suite
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
        "contexts_right": 0.2, "wrong_as_certain": 0.4
    }  # fmt: skip
    assert report.misses[:4] == [
        "en 01 1: external law 'Bank Act' is not named",
        "en 02 1 (as certain): 2(1) is served as a definition",
        "en 03 1: 3 is served as an exception",
        "en 04 1 (as certain): the conflict about 'trader' is not told",
    ]


def test_a_law_in_the_words_of_its_country_gets_the_keys_of_designators() -> None:
    def node(key: str, parent: str | None, kind: str) -> dict[str, str | None]:
        return {"key": key, "parent": parent, "kind": kind, "label": key, "heading": "", "text": "Text."}

    nodes = [
        node("Abschnitt 1", None, "abschnitt"), node("§ 4a", "Abschnitt 1", "paragraph"),
        node("§ 4a Abs. 2", "§ 4a", "absatz"), node("§ 4a Abs. 2 Nr. 1", "§ 4a Abs. 2", "nummer"),
    ]  # fmt: skip
    term = {"term": "Text", "node": "§ 4a"}
    expect = {
        "rule": "§ 4a Abs. 2", "definitions": [term], "not_definitions": [term, "Abschnitt 1"], "exceptions": ["§ 4a"],
        "not_exceptions": [], "conflicts": [], "external": [], "note": "",
    }  # fmt: skip
    law = suite.canonical({"language": "de", "nodes": nodes, "expect": [expect]})
    assert [(entry["key"], entry["kind"]) for entry in law["nodes"]] == [
        ("P1", "part"), ("4a", "section"), ("4a(2)", "subsection"), ("4a(2)(n1)", "paragraph"),
    ]  # fmt: skip
    [rule] = law["expect"]
    assert (rule["rule"], rule["exceptions"]) == ("4a(2)", ["4a"])
    assert [definition["node"] for definition in rule["not_definitions"]] == ["4a", "P1"]
