"""The MCP server as a child process over standard input and output."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_calls import CANARY, DEPOSIT, MA
from requirements import requirement

from rag import Engine, Settings

PROJECT = Path(__file__).resolve().parents[2]


def environment(settings: Settings) -> dict[str, str]:
    assert settings.database_url is not None
    return {"LEXSCOPE_DATABASE_URL": settings.database_url.get_secret_value()}


@pytest.mark.anyio
async def test_a_client_over_stdio_gets_the_same_results(engine: Engine, sample_settings: Settings) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "rag.mcp.server"], env=environment(sample_settings), cwd=PROJECT
    )
    async with Client(server) as client:
        assert {"search", "ask"} <= {tool.name for tool in (await client.list_tools()).tools}
        context = await client.call_tool("get_context", {"reference": "urn:lex:ma:940cmr:3.17:4"})
        halted = await client.call_tool("ask", {"question": "urn:lex:ma:940cmr:3.12"})
        bad = await client.call_tool("search", {"language": "en", "query": DEPOSIT})
    assert context.structured_content is not None
    assert context.structured_content["digest"] == engine.context("urn:lex:ma:940cmr:3.17:4").digest
    assert (halted.structured_content or {})["status"] == "halted"
    assert bad.is_error


@contextmanager
def child(given: dict[str, str], *program: str) -> Generator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, *(program or ("-m", "rag.mcp.server"))], cwd=PROJECT, env={"PATH": "", **given}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


@requirement("P8")
def test_stdout_carries_json_rpc_only_and_the_end_of_input_ends_the_process(sample_settings: Settings) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("ask", {"question": f"{CANARY}: {DEPOSIT}", **MA}),
        ("search", {"language": "en", "query": CANARY, "tags": {"jurisdiction": CANARY}}),
        ("get_document", {"reference": CANARY}),
        ("get_context", {"reference": CANARY, "rules": CANARY, CANARY: CANARY}),
        (CANARY, {CANARY: CANARY}),
        ("ask", {"question": DEPOSIT, **MA}),
    ]
    requests: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
    ]
    requests += [
        {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls, start=2)
    ]
    requests.append({"id": 99, "method": CANARY, "params": {}})
    lines = [json.dumps({"jsonrpc": "2.0", **request}) for request in requests]
    lines.insert(3, f"this is no JSON, {CANARY}")
    answered: dict[int | None, dict[str, Any]] = {}
    with child(environment(sample_settings)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        while not {1, 2, 3, 4, 5, 6, 7, 99} <= set(answered):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if "id" in message:
                answered[message["id"]] = message
        rest, errors = process.communicate(timeout=60)  # closes its input
    assert process.returncode == 0
    assert rest == ""
    assert CANARY not in errors
    assert DEPOSIT not in errors
    assert "Traceback" not in errors
    assert answered[None]["error"]["code"] == -32700
    assert answered[2]["result"]["structuredContent"]["targets"] == ["urn:lex:ma:940cmr:3.17"]
    assert answered[7]["result"]["structuredContent"]["status"] == "answered"
    assert answered[3]["result"]["isError"]
    assert answered[4]["result"]["structuredContent"]["status"] == "not_found"
    assert CANARY not in json.dumps([answered[number] for number in (None, *range(2, 8))])


NOISY = """
import os, subprocess, sys, warnings
from rag import Engine
from rag.mcp.server import run_stdio

class Noisy:
    name = "noisy"

    def judge(self, questions, *, seconds):
        for stream in (sys.stdout, sys.__stdout__):
            print("NOISE", file=stream, flush=True)
        os.write(1, b"NOISE")
        subprocess.run([sys.executable, "-c", "print('NOISE')"])
        warnings.warn("NOISE")
        return [None for _ in questions]

with Engine.open() as engine:
    run_stdio(engine.using(judge=Noisy()))
