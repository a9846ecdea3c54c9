"""The suite of small laws: what it counts as right, as missing and as wrong with certainty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evals.suites.laws.suite import measure

NODES = [
    {"key": "P1", "parent": None, "kind": "part", "label": "Part 1", "heading": "Sales", "text": ""},
    {"key": "1", "parent": "P1", "kind": "section", "label": "1", "heading": "", "text": "A trader must keep books."},
    {"key": "2", "parent": None, "kind": "section", "label": "2", "heading": "Definitions", "text": 'In this Act:'},
    {"key": "2(1)", "parent": "2", "kind": "subsection", "label": "(1)", "heading": "",
     "text": '"trader" means a person who sells goods.'},
    {"key": "3", "parent": None, "kind": "section", "label": "3", "heading": "", "text": "Section 1 does not apply to a church."},
]  # fmt: skip


def law(folder: Path, **expected: Any) -> list[str]:
    everything: dict[str, Any] = {
        "rule": "1", "definitions": [{"term": "trader", "node": "2(1)"}], "not_definitions": [], "exceptions": ["3"],
        "not_exceptions": [], "conflicts": [], "external": [],
    }  # fmt: skip
    given = {"id": "01", "language": "en", "jurisdiction": "GB", "title": "Trade Act", "nodes": NODES}
    (folder / "01.json").write_text(json.dumps({**given, "expect": [{**everything, **expected}]}), encoding="utf-8")
    report = measure(folder)
    values = {row.metric: row.value for row in report.rows if row.source == "all"}
    return [f"{values['contexts_right']:.0f} {values['wrong_as_certain']:.0f}", *report.misses[:1]]


def test_a_context_with_all_that_is_expected_is_right(tmp_path: Path) -> None:
    assert law(tmp_path) == ["1 0"]


def test_what_is_missing_or_does_not_belong_is_told_and_certain_only_where_it_is_served_unmarked(
    tmp_path: Path,
) -> None:
    assert law(tmp_path, exceptions=["2"], external=["Bank Act"])[0] == "0 0"
    assert law(tmp_path, not_definitions=["2(1)"]) == ["0 1", "en 01 1 (as certain): 2(1) is served as a definition"]
    assert law(tmp_path, not_exceptions=["3"])[1] == "en 01 1: 3 is served as an exception"
    assert law(tmp_path, conflicts=["trader"])[0] == "0 1"
