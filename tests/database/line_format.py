"""A format for tests: a line is a section; the words `die` and `fail` do so. Importable by worker processes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import law

from rag.ingest.formats.base import Source
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError


class Lines:
    """`title-N.lines` is title N of the test code."""

    name = "lines"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        return path.suffix == ".lines"

    def skips(self, path: Path, head: bytes) -> str:
        return ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        text = source.path.read_text(encoding="utf-8")
        if text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if text == "fail":
            raise IngestError("was told to fail", file=source.name, line=1)
        urn = f"{law.C}:{source.path.stem.rpartition('-')[2]}"
        nodes = [law.node(urn), *(law.node(f"{urn}:{n}", line) for n, line in enumerate(text.splitlines(), start=1))]
        document = law.document(nodes)
        document.format, document.source, document.annotated = self.name, source.name, False
        return document


def write_titles(folder: Path, count: int, **others: str) -> Path:
    """Titles 1 to `count` of a few sections each, but for those whose whole text is given as `t7="die"`."""
    for title in range(1, count + 1):
        text = "\n".join(f"In this title, “unit {n}” means flat {title}. A unit {n} may be let." for n in range(1, 6))
        (folder / f"title-{title:02}.lines").write_text(others.get(f"t{title}", text), encoding="utf-8")
    return folder
