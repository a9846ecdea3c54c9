"""Blocks of the definitions that a scoped context needs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.context_blocks import definition_priority
from retrieval.context_choice import Choice
from retrieval.context_scope import Scope
from retrieval.model import Omitted
from retrieval.nodes import ContextNode
from retrieval.shadowing import DefinitionVersion

_SHORT = 4000  # characters: a provision that a definition refers to is shown whole up to here


def put_definitions(scope: Scope, rules: Sequence[ContextNode]) -> None:
    """Give the definitions that the rules' words need their blocks, and what those only point to."""
    chosen = [choice for rule in rules for choice in scope.material.choices[rule.urn]]
    for choice in chosen:
        _put_choice(scope, choice)
    _put_referenced(scope, [choice for choice in chosen if choice.used])


def _put_choice(scope: Scope, choice: Choice) -> None:
    binding, depth, rule = choice.binding, choice.depth, choice.user
    scope.define(choice)
    for one in binding.kept if choice.used else ():
        reason = f"defines “{one.term}”, " + ("used by the rule" if depth == 0 else "used by a definition")
        for node in scope.material.below.get((one.jurisdiction, one.node_id), ()):
            scope.put(node, "definition", rule.urn, reason, definition_priority(depth), one.urn)


def _put_referenced(scope: Scope, chosen: Sequence[Choice]) -> None:
    """Definitions that only point elsewhere bring what they point to."""
    wanted: dict[str, list[tuple[Choice, DefinitionVersion]]] = {}
    for choice in chosen:
        for one in choice.binding.kept:
            if one.reference_urn:
                wanted.setdefault(one.reference_urn, []).append((choice, one))
    for urn, users in sorted(wanted.items()):
        versions = [one for one in scope.material.versions(urn) if one.kind != "section"]
        node = next((one for one in versions if one.urn == urn), None)
        for choice, definition in users:
            rule, term = choice.user, definition.term
            if node is None:
                reason = f"gives the meaning of “{term}” but is not in the store in force"
                scope.omitted.append(Omitted(urn=urn, reason=reason))
                continue
            entry, parts = _entry(scope.material.below[(node.jurisdiction, node.node_id)], definition.normalised_term)
            if entry is not None:
                scope.follow(choice, definition, entry.urn)
            for part in parts:
                reason = f"gives the meaning of “{term}” by reference"
                priority, group = definition_priority(choice.depth + 1), f"{urn} {definition.normalised_term}"
                scope.put(part, "definition", rule.urn, reason, priority, group)


def _entry(tree: list[ContextNode], term: str) -> tuple[ContextNode | None, list[ContextNode]]:
    """In what a definition refers to, the entry of its term, and what is shown: that entry, where the whole is long.

    An entry begins with its term. A provision of which no part does is shown whole, and none is named as the entry.
    """
    heads = {node.node_id: node for node in tree if term in node.text[: len(term) + 40].lower()}
    first = min(heads.values(), key=lambda node: (-len(node.ancestor_ids), node.path), default=None)
    if first is None or sum(len(node.text) for node in tree) < _SHORT:
        return first, tree
    root = min(tree, key=lambda node: len(node.ancestor_ids))
    inner = heads.keys() - {root.node_id}
    return first, [node for node in tree if inner.intersection(node.ancestor_ids)] or tree
