"""Random editions of a small document in two formats, and what they say of each day, read off one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from hypothesis import strategies as st

from rag.ingest.writing.editions import Dating

FIRST = date(2020, 1, 1)
DAYS = [FIRST + timedelta(days=n) for n in range(-3, 14)]
URNS = ("urn:lex:us:x:1", "urn:lex:us:x:2")
Row = tuple[str, date | None, date | None]  # words, first day in force, first day no longer in force
Edition = dict[str, list[Row]]
Timeline = dict[date, str | None]


@dataclass(frozen=True)
class File:
    """One publication: its file's name, its own date if it has one, and what it shows."""

    name: str
    own: date | None
    shows: Edition

    @property
    def stated(self) -> list[date]:
        return [start for rows in self.shows.values() for _, start, _ in rows if start is not None]

    @property
    def dating(self) -> Dating:
        return "own" if self.own else "nodes" if self.stated else "none"

    @property
    def key(self) -> tuple[bool, date, str]:
        """The greater is believed."""
        day = self.own or max(self.stated, default=date.min)
        return self.dating != "none", day, self.name


def in_force(files: list[File], urn: str, at: date) -> str | None:
    """The words of a node that are in force on a day, as far as the files tell."""
    ordered = sorted(files, key=lambda file: file.key)
    for file in reversed(ordered):
        rows, (_, day, _) = file.shows.get(urn, []), file.key
        if file.dating == "none" and not rows:
            continue  # nobody knows when it was not there
        begins = [(words, start or day, end, start is not None) for words, start, end in rows]
        known = [day, *(start for _, start, _ in rows if start), *(end for _, start, end in rows if end and not start)]
        if at < min(known):
            continue
        found = [(words, told) for words, start, end, told in begins if start <= at and (end is None or at < end)]
        if file.dating != "own" or (found[0][1] if found else rows):
            return found[0][0] if found else None
        stated = _stated(ordered, urn, at)
        return stated or (found[0][0] if found else None)
    return _stated(ordered, urn, at) or _always(ordered, urn, at)


def _stated(ordered: list[File], urn: str, at: date) -> str | None:
    """What the last source says of a day that dates its nodes and not itself."""
    for file in reversed(ordered):
        for words, start, end in file.shows.get(urn, []) if file.dating == "nodes" else []:
            if start is not None and start <= at and (end is None or at < end):
                return words
    return None


def _always(ordered: list[File], urn: str, at: date) -> str | None:
    """What has been there before the first dated file, unless a source says when it began."""
    first = next((file for file in ordered if file.dating != "none"), ordered[0])
    first = next(file for file in reversed(ordered) if file.key[:2] == first.key[:2])
    for words, start, end in first.shows.get(urn, []):
        if start is None and (end is None or at < end):
            starts = [show[1] for file in ordered for show in file.shows.get(urn, []) if show[0] == words and show[1]]
            return None if any(at < start <= first.key[1] for start in starts) else words
    return None


def timelines(files: list[File]) -> dict[str, Timeline]:
    """What is in force of each node on each day."""
    return {urn: {day: in_force(files, urn, day) for day in DAYS} for urn in URNS}


@st.composite
def _rows(draw: st.DrawFn, stated: bool) -> list[Row]:
    """Up to three periods of one node that do not overlap, or one without dates."""
    if not stated or draw(st.integers(0, 3)) == 0:
        return [(draw(st.sampled_from("ABC")), None, None)]
    cuts = sorted(draw(st.sets(st.sampled_from(DAYS), max_size=4)))
    bounds: list[date | None] = [None, *cuts, None]
    periods = [pair for pair in pairwise(bounds) if draw(st.booleans())]
    # The same words in adjoining periods of one edition are one period.
    return [(words, *period) for words, period in zip(draw(st.permutations("ABCDE")), periods, strict=False)]


@st.composite
def _files(draw: st.DrawFn) -> list[File]:
    """Up to five files: one format dates its nodes, the other does not, and each file has a date of its own or none."""
    files: list[File] = []
    for number in range(draw(st.integers(1, 5))):
        stated = draw(st.booleans())
        shows: Edition = {urn: draw(_rows(stated)) for urn in URNS if draw(st.booleans())}
        own = draw(st.one_of(st.none(), st.sampled_from(DAYS[3:12])))
        files.append(File(f"{'ab'[stated]}{draw(st.integers(0, 9))}{number}", own, shows))
    return files


files = _files()
