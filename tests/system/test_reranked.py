"""Search, context and ask with a reranker: the real client, a local server, the sample's law."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cohere.v2.client
import pytest
from conftest import Stores
from fakes.cohere_server import FakeCohere, shared_words
from fakes.openai_server import FakeOpenAI, Fault, api_error
from published_law import write_plain
from requirements import requirement

from rag import Engine
from rag.models.choice import embedder_of, reranking_of
from rag.settings import load_settings
from retrieval.entry_points.reranking import Reranking
from retrieval.errors import ConfigurationError
from retrieval.providers.cohere_reranking import CohereReranker
from retrieval.providers.openai_embedding import OpenAIEmbedder

# Imported above so that no short deadline pays for the SDK's import.
assert cohere.v2.client

QUESTION = "when must the landlord pay interest on a security deposit"


@pytest.fixture
def served(stores: Stores, sample_template: str) -> Iterator[tuple[Engine, FakeCohere]]:
    """An engine over the sample and the reranking provider that its settings name."""
    with FakeCohere() as server:
        given = {
            "reranker": "cohere", "cohere_api_key": "key", "cohere_base_url": server.root, "rerank_kept": 3,
            "rerank_seconds": 3.0,
        }  # fmt: skip
        settings = stores.clone(sample_template, **given)
        with Engine.open(settings) as engine:
            yield engine, server
        stores.drop(settings)


def test_search_shows_the_best_judged_with_their_relevance(served: tuple[Engine, FakeCohere]) -> None:
    engine, server = served
    plain = engine.search(QUESTION, jurisdiction="us-ma")
    assert server.calls == 0
    assert all(result.relevance_score is None for result in plain.results)
    found = engine.search(QUESTION, jurisdiction="us-ma", rerank=True)
    scores = [result.relevance_score for result in found.results]
    assert len(scores) == found.total == 3
    assert all(score is not None for score in scores)
    assert scores == sorted(scores, reverse=True)  # pyright: ignore
    assert any(warning.startswith("rerank: the best 3 of") for warning in found.warnings)
    (request,) = server.requests
    sent = request.json["documents"]
    assert 3 < len(sent) <= 15
    assert max(shared_words(QUESTION, entry) for entry in sent) == scores[0]


def test_chunks_of_published_documents_are_found_by_vectors_and_judged_one_by_one(
    stores: Stores, empty_template: str, shared_data: Path, tmp_path: Path
) -> None:
    question = "What rights do you give when you share your content with a licence?"
    given = {"reranker": "cohere", "cohere_api_key": "key", "rerank_seconds": 5.0}
    with FakeOpenAI() as vectors, FakeCohere() as server:
        settings = stores.clone(empty_template, **given, cohere_base_url=server.root)
        embedder = OpenAIEmbedder("key", "text-embedding-3-small", 64, base_url=vectors.base_url)
        with Engine.open(settings) as engine:
            engine = engine.using(embedder=embedder)
            law, terms = (write_plain(shared_data, tmp_path)[place] for place in (slice(6), slice(6, None)))
            for files, kind in ((law, "laws_regulations"), (terms, "standard_documents_clauses")):
                assert not engine.ingest(
                    files, jurisdiction="us", tags={"legaldocument_type": kind}, embed=True
                ).rejected
            found = engine.search(question, jurisdiction="us", mode="semantic", rerank=True)
            tags = {"jurisdiction": "us", "legaldocument_type": "laws_regulations"}
            within = engine.search(question, tags=tags, mode="semantic", rerank=True)
            whole = engine.document(found.results[0].document_urn)
            chunks = sum(row.chunk_count for row in engine.list_documents(jurisdiction="us").documents)
        stores.drop(settings)
        first, second = (request.json for request in server.requests)
    assert (first["model"], first["query"]) == ("rerank-v3.5", question)
    assert 5 < len(first["documents"]) <= 15 < chunks  # rules of documents with sections, and passages of the others
    assert len({hit.document_urn for hit in found.results}) > 1
    scores = [hit.relevance_score or 0.0 for hit in found.results]
    assert scores == sorted((shared_words(question, document) for document in first["documents"]), reverse=True)[:5]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert all(hit.urn.startswith(f"{hit.document_urn}:") for hit in found.results)
    assert {hit.document_urn for hit in within.results} <= {f"urn:lex:us:doc:{path.stem}" for path in law}
    assert len(within.results) == 5 <= len(second["documents"])
    assert found.results[0].urn in {block.urn for block in whole.blocks}
    texts = {block.urn: block.text for block in whole.blocks}
    assert any(texts[found.results[0].urn] in document for document in first["documents"])


def test_a_candidate_is_judged_by_its_headings_and_all_its_words(served: tuple[Engine, FakeCohere]) -> None:
    engine, server = served
    engine.search("urn:lex:ma:940cmr:3.17", jurisdiction="us-ma", rerank=True)
    assert server.calls == 0  # what was asked for by name is not judged
    engine.search(QUESTION, jurisdiction="us-ma", rerank=True)
    best = server.requests[0].json["documents"][0]
    assert " > " in best.splitlines()[0]
    assert len(best.splitlines()) > 1


@requirement("P7")
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault(delay=20), "provider_timeout"),
        (api_error(429), "provider"),
        (api_error(500), "provider"),
        (Fault(body={"results": []}), "provider_rejected"),
        (Fault(body=b"not json"), "provider_rejected"),
    ],
)
def test_a_provider_that_fails_costs_the_new_order_and_not_the_answer(
    served: tuple[Engine, FakeCohere], fault: Fault, code: str
) -> None:
    engine, server = served
    plain = engine.search(QUESTION, jurisdiction="us-ma")
    server.script(fault, fault)
    found = engine.search(QUESTION, jurisdiction="us-ma", rerank=True)
    assert [result.urn for result in found.results] == [result.urn for result in plain.results]
    assert f"rerank: skipped ({code}); the order is the legs' own" in found.warnings


def test_context_and_ask_follow_the_settings_and_keep_the_order_in_the_trace(
    served: tuple[Engine, FakeCohere],
) -> None:
    engine, server = served
    context, trace = engine.traced_context(QUESTION, jurisdiction="us-ma")
    assert server.calls == 1
    judged = trace.legs["rerank"]
    assert context.targets[0] == judged[0].urn
    assert engine.ask(QUESTION, jurisdiction="us-ma").status == "answered"
    assert server.calls == 2
    server.script(api_error(500), api_error(500))
    answer = engine.ask(QUESTION, jurisdiction="us-ma")
    assert answer.status == "answered"
    assert any("rerank: skipped (provider)" in warning.message for warning in answer.warnings)


def test_asking_for_a_reranking_that_is_not_configured_says_so(engine: Engine) -> None:
    plain = engine.search(QUESTION, jurisdiction="us-ma")
    found = engine.search(QUESTION, jurisdiction="us-ma", rerank=True)
    assert found.results == plain.results
    assert any("LEXSCOPE_RERANKER" in warning for warning in found.warnings)


def test_the_settings_make_the_models() -> None:
    assert embedder_of(load_settings()) is None
    assert reranking_of(load_settings()) is None
    settings = load_settings(reranker="cohere", cohere_api_key="key", rerank_candidates=7, rerank_kept=2)
    made = reranking_of(settings)
    assert isinstance(made, Reranking)
    assert isinstance(made.reranker, CohereReranker)
    assert (made.candidates, made.kept, made.on) == (7, 2, True)
    with pytest.raises(ConfigurationError, match="API key"):
        reranking_of(load_settings(reranker="cohere"))
    with pytest.raises(ConfigurationError, match="LEXSCOPE_EMBEDDING_MODEL"):
        embedder_of(load_settings(embedding="local"))
