"""Exceptions, enabling authority and overlapping federal law of a scoped context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import class_row

from retrieval.context_scope import Key, Scope
from retrieval.model import ContextWarning, Omitted
from retrieval.nodes import Connection, NodeVersion, document_order, nodes_by_ids, subtrees, versions_by_urn
from retrieval.overrides import preemptions_for
from retrieval.paths import pattern_prefix
from retrieval.queries import QUERIES

# Edges by what they do to the rule: it yields to the target; the source prevails over it; where its power comes from.
YIELDS_TO = ("subject_to",)
PREVAILS_OVER = ("notwithstanding", "disapplies", "excepts")
AUTHORITY = ("enabled_by",)


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A relation between nodes; `target_id` is None where the target is not in the store."""

    jurisdiction: str
    id: int
    source_id: int
    kind: str
    reference: str
    target_jurisdiction: str
    target_urn: str
    target_id: int | None
    properties: dict[str, Any]


def put_related(
    conn: Connection,
    scope: Scope,
    rules: Sequence[NodeVersion],
    trees: dict[str, list[NodeVersion]],
    jurisdictions: Sequence[str],
) -> None:
    """Exceptions in both directions, on the rules and what contains them, and enabling authority."""
    lines: dict[str, list[NodeVersion]] = {rule.urn: [*scope.chain(rule)[:-1], *trees[rule.urn]] for rule in rules}
    ids = sorted({node.node_id for line in lines.values() for node in line})
    if not ids:
        return
    own = sorted({rule.jurisdiction for rule in rules})
    with conn.cursor(row_factory=class_row(EdgeRow)) as cursor:
        outward = cursor.execute(
            QUERIES["find_edges_from"],
            {"jurisdictions": own, "node_ids": ids, "kinds": [*YIELDS_TO, *AUTHORITY], "at_date": scope.at_date},
        ).fetchall()
        inward = cursor.execute(
            QUERIES["find_edges_to"],
            {
                "jurisdictions": own, "all_jurisdictions": list(jurisdictions), "node_ids": ids,
                "kinds": list(PREVAILS_OVER), "at_date": scope.at_date,
            },
        ).fetchall()  # fmt: skip
    ends = [(one.target_jurisdiction, one.target_id) for one in outward if one.target_id is not None]
    ends += [(one.jurisdiction, one.source_id) for one in inward]
    found = {(one.jurisdiction, one.node_id): one for one in nodes_by_ids(conn, ends, scope.at_date)}
    scope.know(conn, found.values())
    whole = subtrees(
        conn, ((one.jurisdiction, one.path) for one in found.values() if one.kind != "section"), scope.at_date
    )
    scope.add(whole)
    # By words and URNs, not by id: the order in which documents were ingested must not show.
    outward.sort(
        key=lambda one: (_urn(scope, one.jurisdiction, one.source_id), one.kind, one.reference, one.target_urn)
    )
    inward.sort(key=lambda one: (_urn(scope, one.jurisdiction, one.source_id), one.kind, one.reference, one.target_urn))
    for rule in rules:
        line_ids = {(node.jurisdiction, node.node_id) for node in lines[rule.urn]}
        for edge in outward:
            if (edge.jurisdiction, edge.source_id) in line_ids:
                _put_target(scope, rule, edge, found, whole, line_ids)
        for edge in inward:
            source = found.get((edge.jurisdiction, edge.source_id))
            if (
                source
                and (edge.target_jurisdiction, edge.target_id) in line_ids
                and ((source.jurisdiction, source.node_id) not in line_ids)
            ):
                reason = f"{edge.kind.replace('_', ' ')}: “{edge.reference}” there names the rule or what contains it"
                # A container prevails by its own words; the provisions below it are not repeated here.
                inside = [one for one in whole if source.node_id in one.ancestor_ids]
                parts = [source] if source.kind == "section" else inside
                for part in document_order(parts):
                    scope.put(part, "exception", rule.urn, reason, 6, source.urn)


def _urn(scope: Scope, jurisdiction: str, node_id: int) -> str:
    node = scope.nodes.get((jurisdiction, node_id))
    return node.urn if node else ""


def _put_target(
    scope: Scope,
    rule: NodeVersion,
    edge: EdgeRow,
    found: dict[Key, NodeVersion],
    whole: list[NodeVersion],
    line_ids: set[Key],
) -> None:
    authority = edge.kind in AUTHORITY
    role = "authority" if authority else "exception"
    reason = f"enabling authority: “{edge.reference}”" if authority else f"the rule yields to it: “{edge.reference}”"
    key = (edge.target_jurisdiction, edge.target_id or -1)
    if key in line_ids:
        return
    target = found.get(key)
    if target is None:
        if edge.target_urn and edge.kind in YIELDS_TO:
            missing = "is referred to as an exception but is not in the store in force at the date"
            scope.omitted.append(Omitted(urn=edge.target_urn, reason=missing))
        return
    if target.kind == "section":
        scope.put(
            target, role, rule.urn, f"{reason}; named as a whole, its provisions are not repeated here", 8, target.urn
        )
        return
    parts = [one for one in whole if one.jurisdiction == target.jurisdiction and target.node_id in one.ancestor_ids]
    for part in document_order(parts):
        scope.put(part, role, rule.urn, reason, 8 if authority else 5, target.urn)


def put_federal(
    conn: Connection, scope: Scope, rules: Sequence[NodeVersion], trees: dict[str, list[NodeVersion]]
) -> None:
    """Federal rules that overlap a rule, a part of it or what contains it: a warning with both URNs, and the text."""
    for rule in rules:
        chain = [node.urn for node in [*scope.chain(rule), *trees[rule.urn]]]
        for one in preemptions_for(conn, chain, scope.at_date):
            message = f"Supremacy Clause Warning: {one.federal_pattern} may preempt {rule.urn} ({one.kind})."
            detail = " ".join(part for part in (one.note, one.authority) if part)
            message = f"{message} {detail}".strip()
            scope.warnings.append(ContextWarning(kind="preemption", message=message, urn=rule.urn))
            literal = pattern_prefix(one.federal_pattern)
            named = literal.count(":") >= 3  # a pattern over all corpora of a jurisdiction names no node
            versions = (
                [node for node in versions_by_urn(conn, [literal]) if node.in_force(scope.at_date)] if named else []
            )
            scope.know(conn, versions)
            tree = subtrees(
                conn, ((node.jurisdiction, node.path) for node in versions if node.kind != "section"), scope.at_date
            )
            scope.add(tree)
            for node in document_order(tree) or versions:
                scope.put(node, "federal", rule.urn, f"federal rule that overlaps: {one.kind} preemption", 7, literal)
            if not versions:
                reason = "the overlapping federal rule is not in the store in force at the date"
                scope.omitted.append(Omitted(urn=one.federal_pattern, reason=reason))
