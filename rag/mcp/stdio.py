"""Standard input of an MCP server: every line that asks for something is answered, and so is what is no message.

The library drops calls that run when the input ends, so that `lexscope mcp < requests` would answer little. Here the
end is held back until the calls read so far have their replies, for `GRACE_SECONDS` at most. It also drops lines that
are no message, whose sender would wait for ever; they get the errors of JSON-RPC here.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from types import TracebackType
from typing import Any, Self, cast

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from rag.mcp.errors import KEY_TWICE, NO_JSON, NO_MESSAGE, UNFIT_ID, fits_as_id
from retrieval.strict_json import DUPLICATE_KEYS, JsonRefused, member, parse_json

GRACE_SECONDS = 0.4
_TICK_SECONDS = 0.01

Arriving = Any  # the library's stream of SessionMessage or Exception; it keeps its protocols for these to itself
Leaving = Any


class Lines:
    """The lines of standard input that are messages; another one is answered with an error, once `replies` is there."""

    def __init__(self, source: AsyncIterable[bytes]) -> None:
        self.source = source
        self._replies: Leaving = None
        self._ready = anyio.Event()

    def reply_to(self, replies: Leaving) -> None:
        """Name the stream that errors are sent to; until then the first line that needs one waits."""
        self._replies = replies
        self._ready.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self.source:
            error = refused_line(line)
            if error is None:
                yield line.decode("utf-8-sig")
            else:
                await self._ready.wait()
                await self._replies.send(SessionMessage(error))


def refused_line(line: bytes) -> JSONRPCError | None:
    """The error for a line that is no message of JSON-RPC; None for one that is, and for an empty one.

    Args:
        line: UTF-8, with or without its line end.
    """
    text = line.removeprefix(BOM_UTF8)
    if not text.strip():
        return None
    try:
        found = parse_json(text, max_bytes=len(text))
    except JsonRefused as refused:
        if refused.reason == DUPLICATE_KEYS:
            return _error(None, INVALID_REQUEST, KEY_TWICE)
        return _error(None, PARSE_ERROR, NO_JSON)
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        if any(problem["type"] == "json_invalid" for problem in error.errors(include_url=False, include_input=False)):
            return _error(None, PARSE_ERROR, NO_JSON)  # half a surrogate pair
        return _error(member(found, "id"), INVALID_REQUEST, NO_MESSAGE)
    # The library takes a request whose id it cannot use for a notification, and its sender would wait for an answer.
    if isinstance(message, JSONRPCNotification) and isinstance(found, dict) and "id" in found:
        return _error(None, INVALID_REQUEST, UNFIT_ID)
    return None


def _error(id_: object, code: int, message: str) -> JSONRPCError:
    known = cast("str | int", id_) if fits_as_id(id_) else None
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=message))


class _Stream:
    """A stream of the library, which is closed with what stands around it."""

    inner: Any

    async def aclose(self) -> None:
        """Close the stream."""
        await self.inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()


class Held(_Stream):
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

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Watched(_Stream):
    """The stream of leaving messages; tells `Held` which requests have their reply."""

    def __init__(self, inner: Leaving, held: Held) -> None:
        self.inner, self.held = inner, held

    async def send(self, item: SessionMessage, /) -> None:
        """Pass on a message."""
        await self.inner.send(item)
        if isinstance(item.message, (JSONRPCResponse, JSONRPCError)) and item.message.id is not None:
            self.held.open.discard(item.message.id)
