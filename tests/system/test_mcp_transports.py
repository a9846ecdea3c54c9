"""Every tool with every parameter, and its errors, through the official client in memory, over stdio and over HTTP."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from conftest import thorough
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_calls import MA, text_of
from mcp_tables import CALLS, ERRORS
from requirements import requirement

from rag import Engine, Settings
from rag.mcp.http import checked_access, http_app
from rag.mcp.server import build_server, listed_tools
from rag.presentation.for_models import text_for_model

PROJECT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-of-the-tests"
WIRES = ["memory", "stdio", "http"]
# What differs from one call to the next: a record's number.
PASSING = ("trace_id",)


@asynccontextmanager
async def client_over(wire: str, engine: Engine, settings: Settings, mode: str = "auto") -> AsyncIterator[Client]:
    """The official client of a server, over one of the transports."""
    if wire == "memory":
        async with Client(build_server(engine), mode=mode) as client:
            yield client
    elif wire == "stdio":
        assert settings.database_url is not None
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "rag.cli", "mcp"], cwd=PROJECT,
            env={"LEXSCOPE_DATABASE_URL": settings.database_url.get_secret_value(), "LEXSCOPE_EMBEDDING": "none"},
        )  # fmt: skip
        async with Client(server, mode=mode) as client:
            yield client
    else:
        app = http_app(engine, checked_access("127.0.0.1", TOKEN, given=True, hosts=(), origins=()))
        async with (
            app.app.router.lifespan_context(app.app),  # type: ignore[attr-defined]
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app), headers={"authorization": f"Bearer {TOKEN}"}
            ) as http,
            Client(streamable_http_client("http://127.0.0.1:8765/mcp", http_client=http), mode=mode) as client,
        ):
            yield client


def within(expected: object, found: object) -> bool:
    """Whether all that is expected is there; dicts may have more keys, lists more items."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and within(one, found[key]) for key, one in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(found, list) and all(any(within(unknown, each) for each in found) for unknown in expected)
    return expected == found


@pytest.fixture(scope="module")
def own(served: Engine) -> list[tuple[dict[str, Any], str]]:
    """What the tool's own function gives in this process, for each of CALLS: the result, and as a model reads it."""
    functions = {listed.name: listed.fn for listed in listed_tools(served)}
    found: list[tuple[dict[str, Any], str]] = []
    for tool, arguments, _ in CALLS:
        record = functions[tool](**arguments)
        found.append((record.model_dump(mode="json"), text_for_model(record, whole=getattr(record, "whole", False))))
    return found


def _without_trace(text: str) -> str:
    """A reply without the trace of its call, which no other call has."""
    return re.sub(r"follow_up=[0-9a-f]{16}\b", "follow_up=", text)


@pytest.mark.anyio
@pytest.mark.parametrize("mode", thorough("auto", "legacy"))
@pytest.mark.parametrize("wire", WIRES)
async def test_every_call_gives_the_same_valid_result_over_each_wire(
    served: Engine, served_settings: Settings, own: list[tuple[dict[str, Any], str]], wire: str, mode: str
) -> None:
    async with client_over(wire, served, served_settings, mode) as client:
        schemas = {listed.name: listed.output_schema for listed in (await client.list_tools()).tools}
        for (tool, arguments, expected), (own_result, own_text) in zip(CALLS, own, strict=True):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, (tool, text_of(result))
            found = result.structured_content
            assert found is not None
            assert within(expected, found), (tool, arguments, found)
            assert set(found) <= set((schemas[tool] or {})["properties"])
            if tool != "quality_check":  # it counts
                assert _without_trace(text_of(result)) == _without_trace(own_text)
                passing = dict.fromkeys(PASSING)
                assert {**found, **passing} == {**own_result, **passing}, tool


@pytest.mark.anyio
@pytest.mark.parametrize("wire", WIRES)
@requirement("P8")
async def test_every_error_says_code_tool_and_remedy_over_each_wire(
    served: Engine, served_settings: Settings, wire: str
) -> None:
    async with client_over(wire, served, served_settings) as client:
        for tool, arguments, said in ERRORS:
            result = await client.call_tool(tool, arguments)
            assert result.is_error, (tool, arguments)
            text = text_of(result)
            absent = "no law of jurisdiction" in said
            assert text.startswith(f"{'not_in_store' if absent else 'bad_input'}: {tool}: "), text
            assert said in text, (tool, arguments, text)
            assert absent or text.endswith("Correct the arguments and call again.")


@pytest.mark.anyio
async def test_the_tables_hold_every_tool_and_every_parameter(served: Engine) -> None:
    async with Client(build_server(served)) as client:
        tools = {listed.name: set(listed.input_schema["properties"]) for listed in (await client.list_tools()).tools}
    for name, parameters in tools.items():
        used = {key for tool, arguments, _ in CALLS if tool == name for key in arguments}
        assert parameters - used == set(), name
        assert any(tool == name for tool, _, _ in ERRORS), name
    assert {tool for tool, _, _ in CALLS} == set(tools)


@pytest.mark.anyio
@pytest.mark.parametrize("wire", WIRES)
async def test_progress_grows_and_names_the_stages_over_each_wire(
    served: Engine, served_settings: Settings, wire: str
) -> None:
    told: list[tuple[float, str | None]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        told.append((done, message))

    async with client_over(wire, served, served_settings) as client:
        await client.call_tool(
            "ask", {"question": "Who pays interest on a deposit?", "jurisdiction": "us-ma"}, progress_callback=note
        )
        silent = len(told)
        await client.call_tool("search", {"language": "en", "query": "deposit", "tags": MA})
    assert len(told) == silent
    assert [done for done, _ in told] == list(range(len(told)))
    said = [message for _, message in told if message and "working for" not in message]
    assert said == ["ask: started", "ask: entry points done", "ask: context done", "ask: synthesis done"]
