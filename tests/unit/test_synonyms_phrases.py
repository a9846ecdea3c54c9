"""Phrases of a question, as they are looked up in the synonyms."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.lexical import MAX_WORDS, word_pairs
from retrieval.synonyms import LONGEST_PHRASE, SynonymHit, normalise_phrase, question_phrases


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  Kicked   OUT ", "kicked out"),
        ("landlord’s keys", "landlord's keys"),
        ("security-deposit, please!", "security-deposit please"),
        ("“Évicted”", "évicted"),
        (unicodedata.normalize("NFD", "Évicted"), "évicted"),
        ("!?", ""),
        ("rock'n'roll", "rock'n'roll"),
        ("賃貸 借", "賃貸 借"),
    ],
)
def test_phrases_have_one_spelling(text: str, normal: str) -> None:
    assert normalise_phrase(text) == normal


@given(st.text(max_size=40))
def test_normalising_again_changes_nothing(text: str) -> None:
    assert normalise_phrase(normalise_phrase(text)) == normalise_phrase(text)


def test_all_runs_of_up_to_five_words_are_looked_up_and_their_singulars() -> None:
    phrases = question_phrases("My landlord kept our deposits today, boss")
    assert "my landlord kept our deposits" in phrases
    assert {"deposits", "deposit", "our deposit"} <= set(phrases)
    assert "my landlord kept our deposits today" not in phrases  # six words
    assert "bos" not in phrases  # no plural
    assert len(phrases) == len(set(phrases))


@given(st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), max_size=9))
def test_every_run_of_words_is_among_the_phrases(words: list[str]) -> None:
    phrases = set(question_phrases(" ".join(words)))
    for size in range(1, LONGEST_PHRASE + 1):
        for start in range(len(words) - size + 1):
            assert " ".join(words[start : start + size]) in phrases
    assert all(len(phrase.split()) <= LONGEST_PHRASE for phrase in phrases)


def test_a_question_without_words_has_no_phrases() -> None:
    assert question_phrases("?! ...") == []


@pytest.mark.parametrize(("target", "is_urn"), [("urn:lex:us:x", True), ("eviction", False), ("URN:LEX:us", True)])
def test_a_target_is_a_term_or_a_node(target: str, is_urn: bool) -> None:
    assert SynonymHit("kicked out", target, 1.0).is_urn is is_urn


def test_word_pairs_leave_grammar_out_and_stop_at_the_limit() -> None:
    assert word_pairs("May the landlord withhold my security deposit", "en") == [
        "landlord withhold",
        "security deposit",
    ]
    assert len(word_pairs(" ".join(f"word{n}" for n in range(500)), "en")) == MAX_WORDS - 1
    assert word_pairs("deposit deposit deposit", "en") == ["deposit deposit"]
