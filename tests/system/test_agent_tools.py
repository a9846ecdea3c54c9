"""The tools for the OpenAI Agents SDK: case law as plain functions, and all tools through the SDK where it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Stores
from mcp_calls import CANARY, MA, call
from pydantic import ValidationError
from requirements import requirement

from rag import Engine
from rag.mcp.agent_tools import CaseGet, CaseResolve, CaseSearch, CaseTools, agent_tools
from rag.mcp.server import listed_tools
from retrieval.errors import ConfigurationError, InputError

RULE = "urn:lex:ma:940cmr:3.17:4"
# Two judgments in Akoma Ntoso, as the reader of that format takes them.
JUDGMENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
            xmlns:uk="https://caselaw.nationalarchives.gov.uk/akn">
<judgment name="judgment"><meta><identification source="#tna">
<FRBRWork><FRBRthis value="https://caselaw.nationalarchives.gov.uk/id/uksc/{year}/{number}"/>
<FRBRuri value="https://caselaw.nationalarchives.gov.uk/id/uksc/{year}/{number}"/>
<FRBRdate date="{year}-0{number}-17" name="judgment"/><FRBRauthor href="#uksc"/><FRBRcountry value="GB-UKM"/>
<FRBRname value="{name}"/></FRBRWork>
<FRBRExpression><FRBRthis value="x"/><FRBRuri value="x"/><FRBRdate date="{year}-0{number}-17" name="judgment"/>
<FRBRauthor href="#uksc"/><FRBRlanguage language="eng"/></FRBRExpression>
<FRBRManifestation><FRBRthis value="x"/><FRBRuri value="x"/><FRBRdate date="{year}-01-01T00:00:00" name="transform"/>
<FRBRauthor href="#tna"/><FRBRformat value="application/xml"/></FRBRManifestation></identification>
<proprietary source="#"><uk:court>UKSC</uk:court><uk:year>{year}</uk:year><uk:number>{number}</uk:number>
<uk:cite>[{year}] UKSC {number}</uk:cite></proprietary></meta>
<header><p>{name}</p></header>
<judgmentBody><decision>
<paragraph eId="para_1"><num>1.</num><content><p>{text}</p></content></paragraph>
</decision></judgmentBody></judgment></akomaNtoso>
"""


