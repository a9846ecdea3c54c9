"""`python -m evals bench start`: the processor time from a fresh interpreter to the engine, and of a verb.

Each run is a process of its own: `python -c pass`, the import of the engine, the program's help, and a search of the
sample, once with the embedded server already running and once where the verb starts and stops it. They take turns; the
median of each counts, in seconds of processor time (user and system), without what processes that it started took,
which has rows of its own. Bytecode is written in the first run of each, which does not count.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.bench.timing import measure
from evals.rows import REPORTED, Gate, Row, json_rows, table
from rag import Engine
from rag.settings import load_settings

SUITE = "bench start"
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "rag" / "sample"
BARE = "python -c pass"
ENGINE_SECONDS, VERB_SECONDS = 0.35, 0.8

# What a process notes as the last thing it does: the processor time of those it waited for, and its modules.
NOTING = """import atexit, resource, sys
def note():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(sys.argv[1], "w") as file:
        file.write(f"{used.ru_utime + used.ru_stime} {len(sys.modules)}")
atexit.register(note)
"""
IMPORT = "import rag; rag.Engine"
_VERB = "from rag.cli.app import main; sys.exit(main(sys.argv[2:]))"


@dataclass(slots=True)
class Start:
    """What is started: the program, its words and its environment; and what it notes of itself at every run."""

    program: str
    words: tuple[str, ...]
    environment: dict[str, str]
    cold: bool = False  # no server may run before it
    children: list[float] = field(default_factory=list[float])
    modules: int = 0


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; 0 always, for the rows say what is above its goal."""
    parser = argparse.ArgumentParser(prog="python -m evals bench start", description=(__doc__ or "").strip())
    parser.add_argument("--rounds", type=int, default=11, metavar="N", help="runs of each (%(default)s)")
    parser.add_argument("--json", action="store_true", help="rows as a JSON array on stdout")
    given = parser.parse_args(arguments)
    if given.rounds < 1:
        parser.error("--rounds is 1 or more")
    rows = run(given.rounds)
    print(json_rows(rows) if given.json else table(rows))
    return 0


def run(rounds: int) -> list[Row]:
    """The rows of a run over two fresh sample stores: the server of one runs all the time, that of the other never."""
    with tempfile.TemporaryDirectory(prefix="lexscope-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # as root the embedded server runs as another user
        bytecode, warm, cold = (Path(folder) / name for name in ("bytecode", "warm", "cold"))
        bytecode.mkdir()
        with Engine.open(load_settings(data_dir=cold)) as engine:
            engine.ingest([SAMPLE])
        on_warm, on_cold = environment(bytecode, warm), environment(bytecode, cold)
        search = ("search", "deposit")
        starts = {
            BARE: Start("pass", (), on_warm),
            IMPORT: Start(NOTING + IMPORT, (), on_warm),
            "lexscope --help": Start(NOTING + _VERB, ("--help",), on_warm),
            "lexscope search, warm server": Start(NOTING + _VERB, search, on_warm),
            "lexscope search, cold server": Start(NOTING + _VERB, search, on_cold, cold=True),
        }
        with Engine.open(load_settings(data_dir=warm)) as engine:
            engine.ingest([SAMPLE])
            rows = timed(starts, rounds)
        _stop_server(on_cold)
    return rows


def timed(starts: dict[str, Start], rounds: int) -> list[Row]:
    """The rows of what is started, in turns, after one run of each that does not count."""

    def own_seconds() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime - sum(sum(start.children) for start in starts.values()) - stopping

    stopping = 0.0

    def runner(start: Start) -> Callable[[None], object]:
        def work(_: None) -> None:
            nonlocal stopping
            if start.cold:
                before = own_seconds()
                _stop_server(start.environment)
                stopping += own_seconds() - before
            _run(start)

        return work

    taken = measure({name: runner(one) for name, one in starts.items()}, [None], rounds=rounds, work=own_seconds)
    seconds = {name: (one.cpu_p50 or 0.0) / 1000 for name, one in taken.items()}
    rows: list[Row] = []
    for name, start in starts.items():
        gate = Gate("<=", goal, hard=False) if (goal := _goal(name)) else REPORTED
        rows.append(Row(SUITE, name, "cpu_seconds", seconds[name], rounds, None, None, gate))
        if name == BARE:
            continue
        rows.append(Row(SUITE, name, "cpu_to_bare", seconds[name] / seconds[BARE], rounds, None, None, REPORTED))
        rows.append(Row(SUITE, name, "modules", start.modules, rounds, None, None, Gate("<=", hard=False)))
        if any(start.children):
            children = statistics.median(start.children[-rounds:])
            rows.append(Row(SUITE, name, "children_cpu_seconds", children, rounds, None, None, REPORTED))
    return rows


def _goal(name: str) -> float | None:
    return {IMPORT: ENGINE_SECONDS, "lexscope search, warm server": VERB_SECONDS}.get(name)


def environment(bytecode: Path, data: Path) -> dict[str, str]:
    """That of this process without the user's store and keys, over the store of a data folder.

    Args:
        bytecode: a folder where the processes keep their bytecode, whether or not the source's folders are writable.
        data: the data folder of the embedded server.
    """
    other = ("LEXSCOPE_", "OPENAI_", "CO_API_", "DATABASE_URL", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(other)}
    return kept | {"PYTHONPYCACHEPREFIX": str(bytecode), "LEXSCOPE_DATA_DIR": str(data)}


def _run(start: Start) -> None:
    """Run a process, and add to the record what it noted.

    Raises:
        RuntimeError: it failed; holds what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "note"
        command = [sys.executable, "-c", start.program, str(note), *start.words]
        # Into files: a server that outlives the process would keep a pipe open.
        with (Path(folder) / "said").open("w+b") as said:
            ended = subprocess.run(
                command, cwd=ROOT, env=start.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=said, check=False,
            )  # fmt: skip
            if ended.returncode:
                said.seek(0)
                raise RuntimeError(f"{start.words or start.program}: {said.read().decode(errors='replace').strip()}")
        children, modules = note.read_text(encoding="ascii").split() if note.exists() else ("0", "0")
    start.children.append(float(children))
    start.modules = int(modules)


def _stop_server(given: dict[str, str]) -> None:
    """Stop the embedded server of an environment's data folder, should one still run."""
    command = [sys.executable, "-m", "rag.cli", "doctor", "--stop"]
    subprocess.run(command, cwd=ROOT, env=given, check=False, capture_output=True)
