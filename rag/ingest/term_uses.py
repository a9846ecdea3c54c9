"""Which defined terms a text uses. One pass over the text's words, whatever the number of terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from rag.jurisdictions.english import ENGLISH
from rag.jurisdictions.phrases import Phrases

_TOKEN = re.compile(r"[^\W_]+(?:[’'][^\W_]+)*|[^\w\s]|_")
_POSSESSIVE = re.compile(r"[’']s\Z")
_QUOTES = "“”\"‘’'«»„‚`"
_HYPHENS = "-‐‑"


def normalise_term(term: str, phrases: Phrases = ENGLISH) -> str:
    """The form under which terms are compared.

    NFC, lower case, quotation marks and outer punctuation stripped, white space as single spaces, a leading article
    dropped (unless nothing else is left).
    """
    words = unicodedata.normalize("NFC", term).casefold().replace("’", "'").split()
    text = " ".join(words).strip(_QUOTES + " ,.;:")
    first, _, rest = text.partition(" ")
    return rest.strip(_QUOTES + " ") if first in phrases.articles and rest.strip(_QUOTES + " ") else text


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    key: str  # folded, without possessive
    text: str


@dataclass(slots=True)
class _Branch:
    next: dict[str, _Branch] = field(default_factory=dict[str, "_Branch"])
    terms: list[str] = field(default_factory=list[str])  # terms that end here


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        word = match[0]
        base = _POSSESSIVE.sub("", word)
        key = unicodedata.normalize("NFC", base).casefold().replace("’", "'")
        tokens.append(_Token(match.start(), match.start() + len(base), key, word))
    return tokens


def _plurals(word: str, phrases: Phrases) -> list[str]:
    """The plural forms of a singular word, by the first suffix rule that fits; a vowel before y keeps it."""
    for singular, plural in phrases.plural_suffixes:
        if word.endswith(singular) and not (singular == "y" and word[-2:-1] in "aeiou"):
            return [word[: len(word) - len(singular)] + plural] if word[-1:].isalpha() else []
    return []


class TermIndex:
    """Terms prepared for finding. Terms are normalised ones (`normalise_term`)."""

    def __init__(self, terms: Iterable[str], phrases: Phrases = ENGLISH) -> None:
        self._phrases = phrases
        self._root = _Branch()
        for term in sorted(set(terms)):
            keys = [token.key for token in _tokens(term)]
            if not keys:
                continue
            forms = {keys[-1], *_plurals(keys[-1], phrases)}
            # A term of several words defined in the plural is used in the singular too; one word is not cut, since
            # "goods" is no plural of "good".
            if len(keys) > 1 and keys[-1].endswith("s") and not keys[-1].endswith("ss"):
                forms.add(keys[-1][:-1])
            for form in sorted(forms):
                branch = self._root
                for key in (*keys[:-1], form):
                    branch = branch.next.setdefault(key, _Branch())
                branch.terms.append(term)

    def find(
        self, text: str, allowed: Collection[str] | None = None, *, heading: bool = False
    ) -> list[tuple[int, int, str]]:
        """The uses of terms in a text, longest first at each place, without overlap.

        Args:
            text: the text.
            allowed: the terms in scope; None: all. A longer term out of scope does not hide a shorter one in it.
            heading: the text is a heading, whose capitals say nothing about proper names.

        Returns:
            (start, end, normalised term) in order; a possessive ending lies outside the span.
        """
        tokens = _tokens(text)
        found: list[tuple[int, int, str]] = []
        position = 0
        while position < len(tokens):
            branch = self._root.next.get(tokens[position].key)
            best: tuple[int, str] | None = None
            at = position
            while branch is not None:
                for term in branch.terms:
                    if allowed is None or term in allowed:
                        best = (at, term)
                        break
                at += 1
                branch = branch.next.get(tokens[at].key) if at < len(tokens) else None
            if best is None or not self._is_use(text, tokens, position, best[0], heading=heading):
                position += 1
                continue
            found.append((tokens[position].start, tokens[best[0]].end, best[1]))
            position = best[0] + 1
        return found

    def _is_use(self, text: str, tokens: list[_Token], first: int, last: int, *, heading: bool) -> bool:
        start = tokens[first].start
        if start and text[start - 1] in _HYPHENS and text[start - 2 : start - 1].isalnum():
            return False
        if first == last and self._is_verb(tokens, first):
            return False
        return heading or not self._in_proper_name(tokens, first, last)

    def _is_verb(self, tokens: list[_Token], at: int) -> bool:
        """Whether a one-word term is a verb here: "may lease the unit", "fails to act"."""
        phrases = self._phrases
        before = tokens[at - 1].key if at else ""
        earlier = tokens[at - 2].key if at > 1 else ""
        after = tokens[at + 1].key if at + 1 < len(tokens) else ""
        if before in phrases.modals:
            return True
        if before == "[" and after in phrases.determiners:
            return True
        return before == "to" and (after in phrases.determiners or earlier in phrases.refusals)

    def _in_proper_name(self, tokens: list[_Token], first: int, last: int) -> bool:
        """Whether capitals around the words show a name: "Equal Credit Opportunity Act" does not use "act"."""
        if not tokens[first].text[:1].isupper():
            return False
        after = tokens[last + 1].text if last + 1 < len(tokens) else ""
        if after[:1].isupper() and not after.isupper() and after not in self._phrases.openers:
            return True
        before = first - 1
        while before > 0 and tokens[before].text in self._phrases.name_joints:
            before -= 1
        word = tokens[before].text if before >= 0 else ""
        opens = before <= 0 or tokens[before - 1].text in ".;:!?—()"
        return word[:1].isupper() and word not in self._phrases.openers and not (opens and before == first - 1)


def find_terms(text: str, terms: Mapping[str, object], phrases: Phrases = ENGLISH) -> list[tuple[int, int, str]]:
    """The uses of terms in a text, as at question time.

    Args:
        text: any text.
        terms: normalised terms as keys; the values are the caller's own.
        phrases: the words of the text's language.

    Returns:
        (start, end, normalised term) in order, without overlap.
    """
    return TermIndex(terms, phrases).find(text)
