"""What the MCP server says when something fails, to its caller and to its log: a closed vocabulary.

Neither repeats what a caller typed, since that may be somebody's case.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

from pydantic import ValidationError

from rag.unexpected import without_words
from retrieval.errors import ConfigurationError, EmptyStore, InputError, LexscopeError, NotInStore, SchemaMismatch

LogForm = Literal["text", "json"]

# What is no message of JSON-RPC, over either wire.
NO_JSON = "A message is one JSON object in UTF-8; over standard input it stands on a line of its own."
NO_MESSAGE = (
    'This is no message of JSON-RPC 2.0: a request has "jsonrpc": "2.0", an "id", a "method" and, where it has '
    '"params", an object of them. Several messages are sent one by one.'
)
UNFIT_ID = "The id of a request is a string or a whole number."
KEY_TWICE = "An object of the message has a key twice, and readers differ on which of its values counts."


def fits_as_id(value: object) -> bool:
    """Whether a request may have this id: one with another gets no answer from the library."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def explain(tool: str, error: LexscopeError) -> str:
    """What a caller reads: the code, the tool, what is wrong, and what to do."""
    advice = "It says nothing about the law. Whoever runs this server finds more with `lexscope doctor`."
    if isinstance(error, EmptyStore):
        advice = "It says nothing about the law, and no other argument helps: whoever runs this server has to do that."
    elif isinstance(error, NotInStore):
        advice = "Tell the user that this store has none; law of another place does not answer for it."
    elif isinstance(error, InputError):
        advice = "Correct the arguments and call again."
    elif isinstance(error, (SchemaMismatch, ConfigurationError)):
        advice = "It says nothing about the law. Whoever runs this server has to mend its set-up."
    elif error.retryable:
        advice = "It says nothing about the law. Try again in a moment."
    return f"{error.code}: {tool}: {error.message} {advice}"


def unexpected(place: str) -> str:
    """What a caller reads of a failure that nobody expected."""
    return (
        f"internal: {place}: an unexpected failure. It says nothing about the law. Try again; if it stays, "
        "whoever runs this server finds its place in the server's log."
    )


def rejected(error: ValidationError) -> str:
    """Which arguments do not fit the schema, by name; their values, and keys inside them, are the caller's."""
    found: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        place = str(problem["loc"][0]) if problem["loc"] else "arguments"
        found.setdefault(place, "it is missing" if problem["type"] == "missing" else problem["msg"].rstrip("."))
    return " ".join(f"Argument `{place}`: {problem}." for place, problem in sorted(found.items()))


class PrivateFormatter(logging.Formatter):
    """One line a record: this project's messages in full, other libraries' by their place in the source only.

    This project's own messages are of a closed vocabulary; others may repeat a request.

    Args:
        form: `text`, or `json` for one object a line: time, level, logger, message, and exception where there is one.
    """

    def __init__(self, form: LogForm = "text") -> None:
        super().__init__()
        self.form = form

    def format(self, record: logging.LogRecord) -> str:
        """Format one record."""
        ours = record.name.split(".")[0] in ("rag", "retrieval")
        said = record.getMessage() if ours else f"message of {record.module}:{record.lineno}"
        failed = without_words(record.exc_info[1]) if record.exc_info else ""
        if self.form == "json":
            moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
            told = {"time": moment, "level": record.levelname, "logger": record.name, "message": said}
            return json.dumps(told | ({"exception": failed} if failed else {}))
        return f"{record.levelname} {record.name}: {said}{f' ({failed})' if failed else ''}"


def private_handler(form: LogForm = "text") -> logging.Handler:
    """A handler that writes to stderr what `PrivateFormatter` lets through."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PrivateFormatter(form))
    return handler


@contextmanager
def off_the_wire() -> Generator[None]:
    """Send what this process and its children write to stdout to stderr, since stdout belongs to the protocol."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
