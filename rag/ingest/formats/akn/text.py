"""The words of an Akoma Ntoso document: text, marks and notes of a block, without the mark-up around them.

What is no text of the law at its place is not lost: notes are handed back as elements for nodes of their own, and
what is left out (quoted structures of other acts, deleted words, images) is counted by kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from lxml import etree

from rag.ingest.formats.xml import Element, collapse  # pyright: ignore[reportPrivateUsage]
from rag.law.nodes import Mark
from retrieval.errors import IngestError

MAX_NESTING = 100  # elements inside one block; published text stays below 20
NOTES = frozenset({"authorialNote", "remark"})
# Mark-up that runs inside a line; every other element is a block with lines of its own.
_INLINE = frozenset(
    {"a", "abbr", "affectedDocument", "argument", "b", "change", "concept", "courtType", "date", "decoration", "def",
     "del", "docAuthority", "docCommittee", "docDate", "docIntroducer", "docJurisdiction", "docNumber",
     "docProponent", "docPurpose", "docStage", "docStatus", "docTitle", "docType", "docketNumber", "embeddedText",
     "em", "entity", "eol", "eop", "event", "extractText", "fillIn", "font", "from", "i", "img", "image", "inline",
     "ins",
     "judge", "lawyer", "legislature", "location", "marker", "mmod", "mod", "mref", "neutralCitation", "noteRef",
     "num", "object", "omissis", "opinion", "organization", "outcome", "party", "person", "placeholder", "process",
     "quantity", "quotedText", "recordedTime", "ref", "relatedDocument", "rmod", "role", "rref", "scene", "session",
     "shortTitle", "signature", "small", "span", "strong", "sub", "sup", "term", "time", "tt", "u", "vote", "br"}
)  # fmt: skip
_IMAGES = frozenset({"img", "image"})
_CELLS = frozenset({"td", "th"})
_REFERENCES = frozenset({"ref", "rref"})


def local(element: Element) -> str:
    """The element's name without its namespace. Every element is asked several times, so names are kept."""
    return _local(str(element.tag))


@lru_cache(maxsize=1024)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


@dataclass(frozen=True, slots=True)
class Rich:
    """Text with the publisher's marks (offsets into it) and the notes that hang on its words.

    A reference mark's target is the publisher's own until the whole document is known.
    """

    text: str = ""
    marks: tuple[Mark, ...] = ()
    notes: tuple[Element, ...] = ()


EMPTY = Rich()


@dataclass(slots=True)
class Words:
    """What rendering has to know of the document, and what it left out.

    Args:
        variables: words of the metadata that an empty reference stands for, by their id.
        keep_quoted: render quoted structures too. A court quotes what it decides by; an act quotes other acts' text.
    """

    variables: dict[str, str] = field(default_factory=dict[str, str])
    keep_quoted: bool = False
    left_out: Counter[str] = field(default_factory=Counter[str])

    def render(self, element: Element, *, whole: bool = False) -> Rich:
        """The words inside an element; with `whole`, what its own tag adds too (quotation marks, rows)."""
        writer = _Writer(self)
        if whole:
            writer.element(element)
        else:
            writer.inside(element)
        return writer.done()


def stray(text: str | None) -> Iterator[Rich]:
    """Words that stand between elements, if there are any."""
    if text and not text.isspace():
        yield Rich(collapse(text))


def join(blocks: Iterable[Rich], separator: str = "\n") -> Rich:
    """Several blocks as one text, one line each; empty ones vanish, marks move along, all notes stay."""
    blocks = [block for block in blocks if block.text or block.notes]
    if len(blocks) < 2:
        return blocks[0] if blocks else EMPTY
    texts: list[str] = []
    marks: list[Mark] = []
    notes: list[Element] = []
    offset = 0
    for block in blocks:
        notes.extend(block.notes)
        if block.text:
            marks.extend(shifted(block.marks, offset))
            texts.append(block.text)
            offset += len(block.text) + len(separator)
    return Rich(separator.join(texts), tuple(marks), tuple(notes))


