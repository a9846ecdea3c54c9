"""Nodes that were found by name, held against the filters that the legs apply in their own statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from retrieval.lexical import Filters
from retrieval.nodes import Connection, NodeVersion
from retrieval.queries import QUERIES


def passing(conn: Connection, nodes: Sequence[NodeVersion], filters: Filters) -> list[NodeVersion]:
    """The nodes of the chosen jurisdictions that fit the further predicates, in their order.

    Whoever names a node means it, so that neither its kind nor its language counts.
    """
    inside = [one for one in nodes if one.jurisdiction in filters.jurisdictions]
    if filters.where is None or not inside:
        return inside
    values = {**filters.values, "ids": [one.id for one in inside]}
    kept = _ids(conn, filters.statement(QUERIES["filter_named_nodes"]), values)
    return [one for one in inside if (one.jurisdiction, one.id) in kept]


def _ids(conn: Connection, statement: LiteralString, values: dict[str, object]) -> set[tuple[str, int]]:
    return set(conn.execute(statement, values).fetchall())
