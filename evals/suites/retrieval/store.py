"""Stores that are kept between runs: one a set of law, made anew when the law, the program or the model changes."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

import rag
import retrieval
from rag import Engine
from rag.settings import Settings
from rag.store.database import Connection, Database
from rag.store.reference_data import import_synonyms
from rag.store.schema import migrate
from retrieval.queries import sql_folder

_PREFIX = "lexscope_eval_"
# What decides the rows of a store; what only reads them, such as ranking, may change without a new one.
_PROGRAM = ("ingest", "jurisdictions", "languages", "law", "store/reference_data.py")
_TRIED = "lexscope_eval_making_"


@contextmanager
def kept_store(
    server: Database, settings: Settings, places: Sequence[Path], synonyms: Sequence[Path], notes: list[str]
) -> Generator[Engine]:
    """An engine over all law under some files and folders, ingested once and kept.

    Args:
        server: an open server to keep it on; its own database is not touched.
        settings: the settings that opened it; their embedder makes the vectors.
        places: the law.
        synonyms: thesauri to import.
        notes: told what was ingested and what was rejected.

    Raises:
        ConfigurationError: the embedder, or a thesaurus, cannot be used.
        IngestError: a place does not exist.
        StoreError: the store cannot be made.
    """
    wanted = hashlib.sha256("\n".join(str(place.resolve()) for place in places).encode()).hexdigest()[:8]
    family = f"{_PREFIX}{wanted}_"
    name = family + _digest(places, synonyms, settings)
    with server.admin() as conn:
        there = _databases(conn, family)
    if name not in there:
        _make(server, settings, name, places, synonyms, notes)
        with server.admin() as conn:
            for old in there:
                conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(old)))
    with Engine.open(_settings_of(server, settings, name)) as engine:
        yield engine


def _make(
    server: Database, settings: Settings, name: str, places: Sequence[Path], synonyms: Sequence[Path], notes: list[str]
) -> None:
    """Ingest into a database of another name first, so that a run that was stopped leaves nothing that looks whole."""
    making = sql.Identifier(_TRIED + name.removeprefix(_PREFIX))
    with server.admin() as conn:
        conn.execute(sql.SQL("drop database if exists {} with (force)").format(making))
        conn.execute(sql.SQL("create database {}").format(making))
    given = _settings_of(server, settings, making.as_string().strip('"'))
    with Database(given) as store:
        migrate(store)
    with Engine.open(given) as engine:
        report = engine.ingest(places, embed=True)
        for synonym in synonyms:
            import_synonyms(engine.database, synonym)
    notes.append(
        f"{', '.join(place.name for place in places)}: {report.nodes} nodes ingested in {report.seconds:.0f} s"
    )
    notes.extend(f"{rejected.file}: {rejected.cause}" for rejected in report.rejected)
    with server.admin() as conn:
        conn.execute(sql.SQL("alter database {} rename to {}").format(making, sql.Identifier(name)))


def _settings_of(server: Database, settings: Settings, name: str) -> Settings:
    url = make_conninfo(server.conninfo, dbname=name)
    return settings.model_copy(update={"database_url": SecretStr(url), "traces": "off"})


def _databases(conn: Connection, family: str) -> list[str]:
    rows = conn.execute("select datname from pg_database order by datname").fetchall()
    return [row[0] for row in rows if row[0].startswith(family)]


def _digest(places: Iterable[Path], synonyms: Iterable[Path], settings: Settings) -> str:
    """Over every byte that decides what the store holds."""
    found = hashlib.sha256()
    package = Path(rag.__file__).parent
    program = [package / name for name in _PROGRAM]
    program += [Path(retrieval.__file__).parent / "paths.py", Path(retrieval.__file__).parent / "languages.py"]
    statements = Path(str(sql_folder()))
    program += [statements / "schema.sql", *sorted((statements / "queries").glob("ingest*.sql"))]
    for place in [*places, *synonyms, *program]:
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
        for file in files:
            if "__pycache__" not in file.parts:
                found.update(
                    f"{file.relative_to(place.parent)}\n".encode() + hashlib.sha256(file.read_bytes()).digest()
                )
    found.update(f"{settings.embeds_with}\n{settings.embedding_model}\n{settings.embedding_dimensions}".encode())
    return found.hexdigest()[:16]
