"""What a format reads of a German law before it becomes nodes: divisions with paragraphs, lists and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from rag.jurisdictions.de.naming import Heading


@dataclass(slots=True)
class Paragraph:
    """A run of words, white space collapsed."""

    text: str
    line: int | None = None


@dataclass(slots=True)
class Item:
    """One item of a list; `marker` as printed ("1a.", "aa)", "-", "")."""

    marker: str
    blocks: list[Block]
    line: int | None = None


@dataclass(slots=True)
class Listing:
    """A list."""

    items: list[Item]


@dataclass(slots=True)
class Table:
    """A table; one text a row, cells joined by " | "."""

    rows: list[str]
    line: int | None = None


Block: TypeAlias = Paragraph | Listing | Table


@dataclass(slots=True)
class Division:
    """One heading with what is below it, up to the next heading of its rank."""

    heading: Heading
    line: int | None = None
    blocks: list[Block] = field(default_factory=list[Block])
    notes: list[Block] = field(default_factory=list[Block])
    children: list[Division] = field(default_factory=list["Division"])


def all_divisions(divisions: Iterable[Division]) -> Iterator[Division]:
    """The divisions and all below them, in order."""
    for division in divisions:
        yield division
        yield from all_divisions(division.children)


def first_line(block: Block) -> int | None:
    """The line of the source on which a block begins."""
    return block.items[0].line if isinstance(block, Listing) else block.line


def text_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """Blocks as lines of text, items with their designators."""
    for block in blocks:
        if isinstance(block, Paragraph):
            if block.text:
                yield block.text
        elif isinstance(block, Table):
            yield from block.rows
        else:
            for item in block.items:
                first, *others = [*text_lines(item.blocks)] or [""]
                yield f"{item.marker} {first}".strip()
                yield from others


def flatten(blocks: Iterable[Block]) -> str:
    """Blocks as one line, as a table's cell holds them."""
    return " ".join(text_lines(blocks))
