"""The grants of sql/roles.sql are the boundary: what each role may and may not do."""

from __future__ import annotations

import psycopg
import pytest
from conftest import SAMPLE, Stores
from psycopg import errors
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from rag import Engine
from rag.ingest.pipeline import vacuum_nodes
from rag.store.database import Database
from retrieval.queries import sql_folder


@pytest.fixture
def shared_store(stores: Stores, sample_template: str) -> str:
    """A connection string to a store whose roles are set up."""
    settings = stores.clone(sample_template, as_owner=True)
    assert settings.database_url is not None
    conninfo = settings.database_url.get_secret_value()
    with psycopg.connect(conninfo, autocommit=True) as conn:
        conn.execute((sql_folder() / "roles.sql").read_bytes())
    return conninfo


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        ("lexscope_read", "select count(*) from legal_nodes"),
        ("lexscope_read", "select count(*) from judicial_overrides"),
        ("lexscope_write", "delete from legal_synonyms"),
        ("lexscope_write", "select nextval('node_ids')"),
        ("lexscope_write", "select lex_add_partition('fr-75'), lex_analyze_nodes(), lex_analyze_store()"),
        ("lexscope_write", "create temporary table staged as select 1 as id"),
        ("lexscope_review", "with gone as (delete from traces returning id) select count(*) from gone"),
        ("lexscope_review", "select count(*) from legal_nodes"),
        ("lexscope_telemetry", "insert into traces (id, privacy, status, body) values ('x', 'redacted', 'ok', '{}')"),
    ],
)
def test_a_role_may_do_its_work(shared_store: str, role: str, statement: str) -> None:
    with psycopg.connect(shared_store, autocommit=True) as conn:
        conn.execute(f"set role {role}".encode())
        assert conn.execute(statement.encode()).rowcount >= 1


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        ("lexscope_read", "set transaction read write; delete from legal_nodes"),
        ("lexscope_read", "select * from traces"),
        ("lexscope_read", "insert into judicial_overrides default values"),
        ("lexscope_read", "select lex_add_partition('fr-75')"),
        ("lexscope_read", "select lex_analyze_store()"),
        ("lexscope_read", "create temporary table legal_nodes (id bigint)"),
        ("lexscope_write", "select lex_drop_vector_index('legal_nodes_pkey')"),
        ("lexscope_write", "create table other (id bigint)"),
        ("lexscope_write", "drop table edges"),
        ("lexscope_review", "insert into legal_synonyms default values"),
        ("lexscope_write", "select * from traces"),
        ("lexscope_write", "select * from quality_checks"),
        ("lexscope_telemetry", "select * from traces"),
        ("lexscope_telemetry", "delete from traces"),
        ("lexscope_telemetry", "select * from legal_nodes"),
    ],
)
def test_a_role_may_do_nothing_else(shared_store: str, role: str, statement: str) -> None:
    with psycopg.connect(shared_store, autocommit=True) as conn:
        conn.execute(f"set role {role}".encode())
        with pytest.raises(errors.InsufficientPrivilege):
            conn.execute(f"begin; {statement}; commit".encode())


def test_an_ingest_as_a_writer_who_owns_nothing_says_nothing_and_does_the_owners_work(
    stores: Stores, empty_template: str
) -> None:
    """Statistics, lists of new rows and partitions take the owner's rights, which the writer has as functions."""
    settings = stores.clone(empty_template, as_owner=True)
    assert settings.database_url is not None
    owner = settings.database_url.get_secret_value()
    with psycopg.connect(owner, autocommit=True) as conn:
        conn.execute((sql_folder() / "roles.sql").read_bytes())
    writer = SecretStr(make_conninfo(owner, options="-c role=lexscope_write -c client_min_messages=notice"))
    said: list[str] = []
    with Engine.open(settings.model_copy(update={"database_url": writer, "traces": "off"})) as engine:
        with engine.database.write() as conn:
            conn.add_notice_handler(lambda notice: said.append(f"{notice.severity}: {notice.message_primary}"))
        report = engine.ingest([SAMPLE])
        left = vacuum_nodes(engine.database)  # of a cluster
    assert report.rejected == []
    assert [one for one in said if not one.startswith("NOTICE")] == []
    assert len(left) == 1
    assert "owner" in left[0]
    with Database(settings) as database:
        assert vacuum_nodes(database) == []
    with psycopg.connect(owner) as conn:
        analysed = conn.execute(
            "select bool_and(reltuples >= 0) from pg_class"
            " where relname in ('legal_nodes', 'legal_definitions', 'edges', 'lexeme_stats')"
        ).fetchone()
        partitions = conn.execute("select count(*) from pg_inherits where inhparent = 'node_embeddings'::regclass")
        assert analysed == (True,)
        assert partitions.fetchone() != (0,)
    stores.drop(settings)
