"""The United States Code as Markdown chunks in JSON Lines: one section or subsection a line, `{n, path, text}`.

A chunk begins with the headings above it (`# Title`, `### CHAPTER`, `#### §`, `##### (a)`), which every further chunk
of the same section repeats. The heading of a subchapter or part is a bare last line of the chunk before its first
section; it holds until the next one of its level or above.

What becomes of the words of a section:

* lines with a designator are nodes by the fixed order (a)(1)(A)(i)(I)(aa)(AA); a caption is the heading;
* a line without designator belongs to a paragraph that has only a caption so far, or goes on with the words it
  follows where those do not end a sentence; after a list it is flush text of the list's parent;
* flush text that another paragraph follows, and a lead-in with a list of its own, are nodes `p.N`;
* a heading that the next chunk of one section repeats is one heading.

The publication has lost the dashes before lists and prints footnote numbers within the words; both stay as printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rag.ingest.formats.base import Source
from rag.ingest.formats.designators import MOST_ROMAN, cheapest
from rag.ingest.formats.encoding import undamaged
from rag.ingest.formats.json_records import Record, RecordsFormat, json_lines, part_hash
from rag.ingest.formats.tree import Draft, DraftTree, NodesByParent
from rag.ingest.formats.xml import collapse
from rag.ingest.formats.xml_text import Rich
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import segment
from retrieval.roman import roman_value

# One section of the United States Code, printed as Markdown lines, as nodes.

# Which paragraphs of a section of the United States Code are children of which: (a)(1)(A)(i)(I)(aa)(AA).

LEVELS = ("subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem")
STRUCTURES = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM", "ITEM", "ITEM")

_BEAM = 16
_HOPELESS = 14.0  # a reading this much worse than the best so far is given up
_REFUSED = 9.0  # a designator read as plain text
_GAP, _REPEATED, _BACKWARD, _LATE = 3.0, 7.0, 8.0, 6.0
_LONELY = 1.5
_SKIPPED = 0.2  # a level of the fixed order that is left out
_INVERTED, _NESTED = 3.5, 5.0  # letters below numerals, numerals below numerals: a few older acts are printed so
_UNANNOUNCED, _UNANSWERED = 0.4, 1.0
_HINT = 4.0  # the source marks another level
_LEAD_IN = 1.0
_STEM = re.compile(r"(\d{1,3}|[a-z]{1,7}|[A-Z]{1,7})(?:-(\d{1,2}))?\Z")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One line of a section. `hint` is the level (1 to 7) that the source marks, 0 for none.

    `announced`: the words before it do not end a sentence or an item. `introduces`: its own words do not, either.
    """

    designator: str = ""
    hint: int = 0
    announced: bool = False
    introduces: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands: `depth` 1 is directly under the section; `level` 1 to 7, 0 for a lead-in of its own."""

    depth: int
    level: int
    anomaly: str = ""


class _Open(NamedTuple):
    rank: float
    value: tuple[int, int]
    size: int


_Move = tuple[float, tuple[_Open, ...], Place | None]


@lru_cache(maxsize=4096)
def ranks(label: str) -> tuple[tuple[int, tuple[int, int]], ...]:
    """Every (level, value) that a designator can stand for; empty where it is none."""
    match = _STEM.match(label)
    if not match:
        return ()
    stem, extra = match[1], int(match[2] or 0)
    if stem.isdigit():
        return ((2, (int(stem), extra)),) if int(stem) else ()
    upper = stem.isupper()
    found: list[tuple[int, tuple[int, int]]] = []
    position = ord(stem[0].lower()) - ord("a") + 1
    if len(set(stem)) == 1 and len(stem) <= 3:
        found.append((3 if upper else 1, (26 * (len(stem) - 1) + position, extra)))
        if len(stem) > 1:
            found.append((7 if upper else 6, (26 * (len(stem) - 2) + position, extra)))
    roman = roman_value(stem, MOST_ROMAN)
    if roman is not None:
        found.append((5 if upper else 4, (roman, extra)))
    return tuple(found)


def place(paragraphs: Sequence[Paragraph]) -> list[Place | None]:
    """Place every line of a section; None where it opens no level."""
    return cheapest(paragraphs, _moves, _lonely, (), beam=_BEAM, hopeless=_HOPELESS)


def _moves(stack: tuple[_Open, ...], one: Paragraph) -> Iterator[_Move]:
    if not one.designator:
        yield 0.0, stack, None
        if one.introduces:
            yield from _lead_ins(stack)
        return
    yield _REFUSED, stack, None
    for rank, value in ranks(one.designator):
        hint = _HINT * (one.hint not in (0, rank))
        same = [depth for depth, level in enumerate(stack) if level.rank == rank]
        for depth in reversed(same):
            more, anomaly = _sequel(stack[depth].value, value)
            cost = hint + more + _lonely(stack[depth + 1 :]) + _UNANSWERED * one.announced
            after = (*stack[:depth], _Open(rank, value, stack[depth].size + 1))
            yield cost, after, Place(len(after), rank, anomaly)
        late = value != (1, 0)
        cost = hint + _LATE * late
        if not same:
            depth = next((depth for depth, level in enumerate(stack) if level.rank > rank), len(stack))
            after = (*stack[:depth], _Open(rank, value, 1))
            yield cost + _opening(stack, depth, rank, one), after, Place(len(after), rank, "start" if late else "")
        if not late and len(same) < 2 and any(level.rank >= rank for level in stack):
            price = (_NESTED if same else _INVERTED) + 4 * _UNANNOUNCED * (not one.announced)
            after = (*stack, _Open(rank, value, 1))
            yield cost + price, after, Place(len(after), rank)


def _opening(stack: tuple[_Open, ...], depth: int, rank: int, one: Paragraph) -> float:
    """What it costs to begin a list below the first `depth` open levels, beyond its own value."""
    cost = _UNANNOUNCED * (not one.announced)
    if depth < len(stack):  # a list hardly begins outside one that is still open
        cost += _BACKWARD + _lonely(stack[depth:])
    if not depth:
        return cost + 0.1 * (rank > 2)
    return cost + _SKIPPED * max(0.0, rank - stack[depth - 1].rank - 1)


def _lead_ins(stack: tuple[_Open, ...]) -> Iterator[_Move]:
    """A second list of one level may hang on a lead-in of its own."""
    for depth in range(len(stack)):
        outer = stack[depth - 1].rank if depth else 0.0
        if outer % 1:
            continue  # a lead-in is never under another
        after = (*stack[:depth], _Open(outer + 0.5, (0, 0), 2))
        yield _LEAD_IN + _lonely(stack[depth:]), after, Place(depth + 1, 0)


def _sequel(before: tuple[int, int], value: tuple[int, int]) -> tuple[float, str]:
    if value in ((before[0] + 1, 0), (before[0], before[1] + 1)):
        return 0.0, ""
    if value <= before:
        return (_REPEATED if value == before else _BACKWARD), "repeat"
    return _GAP + 0.3 * min(value[0] - before[0] - 1, 10), "gap"


def _lonely(levels: Sequence[_Open]) -> float:
    return _LONELY * sum(level.size == 1 for level in levels)


HEADING = re.compile(r"(#{1,12})\s+(.*\S)\s*\Z")
_DESIGNATOR = re.compile(r"\(\s?(\d{1,3}(?:-\d{1,2})?|[a-z]{1,7}(?:-\d{1,2})?|[A-Z]{1,7}(?:-\d{1,2})?)\s?\)")
# Depth of a Markdown heading below the section -> level; `#####` and `######` are two prints of the subsection.
_HINTS = {5: 1, 6: 1, 7: 2, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7}
_CAPTION_MOST = 300
_LEAD_STARTS = frozenset(
    {"a", "an", "any", "as", "each", "every", "except", "for", "if", "in", "it", "no", "none", "not", "notwithstanding",
     "on", "such", "subject", "the", "this", "to", "unless", "upon", "when", "whenever", "where", "with", "within",
     "whether", "whoever"}
)  # fmt: skip
_LEAD_WORDS = re.compile(
    r"\b(?:shall|must|may|is|are|was|were|means|mean|includes?|has|have|had|does|do|who|which|that|will|would|if)\b"
)
_LEAD_ENDS = re.compile(r"\b(?:of|to|the|a|an|by|for|in|on|with|and|or|as|either|following|than|at|from|under|case)\Z")


@dataclass(slots=True)
class Line:
    """One printed line: its designators with the words after the last of them. `marked` is a heading's depth."""

    text: str  # all of it, designators included
    designators: tuple[str, ...]
    words: str
    marked: int = 0
    file_line: int | None = None


