"""`python -m evals bench context`: what assembling C(R) costs beside fetching its rows by primary key.

Every size has a store of its own: invented law of realistic shape, loaded through the real schema. The floors, the
look-ups and the whole assembly take turns on the same candidates in one snapshot; ratios are of medians. Goals are to
the floor of whole rows; the lean one has no columns but those that a context reads (`floor.py`).

A million nodes take minutes to load: with `--keep`, and LEXSCOPE_DATA_DIR or --database-url naming a server for it, the
stores stay for the next run.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
import tracemalloc
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from evals.bench.counting import CountedConnection
from evals.bench.floor import Floor, floor_of
from evals.bench.kept import kept_store, without_slow_indexes
from evals.bench.plot import write_plot
from evals.bench.stores import scratch_store
from evals.bench.synthetic import Built, add_unrelated_patterns, load, remove_unrelated_patterns
from evals.bench.timing import Timing, measure, peak_memory_mb, server_clock
from evals.rows import REPORTED, Gate, Row, json_rows, table
from rag.settings import Settings, load_settings
from rag.store.database import Database
from retrieval.context.compose import assemble, compose
from retrieval.context.lookups import look_up
from retrieval.nodes import Connection, NodeVersion, versions_by_urn
from retrieval.queries import QUERIES

SUITE = "bench context"
AT = date(2026, 1, 1)
SIZES = (10_000, 100_000, 1_000_000)
BUDGET = 200_000  # tokens: nothing is left out, so that every row is shown
UNRELATED = 20_000  # overrides and preemptions of other law, to see that they cost nothing
SCALED = (1, 5, 20)  # definitions in scope, times the usual
GOALS = {
    "context_ratio_to_floor": 1.5, "context_objects_ratio_to_floor": 2.2, "context_per_row_ratio": 1.25,
    "context_cpu_ratio_to_floor": 1.5, "context_objects_cpu_ratio_to_floor": 2.2,
    "definitions_20x_to_5x": 1.25, "definitions_20x_to_1x": 5.0, "defaults_ratio_to_tuned": 1.6, "statements": 6.0,
    "round_trips": 2.0, "overrides_many_to_few": 1.25, "whole_table_reads": 0.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """Some candidates and their floor."""

    targets: list[NodeVersion]
    floor: Floor


def cases(conn: Connection, built: Built, *, count: int, candidates: int, seed: int) -> list[Case]:
    """Candidates drawn from one jurisdiction each time, as a question has them, with their floors."""
    rng, found = random.Random(seed), list[Case]()
    by_corpus: dict[str, list[str]] = {}
    for urn in built.rules:
        by_corpus.setdefault(":".join(urn.split(":")[:4]), []).append(urn)
    jurisdictions = sorted({urn.split(":")[2] for urn in built.rules})
    corpora = sorted(by_corpus)
    for _ in range(count):
        urns = rng.sample(by_corpus[rng.choice(corpora)], candidates)
        targets = [node_version for node_version in versions_by_urn(conn, urns) if node_version.in_force(AT)]
        # A candidate inside another is no candidate of its own; entry points see to that.
        targets = [
            target for target in targets
            if not any(target is not other and other.node_id in target.ancestor_ids for other in targets)
        ]  # fmt: skip
        material = look_up(conn, targets, AT, jurisdictions=jurisdictions)
        context = compose(material, budget_tokens=BUDGET)
        found.append(Case(targets, floor_of(conn, material, context)))
    return found


def time_cases(
    conn: Connection, tuned: Connection | None, found: Sequence[Case], jurisdictions: Sequence[str], rounds: int
) -> dict[str, Timing]:
    """Floor, look-ups, whole assembly and, on a tuned connection, look-ups again, interleaved."""

    def looked_up(case: Case) -> object:
        return look_up(conn, case.targets, AT, jurisdictions=jurisdictions)

    def assembled(case: Case) -> object:
        return assemble(conn, case.targets, AT, jurisdictions=jurisdictions, budget_tokens=BUDGET)

    # The floor has plans of its own kind too: made once, as the look-ups' are.
    def fetched(case: Case) -> object:
        conn.execute(QUERIES["use_generic_plans"])
        return case.floor.fetch(conn)

    def fetched_lean(case: Case) -> object:
        conn.execute(QUERIES["use_generic_plans"])
        return case.floor.fetch(conn, lean=True)

    variants: dict[str, Any] = {
        "floor": fetched,
        "lean_floor": fetched_lean,
        "look_up": looked_up,
        "assemble": assembled,
    }
    if tuned is not None:

        def looked_up_tuned(case: Case, conn: Connection = tuned) -> object:
            return look_up(conn, case.targets, AT, jurisdictions=jurisdictions)

        variants["tuned"] = looked_up_tuned
    work = server_clock(conn, tuned) if tuned is not None else server_clock(conn)
    return measure(variants, found, rounds=rounds, warm_up=2, work=work)


def count_one(store: Database, case: Case, jurisdictions: Sequence[str]) -> tuple[int, int]:
    """Statements, settings included, and round trips of one assembly."""
    with CountedConnection.connect(store.conninfo) as conn:
        conn.read_only = True
        assemble(conn, case.targets, AT, jurisdictions=jurisdictions, budget_tokens=BUDGET)
        return len(conn.statements), conn.round_trips


TUNED = (
    "set jit = off", "set max_parallel_workers_per_gather = 0", "set random_page_cost = 1.1",
    "set plan_cache_mode = auto", "set work_mem = '64MB'",
)  # fmt: skip


def run_size(server: Database, settings: Settings, size: int, options: argparse.Namespace) -> list[Row]:
    """All rows of one size."""
    source = f"{size} nodes"
    with ExitStack() as stack:
        since = time.perf_counter()
        if options.keep:
            store, built = stack.enter_context(kept_store(server, settings, size, seed=options.seed, say=_say))
        else:
            store = stack.enter_context(scratch_store(server, settings, str(size)))
            with without_slow_indexes(store):
                built = load(store, size, seed=options.seed)
        _say(
            f"{source}: {built.nodes} nodes, {built.versions} earlier versions, {built.definitions} definitions,"
            f" {built.edges} edges ready in {time.perf_counter() - since:.0f} s"
        )
        rows = size_rows(store, built, source, options)
    rows.append(_row(source, "peak_memory_mb", peak_memory_mb(), 1))
    rows.append(_row(source, "load_average", os.getloadavg()[0], 1))
    return rows


def size_rows(store: Database, built: Built, source: str, options: argparse.Namespace) -> list[Row]:
    """What is measured on one store of invented law.

    Args:
        store: the store.
        built: what it was filled with.
        source: how the rows name it; begins with its size.
        options: the benchmark's arguments.
    """
    jurisdictions = sorted({urn.split(":")[2] for urn in built.rules})
    rows: list[Row] = []
    found: list[Case] = []
    for candidates in (1, options.candidates):
        with store.read() as conn, Database(store.settings) as second, second.read() as tuned:
            for statement in TUNED:
                tuned.execute(statement.replace("set ", "set local ", 1).encode())
            found = cases(conn, built, count=options.cases, candidates=candidates, seed=options.seed)
            taken = time_cases(conn, tuned, found, jurisdictions, options.rounds)
        rows += _size_rows(source, candidates, found, taken)
    queries, trips = count_one(store, found[0], jurisdictions)
    rows += [_row(source, "statements", queries, 1), _row(source, "round_trips", trips, 1)]
    rows.append(_row(source, "assembly_memory_mb", _assembly_memory_mb(store, found[0], jurisdictions), 1))
    rows += _override_rows(store, source, found, jurisdictions, options)
    return rows


def _assembly_memory_mb(store: Database, case: Case, jurisdictions: Sequence[str]) -> float:
    """The most memory that Python holds at once while it assembles one context, in MB."""
    with store.read() as conn:
        tracemalloc.start()
        try:
            assemble(conn, case.targets, AT, jurisdictions=jurisdictions, budget_tokens=BUDGET)
            return tracemalloc.get_traced_memory()[1] / 1_000_000
        finally:
            tracemalloc.stop()


def _size_rows(source: str, candidates: int, found: Sequence[Case], taken: dict[str, Timing]) -> list[Row]:
    floor, n = taken["floor"], taken["floor"].n
    size = sum(case.floor.rows for case in found) / len(found)
    what = source if candidates > 1 else f"{source}, 1 candidate"
    rows = [
        _row(what, "context_ratio_to_floor", taken["look_up"].p50 / floor.p50, n),
        _row(what, "context_objects_ratio_to_floor", taken["assemble"].p50 / floor.p50, n),
        _row(what, "context_ratio_to_lean_floor", taken["look_up"].p50 / taken["lean_floor"].p50, n),
        _row(what, "defaults_ratio_to_tuned", taken["look_up"].p50 / taken["tuned"].p50, n),
        _row(what, "rows", size, len(found)),
        _row(what, "per_row_us", taken["look_up"].p50 / size * 1000, n),
    ]
    if floor.cpu_p50:
        lean = taken["lean_floor"].cpu_p50 or floor.cpu_p50
        rows.append(_row(what, "context_cpu_ratio_to_lean_floor", (taken["look_up"].cpu_p50 or 0.0) / lean, n))
        ratios = {"context_cpu_ratio_to_floor": "look_up", "context_objects_cpu_ratio_to_floor": "assemble"}
        rows += [_row(what, metric, (taken[name].cpu_p50 or 0.0) / floor.cpu_p50, n) for metric, name in ratios.items()]
    for name, one in taken.items():
        rows += [_row(what, f"{name}_ms_p50", one.p50, n), _row(what, f"{name}_ms_p95", one.p95, n)]
    return rows


def _override_rows(
    store: Database, source: str, found: Sequence[Case], jurisdictions: Sequence[str], options: argparse.Namespace
) -> list[Row]:
    """The same look-ups before and after many overrides and preemptions of other law."""
    ratios: list[float] = []
    for added in (0, UNRELATED):
        if added:
            add_unrelated_patterns(store, added)
        with store.read() as conn:
            taken = time_cases(conn, None, found, jurisdictions, options.rounds)
        # To the floor of the same minute: the two are not interleaved, and a neighbour may have come or gone.
        ratios.append(taken["look_up"].p50 / taken["floor"].p50)
    reads = whole_reads(store)
    remove_unrelated_patterns(store)
    for read in reads:
        _say(f"{source}: reads from end to end: {read}")
    return [
        _row(source, "overrides_many_to_few", ratios[1] / ratios[0], len(found) * options.rounds),
        _row(source, "whole_table_reads", len(reads), 1),
    ]


LAW = ("legal_nodes", "legal_definitions", "edges", "judicial_overrides", "federal_preemption")
LOOK_UPS = (
    "find_line_nodes", "find_context_definitions", "find_wide_definitions", "find_context_edges", "find_context_nodes",
)  # fmt: skip


def whole_reads(store: Database) -> list[str]:
    """Where the look-ups' general plans would read a table, or the index of all validities, from end to end.

    Returns:
        "look-up: line of the plan" for each; none where every look-up goes by key. PostgreSQL 16 or newer.
    """
    found: list[str] = []
    with store.read() as conn:
        conn.execute(QUERIES["use_generic_plans"])
        for name in LOOK_UPS:
            names: list[str] = []

            def numbered(match: re.Match[str], names: list[str] = names) -> str:
                if match[1] not in names:
                    names.append(match[1])
                return f"${names.index(match[1]) + 1}" + ("::date" if match[1] == "at_date" else "")

            query = re.sub(r"%\((\w+)\)s", numbered, QUERIES[name])
            plan = [line for (line,) in conn.execute(f"explain (generic_plan, costs off) {query}".encode())]
            # No look-up has the key of unique_active_version, which is read from end to end for a date alone.
            wrong = ("unique_active_version", *(f"Seq Scan on {table}" for table in LAW))
            found += [f"{name}: {line.strip()}" for line in plan if any(words in line for words in wrong)]
    return found


def run_definitions(server: Database, settings: Settings, size: int, options: argparse.Namespace) -> list[Row]:
    """The same law with more and more definitions in every scope; how many of them a text uses stays the same."""
    ratios: dict[int, float] = {}
    for more in SCALED:
        with scratch_store(server, settings, f"defs{more}") as store:
            built = load(store, size, seed=options.seed, more=more)
            jurisdictions = sorted({urn.split(":")[2] for urn in built.rules})
            with store.read() as conn:
                found = cases(conn, built, count=options.cases, candidates=options.candidates, seed=options.seed)
                taken = time_cases(conn, None, found, jurisdictions, options.rounds)
            # To the floor of the same minute, whose rows stay about as many: the stores are not interleaved.
            ratios[more] = taken["look_up"].p50 / taken["floor"].p50
            _say(
                f"definitions x {more}: {built.definitions} in {built.nodes} nodes, p50 {taken['look_up'].p50:.2f} ms,"
                f" floor {taken['floor'].p50:.2f} ms of {sum(case.floor.rows for case in found) / len(found):.0f} rows"
            )
    source, n = f"{size} nodes", options.cases * options.rounds
    return [
        _row(source, "definitions_20x_to_5x", ratios[20] / ratios[5], n),
        _row(source, "definitions_20x_to_1x", ratios[20] / ratios[1], n),
    ]


def _row(source: str, metric: str, value: float, n: int) -> Row:
    goal = GOALS.get(metric)
    # Ratios of one shared machine are goals and no gates: a neighbour can spoil any of them.
    gate = Gate("<=", goal, hard=False) if goal is not None else REPORTED
    return Row(SUITE, source, metric, float(value), n, None, None, gate)


def _across_sizes(rows: Sequence[Row]) -> list[Row]:
    """Per row, the largest store against the smallest."""
    per_row = [row for row in rows if row.metric == "per_row_us" and "candidate" not in row.source]
    if len(per_row) < 2:
        return []
    first, last = per_row[0], per_row[-1]
    name = f"context_per_row_ratio_{_short(last.source)}_to_{_short(first.source)}"
    gate = Gate("<=", GOALS["context_per_row_ratio"], hard=False)
    return [Row(SUITE, "all sizes", name, last.value / first.value, last.n, None, None, gate)]


def _short(source: str) -> str:
    size = int(source.split()[0])
    return f"{size // 1_000_000}m" if size >= 1_000_000 else f"{size // 1000}k" if size >= 1000 else str(size)


def sizes_named(text: str) -> list[int]:
    """Sizes from the command line."""
    sizes = [int(item) for item in text.split(",") if item.isascii() and item.isdigit()]
    if len(sizes) != text.count(",") + 1 or min(sizes) < 1000:
        raise argparse.ArgumentTypeError("sizes are numbers from 1000 on, separated by commas")
    return sizes


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError("a whole number from 1 on is needed")
    return int(text)


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; see `--help`. Returns 0: its goals are reported, and judged by who reads them."""
    parser = argparse.ArgumentParser(prog="python -m evals bench context", description=__doc__)
    parser.add_argument("--sizes", type=sizes_named, default=list(SIZES), metavar="N,N", help="nodes of each store")
    parser.add_argument("--definitions", type=_positive, default=10_000, metavar="N", help="nodes where those scale")
    parser.add_argument("--candidates", type=_positive, default=10, metavar="N", help="rules at once (%(default)s)")
    parser.add_argument("--cases", type=_positive, default=40, metavar="N", help="sets of candidates (%(default)s)")
    parser.add_argument("--rounds", type=_positive, default=7, metavar="N", help="passes over them (%(default)s)")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="which law and candidates (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the stores of --sizes; use those of earlier runs")
    parser.add_argument("--database-url", metavar="URL", help="the server to make the stores on; else as in any run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a plot as SVG")
    options = parser.parse_args(arguments)
    settings = load_settings(database_url=options.database_url)
    rows: list[Row] = []
    with Database(settings) as server:
        for size in options.sizes:
            rows += run_size(server, settings, size, options)
        rows += run_definitions(server, settings, options.definitions, options)
    rows += _across_sizes(rows)
    print(table(rows))
    if options.json:
        options.json.write_text(json_rows(rows) + "\n", encoding="utf-8")
    if options.plot:
        write_plot(options.plot, rows)
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr)
