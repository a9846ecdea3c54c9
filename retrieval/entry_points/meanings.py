"""A question for what a term means: the stored definitions of it, and those that govern what the question cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from retrieval.nodes import Connection, NodeVersion, nodes_by_ids, record_row
from retrieval.queries import QUERIES

# Of a term with more definitions nobody knows which one is meant: they are places to look. As many are served at most.
MOST_MEANINGS = 3
_MOST_READ = 500
_NAMED = 10  # definitions in a message


class Meaning(NamedTuple):
    """A stored definition of a term, and what it governs."""

    jurisdiction: str
    node_id: int
    urn: str
    term: str  # normalised
    scope_urn: str
    scope_path: str
    node_path: str
    inferred: bool  # the scope is read from where the definition stands


@dataclass(frozen=True, slots=True)
class Meanings:
    """The definitions that a question for a meaning is about."""

    term: str = ""  # normalised; empty where the question is none, or nothing defines its term
    rules: tuple[NodeVersion, ...] = ()  # the defining nodes, the widest scope first
    total: int = 0  # of them, those left out included
    note: str = ""  # which they are, and what each of them governs


def find_meanings(
    conn: Connection,
    terms: Sequence[str],
    jurisdictions: Sequence[str],
    language: str,
    at_date: date,
    cited: Sequence[NodeVersion],
    limit: int,
) -> Meanings:
    """The definitions of a term.

    Args:
        terms: what the term may be, normalised, the likeliest first; the first that is defined counts.
        jurisdictions: whose law is searched.
        at_date: the date of the law.
        cited: provisions and laws that the question names: then what governs them there counts, else what they contain.
        limit: most rules.
    """
    values = {
        "jurisdictions": list(jurisdictions), "terms": list(terms), "language": language, "at_date": at_date,
        "limit": _MOST_READ,
    }  # fmt: skip
    with conn.cursor(row_factory=record_row(Meaning)) as cursor:
        read = cursor.execute(QUERIES["find_meanings"], values).fetchall()
    for term in terms:
        found = [meaning for meaning in read if meaning.term == term]
        if cited:
            found = [meaning for node in cited for meaning in _of(node, found)]
        found = list({(meaning.jurisdiction, meaning.node_id): meaning for meaning in reversed(found)}.values())[::-1]
        if found:
            found.sort(key=lambda one: (one.scope_path.count("."), one.urn))
            nodes = nodes_by_ids(conn, ((one.jurisdiction, one.node_id) for one in found[:limit]), at_date)
            by_urn = {node.urn: node for node in nodes}
            rules = tuple(by_urn[one.urn] for one in found[:limit] if one.urn in by_urn)
            return Meanings(term, rules, len(found), _told(term, found)) if rules else Meanings()
    return Meanings()


def _of(node: NodeVersion, meanings: Sequence[Meaning]) -> list[Meaning]:
    """The definitions that govern a provision by the closest scope, else those within it; of a law those within it."""
    own = [one for one in meanings if one.jurisdiction == node.jurisdiction]
    inside = [one for one in own if _within(one.node_path, node.path)]
    over = [one for one in own if _within(node.path, one.scope_path)]
    closest = max((one.scope_path.count(".") for one in over), default=0)
    nearest = [one for one in over if one.scope_path.count(".") == closest]
    return inside or nearest if node.kind == "section" or node.parent_id is None else nearest or inside


def _within(path: str, above: str) -> bool:
    return f"{path}.".startswith(f"{above}.")


def _told(term: str, found: Sequence[Meaning]) -> str:
    places = [f"{one.urn} for {one.scope_urn}{' (by its place)' * one.inferred}" for one in found[:_NAMED]]
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    if len(found) == 1:
        return f"“{term}” is defined in {places[0]}."
    which = " Name the law or the provision that is meant." if len(found) > MOST_MEANINGS else ""
    return f"“{term}” has {len(found)} definitions, each for its own scope: {'; '.join(places)}{more}.{which}"
