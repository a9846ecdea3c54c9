"""Fusion of legs by their normalised scores. Pure and exact: the same hits give the same order everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retrieval.lexical import LegHit

# Shares of the legs; those that ran are scaled to one. The first two were chosen on ObliQA dev with all-MiniLM-L6-v2,
# where anything from 0.5 to 0.6 for the lexical leg is equally good (`python -m evals retrieval`).
WEIGHTS = {"lexical": 0.55, "dense": 0.45, "synonym": 0.2}
# The lexical leg has its whole share where one of its first hits has this much of what the question says, and less, by
# the square, where people speak in words that the law does not use: its best hit is then the best of wrong ones. Chosen
# on ObliQA dev and on the English colloquial questions of dev, test and fresh, with a thesaurus not written for them.
REACHED = 0.6
# Phrases of the question that a node has to have a sure and rare term of, for the whole share of the synonym leg: what
# hardly says anything must not count in full for want of a better one.
PHRASES = 1.0
# A leg whose scores have no zero of their own, such as similarities: only their distances say something.
_WITHOUT_ZERO = frozenset({"dense"})
_DIGITS = 9  # scores are compared after rounding, so that no last bit of a sum decides an order


class FusedNode(NamedTuple):
    """A node that a leg found, its fused score and its normalised score in each leg, 0 to 1."""

    hit: LegHit
    score: float
    legs: dict[str, float]


class FusedRule(NamedTuple):
    """A candidate rule: its best hit, and that hit's normalised score in each leg."""

    jurisdiction: str
    rule_id: int
    hit: LegHit
    score: float
    legs: dict[str, float]


def normalise(hits: Sequence[LegHit], *, has_zero: bool = True, full: float = 0.0) -> dict[tuple[str, int], float]:
    """Scores of one leg scaled to its best, 0 to 1.

    Args:
        hits: each node once.
        has_zero: a score of 0 says "nothing"; otherwise the least score of the leg takes its place.
        full: a score that counts as 1 where none is higher; 0 for the best one, whatever it is.
    """
    top = max((one.score for one in hits), default=0.0)
    # Where all are equal there is no distance to tell by, and each is the best.
    least = 0.0 if has_zero else min((one.score for one in hits if one.score < top), default=0.0)
    scale = max(top, full) - least
    if not scale > 0 < top:
        return {}
    return {(one.jurisdiction, one.id): round(max(one.score - least, 0.0) / scale, _DIGITS) for one in hits}


def trust(reach: float) -> float:
    """What the lexical leg's share is worth beside another leg that ranks everything, 0 to 1.

    Args:
        reach: the share of what the question says that its first hits have, 0 to 1.
    """
    return min(reach / REACHED, 1.0) ** 2


def fuse_nodes(legs: Mapping[str, Sequence[LegHit]], reach: float = 1.0) -> list[FusedNode]:
    """Fuse legs, best node first; ties break on the URN.

    A leg that did not run, or found nothing, has no share; a node that a leg did not score has 0 of it.

    Args:
        legs: what each found.
        reach: how much of what the question says the lexical leg's first hits have, 0 to 1; see `trust`.
    """
    ran = {name: legs[name] for name in sorted(legs) if legs[name]}  # in one order: a sum depends on it
    weights = {name: WEIGHTS[name] * (trust(reach) if name == "lexical" and "dense" in ran else 1.0) for name in ran}
    share = sum(weights.values()) or 1.0
    normalised = {
        name: normalise(ran[name], has_zero=name not in _WITHOUT_ZERO, full=PHRASES if name == "synonym" else 0.0)
        for name in ran
    }
    nodes = {(hit.jurisdiction, hit.id): hit for hits in ran.values() for hit in hits}
    fused: list[FusedNode] = []
    for key, hit in nodes.items():
        scores = {name: found[key] for name, found in normalised.items() if key in found}
        total = sum(weights[name] * score for name, score in scores.items()) / share
        fused.append(FusedNode(hit, round(total, _DIGITS), scores))
    return sorted(fused, key=lambda one: (-one.score, one.hit.urn, one.hit.id))


def fuse(legs: Mapping[str, Sequence[LegHit]], reach: float = 1.0) -> list[FusedRule]:
    """Fuse legs, as `fuse_nodes` does, and group nodes under their rules, best first; ties break on the URN.

    A rule scores as its best node: a section is offered for its best paragraph, not for its length.
    """
    best: dict[tuple[str, int], FusedRule] = {}
    for one in fuse_nodes(legs, reach):
        key = (one.hit.jurisdiction, one.hit.rule_id)
        best.setdefault(key, FusedRule(*key, one.hit, one.score, one.legs))
    return list(best.values())
