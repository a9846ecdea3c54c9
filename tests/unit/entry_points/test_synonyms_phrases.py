"""Phrases of a question, as they are compared with the synonyms, and which of those found are used."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.entry_points.phrases import normalise_phrase, phrase_words, spoken_text, stem_dictionary
from retrieval.entry_points.synonyms import PhraseMatch, SynonymHit, longest_first, phrase_frequency, standing


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


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("He kept my deposit", "en", "he kept deposit"),
        ("He kept the landlord’s deposit", "en", "he kept landlord deposit"),
        ("a rent-to-own TV", "en", "rent to own tv"),
        ("doesn't, can't, won't, cannot", "en", "does not can not will not can not"),
        ("on my own", "en", "on own"),  # no more than articles and the like is left out
        ("This?", "en", "this"),
        ("L’appartement qu'il m'a loué", "fr", "appartement qu il a loué"),
        ("aujourd'hui", "fr", "aujourd'hui"),
        ("Der Hund meines Nachbarn", "de", "hund nachbarn"),
        ("mon chat", "it", "mon chat"),
        ("...", "en", ""),
    ],
)
def test_a_phrase_is_compared_by_the_words_that_carry_its_meaning(text: str, language: str, words: str) -> None:
    assert " ".join(phrase_word.word for phrase_word in phrase_words(text, language)) == words


@given(st.text(max_size=60), st.sampled_from(["en", "fr", "de", "it"]))
def test_each_word_knows_its_place_in_the_text_as_it_stands(text: str, language: str) -> None:
    said = normalise_phrase(text).split()
    words = phrase_words(text, language)
    assert [word.place for word in words] == sorted(word.place for word in words)
    assert all(0 <= word.place < len(said) for word in words)
    assert bool(words) == any(token.strip("-'") for token in said)


def test_text_without_spaces_is_compared_sign_by_sign() -> None:
    assert spoken_text(" ドローン を\nとばす ") == "ドローンをとばす"
    assert spoken_text("ﾄﾞﾛｰﾝ") == "ドローン"


@pytest.mark.parametrize(("language", "name"), [("en", "english_stem"), ("de", "german_stem"), ("ja", "simple")])
def test_stems_come_from_the_stemmer_of_the_full_text_search(language: str, name: str) -> None:
    assert stem_dictionary(language) == name


def match(first: int, size: int, target: str = "t", weight: float = 1.0, place: str = "", cut: int = 0) -> PhraseMatch:
    return PhraseMatch(first, size, cut, target, weight, place)


@pytest.mark.parametrize(
    ("found", "used"),
    [
        ([match(0, 1, "deposit"), match(0, 2, "interest on deposit")], ["interest on deposit"]),
        ([match(1, 1, "b"), match(0, 3, "abc"), match(0, 2, "ab")], ["abc"]),
        ([match(0, 2, "ab"), match(1, 2, "bc")], ["ab", "bc"]),  # neither lies inside the other
        ([match(3, 1, "late"), match(0, 1, "early")], ["early", "late"]),
        ([match(0, 1, "x", 0.5), match(0, 1, "y", 0.9)], ["y", "x"]),
        ([match(0, 1, "zimmer", cut=5), match(0, 1, "hotelzimmer")], ["hotelzimmer"]),
        ([match(0, 1, "kosten", cut=6), match(0, 1, "heizkosten", cut=2)], ["heizkosten"]),
    ],
)
def test_the_longest_phrase_is_used(found: list[PhraseMatch], used: list[str]) -> None:
    assert [phrase_match.target for phrase_match in longest_first(found)] == used
    assert longest_first(reversed(found)) == longest_first(found)


@pytest.mark.parametrize(("own", "general"), [(0.3, 1.0), (2.0, 1.0)])
def test_a_jurisdictions_own_weight_goes_before_the_general_one(own: float, general: float) -> None:
    found = [match(0, 1, weight=general), match(0, 1, weight=own, place="us-dc")]
    assert [phrase_match.weight for phrase_match in longest_first(found)] == [own]


matches = st.lists(st.builds(match, st.integers(0, 6), st.integers(1, 4), st.sampled_from("xyz")), max_size=12)


@given(matches)
def test_exactly_the_phrases_inside_no_longer_one_are_used(found: list[PhraseMatch]) -> None:
    def inside(one: PhraseMatch, other: PhraseMatch) -> bool:
        return other.size > one.size and other.first <= one.first <= one.first + one.size <= other.first + other.size

    expected = {phrase_match for phrase_match in found if not any(inside(phrase_match, other) for other in found)}
    assert set(longest_first(found)) == expected


@pytest.mark.parametrize(("target", "is_urn"), [("urn:lex:us:x", True), ("eviction", False), ("URN:LEX:us", True)])
def test_a_target_is_a_term_or_a_node(target: str, is_urn: bool) -> None:
    assert SynonymHit("kicked out", target, 1.0).is_urn is is_urn


def test_a_trace_shows_the_boost() -> None:
    assert str(SynonymHit("kicked me out", "eviction", 0.9)) == "kicked me out -> eviction (weight 0.9)"


@pytest.mark.parametrize(
    ("said", "share"),
    [
        ([], 1.0),  # search ignores every word of the phrase
        ([0], 1.0),  # the law never says it
        ([10], 0.8),
        ([20], 0.5),
        ([40], 0.2),
        ([60], 0.1),
        ([61], 0.0),  # the law says it itself
        ([900, 400], 0.5),  # few nodes that hold its rarest word hold the phrase
    ],
)
def test_a_term_stands_for_a_phrase_the_less_the_more_often_the_law_says_it_itself(
    said: list[int], share: float
) -> None:
    assert standing(said, 1000) == pytest.approx(share)


@pytest.mark.parametrize(
    ("said", "most"), [([], 0), ([40], 40), ([40, 900], 2), ([900, 40], 2), ([40, 0], 0), ([40, 40, 40], 2)]
)
def test_a_phrase_of_several_words_is_far_rarer_than_its_rarest_word(said: list[int], most: float) -> None:
    assert phrase_frequency(said) == pytest.approx(most)
