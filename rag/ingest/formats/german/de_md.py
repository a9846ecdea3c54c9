"""German federal law in Markdown, as the Bundestag's collection has it: wrapped lines below a block of metadata."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.encoding import read_text, undamaged
from rag.ingest.formats.german.blocks import Block, Division, Item, Listing, Paragraph, Table, flatten
from rag.ingest.formats.german.body import LawTree
from rag.ingest.formats.xml import MAX_NESTING
from rag.jurisdictions.de.naming import RANKS, Heading, cited_abbreviation, fold, law_corpus, other_urns, read_heading
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.paths import slug

# The running text of a German law in Markdown: wrapped lines become paragraphs, lists, tables and footnotes.

_MARKER = re.compile(
    r"(?P<marker>\d{1,3}[a-z]{0,2}[.)]|\d{1,3}(?:\.\d{1,3})+\.?|\(?[a-z]{1,3}\)|[A-Z][.)]|[IVXLC]{1,6}[.)]|[*+•–-])"
    r"(?P<gap> +|\Z)(?P<rest>.*)\Z"
)
_INDENT = 4
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:\s*")
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]+\](?!:)")
_SENTENCE_NUMBER = re.compile(r"\d{1,2} {8,}(?=\S)")
# Bounded, so that marks which are never closed cannot cost a search to the end from each of them.
_IMAGE = re.compile(r"!\[[^\]\[]{0,300}\]\([^()]{0,300}\)")
_STRONG = re.compile(r"(?<!\\)\*\*(?=\S)([^*]{1,300})(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?=\w)([^*]{1,300})(?<=[\w.,;:)])\*(?![\w*])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# What may follow a hyphen that stands for a left-out half ("Bau- und Wohnrecht"); other hyphens at a line's end join.
_SUSPENDED = re.compile(r"(?:und|oder|sowie|bzw\.|beziehungsweise|bis|noch|als|wie|aber|statt)(?!\w)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank. `opens` says that a blank line, or nothing, is before it."""

    number: int
    indent: int
    text: str
    opens: bool


def read_lines(lines: list[tuple[int, str]]) -> list[Line]:
    """Numbered raw lines without the blank ones.

    Args:
        lines: line number and text, tabs counted as one character.
    """
    out: list[Line] = []
    opens = True
    for number, raw in lines:
        text = raw.replace("\t", " " * _INDENT).replace("\xa0", " ").rstrip()
        body = text.lstrip()
        if body:
            out.append(Line(number, len(text) - len(body), body, opens))
        opens = not body
    return out


def split_footnotes(lines: list[Line]) -> tuple[list[Line], list[list[Line]]]:
    """Part the text from the footnotes whose definitions are in it, and drop lines that are only their marks."""
    body: list[Line] = []
    notes: list[list[Line]] = []
    inside = False
    dropped = False
    for line in lines:
        if line.indent == 0 and (start := _FOOTNOTE.match(line.text)):
            notes.append([Line(line.number, 0, line.text[start.end() :], opens=True)])
            inside = True
        elif inside and (line.indent or not line.opens):
            notes[-1].append(line)
        else:
            inside = False
            text = _FOOTNOTE_MARK.sub("", line.text).strip()
            if text:
                body.append(Line(line.number, line.indent, text, line.opens or dropped))
            dropped = not text
    return body, notes


