"""Stores of invented law that outlive a benchmark, for sizes that take long to load."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from evals.bench.synthetic import RECIPE, Built, load, stored_rules
from rag.database import Connection, Database
from rag.schema import migrate
from rag.settings import Settings
from retrieval.queries import sql_folder

SLOW_INDEXES = """select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
where a.amname in ('gin', 'gist') and c.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = i.indexrelid)
order by 1"""
EXCLUSIONS = """select conname, conrelid::regclass::text, pg_get_constraintdef(oid)
from pg_constraint where contype = 'x' and connamespace = 'public'::regnamespace order by 1"""


@contextmanager
def kept_store(
    server: Database, settings: Settings, size: int, *, seed: int, say: Callable[[str], None]
) -> Generator[tuple[Database, Built]]:
    """The store of invented law of one size: that of an earlier run, or a new one, which stays afterwards.

    A store that was not finished, or that another schema or recipe made, is made anew.

    Args:
        server: an open server to keep it on; its own database is not touched.
        settings: the settings that opened it.
        size: nodes, about.
        seed: what the law follows from.
        say: is told what is done.
    """
    name = f"lexscope_bench_kept_{size}_{seed}"
    schema = hashlib.sha256((sql_folder() / "schema.sql").read_bytes()).hexdigest()[:16]
    recipe = {"size": size, "seed": seed, "recipe": RECIPE, "schema": schema}
    with server.admin() as conn:
        known = _finished(conn, name, recipe)
        if known is None:
            conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    url = make_conninfo(server.conninfo, dbname=name)
    given = settings.model_copy(update={"database_url": SecretStr(url), "statement_timeout_seconds": 600.0})
    with Database(given) as store:
        if known is not None:
            say(f"{size} nodes: the store {name} of an earlier run is used")
            known.rules = stored_rules(store)
            yield store, known
            return
        migrate(store)
        with without_slow_indexes(store):
            built = load(store, size, seed=seed)
        counts = {"nodes": built.nodes, "versions": built.versions, "definitions": built.definitions}
        told = json.dumps({**recipe, "built": {**counts, "edges": built.edges}})
        with server.admin() as conn:  # in the end, so that a store that has it is whole
            conn.execute(sql.SQL("comment on database {} is {}").format(sql.Identifier(name), sql.Literal(told)))
        say(f"{size} nodes: the store {name} is kept; drop the database to be rid of it")
        yield store, built


def _finished(conn: Connection, name: str, recipe: Mapping[str, object]) -> Built | None:
    """What a finished store of this recipe came to, its rules aside; None where there is none."""
    row = conn.execute(
        "select shobj_description(oid, 'pg_database') from pg_database where datname = %s", [name]
    ).fetchone()
    told: dict[str, Any] = json.loads(row[0]) if row and row[0] else {}
    return Built(**told["built"]) if recipe.items() <= told.items() else None


@contextmanager
def without_slow_indexes(store: Database) -> Generator[None]:
    """Drop the store's GIN and GiST indexes and exclusion constraints, and make the same again afterwards.

    Row by row they cost several times what all else does; over a full table they are made in one go.
    """
    with store.admin() as conn:
        indexes, exclusions = conn.execute(SLOW_INDEXES).fetchall(), conn.execute(EXCLUSIONS).fetchall()
        for name, table, _ in exclusions:
            conn.execute(f"alter table {table} drop constraint {name}".encode())
        for name, _ in indexes:
            conn.execute(f"drop index {name}".encode())
    yield
    with store.admin() as conn:
        conn.execute("set maintenance_work_mem = '512MB'")
        for _, definition in indexes:
            conn.execute(definition.encode())
        for name, table, definition in exclusions:
            conn.execute(f"alter table {table} add constraint {name} {definition}".encode())
        conn.execute("vacuum analyze")
