"""`embed` and `reembed` as a user runs them, with a local server in the provider's place."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from cli_calls import Lexscope, address, caller
from conftest import SAMPLE
from fakes.openai_server import FakeOpenAI, api_error

from rag.ingest.writing.embed import EmbedReport, Estimate
from rag.settings import Settings


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """A provider that the environment names; embedding is off until a test turns it on."""
    with FakeOpenAI() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("LEXSCOPE_PROVIDER", "extractive")
        monkeypatch.setenv("LEXSCOPE_EMBEDDING_DIMENSIONS", "16")
        monkeypatch.setenv("LEXSCOPE_EMBEDDING", "none")
        yield server


@pytest.fixture
def lexscope(empty_settings: Settings, capsys: pytest.CaptureFixture[str], provider: FakeOpenAI) -> Lexscope:
    """The command over a store that holds the sample and no vectors."""
    call = caller(capsys, "--database-url", address(empty_settings))
    assert call("ingest", str(SAMPLE)).status == 0
    return call


def test_without_an_embedder_embed_says_what_to_set(lexscope: Lexscope) -> None:
    ran = lexscope("embed")
    assert (ran.status, ran.out) == (2, "")
    assert "LEXSCOPE_EMBEDDING=local" in ran.err
    assert lexscope("reembed").status == 2


def test_a_store_is_estimated_embedded_taken_over_and_searched(
    lexscope: Lexscope, provider: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXSCOPE_EMBEDDINGS", "openai")
    monkeypatch.delenv("LEXSCOPE_EMBEDDING")
    ran = lexscope("embed", "--estimate", "--json")
    before = Estimate.model_validate_json(ran.out)
    assert before.texts > 40
    assert before.usd is not None
    assert 0 < before.usd < 0.01
    assert provider.calls == 0
    ran = lexscope("embed", "--json")
    done = EmbedReport.model_validate_json(ran.out)
    assert (ran.status, done.texts, done.model, done.dimensions) == (0, before.texts, "text-embedding-3-small", 16)
    assert f"{before.texts} texts to embed with text-embedding-3-small" in ran.err
    assert "USD at most" in ran.err
    assert "Embedded 0 texts" in lexscope("embed").out
    ran = lexscope("reembed", "--model", "text-embedding-3-large", "--dimensions", "24")
    assert ran.status == 0
    assert "went over from text-embedding-3-small" in ran.out
    ran = lexscope("search", "security deposit", "--jurisdiction", "us-ma")
    assert ran.status == 2
    assert "text-embedding-3-large (24 dimensions)" in ran.err
    monkeypatch.setenv("LEXSCOPE_EMBEDDING_MODEL", "text-embedding-3-large")
    monkeypatch.setenv("LEXSCOPE_EMBEDDING_DIMENSIONS", "24")
    ran = lexscope("search", "security deposit", "--jurisdiction", "us-ma", "--json")
    assert ran.status == 0
    assert json.loads(ran.out)["results"][0]["legs"]["dense"] is not None


def test_a_provider_that_refuses_ends_the_run_and_says_how_to_go_on(
    lexscope: Lexscope, provider: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXSCOPE_EMBEDDING", "openai")
    provider.script(api_error(401))
    ran = lexscope("embed")
    assert (ran.status, ran.out) == (1, "")
    assert "the same command goes on from there" in ran.err
    assert "key was not accepted" in ran.err
    assert lexscope("embed").status == 0
