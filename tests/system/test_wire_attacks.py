"""What raw sockets send to both servers over HTTP, as processes of their own: a status each, or a closed connection."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_calls import address
from mcp_calls import CANARY

from rag.mcp.guard import MAX_BODY
from rag.settings import Settings
from rag.web.app import COOKIE, FORM_TYPE, MAX_FORM

PROJECT = Path(__file__).resolve().parents[2]
NAME = CANARY.split()[0].encode()
PATIENCE = 90.0  # seconds after which a test gives up on a connection
LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
CLOSED = 0  # instead of a status: the connection is closed without an answer
MOST_GROWTH = 48 * 1024  # kilobytes of memory that all attacks, many times over, may leave behind


@dataclass(frozen=True, slots=True)
class Served:
    """A server's process, the port it listens on, and the lines of headers that open it."""

    process: subprocess.Popen[str]
    port: int
    opens: bytes

    def head(self, target: bytes, *lines: bytes, host: bytes = b"", opens: bool = True) -> bytes:
        """The head of a request, without the empty line behind it; what is not kept open is closed by the server."""
        named = host or b"127.0.0.1:%d" % self.port
        known = (self.opens,) if opens else ()
        return b"\r\n".join((target + b" HTTP/1.1", b"Host: " + named, b"Connection: close", *known, *lines, b""))

    def memory(self) -> int:
        """Kilobytes of its memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0])

    def received(self, parts: Sequence[bytes], pause: float = 0.0) -> bytes:
        """What comes until the server closes the connection; a part that it no longer takes is left out."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as sock:
            with suppress(BrokenPipeError, ConnectionResetError):
                for part in parts:
                    sock.sendall(part)
                    time.sleep(pause)
            found = bytearray()
            with suppress(ConnectionResetError):
                while more := sock.recv(1 << 16):
                    found += more
            return bytes(found)


@contextmanager
def process(settings: Settings, folder: Path, verb: Sequence[str], ready: str) -> Generator[tuple[Served, list[str]]]:
    """A server, and what it wrote to stderr, complete at the end."""
    told: list[str] = []
    command = [sys.executable, "-m", "rag.cli", "--database-url", address(settings), *verb, "--port", "0"]
    given = {**os.environ, "LEXSCOPE_DATA_DIR": str(folder), "LEXSCOPE_MCP_TOKEN": "a-token-of-these-tests-long-enough"}
    with subprocess.Popen(command, cwd=PROJECT, env=given, stderr=subprocess.PIPE, text=True) as started:
        try:
            assert started.stderr is not None
            line = started.stderr.readline()
            match = re.match(ready, line)
            assert match, line
            key = match["key"] if "key" in match.re.groupindex else ""
            opens = f"Cookie: {COOKIE}={key}" if key else f"Authorization: Bearer {given['LEXSCOPE_MCP_TOKEN']}"
            yield Served(started, int(match["port"]), opens.encode()), told
        finally:
            started.terminate()
            told += started.communicate(timeout=60)[1].splitlines()


MCP = (["mcp", "--http"], r"serving MCP at http://127\.0\.0\.1:(?P<port>\d+)/mcp")
WEB = (["serve"], r"open http://127\.0\.0\.1:(?P<port>\d+)/\?key=(?P<key>\S+)")


def with_body(head: bytes, body: bytes) -> list[bytes]:
    return [head + b"Content-Length: %d\r\n\r\n" % len(body) + body]


def chunked(head: bytes, *chunks: bytes) -> list[bytes]:
    return [head + b"Transfer-Encoding: chunked\r\n\r\n", *(b"%x\r\n%b\r\n" % (len(one), one) for one in chunks)]


