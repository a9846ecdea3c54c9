"""PDF files with a text layer, page by page. What has none is refused: no picture is read."""

from __future__ import annotations

import io
import logging
import re
import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag.ingest.formats.plain.blocks import Block, Cleaner, Reading
from rag.ingest.formats.plain.bytes import read_bytes
from rag.ingest.formats.plain.document import MAX_CHARACTERS, PlainFormat, not_installed
from rag.ingest.formats.plain.lines import heading_level, mark_headings
from rag.ingest.formats.plain.source import MAX_BYTES, PlainSource
from retrieval.errors import IngestError

# From the lines of printed pages to paragraphs: running lines dropped, parted words joined, page breaks closed.

Line = tuple[str, int]  # words, page from 1

_EDGE = 2  # lines at the top and at the bottom of a page that may run through a document
_FEWEST_PAGES = 3
_NUMBER = re.compile(r"\d+")
_PARTED = re.compile(r"(?P<head>[^\W\d_]{2,})[-\u2010]\Z")
_GOES_ON = re.compile(r"[^\W\d_]+")
_CLOSED = re.compile(r"[.!?。！？:;：；][\"'”’»)\]]*\Z")
_ITEM = re.compile(
    r"(?:[(\[][0-9a-zA-Z]{1,4}[)\]]|\d{1,3}(?:\.\d{1,3})*[.)]?\s|[a-zA-Z][.)]\s|[ivx]{1,5}[.)]\s|[•▪◦‣–—-]\s|§|第\d*[条項])"
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60、。]")
_COUNTED = re.compile(r"\d{1,3}(?:\.|(?:\.\d{1,3})+\.?)\s+[^\W\d_a-zß-ÿ]")  # the number of a provision: "1. Permits"
_FULL = 0.8  # share of the usual width below which a line that ends a sentence ends a paragraph


def drop_running_lines(lines: Sequence[Line], cleaner: Cleaner) -> list[Line]:
    """Leave out headers, footers and page numbers, and count them.

    Such a line is at the same edge of more than half of the pages, the same but for a number that counts pages.
    """
    pages: dict[int, list[int]] = defaultdict(list)
    for index, (words, page) in enumerate(lines):
        if words:
            pages[page].append(index)
    edges: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    for page, indices in pages.items():
        for where, some in (("top", indices[:_EDGE]), ("bottom", indices[: -_EDGE - 1 : -1])):
            for position, index in enumerate(some):
                for key in _running_keys(lines[index][0], page):
                    edges[where, position, key].append(index)
    needed = max(_FEWEST_PAGES, len(pages) // 2 + 1)
    running = {index for found in edges.values() if len(found) >= needed for index in found}
    cleaner.counts["running"] += len(running)
    return [line for index, line in enumerate(lines) if index not in running]


def _running_keys(words: str, page: int) -> set[str]:
    """What a line has in common with its likes on other pages: its words, or those around the page's number."""
    keys = {words}
    # A heading such as "Article 3" may well be alone on the third page.
    if not heading_level(words) or words.replace(" ", "").isdecimal():
        for match in _NUMBER.finditer(words):
            if len(match[0]) < 6:
                keys.add(f"{words[: match.start()]}#{int(match[0]) - page}#{words[match.end() :]}")
    return keys


def join_lines(lines: Sequence[Line], cleaner: Cleaner) -> list[Block]:
    """Paragraphs from lines, each with the pages it lies on; words parted at line ends are joined and counted."""
    whole = Counter(word.lower() for words, _ in lines for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", words))
    widths = sorted(len(words) for words, _ in lines if words)
    width = widths[len(widths) * 9 // 10] if widths else 0
    blocks: list[Block] = []
    text, pages, before = "", list[tuple[int, int]](), ""
    gap = False
    for words, page in lines:
        if not words:
            gap = True
            continue
        if text and (_begins_paragraph(before, words, width) or (gap and not words[0].islower())):
            blocks.append(Block(text, pages=tuple(pages)))
            text, pages = "", []
        text = _joined(text, words, whole, cleaner)
        if not pages or pages[-1][1] != page:
            pages.append((len(text) - len(words), page))
        before, gap = words, False
    if text:
        blocks.append(Block(text, pages=tuple(pages)))
    return blocks


def _begins_paragraph(before: str, words: str, width: int) -> bool:
    """Whether a paragraph ends between two lines."""
    closed = _CLOSED.search(before) is not None
    short = len(before) < _FULL * width
    if heading_level(before) and not words[:1].islower():
        return True
    if (closed and (_ITEM.match(words) or heading_level(words))) or (short and _COUNTED.match(words)):
        return True
    if _ITEM.match(words) and re.search(r"[,;]\s*(?:and|or|et|ou|und|oder)?\s*\Z|\b(?:and|or)\Z", before):
        return True
    return closed and short


def _joined(text: str, words: str, whole: Counter[str], cleaner: Cleaner) -> str:
    if not text:
        return words
    parted, following = _PARTED.search(text), _GOES_ON.match(words)
    if parted and following and words[0].islower():
        together, hyphened = f"{parted['head']}{following[0]}".lower(), f"{parted['head']}-{following[0]}".lower()
        # The document itself may write the word in one line elsewhere; without a witness a hyphen parts a word.
        if text[-1] == "-" and whole[hyphened] > whole[together]:
            return text + words
        cleaner.counts["hyphens"] += 1
        return text[:-1] + words
    if _UNSPACED.match(text[-1]) and _UNSPACED.match(words[0]):
        return text + words
    return f"{text} {words}"


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
    version = 8

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
