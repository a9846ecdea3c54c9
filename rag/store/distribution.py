"""A store over the workers of a Citus cluster: making one, and what is wrong with one (sql/distribute.sql)."""

from __future__ import annotations

from dataclasses import dataclass, field

import psycopg

from rag.store.database import Connection, Database
from retrieval.errors import ConfigurationError
from retrieval.queries import QUERIES, sql_folder

REFERENCE = (
    "federal_preemption",
    "judicial_overrides",
    "law_readings",
    "legal_synonyms",
    "override_proposals",
    "sources",
)
DISTRIBUTED = (
    "documents", "edges", "edition_nodes", "editions", "language_stats", "legal_definitions", "legal_nodes",
    "lexeme_stats", "node_embeddings", "section_vectors",
)  # fmt: skip


@dataclass(slots=True)
class Distribution:
    """How a store lies on a cluster."""

    workers: int
    distributed: bool  # whether any of its tables is
    faults: list[str] = field(default_factory=list[str])  # a sentence each


def describe_distribution(conn: Connection) -> Distribution | None:
    """How the store lies on its cluster; None on a server that is none.

    Args:
        conn: to the store's database, which has its schema.
    """
    if not _has_extension(conn):
        return None
    (workers,) = next(conn.execute(QUERIES["count_workers"]))
    values = {"tables": [*REFERENCE, *DISTRIBUTED]}
    rows = {name: (how, group) for name, how, group in conn.execute(QUERIES["describe_distribution"], values)}
    found = Distribution(workers, any(how != "local" for how, _ in rows.values()))
    if not found.distributed:
        return found
    if not workers:
        found.faults.append("No server of the cluster may hold shards.")
    for name, (how, group) in rows.items():
        wanted = "reference" if name in REFERENCE else "jurisdiction"
        if how != wanted:
            told = "a reference table" if name in REFERENCE else "distributed by jurisdiction"
            found.faults.append(f"{name} is not {told}, but {how}.")
        elif name in DISTRIBUTED and group != rows["documents"][1]:
            found.faults.append(f"{name} does not lie beside documents.")
    if conn.execute("select current_setting('citus.propagate_set_commands')").fetchone() != ("local",):
        found.faults.append("citus.propagate_set_commands is not `local` for this database.")
    return found


def distribute(database: Database) -> Distribution:
    """Distribute a store that has its schema and no law; what is distributed already stays as it is.

    Raises:
        ConfigurationError: the server is no coordinator with workers, or may not be made one by us; or the store holds
            law. What was distributed before stays so, and a later call goes on from there.
    """
    parts = (sql_folder() / "distribute.sql").read_text("utf-8").split(";\n")
    statements = [part for part in parts if not all(line.startswith("--") or not line for line in part.split("\n"))]
    with database.admin() as conn:
        _ensure_extension(conn)
        before = describe_distribution(conn)
        if before is None or not before.workers:
            raise ConfigurationError(
                "The cluster has no server that may hold law. On the coordinator, for each worker: "
                "SELECT citus_add_node('HOST', 5432); then run `lexscope init --distribute` again."
            )
        if not before.distributed and next(conn.execute("select exists (select from documents)"))[0]:
            raise ConfigurationError(
                "This store holds law already, and was left as it is: distribute a new store, and ingest the law there."
            )
        shipped = statements[0]
        conn.execute(shipped.encode())
    with database.admin() as conn:  # in which the settings of the first statement hold
        for shipped in statements:
            conn.execute(shipped.encode())
        after = describe_distribution(conn)
    if after is None or after.faults:
        raise ConfigurationError(" ".join(after.faults if after else ["The extension citus went away."]))
    return after


def _has_extension(conn: Connection) -> bool:
    return bool(next(conn.execute("select exists (select from pg_extension where extname = 'citus')"))[0])


def _ensure_extension(conn: Connection) -> None:
    if _has_extension(conn):
        return
    offered = conn.execute("select from pg_available_extensions where name = 'citus'").fetchone() is not None
    if not offered:
        raise ConfigurationError(
            "This server has no extension citus, and the store is on it alone. Install Citus on the coordinator and on "
            "every worker, with shared_preload_libraries = 'citus', or leave out --distribute."
        )
    try:
        conn.execute("create extension citus")
    except psycopg.Error as error:
        raise ConfigurationError(
            "The extension citus cannot be created here "
            f"(SQLSTATE {error.sqlstate}): it has to be in shared_preload_libraries, and an administrator runs, in the "
            "store's database on the coordinator and on every worker: CREATE EXTENSION citus;"
        ) from None
