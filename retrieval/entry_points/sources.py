"""The corpora that a store holds, and the filters that a request comes to in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from psycopg.rows import tuple_row

from retrieval.entry_points.dense import VECTOR_SETTINGS, StoredVectors
from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.request import chosen_jurisdictions
from retrieval.errors import EmptyStore, InputError, NotInStore
from retrieval.model import ScopedContext
from retrieval.nodes import Connection, NodeVersion
from retrieval.paths import absent_jurisdictions, canonical_jurisdiction, exactly_named, expand_jurisdictions
from retrieval.queries import QUERIES
from retrieval.references.lookup import empty_context

Spoken = Callable[
    [Sequence[str]], str
]  # of ISO 639-1 codes the one that a question is in; empty where that is not clear


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A corpus in the store."""

    urn: str
    jurisdiction: str
    title: str
    language: str
    publisher: str
    licence: str
    last_ingest: datetime


def stored_sources(conn: Connection) -> list[SourceRow]:
    """All corpora of the store."""
    return sources_and_vectors(conn)[0]


def sources_and_vectors(conn: Connection) -> tuple[list[SourceRow], StoredVectors]:
    """All corpora of the store, and what it says of its vectors."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        rows = cursor.execute(QUERIES["list_sources"], {"keys": list(VECTOR_SETTINGS)}).fetchall()
    return [SourceRow(*row[:-1]) for row in rows], StoredVectors.of(rows[0][-1] if rows else {})


def left_by_exclusion(sources: Sequence[SourceRow], jurisdiction: str | None) -> tuple[list[SourceRow], str | None]:
    """The corpora that a filter such as `!=us-dc` leaves, and a filter that names their jurisdictions.

    Among these corpora the new filter means just them, though `us` includes its subdivisions elsewhere. A filter that
    excludes nothing comes back as it is, with all corpora.

    Raises:
        InputError: `!*`, a malformed code, or nothing of the store left.
    """
    if not sources or jurisdiction is None or not jurisdiction.strip().startswith("!"):
        return list(sources), jurisdiction if sources else None
    codes, _ = chosen_jurisdictions(jurisdiction, sorted({source.jurisdiction for source in sources}))
    return [source for source in sources if source.jurisdiction in codes], "|".join(codes)


def left_beside(sources: Sequence[SourceRow], jurisdiction: str | None, beside: Sequence[str]) -> list[SourceRow]:
    """The corpora that are asked under one jurisdiction of several, side by side, each of its own law alone.

    Law of a state that is asked itself is not asked under its country too.

    Args:
        sources: the corpora of the store.
        jurisdiction: the one that is asked.
        beside: all of them, itself included.
    """
    narrower = [code for code in beside if jurisdiction and code.startswith(f"{jurisdiction}-")]
    return [
        source for source in sources if not any(f"{source.jurisdiction}-".startswith(f"{code}-") for code in narrower)
    ]


def excluded_context(rules: Sequence[NodeVersion], left: Sequence[SourceRow], at_date: date) -> ScopedContext | None:
    """What to answer where the request names a provision of a jurisdiction that its own filter excludes.

    Args:
        rules: the provisions found for the request.
        left: the corpora that the filter leaves, as `left_by_exclusion` gives them.
        at_date: the date of the law asked about.
    """
    codes = {source_row.jurisdiction for source_row in left}
    outside = [rule for rule in rules if rule.jurisdiction not in codes]
    if not outside:
        return None
    message = f"{outside[0].urn} is law of {outside[0].jurisdiction}, which the filter on the jurisdiction leaves out."
    return empty_context("not_found", [rule.urn for rule in outside], at_date, message)


def search_filters(
    sources: Sequence[SourceRow], jurisdiction: str | None, language: str | None, at_date: date, spoken: Spoken
) -> tuple[Filters, list[str]]:
    """The filters a request comes to, and what to say of what they leave out.

    Args:
        sources: the corpora of the store.
        at_date: the date of the law asked about.
        spoken: which of several languages the question is in.

    Raises:
        InputError: a malformed or unknown jurisdiction, or a language the store has no law in.
    """
    if not sources:
        raise EmptyStore
    known = {source.jurisdiction for source in sources}
    chosen = expand_jurisdictions(jurisdiction, known)
    if not chosen:
        raise NotInStore([canonical_jurisdiction(code) for code in (jurisdiction or "").split("|")], known)
    absent = absent_jurisdictions(jurisdiction, known)
    notes = [f"The store has no law of {', '.join(absent)}; only that of {', '.join(chosen)} was searched."] * bool(
        absent
    )
    counts = Counter(source.language for source in sources if source.jurisdiction in chosen)
    languages = sorted(counts)
    if language is None:
        told = spoken(languages) if len(languages) > 1 else ""
        language = told or max(languages, key=lambda code: counts[code])
        if len(languages) > 1:
            why = "the question's language" if told else "in which the store has most"
            notes.append(
                f"Of the law in {', '.join(languages)} only {language} was searched, {why}; `language` names another."
            )
    elif language not in languages:
        raise InputError(f"The chosen jurisdictions have no law in that language; they have {', '.join(languages)}.")
    named = exactly_named(jurisdiction, known)
    return Filters(jurisdictions=tuple(chosen), language=language, at_date=at_date, named=named), notes
