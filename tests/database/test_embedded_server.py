"""The embedded server: who may speak to it, what it leaves as it was, and what a killed process leaves of it."""

from __future__ import annotations

import os
import pwd
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from rag.settings import load_settings
from rag.store.database import Connection, Database
from rag.store.embedded_server import clients_of, installed_programs, server_state, stop_server
from rag.store.server_keeper import LOOK_SECONDS
from retrieval.errors import ConfigurationError, StoreError, StoreUnavailable

PROJECT = Path(__file__).resolve().parent.parent.parent
LONG = "a-folder-with-a-name-that-leaves-no-room-for-a-socket-" * 2

REFUSED = "['OperationalError', 'OperationalError']\n"

as_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs root, to act as another user")

# Everything is loaded before: another user may not be able to read the interpreter's own files.
ANOTHER_USER = """
import os, pwd, sys
import psycopg

def tried(name, folder):
    try:
        with psycopg.connect(host=folder, user=name, dbname="postgres") as conn:
            print("connected, superuser", conn.execute("show is_superuser").fetchone())
    except psycopg.OperationalError as error:
        return type(error).__name__

tried("postgres", "/nowhere")
other = pwd.getpwnam("nobody")
os.setgroups([]); os.setgid(other.pw_gid); os.setuid(other.pw_uid)
print([tried(name, sys.argv[1]) for name in ("postgres", "nobody")])
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder outside pytest's own, which a server running as another user can reach."""
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def store() -> Iterator[Path]:
    """A folder with a long path and data that were made once; a test leaves its server ended."""
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        with opened(Path(name) / LONG) as database:
            assert answers(database)
        yield Path(name) / LONG


def opened(folder: Path) -> Database:
    return Database(load_settings(data_dir=folder))


def socket_folder(database: Database) -> Path:
    return Path(str(conninfo_to_dict(database.conninfo)["host"]))


def answers(database: Database) -> bool:
    with database.admin() as conn:
        return conn.execute("select current_database()").fetchone() == ("lexscope",)


def said_by_another_user(database: Database) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", ANOTHER_USER, str(socket_folder(database))],
        cwd="/", capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return ran.stdout


@pytest.mark.parametrize("name", ["short", LONG, "with a space, a comma and a 'quote'"])
def test_another_user_cannot_connect_whatever_the_path_is_and_no_socket_is_left(
    folder: Path, store: Path, name: str
) -> None:
    data = store if name == LONG else folder / name
    with opened(data) as database:
        assert answers(database)
        place = socket_folder(database)
        (socket,) = (path for path in place.iterdir() if path.is_socket())
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        assert place.stat().st_uid == (data / "pg18").stat().st_uid == socket.stat().st_uid
        assert (place == data / "pg18") == (name == "short")
        if os.geteuid() == 0:
            assert said_by_another_user(database) == REFUSED
    assert not socket.exists()
    assert place.exists() == (name == "short")


