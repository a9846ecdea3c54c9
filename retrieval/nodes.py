"""Nodes as the store gives them, and look-ups by URN and date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import date
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import psycopg
from psycopg.rows import RowFactory, class_row

from retrieval.cluster import send_each
from retrieval.model import Basis
from retrieval.paths import parse_urn, subtree_end, urn_spellings
from retrieval.queries import QUERIES
from retrieval.texts import after_children, node_text

Connection = psycopg.Connection[tuple[Any, ...]]


class Readable(Protocol):
    """A store that gives read connections, such as `rag.store.database.Database`."""

    def read(self) -> AbstractContextManager[Connection]:
        """A read-only transaction: one snapshot."""
        ...


Key = tuple[str, int]  # jurisdiction, node id
Record = TypeVar("Record", bound=NamedTuple)


class NodeVersion(NamedTuple):
    """One version of one node."""

    jurisdiction: str
    id: int
    node_id: int
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
    valid_from: date | None
    valid_to: date | None
    ancestor_ids: list[int]
    rule_id: int
    used_terms: list[int]
    tags: dict[str, Any]
    language: str
    corpus: str
    document_id: int
    uncertain: str | None = None  # days on which other words may have been in force, as a multirange
    from_basis: Basis = "unknown"
    to_basis: Basis = "unknown"
    # The keys of its context (rag/ingest/writing/reach.py), where the look-up asks for them; containers have no parts.
    subtree_ids: Sequence[int] | None = None
    line_terms: Sequence[int] | None = None
    scope_ids: Sequence[int] | None = None
    context_ids: Sequence[int] | None = None

    @property
    def text(self) -> str:
        """The node's own words: lead-in and flush text, or a leaf's text. Quotes are offsets into it."""
        return node_text(self.intro_text, self.content_text)

    @property
    def after_children(self) -> int | None:
        """Offset in `text` of the words after its children; None where it has words on one side only."""
        return after_children(self.intro_text, self.content_text)

    @property
    def parent_id(self) -> int | None:
        """The parent's node id; None for a corpus's root."""
        return self.ancestor_ids[-2] if len(self.ancestor_ids) > 1 else None

    def in_force(self, at_date: date) -> bool:
        """Whether `valid_from <= at_date < valid_to`."""
        started = self.valid_from is None or self.valid_from <= at_date
        return started and (self.valid_to is None or at_date < self.valid_to)

    @property
    def in_context(self) -> ContextNode:
        """The version as a scoped context has it."""
        return ContextNode(
            self.jurisdiction, self.id, self.node_id, self.urn, self.path, self.kind, self.ordinal, self.heading,
            self.intro_text, self.content_text, self.valid_from, self.valid_to, self.ancestor_ids, self.used_terms,
            self.corpus, self.uncertain,
        )  # fmt: skip


class ContextNode(NamedTuple):
    """What a scoped context needs of one version of one node: it reads hundreds, and each column costs its share."""

    jurisdiction: str
    id: int
    node_id: int
    urn: str
    path: str
    kind: str
    ordinal: int
    heading: str
    intro_text: str
    content_text: str
    valid_from: date | None
    valid_to: date | None
    ancestor_ids: Sequence[int]
    used_terms: Sequence[int]
    corpus: str
    uncertain: str | None = None  # as `NodeVersion.uncertain`

    @property
    def text(self) -> str:
        """The node's own words, as `NodeVersion.text`."""
        return node_text(self.intro_text, self.content_text)

    @property
    def parent_id(self) -> int | None:
        """As `NodeVersion.parent_id`."""
        return self.ancestor_ids[-2] if len(self.ancestor_ids) > 1 else None


CONTEXT_COLUMNS = len(ContextNode._fields)


PlacedNode = TypeVar("PlacedNode", NodeVersion, ContextNode)


