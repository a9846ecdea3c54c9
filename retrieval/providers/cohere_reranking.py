"""Reranking by Cohere, through its own client and under our own deadline.

The client builds the request, with an httpx that has to be loaded lazily; the reply is kept as it came and read here,
strictly, whatever the client makes of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

import httpx2

from retrieval.errors import ConfigurationError, ProviderRejected
from retrieval.providers.embedding import DOCUMENT_TOKENS
from retrieval.providers.openai import (
    Done,
    Failure,
    Reply,
    check_access,
    check_text,
    clean_request_id,
    read_object,
    retry_after,
    status_error,
    try_twice,
    unusable,
    wire_failure,
)
from retrieval.providers.transport import Wire, WireTransport
from retrieval.strict_json import member

if TYPE_CHECKING:
    import httpx

    from retrieval.providers.deadline import Deadline

BASE_URL = "https://api.cohere.com"
MODEL = "rerank-v3.5"
_BYTES_PER_RESULT = 512
_BYTES_PER_REPLY = 65_536


class CohereReranker:
    """Cohere's rerank API through its ClientV2. Holds no connection; safe to share by threads.

    Args:
        api_key: sent as a bearer token; never part of a message or a repr.
        model: its name.
        base_url: without `/v2`; None is Cohere's own.
        deadline_seconds: of one call, its retry included.
        connect_seconds: the most that one attempt spends on getting connected.
        backoff_seconds: the pause before the retry where the provider names none.

    Raises:
        ConfigurationError: the extra is not installed, or the key or the address cannot be used.
    """

    provider = "cohere"

    def __init__(
        self,
        api_key: str,
        model: str = MODEL,
        base_url: str | None = None,
        *,
        deadline_seconds: float = 10.0,
        connect_seconds: float = 5.0,
        backoff_seconds: float = 0.5,
    ) -> None:
        if find_spec("cohere") is None:
            raise ConfigurationError(
                "Reranking by Cohere needs the extra `rerank`: pip install 'lexscope[rerank]'. "
                "Or set LEXSCOPE_RERANKER to none."
            )
        self.model = model
        self.deadline_seconds = deadline_seconds
        self._api_key = api_key
        self._base_url = base_url or BASE_URL
        self._connect_seconds = connect_seconds
        self._backoff_seconds = backoff_seconds
        check_access(api_key, self._base_url)

    def relevance(self, question: str, documents: Sequence[str]) -> list[float]:
        """The relevance of each document; see `Reranker.relevance`.

        Raises:
            InputError: the question or a document cannot be sent.
            ProviderTimeout: no complete reply within the deadline.
            ProviderRejected: refused, or the reply is not usable.
            ProviderError: unreachable or unavailable, also at the second attempt.
        """
        if not documents:
            return []
        check_text(question, "question")
        for position, document in enumerate(documents, start=1):
            check_text(document, f"candidate {position}")

        def attempt(deadline: Deadline) -> Done[list[float]] | Failure:
            return self._attempt(question, list(documents), deadline)

        return try_twice(attempt, seconds=self.deadline_seconds, backoff_seconds=self._backoff_seconds)

    def _attempt(self, question: str, documents: list[str], deadline: Deadline) -> Done[list[float]] | Failure:
        # The SDK takes most of a second to import and is needed with a key only.
        import cohere
        import httpx
        from cohere.core.api_error import ApiError

        max_bytes = _BYTES_PER_REPLY + len(documents) * _BYTES_PER_RESULT
        wire = Wire(deadline, max_bytes, self._connect_seconds)
        bridge = _WireBridge(wire, self._base_url)
        with httpx.Client(transport=cast("httpx.BaseTransport", bridge), timeout=None, follow_redirects=False) as http:  # noqa: S113 - the wire's
            client = cohere.ClientV2(self._api_key, base_url=self._base_url, max_retries=0, httpx_client=http)
            try:
                client.rerank(
                    model=self.model, query=question, documents=documents, top_n=len(documents),
                    max_tokens_per_doc=DOCUMENT_TOKENS,
                )  # fmt: skip
            except (ApiError, httpx.HTTPError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
                # Whatever the client makes of it: what came is read below, and what did not the wire knows.
                failed = True
            else:
                failed = False
        raw = bridge.reply
        if raw is None:
            return wire_failure(self.provider, wire, timed_out=bridge.timed_out)
        request_id = clean_request_id(raw.headers.get("x-request-id"))
        if not 200 <= raw.status < 300:
            error = status_error(self.provider, raw.status, None, request_id)
            wait = retry_after(raw.headers.get("retry-after"), raw.headers.get("retry-after-ms"))
            return Failure(error, retry=error.retryable, retry_after=wait)
        try:
            scores = self._read(Reply(raw.body, request_id), len(documents), max_bytes)
            if failed:
                raise unusable(self.provider, "not what its own client reads", request_id)
        except ProviderRejected as error:
            return Failure(error, retry=False)
        return Done(scores)

    def _read(self, reply: Reply, count: int, max_bytes: int) -> list[float]:
        envelope = read_object(self.provider, reply, max_bytes)
        results = envelope.get("results")
        items = cast("list[object]", results) if isinstance(results, list) else []
        found: dict[int, float] = {}
        for item in items:
            index, score = member(item, "index"), member(item, "relevance_score")
            if type(index) is not int or index in found or not 0 <= index < count:
                raise unusable(self.provider, "results without an index each", reply.request_id)
            if not isinstance(score, int | float) or isinstance(score, bool) or not math.isfinite(score):
                raise unusable(self.provider, "a relevance that is no number", reply.request_id)
            found[index] = float(score)
        if len(found) != count:
            raise unusable(self.provider, "a wrong number of results", reply.request_id)
        return [min(max(found[index], 0.0), 1.0) for index in range(count)]


@dataclass(frozen=True, slots=True)
class _RawReply:
    """A complete reply; header names are lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class _WireBridge:
    """A transport of httpx for one attempt, within the `wire`; `reply` is what came, None until it has come in full.

    Raises:
        ConfigurationError: the environment asks for a kind of proxy that is not supported.
    """

    def __init__(self, wire: Wire, base_url: str) -> None:
        self._transport = WireTransport(wire, base_url)
        self.reply: _RawReply | None = None
        self.timed_out = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and read its reply to the end.

        Raises:
            httpx.TransportError: no complete reply came.
        """
        import httpx

        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"accept-encoding"]
        headers.append((b"Accept-Encoding", b"identity"))
        sent = httpx2.Request(request.method, str(request.url), headers=headers, content=request.read())
        try:
            received = self._transport.handle_request(sent)
            body = b"".join(cast("httpx2.SyncByteStream", received.stream))
        except httpx2.TimeoutException:
            self.timed_out = True
        except httpx2.TransportError:
            self.timed_out = False
        else:
            self.reply = _RawReply(received.status_code, dict(received.headers), body)
            return httpx.Response(received.status_code, headers=self.reply.headers, content=body)
        # A kind that the vendor's client never tries again by itself; the wire knows what happened.
        raise httpx.ReadError("no reply")

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._transport.close()
