"""Closest-scope shadowing: which definition a term has for a rule. Pure; the heart of P5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date
from operator import itemgetter
from typing import NamedTuple

# What adds to or carves from a meaning given elsewhere does not replace it.
ADDITIONS = frozenset({"includes", "excludes"})


class DefinitionVersion(NamedTuple):
    """A definition in force, with the node whose subtree it governs."""

    jurisdiction: str
    id: int
    node_id: int
    urn: str
    term: str
    normalised_term: str
    term_id: int
    relation: str
    scope_id: int
    scope_urn: str
    inferred: bool
    phrase: str
    reference_urn: str
    valid_from: date | None
    used_terms: Sequence[int]  # term ids that the defining node's subtree uses
    ancestor_ids: Sequence[int] = ()  # node ids above the defining node, root first, and its own
    subtree_ids: Sequence[int] = ()  # its own and those of its parts, over all versions


# Ids of definitions of which nothing holds at the date: a court struck down the words that define.
VoidIds = Set[int]


class Binding(NamedTuple):
    """A term's meaning for a rule: `kept`, closest first, and what they shadow.

    Several meanings in `kept` that are no additions are in conflict: their scopes are equally close. `void` are those
    that would be kept if courts had not struck them down; they shadow nothing.
    """

    term: str  # normalised
    kept: tuple[DefinitionVersion, ...]
    shadowed: tuple[DefinitionVersion, ...]
    void: tuple[DefinitionVersion, ...] = ()


_term = itemgetter(0)  # of a binding


def bind(
    definitions: Iterable[DefinitionVersion], ancestor_ids: Sequence[int], void: VoidIds = frozenset()
) -> dict[str, Binding]:
    """Bind every term that has a definition whose scope contains a rule.

    The deepest scope wins. Meanings of equally deep scopes are all kept, in the order of their URNs; only the later
    version of one node replaces the earlier. A definition that only adds (`includes`) keeps the meaning it adds to:
    the next `means` outward stays with it.

    Args:
        definitions: in force at one date, of any scope.
        ancestor_ids: the rule's node ids, root first, itself last.
        void: what courts struck down.

    Returns:
        Normalised term -> binding.
    """
    return _bind(definitions, _depths(ancestor_ids), void)


def used_bindings(
    definitions: Mapping[int, Sequence[DefinitionVersion]],
    ancestor_ids: Sequence[int],
    used_terms: Iterable[int],
    void: VoidIds = frozenset(),
) -> list[tuple[Binding, int]]:
    """The bindings that a rule's words need, directly or through a kept definition.

    Only terms that are reached are bound: most definitions in scope are of terms that no word there uses.

    Args:
        definitions: in force at one date, of any scope, by term id.
        ancestor_ids: the rule's node ids, root first, itself last.
        used_terms: term ids that the rule and its lead-ins use.
        void: what courts struck down.

    Returns:
        Pairs of binding and depth (0: used by the rule), by depth and then term. Cycles end by themselves.
    """
    depth_of = _depths(ancestor_ids)
    found: list[tuple[Binding, int]] = []
    waiting, seen, level = set(used_terms), set[int](), 0
    while waiting:
        seen |= waiting
        following = set[int]()
        bindings: list[Binding] = []
        for term_id in waiting & definitions.keys():
            known = definitions[term_id]
            if len(known) == 1 and known[0].id not in void:  # as most terms have
                only = known[0]
                if only.scope_id in depth_of:
                    bindings.append(Binding(only.normalised_term, (only,), ()))
                    following.update(only.used_terms)
            else:
                for binding in _bind(known, depth_of, void).values():
                    bindings.append(binding)
                    for definition in binding.kept:
                        following.update(definition.used_terms)
        found += [(binding, level) for binding in sorted(bindings, key=_term)]
        waiting, level = following - seen, level + 1
    return found


def _depths(ancestor_ids: Sequence[int]) -> dict[int, int]:
    return {node_id: depth for depth, node_id in enumerate(ancestor_ids)}


def _bind(definitions: Iterable[DefinitionVersion], depth_of: Mapping[int, int], void: VoidIds) -> dict[str, Binding]:
    by_term: dict[str, list[DefinitionVersion]] = {}
    for definition in definitions:
        if definition.scope_id in depth_of:
            by_term.setdefault(definition.normalised_term, []).append(definition)
    return {term: _binding(term, found, depth_of, void) for term, found in by_term.items()}


def _binding(term: str, found: list[DefinitionVersion], depth_of: Mapping[int, int], void: VoidIds) -> Binding:
    if len(found) == 1 and found[0].id not in void:
        return Binding(term, (found[0],), ())
    found.sort(key=lambda version: (-depth_of[version.scope_id], version.urn, -_day(version.valid_from), version.id))
    kept: list[DefinitionVersion] = []
    shadowed: list[DefinitionVersion] = []
    struck: list[DefinitionVersion] = []
    meaning: set[int] = set()  # nodes whose meanings are kept, all of one depth
    closing_depth = -1
    for version in found:
        depth = depth_of[version.scope_id]
        adds = version.relation in ADDITIONS
        if meaning and (depth != closing_depth or (not adds and version.node_id in meaning)):
            shadowed.append(version)
            continue
        if version.id in void:
            struck.append(version)
            continue
        kept.append(version)
        if not adds:
            meaning.add(version.node_id)
            closing_depth = depth
    return Binding(term, tuple(kept), tuple(shadowed), tuple(struck))


def _day(day: date | None) -> int:
    return day.toordinal() if day else 0
