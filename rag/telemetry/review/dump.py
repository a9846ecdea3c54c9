"""A trace as a reviewer's file: JSON (exact, can be loaded again), Markdown (terminal, forge) or HTML (one page).

Every format is a pure function of the trace: the same trace gives the same bytes.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from rag.telemetry.review.html import render_html
from rag.telemetry.review.markdown import render_markdown
from rag.telemetry.review.unseen import json_escape_unseen
from rag.telemetry.trace import TRACE_VERSION, WITHOUT_USERS_WORDS, Trace
from retrieval.errors import InputError
from retrieval.strict_json import JsonRefused, member, parse_json

MAX_TRACE_BYTES = 256 * 1024 * 1024
MAX_TRACE_DEPTH = 32


def dump_json(trace: Trace) -> str:
    """The trace as JSON: keys sorted, indented by two, invisible characters as JSON escapes; ends with a line feed.

    Raises:
        InputError: the trace contradicts its own privacy setting, or holds a number that JSON does not have.
    """
    try:
        text = json.dumps(
            _checked(trace).model_dump(mode="json"), ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False
        )
    except ValueError:
        raise InputError("The trace holds a score or a time that is not a finite number.") from None
    return json_escape_unseen(text) + "\n"


def load_trace(text: str) -> Trace:
    """The trace that `dump_json` was given.

    Raises:
        InputError: not JSON of the strict kind, not a trace, one of another version, or one that contradicts its own
            privacy setting. The message names places, never values.
    """
    try:
        value = parse_json(text, max_bytes=MAX_TRACE_BYTES, max_depth=MAX_TRACE_DEPTH)
    except JsonRefused as refused:
        raise InputError(f"This is no JSON dump of a trace: {refused.reason}.") from None
    if member(value, "version") != TRACE_VERSION:
        raise InputError(f"This is no JSON dump of a trace of version {TRACE_VERSION}, which this program reads.")
    trace, where = None, ""
    try:
        trace = Trace.model_validate(value)
    except ValidationError as error:
        # Only the contract's own field names may be repeated; a key of the file can be anybody's words.
        known = [
            str(part) for problem in error.errors(include_input=False) for part in problem["loc"][:1] if _is_field(part)
        ]
        where = f" See {', '.join(dict.fromkeys(known))}." if known else ""
    # Raised outside the handler: the validator's exception carries the values it refused.
    if trace is None:
        raise InputError(f"This is no JSON dump of a trace: fields are missing, unknown or unusable.{where}")
    return _checked(trace)


def dump_html(trace: Trace) -> str:
    """The trace as one self-contained HTML document without scripts or remote assets.

    Raises:
        InputError: the trace contradicts its own privacy setting.
    """
    return render_html(_checked(trace))


def dump_markdown(trace: Trace) -> str:
    """The trace as Markdown, readable on a terminal too; long lines are wrapped.

    Raises:
        InputError: the trace contradicts its own privacy setting.
    """
    return render_markdown(_checked(trace))


FORMATS: dict[str, Callable[[Trace], str]] = {".json": dump_json, ".md": dump_markdown, ".html": dump_html}


def write_dump(trace: Trace, path: Path) -> None:
    """Write a dump in the format that the file's suffix names, readable and writable by its owner only.

    The file appears whole or not at all; one that is there is replaced, and a symbolic link is replaced itself,
    never followed.

    Args:
        trace: what to write; as it is, so redact it first where that is wanted.
        path: `.json`, `.md` or `.html`; its folder must exist.

    Raises:
        InputError: another suffix, a file that cannot be written, or a trace that cannot be dumped.
    """
    render = FORMATS.get(path.suffix.lower())
    if render is None:
        raise InputError(f"A dump's file name ends in {', '.join(FORMATS)}; this one does not.")
    data = render(trace).encode()
    try:
        # Made anew with mode 0600 in the same folder, so that there is no moment at which others may read it.
        handle, name = tempfile.mkstemp(prefix=".lexscope-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise _unwritable(error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(error) from None
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(error: OSError) -> InputError:
    return InputError(f"The dump cannot be written there: {os.strerror(error.errno or 0)}.")


def _is_field(part: int | str) -> bool:
    return part in Trace.model_fields


def _checked(trace: Trace) -> Trace:
    """The trace, if what it holds agrees with what it says that it holds."""
    if trace.privacy not in ("full", "redacted"):
        raise InputError("A trace's privacy is full or redacted; this one's is neither.")
    kept = (
        trace.scenario,
        trace.synonyms,
        trace.unanswered,
        trace.prompt,
        trace.short_answer,
        *(kept for statement in trace.statements for kept in (statement.text, statement.facts, statement.computations)),
        *(place.why or None for place in trace.places),
    )
    words = [warning for warning in trace.told if warning.message and warning.kind not in WITHOUT_USERS_WORDS]
    if trace.privacy == "redacted" and (words or any(text is not None for text in kept)):
        raise InputError("The trace says that it is redacted but holds the user's or the model's words.")
    return trace
