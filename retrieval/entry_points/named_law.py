"""A question that names a law as a whole, as in "the maximum fine under the GDPR": only that law is searched.

The law's name is no word of its provisions and its title no rule, so neither is looked for there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.entry_points.filters import Part, joined, passing, unit_part
from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.question_words import searched_words
from retrieval.languages import is_idle
from retrieval.nodes import Connection, NodeVersion, versions_by_urn
from retrieval.references.pipeline import WrittenReference

_POSITION = 2000  # numbers the values of this filter past those of tags and edges


@dataclass(frozen=True, slots=True)
class NamedLaw:
    """What is left of a question, and where to look for it."""

    question: str  # without the names of the laws
    cited: list[str]  # what it cites beside them
    filters: Filters
    note: str  # what to say of that; empty where everything is searched


def named_law(
    conn: Connection, question: str, references: Sequence[WrittenReference], filters: Filters
) -> NamedLaw | None:
    """Where to look for a question that names whole laws, or chapters of them.

    Args:
        conn: a read connection.
        question: what was asked.
        references: those that it was found to hold.
        filters: of the search.

    Returns:
        None where it names none that the store holds in force and the filters let pass, or says nothing beside.
    """
    cited = list(dict.fromkeys(urn for one in references for urn in one.urns))
    whole = {urn: node for urn in cited if (node := _container(conn, urn, filters)) is not None}
    if not whole:
        return None
    rest = question
    for one in references:  # two grammars may read the same words
        if one.urns and whole.keys() >= set(one.urns):
            rest = f"{rest[: one.start]}{' ' * (one.end - one.start)}{rest[one.end :]}"
    if all(is_idle(word, filters.language) for word in searched_words(rest, filters.language)):
        return None
    others = [urn for urn in cited if urn not in whole]
    if others:  # the provisions that are cited are what is asked about, wherever they stand
        return NamedLaw(rest, others, filters, "")
    given = [Part("", filters.where)] if filters.where else []
    keys = sorted({(node.jurisdiction, node.node_id) for node in whole.values()})
    where = joined([*given, unit_part("named law", _POSITION, keys)])
    titles = ", ".join(dict.fromkeys(node.heading or node.urn for node in whole.values()))
    note = f"Only the law that the question names was searched: {titles}."
    return NamedLaw(rest, [], replace(filters, where=where), note)


def _container(conn: Connection, urn: str, filters: Filters) -> NodeVersion | None:
    """The law, or the part of one, that a URN names; None for a provision, whose own words answer."""
    versions = [one for one in versions_by_urn(conn, [urn]) if one.in_force(filters.at_date)]
    wholes = [one for one in versions if one.kind == "section" or (one.parent_id is None and not one.text)]
    return next(iter(passing(conn, wholes, filters)), None)
