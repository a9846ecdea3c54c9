"""What annotation knows of a language: how it defines, excepts and inflects. Grammars of references are elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol

from rag.languages.de.rules import German
from rag.languages.en.definitions import EnglishDefinitions
from rag.languages.en.exceptions import ENGLISH_LINKS
from rag.languages.en.rules import ENGLISH
from rag.languages.en.terms import EnglishTerms
from rag.languages.fr.rules import French
from rag.languages.ja.rules import Japanese
from rag.law.phrases import LinkPhrases
from rag.law.scopes import ScopeFinder
from rag.law.term_uses import TermRules

if TYPE_CHECKING:
    from rag.law.jurisdiction import DocumentIndex, Jurisdiction
    from rag.law.nodes import Definition
    from rag.law.passages import Passage


class DefinitionFinder(Protocol):
    """Finds the definitions of one document; asked node by node in document order."""

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes, each with its scope."""
        ...


class LanguageRules(Protocol):
    """One language."""

    @property
    def language(self) -> str:
        """ISO 639-1."""
        ...

    @property
    def links(self) -> LinkPhrases:
        """The words that except."""
        ...

    @property
    def terms(self) -> TermRules:
        """How defined terms are compared and found."""
        ...

    def definition_finder(
        self, index: DocumentIndex, jurisdiction: Jurisdiction, passage_of: Callable[[str], Passage]
    ) -> DefinitionFinder:
        """A finder for one document; `passage_of` gives the passage of a node by its URN."""
        ...


class English:
    """See `LanguageRules`."""

    language = "en"
    links = ENGLISH_LINKS
    terms: TermRules = EnglishTerms()

    def definition_finder(
        self, index: DocumentIndex, jurisdiction: Jurisdiction, passage_of: Callable[[str], Passage]
    ) -> DefinitionFinder:
        """See `LanguageRules`."""
        scopes = ScopeFinder(index, jurisdiction, ENGLISH, passage_of)
        return EnglishDefinitions(index, ENGLISH, scopes, self.terms)


@cache
def _known() -> dict[str, LanguageRules]:
    rules: tuple[LanguageRules, ...] = (English(), French(), German(), Japanese())
    return {one.language: one for one in rules}


def language_rules(language: str) -> LanguageRules | None:
    """What is known of a language; None where nothing is."""
    return _known().get(language)


def term_rules(language: str) -> TermRules:
    """How terms of a language are compared; for a language that is not known, as English ones."""
    known = language_rules(language)
    return known.terms if known else English.terms
