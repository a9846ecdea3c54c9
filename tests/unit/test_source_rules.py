"""What the source never does: measure time by a clock that can jump, or run what it reads."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]

# A wall clock may go back; it is asked for dates, and where what it is compared with is a date of the same clock.
WALL = {"time.time", "time.localtime", "time.gmtime", "datetime.now", "datetime.today", "datetime.utcnow", "date.today"}
MAY_ASK = {
    "rag/clock.py",
    "retrieval/providers/openai.py",  # Retry-After as a date
    "rag/store/embedded_server.py",  # the time of a file's last change
    "rag/store/server_keeper.py",
}
# What turns data into code, or into a command of a shell, or unpacks names as they come.
RUNS = {
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "pickle.load", "pickle.loads", "marshal.loads",
    "yaml.load", "shelve.open", "tempfile.mktemp", "torch.load", "joblib.load",
}  # fmt: skip
IMPORTS = {"pickle", "marshal", "shelve", "dill", "joblib"}


def dotted(called: ast.expr) -> str:
    """`a.b.c` of what is called; of what is no name, such as the result of a call, nothing but the dot behind it."""
    if isinstance(called, ast.Attribute):
        return f"{dotted(called.value)}.{called.attr}"
    return called.id if isinstance(called, ast.Name) else ""


@pytest.fixture(scope="module")
def calls() -> list[tuple[str, str, ast.Call]]:
    """File, dotted name and node of every call in the program."""
    found: list[tuple[str, str, ast.Call]] = []
    for folder in ("rag", "retrieval"):
        for file in sorted((PROJECT / folder).rglob("*.py")):
            name = file.relative_to(PROJECT).as_posix()
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    found.append((name, dotted(node.func), node))
                elif isinstance(node, (ast.Import, ast.ImportFrom)):
                    modules = {name.name for name in node.names} | {getattr(node, "module", None) or ""}
                    assert not modules & IMPORTS, name
    return found


def test_no_limit_is_measured_by_a_clock_that_can_jump_back(calls: list[tuple[str, str, ast.Call]]) -> None:
    found = {name for name, called, _ in calls if called in WALL}
    assert found == MAY_ASK
    waits = {name for name, called, _ in calls if called == "time.monotonic"}
    assert {"rag/calls.py", "retrieval/providers/deadline.py", "rag/store/database.py"} <= waits


def test_nothing_that_is_read_is_run(calls: list[tuple[str, str, ast.Call]]) -> None:
    for name, called, node in calls:
        assert called not in RUNS, name
        shell = [keyword.value for keyword in node.keywords if keyword.arg == "shell"]
        assert not shell or ast.unparse(shell[0]) == "False", name
        assert not called.endswith(".extractall"), name
