"""Where the matches of many patterns can begin, found in one pass over a text.

What a pattern must begin with is read off its own tree: `\\b(?:except|save) as` begins with "except as" or "save as".
A text is searched once for the openings of all patterns, and each is tried only where one of its own stands. A pattern
of which no opening is known is searched as it is, so that the matches are those of `finditer` in every case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib import import_module
from typing import Any

_TREES: Any = import_module("re._parser")  # trees of patterns, which the standard library shows nowhere else
_MOST = 60  # openings of one pattern, beyond which they are followed no further into it
_LONGEST = 12  # characters of an opening


def openings(pattern: re.Pattern[str]) -> frozenset[str] | None:
    """What every match of a pattern begins with, one of these at least, by any case; None where that is unknown."""
    going, ended = _extended({""}, _TREES.parse(pattern.pattern, pattern.flags))
    found = going | ended
    least = (text for text in found if not any(text[:end] in found for end in range(1, len(text))))
    return None if "" in found else frozenset(least)


def _extended(going: set[str], items: Iterable[tuple[Any, Any]]) -> tuple[set[str], set[str]]:
    """Openings that go on after some items of a pattern, each one longer by these, and those that ended within them."""
    ended: set[str] = set()
    for operation, value in items:
        name = str(operation)
        if name in ("AT", "ASSERT", "ASSERT_NOT"):
            continue
        if not going:
            break
        going, over = _after(going, name, value)
        ended |= over | {text for text in going if len(text) >= _LONGEST}
        going -= ended
        length = _LONGEST
        while len(going) + len(ended) > _MOST:  # any beginning of an opening is one
            length -= 1
            ended |= {text[:length] for text in going if len(text) >= length}
            ended = {text[:length] for text in ended}
            going = {text for text in going if len(text) < length}
    return going, ended


def _after(going: set[str], name: str, value: Any) -> tuple[set[str], set[str]]:
    """The same of one item."""
    if name == "LITERAL":
        return {text + chr(value) for text in going}, set()
    if name == "IN" and all(str(kind) == "LITERAL" for kind, _ in value):
        return {text + chr(char) for text in going for _, char in value}, set()
    if name == "SUBPATTERN":
        return _extended(going, value[3])
    if name == "BRANCH":
        ways = [_extended(going, way) for way in value[1]]
        return {text for more, _ in ways for text in more}, {text for _, over in ways for text in over}
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, repeated = value
        more, over = _extended(going, repeated)
        again = most > 1  # what follows the first time is not known
        none = set[str]()
        return (none if again else more) | (none if least else going), over | (more if again else none)
    return set(), set(going)


def _is_bounded(items: Sequence[tuple[Any, Any]]) -> bool:
    """Whether no word goes on where what a pattern matches begins: `\\b`, `(?<!\\w)`, `(?:\\A|(?<=[.;]\\s))`."""
    for operation, value in items:
        name = str(operation)
        if name == "AT" and str(value) in ("AT_BOUNDARY", "AT_BEGINNING_STRING"):
            return True
        if name == "SUBPATTERN":
            return _is_bounded(value[3])
        if name == "BRANCH":
            return all(_is_bounded(way) for way in value[1])
        if name not in ("AT", "ASSERT", "ASSERT_NOT"):
            return False
        if name != "AT" and value[0] < 0 and _is_word(value[1][-1], said=name == "ASSERT_NOT"):
            return True
    return False


def _is_word(item: tuple[Any, Any], *, said: bool) -> bool:
    """Whether an item matches all characters of words; not `said`: none of these."""
    name, value = str(item[0]), item[1]
    kinds = [(str(kind), what) for kind, what in (value if name == "IN" else [item])]
    if said:
        return ("CATEGORY", "CATEGORY_WORD") in [(kind, str(what)) for kind, what in kinds]
    return all(
        str(what) == "CATEGORY_SPACE" or (kind == "LITERAL" and re.match(r"\W", chr(what))) for kind, what in kinds
    )


class Openings:
    """Patterns prepared for being looked for together."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._patterns = patterns

    def places(self, text: str) -> list[list[int] | None]:
        """For each pattern where its matches in a text can begin, in order; None: anywhere."""
        known, scanners = self._prepared
        places: list[list[int] | None] = [[] if opened else None for opened in known]
        for scanner, by_group in scanners:
            for found in scanner.finditer(text):
                for number in by_group[found.lastindex or 0]:
                    places[number].append(found.start())  # pyright: ignore[reportOptionalMemberAccess]
        return places

    def each(self, text: str) -> list[Iterable[re.Match[str]]]:
        """For each pattern its matches in a text, as `finditer` finds them."""
        return [
            pattern.finditer(text) if places is None else _matches(pattern, text, places)
            for pattern, places in zip(self._patterns, self.places(text), strict=True)
        ]

    def matches(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """The matches of one pattern after the other, with the pattern's position."""
        return ((number, match) for number, matches in enumerate(self.each(text)) for match in matches)

    @cached_property
    def _prepared(self) -> tuple[list[bool], list[tuple[re.Pattern[str], list[list[int]]]]]:
        """Which patterns have openings, and a scanner each for those at boundaries of words and for the others, with
        the patterns of each of its groups."""
        known: list[bool] = []
        tries: dict[bool, dict[str, set[int]]] = {}
        same = _Cases()
        for number, pattern in enumerate(self._patterns):
            opened = openings(pattern)
            known.append(opened is not None)
            bounded = _is_bounded(_TREES.parse(pattern.pattern, pattern.flags))
            bounded = bounded and all(re.match(r"\w", opening) for opening in opened or ())
            for opening in opened or ():
                text = "".join(same[char] for char in opening)
                tries.setdefault(bounded, {}).setdefault(text, set()).add(number)
        return known, [_scanner(found, bounded) for bounded, found in tries.items()]


def _matches(pattern: re.Pattern[str], text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
    end = 0
    for place in places:
        if place >= end and (match := pattern.match(text, place)) is not None:
            end = match.end()
            yield match


class _Cases(dict[str, str]):
    """For each character the first one looked up that matches it by any case."""

    def __missing__(self, char: str) -> str:
        known = (other for other in self.values() if re.fullmatch(re.escape(other), char, re.IGNORECASE))
        self[char] = next(known, char)
        return self[char]


def _scanner(numbers: dict[str, set[int]], bounded: bool) -> tuple[re.Pattern[str], list[list[int]]]:
    """A pattern that matches, with no width, wherever one of the openings stands; its group is the longest one.

    A longer opening is that of the shorter ones' patterns too.
    """
    by_group: list[list[int]] = [[]]

    def branch(start: str, left: list[str]) -> str:
        chars = sorted({text[len(start)] for text in left if len(text) > len(start)})
        ways = [
            re.escape(char) + branch(start + char, [text for text in left if text.startswith(start + char)])
            for char in chars
        ]
        if start in left:
            ways.append("()")
            shorter = (start[:end] for end in range(1, len(start) + 1))
            by_group.append(sorted({number for text in shorter for number in numbers.get(text, ())}))
        return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"

    tree = branch("", sorted(numbers))
    first = "".join(sorted({re.escape(text[0]) for text in numbers}))
    return re.compile(("\\b" if bounded else "") + f"(?=[{first}])(?={tree})", re.IGNORECASE), by_group


@cache
def prepared(patterns: tuple[re.Pattern[str], ...]) -> Openings:
    """Patterns prepared once, however many documents they are looked for in."""
    return Openings(patterns)
