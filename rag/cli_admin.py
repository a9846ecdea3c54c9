"""Verbs for what people record beside the law: override, preemption, synonyms."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import BaseModel, ConfigDict, ValidationError
from typer.core import TyperGroup

from rag.cli_output import Page
from rag.cli_session import EPILOG, session
from rag.reference_data import (
    NewOverride,
    NewPreemption,
    NewSynonym,
    add_override,
    add_preemption,
    end_override,
    end_preemption,
    import_overrides,
    import_preemption,
    import_synonyms,
    list_overrides,
    list_preemption,
    list_synonyms,
)
from rag.requests import checked_date
from retrieval.errors import InputError
from retrieval.overrides import Override, Preemption

if TYPE_CHECKING:
    from collections.abc import Mapping

_Row = TypeVar("_Row", bound=BaseModel)

CsvFile = Annotated[Path, typer.Argument(help="CSV file with a header line.", show_default=False)]
Number = Annotated[int, typer.Argument(help="Its number, as `list` shows it.", show_default=False)]
EndsOn = Annotated[str, typer.Option("--on", help="First day on which it no longer holds.", metavar="YYYY-MM-DD")]
From = Annotated[str | None, typer.Option("--from", help="First day of effect.", metavar="YYYY-MM-DD")]
To = Annotated[str | None, typer.Option("--to", help="First day on which it no longer holds.", metavar="YYYY-MM-DD")]


class Recorded(BaseModel):
    """What was written: how many rows, and the number of a single one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    recorded: int
    number: int | None = None


class Ended(BaseModel):
    """What was ended, and when."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    effective_to: date


class Overrides(BaseModel):
    """All recorded overrides."""

    overrides: list[Override]


class Preemptions(BaseModel):
    """All recorded preemptions."""

    preemption: list[Preemption]


class Synonyms(BaseModel):
    """Recorded synonyms; `more` where the limit left some out."""

    synonyms: list[NewSynonym]
    more: bool


def register(app: typer.Typer, group: type[TyperGroup]) -> None:
    """Add the verbs to the program, in groups of this class."""
    for name, summary, verbs in (
        ("override", "What courts did to rules.", (override_add, override_list, override_end, override_import)),
        (
            "preemption", "Where federal rules overlap state rules.",
            (preemption_add, preemption_list, preemption_end, preemption_import),
        ),
        ("synonyms", "Everyday phrases and what the law calls them.", (synonyms_import, synonyms_list)),
    ):  # fmt: skip
        part = typer.Typer(cls=group, no_args_is_help=True, rich_markup_mode=None, help=summary)
        for verb in verbs:
            part.command(verb.__name__.rpartition("_")[2], epilog=EPILOG)(verb)
        app.add_typer(part, name=name)


def override_add(
    ctx: typer.Context,
    urn_pattern: Annotated[str, typer.Argument(help="URN; `*` is any run of characters.", show_default=False)],
    status: Annotated[str, typer.Option(help="VOID, ENJOINED, SUSPENDED, VACATED, STAYED, PREEMPTED ...")],
    court: Annotated[str, typer.Option(help="The court.")],
    citation: Annotated[str, typer.Option(help="The decision.")],
    severity: Annotated[str, typer.Option(help="CRITICAL or WARNING.")] = "CRITICAL",
    message: Annotated[str, typer.Option(help="A sentence for the reader.")] = "",
    effective_from: From = None,
    effective_to: To = None,
) -> int:
    """Record a court's override of a rule."""
    row = _checked(NewOverride, {
        "urn_pattern": urn_pattern, "status": status, "severity": severity, "court": court,
        "court_citation": citation, "message": message, "effective_from": effective_from,
        "effective_to": effective_to,
    })  # fmt: skip
    with session(ctx).database() as database:
        number = add_override(database, row)
    return _recorded(ctx, Recorded(recorded=1, number=number))


def override_list(ctx: typer.Context) -> int:
    """List overrides, ended ones included."""
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
    day = checked_date(on)
    with session(ctx).database() as database:
        end_override(database, number, day)
    return _ended(ctx, number, day)


