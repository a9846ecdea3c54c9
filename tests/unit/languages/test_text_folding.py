"""Folding a text, and where the characters of a folded text come from."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from rag.languages.text import fold, fold_with_offsets, locate

# Letters that compose, marks, white space of several kinds, break hints, typographic marks.
_SIGNS = st.sampled_from([
    *"ab.e \n", "\u00a0", "\u00ad", "\u200b", "’", "“", "–", "é", "\u0301", "\u0323", "カ", "\u3099", "ᄀ", "ᅡ",
])  # fmt: skip


@given(st.text(_SIGNS, max_size=14))
def test_a_text_with_offsets_is_the_folded_text_and_its_words_are_those_of_their_sources(text: str) -> None:
    folded = fold_with_offsets(text)
    assert folded.text == fold(text)
    words = [match.span() for match in re.finditer(r"\S+", folded.text)]
    for place, (start, _) in enumerate(words):
        for _, end in words[place:]:
            assert fold(text[folded.source_start(start) : folded.source_end(end - 1)]) == folded.text[start:end]


def test_a_quote_is_located_in_its_own_spelling() -> None:
    text = "No  “pet\u00ad fee”\n\n may be\u00a0charge\u00add, cafe\u0301."
    [(start, end)] = locate('No "pet fee" may be charged, café.', text)
    assert text[start:end] == text
    [(start, end)] = locate("may be charged", text)
    assert text[start:end] == "may be\u00a0charge\u00add"
