"""Which languages' operators are read, and by what. In any other language only the law's own sentences are served."""

from __future__ import annotations

from collections.abc import Iterable

from rag.languages.de.operator_words import GERMAN
from rag.languages.en.operators import Reading, read
from rag.languages.fr.operator_words import FRENCH
from rag.languages.word_by_word import Lexicon, read_plain

_PLAIN: dict[str, Lexicon] = {"fr": FRENCH, "de": GERMAN}
_NAMES = {"eng": "en", "english": "en", "fra": "fr", "fre": "fr", "deu": "de", "ger": "de"}


def primary_language(language: str) -> str:
    """The ISO 639-1 code of a language tag: `en` of `en-GB`, `eng` and `EN_us`."""
    code = language.lower().replace("_", "-").split("-")[0]
    return _NAMES.get(code, code)


def is_english(language: str) -> bool:
    """Whether the language is English, which alone has lists of parties, roles and plain words."""
    return primary_language(language) == "en"


def reads(language: str) -> bool:
    """Whether paraphrases in this language can be checked."""
    return is_english(language) or primary_language(language) in _PLAIN


def read_in(language: str, text: str, terms: Iterable[str] = ()) -> Reading:
    """The operators and content words of a text; nothing where its language is not read (see `reads`)."""
    if is_english(language):
        return read(text, terms)
    lexicon = _PLAIN.get(primary_language(language))
    return read_plain(text, lexicon) if lexicon is not None else Reading((), ())
