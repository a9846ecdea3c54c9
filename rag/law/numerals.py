"""Numbers in words, as older acts cite: "section twenty-three of this Act"."""

from __future__ import annotations

import re

from rag.law.patterns import lazy

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# A word -> its number, up to 99.
NUMBER_WORDS = dict(zip((*_ONES, *_TEENS), range(1, 20), strict=True)) | {
    f"{ten}{joint}": 10 * count + more
    for count, ten in enumerate(_TENS, start=2)
    for more, joint in enumerate(("", *(f"-{name}" for name in _ONES)))
}
_SMALL = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
WORD_NUMBER = lazy(rf"(?:{_SMALL})(?![\w-])")
SPOKEN = rf"(?:{_SMALL})(?!\w)"  # where a number in words may begin
_HUNDREDS = rf"(?:{_SMALL})\s(?:hundred)(?:\s(?:and\s)?(?:{_SMALL})(?!\s(?:hundred|thousand)|[a-z]))?"
_SPOKEN = lazy(
    rf"(?P<number>(?:{_SMALL})\sthousand(?:,?\s(?:{_HUNDREDS}|(?:and\s)?(?:{_SMALL})(?![a-z])))?|{_HUNDREDS}|(?:{_SMALL}))"
    r"(?:(?P<letters>-[a-z]{1,2})(?!\w)|\s(?-i:(?P<capital>[A-Z])(?![\w’'.-])))?(?![\w-])",
    re.IGNORECASE,
)
_WORD = lazy(rf"(?:{_SMALL}|hundred|thousand)(?![a-z])", re.IGNORECASE)


def spoken_number(text: str, position: int) -> tuple[str, int] | None:
    """Read a number in words with the letters behind it, as New York and Massachusetts cite.

    Returns:
        The number as its section prints it and the offset after it, None where none stands: "eight hundred
        ninety-nine-bb" is `899-bb`, "ninety-three A" `93A`.
    """
    match = _SPOKEN.match(text, position)
    if match is None:
        return None
    total = part = 0
    for word in _WORD.findall(match["number"].lower()):
        if word == "thousand":
            total, part = total + part * 1000, 0
        else:
            part = part * 100 if word == "hundred" else part + NUMBER_WORDS[word]
    return f"{total + part}{(match['letters'] or '').lower()}{match['capital'] or ''}", match.end()