@as_root
def test_no_mode_of_a_folder_above_is_changed_and_a_store_that_others_cannot_reach_works(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    above = [closed, *closed.parents]
    before = [(path.stat().st_mode, path.stat().st_uid) for path in above]
    for _ in range(2):
        with opened(closed / "data") as database:
            assert answers(database)
            with database.admin() as conn:
                conn.execute("create extension if not exists vector")  # a library, and files of the programs
            assert said_by_another_user(database) == REFUSED
        assert [(path.stat().st_mode, path.stat().st_uid) for path in above] == before


@as_root
def test_programs_that_others_cannot_reach_are_copied_with_their_libraries(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    package = installed_programs().parent
    for part in (package, package.with_name(f"{package.name}.libs")):
        (closed / part.name).symlink_to(part)
    ran = subprocess.run(
        [sys.executable, "-m", "rag.cli", "init", "--data-dir", str(folder / "data")],
        env={**os.environ, "PYTHONPATH": str(closed), "LEXSCOPE_SERVER_IDLE_SECONDS": "0"},
        cwd=PROJECT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_a_store_that_let_everyone_in_is_closed_by_the_next_start(store: Path) -> None:
    with opened(store) as database:
        assert answers(database)
    for name, text in (("pg_hba.conf", "local all all trust\n"), ("pg_ident.conf", "lexscope nobody all\n")):
        (store / "pg18" / name).write_text(text, encoding="utf-8")
    with opened(store) as database, database.admin() as conn:
        rules = conn.execute("select type, database, auth_method from pg_hba_file_rules").fetchall()
        names = {name for (name,) in conn.execute("select sys_name from pg_ident_file_mappings")}
    assert rules == [("local", ["all"], "peer")]
    assert names == {"root", pwd.getpwuid((store / "pg18").stat().st_uid).pw_name}


def test_nothing_of_the_environment_but_paths_and_language_reaches_the_server(store: Path) -> None:
    os.environ["LEXSCOPE_OPENAI_API_KEY"] = "sk-canary"
    try:
        with opened(store) as database:
            pid = server_of(store)
            held = [Path(f"/proc/{number}/environ") for number in (pid, parent_of(pid))]
            assert answers(database)
            assert [b"sk-canary" in path.read_bytes() for path in held] == [False, False]
    finally:
        del os.environ["LEXSCOPE_OPENAI_API_KEY"]


def test_no_empty_store_is_made_beside_one_of_another_major_version(folder: Path) -> None:
    (folder / "pg17").mkdir()
    (folder / "pg17" / "PG_VERSION").write_text("17\n")
    with pytest.raises(ConfigurationError, match=r"another major version of PostgreSQL \(pg17\)"), opened(folder):
        pass
    assert not (folder / "pg18").exists()


def test_data_that_are_no_servers_are_left_alone(folder: Path) -> None:
    kept = folder / "pg18" / "thesis.txt"
    kept.parent.mkdir()
    kept.write_text("of ten years", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="holds no data of a server"), opened(folder):
        pass
    assert kept.read_text(encoding="utf-8") == "of ten years"
    assert [path.name for path in folder.iterdir() if path.is_dir()] == ["pg18"]


@as_root
def test_a_store_of_another_user_is_served_as_that_user_and_refused_to_others(folder: Path, store: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    data = folder / "theirs"
    (data / "pg18").mkdir(parents=True)
    os.chown(data, nobody.pw_uid, nobody.pw_gid)
    os.chown(data / "pg18", nobody.pw_uid, nobody.pw_gid)
    with opened(data) as database:
        assert answers(database)
        assert Path(f"/proc/{server_of(data)}").stat().st_uid == nobody.pw_uid
    assert {path.stat().st_uid for path in data.rglob("*")} == {nobody.pw_uid}  # who can go on with it without root
    ran = as_nobody(f"""
with embedded_server(Path({str(store / "pg18")!r}), idle_seconds=0):
    pass
""")
    assert "ConfigurationError: The data in" in ran.stderr
    assert "belong to another user" in ran.stderr


@as_root
def test_an_ordinary_user_has_a_server_of_their_own(folder: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    ran = as_nobody(f"""
for _ in range(2):
    with embedded_server(Path({str(folder / LONG / "pg18")!r}), idle_seconds=0) as conninfo:
        with psycopg.connect(conninfo) as conn:
            print(conn.execute("select current_database()").fetchone()[0])
""")
    assert (ran.stdout.split(), ran.stderr) == (["lexscope", "lexscope"], "")
    with opened(folder / LONG) as database:  # root may look
        assert answers(database)


# --- what a killed process leaves ------------------------------------------------------------------------------------

IMPORTS = """
from pathlib import Path
import psycopg
from rag.store.embedded_server import embedded_server
"""
USES = """
import sys
from pathlib import Path
from rag.store.embedded_server import embedded_server
with embedded_server(Path(sys.argv[1]), idle_seconds=float(sys.argv[2])) as conninfo:
    print(conninfo, flush=True)
    sys.stdin.readline()
"""


def as_nobody(code: str) -> subprocess.CompletedProcess[str]:
    """Run code as another user, with an interpreter that they can reach."""
    if not all(folder.stat().st_mode & stat.S_IXOTH for folder in (PROJECT, *PROJECT.parents)):
        pytest.skip("another user cannot read this checkout")
    nobody = pwd.getpwnam("nobody")
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            return subprocess.run(
                [python, "-c", IMPORTS + code], cwd="/", capture_output=True, text=True, check=False, timeout=120,
                env={"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join([str(PROJECT), *filter(None, sys.path)])},
                user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[],
            )  # fmt: skip
        except (PermissionError, FileNotFoundError):
            continue
    pytest.skip("another user can reach no interpreter of this version")


def user_of(folder: Path, idle_seconds: float = 0) -> tuple[subprocess.Popen[bytes], Path]:
    """A process that uses the server until its input ends, and where it found the server's socket."""
    user = subprocess.Popen(
        [sys.executable, "-c", USES, str(folder / "pg18"), str(idle_seconds)], cwd=PROJECT, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert user.stdout is not None
    return user, Path(str(conninfo_to_dict(user.stdout.readline().decode())["host"]))


def server_of(folder: Path) -> int:
    return int((folder / "pg18" / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0])


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])


def lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def holds(conn: Connection) -> bool:
    """Whether a connection still works."""
    try:
        conn.execute("select 1")
    except psycopg.OperationalError:
        return False
    return True


def wait_for(held: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while not held() and time.monotonic() < deadline:
        time.sleep(0.05)
    return held()


def test_the_server_of_a_killed_process_is_ended_by_its_keeper(store: Path) -> None:
    user, place = user_of(store)
    pid = server_of(store)
    keeper = parent_of(pid)
    assert place.exists()
    user.kill()
    user.communicate()
    assert wait_for(lambda: not lives(pid) and not lives(keeper))
    assert not place.exists()
    assert not (store / "pg18" / "postmaster.pid").exists()


@pytest.mark.parametrize("killed", ["keeper", "server", "keeper, then server", "server's session"])
def test_whatever_is_killed_the_next_start_has_the_store_and_one_server(store: Path, killed: str) -> None:
    with opened(store) as database, database.admin() as conn, database.admin() as witness:
        conn.execute("create table if not exists kept as select 1 as one")
        row = conn.execute("select pg_backend_pid()").fetchone()
        assert row is not None
        pid = server_of(store)
        keeper = parent_of(pid)
        for number in {"keeper": [keeper], "server": [pid], "keeper, then server": [keeper, pid]}.get(killed, [row[0]]):
            os.kill(number, signal.SIGKILL)
        if killed != "keeper":
            assert wait_for(lambda: not holds(witness))  # the server has seen what happened
        for _ in range(3):
            with opened(store) as again, again.admin() as other:
                assert other.execute("select one from kept").fetchone() == (1,)
    assert not (store / "pg18" / "postmaster.pid").exists()
    assert wait_for(lambda: not lives(pid) and not lives(keeper))


@pytest.mark.parametrize("killed", ["server", "keeper, then server"])
def test_a_server_killed_under_a_running_process_is_started_anew(store: Path, killed: str) -> None:
    with opened(store) as database:
        with database.write() as conn:
            conn.execute("drop table if exists kept_on")
            conn.execute("create table kept_on as select 2 as two")
        pid = server_of(store)
        for number in [parent_of(pid), pid] if "keeper" in killed else [pid]:
            os.kill(number, signal.SIGKILL)
        assert wait_for(lambda: not lives(pid))

        def reads() -> bool:
            # A call that meets the server while it recovers is told so, and asked again.
            with suppress(StoreUnavailable), database.read() as conn:
                return conn.execute("select two from kept_on").fetchone() == (2,)
            return False

        assert wait_for(reads)
        with database.write() as conn, database.admin() as other:
            conn.execute("insert into kept_on values (3)")
            assert other.execute("select count(*) from kept_on").fetchone() == (1,)
        assert server_of(store) != pid
    assert not (store / "pg18" / "postmaster.pid").exists()


def test_a_pid_file_with_the_number_of_another_process_does_not_keep_the_server_down(store: Path) -> None:
    data = store / "pg18"
    owner = data.stat()
    whom = owner.st_uid if os.geteuid() == 0 else None  # the server looks at processes of its own user only
    with subprocess.Popen(["sleep", "600"], user=whom) as other:
        told = f"{other.pid}\n{data}\n1\n5432\n{data}\n\n  1 1\nready   \n"
        (data / "postmaster.pid").write_text(told, encoding="utf-8")
        os.chown(data / "postmaster.pid", owner.st_uid, owner.st_gid)
        try:
            assert not stop_server(data)
            with opened(store) as database:
                assert answers(database)
            assert other.poll() is None
        finally:
            other.kill()


def test_a_process_killed_while_it_makes_the_data_leaves_nothing_in_the_way(folder: Path) -> None:
    making = subprocess.Popen(
        [sys.executable, "-c", USES, str(folder / "pg18"), "0"], cwd=PROJECT, stdin=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    assert wait_for(lambda: any(folder.glob(".pg18-new-*/base")))
    os.killpg(making.pid, signal.SIGKILL)  # the program that makes the data outlives it, and writes on in its folder
    making.communicate()
    assert not (folder / "pg18").exists()
    with opened(folder) as database:
        assert answers(database)
    assert sorted(path.name for path in folder.iterdir()) == ["pg18", "pg18.clients", "pg18.keeper"]


# It has the lock that the programs of a maker inherit, and makes its folder anew until it ends.
WRITES_ON = """
import fcntl, os, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)
print("locked", flush=True)
until = time.monotonic() + 1
while time.monotonic() < until:
    (folder / "base").mkdir(parents=True, exist_ok=True)
"""


def test_what_the_program_of_a_killed_process_goes_on_to_write_is_deleted_with_the_rest(folder: Path) -> None:
    left_over = folder / ".pg18-new-killed"
    left_over.mkdir()
    writer = subprocess.Popen([sys.executable, "-c", WRITES_ON, str(left_over)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"locked\n"
    with opened(folder) as database:
        assert answers(database)
    writer.communicate(timeout=60)
    assert sorted(path.name for path in folder.iterdir()) == ["pg18", "pg18.clients", "pg18.keeper"]


def test_of_many_that_come_at_once_all_are_served_by_one_server(folder: Path) -> None:
    with ThreadPoolExecutor() as threads:
        users = [user for user, _ in threads.map(user_of, [folder] * 4)]
    pid = server_of(folder)
    for user in users[:-1]:
        assert user.communicate(b"\n") == (b"", b"")
    assert lives(pid)
    assert server_of(folder) == pid
    assert users[-1].communicate(b"\n") == (b"", b"")
    assert not lives(pid)


def test_clients_that_come_and_go_never_meet_a_server_that_is_being_ended(store: Path) -> None:
    comes_and_goes = """
import sys, psycopg
from pathlib import Path
from rag.store.embedded_server import embedded_server
for _ in range(8):
    with embedded_server(Path(sys.argv[1]), idle_seconds=0) as conninfo, psycopg.connect(conninfo) as conn:
        conn.execute("select 1")
"""
    users = [
        subprocess.Popen(
            [sys.executable, "-c", comes_and_goes, str(store / "pg18")], cwd=PROJECT, stderr=subprocess.PIPE
        )
        for _ in range(3)
    ]
    assert [user.communicate(timeout=120)[1] for user in users] == [b"", b"", b""]
    assert not (store / "pg18" / "postmaster.pid").exists()


# --- a server that stays ---------------------------------------------------------------------------------------------


def left(folder: Path, idle_seconds: float) -> int:
    """The process of a server that its only client has left."""
    user, _ = user_of(folder, idle_seconds)
    pid = server_of(folder)
    assert user.communicate(b"\n") == (b"", b"")
    return pid


def test_a_server_stays_for_the_next_client_and_ends_by_itself(store: Path) -> None:
    pid = left(store, 60)
    assert lives(pid)
    state = server_state(store / "pg18")
    assert state is not None
    assert (state.pid, state.used, state.kept, state.idle_seconds) == (pid, False, True, 60)
    assert state.idle_left is not None
    assert 30 < state.idle_left <= 60
    assert left(store, 0.5) == pid  # who left last decides
    assert wait_for(lambda: not lives(pid))
    assert server_state(store / "pg18") is None
    assert not (store / "pg18" / "postmaster.pid").exists()


def test_a_server_that_lost_its_socket_is_started_again(store: Path) -> None:
    pid = left(store, 60)
    place = Path((store / "pg18" / "postmaster.pid").read_text().split("\n")[4])
    (place / ".s.PGSQL.5432").unlink()
    assert left(store, 0) != pid
    assert wait_for(lambda: not lives(pid))


def test_a_client_whose_server_is_not_to_stay_ends_one_that_was(store: Path) -> None:
    pid = left(store, 60)
    keeper = parent_of(pid)
    assert left(store, 0) == pid
    assert not lives(pid)
    assert wait_for(lambda: not lives(keeper), 2.0)


def test_a_server_that_is_used_does_not_end_and_is_not_stopped(store: Path) -> None:
    user, _ = user_of(store, 0.5)
    pid = server_of(store)
    with opened(store) as database, database.admin() as conn:
        time.sleep(LOOK_SECONDS + 1)
        assert lives(pid)
        with pytest.raises(StoreError, match="is in use"):
            stop_server(store / "pg18")
        state = server_state(store / "pg18")
        assert state is not None
        assert (state.used, state.idle_left, clients_of(state)) == (True, None, [])
        row = conn.execute("select application_name from pg_stat_activity where pid = pg_backend_pid()").fetchone()
        assert row == (f"lexscope {os.getpid()}",)
    assert lives(pid)
    user.communicate(b"\n")
    assert stop_server(store / "pg18")
    assert not lives(pid)
    assert not stop_server(store / "pg18")


def test_the_server_of_a_killed_client_stays_for_its_time(store: Path) -> None:
    user, _ = user_of(store, 2)
    pid = server_of(store)
    user.kill()
    user.communicate()
    state = server_state(store / "pg18")
    assert state is not None
    assert not state.used
    assert wait_for(lambda: not lives(pid))


def test_the_next_client_gives_a_server_whose_keeper_was_killed_a_new_one(store: Path) -> None:
    pid = left(store, 60)
    os.kill(parent_of(pid), signal.SIGKILL)
    state = server_state(store / "pg18")
    assert state is not None
    assert (state.kept, state.idle_left) == (False, None)
    user, _ = user_of(store, 1)
    state = server_state(store / "pg18")
    assert state is not None
    assert (state.pid, state.kept) == (pid, True)
    user.kill()
    user.communicate()
    assert wait_for(lambda: not lives(pid))
    assert not (store / "pg18" / "postmaster.pid").exists()
    assert wait_for(lambda: not Path(state.conninfo.split("host=")[1].split()[0]).exists())


def test_neither_terminal_nor_pipe_nor_lock_of_a_client_stays_open(store: Path) -> None:
    # A shell that waits for the end of a pipe is done when the client is.
    pid = left(store, 60)
    try:
        for count in (pid, parent_of(pid)):
            held = {Path(f"/proc/{count}/fd/{number}").readlink() for number in (0, 1, 2)}
            assert held == {Path("/dev/null"), store / "pg18" / "log"}
            numbers = Path(f"/proc/{count}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            assert numbers[4] == "0"  # no terminal
            assert int(numbers[3]) != os.getsid(0)
        files = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]  # noqa: PTH115
        assert not [file for file in files if "pg18.clients" in file or "pg18.keeper" in file]
    finally:
        assert stop_server(store / "pg18")


def test_clients_and_stops_at_random_moments_never_meet_a_half_ended_server_nor_leave_two(store: Path) -> None:
    comes_and_goes = """
import random, sys, time
from pathlib import Path
import psycopg
from rag.store.embedded_server import embedded_server, stop_server
from retrieval.errors import StoreError
rng = random.Random(int(sys.argv[2]))
for _ in range(6):
    idle = rng.choice([0, 0.1, 30])
    with embedded_server(Path(sys.argv[1]), idle_seconds=idle) as conninfo, psycopg.connect(conninfo) as conn:
        conn.execute("select 1")
        time.sleep(rng.random() / 5)
    time.sleep(rng.random() / 5)
    try:
        rng.random() < 0.3 and stop_server(Path(sys.argv[1]))
    except StoreError:
        pass
"""
    users = [
        subprocess.Popen(
            [sys.executable, "-c", comes_and_goes, str(store / "pg18"), str(seed)], cwd=PROJECT, stderr=subprocess.PIPE
        )
        for seed in range(4)
    ]
    assert [user.communicate(timeout=240)[1] for user in users] == [b""] * 4
    stop_server(store / "pg18")
    assert wait_for(lambda: not processes_of(store))


def processes_of(folder: Path) -> list[int]:
    """Servers and keepers on a data folder."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if path.resolve() == folder / "pg18":
                found.append(int(path.parent.name))
    return found
