"""Stored traces in the web application: filtered, judged in codes, exported, and never with a word of a user."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest

from rag import Engine, Settings
from rag.telemetry.review.dump import load_trace
from rag.telemetry.verdicts import REASONS
from rag.web.app import loopback_access, web_app
from retrieval.queries import sql_folder

pytestmark = pytest.mark.anyio
QUESTION = "My landlord Quackenbush did not pay interest on my security deposit."


@asynccontextmanager
async def browser(engine: Engine) -> AsyncGenerator[httpx2.AsyncClient]:
    """A browser that was let in."""
    transport = httpx2.ASGITransport(web_app(engine, loopback_access("key")))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:1") as client:
        await client.get("/?key=key")
        yield client


def listed(page: str) -> list[str]:
    return re.findall(r'name="trace" value="([0-9a-f]+)"', page)


async def test_traces_are_filtered_judged_and_exported(sample_settings: Settings) -> None:
    with Engine.open(sample_settings) as engine:
        answered = engine.ask(QUESTION, jurisdiction="us-ma").trace_id
        halted = engine.ask("Quackenbush: 940 CMR 3.12?", jurisdiction="us-ma").trace_id
        async with browser(engine) as client:
            everything = (await client.get("/traces")).text
            assert listed(everything) == [halted, answered]
            for field, value, found in (
                ("status", "halted", [halted]), ("status", "failed", []), ("level", "VERBATIM", [answered]),
                ("provider", "extractive", [halted, answered]), ("provider", "openai", []),
                ("jurisdiction", "us-ma", [halted, answered]), ("jurisdiction", "fr", []),
                ("warning", "nothing", []), ("since", "2000-01-01", [halted, answered]), ("until", "2000-01-01", []),
                ("verdict", "none", [halted, answered]), ("verdict", "agree", []),
            ):  # fmt: skip
                assert listed((await client.get("/traces", params={field: value})).text) == found, (field, value)
            said = {"trace": answered, "verdict": "disagree", "reason": ["misread", "limit_missing"]}
            kept = await client.post("/verdict", data=said)
            assert (kept.status_code, kept.headers["location"]) == (303, f"/trace?trace={answered}")
            shown = (await client.get("/trace", params={"trace": answered or ""})).text
            assert "Your verdict: disagree" in shown
            assert 'value="misread" checked' in shown
            assert 'value="unclear" checked' not in shown
            assert listed((await client.get("/traces", params={"verdict": "disagree"})).text) == [answered]
            await client.post("/verdict", data={"trace": halted, "verdict": "agree"})
            lines = (await client.get("/export", params={"format": "jsonl"})).text
            rows = (await client.get("/export", params={"format": "csv", "trace": answered or ""})).text
            page = await client.get("/export", params={"format": "html", "status": "answered"})
    entries = [json.loads(line) for line in lines.splitlines()]
    assert [(entry["trace"]["id"], entry["verdict"]) for entry in entries] == [
        (halted, "agree"),
        (answered, "disagree"),
    ]
    assert load_trace(json.dumps(entries[1]["trace"])).id == answered
    [row] = csv.DictReader(rows.splitlines())
    assert (row["id"], row["verdict"], row["reasons"]) == (answered, "disagree", "limit_missing misread")
    assert "attachment" in page.headers["content-disposition"]
    assert "an exception or a limit is missing" in page.text
    assert "<mark>An owner who holds a security deposit" in html.unescape(page.text)
    for text in (everything, shown, lines, rows, page.text):
        assert "Quackenbush" not in text


@pytest.mark.parametrize(
    "fields",
    [
        {}, {"verdict": "perhaps"}, {"verdict": "disagree", "reason": "because Quackenbush says so"},
        {"verdict": "agree", "reason": "misread"}, {"verdict": "agree", "trace": "nothing"},
    ],
)  # fmt: skip
async def test_no_other_verdict_is_kept_and_no_word(sample_settings: Settings, fields: dict[str, str]) -> None:
    with Engine.open(sample_settings) as engine:
        trace = engine.ask("940 CMR 3.12").trace_id or ""
        async with browser(engine) as client:
            reply = await client.post("/verdict", data={"trace": trace, **fields})
            refused = await client.get("/export", params={"format": "docx"})
        with engine.database.read() as conn:
            assert conn.execute("select count(*) from trace_verdicts").fetchone() == (0,)
    assert (reply.status_code, refused.status_code) == (400, 400)
    assert "Quackenbush" not in reply.text


def test_the_reasons_of_the_schema_are_those_of_the_page() -> None:
    schema = (sql_folder() / "schema.sql").read_text(encoding="utf-8")
    [listed_there] = re.findall(r"reasons <@ ARRAY\[(.*?)\]", schema, re.S)
    assert re.findall("'([a-z_]+)'", listed_there) == list(REASONS)
