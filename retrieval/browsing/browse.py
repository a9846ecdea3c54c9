"""Searching without a question: what fits some filters, the values of tags, the documents, the hierarchy of the law."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, LiteralString, NamedTuple

from psycopg.rows import dict_row, tuple_row
from pydantic import Field

from retrieval.cluster import ask_page, is_distributed, send_each
from retrieval.entry_points.filters import KIND, VIRTUAL_KEYS, Part, joined
from retrieval.entry_points.request import Scope
from retrieval.errors import InputError
from retrieval.model import FacetValue, Record
from retrieval.nodes import Connection, NodeVersion
from retrieval.paths import subtree_end
from retrieval.queries import QUERIES, fill
from retrieval.references.tag_sql import Conditions

ALL_KEYS = "*"
EDGE_KINDS = "edge_kinds"
_KEY = re.compile(r"[a-z][a-z0-9_]{0,62}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Browsed:
    """One page of nodes as (jurisdiction, node id, day), latest first."""

    total: int
    nodes: tuple[tuple[str, int, str | None], ...]


def browse(conn: Connection, scope: Scope, limit: int, offset: int) -> Browsed:
    """The topmost nodes that fit a scope, latest first; ties by URN."""
    statement, values = _asked(QUERIES["browse_nodes"], scope, {"limit": limit, "offset": offset})
    total, rows = ask_page(conn, statement, values, rows=tuple_row, total=lambda row: row[0], place=_latest_first)
    return Browsed(total, tuple((code, node, day) for _, code, node, day, _ in rows))


def _latest_first(row: tuple[Any, ...]) -> tuple[Any, ...] | None:
    _, code, node, day, urn = row
    return None if node is None else (day is None, [-ord(char) for char in day or ""], urn, code)


def discover(conn: Connection, scope: Scope, key: str, limit: int, offset: int) -> tuple[int, list[FacetValue]]:
    """The values of a tag's key, most frequent first; `*` gives the keys, `edge_kinds` the kinds of edges.

    Returns:
        How many values there are, and one page of them.

    Raises:
        InputError: the key is none.
    """
    page = {"limit": limit, "offset": offset}
    if key == ALL_KEYS:
        return _facets(conn, QUERIES["discover_keys"], _with_headings(scope), page)
    if key == EDGE_KINDS:
        return _facets(conn, QUERIES["discover_edge_kinds"], scope, page)
    if not _KEY.match(key):
        raise InputError("`discover` is the key of a tag, `*` for all keys, or `edge_kinds`.")
    if key in VIRTUAL_KEYS:
        return _facets(conn, QUERIES["discover_columns"], scope, {**page, "key": key})
    return _facets(conn, QUERIES["discover_values"], _with_headings(scope), {**page, "key": key})


def _with_headings(scope: Scope) -> Scope:
    """The scope with roots and headings of legislation: their tags are those of the law below them."""
    if "legislation" not in scope.kinds:
        return scope

    def widened(part: Part) -> Part:
        either = Conditions(fill(QUERIES["node_or_heading"], filter=part.condition.sql), part.condition.values)
        return replace(part, condition=either) if part.name == KIND else part

    return replace(scope, kinds=(*scope.kinds, "section"), parts=tuple(widened(part) for part in scope.parts))


def stored_keys(conn: Connection, scope: Scope) -> list[str]:
    """All keys that a filter of this scope could name: those of tags, and the virtual ones."""
    everything = Scope(scope.jurisdictions, scope.languages, scope.at_date, scope.kinds)
    _, found = discover(conn, everything, ALL_KEYS, 1000, 0)
    return sorted({facet.value for facet in found} | set(VIRTUAL_KEYS))


class ServedAs(NamedTuple):
    """What a node is served with beside its words."""

    day: str | None
    kind: str  # of a chunk that of its document
    document_urn: str
    line: list[str]  # the URNs of what contains it, root first, and its own


def served_as(conn: Connection, nodes: Iterable[tuple[str, int]], at_date: date) -> dict[tuple[str, int], ServedAs]:
    """What nodes are served with, by (jurisdiction, node id)."""
    wanted = sorted(set(nodes))
    if not wanted:
        return {}
    values = {
        "jurisdictions": sorted({code for code, _ in wanted}),
        "ids": [node for _, node in wanted],
        "at_date": at_date,
    }
    rows = send_each(conn, QUERIES["find_served_as"], values).fetchall()
    return {(code, node): ServedAs(*told) for code, node, *told in rows}


def _facets(
    conn: Connection, statement: LiteralString, scope: Scope, more: Mapping[str, Any]
) -> tuple[int, list[FacetValue]]:
    statement, values = _asked(statement, scope, more)
    if not is_distributed(conn):
        rows: list[tuple[Any, ...]] = conn.execute(statement, values).fetchall()
        return rows[0][0], [FacetValue(value=value, count=count) for _, value, count in rows if value is not None]
    # A value's nodes may be of several jurisdictions: all values are read, and the page is cut here.
    counted: Counter[str] = Counter()
    for _, value, count in send_each(conn, statement, {**values, "limit": None, "offset": 0}).fetchall():
        counted.update({value: count} if value is not None else {})
    every = sorted(counted.items(), key=lambda one: (-one[1], one[0]))[more["offset"] :][: more["limit"]]
    return len(counted), [FacetValue(value=value, count=count) for value, count in every]


def _asked(statement: LiteralString, scope: Scope, more: Mapping[str, Any]) -> tuple[LiteralString, dict[str, Any]]:
    """A statement with the filters of a scope, and what it binds."""
    where = joined(scope.parts)
    values = {
        "jurisdictions": list(scope.jurisdictions),
        "languages": list(scope.languages),
        "at_date": scope.at_date,
        "kinds": list(scope.kinds),
        **where.values,
        **more,
    }
    return fill(statement, filters=where.sql), values


# The documents of the store, each once, with what it consists of.


class DocumentRow(Record):
    """One document."""

    urn: str
    title: str
    type: str  # of its tag `type`; else legislation, decision, record or notice
    jurisdiction: str
    language: str
    chunk_count: int  # pieces that search serves: the chunks of a plain document, else the nodes with words
    nodes: int  # all nodes in force, headings included
    corpus_urn: str
    corpus_title: str
    format: str
    source: str  # the file it came from
    edition_date: date | None
    tags: dict[str, Any]


class DocumentPage(Record):
    """One page of documents, in URN order."""

    at_date: date
    total: int
    limit: int
    offset: int
    next_offset: int | None = None  # where the next page begins; None at the end
    documents: list[DocumentRow]
    types: list[FacetValue] = Field(default_factory=list[FacetValue])  # the types there are, with their documents
    warnings: list[str] = Field(default_factory=list[str])
    message: str = ""


def list_documents(
    conn: Connection, scope: Scope, types: Sequence[str] | None, limit: int, offset: int
) -> DocumentPage:
    """One page of the documents whose root fits a scope.

    Args:
        scope: jurisdictions, languages, date and further filters.
        types: only documents of these types or kinds.
    """
    statement, values = _asked(
        QUERIES["list_documents"], scope,
        {"types": list(types) if types is not None else None, "limit": limit, "offset": offset},
    )  # fmt: skip
    total, rows = ask_page(conn, statement, values, rows=dict_row, total=lambda row: row["total"], place=_by_urn)
    kinds: Counter[str] = Counter()
    for kind, count in send_each(conn, QUERIES["list_document_types"], values).fetchall():
        kinds[kind] += count
    documents = [_document(row) for row in rows]
    end = offset + len(documents)
    none = "No document fits; leave a filter out, or see `types`."
    message = f"`offset` is past the last of {total} documents; begin with offset 0." if total else none
    return DocumentPage(
        at_date=scope.at_date, total=total, limit=limit, offset=offset,
        next_offset=end if documents and end < total else None, documents=documents,
        types=[FacetValue(value=kind, count=count) for kind, count in sorted(kinds.items(), key=_most_first)],
        warnings=list(scope.warnings), message="" if documents else message,
    )  # fmt: skip


def _by_urn(row: Mapping[str, Any]) -> tuple[str, str] | None:
    return None if row["urn"] is None else (row["urn"], row["jurisdiction"])


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def _document(row: Mapping[str, Any]) -> DocumentRow:
    return DocumentRow(
        urn=row["urn"], title=row["heading"] or row["title"] or row["urn"], type=row["type"],
        jurisdiction=row["jurisdiction"], language=row["language"], chunk_count=row["chunks"], nodes=row["nodes"],
        corpus_urn=row["corpus_urn"], corpus_title=row["title"] or "", format=row["format"], source=row["source"],
        edition_date=row["edition_date"], tags=row["tags"],
    )  # fmt: skip


# The hierarchy of the law: headings as a tree, page by page, in the order of the publications.

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
        scope: jurisdictions, languages and date hold for the whole tree, further filters for the nodes that are listed.
        root: where the tree begins; None for all top-level roots.
        depth: levels below the top.
        provisions: whether the provisions directly below headings are listed as well.
    """
    statement, values = _asked(
        QUERIES["browse_sections"], scope,
        {
            "root": root.node_id if root else None, "low": root.path if root else None,
            "high": subtree_end(root.path) if root else None, "depth": depth, "provisions": provisions, "limit": limit,
            "offset": offset,
        },
    )  # fmt: skip
    # Rows of one jurisdiction come in their order, and are kept in it.
    total, rows = ask_page(
        conn, statement, values, rows=dict_row, total=lambda row: row["total"], place=lambda row: row["jurisdiction"]
    )
    sections = [Section(**{key: value for key, value in row.items() if key != "total"}) for row in rows]
    end = offset + len(sections)
    return StructurePage(
        at_date=scope.at_date, root_id=root.urn if root else None, depth=depth, total=total, limit=limit, offset=offset,
        next_offset=end if sections and end < total else None, sections=sections, warnings=list(scope.warnings),
    )  # fmt: skip