def shifted(marks: Iterable[Mark], offset: int) -> list[Mark]:
    """The marks of a text that now begins `offset` characters later."""
    return [Mark(mark.start + offset, mark.end + offset, mark.kind, mark.target) for mark in marks]


def attribute(element: Element, name: str) -> str:
    """An attribute's value whatever its namespace: publishers keep quotation marks in their own."""
    own = element.get(name)
    if own is not None:
        return own
    return next((str(value) for key, value in element.attrib.items() if etree.QName(key).localname == name), "")


def has_words(element: Element) -> bool:
    """Whether any text stands in the element."""
    return any(text.strip() for text in element.itertext())


class _Writer:
    """Collects text; white space is collapsed as it comes, so that offsets are final when they are taken."""

    def __init__(self, words: Words, depth: int = 0) -> None:
        self.words = words
        self.pieces: list[str] = []
        self.size = 0
        self.depth = depth
        self.gap = ""
        self.cells = 0  # inside a cell a line break would look like the next row
        self.numbered = False  # the words after a designator stay on its line
        self.quoting = 0
        self.marks: list[Mark] = []
        self.notes: list[Element] = []

    def done(self) -> Rich:
        text = "".join(self.pieces).rstrip()
        return Rich(text, tuple(mark for mark in self.marks if mark.start < mark.end), tuple(self.notes))

    def put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.size += len(piece)

    def write(self, text: str | None) -> None:
        if not text:
            return
        if text[0].isspace():
            self.gap = self.gap or " "
        if words := text.split():
            if self.size and self.gap and (self.gap == "\n" or not self.pieces[-1].endswith(" ")):
                self.put(self.gap)
            self.put(" ".join(words))
            self.gap = " " if text[-1].isspace() else ""
            self.numbered = False

    def separate(self) -> None:
        self.gap = " " if self.cells or self.numbered else "\n"

    def inside(self, element: Element) -> None:
        if self.depth == MAX_NESTING:
            raise IngestError(f"text is nested deeper than {MAX_NESTING} elements", line=element.sourceline)
        self.depth += 1
        self.write(element.text)
        for child in element:
            self.element(child)
            self.write(child.tail)
        self.depth -= 1

    def element(self, element: Element) -> None:
        name = local(element)
        if name in NOTES:
            self.notes.append(element)
        elif name == "meta":
            self.words.left_out["metadata inside a block"] += 1
        elif name == "quotedStructure" and not self.words.keep_quoted:
            self.words.left_out["quoted structure of another act"] += 1
        elif name == "del":
            self.words.left_out["deleted passage"] += 1
        elif name == "toc":
            self.words.left_out["table of contents"] += 1
        elif name in ("quotedStructure", "quotedText", "embeddedStructure", "embeddedText"):
            self.quoted(element, block=name.endswith("Structure"))
        elif name in ("def", "term"):
            self.marked(element, "" if self.quoting else "term")
        elif name in _REFERENCES or (name == "a" and "://" in element.get("href", "")):
            self.reference(element)
        elif name == "i":
            self.marked(element, "" if self.quoting else "italic")
        elif name == "tr" and not self.cells:
            self.row(element)
        elif name == "num":
            self.inside(element)
            self.gap, self.numbered = " ", True
        elif name in _INLINE:
            self.inline(element, name)
        else:
            self.separate()
            self.inside(element)
            self.numbered = self.numbered and not has_words(element)
            self.separate()

    def inline(self, element: Element, name: str) -> None:
        if name in _IMAGES:
            self.words.left_out["image"] += 1
        if name in ("br", "eol") and attribute(element, "breakWord") == "":
            self.gap = self.gap or " "
        if name == "marker":
            self.gap = self.gap or " "
        self.inside(element)

    def quoted(self, element: Element, *, block: bool) -> None:
        if block:
            self.separate()
        self.quoting += 1
        self.in_quotes(element)
        self.quoting -= 1
        if block:
            self.separate()

    def in_quotes(self, element: Element) -> tuple[int, int]:
        """Write the words with the quotation marks that the publisher keeps in attributes; where the words stand."""
        opening, closing = attribute(element, "startQuote"), attribute(element, "endQuote")
        self.write(opening)
        first = len(self.pieces)
        self.inside(element)
        inside = "".join(self.pieces[first:])
        start, end = self.size - len(inside.lstrip()), self.size
        if closing:
            gap, self.gap = self.gap, ""
            self.write(closing)
            self.gap = gap
        return start, end

    def marked(self, element: Element, kind: str) -> None:
        start, end = self.in_quotes(element)
        if kind:
            self.marks.append(Mark(start, end, kind))

    def reference(self, element: Element) -> None:
        href = element.get("href", "") or element.get("from", "")
        if not has_words(element):
            self.write(self.words.variables.get(href.removeprefix("#"), ""))
            return
        start, end = self.in_quotes(element)
        self.marks.append(Mark(start, end, "reference", href))

    def row(self, row: Element) -> None:
        self.write(row.text)
        cells: list[Rich] = []
        for part in row:
            inner = _Writer(self.words, self.depth)
            inner.cells, inner.quoting = 1, self.quoting
            inner.inside(part) if local(part) in _CELLS else inner.element(part)
            inner.write(part.tail)
            cells.append(inner.done())
        self.gap = "\n"
        if any(cell.text for cell in cells):
            if self.size:
                self.put("\n")
            for index, cell in enumerate(cells):
                if index:
                    self.put(" | ")
                self.append(cell)
            self.gap = "\n"
        self.notes.extend(note for cell in cells for note in cell.notes)

    def append(self, cell: Rich) -> None:
        if not cell.text:
            return
        self.marks.extend(shifted(cell.marks, self.size))
        self.put(cell.text)


