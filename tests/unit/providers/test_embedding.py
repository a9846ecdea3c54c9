"""Embeddings, through the real client against a real server."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import openai.resources.embeddings
import pytest
from fakes.openai_server import FakeOpenAI, Fault, api_error, bag_of_words
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.errors import ConfigurationError, InputError, ProviderError, ProviderRejected, ProviderTimeout
from retrieval.providers.embedding import EmbeddingBatch, beginning, certain_beginning, estimated_tokens
from retrieval.providers.openai_embedding import MAX_INPUTS, OpenAIEmbedder

# Imported above so that no short deadline pays for the SDK's import.
assert openai.resources.embeddings

KEY = "sk-canary-key-4711"
TEXTS = ["the tenant owes rent", "Aloysius owes a wombat", "la règle s'applique"]


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


def embedder(server: FakeOpenAI, model: str = "text-embedding-3-small", **settings: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(KEY, model, 8, server.base_url, backoff_seconds=0.001, **settings)


def close(left: list[float], right: list[float]) -> bool:
    """Equal as the 32-bit floats that travel."""
    return len(left) == len(right) and all(map(lambda a, b: math.isclose(a, b, abs_tol=1e-6), left, right))


def edited(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Fault:
    return Fault(edit=lambda reply: {**reply, "data": change(reply["data"])})


def first(embedding: object) -> Fault:
    return edited(lambda data: [{**data[0], "embedding": embedding}, *data[1:]])


def test_vectors_come_in_the_order_of_the_texts(server: FakeOpenAI) -> None:
    server.script(edited(lambda data: data[::-1]))
    batch = embedder(server).embed(TEXTS)
    assert all(close(vector, bag_of_words(text, 8)) for vector, text in zip(batch.vectors, TEXTS, strict=True))
    assert batch.shortened == 0
    assert batch.tokens == sum(len(text.split()) for text in TEXTS)


def test_the_request_names_model_dimensions_and_encoding(server: FakeOpenAI) -> None:
    embedder(server).embed(TEXTS)
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].json == {
        "model": "text-embedding-3-small",
        "input": TEXTS,
        "dimensions": 8,
        "encoding_format": "base64",
    }


def test_models_of_fixed_size_are_not_asked_for_dimensions(server: FakeOpenAI) -> None:
    server.script(first([0.5] * 8))
    assert embedder(server, "some-model").embed(["a"]).vectors == [[0.5] * 8]
    assert "dimensions" not in server.requests[0].json


def test_plain_numbers_are_read_like_base64(server: FakeOpenAI) -> None:
    server.script(first([1, 0, 0, 0, 0, 0, 0, -0.5]))
    assert embedder(server).embed(["a"]).vectors == [[1.0, 0, 0, 0, 0, 0, 0, -0.5]]


def test_no_text_is_no_request(server: FakeOpenAI) -> None:
    assert embedder(server).embed([]) == EmbeddingBatch([])
    assert server.calls == 0


def test_texts_go_in_batches_and_progress_is_told_after_each(server: FakeOpenAI) -> None:
    texts = [f"word{number}" for number in range(7)]
    told: list[int] = []
    batch = embedder(server, max_inputs=3).embed(texts, told.append)
    assert [request.json["input"] for request in server.requests] == [texts[:3], texts[3:6], texts[6:]]
    assert told == [3, 3, 1]
    assert all(close(vector, bag_of_words(text, 8)) for vector, text in zip(batch.vectors, texts, strict=True))


def test_a_batch_ends_before_the_token_limit_of_a_request(server: FakeOpenAI) -> None:
    texts = ["long law " * 2000] * 40
    assert embedder(server).embed(texts).shortened == 0
    sizes = [len(request.json["input"]) for request in server.requests]
    assert sum(sizes) == 40
    assert sizes[0] == 200_000 // estimated_tokens(texts[0])


def test_an_input_limit_is_never_exceeded(server: FakeOpenAI) -> None:
    embedder(server).embed(["x"] * (MAX_INPUTS + 1))
    assert [len(request.json["input"]) for request in server.requests] == [MAX_INPUTS, 1]


def test_a_text_beyond_the_limit_is_embedded_by_its_beginning_and_counted(server: FakeOpenAI) -> None:
    long = "The tenant shall pay. " * 2000
    batch = embedder(server).embed(["short", long])
    sent = server.requests[0].json["input"]
    assert sent[0] == "short"
    assert sent[1] == long[: 8192 * 3]
    assert batch.shortened == 1


def test_a_refused_dense_text_is_sent_again_within_the_certain_bound(server: FakeOpenAI) -> None:
    dense = "1.2.3.4." * 2500
    assert estimated_tokens(dense) < 8192 < len(dense)
    server.script(api_error(400, None, "too many tokens"))
    batch = embedder(server).embed(["short", dense])
    assert server.requests[0].json["input"] == ["short", dense]
    assert server.requests[1].json["input"] == ["short", dense[:8192]]
    assert batch.shortened == 1


def test_a_refusal_that_length_cannot_explain_stands(server: FakeOpenAI) -> None:
    server.script(api_error(400, None, "no such parameter"))
    with pytest.raises(ProviderRejected, match=r"refused as invalid \(HTTP 400\)"):
        embedder(server).embed(["short"])
    assert server.calls == 1


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (edited(lambda data: data[:-1]), "a wrong number of embeddings"),
        (edited(lambda data: []), "a wrong number of embeddings"),
        (edited(lambda data: [*data, {**data[0], "index": 3}]), "a wrong number of embeddings"),
        (edited(lambda data: [data[0], data[0], data[2]]), "embeddings without an index each"),
        (edited(lambda data: [{**item, "index": None} for item in data]), "embeddings without an index each"),
        (edited(lambda data: [{**item, "index": True} for item in data]), "embeddings without an index each"),
        (Fault(edit=lambda reply: {**reply, "data": "Aloysius"}), "a wrong number of embeddings"),
        (first([0.5] * 7), "an embedding of the wrong dimension"),
        (first([0.5] * 9), "an embedding of the wrong dimension"),
        (first([]), "an embedding of the wrong dimension"),
        (first(""), "an embedding of the wrong dimension"),
        (first([0.0] * 8), "an embedding that is zero"),
        (first("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="), "an embedding that is zero"),
        (first("AADAfwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="), "an embedding that is not finite"),
        (first([float("nan")] + [0.5] * 7), "not valid JSON"),
        (Fault(body=b'{"data": [{"index": 0, "embedding": [1e999]}]}'), "a wrong number of embeddings"),
        (first("not base64!"), "an embedding that is no list of numbers"),
        (first("AAAA"), "an embedding that is no list of numbers"),
        (first(None), "an embedding that is no list of numbers"),
        (first([0.5, "0.5"] * 4), "an embedding that is no list of numbers"),
        (first([True] * 8), "an embedding that is no list of numbers"),
        (first([10**400] * 8), "an embedding that is no list of numbers"),
        (Fault(body=b"<html>Aloysius</html>"), "not valid JSON"),
        (Fault(body=b"[1]"), "not a JSON object"),
    ],
)
def test_vectors_that_cannot_be_used_are_rejected(server: FakeOpenAI, fault: Fault, cause: str) -> None:
    server.script(fault)
    with pytest.raises(ProviderRejected) as caught:
        embedder(server).embed(TEXTS)
    assert caught.value.cause == f"the reply is unusable: {cause}"
    assert caught.value.request_id == "req_fake_1"
    assert server.calls == 1


def test_an_infinite_plain_number_is_rejected(server: FakeOpenAI) -> None:
    server.script(Fault(body=b'{"data": [{"index": 0, "embedding": [1e999, 1, 1, 1, 1, 1, 1, 1]}]}'))
    with pytest.raises(ProviderRejected, match="not finite"):
        embedder(server).embed(["a"])


def test_an_error_body_with_a_success_status_is_a_failure(server: FakeOpenAI) -> None:
    body = {"error": {"code": "insufficient_quota", "message": "Aloysius"}}
    server.script(Fault(body=body))
    with pytest.raises(ProviderRejected, match="the quota is used up") as caught:
        embedder(server).embed(TEXTS)
    assert "Aloysius" not in str(caught.value)


def test_a_reply_larger_than_any_good_one_is_not_held(server: FakeOpenAI) -> None:
    server.script(Fault(body=b" " * 1_000_000, endless=True))
    with pytest.raises(ProviderRejected, match="the reply exceeds the size limit"):
        embedder(server).embed(TEXTS)


def test_plain_numbers_of_full_length_are_within_the_size_limit(server: FakeOpenAI) -> None:
    plain = [{"object": "embedding", "index": index, "embedding": [-1 / 3 * 1e-300] * 8} for index in range(500)]
    server.script(edited(lambda data: plain))
    assert len(embedder(server).embed(["x"] * 500).vectors) == 500


@pytest.mark.parametrize("fault", [api_error(500), api_error(429, Retry_After="0"), Fault(cut_at=10)])
def test_a_passing_failure_is_tried_once_more(server: FakeOpenAI, fault: Fault) -> None:
    server.script(fault)
    assert len(embedder(server).embed(TEXTS).vectors) == 3
    assert server.calls == 2


def test_a_provider_that_stays_down_is_a_retryable_failure(server: FakeOpenAI) -> None:
    server.script(api_error(503), api_error(503, None, "Aloysius"))
    with pytest.raises(ProviderError, match=r"unavailable \(HTTP 503\)") as caught:
        embedder(server).embed(TEXTS)
    assert caught.value.retryable
    assert caught.value.__context__ is None
    assert server.calls == 2


def test_the_deadline_ends_a_slow_reply(server: FakeOpenAI) -> None:
    server.script(Fault(drip=0.02))
    with pytest.raises(ProviderTimeout):
        embedder(server, deadline_seconds=0.4).embed(TEXTS)


@pytest.mark.parametrize(("text", "words"), [("", "Text 2 to embed is empty."), ("Aloysius \ud800", "text 2 to embed")])
def test_a_text_that_cannot_be_sent_is_named_by_position_and_nothing_is_sent(
    server: FakeOpenAI, text: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        embedder(server).embed(["good", text])
    assert words in str(caught.value)
    assert "Aloysius" not in str(caught.value)
    assert server.calls == 0


@pytest.mark.parametrize("settings", [{"max_inputs": 0}, {"max_inputs": 2049}, {"max_input_tokens": 3}])
def test_settings_outside_their_range_are_refused(server: FakeOpenAI, settings: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError):
        embedder(server, **settings)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(TEXT, st.integers(4, 60))
@example("😀" * 5, 4)
@example("é" * 9, 4)
def test_a_beginning_is_the_longest_within_the_limit(text: str, tokens: int) -> None:
    start = beginning(text, tokens)
    assert text.startswith(start)
    assert estimated_tokens(start) <= tokens
    assert start == text or estimated_tokens(text[: len(start) + 1]) > tokens
    assert start or not text


@given(TEXT, st.integers(4, 60))
def test_a_certain_beginning_has_no_more_bytes_than_tokens_allowed(text: str, tokens: int) -> None:
    start = certain_beginning(text, tokens)
    assert text.startswith(start)
    assert len(start.encode()) <= tokens
    assert start == text or len(text[: len(start) + 1].encode()) > tokens
