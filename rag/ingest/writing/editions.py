"""Which words of a node are in force when, as far as the editions of its document tell. Pure.

An edition is a publication of a whole document, with a day of which it speaks. It speaks of every day from that one
on: what it shows without dates of its own is in force, what it lacks is not. Of earlier days it speaks only where it
dates a node itself. Of each day the latest edition that speaks of it is believed; of two of one day, the one whose
source has the greater name. So the timeline depends on which editions there are, and not on the order in which they
came. Three rules say what is believed before that:

* an edition that no one has dated comes before every other, and says nothing by what it lacks;
* a source that dates its nodes and not itself has no day after which its dates would be old: they stand against what an
  edition shows without dates;
* what the first dated edition shows without a date has always been there, as far as anyone knows, unless a source
  states when these words began.

Every bound of a version says what it rests on, and every version on which days other words may have been in force.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from retrieval.model import Basis

# What the day of an edition rests on: its own date, the latest one of its nodes, the user, or nothing but the calendar.
Dating = Literal["own", "nodes", "given", "none"]
Days = tuple[date | None, date | None]  # half-open; None: without a bound

# The day of an edition of which nothing is known.
UNKNOWN_DAY = date.min
_OPEN = date.max
_DAY = timedelta(days=1)


class Key(NamedTuple):
    """Which edition this is; of two that speak of a day the greater key is believed."""

    dated: bool
    day: date
    source: str


@dataclass(frozen=True, slots=True)
class Showing:
    """Words that an edition shows of a node, with the dates it gives them; None where it gives none."""

    source_hash: str
    valid_from: date | None
    valid_to: date | None

    def holds(self, day: date) -> bool:
        """Whether it is in force on a day, where it states when it began."""
        return self.valid_from is not None and self.valid_from <= day and self.not_ended(day)

    def not_ended(self, day: date) -> bool:
        """Whether it has not ended by a day."""
        return self.valid_to is None or day < self.valid_to


# All that one edition shows of one node, oldest first; empty where the edition lacks the node.
Shown = tuple[Showing, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What editions show of a node from the edition of `since` up to the next step."""

    since: Key
    shown: Shown


@dataclass(slots=True)
class Span:
    """Words of a node that are in force for a while, and the last edition that shows them there."""

    source_hash: str
    valid_from: date | None
    valid_to: date | None
    last: Key
    from_basis: Basis = "unknown"
    to_basis: Basis = "unknown"
    uncertain: tuple[Days, ...] = ()  # days on which other words may have been in force


@dataclass(frozen=True, slots=True)
class Beginning:
    """A node without words before, which began on one of these days."""

    days: Days
    until: date


def overlapping(shown: Shown) -> Showing | None:
    """The first showing of an edition that begins before the one ahead of it has ended."""
    for before, after in pairwise(shown):
        if before.valid_to is None or after.valid_from is None or after.valid_from < before.valid_to:
            return after
    return None


def merged(showings: Iterable[Showing]) -> Shown:
    """Showings of one node in order, with the same words of adjoining periods as one."""
    out: list[Showing] = []
    for showing in sorted(showings, key=_start):
        adjoins = out and showing.valid_from is not None and out[-1].valid_to == showing.valid_from
        if adjoins and out[-1].source_hash == showing.source_hash:
            out[-1] = Showing(showing.source_hash, out[-1].valid_from, showing.valid_to)
        else:
            out.append(showing)
    return tuple(out)


def _start(showing: Showing) -> date:
    return showing.valid_from or UNKNOWN_DAY


@dataclass(frozen=True, slots=True)
class _Run:
    """A step of a node with all editions that it holds for."""

    shown: Shown
    editions: list[Key]
    states: bool  # its dates have no day after which they would be old
    yields: bool  # what it shows without dates yields to such dates

    @property
    def day(self) -> date:
        return self.editions[0].day

    @property
    def silent(self) -> bool:
        return not self.shown and self.day == UNKNOWN_DAY

    def speaks_from(self) -> date:
        stated = [showing.valid_from or showing.valid_to for showing in self.shown]
        return min([self.day, *(day for day in stated if day is not None)])

    def showing(self, day: date) -> Showing | None:
        for showing in self.shown:
            began = self.day if showing.valid_from is None else showing.valid_from
            if began <= day and showing.not_ended(day):
                return showing
        return None


