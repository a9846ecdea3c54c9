"""Processor time of one piece of work, for tests that compare two of them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def seconds_of(work: Callable[[str], object], text: str) -> float:
    """Seconds of this thread's processor time that some work takes with a text."""
    gc.disable()  # else it pays for looking through all that other tests of this process have made
    try:
        since = time.thread_time()
        work(text)
        return time.thread_time() - since
    finally:
        gc.enable()
