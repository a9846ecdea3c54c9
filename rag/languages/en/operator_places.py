"""How an English content word is meant, told by the small words before it and by its own ending. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rag.languages.base import Place
from rag.languages.en import operator_words as words
from rag.languages.en.tokens import IRREGULAR_PLURALS, PARTICIPLES, Token

_PREPOSITIONS = {
    **{word: word for word in ("of", "for", "with", "to", "by", "as", "under")},
    **dict.fromkeys(("in", "on", "at", "into"), "in"),
}
_DETERMINERS = words.DETERMINERS | words.POSSESSIVES | {"these", "those"}
_REFERRING = words.POSSESSIVES | {"such", "said", "this", "these", "those"}
_POINTING = _REFERRING | {"the", "that"}
_ANYBODY = frozenset({"a", "an", "any", "no", "each", "every", "all"})

_QUANTIFIERS = frozenset({"every", "each", "all", "both", "either", "neither"})
_FIGURES = frozenset({"num", "ordinal", "enum", "sym"})
_COUNTS = frozenset(f"{words.CARDINALS} {words.TENS} {words.ORDINALS} percent".split())
_TIMES = {"is": "now", "are": "now", "am": "now", "does": "now", "do": "now", "was": "past", "were": "past",
          "had": "past", "did": "past", "has": "done", "have": "done"}  # fmt: skip
# What is between an auxiliary and its word: `was not a`, `has been in`.
_WITHIN_VERB = _DETERMINERS | _PREPOSITIONS.keys() | {"not", "been", "being", "so", "also", "then"}
_PAST = PARTICIPLES | {"gave", "took"}
_NO_ENDING = frozenset({"agreed", "guaranteed", "decreed", "freed"})  # `eed` of their own; `proceed` has no ending


def place_of(tokens: Sequence[Token], position: int, phrase_end: int, relation: str = "") -> Place:
    """What stands around the word at a position.

    Args:
        tokens: of the whole text.
        position: of the word.
        phrase_end: the position after the last operator phrase, whose words are no prepositions of their own.
        relation: the preposition that this phrase stands for; empty where it is none.
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
    if before >= phrase_end:
        preposition = _PREPOSITIONS.get(_word(tokens, before), "")
    else:
        preposition = relation if before == phrase_end - 1 else ""
    word = tokens[position].text
    bare = not determiner and _word(tokens, position + 1) == "to"  # `relating to` is `related to`
    return Place(
        preposition, determiner, "" if bare else _ending(word), _time(tokens, position), _number(tokens, position)
    )


def is_participle(word: str) -> bool:
    """Whether a word after a form of `be` makes a passive."""
    return (word.endswith("ed") and len(word) > 3) or word in PARTICIPLES


def _word(tokens: Sequence[Token], position: int) -> str:
    return tokens[position].text if 0 <= position < len(tokens) and tokens[position].kind == "word" else ""


def _ending(word: str) -> str:
    if word.endswith("ing"):
        return "ing"
    if word.endswith(("eed", "eeds")) and word not in _NO_ENDING:
        return ""
    return "ed" if (word.endswith("ed") and len(word) > 3) or word in _PAST else ""


def _time(tokens: Sequence[Token], position: int) -> str:
    """The time that the auxiliary before a word tells; empty where none does."""
    at = position - 1
    while _word(tokens, at) in _WITHIN_VERB:
        at -= 1
    time = _TIMES.get(_word(tokens, at), "")
    helps = _ending(tokens[position].text) == "ed" or _word(tokens, at + 1) == "been"
    return "now" if time == "done" and not helps else time  # `has a licence`


def _number(tokens: Sequence[Token], position: int) -> str:
    """Whether a noun with a determiner, an adjective between them or none, means one thing or several."""
    at = position - 1
    if _word(tokens, at) not in _DETERMINERS:
        at -= 1
    determiner, word = _word(tokens, at), tokens[position].text
    many = word in IRREGULAR_PLURALS or (len(word) > 3 and word[-1] == "s" and word[-2] not in "sui")
    if determiner in _POINTING:
        return "many" if many else "one"
    return "one" if determiner in _ANYBODY and not many else ""


def is_meant_otherwise(claim: Place, norm: Place, *, denied: bool) -> bool:
    """Whether a word of a claim stands otherwise than the same word of the law.

    `Of the tenant` is not `for the tenant`, `any tenant` is more than `the tenant`, `property` more than `such
    property`, `a director` less than `the directors`; `is insolvent` is not `was insolvent`, and `the requesting State`
    not `the requested State`. A preposition that only one of them has is another way of saying it, but for `by`.
    Where the sentence is `denied`, `any debt` is all debts; elsewhere it may be `the debt`.
    """
    one, other = claim.preposition, norm.preposition
    if one != other and ((one and other) or "by" in {one, other}):
        return True
    if claim.determiner == "any" and norm.determiner in _POINTING:
        return True
    if denied and norm.determiner == "any" and claim.determiner in _POINTING:
        return True
    if claim.determiner in _ANYBODY | {""} and norm.determiner in _REFERRING:
        return True
    if claim.determiner in words.POSSESSIVES and norm.determiner in _ANYBODY:
        return True
    if {claim.number, norm.number} == {"one", "many"}:
        return True
    return {claim.time, norm.time} in _OTHER_TIMES or (
        claim.ending != norm.ending and "ed" in {claim.ending, norm.ending}
    )


_OTHER_TIMES = ({"now", "past"}, {"now", "done"})
