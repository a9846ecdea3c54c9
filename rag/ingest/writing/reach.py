"""What reading C(R) of a provision looks up, derived from its document when that is written. Pure.

Four columns of a node's row are made here, the same for all its versions: its parts, the terms that words around it
can need, the nodes of its line that definitions govern, and what else its context shows of its document. A reader
who has the row has the keys of everything else. What a part of a rule needs its rule needs too, so that a part has its
parts alone and is read by the other keys of its rule, which are four fifths of what they would be with every node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rag.store.database import Connection
from retrieval.queries import QUERIES


class Placed(NamedTuple):
    """One version of one node, as far as others are found through it."""

    node_id: int
    ancestor_ids: Sequence[int]  # root first, itself last
    container: bool  # a title, chapter or part: no provision, and too wide to list
    used_terms: Sequence[int]
    rule_id: int  # of the rule that it is a part of; its own where it is the rule


class Defines(NamedTuple):
    """A definition, as far as others need it to be found."""

    node_id: int
    term_id: int
    scope_id: int


class Reach(NamedTuple):
    """The derived columns of a provision, each sorted; over all versions of all nodes, so never less than any needs.

    Only the first is there of a part of a rule.
    """

    subtree_ids: list[int]  # itself and its parts
    line_terms: list[int] | None = None  # defined terms that it, its parts, its lead-ins and their definitions need
    scope_ids: list[int] | None = None  # of itself, its parts and what contains it: the nodes that definitions govern
    context_ids: list[int] | None = None  # of each definition that it needs, what contains it and its parts


NOTHING = Reach([], [], [], [])  # of a container


def reach_of(versions: Iterable[Placed], definitions: Iterable[Defines]) -> dict[int, Reach]:
    """The reach of every provision of a document.

    Args:
        versions: all versions of the document's nodes.
        definitions: those of the document, over all versions.

    Returns:
        Node id -> reach; only nodes of which some version is a provision.
    """
    placed = list(versions)
    provisions = {version.node_id for version in placed if not version.container}
    rules = {version.rule_id for version in placed}
    used: dict[int, set[int]] = {}
    defined: dict[int, set[int]] = {}
    by_scope: dict[int, dict[int, set[int]]] = {}
    for definition in definitions:
        defined.setdefault(definition.node_id, set()).add(definition.term_id)
        by_scope.setdefault(definition.scope_id, {}).setdefault(definition.term_id, set()).add(definition.node_id)
    inside: dict[int, set[int]] = {node_id: {node_id} for node_id in provisions | defined.keys()}
    above: dict[int, set[int]] = {node_id: set() for node_id in inside}
    always: dict[int, set[int]] = {}  # of that, what contains it in each of its versions
    for version in placed:
        used.setdefault(version.node_id, set()).update(version.used_terms)
        for container in version.ancestor_ids[:-1]:
            if container in inside:
                inside[container].add(version.node_id)
        if version.node_id in above:
            above[version.node_id].update(version.ancestor_ids)
            always.setdefault(version.node_id, set(version.ancestor_ids)).intersection_update(version.ancestor_ids)
    meanings = _Meanings(by_scope, {definer: _terms(used, inside[definer]) for definer in defined})
    shown = {definer: inside[definer] | above[definer] for definer in defined}
    found: dict[int, Reach] = {}
    for node_id in provisions:
        parts = inside[node_id]
        if node_id not in rules:
            found[node_id] = Reach(sorted(parts))
            continue
        words = parts | (above[node_id] & provisions)
        scopes = (parts | above[node_id]) & by_scope.keys()
        terms, definers = meanings.needed(_terms(used, words) | _terms(defined, words), scopes)
        context = set[int]().union(*(shown[definer] for definer in definers)) - parts - always[node_id]
        found[node_id] = Reach(sorted(parts), sorted(terms), sorted(scopes), sorted(context))
    return found


def _terms(terms: Mapping[int, set[int]], nodes: Iterable[int]) -> set[int]:
    return set[int]().union(*(terms[node] for node in nodes if node in terms))


class _Meanings:
    """Where the terms of a document are defined, and which terms that takes in turn."""

    def __init__(self, by_scope: Mapping[int, Mapping[int, set[int]]], used: Mapping[int, set[int]]) -> None:
        self._by_scope = by_scope  # scope -> term -> nodes that define it there
        self._terms = {scope: set(terms) for scope, terms in by_scope.items()}
        self._used = used  # node that defines something -> terms that it and its parts use

    def needed(self, terms: set[int], scopes: Iterable[int]) -> tuple[set[int], set[int]]:
        """Terms that have a meaning in one of these scopes, of some words and of what defines them, and where."""
        defined, definers = set[int](), set[int]()
        seen, waiting = set(terms), terms
        while waiting:
            found = set[int]()
            for scope in scopes:
                for term in waiting & self._terms[scope]:
                    defined.add(term)
                    found |= self._by_scope[scope][term]
            found -= definers
            definers |= found
            waiting = set[int]().union(*(self._used[definer] for definer in found)) - seen
            seen |= waiting
        return defined, definers


# Which terms a definition needs, transitively, and where it stands: derived when a document is written, for reading
# C(R) in one step.


class Meaning(NamedTuple):
    """A definition in one version of its node, as far as what it needs is derived from it."""

    node_id: int
    term_id: int
    own_terms: list[int] | None  # that its words use, where it is one of several in one text
    apart_ids: Sequence[int] = ()  # parts of its node that define something else


class Needs(NamedTuple):
    """What a definition needs; each list is sorted but for terms that are its own."""

    used_terms: list[int]
    needed_terms: list[int]  # those, and what the document's definitions of them use in turn
    subtree_ids: list[int]  # itself and its parts, without those apart


def needs_of(versions: Iterable[Placed], meanings: Sequence[Meaning]) -> list[Needs]:
    """What the definitions of a new document need, which `find_definition_uses` finds of a stored one.

    Args:
        versions: all versions of the document's nodes.
    """
    inside: dict[int, list[Placed]] = {meaning.node_id: [] for meaning in meanings}
    for version in versions:
        for above in version.ancestor_ids:
            if above in inside:
                inside[above].append(version)
    found: dict[tuple[int, tuple[int, ...]], tuple[list[int], list[int]]] = {}  # a node may define hundreds of terms
    own: list[tuple[list[int], list[int]]] = []
    uses: dict[int, set[int]] = {}
    for meaning in meanings:
        key = (meaning.node_id, tuple(meaning.apart_ids))
        if key not in found:
            parts = [part for part in inside[key[0]] if not set(key[1]).intersection(part.ancestor_ids)]
            terms = {term for part in parts for term in part.used_terms}
            found[key] = sorted(terms), sorted({part.node_id for part in parts})
        used = found[key][0] if meaning.own_terms is None else meaning.own_terms
        own.append((used, found[key][1]))
        uses.setdefault(meaning.term_id, set()).update(used)
    closed = close_terms(uses)
    return [Needs(used, _needed(used, closed), parts) for used, parts in own]


def store_term_closures(conn: Connection, jurisdiction: str, document_id: int) -> int:
    """Bring the derived columns of a document's definitions, ended ones included, to what its nodes say.

    Args:
        conn: the connection of the transaction that wrote the document's nodes and definitions.

    Returns:
        How many definitions changed.
    """
    values = {"jurisdiction": jurisdiction, "document_id": document_id}
    rows = conn.execute(QUERIES["find_definition_uses"], values).fetchall()
    uses: dict[int, set[int]] = {}
    for row in rows:
        uses.setdefault(row[1], set()).update(row[2])
    closed = close_terms(uses)
    changed: list[tuple[int, list[int], list[int], bool, list[Any]]] = []
    for number, _, used, beyond, urn, ancestor_ids, subtree_ids, *stored in rows:
        # What this definition uses and what those terms need; not what other definitions of its own term use.
        needed, place = _needed(used, closed), [urn, ancestor_ids, subtree_ids]
        if [used, needed, beyond, *place] != stored:
            changed.append((number, used, needed, beyond, place))
    if changed:
        conn.execute(
            QUERIES["write_definition_uses"],
            {
                "jurisdiction": jurisdiction, "ids": [row[0] for row in changed],
                # Arrays of unequal length travel as text: an array of arrays must be a rectangle.
                "used": [int_array(row[1]) for row in changed], "needed": [int_array(row[2]) for row in changed],
                "beyond": [row[3] for row in changed], "urns": [row[4][0] for row in changed],
                "ancestor_ids": [int_array(row[4][1]) for row in changed],
                "subtree_ids": [int_array(row[4][2]) for row in changed],
            },
        )  # fmt: skip
    return len(changed)


def close_terms(uses: Mapping[int, Iterable[int]]) -> dict[int, set[int]]:
    """The transitive closure of "the definitions of this term use those terms".

    Args:
        uses: term id -> term ids; cycles are fine.

    Returns:
        Term id -> every term id that it leads to; itself only where a cycle leads back to it.
    """
    numbers = sorted({used for terms in uses.values() for used in terms})  # nothing leads to any other term
    bit = {number: 1 << position for position, number in enumerate(numbers)}
    # Sets as bits of one number: thousands of terms that all need each other stay a matter of milliseconds.
    reach = {term: _bits(bit, terms) for term, terms in uses.items()}
    inner = {term: [used for used in terms if used in uses] for term, terms in uses.items()}
    growing = True
    while growing:
        growing = False
        for term, terms in inner.items():
            wider = reach[term]
            for used in terms:
                wider |= reach[used]
            if wider != reach[term]:
                reach[term], growing = wider, True
    return {term: {numbers[position] for position in _positions(bits)} for term, bits in reach.items()}


def _positions(bits: int) -> Iterator[int]:
    """The positions of the bits that are set; in time for these, but for one search through all."""
    digits = f"{bits:b}"[::-1]
    position = digits.find("1")
    while position >= 0:
        yield position
        position = digits.find("1", position + 1)


def _bits(bit: Mapping[int, int], terms: Iterable[int]) -> int:
    bits = 0
    for term in terms:
        bits |= bit[term]
    return bits


def _needed(used: Iterable[int], closed: Mapping[int, set[int]]) -> list[int]:
    needed = set(used)
    for term in used:
        needed |= closed.get(term, set())
    return sorted(needed)


def int_array(numbers: Iterable[int]) -> str:
    """Numbers as PostgreSQL writes an array of them."""
    return "{" + ",".join(map(str, numbers)) + "}"
