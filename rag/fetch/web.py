"""Polite HTTP to one publisher: one request at a time, a pause between them, redirects only where they are expected.

No credentials, no cookies, no compression. What a server says is data: a redirect is followed only to the base
address's own host, one below it, or a host that the source names, and never from https to http.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, cast
from urllib.parse import SplitResult, urldefrag, urljoin, urlsplit

import httpcore2

from retrieval.errors import ConfigurationError, FetchError, Interrupted
from retrieval.providers.deadline import Deadline
from retrieval.providers.openai import UNREACHABLE, retry_after
from retrieval.providers.transport import Wire, WireTransport

MAX_REDIRECTS = 5
_HEADER_BYTES = 256 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PLAIN = re.compile(rb"[\t -~]*\Z")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Manners:
    """How patiently and how politely a server is asked. Times in seconds, sizes in bytes.

    Args:
        delay: between the end of one request and the next.
        attempts: for one file, before it is given up in this run.
        backoff: before the second attempt; doubled for each further one, up to `longest_wait`.
        longest_wait: the most that is waited because a server says so; one that asks for more is left alone.
        stall: without a single byte, before an attempt is given up.
        attempt: the most that one attempt may take, however the bytes come.
        max_bytes: of one file.
        pause: how to wait; tests record instead.
    """

    delay: float = 1.0
    attempts: int = 5
    backoff: float = 2.0
    longest_wait: float = 120.0
    stall: float = 60.0
    attempt: float = 3600.0
    max_bytes: int = 4 * 1024**3
    pause: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer whose body is still to be read. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: Iterator[bytes]

    def check(self) -> None:
        """Refuse every status that is no success.

        Raises:
            Interrupted: one that may pass.
            FetchError: one that will not.
        """
        if 200 <= self.status < 300:
            return
        if self.status in (408, 425, 429) or self.status >= 500:
            raise Interrupted(f"HTTP {self.status}", after=retry_after(self.headers.get("retry-after")))
        hint = "; there is no such file at this address" if self.status in (404, 410) else ""
        raise FetchError(f"HTTP {self.status}{hint}")


class Web:
    """Requests below one base address.

    Args:
        base_url: http or https with a host and perhaps a path; no user, query or fragment.
        hosts: further hosts that a redirect may lead to.

    Raises:
        ConfigurationError: the base address cannot be used.
    """

    def __init__(self, base_url: str, hosts: Iterable[str] = (), manners: Manners | None = None) -> None:
        parts = _split(base_url)
        if parts is None or parts.query or parts.fragment:
            raise ConfigurationError(
                "The base URL must be http:// or https:// with a host, and without user, query or fragment."
            )
        self.base_url = base_url.rstrip("/")
        self.manners = manners or Manners()
        self._hosts = frozenset(hosts)
        self._last = -self.manners.delay
        self._headers = {
            "User-Agent": f"lexscope/{version('lexscope')} (legal text retrieval; lexscope fetch)",
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "Connection": "close",
        }

    @contextmanager
    def ask(self, method: Literal["GET", "HEAD"], path: str, headers: dict[str, str] | None = None) -> Generator[Reply]:
        """Send one request, follow its redirects, and give the reply for as long as the block lasts.

        Args:
            method: GET or HEAD.
            path: below the base address, starting with a slash, already quoted.
            headers: besides the usual ones.

        Raises:
            Interrupted: unreachable, cut off or too slow; here or while the body is read.
            FetchError: a redirect that is not followed, a body that is too large or compressed.
        """
        url = self.base_url + path
        for _ in range(MAX_REDIRECTS + 1):
            with self._send(method, url, headers or {}) as reply:
                location = reply.headers.get("location")
                if reply.status not in _REDIRECTS or location is None:
                    yield reply
                    return
            url = redirected(self.base_url, self._hosts, url, location)
        raise FetchError(f"more than {MAX_REDIRECTS} redirects")

    @contextmanager
    def _send(self, method: str, url: str, headers: dict[str, str]) -> Generator[Reply]:
        self._wait()
        wire = _PatientWire(self.manners)
        transport = _Transport(wire, url)
        try:
            response = transport.send(method, url, {"Host": urlsplit(url).netloc, **self._headers, **headers})
            try:
                found = {
                    name.decode("ascii").lower(): text.decode("ascii")
                    for name, text in response.headers
                    if _PLAIN.match(text)  # others could not be sent back, and none that matters has other characters
                }
                if found.get("content-encoding", "identity").strip().lower() != "identity":
                    raise FetchError("the reply is compressed, which was not asked for")
                yield Reply(response.status, found, iter(cast("Iterable[bytes]", response.stream)))
            finally:
                response.close()
        except httpcore2.TimeoutException:
            raise Interrupted("the server is too slow, or does not answer") from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
            if wire.too_large:
                raise FetchError(f"larger than the limit of {self.manners.max_bytes} bytes") from None
            if wire.stage == "tls" and not isinstance(error, httpcore2.TimeoutException):
                raise FetchError(UNREACHABLE["tls"]) from None
            raise Interrupted(UNREACHABLE[wire.stage]) from None
        finally:
            transport.close()
            self._last = time.monotonic()

    def _wait(self) -> None:
        left = self._last + self.manners.delay - time.monotonic()
        if left > 0:
            self.manners.pause(left)


def redirected(base_url: str, hosts: Collection[str], url: str, location: str) -> str:
    """Where a redirect leads, if it may.

    Args:
        base_url: the address that the user or the source named.
        hosts: further hosts that it may lead to.

    Raises:
        FetchError: to another scheme or host, from https to http, or to what is no address.
    """
    try:
        target = urldefrag(urljoin(url, location)).url
    except ValueError:
        target = ""
    base, parts = _split(base_url), _split(target)
    if base is None or parts is None:
        raise FetchError("a redirect to what is no http or https address was not followed")
    if base.scheme == "https" and parts.scheme == "http":
        raise FetchError("a redirect from https to http was not followed")
    host, own = parts.hostname or "", base.hostname or ""
    usual = parts.port in (None, _DEFAULT_PORTS[parts.scheme])
    bare = own.removeprefix("www.")
    below = host in (own, bare) or (host.endswith(f".{bare}"))
    if not ((below and (usual or parts.port == base.port)) or (host in hosts and usual)):
        raise FetchError("a redirect to another host was not followed")
    return target


def _split(url: str) -> SplitResult | None:
    """The parts of an address that may be asked; None for any other text."""
    if not re.fullmatch(r"[!-~]+", url):
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable and not (parts.username or parts.password) else None


class _PatientWire(Wire):
    """Bounds silence as well as the whole attempt."""

    def __init__(self, manners: Manners) -> None:
        super().__init__(Deadline(manners.attempt), manners.max_bytes + _HEADER_BYTES, min(30.0, manners.stall))
        self._stall = manners.stall

    def talk_left(self) -> float:
        return min(self._stall, super().talk_left())


class _Transport(WireTransport):
    """The providers' transport, with all headers of a reply and its raw body."""

    def send(self, method: str, url: str, headers: dict[str, str]) -> httpcore2.Response:
        """One request.

        Raises:
            httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException: as they come.
        """
        return self._pool.handle_request(httpcore2.Request(method, url, headers=list(headers.items())))
