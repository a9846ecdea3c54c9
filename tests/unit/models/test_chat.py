"""Chat completions and how the way of asking is found out, through the real client against a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai.resources.chat.completions
import pytest
from fakes.openai_server import FakeOpenAI, Fault, api_error, draft_of, ended, refusal

from rag.models.choice import LOCAL_SERVERS, judge_of, model_of
from rag.models.drafting import Declined, DraftRequest, draft_schema
from rag.models.judge import ModelJudge
from rag.models.openai import Api, OpenAIModel, Way
from rag.models.stream import counting
from rag.settings import load_settings
from rag.verification.draft import Draft
from retrieval.errors import ConfigurationError, InputError, ProviderError, ProviderRejected

assert openai.resources.chat.completions  # so that no short deadline pays for the SDK's import

URN = "urn:lex:us:16cfr:310.4:b:1"
ANSWER = draft_of({"text": "Calls are barred at night.", "citations": [{"urn": URN, "quote": "It is an abusive act"}]})
REQUEST = DraftRequest("Answer strictly.", "The law.", (URN,), deadline_seconds=20.0)
SCHEMA, OBJECT, WORDS = Way("chat", "json_schema"), Way("chat", "json_object"), Way("chat", "words")


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(lambda request: ANSWER) as running:
        yield running


def model(server: FakeOpenAI, api: Api = "chat", key: str | None = "key") -> OpenAIModel:
    return OpenAIModel(key, "test-model", server.base_url, api=api, backoff_seconds=0.001)


def test_a_chat_completion_is_the_draft_that_the_responses_api_gives(server: FakeOpenAI) -> None:
    chatted, responded = model(server).draft(REQUEST), model(server, "responses").draft(REQUEST)
    assert isinstance(chatted, Draft)
    assert chatted.usage == {"input_tokens": 7, "output_tokens": 5, "cached_tokens": 2, "reasoning_tokens": 3}
    assert chatted == responded
    sent = server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.json == {
        "model": "test-model",
        "messages": [{"role": "system", "content": "Answer strictly."}, {"role": "user", "content": "The law."}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "draft", "strict": True, "schema": draft_schema((URN,))},
        },
    }


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (ended("stop", content=None, refusal="I will not."), "refusal"),
        (ended("content_filter"), "content_filter"),
        (api_error(400, "content_filter"), "content_filter"),
        (Fault(body={"error": {"code": "content_filter", "message": "no"}}), "content_filter"),
    ],
)
def test_a_model_that_declines_is_a_value(server: FakeOpenAI, fault: Fault, outcome: str) -> None:
    server.script(fault)
    assert model(server).draft(REQUEST) == Declined(outcome, "req_fake_1")
    assert server.calls == 1


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (ended("length"), "the reply is unusable: truncated"),
        (api_error(401, "invalid_api_key"), "the key was not accepted (HTTP 401)"),
        (api_error(404, "model_not_found"), "the model or address does not exist (HTTP 404)"),
        (api_error(429, "insufficient_quota"), "the quota is used up"),
        (Fault(body=b" " * 1_000_000, endless=True), "the reply exceeds the size limit"),
        (Fault(body={"error": "Unexpected endpoint or method."}), "the provider reports a failure of its own"),
    ],
)
def test_what_another_way_of_asking_cannot_help_is_said_at_once(server: FakeOpenAI, fault: Fault, cause: str) -> None:
    server.script(fault)
    with pytest.raises(ProviderRejected) as caught:
        model(server).draft(REQUEST)
    assert caught.value.cause == cause
    assert server.calls == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault(edit=lambda reply: {**reply, "choices": []}),
        Fault(edit=lambda reply: {**reply, "choices": "none"}),
        ended("stop", content=None),
        ended("tool_calls", content=None, tool_calls=[{"id": "x"}]),
        ended("stop", content="I cannot help with that."),
        ended("stop", content=json.dumps(ANSWER)[:-3]),
        ended("stop", content=json.dumps(ANSWER) * 2),
        ended("stop", content='{"answer": "yes"}'),
        Fault(body=b"<html>busy</html>"),
    ],
)
def test_a_reply_that_is_no_draft_is_refused_where_the_way_is_known(server: FakeOpenAI, fault: Fault) -> None:
    asked = model(server)
    assert isinstance(asked.draft(REQUEST), Draft)
    assert asked.way == SCHEMA
    server.script(fault)
    with pytest.raises(ProviderRejected, match="unusable"):
        asked.draft(REQUEST)
    assert server.calls == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (f"<think>Is it barred? {{}}</think>\n{json.dumps(ANSWER)}", "stop"),
        (f"```json\n{json.dumps(ANSWER)}\n```", "stop"),
        (json.dumps(ANSWER), "eos_token"),
        ([{"type": "text", "text": json.dumps(ANSWER)}], "stop"),
    ],
    ids=["thinking", "fence", "other-reason", "parts"],
)
def test_habits_of_servers_cost_nothing(server: FakeOpenAI, content: object, reason: str) -> None:
    server.script(ended(reason, content=content, reasoning_content="Let me see."))
    assert isinstance(model(server).draft(REQUEST), Draft)
    assert server.calls == 1


@pytest.mark.parametrize("missing", [404, 405, 501, 400])
@pytest.mark.parametrize(
    ("offers", "way", "calls"),
    [
        (("responses", "chat", "json_schema"), Way("responses", "json_schema"), 1),
        (("chat", "json_schema", "json_object"), SCHEMA, 2),
        (("chat", "json_object"), OBJECT, 3),
        (("chat",), WORDS, 4),
    ],
)
def test_what_a_server_has_is_found_out_once(offers: tuple[str, ...], way: Way, calls: int, missing: int) -> None:
    with FakeOpenAI(lambda request: ANSWER, offers=offers, missing=missing) as server:
        asked = model(server, "auto")
        assert isinstance(asked.draft(REQUEST), Draft)
        assert (asked.way, server.calls) == (way, calls)
        assert isinstance(asked.draft(REQUEST), Draft)
        assert server.calls == calls + 1
        last = server.requests[-1].json
        if way.form in ("json_object", "words"):
            assert json.dumps(draft_schema((URN,))) in last["messages"][0]["content"]
        assert last.get("response_format", {}).get("type") == {"json_object": "json_object"}.get(
            way.form, "json_schema" if way == SCHEMA else None
        )


def test_a_schema_that_is_taken_and_ignored_is_told_in_words() -> None:
    def answer(request: dict[str, Any]) -> dict[str, Any] | str:
        told = "statements" in str(request.get("messages", ""))
        return ANSWER if told else "# My answer\nCalls are barred."

    with FakeOpenAI(answer) as server:
        asked = model(server, "auto")
        assert isinstance(asked.draft(REQUEST), Draft)
        assert asked.way == OBJECT
        assert set(asked.passed.values()) == {"the reply is unusable: not valid JSON"}


def test_openais_own_address_is_never_asked_another_way() -> None:
    assert OpenAIModel("key", "m", api="auto").way == Way("responses", "json_schema")
    assert OpenAIModel("key", "m", "http://127.0.0.1:9/v1", api="auto").way is None


def test_where_no_way_works_the_telling_reason_is_given() -> None:
    with FakeOpenAI(offers=()) as server, pytest.raises(ProviderRejected, match="HTTP 404"):
        model(server, "auto").draft(REQUEST)
    with FakeOpenAI(offers=("chat",)) as server:
        server.script(Fault(status=404), *[api_error(400, "context_length_exceeded")] * 3)
        with pytest.raises(ProviderRejected, match="HTTP 400"):
            model(server, "auto").draft(REQUEST)
        assert server.calls == 4


def test_finding_out_ends_with_the_deadline() -> None:
    with FakeOpenAI(lambda request: ANSWER, offers=("chat",)) as server:
        server.script(api_error(404), Fault(delay=30))
        with pytest.raises(ProviderError, match="deadline"):
            model(server, "auto").draft(DraftRequest("Answer.", "The law.", (URN,), deadline_seconds=0.5))


@pytest.mark.parametrize(
    "faults",
    [
        [],
        [ended("stop", content=None, refusal="I will not.")],
        [ended("content_filter")],
        [ended("length")],
        [ended("stop", content="")] * 3,
        [Fault(edit=lambda reply: {"error": {"code": "server_error"}})] * 2,
        [api_error(429, None, Retry_After="0"), api_error(503)],
        [api_error(401)],
        [Fault(cut_at=30)] * 2,
        [Fault(body=b" " * 1_000_000, endless=True)],
    ],
)
def test_a_streamed_chat_comes_to_what_a_plain_one_comes_to(server: FakeOpenAI, faults: list[Fault]) -> None:
    outcomes: list[object] = []
    counts: list[int] = []
    for streaming in (False, True):
        server.script(*faults)
        try:
            if streaming:
                with counting(counts.append):
                    outcomes.append(model(server).draft(REQUEST))
            else:
                outcomes.append(model(server).draft(REQUEST))
        except ProviderError as error:
            outcomes.append((type(error).__name__, error.cause))
    assert outcomes[0] == outcomes[1]
    assert counts == sorted(counts)
    if not faults:
        assert counts[-1] == len(json.dumps(ANSWER))
        assert server.requests[-1].json["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"data: [DONE]\n\n", "without a final status"),
        (b'data: {"choices": [{"delta": {"content": "{"}}]}\n\n', "without a final status"),
        (b'data: {"choices": [{"delta": {"content": "{"}}]}\n\ndata: <html>\n\n', "not valid JSON"),
    ],
)
def test_a_chat_stream_that_ends_early_is_unusable(server: FakeOpenAI, body: bytes, cause: str) -> None:
    server.script(*[Fault(body=body)] * 2)
    with pytest.raises(ProviderRejected, match=cause), counting(lambda count: None):
        model(server).draft(REQUEST)


def test_an_output_limit_is_sent_by_the_name_that_other_servers_know(server: FakeOpenAI) -> None:
    OpenAIModel("key", "m", server.base_url, api="chat", max_output_tokens=500).draft(REQUEST)
    assert server.requests[0].json["max_tokens"] == 500
    assert "max_completion_tokens" not in server.requests[0].json


def test_without_a_key_nothing_of_the_environment_is_sent(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-canary", "OPENAI_ORG_ID": "org-canary", "OPENAI_PROJECT_ID": "proj-canary",
        "OPENAI_ADMIN_KEY": "admin-canary", "OPENAI_CUSTOM_HEADERS": "X-Secret: canary",
    }  # fmt: skip
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    assert isinstance(model(server, "auto", key=None).draft(REQUEST), Draft)
    headers = server.requests[0].headers
    assert "authorization" not in headers
    assert "canary" not in json.dumps(headers)
    assert headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("name", sorted(LOCAL_SERVERS))
def test_a_local_server_is_asked_without_a_key_by_its_model_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"openai_api_key": "sk-canary", "openai_base_url": "https://elsewhere.example/v1", "provider": name}
    with pytest.raises(ConfigurationError, match="LEXSCOPE_OPENAI_MODEL"):
        model_of(load_settings(**settings))
    monkeypatch.setenv("LEXSCOPE_OPENAI_MODEL", "qwen3")
    asked = model_of(load_settings(**settings))
    assert isinstance(asked, OpenAIModel)
    assert (asked.provider, asked.model, asked.endpoint.api_key) == (name, "qwen3", None)
    assert asked.endpoint.base_url == f"http://127.0.0.1:{LOCAL_SERVERS[name].port}/v1"
    judge = judge_of(load_settings(**settings, openai_model="qwen3", judge_model="other"), asked)
    assert judge is not None
    assert judge.name == f"{name} other"


def test_another_address_may_need_no_key_and_openais_own_does() -> None:
    assert model_of(load_settings(provider="openai", openai_base_url="http://127.0.0.1:9/v1")) is not None
    with pytest.raises(ConfigurationError, match="key is not set"):
        model_of(load_settings(provider="openai"))


def test_the_settings_choose_the_judge() -> None:
    assert judge_of(load_settings()) is None
    assert judge_of(load_settings(judge="none", openai_api_key="k")) is None
    drafting = model_of(load_settings(openai_api_key="k"))
    judge = judge_of(load_settings(openai_api_key="k"), drafting)
    assert isinstance(judge, ModelJudge)
    assert judge.name == "openai gpt-5-mini"
    other = judge_of(load_settings(openai_api_key="k", judge_model="gpt-9"), drafting)
    assert other is not None
    assert other.name == "openai gpt-9"
    extractive = load_settings(openai_api_key="k", provider="extractive", judge="model")
    assert isinstance(judge_of(extractive), ModelJudge)
    for bad in ({"judge": "model"}, {"judge": "replay"}, {"judge": "local"}):
        with pytest.raises(ConfigurationError, match="LEXSCOPE_"):
            judge_of(load_settings(**bad))


def test_what_cannot_be_sent_is_never_sent(server: FakeOpenAI) -> None:
    with pytest.raises(InputError):
        model(server, "auto").draft(DraftRequest("rules", "half \ud800", (URN,)))
    assert server.calls == 0


def test_a_refusal_of_the_responses_api_settles_the_way(server: FakeOpenAI) -> None:
    server.script(refusal())
    asked = model(server, "auto")
    assert asked.draft(REQUEST) == Declined("refusal", "req_fake_1")
    assert asked.way == Way("responses", "json_schema")
