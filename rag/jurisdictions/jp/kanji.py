"""Japanese numbering: kanji numerals, branch numbers, kana designators, era dates and law numbers.

Readers return None for what they cannot read: the caller decides what that means for its source.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

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
_BRANCHES = re.compile(rf"({NUMERAL}|[{''.join(_KANA)}]|[a-z]{{1,6}})((?:の{NUMERAL})*)\Z")
_ARTICLE = re.compile(rf"第({NUMERAL})[条條]((?:の{NUMERAL})*)")
_OUTER = re.compile(r"[\s()（）〔〕［］\[\].．、，,]+")

_ERAS = {"明治": 1, "大正": 2, "昭和": 3, "平成": 4, "令和": 5}
_FIRST_YEARS = {1: 1868, 2: 1912, 3: 1926, 4: 1989, 5: 2019}
ERA_NAMES = {"Meiji": 1, "Taisho": 2, "Showa": 3, "Heisei": 4, "Reiwa": 5}
# Before 1873 the months are those of the lunar calendar.
_FIRST_SOLAR_YEAR = 1873
_ERA_DATE = re.compile(rf"({'|'.join(_ERAS)})(元|{NUMERAL})年(?:({NUMERAL})月(?:({NUMERAL})日)?)?")
_LAW_NUMBER = re.compile(rf"{_ERA_DATE.pattern}([^第]*?)(?:第({NUMERAL})号)?\Z")
_DASH = re.compile("[-―—‐–]")
_NAME_NUMBER = re.compile(rf"{NUMERAL}(?:{_DASH.pattern}{NUMERAL})*\Z")
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
    return [one for one in read if one is not None]


def _with_branches(first: str, branches: str) -> str | None:
    numbers = [kanji_number(one) for one in branches.split("の")[1:]]
    return None if None in numbers else "-".join((first, *map(str, numbers)))


def era_date(text: str) -> date | None:
    """The first full date of the words (昭和二七年七月三一日, 令和元年六月一九日) in our calendar.

    None where there is none, where it is impossible, or where it is of the lunar calendar (before 1873).
    """
    match = _ERA_DATE.search(unicodedata.normalize("NFKC", text))
    return _date(match) if match else None


def _date(match: re.Match[str]) -> date | None:
    era, year = _ERAS[match[1]], _year(match[2])
    month, day = (kanji_number(part) if part else None for part in (match[3], match[4]))
    if year is None or month is None or day is None:
        return None
    western = _FIRST_YEARS[era] + year - 1
    if western < _FIRST_SOLAR_YEAR:
        return None
    try:
        return date(western, month, day)
    except ValueError:
        return None


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
