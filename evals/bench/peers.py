"""`python -m evals bench peers`: other systems' hybrid search beside ours: one server, the same nodes and vectors.

LlamaIndex, LangChain and Haystack are no dependency: `--python` names an interpreter that has some of them, and what it
lacks is said. It runs `peer_client.py` as a child that answers one line of JSON with another; it times the search
itself, so that neither the pipe nor the JSON counts. All systems take turns on each question.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, LiteralString, Self

from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from evals.bench.context import sizes_named
from evals.bench.entry_points import Bench, found_rules, invented_store
from evals.bench.questions import AT, MODEL, WITH_WORDS, Question, questions
from evals.bench.synthetic import RECIPE
from evals.bench.timing import server_clock, timing
from evals.rows import REPORTED, Row, json_rows, table
from rag.settings import load_settings
from rag.store.database import Database
from retrieval.nodes import stored_jurisdictions

SUITE = "bench peers"
OURS = {"entry_points": "Lexscope: ten entry points", "question": "Lexscope: C(R) of ten rules"}
NAMES = {"llamaindex": "LlamaIndex, hybrid", "langchain": "LangChain, hybrid", "haystack": "Haystack, joined"}
CLIENT = Path(__file__).with_name("peer_client.py")


@dataclass(frozen=True, slots=True)
class PeerReply:
    """What a peer found, in milliseconds that passed and of processor time.

    The processor time is that of its own process and of its connections' backends; parallel workers are not counted.
    """

    milliseconds: float
    cpu: float | None  # None where it cannot be read
    ids: list[int]


class Peers:
    """The peers that an interpreter has, loaded with a store's nodes in force. A context manager.

    Args:
        python: the interpreter.
        store: whose nodes they search; it is read and not changed.
        asked: the questions that will be asked.
        server: a connection string to make their database with.
        keep: what their database follows from, where it is to outlive the run and serve the next one of the same.
    """

    def __init__(
        self, python: Path, store: Database, asked: Sequence[Question], server: str, *, keep: str = ""
    ) -> None:
        self.names: list[str] = []
        self.missing: dict[str, str] = {}  # name -> why
        self.seconds: dict[str, float] = {}
        self._server = server
        self._database = f"{conninfo_to_dict(store.conninfo)['dbname']}_peers"
        self._store = store
        self._keep = keep
        self._filled = self._kept()
        if self._filled is None:
            self._administer("drop database if exists {} with (force)")
            self._administer("create database {}")
        self._child = subprocess.Popen(
            [str(python), str(CLIENT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._dimensions = len(asked[0].vector)

    def __enter__(self) -> Self:
        try:
            self._load()
        except BaseException:
            self.close()
            raise
        return self

    def _load(self) -> None:
        url = make_conninfo(self._server, dbname=self._database)
        reply = self._say({
            "store": self._store.conninfo, "database": conninfo_to_dict(url), "dimensions": self._dimensions,
            "model": MODEL.space, "at": AT.isoformat(), "filled": self._filled,
        })  # fmt: skip
        if self._keep and self._filled is None:
            told = json.dumps({"made": self._keep, "loaded": reply["loaded"]})
            self._administer("comment on database {} is {}", sql.Literal(told))
        for name, seconds in reply["loaded"].items():
            self.names.append(name)
            self.seconds[name] = seconds
        self.missing = reply["missing"]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child and drop its database, unless it is kept."""
        if self._child.stdin is not None:
            self._child.stdin.close()
        self._child.wait(timeout=60)
        if self._child.stdout is not None:
            self._child.stdout.close()
        if self._kept() is None:
            self._administer("drop database {} with (force)")

    def ask(self, name: str, one: Question) -> PeerReply:
        """A peer's ten best node versions for a question, and what it took."""
        reply = self._say({"peer": name, "text": one.text, "vector": one.vector})
        return PeerReply(reply["milliseconds"], reply["cpu"], reply["ids"])

    def _kept(self) -> dict[str, float] | None:
        """The peers whose tables an earlier run left whole, and the seconds that loading them took."""
        if not self._keep:
            return None
        with self._store.admin() as conn:
            row = conn.execute(
                "select shobj_description(oid, 'pg_database') from pg_database where datname = %s", [self._database]
            ).fetchone()
        told: dict[str, Any] = json.loads(row[0]) if row and row[0] else {}
        return told["loaded"] if told.get("made") == self._keep else None

    def _say(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(message) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError("the peers' interpreter ended; its own output above says why")
        return json.loads(line)

    def _administer(self, statement: LiteralString, *values: sql.Composable) -> None:
        with self._store.admin() as conn:
            conn.execute(sql.SQL(statement).format(sql.Identifier(self._database), *values))


# --- the benchmark ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Measured:
    """What one system took for each question, in milliseconds, and how often it had the right rule among its ten."""

    took: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])  # of client and server; empty where the system does not tell
    hits: float = 0.0

    def rows(self, source: str, name: str) -> list[Row]:
        """As rows of a report."""
        taken = timing(self.took)
        values = {"ms_p50": taken.p50, "ms_p95": taken.p95, "hit@10": self.hits}
        if self.cpu:
            values["ms_cpu_p50"] = median(self.cpu)
        return [
            Row(SUITE, source, f"{name}_{what}", one, taken.n, None, None, REPORTED) for what, one in values.items()
        ]


