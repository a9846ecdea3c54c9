"""The verb demo: the sample that ships with the program, two questions, one dump; no key and no network needed."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from rag.answering.answer import Answer
from rag.cli.session import check_dump_file, program, progress, session
from rag.engine import Engine
from rag.ingest.pipeline import IngestReport, Progress
from rag.ingest.writing.embed import embed_missing, estimate
from rag.presentation.answers import show_answer
from rag.presentation.page import Page
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
from retrieval.errors import InputError
from retrieval.model import Record

verbs = typer.Typer(rich_markup_mode=None)

SAMPLE = Path(__file__).resolve().parents[1] / "sample"
JURISDICTION = "us-ma"
SCENARIO = "Must my landlord pay interest on my security deposit?"
HALTED_SCENARIO = "Can my landlord make me pay a key fee for a lost key?"


@verbs.command()
def demo(
    ctx: typer.Context,
    output: Annotated[
        Path, typer.Option(help="Where the trace is written: .html, .md or .json.", metavar="FILE")
    ] = Path("lexscope-demo.html"),
) -> int:
    """Try everything on a sample of law: no key, no network, no set-up.

    The sample is made-up law in a store of its own (`demo` in the data folder). One question is answered, one halts at
    a rule that a court voided, and the trace of the first answer is written.
    """
    check_dump_file(output)
    given = session(ctx)
    if given.database_url is not None:
        raise InputError("The demo has a store of its own, for its sample claims URNs of real law; leave the URL out.")
    settings = given.settings()
    folder = settings.data_dir / "demo"
    # Whatever DATABASE_URL says: the sample never goes where real law may be.
    own = settings.model_copy(update={"data_dir": folder, "database_url": None})
    with Engine.open(own) as engine, progress() as report:
        result = run_demo(engine, output, report)
    return given.show(result, lambda page: show_demo(page, result, folder, stays=settings.server_idle_seconds))


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
    if engine.embedder is not None:
        embed_missing(engine.database, engine.embedder, before=estimate(engine.database, engine.embedder))
    answer, trace = engine.traced_ask(SCENARIO, jurisdiction=JURISDICTION)
    write_dump(trace, dump)
    answers = [DemoAnswer(question=SCENARIO, answer=answer)]
    answers.append(DemoAnswer(question=HALTED_SCENARIO, answer=engine.ask(HALTED_SCENARIO, jurisdiction=JURISDICTION)))
    return DemoReport(store=engine.database.describe(), ingest=ingested, answers=answers, dump=dump.as_posix())


def load_reference_data(engine: Engine) -> None:
    """Record the sample's overrides and preemption where they are not there yet, and all synonyms."""
    known = {
        (override.urn_pattern, override.status, override.court_citation) for override in list_overrides(engine.database)
    }
    for row in read_rows(SAMPLE / "overrides.csv", NewOverride):
        if (row.urn_pattern, row.status, row.court_citation) not in known:
            add_override(engine.database, row)
    overlaps = {
        (overlap.federal_pattern, overlap.state_pattern, overlap.kind) for overlap in list_preemption(engine.database)
    }
    for row in read_rows(SAMPLE / "preemption.csv", NewPreemption):
        if (row.federal_pattern, row.state_pattern, row.kind) not in overlaps:
            add_preemption(engine.database, row)
    load_starter(engine.database, ["en"])
    import_synonyms(engine.database, SAMPLE / "synonyms.csv")


def show_demo(page: Page, result: DemoReport, folder: Path, *, stays: float) -> None:
    """The demonstration's questions and answers, and how to go on in its data folder."""
    page.program = f"{program()} --data-dir {shlex.quote(str(folder))}"
    page.line("SAMPLE TEXT, NOT OFFICIAL LAW: the rules, courts and figures below are made up.", style="bold yellow")
    for asked in result.answers:
        page.gap()
        page.line(f"Question: {asked.question}", style="bold", hang=10)
        show_answer(page, asked.answer)
    page.gap()
    page.line(f"The whole trace of the first answer, for a reviewer: {result.dump}")
    page.line("Go on with the same sample:")
    page.command('ask "When may my landlord ask for a charge for late payment?" -j us-ma')
    page.command("context urn:lex:ma:940cmr:3.17:4")
    if stays:
        page.line(f"The demo's embedded server stops after {stays:.0f} s without use, or at once with")
        page.command("server stop")
