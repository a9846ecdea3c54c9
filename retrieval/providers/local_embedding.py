"""Embeddings by a model of sentence-transformers or of fastembed on this machine: no key, nothing sent anywhere.

The library and the model are loaded when the first text comes, never before: they take seconds. A model is read from a
folder or from the machine's model cache. Of sentence-transformers none is ever downloaded; of fastembed's list (ONNX,
no torch) texts of the collection may download one, a question never does, so that nobody waits for a network.
"""

from __future__ import annotations

import hashlib
import importlib
import math
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from retrieval.errors import ConfigurationError
from retrieval.providers.embedding import EmbeddingBatch, Progress, check_texts, model_vectors
from retrieval.providers.model_card import card_languages

MAX_DIMENSIONS = 4000  # of a vector that the store can index
# Texts of like length share a batch, so that little of it is padding.
BATCH_TEXTS = 64
BATCH_TOKENS = 16_384
_FASTEMBED_TEXTS = 32  # in a batch
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
        """
        check_texts(texts)
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
        """Embed a question, with the instruction that the model wants before questions, if any."""
        check_texts([text])
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
        def run() -> list[list[float]]:
            return encode(texts, batch_size=len(texts), normalize_embeddings=True, show_progress_bar=False).tolist()

        return model_vectors("local", self._size, len(texts), run)


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


class FastembedEmbedder:
    """A model that fastembed knows. Safe to share by threads.

    Args:
        model: a name of fastembed's list, such as `sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2`, or a
            folder with the files of one, which has the last part of that name.

    Raises:
        ConfigurationError: no model is named, or the folder is not there.
    """

    def __init__(self, model: str) -> None:
        folder = Path(model).expanduser()
        if not model.strip() or (not folder.is_dir() and (folder.is_absolute() or model.startswith((".", "~")))):
            raise ConfigurationError(
                "LEXSCOPE_EMBEDDING_MODEL names no embedding model that is there; set it to a name of fastembed's "
                "list, or to a folder with the files of one of them."
            )
        self._folder = folder.resolve() if folder.is_dir() else None
        self._given = model
        self._lock = threading.RLock()
        self._described: dict[str, Any] | None = None
        self._loaded: Any = None

    @property
    def model(self) -> str:
        """Its name in fastembed's list, wherever its files are.

        Raises:
            ConfigurationError: fastembed is not installed, or its list does not have the model.
        """
        return f"fastembed/{self._description()['model']}"

    @property
    def dimensions(self) -> int:
        """The length of its vectors; raises what `model` raises."""
        return int(self._description()["dim"])

    @property
    def languages(self) -> frozenset[str]:
        """English where fastembed's list says so, else none: the model is believed to know all; raises as `model`."""
        return frozenset({"en"} if ", English," in self._description().get("description", "") else ())

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """Embed texts of the collection; see `Embedder.embed`.

        Raises:
            ConfigurationError: fastembed is not installed, or the model cannot be had.
        """
        check_texts(texts)
        vectors: list[list[float]] = []
        with self._lock:
            for start in range(0, len(texts), _FASTEMBED_TEXTS):
                batch = list(texts[start : start + _FASTEMBED_TEXTS])
                model = self._load(may_download=True)
                vectors += self._usable(model.passage_embed, batch)
                if progress is not None:
                    progress(len(batch))
        return EmbeddingBatch(vectors)

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, as the model wants questions; raises what `embed` raises."""
        check_texts([text])
        with self._lock:
            model = self._load(may_download=False)
            return self._usable(model.query_embed, [text])[0]

    def _usable(self, encode: Any, texts: list[str]) -> list[list[float]]:
        return model_vectors(
            "fastembed", self.dimensions, len(texts), lambda: [vector.tolist() for vector in encode(texts)]
        )

    def _description(self) -> dict[str, Any]:
        with self._lock:
            if self._described is None:
                known: list[dict[str, Any]] = _library().TextEmbedding.list_supported_models()
                wanted = self._given if self._folder is None else self._folder.name
                self._described = next(
                    (entry for entry in known if wanted in (entry["model"], _last(entry["model"]))), None
                )
                if self._described is None:
                    raise ConfigurationError(
                        f"fastembed does not know a model {wanted}; set LEXSCOPE_EMBEDDING_MODEL to a name of its list "
                        "(TextEmbedding.list_supported_models()), or give the folder the last part of such a name."
                    )
            return self._described

    def _load(self, *, may_download: bool) -> Any:
        if self._loaded is None:
            name, place = self._description()["model"], {}
            if self._folder is not None:
                place = {"specific_model_path": str(self._folder)}
            elif not may_download:
                place = {"local_files_only": True}
            try:
                self._loaded = _library().TextEmbedding(name, **place)
            except (OSError, ValueError, RuntimeError, KeyError) as error:
                kind = type(error).__name__
            else:
                return self._loaded
            # Raised without the cause: the library's own text may hold addresses.
            raise ConfigurationError(
                f"fastembed cannot load {name} ({kind}). `lexscope embed` downloads it where its hub can be reached; "
                "or set LEXSCOPE_EMBEDDING_MODEL to a folder with its files."
            )
        return self._loaded


def _library() -> Any:
    try:
        library = importlib.import_module("fastembed")
        importlib.import_module("loguru").logger.disable("fastembed")  # it writes to stderr what it also raises
        return library
    except ImportError:
        raise ConfigurationError(
            "LEXSCOPE_EMBEDDING=fastembed needs the extra `fastembed`: pip install 'lexscope[fastembed]'."
        ) from None


def _last(name: str) -> str:
    return name.rpartition("/")[2]
