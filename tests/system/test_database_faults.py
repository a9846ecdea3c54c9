"""A database that hangs, is busy, slow, or lost at any message: every call ends in time, typed, and nothing is torn."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import anyio
import psycopg
import pytest
import uvicorn
from conftest import SAMPLE, Stores
from fakes.relay import Relay
from mcp.server.mcpserver.exceptions import ToolError

from evals.suites.ingest.crash import content_hash
from rag import Engine
from rag.calls import Call
from rag.cli.session import Session
from rag.mcp.http import checked_access, http_app
from rag.mcp.server import build_server
from rag.settings import GRACE_SECONDS, Settings, load_settings
from rag.store.database import BUSY_SECONDS, MOST_WAITING, Database
from rag.web.app import COOKIE, loopback_access, web_app
from retrieval.errors import CallTimeout, LexscopeError, StoreBusy, StoreError, StoreUnavailable

TOKEN = "a-token-of-the-tests-that-is-long-enough-for-any-address"
RULE = "urn:lex:ma:940cmr:3.17:4"
QUESTION = "Who pays interest on a security deposit?"
VERBS: dict[str, Callable[[Engine], Any]] = {
    "search": lambda engine: engine.search("interest on a security deposit", jurisdiction="us-ma"),
    "context": lambda engine: engine.context(RULE),
    "ask": lambda engine: engine.ask(QUESTION, jurisdiction="us-ma"),
    "verify": lambda engine: engine.verify("See 940 CMR 3.17(4).", jurisdiction="us-ma"),
    "document": lambda engine: engine.document("940 CMR 3.17"),
    "resolve": lambda engine: engine.resolve("940 CMR 3.17(4)"),
    "resolve_case": lambda engine: engine.resolve_case(case_name="Brown"),
    "edges": lambda engine: engine.edges(RULE, "outgoing"),
    "browse": lambda engine: engine.browse_structure(jurisdiction="us-ma"),
    "documents": lambda engine: engine.list_documents(),
    "diff": lambda engine: engine.diff(RULE, "2018-01-01", "2020-01-01"),
}
SLACK = 0.5  # seconds beyond a limit
LONGEST = Settings.model_fields["request_seconds"].default  # seconds of a call that has no deadline of its own
POINTS = 20  # at which an ingest is cut
NODES = 8  # of the law that is ingested
STORED = "select count(distinct d.id), count(n.id) from documents d left join legal_nodes n on n.document_id = d.id"


@pytest.fixture
def relayed(sample_settings: Settings) -> Iterator[tuple[Relay, Engine]]:
    """An engine over the sample, whose every byte to and from the server goes through a relay."""
    assert sample_settings.database_url is not None
    with Relay(sample_settings.database_url.get_secret_value()) as relay:
        settings = load_settings(database_url=relay.conninfo, pool_size=2)
        with Engine.open(settings) as engine:
            yield relay, engine


def seconds_of(function: Callable[[], object]) -> tuple[float, BaseException | None]:
    """How long it took, and what it raised."""
    since = time.monotonic()
    try:
        function()
    except LexscopeError as error:
        return time.monotonic() - since, error
    return time.monotonic() - since, None


# --- F7 -------------------------------------------------------------------------------------------------------------


def test_every_verb_ends_at_its_deadline_though_the_database_hangs(relayed: tuple[Relay, Engine]) -> None:
    relay, engine = relayed
    digest = engine.context(RULE).digest
    for name, verb in VERBS.items():
        relay.silent.set()
        took, error = seconds_of(lambda verb=verb: Call(0.4).run(lambda: verb(engine)))
        assert isinstance(error, CallTimeout), name
        assert took < 0.4 + SLACK, name
        relay.silent.clear()
    assert engine.context(RULE).digest == digest


@pytest.mark.anyio
async def test_a_tool_says_that_its_call_was_ended(sample_settings: Settings) -> None:
    assert sample_settings.database_url is not None
    hasty = sample_settings.model_copy(update={"request_seconds": 0.1})
    with (
        Engine.open(hasty) as engine,
        psycopg.connect(sample_settings.database_url.get_secret_value()) as holding,
    ):
        holding.execute("lock table legal_nodes in access exclusive mode")
        served = build_server(engine)
        since = time.monotonic()
        with pytest.raises(ToolError, match=r"^deadline: get_context: This took longer than 5\.1 s"):
            await served.call_tool("get_context", {"reference": RULE})
        assert time.monotonic() - since < hasty.call_seconds + SLACK


def test_a_verb_of_the_command_line_ends_at_its_deadline(
    sample_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database falls silent once the store is open."""
    assert sample_settings.database_url is not None
    monkeypatch.setenv("LEXSCOPE_REQUEST_SECONDS", "0.1")
    with Relay(sample_settings.database_url.get_secret_value()) as relay:

        def ask(engine: Engine) -> object:
            with engine.database.read() as conn:
                relay.silent.set()
                return conn.execute("select 1")

        took, error = seconds_of(lambda: Session(database_url=relay.conninfo).asked(ask))
        assert isinstance(error, CallTimeout)
        assert took < 0.1 + GRACE_SECONDS + 2 * SLACK  # the opening included


