"""`python -m evals bench entry-points`: what entry points cost beside their legs and their raw SQL, and what is found.

Every size has a store of its own: invented law with words and vectors, loaded through the real schema; with `--keep` it
stays for the next run. All variants take turns on the same questions in one snapshot; ratios are of medians.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from evals.bench.context import sizes_named
from evals.bench.kept import kept_store
from evals.bench.plot import write_plot
from evals.bench.questions import AT, MODEL, WITH_WORDS, Question, furnish, questions
from evals.bench.raw import SEARCHING, Exact, Statement, recording, replay
from evals.bench.stores import scratch_store
from evals.bench.synthetic import load
from evals.bench.timing import Timing, measure, peak_memory_mb, server_clock
from evals.rows import REPORTED, Gate, Row, json_rows, table
from rag.settings import Settings, load_settings
from rag.store.database import Database
from retrieval.context.compose import assemble
from retrieval.entry_points.dense import search_dense, vector_values, with_similarities
from retrieval.entry_points.legs import EntryPoints, find_entry_points
from retrieval.entry_points.lexical import Filters, find_candidates, rank_words, search_words
from retrieval.entry_points.question_words import QuestionWords, read_question_words
from retrieval.entry_points.synonyms import SynonymHit, find_synonyms
from retrieval.model import ScopedContext
from retrieval.nodes import Connection, stored_jurisdictions

SUITE = "bench entry-points"
SIZES = (10_000, 100_000)
RULES, BUDGET = 10, 200_000
AT_LEAST = {
    "lexical_speed_up": 12.0, "lexical_hits_gain": 1.05, "dense_recall@10": 0.98, "dense_recall@10_foreign": 0.97,
}  # fmt: skip
AT_MOST = {
    "entry_points_ratio_to_legs": 1.25, "question_ratio_to_raw_sql": 1.3, "defaults_ratio_to_tuned": 1.6,
    "dense_short_results": 0.0,
}  # fmt: skip
RANKED_OR = """select n.id, n.urn, ts_rank(n.fts, q.query) from legal_nodes n,
    (select string_agg(quote_literal(w), ' | ')::tsquery as query
     from unnest(tsvector_to_array(to_tsvector('english', %(text)s))) w) q
where n.jurisdiction = %(jurisdiction)s and n.language = 'en' and n.kind <> 'section' and n.validity @> %(at)s::date
    and n.fts @@ q.query
order by 3 desc, 1 limit 10"""


@dataclass(slots=True)
class Bench:
    """One store's questions and the ways to answer them."""

    conn: Connection
    tuned: Connection
    jurisdictions: list[str]
    raw: dict[int, list[Statement]] = field(default_factory=dict[int, list[Statement]])

    def filters(self, one: Question) -> Filters:
        """One jurisdiction, today's law."""
        return Filters((one.jurisdiction,), "en", AT)

    def legs(self, one: Question) -> None:
        """The legs alone, one after the other."""
        filters = self.filters(one)
        synonyms = find_synonyms(self.conn, one.text, language="en", jurisdictions=filters.jurisdictions)
        words = self._words(one, synonyms)
        candidates = find_candidates(self.conn, words, filters, near=vector_values(one.vector, MODEL))
        similarities = {(n.jurisdiction, n.id): n.similarity for n in candidates if n.similarity is not None}
        nearest = search_dense(self.conn, one.vector, MODEL, filters)
        with_similarities(nearest, rank_words(words, candidates).lexical, similarities)

    def lexical(self, one: Question) -> list[int]:
        """The lexical leg; its ten best nodes."""
        with self.conn.pipeline():
            words = self._words(one, [])
            return [hit.id for hit in search_words(self.conn, words, self.filters(one)).lexical[:10]]

    def _words(self, one: Question, synonyms: Sequence[SynonymHit]) -> QuestionWords:
        return read_question_words(self.conn, one.text, synonyms, language="en", jurisdictions=[one.jurisdiction])

    def ranked_or(self, one: Question) -> list[int]:
        """All words or-ed, every match ranked by ts_rank."""
        values = {"text": one.text, "jurisdiction": one.jurisdiction, "at": AT}
        return [row[0] for row in self.conn.execute(RANKED_OR, values)]

    def dense(self, one: Question, vector: list[float] | None = None) -> list[int]:
        """The dense leg's nodes."""
        return [hit.id for hit in search_dense(self.conn, vector or one.vector, MODEL, self.filters(one))]

    def exact(self, one: Question, vector: list[float] | None = None) -> list[int]:
        """The ten nearest by comparing all."""
        values = {
            "vector": HalfVector(vector or one.vector), "jurisdiction": one.jurisdiction, "model": MODEL.space,
            "at": AT,
        }  # fmt: skip
        return [row[0] for row in Exact(MODEL.dimensions).nearest(self.conn, values)]

    def entry_points(self, one: Question, conn: Connection | None = None) -> EntryPoints:
        """All legs, fused and grouped under their rules."""
        return find_entry_points(
            conn or self.conn, one.text, self.filters(one), vector=one.vector, model=MODEL, limit=RULES
        )

    def on_tuned(self, one: Question) -> EntryPoints:
        """The same on a server tuned by hand."""
        return self.entry_points(one, self.tuned)

    def question(self, one: Question, conn: Connection | None = None) -> ScopedContext:
        """From a question to the typed C(R) of ten rules."""
        chosen = conn or self.conn
        rules = [point.rule for point in self.entry_points(one, chosen).points]
        return assemble(chosen, rules, AT, jurisdictions=self.jurisdictions, budget_tokens=BUDGET)

    def raw_sql(self, one: Question) -> int:
        """The statements of `question`, without the program."""
        return replay(self.conn, self.raw[one.node])


