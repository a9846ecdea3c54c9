"""A selection of stored traces as a file: JSON Lines, CSV or HTML, with the reviewers' verdicts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from rag.telemetry.review.html import environment, style
from rag.telemetry.review.unseen import json_escape_unseen, visible
from rag.telemetry.review.view import build_view
from rag.telemetry.trace import Trace
from rag.telemetry.verdicts import REASONS, TraceRow

MOST_EXPORTED = 1_000
_COLUMNS = ("id", "created_at", "request", "status", "at_date", "jurisdictions", "provider", "model", "levels",
            "warnings", "targets", "verdict", "reasons")  # fmt: skip


def json_lines(rows: Sequence[TraceRow], traces: Sequence[Trace]) -> tuple[str, str]:
    """Each trace whole, as it is stored, on a line of its own, beside `verdict` and `reasons`."""
    said = {row.id: {"verdict": row.verdict, "reasons": row.reasons} for row in rows}
    lines = (
        json.dumps({**said[trace.id], "trace": trace.model_dump(mode="json")}, ensure_ascii=False, sort_keys=True)
        for trace in traces
    )
    return "application/x-ndjson; charset=utf-8", "".join(f"{json_escape_unseen(line)}\n" for line in lines)


def table(rows: Sequence[TraceRow], traces: Sequence[Trace]) -> tuple[str, str]:
    """A row for each trace, without any word of a user: lists are joined by spaces."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for row in rows:
        values = row.model_dump(mode="json")
        writer.writerow(_cell(values[name]) for name in _COLUMNS)
    return "text/csv; charset=utf-8", out.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    if isinstance(value, list):
        text = " ".join(map(str, cast("list[object]", value)))
    # A spreadsheet takes what begins so for a formula.
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else visible(text)


def page(rows: Sequence[TraceRow], traces: Sequence[Trace]) -> tuple[str, str]:
    """One self-contained HTML document: each answer with its quotes and what the reviewer said."""
    views = {trace.id: build_view(trace) for trace in traces}
    css, source = style("dump.css")
    html = environment().get_template("traces.html.j2").render(
        entries=[(row, views[row.id]) for row in rows if row.id in views], reasons=REASONS, css=css,
        style_source=source,
    )  # fmt: skip
    return "text/html; charset=utf-8", html


EXPORTS: Mapping[str, Callable[[Sequence[TraceRow], Sequence[Trace]], tuple[str, str]]] = {
    "jsonl": json_lines, "csv": table, "html": page,
}  # fmt: skip
