"""`python -m evals bench references`: how fast references are read, and what batch look-ups save.

Reading is timed on the processor, on one core, over citation suites (`--data`, or those beside the checkout; always
the grammars' own examples). Look-ups of the same readings take turns, one by one and in a batch, in one store of
invented sections. Growth is the time for a text of twice the length over that for the text, on strings that grammars
find hard.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, Self

from psycopg import Cursor
from psycopg.abc import Params

from evals.bench.stores import scratch_store
from evals.bench.timing import measure
from evals.references import SOURCES
from evals.references_suites import suite_texts
from evals.rows import REPORTED, Gate, Row, json_rows, table
from evals.suites import SHARED
from rag.database import Database
from rag.ingest.nodes import Corpus, ParsedDocument, ParsedNode
from rag.ingest.pipeline import IngestReport, ingest_document
from rag.jurisdictions.base import Jurisdiction
from rag.jurisdictions.registry import all_jurisdictions, jurisdiction_for
from rag.settings import load_settings
from retrieval.nodes import Connection
from retrieval.queries import QUERIES
from retrieval.reference_batch import BatchFinder
from retrieval.reference_hits import Request, StoreFinder
from retrieval.tag_query import TagFilterSet, TagQuery, urn_query

SUITE = "bench references"
TODAY = date(2026, 1, 1)
CORPUS = "urn:lex:us:98usc"
SECONDS = 1.0  # of processor time for each rate
RATE, SAVED, LINEAR = Gate(">=", 20_000.0, hard=False), Gate(">=", 20.0, hard=False), Gate("<=", 2.5, hard=False)
COST = Gate("<=", 50.0, hard=False)
# Beginnings of references, lists without end and near misses: what a backtracking grammar would try again and again.
HARD = (
    "section 1(a)(1)", "§ 1 to 2, 3 and ", "title 1, ", "1 U.S.C. 1-", "Article 1 de la loi du ", "§ 1 Abs. 1 Satz 1 ",
    "第一条の二", "Act of the of the ", "1 A. 1 ", "(((((", "aaaaaaaaaa", "11111-11111-", "articles 1, 2, ",
    "[2024] ",
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; 0 always, for the rows say what is below its goal."""
    parser = argparse.ArgumentParser(prog="python -m evals bench references", description=(__doc__ or "").strip())
    parser.add_argument("--data", type=Path, action="append", default=[], metavar="PATH", help="a citation suite")
    parser.add_argument("--sections", type=int, default=20_000, metavar="N", help="sections of the store (%(default)s)")
    parser.add_argument("--json", action="store_true", help="rows as a JSON array on stdout")
    given = parser.parse_args(arguments)
    folders = given.data or [SHARED / name for name in SOURCES if (SHARED / name).is_dir()]
    rows = [*reading_rows(folders), *growth_rows(), *look_up_rows(given.sections)]
    print(json_rows(rows) if given.json else table(rows))
    return 0


def _row(source: str, metric: str, value: float, n: int, gate: Gate) -> Row:
    return Row(SUITE, source, metric, value, n, None, None, gate)


def reading_rows(folders: Iterable[Path]) -> list[Row]:
    """References read a second, by grammar on its own examples and on each suite."""
    rows: list[Row] = []
    for one in all_jurisdictions():
        texts = [(one.code, text) for text, _ in (*one.examples, *one.query_examples)]
        rows.append(_row(f"{one.code} examples", "references_per_second", _rate(texts), len(texts), RATE))
    for folder in folders:
        texts = suite_texts(folder)
        if texts:
            rows.append(_row(folder.name, "references_per_second", _rate(texts), len(texts), RATE))
    return rows


def _rate(texts: Sequence[tuple[str, str]]) -> float:
    jobs = [(jurisdiction_for(code).tag_queries, text) for code, text in texts]
    for read, text in jobs:
        read(text)
    count, since = 0, time.process_time()
    while (taken := time.process_time() - since) < SECONDS:
        for read, text in jobs:
            read(text)
        count += len(jobs)
    return count / taken


def growth_rows() -> list[Row]:
    """The worst growth and the worst cost of each grammar over the hard strings, at 20,000 and 40,000 characters."""
    rows: list[Row] = []
    for one in all_jurisdictions():
        taken = [(_time_of(one, hard, 20_000), _time_of(one, hard, 40_000)) for hard in HARD]
        # Below a millisecond the clock is all that is measured.
        growth = max(long / max(short, 0.001) for short, long in taken)
        cost = max(long for _, long in taken) * 1_000 / 40
        rows.append(_row(f"{one.code} grammar", "time_2n_to_n", growth, len(HARD), LINEAR))
        rows.append(_row(f"{one.code} grammar", "cpu_ms_per_kb", cost, len(HARD), COST))
    return rows