def side_by_side(store: Database, asked: Sequence[Question], peers: Peers, rounds: int) -> dict[str, Measured]:
    """Every system's times for the same questions, asked in turn, each time beginning with another system."""
    with store.read() as conn:
        bench, clock = Bench(conn, conn, stored_jurisdictions(conn)), server_clock(conn)

        def ours(run: Callable[[Question], object]) -> Callable[[Question], PeerReply]:
            def reply(question: Question) -> PeerReply:
                before, began = clock() if clock else 0.0, time.perf_counter()
                run(question)
                took, work = time.perf_counter() - began, (clock() if clock else 0.0) - before
                return PeerReply(took * 1000, work * 1000 if clock else None, [])

            return reply

        def theirs(name: str) -> Callable[[Question], PeerReply]:
            return lambda question: peers.ask(name, question)

        systems = {"entry_points": ours(bench.entry_points), "question": ours(bench.question)}
        systems |= {name: theirs(name) for name in peers.names}
        found = {name: Measured() for name in systems}
        for number in range(-1, rounds):  # the first pass warms up
            for place, question in enumerate(asked):
                first = (place + number) % len(systems)
                for name in [*systems][first:] + [*systems][:first]:
                    reply = systems[name](question)
                    if number < 0:
                        found[name].hits += (question.node in reply.ids) / len(asked)
                        continue
                    found[name].took.append(reply.milliseconds)
                    found[name].cpu += [reply.cpu] if reply.cpu is not None else []
        for name in OURS:
            found[name].hits = found_rules(bench, asked)
    return found


def plot(found: dict[str, Measured], title: str) -> str:
    """Each system's median time and processor time as bars, with its hits in words: one self-contained SVG."""
    width, left, bar, step = 760, 230, 13, 44
    longest = max(median(one) for measured in found.values() for one in (measured.took, measured.cpu) if one)
    height = 70 + step * len(found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="10" y="22" font-size="15">{escape(title)}</text>',
        '<text x="10" y="42">Median of a question: time that passed (dark), processor time of client and server '
        "(light)</text>",
    ]
    for place, (name, measured) in enumerate(found.items()):
        top = 58 + place * step
        told = f"{OURS.get(name) or NAMES[name]}"
        parts.append(f'<text x="{left - 8}" y="{top + 12}" text-anchor="end">{escape(told)}</text>')
        parts.append(f'<text x="{left - 8}" y="{top + 27}" text-anchor="end" fill="#555">')
        parts.append(f"right rule among ten: {measured.hits:.2f}</text>")
        for at, (values, colour) in enumerate(((measured.took, "#1f4e79"), (measured.cpu, "#8fb4d9"))):
            if values:
                long = (width - left - 90) * median(values) / longest
                y = top + at * (bar + 2)
                parts.append(f'<rect x="{left}" y="{y}" width="{long:.1f}" height="{bar}" fill="{colour}"/>')
                parts.append(f'<text x="{left + long + 6:.1f}" y="{y + 11}">{median(values):.1f} ms</text>')
    return "\n".join([*parts, "</svg>", ""])


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; see `--help`. Returns 0: it tells figures that nothing is gated on."""
    parser = argparse.ArgumentParser(prog="python -m evals bench peers", description=__doc__)
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="an interpreter that has the peers")
    parser.add_argument("--sizes", type=sizes_named, default=[10_000], metavar="N,N", help="nodes of each store")
    parser.add_argument("--questions", type=int, default=60, metavar="N", help="questions (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="passes over them (%(default)s)")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="which law and questions (%(default)s)")
    parser.add_argument(
        "--keep", action="store_true", help="keep the stores and tables, and use those of an earlier run"
    )
    parser.add_argument("--database-url", metavar="URL", help="the server to make the stores on; else as in any run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a plot of the last size as SVG")
    options = parser.parse_args(arguments)
    if options.questions < 1 or options.rounds < 1:
        parser.error("--questions and --rounds are numbers from 1 on")
    settings = load_settings(database_url=options.database_url)
    rows: list[Row] = []
    with Database(settings) as server:
        for size in options.sizes:
            keep = f"{size} {options.seed} {RECIPE} {WITH_WORDS.recipe}" if options.keep else ""
            with invented_store(server, settings, size, options) as store:
                with store.read() as conn:
                    asked = questions(conn, options.questions, seed=options.seed)
                with Peers(options.python, store, asked, server.conninfo, keep=keep) as peers:
                    for name, cause in peers.missing.items():
                        print(f"{NAMES[name]}: not measured ({cause})", file=sys.stderr)
                    found = side_by_side(store, asked, peers, options.rounds)
            for name, measured in found.items():
                rows += measured.rows(f"{size} nodes", name)
            if options.plot:
                title = f"One question over {size:,} nodes, beside other systems"
                options.plot.write_text(plot(found, title), encoding="utf-8")
    print(table(rows))
    if options.json:
        options.json.write_text(json_rows(rows) + "\n", encoding="utf-8")
    return 0
