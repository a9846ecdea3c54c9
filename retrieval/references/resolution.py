"""Resolving what people write to nodes of the store: the parsers of all jurisdictions over one pipeline."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import takewhile
from typing import TypeVar

from retrieval.errors import EmptyStore, InputError
from retrieval.languages import checked_language
from retrieval.model import Resolution, SearchResult
from retrieval.nodes import Connection, stored_jurisdictions, versions_by_urn
from retrieval.paths import expand_jurisdictions, is_path, is_urn, named_jurisdictions, parse_urn, subtree_end
from retrieval.queries import QUERIES
from retrieval.references import lookup
from retrieval.references.citation_graph import citing_counts, repealing
from retrieval.references.grammars import Grammars
from retrieval.references.hits import Finder, Request, named_urns
from retrieval.references.law_names import LawNames, cited_by_name, law_names
from retrieval.references.neighbours import natural, neighbours_of_query, neighbours_of_urn
from retrieval.references.pipeline import (
    Readings,
    candidate_of,
    checked_reference,
    law_of,
    laws_named,
    names_several,
    narrowed,
    resolve,
    resolve_readings,
    resolve_urn,
)
from retrieval.references.store_finder import StoreFinder
from retrieval.references.tag_sql import check_storable
from retrieval.tag_query import PART_NAMED, SEVERAL, TagFilterSet, TagQuery

_BRACKETED = re.compile(r"\b(?P<number>\d{1,5}[A-Z]{0,4})\s?(?P<path>(?:\(\w{1,5}\)\s?)+)", re.IGNORECASE | re.ASCII)
MOST_IN_RANGE = 50  # provisions of one range that are listed
LAW_MISSING = (
    "The reference names a provision and no law. Write it with its law, such as `§ 535 BGB` or `28 U.S.C. § 1331`."
)


def resolve_reference(
    conn: Connection,
    grammars: Grammars,
    reference: str,
    *,
    today: date,
    jurisdiction: str | None = None,
    language: str | None = None,
    at_date: date | None = None,
    tags: Mapping[str, str] | None = None,
) -> Resolution:
    """Resolve one reference in one snapshot.

    Args:
        reference: as people write it, or a URN, or an id of another system.
        today: the date of "in force" where none is given.
        jurisdiction: narrows grammars and store; None for all.
        language: ISO 639-1; narrows the readings.
        at_date: the version in force at this date, and no other; a date in the words of the reference comes before it.
        tags: further tags that the provision must have.

    Raises:
        InputError: the reference, the jurisdiction, the language or a tag cannot be used.
    """
    language = checked_language(language)
    stored = checked_limits(conn, grammars, jurisdiction, tags)
    words, day = grammars.dated(checked_reference(reference))
    if day is not None:
        found = resolve_reference(
            conn, grammars, words, today=today, jurisdiction=jurisdiction, language=language, at_date=day, tags=tags
        )
        return found.model_copy(update={"reference": checked_reference(reference)})
    request = Request(
        reference=words,
        jurisdictions=tuple(expand_jurisdictions(jurisdiction, stored)),
        language=language,
        at_date=at_date,
        today=today,
        tags=tags or {},
    )
    finder = StoreFinder(conn)
    found = pinpointed(
        finder, request, resolve(finder, request, (*grammars.parsers_for(jurisdiction), grammars.addresses))
    )
    found = with_ranges(conn, finder, grammars, request, jurisdiction, found)
    found = by_name(finder, request, lambda: law_names(conn, request.jurisdictions, reference=request.reference), found)
    found = _with_repeals(conn, with_citing_counts(conn, found, stored), stored)
    if found.status != "not_found":
        return found
    if excluded := _excluded(finder, grammars, request, jurisdiction, stored):
        return found.model_copy(update={"message": excluded})
    if is_path(request.reference):
        return _near_path(conn, request, found)
    named = only_urn_named(found)
    if named and found.tag_queries and (act := act_codified(finder, request, named, found)):
        return with_citing_counts(conn, act, stored)
    if named:
        message, suggestions = lookup.nearest(conn, named, found.at_date)
        near = neighbours_of_urn(conn, named, found.at_date) if suggestions else ()
        return found.model_copy(update={"message": message, "suggestions": list(dict.fromkeys((*near, *suggestions)))})
    found = of_a_known_form(grammars, found, jurisdiction)
    return found.model_copy(update={"suggestions": neighbours_of_query(conn, found.tag_queries, request)})


def _near_path(conn: Connection, request: Request, missing: Resolution) -> Resolution:
    """The same with the deepest node that is there above a citation path."""
    labels = request.reference.lower().split(".")
    paths = [".".join(labels[:end]) for end in range(3, len(labels))]
    above = conn.execute(
        QUERIES["find_urns_around_path"], {"jurisdictions": list(request.jurisdictions), "paths": paths}
    )
    suggestions = [urn for urn, _ in above.fetchall()[:1]]
    message = "No node of the store has this citation path."
    if suggestions:
        message = f"{message} The nearest above it is {suggestions[0]}."
    return missing.model_copy(update={"message": message, "suggestions": suggestions})


def only_urn_named(found: Resolution) -> str:
    """The one URN that a reference names; empty where it names none or several."""
    named = named_urns(found.tag_queries) or ([found.reference] if is_urn(found.reference) else [])
    return named[0] if len(named) == 1 else ""


def _places_asked(queries: Sequence[TagQuery]) -> list[str]:
    """The jurisdictions in which alone a reference was looked for; none where one reading may be of any."""
    named = [
        next(
            (str(tag_filter.value) for tag_filter in query.tag_filters.filters if tag_filter.key == "jurisdiction"), ""
        )
        for query in queries
    ]
    return list(dict.fromkeys(named)) if all(named) else []


def of_a_known_form(grammars: Grammars, missing: Resolution, jurisdiction: str | None) -> Resolution:
    """A reference that was not found, with what its form says: no law named, or law that has no identifier."""
    if not missing.tag_queries and (grammar := grammars.recognised_by(missing.reference, jurisdiction)):
        message = f"The grammar of {grammar} knows this form; what it names has no identifier that a store could hold."
        return missing.model_copy(update={"message": message})
    if places := _places_asked(missing.tag_queries):
        message = f"The reference is not in the store: it is read as law of {' or of '.join(places)} alone."
        return missing.model_copy(update={"message": message})
    if not only_urn_named(missing) and grammars.names_no_law(missing.reference):
        return missing.model_copy(update={"message": LAW_MISSING})
    doubts = list(dict.fromkeys(query.hint or "" for query in missing.tag_queries))
    if doubts and all(doubts) and not named_urns(missing.tag_queries):
        message = f"The reference is not in the store as it was read: {'; '.join(doubts)}. Write it with its law."
        return missing.model_copy(update={"message": message})
    return missing


def checked_limits(
    conn: Connection, grammars: Grammars, wanted: str | None, tags: Mapping[str, str] | None = None
) -> list[str]:
    """The jurisdictions of the store, where references can be limited so; `us-ny` is known where `us` is read.

    Raises:
        EmptyStore: the store has no law.
        InputError: a tag that cannot be stored, or a malformed code, or one that neither the store nor a grammar has.
    """
    for tag_filter in TagFilterSet.from_tags(tags or {}).filters:
        check_storable(tag_filter)
    stored = stored_jurisdictions(conn)
    if not stored:
        raise EmptyStore
    if wanted is None or wanted.strip() == "*":
        return stored
    for code in named_jurisdictions(wanted, stored)[1]:
        if not grammars.parsers_for(code) and not expand_jurisdictions(code, stored):
            raise InputError(
                f"There is no jurisdiction {code}: no law of it is in the store and no grammar reads it. "
                f"The store has {', '.join(stored)}."
            )
    return stored


def _excluded(
    finder: StoreFinder, grammars: Grammars, request: Request, jurisdiction: str | None, stored: Sequence[str]
) -> str:
    """What to say where only the tags or the jurisdiction asked for keep a reference from being found."""
    if not request.tags and jurisdiction is None:
        return ""
    free = resolve(finder, replace(request, tags={}, jurisdictions=tuple(stored)), grammars.parsers_for(None))
    if free.status == "not_found":
        return ""
    urns = ", ".join(candidate.urn for candidate in free.candidates[:3])
    by_place = "" if jurisdiction is None else f"the jurisdiction {jurisdiction}"
    by_tags = ", ".join(f"{key}={value}" for key, value in request.tags.items())
    filters = " and ".join(part for part in (by_place, f"the tags {by_tags}" if by_tags else "") if part)
    return f"The store has {urns}, but not with {filters}. Ask again without that filter."


def by_name(finder: Finder, request: Request, names: Callable[[], LawNames], found: Resolution) -> Resolution:
    """The same, or what a reference names by the name of a document, where the grammars found nothing for certain.

    What a grammar reads with confidence as other law is never certain by a name, which its author chose.
    """
    certain = found.status == "resolved" or any(one.hint in (None, SEVERAL) for one in found.candidates)
    if certain or not cited_by_name(request.reference):
        return found
    readings = names().readings(request.reference)
    laws = {law_of(urn) for urn in readings}
    others = [query for query in found.tag_queries if query.hint is None and not laws >= laws_named(query)]
    said = ", ".join(dict.fromkeys(named_urns(others)))
    queries = {
        urn: [
            narrowed(replace(query, hint=f"a name of {urn}; as a citation it is {said}") if others else query, request)
            for query in group
        ]
        for urn, group in readings.items()
    }
    named = resolve_readings(finder, request, Readings(queries))
    if named.status == "not_found":
        # The likeliest spelling alone tells what is near, unless a grammar has read the reference for certain.
        read = found.urn or any(query.hint is None for query in found.tag_queries)
        first = [group[0] for group in queries.values() if group]
        return named.model_copy(update={"tag_queries": first}) if first and not read else found
    return named if found.status == "not_found" or named.status == "resolved" else found


def part_named(found: Resolution) -> str:
    """The URN of the part that a reference names in brackets after the number of the provision found; or empty."""
    if found.hint != PART_NAMED or found.urn is None:
        return ""
    number = found.urn.rpartition(":")[2]
    places = list(_BRACKETED.finditer(found.reference))
    if len(places) != 1 or places[0]["number"].lower() != number:
        return ""
    return ":".join((found.urn, *re.findall(r"\w+", places[0]["path"].lower())))


def pinpointed(finder: Finder, request: Request, found: Resolution) -> Resolution:
    """The part of a provision that a reference names in brackets after its number, where the store has that part."""
    urn = part_named(found)
    part = resolve_urn(finder, replace(request, reference=urn)) if urn else None
    return (
        part.model_copy(update={"reference": found.reference, "tag_queries": found.tag_queries})
        if (part is not None and part.status == "resolved")
        else found
    )


def with_ranges(
    conn: Connection,
    finder: StoreFinder,
    grammars: Grammars,
    request: Request,
    jurisdiction: str | None,
    found: Resolution,
) -> Resolution:
    """The same with what lies between the two ends of a range; what cannot be listed is said."""
    if found.status != "ambiguous" or any(candidate.hint != SEVERAL for candidate in found.candidates):
        return found
    urns = [candidate.urn for candidate in found.candidates]
    written = (
        references[0]
        for parser in grammars.parsers_for(jurisdiction)
        if len(references := parser.find_references(request.reference, None)) == 1
    )
    places = next((reference.ranges for reference in written if len(reference.parts) == len(urns)), ())
    if not places:
        return found
    listed, warnings = list(urns), list(found.warnings)
    for first, last in ((urns[place], urns[place + 1]) for place in places):
        between = _between(conn, first, last, found.at_date)
        listed[listed.index(first) : listed.index(last) + 1] = between[:MOST_IN_RANGE] or [first, last]
        if not between:
            warnings.append(f"What lies between {first} and {last} is not listed: they are not numbered in one row.")
        elif len(between) > MOST_IN_RANGE:
            warnings.append(
                f"Of the {len(between)} provisions from {first} to {last} the first {MOST_IN_RANGE} are listed."
            )
    query = replace(found.tag_queries[0], hint=SEVERAL)
    candidates = [candidate_of(hit, query) for hit in finder.named(listed, request)]
    message = names_several(len(candidates))
    return found.model_copy(update={"candidates": candidates, "warnings": warnings, "message": message})


def _between(conn: Connection, first: str, last: str, at_date: date) -> list[str]:
    """The URNs from one provision to another, by number; empty where they are not numbered in one row."""
    ends = [version for version in versions_by_urn(conn, [first, last]) if version.in_force(at_date)]
    base = first.rpartition(":")[0]
    if len(ends) != 2 or last.rpartition(":")[0] != base or ends[0].structure_type != ends[1].structure_type:
        return []
    labels = takewhile(lambda pair: pair[0] == pair[1], zip(*(end.path.split(".") for end in ends), strict=False))
    above = ".".join(label for label, _ in labels)
    values = {
        "jurisdiction": ends[0].jurisdiction, "low": above, "high": subtree_end(above), "at_date": at_date,
        "structure_type": ends[0].structure_type, "base": f"{base}:",
    }  # fmt: skip
    urns = (row[0] for row in conn.execute(QUERIES["find_range"], values))
    return sorted((urn for urn in urns if natural(first) <= natural(urn) <= natural(last)), key=natural)


def codified_queries(request: Request, urn: str, missing: Resolution) -> dict[TagQuery, str]:
    """What asks for the act's own section that is codified at a URN, or at what contains it; the narrowest first.

    At last for what another jurisdiction keeps of an act of the Union as its own law. Each with the URN it stands for.
    """
    language, parsed = missing.tag_queries[0].language, parse_urn(urn)
    asked = [
        (place, {"codified_at": place}, f"the act's own section that is codified at {place}")
        for place in reversed(parsed.prefixes)
    ]
    if parsed.jurisdiction == "eu":
        celex = parsed.corpus.upper()
        hint = f"what another jurisdiction keeps of {celex} as law of its own, whose text may differ"
        asked.append((f"urn:lex:eu:{parsed.corpus}", {"celex": celex}, hint))
    return {
        TagQuery(
            language=language, tag_filters=TagFilterSet.from_tags({**tags, **request.tags}), at_date=request.at_date,
            hint=hint,
        ): place
        for place, tags, hint in asked
    }  # fmt: skip


def act_codified(finder: Finder, request: Request, urn: str, missing: Resolution) -> Resolution | None:
    """The section of an act that is codified where a reference points, for a store that has the act and not the code.

    The parts of both are numbered alike; their words may differ, so that it is a reading, and never a certain one.
    """
    for query, place in codified_queries(request, urn, missing).items():
        found = resolve_readings(finder, request, Readings({"codified": [query]}))
        if found.status == "not_found":
            continue
        below = urn[len(place) :]
        parts = [
            part.candidates[0].model_copy(update={"hint": query.hint})
            for candidate in (found.candidates if below else [])
            if (part := resolve_urn(finder, replace(request, reference=candidate.urn + below))) and part.candidates
        ]
        told: dict[str, object] = {"tag_queries": missing.tag_queries, "candidates": parts or found.candidates}
        if len(parts) == 1:  # the others have no such part
            warning = f"Read as: {query.hint}. The words alone do not say so."
            told |= {
                "status": "candidates",
                "urn": parts[0].urn,
                "hint": query.hint,
                "warnings": [warning],
                "message": "",
            }
        return found.model_copy(update=told)
    return None


Counted = TypeVar("Counted", Resolution, SearchResult)


def with_citing_counts(conn: Connection, result: Counted, jurisdictions: Sequence[str]) -> Counted:
    """The same with `cited_by` of every provision named in it: one statement, whatever their number.

    Args:
        jurisdictions: of the store, whose law is counted where it cites.
    """
    listed = result.candidates if isinstance(result, Resolution) else result.results
    counts = citing_counts(conn, (candidate.urn for candidate in listed), jurisdictions, result.at_date)
    counted = [candidate.model_copy(update={"cited_by": counts.get(candidate.urn, 0)}) for candidate in listed]
    return result.model_copy(update={"candidates" if isinstance(result, Resolution) else "results": counted})


def _with_repeals(conn: Connection, found: Resolution, jurisdictions: Sequence[str]) -> Resolution:
    """The same, saying by what a provision that is not in force was ended, where an edge of the store says so."""
    ended = [candidate.urn for candidate in found.candidates if candidate.urn == found.urn and found.warnings]
    by = repealing(conn, ended, jurisdictions) if ended else {}
    notes = [f"{urn}: ended by {', '.join(names[:5])}." for urn, names in by.items()]
    return found.model_copy(update={"warnings": [*found.warnings, *notes]}) if notes else found
