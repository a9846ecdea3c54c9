"""The lexical and the synonym leg: candidates from PostgreSQL, ranked by BM25, and exact phrases on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import LiteralString, NamedTuple

from retrieval.bm25 import Candidate, Ranked, rank
from retrieval.node_words import question_weights
from retrieval.nodes import Connection, record_row
from retrieval.queries import QUERIES
from retrieval.question_words import Phrase, QuestionWords
from retrieval.tag_sql import Conditions
from retrieval.word_places import Places

# A chunk is a piece of a plain document, and is found as one.
SEARCHED_KINDS = ("legislation", "decision", "record", "notice", "chunk")
LEG_LIMIT = 100
# How many nodes are ranked, chosen by the stored weights of their words; twice as many where statutory terms stand
# beside the words of everyday, since all of them weigh in the choice. Neither on ObliQA dev nor on the colloquial
# questions does the leg's limit find more; 40 lose a point on the latter (`python -m evals retrieval`).
CANDIDATES = 60
# Which nodes are candidates: those that hold one of the rarest words, of as many as could give ENOUGH nodes, or two of
# the others. Words of which all together could match more than a share of the nodes searched are left out of either.
# On ObliQA dev that ranks as well as all nodes that hold any of those words, and reads half as many.
ENOUGH = 2 * CANDIDATES
TERM = 0.3  # what a sure and rare statutory term says of a question; chosen with `retrieval.fusion.REACHED`
REACHING = 5  # hits of which one has to reach the question
_ALONE, _PAIRED = (0.1, 3_000), (0.2, 6_000)  # that share, and nodes that it may be in any store


class LegHit(NamedTuple):
    """A node that a leg found. Scores of different legs are not comparable before fusion."""

    jurisdiction: str
    id: int
    node_id: int
    urn: str
    rule_id: int
    score: float


@dataclass(frozen=True, slots=True)
class Filters:
    """What every leg restricts itself to, each inside its own statement."""

    jurisdictions: tuple[str, ...]
    language: str
    at_date: date
    kinds: tuple[str, ...] = SEARCHED_KINDS
    where: Conditions | None = None  # further predicates over the node `n`, as `retrieval.search_filters` makes them

    def statement(self, query: LiteralString) -> LiteralString:
        """A named query with the further predicates in the place that it has for them."""
        return query.replace("/*filters*/ true", self.where.sql) if self.where else query

    @property
    def values(self) -> dict[str, object]:
        """What a statement with these filters binds."""
        return {
            "jurisdictions": list(self.jurisdictions), "language": self.language, "at_date": self.at_date,
            "kinds": list(self.kinds), **(self.where.values if self.where else {}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordLegs:
    """What words alone find.

    Attributes:
        lexical: the lexical leg, best first.
        synonym: the synonym leg among its hits, best first.
        reach: the largest share of what the question says that one of the first hits has, 0 to 1.
    """

    lexical: list[LegHit]
    synonym: list[LegHit]
    reach: float = 0.0


def search_words(conn: Connection, asked: QuestionWords, filters: Filters, *, depth: int = CANDIDATES) -> WordLegs:
    """Nodes by BM25 over the question's words and its statutory terms, and those of them that hold a phrase exactly.

    Args:
        conn: a read connection.
        asked: the words, of the same jurisdictions and language.
        filters: jurisdictions, language, date and kinds.
        depth: how many nodes to rank at least, where as many match.
    """
    if not asked.words:
        return WordLegs([], [])
    limit = 2 * depth if asked.expanded else depth
    values = {
        "candidate_words": candidate_words(asked, enough=2 * depth),
        "weights": question_weights(asked.words),
        "lexemes": sorted({one.lexeme for one in asked.words} | _lexemes(asked.phrases)),
        "average_length": max(asked.average_length, 1.0),
        "candidates": limit,
        **filters.values,
    }
    candidates = _candidates(conn, filters.statement(QUERIES["search_lexical"]), values)
    # How many nodes match is known where all are candidates; else their number is that of the words' holders, at most.
    matching = sum(asked.frequencies.values()) if len(candidates) == limit else len(candidates)
    ranked = rank(asked.words, candidates, average_length=asked.average_length, matching=matching)[:LEG_LIMIT]
    reach = max((said_by(one, asked) for one in ranked[:REACHING]), default=0.0)
    return WordLegs([_hit(one.row, one.score) for one in ranked], hold_phrases(ranked, asked.phrases), reach)


def _candidates(conn: Connection, statement: LiteralString, values: dict[str, object]) -> list[Candidate]:
    with conn.cursor(binary=True, row_factory=record_row(Candidate)) as cursor:
        return cursor.execute(statement, values).fetchall()


def candidate_words(asked: QuestionWords, *, enough: int = ENOUGH) -> str:
    """The text search query that a candidate fulfils.

    Args:
        asked: the words.
        enough: nodes that the rarest words should give.
    """
    alone: list[str] = []
    paired: list[str] = []
    running = 0
    for position, one in enumerate(sorted(asked.words, key=lambda one: (asked.frequencies[one.lexeme], one.lexeme))):
        before, running = running, running + asked.frequencies[one.lexeme]
        if position < 2 or (before < enough and running <= _most(_ALONE, asked.nodes)):
            alone.append(quoted(one.lexeme))
        elif running <= _most(_PAIRED, asked.nodes):
            paired.append(quoted(one.lexeme))
    return " | ".join([*alone, *_two_of(paired)])


def _most(limit: tuple[float, int], nodes: float) -> float:
    share, least = limit
    return max(share * nodes, least)


def _two_of(words: Sequence[str]) -> list[str]:
    """Alternatives that together say "at least two of them", without naming every pair."""
    if len(words) < 2:
        return []
    first, second = words[: len(words) // 2], words[len(words) // 2 :]
    return [f"({' | '.join(first)}) & ({' | '.join(second)})", *_two_of(first), *_two_of(second)]


def quoted(lexeme: str) -> str:
    """A lexeme as a text search query names it."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def hold_phrases(ranked: Sequence[Ranked], phrases: Sequence[Phrase]) -> list[LegHit]:
    """The synonym leg: candidates that hold a statutory term exactly.

    Each phrase counts once per node, with the best of its terms; so a phrase with ten renderings weighs no more than
    one with a single rendering.
    """
    hits: list[LegHit] = []
    for one in ranked:
        best = _held(one.places, phrases)
        if best:
            hits.append(_hit(one.row, sum(sorted(best.values()))))
    return sorted(hits, key=lambda one: (-one.score, one.urn, one.id))


