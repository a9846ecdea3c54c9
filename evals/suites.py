"""The suites there are, and what each needs. Only what exists is listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import rag
from evals import fidelity
from evals.law import Law, read_law
from evals.rows import Row

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


@dataclass(slots=True)
class Outcome:
    """What a suite gave. `not_run` is its reason where it measured nothing."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[str] = field(default_factory=list[str])
    not_run: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite: its name, a line for `--help`, and the function that runs it."""

    name: str
    about: str
    run: Callable[[Request], Outcome]


def _laws(request: Request, shared: Sequence[str]) -> tuple[list[Law], list[str]]:
    """The corpora to measure on, each once, and notes."""
    notes: list[str] = []
    laws: list[Law] = []
    places = [(path, "") for path in request.data]
    if not request.data:
        places = [(SAMPLE, "sample"), *((SHARED / name, "") for name in shared if (SHARED / name).is_dir())]
        notes += [
            f"{name} is not measured: ../shared/data/{name} is not there"
            for name in shared
            if not (SHARED / name).is_dir()
        ]
    for path, label in places:
        reading = read_law(path, label=label)
        notes += reading.notes
        if not reading.laws:
            notes.append(f"{path.name}: holds no law that a format reads")
        for law in reading.laws:
            if any(law.source == other.source for other in laws):
                notes.append(f"{path.name}: {law.source} was read already; this copy is left out")
                continue
            laws.append(law)
    return laws, notes


def _fidelity(request: Request) -> Outcome:
    laws, notes = _laws(request, ("dc-code-xml", "ecfr-xml"))
    out = Outcome(notes=notes)
    for law in laws:
        report = fidelity.measure(law, seed=request.seed, limit=request.limit or fidelity.DEFAULT_LIMIT)
        out.rows += report.rows
        out.notes += report.notes
        out.misses += [
            f"{one.source} {one.metric}: {one.outcome}\n  claim: {one.claim}\n  norm:  {one.norm}"
            for one in report.misses
        ]
    if not out.rows:
        out.not_run = "no norm was found in " + (", ".join(path.name for path in request.data) or "the sample")
    return out


SUITES: dict[str, Suite] = {
    one.name: one
    for one in (
        Suite(fidelity.SUITE, "citation fidelity on truth-known mutants of real norms: E1 to E4, E9 to E12", _fidelity),
    )
}