def framed(head: bytes, body: bytes) -> dict[str, tuple[list[bytes], int]]:
    """Requests whose framing is wrong, with the status that each deserves.

    Args:
        head: of a good request with a body.
    """
    length = b"Content-Length: %d\r\n" % len(body)
    lines = head.removesuffix(b"\r\n").split(b"\r\n")
    open_head = head.replace(b"Connection: close\r\n", b"")  # what stands behind the request is no other one
    sent = {
        "a length that is another's too": (head + length + b"Content-Length: 1\r\n\r\n" + body, 400),
        "a length and chunks": (
            open_head + length + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400
        ),
        "a coding that is none": (head + b"Transfer-Encoding: gzip\r\n\r\n" + body, 400),
        "chunks inside another coding": (head + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400),
        "a chunk whose length is none": (head + b"Transfer-Encoding: chunked\r\n\r\n" + NAME + b"\r\nx\r\n", 400),
        "a header of two lines": (head + b"X-A: a\rX-B: " + NAME + b"\r\n" + length + b"\r\n" + body, 400),
        "a header with a NUL": (head + b"X-A: a\0" + NAME + b"\r\n" + length + b"\r\n" + body, 400),
        "a space before the colon": (head + b"X-A : " + NAME + b"\r\n" + length + b"\r\n" + body, 400),
        "a long header": (head + b"X-A: " + 200_000 * b"a" + b"\r\n\r\n", 400),
        "many headers": (head + b"".join(b"X-%d: a\r\n" % n for n in range(20_000)) + b"\r\n", 400),
        "no host": (b"\r\n".join([lines[0], *lines[2:], b"", b""]), 400),
        "two hosts": (head + b"Host: localhost\r\n\r\n", 400),
        "two types": (head + b"Content-Type: text/plain\r\n" + length + b"\r\n" + body, 400),
        "no version": (b"GET /\r\n\r\n", 400),
        "a greeting of TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n", 400),
        "a name that was bound to us": (head.replace(lines[1], b"Host: " + NAME + b".example") + b"\r\n", 421),
        "a name that begins as ours": (head.replace(lines[1], b"Host: 127.0.0.1." + NAME) + b"\r\n", 421),
        "another site": (head + b"Origin: https://" + NAME + b".example\r\n" + length + b"\r\n" + body, 403),
        "no site": (head + b"Origin: null\r\n" + length + b"\r\n" + body, 403),
        "two sites": (head + 2 * b"Origin: http://127.0.0.1\r\n" + length + b"\r\n" + body, 400),
    }  # fmt: skip
    return {name: ([request], status) for name, (request, status) in sent.items()}


