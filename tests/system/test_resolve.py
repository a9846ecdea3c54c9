"""`resolve`, `resolve-case` and `edges` on the command line, and hostile strings in every field of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import law
import pytest
from cli_calls import Lexscope, address, caller
from conftest import Stores

from rag import Engine
from rag.settings import Settings
from retrieval.errors import InputError

RULE = "urn:lex:ma:940cmr:3.17:4"


@pytest.fixture(scope="module")
def common(stores: Stores, sample_template: str) -> Settings:
    return stores.clone(sample_template)


@pytest.fixture
def lexscope(common: Settings, capsys: pytest.CaptureFixture[str]) -> Lexscope:
    return caller(capsys, "--database-url", address(common))


@pytest.fixture(scope="module")
def opened(common: Settings) -> Iterator[Engine]:
    with Engine.open(common) as engine:
        yield engine


def test_resolved_reference_is_named_with_its_dates_and_citations(lexscope: Lexscope) -> None:
    ran = lexscope("resolve", "940 CMR 3.17(4)")
    assert ran.status == 0
    assert RULE in ran.out
    assert "cited by" in ran.out


def test_json_holds_the_readings_and_the_count_of_citations(lexscope: Lexscope) -> None:
    result = json.loads(lexscope("resolve", "940 CMR 3.17(4)", "--json").out)
    assert (result["status"], result["urn"]) == ("resolved", RULE)
    assert result["candidates"][0]["cited_by"] >= 0
    assert result["tag_queries"][0]["tag_filters"]["filters"][0]["value"] == RULE


def test_missing_provision_is_a_refusal_that_names_what_is_near(lexscope: Lexscope) -> None:
    ran = lexscope("resolve", "940 CMR 3.99")
    assert ran.status == 3
    assert "near: urn:lex:ma:940cmr:3.1" in ran.out


def test_reference_to_what_has_no_identifier_is_told_from_words_that_are_no_reference(opened: Engine) -> None:
    law, words = opened.resolve("90 Stat. 2541"), opened.resolve("ninety statutes")
    assert (law.status, words.status) == ("not_found", "not_found")
    assert "grammar of" in law.message
    assert "grammar of" not in words.message


def test_number_without_a_law_is_told_to_lack_its_law(opened: Engine) -> None:
    for written in ("§ 99535 Abs. 2", "§ 99331 or 99332"):
        found = opened.resolve(written)
        assert found.status == "not_found"
        assert "names a provision and no law" in found.message
    assert "no law" not in opened.resolve("§ 99535 BGB").message
    # A word for units that only one country's grammar reads.
    assert "the law is not named" in opened.resolve("par. 998").message


def test_a_jurisdiction_is_asked_with_its_subdivisions(opened: Engine) -> None:
    assert opened.resolve("940 CMR 3.17(4)", jurisdiction="us").urn == RULE
    assert opened.resolve("940 CMR 3.17(4)", jurisdiction="us-dc").urn is None


@pytest.mark.parametrize(
    ("jurisdiction", "urn"), [("!=us", None), ("!=us-ma|eu", None), ("!=us-dc", RULE), ("!=fr", RULE)]
)
def test_a_jurisdiction_can_be_left_out_of_references_cases_and_verified_texts(
    opened: Engine, jurisdiction: str, urn: str | None
) -> None:
    assert opened.resolve("940 CMR 3.17(4)", jurisdiction=jurisdiction).urn == urn
    assert opened.resolve_case(case_number="1", jurisdiction=jurisdiction).status == "no_candidate"
    [item] = opened.verify("It follows from 940 CMR 3.17(4).", jurisdiction=jurisdiction).items
    assert (item.verdict == "OUT_OF_SCOPE") == (urn is None)


def test_address_of_an_official_site_is_the_provision_that_it_shows(opened: Engine) -> None:
    found = opened.resolve("https://www.law.cornell.edu/cfr/text/16/310.4")
    assert found.tag_queries[0].tag_filters.filters[0].value == "urn:lex:us:16cfr:310.4"
    assert (found.status, found.urn) == ("resolved", "urn:lex:us:16cfr:310.4")


@pytest.mark.parametrize(
    "arguments",
    [
        ["resolve", "x", "--tag", "novalue"],
        ["resolve", "x", "--tag", "Bad-Key=1"],
        ["resolve", "x", "--at-date", "now"],
        ["resolve", "x", "--at-date", "2015-W24-1"],
        ["resolve", ""],
        ["resolve-case", "--date", "now"],
        ["resolve-case", "--court", "x", "--limit", "11"],
        ["edges", "urn:nothing"],
        ["edges", RULE, "--incoming", "--outgoing"],
        ["edges", RULE, "--limit", "0"],
    ],
)
def test_bad_usage_is_told_from_a_failure(lexscope: Lexscope, arguments: list[str]) -> None:
    ran = lexscope(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err


def test_case_without_clue_or_candidate_is_a_refusal_in_words(lexscope: Lexscope) -> None:
    nothing, missing = lexscope("resolve-case"), lexscope("resolve-case", "--case-name", "nobody")
    assert (nothing.status, missing.status) == (3, 3)
    assert "no clue" in nothing.out
    assert "no candidate" in missing.out


def test_edges_are_resolved_and_listed(lexscope: Lexscope) -> None:
    report = json.loads(lexscope("edges", "resolve", "--json").out)
    assert set(report) == {"by_urn", "by_words", "references", "unresolved", "seconds"}
    page = json.loads(lexscope("edges", "urn:lex:ma:940cmr", "--json").out)
    assert page["total"] == len(page["edges"]) > 0
    [some] = [edge for edge in page["edges"] if edge["resolved"]][:1]
    incoming = json.loads(lexscope("edges", some["target_urn"], "--incoming", "--json").out)
    assert some["source_urn"] in {edge["source_urn"] for edge in incoming["edges"]}


def test_edges_are_those_of_the_provision_that_a_citation_names_or_say_what_it_may_name(lexscope: Lexscope) -> None:
    cited, named = (lexscope("edges", reference, "--json") for reference in ("940 CMR 3.17", "urn:lex:ma:940cmr:3.17"))
    assert (cited.status, cited.out) == (0, named.out)
    missing = lexscope("edges", "940 CMR 3.99")
    assert missing.status == 3
    assert "urn:lex:ma:940cmr:3.99 is not in the store" in missing.out


def test_what_cites_a_part_cites_the_provision_and_its_own_parts_do_not_count(opened: Engine) -> None:
    def count(urn: str) -> int:
        return opened.resolve(urn).candidates[0].cited_by

    def outside(urn: str) -> set[str]:
        edges = opened.edges(urn, "incoming", limit=500).edges
        return {edge.source_urn for edge in edges if not f"{edge.source_urn}:".startswith(f"{urn}:")}

    urns = ["urn:lex:ma:940cmr:3.17", "urn:lex:ma:940cmr:3.17:4", "urn:lex:ma:940cmr:3.17:4:a", "urn:lex:ma:940cmr"]
    assert [count(urn) for urn in urns] == [len(outside(urn)) for urn in urns]
    assert count(urns[0]) == 1  # 3.19(1) disapplies its (4); what (6) says of (4)(a) it says within the section


def test_search_results_say_how_often_they_are_cited(opened: Engine) -> None:
    results = opened.search("security deposit", jurisdiction="us-ma", mode="keyword").results
    assert results
    assert all(result.cited_by >= 0 for result in results)


HOSTILE = (
    "%", "_", "\\", "'", ";", "'; drop table legal_nodes; --", "%' or '1'='1", "a\0b", "\ud800", "\u202eabc", "\u200b",
    "now", "infinity", "2015-W24-1", "((((((((((", "1" * 400, "§" * 400, "(a)" * 300, "section " * 120,
    "аrticle 1", "９４０ ＣＭＲ ３．１７", "urn:lex:", "urn:lex:us:*", "urn:lex:us:" + "a" * 600, "x" * 100_000,
)  # fmt: skip


def answered_or_refused(engine: Engine, text: str) -> None:
    """Every field takes the string or says what is wrong with it; nothing outside a filter comes back."""
    fields = (
        lambda: engine.resolve(text),
        lambda: engine.resolve("940 CMR 3.17(4)", tags={"k": text}),
        lambda: engine.resolve("940 CMR 3.17(4)", tags={text: "v"}),
        lambda: engine.resolve("940 CMR 3.17(4)", jurisdiction=text),
        lambda: engine.resolve("940 CMR 3.17(4)", language=text),
        lambda: engine.resolve("940 CMR 3.17(4)", at_date=text),
        lambda: engine.resolve_case(court=text),
        lambda: engine.resolve_case(case_name=text),
        lambda: engine.resolve_case(case_number=text),
        lambda: engine.resolve_case(date=text),
        lambda: engine.edges(text),
        lambda: engine.edges(RULE, kind=text),
    )
    for position, call in enumerate(fields):
        try:
            result = call()
        except InputError:
            continue
        if position == 1:
            assert result.status == "not_found"  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        if 6 <= position <= 9:
            assert result.cases == []  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_string_is_answered_or_refused_in_every_field(opened: Engine, text: str) -> None:
    answered_or_refused(opened, text)


def test_published_naughty_strings_are_answered_or_refused_in_every_field(opened: Engine, shared_data: Path) -> None:
    published = json.loads((shared_data / "attacks" / "blns" / "blns.json").read_text(encoding="utf-8"))
    for text in published:
        answered_or_refused(opened, text)


def test_an_alias_that_is_the_citation_of_other_law_is_never_certain(engine: Engine) -> None:
    rule = "urn:lex:us-dc:tc:1:1"
    taken, missing = "940 CMR 3.17(5)", "17 C.F.R. § 240.10b-5"
    aliases = [taken, missing, "HOUSE-1"]
    rules = law.document([law.node("urn:lex:us-dc:tc:1"), law.node(rule, "The charge is 50 percent.", aliases=aliases)])
    law.store(engine.database, rules)
    both = engine.resolve(taken)
    assert (both.status, {candidate.urn for candidate in both.candidates}) == (
        "ambiguous",
        {"urn:lex:ma:940cmr:3.17:5", rule},
    )
    alone = engine.resolve(missing)
    assert (alone.status, alone.urn) == ("candidates", rule)
    assert "as a citation it is urn:lex:us:17cfr:240.10b-5" in (alone.hint or "")
    assert (engine.resolve("HOUSE-1").status, engine.resolve("HOUSE-1").urn) == ("resolved", rule)
