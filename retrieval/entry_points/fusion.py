"""Fusion of legs. Pure and exact: the same hits give the same order everywhere.

Words alone are fused by their normalised scores. Beside vectors a node is worth, in points of similarity,

    the similarity of the node, and of the section that it stands in
  + (WORDS x share^2 + WORD) x its BM25  + PHRASE x its statutory phrases
  - LENGTH x the logarithm of the words of its section
  - SUBDIVISION where its jurisdiction is not the one named

where the share is how much of the question's words, by rarity, one of the first hits by words has: words that say what
the law says decide, and words of a story hardly count. A section of many parts has one near the question by chance more
often than a short one.

Then the first rules are put in order by what stands beside their best nodes, in their sections and chapters.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from retrieval.entry_points.lexical import LegHit, Section, Sections

# Shares of the legs where no vector is compared, scaled to those that ran; chosen on ObliQA dev.
WEIGHTS = {"lexical": 0.55, "synonym": 0.2}
# Chosen on sets of English questions by six authors, whichever of them is left out (0056), LENGTH by three more (0057).
SECTION = 0.3  # of the similarity, that of the mean of the section's vectors; the rest is the node's own
WORDS = 0.05  # where one of the first hits has all of the question's words; with the square of the share less
WORD = 0.0026  # whatever the share
PHRASE = 0.07  # of each of at most MOST_PHRASES
MOST_PHRASES = 2.0
LENGTH, SHORT = 0.02, 80  # a shorter section gains nothing by it: "Repealed." is one word
SUBDIVISION = 0.1


# Phrases of the question that a node has to have a sure and rare term of, for the whole share of the synonym leg: what
# hardly says anything must not count in full for want of a better one.
PHRASES = 1.0
_DIGITS = 9  # scores are compared after rounding, so that no last bit of a sum decides an order


class Order(NamedTuple):
    """What puts the first rules in order beside their score, in points of it: more than the best node tells.

    Attributes:
        rules: how many of the first.
        chapter: of the logarithm of how much of the first BESIDE rules stands in the same chapter.
        share: of what is asked, how much the nodes of the rule that words found have together.
        section: of the similarity of the section's mean.
        phrases: of each statutory phrase of one of the section's nodes, at most MOST_PHRASES.
    """

    rules: int
    chapter: float
    share: float
    section: float = 0.0
    phrases: float = 0.0


# Fitted on pairs of rules of 2,111 English questions in thirteen sets, with vectors that had not learned from the
# set (0070).
BESIDE_VECTORS = Order(50, chapter=0.075, share=0.32, section=0.89, phrases=0.03)
# Fitted by a softmax on 770 German and French questions in ten sets (0065).
WORDS_ALONE = Order(60, chapter=0.15, share=0.8)
BESIDE, STEEP = 30, 8.0  # a rule of the chapter counts by the exponential of STEEP x its score


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
    top = max((hit.score for hit in hits), default=0.0)
    # Where all are equal there is no distance to tell by, and each is the best.
    least = 0.0 if has_zero else min((hit.score for hit in hits if hit.score < top), default=0.0)
    scale = max(top, full) - least
    if not scale > 0 < top:
        return {}
    return {(hit.jurisdiction, hit.id): round(max(hit.score - least, 0.0) / scale, _DIGITS) for hit in hits}


def fuse_nodes(
    legs: Mapping[str, Sequence[LegHit]],
    sections: Sections | None = None,
    share: float = 0.0,
    named: Collection[str] = (),
) -> list[FusedNode]:
    """Fuse legs, best node first; ties break on the URN. The best of all has the score 1.

    A leg that did not run, or found nothing, has no share; a node that a leg did not score has 0 of it, and one without
    a vector the least similarity of all.

    Args:
        sections: where the nodes stand, for those that have a vector.
        share: of the question's words, by rarity, the most that one of the first hits by words has.
        named: the jurisdictions that the request names; those that only lie in them come a little after.
    """
    ran = {name: legs[name] for name in sorted(legs) if legs[name]}  # in one order: a sum depends on it
    nodes = {(hit.jurisdiction, hit.id): hit for hits in ran.values() for hit in hits}
    scores: dict[tuple[str, int], dict[str, float]] = {key: {} for key in nodes}
    for name, hits in ran.items():
        full = PHRASES if name == "synonym" else 0.0
        for key, score in normalise(hits, has_zero=name != "dense", full=full).items():
            scores[key][name] = score
    if "dense" in ran:
        totals = _by_meaning(ran, nodes, sections or {}, WORDS * share * share + WORD, named)
    else:
        share = sum(WEIGHTS[name] for name in ran) or 1.0
        totals = {
            key: sum(WEIGHTS[name] * score for name, score in found.items()) / share for key, found in scores.items()
        }
    fused = [FusedNode(hit, round(totals[key], _DIGITS), scores[key]) for key, hit in nodes.items()]
    return sorted(fused, key=lambda one: (-one.score, one.hit.urn, one.hit.id))


def _by_meaning(
    ran: Mapping[str, Sequence[LegHit]],
    nodes: Collection[tuple[str, int]],
    sections: Sections,
    word: float,
    named: Collection[str],
) -> dict[tuple[str, int], float]:
    """Scores beside vectors, stretched from 0 to 1: only their distances say something."""
    similarities = {(hit.jurisdiction, hit.id): hit.score for hit in ran["dense"]}
    words = {(hit.jurisdiction, hit.id): hit.score for hit in ran.get("lexical", ())}
    phrases = {(hit.jurisdiction, hit.id): min(hit.score, MOST_PHRASES) for hit in ran.get("synonym", ())}
    least = min(similarities.values())
    totals: dict[tuple[str, int], float] = {}
    for key in nodes:
        own = similarities.get(key, least)
        section = sections.get(key)
        around = own if section is None or section.similarity is None else section.similarity
        totals[key] = own + SECTION * (around - own)
        totals[key] += word * words.get(key, 0.0) + PHRASE * phrases.get(key, 0.0)
        totals[key] -= LENGTH * math.log(max(section.words if section else 0, SHORT))
        totals[key] -= SUBDIVISION if named and key[0] not in named else 0.0
    low, high = min(totals.values()), max(totals.values())
    # Where all are equal there is no distance to tell by, and each is the best.
    return {key: (total - low) / (high - low) if high > low else 1.0 for key, total in totals.items()}


def fuse(
    legs: Mapping[str, Sequence[LegHit]],
    sections: Sections | None = None,
    share: float = 0.0,
    named: Collection[str] = (),
) -> list[FusedRule]:
    """Fuse legs, as `fuse_nodes` does, and group nodes under their rules, best first; ties break on the URN.

    A rule scores as its best node: a section is offered for its best paragraph, not for its length. Of the rules of one
    section the best represents it, and the others come after all sections. Where sections are known, the first rules
    are put in order anew, by what surrounds their best nodes.
    """
    known = sections or {}
    best: dict[tuple[str, int], FusedRule] = {}
    for fuse_node in fuse_nodes(legs, sections, share, named):
        key = (fuse_node.hit.jurisdiction, fuse_node.hit.rule_id)
        if key not in best:
            best[key] = FusedRule(*key, fuse_node.hit, fuse_node.score, fuse_node.legs)
    first: dict[tuple[str, int], FusedRule] = {}
    rest: list[FusedRule] = []
    for rule in best.values():
        section = known.get((rule.jurisdiction, rule.hit.id))
        if first.setdefault((rule.jurisdiction, section.id if section else rule.rule_id), rule) is not rule:
            rest.append(rule)
    last = min((rule.score for rule in first.values()), default=0.0)
    ordered = _in_order([*first.values()], legs, known)
    return [*ordered, *(fused_rule._replace(score=min(fused_rule.score, last)) for fused_rule in rest)]


def _in_order(rules: Sequence[FusedRule], legs: Mapping[str, Sequence[LegHit]], sections: Sections) -> list[FusedRule]:
    """Sections' best rules with the first of them put in order anew; each place keeps its score.

    Beside vectors a rule that is first by this order alone does not lead: its score is that of the next.
    """
    if not sections:
        return list(rules)
    order = BESIDE_VECTORS if legs.get("dense") else WORDS_ALONE
    near: dict[tuple[str, int], float] = defaultdict(float)  # chapter -> how much of the first rules it has
    phrases: dict[tuple[str, int], float] = defaultdict(float)
    for hit in legs.get("synonym", ()):
        section = sections.get((hit.jurisdiction, hit.id))
        key = (hit.jurisdiction, section.id if section else hit.rule_id)
        phrases[key] = max(phrases[key], min(hit.score, MOST_PHRASES))

    def weight(rule: FusedRule) -> float:
        return math.exp(STEEP * (rule.score - 1))

    def section_of(rule: FusedRule) -> Section:
        return sections.get((rule.jurisdiction, rule.hit.id), Section(rule.rule_id, None))

    for rule in rules[:BESIDE]:
        near[rule.jurisdiction, section_of(rule).chapter] += weight(rule)
    least = min((hit.score for hit in legs.get("dense", ())), default=0.0)

    def worth(rule: FusedRule) -> float:
        section = section_of(rule)
        others = near[rule.jurisdiction, section.chapter] - weight(rule) if section.chapter else 0.0
        similarity = least if section.similarity is None else section.similarity
        total = rule.score + order.chapter * math.log1p(max(others, 0.0)) + order.share * section.share
        total += order.section * similarity + order.phrases * phrases[rule.jurisdiction, section.id]
        return round(total, _DIGITS)

    placed = [*sorted(rules[: order.rules], key=worth, reverse=True), *rules[order.rules :]]  # ties stay as they were
    scores = [rule.score for rule in rules]
    if legs.get("dense") and placed[:1] != [*rules[:1]]:
        scores[0] = scores[1]
    return [rule._replace(score=score) for rule, score in zip(placed, scores, strict=True)]