_Found = tuple[Showing, _Run]


@dataclass(slots=True)
class History:
    """What all editions of a document show: which there are, in order, and for each node's URN where that changes.

    A node that the first edition lacks has no step there.
    """

    editions: dict[Key, Dating] = field(default_factory=dict[Key, Dating])
    steps: dict[str, list[Step]] = field(default_factory=dict[str, list[Step]])

    @property
    def keys(self) -> list[Key]:
        """The editions, the most believed last."""
        return sorted(self.editions)

    def add(self, key: Key, dating: Dating, shown: Mapping[str, Shown]) -> tuple[Key | None, list[str]]:
        """Put an edition in its place; one with the same key gives way to it.

        Args:
            shown: URN -> what the edition shows of that node.

        Returns:
            The edition that follows, if any, and the URNs whose steps changed.
        """
        self.editions[key] = dating
        keys = self.keys
        position = bisect_right(keys, key)
        following = keys[position] if position < len(keys) else None
        changed: list[str] = []
        for urn in sorted(self.steps.keys() | shown.keys()):
            before = self.steps.get(urn, [])
            after = _with_edition(before, key, following, shown.get(urn, ()))
            if after != before:
                self.steps[urn] = after
                changed.append(urn)
        return following, changed

    def timeline(self, urn: str) -> list[Span]:
        """The versions of a node, oldest first, no two of them in force at once."""
        runs = self._runs(urn)
        cuts = {UNKNOWN_DAY, *(run.day for run in runs)}
        cuts |= {
            day
            for run in runs
            for showing in run.shown
            for day in (showing.valid_from, showing.valid_to)
            if day is not None
        }
        spans: list[Span] = []
        contested: dict[int, date] = {}
        for start, end in pairwise([*sorted(cuts), _OPEN]):
            found, other = self._in_force(runs, start)
            if found is None:
                continue
            showing, run = found
            if spans and spans[-1].valid_to == start and spans[-1].source_hash == showing.source_hash:
                spans[-1].valid_to, spans[-1].last = end, max(spans[-1].last, run.editions[-1])
            else:
                spans.append(Span(showing.source_hash, start, end, run.editions[-1]))
            if other:
                contested.setdefault(len(spans) - 1, start)
        for position, span in enumerate(spans):
            self._date(span, runs, contested.get(position))
        return spans

    def _in_force(self, runs: list[_Run], day: date) -> tuple[_Found | None, bool]:
        """What is in force on a day, and whether an edition without dates of its own shows other words there."""
        for run in reversed(runs):
            if run.silent or day < run.speaks_from():
                continue
            showing = run.showing(day)
            found = None if showing is None else (showing, run)
            dated = bool(run.shown) if showing is None else showing.valid_from is not None
            if dated or not run.yields:
                return found, False
            stated = _stated(runs, day)
            if stated is None:
                return found, False
            return stated, showing is None or showing.source_hash != stated[0].source_hash
        return _stated(runs, day) or self._always(runs, day), False

    def _always(self, runs: list[_Run], day: date) -> _Found | None:
        """What has been there before anyone says so, as far as is known."""
        keys = self.keys
        first = next((key for key in keys if key.dated), keys[0])
        first = max(key for key in keys if key[:2] == first[:2])
        run = next((run for run in runs if first in run.editions), None)
        if run is None:
            return None
        for showing in run.shown:
            if showing.valid_from is None and showing.not_ended(day):
                began = any(
                    one.source_hash == showing.source_hash and one.valid_from and day < one.valid_from <= first.day
                    for other in runs
                    for one in other.shown
                )
                return None if began else (showing, run)
        return None

    def _date(self, span: Span, runs: list[_Run], contested: date | None) -> None:
        """Say what the bounds of a span rest on, and on which days other words may have been in force."""
        start, end = span.valid_from or UNKNOWN_DAY, span.valid_to or _OPEN
        uncertain: list[Days] = []
        shows = [run for run in runs if any(showing.source_hash == span.source_hash for showing in run.shown)]
        known = [key for run in shows for key in run.editions if key.day > UNKNOWN_DAY]
        told = [key.day for key in known if self.editions[key] != "nodes"]
        if start > UNKNOWN_DAY:
            span.from_basis = self._basis(runs, start)
        elif told:
            uncertain.append((None, min(min(told), end)))
        if end < _OPEN:
            span.to_basis = self._basis(runs, end)
        if span.to_basis == "edition":
            seen = [key.day for key in known if start <= key.day < end]
            since = max(seen) + _DAY if seen else span.valid_from if start > UNKNOWN_DAY else None
            if since is None or since < end:
                uncertain.append((since, end))
        if contested is not None:
            uncertain.append((contested, None if end == _OPEN else end))
        span.uncertain = tuple(uncertain)
        span.valid_from = None if start == UNKNOWN_DAY else start
        span.valid_to = None if end == _OPEN else end

    def _basis(self, runs: list[_Run], day: date) -> Basis:
        if any(day in (showing.valid_from, showing.valid_to) for run in runs for showing in run.shown):
            return "stated"
        given = any(run.day == day and self.editions[run.editions[0]] == "given" for run in runs)
        return "stated" if given else "edition"

    def beginning(self, urn: str, spans: list[Span]) -> Iterator[Beginning]:
        """Where a node began on a day between two editions and had no words before, oldest first."""
        for position, span in enumerate(spans):
            start = span.valid_from
            if span.from_basis != "edition" or start is None or (position and spans[position - 1].valid_to == start):
                continue
            earlier = [key.day for key in self.editions if UNKNOWN_DAY < key.day < start]
            yield Beginning((max(earlier) + _DAY if earlier else None, start), start)

    def unplaced(self, urn: str) -> set[str]:
        """Hashes of words of a node that ended before their edition and of which nothing says when they began."""
        return {
            showing.source_hash
            for run in self._runs(urn)
            for showing in run.shown
            if showing.valid_from is None and showing.valid_to is not None and showing.valid_to <= run.day
        }

    def shown_elsewhere(self, urn: str, source_hash: str, key: Key) -> bool:
        """Whether another edition shows these words of a node too."""
        return any(
            showing.source_hash == source_hash
            for run in self._runs(urn)
            if run.editions != [key]
            for showing in run.shown
        )

    def _runs(self, urn: str) -> list[_Run]:
        """The steps of a node, the most believed last."""
        steps, keys = self.steps.get(urn, []), self.keys
        bounds = [*(bisect_left(keys, step.since) for step in steps), len(keys)]
        runs: list[_Run] = []
        for step, (start, end) in zip(steps, pairwise(bounds), strict=True):
            alike = groupby(keys[start:end], lambda key: (self.editions[key] == "own", key.day == UNKNOWN_DAY))
            for (own, _), group in alike:
                editions = list(group)
                states = any(self.editions[key] == "nodes" for key in editions)
                runs.append(_Run(step.shown, editions, states, own))
        return runs


def _stated(runs: list[_Run], day: date) -> _Found | None:
    """What a source states of a day that dates its nodes and not itself."""
    for run in reversed(runs):
        showing = next((showing for showing in run.shown if showing.holds(day)), None) if run.states else None
        if showing is not None:
            return showing, run
    return None


def _with_edition(steps: list[Step], key: Key, following: Key | None, shown: Shown) -> list[Step]:
    before = _value(steps, bisect_left(steps, key, key=_since))
    out = [step for step in steps if step.since < key]
    if shown != before:
        out.append(Step(key, shown))
    if following is not None:
        after = _value(steps, bisect_right(steps, following, key=_since))
        if after != shown:
            out.append(Step(following, after))
        out.extend(step for step in steps if step.since > following)
    return out


def _value(steps: list[Step], position: int) -> Shown:
    """What the step before a position shows."""
    return steps[position - 1].shown if position else ()


def _since(step: Step) -> Key:
    return step.since