class BlockReader:
    """Reads blocks of one file and counts in `left_out` what carries no words of the law."""

    def __init__(self, name: str) -> None:
        self.left_out: Counter[str] = Counter()
        self._name = name

    def note(self, lines: list[Line]) -> list[Block]:
        """A footnote's lines as paragraphs: lists in footnotes carry no designator that anybody cites."""
        paragraphs: list[list[Line]] = []
        for line in lines:
            if line.opens or not paragraphs:
                paragraphs.append([])
            paragraphs[-1].append(line)
        blocks = [self._paragraph(part) for part in paragraphs]
        return [block for block in blocks if block.text]

    def blocks(self, lines: list[Line], depth: int = 0) -> list[Block]:
        """Lines as blocks.

        Raises:
            IngestError: lists are nested too deep.
        """
        if depth > MAX_NESTING:
            raise IngestError(f"lists are nested deeper than {MAX_NESTING}", file=self._name, line=lines[0].number)
        out: list[Block] = []
        items: list[Item] = []
        column = -1  # of the list that `items` belong to
        start = 0
        while start < len(lines):
            line = lines[start]
            following = lines[start + 1] if start + 1 < len(lines) else None
            match = _marker(line, following) if line.opens or start == 0 or _next_cell(line, column) else None
            if match is None:
                end = start + 1
                while end < len(lines) and not lines[end].opens:
                    end += 1
                out.extend(_listed(items))
                items, column = [], -1
                paragraph = self._paragraph(lines[start:end])
                if paragraph.text:
                    out.append(paragraph)
            else:
                end = start + 1
                while end < len(lines) and _belongs(lines[end], line):
                    end += 1
                if items and (line.indent != column or _family(items[-1].marker) != _family(match["marker"])):
                    out.extend(_listed(items))
                    items = []
                column = line.indent
                items.append(Item(match["marker"], self._item(line, match, lines[start + 1 : end], depth), line.number))
            start = end
        out.extend(_listed(items))
        return _flat(out)

    def _item(self, line: Line, match: re.Match[str], others: list[Line], depth: int) -> list[Block]:
        inner = others
        if match["rest"]:
            width = min(len(match["marker"]) + len(match["gap"]), _INDENT)
            inner = [Line(line.number, line.indent + width, match["rest"], opens=True), *others]
        return self.blocks(inner, depth + 1) if inner else []

    def _paragraph(self, lines: list[Line]) -> Paragraph:
        pieces: list[str] = []
        for line in lines:
            number = _SENTENCE_NUMBER.match(line.text)
            self.left_out["sentence numbers"] += number is not None
            words = line.text[number.end() :] if number else line.text
            pieces.extend((wrap_gap(pieces[-1], words), words) if pieces else (words,))
        return Paragraph(" ".join(self.plain("".join(pieces)).split()), lines[0].number)

    def plain(self, text: str) -> str:
        """Text without mark-up."""
        if "![" in text:
            text, images = _IMAGE.subn(" ", text)
            self.left_out["images"] += images
        if "*" in text:
            text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
        return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def wrap_gap(text: str, line: str) -> str:
    """What is between words and the wrapped line after them: nothing where a hyphen inside a word was cut at."""
    inside = len(text) > 1 and text[-1] == "-" and text[-2].isalnum() and line[0].isalnum()
    return "" if inside and not _SUSPENDED.match(line) else " "


def _marker(line: Line, following: Line | None) -> re.Match[str] | None:
    """The designator that opens an item; None where the line only looks so."""
    match = _MARKER.match(line.text)
    if match is None:
        return None
    deeper = following is not None and following.indent > line.indent
    if not match["rest"]:
        # A lone dash is what the publisher prints for a repealed provision; a lone star is an empty cell.
        return match if match["marker"] == "*" or deeper else None
    if len(match["marker"]) + len(match["gap"]) >= _INDENT:
        return match
    if match["marker"][0] in "ABCDEFGHIJKLMNOPQRSTUVWXYZ(":
        return None
    lazy = following is not None and not following.opens and not deeper
    return None if lazy else match


def _next_cell(line: Line, column: int) -> bool:
    return line.indent == column and re.match(r"\*(?: {3}|\Z)", line.text) is not None


def _belongs(line: Line, item: Line) -> bool:
    if line.indent > item.indent:
        return True
    return not line.opens and not (item.text[0] == "*" and _next_cell(line, item.indent))


def _family(marker: str) -> str:
    kept = marker.strip("().")
    return (
        "1" if kept[:1].isdigit() else "a" if kept.isalpha() and kept.islower() else "A" if kept.isalpha() else marker
    )


def _listed(items: list[Item]) -> list[Block]:
    """Items as a list; stars that hold nothing but stars are the rows of a table."""
    if not items:
        return []
    rows = [_row(item) for item in items]
    if all(row is not None for row in rows):
        return [Table([" | ".join(row).strip() for row in rows if row and any(row)], items[0].line)]
    return [Listing(items)]


def _row(item: Item) -> list[str] | None:
    """The cells, where the item is a row; None where it is none."""
    if item.marker != "*" or len(item.blocks) != 1 or not isinstance(item.blocks[0], Listing):
        return None
    cells = item.blocks[0].items
    return [flatten(cell.blocks) for cell in cells] if all(cell.marker == "*" for cell in cells) else None


def _flat(blocks: list[Block]) -> list[Block]:
    """Blocks without the nameless wrappers that hold nothing but one numbered list, and without empty tables."""
    out: list[Block] = []
    for block in blocks:
        inner = block.items[0].blocks if isinstance(block, Listing) and len(block.items) == 1 else []
        wrapped = isinstance(block, Listing) and block.items[0].marker == "*" and len(inner) == 1
        if wrapped and isinstance(inner[0], Listing) and inner[0].items[0].marker != "*":
            out.append(inner[0])
        elif not (isinstance(block, Table) and not block.rows):
            out.append(block)
    return out


