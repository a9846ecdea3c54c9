"""Reading sources: what one of them does never keeps the others from being read."""

from __future__ import annotations

from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.ingest.formats.plain.text import PlainText
from rag.ingest.reading import Known, Unreadable, read_source
from rag.law.nodes import ParsedDocument


class Faulty(PlainText):
    """A format of the project with a fault in it."""

    def parse(self, source: Source) -> ParsedDocument:
        raise ValueError(source.path.read_text(encoding="utf-8"))


def test_a_fault_of_a_format_rejects_its_file_and_repeats_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "memo.txt"
    path.write_text("Aloysius owes rent.", encoding="utf-8")
    source = PlainSource(path, tmp_path, place=Place("us-dc", "en"))
    (found,) = read_source(Faulty(), source, Known(frozenset(), {}))
    assert isinstance(found, Unreadable)
    assert found.file == "memo.txt"
    assert found.cause.startswith("met a fault of Lexscope (ValueError at test_reading.py:")
    assert "Aloysius" not in found.cause
