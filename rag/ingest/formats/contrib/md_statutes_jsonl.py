"""The United States Code as Markdown chunks in JSON Lines: one section or subsection a line, `{n, path, text}`.

A chunk begins with the headings above it (`# Title`, `### CHAPTER`, `#### §`, `##### (a)`), which every further chunk
of the same section repeats. The heading of a subchapter or part is a bare last line of the chunk before its first
section; it holds until the next one of its level or above.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.contrib.md_statutes_section import HEADING, Draft, Line, build, read_line, without_repeats
from rag.ingest.formats.encoding import undamaged
from rag.ingest.formats.json_records import Record, json_lines, only_document, part_hash
from rag.ingest.formats.xml import collapse
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import segment

_HEAD = re.compile(
    rb'\A\s*\{\s*"n"\s*:\s*\d+\s*,\s*"path"\s*:\s*"[^"\\]*"\s*,\s*"text"\s*:\s*"(?:"|\s*(?:\\[nrt])*\s*#\s*title\s)',
    re.IGNORECASE,
)
_FIELDS = {"n", "path", "text"}
_TITLE = re.compile(r"title\s+(\d{1,3}[a-z]?)\s*(?:—|–|-|\Z)\s*(.*)\Z", re.IGNORECASE)
_RANKS = ("title", "subtitle", "chapter", "subchapter", "article", "division", "subdivision", "part", "subpart")
_CONTAINER = re.compile(
    r"\[?(subtitle|chapter|subchapter|part|subpart|division|subdivision|article)\s+([0-9A-Za-z]+(?:[-–.][0-9A-Za-z]+)*)"
    r"\s*(?:—|–|-(?=\s)|\Z)\s*(.*)\Z",
    re.IGNORECASE,
)
_BARE_CONTAINER = re.compile(
    r"(?:SUBCHAPTER|ARTICLE|DIVISION|SUBDIVISION|PART|Part|SUBPART|subpart|Subpart)\s+\S+\s*—\s"
)
_CONTAINER_TYPES = {"subtitle": "TITLE", "chapter": "CHAPTER", "subchapter": "CHAPTER"}
_SECTION = re.compile(r"\[?\s*§{1,2}\s*(\d[^\s.,]*(?:(?:\s+to\s+|,\s+|\s+and\s+)\d[^\s.,]*)*)\s*\.?\s*(.*?)\s*\Z")
_STATUS = re.compile(r"\[?\s*(repealed|omitted|transferred|renumbered|reserved|vacant)\b", re.IGNORECASE)
_DASHES = re.compile("[\u2010-\u2015\u2212]")


@dataclass(slots=True)
class _Chunk:
    record: Record
    title: tuple[str, str]
    containers: list[tuple[str, str, str]]  # level, number, heading
    following: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])  # what begins after it
    section: tuple[str, str] | None = None  # number, heading
    lines: list[Line] = field(default_factory=list[Line])


class MdStatutesJsonl(FileFormat):
    """Format `md_statutes_jsonl`: one file holds chunks of one title of the U.S. Code, or of several."""

    name = "md_statutes_jsonl"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the first line is a chunk: its number, its path, and a text that is empty or begins with a title."""
        if _HEAD.match(head):
            return True
        first, newline, _ = head.partition(b"\n")
        try:
            value: object = json.loads(first) if newline else None
        except (ValueError, RecursionError):
            return False  # what is not this format's is not this format's to refuse
        if not isinstance(value, dict) or set(map(str, value)) != _FIELDS:  # pyright: ignore[reportUnknownArgumentType]
            return False
        text = str(value["text"]).strip()  # pyright: ignore[reportUnknownArgumentType]
        return not text or re.match(r"#\s*title\s", text, re.IGNORECASE) is not None

    def read(self, source: Source) -> ParsedDocument:
        """Read a file of one title.

        Raises:
            IngestError: a line that is no chunk, words outside every section, or several titles in one file (which
                `documents` reads).
        """
        return only_document(self.documents(source), source.name)

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        """One document a title, in the order of their first chunks.

        Raises:
            IngestError: as `parse`.
        """
        titles: dict[str, list[_Chunk]] = {}
        numbers: set[tuple[str, int]] = set()
        empty = 0
        for record in json_lines(source.path, source.name):
            chunk = _read(record)
            if chunk is None:
                empty += 1
                continue
            number = (chunk.title[0], record.number("n"))  # chunks are counted within their title
            if number in numbers:
                raise record.refusal("a chunk number occurs twice")
            numbers.add(number)
            titles.setdefault(chunk.title[0], []).append(chunk)
        if not titles:
            raise IngestError("has no chunk with text", file=source.name)
        digest = source.sha256()
        for position, (key, chunks) in enumerate(titles.items()):
            chunks.sort(key=lambda chunk: chunk.record.number("n"))
            document = _Title(chunks, source).document(part_hash(digest, key, len(titles)))
            if empty and not position:
                document.warnings.append(f"{document.urn}: {empty} chunks are empty")
            yield undamaged(document)


