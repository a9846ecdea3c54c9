"""Numbers, amounts of money, percentages, durations and dates in a text of law or in a user's words.

The words come from the rooms of the languages (`words.toml`, table `figures`, and the word tables of the operators),
and a number in words is read by the operator reading of its language. Two figures are the same when their values and
units are, however they are written: `$1,200` and `1,200 dollars`, `30` and `thirty`, `1 March 2024` and `2024-03-01`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from rag.languages.base import Kind, WordFile
from rag.languages.operators import read_in
from rag.languages.registry import language_of, primary_language
from rag.languages.text import fold_with_offsets

MAX_DIGITS = 18  # of one figure; nothing that law or a question counts has more
MAX_INPUT = 200  # characters of an input of a computation
_LANGUAGES = ("en", "fr", "de", "ja")
_SYMBOLS = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "%": "percent", "¢": "cent"}
_CODES = {"usd": "dollar", "eur": "euro", "gbp": "pound", "jpy": "yen"}
CURRENCIES = {"dollar": "$", "euro": "€", "pound": "£", "yen": "¥", "franc": ""}
# A unit that is counted in another: `two weeks` is `14 days`. A business day is not a day.
_FACTORS = {
    "week": ("day", Fraction(7)), "quarter": ("month", Fraction(3)), "year": ("month", Fraction(12)),
    "decade": ("month", Fraction(120)), "century": ("month", Fraction(1200)), "minute": ("hour", Fraction(1, 60)),
    "second": ("hour", Fraction(1, 3600)), "penny": ("pound", Fraction(1, 100)),
    "dollar cent": ("dollar", Fraction(1, 100)), "euro cent": ("euro", Fraction(1, 100)),
}  # fmt: skip
BUSINESS_DAYS = frozenset({"business day", "court day", "banking day", "trading day", "weekday with Saturday"})
DURATIONS = frozenset({"day", "month", "hour", "school day"}) | BUSINESS_DAYS


class Amount(NamedTuple):
    """A number with its unit.

    Attributes:
        value: as written, so 5 of `5 percent` and 2 of `two weeks`.
        unit: `dollar`, `day`, `percent` ...; empty for a bare number.
        decimals: how many are written.
        per: the unit of time that it is paid for (`$1,800 a month`); empty where there is none.
    """

    value: Fraction
    unit: str = ""
    decimals: int = 0
    per: str = ""

    @property
    def base(self) -> tuple[Fraction, str]:
        """The value in the unit that others are counted in, and that unit."""
        unit, factor = _FACTORS.get(self.unit, (self.unit, Fraction(1)))
        return self.value * factor, unit


class PartDate(NamedTuple):
    """A day without its year, a month, or a month of a year; None for what is not written."""

    year: int | None
    month: int | None
    day: int | None


class Designator(NamedTuple):
    """The number of a provision: `77` and `1` of `section 77(1)`."""

    atoms: tuple[str, ...]


Value = Amount | date | PartDate | Designator | bool


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a text.

    Attributes:
        start: first character in the text.
        end: one past the last.
        text: `text[start:end]`.
        value: None where it cannot be read, such as a day that the calendar does not have.
        problem: why it cannot be read.
        weak: it may count nothing (`two reasons`, `one`, `in May`); it supports others and need not be supported.
        noun: the next word, in lower case.
        ordinal: whether it is one, such as `second` and `2nd`.
    """

    start: int
    end: int
    text: str
    value: Value | None
    problem: str = ""
    weak: bool = False
    noun: str = ""
    ordinal: bool = False


# --- the words of a language -----------------------------------------------------------------------------------------


class _Plain(dict[int, int]):
    """A character to the plain one that is matched: lower case, Latin letters without accents, plain digits."""

    def __missing__(self, code: int) -> int:
        char = unicodedata.normalize("NFKC", chr(code))
        base = unicodedata.normalize("NFD", char)[0] if len(char) == 1 else chr(code)
        char = base if base.isascii() else char if len(char) == 1 else chr(code)
        digit = unicodedata.decimal(char, None)
        if digit is not None:
            char = str(digit)
        char = "-" if char == "\u2212" else char.lower()
        self[code] = ord(char) if len(char) == 1 else code
        return self[code]


_PLAIN = _Plain()


