"""Where PostgreSQL comes from, and the only place that knows its errors.

`Database` opens an external server when a URL is set and the embedded one otherwise; after that the code path is the
same. `read()` gives one read-only snapshot, of a standby where the settings name one, `write()` one transaction. Both
turn driver errors into this project's, by SQLSTATE, and never pass on a message that could hold what a user typed.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, Self

import psycopg
from pgvector.psycopg import register_vector
from psycopg import IsolationLevel, errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import PGconn, Ping
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from rag.calls import Call
from rag.languages.registry import provide_search_words
from rag.settings import Settings
from retrieval.cluster import StoreConnection
from retrieval.errors import (
    ConfigurationError,
    LexscopeError,
    SchemaMismatch,
    StoreBusy,
    StoreError,
    StoreUnavailable,
)
from retrieval.queries import QUERIES

POOL_SECONDS = 5.0
BUSY_SECONDS = 1.0  # for which a call waits though nothing that others hold is given back
MOST_WAITING = 128  # calls for a connection, or for their turn
CLOSE_SECONDS = 0.5  # for threads of a pool that wait for a server which does not answer
GONE_AFTER = 500  # milliseconds until a server that works for nobody notices

Connection = psycopg.Connection[tuple[Any, ...]]


class Database:
    """A server and its pools of connections to one store. Use as a context manager."""

    def __init__(self, settings: Settings) -> None:
        provide_search_words()
        self.settings = settings
        self.embedded = settings.database_url is None
        self.conninfo = ""
        self.read_conninfo = ""  # the same where the settings name no server to read from
        self._stack = ExitStack()
        self._pools: dict[str, _Pool] = {}
        self._standbys: set[str] = set()  # connection strings that lead to one
        self._windows: set[str] = set()  # ... to a server that cannot see whether its client is still there
        self._opening = threading.Lock()  # two threads that come first must not open two pools

    def __enter__(self) -> Self:
        with ExitStack() as stack, mapped_errors():
            if self.settings.database_url is None:
                self.conninfo = stack.enter_context(self._embedded_server())
            else:
                self.conninfo = external_conninfo(self.settings.database_url.get_secret_value())
            self.read_conninfo = self.conninfo
            if self.settings.read_url is not None:
                self.read_conninfo = external_conninfo(self.settings.read_url.get_secret_value())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the pools, then release the embedded server."""
        while self._pools:
            self._pools.popitem()[1].close(CLOSE_SECONDS)
        self._stack.close()

    def _embedded_server(self) -> AbstractContextManager[str]:
        from rag.store.embedded_server import embedded_server  # an external server does without

        return embedded_server(self.settings.data_dir / "pg18", idle_seconds=self.settings.server_idle_seconds)

    def _revive(self, conninfo: str) -> None:
        """Start the embedded server anew where it was killed; does nothing where it answers, or another thread did."""
        with self._opening:
            if conninfo != self.conninfo or PGconn.ping(conninfo.encode()) == Ping.OK:
                return
            if (pool := self._pools.pop(conninfo, None)) is not None:
                pool.close(timeout=0)
            self.conninfo = self.read_conninfo = self._stack.enter_context(self._embedded_server())

    def on_primary(self) -> Self:
        """The same store for work that writes: what it reads is what it wrote, and comes from no standby."""
        primary = copy.copy(self)
        primary.read_conninfo = self.conninfo
        return primary

    @contextmanager
    def admin(self, *, read: bool = False) -> Generator[Connection]:
        """One autocommit connection outside the pools, for migrations and checks; `read`: to the server read from."""
        with mapped_errors(), self._connected(self.read_conninfo if read else self.conninfo) as conn:
            yield conn

    def _connected(self, conninfo: str) -> Connection:
        """A new connection; an embedded server that recovers from a crash is waited for, as the pool does."""
        deadline = time.monotonic() + (POOL_SECONDS if self.embedded else 0.0)
        while True:
            try:
                return psycopg.connect(conninfo, autocommit=True, connect_timeout=5)
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    @contextmanager
    def read(self) -> Generator[Connection]:
        """One read-only snapshot: every statement inside sees the same state of the store."""
        with self._transaction(self.read_conninfo, IsolationLevel.REPEATABLE_READ, read_only=True) as conn:
            if self.settings.stale_seconds is not None and self.read_conninfo in self._standbys:
                _check_staleness(conn, self.settings.stale_seconds)
            yield conn

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction; an error inside leaves nothing written."""
        with self._transaction(self.conninfo, IsolationLevel.READ_COMMITTED, read_only=False) as conn:
            yield conn

    @contextmanager
    def _transaction(self, conninfo: str, level: IsolationLevel, *, read_only: bool) -> Generator[Connection]:
        with mapped_errors(), Call.whole() as left:
            conninfo, pool, conn = self._taken(conninfo, POOL_SECONDS if left is None else min(POOL_SECONDS, left))
            try:
                with Call.through(conn), Call.stoppable():
                    conn.isolation_level = level
                    # A standby refuses to begin what is to write, in words of its own; so the first statement tells.
                    conn.read_only = None if not read_only and conninfo in self._standbys else read_only
                    with conn.transaction():
                        if read_only:
                            # A generic plan of the search statements is up to a thousand times slower, and jit costs
                            # more than these short statements take. A server that looks whether its client is still
                            # there drops the statements of calls that ended. SET LOCAL reaches workers of a cluster.
                            looks = 0 if conninfo in self._windows else GONE_AFTER
                            # An index of vectors goes on until enough neighbours pass the filters.
                            if conn.distributed:  # makes settings reach the workers
                                conn.execute("set local citus.propagate_set_commands = 'local'")
                            conn.execute(
                                sql.SQL(
                                    "set local jit = off; set local plan_cache_mode = force_custom_plan;"
                                    " set local hnsw.iterative_scan = relaxed_order; set local hnsw.ef_search = 400;"
                                    " set local statement_timeout = {}; set local client_connection_check_interval = {}"
                                ).format(
                                    sql.Literal(int(self.settings.statement_timeout_seconds * 1000)), sql.Literal(looks)
                                )
                            )
                        yield conn
            finally:
                pool.give_back(conn)

    def _taken(self, conninfo: str, seconds: float) -> tuple[str, _Pool, StoreConnection]:
        """A connection, with the pool that it goes back to and what that leads to."""
        try:
            pool = self._connections(conninfo)
            return conninfo, pool, pool.take(seconds)
        except PoolTimeout:
            if not self.embedded:
                raise
            self._revive(conninfo)
            pool = self._connections(self.conninfo)
            return self.conninfo, pool, pool.take(seconds)

    def _connections(self, conninfo: str) -> _Pool:
        with self._opening:
            if conninfo not in self._pools:
                pool = _Pool(
                    conninfo,
                    connection_class=StoreConnection,
                    min_size=1,
                    max_size=self.settings.pool_size,
                    open=False,
                    timeout=POOL_SECONDS,
                    max_waiting=MOST_WAITING,
                    check=_check_connection,
                    configure=partial(self._configure, conninfo=conninfo),
                    # The embedded server is told a name with our process id, by which `server status` lists us.
                    kwargs={"connect_timeout": 5} | ({} if self.embedded else {"application_name": "lexscope"}),
                    name="lexscope",
                )
                pool.open()
                self._pools[conninfo] = pool
            return self._pools[conninfo]

    def _configure(self, conn: StoreConnection, conninfo: str) -> None:
        """Make a new connection of a pool ready: what it is connected to is found out here, once."""
        pid, standby, vectors, windows, cluster = next(conn.execute(QUERIES["describe_session"]))
        if vectors:
            register_vector(conn)
        conn.distributed = cluster and bool(next(conn.execute(QUERIES["is_distributed"]))[0])
        if standby:
            self._standbys.add(conninfo)
        if windows:
            self._windows.add(conninfo)
        conn.commit()
        # A pooler tells its clients a process of its own invention, and may give each transaction another session.
        pooled = pid != conn.pgconn.backend_pid
        if self.settings.prepare == "off" or (self.settings.prepare == "auto" and pooled):
            conn.prepare_threshold = None

    def connections(self) -> dict[str, int]:
        """Connections of all pools: `open`, `free`, and requests that are `waiting` for one."""
        found = [pool.get_stats() for pool in list(self._pools.values())]
        names = {"open": "pool_size", "free": "pool_available", "waiting": "requests_waiting"}
        return {state: sum(entry.get(name, 0) for entry in found) for state, name in names.items()}

    @property
    def exhausted(self) -> bool:
        """Whether calls hold all connections to a server, and none was given back for `BUSY_SECONDS`."""
        return any(pool.exhausted for pool in list(self._pools.values()))

    def describe(self) -> str:
        """Where the store is, without its password."""
        parts = conninfo_to_dict(self.conninfo)
        if self.embedded:
            return f"embedded server in {self.settings.data_dir}"
        return f"server {parts.get('host', 'localhost')}, database {parts.get('dbname', '?')}"


class _Pool(ConnectionPool[StoreConnection]):
    """A pool that tells a server which is away from calls that hold all connections."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._counting = threading.Lock()
        self._held = 0
        self._changed = time.monotonic()  # when a connection was last taken or given back

    @property
    def exhausted(self) -> bool:
        """Whether calls hold all connections, and none was given back for a while."""
        return self._held == self.max_size and time.monotonic() - self._changed >= BUSY_SECONDS

    def take(self, seconds: float) -> StoreConnection:
        """A connection, to be given back.

        Raises:
            StoreBusy: the pool is exhausted, or too many calls wait.
            PoolTimeout: none came within so many seconds.
        """
        since = time.monotonic()
        end = since + seconds
        while True:
            now = time.monotonic()
            quiet = max(self._changed, since) if self._held == self.max_size else now
            try:
                conn = self.getconn(max(0.0, min(quiet + BUSY_SECONDS, end) - now))
            except TooManyRequests:
                raise StoreBusy(f"{MOST_WAITING} calls wait for a connection to the database. Try again.") from None
            except PoolTimeout:
                if self.exhausted:
                    raise StoreBusy from None
                if time.monotonic() >= end:
                    raise
            else:
                self._count(1)
                return conn

    def give_back(self, conn: StoreConnection) -> None:
        self._count(-1)
        self.putconn(conn)

    def _count(self, more: int) -> None:
        with self._counting:
            self._held += more
            self._changed = time.monotonic()


