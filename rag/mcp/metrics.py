"""What a running server counts, as Prometheus reads it: calls and their times, connections, memory. No word of a user.

Every label comes from a closed set: the tools' names and the codes of errors.
"""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(slots=True)
class Outcome:
    """How a call ended: `ok`, the code of its error, or `cancelled` where nothing was noted."""

    code: str = "cancelled"


class Readings(NamedTuple):
    """What language models read in the law of a store: windows, items kept and refused, seconds since the last."""

    windows: int
    kept: int
    refused: int
    seconds: float | None


class Metrics:
    """The counts of one process. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[tuple[str, str]] = Counter()  # by tool and outcome
        self._times: dict[str, list[int]] = {}  # by tool: calls in each bucket, and beyond the last
        self._seconds: Counter[str] = Counter()
        self._running = 0

    @contextmanager
    def call(self, tool: str) -> Generator[Outcome]:
        """Count a call while it runs and, when it is done, by the outcome that was noted."""
        since, noted = time.monotonic(), Outcome()
        with self._lock:
            self._running += 1
        try:
            yield noted
        finally:
            self._add(tool, noted.code, time.monotonic() - since)

    def _add(self, tool: str, outcome: str, seconds: float) -> None:
        with self._lock:
            self._running -= 1
            self._calls[tool, outcome] += 1
            self._seconds[tool] += seconds  # pyright: ignore[reportArgumentType] - a Counter adds any number
            self._times.setdefault(tool, [0] * (len(BUCKETS) + 1))[bisect_left(BUCKETS, seconds)] += 1

    def text(self, connections: Mapping[str, int], readings: Readings | None = None) -> str:
        """All counts, in Prometheus' text format.

        Args:
            connections: of the pool to the database: how many there are, are free, and are waited for.
            readings: what models read in the store's law; None where the store does not say.
        """
        with self._lock:
            calls, seconds = dict(self._calls), dict(self._seconds)
            times = {tool: list(counts) for tool, counts in self._times.items()}
            running = self._running
        lines = _family("lexscope_calls_total", "counter", "Calls of tools by how they ended.")
        lines += [
            f'lexscope_calls_total{{tool="{tool}",outcome="{outcome}"}} {count}'
            for (tool, outcome), count in sorted(calls.items())
        ]
        lines += _family("lexscope_call_seconds", "histogram", "Time of calls of tools.")
        for tool, counts in sorted(times.items()):
            total = 0
            for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                total += count
                lines.append(f'lexscope_call_seconds_bucket{{tool="{tool}",le="{bound}"}} {total}')
            lines.append(f'lexscope_call_seconds_sum{{tool="{tool}"}} {seconds[tool]:.6f}')
            lines.append(f'lexscope_call_seconds_count{{tool="{tool}"}} {total}')
        lines += _family("lexscope_calls_running", "gauge", "Calls of tools that run or wait for their turn.")
        lines.append(f"lexscope_calls_running {running}")
        lines += _family("lexscope_connections", "gauge", "Connections to the database; requests that wait for one.")
        lines += [f'lexscope_connections{{state="{state}"}} {count}' for state, count in sorted(connections.items())]
        lines += _read_law(readings) if readings is not None else []
        lines += _process()
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, told: str) -> list[str]:
    return [f"# HELP {name} {told}", f"# TYPE {name} {kind}"]


def _read_law(readings: Readings) -> list[str]:
    lines = _family("lexscope_law_readings", "gauge", "Windows of the law that language models have read.")
    lines.append(f"lexscope_law_readings {readings.windows}")
    lines += _family(
        "lexscope_law_reading_items", "gauge", "What they listed: kept, or refused by the words of the law."
    )
    lines += [
        f'lexscope_law_reading_items{{outcome="kept"}} {readings.kept}',
        f'lexscope_law_reading_items{{outcome="refused"}} {readings.refused}',
    ]
    if readings.seconds is not None:
        lines += _family("lexscope_law_reading_age_seconds", "gauge", "Time since the last of these windows was read.")
        lines.append(f"lexscope_law_reading_age_seconds {readings.seconds:.0f}")
    return lines


def _process() -> list[str]:
    """Processor time and resident memory, where the system tells."""
    used = sum(os.times()[:2])
    lines = [*_family("process_cpu_seconds_total", "counter", "Processor time."), f"process_cpu_seconds_total {used}"]
    pages = Path("/proc/self/statm")
    if pages.exists():
        resident = int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        lines += _family("process_resident_memory_bytes", "gauge", "Resident memory.")
        lines.append(f"process_resident_memory_bytes {resident}")
    return lines
