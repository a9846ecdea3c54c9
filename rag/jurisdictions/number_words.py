"""Numbers in words, as older acts cite: "section twenty-three of this Act"."""

from __future__ import annotations

import re

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# A word -> its number, up to 99.
NUMBER_WORDS = dict(zip((*_ONES, *_TEENS), range(1, 20), strict=True)) | {
    f"{ten}{joint}": 10 * count + more
    for count, ten in enumerate(_TENS, start=2)
    for more, joint in enumerate(("", *(f"-{one}" for one in _ONES)))
}
WORD_NUMBER = re.compile(rf"(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})(?![\w-])")
