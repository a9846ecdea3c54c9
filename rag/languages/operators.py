"""The operators of a text, read by its language. In a language without them only the law's own sentences are served."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from rag.languages.base import Place, Reading
from rag.languages.registry import known_language
from rag.languages.registry import primary_language as primary_language


def is_english(language: str) -> bool:
    """Whether the language is English, which alone has lists of parties, roles and plain words."""
    return primary_language(language) == "en"


def reads(language: str) -> bool:
    """Whether paraphrases in this language can be checked."""
    known = known_language(language)
    return known is not None and known.read is not None


def read_in(language: str, text: str, terms: Iterable[str] = ()) -> Reading:
    """The operators and content words of a text; nothing where its language is not read (see `reads`)."""
    return _reading(language, text, tuple(terms))


@lru_cache(maxsize=512)
def _reading(language: str, text: str, terms: tuple[str, ...]) -> Reading:
    """The reading of a norm, which several claims rest on, or of a claim, which is compared in several forms."""
    known = known_language(language)
    return known.read(text, terms) if known is not None and known.read is not None else Reading((), ())


# What is known of English alone. Its room is loaded at the first word that is asked for.


def content_stem(word: str) -> str:
    """The stem under which an English content word is compared; terms of art and their plain words share one."""
    from rag.languages.en import operators as english

    return english.content_stem(word)


def is_neutral(word: str) -> bool:
    """Whether an English word carries no legal content of its own."""
    from rag.languages.en import operators as english

    return english.is_neutral(word)


def is_meant_otherwise(claim: Place, norm: Place, *, denied: bool) -> bool:
    """Whether an English word is meant otherwise in a claim than in the norm, by the words around it."""
    from rag.languages.en import operator_places as english

    return english.is_meant_otherwise(claim, norm, denied=denied)


def qualifiers(text: str) -> list[str]:
    """The words of form, intent, manner or frequency in a folded text, as `in writing`, in lower case and its order."""
    return [match.lower() for match in _qualifier().findall(text)]


@cache
def _qualifier() -> re.Pattern[str]:
    from rag.languages.en.operator_words import QUALIFIERS

    return re.compile(rf"\b(?:{QUALIFIERS})\b", re.IGNORECASE)
