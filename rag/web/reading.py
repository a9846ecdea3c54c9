"""One provision as a reviewer reads it: its words with the terms that are defined, where it stands, when it is in
force, who cites it, and what limits it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from typing import TypeVar

from rag.documents.model import DocumentBlock, DocumentText
from rag.engine import Engine
from rag.jurisdictions.citing import cited_as, printed_number
from rag.jurisdictions.grammars import GRAMMARS
from rag.languages.registry import term_rules
from rag.law.term_uses import TermIndex
from retrieval.context.compose import assemble_read
from retrieval.context.overrides import overrides_for
from retrieval.model import Block, DefinitionInScope, OverrideNotice, ScopedContext
from retrieval.nodes import Connection, NodeVersion, nodes_by_ids, stored_jurisdictions, versions_by_urn
from retrieval.paths import subtree_end
from retrieval.queries import QUERIES
from retrieval.references.citation_graph import EdgePage, edges_of

MOST_PARTS = 400  # of a heading, as its contents lists them
AROUND = 8  # neighbours on either side that the contents of a long heading show
MOST_CITING = 200  # edges that are looked at, its own parts' included


@dataclass(frozen=True, slots=True)
class Part:
    """A line of a table of contents."""

    urn: str
    name: str  # its citation; of what nobody cites, its level and number
    heading: str
    here: bool = False


@dataclass(frozen=True, slots=True)
class Meaning:
    """A definition that holds for the provision, with its words."""

    number: int  # from 1, over the page
    definition: DefinitionInScope
    lead: str  # what its words go on from; empty where it is that of the meaning before
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a block's words, with the definitions of the term that it is."""

    text: str
    meanings: tuple[Meaning, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block with its words in runs; `depth` counts the provisions it lies within on this page."""

    block: DocumentBlock
    runs: list[Run]
    depth: int
    label: (
        str  # what it is cited by within the page: `(a)`, or its whole citation where it is a provision; may be empty
    )


@dataclass(frozen=True, slots=True)
class Relation:
    """Another provision, or words that name one, and how it stands to this one."""

    urn: str  # empty where the words name nothing that the store has
    words: str  # its heading, or the words of the reference
    kinds: str  # cites, subject to, created by ...


@dataclass(frozen=True, slots=True)
class Limit:
    """An exception or a federal law beside the provision, with the blocks that stand under it."""

    block: Block
    parts: int


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the provision; its last day is the one before `end`."""

    start: date | None
    end: date | None
    here: bool

    @property
    def day(self) -> date | None:
        """A day on which it was in force; None where neither bound is known."""
        return self.start or (self.end - timedelta(days=1) if self.end else None)


@dataclass(frozen=True, slots=True)
class Reading:
    """All that the page of a provision shows; without a status `ok` only `document` says something."""

    document: DocumentText
    paragraphs: list[Paragraph] = field(default_factory=list[Paragraph])
    parts: list[Part] = field(default_factory=list[Part])  # below it, where it is a heading
    siblings: list[Part] = field(default_factory=list[Part])
    previous: Part | None = None
    following: Part | None = None
    versions: list[Version] = field(default_factory=list[Version])
    events: list[OverrideNotice] = field(default_factory=list[OverrideNotice])  # of all times
    meanings: list[Meaning] = field(default_factory=list[Meaning])
    context: ScopedContext | None = None  # of a provision, not of a heading
    limits: list[Limit] = field(default_factory=list[Limit])
    citing: list[Relation] = field(default_factory=list[Relation])
    cited: list[Relation] = field(default_factory=list[Relation])
    history: list[Relation] = field(default_factory=list[Relation])  # what made, changed and ended it
    cut: bool = False  # whether more edges of it are stored than these came from


def read(engine: Engine, reference: str, at_date: str | None, blocks: str | None, language: str | None) -> Reading:
    """A provision or heading for its page.

    Raises:
        InputError: a part of the request cannot be used.
    """
    found = engine.document(reference, at_date=at_date, blocks=blocks, language=language)
    if found.status != "ok" or found.urn is None:
        return Reading(found)
    with engine.database.read() as conn:
        versions = versions_by_urn(conn, [found.urn])
        node = next(version for version in versions if version.in_force(found.at_date))
        siblings, parts = _around(conn, node, found.at_date)
        context = None if node.kind == "section" else _context(conn, node, found.at_date)
        meanings = _meanings(context) if context else []
        incoming = edges_of(conn, found.urn, "incoming", at_date=found.at_date, limit=MOST_CITING)
        outgoing = edges_of(conn, found.urn, "outgoing", at_date=found.at_date, limit=MOST_CITING)
        place = next((at for at, one in enumerate(siblings) if one.here), 0)
        shown = versions_by_urn(conn, [block.urn for block in found.blocks])
        levels = {version.urn: version.level for version in shown if version.in_force(found.at_date)}
        return Reading(
            document=found,
            paragraphs=_paragraphs(found, meanings, levels),
            parts=parts,
            siblings=siblings[max(0, place - AROUND) : place + AROUND + 1],
            previous=siblings[place - 1] if place else None,
            following=siblings[place + 1] if place + 1 < len(siblings) else None,
            versions=[
                Version(version.valid_from, version.valid_to, version.id == node.id)
                for version in sorted(versions, key=lambda one: one.valid_from or date.min)
            ],
            events=court_events(conn, [heading.urn for heading in found.chain]),
            meanings=meanings,
            context=context,
            limits=_limits(context) if context else [],
            citing=_citing(incoming),
            cited=_cited(outgoing, past=False),
            history=_cited(outgoing, past=True),
            cut=max(incoming.total, outgoing.total) > MOST_CITING,
        )


def court_events(conn: Connection, chain: Sequence[str]) -> list[OverrideNotice]:
    """What courts ever did to a provision, earliest first.

    Args:
        chain: the URNs of what contains it, root first, its own last.
    """
    found = overrides_for(conn, {chain[-1]: list(chain)}, None).get(chain[-1], [])
    notices = [override.notice(chain[-1], "warn") for override in found]
    return sorted(notices, key=lambda one: (one.effective_from or date.min, one.urn_pattern))


def _around(conn: Connection, node: NodeVersion, on: date) -> tuple[list[Part], list[Part]]:
    """The provisions and headings beside a node, itself included, and those directly below a heading."""
    above = nodes_by_ids(conn, [(node.jurisdiction, node.parent_id)], on) if node.parent_id is not None else []
    siblings = [part for parent in above for part in _parts(conn, parent, on, node.urn)]
    return siblings, _parts(conn, node, on) if node.kind == "section" else []


def _parts(conn: Connection, parent: NodeVersion, on: date, here: str = "") -> list[Part]:
    values = {
        "jurisdictions": [parent.jurisdiction], "low": parent.path, "high": subtree_end(parent.path),
        "depth": len(parent.ancestor_ids) + 1, "parent": parent.node_id, "at_date": on, "limit": MOST_PARTS,
    }  # fmt: skip
    return [
        Part(urn, cited_as(urn) or f"{level} {number}".strip(), heading, urn == here)
        for urn, level, number, heading in conn.execute(QUERIES["list_parts"], values)
    ]


def _context(conn: Connection, node: NodeVersion, on: date) -> ScopedContext:
    # The budget is for prompts; a reader is shown what there is.
    codes = stored_jurisdictions(conn)
    return assemble_read(conn, GRAMMARS, [node], on, jurisdictions=codes, budget_tokens=10**9)


def _meanings(context: ScopedContext) -> list[Meaning]:
    blocks = {block.urn: block for block in context.blocks if block.text and block.role != "warning"}
    found: list[Meaning] = []
    before = ""
    for number, one in enumerate(
        (definition for definition in context.definitions if definition.urn in blocks), start=1
    ):
        block = blocks[one.urn]
        found.append(Meaning(number, one, block.lead_in if block.lead_in != before else "", block.text))
        before = block.lead_in
    return found


def _limits(context: ScopedContext) -> list[Limit]:
    """The exceptions and federal law, each once with what stands under it."""
    blocks = [block for block in context.blocks if block.role in ("exception", "possible_exception", "federal")]
    there = {block.urn for block in blocks}
    parts = Counter(
        above
        for block in blocks
        if (above := next((up for up in _upwards(block.urn) if up in there), None)) is not None
    )
    return [Limit(block, parts[block.urn]) for block in blocks if not any(up in there for up in _upwards(block.urn))]


def _upwards(urn: str) -> Iterable[str]:
    """The URNs above one, the highest first."""
    parts = urn.split(":")
    return (":".join(parts[:count]) for count in range(4, len(parts)))


def _citing(page: EdgePage) -> list[Relation]:
    """Who cites a provision, its own parts aside, each once with the kinds of its citations."""
    edges = [
        edge for edge in page.edges if edge.source_urn != page.urn and not edge.source_urn.startswith(f"{page.urn}:")
    ]
    kinds = _kinds((edge.source_urn, edge.kind) for edge in edges)
    headings = {edge.source_urn: edge.source_heading for edge in edges}
    return [Relation(urn, headings[urn], words) for urn, words in kinds.items()]


def _cited(page: EdgePage, *, past: bool) -> list[Relation]:
    """What a provision cites, its own parts aside, each once; or what made, changed and ended it."""
    edges = [
        edge for edge in page.edges
        if edge.kind.endswith("_by") == past and not f"{edge.target_urn}:".startswith(f"{page.urn}:")
    ]  # fmt: skip
    kinds = _kinds(((edge.target_urn if edge.resolved else "", edge.reference), edge.kind) for edge in edges)
    return [Relation(urn, words, told) for (urn, words), told in kinds.items()]


_Key = TypeVar("_Key")


def _kinds(pairs: Iterable[tuple[_Key, str]]) -> dict[_Key, str]:
    """The kinds of each key in words, in the order first met."""
    found: dict[_Key, list[str]] = {}
    for key, kind in pairs:
        found.setdefault(key, []).append(kind.replace("_", " "))
    return {key: ", ".join(dict.fromkeys(kinds)) for key, kinds in found.items()}


def _label(block: DocumentBlock, root: str, level: str) -> str:
    """What a block is cited by, as its publication prints it, where its words do not begin with it; empty where it goes
    on with another.
    """
    last = block.urn.rpartition(":")[2]
    if block.start or block.urn == root or last.startswith("def."):
        return ""
    cited = cited_as(block.urn)
    if cited and "(" not in cited:
        return cited  # a provision of a heading
    number = cited.rpartition("(")[2].partition(")")[0] if cited else last.removeprefix("nr.")
    label = printed_number(block.urn, level, number)
    plain = (
        len(label) <= _LONGEST_LABEL
        and not _UNPRINTED.match(last)
        and "_" not in label
        and not block.text.lower().startswith(tuple(form.format(number).lower() for form in ("({})", "{}.", "{})")))
    )
    return label if plain else ""


_LONGEST_LABEL = 8
_UNPRINTED = re.compile(r"(?!nr\.)[a-z]+\.\d")  # counted by position only: a second subparagraph, sub.2


def _paragraphs(found: DocumentText, meanings: Sequence[Meaning], levels: Mapping[str, str]) -> list[Paragraph]:
    rules = term_rules(found.language or "")
    known: dict[str, list[Meaning]] = {}
    for meaning in meanings:
        known.setdefault(rules.normalise(meaning.definition.term), []).append(meaning)
    index = TermIndex(known, rules)
    least = min((block.urn.count(":") for block in found.blocks), default=0)
    return [
        Paragraph(
            block,
            _runs(block, index, known),
            min(block.urn.count(":") - least, 5),
            _label(block, found.urn or "", levels.get(block.urn, "")),
        )
        for block in found.blocks
    ]


def _runs(block: DocumentBlock, index: TermIndex, known: dict[str, list[Meaning]]) -> list[Run]:
    """The words cut at the first use of each term; joined, the runs are the words."""
    uses: dict[tuple[int, int], list[Meaning]] = {}
    seen: set[str] = set()
    for start, end, term in index.find(block.text):
        # What defines a term needs no note of what it means.
        held = [meaning for meaning in known[term] if meaning.definition.urn != block.urn]
        if held and (term not in seen or (start, end) in uses):
            seen.add(term)
            uses.setdefault((start, end), []).extend(held)
    return list(_cut(block.text, uses))


def _cut(text: str, uses: dict[tuple[int, int], list[Meaning]]) -> Iterable[Run]:
    edges = [0, *(edge for span in uses for edge in span), len(text)]
    for start, end in pairwise(edges):
        if start < end:
            yield Run(text[start:end], tuple(uses.get((start, end), ())))
