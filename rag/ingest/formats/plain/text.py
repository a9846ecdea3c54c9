"""Plain text: paragraphs parted by blank lines, pages by form feeds, headings by what a line looks like."""

from __future__ import annotations

import re
from pathlib import Path

from rag.ingest.formats.plain.blocks import Block, Cleaner, Reading
from rag.ingest.formats.plain.bytes import decode, read_bytes
from rag.ingest.formats.plain.document import PlainFormat
from rag.ingest.formats.plain.lines import mark_headings, without_contents
from rag.ingest.formats.plain.source import PlainSource

_PARAGRAPHS = re.compile(r"\n(?:[^\S\n]*\n)+")


class PlainText(PlainFormat):
    """Format `plain_text`."""

    name = "plain_text"
    version = 7

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether it is named as text, which has no signature of its own; reading refuses what is none."""
        return path.suffix.lower() in (".txt", ".text")

    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the file into paragraphs; lines stay as they are.

        Raises:
            IngestError: empty, too large, or no text in UTF-8 or with a byte order mark.
        """
        text, warnings = decode(read_bytes(source), source)
        pages = text.split("\f")
        blocks: list[Block] = []
        for number, page in enumerate(pages, start=1):
            cleaned = (cleaner.clean(part) for part in _PARAGRAPHS.split(_line_ends(page)))
            at = ((0, number),) if len(pages) > 1 else ()
            blocks.extend(Block(name, pages=at) for name in cleaned if name)
        blocks, cleaner.counts["contents"] = without_contents(blocks)
        return Reading(mark_headings(blocks), warnings=warnings)


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
