"""Fixtures: a real PostgreSQL started once, a template store, and a clone of it for every test that asks."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from servers import memory

# `make thorough` tries everything that is drawn or combined; `make test` a part of it, the same at every run.
THOROUGH = bool(os.environ.get("LEXSCOPE_TEST_THOROUGH"))


def share_of(most: int) -> int:
    """Of so many examples or combinations those that a run tries."""
    return most if THOROUGH else -(-most // 3)


def thorough(*cases: object) -> list[object]:
    """Of some parameters of a test all but the first as those that `make thorough` tries."""
    given = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.thorough] * bool(at)) for at, case in enumerate(given)]


# No property fails because the machine is busy, and one that uses a fixture of the test resets it itself.
settings.register_profile(
    "lexscope",
    deadline=None,
    max_examples=share_of(100),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("lexscope")

# A server to test on instead of the embedded one: a superuser's connection string to its maintenance database. With
# LEXSCOPE_TEST_ROLES set, every store is written as lexscope_write and read as lexscope_read (sql/roles.sql).
EXTERNAL = os.environ.get("LEXSCOPE_TEST_DATABASE_URL", "")
# An empty database on the coordinator of a Citus cluster with workers, for tests/database/test_cluster.py; its
# tables are dropped in the end.
CITUS = os.environ.get("LEXSCOPE_TEST_CITUS_URL", "")
AS_ROLES = bool(os.environ.get("LEXSCOPE_TEST_ROLES"))
LOGINS = {"lexscope_test_writer": "lexscope_write, lexscope_telemetry", "lexscope_test_reader": "lexscope_read"}
RUN = uuid.uuid4().hex[:8]  # part of the name of every database of this run

# Nothing of the developer's own set-up may decide what a test sees; LEXSCOPE_TEST_* is for the tests, and workers that
# start later read it again.
for _name in list(os.environ):
    _ours = _name.startswith("LEXSCOPE_") and not _name.startswith(("LEXSCOPE_TEST_", "LEXSCOPE_SHARED_DATA"))
    if _ours or _name in ("DATABASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CO_API_KEY"):
        del os.environ[_name]
# A program that a test starts finds its modules compiled by the one before it, whatever the developer's set-up says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Whether the packaged encoder is installed decides nothing either; its own tests switch it on.
os.environ["LEXSCOPE_EMBEDDING"] = "none"
# No server that a test starts stays after it, nor one that a process of a test starts.
os.environ["LEXSCOPE_SERVER_IDLE_SECONDS"] = "0"

from rag import Engine  # noqa: E402
from rag.languages.registry import provide_search_words  # noqa: E402
from rag.settings import Settings, load_settings  # noqa: E402
from rag.store.database import Database  # noqa: E402
from rag.store.embedded_server import embedded_server  # noqa: E402
from rag.store.reference_data import import_overrides, import_preemption, import_synonyms  # noqa: E402
from rag.store.schema import migrate  # noqa: E402
from retrieval.queries import sql_folder  # noqa: E402

provide_search_words()  # for tests of search that open no store

PROJECT = Path(__file__).resolve().parent.parent
SAMPLE = PROJECT / "rag" / "sample"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real law beside the project; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("LEXSCOPE_SHARED_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the folder of real law (../shared/data, or LEXSCOPE_SHARED_DATA) is not there")
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A connection string to the server's maintenance database.

    Not under pytest's own folder: as root the server runs as another user, and a second pytest run would close that
    folder to it.
    """
    if EXTERNAL:
        yield EXTERNAL
        with psycopg.connect(EXTERNAL, autocommit=True) as conn:
            ours = conn.execute("select datname from pg_database where datname like %s", [f"%{RUN}%"]).fetchall()
            for (name,) in ours:
                conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
        return
    with (
        tempfile.TemporaryDirectory(prefix="lexscope-test-", dir=memory(), ignore_cleanup_errors=True) as folder,
        embedded_server(Path(folder) / "pg18", idle_seconds=0) as conninfo,
    ):
        maintenance = make_conninfo(conninfo, dbname="postgres")
        with psycopg.connect(maintenance, autocommit=True) as conn:
            for name in ("fsync", "full_page_writes", "synchronous_commit"):  # the tests' data need not survive
                conn.execute(sql.SQL("alter system set {} = off").format(sql.Identifier(name)))
            conn.execute("alter system set max_wal_size = '256MB'")  # it may lie in memory
            conn.execute("select pg_reload_conf()")
        yield maintenance


def _settings(server: str, name: str, *, as_owner: bool = False, **given: object) -> Settings:
    owner = make_conninfo(server, dbname=name)
    if AS_ROLES and not as_owner:
        writer, reader = (make_conninfo(owner, user=login, password="lexscope") for login in LOGINS)
        return load_settings(**({"database_url": writer, "read_url": reader, "pool_size": 4} | given))
    return load_settings(**({"database_url": owner, "pool_size": 4} | given))


def owner_of(database: Database) -> str:
    """A connection string of the role that owns a test's store, whoever the test opened it as."""
    return make_conninfo(database.conninfo, user=conninfo_to_dict(EXTERNAL)["user"]) if AS_ROLES else database.conninfo


