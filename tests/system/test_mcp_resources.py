"""The MCP server's resources and its prompt, through the real client."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from conftest import Stores
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent, TextResourceContents
from mcp_calls import CANARY, DEPOSIT, call
from requirements import requirement

from rag import Engine
from rag.mcp.server import build_server
from retrieval.errors import StoreUnavailable
from retrieval.model import ScopedContext

RULE = "urn:lex:ma:940cmr:3.17:4"


@pytest.fixture(scope="module")
def engine(stores: Stores, sample_template: str) -> Iterator[Engine]:
    with Engine.open(stores.clone(sample_template)) as opened:
        yield opened


async def read(engine: Engine, uri: str) -> dict[str, object]:
    async with Client(build_server(engine)) as client:
        contents = (await client.read_resource(uri)).contents
    assert len(contents) == 1
    assert isinstance(contents[0], TextResourceContents)
    assert contents[0].mime_type == "application/json"
    return json.loads(contents[0].text)


async def prompted(engine: Engine, **arguments: str) -> str:
    async with Client(build_server(engine)) as client:
        messages = (await client.get_prompt("scenario", arguments)).messages
    assert [message.role for message in messages] == ["user"]
    assert isinstance(messages[0].content, TextContent)
    return messages[0].content.text


@pytest.mark.anyio
async def test_templates_and_prompt_are_listed(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        templates = (await client.list_resource_templates()).resource_templates
        prompts = (await client.list_prompts()).prompts
    assert [template.uri_template for template in templates] == ["legal://{urn}", "legal://{urn}/context"]
    assert all(template.title and template.title.isascii() for template in templates)
    assert [prompt.name for prompt in prompts] == ["scenario"]
    given = {argument.name: argument.required for argument in prompts[0].arguments or []}
    optional = ("jurisdiction", "language", "at_date", "rules")
    assert given == {"scenario": True, **dict.fromkeys(optional, False)}


@pytest.mark.anyio
async def test_a_provision_and_its_context_are_what_the_tools_give(engine: Engine) -> None:
    assert await read(engine, f"legal://{RULE}") == await call(engine, "get_document", reference=RULE)
    context, tool = await read(engine, f"legal://{RULE}/context"), await call(engine, "get_context", reference=RULE)
    assert {**context, "trace_id": None} == {**tool, "trace_id": None}
    assert (await read(engine, "legal://urn:lex:ma:940cmr:3.12/context"))["status"] == "halted"
    assert (await read(engine, "legal://urn:lex:ma:940cmr:3.08"))["status"] == "not_in_force"


@pytest.mark.anyio
@requirement("P8")
@pytest.mark.parametrize(
    ("uri", "code", "said"),
    [
        ("legal://urn:lex:ma:940cmr:3.17:99", -32602, "not_found: "),
        ("legal://urn:lex:ma:940cmr:3.17:99/context", -32602, "not_found: "),
        ("legal://urn:lex:ma:../../etc/passwd", -32602, "bad_input: resources/read: A resource is legal://{urn}"),
        ("legal://Quackenbush", -32602, "bad_input: resources/read: A resource is legal://{urn}"),
        ("legal://Quackenbush/context", -32602, "bad_input: resources/read: A resource is legal://{urn}"),
        ("legal://urn:lex:ma:%00", -32602, "bad_input: resources/read: "),
        ("file:///etc/Quackenbush", -32602, "bad_input: resources/read: A resource is legal://{urn}"),
    ],
)
async def test_a_resource_that_is_not_there_is_a_readable_error(
    engine: Engine, caplog: pytest.LogCaptureFixture, uri: str, code: int, said: str
) -> None:
    async with Client(build_server(engine)) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    assert caught.value.error.code == code
    assert caught.value.error.message.startswith(said)
    assert "Quackenbush" not in f"{caught.value.error} {caplog.text}"


@pytest.mark.anyio
async def test_the_prompt_is_the_engines_with_scenario_context_and_schema(engine: Engine) -> None:
    text = await prompted(engine, scenario=f"{CANARY}: {DEPOSIT}", jurisdiction="us-ma", rules="1")
    assert CANARY in text
    assert "Answer strictly based on the provided context. Do not use outside knowledge." in text
    assert "urn:lex:ma:940cmr:3.17:4" in text
    assert "verify_citations" in text
    schema = text[text.index("of this schema:") :].splitlines()[2]
    assert "urn:lex:ma:940cmr:3.17" in json.dumps(json.loads(schema))
    left_empty = {"language": "", "at_date": " "}
    again = await prompted(engine, scenario=f"{CANARY}: {DEPOSIT}", jurisdiction="us-ma", rules="1", **left_empty)
    assert again == text
    past = await prompted(engine, scenario="urn:lex:ma:940cmr:3.18", at_date="2021-03-01", language="en")
    assert "Date of the law: 2021-03-01" in past


@pytest.mark.anyio
@requirement("P4", "P6")
@pytest.mark.parametrize(
    ("scenario", "status", "message"),
    [
        ("urn:lex:ma:940cmr:3.12", "halted", "Legal Override active."),
        ("urn:lex:ma:940cmr:3.99", "not_found", ""),
        ("urn:lex:ma:940cmr:3.08", "not_in_force", ""),
        ("qwertzuiop", "insufficient", ""),
    ],
)
async def test_without_law_to_answer_from_the_prompt_says_so_and_nothing_else(
    engine: Engine, scenario: str, status: str, message: str
) -> None:
    text = await prompted(engine, scenario=scenario, jurisdiction="us-ma")
    assert text.startswith(f"There is no law to answer this scenario from (status {status}): {message}")
    assert "Do not answer from memory" in text
    assert "940 CMR" not in text.replace("940cmr", "")


@pytest.mark.anyio
@requirement("P8")
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("Quackenbush", {}, "There is no prompt of this name"),
        ("scenario", {}, "Argument `scenario`: it is missing."),
        ("scenario", {"scenario": "x", "Quackenbush": "y"}, "An argument is not one of this prompt's: scenario, "),
        ("scenario", {"scenario": "Quackenbush"}, "Name the jurisdiction"),
        ("scenario", {"scenario": "Quackenbush", "jurisdiction": "us-ma", "rules": "eleven"}, "`rules` is a number"),
        ("scenario", {"scenario": "Quackenbush", "jurisdiction": "us-ma", "rules": "11"}, "`rules` is a number"),
        ("scenario", {"scenario": "Quackenbush", "jurisdiction": "us-ma", "at_date": "now"}, "YYYY-MM-DD"),
        ("scenario", {"scenario": " ", "jurisdiction": "us-ma"}, "empty"),
    ],
)
async def test_a_prompt_that_cannot_be_filled_in_is_a_readable_error(
    engine: Engine, caplog: pytest.LogCaptureFixture, name: str, arguments: dict[str, str], said: str
) -> None:
    async with Client(build_server(engine)) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)
    assert caught.value.error.code == -32602
    assert caught.value.error.message.startswith("bad_input: prompts/get: ")
    assert said in caught.value.error.message
    assert "Quackenbush" not in f"{caught.value.error} {caplog.text}"


class Away(Engine):
    """An engine that fails whatever is asked."""

    def __init__(self, engine: Engine, failure: Exception) -> None:
        super().__init__(engine.database, engine.settings)
        self.failure = failure

    def context(self, reference: str, **_: object) -> ScopedContext:
        raise self.failure


@pytest.mark.anyio
@requirement("P7")
@pytest.mark.parametrize(
    ("failure", "said"),
    [(StoreUnavailable("The database cannot be reached."), "store_unavailable: "), (KeyError(CANARY), "internal: ")],
)
async def test_a_failure_in_a_resource_or_prompt_says_nothing_about_the_law_nor_what_was_asked(
    engine: Engine, caplog: pytest.LogCaptureFixture, failure: Exception, said: str
) -> None:
    async with Client(build_server(Away(engine, failure))) as client:
        for asked in (
            client.read_resource(f"legal://{RULE}/context"),
            client.get_prompt("scenario", {"scenario": CANARY, "jurisdiction": "us-ma"}),
        ):
            with pytest.raises(MCPError) as caught:
                await asked
            assert caught.value.error.code == -32603
            assert caught.value.error.message.startswith(said)
            assert "says nothing about the law" in caught.value.error.message
            assert CANARY not in f"{caught.value.error} {caplog.text}"
