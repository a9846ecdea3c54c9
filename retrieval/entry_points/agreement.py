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
    return [Found(one, _terms(one.places, phrases)) for one in ranked]


def _terms(places: Mapping[str, Places], phrases: Sequence[Phrase]) -> dict[str, float]:
    best: dict[str, float] = {}
    for phrase in phrases:
        if phrase.lexemes[0][1] in places and phrase.weight > best.get(phrase.name, 0.0) and _holds(places, phrase):
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
        said += sum([max(found.terms.get(name, 0.0) for found in branch) for name in phrases])
        gain = AGREEMENT * top * said / whole if whole else 0.0
        scored += [_raised(found, gain) for found in branch]
    return sorted(scored, key=lambda one: (-one.ranked.score, one.ranked.row.urn, one.ranked.row.id))


def _raised(one: Found, gain: float) -> Found:
    row, score, places = one.ranked
    return Found(Ranked(row, round(score + gain, _DIGITS), places), one.terms)
