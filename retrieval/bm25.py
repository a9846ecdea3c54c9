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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

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
PAIR_DISTANCE = 3  # words: "interest on the deposit" holds the pair "interest deposit"
_OWN = {"A": 2.0, "D": 1.0}  # the node's own heading and words
_AROUND = {"B": 1.0, "C": 0.1}  # headings above it, and lead-ins
_DIGITS = 9


class WordRow(NamedTuple):
    """One word of the question in one candidate; a tuple, since a question makes thousands."""

    jurisdiction: str
    id: int
    node_id: int
    urn: str
    rule_id: int
    document_id: int
    part_id: int  # the node two levels above, at most the root
    defines: bool  # the candidate is a definition
    length: int  # the candidate's own words
    average_length: float  # of the law searched
    lexeme: str
    idf: float  # inverse document frequency in the law searched, times the word's weight in the question
    places: list[int]  # where the word stands in the question; empty for a word that only a synonym brings
    positions: list[int]  # where it stands in the candidate
    fields: str  # the field of each position: A own heading, B headings above, C lead-ins, D own words


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and its score."""

    row: WordRow  # any row of the candidate
    score: float


@dataclass(slots=True)
class _Candidate:
    row: WordRow
    words: list[tuple[float, float, float]] = field(
        default_factory=list[tuple[float, float, float]]
    )  # idf, own, around
    places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])  # of its own words
    pairs: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])


def rank(rows: Iterable[WordRow]) -> list[Ranked]:
    """Rank candidates, best first; ties by URN and id.

    Args:
        rows: all words of one candidate one after the other, in the order of the lexemes.
    """
    candidates: list[_Candidate] = []
    question: set[tuple[int, str]] = set()
    last: tuple[str, int] | None = None
    for row in rows:
        if (row.jurisdiction, row.id) != last:
            last = (row.jurisdiction, row.id)
            candidates.append(_Candidate(row))
        own = [at for at, name in zip(row.positions, row.fields, strict=True) if name in _OWN]
        around = sum(_AROUND[name] for name in row.fields if name not in _OWN)
        counted = sum(_OWN[name] for name in row.fields if name in _OWN)
        candidates[-1].words.append((row.idf**RARITY, counted, around))
        if own:
            candidates[-1].places[row.lexeme] = own
        question.update((place, row.lexeme) for place in row.places)
    holding: Counter[tuple[str, str]] = Counter()
    pairs = _pairs(question)
    for one in candidates:
        one.pairs = {pair: count for pair in pairs if (count := _together(one.places, *pair))}
        holding.update(one.pairs.keys())
    # How rare a pair is among the candidates themselves: that needs no count of all pairs of the store.
    rarity = {pair: math.log(1 + (len(candidates) - count + 0.5) / (count + 0.5)) for pair, count in holding.items()}
    scores = ((one.row, _score(one, rarity) * (DEFINITION if one.row.defines else 1.0)) for one in candidates)
    ranked = _with_company([Ranked(row, round(score, _DIGITS)) for row, score in scores])
    return sorted(ranked, key=lambda one: (-one.score, one.row.urn, one.row.id))


def _with_company(ranked: list[Ranked]) -> list[Ranked]:
    """Law that answers a question stands together: what surrounds a good candidate is a better one."""
    best: dict[tuple[str, str, int], float] = {}
    for one in ranked:
        for key in _company(one.row):
            best[key] = max(best.get(key, 0.0), one.score)
    return [
        Ranked(one.row, round(one.score + sum(COMPANY * best[key] for key in _company(one.row)), _DIGITS))
        for one in ranked
    ]


def _company(row: WordRow) -> tuple[tuple[str, str, int], ...]:
    return (row.jurisdiction, "document", row.document_id), (row.jurisdiction, "part", row.part_id)


def _score(one: _Candidate, rarity: Mapping[tuple[str, str], float]) -> float:
    norm = K1 * (1 - B + B * one.row.length / max(one.row.average_length, 1.0))
    total = 0.0
    for idf, own, around in one.words:
        total += idf * (_saturated(own, norm) + AROUND * _saturated(around, K1))
    for pair in sorted(one.pairs):
        total += PAIR * rarity[pair] * _saturated(one.pairs[pair], norm)
    return round(total, _DIGITS)


def _saturated(count: float, norm: float) -> float:
    return count * (K1 + 1) / (count + norm) if count else 0.0


def _pairs(question: Iterable[tuple[int, str]]) -> list[tuple[str, str]]:
    """Words that follow one another in the question, whatever words without a lexeme stand between them."""
    lexemes = [lexeme for _, lexeme in sorted(question)]
    return sorted({pair for pair in itertools.pairwise(lexemes) if pair[0] != pair[1]})


def _together(places: Mapping[str, list[int]], first: str, second: str) -> float:
    """How often two words stand together in the candidate's own words; half where their order is turned round."""
    before, after = places.get(first), places.get(second)
    if before is None or after is None:
        return 0.0
    total = 0.0
    for one in before:
        gaps = [other - one for other in after]
        if any(0 < gap <= PAIR_DISTANCE for gap in gaps):
            total += 1.0
        elif any(-PAIR_DISTANCE <= gap < 0 for gap in gaps):
            total += TURNED
    return total
