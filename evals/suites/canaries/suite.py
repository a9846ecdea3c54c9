"""Privacy canaries (E21): facts of people sent through every tool, verb, wire and fault; then everything is searched.

    facts -> calls (in memory, HTTP, stdio, command line; in success and in each fault) -> what is left of them, where

Searched are all tables, the logs of Lexscope and of its PostgreSQL, every error reply, what other callers and the
exports show, and every file that was written. A reply that is no error may hold what its own caller asked; those of
quality_check and safety_guidelines may not.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import psycopg
from psycopg import sql

from evals.rows import REPORTED, Gate, Row, share_row
from evals.suites.canaries import runs as canary_runs
from evals.suites.canaries import wires as canary_wires
from evals.suites.canaries.facts import make_facts
from evals.suites.canaries.stage import PLACES, Haul, Place, Stage, search_log, stage
from evals.suites.fidelity.suite import Report
from rag.store.database import Database

SUITE = "canaries"
DEFAULT_FACTS, ALL_FACTS = 110, 10_000
NONE = Gate("<=", 0.0)
# What the server shows of its statements counts as a table: others can read it.
_STATEMENTS = "select query from pg_stat_activity"


def measure(
    sample: Path, count: int, *, seed: int, traces: Literal["redacted", "full"] = "redacted", wires: bool = True
) -> Report:
    """Send facts through everything, and search everything for them.

    Args:
        sample: law to serve.
        count: facts.
        seed: which ones.
        traces: what the store keeps of requests; with `full` it keeps what users say, and this must find it.
        wires: whether server processes over HTTP and stdio, the command line and faults of the database are tried too.

    Returns:
        One row a place: the share of the facts of which something was left there.
    """
    started = time.time()
    with stage(sample, make_facts(count, seed), traces) as on:
        canary_runs.in_memory(on)
        canary_runs.providers(on)
        if wires:
            canary_runs.databases(on)
            canary_wires.command_line(on)
            canary_wires.over_http(on)
            canary_wires.over_stdio(on)
            canary_runs.killed(on)
        canary_wires.others(on)
        search_tables(on.engine.database, on.haul)
        search_log(on)
        search_files(on, started)
    return report_of(on.haul)


def report_of(haul: Haul) -> Report:
    """The rows of a run, and a line for each find."""
    total = len(haul.facts)
    rows = [share_row(SUITE, "sample", f"E21:{place}", len(haul.left_in(place)), total, NONE) for place in PLACES]
    rows.append(Row(SUITE, "sample", "calls", float(haul.calls), haul.calls, None, None, REPORTED))
    report = Report(rows)
    for (place, where), numbers in sorted(haul.found.items()):
        one = haul.facts[min(numbers)]
        report.notes.append(
            f"{place}: {len(numbers)} facts left in {where}, such as one of kind {one.kind} sent {one.form}"
        )
    return report


# --- what is searched ------------------------------------------------------------------------------------------------


def search_tables(database: Database, haul: Haul) -> None:
    """Every row of every table of the store, and what the server shows of its statements."""
    listed = r"select schemaname, tablename from pg_tables where schemaname not like 'pg\_%%' and schemaname <> %s"
    with database.read() as conn:  # temporary tables, of the ingest, are seen by their own session only
        tables = conn.execute(listed.encode(), ["information_schema"]).fetchall()
        for schema, name in tables:
            rows = conn.execute(sql.SQL("select t::text from {} t").format(sql.Identifier(schema, name)))
            for (row,) in rows:
                haul.search("tables", f"table {name}", row)
        for (text,) in conn.execute(_STATEMENTS).fetchall():
            haul.search("tables", "pg_stat_activity", text or "")


def search_files(on: Stage, since: float) -> None:
    """Every file below the folder that was written to since a time, PostgreSQL's own included."""
    with psycopg.connect(on.engine.database.conninfo, autocommit=True) as conn:
        conn.execute("checkpoint")  # pages that only memory holds are no less kept
    for file in sorted(on.folder.rglob("*")):
        if file.is_file() and file.stat().st_mtime >= since:
            place: Place = "logs" if file.suffix == ".log" or file.name == "log" else "files"
            on.haul.search(place, f"file {file.relative_to(on.folder)}", file.read_bytes())
