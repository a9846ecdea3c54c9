"""What a jurisdiction module offers, and the records its grammar returns.

A jurisdiction knows how people cite its law and which words define and except in it. It knows nothing of
databases: `find_references` is a pure function of a text and, where given, of the node that the text is in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol, runtime_checkable

from rag.law.nodes import CITING_TYPES, ParsedDocument, ParsedNode, Tree
from rag.law.own_words import OwnPhrases
from rag.law.patterns import lazy
from retrieval.tag_query import SEVERAL, TagQuery, urn_query

# "and what follows": the first provision is the only one that is named.
_ONWARDS = lazy(r",?\s?\(?(?:et\s?seqq?\.?|and\sfollowing|et\ss(?:uiv)?\.|ff?\.?)\)?\Z", re.IGNORECASE)
ONWARDS = "the first of the provisions named"
# How citations name the volume that was read: "(2018)", "(West Supp. 2020)", "(2012 Repl.)".
_EDITION = lazy(
    r"\s?\((?:(?:West|LEXIS|LexisNexis|Thomson|Supp\.?|Cum\.|Repl\.?|Vol\.|[IVX]{1,4}|&|Ann\.),?\s){0,5}"
    r"(?P<year>(?:18|19|20)\d\d)(?:\s(?:Ed\.?|Edition|Repl\.?|Supp\.?|Vol\.|[IVX]{1,4}))*\)\s?\.?\Z",
    re.IGNORECASE,
)

ReferenceKind = Literal["explicit", "relative", "external"]
RangeEnd = Literal["", "start", "end"]
# Between two references that are named together: "§ 15a InsO, § 64 GmbHG".
_JOINT = lazy(
    r"\s{0,3}(?:[,;/&]\s{0,3})?(?:(?:and|or|und|oder|et|ou|sowie|in\sconjunction\swith|read\swith)\s{1,3})?\Z"
)


# The records of reading are values that nothing changes. They are not frozen, since millions are made, and a frozen one
# takes three times as long to make.
@dataclass(slots=True, unsafe_hash=True)
class ReferencePart:
    """One cited provision of a reference. `urn` is empty where it has no URN scheme or could not be read."""

    start: int  # character offsets into the text that was searched
    end: int
    urn: str
    range: RangeEnd = ""  # the two ends of "paragraphs (1) through (5)"; the members between are not listed


@dataclass(slots=True, unsafe_hash=True)
class FoundReference:
    """One reference as written, with every provision it names.

    `explicit` names its code or section number, `relative` needs the place it is in ("this chapter",
    "paragraph (2)"), `external` is law that this jurisdiction recognises and has no URN for.
    """

    start: int
    end: int
    text: str
    parts: tuple[ReferencePart, ...]
    kind: ReferenceKind
    confident: bool  # False: a reading, not to be presented as certain

    @property
    def urns(self) -> tuple[str, ...]:
        """Target URNs in the order written; empty for an external reference."""
        return tuple([part.urn for part in self.parts if part.urn])

    @property
    def ranges(self) -> tuple[int, ...]:
        """The place of the first end of each range among the parts; the other end is the next part."""
        return tuple(
            place
            for place, (first, last) in enumerate(pairwise(self.parts))
            if first.range == "start" and last.range == "end"
        )


PLAIN_LEVEL = "document"  # of the root of a contract, a policy or another plain document
# What follows the name in a title: "Regulations 2020 (WA)".
_AFTER_NAME = lazy(r"(?:\s(?:of\s)?(?:1[6-9]|20)\d\d|\s\([^()]{1,40}\))+\Z")
# Names of one kind of document: what a statute calls itself, where its publisher says no more than "act".
_ACTS = frozenset({"act", "law", "statute", "by-law", "bylaw", "bye-law", "charter", "proclamation", "decree"})


class DocumentIndex:
    """Look-ups over one document's nodes that reading a relative reference needs. Build once per document."""

    def __init__(self, document: ParsedDocument, own: OwnPhrases | None = None) -> None:
        """Index a document; `own` are the words with which its language speaks of it as a whole."""
        self.document = document
        self.own = own
        self.corpus_urn = document.corpus.urn
        self.title = document.corpus.title
        self.root = document.nodes[0]
        self.tree = Tree(document.nodes)
        self._aliases = {alias: node for node in document.nodes for alias in node.aliases if alias[:8] == "urn:lex:"}
        self._numbered: dict[tuple[str, str], list[ParsedNode]] = {}
        self._cited: dict[str, list[ParsedNode]] | None = None
        self._counted: dict[str, list[ParsedNode]] | None = None
        self._chains: dict[str, tuple[ParsedNode, ...]] = {}
        for node in document.nodes:
            self._numbered.setdefault((node.level, node.number.lower()), []).append(node)
        self._levels = frozenset(level for level, _ in self._numbered)
        self._has_number: dict[tuple[str, re.Pattern[str]], bool] = {}

    def node(self, urn: str) -> ParsedNode | None:
        """The node with this URN or alias."""
        return self.tree.by_urn.get(urn) or self._aliases.get(urn)

    def placed(self, urn: str) -> ParsedNode | None:
        """The node that a URN of this law means; the only section of its number, where sections are under containers
        that the URN does not name. Only for a document that is its whole corpus."""
        found = self.node(urn)
        if found is not None or self.root.urn != self.corpus_urn or not urn.startswith(f"{self.corpus_urn}:"):
            return found
        if self._cited is None:
            self._cited = {}
            for node in self.tree.by_urn.values():
                if node.structure_type in CITING_TYPES:
                    self._cited.setdefault(node.number.lower(), []).append(node)
        number, *below = urn.removeprefix(f"{self.corpus_urn}:").split(":")
        sections = self._cited.get(number.rpartition("_")[2], [])
        return self.node(":".join((sections[0].urn, *below))) if len(sections) == 1 else None

    def chain(self, node: ParsedNode) -> tuple[ParsedNode, ...]:
        """The node and its ancestors, nearest first."""
        known = self._chains.get(node.urn)
        if known is None:
            parent = self.tree.parent(node)
            known = (node, *self.chain(parent)) if parent is not None else (node,)
            self._chains[node.urn] = known
        return known

    def section(self, node: ParsedNode) -> ParsedNode | None:
        """The citing level that the node is or lies in; None for a container."""
        return next((parsed for parsed in self.chain(node) if parsed.structure_type in CITING_TYPES), None)

    def between(self, first: str, last: ParsedNode) -> list[ParsedNode]:
        """The nodes between the ends of a range: siblings below a section, else all of that level in the document."""
        below = self.section(last) not in (last, None)
        order = self.tree.children(last.parent_urn or "") if below else self.tree.nodes
        order = [node for node in order if node.level == last.level and (below or self.section(node) in (node, None))]
        urns = [node.urn for node in order]
        return order[urns.index(first) + 1 : urns.index(last.urn)] if first in urns and last.urn in urns else []

    def calls_itself(self, word: str) -> bool:
        """Whether the document is what "this Act" (`act`) says: a law on its own; a title of a code is none."""
        if self.counts_itself:  # a contract, a policy: whatever it calls itself, unless its parts are called so
            return word not in self._levels
        kind = self.root.level.rpartition(" ")[2]
        name = _AFTER_NAME.sub("", self.title.partition(",")[0].lower())  # "this Ordinance" in a code of that name
        titled = name.endswith((f" {word}", f" {word}s")) or name.startswith(f"{word} on ")
        named = self.root.level == "law" or titled or word == kind or {word, kind} <= _ACTS
        return self.root.structure_type == "ROOT" and named

    def nearest(self, node: ParsedNode, level: str) -> ParsedNode | None:
        """The node itself or its nearest ancestor of this level; a subsection is any top paragraph of a section.

        States that have subdivisions call that so.
        """
        section = self.section(node)
        if level == "section":
            # Where the citing level is the article, "this Section" is a container of articles, if there is one.
            # A chunk of a plain document is cut by length and is no section.
            cited = None if section is not None and section.kind == "chunk" else section
            return next((parsed for parsed in self.chain(node) if parsed.level == "section"), cited)
        found = next((parsed for parsed in self.chain(node) if parsed.level == level), None)
        if found is None and level in ("subsection", "subdivision") and section is not None:
            return next((parsed for parsed in self.chain(node) if parsed.parent_urn == section.urn), None)
        if found is None and level not in self._levels and self.root.structure_type == "ROOT":
            # A part of a code that is a document of its own is what its title calls it: "49 CFR Part 281".
            return self.root if re.search(rf"\b{level}\b", self.title, re.IGNORECASE) else None
        return found

    @property
    def counts_itself(self) -> bool:
        """Whether it is a plain document whose provisions are known by the numbers that it gives them."""
        return self.root.level == PLAIN_LEVEL and self.root.kind != "record"

    def counted(self, number: str, around: Sequence[ParsedNode] = ()) -> ParsedNode | None:
        """The only provision, or divided provision, of this number, else the only one in the nearest container.

        Args:
            number: as printed.
            around: containers, nearest first; empty where a number that is there more than once names nothing.
        """
        found = self._of_number(number)
        for container in around if len(found) > 1 else ():
            if inside := [node for node in found if container in self.chain(node)[1:]]:
                found = inside
                break
        return found[0] if len(found) == 1 else None

    def repeats(self, number: str) -> bool:
        """Whether more than one provision has this number."""
        return len(self._of_number(number)) > 1

    def _of_number(self, number: str) -> list[ParsedNode]:
        if self._counted is None:
            self._counted = {}
            for node in self.document.nodes:
                if node.structure_type in CITING_TYPES or node.level == "section":
                    self._counted.setdefault(node.number.lower(), []).append(node)
        return self._counted.get(number.lower(), [])

    @property
    def levels(self) -> frozenset[str]:
        """What its nodes are called."""
        return self._levels

    def has_number(self, level: str, pattern: re.Pattern[str]) -> bool:
        """Whether a node of a level has a number that a pattern matches whole; asked for the text of each node."""
        known = self._has_number.get((level, pattern))
        if known is None:
            known = any(each == level and pattern.fullmatch(number) for each, number in self._numbered)
            self._has_number[level, pattern] = known
        return known

    def has_level(self, level: str) -> bool:
        """Whether the document has a node of this level."""
        return level in self._levels

    def numbered(self, level: str, number: str, within: ParsedNode) -> ParsedNode | None:
        """The only node of this level and number under `within`; None where there is none or more than one."""
        same = self._numbered.get((level, number.lower()), [])
        found = [node for node in same if any(parsed is within for parsed in self.chain(node)[1:])]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class ReferenceContext:
    """The place a text is in: relative references are read from here."""

    node: ParsedNode
    index: DocumentIndex


