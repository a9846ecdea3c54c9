"""What `lexscope doctor --provider` finds out about a model, by one small call to a real server."""

from __future__ import annotations

import json
from typing import Any

import openai.resources.responses
import pytest
from fakes.openai_server import FakeOpenAI, Fault, api_error, ended, refusal

from rag.cli.app import app, run
from rag.cli.doctor import Check, ask_models, examine
from rag.models.openai import OpenAIModel, models_of, probe
from rag.settings import Settings, load_settings

assert openai.resources.responses  # so that no short deadline pays for the SDK's import


def said(request: dict[str, Any]) -> dict[str, Any] | str:
    """The word of the schema, wherever the request holds it."""
    form = request.get("text") or request.get("response_format") or {}
    told = json.dumps(form) + json.dumps(request.get("messages", ""))
    return {"word": "lexscope-7f3a"} if "lexscope-7f3a" in told else "Yes, I can be reached."


def settings(server: FakeOpenAI, **more: object) -> Settings:
    given = {"provider": "openai", "openai_base_url": server.base_url, "openai_api_key": "sk-canary"}
    return load_settings(**{**given, "openai_model": "mini", **more})


def found(server: FakeOpenAI, **more: object) -> dict[str, Check]:
    return {ask_model.name: ask_model for ask_model in ask_models(settings(server, **more))}


def test_a_good_server_is_described_by_one_call_and_no_key_is_shown() -> None:
    with FakeOpenAI(said) as server:
        server.pages["/v1/models"] = {
            "data": [{"id": "other", "max_model_len": 9}, {"id": "mini", "max_model_len": 64000}]
        }
        checks = found(server)
        assert [request.path for request in server.requests] == ["/v1/responses", "/v1/models"]
    assert {check.status for check in checks.values()} == {"ok"}
    assert checks["provider"].detail.startswith("openai, model mini: replied in ")
    assert "5 tokens written" in checks["provider"].detail
    assert checks["provider schema"].detail == "asked by the Responses API with a strict JSON schema"
    assert checks["provider limits"].detail == "the model reads 64,000 tokens"
    assert "canary" not in str(checks)


@pytest.mark.parametrize(
    ("offers", "schema", "status"),
    [
        (("chat", "json_schema"), "chat completions with a strict JSON schema", "ok"),
        (("chat", "json_object"), "chat completions with JSON objects, the schema told in words", "warn"),
        (("chat",), "chat completions with the schema told in words", "warn"),
    ],
)
def test_what_a_server_lacks_is_said_with_what_to_set(offers: tuple[str, ...], schema: str, status: str) -> None:
    with FakeOpenAI(said, offers=offers) as server:
        checks = found(server)
        assert found(server, openai_api="chat").keys() <= checks.keys()
    assert checks["provider schema"].status == status
    assert checks["provider schema"].detail.startswith(f"asked by {schema}")
    assert "LEXSCOPE_OPENAI_API=chat" in checks["provider schema"].detail
    assert "HTTP 404" in checks["provider, the Responses API with a strict JSON schema"].detail
    assert "does not say how much" in checks["provider limits"].detail


def test_a_schema_that_is_taken_and_not_kept_is_told() -> None:
    def answer(request: dict[str, Any]) -> dict[str, Any] | str:
        return said({**request, "text": {}, "response_format": {}})

    with FakeOpenAI(answer) as server:
        checks = found(server)
    assert "did not keep to the schema" in checks["provider, the Responses API with a strict JSON schema"].detail
    assert "did not keep to the schema" in checks["provider, chat completions with a strict JSON schema"].detail
    assert checks["provider schema"].status == "warn"


@pytest.mark.parametrize("entry", [{"context_length": 4096}, {"meta": {"n_ctx": 4096, "n_ctx_train": 262144}}])
def test_a_model_that_reads_too_little_is_told_with_what_to_set(entry: dict[str, Any]) -> None:
    with FakeOpenAI(said) as server:
        server.pages["/v1/models"] = {"data": [{"id": "mini", **entry}]}
        check = found(server)["provider limits"]
    assert check.status == "warn"
    assert "4,096 tokens, and a question takes up to 16,000" in check.detail
    assert "LEXSCOPE_CONTEXT_TOKENS=500" in check.detail


