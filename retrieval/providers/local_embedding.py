"""Embeddings by a sentence-transformers model on this machine: no key, no network, nothing sent anywhere.

The library and the model are loaded when the first text comes, never before: they take seconds. A model is read from a
folder or from the machine's model cache and never downloaded, so that a question never waits for a network.
"""

from __future__ import annotations

import hashlib
import importlib
import math
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from retrieval.errors import ConfigurationError, InputError, ProviderError, ProviderRejected
from retrieval.providers.embedding import EmbeddingBatch, Progress
from retrieval.providers.model_card import card_languages

PROVIDER = "local"
MAX_DIMENSIONS = 4000  # of a vector that the store can index
# Texts of like length share a batch, so that little of it is padding.
BATCH_TEXTS = 64
BATCH_TOKENS = 16_384
# What models call the instruction that is before a text of the collection.
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
_UNREAD = (".md", ".txt.gz", ".lock")  # files of a model's folder that its vectors do not depend on


class _Model(Protocol):
    """What is used of a SentenceTransformer."""

    max_seq_length: int | float | None
    prompts: dict[str, str]
    tokenizer: Any

    def get_embedding_dimension(self) -> int | None: ...
    def encode_document(self, inputs: list[str], **options: Any) -> Any: ...
    def encode_query(self, inputs: list[str], **options: Any) -> Any: ...


