"""From tag filters to SQL: one builder for all operators. Bound values only; it knows no jurisdiction."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString

from retrieval.errors import InputError
from retrieval.paths import canonical_jurisdiction, parse_urn, urn_spellings
from retrieval.tag_query import VIRTUAL_KEYS, TagFilter, TagFilterOp, TagFilterSet

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_COLUMNS: Mapping[str, LiteralString] = {
    "urn": "n.urn",
    "source": "n.source",
    "jurisdiction": "n.jurisdiction",
    "language": "n.language",
    "kind": "n.kind",
    # A source seldom tags what is in force, and some tag it as unknown; the validity says the same.
    "in_force": "case when lower(n.tags ->> 'in_force') in ('true', 'false') then lower(n.tags ->> 'in_force')"
    " else (n.validity @> coalesce(%(at_date)s::date, %(today)s::date))::text end",
}
_ESCAPED: tuple[LiteralString, LiteralString] = (
    "replace(replace(replace(",
    r", '\', '\\'), '%%', '\%%'), '_', '\_')",
)
# The expression of an index: written in full, for the planner compares it word by word.
_INDEXED_NORMALIZE: Mapping[str, LiteralString] = {"case_number": "lex_number(n.tags ->> 'case_number')"}


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
    for position, one in enumerate(filters.filters):
        check_storable(one)
        if one.op is TagFilterOp.EQ and one.key not in VIRTUAL_KEYS:
            [value] = one.values
            if batch.setdefault(one.key, value) != value:
                parts.append("false")
            continue
        parts.append(_condition(one, value_name(position), values))
    if batch:
        parts.append("n.tags @> %(eq_batch)s::jsonb")
        values["eq_batch"] = json.dumps(batch, ensure_ascii=False)
    return Conditions(" and ".join(parts) if parts else "true", values)


def check_storable(one: TagFilter) -> None:
    """Refuse values that no store can hold.

    Raises:
        InputError: a value holds a NUL or half a surrogate pair.
    """
    for value in one.values:
        if _UNSTORABLE.search(value):
            raise InputError(f"The value of the tag {one.key} holds a NUL or half a surrogate pair; leave it out.")


def value_name(position: int) -> LiteralString:
    """A name for a bound value, made of nothing that anybody typed."""
    digits: LiteralString = "0123456789"
    name: LiteralString = "f"
    for digit in str(position):
        name += digits[int(digit)]
    return name


def _condition(one: TagFilter, name: LiteralString, values: dict[str, object]) -> LiteralString:
    if one.key == "urn" and one.op in (TagFilterOp.EQ, TagFilterOp.IN):
        values[name] = sorted({spelling for value in one.values for spelling in urn_spellings(parse_urn(value))})
        return f"(n.urn = any(%({name})s) or n.aliases && %({name})s::text[])"
    if one.key == "alias":
        if one.op not in (TagFilterOp.EQ, TagFilterOp.IN):
            raise InputError("An alias is compared as a whole: use EQ or IN.")
        values[name] = list(one.values)
        return f"n.aliases && %({name})s::text[]"
    if one.key == "jurisdiction" and one.op in (TagFilterOp.EQ, TagFilterOp.IN):
        codes = [canonical_jurisdiction(value) for value in one.values]
        values[name] = codes
        values[f"{name}_below"] = [f"{code}-%" for code in codes]
        return f"(n.jurisdiction = any(%({name})s) or n.jurisdiction like any(%({name}_below)s))"
    column = _COLUMNS.get(one.key)
    if column is None:
        values[f"{name}_key"] = one.key
    field: LiteralString = column or f"n.tags ->> %({name}_key)s"
    there: LiteralString = f"({field}) is not null" if column else f"n.tags ? %({name}_key)s"
    match one.op:
        case TagFilterOp.EXISTS:
            return there
        case TagFilterOp.NOT_EXISTS:
            return f"not ({there})"
        case TagFilterOp.EQ | TagFilterOp.IN:
            values[name] = list(one.values)
            return f"({field}) = any(%({name})s)"
        case TagFilterOp.NOT_IN:
            values[name] = list(one.values)
            return f"({there} and not (({field}) = any(%({name})s)))"
        case TagFilterOp.ILIKE:
            values[name] = one.values[0]
            # Escaped after accents are gone: a full-width per cent sign would become a wildcard otherwise.
            return f"lex_unaccent({field}) ilike '%%' || {_ESCAPED[0]}lex_unaccent(%({name})s){_ESCAPED[1]} || '%%'"
        case TagFilterOp.NORMALIZE:
            values[name] = one.values[0]
            if one.key in _INDEXED_NORMALIZE and one.normalize_pattern == r"[\s.\-/]":
                return f"{_INDEXED_NORMALIZE[one.key]} = lex_number(%({name})s)"
            values[f"{name}_pattern"] = one.normalize_pattern
            return (
                f"upper(regexp_replace(normalize({field}, NFKC), %({name}_pattern)s, '', 'g'))"
                f" = upper(regexp_replace(normalize(%({name})s, NFKC), %({name}_pattern)s, '', 'g'))"
            )
