"""quality_check and safety_guidelines through the real MCP client, and what is left of a user's words: nothing."""

from __future__ import annotations

import io
import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from cli_calls import address, caller
from conftest import Stores
from mcp import Client
from mcp_calls import call, refused, text_of
from psycopg import sql

from rag import Engine
from rag.jurisdictions.registry import all_jurisdictions
from rag.mcp.errors import private_handler
from rag.mcp.server import build_server
from rag.settings import Settings
from rag.telemetry.quality.guidelines import supplements
from rag.telemetry.quality.records import quality_records

pytestmark = pytest.mark.anyio
RULE = "urn:lex:ma:940cmr:3.17:4"
RESEARCH: dict[str, Any] = {"mode": "research", "model": "gpt-5-mini", "jurisdiction": "us-ma"}
# Facts of people, as they could be hidden in any field.
FACTS = [
    "Zebulon Quackenbush", "zebulon.quackenbush@example.org", "+1 617 5550142", "078-05-1120", "7 Larkspur Lane",
    "DE89370400440532013000", "Håkon Ødegård-Þórsson", "Łucja Źdźbło", "Αλκιβιάδης Παπαδόπουλος", "Ярослава Щукина",
    "小鳥遊優太", "محمد القحطاني", "estranged wife Philippa", "diagnosed with lupus in 2019", "case 2021-CV-99817",
    "gpt-Zebulon", "search:Quackenbush", "kind=Quackenbush", "urn:lex:us:doc:quackenbush-lease", "%00Quackenbush",
    "<b>Quackenbush</b>", "Q\u200buackenbush", "zEBULON qUACKENBUSH",
]  # fmt: skip
# Long enough that no hash, id or time of the store holds one by chance.
WORDS = ("quackenbush", "zebulon", "larkspur", "5550142", "078-05-11", "de89370400", "ødegård", "źdźbło",
         "παπαδόπουλος", "щукина", "小鳥遊", "القحطاني", "philippa", "lupus", "cv-99817")  # fmt: skip


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def settings(stores: Stores, sample_template: str) -> Settings:
    return stores.clone(sample_template)


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    with Engine.open(settings) as opened:
        yield opened


def everything_stored(engine: Engine) -> str:
    """All rows of all tables as text."""
    tables = "select tablename from pg_tables where schemaname = 'public'"
    rows: list[str] = []
    with engine.database.read() as conn:
        for (name,) in conn.execute(tables).fetchall():
            query = sql.SQL("select to_jsonb(t)::text from {} t").format(sql.Identifier(name))
            rows += [str(row[0]) for row in conn.execute(query).fetchall()]
    return "\n".join(rows).lower()


async def test_a_debrief_is_reduced_recorded_and_answered_with_alerts(engine: Engine) -> None:
    reply = await call(
        engine, "quality_check", **RESEARCH,
        queries_attempted=["security deposit interest", "nothing known"],
        tools_sequence=["search", "get_context"], documents_cited=[RULE, "urn:lex:us:99usc:1"],
        tags_used={"jurisdiction": "us-ma", "kind": "legislation"}, satisfaction="sufficient", confidence="high",
        gaps=["no case law"], difficulties=["timeout"], concept="Security deposit",
        response_contains_hedge_marker=True,
    )  # fmt: skip
    kept = reply["kept"]
    assert reply["recorded"] is True
    assert (kept["tool_name"], kept["origin"], kept["jurisdictions"]) == ("quality_check", "caller", ["us-ma"])
    assert "security deposit" in kept["query_terms"]
    assert (kept["concept"], kept["queries_attempted"]) == ("security deposit", 2)
    assert (kept["documents_cited"], kept["documents_unknown"]) == ([RULE], 1)
    assert (kept["gaps"], kept["difficulties"]) == (["no_case_law"], ["timeout"])
    assert kept["tags_used"] == ["jurisdiction", "kind=legislation"]
    # The guidelines were not read in this exchange, which the server saw.
    assert reply["highest_alert_severity"] == "STOP"
    assert [entry["flag"] for entry in reply["alerts"]] == [
        "safety_guidelines_not_fully_loaded",
        "response_contains_hedge_marker",
    ]
    [record] = quality_records(engine.database)
    assert json.loads(record.model_dump_json()) == kept


