"""Candidates for synonyms, found in what a store says itself, for review only: definitions, other names, headings.

A definition that lists plain words ("means a landlord, lessor or sublessor") says which everyday words its term stands
for; a text that gives a quoted other name says so outright; a heading of the form "cancellation or rescission" names
one thing twice. What is qualified ("a person who ...") is no synonym and is left out.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from rag.clock import utc_now
from rag.store.database import Connection, Database
from rag.store.reference_data import NewSynonym
from retrieval.entry_points.phrases import normalise_phrase
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import stored_jurisdictions
from retrieval.paths import canonical_jurisdiction
from retrieval.queries import QUERIES

SuggestionKind = Literal["definition", "alias", "heading"]

WEIGHT = 0.8  # of a candidate that nobody has weighed yet
_MOST_WORDS = 3  # of an everyday word's rendering in a list, and of a part of a heading
_LONGEST = 60  # signs of a quoted name


class Suggestion(Record):
    """A candidate: what people might say, what the law calls it, and where the store says so."""

    phrase: str
    target: str
    language: str
    jurisdiction: str
    kind: SuggestionKind
    urn: str
    found: int  # how many provisions say so


class Suggestions(Record):
    """Candidates, the most frequent first; `more` where the limit left some out."""

    suggestions: list[Suggestion]
    more: bool


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What a language defines, names and lists with."""

    means: re.Pattern[str]
    alias: re.Pattern[str]
    either: re.Pattern[str]  # between two names of one thing in a heading
    between: re.Pattern[str]  # between the items of a list
    article: re.Pattern[str]  # before an item


_QUOTED = rf"[“\"‘«„「]\s*([^”\"’»“」]{{2,{_LONGEST}}}?)\s*[”\"’»“」]"
_PATTERNS = {
    "en": _Pattern(
        re.compile(r"\b(?:shall )?(?:means?|includes?|refers? to)\b:?\s*(?:and includes\s*)?", re.IGNORECASE),
        re.compile(
            r"\b(?:commonly|also|otherwise|popularly|generally|sometimes) "
            r"(?:known|called|referred to) as (?:an? |the )?" + _QUOTED,
            re.IGNORECASE,
        ),
        re.compile(r"\s+or\s+"),
        re.compile(r"\s*,\s*(?:or|and)?\s+|\s+(?:or|and)\s+"),
        re.compile(r"(?:an?|the|any|every|each)\s+", re.IGNORECASE),
    ),
    "fr": _Pattern(
        re.compile(
            r"\b(?:désigne(?:nt)?|signifie(?:nt)?|s['’]entend(?:ent)?\s+(?:de\s|d['’]|par\s))\s*", re.IGNORECASE
        ),
        re.compile(
            r"\b(?:communément|également|aussi|couramment)\s+(?:appelée?s?|dénommée?s?|dite?s?)\s+" + _QUOTED,
            re.IGNORECASE,
        ),
        re.compile(r"\s+ou\s+"),
        re.compile(r"\s*,\s*(?:ou|et)?\s+|\s+(?:ou|et)\s+"),
        re.compile(r"(?:une?|les?|la|des|toute?s?)\s+|l['’]", re.IGNORECASE),
    ),
    "de": _Pattern(
        re.compile(r"\b(?:bedeutet|bezeichnet|umfasst|sind)\s+", re.IGNORECASE),
        re.compile(r"\b(?:auch|allgemein|so\s?genannte[rnsm]?)\s+(?:als\s+)?" + _QUOTED, re.IGNORECASE),
        re.compile(r"\s+oder\s+"),
        re.compile(r"\s*,\s*(?:oder|und)?\s+|\s+(?:oder|und|sowie)\s+"),
        re.compile(r"(?:der|die|das|eine?|jede[rs]?|alle)\s+", re.IGNORECASE),
    ),
    "ja": _Pattern(
        re.compile(r"とは、"),
        re.compile(r"(?:通称|いわゆる|俗に)" + _QUOTED),
        re.compile(r"又は"),
        re.compile(r"、|又は|若しくは|及び|並びに"),
        re.compile(r"(?!)"),
    ),
}  # fmt: skip
_QUALIFYING_WORDS = """
who that which whose whom where when of in to for by with from under on at as if is are their its his her such other
same not including except following qui que dont où de du des à au aux par pour avec en sur sous dans leur leurs autre
der die das den dem dessen deren wer von vom zu zum zur für mit nach bei auf an aus ohne ihr ihre andere nicht
auch welche welcher welches eines einer hat haben wird werden sowie insbesondere
"""
_QUALIFIES = frozenset(_QUALIFYING_WORDS.split())
_ITEM = re.compile(r"[^\W\d_]+(?:[-’' ][^\W\d_]+)*")
_DESIGNATED = re.compile(r"^(?:§+|art\w*\.?|section|sec\.)\s*[\w.:-]+\s*", re.IGNORECASE)


