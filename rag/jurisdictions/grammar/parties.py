"""Decisions by the names of their parties: "Brown v. Board of Education", "R (Miller) v The Prime Minister"."""

from __future__ import annotations

from rag.law.patterns import lazy
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

BY_PARTIES = "decision by the names of its parties"
_PARTIES = lazy(r"(?P<first>[A-Z][^§\[\]\d]{0,80})\s(?:v\.?|vs\.?)\s(?P<second>[A-Z][^§\[\]]{1,80})\Z")


_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)?")
_TELLING = 4  # letters of a word that names abbreviate no further; a shorter one tells only where a party has no other


def party_queries(reference: str, joint: str) -> list[TagQuery]:
    """The candidate query for a string that is two parties and nothing else: a name with the words of both.

    Args:
        reference: the whole string.
        joint: what is between them in the names of this law's decisions, `v.` or `v`.
    """
    match = _PARTIES.match(reference.strip())
    if match is None:
        return []
    words = [word for side in ("first", "second") for word in _telling(match[side])]
    named = (TagFilter("case_name", TagFilterOp.ILIKE, word) for word in (f" {joint} ", *dict.fromkeys(words)))
    return [TagQuery(language="en", kind="decision", tag_filters=TagFilterSet((*named,)), hint=BY_PARTIES)]


def _telling(party: str) -> list[str]:
    words: list[str] = [match[0] for match in _WORD.finditer(party)]
    return [word for word in words if len(word) >= _TELLING] or words
