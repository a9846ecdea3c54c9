"""HTML pages: the text that a reader sees, with headings, lists and tables."""

from __future__ import annotations

import re
from pathlib import Path

from rag.ingest.formats.plain_blocks import Cleaner, Reading
from rag.ingest.formats.plain_bytes import decode, read_bytes
from rag.ingest.formats.plain_document import PlainFormat
from rag.ingest.formats.plain_html_blocks import read_html
from rag.ingest.formats.plain_source import PlainSource

_OPENS = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--(?:[^-]|-(?!->)){0,3000}-->\s*)*"
    rb"(?:<!doctype\s+html\b[^\[>]*>|<(?:html|head|body)\b)",
    re.IGNORECASE,
)
_DECLARED = re.compile(
    rb"""(?:<\?xml[^>]{0,100}?\bencoding\s*=\s*|<meta[^>]{0,200}?\bcharset\s*=\s*)["']?\s*([\w.:+-]{1,40})""",
    re.IGNORECASE,
)
_DECLARATION_BYTES = 4096


class PlainHtml(PlainFormat):
    """Format `plain_html`."""

    name = "plain_html"
    version = 3

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether it opens as an HTML page, or is named as one and is text."""
        if path.suffix.lower() in (".html", ".htm", ".xhtml"):
            return True
        return _OPENS.match(head) is not None

    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the page.

        Raises:
            IngestError: empty, too large, in no encoding that it declares, or nested too deeply.
        """
        data = read_bytes(source)
        found = _DECLARED.search(data[:_DECLARATION_BYTES])
        text, warnings = decode(data, source, found[1].decode("ascii") if found else "")
        reading = read_html(text, cleaner, source.name)
        spoken = reading.tags.get("html_language", "").lower().split("-")[0]
        if spoken and spoken != source.place.language:
            warnings.append(
                f"the page says that its language is {spoken[:8]!r}; it is taken as {source.place.language}"
            )
        return Reading(reading.blocks, reading.title, warnings)
