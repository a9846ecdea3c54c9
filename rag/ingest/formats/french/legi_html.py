"""The HTML fragments of LEGI (`texteHtml`, `notaHtml`) as lines: breaks and blocks end a line, a table is one."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.xml_text import IMAGE
from rag.law.nodes import Mark

_BLOCKS = frozenset(
    {"p", "div", "center", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6",
     "hr", "section", "article", "header", "footer", "caption", "figure", "figcaption"}
)  # fmt: skip
_HIDDEN = frozenset({"script", "style"})
LEGI_ID = re.compile(r"(?:LEGI|JORF)(?:TEXT|SCTA|ARTI)\d+")


def legi_aliases(identifier: str) -> list[str]:
    """An id as others write it: `fr.legiarti000006902764`, and as Légifrance does."""
    return [f"fr.{identifier.lower()}", identifier]


class LegiHtml(HTMLParser):
    """Reads one fragment. `lines` are its lines in order; `images` counts what has no words.

    Args:
        target: gives the URN (or an empty string) that a link's attributes name.
    """

    def __init__(self, target: Callable[[dict[str, str]], str]) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[Line] = []
        self.images = 0
        self._target = target
        self._text = ""
        self._marks: list[Mark] = []
        self._link: tuple[int, str] | None = None
        self._depth = 0  # of tables
        self._rows: list[list[Line]] = []
        self._hidden = 0
        self._raised = False

    def read(self, fragment: str) -> list[Line]:
        """The lines of a fragment, empty ones left out, white space collapsed."""
        self.feed(fragment)
        self.close()
        if self._depth:
            self._end_table()
        self._flush()
        return self.lines

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens."""
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag == "table":
            self._depth += 1
            if self._depth == 1:
                self._flush()
                self._rows = []
        elif tag == "br" or tag in _BLOCKS:
            self._break()
        elif self._depth and tag in ("tr", "td", "th"):
            self._cell(row=tag == "tr")
        elif tag == "a":
            self._close_link()
            self._link = len(self._text), self._target({key: value or "" for key, value in attrs})
        elif tag == "img":
            self.images += 1
            self.handle_data(f" {IMAGE} ")
        elif tag == "sup":
            self._raised = True

    def handle_endtag(self, tag: str) -> None:
        """A tag closes."""
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "table" and self._depth:
            self._depth -= 1
            if not self._depth:
                self._end_table()
        elif tag in _BLOCKS:
            self._break()
        elif self._depth and tag in ("tr", "td", "th"):
            self._cell(row=tag == "tr")
        elif tag == "a":
            self._close_link()
        elif tag == "sup":
            self._raised = False

    def handle_data(self, data: str) -> None:
        """Words."""
        if self._hidden:
            return
        data = re.sub(r"\s+", " ", data)
        # 10<sup>2</sup> is not 102.
        if self._raised and data[:1].isdigit() and self._text[-1:].isdigit():
            data = f"^{data}"
        if not self._text or self._text.endswith(" "):
            data = data.removeprefix(" ")
        self._text += data

    def _close_link(self) -> None:
        if self._link is not None:
            start, target = self._link
            end = len(self._text.rstrip())
            start += len(self._text[start:]) - len(self._text[start:].lstrip())
            if start < end:
                self._marks.append(Mark(start, end, "reference", target))
            self._link = None

    def _take(self) -> Line:
        """The words so far as a line; an open link goes on in the next one."""
        going_on = self._link
        self._close_link()
        line = Line(self._text.rstrip(), self._marks)
        self._text, self._marks = "", []
        if going_on is not None:
            self._link = 0, going_on[1]
        return line

    def _break(self) -> None:
        if self._depth:
            self.handle_data(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        line = self._take()
        if line.text:
            self.lines.append(line)

    def _cell(self, *, row: bool) -> None:
        """A cell or row begins or ends: what was read is the cell before. Inner tables are cells of the outer one."""
        line = self._take()
        if line.text:
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append(line)
        if row and (not self._rows or self._rows[-1]):
            self._rows.append([])

    def _end_table(self) -> None:
        self._depth = 0
        self._cell(row=False)
        table = Line("", [], table=True)
        for cells in self._rows:
            for place, cell in enumerate(cells):
                table.text += " | " if place else "\n" if table.text else ""
                start = len(table.text)
                table.marks += [
                    Mark(mark.start + start, mark.end + start, mark.kind, mark.target) for mark in cell.marks
                ]
                table.text += cell.text
        if table.text:
            self.lines.append(table)
        self._rows = []
