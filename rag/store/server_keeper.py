"""The keeper of an embedded server: starts it as its child, ends it after an idle time, and ends with it.

Run by its path as `python -I -S server_keeper.py CLIENTS LOCK UID GID RUNTIME [PROGRAM ARGUMENT...]`, in the data
folder. It detaches at once; what it or the server says goes to the server's log. `embedded_server.py` describes
the locks.

CLIENTS and LOCK are inherited descriptors: of the file that every client holds a shared lock on, and of the one whose
exclusive lock the keeper holds for as long as it lives. UID and GID are whom to run as where this is root. RUNTIME is
a folder to remove in the end, or empty. Without a PROGRAM, a server that runs already is kept.
"""

# It lives as long as the server: without pathlib and contextlib it takes a fifth less memory.
# ruff: noqa: PTH108, PTH110, PTH118, PTH121, PTH123, PTH106, SIM105, S606

import fcntl
import os
import signal
import sys
import time

LOOK_SECONDS = 5.0  # between two looks whether anybody uses the server
STOP_SECONDS = 60.0  # for what it has to write when it is ended; then it hangs, and the next start recovers
PID_FILE = "postmaster.pid"  # in the data folder, which is the working folder


class Keeper:
    """One keeper."""

    def __init__(self, clients: int, runtime: str) -> None:
        self.clients, self.runtime = clients, runtime
        self.server: int | None = None  # process id of the child; None for a server that another keeper started
        self.used = 0.0  # when a client was last seen
        self.ending: float | None = None  # when the server was told to end

    def run(self, command: list[str]) -> None:
        """Keep the server until it ends."""
        signal.signal(signal.SIGALRM, self.look)
        if command:
            self.server = os.fork()
            if self.server == 0:
                try:
                    os.execv(command[0], command)
                finally:
                    os._exit(127)
        signal.setitimer(signal.ITIMER_REAL, LOOK_SECONDS if command else 0.1)
        if self.server is not None:
            os.waitpid(self.server, 0)
            self.leave()
        while True:
            signal.pause()

    def look(self, *_: object) -> None:
        """End the server where nobody has used it for the idle time; else say when to look again."""
        if self.server is None and adopted() is None:
            self.leave()
        if self.ending is None:
            seconds = self.remaining()
        else:
            seconds = 0.1 if self.server is None else 1.0
            if time.monotonic() > self.ending + STOP_SECONDS:
                self.tell(signal.SIGQUIT)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def remaining(self) -> float:
        """Seconds until the next look."""
        try:
            fcntl.flock(self.clients, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.used = time.time()
            return LOOK_SECONDS
        idle, last = os.pread(self.clients, 32, 0), os.fstat(self.clients).st_mtime
        if last < self.used - LOOK_SECONDS:
            os.pwrite(self.clients, idle, 0)  # its last client was killed: now others can read when that was
        left = max(last, self.used) + float(idle or 0) - time.time()
        if left > 0:
            fcntl.flock(self.clients, fcntl.LOCK_UN)
            return min(left, LOOK_SECONDS)
        # The lock stays ours: who comes now waits, and starts the server anew once it has ended.
        self.ending = time.monotonic()
        self.tell(signal.SIGINT)  # "fast": sessions are ended, everything is written
        return 0.1

    def tell(self, number: int) -> None:
        """Send the server a signal."""
        pid = adopted() if self.server is None else self.server
        if pid is not None:
            os.kill(pid, number)

    def leave(self) -> None:
        """Remove the runtime folder and end; the kernel releases the locks."""
        if self.runtime:
            try:
                remove(self.runtime)
            except OSError:
                pass
        os._exit(0)


def adopted() -> int | None:
    """The process of a server that is not our child; None where it has ended, also where its id is another's now."""
    try:
        with open(PID_FILE, encoding="utf-8") as lines:
            pid = int(lines.readline())
        os.kill(pid, 0)
        if os.path.exists("/proc/self") and not os.path.samefile(f"/proc/{pid}/cwd", "."):
            return None
    except (OSError, ValueError):
        return None
    return pid


def remove(folder: str) -> None:
    """Delete a folder of ours and what is in it."""
    if os.lstat(folder).st_uid != os.geteuid():
        return
    for root, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(os.path.join(root, name))
        for name in folders:
            os.rmdir(os.path.join(root, name))
    os.rmdir(folder)


def main(arguments: list[str]) -> None:
    """Give up root's rights, detach, keep."""
    clients, lock, user, group = (int(argument) for argument in arguments[:4])
    for descriptor in (clients, lock):
        os.set_inheritable(descriptor, False)  # the server must not hold them when the keeper has gone
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    os.umask(0o077)
    if os.fork():
        os._exit(0)  # whoever started us has no child to wait for
    Keeper(clients, arguments[4]).run(arguments[5:])


if __name__ == "__main__":
    main(sys.argv[1:])
