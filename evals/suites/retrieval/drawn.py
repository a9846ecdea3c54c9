"""Questions drawn from a store's own law, for law that nobody wrote questions for.

headings      a section's heading -> the section; headings that stand once in their corpus, of two words or more
terms         a defined term -> what defines it; terms that at most three provisions define
definitions   half of a definition's words, without the term's -> the definition
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date

from evals.suites.retrieval.sets import Question, QuestionSet
from rag.law.nodes import CITING_TYPES
from rag.store.database import Connection
from retrieval.entry_points.lexical import SEARCHED_KINDS

LIMIT = 60  # questions of one kind, jurisdiction and language
FEWEST = 10  # fewer say nothing
MOST_DEFINING = 3
_WORDS = 40  # of a definition, counted from its beginning
_FEWEST = 6

_HEADINGS = """select jurisdiction, language, corpus, urn, heading from legal_nodes
where jurisdiction = any(%s) and validity @> %s::date and kind = any(%s) and structure_type = any(%s) and heading <> ''
order by urn"""
_DEFINITIONS = """select d.jurisdiction, d.language, d.normalised_term, d.term, n.urn, n.intro_text, n.content_text
from legal_definitions d join legal_nodes n on n.jurisdiction = d.jurisdiction and n.id = d.node_version_id
where d.jurisdiction = any(%s) and n.jurisdiction = any(%s) and d.validity @> %s::date and n.kind = any(%s)
order by n.urn, d.normalised_term"""


def drawn_sets(
    conn: Connection, jurisdictions: Iterable[str], day: date, *, seed: int, limit: int
) -> list[QuestionSet]:
    """The sets of each jurisdiction and language, by name; one of fewer than `FEWEST` questions is none.

    Args:
        conn: reads the store.
        jurisdictions: their codes.
        day: of the law.
        seed: which questions are drawn where there are more than the limit.
        limit: most questions of one set.
    """
    codes = sorted(jurisdictions)
    found: dict[str, list[Question]] = defaultdict(list)
    headings = conn.execute(_HEADINGS, (codes, day, list(SEARCHED_KINDS), sorted(CITING_TYPES))).fetchall()
    often = Counter((corpus, _plain(heading)) for _, _, corpus, _, heading in headings)
    for code, language, corpus, urn, heading in headings:
        if often[corpus, _plain(heading)] == 1 and _says_something(heading):
            found[f"{code} {language} headings"].append(Question(urn, heading, {urn: 1}, code, language))
    rows = conn.execute(_DEFINITIONS, (codes, codes, day, list(SEARCHED_KINDS))).fetchall()
    terms: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    written: dict[tuple[str, str, str], str] = {}
    for code, language, normalised, term, urn, intro, content in rows:
        terms[code, language, normalised][urn] = 1
        written.setdefault((code, language, normalised), term)
        words = _half(f"{intro} {content}", term, random.Random(f"{seed} {urn} {normalised}"))
        if words:
            asked = Question(f"{urn} {normalised}", words, {urn: 1}, code, language)
            found[f"{code} {language} definitions"].append(asked)
    for key, urns in terms.items():
        if len(urns) <= MOST_DEFINING:
            asked = Question(key[2], written[key], dict(urns), key[0], key[1])
            found[f"{key[0]} {key[1]} terms"].append(asked)
    return [
        QuestionSet(name, draw(found[name], seed, limit), "rule")
        for name in sorted(found)
        if len(found[name]) >= FEWEST
    ]


def draw(questions: list[Question], seed: int, limit: int | None) -> list[Question]:
    """The questions, or so many of them drawn by the seed, in their own order."""
    if limit is None or len(questions) <= limit:
        return questions
    chosen = sorted(random.Random(seed).sample(range(len(questions)), limit))
    return [questions[number] for number in chosen]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _says_something(heading: str) -> bool:
    # Chinese and Japanese headings have no spaces; three signs of theirs say as much as two words.
    return len(re.findall(r"\w{2,}", heading)) >= 2 or len(re.findall(r"[\u3040-\u9fff]", heading)) >= 3


def _half(text: str, term: str, rng: random.Random) -> str:
    left_out = set(_plain(term).split())
    words = [entry for entry in re.findall(r"\w+", text) if entry.lower() not in left_out][:_WORDS]
    if len(words) < _FEWEST:
        return ""
    kept = sorted(rng.sample(range(len(words)), len(words) // 2))
    return " ".join(words[number] for number in kept)
