"""Definitions of a scoped context: those in scope, shadowed, as far as the rules' words use them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from psycopg.rows import class_row

from retrieval.context_scope import Key, Scope
from retrieval.model import DefinitionInScope, Omitted
from retrieval.nodes import Connection, NodeVersion, document_order, subtrees, versions_by_urn
from retrieval.queries import QUERIES
from retrieval.shadowing import Binding, DefinitionVersion, bind, used_bindings


def put_definitions(
    conn: Connection, scope: Scope, rules: Sequence[NodeVersion], trees: dict[str, list[NodeVersion]]
) -> None:
    """Definitions in scope, shadowed, as far as the rules' words use them."""
    keys = {(node.jurisdiction, one) for rule in rules for node in trees[rule.urn] for one in node.ancestor_ids}
    if not keys:
        return
    values = {
        "jurisdictions": sorted({jurisdiction for jurisdiction, _ in keys}),
        "scope_ids": sorted({node_id for _, node_id in keys}),
        "at_date": scope.at_date,
    }
    with conn.cursor(row_factory=class_row(DefinitionVersion)) as cursor:
        found = cursor.execute(QUERIES["find_definitions_in_scope"], values).fetchall()
    chosen: list[tuple[NodeVersion, Binding, int]] = []
    for rule in rules:
        here = [one for one in found if one.jurisdiction == rule.jurisdiction]
        for node, used in _users(scope, rule, trees[rule.urn], here):
            chosen.extend(
                (node, binding, depth) for binding, depth in used_bindings(bind(here, node.ancestor_ids), used)
            )
    texts = subtrees(
        conn, ((one.jurisdiction, one.path) for _, binding, _ in chosen for one in binding.kept), scope.at_date
    )
    scope.know(conn, texts)
    below: dict[Key, list[NodeVersion]] = {}
    for node in document_order(texts):
        for one in node.ancestor_ids:
            below.setdefault((node.jurisdiction, one), []).append(node)
    for node, binding, depth in chosen:
        _put_binding(scope, node, binding, depth, below)
    _put_referenced(conn, scope, chosen)


def _users(
    scope: Scope, rule: NodeVersion, tree: Sequence[NodeVersion], definitions: Iterable[DefinitionVersion]
) -> list[tuple[NodeVersion, list[int]]]:
    """Who uses which terms: the rule, and each part of it that has definitions of its own.

    A term that only a part uses, and that the part defines for itself, is not looked up for the whole rule. The
    rule's lead-ins and the headings between it and its section count as the rule's words.
    """
    defined_in: dict[int, set[int]] = {}
    for one in definitions:
        defined_in.setdefault(one.scope_id, set()).add(one.term_id)
    parts = {node.node_id: node for node in tree[1:] if node.node_id in defined_in}
    used: dict[int, set[int]] = {rule.node_id: set()}
    for node in (one for one in scope.chain(rule)[:-1] if one.kind != "section"):
        used[rule.node_id].update(node.used_terms)
    for node in tree:
        inside = [one for one in reversed(node.ancestor_ids) if one in parts]
        for term in node.used_terms:
            user = next((one for one in inside if term in defined_in[one]), rule.node_id)
            used.setdefault(user, set()).add(term)
    return [(parts.get(user, rule), sorted(terms)) for user, terms in used.items()]


def _put_binding(
    scope: Scope, rule: NodeVersion, binding: Binding, depth: int, below: dict[Key, list[NodeVersion]]
) -> None:
    shadows = [one.urn for one in binding.shadowed]
    for one in binding.kept:
        scope.definitions.append(
            DefinitionInScope(
                term=one.term,
                urn=one.urn,
                scope_urn=one.scope_urn,
                applies_to=[rule.urn],
                shadows=shadows,
                relation=one.relation,
                inferred=one.inferred,
                phrase=one.phrase,
                depth=depth,
            )
        )
        for node in below.get((one.jurisdiction, one.node_id), []):
            reason = f"defines “{one.term}”, " + ("used by the rule" if depth == 0 else "used by a definition")
            scope.put(node, "definition", rule.urn, reason, 10 + depth, one.urn)


def _put_referenced(conn: Connection, scope: Scope, chosen: list[tuple[NodeVersion, Binding, int]]) -> None:
    """Definitions that only point elsewhere bring what they point to."""
    wanted: dict[str, list[tuple[NodeVersion, DefinitionVersion, int]]] = {}
    for rule, binding, depth in chosen:
        for one in binding.kept:
            if one.reference_urn:
                wanted.setdefault(one.reference_urn, []).append((rule, one, depth))
    if not wanted:
        return
    versions = [one for one in versions_by_urn(conn, sorted(wanted)) if one.in_force(scope.at_date)]
    scope.know(conn, versions)
    trees = subtrees(conn, ((one.jurisdiction, one.path) for one in versions if one.kind != "section"), scope.at_date)
    scope.add(trees)
    for urn, users in sorted(wanted.items()):
        node = next((one for one in versions if one.urn == urn and one.kind != "section"), None)
        for rule, definition, depth in users:
            if node is None:
                reason = f"gives the meaning of “{definition.term}” but is not in the store in force"
                scope.omitted.append(Omitted(urn=urn, reason=reason))
                continue
            tree = [one for one in trees if one.jurisdiction == node.jurisdiction and node.node_id in one.ancestor_ids]
            for part in document_order(_defining_parts(tree, definition.normalised_term)):
                reason = f"gives the meaning of “{definition.term}” by reference"
                scope.put(part, "definition", rule.urn, reason, 11 + depth, f"{urn} {definition.normalised_term}")


def _defining_parts(tree: list[NodeVersion], term: str) -> list[NodeVersion]:
    """Of a section that defines many terms, the parts that speak of this one; all of it where none does."""
    if sum(len(node.text) for node in tree) < 4000:
        return tree
    root = min(tree, key=lambda node: len(node.ancestor_ids))
    heads = {node.node_id for node in tree if node is not root and term in node.text[: len(term) + 40].lower()}
    return [node for node in tree if heads.intersection(node.ancestor_ids)] or tree
