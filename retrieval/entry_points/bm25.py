"""BM25 over candidates that the store found, with fields, word pairs and company. Pure: the same rows, the same order.

score = BM25 of the node's own words
      + AROUND x the words around it (its ancestors' headings and lead-ins), without length
      + PAIR x neighbouring words of the question that stand together in the node
      (all of that x DEFINITION for a node that defines)
      + COMPANY x the best such sum among the candidates of its document, and of the part it stands in
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retrieval.entry_points.word_places import Places, read_places

# Chosen on ObliQA dev (2,788 questions over 13,705 passages) and on headings, terms and colloquial questions over codes
# in four languages (`python -m evals retrieval`), and none of them is at an edge of what does well there. AROUND is the
# exception: 0.2 is better by 0.3 points of R@10 on ObliQA, 0.5 for the short paragraphs of a code.
K1, B = 0.9, 0.6
RARITY = 0.8  # power of the inverse document frequency: one odd word must not outvote a question
AROUND = 0.5
PAIR = 0.6
COMPANY = 0.15
# What is asked for is the rule; the definitions of its words come with it, whichever of them was found.
DEFINITION = 0.85
TURNED = 0.5  # "fee for a key", asked as "key fee"
POOL = 250  # nodes that a pair is counted among, where as many match
PAIR_DISTANCE = 3  # words: "interest on the deposit" holds the pair "interest deposit"
_DIGITS = 9


class Word(NamedTuple):
    """A word that is searched for."""

    lexeme: str
    idf: float  # inverse document frequency in the law searched, times the word's weight in the question
    places: Sequence[int]  # where it stands in the question; empty for a word that only a synonym brings
    kin: str = ""  # the question's own word that this one is searched beside; of the two the better counts


class Candidate(NamedTuple):
    """A node that a leg found; a tuple, since a question makes hundreds."""

    jurisdiction: str
    id: int
    node_id: int
    urn: str
    rule_id: int
    document_id: int
    part_id: int  # the node two levels above, at most the root
    branch_id: int  # the fourth node of its line from the root on, or itself above that: about a chapter
    defines: bool  # the candidate is a definition
    length: int  # the candidate's own words
    words: str  # those of the question that stand in it, and where, as PostgreSQL writes a tsvector
    similarity: float | None = None  # to the question, where both have a vector


class Ranked(NamedTuple):
    """A candidate, its score, and where the question's words stand in it."""

    row: Candidate
    score: float
    places: Mapping[str, Places]


def rank(
    words: Sequence[Word], candidates: Sequence[Candidate], *, average_length: float, matching: int
) -> list[Ranked]:
    """Rank candidates, best first; ties by URN and id.

    Args:
        words: what is searched for, each lexeme once, in any order.
        candidates: each node once, in any order.
        average_length: own words of a node of the law searched.
        matching: of how many nodes that hold words of the question the candidates are the best, about.
    """
    found = [(candidate, read_places(candidate.words)) for candidate in candidates]
    pairs = _pairs(words)
    together = [_pairs_in(places, pairs) for _, places in found]
    holding = Counter(pair for entry in together for pair in entry)
    # How rare a pair is among the nodes that match, as if those left out held none: that needs no count of all pairs of
    # the store.
    pool = max(min(matching, POOL), len(found))
    rarity = {pair: math.log(1 + (pool - count + 0.5) / (count + 0.5)) for pair, count in holding.items()}
    weights = {word.lexeme: word.idf**RARITY for word in words}
    heads = {word.lexeme: word.kin for word in words if word.kin}
    scores: list[float] = []
    for (one, places), held in zip(found, together, strict=True):
        norm = K1 * (1 - B + B * one.length / max(average_length, 1.0))
        families: dict[str, float] = {}
        for lexeme, (own, around, _, _) in places.items():  # in the store's order of words: a sum depends on it
            if lexeme in weights:
                said = own * (K1 + 1) / (own + norm) + (AROUND * _saturated(around, K1) if around else 0.0)
                head = heads.get(lexeme, lexeme)
                families[head] = max(families.get(head, 0.0), weights[lexeme] * said)
        total = sum(families.values())
        for pair, count in held.items():
            total += PAIR * rarity[pair] * _saturated(count, norm)
        scores.append(round(total * (DEFINITION if one.defines else 1.0), _DIGITS))
    company = _company(candidates, scores)
    ranked = [
        Ranked(one, round(score + COMPANY * beside, _DIGITS), places)
        for (one, places), score, beside in zip(found, scores, company, strict=True)
    ]
    return sorted(ranked, key=lambda one: (-one.score, one.row.urn, one.row.id))


def _company(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[float]:
    """Of each candidate the best score in its document and the best in its part, added.

    Law that answers a question stands together: what surrounds a good candidate is a better one.
    """
    documents: dict[tuple[str, int], float] = {}
    parts: dict[tuple[str, int], float] = {}
    for one, score in zip(candidates, scores, strict=True):
        for best, key in ((documents, one.document_id), (parts, one.part_id)):
            place = (one.jurisdiction, key)
            best[place] = max(best.get(place, 0.0), score)
    return [
        documents[candidate.jurisdiction, candidate.document_id] + parts[candidate.jurisdiction, candidate.part_id]
        for candidate in candidates
    ]


def _saturated(count: float, norm: float) -> float:
    return count * (K1 + 1) / (count + norm) if count else 0.0


def _pairs(words: Sequence[Word]) -> list[tuple[str, str]]:
    """Words that follow one another in the question, whatever words without a lexeme stand between them."""
    lexemes = [lexeme for _, lexeme in sorted((place, word.lexeme) for word in words for place in word.places)]
    return sorted({pair for pair in itertools.pairwise(lexemes) if pair[0] != pair[1]})


def _pairs_in(places: Mapping[str, Places], pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """How often pairs stand together in the candidate's own words; half where their order is turned round."""
    counts: dict[tuple[str, str], float] = {}
    for pair in [pair for pair in pairs if pair[0] in places and pair[1] in places] if len(places) > 1 else ():
        first, second = places[pair[0]], places[pair[1]]
        total = 0.0
        for position in first.positions:
            gaps = [other - position for other in second.positions]
            if any(0 < gap <= PAIR_DISTANCE for gap in gaps):
                total += 1.0
            elif any(-PAIR_DISTANCE <= gap < 0 for gap in gaps):
                total += TURNED
        if total:
            counts[pair] = total
    return counts
