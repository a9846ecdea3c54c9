"""The benchmark of scoped contexts runs from end to end on a small store; what it says of time is not judged here."""

from __future__ import annotations

import json
from pathlib import Path

from evals.__main__ import main

METRICS = {
    "context_ratio_to_floor", "context_objects_ratio_to_floor", "defaults_ratio_to_tuned", "statements", "round_trips",
    "definitions_20x_to_5x", "whole_table_reads", "peak_memory_mb", "assembly_memory_mb", "load_average",
}  # fmt: skip


def test_the_context_benchmark_runs_and_writes_rows_and_a_plot(server: str, tmp_path: Path) -> None:
    rows, picture = tmp_path / "rows.json", tmp_path / "plot.svg"
    sizes = [
        "--sizes",
        "1000",
        "--definitions",
        "1000",
        "--cases",
        "2",
        "--rounds",
        "1",
        "--candidates",
        "3",
        "--database-url",
        server,
    ]
    assert main(["bench", "context", *sizes, "--json", str(rows), "--plot", str(picture)]) == 0
    found = {row["metric"]: row["value"] for row in json.loads(rows.read_text(encoding="utf-8"))}
    assert set(found) >= METRICS
    assert (found["statements"], found["round_trips"], found["whole_table_reads"]) == (6, 2, 0)
    assert picture.read_text(encoding="utf-8").startswith("<svg")
