"""The verb server: whether the embedded server runs, who uses it, when it ends; and its end at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from rag.cli.session import Session, server_folder, session, verb_group
from retrieval.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from rag.cli.records import ServerReport
    from rag.presentation.page import Page


verbs = typer.Typer(rich_markup_mode=None)
server = verb_group(verbs, "server", "The embedded server, which stays for a while.")


@server.command()
def status(ctx: typer.Context) -> int:
    """Say whether the embedded server runs, since when, for whom, and when it ends."""
    from rag.cli.records import ServerReport
    from rag.store.embedded_server import clients_of, server_state

    given = session(ctx)
    folder = _folder(given)
    found = server_state(folder)
    if found is None:
        report = ServerReport(running=False, data=str(folder), clients=[])
    else:
        report = ServerReport(
            running=True, data=str(folder), pid=found.pid, since=found.since, used=found.used,
            clients=clients_of(found), idle_seconds=found.idle_seconds, idle_left=found.idle_left,
        )  # fmt: skip
    return given.show(report, lambda page: _show(page, report), 0 if report.running else 3)


@server.command()
def stop(ctx: typer.Context) -> int:
    """End the embedded server now; one that is in use is left alone."""
    from rag.cli.records import ServerStopped
    from rag.store.embedded_server import stop_server

    given = session(ctx)
    folder = _folder(given)
    result = ServerStopped(stopped=stop_server(folder), data=str(folder))
    said = "The embedded server was ended." if result.stopped else f"No embedded server runs in {folder}."
    return given.show(result, lambda page: page.line(said))


def _folder(given: Session) -> Path:
    """The data folder of the settings.

    Raises:
        InputError: they name another server.
    """
    settings = given.settings()
    if settings.database_url is not None:
        raise InputError(
            "The settings name a server of their own (--database-url, LEXSCOPE_DATABASE_URL or DATABASE_URL); these "
            "verbs are about the embedded one."
        )
    return server_folder(settings)


def _show(page: Page, report: ServerReport) -> None:
    if not report.running or report.since is None:
        page.line(f"No embedded server runs in {report.data}; the next verb that needs the store starts it.")
        return
    page.line(f"The embedded server in {report.data} runs as process {report.pid}.", hang=2)
    page.line(f"since   {report.since:%Y-%m-%d %H:%M:%S} UTC")
    if report.used or report.clients:
        users = ", ".join(f"process {client}" for client in report.clients) or "one without a connection"
        page.line(f"clients {users}", hang=8)
        page.line(f"ends    {report.idle_seconds:.0f} s after the last one")
    elif report.idle_left is None:
        page.line("ends    with the next verb, or with `lexscope server stop`: what kept it was killed")
    else:
        page.line(f"ends    in {report.idle_left:.0f} s unless it is used")
