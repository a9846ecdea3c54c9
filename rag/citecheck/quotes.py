"""The quotations of a text: quotation marks of all styles, and block quotes. Pure, linear in the text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

# Opening mark -> its closing marks. Marks that also serve the other way round are told apart by what stands beside.
_PAIRS = {"“": "”“", "„": "“”‟", "«": "»", "‹": "›", "「": "」", "『": "』", "‟": "”", "﹁": "﹂", "〝": "〟"}
_NESTING = frozenset("「『")
_MARK = re.compile(r"[“„«»‹›「『‟﹁〝\"‘‚'`]")
MAX_QUOTATION = 20_000  # characters of one quotation; a longer one lacks its closing mark somewhere
_BLOCK_LINE = re.compile(r"[ \t]{0,3}>[^\n]*(?:\n|\Z)")
_INDENTED = re.compile(r"(?<=:)[ \t]*\n[ \t]*\n((?:(?: {4}|\t)[^\n]*(?:\n|\Z)|[ \t]*\n(?= {4}|\t))+)")
# Of the words of a block, which end without white space; tried once for each run of white space, not from each line.
_ATTRIBUTION = re.compile(r"(?<![\s>])(?:[^\S\n]|>)*+(?P<line>\n)[\s>]*+(?:[-–—]{1,3}|\()\s*+[^\n]{1,300}\Z")


@dataclass(frozen=True, slots=True)
class Quotation:
    """One quotation: its place with the marks, and the place of the words inside them."""

    start: int
    end: int
    inner_start: int
    inner_end: int
    block: bool = False


def find_quotations(text: str) -> tuple[list[Quotation], list[int]]:
    """The quotations of a text in order, outermost only, and the places of opening marks that nothing closes.

    Read are “ ” „ “ « » » « 「 」 『 』 ‘ ’ ‹ › straight marks, and block quotes: lines that begin with `>`, and
    lines indented by four spaces or a tab after a paragraph that ends in a colon. A quotation ends with its paragraph
    unless it is a block.
    """
    blocks = _blocks(text)
    found = list(blocks)
    unclosed: list[int] = []
    marks = _Marks(text)
    inside = iter(blocks)
    block = next(inside, None)
    position = 0
    while match := _MARK.search(text, position):
        at = match.start()
        while block is not None and block.end <= at:
            block = next(inside, None)
        if block is not None and block.start <= at:
            position = block.end
            continue
        closed = marks.closing(at)
        if closed is not None and block is not None and closed >= block.start:
            closed = _UNCLOSED
        position = at + 1
        if closed is not None and closed > at + 1:
            found.append(Quotation(at, closed + 1, at + 1, closed))
            position = closed + 1
        elif closed is not None:
            unclosed.append(at)
    return sorted(found, key=lambda one: one.start), unclosed


_GIVES_NAME = re.compile(
    r"\((?:[^()]{0,60}\s)?(?:the|this|hereinafter|herein|collectively|die|der|das|nachfolgend|le|la|les|ci-après)[\s:,]*\Z",
    re.IGNORECASE,
)
_SMALL = frozenset(
    ("of", "the", "and", "for", "in", "on", "to", "a", "an", "de", "du", "des", "la", "le", "et", "und", "zur", "zum")
)


def names_something(text: str, quotation: Quotation) -> bool:
    """Whether a quotation is a name that the text introduces, `(the “Act”)`, or reads like a title: all capitals."""
    if _GIVES_NAME.search(text, max(0, quotation.start - 80), quotation.start):
        return True
    words = re.findall(r"[^\W_]+", text[quotation.inner_start : quotation.inner_end])
    telling = [word for word in words if word.lower() not in _SMALL]
    return 1 < len(telling) <= 10 and all(word[0].isupper() or word[0].isdigit() for word in telling)


_UNCLOSED = -1


class _Marks:
    """Where a quotation that begins at a mark ends. Places that many marks ask for are looked up once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._breaks = [match.start() for match in re.finditer(r"\n[ \t]*\n", text)]
        # Not an apostrophe inside a word, and not after a space.
        self._singles = {mark: [match.start() for match in re.finditer(rf"(?<=\S){mark}(?!\w)", text)] for mark in "'’"}
        self._nested = _partners(text)
        self._places: dict[str, list[int]] = {}

    def closing(self, at: int) -> int | None:
        """The place of the closing mark; `_UNCLOSED` where there is none; None where no quotation begins there."""
        text = self._text
        mark = text[at]
        before = text[at - 1] if at else " "
        after = text[at + 1] if at + 1 < len(text) else " "
        limit = min(_after(self._breaks, at, len(text)), at + MAX_QUOTATION)
        if mark in _NESTING:
            return self._nested.get(at, _UNCLOSED)
        if mark in "»›":  # the German way round
            turned = after.strip() and not before.isalnum()
            return self._first(at + 1, limit, {"»": "«", "›": "‹"}[mark]) if turned else None
        if mark in _PAIRS:
            return self._first(at + 1, limit, _PAIRS[mark])
        if mark == '"':
            return self._first(at + 1, limit, '"') if after.strip() else None
        if mark in "‘‚'`" and not before.isalnum() and after.strip() and after not in ".,;:)’'0123456789":
            # A lone apostrophe is no quotation mark: `'tis`, `the '90s`.
            places = [_after(self._singles[word], at + 1, limit) for word in ("'" if mark == "'" else "’'")]
            return min(places) if min(places) < limit else None
        return None

    def _first(self, start: int, limit: int, marks: str) -> int:
        place = min(_after(self._all(mark), start, limit) for mark in marks)
        return place if place < limit else _UNCLOSED

    def _all(self, mark: str) -> list[int]:
        """The places of a mark, looked up when first asked for."""
        if mark not in self._places:
            self._places[mark] = [match.start() for match in re.finditer(mark, self._text)]
        return self._places[mark]


