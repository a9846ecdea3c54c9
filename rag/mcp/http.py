"""The MCP server over streamable HTTP: stateless, on loopback and behind a bearer token unless told otherwise.

No session is kept: every request stands alone, so that a server which was killed and started again, or one of several
behind a proxy, serves a client that knows nothing of it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from rag.engine import Engine
from rag.mcp.errors import LogForm, private_handler
from rag.mcp.guard import ALIVE_PATH, LOOPBACK_NAMES, MAX_BODY, MCP_PATH, METRICS_PATH, READY_PATH, Access, Guard
from rag.mcp.metrics import CONTENT_TYPE, Metrics, Readings
from rag.mcp.server import build_server
from rag.mcp.token import MIN_TOKEN
from retrieval.errors import ConfigurationError, StoreError
from retrieval.queries import QUERIES

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
HEAD_SECONDS = 10.0  # for a request's headers to arrive
CONNECTIONS = 512
DRAIN_SECONDS = 5  # for calls that run when a signal says to stop
NO_ORIGIN = "none"  # instead of an origin: no web page may use the server


def is_loopback(host: str) -> bool:
    """Whether an address to bind can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def checked_access(
    host: str, token: str, *, given: bool, hosts: Sequence[str], origins: Sequence[str], proxied: bool = False
) -> Access:
    """Who may speak to a server bound to an address.

    Args:
        host: the address to bind.
        given: whether the operator chose the token, instead of having it made.
        hosts: names that a Host header may have, `name` or `name:port`, beside those of loopback.
        origins: origins whose web pages may use the server, or `none`.
        proxied: whether others reach it through a proxy, though it is bound to loopback.

    Raises:
        ConfigurationError: another address than loopback without token, hosts and origins; or one is malformed.
    """
    loopback = is_loopback(host) and not proxied
    if not loopback:
        missing = [
            name
            for name, there in (
                (f"a token of {MIN_TOKEN} characters or more (LEXSCOPE_MCP_TOKEN or --token-file)",
                 given and len(token) >= MIN_TOKEN),
                ("--allow-host NAME, the name that clients call it by", bool(hosts)),
                (f"--allow-origin ORIGIN, or `{NO_ORIGIN}` where no web page may use it", bool(origins)),
            )
            if not there
        ]  # fmt: skip
        if missing:
            raise ConfigurationError(
                f"Other machines can reach this {'server' if proxied else 'address'}. "
                f"To serve them, give {'; '.join(missing)}."
            )
    access = Access(
        token=token,
        hosts=frozenset(host.lower() for host in hosts) | (LOOPBACK_NAMES if loopback else frozenset[str]()),
        origins=frozenset(origin.lower().rstrip("/") for origin in origins if origin != NO_ORIGIN),
        loopback=loopback,
    )
    if not all(access.admits_host(host) for host in hosts):
        raise ConfigurationError("--allow-host is a name such as law.example.org, or name:port; no scheme, no path.")
    if not all(origin.startswith(("https://", "http://")) and origin.count("/") == 2 for origin in access.origins):
        raise ConfigurationError("--allow-origin is an origin such as https://app.example.org; no path.")
    return access


def http_app(engine: Engine, access: Access) -> ASGIApp:
    """The ASGI application: the MCP endpoint, health and metrics, and the guard before all."""
    metrics = Metrics()
    inner = build_server(engine, over_wire=True, many_clients=True, metrics=metrics).streamable_http_app(
        streamable_http_path=MCP_PATH,
        stateless_http=True,
        max_request_body_size=MAX_BODY,
        # The guard has looked at Host and Origin, by its own list.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    def ask_store() -> float | None:
        with engine.database.read() as conn:
            return next(conn.execute(QUERIES["read_staleness"]))[0]

    def ask_readings() -> Readings | None:
        try:
            with engine.database.read() as conn:
                return Readings(*next(conn.execute(QUERIES["measure_law_readings"])))
        except StoreError:
            return None

    async def state(path: str) -> Response:
        if path == ALIVE_PATH:
            return JSONResponse({"status": "ok"})
        if path == METRICS_PATH:
            readings = await anyio.to_thread.run_sync(ask_readings)
            return Response(metrics.text(engine.database.connections(), readings), media_type=CONTENT_TYPE)
        try:
            behind = await anyio.to_thread.run_sync(ask_store)
        except StoreError as error:
            return JSONResponse({"status": "unavailable", "code": error.code}, status_code=503)
        return JSONResponse({"status": "ok"} | ({"behind_seconds": behind} if path == READY_PATH else {}))

    return Guard(inner, access, state)


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket bound to an address; port 0 takes any free one.

    Raises:
        ConfigurationError: the address cannot be had.
    """
    plain = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(plain, port, type=socket.SOCK_STREAM)[0]
        # Only where a socket names TCP, asyncio sends at once (TCP_NODELAY); else each reply waits 40 ms for an ACK.
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigurationError(f"--host cannot be used ({error.strerror}).") from None
    try:
        # A server that was killed a moment ago must not keep the next one waiting.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise ConfigurationError(
            f"Port {port} cannot be used ({error.strerror}); choose another with --port."
        ) from None
    return bound


def address_of(bound: socket.socket) -> str:
    """The URL of the endpoint on a bound socket."""
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{MCP_PATH}"


def run_http(engine: Engine, access: Access, bound: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve until a signal says to stop; takes over the process's logging.

    Args:
        engine: the open engine; the caller closes it.
        access: who may speak to the server.
        bound: the socket to serve on; closed in the end.
        ready: called with the endpoint's URL once requests are taken.
    """
    from sse_starlette.sse import AppStatus  # by which mcp streams its replies

    # Its watcher cuts a reply half a second after a signal; the server gives what runs `DRAIN_SECONDS`.
    AppStatus.disable_automatic_graceful_drain()
    url = address_of(bound)
    serve(http_app(engine, access), bound, lambda: ready(url), log=engine.settings.log)


def serve(app: ASGIApp, bound: socket.socket, ready: Callable[[], None], *, log: LogForm) -> None:
    """Serve an application on a bound socket until a signal says to stop; takes over the process's logging.

    Args:
        bound: closed in the end.
        ready: called once requests are taken.
        log: how the lines of the log are written.
    """
    logging.basicConfig(level=logging.WARNING, handlers=[private_handler(log)], force=True)
    config = uvicorn.Config(
        app,
        http=_ImpatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    server = _Server(config, ready)
    with bound, suppress(KeyboardInterrupt):
        anyio.run(server.serve, [bound])


class _Server(uvicorn.Server):
    """Says when it takes requests."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self.ready()


class _ImpatientProtocol(H11Protocol):
    """Closes connections on which no request begins in time, so that half-sent ones cannot be collected."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect_request()

    def _expect_request(self) -> None:
        self.loop.call_later(HEAD_SECONDS, self._close_unless_asked, self.cycle)

    def _close_unless_asked(self, before: object) -> None:
        if self.cycle is before and not self.transport.is_closing():  # the headers of another request make a new cycle
            self.transport.close()
