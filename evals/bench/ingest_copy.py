"""The rows of a store as one big COPY of them: taken out of one store, put into another in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from psycopg import sql

from rag.ingest.writing.store import document_rows
from rag.law.nodes import ParsedDocument
from rag.store.database import Connection, Database
from retrieval.languages import text_search_config

# In the order that their foreign keys ask for; legal_nodes is between them.
_BEFORE = ("sources", "documents", "editions", "edition_nodes")
_AFTER = ("legal_definitions", "edges", "lexeme_stats", "language_stats")
_SEARCHED = ("config", "search_heading", "search_titles", "search_leads", "search_body")
_DERIVED = ("fts", "fts_length")


Values = tuple[object, ...]  # of one row, as a client has them before it writes them


@dataclass(slots=True)
class Export:
    """Rows by table. `nodes` has what search vectors are made from in place of the vectors."""

    tables: dict[str, list[Values]] = field(default_factory=dict[str, list[Values]])
    nodes: list[Values] = field(default_factory=list[Values])
    columns: list[str] = field(default_factory=list[str])
    rows: int = 0  # nodes, definitions and edges


def export_rows(store: Database, documents: Sequence[ParsedDocument]) -> Export:
    """All rows that storing these documents wrote, into memory."""
    out = Export()
    with store.admin() as conn:
        out.columns = [name for name in _columns(conn, "legal_nodes") if name not in _DERIVED]
        conn.execute(
            "create temp table searched (urn text, config text, search_heading text, search_titles text, "
            "search_leads text, search_body text)"
        )
        with conn.cursor() as cursor, cursor.copy("copy searched from stdin") as copy:
            for document in documents:
                config = text_search_config(document.corpus.language)
                for row in document_rows(document):
                    texts = (row.search_heading, row.search_titles, row.search_leads, row.search_body)
                    copy.write_row((row.node.urn, config, *texts))
        names = sql.SQL(", ").join(sql.Identifier("n", name) for name in out.columns)
        texts = sql.SQL(", ").join(
            sql.SQL("coalesce(s.{}, {})").format(
                sql.Identifier(name), sql.Literal("simple" if name == "config" else "")
            )
            for name in _SEARCHED
        )
        out.nodes = _taken(
            conn,
            sql.SQL(
                "select {}, {} from legal_nodes n left join (select distinct on (urn) * from searched) s "
                "on s.urn = n.urn order by n.id"
            ).format(names, texts),
        )
        for name in (*_BEFORE, *_AFTER):
            listed = sql.SQL(", ").join(map(sql.Identifier, _columns(conn, name)))
            out.tables[name] = _taken(conn, sql.SQL("select {} from {}").format(listed, sql.Identifier(name)))
        for name in ("legal_nodes", "legal_definitions", "edges"):
            counted = conn.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(name))).fetchone()
            out.rows += int(counted[0]) if counted else 0
    return out


def load_at_once(conn: Connection, export: Export) -> None:
    """Write everything into an empty store; call in one transaction."""
    for name in _BEFORE:
        _put(conn, sql.Identifier(name), export.tables[name])
    names = sql.SQL(", ").join(map(sql.Identifier, export.columns))
    conn.execute(
        sql.SQL("create temp table staged on commit drop as select {}, {} from legal_nodes limit 0").format(
            names, sql.SQL(", ").join(sql.SQL("''::text as {}").format(sql.Identifier(name)) for name in _SEARCHED)
        )
    )
    _put(conn, sql.Identifier("staged"), export.nodes)
    # The same expression as in `insert_staged_nodes`, which takes one document's configuration.
    conn.execute(
        sql.SQL(
            "insert into legal_nodes ({names}, fts, fts_length) select {names}, v.own || v.around, "
            "coalesce((select sum(cardinality(u.positions)) from unnest(v.own) u), 0) from staged s "
            "cross join lateral (select "
            "setweight(to_tsvector(s.config::regconfig, lex_unaccent(s.search_heading)), 'A') "
            "|| to_tsvector(s.config::regconfig, lex_unaccent(s.search_body)) as own, "
            "setweight(to_tsvector(s.config::regconfig, lex_unaccent(s.search_titles)), 'B') || "
            "setweight(to_tsvector(s.config::regconfig, lex_unaccent(s.search_leads)), 'C') as around"
            ") v order by s.id"
        ).format(names=names)
    )
    for name in _AFTER:
        _put(conn, sql.Identifier(name), export.tables[name])


def _columns(conn: Connection, table: str) -> list[str]:
    rows = conn.execute(
        "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped "
        "and attgenerated = '' order by attnum",
        [table],
    ).fetchall()
    return [str(row[0]) for row in rows]


def _taken(conn: Connection, query: sql.Composed) -> list[Values]:
    with conn.cursor() as cursor, cursor.copy(sql.SQL("copy ({}) to stdout").format(query)) as copy:
        return list(copy.rows())


def _put(conn: Connection, table: sql.Identifier, rows: list[Values]) -> None:
    with conn.cursor() as cursor, cursor.copy(sql.SQL("copy {} from stdin").format(table)) as copy:
        for row in rows:
            copy.write_row(row)
