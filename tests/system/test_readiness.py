"""What an orchestrator asks: is the process alive, and is its store ready."""

from __future__ import annotations

import httpx2
import pytest

from rag import Engine
from rag.mcp.http import checked_access, http_app
from rag.settings import load_settings
from rag.store.database import Database

TOKEN = "t" * 40


async def told(engine: Engine, path: str) -> tuple[int, object]:
    app = http_app(engine, checked_access("127.0.0.1", TOKEN, given=True, hosts=[], origins=[]))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:8765") as client:
        reply = await client.get(path)
    return reply.status_code, reply.json()


@pytest.mark.anyio
async def test_a_store_that_answers_is_ready_and_a_primary_lies_behind_nothing(engine: Engine) -> None:
    assert await told(engine, "/readyz") == (200, {"status": "ok", "behind_seconds": 0.0})
    assert await told(engine, "/health") == (200, {"status": "ok"})
    assert await told(engine, "/healthz") == (200, {"status": "ok"})


@pytest.mark.anyio
async def test_a_process_without_its_store_is_alive_and_not_ready() -> None:
    gone = load_settings(database_url="postgresql://nobody:secret@127.0.0.1:1/none")
    with Database(gone) as away:
        engine = Engine(away, gone)
        assert await told(engine, "/readyz") == (503, {"status": "unavailable", "code": "store_unavailable"})
        assert await told(engine, "/healthz") == (200, {"status": "ok"})