def read_line(text: str, *, marked: int = 0, file_line: int | None = None) -> Line:
    """Take one line apart; `text` has its white space collapsed."""
    labels: list[str] = []
    position = 0
    while (match := _DESIGNATOR.match(text, position)) and ranks(match[1]):
        before = ranks(labels[-1]) if labels else [(0, (0, 0))]
        deeper = any(rank > outer and value == (1, 0) for rank, value in ranks(match[1]) for outer, _ in before)
        after = text[match.end() :]
        if labels and (not deeper or not (after.startswith(" ") or not after or after.startswith("("))):
            break
        labels.append(match[1])
        position = match.end() + (after[:1] == " ")
    return Line(text, tuple(labels), text[position:], marked, file_line)


def without_repeats(chunks: Sequence[Sequence[Line]]) -> list[Line]:
    """The lines of all chunks of one section, where a chunk begins by repeating headings of the one before.

    A chunk that ends in a bare designator waits for its first child: the same caption there begins anew.
    """
    out: list[Line] = []
    seen: dict[int, str] = {}
    for chunk in chunks:
        opening = True
        for line in chunk:
            if not line.marked:
                opening = False
            elif opening and seen.get(line.marked) == line.text and not _awaited(out, line):
                continue
            if line.marked:
                seen = {depth: text for depth, text in seen.items() if depth < line.marked}
                seen[line.marked] = line.text
            out.append(line)
    return out


