"""PDF files with a text layer, page by page. What has none is refused: no picture is read."""

from __future__ import annotations

import io
import logging
import struct
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag.ingest.formats.plain.blocks import Cleaner, Reading
from rag.ingest.formats.plain.bytes import read_bytes
from rag.ingest.formats.plain.document import MAX_CHARACTERS, PlainFormat, not_installed
from rag.ingest.formats.plain.lines import mark_headings
from rag.ingest.formats.plain.printed import drop_running_lines, join_lines
from rag.ingest.formats.plain.source import MAX_BYTES, PlainSource
from retrieval.errors import IngestError

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES = 20_000
_OPENING = 20  # paragraphs at the beginning, one of which prints the title
_UNREADABLE = 0.3  # share of a text's characters from which on its words cannot be relied on
_MAGIC = b"%PDF-"
_END = b"%%EOF"
_END_BYTES = 4096  # some programs write something after the end
# What a damaged file makes pypdf raise besides its own errors: it reads objects as they come, before checking them.
_DAMAGED = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, OSError, RecursionError,
    TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip


class PlainPdf(PlainFormat):
    """Format `plain_pdf`. Needs the extra `documents`."""

    name = "plain_pdf"
    version = 9

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether its first kilobyte has a PDF's mark, or it is named as one."""
        return path.suffix.lower() == ".pdf" or _MAGIC in head[:1024]

    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the text layer.

        Raises:
            IngestError: empty, too large, damaged, encrypted, or without text; or the extra is not installed.
        """
        try:
            from pypdf import PdfReader
            from pypdf.errors import DependencyError, PyPdfError
        except ModuleNotFoundError as error:
            raise not_installed(error, source) from None
        data = read_bytes(source, MAX_BYTES)
        if _MAGIC not in data[:1024]:
            raise IngestError("is named .pdf and is no PDF file", file=source.name)
        if _END not in data[-_END_BYTES:]:
            raise IngestError("has no end: it is cut off; get the whole file", file=source.name)
        try:
            with _complaints() as complaints:
                reader = PdfReader(io.BytesIO(data))
                # A file that only restricts printing opens with the empty password.
                if reader.is_encrypted and not reader.decrypt(""):
                    raise IngestError("is encrypted; save it without a password", file=source.name)
                pages = _pages(reader, source.name)
                title = (reader.metadata.title if reader.metadata else "") or ""
        except DependencyError:
            raise IngestError("is encrypted; save it without a password", file=source.name) from None
        except (PyPdfError, *_DAMAGED) as error:
            raise IngestError(f"is a damaged PDF file ({type(error).__name__})", file=source.name) from None
        reading = _reading(pages, title, source.name, cleaner)
        if complaints:
            reading.warnings.append(f"the file is faulty in {len(complaints)} places; compare its text with the pages")
        return reading


class _Complaints(logging.Handler):
    """Notes by the code's place that pypdf complained; its words hold pieces of the file."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.places: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.places.append(f"{record.module}:{record.lineno}")


@contextmanager
def _complaints() -> Generator[list[str]]:
    """What pypdf would log of a faulty file while it reads it."""
    logger, handler = logging.getLogger("pypdf"), _Complaints(logging.WARNING)
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield handler.places
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def _pages(reader: PdfReader, name: str) -> list[str]:
    """The text of each page, in order."""
    count = len(reader.pages)
    if count > MAX_PAGES:
        raise IngestError(f"has {count:,} pages; at most {MAX_PAGES:,} are read. Split it", file=name)
    pages: list[str] = []
    size = 0
    for page in reader.pages:
        pages.append(page.extract_text())
        size += len(pages[-1])
        if size > MAX_CHARACTERS:
            raise IngestError(f"has more than {MAX_CHARACTERS:,} characters of text. Split it", file=name)
    return pages


def _reading(pages: list[str], title: str, name: str, cleaner: Cleaner) -> Reading:
    empty = [number for number, page in enumerate(pages, start=1) if not any(char.isalnum() for char in page)]
    if len(empty) == len(pages):
        raise IngestError(f"no text layer on its {len(pages)} pages; OCR it first", file=name)
    # A soft hyphen at a line's end parts a word; cleaning would remove the sign and leave two halves.
    texts = (cleaner.clean(page.replace("\u00ad\n", "\u2010\n")) for page in pages)
    lines = [(line, number) for number, text in enumerate(texts, start=1) for line in text.split("\n")]
    if cleaner.counts["damaged"] > _UNREADABLE * sum(len(line) for line, _ in lines):
        raise IngestError("its fonts do not say which characters they show; OCR it first", file=name)
    kept = drop_running_lines(lines, cleaner)
    warnings: list[str] = []
    if empty:
        shown = ", ".join(str(number) for number in empty[:10])
        more = f" and {len(empty) - 10} more" if len(empty) > 10 else ""
        warnings.append(f"{len(empty)} of {len(pages)} pages have no text (OCR them?): {shown}{more}")
    blocks = mark_headings(join_lines(kept, cleaner))
    # What a program calls a file, "(anonymous)" or "Microsoft Word - draft3", is printed nowhere.
    printed = " ".join(title.casefold().split()) in " ".join(
        " ".join(block.text for block in blocks[:_OPENING]).casefold().split()
    )
    stated = title if printed or not any(block.level for block in blocks) else ""
    return Reading(blocks, stated, warnings, {"pages": str(len(pages))})
