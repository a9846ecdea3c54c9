"""`python -m evals bench references`: how fast references are read, and what batch look-ups save.

Reading is timed on the processor, on one core, over citation suites (`--data`, or those beside the checkout; always
the grammars' own examples). Look-ups of the same readings take turns, one by one and in a batch, in one store of
invented sections. Growth is the time for a text of twice the length over that for the text (`reference_growth`).
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

from evals.bench.reference_growth import DEFAULT_SIZES, HARD, growth_of
from evals.bench.stores import scratch_store
from evals.bench.timing import measure
from evals.rows import REPORTED, Gate, Row, json_rows, table
from evals.suites.catalogue import SHARED
from evals.suites.references.suite import SOURCES
from evals.suites.references.suites import suite_texts
from rag.ingest.pipeline import IngestReport, ingest_document
from rag.jurisdictions.registry import all_jurisdictions, jurisdiction_for
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from rag.settings import load_settings
from rag.store.database import Database
from retrieval.nodes import Connection
from retrieval.queries import QUERIES
from retrieval.references.batch import BatchFinder
from retrieval.references.hits import Request
from retrieval.references.store_finder import StoreFinder
from retrieval.tag_query import TagFilterSet, TagQuery, urn_query

SUITE = "bench references"
TODAY = date(2026, 1, 1)
CORPUS = "urn:lex:us:98usc"
SECONDS = 1.0  # of processor time for each rate
RATE, SAVED, LINEAR = Gate(">=", 20_000.0, hard=False), Gate(">=", 20.0, hard=False), Gate("<=", 2.5, hard=False)
COST = Gate("<=", 50.0, hard=False)


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; 0 always, for the rows say what is below its goal."""
    parser = argparse.ArgumentParser(prog="python -m evals bench references", description=(__doc__ or "").strip())
    parser.add_argument("--data", type=Path, action="append", default=[], metavar="PATH", help="a citation suite")
    parser.add_argument("--sections", type=int, default=20_000, metavar="N", help="sections of the store (%(default)s)")
    parser.add_argument("--json", action="store_true", help="rows as a JSON array on stdout")
    parser.add_argument(
        "--doublings", type=int, default=1, metavar="N",
        help="how often texts of 8,000 characters are doubled for growth; 4 gives 128,000 (%(default)s)",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    sizes = [DEFAULT_SIZES[0] * 2**step for step in range(max(1, given.doublings) + 1)]
    folders = given.data or [SHARED / name for name in SOURCES if (SHARED / name).is_dir()]
    rows = [*reading_rows(folders), *growth_rows(sizes), *look_up_rows(given.sections)]
    print(json_rows(rows) if given.json else table(rows))
    return 0


def _row(source: str, metric: str, value: float, n: int, gate: Gate) -> Row:
    return Row(SUITE, source, metric, value, n, None, None, gate)


def reading_rows(folders: Iterable[Path]) -> list[Row]:
    """References read a second, by grammar on its own examples and on each suite."""
    rows: list[Row] = []
    for jurisdiction in all_jurisdictions():
        texts = [(jurisdiction.code, text) for text, _ in (*jurisdiction.examples, *jurisdiction.query_examples)]
        rows.append(_row(f"{jurisdiction.code} examples", "references_per_second", _rate(texts), len(texts), RATE))
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


def growth_rows(sizes: Sequence[int] = DEFAULT_SIZES) -> list[Row]:
    """The worst growth and the worst cost of each grammar over the hard strings."""
    rows: list[Row] = []
    for jurisdiction in all_jurisdictions():
        found = growth_of(jurisdiction, sizes)
        if not LINEAR.meets(found.ratio):
            print(f"{jurisdiction.code}: time grows {found.ratio:.2f} times on {found.at!r} repeated", file=sys.stderr)
        rows.append(_row(f"{jurisdiction.code} grammar", "time_2n_to_n", found.ratio, len(HARD), LINEAR))
        rows.append(_row(f"{jurisdiction.code} grammar", "cpu_ms_per_kb", found.cost, len(HARD), COST))
    return rows


def look_up_rows(sections: int) -> list[Row]:
    """How many times less time a batch takes in the store than one by one, by the kind of query."""
    settings = load_settings()
    with Database(settings) as server, scratch_store(server, settings, "references") as store:
        print(f"loading {sections:,} sections", file=sys.stderr)
        ingest_document(store, _document(sections), today=TODAY, effective=None, result=IngestReport())
        with store.write() as conn:
            conn.execute(QUERIES["analyze_store"])
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