def _awaited(out: Sequence[Line], line: Line) -> bool:
    last = out[-1] if out else None
    if last is None or last.marked or last.words or not last.designators or not line.designators:
        return False
    outer = min((rank for rank, _ in ranks(last.designators[-1])), default=0)
    return _opens_below(outer, line) and len(line.words) < 60


def _opens_below(outer: int, line: Line) -> bool:
    """Whether the line can be the first of a list below that level."""
    return any(rank > outer and value == (1, 0) for label in line.designators[:1] for rank, value in ranks(label))


def build(root: Draft, lines: Sequence[Line], warnings: list[str]) -> list[ParsedNode]:
    """The nodes of one section, `root` first with `parent_urn` None.

    Args:
        root: the section's own draft; its URN prefixes all others.
        warnings: what is odd is appended here, with the URN it concerns.
    """
    return list(_Assembly(root, warnings).run(lines).nodes())


class _Assembly(DraftTree):
    """Puts the lines of one section into its tree."""

    last = ""  # the words that are before, over all nodes

    def run(self, lines: Sequence[Line]) -> Draft:
        captions = [self._caption(lines, number) for number in range(len(lines))]
        steps: list[Paragraph] = []
        owners: list[int] = []
        last = ""
        for number, line in enumerate(lines):
            waits = bool(last) and not _ends(last)
            for position, label in enumerate(line.designators or ("",)):
                hint = _HINTS.get(line.marked, 0) if position == 0 else 0
                # Words right under a caption are its text and no lead-in of their own.
                own = number > 0 and not line.designators and not captions[number - 1] and not _ends(line.words)
                steps.append(Paragraph(label, hint, waits or position > 0, own))
                owners.append(number)
            last = line.words
        placed: list[list[Place | None]] = [[] for _ in lines]
        for owner, where in zip(owners, place(steps), strict=True):
            placed[owner].append(where)
        for line, places, caption in zip(lines, placed, captions, strict=True):
            self._line(line, places, caption)
        return self.root

    @staticmethod
    def _caption(lines: Sequence[Line], number: int) -> bool:
        line = lines[number]
        following = lines[number + 1] if number + 1 < len(lines) else None
        if not line.designators or not line.words:
            return False
        if line.marked == 5:
            return True
        outer = min(rank for rank, _ in ranks(line.designators[-1]))
        return is_caption(
            line.words,
            before_list=following is not None and _opens_below(outer, following),
            before_words=following is not None and not following.designators,
        )

    def _line(self, line: Line, places: Sequence[Place | None], caption: bool) -> None:
        opened: list[Place] = []
        for where in places:
            if where is None:
                break
            opened.append(where)
        for position, where in enumerate(opened):
            label = line.designators[position] if line.designators else ""
            self._open(where, label, line)
        words = line.words
        left = line.designators[len(opened) :] if line.designators else ()
        if left:
            words = collapse(" ".join((*(f"({label})" for label in left), words)))
            caption = False
            self.warnings.append(f"{self.path[-1].urn}: a designator that fits no list is kept as text")
        if opened and caption:
            self.path[-1].heading = words
        elif opened:
            if words:
                self.path[-1].before.append(Rich(words))
        elif words:
            self._loose(words)
        self.last = words or self.last

    def _open(self, where: Place, label: str, line: Line) -> None:
        parent = self.path[min(where.depth, len(self.path)) - 1]
        if where.level:
            level, structure = LEVELS[where.level - 1], STRUCTURES[where.level - 1]
            key = label
        else:
            level, structure, key = "paragraph", "PARAGRAPH", parent.numbered()
        draft = self.child(parent, key, structure, level, line.file_line)
        if where.anomaly and "~" not in draft.number:
            self.warnings.append(f"{draft.urn}: its designator is out of sequence ({where.anomaly})")
        self.path = [*self.path[: where.depth], draft]

    def _loose(self, words: str) -> None:
        leaf = self.path[-1]
        continues = words[:1].islower()
        captioned = bool(leaf.heading) or leaf is self.root or leaf.number.startswith("p.")
        if not leaf.children and (captioned or not leaf.before or not (continues or _ends(self.last))):
            leaf.before.append(Rich(words))
            return
        holder = leaf if leaf.children else self.path[max(0, len(self.path) - 2)]
        if holder.number.startswith("p.") and not continues and _ends(self.last):
            parent = self.path[self.path.index(holder) - 1]
            draft = self.child(parent, parent.numbered(), "PARAGRAPH", "paragraph", holder.line)
            draft.before.append(Rich(words))
            self.path = [*self.path[: self.path.index(holder)], draft]
            return
        holder.after.append(Rich(words))
        self.path = self.path[: self.path.index(holder) + 1]


