"""The resolution pipeline: from what people write to the one right node, or to a candid list.

    string -> an id, URN or alias as it is -> the version at the date
           -> every parser: confident queries (the first hit wins), then candidates (one hit is served with a warning)
           -> not found, with the nearest that is there

Parsers are given; this module knows no jurisdiction. Nothing ambiguous is ever served as certain: readings of two
parsers that hit different nodes are a list, too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Protocol

from psycopg.rows import class_row

from retrieval.errors import InputError
from retrieval.model import Candidate, Resolution
from retrieval.nodes import Connection
from retrieval.paths import is_urn, parse_urn, urn_spellings
from retrieval.queries import QUERIES
from retrieval.tag_query import TagFilterOp, TagFilterSet, TagQuery
from retrieval.tag_sql import tag_conditions

MAX_REFERENCE = 1_000  # characters; the longest real reference lists some dozens of provisions
_LIMIT = 10
_REPEALED = ("repealed", "abrogated", "revoked", "expired", "renumbered", "transferred", "omitted", "vacated")


class ReferenceParser(Protocol):
    """Reads references of one jurisdiction."""

    @property
    def code(self) -> str:
        """The jurisdiction."""
        ...

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string; confident ones (no hint) first."""
        ...


@dataclass(frozen=True, slots=True)
class Hit:
    """One version of a node that a query found."""

    jurisdiction: str
    node_id: int
    id: int
    urn: str
    kind: str
    language: str
    heading: str
    tags: dict[str, Any]
    valid_from: date | None
    valid_to: date | None
    aliases: list[str]
    corpus_title: str | None

    @property
    def key(self) -> tuple[str, int]:
        """The node, whatever the version."""
        return self.jurisdiction, self.node_id

    def in_force(self, at_date: date) -> bool:
        """Whether `valid_from <= at_date < valid_to`."""
        return (self.valid_from is None or self.valid_from <= at_date) and (
            self.valid_to is None or at_date < self.valid_to
        )


@dataclass(frozen=True, slots=True)
class Request:
    """One reference to resolve."""

    reference: str
    jurisdictions: tuple[str, ...]  # those of the store that may answer
    language: str | None
    at_date: date | None  # None: the version in force today is preferred, others are found too
    today: date
    tags: Mapping[str, str]


