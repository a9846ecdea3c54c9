"""From HTML, as it is written, to blocks of the text that a reader sees. Markdown comes here too, as HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import defs

from rag.ingest.formats.plain_blocks import GAP, INDENT, SUPERSCRIPTS, Block, Cleaner, Reading, close_gaps, gap_of
from rag.ingest.formats.plain_html_hidden import NEVER_SHOWN, Concealment
from rag.ingest.formats.xml import Element
from retrieval.errors import IngestError


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BREAKING = _names(
    """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form header hgroup hr html legend li main menu nav ol optgroup option p pre search section select summary
    table tbody td tfoot th thead tr ul
    """
)
_HEADINGS = {f"h{rank}": rank for rank in range(1, 7)}
_PICTURES = frozenset(["img", "svg", "picture"])
_NEWER = _names("main search dialog menu template picture bdi wbr data slot output rb rtc math input")
_KNOWN = frozenset(defs.tags) | frozenset(defs.html5_tags) | _NEWER | NEVER_SHOWN | _BREAKING
_LAYOUT = etree.XPath("boolean(@role='presentation' or @role='none' or .//table or .//h1 or .//h2 or .//h3 or .//h4)")
_SPACE = re.compile(r"[ \t\r\n\f]+")


@dataclass(slots=True)
class _Table:
    element: Element
    rows: list[str] = field(default_factory=list[str])
    row: list[str] = field(default_factory=list[str])


class _Walker:
    """One run over a page; the buffer holds the text since the last block ended."""

    def __init__(self, page: Element, cleaner: Cleaner) -> None:
        self.page = page
        self.cleaner = cleaner
        self.concealment = Concealment(page)
        self.blocks: list[Block] = []
        self.buffer: list[str] = []
        self.level = 0
        self.verbatim = 0  # depth of elements whose white space counts
        self.lists: list[int | None] = []  # the next number; None where items have a dash
        self.item = ""  # the mark of a list item whose words have not come yet
        self.tight = False
        self.table: _Table | None = None

    def read(self) -> list[Block]:
        walk = etree.iterwalk(self.page, events=("start", "end"))
        hidden: Element | None = None
        for event, element in walk:
            if not isinstance(element.tag, str):  # what the parser keeps of comments and instructions
                continue
            tag = element.tag.lower()
            if event == "start":
                if tag in _PICTURES:
                    self.cleaner.counts["images"] += tag != "picture"
                    hidden = element if tag == "svg" else None
                elif self.concealment.hides(element, tag):
                    hidden = element
                    if tag not in NEVER_SHOWN:
                        self.cleaner.counts["hidden"] += _size(element)
                elif self.concealment.strikes(element, tag):
                    hidden = element
                    self.leave_gap(element)
                if hidden is element:
                    walk.skip_subtree()
                    continue
                self.start(element, tag)
                self.say(element.text)
            else:
                if hidden is element:
                    hidden = None
                else:
                    self.end(element, tag)
                if element is not self.page:
                    self.say(element.tail)
        self.flush()
        return self.blocks

    def say(self, text: str | None) -> None:
        if text:
            self.buffer.append(text if self.verbatim else _SPACE.sub(" ", text))

    def leave_gap(self, struck: Element) -> None:
        """Leave struck text out; the words around it stay apart where it parted them."""
        self.cleaner.counts["struck"] += _size(struck)
        breaks = any(one.tag in _BREAKING or one.tag == "br" for one in struck.iter())
        self.buffer.append(GAP if breaks else gap_of("".join(struck.itertext())))

    def start(self, element: Element, tag: str) -> None:
        if tag not in _KNOWN and "-" not in tag and ":" not in tag:
            self.cleaner.counts["unknown"] += 1
        if _says_hidden(element) and not any(_says_hidden(one) for one in element.iterancestors()):
            self.cleaner.counts["aria"] += _size(element)
        if tag in _BREAKING or tag in _HEADINGS:
            self.flush()
        if tag in _HEADINGS:
            self.level = _HEADINGS[tag]
        elif tag in ("pre", "textarea"):
            self.verbatim += 1
        elif tag == "br":
            self.buffer.append("\n")
        elif tag in ("ol", "ul", "menu", "dir"):
            start = element.get("start", "1")
            self.lists.append((int(start) if re.fullmatch(r"-?\d{1,9}", start) else 1) if tag == "ol" else None)
        elif tag == "li":
            self.begin_item(element)
        elif tag == "table" and self.table is None and not _LAYOUT(element):
            self.table = _Table(element)
        elif tag == "sup":
            self.buffer.append("\x00")  # where the raised words begin; cleaning would never see one

    def end(self, element: Element, tag: str) -> None:
        if tag in ("pre", "textarea"):
            self.flush()
            self.verbatim -= 1
        elif tag in ("td", "th") and self.table is not None:
            self.table.row.append(self.take_line())
        elif tag in ("tr", "caption") and self.table is not None:
            self.end_row(self.table)
        elif self.table is not None and self.table.element is element:
            self.end_row(self.table)
            table, self.table = self.table, None
            if table.rows:
                self.blocks.append(Block("\n".join(table.rows), rows=True))
        elif tag in _BREAKING or tag in _HEADINGS:
            self.flush()
            self.level = 0
            if tag == "li":
                self.item = ""  # an item without words has no mark
        elif tag == "sup":
            self.raise_digits(element)
        if tag in ("ol", "ul", "menu", "dir"):
            self.lists.pop()

    def begin_item(self, element: Element) -> None:
        number = self.lists[-1] if self.lists else None
        stated = element.get("value", "")
        if number is not None:
            number = int(stated) if re.fullmatch(r"-?\d{1,9}", stated) else number
            self.lists[-1] = number + 1
        mark = "- " if number is None else f"{number}. "
        if self.table is not None:
            self.buffer.append(mark)
        else:
            self.item += mark  # an item may open with a list

    def raise_digits(self, element: Element) -> None:
        """Raised digits stay apart from what they follow: a footnote's mark is no figure, nor is an exponent."""
        if "\x00" not in self.buffer:  # a block ended within
            return
        begin = len(self.buffer) - 1 - self.buffer[::-1].index("\x00")
        words = "".join(self.buffer[begin + 1 :])
        parent = element.getparent()
        note = element.find(".//a") is not None or (parent is not None and parent.tag == "a")
        if words.strip().isdecimal() and words.isascii():
            words = f"[{words.strip()}]" if note else words.translate(SUPERSCRIPTS)
        self.buffer[begin:] = [words]

    def take(self) -> str:
        text = self.cleaner.clean(self.said())
        self.buffer.clear()
        return text

    def said(self) -> str:
        return close_gaps("".join(part for part in self.buffer if part != "\x00"))

    def take_line(self) -> str:
        return " ".join(self.take().split())

    def end_row(self, table: _Table) -> None:
        rest = self.take_line()
        cells = [*table.row, *([rest] if rest else [])]
        if any(cells):
            table.rows.append(" | ".join(cells))
        table.row = []

    def flush(self) -> None:
        """End the block before; inside a cell it only parts words."""
        if self.table is not None:
            self.buffer.append(" ")
            return
        if self.level:
            heading = self.cleaner.heading(self.said(), self.level)
            self.buffer.clear()
            if heading is not None:
                self.blocks.append(heading)
            return
        text = self.take()
        if not text:
            return
        tight = bool(self.item) and self.tight
        indent = max(len(self.lists) - 1, 0)
        words = re.sub(r"\n(?!\n)", "\n" + INDENT * indent, self.item + text)
        self.blocks.append(Block(words, tight=tight, indent=indent))
        self.tight = bool(self.item)
        self.item = ""


