"""A store goes over to another embedding model: all of it or nothing, and what was done is not done again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import law
import pytest
from conftest import SAMPLE, Stores
from law import C, document, node
from requirements import requirement

from rag import Engine
from rag.ingest.writing.embed import EmbedReport, Patience, Vectors, embed_missing, estimate, index_vectors, reembed
from rag.ingest.writing.progress import Progress as Told
from rag.store.database import Database
from retrieval.entry_points.dense import model_of, search_dense, stored_model
from retrieval.entry_points.lexical import LEG_LIMIT, Filters
from retrieval.errors import ConfigurationError, ProviderError, ProviderRejected, StoreError
from retrieval.providers.embedding import EmbeddingBatch, Progress, estimated_tokens
from retrieval.queries import QUERIES

AT = date(2026, 1, 1)
HASTY = Patience(tries=3, pause_seconds=0.001)


@dataclass
class Hashed:
    """Vectors made of hashes; counts texts, and fails when so many have been asked for."""

    model: str = "old"
    dimensions: int = 4
    fails_after: int = 1 << 30
    failures: list[ProviderError] = field(default_factory=list[ProviderError])
    texts: int = 0

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        if self.failures:
            raise self.failures.pop(0)
        if self.texts >= self.fails_after:
            raise ProviderRejected("hashed", "no more")
        self.texts += len(texts)
        digests = (hashlib.sha256(f"{self.model}{text}".encode()).digest() for text in texts)
        return EmbeddingBatch([[number / 255 - 0.5 for number in digest[: self.dimensions]] for digest in digests])


def taken_over(database: Database, embedder: Hashed) -> EmbedReport:
    return reembed(database, embedder, before=estimate(database, embedder), patience=HASTY)


def brought_up(database: Database, embedder: Hashed) -> EmbedReport:
    return embed_missing(database, embedder, before=estimate(database, embedder), patience=HASTY)


def models(database: Database) -> list[tuple[object, ...]]:
    return law.rows(database, "select model, count(*) from node_embeddings group by 1 order by 1")


def found(engine: Engine, embedder: Hashed) -> list[str]:
    engine = engine.using(embedder=embedder)
    return [result.hit_urn for result in engine.search("security deposit interest", mode="semantic", limit=20).results]


@pytest.fixture
def engine(stores: Stores, empty_template: str):
    with Engine.open(stores.clone(empty_template)) as opened:
        opened = opened.using(embedder=Hashed())
        assert not opened.ingest([SAMPLE], embed=True).warnings
        yield opened


def test_a_store_goes_over_and_keeps_nothing_of_the_old_model(engine: Engine) -> None:
    old, new = Hashed(), Hashed("new", 6)
    index_vectors(engine.database, exact_below=1)
    before = models(engine.database)
    report = taken_over(engine.database, new)
    assert [name for name, _ in before] == ["old/4"]
    assert models(engine.database) == [("new/6", before[0][1])]
    assert (report.switched_from, report.removed) == ("old", before[0][1])
    assert report.texts == before[0][1] == report.estimate.texts
    assert law.rows(engine.database, "select 1 from pg_indexes where indexdef like %s", "%USING hnsw%") == []
    assert found(engine, new)
    with pytest.raises(ConfigurationError, match=r"come from new \(6 dimensions\).*lexscope reembed"):
        found(engine, old)


def test_the_same_model_with_vectors_of_another_size_is_another_model(engine: Engine) -> None:
    report = taken_over(engine.database, Hashed("old", 8))
    assert models(engine.database)[0][0] == "old/8"
    assert report.removed == report.texts


def test_a_run_that_ends_early_leaves_the_old_model_searched_and_the_next_goes_on(engine: Engine) -> None:
    before = found(engine, Hashed())
    broken = Hashed("new", 6, fails_after=1)
    with pytest.raises(ProviderRejected):
        taken_over(engine.database, broken)
    assert found(engine, Hashed()) == before
    assert len(models(engine.database)) == 2  # of one jurisdiction the new vectors are there
    rest = Hashed("new", 6)
    report = taken_over(engine.database, rest)
    assert rest.texts + broken.texts == report.removed > rest.texts > 0
    assert found(engine, rest) != before


def test_a_run_that_ends_after_the_switch_is_finished_by_the_next(engine: Engine) -> None:
    new = Hashed("new", 6)
    Vectors(engine.database, new, beside=True).embed_jurisdiction("us-ma")
    Vectors(engine.database, new, beside=True).embed_jurisdiction("us")
    with engine.database.write() as conn:
        conn.execute(
            'update store_settings set value = \'{"model": "new", "dimensions": 6}\' where key = \'embedding_model\''
        )
    assert found(engine, new)
    report = taken_over(engine.database, new)
    assert (report.texts, report.switched_from) == (0, None)
    assert report.removed > 0
    assert [name for name, _ in models(engine.database)] == ["new/6"]


@requirement("P7")
def test_a_question_between_two_models_says_that_the_dense_leg_was_skipped(engine: Engine) -> None:
    class Slow(Hashed):
        """While it embeds the question, the store goes over to another model."""

        def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
            taken_over(engine.database, Hashed("new", 6))
            return super().embed(texts, progress)

    engine = engine.using(embedder=Slow())
    result = engine.search("security deposit interest", jurisdiction="us-ma")
    assert any("went over to another embedding model" in warning for warning in result.warnings)
    assert result.results


def test_what_is_ingested_meanwhile_has_its_vectors_before_the_switch(engine: Engine) -> None:
    class Busy(Hashed):
        """While it works for the first time, law comes into the store."""

        def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
            if not self.texts:
                law.store(engine.database, document([node(f"{C}:1"), node(f"{C}:1:1", "A wholly new rule.")]))
            return super().embed(texts, progress)

    taken_over(engine.database, Busy("new", 6))
    missing = law.rows(
        engine.database,
        "select 1 from legal_nodes n left join node_embeddings e on e.jurisdiction = n.jurisdiction"
        " and e.node_version_id = n.id where n.kind <> 'section' and n.content_text <> '' and e.model is null",
    )
    assert missing == []


def test_only_one_process_takes_a_store_over_at_a_time(engine: Engine) -> None:
    with engine.database.admin() as conn:
        conn.execute(QUERIES["try_reembed_lock"])
        with pytest.raises(StoreError, match="wait for its end"):
            taken_over(engine.database, Hashed("new", 6))
    assert [name for name, _ in models(engine.database)] == ["old/4"]


def test_embed_fills_what_is_missing_and_refuses_another_model(engine: Engine) -> None:
    law.store(engine.database, document([node(f"{C}:1"), node(f"{C}:1:1", "A wholly new rule.")]))
    with pytest.raises(ConfigurationError, match="lexscope reembed"):
        brought_up(engine.database, Hashed("new", 6))
    report = brought_up(engine.database, Hashed())
    assert (report.estimate.texts, report.texts, report.switched_from) == (1, 1, None)
    assert brought_up(engine.database, Hashed()).texts == 0


def test_the_first_vectors_of_a_store_are_of_the_model_that_is_configured(database: Database) -> None:
    law.store(database, law.two_sections())
    with database.read() as conn:
        assert stored_model(conn) is None
    brought_up(database, Hashed())
    with database.read() as conn:
        assert stored_model(conn) == model_of(Hashed())


def test_a_provider_that_fails_for_the_moment_is_asked_again_and_one_that_refuses_is_not(database: Database) -> None:
    law.store(database, law.two_sections())
    shaky = Hashed(failures=[ProviderError("hashed", "busy")] * 2)
    assert brought_up(database, shaky).texts == 2
    law.store(database, document([node(f"{C}:2"), node(f"{C}:2:1", "A rule.")]))
    with pytest.raises(ProviderError, match="busy"):
        brought_up(database, Hashed(failures=[ProviderError("hashed", "busy")] * 3))
    refusing = Hashed(failures=[ProviderRejected("hashed", "no")])
    with pytest.raises(ProviderRejected):
        brought_up(database, refusing)
    assert refusing.texts == 0


def test_an_estimate_counts_texts_tokens_and_the_cost_before_anything_is_sent(database: Database) -> None:
    law.store(database, document([node(f"{C}:1"), node(f"{C}:1:1", "Der Mieter schuldet die Miete für das Übel.")]))
    text = "Test code urn:lex:us:tc > Heading 1\nHeading 1\nDer Mieter schuldet die Miete für das Übel."
    embedder = Hashed("text-embedding-3-small", 4)
    before = estimate(database, embedder)
    assert (before.texts, before.tokens) == (1, estimated_tokens(text))
    assert before.usd == round(before.tokens * 0.02 / 1e6, 4)
    assert estimate(database, embedder, price=1e6).usd == before.tokens
    assert estimate(database, Hashed()).usd is None
    assert embedder.texts == 0


def test_progress_tells_how_far_it_is(engine: Engine) -> None:
    told: list[Told] = []
    new = Hashed("new", 6)
    reembed(engine.database, new, before=estimate(engine.database, new), report=told.append, patience=HASTY)
    assert [progress.label for progress in told] == ["us", "us-ma"]
    assert told[-1].done == told[-1].total == told[-1].nodes
    assert told[-1].remaining == 0.0


def test_as_many_neighbours_come_as_match_and_the_nearest(database: Database) -> None:
    """Few records among many other nodes, and far from the question: an index alone would not reach them."""
    nodes = [node(f"{C}:1")]
    nodes += [node(f"{C}:1:{n}", f"Rule {n}.", kind="record" if n % 20 == 0 else "legislation") for n in range(1, 1001)]
    law.store(database, document(nodes))
    embedder = Hashed()
    Vectors(database, embedder).embed_jurisdiction("us")
    vector = embedder.embed(["some question"]).vectors[0]
    for indexed in (False, True):
        assert index_vectors(database, exact_below=1) == ["us"] if indexed else True
        for kinds in (("legislation",), ("record",), ("legislation", "record"), ("decision",)):
            with database.read() as conn:
                # An index that is preferred and gives up at once.
                conn.execute("set local hnsw.max_scan_tuples = 1; set local cpu_operator_cost = 100")
                hits = search_dense(conn, vector, model_of(embedder), Filters(("us",), "en", AT, kinds))
            nearest = law.rows(
                database,
                "select n.urn from node_embeddings e join legal_nodes n on n.jurisdiction = e.jurisdiction and"
                " n.id = e.node_version_id where n.kind = any(%s) order by e.embedding <=> %s::halfvec, n.urn limit %s",
                list(kinds), str(vector), LEG_LIMIT,
            )  # fmt: skip
            assert len(hits) == len(nearest) == min(LEG_LIMIT, sum(parsed.kind in kinds for parsed in nodes[1:]))
            same = len({hit.urn for hit in hits} & {str(row[0]) for row in nearest})
            assert same >= (0.95 if indexed else 1.0) * len(nearest)
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
