"""C(R): a rule and everything that governs it at a date, assembled deterministically.

    targets -> ancestors and subtrees, definitions in scope, exception edges     (one pipelined look-up by key)
            -> shadowing in Python: per term the closest scope
            -> texts of definitions and exceptions, preemption, overrides        (key look-ups)
            -> halt, redact, warn -> canonical order -> budget -> digest

Everything happens on the caller's connection, in its one read-only snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from psycopg.rows import class_row

from retrieval.context_blocks import BlockDraft, draft_block, fit_budget, number_blocks
from retrieval.model import (
    HALT_MESSAGE,
    ContextWarning,
    DefinitionInScope,
    Omitted,
    OverrideNotice,
    ScopedContext,
    context_digest,
)
from retrieval.nodes import Connection, NodeVersion, document_order, nodes_by_ids, subtrees, versions_by_urn
from retrieval.overrides import Override, overrides_for, preemptions_for
from retrieval.queries import QUERIES
from retrieval.shadowing import Binding, DefinitionVersion, bind, used_bindings

# Edges by what they do to the rule: it yields to the target; the source prevails over it; where its power comes from.
YIELDS_TO = ("subject_to",)
PREVAILS_OVER = ("notwithstanding", "disapplies", "excepts")
AUTHORITY = ("enabled_by",)
Key = tuple[str, int]  # jurisdiction, node id


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


@dataclass(slots=True)
class _Scope:
    """What the look-ups gathered, before it becomes blocks."""

    at_date: date
    nodes: dict[Key, NodeVersion] = field(default_factory=dict[Key, NodeVersion])
    drafts: dict[str, BlockDraft] = field(default_factory=dict[str, BlockDraft])  # by URN
    definitions: list[DefinitionInScope] = field(default_factory=list[DefinitionInScope])
    warnings: list[ContextWarning] = field(default_factory=list[ContextWarning])
    omitted: list[Omitted] = field(default_factory=list[Omitted])

    def chain(self, node: NodeVersion) -> list[NodeVersion]:
        """The node's ancestors in force, root first, and itself."""
        keys = ((node.jurisdiction, one) for one in node.ancestor_ids)
        return [self.nodes[key] for key in keys if key in self.nodes]

    def add(self, nodes: Iterable[NodeVersion]) -> None:
        """Make nodes known."""
        for node in nodes:
            self.nodes[(node.jurisdiction, node.node_id)] = node

    def put(self, node: NodeVersion, role: str, rule: str, reason: str, priority: int) -> None:
        """Give a node a block, or let the one it has apply to one more rule."""
        draft = self.drafts.get(node.urn)
        if draft is None or draft.rank(role) < draft.rank(draft.role):
            kept = draft.applies_to if draft else []
            draft = draft_block(node, self.chain(node), role, reason, priority)
            draft.applies_to = kept
            self.drafts[node.urn] = draft
        draft.priority = min(draft.priority, priority)
        if rule not in draft.applies_to:
            draft.applies_to.append(rule)


