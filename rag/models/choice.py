"""Which language model the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rag.settings import Settings
from retrieval.entry_points.reranking import NoReranker, Reranker, Reranking
from retrieval.errors import ConfigurationError

# What no setting names is not loaded.
if TYPE_CHECKING:
    from rag.models.openai import LanguageModel
    from retrieval.providers.embedding import Embedder


def model_of(settings: Settings) -> LanguageModel | None:
    """The model that drafts answers; None for extractive answers, which need none.

    Raises:
        ConfigurationError: the key, the address or the file of recordings cannot be used.
    """
    provider = settings.drafts_with
    if provider == "extractive":
        return None
    if provider == "replay":
        if settings.recordings is None:
            raise ConfigurationError(
                "The provider replay needs LEXSCOPE_RECORDINGS, a .jsonl file of recorded answers."
            )
        from rag.models.replay import ReplayedModel

        return ReplayedModel.read(settings.recordings)
    from rag.models.openai import OpenAIResponses

    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    return OpenAIResponses(key, settings.openai_model, settings.openai_base_url)


# The models that search uses, as the settings configure them.

OPENAI_MODEL, OPENAI_DIMENSIONS = "text-embedding-3-small", 1536


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that the settings configure; None where the dense leg is off. Loads no model and asks no provider.

    Raises:
        ConfigurationError: a setting that the embedder needs is missing or wrong.
    """
    chosen = settings.embeds_with
    if chosen == "packaged":
        from retrieval.providers.packaged_embedding import PackagedEmbedder

        by_default = settings.embedding == "auto"
        folder = None if by_default or not settings.embedding_model else Path(settings.embedding_model).expanduser()
        return PackagedEmbedder(folder, by_default=by_default)
    if chosen == "fastembed":
        from retrieval.providers.fastembed_embedding import FastembedEmbedder

        return FastembedEmbedder(settings.embedding_model or "")
    if chosen == "local":
        # Its module is needed by few, and imported by whoever configures it.
        from retrieval.providers.local_embedding import LocalEmbedder

        return LocalEmbedder(settings.embedding_model or "", settings.embedding_dimensions)
    if chosen == "openai":
        from retrieval.providers.embedding import OpenAIEmbedder

        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
        return OpenAIEmbedder(
            key,
            settings.embedding_model or OPENAI_MODEL,
            settings.embedding_dimensions or OPENAI_DIMENSIONS,
            base_url=settings.openai_base_url,
        )
    return None


def reranking_of(settings: Settings) -> Reranking:
    """The reranking that the settings configure; by default none. Asks no provider.

    Raises:
        ConfigurationError: a setting that the reranker needs is missing or wrong.
    """
    return Reranking(_reranker(settings), settings.rerank_candidates, settings.rerank_kept)


def _reranker(settings: Settings) -> Reranker:
    if settings.reranker == "none":
        return NoReranker()
    from retrieval.providers.cohere_reranking import CohereReranker

    return CohereReranker(
        settings.cohere_api_key.get_secret_value() if settings.cohere_api_key else "",
        settings.rerank_model,
        settings.cohere_base_url,
        deadline_seconds=settings.rerank_seconds,
    )
