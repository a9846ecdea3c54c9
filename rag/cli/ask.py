"""Verbs that ask: context, diff, ask, traces, dump."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from rag.cli.session import (
    NOTHING_FOUND,
    AtDate,
    Jurisdiction,
    Language,
    check_dump_file,
    fail,
    one_of,
    question_text,
    session,
    tell,
)
from retrieval.errors import InputError

if TYPE_CHECKING:
    from rag.presentation.page import Page
    from rag.store.database import Database

verbs = typer.Typer(rich_markup_mode=None)

Question = Annotated[str, typer.Argument(help="Words, in quotes; `-` reads them from stdin.", metavar="QUESTION")]
Rules = Annotated[
    int | None,
    typer.Option(
        help="Rules to assemble the context for. [LEXSCOPE_RULES, 3; for a model LEXSCOPE_MODEL_RULES, 5]",
        metavar="N", min=1, max=10,
    ),
]  # fmt: skip
Terms = Annotated[
    list[str] | None,
    typer.Option(
        "--term", metavar="WORDS",
        help="What a statute would call the matter, such as \"security deposit\"; searched beside the question; may be "
        "repeated.",
    ),
]  # fmt: skip

# What a terminal shows while a model drafts: how much has come, and nothing of what it says.
_FRAMES = "|/-\\"
_STEP = 40  # characters between two signs of life


@contextmanager
def drafting_shown(stream: TextIO | None = None) -> Generator[None]:
    """Show a count while a model drafts, where the stream is a terminal; without one nothing is streamed.

    Args:
        stream: where to; stderr by default.
    """
    stream = stream or sys.stderr
    if stream is None or not stream.isatty():  # pyright: ignore[reportUnnecessaryComparison] - None after `2>&-`
        yield
        return
    from rag.models.stream import counting

    shown = -1

    def show(characters: int) -> None:
        nonlocal shown
        if characters // _STEP == shown:
            return
        shown = characters // _STEP
        stream.write(f"\r{_FRAMES[shown % len(_FRAMES)]} drafting, {characters:,} characters, not yet verified ")
        stream.flush()

    try:
        with counting(show):
            yield
    finally:
        if shown >= 0:
            stream.write("\r\x1b[K")
            stream.flush()


@verbs.command()
def context(
    ctx: typer.Context,
    reference: Annotated[
        str, typer.Argument(help="URN, citation path, reference or question; `-` is stdin.", metavar="REFERENCE")
    ],
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    at_date: AtDate = None,
    rules: Rules = None,
    terms: Terms = None,
) -> int:
    """Show the scoped context of a rule: ancestors, definitions, exceptions, overrides.

    It is all that an answer may rest on. A question is given the context of the rules that it finds.
    """
    from rag.presentation.answers import show_context

    text = question_text(reference)
    result = session(ctx).asked(
        lambda engine: engine.context(
            text, jurisdiction=jurisdiction, language=language, at_date=at_date, rules=rules, terms=terms
        )
    )
    session(ctx).show(result, lambda page: show_context(page, result))
    return 0 if result.status == "ok" else NOTHING_FOUND


@verbs.command()
def diff(
    ctx: typer.Context,
    reference: Annotated[
        str, typer.Argument(help="A URN, or a provision as it is cited; `-` is stdin.", metavar="REFERENCE")
    ],
    from_date: Annotated[str, typer.Option("--from", help="The earlier date.", metavar="YYYY-MM-DD")],
    to_date: Annotated[str, typer.Option("--to", help="The later date.", metavar="YYYY-MM-DD")],
) -> int:
    """Compare the scoped context of a rule at two dates."""
    from rag.presentation.diff import show_diff

    text = question_text(reference)
    result = session(ctx).asked(lambda engine: engine.diff(text, from_date, to_date))
    session(ctx).show(result, lambda page: show_diff(page, result))
    return 0 if result.status == "compared" else NOTHING_FOUND


@verbs.command()
def ask(
    ctx: typer.Context,
    question: Question,
    jurisdiction: Annotated[
        list[str] | None,
        typer.Option(
            help="Whose law: a code or a name, us-ma or Massachusetts. fr covers its subdivisions, eu|fr is both. May "
            "be repeated: then each is asked for itself. [all]",
            metavar="CODE",
        ),
    ] = None,
    language: Language = None,
    at_date: AtDate = None,
    rules: Rules = None,
    terms: Terms = None,
    follow: Annotated[
        str | None,
        typer.Option(
            help="Ask on about the rules of an earlier answer, at its date: `last`, with all jurisdictions that it was "
            "asked of, or its trace, of which the first digits are enough.",
            metavar="TRACE",
        ),
    ] = None,
    dump: Annotated[
        Path | None, typer.Option(help="Write the whole trace to this .html, .md or .json file.", metavar="FILE")
    ] = None,
) -> int:
    """Answer a scenario with verified claims, or say why not.

    Without a model it quotes whole sentences of the law, or lists places to look where none is sure. With one
    (OPENAI_API_KEY, or LEXSCOPE_PROVIDER and LEXSCOPE_OPENAI_MODEL) it is sent the question and the law, and each
    claim of its draft is checked.
    """
    from rag.presentation.answers import show_answer
    from rag.telemetry.review.dump import write_dump

    if dump is not None:
        check_dump_file(dump)
    text = question_text(question)
    with drafting_shown():
        answer, traces = session(ctx).asked(
            lambda engine: engine.traced_asks(
                text,
                jurisdiction=jurisdiction,
                language=language,
                at_date=at_date,
                rules=rules,
                follow_up=_followed(engine.database, follow),
                terms=terms,
            )
        )
    # A reader such as `head` may close the pipe while the answer is printed; the dump is there by then.
    for place, trace in traces.items():
        if dump is None:
            break
        file = dump.with_stem("-".join([dump.stem, *re.findall(r"[\w-]+", place)]))
        write_dump(trace, file)
        tell(f"The trace, scenario included, is in {file}.")
    return session(ctx).show(answer, lambda page: show_answer(page, answer), answer.exit_code)


def _followed(database: Database, given: str | None) -> str | None:
    """What the engine is given for the answer that is asked on: the whole id of its trace, or a token as it is."""
    from rag.telemetry.store import stored_trace, whole_trace_id

    if given is None:
        return None
    if given != "last":
        return whole_trace_id(database, given)
    trace = stored_trace(database, given)
    return trace.follow_up or trace.id  # of jurisdictions side by side all of them


@verbs.command()
def traces(
    ctx: typer.Context,
    status: Annotated[
        str | None,
        typer.Option(
            help="Only these: answered, places, refused, halted, failed; of `context` ok, not_found ... [all]",
            metavar="STATUS",
        ),
    ] = None,
    since: Annotated[str | None, typer.Option(help="Traces of this day and later.", metavar="YYYY-MM-DD")] = None,
    limit: Annotated[int, typer.Option(help="Traces at most.", metavar="N", min=1, max=1000)] = 20,
) -> int:
    """List the stored traces, the newest first.

    `ask` and `context` keep one each, for LEXSCOPE_TRACE_DAYS days [90], unless LEXSCOPE_TRACES is off.
    """
    from rag.requests import checked_date
    from rag.telemetry.review.words import STATUS_WORDS
    from rag.telemetry.store import StoredTraces, stored_traces

    if status is not None:
        one_of("--status", status, list(STATUS_WORDS))
    with session(ctx).database() as database:
        found = stored_traces(
            database, status=status, since=checked_date(since) if since else None, limit=limit + 1
        )  # fmt: skip
    result = StoredTraces(traces=found[:limit], more=len(found) > limit)

    def lines(page: Page) -> None:
        for trace in result.traces:
            page.line(f"{trace.id}  {trace.created_at:%Y-%m-%d %H:%M}  {trace.request}  {trace.status}")
            page.line(" ".join((*trace.jurisdictions, *trace.targets)) or "no rule", indent=2)
        page.line(f"`lexscope dump ID` shows one.{' There are more: --limit.' if result.more else ''}")

    if not result.traces:
        fail("No such trace is stored. Requests of `ask` and `context` keep one, unless LEXSCOPE_TRACES is off.")
        return NOTHING_FOUND
    return session(ctx).show(result, lines)


@verbs.command()
def dump(
    ctx: typer.Context,
    trace: Annotated[
        str,
        typer.Argument(
            help="`last`, an id of `lexscope traces` or its first digits, or a dump FILE.json.", metavar="TRACE"
        ),
    ],
    output: Annotated[
        Path | None, typer.Option(help="File that only you can read: .html, .md or .json. [stdout]", metavar="FILE")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="json, md or html; md by default.", metavar="FORMAT")
    ] = None,
) -> int:
    """Write a stored trace for a reviewer.

    To stdout without --output. What a trace holds of the question is decided when it is stored (LEXSCOPE_TRACES).
    """
    from rag.telemetry.review.dump import FORMATS, load_trace, write_dump
    from rag.telemetry.store import stored_trace, whole_trace_id

    wanted = "json" if session(ctx).json and form is None else form
    if wanted is not None:
        one_of("--format", wanted, [suffix[1:] for suffix in FORMATS])
    if output is not None:
        check_dump_file(output)
        if wanted is not None and output.suffix.lower() != f".{wanted}":
            raise InputError(f"--format says {wanted}, the file's name says otherwise; leave one of them out.")
    if trace.lower().endswith(".json"):
        found = load_trace(_read_dump(Path(trace)))
    else:
        with session(ctx).database() as database:
            try:
                found = stored_trace(database, whole_trace_id(database, trace))
            except InputError as error:
                fail(error.message)
                return NOTHING_FOUND
    if output is not None:
        write_dump(found, output)
        tell(f"Written to {output}.")
        return 0
    sys.stdout.write(FORMATS[f".{wanted or 'md'}"](found))
    return 0


def _read_dump(file: Path) -> str:
    from rag.telemetry.review.dump import MAX_TRACE_BYTES

    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_TRACE_BYTES + 1)
    except OSError as error:
        raise InputError(f"The dump cannot be read: {error.strerror}.") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("The dump is not UTF-8 text.") from None
