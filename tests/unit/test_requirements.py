"""Every promise has a test, and no test claims to prove a promise that does not exist."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from requirements import REQUIREMENTS, requirement

TESTS = Path(__file__).resolve().parent.parent


def marks(file: Path) -> Iterator[tuple[str, str]]:
    """(test, promise ID) of every `@requirement(...)` on a test function of a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith("test_"):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "requirement":
                for argument in mark.args:
                    yield node.name, str(argument.value) if isinstance(argument, ast.Constant) else ast.dump(argument)


@cache
def all_marks() -> list[tuple[str, str]]:
    """(file and test, promise ID) of every mark; read by the tests that look at them, and not by every worker."""
    return [(f"{file.name}::{test}", one) for file in sorted(TESTS.rglob("test_*.py")) for test, one in marks(file)]


@pytest.mark.parametrize("promise", REQUIREMENTS)
def test_every_promise_has_a_test(promise: str) -> None:
    assert [test for test, one in all_marks() if one == promise], f"{promise} has no test: {REQUIREMENTS[promise]}"


def test_no_test_names_an_unknown_promise() -> None:
    assert [(test, one) for test, one in all_marks() if one not in REQUIREMENTS] == []


def test_marks_are_found_by_their_literal_id(tmp_path: Path) -> None:
    file = tmp_path / "test_x.py"
    file.write_text('@requirement("P3", "P77")\ndef test_a(): ...\n\n@requirement(NAME)\ndef test_b(): ...\n')
    found = list(marks(file))
    assert found[:2] == [("test_a", "P3"), ("test_a", "P77")]
    assert found[2][0] == "test_b"
    assert found[2][1] not in REQUIREMENTS


def test_marking_an_unknown_promise_fails_at_once() -> None:
    with pytest.raises(ValueError, match="P99"):
        requirement("P99")
    with pytest.raises(ValueError, match="none named"):
        requirement()


def test_no_property_fails_by_the_clock() -> None:
    assert settings().deadline is None
    own = [
        file.name for file in sorted(TESTS.rglob("test_*.py")) for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("settings")
        and any(keyword.arg == "deadline" for keyword in node.keywords)
    ]  # fmt: skip
    assert own == [], "tests/conftest.py sets the deadline of every property"
