"""Reading Japanese citations: from a text to provisions as written, in order, with their lists and ranges.

Nothing is resolved here; `japanese_resolver` knows the place a text stands in.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from rag.jurisdictions.jp.grammar import (  # fmt: skip
    JOINT,
    NOT_AFTER_ITEM,
    NOT_BEFORE_ITEM,
    RANGES,
    TOKEN,
    Item,
    read_match,
)
from rag.jurisdictions.jp.laws import OWN, NameReader, Naming, bracketed_laws, law_of_number

_BRACKET = re.compile(r"[()「」『』]")
_EDITION = re.compile(r"(?:改正|廃止|施行)[前後]|旧法")


class Brackets:
    """Which brackets of a text belong together, and what stands in quotation marks. Linear."""

    def __init__(self, text: str) -> None:
        self.close: dict[int, int] = {}
        self.open: dict[int, int] = {}
        self.quotes: list[tuple[int, int]] = []
        stack: list[int] = []
        quoted: list[int] = []
        for match in _BRACKET.finditer(text):
            sign, at = match[0], match.start()
            if sign == "(":
                stack.append(at)
            elif sign == ")" and stack:
                first = stack.pop()
                self.close[first], self.open[at] = at, first
            elif sign in "「『":
                quoted.append(at)
            elif sign in "」』" and quoted:
                first = quoted.pop()
                if not quoted:
                    self.quotes.append((first, at))
        self.pairs = sorted(self.close.items())
        self._ends = [end for _, end in self.quotes]

    def quoted(self, at: int) -> bool:
        """Whether a place stands in quotation marks."""
        index = bisect_left(self._ends, at)
        return index < len(self.quotes) and self.quotes[index][0] < at


def items(text: str, names: NameReader, brackets: Brackets) -> list[Item]:
    """Every provision and every law that a text names, in order.

    Args:
        text: folded text (`fold`).
        names: reads the names of laws.
        brackets: of the same text.
    """
    return list(_Reader(text, names, brackets).items())


class _Reader:
    def __init__(self, text: str, names: NameReader, brackets: Brackets) -> None:
        self._text = text
        self._names = names
        self._brackets = brackets
        self._numbered = {brackets.close[one.start]: one for one in bracketed_laws(text) if one.start in brackets.close}
        self._bracketed = {one.start: one for one in self._numbered.values()}
        self._out: list[Item] = []
        self._ends: dict[int, int] = {}  # where a list may go on -> the item it goes on from
        self._opened: dict[int, int] = {}  # the first place in a bracket -> the item that the bracket follows

    def items(self) -> Iterator[Item]:
        floor = 0
        for match in TOKEN.finditer(self._text):
            item = self._item(match, floor)
            if item is None:
                continue
            if self._brackets.quoted(match.start()):
                item.quoted = True
            floor = max(floor, item.end)
            if item.joined >= 0 and item.range == "end" and self._out[item.joined].range == "":
                self._out[item.joined].range = "start"
            self._out.append(item)
            self._note_end(item, len(self._out) - 1)
        return iter(self._out)

    def _note_end(self, item: Item, index: int) -> None:
        self._ends[item.end] = index
        closing = self._brackets.close.get(item.end)
        if closing is not None:
            self._ends[closing + 1] = index
            self._opened[item.end + 1] = index

    def _item(self, match: re.Match[str], floor: int) -> Item | None:
        text, start, end = self._text, match.start(), match.end()
        if match["mention"]:
            naming = self._names.ending_at(text, end, floor)
            return None if naming is None else Item(naming.start, end, "", "law", (), naming=naming)
        if match["number"]:
            return self._law_number(match, floor)
        if match["this"] or match["same"]:
            own = match["this"] is not None and "附則" in match["this"]
            head, of = ("この", "sup") if own else ("この" if match["this"] else "同", "law")
            return Item(start, end, head, of, ())
        read = read_match(match)
        if read is None:
            return None
        joined, word, apart = self._joint(start)
        if match["kana"] and (joined < 0 or not self._out[joined].units or self._out[joined].units[-1][0] != "sub"):
            return None
        item = read
        item.joined, item.apart, item.within = joined, apart, self._opened.get(start, -1)
        if word in RANGES:
            item.range = "end"
            if text.startswith("まで", end):
                item.end = end + 2
        if joined < 0 and item.of in ("art", "par", "sup", "table", "style", "container") and not item.head:
            item = self._with_law(item, floor)
        if item.of == "item" and not item.head and joined < 0:
            followed = NOT_AFTER_ITEM.match(text, item.end)
            if followed or NOT_BEFORE_ITEM.search(text[max(0, start - 1) : start]):
                return None
        return item

    def _law_number(self, match: re.Match[str], floor: int) -> Item | None:
        """A law named by its number, in brackets after its name or alone."""
        start, end = match.start("number"), match.end("number")
        opening = next((at for at in (start - 1, start - 2) if at in self._bracketed), None)
        if opening is None:
            law = law_of_number(match["number"])
            return Item(start, end, "", "law", (), naming=Naming(start, end, law)) if law else None
        law = self._bracketed[opening].law
        name = self._names.ending_at(self._text, opening, floor)
        first = name.start if name else start
        if law.role != "named":
            law = replace(law, title=self._text[first:opening] or law.title)
        if name is not None and (not name.law.certain or (name.law.urn and name.law.urn != law.urn)):
            law = replace(law, certain=False)  # 民法 with the number of another law: which one is meant is open
        if self._brackets.close[opening] == end:
            end += 1
        return Item(first, end, "", "law", (), naming=Naming(first, end, law))

    def _with_law(self, item: Item, floor: int) -> Item:
        """The item with the law named right before it, which is then no item of its own."""
        text, at = self._text, item.start
        while at > floor and text[at - 1] in " の":
            at -= 1
        last = self._out[-1] if self._out else None
        opening = self._brackets.open.get(at - 1) if at else None
        if last is not None and last.of == "law" and at in (last.end, self._close_around(last)):
            self._out.pop()
            if last.naming is None and last.head == "この":
                item.start, item.naming = last.start, Naming(last.start, last.end, OWN)
                return item
            item.start, item.naming, item.same_law = last.start, last.naming, last.head == "同"
            return item
        if opening is not None:
            item.naming = self._bracketed.get(opening) or self._before_bracket(opening, at)
            return item
        if at and text[at - 1] == "同":
            item.start, item.same_law = at - 1, True  # 同715条: of the law named before
            return item
        naming = self._names.ending_at(text, at, floor)
        if naming:
            item.start, item.naming = naming.start, naming
        return item

    def _before_bracket(self, opening: int, end: int) -> Naming | None:
        """The law before a bracket that says what it is called, or which edition of it is meant."""
        inside = self._text[opening:end]
        edition = _EDITION.search(inside) is not None
        if not edition and "以下" not in inside and "略称" not in inside:
            return None
        naming = self._names.ending_at(self._text, opening)
        if naming is None or not edition:
            return naming
        return replace(naming, law=replace(naming.law, certain=False))

    def _close_around(self, law: Item) -> int:
        """The place after the bracket that holds a law's number; -1 where it stands in none."""
        if law.naming is None:
            return -1
        opening = next((at for at in range(law.end - 1, law.start - 1, -1) if at in self._bracketed), None)
        return -1 if opening is None else self._brackets.close[opening] + 1

    def _joint(self, start: int) -> tuple[int, str, bool]:
        """The item whose list a place goes on with (-1: none), the joining word, and whether a bracket lies between."""
        match = JOINT.search(self._text, max(0, start - 8), start) if self._out else None
        if match is None:
            return -1, "", False
        index = self._ends.get(match.start(), -1)
        if index < 0:
            return -1, "", False
        return index, match["word"], self._out[index].end != match.start()
