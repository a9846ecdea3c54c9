"""What is near a provision that is not in the store: neighbours of its corpus, by number and not by letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import LiteralString

from retrieval.nodes import Connection
from retrieval.paths import parse_urn, urn_spellings
from retrieval.queries import QUERIES, fill
from retrieval.references.hits import Request
from retrieval.references.tag_sql import tag_conditions
from retrieval.tag_query import VIRTUAL_KEYS, TagFilter, TagFilterOp, TagFilterSet, TagQuery

NEAR = 6  # neighbours that are named
_SHORTEST = 12  # prefixes of a number that are tried, from the whole number on
_NUMBERED = re.compile(r"\D{0,6}\d")

Number = tuple[tuple[int, int | str], ...]


def natural(text: str) -> Number:
    """A key that sorts numbers within text by value: `9a` before `10`."""
    return tuple((0, int(run)) if run.isdigit() else (1, run) for run in re.findall(r"[0-9]{1,18}|[^0-9]+", text))


def neighbours_of_urn(conn: Connection, urn: str, at_date: date) -> list[str]:
    """Provisions in force whose URN differs from this one in its last segment only, nearest by number, in order.

    Raises:
        InputError: not a URN.
    """
    parsed = parse_urn(urn)
    if not parsed.segments:
        return []
    found: set[str] = set()
    for spelling in urn_spellings(parsed):
        base, _, last = spelling.rpartition(":")
        begins = [last[:size] for size in range(len(last), max(0, len(last) - _SHORTEST), -1)]
        prefixes = [f"{base}:{beginning}" for beginning in dict.fromkeys((*begins, *_next_to(last), ""))]
        values = {"jurisdiction": parsed.jurisdiction, "prefixes": prefixes, "base": f"{base}:", "at_date": at_date}
        found.update(row[0] for row in conn.execute(QUERIES["find_urns_by_prefix"], values))
    return _nearest(sorted(found), urn)


def neighbours_of_query(conn: Connection, queries: Sequence[TagQuery], request: Request) -> list[str]:
    """Provisions that fit all of a query but its number, nearest by number; of the first query that has such."""
    for query in queries:
        numbers = [
            filter_
            for filter_ in query.tag_filters.filters
            if filter_.op is TagFilterOp.EQ and filter_.key not in VIRTUAL_KEYS and _NUMBERED.match(filter_.values[0])
        ]
        if len(numbers) != 1 or len(query.tag_filters.filters) < 2:
            continue
        [number] = numbers
        rest = [filter_ for filter_ in query.tag_filters.filters if filter_ is not number]
        conditions = tag_conditions(TagFilterSet((*rest, TagFilter(number.key, TagFilterOp.EXISTS))))
        digits = re.search(r"[0-9]{1,18}", number.values[0])
        values: dict[str, object] = {
            "jurisdictions": list(request.jurisdictions), "language": query.language, "kind": query.kind,
            "at_date": query.at_date, "today": request.today, "key": number.key,
            "number": int(digits[0]) if digits else 0, "near": NEAR, **conditions.values,
        }  # fmt: skip
        statement = fill(QUERIES["find_near_numbers"], filters=conditions.sql)
        rows = _rows(conn, statement, values)
        if rows:
            return [urn for urn, _ in sorted(rows, key=lambda row: natural(row[1]))]
    return []


def _next_to(number: str) -> list[str]:
    """The numbers before and after this one, for `9` and `10` begin with no common digit."""
    match = re.search(r"([0-9]{1,18})[^0-9]*\Z", number)
    if match is None:
        return []
    width = len(match[1]) if match[1].startswith("0") else 1
    return [
        f"{number[: match.start(1)]}{near:0{width}d}" for near in (int(match[1]) - 1, int(match[1]) + 1) if near >= 0
    ]


def _rows(conn: Connection, statement: LiteralString, values: dict[str, object]) -> list[tuple[str, str]]:
    return conn.execute(statement, values).fetchall()


def _nearest(known: list[str], urn: str) -> list[str]:
    ordered = sorted(known, key=natural)
    place = sum(natural(spelling) < natural(urn) for spelling in ordered)
    return ordered[max(0, place - NEAR // 2) : place + NEAR // 2]