def _read(record: Record) -> _Chunk | None:
    """One chunk; None where it is empty."""
    title: tuple[str, str] | None = None
    chunk = _Chunk(record, ("", ""), [])
    record.number("n")
    record.text("path")
    for raw in record.text("text").replace("\xad", "").split("\n"):
        text = collapse(raw)
        if not text:
            continue
        heading = HEADING.match(text)
        depth = len(heading[1]) if heading else 0
        words = heading[2] if heading else text
        found = _TITLE.match(words) if depth == 1 else None
        number = _SECTION.match(words) if depth == 4 else None
        container = _CONTAINER.match(words) if depth in (2, 3) or (not depth and _BARE_CONTAINER.match(text)) else None
        if found and title is None:
            title = (found[1].lower(), found[2])
        elif number and chunk.section is None:
            chunk.section = (number[1], _unbracketed(words, number[2]))
        elif container and (depth == 0 or chunk.section is None):
            target = chunk.containers if depth else chunk.following
            target.append((container[1].lower(), container[2], _unbracketed(words, container[3])))
        elif chunk.section is None or 0 < depth < 5:
            raise record.refusal("a chunk has words outside a section, or a heading of no known kind")
        elif chunk.following:
            raise record.refusal("words follow the heading of a subchapter or part within one chunk")
        else:
            chunk.lines.append(read_line(words, marked=depth, file_line=record.line))
    if title is None:
        if chunk.containers or chunk.section or chunk.lines or chunk.following:
            raise record.refusal("a chunk does not say which title it belongs to")
        return None
    chunk.title = title
    return chunk


def _unbracketed(words: str, heading: str) -> str:
    """A heading without the bracket that closes the whole line, as repealed provisions are printed."""
    return heading.removesuffix("]") if words.startswith("[") else heading


