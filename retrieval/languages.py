"""Text search configurations: one per language, the same when a node is stored and when a question is asked."""

from __future__ import annotations

_CONFIGS = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def text_search_config(language: str) -> str:
    """PostgreSQL's configuration for an ISO 639-1 code; `simple` where it has no stemmer for the language."""
    return _CONFIGS.get(language, "simple")
