"""Which terms a definition needs, transitively, and where it stands: derived when a document is written, for reading
C(R) in one step.

The columns of terms hold at least what is needed at any date: they are made from all versions that the store has.
Readers narrow them down to the words in force at theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rag.database import Connection
from retrieval.queries import QUERIES


def store_term_closures(conn: Connection, jurisdiction: str, document_id: int) -> int:
    """Bring the derived columns of a document's definitions, ended ones included, to what its nodes say.

    Args:
        conn: the connection of the transaction that wrote the document's nodes and definitions.
        jurisdiction: the document's.
        document_id: the document.

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
                "jurisdiction": jurisdiction, "ids": [one[0] for one in changed],
                # Arrays of unequal length travel as text: an array of arrays must be a rectangle.
                "used": [int_array(one[1]) for one in changed], "needed": [int_array(one[2]) for one in changed],
                "beyond": [one[3] for one in changed], "urns": [one[4][0] for one in changed],
                "ancestor_ids": [int_array(one[4][1]) for one in changed],
                "subtree_ids": [int_array(one[4][2]) for one in changed],
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
    numbers = sorted({*uses, *(one for terms in uses.values() for one in terms)})
    bit = {number: 1 << position for position, number in enumerate(numbers)}
    # Sets as bits of one number: thousands of terms that all need each other stay a matter of milliseconds.
    reach = {term: _bits(bit, terms) for term, terms in uses.items()}
    inner = {term: [one for one in terms if one in uses] for term, terms in uses.items()}
    growing = True
    while growing:
        growing = False
        for term, terms in inner.items():
            wider = reach[term]
            for one in terms:
                wider |= reach[one]
            if wider != reach[term]:
                reach[term], growing = wider, True
    return {term: {number for number in numbers if bit[number] & bits} for term, bits in reach.items()}


def _bits(bit: Mapping[int, int], terms: Iterable[int]) -> int:
    bits = 0
    for one in terms:
        bits |= bit[one]
    return bits


def _needed(used: Iterable[int], closed: Mapping[int, set[int]]) -> list[int]:
    needed = set(used)
    for term in used:
        needed |= closed.get(term, set())
    return sorted(needed)


def int_array(numbers: Iterable[int]) -> str:
    """Numbers as PostgreSQL writes an array of them."""
    return "{" + ",".join(map(str, numbers)) + "}"
