"""From a URN to the version in force, or to an honest account of why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from retrieval.model import ContextStatus, ScopedContext, context_digest
from retrieval.nodes import Connection, NodeVersion, stored_jurisdictions, versions_by_urn
from retrieval.paths import parse_urn, subtree_end, urn_spellings
from retrieval.queries import QUERIES
from retrieval.references.citation_graph import repealing
from retrieval.references.neighbours import neighbours_of_urn


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
        own = [version for version in versions if _same(version, canonical.text, canonical.jurisdiction)]
        found = own or [
            version for version in versions if parse_urn(version.urn).jurisdiction == canonical.jurisdiction
        ]
        if not found:
            return [], _not_found(conn, canonical.text, at_date)
        current = [version for version in found if version.in_force(at_date)]
        if not current:
            return [], _not_in_force(conn, canonical.text, found, at_date)
        if len({(version.jurisdiction, version.node_id) for version in current}) > 1:
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
    """What to say of a URN that is not in the store, and those nearest to it: neighbours by number, ancestor, siblings.

    Raises:
        InputError: not a URN (retrieval.errors).
    """
    prefixes = parse_urn(urn).prefixes[:-1]
    known = (
        [node_version for node_version in versions_by_urn(conn, prefixes) if node_version.in_force(at_date)]
        if prefixes
        else []
    )
    if not known:
        message = f"{urn} is not in the store, nor is the corpus it would belong to. Ingest that corpus first."
        return message, []
    if outside := outside_of_parts(conn, [urn]).get(urn):
        return outside, []  # what is near by number is of another part
    near = neighbours_of_urn(conn, urn, at_date)
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
    return message, list(dict.fromkeys((*near, parent.urn, *_closest(urn, children))))


# Of a number what tells its part of the law: `1003.` of 12 CFR 1003.4, `42-` of D.C. Code § 42-3502.17.
_PART_OF_NUMBER = re.compile(r"[^.:-]+[.-]")
_PARTS_NAMED = 6


def outside_of_parts(conn: Connection, urns: Iterable[str]) -> dict[str, str]:
    """Of URNs that are not in the store those of a law that it has in parts none of which would hold them.

    Such a provision may well exist. What is numbered like a provision that is there is not among them.

    Args:
        urns: valid ones.

    Returns:
        URN -> one sentence that says so and names the parts.
    """
    asked = {urn: parse_urn(urn) for urn in urns}
    spelled = {urn: set(urn_spellings(parse_urn(parsed.law))) for urn, parsed in asked.items() if parsed.place}
    stored = stored_jurisdictions(conn)
    laws = sorted(set[str]().union(*spelled.values()))
    rows = conn.execute(QUERIES["find_held_parts"], {"jurisdictions": stored, "urns": laws}) if laws else ()
    parts: dict[str, list[str]] = {}
    for law, document in rows:
        parts.setdefault(law, []).append(document)
    held = {urn: law for urn, laws_of in spelled.items() for law in laws_of if law in parts and law not in parts[law]}
    beginnings: dict[str, str] = {}
    places: dict[str, set[str]] = {}
    for urn, law in held.items():
        number = asked[urn].place[0]
        part = _PART_OF_NUMBER.match(number)
        beginnings[urn] = f"{law}:{part[0] if part is not None else number}"
        places.setdefault(asked[urn].jurisdiction, set()).add(beginnings[urn])
    begun: set[str] = set()
    for jurisdiction, begins in places.items():
        values = {"jurisdiction": jurisdiction, "beginnings": sorted(begins)}
        begun.update(row[0] for row in conn.execute(QUERIES["find_begun_urns"], values))
    found: dict[str, str] = {}
    for urn, law in held.items():
        if beginnings[urn] in begun or any(f"{urn}:".startswith(f"{part}:") for part in parts[law]):
            continue
        named = ", ".join(parts[law][:_PARTS_NAMED]) + (" and others" if parts[law][_PARTS_NAMED:] else "")
        only = f"{urn} is outside of what this store holds: of {law} it has only {named}."
        found[urn] = f"{only} Whether it exists was not checked."
    return found


def _closest(urn: str, known: Sequence[str]) -> list[str]:
    """The siblings that share most with a URN, in document order."""
    last = urn.rpartition(":")[2]

    def shared(one: str) -> int:
        tail = one.rpartition(":")[2]
        return next(
            (size for size, (a, b) in enumerate(zip(last, tail, strict=False)) if a != b), min(len(last), len(tail))
        )

    best = set(sorted(known, key=lambda one: (-shared(one), one))[:8])
    return [name for name in known if name in best]


def _ambiguous(urn: str, found: Sequence[NodeVersion], at_date: date) -> ScopedContext:
    names = sorted({node_version.urn for node_version in found})
    message = f"{urn} is another name of several nodes: {', '.join(names[:10])}. Name one of them."
    return empty_context("not_found", [urn], at_date, message, names)


def _not_in_force(conn: Connection, urn: str, versions: Sequence[NodeVersion], at_date: date) -> ScopedContext:
    days = days_in_force(conn, [(version.urn, version.valid_from, version.valid_to) for version in versions])
    message = f"{urn} is not in force at {at_date.isoformat()}; the store has it {days}."
    return empty_context("not_in_force", [urn], at_date, message)


def days_in_force(conn: Connection, versions: Sequence[tuple[str, date | None, date | None]]) -> str:
    """When versions of one node are in force, and what the citation graph says took the place of one that ended.

    Args:
        versions: URN, first day, first day no longer in force of each.
    """
    spans = ", ".join(
        f"from {begins.isoformat() if begins else 'an unknown date'} {f'until {ends.isoformat()}' if ends else 'on'}"
        for _, begins, ends in versions
    )
    ended = [urn for urn, _, ends in versions if ends is not None]
    by = repealing(conn, ended, stored_jurisdictions(conn)) if ended else {}
    names = list(dict.fromkeys(name for group in by.values() for name in group))
    return f"in force {spans}" + (f"; repealed or replaced by {', '.join(names)}" if names else "")
