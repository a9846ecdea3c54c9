"""docs/faults.md names a test for every fault and attack, or says why there is none."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| ([FS]\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$",
    (PROJECT / "docs" / "faults.md").read_text("utf-8"),
    re.M,
)
MOST_OPEN = 0


def test_every_fault_and_attack_has_one_row() -> None:
    assert [row[0] for row in ROWS] == [*(f"F{n}" for n in range(1, 36)), *(f"S{n}" for n in range(1, 20))]


def test_every_test_that_is_named_is_there_and_what_is_open_says_why() -> None:
    missing: list[str] = []
    for name, _, _, _, held, _ in ROWS:
        if held.startswith("open: "):
            assert len(held.split()) > 3, name
            continue
        tests = re.findall(r"`([\w/]+\.py)::(test_\w+)`", held)
        assert tests, name
        for file, test in tests:
            text = (PROJECT / "tests" / file).read_text(encoding="utf-8")
            if not re.search(rf"^(async )?def {test}\(", text, re.M):
                missing.append(f"{name}: {file}::{test}")
    assert missing == []


def test_every_row_says_what_must_hold_in_how_many_cases_and_what_came_of_it() -> None:
    for name, what, condition, number, _, result in ROWS:
        assert all(cell.strip() for cell in (what, condition, number)), name
        assert result.startswith("held"), name


def test_no_row_becomes_open_again() -> None:
    assert sum(row[4].startswith("open: ") for row in ROWS) <= MOST_OPEN