async def test_only_legislation_gives_words_and_identifiers_to_a_record(engine: Engine) -> None:
    with engine.database.write() as conn:
        conn.execute("update legal_nodes set kind = 'record' where urn like %s", (f"{RULE.rpartition(':')[0][:-5]}%",))
    reply = await call(engine, "quality_check", **RESEARCH, documents_cited=[RULE], concept="security deposit")
    kept = reply["kept"]
    assert (kept["documents_cited"], kept["documents_other"], kept["documents_unknown"]) == ([], 1, 0)
    assert (kept["concept"], kept["query_terms"]) == (None, [])


async def test_what_was_declared_stands_beside_what_was_detected(engine: Engine) -> None:
    async with Client(build_server(engine)) as client:
        await client.call_tool("safety_guidelines", {"category": "core"})
        question = "My landlord did not pay interest on my security deposit."
        await client.call_tool("ask", {"question": question, "jurisdiction": "us-ma"})
        reply = await client.call_tool("quality_check", {**RESEARCH, "documents_cited": [RULE]})
    kept = (reply.structured_content or {})["kept"]
    assert kept["declared"] == []
    assert "response_contains_legal_assertion_verb" in kept["detected"]
    assert "safety_guidelines_not_fully_loaded" in kept["not_detected"]
    assert "response_contains_flattery" in kept["not_detected"]


async def test_a_server_of_many_clients_detects_nothing(engine: Engine) -> None:
    async with Client(build_server(engine, many_clients=True)) as client:
        await client.call_tool("ask", {"question": "Interest on a security deposit?", "jurisdiction": "us-ma"})
        reply = await client.call_tool("quality_check", RESEARCH)
    kept = (reply.structured_content or {})["kept"]
    assert (kept["detected"], kept["not_detected"]) == ([], [])


async def test_an_answer_of_the_engine_is_recorded_by_itself(engine: Engine) -> None:
    await call(engine, "ask", question="My landlord did not pay interest on my security deposit.", jurisdiction="us-ma")
    [record] = quality_records(engine.database)
    assert (record.origin, record.tools_sequence, record.satisfaction) == ("engine", ["ask"], "sufficient")
    assert RULE in record.documents_cited


async def test_a_correction_alerts_and_fields_of_the_other_mode_are_not_kept(engine: Engine) -> None:
    reply = await call(
        engine, "quality_check", mode="correction", model="gpt-5-mini", error_type="fabricated_citation",
        severity="critical", document_ids=[RULE], detail="invented section number", satisfaction="partial",
    )  # fmt: skip
    assert reply["alerts"][0]["flag"] in ("fabricated_citation", "safety_guidelines_not_fully_loaded")
    assert reply["highest_alert_severity"] == "STOP"
    assert (reply["kept"]["detail"], reply["kept"]["satisfaction"]) == (["invented", "wrong_number"], None)
    assert any(warning.startswith("satisfaction:") for warning in reply["warnings"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"mode": "audit"}, "mode"),
        ({"jurisdiction": "zz-quackenbush"}, "jurisdiction"),
        ({"jurisdiction": "Quackenbush; drop"}, "jurisdiction"),
        ({"jurisdiction": "!*"}, "jurisdiction"),
        ({"gaps": ["x" * 3_000]}, "gaps"),
        ({"queries_attempted": ["x"] * 101}, "queries_attempted"),
        ({"tags_used": {f"k{number}": "x" for number in range(101)}}, "tags_used"),
        ({"detail": "a\x00b"}, "detail"),
    ],
)
async def test_what_cannot_be_used_is_refused_by_its_name(engine: Engine, arguments: dict[str, Any], said: str) -> None:
    mode = "correction" if {"detail", "severity", "error_type"} & set(arguments) else "research"
    message = await refused(engine, "quality_check", {**RESEARCH, "mode": mode, **arguments})
    assert said in message.lower()
    assert "quackenbush" not in message.lower()
    assert quality_records(engine.database) == []


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the server's own handler writes, of every logger and level."""
    written, root = io.StringIO(), logging.getLogger()
    handler, level = cast("logging.StreamHandler[io.StringIO]", private_handler()), root.level
    handler.setStream(written)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(level)


