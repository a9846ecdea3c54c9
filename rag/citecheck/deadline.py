"""The deadline of a verification. What it leaves no time for is listed as not checked, and never as supported."""

from __future__ import annotations

import time
from collections.abc import Callable


class DeadlineReached(Exception):
    """No time is left. Raised between two steps of a verification and caught within it."""


class Deadline:
    """When a verification has to end.

    It is asked between two steps: windows of text that one grammar reads, groups of references, items. What outlasts it
    within a step is ended from outside, shortly after it.

    Args:
        seconds: from now on; None for no deadline.
        now: seconds of a clock that never goes back.
    """

    def __init__(self, seconds: float | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._start = now()
        self._end = None if seconds is None else self._start + seconds
        self._passed = False
        self.told = f"The deadline of {seconds or 0:g} s left no time for"
        self.cause = f"{self.told} it."

    def first(self, share: float) -> Deadline:
        """A deadline for the first step, so that the others have a share of the time, too."""
        step = Deadline(self._seconds, self._now)
        step._end = None if self._seconds is None else self._start + share * self._seconds
        return step

    def passed(self) -> bool:
        """Whether no time is left; once it is so, it stays so."""
        self._passed = self._passed or (self._end is not None and self._now() >= self._end)
        return self._passed

    def end(self) -> None:
        """Leave no time, where what kept to this deadline was ended from outside."""
        self._passed = True

    @property
    def seconds_left(self) -> float | None:
        """How much time is left, 0 where none is; None without a deadline."""
        return None if self._end is None else max(0.0, self._end - self._now())

    def check(self) -> None:
        """Go on only where time is left.

        Raises:
            DeadlineReached: none is left.
        """
        if self.passed():
            raise DeadlineReached


NO_DEADLINE = Deadline()
