"""docs/specification.md: no requirement of the five texts is missing, and each row names tests and law that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PUBLISHED = "tests/system/test_specification_published.py"
OWN = {"sample", "made"}  # law that no publisher made
# Sections of the texts that ask for nothing: what they fixed, where their own code and data lie.
NO_REQUIREMENTS = {
    "Table of Contents", "Related Files", "Problem", "Root Cause", "Before (Incorrect)", "After (Fixed)",
    "Database Structure", "API Changes Summary", "Table: n8n_law_startuplaw",
    "RPC Function: match_n8n_law_startuplaw",
}  # fmt: skip


class Row(NamedTuple):
    """One requirement."""

    number: str
    requirement: str
    words: str
    tests: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def publishers(self) -> set[str]:
        """The folders of published law that its tests read."""
        return set(self.files) - OWN


def _cells(part: str) -> list[list[str]]:
    lines = [line for line in part.splitlines() if line.startswith("| S")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


_TABLE, _, _REASONS = (ROOT / "docs" / "specification.md").read_text(encoding="utf-8").partition("\n## ")
ROWS = [
    Row(number, requirement, words, tuple(re.findall(r"`([^`]+)`", tests)), tuple(files.split(", ")))
    for number, requirement, words, tests, files in _cells(_TABLE)
]
REASONS = {number for number, _ in _cells(_REASONS)}


@cache
def functions_of(path: str) -> dict[str, str]:
    """The functions of a module, with their text."""
    text = (ROOT / path).read_text(encoding="utf-8")
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name: ast.get_source_segment(text, node) or "" for node in functions}


def module_of(test: str) -> tuple[str, str]:
    """The path of the module that a test is in, and its name."""
    path, _, name = test.partition("::")
    return PUBLISHED if path == "published" else path, name


@cache
def texts(shared_data: Path) -> dict[str, str]:
    """The founding texts, by the letter and number that the rows give them."""
    found = sorted((shared_data.parent / "seeds").glob("*.txt"))
    if not found:
        pytest.skip("the founding texts (../shared/seeds) are not there")
    return {f"S{place}": path.read_text(encoding="utf-8") for place, path in enumerate(found)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_a_row_names_tests_that_exist(row: Row) -> None:
    assert row.tests
    for path, name in map(module_of, row.tests):
        assert (ROOT / path).is_file(), path
        assert name in functions_of(path), name


def test_requirements_are_numbered_without_a_gap_in_the_order_of_the_texts() -> None:
    numbers = [tuple(map(int, row.number[1:].split("."))) for row in ROWS]
    last = {text: max(number for one, number in numbers if one == text) for text in range(5)}
    assert numbers == [(text, number) for text in range(5) for number in range(1, last[text] + 1)]


def test_a_row_with_fewer_than_two_publishers_says_why_and_no_other_does() -> None:
    assert {row.number for row in ROWS if len(row.publishers) < 2} == REASONS


def test_each_folder_of_a_row_is_there_and_read_by_one_of_its_tests(shared_data: Path) -> None:
    store = (ROOT / "tests" / "published_law.py").read_text(encoding="utf-8")  # what the tests of `published` read
    for row in ROWS:
        modules = {path for path, _ in map(module_of, row.tests)}
        read = "".join((ROOT / path).read_text(encoding="utf-8") for path in modules)
        read += store if "published_law" in read else ""
        for name in row.publishers:
            assert (shared_data / name).is_dir(), (row.number, name)
            assert name in read, (row.number, name)


def test_the_words_of_a_row_are_in_its_text(shared_data: Path) -> None:
    for row in ROWS:
        assert row.words in texts(shared_data)[row.number[:2]], row.number


def test_no_section_of_a_text_is_without_a_row(shared_data: Path) -> None:
    missing: list[str] = []
    for number, text in texts(shared_data).items():
        words = [row.words for row in ROWS if row.number.startswith(f"{number}.")]
        # `== Heading ==` of a wiki, `## Heading` of Markdown; what stands before the first is no section.
        parts = re.split(r"(?:^#{2,4} (.+)$|={2,3} ([^=]{3,90}?) ={2,3})", text, flags=re.M)
        for at in range(1, len(parts), 3):
            heading, body = (parts[at] or parts[at + 1]).strip(), parts[at + 2]
            named = re.sub(r"[`*]", "", heading) in NO_REQUIREMENTS
            if len(body) > 250 and not named and not any(word in f"{heading}\n{body}" for word in words):
                missing.append(f"{number} {heading}")
    assert missing == []
