"""Work of a request in a thread, ended at its deadline or when whoever asked has left; of the web application too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread
from starlette.types import Receive

from rag.calls import Call

_T = TypeVar("_T")


async def in_thread(function: Callable[[], _T], seconds: float, receive: Receive | None = None) -> _T:
    """What a function returns that is called in a thread. Where this is cancelled, the thread's work ends too.

    Args:
        function: the work.
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