# --- F8, F9 ---------------------------------------------------------------------------------------------------------


def test_f8_where_all_connections_are_held_a_call_is_refused_as_busy_within_a_second(sample_settings: Settings) -> None:
    with Engine.open(sample_settings.model_copy(update={"pool_size": 2})) as engine:
        digest = engine.context(RULE).digest
        threads = threading.active_count()
        with engine.database.read(), engine.database.read():
            took, error = seconds_of(lambda: engine.context(RULE))
            assert isinstance(error, StoreBusy)
            assert (error.code, error.retryable) == ("busy", True)
            assert BUSY_SECONDS - SLACK < took < BUSY_SECONDS + SLACK
            took, error = seconds_of(lambda: Call(0.3).run(lambda: engine.context(RULE)))
            assert isinstance(error, CallTimeout)
            assert took < 0.3 + SLACK
        assert engine.context(RULE).digest == digest
        assert threading.active_count() <= threads + 1  # the watcher


@pytest.mark.anyio
async def test_f8_calls_of_a_server_wait_in_a_line_that_ends_and_are_refused_once_nothing_moves(
    sample_settings: Settings,
) -> None:
    """Two calls hold both connections; of more than may wait, all are told, and the one too many at once."""
    assert sample_settings.database_url is not None
    refused: list[tuple[float, str]] = []
    with (
        Engine.open(sample_settings.model_copy(update={"pool_size": 2})) as engine,
        psycopg.connect(sample_settings.database_url.get_secret_value()) as holding,
    ):
        served, digest = build_server(engine), engine.context(RULE).digest
        threads = threading.active_count()

        async def call() -> None:
            since = time.monotonic()
            try:
                await served.call_tool("get_context", {"reference": RULE})
            except ToolError as error:
                refused.append((time.monotonic() - since, str(error)))

        holding.execute("lock table legal_nodes in access exclusive mode")
        async with anyio.create_task_group() as held:
            held.start_soon(call)
            held.start_soon(call)
            while engine.database.connections()["free"] or engine.database.connections()["open"] < 2:
                await anyio.sleep(0.02)
            async with anyio.create_task_group() as waiting:
                for _ in range(MOST_WAITING + 1):
                    waiting.start_soon(call)
            assert len(refused) == MOST_WAITING + 1
            assert all(said.startswith("busy: get_context: ") for _, said in refused)
            full = [took for took, said in refused if f"{MOST_WAITING} calls wait for their turn" in said]
            assert len(full) == 1
            assert full[0] < SLACK
            assert max(took for took, _ in refused) < BUSY_SECONDS + 2 * SLACK
            holding.rollback()
        assert len(refused) == MOST_WAITING + 1
        assert engine.context(RULE).digest == digest
        assert threading.active_count() <= threads + 3  # the watcher, and threads that the held calls ran in