def of_mcp(server: Served) -> dict[str, tuple[list[bytes], int]]:
    head = server.head(b"POST /mcp", b"Content-Type: application/json", b"Accept: application/json, text/event-stream")

    def call(arguments: str, tool: str = "search") -> list[bytes]:
        asked = f'"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}'
        return with_body(head, f'{{"jsonrpc":"2.0","id":1,{asked}}}'.encode())

    nines = "9" * 5_000
    return {
        "good": (with_body(head, LIST), 200),
        **framed(head, LIST),
        "chunks without an end": (chunked(head, *(80 * [(MAX_BODY // 64) * b" "])), 413),
        "another type": (with_body(head.replace(b"application/json\r\n", b"text/plain\r\n"), LIST), 400),
        "a key twice": (with_body(head, b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}'), 400),
        "an argument twice": (call('{"query":"a","query":"b"}'), 400),
        "no number": (call('{"query":"interest","limit":NaN}'), 400),
        "no end": (call('{"query":"interest","limit":-Infinity}'), 400),
        "a number of many digits": (call(f'{{"query":"interest","limit":{nines}}}'), 400),
        "a deep argument": (call('{"tags":' + 60_000 * '{"a":' + "1" + 60_000 * "}" + "}"), 400),
        "half a pair": (call('{"query":"\\ud800"}'), 400),
        "half a pair in a key": (call('{"\\udfff":"x"}'), 400),
        "half a pair in bytes": (call('{"query":"\ud800"}'.encode("utf-8", "surrogatepass").decode("latin-1")), 200),
        "another encoding": (with_body(head, LIST.decode().encode("utf-16")), 400),
        "words behind the message": (with_body(head, LIST + NAME), 400),
        "a tool that is none": (call("{}", CANARY), 200),
        "arguments that are none": (call('["a"]'), 200),
        "a large number": (call('{"query":"interest","jurisdiction":"us-ma","language":"en","limit":1e308}'), 200),
        "a NUL": (call('{"query":"a\\u0000b","jurisdiction":"us-ma","language":"en"}'), 200),
        "a path that leads out": ([server.head(b"GET /mcp/../../etc/passwd") + b"\r\n"], 404),
        "a resource that leads out": (
            with_body(
                head,
                b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"legal://../../etc/passwd"}}',
            ),
            200,
        ),
    }


def of_web(server: Served) -> dict[str, tuple[list[bytes], int]]:
    head = server.head(b"POST /ask", b"Content-Type: " + FORM_TYPE.encode())
    asked = b"question=interest&jurisdiction=us-ma"
    get = {
        "/../../etc/passwd": 404, "/%2e%2e/%2e%2e/etc/passwd": 404, "/page.js/../../../etc/passwd": 404,
        "/trace?trace=../../etc/passwd": 400, "/export?trace=../../../etc/passwd&format=jsonl": 200,
        "/read?reference=../../etc/passwd": 200, "/read?reference=%00": 400, "/read?reference=%ed%a0%80": 400,
        "/read?reference=x%0d%0aSet-Cookie:%20a=b": 200, "/browse?offset=9999999999999999999999": 400,
        "/browse?jurisdiction=%0d%0aX-Evil:%20a&language=en": 400, "/nowhere%0d%0aX-Evil:%20a": 404,
    }  # fmt: skip
    return {
        "good": (with_body(head, asked), 200),
        **framed(head, asked),
        "chunks without an end": (chunked(head, *(80 * [(MAX_FORM // 64) * b"a"])), 413),
        "a text": (with_body(head.replace(FORM_TYPE.encode(), b"text/plain"), asked), 415),
        "a form of parts": (
            with_body(head.replace(FORM_TYPE.encode(), b"multipart/form-data; boundary=x"), asked),
            415,
        ),
        "json": (with_body(head.replace(FORM_TYPE.encode(), b"application/json"), b"{}"), 415),
        "no key": ([server.head(b"GET /", opens=False) + b"\r\n"], 401),
        "another verb": ([server.head(b"DELETE /trace") + b"\r\n"], 405),
        **{path: ([server.head(b"GET " + path.encode()) + b"\r\n"], status) for path, status in get.items()},
    }


def slow(server: Served, head: bytes) -> dict[str, tuple[Callable[[], bytes], int]]:
    """Requests that come a byte at a time, or not to their end."""
    drops = [b"a"] * 60
    return {
        "a slow head": (lambda: server.received([head, b"X-A: ", *drops], 1.0), CLOSED),
        "half a head": (lambda: server.received([head[:-20]]), CLOSED),
        "nothing": (lambda: server.received([]), CLOSED),
        "noise": (lambda: server.received([bytes(range(14, 256)) * 8]), 400),
        "a slow body": (lambda: server.received([head + b"Content-Length: 99\r\n\r\n", *drops], 1.0), 408),
        "no body": (lambda: server.received([head + b"Content-Length: 99\r\n\r\n"]), 408),
        "a chunk that does not come": (
            lambda: server.received([head + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\n"]), 408
        ),
    }  # fmt: skip


def status_of(reply: bytes) -> int:
    return int(reply[9:12]) if reply.startswith(b"HTTP/1.1 ") else CLOSED


def leave(server: Served, request: bytes) -> None:
    """Send a request and do not wait for its answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as sock:
        sock.sendall(request)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("verb", "requests"), [(MCP, of_mcp), pytest.param(WEB, of_web, marks=pytest.mark.thorough)], ids=["mcp", "web"]
)
def test_whatever_is_sent_ends_with_a_status_repeats_nothing_and_leaves_no_memory_behind(
    sample_settings: Settings,
    tmp_path: Path,
    verb: tuple[list[str], str],
    requests: Callable[[Served], dict[str, tuple[list[bytes], int]]],
) -> None:
    with process(sample_settings, tmp_path, *verb) as (server, told), ExitStack() as kept:
        sent = requests(server)
        good = sent["good"][0]
        head = good[0].partition(b"Content-Length")[0]
        idle = [  # on which nothing is asked
            kept.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
            for _ in range(200)
        ]
        with ThreadPoolExecutor(16) as threads:
            waiting = {
                name: (threads.submit(receive), status) for name, (receive, status) in slow(server, head).items()
            }
            for name, (parts, status) in sent.items():
                reply = server.received(parts)
                assert status_of(reply) == status, (name, reply[:300])
                assert reply.count(b"HTTP/1.1 ") == 1, name
                assert NAME not in reply, name
                assert b"Traceback" not in reply, name
                assert not re.search(rb"^(set-cookie|x-evil)", reply, re.I | re.M), name
                assert b"root:" not in reply, name
            before = server.memory()
            for _ in range(12):
                for parts, _ in sent.values():
                    server.received(parts)
                for _ in range(20):
                    leave(server, good[0])
            assert status_of(server.received(good)) == 200
            assert server.memory() - before < MOST_GROWTH
            for name, (reply, status) in waiting.items():
                assert status_of(reply.result()) == status, name
        for sock in idle:
            assert sock.recv(1) == b""
        assert server.process.poll() is None
    assert not [line for line in told if CANARY.split()[0] in line or "Traceback" in line or "interest" in line], told
