"""Verbs about references: resolve, resolve-case, edges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.session import (
    NOTHING_FOUND,
    AtDate,
    Jurisdiction,
    Language,
    progress,
    question_text,
    session,
    tag_pairs,
    tell,
)
from retrieval.errors import InputError

if TYPE_CHECKING:
    from rag.presentation.page import Page
    from retrieval.model import Resolution
    from retrieval.references.citation_graph import EdgePage


import json
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from rag.engine import Engine
from rag.ingest.writing.progress import Progress
from rag.law.wording import counted
from rag.requests import checked_date
from retrieval.languages import checked_language
from retrieval.model import Record, Resolution
from retrieval.references.batch import Cited

MAX_LINE = 64 * 1024  # bytes; a longer line is reported and passed over
TELL_SECONDS = 2.0  # between two notes of progress
_KEYS = ("reference", "id", "at_date", "language")
# `cited_by` and `suggestions` are not looked up in a batch, and the readings are those of `resolve`.
_LEFT_OUT: Any = {"tag_queries": True, "suggestions": True, "candidates": {"__all__": {"cited_by"}}}


class BatchReport(Record):
    """What a file of references came to."""

    references: int
    resolved: int
    candidates: int
    ambiguous: int
    not_found: int
    invalid: int  # lines that hold no reference that can be used
    seconds: float


class _Line:
    """A line of the input: what to look up, and what its result has beside the resolution."""

    __slots__ = ("cited", "fault", "own")

    def __init__(self, number: int, raw: bytes) -> None:
        self.own: dict[str, object] = {"line": number}
        self.cited, self.fault = Cited(""), ""
        try:
            self._read(raw)
        except InputError as error:
            self.fault = error.message

    def _read(self, raw: bytes) -> None:
        if len(raw) > MAX_LINE:
            raise InputError(f"The line has more than {MAX_LINE:,} bytes.")
        try:
            text = raw.decode("utf-8-sig").strip()
        except UnicodeDecodeError:
            raise InputError("The line is not UTF-8 text.") from None
        self.cited = Cited(text) if not text.startswith("{") else self._object(text)

    def _object(self, text: str) -> Cited:
        try:
            found: object = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError("The line begins like a JSON object and is not one.") from None
        given = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        if "id" in given:
            self.own["id"] = given["id"]
        if set(given) - set(_KEYS):
            raise InputError(f"The object has other members than {', '.join(_KEYS)}.")
        texts = {key: value for key in ("reference", "at_date", "language") if (value := given.get(key)) is not None}
        if "reference" not in texts or not all(isinstance(text, str) for text in texts.values()):
            raise InputError("The object has no text as its `reference`, or another member is no text.")
        said = cast("dict[str, str]", texts)
        day = checked_date(said["at_date"]) if "at_date" in said else None
        return Cited(said["reference"], day, checked_language(said.get("language")))


def resolve_file(
    engine: Engine,
    source: str,
    output: Path | None,
    report: Callable[[Progress], None],
    *,
    jurisdiction: str | None,
    language: str | None,
    at_date: str | None,
    tags: dict[str, str],
) -> BatchReport:
    """Resolve the references of a file.

    Args:
        source: the file's path, or `-` for standard input.
        output: the file to write, which appears when it is complete; standard output by default.
        report: told how many lines are done.
        jurisdiction: that may answer, for all lines.
        language: as above; a line's own counts first.
        tags: that all provisions must have.

    Raises:
        InputError: a file cannot be read or written, or a filter cannot be used.
        StoreError: the store failed; then no output file is left.
    """
    since = told = time.monotonic()
    counts: Counter[str] = Counter()
    waiting: deque[_Line] = deque()

    def references(lines: Iterator[bytes]) -> Iterator[Cited]:
        for number, raw in enumerate(lines, start=1):
            if raw.strip():
                waiting.append(_Line(number, raw))
                yield waiting[-1].cited

    with _opened(source) as stream, _written(output) as out:
        size = os.fstat(stream.fileno()).st_size if source != "-" else 0
        found = engine.resolve_many(
            references(_lines(stream)), jurisdiction=jurisdiction, language=language, at_date=at_date, tags=tags
        )
        for resolution in found:
            line = waiting.popleft()
            counts["invalid" if line.fault else resolution.status] += 1
            out.write(_result(line, resolution))
            if time.monotonic() - told >= TELL_SECONDS:
                told = time.monotonic()
                done = counts.total()
                share = f", {stream.tell() / size:.0%} of the file" if size else ""
                report(Progress(done, done, f"references{share}, {done / (told - since):,.0f} a second", 0))
    status = ("resolved", "candidates", "ambiguous", "not_found", "invalid")
    return BatchReport(
        references=counts.total(), seconds=round(time.monotonic() - since, 3), **{key: counts[key] for key in status}
    )


def _result(line: _Line, found: Resolution) -> str:
    if line.fault:
        record: dict[str, object] = {**line.own, "status": "invalid", "urn": None, "message": line.fault}
    else:
        record = {**line.own, **found.model_dump(mode="json", exclude=_LEFT_OUT)}
    return json.dumps(record, ensure_ascii=True, separators=(", ", ": ")) + "\n"


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long no more than shows that it is."""
    while raw := stream.readline(MAX_LINE + 1):
        yield raw
        while len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE + 1)


