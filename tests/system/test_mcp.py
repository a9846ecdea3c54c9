"""The MCP server through the real client, in memory: what is offered, and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Stores
from mcp import Client
from mcp_calls import DEPOSIT, MA, TOOLS, call
from requirements import requirement

from rag import Engine, Settings
from rag.mcp.server import build_server


@pytest.fixture(scope="module")
def sample_settings(stores: Stores, sample_template: str) -> Settings:
    """One sample store for all tests of this file: the tools only read."""
    return stores.clone(sample_template)


@pytest.fixture(scope="module")
def engine(sample_settings: Settings) -> Iterator[Engine]:
    with Engine.open(sample_settings) as opened:
        yield opened


# --- what is offered -------------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_tools_are_listed_in_order_with_both_schemas_and_what_a_client_may_assume(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        tools = (await client.list_tools()).tools
        assert client.server_info is not None
        assert client.server_info.name == "lexscope"
        assert "cite a URN" in (client.instructions or "")
    assert [listed.name for listed in tools] == [name for name in TOOLS if name in {tool.name for tool in tools}]
    assert {"search", "get_document", "get_context", "ask", "resolve_case"} <= {tool.name for tool in tools}
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name != "quality_check")
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False  # no provider is configured
        assert (tool.title or "").isascii()
        assert tool.title == tool.annotations.title
        # A flag may be told by its name alone.
        told = [entry for entry in tool.input_schema["properties"].values() if entry.get("type") != "boolean"]
        assert all("description" in entry for entry in told)
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
    asked = next(listed for listed in tools if listed.name == "ask")
    assert "context" not in (asked.output_schema or {})["properties"]


# --- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_search_in_the_published_call_shape_finds_the_rule(engine: Engine) -> None:
    found = await call(engine, "search", language="en", query=DEPOSIT, tags=MA, at_date="2024-01-01")
    assert found["results"][0]["urn"] == "urn:lex:ma:940cmr:3.17"
    assert (found["mode"], found["at_date"], found["limit"]) == ("hybrid", "2024-01-01", 20)
    same = await call(engine, "search", language="en", query=DEPOSIT, jurisdiction="us-ma", at_date="2024-01-01")
    assert same == found


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("filter_", "codes"), [("us", {"us", "ma"}), ("us-ma", {"ma"}), ("eu|us-ma", {"ma"}), ("*", {"us", "ma"})]
)
async def test_a_jurisdiction_includes_its_subdivisions(engine: Engine, filter_: str, codes: set[str]) -> None:
    found = await call(engine, "search", language="en", query="telephone call hours", tags={"jurisdiction": filter_})
    assert {result["urn"].split(":")[2] for result in found["results"]} == codes


@pytest.mark.anyio
@requirement("P10")
async def test_a_limit_above_the_most_is_reported_as_applied(engine: Engine) -> None:
    found = await call(engine, "search", language="en", query=DEPOSIT, tags=MA, limit=500)
    assert found["limit"] == 100
    assert any("100 applied" in warning for warning in found["warnings"])
    assert not any(
        "applied" in warning
        for warning in (await call(engine, "search", language="en", query=DEPOSIT, tags=MA))["warnings"]
    )


@pytest.mark.anyio
async def test_pages_of_a_search_join_to_the_whole(engine: Engine) -> None:
    whole = await call(engine, "search", language="en", query="owner seller tenant", tags=MA, limit=100)
    assert whole["total"] == len(whole["results"]) > 4
    assert whole["next_offset"] is None
    paged: list[dict[str, Any]] = []
    offset: int | None = 0
    while offset is not None:
        page = await call(engine, "search", language="en", query="owner seller tenant", tags=MA, limit=2, offset=offset)
        assert (page["total"], page["offset"]) == (whole["total"], offset)
        paged += page["results"]
        offset = page["next_offset"]
    assert paged == whole["results"]
    past = await call(engine, "search", language="en", query="owner seller tenant", tags=MA, offset=90)
    assert past["results"] == []
    assert "past the last" in past["message"]


@pytest.mark.anyio
async def test_finding_nothing_is_no_statement_about_the_law(engine: Engine) -> None:
    found = await call(engine, "search", language="en", query="qwertzuiop", tags=MA)
    assert (found["total"], found["results"]) == (0, [])
    assert "not a statement that no law exists" in found["message"]


@pytest.mark.anyio
async def test_a_semantic_search_without_an_embedder_says_that_it_did_not_run(engine: Engine) -> None:
    found = await call(engine, "search", language="en", query=DEPOSIT, tags=MA, mode="semantic")
    assert found["results"] == []
    assert "did not run" in found["message"]
    keyword = await call(engine, "search", language="en", query=DEPOSIT, tags=MA, mode="keyword")
    assert (keyword["mode"], keyword["warnings"]) == ("keyword", [])


@pytest.mark.anyio
async def test_every_urn_that_search_gives_is_accepted_by_the_other_tools(engine: Engine) -> None:
    found = await call(engine, "search", language="en", query="owner seller tenant", tags=MA)
    for hit in found["results"]:
        assert (await call(engine, "get_document", reference=hit["hit_urn"]))["urn"] == hit["hit_urn"]
        assert (await call(engine, "get_context", reference=hit["urn"]))["targets"] == [hit["urn"]]


@pytest.mark.anyio
async def test_a_document_is_read_by_reference_and_missing_ones_are_results(engine: Engine) -> None:
    read = await call(engine, "get_document", reference="940 CMR 3.17(4)", language="en")
    assert (read["status"], read["urn"], read["total_blocks"]) == ("ok", "urn:lex:ma:940cmr:3.17:4", 5)
    missing = await call(engine, "get_document", reference="urn:lex:ma:940cmr:3.17:99")
    assert missing["status"] == "not_found"
    assert "urn:lex:ma:940cmr:3.17" in missing["suggestions"]
    repealed = await call(engine, "get_document", reference="940 CMR 3.08", at_date="2020-01-01")
    assert repealed["status"] == "not_in_force"


@pytest.mark.anyio
async def test_a_context_is_the_engines_and_its_pages_join_to_it(engine: Engine) -> None:
    own = engine.context("urn:lex:ma:940cmr:3.17:4")
    whole = await call(engine, "get_context", reference="940 CMR 3.17(4)", jurisdiction="us-ma")
    assert (whole["status"], whole["digest"]) == ("ok", own.digest)
    assert whole["blocks"] == [block.model_dump(mode="json") for block in own.blocks]
    assert whole["definitions"] == [definition.model_dump(mode="json") for definition in own.definitions]
    paged: list[Any] = []
    terms: set[str] = set()
    following: str | None = "1-4"
    while following:
        page = await call(engine, "get_context", reference="urn:lex:ma:940cmr:3.17:4", blocks=following)
        assert page["digest"] == own.digest
        paged += page["blocks"]
        terms |= {entry["term"] for entry in page["definitions"]}
        following = page["next_blocks"]
    assert paged == whole["blocks"]
    assert terms == {definition.term for definition in own.definitions}


@pytest.mark.anyio
async def test_a_question_gets_a_context_of_as_many_rules_as_asked(engine: Engine) -> None:
    one = await call(engine, "get_context", reference="owner seller tenant", jurisdiction="us-ma", rules=1)
    assert len(one["targets"]) == 1


@pytest.mark.anyio
async def test_an_answer_quotes_the_law_at_its_urns(engine: Engine) -> None:
    answer = await call(engine, "ask", question=DEPOSIT, jurisdiction="us-ma")
    assert answer["status"] == "answered"
    assert answer["statements"]
    assert "context" not in answer
    for claim in answer["statements"]:
        for cited in claim["citations"]:
            read = await call(engine, "get_document", reference=cited["urn"])
            assert read["status"] == "ok"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "at_date", "status", "reason"),
    [
        ("urn:lex:ma:940cmr:3.18", None, "halted", "legal_override"),
        ("urn:lex:ma:940cmr:3.18", "2021-03-01", "answered", None),
        ("urn:lex:ma:940cmr:3.99", None, "refused", "not_found"),
        ("urn:lex:ma:940cmr:3.08", None, "refused", "not_in_force"),
        ("qwertzuiop", None, "refused", "no_entry_point"),
    ],
)
@requirement("P4", "P6")
async def test_halts_and_refusals_are_results_with_a_message(
    engine: Engine, question: str, at_date: str | None, status: str, reason: str | None
) -> None:
    answer = await call(engine, "ask", question=question, jurisdiction="us-ma", at_date=at_date)
    assert answer["status"] == status
    assert (answer["refusal"]["reason"] if answer["refusal"] else None) == reason
    assert bool(answer["statements"]) == (status == "answered")
    context = await call(engine, "get_context", reference=question, jurisdiction="us-ma", at_date=at_date, blocks="1-")
    assert (context["status"] == "ok") == (status == "answered")
    if reason is not None:
        assert answer["refusal"]["message"] == context["message"] != ""
        assert answer["refusal"]["advice"] == context["advice"] != ""
        assert (context["blocks"], context["total_blocks"]) == ([], 0)
    if status == "halted":
        assert context["message"].startswith("Legal Override active.")
