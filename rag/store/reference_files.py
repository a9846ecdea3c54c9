"""Files of records that people write: CSV with a header line, or one JSON object a line. Every bad line is named."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError

from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.strict_json import JsonRefused, parse_json

_Row = TypeVar("_Row", bound=BaseModel)

SHOWN = 20  # rejected lines that an error names
_MAX_LINE, _MAX_DEPTH = 100_000, 4  # bytes and levels of one JSON line


class RejectedLine(Record):
    """A line that is no record: its number in the file, from 1, and why."""

    line: int
    cause: str

    def __str__(self) -> str:
        return f"{self.line}: {self.cause}"


@dataclass(slots=True)
class ReadFile(Generic[_Row]):
    """The records of a file, and the lines that are none."""

    name: str
    rows: list[_Row] = field(default_factory=list["_Row"])
    rejected: list[RejectedLine] = field(default_factory=list[RejectedLine])

    def checked(self) -> list[_Row]:
        """The rows of a file that has no bad line.

        Raises:
            InputError: names the file and every rejected line, up to `SHOWN` of them.
        """
        if not self.rejected:
            return self.rows
        shown = "; ".join(f"{self.name}:{reason}" for reason in self.rejected[:SHOWN])
        more = len(self.rejected) - SHOWN
        raise InputError(shown + (f"; and {more} more lines" if more > 0 else "") + ". Nothing was recorded.")


def read_records(file: Path, kind: type[_Row]) -> ReadFile[_Row]:
    """Read and check a file of records: JSON lines where its first sign is a brace, CSV otherwise.

    Raises:
        InputError: the file cannot be read, is no CSV, or its header lacks a column. A bad line is no error here.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{file.name}: cannot be read: {os.strerror(error.errno or 0)}.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name}: is not UTF-8 text (byte {error.start + 1}).") from None
    found = ReadFile[_Row](file.name)
    given = _json_lines(text) if text.lstrip().startswith("{") else _csv_lines(text, file.name, kind)
    for line, record in given:
        if isinstance(record, str):
            found.rejected.append(RejectedLine(line=line, cause=record))
            continue
        try:
            found.rows.append(kind.model_validate(record))
        except ValidationError as error:
            found.rejected.append(RejectedLine(line=line, cause=first_cause(error)))
    return found


def read_rows(file: Path, kind: type[_Row]) -> list[_Row]:
    """The records of a file all of whose lines are good.

    Raises:
        InputError: names file, line and field of each bad line.
    """
    return read_records(file, kind).checked()


def first_cause(error: ValidationError) -> str:
    """The field and the reason of a record's first fault, without the value given."""
    first = error.errors(include_url=False, include_input=False)[0]
    name = ".".join(str(part) for part in first["loc"]) or "row"
    return f"{name}: {first['msg'].removeprefix('Value error, ')}"


def _json_lines(text: str) -> Iterator[tuple[int, Mapping[str, object] | str]]:
    """Each line's object, or why it is none."""
    for number, line in enumerate(text.split("\n"), start=1):  # U+2028 may stand inside a string
        if not line.strip():
            continue
        try:
            value = parse_json(line, max_bytes=_MAX_LINE, max_depth=_MAX_DEPTH)
        except JsonRefused as refused:
            yield number, f"is not JSON of the strict kind ({refused.reason})"
            continue
        yield number, cast("Mapping[str, object]", value) if isinstance(value, dict) else "is no JSON object"


def _csv_lines(text: str, name: str, kind: type[BaseModel]) -> Iterator[tuple[int, Mapping[str | None, object] | str]]:
    """Each record by the columns that the first line names, with the number of the line on which it ends."""
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)  # lines inside quotes are kept as they are
    try:
        columns = reader.fieldnames or ()
        missing = [
            column for column, field_ in kind.model_fields.items() if field_.is_required() and column not in columns
        ]
        if missing:
            raise InputError(f"{name}: its first line must name the columns; {', '.join(missing)} is missing.")
        for record in reader:
            extra = record.get(None)  # pyright: ignore[reportArgumentType, reportCallIssue] - the reader's own key
            yield reader.line_num, "has more fields than the first line names" if extra else record
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: is not CSV ({error}).") from None
