"""Japanese numbers, units, negations and duties in text order: enough to contradict a claim by, and not to prove one.

Words are runs of kanji and katakana; hiragana inflects and joins, and is read only where it denies, allows or obliges.
"""

from __future__ import annotations

import re

from rag.languages.base import Kind, Mark
from rag.languages.ja.script import fold

_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")}
_SCALES = {"十": 10, "百": 100, "千": 1_000}
_TOKEN = re.compile(
    r"""第(?P<reference>[0-9〇一二三四五六七八九十百千]+)(?:条|項|号)(?:の[0-9一二三四五六七八九十]+)?
      | (?P<number>[0-9][0-9,]*(?:\.[0-9]+)?|[〇一二三四五六七八九十百千]+)(?P<scale>[万億])?
        (?P<unit>か月|箇月|ヶ月|カ月|月|日|週間|年|時間|円|歳|分の|パーセント|割|人|回)
      | (?P<obligation>なければならない|なくてはならない|ねばならない|ものとする)
      | (?P<prohibition>てはならない|ことができない|することを得ない|できない)
      | (?P<permission>ことができる|できる)
      | (?P<negation>(?:し|さ|ら|ら?れ|き|え|か|わ|た|ま|ば|が|では|で)?ない(?!し)|(?<=[しせらか])ず|ません)
      | (?P<word>[一-鿿々]+|[ァ-ヶー]{2,})""",
    re.VERBOSE,
)
_UNITS = {"箇月": "か月", "ヶ月": "か月", "カ月": "か月"}
_MOST_DIGITS = 20


def marks(text: str) -> tuple[Mark, ...]:
    """The marks of a text. Never raises; linear time."""
    found: list[Mark] = []
    for match in _TOKEN.finditer(fold(text)):
        kind = match.lastgroup
        if match["reference"]:
            found.append(Mark(Kind.REFERENCE, _value(match["reference"])))
        elif match["number"]:
            scale = {"万": "0000", "億": "00000000"}.get(match["scale"] or "", "")
            found.append(Mark(Kind.NUMBER, _value(match["number"]) + scale))
            found.append(Mark(Kind.UNIT, _UNITS.get(match["unit"], match["unit"])))
        elif kind == "word":
            found.append(Mark(None, match[0]))
        elif kind == "negation":
            found.append(Mark(Kind.NEGATION, "NOT"))
        elif kind is not None:
            found.append(Mark(Kind.MODALITY, kind.upper()))
    return tuple(found)


def _value(number: str) -> str:
    """A number in digits, whether it is written so or in kanji with units."""
    if number[0].isascii():
        return number.replace(",", "")
    if not any(sign in _SCALES for sign in number):
        return "".join(str(_DIGITS[sign]) for sign in number[:_MOST_DIGITS]).lstrip("0") or "0"
    total, digit = 0, 0
    for sign in number[:_MOST_DIGITS]:
        if sign in _SCALES:
            total, digit = total + (digit or 1) * _SCALES[sign], 0
        else:
            digit = _DIGITS[sign]
    return str(total + digit)
