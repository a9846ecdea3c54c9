"""Words that the law never uses are led back to its own: other forms, parts of compounds, and what is no word."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.entry_points.phrases import COMPOUNDING
from retrieval.entry_points.question_words import other_forms, parts_of, possible_parts

# As full-text search has them: stems without accents.
_LAW = "kundig frist miet kaution schadensersatz anspruch eigentum wohn wohnung zahl zuruckzahl erb teil verein"
GERMAN = frozenset(_LAW.split())


@pytest.mark.parametrize(
    ("lexeme", "language", "form"),
    [
        ("gekundigt", "de", "kundig"),  # a participle
        ("zuruckgezahlt", "de", "zuruckzahl"),  # of a separable verb
        ("zuruckzuzahl", "de", "zuruckzahl"),  # and its infinitive
        ("zahlt", "de", "zahlung"),  # the noun of a verb
        ("vendu", "fr", "vendeur"),
        ("herit", "fr", "heriti"),
        ("owner", "en", "ownership"),
        ("renter", "en", "rental"),
    ],
)
def test_a_word_has_the_forms_that_its_language_makes_of_it(lexeme: str, language: str, form: str) -> None:
    assert form in other_forms(lexeme, language)


@pytest.mark.parametrize(
    ("lexeme", "parts"),
    [
        ("mietkaution", ["miet", "kaution"]),
        ("kundigungsfrist", ["kundig", "frist"]),  # a linking s, and the first word's own ending
        ("schadensersatzanspruch", ["schadensersatz", "anspruch"]),
        ("eigentumswohnung", ["eigentum", "wohnung"]),  # and not its stem: the longer part says more
        ("vereinsteil", ["verein", "teil"]),
        ("erbteil", []),  # too short to be told from one word
        ("sachanspruch", []),  # one part that the law does not use
        ("kaution", []),
    ],
)
def test_a_compound_is_parted_where_the_law_uses_both_parts(lexeme: str, parts: list[str]) -> None:
    assert parts_of(lexeme, "de", GERMAN) == parts


@pytest.mark.parametrize("language", ["en", "fr", "ja", "xx"])
def test_languages_that_write_several_words_have_no_compounds_to_part(language: str) -> None:
    assert possible_parts("mietkaution", language) == parts_of("mietkaution", language, GERMAN) == []


@pytest.mark.parametrize("lexeme", ["", "tür", "42-3502", "4.3(1)", "§", "a" * 61, "x" * 20_000])
def test_what_is_no_word_of_usual_length_has_no_forms(lexeme: str) -> None:
    for language in ("de", "fr", "en", "el"):
        assert other_forms(lexeme, language) == possible_parts(lexeme, language) == []


_STEMS = st.sampled_from(sorted(GERMAN))


@given(_STEMS, st.sampled_from(["", "s", "es", "n", "en", "er", "e", "ns"]), _STEMS)
def test_two_words_of_the_law_and_a_link_are_found_again(first: str, link: str, last: str) -> None:
    compound = first + link + last
    found = parts_of(compound, "de", GERMAN)
    if len(compound) >= 8 and len(last) >= 4:
        assert len(found) == 2
    # Whatever is found is of the law, and covers the word but for links and endings.
    assert set(found) <= GERMAN
    assert not found or (compound.startswith(found[0]) and found[1] in compound[len(found[0]) :])


@given(st.text(alphabet="abegmnrstuz", min_size=4, max_size=24), st.sampled_from(["de", "fr", "en"]))
def test_forms_share_the_beginning_of_the_word_but_for_the_mark_of_a_participle(lexeme: str, language: str) -> None:
    forms = other_forms(lexeme, language)
    assert lexeme not in forms
    assert forms == sorted(set(forms))
    for form in forms:
        shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(lexeme, form, strict=False)))
        assert language in COMPOUNDING or shared >= 4
