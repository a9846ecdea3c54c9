"""Which models the settings name: the one that drafts, the one that judges, and those that search uses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag.settings import Settings
from retrieval.errors import ConfigurationError

# What no setting names is not loaded.
if TYPE_CHECKING:
    from rag.models.drafting import LanguageModel
    from rag.models.law_reading import LawReader
    from rag.models.openai import OpenAIModel
    from rag.models.rewriting import Rewriter
    from rag.verification.judging import Judge
    from retrieval.entry_points.reranking import Reranking
    from retrieval.providers.embedding import Embedder


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A kind of server on this machine. `limits`: a path that tells models and their context, beside `/v1/models`."""

    name: str
    port: int
    more_context: str
    limits: str = ""

    @property
    def base_url(self) -> str:
        """Its address when it is started as its documentation says."""
        return f"http://127.0.0.1:{self.port}/v1"


# Their Responses API, where there is one, takes a schema and does not hold replies to it (LM Studio) or is younger than
# many an installation (Ollama): all of them are asked by chat completions unless a setting says otherwise.
LOCAL_SERVERS = {
    "ollama": LocalServer("Ollama", 11434, "start it with OLLAMA_CONTEXT_LENGTH", "/api/ps"),
    "lmstudio": LocalServer("LM Studio", 1234, "load the model with a larger context", "/api/v0/models"),
    "vllm": LocalServer("vLLM", 8000, "start it with a larger --max-model-len"),
    "llamacpp": LocalServer("llama-server", 8080, "start it with a larger --ctx-size"),
}


def model_of(settings: Settings) -> LanguageModel | None:
    """The model that drafts answers; None for extractive answers, which need none.

    Raises:
        ConfigurationError: the key, the address, the model's name or the file of recordings is missing or cannot be
            used.
    """
    if settings.drafts_with == "extractive":
        return None
    if settings.drafts_with == "replay":
        if settings.recordings is None:
            raise ConfigurationError(
                "The provider replay needs LEXSCOPE_RECORDINGS, a .jsonl file of recorded answers."
            )
        from rag.models.replay import ReplayedModel

        return ReplayedModel.read_file(settings.recordings)
    return remote_model(settings)


def remote_model(settings: Settings, model: str | None = None) -> OpenAIModel:
    """The configured model behind OpenAI's API or a compatible one, or another `model` of the same provider.

    Raises:
        ConfigurationError: the provider has no model of its own (extractive, replay), or the key, the address or the
            model's name is missing or cannot be used.
    """
    from rag.models.openai import OpenAIModel

    provider = settings.drafts_with
    server = LOCAL_SERVERS.get(provider)
    if server is None:
        if provider != "openai" and settings.openai_api_key is None:
            raise ConfigurationError("A model is asked for and none is configured; set LEXSCOPE_PROVIDER.")
        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
        # OpenAI's own API needs a key; another address may not.
        own = settings.openai_base_url is None
        return OpenAIModel(
            key or "" if own else key, model or settings.openai_model, settings.openai_base_url,
            api=settings.openai_api,
        )  # fmt: skip
    if model is None and "openai_model" not in settings.model_fields_set:
        raise ConfigurationError(
            f"LEXSCOPE_PROVIDER={provider} needs the name of a model; set LEXSCOPE_OPENAI_MODEL to one that "
            f"{server.name} has."
        )
    api = "chat" if settings.openai_api == "auto" else settings.openai_api
    return OpenAIModel(None, model or settings.openai_model, server.base_url, api=api, provider=provider)


