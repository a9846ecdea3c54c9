"""The bytes of a file as text. Another encoding than it says is recognised and refused, never repaired by guessing."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError

# Characters that appear when UTF-8 was read as a Western code page; legal text has no use for these pairs.
MOJIBAKE = re.compile("\ufffd|[\u0080-\u009f]|\u00c3[\u0080-\u00bf]|\u00e2\u20ac")
MAX_BYTES = 512 * 1024 * 1024
DAMAGED = "its text is damaged by a wrong encoding"
# Two-byte characters of the ASCII range: no text of one byte a character begins so.
_UTF_16 = re.compile(rb"\xff\xfe|\xfe\xff|(?:[\t-~]\0){8}|(?:\0[\t-~]){8}")


def is_utf_16(head: bytes) -> bool:
    """Whether a file that begins with these bytes is UTF-16, with or without a byte order mark."""
    return _UTF_16.match(head) is not None


def without_mark(raw: bytes) -> bytes:
    """The bytes without the byte order mark that some editors put before UTF-8."""
    return raw.removeprefix(codecs.BOM_UTF8)


def read_bytes(path: Path, name: str) -> bytes:
    """A file's bytes without a byte order mark.

    Raises:
        IngestError: unreadable, or larger than `MAX_BYTES`.
    """
    try:
        size = path.stat().st_size
        raw = without_mark(path.read_bytes()) if size <= MAX_BYTES else b""
    except OSError as error:
        raise IngestError(f"cannot be read ({type(error).__name__})", file=name) from None
    if size > MAX_BYTES:
        raise IngestError(f"the file has {size} bytes; the limit is {MAX_BYTES}", file=name)
    return raw


def read_text(path: Path, name: str) -> str:
    """A file's text in UTF-8.

    Raises:
        IngestError: unreadable, larger than `MAX_BYTES`, not UTF-8, or damaged by a wrong encoding before; with line.
    """
    raw = read_bytes(path, name)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise IngestError("is not UTF-8", file=name, line=raw.count(b"\n", 0, error.start) + 1) from None
    if "\ufffd" in text:
        line = text.count("\n", 0, text.index("\ufffd")) + 1
        raise IngestError(f"{DAMAGED}; save it as UTF-8", file=name, line=line)
    return text


def undamaged(document: ParsedDocument) -> ParsedDocument:
    """The document itself, where no word of it was damaged before it came here.

    Raises:
        IngestError: a text holds what UTF-8 becomes when it is read as a Western code page. Names file and line, or
            the node where the format has no lines.
    """
    for node in document.nodes:
        if any(MOJIBAKE.search(text) for text in (node.heading, node.intro_text, node.content_text)):
            place = "" if node.line is not None else f" at {node.urn}"
            raise IngestError(f"{DAMAGED}{place}; save it as UTF-8", file=document.source, line=node.line)
    return document
