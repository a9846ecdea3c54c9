"""Interleaved timing: variants take turns on the same inputs, so that a neighbour's load falls on all of them alike."""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from psycopg import Connection

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Timing:
    """What one variant took, in milliseconds; `n` runs. `cpu_p50` is None where the server's work cannot be read."""

    p50: float
    p95: float
    n: int
    cpu_p50: float | None = None


def server_clock(*connections: Connection[Any]) -> Callable[[], float] | None:
    """A clock of the processor time that this thread and the server's backends of some connections have used.

    Neighbours on a shared machine stretch the time that passes, and hardly the work that is done.

    Returns:
        The clock, in seconds; None where the server is elsewhere or the system does not tell.
    """
    files = [Path(f"/proc/{conn.info.backend_pid}/schedstat") for conn in connections]
    local = all(not conn.info.host or conn.info.host.startswith("/") for conn in connections)
    if not local or not all(file.is_file() for file in files):
        return None

    def clock() -> float:
        return time.thread_time() + sum(int(file.read_bytes().split()[0]) for file in files) / 1e9

    return clock


def measure(
    variants: dict[str, Callable[[Item], object]],
    items: Sequence[Item],
    *,
    rounds: int,
    warm_up: int = 1,
    work: Callable[[], float] | None = None,
) -> dict[str, Timing]:
    """Time each variant on each item.

    The order of the variants rotates from one item to the next. Garbage is collected between rounds and not inside
    one, so that no variant pays for another's.

    Args:
        variants: name -> what is timed.
        items: the inputs; at least one.
        rounds: timed passes over all items.
        warm_up: passes before those that are not counted.
        work: a clock of the work done, see `server_clock`.

    Returns:
        Name -> timing over all runs.
    """
    names = list(variants)
    taken: dict[str, list[float]] = {name: [] for name in names}
    worked: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-warm_up, rounds):
        gc.collect()
        gc.disable()
        try:
            for position, item in enumerate(items):
                start = (position + number) % len(names)
                for name in [*names[start:], *names[:start]]:
                    run = variants[name]
                    before = work() if work else 0.0
                    since = time.perf_counter()
                    run(item)
                    elapsed = time.perf_counter() - since
                    if number >= 0:
                        taken[name].append(elapsed * 1000)
                        worked[name].append((work() - before) * 1000 if work else 0.0)
        finally:
            gc.enable()
    return {
        name: replace(timing(values), cpu_p50=statistics.median(worked[name]) if work else None)
        for name, values in taken.items()
    }


def timing(values: Sequence[float]) -> Timing:
    """Median and 95th percentile of at least one value."""
    ordered = sorted(values)
    return Timing(statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], len(ordered))


def peak_memory_mb() -> float:
    """The most memory that this process has held so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / (1 << 10)
