"""The language that a text tells by itself: a question's, or that of a document which nobody named one for."""

from __future__ import annotations

import re
from collections import Counter

# Words of every sentence of a language and hardly of another.
_COMMON = {
    "en": "the how what is are does do can my of and much when who may to for if must have has i with from not this",
    "fr": "le la les un une des est que qui dans pour mon ma puis je peut combien quel quelle de du au et ne pas mes",
    "de": "der die das ein eine einen ist wie was darf ich mein meine kann muss und nicht den dem wer wann für zu mir",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_LEAST = 2  # such words that a text must have
_KANA = re.compile(r"[\u3040-\u30ff]")
_WORD = re.compile(r"[^\W\d_]+")


def language_told(text: str) -> str:
    """The language of a short text as ISO 639-1, by the small words that it has; empty where that cannot be told."""
    return _most({language: len(words) for language, words in _shared(text).items()}, 1, bool(_KANA.search(text)))


def language_written(text: str, clear: int = 3) -> str:
    """The language of a document as ISO 639-1, by how often it has the small words of each.

    Args:
        text: the document's; a page of it is enough.
        clear: how many times as often as those of the next language.

    Returns:
        Empty where that cannot be told.
    """
    kana = 10 * len(_KANA.findall(text)) > len(text)  # an English text may quote a Japanese word
    return _most({language: sum(words.values()) for language, words in _shared(text).items()}, clear, kana)


def _shared(text: str) -> dict[str, Counter[str]]:
    words = Counter(_WORD.findall(text.lower()))
    return {
        language: Counter({word: words[word] for word in common if word in words})
        for language, common in _WORDS.items()
    }


def _most(counts: dict[str, int], clear: int, kana: bool) -> str:
    if kana:
        return "ja"
    (best, most), (_, second), *_ = sorted(counts.items(), key=lambda item: -item[1])
    return best if most >= _LEAST and most > second and most >= clear * second else ""
