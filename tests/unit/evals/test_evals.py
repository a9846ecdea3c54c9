"""The evaluation's frame: intervals, gates, baseline, output, report, command line."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from evals.baseline import accept, compare, load_baseline, missing
from evals.command import Progress, main
from evals.report import report_html
from evals.rows import REPORTED, Gate, Row, json_rows, share_row, table, wilson
from evals.suites.catalogue import SUITES, Outcome, together
from evals.suites.fidelity.suite import EXACT
from retrieval.errors import ConfigurationError

SMALL = Path(__file__).resolve().parents[3] / "rag" / "sample" / "federal_like_regulation.jsonl"


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # The first four are worked examples of the literature (Newcombe 1998), the others follow from z² / (n + z²).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
    ],
)
def test_the_wilson_interval_has_the_published_bounds(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=6e-5)


@given(st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_wilson_interval_holds_the_share_and_mirrors(case: tuple[int, int]) -> None:
    hits, n = case
    low, high = wilson(hits, n)
    assert 0 <= low <= hits / n <= high <= 1
    assert wilson(n - hits, n) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (-1, 3), (4, 3)])
def test_no_share_has_no_interval(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="not a share"):
        wilson(hits, n)


@pytest.mark.parametrize(
    ("gate", "hits", "baseline", "fails"),
    [
        (Gate(">=", 0.99), 99, None, False),  # the bound itself is kept
        (Gate(">=", 0.99), 98, None, True),
        (Gate(">=", 1.0), 99, None, True),
        (Gate("<=", 0.04), 4, None, False),
        (Gate("<=", 0.04), 5, None, True),
        (Gate(">=", 0.99, hard=False), 50, 0.9, False),  # soft: shown, never fails
        (REPORTED, 0, 1.0, False),
        (Gate(">=", 0.95, sample=True), 91, None, False),  # 0.838 to 0.952: drawing others may meet it
        (Gate(">=", 0.95, sample=True), 90, None, True),
        (Gate("<=", 0.04, sample=True), 9, None, True),  # 0.048 to 0.162
        (Gate(">="), 90, 0.95, True),  # its interval is 0.826 to 0.945
        (Gate(">="), 91, 0.95, False),  # 0.838 to 0.952
        (Gate(">="), 80, 0.95, True),
        (Gate(">="), 97, 0.95, False),
        (Gate("<="), 10, 0.08, False),
        (Gate("<="), 20, 0.05, True),
        (Gate("<="), 2, 0.05, False),
        (Gate(">="), 99, 1.0, True),  # one failure of a guarantee is no chance
    ],
)
def test_a_hard_row_fails_below_its_gate_or_beyond_chance_of_its_baseline(
    gate: Gate, hits: int, baseline: float | None, fails: bool
) -> None:
    row = share_row("s", "c", "m", hits, 100, gate).with_baseline(baseline)
    assert bool(row.regression) is fails


def test_a_metric_without_an_interval_is_compared_by_its_value() -> None:
    row = Row("bench", "c", "ratio", 1.3, 1, None, None, Gate("<="), 1.2)
    assert row.regression
    assert not replace(row, value=1.2).regression


@pytest.mark.parametrize(
    ("sense", "value", "baseline", "gain"),
    [
        (">=", 0.9, 0.8, 0.1),
        (">=", 0.8, 0.9, -0.1),
        ("<=", 0.9, 0.8, -0.1),
        ("<=", 0.8, 0.9, 0.1),
        ("<=", 0.8, None, None),
    ],
)
def test_a_gain_is_positive_whichever_way_is_better(
    sense: str, value: float, baseline: float | None, gain: float | None
) -> None:
    row = Row("s", "c", "m", value, 10, None, None, Gate("<=" if sense == "<=" else ">="), baseline)
    assert row.gain == (None if gain is None else pytest.approx(gain))


def test_accepted_values_come_back_and_those_of_other_sources_stay(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    old, other = share_row("s", "a", "m", 1, 3), share_row("s", "b", "m", 2, 3)
    accept([old, other, share_row("s", "a", "gone", 1, 3)], file)
    accept([share_row("s", "a", "m", 3, 3)], file)
    assert load_baseline(file) == {("s", "a", "m"): 1.0, ("s", "b", "m"): 0.666667}
    unchanged = compare([other], load_baseline(file))[0]
    assert (unchanged.gain, unchanged.regression) == (0, "")
    assert compare([share_row("s", "new", "m", 1, 1)], load_baseline(file))[0].baseline is None


def test_a_metric_that_had_no_case_is_named_and_another_source_is_not() -> None:
    accepted = {("s", "a", "m"): 1.0, ("s", "a", "gone"): 1.0, ("s", "elsewhere", "m"): 1.0}
    assert missing([share_row("s", "a", "m", 1, 1)], accepted) == [("s", "a", "gone")]


def test_a_run_at_the_accepted_settings_fails_where_a_metric_had_no_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "baseline.json"
    accept([Row("ingest", SMALL.name, "E99", 1.0, 1, None, None, REPORTED)], file)
    arguments = ["ingest", "--data", str(SMALL), "--baseline", str(file)]
    assert main(arguments) == 1
    assert f"missing: ingest {SMALL.name} E99" in capsys.readouterr().err
    assert main([*arguments, "--limit", "1"]) == 0


@pytest.mark.parametrize("text", ["", "[]", '{"rows": [{"suite": "s"}]}', '{"rows": [], "more": 1}'])
def test_a_damaged_baseline_is_named_and_not_taken_for_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=r"baseline\.json"):
        load_baseline(file)


def test_the_table_shows_gains_losses_and_failures() -> None:
    gate = Gate(">=", 0.5)
    rows = [
        share_row("s", "corpus", "up", 9, 10, gate).with_baseline(0.8),
        share_row("s", "corpus", "down", 6, 10, gate).with_baseline(0.7),
        share_row("s", "corpus", "same", 6, 10, gate).with_baseline(0.6),
        share_row("s", "corpus", "failing", 1, 10, gate),
    ]
    head, *lines = table(rows).splitlines()[1:]
    assert head.split()[:4] == ["source", "metric", "value", "n"]
    assert [line.split(maxsplit=7)[-1] for line in lines[:3]] == [
        "0.8000  +0.1000 gain",
        "0.7000  -0.1000 loss",
        "0.6000  =",
    ]
    assert lines[3].endswith("FAIL")
    assert len({line.index(one) for line, one in zip(lines, ("up", "down", "same", "failing"), strict=True)}) == 1


def test_rows_as_json_have_the_nine_fields_of_the_contract() -> None:
    rows = [share_row("s", "é", "E12", 1, 3, Gate("<=", 0.04)), share_row("s", "c", "m", 3, 3)]
    first, second = json.loads(json_rows(rows))
    assert list(first) == ["suite", "source", "metric", "value", "n", "low", "high", "gate", "baseline"]
    assert (first["source"], first["value"], first["n"], first["gate"]) == ("é", 0.333333, 3, "<= 0.04")
    assert (second["gate"], second["baseline"], second["high"]) == (None, None, 1.0)
    assert json.loads(json_rows([])) == []


def test_the_report_is_one_file_with_plots_gains_and_losses_and_no_active_content() -> None:
    hostile = "<script>alert(1)</script>"
    rows = [
        share_row("s", hostile, "E1", 99, 100, EXACT),
        share_row("s", hostile, "E2", 90, 100, Gate(">=", 0.5)).with_baseline(0.8),
        share_row("s", "b", "up", 1, 2).with_baseline(0.9),
        Row("bench", "b", "ratio", 1.3, 1, None, None, Gate("<=", 1.2, hard=False), 1.2),
    ]
    page = report_html(rows, [hostile], "seed 7")
    assert "1 hard regressions" in page
    assert hostile not in page
    assert page.count("<svg") == 1
    assert "+0.1000 gain" in page
    assert "-0.4000 loss" in page
    assert not re.search(r"(?:href|src)=|<script|@import|url\(", page)
    etree.fromstring(page.encode(), etree.HTMLParser(recover=False))


def test_the_command_prints_json_and_accepts_a_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "baseline.json"
    arguments = ["ingest", "--data", str(SMALL), "--json", "--baseline", str(file)]
    assert main([*arguments, "--accept"]) == 0
    assert all(row["baseline"] is None for row in json.loads(capsys.readouterr().out))
    assert main(arguments) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows
    assert all(row["baseline"] == row["value"] for row in rows)


def test_a_run_below_the_accepted_values_exits_with_1_and_other_cases_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "baseline.json"
    accept([Row("ingest", SMALL.name, "characters_lost", -1.0, 1, None, None, REPORTED)], file)
    arguments = ["ingest", "--data", str(SMALL), "--baseline", str(file)]
    assert main(arguments) == 1
    assert "is worse than the accepted" in capsys.readouterr().err
    assert main([*arguments, "--seed", "8"]) == 0
    assert "judged by the gates alone" in capsys.readouterr().err


def test_a_folder_without_law_is_not_run_and_not_passed(tmp_path: Path) -> None:
    """As a program, whose suites are processes of their own."""
    (tmp_path / "a.txt").write_text("no law")
    command = [sys.executable, "-m", "evals", "fidelity", "answers", "--data", str(tmp_path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)) == (1, [])
    assert "fidelity: not run: " in done.stderr
    assert "answers: not run: " in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--limit", "0"],
        ["--limit", "x"],
        ["fidelity", "--data", "nowhere"],
        ["--seed", "one"],
        ["--accept", "--limit", "1"],
    ],
)
def test_bad_usage_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_a_run_tells_which_suite_of_how_many_has_ended(stream: io.StringIO) -> None:
    with Progress(["scope", "laws"], stream) as progress:
        for name in ("laws", "scope"):
            progress.ended(name, Outcome([share_row("s", "x", "m", 1, 2)]), 1.25)
    told = stream.getvalue()
    assert "laws: 1 rows over 2 checks in 1.2 s (1 of 2 suites)\n" in told
    assert "scope: 1 rows over 2 checks in 1.2 s (2 of 2 suites)\n" in told
    assert ("\x1b" in told) is stream.isatty()


def test_what_has_not_ended_is_told_while_it_runs() -> None:
    stream = io.StringIO()
    with Progress(list(SUITES), stream, every=0.01) as progress:
        while "\n" not in stream.getvalue():
            time.sleep(0.01)
        progress.ended("scope", Outcome(), 0.0)
    assert re.match(
        rf"0 of {len(SUITES)} suites after \d+ s; waiting for fidelity, answers, .+ \.\.\.\n", stream.getvalue()
    )


def test_a_suite_runs_after_the_one_whose_store_it_goes_on_with_and_alone_without_it() -> None:
    assert together(["drafts", "scope", "halts"]) == [["scope"], ["halts", "drafts"]]
    assert together(["scope", "drafts"]) == [["scope"], ["drafts"]]
    assert sorted(name for job in together(list(SUITES)) for name in job) == sorted(SUITES)


def test_an_interrupt_ends_it_with_one_line_while_its_modules_are_loaded_too() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "evals", "scope"]  # says on stderr what it loads
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert any("| pydantic\n" in line or "psycopg" in line for line in running.stderr)
        running.send_signal(signal.SIGINT)
        said = [line for line in running.stderr if not line.startswith("import time:")]
    assert said == ["Interrupted.\n"]
    assert running.returncode in (130, -signal.SIGINT)  # both are 130 to a shell
