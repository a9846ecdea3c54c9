"""Plain text: paragraphs parted by blank lines, pages by form feeds, headings by what a line looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from rag.ingest.formats.plain.blocks import Block, Cleaner, Reading
from rag.ingest.formats.plain.bytes import decode, read_bytes
from rag.ingest.formats.plain.document import PlainFormat
from rag.ingest.formats.plain.lines import mark_headings, without_contents
from rag.ingest.formats.plain.source import PlainSource

_SIDES = frozenset("│┃║")
_DRAWN = _SIDES | frozenset("┌├└┏┣┗╔╠╚╟┠╞")
_BARS = re.compile("[│┃║]")
_PARAGRAPHS = re.compile(r"\n(?:[^\S\n]*\n)+")


class PlainText(PlainFormat):
    """Format `plain_text`."""

    name = "plain_text"
    version = 8

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
            blocks.extend(block for part in cleaned if part for block in _with_tables(Block(part, pages=at)))
        blocks, cleaner.counts["contents"] = without_contents(blocks)
        return Reading(mark_headings(blocks), warnings=warnings)


def _with_tables(block: Block) -> Iterator[Block]:
    """A paragraph in its order, the tables in it that are drawn with lines as blocks of rows: "│Fee │£5 │"."""
    for number, (drawn, lines) in enumerate(groupby(block.text.split("\n"), lambda line: line[:1] in _DRAWN)):
        text = "\n".join(_cells(line) for line in lines if line[:1] in _SIDES) if drawn else "\n".join(lines)
        if text:
            yield replace(block, text=text, rows=drawn, tight=bool(number))


def _cells(line: str) -> str:
    return " | ".join(cell.strip() for cell in _BARS.split(line)[1:-1])


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
