"""A whole answer over a provider that misbehaves ends with a typed outcome; the context stands, nothing is served."""

from __future__ import annotations

import json
from collections.abc import Iterator

import openai.resources.responses
import pytest
from conftest import Stores
from fakes.openai_server import FakeOpenAI, Fault, api_error, commentary, draft_of, incomplete, refusal

from rag import Engine
from rag.models.openai import OpenAIModel

# Imported above so that no short deadline pays for the SDK's import.
assert openai.resources.responses

RULE = "urn:lex:ma:940cmr:3.17:4"


@pytest.fixture
def impatient(stores: Stores, sample_template: str) -> Iterator[Engine]:
    """An engine over the sample that gives an answer three seconds."""
    settings = stores.clone(sample_template, request_seconds=3.0)
    with Engine.open(settings) as engine:
        yield engine
    stores.drop(settings)


GOOD = json.dumps(draft_of()).encode()


@pytest.mark.parametrize(
    ("faults", "status", "reason"),
    [
        ([Fault(status=500)] * 2, "failed", "provider_error"),
        ([Fault(status=503), Fault(status=529)], "failed", "provider_error"),
        ([api_error(429, "rate_limit_exceeded", Retry_After="86400")], "failed", "provider_error"),
        ([api_error(401, "invalid_api_key")], "failed", "provider_rejected"),
        ([Fault(body=b"<html>busy</html>")], "failed", "provider_rejected"),
        ([Fault(body=GOOD[:20])], "failed", "provider_rejected"),
        ([Fault(cut_at=40)] * 2, "failed", "provider_error"),
        ([Fault(body=b'{"x":"' + b"y" * 50_000_000 + b'"}')], "failed", "provider_rejected"),
        ([Fault(body=b"z" * 65_536, endless=True)], "failed", "provider_rejected"),
        ([Fault(drip=1.0)], "failed", "provider_timeout"),
        ([Fault(delay=30.0)], "failed", "provider_timeout"),
        ([incomplete("max_output_tokens")], "failed", "provider_rejected"),
        ([incomplete("content_filter")], "refused", "model_declined"),
        ([refusal()], "refused", "model_declined"),
        ([commentary()], "refused", "insufficient_context"),
    ],
)
def test_every_fault_of_a_provider_ends_typed_with_the_context_and_no_claim(
    impatient: Engine, faults: list[Fault], status: str, reason: str
) -> None:
    digest = impatient.context(RULE).digest
    with FakeOpenAI() as server:
        server.script(*faults)
        impatient.model = OpenAIModel("key", "model", server.base_url, backoff_seconds=0.001)
        answer = impatient.ask(RULE)
        assert server.calls <= 2
    assert answer.refusal is not None
    assert (answer.status, answer.refusal.reason) == (status, reason)
    assert (answer.statements, answer.context_digest) == ([], digest)
    assert answer.context is not None
    assert answer.context.blocks


def test_a_refused_connection_ends_typed_with_the_context(impatient: Engine) -> None:
    with FakeOpenAI() as server:
        url = server.base_url
    impatient.model = OpenAIModel("key", "model", url, backoff_seconds=0.001)
    answer = impatient.ask(RULE)
    assert answer.refusal is not None
    assert (answer.status, answer.refusal.reason) == ("failed", "provider_error")
    assert answer.context is not None