def assemble(
    conn: Connection,
    targets: Sequence[NodeVersion],
    at_date: date,
    *,
    jurisdictions: Sequence[str],
    budget_tokens: int,
) -> ScopedContext:
    """Assemble the scoped context of one or more rules.

    Args:
        conn: a read connection; its transaction is the snapshot.
        targets: the rules, first-ranked first, each the version in force at the date.
        at_date: the date of everything.
        jurisdictions: all jurisdictions of the store, for edges that come from elsewhere.
        budget_tokens: size limit; blocks are left out whole, and listed.

    Returns:
        The context. `halted` when the first rule is under a halting override.
    """
    scope = _Scope(at_date)
    trees = _gather_trees(conn, scope, targets)
    overrides = _rule_overrides(conn, scope, targets, trees)
    halted = [one for one in targets if _halting(overrides, one.urn)]
    if targets[0] in halted:
        return _halt(targets, at_date, targets[0], overrides)
    left_out = [
        _halting(overrides, one.urn)[0].notice(one.urn, "left_out") for one in halted
    ]  # a lower-ranked rule that is halted says nothing about the first
    rules = [one for one in targets if one not in halted]
    for one in halted:
        scope.omitted.append(Omitted(urn=one.urn, reason="halted by a court override"))
    for rule in rules:
        _put_rule(scope, rule, trees[rule.urn])
    _put_definitions(conn, scope, rules, trees)
    _put_related(conn, scope, rules, trees, jurisdictions)
    _put_federal(conn, scope, rules)
    notices = [*left_out, *_apply_overrides(conn, scope, overrides)]
    budget = fit_budget(list(scope.drafts.values()), budget_tokens)
    for draft in budget.dropped:
        scope.omitted.append(Omitted(urn=draft.node.urn, reason="left out to fit the token budget"))
    if budget.exceeded:
        message = f"The rule alone is estimated at {budget.tokens} tokens, above the budget of {budget_tokens}."
        scope.warnings.append(ContextWarning(kind="budget", message=message))
    return _finish(scope, targets, notices, number_blocks(budget.kept, [rule.urn for rule in rules]))


def _gather_trees(conn: Connection, scope: _Scope, targets: Sequence[NodeVersion]) -> dict[str, list[NodeVersion]]:
    """The rules with their subtrees in document order, and all their ancestors."""
    above = [(rule.jurisdiction, one) for rule in targets for one in rule.ancestor_ids]
    scope.add(nodes_by_ids(conn, above, scope.at_date))
    below = subtrees(conn, ((rule.jurisdiction, rule.path) for rule in targets), scope.at_date)
    scope.add(below)
    return {
        rule.urn: document_order([
            node for node in below
            if node.jurisdiction == rule.jurisdiction and rule.node_id in node.ancestor_ids
        ])
        for rule in targets
    }  # fmt: skip


def _put_rule(scope: _Scope, rule: NodeVersion, tree: list[NodeVersion]) -> None:
    for node in scope.chain(rule)[:-1]:
        scope.put(node, "ancestor", rule.urn, "contains the rule", 0)
    for node in tree:
        reason = "the rule" if node is tree[0] else "part of the rule"
        scope.put(node, "rule", rule.urn, reason, 0)
    if rule.valid_from is None:
        message = "The source does not say since when this text is in force."
        scope.warnings.append(ContextWarning(kind="unknown_start", message=message, urn=rule.urn))