@contextmanager
def _opened(source: str) -> Generator[IO[bytes]]:
    if source == "-":
        if sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison] - None after `<&-`
            raise InputError("There is nothing on standard input.")
        yield sys.stdin.buffer
        return
    try:
        stream = Path(source).open("rb")  # noqa: SIM115 - closed below; only its opening is explained
    except OSError as error:
        raise InputError(f"The file of references cannot be read: {error.strerror}.") from None
    with stream:
        yield stream


@contextmanager
def _written(output: Path | None) -> Generator[IO[str]]:
    """Where results go; a file is there when it is whole, and not before."""
    if output is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    part = output.with_name(f"{output.name}.part")
    try:
        stream = part.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"The output file cannot be written: {error.strerror}.") from None
    try:
        with stream:
            yield stream
        part.replace(output)
    except IsADirectoryError:
        raise InputError("The output file cannot be written: it is a folder.") from None
    finally:
        part.unlink(missing_ok=True)


verbs = typer.Typer(rich_markup_mode=None)

Tags = Annotated[
    list[str] | None,
    typer.Option(
        "--tag", help="A tag that the provision must have, such as code=BGB; may be repeated.", metavar="KEY=VALUE"
    ),
]


@verbs.command()
def resolve(
    ctx: typer.Context,
    reference: Annotated[
        str | None, typer.Argument(help="As it is cited, or a URN or id; `-` is stdin.", metavar="REFERENCE")
    ] = None,
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    at_date: AtDate = None,
    tag: Tags = None,
    batch: Annotated[
        str | None,
        typer.Option(help="References of a file, one a line: as cited, or as JSON; `-` is stdin.", metavar="FILE"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File for the results of --batch, one JSON object a line.", metavar="FILE")
    ] = None,
) -> int:
    """Find the provision that a reference names, or list what it may mean.

    Without --jurisdiction the grammars of all countries read it.
    """
    if (reference is None) == (batch is None):
        raise InputError("Give one reference, or a file of them with --batch.")
    if batch is not None:
        return _resolve_batch(ctx, batch, out, jurisdiction, language, at_date, tag_pairs(tag or []))
    if out is not None:
        raise InputError("--out is for the results of --batch.")
    text = question_text(reference or "")
    tags = tag_pairs(tag or [])
    result = session(ctx).asked(
        lambda engine: engine.resolve(text, jurisdiction=jurisdiction, language=language, at_date=at_date, tags=tags)
    )
    session(ctx).show(result, lambda page: show_resolution(page, result))
    return 0 if result.urn is not None else NOTHING_FOUND


def _resolve_batch(
    ctx: typer.Context,
    batch: str,
    out: Path | None,
    jurisdiction: str | None,
    language: str | None,
    at_date: str | None,
    tags: dict[str, str],
) -> int:
    with session(ctx).engine() as engine, progress() as report:
        result: BatchReport = resolve_file(
            engine, batch, out, report, jurisdiction=jurisdiction, language=language, at_date=at_date, tags=tags
        )
    told = (
        f"{result.references:,} references in {result.seconds:.1f} s: {result.resolved:,} resolved, "
        f"{result.candidates:,} by an uncertain reading, {result.ambiguous:,} ambiguous, {result.not_found:,} not "
        f"found, {result.invalid:,} invalid"
    )
    if out is None:
        tell(told)  # the results are on stdout
    else:
        session(ctx).show(result, lambda page: page.line(told))
    return 0 if result.resolved + result.candidates else NOTHING_FOUND


@verbs.command("resolve-case")
def resolve_case(
    ctx: typer.Context,
    case_number: Annotated[str | None, typer.Option(help="The case number, or a part of it.", metavar="NO")] = None,
    case_name: Annotated[str | None, typer.Option(help="The name, or a part of it.", metavar="NAME")] = None,
    court: Annotated[str | None, typer.Option(help="The court; narrows a name or a date.", metavar="COURT")] = None,
    date: Annotated[str | None, typer.Option(help="2023, 2023-05 or 2023-05-17.", metavar="DATE")] = None,
    limit: Annotated[int, typer.Option(help="Cases at most, 1 to 10.", metavar="N")] = 5,
    jurisdiction: Jurisdiction = None,
) -> int:
    """Find a decision by its number, else by its name and court, else by court and date.

    Give one at least. The sample has no decisions.
    """
    from rag.presentation.listing import show_cases

    result = session(ctx).asked(
        lambda engine: engine.resolve_case(
            court=court, date=date, case_number=case_number, case_name=case_name, limit=limit,
            jurisdiction=jurisdiction,
        )
    )  # fmt: skip
    return session(ctx).show(result, lambda page: show_cases(page, result), 0 if result.cases else NOTHING_FOUND)


@verbs.command()
def edges(
    ctx: typer.Context,
    reference: Annotated[
        str,
        typer.Argument(help="A URN or citation; or `resolve`, to look for missing targets.", metavar="REFERENCE"),
    ],
    incoming: Annotated[bool, typer.Option("--incoming", help="What cites it.")] = False,
    outgoing: Annotated[bool, typer.Option("--outgoing", help="What it cites; so without either option.")] = False,
    kind: Annotated[
        str | None, typer.Option(help="One kind only, such as cites or subject_to. [all]", metavar="KIND")
    ] = None,
    at_date: AtDate = None,
    limit: Annotated[int, typer.Option(help="Edges on a page, 1 to 500.", metavar="N")] = 50,
    offset: Annotated[int, typer.Option(help="Edges to pass over.", metavar="N")] = 0,
) -> int:
    """List the citation graph around a provision; `edges resolve` gives edges their targets.

    Ingest resolves what it can; `edges resolve` looks again once the law that others cite is there too.
    """
    if incoming and outgoing:
        raise InputError("Choose --incoming or --outgoing.")
    if reference == "resolve":
        return _resolve_edges(ctx)
    result = session(ctx).asked(
        lambda engine: engine.edges(
            reference, "incoming" if incoming else "outgoing", kind=kind, at_date=at_date, limit=limit, offset=offset
        )
    )
    return session(ctx).show(result, lambda page: show_edges(page, result), 0 if result.edges else NOTHING_FOUND)


def _resolve_edges(ctx: typer.Context) -> int:
    from rag.ingest.writing.edges import resolve_all_edges

    with session(ctx).database() as database, progress() as report:
        result = resolve_all_edges(database, report)
    session(ctx).show(
        result,
        lambda page: page.line(
            f"{result.by_urn:,} edges resolved by URN, {result.by_words:,} by the words of {result.references:,} "
            f"references; {result.unresolved:,} remain unresolved; {result.seconds:.1f} s"
        ),
    )
    return 0


def show_resolution(page: Page, result: Resolution) -> None:
    """A resolution for a reader on a terminal."""
    if result.urn is not None:
        [first] = [candidate for candidate in result.candidates if candidate.urn == result.urn][:1]
        page.line(result.urn, style="bold")
        if first.title:
            page.line(first.title, hang=2)
        page.line(f"{_force(first.valid_from, first.valid_to)}; cited by {first.cited_by:,}", hang=2)
    else:
        page.line(f"{result.status.replace('_', ' ')}: {result.message}", style="bold")
        for candidate in result.candidates:
            hint = f"  ({candidate.hint})" if candidate.hint else ""
            page.line(f"{candidate.urn}  {candidate.title}{hint}", hang=4)
        for urn in result.suggestions:
            page.line(f"near: {urn}", hang=4)
    for warning in result.warnings:
        page.line(f"warning: {warning}", style="yellow", hang=2)


def show_edges(page: Page, result: EdgePage) -> None:
    """A page of the citation graph for a reader on a terminal."""
    last = result.offset + len(result.edges)
    if result.urn:
        page.line(
            f"{result.urn}: {result.direction}, {counted(result.total, 'edge')} at {result.at_date}", style="bold"
        )
    for edge in result.edges:
        target = edge.target_urn or "no URN"
        state = "" if edge.resolved else "  (not in the store)"
        page.line(f"{edge.source_urn}  {edge.kind}  {target}{state}", hang=4)
        page.line(f"“{edge.reference}”", indent=4, hang=2)
    if result.message:
        page.line(result.message)
    if last < result.total:
        page.line(f"Shown: {result.offset + 1} to {last}. Go on with --offset {last}.", style="yellow")


def _force(valid_from: object, valid_to: object) -> str:
    start = f"in force from {valid_from}" if valid_from else "in force from an unknown date"
    return f"{start} until {valid_to}" if valid_to else start
