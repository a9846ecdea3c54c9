"""What the ingest suite compares, and the one table of what each format leaves out on purpose.

A reader of a format knows its mark-up and nothing of its parser. It gives a document's words and its outline twice:
as the source has them, and as the parsed nodes have them, in the order of the source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Protocol

from lxml import etree

from rag.ingest.formats.base import Source
from rag.ingest.formats.xml import Element
from rag.law.nodes import ParsedDocument, ParsedNode, Tree

# The numbers of the levels that are above a unit, outermost first, and its own; "" where one is not numbered.
Chain = tuple[str, ...]

# Format -> mark-up whose words are no text of the law -> why. Readers skip these names and no others.
LEFT_OUT: dict[str, dict[str, str]] = {
    "akn": {
        "meta": "metadata", "toc": "repeats the headings", "del": "deleted by an amendment",
        "coverPage": "of a bill: repeats its title", "quotedStructure": "text of another act, in bills",
        "authorialNote": "footnotes: compared apart from the text",
    },
    "clml": {
        "CommentaryRef": "call of an annotation", "MarginNoteRef": "call of a margin note", "FootnoteRef": "call",
        "Footnote": "notes, except below a table", "Image": "picture", "annotation": "foreign mark-up's source",
        "ExplanatoryNotes": "no part of the law", "EarlierOrders": "no part of the law",
    },
    "courtlistener_jsonl": {
        "star-pagination": "page breaks", "footnote calls": "in tags", "NOTES": "the publisher's own heading",
    },
    "dc_xml": {"annotations": "the publisher's notes", "reason": "repeats a stub's only sentence"},
    "de_md": {
        "front matter": "metadata", "dates": "list of dates before the first heading", "(XXXX)": "mark of repeal",
        "[^1]": "calls of footnotes",
    },
    "de_tei": {"(+++ ... +++)": "the publisher's notes", "-": "stands for no text", "teiHeader": "metadata"},
    "ecfr_xml": {
        "AUTH": "authority, unless displayed as an example", "SOURCE": "history", "CITA": "history",
        "EDNOTE": "editor's note", "EFFDNOT": "editor's note", "EFFDNOTP": "editor's note", "CROSSREF": "see also",
        "SECAUTH": "authority", "PARAUTH": "authority", "APPRO": "approval numbers", "CFRTOC": "repeats the headings",
        "FTREF": "call", "VOLUME": "binding", "STARS": "sign of omission",
    },
    "egov_xml": {"TOC": "repeats the headings", "Rt": "readings of characters", "LawNum": "in the aliases"},
    "eregs_json": {"![](...)": "pictures"},
    "gdpr_json": {"references": "mark-up of citations"},
    "legalize_md": {"front matter": "metadata", "superseded": "an earlier text of an article printed again"},
    "legi_json": {"texte": "repeats texteHtml", "nota": "compared apart, as a note"},
    "lexjsonl": {},
    "md_statutes_jsonl": {"repeated headings": "of chunks that go on with a section"},
    "passages_json": {"/Table Start": "marks of the extraction", "/Table End": "marks of the extraction"},
    "regml": {"tableOfContents": "repeats the headings", "graphic": "pictures", "preamble": "metadata"},
    "uslm": {
        "notes": "editorial notes", "note": "editorial notes", "sourceCredit": "history", "toc": "repeats the headings",
        "editorialNote": "editorial notes", "footnote": "editorial notes",
        "quotedContent": "text of another act, in compilations", "meta": "metadata",
    },
}  # fmt: skip

# Format -> characters that are not compared: printed or left out by the mark-up's own layout around the words.
LAYOUT: dict[str, str] = {
    "akn": r"[\s|]+",
    "clml": r"\[\d+\]|[\s()“”|/^_]+",
    "courtlistener_jsonl": r"\s+",
    "dc_xml": r"[\s|]+",
    "de_md": r"[\s|]+",
    "de_tei": r"[\s|]+",
    "ecfr_xml": r"[\s()|—-]+",
    "egov_xml": r"[\s|]+",
    "eregs_json": r"[\s—–_-]+|\[image\]",
    "gdpr_json": r"\s+",
    "legalize_md": r"[\s.°º()|–—-]+",
    "legi_json": r"[\s.°º()|–—-]+",
    "lexjsonl": r"\s+",
    "md_statutes_jsonl": r"[\s()\xad]+",
    "passages_json": "[\\s|\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+",
    "regml": r"[\s—–_-]+|\[image\]",
    "uslm": r"[\s|\[\]\u00ad—–-]+",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One document twice. Words are without white space and the format's layout characters."""

    file: str
    urn: str
    source: str
    kept: str
    source_outline: list[Chain]
    kept_outline: list[Chain]


