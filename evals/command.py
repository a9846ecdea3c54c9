"""`python -m evals`: run the offline suites, print rows beside the accepted baseline, fail on a hard regression."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context, resource_tracker
from pathlib import Path
from typing import Self, TextIO

from evals import bench
from evals.baseline import BASELINE, accept, compare, load_baseline, missing
from evals.report import write_report
from evals.rows import Row, json_rows, table
from evals.suites.catalogue import DEFAULT_SEED, SHARED, SUITES, Outcome, Request, measured, together
from evals.suites.recorded import suite as recorded
from evals.suites.retrieval import lay
from retrieval.errors import ConfigurationError, StoreError

OK, FAILED, USAGE = 0, 1, 2


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("a whole number from 1 on is needed")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    suites = "\n".join(f"  {suite.name:<12}{suite.seconds:>4} s  {suite.about}" for suite in SUITES.values())
    benches = "\n".join(f"  {name:<14}{about}" for name, (about, _) in bench.BENCHES.items())
    parser = argparse.ArgumentParser(
        prog="python -m evals",
        description=(
            "Offline evaluation: no key, no network. The sample is measured, and the law of ../shared/data where it\n"
            "is there. Stores are made for the run; retrieval keeps its own on the server of the settings."
        ),
        epilog=(
            "example: python -m evals scope references --misses\n\n"
            f"suites, with about the seconds that each takes alone on the law of ../shared/data:\n{suites}\n\n"
            f"benchmarks (python -m evals bench NAME --help):\n{benches}\n\n"
            "further commands:\n"
            "  lay --questions FILE   asks everyday questions of the store of the settings (lay --help)\n"
            "  recorded --rehash      gives recorded answers today's hashes, and lists what to read again\n\n"
            "Rows go to stdout, progress and notes to stderr. docs/evals.md describes every suite and metric.\n"
            "exit: 0 all gates met, 1 a hard regression or nothing measured, 2 bad usage"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="what to run; all where none is named")
    parser.add_argument(
        "--data", type=Path, action="append", default=[], metavar="PATH",
        help="a file or folder of law in any known format, in place of the suite's own; may be given several times",
    )  # fmt: skip
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a report with plots to this file too")
    parser.add_argument("--json", action="store_true", help="rows as a JSON array on stdout")
    parser.add_argument(
        "--seed", type=int, default=DEFAULT_SEED, metavar="N", help="which cases are drawn (%(default)s)"
    )
    parser.add_argument("--limit", type=_positive, metavar="N", help="most cases of one kind per source")
    parser.add_argument(
        "--full", "--all", action="store_true",
        help="300,000 served claims for E1 to E4, every question that retrieval can draw: takes minutes",
    )  # fmt: skip
    parser.add_argument(
        "--runs", type=Path, metavar="FOLDER",
        help="retrieval: write each set's judgements (qrels) and rankings (runs) as TREC files into a folder here",
    )  # fmt: skip
    parser.add_argument(
        "--questions", type=Path, metavar="FILE",
        help="drafts, citecheck: write what is to be judged, shuffled and blind, to this file; for whom, to FILE.md",
    )  # fmt: skip
    parser.add_argument(
        "--judgements", type=Path, action="append", default=[], metavar="FILE",
        help="drafts, citecheck: judgements of such questions, besides those of the set; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--reading-requests", type=Path, metavar="FILE",
        help="laws: write what a model is asked that reads these laws, one call a line, and measure nothing",
    )  # fmt: skip
    parser.add_argument(
        "--readings", type=Path, metavar="FILE",
        help="laws: replies to these requests (`prompt_sha256`, `reply`), applied before contexts are measured",
    )  # fmt: skip
    parser.add_argument("--misses", "--failures", action="store_true", help="every case that went wrong, on stderr")
    parser.add_argument("--accept", action="store_true", help="make the values of this run the accepted baseline")
    parser.add_argument("--baseline", type=Path, default=BASELINE, metavar="FILE", help=argparse.SUPPRESS)
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr)


class Progress:
    """Tells how far a run of suites is: a line for each that has ended, and which have not.

    On a terminal this is one line, written anew every second; elsewhere it is a line every minute.
    """

    def __init__(self, names: Sequence[str], stream: TextIO | None = None, every: float | None = None) -> None:
        """Of these suites.

        Args:
            stream: where to; stderr by default.
            every: seconds between two signs of life.
        """
        self._stream = stream or sys.stderr
        self._left = list(names)
        self._count = len(names)
        self._began = time.monotonic()
        self._drawn = self._stream.isatty()
        self._every = every or (1.0 if self._drawn else 60.0)
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        self._clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._clock.join()

    def ended(self, name: str, outcome: Outcome, seconds: float) -> None:
        """Tell what a suite measured and how long it took."""
        with self._writing:
            self._left.remove(name)
            cases = sum(row.n for row in outcome.rows)
            self._line(
                f"{name}: {len(outcome.rows)} rows over {cases} checks in {seconds:.1f} s "
                f"({self._count - len(self._left)} of {self._count} suites)"
            )

    def _tick(self) -> None:
        while not self._over.wait(self._every):
            with self._writing:
                self._waiting()
        if self._drawn:
            self._stream.write(_CLEARED)

    def _waiting(self) -> None:
        done = self._count - len(self._left)
        named = f"{', '.join(self._left[:_NAMED])}{' ...' * (len(self._left) > _NAMED)}"
        told = f"{done} of {self._count} suites after {time.monotonic() - self._began:.0f} s; waiting for {named}"
        if self._drawn:
            self._stream.write(f"{_CLEARED}{told}")
            self._stream.flush()
        else:
            self._line(told)

    def _line(self, text: str) -> None:
        self._stream.write(f"{_CLEARED if self._drawn else ''}{text}\n")
        self._stream.flush()


_CLEARED = "\r\x1b[K"
_NAMED = 3  # suites that are named as not ended yet


def _results(names: Sequence[str], request: Request) -> Iterator[dict[str, tuple[Outcome, float]]]:
    """What the suites of each process gave, as the processes end. One more runs at once than there are processors, each
    in a process of its own, for a suite also waits: that of the canaries, most of its time. The longest begin first, so
    that none is left alone at the end.

    Each draws its cases from the seed and has its own store, but for those that go on with that of another.
    """
    jobs = together(names)
    workers = min(len(jobs), (os.cpu_count() or 1) + 1)
    if workers == 1:
        [job] = jobs
        yield measured(job, request)
        return
    longest_first = sorted(jobs, key=lambda job: -sum(SUITES[name].seconds for name in job))
    # An interrupt reaches all processes of a terminal. It waits for those that are being started: what they inherit
    # keeps it back until they can end at once, and without a stack trace.
    resource_tracker.ensure_running()  # when it starts it lets them through
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _let_interrupts_end, max_tasks_per_child=1)
    with pool:
        running = [pool.submit(measured, job, request) for job in longest_first]
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            for future in as_completed(running):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _let_interrupts_end() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _run(names: Sequence[str], request: Request) -> dict[str, Outcome]:
    """What the suites gave, in the order in which they were named."""
    out: dict[str, Outcome] = {}
    with Progress(names) as progress:
        for results in _results(names, request):
            for name, (outcome, seconds) in results.items():
                out[name] = outcome
                progress.ended(name, outcome, seconds)
    return {name: out[name] for name in names}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: without the program's name; the process's own where None.

    Returns:
        0 where every hard gate is met; 1 on a hard regression, where no suite ran, or where a metric with an accepted
        value had no case; 2 on bad usage.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["bench"]:  # needs a database and time, so it is no suite and never part of a plain run
        return bench.main(words[1:])
    if words[:1] == ["lay"]:  # asks the store of the settings, so it is never part of a plain run
        return lay.main(words[1:])
    if words == ["recorded", "--rehash"]:  # writes, so it is no run
        return _rehash()
    parser = _parser()
    given = parser.parse_args(words)
    unknown = [name for name in given.suites if name not in SUITES]
    if unknown:
        parser.error(f"there is no suite {unknown[0][:40]!r}; the suites are {', '.join(SUITES)}")
    # Other cases differ from the accepted ones by chance too: only the gates can judge them.
    comparable = given.seed == DEFAULT_SEED and given.limit is None and not given.full
    if given.accept and not comparable:
        parser.error("--accept needs the default seed, limit and size, for later runs are compared case by case")
    names = list(dict.fromkeys(given.suites)) or list(SUITES)
    request = Request(
        tuple(given.data), given.seed, given.limit, given.full, given.runs, given.questions, tuple(given.judgements),
        given.readings, given.reading_requests,
    )  # fmt: skip
    try:
        accepted = load_baseline(given.baseline) if comparable else {}
        outcomes = _run(names, request)
    except ConfigurationError as error:
        parser.error(error.message)
    rows = compare([row for outcome in outcomes.values() for row in outcome.rows], accepted)
    print(json_rows(rows) if given.json else table(rows))
    if not comparable:
        _say("note: another seed or limit draws other cases than the accepted ones: judged by the gates alone")
    _report(outcomes, rows, misses=given.misses)
    if given.accept and rows:
        accept(rows, given.baseline)
        _say(f"accepted {len(rows)} values into {given.baseline.name}")
        accepted = load_baseline(given.baseline)
        rows = compare(rows, accepted)
    if given.html is not None:
        notes = [note for outcome in outcomes.values() for note in outcome.notes]
        about = f"Suites {', '.join(names)}; seed {given.seed}; {'full' if given.full else 'usual'} size"
        try:
            write_report(rows, notes, about, given.html)
        except OSError as error:
            parser.error(f"the report cannot be written to {given.html}: {error.strerror}")
        _say(f"report: {given.html}")
    gone = missing(rows, accepted)
    for suite, source, metric in gone:
        _say(f"missing: {suite} {source} {metric} has an accepted value and was not measured")
    ran = any(not outcome.not_run for outcome in outcomes.values())
    return FAILED if not ran or gone or any(row.regression for row in rows) else OK


def _rehash() -> int:
    """Give the recorded answers today's hashes, and list those that are to be read again."""
    try:
        told = recorded.rehash(SHARED)
    except (ConfigurationError, StoreError) as error:
        _say(error.message)
        return USAGE
    for line in told:
        _say(line)
    _say(f"{recorded.ANSWERS.name}: hashes written; {len(told)} answers or quotes to be read again")
    return OK


def _report(outcomes: dict[str, Outcome], rows: Sequence[Row], *, misses: bool) -> None:
    """What is not in the rows: notes, suites not run, misses where asked for, and the verdict."""
    for name, outcome in outcomes.items():
        for note in outcome.notes:
            _say(f"note: {note}")
        if outcome.not_run:
            _say(f"{name}: not run: {outcome.not_run}")
        if misses:
            for miss in outcome.misses:
                _say(miss)
    for row in rows:
        if row.regression:
            _say(f"FAIL {row.suite} {row.source} {row.metric} {row.value:.4f} (n {row.n}): {row.regression}")
