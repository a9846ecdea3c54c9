"""Many clients for minutes while law comes in and courts act: `python -m evals bench soak --minutes 10`.

A fresh store on this machine, served by two processes: the MCP server over HTTP and the web application. Clients ask
both for contexts, answers, searches and pages, over one connection each, with a pause between two calls. Meanwhile one
writer ingests editions of a code again and again, and another records that a court struck down one rule after another.

Reported: failed calls; wrong results, which are those of law that nobody changes and that differ from what the store
said before, and contexts of the changing code that the store never was in; rules that were served though the halt was
committed before they were asked for; growth of memory, and of the time of slow calls, from the first to the last
quarter; times of calls.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode, urlsplit

from evals.bench.mcp_load import NONE, ROOT, SAMPLE, TOKEN, cpu_seconds, sampled, served
from evals.bench.timing import timing
from evals.rows import REPORTED, Gate, Row, json_rows, table
from evals.suites.ingest.crash import CORPUS, write_law
from rag import Engine
from rag.mcp.server import listed_tools
from rag.settings import load_settings
from rag.store.reference_data import NewOverride, add_override

SUITE = "bench-soak"
PROTOCOL = "2026-07-28"
STRUCK = "urn:lex:us:soak:1"  # whose sections courts strike down, one after the other
SECTIONS = 2000
COURT = "Court of the Soak"
BETWEEN_HALTS, BETWEEN_INGESTS = 1.0, 2.0  # seconds
FLAT = Gate("<=", 0.05)  # growth of memory
STEADY = Gate("<=", 1.5, hard=False)  # the slow calls of the last quarter beside those of the first
PROMPT = Gate("<=", 5000.0, hard=False)  # milliseconds
WARM_UP = 0.2  # share of the time after which memory is looked at
CHANGING = f"{CORPUS}:1:1"  # says another edition in each
STABLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_context", {"reference": "urn:lex:ma:940cmr:3.17:4"}),
    ("get_document", {"reference": "940 CMR 3.17"}),
    ("search", {"language": "en", "query": "interest on a security deposit", "tags": {"jurisdiction": "us-ma"}}),
    ("ask", {"question": "Who pays interest on a security deposit?", "jurisdiction": "us-ma"}),
    ("verify_citations", {"text": "See 940 CMR 3.17(4) and 940 CMR 3.99.", "jurisdiction": "us-ma"}),
)
PAGES = ("/read?reference=urn:lex:ma:940cmr:3.17:4", "/browse?root=urn:lex:ma:940cmr", "/read?reference=940+CMR+3.17")


@dataclass(slots=True)
class Seen:
    """What the clients saw; written by many threads."""

    milliseconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    failed: Counter[str] = field(default_factory=Counter[str])
    wrong: Counter[str] = field(default_factory=Counter[str])
    after_halt: int = 0
    halted: int = 0  # calls that were answered with the halt
    contexts: Counter[str] = field(default_factory=Counter[str])  # of the changing code, by digest
    lock: threading.Lock = field(default_factory=threading.Lock)

    def took(self, kind: str, since: float) -> None:
        """Note a call that began at a time of `time.monotonic()`."""
        with self.lock:
            self.milliseconds.setdefault(kind, []).append((time.monotonic() - since) * 1000)


@dataclass(slots=True)
class Written:
    """What the writers did; each written by one thread."""

    halts: dict[int, float] = field(default_factory=dict[int, float])  # section -> when its halt was committed
    digests: set[str] = field(default_factory=set[str])  # of contexts of the changing code that the store was in
    ingests: int = 0


def main(arguments: Sequence[str]) -> int:
    """Run the soak.

    Returns:
        1 where a hard row misses its goal, else 0.
    """
    parser = argparse.ArgumentParser(prog="python -m evals bench soak", description=(__doc__ or "").strip())
    parser.add_argument("--minutes", type=float, default=10.0, metavar="M", help="how long (%(default)s)")
    parser.add_argument("--clients", type=int, default=64, metavar="N", help="parallel clients (%(default)s)")
    parser.add_argument("--pause", type=float, default=0.5, metavar="S", help="seconds between calls (%(default)s)")
    parser.add_argument("--json", action="store_true", help="rows as a JSON array on stdout")
    given = parser.parse_args(arguments)
    if given.clients < 2 or given.minutes <= 0 or given.pause < 0:
        parser.error("--clients is 2 or more, --minutes more than 0, --pause 0 or more")
    rows = run(given.clients, given.minutes * 60, given.pause)
    print(json_rows(rows) if given.json else table(rows))
    return int(any(row.gate.hard and not row.gate.meets(row.value) for row in rows))


def run(clients: int, seconds: float, pause: float) -> list[Row]:
    """The rows of a run over a fresh store."""
    seen, written, memory = Seen(), Written(), {"mcp": list[float](), "web": list[float]()}
    with (
        tempfile.TemporaryDirectory(prefix="lexscope-bench-", ignore_cleanup_errors=True) as name,
        ExitStack() as stack,
    ):
        folder = Path(name)
        folder.chmod(0o755)  # as root the embedded server runs as another user
        law = folder / "law"
        law.mkdir()
        write_law(law)
        editions = sorted(law.glob("*.jsonl"))
        write_struck(folder / "struck.jsonl")
        settings = load_settings(data_dir=folder / "store", server_idle_seconds=0, traces="off")
        engine = stack.enter_context(Engine.open(settings))
        for path in (SAMPLE, folder / "struck.jsonl", editions[0]):
            engine.ingest([path])
        mcp, server = stack.enter_context(served(str(folder / "store")))
        web, key, pages = stack.enter_context(web_server(folder / "store"))
        expected = {tool: digest(call_of(engine, tool)(**given).model_dump(mode="json")) for tool, given in STABLE}
        far = [McpClient(mcp, seen, written, expected, pause, number) for number in range(clients - clients // 4)]
        browsers = [WebClient(web, key) for _ in range(clients // 4)]
        for one in (*far, *browsers):
            stack.callback(one.close)
        shown = {page: page_digest(browsers[0].page(page)) for page in PAGES}
        near = [WebVisitor(one, seen, written, shown, pause, number) for number, one in enumerate(browsers)]
        end = time.monotonic() + seconds
        writers = [
            lambda: ingest_on(engine, editions, written, end),
            lambda: strike_on(engine, written, end),
        ]
        before = cpu_seconds(server.pid)
        with sampled(server.pid, memory["mcp"]), sampled(pages.pid, memory["web"]):
            threads = [
                threading.Thread(target=work) for work in (*writers, *(_until(end, one.step) for one in (*far, *near)))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        used = cpu_seconds(server.pid) - before
    return rows_of(seen, written, memory, f"{clients} clients", seconds, used)


def _until(end: float, step: Callable[[], None]) -> Callable[[], None]:
    def work() -> None:
        while time.monotonic() < end:
            step()

    return work


# --- writers ---------------------------------------------------------------------------------------------------------


def write_struck(file: Path) -> None:
    """A code of many sections, each a rule of its own."""
    corpus = {"urn": "urn:lex:us:soak", "title": "Soak Code", "language": "en"}
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": corpus, "edition_date": "2020-01-01"},
        {"urn": STRUCK, "parent_urn": "urn:lex:us:soak", "structure_type": "TITLE", "level": "title",
         "kind": "section", "number": "1", "heading": "Title 1"},
    ]  # fmt: skip
    sections: list[dict[str, object]] = [
        {"urn": f"{STRUCK}:{n}", "parent_urn": STRUCK, "structure_type": "SECTION", "level": "section",
         "number": f"{n}", "heading": f"Section {n}", "content_text": f"A keeper shall mend part {n} at once."}
        for n in range(1, SECTIONS + 1)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(line) + "\n" for line in (*lines, *sections)), encoding="utf-8")


def ingest_on(engine: Engine, editions: Sequence[Path], written: Written, end: float) -> None:
    """Ingest one edition after the other, and note which contexts the store says after each."""
    written.digests.add(engine.context(CHANGING).digest)
    number = 0
    while time.monotonic() < end:
        number += 1
        engine.ingest([editions[number % len(editions)]])
        written.ingests += 1
        written.digests.add(engine.context(CHANGING).digest)
        time.sleep(BETWEEN_INGESTS)


def strike_on(engine: Engine, written: Written, end: float) -> None:
    """Record that a court struck down a section, the next, and so on; each counts from when it was committed."""
    for section in range(1, SECTIONS + 1):
        if time.monotonic() > end:
            return
        add_override(
            engine.database,
            NewOverride(
                urn_pattern=f"{STRUCK}:{section}", status="VOID", court=COURT, court_citation=f"{section} S. 1"
            ),
        )
        written.halts[section] = time.monotonic()
        time.sleep(BETWEEN_HALTS)


# --- clients ---------------------------------------------------------------------------------------------------------


def call_of(engine: Engine, tool: str) -> Callable[..., Any]:
    """The function of a tool, in this process."""
    return next(listed.fn for listed in listed_tools(engine) if listed.name == tool)


def digest(result: Mapping[str, Any]) -> str:
    """SHA-256 of a result without the number of its trace."""
    kept = {name: value for name, value in result.items() if name != "trace_id"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def page_digest(page: tuple[int, str]) -> str:
    """SHA-256 of a page that was served."""
    return hashlib.sha256(repr(page).encode()).hexdigest()


def section_of(random_: random.Random, halts: Mapping[int, float]) -> int:
    """A section that courts act on just now: struck down lately, or next."""
    last = max(halts, default=0)
    return min(max(1, last + random_.randint(-5, 1)), SECTIONS)


class McpClient:
    """A client of the MCP server: one connection, plain requests of the newest protocol."""

    def __init__(
        self, url: str, seen: Seen, written: Written, expected: Mapping[str, str], pause: float, number: int
    ) -> None:
        self._address, self._seen, self._written = urlsplit(url), seen, written
        self._expected, self._pause, self._number = expected, pause, number
        self._random = random.Random(number)
        self._connection = http.client.HTTPConnection(str(self._address.hostname), self._address.port, timeout=120)

    def close(self) -> None:
        """Close its connection."""
        self._connection.close()

    def step(self) -> None:
        """Call one tool, look at its result, and wait."""
        self._number += 1
        if self._number % 3 == 0:
            self._ask_for_struck()
        elif self._number % 3 == 1:
            tool, given = STABLE[self._random.randrange(len(STABLE))]
            result = self._call(tool, given)
            if result is not None and digest(result) != self._expected[tool]:
                self._seen.wrong[tool] += 1
        else:
            result = self._call("get_context", {"reference": CHANGING})
            if result is not None:
                self._seen.contexts[result["digest"]] += 1
        time.sleep(self._pause * 2 * self._random.random())

    def _ask_for_struck(self) -> None:
        section = section_of(self._random, self._written.halts)
        halted = self._written.halts.get(section)  # committed before the call begins
        asks = self._random.random() < 0.5
        urn = f"{STRUCK}:{section}"
        result = self._call("ask", {"question": urn}) if asks else self._call("get_context", {"reference": urn})
        if result is None:
            return
        with self._seen.lock:
            self._seen.halted += result["status"] == "halted"
            self._seen.after_halt += halted is not None and result["status"] != "halted"

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        meta: dict[str, object] = {
            "io.modelcontextprotocol/protocolVersion": PROTOCOL, "io.modelcontextprotocol/clientCapabilities": {},
        }  # fmt: skip
        params: dict[str, object] = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params})
        headers = {
            "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": PROTOCOL,
            "Mcp-Method": "tools/call", "Mcp-Name": tool,
        }  # fmt: skip
        since = time.monotonic()
        try:
            self._connection.request("POST", self._address.path, body, headers)
            reply = self._connection.getresponse()
            text = reply.read().decode()
        except OSError as error:
            self._seen.failed[f"{tool}: {type(error).__name__}"] += 1
            self._connection.close()
            return None
        if text.startswith((":", "event:", "data:")):  # a stream, where the result took longer
            text = next(line[5:] for line in reversed(text.splitlines()) if line.startswith("data:"))
        result: dict[str, Any] = json.loads(text).get("result", {}) if reply.status == 200 else {}
        if reply.status != 200 or result.get("isError", True):
            said = "".join(entry.get("text", "")[:60] for entry in result.get("content", ()))
            self._seen.failed[f"{tool}: {reply.status} {said}"] += 1
            return None
        self._seen.took(f"mcp {tool}", since)
        return result["structuredContent"]


class WebClient:
    """A browser without its pictures: one connection, its cookie, pages as text."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"Cookie": f"lexscope_key={key}"}

    def close(self) -> None:
        """Close its connection."""
        self._connection.close()

    def page(self, path: str, form: Mapping[str, str] | None = None) -> tuple[int, str]:
        """The status and the text of a page, of a form where one is sent."""
        form_type = {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            if form is None:
                self._connection.request("GET", path, headers=self._headers)
            else:
                self._connection.request("POST", path, urlencode(form), self._headers | form_type)
            reply = self._connection.getresponse()
            return reply.status, reply.read().decode()
        except OSError:
            self._connection.close()
            return 0, ""


class WebVisitor:
    """A reader of the web application."""

    def __init__(
        self, client: WebClient, seen: Seen, written: Written, shown: Mapping[str, str], pause: float, number: int
    ) -> None:
        self._client, self._seen, self._written, self._shown = client, seen, written, shown
        self._pause, self._number, self._random = pause, number, random.Random(1000 + number)

    def step(self) -> None:
        """Open one page, look at it, and wait."""
        self._number += 1
        since = time.monotonic()
        if self._number % 2:
            path = PAGES[self._random.randrange(len(PAGES))]
            status, text = self._client.page(path)
            if status == 200 and page_digest((status, text)) != self._shown[path]:
                self._seen.wrong[f"page {path}"] += 1
            kind = "web page"
        else:
            section = section_of(self._random, self._written.halts)
            halted = section in self._written.halts
            status, text = self._client.page("/ask", {"question": f"{STRUCK}:{section}"})
            if status == 200:
                with self._seen.lock:
                    self._seen.halted += COURT in text
                    self._seen.after_halt += halted and COURT not in text
            kind = "web ask"
        if status == 200:
            self._seen.took(kind, since)
        else:
            self._seen.failed[f"{kind}: {status}"] += 1
        time.sleep(self._pause * 2 * self._random.random())


@contextmanager
def web_server(store: Path) -> Generator[tuple[int, str, subprocess.Popen[str]]]:
    """The web application as a process on a store; its port and key."""
    environment = {**os.environ, "LEXSCOPE_DATA_DIR": str(store), "LEXSCOPE_SERVER_IDLE_SECONDS": "0"}
    command = [sys.executable, "-m", "rag.cli", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            if not line.startswith("open http"):
                raise RuntimeError(f"the web application did not start: {line.strip()}")
            address = urlsplit(str(line.split()[1]))
            threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop it
            yield address.port or 0, address.query.removeprefix("key="), process
        finally:
            process.terminate()


def rows_of(
    seen: Seen, written: Written, memory: Mapping[str, Sequence[float]], source: str, seconds: float, used: float
) -> list[Row]:
    """What was seen, as rows."""

    def row(metric: str, value: float, n: int, gate: Gate = REPORTED, of: str = source) -> Row:
        return Row(SUITE, of, metric, value, n, None, None, gate)

    for what, counted in (("failed", seen.failed), ("wrong", seen.wrong)):
        for name, count in counted.most_common(8):
            print(f"{what}: {count} of {name}", file=sys.stderr)
    calls = sum(map(len, seen.milliseconds.values()))
    torn = sum(count for found, count in seen.contexts.items() if found not in written.digests)
    rows = [
        row("failed_calls", float(seen.failed.total()), calls, NONE),
        row("wrong_results", float(seen.wrong.total()), calls, NONE),
        row("contexts_never_stored", float(torn), seen.contexts.total(), NONE),
        row("served_after_halt", float(seen.after_halt), seen.halted, NONE),
        row("halts_committed", float(len(written.halts)), 1),
        row("ingests", float(written.ingests), 1),
        row("calls_a_second", calls / seconds, calls),
        row("mcp_cpu_ms_a_call", 1000 * used / max(calls, 1), calls),
    ]
    for name, all_samples in memory.items():
        samples = all_samples[int(WARM_UP * len(all_samples)) :]
        quarter = len(samples) // 4
        if quarter:
            first, last = median(samples[:quarter]), median(samples[-quarter:])
            rows += [
                row("memory_growth", last / first - 1, len(samples), FLAT, name),
                row("memory_mb", last, len(samples), of=name),
            ]
    for kind, values in sorted(seen.milliseconds.items()):
        timed = timing(values)
        p99 = sorted(values)[int(0.99 * (len(values) - 1))]
        rows += [
            row("ms_p50", timed.p50, timed.n, of=kind), row("ms_p95", timed.p95, timed.n, of=kind),
            row("ms_p99", p99, timed.n, PROMPT, kind),
        ]  # fmt: skip
    if (growth := _growth(seen.milliseconds)) is not None:
        rows.append(row("p95_growth", growth, calls, STEADY))
    return rows


def _growth(milliseconds: Mapping[str, Sequence[float]]) -> float | None:
    """How many times longer slow calls took in the last quarter than in the first, kinds of calls in proportion."""
    ends: tuple[list[float], list[float]] = ([], [])
    for values in milliseconds.values():
        kept = values[int(WARM_UP * len(values)) :]
        quarter, usual = len(kept) // 4, median(values)
        for end, part in zip(ends, (kept[:quarter], kept[len(kept) - quarter :]), strict=True):
            end += [value / usual for value in part]
    if not all(ends):
        return None
    first, last = (sorted(end)[int(0.95 * (len(end) - 1))] for end in ends)
    return last / first
