"""Create and migrate the schema: numbered plain SQL files, each in its own transaction, under one lock."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from psycopg import errors

from rag.store.database import Connection, Database
from retrieval.errors import SchemaMismatch
from retrieval.queries import QUERIES, sql_folder

# Two processes that migrate at once must take turns; the number only has to be ours.
MIGRATION_LOCK = 0x1E85C09E
_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql\Z")
# Digests of earlier texts of a migration that did the same: 0011 read whole documents for each of their nodes.
_SAME = {11: "9e0240201af5a3215afbe8bde963c1c680e6fed5ba054a40103eb7df4d54ac37"}


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    version: int
    name: str
    statements: str

    @property
    def sha256(self) -> str:
        """Digest of the file; a change after it was applied is an error."""
        return hashlib.sha256(self.statements.encode()).hexdigest()


def migrations() -> list[Migration]:
    """All migrations that ship with this version, in order.

    Raises:
        ValueError: a file name out of pattern or out of sequence.
    """
    found: list[Migration] = []
    for file in sorted((sql_folder() / "migrations").iterdir(), key=lambda file: file.name):
        match = _FILE.match(file.name)
        if not match or int(match[1]) != len(found) + 1:
            raise ValueError(f"migration file {file.name} is not the next NNNN_words.sql")
        found.append(Migration(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    return found


def migrate(database: Database) -> list[Migration]:
    """Apply what is missing.

    Raises:
        SchemaMismatch: the store is newer than this program, was made by an earlier development version, or has rows
            that no later version may have; which ones and what to do is told.
    """
    with database.admin() as conn:
        conn.execute("select pg_advisory_lock(%s)", [MIGRATION_LOCK])
        try:
            missing = _missing(conn)
            for step in missing:
                with conn.transaction():
                    conn.execute(step.statements.encode())
                    conn.execute(
                        "insert into schema_migrations (version, name, sha256) values (%s, %s, %s)",
                        [step.version, step.name, step.sha256],
                    )
        except errors.CheckViolation as refused:
            if refused.diag.constraint_name:
                raise
            raise SchemaMismatch(refused.diag.message_primary or "") from None  # the migration's own words
        finally:
            conn.execute("select pg_advisory_unlock(%s)", [MIGRATION_LOCK])
    return missing


def is_current(database: Database) -> bool:
    """Whether no migration is missing.

    Raises:
        SchemaMismatch: the store is newer than this program, or was made by an earlier development version.
    """
    with database.admin() as conn:
        return not _missing(conn)


def check_schema(database: Database) -> None:
    """Refuse to work on a store of another version.

    Raises:
        SchemaMismatch: says which way, and what to run.
    """
    with database.admin(read=True) as conn:
        missing = _missing(conn)
    if missing:
        raise SchemaMismatch(
            f"The store lacks {len(missing)} migration(s), the first is {missing[0].version:04d}. Run `lexscope init`."
        )


def _missing(conn: Connection) -> list[Migration]:
    known = migrations()
    present = conn.execute("select to_regclass('schema_migrations') is not null").fetchone()
    if present is None or not present[0]:
        return known
    applied = conn.execute("select version, name, sha256 from schema_migrations order by version").fetchall()
    for version, name, digest in applied:
        if version > len(known):
            raise SchemaMismatch(
                f"The store has migration {version:04d} ({name}), which this version of Lexscope does not know. "
                "Use a newer Lexscope."
            )
        if digest not in (known[int(version) - 1].sha256, _SAME.get(version)):
            raise SchemaMismatch(
                f"This store was made by an earlier development version of Lexscope (its migration {version:04d}, "
                f"{name}, is not the one of this version) and cannot be brought up to date. Nothing in it was changed. "
                "Make a new store, in another folder or in an empty database (--database-url), and ingest the law "
                "again: `lexscope init --data-dir FOLDER`, then `lexscope ingest FILES --data-dir FOLDER`."
            )
    return known[len(applied) :]


def partition_name(jurisdiction: str) -> str:
    """The table of a jurisdiction's embeddings."""
    return f"node_embeddings_{jurisdiction.replace('-', '_')}"


def ensure_partition(database: Database, jurisdiction: str) -> None:
    """Give a jurisdiction its partition of node_embeddings, in a transaction of its own.

    The vector index is made with the first embeddings, when their size is known.
    """
    name = partition_name(jurisdiction)
    with database.admin() as conn:
        present = conn.execute("select to_regclass(%s) is not null", [name]).fetchone()
        if present is None or not present[0]:
            conn.execute("select pg_advisory_lock(%s)", [MIGRATION_LOCK])
            try:
                conn.execute(QUERIES["create_partition"], {"jurisdiction": jurisdiction})
            finally:
                conn.execute("select pg_advisory_unlock(%s)", [MIGRATION_LOCK])