def is_caption(words: str, *, before_list: bool, before_words: bool) -> bool:
    """Whether the words after a designator are a caption and not the beginning of its sentence.

    Args:
        before_list: the next line is the first of a list below.
        before_words: the next line has no designator.
    """
    if len(words) > _CAPTION_MOST or not (before_list or before_words):
        return False
    if not (words[0].isupper() or words[0].isdigit() or words[0] in '“‘"'):
        return False
    if words.endswith((";", ",", ":", "—")):
        return False
    long = [word for word in words.split() if len(word) > 3]
    if before_words and long and sum(word[0].isupper() for word in long) == len(long):
        return True
    if words.endswith(".") and len(words.split()) > 12:
        return False
    bare = words.rstrip(" .")
    if _LEAD_ENDS.search(bare):
        return False
    if before_words and not words.endswith("."):
        return True
    if _LEAD_WORDS.search(bare):
        return False
    return bare.lower() == "in general" or words.split()[0].lower() not in _LEAD_STARTS


def _ends(text: str) -> bool:
    """Whether the words end a sentence or an item of a list."""
    return re.search(r"(?:[.;,!?][”\"’')\]]*|;\s*(?:and|or))(?:\s*\d{1,2})?\Z", text) is not None


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


class MdStatutesJsonl(RecordsFormat):
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

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        """One document a title, in the order of their first chunks.

        Raises:
            IngestError: a line that is no chunk, or words outside every section.
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
        self.nodes = NodesByParent()
        self.open: list[tuple[str, str, str, str]] = []  # open containers: level, number, heading, URN
        self.marked = 0  # how many of them are in the chunks' own headings

    def document(self, digest: str) -> ParsedDocument:
        root = ParsedNode(self.urn, None, "TITLE", "title", self.number, self.heading, kind="section")
        root.line = self.chunks[0].record.line
        root.tags = {"code": "USC", "title": self.number}
        root.aliases = [f"/us/usc/t{self.number}"]
        self.nodes.add(root)
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
            corpus, self.nodes.in_order(self.urn), self.source.name, MdStatutesJsonl.name, digest,
            MdStatutesJsonl.version, warnings=self.warnings,
        )  # fmt: skip

    def _enter(self, chunk: _Chunk) -> None:
        """Open the containers of a chunk's own headings; those announced by bare lines stay open within them."""
        outer = [(level, number, heading) for level, number, heading in chunk.containers]
        if [pair[:3] for pair in self.open[: len(outer)]] != outer:
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
            self.nodes.add(node)
            if count > 1:
                self.warnings.append(f"{urn}: its number occurs {count} times (under {above})")
        self.open.append((level, number, heading, urn))

    def _section(self, chunks: list[_Chunk]) -> None:
        first = chunks[0]
        self._enter(first)
        number, heading = first.section or ("", "")
        plain = _DASHES.sub("-", number)
        urn, count = self.nodes.free(f"{self.urn}:{segment(plain)}")
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
            self.nodes.add(node)
        for chunk in chunks:
            self._begin(chunk)
