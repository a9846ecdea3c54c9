"""The words of an Akoma Ntoso document: text, marks and notes of a block, without the mark-up around them.

What is no text of the law at its place is not lost: notes are handed back as elements for nodes of their own, and
what is left out (quoted structures of other acts, deleted words, images) is counted by kind.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

from lxml import etree

from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.formats.xml_text import Rich, Writer, has_words
from rag.law.nodes import Mark

NOTES = frozenset({"authorialNote", "remark"})
# What is counted and left out; an act quotes other acts' text, a court quotes what it decides by.
_LEFT_OUT = {
    "meta": "metadata inside a block", "quotedStructure": "quoted structure of another act", "del": "deleted passage",
    "toc": "table of contents",
}  # fmt: skip
_ROLES = {
    # Mark-up that runs inside a line; every other element is a block with lines of its own.
    **dict.fromkeys(
        ("a", "abbr", "affectedDocument", "argument", "b", "change", "concept", "courtType", "date", "decoration",
         "docAuthority", "docCommittee", "docDate", "docIntroducer", "docJurisdiction", "docNumber", "docProponent",
         "docPurpose", "docStage", "docStatus", "docTitle", "docType", "docketNumber", "em", "entity", "eop", "event",
         "extractText", "fillIn", "font", "from", "inline", "ins", "judge", "lawyer", "legislature", "location", "mmod",
         "mod", "mref", "neutralCitation", "noteRef", "object", "omissis", "opinion", "organization", "outcome",
         "party", "person", "placeholder", "process", "quantity", "recordedTime", "relatedDocument", "rmod", "role",
         "scene", "session", "shortTitle", "signature", "small", "span", "strong", "sub", "sup", "time", "tt", "u",
         "vote"), "inline"),
    **dict.fromkeys(("def", "term"), "term"),
    **dict.fromkeys(("ref", "rref"), "reference"),
    **dict.fromkeys(("td", "th"), "cell"),
    **dict.fromkeys(("img", "image"), "image"),
    **dict.fromkeys(("quotedStructure", "embeddedStructure"), "quoted block"),
    **dict.fromkeys(("quotedText", "embeddedText"), "quoted words"),
    **dict.fromkeys(("br", "eol", "marker"), "space"),
    **dict.fromkeys(NOTES, "aside"),
    **dict.fromkeys(("meta", "del", "toc"), "left out"),
    "i": "italic", "tr": "row", "num": "number",
}  # fmt: skip


class Words:
    """What rendering has to know of the document, and what it left out.

    Args:
        variables: words of the metadata that an empty reference stands for, by their id.
        keep_quoted: render quoted structures too. A court quotes what it decides by; an act quotes other acts' text.
    """

    def __init__(self, variables: dict[str, str] | None = None, *, keep_quoted: bool = False) -> None:
        self.variables = variables or {}
        self.keep_quoted = keep_quoted
        self.left_out: Counter[str] = Counter()

    def render(self, element: Element, *, whole: bool = False) -> Rich:
        """The words inside an element; with `whole`, what its own tag adds too (quotation marks, rows).

        Notes are aside. A reference mark's target is the publisher's own until the whole document is known.
        """
        return _Writer(self).read(element, whole=whole)


def attribute(element: Element, name: str) -> str:
    """An attribute's value whatever its namespace: publishers keep quotation marks in their own."""
    own = element.get(name)
    if own is not None:
        return own
    return next((str(value) for key, value in element.attrib.items() if etree.QName(key).localname == name), "")


class _Writer(Writer):
    ROLES: ClassVar = _ROLES
    OTHERS: ClassVar = "block"

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words
        self._quoting = 0

    def role(self, element: Element, name: str) -> str:
        role = super().role(element, name)
        if name == "quotedStructure" and not self._words.keep_quoted:
            return "left out"
        if name == "a" and "://" in element.get("href", ""):
            role = "reference"
        if role == "reference" and not has_words(element):
            return "variable"
        return "quoting" if self._quoting and role in ("term", "italic") else role

    def special(self, element: Element, role: str) -> None:
        if role == "left out":
            self._words.left_out[_LEFT_OUT[local(element)]] += 1
        elif role == "variable":
            self.write(self._words.variables.get(_href(element).removeprefix("#"), ""))
        elif role == "image":
            self._words.left_out["image"] += 1
            self.inside(element)
        elif role == "space":
            if local(element) == "marker" or attribute(element, "breakWord") == "":
                self.gap = self.gap or " "
            self.inside(element)
        else:
            if role == "quoted block":
                self.separate()
            self._quoting += role != "quoting"
            self._in_quotes(element)
            self._quoting -= role != "quoting"
            if role == "quoted block":
                self.separate()

    def marked(self, element: Element, kind: str) -> None:
        start, end = self._in_quotes(element)
        if start < end:
            self.marks.append(Mark(start, end, kind, _href(element) if kind == "reference" else ""))

    def _in_quotes(self, element: Element) -> tuple[int, int]:
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


def _href(element: Element) -> str:
    return element.get("href", "") or element.get("from", "")


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