def _held(places: Mapping[str, Places], phrases: Sequence[Phrase]) -> dict[str, float]:
    """Phrases of the question that a candidate has a term of, and the weight of the best one."""
    best: dict[str, float] = {}
    for phrase in phrases:
        if phrase.weight > best.get(phrase.name, 0.0) and _holds(places, phrase):
            best[phrase.name] = phrase.weight
    return best


def said_by(one: Ranked, asked: QuestionWords) -> float:
    """How much of what the question says a candidate has, 0 to 1.

    That is the share of the question's words that it holds, weighted by rarity, and `TERM` times the weight of the best
    statutory term that it holds of each phrase. A word that the law searched never uses is missing everywhere.
    """
    total = sum(matter.weight for matter in asked.matters)
    own = sum(matter.weight for matter in asked.matters if matter.lexeme in one.places) / total if total else 0.0
    return min(own + TERM * sum(sorted(_held(one.places, asked.phrases).values())), 1.0)


def _holds(places: Mapping[str, Places], phrase: Phrase) -> bool:
    starts: set[int] | None = None
    for distance, lexeme in phrase.lexemes:
        place = places.get(lexeme)
        if place is None:
            return False
        found = {at - distance for at in place.everywhere}
        starts = found if starts is None else starts & found
    return bool(starts)


def _lexemes(phrases: Iterable[Phrase]) -> set[str]:
    return {lexeme for one in phrases for _, lexeme in one.lexemes}


def _hit(row: Candidate, score: float) -> LegHit:
    return LegHit(row.jurisdiction, row.id, row.node_id, row.urn, row.rule_id, score)
