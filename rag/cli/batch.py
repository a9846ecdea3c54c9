"""`resolve --batch`: references of a file, one a line, to resolutions, one a line, in the same order.

A line is a reference as people write it, or a JSON object: `{"reference": "5 U.S.C. 552", "id": 7}`, which may also
have `at_date` and `language`. Lines are read as they are needed and written as they come: memory does not grow.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from rag.engine import Engine
from rag.ingest.writing.progress import Progress
from rag.requests import checked_date
from retrieval.errors import InputError
from retrieval.languages import checked_language
from retrieval.model import Record, Resolution
from retrieval.references.batch import Cited

MAX_LINE = 64 * 1024  # bytes; a longer line is reported and passed over
TELL_SECONDS = 2.0  # between two notes of progress
_KEYS = ("reference", "id", "at_date", "language")
# `cited_by` and `suggestions` are not looked up in a batch, and the readings are those of `resolve`.
_LEFT_OUT: Any = {"tag_queries": True, "suggestions": True, "candidates": {"__all__": {"cited_by"}}}


class BatchReport(Record):
    """What a file of references came to."""

    references: int
    resolved: int
    candidates: int
    ambiguous: int
    not_found: int
    invalid: int  # lines that hold no reference that can be used
    seconds: float


class _Line:
    """A line of the input: what to look up, and what its result has beside the resolution."""

    __slots__ = ("cited", "fault", "own")

    def __init__(self, number: int, raw: bytes) -> None:
        self.own: dict[str, object] = {"line": number}
        self.cited, self.fault = Cited(""), ""
        try:
            self._read(raw)
        except InputError as error:
            self.fault = error.message

    def _read(self, raw: bytes) -> None:
        if len(raw) > MAX_LINE:
            raise InputError(f"The line has more than {MAX_LINE:,} bytes.")
        try:
            text = raw.decode("utf-8-sig").strip()
        except UnicodeDecodeError:
            raise InputError("The line is not UTF-8 text.") from None
        self.cited = Cited(text) if not text.startswith("{") else self._object(text)

    def _object(self, text: str) -> Cited:
        try:
            found: object = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError("The line begins like a JSON object and is not one.") from None
        given = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        if "id" in given:
            self.own["id"] = given["id"]
        if set(given) - set(_KEYS):
            raise InputError(f"The object has other members than {', '.join(_KEYS)}.")
        texts = {key: value for key in ("reference", "at_date", "language") if (value := given.get(key)) is not None}
        if "reference" not in texts or not all(isinstance(text, str) for text in texts.values()):
            raise InputError("The object has no text as its `reference`, or another member is no text.")
        said = cast("dict[str, str]", texts)
        day = checked_date(said["at_date"]) if "at_date" in said else None
        return Cited(said["reference"], day, checked_language(said.get("language")))


def resolve_file(
    engine: Engine,
    source: str,
    output: Path | None,
    report: Callable[[Progress], None],
    *,
    jurisdiction: str | None,
    language: str | None,
    at_date: str | None,
    tags: dict[str, str],
) -> BatchReport:
    """Resolve the references of a file.

    Args:
        engine: of the store.
        source: the file's path, or `-` for standard input.
        output: the file to write, which appears when it is complete; standard output by default.
        report: told how many lines are done.
        jurisdiction: that may answer, for all lines.
        language: as above; a line's own counts first.
        at_date: as above.
        tags: that all provisions must have.

    Raises:
        InputError: a file cannot be read or written, or a filter cannot be used.
        StoreError: the store failed; then no output file is left.
    """
    since = told = time.monotonic()
    counts: Counter[str] = Counter()
    waiting: deque[_Line] = deque()

    def references(lines: Iterator[bytes]) -> Iterator[Cited]:
        for number, raw in enumerate(lines, start=1):
            if raw.strip():
                waiting.append(_Line(number, raw))
                yield waiting[-1].cited

    with _opened(source) as stream, _written(output) as out:
        size = os.fstat(stream.fileno()).st_size if source != "-" else 0
        found = engine.resolve_many(
            references(_lines(stream)), jurisdiction=jurisdiction, language=language, at_date=at_date, tags=tags
        )
        for resolution in found:
            line = waiting.popleft()
            counts["invalid" if line.fault else resolution.status] += 1
            out.write(_result(line, resolution))
            if time.monotonic() - told >= TELL_SECONDS:
                told = time.monotonic()
                done = counts.total()
                share = f", {stream.tell() / size:.0%} of the file" if size else ""
                report(Progress(done, done, f"references{share}, {done / (told - since):,.0f} a second", 0))
    status = ("resolved", "candidates", "ambiguous", "not_found", "invalid")
    return BatchReport(
        references=counts.total(), seconds=round(time.monotonic() - since, 3), **{key: counts[key] for key in status}
    )


def _result(line: _Line, found: Resolution) -> str:
    if line.fault:
        record: dict[str, object] = {**line.own, "status": "invalid", "urn": None, "message": line.fault}
    else:
        record = {**line.own, **found.model_dump(mode="json", exclude=_LEFT_OUT)}
    return json.dumps(record, ensure_ascii=True, separators=(", ", ": ")) + "\n"


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long no more than shows that it is."""
    while raw := stream.readline(MAX_LINE + 1):
        yield raw
        while len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE + 1)


@contextmanager
def _opened(source: str) -> Generator[IO[bytes]]:
    if source == "-":
        if sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison] - None after `<&-`
            raise InputError("There is nothing on standard input.")
        yield sys.stdin.buffer
        return
    try:
        stream = Path(source).open("rb")  # noqa: SIM115 - closed below; only its opening is explained
    except OSError as error:
        raise InputError(f"The file of references cannot be read: {error.strerror}.") from None
    with stream:
        yield stream


@contextmanager
def _written(output: Path | None) -> Generator[IO[str]]:
    """Where results go; a file is there when it is whole, and not before."""
    if output is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    part = output.with_name(f"{output.name}.part")
    try:
        stream = part.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"The output file cannot be written: {error.strerror}.") from None
    try:
        with stream:
            yield stream
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
