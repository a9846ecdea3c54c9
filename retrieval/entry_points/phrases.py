"""How phrases are compared: one spelling, the words that carry meaning, and the dictionary that gives their stems."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from retrieval.languages import text_search_config

# Languages that put no space between words: their phrases are found sign by sign.
UNSPACED = frozenset(("ja", "zh", "th", "km", "lo", "my"))
# Languages that write a compound as one word, what it is in the end standing last.
COMPOUNDING = frozenset(("de", "nl", "da", "no", "sv", "fi", "hu"))

_WORD = re.compile(r"\w+(?:[’'-]\w+)*")
_PART = re.compile(r"[^-]+")
_ELIDED = re.compile(r"(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'(?=\w)")
_ENGLISH_NOT = {"cannot": ["can", "not"], "can't": ["can", "not"], "won't": ["will", "not"], "shan't": ["shall", "not"]}

# Words that may stand in a phrase or be left out of it: "kept my deposit", "kept the deposit", "kept deposit".
_FILLERS = {
    "en": "a an the my your his her its our their this that these those",
    "fr": """le la les l un une des du de d au aux mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce
        cet cette ces me m te t se s lui""",
    "de": """der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner meines dein deine
        deinen deinem deiner sein seine seinen seinem seiner seines ihr ihre ihren ihrem ihrer ihres unser unsere
        unseren unserem unserer euer eure diese dieser dieses diesen diesem mir mich dir dich sich ihm ihn uns euch""",
}
_DROPPED = {language: frozenset(words.split()) for language, words in _FILLERS.items()}


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
    found = [
        PhraseWord(word, place)
        for place, token in enumerate(normalise_phrase(text).split())
        for part in _PART.findall(token)
        for word in _without_contractions(part, language)
    ]
    kept = [one for one in found if one.word not in _DROPPED.get(language, frozenset())]
    return kept or found


def spoken_text(text: str) -> str:
    """A text of a language without spaces as it is compared: NFKC, lower case, its white space left out."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def stem_dictionary(language: str) -> str:
    """PostgreSQL's dictionary that gives a word's stem; `simple`, which leaves it, where there is no stemmer."""
    config = text_search_config(language)
    return config if config == "simple" else f"{config}_stem"


def _without_contractions(word: str, language: str) -> list[str]:
    if language == "en":
        if word in _ENGLISH_NOT:
            return _ENGLISH_NOT[word]
        if word.endswith("n't"):
            return [word[:-3], "not"]
        return [word.removesuffix("'s")]
    if language == "fr" and (elided := _ELIDED.match(word)):
        return [elided[0][:-1], word[elided.end() :]]
    return [word]
