"""Similarities of nodes that another leg found, so that fusion compares like with like. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from retrieval.bm25 import Candidate
from retrieval.lexical import LegHit


def similar_hits(found: Iterable[Candidate]) -> list[LegHit]:
    """Nodes that have a similarity, scored by it, in their order."""
    return [LegHit._make((*one[:5], one.similarity)) for one in found if one.similarity is not None]


def with_similarities(
    nearest: Sequence[LegHit], others: Sequence[LegHit], similarities: Mapping[tuple[str, int], float]
) -> list[LegHit]:
    """The dense leg's ranking, followed by the nodes of other legs that it did not reach, by their similarity.

    A node without a vector has no similarity and is left out.

    Args:
        nearest: what the dense leg found.
        others: what other legs found.
        similarities: of these by jurisdiction and version id, where they have one.
    """
    known = {(one.jurisdiction, one.id) for one in nearest}
    missing = {key: one for one in others if (key := (one.jurisdiction, one.id)) not in known}
    scored = [one._replace(score=similarities[key]) for key, one in missing.items() if key in similarities]
    return [*nearest, *sorted(scored, key=lambda one: (-one.score, one.urn, one.id))]
