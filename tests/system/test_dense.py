"""The dense leg through the real client and a local server: embedded at ingest, searched, and away when it is away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import SAMPLE, Stores
from fakes.openai_server import FakeOpenAI, Fault, api_error
from requirements import requirement

from rag import Engine
from retrieval.errors import ConfigurationError
from retrieval.providers.openai_embedding import OpenAIEmbedder

QUESTION = "interest on a security deposit"


def _embedder(server: FakeOpenAI, model: str = "text-embedding-3-small", dimensions: int = 64) -> OpenAIEmbedder:
    return OpenAIEmbedder("key", model, dimensions, base_url=server.base_url, backoff_seconds=0.01, deadline_seconds=5)


@pytest.fixture
def served(stores: Stores, empty_template: str) -> Iterator[tuple[Engine, FakeOpenAI]]:
    """An engine over a sample store with vectors, and the server they came from."""
    with FakeOpenAI() as server, Engine.open(stores.clone(empty_template)) as engine:
        engine = engine.using(embedder=_embedder(server))
        assert not engine.ingest([SAMPLE], embed=True).warnings
        yield engine, server


def test_every_node_with_words_gets_a_vector_and_an_unchanged_source_none(served: tuple[Engine, FakeOpenAI]) -> None:
    engine, server = served
    with engine.database.read() as conn:
        row = conn.execute(
            "select count(*) filter (where e.node_version_id is not null), count(*) from legal_nodes n"
            " left join node_embeddings e on e.jurisdiction = n.jurisdiction and e.node_version_id = n.id"
            " where n.kind <> 'section' and (n.intro_text <> '' or n.content_text <> '')"
        ).fetchone()
    assert row is not None
    assert row[0] == row[1] > 40
    calls = server.calls
    assert engine.ingest([SAMPLE], embed=True).unchanged == 3
    assert server.calls == calls


def test_the_dense_leg_ranks_and_is_fused(served: tuple[Engine, FakeOpenAI]) -> None:
    engine, _ = served
    semantic = engine.search(QUESTION, jurisdiction="us-ma", mode="semantic")
    assert semantic.results
    assert all(result.legs.dense is not None and result.legs.lexical is None for result in semantic.results)
    hybrid = engine.search(QUESTION, jurisdiction="us-ma")
    assert hybrid.results[0].legs.dense is not None
    assert any(result.legs.dense is not None and result.legs.lexical is not None for result in hybrid.results)
    assert not any("dense" in warning for warning in hybrid.warnings)
    assert hybrid.results[0].hit_urn.startswith("urn:lex:ma:940cmr:3.")


def edited(embedding: object) -> Fault:
    """A reply whose first vector is this."""
    return Fault(edit=lambda reply: {**reply, "data": [{**reply["data"][0], "embedding": embedding}]})


@requirement("P7")
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (api_error(500), "provider"),
        (api_error(503), "provider"),
        (api_error(429), "provider"),
        (api_error(401), "provider_rejected"),
        (Fault(delay=30), "provider_timeout"),
        (Fault(drip=0.05), "provider_timeout"),
        (Fault(body=b"<html>"), "provider_rejected"),
        (Fault(edit=lambda reply: {**reply, "data": []}), "provider_rejected"),
        (edited([0.5] * 63), "provider_rejected"),
        (edited([0.0] * 64), "provider_rejected"),
        (edited(["NaN"] * 64), "provider_rejected"),
        (Fault(body=b'{"data": [{"index": 0, "embedding": [' + b"NaN," * 63 + b"NaN]}]}"), "provider_rejected"),
    ],
)
def test_an_embedder_that_fails_leaves_the_other_legs_and_a_note(
    served: tuple[Engine, FakeOpenAI], fault: Fault, code: str
) -> None:
    engine, server = served
    engine = engine.using(
        embedder=OpenAIEmbedder(
            "key", "text-embedding-3-small", 64, server.base_url, query_seconds=1.0, backoff_seconds=0.01
        )
    )
    server.script(fault, fault)
    found = engine.search(QUESTION, jurisdiction="us-ma")
    assert found.results[0].legs.lexical is not None
    assert [warning for warning in found.warnings if "dense" in warning] == [f"dense: skipped ({code})"]
    context = engine.context(QUESTION, jurisdiction="us-ma")
    assert context.status == "ok"


def test_a_search_by_words_alone_says_why(stores: Stores, empty_template: str) -> None:
    with FakeOpenAI() as server, Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([SAMPLE], embed=True)
        without_model = engine.search(QUESTION, jurisdiction="us-ma").warnings
        engine = engine.using(embedder=_embedder(server))
        without_vectors = engine.search(QUESTION, jurisdiction="us-ma").warnings
        assert server.calls == 0
    assert "dense: skipped (no embedding model is set; words alone were compared)" in without_model
    assert "dense: skipped (the store has no embeddings; `lexscope embed` makes them)" in without_vectors


def test_a_second_embedding_model_is_refused_at_search_and_at_ingest(served: tuple[Engine, FakeOpenAI]) -> None:
    engine, server = served
    engine = engine.using(embedder=_embedder(server, "another-model"))
    with pytest.raises(ConfigurationError, match="text-embedding-3-small"):
        engine.search(QUESTION, jurisdiction="us-ma")


def test_law_is_stored_when_embedding_fails_and_embedded_by_the_next_run(stores: Stores, empty_template: str) -> None:
    with FakeOpenAI() as server, Engine.open(stores.clone(empty_template)) as engine:
        engine = engine.using(embedder=_embedder(server))
        server.script(*[api_error(500)] * 2)
        report = engine.ingest([SAMPLE], embed=True)
        assert report.documents == 3
        assert not report.rejected
        assert sum("not embedded" in warning for warning in report.warnings) == 1
        assert server.calls == 2  # not asked again in this run
        assert engine.search(QUESTION, jurisdiction="us-ma", mode="keyword").results
        again = engine.ingest([SAMPLE], embed=True)
        assert (again.unchanged, again.warnings) == (3, [])
        assert engine.search(QUESTION, jurisdiction="us-ma", mode="semantic").results
