"""Days on which, for all that the law's sources tell, other words were in force. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Protocol

from retrieval.model import ContextWarning

UNCERTAIN_DATES = "uncertain_dates"  # the warnings' kind
_NAMED = 5  # URNs in one warning
_RANGE = re.compile(r"[\[(]([^,]*),([^\])]*)[\])]")


class Dated(Protocol):
    """A version of a node, such as `retrieval.nodes.ContextNode`."""

    @property
    def urn(self) -> str:
        """The node's URN."""
        ...

    @property
    def uncertain(self) -> str | None:
        """The days, as PostgreSQL writes a multirange."""
        ...


def uncertain_dates(versions: Iterable[Dated], at_date: date) -> list[ContextWarning]:
    """A warning for each time around a date in which other words of some nodes may have been in force.

    Args:
        versions: those in force at the date.

    Returns:
        Warnings of kind `uncertain_dates`, the earliest times first; each names the first nodes in their order.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    at = at_date.isoformat()
    for version in versions:
        for since, until in _RANGE.findall(version.uncertain or ""):
            if since <= at and (not until or at < until):
                found.setdefault((since, until), {})[version.urn] = None
    return [_warning(since, until, list(urns)) for (since, until), urns in sorted(found.items())]


def _warning(since: str, until: str, urns: list[str]) -> ContextWarning:
    more = f" and {len(urns) - _NAMED} more" if len(urns) > _NAMED else ""
    if not since:
        said = f"Nothing tells what was in force before {until}, the day of the first edition with a date"
    elif not until:
        said = f"An edition of {since} shows other words or none; those of the source that dates them are given"
    else:
        before = date.fromisoformat(since) - timedelta(days=1)
        said = f"Between the editions of {before} and {until} the text changed; the day is not known"
    return ContextWarning(kind=UNCERTAIN_DATES, message=f"{said}: {', '.join(urns[:_NAMED])}{more}.", urn=urns[0])
