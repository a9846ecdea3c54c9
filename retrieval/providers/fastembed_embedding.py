"""Embeddings by a model of fastembed's list (ONNX, no torch), for languages that the packaged encoder does not know.

The library and the model are loaded when the first text comes. A model is read from a folder or from fastembed's cache;
texts of the collection may download it into the cache, a question never does, so that nobody waits for a network.
"""

from __future__ import annotations

import importlib
import math
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from retrieval.errors import ConfigurationError, InputError, ProviderError, ProviderRejected
from retrieval.providers.embedding import EmbeddingBatch, Progress

PROVIDER = "fastembed"
BATCH_TEXTS = 32


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
            InputError: a text is empty; names its position.
            ProviderError: the model failed or gave no usable vector.
        """
        for position, text in enumerate(texts, start=1):
            if not text:
                raise InputError(f"Text {position} to embed is empty.")
        vectors: list[list[float]] = []
        with self._lock:
            for start in range(0, len(texts), BATCH_TEXTS):
                batch = list(texts[start : start + BATCH_TEXTS])
                model = self._load(may_download=True)
                vectors += self._usable(model.passage_embed, batch)
                if progress is not None:
                    progress(len(batch))
        return EmbeddingBatch(vectors)

    def embed_query(self, text: str) -> list[float]:
        """Embed a question, as the model wants questions; raises what `embed` raises."""
        if not text:
            raise InputError("The question to embed is empty.")
        with self._lock:
            model = self._load(may_download=False)
            return self._usable(model.query_embed, [text])[0]

    def _usable(self, encode: Any, texts: list[str]) -> list[list[float]]:
        try:
            raw = cast("Iterable[Any]", encode(texts))
            vectors = [cast("list[float]", entry.tolist()) for entry in raw]
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            raise ProviderError(PROVIDER, f"the embedding model failed ({type(error).__name__})") from None
        for vector in vectors:
            if len(vector) != self.dimensions or not all(map(math.isfinite, vector)) or not any(vector):
                raise ProviderRejected(PROVIDER, "the embedding model gave a vector that is not usable")
        if len(vectors) != len(texts):
            raise ProviderRejected(PROVIDER, "the embedding model gave a wrong number of vectors")
        return vectors

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