def suggest_synonyms(
    database: Database, *, language: str | None = None, jurisdiction: str | None = None, limit: int = 200
) -> Suggestions:
    """Candidates for review that are not recorded yet; nothing is written.

    Args:
        language: only law in this one, by ISO 639-1; languages whose wording is not known give no candidate.
        jurisdiction: only law of this one.

    Raises:
        InputError: no such jurisdiction.
    """
    place = canonical_jurisdiction(jurisdiction) if jurisdiction is not None else None
    counted: dict[tuple[str, str, str, str], Suggestion] = {}
    # A code has more text than should be in memory at once: the rows come as they are read.
    with database.read() as conn:
        stored = stored_jurisdictions(conn)
        places = stored if place is None else [place]
        values = {"language": language, "jurisdictions": places}
        recorded = {(row[0], row[1], row[2]) for row in conn.execute(QUERIES["find_recorded_phrases"], values)}
        for row in _texts(conn, places, language):
            for kind, phrase, target in _candidates(*row[3:]):
                synonym = _checked(phrase, target, row[0], row[1])
                if synonym is None or (synonym.phrase, synonym.target, synonym.language) in recorded:
                    continue
                key = (synonym.phrase, synonym.target, synonym.language, synonym.jurisdiction)
                known = counted.get(key)
                counted[key] = Suggestion(
                    phrase=synonym.phrase, target=synonym.target, language=synonym.language,
                    jurisdiction=synonym.jurisdiction, kind=known.kind if known else kind,
                    urn=known.urn if known else row[2], found=known.found + 1 if known else 1,
                )  # fmt: skip
    order = ("alias", "definition", "heading")
    # A term of several words is a term of art; "person" and its like stand for too much to come first.
    found = sorted(
        counted.values(),
        key=lambda suggestion: (
            order.index(suggestion.kind),
            " " not in suggestion.target,
            -suggestion.found,
            suggestion.target,
            suggestion.phrase,
        ),
    )
    return Suggestions(suggestions=found[:limit], more=len(found) > limit)


def _texts(conn: Connection, places: Sequence[str], language: str | None) -> Iterator[tuple[Any, ...]]:
    for place in sorted(places):
        values = {"jurisdiction": place, "language": language, "at_date": utc_now().date()}
        with conn.cursor("suggestion_texts") as texts:
            yield from texts.execute(QUERIES["find_suggestion_texts"], values)


def write_suggestions(found: Suggestions, file: Path) -> None:
    """Write candidates as a CSV that `import_synonyms` takes, each with a note of where it comes from.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        with file.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.writer(handle, lineterminator="\n")
            writer.writerow(("phrase", "target", "language", "jurisdiction", "weight", "note"))
            writer.writerows(
                (
                    suggestion.phrase,
                    suggestion.target,
                    suggestion.language,
                    suggestion.jurisdiction,
                    WEIGHT,
                    f"{suggestion.kind}: {suggestion.urn}",
                )
                for suggestion in found.suggestions
            )
    except OSError as error:
        raise InputError(f"{file.name}: cannot be written ({error.strerror or type(error).__name__}).") from None


def _candidates(language: str, heading: str, text: str, terms: list[str]) -> Iterator[tuple[SuggestionKind, str, str]]:
    """Pairs of an everyday phrase and the law's word, from one node."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return
    for term in terms:
        for item in listed_words(text, term, language):
            yield "definition", item, term
    name = _DESIGNATED.sub("", heading).strip(" .")
    if name:
        for match in pattern.alias.finditer(text):
            yield "alias", match[1], name
        parts = pattern.either.split(name)
        if len(parts) == 2 and all(_is_plain(part, language) for part in parts):
            yield "heading", parts[0], parts[1]
            yield "heading", parts[1], parts[0]


def listed_words(text: str, term: str, language: str) -> list[str]:
    """The plain words that a definition gives for its term: the items of its list up to the first qualified one.

    Args:
        text: of the defining node.
        language: of the text; one whose wording is not known gives none.
    """
    pattern = _PATTERNS.get(language)
    at = text.casefold().find(term.casefold()) if pattern else -1
    start = pattern.means.search(text, at + len(term)) if pattern and at >= 0 else None
    if pattern is None or start is None or start.start() > at + len(term) + 40:
        return []
    end = re.compile(r"をいう|[;:.。；]|\Z").search(text, start.end())
    sentence = text[start.end() : end.start() if end else len(text)]
    given = [pattern.article.sub("", item.strip(), count=1).strip() for item in pattern.between.split(sentence)]
    items = list(takewhile(lambda word: _is_plain(word, language), given))
    # One unqualified item is a definition by its kind ("means a person"), not a list of words for it; and where a comma
    # also parts clauses, as in Japanese, a list with anything else in it is none.
    if len(items) < 2 or (language == "ja" and len(items) < len(given)):
        return []
    return [item for item in items if normalise_phrase(item) != normalise_phrase(term)]


def _is_plain(text: str, language: str) -> bool:
    """Whether a text is a bare name of few words."""
    if language == "ja":
        return 2 <= len(text) <= 8 and text.isalpha() and not any("ぁ" <= sign <= "ん" for sign in text)
    words = text.split()
    return (
        0 < len(words) <= _MOST_WORDS
        and _ITEM.fullmatch(text) is not None
        and not _QUALIFIES & set(text.lower().split())
    )


def _checked(phrase: str, target: str, jurisdiction: str, language: str) -> NewSynonym | None:
    """The candidate as a row that could be recorded; None where it could not, or says nothing."""
    try:
        row = NewSynonym(phrase=phrase, target=target, language=language, jurisdiction=jurisdiction, weight=WEIGHT)
    except ValidationError:
        return None
    return row if row.phrase != row.target else None