def _says_hidden(element: Element) -> bool:
    return element.get("aria-hidden", "").lower() == "true"


def _size(element: Element) -> int:
    return len(_SPACE.sub("", "".join(element.itertext())))


def read_html(html: str, cleaner: Cleaner, name: str) -> Reading:
    """The blocks of a page with its title and its language.

    Args:
        html: the page, decoded; what it says of its encoding is not looked at.
        cleaner: counts what is left out.
        name: the file, for messages.

    Returns:
        Blocks, title, and the tag `html_language` where the page states its language.

    Raises:
        IngestError: nested more deeply than the parser follows.
    """
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    # A NUL would end the text for the parser; half of a surrogate pair cannot be encoded.
    # The sign of a gap is ours; another control character is cleaned and counted like it.
    data = html.replace("\x00", "\ufffd").replace(GAP, "\x1e").encode("utf-8", "replace")
    try:
        page = etree.fromstring(data, parser) if data.strip() else None
    except etree.XMLSyntaxError as error:
        raise IngestError(f"is no HTML that can be read (libxml2 error {error.code})", file=name) from None
    fatal = next((one for one in parser.error_log if one.level_name == "FATAL"), None)
    if fatal is not None:
        raise IngestError("its elements are nested too deeply", file=name, line=fatal.line)
    if page is None:
        return Reading([])
    title = page.find(".//title")
    language = page.get("lang", "")
    return Reading(
        _Walker(page, cleaner).read(),
        "" if title is None else " ".join("".join(title.itertext()).split()),
        tags={"html_language": language} if language else {},
    )
