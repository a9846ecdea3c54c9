"""Progress of a tool call, for callers that ask for it: one note at its start, at every stage, and every second."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.from_thread
from mcp.server.mcpserver import Context

from rag.progress import listening

SECONDS = 1.0  # between two signs of life


class _Report:
    """Counts the notes of one call, since a client expects progress to grow; how many will come is not known."""

    def __init__(self, tool: str, context: Context[Any, Any]) -> None:
        self.tool, self.context, self.count = tool, context, 0

    async def send(self, said: str) -> None:
        count, self.count = self.count, self.count + 1
        await self.context.report_progress(count, None, f"{self.tool}: {said}")

    def stage(self, name: str) -> None:
        """Called in the worker thread in which the tool runs."""
        anyio.from_thread.run(self.send, f"{name.replace('_', ' ')} done")

    async def beat(self) -> None:
        seconds = 0.0
        while True:
            await anyio.sleep(SECONDS)
            seconds += SECONDS
            await self.send(f"working for {seconds:.0f} s")


@asynccontextmanager
async def progress(tool: str, context: Context[Any, Any] | None, *, by_token: bool) -> AsyncGenerator[None]:
    """Report on a call while the `async with` lasts; the library drops it where the caller did not ask.

    The messages name the tool, a stage and seconds, never anything of the call's arguments.

    Args:
        tool: its name.
        context: the call's; None reports nothing.
        by_token: whether a caller can ask by a token only, as over a wire: without one no work is done for nobody.
    """
    if context is None or (by_token and (context.request_context.meta or {}).get("progress_token") is None):
        yield
        return
    report = _Report(tool, context)
    await report.send("started")
    # Entered and left by hand: a task group would wrap what the tool raises in an exception group.
    beating = anyio.create_task_group()
    await beating.__aenter__()
    try:
        beating.start_soon(report.beat)
        with listening(report.stage):
            yield
    finally:
        beating.cancel_scope.cancel()
        await beating.__aexit__(None, None, None)
