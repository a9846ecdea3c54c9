"""The HTML of an opinion as plain blocks with their citations; nothing of it is ever executed or passed on.

Page breaks of the reporter (`*189`) and calls of footnotes (`[1]`) are no words of the court: they are left out of the
text, counted, and the page on which a block begins is kept beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from rag.law.nodes import Mark

_BLOCKS = frozenset(
    {"p", "div", "center", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "ul", "ol", "li", "table", "tr",
     "thead", "tbody", "hr", "section", "article", "opinion", "author", "footnote"}
)  # fmt: skip
_VOID = frozenset({"br", "hr", "img", "wbr", "input", "col", "meta", "link"})
_ITALIC = frozenset({"i", "em"})
_SILENT = frozenset({"script", "style", "template"})
_CALL = re.compile(r"\s*\[?[0-9]{1,3}[a-z]?\]?\s*\Z|\s*\[?[*†‡]+\]?\s*\Z")
_MOST_OPEN = 200
# The controls of Latin-1, which no opinion means: pages of the time say Latin-1 and are Windows-1252, as browsers know.
_WINDOWS = {code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (129, 141, 143, 144, 157)}
_PARTS = ("volume", "reporter", "page")


class TooDeep(ValueError):
    """The HTML nests more elements than an opinion has."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation in the HTML. `opinion` is CourtListener's id of the opinion it resolved to, empty where it did not."""

    start: int
    end: int
    volume: str
    reporter: str
    page: str
    opinion: str


@dataclass(slots=True)
class Block:
    """One block of text: `tag` is its element with its class (`p.docket`), `text` where no element encloses it.

    `number` is a printed paragraph number; `outer` names the elements around it; `page` is the reporter's page.
    """

    tag: str
    outer: tuple[str, ...]
    text: str
    italics: list[Mark]
    cited: list[Cited]
    number: str = ""
    page: str = ""


@dataclass(slots=True)
class Opinion:
    """What an opinion's HTML holds, and how much was left out of its text on purpose."""

    blocks: list[Block] = field(default_factory=list[Block])
    pages: int = 0
    calls: int = 0
    scripts: int = 0


def read_opinion(html: str) -> Opinion:
    """Take the HTML apart. Unknown elements keep their words; a table's rows are `cell | cell`.

    Characters of Windows-1252 that were taken for Latin-1 are what they were in the opinion.

    Raises:
        TooDeep: more than 200 elements are open at once.
    """
    reader = _Reader()
    reader.feed(html.translate(_WINDOWS))
    reader.close()
    reader.finish()
    return reader.opinion


def windows_characters(html: str) -> int:
    """How many characters of Windows-1252 were taken for Latin-1."""
    return sum(ord(character) in _WINDOWS for character in html)


