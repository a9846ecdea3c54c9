"""C(R): a rule and everything that governs it at a date, assembled deterministically.

    targets -> ancestors and subtrees, definitions in scope, edges, preemption, overrides      (first round trip)
            -> shadowing in Python: per term the closest scope
            -> texts of definitions, exceptions and federal rules, overrides on them           (second)
            -> halt, redact, warn -> canonical order -> budget -> digest                       (pure)

Everything happens on the caller's connection, in its one read-only snapshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from retrieval.context_blocks import fit_budget, number_blocks
from retrieval.context_definitions import put_definitions
from retrieval.context_lookups import look_up
from retrieval.context_material import Material
from retrieval.context_related import put_federal, put_related
from retrieval.context_scope import Scope
from retrieval.model import (
    HALT_MESSAGE,
    Block,
    ContextWarning,
    Omitted,
    OverrideNotice,
    ScopedContext,
    context_digest,
)
from retrieval.nodes import Connection, ContextNode, NodeVersion
from retrieval.overrides import Override, covering_overrides, overrides_along
from retrieval.uncertain_dates import uncertain_dates

OVER_BUDGET = "left out to fit the token budget"


def assemble(
    conn: Connection,
    targets: Sequence[NodeVersion],
    at_date: date,
    *,
    jurisdictions: Sequence[str],
    budget_tokens: int,
) -> ScopedContext:
    """Assemble the scoped context of one or more rules in two round trips, whatever their number.

    Args:
        conn: a read connection; its transaction is the snapshot.
        targets: the rules, first-ranked first, each the version in force at the date.
        at_date: the date of everything.
        jurisdictions: all jurisdictions of the store, for edges that come from elsewhere.
        budget_tokens: size limit; blocks are left out whole, and listed.

    Returns:
        The context. `halted` when the first rule is under a halting override.
    """
    return compose(look_up(conn, targets, at_date, jurisdictions=jurisdictions), budget_tokens=budget_tokens)


def compose(material: Material, *, budget_tokens: int) -> ScopedContext:
    """The scoped context that some material amounts to. Pure.

    Args:
        material: what `look_up` read.
        budget_tokens: size limit.
    """
    scope, targets = Scope(material), material.rules
    overrides = _overrides(material) if material.overrides else {}
    halted = [one for one in targets if _halting(overrides, one.urn)]
    if targets[0] in halted:
        return _halt(targets, material.at_date, targets[0], overrides)
    left_out = [
        _halting(overrides, one.urn)[0].notice(one.urn, "left_out") for one in halted
    ]  # a lower-ranked rule that is halted says nothing about the first
    rules = [one for one in targets if one not in halted]
    for one in halted:
        scope.omitted.append(Omitted(urn=one.urn, reason="halted by a court override"))
    for rule in rules:
        _put_rule(scope, rule)
    put_definitions(scope, rules)
    put_related(scope, rules)
    put_federal(scope, rules)
    notices = [*left_out, *_apply_overrides(scope, overrides)]
    budget = fit_budget(list(scope.drafts.values()), budget_tokens, [rule.urn for rule in rules])
    for draft in budget.dropped:
        scope.omitted.append(Omitted(urn=draft.node.urn, reason=OVER_BUDGET))
    if budget.exceeded:
        message = f"The rule alone is estimated at {budget.tokens} tokens, above the budget of {budget_tokens}."
        scope.warnings.append(ContextWarning(kind="budget", message=message))
    return _finish(scope, targets, notices, number_blocks(budget.kept, [rule.urn for rule in rules]))


def _put_rule(scope: Scope, rule: ContextNode) -> None:
    for node in scope.material.chain(rule)[:-1]:
        scope.put(node, "ancestor", rule.urn, "contains the rule", 0, node.urn)
    for node in scope.material.trees[rule.urn]:
        reason = "the rule" if node.node_id == rule.node_id else "part of the rule"
        scope.put(node, "rule", rule.urn, reason, 0, rule.urn)
    if rule.valid_from is None:
        message = "The source does not say since when this text is in force."
        scope.warnings.append(ContextWarning(kind="unknown_start", message=message, urn=rule.urn))


def _overrides(material: Material) -> dict[str, list[Override]]:
    """Overrides of nodes and of what contains them, by the node's URN."""
    nodes = material.nodes.values()
    covering = covering_overrides(material.overrides.values(), (node.urn for node in nodes))
    covered = {node.node_id for node in nodes if node.urn in covering}
    touched = (node for node in nodes if not covered.isdisjoint(node.ancestor_ids))
    return {node.urn: overrides_along(covering, (one.urn for one in material.chain(node))) for node in touched}


def _halting(overrides: dict[str, list[Override]], urn: str) -> list[Override]:
    return [one for one in overrides.get(urn, []) if one.halts]


def _apply_overrides(scope: Scope, overrides: dict[str, list[Override]]) -> list[OverrideNotice]:
    """Redact what a court struck down, warn of the rest; the redacted URN leaves the allow-list with its text."""
    notices: list[OverrideNotice] = []
    for urn in sorted(overrides.keys() & scope.drafts.keys()):
        draft = scope.drafts[urn]
        for one in overrides[urn]:
            notices.append(one.notice(urn, "redact" if one.halts else "warn"))
            message = f"{urn}: {one.sentence()}"
            scope.warnings.append(ContextWarning(kind="override", message=message, urn=urn))
        if _halting(overrides, urn):
            draft.redact(_halting(overrides, urn)[0].sentence())
    return notices


def _halt(
    targets: Sequence[ContextNode], at_date: date, rule: ContextNode, overrides: dict[str, list[Override]]
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
    scope: Scope, targets: Sequence[ContextNode], notices: list[OverrideNotice], blocks: list[Block]
) -> ScopedContext:
    definitions = scope.definitions({block.urn for block in blocks})
    shown = [scope.drafts[block.urn].node for block in blocks]
    scope.warnings += uncertain_dates(shown, scope.material.at_date)
    inferred: dict[str, dict[str, None]] = {}
    for one in definitions:
        if one.inferred:
            inferred.setdefault(one.phrase, {})[f"“{one.term}”"] = None
    silent = inferred.pop("", None)
    if silent:
        message = (
            "That these definitions govern the rule is inferred from where they stand; no phrase in them says so: "
            f"{', '.join(silent)}."
        )
        scope.warnings.append(ContextWarning(kind="inferred_scope", message=message))
    for phrase, terms in inferred.items():
        say = "says" if len(terms) == 1 else "say"
        message = f"{', '.join(terms)} {say} “{phrase}”, and which provisions that means is inferred."
        scope.warnings.append(ContextWarning(kind="inferred_scope", message=message))
    context = ScopedContext(
        status="ok",
        targets=[one.urn for one in targets],
        at_date=scope.material.at_date,
        digest="",
        blocks=blocks,
        definitions=definitions,
        overrides=notices,
        warnings=list(dict.fromkeys(scope.warnings)),
        omitted=sorted(dict.fromkeys(scope.omitted), key=lambda one: (one.urn, one.reason)),
    )
    return context.model_copy(update={"digest": context_digest(context)})
