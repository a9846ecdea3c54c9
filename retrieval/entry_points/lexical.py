"""The lexical and the synonym leg: candidates from PostgreSQL, ranked by BM25 and by what those of one branch of a law
have together, and exact phrases on them.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import LiteralString, NamedTuple

from psycopg import Cursor

from retrieval.entry_points.bm25 import RARITY, Candidate, Ranked, Word, rank
from retrieval.entry_points.question_words import Phrase, QuestionWords, inverse_frequency
from retrieval.entry_points.word_places import Places
from retrieval.nodes import Connection, name_array, record_row
from retrieval.queries import QUERIES, fill
from retrieval.references.tag_sql import Conditions

# The stored weights of a node's words, `legal_nodes.word_weights`, and a question's to multiply them with.

_PLACES = 1 << 28  # as `lex_weights` of sql/schema.sql has them
# A product stays below what a float of four bytes holds exactly, so that its sum does not depend on its order.
_RARITY = 64


def word_place(lexeme: str) -> int:
    """A word's place in the vectors, from 1 to 2 ** 28."""
    return int(hashlib.md5(lexeme.encode(), usedforsecurity=False).hexdigest()[:7], 16) + 1


def question_weights(words: Iterable[Word]) -> str:
    """How much each word of a question weighs, as the text of a `sparsevec`."""
    weights = {word_place(word.lexeme): max(round(word.idf * _RARITY), 1) for word in words}
    listed = ",".join(f"{place}:{weight}" for place, weight in sorted(weights.items()))
    return f"{{{listed}}}/{_PLACES}"


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
FIRST = 5  # hits of which one may have what is asked
_ALONE, _PAIRED = (0.1, 3_000), (0.2, 6_000)  # that share, and nodes that it may be in any store

# Who asks about a landlord, a deposit and interest means the chapter whose provisions speak of all three, though none
# of them does alone. The share of the best score that a candidate gains where its branch has all of the question;
# chosen on ObliQA dev and the colloquial questions (`python -m evals retrieval`): 0.1 to 0.3 do well on all of them.
AGREEMENT = 0.2
_DIGITS = 9


class LegHit(NamedTuple):
    """A node that a leg found. Scores of different legs are not comparable before fusion."""

    jurisdiction: str
    id: int
    node_id: int
    urn: str
    rule_id: int
    score: float


class Section(NamedTuple):
    """What people cite a node under: its section or article, else its rule."""

    id: int  # of the section's node
    similarity: float | None  # of the mean of its nodes' vectors to the question; None where none has a vector
    words: int = 0  # of its nodes that have a vector
    chapter: int = 0  # the node two levels above it, by words alone its branch; 0 where there is none
    share: float = 0.0  # of what is asked, by rarity, what the nodes of a rule have together that words found


Sections = Mapping[tuple[str, int], Section]  # (jurisdiction, version id of a node) -> where it stands


class Found(NamedTuple):
    """A ranked candidate and what it has of the question beside its words."""

    ranked: Ranked
    terms: Mapping[str, float]  # phrase of the question that it has a statutory term of -> weight of the best such term


