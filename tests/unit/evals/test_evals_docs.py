"""docs/evals.md names what there is to run, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evals.bench import BENCHES
from evals.command import main
from evals.suites.catalogue import SUITES

PAGE = (Path(__file__).parents[3] / "docs" / "evals.md").read_text(encoding="utf-8")


def test_every_suite_and_every_benchmark_stands_in_the_page() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.M)) == set(SUITES)
    assert set(re.findall(r"^\| `python -m evals bench ([\w-]+)`", PAGE, re.M)) == set(BENCHES)


def test_every_option_of_the_page_is_one_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    known = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    elsewhere = {
        "--keep",
        "--plot",
        "--python",
        "--sizes",
        "--database-url",
        "--rehash",
    }  # of benchmarks, and of `recorded`
    assert set(re.findall(r"--[a-z][a-z-]*", PAGE)) - elsewhere <= known
