"""The verb fetch: official bulk sources."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.session import progress, session
from retrieval.errors import InputError

if TYPE_CHECKING:
    from rag.fetch.run import FetchReport, Step
    from rag.fetch.sources import BulkSource
    from rag.presentation.page import Page

verbs = typer.Typer(rich_markup_mode=None)

_MEGABYTE = 1_000_000


@verbs.command()
def fetch(
    ctx: typer.Context,
    source: Annotated[str | None, typer.Argument(help="One of --list.", metavar="SOURCE", show_default=False)] = None,
    identifiers: Annotated[
        list[str] | None, typer.Argument(help="What of it, as --list says.", metavar="ID...", show_default=False)
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show the sources and what their identifiers are.")] = False,
    to: Annotated[
        Path | None, typer.Option(help="Folder to write to. [fetched/SOURCE in the data folder]", metavar="FOLDER")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="A mirror of the source. [its own address]", metavar="URL")
    ] = None,
    delay: Annotated[
        float | None, typer.Option(help="Seconds between requests. [the source's]", metavar="SECONDS", min=0, max=3600)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show addresses and sizes only.")] = False,
) -> int:
    """Fetch law from its official publisher, to be ingested.

    Needs the network and no key. A fetch that was broken off goes on where it was when it is called again.
    """
    from rag.fetch.sources import source_named

    given = session(ctx)
    if listed:
        if source is not None:
            raise InputError("--list shows all sources and takes no source.")
        return _list(ctx)
    if source is None:
        raise InputError("Name a source; `lexscope fetch --list` shows them.")
    from rag.fetch.run import fetch as run
    from rag.fetch.web import Manners

    found = source_named(source)
    folder = to if to is not None else given.settings().data_dir / "fetched" / found.name
    manners = Manners(delay=found.delay if delay is None else delay)
    with _steps() as report:
        result = run(
            found, identifiers or [], folder, base_url=base_url, manners=manners, dry_run=dry_run, report=report
        )
    return given.show(result, lambda page: _show(page, result, found, dry_run=dry_run), 1 if result.failed else 0)


@contextmanager
def _steps() -> Generator[Callable[[Step], None]]:
    """Something to call with each step: bytes move a bar on a terminal, elsewhere each finished file is a line."""
    from rag.ingest.pipeline import Progress

    with progress() as advance:
        shown = -1

        def report(step: Step) -> None:
            nonlocal shown
            here = step.received // _MEGABYTE
            if step.finished or (sys.stderr.isatty() and here != shown):
                size = f" of {step.size / _MEGABYTE:.1f}" if step.size is not None else ""
                label = step.file if step.finished else f"{step.file}  {step.received / _MEGABYTE:.1f}{size} MB"
                advance(Progress(step.done, step.files, label, 0))
            shown = -1 if step.finished else here

        yield report


def _list(ctx: typer.Context) -> int:
    from rag.fetch.sources import SOURCES, SourceInfo, SourceList

    result = SourceList(sources=[SourceInfo.of(source) for source in SOURCES])

    def lines(page: Page) -> None:
        for source in result.sources:
            page.line(source.name, style="bold")
            page.table(
                [
                    ("publisher", source.publisher),
                    ("licence", source.licence),
                    ("address", f"{source.base_url} ({source.layout})"),
                    ("format", source.format),
                    ("identifier", source.identifier),
                    ("asked", f"one request at a time, {source.delay_seconds:g} s apart"),
                ],
                indent=2,
            )
            page.command(f"fetch {source.name} {source.example}")

    return session(ctx).show(result, lines)


def _show(page: Page, result: FetchReport, source: BulkSource, *, dry_run: bool) -> None:
    for file in result.files:
        size = "size not known" if file.size is None else f"{file.size:,} bytes"
        if file.status == "failed":
            page.line(f"failed {file.file}: {file.cause}", style="bold red", hang=2)
            page.line(file.url, indent=2)
        elif dry_run:
            page.line(f"{file.url}  {size}", hang=2)
        else:
            page.line(f"{file.status} {file.file}  {size}  sha256 {file.sha256}", hang=2)
    if result.unpacked:
        page.line(f"unpacked {result.unpacked:,} files")
    page.line(f"Licence: {source.licence}. Publisher: {source.publisher}.", hang=2)
    if not dry_run and any(file.status != "failed" for file in result.files):
        page.line("Now bring it into the store:")
        page.command(f"ingest {shlex.quote(str(result.folder))}")
