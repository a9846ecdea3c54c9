"""The end of the input, for an MCP server over standard input and output: calls that run are answered first.

The library drops them when the input ends, so that `lexscope mcp < requests` would answer little. Here the end is held
back until the calls read so far have their replies, for `GRACE_SECONDS` at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, cast

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

GRACE_SECONDS = 0.4
_TICK_SECONDS = 0.01

Arriving = Any  # the library's stream of SessionMessage or Exception; it keeps its protocols for these to itself
Leaving = Any


class Held:
    """The stream of arriving messages, whose end waits for `Watched` to have seen the replies."""

    def __init__(self, inner: Arriving, at_end: Callable[[], None] | None = None) -> None:
        self.inner, self.at_end = inner, at_end
        self.open: set[str | int] = set()  # ids of requests without a reply

    @property
    def last_context(self) -> Any:
        """The context in which the latest message was sent, as the library looks for it."""
        return self.inner.last_context

    async def receive(self) -> SessionMessage | Exception:
        """The next message.

        Raises:
            EndOfStream: the input ended, and what it asked for is answered or takes too long.
        """
        try:
            item = await self.inner.receive()
        except anyio.EndOfStream:
            if self.at_end is not None:
                self.at_end()
            with anyio.move_on_after(GRACE_SECONDS):
                while self.open:
                    await anyio.sleep(_TICK_SECONDS)
            raise
        self._note(item)
        return item

    def _note(self, item: SessionMessage | Exception) -> None:
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCRequest):
            self.open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            # What was cancelled gets no reply.
            self.open.discard(cast("Mapping[str, Any]", message.params or {}).get("requestId", ""))

    async def aclose(self) -> None:
        """Close the stream."""
        await self.inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()


class Watched:
    """The stream of leaving messages; tells `Held` which requests have their reply."""

    def __init__(self, inner: Leaving, held: Held) -> None:
        self.inner, self.held = inner, held

    async def send(self, item: SessionMessage, /) -> None:
        """Pass on a message."""
        await self.inner.send(item)
        if isinstance(item.message, (JSONRPCResponse, JSONRPCError)) and item.message.id is not None:
            self.held.open.discard(item.message.id)

    async def aclose(self) -> None:
        """Close the stream."""
        await self.inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()