def run_size(server: Database, settings: Settings, size: int, options: argparse.Namespace) -> list[Row]:
    """One size in a store of its own."""
    source = f"{size} nodes"
    with invented_store(server, settings, size, options) as store, store.read() as conn, _tuned(store) as tuned:
        asked = questions(conn, options.questions, seed=options.seed)
        bench = Bench(conn, tuned, stored_jurisdictions(conn))
        _record(store, bench, asked)
        rows = _speed(source, bench, asked, options.rounds)
        rows += _quality(source, bench, asked)
    rows.append(_row(source, "peak_memory_mb", peak_memory_mb(), 1))
    return rows


@contextmanager
def invented_store(server: Database, settings: Settings, size: int, options: argparse.Namespace) -> Generator[Database]:
    """A store of invented law with words and vectors, of its own or kept."""
    if options.keep:
        kept = kept_store(server, settings, size, seed=options.seed, say=_say, furnish=WITH_WORDS)
        with kept as (store, built):
            _say(f"{size} nodes: {built.nodes} nodes, {built.versions} older versions")
            yield store
        return
    since = time.monotonic()
    with scratch_store(server, settings, f"entry{size}") as store:
        built = load(store, size, seed=options.seed)
        furnish(store, seed=options.seed)
        _say(f"{size} nodes: {built.nodes} nodes, {built.versions} older versions, {time.monotonic() - since:.0f} s")
        yield store


def _tuned(store: Database) -> psycopg.Connection[Any]:
    """A connection with every setting that matters made by hand."""
    conn: psycopg.Connection[Any] = psycopg.connect(store.conninfo)
    register_vector(conn)
    for setting in ("jit = off", "plan_cache_mode = force_custom_plan", "max_parallel_workers_per_gather = 0"):
        conn.execute(f"set {setting}".encode())
    conn.execute(f"set random_page_cost = 1.1; {SEARCHING}".encode())
    return conn


def _record(store: Database, bench: Bench, asked: Sequence[Question]) -> None:
    for question in asked:
        with recording(store.conninfo) as conn:
            bench.question(question, conn)
            bench.raw[question.node] = list(conn.statements)


def _speed(source: str, bench: Bench, asked: Sequence[Question], rounds: int) -> list[Row]:
    variants: dict[str, Callable[[Question], object]] = {
        "legs": bench.legs, "entry_points": bench.entry_points, "question": bench.question, "raw_sql": bench.raw_sql,
        "lexical": bench.lexical, "ranked_or": bench.ranked_or, "dense": bench.dense, "exact": bench.exact,
        "tuned": bench.on_tuned,
    }  # fmt: skip
    taken = measure(variants, asked, rounds=rounds, warm_up=1, work=server_clock(bench.conn, bench.tuned))
    n = taken["legs"].n
    ratios = (
        ("entry_points_ratio_to_legs", "entry_points", "legs"), ("question_ratio_to_raw_sql", "question", "raw_sql"),
        ("lexical_speed_up", "ranked_or", "lexical"), ("defaults_ratio_to_tuned", "entry_points", "tuned"),
    )  # fmt: skip
    rows = [_row(source, metric, taken[a].p50 / taken[b].p50, n) for metric, a, b in ratios]
    rows.append(_row(source, "statements", statistics.mean(len(group) for group in bench.raw.values()), len(asked)))
    return rows + _times(source, taken)


