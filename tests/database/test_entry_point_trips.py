"""What finding entry points asks of the server: statements, waits, plans and rows, whatever is asked."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import law
import pytest
from conftest import Stores
from law import C, document, node
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql

from evals.bench.counting import CountedConnection
from rag.database import Database
from rag.ingest.embed import Vectors, index_vectors
from retrieval.dense import model_of, search_dense, send_dense
from retrieval.dense_scores import with_similarities
from retrieval.embedding import EmbeddingBatch, Progress
from retrieval.entry_points import EntryPoints, Mode, find_entry_points
from retrieval.fusion import WEIGHTS
from retrieval.lexical import LEG_LIMIT, Filters, LegHit
from retrieval.nodes import Connection
from retrieval.queries import QUERIES

AT = date(2026, 1, 1)
OTHERS = 500  # rules of the first language: more than the search looks at before it asks for the other


class Hashed:
    """Vectors made of hashes."""

    model, dimensions = "hashed", 4

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        digests = (hashlib.sha256(text.encode()).digest() for text in texts)
        return EmbeddingBatch([[one / 255 - 0.5 for one in digest[:4]] for digest in digests])


MODEL = model_of(Hashed())
VECTOR = Hashed().embed(["the question"]).vectors[0]


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str) -> Iterator[Database]:
    """One law in two languages: 500 rules of one, 120 of the other."""
    settings = stores.clone(empty_template)
    rules = [node(f"{C}:1:{n}", f"Rule {n} on rent and deposit {n % 7}.") for n in range(1, OTHERS + 121)]
    with Database(settings) as opened:
        law.store(opened, document([node(f"{C}:1"), *rules]))
        Vectors(opened, Hashed()).embed_jurisdiction("us")
        with opened.admin() as conn:
            conn.execute("update legal_nodes set language = 'fr' where ordinal >= %s", [OTHERS])
            conn.execute("analyze")
        yield opened
    stores.drop(settings)


def ask(conn: Connection, question: str, mode: Mode = "hybrid", limit: int = 10) -> EntryPoints:
    return find_entry_points(
        conn, question, Filters(("us",), "en", AT), mode=mode, vector=VECTOR, model=MODEL, limit=limit
    )


@pytest.mark.parametrize(
    "question", ["deposit", "rent and deposit 3 and 4 and 5 of rule 17, or rule 18, whatever else"]
)
@pytest.mark.parametrize(
    ("mode", "statements", "waits"),
    [
        ("keyword", 6, 5),  # words in two statements between two settings, the leg, the rules; the pipeline's end
        ("semantic", 7, 5),  # the setting for vectors is not waited for
        ("hybrid", 10, 8),  # similarities come with the nearest, whose words are read then
    ],
)
def test_a_question_takes_as_many_statements_and_waits_as_another(
    store: Database, question: str, mode: Mode, statements: int, waits: int
) -> None:
    with CountedConnection.connect(store.conninfo) as conn:
        register_vector(conn)
        conn.reset()
        found = ask(conn, question, mode)
        assert (len(conn.statements), conn.round_trips) == (statements, waits)
    assert len(found.points) == 10
    assert set(found.legs) == {"keyword": {"lexical", "synonym"}, "semantic": {"dense"}}.get(mode, set(WEIGHTS))


def test_after_the_search_statements_are_planned_for_their_values_again(store: Database) -> None:
    with store.read() as conn:
        for mode in ("keyword", "semantic", "hybrid"):
            ask(conn, "deposit", mode)
            shown = [conn.execute(f"show {one}").fetchone() for one in ("plan_cache_mode", "enable_seqscan")]
            assert shown == [("force_custom_plan",), ("on",)]


def test_the_nearest_are_looked_up_by_key_and_no_more_of_them_than_are_kept(store: Database) -> None:
    """However many vectors there are; joined before they are cut, all nodes were read and all vectors compared."""
    values = {"vector": HalfVector(VECTOR), "model": MODEL.space, "limit": 20, "reach": 80}
    values |= Filters(("us",), "en", AT).values
    statement = sql.SQL(QUERIES["search_nearest"]).format(dimensions=sql.Literal(MODEL.dimensions))
    with store.read() as conn:
        rows = conn.execute(sql.SQL("explain (analyze, timing off, format json) ") + statement, values).fetchall()
    plan = rows[0][0][0]["Plan"]
    looked_up = [one for one in _steps(plan) if one.get("Relation Name") == "legal_nodes"]
    assert [one["Node Type"] for one in looked_up] == ["Index Scan"]
    assert 20 <= looked_up[0]["Actual Loops"] <= 80


def _steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for one in plan.get("Plans", []):
        yield from _steps(one)


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(("language", "kept"), [("en", LEG_LIMIT), ("fr", LEG_LIMIT), ("de", 0)])
def test_of_a_law_in_two_languages_the_nearest_of_each_are_found(
    store: Database, language: str, kept: int, indexed: bool
) -> None:
    """Also of the language that few of the nearest are of."""
    if indexed:
        index_vectors(store, exact_below=1)
    filters = Filters(("us",), language, AT)
    with store.read() as conn:
        found = search_dense(conn, VECTOR, MODEL, filters)
        every = conn.execute(
            "select n.urn from node_embeddings e join legal_nodes n on n.jurisdiction = e.jurisdiction and"
            " n.id = e.node_version_id where n.language = %s order by (e.embedding <=> %s) + 0, n.urn limit %s",
            [language, HalfVector(VECTOR), LEG_LIMIT],
        ).fetchall()
    nearest = [str(row[0]) for row in every]
    assert len(found) == len(nearest) == kept
    assert len({one.urn for one in found} & set(nearest)) >= (0.95 if indexed else 1.0) * kept
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_what_else_was_found_follows_the_nearest_by_similarity_where_it_has_a_vector(store: Database) -> None:
    filters = Filters(("us",), "en", AT)
    with store.read() as conn:
        whole = search_dense(conn, VECTOR, MODEL, filters)
        nearest, others = whole[:3], [*whole[2:9], *ask(conn, "deposit 3", "keyword").legs["lexical"]]
        search = send_dense(conn, VECTOR, MODEL, filters, [*others, LegHit("us", 0, 0, "", 0, 0.0)])
        known = search.similarities()
        assert search.nearest() == whole
    completed = with_similarities(nearest, [*others, LegHit("us", 0, 0, "", 0, 0.0)], known)
    assert completed[:3] == nearest
    assert {one.id for one in completed} == {one.id for one in [*nearest, *others]}
    assert all(one.score == known[one.jurisdiction, one.id] for one in completed[3:])
    assert all(first.score >= second.score for first, second in itertools.pairwise(completed))
