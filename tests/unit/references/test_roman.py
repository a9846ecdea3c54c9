"""Roman numbers are read as they are written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retrieval.roman import roman_value, to_roman


@given(st.integers(min_value=1, max_value=3999))
def test_roman_numerals_round_trip(value: int) -> None:
    assert roman_value(to_roman(value)) == value


@given(st.text(alphabet="ivxlcdm", min_size=1, max_size=6))
def test_only_canonical_roman_numerals_have_a_value(text: str) -> None:
    value = roman_value(text)
    assert value is None or to_roman(value) == text