_FRONT = re.compile(r"\ufeff?---\r?\n(?P<meta>(?:(?!---\s*\n).*\n)+)---\s*\n")
_FIELD = re.compile(r"(?P<key>[A-Za-z]+):(?:\s+(?P<value>.*))?\Z")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*?)(?:\s+#+)?\s*\Z")
_DAY = re.compile(r"\bv\. ?(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})\b")
_FOR_ANNEX = re.compile(r"\((?:zu|Zu)\s+(?:§|Art|Nummer|den\s+§|Anlage)[^()]*(?:\([^()]*\)[^()]*)*\)\Z")
_CLAMPED = 6  # Markdown has no deeper heading, so whatever lies deeper has this many signs
_TAGS = {
    "Ausfertigungsdatum": "enacted", "Fundstelle": "publication", "Neugefasst durch": "restated",
    "Zuletzt geändert durch": "last_amended", "Änderung durch": "pending_amendment",
}  # fmt: skip


class DeMd(FileFormat):
    """A German law in Markdown; one file is one law."""

    name = "de_md"
    version = 4

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file opens with this collection's metadata and its list of dates."""
        text = head.decode("utf-8", "replace")
        match = _FRONT.match(text)
        if match is None:
            return False
        keys = {field[1] for line in match["meta"].splitlines() if (field := re.match(r"(\w+):", line))}
        return {"Title", "slug", "layout"} <= keys and re.search(r"^Ausfertigungsdatum\r?\n: ", text, re.M) is not None

    def read(self, source: Source) -> ParsedDocument:
        """Read a law.

        Raises:
            IngestError: too large, not UTF-8, without metadata, title or abbreviation, or without a provision.
        """
        text = _read(source)
        match = _FRONT.match(text)
        if match is None:
            raise IngestError("does not open with a block of metadata", file=source.name, line=1)
        meta = _metadata(match["meta"])
        offset = text.count("\n", 0, match.end()) + 1
        reader = _Reader(source.name)
        front, divisions = reader.read(list(enumerate(text[match.end() :].splitlines(), start=offset)))
        title = meta.get("Title") or reader.title
        short = meta.get("jurabk") or reader.abbreviation or meta.get("slug", "")
        if not title or not short:
            raise IngestError("its metadata lacks the title or the abbreviation of the law", file=source.name, line=1)
        place = meta.get("origslug") or meta.get("slug", "")
        url = f"https://www.gesetze-im-internet.de/{place}/" if re.fullmatch(r"[\w-]+", place) else ""
        corpus = law_corpus(short, title, url)
        tags = {"abbreviation": short, **reader.tags}
        tree = LawTree(corpus, cited_abbreviation(short, title), source.name, tags, other_urns(short, title))
        tree.read(divisions, front)
        counts = [f"left out: {count} {what}" for what, count in sorted(reader.left_out.items()) if count]
        document = ParsedDocument(
            corpus, tree.nodes, source.name, self.name, source.sha256(), self.version,
            edition_date=reader.edition, links=tree.history(), warnings=[*reader.warnings, *counts, *tree.warnings],
        )  # fmt: skip
        return undamaged(document)


def _read(source: Source) -> str:
    text = read_text(source.path, source.name)
    damaged = re.search("[\x00-\x08\x0e-\x1f\ufffd]", text)
    if damaged:
        line = text.count("\n", 0, damaged.start()) + 1
        raise IngestError("holds control or replacement characters", file=source.name, line=line)
    # Other characters that Python takes for line ends would part lines that the publisher wrote as one.
    return re.sub("\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)


def _metadata(text: str) -> dict[str, str]:
    """The fields of the metadata block; a value goes on in indented lines."""
    fields: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        match = _FIELD.match(line)
        if match:
            key = match["key"]
            fields[key] = (match["value"] or "").strip().removeprefix(">-").removeprefix("|-").strip()
        elif key and line[:1] in (" ", "\t"):
            fields[key] = f"{fields[key]} {line.strip()}".strip()
    return {key: value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1 else value
            for key, value in fields.items()}  # fmt: skip


class _Reader:
    """Reads the part of a file below its metadata."""

    def __init__(self, name: str) -> None:
        self.title = ""
        self.abbreviation = ""
        self.tags: dict[str, str] = {}
        self.edition: date | None = None
        self.warnings: list[str] = []
        self._blocks = BlockReader(name)
        self.left_out = self._blocks.left_out

    def read(self, lines: list[tuple[int, str]]) -> tuple[list[Block], list[Division]]:
        front: list[Block] = []
        outermost: list[Division] = []
        stack: list[tuple[int, Division]] = []
        last: Division | None = None
        for level, text, line, body in _sections(lines):
            if level == 1 and not outermost and not self.title:
                self._heading_of_law(self._blocks.plain(text))
                blocks, notes = self._body(self._facts(body))
                front.extend([*blocks, *notes])
                continue
            if level == 0:
                blocks, notes = self._body(self._facts(body))
                front.extend([*blocks, *notes])
                continue
            division = Division(read_heading(self._blocks.plain(text)), line)
            division.blocks, division.notes = self._body(body)
            while stack and _closes(stack[-1], level, division.heading):
                stack.pop()
            if division.heading.kind == "appendix":
                _move_reference(last, division)
            (stack[-1][1].children if stack else outermost).append(division)
            stack.append((level, division))
            last = division
        return front, outermost

    def _heading_of_law(self, text: str) -> None:
        match = re.fullmatch(r"(.*?)\s*\(([^()]+)\)", text)
        self.title, self.abbreviation = (match[1], match[2]) if match else (text, "")

    def _facts(self, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """The lines without the list of dates and sources, which become tags."""
        kept: list[tuple[int, str]] = []
        key = ""
        days: list[date] = []
        for position, (number, text) in enumerate(lines):
            following = lines[position + 1][1] if position + 1 < len(lines) else ""
            if following.startswith(": ") and text.strip() and not text.startswith(":"):
                key = _TAGS.get(text.strip()) or slug(fold(text)).replace("-", "_")
            elif key and text.startswith(":"):
                value = " ".join(text[1:].split())
                self.tags[key] = f"{self.tags[key]}\n{value}" if key in self.tags else value
            elif key and text[:1] == " " and text.strip():
                self.tags[key] = f"{self.tags[key]} {text.strip()}"
            else:
                key = key if not text.strip() and following[:1] == " " else ""
                kept.append((number, text))
        for value in self.tags.values():
            days.extend(_days(value))
        self.edition = max(days, default=None)
        return kept

    def _body(self, lines: list[tuple[int, str]]) -> tuple[list[Block], list[Block]]:
        body, notes = split_footnotes(read_lines(lines))
        return self._blocks.blocks(body), [block for note in notes for block in self._blocks.note(note)]


def _days(text: str) -> Iterator[date]:
    for day, month, year in _DAY.findall(text):
        if 1 <= int(month) <= 12 and 1 <= int(day) <= monthrange(int(year) or 1, int(month))[1] and int(year):
            yield date(int(year), int(month), int(day))


def _sections(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str, int, list[tuple[int, str]]]]:
    """Headings with the lines below them: level (0 before the first), words, line number, lines."""
    level, words, at = 0, "", 0
    body: list[tuple[int, str]] = []
    blank = True
    for number, text in lines:
        match = _HEADING.match(text) if blank else None
        if match:
            if level or any(one.strip() for _, one in body):
                yield level, words, at, body
            level, words, at, body = len(match[1]), match[2], number, []
        else:
            body.append((number, text))
        blank = match is not None or not text.strip()
    if level or any(one.strip() for _, one in body):
        yield level, words, at, body


def _closes(top: tuple[int, Division], level: int, heading: Heading) -> bool:
    """Whether a heading of this level and kind ends the innermost open division."""
    depth, division = top
    above = division.heading
    if depth != level:
        return depth > level
    if heading.kind == "unit":
        if above.kind == "unit" and above.level == "artikel" and heading.level == "paragraph":
            return not _holds_only_units(division)
        # A container holds §§ with as many signs where nothing else is in it, as below the deepest sign.
        return above.kind != "container" or not (level == _CLAMPED or _holds_only_units(division))
    if level < _CLAMPED or heading.kind != "container" or above.kind != "container":
        return True
    return not _below(heading.level, above.level)


def _holds_only_units(division: Division) -> bool:
    return not division.blocks and all(child.heading.kind == "unit" for child in division.children)


def _below(level: str, above: str) -> bool:
    if level == f"unter{above}":
        return True
    return level in RANKS and above in RANKS and RANKS.index(level) > RANKS.index(above)


def _move_reference(last: Division | None, annex: Division) -> None:
    """The line "(zu § 4)" is printed above an annex's heading and so ends the division before it."""
    block = last.blocks[-1] if last and last.blocks else None
    if last and isinstance(block, Paragraph) and _FOR_ANNEX.match(block.text):
        last.blocks.pop()
        annex.blocks.insert(0, block)
