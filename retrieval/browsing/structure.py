"""The hierarchy of the law: headings as a tree, page by page, in the order of the publications."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, LiteralString

from psycopg.rows import dict_row
from pydantic import Field

from retrieval.entry_points.filters import joined
from retrieval.entry_points.request import Scope
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import Connection, NodeVersion
from retrieval.paths import subtree_end
from retrieval.queries import QUERIES

MAX_DEPTH = 20


class Section(Record):
    """One heading of the tree, or a provision where those were asked for too."""

    urn: str
    parent_urn: str | None  # None at the top of this tree
    jurisdiction: str
    language: str
    kind: str  # section; legislation, decision, record or notice for a provision
    structure_type: str
    level: str  # the publication's own word: title, chapter, part ...
    number: str
    heading: str
    depth: int  # below the top of this tree, from 0
    sections: int  # headings directly below it, whether shown or not
    provisions: int  # articles, sections or other provisions directly below it


class StructurePage(Record):
    """One page of the hierarchy, depth first."""

    at_date: date
    root_id: str | None  # as a URN; None for all top-level roots
    depth: int  # as applied
    total: int
    limit: int
    offset: int
    next_offset: int | None = None  # where the next page begins; None at the end
    sections: list[Section]
    warnings: list[str] = Field(default_factory=list[str])
    message: str = ""


def checked_depth(depth: int | None) -> tuple[int, list[str]]:
    """The depth as applied, and what to say of it.

    Raises:
        InputError: below 0.
    """
    if depth is None:
        return MAX_DEPTH, []
    if isinstance(depth, bool) or depth < 0:
        raise InputError(f"`depth` is a number from 0 (the roots alone) to {MAX_DEPTH}.")
    if depth > MAX_DEPTH:
        return MAX_DEPTH, [f"depth: {MAX_DEPTH} applied, the most that is read."]
    return depth, []


def browse_sections(
    conn: Connection, scope: Scope, root: NodeVersion | None, depth: int, limit: int, offset: int, *, provisions: bool
) -> StructurePage:
    """One page of the tree.

    Args:
        conn: a read connection.
        scope: jurisdictions, languages and date hold for the whole tree, further filters for the nodes that are listed.
        root: where the tree begins; None for all top-level roots.
        depth: levels below the top.
        limit: nodes on the page.
        offset: nodes to pass over.
        provisions: whether the provisions directly below headings are listed as well.
    """
    where = joined(scope.parts)
    values = {
        "jurisdictions": list(scope.jurisdictions), "languages": list(scope.languages), "at_date": scope.at_date,
        "kinds": list(scope.kinds), "root": root.node_id if root else None, "low": root.path if root else None,
        "high": subtree_end(root.path) if root else None, "depth": depth, "provisions": provisions, "limit": limit,
        "offset": offset, **(where.values if where else {}),
    }  # fmt: skip
    statement = QUERIES["browse_sections"]
    rows = _rows(conn, statement.replace("/*filters*/ true", where.sql) if where else statement, values)
    total = int(rows[0]["total"])
    sections = [
        Section(**{key: value for key, value in row.items() if key != "total"})
        for row in rows
        if row["urn"] is not None
    ]
    end = offset + len(sections)
    return StructurePage(
        at_date=scope.at_date, root_id=root.urn if root else None, depth=depth, total=total, limit=limit, offset=offset,
        next_offset=end if sections and end < total else None, sections=sections, warnings=list(scope.warnings),
    )  # fmt: skip


def _rows(conn: Connection, statement: LiteralString, values: Mapping[str, object]) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement, values).fetchall()
