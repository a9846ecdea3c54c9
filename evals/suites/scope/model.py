"""What the scope suite shares: documents with their mark-up hidden, annotated, and the cases that went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evals.rows import Row
from evals.suites.ingest.suite import read
from rag.ingest.annotation import annotate
from rag.ingest.formats.registry import discover
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import parse_urn

SUITE = "scope"
LANGUAGE = "en"  # the ground truth there is for other languages is measured by their own tests
_SHOWN = 20  # misses of one cause
_WORDS = 160  # characters of law in a miss


@dataclass(frozen=True, slots=True)
class Miss:
    """One case that went wrong: where, why, and the words of the law."""

    source: str
    metric: str
    cause: str
    urn: str
    words: str


@dataclass(slots=True)
class Report:
    """What was measured: rows, notes on what was not, and every case that went wrong."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[Miss] = field(default_factory=list[Miss])

    def add(self, other: Report) -> None:
        """Take over another report."""
        self.rows += other.rows
        self.notes += other.notes
        self.misses += other.misses


@dataclass(slots=True)
class Folder:
    """One folder's law: the newest edition of each document, all editions by URN, and notes."""

    label: str
    documents: list[ParsedDocument] = field(default_factory=list[ParsedDocument])
    editions: dict[str, list[ParsedDocument]] = field(default_factory=dict[str, list[ParsedDocument]])
    paths: dict[str, Path] = field(default_factory=dict[str, Path])  # source name -> file
    notes: list[str] = field(default_factory=list[str])
    _annotated: dict[tuple[str, frozenset[str], bool], ParsedDocument] = field(
        default_factory=dict[tuple[str, frozenset[str], bool], ParsedDocument]
    )

    def annotated(self, document: ParsedDocument, hide: Collection[str] = (), *, plain: bool = False) -> ParsedDocument:
        """A copy of one of `documents` with annotations; the original stays as it is. Parts that hide what the document
        does not have share one.

        Args:
            document: as parsed.
            hide: kinds of marks that annotation is not to see.
            plain: turn the nodes that the publisher's mark-up told to be definitions into plain paragraphs.
        """
        hidden = frozenset(mark.kind for node in document.nodes for mark in node.marks if mark.kind in hide)
        plain = plain and any(node.structure_type == "DEFINITION" for node in document.nodes)
        key = document.urn, hidden, plain
        if key not in self._annotated:
            self._annotated[key] = _annotated(without_marks(document, hidden, plain=plain))
        return self._annotated[key]


def read_folders(path: Path, label: str) -> list[Folder]:
    """Parse all law in English under a path, without annotating it.

    Returns:
        One folder for each format, labelled with it where there are several.

    Raises:
        IngestError: the path does not exist, or is one file of no known format.
    """
    found = discover(path)
    several = len({one.name for one, _ in found.sources}) > 1
    folders: dict[str, Folder] = {}
    notes = [f"{label}: {error.message}" for error in found.rejected]
    for one, source in found.sources:
        out = folders.setdefault(one.name, Folder(f"{label}/{one.name}" if several else label))
        try:
            documents = read(one, source)
        except IngestError as error:
            notes.append(f"{label}: {error.message}")
            continue
        out.paths[source.name] = source.path
        for document in documents:
            # Opinions and records define nothing for other law.
            if document.corpus.language == LANGUAGE and document.nodes[0].kind in ("legislation", "section"):
                out.editions.setdefault(document.urn, []).append(document)
    for out in folders.values():
        for editions in out.editions.values():
            editions.sort(key=lambda one: (one.edition_date.toordinal() if one.edition_date else 0, one.source))
        out.documents = [editions[-1] for editions in out.editions.values()]
    if folders:
        next(iter(folders.values())).notes = notes
    return list(folders.values())


def without_marks(document: ParsedDocument, hide: Collection[str], *, plain: bool = False) -> ParsedDocument:
    """A copy of a parsed document that lacks some kinds of marks and, where `plain`, nodes known to be definitions."""
    nodes = [
        replace(
            node,
            marks=[mark for mark in node.marks if mark.kind not in hide],
            structure_type="PARAGRAPH" if plain and node.structure_type == "DEFINITION" else node.structure_type,
        )
        for node in document.nodes
    ]
    return replace(document, nodes=nodes, definitions=[], links=list(document.links), used_terms={}, warnings=[])


def _annotated(document: ParsedDocument) -> ParsedDocument:
    annotate(document, jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction))
    return document


def words_around(node: ParsedNode, start: int = 0) -> str:
    """The words of a node from an offset, for a miss."""
    return " ".join(node.text[max(0, start - 20) : start + _WORDS].split())


def shown(misses: Sequence[Miss]) -> list[str]:
    """Misses for a reader: per source, metric and cause how many there are, and the first of them."""
    lines: list[str] = []
    counts = Counter((miss.source, miss.metric, miss.cause) for miss in misses)
    for (source, metric, cause), count in sorted(counts.items(), key=lambda pair: (pair[0][:2], -pair[1])):
        lines.append(f"{source} {metric}: {cause}: {count}")
        same = [miss for miss in misses if (miss.source, miss.metric, miss.cause) == (source, metric, cause)]
        lines += [f"  {miss.urn}: {miss.words}" for miss in same[:_SHOWN]]
    return lines
