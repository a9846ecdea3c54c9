"""What a server tells whoever runs it: counts without a word of a user, a log of one object a line, a quiet end."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from mcp.server.mcpserver.exceptions import ToolError
from test_mcp_http import CALL, GOOD, served
from test_mcp_process import lexscope, told

from rag import Engine, Settings
from rag.mcp.errors import PrivateFormatter
from rag.mcp.metrics import Metrics
from rag.mcp.server import build_server

SECRET = "Quackenbush v. Hazelwood"
RULE = "urn:lex:ma:940cmr:3.17:4"


def numbers(text: str) -> dict[str, float]:
    """The samples of a page of metrics, each line in the form that Prometheus reads."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = re.fullmatch(r'([a-z_]+(?:\{(?:[a-z]+="[^"\\]*",?)+\})?) ([0-9.e+-]+)', line)
            assert match, line
            found[match[1]] = float(match[2])
    return found


@pytest.mark.anyio
async def test_calls_are_counted_by_tool_and_outcome_without_a_word_of_them(engine: Engine) -> None:
    metrics = Metrics()
    server = build_server(engine, metrics=metrics)
    await server.call_tool("get_context", {"reference": RULE})
    await server.call_tool("get_document", {"reference": "940 CMR 3.17"})
    for name, arguments in (("get_context", {"reference": SECRET}), ("resolve_case", {"limit": SECRET}), (SECRET, {})):
        with pytest.raises(ToolError):
            await server.call_tool(name, arguments)
    text = metrics.text(engine.database.connections())
    assert "Quackenbush" not in text
    found = numbers(text)
    assert {name: value for name, value in found.items() if name.startswith("lexscope_calls_total")} == {
        'lexscope_calls_total{tool="get_context",outcome="ok"}': 1,
        'lexscope_calls_total{tool="get_context",outcome="bad_input"}': 1,
        'lexscope_calls_total{tool="get_document",outcome="ok"}': 1,
        'lexscope_calls_total{tool="resolve_case",outcome="bad_input"}': 1,
    }
    assert found['lexscope_call_seconds_bucket{tool="get_context",le="+Inf"}'] == 2
    assert found['lexscope_call_seconds_count{tool="get_context"}'] == 2
    assert found["lexscope_calls_running"] == 0
    assert found['lexscope_connections{state="open"}'] >= 1


@pytest.mark.anyio
async def test_metrics_are_read_with_the_token_only(engine: Engine) -> None:
    async with served(engine) as client:
        assert (await client.get("/metrics")).status_code == 401
        assert (await client.post("/metrics", headers=GOOD)).status_code == 405
        reply = await client.get("/metrics", headers=GOOD)
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/plain")
    assert "lexscope_calls_running" in numbers(reply.text)


def test_a_line_of_the_log_is_an_object_where_that_was_asked_for() -> None:
    shown = PrivateFormatter("json").format
    try:
        raise ValueError(SECRET)
    except ValueError:
        failed = sys.exc_info()
    line = shown(logging.LogRecord("mcp.server", logging.ERROR, "wire.py", 7, f"bad {SECRET}", None, failed))
    found = json.loads(line)
    assert "Quackenbush" not in line
    assert (found["level"], found["logger"], found["message"]) == ("ERROR", "mcp.server", "message of wire:7")
    assert found["exception"].startswith("ValueError at test_metrics.py:")
    assert set(json.loads(shown(logging.LogRecord("rag", 30, "x.py", 1, "said", None, None)))) == {
        "time", "level", "logger", "message",
    }  # fmt: skip


def test_a_call_that_runs_when_a_server_is_told_to_stop_is_answered(sample_settings: Settings, tmp_path: Path) -> None:
    assert sample_settings.database_url is not None
    replies: list[int] = []
    with (
        psycopg.connect(sample_settings.database_url.get_secret_value()) as holding,
        lexscope(sample_settings, tmp_path, "--http", "--port", "0") as process,
    ):
        url, _ = told(process)
        token = (tmp_path / "mcp_token").read_text().strip()
        headers = GOOD | {
            "authorization": f"Bearer {token}", "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call",
            "mcp-name": "get_context",
        }  # fmt: skip
        holding.execute("lock table legal_nodes in access exclusive mode")

        def ask() -> None:
            reply: Any = httpx2.post(url, json=CALL, headers=headers, timeout=30)
            replies.append(reply.status_code)

        asking = threading.Thread(target=ask)
        asking.start()
        waiting = b"select count(*) from pg_locks where not granted"
        while holding.execute(waiting).fetchone() == (0,):
            pass
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        holding.rollback()
        asking.join(10)
        assert process.wait(10) == 128 + signal.SIGTERM
    assert replies == [200]
