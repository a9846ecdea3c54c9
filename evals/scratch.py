"""Databases that live as long as one measurement; apart from the benchmarks, whose package imports the suites."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager

from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from rag.settings import Settings
from rag.store.database import Database
from rag.store.schema import migrate


@contextmanager
def scratch_store(server: Database, settings: Settings, name: str) -> Generator[Database]:
    """An empty store with the schema in a database of its own, dropped afterwards.

    Args:
        server: an open server to make it on; its own database is not touched.
        settings: the settings that opened it.
        name: tells this store from others of the same run.
    """
    database = f"lexscope_bench_{name}_{os.getpid()}"
    with server.admin() as conn:
        conn.execute(sql.SQL("create database {}").format(sql.Identifier(database)))
    try:
        url = make_conninfo(server.conninfo, dbname=database)
        given = settings.model_copy(update={"database_url": SecretStr(url), "statement_timeout_seconds": 600.0})
        with Database(given) as store:
            migrate(store)
            yield store
    finally:
        with server.admin() as conn:
            conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(database)))
