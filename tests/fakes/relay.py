"""A relay between the real driver and the real server, which fails as networks do.

    with Relay(server.conninfo) as relay:
        engine = Engine.open(load_settings(database_url=relay.conninfo))
        relay.silent.set()      # from now on nothing passes, and no connection is closed
        relay.cut_at(17)        # the 17th message from now on never arrives: its connection is closed instead

It knows of PostgreSQL's protocol where a message ends, and nothing else.
"""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import suppress
from typing import Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_STEP = 0.02  # seconds between two looks at what the test wants


class Relay:
    """A context manager.

    Args:
        target: the connection string of the server that is relayed to; on a socket of this machine or over TCP.
    """

    def __init__(self, target: str) -> None:
        named = conninfo_to_dict(target)
        host, port = str(named["host"]), str(named.get("port") or "5432")
        self._target: str | tuple[str, int] = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, int(port))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.conninfo = make_conninfo(target, host="127.0.0.1", port=str(self._listening.getsockname()[1]))
        self.silent = threading.Event()
        self.messages = 0  # that clients have sent, since `cut_at`
        self._cut: int | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._listening.close()
        for thread in self._threads:
            thread.join(5)

    def cut_at(self, number: int | None) -> None:
        """Count messages anew, and lose one; None loses none."""
        with self._lock:
            self.messages, self._cut = 0, number

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        self._listening.settimeout(_STEP)
        while not self._closing.is_set():
            with suppress(TimeoutError, OSError):
                client, _ = self._listening.accept()
                self._start(self._relay, client)

    def _relay(self, client: socket.socket) -> None:
        if isinstance(self._target, str):
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
        else:
            server = socket.create_connection(self._target)
        messages = _Messages()
        with client, server, selectors.DefaultSelector() as waiting, suppress(OSError):
            waiting.register(client, selectors.EVENT_READ, server)
            waiting.register(server, selectors.EVENT_READ, client)
            while not self._closing.is_set():
                for key, _ in waiting.select(_STEP):
                    source: socket.socket = key.fileobj  # type: ignore[assignment]
                    data = source.recv(65536)
                    if not data:
                        return
                    if self.silent.is_set():
                        continue
                    if source is client and (data := self._counted(messages, data)) is None:
                        return
                    key.data.sendall(data)

    def _counted(self, messages: _Messages, data: bytes) -> bytes | None:
        """What is passed on of it; None where the connection is to be cut."""
        count = messages.begun_in(data)
        with self._lock:
            self.messages += count
            if self._cut is None or self.messages < self._cut:
                return data
            self._cut = None
            return None


class _Messages:
    """Where the messages of one client begin: one without a type first, or two, then each with a type."""

    def __init__(self) -> None:
        self._typed = False
        self._rest = b""
        self._missing = 0  # bytes of the message that has begun

    def begun_in(self, data: bytes) -> int:
        """How many messages begin in the next bytes; those that open a session apart."""
        begun = 0
        self._rest += data
        while True:
            taken = self._rest[: self._missing]
            self._rest, self._missing = self._rest[len(taken) :], self._missing - len(taken)
            head = 1 if self._typed else 0
            if self._missing or len(self._rest) < (5 if self._typed else 8):
                return begun
            self._missing = head + int.from_bytes(self._rest[head : head + 4])
            if self._typed:
                begun += self._rest[:1] != b"p"  # a password
            else:
                self._typed = int.from_bytes(self._rest[4:8]) >> 16 == 3  # else it asks for encryption
