"""From tag filters to SQL: one builder for all operators. Values are bound; it knows no jurisdiction."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString

from psycopg import sql

from retrieval.errors import InputError
from retrieval.paths import canonical_jurisdiction, parse_urn, urn_spellings
from retrieval.queries import QUERIES, fill
from retrieval.tag_query import VIRTUAL_KEYS, TagFilter, TagFilterOp, TagFilterSet

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_COLUMNS: Mapping[str, LiteralString] = {
    "urn": "n.urn",
    "source": "n.source",
    "jurisdiction": "n.jurisdiction",
    "language": "n.language",
    "kind": "n.kind",
    "in_force": QUERIES["node_in_force"],
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """SQL predicates over a node `n`, joined by AND, with the values they bind."""

    sql: LiteralString
    values: dict[str, object]


def tag_conditions(filters: TagFilterSet) -> Conditions:
    """The predicates of a set of filters; `true` for an empty one.

    The EQ filters on tags become one containment, which the GIN index over tags serves. Two EQ filters on one tag
    with different values contradict each other and match nothing.

    Raises:
        InputError: the value of a virtual key is malformed.
    """
    parts: list[LiteralString] = []
    values: dict[str, object] = {}
    batch: dict[str, str] = {}
    for position, filter_ in enumerate(filters.filters):
        check_storable(filter_)
        if filter_.op is TagFilterOp.EQ and filter_.key not in VIRTUAL_KEYS:
            [value] = filter_.values
            if batch.setdefault(filter_.key, value) != value:
                parts.append("false")
            continue
        parts.append(_condition(filter_, value_name(position), values))
    if batch:
        parts.append(fill(QUERIES["node_has_tags"], tags=sql.Placeholder("eq_batch")))
        values["eq_batch"] = json.dumps(batch, ensure_ascii=False)
    return Conditions(" and ".join(parts) if parts else "true", values)


def check_storable(filter_: TagFilter) -> None:
    """Refuse values that no store can hold.

    Raises:
        InputError: a value holds a NUL or half a surrogate pair.
    """
    for value in filter_.values:
        if _UNSTORABLE.search(value):
            raise InputError(f"The value of the tag {filter_.key} holds a NUL or half a surrogate pair; leave it out.")


def value_name(position: int) -> str:
    """The name of a filter's bound value."""
    return f"f{position}"


def _condition(filter_: TagFilter, name: str, values: dict[str, object]) -> LiteralString:
    def bind(value: object, suffix: str = "") -> sql.Placeholder:
        values[name + suffix] = value
        return sql.Placeholder(name + suffix)

    key, chosen = filter_.key, list(filter_.values)
    if key == "urn" and filter_.op in (TagFilterOp.EQ, TagFilterOp.IN):
        spellings = sorted({spelling for value in chosen for spelling in urn_spellings(parse_urn(value))})
        return fill(QUERIES["node_has_urn"], urns=bind(spellings))
    if key == "alias":
        if filter_.op not in (TagFilterOp.EQ, TagFilterOp.IN):
            raise InputError("An alias is compared as a whole: use EQ or IN.")
        return fill(QUERIES["node_has_alias"], aliases=bind(chosen))
    if key == "jurisdiction" and filter_.op in (TagFilterOp.EQ, TagFilterOp.IN):
        codes = [canonical_jurisdiction(value) for value in chosen]
        below = bind([f"{code}-%" for code in codes], "_below")
        return fill(QUERIES["node_in_jurisdiction"], codes=bind(codes), below=below)
    column = _COLUMNS.get(key)
    if column is None:
        field = fill(QUERIES["node_tag"], key=bind(key, "_key"))
        there = fill(QUERIES["node_has_tag"], key=bind(key, "_key"))
    else:
        field, there = column, fill(QUERIES["is_set"], field=column)
    match filter_.op:
        case TagFilterOp.EXISTS:
            return there
        case TagFilterOp.NOT_EXISTS:
            return f"not ({there})"
        case TagFilterOp.EQ | TagFilterOp.IN:
            return fill(QUERIES["is_one_of"], field=field, values=bind(chosen))
        case TagFilterOp.NOT_IN:
            return f"({there} and not ({fill(QUERIES['is_one_of'], field=field, values=bind(chosen))}))"
        case TagFilterOp.ILIKE:
            return fill(QUERIES["contains_text"], field=field, text=bind(chosen[0]))
        case TagFilterOp.NORMALIZE:
            text = bind(chosen[0])
            if key == "case_number" and filter_.normalize_pattern == r"[\s.\-/]":
                return fill(QUERIES["node_has_case_number"], text=text)
            pattern = bind(filter_.normalize_pattern, "_pattern")
            return fill(QUERIES["equals_without"], field=field, text=text, pattern=pattern)
