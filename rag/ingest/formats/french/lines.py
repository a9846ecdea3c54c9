"""The designators at the start of a line of a French article: I. -, A. -, 1., 1°, a), i), and dashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.ingest.formats.designators import MOST_ROMAN
from rag.jurisdictions.fr.naming import SUFFIXES
from rag.law.nodes import Mark
from retrieval.roman import roman_value

_LATIN = rf"(?P<suffix>\s?(?:{'|'.join(sorted(SUFFIXES, key=len, reverse=True))})\b)"
_EXTRA = r"(?P<extra>\s[A-Z]{1,2}(?=[.°º)]|\s+[A-ZÀ-Ý(«–—-]))"
_SUFFIX = f"{_LATIN}?{_EXTRA}?"
# What may be between a designator and its words. `strong` cannot be ordinary text, a plain point can.
_STRONG = r"(?P<strong>\s?\.\s?[-–—―]|\s[-–—](?=\s)|\))"
_END = rf"(?:{_STRONG}|(?P<plain>\.)(?=\s|$))\s*"
_DEGREE = re.compile(
    # After the sign a capital belongs to the designator only behind a suffix: "1° A la demande" is number 1.
    rf"(?P<stem>\d{{1,3}})\s?[°º](?:{_LATIN}{_EXTRA}?)?\s*+[).]?+\s*+(?:[-–—]\s)?+(?!(?:du|de|des|d'|et|ou|à|au|aux|ci-)\b)"
)
_RANGE = re.compile(r"(?P<stem>\d{1,3})\s?[°º]\s?(?:et|à|,)\s?(?P<last>\d{1,3})\s?[°º]\s*(?=\()")
_ROMAN_RANGE = re.compile(r"(?P<stem>[IVXLC]{1,7})\s?(?:et|à)\s?(?P<last>[IVXLC]{1,7})\s?\.?\s?[-–—]?\s*(?=\()")
_STEM = re.compile(rf"\(?(?P<stem>[IVXLC]{{1,7}}|[A-Z]{{1,2}}|\d{{1,3}}|[a-z]{{1,2}}|[ivx]{{1,5}}){_SUFFIX}{_END}")
_DASH = re.compile(r"[-–—•·]\s?(?=\S)")

# Outermost first. What is open and of a higher rank is closed by a designator, unless it announces a list.
RANKS = {"I": 0, "A": 1, "1.": 2, "1°": 3, "1)": 3, "a": 4, "i": 5}


@dataclass(slots=True)
class Line:
    """One line (alinéa) of an article, or one table whose rows are the lines of `text`."""

    text: str
    marks: list[Mark] = field(default_factory=list[Mark])
    table: bool = False
    number: int | None = None  # line of the source file


@dataclass(frozen=True, slots=True)
class Token:
    """One reading of a designator: its style (a key of `RANKS`), value and end in the line.

    `value` is (ordinal, suffix, extra letter), so that values compare as the law orders them. `sure` is False
    where the same characters can open ordinary words.
    """

    style: str
    value: tuple[int, int, str]
    number: str
    end: int
    sure: bool
    first: int = 0  # of a range; `value` is its last

    @property
    def starts(self) -> bool:
        """Whether it is the first of a list."""
        return (self.first or self.value[0]) == 1 and self.value[1:] == (0, "")


def is_dash(text: str) -> bool:
    """Whether the line is an item marked by a dash or bullet only."""
    return _DASH.match(text) is not None


def announces(text: str) -> bool:
    """Whether the words leave the reader waiting for a list."""
    return text.rstrip().endswith((":", "—"))


def tokens_at(text: str, position: int = 0) -> tuple[Token, ...]:
    """Every reading of the designator that is at `position`; none where there is none.

    `I.` can be a Roman numeral or the letter after H; which one is decided by what is open.
    """
    return tuple(_readings(text, position))


def _readings(text: str, position: int) -> Iterator[Token]:
    for pattern, style in ((_RANGE, "1°"), (_ROMAN_RANGE, "I")):
        match = pattern.match(text, position)
        if match:
            parts = (match["stem"], match["last"])
            ends = [roman_value(part, MOST_ROMAN) if style == "I" else int(part) for part in parts]
            if ends[0] is not None and ends[1] is not None and ends[0] < ends[1]:
                number = f"{match['stem']}-{match['last']}"
                yield Token(style, (ends[1], 0, ""), number, match.end(), True, ends[0])
                return
    match = _DEGREE.match(text, position)
    if match:
        yield _token(match, "1°", int(match["stem"]), sure=True)
        return
    match = _STEM.match(text, position)
    if match is None:
        return
    stem, sure = match["stem"], match["plain"] is None
    if stem.isdigit():
        if int(stem):
            yield _token(match, "1)" if match["strong"] == ")" else "1.", int(stem), sure=sure)
        return
    roman = roman_value(stem, MOST_ROMAN)
    if stem.isupper():
        if not sure and text[match.end() : match.end() + 1].isdigit():
            return  # "L. 511-4": an article's number, not a designator
        if roman is not None:
            yield _token(match, "I", roman, sure=sure)
        if len(stem) == 1 or stem[0] == stem[1]:
            yield _token(match, "A", _letter(stem), sure=sure)
        return
    if roman is not None and (len(stem) > 1 or stem == "i"):
        yield _token(match, "i", roman, sure=sure)
    if len(stem) == 1 or (len(stem) == 2 and stem[0] == stem[1]):
        yield _token(match, "a", _letter(stem), sure=sure)


def _letter(stem: str) -> int:
    return 26 * (len(stem) - 1) + ord(stem[0].lower()) - ord("a") + 1


def _token(match: re.Match[str], style: str, ordinal: int, *, sure: bool) -> Token:
    suffix, extra = (match["suffix"] or "").strip(), (match["extra"] or "").strip()
    number = " ".join(part for part in (match["stem"], suffix, extra) if part)
    value = (ordinal, SUFFIXES.index(suffix) + 1 if suffix else 0, extra)
    return Token(style, value, number, match.end(), sure)
