"""HTML pages: the text that a reader sees, with headings, lists and tables.

Markdown (CommonMark with tables) is rendered to HTML, whose reader knows what is text, hidden, a heading or a list.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lxml import etree
from lxml.html import defs

from rag.ingest.formats.plain.blocks import GAP, INDENT, SUPERSCRIPTS, Block, Cleaner, Reading, close_gaps, gap_of
from rag.ingest.formats.plain.bytes import decode, read_bytes
from rag.ingest.formats.plain.document import PlainFormat
from rag.ingest.formats.plain.layout import LONGEST_SIGN, is_sign, list_number, marked, places_numbers
from rag.ingest.formats.plain.metadata import front_matter, tags_of
from rag.ingest.formats.plain.signs import SIGN
from rag.ingest.formats.plain.source import PlainSource
from rag.ingest.formats.xml import Element
from retrieval.errors import IngestError

if TYPE_CHECKING:
    from markdown_it.token import Token

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
# Classes and ids of what belongs to the page: all their words are of these, one at least of the first.
_PAGE_WORDS = _names(
    "nav navbar navigation menu breadcrumb breadcrumbs crumbs share sharing social cookie cookies consent pager"
    " pagination"
)
_BESIDE_PAGE_WORDS = _PAGE_WORDS | _names(
    "bar bars banner box button buttons container icons left link links list main notice popup primary right secondary "
    "site tools top trail wrapper"
)
_MOST_OF_PAGE = 3000  # characters
_JOINTS = re.compile(r"\s*[»›>→/|·•‹«←]\s*")  # between the links of one line: "Home » Code », "‹ Previous | Next ›"
_CRUMBS = re.compile("[»›]")
_ARROW = re.compile(r"\A[«‹←<]|[»›→>]\Z")
_MOST_PLACE = 80  # characters of the page's own name behind the links to what it is in
_NOTE_MARK = re.compile(r"[(\[]?([A-Za-z]{0,2}\d{1,4})[)\]]?")
_HEADINGS = {f"h{rank}": rank for rank in range(1, 7)}
_PICTURES = frozenset(["img", "svg", "picture"])
_NEWER = _names("main search dialog menu template picture bdi wbr data slot output rb rtc math input")
_KNOWN = frozenset(defs.tags) | frozenset(defs.html5_tags) | _NEWER | NEVER_SHOWN | _BREAKING
_LISTS = _names("ol ul menu dir")
_NUMBERING = _names("td th dt div")  # what may number the element after it
_ENDING = _names("li tr dd dl table")
_PAGE_PARTS = _names("div ol p section ul")
_HOLDS_TEXT = etree.XPath("boolean(.//main or .//article or .//h1 or .//h2)")
_FRAMED = _names("blockquote div dl ol p ul")
_OFTEN = 3
_LINE = 60  # characters
_LAYOUT = etree.XPath("boolean(@role='presentation' or @role='none' or .//table or .//h1 or .//h2 or .//h3 or .//h4)")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_DELIMITER = "data-list-delimiter"  # what a Markdown file has behind the numbers of a list


_STYLE = re.compile(r"list-style(?:-type)?\s*:(?P<worth>[^;]*)", re.IGNORECASE)
_CONTENT = re.compile(r"(?:\A|;|\s)content\s*:(?P<worth>(?:[^;\"']|\"[^\"]*\"|'[^']*')*)", re.IGNORECASE)
_CONTENT_PART = re.compile(
    r"""\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<all>counters?)\(\s*[\w-]+\s*
    (?:,\s*(?:\"(?P<joint>[^\"]*)\"|'(?P<joint2>[^']*)')\s*)? (?:,\s*(?P<form>[\w-]+)\s*)? \)""",
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_COUNTER_RESET = re.compile(r"counter-(?:reset|set)\s*:\s*[\w-]+\s+(-?\d{1,6})", re.IGNORECASE)
_BEFORE = re.compile(r"::?(?:before|marker)\Z", re.IGNORECASE)
_COMPOUND = re.compile(r"(?P<tag>\*|[a-zA-Z][\w-]*)?(?P<names>(?:[.#][\w-]+)*)")
# As CSS calls the forms of numbers -> as Word does. "none" shows nothing.
_LIST_FORMS = {
    "decimal": "decimal", "decimal-leading-zero": "decimalZero", "lower-roman": "lowerRoman",
    "upper-roman": "upperRoman", "lower-alpha": "lowerLetter", "lower-latin": "lowerLetter",
    "upper-alpha": "upperLetter", "upper-latin": "upperLetter", "lower-greek": "lowerGreek",
    "katakana": "aiueo", "katakana-iroha": "iroha", "cjk-decimal": "ideographDigital",
    "cjk-ideographic": "japaneseCounting", "japanese-informal": "japaneseCounting",
    "trad-chinese-informal": "japaneseCounting", "simp-chinese-informal": "japaneseCounting",
    "cjk-heavenly-stem": "ideographTraditional", "cjk-earthly-branch": "ideographZodiac",
    "none": "none", "disc": "bullet", "circle": "bullet", "square": "bullet",
}  # fmt: skip
_LIST_TYPES = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_SPACED_FORMS = frozenset(("aiueo", "iroha", "ideographDigital", "japaneseCounting", "ideographTraditional"))
_MOST_RULES = 100  # of one page that say how lists count
_MOST_AROUND = 30  # elements around one, among which a rule may name some
_COUNT = re.compile(r"-?\d{1,9}")


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a style sheet says of lists or of what is before their items; `parts`: tag and names, outermost first."""

    parts: tuple[tuple[str, frozenset[str]], ...]
    form: str
    content: str

    def rank(self) -> tuple[int, int]:
        """How closely it names an element; of two rules that do alike the later one counts."""
        return sum(len(names) for _, names in self.parts), sum(bool(tag) for tag, _ in self.parts)

    def names(self, element: Element) -> bool:
        """Whether it is about an element."""
        *around, own = self.parts
        if not _fits(own, element):
            return False
        for _, ancestor in zip(range(_MOST_AROUND), element.iterancestors(), strict=False):
            if around and _fits(around[-1], ancestor):
                around.pop()
        return not around


def _fits(part: tuple[str, frozenset[str]], element: Element) -> bool:
    tag, names = part
    if tag and element.tag != tag:
        return False
    return not names or names <= {
        f"#{element.get('id', '')}",
        *(f".{name}" for name in element.get("class", "").split()),
    }


def _list_rules(page: Element) -> list[_Rule]:
    """What a page's style sheets say of how lists count, what counts more last."""
    found: list[_Rule] = []
    for style in page.iter("style"):
        for selectors, declarations in _rules("".join(style.itertext())):
            content, form = _CONTENT.search(declarations), _form_in(declarations)
            for selector in selectors.split(",") if content or form else ():
                before = _BEFORE.search(selector.strip())
                selector = selector.strip()[: before.start()] if before else selector.strip()
                parts = [_COMPOUND.fullmatch(part) for part in re.split(r"\s*>\s*|\s+", selector)]
                if len(found) < _MOST_RULES and all(parts) and bool(before) == (content is not None):
                    named = tuple(
                        ((part["tag"] or "").lower().strip("*"), frozenset(re.findall(r"[.#][\w-]+", part["names"])))
                        for part in parts
                        if part
                    )
                    found.append(_Rule(named, form, content["worth"].strip() if content else ""))
    return sorted(found, key=_Rule.rank)


def _form_in(declarations: str) -> str:
    """How a list counts by declarations, as Word calls it; empty where they do not say."""
    match = _STYLE.search(declarations)
    words = match["worth"].lower().replace("!", " ").split() if match else []
    return next((_LIST_FORMS[word] for word in words if word in _LIST_FORMS), "")


@dataclass(slots=True)
class _List:
    """A list that is open: the number of its next item, and what is said of how it counts."""

    form: str
    next: int = 1
    step: int = 1
    joint: str = ". "  # behind a number
    items: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict[tuple[str, str], tuple[str, str]])

    def count(self, stated: str) -> int:
        """The number of the next item, which may state it."""
        number = int(stated) if _COUNT.fullmatch(stated) else self.next
        self.next = number + self.step
        return number


class _ListStyles:
    """Knows how the lists of one page count."""

    def __init__(self, page: Element) -> None:
        self._rules = _list_rules(page)

    def open(self, element: Element, tag: str) -> _List:
        """A list that begins."""
        form = self._form(element) or _LIST_TYPES.get(element.get("type", ""), "decimal" if tag == "ol" else "bullet")
        start, style = element.get("start", ""), element.get("style", "")
        new = _List(form)
        if tag == "ol" and element.get("reversed") is not None:
            new.next, new.step = sum(child.tag == "li" for child in element), -1
        if _COUNT.fullmatch(start):
            new.next = int(start)
        elif reset := _COUNTER_RESET.search(style):
            new.next = int(reset[1]) + 1
        new.joint = f"{element.get(_DELIMITER, '.')} "
        return new

    def mark(self, element: Element, lists: Sequence[_List]) -> str:
        """What is shown before an item of the innermost of the lists; it counts on."""
        own = lists[-1]
        key = (element.get("class", ""), element.get("id", ""))
        if key not in own.items:
            contents = (rule.content for rule in self._rules if rule.content and rule.names(element))
            own.items[key] = self._form(element), next((found for found in reversed([*contents])), "")
        ruled, content = own.items[key]
        number = own.count(element.get("value", ""))
        form = _form_in(element.get("style", "")) or ruled or _LIST_TYPES.get(element.get("type", ""), "") or own.form
        if _CONTENT_PART.search(content) and "counter" in content:
            numbers = [str(one.next - one.step) for one in lists]
            return f"{_printed(content, number, numbers)} "
        if form in ("none", "bullet"):
            return "- " if form == "bullet" else ""
        return f"{list_number(number, form)}{' ' if form in _SPACED_FORMS else own.joint}"

    def _form(self, element: Element) -> str:
        named = [rule.form for rule in self._rules if rule.form and rule.names(element)]
        return _form_in(element.get("style", "")) or (named[-1] if named else "")


def _printed(content: str, number: int, numbers: Sequence[str]) -> str:
    """What the property `content` of a style sheet shows before an item; `numbers`: of the lists around, too."""
    shown = ""
    for part in _CONTENT_PART.finditer(content):
        if part["all"] is None:
            shown += _ESCAPED.sub(
                lambda found: chr(min(int(found[1], 16), 0x10FFFF)), part["double"] or part["single"] or ""
            )
        elif part["all"].lower() == "counters":
            shown += (part["joint"] or part["joint2"] or "").join(numbers)
        else:
            shown += list_number(number, _LIST_FORMS.get((part["form"] or "").lower(), "decimal")) or str(number)
    return " ".join(shown.split())


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
        self.lists: list[_List] = []
        self.styles = _ListStyles(page)
        self.item = ""  # the mark of a list item, or what numbers a provision, whose words have not come yet
        self.typed = False  # whether words of the page are in it
        self.held: Element | None = None  # an element of which nothing but a number is expected
        self.links: list[tuple[int, int]] = []  # of links to other pages, where in the buffer
        self.again = _repeated(page)
        self.parted = False  # whether what numbers a provision ends here
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
                elif _is_of_page(element, tag) or (tag == "a" and self.leads_nowhere(element)):
                    if tag != "a":
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
        self.end_item()
        return self.blocks

    def say(self, text: str | None) -> None:
        if text:
            if self.parted and (text[0] in '“„«"' or re.match(r"\w\w|\w\s", text)):
                self.buffer.append(" ")
            self.parted = False
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
            if self.table is None and self.held is None and not self.level and self.is_numbered(bare=False):
                self.keep()  # "(a)<div>words</div>"
            self.flush()
        if tag in _HEADINGS:
            self.level = _HEADINGS[tag]
        elif tag in ("pre", "textarea"):
            self.verbatim += 1
        elif tag == "br":
            self.buffer.append("\n")
        elif tag in _LISTS:
            self.lists.append(self.styles.open(element, tag))
        elif tag == "li":
            self.begin_item(element)
        elif tag == "table" and self.table is None and not (_LAYOUT(element) or _places_numbers(element)):
            self.table = _Table(element)
        elif tag == "sup":
            self.raised.append(len(self.buffer))
            self.parted = False  # "1<sup>er</sup>"
        elif tag == "a" and _leads_away(element):
            self.links.append((len(self.buffer), -1))
        if tag in _NUMBERING and self.table is None and self.held is None and _may_number(element, tag):
            self.held = element

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
        elif self.held is element:
            self.held = None
            if self.is_numbered(bare=tag != "div"):
                self.keep()
            self.flush()
        elif tag in _BREAKING or tag in _HEADINGS:
            self.flush()
            self.level = 0
            if tag in _ENDING:
                self.end_item()
        elif tag == "sup":
            self.raise_digits(element)
        elif tag == "a" and self.links and self.links[-1][1] < 0:
            self.links[-1] = (self.links[-1][0], len(self.buffer))
        elif self.is_numbered(bare=False):
            self.parted = True  # "<b>§ 1</b><span>Title": style sheets part them
        if tag in _LISTS:
            self.lists.pop()

    def begin_item(self, element: Element) -> None:
        mark = self.styles.mark(element, self.lists) if self.lists else "- "
        if self.table is not None:
            self.buffer.append(mark)
        else:
            self.item += mark  # an item may open with a list

    def is_numbered(self, *, bare: bool) -> bool:
        """Whether nothing but what numbers a provision is in the buffer."""
        if len(self.buffer) > LONGEST_SIGN or self.verbatim:
            return False
        text = "".join(self.buffer)
        return len(text) <= 2 * LONGEST_SIGN and is_sign(text, bare=bare)

    def keep(self) -> None:
        """Keep what is in the buffer for the words that it numbers."""
        self.item += f"{marked(self.take_line())} "
        self.typed = True

    def end_item(self) -> None:
        """Where no words have come, the number of a list is not shown; a number that the page states is."""
        if self.typed and (text := self.item.strip()):
            self.blocks.append(Block(text, tight=self.tight, indent=max(len(self.lists) - 1, 0)))
        self.item, self.typed = "", False

    def leads_nowhere(self, link: Element) -> bool:
        """Whether a link is no text of the law: a sign of a paragraph, "back to top"."""
        target, text = link.get("href", ""), _begins(link)
        if not target.startswith("#") or not text:
            return False
        alone = target == "#top" or (
            self.again[target, text] >= _OFTEN and not _has_digit(text) and _is_alone(link, text)
        )
        return alone or not any(char.isalnum() for char in text)

    def raise_digits(self, element: Element) -> None:
        """Raised digits stay apart from what they follow: a footnote's mark is no figure, nor is an exponent."""
        if not self.raised:  # a block ended within
            return
        begin = self.raised.pop()
        words = "".join(self.buffer[begin:])
        parent = element.getparent()
        note = element.find(".//a") is not None or (parent is not None and parent.tag == "a")
        if note and (mark := _NOTE_MARK.fullmatch(words.strip())):
            words = f"[{mark[1]}]"
        elif words.strip().isdecimal() and words.isascii():
            words = words.translate(SUPERSCRIPTS)
        self.buffer[begin:] = [words]
        self.links = [(first, min(last, begin + 1)) for first, last in self.links if first < begin]

    def take(self) -> str:
        return self.cleaner.clean(self.said())

    def said(self) -> str:
        text = close_gaps("".join(self.buffer))
        self.buffer.clear()
        self.raised.clear()
        self.links.clear()
        self.parted = False
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
        if self.table is not None or self.held is not None:
            self.buffer.append(" ")
            return
        if self.level:
            heading = self.cleaner.heading(self.said(), self.level)
            if heading is not None:
                self.blocks.append(replace(heading, text=self.item + heading.text))
                self.item, self.typed = "", False
            return
        if (self.links or not self.blocks) and not self.item and self.leads_about():
            self.cleaner.counts["page"] += len(_SPACE.sub("", self.said()))
            return
        text = self.take()
        if not text:
            return
        tight = bool(self.item) and self.tight
        indent = max(len(self.lists) - 1, 0)
        words = re.sub(r"\n(?!\n)", "\n" + INDENT * indent, self.item + text)
        self.blocks.append(Block(words, tight=tight, indent=indent))
        self.tight = bool(self.item)
        self.item, self.typed = "", False

    def leads_about(self) -> bool:
        """Whether the paragraph only leads to other pages: "Home » Code » Title 5", "‹ Article 4 | Article 6 ›"."""
        if not self.links:
            words = "".join(self.buffer) if not self.blocks and len(self.buffer) < _LINE else ""
            parts = [part.strip() for part in _CRUMBS.split(words)]
            return len(parts) >= _OFTEN and all(0 < len(part) <= _MOST_PLACE for part in parts) and "«" not in words
        inside = {at for first, last in self.links for at in range(first, last if last >= 0 else len(self.buffer))}
        outside = "".join("\0" if at in inside else text for at, text in enumerate(self.buffer))
        parts = _JOINTS.split(re.sub("\0+", "\0", outside))
        *linked, last = [part.strip() for part in parts if part.strip()] or [""]
        at_top = not self.blocks or len(parts) >= _OFTEN
        named = last == "\0" or (at_top and len(last) <= _MOST_PLACE and "\0" not in last and linked != [])
        if len(parts) > 1:
            return named and all(part == "\0" for part in linked)
        texts = ["".join(self.buffer[first:last]).strip() for first, last in self.links if last >= 0]
        return not outside.strip(" \0\n") and all(_ARROW.search(text) for text in texts)


def _places_numbers(table: Element) -> bool:
    """Whether a table only places numbers beside their words, as pages did before style sheets, or frames paragraphs.

    It frames them where there is one column, or a cell has several, two of which are numbered.
    """
    cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    rows = [[" ".join("".join(cell.itertext()).split()) for cell in row] for row in cells]
    if places_numbers(rows):
        return True
    alone = all(sum(map(bool, row)) < 2 for row in rows)
    for cell in (cell for row in cells for cell in row):
        inner = [child for child in cell if child.tag in _FRAMED]
        texts = (" ".join("".join(child.itertext()).split()) for child in inner)
        if len(inner) > 1 and (alone or sum(SIGN.match(text) is not None for text in texts) > 1 < len(inner) - 1):
            return True
    return False


def _begins(element: Element) -> str:
    """The text of an element; empty where it is longer than a line."""
    text = ""
    for part in element.itertext():
        text += part
        if len(text) > _LINE:
            return ""
    return " ".join(text.split())


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _is_alone(link: Element, text: str) -> bool:
    """Whether the element around a link that breaks lines has no other text."""
    around = next((found for found in link.iterancestors() if found.tag in _BREAKING), None)
    return around is not None and around.tag != "li" and _begins(around) == text


def _leads_away(element: Element) -> bool:
    target = element.get("href", "#")
    return not target.startswith("#")


def _repeated(page: Element) -> Counter[tuple[str, str]]:
    """How often a page has each link within it."""
    links = ((link.get("href", ""), link) for link in page.iter("a"))
    return Counter((target, _begins(link)) for target, link in links if target.startswith("#"))


def _may_number(element: Element, tag: str) -> bool:
    """Whether an element may hold nothing but what numbers the next one."""
    if tag == "div" and element.getnext() is None:
        return False
    text = ""
    for part in element.itertext():
        text += part
        if len(text.strip()) > LONGEST_SIGN or len(text) > _LINE:
            return False
    return is_sign(" ".join(text.split()), bare=tag != "div")


def _is_of_page(element: Element, tag: str) -> bool:
    if tag == "footer":
        return not any(ancestor.tag in _TEXT_PARTS for ancestor in element.iterancestors())
    if tag in _OF_PAGE or element.get("role", "").lower() in _ROLES_OF_PAGE:
        return True
    if tag not in _PAGE_PARTS:
        return False
    for name in (element.get("id", ""), *element.get("class", "").split(), element.get("aria-label", "")):
        words = frozenset(re.split(r"[-_\s]+", name.lower()))
        if words <= _BESIDE_PAGE_WORDS and words & _PAGE_WORDS:
            size = 0
            for part in element.itertext():
                size += len(part)
                if size > _MOST_OF_PAGE:
                    return False
            return not _HOLDS_TEXT(element)
    return False


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
    version = 13

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
    r"""(?<![ \n])\n (?=[ \t]*(?:[*_]{1,3})?
            (?: [(（][a-zA-Z0-9０-９ア-ン一二三四五六七八九十]{1,4}[)）] | [a-z][.)] | [ivx]{2,5}[.)]
              | \d{1,3}(?:\.\d{1,3})+\.? | §{1,2} | [A-Z]\w+[ ]\d+[.:]
              | 第[0-9０-９一二三四五六七八九十百千]{1,8}[編部章節款条] | [０-９]{1,3}(?=\s) )
            (?:[*_]{1,3})?[ \t\u3000] | :[ \t]+\S)
      | (?<=[.;:])\n(?=[ \t]*(?:\d{1,3}[.)]?[ \t]+)?[\"“*_(]*[A-ZÀ-Þ])
      | (?<=。)\n(?=\S)""",
    re.VERBOSE,
)
_CAPTION_LINE = re.compile(
    r"^(?P<caption>[ \t]*(?:\d{1,3}[.)]?|[A-Z][\w.]{1,11} \d{1,3}[.:]?|§ ?\d{1,3}[a-z]?\.?)[ \t]+"
    r"[^\n.;:,]{3,60}[^\n.;:, ])\n(?=[ \t]*[\"“*_(]*[A-ZÀ-Þ])",
    re.MULTILINE,
)
_FIELD = re.compile(r"[A-Za-z][\w -]*:(?:\s|\Z)")
_TOML_FRONT = re.compile(r"\A\+\+\+[ \t]*\n(?P<meta>(?:(?!\+\+\+[ \t]*$).*\n)*)\+\+\+[ \t]*(?:\n|\Z)", re.M)
# CommonMark knows no footnotes: it takes "[^1]: Repealed." for the target of a link, which has no text, as it does any
# word of its own behind "[F1]:".
_NOTE = re.compile(
    r"^[ ]{0,3}\[\^(?P<noted>[^\]\s]{1,30})\]:|\[\^(?P<mark>[^\]\s]{1,30})\]"
    r"|^[ ]{0,3}\[(?P<word>[^\]\n]{1,40})\]:(?P<words>[ \t]*[^\s/#:@<.]+\.?)[ \t]*$",
    re.MULTILINE,
)
_HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING_NAME = re.compile(r"^(#{1,6}[ \t][^\n{}]*)\{[^{}\n]*\}[ \t]*$", re.M)  # "## § 5 Fees {#fees}"
# It takes "**(a)**The" for no bold words.
_BOLD_SIGN = re.compile(r"^([ \t>]*(?:[-*+][ \t]+)?)([*_]{2,3})([^*_\n]{1,24})\2(?=\w)", re.M)
# Beyond its limit markdown-it leaves words out without a word; where it cannot follow it must fail instead.
_NO_LIMIT = 1_000_000


class PlainMarkdown(PlainFormat):
    """Format `plain_markdown`."""

    name = "plain_markdown"
    version = 14

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
        elif front := _TOML_FRONT.match(text):
            with suppress(tomllib.TOMLDecodeError):
                stated = tomllib.loads(front["meta"])
                fields = {key: str(value) if isinstance(value, date) else value for key, value in stated.items()}
                text = text[front.end() :]
        text = _NOTE.sub(_noted, text)
        text = _HEADING_NAME.sub(r"\1", _without_comments(text))
        text = _BOLD_SIGN.sub(lambda found: f"{found[0]} " if is_sign(found[3], bare=False) else found[0], text)
        text = _CAPTION_LINE.sub(r"\g<caption>  \n", _COUNTED_LINE.sub("  \n", text))
        title, language = (
            str(fields.pop(next((key for key in fields if key.lower() == name), ""), ""))
            for name in ("title", "language")
        )
        tags, left = tags_of(fields)
        warnings += left
        from markdown_it import MarkdownIt  # HTML pages do without it

        markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": _NO_LIMIT}).enable(["table", "strikethrough"])
        markdown.disable("code")  # a law is indented for its levels
        try:
            tokens = markdown.parse(text)
            _keep_numbers(tokens)
            html = str(markdown.renderer.render(tokens, markdown.options, {}))
        except RecursionError:
            raise IngestError("its lists, quotations or brackets are nested too deeply", file=source.name) from None
        reading = read_html(html, cleaner, source.name)
        return Reading(reading.blocks, title, [*warnings, *reading.warnings], tags, language.lower())


def _noted(found: re.Match[str]) -> str:
    if found["word"]:
        return f"\n\\[{found['word']}\\]:{found['words']}\n"
    return rf"\[{found['mark']}\]" if found["mark"] else f"\n\\[{found['noted']}\\]"


def _without_comments(text: str) -> str:
    closed = text.rfind("-->") + 3  # behind which no comment ends
    return _HTML_COMMENT.sub("", text[:closed]) + text[closed:] if closed > 2 else text


def _keep_numbers(tokens: Sequence[Token]) -> None:
    """Give the items of lists the numbers that they have in the file, where not all are the same one.

    CommonMark numbers a list from its first item: of "1.", "3." it shows 1 and 2.
    """
    lists: list[tuple[Token, list[Token]]] = []
    for token in tokens:
        if token.type in ("ordered_list_open", "bullet_list_open"):
            lists.append((token, []))
        elif token.type == "list_item_open":
            lists[-1][1].append(token)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            opened, items = lists.pop()
            if opened.type == "ordered_list_open":
                opened.attrSet(_DELIMITER, opened.markup)
                if len({int(item.info) for item in items}) > 1:
                    number = before = -1
                    for item in items:
                        number = number + 1 if int(item.info) == before else int(item.info)
                        before = int(item.info)
                        item.attrSet("value", str(number))
