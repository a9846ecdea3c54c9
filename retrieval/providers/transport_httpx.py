"""The wire of `retrieval.providers.transport` for a vendor whose client still uses httpx. Load it lazily.

The reply is kept as it came, so that whoever called the vendor's client can read it strictly and need not rely on
what that client makes of a broken one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import httpx
import httpx2

from retrieval.providers.transport import Wire, WireTransport


@dataclass(frozen=True, slots=True)
class RawReply:
    """A complete reply; header names are lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class WireBridge(httpx.BaseTransport):
    """A transport for one attempt, within the `wire`; `reply` is what came, None until it has come in full.

    Raises:
        ConfigurationError: the environment asks for a kind of proxy that is not supported.
    """

    def __init__(self, wire: Wire, base_url: str) -> None:
        self._transport = WireTransport(wire, base_url)
        self.reply: RawReply | None = None
        self.timed_out = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and read its reply to the end.

        Raises:
            httpx.TransportError: no complete reply came.
        """
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"accept-encoding"]
        sent = httpx2.Request(
            request.method,
            str(request.url),
            headers=[*headers, (b"Accept-Encoding", b"identity")],
            content=request.read(),
        )
        try:
            received = self._transport.handle_request(sent)
            body = b"".join(cast("httpx2.SyncByteStream", received.stream))
        except httpx2.TimeoutException:
            self.timed_out = True
        except httpx2.TransportError:
            self.timed_out = False
        else:
            self.reply = RawReply(received.status_code, dict(received.headers), body)
            return httpx.Response(received.status_code, headers=self.reply.headers, content=body)
        # A kind that the vendor's client never tries again by itself; the wire knows what happened.
        raise httpx.ReadError("no reply")

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()
