"""F11 to F19: whatever a provider does, a question ends within its deadline with a typed outcome and its context.

Each fault goes through the real client against a real server, and through the engine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import openai.resources.responses
import pytest
from fakes.openai_server import (
    FakeOpenAI,
    Fault,
    api_error,
    commentary,
    draft_of,
    incomplete,
    message,
    output_text,
    refusal,
)

from rag import Engine
from rag.answering.answer import Answer
from rag.models.judge import ModelJudge
from rag.models.openai import OpenAIModel

assert openai.resources.responses  # so that no short deadline pays for the SDK's import

RULE = "urn:lex:ma:940cmr:3.17:7"
QUOTE = (
    "Except in an emergency, an owner shall not enter a dwelling unit without the consent of the tenant, given after"
)
ANSWER = draft_of({"text": f"{QUOTE} at least 30 hours' notice.", "citations": [{"urn": RULE, "quote": QUOTE}]})
TEXT = json.dumps(ANSWER)


@pytest.fixture(scope="module")
def engine(served: Engine) -> Engine:
    """One for all: nothing here writes but traces."""
    return served


@pytest.fixture
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(lambda request: ANSWER) as running:
        yield running


def asked(engine: Engine, address: str, seconds: float = 20.0) -> Answer:
    engine = engine.using(settings=engine.settings.model_copy(update={"request_seconds": seconds}))
    engine.model = OpenAIModel("key", "test-model", address, backoff_seconds=0.001)
    return engine.ask(RULE)


def drift(statements: object, **more: object) -> Fault:
    """A reply of the right envelope whose output is not of the schema."""
    text = json.dumps({**ANSWER, "statements": statements, **more})

    def edit(reply: dict[str, object]) -> dict[str, object]:
        return {**reply, "output": [message(output_text(text))]}

    return Fault(edit=edit)


STATEMENT = ANSWER["statements"][0]
IN_TWO_DAYS = format_datetime(datetime.now(UTC) + timedelta(days=2), usegmt=True)


@pytest.mark.parametrize(
    ("faults", "reason", "calls"),
    [
        # F12: too many requests, with every form of Retry-After
        ([api_error(429, None, Retry_After="0"), api_error(429, None, Retry_After="0")], "provider_error", 2),
        ([api_error(429, None, Retry_After="21")], "provider_error", 1),
        ([api_error(429, None, Retry_After="999999999999")], "provider_error", 1),
        ([api_error(429, None, Retry_After=IN_TWO_DAYS)], "provider_error", 1),
        ([api_error(429, None, Retry_After="soon"), api_error(429, None, Retry_After="-5")], "provider_error", 2),
        ([api_error(429, None), api_error(429, None)], "provider_error", 2),
        # F13: failures of the server
        *(([api_error(status), api_error(status)], "provider_error", 2) for status in (500, 502, 503, 529)),
        ([Fault(body={"error": {"message": "no", "code": "server_error"}})] * 2, "provider_error", 2),
        ([Fault(body={"error": {"message": "no", "code": "odd"}})], "provider_rejected", 1),
        # F15: cut replies
        ([incomplete("max_output_tokens")], "provider_rejected", 1),
        ([Fault(cut_at=40)] * 2, "provider_error", 2),
        # F16: garbage
        ([Fault(body=b"<html>busy</html>")], "provider_rejected", 1),
        ([Fault(body=b"")], "provider_rejected", 1),
        ([Fault(body=b'{"status": NaN}')], "provider_rejected", 1),
        ([Fault(body=b"[" * 100_000)], "provider_rejected", 1),
        ([Fault(body=b" " * 1_000_000, endless=True)], "provider_rejected", 1),
        # F17: another shape than asked for
        ([drift([{**STATEMENT, "kind": "holding"}])], "provider_rejected", 1),
        ([drift([{**STATEMENT, "text": 7}])], "provider_rejected", 1),
        ([drift([{**STATEMENT, "citations": [{"urn": [RULE], "quote": QUOTE}]}])], "provider_rejected", 1),
        ([drift([STATEMENT, STATEMENT])], "provider_rejected", 1),
        ([drift([], short_answer="no")], "provider_rejected", 1),
        # F18: the model or its filter declines
        ([refusal("I cannot help with that.")], "model_declined", 1),
        ([incomplete("content_filter")], "model_declined", 1),
        ([api_error(400, "content_filter")], "model_declined", 1),
    ],
)  # fmt: skip
def test_a_fault_ends_typed_with_the_context_and_without_a_claim(
    engine: Engine, provider: FakeOpenAI, faults: list[Fault], reason: str, calls: int
) -> None:
    provider.script(*faults)
    answer = asked(engine, provider.base_url)
    assert answer.refusal is not None
    assert answer.refusal.reason == reason
    assert answer.status == ("refused" if reason == "model_declined" else "failed")
    assert answer.statements == []
    assert answer.context is not None
    assert answer.context.allow_list
    assert answer.context_digest == answer.context.digest
    assert provider.calls == calls
    assert "no law" not in answer.refusal.message.lower()


@pytest.mark.parametrize(
    "fault",
    [Fault(delay=30), Fault(drip=0.2), Fault(drip=0.2, drip_headers=True), Fault(body=b" ", drip=0.1, endless=True)],
    ids=["silence", "slow-body", "slow-headers", "endless"],
)  # fmt: skip
def test_a_slow_reply_ends_at_the_deadline(engine: Engine, provider: FakeOpenAI, fault: Fault) -> None:
    provider.script(fault)
    answer = asked(engine, provider.base_url, seconds=0.4)
    assert answer.refusal is not None
    assert (answer.status, answer.refusal.reason) == ("failed", "provider_timeout")
    assert answer.context is not None
    assert answer.context.blocks


CONNECT_SECONDS = 2.0


def unreachable(kind: str, provider: FakeOpenAI) -> OpenAIModel:
    address = {
        "refused": "http://127.0.0.1:9/v1",
        "dns": "http://nowhere.invalid/v1",
        "tls": provider.base_url.replace("http:", "https:"),
    }[kind]
    return OpenAIModel("key", "test-model", address, connect_seconds=CONNECT_SECONDS, backoff_seconds=0.001)


@pytest.mark.parametrize("kind", ["refused", "dns", "tls"])
def test_f11_a_provider_that_cannot_be_reached_is_told_within_the_limit_of_connecting_and_never_as_no_such_law(
    engine: Engine, provider: FakeOpenAI, kind: str
) -> None:
    engine = engine.using(model=unreachable(kind, provider))
    engine.ask(RULE)  # so that nothing is measured but the call
    began = time.monotonic()
    answer = engine.ask(RULE)
    # Two attempts at most, each within its limit.
    assert time.monotonic() - began < 2 * CONNECT_SECONDS + 1
    assert answer.refusal is not None
    assert (answer.status, answer.refusal.reason) == ("failed", "provider_error")
    assert answer.context is not None
    assert answer.context.blocks
    assert provider.calls == 0


@pytest.mark.parametrize("kind", ["refused", "dns", "tls"])
def test_f11_what_a_judge_that_cannot_be_reached_should_judge_is_unverified(
    engine: Engine, provider: FakeOpenAI, kind: str
) -> None:
    judge = ModelJudge(unreachable(kind, provider))
    said = "Owners have to let their tenants know a good while before they come in (940 CMR 3.17(7))."
    [claim] = [item for item in engine.using(judge=judge).verify(said).items if item.kind == "claim"]
    assert (claim.verdict, claim.reasons[0].partition(":")[0]) == ("UNVERIFIED", "NOT_JUDGED")


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_f12_a_pause_that_the_provider_asks_for_is_kept_once(engine: Engine, provider: FakeOpenAI, form: str) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)
    began = time.monotonic()
    provider.script(api_error(429, None, Retry_After="1" if form == "seconds" else soon))
    answer = asked(engine, provider.base_url)
    assert time.monotonic() - began >= 1
    assert (answer.status, provider.calls) == ("answered", 2)


def test_a_cut_reply_is_never_served_as_complete(engine: Engine, provider: FakeOpenAI) -> None:
    for cut in range(0, len(TEXT), max(1, len(TEXT) // 200)):
        piece = TEXT[:cut]

        def edit(reply: dict[str, object], piece: str = piece) -> dict[str, object]:
            return {**reply, "output": [message(output_text(piece))]}

        provider.script(Fault(edit=edit))
        answer = asked(engine, provider.base_url)
        assert (answer.status, answer.statements) == ("failed", [])


def test_a_good_reply_after_one_failure_or_after_commentary_is_an_answer(engine: Engine, provider: FakeOpenAI) -> None:
    provider.script(api_error(503), commentary("I will look at the law first."))
    answer = asked(engine, provider.base_url)
    assert answer.status == "answered"
    assert [statement.level for statement in answer.statements] == ["VERBATIM"]
    assert "look at the law" not in answer.model_dump_json()
