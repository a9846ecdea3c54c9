"""The suites there are, and what each needs. Only what exists is listed."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import rag
from evals.judgements import read_judgements, write_questions
from evals.law import Law, read_law
from evals.rows import Row
from evals.scratch import empty_engine, engine_with, take
from evals.suites.answers import suite as answers
from evals.suites.canaries import suite as canaries
from evals.suites.citecheck import suite as citecheck
from evals.suites.direct import suite as direct
from evals.suites.drafts import suite as drafts
from evals.suites.fidelity import run as fidelity_run
from evals.suites.fidelity import suite as fidelity
from evals.suites.halts import suite as halts
from evals.suites.ingest import suite as ingest
from evals.suites.laws import suite as laws
from evals.suites.recorded import suite as recorded
from evals.suites.references import suite as references
from evals.suites.retrieval import suite as retrieval
from evals.suites.scope import suite as scope
from evals.suites.scope.model import shown
from evals.suites.treatments import suite as treatments
from rag.engine import Engine
from rag.ingest.formats.registry import discover
from rag.verification.judging import Question
from retrieval.errors import ConfigurationError, IngestError, ProviderError, StoreError

SAMPLE = Path(rag.__file__).parent / "sample"
# Real law that a developer may have beside the checkout; measured where it is, and named as not there where it is not.
SHARED = Path(rag.__file__).parents[2] / "shared" / "data"


DEFAULT_SEED = 7


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    data: tuple[Path, ...] = ()  # folders or files in place of the suite's own
    seed: int = DEFAULT_SEED
    limit: int | None = None  # most cases of one kind; None for the suite's default
    full: bool = False  # as many cases as the guarantees' bounds need, in minutes
    runs: Path | None = None  # where the retrieval suite writes its judgements and rankings
    questions: Path | None = None  # where the suites of drafts and memos write what is to be judged
    judgements: tuple[Path, ...] = ()  # what was judged of it
    readings: Path | None = None  # what a model replied that was asked to read the laws of the laws suite
    reading_requests: Path | None = None  # where that suite writes what it would be asked
    engine: Engine | None = None  # over a store that the suites of one process go on with


@dataclass(slots=True)
class Outcome:
    """What a suite gave. `not_run` is its reason where it measured nothing."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[str] = field(default_factory=list[str])
    not_run: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite.

    Attributes:
        about: a line for `--help`.
        seconds: what it takes alone, roughly: of several the longest begins first.
        goes_on: a suite whose store it goes on with, where both run: it then takes only the law that is missing.
    """

    name: str
    about: str
    run: Callable[[Request], Outcome]
    seconds: int
    goes_on: str = ""


def _read_laws(request: Request, shared: Sequence[str], *, sample: bool = True) -> tuple[list[Law], list[str]]:
    """The corpora to measure on, each once, and notes."""
    notes: list[str] = []
    found: list[Law] = []
    places = [(path, "") for path in request.data]
    if not request.data:
        places = [(SHARED / name, "") for name in shared if (SHARED / name).exists()]
        places = [(SAMPLE, "sample"), *places] if sample else places
        notes += [
            f"{name} is not measured: ../shared/data/{name} is not there"
            for name in shared
            if not (SHARED / name).exists()
        ]
    for path, label in places:
        reading = read_law(path, label=label)
        notes += reading.notes
        if not reading.laws:
            notes.append(f"{path.name}: holds no law that a format reads")
        for law in reading.laws:
            if any(law.source == other.source for other in found):
                notes.append(f"{path.name}: {law.source} was read already; this copy is left out")
                continue
            found.append(law)
    return found, notes


def _fidelity(request: Request) -> Outcome:
    law, notes = _read_laws(request, fidelity_run.SOURCES)
    held_out, more = ([], []) if request.data else _read_laws(request, fidelity_run.HELD_OUT, sample=False)
    report = fidelity_run.measure_laws(law, held_out, seed=request.seed, limit=request.limit, full=request.full)
    out = Outcome(report.rows, [*notes, *more, *report.notes])
    out.misses += [
        f"{miss.source} {miss.metric}: {miss.outcome}\n  claim: {miss.claim}\n  norm:  {miss.norm}"
        for miss in report.misses
    ]
    if not out.rows:
        out.not_run = "no norm was found in " + (", ".join(path.name for path in request.data) or "the sample")
    return out


def _answers(request: Request) -> Outcome:
    places, notes = list(request.data), list[str]()
    if not places:
        places = [SAMPLE, *(SHARED / name for name in answers.SOURCES if (SHARED / name).exists())]
        away = [name for name in answers.SOURCES if not (SHARED / name).exists()]
        notes = [f"{name} is not asked: ../shared/data/{name} is not there" for name in away]
    report = answers.measure(places, "store", seed=request.seed, limit=request.limit, attacks=SHARED / "attacks")
    not_run = "" if report.rows else "no format reads law in " + ", ".join(path.name for path in places)
    return Outcome(report.rows, notes + report.notes, report.lines, not_run)


def _canaries(request: Request) -> Outcome:
    if request.data:
        return Outcome(not_run="canaries are sent through the law of the sample, and --data names other law")
    count = request.limit or (canaries.ALL_FACTS if request.full else canaries.DEFAULT_FACTS)
    report = canaries.measure(SAMPLE, count, seed=request.seed)
    return Outcome(report.rows, report.notes)


def _citecheck(request: Request) -> Outcome:
    sets = [path for path in request.data if (path / citecheck.KEY).is_file()]
    if not sets:
        return Outcome(not_run=f"no folder of memos with a {citecheck.KEY} was given with --data")
    judged, agreement = read_judgements(request.judgements)
    reports = [citecheck.measure(path, judged) for path in sets]
    out = Outcome([row for report in reports for row in report.rows], [agreement] if agreement else [])
    out.notes += _written(request, [question for report in reports for question in report.open])
    out.misses += [line for report in reports for line in report.misses]
    out.not_run = "" if out.rows else "no memo"
    return out


def _written(request: Request, questions: Sequence[Question]) -> list[str]:
    """Write what is to be judged, where that was asked for, and say so."""
    if request.questions is None:
        return []
    return [f"{write_questions(questions, request.questions)} questions to be judged are in {request.questions}"]


@contextmanager
def _engine_with(request: Request, law: Iterable[str]) -> Generator[Engine]:
    """An engine over the law at some places of ../shared/data, and over what the store of the request held before."""
    with nullcontext(request.engine) if request.engine else empty_engine() as engine:
        take(engine, [SHARED / name for name in law])
        yield engine


def _halts(request: Request) -> Outcome:
    away = [name for name in halts.LAW if not (SHARED / name).exists()]
    if away:
        return Outcome(
            not_run=f"the law that the lay questions ask about is not there: ../shared/data/{', '.join(away)}"
        )
    with _engine_with(request, halts.LAW) as engine:
        report = halts.measure(engine, seed=request.seed, limit=request.limit)
    return Outcome(report.rows, misses=report.misses)


def _direct(request: Request) -> Outcome:
    away = [name for name in direct.LAW if not (SHARED / name).exists()]
    if away:
        return Outcome(not_run=f"the law that the questions ask about is not there: ../shared/data/{', '.join(away)}")
    files = [file for place in request.data or (direct.SETS,) for file in (sorted(place.glob("*.jsonl")) or [place])]
    with engine_with([*(SHARED / name for name in direct.LAW), SAMPLE]) as engine:
        report = direct.measure(engine, files, limit=request.limit)
    return Outcome(report.rows, misses=report.misses)


def _treatments(request: Request) -> Outcome:
    reports = [treatments.measure(file) for file in treatments.sets_in(request.data or (treatments.SETS,))]
    out = Outcome(
        [row for report in reports for row in report.rows],
        misses=[line for report in reports for line in report.misses],
    )
    out.not_run = "" if out.rows else "no file of labels was found"
    return out


def _drafts(request: Request) -> Outcome:
    sets = drafts.sets_in(request.data or sorted(drafts.SETS.iterdir()))
    if not sets:
        return Outcome(not_run=f"no folder with a {drafts.DRAFTS} was given with --data")
    law = drafts.law_of(sets)
    missing = [name for name in law if not (SHARED / name).exists()]
    if missing:
        return Outcome(not_run=f"the law of the drafts is not there: ../shared/data/{', '.join(missing)}")
    judged, agreement = read_judgements(request.judgements)
    out = Outcome(notes=[agreement] if agreement else [])
    questions: list[Question] = []
    with _engine_with(request, law) as engine:
        for folder in sets:
            report = drafts.measure(engine, folder, judged)
            out.rows += report.rows
            out.notes += report.notes
            out.misses += report.misses
            questions += report.open.values()
    out.notes += _written(request, questions)
    return out


def _ingest(request: Request) -> Outcome:
    places = [(path, path.resolve().name) for path in request.data]
    notes: list[str] = []
    if not request.data:
        shared = sorted(path for path in SHARED.iterdir() if path.is_dir()) if SHARED.is_dir() else []
        places = [(SAMPLE, "sample"), *((path, path.name) for path in shared if discover(path).sources)]
        notes = [] if shared else ["the folder of real law ../shared/data is not there: only the sample is measured"]
    report = ingest.measure(places)
    not_run = "" if report.rows else "no format claims a file in " + ", ".join(name for _, name in places)
    return Outcome(report.rows, notes + report.notes, report.misses, not_run)


def _references(request: Request) -> Outcome:
    places = [(path, path.resolve().name) for path in request.data]
    notes: list[str] = []
    if not request.data:
        there = [name for name in references.SOURCES if (SHARED / name).is_dir()]
        places = [(SHARED / name, name) for name in there]
        away = [name for name in references.SOURCES if name not in there]
        notes = [f"{name} is not measured: ../shared/data/{name} is not there" for name in away]
    report = references.measure(places)
    not_run = "" if report.rows else "no citation suite and no law with marked references was given or found"
    return Outcome(report.rows, notes + report.notes, report.misses, not_run)


def _scope(request: Request) -> Outcome:
    places = [(path, path.resolve().name) for path in request.data]
    notes: list[str] = []
    if not request.data:
        places = [(SHARED / name, name) for name in scope.SOURCES if (SHARED / name).is_dir()]
        away = [name for name in scope.SOURCES if not (SHARED / name).is_dir()]
        notes = [f"{name} is not measured: ../shared/data/{name} is not there" for name in away]
    report = scope.measure(places)
    not_run = "" if report.rows else "no ground truth for definitions or exceptions was found"
    return Outcome(report.rows, notes + report.notes, shown(report.misses), not_run)


def _laws(request: Request) -> Outcome:
    out = Outcome()
    for folder in request.data or (laws.DATA,):
        report = laws.measure(folder, readings=request.readings, requests=request.reading_requests)
        out.rows += report.rows
        out.misses += report.misses
    if not out.rows and request.reading_requests is not None:
        out.not_run = "what a model would be asked was written, and nothing measured"
    elif not out.rows:
        out.not_run = "no small law (*.json) was found in " + ", ".join(path.name for path in request.data)
    return out


def _retrieval(request: Request) -> Outcome:
    report = retrieval.measure(
        request.data, SHARED, SAMPLE, seed=request.seed, limit=request.limit, everything=request.full, runs=request.runs
    )
    not_run = "" if report.rows else "there is no question, and none could be drawn from the law given"
    return Outcome(report.rows, report.notes, report.misses, not_run)


def _recorded(request: Request) -> Outcome:
    if request.data:
        return Outcome(not_run="the recorded answers are about the law of ../shared/data, and --data names other law")
    if not SHARED.is_dir():
        return Outcome(not_run="the law of the recorded answers, ../shared/data, is not there")
    report = recorded.measure(SHARED)
    not_run = "" if report.rows else "none of the law of the recorded answers is in ../shared/data"
    return Outcome(report.rows, report.notes, report.misses, not_run)


SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite(
            fidelity.SUITE,
            "citation fidelity on truth-known mutants and hostile drafts: E1 to E4, E9 to E12",
            _fidelity,
            100,
        ),
        Suite(
            answers.SUITE,
            "whole answers from a store of their own, hostile models included: E5 to E8, E14 to E17, E22",
            _answers,
            30,
        ),
        Suite(
            canaries.SUITE,
            "facts of people sent through every tool, verb, wire and fault, then searched for everywhere: E21",
            _canaries,
            430,
        ),
        Suite(
            citecheck.SUITE,
            "`verify` on memos given with --data: sound ones that fail, planted errors found, by operator",
            _citecheck,
            0,
        ),
        Suite(
            drafts.SUITE,
            "drafts by others, honest and altered, with recorded judgements: own words, applications, altered served",
            _drafts,
            110,
            goes_on=halts.SUITE,
        ),
        Suite(
            recorded.SUITE,
            "recorded model answers over real law against their grades: E13, E18, kappa; fails on a stale recording",
            _recorded,
            60,
        ),
        Suite(
            ingest.SUITE,
            "words and structure of every parse against its source; one law in two formats",
            _ingest,
            50,
        ),
        Suite(
            scope.SUITE,
            "definitions, scopes, uses, exceptions and editions against published ground truth",
            _scope,
            90,
        ),
        Suite(
            laws.SUITE, "scoped contexts of small laws by others: what has to be there, and what must not", _laws, 25
        ),
        Suite(
            references.SUITE,
            "what people and publishers cite, read by the grammars: precision, recall, wrong answers given as certain",
            _references,
            60,
        ),
        Suite(
            halts.SUITE,
            "lay questions over stores with void rules: halts that nobody asked for, and void rules that did not halt",
            _halts,
            75,
        ),
        Suite(
            direct.SUITE,
            "short direct questions without a model: what is answered wrongly, and rightly",
            _direct,
            300,
        ),
        Suite(
            treatments.SUITE,
            "what sentences of decisions do to the references in them, against labels by others: precision, recall",
            _treatments,
            10,
        ),
        Suite(
            retrieval.SUITE,
            "nDCG@10, R@10, MAP@10, RR@10 of each leg on published, colloquial and drawn questions, or of a run file",
            _retrieval,
            200,
        ),
    )
}


def together(names: Sequence[str]) -> list[list[str]]:
    """Suites by process, each after the one whose store it goes on with."""
    jobs = {name: [name] for name in names if SUITES[name].goes_on not in names}
    for name in names:
        if name not in jobs:
            jobs[SUITES[name].goes_on].append(name)
    return list(jobs.values())


def measured(names: Sequence[str], request: Request) -> dict[str, tuple[Outcome, float]]:
    """What suites gave that run one after another on one store, and the seconds that each took. A process of a pool
    finds it here, and not in `__main__`.

    Raises:
        ConfigurationError: one cannot run, whatever the cause; this error can leave a process of the pool.
    """
    out: dict[str, tuple[Outcome, float]] = {}
    try:
        with empty_engine() if len(names) > 1 else nullcontext() as engine:
            for name in names:
                started = time.monotonic()
                out[name] = SUITES[name].run(replace(request, engine=engine)), time.monotonic() - started
    except (IngestError, ProviderError, StoreError) as error:
        raise ConfigurationError(error.message) from None
    return out
