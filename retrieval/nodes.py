"""Nodes as the store gives them, and look-ups by URN and date."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import psycopg
from psycopg.rows import class_row

from retrieval.paths import parse_urn, subtree_end, urn_spellings
from retrieval.queries import QUERIES
from retrieval.texts import after_children, node_text

Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class NodeVersion:
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
    with conn.cursor(row_factory=class_row(NodeVersion)) as cursor:
        return cursor.execute(QUERIES["find_versions_by_urn"], values).fetchall()


def nodes_by_ids(conn: Connection, keys: Iterable[tuple[str, int]], at_date: date) -> list[NodeVersion]:
    """The versions in force of nodes given as (jurisdiction, node id)."""
    pairs = sorted(set(keys))
    if not pairs:
        return []
    values = {
        "jurisdictions": sorted({jurisdiction for jurisdiction, _ in pairs}),
        "node_ids": [node_id for _, node_id in pairs],
        "at_date": at_date,
    }
    with conn.cursor(row_factory=class_row(NodeVersion)) as cursor:
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
    with conn.cursor(row_factory=class_row(NodeVersion)) as cursor:
        return cursor.execute(QUERIES["find_subtrees"], values).fetchall()


def document_order(nodes: Sequence[NodeVersion]) -> list[NodeVersion]:
    """Sort nodes as the publication has them: by the sibling positions of all their known ancestors."""
    ordinals = {node.node_id: node.ordinal for node in nodes}
    return sorted(nodes, key=lambda node: ([ordinals.get(one, -1) for one in node.ancestor_ids], node.path, node.urn))
