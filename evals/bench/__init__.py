"""Benchmarks: `python -m evals bench NAME`. They need a database and time, and are no part of a plain run or of CI."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evals.bench import context, entry_points, ingest, mcp_load, peers, references, soak, start
from evals.suites.ingest import crash

# One entry a benchmark: its name, and what runs it with the arguments after the name and returns the exit code.
BENCHES: dict[str, Callable[[Sequence[str]], int]] = {
    "context": context.main,
    "crash": crash.main,
    "entry-points": entry_points.main,
    "ingest": ingest.main,
    "mcp": mcp_load.main,
    "peers": peers.main,
    "references": references.main,
    "soak": soak.main,
    "start": start.main,
}


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark that the first argument names.

    Args:
        arguments: the words after `bench`.

    Returns:
        The benchmark's exit code; 2 where there is no such benchmark.
    """
    if not arguments or arguments[0] not in BENCHES:
        print(f"usage: python -m evals bench NAME; the benchmarks are {', '.join(sorted(BENCHES))}")
        return 2
    return BENCHES[arguments[0]](arguments[1:])
