"""A disk that fills up during an ingest: nothing of the document is stored, reading goes on, and the cause is named."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from conftest import SAMPLE

from evals.suites.ingest.crash import content_hash
from rag import Engine
from rag.settings import Settings, load_settings
from rag.store.database import POOL_SECONDS
from retrieval.errors import StoreError, StoreUnavailable

MEGABYTE = 1 << 20
LEFT = 4 * MEGABYTE  # of the file system, when the ingest begins
LARGEST = 16 * MEGABYTE + 8192  # bytes of a file
SECTIONS, WORDS = 800, 300
SECTIONS_OF_A_LARGE_FILE = 2400  # of which the store makes a file that is larger than LARGEST
LONG = "urn:lex:ma:long"
RULE = "urn:lex:ma:940cmr:3.17:4"


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system of its own, which a server with the sample leaves room on."""
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)  # as root the embedded server runs as another user
        mount = ["mount", "-t", "tmpfs", "-o", "size=240m,mode=0755", "tmpfs", name]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("a file system of its own cannot be mounted here (it takes root and CAP_SYS_ADMIN)")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "-l", name], check=True)


@pytest.fixture
def long_law(tmp_path: Path) -> Path:
    """A law of which the store needs more room than is left."""
    return law_of(SECTIONS, tmp_path)


def law_of(sections: int, folder: Path) -> Path:
    """A law of so many sections, in a language that nothing is looked for in."""
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": LONG, "title": "Long", "language": "nl"}, "edition_date": "2024-01-01"},
        {"urn": LONG, "structure_type": "TITLE", "level": "title", "number": "1", "heading": "Long"},
    ]
    for number in range(1, sections + 1):
        text = " ".join(f"word{number * word % 7919}" for word in range(WORDS))
        lines.append({
            "urn": f"{LONG}:{number}", "parent_urn": LONG, "structure_type": "SECTION", "level": "section",
            "number": f"{number}", "heading": f"Section {number}", "content_text": text,
        })  # fmt: skip
    file = folder / "long.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@contextmanager
def refused_whole(engine: Engine, law: Path) -> Generator[None]:
    """Ingest a law within, where there is no room: it is refused by its cause, and what was there is served on."""
    before, digest = content_hash(engine.database), engine.context(RULE).digest
    yield
    with pytest.raises(StoreError, match="ran out of space"):
        engine.ingest([law])
    assert served(lambda: content_hash(engine.database)) == before
    assert served(lambda: engine.context(RULE).digest) == digest


def served(read: Callable[[], str]) -> str:
    """What is read; a server that could not write its log starts itself anew, and calls meanwhile are told so."""
    end = time.monotonic() + POOL_SECONDS
    while True:
        try:
            return read()
        except StoreUnavailable:
            assert time.monotonic() < end
            time.sleep(0.2)


def stored_whole(engine: Engine, law: Path) -> None:
    """Ingest it again, where there is room."""
    assert not engine.ingest([law]).rejected
    assert engine.context(f"{LONG}:7").status == "ok"


def test_f10_a_disk_full_during_an_ingest_leaves_what_was_there(small_disk: Path, long_law: Path) -> None:
    filler = small_disk / "filler"
    with Engine.open(load_settings(data_dir=small_disk / "store", server_idle_seconds=0)) as engine:
        assert not engine.ingest([SAMPLE]).rejected
        with refused_whole(engine, long_law):
            free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
            filler.write_bytes(b"\0" * (free - LEFT))
        filler.unlink()
        stored_whole(engine, long_law)


def test_f10_no_room_for_temporary_files_leaves_what_was_there(sample_settings: Settings, long_law: Path) -> None:
    assert sample_settings.database_url is not None
    with psycopg.connect(sample_settings.database_url.get_secret_value(), autocommit=True) as conn:
        if next(conn.execute("show is_superuser"))[0] != "on":
            pytest.skip("a limit on temporary files takes a superuser")
        for setting in ("temp_file_limit = '64kB'", "work_mem = '64kB'"):
            conn.execute(f'alter database "{conn.info.dbname}" set {setting}'.encode())
        with Engine.open(sample_settings) as engine, refused_whole(engine, long_law):
            pass
        conn.execute(f'alter database "{conn.info.dbname}" reset all'.encode())
    with Engine.open(sample_settings) as engine:
        stored_whole(engine, long_law)


def test_f10_files_that_may_not_grow_leave_what_was_there(tmp_path: Path) -> None:
    """The server may write no file beyond a size that leaves room for a segment of its log."""
    long_law = law_of(SECTIONS_OF_A_LARGE_FILE, tmp_path)
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)  # as root the embedded server runs as another user
        settings = load_settings(data_dir=Path(name) / "store", server_idle_seconds=0)
        with Engine.open(settings) as engine:
            assert not engine.ingest([SAMPLE]).rejected
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, before[1]))  # the server inherits it
        try:
            limited = Engine.open(settings)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        with limited, refused_whole(limited, long_law):
            pass
        with Engine.open(settings) as engine:
            stored_whole(engine, long_law)
