"""Interleaved timing: variants take turns on the same inputs, so that a neighbour's load falls on all of them alike."""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Timing:
    """What one variant took, in milliseconds; `n` runs."""

    p50: float
    p95: float
    n: int


def measure(
    variants: dict[str, Callable[[Item], object]], items: Sequence[Item], *, rounds: int, warm_up: int = 1
) -> dict[str, Timing]:
    """Time each variant on each item.

    The order of the variants rotates from one item to the next. Garbage is collected between rounds and not inside
    one, so that no variant pays for another's.

    Args:
        variants: name -> what is timed.
        items: the inputs; at least one.
        rounds: timed passes over all items.
        warm_up: passes before those that are not counted.

    Returns:
        Name -> timing over all runs.
    """
    names = list(variants)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-warm_up, rounds):
        gc.collect()
        gc.disable()
        try:
            for position, item in enumerate(items):
                start = (position + number) % len(names)
                for name in [*names[start:], *names[:start]]:
                    run = variants[name]
                    since = time.perf_counter()
                    run(item)
                    elapsed = time.perf_counter() - since
                    if number >= 0:
                        taken[name].append(elapsed * 1000)
        finally:
            gc.enable()
    return {name: timing(values) for name, values in taken.items()}


def timing(values: Sequence[float]) -> Timing:
    """Median and 95th percentile of at least one value."""
    ordered = sorted(values)
    return Timing(statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], len(ordered))


def peak_memory_mb() -> float:
    """The most memory that this process has held so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / (1 << 10)