def plain(text: str) -> str:
    """The text as figures are matched in it; character for character."""
    return text.translate(_PLAIN)


def _either(words: Iterable[str]) -> str:
    """Alternatives of a pattern, longest first; a hyphen stands for a space or a hyphen."""
    known = sorted({plain(word) for word in words if word}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\-", "[ -]?") for word in known) or "(?!)"


@dataclass(frozen=True)
class _Words:
    """What is known of one language. Spellings are plain (see `plain`)."""

    language: str
    printed: tuple[str, ...]  # the months as they are printed
    months: Mapping[str, int]
    units: Mapping[str, str]
    numbers: frozenset[str]
    ordinals: frozenset[str]
    fractions: Mapping[str, Fraction]  # alone (`half`)
    parts: Mapping[str, Fraction]  # after a number (`two thirds`)
    multiples: Mapping[str, int]
    levels: frozenset[str]
    table: Mapping[str, Any]

    def listed(self, name: str) -> list[str]:
        return [plain(word) for word in str(self.table[name]).split()]

    @cached_property
    def unit(self) -> str:
        return _either(self.units)

    def unit_of(self, spelling: str) -> str:
        """The unit of a spelling that matched."""
        return self.units.get(spelling) or self.units.get(re.sub(r"[ -]+", "-", spelling), "")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds every figure; which kind it is tells the group that matched."""
        month = "|".join(
            rf"{name}\.?" for name in sorted(self.month_names, key=lambda name: (-len(name), name))
        ) or "(?!)"  # fmt: skip
        ordinal = {"en": "(?:st|nd|rd|th)?", "fr": "(?:\\ ?er)?", "de": r"\.?"}.get(self.language, "")
        counted = {"en": "st|nd|rd|th", "fr": "er|ere|e|eme", "de": r"\.(?=\ [a-z])"}.get(self.language, "(?!)")
        number = r"\d{1,3}(?:[\ ']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*"
        cardinal, last = _either(self.numbers), _either(self.ordinals)
        joined = {
            "en": r"[\ -]|(?:(?<=hundred)|(?<=thousand)|(?<=million))\ and\ ",
            "fr": r"[\ -]|[\ -]et[\ -](?=un|onze)",
        }.get(self.language, r"\ ")
        words = rf"(?:{cardinal})(?:(?:{joined})(?:{cardinal})(?!\w))*(?:[\ -](?:{last})(?!\w))?|{last}"
        amount = rf"(?:{self.unit}|{month}|per)"
        part = (
            r"(?:[a-z]\.?\ ?)?\d{1,7}(?:[a-z]{1,2}(?![a-z]))?(?:[-.:/*]\d{1,7}[a-z]?(?![a-z]))*(?:\([0-9a-z]{1,5}\))*"
            r"|(?:\([0-9a-z]{1,5}\))+|[ivxlc]{1,6}(?![\w'])"
        )
        designator = rf"(?:{part})(?!\ ?-?{amount}(?!\w))(?![.,]?\d)"
        joint = r"\ ?(?:,|and|or|to|through|bis|und|oder|et|ou|a|-)\ ?"
        return re.compile(
            rf"""(?<!\w) (?:
                (?P<iso>\d{{4}}-\d\d-\d\d(?![\w-]))
              | (?P<day>\d{{1,2}}){ordinal}\ (?:(?:day\ )?of\ )?(?P<day_month>{month})
                (?:,?\ (?P<day_year>\d{{4}})(?!\d))?(?!\w)
              | (?P<month>{month})\ (?P<month_day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w/]|[.,]\d|[\ -]{self.unit}(?!\w))
                (?:,?\ (?P<month_year>\d{{4}})(?!\d))?
              | (?P<whole>{month}),?\ (?P<year>\d{{4}})(?!\d)
              | (?P<alone>{_either(self.months)})(?!\w)
              | (?P<numeric>\d{{1,2}}(?P<dot>[./-])\ ?\d{{1,2}}(?P=dot)\ ?\d{{4}}(?![\w/-]|\.\d)
                  |\d{{1,2}}/\d{{1,2}}/\d\d(?!\w))
              | (?P<code>\d{{1,3}}\ (?:c\.?\ ?f\.?\ ?r\.?|u\.?\ ?s\.?\ ?c\.?)(?:\ ?§§?|\ part|\ section)?\ ?(?:{part}))
              | (?P<level>(?:(?:{_either(self.levels)})s?\.?\ |§§?\ ?)(?:{designator})(?:{joint}(?:{designator}))*)
              | (?P<enum>\(\d{{1,3}}\)(?!\ (?:{self.unit})(?!\w))|\d{{1,3}}°)
              | (?P<sign>-(?=[\d$€£¥]))?(?P<before>(?:us|c|a)?[$€£¥]\ ?|(?:{"|".join(_CODES)})\ )?
                (?:(?P<fraction>(?:\d{{1,9}}\ )?\d{{1,4}}/\d{{1,4}})(?![\d/])
                  |(?P<number>{number})(?P<half>[½¼¾⅓⅔])?(?P<ordinal>{counted})?
                   (?P<scale>[\ -]?(?:{_either(_SCALES[self.language])})\.?(?!\w))?
                  |(?P<sole>[½¼¾⅓⅔])
                  |(?P<words>(?:{words})(?:\ and\ a\ half)?)
                   (?:[\ -](?P<part>{_either(self.parts)})(?!\w))?(?:\ \(\d[\d., ]*\))?
                  |(?P<portion>{_either(self.fractions)})(?!\w)
                  |(?P<single>an?)(?=[\ -](?:{self.unit})(?!\w)(?!\ of\ ))
                  |a\ (?P<share>{_either(self.parts)})(?=\ of\ )
                  |(?P<multiple>{_either(self.multiples)})(?!\w))
                (?:(?:[\ -]{{0,2}}|\ d'|\ de\ |-?-)(?P<unit>{self.unit})(?!\w)
                  (?:\ (?P<kind>{_DAY_KINDS_AFTER})(?!\w))?)?
                (?!\w)
                (?:(?:\ (?:{_either(self.listed("rate"))})\ |/)(?P<per>{self.unit})(?!\w))?
            )""",
            re.VERBOSE,
        )

    @cached_property
    def month_names(self) -> dict[str, int]:
        """Months by their names and by the beginnings that no other month shares, of three to five letters."""
        names = dict(self.months)
        for name, number in self.months.items():
            for size in range(3, min(6, len(name))):
                if sum(other.startswith(name[:size]) for other in self.months) == 1:
                    names.setdefault(name[:size], number)
        return names


# French names the kind of a day after it: `jours ouvrables`.
_DAY_KINDS_AFTER = "ouvrables?|ouvres?|francs?|calendaires?"
_SCALES: dict[str, dict[str, int]] = {
    "en": {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9},
    "de": {"million": 10**6, "millionen": 10**6, "mio": 10**6, "milliarde": 10**9, "milliarden": 10**9, "mrd": 10**9},
    "fr": {"million": 10**6, "millions": 10**6, "milliard": 10**9, "milliards": 10**9},
    "ja": {},
}  # fmt: skip
_VULGAR = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)}


@cache
def _words(language: str) -> _Words:
    """The words of one of this project's own languages; those of English for another."""
    known = language if language in _LANGUAGES else "en"
    table = WordFile(f"rag.languages.{known}.language").table("figures")
    printed: tuple[str, ...] = ()
    units: dict[str, str] = {}
    numbers: set[str] = set()
    levels: set[str] = set()
    parts: Mapping[str, int] = {}
    ordinals: frozenset[str] = frozenset()
    if known == "en":
        from rag.languages.en import operator_words as english

        printed = tuple(name.title() for name in english.MONTHS)
        units = {word: line.split()[0] for line in english.UNITS.strip().splitlines() for word in line.split()}
        units.pop("second")  # the ordinal
        numbers = {*english.CARDINALS.split(), *english.TENS.split(), *english.SCALES}
        ordinals = frozenset(english.ORDINALS.split())
        parts = english.FRACTIONS
        levels = set(english.NUMBERED_LEVELS.split())
    elif (lexicon := language_of(known).lexicon) is not None:
        words = lexicon()
        printed = tuple(str(table["months"]).split())
        units = dict(words.units)
        numbers = {*words.numbers, *words.scales, *words.one_before_unit}
        ordinals = frozenset(map(plain, words.ordinals))
        levels = {word for word in words.references if word[0] != "§"}
    own = {str(names).split()[0].casefold(): unit for unit, names in table["names"].items()}
    units = {word: own.get(unit, unit) for word, unit in units.items()}
    named = {word.casefold(): unit for unit, names in table["names"].items() for word in str(names).split()}
    units = (
        named
        | units
        | {word: unit for unit, spellings in table["spellings"].items() for word in str(spellings).split()}
    )
    fractions = {plain(word): Fraction(str(value)) for word, value in table["fractions"].items()}
    return _Words(
        language=known,
        printed=printed,
        months={plain(name): number for number, name in enumerate(printed, start=1)},
        units={plain(word): unit for word, unit in units.items()} | _SYMBOLS | _CODES,
        numbers=frozenset(map(plain, numbers)),
        ordinals=ordinals,
        fractions=fractions,
        parts=fractions | {plain(word): Fraction(1, count) for word, count in parts.items()},
        multiples={plain(word): int(value) for word, value in table["multiples"].items()},
        levels=frozenset({*map(plain, levels), *map(plain, str(table["levels"]).split())}),
        table=table,
    )  # fmt: skip


@cache
def unit_names(language: str) -> Mapping[str, str]:
    """What units are called beside a number other than one, by their names beside one in small letters: `tag` Tage."""
    if language not in _LANGUAGES:
        return {}
    table = WordFile(f"rag.languages.{language}.language").table("figures")
    named = (str(names).split() for names in table["names"].values())
    return {one.casefold(): several for one, several in named}


# --- reading ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def read_figures(text: str, language: str, jurisdiction: str = "") -> tuple[Figure, ...]:
    """The figures of a text in its order. Never raises; linear time.

    Args:
        text: one or more sentences.
        language: ISO 639-1 code; a language that is not known is read as English.
        jurisdiction: its code. It says which comes first in `3/1/2024`, and whose cents are meant.
    """
    code = primary_language(language)
    folded = fold_with_offsets(text)
    matched = plain(folded.text)
    reader = _Reader(_words(code), matched, folded.text, jurisdiction)
    found = _read_japanese(matched) if code == "ja" else reader.run()
    out: list[Figure] = []
    for figure in found:
        start, end = folded.source_start(figure.start), folded.source_end(figure.end - 1)
        out.append(replace(figure, start=start, end=end, text=text[start:end]))
    return tuple(out)


class _Unreadable(Exception):
    """A figure is written that has no value; the message says why."""


class _Reader:
    """One pass over a text; offsets are into the folded text."""

    def __init__(self, words: _Words, text: str, cased: str, jurisdiction: str) -> None:
        self.words = words
        self.text = text
        self.cased = cased
        self.jurisdiction = jurisdiction

    def run(self) -> list[Figure]:
        out: list[Figure] = []
        position = 0
        while match := self.words.pattern.search(self.text, position):
            if self.is_other(match):
                first = re.compile(r"\W*\w+|\W+").match(self.text, match.start())
                position = first.end() if first else match.end()
                continue
            position = max(match.end(), match.start() + 1)
            figure = self.figure(match)
            if figure is not None:
                out.append(figure)
        return out

    def is_other(self, match: re.Match[str]) -> bool:
        """Whether the words are no figure: `may` the verb, `part I` of "for my part I did"."""
        name = match["day_month"] or match["month"] or match["whole"] or match["alone"]
        if name is not None and self.words.language == "en":
            start = match.start(next(key for key in ("day_month", "month", "whole", "alone") if match[key] is not None))
            if not self.cased[start].isupper():
                return True
            if match["alone"] in {"may", "march"}:
                before = self.text[:start].split()[-1:] if start < 2_000 else self.text[start - 40 : start].split()[-1:]
                return not (before and before[0] in self.words.listed("before_month"))
        if match["level"] is not None:
            numeral = re.search(r"(?<!\w)[ivxlc]{1,6}\Z", self.cased[match.start() : match.end()].lower())
            title = self.cased[match.start()].isupper() or (numeral is not None and len(numeral[0]) > 1)
            return numeral is not None and not (title and self.cased[match.end() - 1].isupper())
        return False

    def figure(self, match: re.Match[str]) -> Figure | None:
        """The figure that a match is; None where it counts nothing."""
        value, problem, weak = None, "", False
        after = re.compile(r"[ -]?([^\W\d_]+)").match(self.text, match.end())
        noun = after[1] if after is not None else ""
        try:
            value, weak = self.value(match)
        except _Unreadable as error:
            problem = str(error)
        if value is None and not problem:
            return None
        # `four times that` counts nothing of the text's own.
        weak = weak and noun not in self.words.listed("factor")
        last = re.split(r"[ -]", match["words"] or "")[-1]
        ordinal = match["ordinal"] is not None or last in self.words.ordinals
        return Figure(match.start(), match.end(), "", value, problem, weak, noun, ordinal)

    def value(self, match: re.Match[str]) -> tuple[Value | None, bool]:
        """The value, and whether it is weak.

        Raises:
            _Unreadable: it has none.
        """
        months = self.words.month_names
        if match["iso"]:
            year, month, day = match["iso"].split("-")
            return _day(int(year), int(month), int(day)), False
        if match["day"]:
            return self.dated(match["day_year"], months[match["day_month"].rstrip(".")], match["day"]), False
        if match["month"]:
            return self.dated(match["month_year"], months[match["month"].rstrip(".")], match["month_day"]), False
        if match["whole"]:
            return PartDate(int(match["year"]), months[match["whole"].rstrip(".")], None), False
        if match["alone"]:
            return PartDate(None, months[match["alone"]], None), True
        if match["numeric"]:
            return self.numeric(match["numeric"]), False
        if match["code"] or match["level"] or match["enum"]:
            return _designator(match[0], bare=match["level"] is None), match["enum"] is not None
        return self.amount(match)

    def dated(self, year: str | None, month: int, day: str) -> date | PartDate:
        """A day with or without its year."""
        if year is not None:
            return _day(int(year), month, int(day))
        _day(2000, month, int(day))
        return PartDate(None, month, int(day))

    def numeric(self, text: str) -> date:
        """`3/1/2024` by the order of the country or the language; unreadable where neither says it."""
        first, second, year = (int(part) for part in re.split(r"[./-]\ ?", text))
        if year < 1000:
            raise _Unreadable("a year is written with four digits")
        country = self.jurisdiction.partition("-")[0].lower()
        if country == "us" and "/" in text:
            return _day(year, first, second)
        if country not in {"", "us"} or self.words.language != "en" or first > 12:
            return _day(year, second, first)
        if second > 12 or first == second:
            return _day(year, first, second)
        raise _Unreadable("day and month cannot be told apart; write 1 March 2024 or 2024-03-01")

    def amount(self, match: re.Match[str]) -> tuple[Amount | None, bool]:
        """A number with its unit, and whether it is weak."""
        value, decimals, spelt = self.number(match)
        before, unit = match["before"], self.unit(match)
        if before is not None:
            symbol = before.strip()
            unit = unit if unit and unit not in CURRENCIES else _CODES.get(symbol) or _SYMBOLS[symbol[-1]]
        if match["sign"]:
            value = -value
        per = self.words.unit_of(match["per"]) if match["per"] else ""
        if spelt and not unit:
            if value == 1 and not match["part"]:
                return None, False
            small = spelt == "ordinal" or value <= _MAX_COUNT or match[0] in self.words.listed("ambiguous")
            return Amount(value, "", decimals, per), small and not match["part"]
        return Amount(value, unit, decimals, per), spelt in {"ordinal", "single"}

    def unit(self, match: re.Match[str]) -> str:
        """The unit, in the one spelling under which it is compared."""
        if match["unit"] is None:
            return ""
        unit = self.words.unit_of(match["unit"])
        if unit == "cent":
            unit = f"{'dollar' if self.jurisdiction[:2] == 'us' or self.words.language == 'en' else 'euro'} cent"
        kind = match["kind"] or ""
        if kind and unit == "day":
            return "weekday with Saturday" if kind.startswith("ouvrab") else "business day" if kind[0] == "o" else "day"
        return unit

    def number(self, match: re.Match[str]) -> tuple[Fraction, int, str]:
        """The value, the decimals that are written, and how it is spelt: in words, as an ordinal in words, or not."""
        if match["number"]:
            value, decimals = _decimal(match["number"], self.words.language)
            value += _VULGAR.get(match["half"] or "", Fraction(0))
            scale = re.sub(r"[^a-z]", "", match["scale"] or "")
            return value * _SCALES[self.words.language].get(scale, 1), 0 if scale else decimals, ""
        if match["fraction"]:
            whole, _, rest = match["fraction"].rpartition(" ")
            top, bottom = (int(item) for item in rest.split("/"))
            if not bottom:
                raise _Unreadable("a fraction is divided by zero")
            return Fraction(int(whole or 0)) + Fraction(top, bottom), 0, ""
        if match["sole"]:
            return _VULGAR[match["sole"]], 0, ""
        if match["portion"]:
            spelt = "words" if match["portion"] in self.words.listed("ambiguous") else ""  # `le tiers` is a third party
            return self.words.fractions[match["portion"]], 0, spelt
        if match["single"]:
            return Fraction(1), 0, "single"
        if match["share"]:
            return self.words.parts[match["share"]], 0, ""
        if match["multiple"]:
            return Fraction(self.words.multiples[match["multiple"]]), 0, ""
        return self.spelt(match["words"], match["part"])

    def spelt(self, words: str, part: str | None) -> tuple[Fraction, int, str]:
        """A number in words, which the operator reading of the language reads."""
        half = words.endswith(" and a half")
        numbers = _spoken(self.words.language, words.removesuffix(" and a half"))
        if not numbers:
            raise _Unreadable("a number in words that cannot be read")
        value = Fraction(numbers.lstrip("#x"))
        if part is not None:
            value *= self.words.parts[part]
        return value + (Fraction(1, 2) if half else 0), 0, "ordinal" if numbers[0] == "#" else "words"


_MAX_COUNT = 12  # a number in words up to this, without a unit, often counts what the text itself says: `three reasons`


@lru_cache(maxsize=1024)
def _spoken(language: str, words: str) -> str:
    """One number in words as the operator reading has it; empty where it is not one number."""
    if language != "en":
        accented = _accented(language)
        words = " ".join(accented.get(word, word) for word in words.split())
        # `un` counts for the reading only before a unit.
        words += {"fr": " jours", "de": " tage"}[language]
    numbers = read_in(language, words).sequence(Kind.NUMBER)
    return numbers[0] if len(numbers) == 1 else ""


@cache
def _accented(language: str) -> dict[str, str]:
    """Plain spellings of number words and the ones that the word tables have."""
    lexicon = language_of(language).lexicon
    if lexicon is None:
        return {}
    words = lexicon()
    return {plain(word): word for word in (*words.numbers, *words.scales, *words.ordinals)}


def _day(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise _Unreadable("the calendar has no such day") from None


def _decimal(written: str, language: str) -> tuple[Fraction, int]:
    """A number in digits and its decimals: `1,200.50` in English, `1.200,50` in German, `1 200,50` in French."""
    text = written.replace(" ", "").replace("'", "")
    if sum(char.isdigit() for char in text) > MAX_DIGITS:
        raise _Unreadable(f"a number of more than {MAX_DIGITS} digits")
    group, point = (",", ".") if language in {"en", "ja"} else (".", ",")
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+(?:{re.escape(point)}\d+)?", text):
        text = text.replace(group, "")
    elif language in {"de", "fr"} and text.count(".") == 1 and "," not in text:
        point = "."  # `2.50`, which is no grouping
    whole, _, rest = text.partition(point)
    if not whole.isdigit() or (rest and not rest.isdigit()):
        raise _Unreadable("digits with commas or points that make no number")
    return Fraction(f"{whole}.{rest}" if rest else whole), len(rest)


def _designator(text: str, *, bare: bool) -> Designator:
    """The designators that a reference names; `bare` without a word before them (`(2)`, `11 CFR 100.5`)."""
    if bare:
        text = re.sub(r"[cfrus][.]?[ ]?(?=[cfrus. §])", "", text)
    if not bare:
        text = re.sub(r"\A[^\W\d_]+\.?\ (?=.*[\divxlc(])", "", text)
    atoms = re.findall(
        r"\d+(?:[-.:*/]\d+)*[a-z]{0,2}|(?<=\()[a-z]{1,5}(?=\))|(?<![a-z])(?:[ivxlc]{1,6}|[lrd](?=\.))(?![a-z])", text
    )
    return Designator(tuple(atoms))


@cache
def _japanese() -> re.Pattern[str]:
    from rag.jurisdictions.jp import kanji  # loads the words of Japanese, which other figures need not

    units = "|".join(sorted(map(re.escape, _words("ja").units), key=lambda unit: (-len(unit), unit)))
    # Bounded, and from the beginning of a run of them only: a long run is read once.
    numeral = kanji.NUMERAL.removesuffix("+") + "{1,20}"
    return re.compile(
        rf"""(?<!{numeral.removesuffix("{1,20}")}) (?:
            (?P<date>(?:(?:明治|大正|昭和|平成|令和)(?:元|{numeral})|\d{{4}}|[一二][〇零一二三四五六七八九]{{3}})年
              {numeral}月{numeral}日|\d{{4}}-\d\d-\d\d(?!\d))
          | (?P<level>第{numeral}[条項号編章節款](?:の{numeral})*)
          | (?P<month>{numeral})月(?P<day>{numeral})日
          | (?P<bottom>{numeral})分の(?P<top>{numeral})
          | (?P<before>[¥$€£])?(?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)
            (?P<scale>[万億])?(?P<unit>{units})?
          | (?P<kanji>{numeral})(?P<counted>{units})
        )""",
        re.VERBOSE,
    )


def _read_japanese(text: str) -> list[Figure]:
    """The figures of a Japanese text; kanji count only where a unit follows (一般 is no number)."""
    out: list[Figure] = []
    for match in _japanese().finditer(text):
        value, problem = None, ""
        try:
            value = _japanese_value(match)
        except _Unreadable as error:
            problem = str(error)
        out.append(Figure(match.start(), match.end(), "", value, problem))
    return out


def _japanese_value(match: re.Match[str]) -> Value:
    from rag.jurisdictions.jp import kanji

    if match["date"]:
        found = kanji.read_date(match["date"])
        if found is None:
            raise _Unreadable("the calendar has no such day")
        return found
    if match["level"]:
        return Designator(tuple(str(_kanji(entry)) for entry in re.findall(kanji.NUMERAL, match["level"])))
    if match["month"]:
        month, day = _kanji(match["month"]), _kanji(match["day"])
        _day(2000, month, day)
        return PartDate(None, month, day)
    if match["bottom"]:
        return Amount(Fraction(_kanji(match["top"]), _kanji(match["bottom"])))
    units = _words("ja").units
    if match["kanji"]:
        return Amount(Fraction(_kanji(match["kanji"])), units[match["counted"]])
    value, decimals = _decimal(match["number"], "ja")
    value *= {"万": 10**4, "億": 10**8}.get(match["scale"] or "", 1)
    return Amount(value, units[match["unit"]] if match["unit"] else _SYMBOLS.get(match["before"] or "", ""), decimals)


def _kanji(text: str) -> int:
    from rag.jurisdictions.jp.kanji import kanji_number

    number = kanji_number(text)
    if not number:
        raise _Unreadable("a number in kanji that cannot be read")
    return number


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What a string has that holds no single value: `problem` says what is wrong with it."""

    problem: str


def read_value(text: str, language: str, jurisdiction: str = "") -> Amount | date | bool | Unreadable:
    """The one value of an input or a result of a computation.

    Args:
        text: `$1,200`, `45 days`, `one half`, `le 1er mars 2024`, `true`; other words beside the figure do not count.
        language: see `read_figures`.
        jurisdiction: see `read_figures`.
    """
    if len(text) > MAX_INPUT:
        return Unreadable(f"longer than {MAX_INPUT} characters")
    words = _words(primary_language(language))
    bare = plain(text.strip().rstrip("."))
    for value, name in ((True, "true"), (False, "false")):
        if bare in words.listed(name) or bare in _words("en").listed(name):
            return value
    figures = [
        figure for figure in read_figures(text, language, jurisdiction) if not isinstance(figure.value, Designator)
    ]
    if bare in words.numbers | words.ordinals and (number := _spoken(words.language, bare)):
        return Amount(Fraction(number.lstrip("#x")))  # `one` as well, which counts nothing in a text
    if len(figures) != 1:
        return Unreadable("no number, date or amount" if not figures else "more than one number, date or amount")
    value = figures[0].value
    if isinstance(value, PartDate):
        return Unreadable("a date without its year" if value.year is None else "a month, not a day")
    if value is None or isinstance(value, Designator):
        return Unreadable(figures[0].problem)
    return value


# --- comparing and writing -------------------------------------------------------------------------------------------


Key = tuple[Hashable, ...]


def offered(value: Value) -> Iterator[Key]:
    """The keys under which figures are found that are the same as a value, or a part of its date."""
    if isinstance(value, (bool, Designator)):
        return
    if isinstance(value, Amount):
        yield ("number", value.value)
        yield ("united" if value.unit else "bare", value.value)
        if value.unit in {"", "percent"}:  # `one half` is `50 percent`
            share = value.value / 100 if value.unit else value.value
            yield ("number", share)
            yield ("base", share * 100, "percent")
        if value.unit:
            yield ("base", *value.base)
        return
    year, month, day = value.year, value.month, value.day
    if year is not None:
        yield ("year", Fraction(year))
    for key in ((year, month, day), (None, month, day), (year, month, None), (None, month, None)):
        yield ("date", *key)


def with_year(figure: PartDate, at_date: date) -> Iterator[date]:
    """The days that a day without its year can be: its last occurrence up to a date, and its next."""
    if figure.month is None or figure.day is None or figure.year is not None:
        return
    days: list[date] = []
    for year in range(max(at_date.year - 8, 1), min(at_date.year + 8, 9999) + 1):
        with suppress(ValueError):
            days.append(date(year, figure.month, figure.day))
    yield from [day for day in days if day <= at_date][-1:]
    yield from [day for day in days if day > at_date][:1]


def found_key(known: Container[Key], figure: Value) -> Key | None:
    """The key under which a figure is among others (see `offered`); None where it is not.

    A unit that only one of two figures has is no difference (`19` of a computation is `19 months` in the text), but a
    number that has another unit there is another figure.
    """
    keys: list[Key] = []
    if isinstance(figure, Amount) and figure.unit:
        keys = [("base", *figure.base)]
        if ("united", figure.value) not in known:
            keys.append(("bare", figure.value))
    elif isinstance(figure, Amount):
        keys = [("number", figure.value), ("year", figure.value)]
    elif isinstance(figure, (date, PartDate)):
        keys = [("date", figure.year, figure.month, figure.day)]
    return next((key for key in keys if key in known), None)


def write(value: Amount | date | bool, language: str) -> str:
    """A value in the way of its language: `$1,200`, `1.200 Euro`, `45 days`, `1er mars 2024`."""
    words = _words(primary_language(language))
    if isinstance(value, bool):
        return str(words.table["true" if value else "false"]).split()[0]
    if isinstance(value, date):
        return _written_date(value, words)
    if value.unit in {"penny", "dollar cent", "euro cent"}:
        base, unit = value.base
        value = Amount(base, unit)
    number = _written_number(value.value, words.language, money=value.unit in CURRENCIES)
    sign = CURRENCIES.get(value.unit, "")
    if sign and words.language in {"en", "ja"}:
        return f"-{sign}{number[1:]}" if number[0] == "-" else f"{sign}{number}"
    if not value.unit:
        return number
    names = str(words.table["names"].get(value.unit, "")).split() or [value.unit, f"{value.unit}s"]
    one, several = (name.replace("-", " ") for name in names)
    name = one if abs(value.value) == 1 and value.unit != "percent" else several
    return f"{number} {name}"


def _written_date(value: date, words: _Words) -> str:
    if words.language == "ja":
        return f"{value.year}年{value.month}月{value.day}日"
    day = (
        f"{value.day}." if words.language == "de" else "1er" if (words.language, value.day) == ("fr", 1) else value.day
    )
    return f"{day} {words.printed[value.month - 1]} {value.year}"


def _written_number(value: Fraction, language: str, *, money: bool) -> str:
    if abs(value) < 1 and not money and (value * 10**6).denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    exact = next((size for size in range(7) if (value * 10**size).denominator == 1), 2)
    decimals = 2 if money and exact else exact
    scaled = abs(round(value * 10**decimals))
    whole, rest = divmod(scaled, 10**decimals)
    group, point = {"de": (".", ","), "fr": (" ", ",")}.get(language, (",", "."))
    text = f"{whole:,}".replace(",", group) + (f"{point}{rest:0{decimals}d}" if decimals else "")
    return f"-{text}" if value < 0 and scaled else text
