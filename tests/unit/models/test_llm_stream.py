"""Streaming: the same outcome as without it, told as a count on the way and as nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import pairwise

import openai.resources.responses
import pytest
from fakes.openai_server import FakeOpenAI, Fault, api_error, commentary, draft_of, incomplete, refusal
from hypothesis import given
from hypothesis import strategies as st

from rag.cli.ask import drafting_shown
from rag.models.drafting import Declined, DraftRequest
from rag.models.openai import OpenAIModel
from rag.models.stream import counting, final_reply
from rag.verification.draft import Draft
from retrieval.errors import ProviderError, ProviderRejected, ProviderTimeout

assert openai.resources.responses  # so that no short deadline pays for the SDK's import

URN = "urn:lex:us:16cfr:310.4:b:1"
CITED = [{"urn": URN, "quote": "It is an abusive act"}]
ANSWER = draft_of({"text": "Calls are barred at night.", "citations": CITED}, unanswered=["how much"])
Outcome = tuple[str, object]


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(lambda request: ANSWER) as running:
        yield running


def drafted(server: FakeOpenAI, *faults: Fault, streaming: bool, seconds: float = 20.0) -> tuple[Outcome, list[int]]:
    counts: list[int] = []
    server.script(*faults)
    model = OpenAIModel("key", "test-model", server.base_url, backoff_seconds=0.001)
    request = DraftRequest("Answer strictly.", "The law.", (URN,), deadline_seconds=seconds)
    try:
        if not streaming:
            return ("draft", model.draft(request)), counts
        with counting(counts.append):
            return ("draft", model.draft(request)), counts
    except ProviderError as error:
        return (type(error).__name__, error.cause), counts


@pytest.mark.parametrize(
    "faults",
    [
        [],
        [commentary("I will look at it first.")],
        [refusal()],
        [incomplete("content_filter")],
        [incomplete("max_output_tokens")],
        [Fault(edit=lambda reply: {**reply, "output": []})],
        [Fault(body={"status": "failed", "error": {"code": "server_error"}})] * 2,
        [Fault(edit=lambda reply: {**reply, "status": "failed", "error": {"code": "invalid_prompt"}})],
        [api_error(429, None, Retry_After="0"), api_error(503)],
        [api_error(503)],
        [api_error(400, "content_filter")],
        [api_error(401)],
        [Fault(cut_at=30)] * 2,
        [Fault(body=b" " * 1_000_000, endless=True)],
    ],
)
def test_a_streamed_reply_comes_to_what_a_plain_one_comes_to(server: FakeOpenAI, faults: list[Fault]) -> None:
    plain, _ = drafted(server, *faults, streaming=False)
    streamed, _ = drafted(server, *faults, streaming=True)
    assert streamed == plain


def test_a_listener_gets_growing_counts_and_only_a_listener_asks_for_a_stream(server: FakeOpenAI) -> None:
    outcome, counts = drafted(server, streaming=True)
    assert isinstance(outcome[1], Draft)
    assert len(counts) > 2
    assert counts == sorted(counts)
    assert counts[-1] >= len(json.dumps(ANSWER))
    drafted(server, streaming=False)
    assert [request.json.get("stream") for request in server.requests] == [True, None]


def test_a_provider_that_does_not_stream_is_read_as_it_answers(server: FakeOpenAI) -> None:
    part = {"type": "output_text", "text": json.dumps(ANSWER)}
    body = {"status": "completed", "output": [{"type": "message", "content": [part]}]}
    outcome, counts = drafted(server, Fault(body=body), streaming=True)
    assert isinstance(outcome[1], Draft)
    assert counts == []


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"", "without a final status"),
        (b"data: [DONE]\n\n", "without a final status"),
        (b'data: {"type": "response.output_text.delta", "delta": "{\\"claims\\""}\n\n', "without a final status"),
        (b"data: <html>\n\n", "not valid JSON"),
        (b"data: [1]\n\n", "not a JSON object"),
        (b'data: {"type": "response.completed", "response": []}\n\n', "not a JSON object"),
    ],
)
def test_a_stream_that_ends_early_or_holds_no_event_is_unusable(server: FakeOpenAI, body: bytes, cause: str) -> None:
    outcome, _ = drafted(server, Fault(body=body), streaming=True)
    assert outcome == ("ProviderRejected", f"the reply is unusable: {cause}")


@pytest.mark.parametrize("fault", [Fault(delay=30), Fault(drip=0.2)], ids=["silence", "drip"])
def test_the_deadline_holds_for_a_stream(server: FakeOpenAI, fault: Fault) -> None:
    outcome, _ = drafted(server, fault, streaming=True, seconds=0.3)
    assert outcome[0] == ProviderTimeout.__name__


def test_a_refusal_is_a_value_when_streamed(server: FakeOpenAI) -> None:
    outcome, _ = drafted(server, refusal(), streaming=True)
    assert outcome[1] == Declined("refusal", "req_fake_1")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_much_has_come_and_no_word_of_it(server: FakeOpenAI) -> None:
    model = OpenAIModel("key", "test-model", server.base_url)
    terminal, file = Terminal(), io.StringIO()
    request = DraftRequest("Answer strictly.", "The law.", (URN,))
    with drafting_shown(terminal):
        model.draft(request)
    with drafting_shown(file):
        model.draft(request)
    assert "characters, not yet verified" in terminal.getvalue()
    assert not any(word in terminal.getvalue() for word in ("Calls", "barred", "abusive", "urn:"))
    assert file.getvalue() == ""
    assert [request.json.get("stream") for request in server.requests] == [True, None]


EVENTS = b'event: x\r\ndata: {"type":\r\ndata: "response.output_text.delta", "delta": "ab"}\r\n\r\n: note\n\n' + (
    b'data: {"type": "response.completed", "response": {"status": "completed"}}\n\n'
)


@given(st.lists(st.integers(0, len(EVENTS)), max_size=12))
def test_where_a_stream_is_cut_into_chunks_changes_nothing(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(EVENTS)]
    chunks = [EVENTS[left:right] for left, right in pairwise(edges)]
    counts: list[int] = []
    assert json.loads(final_reply("x", chunks, counts.append, max_bytes=10_000)) == {"status": "completed"}
    assert counts == [2]


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bytes_are_a_reply_or_refused(chunks: list[bytes]) -> None:
    try:
        reply = final_reply("x", chunks, lambda count: None, max_bytes=10_000)
    except ProviderRejected as refused:
        cause = refused.cause
    else:
        cause = "" if reply else "nothing"
    assert not cause or cause.startswith("the reply is unusable")
