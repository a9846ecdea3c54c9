"""What a chat model reads: a conversation of ten turns over the real client, and how long its texts may be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client
from mcp_calls import text_of
from mcp_tables import DEPOSIT, MA, RULE

from rag import Engine
from rag.mcp.server import build_server
from rag.presentation.answers import OF_CONTEXTS
from rag.presentation.for_models import CONTEXT_BYTES, text_for_model

pytestmark = pytest.mark.anyio

# A chat as a model leads it: no parameter that has a default, the same citation given to several tools.
TURNS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("safety_guidelines", {}, ["#"]),
    ("safety_guidelines", {"jurisdiction": "us-ma"}, ["What this store holds (us-ma)"]),
    ("list_documents", {}, ["urn:lex:ma:940cmr"]),
    (
        "search",
        {"query": DEPOSIT, "jurisdiction": "us-ma"},
        ["1. 940 CMR 3.17  Landlord and tenant  urn:lex:ma:940cmr:3.17"],
    ),
    ("browse_structure", {"tags": MA}, ["urn:lex:ma:940cmr"]),
    ("get_document", {"reference": "940 CMR 3.17(4)"}, [RULE, "in force from"]),
    (
        "get_context",
        {"reference": "940 CMR 3.17(4)"},
        [
            "Status ok",
            "## Rule",
            RULE,
            "## Definitions",
            '... "Tenant" means',
            # What stands after the parts does not go on from the lead-in of the parts.
            "an owner shall not:\n[its parts stand in blocks of their own; after them:]\nAn owner who holds",
        ],
    ),
    ("ask", {"question": DEPOSIT, "jurisdiction": "us-ma"}, ["urn:lex:ma:940cmr:3.17", "“Owner” (940 CMR 3.17(1))"]),
    ("verify_citations", {"text": "Under 940 CMR 3.17(4) a deposit may be kept for ever."}, ["Checked at", RULE]),
    ("quality_check", {"model": "gpt-5-mini", "jurisdiction": "us-ma", "documents_cited": [RULE]}, ["Recorded."]),
]


async def test_ten_turns_of_a_chat_are_understood_and_short(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        for tool, arguments, said in TURNS:
            result = await client.call_tool(tool, arguments)
            text = text_of(result)
            assert not result.is_error, (tool, text)
            for words in said:
                assert words in text, (tool, words, text)
            assert not text.lstrip().startswith("{"), tool
            assert "\n\n\n" not in text
            assert "null" not in text.split()
            assert "--" not in text.replace("---", ""), (tool, "an option of the command line")
            record = json.dumps(result.structured_content, ensure_ascii=False)
            assert text.count("As used in this part") <= 1, tool
            if tool == "search":
                assert "**" in record
                assert "**" not in text
            if tool in ("get_context", "ask", "verify_citations", "list_documents"):
                assert len(text) < 0.7 * len(record), (tool, len(text), len(record))


async def test_places_are_told_by_their_words_and_their_urns(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        result = await client.call_tool(
            "ask", {"question": "urgent repairs of a dwelling unit", "jurisdiction": "us-ma"}
        )
    record: dict[str, Any] = result.structured_content or {}
    text = text_of(result)
    assert record["status"] == "places"
    for place in record["places"]:
        assert text.count(place["urn"] + "\n") == 1
        assert place["sentence"] in text
        assert place["why"] not in text
    assert len(text) < 0.5 * len(json.dumps(record, ensure_ascii=False))


async def test_what_is_unsure_in_the_contexts_of_places_is_named_and_told_with_the_context(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        result = await client.call_tool("ask", {"question": "unsolicited calls", "jurisdiction": "us-ma"})
    record: dict[str, Any] = result.structured_content or {}
    text = text_of(result)
    unsure = [warning for warning in record["warnings"] if warning["kind"] in OF_CONTEXTS]
    assert record["places"]
    assert unsure
    assert "Read a place with get_context before you rely on it: it warns of" in " ".join(text.split())
    assert all(warning["kind"] in text and warning["message"] not in text for warning in unsure)


async def test_descriptions_and_schemas_of_all_tools_take_under_4000_tokens(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        tools = (await client.list_tools()).tools
    parameters = [json.dumps(listed.input_schema, separators=(",", ":")) for listed in tools]
    assert sum(map(len, parameters)) + sum(len(listed.description or "") for listed in tools) < 4 * 4_000
    for listed in tools:
        assert set(listed.input_schema["properties"][next(iter(listed.input_schema["properties"]))]) >= {"description"}
        assert "title" not in json.dumps(listed.input_schema)


async def test_a_long_context_shows_the_rule_and_names_what_it_does_not_show(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        result = await client.call_tool("get_context", {"reference": "urn:lex:ma:940cmr:3.17"})
        whole = await client.call_tool("get_context", {"reference": "urn:lex:ma:940cmr:3.17", "blocks": "1-"})
    found: dict[str, Any] = result.structured_content or {}
    text = text_of(result)
    assert len(text) < CONTEXT_BYTES * 1.5
    shown = [block for block in found["blocks"] if block["text"] and block["text"] in text]
    hidden = [block for block in found["blocks"] if block not in shown]
    assert shown
    for block in hidden[:40]:
        assert block["urn"] in text
    for block in found["blocks"]:
        for part in block["text"].split("\n"):
            assert part in text_of(whole)


async def test_a_text_without_a_known_record_is_an_error_and_not_an_empty_reply() -> None:
    from retrieval.model import Record

    class Unknown(Record):
        """No tool gives this."""

    with pytest.raises(TypeError, match="Unknown"):
        text_for_model(Unknown())
