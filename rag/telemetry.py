"""Traces in the store: written once per request, also on failure, as far as the setting lets them."""

from __future__ import annotations

from typing import Literal

from psycopg.types.json import Jsonb

from rag.database import Database
from rag.trace import Trace
from retrieval.errors import InputError
from retrieval.queries import QUERIES


def record_trace(database: Database, trace: Trace, keep: Literal["redacted", "full", "off"]) -> None:
    """Store a trace.

    Raises:
        StoreError: it could not be written.
    """
    if keep == "off":
        return
    kept = trace if keep == "full" else trace.redacted()
    with database.write() as conn:
        conn.execute(
            QUERIES["insert_trace"],
            {
                "id": kept.id,
                "privacy": kept.privacy,
                "status": kept.status,
                "context_digest": kept.context.digest if kept.context else None,
                "body": Jsonb(kept.model_dump(mode="json")),
            },
        )


def stored_trace(database: Database, trace_id: str) -> Trace:
    """A stored trace; `last` is the newest.

    Raises:
        InputError: there is none with this id.
    """
    with database.read() as conn:
        if trace_id == "last":
            row = conn.execute(QUERIES["find_latest_trace"]).fetchone()
        else:
            row = conn.execute(QUERIES["find_trace"], {"id": trace_id}).fetchone()
    if row is None:
        raise InputError("There is no stored trace with this id. Traces are kept when the setting `traces` is not off.")
    return Trace.model_validate(row[0])
