"""German terms in use: inflected nouns and adjectives, never a part of a compound."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product

from rag.ingest.term_uses import Token, WordTerms

_ARTICLES = frozenset(("der", "die", "das", "des", "dem", "den", "ein", "eine", "einer", "eines", "einem", "einen"))
_NOUN_ENDINGS = ("", "s", "es", "n", "en", "e", "er", "ern")
_UMLAUT = re.compile(r"(au|[aou])(?=[^aeiouäöüy]{1,4}\Z)")
_ADJECTIVE = re.compile(r"(.{3,}?)e[rsnm]?\Z")
# What is no noun may be written small: "unverzüglich", "grob fahrlässige".
_SMALL = re.compile(r"(?:lich|ig|bar|sam|haft|los|isch|weise|end|bart|ert|elt)(?:e[rsnm]?)?\Z")
_HYPHENS = "-‐‑"


class GermanTerms(WordTerms):
    """See `TermRules`. Capitals tell nouns: a small word is never the use of a noun."""

    articles = _ARTICLES

    def forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The term with its last word in all endings, and adjectives before it in theirs."""
        before = [_adjectives(key) for key in keys[:-1]]
        return [tuple(one) for one in product(*before, _nouns(keys[-1]))]

    def is_use(self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool) -> bool:
        """Not inside a compound, and a noun only with its capital."""
        start, end = tokens[first].start, tokens[last].end
        if start and text[start - 1] in _HYPHENS and text[max(0, start - 2)].isalnum():
            return False
        if text[end : end + 1] in _HYPHENS and text[end : end + 1]:
            return False
        word = tokens[last].text
        return not word[:1].islower() or _SMALL.search(word) is not None


def _adjectives(key: str) -> list[str]:
    """All endings of a word that ends like an inflected adjective; other words as they are."""
    match = _ADJECTIVE.match(key)
    return [match[1] + ending for ending in ("e", "er", "es", "en", "em")] if match else [key]


def _nouns(key: str) -> list[str]:
    """A noun's forms. An ending is added, an umlaut tried, and -n taken off a plural in -en ("Sachen", "Sache")."""
    forms = {key + ending for ending in _NOUN_ENDINGS}
    if _SMALL.search(key):
        forms |= {key + "em"}
    umlaut = _UMLAUT.sub(lambda match: {"au": "äu", "a": "ä", "o": "ö", "u": "ü"}[match[1]], key)
    if umlaut != key:
        forms |= {umlaut + ending for ending in ("", "e", "en", "er", "ern")}
    if len(key) > 4 and key.endswith("en"):
        forms.add(key[:-1])
    # A bracket repeats the case of what stands before it: "eines Angestellten (Arbeitnehmers)".
    if len(key) > 6 and key.endswith("ers"):
        forms.add(key[:-1])
    return sorted(forms)
