"""What finding entry points asks of the server: statements, waits, plans and rows, whatever is asked."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import law
import pytest
from conftest import Stores
from hypothesis import given, settings
from hypothesis import strategies as st
from law import C, document, node
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql

from evals.bench.counting import CountedConnection
from evals.bench.raw import SEARCHING
from rag.ingest.writing.embed import Vectors, index_vectors
from rag.ingest.writing.sections import make_sections
from rag.jurisdictions.grammars import GRAMMARS
from rag.searching import Searching
from rag.store.database import Database
from retrieval.context.compose import assemble_read
from retrieval.entry_points.dense import (
    model_of,
    search_dense,
    send_dense,
    similar_hits,
    vector_values,
    with_similarities,
)
from retrieval.entry_points.finding import QuestionVector, find_rules
from retrieval.entry_points.legs import EntryPoints, Mode, find_entry_points
from retrieval.entry_points.lexical import LEG_LIMIT, Filters, LegHit, find_candidates, looked_at
from retrieval.entry_points.question_words import read_question_words
from retrieval.entry_points.request import SearchRequest
from retrieval.entry_points.sources import sources_and_vectors
from retrieval.nodes import Connection
from retrieval.providers.embedding import EmbeddingBatch, Progress
from retrieval.queries import QUERIES, fill
from retrieval.references.tag_sql import Conditions
from retrieval.search import run_search

AT = date(2026, 1, 1)
OTHERS = 500  # rules of the first language: more than the search looks at before it asks for the other


class Hashed:
    """Vectors made of hashes."""

    model, dimensions = "hashed", 4

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        digests = (hashlib.sha256(text.encode()).digest() for text in texts)
        return EmbeddingBatch([[number / 255 - 0.5 for number in digest[:4]] for digest in digests])


MODEL = model_of(Hashed())
VECTOR = Hashed().embed(["the question"]).vectors[0]


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str) -> Iterator[Database]:
    """One law in two languages: 500 rules of one, 120 of the other."""
    made = stores.clone(empty_template)
    rules = [node(f"{C}:1:{n}", f"Rule {n} on rent and deposit {n % 7}.") for n in range(1, OTHERS + 121)]
    with Database(made) as opened:
        law.store(opened, document([node(f"{C}:1"), *rules]))
        Vectors(opened, Hashed()).embed_jurisdiction("us")
        with opened.admin() as conn:
            conn.execute("update legal_nodes set language = 'fr' where ordinal >= %s", [OTHERS])
            conn.execute("analyze")
        make_sections(opened)
        yield opened
    stores.drop(made)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.sqrt(
        sum(a * a for a in one) * sum(b * b for b in other)
    )


def ask(conn: Connection, question: str, mode: Mode = "hybrid", limit: int = 10) -> EntryPoints:
    return find_entry_points(
        conn, question, Filters(("us",), "en", AT), mode=mode, vector=VECTOR, model=MODEL, limit=limit
    )


@pytest.mark.parametrize(
    ("question", "strange"),
    [
        ("deposit", 0),
        ("rent and deposit 3 and 4 and 5 of rule 17, or rule 18", 0),
        ("refunded deposits of landlords, or rule 18, whatever else", 1),  # words that this law never uses
    ],
)
@pytest.mark.parametrize(
    ("mode", "statements", "waits"),
    [
        # Words in two statements and their other forms in one more; the leg, the rules; the pipeline's end.
        ("keyword", 5, 6),
        ("semantic", 4, 5),
        ("hybrid", 5, 6),  # both legs in one; then the sections of what they found
    ],
)
def test_a_question_takes_as_many_statements_and_waits_as_another(
    store: Database, question: str, strange: int, mode: Mode, statements: int, waits: int
) -> None:
    with CountedConnection.connect(store.conninfo) as conn:
        register_vector(conn)
        conn.reset()
        found = ask(conn, question, mode)
        more = 0 if mode == "keyword" else strange  # beside vectors only words that the law never uses are led back
        assert (len(conn.statements), conn.round_trips) == (statements + more, waits + more)
    assert len(found.points) == 10
    assert set(found.legs) == {"keyword": {"lexical", "synonym"}, "semantic": {"dense"}}.get(
        mode, {"lexical", "synonym", "dense"}
    )


SETTINGS = {"use_generic_plans", "use_custom_plans"}


@pytest.mark.parametrize("strange", [0, 1])
def test_a_question_takes_ten_statements_to_its_context_and_a_search_as_many(store: Database, strange: int) -> None:
    """All that is sent but what begins the transaction; one more where the law never uses a word."""
    question = "rent and deposit" + " refunded" * strange
    named = {text: name for name, text in QUERIES.items()}
    searching = Searching(store, store.settings)
    vector = QuestionVector(VECTOR, MODEL)
    request = SearchRequest(query=question, tags={"jurisdiction": "us", "language": "en"}, at_date=AT, limit=10)
    with CountedConnection.connect(store.conninfo) as conn:
        register_vector(conn)
        conn.reset()
        sources, _ = sources_and_vectors(conn)
        found = find_rules(
            conn, searching.searcher(), question, AT, sources, vector, jurisdiction="us", language="en", rules=10,
            candidates=10,
        )  # fmt: skip
        context = assemble_read(conn, GRAMMARS, found.targets, AT, jurisdictions=["us"], budget_tokens=100_000)
        asked = [named.get(statement, statement) for statement in conn.statements]
        conn.reset()
        result = run_search(conn, searching.searcher(), request, lambda _: vector)
        searched = [named.get(statement, statement) for statement in conn.statements]
    assert context.status == "ok"
    assert found.points.legs["dense"]
    assert len([name for name in asked if name not in SETTINGS]) == 10 + strange
    assert len([name for name in asked if name in SETTINGS]) == 2
    assert len(result.results) == 10
    assert len(searched) == 10 + strange


def test_an_index_goes_on_until_there_are_enough_and_is_asked_once(store: Database) -> None:
    index_vectors(store, exact_below=1)
    with CountedConnection.connect(store.conninfo) as conn:
        register_vector(conn)
        conn.execute("set enable_sort = off")
        conn.execute(SEARCHING)
        conn.reset()
        found = ask(conn, "deposit", "semantic")
        assert len(conn.statements) == 4
    assert len(found.legs["dense"]) == LEG_LIMIT


def test_what_words_find_has_a_similarity_beside_the_nearest(store: Database) -> None:
    with store.read() as conn:
        legs = ask(conn, "rent and deposit 3").legs
        every = {leg_hit.id: leg_hit.score for leg_hit in search_dense(conn, VECTOR, MODEL, Filters(("us",), "en", AT))}
    scores = {leg.id: leg.score for leg in legs["dense"]}
    assert {leg.id for leg in legs["lexical"]} <= set(scores)
    assert len(scores) > LEG_LIMIT
    assert {number: scores[number] for number in every} == every


def test_a_section_is_as_near_as_the_mean_of_the_vectors_of_its_parts(stores: Stores, empty_template: str) -> None:
    made = stores.clone(empty_template)
    parts = [node(f"{C}:1:1:{letter}", f"The tenant pays the deposit {letter}.") for letter in "abcd"]
    other = [node(f"{C}:1:2", "Rent."), node(f"{C}:1:2:a", "The landlord keeps the deposit.")]
    with Database(made) as opened:
        law.store(opened, document([node(f"{C}:1"), node(f"{C}:1:1", "Deposits."), *parts, *other]))
        Vectors(opened, Hashed()).embed_jurisdiction("us")
        with opened.read() as conn:
            found = ask(conn, "deposit of the tenant")
            stored = conn.execute(
                "select n.id, n.urn, e.embedding::text from legal_nodes n "
                "join node_embeddings e on e.node_version_id = n.id"
            ).fetchall()
    stores.drop(made)
    vectors: dict[str, list[list[float]]] = {}
    for _, urn, text in stored:
        vectors.setdefault(":".join(urn.split(":")[:6]), []).append(
            [float(item) for item in text.strip("[]").split(",")]
        )
    assert sorted(map(len, vectors.values())) == [2, 5]
    means = {
        urn: _cosine([sum(column) for column in zip(*listed, strict=True)], VECTOR) for urn, listed in vectors.items()
    }
    near = {urn: found.sections["us", number] for number, urn, _ in stored if ("us", number) in found.sections}
    assert len(near) == 7
    for urn, section in near.items():
        assert section.similarity == pytest.approx(means[":".join(urn.split(":")[:6])], abs=2e-3)
    assert len({section.id for section in near.values()}) == 2
    # What the nodes of a rule have of the question together is told of each, also of one that words did not find.
    whole, part = ({one.share for urn, one in near.items() if urn.startswith(f"{C}:1:{rule}")} for rule in (1, 2))
    assert whole == {1.0}
    assert len(part) == 1
    assert 0 < min(part) < 1


def test_after_the_search_statements_are_planned_for_their_values_again(store: Database) -> None:
    with store.read() as conn:
        for mode in ("keyword", "semantic", "hybrid"):
            ask(conn, "deposit", mode)
            shown = [conn.execute(f"show {name}").fetchone() for name in ("plan_cache_mode", "enable_seqscan")]
            assert shown == [("force_custom_plan",), ("on",)]


def test_the_nearest_are_looked_up_by_key_and_no_more_of_them_than_are_kept(store: Database) -> None:
    """However many vectors there are; joined before they are cut, all nodes were read and all vectors compared."""
    values = {**vector_values(VECTOR, MODEL), "limit": 20, "reach": 80, **Filters(("us",), "en", AT).values}
    statement = fill(QUERIES["search_nearest"], filters="true", dimensions=sql.Literal(MODEL.dimensions))
    with store.read() as conn:
        rows = conn.execute(f"explain (analyze, timing off, format json) {statement}", values).fetchall()
    plan = rows[0][0][0]["Plan"]
    looked_up = [step for step in _steps(plan) if step.get("Relation Name") == "legal_nodes"]
    assert [step["Node Type"] for step in looked_up] == ["Index Scan"]
    assert 20 <= looked_up[0]["Actual Loops"] <= 80


def test_the_parts_of_what_is_counted_are_found_by_their_paths(store: Database) -> None:
    """A plain join of provisions to their parts read all nodes, once for each of the provisions."""
    urns = [f"{C}:1:{number}" for number in range(1, 11)]
    values = {"jurisdictions": ["us"], "everywhere": ["us"], "urns": urns, "at_date": AT}
    with store.read() as conn:
        rows = conn.execute(f"explain (analyze, timing off, format json) {QUERIES['count_citing']}", values).fetchall()
    reads = [step for step in _steps(rows[0][0][0]["Plan"]) if step.get("Relation Name") == "legal_nodes"]
    assert len(reads) == 2
    assert {step["Node Type"] for step in reads} <= {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}
    assert all(step["Actual Rows"] * step["Actual Loops"] == len(urns) for step in reads)


def _steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for entry in plan.get("Plans", []):
        yield from _steps(entry)


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
    assert len({leg_hit.urn for leg_hit in found} & set(nearest)) >= (0.95 if indexed else 1.0) * kept
    assert [leg_hit.score for leg_hit in found] == sorted((leg_hit.score for leg_hit in found), reverse=True)


@pytest.mark.parametrize("indexed", [False, True])
@given(
    st.integers(1, 40), st.integers(0, 600),
    st.lists(st.floats(-1, 1, width=16), min_size=4, max_size=4).filter(lambda one: any(map(abs, one))),
)  # fmt: skip
@settings(max_examples=25)
def test_a_filter_never_leaves_fewer_nodes_than_fit(
    store: Database, indexed: bool, share: int, first: int, vector: list[float]
) -> None:
    """One in so many of the rules from one on: any number of all, from none to more than the leg gives."""
    if indexed:
        index_vectors(store, exact_below=1)
    fits = Conditions("n.ordinal >= %(first)s and n.ordinal %% %(share)s = 0", {"first": first, "share": share})
    filters = Filters(("us",), "en", AT, where=fits)
    with store.read() as conn:
        if indexed:  # an index that gives up after four hundred
            conn.execute("set local enable_sort = off; set local hnsw.max_scan_tuples = 1")
        found = search_dense(conn, vector, MODEL, filters)
        every = conn.execute(
            "select n.id, 1 - ((e.embedding <=> %s) + 0) from node_embeddings e join legal_nodes n"
            " on n.jurisdiction = e.jurisdiction and n.id = e.node_version_id"
            " where n.language = 'en' and n.ordinal >= %s and n.ordinal %% %s = 0 order by 2 desc, n.urn",
            [HalfVector(vector), first, share],
        ).fetchall()
    nearest = every[:LEG_LIMIT]
    assert len(found) == len(nearest)
    assert {leg_hit.id for leg_hit in found} <= {row[0] for row in every}
    if not indexed or len(every) < LEG_LIMIT:
        assert [leg_hit.score for leg_hit in found] == [row[1] for row in nearest]


def test_words_and_similarities_that_come_with_the_legs_are_those_read_for_each(store: Database) -> None:
    filters = Filters(("us",), "en", AT)
    with store.read() as conn:
        asked = read_question_words(conn, "deposit 3", [], language="en", jurisdictions=["us"])
        near = vector_values(VECTOR, MODEL)
        plain, scored = (find_candidates(conn, asked, filters, depth=30, near=entry) for entry in (None, near))
        search = send_dense(conn, near, MODEL.dimensions, filters, lexemes=looked_at(asked), read=20)
        nearest = search.nearest()
        every = {
            candidate.id: candidate
            for candidate in find_candidates(conn, asked, filters, depth=LEG_LIMIT + OTHERS, near=near)
        }
    assert [candidate._replace(similarity=None) for candidate in scored] == plain
    similarity = {hit.id: hit.score for hit in similar_hits(nearest)}
    assert len(similarity) == LEG_LIMIT
    assert all(candidate.similarity == similarity.get(candidate.id, candidate.similarity) for candidate in scored)
    assert [candidate for candidate in nearest[:20] if candidate.words] == [
        every[candidate.id] for candidate in nearest[:20] if candidate.id in every
    ]
    assert all(not candidate.words for candidate in nearest[20:])


def test_what_else_was_found_follows_the_nearest_by_similarity_where_it_has_a_vector(store: Database) -> None:
    filters = Filters(("us",), "en", AT)
    with store.read() as conn:
        whole = search_dense(conn, VECTOR, MODEL, filters)
        asked = read_question_words(conn, "deposit 3", [], language="en", jurisdictions=["us"])
        candidates = find_candidates(conn, asked, filters, near=vector_values(VECTOR, MODEL))
        nearest, others = whole[:3], [*whole[2:9], *ask(conn, "deposit 3", "keyword").legs["lexical"]]
    known = {(hit.jurisdiction, hit.id): hit.score for hit in [*whole, *similar_hits(candidates)]}
    completed = with_similarities(nearest, [*others, LegHit("us", 0, 0, "", 0, 0.0)], known)
    assert completed[:3] == nearest
    assert {leg_hit.id for leg_hit in completed} == {other.id for other in [*nearest, *others]}
    assert all(leg_hit.score == known[leg_hit.jurisdiction, leg_hit.id] for leg_hit in completed[3:])
    assert all(first.score >= second.score for first, second in itertools.pairwise(completed))
