"""What a request asks of the database, recorded once and asked again without the program around it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql

# What the engine sets for indexes of vectors where a transaction begins.
SEARCHING = "set hnsw.iterative_scan = relaxed_order; set hnsw.ef_search = 400"
Statement = tuple[Any, Any, bool | None]  # text or composed, values, whether rows come in binary


class RecordingCursor(psycopg.Cursor[Any]):
    """A cursor that tells its connection what it sends."""

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Self:
        """Note a statement and send it."""
        assert isinstance(self.connection, RecordingConnection), "made by a connection that records"
        self.connection.statements.append((query, params, binary))
        return super().execute(query, params, prepare=prepare, binary=binary)


class RecordingConnection(psycopg.Connection[Any]):
    """Keeps the statements that are sent through it."""

    statements: list[Statement]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cursor_factory = RecordingCursor
        self.statements = []


@contextmanager
def recording(conninfo: str) -> Generator[RecordingConnection]:
    """A connection that records, in a read-only snapshot with the settings of `Database.read`."""
    with RecordingConnection.connect(conninfo) as conn:
        register_vector(conn)
        conn.commit()
        conn.read_only = True
        with conn.transaction():
            tuned(conn)
            conn.statements.clear()
            yield conn


def tuned(conn: psycopg.Connection[Any]) -> None:
    """The settings that the engine itself makes for reading."""
    conn.execute("set local jit = off; set local plan_cache_mode = force_custom_plan")
    conn.execute(SEARCHING)


def replay(conn: psycopg.Connection[Any], statements: list[Statement]) -> int:
    """Send statements again and fetch their rows as plain tuples; returns how many rows."""
    rows = 0
    for query, params, binary in statements:
        cursor = conn.execute(query, params, binary=bool(binary))
        if cursor.description is not None:
            rows += len(cursor.fetchall())
    return rows


@dataclass(frozen=True, slots=True)
class Exact:
    """The ten nearest nodes by comparing all vectors."""

    dimensions: int

    def nearest(self, conn: psycopg.Connection[Any], values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """(node version id, distance) by exact distance."""
        statement = sql.SQL(
            "select e.node_version_id, e.embedding::halfvec({size}) <=> %(vector)s from node_embeddings e"
            " where e.jurisdiction = %(jurisdiction)s and e.model = %(model)s and e.validity @> %(at)s::date"
            " order by (e.embedding::halfvec({size}) <=> %(vector)s) + 0, e.node_version_id limit 10"
        ).format(size=sql.Literal(self.dimensions))
        return conn.execute(statement, values).fetchall()
