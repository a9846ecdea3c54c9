"""What `lexscope doctor` finds, with and without a server to ask."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from requirements import requirement

from rag.cli.app import app, run
from rag.cli.doctor import Check, Diagnosis, examine, stop_leftover
from rag.settings import Settings, load_settings

PROJECT = Path(__file__).resolve().parent.parent.parent
PASSWORD = "correct-horse"


def found(diagnosis: Diagnosis) -> dict[str, Check]:
    assert len({check.name for check in diagnosis.checks}) == len(diagnosis.checks)
    return {check.name: check for check in diagnosis.checks}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder outside pytest's own, which a server running as another user can reach."""
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def test_a_store_with_law_is_described_and_nothing_fails(sample_settings: Settings, tmp_path: Path) -> None:
    diagnosis = examine(sample_settings.model_copy(update={"data_dir": tmp_path}))
    checks = found(diagnosis)
    assert diagnosis.exit_code == 0
    assert {name: one.status for name, one in checks.items() if one.status != "ok"} == {"role": "warn"}
    assert "superuser" in checks["role"].detail
    assert "vector" in checks["extensions"].detail
    assert "legal_nodes 62" in checks["rows"].detail
    assert checks["law us-ma"].detail.startswith("2 documents, last ingest ")
    assert checks["schema"].detail.endswith(", current")


def test_an_empty_store_says_what_to_do_next(empty_settings: Settings, tmp_path: Path) -> None:
    check = found(examine(empty_settings.model_copy(update={"data_dir": tmp_path})))["law"]
    assert check.status == "warn"
    assert "lexscope ingest" in check.detail


@requirement("P7", "P8")
def test_a_server_that_is_down_is_a_finding_among_others_and_shows_no_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"postgresql://user:{PASSWORD}@127.0.0.1:1/law"
    assert run(app, ["doctor", "--database-url", url, "--data-dir", str(tmp_path)]) == 1
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert any(line.startswith("fail  server") for line in lines)
    assert any(line.startswith("ok    provider") for line in lines)
    assert "DATABASE_URL" in said.out
    assert PASSWORD not in said.out + said.err


def test_no_store_yet_is_said_without_making_one(tmp_path: Path) -> None:
    checks = found(examine(load_settings(data_dir=tmp_path / "data")))
    assert checks["server"].status == "warn"
    assert "lexscope init" in checks["server"].detail
    assert list(tmp_path.iterdir()) == []


def test_a_store_of_another_version_fails(server: str, sample_settings: Settings, tmp_path: Path) -> None:
    here = {"data_dir": tmp_path}
    empty = load_settings(database_url=server, **here)
    assert found(examine(empty))["schema"].status == "fail"
    assert sample_settings.database_url is not None
    with psycopg.connect(sample_settings.database_url.get_secret_value(), autocommit=True) as conn:
        conn.execute("insert into schema_migrations (version, name, sha256) values (9999, 'later', '')")
    check = found(examine(sample_settings.model_copy(update=here)))["schema"]
    assert check.status == "fail"
    assert "Use a newer Lexscope" in check.detail


@requirement("P8")
def test_keys_are_shown_as_set_or_not_set(sample_settings: Settings, tmp_path: Path) -> None:
    key = "sk-very-secret"
    settings = load_settings(
        database_url=sample_settings.database_url, data_dir=tmp_path, openai_api_key=key, traces="full",
        openai_base_url="http://user:hidden@127.0.0.1:9/v1", embedding="openai",
    )  # fmt: skip
    diagnosis = examine(settings)
    checks = found(diagnosis)
    assert "key set" in checks["provider"].detail
    assert checks["embedding"].status == "fail"  # an address with a password in it is not used
    assert checks["traces"].status == "warn"
    assert not any(word in diagnosis.model_dump_json() for word in (key, "hidden"))
    keyless = load_settings(database_url=sample_settings.database_url, data_dir=tmp_path, provider="openai")
    assert found(examine(keyless))["provider"].status == "fail"


def test_json_and_a_setting_that_cannot_be_used(
    tmp_path: Path, sample_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sample_settings.database_url is not None
    url = sample_settings.database_url.get_secret_value()
    assert run(app, ["doctor", "--json", "--database-url", url, "--data-dir", str(tmp_path)]) == 0
    assert Diagnosis.model_validate_json(capsys.readouterr().out).exit_code == 0
    ran = subprocess.run(
        [sys.executable, "-m", "rag.cli", "doctor"], env={**os.environ, "LEXSCOPE_POOL_SIZE": PASSWORD},
        capture_output=True, text=True, cwd=PROJECT, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "LEXSCOPE_POOL_SIZE" in ran.stdout
    assert PASSWORD not in ran.stdout + ran.stderr


USES = """
import sys
from pathlib import Path
from rag.store.embedded_server import embedded_server
with embedded_server(Path(sys.argv[1]) / "pg18", idle_seconds=0):
    print("ready", flush=True)
    sys.stdin.readline()
"""


def test_a_server_in_use_is_left_alone_and_one_that_nobody_keeps_is_stopped(folder: Path) -> None:
    settings = load_settings(data_dir=folder)
    user = subprocess.Popen(
        [sys.executable, "-c", USES, str(folder)], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with user:
        assert user.stdout is not None
        assert user.stdout.readline() == b"ready\n"
        refused = stop_leftover(settings)
        assert refused.status == "fail"
        assert "is in use" in refused.detail
        assert found(examine(settings))["embedded server"].status == "ok"
        server = (folder / "pg18" / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0]
        keeper = Path(f"/proc/{server}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
        os.kill(int(keeper), signal.SIGKILL)
        user.kill()
    assert (folder / "pg18" / "postmaster.pid").exists()
    checks = found(examine(settings))
    assert checks["embedded server"].status == "warn"
    assert "lexscope server stop" in checks["embedded server"].detail
    assert stop_leftover(settings).status == "ok"
    assert not (folder / "pg18" / "postmaster.pid").exists()
    assert stop_leftover(settings).detail.startswith("no embedded server runs")
