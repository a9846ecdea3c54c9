"""docs/faults.md names a test for every fault and attack, or says why there is none."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^\| ([FS]\d+) \| ([^|]+) \| ([^|]+) \|$", (PROJECT / "docs" / "faults.md").read_text("utf-8"), re.M)
MOST_OPEN = 0


def test_every_fault_and_attack_has_one_row() -> None:
    assert [row[0] for row in ROWS] == [*(f"F{n}" for n in range(1, 36)), *(f"S{n}" for n in range(1, 20))]


def test_every_test_that_is_named_is_there_and_what_is_open_says_why() -> None:
    missing: list[str] = []
    for name, _, held in ROWS:
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


def test_no_row_becomes_open_again() -> None:
    assert sum(held.startswith("open: ") for _, _, held in ROWS) <= MOST_OPEN
