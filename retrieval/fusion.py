"""Fusion of legs by their normalised scores. Pure and exact: the same hits give the same order everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.lexical import LegHit

# Shares of the legs; those that ran are scaled to one. The first two were chosen on ObliQA dev with all-MiniLM-L6-v2,
# where anything from 0.5 to 0.6 for the lexical leg is equally good (`python -m evals retrieval`).
WEIGHTS = {"lexical": 0.55, "dense": 0.45, "synonym": 0.2}
# A leg whose scores have no zero of their own, such as similarities: only their distances say something.
_WITHOUT_ZERO = frozenset({"dense"})
_DIGITS = 9  # scores are compared after rounding, so that no last bit of a sum decides an order


@dataclass(frozen=True, slots=True)
class FusedNode:
    """A node that a leg found, its fused score and its normalised score in each leg, 0 to 1."""

    hit: LegHit
    score: float
    legs: dict[str, float]


@dataclass(frozen=True, slots=True)
class FusedRule:
    """A candidate rule: its best hit, and that hit's normalised score in each leg."""

    jurisdiction: str
    rule_id: int
    hit: LegHit
    score: float
    legs: dict[str, float]


def normalise(hits: Sequence[LegHit], *, has_zero: bool = True) -> dict[tuple[str, int], float]:
    """Scores of one leg scaled to its best, 0 to 1.

    Args:
        hits: each node once.
        has_zero: a score of 0 says "nothing"; otherwise the least score of the leg takes its place.
    """
    top = max((one.score for one in hits), default=0.0)
    # Where all are equal there is no distance to tell by, and each is the best.
    least = 0.0 if has_zero else min((one.score for one in hits if one.score < top), default=0.0)
    scale = top - least
    if not scale > 0 < top:
        return {}
    return {(one.jurisdiction, one.id): round(max(one.score - least, 0.0) / scale, _DIGITS) for one in hits}


def fuse_nodes(legs: Mapping[str, Sequence[LegHit]]) -> list[FusedNode]:
    """Fuse legs, best node first; ties break on the URN.

    A leg that did not run, or found nothing, has no share; a node that a leg did not score has 0 of it.
    """
    ran = {name: legs[name] for name in sorted(legs) if legs[name]}  # in one order: a sum depends on it
    share = sum(WEIGHTS[name] for name in sorted(ran)) or 1.0
    normalised = {name: normalise(ran[name], has_zero=name not in _WITHOUT_ZERO) for name in ran}
    nodes = {(hit.jurisdiction, hit.id): hit for hits in ran.values() for hit in hits}
    fused: list[FusedNode] = []
    for key, hit in nodes.items():
        scores = {name: found[key] for name, found in normalised.items() if key in found}
        total = sum(WEIGHTS[name] * score for name, score in scores.items()) / share
        fused.append(FusedNode(hit, round(total, _DIGITS), scores))
    return sorted(fused, key=lambda one: (-one.score, one.hit.urn, one.hit.id))


def fuse(legs: Mapping[str, Sequence[LegHit]]) -> list[FusedRule]:
    """Fuse legs and group nodes under their rules, best first; ties break on the URN.

    A rule scores as its best node: a section is offered for its best paragraph, not for its length.
    """
    best: dict[tuple[str, int], FusedRule] = {}
    for one in fuse_nodes(legs):
        key = (one.hit.jurisdiction, one.hit.rule_id)
        best.setdefault(key, FusedRule(*key, one.hit, one.score, one.legs))
    return list(best.values())