def judge_of(settings: Settings, drafting: LanguageModel | None = None) -> Judge | None:
    """Who judges statements that code neither proves nor refutes; None where nobody does.

    Args:
        drafting: the model that drafts, where it is there already; asked again where the settings name no other.

    Raises:
        ConfigurationError: the model, its folder or the file of judgements is missing or cannot be used.
    """
    if settings.judges_with == "none":
        return None
    if settings.judges_with == "replay":
        if settings.judgements is None:
            raise ConfigurationError(
                "The judge replay needs LEXSCOPE_JUDGEMENTS, a .jsonl file of recorded judgements."
            )
        from rag.models.replay import ReplayedJudge

        return ReplayedJudge.read(settings.judgements)
    if settings.judges_with == "local":
        from rag.models.judge import LocalJudge

        return LocalJudge(settings.judge_model or "")
    from rag.models.judge import ModelJudge
    from rag.models.openai import OpenAIModel

    if settings.judge_model is None and isinstance(drafting, OpenAIModel):
        return ModelJudge(drafting)
    return ModelJudge(remote_model(settings, settings.judge_model))


def rewriter_of(settings: Settings, drafting: LanguageModel | None = None) -> Rewriter | None:
    """Who names statutory terms for a question; None where nobody does.

    Args:
        drafting: the model that drafts, where it is there already.

    Raises:
        ConfigurationError: the model or the file of recorded terms is missing or cannot be used.
    """
    if settings.rewrites_with == "none":
        return None
    if settings.rewrites_with == "replay":
        if settings.rewritings is None:
            raise ConfigurationError("The rewriting replay needs LEXSCOPE_REWRITINGS, a .jsonl file of recorded terms.")
        from rag.models.replay import ReplayedRewriter

        return ReplayedRewriter.read_file(settings.rewritings, "rewritings", "LEXSCOPE_REWRITINGS")
    from rag.models.openai import OpenAIModel
    from rag.models.rewriting import ModelRewriter

    return ModelRewriter(drafting if isinstance(drafting, OpenAIModel) else remote_model(settings))


def law_reader_of(settings: Settings, drafting: LanguageModel | None = None) -> LawReader:
    """Who reads laws before they are asked about: the provider's model.

    Args:
        drafting: the model that drafts, where it is there already.

    Raises:
        ConfigurationError: no model is configured, or it or the file of recordings cannot be used.
    """
    if settings.drafts_with == "replay" and settings.recordings is not None:
        from rag.models.replay import ReplayedLawReader

        return ReplayedLawReader.read_file(settings.recordings)
    if settings.drafts_with in ("extractive", "replay"):
        raise ConfigurationError(
            "No model is configured that could read law. Set OPENAI_API_KEY, or LEXSCOPE_PROVIDER to a server on this "
            "machine and LEXSCOPE_OPENAI_MODEL to a model of it."
        )
    from rag.models.law_reading import ModelLawReader
    from rag.models.openai import OpenAIModel

    return ModelLawReader(drafting if isinstance(drafting, OpenAIModel) else remote_model(settings))


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
        from retrieval.providers.local_embedding import FastembedEmbedder

        return FastembedEmbedder(settings.embedding_model or "")
    if chosen == "local":
        # Its module is needed by few, and imported by whoever configures it.
        from retrieval.providers.local_embedding import LocalEmbedder

        return LocalEmbedder(settings.embedding_model or "", settings.embedding_dimensions)
    if chosen == "openai":
        from retrieval.providers.openai_embedding import OpenAIEmbedder

        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
        return OpenAIEmbedder(
            key,
            settings.embedding_model or OPENAI_MODEL,
            settings.embedding_dimensions or OPENAI_DIMENSIONS,
            base_url=settings.openai_base_url,
        )
    return None


def reranking_of(settings: Settings) -> Reranking | None:
    """The reranking that the settings configure; None by default. Asks no provider.

    Raises:
        ConfigurationError: a setting that the reranker needs is missing or wrong.
    """
    if settings.reranker == "none":
        return None
    from retrieval.entry_points.reranking import Reranking
    from retrieval.providers.cohere_reranking import CohereReranker

    reranker = CohereReranker(
        settings.cohere_api_key.get_secret_value() if settings.cohere_api_key else "",
        settings.rerank_model,
        settings.cohere_base_url,
        deadline_seconds=settings.rerank_seconds,
    )
    return Reranking(reranker, settings.rerank_candidates, settings.rerank_kept)
