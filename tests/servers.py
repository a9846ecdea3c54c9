"""Servers of other makes for tests: Debian's PostgreSQL, a standby of it, a pooler before it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import pq
from psycopg.conninfo import make_conninfo

DEBIAN = Path("/usr/lib/postgresql/15/bin")
POOLER = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
USER = "postgres" if os.geteuid() == 0 else None  # Debian's packages make this user; no server runs as root
SECONDS = 60.0
AMPLE = 12 << 30  # bytes of memory; the stores of all workers take up to half of it

needs_debian = pytest.mark.skipif(
    not (DEBIAN / "initdb").exists(), reason="Debian's PostgreSQL 15 (postgresql-15) is not installed"
)
needs_pooler = pytest.mark.skipif(not Path(POOLER).exists(), reason="pgbouncer is not installed")


def _run(*command: str | Path) -> None:
    subprocess.run([str(name) for name in command], check=True, capture_output=True, user=USER, cwd="/")


def memory() -> str | None:
    """A folder in memory, where there is ample; None leaves the choice of a folder to the system.

    On a disk a clone's four hundred files can take ten times as long: ext4 looks for their inodes among those of the
    clones that were just deleted, which it does not use again for some minutes.
    """
    folder = Path("/dev/shm")
    ample = folder.is_dir() and shutil.disk_usage(folder).free > AMPLE
    return str(folder) if ample and os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > AMPLE else None


@contextmanager
def folder() -> Generator[Path]:
    """A folder of the server's user, with a path that is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", dir=memory(), ignore_cleanup_errors=True) as name:
        if USER is not None:
            shutil.chown(name, USER)
        yield Path(name)


@contextmanager
def _serving(command: list[str | Path], conninfo: str) -> Generator[None]:
    """A program of the server's user that runs until the end of the `with`, once it takes connections."""
    with subprocess.Popen(
        [str(name) for name in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=USER, cwd="/"
    ) as process:
        try:
            deadline = time.monotonic() + SECONDS
            while pq.PGconn.ping(conninfo.encode()) != pq.Ping.OK:
                assert process.poll() is None, "the server ended"
                assert time.monotonic() < deadline, "the server does not answer"
                time.sleep(0.05)
            yield
        finally:
            process.terminate()  # a server takes this for "smart": it would wait for its clients
            process.send_signal(2)
            process.wait(SECONDS)


def _socket(data: Path) -> Path:
    """The folder of a server's socket: beside the data, which a base backup copies whole."""
    place = data.with_name(f"{data.name}-socket")
    if not place.exists():
        place.mkdir()
        if USER is not None:
            shutil.chown(place, USER)
    return place


def _postgres(data: Path, **settings: str) -> list[str | Path]:
    given = {
        "listen_addresses": "", "unix_socket_directories": str(_socket(data)), "fsync": "off",
        "full_page_writes": "off", "shared_buffers": "64MB", "max_wal_senders": "4",
    } | settings  # fmt: skip
    return [DEBIAN / "postgres", "-D", data, *(f"--{name}={value}" for name, value in given.items())]


@contextmanager
def debian_server(place: Path, **settings: str) -> Generator[str]:
    """A new server; yields a superuser's connection string to its maintenance database."""
    data = place / "primary"
    _run(DEBIAN / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-sync", "-N")
    conninfo = make_conninfo(host=str(_socket(data)), user="postgres", dbname="postgres")
    with _serving(_postgres(data, **settings), conninfo):
        yield conninfo


@contextmanager
def standby_of(primary: str, place: Path, **settings: str) -> Generator[str]:
    """A streaming hot standby; yields a superuser's connection string to its maintenance database."""
    data = place / "standby"
    _run(DEBIAN / "pg_basebackup", "-d", primary, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync")
    conninfo = make_conninfo(host=str(_socket(data)), user="postgres", dbname="postgres")
    with _serving(_postgres(data, **settings), conninfo):
        yield conninfo


@contextmanager
def pooler_before(server: Mapping[str, str], place: Path, dbname: str) -> Generator[str]:
    """pgbouncer in transaction mode before one database, with fewer sessions than clients; yields its conninfo."""
    home = place / "pooler"
    home.mkdir()
    if USER is not None:
        shutil.chown(home, USER)
    target = make_conninfo(host=server["host"], port=server.get("port", "5432"), dbname=dbname)
    (home / "pooler.ini").write_text(
        f"[databases]\n{dbname} = {target}\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\nunix_socket_dir = {home}\n"
        f"auth_type = trust\nauth_file = {home}/users\npool_mode = transaction\ndefault_pool_size = 3\n"
        "max_client_conn = 100\n"
    )
    (home / "users").write_text('"postgres" ""\n')
    conninfo = make_conninfo(host=str(home), port="6432", user="postgres", dbname=dbname)
    with _serving([POOLER, home / "pooler.ini"], conninfo):
        yield conninfo


def caught_up(primary: str, standby: str) -> None:
    """Wait until a standby has replayed what its primary has written."""
    with psycopg.connect(primary, autocommit=True) as one, psycopg.connect(standby, autocommit=True) as other:
        row = one.execute("select pg_current_wal_flush_lsn()::text").fetchone()
        assert row is not None
        deadline = time.monotonic() + SECONDS
        while other.execute("select pg_last_wal_replay_lsn() >= %s::pg_lsn", [row[0]]).fetchone() != (True,):
            assert time.monotonic() < deadline, "the standby does not catch up"
            time.sleep(0.02)