def record_row(record: type[Record]) -> RowFactory[Record]:
    """A row factory for a named tuple whose fields are the columns, in their order.

    Reading rows raises TypeError where their numbers differ.
    """

    def rows(cursor: Any) -> Callable[[Sequence[Any]], Record]:
        result = cursor.pgresult
        if result is not None and result.nfields != len(record._fields):
            raise TypeError(f"{record.__name__} needs {len(record._fields)} columns, and rows have {result.nfields}")
        # What `_make` does for each row, without asking again how many columns it has.
        return cast("Callable[[Sequence[Any]], Record]", partial(cast("Any", tuple).__new__, record))

    return rows


def id_array(ids: Iterable[int]) -> str:
    """Ids as the text of one PostgreSQL array.

    The driver would choose the array's type by the largest id, and every type has a plan of its own.
    """
    return "{" + ",".join(map(str, ids)) + "}"


def id_arrays(lists: Iterable[Iterable[int]]) -> str:
    """Lists of ids as the text of one PostgreSQL array of texts, each to be cast where it is used."""
    return "{" + ",".join(f'"{id_array(ids)}"' for ids in lists) + "}"


def name_array(names: Iterable[str]) -> str:
    """URNs, citation paths or jurisdictions as the text of one PostgreSQL array; none has a character to be quoted."""
    return "{" + ",".join(names) + "}"


def stored_jurisdictions(conn: Connection) -> list[str]:
    """The jurisdictions the store has law of."""
    return [row[0] for row in conn.execute(QUERIES["list_jurisdictions"])]


def versions_by_urn(conn: Connection, urns: Iterable[str]) -> list[NodeVersion]:
    """All versions of nodes with one of these URNs, or with one of them as an alias.

    Raises:
        InputError: one is not a URN.
    """
    parsed = [parse_urn(urn) for urn in urns]
    spellings = sorted({spelling for urn in parsed for spelling in urn_spellings(urn)})
    values = {"jurisdictions": sorted({urn.jurisdiction for urn in parsed}), "urns": spellings}
    with conn.cursor(binary=True, row_factory=record_row(NodeVersion)) as cursor:
        return cursor.execute(QUERIES["find_versions_by_urn"], values).fetchall()


def nodes_by_ids(conn: Connection, keys: Iterable[tuple[str, int]], at_date: date) -> list[NodeVersion]:
    """The versions in force of nodes given as (jurisdiction, node id)."""
    pairs = sorted(set(keys))
    if not pairs:
        return []
    values = {
        "jurisdictions": sorted({jurisdiction for jurisdiction, _ in pairs}),
        "node_ids": id_array(node_id for _, node_id in pairs),
        "at_date": at_date,
    }
    with conn.cursor(binary=True, row_factory=record_row(NodeVersion)) as cursor:
        return cursor.execute(QUERIES["find_nodes_by_ids"], values).fetchall()


def subtrees(conn: Connection, roots: Iterable[tuple[str, str]], at_date: date) -> list[NodeVersion]:
    """The versions in force of whole subtrees given as (jurisdiction, citation path), in no order."""
    pairs = sorted(set(roots))
    if not pairs:
        return []
    values = {
        "jurisdictions": sorted({jurisdiction for jurisdiction, _ in pairs}),
        "path_jurisdictions": [jurisdiction for jurisdiction, _ in pairs],
        "starts": [path for _, path in pairs],
        "ends": [subtree_end(path) for _, path in pairs],
        "at_date": at_date,
    }
    return send_each(conn, QUERIES["find_subtrees"], values, rows=class_row(NodeVersion)).fetchall()


def document_order(nodes: Sequence[PlacedNode]) -> list[PlacedNode]:
    """Sort nodes as the publication has them: by the sibling positions of all their known ancestors."""
    return sorted(nodes, key=document_place(nodes))


def document_place(nodes: Iterable[PlacedNode]) -> Callable[[PlacedNode], tuple[list[int], str, str]]:
    """What `document_order` sorts by: the place of a node among these."""
    position = _Ordinals((node.node_id, node.ordinal) for node in nodes).__getitem__
    return lambda node: (list(map(position, node.ancestor_ids)), node.path, node.urn)


class _Ordinals(dict[int, int]):
    """Sibling positions by node id; nodes that are not known come first."""

    def __missing__(self, node_id: int) -> int:
        return -1
