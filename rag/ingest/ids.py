"""Ids of rows, from the store's one sequence."""

from __future__ import annotations

from psycopg.rows import tuple_row

from rag.database import Connection
from retrieval.queries import QUERIES

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
            self._free[:0] = [one for start in starts for one in range(start + ID_BLOCK - 1, start - 1, -1)]

    def take(self) -> int:
        """The next id."""
        if not self._free:
            self.reserve(1)
        return self._free.pop()