def _check_connection(conn: Connection) -> None:
    """Whether a connection of a pool still leads to a server; a call that is ended does not wait for it."""
    with Call.through(conn):
        ConnectionPool.check_connection(conn)


def _check_staleness(conn: Connection, most: float) -> None:
    (behind,) = next(conn.execute(QUERIES["read_staleness"]))
    if behind is None or behind > most:
        told = "an unknown time" if behind is None else f"{behind:.0f} s"
        raise StoreUnavailable(
            f"The standby lies {told} behind its primary; {most:g} s are allowed (LEXSCOPE_STALE_SECONDS). Try again, "
            "or read from the primary."
        )


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
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StoreError(
            "This server or role only reads (a standby, for one), and nothing was written. To write, name the primary "
            "with --database-url or LEXSCOPE_DATABASE_URL."
        )
    if isinstance(error, errors.InvalidCatalogName):
        return StoreUnavailable("The database named in the URL does not exist.")
    # A file that may not grow has no SQLSTATE of its own, only the place in the server where that was found out.
    grows = state == "XX000" and "extend" in (error.diag.source_function or "")
    if grows or isinstance(error, (errors.DiskFull, errors.OutOfMemory, errors.ConfigurationLimitExceeded)):
        return StoreError("The database server ran out of space or memory; nothing of this was written.")
    if not state or state[:2] in ("08", "57", "28"):
        return StoreUnavailable(
            "The database cannot be reached, or the connection to it was lost. Try again; `lexscope doctor` says more."
        )
    return StoreError(f"The database refused a statement (SQLSTATE {state}).")