def _put_definitions(
    conn: Connection, scope: _Scope, rules: Sequence[NodeVersion], trees: dict[str, list[NodeVersion]]
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
        # The rule's own bindings, and those that hold only inside a part of it.
        inner = {one.scope_id for one in found} & {node.node_id for node in trees[rule.urn][1:]}
        for node in [rule, *(node for node in trees[rule.urn][1:] if node.node_id in inner)]:
            here = [one for one in found if one.jurisdiction == rule.jurisdiction]
            bindings = bind(here, node.ancestor_ids)
            if node is not rule:
                bindings = {term: one for term, one in bindings.items() if one.kept[0].scope_id == node.node_id}
            used = _used_terms(scope, node, [one for one in trees[rule.urn] if node.node_id in one.ancestor_ids])
            chosen.extend((node, binding, depth) for binding, depth in used_bindings(bindings, used))
    texts = subtrees(
        conn, ((one.jurisdiction, one.path) for _, binding, _ in chosen for one in binding.kept), scope.at_date
    )
    scope.add(texts)
    scope.add(
        nodes_by_ids(conn, ((node.jurisdiction, one) for node in texts for one in node.ancestor_ids), scope.at_date)
    )
    below: dict[Key, list[NodeVersion]] = {}
    for node in document_order(texts):
        for one in node.ancestor_ids:
            below.setdefault((node.jurisdiction, one), []).append(node)
    for node, binding, depth in chosen:
        _put_binding(scope, node, binding, depth, below)
    _put_referenced(conn, scope, chosen)


def _used_terms(scope: _Scope, rule: NodeVersion, tree: Iterable[NodeVersion]) -> list[int]:
    """Term ids that the rule's subtree, its heading chain within the section and its lead-ins use."""
    above = (node for node in scope.chain(rule)[:-1] if node.kind != "section")
    return [term for node in (*above, *tree) for term in node.used_terms]


def _put_binding(
    scope: _Scope, rule: NodeVersion, binding: Binding, depth: int, below: dict[Key, list[NodeVersion]]
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
            scope.put(node, "definition", rule.urn, reason, 10 + depth)
        if one.inferred:
            message = (
                f"That this definition of “{one.term}” governs the rule is inferred from where it stands; "
                "no phrase in it says so."
            )
            scope.warnings.append(ContextWarning(kind="inferred_scope", message=message, urn=one.urn))


def _put_referenced(conn: Connection, scope: _Scope, chosen: list[tuple[NodeVersion, Binding, int]]) -> None:
    """Definitions that only point elsewhere bring what they point to."""
    wanted = {
        one.reference_urn: (rule, one, depth)
        for rule, binding, depth in chosen
        for one in binding.kept
        if one.reference_urn
    }
    if not wanted:
        return
    versions = [one for one in versions_by_urn(conn, sorted(wanted)) if one.in_force(scope.at_date)]
    scope.add(
        nodes_by_ids(conn, ((one.jurisdiction, up) for one in versions for up in one.ancestor_ids), scope.at_date)
    )
    found = {one.urn: one for one in versions}
    for urn, (rule, definition, depth) in sorted(wanted.items()):
        node = found.get(urn)
        if node is None or node.kind == "section":
            reason = f"gives the meaning of “{definition.term}” but is not in the store in force"
            scope.omitted.append(Omitted(urn=urn, reason=reason))
            continue
        tree = subtrees(conn, [(node.jurisdiction, node.path)], scope.at_date)
        scope.add(tree)
        for part in document_order(_defining_parts(tree, definition.normalised_term)):
            reason = f"gives the meaning of “{definition.term}” by reference"
            scope.put(part, "definition", rule.urn, reason, 11 + depth)


def _defining_parts(tree: list[NodeVersion], term: str) -> list[NodeVersion]:
    """Of a section that defines many terms, the parts that speak of this one; all of it where none does."""
    if sum(len(node.text) for node in tree) < 4000:
        return tree
    root = min(tree, key=lambda node: len(node.ancestor_ids))
    heads = {node.node_id for node in tree if node is not root and term in node.text[: len(term) + 40].lower()}
    return [node for node in tree if heads.intersection(node.ancestor_ids)] or tree


def _put_related(
    conn: Connection,
    scope: _Scope,
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
    scope.add(found.values())
    scope.add(
        nodes_by_ids(conn, ((one.jurisdiction, up) for one in found.values() for up in one.ancestor_ids), scope.at_date)
    )
    whole = subtrees(
        conn, ((one.jurisdiction, one.path) for one in found.values() if one.kind != "section"), scope.at_date
    )
    scope.add(whole)
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
                scope.put(source, "exception", rule.urn, reason, 6)


def _put_target(
    scope: _Scope,
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
        scope.put(target, role, rule.urn, f"{reason}; named as a whole, its provisions are not repeated here", 8)
        return
    parts = [one for one in whole if one.jurisdiction == target.jurisdiction and target.node_id in one.ancestor_ids]
    for part in document_order(parts):
        scope.put(part, role, rule.urn, reason, 8 if authority else 5)


def _put_federal(conn: Connection, scope: _Scope, rules: Sequence[NodeVersion]) -> None:
    """Federal rules that overlap a rule: a warning with both URNs, and the federal text."""
    for rule in rules:
        for one in preemptions_for(conn, [node.urn for node in scope.chain(rule)], scope.at_date):
            message = f"Supremacy Clause Warning: {one.federal_pattern} may preempt {rule.urn} ({one.kind})."
            detail = " ".join(part for part in (one.note, one.authority) if part)
            message = f"{message} {detail}".strip()
            scope.warnings.append(ContextWarning(kind="preemption", message=message, urn=rule.urn))
            literal = one.federal_pattern.partition("*")[0].rstrip(":")
            versions = [node for node in versions_by_urn(conn, [literal]) if node.in_force(scope.at_date)]
            scope.add(
                nodes_by_ids(
                    conn, ((node.jurisdiction, up) for node in versions for up in node.ancestor_ids), scope.at_date
                )
            )
            tree = subtrees(
                conn, ((node.jurisdiction, node.path) for node in versions if node.kind != "section"), scope.at_date
            )
            scope.add(tree)
            for node in document_order(tree) or versions:
                scope.put(node, "federal", rule.urn, f"federal rule that overlaps: {one.kind} preemption", 7)
            if not versions:
                reason = "the overlapping federal rule is not in the store in force at the date"
                scope.omitted.append(Omitted(urn=literal, reason=reason))


def _rule_overrides(
    conn: Connection, scope: _Scope, targets: Sequence[NodeVersion], trees: dict[str, list[NodeVersion]]
) -> dict[str, list[Override]]:
    chains = {
        node.urn: [one.urn for one in scope.chain(node)]
        for rule in targets
        for node in [*scope.chain(rule), *trees[rule.urn]]
    }
    return overrides_for(conn, chains, scope.at_date)


def _halting(overrides: dict[str, list[Override]], urn: str) -> list[Override]:
    return [one for one in overrides.get(urn, []) if one.halts]


def _apply_overrides(conn: Connection, scope: _Scope, overrides: dict[str, list[Override]]) -> list[OverrideNotice]:
    """Redact what a court struck down, warn of the rest; the redacted URN leaves the allow-list with its text."""
    chains = {
        urn: [one.urn for one in scope.chain(draft.node)] for urn, draft in scope.drafts.items() if urn not in overrides
    }
    overrides = {**overrides, **overrides_for(conn, chains, scope.at_date)}
    notices: list[OverrideNotice] = []
    for urn, draft in scope.drafts.items():
        for one in overrides.get(urn, []):
            notices.append(one.notice(urn, "redact" if one.halts else "warn"))
            message = f"{urn}: {one.sentence()}"
            scope.warnings.append(ContextWarning(kind="override", message=message, urn=urn))
        if _halting(overrides, urn):
            draft.redact(_halting(overrides, urn)[0].sentence())
    return notices


def _halt(
    targets: Sequence[NodeVersion], at_date: date, rule: NodeVersion, overrides: dict[str, list[Override]]
) -> ScopedContext:
    found = overrides[rule.urn]
    context = ScopedContext(
        status="halted",
        targets=[one.urn for one in targets],
        at_date=at_date,
        digest="",
        blocks=[],
        definitions=[],
        overrides=[one.notice(rule.urn, "halt" if one.halts else "warn") for one in found],
        warnings=[],
        omitted=[],
        message=f"{HALT_MESSAGE} {rule.urn}: {found[0].sentence()}",
    )
    return context.model_copy(update={"digest": context_digest(context)})


def _finish(
    scope: _Scope, targets: Sequence[NodeVersion], notices: list[OverrideNotice], blocks: list[Any]
) -> ScopedContext:
    merged: dict[tuple[str, str, str], DefinitionInScope] = {}
    for one in scope.definitions:
        key = (one.term.lower(), one.urn, one.scope_urn)
        known = merged.get(key)
        if known:
            rules = [*known.applies_to, *(urn for urn in one.applies_to if urn not in known.applies_to)]
            one = known.model_copy(update={"applies_to": rules, "depth": min(one.depth, known.depth)})
        merged[key] = one
    context = ScopedContext(
        status="ok",
        targets=[one.urn for one in targets],
        at_date=scope.at_date,
        digest="",
        blocks=blocks,
        definitions=sorted(merged.values(), key=lambda one: (one.depth, one.term.lower(), one.urn)),
        overrides=notices,
        warnings=list(dict.fromkeys(scope.warnings)),
        omitted=sorted(dict.fromkeys(scope.omitted), key=lambda one: (one.urn, one.reason)),
    )
    return context.model_copy(update={"digest": context_digest(context)})
