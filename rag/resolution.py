"""Resolving what people write to nodes of the store: the parsers of all jurisdictions over `retrieval.references`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from rag import lookup
from rag.jurisdictions.registry import all_jurisdictions
from retrieval.errors import InputError
from retrieval.model import Resolution
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import canonical_jurisdiction, expand_jurisdictions
from retrieval.references import ReferenceParser, Request, checked_reference, named_urns, resolve


def parsers_for(jurisdiction: str | None) -> list[ReferenceParser]:
    """The grammars that may read a reference: those of the named jurisdictions (`fr`, `eu|fr`), else all.

    Raises:
        InputError: a malformed code.
    """
    known = all_jurisdictions()
    if jurisdiction is None or jurisdiction.strip() == "*":
        return list(known)
    codes = [canonical_jurisdiction(code) for code in jurisdiction.split("|")]
    return [one for one in known if any(f"{code}-".startswith(f"{one.code}-") for code in codes)]


def resolve_reference(
    conn: Connection,
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
        conn: a read connection.
        reference: as people write it, or a URN, or an id of another system.
        today: the date of "in force" where none is given.
        jurisdiction: narrows grammars and store; None for all.
        language: ISO 639-1; narrows the readings.
        at_date: the version in force at this date, and no other.
        tags: further tags that the provision must have.

    Raises:
        InputError: the reference, the jurisdiction or a tag cannot be used.
    """
    stored = stored_jurisdictions(conn)
    if not stored:
        raise InputError("The store holds no law yet. Run `lexscope ingest` with a file or folder.")
    request = Request(
        reference=checked_reference(reference),
        jurisdictions=tuple(expand_jurisdictions(jurisdiction, stored)),
        language=language,
        at_date=at_date,
        today=today,
        tags=tags or {},
    )
    found = resolve(conn, request, parsers_for(jurisdiction))
    if found.status != "not_found":
        return found
    named = named_urns(found.tag_queries) or ([request.reference] if request.reference[:4].lower() == "urn:" else [])
    if not named:
        return found
    message, suggestions = lookup.nearest(conn, named[0], found.at_date)
    return found.model_copy(update={"message": message, "suggestions": suggestions})
