"""How many calls run at once, and each in a thread, ended at its deadline or when its client has left."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
import anyio.to_thread
from starlette.types import Receive

from rag.calls import Call
from rag.store.database import BUSY_SECONDS, MOST_WAITING, Database
from retrieval.errors import StoreBusy

_T = TypeVar("_T")


class Turns:
    """Calls at once, as many as there are connections to the database. Others wait in line, first come first served.

    Args:
        database: whose connections they take.
        seconds: for which a call waits at most.
    """

    def __init__(self, database: Database, seconds: float) -> None:
        self._database, self._seconds = database, seconds
        self._turns = anyio.CapacityLimiter(database.settings.pool_size)

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """One call's turn.

        Raises:
            StoreBusy: the line is full, calls that run hold all connections and give none back, or the time is over.
        """
        try:
            self._turns.acquire_nowait()
        except anyio.WouldBlock:
            await self._wait()
        try:
            yield
        finally:
            self._turns.release()

    async def _wait(self) -> None:
        if self._turns.statistics().tasks_waiting >= MOST_WAITING:
            raise StoreBusy(f"{MOST_WAITING} calls wait for their turn. Try again.")
        came = False
        async with anyio.create_task_group() as waiting:
            waiting.start_soon(self._give_up, waiting.cancel_scope)
            await self._turns.acquire()
            came = True
            waiting.cancel_scope.cancel()
        if not came:
            raise StoreBusy

    async def _give_up(self, waiting: anyio.CancelScope) -> None:
        """End the wait where it leads to nothing; a call that waits for a model holds a turn and no connection."""
        end = anyio.current_time() + self._seconds
        while anyio.current_time() < end and not self._database.exhausted:
            await anyio.sleep(BUSY_SECONDS / 4)
        waiting.cancel()


async def in_thread(function: Callable[[], _T], seconds: float, receive: Receive | None = None) -> _T:
    """What a function returns that is called in a thread. Where this is cancelled, the thread's work ends too.

    Args:
        seconds: its deadline.
        receive: the request's, its body read: tells when the client has left.

    Raises:
        CallTimeout: the work took longer, or the client has left.
    """
    call = Call(seconds)
    outcome: list[_T] = []
    failure: list[Exception] = []
    async with anyio.create_task_group() as group:
        if receive is not None:
            group.start_soon(_end_without_client, call, receive)
        try:
            outcome.append(await anyio.to_thread.run_sync(lambda: call.run(function), abandon_on_cancel=True))
        except Exception as error:  # raised below: a group would wrap it
            failure.append(error)
        except BaseException:
            call.end()
            raise
        group.cancel_scope.cancel()
    if failure:
        raise failure[0]
    return outcome[0]


async def _end_without_client(call: Call, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    call.end()
