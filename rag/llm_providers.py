"""Which language model the settings name."""

from __future__ import annotations

from rag.llm import LanguageModel, OpenAIResponses
from rag.llm_replay import ReplayedModel
from rag.settings import Settings
from retrieval.errors import ConfigurationError


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
        return ReplayedModel.read(settings.recordings)
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    return OpenAIResponses(key, settings.openai_model, settings.openai_base_url)
