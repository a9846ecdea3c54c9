"""Which words of a node are in force when, as far as the editions of its document tell. Pure.

An edition is a publication of a whole document, with a day of which it speaks. It speaks of every day from that one
on: what it shows without dates of its own is in force, what it lacks is not. Of earlier days it speaks only where it
dates a node itself. Of each day the latest edition that speaks of it is believed. What the first edition shows without
a date has always been there, as far as anyone knows. So the timeline depends on which editions there are, and not on
the order in which they came.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

# The day of an edition that no one has dated: before every other.
UNKNOWN_DAY = date.min
_OPEN = date.max


@dataclass(frozen=True, slots=True)
class Showing:
    """Words that an edition shows of a node, with the dates it gives them; None where it gives none."""

    source_hash: str
    valid_from: date | None
    valid_to: date | None


# All that one edition shows of one node, oldest first; empty where the edition lacks the node.
Shown = tuple[Showing, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What editions show of a node from the edition of `since` up to the next step."""

    since: date
    shown: Shown


@dataclass(slots=True)
class Span:
    """Words of a node that are in force for a while, and the last edition that shows them there."""

    source_hash: str
    valid_from: date | None
    valid_to: date | None
    last_day: date


@dataclass(frozen=True, slots=True)
class Gap:
    """Days between two editions on one of which a node changed, and nothing says on which.

    `since` is the day of the last edition before the change, `until` that of the first one after it. `begins` says that
    the node has no words there that end with the change.
    """

    since: date
    until: date
    begins: bool


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


@dataclass(slots=True)
class History:
    """What all editions of a document show: their days in order, and for each node's URN where that changes.

    A node that the first edition lacks has no step there.
    """

    days: list[date] = field(default_factory=list[date])
    steps: dict[str, list[Step]] = field(default_factory=dict[str, list[Step]])

    def add(self, day: date, shown: Mapping[str, Shown]) -> tuple[date | None, list[str]]:
        """Put an edition in its place; one of the same day gives way to it.

        Args:
            day: the edition's day.
            shown: URN -> what the edition shows of that node.

        Returns:
            The day of the edition that follows, if any, and the URNs whose steps changed.
        """
        position = bisect_left(self.days, day)
        if self.days[position : position + 1] != [day]:
            self.days.insert(position, day)
        following = self.days[position + 1] if position + 1 < len(self.days) else None
        changed: list[str] = []
        for urn in sorted(self.steps.keys() | shown.keys()):
            before = self.steps.get(urn, [])
            after = _with_edition(before, day, following, shown.get(urn, ()))
            if after != before:
                self.steps[urn] = after
                changed.append(urn)
        return following, changed

    def timeline(self, urn: str) -> list[Span]:
        """The versions of a node, oldest first, no two of them in force at once."""
        spans: list[Span] = []
        for step, last_day in self._runs(urn):
            self._lay(spans, step, last_day)
        for span in spans:
            span.valid_from = None if span.valid_from == UNKNOWN_DAY else span.valid_from
            span.valid_to = None if span.valid_to == _OPEN else span.valid_to
        return spans

    def unplaced(self, urn: str) -> set[str]:
        """Hashes of words of a node that ended before their edition and of which nothing says when they began."""
        return {
            showing.source_hash
            for step in self.steps.get(urn, [])
            for showing in step.shown
            if not self._is_placed(showing, step.since)
        }

    def gaps(self, urn: str, dated: Collection[date]) -> Iterator[Gap]:
        """The changes of a node that the timeline puts on an edition's day for want of a better one, oldest first.

        Args:
            urn: the node's.
            dated: days of editions that date themselves; any other day was given as that of the change.
        """
        steps = self.steps.get(urn, [])
        spans: list[Span] | None = None
        for position, step in enumerate(steps):
            place = bisect_left(self.days, step.since)
            before = self.days[place - 1] if place else UNKNOWN_DAY
            starts = [showing.valid_from for showing in step.shown]
            ends = [showing.valid_to for showing in _value(steps, position)]
            told = step.since in (*starts, *ends) or (starts and None not in starts)
            if told or before == UNKNOWN_DAY or step.since not in dated:
                continue
            spans = self.timeline(urn) if spans is None else spans
            if any(span.valid_to == step.since for span in spans):
                yield Gap(before, step.since, begins=False)
            elif any(span.valid_from == step.since for span in spans):
                yield Gap(before, step.since, begins=True)

    def shown_elsewhere(self, urn: str, source_hash: str, day: date) -> bool:
        """Whether an edition of another day shows these words of a node too."""
        return any(
            showing.source_hash == source_hash
            for step, last_day in self._runs(urn)
            if step.since != day or last_day != day
            for showing in step.shown
        )

    def _runs(self, urn: str) -> Iterator[tuple[Step, date]]:
        """The steps of a node, each with the day of the last edition that it holds for."""
        steps = self.steps.get(urn, [])
        for position, step in enumerate(steps):
            more = position + 1 < len(steps)
            yield step, self.days[bisect_left(self.days, steps[position + 1].since) - 1 if more else -1]

    def _is_placed(self, showing: Showing, since: date) -> bool:
        undated = showing.valid_from is None and since != self.days[0]
        return not (undated and showing.valid_to is not None and showing.valid_to <= since)

    def _lay(self, spans: list[Span], step: Step, last_day: date) -> None:
        """Lay what editions say over what earlier ones said. The days they speak of have no end, so the last go first.

        The editions of one step say what the first of them says: of later days the same, of earlier ones no more.
        """
        unknown = UNKNOWN_DAY if step.since == self.days[0] else step.since
        placed = [showing for showing in step.shown if self._is_placed(showing, step.since)]
        starts = [unknown if showing.valid_from is None else showing.valid_from for showing in placed]
        ended = [showing.valid_to for showing in step.shown if showing not in placed and showing.valid_to is not None]
        speaks_from = min([step.since, *starts, *ended])
        while spans and (spans[-1].valid_from or UNKNOWN_DAY) >= speaks_from:
            spans.pop()
        if spans and (spans[-1].valid_to or _OPEN) > speaks_from:
            spans[-1].valid_to = speaks_from
        for showing, start in zip(placed, starts, strict=True):
            if spans and spans[-1].valid_to == start and spans[-1].source_hash == showing.source_hash:
                spans[-1].valid_to, spans[-1].last_day = showing.valid_to or _OPEN, last_day
            else:
                spans.append(Span(showing.source_hash, start, showing.valid_to or _OPEN, last_day))


def _with_edition(steps: list[Step], day: date, following: date | None, shown: Shown) -> list[Step]:
    before = _value(steps, bisect_left(steps, day, key=_since))
    out = [step for step in steps if step.since < day]
    if shown != before:
        out.append(Step(day, shown))
    if following is not None:
        after = _value(steps, bisect_right(steps, following, key=_since))
        if after != shown:
            out.append(Step(following, after))
        out.extend(step for step in steps if step.since > following)
    return out


def _value(steps: list[Step], position: int) -> Shown:
    """What the step before a position shows."""
    return steps[position - 1].shown if position else ()


def _since(step: Step) -> date:
    return step.since