class Reader(Protocol):
    """Compares the documents that a format's parser made of a source with the source itself."""

    def __call__(self, source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
        """One comparison a document, in the order of `documents`."""
        ...


def characters(name: str, text: str) -> str:
    """The text without what format `name` does not compare."""
    return re.sub(LAYOUT[name], "", text)


def read_markup(path: Path) -> Element:
    """The root of a file, without comments and processing instructions; read without the project's own XML reader."""
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, resolve_entities=False, no_network=True)
    return etree.parse(str(path), parser).getroot()


def name_of(element: Element) -> str:
    """The element's name without its namespace."""
    return etree.QName(element).localname


def words_of(element: Element) -> str:
    """All text of an element as it is."""
    return "".join(element.itertext())


def attribute(element: Element, name: str) -> str:
    """The attribute of that local name, whatever its namespace; empty where there is none."""
    return next((str(text) for key, text in element.attrib.items() if etree.QName(str(key)).localname == name), "")


def markup_outline(
    element: Element, label: Callable[[Element], str | None], skipped: Callable[[Element], bool], above: Chain = ()
) -> Iterator[Chain]:
    """The chains of all elements that have a label, in document order.

    Args:
        element: where to begin.
        label: an element's number; None for one that makes no level.
        skipped: whether an element and all in it is left out.
        above: the chain of what is above.
    """
    if skipped(element):
        return
    own = label(element)
    if own is not None:
        above = (*above, own)
        yield above
    for child in element:
        yield from markup_outline(child, label, skipped, above)


def node_outline(tree: Tree, label: Callable[[ParsedNode], str | None]) -> list[Chain]:
    """The same from nodes."""
    out: list[Chain] = []

    def walk(node: ParsedNode, above: Chain) -> None:
        own = label(node)
        if own is not None:
            above = (*above, own)
            out.append(above)
        for child in tree.children(node.urn):
            walk(child, above)

    if tree.nodes:
        walk(tree.nodes[0], ())
    return out


def difference(source: str, kept: str) -> tuple[int, int]:
    """How many characters of the source are not kept, and how many are kept that the source has not.

    Exact where the texts differ in a small region; else counted by pieces of sentences, which bounds the cost.
    """
    if source == kept:
        return 0, 0
    one, other = _middles(source, kept)
    if max(len(one), len(other)) <= 2000:
        return _unlike(one, other)
    pieces = [re.findall(r"[^.;:,。、]+[.;:,。、]*|[.;:,。、]+", text) for text in (source, kept)]
    return _unlike(*_middles(*pieces))


def _middles(one: Sequence[str], other: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both without their common beginning and end."""
    most = min(len(one), len(other))
    start = next((at for at in range(most) if one[at] != other[at]), most)
    end = next((at for at in range(most - start) if one[-1 - at] != other[-1 - at]), most - start)
    return one[start : len(one) - end], other[start : len(other) - end]


def _unlike(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    lost = doubled = 0
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            lost += sum(len(piece) for piece in one[a:b])
            doubled += sum(len(piece) for piece in other[c:d])
    return lost, doubled


def first_difference(source: str, kept: str, around: int = 50) -> str:
    """Where the two texts part, with what is there in each; empty where they are equal."""
    if source == kept:
        return ""
    pairs = enumerate(zip(source, kept, strict=False))
    at = next((at for at, pair in pairs if pair[0] != pair[1]), min(len(source), len(kept)))
    shown = slice(max(at - around, 0), at + around)
    return f"at {at}: source {source[shown]!r}, kept {kept[shown]!r}"
