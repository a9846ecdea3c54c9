"""What a language model read in a law is marked as its reading on each face, and how the law was read is said there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Lexscope, address, caller
from fakes.openai_server import FakeOpenAI
from kite_law import KEEPS, MEANING, READING, SPARED, TEXTS, written
from mcp import Client
from mcp_calls import text_of
from test_mcp_http import GOOD, served

from rag import Engine, Settings
from rag.mcp.server import build_server
from rag.models.law_reading import ModelLawReader
from rag.models.openai import OpenAIModel
from retrieval.model import BY_RULES, BY_RULES_BRIEF, ScopedContext

MODEL = "test-model"
READ = f"by a language model ({MODEL}) that read this law"
# A second meaning of the same scope, by code's own reading.
CONFLICT = {**TEXTS, 5: "In this Act “flyer” means a person with a kite."}


@pytest.fixture
def read(empty_settings: Settings, tmp_path: Path) -> Iterator[Engine]:
    """An engine over the law, which a model has read."""
    with Engine.open(empty_settings) as engine, FakeOpenAI(lambda request: READING) as provider:
        engine.ingest([written(tmp_path, CONFLICT)])
        engine.read_law(reader=ModelLawReader(OpenAIModel("key", MODEL, provider.base_url, api="chat")))
        yield engine


def check_marks(context: ScopedContext) -> None:
    """In a context as it is in Python and as JSON: who read each block, and that none of it is certain."""
    roles = {block.urn: (block.role, MODEL in block.reason, "not certain" in block.reason) for block in context.blocks}
    assert roles[SPARED] == ("possible_exception", True, True)
    assert roles[MEANING] == ("definition", True, True)
    [meaning] = [entry for entry in context.definitions if (entry.term, entry.urn) == ("flyer", MEANING)]
    assert (meaning.read_by, meaning.inferred, meaning.doubt) == (MODEL, True, f"as {MODEL} read it, not certain")
    told = {warning.kind: warning.message for warning in context.warnings}
    assert all(MODEL in told[kind] for kind in ("possible_exceptions", "likely_definitions"))
    assert "“flyer” has 2 meanings" in told["conflicting_definitions"]
    assert READ in context.how_read


def test_a_context_in_python_and_its_json_mark_what_a_model_read(
    read: Engine, empty_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    context = read.context(KEEPS)
    check_marks(context)
    lexscope: Lexscope = caller(capsys, "--database-url", address(empty_settings))
    ran = lexscope("context", KEEPS, "--json")
    assert ran.status == 0
    shown = ScopedContext.model_validate_json(ran.out)
    check_marks(shown)
    assert shown.digest == context.digest


def test_a_terminal_marks_what_a_model_read(
    read: Engine, empty_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    lexscope: Lexscope = caller(capsys, "--database-url", address(empty_settings))
    ran = lexscope("context", KEEPS)
    assert ran.status == 0
    words = " ".join(ran.out.split())
    assert f"{SPARED} may limit" in words
    assert f"a language model ({MODEL}) read it so, which is not certain." in words
    assert f"limits the rule, as {MODEL} read it, which is not certain" in words
    assert f"as {MODEL} read it, not certain" in words
    assert "“flyer” has 2 meanings" in words
    assert READ in words


@pytest.mark.anyio
async def test_a_tool_marks_what_a_model_read_in_its_text_and_its_structure(read: Engine) -> None:
    async with Client(build_server(read)) as client:
        result = await client.call_tool("get_context", {"reference": KEEPS})
    words = text_of(result)
    assert f"{SPARED} may limit" in words
    assert f"a language model ({MODEL}) read it so, which is not certain." in words
    assert f"“flyer” (as {MODEL} read it, not certain)" in words
    assert "“flyer” has 2 meanings" in words
    assert READ in words
    structure = result.structured_content
    assert structure is not None
    known = {name: value for name, value in structure.items() if name in ScopedContext.model_fields}
    check_marks(ScopedContext.model_validate_json(json.dumps(known)))


@pytest.mark.parametrize("form", ["html", "md"])
def test_a_dump_marks_what_a_model_read(
    read: Engine, empty_settings: Settings, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    context = read.context(KEEPS)
    assert context.trace_id is not None
    lexscope: Lexscope = caller(capsys, "--database-url", address(empty_settings))
    ran = lexscope("dump", context.trace_id, "--format", form)
    assert ran.status == 0
    words = " ".join(ran.out.replace("\\", "").split())
    assert f"a language model ({MODEL}) read it so, which is not certain." in words
    assert f"limits the rule, as {MODEL} read it, which is not certain" in words
    assert READ in words


def test_law_that_no_model_read_is_told_to_be_read_by_rules_alone(
    engine: Engine, sample_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = "urn:lex:ma:940cmr:3.17:4"
    assert engine.context(rule).how_read == BY_RULES
    lexscope: Lexscope = caller(capsys, "--database-url", address(sample_settings))
    assert BY_RULES in " ".join(lexscope("context", rule).out.split())
    question = "My landlord did not pay interest on my security deposit."
    assert BY_RULES_BRIEF in " ".join(lexscope("ask", question, "--jurisdiction", "us-ma").out.split())
    assert engine.ask(question, jurisdiction="us-ma").how_read == BY_RULES


@pytest.mark.anyio
async def test_metrics_tell_the_windows_that_were_read_and_what_was_kept_of_them(read: Engine) -> None:
    async with served(read) as client:
        reply = await client.get("/metrics", headers=GOOD)
    samples = dict(line.rsplit(" ", 1) for line in reply.text.splitlines() if line.startswith("lexscope_law_reading"))
    age = samples.pop("lexscope_law_reading_age_seconds")
    assert float(age) >= 0
    assert samples == {
        "lexscope_law_readings": "1", 'lexscope_law_reading_items{outcome="kept"}': "4",
        'lexscope_law_reading_items{outcome="refused"}': "5",
    }  # fmt: skip
