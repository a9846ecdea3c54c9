"""How a document is cut into numbered blocks. Pure: needs only the shape of the tree and the lengths of its texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.law.patterns import lazy
from retrieval.errors import InputError

# A longer text has several blocks, each cut at a space within the last SLACK characters before the limit.
BLOCK_CHARACTERS = 6_000
SLACK = 200
_RANGE = lazy(r"\s*(\d{1,7})\s*(-\s*(\d{1,7})?)?\s*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Outline:
    """A node of the subtree without its words."""

    id: int
    node_id: int
    urn: str
    path: str
    ordinal: int
    ancestor_ids: list[int]
    intro_length: int
    content_length: int

    @property
    def length(self) -> int:
        """Characters of the node's text: lead-in, a line break, the rest."""
        return self.intro_length + self.content_length + (1 if self.intro_length and self.content_length else 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """A block before its words are fetched: characters `start` to `end` of a node's text."""

    node: Outline
    start: int
    end: int
    first: bool


def cut_blocks(outline: Sequence[Outline]) -> list[Piece]:
    """Blocks in reading order: what follows a list in a node's text comes after the list's items."""
    pieces: list[Piece] = []
    open_tails: list[tuple[int, Piece]] = []  # (node id, words after its children), outermost first

    def close(ancestors: Iterable[int]) -> None:
        inside = set(ancestors)
        while open_tails and open_tails[-1][0] not in inside:
            pieces.extend(_split(open_tails.pop()[1]))

    for index, node in enumerate(outline):
        close(node.ancestor_ids)
        parent = index + 1 < len(outline) and node.node_id in outline[index + 1].ancestor_ids
        if parent and node.content_length:
            pieces.extend(_split(Piece(node, 0, node.intro_length, True)))
            tail = Piece(node, node.length - node.content_length, node.length, False)
            open_tails.append((node.node_id, tail))
        else:
            pieces.extend(_split(Piece(node, 0, node.length, True)))
    close(())
    return pieces


def _split(piece: Piece) -> list[Piece]:
    """A piece as blocks of a size that a reply can hold; their number depends on the length alone."""
    starts = range(piece.start, max(piece.end, piece.start + 1), BLOCK_CHARACTERS)
    return [
        Piece(piece.node, start, min(start + BLOCK_CHARACTERS, piece.end), piece.first and start == piece.start)
        for start in starts
    ]


def cut_at_space(text: str, limit: int) -> int:
    """Where to cut before a limit: after the last white space near it, else at the limit itself."""
    near = re.search(r"\s(?=\S*\Z)", text[max(limit - SLACK, 0) : limit])
    return max(limit - SLACK, 0) + near.end() if near else limit


def block_range(blocks: str | None) -> tuple[int, int | None]:
    """First and last block asked for; None where the end is open.

    Raises:
        InputError: not a range.
    """
    if blocks is None:
        return 1, None
    match = _RANGE.match(blocks)
    if match is None:
        raise InputError("`blocks` is a range such as 30-50, 30- or 30.")
    first = int(match[1])
    last = int(match[3]) if match[3] else (None if match[2] else first)
    if first < 1 or (last is not None and last < first):
        raise InputError("`blocks` starts at 1 or later and does not end before it starts.")
    return first, last
