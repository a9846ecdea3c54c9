"""The demonstration: with no key and no network, once and again."""

from __future__ import annotations

import io
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROJECT
from requirements import requirement

from rag import Engine
from rag.cli.app import app, run
from rag.cli.demo import DemoReport, run_demo, show_demo
from rag.cli.session import EXAMPLES, program
from rag.presentation.page import Page
from rag.settings import Settings
from rag.store.reference_data import list_overrides, list_preemption


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder outside pytest's own, which a server running as another user can reach."""
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as name:
        yield Path(name)


@requirement("P2", "P4", "P9")
def test_the_demo_answers_halts_and_writes_its_dump_twice(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = folder / "out.html"
    here = ["--data-dir", str(folder), "--json"]
    reports: list[DemoReport] = []
    for _ in range(2):
        assert run(app, ["demo", "--output", str(page), *here]) == 0
        reports.append(DemoReport.model_validate_json(capsys.readouterr().out))
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        page.unlink()
    first, second = reports
    assert (first.ingest.documents, second.ingest.documents, second.ingest.unchanged) == (3, 0, 3)
    for report in reports:
        answered, halted = (answer.answer for answer in report.answers)
        assert answered.status == "answered"
        assert answered.statements[0].level == "VERBATIM"
        assert answered.statements[0].citations[0].urn == "urn:lex:ma:940cmr:3.17:4"
        assert halted.status == "halted"
    out = io.StringIO()
    show_demo(Page(out), second, folder / "demo", stays=300)
    commands = [line for line in out.getvalue().splitlines() if line.startswith(f"  {sys.executable} ")]
    example = EXAMPLES["ask"].removeprefix("lexscope ")  # of help, which the sample answers
    assert any(command.endswith(example) for command in commands)
    asked = [command.replace("YOUR QUESTION", "When is the interest due?") for command in commands]
    assert [
        subprocess.run(["bash", "-c", command], capture_output=True, cwd=PROJECT).returncode for command in asked
    ] == [0] * 6
    assert [answer.answer.context_digest for answer in first.answers] == [
        answer.answer.context_digest for answer in second.answers
    ]


def test_the_demo_says_that_its_law_is_a_sample_and_how_to_go_on(
    empty_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Engine.open(empty_settings) as engine:
        run_demo(engine, tmp_path / "demo.html")
        report = run_demo(engine, tmp_path / "demo.html")
        assert len(list_overrides(engine.database)) == 3
        assert len(list_preemption(engine.database)) == 1
    show_demo(Page(sys.stdout), report, tmp_path, stays=300)
    out = capsys.readouterr().out
    assert out.startswith("SAMPLE TEXT, NOT OFFICIAL LAW")
    assert "Legal Override active." in out
    assert f" --data-dir {tmp_path} context urn:lex:ma:940cmr:3.17:4\n" in out
    assert f" --data-dir {tmp_path} server stop\n" in out
    assert str(tmp_path / "demo.html") in " ".join(out.split())


@pytest.mark.parametrize(
    ("called", "path", "printed"),
    [
        ("bin/lexscope", "bin", "lexscope"),
        ("bin/lexscope", "elsewhere", "bin/lexscope"),
        ("a b/lexscope", "elsewhere", "'a b/lexscope'"),
        ("bin/other", "bin", f"{sys.executable} -m rag.cli"),
    ],
)
def test_commands_are_printed_as_they_can_be_called_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: str, path: str, printed: str
) -> None:
    file = tmp_path / called
    file.parent.mkdir()
    file.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / path))
    monkeypatch.setattr(sys, "argv", [called])
    assert program() == printed
