"""From a reading to the nodes of the store that it fits: ids as they are, and tag queries, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from psycopg.rows import class_row

from retrieval.nodes import Connection
from retrieval.paths import is_path
from retrieval.queries import QUERIES, fill
from retrieval.references.hits import LIMIT, MOST_NODES, Hit, Request, asked_versions, folded_title, names_of, names_urn
from retrieval.references.tag_sql import tag_conditions
from retrieval.tag_query import TagFilterOp, TagFilterSet, TagQuery

_TITLE_LIMIT = 200  # an act's own title must not be cut off by the orders and regulations that contain it


class StoreFinder:
    """Asks the store, a statement each."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def direct(self, request: Request) -> list[Hit]:
        """See `Finder`."""
        names = names_of(request.reference)
        if is_path(request.reference):
            place = {"jurisdictions": list(request.jurisdictions), "path": request.reference.lower()}
            names = [urn for (urn,) in self._conn.execute(QUERIES["find_urns_at_path"], place)]
        values: dict[str, object] = {
            "jurisdictions": list(request.jurisdictions), "names": names, "most": MOST_NODES,
        }  # fmt: skip
        return asked_versions(self._ask(QUERIES["find_versions_of_nodes"], values), names, request)

    def named(self, urns: Sequence[str], request: Request) -> list[Hit]:
        """The nodes of these URNs, at most `MOST_NODES` versions, in the order of the URNs; see `direct`."""
        values: dict[str, object] = {
            "jurisdictions": list(request.jurisdictions), "names": list(urns), "most": MOST_NODES,
        }  # fmt: skip
        found = asked_versions(self._ask(QUERIES["find_versions_of_nodes"], values), urns, request)
        return sorted((hit for hit in found if hit.urn in urns), key=lambda hit: urns.index(hit.urn))

    def run(self, query: TagQuery, request: Request) -> list[Hit]:
        """See `Finder`.

        A URN is a URN in any language: there the query's language is not asked for. Of the titles that contain a
        searched one, those that equal it count alone.
        """
        conditions = tag_conditions(query.tag_filters)
        statement = fill(QUERIES["run_tag_query"], filters=conditions.sql)
        titles = any(tag_filter.op is TagFilterOp.ILIKE for tag_filter in query.tag_filters.filters)
        values: dict[str, object] = {
            "jurisdictions": list(request.jurisdictions),
            "language": None if names_urn(query) else query.language,
            "kind": query.kind,
            "at_date": query.at_date,
            "today": request.today,
            "in_force_first": query.should_sort_in_force_first,
            "limit": _TITLE_LIMIT if titles else LIMIT,
            **conditions.values,
        }
        return _exact_titles(self._ask(statement, values), query.tag_filters)[:LIMIT]

    def _ask(self, statement: LiteralString, values: dict[str, object]) -> list[Hit]:
        with self._conn.cursor(row_factory=class_row(Hit)) as cursor:
            return cursor.execute(statement, values).fetchall()


def _exact_titles(found: list[Hit], filters: TagFilterSet) -> list[Hit]:
    for tag_filter in filters.filters:
        if tag_filter.op is TagFilterOp.ILIKE:
            wanted = folded_title(tag_filter.values[0])
            found = [hit for hit in found if folded_title(str(hit.tags.get(tag_filter.key, ""))) == wanted] or found
    return found
