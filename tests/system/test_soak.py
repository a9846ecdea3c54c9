"""The soak, for a few seconds: it runs for minutes before a release (`python -m evals bench soak`)."""

from __future__ import annotations

import pytest

from evals.bench.soak import run


@pytest.mark.thorough
def test_f30_64_clients_of_both_servers_see_no_wrong_result_and_no_rule_after_its_halt() -> None:
    """What takes minutes to see, memory and slow calls, has to be among the rows with its goal."""
    all_rows = run(clients=64, seconds=15.0, pause=0.5)
    rows = {row.metric: row for row in all_rows}
    for metric in ("failed_calls", "wrong_results", "contexts_never_stored", "served_after_halt"):
        assert rows[metric].value == 0, metric
        assert rows[metric].n > 10, metric
    assert rows["halts_committed"].value > 3
    assert rows["ingests"].value > 1
    assert rows["p95_growth"].gate.bound == 1.5
    assert {row.source: row.gate.bound for row in all_rows if row.metric == "memory_growth"} == {
        "mcp": 0.05,
        "web": 0.05,
    }
    assert all(row.value < 60_000 for row in all_rows if row.metric == "ms_p99")