@runtime_checkable
class Jurisdiction(Protocol):
    """One jurisdiction's knowledge. Third parties offer theirs over the entry point group `lexscope.jurisdictions`."""

    @property
    def code(self) -> str:
        """ISO 3166-1 alpha-2 in lower case, subdivision after a hyphen: `us-ma`."""
        ...

    @property
    def name(self) -> str:
        """Its name for readers."""
        ...

    @property
    def language(self) -> str:
        """The language its phrases are in, as a two-letter code."""
        ...

    @property
    def supports_annotation(self) -> bool:
        """False where nothing is looked for; reports must then say so instead of showing zero findings."""
        ...

    @property
    def examples(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Texts with the URNs that `find_references(text, None)` must return, in order; its tests run them."""
        ...

    @property
    def query_examples(self) -> tuple[tuple[str, tuple[TagQuery, ...]], ...]:
        """References with the queries that `tag_queries` must return, in order; its tests run them."""
        ...

    @property
    def main_levels(self) -> Mapping[str, str]:
        """For corpora whose URN ends in the key, the level that definitions without a phrase govern."""
        ...

    def document_urn(self, urn: str) -> str:
        """The URN of the document that a provision with this URN belongs to; empty where that is not known."""
        ...

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order, without overlap.

        Args:
            text: any text, a user's question included.
            here: the node the text is in; None: only references that name their code are returned.
        """
        ...

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string that someone gives as a reference; empty where it is none of this law's.

        Args:
            reference: at most some hundred characters, white space folded.

        Returns:
            Confident queries (without hint) first, in the order to be tried; then candidates, each with its hint.
        """
        ...


def edition_named(reference: str) -> tuple[str, str] | None:
    """A reference without the edition in brackets behind it, and the hint that says so; None where it names none."""
    edition = _EDITION.search(reference)
    if edition is None:
        return None
    hint = f"the edition of {edition['year']} is named; this is the text in the store"
    return reference[: edition.start()].rstrip(), hint


def queries_of_references(found: list[FoundReference], reference: str, language: str) -> list[TagQuery]:
    """The queries for a string that is one reference of running text, or several joined, and nothing else.

    Returns:
        One confident query for one provision; for a list or range of provisions, for references named together, and
        for an uncertain reading, a candidate each; nothing where the references are only a part of the string.
    """
    whole = reference.strip().rstrip(" .,;?")
    if not found or found[0].start != 0:
        return []
    one, urns = found[0], found[0].urns
    if not urns:
        return []
    if len(found) > 1:
        return _named_together(found, whole, language)
    if one.end < len(whole):
        onwards = len(one.parts) == 1 and _ONWARDS.match(whole, one.end)
        return [urn_query(urns[0], language=language, hint=ONWARDS)] if onwards else []
    if one.confident and len(one.parts) == 1:
        return [urn_query(urns[0], language=language)]
    hint = SEVERAL if len(one.parts) > 1 else "an uncertain reading"
    return [urn_query(urn, language=language, hint=hint) for urn in dict.fromkeys(urns)]


def _named_together(found: list[FoundReference], whole: str, language: str) -> list[TagQuery]:
    """A candidate for every provision of references with nothing but "and" or a comma between them."""
    joined = all(_JOINT.match(whole[first.end : second.start]) for first, second in pairwise(found))
    if not joined or found[-1].end < len(whole) or not all(reference.urns for reference in found):
        return []
    urns = dict.fromkeys(urn for reference in found for urn in reference.urns)
    return [urn_query(urn, language=language, hint=SEVERAL) for urn in urns]