async def test_no_fact_of_a_person_is_left_anywhere(engine: Engine, log: io.StringIO, tmp_path: Path) -> None:
    file = tmp_path / "telemetry.jsonl"
    engine = engine.using(settings=engine.settings.model_copy(update={"telemetry_file": file}))
    said: list[str] = []
    async with Client(build_server(engine)) as client:
        for fact in FACTS:
            calls: list[tuple[str, dict[str, Any]]] = [
                ("quality_check", {
                    "mode": mode, "model": fact, "queries_attempted": [fact, f"deposit of {fact}"],
                    "tools_sequence": [fact, "search"], "documents_cited": [fact],
                    "tags_used": {fact: fact, "court": fact},
                    "gaps": [fact], "difficulties": [f"timeout for {fact}"], "concept": fact, "document_ids": [fact],
                    "detail": f"wrong number, said {fact}",
                })
                for mode in ("research", "correction")
            ]  # fmt: skip
            calls += [
                ("quality_check", {**RESEARCH, "jurisdiction": fact}),
                ("quality_check", {**RESEARCH, fact: fact}),
                ("quality_check", {**RESEARCH, "satisfaction": fact}),
                ("safety_guidelines", {"category": "jurisdiction", "jurisdiction": fact}),
                ("safety_guidelines", {"category": fact}),
            ]
            for tool, arguments in calls:
                said.append(text_of(await client.call_tool(tool, arguments)))
            await client.call_tool("ask", {"question": f"My landlord kept my deposit. {fact}", "jurisdiction": "us-ma"})
    places = {
        "replies": "\n".join(said),
        "store": everything_stored(engine),
        "log": log.getvalue(),
        "file": file.read_text(encoding="utf-8"),
    }
    left = [(place, word) for place, text in places.items() for word in WORDS if word in text.lower()]
    assert left == []
    assert places["log"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(file.read_text(encoding="utf-8").splitlines()) == len(quality_records(engine.database)) > 2 * len(FACTS)


async def test_a_check_of_nothing_says_so_and_alarms_nobody(engine: Engine) -> None:
    before = len(quality_records(engine.database))
    for given in ({}, RESEARCH, {"mode": "correction"}):
        reply = await call(engine, "quality_check", **given)
        assert (reply["alerts"], reply["highest_alert_severity"], reply["recorded"]) == ([], None, False)
        assert "nothing to check" in reply["relay"]
    assert len(quality_records(engine.database)) == before
    async with Client(build_server(engine)) as client:
        await client.call_tool("ask", {"question": "940 CMR 3.17(4)"})
        reply = await client.call_tool("quality_check", {})
    found = reply.structured_content or {}
    assert found["recorded"]  # what was served is checked, whatever is declared
    assert any("documents_cited" in warning for warning in found["warnings"])  # what to send
    uncited = [one for one in found["alerts"] if one["flag"] == "response_contains_legal_assertion_verb"]
    assert [one["tier"] for one in uncited] == ["ATTENTION"]  # what was not told is not taken for uncited
    declared = await call(engine, "quality_check", response_contains_flattery=True)
    assert "response_contains_flattery" in [alert["flag"] for alert in declared["alerts"]]


async def test_telemetry_that_is_off_records_nothing_and_says_so(engine: Engine) -> None:
    engine = engine.using(settings=engine.settings.model_copy(update={"telemetry": "off"}))
    reply = await call(engine, "quality_check", **RESEARCH, documents_cited=[RULE])
    await call(engine, "ask", question="My landlord kept my deposit.", jurisdiction="us-ma")
    assert reply["recorded"] is False
    assert any(warning.startswith("telemetry:") for warning in reply["warnings"])
    assert quality_records(engine.database) == []


async def test_a_file_that_cannot_be_written_costs_no_reply(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file, so no folder")
    engine = engine.using(
        settings=engine.settings.model_copy(update={"telemetry_file": tmp_path / "blocked" / "t.jsonl"})
    )
    reply = await call(engine, "quality_check", **RESEARCH, documents_cited=[RULE])
    assert reply["recorded"] is False


async def test_the_core_is_read_once_and_a_jurisdiction_for_it_is_ignored_with_a_note(engine: Engine) -> None:
    core = await call(engine, "safety_guidelines", category="core")
    noted = await call(engine, "safety_guidelines", category="core", jurisdiction="fr")
    assert core["warnings"] == []
    assert noted["text"].startswith("Note: `jurisdiction` was ignored")
    assert noted["text"].endswith(core["text"])
    assert sum(line[:2] in {f"{n}." for n in range(1, 9)} for line in core["text"].splitlines()) >= 8


async def test_guidelines_of_a_jurisdiction_come_with_those_above_it_and_with_provenance(engine: Engine) -> None:
    found = await call(engine, "safety_guidelines", category="jurisdiction", jurisdiction="us-ma")
    assert found["jurisdictions"] == ["us", "us-ma"]
    assert {entry["jurisdiction"] for entry in found["provenance"]} == {"us-ma"}
    assert "urn:lex:ma:940cmr" in found["text"]
    several = await call(engine, "safety_guidelines", category="jurisdiction", jurisdiction="eu|fr")
    assert several["jurisdictions"] == ["eu", "fr"]
    all_of_them = await call(engine, "safety_guidelines", category="jurisdiction", jurisdiction="*")
    others = await call(engine, "safety_guidelines", category="jurisdiction", jurisdiction="!=eu")
    assert set(all_of_them["jurisdictions"]) - set(others["jurisdictions"]) == {"eu"}
    state = await call(engine, "safety_guidelines", category="jurisdiction", jurisdiction="us-ny")
    assert "us" in state["jurisdictions"]


@pytest.mark.parametrize("given", [{"error_type": "typo"}, {"quackenbush": True}])
async def test_what_a_tool_cannot_read_is_left_out_and_told(engine: Engine, given: dict[str, Any]) -> None:
    reply = await call(engine, "quality_check", **{**RESEARCH, "mode": "research", **given})
    [note] = reply["arguments_left_out"]
    assert "left out" in note
    assert "typo" not in note
    assert "quackenbush" not in note


@pytest.mark.parametrize("jurisdiction", [None, "", "!*", "zz", "Quackenbush", "!="])
async def test_a_jurisdiction_without_guidelines_is_refused(engine: Engine, jurisdiction: str | None) -> None:
    message = await refused(engine, "safety_guidelines", {"category": "jurisdiction", "jurisdiction": jurisdiction})
    assert "jurisdiction" in message
    assert "Quackenbush" not in message


def test_every_jurisdiction_with_a_grammar_has_guidelines() -> None:
    assert set(supplements()) == {jurisdiction.code for jurisdiction in all_jurisdictions()}


def test_records_are_shown_exported_and_purged(
    settings: Settings, engine: Engine, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    engine.ask("My landlord did not pay interest on my security deposit.", jurisdiction="us-ma")
    lexscope = caller(capsys, "--database-url", address(settings))
    shown = json.loads(lexscope("telemetry", "show", "--json").out)
    assert [entry["origin"] for entry in shown["records"]] == ["engine"]
    assert "lexscope-extractive" in lexscope("telemetry", "show").out
    file = tmp_path / "out.jsonl"
    assert lexscope("telemetry", "export", str(file)).status == 0
    assert json.loads(file.read_text(encoding="utf-8")) == shown["records"][0]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert lexscope("telemetry", "purge").status == 2
    assert lexscope("telemetry", "purge", "--before", "2000-01-01", "--yes").status == 0
    assert len(quality_records(engine.database)) == 1
    assert lexscope("telemetry", "purge", "--yes").status == 0
    assert quality_records(engine.database) == []
    assert "Eight rules" in lexscope("guidelines").out