def _time_of(jurisdiction: Jurisdiction, hard: str, size: int) -> float:
    text = (hard * (size // len(hard) + 1))[:size]
    return min(_seconds(lambda: jurisdiction.find_references(text, None)) for _ in range(3))


def _seconds(work: Callable[[], object]) -> float:
    since = time.process_time()
    work()
    return time.process_time() - since


def look_up_rows(sections: int) -> list[Row]:
    """How many times less time a batch takes in the store than one by one, by the kind of query."""
    settings = load_settings()
    with Database(settings) as server, scratch_store(server, settings, "references") as store:
        print(f"loading {sections:,} sections", file=sys.stderr)
        ingest_document(store, _document(sections), today=TODAY, effective=None, result=IngestReport())
        with store.write() as conn:
            conn.execute("analyze legal_nodes")
            conn.execute(QUERIES["clean_pending"])
        by_urn = [urn_query(f"{CORPUS}:{n}", language="en") for n in _numbers(sections)]
        by_tags = [_by_tags(n) for n in _numbers(sections)]
        return [*_saved(store, "by URN", by_urn), *_saved(store, "by tags", by_tags)]


def _numbers(sections: int) -> list[int]:
    # One in ten is not there.
    return random.Random(7).sample(range(int(sections * 1.1)), min(2_000, sections))


def _by_tags(number: int) -> TagQuery:
    tags = TagFilterSet.from_tags({"article_number": str(number), "code": "Test code"})
    return TagQuery(language="en", kind="legislation", tag_filters=tags)


def _document(sections: int) -> ParsedDocument:
    nodes = [ParsedNode(CORPUS, None, "ROOT", "title", heading="Test code", kind="section")]
    for number in range(sections):
        tags = {"article_number": str(number), "code": "Test code"}
        words = f"Words of section {number}."
        urn = f"{CORPUS}:{number}"
        nodes.append(ParsedNode(urn, CORPUS, "SECTION", "section", str(number), content_text=words, tags=tags))
    corpus = Corpus(CORPUS, "Test code", "en")
    return ParsedDocument(corpus, nodes, "bench", "bench", "bench", 1, annotated=True)


def _saved(store: Database, kind: str, queries: list[TagQuery]) -> list[Row]:
    """How many times longer one by one takes than a batch: in its statements, and with all that is done around them."""
    request = Request("", ("us",), None, None, TODAY, {})

    def single(conn: Connection) -> list[list[str]]:
        finder = StoreFinder(conn)
        return [[hit.urn for hit in finder.run(query, request)] for query in queries]

    def batch(conn: Connection) -> list[list[str]]:
        finder = BatchFinder(conn, request.jurisdictions, TODAY)
        finder.fetch([], queries)
        return [[hit.urn for hit in finder.run(query, request)] for query in queries]

    with store.read() as conn:
        if single(conn) != batch(conn):
            raise AssertionError("the batch gives another answer than one by one")
        taken = measure({"single": lambda _: single(conn), "batch": lambda _: batch(conn)}, [None], rounds=3)
        inside = [_statement_seconds(conn, single) / _statement_seconds(conn, batch) for _ in range(3)]
    return [
        _row(f"look-ups {kind}", "one_by_one_to_batch_statements", statistics.median(inside), len(queries), SAVED),
        _row(
            f"look-ups {kind}", "one_by_one_to_batch", taken["single"].p50 / taken["batch"].p50, len(queries), REPORTED
        ),
    ]


class _Timed(Cursor[Any]):
    """A cursor that adds up what statements take, from being sent until their rows are here."""

    seconds: ClassVar[float] = 0.0

    def execute(
        self, query: Any, params: Params | None = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Self:
        since = time.perf_counter()
        super().execute(query, params, prepare=prepare, binary=binary)
        _Timed.seconds += time.perf_counter() - since
        return self

    def fetchall(self) -> list[Any]:
        since = time.perf_counter()
        rows = super().fetchall()
        _Timed.seconds += time.perf_counter() - since
        return rows


def _statement_seconds(conn: Connection, work: Callable[[Connection], object]) -> float:
    plain, conn.cursor_factory = conn.cursor_factory, _Timed
    _Timed.seconds = 0.0
    try:
        work(conn)
    finally:
        conn.cursor_factory = plain
    return _Timed.seconds
