"""Stores of invented law that outlive a benchmark, for sizes that take long to load."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from evals.bench.synthetic import RECIPE, Built, load, stored_rules
from rag.ingest.writing.sections import make_sections
from rag.settings import Settings
from rag.store.database import Connection, Database
from rag.store.schema import migrate
from retrieval.errors import SchemaMismatch
from retrieval.queries import sql_folder

SLOW_INDEXES = """select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
where a.amname in ('gin', 'gist') and c.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = i.indexrelid)
order by 1"""
EXCLUSIONS = """select conname, conrelid::regclass::text, pg_get_constraintdef(oid)
from pg_constraint where contype = 'x' and connamespace = 'public'::regnamespace order by 1"""


@dataclass(frozen=True, slots=True)
class Furnish:
    """What a store of invented law is given beside its nodes."""

    name: str
    recipe: int  # to be raised with every change of what is made
    fill: Callable[[Database, int], None]  # of a store and the seed


@contextmanager
def kept_store(
    server: Database,
    settings: Settings,
    size: int,
    *,
    seed: int,
    say: Callable[[str], None],
    furnish: Furnish | None = None,
) -> Generator[tuple[Database, Built]]:
    """The store of invented law of one size: that of an earlier run, or a new one, which stays afterwards.

    A store that was not finished, that another recipe made, or whose schema cannot be brought up to date is made anew.

    Args:
        server: an open server to keep it on; its own database is not touched.
        settings: the settings that opened it.
        size: nodes, about.
        seed: what the law follows from.
        say: is told what is done.
        furnish: what else a store needs, under a name of its own.
    """
    kind = f"{furnish.name}_" if furnish else ""
    name = f"lexscope_bench_kept_{kind}{size}_{seed}"
    schema = hashlib.sha256((sql_folder() / "schema.sql").read_bytes()).hexdigest()[:16]
    recipe: dict[str, object] = {"size": size, "seed": seed, "recipe": RECIPE}
    if furnish:
        recipe |= {"furnished": furnish.recipe}
    with server.admin() as conn:
        known, made_by = _finished(conn, name, recipe)
    url = make_conninfo(server.conninfo, dbname=name)
    given = settings.model_copy(update={"database_url": SecretStr(url), "statement_timeout_seconds": 600.0})
    if known is not None and made_by != schema and not _brought_up_to_date(given):
        known = None
    told: dict[str, object] = {**recipe, "schema": schema}
    if known is None:
        with server.admin() as conn:
            conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    elif made_by != schema:
        _tell(server, name, {**told, "built": _counts(known)})
    with Database(given) as store:
        if known is not None:
            say(f"{size} nodes: the store {name} of an earlier run is used")
            known.rules = stored_rules(store)
            yield store, known
            return
        migrate(store)
        with without_slow_indexes(store):
            built = load(store, size, seed=seed)
            if furnish:
                furnish.fill(store, seed)
        _tell(server, name, {**told, "built": _counts(built)})  # in the end, so that a store that has it is whole
        say(f"{size} nodes: the store {name} is kept; drop the database to be rid of it")
        yield store, built


def _finished(conn: Connection, name: str, recipe: Mapping[str, object]) -> tuple[Built | None, str]:
    """What a finished store of this recipe came to, its rules aside, and its schema; None where there is none."""
    row = conn.execute(
        "select shobj_description(oid, 'pg_database') from pg_database where datname = %s", [name]
    ).fetchone()
    told: dict[str, Any] = json.loads(row[0]) if row and row[0] else {}
    return (Built(**told["built"]), told["schema"]) if recipe.items() <= told.items() else (None, "")


def _tell(server: Database, name: str, told: Mapping[str, object]) -> None:
    with server.admin() as conn:
        text = sql.Literal(json.dumps(told))
        conn.execute(sql.SQL("comment on database {} is {}").format(sql.Identifier(name), text))


def _counts(built: Built) -> dict[str, int]:
    return {
        "nodes": built.nodes, "versions": built.versions, "definitions": built.definitions, "edges": built.edges,
    }  # fmt: skip


def _brought_up_to_date(settings: Settings) -> bool:
    """Apply the migrations that a kept store lacks; False where those it has were changed since."""
    with Database(settings) as store:
        try:
            migrated = migrate(store)
        except SchemaMismatch:
            return False
        if migrated:
            make_sections(store)
            with store.admin() as conn:
                conn.execute("vacuum analyze")
    return True


@contextmanager
def without_slow_indexes(store: Database) -> Generator[None]:
    """Drop the store's GIN and GiST indexes and exclusion constraints, and make the same again afterwards.

    Row by row they cost several times what all else does; over a full table they are made in one go. Inside itself it
    does nothing more.
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
