"""Verbs for what people record beside the law: override, preemption and synonyms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rag.cli.session import session, tell, verb_group
from rag.law.wording import counted
from retrieval.errors import InputError

if TYPE_CHECKING:
    from datetime import date

    from pydantic import BaseModel

    from rag.presentation.page import Page
    from rag.store.database import Database
    from retrieval.context.overrides import Override, Preemption

_Row = TypeVar("_Row", bound="BaseModel")

verbs = typer.Typer(rich_markup_mode=None)
overrides = verb_group(verbs, "override", "What courts did to rules.")
preemption = verb_group(verbs, "preemption", "Where federal rules overlap state rules.")
synonyms = verb_group(verbs, "synonyms", "Everyday phrases and what the law calls them.")

CsvFile = Annotated[Path, typer.Argument(help="CSV file with a header line.", metavar="FILE")]
Number = Annotated[int, typer.Argument(help="Its number, as `list` shows it.", metavar="NUMBER")]
EndsOn = Annotated[str, typer.Option("--on", help="First day on which it no longer holds.", metavar="YYYY-MM-DD")]
From = Annotated[str | None, typer.Option("--from", help="First day of effect. [ever since]", metavar="YYYY-MM-DD")]
To = Annotated[
    str | None, typer.Option("--to", help="First day on which it no longer holds. [open]", metavar="YYYY-MM-DD")
]
Limit = Annotated[int, typer.Option(help="Rows at most.", metavar="N", min=1, max=100_000)]
Language = Annotated[str | None, typer.Option(help="Only this language, such as en.", metavar="CODE")]
RowsFile = Annotated[
    Path, typer.Argument(help="CSV with a header line, or a JSON object on each line.", metavar="FILE")
]


@overrides.command("add")
def override_add(
    ctx: typer.Context,
    urn_pattern: Annotated[str, typer.Argument(help="URN; `*` is any run of characters.", metavar="URN")],
    status: Annotated[
        str,
        typer.Option(
            help="VOID, ENJOINED, SUSPENDED, VACATED, STAYED, PREEMPTED, LIMITED or QUESTIONED.", metavar="STATUS"
        ),
    ],
    court: Annotated[str, typer.Option(help="The court.", metavar="NAME")],
    citation: Annotated[str, typer.Option(help="How the decision is cited.", metavar="CITATION")],
    severity: Annotated[
        str, typer.Option(help="CRITICAL, or WARNING: then it only warns.", metavar="SEVERITY")
    ] = "CRITICAL",
    message: Annotated[str, typer.Option(help="A sentence for the reader.", metavar="TEXT")] = "",
    effective_from: From = None,
    effective_to: To = None,
) -> int:
    """Record a court's override of a rule.

    Who asks about a rule that is VOID or ENJOINED at the date is halted; of other statuses contexts warn.
    """
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
    return _recorded(ctx, number=number)


@overrides.command("list")
def override_list(ctx: typer.Context) -> int:
    """List overrides, ended ones included."""
    from rag.cli.records import Overrides
    from rag.store.reference_data import list_overrides

    with session(ctx).database() as database:
        found = Overrides(overrides=list_overrides(database))

    def lines(page: Page) -> None:
        for override in found.overrides:
            page.line(
                f"{override.id}  {override.status}  {override.urn_pattern}  {_span(override)}", style="bold", hang=2
            )
            page.line(f"{override.court}, {override.court_citation} ({override.severity})", indent=2, hang=2)
            if override.message:
                page.line(override.message, indent=2)
        if not found.overrides:
            page.line("No override is recorded.")

    return session(ctx).show(found, lines)


@overrides.command("end")
def override_end(ctx: typer.Context, number: Number, on: EndsOn) -> int:
    """Let an override end on a date."""
    from rag.store.reference_data import end_override

    return _end(ctx, number, on, end_override)


@overrides.command("import")
def override_import(
    ctx: typer.Context,
    file: CsvFile,
    replace: Annotated[bool, typer.Option("--replace", help="End what is in effect and not in the file.")] = False,
    show_only: Annotated[bool, typer.Option("--dry-run", help="Show the changes and make none.")] = False,
) -> int:
    """Bring the overrides to what a CSV file says, all rows or none; the changes are shown.

    Columns: urn_pattern, status, court, court_citation; also severity, message, effective_from, effective_to, source,
    checked_on, check_by.
    """
    from rag.store.reference_data import import_overrides

    with session(ctx).database() as database:
        found = import_overrides(database, file, replace=replace, show_only=show_only)

    def lines(page: Page) -> None:
        for name, entries in (("added", found.added), ("changed", found.changed), ("ended", found.ended)):
            for entry in entries:
                page.line(f"{name}  {entry}", hang=2)
        done = f"{counted(found.recorded, 'row')} recorded, {found.unchanged} unchanged"
        page.line(done if found.done else "Nothing was changed: these are the changes that the file would make.")

    return session(ctx).show(found, lines)


@overrides.command("check")
def override_check(
    ctx: typer.Context,
    number: Number,
    on: Annotated[str | None, typer.Option("--on", help="The day; today by default.", metavar="YYYY-MM-DD")] = None,
    again_by: Annotated[str | None, typer.Option(help="When to look again.", metavar="YYYY-MM-DD")] = None,
) -> int:
    """Note that an override was compared with the court's records and still holds."""
    from rag.requests import checked_date
    from rag.store.reference_data import check_override

    with session(ctx).database() as database:
        check_override(database, number, checked_date(on), checked_date(again_by) if again_by else None)
    return _recorded(ctx, number=number)


