"""Searching without a question: what fits some filters, latest first, and which values their tags have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, LiteralString

from retrieval.entry_points.filters import KIND, VIRTUAL_KEYS, Part, joined
from retrieval.entry_points.request import Scope
from retrieval.errors import InputError
from retrieval.model import FacetValue
from retrieval.nodes import Connection
from retrieval.queries import QUERIES
from retrieval.references.tag_sql import Conditions

ALL_KEYS = "*"
EDGE_KINDS = "edge_kinds"
_KEY = re.compile(r"[a-z][a-z0-9_]{0,62}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Browsed:
    """One page of nodes as (jurisdiction, node id, day), latest first."""

    total: int
    nodes: tuple[tuple[str, int, str | None], ...]


def browse(conn: Connection, scope: Scope, limit: int, offset: int) -> Browsed:
    """The topmost nodes that fit a scope, latest first; ties by URN."""
    rows = _rows(conn, QUERIES["browse_nodes"], scope, {"limit": limit, "offset": offset})
    return Browsed(rows[0][0], tuple((code, node, day) for _, code, node, day in rows if node is not None))


def discover(conn: Connection, scope: Scope, key: str, limit: int, offset: int) -> tuple[int, list[FacetValue]]:
    """The values of a tag's key, most frequent first; `*` gives the keys, `edge_kinds` the kinds of edges.

    Returns:
        How many values there are, and one page of them.

    Raises:
        InputError: the key is none.
    """
    page = {"limit": limit, "offset": offset}
    if key == ALL_KEYS:
        return _facets(conn, QUERIES["discover_keys"], _with_headings(scope), page)
    if key == EDGE_KINDS:
        return _facets(conn, QUERIES["discover_edge_kinds"], scope, page)
    if not _KEY.match(key):
        raise InputError("`discover` is the key of a tag, `*` for all keys, or `edge_kinds`.")
    if key in VIRTUAL_KEYS:
        return _facets(conn, QUERIES["discover_columns"], scope, {**page, "key": key})
    return _facets(conn, QUERIES["discover_values"], _with_headings(scope), {**page, "key": key})


def _with_headings(scope: Scope) -> Scope:
    """The scope with roots and headings of legislation: their tags are those of the law below them."""
    if "legislation" not in scope.kinds:
        return scope

    def widened(part: Part) -> Part:
        either = Conditions(f"({part.condition.sql} or n.kind = 'section')", part.condition.values)
        return replace(part, condition=either) if part.name == KIND else part

    return replace(scope, kinds=(*scope.kinds, "section"), parts=tuple(widened(one) for one in scope.parts))


def stored_keys(conn: Connection, scope: Scope) -> list[str]:
    """All keys that a filter of this scope could name: those of tags, and the virtual ones."""
    everything = Scope(scope.jurisdictions, scope.languages, scope.at_date, scope.kinds)
    _, found = discover(conn, everything, ALL_KEYS, 1000, 0)
    return sorted({one.value for one in found} | set(VIRTUAL_KEYS))


def served_as(
    conn: Connection, nodes: Iterable[tuple[str, int]], at_date: date
) -> dict[tuple[str, int], tuple[str | None, str]]:
    """The day and the kind that nodes are served with, by (jurisdiction, node id): a chunk has its document's kind."""
    wanted = sorted(set(nodes))
    if not wanted:
        return {}
    values = {
        "jurisdictions": sorted({code for code, _ in wanted}),
        "ids": [node for _, node in wanted],
        "at_date": at_date,
    }
    return {(code, node): (day, kind) for code, node, day, kind in conn.execute(QUERIES["find_served_as"], values)}


def _facets(
    conn: Connection, statement: LiteralString, scope: Scope, more: Mapping[str, object]
) -> tuple[int, list[FacetValue]]:
    rows = _rows(conn, statement, scope, more)
    return rows[0][0], [FacetValue(value=value, count=count) for _, value, count in rows if value is not None]


def _rows(
    conn: Connection, statement: LiteralString, scope: Scope, more: Mapping[str, object]
) -> list[tuple[Any, ...]]:
    where = joined(scope.parts)
    values = {
        "jurisdictions": list(scope.jurisdictions),
        "languages": list(scope.languages),
        "at_date": scope.at_date,
        "kinds": list(scope.kinds),
        **(where.values if where else {}),
        **more,
    }
    return _run(conn, statement.replace("/*filters*/ true", where.sql) if where else statement, values)


def _run(conn: Connection, statement: LiteralString, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return conn.execute(statement, values).fetchall()
