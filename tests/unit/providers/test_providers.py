"""What goes wrong between us and a provider: statuses, broken and slow replies, networks, keys and logs."""

from __future__ import annotations

import email.utils
import logging
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import openai.resources.responses
import pytest
from fakes.openai_server import FakeOpenAI, Fault, api_error, incomplete

from rag.models.drafting import DraftRequest
from rag.models.openai import OpenAIModel
from rag.verification.draft import Draft
from retrieval.errors import ConfigurationError, ProviderError, ProviderRejected, ProviderTimeout
from retrieval.providers.openai import retry_after

# Imported above so that no short deadline pays for the SDK's import.
assert openai.resources.responses

KEY = "sk-canary-key-4711"
SCENARIO = "Aloysius Quillfeather asks about his wombat"
URNS = ("urn:lex:us:16cfr:310.4:b:1",)


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


def model(server: FakeOpenAI) -> OpenAIModel:
    return OpenAIModel(KEY, "test-model", server.base_url, backoff_seconds=0.001)


def request(seconds: float = 20.0) -> DraftRequest:
    return DraftRequest("Answer strictly.", SCENARIO, URNS, deadline_seconds=seconds)


def assert_silent(error: ProviderError) -> None:
    """Neither the failure nor what hangs on it holds the key, the scenario or the reply."""
    assert error.__cause__ is None
    assert error.__context__ is None
    shown = f"{error!r} {error} {vars(error)}"
    for secret in (KEY, "Aloysius", "wombat", "canary"):
        assert secret not in shown


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (incomplete("max_output_tokens"), "the reply is unusable: truncated"),
        (incomplete("steered"), "the reply is unusable: incomplete"),
        (Fault(edit=lambda reply: {**reply, "output": []}), "the reply is unusable: empty"),
        (Fault(edit=lambda reply: {**reply, "output": "Aloysius"}), "the reply is unusable: empty"),
        (Fault(edit=lambda reply: {**reply, "status": "in_progress"}), "the reply is unusable: without a final status"),
        (Fault(edit=lambda reply: {**reply, "status": ["completed"]}), "the reply is unusable: without a final status"),
        (Fault(body=b""), "the reply is unusable: not valid JSON"),
        (Fault(body=b"<html>Aloysius</html>"), "the reply is unusable: not valid JSON"),
        (Fault(body=b"\xef\xbb\xbf{}"), "the reply is unusable: not valid JSON"),
        (Fault(body=b'{"status": "\xff"}'), "the reply is unusable: not valid UTF-8"),
        (Fault(body=b'{"a": NaN}'), "the reply is unusable: not valid JSON"),
        (Fault(body=b'{"status": "failed", "status": "completed"}'), "the reply is unusable: duplicate keys"),
        (Fault(body=b"[" * 100_000), "the reply is unusable: nested too deeply"),
        (Fault(body=b"[]"), "the reply is unusable: not a JSON object"),
        (Fault(headers={"Content-Encoding": "gzip"}), "the reply is compressed, which was not asked for"),
        (Fault(body=b" " * 1_000_000, endless=True), "the reply exceeds the size limit"),
        (Fault(body={"error": {"message": SCENARIO, "code": "odd"}}), "the provider reports a failure of its own"),
        (api_error(400, None, SCENARIO), "the request was refused as invalid (HTTP 400)"),
        (api_error(401, "invalid_api_key", f"Incorrect key {KEY}"), "the key was not accepted (HTTP 401)"),
        (api_error(403), "the key was not accepted (HTTP 403)"),
        (api_error(404, "model_not_found"), "the model or address does not exist (HTTP 404)"),
        (api_error(429, "insufficient_quota"), "the quota is used up"),
        (Fault(status=307, headers={"Location": "http://127.0.0.1:9/"}, body=b""), "unexpected status (HTTP 307)"),
        (Fault(status=400, body=b"[" * 100_000), "the request was refused as invalid (HTTP 400)"),
    ],
)
def test_what_asking_again_cannot_help_is_rejected_at_once(server: FakeOpenAI, fault: Fault, cause: str) -> None:
    server.script(fault)
    with pytest.raises(ProviderRejected) as caught:
        model(server).draft(request())
    assert caught.value.cause == cause
    assert_silent(caught.value)
    assert server.calls == 1


