"""Japanese numbering: numerals, designators, era dates and law numbers."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.jurisdictions.jp.kanji import (
    article_designators,
    designator,
    era_date,
    kanji_number,
    kanji_numeral,
    law_number,
    western_year,
)
from retrieval.paths import parse_urn


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("一", 1), ("十", 10), ("十一", 11), ("二十", 20), ("百三十一", 131), ("一三一", 131), ("二〇", 20),
        ("千百", 1100), ("五百五十", 550), ("十二万三千", 123_000),
        ("１３", 13), ("13", 13), (" 七 ", 7), ("〇", 0), ("弐拾参", 23),
    ],
)  # fmt: skip
def test_numerals_are_read_in_every_spelling(printed: str, number: int) -> None:
    assert kanji_number(printed) == number


@pytest.mark.parametrize("printed", ["", "甲", "十百", "二三十", "百二〇", "万", "1a", "一の二", "十" * 30])
def test_what_is_no_numeral_is_not_read(printed: str) -> None:
    assert kanji_number(printed) is None


@given(st.integers(1, 99_999_999))
def test_a_written_numeral_reads_as_itself(number: int) -> None:
    assert kanji_number(kanji_numeral(number)) == number


@given(st.integers(0, 10**9 - 1))
def test_positional_and_full_width_digits_read_as_the_number(number: int) -> None:
    digits = str(number)
    assert kanji_number("".join("〇一二三四五六七八九"[int(digit)] for digit in digits)) == number
    assert kanji_number("".join(chr(ord(digit) + 0xFEE0) for digit in digits)) == number


@pytest.mark.parametrize("number", [0, -1, 100_000_000])
def test_no_numeral_is_written_beyond_the_range(number: int) -> None:
    with pytest.raises(ValueError, match="1 to 99"):
        kanji_numeral(number)


@pytest.mark.parametrize(
    ("printed", "segment"),
    [
        ("九の二", "9-2"), ("六の二の三", "6-2-3"), ("イ", "i"), ("ロ", "ro"), ("ハ", "ha"), ("チ", "chi"),
        ("ロの三", "ro-3"), ("（１）", "1"), ("①", "1"), ("⑴", "1"), ("（ⅱ）", "ii"), ("（ｉ）", "i"), ("Ａ", "a"),
        ("ａａ", "aa"), ("２", "2"),
        ("（イ）", "i"), ("第九号の二", "9-2"), ("一、", "1"), ("２２", "22"),
        ("", None), ("甲", None), ("三及び四", None), ("三から五まで", None), ("一の", None),
    ],
)  # fmt: skip
def test_designators_become_urn_segments(printed: str, segment: str | None) -> None:
    assert designator(printed) == segment


def test_all_kana_designators_differ() -> None:
    kana = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
    read = [designator(letter) for letter in kana]
    assert None not in read
    assert len(set(read)) == len(kana) == 48


@given(st.text(max_size=12))
def test_whatever_is_read_as_a_designator_is_a_segment(printed: str) -> None:
    read = designator(printed)
    assert read is None or parse_urn(f"urn:lex:jp:x:{read}").segments == (read,)


@pytest.mark.parametrize(
    ("printed", "numbers"),
    [
        ("第二条", ["2"]),
        ("第百三十一条の二の七", ["131-2-7"]),
        ("第百二十一条及び第百二十二条", ["121", "122"]),
        ("第百三十八条から第百四十二条まで", ["138", "142"]),
        ("第十条の二から第十条の四まで", ["10-2", "10-4"]),
        ("第一三条", ["13"]),
        ("附則", []),
    ],
)
def test_article_titles_name_their_articles(printed: str, numbers: list[str]) -> None:
    assert article_designators(printed) == numbers


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("昭和二七年七月三一日法律第二七八号", date(1952, 7, 31)),
        ("令和元年六月一九日", date(2019, 6, 19)),
        ("平成31年4月30日", date(2019, 4, 30)),
        ("明治二十二年二月十一日", date(1889, 2, 11)),
        ("明治五年十一月九日", None),  # lunar calendar
        ("昭和二七年二月三〇日", None),
        ("昭和二七年", None),
        ("二〇二四年四月一日", None),
    ],
)
def test_era_dates_are_read_in_our_calendar(printed: str, expected: date | None) -> None:
    assert era_date(printed) == expected


@pytest.mark.parametrize(("era", "year", "western"), [(1, 1, 1868), (2, 15, 1926), (3, 27, 1952), (5, 6, 2024)])
def test_era_years_count_from_one(era: int, year: int, western: int) -> None:
    assert western_year(era, year) == western


@pytest.mark.parametrize(
    ("printed", "slug"),
    [
        ("昭和二十七年法律第二百三十一号", "327ac231"),
        ("昭和二七年七月三一日法律第二七八号", "327ac278"),
        ("令和元年六月一九日法律第三八号", "501ac38"),
        ("平成十五年政令第二百六十三号", "415co263"),
        ("昭和十八年勅令第六百十八号", "318io618"),
        ("明治五年太政官布告第三百三十七号", "105df337"),
        ("平成二十七年文部科学省・環境省令第一号", "427m1"),
        ("昭和二十二年会計検査院規則第一号", "322r1"),
        ("昭和三十三年人事院規則九―二四", "333rjnj9-24"),
        ("昭和二十一年憲法", "321constitution"),
    ],
)
def test_law_numbers_have_a_short_form(printed: str, slug: str) -> None:
    read = law_number(printed)
    assert read is not None
    assert read.slug == slug
    assert parse_urn(f"urn:lex:jp:x:sup.{slug}")


@pytest.mark.parametrize("printed", ["", "航空法", "昭和年法律第一号", "昭和二十七年覚書第一号", "法律第二百三十一号"])
def test_other_words_are_no_law_number(printed: str) -> None:
    assert law_number(printed) is None
