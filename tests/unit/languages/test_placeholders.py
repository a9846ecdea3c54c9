"""What is printed where a provision was, in the words of every language, and text that only begins like it."""

from __future__ import annotations

import pytest

from rag.languages.placeholders import placeholder


@pytest.mark.parametrize(
    ("text", "language", "status"),
    [
        ("[Repealed]", "en", "repealed"), ("Repealed.", "en", "repealed"), ("5. [Repealed]", "en", "repealed"),
        ("[Repealed by Act 4 of 2019.]", "en", "repealed"), ("Section 5. [Reserved]", "en", "reserved"),
        ("(Omitted)", "en", "omitted"), ("(weggefallen)", "de", "repealed"), ("§ 5 (weggefallen)", "de", "repealed"),
        ("(Abrogé)", "fr", "repealed"), ("(abrogé par la loi n° 2019-1)", "fr", "repealed"), ("削除", "ja", "repealed"),
        ("第三条 削除", "ja", "repealed"),
        ("Repealed acts stay repealed.", "en", ""), ("[Repealed] No dogs.", "en", ""),
        ("No dogs [repealed]", "en", ""), ("Reserved seats are free.", "en", ""), ("", "en", ""), ("5", "en", ""),
        ("削除する。", "ja", ""), ("[A fee] is due.", "en", ""),
    ],
)  # fmt: skip
def test_a_placeholder_is_the_whole_text(text: str, language: str, status: str) -> None:
    assert placeholder(text, language) == status