def _create(conn: psycopg.Connection, name: str, template: str) -> None:
    # Files are copied in two thirds of the processor time that their pages take through the log.
    statement = sql.SQL("create database {} template {} strategy file_copy")
    conn.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))


def _grant(server: str, name: str) -> None:
    """Make the roles of sql/roles.sql and a login of each kind, for this store and its clones."""
    owner = make_conninfo(server, dbname=name)
    with psycopg.connect(server) as lock, psycopg.connect(owner, autocommit=True) as conn, conn.transaction():
        lock.execute("select pg_advisory_xact_lock(hashtext('lexscope test roles'))")  # of one database: roles are not
        conn.execute((sql_folder() / "roles.sql").read_bytes())
        for login, roles in LOGINS.items():
            if conn.execute("select from pg_roles where rolname = %s", [login]).fetchone() is None:
                conn.execute(f"create role {login} login password 'lexscope' in role {roles}".encode())


@pytest.fixture(scope="session")
def maintenance(server: str) -> Iterator[psycopg.Connection]:
    """The connection that makes and drops every store of this run."""
    with psycopg.connect(server, autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="session")
def empty_template(server: str, maintenance: psycopg.Connection) -> str:
    """The name of a database that has the schema and no law."""
    name = f"template_empty_{RUN}"
    _create(maintenance, name, "template1")
    settings = _settings(server, name, as_owner=True)
    with Database(settings) as database:
        migrate(database)
    if AS_ROLES:
        _grant(server, name)
    return name


@pytest.fixture(scope="session")
def sample_template(server: str, maintenance: psycopg.Connection, empty_template: str) -> str:
    """The name of a database that holds the sample corpus, its overrides, preemption and synonyms."""
    name = f"template_sample_{RUN}"
    _create(maintenance, name, empty_template)
    with Engine.open(_settings(server, name)) as engine:
        report = engine.ingest([SAMPLE])
        assert not report.rejected
        import_overrides(engine.database, SAMPLE / "overrides.csv")
        import_preemption(engine.database, SAMPLE / "preemption.csv")
        import_synonyms(engine.database, SAMPLE / "synonyms.csv")
    return name


class Stores:
    """Clones of a template, some twenty milliseconds each in memory."""

    def __init__(self, server: str, maintenance: psycopg.Connection) -> None:
        self.server, self.maintenance = server, maintenance

    def clone(self, template: str, *, as_owner: bool = False, **given: object) -> Settings:
        """Settings of a new clone."""
        name = f"test_{RUN}_{uuid.uuid4().hex[:12]}"
        _create(self.maintenance, name, template)
        return _settings(self.server, name, as_owner=as_owner, **given)

    def drop(self, settings: Settings) -> None:
        """Remove a clone whose test is over: a thousand of them would fill the disk's cache."""
        assert settings.database_url is not None
        name = conninfo_to_dict(settings.database_url.get_secret_value())["dbname"]
        self.maintenance.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(str(name))))


@pytest.fixture(scope="session")
def stores(server: str, maintenance: psycopg.Connection) -> Stores:
    """Makes clones."""
    return Stores(server, maintenance)


@pytest.fixture
def empty_settings(stores: Stores, empty_template: str) -> Iterator[Settings]:
    """Settings of an empty store of the test's own."""
    settings = stores.clone(empty_template)
    yield settings
    stores.drop(settings)


@pytest.fixture
def sample_settings(stores: Stores, sample_template: str) -> Iterator[Settings]:
    """Settings of a store with the sample, of the test's own."""
    settings = stores.clone(sample_template)
    yield settings
    stores.drop(settings)


@pytest.fixture
def database(empty_settings: Settings) -> Iterator[Database]:
    """An empty store."""
    with Database(empty_settings) as opened:
        yield opened


@pytest.fixture
def engine(sample_settings: Settings) -> Iterator[Engine]:
    """An engine over the sample, without a model: extractive answers."""
    with Engine.open(sample_settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def served_settings(stores: Stores, sample_template: str) -> Settings:
    """Settings of a store with the sample that the tests of one module share."""
    return stores.clone(sample_template)


@pytest.fixture(scope="module")
def served(served_settings: Settings) -> Iterator[Engine]:
    """An engine over the sample that the tests of one module share, as the clients of one server do."""
    with Engine.open(served_settings) as opened:
        yield opened


@pytest.fixture
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio alone."""
    return "asyncio"


def pytest_xdist_auto_num_workers() -> int:
    """Three workers on two cores: a tenth of the tests' time is spent on waiting, for a deadline or a server to end."""
    return (os.cpu_count() or 1) * 3 // 2


def pytest_collection_finish() -> None:
    """What all modules of the tests hold stays until the end: no collection of garbage need look at it again."""
    gc.collect()
    gc.freeze()


def pytest_report_header() -> list[str]:
    """The versions that matter."""
    return [f"psycopg {psycopg.__version__}, libpq {psycopg.pq.version()}"]
