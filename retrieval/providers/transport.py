"""HTTP to a model provider under one deadline and one size limit. Imports the HTTP stack: load it lazily.

A timeout per read is no deadline: a server that sends a byte a second, in the headers or in the body, never trips
it. So every socket operation here, TLS handshake and name look-up included, gets what is left of the whole call's
time, and every byte received is counted against what the caller is ready to hold.
"""

from __future__ import annotations

import ipaddress
import queue
import socket
import ssl
import threading
import urllib.request
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Literal, cast
from urllib.parse import unquote, urlsplit

import httpcore2
import httpx2

from retrieval.errors import ConfigurationError
from retrieval.providers.deadline import Deadline

Stage = Literal["resolve", "connect", "tls", "talk"]

# Whatever else a server sends is not read: a charset or an encoding of its choice would pick our decoder.
_KEPT_HEADERS = frozenset({"x-request-id", "retry-after", "retry-after-ms"})


class Wire:
    """What one attempt may use of time and memory, and how far it came.

    Args:
        deadline: the end of the whole call.
        max_bytes: the most that is received, headers included.
        connect_seconds: the most that name look-up, connection and TLS handshake may take.
    """

    def __init__(self, deadline: Deadline, max_bytes: int, connect_seconds: float) -> None:
        self.deadline = deadline
        self.max_bytes = max_bytes
        self.connecting = Deadline(connect_seconds)
        self.received = 0
        self.stage: Stage = "resolve"
        self.too_large = False
        self.encoded = False

    def connect_left(self) -> float:
        """Seconds left to get connected.

        Raises:
            httpcore2.ConnectTimeout: none.
        """
        left = min(self.deadline.remaining(), self.connecting.remaining())
        if left <= 0:
            raise httpcore2.ConnectTimeout
        return left

    def talk_left(self) -> float:
        """Seconds left of the whole call.

        Raises:
            httpcore2.ReadTimeout: none.
        """
        left = self.deadline.remaining()
        if left <= 0:
            raise httpcore2.ReadTimeout
        return left

    def count(self, size: int) -> None:
        """Count received bytes.

        Raises:
            httpcore2.ReadError: more than the limit.
        """
        self.received += size
        if self.received > self.max_bytes:
            self.too_large = True
            raise httpcore2.ReadError


class _Stream(httpcore2.NetworkStream):
    def __init__(self, sock: socket.socket, wire: Wire) -> None:
        self._sock = sock
        self._wire = wire

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            self._sock.settimeout(self._wire.talk_left())
            data = self._sock.recv(max_bytes)
        except TimeoutError:
            raise httpcore2.ReadTimeout from None
        except OSError:
            raise httpcore2.ReadError from None
        self._wire.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        view = memoryview(buffer)
        try:
            # sendall of a TLS socket restarts its timeout for every piece.
            while view:
                self._sock.settimeout(self._wire.talk_left())
                view = view[self._sock.send(view) :]
        except TimeoutError:
            raise httpcore2.WriteTimeout from None
        except OSError:
            raise httpcore2.WriteError from None

    def close(self) -> None:
        self._sock.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        self._wire.stage = "tls"
        try:
            self._sock.settimeout(self._wire.connect_left())
            secured = ssl_context.wrap_socket(self._sock, server_hostname=server_hostname)
        except TimeoutError:
            self.close()
            raise httpcore2.ConnectTimeout from None
        except (OSError, ValueError):
            self.close()
            raise httpcore2.ConnectError from None
        self._wire.stage = "talk"
        return _Stream(secured, self._wire)

    def get_extra_info(self, info: str) -> Any:
        return self._sock if info == "socket" else None


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        self._wire.stage = "resolve"
        addresses = _addresses(host, port, self._wire.connect_left())
        self._wire.stage = "connect"
        failure: type[httpcore2.ConnectError | httpcore2.ConnectTimeout] = httpcore2.ConnectError
        for position, address in enumerate(addresses):
            # One address that swallows packets must leave time for the next.
            share = self._wire.connect_left() / (len(addresses) - position)
            try:
                sock = socket.create_connection((address, port), share)
            except TimeoutError:
                failure = httpcore2.ConnectTimeout
                continue
            except OSError:
                failure = httpcore2.ConnectError
                continue
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._wire.stage = "talk"
            return _Stream(sock, self._wire)
        raise failure