_BRACKETS = re.compile(r"[()\[\]{}§¶⟨⟩]")
# Words that printed designators carry before or after the number itself, in languages Akoma Ntoso is published in.
_LEVEL_WORDS = re.compile(
    r"(?:sub)?(?:part|chapter|section|division|paragraph|title)|article|art\.?|articolo|artículo|articulo|artigo"
    r"|artikel|artykuł|schedule|sched\.?|annex|annexe|appendix|regulation|reg\.?|rule|order|clause|book|volume|tome"
    r"|livre|titre|chapitre|sous-section|partie|libro|titolo|capo|capitolo|sezione|parte|allegato|comma"
    r"|título|titulo|capítulo|capitulo|sección|seccion|secção|seção|anexo|livro|hoofdstuk|afdeling|deel|bijlage"
    r"|kapitel|abschnitt|teil|buch|anhang|anlage|rozdział|sehemu|jedwali|paragraaf|lid|s\.|sec\.|cap\.|ch\.|pt\.|no\.|n[º°]",
    re.IGNORECASE,
)
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
)  # fmt: skip


def designator(printed: str) -> str:
    """A designator without brackets, closing stop and level word: `(1)` -> `1`, `Part 2A` -> `2A`, `Art. 3` -> `3`.

    `First Schedule` is `1`, as it is cited. Empty where no letter or digit is left.
    """
    plain = collapse(_BRACKETS.sub("", printed)).strip(".,:;—–- ")
    words = plain.split(" ")
    while words and _LEVEL_WORDS.fullmatch(words[0]):
        words = words[1:]
    while words and _LEVEL_WORDS.fullmatch(words[-1]):
        words = words[:-1]
    if len(words) == 1 and words[0].lower() in _ORDINALS:
        return str(_ORDINALS.index(words[0].lower()) + 1)
    number = " ".join(words).strip(".,:;—–- ")
    return number if re.search(r"[^\W_]", number) else ""
