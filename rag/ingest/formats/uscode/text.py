"""The words of United States Legislative Markup: text with its marks, designators, what is left out on purpose.

USLM 1.0 (House, U.S. Code) and USLM 2.0 (GPO: public laws, compilations, C.F.R.) share their element names. Notes of
every kind, source credits, margin notes, page marks and tables of contents are publication, not law.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lxml import etree

from rag.ingest.formats.uscode.cites import urn_of
from rag.ingest.formats.xml import Element, collapse, local
from rag.law.nodes import Mark
from retrieval.errors import InputError
from retrieval.paths import segment, slug

IMAGE = "[image]"
# Read outside the text or not at all: their own words never reach a node's text.
LEFT_OUT = frozenset(
    {"notes", "note", "footnote", "endnote", "sourceCredit", "toc", "editorialNote", "sidenote", "page", "ear",
     "authority", "source", "effectiveDateNote", "crossReference", "approval", "explanationNote", "editionNote",
     "organizationNote", "citationNote", "statutoryNote", "changeNote", "action", "legislativeHistory", "endMarker",
     "signatures", "index"}
)  # fmt: skip
FOOTNOTES = frozenset({"footnote", "endnote"})

_BLOCKS = frozenset(
    {"p", "content", "chapeau", "continuation", "proviso", "text", "quotedContent", "figure", "table", "thead", "tbody",
     "tfoot", "caption", "list", "listItem", "listHeading", "listContent", "formula", "equation", "block", "layout",
     "recital", "resolvingClause", "enactingFormula", "docTitle", "officialTitle", "longTitle", "signature", "level",
     "section", "subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem", "subsubitem",
     "title", "subtitle", "chapter", "subchapter", "part", "subpart", "division", "article", "header", "row", "div",
     "ul", "ol", "li", "tocItem", "crossheading"}
)  # fmt: skip
_CELLS = frozenset({"td", "th", "column", "entry"})
_ROWS = frozenset({"tr", "tocItem", "header", "row"})
_TERMS = frozenset({"term", "def"})
_ITALIC_CLASS = re.compile(r"(?:\A|\s)(?:italic|-gpo-grid-\d-3)(?:\s|\Z)")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_UNIT = re.compile(
    r"\A\W*(?:(?:sections?|secs?\.?|rule|article|art\.|part|chapter|title|subtitle|subchapter)\s)?\s*", re.I
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
MAX_NESTING = 96  # elements inside one another; published law reaches about 30


class TooDeep(InputError):
    """Elements are nested deeper than law ever is."""


@dataclass(frozen=True, slots=True)
class Words:
    """Text without mark-up, the marks in it, and how many images it has."""

    text: str = ""
    marks: tuple[Mark, ...] = ()
    images: int = 0

    def __bool__(self) -> bool:
        return bool(self.text)


class Reader:
    """Reads the words of elements.

    Args:
        quotes: whether quoted content is the document's own law. In a public law it is the text of another act.
    """

    def __init__(self, *, quotes: bool) -> None:
        self.quotes = quotes
        self.left_out: Counter[str] = Counter()  # what is left out on purpose, by the element's name
        self.kept: set[Element] = set()  # notes that are law and have nodes of their own
        self._counted: set[Element] = set()  # a heading is read more than once, what it leaves out counts once
        self.footnotes: frozenset[str] = frozenset()  # numbers of the present section's footnotes

    def read(self, element: Element) -> Words:
        """The words of one element, its own tail not included.

        White space is collapsed and soft hyphens vanish; blocks and table rows stand on lines of their own, cells are
        parted by ` | `; an image is `[image]`; footnote marks are left out.

        Raises:
            TooDeep: nested deeper than `MAX_NESTING`.
        """
        writer = _Writer(self)
        if local(element) in _ROWS:
            writer.row(element, 0)
        else:
            writer.inside(element, 0)
        return Words("".join(writer.pieces).rstrip(), tuple(writer.marks), writer.images)

    def read_note(self, element: Element) -> Words:
        """The words of a note without its heading and its own number.

        Raises:
            TooDeep: nested deeper than `MAX_NESTING`.
        """
        writer = _Writer(self)
        writer.inside(element, 0, skip=frozenset({"heading", "num"}))
        return Words("".join(writer.pieces).rstrip(), tuple(writer.marks), writer.images)

    def silent(self, element: Element) -> bool:
        """Whether an element adds no words to the level it stands in."""
        return local(element) in LEFT_OUT or (local(element) == "quotedContent" and not self.quotes)

    def omits(self, element: Element) -> bool:
        """Whether this element is left out of the text it stands in; counts it where it has words."""
        name = local(element)
        if element in self.kept:
            return True
        if name == "quotedContent" and not self.quotes:
            kind = "quotedContent (text of other acts)"
        elif name == "note" and element.get("type") == "footnote":
            kind = "footnote"
        elif name in LEFT_OUT:
            kind = name
        elif (name == "ref" and "footnoteRef" in (element.get("class") or "")) or self._repeated_mark(element):
            kind = "footnote mark"
        else:
            return False
        if element not in self._counted and "".join(element.itertext()).strip():
            self._counted.add(element)
            self.left_out["note" if name == "notes" else kind] += len(element) if name == "notes" else 1
        return True

    def _repeated_mark(self, element: Element) -> bool:
        return local(element) == "sup" and collapse("".join(element.itertext())) in self.footnotes


class _Writer:
    """Collects text; white space is collapsed as it comes, so that offsets are final when they are taken."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.pieces: list[str] = []
        self.size = 0
        self.gap = ""
        self.cells = 0  # inside a cell a line break would look like the next row
        self.dropped = False  # a footnote mark stood here: the space before it was its own
        self.marks: list[Mark] = []
        self.images = 0

    def put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.size += len(piece)

    def fill_gap(self) -> None:
        if self.size and self.gap and (self.gap == "\n" or not self.pieces[-1].endswith((" ", "\n"))):
            self.put(self.gap)
        self.gap = ""

    def write(self, text: str | None) -> None:
        text = _INVISIBLE.sub("", text or "")
        if not text:
            return
        if text[0].isspace():
            self.gap = self.gap or " "
        if words := text.split():
            if self.dropped and self.gap == " " and words[0][0] in ".,;:)”’":
                self.gap = ""
            self.dropped = False
            self.fill_gap()
            self.put(" ".join(words))
            if text[-1].isspace():
                self.gap = " "

    def separate(self) -> None:
        self.gap = " " if self.cells else "\n"

    def inside(self, element: Element, depth: int, skip: frozenset[str] = frozenset()) -> None:
        if depth > MAX_NESTING:
            raise TooDeep(f"elements are nested deeper than {MAX_NESTING} levels")
        self.write(element.text)
        for child in element:
            if local(child) not in skip:
                self.element(child, depth + 1)
            self.write(child.tail)

    def element(self, element: Element, depth: int) -> None:
        name = local(element)
        if self.reader.omits(element):
            self.dropped = True
        elif name in ("img", "image", "graphic"):
            self.images += 1
            self.gap = self.gap or " "
            self.write(f"{IMAGE} ")
        elif name in _ROWS and not self.cells:
            self.row(element, depth)
        elif name in _BLOCKS:
            self.separate()
            self.inside(element, depth)
            self.separate()
        elif name == "br":
            self.gap = self.gap or " "
        elif name in ("num", "heading", "designator", "label"):
            self.gap = self.gap or " "
            self.inside(element, depth)
            self.gap = self.gap or " "
        else:
            self.marked(element, name, depth)

    def marked(self, element: Element, name: str, depth: int) -> None:
        first, images = len(self.pieces), self.images
        self.inside(element, depth)
        kind, target = "", ""
        if name == "ref" and element.get("href"):
            kind, target = "reference", urn_of(element.get("href", ""))
        elif name in _TERMS:
            kind = "term"
        elif name in ("i", "em") or _ITALIC_CLASS.search(element.get("class") or ""):
            kind = "italic"
        inside = "".join(self.pieces[first:])
        if kind and inside.strip() and images == self.images:
            # The gap before its first word is not its own.
            self.marks.append(Mark(self.size - len(inside.lstrip()), self.size, kind, target))

    def row(self, row: Element, depth: int) -> None:
        if not "".join(row.itertext()).strip():
            return
        self.gap = "\n"
        self.fill_gap()
        self.cells += 1
        self.write(row.text)
        for index, cell in enumerate(row):
            if index and local(cell) in _CELLS:
                self.gap = ""
                self.put(" | ")
            self.inside(cell, depth + 1)
            self.write(cell.tail)
        self.cells -= 1
        self.gap = "\n"


