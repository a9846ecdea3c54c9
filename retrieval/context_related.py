"""Exceptions, enabling authority and overlapping federal law of a scoped context. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval import context_blocks as needs
from retrieval.context_blocks import sentence_goes_on
from retrieval.context_lookups import named_by
from retrieval.context_material import AUTHORITY, YIELDS_TO, EdgeRow
from retrieval.context_scope import Scope
from retrieval.model import ContextWarning, Omitted
from retrieval.nodes import ContextNode, Key
from retrieval.overrides import matching_preemptions


def put_related(scope: Scope, rules: Sequence[ContextNode]) -> None:
    """Exceptions in both directions, on the rules and what contains them, and enabling authority."""
    material = scope.material

    def order(edge: EdgeRow) -> tuple[str, ...]:
        # By words and URNs, not by id: the order in which documents were ingested must not show.
        source = material.nodes.get(edge.source)
        return source.urn if source else "", edge.kind, edge.reference, edge.target_urn

    edges = sorted(material.edges, key=order)
    for rule in rules if edges else ():
        line = {(node.jurisdiction, node.node_id) for node in (*material.chain(rule), *material.trees[rule.urn])}
        # Editorial notes below the rule are no part of it, and no exception to it either.
        inside = line | {(node.jurisdiction, node.node_id) for node in material.below[rule.jurisdiction, rule.node_id]}
        for edge in edges:
            if edge.outward and edge.source in line and edge.target not in line:
                _put_target(scope, rule, edge)
        for edge in edges:
            if not edge.outward and edge.target in line and edge.source not in inside:
                _put_source(scope, rule, edge)


def _put_source(scope: Scope, rule: ContextNode, edge: EdgeRow) -> None:
    source = scope.material.nodes.get(edge.source)
    if source is None:
        return  # its words are not in force at the date
    reason = f"{edge.kind.replace('_', ' ')}: “{edge.reference}” there names the rule or what contains it"
    priority = _priority(scope, rule, edge.target, source)
    # A container prevails by its own words; the provisions below it are not repeated here.
    tree = [source] if source.kind == "section" else scope.material.below[edge.source]
    children = [part for part in tree if part.parent_id == source.node_id]
    whole = sentence_goes_on(source, children)
    for part in tree:
        if whole or part is source:
            scope.put(part, "exception", rule.urn, reason, priority, source.urn)
        else:
            below = f"stands below an exception: {reason}"
            scope.put(part, "exception", rule.urn, below, needs.BESIDE_WORDS, f"{source.urn} below")


def _priority(scope: Scope, rule: ContextNode, named: Key | None, other: ContextNode) -> int:
    """How much the rule needs an exception, by what of the rule's line it is tied to and where it stands itself."""
    chain = scope.material.chain(rule)
    above = next((one for one in chain[:-1] if (one.jurisdiction, one.node_id) == named), None)
    if above is None:
        return needs.NAMES_RULE
    if above.kind != "section":
        return needs.NAMES_ABOVE
    within = above.jurisdiction == other.jurisdiction and above.node_id in other.ancestor_ids
    return needs.NAMES_ABOVE if within and above is not chain[0] else needs.NAMES_CONTAINER


def _put_target(scope: Scope, rule: ContextNode, edge: EdgeRow) -> None:
    authority = edge.kind in AUTHORITY
    role = "authority" if authority else "exception"
    reason = f"enabling authority: “{edge.reference}”" if authority else f"the rule yields to it: “{edge.reference}”"
    target = scope.material.nodes.get(edge.target) if edge.target else None
    if target is None or edge.target is None:
        if edge.target_urn and edge.kind in YIELDS_TO:
            missing = "is referred to as an exception but is not in the store in force at the date"
            scope.omitted.append(Omitted(urn=edge.target_urn, reason=missing))
        return
    priority = needs.AUTHORITY if authority else _priority(scope, rule, edge.source, target)
    if target.kind == "section":
        reason = f"{reason}; named as a whole, its provisions are not repeated here"
        scope.put(target, role, rule.urn, reason, priority, target.urn)
        return
    for part in scope.material.below[edge.target]:
        scope.put(part, role, rule.urn, reason, priority, target.urn)


def put_federal(scope: Scope, rules: Sequence[ContextNode]) -> None:
    """Federal rules that overlap a rule, a part of it or what contains it: a warning with both URNs, and the text."""
    material = scope.material
    for rule in rules if material.preemptions else ():
        line = [node.urn for node in (*material.chain(rule), *material.trees[rule.urn])]
        for one in matching_preemptions(material.preemptions.values(), line):
            message = f"Supremacy Clause Warning: {one.federal_pattern} may preempt {rule.urn} ({one.kind})."
            detail = " ".join(part for part in (one.note, one.authority) if part)
            literal = named_by(one.federal_pattern)
            if not literal:
                detail = f"{detail} The texts of what this pattern names are not in the context.".strip()
            message = f"{message} {detail}".strip()
            scope.warnings.append(ContextWarning(kind="preemption", message=message, urn=rule.urn))
            versions = material.versions(literal) if literal else []
            for node in _whole(scope, versions):
                reason = f"federal rule that overlaps: {one.kind} preemption"
                scope.put(node, "federal", rule.urn, reason, needs.FEDERAL, literal)
            if literal and not versions:
                reason = "the overlapping federal rule is not in the store in force at the date"
                scope.omitted.append(Omitted(urn=one.federal_pattern, reason=reason))


def _whole(scope: Scope, versions: Sequence[ContextNode]) -> Sequence[ContextNode]:
    """The nodes with all their parts; a container stands for itself where nothing else was named."""
    keys: list[Key] = [(one.jurisdiction, one.node_id) for one in versions if one.kind != "section"]
    return [part for key in keys for part in scope.material.below[key]] or versions
