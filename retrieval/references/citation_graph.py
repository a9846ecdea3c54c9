"""The citation graph: what a provision cites, what cites it, and what ended it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Literal

from psycopg.rows import dict_row

from retrieval.cluster import send_each
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import Connection, stored_jurisdictions, versions_by_urn
from retrieval.paths import parse_urn, subtree_end
from retrieval.queries import QUERIES

_KIND = re.compile(r"[a-z][a-z0-9_]{0,62}\Z", re.ASCII)
Direction = Literal["incoming", "outgoing"]
MAX_EDGES = 500  # on one page
# What an edge has to be to say that its source ended its target.
REPEALING_KINDS = ("repeals", "revokes", "abrogates", "replaces")


class Edge(Record):
    """One relation between provisions, in the words of its source."""

    kind: str
    source_urn: str
    source_heading: str
    target_urn: str  # empty where the words name no provision with a URN
    target_heading: str
    reference: str
    resolved: bool  # whether the target is in the store
    valid_from: date | None
    valid_to: date | None


class EdgePage(Record):
    """Edges of a provision and of what lies within it, in URN order."""

    urn: str  # empty where a reference names no one provision
    direction: Direction
    kind: str | None
    at_date: date
    total: int
    offset: int
    edges: list[Edge]
    message: str = ""  # why there are none


def edges_of(
    conn: Connection,
    urn: str,
    direction: Direction,
    *,
    at_date: date,
    kind: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> EdgePage:
    """One page of the citation graph around a provision, its subtree included.

    Args:
        urn: a URN or an alias that is one.
        direction: `outgoing` what it cites, `incoming` what cites it; unresolved references have no target, so that
            they are in the first only.
        at_date: edges of the versions in force at this date.
        kind: one kind of relation only.
        limit: 1 to 500.

    Raises:
        InputError: not a URN, no kind of edge, or limit or offset out of range.
    """
    if not 1 <= limit <= MAX_EDGES or offset < 0:
        raise InputError(f"The limit is 1 to {MAX_EDGES} edges, and the offset is not negative.")
    if kind is not None and not _KIND.match(kind):
        raise InputError("A kind of edge has lower-case letters, digits and underscores only.")
    canonical = parse_urn(urn).text
    page = EdgePage(urn=canonical, direction=direction, kind=kind, at_date=at_date, total=0, offset=offset, edges=[])
    found = versions_by_urn(conn, [canonical])
    if not found:
        return page.model_copy(update={"message": f"{canonical} is not in the store."})
    node = next((node_version for node_version in found if node_version.in_force(at_date)), found[-1])
    values = {
        "own": node.jurisdiction, "jurisdictions": stored_jurisdictions(conn), "low": node.path,
        "high": subtree_end(node.path), "at_date": at_date, "kind": kind, "limit": limit, "offset": offset,
    }  # fmt: skip
    name = "list_outgoing_edges" if direction == "outgoing" else "list_incoming_edges"
    with conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(QUERIES[name], values).fetchall()
    total = int(rows[0]["total"]) if rows else 0
    edges = [Edge(**{key: value for key, value in row.items() if key != "total"}) for row in rows]
    message = "" if edges else _why_none(conn, direction, kind, values)
    return page.model_copy(update={"urn": node.urn, "total": total, "edges": edges, "message": message})


def _why_none(conn: Connection, direction: Direction, kind: str | None, values: Mapping[str, object]) -> str:
    name = "list_outgoing_edge_kinds" if direction == "outgoing" else "list_incoming_edge_kinds"
    kinds = [one for (one,) in conn.execute(QUERIES[name], values)]
    if values["offset"] and (kind in kinds or (kind is None and kinds)):
        return "No edge stands that far on; begin with offset 0."
    named = f"{direction} edges of the kind {kind}" if kind else f"{direction} edges"
    there = f"; kinds that exist: {', '.join(kinds)}" if kinds else ""
    return f"There are no {named} at this date{there}."


def citing_counts(conn: Connection, urns: Iterable[str], jurisdictions: Sequence[str], at_date: date) -> dict[str, int]:
    """How many provisions cite each of these or a part of it, its own parts aside; those that none cites are left out.

    Edges in force at the date count, as far as the store has resolved them.
    """
    wanted = sorted(set(urns))
    if not wanted:
        return {}
    stored = list(jurisdictions)
    values = {"jurisdictions": stored, "everywhere": stored, "urns": wanted, "at_date": at_date}
    return dict(send_each(conn, QUERIES["count_citing"], values).fetchall())


def repealing(conn: Connection, urns: Iterable[str], jurisdictions: Sequence[str]) -> dict[str, list[str]]:
    """By what provisions were ended, as far as edges of the store say so: URN -> the repealing URNs, latest first."""
    values = {"jurisdictions": list(jurisdictions), "urns": sorted(set(urns)), "kinds": list(REPEALING_KINDS)}
    out: dict[str, list[str]] = {}
    for ended, by, _ in conn.execute(QUERIES["find_repealing"], values):
        if by not in out.setdefault(ended, []):
            out[ended].append(by)
    return out
