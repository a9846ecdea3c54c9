"""What stands before the MCP endpoint on HTTP: who may speak to it, how, and how much.

A request is refused by its status alone, with a sentence from a closed set: nothing that was sent comes back. The
checks come in this order, so that a page which a browser was tricked into loading learns nothing: doubtful framing 400,
Host 421, Origin 403, path 404, method 405, bearer token 401, content type 400, size 413, a body that does not come 408.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import anyio
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    InboundLadderRejection,
    decode_header_value,
    unsupported_protocol_version_rejection,
)
from mcp.types import HEADER_MISMATCH, INVALID_REQUEST, PARSE_ERROR
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.mcp.errors import KEY_TWICE, UNFIT_ID, fits_as_id
from retrieval.strict_json import DUPLICATE_KEYS, JsonRefused, parse_json

MCP_PATH = "/mcp"
HEALTH_PATH = "/health"
READY_PATH = "/readyz"  # whether the store answers, and how far a standby lies behind
ALIVE_PATH = "/healthz"  # the process answers, whatever its store does
HEALTH_PATHS = (HEALTH_PATH, READY_PATH, ALIVE_PATH)
METRICS_PATH = "/metrics"  # behind the token: how much a server is used is nobody's business
READ_PATHS = (*HEALTH_PATHS, METRICS_PATH)
MAX_BODY = 4 * 1024 * 1024  # bytes
BODY_SECONDS = 30.0
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})

# Of these, a second one could be read differently by a proxy and by us.
_SINGLE = ("host", "origin", "authorization", "content-type", "content-length", "transfer-encoding")
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>\d{1,5}))?\Z", re.ASCII)
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<host>\S+)\Z", re.ASCII)

_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
# Sentences of the library after which it repeats what it read, and what is said instead.
_REPEATING: Mapping[str, str] = {
    "Parse error": "The body is no JSON.",
    "Validation error": "The body is no JSON-RPC 2.0 request, notification or response.",
}

_REFUSALS: Mapping[int, tuple[str, str]] = {
    400: ("bad_request", "The request is malformed: a header is there twice or contradicts another, or it is no JSON."),
    401: ("unauthorized", "Send the header `Authorization: Bearer TOKEN` with the token of this server."),
    403: ("forbidden_origin", "Web pages of this origin may not use this server; see --allow-origin."),
    404: ("not_found", f"The MCP endpoint is {MCP_PATH}; {HEALTH_PATH} tells whether the server works."),
    405: ("method_not_allowed", f"{MCP_PATH} takes POST only, {HEALTH_PATH} and {METRICS_PATH} GET only."),
    408: ("timeout", f"The request's body did not arrive within {BODY_SECONDS:.0f} s."),
    413: ("too_large", f"The request's body has more than {MAX_BODY} bytes."),
    421: ("wrong_host", "The Host header does not name this server; see --allow-host."),
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may speak to the server."""

    token: str
    hosts: frozenset[str]  # `name` for any port, `name:port` for one
    origins: frozenset[str]  # `https://name` as a browser sends it
    loopback: bool  # whether pages on loopback names, on any port, count as allowed too

    def admits_host(self, value: str) -> bool:
        """Whether a Host header names this server."""
        match = _HOST.match(value.lower())
        if match is None:
            return False
        return match["name"] in self.hosts or value.lower() in self.hosts

    def admits_origin(self, value: str) -> bool:
        """Whether pages of this origin may use the server."""
        if value.lower() in self.origins:
            return True
        match = _ORIGIN.match(value.lower())
        host = _HOST.match(match["host"]) if match else None
        return self.loopback and host is not None and host["name"] in LOOPBACK_NAMES

    def admits_token(self, header: str) -> bool:
        """Whether an Authorization header holds the token; takes as long for a wrong one as for the right one."""
        scheme, _, given = header.partition(" ")
        known, shown = (hashlib.sha256(text.encode()).digest() for text in (self.token, given.strip()))
        return hmac.compare_digest(known, shown) and scheme.lower() == "bearer"


class Guard:
    """An ASGI application that lets through to another what `Access` admits, its body read and measured.

    Args:
        access: who may speak to it.
        state: answers what operators ask: the paths of health and metrics.
    """

    def __init__(self, app: ASGIApp, access: Access, state: Callable[[str], Awaitable[Response]]) -> None:
        self.app, self.access, self.state = app, access, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection's request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        status = self._refused(scope, headers)
        if origin is not None and status not in (400, 403, 421):
            send = _with_cors(send, origin)
            if scope["method"] == "OPTIONS":
                await _preflight()(scope, receive, send)
                return
        if status is not None:
            await refusal(status, allow="GET" if scope["path"] in READ_PATHS else "POST")(scope, receive, send)
        elif scope["path"] in READ_PATHS:
            await (await self.state(scope["path"]))(scope, receive, send)
        else:
            body = await read_body(receive, MAX_BODY)
            if isinstance(body, int):
                await refusal(body)(scope, receive, send)
            elif (refused := refused_message(headers, body)) is not None:
                await refused(scope, receive, send)
            else:
                await self.app(scope, _replayed(body, receive), _without_input(send))

    def _refused(self, scope: Scope, headers: Headers) -> int | None:
        """The status that a request is refused with; None where its body may be read."""
        if is_doubtful(headers):
            return 400
        if not self.access.admits_host(headers.get("host", "")):
            return 421
        if "origin" in headers and not self.access.admits_origin(headers["origin"]):
            return 403
        if scope["path"] not in (MCP_PATH, *READ_PATHS):
            return 404
        if scope["method"] != ("GET" if scope["path"] in READ_PATHS else "POST"):
            return 405
        if scope["path"] in HEALTH_PATHS:
            return None
        if not self.access.admits_token(headers.get("authorization", "")):
            return 401
        if scope["path"] == METRICS_PATH:
            return None
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 400
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return 400
        return 413 if len(length) > 18 or int(length) > MAX_BODY else None


