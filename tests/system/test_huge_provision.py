"""One provision of 1.5 MB through every verb: within a quarter of the processor time of one request (its ingest, half
as much again), and in 320 MB of memory. So one of 6 MB is within a request's time.

Of a store with such a provision nothing may take time or memory out of proportion to it. Limits are of processor time,
for other tests run beside these.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from cli_calls import PROJECT, address
from conftest import Stores

from evals.bench.mcp_load import client_of, served
from evals.bench.soak import WebClient, web_server
from rag.settings import Settings

CHARACTERS = 1_500_000
RULE = "urn:lex:us:huge:1"
QUESTION = "Within how many days shall a keeper return the deposit?"
SECONDS = Settings.model_fields["request_seconds"].default / 4  # of processor time
MEGABYTES = 320
LOOPS, LOOP_SECONDS = 20_000_000, 0.15  # of an empty loop, and what it takes on an idle core

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory otherwise")


@dataclass(frozen=True, slots=True)
class Used:
    """What a process of the command line left behind, and what it took."""

    out: str
    err: str
    status: int
    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Store:
    """The store with the provision, and what its ingest took."""

    url: str
    ingest: Used

    def call(self, *arguments: str) -> Used:
        """Run a verb in a process of its own."""
        return _run(self.url, *arguments)


# What a process took is asked of a small one that started it: a child counts its parent's memory as its own until it
# runs its program, and a worker of the tests may have grown large.
_STARTER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
took = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
print(json.dumps((os.waitstatus_to_exitcode(status), *took)), file=sys.stderr)
"""


def _run(url: str, *arguments: str) -> Used:
    # Its deadline is of time that passes; the tests' own limit is of processor time.
    environment = {**os.environ, "LEXSCOPE_DATABASE_URL": url, "LEXSCOPE_REQUEST_SECONDS": "600"}
    command = [sys.executable, "-c", _STARTER, sys.executable, "-m", "rag.cli", *arguments]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True)
    told, _, took = done.stderr.rstrip().rpartition("\n")
    return Used(done.stdout, told, *json.loads(took))


def sentences() -> Iterator[str]:
    """Sentences that differ, as those of a law do, of 1.5 MB together."""
    length, number = 0, 0
    while length < CHARACTERS:
        thing = f"deposit of class {number}"
        said = (
            f"A keeper of house {number} shall within {number % 90 + 1} days return the {thing} to its owner, unless "
            f"section {number % 900 + 1} applies."
        )
        length, number = length + len(said) + 1, number + 1
        yield said


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store whose only law is a code with such a section and a short one."""
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": "urn:lex:us:huge", "title": "Huge Code", "language": "en"}},
        {"urn": "urn:lex:us:huge", "structure_type": "ROOT", "level": "code", "heading": "Huge Code"},
    ]
    for number, text in (("1", " ".join(sentences())), ("2", "Who loses a deposit shall pay for it.")):
        section = {"structure_type": "SECTION", "level": "section", "number": number, "heading": f"Keeping {number}"}
        urn = f"urn:lex:us:huge:{number}"
        lines.append({"urn": urn, "parent_urn": "urn:lex:us:huge", **section, "content_text": text})
    file = tmp_path_factory.mktemp("huge") / "huge.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    settings = stores.clone(empty_template)
    yield Store(address(settings), _run(address(settings), "ingest", str(file)))
    stores.drop(settings)


MEMO = (
    f'Under {RULE}, "A keeper of house 3 shall within 4 days return the deposit of class 3 to its owner, unless '
    f'section 4 applies." A keeper has to return the deposit of class 7 within 48 days, see {RULE}. "The keeper of '
    f'house 5 never returns a deposit", {RULE}.'
)


def slowness() -> float:
    """How many times as long as on an idle core this machine takes now; a busy one shares its caches and its clock."""
    since = time.process_time()
    for _ in range(LOOPS):
        pass
    return max(1.0, (time.process_time() - since) / LOOP_SECONDS)


def check_fits(used: Used, seconds: float = SECONDS) -> None:
    """Fail unless a call ended in time and in memory, and not by its deadline."""
    assert "was ended" not in used.err
    assert used.seconds < seconds * slowness(), f"{used.seconds:.0f} s of processor time"
    assert used.megabytes < MEGABYTES, f"{used.megabytes:.0f} MB"


def test_a_provision_of_one_and_a_half_mb_is_ingested(store: Store) -> None:
    check_fits(store.ingest, 1.5 * SECONDS)  # an ingest has no deadline
    assert store.ingest.status == 0
    assert "1 document, 3 nodes" in store.ingest.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("search", QUESTION), RULE),
        (("resolve", RULE), RULE),
        (("document", RULE), "house 3 "),
        (("context", RULE), "house 7500 "),
    ],
    ids=["search", "resolve", "document", "context"],
)
def test_every_verb_that_reads_it_ends_in_time_and_memory(store: Store, arguments: tuple[str, ...], told: str) -> None:
    used = store.call(*arguments)
    check_fits(used)
    assert used.status == 0
    assert told in " ".join(used.out.split())


def test_verify_compares_quotations_and_statements_with_all_of_it(store: Store, tmp_path: Path) -> None:
    memo = tmp_path / "memo.txt"
    memo.write_text(MEMO)
    used = store.call("verify", str(memo), "--json")
    check_fits(used)
    verdicts = [(item["kind"], item["verdict"]) for item in json.loads(used.out)["items"]]
    assert {("quote", "SUPPORTED"), ("quote", "MISQUOTED")} <= {*verdicts}
    assert any(kind == "claim" for kind, _ in verdicts)


def test_a_question_is_answered_from_it_and_its_trace_becomes_a_dump(store: Store, tmp_path: Path) -> None:
    asked = store.call("ask", f"{QUESTION} My house has number 7500.")
    check_fits(asked)
    assert asked.status in (0, 3)  # of so many rules alike none may be sure
    assert "A keeper of house" in " ".join(asked.out.split())
    used = store.call("dump", "last", "--format", "html", "--output", str(tmp_path / "dump.html"))
    check_fits(used)
    assert used.status == 0
    assert RULE in (tmp_path / "dump.html").read_text()


def _peak(process: subprocess.Popen[str]) -> float:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def test_both_servers_answer_from_it_in_bounded_memory(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXSCOPE_DATABASE_URL", store.url)
    monkeypatch.setenv("LEXSCOPE_REQUEST_SECONDS", "600")
    calls: list[tuple[str, dict[str, object]]] = [
        ("get_document", {"reference": RULE}),
        ("get_context", {"reference": RULE}),
        ("ask", {"question": QUESTION, "jurisdiction": "us"}),
    ]

    async def call_tools(url: str) -> None:
        async with client_of(url) as client:
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, (tool, result.content)

    with served(str(tmp_path)) as (url, process):
        anyio.run(call_tools, url)
        assert _peak(process) < MEGABYTES
    with web_server(tmp_path) as (port, key, process):
        web = WebClient(port, key)
        assert web.page("/ask", {"question": QUESTION})[0] == 200
        assert _peak(process) < MEGABYTES
        web.close()
