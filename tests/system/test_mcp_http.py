"""The MCP server over HTTP: who is let in, with which status the others are refused, and results as over any wire."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from conftest import Stores
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_calls import CANARY
from requirements import requirement

from rag import Engine
from rag.mcp.guard import MAX_BODY
from rag.mcp.http import bound_socket, checked_access, http_app
from rag.settings import load_settings
from rag.store.database import Database
from retrieval.errors import ConfigurationError

TOKEN = "a-token-of-the-tests-that-is-long-enough-for-any-address"
BASE = "http://127.0.0.1:8765"
RULE = "urn:lex:ma:940cmr:3.17:4"
GOOD = {
    "authorization": f"Bearer {TOKEN}",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}
LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
NOW = {"mcp_protocol_version": "2026-07-28"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
MODERN = {**LIST, "params": {"_meta": META}}
CALL = {
    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
    "params": {"name": "get_context", "arguments": {"reference": RULE}, "_meta": META},
}  # fmt: skip


@pytest.fixture(scope="module")
def engine(stores: Stores, sample_template: str) -> Iterator[Engine]:
    with Engine.open(stores.clone(sample_template)) as opened:
        yield opened


@asynccontextmanager
async def served(engine: Engine, **given: Any) -> AsyncIterator[httpx2.AsyncClient]:
    """An HTTP client of the application, whose lifespan is entered as a server would."""
    access = checked_access(
        given.get("host", "127.0.0.1"),
        TOKEN,
        given=True,
        hosts=given.get("hosts", ()),
        origins=given.get("origins", ()),
    )
    app = http_app(engine, access)
    async with app.app.router.lifespan_context(app.app):  # type: ignore[attr-defined]
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE) as client:
            yield client


def changed(**headers: str | None) -> list[tuple[str, str]]:
    """The headers of a good request with some changed (`_` for `-`) or left out."""
    merged: dict[str, str | None] = {**GOOD, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return [(name, value) for name, value in merged.items() if value is not None]


REQUESTS: list[tuple[str, str, str, list[tuple[str, str]], object, int]] = [
    ("good", "POST", "/mcp", changed(), LIST, 200),
    ("notification", "POST", "/mcp", changed(), {"jsonrpc": "2.0", "method": "notifications/initialized"}, 202),
    ("get", "GET", "/mcp", changed(), None, 405),
    ("delete", "DELETE", "/mcp", changed(), None, 405),
    ("get without token", "GET", "/mcp", changed(authorization=None), None, 405),
    ("put", "PUT", "/mcp", changed(), LIST, 405),
    ("no token", "POST", "/mcp", changed(authorization=None), LIST, 401),
    ("wrong token", "POST", "/mcp", changed(authorization=f"Bearer {TOKEN}x"), LIST, 401),
    ("part of the token", "POST", "/mcp", changed(authorization=f"Bearer {TOKEN[:-1]}"), LIST, 401),
    ("another scheme", "POST", "/mcp", changed(authorization=f"Basic {TOKEN}"), LIST, 401),
    ("the bare token", "POST", "/mcp", changed(authorization=TOKEN), LIST, 401),
    ("empty token", "POST", "/mcp", changed(authorization="Bearer "), LIST, 401),
    ("token in the query", "POST", f"/mcp?token={TOKEN}", changed(authorization=None), LIST, 401),
    ("two tokens", "POST", "/mcp", [*changed(), ("authorization", "Bearer other")], LIST, 400),
    ("evil host", "POST", "/mcp", changed(host=f"{CANARY.split()[0]}.example"), LIST, 421),
    ("host that begins well", "POST", "/mcp", changed(host="127.0.0.1.evil.example"), LIST, 421),
    ("host with an at", "POST", "/mcp", changed(host="127.0.0.1@evil.example"), LIST, 421),
    ("empty host", "POST", "/mcp", changed(host=""), LIST, 421),
    ("loopback by name", "POST", "/mcp", changed(host="localhost:9999"), LIST, 200),
    ("loopback in six", "POST", "/mcp", changed(host="[::1]:8765"), LIST, 200),
    ("two hosts", "POST", "/mcp", [*changed(host="localhost"), ("host", "evil.example")], LIST, 400),
    ("evil origin", "POST", "/mcp", changed(origin=f"https://{CANARY.split()[0]}.example"), LIST, 403),
    ("null origin", "POST", "/mcp", changed(origin="null"), LIST, 403),
    ("origin that begins well", "POST", "/mcp", changed(origin="http://localhost.evil.example"), LIST, 403),
    ("evil origin without token", "POST", "/mcp", changed(origin="https://e.example", authorization=None), LIST, 403),
    ("local origin", "POST", "/mcp", changed(origin="http://localhost:3000"), LIST, 200),
    ("local preflight", "OPTIONS", "/mcp", [("origin", "http://localhost:3000")], None, 204),
    ("evil preflight", "OPTIONS", "/mcp", [("origin", "https://evil.example")], None, 403),
    ("options without origin", "OPTIONS", "/mcp", [], None, 405),
    ("another path", "POST", f"/{CANARY.split()[0]}", changed(), LIST, 404),
    ("a file", "GET", "/etc/passwd", changed(), None, 404),
    ("form", "POST", "/mcp", changed(content_type="application/x-www-form-urlencoded"), LIST, 400),
    ("no content type", "POST", "/mcp", changed(content_type=None), LIST, 400),
    ("json with a charset", "POST", "/mcp", changed(content_type="application/json; charset=utf-8"), LIST, 200),
    ("a list of types", "POST", "/mcp", changed(content_type="application/jsonx"), LIST, 400),
    ("accepts nothing of ours", "POST", "/mcp", changed(accept="image/png"), LIST, 406),
    ("no json", "POST", "/mcp", changed(), b"{" + CANARY.encode(), 400),
    ("deep json", "POST", "/mcp", changed(), b"[" * 200_000, 400),
    ("an empty body", "POST", "/mcp", changed(), b"", 400),
    ("a batch", "POST", "/mcp", changed(), [LIST, LIST], 400),
    ("too long", "POST", "/mcp", changed(), b" " * (MAX_BODY + 1), 413),
    ("said to be too long", "POST", "/mcp", changed(content_length="99999999999999999999"), b"{}", 413),
    ("a length that is none", "POST", "/mcp", changed(content_length="-1"), b"{}", 400),
    ("length and chunks", "POST", "/mcp", changed(content_length="2", transfer_encoding="chunked"), b"{}", 400),
    ("good and modern", "POST", "/mcp", changed(**NOW, mcp_method="tools/list"), MODERN, 200),
    ("another method", "POST", "/mcp", changed(**NOW, mcp_method="ping"), MODERN, 400),
    ("another method, plainly", "POST", "/mcp", changed(mcp_method="tools/call"), LIST, 400),
    ("another name", "POST", "/mcp", changed(**NOW, mcp_method="tools/call", mcp_name="search"), CALL, 400),
    ("another name, plainly", "POST", "/mcp", changed(mcp_name="search"), CALL, 400),
    ("two methods", "POST", "/mcp", [*changed(**NOW, mcp_method="x"), ("mcp-method", "tools/list")], MODERN, 400),
    ("no method", "POST", "/mcp", changed(**NOW), MODERN, 400),
    ("a version of the future", "POST", "/mcp", changed(mcp_protocol_version="2099-01-01"), LIST, 400),
    ("a version that is none", "POST", "/mcp", changed(mcp_protocol_version=CANARY.split()[0]), LIST, 400),
    ("an unknown method", "POST", "/mcp", changed(), {**LIST, "method": CANARY}, 200),
    ("parameters that are none", "POST", "/mcp", changed(), {**LIST, "params": CANARY}, 400),
    ("another protocol", "POST", "/mcp", changed(), {**LIST, "jsonrpc": CANARY}, 400),
    ("an object that is no message", "POST", "/mcp", changed(), {CANARY: CANARY}, 400),
    ("a session of another time", "POST", "/mcp", changed(mcp_session_id="f00", last_event_id="7"), LIST, 200),
]  # fmt: skip


@pytest.mark.anyio
async def test_each_request_has_the_status_it_deserves_and_nothing_comes_back(engine: Engine) -> None:
    async with served(engine) as client:
        for name, method, path, headers, body, status in REQUESTS:
            content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
            reply = await client.request(method, path, headers=headers, content=content)
            assert reply.status_code == status, (name, reply.status_code, reply.text[:200])
            assert "mcp-session-id" not in reply.headers, name
            assert CANARY.split()[0] not in reply.text, name
            assert TOKEN not in reply.text, name
            if status == 405:
                assert reply.headers["allow"] == "POST"
            if status == 401:
                assert reply.headers["www-authenticate"] == "Bearer"
            cross = dict(headers).get("origin", "")
            assert reply.headers.get("access-control-allow-origin") == (cross if "localhost:3" in cross else None), name


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("headers", "body", "code"),
    [
        (changed(**NOW, mcp_method="ping"), MODERN, -32020),
        (changed(mcp_method="ping"), LIST, -32020),
        (changed(mcp_name="search"), CALL, -32020),
        (changed(**NOW), MODERN, -32020),
        (changed(mcp_protocol_version="2099-01-01"), LIST, -32022),
        (changed(), b"{", -32700),
        (changed(), {**LIST, "params": "x"}, -32602),
        *((changed(), {**LIST, "id": odd}, -32600) for odd in ({}, [], None, True, 1.5)),
    ],
)
async def test_what_headers_and_body_say_differently_has_the_protocols_error(
    engine: Engine, headers: list[tuple[str, str]], body: object, code: int
) -> None:
    async with served(engine) as client:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        error = (await client.post("/mcp", headers=headers, content=content)).json()["error"]
    assert error["code"] == code
    assert "input_value" not in error["message"]
    if code == -32022:
        assert error["data"]["requested"] == "2099-01-01"
        assert "2026-07-28" in error["data"]["supported"]


@pytest.mark.anyio
@requirement("P7")
async def test_the_health_endpoint_asks_the_store_and_needs_no_token(engine: Engine, stores: Stores) -> None:
    async with served(engine) as client:
        well = await client.get("/health")
        assert (well.status_code, well.json()) == (200, {"status": "ok"})
        assert (await client.post("/health")).status_code == 405
        assert (await client.get("/health", headers={"host": "evil.example"})).status_code == 421
    gone = load_settings(database_url="postgresql://nobody:secret@127.0.0.1:1/none")
    with Database(gone) as away:
        async with served(Engine(away, gone)) as client:
            ill = await client.get("/health")
    assert (ill.status_code, ill.json()) == (503, {"status": "unavailable", "code": "store_unavailable"})


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_gets_the_engines_results_and_progress(engine: Engine, mode: Any) -> None:
    async with served(engine) as http:
        http.headers["authorization"] = f"Bearer {TOKEN}"
        async with Client(streamable_http_client(f"{BASE}/mcp", http_client=http), mode=mode) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            told: list[tuple[float, str | None]] = []

            async def progress(done: float, total: float | None, message: str | None) -> None:
                told.append((done, message))

            result = await client.call_tool("get_context", {"reference": RULE}, progress_callback=progress)
            assert (result.structured_content or {})["digest"] == engine.context(RULE).digest
        assert {"search", "get_document", "get_context", "ask", "resolve_case"} <= tools
        assert told[0] == (0, "get_context: started")
        assert [done for done, _ in told] == sorted({done for done, _ in told})


@pytest.mark.anyio
async def test_the_official_client_is_told_that_its_token_is_wrong(engine: Engine) -> None:
    async with served(engine) as http:
        http.headers["authorization"] = "Bearer wrong"
        seen: list[int] = []

        async def note(reply: httpx2.Response) -> None:
            seen.append(reply.status_code)

        http.event_hooks = {"request": [], "response": [note]}
        with pytest.raises(BaseExceptionGroup):
            async with Client(streamable_http_client(f"{BASE}/mcp", http_client=http)) as client:
                await client.list_tools()
    assert set(seen) == {401}


@pytest.mark.anyio
async def test_a_server_for_other_machines_takes_the_names_and_origins_it_was_given_and_no_others(
    engine: Engine,
) -> None:
    given = {"host": "0.0.0.0", "hosts": ["law.example.org", "inner:8443"], "origins": ["https://App.example.org/"]}
    body = json.dumps(LIST).encode()
    async with served(engine, **given) as client:
        for host, origin, status in (
            ("law.example.org", None, 200),
            ("LAW.example.org:443", "https://app.example.org", 200),
            ("inner:8443", None, 200),
            ("inner", None, 421),
            ("inner:80", None, 421),
            ("127.0.0.1", None, 421),
            ("law.example.org", "http://localhost:3000", 403),
            ("law.example.org", "https://app.example.org.evil", 403),
        ):
            reply = await client.post("/mcp", headers=changed(host=host, origin=origin), content=body)
            assert reply.status_code == status, (host, origin)


@pytest.mark.parametrize(
    ("host", "token", "given", "hosts", "origins", "said"),
    [
        ("0.0.0.0", TOKEN, True, [], ["none"], "--allow-host"),
        ("0.0.0.0", TOKEN, True, ["a.example"], [], "--allow-origin"),
        ("0.0.0.0", TOKEN, False, ["a.example"], ["none"], "LEXSCOPE_MCP_TOKEN"),
        ("0.0.0.0", "short", True, ["a.example"], ["none"], "32 characters"),
        ("::", TOKEN, True, [], [], "--allow-host"),
        ("192.168.1.7", TOKEN, True, [], ["none"], "--allow-host"),
        ("law.example.org", TOKEN, True, [], ["none"], "--allow-host"),
        ("127.0.0.1", TOKEN, True, ["https://a.example"], [], "no scheme"),
        ("127.0.0.1", TOKEN, True, ["*"], [], "no scheme"),
        ("127.0.0.1", TOKEN, True, [], ["a.example"], "is an origin such as"),
        ("127.0.0.1", TOKEN, True, [], ["https://a.example/path"], "is an origin such as"),
        ("127.0.0.1", TOKEN, True, [], ["*"], "is an origin such as"),
    ],
)
def test_an_address_that_others_reach_is_refused_without_token_hosts_and_origins(
    host: str, token: str, given: bool, hosts: list[str], origins: list[str], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        checked_access(host, token, given=given, hosts=hosts, origins=origins)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "localhost", "::1", "[::1]"])
def test_loopback_needs_a_token_only(host: str) -> None:
    assert checked_access(host, "t", given=False, hosts=[], origins=[]).loopback


def test_an_address_in_use_is_named() -> None:
    with bound_socket("127.0.0.1", 0) as first:
        first.listen()
        port = first.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"Port {port} cannot be used"):
            bound_socket("127.0.0.1", port)
    with pytest.raises(ConfigurationError, match="--host cannot be used"):
        bound_socket("no such host", 1)


@pytest.mark.anyio
async def test_what_is_written_to_a_client_leaves_at_once() -> None:
    delays = list[int]()

    def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        delays.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with bound_socket("127.0.0.1", 0) as bound:
        async with await asyncio.start_server(accepted, sock=bound) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            await reader.read()
            writer.close()
    assert delays == [1]


@pytest.mark.anyio
async def test_a_server_of_many_clients_tells_no_exchanges_apart(engine: Engine) -> None:
    debrief = {"mode": "research", "model": "gpt-5-mini", "queries_attempted": ["security deposit"]}
    async with served(engine) as http:
        http.headers["authorization"] = f"Bearer {TOKEN}"
        async with Client(streamable_http_client(f"{BASE}/mcp", http_client=http)) as client:
            await client.call_tool("ask", {"question": "Interest on a security deposit?", "jurisdiction": "us-ma"})
            reply = (await client.call_tool("quality_check", debrief)).structured_content or {}
    assert (reply["kept"]["detected"], reply["kept"]["not_detected"]) == ([], [])
