"""A point in time until which a call may run, on the clock that never jumps."""

from __future__ import annotations

import math
import time

from retrieval.errors import InputError


class Deadline:
    """The end of a call, `seconds` from now.

    Raises:
        InputError: not a positive, finite number of seconds.
    """

    def __init__(self, seconds: float) -> None:
        if not (math.isfinite(seconds) and seconds > 0):
            raise InputError("A deadline is a positive number of seconds.")
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left; zero once it has passed."""
        return max(0.0, self._end - time.monotonic())

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self.remaining() <= 0
