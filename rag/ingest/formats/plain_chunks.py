"""Cuts a plain document into chunks: at headings, then between paragraphs, then between sentences.

The chunks' texts, joined without anything between them, are the document's normalised text: they neither overlap nor
leave anything out, so white space before the next chunk belongs to the one before. A chunk has about `TARGET`
characters, more only where a single sentence has. A sentence longer than `MOST` is cut at a space, and counted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from rag.document_blocks import cut_at_space
from rag.ingest.formats.plain_blocks import INDENT, Block
from rag.sentences import split_sentences

TARGET = 1_500  # characters; about 300 words, a page of a contract
MOST = 20_000  # characters; beyond it the text has no sentences, and the search index has limits


@dataclass(frozen=True, slots=True)
class Chunk:
    """Characters `start` to `end` of the document's text, under a chain of headings, on pages (0: no pages)."""

    start: int
    end: int
    headings: tuple[str, ...]
    first_page: int
    last_page: int


@dataclass(frozen=True, slots=True)
class Chunked:
    """A document's normalised text and its chunks. `forced` counts cuts inside a sentence."""

    text: str
    chunks: tuple[Chunk, ...]
    forced: int


@dataclass(frozen=True, slots=True)
class _Placed:
    block: Block
    start: int
    end: int


def cut_chunks(blocks: Sequence[Block], language: str) -> Chunked:
    """Join blocks to the document's text and cut it.

    Args:
        blocks: in reading order, none empty.
        language: ISO 639-1, for the ends of sentences.
    """
    text, placed = _join(blocks)
    pages = [(one.start + offset, page) for one in placed for offset, page in one.block.pages]
    starts = [at for at, _ in pages]

    def page_at(position: int) -> int:
        return pages[max(bisect_right(starts, position) - 1, 0)][1] if pages else 0

    chain: list[tuple[int, str]] = []
    chunks: list[Chunk] = []
    forced = 0
    sections = list(_sections(placed))
    for number, section in enumerate(sections):
        for one in section:
            if one.block.level:
                chain = [*((level, words) for level, words in chain if level < one.block.level)]
                chain.append((one.block.level, one.block.text))
        end = sections[number + 1][0].start if number + 1 < len(sections) else len(text)
        cuts = _cuts(text, section, language)
        edges = [section[0].start, *_pack(section[0].start, cuts, end), end]
        whole = list(pairwise(edges))
        pieces = [piece for span in whole for piece in _force(text, *span)]
        forced += len(pieces) - len(whole)
        headings = tuple(words for _, words in chain)
        chunks.extend(Chunk(low, high, headings, page_at(low), page_at(high - 1)) for low, high in pieces)
    return Chunked(text, tuple(chunks), forced)


def _join(blocks: Sequence[Block]) -> tuple[str, list[_Placed]]:
    parts: list[str] = []
    placed: list[_Placed] = []
    position = 0
    for block in blocks:
        if parts:
            # What indents a block is white space before it: no sentence and no chunk begins with it.
            parts.append(("\n" if block.tight else "\n\n") + INDENT * block.indent)
            position += len(parts[-1])
        parts.append(block.text)
        placed.append(_Placed(block, position, position + len(block.text)))
        position += len(block.text)
    return "".join(parts), placed


def _sections(placed: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    """Headings with the text below them; a heading directly below a higher one stays with it."""
    section: list[_Placed] = []
    for one in placed:
        last = section[-1].block.level if section else 0
        if section and one.block.level and not 0 < last < one.block.level:
            yield section
            section = []
        section.append(one)
    if section:
        yield section


def _cuts(text: str, section: Sequence[_Placed], language: str) -> list[tuple[int, bool]]:
    """Where a section may be cut, in order: (position, whether a block begins there)."""
    body = (one for one in section if not one.block.level)
    cuts: list[tuple[int, bool]] = []
    for rows, group in groupby(body, key=lambda one: one.block.rows):
        run = list(group)
        blocks = {one.start for one in run}
        if rows:
            starts = (one.start + at for one in run for at in _line_starts(one.block.text))
        else:
            # One run of text up to the next table: a sentence may begin in one block and end in a later one.
            spans = split_sentences(text[run[0].start : run[-1].end], language)
            starts = (run[0].start + start for start, _ in spans)
        cuts.extend((at, at in blocks) for at in starts)
    # The first words below a heading never part from it.
    return cuts[1:]


def _line_starts(text: str) -> Iterator[int]:
    position = 0
    for line in text.split("\n"):
        yield position
        position += len(line) + 1


def _pack(start: int, cuts: Sequence[tuple[int, bool]], end: int) -> list[int]:
    """The cuts to make: whole paragraphs while they fit, sentences of a paragraph that fits no chunk."""
    made: list[int] = []
    low = start
    paragraphs: list[list[int]] = [[start]]  # where each begins, and the sentences in it
    for at, block in cuts:
        if block:
            paragraphs.append([])
        paragraphs[-1].append(at)
    for number, begins in enumerate(paragraphs):
        stop = paragraphs[number + 1][0] if number + 1 < len(paragraphs) else end
        if stop - low > TARGET and begins[0] > low:
            made.append(begins[0])
            low = begins[0]
        for before, after in pairwise([*begins[1:], stop]):
            if after - low > TARGET:
                made.append(before)
                low = before
    return made


def _force(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A piece that is too long for the search index, cut near the limit; otherwise the piece itself."""
    while end - start > MOST:
        cut = cut_at_space(text, start + MOST)
        yield start, cut
        start = cut
    yield start, end
