"""The scoped context of one rule at two dates, both read from one snapshot of the store."""

from __future__ import annotations

from datetime import date

from retrieval.context.compose import assemble_read
from retrieval.context.diff import ContextDiff, compare
from retrieval.errors import InputError
from retrieval.model import Resolution, ScopedContext
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import is_urn
from retrieval.references import lookup
from retrieval.references.grammars import Grammars
from retrieval.references.resolution import resolve_reference

# The budget is for prompts. Here it would show a block that it leaves out as one that the law lost.
_WHOLE = 10**9
_MOST_NAMED = 10  # URNs in a message


def compare_dates(
    conn: Connection, grammars: Grammars, reference: str, from_date: date, to_date: date, *, today: date
) -> ContextDiff:
    """Compare C(R) at two dates.

    Args:
        conn: a read connection; its transaction is the snapshot of both contexts.
        grammars: what reads the reference.
        reference: a URN, or a reference that names one provision for certain.
        from_date: the earlier date.
        to_date: the later one.
        today: the date of "in force" where a reference does not tell.

    Returns:
        The comparison; of status `not_found` or `not_in_force` where there is nothing to compare.

    Raises:
        InputError: the reference may mean several provisions, or cannot be used.
    """
    urn = reference.strip()
    if not is_urn(urn):
        found = resolve_reference(conn, grammars, reference, today=today, at_date=to_date)
        if found.status == "not_found" or found.urn is None or found.hint is not None:
            return _nothing(found, from_date, to_date)
        urn = found.urn
    codes = stored_jurisdictions(conn)
    return compare(_context(conn, grammars, urn, from_date, codes), _context(conn, grammars, urn, to_date, codes))


def _context(conn: Connection, grammars: Grammars, urn: str, at_date: date, jurisdictions: list[str]) -> ScopedContext:
    targets, missing = lookup.find_targets(conn, [urn], at_date)
    if missing is not None:
        return missing
    return assemble_read(conn, grammars, targets, at_date, jurisdictions=jurisdictions, budget_tokens=_WHOLE)


def _nothing(found: Resolution, from_date: date, to_date: date) -> ContextDiff:
    """What comes of a reference that names no provision.

    Raises:
        InputError: it may mean one of several, or one by an uncertain reading.
    """
    if found.status != "not_found":
        urns = [one.urn for one in found.candidates]
        more = f" and {len(urns) - _MOST_NAMED} more" if len(urns) > _MOST_NAMED else ""
        named = ", ".join(urns[:_MOST_NAMED])
        raise InputError(f"The reference does not name one provision for certain. Give the URN: {named}{more}.")
    sides = (
        lookup.empty_context("not_found", [], day, found.message, found.suggestions) for day in (from_date, to_date)
    )
    return compare(*sides)
