"""The running text of a German law in Markdown: wrapped lines become paragraphs, lists, tables and footnotes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from rag.ingest.formats.german_blocks import MAX_NESTING, Block, Item, Listing, Paragraph, Table, flatten
from retrieval.errors import IngestError

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
    """A line that is not blank. `opens` says that a blank line, or nothing, stands before it."""

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
    """Part the text from the footnotes whose definitions stand in it, and drop lines that are only their marks."""
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
    """What stands between words and the wrapped line after them: nothing where a hyphen inside a word was cut at."""
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