def checked_reference(text: str) -> str:
    """The reference, NFC, white space folded, invisible and control characters gone.

    Raises:
        InputError: empty, too long, or no valid Unicode.
    """
    if len(text) > MAX_REFERENCE:
        raise InputError(f"The reference has {len(text)} characters; the limit is {MAX_REFERENCE}.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError("The reference is not valid Unicode text.")
    kept = "".join(_plain(char) for char in text)
    kept = " ".join(unicodedata.normalize("NFC", kept).split())
    if not any(char.isalnum() for char in kept):
        raise InputError("The reference is empty. Write it as people cite it, or give a URN.")
    return kept


def _plain(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cf":
        return ""
    return " " if category in ("Cc", "Zs", "Zl", "Zp") else char


def resolve(conn: Connection, request: Request, parsers: Iterable[ReferenceParser]) -> Resolution:
    """Resolve one reference.

    Args:
        conn: a read connection.
        request: the reference as `checked_reference` gives it, and what limits it.
        parsers: of the jurisdictions that may be meant, in a fixed order.

    Returns:
        `resolved` for a certain hit, `candidates` for the only hit of an uncertain reading (with `urn`, `hint` and a
        warning), `ambiguous` with all hits, `not_found` with what is nearest.

    Raises:
        InputError: it looks like a URN and is none.
    """
    direct = direct_hits(conn, request)
    if direct:
        return _result(request, "direct", [(one, None) for one in direct], [])
    if is_urn(request.reference):
        return _not_found(request, [], "is not in the store")
    queries = queries_of(request, parsers)
    for confident in (True, False):
        hits: dict[tuple[str, int], tuple[Hit, TagQuery]] = {}
        for group in queries.values():
            for query in group:
                if (query.hint is None) != confident:
                    continue
                found = run_query(conn, query, request)
                for one in found:
                    hits.setdefault(one.key, (one, query))
                if found and confident:
                    break  # this parser's first hit wins
        if hits:
            flat = [query for group in queries.values() for query in group]
            return _result(request, "confident" if confident else "candidate", list(hits.values()), flat)
    flat = [query for group in queries.values() for query in group]
    return _not_found(request, flat, "is not in the store" if flat else "was not read as a reference by any grammar")


def queries_of(request: Request, parsers: Iterable[ReferenceParser]) -> dict[str, list[TagQuery]]:
    """Every parser's readings of a reference, narrowed by the request; a reading that two share counts once.

    Returns:
        Parser's jurisdiction -> its queries; parsers that read nothing are left out.
    """
    known: set[TagQuery] = set()
    out: dict[str, list[TagQuery]] = {}
    for parser in parsers:
        kept: list[TagQuery] = []
        for query in parser.tag_queries(request.reference):
            names_urn = any(one.key == "urn" for one in query.tag_filters.filters)
            if request.language and query.language != request.language and not names_urn:
                continue
            narrowed = replace(
                query, tag_filters=query.tag_filters.merged(request.tags), at_date=query.at_date or request.at_date
            )
            if narrowed not in known:
                known.add(narrowed)
                kept.append(narrowed)
        if kept:
            out[parser.code] = kept
    return out


def direct_hits(conn: Connection, request: Request) -> list[Hit]:
    """The nodes that bear the string as URN or alias, each in the version asked for.

    With a date, an id of one version leads to the version in force at that date; without, to the version it names.
    """
    if is_urn(request.reference):
        names = urn_spellings(parse_urn(request.reference))
    else:
        names = sorted({request.reference, request.reference.lower(), request.reference.upper()})
    values = {"jurisdictions": list(request.jurisdictions), "names": names}
    with conn.cursor(row_factory=class_row(Hit)) as cursor:
        versions = cursor.execute(QUERIES["find_versions_of_nodes"], values).fetchall()
    by_node: dict[tuple[str, int], list[Hit]] = {}
    for one in versions:
        if all(str(one.tags.get(key)) == value for key, value in request.tags.items()):
            by_node.setdefault(one.key, []).append(one)
    return [_version(history, names, request) for history in by_node.values()]


def _version(history: list[Hit], names: Sequence[str], request: Request) -> Hit:
    at = request.at_date or request.today
    current = next((one for one in history if one.in_force(at)), history[-1])
    if request.at_date is not None:
        return current
    named = [one for one in history if one.urn in names or set(names) & set(one.aliases)]
    return current if current in named or not named else named[-1]


def run_query(conn: Connection, query: TagQuery, request: Request) -> list[Hit]:
    """The nodes a query finds, at most ten, each in the version at the date.

    A URN is a URN in any language: there the query's language is not asked for. Of the titles that contain a searched
    one, those that equal it count alone.
    """
    conditions = tag_conditions(query.tag_filters)
    names_urn = any(one.key == "urn" for one in query.tag_filters.filters)
    statement = QUERIES["run_tag_query"].replace("/*filters*/ true", conditions.sql)
    values = {
        "jurisdictions": list(request.jurisdictions),
        "language": None if names_urn else query.language,
        "kind": query.kind,
        "at_date": query.at_date,
        "today": request.today,
        "in_force_first": query.should_sort_in_force_first,
        "limit": _LIMIT,
        **conditions.values,
    }
    with conn.cursor(row_factory=class_row(Hit)) as cursor:
        found = cursor.execute(statement, values).fetchall()
    return _exact_titles(found, query.tag_filters)


def _exact_titles(found: list[Hit], filters: TagFilterSet) -> list[Hit]:
    for one in filters.filters:
        if one.op is TagFilterOp.ILIKE:
            wanted = _folded(one.values[0])
            found = [hit for hit in found if _folded(str(hit.tags.get(one.key, ""))) == wanted] or found
    return found


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    words = "".join(char for char in plain if not unicodedata.combining(char)).split()
    return " ".join(words[1:] if words[:1] == ["the"] else words)


def _result(
    request: Request, source: str, found: list[tuple[Hit, TagQuery | None]], queries: list[TagQuery]
) -> Resolution:
    at = request.at_date or request.today
    live = [pair for pair in found if pair[0].in_force(at)]
    chosen = live if live and source != "candidate" else found
    candidates = [_candidate(hit, query) for hit, query in found]
    if len(chosen) > 1:
        message = (
            f"The reference fits {len(candidates)} provisions; name one of them, or narrow it by jurisdiction or tags."
        )
        return _resolution(request, "ambiguous", None, None, candidates, queries, [], message)
    hit, query = chosen[0]
    warnings = _warnings(hit, at)
    if query is not None and query.hint is not None:
        warnings.insert(0, f"Read as: {query.hint}. The words alone do not say so.")
        return _resolution(request, "candidates", hit.urn, query.hint, candidates, queries, warnings)
    if query is not None and hit.language != query.language:
        warnings.append(f"The store has this provision in language {hit.language}.")
    return _resolution(request, "resolved", hit.urn, None, [_candidate(hit, query)], queries, warnings)


def _warnings(hit: Hit, at: date) -> list[str]:
    status = str(hit.tags.get("status", "")).lower()
    warnings: list[str] = []
    if hit.valid_to is not None and hit.valid_to <= at:
        word = status if status in _REPEALED else "not in force"
        warnings.append(f"{hit.urn}: {word} since {hit.valid_to.isoformat()}.")
    elif hit.valid_from is not None and hit.valid_from > at:
        warnings.append(f"{hit.urn}: not in force before {hit.valid_from.isoformat()}.")
    elif status in _REPEALED:
        since = f" since {hit.valid_from.isoformat()}" if hit.valid_from else ""
        warnings.append(f"{hit.urn}: {status}{since}.")
    return warnings


def _candidate(hit: Hit, query: TagQuery | None) -> Candidate:
    title = hit.heading or str(hit.tags.get("act_title") or hit.tags.get("code") or "")
    return Candidate(
        urn=hit.urn,
        hint=query.hint if query else None,
        title=" · ".join(dict.fromkeys(one for one in (hit.corpus_title or "", title) if one)),
        jurisdiction=hit.jurisdiction,
        valid_from=hit.valid_from,
        valid_to=hit.valid_to,
    )


def _not_found(request: Request, queries: list[TagQuery], why: str) -> Resolution:
    message = f"The reference {why}."
    if not queries and not is_urn(request.reference):
        message += " Ask it as a question with `lexscope search`, or write it as it is cited."
    return _resolution(request, "not_found", None, None, [], queries, [], message)


def _resolution(
    request: Request,
    status: str,
    urn: str | None,
    hint: str | None,
    candidates: list[Candidate],
    queries: list[TagQuery],
    warnings: list[str],
    message: str = "",
) -> Resolution:
    return Resolution.model_validate(
        {
            "reference": request.reference,
            "status": status,
            "urn": urn,
            "hint": hint,
            "at_date": request.at_date or request.today,
            "candidates": candidates,
            "tag_queries": queries,
            "warnings": warnings,
            "message": message,
        }
    )


def named_urns(queries: Iterable[TagQuery]) -> list[str]:
    """The URNs that queries ask for, each once, in order."""
    found = (
        value for query in queries for one in query.tag_filters.filters if one.key == "urn" for value in one.values
    )
    return list(dict.fromkeys(found))
