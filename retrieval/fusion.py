"""Fusion of legs by their normalised scores. Pure and exact: the same hits give the same order everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.lexical import LegHit

# Shares of the legs; those that ran are scaled to one. Chosen on D.C. and eCFR questions until a dev set measures them.
WEIGHTS = {"lexical": 0.4, "dense": 0.6, "synonym": 0.2}
_DIGITS = 9  # scores are compared after rounding, so that no last bit of a sum decides an order


@dataclass(frozen=True, slots=True)
class FusedRule:
    """A candidate rule: its best hit, and that hit's normalised score in each leg."""

    jurisdiction: str
    rule_id: int
    hit: LegHit
    score: float
    legs: dict[str, float]


def normalise(hits: Sequence[LegHit]) -> dict[tuple[str, int], float]:
    """Scores of one leg scaled to its best, 0 to 1."""
    top = max((one.score for one in hits), default=0.0)
    return {(one.jurisdiction, one.id): max(one.score, 0.0) / top for one in hits} if top > 0 else {}


def fuse(legs: Mapping[str, Sequence[LegHit]]) -> list[FusedRule]:
    """Fuse legs and group nodes under their rules, best first; ties break on the URN.

    A rule scores as its best node: a section is offered for its best paragraph, not for its length.
    """
    ran = {name: hits for name, hits in legs.items() if hits}
    share = sum(WEIGHTS[name] for name in sorted(ran)) or 1.0
    normalised = {name: normalise(hits) for name, hits in ran.items()}
    nodes = {(hit.jurisdiction, hit.id): hit for hits in ran.values() for hit in hits}
    best: dict[tuple[str, int], FusedRule] = {}
    for key, hit in nodes.items():
        scores = {name: round(found[key], _DIGITS) for name, found in normalised.items() if key in found}
        total = round(sum(WEIGHTS[name] * scores[name] for name in sorted(scores)) / share, _DIGITS)
        one = FusedRule(hit.jurisdiction, hit.rule_id, hit, total, scores)
        known = best.get((hit.jurisdiction, hit.rule_id))
        if known is None or (-total, hit.urn, hit.id) < (-known.score, known.hit.urn, known.hit.id):
            best[(hit.jurisdiction, hit.rule_id)] = one
    return sorted(best.values(), key=lambda one: (-one.score, one.hit.urn, one.hit.id))
