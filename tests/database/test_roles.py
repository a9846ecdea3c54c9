"""The grants of sql/roles.sql are the boundary: what each role may and may not do."""

from __future__ import annotations

import psycopg
import pytest
from conftest import Stores
from psycopg import errors

from retrieval.queries import sql_folder


@pytest.fixture
def shared_store(stores: Stores, sample_template: str) -> str:
    """A connection string to a store whose roles are set up."""
    settings = stores.clone(sample_template)
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
