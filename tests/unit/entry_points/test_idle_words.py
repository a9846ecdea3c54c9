"""Words by which people ask are left out of a question, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.entry_points.question_words import question_words
from retrieval.languages import is_idle, says_something, without_idle_words


@pytest.mark.parametrize(
    ("question", "language", "kept"),
    [
        ("Was kann ich für mein Geld bekommen?", "de", "kann ich mein Geld"),
        ("Darf der Vermieter das?", "de", "Darf der Vermieter das?"),  # what search ignores by itself stays here
        ("Puis-je rendre l'appartement ?", "fr", "rendre appartement"),
        ("Mon voisin doit-il couper ses arbres ?", "fr", "voisin couper arbres"),
        ("Y a-t-il un délai ?", "fr", "délai"),
        ("Les grands-parents ont-ils un droit ?", "fr", "grands-parents droit"),
        ("How do I get my deposit back?", "en", "deposit back?"),
        ("What?", "en", "What?"),  # nothing else was said
        ("Quoi ?", "fr", "Quoi ?"),
        ("¿Qué puedo hacer?", "es", "¿Qué puedo hacer?"),  # no list for the language
        ("", "de", ""),
    ],
)
def test_a_question_keeps_the_words_that_say_something(question: str, language: str, kept: str) -> None:
    assert " ".join(without_idle_words(question.split(), language)) == kept


@given(st.lists(st.text(min_size=1, max_size=12).filter(str.strip)), st.sampled_from(["de", "en", "es", "ja"]))
def test_what_is_kept_is_the_question_without_idle_words_in_order(words: list[str], language: str) -> None:
    kept = [word for word in words if not is_idle(word, language)]
    assert without_idle_words(words, language) == (kept or words)


@pytest.mark.parametrize(
    ("lexeme", "language", "says"),
    [("です", "ja", False), ("しろ", "ja", False), ("飛行", "ja", True), ("飛ば", "ja", True), ("ドロ", "ja", True),
     ("です", "en", True)],
)  # fmt: skip
def test_japanese_endings_and_particles_say_nothing(lexeme: str, language: str, says: bool) -> None:
    assert says_something(lexeme, language) is says


def test_a_word_is_parted_from_what_french_writes_on_to_it() -> None:
    words = question_words("L'époux s'engage-t-il ? Les grands-parents doivent-ils l'aider ?", "fr")
    assert {"époux", "engage", "grands-parents", "doivent", "aider"} <= set(words)
    assert question_words("Is the landlord's cat a pet?", "en") == sorted(
        ["is", "the", "landlord's", "cat", "a", "pet"]
    )
