"""Calls as chat models make them: none is bad input, and those that mean the same get the same."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp_calls import call, text_of

from rag import Engine, clock
from rag.mcp.arguments import as_meant, by_its_names
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
]


@pytest.mark.anyio
async def test_no_natural_call_is_bad_input(served: Engine) -> None:
    async with Client(build_server(served)) as client:
        replies = [(tool, given, await client.call_tool(tool, given)) for tool, given in CALLS]
    assert [(tool, given, text_of(reply)) for tool, given, reply in replies if reply.is_error] == []
    assert len(replies) == 30


@pytest.mark.anyio
@pytest.mark.parametrize("citation", ["940 CMR 3.17(4)", "940 C.M.R. § 3.17(4)", RULE])
async def test_the_same_citation_is_taken_by_every_tool(served: Engine, citation: str) -> None:
    read = await call(served, "get_document", reference=citation)
    context = await call(served, "get_context", reference=citation)
    asked = await call(served, "ask", question=citation)
    found = await call(served, "search", query=citation, jurisdiction="us-ma")
    below = await call(served, "browse_structure", root_id=citation)
    checked = await call(served, "verify_citations", text=f"{citation} speaks of interest.")
    assert read["urn"] == below["root_id"] == RULE
    assert context["targets"] == asked["targets"] == [RULE]
    assert found["results"][0]["hit_urn"] == RULE
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
        ("date_from", "2019", "2019-01-01"), ("date_to", "2019", "2019-12-31"), ("date_to", "now", "now"),
        ("date_to", "9999-12", "9999-12-31"), ("at_date", "0000", "0000"),
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


@pytest.mark.parametrize(
    ("given", "known", "read"),
    [
        ({"urn": 1}, ["reference", "blocks"], {"reference": 1}),
        ({"urn": 1, "reference": 2}, ["reference"], {"urn": 1, "reference": 2}),
        ({"date": 1}, ["reference", "at_date"], {"at_date": 1}), ({"date": 1}, ["court", "date"], {"date": 1}),
        ({"root": 1}, ["query", "root_id"], {"query": 1}), ({"secret": 1}, ["query"], {"secret": 1}),
    ],
)  # fmt: skip
def test_a_parameter_has_the_names_that_models_give_it(
    given: dict[str, Any], known: list[str], read: dict[str, Any]
) -> None:
    assert by_its_names(given, known) == read
