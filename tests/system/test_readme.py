"""The README cannot rot: its tour is run as written, and its table has every setting."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT, Stores

from rag.settings import Settings

README = (PROJECT / "README.md").read_text(encoding="utf-8")


def _tour() -> list[tuple[str, int]]:
    """The commands of all console blocks, and the exit code each is said to have."""
    commands: list[tuple[str, int]] = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for line in block.splitlines():
            match = re.fullmatch(r"\$ (.*?)(?:\s+# exit (\d+))?", line)
            assert match, f"a line of the tour is no command: {line}"
            commands.append((match[1], int(match[2] or 0)))
    return commands


def test_every_command_of_the_tour_does_what_it_says(stores: Stores, empty_template: str, tmp_path: Path) -> None:
    settings = stores.clone(empty_template)
    assert settings.database_url is not None
    (tmp_path / "rag").symlink_to(PROJECT / "rag")
    environment = {
        **os.environ,
        "LEXSCOPE_DATABASE_URL": settings.database_url.get_secret_value(),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    commands = _tour()
    assert len(commands) > 8
    for command, code in commands:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
    assert "urn:lex:ma:940cmr:3.17:4" in (tmp_path / "answer.html").read_text(encoding="utf-8")


def test_the_python_example_runs(
    stores: Stores, empty_template: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = stores.clone(empty_template)
    assert settings.database_url is not None
    monkeypatch.setenv("LEXSCOPE_DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.chdir(PROJECT)
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    assert "VERBATIM" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_in_the_table(name: str) -> None:
    assert f"LEXSCOPE_{name.upper()}" in README
