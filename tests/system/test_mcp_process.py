"""`lexscope mcp` as a process: over HTTP through restarts, and its end with its input or a signal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from cli_calls import address, caller
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from requirements import requirement

from rag import Engine, Settings

PROJECT = Path(__file__).resolve().parents[2]
RULE = "urn:lex:ma:940cmr:3.17:4"


@contextmanager
def lexscope(settings: Settings, folder: Path, *arguments: str, **given: str) -> Generator[subprocess.Popen[str]]:
    """A process of the program on a store."""
    assert settings.database_url is not None
    environment = {
        "PATH": "",
        "LEXSCOPE_DATABASE_URL": settings.database_url.get_secret_value(),
        "LEXSCOPE_DATA_DIR": str(folder),
        **given,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "rag.cli", "mcp", *arguments], cwd=PROJECT, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def told(process: subprocess.Popen[str]) -> tuple[str, list[str]]:
    """The URL that a server says it serves at, and the lines before."""
    assert process.stderr is not None
    before: list[str] = []
    while not (line := process.stderr.readline()).startswith("serving MCP at "):
        assert line, before
        before.append(line)
    return line.split()[3].rstrip(";"), before


@pytest.mark.anyio
@requirement("P8")
async def test_a_client_goes_on_after_the_server_was_killed_and_started_again(
    sample_settings: Settings, engine: Engine, tmp_path: Path
) -> None:
    with lexscope(sample_settings, tmp_path, "--http", "--port", "0") as process:
        url, before = told(process)
        token = (tmp_path / "mcp_token").read_text().strip()
        assert [name.endswith(f": {token}\n") for name in before] == [True]
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http:
            client = Client(streamable_http_client(url, http_client=http), cache=None)
            async with client:
                first = await client.call_tool("get_context", {"reference": RULE})
                process.kill()
                process.wait()
                port = url.rpartition(":")[2].partition("/")[0]
                with lexscope(sample_settings, tmp_path, "--http", "--port", port) as restarted:
                    again, before = told(restarted)
                    assert (again, before) == (url, [])  # the token is shown once
                    second = await client.call_tool("get_context", {"reference": RULE})
                    restarted.send_signal(signal.SIGTERM)
                    output, errors = restarted.communicate(timeout=60)
        assert (restarted.returncode, output) == (128 + signal.SIGTERM, "")
        assert token not in errors
    digests = {(call_tool_result.structured_content or {})["digest"] for call_tool_result in (first, second)}
    assert digests == {engine.context(RULE).digest}


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"} | {
    "params": {"name": "get_context", "arguments": {"reference": RULE}}
}


class Load:
    """Clients that ask the same of one address without a pause, whoever serves it."""

    def __init__(self, url: str, token: str, clients: int) -> None:
        self.headers = {
            "authorization": f"Bearer {token}", "accept": "application/json, text/event-stream", "connection": "close",
        }  # fmt: skip
        self.url, self.over = url, threading.Event()
        self.digests: list[str] = []
        self.unanswered = 0  # requests without a whole reply: the server was away, or going
        self.threads = [threading.Thread(target=self.ask) for _ in range(clients)]

    def ask(self) -> None:
        with httpx2.Client(headers=self.headers, timeout=60) as client:
            while not self.over.is_set():
                try:
                    with client.stream("POST", self.url, json=CALL) as reply:
                        self.read(reply)
                except httpx2.TransportError:
                    self.unanswered += 1
                    time.sleep(0.02)

    def read(self, reply: httpx2.Response) -> None:
        reply.read()
        assert reply.status_code == 200
        message = json.loads(reply.text.partition("data: ")[2])
        self.digests.append(message["result"]["structuredContent"]["digest"])

    def answered(self, more: int) -> None:
        """Wait until that many more calls were answered."""
        until = len(self.digests) + more
        while len(self.digests) < until:
            assert any(thread.is_alive() for thread in self.threads)
            time.sleep(0.01)


def test_f4_under_load_no_reply_is_wrong_and_a_server_that_is_told_to_stop_finishes_what_it_began(
    sample_settings: Settings, engine: Engine, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        process = stack.enter_context(lexscope(sample_settings, tmp_path, "--http", "--port", "0"))
        url, _ = told(process)
        load = Load(url, (tmp_path / "mcp_token").read_text().strip(), clients=4)
        for thread in load.threads:
            thread.start()
        port = url.rpartition(":")[2].partition("/")[0]
        load.answered(10)
        statuses: list[int] = []
        ended = process
        for number in (signal.SIGTERM, signal.SIGKILL) * 2:
            ended.send_signal(number)
            statuses.append(ended.wait(timeout=60))
            ended = stack.enter_context(lexscope(sample_settings, tmp_path, "--http", "--port", port))
            assert told(ended)[0] == url
            load.answered(10)
        load.over.set()
        for thread in load.threads:
            thread.join(timeout=60)
        with psycopg.connect(address(sample_settings)) as locking:
            locking.execute("LOCK TABLE legal_nodes")
            with httpx2.stream("POST", url, json=CALL, headers=load.headers, timeout=60) as begun:
                ended.send_signal(signal.SIGTERM)
                time.sleep(1.5)  # a stream is cut half a second after the signal where nothing hinders that
                locking.rollback()
                load.read(begun)
        statuses.append(ended.wait(timeout=60))
    assert set(load.digests) == {engine.context(RULE).digest}
    assert statuses == [128 + signal.SIGTERM, -signal.SIGKILL, 128 + signal.SIGTERM, -signal.SIGKILL, 143]
    assert load.unanswered > 0  # there was a time without a server


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "1"], "go with --http"),
        (["--http", "--host", "0.0.0.0"], "Other machines can reach this address"),
        (["--http", "--host", "0.0.0.0", "--allow-host", "a.example", "--token-file", "good"], "--allow-origin"),
        (["--http", "--token-file", "bad"], "holds no usable token"),
        (["--http", "--token-file", "/nowhere/at/all"], "cannot be read"),
        (["--http", "--host", "no such host", "--token-file", "good"], "Other machines"),
    ],
)
def test_a_server_that_may_not_start_says_why_in_one_line(
    sample_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    (tmp_path / "good").write_text("x" * 40)
    (tmp_path / "bad").write_text("two words")
    ran = caller(capsys, "--database-url", address(sample_settings), "--data-dir", str(tmp_path))(
        "mcp", *(str(tmp_path / argument) if argument in ("good", "bad") else argument for argument in arguments)
    )
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "two words" not in ran.err
    assert not (tmp_path / "mcp_token").exists()


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def lines(*requests: dict[str, Any]) -> str:
    return "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)


def test_what_was_asked_before_the_input_ended_is_answered(sample_settings: Settings, tmp_path: Path) -> None:
    # Nothing that waits for the store: on a busy machine that may outlast the time a call is given.
    asked = lines(
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        *({"id": number, "method": method} for number, method in enumerate(("tools/list", "prompts/list"), start=2)),
    )
    with lexscope(sample_settings, tmp_path) as process:
        output, errors = process.communicate(asked, timeout=60)
    answered = [json.loads(line) for line in output.splitlines()]
    assert (process.returncode, errors) == (0, "")
    assert sorted(entry["id"] for entry in answered) == [1, 2, 3]
    assert all("result" in entry for entry in answered)


def test_a_call_that_hangs_does_not_keep_the_process_when_its_input_has_ended(
    sample_settings: Settings, tmp_path: Path
) -> None:
    assert sample_settings.database_url is not None
    with (
        psycopg.connect(sample_settings.database_url.get_secret_value()) as blocking,
        lexscope(sample_settings, tmp_path, LEXSCOPE_STATEMENT_TIMEOUT_SECONDS="600") as process,
    ):
        blocking.execute("lock table legal_nodes in access exclusive mode")
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines({"id": 1, "method": "initialize", "params": HELLO}))
        process.stdin.flush()
        assert process.stdout.readline()
        call = {"name": "get_document", "arguments": {"reference": RULE}}
        process.stdin.write(lines({"id": 2, "method": "tools/call", "params": call}))
        process.stdin.close()
        # The lock is held, and a statement may run ten minutes: only giving up ends the process before.
        assert process.wait(timeout=60) == 0
