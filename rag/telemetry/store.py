"""What is kept of requests: traces, as far as the setting lets them, and quality_check debriefs.

Both are written after the read transaction ended, on a connection of their own; neither ever leaves this machine.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Literal

from psycopg.types.json import Jsonb
from pydantic import ValidationError

from rag.store.database import Database
from rag.telemetry.trace import Trace
from retrieval.errors import InputError, StoreError
from retrieval.model import Record
from retrieval.queries import QUERIES


def record_trace(database: Database, trace: Trace, keep: Literal["redacted", "full", "off"]) -> bool:
    """Store a trace, and delete those that were kept for as long as the settings say.

    Returns:
        Whether it is stored now: not where none is to be kept.

    Raises:
        StoreError: it could not be written.
    """
    if keep == "off":
        return False
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
                "days": database.settings.trace_days,
            },
        )
    return True


class StoredTrace(Record):
    """What a list says of a trace: no word of the user's."""

    id: str
    created_at: datetime
    request: str  # ask, context
    status: str
    jurisdictions: list[str]
    targets: list[str]  # URNs whose context was assembled


class StoredTraces(Record):
    """Stored traces, the newest first; `more` where the limit left some out."""

    traces: list[StoredTrace]
    more: bool


def stored_traces(database: Database, *, status: str | None, since: date | None, limit: int) -> list[StoredTrace]:
    """The newest traces, of one status and from one day on where these are given."""
    with database.on_primary().read() as conn:
        rows = conn.execute(QUERIES["list_traces"], {"status": status, "since": since, "limit": limit}).fetchall()
    return [StoredTrace.model_validate(dict(zip(StoredTrace.model_fields, row, strict=True))) for row in rows]


def whole_trace_id(database: Database, given: str) -> str:
    """The id of the one stored trace whose id begins as given; what is no beginning of an id is returned as it is.

    Only for those who may list the traces anyway, as on the command line: for clients of a server an id that cannot be
    guessed is what keeps their traces apart, and it has to be whole.

    Raises:
        InputError: no trace or several begin so; these are named.
    """
    beginning = given.strip().lower()
    if not _BEGINNING.fullmatch(beginning):
        return given
    with database.on_primary().read() as conn:
        values = {"beginning": beginning, "limit": _NAMED + 1}
        found = [row[0] for row in conn.execute(QUERIES["find_trace_ids"], values)]
    if len(found) > 1:
        more = " and others" if len(found) > _NAMED else ""
        raise InputError(f"Several traces begin so: {', '.join(found[:_NAMED])}{more}. Give more of the id.")
    if not found:
        raise InputError("No stored trace has an id that begins so. `lexscope traces` lists them.")
    return found[0]


_BEGINNING = re.compile(r"[0-9a-f]{4,15}")
_NAMED = 5  # traces that are named where several begin alike


def stored_trace(database: Database, trace_id: str) -> Trace:
    """A stored trace; `last` is the newest that this database role recorded.

    Raises:
        InputError: there is none with this id, or none at all.
        StoreError: another program changed it.
    """
    with database.on_primary().read() as conn:
        if trace_id == "last":
            row = conn.execute(QUERIES["find_latest_trace"]).fetchone()
        else:
            row = conn.execute(QUERIES["find_trace"], {"id": trace_id}).fetchone()
    if row is None:
        kept = "Requests of `ask` and `context` keep one, unless LEXSCOPE_TRACES is off."
        missing = "No trace is stored yet." if trace_id == "last" else "There is no stored trace with this id."
        raise InputError(f"{missing} {kept}")
    return read_trace(*row)


def read_trace(body: object, trace_id: str) -> Trace:
    """A trace as it is stored.

    Raises:
        StoreError: another program changed it.
    """
    try:
        return Trace.model_validate(body)
    except ValidationError:
        raise StoreError(
            f"The stored trace {trace_id} cannot be read by this version: another program changed it, or another "
            "version wrote it. Delete its row of the table `traces`."
        ) from None
