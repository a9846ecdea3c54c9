"""Databases that live as long as one measurement; apart from the benchmarks, whose package imports the suites."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from rag.engine import Engine
from rag.settings import Settings, load_settings
from rag.store.database import Database
from rag.store.schema import migrate
from retrieval.errors import IngestError


@contextmanager
def engine_with(law: Iterable[Path]) -> Generator[Engine]:
    """An engine over a store of its own with some law. No model, embedder or trace, whatever the environment says.

    Raises:
        IngestError: a file is rejected; a measurement without it would blame what it measures.
    """
    with empty_engine() as engine:
        take(engine, law)
        yield engine


def take(engine: Engine, law: Iterable[Path]) -> None:
    """Ingest what the store does not hold yet.

    Raises:
        IngestError: as for `engine_with`.
    """
    if rejected := engine.ingest(law).rejected:
        raise IngestError(rejected[0].cause, file=rejected[0].file, line=rejected[0].line)


@contextmanager
def empty_engine() -> Generator[Engine]:
    """An engine over an empty store of its own, without model, embedder and trace."""
    with tempfile.TemporaryDirectory(prefix="lexscope-evals-", ignore_cleanup_errors=True) as place:
        settings = load_settings(
            data_dir=Path(place), database_url=None, provider="extractive", embedding="none", reranker="none",
            traces="off", telemetry="off", server_idle_seconds=0,
        )  # fmt: skip
        with Engine.open(settings) as engine:
            yield engine


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
