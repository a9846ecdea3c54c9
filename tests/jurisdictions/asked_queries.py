"""What a written reference asks the store for, as the tables of tests spell it."""

from __future__ import annotations

from rag.jurisdictions.registry import jurisdiction_for
from retrieval.references.pipeline import checked_reference
from retrieval.tag_query import TagQuery


def asked_for(query: TagQuery) -> str:
    """The URNs of a query, or its tags and their values."""
    filters = query.tag_filters.filters
    if filters[0].key == "urn":
        return "|".join(filters[0].values)
    return "&".join(f"{tag_filter.key}={'|'.join(tag_filter.values)}" for tag_filter in filters)


def queries_of(code: str, written: str) -> list[TagQuery]:
    """The queries that a jurisdiction reads in a reference."""
    return jurisdiction_for(code).tag_queries(checked_reference(written))
