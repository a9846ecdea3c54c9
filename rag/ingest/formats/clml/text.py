"""The words of CLML: text with the marks in it, tables as rows, quoted text of other laws in quotation marks.

Amendment mark-up (Addition, Substitution, Repeal) is transparent: what is shown is kept, dots for repealed words
included. Notes of the editors (commentaries, margin notes, footnotes of running text) are left out and counted;
a footnote that a table points to is part of the table and becomes a row of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import ClassVar

from lxml import etree

from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.formats.xml_text import Rich, Writer
from rag.jurisdictions.gb.addresses import target_urn
from rag.law.nodes import Mark

MATHML = "http://www.w3.org/1998/Math/MathML"
QUOTED_BLOCKS = frozenset({"BlockAmendment", "BlockExtract"})
_LEFT_OUT = {
    "CommentaryRef": "editorial annotations", "MarginNoteRef": "margin notes", "FootnoteRef": "footnotes",
    "Image": "images", "IncludedDocument": "included documents", "Footnote": "footnotes",
}  # fmt: skip
_BRACKETS = {"P1": ("", ""), "parens": ("(", ")"), "parenRight": ("", ")"), "period": ("", "."), "brackets": ("[", "]")}
_EXPONENT = re.compile(r"[+−–-]?\d+\Z")
_ROLES = {
    # Every other element is a block.
    **dict.fromkeys(
        ("Emphasis", "Strong", "Underline", "SmallCaps", "Uppercase", "Inferior", "Abbreviation", "Acronym",
         "Definition", "Proviso", "Span", "CitationListRef", "ExternalLink", "Addition", "Repeal", "Substitution",
         "Strike", "Expanded", "Foreign", "Quotation", "DateText", "a", "b", "i", "em", "strong", "sub", "span"),
        "inline"),
    **dict.fromkeys(("Citation", "CitationSubRef", "InternalLink"), "reference"),
    **dict.fromkeys(("AppendText", "Superior", "sup"), "appended"),
    # One line each, whatever blocks they hold.
    **dict.fromkeys(
        ("MadeDate", "LaidDate", "SiftedDate", "ComingIntoForce", "DateSigned", "AddressLine"), "flat"),
    **dict.fromkeys(("td", "th"), "cell"),
    **dict.fromkeys(("br", "Character"), "apart"),
    **dict.fromkeys(QUOTED_BLOCKS, "quotation"),
    **dict.fromkeys(_LEFT_OUT, "aside"),
    "Tabular": "table", "table": "table", "tr": "row", "Pnumber": "designator", "OrderedList": "list",
    "KeyListItem": "key", "Term": "term", "InlineAmendment": "quoted",
}  # fmt: skip


def left_out(text: Rich) -> Counter[str]:
    """What a text leaves out, by kind."""
    return Counter(_LEFT_OUT[local(element)] for element in text.aside if local(element) in _LEFT_OUT)


def repealed_in(text: Rich) -> set[str]:
    """The extents in which some of the words shown are repealed."""
    return {element.get("Extent", "") or "everywhere" for element in text.aside if local(element) == "Repeal"}


def written(run: Iterable[Element | str], footnotes: Mapping[str, Element], citations: Mapping[str, Element]) -> Rich:
    """A run of elements and strings as one text. A mark's target is a URN, or `#` and the id of an element of the file.

    Args:
        footnotes: the document's footnotes by id, for tables that point to them.
        citations: the document's Citation elements by id, which name the law of a CitationSubRef.
    """
    writer = _Writer(footnotes, citations)
    for part in run:
        if isinstance(part, str):
            writer.write(part)
        else:
            writer.element(part)
    return writer.done()


class _Writer(Writer):
    ROLES: ClassVar = _ROLES
    OTHERS: ClassVar = "block"

    def __init__(self, footnotes: Mapping[str, Element], citations: Mapping[str, Element]) -> None:
        super().__init__()
        self._footnotes, self._citations = footnotes, citations
        self._quoted = 0
        self._table: dict[str, int] | None = None  # footnote id -> its number in this table

    def role(self, element: Element, name: str) -> str:
        role = super().role(element, name)
        if etree.QName(element).namespace == MATHML:
            return "math"
        if name == "Repeal" and element.get("RetainText") == "true":
            self.aside.append(element)
        if self._table is not None and name in ("FootnoteRef", "Footnote"):
            return "footnote"
        if (role == "table" and self._table is not None) or (role == "cell" and not self.cells):
            return "block"
        return "inline" if self._quoted and role in ("term", "quoted", "reference") else role

    def children(self, element: Element) -> Iterable[Element]:
        # The foot of a table is first in older files; it is printed last.
        return sorted(element, key=_is_foot) if local(element) == "table" else element

    def special(self, element: Element, role: str) -> None:
        if role == "math":
            self._math(element, local(element))
        elif role == "footnote":
            self._footnote(element)
        elif role == "appended":
            self._appended(element)
        elif role == "designator":
            self._designator(element)
        elif role == "table":
            self._tabular(element)
        elif role == "quotation":
            self._quotation(element)
        else:
            self.separate()
            if role == "list":
                self._list(element)
            else:
                self._key_item(element)
            self.separate()

    def target(self, element: Element, role: str) -> str:
        if local(element) == "InternalLink":
            return f"#{element.get('Ref', '')}"
        if role != "reference":
            return ""
        law = self._citations.get(element.get("CitationRef", ""), element)
        return target_urn(element.get("URI", ""), law.get("Class", ""), law.get("Year", ""), law.get("Number", ""))

    def _designator(self, element: Element) -> None:
        self.separate()
        parent = element.getparent()
        level = "" if parent is None else local(parent)
        before, after = _BRACKETS["P1" if level == "P1" else "parens"]
        self.put(element.get("PuncBefore", before))
        self.glue("")
        self.inside(element)
        self.gap = ""
        self.put(element.get("PuncAfter", after))
        self.glue(" ")

    def _list(self, element: Element) -> None:
        for item, designator in list_items(element):
            self.separate()
            if designator:
                self.put(designator)
                self.glue(" ")
            self.inside(item)
            self.separate()

    def _key_item(self, element: Element) -> None:
        parent = element.getparent()
        for child in element:
            if local(child) == "Key":
                self.inside(child)
                separator = "" if parent is None else parent.get("Separator", "")
                if separator:
                    self.gap = " "
                    self.put(separator)
                self.glue(" ")
            else:
                self.element(child)

    def _quotation(self, element: Element) -> None:
        self.separate()
        opening, closing = {"none": ("", ""), "single": ("‘", "’")}.get(element.get("Format", ""), ("“", "”"))
        self.put(opening)
        start = self.size
        self.gap, self.glued = "", bool(opening)
        self._quoted += 1
        self.inside(element)
        self._quoted -= 1
        self.gap, self.glued = "", False
        if not self._quoted and self.size > start:
            self.marks.append(Mark(start, self.size, "quoted"))
        self.append(closing)
        self.gap = "\n"

    def _tabular(self, element: Element) -> None:
        """A table with its captions; the footnotes it points to follow it, whether they stand inside it or not."""
        self._table = {}
        self.separate()
        self.inside(element)
        self.separate()
        inside = {note.get("id") for note in element.iter("{*}Footnote")}
        for ref, number in self._table.items():
            if ref in self._footnotes and ref not in inside:
                self.gap = "\n"
                self.put(f"[{number}]")
                self.glue(" ")
                self.cells += 1
                self.inside(self._footnotes[ref])
                self.cells -= 1
        self._table = None
        self.separate()

    def _footnote(self, element: Element) -> None:
        table = self._table if self._table is not None else {}
        if local(element) == "FootnoteRef":
            for ref in (element.get("Ref") or "").split():
                self.put(f"[{table.setdefault(ref, len(table) + 1)}]")
            return
        self.put(f"[{table.setdefault(element.get('id', ''), len(table) + 1)}]")
        self.glue(" ")
        self.inside(element)

    def _appended(self, element: Element) -> None:
        """Words that belong to those before them: an exponent, or text that the publisher appends."""
        if local(element) == "AppendText":
            self.glue("")
        else:
            self.glued = True
            if _EXPONENT.match(collapse("".join(element.itertext()))):
                self.append("^")
        self.inside(element)

    def _math(self, element: Element, name: str) -> None:
        if name in ("annotation", "annotation-xml"):
            return
        parts = list(element)
        if name not in ("mfrac", "msup", "msub") or len(parts) != 2:
            self.inside(element)
            return
        for part, joint in zip(parts, ({"mfrac": "/", "msup": "^", "msub": "_"}[name], ""), strict=True):
            several = name == "mfrac" and len(list(part.iter("{*}mi", "{*}mn", "{*}mtext"))) > 1
            if several:
                self.put("(")
                self.glue("")
            self._math(part, local(part))
            if several or joint:
                self.gap = ""
                self.append((")" if several else "") + joint)
                self.glued = bool(joint)


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
