"""Patterns that are looked for together give the matches that each gives alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.languages.registry import language_rules
from rag.law.openings import Openings, openings

_ATOMS = st.sampled_from((
    "a", "b", "ab", "k", "s", "é", " ", "-", "§", r"\d", r"\w", ".", "[ab]", "[^a]", "[a-c]", r"\b", r"\A", r"\Z",
    r"(?<!\w)", r"(?<=[.;]\s)", "(?=a)", "(?!b)", r"(?i:A)",
))  # fmt: skip
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})"),
        st.tuples(inner, st.sampled_from(("?", "*", "+", "{2}", "{0,2}", "{1,3}?", "??"))).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)
_SIGNS = ("a", "A", "b", "ab", "k", "\u212a", "s", "\u017f", "é", "É", " ", "-", "§", "7", ".", ";")
_TEXTS = st.lists(st.sampled_from(_SIGNS), max_size=20).map("".join)


@example([("a.", 0)], "aaa")
@example([("K", re.IGNORECASE), ("k", 0), ("s", re.IGNORECASE)], "\u212a k \u017f")
@given(st.lists(st.tuples(_PATTERNS, st.sampled_from((0, re.IGNORECASE))), min_size=1, max_size=4), _TEXTS)
def test_patterns_are_found_as_each_is_found_alone(written: list[tuple[str, int]], text: str) -> None:
    patterns = [re.compile(pattern, flags) for pattern, flags in written]
    found = [[match.span() for match in matches] for matches in Openings(patterns).each(text)]
    assert found == [[match.span() for match in pattern.finditer(text)] for pattern in patterns]


@pytest.mark.parametrize(
    ("language", "law"),
    [("en", "uscode-uslm"), ("de", "de-gesetze-md"), ("fr", "fr-legalize-md"), ("ja", "jp-egov-xml")],
)
def test_the_phrases_of_languages_are_found_in_their_law_as_each_is_alone(
    shared_data: Path, language: str, law: str
) -> None:
    rules = language_rules(language)
    assert rules is not None
    patterns = [phrase.pattern for phrase in (*rules.links.exceptions, *rules.links.lists)]
    assert all(openings(pattern) for pattern in patterns)
    files = [path for path in (shared_data / law).rglob("*") if path.suffix in (".md", ".xml")]
    largest = max(files, key=lambda path: path.stat().st_size)
    text, together = largest.read_text(encoding="utf-8")[:400_000], Openings(patterns)
    wanted = [[match.span() for match in pattern.finditer(text)] for pattern in patterns]
    assert any(wanted)
    assert [[match.span() for match in matches] for matches in together.each(text)] == wanted
