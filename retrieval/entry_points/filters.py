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

from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.syntax import Syntax
from retrieval.languages import text_search_config
from retrieval.nodes import Connection, NodeVersion
from retrieval.queries import QUERIES
from retrieval.references.tag_sql import Conditions, value_name
from retrieval.tag_query import TagFilter, TagFilterOp

SEARCHABLE_KINDS = ("legislation", "decision", "record", "notice")
# A chunk is a piece of a plain document and is found as one: it has its document's kind for every filter.
CHUNK = "chunk"
KIND = "tags[kind]"  # the name of the filter on it
# Keys that are columns of a node, and the closed list of expressions they stand for.
COLUMN_KEYS: dict[str, LiteralString] = {
    "corpus": "n.corpus",
    "level": "lower(n.level)",
    "in_force": "coalesce(lower(n.tags ->> 'in_force'), 'true')",
}
# Keys with rules of their own; these and the columns' stand above tags of the same name.
VIRTUAL_KEYS = ("kind", "jurisdiction", "source", "language", "structure_type", *COLUMN_KEYS)
# A heading is of the law whose provisions stand below it, so that `structure_type` also takes a kind.
_STRUCTURE: LiteralString = (
    "array[lower(n.structure_type), case when n.kind <> 'section' then n.kind else coalesce((select r.kind"
    " from legal_nodes r where r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = n.jurisdiction"
    " and r.node_id = n.ancestor_ids[1] and r.validity @> %(at_date)s::date and r.kind <> 'section'),"
    " 'legislation') end]"
)
_DAY: LiteralString = r"n.tags ->> 'date' ~ '^\d\d\d\d-\d\d-\d\d$'"

# Inside CASE, so that the planner builds the set once and looks into it.
_CONTAINED: tuple[LiteralString, LiteralString] = (
    "exists (select 1 from unnest(n.ancestor_ids) as u (id) where case when (n.jurisdiction, u.id) in (",
    ") then true end)",
)


@dataclass(frozen=True, slots=True)
class Part:
    """One filter of a request, under the name the caller knows it by."""

    name: str
    condition: Conditions


def joined(parts: Sequence[Part]) -> Conditions | None:
    """All parts as one condition; None for none."""
    if not parts:
        return None
    text: LiteralString = " and "
    return Conditions(
        text.join([one.condition.sql for one in parts]),
        {key: value for one in parts for key, value in one.condition.values.items()},
    )


def kind_part(kinds: Sequence[str]) -> Part:
    """Nodes of these kinds, and chunks of documents of these kinds."""
    sql: LiteralString = (
        "(n.kind = any(%(wanted_kinds)s) or (n.kind = 'chunk' and exists (select 1 from legal_nodes r"
        " where r.jurisdiction = any(%(jurisdictions)s) and r.jurisdiction = n.jurisdiction"
        " and r.node_id = any(n.ancestor_ids) and r.kind = any(%(wanted_kinds)s))))"
    )
    return Part(KIND, Conditions(sql, {"wanted_kinds": list(kinds)}))


def tag_part(one: TagFilter, position: int) -> Part:
    """The predicate of one tag filter; `position` makes the names of its values unlike those of others."""
    name = value_name(position)
    if one.key == "source":
        return Part("tags[source]", _source(one, name))
    column = _STRUCTURE if one.key == "structure_type" else COLUMN_KEYS.get(one.key)
    if column is not None:
        return Part(f"tags[{one.key}]", _column(one, name, column))
    return Part(f"tags[{one.key}]", _tag(one, name))


def _tag(one: TagFilter, name: LiteralString) -> Conditions:
    there: LiteralString = f"n.tags ? %({name}_key)s"
    values: dict[str, object] = {f"{name}_key": one.key}
    alternatives: list[LiteralString] = []
    for position, value in enumerate(one.values):
        bound: LiteralString = f"{name}_{value_name(position)}"
        values[bound] = json.dumps({one.key: value}, ensure_ascii=False)
        alternatives.append(f"n.tags @> %({bound})s::jsonb")  # each served by the index over tags
    either: LiteralString = " or "
    held = _held(either.join(alternatives)) if alternatives else _held(there)
    match one.op:
        case TagFilterOp.NOT_IN:
            return Conditions(f"({_held(there)} and not {held})", values)
        case TagFilterOp.NOT_EXISTS:
            return Conditions(f"not {held}", values)
        case _:
            return Conditions(held, values)


def _held(predicate: LiteralString) -> LiteralString:
    """Whether the node or what contains it has a tag that the predicate fits."""
    return _contained(QUERIES["filter_tagged_nodes"].replace("/*filters*/ true", predicate))


def _contained(nodes: LiteralString) -> LiteralString:
    return f"{_CONTAINED[0]}{nodes}{_CONTAINED[1]}"


