"""Transactions of an ingest that runs beside others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from psycopg import Rollback, errors

from rag.database import Connection, Database

T = TypeVar("T")

_ATTEMPTS = 5


def write_again(database: Database, work: Callable[[Connection], T]) -> T:
    """Do work in one transaction, from the start where the server had to end it in favour of another.

    Args:
        database: an open store.
        work: what to do; everything it has written is undone before it is called again.

    Returns:
        What the work returns.

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
