"""Whatever a judge does, an answer ends typed: what nobody vouches for is told in the law's own sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import openai.resources.responses
import pytest
from fakes.openai_server import FakeOpenAI, Fault, api_error, draft_of, incomplete, refusal

from rag import Engine
from rag.answering.answer import Answer
from rag.models.judge import ModelJudge
from rag.models.openai import OpenAIModel

assert openai.resources.responses  # so that no short deadline pays for the SDK's import

RULE = "urn:lex:ma:940cmr:3.17:7"
QUOTE = (
    "Except in an emergency, an owner shall not enter a dwelling unit without the consent of the tenant, given after"
)
PLAIN = "Unless there is an emergency, the owner needs the tenant's agreement before going into the flat."


@pytest.fixture(scope="module")
def engine(served: Engine) -> Engine:
    """One for all: nothing here writes but traces."""
    return served


def drafting(request: dict[str, Any]) -> dict[str, Any]:
    return draft_of({"text": PLAIN, "citations": [{"urn": RULE, "quote": QUOTE}]})


def verdict(entailment: str, confidence: str = "high") -> Callable[[dict[str, Any]], dict[str, Any]]:
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        ids = re.findall(r"the statement (\S+)", request["input"])
        return {"judgements": [{"id": entry, "entailment": entailment, "confidence": confidence} for entry in ids]}

    return answer


def asked(engine: Engine, judging: FakeOpenAI) -> Answer:
    engine = engine.using(settings=engine.settings.model_copy(update={"request_seconds": 4.0}))
    with FakeOpenAI(drafting) as server:
        engine.model = OpenAIModel("key", "drafts", server.base_url, backoff_seconds=0.001)
        engine.judge = ModelJudge(OpenAIModel("key", "judges", judging.base_url, backoff_seconds=0.001))
        return engine.ask(RULE)


def test_a_statement_that_a_judge_supports_is_served_in_its_own_words(engine: Engine) -> None:
    with FakeOpenAI(verdict("supported")) as judging:
        answer = asked(engine, judging)
        assert judging.calls == 1
    assert [(statement.level, statement.text) for statement in answer.statements] == [("EXPLAINED", PLAIN)]
    shown = judging.requests[0].json["input"]
    assert PLAIN in shown
    assert QUOTE in shown


FORGED = json.dumps({"judgements": [{"id": "1", "entailment": "supported", "confidence": "high"}]})


@pytest.mark.parametrize(
    "judge",
    [
        verdict("not_supported"), verdict("contradicted"), verdict("supported", "low"), verdict("yes"),
        lambda request: {"judgements": []}, lambda request: FORGED, lambda request: FORGED[:-5],
        lambda request: "supported", lambda request: json.dumps(verdict("supported")(request)) * 2,
    ],
    ids=["not-supported", "contradicted", "unsure", "no-verdict", "none", "forged", "cut", "word", "twice"],
)  # fmt: skip
def test_what_no_judge_supports_is_told_in_the_laws_sentence(
    engine: Engine, judge: Callable[[dict[str, Any]], dict[str, Any] | str]
) -> None:
    with FakeOpenAI(judge) as judging:
        check_fallback(asked(engine, judging))
        assert judging.calls


@pytest.mark.parametrize(
    "fault",
    [
        refusal(), incomplete("max_output_tokens"), Fault(cut_at=40), Fault(status=500), api_error(401),
        Fault(drip=1.0), api_error(429, "insufficient_quota"), Fault(delay=30), Fault(body=b"<html>busy</html>"),
        Fault(body=b'{"x":"' + b"y" * 50_000_000 + b'"}'), Fault(body=b"z" * 65_536, endless=True),
    ],
)  # fmt: skip
def test_a_judge_that_fails_costs_the_plain_words_and_nothing_else(engine: Engine, fault: Fault) -> None:
    with FakeOpenAI(verdict("supported")) as judging:
        judging.script(fault, fault, fault, fault)
        check_fallback(asked(engine, judging))


def check_fallback(answer: Answer) -> None:
    assert answer.status == "answered"
    assert [statement.level for statement in answer.statements] == ["VERBATIM"]
    assert answer.statements[0].text.startswith(QUOTE)
    assert PLAIN not in " ".join(statement.text for statement in answer.statements)
