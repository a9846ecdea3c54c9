"""What reading C(R) of a provision looks up, derived from its document when that is written. Pure.

Three columns of a node's row are made here, the same for all its versions: its parts, the terms that words around it
can need, and the nodes of its line that definitions govern. A reader who has the row has the keys of everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Placed(NamedTuple):
    """One version of one node, as far as others are found through it."""

    node_id: int
    ancestor_ids: Sequence[int]  # root first, itself last
    container: bool  # a title, chapter or part: no provision, and too wide to list
    used_terms: Sequence[int]


class Defines(NamedTuple):
    """A definition, as far as others need it to be found."""

    node_id: int
    term_id: int
    scope_id: int


class Reach(NamedTuple):
    """The derived columns of a provision, each sorted; over all versions of all nodes, so never less than any needs."""

    subtree_ids: list[int]  # itself and its parts
    line_terms: list[int]  # terms that it, its parts and its lead-ins use or define
    scope_ids: list[int]  # of itself, its parts and what contains it: the nodes that definitions govern


NOTHING = Reach([], [], [])  # of a container


def reach_of(versions: Iterable[Placed], definitions: Iterable[Defines]) -> dict[int, Reach]:
    """The reach of every provision of a document.

    Args:
        versions: all versions of the document's nodes.
        definitions: those of the document, over all versions.

    Returns:
        Node id -> reach; only nodes of which some version is a provision.
    """
    placed = list(versions)
    provisions = {one.node_id for one in placed if not one.container}
    used: dict[int, set[int]] = {}
    scopes = set[int]()
    for one in definitions:
        used.setdefault(one.node_id, set()).add(one.term_id)
        scopes.add(one.scope_id)
    inside: dict[int, set[int]] = {node_id: {node_id} for node_id in provisions}
    above: dict[int, set[int]] = {node_id: set() for node_id in provisions}
    for one in placed:
        used.setdefault(one.node_id, set()).update(one.used_terms)
        for container in one.ancestor_ids[:-1]:
            if container in inside:
                inside[container].add(one.node_id)
        if one.node_id in above:
            above[one.node_id].update(one.ancestor_ids)
    found: dict[int, Reach] = {}
    for node_id in provisions:
        parts = inside[node_id]
        words = parts | (above[node_id] & provisions)
        terms = set[int]().union(*(used.get(one, ()) for one in words))
        found[node_id] = Reach(sorted(parts), sorted(terms), sorted((parts | above[node_id]) & scopes))
    return found
