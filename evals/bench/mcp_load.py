"""The MCP server over HTTP under load: `python -m evals bench mcp`.

A server process on the sample store; clients that each hold a connection and call one tool after another, in turns with
as many threads that call the same functions in this process. Reported: failed calls, results that differ from those in
process, how much the server's memory grew from the first to the last quarter of the time, the server's processor time a
call, and how many times longer a call of one client alone takes over HTTP than in process. Clients and server share the
machine, so that times hold the client library's work too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from pydantic import BaseModel

from evals.bench.timing import timing
from evals.rows import REPORTED, Gate, Row, json_rows, table
from rag import Engine
from rag.mcp.server import listed_tools
from rag.settings import load_settings

SUITE = "bench-mcp"
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "rag" / "sample"
TOKEN = "the-token-of-a-benchmark-on-loopback"
ROUNDS = 4
ALONE_CALLS, WARM_UP_CALLS = 30, 3
WARM_UP_SECONDS = 5.0
NONE = Gate("<=", 0.0)
FLAT = Gate("<=", 0.1)

Pairs = list[tuple[float, float]]

RULE = "urn:lex:ma:940cmr:3.17:4"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"language": "en", "query": "interest on a security deposit", "tags": {"jurisdiction": "us-ma"}}),
    ("get_document", {"reference": "940 CMR 3.17"}),
    ("get_context", {"reference": RULE}),
    ("ask", {"question": "Who pays interest on a security deposit?", "jurisdiction": "us-ma"}),
    ("verify_citations", {"text": "See 940 CMR 3.17(4) and 940 CMR 3.99.", "jurisdiction": "us-ma"}),
    ("resolve_case", {"case_name": "nobody"}),
)


@dataclass(slots=True)
class Load:
    """What the callers of one side saw; written from many threads or tasks of one loop."""

    milliseconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    digests: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    failed: Counter[str] = field(default_factory=Counter[str])
    cpu_seconds: float = 0.0  # of the process that served, PostgreSQL apart
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, tool: str, since: float, result: Mapping[str, Any] | None) -> None:
        """Note a call: when it began by `time.perf_counter()`, and its result, None where it failed."""
        taken = (time.perf_counter() - since) * 1000
        with self.lock:
            if result is None:
                self.failed[tool] += 1
            else:
                self.milliseconds.setdefault(tool, []).append(taken)
                self.digests.setdefault(tool, Counter())[digest(result)] += 1


def digest(result: Mapping[str, Any]) -> str:
    """SHA-256 of a result without the number of its record, which differs from call to call."""
    kept = {name: value for name, value in result.items() if name != "trace_id"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark.

    Returns:
        1 where a call failed or a result differed, else 0; the rows say what else is below its goal.
    """
    parser = argparse.ArgumentParser(prog="python -m evals bench mcp", description=(__doc__ or "").strip())
    parser.add_argument("--clients", type=int, default=32, metavar="N", help="parallel clients (%(default)s)")
    parser.add_argument("--seconds", type=float, default=300.0, metavar="S", help="time over HTTP (%(default)s)")
    parser.add_argument("--json", action="store_true", help="rows as a JSON array on stdout")
    given = parser.parse_args(arguments)
    if given.clients < 1 or given.seconds <= 0:
        parser.error("--clients is 1 or more, --seconds more than 0")
    rows = run(given.clients, given.seconds)
    print(json_rows(rows) if given.json else table(rows))
    return int(any(row.value > 0 for row in rows if row.gate is NONE))


