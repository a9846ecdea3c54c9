"""The words of XML: mixed content as text with marks, in which every block and table row is a line of its own.

A format names the role of each element in a table (`Writer.ROLES`), what every other element is (`Writer.OTHERS`), and
overrides what is its own. White space is collapsed as the words come, so that offsets are final when they are taken.

| role | what becomes of the element |
| --- | --- |
| inline | its words stay in the line |
| apart | in the line too, parted from the words around it by a space |
| block | lines of its own |
| flat | a block of one line, whatever blocks it holds |
| row, cell | a line of cells parted by ` | `; inside a cell a line break would look like the next row |
| number | a designator: the words after it stay on its line, whatever blocks they are in |
| aside | left out of the text and handed back with it: notes, pictures |
| nothing | left out |
| term, italic, reference, quoted | inline, and marked; `target` gives the target of the mark |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from rag.ingest.formats.xml import MAX_NESTING, Element, collapse, local
from rag.law.nodes import Mark, ParsedNode
from retrieval.errors import IngestError

IMAGE = "[image]"  # marks the place of a picture, whose words, if any, cannot be read
_MARKED = frozenset({"term", "italic", "reference", "quoted"})
# Operators of formulas that programs read aloud and nobody prints: function application, times, separator, plus.
_OPERATORS = dict.fromkeys(range(0x2061, 0x2065))
_CLOSING = ".,;:)’”"


@dataclass(frozen=True, slots=True)
class Rich:
    """Text, the publisher's marks (offsets into it), and the elements that were left out of it and handed back."""

    text: str = ""
    marks: tuple[Mark, ...] = ()
    aside: tuple[Element, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    def cut(self, start: int, end: int | None = None) -> Rich:
        """The part from `start` to `end`, without white space around it; marks are clipped and move along."""
        part = self.text[start:end]
        begin = start + len(part) - len(part.lstrip())
        part = part.strip()
        finish = begin + len(part)
        spans = ((max(mark.start, begin) - begin, min(mark.end, finish) - begin, mark) for mark in self.marks)
        marks = (replace(mark, start=first, end=last) for first, last, mark in spans if first < last)
        return Rich(part, tuple(marks), self.aside)


def shifted(marks: Iterable[Mark], offset: int) -> list[Mark]:
    """The marks of a text that now begins `offset` characters later."""
    return [Mark(mark.start + offset, mark.end + offset, mark.kind, mark.target) for mark in marks]


def join(parts: Iterable[Rich], separator: str = "\n") -> Rich:
    """Several texts as one, one line each; empty ones vanish, marks move along, all that is aside stays."""
    texts: list[str] = []
    marks: list[Mark] = []
    aside: list[Element] = []
    offset = 0
    for part in parts:
        aside.extend(part.aside)
        if part.text:
            marks.extend(shifted(part.marks, offset))
            texts.append(part.text)
            offset += len(part.text) + len(separator)
    return Rich(separator.join(texts), tuple(marks), tuple(aside))


def loose(text: str | None) -> Rich:
    """Words that are between elements."""
    return Rich(collapse(text or ""))


def has_words(element: Element) -> bool:
    """Whether any text is in the element."""
    return any(text.strip() for text in element.itertext())


def set_text(node: ParsedNode, lead: Rich, flush: Rich) -> None:
    """Give a node the words before its children and those after them, with their marks."""
    node.intro_text, node.content_text = lead.text, flush.text
    node.marks = [*lead.marks, *shifted(flush.marks, len(lead.text) + 1 if lead.text else 0)]


class Writer:
    """Collects the words of elements."""

    ROLES: ClassVar[Mapping[str, str]] = {}
    OTHERS: ClassVar[str] = "inline"

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        self.gap = ""  # what parts the words written from those to come
        self.glued = False  # the gap stays as it is, whatever blocks begin before the next word
        self.dropped = False  # something was left out here: a space before it was its own
        self.cells = 0
        self.depth = 0
        self.marks: list[Mark] = []
        self.aside: list[Element] = []

    def read(self, element: Element, *, whole: bool = False, skip: frozenset[str] = frozenset()) -> Rich:
        """The words inside an element; with `whole`, what its own role adds too.

        Raises:
            IngestError: elements are nested deeper than `MAX_NESTING`.
        """
        if whole:
            self.element(element)
        else:
            self.inside(element, skip)
        return self.done()

    def done(self) -> Rich:
        """What was written so far."""
        return Rich("".join(self.pieces).rstrip(), tuple(self.marks), tuple(self.aside))

    # What a format says of its elements

    def role(self, element: Element, name: str) -> str:
        """The role of an element."""
        return self.ROLES.get(name, self.OTHERS)

    def special(self, element: Element, role: str) -> None:
        """Write an element of a role that the format alone knows."""
        raise NotImplementedError(role)

    def target(self, element: Element, role: str) -> str:
        """The target of the mark on an element's words."""
        return ""

    def children(self, element: Element) -> Iterable[Element]:
        """The elements inside an element in the order they are printed."""
        return element

    # Words

    def append(self, piece: str) -> None:
        """Add characters as they are."""
        self.pieces.append(piece)
        self.size += len(piece)

    def put(self, piece: str) -> None:
        """Add words behind the gap."""
        if self.size and self.gap and (self.gap == "\n" or not self.pieces[-1].endswith((" ", "\n"))):
            self.append(self.gap)
        self.gap, self.glued, self.dropped = "", False, False
        self.append(piece)

    def write(self, text: str | None) -> None:
        """Add character data."""
        if not text:
            return
        if text[0].isspace() and not self.glued:
            self.gap = self.gap or " "
        if words := " ".join(text.translate(_OPERATORS).split()):
            if self.dropped and self.gap == " " and words[0] in _CLOSING:
                self.gap = ""
            self.put(words)
            self.gap = " " if text[-1].isspace() else ""

    def separate(self) -> None:
        """Begin a line."""
        if not self.glued:
            self.gap = (self.gap or " ") if self.cells else "\n"

    def glue(self, gap: str) -> None:
        """Part what was written from the next word by `gap`, whatever blocks begin before it."""
        self.gap, self.glued = gap, True

    # Elements

    def inside(self, element: Element, skip: frozenset[str] = frozenset()) -> None:
        """Write what is in an element, but for children of the names in `skip`."""
        if self.depth == MAX_NESTING:
            raise IngestError(f"text is nested deeper than {MAX_NESTING} elements", line=element.sourceline)
        self.depth += 1
        self.write(element.text)
        for child in self.children(element):
            if local(child) not in skip:
                self.element(child)
            self.write(child.tail)
        self.depth -= 1

    def element(self, element: Element) -> None:
        """Write an element by its role, without its tail."""
        role = self.role(element, local(element))
        if role == "inline":
            self.inside(element)
        elif role in ("apart", "cell"):
            self.gap = self.gap or " "
            self.inside(element)
            self.gap = self.gap or " "
        elif role == "block" or (role == "row" and self.cells):
            self.separate()
            self.inside(element)
            self.separate()
        elif role == "flat":
            self.separate()
            self.cells += 1
            self.inside(element)
            self.cells -= 1
            self.separate()
        elif role == "row":
            self.row(element)
        elif role == "number":
            self.inside(element)
            self.glue(" ")
        elif role == "aside":
            self.aside.append(element)
            self.dropped = True
        elif role in _MARKED:
            self.marked(element, role)
        elif role != "nothing":
            self.special(element, role)

    def marked(self, element: Element, kind: str) -> None:
        """Write an element inline and mark its words, without the gap before the first of them."""
        first = len(self.pieces)
        self.inside(element)
        inside = "".join(self.pieces[first:]).lstrip()
        if inside.strip():
            self.marks.append(Mark(self.size - len(inside), self.size, kind, self.target(element, kind)))

    def row(self, row: Element) -> None:
        """Write a row of a table; one without words vanishes."""
        pieces, size, gap = len(self.pieces), self.size, self.gap
        self.separate()
        if self.size:
            self.append(self.gap)
        self.gap = ""
        self.cells += 1
        self.write(row.text)
        for index, cell in enumerate(row):
            if self.role(cell, local(cell)) != "cell":
                self.element(cell)
            else:
                if index:
                    self.append(" | ")
                self.glue("")
                self.inside(cell)
                self.glued = False
            self.write(cell.tail)
        self.cells -= 1
        if "".join(self.pieces[pieces:]).strip(" |\n"):
            self.gap = "\n"
        else:
            del self.pieces[pieces:]
            self.size, self.gap = size, gap
