"""The words of the D.C. Code's XML: text and the cites in it, designators, dates of history notes, stubs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from lxml import etree

from rag.ingest.formats.xml import Element, collapse, local  # pyright: ignore[reportPrivateUsage]
from retrieval.paths import segment

NAMESPACE = "https://code.dccouncil.us/schemas/dc-library"
CORPUS_URN = "urn:lex:us-dc:code"
CODE = "D.C. Code"
NOTES = frozenset({"annotations", "annotation"})

_CODIFY_VALUE = "{https://code.dccouncil.us/schemas/codify}value"
_BLOCKS = frozenset({"center", "p", "div", "li", "ul", "ol", "blockquote", "table", "tr"})
_IMAGES = frozenset({"img", "image", "graphic"})

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(
    r"\b(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b[.,]*\s*(\d{1,2})\b[.,]*\s*(\d{4})\b"
)

_STUB_WORDS = (
    r"repealed|reserved|expired|omitted|transferred|renumbered|redesignated|recodified|superseded|deleted|not funded"
)
_STUB_HEADING = re.compile(rf"\[\s*({_STUB_WORDS})\b[^\]]*\]\W*\Z", re.IGNORECASE)
_STUB_TEXT = re.compile(rf"\W*({_STUB_WORDS})\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cite:
    """A reference that the publisher marked: offsets into the text it stands in, its path and its document."""

    start: int
    end: int
    path: str
    doc: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """Text without mark-up, the cites in it, and the lines of images, which have no text."""

    text: str
    cites: tuple[Cite, ...] = ()
    images: tuple[int, ...] = ()


class _Writer:
    """Collects text; white space is collapsed as it comes, so that offsets are final when they are taken."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        self.gap = ""
        self.cells = 0  # inside a table cell a line break would look like the next row
        self.cites: list[Cite] = []
        self.images: list[int] = []

    def put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.size += len(piece)

    def fill_gap(self) -> None:
        if self.size and self.gap and (self.gap == "\n" or not self.pieces[-1].endswith(" ")):
            self.put(self.gap)
        self.gap = ""

    def write(self, text: str | None) -> None:
        if not text:
            return
        if text[0].isspace():
            self.gap = self.gap or " "
        if words := text.split():
            self.fill_gap()
            self.put(" ".join(words))
            if text[-1].isspace():
                self.gap = " "

    def separate(self) -> None:
        self.gap = " " if self.cells else "\n"

    def inside(self, element: Element) -> None:
        self.write(element.text)
        for child in element:
            self.element(child)
            self.write(child.tail)

    def element(self, element: Element) -> None:
        name = local(element)
        if name in NOTES:
            return
        if name in _IMAGES:
            self.images.append(element.sourceline or 0)
        value = element.get(_CODIFY_VALUE)
        if value and not "".join(element.itertext()).strip():
            self.write(value)
        elif name in ("cite", "code-cite"):
            self.cite(element)
        elif name == "tr" and not self.cells:
            self.row(element)
        elif name in _BLOCKS:
            self.separate()
            self.inside(element)
            self.separate()
        else:
            # `br` stands in the middle of sentences here, so it parts words and not lines.
            self.gap = self.gap or (" " if name in ("br", "text", "td", "th") else "")
            self.inside(element)
            self.gap = self.gap or (" " if name in ("text", "td", "th") else "")

    def cite(self, element: Element) -> None:
        first = len(self.pieces)
        self.inside(element)
        inside = self.pieces[first:]
        if inside:
            start = self.size - len("".join(inside).lstrip())  # the gap before its first word is not its own
            self.cites.append(Cite(start, self.size, element.get("path", ""), element.get("doc", "")))

    def row(self, row: Element) -> None:
        if not "".join(row.itertext()).strip():
            return
        self.gap = "\n"
        self.fill_gap()
        self.cells += 1
        for index, cell in enumerate(row):
            if index:
                self.gap = ""
                self.put(" | ")
            self.inside(cell)
            self.write(cell.tail)
        self.cells -= 1
        self.gap = "\n"


def render(element: Element) -> Rendered:
    """The words of one element.

    White space is collapsed; blocks and table rows stand on lines of their own, cells are separated by ` | `;
    notes are left out; an empty element with a `codify:value` gives that value, as the published Code does.
    """
    writer = _Writer()
    writer.inside(element)
    text = "".join(writer.pieces)
    return Rendered(text.rstrip(), tuple(writer.cites), tuple(writer.images))


def join(blocks: Iterable[Rendered]) -> Rendered:
    """Several blocks as one text, one line each; empty ones vanish, cites move along."""
    texts: list[str] = []
    cites: list[Cite] = []
    images: list[int] = []
    offset = 0
    for block in blocks:
        images.extend(block.images)
        if block.text:
            cites.extend(shifted(block.cites, offset))
            texts.append(block.text)
            offset += len(block.text) + 1
    return Rendered("\n".join(texts), tuple(cites), tuple(images))


def shifted(cites: Iterable[Cite], offset: int) -> Iterator[Cite]:
    """The cites of a text that now begins `offset` characters later."""
    return (Cite(cite.start + offset, cite.end + offset, cite.path, cite.doc) for cite in cites)


def contents_lines(toc: Element) -> list[Rendered]:
    """The entries of a table of contents that stands in the law itself, one line each."""
    lines: list[Rendered] = []
    for entry in toc.iter(etree.Element):
        if local(entry) == "text":
            lines.append(render(entry))
        elif local(entry) in ("container", "section"):
            words = [render(part).text for part in entry if local(part) in ("prefix", "num", "heading")]
            lines.append(Rendered(" ".join(word for word in words if word)))
    return lines


def latest_date(texts: Iterable[str]) -> date | None:
    """The latest date in history notes (`Mar. 14, 2007, D.C. Law 16-276 ...`); None where none names a day."""
    days = (_day(*match) for text in texts for match in _DATE.findall(text))
    return max((day for day in days if day is not None), default=None)


def _day(month: str, day: str, year: str) -> date | None:
    try:
        return date(int(year), _MONTHS.index(month[:3].lower()) + 1, int(day))
    except ValueError:  # February 30 is a misprint, not a date
        return None


def stub_status(heading: str, text: str) -> str:
    """`repealed`, `reserved`, `not funded` ... where the heading's bracket or the whole text says so; else empty."""
    match = _STUB_HEADING.search(heading) or _STUB_TEXT.fullmatch(text)
    return match[1].lower() if match else ""


def designator(printed: str) -> str:
    """A designator without brackets, closing full stop and section sign: `(a-1)` -> `a-1`, `1.` -> `1`."""
    return collapse(re.sub(r"[()\[\]§]", "", printed)).strip(". ")


def section_path(number: str) -> str:
    """The URN segments of a section number: `42-3502.17`, and `28:1-101` for the Uniform Commercial Code.

    Raises:
        InputError: a part of it has no letters or digits.
    """
    return ":".join(segment(part) for part in number.split(":"))