def run(clients: int, seconds: float) -> list[Row]:
    """The rows of a run over a fresh sample store."""
    with tempfile.TemporaryDirectory(prefix="lexscope-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # as root the embedded server runs as another user
        settings = load_settings(data_dir=Path(folder), server_idle_seconds=0)
        with Engine.open(settings) as engine:
            engine.ingest([SAMPLE])
            with served(folder) as (url, process):
                here, there, memory = Load(), Load(), list[float]()
                anyio.run(over_http, url, clients, WARM_UP_SECONDS, Load())
                in_process(engine, clients, WARM_UP_SECONDS, Load())
                for _ in range(ROUNDS):
                    since = time.process_time()
                    in_process(engine, clients, seconds / ROUNDS / 4, here)
                    here.cpu_seconds += time.process_time() - since
                    since = cpu_seconds(process.pid)
                    with sampled(process.pid, memory):
                        anyio.run(over_http, url, clients, seconds / ROUNDS, there)
                    there.cpu_seconds += cpu_seconds(process.pid) - since
                alone = anyio.run(side_by_side, url, engine)
    return rows_of(here, there, alone, memory, clients)


@contextmanager
def served(folder: str) -> Generator[tuple[str, subprocess.Popen[str]]]:
    """A server process on the store in a data folder; its URL."""
    environment = {
        **os.environ, "LEXSCOPE_DATA_DIR": folder, "LEXSCOPE_MCP_TOKEN": TOKEN, "LEXSCOPE_SERVER_IDLE_SECONDS": "0",
    }  # fmt: skip
    command = [sys.executable, "-m", "rag.cli", "mcp", "--http", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            if not line.startswith("serving MCP at "):
                raise RuntimeError(f"the server did not start: {line.strip()}")
            threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop it
            yield line.split()[3].rstrip(";"), process
        finally:
            process.terminate()


async def over_http(url: str, clients: int, seconds: float, load: Load) -> None:
    """Let clients call the tools in turn for a time, each beginning at another."""
    deadline = time.perf_counter() + seconds

    async def one(number: int) -> None:
        async with client_of(url) as client:
            step = number
            # Every tool once at least, so that no side is measured half warm.
            while step < number + len(CALLS) or time.perf_counter() < deadline:
                tool, arguments = CALLS[step % len(CALLS)]
                step += 1
                since = time.perf_counter()
                try:
                    result = await client.call_tool(tool, arguments)
                except MCPError:
                    load.add(tool, since, None)
                else:
                    load.add(tool, since, None if result.is_error else result.structured_content)

    async with anyio.create_task_group() as tasks:
        for number in range(clients):
            tasks.start_soon(one, number)


async def side_by_side(url: str, engine: Engine) -> dict[str, Pairs]:
    """One client alone: each call over HTTP and in this process by turns, so that a neighbour's load falls on both.

    Returns:
        Tool -> milliseconds over HTTP and in process, call by call.
    """
    functions = {listed.name: listed.fn for listed in listed_tools(engine)}
    pairs: dict[str, Pairs] = {tool: [] for tool, _ in CALLS}
    async with client_of(url) as client:
        for number in range(-WARM_UP_CALLS, ALONE_CALLS):
            for tool, arguments in CALLS:
                start = time.perf_counter()
                await client.call_tool(tool, arguments)
                middle = time.perf_counter()
                functions[tool](**arguments)
                if number >= 0:
                    pairs[tool].append(((middle - start) * 1000, (time.perf_counter() - middle) * 1000))
    return pairs


@asynccontextmanager
async def client_of(url: str) -> AsyncGenerator[Client]:
    """The official client, connected."""
    # Certificates would be read for each client, and nothing here is encrypted.
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120, verify=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


def in_process(engine: Engine, threads: int, seconds: float, load: Load) -> None:
    """Let threads call the tools' own functions in turn for a time."""
    functions = {listed.name: listed.fn for listed in listed_tools(engine)}
    deadline = time.perf_counter() + seconds
    turns = threading.Semaphore(engine.settings.pool_size)  # as many at once as the server lets run

    def one(number: int) -> None:
        step = number
        while time.perf_counter() < deadline:
            tool, arguments = CALLS[step % len(CALLS)]
            step += 1
            since = time.perf_counter()
            with turns:
                result: BaseModel = functions[tool](**arguments)
            load.add(tool, since, result.model_dump(mode="json"))

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(one, number) for number in range(threads)]:
            done.result()


def cpu_seconds(process: int) -> float:
    """Processor time that a process has used; 0 where the system does not tell."""
    status = Path(f"/proc/{process}/stat")
    if not status.exists():
        return 0.0
    user, system = status.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def sampled(process: int, into: list[float]) -> Generator[None]:
    """Note a process's resident memory in MB every half second; nothing where the system does not tell."""
    status, stop = Path(f"/proc/{process}/status"), threading.Event()

    def sample() -> None:
        while not stop.wait(0.5):
            lines = status.read_text().splitlines() if status.exists() else []
            into.extend(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def rows_of(here: Load, there: Load, alone: Mapping[str, Pairs], memory: Sequence[float], clients: int) -> list[Row]:
    """What the two sides saw, as rows."""

    def row(source: str, metric: str, value: float, n: int, gate: Gate = REPORTED) -> Row:
        return Row(SUITE, source, metric, value, n, None, None, gate)

    calls = sum(len(millisecond) for millisecond in there.milliseconds.values())
    seen = {tool: set(there.digests.get(tool, ())) | set(here.digests.get(tool, ())) for tool, _ in CALLS}
    source = f"{clients} clients"
    rows = [
        row(source, "failed_calls", float(there.failed.total() + here.failed.total()), calls, NONE),
        row(source, "differing_results", float(sum(max(0, len(group) - 1) for group in seen.values())), calls, NONE),
    ]
    quarter = len(memory) // 4
    if quarter:
        first, last = statistics.median(memory[:quarter]), statistics.median(memory[-quarter:])
        rows += [
            row(source, "memory_growth", last / first - 1, len(memory), FLAT),
            row(source, "memory_mb", last, len(memory)),
        ]
    near_calls = sum(len(millisecond) for millisecond in here.milliseconds.values())
    if there.cpu_seconds and calls and near_calls:
        far_cpu, near_cpu = (1000 * one.cpu_seconds / n for one, n in ((there, calls), (here, near_calls)))
        rows += [
            row(source, "server_cpu_ms_per_call", far_cpu, calls),
            row(source, "in_process_cpu_ms_per_call", near_cpu, near_calls),
            row(source, "cpu_ratio", far_cpu / near_cpu, calls),
        ]
    for tool, _ in CALLS:
        loaded = timing(there.milliseconds.get(tool) or [0.0])
        far, near = (timing(values).p50 for values in zip(*alone[tool], strict=True))
        rows += [
            row(tool, "loaded_http_p50_ms", loaded.p50, loaded.n),
            row(tool, "loaded_http_p95_ms", loaded.p95, loaded.n),
            row(tool, "http_ms", far, len(alone[tool])),
            row(tool, "in_process_ms", near, len(alone[tool])),
            row(tool, "latency_ratio", far / near, len(alone[tool])),
        ]
    return rows
