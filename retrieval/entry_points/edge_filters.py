"""Edge filters of a search: from the ids, URNs or references given as targets to the units that cite them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from retrieval.entry_points.filters import Part, unit_part
from retrieval.entry_points.finding import Searcher
from retrieval.entry_points.operators import ANY_KIND, edge_targets
from retrieval.entry_points.request import Scope
from retrieval.errors import InputError
from retrieval.nodes import Connection, NodeVersion, versions_by_urn
from retrieval.paths import is_urn, parse_urn, subtree_end, urn_spellings
from retrieval.queries import QUERIES
from retrieval.references.hits import Request
from retrieval.references.pipeline import checked_reference
from retrieval.references.resolution import resolve_reference
from retrieval.references.store_finder import StoreFinder

_FIRST = 1000  # numbers the values of these filters past those of the tags


def edge_parts(
    conn: Connection, searcher: Searcher, edges: Mapping[str, str], scope: Scope, stored: Sequence[str]
) -> tuple[list[Part], list[str]]:
    """One filter for each kind of edge, and warnings about targets that the store does not have.

    Args:
        conn: a read connection.
        searcher: what reads references.
        edges: kind of edge, or `*`, -> targets: `a|b` either, `a&b` both.
        scope: the jurisdictions and the date of the nodes that cite.
        stored: all jurisdictions of the store; a target may lie in any.

    Raises:
        InputError: a filter cannot be used.
    """
    parts: list[Part] = []
    warnings: list[str] = []
    for position, (kind, text) in enumerate(edges.items()):
        units: set[tuple[str, int]] | None = None
        name = f"edges[{kind}]"
        for group in edge_targets(kind, text):
            citing: set[tuple[str, int]] = set()
            for target in group:
                found, note = _citing(conn, searcher, kind, target, scope, stored)
                citing |= found
                if note:
                    warnings.append(f"{name}: {note}")
            units = citing if units is None else units & citing
        parts.append(unit_part(name, _FIRST + position, sorted(units or ())))
    return parts, warnings


def _citing(
    conn: Connection, searcher: Searcher, kind: str, target: str, scope: Scope, stored: Sequence[str]
) -> tuple[set[tuple[str, int]], str]:
    """The units with an edge to a target, and what to say of how the target was read."""
    nodes, note = _target_nodes(conn, searcher, target, scope.at_date, stored)
    urns = {one.urn for one in nodes}
    if is_urn(target):
        urns.update(urn_spellings(parse_urn(target)))
    codes = {parse_urn(urn).jurisdiction for urn in urns} | {one.jurisdiction for one in nodes}
    values = {
        "jurisdictions": list(scope.jurisdictions),
        "target_jurisdictions": sorted(codes),
        "at_date": scope.at_date,
        "kind": None if kind == ANY_KIND else kind,
        "lows": sorted({one.path for one in nodes}),
        "highs": [subtree_end(path) for path in sorted({one.path for one in nodes})],
        "urns": sorted(urns),
    }  # fmt: skip
    return set(conn.execute(QUERIES["find_edge_units"], values).fetchall()), note


def _target_nodes(
    conn: Connection, searcher: Searcher, target: str, at_date: date, stored: Sequence[str]
) -> tuple[list[NodeVersion], str]:
    """All versions of the nodes that a target names: a URN, an id of another system, else a reference."""
    text = checked_reference(target)
    today = searcher.today
    request = Request(text, tuple(stored), None, None, today, {})
    urns = sorted({one.urn for one in StoreFinder(conn).direct(request)})
    note = ""
    if not urns and not is_urn(text):
        found = resolve_reference(conn, searcher.grammars, text, today=today, at_date=at_date)
        if found.status == "ambiguous":
            named = ", ".join(one.urn for one in found.candidates[:5])
            raise InputError(f"A target in `edges` may mean several provisions: {named}. Give one of them by its URN.")
        urns = [found.urn] if found.urn else []
        note = f"a target was read as {found.urn}." if found.urn else ""
    if not urns:
        note = "a target is not in the store; only edges that name its URN count." if is_urn(text) else (
            "a target is not in the store. Give a URN, or an id or reference that `resolve` finds."
        )  # fmt: skip
    return (versions_by_urn(conn, urns) if urns else []), note
