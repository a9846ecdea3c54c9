"""Closest-scope shadowing: which definition a term has for a rule. Pure; the heart of P5."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

# What adds to or carves from a meaning given elsewhere does not replace it.
_ADDITIONS = frozenset({"includes", "excludes"})


@dataclass(frozen=True, slots=True)
class DefinitionVersion:
    """A definition in force, with the node whose subtree it governs."""

    jurisdiction: str
    id: int
    node_version_id: int
    node_id: int
    path: str
    urn: str
    term: str
    normalised_term: str
    term_id: int
    relation: str
    scope_id: int
    scope_urn: str
    scope_depth: int
    inferred: bool
    phrase: str
    reference_urn: str
    valid_from: date | None
    used_terms: list[int]  # term ids that the defining node's subtree uses


@dataclass(frozen=True, slots=True)
class Binding:
    """A term's meaning for a rule: `kept`, closest first, and what they shadow."""

    term: str  # normalised
    kept: tuple[DefinitionVersion, ...]
    shadowed: tuple[DefinitionVersion, ...]


def bind(definitions: Iterable[DefinitionVersion], ancestor_ids: Sequence[int]) -> dict[str, Binding]:
    """Bind every term that has a definition whose scope contains a rule.

    The deepest scope wins; at equal depth the later version, then the lower URN. A definition that only adds
    (`includes`) keeps the meaning it adds to: the next `means` outward stays with it.

    Args:
        definitions: in force at one date, of any scope.
        ancestor_ids: the rule's node ids, root first, itself last.

    Returns:
        Normalised term -> binding.
    """
    depth_of = {node_id: depth for depth, node_id in enumerate(ancestor_ids)}
    by_term: dict[str, list[DefinitionVersion]] = {}
    for one in definitions:
        if one.scope_id in depth_of:
            by_term.setdefault(one.normalised_term, []).append(one)
    bindings: dict[str, Binding] = {}
    for term, found in by_term.items():
        found.sort(key=lambda one: (-depth_of[one.scope_id], -_day(one.valid_from), one.urn, one.id))
        kept: list[DefinitionVersion] = []
        complete = False
        closing_depth = -1
        for one in found:
            depth = depth_of[one.scope_id]
            if complete and (depth != closing_depth or one.relation not in _ADDITIONS):
                continue
            kept.append(one)
            if one.relation not in _ADDITIONS:
                complete, closing_depth = True, depth
        bindings[term] = Binding(term, tuple(kept), tuple(one for one in found if one not in kept))
    return bindings


def used_bindings(bindings: dict[str, Binding], used_terms: Iterable[int]) -> list[tuple[Binding, int]]:
    """The bindings that a rule's words need, directly or through a kept definition.

    Args:
        bindings: of one rule.
        used_terms: term ids that the rule and its lead-ins use.

    Returns:
        Pairs of binding and depth (0: used by the rule), by depth and then term. Cycles end by themselves.
    """
    by_id: dict[int, list[Binding]] = {}
    for binding in bindings.values():
        by_id.setdefault(binding.kept[0].term_id, []).append(binding)
    depth: dict[str, int] = {}
    waiting = deque((one, 0) for one in sorted(set(used_terms)))
    while waiting:
        term_id, level = waiting.popleft()
        for binding in by_id.get(term_id, []):
            if binding.term not in depth:
                depth[binding.term] = level
                waiting.extend(
                    (one, level + 1) for definition in binding.kept for one in sorted(set(definition.used_terms))
                )
    return sorted(((bindings[term], level) for term, level in depth.items()), key=lambda pair: (pair[1], pair[0].term))


def _day(day: date | None) -> int:
    return day.toordinal() if day else 0
