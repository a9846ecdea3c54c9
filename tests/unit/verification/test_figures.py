"""Figures in texts of four languages: what is read, what is the same and what is no figure."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.verification.figures import (
    Amount,
    Designator,
    PartDate,
    Unreadable,
    found_key,
    offered,
    read_figures,
    read_value,
    write,
)


def amount(number: str | int, unit: str = "") -> tuple[Fraction, str]:
    return Fraction(number), unit


AMOUNTS = [
    ("en", "$1,200", amount(1200, "dollar")),
    ("en", "1,200 dollars", amount(1200, "dollar")),
    ("en", "US$ 1,200.50", amount("1200.5", "dollar")),
    ("en", "£1.5 million", amount(1_500_000, "pound")),
    ("en", "EUR 20 000 000", amount(20_000_000, "euro")),
    ("en", "34 pence", amount(34, "penny")),
    ("en", "5 percent", amount(5, "percent")),
    ("en", "5 per cent", amount(5, "percent")),
    ("en", "12.5%", amount("12.5", "percent")),
    ("en", "one half", amount("1/2")),
    ("en", "two-thirds", amount("2/3")),
    ("en", "3/4", amount("3/4")),
    ("en", "2½ years", amount("5/2", "year")),
    ("en", "thirty (30) days", amount(30, "day")),
    ("en", "two hundred and fifty", amount(250)),
    ("en", "One", amount(1)),
    ("en", "first", amount(1)),
    ("en", "45 days", amount(45, "day")),
    ("en", "a 30-day period", amount(30, "day")),
    ("en", "10 business days", amount(10, "business day")),
    ("en", "ten working days", amount(10, "business day")),
    ("en", "two months", amount(2, "month")),
    ("en", "18 years of age", amount(18, "year")),
    ("en", "the 31st day", amount(31, "day")),
    ("en", "twice the deposit", amount(2)),
    ("en", "４５ days", amount(45, "day")),
    ("de", "1.200 Euro", amount(1200, "euro")),
    ("de", "1.200,50 €", amount("1200.5", "euro")),
    ("de", "2,5 Prozent", amount("2.5", "percent")),
    ("de", "fünf Prozentpunkte", amount(5, "percentage point")),
    ("de", "2 Millionen Euro", amount(2_000_000, "euro")),
    ("de", "binnen eines Monats", amount(1, "month")),
    ("de", "dreimonatige Frist", amount(3, "month")),
    ("de", "14-tägig", amount(14, "day")),
    ("de", "zehn Werktage", amount(10, "weekday with Saturday")),
    ("de", "anderthalb Jahre", amount("3/2", "year")),
    ("de", "zwei Drittel", amount("2/3")),
    ("de", "zweiunddreißig Tage", amount(32, "day")),
    ("de", "zweiten", amount(2)),
    ("de", "am dritten Tag", amount(3, "day")),
    ("de", "eins", amount(1)),
    ("fr", "1 200 €", amount(1200, "euro")),
    ("fr", "1\u202f200,50 euros", amount("1200.5", "euro")),
    ("fr", "5 %", amount(5, "percent")),
    ("fr", "quatre-vingt-dix jours", amount(90, "day")),
    ("fr", "vingt et un jours", amount(21, "day")),
    ("fr", "dix jours ouvrables", amount(10, "weekday with Saturday")),
    ("fr", "deux millions d'euros", amount(2_000_000, "euro")),
    ("fr", "la moitié", amount("1/2")),
    ("fr", "un mois", amount(1, "month")),
    ("fr", "un", amount(1)),
    ("fr", "troisième", amount(3)),
    ("ja", "三十日以内", amount(30, "day")),
    ("ja", "10万円", amount(100_000, "yen")),
    ("ja", "３か月", amount(3, "month")),
    ("ja", "三分の一", amount("1/3")),
    ("ja", "五パーセント", amount(5, "percent")),
]


@pytest.mark.parametrize(("language", "text", "expected"), AMOUNTS)
def test_an_amount_is_read_with_its_unit(language: str, text: str, expected: tuple[Fraction, str]) -> None:
    value = read_value(text, language)
    assert isinstance(value, Amount)
    assert (value.value, value.unit) == expected


@pytest.mark.parametrize(
    ("language", "jurisdiction", "text"),
    [
        ("en", "", "1 March 2024"),
        ("en", "", "March 1, 2024"),
        ("en", "", "on the 1st day of March 2024"),
        ("en", "", "Mar. 1, 2024"),
        ("en", "", "2024-03-01"),
        ("en", "us-dc", "3/1/2024"),
        ("en", "gb", "1/3/2024"),
        ("de", "", "am 1. März 2024"),
        ("de", "", "01.03.2024"),
        ("fr", "", "le 1er mars 2024"),
        ("fr", "", "01/03/2024"),
        ("ja", "", "令和6年3月1日"),
        ("ja", "", "令和六年三月一日"),
        ("ja", "", "2024年3月1日"),
    ],
)
def test_a_date_is_read_in_the_order_of_its_language_and_country(language: str, jurisdiction: str, text: str) -> None:
    assert read_value(text, language, jurisdiction) == date(2024, 3, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("3/1/2024", "cannot be told apart"),
        ("30 February 2024", "no such day"),
        ("29 February 2023", "no such day"),
        ("1 March", "without its year"),
        ("March 2024", "not a day"),
        ("3/1/24", "four digits"),
        ("1/0", "divided by zero"),
        ("9" * 19, "18 digits"),
        ("9" * 5_000, "200 characters"),
        ("3 and 4 days", "more than one"),
        ("nan", "no number"),
        ("inf", "no number"),
        ("1e9", "no number"),
        ("section 5", "no number"),
        ("", "no number"),
        ("1,2,3", "make no number"),
    ],
)
def test_what_has_no_single_value_says_why(text: str, problem: str) -> None:
    value = read_value(text, "en")
    assert isinstance(value, Unreadable)
    assert problem in value.problem


def test_a_numeric_date_with_one_reading_is_read_without_a_country() -> None:
    assert read_value("14/9/2026", "en") == date(2026, 9, 14)
    assert read_value("9/14/2026", "en") == date(2026, 9, 14)
    assert read_value("3/3/2026", "en") == date(2026, 3, 3)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "under section 77(1) or 79(2)", ("77", "1", "79", "2")),
        ("en", "sections 5, 6 and 30 days", ("5", "6")),
        ("en", "§ 42-3110", ("42-3110",)),
        ("en", "Part IV", ("iv",)),
        ("de", "§ 684 ist", ("684",)),
        ("de", "§§ 677, 678, 681 und 682", ("677", "678", "681", "682")),
        ("fr", "l'article 815-1", ("815-1",)),
        ("ja", "第七百九条の二", ("709", "2")),
    ],
)
def test_a_reference_is_a_designator_and_no_number(language: str, text: str, expected: tuple[str, ...]) -> None:
    assert next(figure.value for figure in read_figures(text, language)) == Designator(expected)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "en",
            "The tenant may leave. May he stay? One of them must march. For my part I did. The first, third and last.",
        ),
        ("en", "both, either, a day later, no one, tenants and often"),
        ("de", "Ein Mieter hat eine Wohnung, die er achtet."),
        ("fr", "Un logement neuf, une personne, les droits des tiers."),
        ("ja", "一般の方法による一切の行為"),
    ],
)
def test_words_that_count_nothing_are_no_figures(language: str, text: str) -> None:
    assert [figure for figure in read_figures(text, language) if not figure.weak] == []


def test_offsets_are_those_of_the_text_as_given() -> None:
    text = "Le  1er  mars 2024,\u00a0« 1\u202f200 € » et\u00adpuis deux cent cinquante jours"
    for figure in read_figures(text, "fr"):
        assert text[figure.start : figure.end] == figure.text
    assert [figure.text for figure in read_figures(text, "fr")][:2] == ["1er  mars 2024", "1\u202f200 €"]


@pytest.mark.parametrize(
    ("source", "figure", "same"),
    [
        ("$1,200", "1,200 dollars", True),
        ("thirty days", "30 days", True),
        ("two weeks", "14 days", True),
        ("one year", "12 months", True),
        ("50 percent", "one half", True),
        ("123 pence", "£1.23", True),
        ("30 days", "30", True),
        ("30 days", "30 months", False),
        ("10 business days", "10 days", False),
        ("$1,200", "£1,200", False),
        ("$1,200", "$1,200.01", False),
        ("14 September 2026", "September 2026", True),
        ("14 September 2026", "14 September", True),
        ("14 September 2026", "2026", True),
        ("September 2026", "14 September 2026", False),
        ("14 September", "14 September 2026", False),
        ("14 September 2026", "15 September 2026", False),
    ],
)
def test_figures_are_the_same_by_value_and_unit(source: str, figure: str, same: bool) -> None:
    first, second = (read_figures(text, "en")[0].value for text in (source, figure))
    assert first is not None
    assert second is not None
    assert (found_key(set(offered(first)), second) is not None) is same


def test_a_month_and_a_part_of_a_date_are_read() -> None:
    values = [figure.value for figure in read_figures("in May, on 31 July and in September 2026", "en")]
    assert values == [PartDate(None, 5, None), PartDate(None, 7, 31), PartDate(2026, 9, None)]


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja"])
@given(day=st.dates(date(1900, 1, 1), date(2999, 12, 31)))
def test_a_date_that_is_written_is_read_again(language: str, day: date) -> None:
    assert read_value(write(day, language), language) == day


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@given(cents=st.integers(0, 10**12), unit=st.sampled_from(["", "euro", "dollar", "pound", "day", "month", "percent"]))
def test_an_amount_that_is_written_is_read_again(language: str, cents: int, unit: str) -> None:
    given_value = Amount(Fraction(cents, 100), unit)
    again = read_value(write(given_value, language), language)
    assert isinstance(again, Amount)
    assert (again.value, again.unit) == (given_value.value, unit)


@given(st.text(max_size=300), st.sampled_from(["en", "de", "fr", "ja", "xx"]), st.sampled_from(["", "us", "gb"]))
def test_no_text_raises(text: str, language: str, jurisdiction: str) -> None:
    for figure in read_figures(text, language, jurisdiction):
        assert text[figure.start : figure.end] == figure.text
    read_value(text, language, jurisdiction)
