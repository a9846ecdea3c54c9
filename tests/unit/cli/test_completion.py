"""Completion scripts as the shells themselves run them."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from rag.cli.app import app, run


@pytest.fixture(params=["bash", "zsh", "fish"], scope="module")
def shell(request: pytest.FixtureRequest) -> str:
    """A shell of this machine."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture(scope="module")
def script(shell: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the verb prints for the shell."""
    file = tmp_path_factory.mktemp(shell) / f"lexscope.{shell}"
    with file.open("w", encoding="utf-8") as stream, redirect_stdout(stream):
        assert run(app, ["completion", shell]) == 0
    return file


def completed(shell: str, script: Path, line: str) -> set[str]:
    """The words that the shell offers at the end of a line."""
    if shell == "fish":
        asked = f"source {script}; complete -C '{line}'"
    else:
        words = line.split(" ")
        # as zsh's own reader of such scripts calls them
        zsh = "emulate sh; setopt kshglob noshglob braceexpand;" if shell == "zsh" else ""
        asked = (
            f"{zsh} source {script} 2>/dev/null; COMP_WORDS=({' '.join(word or repr('') for word in words)}); "
            f"COMP_CWORD={len(words) - 1}; _lexscope; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
    options = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    ran = subprocess.run([shell, *options, "-c", asked], capture_output=True, text=True, check=True, cwd=script.parent)
    return {found.split("\t")[0] for found in ran.stdout.splitlines()} - {""}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("lexscope se", {"search", "serve", "server"}),
        ("lexscope override e", {"end"}),
        ("lexscope search x --lim", {"--limit"}),
        ("lexscope override add --sev", {"--severity"}),
        ("lexscope search x --js", {"--json"}),
        ("lexscope --js", {"--json"}),
        ("lexscope search ingest --disc", {"--discover"}),
    ],
)
def test_verbs_and_their_options_are_offered(shell: str, script: Path, line: str, offered: set[str]) -> None:
    assert completed(shell, script, line) == offered


def test_after_a_verb_files_are_offered_and_no_other_verb(shell: str, script: Path) -> None:
    (script.parent / "law.md").touch()
    found = completed(shell, script, "lexscope ingest la")
    assert found == ({"law.md"} if shell == "fish" else set())  # bash and zsh look for files when nothing is offered


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(app, ["completion", "tcsh"]) == 2
    assert "bash, zsh, fish" in capsys.readouterr().err