def _column(one: TagFilter, name: LiteralString, column: LiteralString) -> Conditions:
    if one.op is TagFilterOp.EXISTS:
        return Conditions("true", {})
    if one.op is TagFilterOp.NOT_EXISTS:
        return Conditions("false", {})
    values: dict[str, object] = {name: [value.lower() for value in one.values]}
    equal: LiteralString = f"{column} && %({name})s::text[]" if column is _STRUCTURE else f"{column} = any(%({name})s)"
    return Conditions(f"not ({equal})" if one.op is TagFilterOp.NOT_IN else equal, values)


def _source(one: TagFilter, name: LiteralString) -> Conditions:
    """By what the document came from: its format, the format's family (`legi`), its file, its corpus or its URN."""
    if one.op is TagFilterOp.EXISTS:
        return Conditions("true", {})
    if one.op is TagFilterOp.NOT_EXISTS:
        return Conditions("false", {})
    documents = QUERIES["filter_source_documents"].replace("%(sources)s", f"%({name})s")
    among: LiteralString = f"case when (n.jurisdiction, n.document_id) in ({documents}) then true else false end"
    negated = one.op is TagFilterOp.NOT_IN
    return Conditions(f"not ({among})" if negated else among, {name: list(one.values)})


def unit_part(name: str, position: int, units: Sequence[tuple[str, int]]) -> Part:
    """Nodes at or below one of these, given as (jurisdiction, node id)."""
    bound = value_name(position)
    nodes = QUERIES["filter_given_nodes"].replace("%(unit_", f"%({bound}_")
    codes, ids = [code for code, _ in units], [one for _, one in units]
    return Part(name, Conditions(_contained(nodes), {f"{bound}_codes": codes, f"{bound}_ids": ids}))


def date_parts(date_from: date | None, date_to: date | None) -> list[Part]:
    """Nodes dated within a range, both ends included: by the date of their decision or document, else by the first
    day of their version. A node without any date is in no range."""
    parts: list[Part] = []
    if date_from is not None:
        parts.append(Part("date_from", _dated(">=", "first_day", date_from)))
    if date_to is not None:
        parts.append(Part("date_to", _dated("<=", "last_day", date_to)))
    return parts


def _dated(compare: LiteralString, name: LiteralString, day: date) -> Conditions:
    # Days of tags are compared as text: a source's 2023-02-30 is no date, and must not end the statement.
    tagged: LiteralString = f"{_DAY} and (n.tags ->> 'date') collate \"C\" {compare} %({name}_text)s"
    own: LiteralString = f"lower(n.validity) {compare} %({name})s::date"
    sql: LiteralString = f"case when {_held(_DAY)} then {_held(tagged)} else coalesce({own}, false) end"
    return Conditions(sql, {name: day, f"{name}_text": day.isoformat()})


def syntax_parts(syntax: Syntax, language: str) -> list[Part]:
    """The required and excluded words of a query, judged over the whole rule that a hit is served as."""
    parts: list[Part] = []
    config = text_search_config(language)
    for position, group in enumerate(syntax.required):
        name: LiteralString = f"required_{value_name(position)}"
        parts.append(
            Part("required words", Conditions(_rules_with(name), {name: list(group), f"{name}_config": config}))
        )
    if syntax.excluded:
        values: dict[str, object] = {"excluded": list(syntax.excluded), "excluded_config": config}
        parts.append(Part("excluded words", Conditions(f"not ({_rules_with('excluded')})", values)))
    return parts


def _rules_with(name: LiteralString) -> LiteralString:
    rules = QUERIES["filter_rules_with_phrases"]
    rules = rules.replace("%(phrases)s", f"%({name})s").replace("%(config)s", f"%({name}_config)s")
    return f"case when (n.jurisdiction, n.rule_id) in ({rules}) then true else false end"


# Nodes that were found by name, held against the filters that the legs apply in their own statements.


def passing(conn: Connection, nodes: Sequence[NodeVersion], filters: Filters) -> list[NodeVersion]:
    """The nodes of the chosen jurisdictions that fit the further predicates, in their order.

    Whoever names a node means it, so that neither its kind nor its language counts.
    """
    inside = [one for one in nodes if one.jurisdiction in filters.jurisdictions]
    if filters.where is None or not inside:
        return inside
    values = {**filters.values, "ids": [one.id for one in inside]}
    kept = _ids(conn, filters.statement(QUERIES["filter_named_nodes"]), values)
    return [one for one in inside if (one.jurisdiction, one.id) in kept]


def _ids(conn: Connection, statement: LiteralString, values: dict[str, object]) -> set[tuple[str, int]]:
    return set(conn.execute(statement, values).fetchall())
