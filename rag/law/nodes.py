"""What a parser yields and annotation enriches: plain records, no database, no jurisdiction knowledge.

A parser turns one source into `ParsedDocument`s. Nodes are in document order (depth first), each after its
parent. `annotate` adds definitions, links and used terms. The pipeline numbers and stores them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from rag.law.term_uses import Sense
from retrieval.texts import node_text

STRUCTURE_TYPES = (
    "ROOT", "TITLE", "PART", "CHAPTER", "SECTION", "SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM",
    "ARTICLE", "DEFINITION", "TABLE", "NOTE", "APPENDIX",
)  # fmt: skip
CONTAINER_TYPES = frozenset({"ROOT", "TITLE", "PART", "CHAPTER"})
# The levels that people cite as one rule; containers lie above, paragraphs below.
CITING_TYPES = frozenset({"SECTION", "ARTICLE", "APPENDIX"})
KINDS = ("legislation", "decision", "record", "notice", "section", "chunk")


@dataclass(slots=True, frozen=True)
class Corpus:
    """A code, title, regulation or collection. `urn` is the prefix of all its URNs."""

    urn: str
    title: str
    language: str
    publisher: str = ""
    licence: str = ""
    url: str = ""


@dataclass(slots=True, frozen=True)
class Mark:
    """Mark-up found in a node's text; evidence for annotation. Offsets are into `ParsedNode.text`.

    `kind` is `term` (marked as a defined term), `italic`, `reference` (with the publisher's `target`), or `quoted`
    (words of another act, in which nothing is defined or cited for this one).
    """

    start: int
    end: int
    kind: str
    target: str = ""


@dataclass(slots=True)
class ParsedNode:
    """One provision, heading, definition, decision paragraph or chunk of one document.

    A leaf has its words in `content_text`. A node with children has its lead-in (the words before them) in
    `intro_text` and its flush text (the words after them) in `content_text`. `text` is both.
    """

    urn: str
    parent_urn: str | None  # the corpus's URN for a document's root; None where the root is the corpus itself
    structure_type: str  # one of STRUCTURE_TYPES
    level: str  # the publication's own word, lower case: title, subchapter, subpart, section, paragraph ...
    number: str = ""  # designator without brackets: 42-3502.17, a, iv; the last URN segment where it has none
    heading: str = ""
    intro_text: str = ""
    content_text: str = ""
    kind: str = "legislation"  # one of KINDS; `section` for containers
    tags: dict[str, str] = field(default_factory=dict[str, str])
    aliases: list[str] = field(default_factory=list[str])
    valid_from: date | None = None  # first day in force; None: the source does not say
    valid_to: date | None = None  # first day no longer in force
    marks: list[Mark] = field(default_factory=list[Mark])
    line: int | None = None

    @property
    def text(self) -> str:
        """The node's own words, lead-in before flush text; what quotes are offsets into."""
        return node_text(self.intro_text, self.content_text)


@dataclass(slots=True)
class Definition:
    """A defined term. `scope_urn` is the node it governs; `inferred` where position and not a phrase says so."""

    term: str
    node_urn: str  # the defining node
    scope_urn: str
    relation: str = "means"  # means, includes, excludes, reference
    inferred: bool = False
    phrase: str = ""  # the words that gave the scope
    reference_urn: str = ""  # for relation `reference`: where the meaning is given
    # Normalised terms that its words use, of a definition that is one of several in one text; None: all that its node
    # and the parts of that use.
    used_terms: tuple[str, ...] | None = None
    apart: tuple[str, ...] = ()  # URNs of parts of its node that define something else
    # Offsets of its words in its node's text while annotation reads it; no end: up to the next one that begins there.
    words: tuple[int, int | None] | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Link:
    """An edge before it is stored. `target_urn` is the grammar's reading of `reference`, empty where it has none."""

    source_urn: str
    kind: str  # cites, limits, subject_to, notwithstanding, enabled_by, implements ...
    reference: str  # the words of the source
    target_urn: str = ""
    properties: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class ParsedDocument:
    """A root node and its subtree, from one source."""

    corpus: Corpus
    nodes: list[ParsedNode]
    source: str  # the file, relative to what the user named
    format: str
    source_hash: str  # SHA-256 of the bytes it came from
    parser_version: int
    edition_date: date | None = None  # the publication's currency date
    definitions: list[Definition] = field(default_factory=list[Definition])
    senses: dict[str, set[Sense]] = field(default_factory=dict[str, set[Sense]])  # of some of its normalised terms
    links: list[Link] = field(default_factory=list[Link])
    used_terms: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # node URN -> normalised terms
    warnings: list[str] = field(default_factory=list[str])
    annotated: bool = False  # the source brought its definitions, links and used terms; annotation must not run again

    @property
    def urn(self) -> str:
        """The URN of the document's root node."""
        return self.nodes[0].urn


class Tree:
    """Parent, child and subtree look-ups over a document's nodes."""

    def __init__(self, nodes: list[ParsedNode]) -> None:
        self.nodes = nodes
        self.by_urn = {node.urn: node for node in nodes}
        self._children: dict[str, list[ParsedNode]] = {}
        for node in nodes:
            if node.parent_urn is not None:
                self._children.setdefault(node.parent_urn, []).append(node)

    def children(self, urn: str) -> list[ParsedNode]:
        """The node's children in document order."""
        return self._children.get(urn, [])

    def parent(self, node: ParsedNode) -> ParsedNode | None:
        """The node's parent; None for the root."""
        return self.by_urn.get(node.parent_urn) if node.parent_urn else None

    def ancestors(self, node: ParsedNode) -> list[ParsedNode]:
        """The node's ancestors, nearest first, without itself."""
        out: list[ParsedNode] = []
        current = self.parent(node)
        while current is not None:
            out.append(current)
            current = self.parent(current)
        return out

    def subtree(self, node: ParsedNode) -> Iterator[ParsedNode]:
        """The node and its descendants in document order."""
        yield node
        for child in self.children(node.urn):
            yield from self.subtree(child)
