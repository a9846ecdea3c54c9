"""Small invented laws, and the published ones, for the tests of British and Union references and definitions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation_documents import by_form

from rag.ingest.annotation import annotate
from rag.ingest.formats.registry import discover
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, FoundReference, ReferenceContext
from rag.law.nodes import Corpus, Definition, ParsedDocument, ParsedNode
from rag.law.passages import without_quoted

_TYPES = {
    "act": "ROOT", "law": "ROOT", "part": "PART", "chapter": "CHAPTER", "crossheading": "PART", "schedule": "APPENDIX",
    "annex": "APPENDIX", "section": "SECTION", "regulation": "SECTION", "rule": "SECTION", "article": "ARTICLE",
    "recital": "NOTE",
    "subsection": "SUBSECTION", "paragraph": "PARAGRAPH", "point": "SUBPARAGRAPH", "subparagraph": "SUBPARAGRAPH",
    "definition": "DEFINITION",
}  # fmt: skip


def law(corpus: str, *rows: tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, str]) -> ParsedDocument:
    """A law of rows (path below the corpus, level, text, heading); the parent is the nearest row above by path.

    Units do not carry their containers in their path: one that has no row above it by path stands in the last
    container. A schedule's paragraphs are units.
    """
    nodes = [ParsedNode(corpus, None, "ROOT", "act", kind="section", heading="Sample Act 2021")]
    container = corpus
    for path, level, *more in rows:
        text, heading = [*more, "", ""][:2]
        urn = f"{corpus}:{path}"
        above = [node.urn for node in nodes[1:] if urn.startswith(f"{node.urn}:")]
        if level in ("part", "schedule", "annex"):
            above = []
            container = corpus
        parent = max(above, key=len) if above else container
        in_schedule = level == "paragraph" and path.count(":") == 1 and path.split(".")[0] in ("sch", "annex")
        node = ParsedNode(
            urn, parent, "SECTION" if in_schedule else _TYPES[level], level,
            path.split(":")[-1].split("_")[-1].split(".")[-1], heading,
            kind="section" if _TYPES[level] in ("PART", "CHAPTER") else "legislation",
        )  # fmt: skip
        has_children = any(other[0].startswith(f"{path}:") for other in rows)
        node.intro_text, node.content_text = (text, "") if has_children else ("", text)
        nodes.append(node)
        if _TYPES[level] in ("PART", "CHAPTER"):
            container = urn
    return ParsedDocument(Corpus(corpus, "Sample Act 2021", "en"), nodes, "sample", "sample", "0" * 64, 1)


def read_at(document: ParsedDocument, path: str, text: str, code: str) -> list[FoundReference]:
    """The references of a text that stands in the node with this path."""
    index = DocumentIndex(document)
    here = index.node(f"{document.corpus.urn}:{path}" if path else document.corpus.urn)
    assert here is not None
    return jurisdiction_for(code).find_references(text, ReferenceContext(here, index))


def below(document: ParsedDocument, urns: tuple[str, ...]) -> tuple[str, ...]:
    """URNs without the document's own prefix."""
    return tuple(urn.removeprefix(f"{document.corpus.urn}:") for urn in urns)


def defined(document: ParsedDocument, code: str) -> list[Definition]:
    """The definitions that annotation finds by their form."""
    annotate(document, jurisdiction_for(code))
    return by_form(document)


def published(folder: Path) -> list[ParsedDocument]:
    """All documents of a folder of real law."""
    return [one.parse(source) for one, source in discover(folder).sources]


def citations(document: ParsedDocument, code: str) -> Iterator[tuple[ParsedNode, FoundReference, DocumentIndex]]:
    """Every reference of a document's own words; a decision's are read as those of any text."""
    index = DocumentIndex(document)
    for node in document.nodes:
        here = None if node.kind == "decision" else ReferenceContext(node, index)
        for found in jurisdiction_for(code).find_references(without_quoted(node), here):
            yield node, found, index