@overrides.command("propose")
def override_propose(
    ctx: typer.Context,
    jurisdiction: Annotated[str | None, typer.Option(help="Only decisions of this one.", metavar="CODE")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also followed, distinguished, interpreted, affirmed.")] = False,
    decided: Annotated[bool, typer.Option("--decided", help="Also those accepted or rejected.")] = False,
) -> int:
    """List what stored decisions do to law and to one another, with the sentences; nothing is recorded."""
    from rag.cli.records import Proposals
    from rag.store.proposals import propose

    with session(ctx).database() as database:
        found = Proposals(proposals=propose(database, jurisdiction=jurisdiction, every=every, decided=decided))

    def lines(page: Page) -> None:
        for proposal in found.proposals:
            suggests = f" -> {proposal.status}" if proposal.status else ""
            page.line(f"{proposal.key}  {proposal.treatment}{suggests}  {proposal.target_urn}", style="bold", hang=2)
            there = "" if proposal.in_store else "; not in the store"
            page.line(
                f"{proposal.reference}{there}. {proposal.case}, {proposal.decision_urn} ({proposal.by})",
                indent=2,
                hang=2,
            )
            sentence, start, end = proposal.sentence, proposal.start, proposal.end
            page.line(f"{sentence[:start]}[{sentence[start:end]}]{sentence[end:]}", indent=2)
            if proposal.verdict:
                page.line(f"{proposal.verdict} by {proposal.decided_by}", indent=2)
        count = counted(len(found.proposals), "proposal")
        page.line(f"{count}. Nothing halts before `lexscope override accept KEY --by NAME`.")

    return session(ctx).show(found, lines)


Key = Annotated[str, typer.Argument(help="The proposal, as `propose` names it.", metavar="KEY")]
By = Annotated[str, typer.Option("--by", help="Who decides.", metavar="NAME")]


@overrides.command("accept")
def override_accept(
    ctx: typer.Context,
    key: Key,
    by: By,
    message: Annotated[
        str, typer.Option(help="A sentence for the reader; the court's by default.", metavar="TEXT")
    ] = "",
    effective_from: From = None,
) -> int:
    """Record the override that a proposal suggests: from now on it halts."""
    from rag.requests import checked_date
    from rag.store.proposals import accept

    with session(ctx).database() as database:
        since = checked_date(effective_from) if effective_from else None
        number = accept(database, key, by, message=message, effective_from=since)
    return _recorded(ctx, number=number)


@overrides.command("reject")
def override_reject(ctx: typer.Context, key: Key, by: By) -> int:
    """Record that a proposal is not to become an override; it is not proposed again."""
    from rag.store.proposals import reject

    with session(ctx).database() as database:
        reject(database, key, by)
    return _recorded(ctx)


@preemption.command("add")
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
    from rag.store.reference_data import NewPreemption, add_preemption

    row = _checked(NewPreemption, {
        "federal_pattern": federal_pattern, "state_pattern": state_pattern, "kind": kind, "note": note,
        "authority": authority, "effective_from": effective_from, "effective_to": effective_to,
    })  # fmt: skip
    with session(ctx).database() as database:
        number = add_preemption(database, row)
    return _recorded(ctx, number=number)


@preemption.command("list")
def preemption_list(ctx: typer.Context) -> int:
    """List preemptions, ended ones included."""
    from rag.cli.records import Preemptions
    from rag.store.reference_data import list_preemption

    with session(ctx).database() as database:
        found = Preemptions(preemption=list_preemption(database))

    def lines(page: Page) -> None:
        for overlap in found.preemption:
            page.line(f"{overlap.id}  {overlap.kind}  {_span(overlap)}", style="bold")
            page.line(f"federal  {overlap.federal_pattern}", indent=2)
            page.line(f"state    {overlap.state_pattern}", indent=2)
            for text in (overlap.note, overlap.authority):
                if text:
                    page.line(text, indent=2)
        if not found.preemption:
            page.line("No preemption is recorded.")

    return session(ctx).show(found, lines)


@preemption.command("end")
def preemption_end(ctx: typer.Context, number: Number, on: EndsOn) -> int:
    """Let a preemption end on a date."""
    from rag.store.reference_data import end_preemption

    return _end(ctx, number, on, end_preemption)


@preemption.command("import")
def preemption_import(ctx: typer.Context, file: CsvFile) -> int:
    """Record preemptions from a CSV file, all rows or none.

    Columns: federal_pattern, state_pattern, kind; also note, authority, effective_from, effective_to.
    """
    from rag.store.reference_data import import_preemption

    with session(ctx).database() as database:
        count = import_preemption(database, file)
    return _recorded(ctx, count)


@synonyms.command("import")
def synonyms_import(
    ctx: typer.Context,
    file: RowsFile,
    skip_rejected: Annotated[
        bool, typer.Option("--skip-rejected", help="Leave bad lines out, and name them, instead of recording nothing.")
    ] = False,
) -> int:
    """Record synonyms: phrase, target (a term or a URN), language, jurisdiction (* for all), weight, note."""
    from rag.store.reference_data import import_synonyms

    with session(ctx).database() as database:
        found = import_synonyms(database, file, skip_rejected=skip_rejected)
    for rejected in found.rejected:
        tell(f"rejected {file.name}:{rejected}")
    return session(ctx).show(found, lambda page: page.line(f"Recorded {counted(found.recorded, 'row')}."))


@synonyms.command("list")
def synonyms_list(
    ctx: typer.Context,
    beginning: Annotated[
        str, typer.Argument(help="Only phrases that start so.", metavar="WORDS", show_default=False)
    ] = "",
    language: Language = None,
    jurisdiction: Annotated[
        str | None, typer.Option(help="Only what applies in this one; * for what applies in all.", metavar="CODE")
    ] = None,
    limit: Limit = 1000,
) -> int:
    """List synonyms in the order of their phrases."""
    from rag.cli.records import Synonyms
    from rag.store.reference_data import list_synonyms
    from retrieval.languages import checked_language

    language = checked_language(language)
    with session(ctx).database() as database:
        rows = list_synonyms(database, beginning, limit + 1, language=language, jurisdiction=jurisdiction)
    found = Synonyms(synonyms=rows[:limit], more=len(rows) > limit)

    def lines(page: Page) -> None:
        page.table([
            (synonym.phrase, synonym.language, synonym.jurisdiction or "all", f"{synonym.weight:g}", synonym.target)
            for synonym in found.synonyms
        ])  # fmt: skip
        if found.more:
            page.line(f"The first {limit}; there are more (--limit).", style="bold")
        if not found.synonyms:
            page.line("No synonym is recorded.")

    return session(ctx).show(found, lines)


@synonyms.command("suggest")
def synonyms_suggest(
    ctx: typer.Context,
    language: Language = None,
    jurisdiction: Annotated[
        str | None, typer.Option(help="Only law of this one, such as us-dc.", metavar="CODE")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write a CSV to review, which `import` takes.", metavar="FILE")
    ] = None,
    limit: Limit = 200,
) -> int:
    """Print candidates found in the store's definitions and headings, to be reviewed; nothing is recorded."""
    from rag.store.synonym_suggestions import suggest_synonyms, write_suggestions

    with session(ctx).database() as database:
        found = suggest_synonyms(database, language=language, jurisdiction=jurisdiction, limit=limit)
    if output is not None:
        write_suggestions(found, output)

    def lines(page: Page) -> None:
        page.table([
            (row.phrase, row.language, row.jurisdiction, row.target, f"{row.kind}, {row.urn}")
            for row in found.suggestions
        ])  # fmt: skip
        if found.more:
            page.line(f"The first {limit}; there are more (--limit).", style="bold")
        page.line(
            "Candidates only: nothing was recorded. Review them, then `lexscope synonyms import FILE`."
            if found.suggestions
            else "No candidate was found."
        )

    return session(ctx).show(found, lines)


@synonyms.command("starter")
def synonyms_starter(
    ctx: typer.Context,
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language; may be given several times.", metavar="CODE")
    ] = None,
) -> int:
    """Record the starter thesauri that ship with the program; a new store has them already."""
    from rag.store.starter import load_starter

    with session(ctx).database() as database:
        count = load_starter(database, language or None)
    return _recorded(ctx, count)


