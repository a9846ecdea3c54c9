"""From a URN to the version in force, or to an honest account of why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from retrieval.model import ContextStatus, ScopedContext, context_digest
from retrieval.nodes import Connection, NodeVersion, versions_by_urn
from retrieval.paths import parse_urn, subtree_end
from retrieval.queries import QUERIES


def find_targets(
    conn: Connection, urns: Sequence[str], at_date: date
) -> tuple[list[NodeVersion], ScopedContext | None]:
    """The versions in force of named rules.

    Returns:
        The rules in the order named; or, when one is missing, the context that says which and why.

    Raises:
        InputError: one is not a URN (retrieval.errors).
    """
    rules: list[NodeVersion] = []
    versions = versions_by_urn(conn, urns)
    for urn in urns:
        canonical = parse_urn(urn)
        own = [one for one in versions if _same(one, canonical.text, canonical.jurisdiction)]
        found = own or [one for one in versions if parse_urn(one.urn).jurisdiction == canonical.jurisdiction]
        if not found:
            return [], _not_found(conn, canonical.text, at_date)
        current = [one for one in found if one.in_force(at_date)]
        if not current:
            return [], _not_in_force(canonical.text, found, at_date)
        if len({(one.jurisdiction, one.node_id) for one in current}) > 1:
            return [], _ambiguous(canonical.text, current, at_date)
        rules.append(current[0])
    return rules, None


def _same(version: NodeVersion, urn: str, jurisdiction: str) -> bool:
    one = parse_urn(version.urn)
    wanted = parse_urn(urn)
    return (one.jurisdiction, one.corpus, one.segments) == (jurisdiction, wanted.corpus, wanted.segments)


def empty_context(
    status: ContextStatus, targets: Sequence[str], at_date: date, message: str, suggestions: Sequence[str] = ()
) -> ScopedContext:
    """A context without blocks: what is the case, and what to do."""
    context = ScopedContext(
        status=status, targets=list(targets), at_date=at_date, digest="", blocks=[], definitions=[], overrides=[],
        warnings=[], omitted=[], message=message, suggestions=list(suggestions),
    )  # fmt: skip
    return context.model_copy(update={"digest": context_digest(context)})


def _not_found(conn: Connection, urn: str, at_date: date) -> ScopedContext:
    message, suggestions = nearest(conn, urn, at_date)
    return empty_context("not_found", [urn], at_date, message, suggestions)


def nearest(conn: Connection, urn: str, at_date: date) -> tuple[str, list[str]]:
    """What to say of a URN that is not in the store, and the URNs nearest to it: the nearest ancestor, then siblings.

    Raises:
        InputError: not a URN (retrieval.errors).
    """
    prefixes = parse_urn(urn).prefixes[:-1]
    known = [one for one in versions_by_urn(conn, prefixes) if one.in_force(at_date)] if prefixes else []
    if not known:
        message = f"{urn} is not in the store, nor is the corpus it would belong to. Ingest that corpus first."
        return message, []
    parent = max(known, key=lambda one: len(one.urn))
    rows = conn.execute(
        QUERIES["find_siblings"],
        {
            "jurisdiction": parent.jurisdiction, "low": parent.path, "high": subtree_end(parent.path),
            "depth": len(parent.ancestor_ids) + 1, "at_date": at_date,
        },
    ).fetchall()  # fmt: skip
    children = [row[0] for row in rows]
    message = f"{urn} is not in the store. The nearest node that is: {parent.urn}."
    return message, [parent.urn, *_closest(urn, children)]


def _closest(urn: str, known: Sequence[str]) -> list[str]:
    """The siblings that share most with a URN, in document order."""
    last = urn.rpartition(":")[2]

    def shared(one: str) -> int:
        tail = one.rpartition(":")[2]
        return next(
            (size for size, (a, b) in enumerate(zip(last, tail, strict=False)) if a != b), min(len(last), len(tail))
        )

    best = set(sorted(known, key=lambda one: (-shared(one), one))[:8])
    return [one for one in known if one in best]


def _ambiguous(urn: str, found: Sequence[NodeVersion], at_date: date) -> ScopedContext:
    names = sorted({one.urn for one in found})
    message = f"{urn} is another name of several nodes: {', '.join(names[:10])}. Name one of them."
    return empty_context("not_found", [urn], at_date, message, names)


def _not_in_force(urn: str, versions: Sequence[NodeVersion], at_date: date) -> ScopedContext:
    spans = ", ".join(
        f"from {one.valid_from.isoformat() if one.valid_from else 'an unknown date'} "
        + (f"until {one.valid_to.isoformat()}" if one.valid_to else "on")
        for one in versions
    )
    message = f"{urn} is not in force at {at_date.isoformat()}; the store has it in force {spans}."
    return empty_context("not_in_force", [urn], at_date, message)