def override_import(ctx: typer.Context, file: CsvFile) -> int:
    """Record overrides from a CSV file, all rows or none."""
    with session(ctx).database() as database:
        count = import_overrides(database, file)
    return _recorded(ctx, Recorded(recorded=count))


def preemption_add(
    ctx: typer.Context,
    federal_pattern: Annotated[str, typer.Argument(help="URN of the federal rule; `*` allowed.", show_default=False)],
    state_pattern: Annotated[str, typer.Argument(help="URN of the state rule; `*` allowed.", show_default=False)],
    kind: Annotated[str, typer.Option(help="express, conflict or field.")],
    note: Annotated[str, typer.Option(help="A sentence for the reader.")] = "",
    authority: Annotated[str, typer.Option(help="What says so.")] = "",
    effective_from: From = None,
    effective_to: To = None,
) -> int:
    """Record that a federal rule overlaps a state rule."""
    row = _checked(NewPreemption, {
        "federal_pattern": federal_pattern, "state_pattern": state_pattern, "kind": kind, "note": note,
        "authority": authority, "effective_from": effective_from, "effective_to": effective_to,
    })  # fmt: skip
    with session(ctx).database() as database:
        number = add_preemption(database, row)
    return _recorded(ctx, Recorded(recorded=1, number=number))


def preemption_list(ctx: typer.Context) -> int:
    """List preemptions, ended ones included."""
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
    day = checked_date(on)
    with session(ctx).database() as database:
        end_preemption(database, number, day)
    return _ended(ctx, number, day)


def preemption_import(ctx: typer.Context, file: CsvFile) -> int:
    """Record preemptions from a CSV file, all rows or none."""
    with session(ctx).database() as database:
        count = import_preemption(database, file)
    return _recorded(ctx, Recorded(recorded=count))


def synonyms_import(ctx: typer.Context, file: CsvFile) -> int:
    """Record synonyms from a CSV file, all rows or none."""
    with session(ctx).database() as database:
        count = import_synonyms(database, file)
    return _recorded(ctx, Recorded(recorded=count))


def synonyms_list(
    ctx: typer.Context,
    beginning: Annotated[str, typer.Argument(help="Only phrases that start so.", show_default=False)] = "",
    limit: Annotated[int, typer.Option(help="Synonyms at most, 1 to 100000.", min=1, max=100_000)] = 1000,
) -> int:
    """List synonyms in the order of their phrases."""
    with session(ctx).database() as database:
        rows = list_synonyms(database, beginning, limit + 1)
    found = Synonyms(synonyms=rows[:limit], more=len(rows) > limit)

    def lines(page: Page) -> None:
        page.table([
            (one.phrase, one.language, one.jurisdiction or "all", f"{one.weight:g}", one.target)
            for one in found.synonyms
        ])  # fmt: skip
        if found.more:
            page.line(f"The first {limit}; there are more (--limit).", style="bold")
        if not found.synonyms:
            page.line("No synonym is recorded.")

    session(ctx).show(found, lines)
    return 0


def _checked(kind: type[_Row], values: Mapping[str, str | None]) -> _Row:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{f'{name}: ' if name else ''}{first['msg']}.") from None


def _recorded(ctx: typer.Context, result: Recorded) -> int:
    which = f" as number {result.number}" if result.number is not None else " rows"
    session(ctx).show(result, lambda page: page.line(f"Recorded {result.recorded}{which}."))
    return 0


def _ended(ctx: typer.Context, number: int, day: date) -> int:
    words = f"Number {number} ends on {day.isoformat()}; it holds on the days before."
    session(ctx).show(Ended(number=number, effective_to=day), lambda page: page.line(words))
    return 0


def _span(one: Override | Preemption) -> str:
    since = f"from {one.effective_from.isoformat()}" if one.effective_from else "since ever"
    return f"{since} until {one.effective_to.isoformat()}" if one.effective_to else since
