"""The lexical leg: candidates from PostgreSQL, ranked by BM25, and exact phrases on them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import LiteralString

from psycopg.rows import args_row

from retrieval.bm25 import WordRow, rank
from retrieval.languages import FAINT_WORDS, IDLE_WORDS, text_search_config
from retrieval.nodes import Connection
from retrieval.queries import QUERIES
from retrieval.synonyms import SynonymHit, normalise_phrase
from retrieval.tag_sql import Conditions

# A chunk is a piece of a plain document, and is found as one.
SEARCHED_KINDS = ("legislation", "decision", "record", "notice", "chunk")
MAX_WORDS = 64  # a longer question is cut for this leg, and the result says so
CANDIDATES = 300
LEG_LIMIT = 100
_SYNONYM_WEIGHT = 1.0
_AROUND_WORDS = "\"'“”‘’()[],.;:!?…"


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


def search_lexical(conn: Connection, question: str, synonyms: Sequence[SynonymHit], filters: Filters) -> list[LegHit]:
    """Nodes by BM25, best first; statutory terms of synonyms are searched beside the question's own words."""
    words = searched_text(question, filters.language)
    terms = [one for one in synonyms if not one.is_urn]
    # The renderings of one phrase are alternatives: together they weigh as one.
    alternatives = Counter(one.phrase for one in terms)
    values = {
        "texts": [words, *(one.target for one in terms)],
        "weights": [
            1.0,
            *(_SYNONYM_WEIGHT * min(one.weight, 1.5) / math.sqrt(alternatives[one.phrase]) for one in terms),
        ],
        "faint": " ".join(sorted(FAINT_WORDS)) if filters.language == "en" else "",
        "config": text_search_config(filters.language),
        "candidates": CANDIDATES,
        **filters.values,
    }
    ranked = rank(_word_rows(conn, filters.statement(QUERIES["search_lexical"]), values))
    return [
        LegHit(one.row.jurisdiction, one.row.id, one.row.node_id, one.row.urn, one.row.rule_id, one.score)
        for one in ranked[:LEG_LIMIT]
    ]


def _word_rows(conn: Connection, statement: LiteralString, values: dict[str, object]) -> list[WordRow]:
    with conn.cursor(row_factory=args_row(WordRow)) as cursor:
        return cursor.execute(statement, values, binary=True).fetchall()


def score_synonyms(
    conn: Connection,
    hits: Sequence[LegHit],
    question: str,
    synonyms: Sequence[SynonymHit],
    filters: Filters,
) -> list[LegHit]:
    """The synonym leg: candidates that hold a statutory term, or a word pair of the question, exactly.

    Each phrase counts once per node, with the best of its terms; so a phrase with ten renderings weighs no more than
    one with a single rendering, and a word pair that a synonym names as well counts once.
    """
    terms = [one for one in synonyms if not one.is_urn]
    stands_for = {one.target: one.phrase for one in terms}
    weighted = [(one.phrase, one.target, one.weight) for one in terms]
    weighted.extend((stands_for.get(pair, pair), pair, 1.0) for pair in word_pairs(question, filters.language))
    if not hits or not weighted:
        return []
    values = {
        "positions": list(range(len(weighted))),
        "phrases": [target for _, target, _ in weighted],
        "config": text_search_config(filters.language),
        "jurisdictions": list(filters.jurisdictions),
        "ids": [one.id for one in hits],
    }
    best: dict[tuple[str, int], dict[str, float]] = {}
    for jurisdiction, node, position in conn.execute(QUERIES["score_phrases"], values):
        phrase, _, weight = weighted[int(position)]
        found = best.setdefault((jurisdiction, node), {})
        found[phrase] = max(found.get(phrase, 0.0), weight)
    scored = [
        LegHit(one.jurisdiction, one.id, one.node_id, one.urn, one.rule_id, sum(sorted(best[key].values())))
        for one in hits
        if (key := (one.jurisdiction, one.id)) in best
    ]
    return sorted(scored, key=lambda one: (-one.score, one.urn, one.id))


def question_words(question: str) -> list[str]:
    """The words of a question that the legs look at, each once, sorted."""
    return sorted(set(normalise_phrase(" ".join(question.split()[:MAX_WORDS])).split()))


def word_rarity(conn: Connection, words: Iterable[str], filters: Filters) -> dict[str, float]:
    """Inverse document frequency of words in the law searched.

    Words that search ignores, and words that this law never uses, are left out.
    """
    values = {
        "words": sorted(set(words)),
        "config": text_search_config(filters.language),
        "jurisdictions": list(filters.jurisdictions),
        "language": filters.language,
    }
    return {
        word: math.log(1 + max(nodes - frequency, 0.0) / (frequency + 0.5) + 0.5 / (frequency + 0.5))
        for word, frequency, nodes in conn.execute(QUERIES["find_rarity"], values)
        if frequency > 0
    }


def searched_text(question: str, language: str) -> str:
    """A question without its idle words, else as it was written: full-text search reads "4.3(1)" and hyphens itself."""
    words = question.split()[:MAX_WORDS]
    kept = (
        [word for word in words if word.lower().strip(_AROUND_WORDS) not in IDLE_WORDS] if language == "en" else words
    )
    return " ".join(kept or words)


def searched_words(question: str, language: str) -> list[str]:
    """The words of a question that the lexical leg looks for, in order; all of them where none says anything."""
    words = normalise_phrase(" ".join(question.split()[:MAX_WORDS])).split()
    kept = [word for word in words if word not in IDLE_WORDS] if language == "en" else words
    return kept or words


def word_pairs(question: str, language: str) -> list[str]:
    """Neighbouring words of a question that are long enough to be more than grammar."""
    words = normalise_phrase(" ".join(question.split()[:MAX_WORDS])).split()
    said = set(searched_words(question, language))
    pairs = itertools.pairwise(words)
    return list(
        dict.fromkeys(f"{one} {two}" for one, two in pairs if len(one) > 3 and len(two) > 3 and {one, two} <= said)
    )
