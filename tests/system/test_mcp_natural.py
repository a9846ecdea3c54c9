"""Calls as chat models make them: none is bad input, and those that mean the same get the same."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from mcp import Client
from mcp_calls import call, text_of
from pydantic.fields import FieldInfo

from rag import Engine, clock
from rag.mcp.arguments import as_meant, read_arguments
from rag.mcp.server import build_server

RULE = "urn:lex:ma:940cmr:3.17:4"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("safety_guidelines", {}),
    ("safety_guidelines", {"category": "Core"}),
    ("safety_guidelines", {"jurisdiction": "Massachusetts"}),
    ("search", {"query": "security deposit interest", "jurisdiction": "Massachusetts"}),
    ("search", {"query": "security deposit interest", "jurisdiction": "MA", "language": "English", "limit": "5"}),
    ("search", {"query": "late rent", "tags": {"jurisdiction": "US-MA"}, "at_date": "2024"}),
    ("search", {"query": "entry without consent", "tags": '{"jurisdiction": "us-ma"}', "mode": "Hybrid"}),
    ("search", {"question": "Can my landlord enter my flat?", "jurisdiction": "us-ma"}),
    ("search", {"query": "deposit", "jurisdiction": ["us-ma", "us"]}),
    ("search", {"query": "deposit", "jurisdiction": "us-ma, us", "tags": None}),
    ("search", {"query": "deposit", "jurisdiction": "us-ma", "rerank": "false", "offset": "0"}),
    ("get_document", {"reference": "940 CMR 3.17(4)"}),
    ("get_document", {"urn": "urn:lex:ma:940cmr:3.17:4"}),
    ("get_document", {"reference": "940 C.M.R. § 3.17(4)", "at_date": "January 1, 2024"}),
    ("get_document", {"reference": "urn:lex:ma:940cmr:3.17", "blocks": 1}),
    ("get_document", {"citation": "Section 3.17(4) of 940 CMR", "language": "en-US"}),
    ("get_context", {"reference": "940 CMR 3.17(4)", "rules": "1"}),
    ("get_context", {"urn": "940 CMR 3.17(4)", "at_date": "2024-01-01T00:00:00Z"}),
    ("get_context", {"query": "interest on a security deposit", "jurisdiction": "Massachusetts"}),
    ("ask", {"question": "My landlord never paid interest on my security deposit", "jurisdiction": "Massachusetts"}),
    (
        "ask",
        {
            "query": "My landlord never paid interest on my security deposit",
            "jurisdiction": "us_ma",
            "at_date": "today",
        },
    ),
    ("ask", {"question": "940 CMR 3.17(4)"}),
    (
        "verify_citations",
        {"text": "Under 940 CMR 3.17(4), an owner shall pay 3 percent a year.", "jurisdiction": "Massachusetts"},
    ),
    (
        "verify_citations",
        {"draft": "Under 940 CMR 3.17(4), an owner shall pay 3 percent a year.", "language": "English"},
    ),
    ("resolve_case", {"case_name": "Brown v. Board of Education", "jurisdiction": "United States"}),
    ("resolve_case", {"name": "Brown v. Board of Education", "date": 1954, "limit": "20"}),
    ("browse_structure", {"jurisdiction": "Massachusetts", "depth": "1"}),
    ("browse_structure", {"root_id": "940 CMR 3.17"}),
    ("list_documents", {"jurisdiction": "MA", "type": "Regulation"}),
    (
        "quality_check",
        {
            "model": "gpt-5-mini",
            "jurisdiction": "Massachusetts",
            "documents_cited": "urn:lex:ma:940cmr:3.17:4",
            "mode": "Research",
            "confidence": "High",
            "satisfaction": "Partial",
        },
    ),
    ("search", {"query": ["eviction", "notice to quit"], "jurisdiction": "Massachusetts law", "at_date": "today"}),
    ("search", {"query": "", "tags": {"jurisdiction": ["us", "us-ma"], "kind": "statute"}}),
    ("search", {"discover": True, "jurisdiction": "MA"}),
    ("search", {"query": "deposit", "jurisdiction": "US", "filters": {"kind": None}, "strict": True}),
    ("get_document", {"citation": "940 CMR 3.17(4)", "jurisdiction": "Massachusetts", "highlight": ["interest"]}),
    ("get_document", {"reference": RULE, "at_date": "March 2024", "blocks": "all", "highlight": ""}),
    ("get_context", {"reference": [RULE], "max_tokens": 2000, "at_date": "1 March 2024"}),
    ("ask", {"question": RULE, "jurisdiction": None, "context": "The user rents."}),
    (
        "verify_citations",
        {"text": ["940 CMR 3.17(4) speaks.", "So it is."], "jurisdiction": "all", "date": "yesterday"},
    ),
    ("resolve_case", {"case_name": "Brown", "date": "May 1954"}),
    ("safety_guidelines", {"category": "all", "jurisdiction": "MA"}),
    ("quality_check", {}),
    (
        "quality_check",
        {"model_name": "m", "confidence": 0.8, "satisfaction": "good", "tags_used": ["jurisdiction=us-ma"]},
    ),
]


@pytest.mark.anyio
async def test_no_natural_call_is_bad_input(served: Engine) -> None:
    async with Client(build_server(served)) as client:
        replies = [(tool, given, await client.call_tool(tool, given)) for tool, given in CALLS]
    assert [(tool, given, text_of(reply)) for tool, given, reply in replies if reply.is_error] == []
    assert len(replies) == 43


@pytest.mark.anyio
@pytest.mark.parametrize("citation", ["940 CMR 3.17(4)", "940 C.M.R. § 3.17(4)", RULE])
async def test_the_same_citation_is_taken_by_every_tool(served: Engine, citation: str) -> None:
    read = await call(served, "get_document", reference=citation)
    context = await call(served, "get_context", reference=citation)
    asked = await call(served, "ask", question=citation)
    found = await call(served, "search", query=citation, jurisdiction="us-ma")
    bare = await call(served, "search", query=citation)  # the reference says its jurisdiction
    below = await call(served, "browse_structure", root_id=citation)
    checked = await call(served, "verify_citations", text=f"{citation} speaks of interest.")
    assert read["urn"] == below["root_id"] == RULE
    assert context["targets"] == asked["targets"] == [RULE]
    assert found["results"][0]["hit_urn"] == bare["results"][0]["hit_urn"] == RULE
    assert RULE in [item["urn"] for item in checked["items"]]


@pytest.mark.anyio
async def test_a_place_named_in_words_is_its_code(served: Engine) -> None:
    def asked(where: object) -> dict[str, object]:
        return {"query": "security deposit", "jurisdiction": where}

    by_code = await call(served, "search", **asked("us-ma"))
    for where in ("Massachusetts", "MA", "us_ma", ["us-ma"]):
        assert (await call(served, "search", **asked(where)))["results"] == by_code["results"]


@pytest.mark.parametrize(
    ("name", "given", "read"),
    [
        ("at_date", "2019", "2019-12-31"), ("at_date", "2019-02", "2019-02-28"), ("at_date", "now", None),
        ("at_date", "January 5, 2019", "2019-01-05"), ("at_date", "5 January 2019", "2019-01-05"),
        ("at_date", "2019-01-05T10:00:00Z", "2019-01-05"), ("at_date", "01/02/2019", "01/02/2019"),
        ("date_from", "2019", "2019-01-01"), ("date_to", "2019", "2019-12-31"),
        ("date_to", "now", clock.today().isoformat()),
        ("date_to", "9999-12", "9999-12-31"), ("at_date", "0000", "0000"),
        ("at_date", "March 2019", "2019-03-31"), ("at_date", "1er janvier 2020", "2020-01-01"),
        ("at_date", "2. März 2020", "2020-03-02"), ("at_date", "2020年3月1日", "2020-03-01"),
        ("at_date", "heute", None),
        ("at_date", "25/12/2019", "2019-12-25"), ("at_date", "2019/03/01", "2019-03-01"),
        ("at_date", "before March 2019", "before March 2019"), ("date", "July 2020", "2020-07"),
        ("date", "1954", "1954"),
        ("jurisdiction", "Washington, D.C.", "us-dc"), ("jurisdiction", "EU law", "eu"), ("jurisdiction", "日本", "jp"),
        ("jurisdiction", "German law", "de"), ("jurisdiction", "US (federal)", "us"), ("jurisdiction", "all", "*"),
        ("jurisdiction", "Austin, Texas", "us-tx"), ("jurisdiction", "fr, eu", "fr|eu"),
        ("jurisdiction", "Germany and France", "de|fr"), ("jurisdiction", "Atlantis", "Atlantis"),
        ("jurisdiction", "France, EU", "fr|eu"), ("jurisdiction", "!=Germany", "!=de"),
        ("jurisdiction", "us|x9", "us|x9"),
        ("language", "English", "en"), ("language", "fr-FR", "fr"), ("language", "x 1", "x 1"), ("query", 1240, "1240"),
    ],
)  # fmt: skip
def test_a_value_is_read_as_what_it_means_and_left_where_it_means_several(
    name: str, given: object, read: object
) -> None:
    assert as_meant(name, given, str | None) == read


@pytest.mark.parametrize("year", [0, 1])
def test_a_year_that_is_not_over_is_the_law_of_today(year: int) -> None:
    today = clock.today()
    assert as_meant("at_date", str(today.year + year), str | None) == today.isoformat()


def fields(**kinds: Any) -> dict[str, FieldInfo]:
    """Parameters of a tool: the first is required, the others have None as default."""
    first = next(iter(kinds))
    return {
        name: FieldInfo(annotation=kind) if name == first else FieldInfo(annotation=kind, default=None)
        for name, kind in kinds.items()
    }


READ = fields(reference=str, blocks=str | None, at_date=str | None, tags=dict[str, str] | None)
LIST = fields(query=str, limit=int | None, date_from=str | None, date_to=str | None, jurisdiction=str | None)
REPORT = fields(model=str, confidence=Literal["high", "moderate", "low"] | None, documents_cited=list[str] | None)


@pytest.mark.parametrize(
    ("given", "known", "read"),
    [
        ({"urn": "a"}, READ, {"reference": "a"}), ({"reference": "a", "date": "2019"}, READ, {"at_date": "2019-12-31"}),
        ({"documentId": "a", "blocks": "all"}, READ, {"reference": "a"}),
        ({"reference": ["a", "b"]}, READ, {"reference": "a, b"}),
        ({"citation": "a", "jurisdiction": "Germany"}, READ, {"tags": {"jurisdiction": "de"}}),
        ({"reference": "a", "filters": "kind=statutes; source: x"}, READ,
            {"tags": {"kind": "legislation", "source": "x"}}),
        ({"reference": "a", "tags": {"jurisdiction": ["us", "DC"]}}, READ, {"tags": {"jurisdiction": "us|us-dc"}}),
        ({"search_query": "a", "max_results": "5"}, LIST, {"query": "a", "limit": "5"}),
        ({"query": "a", "start_date": "May 2019", "end_date": "2020"}, LIST, {"date_from": "2019-05-01"}),
        ({"query": "null", "limit": "null", "jurisdictoin": "Texas"}, LIST, {"query": "null", "jurisdiction": "us-tx"}),
        ({"model": "m", "confidence": 0.8, "sources": "a; b, c"}, REPORT, {"documents_cited": ["a", "b, c"]}),
        ({"model_name": "m", "confidence": "Very high"}, REPORT, {"model": "m", "confidence": "high"}),
    ],
)  # fmt: skip
def test_a_parameter_has_the_names_and_types_that_models_give_it(
    given: dict[str, Any], known: dict[str, FieldInfo], read: dict[str, Any]
) -> None:
    values, notes = read_arguments(given, known)
    assert {name: values.get(name) for name in read} == read
    assert notes == []


def test_what_a_tool_does_not_have_is_left_out_and_said_without_its_name() -> None:
    values, notes = read_arguments({"model": "m", "secret": 1, "empty": None, "confidence": "azure"}, REPORT)
    assert values == {"model": "m"}
    assert notes == [
        "`confidence` was left out: it takes high, moderate, low.",
        "1 argument was left out: this tool takes model, confidence, documents_cited.",
    ]


@pytest.mark.anyio
async def test_a_reply_says_what_was_left_out_of_its_call(served: Engine) -> None:
    async with Client(build_server(served)) as client:
        reply = await client.call_tool("list_documents", {"page_token": "x"})
    assert text_of(reply).endswith("limit, offset.")
    assert "1 argument was left out" in (reply.structured_content or {})["arguments_left_out"][0]
