"""Which definitions a rule's words need: closest scope first, transitively, each part with its own. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from retrieval.nodes import NodeVersion
from retrieval.shadowing import Binding, DefinitionVersion, used_bindings


class Choice(NamedTuple):
    """A term's meaning for the node that uses it. `depth` 0: used by its own words; 1: by such a definition, and on."""

    user: NodeVersion
    binding: Binding
    depth: int


class Definitions:
    """Definitions in force at one date, as the choice looks them up."""

    def __init__(self, definitions: Iterable[DefinitionVersion]) -> None:
        self.by_term: dict[int, list[DefinitionVersion]] = {}
        self.terms_of_scope: dict[int, set[int]] = {}
        for one in definitions:
            self.by_term.setdefault(one.term_id, []).append(one)
            self.terms_of_scope.setdefault(one.scope_id, set()).add(one.term_id)


def choose(
    rule: NodeVersion, chain: Sequence[NodeVersion], tree: Sequence[NodeVersion], definitions: Definitions
) -> list[Choice]:
    """The definitions that a rule's words need.

    Args:
        rule: the rule.
        chain: its ancestors in force, root first, and itself.
        tree: the rule and its parts in force, in document order.
        definitions: in force at the date.

    Returns:
        The choices, those of the rule itself first.
    """
    return [
        Choice(user, binding, depth)
        for user, terms in _users(rule, chain, tree, definitions)
        for binding, depth in used_bindings(definitions.by_term, user.ancestor_ids, terms)
    ]


def _users(
    rule: NodeVersion, chain: Sequence[NodeVersion], tree: Sequence[NodeVersion], definitions: Definitions
) -> list[tuple[NodeVersion, set[int]]]:
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
        inside = [one for one in reversed(node.ancestor_ids) if one in parts] if parts else ()
        if not inside:
            own.update(node.used_terms)
            continue
        for term in node.used_terms:
            user = next((one for one in inside if term in defined_in[one]), rule.node_id)
            used.setdefault(user, set()).add(term)
    return [(parts.get(user, rule), terms) for user, terms in used.items()]
