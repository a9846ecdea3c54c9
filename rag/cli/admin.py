"""Verbs for what people record beside the law: override and preemption."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from typer.core import TyperGroup

from rag.cli.session import EPILOG, session, tell
from rag.law.wording import counted
from retrieval.errors import InputError

if TYPE_CHECKING:
    from datetime import date

    from pydantic import BaseModel

    from rag.cli.records import Recorded
    from rag.presentation.page import Page
    from retrieval.context.overrides import Override, Preemption

_Row = TypeVar("_Row", bound="BaseModel")

STATUSES = "VOID, ENJOINED, SUSPENDED, VACATED, STAYED, PREEMPTED, LIMITED or QUESTIONED"

CsvFile = Annotated[Path, typer.Argument(help="CSV file with a header line.", metavar="FILE")]
Number = Annotated[int, typer.Argument(help="Its number, as `list` shows it.", metavar="NUMBER")]
EndsOn = Annotated[str, typer.Option("--on", help="First day on which it no longer holds.", metavar="YYYY-MM-DD")]
From = Annotated[str | None, typer.Option("--from", help="First day of effect.", metavar="YYYY-MM-DD")]
To = Annotated[str | None, typer.Option("--to", help="First day on which it no longer holds.", metavar="YYYY-MM-DD")]


def register(app: typer.Typer, group: type[TyperGroup]) -> None:
    """Add the verbs to the program, in groups of this class."""
    for name, summary, verbs in (
        ("override", "What courts did to rules.", (override_add, override_list, override_end, override_import)),
        (
            "preemption", "Where federal rules overlap state rules.",
            (preemption_add, preemption_list, preemption_end, preemption_import),
        ),
    ):  # fmt: skip
        part = typer.Typer(cls=group, no_args_is_help=True, rich_markup_mode=None, help=summary)
        for verb in verbs:
            part.command(verb.__name__.rpartition("_")[2], epilog=EPILOG)(verb)
        app.add_typer(part, name=name)


def override_add(
    ctx: typer.Context,
    urn_pattern: Annotated[str, typer.Argument(help="URN; `*` is any run of characters.", metavar="URN")],
    status: Annotated[
        str, typer.Option(help="VOID, ENJOINED, SUSPENDED, VACATED, STAYED, PREEMPTED ...", metavar="STATUS")
    ],
    court: Annotated[str, typer.Option(help="The court.", metavar="NAME")],
    citation: Annotated[str, typer.Option(help="The decision.", metavar="CITATION")],
    severity: Annotated[str, typer.Option(help="CRITICAL or WARNING.", metavar="SEVERITY")] = "CRITICAL",
    message: Annotated[str, typer.Option(help="A sentence for the reader.", metavar="TEXT")] = "",
    effective_from: From = None,
    effective_to: To = None,
) -> int:
    """Record a court's override of a rule."""
    from rag.cli.records import Recorded
    from rag.store.reference_data import NewOverride, add_override, covers_a_node

    row = _checked(NewOverride, {
        "urn_pattern": urn_pattern, "status": status, "severity": severity, "court": court,
        "court_citation": citation, "message": message, "effective_from": effective_from,
        "effective_to": effective_to,
    })  # fmt: skip
    with session(ctx).database() as database:
        number = add_override(database, row)
        if not covers_a_node(database, row.urn_pattern):
            tell("note: no node of the store has this URN or lies below it; the override is recorded all the same.")
    return _recorded(ctx, Recorded(recorded=1, number=number))


def override_list(ctx: typer.Context) -> int:
    """List overrides, ended ones included."""
    from rag.cli.records import Overrides
    from rag.store.reference_data import list_overrides

    with session(ctx).database() as database:
        found = Overrides(overrides=list_overrides(database))

    def lines(page: Page) -> None:
        for one in found.overrides:
            page.line(f"{one.id}  {one.status}  {one.urn_pattern}  {_span(one)}", style="bold", hang=2)
            page.line(f"{one.court}, {one.court_citation} ({one.severity})", indent=2, hang=2)
            if one.message:
                page.line(one.message, indent=2)
        if not found.overrides:
            page.line("No override is recorded.")

    session(ctx).show(found, lines)
    return 0


