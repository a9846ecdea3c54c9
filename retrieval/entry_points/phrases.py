"""How phrases are compared: one spelling, the words that carry meaning, and the dictionary that gives their stems."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from retrieval.languages import SearchWords, search_words, text_search_config

# Languages that put no space between words: their phrases are found sign by sign.
UNSPACED = frozenset(("ja", "zh", "th", "km", "lo", "my"))
# Languages that write a compound as one word, what it is in the end standing last.
COMPOUNDING = frozenset(("de", "nl", "da", "no", "sv", "fi", "hu"))

_WORD = re.compile(r"\w+(?:[’'-]\w+)*")
_PART = re.compile(r"[^-]+")


@dataclass(frozen=True, slots=True)
class PhraseWord:
    """A word that a phrase is compared by, and which word of the text as it stands it comes from."""

    word: str
    place: int


def normalise_phrase(text: str) -> str:
    """Lower case, NFC, words joined by one space; what `legal_synonyms.phrase` holds."""
    folded = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    return " ".join(_WORD.findall(folded))


def phrase_words(text: str, language: str) -> list[PhraseWord]:
    """The words that a text is compared by, in order, without those that may be left out.

    Words with hyphens are several; an elided article and a possessive ending are cut off; English contractions with
    "not" are written out. A text that has nothing but words to be left out keeps them.
    """
    search = search_words(language)
    found = [
        PhraseWord(word, place)
        for place, token in enumerate(normalise_phrase(text).split())
        for part in _PART.findall(token)
        for word in _written_out(part, search)
    ]
    kept = [finding for finding in found if finding.word not in search.fillers]
    return kept or found


def spoken_text(text: str) -> str:
    """A text of a language without spaces as it is compared: NFKC, lower case, its white space left out."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def stem_dictionary(language: str) -> str:
    """PostgreSQL's dictionary that gives a word's stem; `simple`, which leaves it, where there is no stemmer."""
    config = text_search_config(language)
    return config if config == "simple" else f"{config}_stem"


def _written_out(word: str, search: SearchWords) -> list[str]:
    """The words that one stands for: without what is written together with it, contractions written out."""
    for pattern, plain in search.splits:
        if pattern.search(word):
            return pattern.sub(plain, word).split()
    return [word]
