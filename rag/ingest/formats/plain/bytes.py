"""From the bytes of a plain document to its characters. No encoding is guessed: it is said, UTF-8 or refused."""

from __future__ import annotations

import codecs

from rag.ingest.formats.plain.source import PlainSource
from retrieval.errors import IngestError

MAX_TEXT_BYTES = 24 * 1024 * 1024  # ten thousand printed pages; reading takes forty times the memory at worst

# The mark of UTF-32 begins with that of UTF-16, so it is asked first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip


def read_bytes(source: PlainSource, limit: int = MAX_TEXT_BYTES) -> bytes:
    """All bytes of the file, at most `limit`.

    Raises:
        IngestError: empty, too large or unreadable.
    """
    source.check_size(limit)
    try:
        return source.path.read_bytes()
    except OSError as error:
        raise IngestError(f"cannot be read ({type(error).__name__})", file=source.name) from None


def decode(data: bytes, source: PlainSource, declared: str = "") -> tuple[str, list[str]]:
    """The text of a file by its byte order mark, as UTF-8, or as the encoding it declares.

    Args:
        declared: the encoding that the text itself names; empty where it names none.

    Returns:
        The text and remarks for the report.

    Raises:
        IngestError: the bytes are not text of that encoding; names line and byte.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], name, source, len(mark)), []
    if b"\x00" in data:
        cause = f"has a NUL at byte {data.index(0)}: UTF-16 without a byte order mark, or no text; save it as UTF-8"
        raise IngestError(cause, file=source.name)
    named = _codec(declared)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if not declared or named == "utf-8":
            return _strict(data, "utf-8", source, 0), []
        if named is None:
            raise IngestError("declares an encoding that is not known; save it as UTF-8", file=source.name) from None
        return _strict(data, named, source, 0), [f"is read as {named}, the encoding it declares"]
    wrong = declared and named != "utf-8" and not data.isascii()
    return text, ["declares another encoding and is UTF-8; it is read as UTF-8"] if wrong else []


def _codec(declared: str) -> str | None:
    """Python's name for a declared text encoding; None where it is not one."""
    try:
        b" ".decode(declared)  # fails for codecs that are no text encodings, such as rot13 and zip
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return None
    # What browsers do: pages that say Latin-1 mean the Western code page of Windows.
    return {"iso8859-1": "cp1252", "ascii": "cp1252"}.get(name, name)


def _strict(data: bytes, name: str, source: PlainSource, skipped: int) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        cause = f"is not valid {name} (byte {error.start + skipped}); save it as UTF-8"
        raise IngestError(cause, file=source.name, line=line) from None
