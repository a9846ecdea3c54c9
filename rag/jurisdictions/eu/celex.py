"""The CELEX numbers of acts of the European Union, from their kind and their number as it is printed."""

from __future__ import annotations

import re
from datetime import date

ACT_TYPES = {"regulation": "r", "directive": "l", "decision": "d"}
_NUMBER = re.compile(r"(?<![\d/])(\d{1,5})/(\d{1,5})(?![\d])", re.ASCII)
_UNION = 2009  # the first year of acts of "(EU)"


def celex_urn(kind: str, number: str, adopted: date | None = None) -> str:
    """The URN of an act by its kind (`regulation`, `directive`, `decision`) and number, as printed.

    The year stands first in directives and, since 2015, everywhere (2016/679, 95/46/EC); before, regulations had it
    last ((EC) No 765/2008). Empty where the number can be read in two ways that `adopted` does not decide.
    """
    match, kind = _NUMBER.search(number), kind.lower()
    letter = ACT_TYPES.get(kind)
    if match is None or letter is None:
        return ""
    # "No 2015/90" is a number and a year; "(EU) 2015/90" is a year and a number.
    orders = ("last",) if re.search(r"\bNo\b", number) else ("first", "last")
    readings: set[tuple[int, int]] = set()
    for order in orders:
        stated, serial = (match[1], match[2]) if order == "first" else (match[2], match[1])
        year = _year(stated)
        union = year is not None and (year >= _UNION or not re.search(r"\(EU\)|/EU\b", number))
        if year is not None and union and len(serial) < 5 and _is_usual(kind, year, order):
            readings.add((year, int(serial)))
    if len(readings) > 1 and adopted:
        readings = {(year, serial) for year, serial in readings if abs(year - adopted.year) <= 1}
    if len(readings) != 1:
        return ""
    found, running = readings.pop()
    return f"urn:lex:eu:3{found}{letter}{running:04d}"


def _year(text: str) -> int | None:
    year = 1900 + int(text) if len(text) == 2 and int(text) > 51 else int(text)
    return year if 1952 <= year <= 2099 else None


def _is_usual(kind: str, year: int, order: str) -> bool:
    """Whether acts of this kind and year have the year at this place of their number."""
    if kind == "regulation":
        return (order == "first") == (year >= 2015)
    return order == "first" or (kind == "decision" and year < 2015)