@dataclass(frozen=True, slots=True)
class Filters:
    """What every leg restricts itself to, each inside its own statement."""

    jurisdictions: tuple[str, ...]
    language: str
    at_date: date
    kinds: tuple[str, ...] = SEARCHED_KINDS
    named: tuple[str, ...] = ()  # those of the jurisdictions that the request names, and not only what they lie in
    where: Conditions | None = None  # further predicates over the node `n`, see `filters`

    @property
    def predicate(self) -> LiteralString:
        """The further predicates, for the slot `filters` of a statement."""
        return self.where.sql if self.where else "true"

    @property
    def values(self) -> dict[str, object]:
        """What a statement with these filters binds."""
        return {
            # As texts: the driver takes three times as long over a list.
            "jurisdictions": name_array(self.jurisdictions), "language": self.language, "at_date": self.at_date,
            "kinds": name_array(self.kinds), **(self.where.values if self.where else {}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordLegs:
    """What words alone find.

    Attributes:
        lexical: the lexical leg, best first.
        synonym: the synonym leg among its hits, best first.
        share: how much of what is asked the first of the lexical leg has, by rarity, 0 to 1.
        most: the most of it that one of the first five has.
        evidence: the best score of the lexical leg, as a number of words that only one node has.
        nodes: how many were searched.
        sections: where the nodes stand, each rule being a section of its own.
    """

    lexical: list[LegHit]
    synonym: list[LegHit]
    share: float
    most: float
    evidence: float
    nodes: float
    sections: Sections


def search_words(conn: Connection, asked: QuestionWords, filters: Filters, *, depth: int = CANDIDATES) -> WordLegs:
    """Nodes by BM25 over the question's words and its statutory terms, and those of them that hold a phrase exactly.

    Args:
        asked: the words, of the same jurisdictions and language.
        filters: jurisdictions, language, date and kinds.
        depth: how many nodes to rank at least, where as many match.
    """
    return rank_words(asked, find_candidates(conn, asked, filters, depth=depth), depth=depth)


def find_candidates(
    conn: Connection,
    asked: QuestionWords,
    filters: Filters,
    *,
    depth: int = CANDIDATES,
    near: Mapping[str, object] | None = None,
) -> list[Candidate]:
    """The nodes to rank, in no order; arguments are those of `candidates_statement`."""
    made = candidates_statement(asked, filters, depth=depth, near=near)
    return send(conn, *made).fetchall() if made else []


def send(conn: Connection, statement: LiteralString, values: Mapping[str, object]) -> Cursor[Candidate]:
    """Send a statement whose rows are candidates; the result is waited for where it is read."""
    return conn.cursor(binary=True, row_factory=record_row(Candidate)).execute(statement, values)


def candidates_statement(
    asked: QuestionWords, filters: Filters, *, depth: int = CANDIDATES, near: Mapping[str, object] | None = None
) -> tuple[LiteralString, dict[str, object]] | None:
    """What finds the nodes to rank, and what it binds; its rows are candidates.

    Args:
        asked: the words, of the same jurisdictions and language; None is sent for none.
        filters: jurisdictions, language, date and kinds.
        depth: how many nodes to rank at least, where as many match.
        near: the question's vector and the space it is of, as `retrieval.dense.vector_values` makes them, where the
            nodes' similarities are wanted.
    """
    if not asked.words:
        return None
    values = {
        "candidate_words": candidate_words(asked, enough=2 * depth),
        "weights": question_weights(asked.words),
        "lexemes": looked_at(asked),
        "average_length": max(asked.average_length, 1.0),
        "candidates": _limit(asked, depth),
        **(near or {}),
        **filters.values,
    }
    statement = fill(QUERIES["search_lexical"], filters=filters.predicate)
    return (fill(QUERIES["add_similarities"], candidates=statement) if near else statement), values


def rank_words(
    asked: QuestionWords, candidates: Sequence[Candidate], others: Sequence[Candidate] = (), *, depth: int = CANDIDATES
) -> WordLegs:
    """The legs from their candidates, found for the same words and depth. Pure.

    Args:
        candidates: what the words found.
        others: nodes that another leg found and these are not, with the same words of theirs; those that have any are
            ranked like candidates, for to be none of the best sixty by their words is no judgement.
        depth: how many nodes were to be found.
    """
    # How many nodes match is known where all are candidates; else their number is that of the words' holders, at most.
    every = len(candidates) < _limit(asked, depth)
    matching = len(candidates) if every else sum(asked.frequencies.values())
    rows = [*candidates, *(candidate for candidate in others if candidate.words)]
    ranked = rank(asked.words, rows, average_length=asked.average_length, matching=matching)
    found = agreed(with_terms(ranked, asked.phrases), asked)[: LEG_LIMIT + len(rows) - len(candidates)]
    lexical = [_hit(hit.ranked.row, hit.ranked.score) for hit in found]
    shares = [_share(asked, hit.ranked.places) for hit in found[:FIRST]] or [0.0]
    evidence = max((hit.score for hit in lexical), default=0.0) / inverse_frequency(0.0, asked.nodes) ** RARITY
    return WordLegs(
        lexical, hold_phrases(found), shares[0], max(shares), evidence, asked.nodes, _sections(asked, found)
    )


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


def _share(asked: QuestionWords, words: Container[str]) -> float:
    """How much of what a question asks some words have of its own words, by their rarity, 0 to 1."""
    whole = sum(matter.weight for matter in asked.matters)
    own = sum(matter.weight for matter in asked.matters if matter.lexeme in words)
    return own / whole if whole else 0.0


def _sections(asked: QuestionWords, found: Sequence[Found]) -> Sections:
    rules: dict[tuple[str, int], list[Found]] = defaultdict(list)
    for hit in found:
        rules[hit.ranked.row.jurisdiction, hit.ranked.row.rule_id].append(hit)
    out: dict[tuple[str, int], Section] = {}
    for (code, rule), hits in rules.items():
        share = _share(asked, {word for hit in hits for word in hit.ranked.places})
        for hit in hits:
            out[code, hit.ranked.row.id] = Section(rule, None, chapter=hit.ranked.row.branch_id, share=share)
    return out


def looked_at(asked: QuestionWords) -> list[str]:
    """The lexemes whose places in a node ranking needs to know: those searched, and those of the phrases."""
    return sorted({word.lexeme for word in asked.words} | _lexemes(asked.phrases))


def _limit(asked: QuestionWords, depth: int) -> int:
    return 2 * depth if asked.expanded else depth


def candidate_words(asked: QuestionWords, *, enough: int = ENOUGH) -> str:
    """The text search query that a candidate fulfils.

    Args:
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


def hold_phrases(found: Sequence[Found]) -> list[LegHit]:
    """The synonym leg: candidates that hold a statutory term exactly.

    Each phrase counts once per node, with the best of its terms; so a phrase with ten renderings weighs no more than
    one with a single rendering.
    """
    hits = [_hit(hit.ranked.row, sum(sorted(hit.terms.values()))) for hit in found if hit.terms]
    return sorted(hits, key=lambda one: (-one.score, one.urn, one.id))


def _lexemes(phrases: Iterable[Phrase]) -> set[str]:
    return {lexeme for phrase in phrases for _, lexeme in phrase.lexemes}


def _hit(row: Candidate, score: float) -> LegHit:
    return LegHit._make((*row[:5], score))