def _checked(kind: type[_Row], values: Mapping[str, str | None]) -> _Row:
    from pydantic import ValidationError

    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        name = _OPTIONS.get(field, f"--{field}" if field else "")
        if first["type"] == "literal_error":
            raise InputError(f"{name} is one of {first.get('ctx', {})['expected'].replace(' or ', ', ')}.") from None
        what = first["msg"].removeprefix("Value error, ").rstrip(".")
        raise InputError(f"{f'{name}: ' if name else ''}{what}.") from None


# Field of a record -> how the command line calls it, where not by an option of its name.
_OPTIONS = {
    "urn_pattern": "URN", "federal_pattern": "FEDERAL", "state_pattern": "STATE", "court_citation": "--citation",
    "effective_from": "--from", "effective_to": "--to",
}  # fmt: skip


def _recorded(ctx: typer.Context, count: int = 1, *, number: int | None = None) -> int:
    from rag.cli.records import Recorded

    words = f"Recorded {f'as number {number}' if number is not None else counted(count, 'row')}."
    return session(ctx).show(Recorded(recorded=count, number=number), lambda page: page.line(words))


def _end(ctx: typer.Context, number: int, on: str, end: Callable[[Database, int, date], None]) -> int:
    from rag.cli.records import Ended
    from rag.requests import checked_date

    day = checked_date(on)
    with session(ctx).database() as database:
        end(database, number, day)
    words = f"Number {number} ends on {day.isoformat()}; it holds on the days before."
    return session(ctx).show(Ended(number=number, effective_to=day), lambda page: page.line(words))


def _span(one: Override | Preemption) -> str:
    since = f"from {one.effective_from.isoformat()}" if one.effective_from else "since ever"
    return f"{since} until {one.effective_to.isoformat()}" if one.effective_to else since
