"""`read-law` as a user runs it, with a local server in the provider's place, over the sample law."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cli_calls import Lexscope, address, caller
from conftest import SAMPLE
from fakes.openai_server import FakeOpenAI, api_error

from rag.ingest.read_laws import LawReadingReport
from rag.settings import Settings


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """A provider that drafts; it lists nothing of what it reads."""
    with FakeOpenAI(lambda request: {"limits": [], "definitions": [], "other_laws": []}) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("LEXSCOPE_PROVIDER", "openai")
        monkeypatch.setenv("LEXSCOPE_OPENAI_MODEL", "test-model")
        monkeypatch.setenv("LEXSCOPE_OPENAI_API", "responses")
        monkeypatch.setenv("LEXSCOPE_EMBEDDING", "none")
        yield server


@pytest.fixture
def lexscope(empty_settings: Settings, capsys: pytest.CaptureFixture[str], provider: FakeOpenAI) -> Lexscope:
    call = caller(capsys, "--database-url", address(empty_settings))
    assert call("ingest", str(SAMPLE)).status == 0
    return call


def test_the_cost_is_told_first_a_failure_keeps_what_was_read_and_the_next_run_goes_on(
    lexscope: Lexscope, provider: FakeOpenAI
) -> None:
    plan = LawReadingReport.model_validate_json(lexscope("read-law", "--dry-run", "--json").out)
    assert plan.windows > 2
    assert plan.tokens > 1_000
    assert provider.calls == 0
    one = lexscope("read-law", "--limit", "1")
    assert one.status == 0
    assert f"about {plan.tokens:,} tokens" not in one.err
    assert "1 window of 1 document to read" in one.err
    first = provider.calls
    provider.script(api_error(400, "bad"))
    ran = lexscope("read-law")
    assert ran.status == 1
    assert "the same command goes on from there" in ran.err
    failed = provider.calls
    report = LawReadingReport.model_validate_json(lexscope("read-law", "--json").out)
    assert report.read == plan.windows - first == provider.calls - failed
    assert lexscope("read-law", "--json").status == 0
    assert provider.calls == failed + report.read
    assert f"{plan.windows} windows by test-model" in lexscope("doctor").out


def test_without_a_model_and_of_law_that_is_not_there_it_says_so(
    lexscope: Lexscope, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lexscope("read-law", "--jurisdiction", "xx", "--dry-run").status == 2
    assert lexscope("read-law", "--document", "urn:lex:us:nothing", "--dry-run").status == 2
    monkeypatch.setenv("LEXSCOPE_PROVIDER", "extractive")
    ran = lexscope("read-law")
    assert (ran.status, "LEXSCOPE_PROVIDER" in ran.err) == (2, True)
