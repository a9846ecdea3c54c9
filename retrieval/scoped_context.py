"""C(R): a rule and everything that governs it at a date, assembled deterministically.

    targets -> ancestors and subtrees, definitions in scope, exception edges     (one pipelined look-up by key)
            -> shadowing in Python: per term the closest scope
            -> texts of definitions and exceptions, preemption, overrides        (key look-ups)
            -> halt, redact, warn -> canonical order -> budget -> digest

Everything happens on the caller's connection, in its one read-only snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from retrieval.context_blocks import fit_budget, number_blocks
from retrieval.context_definitions import put_definitions
from retrieval.context_related import put_federal, put_related
from retrieval.context_scope import Scope
from retrieval.model import (
    HALT_MESSAGE,
    Block,
    ContextWarning,
    DefinitionInScope,
    Omitted,
    OverrideNotice,
    ScopedContext,
    context_digest,
)
from retrieval.nodes import Connection, NodeVersion, document_order, nodes_by_ids, subtrees
from retrieval.overrides import Override, overrides_for

OVER_BUDGET = "left out to fit the token budget"


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
    scope = Scope(at_date)
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
    put_definitions(conn, scope, rules, trees)
    put_related(conn, scope, rules, trees, jurisdictions)
    put_federal(conn, scope, rules, trees)
    notices = [*left_out, *_apply_overrides(conn, scope, overrides)]
    budget = fit_budget(list(scope.drafts.values()), budget_tokens, [rule.urn for rule in rules])
    for draft in budget.dropped:
        scope.omitted.append(Omitted(urn=draft.node.urn, reason=OVER_BUDGET))
    if budget.exceeded:
        message = f"The rule alone is estimated at {budget.tokens} tokens, above the budget of {budget_tokens}."
        scope.warnings.append(ContextWarning(kind="budget", message=message))
    return _finish(scope, targets, notices, number_blocks(budget.kept, [rule.urn for rule in rules]))


def _gather_trees(conn: Connection, scope: Scope, targets: Sequence[NodeVersion]) -> dict[str, list[NodeVersion]]:
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


def _put_rule(scope: Scope, rule: NodeVersion, tree: list[NodeVersion]) -> None:
    for node in scope.chain(rule)[:-1]:
        scope.put(node, "ancestor", rule.urn, "contains the rule", 0, node.urn)
    for node in tree:
        reason = "the rule" if node is tree[0] else "part of the rule"
        scope.put(node, "rule", rule.urn, reason, 0, rule.urn)
    if rule.valid_from is None:
        message = "The source does not say since when this text is in force."
        scope.warnings.append(ContextWarning(kind="unknown_start", message=message, urn=rule.urn))


def _rule_overrides(
    conn: Connection, scope: Scope, targets: Sequence[NodeVersion], trees: dict[str, list[NodeVersion]]
) -> dict[str, list[Override]]:
    chains = {
        node.urn: [one.urn for one in scope.chain(node)]
        for rule in targets
        for node in [*scope.chain(rule), *trees[rule.urn]]
    }
    return overrides_for(conn, chains, scope.at_date)


def _halting(overrides: dict[str, list[Override]], urn: str) -> list[Override]:
    return [one for one in overrides.get(urn, []) if one.halts]


def _apply_overrides(conn: Connection, scope: Scope, overrides: dict[str, list[Override]]) -> list[OverrideNotice]:
    """Redact what a court struck down, warn of the rest; the redacted URN leaves the allow-list with its text."""
    chains = {
        urn: [one.urn for one in scope.chain(draft.node)] for urn, draft in scope.drafts.items() if urn not in overrides
    }
    overrides = {**overrides, **overrides_for(conn, chains, scope.at_date)}
    notices: list[OverrideNotice] = []
    for urn, draft in sorted(scope.drafts.items()):
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
    scope: Scope, targets: Sequence[NodeVersion], notices: list[OverrideNotice], blocks: list[Block]
) -> ScopedContext:
    shown = {block.urn for block in blocks}
    definitions = _merged(one for one in scope.definitions if one.urn in shown)
    inferred = list(dict.fromkeys(f"“{one.term}”" for one in definitions if one.inferred))
    if inferred:
        message = (
            "That these definitions govern the rule is inferred from where they stand; no phrase in them says so: "
            f"{', '.join(inferred)}."
        )
        scope.warnings.append(ContextWarning(kind="inferred_scope", message=message))
    context = ScopedContext(
        status="ok",
        targets=[one.urn for one in targets],
        at_date=scope.at_date,
        digest="",
        blocks=blocks,
        definitions=definitions,
        overrides=notices,
        warnings=list(dict.fromkeys(scope.warnings)),
        omitted=sorted(dict.fromkeys(scope.omitted), key=lambda one: (one.urn, one.reason)),
    )
    return context.model_copy(update={"digest": context_digest(context)})


def _merged(definitions: Iterable[DefinitionInScope]) -> list[DefinitionInScope]:
    """One entry per term, definition and scope, with all the rules it applies to."""
    merged: dict[tuple[str, str, str], DefinitionInScope] = {}
    for one in definitions:
        key = (one.term.lower(), one.urn, one.scope_urn)
        known = merged.get(key)
        if known:
            rules = [*known.applies_to, *(urn for urn in one.applies_to if urn not in known.applies_to)]
            one = known.model_copy(update={"applies_to": rules, "depth": min(one.depth, known.depth)})
        merged[key] = one
    return sorted(merged.values(), key=lambda one: (one.depth, one.term.lower(), one.urn))
