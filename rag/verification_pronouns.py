"""Pronouns of a claim and the words of the law that they stand for, in English. Pure.

`If the committee has outstanding checks, it must notify the Commission` says what the sentence says that repeats `the
committee`. A pronoun is read as the law's own words only where no other noun of the claim can be meant. A claim that
begins with one, as a second sentence does, is served with those words in brackets, as quotations are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.operator_languages import is_english
from rag.operators import content_stem, is_neutral
from rag.verification_text import fold
from rag.verification_words_parts import FINITE

_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?|[^\w\s]")
_SINGULAR, _PLURAL = frozenset({"it", "he", "she", "him"}), frozenset({"they", "them"})
_DETERMINERS = frozenset({"the", "a", "an", "any", "each", "every", "such", "said", "this", "that"})
# Between a subject and its verb these tell nothing of either.
_MODALS = frozenset(FINITE["en"] | {"had", "not"}) - {"means", "includes"}
_MOST_WORDS = 5
_LOOK_AHEAD = 8


@dataclass(frozen=True, slots=True)
class Explained:
    """A claim whose pronouns are explained: `served` is what a reader sees, `compared` what is held against the law."""

    served: str
    compared: str


def explain_pronouns(claim: str, norm: str, language: str) -> Explained | None:
    """Put the law's words for the pronouns of a claim; None where it has none that can be explained.

    Args:
        claim: the proposal's words.
        norm: the whole sentences that it rests on.
        language: of both; only English pronouns are read.
    """
    if not is_english(language):
        return None
    claim, law = fold(claim), fold(norm)
    served = compared = claim
    shift = 0
    for match in _WORD.finditer(claim):
        pronoun = match[0].lower()
        if pronoun not in _SINGULAR | _PLURAL:
            continue
        found = _noun_for(claim, match.start(), match.end(), law)
        if found is None or (pronoun in _PLURAL) != _is_plural(found):
            continue
        opens = match.start() == 0
        if not opens and _nouns(claim[: match.start()], plural=pronoun in _PLURAL) != {_bare(found)}:
            continue
        words = found[0].upper() + found[1:] if opens else found
        compared = compared[: match.start() + shift] + words + compared[match.end() + shift :]
        shift += len(words) - len(match[0])
        if opens:
            served = f"[{words}]{claim[match.end() :]}"
    return Explained(served, compared) if shift else None


def _is_plural(noun: str) -> bool:
    last = noun.split()[-1].lower()
    return last.endswith("s") and not last.endswith("ss")


def _bare(noun: str) -> str:
    """The last word of a noun phrase, which names what it is."""
    return noun.split()[-1].lower()


def _nouns(text: str, *, plural: bool) -> set[str]:
    """What words with a determiner a pronoun after this text may mean."""
    words = [match[0].lower() for match in _WORD.finditer(text)]
    found: set[str] = set()
    for place, word in enumerate(words):
        if word not in _DETERMINERS:
            continue
        phrase: list[str] = []
        for one in words[place + 1 : place + _MOST_WORDS]:
            if not one[0].isalnum() or one in _MODALS or is_neutral(one) or one in {"and", "or", "from"}:
                break
            phrase.append(one)
        found |= {one for one in phrase[:1] + phrase[-1:] if _is_plural(one) is plural} if len(phrase) < 3 else {"?"}
    return found


def _content(text: str, *, last: bool) -> str:
    """The stem of the content word that stands nearest before, or after, a place; empty where there is none."""
    words = [match[0].lower() for match in _WORD.finditer(text)]
    near = words[::-1][:_LOOK_AHEAD] if last else words[:_LOOK_AHEAD]
    return next((content_stem(one) for one in near if one[0].isalpha() and not _empty(one)), "")


def _empty(word: str) -> bool:
    return is_neutral(word) or word in _MODALS


def _noun_for(claim: str, start: int, end: int, law: str) -> str | None:
    """The noun phrase that the law has where the claim has a pronoun, told by the content words on both sides."""
    left, right = _content(claim[:start], last=True), _content(claim[end:], last=False)
    if not right or (start and not left):
        return None
    words = list(_WORD.finditer(law))
    for place, word in enumerate(words):
        if word[0].lower() not in _DETERMINERS:
            continue
        if _content(law[: word.start()], last=True) != left:
            continue
        size = 1
        while place + size < len(words) and size < _MOST_WORDS:
            one = words[place + size]
            stop = not one[0][0].isalnum() or _empty(one[0].lower())
            if stop or _content(law[one.start() :], last=False) == right:
                break
            size += 1
        last = words[place + size - 1]
        if size > 1 and _content(law[last.end() :], last=False) == right:
            return law[word.start() : last.end()]
    return None