def _addresses(host: str, port: int, seconds: float) -> list[str]:
    """The host's IP addresses in the system's order.

    The system's look-up has no timeout, so it runs in a thread that may be left behind; the thread holds nothing and
    ends when the resolver gives up.
    """
    if _is_address(host):
        return [host]
    found: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            found.put(None)
        else:
            found.put(list(dict.fromkeys(str(entry[4][0]) for entry in entries)))

    threading.Thread(target=look_up, name="lexscope-resolve", daemon=True).start()
    try:
        addresses = found.get(timeout=seconds)
    except queue.Empty:
        raise httpcore2.ConnectTimeout from None
    if not addresses:
        raise httpcore2.ConnectError
    return addresses


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


@contextmanager
def _translated() -> Generator[None]:
    """Turn the connection layer's exceptions into the client layer's, which the SDK knows; their texts are dropped."""
    try:
        yield
    except httpcore2.TimeoutException:
        raise httpx2.TimeoutException("deadline") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError, httpcore2.UnsupportedProtocol):
        raise httpx2.TransportError("connection") from None


class _Body(httpx2.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _translated():
            yield from self._stream

    def close(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            with _translated():
                close()


class WireTransport(httpx2.BaseTransport):
    """A transport for one attempt: one connection, no redirect, no compression, everything within the `wire`.

    Args:
        wire: what the attempt may use.
        base_url: the provider's address.
        only: lower-case names of the headers that are sent; None sends all.

    Raises:
        ConfigurationError: the environment asks for a kind of proxy that is not supported.
    """

    def __init__(self, wire: Wire, base_url: str, only: frozenset[str] | None = None) -> None:
        self._wire = wire
        self._only = only
        context = _ssl_context() if base_url.startswith("https:") else None
        proxy = _proxy_for(base_url)
        if proxy is None:
            self._pool = httpcore2.ConnectionPool(ssl_context=context, network_backend=_Backend(wire))
        else:
            address, credentials = proxy
            self._pool = httpcore2.HTTPProxy(
                address, proxy_auth=credentials, ssl_context=context, network_backend=_Backend(wire)
            )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the body is read by whoever reads the response."""
        url = request.url
        only = self._only
        sent = [pair for pair in request.headers.raw if only is None or pair[0].lower().decode("latin-1") in only]
        with _translated():
            response = self._pool.handle_request(
                httpcore2.Request(
                    method=request.method,
                    url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                    headers=sent,
                    content=cast("Iterable[bytes]", request.stream),
                    extensions=request.extensions,
                )
            )
        body = _Body(cast("Iterable[bytes]", response.stream))
        headers = [(name.decode("ascii").lower(), value.decode("latin-1")) for name, value in response.headers]
        if any(name == "content-encoding" and value.strip().lower() != "identity" for name, value in headers):
            # Unpacking would let a small reply grow beyond any limit; none was asked for.
            body.close()
            self._wire.encoded = True
            raise httpx2.TransportError("encoded")
        kept = [(name, value) for name, value in headers if name in _KEPT_HEADERS]
        return httpx2.Response(response.status, headers=[*kept, ("content-type", "application/json")], stream=body)

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()


@lru_cache(maxsize=1)
def _ssl_context() -> ssl.SSLContext:
    # Loading the trust store takes about 0.1 s, far more than all else a call needs.
    return httpx2.create_ssl_context()


def _proxy_for(base_url: str) -> tuple[str, tuple[str, str] | None] | None:
    """The proxy that the system's settings name for this address, with its credentials, or None."""
    target = urlsplit(base_url)
    host = target.hostname or ""
    if _is_loopback(host) or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    named = proxies.get(target.scheme) or proxies.get("all")
    if not named:
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ConfigurationError("The proxy settings of this system name a proxy that is not an http:// address.")
    name = f"[{proxy.hostname}]" if ":" in proxy.hostname else proxy.hostname
    credentials = (unquote(proxy.username), unquote(proxy.password or "")) if proxy.username else None
    return f"http://{name}:{proxy.port or 80}/", credentials
