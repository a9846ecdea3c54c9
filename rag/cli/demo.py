"""The demonstration: the sample that ships with the program, two questions, one dump; no key and no network needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rag.answering.answer import Answer
from rag.engine import Engine
from rag.ingest.pipeline import IngestReport, Progress
from rag.store.reference_data import (
    NewOverride,
    NewPreemption,
    add_override,
    add_preemption,
    import_synonyms,
    list_overrides,
    list_preemption,
    read_rows,
)
from rag.store.starter import load_starter
from rag.telemetry.review.dump import write_dump
from retrieval.model import Record

SAMPLE = Path(__file__).resolve().parents[1] / "sample"
JURISDICTION = "us-ma"
SCENARIO = "My landlord kept my security deposit for two years and did not pay interest on it. What does the law say?"
HALTED_SCENARIO = "Can my landlord make me pay a key fee for a lost key?"


class DemoAnswer(Record):
    """A question of the demonstration and its answer."""

    question: str
    answer: Answer


class DemoReport(Record):
    """What the demonstration did. `dump` is the reviewer's file of the first answer."""

    store: str
    ingest: IngestReport
    answers: list[DemoAnswer]
    dump: str


def run_demo(engine: Engine, dump: Path, report: Callable[[Progress], None] | None = None) -> DemoReport:
    """Ingest the sample, ask, and write the dump. Run again on the same store, it finds what it needs there.

    Args:
        engine: over a store of its own: the sample claims URNs that real corpora have.
        dump: the HTML file to write.
        report: called after each document.

    Returns:
        The report; the second answer is a halt.

    Raises:
        LexscopeError: the store failed, or the dump cannot be written (retrieval.errors).
    """
    ingested = engine.ingest([SAMPLE], report=report)
    load_reference_data(engine)
    answer, trace = engine.traced_ask(SCENARIO, jurisdiction=JURISDICTION)
    write_dump(trace, dump)
    answers = [DemoAnswer(question=SCENARIO, answer=answer)]
    answers.append(DemoAnswer(question=HALTED_SCENARIO, answer=engine.ask(HALTED_SCENARIO, jurisdiction=JURISDICTION)))
    return DemoReport(store=engine.database.describe(), ingest=ingested, answers=answers, dump=dump.as_posix())


def load_reference_data(engine: Engine) -> None:
    """Record the sample's overrides and preemption where they are not there yet, and all synonyms."""
    known = {(one.urn_pattern, one.status, one.court_citation) for one in list_overrides(engine.database)}
    for row in read_rows(SAMPLE / "overrides.csv", NewOverride):
        if (row.urn_pattern, row.status, row.court_citation) not in known:
            add_override(engine.database, row)
    overlaps = {(one.federal_pattern, one.state_pattern, one.kind) for one in list_preemption(engine.database)}
    for row in read_rows(SAMPLE / "preemption.csv", NewPreemption):
        if (row.federal_pattern, row.state_pattern, row.kind) not in overlaps:
            add_preemption(engine.database, row)
    load_starter(engine.database, ["en"])
    import_synonyms(engine.database, SAMPLE / "synonyms.csv")
