"""Records of JSON and JSON Lines files, read strictly: refused by name and line, and never echoed."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.encoding import DAMAGED, MAX_BYTES, read_bytes, without_mark
from rag.ingest.formats.xml import MAX_NESTING
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.strict_json import JsonRefused, parse_json

MAX_LINE_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 2 * MAX_NESTING  # each level of law is a list in an object


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object. `line` is its line in the file (None in a JSON array), `sha256` the digest of that line."""

    fields: dict[str, object]
    name: str
    line: int | None
    sha256: str = ""

    def text(self, field: str) -> str:
        """A field that must be a string.

        Raises:
            IngestError: it is missing or something else.
        """
        value = self.fields.get(field)
        if not isinstance(value, str):
            raise self.refusal(f'field "{field}" must be a string')
        return value

    def number(self, field: str) -> int:
        """A field that must be a whole number.

        Raises:
            IngestError: it is missing or something else.
        """
        value = self.fields.get(field)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.refusal(f'field "{field}" must be a whole number')
        return value

    def refusal(self, cause: str) -> IngestError:
        """An error that names this record's file and line."""
        return IngestError(cause, file=self.name, line=self.line)


def json_lines(path: Path, name: str) -> Iterator[Record]:
    """The objects of a JSON Lines file, one at a time; blank lines are passed over.

    Raises:
        IngestError: unreadable, a line that is too long, not UTF-8, not strict JSON or no object.
    """
    try:
        with path.open("rb") as stream:
            number = 0
            while raw := stream.readline(MAX_LINE_BYTES + 1):
                raw = raw if number else without_mark(raw)
                number += 1
                if raw.strip():
                    value = _parsed(raw.rstrip(b"\r\n"), MAX_LINE_BYTES, name, number)
                    yield _record(value, name, number, hashlib.sha256(raw.rstrip(b"\r\n")).hexdigest())
    except OSError as error:
        raise IngestError(f"cannot be read ({type(error).__name__})", file=name) from None


def read_json(path: Path, name: str) -> object:
    """The value of a file that is one JSON text.

    Raises:
        IngestError: unreadable, too large, not UTF-8, damaged by a wrong encoding before, or not strict JSON.
    """
    raw = read_bytes(path, name)
    damaged = raw.find("\ufffd".encode())
    if damaged >= 0:
        raise IngestError(f"{DAMAGED}; save it as UTF-8", file=name, line=raw.count(b"\n", 0, damaged) + 1)
    return _parsed(raw, MAX_BYTES, name, None)


def json_array(path: Path, name: str) -> list[Record]:
    """The objects of a file that is one JSON array.

    Raises:
        IngestError: unreadable, too large, not UTF-8, not strict JSON, no array, or an element that is no object.
    """
    value = read_json(path, name)
    if not isinstance(value, list):
        raise IngestError("is not a JSON array of objects", file=name)
    return [_record(entry, name, None, "") for entry in cast("list[object]", value)]


class RecordsFormat(FileFormat):
    """A format whose files hold several documents each."""

    @abstractmethod
    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        """The documents of a file, each with a `source_hash` of its own; see `ManyDocuments`."""

    def read(self, source: Source) -> ParsedDocument:
        """The single document of a file.

        Raises:
            IngestError: the file holds none, or several, which `documents` reads.
        """
        found = list(self.documents(source))
        if len(found) != 1:
            what = f"holds {len(found)} documents, which are read with documents()" if found else "holds no document"
            raise IngestError(what, file=source.name)
        return found[0]


def part_hash(digest: str, key: str, documents: int) -> str:
    """The source hash of one document of a file: the file's own digest where it is the only one."""
    return digest if documents == 1 else hashlib.sha256(f"{digest}:{key}".encode()).hexdigest()


def _parsed(raw: bytes, limit: int, name: str, line: int | None) -> object:
    try:
        return parse_json(raw, max_bytes=limit, max_depth=MAX_DEPTH)
    except JsonRefused as refused:
        raise IngestError(f"refused as JSON: {refused.reason}", file=name, line=line or _bad_line(raw)) from None


def _bad_line(raw: bytes) -> int | None:
    """The line of the first byte that is no UTF-8, where that is what is wrong."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return raw.count(b"\n", 0, error.start) + 1
    return None


def _record(value: object, name: str, line: int | None, digest: str) -> Record:
    if not isinstance(value, dict):
        raise IngestError("holds something that is not a JSON object", file=name, line=line)
    return Record(cast("dict[str, object]", value), name, line, digest)