@pytest.mark.parametrize(
    "fault",
    [
        api_error(429, Retry_After="0"),
        api_error(429, "rate_limit_exceeded"),
        api_error(429, **{"retry-after-ms": "1"}),
        api_error(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
        api_error(429, Retry_After="soon"),
        api_error(408),
        api_error(409),
        api_error(500),
        api_error(503),
        api_error(529),
        Fault(status=502, headers={"Content-Type": "text/html; charset=hex"}, body=b"<html>bad gateway</html>"),
        Fault(cut_at=25),
        Fault(body={"status": "failed", "error": {"code": "server_error", "message": SCENARIO}}),
    ],
)
def test_a_passing_failure_is_tried_once_more(server: FakeOpenAI, fault: Fault) -> None:
    server.script(fault)
    assert isinstance(model(server).draft(request()), Draft)
    assert server.calls == 2


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (api_error(429, None, SCENARIO, Retry_After="0"), "too many requests (HTTP 429)"),
        (api_error(503, None, SCENARIO), "unavailable (HTTP 503)"),
        (Fault(cut_at=25), "the connection broke off"),
        (
            Fault(body={"status": "failed", "error": {"code": "server_error", "message": SCENARIO}}),
            "the provider reports a failure of its own",
        ),
    ],
)
def test_a_failure_that_stays_is_reported_after_two_calls(server: FakeOpenAI, fault: Fault, cause: str) -> None:
    server.script(fault, fault, fault)
    with pytest.raises(ProviderError) as caught:
        model(server).draft(request())
    assert type(caught.value) is ProviderError
    assert caught.value.cause == cause
    assert caught.value.retryable
    assert_silent(caught.value)
    assert server.calls == 2


@pytest.mark.parametrize("wait", ["21", "3600", "99999999999999999999", "in-an-hour"])
def test_a_wait_beyond_the_cap_is_not_waited_for(server: FakeOpenAI, wait: str) -> None:
    an_hour = email.utils.format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    server.script(api_error(429, Retry_After=an_hour if wait == "in-an-hour" else wait))
    with pytest.raises(ProviderError, match="too many requests"):
        model(server).draft(request(seconds=600.0))
    assert server.calls == 1


def test_a_wait_beyond_the_deadline_is_not_waited_for(server: FakeOpenAI) -> None:
    server.script(api_error(503, Retry_After="5"))
    with pytest.raises(ProviderError, match="unavailable"):
        model(server).draft(request(seconds=4.0))
    assert server.calls == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault(delay=60),
        Fault(drip=0.02),
        Fault(drip=0.02, drip_headers=True),
        Fault(status=500, drip=0.02, drip_headers=True),
        Fault(drip=0.02, body=b" ", endless=True),
    ],
    ids=["silence", "slow-body", "slow-headers", "slow-error", "never-ends"],
)
def test_the_deadline_ends_a_reply_that_is_not_complete(server: FakeOpenAI, fault: Fault) -> None:
    server.script(fault)
    with pytest.raises(ProviderTimeout) as caught:
        model(server).draft(request(seconds=0.4))
    assert_silent(caught.value)
    assert server.calls == 1


def test_the_retry_is_within_the_same_deadline(server: FakeOpenAI) -> None:
    server.script(api_error(500), Fault(delay=60))
    with pytest.raises(ProviderTimeout):
        model(server).draft(request(seconds=0.6))
    assert server.calls == 2


def test_a_peer_that_accepts_and_reads_nothing_ends_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        base_url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        big = DraftRequest("Answer strictly.", SCENARIO * 400_000, URNS, deadline_seconds=0.4)
        with pytest.raises(ProviderTimeout):
            OpenAIModel(KEY, "test-model", base_url).draft(big)


