"""A small real HTTP server that publishes files as an official source does, and misbehaves on request.

    with BulkServer({"/a.xml": b"<a/>"}) as server:
        server.script(Cut(after=3))  # the first request only
        web = Web(server.base_url)

It answers GET and HEAD with ETag, Last-Modified, Range with If-Range, and 304. Scripted faults are used up one a
request, in order. Redirects and other fixed replies are `Fault`s too.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

PUBLISHED = 1_700_000_000  # seconds since 1970 at which every file was changed, unless told otherwise


@dataclass(frozen=True)
class Fault:
    """What happens to one request instead of the plain good reply.

    Attributes:
        status: sent instead of what would be.
        headers: sent besides the usual ones; an empty value leaves a usual one out.
        body: sent instead of the file.
        cut: bytes of the body after which the connection is closed, the length announced being the whole.
        cut_head: bytes of the status line and headers after which the connection is closed.
        silent: send nothing after what `cut` lets through, and keep the connection open.
        no_range: answer a request for a part with the whole file.
        chunked: send the body in chunks, without a length; `cut` leaves out the last chunk.
    """

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: int | None = None
    cut_head: int | None = None
    silent: bool = False
    no_range: bool = False
    chunked: bool = False


@dataclass(frozen=True)
class Asked:
    """One request as it came in; header names are lower case."""

    method: str
    path: str
    headers: dict[str, str]


class BulkServer:
    """The server; a context manager. Everything it started has ended when the block is left.

    Args:
        files: path with query -> content; may be changed while the server runs.
        etags: whether files have an ETag.
        always: happens to every request for which nothing is scripted.
    """

    def __init__(self, files: dict[str, bytes], *, etags: bool = True, always: Fault | None = None) -> None:
        self.files = files
        self.changed = PUBLISHED
        self.asked: list[Asked] = []
        self._etags = etags
        self._always = always or Fault()
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        # Threads are joined on closing only where they are not daemons.
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        """The address for a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *faults: Fault) -> Self:
        """Add faults for the next requests."""
        with self._lock:
            self._faults.extend(faults)
        return self

    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [asked.path for asked in self.asked]

    def _handler(server) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            timeout = 10  # a client that sends half a request must not keep the server open

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                with server._lock:
                    server.asked.append(Asked(self.command, self.path, headers))
                    fault = server._faults.pop(0) if server._faults else server._always
                status, named, body = server._reply(self.path, headers, fault)
                named = {name: value for name, value in {**named, **fault.headers}.items() if value}
                lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {text}" for name, text in named.items()), "", ""]
                head = "\r\n".join(lines).encode("latin-1")
                try:
                    self.wfile.write(head[: fault.cut_head])
                    if self.command == "GET" and fault.cut_head is None:
                        self.wfile.write(_chunks(body, fault.cut) if fault.chunked else body[: fault.cut])
                    self.wfile.flush()
                    if fault.silent:
                        server._stopping.wait(10)
                except ConnectionError:
                    pass  # the client went away, which is what some faults are for
                self.close_connection = True

            do_HEAD = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: test output is for failures."""

        return Handler

    def _reply(self, path: str, headers: dict[str, str], fault: Fault) -> tuple[int, dict[str, str], bytes]:
        content = self.files.get(path)
        if fault.body is not None:
            content = fault.body
        if content is None:
            return fault.status or 404, {"Content-Length": "0", "Connection": "close"}, b""
        etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"' if self._etags else ""
        modified = formatdate(self.changed, usegmt=True)
        named = {
            "ETag": etag, "Last-Modified": modified, "Date": formatdate(usegmt=True), "Connection": "close",
        }  # fmt: skip
        if fault.status is not None and fault.status != 200:
            return fault.status, {**named, "Content-Length": str(len(content))}, content
        conditions = [headers.get("if-none-match") == etag] if "if-none-match" in headers else []
        conditions = conditions or [headers.get("if-modified-since") == modified]
        if all(conditions):
            return 304, named, b""
        wanted = headers.get("range", "")
        if wanted and not fault.no_range and headers.get("if-range", etag) in (etag, modified):
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                return 416, {**named, "Content-Length": "0", "Content-Range": f"bytes */{len(content)}"}, b""
            named["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            return 206, {**named, **_length(content[start:], fault)}, content[start:]
        return 200, {**named, **_length(content, fault)}, content


def _length(body: bytes, fault: Fault) -> dict[str, str]:
    return {"Transfer-Encoding": "chunked"} if fault.chunked else {"Content-Length": str(len(body))}


def _chunks(body: bytes, cut: int | None) -> bytes:
    """The body in two chunks; without the mark of its end where it is cut."""
    sent = body if cut is None else body[:cut]
    halves = [chunk for chunk in (sent[: len(sent) // 2], sent[len(sent) // 2 :]) if chunk]
    framed = b"".join(f"{len(halve):x}\r\n".encode() + halve + b"\r\n" for halve in halves)
    return framed + (b"0\r\n\r\n" if cut is None else b"")
