"""What the verbs share: the global options, where they may stand, one document or lines on stdout, safe stderr.

What is imported inside functions here and in the modules of the verbs is what `--help` can do without: it answers at
once instead of after loading a database driver.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import typer

from retrieval.errors import InputError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from rag.engine import Engine
    from rag.presentation.page import Page
    from rag.settings import Settings
    from rag.store.database import Database

# Longer than any question that is accepted, so that a refusal can say how long it was; an endless pipe still ends.
MAX_STDIN_BYTES = 8 * 1024 * 1024

# Option -> whether a value follows it. These may stand before the verb or anywhere after it.
GLOBAL_OPTIONS = {
    "--database-url": True, "--data-dir": True, "--debug": False, "--json": False, "--version": False,
}  # fmt: skip
EPILOG = "Also for every verb, before or after it: --json, --database-url, --data-dir, --debug."


@dataclass(slots=True)
class Session:
    """The global options of one call, and what comes of them."""

    database_url: str | None = None
    data_dir: Path | None = None
    debug: bool = False
    json: bool = False

    def settings(self, **given: object) -> Settings:
        """The settings that the options and the environment come to.

        Raises:
            ConfigurationError: one cannot be used.
        """
        from rag.settings import load_settings

        return load_settings(database_url=self.database_url, data_dir=self.data_dir, **given)

    @contextmanager
    def engine(self) -> Generator[Engine]:
        """An open engine.

        Raises:
            ConfigurationError: a setting cannot be used.
            StoreError: the store cannot be reached, or its schema is another version's.
        """
        from rag.engine import Engine

        with Engine.open(self.settings()) as engine:
            yield engine

    @contextmanager
    def database(self) -> Generator[Database]:
        """An open store, for what needs neither model nor embedder.

        Raises:
            ConfigurationError: a setting cannot be used.
            StoreError: the store cannot be reached, or its schema is another version's.
        """
        with self.engine() as engine:
            yield engine.database

    def show(self, record: BaseModel, lines: Callable[[Page], None]) -> None:
        """Write a result to stdout: as one JSON document where that was asked for, as lines for people otherwise."""
        from rag.presentation.page import Page
        from rag.telemetry.review.view import json_escape_unseen

        if self.json:
            sys.stdout.write(json_escape_unseen(record.model_dump_json(indent=2)) + "\n")
        else:
            lines(Page(sys.stdout))
        sys.stdout.flush()


def session(context: typer.Context) -> Session:
    """The session of a call."""
    found = context.find_object(Session)
    return found if found is not None else Session()


def hoisted(arguments: Sequence[str]) -> list[str]:
    """The arguments with the global options moved to the front, so that they may follow the verb as well.

    Nothing after `--` is moved. An option whose value is missing stays at the end, where it is reported.
    """
    front: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        one = waiting.pop(0)
        if one == "--":
            rest += [one, *waiting]
            break
        name, equals, _ = one.partition("=")
        takes_value = GLOBAL_OPTIONS.get(name)
        if takes_value is None or (equals and not takes_value):
            rest.append(one)
        elif takes_value and not equals and waiting:
            front += [one, waiting.pop(0)]
        else:
            front.append(one)
    return front + rest


def question_text(argument: str) -> str:
    """The question that an argument stands for: itself, or stdin where it is `-`.

    Raises:
        InputError: stdin is not UTF-8, or too long to be a question.
    """
    if argument != "-":
        return argument
    if sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison] - None after `<&-`
        raise InputError("There is nothing on standard input.")
    if sys.stdin.isatty():
        tell("Type the scenario; end with Ctrl-D on a line of its own.")
    data = sys.stdin.buffer.read(MAX_STDIN_BYTES + 1)
    if len(data) > MAX_STDIN_BYTES:
        raise InputError(f"Standard input has more than {MAX_STDIN_BYTES} bytes; a question is far shorter.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"Standard input is not UTF-8 text (byte {error.start + 1}).") from None


def tell(message: str) -> None:
    """One line on stderr: progress, notes, errors. What a terminal could obey is escaped."""
    from rag.presentation.page import visible

    text = visible(" ".join(message.split())).encode("ascii", "backslashreplace").decode()
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def fail(message: str) -> None:
    """One line on stderr that says what went wrong and what to do."""
    tell(f"lexscope: {message}")


def quiet_logging(*, debug: bool) -> None:
    """Keep libraries' log records off stderr: they can hold addresses and words of a request. Ours hold neither."""
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())
    handler = logging.StreamHandler() if debug else logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    for name in ("rag", "retrieval"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG if debug else logging.NOTSET)
        # In place of what an earlier run in this process left: its stderr may be closed by now.
        logger.handlers[:] = [handler]


class LastResort:
    """Turns an exception that nobody expected into one line that holds its type and nothing of what it says.

    As the outermost `with` of the program; it then ends the process with status 1.
    """

    def __init__(self, *, debug: bool) -> None:
        self.debug = debug

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or not isinstance(error, Exception):
            return
        if self.debug:
            # Frames only: an exception's message, and those it came from, can repeat a scenario.
            for one in _chain(error):
                sys.stderr.writelines(traceback.format_tb(one.__traceback__))
                tell(f"raised {type(one).__name__}")
        more = "" if self.debug else "; run with --debug for a traceback"
        fail(f"internal error ({type(error).__name__}){more}")
        raise SystemExit(1) from None


def _chain(error: BaseException) -> list[BaseException]:
    """An exception after those it came from."""
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found[::-1]
