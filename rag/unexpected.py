"""Exceptions that nobody expected, told by their type and place: what they say can repeat what a user typed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import cast

RETRY_SECONDS = 0.05  # before a signal is sent again whose handler raised where nothing can be raised


def without_words(error: BaseException | None) -> str:
    """An exception as its type and the lines it came through; its message may hold what a caller typed."""
    if error is None:
        return "no exception"
    name = type(error).__name__
    if isinstance(error, BaseExceptionGroup):
        inner = cast("BaseExceptionGroup[BaseException]", error).exceptions
        return f"{name} of {'; '.join(without_words(nested) for nested in inner)}"
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    return f"{name} at {places}"


def take_over_hooks() -> None:
    """Have Python tell an exception that ends the program or a thread, or that it drops, in one line without its words.

    Python drops what is raised in a finalizer or in a callback of the collector, and so the exit that a signal's
    handler raises there: that signal is sent again a moment later. For programs: it changes the whole process.
    """
    sys.excepthook = print_privately
    threading.excepthook = _of_thread
    sys.unraisablehook = _dropped


def print_privately(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    """A `sys.excepthook` that keeps messages of exceptions to itself."""
    _tell("unexpected", error)


def _of_thread(args: threading.ExceptHookArgs) -> None:
    if not issubclass(args.exc_type, SystemExit):
        _tell("unexpected in a thread:", args.exc_value)


def _dropped(args: sys.UnraisableHookArgs) -> None:
    error = args.exc_value
    if isinstance(error, KeyboardInterrupt):
        again = signal.SIGINT
    elif isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > 128:
        again = signal.Signals(error.code - 128)
    else:
        _tell("unexpected and dropped:", error)
        return
    timer = threading.Timer(RETRY_SECONDS, os.kill, [os.getpid(), again])
    timer.daemon = True
    timer.start()


def _tell(what: str, error: BaseException | None) -> None:
    if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison] - None in a program without a console
        print(what, without_words(error), file=sys.stderr)
