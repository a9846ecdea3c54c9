"""A reply that arrives piece by piece: only its length is told on the way, and it is read when it is complete.

What a model writes is unverified until its last character has come, so a listener gets counts and never words.
Without a listener nothing is streamed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, cast

from retrieval.providers.openai import unusable
from retrieval.strict_json import JsonRefused, member, objects, parse_json

if TYPE_CHECKING:
    import httpx2

Counter = Callable[[int], None]

_listener: ContextVar[Counter | None] = ContextVar("lexscope_drafting", default=None)
# Events of the Responses API; those of chat completions have `choices` and no type.
_FINAL = frozenset({"response.completed", "response.incomplete", "response.failed"})
_NOT_FINAL = "without a final status"


@contextmanager
def counting(listener: Counter) -> Generator[None]:
    """Have a function called with the number of characters drafted so far, for requests inside the `with`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def listener() -> Counter | None:
    """Who follows the current request's draft; None where nobody does."""
    return _listener.get()


def final_reply(provider: str, chunks: Iterable[bytes], count: Counter, *, max_bytes: int) -> bytes:
    """The complete reply of a stream of server-sent events, as the same JSON that comes without streaming.

    A provider that does not stream sends that JSON itself, which is given back as it is.

    Args:
        provider: named in the error.
        chunks: the body as it comes.
        count: called with the characters of output text so far.
        max_bytes: the largest event.

    Raises:
        ProviderRejected: an event is no JSON, or the stream ends before its last event.
    """
    drafted = 0
    chat = _Chat()
    pieces = iter(chunks)
    first = next(pieces, b"")
    if first.lstrip()[:1] == b"{":
        return b"".join((first, *pieces))
    for data in _events(first, pieces):
        event = _object(provider, data, max_bytes)
        kind = event.get("type")
        if "choices" in event:
            drafted += chat.add(event)
            count(drafted)
        elif kind is None and event.get("error") is not None:
            return json.dumps({"error": event["error"]}).encode()
        elif kind == "response.output_text.delta":
            delta = event.get("delta")
            drafted += len(delta) if isinstance(delta, str) else 0
            count(drafted)
        elif kind == "error":
            return json.dumps({"error": {"code": event.get("code")}}).encode()
        elif kind in _FINAL:
            # Escaped as it may have come: a lone surrogate is for the reader of the reply to refuse.
            return json.dumps(event.get("response")).encode()
    if not chat.finish_reason:
        raise unusable(provider, _NOT_FINAL)
    return json.dumps(chat.reply()).encode()


@dataclass
class _Chat:
    """A chat completion that is put together from its events."""

    pieces: dict[str, list[str]] = field(default_factory=lambda: {"content": [], "refusal": []})
    finish_reason: object = None
    usage: object = None

    def add(self, event: dict[str, object]) -> int:
        """Take in one event; the characters of output text in it."""
        self.usage = event.get("usage") or self.usage  # comes with the last event, which has no choice
        added = 0
        for choice in objects(event.get("choices"))[:1]:
            self.finish_reason = choice.get("finish_reason") or self.finish_reason
            for name, pieces in self.pieces.items():
                piece = member(choice.get("delta"), name)
                if isinstance(piece, str):
                    pieces.append(piece)
                    added += len(piece)
        return added

    def reply(self) -> dict[str, object]:
        message = {name: "".join(pieces) for name, pieces in self.pieces.items()}
        return {"choices": [{"message": message, "finish_reason": self.finish_reason}], "usage": self.usage}


def wrapped_chunks(chunks: Iterator[bytes], request: httpx2.Request) -> Iterator[bytes]:
    """The same chunks; what breaks off on the way is an error of the SDK, as it is without streaming."""
    import httpx2
    import openai

    broken: openai.APIConnectionError | None = None
    try:
        yield from chunks
    except httpx2.TimeoutException:
        broken = openai.APITimeoutError(request=request)
    except httpx2.HTTPError:
        broken = openai.APIConnectionError(request=request)
    if broken is not None:
        raise broken


def _object(provider: str, data: bytes, max_bytes: int) -> dict[str, object]:
    reason = "not a JSON object"
    try:
        value = parse_json(data, max_bytes=max_bytes)
    except JsonRefused as refused:
        value, reason = None, refused.reason
    if not isinstance(value, dict):
        raise unusable(provider, reason)
    return cast("dict[str, object]", value)


def _events(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """The data of each event; lines of one event are joined, comments and other fields left out."""
    lines: list[bytes] = []
    for line in _lines(first, rest):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            data = b"\n".join(lines)
            lines.clear()
            if data.strip() != b"[DONE]":
                yield data


def _lines(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    pieces: list[bytes] = []  # of a line that is not complete
    for chunk in chain((first,), rest):
        head, *whole = chunk.split(b"\n")
        pieces.append(head)
        for start in whole:
            yield b"".join(pieces).removesuffix(b"\r")
            pieces = [start]
