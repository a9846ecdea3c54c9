"""How a caller follows a request through its stages: the engine tells, whoever listens is told.

A context variable carries the listener, so that it reaches the thread of one request and no other, and the engine's
methods need no parameter for it. Stages are names from a closed set, never words of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("lexscope_progress", default=None)


def tell_stage(name: str) -> None:
    """Say that a stage of the current request is done, such as `entry_points`; nothing happens where nobody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(name)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Have a function called with the name of each stage that requests inside the `with` finish."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
