"""Which languages are known, and the value of each (`Language`). A language is loaded when it is first asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from rag.plugins import lacking, load_registered
from retrieval.errors import ConfigurationError
from retrieval.languages import SearchWords, provide_words, text_search_config

if TYPE_CHECKING:
    from rag.languages.base import DefinitionFinder, Language, LanguageRules
    from rag.law.term_uses import TermRules

ENTRY_POINT_GROUP = "lexscope.languages"
_EXAMPLE = "CONTRIBUTING.md has an example."
_ROOMS = ("de", "en", "fr", "ja")  # `rag.languages.<code>.language` has the value LANGUAGE
# What readers of this project's own languages are found by, besides their ISO 639-1 codes.
_NAMES = {
    "eng": "en", "english": "en", "fra": "fr", "fre": "fr", "french": "fr", "français": "fr", "deu": "de", "ger": "de",
    "german": "de", "deutsch": "de", "jpn": "ja", "japanese": "ja", "日本語": "ja",
}  # fmt: skip


def primary_language(language: str) -> str:
    """The ISO 639-1 code of a language tag: `en` of `en-GB`, `eng` and `EN_us`."""
    code = language.lower().replace("_", "-").split("-")[0]
    return _NAMES.get(code, code)


@cache
def _offered() -> dict[str, EntryPoint]:
    """The entry points of other packages by language."""
    return {primary_language(point.name): point for point in entry_points(group=ENTRY_POINT_GROUP)}


def language_codes() -> tuple[str, ...]:
    """The ISO 639-1 codes of all languages that are known, third-party ones included, sorted. None is loaded."""
    return tuple(sorted({*_ROOMS, *_offered()}))


@cache
def _loaded(code: str) -> Language | None:
    point = _offered().get(code)
    if point is not None:
        return loaded_from(point)
    if code in _ROOMS:
        language: Language = import_module(f"rag.languages.{code}.language").LANGUAGE
        return language
    return None


def loaded_from(point: EntryPoint) -> Language:
    """The language that an entry point names, whose name is its ISO 639-1 code.

    Raises:
        ConfigurationError: it cannot be loaded, is no `Language` or one of another code, or its rules lack a part.
    """
    from rag.languages.base import Language, LanguageRules  # with the first language

    offered = load_registered(point, "language")
    if not isinstance(offered, Language):
        raise ConfigurationError(f"The entry point {point.name!r} ({point.value}) is not a `Language`.")
    if offered.code != primary_language(point.name):
        raise ConfigurationError(
            f"The entry point {point.name!r} ({point.value}) gives the language {offered.code!r}: name it by its code."
        )
    if offered.rules is not None and (missing := lacking(offered.rules(), LanguageRules)):
        raise ConfigurationError(
            f"The rules of the entry point {point.name!r} ({point.value}) are not complete: {missing}. {_EXAMPLE}"
        )
    return offered


def known_language(tag: str) -> Language | None:
    """The language of a tag; None where no room and no package has it.

    Raises:
        ConfigurationError: a registered module cannot be loaded or is not a language.
    """
    return _loaded(primary_language(tag))


@cache
def _general(code: str) -> Language:
    from rag.languages.base import Language, QuestionWords
    from rag.languages.stems import snowball

    english = language_of("en")
    stem = snowball(text_search_config(code)) or english.stem
    return Language(
        code, stem, sentences=english.sentences, limits=english.limits,
        questions=QuestionWords(courtesy=english.questions.courtesy),
    )  # fmt: skip


def language_of(tag: str) -> Language:
    """The language of a tag. One that is not known has its own stemmer where there is one, and phrases as in English.

    Raises:
        ConfigurationError: see `known_language`.
    """
    return known_language(tag) or _general(primary_language(tag))


_WORD = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")


def language_told(text: str, among: Sequence[str]) -> str:
    """The language of a question by the words that every sentence has; empty where that is not clear.

    Args:
        text: a question.
        among: codes of the languages that it may be in.
    """
    if _KANA.search(text) and "ja" in among:
        return "ja"
    words = [word.casefold() for word in _WORD.findall(text)]
    tables = {code: language_of(code).search.idle | language_of(code).questions.function for code in among}
    counts = sorted(((sum(word in table for word in words), code) for code, table in tables.items()), reverse=True)
    return counts[0][1] if len(counts) > 1 and counts[0][0] > counts[1][0] else ""


def language_rules(language: str) -> LanguageRules | None:
    """The rules of annotation of a language; None where it has none."""
    known = known_language(language)
    return known.rules() if known is not None and known.rules is not None else None


def names_a_kind(text: str, language: str) -> bool:
    """Whether a title or a line has a word for what a document may be: "Moped Rental Ordinance", "Hallensatzung"."""
    rules = language_rules(language)
    return rules is not None and rules.links.own is not None and rules.links.own.kind.search(text) is not None


def checked_finder(finder: DefinitionFinder, language: str) -> DefinitionFinder:
    """A finder of definitions, which the rules of a language made, as it is.

    Raises:
        ConfigurationError: it lacks a method; it is another package's.
    """
    from rag.languages.base import DefinitionFinder

    if missing := lacking(finder, DefinitionFinder):
        raise ConfigurationError(
            f"The finder of definitions of the language {language!r} is not complete: {missing}. {_EXAMPLE}"
        )
    return finder


def term_rules(language: str) -> TermRules:
    """How terms of a language are compared; for a language that is not known, as English ones."""
    rules = language_rules(language) or language_rules("en")
    assert rules is not None, "English has rules"  # noqa: S101
    return rules.terms


def provide_search_words() -> None:
    """Tell search where the words of languages come from. It looks a language up when it is first searched."""
    provide_words(_search_words)


def _search_words(language: str) -> SearchWords:
    known = known_language(language)
    return known.search if known is not None else SearchWords()
