"""What a model card says of a model's languages, and where a model that does not know the law's stays out."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.entry_points.dense import StoredModel
from retrieval.entry_points.finding import QuestionVector
from retrieval.errors import ProviderError
from retrieval.providers.local_embedding import LocalEmbedder
from retrieval.providers.model_card import CARD, card_languages, known_languages

MODEL = StoredModel("m", 2)


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        ("---\nlanguage: en\nlicense: x\n---\n# A model", {"en"}),
        ("---\nlicense: x\nlanguage:\n- en\n- de\ntags:\n- fr\n---\n", {"en", "de"}),
        ('---\nlanguage: [en, "fr"]\n---\n', {"en", "fr"}),
        ("---\nlanguage: multilingual\n---\n", set[str]()),
        ("---\nlanguage:\n- en\n- multilingual\n---\n", set[str]()),
        ("---\nlicense: x\n---\nlanguage: en\n", set[str]()),
        ("# A model\nlanguage: en\n", set[str]()),
        ("---\nlanguage: en\n", set[str]()),
        ("---\nlanguage:\nlicense: x\n---\n", set[str]()),
        ("", set[str]()),
    ],
)
def test_a_card_names_languages_in_its_front_matter_or_nothing_is_known(
    tmp_path: Path, card: str, languages: set[str]
) -> None:
    assert card_languages(tmp_path) == set()
    (tmp_path / CARD).write_text(card, encoding="utf-8")
    assert card_languages(tmp_path) == languages
    assert known_languages(LocalEmbedder(str(tmp_path))) == languages


def test_an_embedder_that_says_nothing_is_believed_to_know_all() -> None:
    assert known_languages(LocalEmbedder("a-name-in-the-cache")) == set()
    asked = QuestionVector([1.0, 0.0], MODEL)
    assert asked.for_law("ja", "hybrid") is asked


@pytest.mark.parametrize(
    ("language", "mode", "kept"),
    [("en", "hybrid", True), ("fr", "hybrid", False), ("fr", "semantic", True), ("fr", "keyword", True)],
)
def test_a_model_stays_out_of_law_in_a_language_that_it_does_not_know(language: str, mode: str, kept: bool) -> None:
    asked = QuestionVector([1.0, 0.0], MODEL, ["earlier"], frozenset({"en", "de"}))
    found = asked.for_law(language, mode)  # pyright: ignore[reportArgumentType]
    if kept:
        assert found is asked
    else:
        assert (found.vector, found.model) == (None, None)
        assert found.notes == ["earlier", "dense: skipped (the embedding model says that it knows de, en, not fr)"]
    assert QuestionVector(notes=["off"]).for_law(language, "hybrid").notes == ["off"]


def test_law_in_a_language_that_stands_apart_has_a_vector_of_its_own() -> None:
    def embed(language: str) -> list[float]:
        if language == "ja":
            raise ProviderError("packaged", "failed")
        return [0.0, 1.0]

    asked = QuestionVector([1.0, 0.0], MODEL, ["earlier"], frozenset({"en"}), frozenset({"fr", "ja"}), embed)
    assert asked.for_law("en", "hybrid") is asked
    for mode in ("hybrid", "semantic"):
        french = asked.for_law("fr", mode)
        assert (french.vector, french.model, french.is_apart) == ([0.0, 1.0], MODEL, True)
        assert french.for_law("fr", mode).vector == [0.0, 1.0]
    failed = asked.for_law("ja", "hybrid")
    assert failed.vector is None
    assert failed.notes[0] == "earlier"
    assert failed.notes[1].startswith("dense: skipped (")
