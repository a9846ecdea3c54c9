"""HTML pages: the text that a reader sees, with headings, lists and tables.

Markdown (CommonMark with tables) is rendered to HTML, whose reader knows what is text, hidden, a heading or a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lxml import etree
from lxml.html import defs

from rag.ingest.formats.plain.blocks import (
    GAP,
    INDENT,
    SIGN_CELL,
    SUPERSCRIPTS,
    Block,
    Cleaner,
    Reading,
    close_gaps,
    gap_of,
    list_number,
    marked,
    places_numbers,
)
from rag.ingest.formats.plain.bytes import decode, read_bytes
from rag.ingest.formats.plain.document import PlainFormat
from rag.ingest.formats.plain.metadata import front_matter, tags_of
from rag.ingest.formats.plain.source import PlainSource
from rag.ingest.formats.xml import Element
from retrieval.errors import IngestError

# Which elements of an HTML page a reader does not see or sees struck out. Neither becomes text.

NEVER_SHOWN = frozenset(
    ("head", "script", "style", "template", "noscript", "title", "iframe", "object", "audio", "video", "canvas",
     "datalist", "source", "track", "param")
)  # fmt: skip
_STRUCK = frozenset(("del", "s", "strike"))
_ZERO = r"[+-]?0*(?:\.0*)?(?:[a-z]+|%)?"
# Distances that leave every screen.
_FAR = r"-(?:(?:\d{4,}+|[5-9]\d\d)(?:\.\d*+)?+(?:px|pt)?|\d{3,}+(?:\.\d*+)?+(?:r?em|ex|ch|%|vw|vh|cm|in))"
_HIDING = {
    name: re.compile(pattern)
    for names, pattern in (
        ("display", "none"), ("visibility", "hidden|collapse"), ("content-visibility", "hidden"),
        ("opacity", rf"(?=[\d.]){_ZERO}"), ("font-size", rf"(?=[\d.]){_ZERO}"),
        ("left right top bottom text-indent margin-left margin-top", _FAR),
        ("clip", r"rect\((?P<edge>\d+)(?:px|em)?(?:[\s,]+(?P=edge)(?:px|em)?){3}\s*\)"),
        ("clip-path", r"inset\((?:[5-9]\d|100)(?:\.\d*)?%.*\)|circle\(0.*\)"),
        ("transform", rf"translate[xy]?\({_FAR}.*\)|scale[xy]?\(0\)"),
        ("color", r"transparent|#[0-9a-f]{3}0|#[0-9a-f]{6}00"
                  r"|(?:rgb|hsl)a?\((?:[^,/()]+,){3}\s*0*(?:\.0*)?%?\s*\)|(?:rgb|hsl)a?\([^,/()]+/\s*0*(?:\.0*)?%?\s*\)"),
    )
    for name in names.split()
}  # fmt: skip
_COLOURS = {"white": "#ffffff", "black": "#000000", "red": "#ff0000", "lime": "#00ff00", "blue": "#0000ff",
            "yellow": "#ffff00", "silver": "#c0c0c0", "gray": "#808080", "grey": "#808080"}  # fmt: skip
_RGB = re.compile(r"rgba?\((\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)")
_NO_COLOUR = frozenset(("", "inherit", "initial", "unset", "revert", "revert-layer", "currentcolor"))
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_SHEET = re.compile(r"[^{}]+|[{}]")
_SIMPLE = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?:\.(?P<class>[\w-]+)|#(?P<id>[\w-]+))?", re.IGNORECASE)

Effect = Literal["hides", "strikes"]


class Concealment:
    """Knows what one page hides and strikes out."""

    def __init__(self, page: Element) -> None:
        # Per effect: element, class, id; empty for any.
        self._rules: dict[Effect, set[tuple[str, str, str]]] = {"hides": set(), "strikes": set()}
        for style in page.iter("style"):
            for selectors, declarations in _rules("".join(style.itertext())):
                for effect in _effects(declarations):
                    self._rules[effect].update(_simple(selectors))

    def hides(self, element: Element, tag: str) -> bool:
        """Whether the element and all within it are not shown."""
        if tag in NEVER_SHOWN or tag == "input" or element.get("hidden") is not None:
            return True
        return self._styled(element, tag, "hides")

    def strikes(self, element: Element, tag: str) -> bool:
        """Whether the element and all within it are deleted or struck out."""
        return tag in _STRUCK or self._styled(element, tag, "strikes")

    def _styled(self, element: Element, tag: str, effect: Effect) -> bool:
        if effect in _effects(element.get("style", "")):
            return True
        rules = self._rules[effect]
        if not rules:
            return False
        classes = ["", *element.get("class", "").split()]
        names = {(a, b, c) for a in ("", tag) for b in classes for c in ("", element.get("id", ""))}
        return not rules.isdisjoint(names)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and declarations of a style sheet's rules, without those under a condition such as `@media`."""
    opened: list[str] = []  # what stands before the blocks around, outermost first
    conditions, text, innermost = 0, "", False
    for match in _SHEET.finditer(_COMMENT.sub("", sheet)):
        if (sign := match[0]) == "{":
            opened.append(text.rpartition(";")[2])
            conditions += "@" in opened[-1]
        elif sign == "}" and opened:
            if innermost and not conditions:
                yield opened[-1], text
            conditions -= "@" in opened.pop()
        text, innermost = ("", sign == "{") if sign in "{}" else (sign, innermost)


