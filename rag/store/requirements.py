"""What a server must have before it can hold a store, and what an administrator runs where our role may not."""

from __future__ import annotations

from dataclasses import dataclass, field

from psycopg import sql

from rag.store.database import Connection
from retrieval.queries import QUERIES

OLDEST_SERVER = 150000  # PostgreSQL 15, as the server itself counts
OLDEST_VECTOR = (0, 8)  # of pgvector: filtered searches go on until enough neighbours pass
EXTENSIONS = ("btree_gin", "btree_gist", "ltree", "pg_trgm", "unaccent", "vector")
WITHOUT_VECTOR = (
    "the store has no vectors, for its server had no pgvector (extension vector) when it was made, and the dense leg "
    "is off; with pgvector, ingest the law into a new database"
)


@dataclass(slots=True)
class Requirements:
    """What a server lacks."""

    faults: list[str] = field(default_factory=list[str])  # what no statement mends: a sentence each
    statements: list[str] = field(default_factory=list[str])  # what an administrator runs in the store's database
    owner: str = ""  # the role that the tables of a store that is made belong to, where ours may not alter them
    vectors: bool = True  # whether the store has vectors, or can have them when it is made


def requirements(conn: Connection) -> Requirements:
    """Compare a server, its extensions and our role's rights with what creating a store takes. Nothing is changed.

    Args:
        conn: to the store's database.
    """
    found = Requirements()
    version, number, database, role = next(conn.execute(QUERIES["describe_server"]))
    if number < OLDEST_SERVER:
        found.faults.append(f"The server is PostgreSQL {version}; 15 or newer is needed.")
    schema, may_create, may_extend, above, made, may_alter = next(conn.execute(QUERIES["describe_rights"]))
    found.owner = made if made and not may_alter else ""
    names = {"database": sql.Identifier(database), "role": sql.Identifier(role), "schema": sql.Identifier(schema)}
    rows = conn.execute(QUERIES["list_extensions"], {"names": list(EXTENSIONS)}).fetchall()
    extensions = {name: row for name, *row in rows}
    if made and "vector" in extensions and extensions["vector"][0] is None:
        del extensions["vector"]  # it came when the store was made already, without vectors
    found.vectors = "vector" in extensions
    if absent := [name for name in EXTENSIONS if name not in extensions and name != "vector"]:
        found.faults.append(
            f"The server does not have the extensions {', '.join(absent)}: install its contrib package "
            "(postgresql-contrib)."
        )
    paths: list[sql.Composable] = []
    for name, (installed, offered, trusted, place, on_path) in extensions.items():
        extension = sql.Identifier(name)
        if installed is None:
            if not (above or (trusted and may_extend)):
                found.statements.append(_text("CREATE EXTENSION IF NOT EXISTS {}", extension))
        elif not on_path and (path := sql.Identifier(place)) not in paths:
            paths.append(path)
        if name == "vector" and _numbers(installed or offered) < OLDEST_VECTOR:
            if installed is not None and _numbers(offered) >= OLDEST_VECTOR:
                found.statements.append("ALTER EXTENSION vector UPDATE;")
            else:
                found.faults.append(f"The server's pgvector is {installed or offered}; 0.8 or newer is needed.")
    if paths:
        path = sql.SQL(", ").join([names["schema"], *paths])
        found.statements.append(_text("ALTER DATABASE {} SET search_path = {}", names["database"], path))
    if not may_create:
        found.statements.append(_text("GRANT CREATE ON SCHEMA {} TO {}", names["schema"], names["role"]))
    return found


def _text(statement: str, *parts: sql.Composable) -> str:
    return sql.SQL(statement).format(*parts).as_string() + ";"  # pyright: ignore[reportArgumentType] - constants above


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
