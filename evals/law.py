"""Law to measure on: any corpus the format registry reads, as sections with the context each is judged in.

No store is needed: blocks are drafted from parsed nodes by the same code that drafts them from stored ones, so that
lead-ins and flush text are what an answer would see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from rag.ingest.formats.registry import discover
from rag.law.nodes import CITING_TYPES, Corpus, ParsedDocument, ParsedNode, Tree
from retrieval.context.blocks import BlockDraft, number_blocks, surroundings
from retrieval.errors import IngestError
from retrieval.model import ScopedContext
from retrieval.nodes import ContextNode
from retrieval.paths import parse_urn

# For law whose source gives no date at all; every such node is in force on any day.
UNDATED = date(2026, 1, 1)


@dataclass(frozen=True, slots=True)
class Section:
    """One rule as people cite it, with its subtree, at a day on which it is in force."""

    urn: str
    at_date: date
    language: str
    drafts: tuple[BlockDraft, ...]


@dataclass(slots=True)
class Law:
    """One corpus: its sections in the order of the publication."""

    source: str  # the corpus's URN without `urn:lex:`
    language: str
    sections: list[Section] = field(default_factory=list[Section])


@dataclass(slots=True)
class Reading:
    """What a folder gave. `notes` say what was left out, and why."""

    laws: list[Law] = field(default_factory=list[Law])
    notes: list[str] = field(default_factory=list[str])


def read_law(path: Path, *, label: str = "") -> Reading:
    """Read all documents under a file or folder.

    A document that another file of the folder already gave (an earlier edition of the same title) is left out with a
    note, and so is a file that cannot be read.

    Args:
        path: the file or folder.
        label: the name of its law in rows; the corpus of each document where empty.

    Raises:
        IngestError: the path does not exist, or is one file of no known format.
    """
    found = discover(path)
    out = Reading(notes=[f"{path.name}: {error.message}" for error in found.rejected])
    laws: dict[str, Law] = {}
    seen: dict[str, str] = {}
    for one, source in found.sources:
        try:
            document = one.parse(source)
        except IngestError as error:
            out.notes.append(f"{path.name}: {error.message}")
            continue
        if document.urn in seen:
            out.notes.append(f"{source.name} is left out: {seen[document.urn]} has {document.urn} already")
            continue
        seen[document.urn] = source.name
        name = label or document.corpus.urn.removeprefix("urn:lex:")
        law = laws.setdefault(name, Law(name, document.corpus.language))
        law.sections.extend(_sections(document))
    out.laws = [laws[name] for name in sorted(laws)]
    return out


def _day(document: ParsedDocument) -> date:
    """The last day on which something of the document begins: its newest text is in force then."""
    days = [node.valid_from for node in document.nodes if node.valid_from is not None]
    if document.edition_date is not None:
        days.append(document.edition_date)
    return max(days) if days else UNDATED


def _sections(document: ParsedDocument) -> list[Section]:
    at_date = _day(document)
    nodes = [node for node in document.nodes if _in_force(node, at_date)]
    tree = Tree(nodes)
    versions = _versions(nodes, tree, document.corpus)
    language = document.corpus.language
    return [_section(rule, tree, versions, at_date, language) for rule in _rules(nodes, tree)]


def _rules(nodes: Sequence[ParsedNode], tree: Tree) -> list[ParsedNode]:
    """The nodes people cite as one rule; where there are none, each highest node that is no container."""
    citing = {node.urn for node in nodes if node.structure_type in CITING_TYPES}
    above_citing = {ancestor.urn for node in nodes if node.urn in citing for ancestor in tree.ancestors(node)}
    chosen: dict[str, ParsedNode] = {}
    for node in nodes:
        is_rule = node.urn in citing or (node.urn not in above_citing and node.kind != "section")
        if is_rule and not any(ancestor.urn in chosen for ancestor in tree.ancestors(node)):
            chosen[node.urn] = node
    return list(chosen.values())


def _in_force(node: ParsedNode, day: date) -> bool:
    return (node.valid_from is None or node.valid_from <= day) and (node.valid_to is None or day < node.valid_to)


def _versions(nodes: Sequence[ParsedNode], tree: Tree, corpus: Corpus) -> dict[str, ContextNode]:
    """The nodes as the store would give them; ids are their positions."""
    jurisdiction = parse_urn(corpus.urn).jurisdiction
    ids = {node.urn: position for position, node in enumerate(nodes, start=1)}
    out: dict[str, ContextNode] = {}
    for node in nodes:
        number = ids[node.urn]
        above = [ids[ancestor.urn] for ancestor in reversed(tree.ancestors(node))]
        out[node.urn] = ContextNode(
            jurisdiction=jurisdiction, id=number, node_id=number, urn=node.urn, path="", kind=node.kind,
            ordinal=number, heading=node.heading, intro_text=node.intro_text, content_text=node.content_text,
            valid_from=node.valid_from, valid_to=node.valid_to, ancestor_ids=[*above, number], used_terms=[],
            corpus=corpus.urn,
        )  # fmt: skip
    return out


def _section(rule: ParsedNode, tree: Tree, versions: dict[str, ContextNode], at_date: date, language: str) -> Section:
    drafts: list[BlockDraft] = []
    above = [versions[ancestor.urn] for ancestor in reversed(tree.ancestors(rule))]
    for position, node in enumerate(above):
        if node.kind != "section" and node.text:
            drafts.append(surroundings(above[:position]).draft(node, "ancestor", "", 0, rule.urn))
    for node in tree.subtree(rule):
        chain = [versions[ancestor.urn] for ancestor in reversed(tree.ancestors(node))]
        drafts.append(surroundings(chain).draft(versions[node.urn], "rule", "", 0, rule.urn))
    for draft in drafts:
        draft.applies_to = [rule.urn]
    return Section(rule.urn, at_date, language, tuple(drafts))


def context_of(sections: Sequence[Section]) -> ScopedContext:
    """A scoped context of these sections, without definitions and overrides, at the first one's day.

    A node that is above several of them is there once.
    """
    drafts = {draft.node.urn: draft for section in reversed(sections) for draft in section.drafts}
    rules = [section.urn for section in sections]
    return ScopedContext(
        status="ok", targets=rules, at_date=sections[0].at_date, digest="",
        blocks=number_blocks(list(drafts.values()), rules), definitions=[], overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