def _quality(source: str, bench: Bench, asked: Sequence[Question]) -> list[Row]:
    """Whether the node is found, and the nearest neighbours are, also where the question fits other law better."""
    count = len(asked)
    hits = sum(question.node in bench.lexical(question) for question in asked) / count
    plain = sum(question.node in bench.ranked_or(question) for question in asked) / count
    rows = [_row(source, "lexical_hit@10", hits, count), _row(source, "ranked_or_hit@10", plain, count)]
    if plain:
        rows.append(_row(source, "lexical_hits_gain", hits / plain, count))
    short = 0
    for metric, foreign in (("dense_recall@10", False), ("dense_recall@10_foreign", True)):
        shares: list[float] = []
        for question in asked:
            vector = question.foreign if foreign else question.vector
            exact, found = bench.exact(question, vector), bench.dense(question, vector)
            short += len(found) < len(exact)
            shares.append(len(set(found[:10]) & set(exact)) / max(len(exact), 1))
        rows.append(_row(source, metric, statistics.mean(shares), count))
    return [
        *rows,
        _row(source, "dense_short_results", short, 2 * count),
        _row(source, "hit@10", found_rules(bench, asked), count),
    ]


def found_rules(bench: Bench, asked: Sequence[Question]) -> float:
    """How often the rule of the node asked about is among the ten."""
    rules = dict(
        bench.conn.execute(
            "select n.id, r.urn from legal_nodes n join legal_nodes r on r.jurisdiction = n.jurisdiction"
            " and r.node_id = n.rule_id and r.validity @> %s::date where n.id = any(%s)",
            [AT, [question.node for question in asked]],
        ).fetchall()
    )
    return statistics.mean(
        rules.get(question.node) in [point.rule.urn for point in bench.entry_points(question).points]
        for question in asked
    )


def _times(source: str, taken: dict[str, Timing]) -> list[Row]:
    return [
        _row(source, f"{name}_ms_{what}", value, one.n)
        for name, one in taken.items()
        for what, value in (("p50", one.p50), ("p95", one.p95), ("cpu_p50", one.cpu_p50))
        if value is not None
    ]


def _row(source: str, metric: str, value: float, n: int) -> Row:
    # Ratios of one shared machine are goals and no gates: a neighbour can spoil any of them.
    gate = REPORTED
    if metric in AT_LEAST:
        gate = Gate(">=", AT_LEAST[metric], hard=False)
    elif metric in AT_MOST:
        gate = Gate("<=", AT_MOST[metric], hard=False)
    return Row(SUITE, source, metric, float(value), n, None, None, gate)


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; see `--help`. Returns 0: its goals are reported, and judged by who reads them."""
    parser = argparse.ArgumentParser(prog="python -m evals bench entry-points", description=__doc__)
    parser.add_argument("--sizes", type=sizes_named, default=list(SIZES), metavar="N,N", help="nodes of each store")
    parser.add_argument("--questions", type=int, default=60, metavar="N", help="questions (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="passes over them (%(default)s)")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="which law and questions (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the stores, and use those of an earlier run")
    parser.add_argument("--database-url", metavar="URL", help="the server to make the stores on; else as in any run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a plot as SVG")
    options = parser.parse_args(arguments)
    if options.questions < 1 or options.rounds < 1:
        parser.error("--questions and --rounds are numbers from 1 on")
    settings = load_settings(database_url=options.database_url)
    rows: list[Row] = []
    with Database(settings) as server:
        for size in options.sizes:
            rows += run_size(server, settings, size, options)
    print(table(rows))
    if options.json:
        options.json.write_text(json_rows(rows) + "\n", encoding="utf-8")
    if options.plot:
        write_plot(options.plot, rows)
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr)