WAITING_FOR_NODES = """
select count(*) from pg_locks
where not granted and relation = 'legal_nodes'::regclass
  and database = (select oid from pg_database where datname = current_database())
"""


@pytest.mark.parametrize("client", ["mcp 2026-07-28", "web"])
def test_f8_over_http_a_busy_server_says_so_within_a_second_and_serves_on(
    sample_settings: Settings, client: str
) -> None:
    assert sample_settings.database_url is not None
    with (
        Engine.open(sample_settings.model_copy(update={"pool_size": 1})) as engine,
        psycopg.connect(sample_settings.database_url.get_secret_value()) as holding,
    ):
        app, request = served_to(engine, client)
        expected = b"HTTP/1.1 503" if client == "web" else b"busy: get_context: "
        with serving(app) as address, socket.create_connection(address) as first:
            holding.execute("lock table legal_nodes in access exclusive mode")
            first.sendall(request)
            wait_until(lambda: holding.execute(WAITING_FOR_NODES).fetchone() == (1,))
            with socket.create_connection(address) as second:
                since = time.monotonic()
                second.sendall(request)
                assert expected in received(second, expected)
                assert time.monotonic() - since < BUSY_SECONDS + 2 * SLACK
            holding.rollback()
            assert b"200 OK" in received(first, b"200 OK")
        assert engine.context(RULE).status == "ok"


def test_a_statement_ends_at_its_limit_and_its_connection_is_used_again(sample_settings: Settings) -> None:
    limited = sample_settings.model_copy(update={"statement_timeout_seconds": 0.3, "pool_size": 1})
    with Database(limited) as database:
        for statement in (
            "select pg_sleep(20)",
            r"select repeat('ab', 60) || 'c' ~ '^(\w*)(\w*)(\w*)(\w*)(\w*)\5\4\3\2\1$'",
        ):
            sessions: list[int] = []

            def slow(statement: str = statement, sessions: list[int] = sessions) -> None:
                with database.read() as conn:
                    sessions.append(conn.info.backend_pid)
                    conn.execute(statement.encode())

            took, error = seconds_of(slow)
            assert isinstance(error, StoreError)
            assert "time limit" in error.message
            assert took < 0.3 + SLACK
            with database.read() as conn:
                assert [conn.info.backend_pid] == sessions


# --- F31 ------------------------------------------------------------------------------------------------------------


def test_a_connection_lost_at_any_message_is_a_typed_failure_or_costs_nothing(sample_settings: Settings) -> None:
    """The Nth message of a request is lost with its connection, N from the first to the last.

    All verbs at once, each over a relay of its own: most of the time is a pool's, which waits before it tries again.
    """
    assert sample_settings.database_url is not None
    url = sample_settings.database_url.get_secret_value()

    def lose_each(verb: str) -> None:
        call = VERBS[verb]
        with Relay(url) as relay, Engine.open(load_settings(database_url=relay.conninfo, pool_size=2)) as engine:
            expected = call(engine)
            relay.cut_at(None)
            call(engine)
            count = relay.messages
            assert count >= 4, verb
            for number in range(1, count + 1):
                relay.cut_at(number)
                took, error = seconds_of(lambda: unlike(call(engine), expected))
                assert error is None or isinstance(error, StoreUnavailable), (verb, number)
                assert took < LONGEST, (verb, number)
            relay.cut_at(None)
            unlike(call(engine), expected)

    with ThreadPoolExecutor(len(VERBS)) as threads:
        assert len(list(threads.map(lose_each, VERBS))) == len(VERBS)


def unlike(found: Any, expected: Any) -> None:
    """Fail where two results differ in more than their traces, and in the warning that there is none."""
    apart = {"trace_id", "warnings"}
    assert found.model_dump(exclude=apart) == expected.model_dump(exclude=apart)


