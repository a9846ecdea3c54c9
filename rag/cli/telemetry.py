"""Verbs about the records of quality_check: telemetry show, export, purge; and the guidelines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from rag.cli.session import session, tell, verb_group
from retrieval.errors import InputError

if TYPE_CHECKING:
    from rag.cli.records import QualityRecords
    from rag.presentation.page import Page

verbs = typer.Typer(rich_markup_mode=None)
records = verb_group(verbs, "telemetry", "What quality_check has recorded: no word of a user.")

Since = Annotated[str | None, typer.Option(help="Records of this day and later.", metavar="YYYY-MM-DD")]


@records.command("show")
def telemetry_show(
    ctx: typer.Context,
    since: Since = None,
    limit: Annotated[int, typer.Option(help="Records at most, the newest first.", metavar="N", min=1)] = 20,
) -> int:
    """Show the latest records, each exactly as it is stored."""
    from rag.cli.records import QualityRecords
    from rag.requests import checked_date
    from rag.telemetry.quality.records import quality_records

    with session(ctx).database() as database:
        found = quality_records(database, since=checked_date(since) if since else None, limit=limit + 1)
    result = QualityRecords(records=found[:limit], more=len(found) > limit)
    return session(ctx).show(result, lambda page: _records(page, result))


@records.command("export")
def telemetry_export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON Lines file to write; `-` is stdout.", metavar="FILE")],
    since: Since = None,
) -> int:
    """Write records as JSON Lines, the oldest first, to a file that only you can read."""
    from rag.cli.records import Recorded
    from rag.requests import checked_date
    from rag.telemetry.quality.records import quality_records, write_lines

    with session(ctx).database() as database:
        found = quality_records(database, since=checked_date(since) if since else None)
    lines = "".join(f"{record.model_dump_json()}\n" for record in reversed(found))
    if str(file) == "-":
        sys.stdout.write(lines)
        return 0
    try:
        write_lines(file, lines)
    except OSError as error:
        raise InputError(f"The file cannot be written: {error.strerror or type(error).__name__}.") from None
    result = Recorded(recorded=len(found))
    return session(ctx).show(result, lambda page: page.line(f"{result.recorded} records written"))


@records.command("purge")
def telemetry_purge(
    ctx: typer.Context,
    before: Annotated[str | None, typer.Option(help="Only records from before this day.", metavar="YYYY-MM-DD")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Without this nothing is deleted.")] = False,
) -> int:
    """Delete records for good."""
    from rag.cli.records import Recorded
    from rag.requests import checked_date
    from rag.telemetry.quality.records import purge_quality

    if not yes:
        raise InputError("This deletes records for good. Say --yes to do it.")
    with session(ctx).database() as database:
        count = purge_quality(database, before=checked_date(before) if before else None)
    result = Recorded(recorded=count)
    tell(f"{count} records deleted")
    return session(ctx).show(result, lambda page: None)


@verbs.command()
def guidelines(
    ctx: typer.Context,
    jurisdiction: Annotated[
        str | None, typer.Argument(help="us-dc, fr, eu|fr, `*`; without it the core.", metavar="JURISDICTION")
    ] = None,
) -> int:
    """Print the rules of legal research that MCP clients are given."""
    found = session(ctx).asked(
        lambda engine: engine.guidelines("jurisdiction" if jurisdiction else "core", jurisdiction)
    )
    return session(ctx).show(found, lambda page: page.line(found.text))


def _records(page: Page, result: QualityRecords) -> None:
    if not result.records:
        page.line("No records. quality_check and ask make them, unless the setting `telemetry` is off.")
    for record in result.records:
        alert = f"  {record.highest_alert_severity}" if record.highest_alert_severity else ""
        page.line(
            f"{record.recorded_on} {record.mode} by {record.origin}, {record.model}, "
            f"{', '.join(record.jurisdictions) or '-'}{alert}"
        )
        shown = record.model_dump(mode="json", exclude_defaults=True)
        for name, value in shown.items():
            if value and name not in (
                "recorded_on",
                "mode",
                "origin",
                "model",
                "jurisdictions",
                "highest_alert_severity",
            ):
                page.line(f"{name}: {_words(value)}", indent=2, hang=2)
    if result.more:
        page.line("There are more; --limit shows them.")


def _words(value: object) -> str:
    return ", ".join(str(part) for part in cast("list[object]", value)) if isinstance(value, list) else str(value)
