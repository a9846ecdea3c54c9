"""The soak, for a few seconds: it runs for minutes before a release (`python -m evals bench soak`)."""

from __future__ import annotations

from evals.bench.soak import run


def test_clients_of_both_servers_see_no_wrong_result_and_no_rule_after_its_halt() -> None:
    rows = {row.metric: row for row in run(clients=16, seconds=8.0, pause=0.1)}
    for metric in ("failed_calls", "wrong_results", "contexts_never_stored", "served_after_halt"):
        assert rows[metric].value == 0, metric
        assert rows[metric].n > 10, metric
    assert rows["halts_committed"].value > 3
    assert rows["ingests"].value > 1
