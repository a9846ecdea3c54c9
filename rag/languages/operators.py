"""The operators of a text, read by its language. In a language without them only the law's own sentences are served."""

from __future__ import annotations

from collections.abc import Iterable

from rag.languages.base import Reading
from rag.languages.registry import known_language, primary_language


def is_english(language: str) -> bool:
    """Whether the language is English, which alone has lists of parties, roles and plain words."""
    return primary_language(language) == "en"


def reads(language: str) -> bool:
    """Whether paraphrases in this language can be checked."""
    known = known_language(language)
    return known is not None and known.read is not None


def read_in(language: str, text: str, terms: Iterable[str] = ()) -> Reading:
    """The operators and content words of a text; nothing where its language is not read (see `reads`)."""
    known = known_language(language)
    return known.read(text, terms) if known is not None and known.read is not None else Reading((), ())
