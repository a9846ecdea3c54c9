"""The same store on Debian's PostgreSQL 15 without pgvector, under roles, on its standby and behind a pooler."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from conftest import SAMPLE, Stores
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from servers import caught_up, debian_server, folder, needs_debian, needs_pooler, pooler_before, standby_of

from rag import Engine
from rag.cli.app import app, run
from rag.settings import Settings, load_settings
from rag.store.database import Database
from rag.store.reference_data import import_overrides, import_preemption, import_synonyms
from rag.store.schema import migrate
from retrieval.errors import StoreError, StoreUnavailable
from retrieval.queries import sql_folder

pytestmark = needs_debian

LOGINS = {"writer": "lexscope_write", "reader": "lexscope_read", "recorder": "lexscope_read, lexscope_telemetry"}
PUBLISHED = (
    "uscode-uslm/usc09.xml",
    "uscode-uslm/usc27.xml",
    "de-gesetze-md/gg.md",
    "fr-legalize-md/LEGITEXT000031366350.md",
)
COMPARED = 100  # contexts, and searches
QUESTIONS = ("security deposit interest", "how much may a landlord keep", "tenant last month rent", "lease")
RULE = "urn:lex:ma:940cmr:3.17:4"
ROUNDS, THREADS = 72, 6


@dataclass(frozen=True)
class Server:
    place: Path
    owner: str  # connection string to the store

    def url(self, login: str, *, at: str = "") -> str:
        return make_conninfo(at or self.owner, user=login, dbname="law")

    def settings(self, login: str, **given: object) -> Settings:
        return load_settings(database_url=self.url(login), **given)


def filled(engine: Engine, data: Path) -> None:
    """Give an empty store the sample and four published laws of three jurisdictions."""
    assert not engine.ingest([SAMPLE, *(data / name for name in PUBLISHED)]).rejected
    import_overrides(engine.database, SAMPLE / "overrides.csv")
    import_preemption(engine.database, SAMPLE / "preemption.csv")
    import_synonyms(engine.database, SAMPLE / "synonyms.csv")


@pytest.fixture(scope="module")
def embedded(stores: Stores, empty_template: str, shared_data: Path) -> Iterator[list[object]]:
    """What the same law gives on the embedded server."""
    with Engine.open(stores.clone(empty_template, traces="off")) as engine:
        filled(engine, shared_data)
        yield told(engine)


@pytest.fixture(scope="module")
def debian(shared_data: Path) -> Iterator[Server]:
    """A store of the same law that its owner made and lexscope_write filled."""
    with folder() as place, debian_server(place, wal_level="replica") as maintenance:
        with psycopg.connect(maintenance, autocommit=True) as conn:
            conn.execute("create database law")
        server = Server(place, make_conninfo(maintenance, dbname="law"))
        with Database(load_settings(database_url=server.owner)) as database:
            migrate(database)
        with psycopg.connect(server.owner, autocommit=True) as conn:
            conn.execute((sql_folder() / "roles.sql").read_bytes())
            for login, roles in LOGINS.items():
                conn.execute(f"create role {login} login in role {roles}".encode())
        with Engine.open(server.settings("writer")) as engine:
            filled(engine, shared_data)
        yield server


@pytest.fixture(scope="module")
def standby(debian: Server) -> Iterator[str]:
    with standby_of(make_conninfo(debian.owner, dbname="postgres"), debian.place) as maintenance:
        yield maintenance


def told(engine: Engine) -> list[object]:
    """What a store serves: the digests of 100 contexts and the orders of 100 searches, drawn from all of its law."""
    with engine.database.read() as conn:
        rows = conn.execute(
            "select distinct urn, jurisdiction, heading from legal_nodes where rule_id = node_id order by urn, heading"
        ).fetchall()
    drawn = random.Random(15)
    rules = drawn.sample(sorted({urn for urn, *_ in rows}), COMPARED)
    named = drawn.sample([row for row in rows if row[2]], COMPARED - len(QUESTIONS))
    asked = [(heading, place if number % 2 else None) for number, (_, place, heading) in enumerate(named)]
    contexts = [(context.status, context.digest) for context in map(engine.context, rules)]
    orders = [
        [hit.urn for hit in engine.search(words, jurisdiction=place).results]
        for words, place in (*asked, *((words, None) for words in QUESTIONS))
    ]
    assert len({place for _, place, _ in named}) > 3
    assert sum(len(order) > 1 for order in orders) > COMPARED / 2
    return [*contexts, *orders]


def test_digests_and_orders_are_those_of_the_embedded_server(debian: Server, embedded: list[object]) -> None:
    with Engine.open(debian.settings("recorder", traces="off")) as engine:
        assert told(engine) == embedded


def test_without_pgvector_the_dense_leg_is_off_and_says_so(debian: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(app, ["doctor", "--database-url", debian.url("reader")]) == 0
    assert "the dense leg is off" in " ".join(capsys.readouterr().out.split())
    with psycopg.connect(debian.owner) as conn:
        assert conn.execute("select count(*) from pg_extension where extname = 'vector'").fetchone() == (0,)


# --- a standby ------------------------------------------------------------------------------------------------------


def test_a_standby_serves_the_same_and_traces_go_to_the_primary(
    debian: Server, standby: str, embedded: list[object]
) -> None:
    caught_up(debian.owner, standby)
    settings = debian.settings("recorder", read_url=debian.url("reader", at=standby))
    with Engine.open(settings) as engine:
        with engine.database.read() as conn:
            assert conn.execute("select pg_is_in_recovery()").fetchone() == (True,)
        assert told(engine.using(settings=settings.model_copy(update={"traces": "off"}))) == embedded
        kept = engine.context(RULE).trace_id
    with psycopg.connect(debian.owner) as conn:
        assert conn.execute("select id from traces where id = %s", [kept]).fetchone() == (kept,)


def test_what_cannot_be_written_on_a_standby_is_said(debian: Server, standby: str) -> None:
    caught_up(debian.owner, standby)
    with Engine.open(load_settings(read_url=debian.url("writer", at=standby))) as engine:
        context = engine.context(RULE)
        assert (context.status, context.trace_id) == ("ok", None)
        assert "trace" in [warning.kind for warning in context.warnings]
        answer = engine.ask("May a landlord keep the security deposit?", jurisdiction="us-ma")
        assert answer.trace_id is None
        assert "trace" in [warning.kind for warning in answer.warnings]
        with pytest.raises(StoreError, match=r"only reads.*name the primary"):
            import_overrides(engine.database, SAMPLE / "overrides.csv")


def test_a_standby_that_lies_behind_is_not_read_beyond_the_bound(debian: Server, standby: str) -> None:
    reader = {"read_url": debian.url("reader", at=standby), "traces": "off"}
    caught_up(debian.owner, standby)
    with (
        Engine.open(debian.settings("writer", stale_seconds=0.5, **reader)) as bounded,
        Engine.open(debian.settings("writer", **reader)) as unbounded,
        psycopg.connect(make_conninfo(standby, dbname="law"), autocommit=True) as other,
    ):
        assert bounded.context(RULE).status == "ok"
        other.execute("select pg_wal_replay_pause()")
        with psycopg.connect(debian.owner, autocommit=True) as conn:
            conn.execute("create table later (id bigint)")
            conn.execute("drop table later")
        time.sleep(1.0)
        with pytest.raises(StoreUnavailable, match=r"standby lies .* behind.*LEXSCOPE_STALE_SECONDS"):
            bounded.context(RULE)
        assert unbounded.context(RULE).status == "ok"
        other.execute("select pg_wal_replay_resume()")
        caught_up(debian.owner, standby)
        assert bounded.context(RULE).status == "ok"


# --- a pooler -------------------------------------------------------------------------------------------------------


@needs_pooler
def test_six_threads_through_a_pooler_in_transaction_mode_meet_no_error(debian: Server, embedded: list[object]) -> None:
    """Three sessions of the server for six clients: no session keeps what a client prepared on it."""
    with (
        pooler_before(
            {key: str(value) for key, value in conninfo_to_dict(debian.owner).items()}, debian.place, "law"
        ) as url,
        Engine.open(load_settings(database_url=url, traces="off", pool_size=THREADS)) as engine,
    ):
        with engine.database.read() as conn:
            assert conn.prepare_threshold is None
        assert told(engine) == embedded
        expected = engine.context(RULE).digest
        failures: list[str] = []
        digests: set[str] = set()

        def ask(number: int) -> None:
            try:
                for turn in range(ROUNDS // THREADS):
                    if (turn + number) % 3:
                        digests.add(engine.context(RULE).digest)
                    else:
                        assert engine.search(QUESTIONS[turn % 4], jurisdiction="us-ma").results is not None
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}")

        for _ in range(THREADS):
            threads = [threading.Thread(target=ask, args=[number]) for number in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert failures == []
        assert digests == {expected}
        assert not engine.ingest([SAMPLE]).rejected
    with Engine.open(debian.settings("reader", traces="off")) as direct, direct.database.read() as conn:
        assert conn.prepare_threshold is not None