@dataclass(slots=True)
class _Span:
    name: str
    classes: tuple[str, ...]
    opinion: str = ""
    start: int = -1
    parts: dict[str, str] = field(default_factory=dict[str, str])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.opinion = Opinion()
        self.stack: list[_Span] = []
        self.page = ""
        self.number = ""
        self.linked = False  # the words that are held lead to a footnote
        self._reset()

    def _reset(self) -> None:
        self.out: list[str] = []
        self.length = 0
        self.gap = ""
        self.italics: list[Mark] = []
        self.cited: list[Cited] = []
        self.held = ""  # words of an element that may be a page break, a call or a number
        self.first_page = self.page
        for span in self.stack:
            span.start = -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._end_implied(tag)
        if tag in _BLOCKS:
            self._flush()
        if tag == "br":
            self._space("\n" if self._inside("pre") else " ")
        if tag in ("td", "th") and self.length:
            self._words(" | ")
        if tag in _VOID:
            return
        if tag == "a" and given.get("href", "").startswith("#"):
            self.linked = True
        if tag == "sup" and not self._inside("a"):
            self.linked = False  # a bare number raised above the line is a power, unless it leads somewhere
        self.stack.append(_Span(tag, tuple(given.get("class", "").split()), given.get("data-id", "")))

    def _end_implied(self, tag: str) -> None:
        """End what HTML lets authors leave open: a paragraph before a block, an item before the next one."""
        names = [span.name for span in self.stack]
        inner = names[max((at for at, name in enumerate(names) if name in ("ul", "ol", "table")), default=0) :]
        if tag in _BLOCKS and "p" in inner:
            self.handle_endtag("p")
        elif tag in ("li", "tr", "td", "th") and tag in inner:
            self.handle_endtag(tag)
        if len(self.stack) >= _MOST_OPEN:
            raise TooDeep("too many open elements")

    def handle_endtag(self, tag: str) -> None:
        if not any(span.name == tag for span in self.stack):
            return
        if tag in _BLOCKS:
            self._flush()
        # What a closing tag finds open inside it ends with it.
        while self.stack:
            span = self.stack.pop()
            self._close(span)
            if span.name == tag:
                break

    def handle_data(self, data: str) -> None:
        if any(span.name in _SILENT for span in self.stack):
            self.opinion.scripts += 1
        elif self._held_by() is not None:
            self.held += data
        else:
            self._words(data)
            for span in self.stack:
                for part in _PARTS:
                    if part in span.classes and (citation := self._citation()):
                        citation.parts[part] = citation.parts.get(part, "") + data.strip()

    def finish(self) -> None:
        """End what the source left open."""
        self._flush()

    def _inside(self, name: str) -> bool:
        return any(span.name == name for span in self.stack)

    def _citation(self) -> _Span | None:
        return next((span for span in reversed(self.stack) if "citation" in span.classes), None)

    def _held_by(self) -> _Span | None:
        return next((span for span in self.stack if _holds(span)), None)

    def _close(self, span: _Span) -> None:
        if _holds(span) and self._held_by() is None:
            held, self.held = self.held, ""
            if "star-pagination" in span.classes or span.name == "page-number":
                self.page = held.strip(" *\n")
                self.first_page = self.first_page if self.length else self.page
                self.opinion.pages += 1
                self._space(" ")
            elif span.name == "span" or (span.name == "a" and any("footnote" in one.classes for one in self.stack)):
                self.number = held.strip()  # of a paragraph, or of a footnote where its anchor stands in it
            elif _CALL.match(held) and (self.linked or not held.strip().isalnum()):
                self.opinion.calls += 1
            else:
                self._words(held)
        elif span.start >= 0 and span.name in _ITALIC:
            self.italics.append(Mark(span.start, self.length, "italic"))
        elif span.start >= 0 and "citation" in span.classes:
            parts = (span.parts.get(part, "") for part in _PARTS)
            self.cited.append(Cited(span.start, self.length, *parts, opinion=span.opinion))

    def _space(self, kind: str) -> None:
        if self.length and self.gap != "\n":
            self.gap = kind

    def _words(self, data: str) -> None:
        lines = self._inside("pre")
        for run in re.findall(r"\s+|\S+", data):
            if run.isspace():
                self._space("\n" if lines and "\n" in run else " ")
                continue
            if self.length and self.gap:
                self.out.append(self.gap)
                self.length += 1
            self.gap = ""
            for span in self.stack:
                if span.start < 0:
                    span.start = self.length
            self.out.append(run)
            self.length += len(run)

    def _flush(self) -> None:
        if self.held and self._held_by() is not None:  # an element that a block ends without closing it
            self._words_now()
        if self.length:
            for span in self.stack:
                if span.start >= 0 and "citation" in span.classes:
                    parts = (span.parts.get(part, "") for part in _PARTS)
                    self.cited.append(Cited(span.start, self.length, *parts, opinion=span.opinion))
            blocks = [span for span in self.stack if span.name in _BLOCKS]
            tag = ".".join((blocks[-1].name, *blocks[-1].classes)) if blocks else "text"
            outer = tuple(".".join((block.name, *block.classes)) for block in blocks)
            self.opinion.blocks.append(
                Block(tag, outer, "".join(self.out), self.italics, sorted(self.cited, key=lambda one: one.start),
                      self.number, self.first_page)
            )  # fmt: skip
            self.number = ""
        self._reset()

    def _words_now(self) -> None:
        held, self.held = self.held, ""
        for span in self.stack:
            if _holds(span):
                span.classes, span.name = (), "span_"
        self._words(held)


def _holds(span: _Span) -> bool:
    """Whether the element's words are looked at before they count as text."""
    if span.name in ("sup", "page-number") or "star-pagination" in span.classes:
        return True
    return (span.name == "span" and "num" in span.classes) or (span.name == "a" and "footnote" in span.classes)
