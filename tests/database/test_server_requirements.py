"""Servers of other people: what they lack is said before anything is made, with the statements that mend it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest
from conftest import SAMPLE, Stores
from law import take_back
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rag import Engine
from rag.cli.app import app, run
from rag.settings import Settings, load_settings
from rag.store.database import Database
from rag.store.requirements import requirements
from rag.store.schema import migrate
from retrieval.queries import sql_folder

LOGIN = "lexscope_test_owner"
WRITER = "lexscope_case_ingest"
RULE = "urn:lex:ma:940cmr:3.17:4"


def url(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


@pytest.fixture
def blank(stores: Stores) -> Iterator[str]:
    """A connection string to a database without any schema, as an administrator."""
    settings = stores.clone("template1", as_owner=True)
    yield url(settings)
    stores.drop(settings)


@pytest.fixture
def login(blank: str, server: str) -> Iterator[str]:
    """The same database as a role that may log in and nothing else."""
    with psycopg.connect(blank, autocommit=True) as conn:
        conn.execute(f"create role {LOGIN} login password 'lexscope'".encode())
    yield make_conninfo(blank, user=LOGIN, password="lexscope")
    with psycopg.connect(blank, autocommit=True) as conn:
        conn.execute(f"drop owned by {LOGIN} cascade; drop role {LOGIN}".encode())


def test_a_server_that_has_all_lacks_nothing(blank: str) -> None:
    with psycopg.connect(blank) as conn:
        found = requirements(conn)
    assert (found.faults, found.statements) == ([], [])


def test_init_without_rights_prints_what_an_administrator_runs_and_then_works(
    blank: str, login: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["--json", "init", "--database-url", login]
    assert run(app, call) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["applied"] == []
    assert f'GRANT CREATE ON SCHEMA "public" TO "{LOGIN}";' in told["administrator"]
    assert 'CREATE EXTENSION IF NOT EXISTS "ltree";' in told["administrator"]
    with psycopg.connect(blank, autocommit=True) as conn:
        assert conn.execute("select to_regclass('schema_migrations')").fetchone() == (None,)
        for statement in told["administrator"]:
            conn.execute(statement.encode())
    assert run(app, call) == 0
    assert json.loads(capsys.readouterr().out)["administrator"] == []
    with Engine.open(load_settings(database_url=login)) as engine:
        assert not engine.ingest([SAMPLE]).rejected
        assert engine.context(RULE).status == "ok"


@pytest.mark.parametrize("as_owner", [True, False], ids=["owner", "administrator"])
def test_a_store_of_before_is_brought_over_by_its_owner_or_an_administrator_and_not_by_a_writer(
    blank: str, login: str, as_owner: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The writer is told who may; the tables remain the owner's, and what it granted holds."""
    writer = make_conninfo(blank, user=WRITER, password="lexscope")
    hashes = "select distinct pg_typeof(source_hash)::text, pg_typeof(search_hash)::text from legal_nodes"
    owners = "select distinct tableowner from pg_tables where schemaname = 'public'"
    assert run(app, ["--json", "init", "--database-url", login]) == 1
    with psycopg.connect(blank, autocommit=True) as conn:
        for statement in json.loads(capsys.readouterr().out)["administrator"]:
            conn.execute(statement.encode())
        assert run(app, ["init", "--database-url", login]) == 0
        conn.execute((sql_folder() / "roles.sql").read_bytes())
        conn.execute(f"create role {WRITER} login password 'lexscope' in role lexscope_write".encode())
        try:
            with Engine.open(load_settings(database_url=writer)) as engine:
                assert not engine.ingest([SAMPLE]).rejected
                before = engine.context(RULE).digest
            take_back(conn, 6)
            capsys.readouterr()
            assert run(app, ["init", "--database-url", writer]) != 0
            assert f"belong to the role {LOGIN}:" in " ".join(capsys.readouterr().err.split())
            assert conn.execute(hashes.encode()).fetchall() == [("text", "text")]
            assert run(app, ["init", "--database-url", login if as_owner else blank]) == 0
            assert "0006_hashes_as_bytes" in capsys.readouterr().out
            assert conn.execute(hashes.encode()).fetchall() == [("bytea", "bytea")]
            assert conn.execute(owners.encode()).fetchall() == [(LOGIN,)]
            assert run(app, ["init", "--database-url", writer]) == 0
            with Engine.open(load_settings(database_url=writer)) as engine:
                assert engine.context(RULE).digest == before
                again = engine.ingest([SAMPLE])
            assert (again.rejected, again.documents) == ([], 0)
            assert again.unchanged > 0
        finally:
            conn.execute(f"drop owned by {WRITER}; drop role {WRITER}".encode())


def test_extensions_may_be_in_another_schema(blank: str) -> None:
    name = sql.Identifier(str(conninfo_to_dict(blank)["dbname"]))
    with psycopg.connect(blank, autocommit=True) as conn:
        conn.execute("create schema extensions")
        rows = conn.execute("select name from pg_available_extensions where name = 'vector'").fetchall()
        for extension in ("ltree", "btree_gin", "btree_gist", "pg_trgm", "unaccent", *(row[0] for row in rows)):
            conn.execute(sql.SQL("create extension {} schema extensions").format(sql.Identifier(extension)))
        found = requirements(conn)
        assert found.statements == [f'ALTER DATABASE {name.as_string()} SET search_path = "public", "extensions";']
        conn.execute(found.statements[0].encode())
    with psycopg.connect(blank) as conn:
        assert requirements(conn).statements == []
    settings = load_settings(database_url=blank)
    with Database(settings) as database:
        migrate(database)
    with Engine.open(settings) as engine:
        assert not engine.ingest([SAMPLE]).rejected
        assert engine.search("security deposit interest", jurisdiction="us-ma").results


def test_roles_can_do_all_their_work(stores: Stores, empty_template: str, server: str) -> None:
    """Ingest and overrides as lexscope_write, serving as lexscope_read, review as lexscope_review."""
    owner = stores.clone(empty_template, as_owner=True)
    logins = {
        "lexscope_case_writer": "lexscope_write", "lexscope_case_reader": "lexscope_read, lexscope_telemetry",
        "lexscope_case_reviewer": "lexscope_review",
    }  # fmt: skip
    with psycopg.connect(url(owner), autocommit=True) as conn:
        conn.execute((sql_folder() / "roles.sql").read_bytes())
        for login, roles in logins.items():
            conn.execute(f"create role {login} login password 'lexscope' in role {roles}".encode())
    writer, reader, reviewer = (
        load_settings(database_url=make_conninfo(url(owner), user=login, password="lexscope")) for login in logins
    )
    try:
        with Engine.open(writer) as engine:
            assert not engine.ingest([SAMPLE]).rejected
        with Engine.open(reader) as engine:
            served = engine.context(RULE)
            assert served.status == "ok"
            assert served.trace_id is not None
        assert run(app, ["doctor", "--database-url", url(reader)]) == 0
        assert run(app, ["dump", served.trace_id, "--database-url", url(reviewer)]) == 0
        assert run(app, ["dump", served.trace_id, "--database-url", url(reader)]) != 0
        assert run(app, ["dump", "last", "--database-url", url(reviewer)]) != 0  # it made none itself
        with Engine.open(writer) as engine:  # which may record no trace
            untold = engine.context(RULE)
        assert (untold.digest, untold.trace_id) == (served.digest, None)
        assert [warning.kind for warning in untold.warnings if warning not in served.warnings] == ["trace"]
    finally:
        stores.drop(owner)
        with psycopg.connect(server, autocommit=True) as conn:
            for login in logins:
                conn.execute(f"drop role {login}".encode())
