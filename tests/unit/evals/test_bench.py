"""What benchmarks share: turns, medians and plots."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.bench.plot import plot
from evals.bench.start import BARE, NOTING, Start, environment, timed
from evals.bench.timing import measure, timing
from evals.command import main
from evals.rows import Gate, Row


def test_an_unknown_benchmark_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "nothing"]) == 2
    assert "context" in capsys.readouterr().err


def test_every_variant_is_run_on_every_item_in_every_round() -> None:
    calls: list[tuple[str, int]] = []
    variants = {name: lambda item, name=name: calls.append((name, item)) for name in ("a", "b", "c")}
    taken = measure(variants, [1, 2], rounds=3, warm_up=1)
    assert {name: one.n for name, one in taken.items()} == {"a": 6, "b": 6, "c": 6}
    assert sorted(calls) == sorted([(name, item) for name in "abc" for item in (1, 2)] * 4)
    assert [name for name, _ in calls[:6]] != [name for name, _ in calls[3:9]]  # they take turns at coming first


def test_a_timing_has_the_median_and_the_95th_percentile() -> None:
    one = timing([*range(100, 0, -1)])
    assert (one.p50, one.p95, one.n) == (50.5, 96, 100)


def test_a_plot_shows_only_what_has_a_goal_and_escapes_its_labels() -> None:
    rows = [
        Row("s", "<law>", "ratio", 2.0, 1, None, None, Gate("<=", 1.25, hard=False)),
        Row("s", "law", "time", 2.0, 1, None, None, Gate(hard=False)),
    ]
    picture = plot(rows)
    assert "ratio, &lt;law&gt;" in picture
    assert "time" not in picture


def test_a_start_is_timed_without_the_processes_that_it_waited_for(tmp_path: Path) -> None:
    burn = "sum(i * i for i in range(3_000_000))"
    child = f"import subprocess; subprocess.run([sys.executable, '-c', {burn!r}], check=True)"
    given = environment(tmp_path, tmp_path)
    starts = {BARE: Start("pass", (), given), "parent": Start(NOTING + child, (), given)}
    found = {(row.source, row.metric): row.value for row in timed(starts, 1)}
    assert found["parent", "cpu_seconds"] < found["parent", "children_cpu_seconds"]
    assert found["parent", "modules"] > 40
    assert (BARE, "children_cpu_seconds") not in found


def test_a_start_that_fails_says_why(tmp_path: Path) -> None:
    broken = Start("raise SystemExit('no such store')", (), environment(tmp_path, tmp_path))
    with pytest.raises(RuntimeError, match="no such store"):
        timed({BARE: broken}, 1)


def test_a_start_has_nothing_of_the_users_own_settings(tmp_path: Path) -> None:
    given = environment(tmp_path / "code", tmp_path / "data")
    names = {name for name in given if name.startswith(("LEXSCOPE_", "OPENAI_", "CO_API_", "DATABASE_URL"))}
    assert names == {"LEXSCOPE_DATA_DIR"}
    assert "PYTHONDONTWRITEBYTECODE" not in given