def override_end(ctx: typer.Context, number: Number, on: EndsOn) -> int:
    """Let an override end on a date."""
    from rag.requests import checked_date
    from rag.store.reference_data import end_override

    day = checked_date(on)
    with session(ctx).database() as database:
        end_override(database, number, day)
    return _ended(ctx, number, day)


def override_import(ctx: typer.Context, file: CsvFile) -> int:
    """Record overrides from a CSV file, all rows or none."""
    from rag.cli.records import Recorded
    from rag.store.reference_data import import_overrides

    with session(ctx).database() as database:
        count = import_overrides(database, file)
    return _recorded(ctx, Recorded(recorded=count))


def preemption_add(
    ctx: typer.Context,
    federal_pattern: Annotated[str, typer.Argument(help="URN of the federal rule; `*` allowed.", metavar="FEDERAL")],
    state_pattern: Annotated[str, typer.Argument(help="URN of the state rule; `*` allowed.", metavar="STATE")],
    kind: Annotated[str, typer.Option(help="express, conflict or field.", metavar="KIND")],
    note: Annotated[str, typer.Option(help="A sentence for the reader.", metavar="TEXT")] = "",
    authority: Annotated[str, typer.Option(help="What says so.", metavar="TEXT")] = "",
    effective_from: From = None,
    effective_to: To = None,
) -> int:
    """Record that a federal rule overlaps a state rule."""
    from rag.cli.records import Recorded
    from rag.store.reference_data import NewPreemption, add_preemption

    row = _checked(NewPreemption, {
        "federal_pattern": federal_pattern, "state_pattern": state_pattern, "kind": kind, "note": note,
        "authority": authority, "effective_from": effective_from, "effective_to": effective_to,
    })  # fmt: skip
    with session(ctx).database() as database:
        number = add_preemption(database, row)
    return _recorded(ctx, Recorded(recorded=1, number=number))


def preemption_list(ctx: typer.Context) -> int:
    """List preemptions, ended ones included."""
    from rag.cli.records import Preemptions
    from rag.store.reference_data import list_preemption

    with session(ctx).database() as database:
        found = Preemptions(preemption=list_preemption(database))

    def lines(page: Page) -> None:
        for one in found.preemption:
            page.line(f"{one.id}  {one.kind}  {_span(one)}", style="bold")
            page.line(f"federal  {one.federal_pattern}", indent=2)
            page.line(f"state    {one.state_pattern}", indent=2)
            for text in (one.note, one.authority):
                if text:
                    page.line(text, indent=2)
        if not found.preemption:
            page.line("No preemption is recorded.")

    session(ctx).show(found, lines)
    return 0


def preemption_end(ctx: typer.Context, number: Number, on: EndsOn) -> int:
    """Let a preemption end on a date."""
    from rag.requests import checked_date
    from rag.store.reference_data import end_preemption

    day = checked_date(on)
    with session(ctx).database() as database:
        end_preemption(database, number, day)
    return _ended(ctx, number, day)


def preemption_import(ctx: typer.Context, file: CsvFile) -> int:
    """Record preemptions from a CSV file, all rows or none."""
    from rag.cli.records import Recorded
    from rag.store.reference_data import import_preemption

    with session(ctx).database() as database:
        count = import_preemption(database, file)
    return _recorded(ctx, Recorded(recorded=count))


def _checked(kind: type[_Row], values: Mapping[str, str | None]) -> _Row:
    from pydantic import ValidationError

    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ").rstrip(".")
        raise InputError(f"{f'{name}: ' if name else ''}{what}.") from None


def _recorded(ctx: typer.Context, result: Recorded) -> int:
    which = f"as number {result.number}" if result.number is not None else counted(result.recorded, "row")
    words = f"Recorded {which}."
    session(ctx).show(result, lambda page: page.line(words))
    return 0


def _ended(ctx: typer.Context, number: int, day: date) -> int:
    from rag.cli.records import Ended

    words = f"Number {number} ends on {day.isoformat()}; it holds on the days before."
    session(ctx).show(Ended(number=number, effective_to=day), lambda page: page.line(words))
    return 0


def _span(one: Override | Preemption) -> str:
    since = f"from {one.effective_from.isoformat()}" if one.effective_from else "since ever"
    return f"{since} until {one.effective_to.isoformat()}" if one.effective_to else since
