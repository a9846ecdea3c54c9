"""Small invented documents for the annotation tests."""

from __future__ import annotations

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import Corpus, Definition, Mark, ParsedDocument, ParsedNode

_STRUCTURE = {
    "title": "TITLE", "chapter": "CHAPTER", "subchapter": "CHAPTER", "part": "PART", "subpart": "PART",
    "article": "PART", "section": "SECTION", "subsection": "SUBSECTION", "paragraph": "PARAGRAPH",
    "subparagraph": "SUBPARAGRAPH", "clause": "CLAUSE", "definition": "DEFINITION",
}  # fmt: skip


def node(urn: str, parent: str | None, level: str, text: str = "", *, intro: str = "", heading: str = "") -> ParsedNode:
    """One node; its number is the last URN segment, without a container's level word; italics are in *asterisks*."""
    parts = text.split("*")
    marks: list[Mark] = []
    offset = len(intro) + 1 if intro and text else 0
    for position, part in enumerate(parts):
        if position % 2:
            marks.append(Mark(offset, offset + len(part), "italic"))
        offset += len(part)
    number = urn.split(":")[-1].split("_")[-1]
    return ParsedNode(
        urn, parent, _STRUCTURE[level], level, number, heading, intro, "".join(parts), marks=marks,
        kind="section" if _STRUCTURE[level] in ("TITLE", "CHAPTER", "PART") else "legislation",
    )  # fmt: skip


def document(corpus: str, *nodes: ParsedNode) -> ParsedDocument:
    """A document of these nodes, the first being its root."""
    return ParsedDocument(Corpus(corpus, "Sample", "en"), list(nodes), "sample.xml", "sample", "0" * 64, 1)


DC = "urn:lex:us-dc:code"
T = f"{DC}:title_98"
C = f"{T}:chapter_3"


def dc_document(
    *paragraphs: ParsedNode, heading: str = "Definitions.", intro: str = "", text: str = ""
) -> ParsedDocument:
    """Title 98 with chapter 3 (sections 98-301, the one given, and 98-302) and chapter 4 (98-401)."""
    return document(
        DC,
        node(T, None, "title"),
        node(C, T, "chapter", heading="Bicycle parking."),
        node(f"{DC}:98-301", C, "section", text, intro=intro, heading=heading),
        *paragraphs,
        node(f"{DC}:98-302", C, "section", "The operator shall keep a rack for every bicycle.", heading="Racks."),
        node(f"{T}:chapter_4", T, "chapter", heading="Scooters."),
        node(f"{DC}:98-401", f"{T}:chapter_4", "section", "An operator may not charge a fee.", heading="Fees."),
    )


def par(path: str, text: str = "", *, intro: str = "", heading: str = "", level: str = "paragraph") -> ParsedNode:
    """A paragraph of section 98-301, by its path below the section: `a`, `a:1`."""
    urn = f"{DC}:98-301:{path}"
    return node(urn, urn.rpartition(":")[0], level, text, intro=intro, heading=heading)


def annotated(parsed: ParsedDocument, jurisdiction: str = "us-dc") -> ParsedDocument:
    """The document after annotation."""
    annotate(parsed, jurisdiction_for(jurisdiction))
    return parsed


def by_form(parsed: ParsedDocument) -> list[Definition]:
    """The definitions of an annotated document without those that are only likely, which edges note."""
    noted = {(link.source_urn, link.reference) for link in parsed.links if link.kind == "may_define"}
    return [definition for definition in parsed.definitions if (definition.node_urn, definition.term) not in noted]


CFR = "urn:lex:us:98cfr"


def cfr_document(*nodes: ParsedNode) -> ParsedDocument:
    """98 CFR with chapter I, part 10, subpart A and whatever sections are given."""
    return document(
        CFR,
        node(CFR, None, "title"),
        node(f"{CFR}:chapter_i", CFR, "chapter", heading="Bicycle Agency"),
        node(f"{CFR}:part_10", f"{CFR}:chapter_i", "part", heading="Racks"),
        node(f"{CFR}:part_10:subpart_a", f"{CFR}:part_10", "subpart", heading="Coverage"),
        *nodes,
    )


def cfr(path: str, text: str = "", *, intro: str = "", heading: str = "") -> ParsedNode:
    """A section of part 10 (`10.1`) or a paragraph of one (`10.1:a`)."""
    urn = f"{CFR}:{path}"
    if ":" not in path:
        return node(urn, f"{CFR}:part_10:subpart_a", "section", text, intro=intro, heading=heading)
    return node(urn, urn.rpartition(":")[0], "paragraph", text, intro=intro, heading=heading)
