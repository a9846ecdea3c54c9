"""What search knows of a language: PostgreSQL's configuration for it, and the words that its owner provides.

The configuration is the same when a node is stored and when a question is asked. The words belong to the languages,
which lie above this package: whoever opens a store says once where they come from (`provide_words`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.errors import ConfigurationError, InputError

_LANGUAGE = re.compile(r"[a-z]{2,3}\Z", re.ASCII)

_CONFIGS = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_AROUND = "\"'“”‘’«»„()[],.;:!?…"


def text_search_config(language: str) -> str:
    """PostgreSQL's configuration for an ISO 639-1 code; `simple` where it has no stemmer for the language."""
    return _CONFIGS.get(language, "simple")


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The words of a language that search treats apart; everything is empty for a language that is not known.

    Lexemes are words as full-text search has them: stems without accents.

    Attributes:
        idle: words by which people ask, beyond those that full-text search ignores; they are left out.
        faint: words by which people ask and which law uses too; they are searched, and count little.
        fillers: words that may be part of a phrase or be left out of it: "kept my deposit", "kept deposit".
        joined: what is written together with a word and is none of it: "doit-il", "l'appartement".
        splits: patterns in a word of a phrase and what replaces them, with a space where a word ends; the first that
            is found is applied.
        grammar: matches lexemes that are endings and particles.
        inflected: endings that may be cut off a lexeme.
        derived: endings that another word of its family may have.
        separable: prefixes behind which a participle or an infinitive has its mark.
        marks: those marks (`ge`, `zu`), the first of which may open a word without a prefix too.
        links: what may join the parts of a compound; none where compounds are several words.
        part_endings: a part's own endings, which its stem does not have.
    """

    idle: frozenset[str] = frozenset()
    faint: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    joined: Sequence[re.Pattern[str]] = ()
    splits: Sequence[tuple[re.Pattern[str], str]] = ()
    grammar: re.Pattern[str] | None = None
    inflected: Sequence[str] = ()
    derived: Sequence[str] = ()
    separable: frozenset[str] = frozenset()
    marks: Sequence[str] = ()
    links: Sequence[str] = ()
    part_endings: Sequence[str] = ()


_source: list[Callable[[str], SearchWords]] = []


def provide_words(source: Callable[[str], SearchWords]) -> None:
    """Say where the words of languages come from: a function of an ISO 639-1 code. Later calls replace earlier ones."""
    _source[:] = [source]


def search_words(language: str) -> SearchWords:
    """The words of a language.

    Raises:
        ConfigurationError: nobody has said where they come from.
    """
    if not _source:
        raise ConfigurationError("No words of languages were provided: call `retrieval.languages.provide_words` first.")
    return _source[0](language)


def is_idle(word: str, language: str) -> bool:
    """Whether a word, as it is written, says nothing of the matter; False in languages that have no list."""
    idle = search_words(language).idle
    said = word.lower().strip(_AROUND)
    return bool(idle) and (not said or said in idle)


def without_idle_words(words: Sequence[str], language: str) -> list[str]:
    """The words of a question that say something, in order; all of them where none does.

    Args:
        words: as they are written, with the signs around them.
        language: ISO 639-1.
    """
    bare = words
    for pattern in search_words(language).joined:
        bare = pattern.sub(" ", " ".join(bare)).split()
    return [word for word in bare if not is_idle(word, language)] or list(words)


def says_something(lexeme: str, language: str) -> bool:
    """Whether a lexeme is more than grammar: Japanese pairs of hiragana alone are endings and particles."""
    grammar = search_words(language).grammar
    return grammar is None or grammar.fullmatch(lexeme) is None


def checked_language(language: str | None) -> str | None:
    """The code of a language in lower case, None where none is given: it stands in prompts and in stored traces.

    Raises:
        InputError: not two or three letters.
    """
    if language is None:
        return None
    code = language.strip().lower()
    if not _LANGUAGE.match(code):
        raise InputError("The language is not a code of two or three letters, such as en, fr or haw.")
    return code
