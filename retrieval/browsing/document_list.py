"""The documents of the store, each once, with what it consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, LiteralString

from psycopg.rows import dict_row
from pydantic import Field

from retrieval.entry_points.filters import joined
from retrieval.entry_points.request import Scope
from retrieval.model import FacetValue, Record
from retrieval.nodes import Connection
from retrieval.queries import QUERIES


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
        conn: a read connection.
        scope: jurisdictions, languages, date and further filters.
        types: only documents of these types or kinds.
        limit: documents on the page.
        offset: documents to pass over.
    """
    where = joined(scope.parts)
    values: dict[str, object] = {
        "jurisdictions": list(scope.jurisdictions), "languages": list(scope.languages), "at_date": scope.at_date,
        "types": list(types) if types is not None else None, "limit": limit, "offset": offset,
        **(where.values if where else {}),
    }  # fmt: skip
    statement = QUERIES["list_documents"]
    rows = _rows(conn, statement.replace("/*filters*/ true", where.sql) if where else statement, values)
    total = int(rows[0]["total"])
    documents = [_document(row) for row in rows if row["urn"] is not None]
    end = offset + len(documents)
    kinds = _rows(conn, QUERIES["list_document_types"], values)
    none = "No document fits; leave a filter out, or see `types`."
    message = f"`offset` is past the last of {total} documents; begin with offset 0." if total else none
    return DocumentPage(
        at_date=scope.at_date, total=total, limit=limit, offset=offset,
        next_offset=end if documents and end < total else None, documents=documents,
        types=[FacetValue(value=row["type"], count=row["documents"]) for row in kinds],
        warnings=list(scope.warnings), message="" if documents else message,
    )  # fmt: skip


def _document(row: Mapping[str, Any]) -> DocumentRow:
    return DocumentRow(
        urn=row["urn"], title=row["heading"] or row["title"] or row["urn"], type=row["type"],
        jurisdiction=row["jurisdiction"], language=row["language"], chunk_count=row["chunks"], nodes=row["nodes"],
        corpus_urn=row["corpus_urn"], corpus_title=row["title"] or "", format=row["format"], source=row["source"],
        edition_date=row["edition_date"], tags=row["tags"],
    )  # fmt: skip


def _rows(conn: Connection, statement: LiteralString, values: Mapping[str, object]) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement, values).fetchall()
