"""French text made comparable: accents, kinds of space and dash, ordinals and dates, with the original's offsets."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from rag.law.patterns import lazy

# Characters without a width of their own: a combining accent, a soft hyphen, a direction mark.
_WEIGHTLESS = lazy("[\u0300-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_FIXED = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u02bc\u2032\u00b4`", "'"),
    **dict.fromkeys("º˚", "°"),
    **dict.fromkeys("«»“”„", '"'),
}


class _Folding(dict[int, int]):
    """Maps a character to the plain one that stands for it; one to one, so that offsets stay."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        plain = _FIXED.get(char, "")
        if not plain:
            base = unicodedata.decomposition(char).split(" ")[0]
            first = chr(int(base, 16)) if base and not base.startswith("<") else ""
            plain = " " if char.isspace() and char != "\n" else first if first.isascii() and first.isalpha() else char
        self[code] = ord(plain)
        return self[code]


_FOLDING = _Folding()


@dataclass(frozen=True, slots=True)
class Folded:
    """A text without accents, with plain spaces, dashes and apostrophes.

    `dropped` are the offsets, into the original, of the weightless characters that `text` lacks.
    """

    text: str
    dropped: tuple[int, ...] = ()

    def original(self, offset: int, *, end: bool = False) -> int:
        """The offset in the original of an offset in `text`; an exclusive `end` keeps what follows it out."""
        if not self.dropped:
            return offset
        if end:
            return self.original(offset - 1) + 1 if offset else 0
        # dropped[i] - i is the folded offset at which the i-th dropped character would stand.
        low, high = 0, len(self.dropped)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.dropped[middle] - middle <= offset else (low, middle)
        return offset + low


def fold(text: str) -> Folded:
    """The text as the French grammar compares it; case is kept, since it tells `I` (a numeral) from `i`."""
    if text.isascii() and "`" not in text and not any(letter in text for letter in "\t\r\f\v\x1c\x1d\x1e\x1f"):
        return Folded(text)
    plain = text.translate(_FOLDING)
    if _WEIGHTLESS.search(plain) is None:
        return Folded(plain)
    dropped = tuple(match.start() for match in _WEIGHTLESS.finditer(plain))
    return Folded(_WEIGHTLESS.sub("", plain), dropped)


_UNITS = ("deuxieme", "troisieme", "quatrieme", "cinquieme", "sixieme", "septieme", "huitieme", "neuvieme")
_TEENS = (
    "dixieme", "onzieme", "douzieme", "treizieme", "quatorzieme", "quinzieme", "seizieme", "dix-septieme",
    "dix-huitieme", "dix-neuvieme",
)  # fmt: skip
_TENS = {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50}


def _ordinals() -> dict[str, int]:
    known = {"premier": 1, "premiere": 1, "second": 2, "seconde": 2}
    known |= {word: value for value, word in enumerate((*_UNITS, *_TEENS), start=2)}
    for ten, value in _TENS.items():
        known[f"{ten.rstrip('e')}ieme"] = value
        known[f"{ten} et unieme"] = known[f"{ten}-et-unieme"] = value + 1
        known |= {f"{ten}-{unit}": value + more for more, unit in enumerate(_UNITS, start=2)}
    return known


ORDINALS = _ordinals()
CARDINALS = {
    word: value
    for value, word in enumerate(
        ["deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"], start=2
    )
}
LAST, LAST_BUT_ONE = -1, -2
_ORDINAL_WORDS = "|".join(sorted(ORDINALS, key=len, reverse=True)).replace(" ", "[ ]")
ORDINAL = (
    rf"(?:(?i:{_ORDINAL_WORDS}|avant-derniere?|penultieme|derniere?)(?![a-z])"
    r"|[0-9]{1,2}\s?(?i:ere?|re|nde?|e|eme|ieme)(?![\w'°]))"
)


def ordinal_value(word: str) -> int:
    """The number of an ordinal (`deuxieme`, `2e`): from 1; LAST and LAST_BUT_ONE count from the end."""
    plain = " ".join(word.lower().split())
    if plain[:1] in "0123456789":
        return int(re.sub("[^0-9].*", "", plain))
    if plain.startswith("derni"):
        return LAST
    return LAST_BUT_ONE if plain.startswith(("avant", "penult")) else ORDINALS[plain]


MONTHS = {
    "janvier": 1, "fevrier": 2, "mars": 3, "avril": 4, "mai": 5, "juin": 6, "juillet": 7, "aout": 8, "septembre": 9,
    "octobre": 10, "novembre": 11, "decembre": 12,
}  # fmt: skip
WRITTEN_DATE = rf"(?:1\s?er|[0-9]{{1,2}})\s{{1,3}}(?i:{'|'.join(MONTHS)})\s{{1,3}}[0-9]{{4}}(?![0-9])"
_WRITTEN = lazy(r"([0-9]{1,2})[a-z ]{1,6}?([a-z]{3,9}) ([0-9]{4})")
_NUMERIC = lazy(r"([0-9]{1,2})[/.]([0-9]{1,2})[/.]([0-9]{4})|([0-9]{4})-([0-9]{2})-([0-9]{2})")


def read_date(text: str) -> date | None:
    """The date written as `15 juin 2015`, `15/06/2015` or `2015-06-15`; None where it is none."""
    plain = " ".join(text.lower().split())
    written = _WRITTEN.fullmatch(plain)
    numeric = _NUMERIC.fullmatch(plain)
    if written is not None:
        day, month, year = int(written[1]), MONTHS.get(written[2], 0), int(written[3])
    elif numeric is not None:
        given = [int(group) for group in numeric.groups() if group]
        day, month, year = given if numeric[1] else (given[2], given[1], given[0])
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None
