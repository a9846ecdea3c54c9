"""fastembed: its protocol without it; with it, a model in the folder that FASTEMBED_TEST_MODEL names."""

from __future__ import annotations

import math
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from rag.models.choice import embedder_of
from rag.settings import load_settings
from retrieval.errors import ConfigurationError, InputError
from retrieval.providers.local_embedding import FastembedEmbedder

TEXTS = ["The tenant pays rent.", "Record retention: every licensee shall keep records for seven years."] * 20
NAME = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def embedder() -> FastembedEmbedder:
    folder = os.environ.get("FASTEMBED_TEST_MODEL")
    if find_spec("fastembed") is None or not folder:
        pytest.skip("fastembed is not installed, or FASTEMBED_TEST_MODEL names no folder")
    return FastembedEmbedder(folder)


@pytest.mark.filterwarnings("default")
def test_a_folder_of_a_known_model_is_read_and_nothing_is_downloaded(embedder: FastembedEmbedder) -> None:
    told: list[int] = []
    batch = embedder.embed(TEXTS, told.append)
    assert embedder.model == f"fastembed/{NAME}"
    assert {len(vector) for vector in batch.vectors} == {embedder.dimensions}
    assert sum(told) == len(TEXTS)
    assert embedder.languages == {"en"}
    asked = embedder.embed_query("How long must I keep my files?")
    rent, records = (sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in batch.vectors[:2])
    assert records > rent
    assert math.isclose(math.hypot(*asked), 1.0, abs_tol=1e-4)


@pytest.mark.filterwarnings("default")
def test_a_folder_that_has_no_known_name_or_no_model_is_refused(embedder: FastembedEmbedder, tmp_path: Path) -> None:
    unknown, empty = tmp_path / "unheard-of", tmp_path / "all-MiniLM-L6-v2"
    unknown.mkdir()
    empty.mkdir()
    with pytest.raises(ConfigurationError, match="does not know a model unheard-of"):
        _ = FastembedEmbedder(str(unknown)).dimensions
    with pytest.raises(ConfigurationError, match="cannot load"):
        FastembedEmbedder(str(empty)).embed_query("rent")


def test_what_cannot_be_a_model_is_refused_at_once() -> None:
    for given in ("", "/nowhere/model", "./nowhere"):
        with pytest.raises(ConfigurationError, match="LEXSCOPE_EMBEDDING_MODEL"):
            FastembedEmbedder(given)
    with pytest.raises(ConfigurationError):
        embedder_of(load_settings(embedding="fastembed"))


def test_an_empty_text_is_refused_before_anything_is_loaded() -> None:
    with pytest.raises(InputError, match="Text 1"):
        FastembedEmbedder(NAME).embed([""])
    with pytest.raises(InputError):
        FastembedEmbedder(NAME).embed_query("")


@pytest.mark.skipif(find_spec("fastembed") is not None, reason="fastembed is installed")
def test_without_the_library_the_extra_is_named() -> None:
    chosen = embedder_of(load_settings(embedding="fastembed", embedding_model=NAME))
    assert isinstance(chosen, FastembedEmbedder)
    with pytest.raises(ConfigurationError, match=r"lexscope\[fastembed\]"):
        _ = chosen.dimensions
