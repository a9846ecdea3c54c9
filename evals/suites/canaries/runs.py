"""Facts sent through the MCP tools in this process: in success, and while a provider or the database fails."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import anyio
import psycopg
from mcp import Client, MCPError
from mcp.types import TextContent
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from evals.suites.canaries.calls import (
    FEW,
    LONG,
    MA,
    RULE,
    SHORT,
    SILENT,
    Case,
    every_parameter,
    packed,
    shared_out,
    spoken,
)
from evals.suites.canaries.provider import MODES
from evals.suites.canaries.stage import Stage, search_log
from rag import Engine
from rag.mcp.server import build_server, listed_tools
from rag.store.database import Database
from retrieval.errors import StoreError

_KILLS = 2
_STATEMENT_SECONDS = 0.001
_WAITING = """
    select pid from pg_stat_activity
    where application_name = 'lexscope' and wait_event_type = 'Lock' and datname = current_database()"""


async def send(on: Stage, client: Client, case: Case, text: str) -> None:
    """Make one call; what it says is searched where it is an error, or of a tool that repeats nothing at all."""

    async def told(progress: float, total: float | None, message: str | None) -> None:
        on.haul.search("errors", f"progress of {case.tool}", message or "")

    on.haul.calls += 1
    try:
        result = await client.call_tool(case.tool or text, case.arguments(text), progress_callback=told)
    except MCPError as error:
        on.haul.search("errors", f"protocol error of {case.tool or 'an unknown tool'}", _words(error))
        return
    if result.is_error or case.tool in SILENT:
        said = "\n".join(
            content_block.text for content_block in result.content if isinstance(content_block, TextContent)
        )
        on.haul.search("errors", f"reply of {case.tool or 'an unknown tool'}", said)


def _words(error: MCPError) -> str:
    return f"{error.error.message} {json.dumps(error.error.data, ensure_ascii=False, default=str)}"


async def send_all(on: Stage, client: Client, cases: Sequence[Case], room: int | None = None) -> None:
    """All facts through the cases; see `shared_out`."""
    for case, text in shared_out(cases, on.haul.facts, room):
        await send(on, client, case, text)


def in_memory(on: Stage) -> None:
    """Every parameter of every tool, free text, resources and the prompt, over a store that works."""

    async def run() -> None:
        async with Client(build_server(on.engine)) as client:
            await send_all(on, client, every_parameter(listed_tools(on.engine)))
            await send_all(on, client, spoken())
            for text in packed(on.haul.facts, SHORT if len(on.haul.facts) <= FEW else LONG):
                await _other_methods(on, client, text)

    anyio.run(run)
    search_log(on)


async def _other_methods(on: Stage, client: Client, text: str) -> None:
    attempts: list[Callable[[], Any]] = [
        lambda: client.read_resource(f"legal://{quote(text, safe='')}"),
        lambda: client.read_resource(f"legal://urn:lex:ma:{quote(text, safe='')}/context"),
        lambda: client.read_resource(f"{quote(text[:40], safe='')}://x"),
        lambda: client.get_prompt(text, {}),
        lambda: client.get_prompt("scenario", {text: text}),
        lambda: client.get_prompt("scenario", {"scenario": text}),
        lambda: client.get_prompt("scenario", {"scenario": text, "jurisdiction": text}),
        lambda: client.get_prompt("scenario", {"scenario": RULE, "rules": text}),
        lambda: client.get_prompt("scenario", {"scenario": f"deposit {text}", **MA, "at_date": text}),
    ]
    for attempt in attempts:
        on.haul.calls += 1
        try:
            await attempt()
        except MCPError as error:
            on.haul.search("errors", "protocol error of a resource or prompt", _words(error))
        except ValueError:  # the client itself would not send it
            on.haul.calls -= 1


def providers(on: Stage) -> None:
    """Free text while the provider of drafts, vectors and rankings answers in each of its ways."""
    asking = [case for case in spoken() if case.tool in ("search", "get_context", "ask")]
    # Nothing is left of a provider that does not answer but the time it takes.
    waiting = [case for case in asking if case.tool == "ask"]

    async def run() -> None:
        for mode in MODES:
            on.provider.mode = mode
            slow = mode == "timeout"
            settings = on.settings.model_copy(update={"request_seconds": 0.3 if slow else 30.0})
            async with Client(build_server(on.engine.using(settings=settings))) as client:
                await send_all(on, client, waiting if slow else asking, LONG)

    try:
        anyio.run(run)
    finally:
        on.provider.mode = "echo"
    search_log(on)


def databases(on: Stage) -> None:
    """Free text while statements run out of time, connections are ended in mid call, and callers go away."""
    hasty = on.settings.model_copy(
        update={"database_url": SecretStr(make_conninfo(on.engine.database.conninfo)),
                "statement_timeout_seconds": _STATEMENT_SECONDS}
    )  # fmt: skip

    async def run() -> None:
        with Database(hasty) as database:
            async with Client(build_server(Engine(database, hasty))) as client:
                await send_all(on, client, spoken(), LONG)
        async with Client(build_server(on.engine)) as client:
            for place, (case, text) in enumerate(shared_out(spoken(), on.haul.facts, LONG)):
                await _struck(on, client, case, text, cancelled=place % 2 == 1)

    anyio.run(run)
    search_log(on)


def killed(on: Stage) -> None:
    """Free text while the process behind its connection is killed, after which PostgreSQL recovers."""

    async def run() -> None:
        async with Client(build_server(on.engine)) as client:
            case = next(one for one in spoken() if one.tool == "ask")
            for text in list(packed(on.haul.facts, LONG))[:_KILLS]:
                with suppress(psycopg.OperationalError):  # the other connections end with it
                    await _struck(on, client, case, text, cancelled=False, kill=True)
                await anyio.to_thread.run_sync(_recovered, on.engine.database)

    anyio.run(run)
    search_log(on)


async def _struck(on: Stage, client: Client, case: Case, text: str, *, cancelled: bool, kill: bool = False) -> None:
    """One call that a lock holds up until its connection is ended, its server process killed or its caller gone."""
    conninfo = on.engine.database.conninfo
    with psycopg.connect(conninfo) as holder, psycopg.connect(conninfo, autocommit=True) as judge:
        holder.execute("lock table legal_nodes in access exclusive mode")
        over = anyio.Event()

        async def call() -> None:
            try:
                await send(on, client, case, text)
            finally:
                over.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            while not over.is_set():
                held = judge.execute(_WAITING.encode()).fetchall()
                if held and cancelled:
                    tasks.cancel_scope.cancel()
                    holder.rollback()  # what runs in the server's thread cannot be cancelled, and is waited for
                    break
                if held and kill:
                    os.kill(held[0][0], signal.SIGKILL)
                    await over.wait()  # our own connections die with it, and must not be used here
                    break
                for (pid,) in held:
                    judge.execute("select pg_terminate_backend(%s)", [pid])
                await anyio.sleep(0.005)


def _recovered(database: Database) -> None:
    """Wait until the server takes connections again."""
    for _ in range(20):  # each waits some seconds for a connection
        try:
            with database.read() as conn:
                conn.execute("select 1")
        except StoreError:
            continue
        return
    raise RuntimeError("PostgreSQL did not recover from the death of one of its processes")
