"""A file that holds several documents: each is stored, recognised and refused by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from rag import Engine
from rag.ingest.formats.base import Source
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError


class Lines:
    """Every line is a document of its own; a line `bad` is one whose node has no place."""

    name = "lines"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        return path.suffix == ".lines"

    def skips(self, path: Path, head: bytes) -> str:
        return ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        raise IngestError("holds several documents", file=source.name)

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        for number, line in enumerate(source.path.read_text().splitlines()):
            urn = f"urn:lex:us:doc:law-{number}"
            parent = "urn:lex:us:doc:nowhere" if line == "bad" else urn
            nodes = [
                ParsedNode(urn, None, "ROOT", "document", kind="section"),
                ParsedNode(f"{urn}:1", parent, "SECTION", "section", "1", content_text=line),
            ]
            digest = hashlib.sha256(line.encode()).hexdigest()
            yield ParsedDocument(Corpus(urn, "t", "en"), nodes, source.name, self.name, digest, 1)


def test_each_document_of_a_file_is_recognised_by_itself(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "laws.lines"
    file.write_text("first rule\nbad\nthird rule\n")
    first = engine.ingest([file], only=Lines())
    assert (first.documents, len(first.rejected)) == (2, 1)
    file.write_text("first rule\nsecond rule\nthird rule\n")
    second = engine.ingest([file], only=Lines())
    assert (second.documents, second.unchanged, second.rejected) == (1, 2, [])
