"""How far an ingest is, with its rate and an estimate of the time that remains."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rag.ingest.formats.base import Source


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long task is. `total` counts sources; `remaining` is an estimate in seconds, by their bytes.

    `step` says what is being done with a source now; it is empty where the source is done.
    """

    done: int
    total: int
    label: str
    nodes: int
    seconds: float = 0.0
    remaining: float | None = None
    step: str = ""


class Pace:
    """Tells how far a run is from the bytes of the sources behind and ahead of it."""

    def __init__(self, sources: list[Source]) -> None:
        self._started = time.monotonic()
        self._total = len(sources)
        self._sizes = [_size(source) for source in sources]
        self._done = 0

    def during(self, label: str, step: str, nodes: int) -> Progress:
        """The progress while something is done that may take long."""
        return Progress(self._done, self._total, label, nodes, time.monotonic() - self._started, step=step)

    def after(self, source: Source, nodes: int) -> Progress:
        """The progress when one more source is done."""
        self._done += 1
        seconds = time.monotonic() - self._started
        behind, ahead = sum(self._sizes[: self._done]), sum(self._sizes[self._done :])
        remaining = seconds * ahead / behind if behind else None
        return Progress(self._done, self._total, source.name, nodes, seconds, remaining)


def _size(source: Source) -> int:
    return sum(file.stat().st_size for file in (source.path, *source.parts) if file.is_file())
