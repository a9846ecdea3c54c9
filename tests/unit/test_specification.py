"""docs/specification.md: each row has a test that exists, and names only law that there is."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "specification.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (S\d [^|]+) \| `([^`|]+)` \| ([^|]+) \|$", PAGE, re.M)
OWN = {"sample", "made"}


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )  # fmt: skip


@pytest.mark.parametrize(("row", "test"), [(row, test) for row, test, _ in ROWS])
def test_a_row_names_a_test_that_exists(row: str, test: str) -> None:
    path, _, name = test.partition("::")
    assert (ROOT / path).is_file(), row
    assert name in names_in(path), row


def test_all_five_texts_have_rows_and_every_line_of_the_table_is_one() -> None:
    assert {row[:2] for row, _, _ in ROWS} == {"S0", "S1", "S2", "S3", "S4"}
    table = PAGE.partition("\n## Open")[0]
    assert len(ROWS) == len(re.findall(r"^\| S\d ", table, re.M))
    assert len({row for row, _, _ in ROWS}) == len(ROWS)


def test_the_files_of_a_row_are_read_by_its_test_or_there(shared_data: Path) -> None:
    for row, _, files in ROWS:
        for name in files.split(", "):
            assert name in OWN or (shared_data / name).is_dir(), row
