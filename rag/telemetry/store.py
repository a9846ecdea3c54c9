"""What is kept of requests: traces, as far as the setting lets them, and quality_check debriefs.

Both are written after the read transaction ended, on a connection of their own; neither ever leaves this machine.
"""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Literal

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from rag.store.database import Database
from rag.telemetry.quality.model import QualityRecord
from rag.telemetry.trace import Trace
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
        InputError: there is none with this id, or none at all.
    """
    with database.read() as conn:
        if trace_id == "last":
            row = conn.execute(QUERIES["find_latest_trace"]).fetchone()
        else:
            row = conn.execute(QUERIES["find_trace"], {"id": trace_id}).fetchone()
    if row is None:
        kept = "Requests of `ask` and `context` keep one, unless LEXSCOPE_TRACES is off."
        missing = "No trace is stored yet." if trace_id == "last" else "There is no stored trace with this id."
        raise InputError(f"{missing} {kept}")
    return Trace.model_validate(row[0])


# --- quality_check ---------------------------------------------------------------------------------------------------


def record_quality(database: Database, record: QualityRecord, file: Path | None = None) -> None:
    """Store one debrief in its table and, where a file is named, append it there as a line of JSON (mode 0600).

    Raises:
        StoreError: the table could not be written.
        OSError: the file could not be written; the row is in the table.
    """
    with database.write() as conn:
        conn.execute(QUERIES["insert_quality_check"], record.model_dump())
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_lines(file, record.model_dump_json() + "\n", append=True)


def quality_records(database: Database, *, since: date | None = None, limit: int | None = None) -> list[QualityRecord]:
    """Stored debriefs, the newest first."""
    with database.read() as conn, conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(QUERIES["list_quality_checks"], {"since": since, "limit": limit}).fetchall()
    return [QualityRecord.model_validate(row) for row in rows]


def purge_quality(database: Database, *, before: date | None = None) -> int:
    """Delete stored debriefs from before a day, or all; their number."""
    with database.write() as conn:
        return conn.execute(QUERIES["purge_quality_checks"], {"before": before}).rowcount


def write_lines(file: Path, lines: str, *, append: bool = False) -> None:
    """Write lines to a file that only its owner can read.

    Raises:
        OSError: the file cannot be written.
    """
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC), 0o600)
    # Unbuffered: a record goes out in one write, so that lines of two processes do not mix.
    with open(descriptor, "wb", buffering=0) as out:  # noqa: PTH123 - a descriptor has no path
        out.write(lines.encode())
