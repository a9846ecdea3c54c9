"""Benchmarks: `python -m evals bench NAME`. They need a database and time, and are no part of a plain run or of CI."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from evals.bench import context, entry_points, ingest, mcp_load, peers, references, soak, start
from evals.suites.ingest import crash

# One entry a benchmark: its name, what is timed, and what runs it with the arguments after the name.
BENCHES: dict[str, tuple[str, Callable[[Sequence[str]], int]]] = {
    "context": ("C(R) of ten rules beside fetching its rows by primary key", context.main),
    "crash": ("ingests that are killed and begun again", crash.main),
    "entry-points": ("entry points beside their legs, raw SQL and ts_rank", entry_points.main),
    "ingest": ("bringing law in beside one COPY of its rows", ingest.main),
    "mcp": ("many clients at once over HTTP", mcp_load.main),
    "peers": ("a question beside LlamaIndex, LangChain and Haystack", peers.main),
    "references": ("reading references, and batches of them", references.main),
    "soak": ("64 clients of both servers for minutes while law comes in", soak.main),
    "start": ("processor time of imports and of whole verbs", start.main),
}


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark that the first argument names.

    Args:
        arguments: the words after `bench`.

    Returns:
        The benchmark's exit code; 2 where there is no such benchmark.
    """
    name, rest = (arguments[0] if arguments else ""), arguments[1:]
    if name in BENCHES:
        return BENCHES[name][1](rest)
    listed = "".join(f"  {name:<14}{about}\n" for name, (about, _) in BENCHES.items())
    usage = f"usage: python -m evals bench NAME [options]; NAME --help lists the options\n\n{listed}"
    if name in ("-h", "--help"):
        sys.stdout.write(usage)
        return 0
    sys.stderr.write(usage)
    return 2
