"""From what a reader of plain documents found to a parsed document: a root and its numbered chunks.

The root (kind `record`) has the document's title and no words of its own; its tags say how many chunks and characters
there are. Chunk `...:0007` is the seventh in reading order; its heading is the chain of headings it is under, its
tags say where it lies: characters `start` to `end` of the normalised text, `page` and, where it goes on, `last_page`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby, pairwise
from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.plain.blocks import INDENT, Block, Cleaner, Reading
from rag.ingest.formats.plain.layout import without_layout
from rag.ingest.formats.plain.lines import without_contents
from rag.ingest.formats.plain.metadata import read_sidecar, tags_of
from rag.ingest.formats.plain.numbered import own_names, read_numbered
from rag.ingest.formats.plain.numbering import numbers_unread
from rag.ingest.formats.plain.source import PlainSource
from rag.languages.sentences import split_sentences
from rag.languages.told import language_written
from rag.law.blocks import cut_at_space
from rag.law.jurisdiction import PLAIN_LEVEL
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError

# Cuts a plain document into chunks: at headings, then between paragraphs, then between sentences.

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
        for child in section:
            if child.block.level:
                chain = [*((level, words) for level, words in chain if level < child.block.level)]
                chain.append((child.block.level, child.block.text))
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
    body = (child for child in section if not child.block.level)
    cuts: list[tuple[int, bool]] = []
    for rows, group in groupby(body, key=lambda one: one.block.rows):
        run = list(group)
        blocks = {placed.start for placed in run}
        if rows:
            starts = (number.start + at for number in run for at in _line_starts(number.block.text))
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


MAX_CHARACTERS = 20_000_000  # of text; a small file can unpack to much more
MOST_TITLE = 300  # characters
# Search finds a chunk under its document's kind: it is a piece of a record and no document of its own.
CHUNK_KIND = "chunk"
CHUNK_LEVEL = "chunk"
_CHAIN = " > "
_CODE = re.compile(r"[a-z]{2}\Z")
_TELLING = 20_000  # characters of a text that tell its language
# Fields by which a document says since when it is in force, YYYY-MM-DD.
_SINCE = ("effective", "effective_date", "effective_from", "valid_from", "in_force_from", "in_force")


class PlainFormat(ABC):
    """What the formats of plain documents share: one file is one document, read into blocks and cut into chunks."""

    name: str
    version: int
    needs_place = True

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
        blocks, lines = without_contents(reading.blocks)
        reading = replace(reading, blocks=blocks)
        cleaner.counts["contents"] += lines
        language, remarks = _language(source, reading)
        beside, left = tags_of(read_sidecar(source.path))
        stated = beside.pop("title", "")
        if stated:
            reading = replace(reading, title=stated)
        title = _title(reading, cleaner) or cleaner.line(source.path.stem)[:MOST_TITLE]
        corpus = Corpus(source.urn, title, language)
        since = _effective({**reading.tags, **beside, **dict(source.place.tags)})
        root = ParsedNode(source.urn, None, "ROOT", PLAIN_LEVEL, source.slug, title, kind="record", valid_from=since)
        root.tags = {**reading.tags, **beside, **dict(source.place.tags)}
        warnings = [*reading.warnings, *remarks, *left, *cleaner.remarks()]
        numbered = read_numbered(without_layout(reading.blocks), root, language, titled=bool(reading.title))
        warnings += numbers_unread(reading.blocks, language, chunked=numbered is None)
        if numbered is not None:
            root.kind = "section"
            nodes = [root, *numbered]
            corpus = replace(corpus, title=root.heading)
            root.aliases = own_names(root, source.slug, language)
            for node in numbered:
                node.valid_from = since
            return ParsedDocument(
                corpus, nodes, source.name, self.name, source.sha256(), self.version, warnings=warnings
            )
        chunked = cut_chunks(reading.blocks, language)
        root.tags |= {"chunk_count": str(len(chunked.chunks)), "characters": str(len(chunked.text))}
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
                    valid_from=since,
                )
            )
        if chunked.forced:
            warnings.append(f"{chunked.forced} cuts lie inside a sentence of more than {MOST:,} characters")
        return ParsedDocument(corpus, nodes, source.name, self.name, source.sha256(), self.version, warnings=warnings)


def not_installed(error: ModuleNotFoundError, source: PlainSource) -> IngestError:
    """The refusal of a file whose library is missing; the others of the ingest go on."""
    library = (error.name or "a library").partition(".")[0]
    return IngestError(f"needs {library}; install the extra: pip install 'lexscope[documents]'", file=source.name)


def _language(source: PlainSource, reading: Reading) -> tuple[str, list[str]]:
    """The document's language, and a remark where it is not what the document or its jurisdiction says.

    What the user names counts, then what the file states, then what its words tell, then what the jurisdiction speaks.
    """
    place = source.place
    stated = reading.language if _CODE.match(reading.language) else ""
    if not place.assumed:
        told = f"the file says that its language is {stated}; it is taken as {place.language}"
        return place.language, [told] if stated and stated != place.language else []
    if stated:
        return stated, []
    words = language_written(" ".join(block.text for block in reading.blocks)[:_TELLING])
    if words and words != place.language:
        return words, [f"its words are of the language {words}, as which it is taken; --language names another"]
    return place.language, []


def _effective(tags: Mapping[str, str]) -> date | None:
    """Since when a document says that it is in force; None where it does not say so in a way that can be read."""
    for name in _SINCE:
        with suppress(ValueError):
            return date.fromisoformat(tags.get(name, ""))
    return None


def _title(reading: Reading, cleaner: Cleaner) -> str:
    """What the file states as its title, else its first heading of the highest rank."""
    stated = cleaner.line(reading.title)[:MOST_TITLE]
    levels = [block.level for block in reading.blocks if block.level]
    first = next((block.text for block in reading.blocks if levels and block.level == min(levels)), "")
    return stated or first
