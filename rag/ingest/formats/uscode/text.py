"""The words of United States Legislative Markup: text with its marks, designators, what is left out on purpose.

USLM 1.0 (House, U.S. Code) and USLM 2.0 (GPO: public laws, compilations, C.F.R.) share their element names. Notes of
every kind, source credits, margin notes, page marks and tables of contents are publication, not law.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

from lxml import etree

from rag.ingest.formats.uscode.cites import urn_of
from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.formats.xml_text import IMAGE, Rich, Writer, has_words
from retrieval.errors import InputError
from retrieval.paths import segment

# Read outside the text or not at all: their own words never reach a node's text.
LEFT_OUT = frozenset(
    {"notes", "note", "footnote", "endnote", "sourceCredit", "toc", "editorialNote", "sidenote", "page", "ear",
     "authority", "source", "effectiveDateNote", "crossReference", "approval", "explanationNote", "editionNote",
     "organizationNote", "citationNote", "statutoryNote", "changeNote", "action", "legislativeHistory", "endMarker",
     "signatures", "index"}
)  # fmt: skip
FOOTNOTES = frozenset({"footnote", "endnote"})

_ITALIC_CLASS = re.compile(r"(?:\A|\s)(?:italic|-gpo-grid-\d-3)(?:\s|\Z)")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_UNIT = re.compile(
    r"\A\W*(?:(?:sections?|secs?\.?|rule|article|art\.|part|chapter|title|subtitle|subchapter)\s)?\s*", re.I
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


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

    def read(self, element: Element) -> Rich:
        """The words of one element, its own tail not included; images are aside, `[image]` marks their place.

        Raises:
            IngestError: nested deeper than `MAX_NESTING`.
        """
        return _Writer(self).read(element, whole=_ROLES.get(local(element)) == "row")

    def read_note(self, element: Element) -> Rich:
        """The words of a note without its heading and its own number.

        Raises:
            IngestError: nested deeper than `MAX_NESTING`.
        """
        return _Writer(self).read(element, skip=frozenset({"heading", "num"}))

    def silent(self, element: Element) -> bool:
        """Whether an element adds no words to the level it is in."""
        return local(element) in LEFT_OUT or (local(element) == "quotedContent" and not self.quotes)

    def omits(self, element: Element) -> bool:
        """Whether this element is left out of the text it is in; counts it where it has words."""
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
        if element not in self._counted and has_words(element):
            self._counted.add(element)
            self.left_out["note" if name == "notes" else kind] += len(element) if name == "notes" else 1
        return True

    def _repeated_mark(self, element: Element) -> bool:
        return local(element) == "sup" and collapse("".join(element.itertext())) in self.footnotes


_ROLES = {
    **dict.fromkeys(
        ("p", "content", "chapeau", "continuation", "proviso", "text", "quotedContent", "figure", "table", "thead",
         "tbody", "tfoot", "caption", "list", "listItem", "listHeading", "listContent", "formula", "equation", "block",
         "layout", "recital", "resolvingClause", "enactingFormula", "docTitle", "officialTitle", "longTitle",
         "signature", "level", "section", "subsection", "paragraph", "subparagraph", "clause", "subclause", "item",
         "subitem", "subsubitem", "title", "subtitle", "chapter", "subchapter", "part", "subpart", "division",
         "article", "div", "ul", "ol", "li", "crossheading"), "block"),
    **dict.fromkeys(("tr", "tocItem", "header", "row"), "row"),
    **dict.fromkeys(("td", "th", "column", "entry"), "cell"),
    **dict.fromkeys(("br", "num", "heading", "designator", "label"), "apart"),
    **dict.fromkeys(("img", "image", "graphic"), "image"),
    **dict.fromkeys(("term", "def"), "term"),
    **dict.fromkeys(("i", "em"), "italic"),
    "ref": "reference",
}  # fmt: skip


class _Writer(Writer):
    ROLES: ClassVar = _ROLES

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self._reader = reader

    def role(self, element: Element, name: str) -> str:
        if self._reader.omits(element):
            return "omitted"
        role = super().role(element, name)
        if role == "inline" or (role == "reference" and not element.get("href")):
            return "italic" if _ITALIC_CLASS.search(element.get("class") or "") else "inline"
        return role

    def special(self, element: Element, role: str) -> None:
        if role == "omitted":
            self.dropped = True
        else:
            self.aside.append(element)
            self.gap = self.gap or " "
            self.write(f"{IMAGE} ")

    def target(self, element: Element, role: str) -> str:
        return urn_of(element.get("href", "")) if role == "reference" else ""

    def write(self, text: str | None) -> None:
        super().write(_INVISIBLE.sub("", text or ""))

    def marked(self, element: Element, kind: str) -> None:
        marks, images = len(self.marks), len(self.aside)
        super().marked(element, kind)
        if len(self.aside) > images:  # nobody defines or cites a picture
            del self.marks[marks:]


def stray(text: str | None) -> Rich:
    """Words that stand directly between elements."""
    return Rich(collapse(_INVISIBLE.sub("", text or "")))


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


def footnote_numbers(element: Element) -> frozenset[str]:
    """The numbers of all footnotes inside an element, to know their marks when these are repeated."""
    found: set[str] = set()
    for note in element.iter(etree.Element):
        is_note = local(note) in FOOTNOTES or (local(note) == "note" and note.get("type") == "footnote")
        if is_note:
            found.update(collapse("".join(child.itertext())) for child in note if local(child) in ("num", "sup"))
    return frozenset(found)
