"""Roman numbers. Pure."""

from __future__ import annotations

_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_STEPS = (
    ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50), ("xl", 40), ("x", 10),
    ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
)  # fmt: skip
_MOST = 3999


def to_roman(value: int) -> str:
    """A number from 1 to 3999 as a Roman one in small letters."""
    out = ""
    for digits, worth in _STEPS:
        count, value = divmod(value, worth)
        out += digits * count
    return out


def roman_value(text: str, most: int = _MOST) -> int | None:
    """The value of a Roman number as it is usually written, in either case; None for anything else or for more."""
    digits = [_DIGITS.get(char, 0) for char in text.lower()]
    if not all(digits):
        return None
    total = sum(-one if one < two else one for one, two in zip(digits, [*digits[1:], 0], strict=False))
    return total if 0 < total <= most and to_roman(total) == text.lower() else None
