"""The records of quality_check in the store and, where a setting names one, in a file."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

from psycopg.rows import dict_row

from rag.store.database import Database
from rag.telemetry.quality.model import QualityRecord
from retrieval.queries import QUERIES


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
