"""Fusion of legs by their normalised scores. Pure and exact: the same hits give the same order everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retrieval.entry_points.agreement import Reach
from retrieval.entry_points.lexical import LegHit

# Shares of the legs; those that ran are scaled to one. The first two were chosen on ObliQA dev with all-MiniLM-L6-v2,
# where anything from 0.5 to 0.6 for the lexical leg is equally good (`python -m evals retrieval`).
WEIGHTS = {"lexical": 0.55, "dense": 0.45, "synonym": 0.2}
# The synonym leg's share beside the dense one: where a model reads the question, a thesaurus that misses must not
# displace what the others agree on. Of 0.1 to 0.3, whichever of twelve sets of colloquial questions is left out, the
# others choose this one; more makes the questions better that the thesauri were written for, and strangers' worse.
SYNONYM_BESIDE_DENSE = 0.15
# Words of the question, counted in words that next to no node has, from which on a node that has them is no accident.
# Chosen on ObliQA dev and on the English colloquial questions of dev, test and fresh without a thesaurus, and of blind
# and blind2; anything from 1.75 to 2.5 does nearly as well on all.
WORTH = 2.0
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


def trust(reach: Reach | None) -> float:
    """What the lexical leg's share is worth beside another leg that ranks everything, 0 to 2.

    People speak in words that the law does not use; the best hit for them is then the best of wrong ones. A node that
    has nearly all that is asked, or enough rare words of a long question, is none of these, and one that has both is
    surer than any similarity.

    Args:
        reach: how far the leg's first hits have what the question says; 1 is the answer where nothing is known.
    """
    if reach is None:
        return 1.0
    share, worth = min(reach.share, 1.0), min(reach.worth / WORTH, 1.0)
    return max(share, worth) ** 2 * (1 + (share * worth) ** 2)


def fuse_nodes(legs: Mapping[str, Sequence[LegHit]], reach: Reach | None = None) -> list[FusedNode]:
    """Fuse legs, best node first; ties break on the URN.

    A leg that did not run, or found nothing, has no share; a node that a leg did not score has 0 of it.

    Args:
        legs: what each found.
        reach: how far the lexical leg's first hits have what the question says; see `trust`.
    """
    ran = {name: legs[name] for name in sorted(legs) if legs[name]}  # in one order: a sum depends on it
    weights = {name: WEIGHTS[name] for name in ran}
    if "dense" in ran:
        beside = {"lexical": WEIGHTS["lexical"] * trust(reach), "synonym": SYNONYM_BESIDE_DENSE}
        weights |= {name: beside[name] for name in ran if name in beside}
    share = sum(weights.values()) or 1.0
    nodes = {(hit.jurisdiction, hit.id): hit for hits in ran.values() for hit in hits}
    totals = dict.fromkeys(nodes, 0.0)
    scores: dict[tuple[str, int], dict[str, float]] = {key: {} for key in nodes}
    for name, hits in ran.items():
        full = PHRASES if name == "synonym" else 0.0
        for key, score in normalise(hits, has_zero=name not in _WITHOUT_ZERO, full=full).items():
            scores[key][name] = score
            totals[key] += weights[name] * score
    fused = [FusedNode(hit, round(totals[key] / share, _DIGITS), scores[key]) for key, hit in nodes.items()]
    return sorted(fused, key=lambda one: (-one.score, one.hit.urn, one.hit.id))


def fuse(legs: Mapping[str, Sequence[LegHit]], reach: Reach | None = None) -> list[FusedRule]:
    """Fuse legs, as `fuse_nodes` does, and group nodes under their rules, best first; ties break on the URN.

    A rule scores as its best node: a section is offered for its best paragraph, not for its length.
    """
    best: dict[tuple[str, int], FusedRule] = {}
    for one in fuse_nodes(legs, reach):
        key = (one.hit.jurisdiction, one.hit.rule_id)
        if key not in best:
            best[key] = FusedRule(*key, one.hit, one.score, one.legs)
    return list(best.values())
