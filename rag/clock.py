"""The clock, read in one place."""

from __future__ import annotations

from datetime import UTC, date, datetime


def utc_now() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Today's date in UTC: the date of the law where none is given."""
    return utc_now().date()
