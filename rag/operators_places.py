"""How an English content word is meant, told by the small words before it and by its own ending. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rag import verification_words as words
from rag.operators_model import Place
from rag.verification_tokens import PARTICIPLES, Token

_PREPOSITIONS = {
    **{word: word for word in ("of", "for", "with", "to", "by", "as")},
    **dict.fromkeys(("in", "on", "at", "into"), "in"),
}
_DETERMINERS = words.DETERMINERS | words.POSSESSIVES | {"these", "those"}
_POINTING = words.POSSESSIVES | {"the", "such", "said", "that", "this", "these", "those"}

_QUANTIFIERS = frozenset({"every", "each", "all", "both", "either", "neither"})
_FIGURES = frozenset({"num", "ordinal", "enum", "sym"})
_COUNTS = frozenset(f"{words.CARDINALS} {words.TENS} {words.ORDINALS} percent".split())


def place_of(tokens: Sequence[Token], position: int, phrase_end: int) -> Place:
    """What stands around the word at a position.

    Args:
        tokens: of the whole text.
        position: of the word.
        phrase_end: the position after the last operator phrase, whose words are no prepositions of their own.
    """
    before = position - 1
    while before >= phrase_end and (tokens[before].kind in _FIGURES or _word(tokens, before) in _COUNTS):
        before -= 1  # `by the first carrier`
    if _word(tokens, before) in _QUANTIFIERS:
        before, phrase_end = before - 1, 0  # `to every member`
    determiner = _word(tokens, before)
    if determiner in _DETERMINERS:
        before -= 1
    else:
        determiner = ""
    preposition = _PREPOSITIONS.get(_word(tokens, before), "") if before >= phrase_end else ""
    return Place(preposition, determiner, _ending(tokens[position].text) if determiner else "")


def _word(tokens: Sequence[Token], position: int) -> str:
    return tokens[position].text if 0 <= position < len(tokens) and tokens[position].kind == "word" else ""


def _ending(word: str) -> str:
    if word.endswith("ing"):
        return "ing"
    return "ed" if word.endswith("ed") or word in PARTICIPLES else ""


def is_meant_otherwise(claim: Place, norm: Place) -> bool:
    """Whether a word of a claim stands otherwise than the same word of the law.

    `Of the tenant` is not `for the tenant`, `any tenant` is more than `the tenant`, and `the requesting State` is not
    `the requested State`. A preposition that only one of them has is another way of saying it, but for `by`.
    """
    one, other = claim.preposition, norm.preposition
    if one != other and ((one and other) or "by" in {one, other}):
        return True
    if claim.determiner == "any" and norm.determiner in _POINTING:
        return True
    return {claim.ending, norm.ending} == {"ing", "ed"}
