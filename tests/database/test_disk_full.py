"""A disk that fills up during an ingest: nothing of the document is stored, reading goes on, and the cause is named."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SAMPLE

from evals.suites.ingest.crash import content_hash
from rag import Engine
from rag.settings import load_settings
from retrieval.errors import StoreError

MEGABYTE = 1 << 20
LEFT = 4 * MEGABYTE  # of the file system, when the ingest begins
SECTIONS, WORDS = 3000, 300
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


def test_a_disk_full_during_an_ingest_leaves_what_was_there(small_disk: Path, tmp_path: Path) -> None:
    law, filler = tmp_path / "long.jsonl", small_disk / "filler"
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": LONG, "title": "Long", "language": "en"}, "edition_date": "2024-01-01"},
        {"urn": LONG, "structure_type": "TITLE", "level": "title", "number": "1", "heading": "Long"},
    ]
    for number in range(1, SECTIONS + 1):
        text = " ".join(f"word{number * word % 7919}" for word in range(WORDS))
        lines.append({
            "urn": f"{LONG}:{number}", "parent_urn": LONG, "structure_type": "SECTION", "level": "section",
            "number": f"{number}", "heading": f"Section {number}", "content_text": text,
        })  # fmt: skip
    law.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with Engine.open(load_settings(data_dir=small_disk / "store", server_idle_seconds=0)) as engine:
        assert not engine.ingest([SAMPLE]).rejected
        before, digest = content_hash(engine.database), engine.context(RULE).digest
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        filler.write_bytes(b"\0" * (free - LEFT))
        with pytest.raises(StoreError, match="ran out of space"):
            engine.ingest([law])
        assert content_hash(engine.database) == before
        assert engine.context(RULE).digest == digest
        filler.unlink()
        assert not engine.ingest([law]).rejected
        assert engine.context(f"{LONG}:7").status == "ok"