@pytest.fixture(scope="module")
def engine(stores: Stores, sample_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("cases")
    for number, name, text in (
        (1, "Alder v Birch", "The tenant owed the landlord no interest on the deposit."),
        (2, "Cedar v Alder", "The seller owed the buyer the price of the goods."),
    ):
        written = JUDGMENT.format(year=2024, number=number, name=name, text=text)
        (folder / f"uksc-2024-{number}.xml").write_text(written, encoding="utf-8")
    with Engine.open(stores.clone(sample_template)) as opened:
        report = opened.ingest([folder])
        assert (report.documents, report.rejected) == (2, [])
        yield opened


@pytest.mark.parametrize(
    ("clues", "lines"),
    [
        ({"case_number": "[2024] UKSC 1"}, ["urn:lex:gb:uksc-2024-1"]),
        ({"case_name": "alder"}, ["urn:lex:gb:uksc-2024-2", "urn:lex:gb:uksc-2024-1"]),
        ({"case_name": "alder", "limit": 1}, ["urn:lex:gb:uksc-2024-2"]),
        ({"court": "UKSC", "date": "2024-01"}, ["urn:lex:gb:uksc-2024-1"]),
    ],
)
def test_a_case_is_resolved_by_its_best_clue_latest_first(
    engine: Engine, clues: dict[str, Any], lines: list[str]
) -> None:
    told = CaseTools(engine).resolve_case_doc_id(CaseResolve(**clues)).splitlines()
    assert told[0] == "Candidates:"
    assert [line.partition(" / ")[0] for line in told[1 : 1 + len(lines)]] == [
        f"{number}. doc_id={urn}" for number, urn in enumerate(lines, 1)
    ]
    assert all(line.count(" / ") >= 4 for line in told[1 : 1 + len(lines)])


def test_no_clue_and_no_candidate_are_told_apart(engine: Engine) -> None:
    tools = CaseTools(engine)
    nothing, missing = tools.resolve_case_doc_id(CaseResolve()), tools.resolve_case_doc_id(CaseResolve(case_name="Oak"))
    assert "no clue" in nothing
    assert "No case in the store fits" in missing


def test_a_case_is_found_by_its_words_and_read_by_its_doc_id(engine: Engine) -> None:
    tools = CaseTools(engine)
    found = tools.search_cases(CaseSearch(query="interest on the deposit", jurisdiction="gb")).splitlines()
    assert found[0] == "Decisions:"
    assert found[1].startswith("1. doc_id=urn:lex:gb:uksc-2024-1 / ")
    text = tools.get_case_text(CaseGet(doc_id="urn:lex:gb:uksc-2024-1"))
    assert text.startswith("urn:lex:gb:uksc-2024-1")
    assert "The tenant owed the landlord no interest on the deposit." in text
    assert tools.get_case_text(CaseGet(doc_id="urn:lex:gb:uksc-2024-9")).startswith("not_found: ")
    nothing = tools.search_cases(CaseSearch(query="qwertzuiop", jurisdiction="gb"))
    assert nothing.startswith("No decision of this store fits.")


@pytest.mark.parametrize("limit", [0, 11])
def test_a_limit_is_one_to_ten(limit: int) -> None:
    with pytest.raises(ValidationError):
        CaseResolve(court="x", limit=limit)


def test_a_date_that_is_none_is_an_error(engine: Engine) -> None:
    with pytest.raises(InputError):
        CaseTools(engine).resolve_case_doc_id(CaseResolve(date="yesterday"))


# --- through the SDK -------------------------------------------------------------------------------------------------


def test_without_the_extra_the_way_to_it_is_named(engine: Engine) -> None:
    try:
        import agents  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        with pytest.raises(ConfigurationError, match=r"lexscope\[agents\]"):
            agent_tools(engine)
    else:
        pytest.skip("the Agents SDK is installed here")


@pytest.fixture
def sdk_tools(engine: Engine) -> dict[str, Any]:
    pytest.importorskip("agents", reason="the extra [agents] is not installed")
    return {agent_tool.name: agent_tool for agent_tool in agent_tools(engine)}


def test_the_sdk_gets_the_servers_tools_and_three_for_case_law(engine: Engine, sdk_tools: dict[str, Any]) -> None:
    import agents  # pyright: ignore[reportMissingImports]

    expected = [tool.name for tool in listed_tools(engine)]
    assert list(sdk_tools) == [*expected, "search_cases", "get_case_text", "resolve_case_doc_id"]
    agent = agents.Agent(name="clerk", instructions="Answer from the tools alone.", tools=list(sdk_tools.values()))
    assert len(agent.tools) == len(sdk_tools)
    assert all(
        sdk_tool.description and sdk_tool.params_json_schema["type"] == "object" for sdk_tool in sdk_tools.values()
    )


@pytest.mark.anyio
async def test_the_sdks_tools_give_what_the_server_gives(engine: Engine, sdk_tools: dict[str, Any]) -> None:
    asked = {"reference": RULE}
    told = await sdk_tools["get_context"].on_invoke_tool(None, json.dumps(asked))
    own = await call(engine, "get_context", **asked)
    assert all(target in told for target in own["targets"])
    assert own["blocks"][-1]["text"] in told
    form = json.dumps({"q": {"case_name": "Birch"}})
    assert "doc_id=urn:lex:gb:uksc-2024-1" in await sdk_tools["resolve_case_doc_id"].on_invoke_tool(None, form)


@pytest.mark.anyio
@requirement("P8")
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("get_context", json.dumps({"reference": CANARY}), "bad_input: get_context: Name the jurisdiction"),
        ("get_context", json.dumps({CANARY: 1}), "bad_input: get_context: Argument `reference`: it is missing"),
        ("ask", f"{{{CANARY}", "bad_input: ask: The arguments are no JSON."),
        ("ask", "[]", "bad_input: ask: The arguments are no JSON object."),
        ("resolve_case_doc_id", json.dumps({"q": {"limit": 11}}), "bad_input: resolve_case_doc_id: Argument `limit`"),
        ("resolve_case_doc_id", json.dumps({"q": {"date": CANARY}}), "bad_input: resolve_case_doc_id: The date"),
        ("search_cases", json.dumps({"q": {}}), "bad_input: search_cases: Argument `query`: it is missing."),
        (
            "search_cases",
            json.dumps({"q": {"query": "x", **MA}, CANARY: 1}),
            "bad_input: search_cases: The form is the",
        ),
    ],
)
async def test_what_cannot_be_done_is_the_tools_text(
    sdk_tools: dict[str, Any], tool: str, arguments: str, said: str
) -> None:
    text = await sdk_tools[tool].on_invoke_tool(None, arguments)
    assert text.startswith(said)
    assert CANARY not in text