def is_doubtful(headers: Headers) -> bool:
    """Whether a proxy may have read a request's end, or whom it is for, differently: a header twice, two framings."""
    twice = any(len(headers.getlist(name)) > 1 for name in _SINGLE)
    return twice or ("content-length" in headers and "transfer-encoding" in headers)


def refusal(status: int, *, allow: str = "POST") -> Response:
    """The reply of a refused request."""
    code, message = _REFUSALS[status]
    headers = {
        400: {"Connection": "close"},  # what follows may be meant as a request of its own
        401: {"WWW-Authenticate": "Bearer"},
        405: {"Allow": allow},
        408: {"Connection": "close"},
        413: {"Connection": "close"},
    }.get(status)
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status, headers=headers)


def refused_message(headers: Headers, body: bytes) -> Response | None:
    """The reply to a message that may not go on to the library; None where it may."""
    try:
        message = parse_json(body, max_bytes=MAX_BODY)
    except JsonRefused as refused:
        if refused.reason == DUPLICATE_KEYS:
            return _error(None, {"code": INVALID_REQUEST, "message": KEY_TWICE})
        return _error(None, {"code": PARSE_ERROR, "message": _REPEATING["Parse error"]})
    if not isinstance(message, dict):
        return None
    told = cast("dict[str, Any]", message)
    if "method" in told and "id" in told and not fits_as_id(told["id"]):
        # The library takes it for a notification of its older protocols, and its sender would wait for an answer.
        return _error(None, {"code": INVALID_REQUEST, "message": UNFIT_ID})
    return _header_mismatch(headers, told)


def _header_mismatch(headers: Headers, told: Mapping[str, Any]) -> Response | None:
    """The reply to a request whose routing headers do not say what its body says; None where they do.

    A proxy may have let it through for what the headers say. The library compares them for its newest protocol only.
    """
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER, "")
    rejected = unsupported_protocol_version_rejection(version) if version else None
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        rejected = None
    if rejected is None and not any(name in headers for name in (MCP_METHOD_HEADER, MCP_NAME_HEADER)):
        return None
    if rejected is None:
        method, params = told.get("method"), told.get("params")
        key = NAME_BEARING_METHODS.get(method) if isinstance(method, str) else None
        name = cast("dict[str, Any]", params).get(key) if isinstance(params, dict) and key is not None else None
        named = key is not None and _differs(headers, MCP_NAME_HEADER, name)
        if not named and not _differs(headers, MCP_METHOD_HEADER, method):
            return None
        rejected = InboundLadderRejection(HEADER_MISMATCH, "A routing header differs from the request's body.")
    error: dict[str, object] = {"code": rejected.code, "message": rejected.message}
    if rejected.data is not None:
        # What was asked for goes back where it is a version at all.
        error["data"] = {**rejected.data, "requested": version if _VERSION.match(version) else ""}
    return _error(told["id"] if isinstance(told.get("id"), (str, int)) else None, error)


def _error(id_: object, error: Mapping[str, object]) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": id_, "error": error}, status_code=400)


def _differs(headers: Headers, name: str, expected: object) -> bool:
    """Whether a header that is there says something else than the body."""
    given = headers.getlist(name)
    return bool(given) and (expected is None or [decode_header_value(value) for value in given] != [expected])


async def read_body(receive: Receive, most: int) -> bytes | int:
    """The whole body of a request, or the status that says why it was not taken: 400, 408, 413.

    Args:
        most: bytes that it may have.
    """
    received = bytearray()
    with anyio.move_on_after(BODY_SECONDS):
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return 400  # gone: nobody reads this
            received += message.get("body", b"")
            if len(received) > most:
                return 413
            if not message.get("more_body", False):
                return bytes(received)
    return 408


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read already, then what the connection says."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _without_input(send: Send) -> Send:
    """Takes out of the library's refusals what it repeats of a body that is no message of the protocol."""
    held: list[Message] = []

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 400:
            held.append(message)
            return
        if not held:
            await send(message)
            return
        held.append(message)
        if message.get("more_body", False):
            return
        start, *parts = held
        held.clear()
        body = _unrepeated(b"".join(part.get("body", b"") for part in parts))
        headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        length = (b"content-length", str(len(body)).encode())
        await send({**start, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": body})

    return sending


def _unrepeated(body: bytes) -> bytes:
    """A refusal whose message is the library's own sentence alone."""
    try:
        told: object = json.loads(body)
    except ValueError:
        return body
    error = cast("dict[str, Any]", told).get("error") if isinstance(told, dict) else None
    said = cast("dict[str, Any]", error).get("message") if isinstance(error, dict) else None
    kind = said.partition(":")[0] if isinstance(said, str) else ""
    if kind not in _REPEATING:
        return body
    changed = {**cast("dict[str, Any]", error), "message": _REPEATING[kind]}
    return json.dumps({**cast("dict[str, Any]", told), "error": changed}).encode()


def _preflight() -> Response:
    """What a browser asks before it lets a page send a token."""
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "POST",
            "Access-Control-Allow-Headers": "authorization, content-type, accept, mcp-protocol-version, mcp-method, "
            "mcp-name, mcp-session-id, last-event-id",
            "Access-Control-Max-Age": "600",
        },
    )


def _with_cors(send: Send, origin: str) -> Send:
    """Lets a page of an admitted origin read the reply."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = [(b"access-control-allow-origin", origin.encode("latin-1")), (b"vary", b"origin")]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sending
