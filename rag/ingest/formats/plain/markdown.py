"""Markdown (CommonMark with tables): rendered to HTML, whose reader knows what is text, hidden, a heading or a list."""

from __future__ import annotations

import re
from pathlib import Path

from markdown_it import MarkdownIt

from rag.ingest.formats.plain.blocks import Cleaner, Reading
from rag.ingest.formats.plain.bytes import decode, read_bytes
from rag.ingest.formats.plain.document import PlainFormat
from rag.ingest.formats.plain.html import read_html
from rag.ingest.formats.plain.metadata import front_matter, tags_of
from rag.ingest.formats.plain.source import PlainSource
from retrieval.errors import IngestError

_FRONT = re.compile(r"\A---[ \t]*\n(?P<meta>(?:(?!---[ \t]*$|\.\.\.[ \t]*$).*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M)
# A line that begins with a number of a law stays a line: CommonMark joins it to the one before.
_COUNTED_LINE = re.compile(
    r"(?<![ \n])\n(?=[ \t]*(?:\([a-zA-Z0-9]{1,4}\)|[a-z][.)]|\d{1,3}(?:\.\d{1,3})+\.?|§{1,2}|[A-Z]\w+ \d+[.:])[ \t])"
)
_FIELD = re.compile(r"[A-Za-z][\w -]*:(?:\s|\Z)")
# Beyond its limit markdown-it leaves words out without a word; where it cannot follow it must fail instead.
_NO_LIMIT = 1_000_000


class PlainMarkdown(PlainFormat):
    """Format `plain_markdown`."""

    name = "plain_markdown"
    version = 7

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether it is named as Markdown, which has no signature of its own; reading refuses what is none."""
        return path.suffix.lower() in (".md", ".markdown")

    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the file; front matter gives the title, the language and tags, and is no text.

        Raises:
            IngestError: empty, too large, no text in UTF-8, or nested too deeply.
        """
        text, warnings = decode(read_bytes(source), source)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        front = _FRONT.match(text)
        fields: dict[str, object] = {}
        if front is not None and _FIELD.match(front["meta"]):
            fields = front_matter(front["meta"])
            text = text[front.end() :]
        text = _COUNTED_LINE.sub("  \n", text)
        title, language = (
            str(fields.pop(next((key for key in fields if key.lower() == name), ""), ""))
            for name in ("title", "language")
        )
        tags, left = tags_of(fields)
        warnings += left
        markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": _NO_LIMIT}).enable(["table", "strikethrough"])
        try:
            html = markdown.render(text)
        except RecursionError:
            raise IngestError("its lists, quotations or brackets are nested too deeply", file=source.name) from None
        reading = read_html(html, cleaner, source.name)
        return Reading(reading.blocks, title, [*warnings, *reading.warnings], tags, language.lower())
