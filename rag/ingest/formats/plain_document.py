"""From what a reader of plain documents found to a parsed document: a root and its numbered chunks.

The root (kind `record`) has the document's title and no words of its own; its tags say how many chunks and characters
there are. Chunk `...:0007` is the seventh in reading order; its heading is the chain of headings it stands under, its
tags say where it lies: characters `start` to `end` of the normalised text, `page` and, where it goes on, `last_page`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.plain_blocks import Cleaner, Reading
from rag.ingest.formats.plain_chunks import MOST, cut_chunks
from rag.ingest.formats.plain_source import PlainSource
from rag.ingest.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError

MAX_CHARACTERS = 20_000_000  # of text; a small file can unpack to much more
MOST_TITLE = 300  # characters
# Search finds a chunk under its document's kind: it is a piece of a record and no document of its own.
CHUNK_KIND = "chunk"
CHUNK_LEVEL = "chunk"
_CHAIN = " > "


class PlainFormat(ABC):
    """What the formats of plain documents share: one file is one document, read into blocks and cut into chunks."""

    name: str
    version: int

    @abstractmethod
    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is of this kind. Asked after every format of law."""

    @abstractmethod
    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the file into blocks.

        Raises:
            IngestError: with file and cause; where a library that reads it is not installed, the extra to install.
        """

    def skips(self, path: Path, head: bytes) -> str:
        """Nothing is skipped."""
        return ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """None: a document is one file."""
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        """Read the document. Pure: the same bytes, name and place give the same nodes.

        Raises:
            IngestError: with file and cause; also where no jurisdiction was named.
        """
        if not isinstance(source, PlainSource):
            raise IngestError("is a plain document; name its jurisdiction (--jurisdiction)", file=source.name)
        cleaner = Cleaner()
        reading = self.read(source, cleaner)
        if not any(char.isalnum() for block in reading.blocks for char in block.text):
            raise IngestError("holds no words", file=source.name)
        size = sum(len(block.text) for block in reading.blocks)
        if size > MAX_CHARACTERS:
            cause = f"has {size:,} characters of text; the limit is {MAX_CHARACTERS:,}. Split it"
            raise IngestError(cause, file=source.name)
        chunked = cut_chunks(reading.blocks, source.place.language)
        title = _title(reading, cleaner) or cleaner.line(source.path.stem)[:MOST_TITLE]
        corpus = Corpus(source.urn, title, source.place.language)
        root = ParsedNode(source.urn, None, "ROOT", "document", source.slug, title, kind="record")
        root.tags = {
            **reading.tags, "chunk_count": str(len(chunked.chunks)), "characters": str(len(chunked.text)),
        }  # fmt: skip
        nodes = [root]
        for number, chunk in enumerate(chunked.chunks, start=1):
            segment = f"{number:04d}"
            tags = {"start": str(chunk.start), "end": str(chunk.end)}
            if chunk.first_page:
                tags["page"] = str(chunk.first_page)
            if chunk.last_page != chunk.first_page:
                tags["last_page"] = str(chunk.last_page)
            words = chunked.text[chunk.start : chunk.end]
            nodes.append(
                ParsedNode(
                    f"{source.urn}:{segment}",
                    source.urn,
                    "SECTION",
                    CHUNK_LEVEL,
                    segment,
                    _CHAIN.join(chunk.headings),
                    content_text=words,
                    kind=CHUNK_KIND,
                    tags=tags,
                )
            )
        warnings = [*reading.warnings, *cleaner.remarks()]
        if chunked.forced:
            warnings.append(f"{chunked.forced} cuts lie inside a sentence of more than {MOST:,} characters")
        return ParsedDocument(corpus, nodes, source.name, self.name, source.sha256(), self.version, warnings=warnings)


def not_installed(error: ModuleNotFoundError, source: PlainSource) -> IngestError:
    """The refusal of a file whose library is missing; the others of the ingest go on."""
    library = (error.name or "a library").partition(".")[0]
    return IngestError(f"needs {library}; install the extra: pip install 'lexscope[documents]'", file=source.name)


def joined_text(document: ParsedDocument) -> str:
    """The normalised text of a plain document: its chunks' words, one after the other."""
    return "".join(node.content_text for node in document.nodes if node.level == CHUNK_LEVEL)


def _title(reading: Reading, cleaner: Cleaner) -> str:
    """What the file states as its title, else its first heading of the highest rank."""
    stated = cleaner.line(reading.title)[:MOST_TITLE]
    levels = [block.level for block in reading.blocks if block.level]
    first = next((block.text for block in reading.blocks if levels and block.level == min(levels)), "")
    return stated or first
