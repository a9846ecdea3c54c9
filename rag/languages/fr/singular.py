"""The singular of French words."""

from __future__ import annotations

from rag.languages.base import WordFile

_WORDS = WordFile(__name__)
_INVARIABLE = _WORDS.words("stems", "invariable")
_TO_AIL = {"travaux": "travail", "baux": "bail", "vitraux": "vitrail", "émaux": "émail", "coraux": "corail"}


def singular(word: str) -> str:
    """The singular, as far as the ending tells; equal for all forms of one word is all that is needed."""
    if len(word) < 4 or word in _INVARIABLE or not word.isalpha():
        return word
    if word in _TO_AIL:
        return _TO_AIL[word]
    if word.endswith("aux") and not word.endswith("eaux"):
        return f"{word[:-3]}al"
    if word.endswith(("eaux", "eux", "oux")):
        return word[:-1]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
