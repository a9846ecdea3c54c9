"""Random editions of a small document, and what they say of each day, read off one edition after the other."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

from hypothesis import strategies as st

FIRST = date(2020, 1, 1)
DAYS = [FIRST + timedelta(days=n) for n in range(-3, 14)]
URNS = ("urn:lex:us:x:1", "urn:lex:us:x:2")
Row = tuple[str, date | None, date | None]  # words, first day in force, first day no longer in force
Edition = dict[str, list[Row]]
Timeline = dict[date, str | None]


def in_force(editions: dict[date, Edition], urn: str, at: date) -> str | None:
    """The words that the latest edition which speaks of a day has for it."""
    first = min(editions)
    for day in sorted(editions, reverse=True):
        speaks_from, found = day, None
        for words, start, end in editions[day].get(urn, []):
            if start is None and day != first and end is not None and end <= day:
                speaks_from = min(speaks_from, end)  # it only says that these had ended
                continue
            begins = start or (date.min if day == first else day)
            speaks_from = min(speaks_from, begins)
            if begins <= at and (end is None or at < end):
                found = words
        if at >= speaks_from:
            return found
    return None


def timelines(editions: dict[date, Edition]) -> dict[str, Timeline]:
    """What is in force of each node on each day."""
    return {urn: {day: in_force(editions, urn, day) for day in DAYS} for urn in URNS}


@st.composite
def _rows(draw: st.DrawFn) -> list[Row]:
    """Up to three periods of one node that do not overlap, most often one without dates."""
    if draw(st.booleans()):
        return [(draw(st.sampled_from("ABC")), None, None)]
    cuts = sorted(draw(st.sets(st.sampled_from(DAYS), max_size=4)))
    bounds: list[date | None] = [None, *cuts, None]
    periods = [pair for pair in pairwise(bounds) if draw(st.booleans())]
    # The same words in adjoining periods of one edition are one period.
    return [(words, *period) for words, period in zip(draw(st.permutations("ABCDE")), periods, strict=False)]


editions = st.dictionaries(
    st.sampled_from(DAYS[3:12]), st.dictionaries(st.sampled_from(URNS), _rows(), max_size=2), min_size=1, max_size=4
)
