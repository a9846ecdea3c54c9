"""Which definitions a rule's words need: closest scope first, transitively, each part with its own. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from retrieval.context.shadowing import Binding, DefinitionVersion, VoidIds, bind, used_bindings
from retrieval.nodes import ContextNode


class Choice(NamedTuple):
    """A term's meaning for the node that uses it. `depth` 0: used by its own words; 1: by such a definition, and on.

    A term that the node's words define and do not use has a meaning too; it brings no block of its own (`used`).
    """

    user: ContextNode
    binding: Binding
    depth: int
    used: bool = True


class Definitions:
    """Definitions in force at one date, as the choice looks them up."""

    def __init__(self, definitions: Iterable[DefinitionVersion], void: VoidIds = frozenset()) -> None:
        self.void = void
        self.by_term: dict[int, list[DefinitionVersion]] = {}
        self.by_node: dict[int, list[DefinitionVersion]] = {}
        self.terms_of_scope: dict[int, set[int]] = {}
        for definition in definitions:
            self.by_term.setdefault(definition.term_id, []).append(definition)
            self.by_node.setdefault(definition.node_id, []).append(definition)
            self.terms_of_scope.setdefault(definition.scope_id, set()).add(definition.term_id)


def choose(
    rule: ContextNode, chain: Sequence[ContextNode], tree: Sequence[ContextNode], definitions: Definitions
) -> list[Choice]:
    """The definitions that a rule's words need.

    Args:
        chain: its ancestors in force, root first, and itself.
        tree: the rule and its parts in force, in document order.
        definitions: in force at the date.

    Returns:
        The choices, those of the rule itself first; then those of terms that its words only define.
    """
    found = [
        Choice(user, binding, depth)
        for user, terms in _users(rule, chain, tree, definitions)
        for binding, depth in used_bindings(definitions.by_term, user.ancestor_ids, terms, definitions.void)
    ]
    words = (*tree, *(ancestor for ancestor in chain[:-1] if ancestor.kind != "section"))
    defining = [node for node in words if node.node_id in definitions.by_node]
    return [*found, *_defined(rule, tree, defining, definitions, found)] if defining else found


def _defined(
    rule: ContextNode,
    tree: Sequence[ContextNode],
    defining: Sequence[ContextNode],
    definitions: Definitions,
    found: Sequence[Choice],
) -> list[Choice]:
    """What terms mean that the rule, its parts or its lead-ins define for it or a part: perhaps a closer definition.

    `defining` are those of them that define something, and `found` the choices for the terms that they use.
    """
    known = {(choice.user.node_id, choice.binding.term) for choice in found}
    wanted: dict[tuple[int, str], tuple[ContextNode, DefinitionVersion]] = {}
    parts = {part.node_id: part for part in tree[1:]}
    for node in defining:
        for definition in definitions.by_node[node.node_id]:
            user = rule if definition.scope_id in rule.ancestor_ids else parts.get(definition.scope_id)
            if user is not None and (user.node_id, definition.normalised_term) not in known:
                wanted[user.node_id, definition.normalised_term] = user, definition
    return [
        Choice(
            user,
            bind(definitions.by_term[definition.term_id], user.ancestor_ids, definitions.void)[
                definition.normalised_term
            ],
            0,
            used=False,
        )
        for user, definition in sorted(wanted.values(), key=lambda pair: (pair[0].urn, pair[1].normalised_term))
    ]


def _users(
    rule: ContextNode, chain: Sequence[ContextNode], tree: Sequence[ContextNode], definitions: Definitions
) -> list[tuple[ContextNode, set[int]]]:
    """Who uses which terms: the rule, and each part of it that has definitions of its own.

    A term that only a part uses, and that the part defines for itself, is not looked up for the whole rule. The
    rule's lead-ins and the headings between it and its section count as the rule's words.
    """
    defined_in = definitions.terms_of_scope
    parts = {node.node_id: node for node in tree[1:] if node.node_id in defined_in}
    own: set[int] = set()
    for node in chain[:-1]:
        if node.kind != "section":
            own.update(node.used_terms)
    used: dict[int, set[int]] = {rule.node_id: own}
    for node in tree:
        inside = [id_ for id_ in reversed(node.ancestor_ids) if id_ in parts] if parts else ()
        if not inside:
            own.update(node.used_terms)
            continue
        for term in node.used_terms:
            user = next((node_id for node_id in inside if term in defined_in[node_id]), rule.node_id)
            used.setdefault(user, set()).add(term)
    return [(parts.get(user, rule), terms) for user, terms in used.items()]