class LocalEmbedder:
    """A sentence-transformers model, by its folder or by its name in the machine's model cache.

    Safe to share by threads. The same texts give the same vectors on the same machine and library versions.

    Args:
        model: a folder, or a name such as `sentence-transformers/all-MiniLM-L6-v2`.
        dimensions: of the vectors, where the model was trained to be cut to fewer; None is what it has.

    Raises:
        ConfigurationError: no model is named, or the folder is not there.
    """

    def __init__(self, model: str, dimensions: int | None = None) -> None:
        if not model.strip():
            raise ConfigurationError("No local embedding model is named; set LEXSCOPE_EMBEDDING_MODEL.")
        folder = Path(model).expanduser()
        self._folder = folder if folder.is_dir() else None
        if self._folder is None and (folder.is_absolute() or model.startswith((".", "~"))):
            raise ConfigurationError(
                f"There is no folder {folder}; set LEXSCOPE_EMBEDDING_MODEL to a folder with a "
                "sentence-transformers model, or to the name of one in the machine's model cache."
            )
        self._name = model
        self._wanted = dimensions
        self._lock = threading.RLock()
        self._loaded: _Model | None = None
        self._size = 0
        self._identity = ""

    @property
    def model(self) -> str:
        """The name in the model cache; of a folder its name and a hash of its files, wherever it lies.

        Raises:
            ConfigurationError: the folder cannot be read.
        """
        if self._folder is None:
            return self._name
        with self._lock:
            if not self._identity:
                self._identity = f"{self._folder.resolve().name}@{_fingerprint(self._folder)}"
            return self._identity

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the model card in its folder names; none where there is no card.

        Raises:
            ConfigurationError: the card cannot be read.
        """
        return frozenset() if self._folder is None else card_languages(self._folder)

    @property
    def dimensions(self) -> int:
        """The length of its vectors; loads the model.

        Raises:
            ConfigurationError: the extra is not installed, or the model cannot be loaded.
        """
        self._load()
        return self._size

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """Embed texts of the collection; see `Embedder.embed`.

        Raises:
            ConfigurationError: the extra is not installed, or the model cannot be loaded.
            InputError: a text is empty; names its position.
            ProviderError: the model failed, for instance for lack of memory, or gave no usable vectors.
        """
        for position, text in enumerate(texts, start=1):
            if not text:
                raise InputError(f"Text {position} to embed is empty.")
        if not texts:
            return EmbeddingBatch([])
        with self._lock:
            model = self._load()
            counts = self._token_counts(model, texts)
            limit = _limit(model)
            vectors: dict[int, list[float]] = {}
            for batch in _batches(counts, limit):
                found = self._encode(model.encode_document, [texts[position] for position in batch])
                vectors.update(zip(batch, found, strict=True))
                if progress is not None:
                    progress(len(batch))
        return EmbeddingBatch(
            [vectors[position] for position in range(len(texts))], sum(count > limit for count in counts)
        )

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, with the instruction that the model wants before questions, if any.

        Raises:
            ConfigurationError: the extra is not installed, or the model cannot be loaded.
            InputError: the question is empty.
            ProviderError: the model failed or gave no usable vector.
        """
        if not text:
            raise InputError("The question to embed is empty.")
        with self._lock:
            return self._encode(self._load().encode_query, [text])[0]

    def _load(self) -> _Model:
        with self._lock:
            if self._loaded is None:
                model = _loaded(self._name if self._folder is None else str(self._folder), self._wanted)
                size = model.get_embedding_dimension() or 0
                if self._wanted is not None and self._wanted != min(self._wanted, size):
                    raise ConfigurationError(
                        f"The local embedding model has {size} dimensions, LEXSCOPE_EMBEDDING_DIMENSIONS says "
                        f"{self._wanted}; leave it unset, or set it to fewer if the model was trained for that."
                    )
                if not 1 <= size <= MAX_DIMENSIONS:
                    raise ConfigurationError(
                        f"The local embedding model has {size} dimensions; the store indexes 1 to {MAX_DIMENSIONS}."
                    )
                self._loaded, self._size = model, size
            return self._loaded

    def _token_counts(self, model: _Model, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, its instruction included; characters for models that have no limit to exceed."""
        tokenizer = model.tokenizer
        if math.isinf(_limit(model)) or not callable(tokenizer):
            return [len(text) for text in texts]
        prompt = next((model.prompts[name] for name in _DOCUMENT_PROMPTS if model.prompts.get(name)), "")
        counted: Any = tokenizer([prompt + text for text in texts], truncation=False, padding=False, verbose=False)
        return [len(ids) for ids in counted["input_ids"]]

    def _encode(self, encode: Any, texts: list[str]) -> list[list[float]]:
        try:
            raw = encode(texts, batch_size=len(texts), normalize_embeddings=True, show_progress_bar=False).tolist()
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            raise ProviderError(PROVIDER, f"the embedding model failed ({type(error).__name__})") from None
        vectors = cast("list[list[float]]", raw)
        for vector in vectors:
            if len(vector) != self._size or not all(map(math.isfinite, vector)) or not any(vector):
                raise ProviderRejected(PROVIDER, "the embedding model gave a vector that is not usable")
        return vectors


def _loaded(place: str, dimensions: int | None) -> _Model:
    try:
        library: Any = importlib.import_module("sentence_transformers")
        logs: Any = importlib.import_module("transformers.utils.logging")
    except ImportError:
        raise ConfigurationError(
            "Local embeddings need the extra `local`: pip install 'lexscope[local]'. "
            "Or set LEXSCOPE_EMBEDDING to none or openai."
        ) from None
    logs.disable_progress_bar()
    try:
        return cast("_Model", library.SentenceTransformer(place, local_files_only=True, truncate_dim=dimensions))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, AttributeError) as error:
        # Raised without the cause: the library's own text speaks of a network that is never asked.
        kind = type(error).__name__
    raise ConfigurationError(
        f"The local embedding model {place} cannot be loaded ({kind}). Set LEXSCOPE_EMBEDDING_MODEL to a folder with a "
        "sentence-transformers model, or to the name of one in this machine's model cache; nothing is downloaded here, "
        "`hf download NAME` fills the cache."
    )


def _limit(model: _Model) -> float:
    """Tokens that the model reads of a text."""
    return math.inf if model.max_seq_length is None else float(model.max_seq_length)


def _batches(counts: Sequence[int], limit: float) -> Iterator[list[int]]:
    """Positions of texts, longest first, so that a machine that is too small fails at once."""
    batch: list[int] = []
    for position in sorted(range(len(counts)), key=lambda index: (-counts[index], index)):
        longest = min(counts[batch[0]], limit) if batch else 0
        if batch and (len(batch) == BATCH_TEXTS or longest * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _fingerprint(folder: Path) -> str:
    """A hash of the names and contents of a model's files.

    Raises:
        ConfigurationError: a file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        files = sorted(
            (path.relative_to(folder).as_posix(), path)
            for path in folder.rglob("*")
            if path.is_file() and not path.name.startswith(".") and not path.name.endswith(_UNREAD)
        )
        for name, file in files:
            with file.open("rb") as opened:
                content = hashlib.file_digest(opened, "sha256").hexdigest()
            digest.update(f"{name} {content}\n".encode())
    except OSError as error:
        raise ConfigurationError(f"The local embedding model's folder cannot be read ({error.strerror}).") from None
    return digest.hexdigest()[:12]
