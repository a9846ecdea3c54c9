"""The list of stored traces as a reviewer filters it, and what reviewers said of them: codes alone, no words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Literal, get_args

from psycopg.rows import class_row
from pydantic import Field

from rag.store.database import Database
from rag.telemetry.store import read_trace
from rag.telemetry.trace import Trace
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.queries import QUERIES

Verdict = Literal["agree", "disagree"]
# Why a reviewer disagrees; the same codes are in the schema.
REASONS: Mapping[str, str] = {
    "wrong_rule": "it rests on the wrong rule",
    "rule_missing": "a rule is missing",
    "limit_missing": "an exception or a limit is missing",
    "wrong_definition": "a term has the wrong definition",
    "wrong_date": "law of the wrong date",
    "wrong_jurisdiction": "law of the wrong jurisdiction",
    "misread": "the law is misread",
    "unclear": "it is hard to understand",
    "not_answered": "it does not answer what was asked",
    "refused_wrongly": "the store has law that answers it",
}


class TraceRow(Record):
    """One stored trace, as a list shows it."""

    id: str
    created_at: datetime
    privacy: str
    request: str  # ask, context
    status: str
    at_date: date
    jurisdictions: list[str]
    provider: str
    model: str
    levels: list[str]  # of its statements, each once
    warnings: list[str]  # kinds, each once
    targets: list[str]  # the rules of its context
    scenario: str | None  # where the trace is kept whole
    verdict: Verdict | None  # the reviewer's
    reasons: list[str]
    total: int = Field(default=0, exclude=True)  # traces that fit the filters


class TraceFilter(Record):
    """What a list is narrowed to; None: not at all."""

    since: date | None = None
    until: date | None = None  # this day included
    status: str | None = None
    jurisdiction: str | None = None
    provider: str | None = None
    level: str | None = None
    warning: str | None = None
    verdict: str | None = None  # agree, disagree, or none: not yet given
    ids: list[str] | None = None


def list_traces(database: Database, wanted: TraceFilter, limit: int, offset: int = 0) -> list[TraceRow]:
    """One page of the stored traces that fit, newest first.

    Raises:
        StoreError: the store failed.
    """
    values = {**wanted.model_dump(), "limit": limit, "offset": offset}
    with database.on_primary().read() as conn, conn.cursor(row_factory=class_row(TraceRow)) as cursor:
        return cursor.execute(QUERIES["list_reviewed_traces"], values).fetchall()


def trace_values(database: Database) -> dict[str, list[str]]:
    """The statuses, jurisdictions, providers, levels and warnings that stored traces have, by these names."""
    with database.on_primary().read() as conn:
        found = dict(conn.execute(QUERIES["list_trace_values"]).fetchall())
    return {name: found.get(name, []) for name in ("status", "jurisdiction", "provider", "level", "warning")}


def stored_traces(database: Database, ids: Sequence[str]) -> list[Trace]:
    """These traces, newest first; those that are not there are left out.

    Raises:
        StoreError: another program changed one; it is named.
    """
    with database.on_primary().read() as conn:
        rows = conn.execute(QUERIES["find_traces"], {"ids": list(ids)}).fetchall()
    return [read_trace(*row) for row in rows]


def record_verdict(database: Database, trace_id: str, verdict: str, reasons: Sequence[str]) -> None:
    """Keep what a reviewer says of a trace, in place of what was said before.

    Raises:
        InputError: no verdict, no reason of the list, reasons for agreeing, or no such trace.
    """
    if verdict not in get_args(Verdict) or not set(reasons) <= set(REASONS):
        raise InputError(f"A verdict is agree, or disagree with reasons of: {', '.join(REASONS)}.")
    if verdict == "agree" and reasons:
        raise InputError("Reasons are for disagreeing; take them away, or disagree.")
    values = {"id": trace_id, "verdict": verdict, "reasons": sorted(set(reasons))}
    with database.write() as conn:
        if conn.execute(QUERIES["record_verdict"], values).rowcount == 0:
            raise InputError("There is no stored trace with this id.")


def found_verdict(database: Database, trace_id: str) -> tuple[str, list[str]]:
    """The verdict on a trace and its reasons; an empty one where there is none."""
    with database.on_primary().read() as conn:
        row = conn.execute(QUERIES["find_verdict"], {"id": trace_id}).fetchone()
    return (row[0], row[1]) if row else ("", [])
