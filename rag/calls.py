"""One call of a tool, a page or a verb, and how it is ended from outside: at its deadline, or when nobody waits for it.

    Call(60.0).run(lambda: engine.search(...))

A call has one thread. Another one ends it: a watcher at the deadline, or the server that learns that the client has
left. That shuts the call's connections to the database, whose server then drops the statement, and stops the thread at
its next instruction of Python. So neither a server that never answers nor a loop without end outlasts a call. What
could is one long step in C, such as a regular expression; tests hold these to linear time.

A part of a call may have an earlier deadline, as a `Call` that runs within it: what it has done by then is then used.
"""

from __future__ import annotations

import ctypes
import heapq
import itertools
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Protocol, TypeVar

from retrieval.errors import CallTimeout

_T = TypeVar("_T")


class Link(Protocol):
    """A connection of the driver."""

    def fileno(self) -> int:
        """The number of its socket."""
        ...


class _Ended(BaseException):
    """Stops the thread of a call that was ended. No handler of exceptions in between may take it for its own."""


class _TakenBack(BaseException):
    """Takes the place of a stop that has not arrived, where none may arrive any more."""


class Call:
    """A call that has not begun. It can be ended before it does.

    Args:
        seconds: its deadline, from now on.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end_at = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._links: list[Link] = []
        self._whole = False  # whether its thread is in something that must not be stopped half-way
        self._ended = self._done = False
        self._stopping = False  # whether a stop was sent that may not have arrived
        self._thread: int | None = None
        self._part: Call | None = None  # that runs within it, with an earlier deadline

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, 0 where it has passed."""
        return max(0.0, self.end_at - time.monotonic())

    def run(self, function: Callable[[], _T]) -> _T:
        """What a function returns. Within another call it is a part of that one, ended with it if not before.

        Raises:
            CallTimeout: the call was ended before the function returned.
        """
        outer = _current.get()
        if outer is None:
            return self._run(function)
        if outer._whole or outer.end_at <= self.end_at:
            return function()
        outer._begin_part(self)
        try:
            return self._run(function)
        finally:
            outer._end_part()

    def _run(self, function: Callable[[], _T]) -> _T:
        token = _current.set(self)
        try:  # two levels, for the stop may come at any instruction, those that end the inner one included
            try:
                self._begin()
                return function()
            except Exception:
                if not self._ended and self.seconds_left:
                    raise
                raise _Ended from None
            finally:
                self._finish()
        except _Ended:
            self._finish()
            raise CallTimeout(
                f"This took longer than {self.seconds:g} s and was ended. Ask for less, or raise the limit "
                "(LEXSCOPE_REQUEST_SECONDS)."
            ) from None
        finally:
            _current.reset(token)

    def end(self) -> None:
        """End the call, from any thread; does nothing where it is done."""
        with self._lock:
            if self._done or self._ended:
                return
            self._ended = True
            for link in self._links:
                _shut(link)
            if self._part is not None:
                self._part.end()  # then its thread learns that all of the call is over
            elif self._thread is not None and not self._whole:
                self._stopping = True
                _stop(self._thread, _Ended)

    def _begin_part(self, part: Call) -> None:
        with self._lock:
            if self._ended:
                raise _Ended
            self._part = part

    def _end_part(self) -> None:
        with self._lock:
            self._part = None
            if self._ended:
                raise _Ended

    def _begin(self) -> None:
        with self._lock:
            if self._ended:
                raise _Ended
            self._thread = threading.get_ident()
        _watcher.watch(self)

    def _finish(self) -> None:
        with self._lock:
            self._done = True
            self._take_back()  # it is not meant for what follows

    def _set_whole(self, *, whole: bool) -> bool:
        """Allow or forbid to be stopped; returns what was before."""
        with self._lock:
            before, self._whole = self._whole, whole
            if whole:
                self._take_back()  # raised at the end of what is whole, instead of in it
        return before

    def _take_back(self) -> None:
        """Let no stop that was sent arrive later; for the call's own thread."""
        if not self._stopping or self._thread is None:
            return
        self._stopping = False
        with suppress(_TakenBack):
            _stop(self._thread, _TakenBack)  # in its place
            while True:  # not long: it arrives at the next step
                pass

    def _add(self, link: Link) -> None:
        with self._lock:
            self._links.append(link)
            if self._ended:
                _shut(link)

    def _remove(self, link: Link) -> None:
        with self._lock:
            self._links.remove(link)

    # Below, what a driver's pool needs.

    @staticmethod
    @contextmanager
    def whole() -> Generator[float | None]:
        """What must not be stopped half-way, as the taking of a connection out of a pool; yields the seconds left."""
        call = _current.get()
        if call is None:
            yield None
            return
        before = call._set_whole(whole=True)
        try:
            yield call.seconds_left
        finally:
            call._set_whole(whole=before)
        if call._ended and not before:
            raise _Ended

    @staticmethod
    @contextmanager
    def stoppable() -> Generator[None]:
        """Within what is whole, what may be stopped again."""
        call = _current.get()
        if call is None:
            yield
            return
        before = call._set_whole(whole=False)
        try:
            if call._ended:
                raise _Ended
            yield
        finally:
            call._set_whole(whole=before)

    @staticmethod
    @contextmanager
    def through(link: Link) -> Generator[None]:
        """While a connection works for the current call, if there is one: ending the call shuts it."""
        call = _current.get()
        if call is None:
            yield
            return
        call._add(link)
        try:
            yield
        finally:
            call._remove(link)


def _shut(link: Link) -> None:
    """Shut a connection's socket, whatever its thread waits for; the driver then finds it broken."""
    with suppress(Exception):  # it may have been closed by now
        shared = socket.socket(fileno=link.fileno())
        try:
            shared.shutdown(socket.SHUT_RDWR)
        finally:
            shared.detach()  # the driver closes it


def _stop(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in a thread at its next instruction, in place of one that has not arrived.

    There has to be one: told to raise none, CPython 3.11 looks for it at every step from then on, and without end where
    a trace function is set.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class _Watcher:
    """Ends calls at their deadlines, in a thread of its own."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Call]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def watch(self, call: Call) -> None:
        with self._changed:
            heapq.heappush(self._due, (call.end_at, next(self._numbers), call))
            if self._thread is None or not self._thread.is_alive():  # a forked process has the object alone
                self._thread = threading.Thread(target=self._end_calls, name="lexscope-deadlines", daemon=True)
                self._thread.start()
            elif self._due[0][2] is call:
                self._changed.notify()

    def _end_calls(self) -> None:
        while True:
            with self._changed:
                left = self._due[0][0] - time.monotonic() if self._due else None
                if left is None or left > 0:
                    self._changed.wait(left)
                    continue
                call = heapq.heappop(self._due)[2]
            call.end()


_current: ContextVar[Call | None] = ContextVar("call", default=None)
_watcher = _Watcher()