class _Title:
    """One run over the chunks of one title."""

    def __init__(self, chunks: list[_Chunk], source: Source) -> None:
        self.chunks = chunks
        self.source = source
        self.number, self.heading = chunks[0].title
        self.urn = f"urn:lex:us:{self.number}usc"
        self.warnings: list[str] = []
        self.nodes: dict[str, ParsedNode] = {}
        self.children: dict[str, list[str]] = {}
        self.open: list[tuple[str, str, str, str]] = []  # open containers: level, number, heading, URN
        self.marked = 0  # how many of them stand in the chunks' own headings

    def document(self, digest: str) -> ParsedDocument:
        """Read everything and return the document."""
        root = ParsedNode(self.urn, None, "TITLE", "title", self.number, self.heading, kind="section")
        root.line = self.chunks[0].record.line
        root.tags = {"code": "USC", "title": self.number}
        root.aliases = [f"/us/usc/t{self.number}"]
        self._add(root)
        group: list[_Chunk] = []
        for chunk in self.chunks:
            if chunk.title != self.chunks[0].title:
                raise chunk.record.refusal("one title has two headings")
            if group and (chunk.section, chunk.containers) != (group[0].section, group[0].containers):
                self._section(group)
                group = []
            if chunk.section is not None:
                group.append(chunk)
            elif chunk.following or chunk.containers:
                self._enter(chunk)
                self._begin(chunk)
        if group:
            self._section(group)
        self.warnings.append(f"{self.urn}: the source states no edition date, and no notes or source credits")
        name = f"United States Code, Title {self.number.upper()}"
        corpus = Corpus(
            self.urn, f"{name} ({self.heading})" if self.heading else name, "en",
            publisher="Office of the Law Revision Counsel", licence="Public domain (17 U.S.C. 105)",
            url=f"https://uscode.house.gov/browse/prelim@title{self.number}",
        )  # fmt: skip
        return ParsedDocument(
            corpus, self._in_order(), self.source.name, MdStatutesJsonl.name, digest, MdStatutesJsonl.version,
            warnings=self.warnings,
        )  # fmt: skip

    def _add(self, node: ParsedNode) -> None:
        self.nodes[node.urn] = node
        if node.parent_urn is not None:
            self.children.setdefault(node.parent_urn, []).append(node.urn)

    def _in_order(self) -> list[ParsedNode]:
        out: list[ParsedNode] = []
        waiting = [self.urn]
        while waiting:
            current = waiting.pop()
            out.append(self.nodes[current])
            waiting.extend(reversed(self.children.get(current, [])))
        return out

    def _enter(self, chunk: _Chunk) -> None:
        """Open the containers of a chunk's own headings; those announced by bare lines stay open within them."""
        outer = [(level, number, heading) for level, number, heading in chunk.containers]
        if [one[:3] for one in self.open[: len(outer)]] != outer:
            self.open = []
            for level, number, heading in outer:
                self._push(level, number, heading, chunk.record)
            self.marked = len(self.open)

    def _begin(self, chunk: _Chunk) -> None:
        """Open what the last lines of a chunk announce."""
        for level, number, heading in chunk.following:
            rank = _RANKS.index(level)
            while len(self.open) > self.marked and _RANKS.index(self.open[-1][0]) >= rank:
                self.open.pop()
            self._push(level, number, heading, chunk.record, fresh=True)

    def _push(self, level: str, number: str, heading: str, record: Record, *, fresh: bool = False) -> None:
        above = self.open[-1][3] if self.open else self.urn
        last = f"{level}_{segment(_DASHES.sub('-', number))}"
        urn, count = f"{above}:{last}", 1
        while urn in self.nodes and (fresh or self.nodes[urn].heading != heading):
            count += 1
            urn = f"{above}:{last}~{count}"
        if urn not in self.nodes:
            label = number if count == 1 else f"{number}~{count}"
            node = ParsedNode(urn, above, _CONTAINER_TYPES.get(level, "PART"), level, label, heading, kind="section")
            node.line = record.line
            self._add(node)
            if count > 1:
                self.warnings.append(f"{urn}: its number occurs {count} times (under {above})")
        self.open.append((level, number, heading, urn))

    def _section(self, chunks: list[_Chunk]) -> None:
        first = chunks[0]
        self._enter(first)
        number, heading = first.section or ("", "")
        plain = _DASHES.sub("-", number)
        urn, count = f"{self.urn}:{segment(plain)}", 1
        while urn in self.nodes:
            count += 1
            urn = f"{self.urn}:{segment(plain)}~{count}"
        if count > 1:
            self.warnings.append(f"{urn}: the section number occurs {count} times")
        label = plain if count == 1 else f"{plain}~{count}"
        draft = Draft(urn, label, "SECTION", "section", heading, first.record.line)
        nodes = build(draft, without_repeats([chunk.lines for chunk in chunks]), self.warnings)
        section = nodes[0]
        section.parent_urn = self.open[-1][3] if self.open else self.urn
        section.tags = {"code": "USC", "title": self.number, "section_number": plain}
        status = _STATUS.match(heading)
        if status:
            section.tags["status"] = status[1].lower()
        stem = f"/us/usc/t{self.number}/s"
        section.aliases = list(dict.fromkeys((f"{stem}{plain}", f"{stem}{number}"))) if count == 1 else []
        for node in nodes:
            self._add(node)
        for chunk in chunks:
            self._begin(chunk)
