"""The verb server: what `status` and `stop` say of a server that verbs share, that nobody uses, or that is absent."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import address, caller

from rag.cli.doctor import examine
from rag.cli.records import ServerReport, ServerStopped
from rag.settings import Settings, load_settings

PROJECT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def test_verbs_in_a_row_share_a_server_that_keeps_no_pipe_open(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, "--data-dir", str(folder))
    verb = shlex.join([sys.executable, "-m", "rag.cli", "--data-dir", str(folder)])
    pids: set[int | None] = set()
    for words in ("init", "override list"):
        ran = subprocess.run(
            ["/bin/sh", "-c", f"{verb} {words} | cat"], cwd=PROJECT, capture_output=True, text=True, check=True,
            timeout=120, env={**os.environ, "LEXSCOPE_SERVER_IDLE_SECONDS": "600"},
        )  # fmt: skip
        assert (bool(ran.stdout), ran.stderr) == (True, "")
        report = ServerReport.model_validate_json(call("server", "status", "--json").out)
        assert (report.running, report.used, report.clients) == (True, False, [])
        assert report.idle_left is not None
        assert 300 < report.idle_left <= 600
        pids.add(report.pid)
    assert len(pids) == 1
    shown = call("server", "status").out
    assert f"runs as process {pids.pop()}." in shown
    assert "unless it is used" in shown
    (check,) = (check for check in examine(load_settings(data_dir=folder)).checks if check.name == "embedded server")
    assert "not in use; ends in" in check.detail
    # That look was a client whose server was not to stay.
    stopped = ServerStopped.model_validate_json(call("server", "stop", "--json").out)
    assert not stopped.stopped
    (check,) = (check for check in examine(load_settings(data_dir=folder)).checks if check.name == "embedded server")
    assert check.detail.startswith("does not run; the next verb starts it, and it ends with the last one")


def test_a_server_in_use_is_shown_with_its_clients_and_not_stopped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, "--data-dir", str(folder))
    code = """
import sys
from rag import Engine
from rag.settings import load_settings
with Engine.open(load_settings(data_dir=sys.argv[1])) as engine, engine.database.read():
    print("ready", flush=True)
    sys.stdin.readline()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == b"ready\n"
        assert f"clients process {user.pid}\n" in call("server", "status").out
        assert ServerReport.model_validate_json(call("server", "status", "--json").out).clients == [user.pid]
        refused = call("server", "stop")
        assert refused.status == 1
        assert f"is in use by process {user.pid}. End what uses it first." in refused.err
        user.communicate(b"\n")
    assert call("server", "status").status == 3


def test_without_a_server_nothing_is_made_and_another_server_is_not_theirs(
    tmp_path: Path, sample_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, "--data-dir", str(tmp_path / "data"))
    away = call("server", "status")
    assert (away.status, away.err) == (3, "")
    assert "No embedded server runs in" in away.out
    assert call("server", "stop").status == 0
    assert list(tmp_path.iterdir()) == []
    for verb in ("status", "stop"):
        refused = caller(capsys, "--database-url", address(sample_settings))("server", verb)
        assert (refused.status, refused.out) == (2, "")
        assert "about the embedded one" in refused.err
