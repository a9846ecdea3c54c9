"""Transactions of an ingest that runs beside others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from psycopg import Rollback, errors
from psycopg.rows import tuple_row

from rag.store.database import Connection, Database
from retrieval.cluster import is_distributed
from retrieval.queries import QUERIES

T = TypeVar("T")

_ATTEMPTS = 5


def write_again(database: Database, work: Callable[[Connection], T]) -> T:
    """Do work in one transaction, from the start where the server had to end it in favour of another.

    Args:
        work: what to do; everything it has written is undone before it is called again.

    Raises:
        StoreError: the database failed, or ended the work every time.
    """
    for left in reversed(range(_ATTEMPTS)):
        with database.write() as conn:
            try:
                return work(conn)
            except (errors.DeadlockDetected, errors.SerializationFailure):
                if not left:
                    raise
                raise Rollback from None
    raise AssertionError("the last attempt returns or raises")


def note_analyzed(conn: Connection, nodes: int) -> None:
    """Count nodes that the planner was told of, on a cluster, whose coordinator holds none and keeps no such count."""
    if is_distributed(conn):
        conn.execute(QUERIES["count_analyzed"], {"nodes": nodes})


# Ids of rows, from the store's one sequence.

ID_BLOCK = 256


class Ids:
    """Ids from the sequence, a block at a time."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._free: list[int] = []

    def reserve(self, count: int) -> None:
        """Make sure that the next `count` ids come in one round trip."""
        missing = count - len(self._free)
        if missing > 0:
            blocks = -(-missing // ID_BLOCK)
            with self._conn.cursor(row_factory=tuple_row) as cursor:
                cursor.execute(QUERIES["reserve_ids"], {"blocks": blocks})
                starts = sorted((row[0] for row in cursor), reverse=True)
            self._free[:0] = [number for start in starts for number in range(start + ID_BLOCK - 1, start - 1, -1)]

    def take(self) -> int:
        """The next id."""
        if not self._free:
            self.reserve(1)
        return self._free.pop()
