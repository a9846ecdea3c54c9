"""Changes of which the law's sources tell only that they lie between two editions. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from retrieval.model import ContextWarning
from retrieval.nodes import ContextNode

UNCERTAIN_DATES = "uncertain_dates"  # the warnings' kind
_NAMED = 5  # URNs in one warning


def uncertain_dates(nodes: Iterable[ContextNode], at_date: date) -> list[ContextWarning]:
    """A warning for each two editions around a date between which nodes changed.

    Args:
        nodes: versions in force at the date.
        at_date: the date.

    Returns:
        Warnings of kind `uncertain_dates`, the earliest editions first; each names the first nodes in their order.
    """
    changed: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        for days in (node.changed_between or "").split():
            since, _, until = days.partition("/")
            if since <= at_date.isoformat() < until:
                changed.setdefault((since, until), []).append(node.urn)
    return [_warning(since, until, urns) for (since, until), urns in sorted(changed.items())]


def _warning(since: str, until: str, urns: list[str]) -> ContextWarning:
    more = f" and {len(urns) - _NAMED} more" if len(urns) > _NAMED else ""
    message = (
        f"Between the editions of {since} and {until} the text changed; the day is not known: "
        f"{', '.join(urns[:_NAMED])}{more}."
    )
    return ContextWarning(kind=UNCERTAIN_DATES, message=message, urn=urns[0])
