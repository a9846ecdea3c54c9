"""From the store back to documents in the native format: all versions, definitions, links and used terms.

A document that is exported and ingested into an empty store gives the same C(R). Where the store knows more than
one line per URN can say, the document says so in a warning of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from psycopg.rows import class_row, dict_row

from rag.ingest.writing.rows import term_id
from rag.law.nodes import Corpus, Definition, Link, ParsedDocument, ParsedNode, node_text
from rag.store.database import Connection
from retrieval.paths import parse_urn, urn_spellings
from retrieval.queries import QUERIES


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document of the store, and the corpus it belongs to."""

    jurisdiction: str
    id: int
    urn: str
    source: str
    format: str
    edition_date: date | None
    corpus_urn: str
    title: str
    language: str
    publisher: str
    licence: str
    url: str


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of one node, as stored."""

    id: int
    node_id: int
    ancestor_ids: list[int]
    urn: str
    path: str
    kind: str
    structure_type: str
    level: str
    number: str
    ordinal: int
    heading: str
    intro_text: str
    content_text: str
    tags: dict[str, str]
    aliases: list[str]
    valid_from: date | None
    valid_to: date | None
    used_terms: list[int]


@dataclass(slots=True)
class _PerVersion:
    """Records that the store keeps per version and the format per URN: each once, with the versions that have it."""

    records: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    holders: list[tuple[str, str, set[int]]] = field(default_factory=list[tuple[str, str, set[int]]])  # URN, words, ids


def find_documents(conn: Connection, urn: str) -> list[StoredDocument]:
    """The documents that a corpus's or a document's URN names, in the order of their URNs; none where it is neither.

    Raises:
        InputError: not a URN.
    """
    parsed = parse_urn(urn)
    values = {"jurisdictions": [parsed.jurisdiction], "urns": urn_spellings(parsed)}
    with conn.cursor(row_factory=class_row(StoredDocument)) as cursor:
        return cursor.execute(QUERIES["find_export_documents"], values).fetchall()


def stored_document(conn: Connection, stored: StoredDocument) -> ParsedDocument:
    """A document as a parser and annotation would give it, with all its versions.

    Raises:
        InputError: the store holds something of it that the native format cannot say.
    """
    values = {"jurisdiction": stored.jurisdiction, "document_id": stored.id}
    with conn.cursor(row_factory=class_row(_Version)) as cursor:
        versions = cursor.execute(QUERIES["find_export_nodes"], values).fetchall()
    nodes = _in_document_order(versions)
    with conn.cursor(row_factory=dict_row) as cursor:
        definitions = _per_urn(nodes, cursor.execute(QUERIES["find_export_definitions"], values), "term")
        links = _per_urn(nodes, cursor.execute(QUERIES["find_export_links"], values), "reference")
    warnings: list[str] = []
    own = (record["used_terms"] or () for records in definitions.records.values() for record in records)
    terms = _terms(conn, stored.jurisdiction, {number for numbers in own for number in numbers}, nodes)
    document = ParsedDocument(
        corpus=Corpus(
            stored.corpus_urn, stored.title, stored.language, stored.publisher, stored.licence, stored.url
        ),
        nodes=_nodes(nodes, stored, warnings),
        source=stored.source,
        format="lexjsonl",
        source_hash="",
        parser_version=0,
        edition_date=stored.edition_date,
        definitions=[
            _definition(urn, record, terms)
            for urn, records in definitions.records.items()
            for record in records
        ],
        links=[Link(source_urn=urn, **record) for urn, records in links.records.items() for record in records],
        used_terms=_used_terms(terms, nodes, warnings),
        warnings=warnings,
        annotated=True,
    )  # fmt: skip
    _note_version_differences(nodes, [*definitions.holders, *links.holders], warnings)
    return document


def _in_document_order(versions: Sequence[_Version]) -> list[list[_Version]]:
    """The versions of each node, oldest first; nodes depth first, siblings in the order their newest versions have."""
    by_node: dict[int, list[_Version]] = defaultdict(list)
    for version in versions:
        by_node[version.node_id].append(version)
    children: dict[int | None, list[list[_Version]]] = defaultdict(list)
    for history in by_node.values():
        newest = history[-1]
        parent = newest.ancestor_ids[-2] if len(newest.ancestor_ids) > 1 else None
        children[parent if parent in by_node else None].append(history)
    ordered: list[list[_Version]] = []
    waiting = sorted(children[None], key=_sibling_key, reverse=True)
    while waiting:
        history = waiting.pop()
        ordered.append(history)
        waiting += sorted(children[history[-1].node_id], key=_sibling_key, reverse=True)
    return ordered


def _sibling_key(history: list[_Version]) -> tuple[int, str, str]:
    newest = history[-1]
    return newest.ordinal, newest.path, newest.urn


def _nodes(nodes: list[list[_Version]], stored: StoredDocument, warnings: list[str]) -> list[ParsedNode]:
    urns = {history[-1].node_id: history[-1].urn for history in nodes}
    out: list[ParsedNode] = []
    moved = 0
    for history in nodes:
        newest = history[-1]
        parent = newest.ancestor_ids[-2] if len(newest.ancestor_ids) > 1 else None
        parent_urn = urns.get(parent, stored.corpus_urn) if parent is not None else None
        number = newest.number or newest.urn.rpartition(":")[2]
        for version in history:
            moved += (version.path, version.level, version.number) != (newest.path, newest.level, newest.number)
            out.append(
                ParsedNode(
                    urn=version.urn, parent_urn=parent_urn, structure_type=version.structure_type, level=newest.level,
                    number=number, heading=version.heading, intro_text=version.intro_text,
                    content_text=version.content_text, kind=version.kind, tags=version.tags, aliases=version.aliases,
                    valid_from=version.valid_from, valid_to=version.valid_to,
                )
            )  # fmt: skip
    if moved:
        warnings.append(f"{moved} earlier versions stood at another place of the document; here they stand at today's")
    return out


def _per_urn(nodes: list[list[_Version]], rows: Iterable[dict[str, Any]], words: str) -> _PerVersion:
    """Records by URN in document order, each once, with the versions that have it."""
    by_version: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_version[row.pop("node_version_id")].append(row)
    found = _PerVersion()
    for history in nodes:
        known: list[tuple[dict[str, Any], set[int]]] = []
        for version in history:
            for record in by_version.get(version.id, []):
                same = next((ids for other, ids in known if other == record and version.id not in ids), None)
                if same is None:
                    known.append((record, same := set()))
                same.add(version.id)
        if known:
            found.records[history[-1].urn] = [record for record, _ in known]
            found.holders += [(history[-1].urn, record[words], ids) for record, ids in known]
    return found


def _definition(urn: str, record: dict[str, Any], terms: Mapping[int, list[str]]) -> Definition:
    values = dict(record)
    own, apart = values.pop("used_terms"), values.pop("apart")
    used = None if own is None else tuple(sorted(term for number in own for term in terms[number]))
    return Definition(node_urn=urn, used_terms=used, apart=tuple(apart), **values)


def _terms(conn: Connection, jurisdiction: str, own: set[int], nodes: list[list[_Version]]) -> Mapping[int, list[str]]:
    """The terms behind the numbers that definitions and nodes keep."""
    numbers = own.union(*(version.used_terms for history in nodes for version in history))
    terms: dict[int, list[str]] = defaultdict(list)
    values = {"jurisdiction": jurisdiction, "term_ids": sorted(numbers)}
    for number, term in conn.execute(QUERIES["find_export_terms"], values):
        if term_id(term) == number:
            terms[number].append(term)
    return terms


def _used_terms(
    terms: Mapping[int, list[str]], nodes: list[list[_Version]], warnings: list[str]
) -> dict[str, list[str]]:
    numbers = sorted({number for history in nodes for version in history for number in version.used_terms})
    lost = [number for number in numbers if not terms[number]]
    if lost:
        warnings.append(f"{len(lost)} used terms are left out: the store has no definition of them any more")
    used: dict[str, list[str]] = {}
    differing = 0
    for history in nodes:
        together = sorted({number for version in history for number in version.used_terms})
        differing += any(sorted(version.used_terms) != together for version in history)
        found = sorted(term for number in together for term in terms[number])
        if found:
            used[history[-1].urn] = found
    if differing:
        warnings.append(f"the versions of {differing} nodes use different terms; here each has all of them")
    return used


def _note_version_differences(
    nodes: list[list[_Version]], holders: list[tuple[str, str, set[int]]], warnings: list[str]
) -> None:
    """Compare what an ingest of the export will attach to each version with what the store has."""
    histories = {history[-1].urn: history for history in nodes if len(history) > 1}
    differing: set[str] = set()
    for urn, words, ids in holders:
        history = histories.get(urn, [])
        holding = {
            version.id
            for version in history
            if words.casefold() in node_text(version.intro_text, version.content_text).casefold()
        } or {version.id for version in history}
        if history and holding != ids:
            differing.add(urn)
    if differing:
        warnings.append(
            f"definitions or links of {len(differing)} nodes differ between versions; here they belong to every "
            "version that has their words"
        )
