"""Which node a reader means: a URN, an id of another system, or a reference as people write it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from rag.clock import utc_now
from rag.documents.model import MAX_CANDIDATES, DocumentText
from rag.jurisdictions.grammars import GRAMMARS
from rag.law.jurisdiction import SEVERAL
from retrieval.entry_points.sources import stored_sources
from retrieval.errors import InputError
from retrieval.model import Resolution
from retrieval.nodes import Connection, NodeVersion
from retrieval.paths import is_urn
from retrieval.references import lookup
from retrieval.references.resolution import resolve_reference

NO_REFERENCE = (
    "This is no id in this store, and it was not read as a reference. Give a URN or the usual citation of a provision, "
    "or look for it with a search. That is not a statement that no law exists."
)


def find_node(
    conn: Connection,
    reference: str,
    *,
    at_date: date | None,
    jurisdiction: str | None = None,
    language: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> tuple[NodeVersion | None, DocumentText]:
    """The one node that a reference means, in force at the date; or the reply that says why there is none.

    Returns:
        The node and a reply that holds what is to be said of how it was found; without a node the whole reply.

    Raises:
        InputError: a part of the request cannot be used.
    """
    today = utc_now().date()
    on = at_date or today
    narrowed = dict(tags or {})
    named = narrowed.pop("jurisdiction", None)  # as in a search, where it includes its subdivisions
    if named is not None and jurisdiction is not None and named.strip() != jurisdiction.strip():
        raise InputError("`jurisdiction` and tags[jurisdiction] differ; give one of them.")
    jurisdiction = jurisdiction if named is None else named.strip()
    _check_language(conn, language)
    text = reference.strip().rstrip(".?")
    found = resolve_reference(
        conn, GRAMMARS, text, today=today, jurisdiction=jurisdiction, language=language, at_date=at_date, tags=narrowed
    )
    if found.status == "not_found" and at_date is not None:
        # It may be in the store at other dates only, which is worth saying.
        found = resolve_reference(
            conn, GRAMMARS, text, today=today, jurisdiction=jurisdiction, language=language, tags=narrowed
        )
    empty = DocumentText(status="not_found", at_date=on)
    if found.urn is None:
        return None, _missing(found, empty)
    nodes, why = lookup.find_targets(conn, [found.urn], on)
    if why is not None:
        status = "not_in_force" if why.status == "not_in_force" else "not_found"
        told = {"status": status, "message": why.message, "suggestions": list(why.suggestions)}
        return None, empty.model_copy(update=told)
    [node] = nodes
    if language is not None and node.language != language:
        message = f"The store has this provision, but not in the language asked for; it is in {node.language}."
        return None, empty.model_copy(update={"message": message, "suggestions": [node.urn]})
    warnings = list(found.warnings)
    return node, empty.model_copy(update={"warnings": warnings})


def _check_language(conn: Connection, language: str | None) -> None:
    sources = stored_sources(conn)
    languages = sorted({one.language for one in sources})
    if sources and language is not None and language not in languages:
        raise InputError(f"The store has no law in that language; it has {', '.join(languages)}.")


def _missing(found: Resolution, empty: DocumentText) -> DocumentText:
    if found.status == "ambiguous":
        urns = [one.urn for one in found.candidates]
        several = all(one.hint == SEVERAL for one in found.candidates)
        hints = [f"{one.urn} ({one.hint})" for one in found.candidates if one.hint and not several]
        message = (
            f"The reference names {len(urns)} provisions; ask for one of them at a time."
            if several
            else f"The reference fits {len(urns)} provisions of the store; ask for one of them by its URN."
        )
        update = {
            "status": "ambiguous", "message": message, "suggestions": urns[:MAX_CANDIDATES],
            "warnings": [f"It may be: {', '.join(hints[:MAX_CANDIDATES])}."] if hints else [],
        }  # fmt: skip
        return empty.model_copy(update=update)
    read = bool(found.tag_queries) or found.suggestions or is_urn(found.reference)
    message = f"{found.message} That is not a statement that no such law exists." if read else NO_REFERENCE
    return empty.model_copy(update={"message": message, "suggestions": found.suggestions[:MAX_CANDIDATES]})