def _effects(declarations: str) -> set[Effect]:
    """What the declarations of one rule or style attribute do to the text."""
    effects: set[Effect] = set()
    if not declarations:
        return effects
    pairs = (part.partition(":") for part in _COMMENT.sub("", declarations).lower().split(";"))
    said = {name.strip(): worth.partition("!")[0].strip() for name, _, worth in pairs}
    ground = said.get("background-color") or said.get("background", "")
    colour = _colour(said.get("color", ""))
    same = colour not in _NO_COLOUR and colour in {_colour(ground), *(_colour(part) for part in ground.split())}
    if same or any(name in _HIDING and _HIDING[name].fullmatch(worth) for name, worth in said.items()):
        effects.add("hides")
    if "line-through" in f"{said.get('text-decoration', '')} {said.get('text-decoration-line', '')}".split():
        effects.add("strikes")
    return effects


def _colour(stated: str) -> str:
    """One spelling of a colour: six hexadecimal digits where it is known how to, else as it is stated."""
    if match := _RGB.fullmatch(stated):
        return "#" + "".join(f"{int(group):02x}" for group in match.groups())
    if re.fullmatch(r"#[0-9a-f]{3}", stated):
        return "#" + "".join(2 * digit for digit in stated[1:])
    return _COLOURS.get(stated, stated)


def _simple(selectors: str) -> set[tuple[str, str, str]]:
    """The selectors of a list that name one class, id or element."""
    found = (_SIMPLE.fullmatch(part.strip()) for part in selectors.split(","))
    parts = {((match["tag"] or "").lower(), match["class"] or "", match["id"] or "") for match in found if match}
    return parts - {("", "", "")}


