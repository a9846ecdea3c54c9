"""Japanese dates, case numbers and signs in one spelling."""

from __future__ import annotations

import re
from datetime import date

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.jurisdictions.jp.kanji import CASE_NUMBER, CaseNumber, case_of, kanji_numeral, read_date
from rag.languages.ja.script import fold


def _case(written: str) -> CaseNumber | None:
    """The case number that a string is, and nothing else."""
    match = re.fullmatch(CASE_NUMBER, " ".join(fold(written).split()))
    return case_of(match) if match else None


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("平成30年(受)第269号", "平成30年(受)第269号"),
        ("平成３０年（受）第２６９号", "平成30年(受)第269号"),
        ("平成三十年（受）第二百六十九号", "平成30年(受)第269号"),
        ("平成三〇年(受)第二六九号", "平成30年(受)第269号"),
        ("平成30(受)269", "平成30年(受)第269号"),
        ("平成 30 年 ( 受 ) 第 269 号", "平成30年(受)第269号"),
        ("平30（行ヒ）1", "平成30年(行ヒ)第1号"),
        ("H30(ワ)第5号", "平成30年(ワ)第5号"),
        ("令和元年（ワ）第１２号", "令和元年(ワ)第12号"),
        ("令和1年(ワ)第12号", "令和元年(ワ)第12号"),
        ("昭和二五年（れ）第二八八号", "昭和25年(れ)第288号"),
    ],
)
def test_case_number_has_one_spelling(written: str, number: str) -> None:
    case = _case(written)
    assert case is not None
    assert case.text == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "平成30年",
        "平成99年(ワ)第1号",
        "大正40年(オ)第1号",
        "平成30年第269号",
        "第269号",
        "平成30年(受)第269号 他",
        "(受)",
    ],
)
def test_what_is_no_case_number_is_not_read(text: str) -> None:
    assert _case(text) is None


@given(st.integers(1, 31), st.sampled_from(["受", "行ヒ", "ワ", "あ"]), st.integers(1, 99_999))
@settings(max_examples=60)
def test_every_form_of_a_case_number_is_read_as_it(year: int, mark: str, number: int) -> None:
    case = CaseNumber(4, year, mark, number)
    assert case.forms[0] == case.text
    assert {_case(form) for form in case.forms} == {case}


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("平成三十年五月三十一日判決", date(2018, 5, 31)),
        ("平成３０年５月３１日", date(2018, 5, 31)),
        ("平30・5・31", date(2018, 5, 31)),
        ("H30.5.31", date(2018, 5, 31)),
        ("令和元年六月一九日", date(2019, 6, 19)),
        ("二〇一八年五月三一日", date(2018, 5, 31)),
        ("2018年5月31日", date(2018, 5, 31)),
        ("2018-05-31", date(2018, 5, 31)),
        ("昭和64年1月7日", date(1989, 1, 7)),
        ("平成30年2月30日", None),
        ("明治5年1月1日", None),
        ("平成30年", None),
        ("", None),
    ],
)
def test_day_is_read_in_every_spelling(written: str, day: date | None) -> None:
    assert read_date(written) == day


@given(st.dates(date(2020, 1, 1), date(2050, 12, 31)))
@settings(max_examples=share_of(100))
def test_every_form_of_a_day_is_read_as_it(day: date) -> None:
    year, month, of_month = (kanji_numeral(number) for number in (day.year - 2018, day.month, day.day))
    forms = (
        f"令和{day.year - 2018}年{day.month}月{day.day}日",
        f"令和{year}年{month}月{of_month}日",
        f"{day:%Y-%m-%d}",
    )
    assert {read_date(form) for form in forms} == {day}


@given(st.text(max_size=60))
@settings(max_examples=share_of(100))
def test_folding_keeps_every_place(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)