def _after(places: list[int], start: int, default: int) -> int:
    index = bisect_left(places, start)
    return places[index] if index < len(places) else default


def _partners(text: str) -> dict[int, int]:
    """The closing bracket of each bracket that nests, within a paragraph."""
    found: dict[int, int] = {}
    open_at: list[int] = []
    for match in re.finditer(r"[「『」』]|\n[ \t]*\n", text):
        if match[0] in _NESTING:
            open_at.append(match.start())
        elif match[0] not in "」』":
            open_at.clear()
        elif open_at and _PAIRS[text[open_at[-1]]] == match[0]:
            found[open_at.pop()] = match.start()
    return found


def _blocks(text: str) -> list[Quotation]:
    found: list[Quotation] = []
    start = position = -1
    for match in _BLOCK_LINE.finditer(text):
        if match.start() and text[match.start() - 1] != "\n":
            continue
        if start >= 0 and match.start() == position:
            position = match.end()
            continue
        if start >= 0:
            found += _block(text, start, position)
        start, position = match.start(), match.end()
    if start >= 0:
        found += _block(text, start, position)
    ends = [quotation.end for quotation in found]
    indented: list[Quotation] = []
    for match in _INDENTED.finditer(text):
        following = bisect_right(ends, match.start())
        if following == len(found) or found[following].start >= match.end():
            indented += _block(text, match.start(1), match.end(1))
    return sorted([*found, *indented], key=lambda one: one.start)


def _block(text: str, start: int, end: int) -> list[Quotation]:
    """A block as a quotation, without a line of attribution at its end and without marks around all of it."""
    words = text[start:end].rstrip()
    attribution = _ATTRIBUTION.search(words)
    if attribution and attribution.start("line"):
        words = words[: attribution.start("line")].rstrip()
    lead = len(words) - len(words.lstrip(" \t>\n"))
    inner = words[lead:]
    left, right = start + lead, start + lead + len(inner)
    if len(inner) > 2 and (inner[0], inner[-1]) in {("“", "”"), ('"', '"'), ("„", "“"), ("«", "»"), ("「", "」")}:
        left, right = left + 1, right - 1
    return [Quotation(start, start + len(words), left, right, block=True)] if inner.strip() else []