# From HTML, as it is written, to blocks of the text that a reader sees. Markdown comes here too, as HTML.


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BREAKING = _names(
    """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form header hgroup hr html legend li main menu nav ol optgroup option p pre search section select summary
    table tbody td tfoot th thead tr ul
    """
)
# What belongs to the page and not to its text; a footer within a part of the text may hold its notes.
_OF_PAGE = _names("nav search")
_ROLES_OF_PAGE = _names("navigation menu menubar search contentinfo")
_TEXT_PARTS = _names("article section main blockquote td")
_MARK = re.compile(r"[(（]?(?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5}|[A-Z])[.)）]")  # of an item: "3.", "a)", "(iv)"
_LIST_STYLE = re.compile(
    r"list-style(?:-type)?\s*:[^;]*?\b(decimal-leading-zero|decimal|(?:lower|upper)-(?:alpha|latin|roman))\b"
)
_LIST_FORMS = {
    "decimal": "decimal",
    "decimal-leading-zero": "decimalZero",
    **{f"{case}-{name}": f"{case}Letter" for case in ("lower", "upper") for name in ("alpha", "latin")},
    **{f"{case}-roman": f"{case}Roman" for case in ("lower", "upper")},
}
_LIST_TYPES = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
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
        self.raised: list[int] = []  # where in the buffer the raised words begin that are open
        self.level = 0
        self.verbatim = 0  # depth of elements whose white space counts
        self.lists: list[tuple[int, str] | None] = []  # the next number and its form; None where items have a dash
        self.forms = dict(_list_forms(page))
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
                elif _is_of_page(element, tag):
                    self.flush()
                    hidden = element
                    self.cleaner.counts["page"] += _size(element)
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
        breaks = any(found.tag in _BREAKING or found.tag == "br" for found in struck.iter())
        self.buffer.append(GAP if breaks else gap_of("".join(struck.itertext())))

    def start(self, element: Element, tag: str) -> None:
        if tag not in _KNOWN and "-" not in tag and ":" not in tag:
            self.cleaner.counts["unknown"] += 1
        if _says_hidden(element) and not any(_says_hidden(ancestor) for ancestor in element.iterancestors()):
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
            number = int(start) if re.fullmatch(r"-?\d{1,9}", start) else 1
            self.lists.append((number, self.form_of(element)) if tag == "ol" else None)
        elif tag == "li":
            self.begin_item(element)
        elif tag == "table" and self.table is None and not (_LAYOUT(element) or _places_numbers(element)):
            self.table = _Table(element)
        elif tag == "sup":
            self.raised.append(len(self.buffer))

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
        elif tag == "dt" and self.table is None and _MARK.fullmatch("".join(self.buffer).strip()):
            self.item = f"{self.take()} "  # `<dt>3.</dt><dd>` is an item with its words
        elif tag in ("td", "th") and self.table is None and SIGN_CELL.fullmatch("".join(self.buffer).strip()):
            self.item += f"{marked(self.take())} "  # of a table of layout: the number is in a cell of its own
        elif tag in _BREAKING or tag in _HEADINGS:
            if tag in ("dd", "dl") and self.item and not "".join(self.buffer).strip():
                self.buffer, self.item = [self.item], ""  # a mark without words
            self.flush()
            self.level = 0
            if tag == "li":
                self.item = ""  # an item without words has no mark
        elif tag == "sup":
            self.raise_digits(element)
        if tag in ("ol", "ul", "menu", "dir"):
            self.lists.pop()

    def begin_item(self, element: Element) -> None:
        counted = self.lists[-1] if self.lists else None
        mark = "- "
        if counted is not None:
            number, form = counted
            stated = element.get("value", "")
            number = int(stated) if re.fullmatch(r"-?\d{1,9}", stated) else number
            self.lists[-1] = number + 1, form
            mark = f"{list_number(number, form)}. "
        if self.table is not None:
            self.buffer.append(mark)
        else:
            self.item += mark  # an item may open with a list

    def form_of(self, element: Element) -> str:
        """How a list counts, by its style, a rule of the page or its attribute `type`."""
        names = [element.get("id", ""), *element.get("class", "").split()]
        own = _LIST_STYLE.search(element.get("style", "").lower())
        found = own[1] if own else next((self.forms[name] for name in names if name in self.forms), "")
        return _LIST_FORMS.get(found, "") or _LIST_TYPES.get(element.get("type", ""), "decimal")

    def raise_digits(self, element: Element) -> None:
        """Raised digits stay apart from what they follow: a footnote's mark is no figure, nor is an exponent."""
        if not self.raised:  # a block ended within
            return
        begin = self.raised.pop()
        words = "".join(self.buffer[begin:])
        parent = element.getparent()
        note = element.find(".//a") is not None or (parent is not None and parent.tag == "a")
        if words.strip().isdecimal() and words.isascii():
            words = f"[{words.strip()}]" if note else words.translate(SUPERSCRIPTS)
        self.buffer[begin:] = [words]

    def take(self) -> str:
        return self.cleaner.clean(self.said())

    def said(self) -> str:
        text = close_gaps("".join(self.buffer))
        self.buffer.clear()
        self.raised.clear()
        return text

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


def _places_numbers(table: Element) -> bool:
    """Whether a table only places numbers beside their words, as pages did before style sheets."""
    rows = [
        [" ".join("".join(cell.itertext()).split()) for cell in row if cell.tag in ("td", "th")]
        for row in table.iter("tr")
    ]
    return places_numbers(rows)


