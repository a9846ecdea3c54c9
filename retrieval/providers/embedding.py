"""Embeddings: texts to vectors, through one protocol, whoever makes them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from retrieval.errors import InputError, ProviderError, ProviderRejected

DOCUMENT_TOKENS = 4096  # of one candidate of a reranking; a provider would cut a longer one itself, without a word
LARGEST = 65504.0  # of a number of half precision, in which vectors are stored

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """Vectors in the order of the texts.

    Attributes:
        vectors: one a text, each of the embedder's dimensions, finite, not zero.
        shortened: how many texts were too long for the model and are represented by their beginning only.
        tokens: what the provider counted for all requests; 0 where it does not count.
    """

    vectors: list[list[float]]
    shortened: int = 0
    tokens: int = 0


class Embedder(Protocol):
    """What turns texts into vectors."""

    @property
    def model(self) -> str:
        """The model's name, recorded with every vector in the store."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """Embed texts.

        Args:
            texts: none of them empty.
            progress: called after each request with the number of texts it embedded.

        Raises:
            InputError: a text is empty or cannot be sent; names its position.
            ProviderError: no usable vectors came; its subclasses say why.
        """
        ...


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder whose model treats questions otherwise than the texts that answer them."""

    def embed_query(self, text: str) -> list[float]:
        """Embed a question; raises what `Embedder.embed` raises."""
        ...


@runtime_checkable
class LanguageEmbedder(Protocol):
    """An embedder that leaves law in some languages, and questions about it, to another model."""

    def in_language(self, language: str) -> Embedder:
        """What embeds law in a language (ISO 639-1); its vectors have the dimensions of this embedder's."""
        ...


def in_language(embedder: Embedder, language: str) -> Embedder:
    """What embeds law in a language, and questions about it."""
    return embedder.in_language(language) if isinstance(embedder, LanguageEmbedder) else embedder


def query_vector(embedder: Embedder, question: str) -> list[float]:
    """The vector of a question; raises what `Embedder.embed` raises."""
    if isinstance(embedder, QueryEmbedder):
        return _checked(embedder, [embedder.embed_query(question)], 1)[0]
    return embedded(embedder, [question]).vectors[0]


def embedded(embedder: Embedder, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
    """What an embedder makes of texts, whoever wrote the embedder; raises what `Embedder.embed` raises."""
    batch = embedder.embed(texts, progress)
    _checked(embedder, batch.vectors, len(texts))
    return batch


def _checked(embedder: Embedder, vectors: list[list[float]], count: int) -> list[list[float]]:
    if len(vectors) != count or any(
        len(vector) != embedder.dimensions
        or not any(vector)
        or not all(-LARGEST <= number <= LARGEST for number in vector)  # also where it is not a number
        for vector in vectors
    ):
        raise ProviderRejected(embedder.model, "sent vectors of another size, zero or not finite")
    return vectors


def check_texts(texts: Sequence[str]) -> None:
    """Refuse texts to embed of which one is empty.

    Raises:
        InputError: one is; names its position.
    """
    for position, text in enumerate(texts, start=1):
        if not text:
            raise InputError(f"Text {position} to embed is empty.")


def model_vectors(
    provider: str, dimensions: int, count: int, encode: Callable[[], list[list[float]]]
) -> list[list[float]]:
    """What a model on this machine makes of `count` texts.

    Raises:
        ProviderError: the model failed, for instance for lack of memory, or gave no usable vectors.
    """
    try:
        vectors = encode()
    except (RuntimeError, ValueError, IndexError, MemoryError) as error:
        raise ProviderError(provider, f"the embedding model failed ({type(error).__name__})") from None
    if len(vectors) != count or not all(
        len(vector) == dimensions and any(vector) and all(map(math.isfinite, vector)) for vector in vectors
    ):
        raise ProviderRejected(provider, "the embedding model gave vectors that are not usable")
    return vectors


def estimated_tokens(text: str) -> int:
    """Tokens of a text, rather too many than too few for prose in any script: a third of the characters, and one for
    every byte that UTF-8 needs beyond one a character."""
    return math.ceil(len(text) / 3) + len(text.encode()) - len(text)


def beginning(text: str, tokens: int) -> str:
    """The longest beginning of a text whose estimate is within `tokens`."""
    return text[: bisect_right(range(len(text) + 1), tokens, key=lambda end: estimated_tokens(text[:end])) - 1]


def certain_beginning(text: str, tokens: int) -> str:
    """The longest beginning of a text that no byte-level encoding makes more than `tokens` of."""
    return text.encode()[:tokens].decode("utf-8", errors="ignore")
