"""Indexes after a run that brought a good part of what the store holds.

Keys that come in no order, or in the middle of what is there, leave pages half full. Built anew, the indexes take two
thirds of the room. That costs some ten microseconds a node of the store, so only a run that is large beside it pays.
"""

from __future__ import annotations

from psycopg import Rollback, errors

from rag.store.database import Database
from retrieval.queries import QUERIES

_LEAST = 2_000  # nodes of a run; with fewer there is nothing to gain
_SHARE = 0.1  # of the nodes that the store has then: the price is at most a tenth of what the run has cost


def pack_indexes(database: Database, written: int) -> int:
    """Build the B-trees of law anew, each in a transaction of its own, which readers wait for: 2 s a million nodes.

    Args:
        database: the store, on one server.
        written: nodes of the documents that the run stored.

    Returns:
        How many; none after a run that is small beside the store, and no more where others write for half a second.
    """
    if written < _LEAST:
        return 0
    with database.write() as conn:
        known = conn.execute(QUERIES["estimate_nodes"]).fetchone()
        names = [name for (name,) in conn.execute(QUERIES["list_packed"])]
    if known is None or written < _SHARE * known[0]:
        return 0
    for packed, name in enumerate(names):
        with database.write() as conn:
            try:
                conn.execute(QUERIES["pack_index"], {"index": name})
                continue
            except errors.LockNotAvailable:
                raise Rollback from None
        return packed
    return len(names)