def test_an_ingest_cut_at_any_message_leaves_all_of_a_document_or_nothing(stores: Stores, empty_template: str) -> None:
    source = SAMPLE / "massachusetts_like_statute.jsonl"

    def cut(number: int | None) -> tuple[int, str, str, LexscopeError | None]:
        """The messages of an ingest that loses one, what the store says then, and after another ingest; the error."""
        settings = stores.clone(empty_template)
        assert settings.database_url is not None
        with (
            Relay(settings.database_url.get_secret_value()) as relay,
            Engine.open(load_settings(database_url=relay.conninfo)) as engine,
            Engine.open(settings) as direct,
        ):
            relay.cut_at(number)
            _, error = seconds_of(lambda: engine.ingest([source]))
            messages, found = relay.messages, content_hash(direct.database)
            with direct.database.read() as conn:
                stored = next(conn.execute(STORED))
            assert stored in ((0, 0), (1, NODES))
            direct.ingest([source])
            after = content_hash(direct.database)
        stores.drop(settings)
        return messages, found, after, error

    count, whole, again, error = cut(None)
    assert (error, again) == (None, whole)
    outcomes: set[str] = set()
    for number in range(1, count + 1, max(1, count // POINTS)):
        _, found, after, error = cut(number)
        assert error is None or isinstance(error, StoreUnavailable), number
        assert after == whole, number
        outcomes.add(found)
    assert len(outcomes) > 1


# --- F34 ------------------------------------------------------------------------------------------------------------


@contextmanager
def serving(app: Any) -> Generator[tuple[str, int]]:
    """An application on a real socket; yields its address."""
    server = uvicorn.Server(uvicorn.Config(app, lifespan="on", log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        yield listening.getsockname()[:2]
        server.should_exit = True
        thread.join(10)


def wait_until(holds: Callable[[], bool], seconds: float = 10.0) -> float:
    """Wait for it; returns the seconds that it took."""
    since = time.monotonic()
    while not holds():
        assert time.monotonic() < since + seconds
        time.sleep(0.02)
    return time.monotonic() - since


def mcp_request(protocol: str) -> bytes:
    meta = {"io.modelcontextprotocol/protocolVersion": protocol, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "get_context", "arguments": {"reference": RULE}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"MCP-Protocol-Version: {protocol}\r\nMcp-Method: tools/call\r\nMcp-Name: get_context\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


def form_request() -> bytes:
    body = urlencode({"question": QUESTION, "jurisdiction": "us-ma"})
    head = (
        f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {COOKIE}={TOKEN}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


def served_to(engine: Engine, client: str) -> tuple[Any, bytes]:
    """The application of a client, and a request of it."""
    if client == "web":
        return web_app(engine, loopback_access(TOKEN)), form_request()
    access = checked_access("127.0.0.1", TOKEN, given=True, hosts=[], origins=[])
    return http_app(engine, access), mcp_request(client.split()[1])


def received(sent: socket.socket, awaited: bytes) -> bytes:
    """What comes, until it has what is awaited or the other side has ended."""
    sent.settimeout(10)
    found = b""
    while awaited not in found and (part := sent.recv(65536)):
        found += part
    return found


@pytest.mark.parametrize("client", ["mcp 2026-07-28", "mcp 2025-11-25", "web"])
def test_what_a_client_that_left_had_asked_for_is_dropped_within_a_second(
    sample_settings: Settings, client: str
) -> None:
    """Its request waits for a table that another session holds; the wait ends on the server, too."""
    assert sample_settings.database_url is not None
    url = sample_settings.database_url.get_secret_value()
    waiting = b"select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    with (
        Engine.open(sample_settings) as engine,
        psycopg.connect(url) as holding,
        psycopg.connect(url, autocommit=True) as watching,
    ):
        app, request = served_to(engine, client)
        with serving(app) as address:
            holding.execute("lock table legal_nodes in access exclusive mode")
            with socket.create_connection(address) as sent:
                sent.sendall(request)
                wait_until(lambda: watching.execute(waiting).fetchone() == (1,))
            assert wait_until(lambda: watching.execute(waiting).fetchone() == (0,)) < 1.0 + SLACK
            holding.rollback()
            assert engine.context(RULE).status == "ok"
            assert watching.execute("select count(*) from traces").fetchone() == (1,)  # that of this request
