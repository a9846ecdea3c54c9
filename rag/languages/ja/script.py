"""Japanese script: signs in one width, brackets and quotation marks that belong together, numbers in kanji."""

from __future__ import annotations

import re
from bisect import bisect_left

_SPACES = "\u00a0\u3000\u2002\u2003\u2009\t"
_HALF = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_FULL = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_FOLDED = {
    **{0xFF10 + digit: str(digit) for digit in range(10)},
    **{0xFF21 + at: chr(0x41 + at) for at in range(26)},
    **{0xFF41 + at: chr(0x61 + at) for at in range(26)},
    **dict.fromkeys(map(ord, _SPACES), " "),
    **{ord(one): other for one, other in zip("（）〔〕，．･條號", "()(),.・条号", strict=True)},
    **{ord(letter): "〜" for letter in "～~"},
    **dict(zip(map(ord, _HALF), _FULL, strict=True)),
}  # fmt: skip
_BRACKET = re.compile(r"[()「」『』]")
_MYRIAD = 10_000


def fold(text: str) -> str:
    """The text with digits, Latin letters, brackets and spaces in one width, character for character.

    Brackets become `(` and `)`; every offset into the result is one into the text.
    """
    return text.translate(_FOLDED)


class Brackets:
    """Which brackets of a text belong together, and what is in quotation marks. Linear."""

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
        """Whether a place is in quotation marks."""
        index = bisect_left(self._ends, at)
        return index < len(self.quotes) and self.quotes[index][0] < at


def kanji_numeral(number: int) -> str:
    """Write a numeral with units, as statutes print it: 131 is 百三十一.

    Raises:
        ValueError: not between 1 and 99,999,999.
    """
    if not 0 < number < _MYRIAD * _MYRIAD:
        raise ValueError("a numeral is written for 1 to 99,999,999 only")
    high, low = divmod(number, _MYRIAD)
    return (f"{_units(high)}万" if high else "") + _units(low)


def _units(number: int) -> str:
    out = ""
    for size, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, size)
        if digit:
            out += ("" if digit == 1 and sign else "〇一二三四五六七八九"[digit]) + sign
    return out
