"""The filters of a search as predicates over a node `n`, for every statement that has a place for them.

A node has the tags of what contains it: the court of a decision stands at its root, and filters its paragraphs. So a
tag predicate asks for the node or an ancestor that holds the tag. Those are found once a statement, as a hashed set;
the CASE keeps the planner from turning the set into a look-up for every row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import LiteralString

from psycopg import sql

from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.syntax import Syntax
from retrieval.languages import text_search_config
from retrieval.nodes import Connection, NodeVersion
from retrieval.queries import QUERIES, fill
from retrieval.references.tag_sql import Conditions, value_name
from retrieval.tag_query import TagFilter, TagFilterOp

SEARCHABLE_KINDS = ("legislation", "decision", "record", "notice")
# A chunk is a piece of a plain document and is found as one: it has its document's kind for every filter.
CHUNK = "chunk"
KIND = "tags[kind]"  # the name of the filter on it
# Keys that are columns of a node, and the predicates that compare them.
COLUMN_KEYS: dict[str, LiteralString] = {
    "structure_type": QUERIES["node_of_structure"],
    "corpus": QUERIES["node_of_corpus"],
    "level": QUERIES["node_of_level"],
    "in_force": QUERIES["node_in_force_or_untagged"],
}
# Keys with rules of their own; these and the columns' take precedence over tags of the same name.
VIRTUAL_KEYS = ("kind", "jurisdiction", "source", "language", *COLUMN_KEYS)


@dataclass(frozen=True, slots=True)
class Part:
    """One filter of a request, under the name the caller knows it by."""

    name: str
    condition: Conditions


def joined(parts: Sequence[Part]) -> Conditions:
    """All parts as one condition; `true` for none."""
    predicates: list[LiteralString] = [part.condition.sql for part in parts]
    values = {key: value for part in parts for key, value in part.condition.values.items()}
    return Conditions(" and ".join(predicates) if predicates else "true", values)


def kind_part(kinds: Sequence[str]) -> Part:
    """Nodes of these kinds, and chunks of documents of these kinds."""
    return Part(KIND, Conditions(QUERIES["node_of_kinds"], {"wanted_kinds": list(kinds)}))


def tag_part(filter_: TagFilter, position: int) -> Part:
    """The predicate of one tag filter; `position` makes the names of its values unlike those of others."""
    name = value_name(position)
    if filter_.key == "source":
        condition = _compared(filter_, QUERIES["node_of_source"], name, list(filter_.values), slot="sources")
    elif filter_.key in COLUMN_KEYS:
        values = [value.lower() for value in filter_.values]
        condition = _compared(filter_, COLUMN_KEYS[filter_.key], name, values, slot="values")
    else:
        condition = _tag(filter_, name)
    return Part(f"tags[{filter_.key}]", condition)


def _compared(filter_: TagFilter, predicate: LiteralString, name: str, values: list[str], *, slot: str) -> Conditions:
    """A predicate over what every node has."""
    if filter_.op is TagFilterOp.EXISTS:
        return Conditions("true", {})
    if filter_.op is TagFilterOp.NOT_EXISTS:
        return Conditions("false", {})
    equal = fill(predicate, **{slot: sql.Placeholder(name)})
    return Conditions(f"not ({equal})" if filter_.op is TagFilterOp.NOT_IN else equal, {name: values})


def _tag(filter_: TagFilter, name: str) -> Conditions:
    there = _held(fill(QUERIES["node_has_tag"], key=sql.Placeholder(f"{name}_key")))
    values: dict[str, object] = {f"{name}_key": filter_.key}
    alternatives: list[LiteralString] = []
    for position, value in enumerate(filter_.values):
        bound = f"{name}_{value_name(position)}"
        values[bound] = json.dumps({filter_.key: value}, ensure_ascii=False)
        alternatives.append(fill(QUERIES["node_has_tags"], tags=sql.Placeholder(bound)))
    held = _held(" or ".join(alternatives)) if alternatives else there
    match filter_.op:
        case TagFilterOp.NOT_IN:
            return Conditions(f"({there} and not {held})", values)
        case TagFilterOp.NOT_EXISTS:
            return Conditions(f"not {held}", values)
        case _:
            return Conditions(held, values)


def _held(predicate: LiteralString) -> LiteralString:
    """Whether the node or what contains it has a tag that the predicate fits."""
    return fill(QUERIES["node_within"], nodes=fill(QUERIES["nodes_with"], predicate=predicate))


def unit_part(name: str, position: int, units: Sequence[tuple[str, int]]) -> Part:
    """Nodes at or below one of these, given as (jurisdiction, node id)."""
    codes, ids = f"{value_name(position)}_codes", f"{value_name(position)}_ids"
    nodes = fill(QUERIES["nodes_given"], codes=sql.Placeholder(codes), ids=sql.Placeholder(ids))
    values: dict[str, object] = {codes: [code for code, _ in units], ids: [node for _, node in units]}
    return Part(name, Conditions(fill(QUERIES["node_within"], nodes=nodes), values))


def date_parts(date_from: date | None, date_to: date | None) -> list[Part]:
    """Nodes dated within a range, both ends included: by the date of their decision or document, else by the first
    day of their version. A node without any date is in no range."""
    parts: list[Part] = []
    if date_from is not None:
        parts.append(Part("date_from", _dated(">=", "first_day", date_from)))
    if date_to is not None:
        parts.append(Part("date_to", _dated("<=", "last_day", date_to)))
    return parts


def _dated(compare: LiteralString, name: str, day: date) -> Conditions:
    tagged = fill(QUERIES["tag_is_date_compared"], compare=compare, day=sql.Placeholder(f"{name}_text"))
    dated = fill(
        QUERIES["node_dated"], has_date=_held(QUERIES["tag_is_date"]), has_fitting_date=_held(tagged), compare=compare,
        day=sql.Placeholder(name),
    )  # fmt: skip
    return Conditions(dated, {name: day, f"{name}_text": day.isoformat()})


def syntax_parts(syntax: Syntax, language: str) -> list[Part]:
    """The required and excluded words of a query, judged over the whole rule that a hit is served as."""
    config = text_search_config(language)
    parts: list[Part] = []
    for position, group in enumerate(syntax.required):
        parts.append(Part("required words", _phrases(f"required_{value_name(position)}", group, config)))
    if syntax.excluded:
        found = _phrases("excluded", syntax.excluded, config)
        parts.append(Part("excluded words", Conditions(f"not ({found.sql})", found.values)))
    return parts


def _phrases(name: str, phrases: Sequence[str], config: str) -> Conditions:
    bound = {"phrases": sql.Placeholder(name), "config": sql.Placeholder(f"{name}_config")}
    return Conditions(fill(QUERIES["node_of_rule_with"], **bound), {name: list(phrases), f"{name}_config": config})


# Nodes that were found by name, held against the filters that the legs apply in their own statements.


def passing(conn: Connection, nodes: Sequence[NodeVersion], filters: Filters) -> list[NodeVersion]:
    """The nodes of the chosen jurisdictions that fit the further predicates, in their order.

    Whoever names a node means it, so that neither its kind nor its language counts.
    """
    inside = [node for node in nodes if node.jurisdiction in filters.jurisdictions]
    if filters.where is None or not inside:
        return inside
    values = {**filters.values, "ids": [node.id for node in inside]}
    kept = set(conn.execute(fill(QUERIES["filter_named_nodes"], filters=filters.predicate), values).fetchall())
    return [node for node in inside if (node.jurisdiction, node.id) in kept]
