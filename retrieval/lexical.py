"""The lexical and the synonym leg: candidates from PostgreSQL, ranked by BM25, and exact phrases on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import LiteralString

from psycopg.rows import args_row

from retrieval.bm25 import Candidate, Ranked, rank
from retrieval.nodes import Connection
from retrieval.queries import QUERIES
from retrieval.question_words import Phrase, QuestionWords
from retrieval.tag_sql import Conditions
from retrieval.word_places import Places

# A chunk is a piece of a plain document, and is found as one.
SEARCHED_KINDS = ("legislation", "decision", "record", "notice", "chunk")
LEG_LIMIT = 100
# How many nodes are ranked; more where statutory terms stand beside the words of everyday, since all of them weigh in
# the choice (colloquial questions of `python -m evals retrieval`: 1.8 points of R@10).
CANDIDATES, EXPANDED_CANDIDATES = 100, 200
# Which nodes are candidates: those that hold one of the rarest words, of as many as could give ENOUGH nodes, or two of
# the others. Words of which all together could match more than a share of the nodes searched are left out of either.
# On ObliQA dev that ranks as well as all nodes that hold any of those words, and reads half as many.
ENOUGH = 200
_ALONE, _PAIRED = (0.1, 3_000), (0.2, 6_000)  # that share, and nodes that it may be in any store


@dataclass(frozen=True, slots=True)
class LegHit:
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
    """What words alone find: the lexical leg, and the synonym leg among its hits, both best first."""

    lexical: list[LegHit]
    synonym: list[LegHit]


def search_words(conn: Connection, asked: QuestionWords, filters: Filters) -> WordLegs:
    """Nodes by BM25 over the question's words and its statutory terms, and those of them that hold a phrase exactly.

    Args:
        conn: a read connection.
        asked: the words, of the same jurisdictions and language.
        filters: jurisdictions, language, date and kinds.
    """
    if not asked.words:
        return WordLegs([], [])
    values = {
        "candidate_words": candidate_words(asked),
        "words": [quoted(one.lexeme) for one in asked.words],
        # Whole numbers: their sum does not depend on its order.
        "weights": [round(one.idf * 1_000_000) for one in asked.words],
        "lexemes": sorted({one.lexeme for one in asked.words} | _lexemes(asked.phrases)),
        "average_length": max(asked.average_length, 1.0),
        "candidates": EXPANDED_CANDIDATES if asked.expanded else CANDIDATES,
        **filters.values,
    }
    candidates = _candidates(conn, filters.statement(QUERIES["search_lexical"]), values)
    matching = candidates[0].matching if candidates else 0
    ranked = rank(asked.words, candidates, average_length=asked.average_length, matching=matching)[:LEG_LIMIT]
    return WordLegs([_hit(one.row, one.score) for one in ranked], hold_phrases(ranked, asked.phrases))


def _candidates(conn: Connection, statement: LiteralString, values: dict[str, object]) -> list[Candidate]:
    with conn.cursor(row_factory=args_row(Candidate)) as cursor:
        return cursor.execute(statement, values, binary=True).fetchall()


def candidate_words(asked: QuestionWords) -> str:
    """The text search query that a candidate fulfils."""
    alone: list[str] = []
    paired: list[str] = []
    running = 0
    for position, one in enumerate(sorted(asked.words, key=lambda one: (asked.frequencies[one.lexeme], one.lexeme))):
        before, running = running, running + asked.frequencies[one.lexeme]
        if position < 2 or (before < ENOUGH and running <= _most(_ALONE, asked.nodes)):
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
    """The synonym leg: candidates that hold a statutory term, or a word pair of the question, exactly.

    Each phrase counts once per node, with the best of its terms; so a phrase with ten renderings weighs no more than
    one with a single rendering, and a word pair that a synonym names as well counts once.
    """
    hits: list[LegHit] = []
    for one in ranked:
        best: dict[str, float] = {}
        for phrase in phrases:
            if phrase.weight > best.get(phrase.name, 0.0) and _holds(one.places, phrase):
                best[phrase.name] = phrase.weight
        if best:
            hits.append(_hit(one.row, sum(sorted(best.values()))))
    return sorted(hits, key=lambda one: (-one.score, one.urn, one.id))


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
