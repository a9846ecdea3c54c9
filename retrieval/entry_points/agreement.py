"""What candidates have of a question: each alone, and the candidates of one branch of a law together. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retrieval.entry_points.bm25 import Ranked
from retrieval.entry_points.question_words import Phrase, QuestionWords, inverse_frequency
from retrieval.entry_points.word_places import Places

# Who asks about a landlord, a deposit and interest means the chapter whose provisions speak of all three, though none
# of them does alone. The share of the best score that a candidate gains where its branch has all of the question;
# chosen on ObliQA dev and the colloquial questions (`python -m evals retrieval`): 0.1 to 0.3 do well on all of them.
AGREEMENT = 0.2
_DIGITS = 9


class Found(NamedTuple):
    """A ranked candidate and what it has of the question beside its words."""

    ranked: Ranked
    terms: Mapping[str, float]  # phrase of the question that it has a statutory term of -> weight of the best such term


def with_terms(ranked: Sequence[Ranked], phrases: Sequence[Phrase]) -> list[Found]:
    """Candidates with the phrases of the question that they have a statutory term of, exactly, in the same order."""
    by_first: dict[str, list[Phrase]] = defaultdict(list)  # a candidate has few of the words that phrases begin with
    for phrase in phrases:
        by_first[phrase.lexemes[0][1]].append(phrase)
    return [Found(one, _terms(one.places, by_first)) for one in ranked]


def _terms(places: Mapping[str, Places], by_first: Mapping[str, Sequence[Phrase]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for lexeme in places.keys() & by_first.keys():
        for phrase in by_first[lexeme]:
            if phrase.weight > best.get(phrase.name, 0.0) and _holds(places, phrase):
                best[phrase.name] = phrase.weight
    return best


def _holds(places: Mapping[str, Places], phrase: Phrase) -> bool:
    starts: set[int] | None = None
    for distance, lexeme in phrase.lexemes:
        place = places.get(lexeme)
        if place is None:
            return False
        found = {at - distance for at in place.everywhere}
        starts = found if starts is None else starts & found
    return bool(starts)


def agreed(found: Sequence[Found], asked: QuestionWords) -> list[Found]:
    """Candidates by their score and by how much of the question those of their branch have together, best first.

    Args:
        found: candidates of one question.
        asked: its words.

    Returns:
        The same candidates with their new scores; ties by URN and id.
    """
    top = max((hit.ranked.score for hit in found), default=0.0)
    unit = inverse_frequency(0.0, asked.nodes)
    words = {matter.lexeme: matter.weight / unit for matter in asked.matters}
    phrases: dict[str, float] = {}
    for phrase in asked.phrases:
        phrases[phrase.name] = max(phrases.get(phrase.name, 0.0), phrase.weight)
    whole = sum(words.values()) + sum(phrases.values())
    branches: dict[tuple[str, int], list[Found]] = defaultdict(list)
    for hit in found:
        branches[hit.ranked.row.jurisdiction, hit.ranked.row.branch_id].append(hit)
    scored: list[Found] = []
    for branch in branches.values():
        have = set[str]().union(*[found.ranked.places for found in branch])
        said = sum([weight for lexeme, weight in words.items() if lexeme in have])
        best: dict[str, float] = {}
        for candidate in branch:
            for name, weight in candidate.terms.items():
                best[name] = max(best.get(name, 0.0), weight)
        said += sum([best[name] for name in phrases if name in best])
        gain = AGREEMENT * top * said / whole if whole else 0.0
        scored += [_raised(found, gain) for found in branch]
    return sorted(scored, key=lambda one: (-one.ranked.score, one.ranked.row.urn, one.ranked.row.id))


def _raised(one: Found, gain: float) -> Found:
    row, score, places = one.ranked
    return Found(Ranked(row, round(score + gain, _DIGITS), places), one.terms)