def join(parts: Iterable[Words], separator: str = "\n") -> Words:
    """Several texts as one, one line each; empty ones vanish, marks move along."""
    texts: list[str] = []
    marks: list[Mark] = []
    offset = images = 0
    for part in parts:
        images += part.images
        if part.text:
            marks.extend(shifted(part.marks, offset))
            texts.append(part.text)
            offset += len(part.text) + len(separator)
    return Words(separator.join(texts), tuple(marks), images)


def shifted(marks: Iterable[Mark], offset: int) -> list[Mark]:
    """The marks of a text that now begins `offset` characters later."""
    return [replace(mark, start=mark.start + offset, end=mark.end + offset) for mark in marks]


def stray(text: str | None) -> Words:
    """Words that stand directly between elements."""
    return Words(collapse(_INVISIBLE.sub("", text or "")))


def designator(num: Element) -> str:
    """A number without brackets, section sign and closing point: `§ 106.` with value `106` -> `106`.

    The publisher's `value` wins over what is printed; typographic dashes become hyphens.
    """
    value = collapse(num.get("value") or "")
    if not value:
        printed = collapse((num.text or "") + "".join(child.tail or "" for child in num))
        value = _UNIT.sub("", printed)
    return collapse(re.sub(r"[()\[\]§“”\"]", " ", ascii_dashes(_INVISIBLE.sub("", value)))).strip(" .:-")


def ascii_dashes(text: str) -> str:
    """The text with typographic dashes as hyphens: `s1308–1` -> `s1308-1`."""
    return _DASHES.sub("-", text)


def citable(number: str) -> str:
    """A URN segment of a number, empty where it has no letter or digit."""
    try:
        return segment(number) if number.isascii() else segment(number.encode("ascii", "ignore").decode())
    except InputError:
        return ""


def heading_text(words: str) -> str:
    """A heading without the dash that leads over to its text and the second half of a bracket pair."""
    text = words.rstrip(" —–")
    if text.endswith("]") and text.count("]") > text.count("["):
        text = text[:-1].rstrip()
    return collapse(text)


def spoken(name: str) -> str:
    """An element's name as words: `courtRules` -> `court rules`."""
    return _CAMEL.sub(" ", name).lower()


def word_slug(text: str) -> str:
    """A URN segment for a heading."""
    return slug(text)


def footnote_numbers(element: Element) -> frozenset[str]:
    """The numbers of all footnotes inside an element, to know their marks when these are repeated."""
    found: set[str] = set()
    for note in element.iter(etree.Element):
        is_note = local(note) in FOOTNOTES or (local(note) == "note" and note.get("type") == "footnote")
        if is_note:
            found.update(collapse("".join(one.itertext())) for one in note if local(one) in ("num", "sup"))
    return frozenset(found)
