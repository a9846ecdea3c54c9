"""Japanese signs, dates and case numbers in one spelling: full width, kanji numerals and eras.

`fold` keeps every offset. Readers return None for what they cannot read.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from rag.jurisdictions.jp.kanji import NUMERAL, era_date, kanji_number, kanji_numeral, western_year

_SPACES = "\u00a0\u3000\u2002\u2003\u2009\t"
_HALF = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_FULL = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_FOLDED = {
    **{0xFF10 + digit: str(digit) for digit in range(10)},
    **{0xFF21 + at: chr(0x41 + at) for at in range(26)},
    **{0xFF41 + at: chr(0x61 + at) for at in range(26)},
    **dict.fromkeys(map(ord, _SPACES), " "),
    **{ord(one): other for one, other in zip("（）〔〕，．･條號", "()(),.・条号", strict=True)},
    **{ord(one): "〜" for one in "～~"},
    **dict(zip(map(ord, _HALF), _FULL, strict=True)),
}  # fmt: skip

ERAS = ("明治", "大正", "昭和", "平成", "令和")
_ERA_NUMBERS = {
    name: at
    for at, names in enumerate((("明治", "明", "M"), ("大正", "大", "T"), ("昭和", "昭", "S"), ("平成", "平", "H"),
                                ("令和", "令", "R")), start=1)
    for name in names
}  # fmt: skip
# First and last day of each era; an era ends on the day the next begins, or the day before. The present one is open.
_SPANS = (
    (date(1868, 1, 25), date(1912, 7, 30)), (date(1912, 7, 30), date(1926, 12, 25)),
    (date(1926, 12, 25), date(1989, 1, 7)), (date(1989, 1, 8), date(2019, 4, 30)), (date(2019, 5, 1), date.max),
)  # fmt: skip
_MAX_YEAR = 99
_ERA = rf"(?P<era>{'|'.join(ERAS)}|[明大昭平令](?=\s?(?:元|{NUMERAL})\s?[年.・/(-])|[MTSHRmtshr](?=\d))"
_ERA_DAY = re.compile(
    rf"{_ERA}\s?(?P<year>元|{NUMERAL})\s?[年.・/-]\s?(?P<month>{NUMERAL})\s?[月.・/-]\s?(?P<day>{NUMERAL})\s?日?"
)
_WESTERN_DAY = re.compile(
    rf"(?P<year>\d{{4}}|[一二][〇零一二三四五六七八九]{{3}})\s?[年.・/-]\s?(?P<month>{NUMERAL})\s?[月.・/-]\s?(?P<day>{NUMERAL})\s?日?"
)
_KANA_MARK = r"[ぁ-んァ-ヶ一-龠]{1,4}"
# A number as courts write it (平成30年(受)第269号) and as their lists do (平成30(受)269).
CASE_NUMBER = (
    rf"{_ERA}\s?(?P<year>元|{NUMERAL})\s?年?\s?\(\s?(?P<mark>{_KANA_MARK})\s?\)\s?第?\s?(?P<number>{NUMERAL})"
    rf"(?:\s?(?P<closed>号)(?:の\d{{1,3}})?)?(?!{NUMERAL})"
)
_CASE_NUMBER = re.compile(CASE_NUMBER)


@dataclass(frozen=True, slots=True)
class CaseNumber:
    """A Japanese case number.

    `era` counts from Meiji (1) to Reiwa (5), `mark` is the court's sign for the kind of case (受, 行ヒ, ワ).
    """

    era: int
    year: int
    mark: str
    number: int

    @property
    def text(self) -> str:
        """The one spelling under which numbers are compared: `平成30年(受)第269号`."""
        return f"{ERAS[self.era - 1]}{self._year}年({self.mark})第{self.number}号"

    @property
    def forms(self) -> tuple[str, ...]:
        """The spellings that publications use, the compared one first."""
        era, mark = ERAS[self.era - 1], self.mark
        year, kanji_year = self._year, "元" if self.year == 1 else kanji_numeral(self.year)
        wide = str.maketrans("0123456789", "０１２３４５６７８９")
        positional = str.maketrans("0123456789", "〇一二三四五六七八九")
        return tuple(dict.fromkeys((
            self.text,
            f"{era}{year}年（{mark}）第{self.number}号",
            f"{era}{year}({mark}){self.number}",
            f"{era}{year.translate(wide)}年（{mark}）第{str(self.number).translate(wide)}号",
            f"{era}{kanji_year}年（{mark}）第{kanji_numeral(self.number)}号",
            f"{era}{year.translate(positional)}年（{mark}）第{str(self.number).translate(positional)}号",
        )))  # fmt: skip

    @property
    def _year(self) -> str:
        return "元" if self.year == 1 else str(self.year)


def fold(text: str) -> str:
    """The text with digits, Latin letters, brackets and spaces in one width, character for character.

    Brackets become `(` and `)`; every offset into the result is one into the text.
    """
    return text.translate(_FOLDED)


def era_number(name: str) -> int | None:
    """1 for Meiji (明治, 明, M) to 5 for Reiwa; None for what is no era."""
    return _ERA_NUMBERS.get(name.upper())


def _year(written: str) -> int | None:
    return 1 if written == "元" else kanji_number(written)


def read_date(text: str) -> date | None:
    """The first full date of a text: 平成三十年五月三十一日, 平30・5・31, H30.5.31, 2018年5月31日, 2018-05-31.

    None where there is none, or where it is no day of the calendar (before 1873 the months are lunar).
    """
    folded = fold(text)
    found = era_date(folded)
    match = _ERA_DAY.search(folded)
    western = _WESTERN_DAY.search(folded)
    if found is not None or (match is None and western is None):
        return found
    if match is not None and (western is None or match.start() <= western.start()):
        era, year = era_number(match["era"]), _year(match["year"])
        first = western_year(era, year) if era is not None and year else None
        return _day(first, match["month"], match["day"])
    if western is None:
        return None
    return _day(kanji_number(western["year"]), western["month"], western["day"])


def _day(year: int | None, month: str, day: str) -> date | None:
    numbers = (kanji_number(month), kanji_number(day))
    if year is None or year < 1873 or None in numbers:
        return None
    try:
        return date(year, numbers[0] or 0, numbers[1] or 0)
    except ValueError:
        return None


def date_forms(day: date) -> tuple[str, ...]:
    """The spellings of a day that publications use, ISO 8601 first; a day at the change of an era has both eras'."""
    forms = [day.isoformat(), f"{day.year}年{day.month}月{day.day}日"]
    for era, (first, last) in enumerate(_SPANS, start=1):
        if not first <= day <= last:
            continue
        year = day.year - western_year(era, 1) + 1
        written = "元" if year == 1 else str(year)
        kanji = "元" if year == 1 else kanji_numeral(year)
        forms.append(f"{ERAS[era - 1]}{written}年{day.month}月{day.day}日")
        forms.append(f"{ERAS[era - 1]}{kanji}年{kanji_numeral(day.month)}月{kanji_numeral(day.day)}日")
    return tuple(forms)


def read_case_number(text: str) -> CaseNumber | None:
    """Read a string that is one case number and nothing else; see `normalise_case_number`."""
    match = _CASE_NUMBER.fullmatch(" ".join(fold(text).split()))
    return None if match is None else case_of(match)


def case_of(match: re.Match[str]) -> CaseNumber | None:
    """The case number that a match of `CASE_NUMBER` holds; None where its year is none of the era."""
    era, year, number = era_number(match["era"]), _year(match["year"]), kanji_number(match["number"])
    if era is None or not year or not number or year > _MAX_YEAR:
        return None
    if western_year(era, year) > _SPANS[era - 1][1].year:
        return None
    return CaseNumber(era, year, match["mark"], number)


def normalise_case_number(text: str) -> str | None:
    """The compared spelling of a case number: `平成三十年（受）第二百六十九号` gives `平成30年(受)第269号`.

    Returns:
        None where the string is no Japanese case number.
    """
    found = read_case_number(unicodedata.normalize("NFC", text))
    return found.text if found else None