def test_the_loaded_context_of_a_local_server_counts() -> None:
    with FakeOpenAI(said) as server:
        server.pages["/api/ps"] = {"models": [{"name": "mini:latest", "model": "mini:latest", "context_length": 8192}]}
        server.pages["/v1/models"] = {"data": [{"id": "mini", "context_length": 262144}]}
        model = OpenAIModel(None, "mini", server.base_url, api="chat", provider="ollama")
        result = probe(model, seconds=20, limits_path="/api/ps")
    assert result.context_tokens == 8192


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ([api_error(401)], "key was not accepted (HTTP 401); check OPENAI_API_KEY"),
        ([api_error(404)] * 2, "check LEXSCOPE_OPENAI_MODEL, LEXSCOPE_OPENAI_BASE_URL and LEXSCOPE_OPENAI_API"),
        ([Fault(body=b"<html>")] * 3, "unusable"),
        ([Fault(status=500)] * 2, "unavailable (HTTP 500)"),
        ([refusal()], "declined a test question (refusal)"),
        ([api_error(429, "insufficient_quota")], "quota is used up"),
        ([Fault(body=b"z" * 65_536, endless=True)], "exceeds the size limit"),
        ([api_error(404), *[ended("stop", content="no")] * 3], "unusable"),
        ([api_error(404), *[ended("stop", content='{"word": "yes"}')] * 3], "unusable: not of the schema"),
    ],
)
def test_a_failure_says_what_to_do(faults: list[Fault], words: str) -> None:
    with FakeOpenAI(said) as server:
        server.script(*faults)
        checks = list(ask_models(settings(server)))
    assert checks[0].status == "fail"
    assert words in checks[0].detail


def test_the_verb_shows_it_and_its_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeOpenAI(said) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert run(app, ["doctor", "--provider"]) == 0
        assert "replied in" in capsys.readouterr().out
        server.script(api_error(401))
        assert run(app, ["doctor", "--provider", "--json"]) == 1
        shown = capsys.readouterr()
    assert json.loads(shown.out)["checks"][0]["status"] == "fail"
    assert "canary" not in shown.out + shown.err
    assert run(app, ["doctor", "--provider"]) == 1  # nothing listens there any more
    assert "check LEXSCOPE_OPENAI_BASE_URL" in " ".join(capsys.readouterr().out.split())


def test_a_judge_of_its_own_is_asked_too_and_no_model_is_a_warning() -> None:
    with FakeOpenAI(said) as server:
        checks = found(server, judge_model="judge-1")
        assert [request.json.get("model") for request in server.requests if request.json] == ["mini", "judge-1"]
    assert checks["judge"].detail.startswith("openai, model judge-1")
    only = list(ask_models(load_settings()))
    assert [ask_model.status for ask_model in only] == ["warn"]
    assert "LEXSCOPE_PROVIDER" in only[0].detail


def test_a_model_that_is_not_there_is_answered_with_those_that_are() -> None:
    with FakeOpenAI(said, offers=()) as server:
        server.pages["/v1/models"] = {
            "data": [{"id": "qwen3:8b"}, {"id": "llama3.2"}, {"id": "\u202e x"}, {"id": None}]
        }
        checks = found(server)
        assert checks["provider"].status == "fail"
        assert checks["provider models"].detail == "the server has qwen3:8b, llama3.2"
        assert "qwen3:8b" in models_of(OpenAIModel("k", "m", server.base_url), seconds=5)


def test_the_plain_doctor_names_local_servers_and_the_judge() -> None:
    def checks(**given: object) -> dict[str, Check]:
        return {
            check.name: check
            for check in examine(load_settings(database_url="postgresql://x@127.0.0.1:1/x", **given)).checks
        }

    local = checks(provider="vllm", openai_model="qwen3", openai_api_key="sk-canary")
    assert local["provider"].detail == "vLLM at http://127.0.0.1:8000/v1, model qwen3: no key is sent"
    assert "that drafts" in local["judge"].detail
    assert checks(provider="vllm")["provider"].status == "fail"
    assert checks()["judge"].detail.startswith("none")
    assert checks(judge="local")["judge"].status == "fail"
