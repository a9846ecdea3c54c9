"""Decisions by the names of their parties: "Brown v. Board of Education", "R (Miller) v The Prime Minister"."""

from __future__ import annotations

from rag.law.patterns import lazy
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

BY_PARTIES = "decision by the names of its parties"
_PARTIES = lazy(r"(?P<first>[A-Z][^§\[\]\d]{0,80})\s(?:v\.?|vs\.?)\s(?P<second>[A-Z][^§\[\]]{1,80})\Z")


def party_queries(reference: str, joint: str) -> list[TagQuery]:
    """The candidate query for a string that is two parties and nothing else.

    Args:
        reference: the whole string.
        joint: what stands between them in the names of this law's decisions, `v.` or `v`.
    """
    match = _PARTIES.match(reference.strip())
    if match is None:
        return []
    name = TagFilter("case_name", TagFilterOp.ILIKE, f"{match['first']} {joint} {match['second']}")
    return [TagQuery(language="en", kind="decision", tag_filters=TagFilterSet((name,)), hint=BY_PARTIES)]
