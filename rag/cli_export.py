"""Exported documents as files: where they go, and that none is left half written."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from rag.database import Database
from rag.export import StoredDocument, find_documents, stored_document
from rag.ingest.formats.lexjsonl import write_lexjsonl
from rag.ingest.nodes import ParsedDocument
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import versions_by_urn
from retrieval.paths import parse_urn

MAX_FILE_NAME = 150


class ExportedDocument(Record):
    """One document that was written. `lines` counts node versions; `file` is None where it went to stdout."""

    urn: str
    lines: int
    definitions: int
    links: int
    file: str | None
    warnings: list[str]


class ExportReport(Record):
    """What an export wrote."""

    documents: list[ExportedDocument]


def export_documents(
    database: Database, urn: str, places: Callable[[list[StoredDocument]], list[Path | None]], out: BinaryIO
) -> ExportReport:
    """Write the documents that a URN names, from one snapshot.

    Args:
        database: an open store.
        urn: of a corpus or of a document.
        places: the file for each of the documents found; None for `out`.
        out: a binary stream.

    Returns:
        What was written; no documents where the URN names none.

    Raises:
        InputError: not a URN, a file that cannot be written, or law that the format cannot say. No file is left half
            written.
    """
    written: list[ExportedDocument] = []
    with database.read() as conn:
        found = find_documents(conn, urn)
        for stored, path in zip(found, places(found), strict=True):
            document = stored_document(conn, stored)
            lines = write_lexjsonl(document, out) if path is None else _write_file(document, path)
            written.append(
                ExportedDocument(
                    urn=stored.urn, lines=lines, definitions=len(document.definitions), links=len(document.links),
                    file=path.as_posix() if path else None, warnings=document.warnings,
                )
            )  # fmt: skip
    return ExportReport(documents=written)


def explain_missing(database: Database, urn: str) -> str:
    """Why a URN names no corpus and no document, and what to name instead."""
    parsed = parse_urn(urn)
    with database.read() as conn:
        nodes = versions_by_urn(conn, [parsed.text])
    if not nodes:
        return f"{parsed.text} is not in the store."
    return f"{parsed.text} is a node of the corpus {nodes[0].corpus}; export that, or one of its documents."


def file_name(urn: str) -> str:
    """A file name for a document: its URN without the common beginning, shortened where file systems want it."""
    name = urn.removeprefix("urn:lex:").replace(":", "_")
    if len(name) > MAX_FILE_NAME:
        name = f"{name[:MAX_FILE_NAME]}-{hashlib.sha256(urn.encode()).hexdigest()[:12]}"
    return f"{name}.jsonl"


def _write_file(document: ParsedDocument, path: Path) -> int:
    try:
        handle, name = tempfile.mkstemp(prefix=".lexscope-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise _unwritable(error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            lines = write_lexjsonl(document, stream)
        temporary.chmod(0o644)  # law, not a person's words: readable as any file the user makes
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(error) from None
    finally:
        temporary.unlink(missing_ok=True)
    return lines


def _unwritable(error: OSError) -> InputError:
    return InputError(f"The export cannot be written there: {os.strerror(error.errno or 0)}.")
