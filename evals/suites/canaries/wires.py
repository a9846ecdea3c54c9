"""Facts sent over the wires: a server process over HTTP and one over stdio, and the verbs of the command line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from evals.suites.canaries.calls import FEW, LONG, MA, MIDDLE, READ_FROM_STDIN, RULE, SHORT, VERBS, packed, spoken
from evals.suites.canaries.runs import send_all
from evals.suites.canaries.stage import Stage, search_log
from rag.cli.app import main
from rag.mcp.server import build_server

ROOT = Path(__file__).resolve().parents[3]
_TOKEN = "the-token-of-a-canary-run-on-loopback"
_NOWHERE = "postgresql://nobody@127.0.0.1:1/none"


def _environment(on: Stage) -> dict[str, str]:
    """Of a child process: it writes below the folder, if anywhere."""
    home = on.folder / "home"
    home.mkdir(exist_ok=True)
    return {
        "PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT), "HOME": str(home), "TMPDIR": str(home),
        "LEXSCOPE_DATABASE_URL": on.engine.database.conninfo, "LEXSCOPE_DATA_DIR": str(home / "lexscope"),
        "LEXSCOPE_MCP_TOKEN": _TOKEN,
    }  # fmt: skip


# --- HTTP ------------------------------------------------------------------------------------------------------------


@contextmanager
def _served(on: Stage) -> Generator[str]:
    """A server process over HTTP; its URL. What it says on stderr stays in a file, as its log."""
    said = on.folder / "http.log"
    with said.open("w") as errors, subprocess.Popen(
        [sys.executable, "-m", "rag.cli", "mcp", "--http", "--port", "0"],
        cwd=on.folder, env=_environment(on), stdout=errors, stderr=errors,
    ) as process:  # fmt: skip
        try:
            while "serving MCP at " not in said.read_text():
                if process.poll() is not None:
                    raise RuntimeError(f"the server did not start: {said.read_text().strip()}")
            yield said.read_text().partition("serving MCP at ")[2].split()[0].rstrip(";")
        finally:
            process.terminate()


def over_http(on: Stage) -> None:
    """Free text through the official client, and requests that the server has to refuse."""

    async def run(url: str) -> None:
        headers = {"authorization": f"Bearer {_TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            await send_all(on, client, spoken(), LONG)
        async with httpx2.AsyncClient(timeout=60) as http:
            for text in packed(on.haul.facts, MIDDLE):
                for number, (method, address, more, body) in enumerate(_refusable(url, text)):
                    on.haul.calls += 1
                    reply = await http.request(method, address, headers=more, content=body)
                    where = f"HTTP {reply.status_code} to the refusable request {number}"
                    on.haul.search("errors", where, f"{reply.headers} {reply.text}")

    with _served(on) as url:
        anyio.run(run, url)


_Request = tuple[str, str, dict[str, str], bytes]


def _refusable(url: str, text: str) -> list[_Request]:
    """Requests with a text in every place that a refusal could repeat; none of them is served."""
    known = {
        "authorization": f"Bearer {_TOKEN}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    head = quote(text)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "ask", "arguments": {"question": text}},
    }
    raw = json.dumps(call, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def variant(**changed: object) -> bytes:
        return json.dumps({**call, **changed}, ensure_ascii=False).encode("utf-8", "surrogatepass")

    modern = {"mcp-protocol-version": "2026-07-28"}
    return [
        ("POST", url, {**known, "authorization": f"Bearer {head}"}, raw),
        ("POST", url, {**known, "authorization": head}, raw),
        ("POST", url, {**known, "host": head}, raw),
        ("POST", url, {**known, "origin": f"https://{head}"}, raw),
        ("POST", url, {**known, "content-type": "text/plain"}, raw),
        ("POST", url, {**known, "content-type": head}, raw),
        ("POST", url, {**known, "accept": head}, raw),
        ("POST", url, {**known, "mcp-method": head}, raw),
        ("POST", url, {**known, "mcp-name": head}, raw),
        ("POST", url, {**known, "mcp-protocol-version": head}, raw),
        ("POST", f"{url}/{head}", known, raw),
        ("POST", f"{url}?{head}", {**known, "mcp-method": "x"}, raw),
        ("GET", url, known, raw),
        ("DELETE", f"{url}?question={head}", known, raw),
        ("OPTIONS", url, {**known, "origin": f"https://{head}"}, raw),
        ("POST", url, known, raw[:-1]),
        ("POST", url, known, text.encode("utf-8", "surrogatepass")),
        ("POST", url, known, b"[" + raw + b"]"),
        ("POST", url, known, raw + b"\xff"),
        ("POST", url, known, variant(method=text)),
        ("POST", url, known, variant(params=text)),
        ("POST", url, known, variant(params={"name": text})),
        ("POST", url, known, variant(params={"name": "ask", "arguments": text})),
        ("POST", url, known, variant(jsonrpc=text)),
        ("POST", url, {**known, **modern}, variant(method=text)),
        ("POST", url, {**known, **modern}, variant(params={"name": "ask", "arguments": {text: text}})),
    ]  # fmt: skip


# --- stdio -----------------------------------------------------------------------------------------------------------


def over_stdio(on: Stage) -> None:
    """Free text through the official client, and lines that are no request."""
    said = on.folder / "stdio.log"
    command = [sys.executable, "-m", "rag.cli", "mcp"]

    async def run() -> None:
        with said.open("w") as errors:
            parameters = StdioServerParameters(
                command=command[0], args=command[1:], env=_environment(on), cwd=str(on.folder)
            )
            async with Client(_stdio(parameters, errors)) as client:
                await send_all(on, client, spoken(), LONG)

    anyio.run(run)
    lines = [line for text in packed(on.haul.facts, SHORT) for line in _broken_lines(text)]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "canary", "version": "1"}}
    begin = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    on.haul.calls += len(lines)
    with said.open("a") as errors:
        done = subprocess.run(
            command, input="\n".join([begin, *lines, ""]).encode("utf-8", "surrogatepass"), stdout=subprocess.PIPE,
            stderr=errors, cwd=on.folder, env=_environment(on), check=False,
        )  # fmt: skip
    on.haul.search("errors", "stdio", done.stdout)


def _stdio(parameters: StdioServerParameters, errors: io.TextIOBase) -> Any:
    from mcp.client.stdio import stdio_client

    return stdio_client(parameters, errlog=errors)  # pyright: ignore[reportArgumentType] - any file with a descriptor


def _broken_lines(text: str) -> list[str]:
    one = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": text, "arguments": {"question": text}}}
    requests: list[object] = [
        one, {**one, "method": text}, {**one, "params": text}, {**one, "jsonrpc": text}, [one], text,
        {**one, "params": {"name": "ask", "arguments": text}},
        {"jsonrpc": "2.0", "method": text, "params": {"x": text}},
        {**one, "params": {"name": "ask", "arguments": {"question": text, "language": text}}},
    ]  # fmt: skip
    whole = [json.dumps(request, ensure_ascii=False) for request in requests]
    return [*whole, whole[0][:-2], " ".join(text.split())]


# --- command line ----------------------------------------------------------------------------------------------------


def command_line(on: Stage) -> None:
    """Every verb that takes text, over a store that works and over one that is away."""
    store = ("--database-url", on.engine.database.conninfo, "--data-dir", str(on.folder / "cli"))
    away = ("--database-url", _NOWHERE, "--data-dir", str(on.folder / "cli"))
    turns = 1 if len(on.haul.facts) <= FEW else 8
    for place, text in enumerate(packed(on.haul.facts, LONG)):
        for verb in VERBS[place % turns :: turns]:
            more = ("--debug",) if place % 2 else ("--json",)
            _call(on, (*store, *more), [word.replace("{}", text) for word in verb], None)
        for verb in READ_FROM_STDIN:
            _call(on, store, verb, text)
        if place == 0:  # it takes seconds to find that nobody is there
            _call(on, (*away, "--debug"), ("ask", text, "--jurisdiction", "us-ma"), None)
    search_log(on)


def _call(on: Stage, always: Sequence[str], words: Sequence[str], stdin: str | None) -> None:
    """One call; what it says is searched, its result only where that is an error."""
    on.haul.calls += 1
    out, err = io.StringIO(), io.StringIO()
    status, told = _run([*always, *words], stdin, out, err)
    on.haul.search("errors", f"stderr of {words[0] if '{' not in words[0] else 'no verb'}", err.getvalue())
    if status in (1, 2):
        on.haul.search("errors", f"stdout of {told}", out.getvalue())


def _run(words: Sequence[str], stdin: str | None, out: io.StringIO, err: io.StringIO) -> tuple[int, str]:
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode("utf-8", "surrogatepass")), encoding="utf-8")
    before = sys.stdin
    sys.stdin = given
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return main(words), "the command line"
    except SystemExit as left:
        return int(left.code or 0), "the command line"
    finally:
        sys.stdin = before


def others(on: Stage) -> None:
    """What everybody else sees afterwards: another client's calls, stored traces, and the records of telemetry."""
    store = ("--database-url", on.engine.database.conninfo, "--data-dir", str(on.folder / "cli"))
    asked: tuple[tuple[str, ...], ...] = (
        ("telemetry", "show", "--limit", "1000000", "--json"), ("telemetry", "export", "-"), ("dump", "last"),
        ("override", "list"), ("preemption", "list"), ("synonyms", "list"), ("documents", "--json"), ("doctor",),
    )  # fmt: skip
    for words in asked:
        out, err = io.StringIO(), io.StringIO()
        _run([*store, *words], None, out, err)
        on.haul.search("others", " ".join(words[:2]), out.getvalue() + err.getvalue())

    async def another() -> None:
        async with Client(build_server(on.engine)) as client:
            for tool, arguments in (
                ("search", {"language": "en", "query": "deposit", "tags": MA}),
                ("search", {"language": "en", "tags": MA, "discover": "*"}),
                ("get_context", {"reference": RULE}),
                ("ask", {"question": "Who pays interest on a security deposit?", **MA}),
                ("list_documents", {}),
                ("resolve_case", {"court": "supreme"}),
                ("quality_check", {"mode": "research", "model": "gpt-5-mini"}),
            ):
                result = await client.call_tool(tool, arguments)
                on.haul.search("others", f"another client's {tool}", json.dumps(result.model_dump(mode="json")))
            for listed in (
                await client.list_tools(),
                await client.list_prompts(),
                await client.list_resource_templates(),
            ):
                on.haul.search("others", "lists", listed.model_dump_json())

    anyio.run(another)