def _list_forms(page: Element) -> Iterator[tuple[str, str]]:
    """The classes and ids of which a page's style sheets say how lists count."""
    for style in page.iter("style"):
        for selectors, declarations in _rules("".join(style.itertext())):
            if match := _LIST_STYLE.search(declarations.lower()):
                for selector in selectors.split(","):
                    named = _SIMPLE.fullmatch(re.split(r"[\s>+~]", selector.strip())[-1])
                    if named and (name := named["class"] or named["id"]):
                        yield name, match[1]


def _is_of_page(element: Element, tag: str) -> bool:
    if tag == "footer":
        return not any(ancestor.tag in _TEXT_PARTS for ancestor in element.iterancestors())
    crumbs = "breadcrumb" in f"{element.get('class', '')} {element.get('aria-label', '')}".lower()
    return (
        tag in _OF_PAGE or element.get("role", "").lower() in _ROLES_OF_PAGE or (crumbs and tag in ("ol", "ul", "div"))
    )


def _says_hidden(element: Element) -> bool:
    return element.get("aria-hidden", "").lower() == "true"


def _size(element: Element) -> int:
    return len(_SPACE.sub("", "".join(element.itertext())))


def read_html(html: str, cleaner: Cleaner, name: str) -> Reading:
    """The blocks of a page with its title and its language.

    Args:
        html: the page, decoded; what it says of its encoding is not looked at.

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
    fatal = next((fault for fault in parser.error_log if fault.level_name == "FATAL"), None)
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
    version = 12

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
        return Reading(reading.blocks, reading.title, warnings, language=spoken)


_FRONT = re.compile(r"\A---[ \t]*\n(?P<meta>(?:(?!---[ \t]*$|\.\.\.[ \t]*$).*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M)
# A line that begins with a number of a law stays a line, and so do what follows a caption behind a number and a line
# behind the end of a sentence: CommonMark joins them to the one before.
_COUNTED_LINE = re.compile(
    r"(?<![ \n])\n(?=[ \t]*(?:\([a-zA-Z0-9]{1,4}\)|[a-z][.)]|\d{1,3}(?:\.\d{1,3})+\.?|§{1,2}|[A-Z]\w+ \d+[.:])[ \t])"
    r"|(?<=[.;:])\n(?=[ \t]*(?:\d{1,3}[.)]?[ \t]+)?[\"“*_(]*[A-ZÀ-Þ])"
)
_CAPTION_LINE = re.compile(
    r"^(?P<caption>[ \t]*(?:\d{1,3}[.)]?|[A-Z][\w.]{1,11} \d{1,3}[.:]?|§ ?\d{1,3}[a-z]?\.?)[ \t]+"
    r"[^\n.;:,]{3,60}[^\n.;:, ])\n(?=[ \t]*[\"“*_(]*[A-ZÀ-Þ])",
    re.MULTILINE,
)
_FIELD = re.compile(r"[A-Za-z][\w -]*:(?:\s|\Z)")
# Beyond its limit markdown-it leaves words out without a word; where it cannot follow it must fail instead.
_NO_LIMIT = 1_000_000


class PlainMarkdown(PlainFormat):
    """Format `plain_markdown`."""

    name = "plain_markdown"
    version = 13

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
        text = _CAPTION_LINE.sub(r"\g<caption>  \n", _COUNTED_LINE.sub("  \n", text))
        title, language = (
            str(fields.pop(next((key for key in fields if key.lower() == name), ""), ""))
            for name in ("title", "language")
        )
        tags, left = tags_of(fields)
        warnings += left
        from markdown_it import MarkdownIt  # HTML pages do without it

        markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": _NO_LIMIT}).enable(["table", "strikethrough"])
        try:
            html = markdown.render(text)
        except RecursionError:
            raise IngestError("its lists, quotations or brackets are nested too deeply", file=source.name) from None
        reading = read_html(html, cleaner, source.name)
        return Reading(reading.blocks, title, [*warnings, *reading.warnings], tags, language.lower())
