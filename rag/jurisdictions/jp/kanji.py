"""Japanese numbering: kanji numerals, branch numbers, kana designators, dates, law numbers and case numbers.

Readers return None for what they cannot read: the caller decides what that means for its source.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from rag.languages.ja.script import fold
from rag.languages.ja.script import kanji_numeral as kanji_numeral
from rag.law.patterns import lazy

_DIGITS = {
    char: value
    for value, chars in enumerate(("〇零", "一壱", "二弐", "三参", "四", "五", "六", "七", "八", "九"))
    for char in chars
}
_UNITS = {"十": 10, "拾": 10, "百": 100, "千": 1000}
_MYRIAD = 10_000
_KANJI = "".join((*_DIGITS, *_UNITS, "万"))
# The numeral in any of its spellings, after NFKC.
NUMERAL = rf"[0-9{_KANJI}]+"

# Items follow the order イ, ロ, ハ or the order ア, イ, ウ; both use these signs.
_KANA = {
    "イ": "i", "ロ": "ro", "ハ": "ha", "ニ": "ni", "ホ": "ho", "ヘ": "he", "ト": "to", "チ": "chi", "リ": "ri",
    "ヌ": "nu", "ル": "ru", "ヲ": "wo", "ワ": "wa", "カ": "ka", "ヨ": "yo", "タ": "ta", "レ": "re", "ソ": "so",
    "ツ": "tsu", "ネ": "ne", "ナ": "na", "ラ": "ra", "ム": "mu", "ウ": "u", "ヰ": "wi", "ノ": "no", "オ": "o",
    "ク": "ku", "ヤ": "ya", "マ": "ma", "ケ": "ke", "フ": "fu", "コ": "ko", "エ": "e", "テ": "te", "ア": "a",
    "サ": "sa", "キ": "ki", "ユ": "yu", "メ": "me", "ミ": "mi", "シ": "shi", "ヱ": "we", "ヒ": "hi", "モ": "mo",
    "セ": "se", "ス": "su", "ン": "n",
}  # fmt: skip
_BRANCHES = lazy(rf"({NUMERAL}|[{''.join(_KANA)}]|[a-z]{{1,6}})((?:の{NUMERAL})*)\Z")
_ARTICLE = lazy(rf"第({NUMERAL})[条條]((?:の{NUMERAL})*)")
_OUTER = lazy(r"[\s()（）〔〕［］\[\].．、，,]+")

_ERAS = {"明治": 1, "大正": 2, "昭和": 3, "平成": 4, "令和": 5}
_FIRST_YEARS = {1: 1868, 2: 1912, 3: 1926, 4: 1989, 5: 2019}
ERA_NAMES = {"Meiji": 1, "Taisho": 2, "Showa": 3, "Heisei": 4, "Reiwa": 5}
# Before 1873 the months are those of the lunar calendar.
_FIRST_SOLAR_YEAR = 1873
_ERA_DATE = lazy(rf"({'|'.join(_ERAS)})(元|{NUMERAL})年(?:({NUMERAL})月(?:({NUMERAL})日)?)?")
_LAW_NUMBER = lazy(rf"{_ERA_DATE.pattern}([^第]*?)(?:第({NUMERAL})号)?\Z")
_DASH = lazy("[-―—‐–]")
_NAME_NUMBER = lazy(rf"{NUMERAL}(?:{_DASH.pattern}{NUMERAL})*\Z")
_LAW_KINDS = (
    ("憲法", "CONSTITUTION"), ("法律", "AC"), ("政令", "CO"), ("勅令", "IO"), ("太政官布告", "DF"), ("太政官達", "DT"),
    ("太政官布達", "DH"), ("人事院規則", "RJNJ"), ("内閣総理大臣決定", "RPMD"), ("規則", "R"), ("令", "M"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LawNumber:
    """A law number in words (昭和二十七年法律第二百三十一号).

    `era` counts from Meiji (1) to Reiwa (5), `year` is of that era, `kind` is the code that law ids use (`AC`, `CO`,
    `IO`, `M`, `R` ...), `number` is None where the law has none, `promulgated` where the words give no full date.
    `name_number` is what rules of the National Personnel Authority are numbered by (九―二四 is `9-24`).
    """

    era: int
    year: int
    kind: str
    number: int | None
    promulgated: date | None
    name_number: str = ""

    @property
    def slug(self) -> str:
        """The number as one URN segment: `327ac231`."""
        number = self.name_number if self.number is None else str(self.number)
        return f"{self.era}{self.year:02d}{self.kind.lower()}{number}"


def kanji_number(text: str) -> int | None:
    """Read a numeral: positional (一三一), with units (百三十一), or digits of any width; None where it is none."""
    text = unicodedata.normalize("NFKC", text).strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    if not text or len(text) > 20 or any(char not in _KANJI for char in text):
        return None
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    head, myriad, tail = text.rpartition("万")
    if not myriad:
        return _below_myriad(tail)
    high, low = _below_myriad(head), _below_myriad(tail) if tail else 0
    return None if high is None or low is None else high * _MYRIAD + low


def _below_myriad(text: str) -> int | None:
    total, digit, last = 0, 0, _MYRIAD
    for char in text:
        if char in _UNITS:
            unit = _UNITS[char]
            if unit >= last:
                return None  # units must fall: 十百 is no numeral
            total, digit, last = total + (digit or 1) * unit, 0, unit
        elif char in _DIGITS and not digit and _DIGITS[char]:
            digit = _DIGITS[char]
        else:
            return None
    return total + digit or None


def designator(printed: str) -> str | None:
    """Read the designator of a paragraph, an item or an item below it as a URN segment.

    `九の二` is `9-2`, `イ` is `i`, `ロの三` is `ro-3`, `（１）` and `①` are `1`, `（ⅱ）` is `ii`, `Ａ` is `a`.
    None where it is empty or of another kind (甲, a range).
    """
    text = _OUTER.sub("", unicodedata.normalize("NFKC", printed)).lower()
    if text.startswith("第"):
        text = text[1:].replace("号", "", 1)
    match = _BRANCHES.match(text)
    if match is None:
        return None
    number = kanji_number(match[1])
    first = str(number) if number is not None else _KANA.get(match[1], match[1])
    return _with_branches(first, match[2]) if first.isascii() else None


def article_designators(printed: str) -> list[str]:
    """Every article that a title names: 第百三十一条の二の七 gives `131-2-7`, 第三条及び第四条 gives `3` and `4`."""
    text = unicodedata.normalize("NFKC", printed)
    found = ((kanji_number(one), branches) for one, branches in _ARTICLE.findall(text))
    read = [_with_branches(str(number), branches) for number, branches in found if number is not None]
    return [text for text in read if text is not None]


def _with_branches(first: str, branches: str) -> str | None:
    numbers = [kanji_number(item) for item in branches.split("の")[1:]]
    return None if None in numbers else "-".join((first, *map(str, numbers)))


def era_date(text: str) -> date | None:
    """The first full date of the words (昭和二七年七月三一日, 令和元年六月一九日) in our calendar.

    None where there is none, where it is impossible, or where it is of the lunar calendar (before 1873).
    """
    match = _ERA_DATE.search(unicodedata.normalize("NFKC", text))
    return _date(match) if match else None


def _date(match: re.Match[str]) -> date | None:
    era, year = _ERAS[match[1]], _year(match[2])
    if year is None or not match[3] or not match[4]:
        return None
    return _solar(western_year(era, year), match[3], match[4])


def _year(text: str) -> int | None:
    return 1 if text == "元" else kanji_number(text)


def western_year(era: int, year: int) -> int:
    """The year of our calendar: Showa (3) 27 is 1952."""
    return _FIRST_YEARS[era] + year - 1


def law_number(text: str) -> LawNumber | None:
    """Read a law number with or without the day of promulgation; None where it is not one of a known kind."""
    match = _LAW_NUMBER.match(re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)))
    if match is None:
        return None
    year = _year(match[2])
    # 人事院規則九―二四 has its number in the name, without 第 and 号.
    numbered = _NAME_NUMBER.search(match[5])
    name = match[5][: numbered.start()] if numbered else match[5]
    kind = next((code for ending, code in _LAW_KINDS if name.endswith(ending)), None)
    if year is None or kind is None or not 0 < year < 100:
        return None
    parts = [kanji_number(part) for part in _DASH.split(numbered[0])] if numbered else []
    return LawNumber(
        _ERAS[match[1]], year, kind, kanji_number(match[6]) if match[6] else None, _date(match),
        "-".join(str(part) for part in parts if part is not None),
    )  # fmt: skip


# Dates and case numbers in one spelling.

ERAS = ("明治", "大正", "昭和", "平成", "令和")
_ERA_NUMBERS = {
    name: at
    for at, names in enumerate((("明治", "明", "M"), ("大正", "大", "T"), ("昭和", "昭", "S"), ("平成", "平", "H"),
                                ("令和", "令", "R")), start=1)
    for name in names
}  # fmt: skip
_LAST_YEARS = (1912, 1926, 1989, 2019, 9999)  # of each era
_MAX_YEAR = 99
_ERA = rf"(?P<era>{'|'.join(ERAS)}|[明大昭平令](?=\s?(?:元|{NUMERAL})\s?[年.・/(-])|[MTSHRmtshr](?=\d))"
_ERA_DAY = lazy(
    rf"{_ERA}\s?(?P<year>元|{NUMERAL})\s?[年.・/-]\s?(?P<month>{NUMERAL})\s?[月.・/-]\s?(?P<day>{NUMERAL})\s?日?"
)
_WESTERN_DAY = lazy(
    rf"(?P<year>\d{{4}}|[一二][〇零一二三四五六七八九]{{3}})\s?[年.・/-]\s?(?P<month>{NUMERAL})\s?[月.・/-]\s?(?P<day>{NUMERAL})\s?日?"
)
_KANA_MARK = r"[ぁ-んァ-ヶ一-龠]{1,4}"
# A number as courts write it (平成30年(受)第269号) and as their lists do (平成30(受)269).
CASE_NUMBER = (
    rf"{_ERA}\s?(?P<year>元|{NUMERAL})\s?年?\s?\(\s?(?P<mark>{_KANA_MARK})\s?\)\s?第?\s?(?P<number>{NUMERAL})"
    rf"(?:\s?(?P<closed>号)(?:の\d{{1,3}})?)?(?!{NUMERAL})"
)


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
        era, year = _ERA_NUMBERS.get(match["era"].upper()), _year(match["year"])
        first = western_year(era, year) if era is not None and year else None
        return _solar(first, match["month"], match["day"])
    if western is None:
        return None
    return _solar(kanji_number(western["year"]), western["month"], western["day"])


def _solar(year: int | None, month: str, day: str) -> date | None:
    numbers = (kanji_number(month), kanji_number(day))
    if year is None or year < _FIRST_SOLAR_YEAR or None in numbers:
        return None
    try:
        return date(year, numbers[0] or 0, numbers[1] or 0)
    except ValueError:
        return None


def case_of(match: re.Match[str]) -> CaseNumber | None:
    """The case number that a match of `CASE_NUMBER` holds; None where its year is none of the era."""
    era, year, number = _ERA_NUMBERS.get(match["era"].upper()), _year(match["year"]), kanji_number(match["number"])
    if era is None or not year or not number or year > _MAX_YEAR:
        return None
    if western_year(era, year) > _LAST_YEARS[era - 1]:
        return None
    return CaseNumber(era, year, match["mark"], number)
