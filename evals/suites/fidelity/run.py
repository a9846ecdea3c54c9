"""The fidelity suite over several corpora at once: shared by processes, summed up, and compared with law held back."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from evals.law import Law
from evals.rows import Gate, Row, share_row
from evals.suites.fidelity.suite import DEFAULT_LIMIT, EXACT, SUITE, Report, Tally, fuzz, measure

# Law that the mutators, the word tables and the verifier were written on, and law that they were not.
SOURCES = ("dc-code-xml", "ecfr-xml", "fr-legi-json/LEGITEXT000031366350.json", "de-gesetze-md/bgb.md")
HELD_OUT = ("uscode-uslm/usc35.xml", "cfpb-regml", "de-gesetze-md/gg.md")
ALL = "all sources"
DRAFTS, DRAFTS_FULL = 45_000, 470_000  # hostile drafts by chance; seven of ten come to a served claim
DRAFTS_PER_CASE = 50  # where a limit is given
DRAFTS_PER_SECTION = 100  # at most, so that a small corpus is not asked the same again and again
CHUNK = 2_500
MOST_JOBS = 4
ENOUGH = 60  # cases of one kind on either side before two shares are compared
GAP = Gate("<=", 0.02)


@dataclass(frozen=True, slots=True)
class _Task:
    law: int
    chunk: int | None  # None measures the mutants; a number, that part of the drafts by chance


_laws: tuple[Law, ...] = ()


def _hold(laws: tuple[Law, ...]) -> None:
    """Give a worker process the corpora once, not with every task."""
    global _laws
    _laws = laws


def _work(task: _Task, seed: int, limit: int, laws: tuple[Law, ...] | None = None) -> Report | Tally:
    law = (laws or _laws)[task.law]
    if task.chunk is None:
        return measure(law, seed=seed, limit=limit)
    return fuzz(law, seed=seed, chunk=task.chunk, count=CHUNK)


def _results(laws: tuple[Law, ...], tasks: Sequence[_Task], seed: int, limit: int) -> Iterator[Report | Tally]:
    """The tasks' results in order; the same whatever the number of processes."""
    jobs = min(os.cpu_count() or 1, MOST_JOBS, len(tasks))
    if jobs < 2:
        yield from (_work(task, seed, limit, laws) for task in tasks)
        return
    with ProcessPoolExecutor(jobs, initializer=_hold, initargs=(laws,)) as pool:
        yield from pool.map(_work, tasks, [seed] * len(tasks), [limit] * len(tasks))


def measure_laws(
    laws: Sequence[Law], held_out: Sequence[Law] = (), *, seed: int, limit: int | None = None, full: bool = False
) -> Report:
    """Measure the verifier on corpora, in as many processes as there are processors, four at most.

    Args:
        laws: what it was written on.
        held_out: what it was not; measured alike, and compared.
        seed: decides which cases are drawn.
        limit: most cases of one kind and corpus.
        full: over 300,000 served claims by chance for E1 to E4, in minutes instead of seconds.

    Returns:
        The rows of each corpus; E1 to E4 over all of them; how far each corpus held out lies from the others.
    """
    every = (*laws, *held_out)
    drafts = limit * DRAFTS_PER_CASE if limit else DRAFTS_FULL if full else DRAFTS
    tasks = [_Task(place, None) for place in range(len(every))]
    for place, law in enumerate(every):
        most = len(law.sections) * DRAFTS_PER_SECTION * (DRAFTS_FULL // DRAFTS if full else 1)
        tasks += [_Task(place, chunk) for chunk in range(-(-min(most, drafts // len(every)) // CHUNK))]
    out, chance = Report(), Tally()
    reports: list[Report] = []
    for result in _results(every, tasks, seed, limit or DEFAULT_LIMIT):
        if isinstance(result, Tally):
            chance.add(result)
        else:
            reports.append(result)
            out.rows += result.rows
            out.misses += result.misses
            out.notes += result.notes
    for row in out.rows:
        if row.metric in {"E1", "E2", "E3", "E4"}:
            chance.add(Tally(Counter({row.metric: row.n}), Counter({row.metric: round(row.value * row.n)})))
    out.rows += [
        share_row(SUITE, ALL, metric, chance.hits[metric], chance.cases[metric], EXACT)
        for metric in sorted(chance.cases)
    ]
    known = [row for report in reports[: len(laws)] for row in report.rows]
    for law, report in zip(held_out, reports[len(laws) :], strict=True):
        out.rows += gap_rows(law.source, report.rows, known)
    return out


def gap_rows(source: str, held_out: Iterable[Row], known: Sequence[Row]) -> list[Row]:
    """How far the shares of law held back lie from those of the other law: the largest distance of any kind.

    Only kinds with enough cases on both sides count, from E10 on; E1 to E9 have to be 1 on any law anyway.
    """
    gaps: list[tuple[float, int]] = []
    for row in held_out:
        if not row.metric.startswith(("E10", "E11", "E12")) or row.n < ENOUGH:
            continue
        alike = [line for line in known if line.metric == row.metric]
        cases = sum(row.n for row in alike)
        if cases >= ENOUGH:
            gaps.append((abs(row.value - sum(row.value * row.n for row in alike) / cases), min(row.n, cases)))
    if not gaps:
        return []
    value = max(gap for gap, _ in gaps)
    return [Row(SUITE, source, "held_out_gap", value, min(n for _, n in gaps), None, None, GAP)]