"""


def test_f33_what_a_part_of_the_process_or_a_child_of_it_prints_goes_elsewhere(sample_settings: Settings) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    text = "Under 940 CMR 3.17(4) an owner must hand the colour of the interest to whoever rents the rooms."
    call = {"name": "verify_citations", "arguments": {"text": text}}
    lines = [
        json.dumps({"jsonrpc": "2.0", **request})
        for request in (
            {"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": call},
        )
    ]  # fmt: skip
    with child(environment(sample_settings), "-c", NOISY) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join([*lines, ""]))
        process.stdin.flush()
        replies = [process.stdout.readline(), process.stdout.readline()]
        rest, errors = process.communicate(timeout=60)
    assert [json.loads(reply)["id"] for reply in replies] == [1, 2]
    assert "NOT_JUDGED" in replies[1]
    assert rest == ""
    assert errors.count("NOISE") == 5


def test_every_line_that_is_no_message_is_answered_with_an_error(sample_settings: Settings) -> None:
    ping = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    refused: list[tuple[bytes, int | None, int]] = [
        (f"{CANARY}".encode(), None, -32700),
        (json.dumps(ping).encode()[:-1], None, -32700),
        (json.dumps({**ping, "method": "é"}, ensure_ascii=False).encode("latin-1"), None, -32700),
        (b"[" * 5_000, None, -32700),
        (json.dumps([ping]).encode(), None, -32600),
        (json.dumps({**ping, "method": 5}).encode(), 7, -32600),
        (json.dumps({**ping, "params": [CANARY]}).encode(), 7, -32600),
        (json.dumps({"id": 7, "method": "ping"}).encode(), 7, -32600),
        (json.dumps(ping).encode()[:-1] + b', "method": "tools/list"}', None, -32600),
        (json.dumps({**ping, "params": {"a": float("nan")}}).encode(), None, -32700),
        (json.dumps({**ping, "params": {"a": "\ud800"}}).encode(), None, -32700),
        (json.dumps({**ping, "params": {"a": 0}}).replace("0}", "9" * 5_000 + "}").encode(), None, -32700),
        *((json.dumps(ping).replace("7", odd).encode(), None, -32600) for odd in ("{}", "[]", "null", "true", "1.5")),
    ]
    # An empty line asks for nothing, and some clients' pipes begin with a byte order mark.
    lines = [b"\xef\xbb\xbf" + json.dumps({**ping, "id": 0, "method": "no/such"}).encode(), b"", b"  "]
    early: dict[str, Any] = {
        **ping,
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {}},
    }  # no `initialize`
    lines.append(json.dumps(early).encode())
    ran = subprocess.run(
        [sys.executable, "-m", "rag.mcp.server"], cwd=PROJECT, env={"PATH": "", **environment(sample_settings)},
        input=b"\n".join([*lines, *(line for line, _, _ in refused), b""]), capture_output=True, check=False,
    )  # fmt: skip
    replies = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [reply["error"]["code"] for reply in replies if reply["id"] == 0] == [-32601]
    assert [reply["error"]["code"] for reply in replies if reply["id"] == 1] == [-32602]
    errors = [(reply["id"], reply["error"]["code"]) for reply in replies if reply["id"] not in (0, 1)]
    assert errors == [(id_, code) for _, id_, code in refused]
    assert CANARY not in ran.stdout.decode()
    assert ran.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_at_once_though_its_input_is_open(
    sample_settings: Settings, number: signal.Signals
) -> None:
    with child(environment(sample_settings)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "no/such"}) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(number)
        assert process.wait(timeout=60) == 128 + number


def test_a_store_that_is_away_ends_the_process_with_one_line_on_stderr() -> None:
    with child({"LEXSCOPE_DATABASE_URL": "postgresql://nobody:secret@127.0.0.1:1/none"}) as process:
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert errors.startswith("lexscope: The database cannot be reached")
    assert "secret" not in errors
    assert len(errors.splitlines()) == 1