def test_a_refused_connection_is_an_unreachable_provider() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    refused = OpenAIModel(KEY, "test-model", f"http://127.0.0.1:{port}/v1", backoff_seconds=0.001)
    with pytest.raises(ProviderError) as caught:
        refused.draft(request())
    assert caught.value.cause == "no connection could be made"
    assert_silent(caught.value)


def test_an_unknown_host_is_named_as_such() -> None:
    # Labels over 63 characters fail in the resolver without a network.
    unknown = OpenAIModel(KEY, "test-model", f"http://{'x' * 64}.invalid/v1", backoff_seconds=0.001)
    with pytest.raises(ProviderError) as caught:
        unknown.draft(request())
    assert caught.value.cause == "its host name could not be resolved"


def test_a_server_without_tls_is_not_talked_to_in_plain(server: FakeOpenAI) -> None:
    secure = OpenAIModel(KEY, "test-model", server.base_url.replace("http:", "https:"))
    with pytest.raises(ProviderError) as caught:
        secure.draft(request())
    assert caught.value.cause == "no trusted TLS connection could be made"
    assert server.calls == 0


def test_a_proxy_of_the_system_is_used_and_its_address_kept_out_of_messages(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", server.base_url.removesuffix("/v1").replace("//", "//user:canary@"))
    behind = OpenAIModel(KEY, "test-model", "http://provider.invalid/v1")
    assert isinstance(behind.draft(request()), Draft)
    assert server.requests[0].path == "http://provider.invalid/v1/responses"
    assert server.requests[0].headers["proxy-authorization"].startswith("Basic ")
    monkeypatch.setenv("http_proxy", "socks5://canary:1080")
    with pytest.raises(ConfigurationError) as caught:
        behind.draft(request())
    assert "canary" not in str(caught.value)


def test_a_loopback_address_is_not_proxied(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert isinstance(model(server).draft(request()), Draft)


def test_no_log_record_holds_key_or_scenario_at_the_most_talkative_level(
    server: FakeOpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.script(api_error(500, None, SCENARIO))
    model(server).draft(request())
    assert caplog.records
    for secret in (KEY, "Aloysius", "wombat", "abusive act"):
        assert secret not in caplog.text


def test_a_request_id_is_kept_only_in_the_form_of_one(server: FakeOpenAI) -> None:
    server.script(Fault(status=400, headers={"x-request-id": "Aloysius asked"}), Fault(status=400))
    for expected in (None, "req_fake_1"):
        with pytest.raises(ProviderRejected) as caught:
            model(server).draft(request())
        assert caught.value.request_id == expected


@pytest.mark.parametrize("key", ["", "sk-secret\n", "sk secret", "sk-sécret"])
def test_a_key_that_cannot_be_one_is_refused_without_quoting_it(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        OpenAIModel(key, "test-model")
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["api.openai.com/v1", "ftp://host/v1", "http://", "http://[::1/v1", "http://h:99999/v1", "https://u:p@h/v1"],
)
def test_an_address_that_cannot_be_one_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        OpenAIModel(KEY, "test-model", url)


def test_a_model_does_not_show_its_key() -> None:
    shown = OpenAIModel(KEY, "test-model")
    assert KEY not in repr(shown)
    assert KEY not in repr(vars(shown))


@pytest.mark.parametrize(
    ("header", "milliseconds", "seconds"),
    [
        ("7", None, 7.0),
        (" 1.5 ", None, 1.5),
        ("7", "250", 0.25),
        ("7", "soon", 7.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None, 0.0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", None, 0.0),
        ("nan", None, None),
        ("inf", None, None),
        ("-5", None, None),
        ("1_0", None, None),
        ("", None, None),
        (None, None, None),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None, None),
    ],
)
def test_retry_after_is_read_in_the_forms_it_has(
    header: str | None, milliseconds: str | None, seconds: float | None
) -> None:
    assert retry_after(header, milliseconds) == seconds
