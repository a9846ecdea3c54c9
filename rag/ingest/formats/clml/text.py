"""The words of CLML: text with the marks in it, tables as rows, quoted text of other laws in quotation marks.

Amendment mark-up (Addition, Substitution, Repeal) is transparent: what is shown is kept, dots for repealed words
included. Notes of the editors (commentaries, margin notes, footnotes of running text) are left out and counted;
a footnote that a table points to is part of the table and becomes a row of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from rag.ingest.formats.xml import Element, collapse, local  # pyright: ignore[reportPrivateUsage]
from rag.jurisdictions.gb.addresses import target_urn
from rag.law.nodes import Mark

MATHML = "http://www.w3.org/1998/Math/MathML"
QUOTED_BLOCKS = frozenset({"BlockAmendment", "BlockExtract"})
LEFT_OUT = {
    "CommentaryRef": "editorial annotations", "MarginNoteRef": "margin notes", "FootnoteRef": "footnotes",
    "Image": "images", "IncludedDocument": "included documents", "Footnote": "footnotes",
}  # fmt: skip
_INLINE = frozenset(
    {"Emphasis", "Strong", "Underline", "SmallCaps", "Uppercase", "Superior", "Inferior", "Abbreviation", "Acronym",
     "Definition", "Proviso", "Term", "Span", "Citation", "CitationSubRef", "CitationListRef", "InternalLink",
     "ExternalLink", "Addition", "Repeal", "Substitution", "InlineAmendment", "AppendText", "Strike", "Expanded",
     "Foreign", "Quotation", "DateText", "a", "b", "i", "em", "strong", "sub", "sup", "span"}
)  # fmt: skip
# One line each, whatever blocks they hold.
_FLAT = frozenset({"td", "th", "MadeDate", "LaidDate", "SiftedDate", "ComingIntoForce", "DateSigned", "AddressLine"})
_BRACKETS = {"P1": ("", ""), "parens": ("(", ")"), "parenRight": ("", ")"), "period": ("", "."), "brackets": ("[", "]")}
_EXPONENT = re.compile(r"[+−–-]?\d+\Z")


@dataclass(frozen=True, slots=True)
class Rendered:
    """Text without mark-up and its marks. A mark's target is a URN, or `#` and the id of an element of the file."""

    text: str
    marks: tuple[Mark, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    repealed_in: frozenset[str] = frozenset()  # extents in which some of the words shown are repealed


class Writer:
    """Collects the text of elements; white space is collapsed as it comes, so that offsets are final when taken.

    Args:
        footnotes: the document's footnotes by id, for tables that point to them.
        citations: the document's Citation elements by id, which name the law of a CitationSubRef.
    """

    def __init__(self, footnotes: Mapping[str, Element], citations: Mapping[str, Element]) -> None:
        self._footnotes, self._citations = footnotes, citations
        self._pieces: list[str] = []
        self._size = 0
        self._gap = ""
        self._glued = False  # the gap stands, whatever blocks begin before the next word
        self._after_note = False
        self._flat = 0
        self._quoted = 0
        self._table: dict[str, int] | None = None  # footnote id -> its number in this table
        self._marks: list[Mark] = []
        self._left_out: Counter[str] = Counter()
        self._repealed: set[str] = set()

    def rendered(self) -> Rendered:
        """What was written so far."""
        text = "".join(self._pieces)
        return Rendered(text, tuple(self._marks), dict(self._left_out), frozenset(self._repealed))

    def text(self, words: str | None) -> None:
        """Write character data."""
        if not words:
            return
        if words[0].isspace() and not self._glued:
            self._gap = self._gap or " "
        if plain := " ".join(words.split()):
            if self._after_note and self._gap == " " and plain[0] in ".,;:)’”":
                self._gap = ""  # the space stood before a footnote's number
            self._put(plain)
            if words[-1].isspace():
                self._gap = " "

    def element(self, element: Element) -> None:
        """Write an element, without its tail."""
        name = local(element)
        if name == "FootnoteRef" and self._table is not None:
            for ref in (element.get("Ref") or "").split():
                self._put(f"[{self._table.setdefault(ref, len(self._table) + 1)}]")
        elif name == "Footnote" and self._table is not None:
            self._footnote(element)
        elif name in LEFT_OUT:
            self._left_out[LEFT_OUT[name]] += 1
            self._after_note = True
        elif etree.QName(element).namespace == MATHML:
            self._math(element, name)
        elif name in QUOTED_BLOCKS:
            self._quotation(element)
        elif name in ("Tabular", "table") and self._table is None:
            self._tabular(element, name)
        elif name == "tr" and not self._flat:
            self._row(element)
        elif name == "OrderedList":
            self._list(element)
        elif name == "KeyListItem":
            self._key_item(element)
        elif name in ("br", "Character"):
            self._gap = self._gap or " "
        elif name == "Pnumber":
            self._pnumber(element)
        elif name in _INLINE:
            self._inline(element, name)
        else:
            self._block(element, name)

    # Blocks

    def _put(self, piece: str) -> None:
        if self._size and self._gap:
            self._append(self._gap)
        self._gap, self._glued, self._after_note = "", False, False
        self._append(piece)

    def _append(self, piece: str) -> None:
        self._pieces.append(piece)
        self._size += len(piece)

    def _separate(self) -> None:
        if not self._glued:
            self._gap = (self._gap or " ") if self._flat else "\n"

    def _inside(self, element: Element) -> None:
        self.text(element.text)
        # The foot of a table stands first in older files; it is printed last.
        for child in sorted(element, key=_is_foot) if local(element) == "table" else element:
            self.element(child)
            self.text(child.tail)

    def _block(self, element: Element, name: str) -> None:
        self._separate()
        self._flat += name in _FLAT
        self._inside(element)
        self._flat -= name in _FLAT
        self._separate()

    def _pnumber(self, element: Element) -> None:
        self._separate()
        parent = element.getparent()
        level = "" if parent is None else local(parent)
        before, after = _BRACKETS["P1" if level == "P1" else "parens"]
        self._put(element.get("PuncBefore", before))
        self._gap, self._glued = "", True
        self._inside(element)
        self._gap = ""
        self._put(element.get("PuncAfter", after))
        self._gap, self._glued = " ", True

    def _list(self, element: Element) -> None:
        self._separate()
        for item, designator in list_items(element):
            self._separate()
            if designator:
                self._put(designator)
                self._gap, self._glued = " ", True
            self._inside(item)
            self._separate()

    def _key_item(self, element: Element) -> None:
        parent = element.getparent()
        self._separate()
        for child in element:
            if local(child) == "Key":
                self._inside(child)
                separator = "" if parent is None else parent.get("Separator", "")
                if separator:
                    self._gap = " "
                    self._put(separator)
                self._gap, self._glued = " ", True
            else:
                self.element(child)
        self._separate()

    def _quotation(self, element: Element) -> None:
        self._separate()
        opening, closing = {"none": ("", ""), "single": ("‘", "’")}.get(element.get("Format", ""), ("“", "”"))
        self._put(opening)
        start = self._size
        self._gap, self._glued = "", bool(opening)
        self._quoted += 1
        self._inside(element)
        self._quoted -= 1
        self._gap, self._glued = "", False
        if not self._quoted and self._size > start:
            self._marks.append(Mark(start, self._size, "quoted"))
        self._append(closing)
        self._gap = "\n"

    # Tables

    def _tabular(self, element: Element, name: str) -> None:
        """A table with its captions; the footnotes it points to follow it, whether they stand inside it or not."""
        self._table = {}
        self._block(element, name)
        inside = {note.get("id") for note in element.iter("{*}Footnote")}
        for ref, number in self._table.items():
            if ref in self._footnotes and ref not in inside:
                self._gap = "\n"
                self._put(f"[{number}]")
                self._gap, self._glued = " ", True
                self._flat += 1
                self._inside(self._footnotes[ref])
                self._flat -= 1
        self._table = None
        self._separate()

    def _row(self, row: Element) -> None:
        if not "".join(row.itertext()).strip():
            return
        if not self._glued:
            self._gap = "\n"
        self._put("")
        self._flat += 1
        cells = [cell for cell in row if local(cell) in ("td", "th")]
        for index, cell in enumerate(cells):
            if index:
                self._gap, self._glued = "", False
                self._append(" | ")
            self._glued = True
            self._inside(cell)
            self._glued = False
        self._flat -= 1
        self._gap = "\n"

    def _footnote(self, element: Element) -> None:
        table = self._table if self._table is not None else {}
        self._put(f"[{table.setdefault(element.get('id', ''), len(table) + 1)}]")
        self._gap, self._glued = " ", True
        self._inside(element)

    # Inside a line

    def _inline(self, element: Element, name: str) -> None:
        if name == "Repeal" and element.get("RetainText") == "true":
            self._repealed.add(element.get("Extent", "") or "everywhere")
        if name in ("AppendText", "Superior", "sup"):
            self._glued, self._gap = True, "" if name == "AppendText" else self._gap
            if name != "AppendText" and _EXPONENT.match(collapse("".join(element.itertext()))):
                self._append("^")
        first = len(self._pieces)
        self._inside(element)
        inside = "".join(self._pieces[first:])
        kind = {"Term": "term", "InlineAmendment": "quoted"}.get(name, "")
        if name in ("Citation", "CitationSubRef", "InternalLink"):
            kind = "reference"
        if kind and inside.strip() and not self._quoted:
            start = self._size - len(inside.lstrip())  # the gap before its first word is not its own
            self._marks.append(Mark(start, self._size, kind, self._target(element, name)))

    def _target(self, element: Element, name: str) -> str:
        if name == "InternalLink":
            return f"#{element.get('Ref', '')}"
        if name not in ("Citation", "CitationSubRef"):
            return ""
        law = self._citations.get(element.get("CitationRef", ""), element)
        return target_urn(element.get("URI", ""), law.get("Class", ""), law.get("Year", ""), law.get("Number", ""))

    def _math(self, element: Element, name: str) -> None:
        if name in ("annotation", "annotation-xml"):
            return
        parts = list(element)
        if name not in ("mfrac", "msup", "msub") or len(parts) != 2:
            self._inside(element)
            return
        for part, joint in zip(parts, ({"mfrac": "/", "msup": "^", "msub": "_"}[name], ""), strict=True):
            several = name == "mfrac" and len(list(part.iter("{*}mi", "{*}mn", "{*}mtext"))) > 1
            self._put("(") if several else None
            self._gap, self._glued = ("", True) if several else (self._gap, self._glued)
            self._math(part, local(part))
            if several or joint:
                self._gap = ""
                self._append((")" if several else "") + joint)
                self._glued = bool(joint)


def _is_foot(part: Element) -> bool:
    return local(part) == "tfoot"


def list_items(element: Element) -> list[tuple[Element, str]]:
    """The items of a list with their printed designators; empty for bullets and undecorated lists."""
    before, after = _BRACKETS.get(element.get("Decoration", ""), ("", ""))
    kind = element.get("Type", "") if local(element) == "OrderedList" else ""
    start = element.get("Start", "1")
    count = int(start) if start.isdigit() else 1
    out: list[tuple[Element, str]] = []
    for item in element:
        if local(item) == "ListItem":
            number = item.get("NumberOverride") or (_ordinal(kind, count) if kind else "")
            out.append((item, f"{before}{number}{after}" if number.isalnum() else number))
            count += 1
    return out


def _ordinal(kind: str, value: int) -> str:
    if "alpha" in kind:
        letters = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
    elif "roman" in kind:
        steps = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
        letters = ""
        for worth, digits in steps:
            letters += digits * (value // worth)
            value %= worth
    else:
        letters = str(value)
    return letters.upper() if "upper" in kind else letters


def join(blocks: Sequence[Rendered]) -> Rendered:
    """Several blocks as one text, one line each; empty ones vanish, marks move along."""
    if len(blocks) == 1:
        return blocks[0]
    texts: list[str] = []
    marks: list[Mark] = []
    left_out: Counter[str] = Counter()
    repealed: frozenset[str] = frozenset()
    offset = 0
    for block in blocks:
        left_out.update(block.left_out)
        repealed |= block.repealed_in
        if block.text:
            marks.extend(shifted(block.marks, offset))
            texts.append(block.text)
            offset += len(block.text) + 1
    return Rendered("\n".join(texts), tuple(marks), left_out, repealed)


def shifted(marks: Iterable[Mark], offset: int) -> list[Mark]:
    """The marks of a text that now begins `offset` characters later."""
    return [Mark(mark.start + offset, mark.end + offset, mark.kind, mark.target) for mark in marks]
