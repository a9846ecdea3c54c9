"""Measures against the definitions word by word, and against `ir-measures` where that is installed."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.measures import (
    MEASURES,
    area_under,
    average_precision,
    in_order,
    mean_row,
    ndcg,
    recall,
    reciprocal_rank,
    rows_of,
)
from evals.suites.retrieval.trec import read_qrels, read_run, write_run, write_set
from retrieval.errors import ConfigurationError

DOCUMENTS = [f"d{number}" for number in range(1, 15)]
grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), max_size=14)
runs = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=14)


@pytest.mark.parametrize(
    ("ranked", "judged", "wanted"),
    [
        # Worked by hand: nDCG, R, MAP, RR.
        (["a", "b", "c"], {"a": 1}, (1.0, 1.0, 1.0, 1.0)),
        (["b", "a", "c"], {"a": 1}, (1 / math.log2(3), 1.0, 0.5, 0.5)),
        (["b", "a", "c"], {"a": 1, "c": 1}, ((1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3)), 1.0, 7 / 12, 0.5)),
        (["b", "a"], {"a": 1, "z": 3}, ((1 / math.log2(3)) / (3 + 1 / math.log2(3)), 0.5, 0.25, 0.5)),
        ([], {"a": 1}, (0.0, 0.0, 0.0, 0.0)),
        (["a"], {"a": 0}, (0.0, 0.0, 0.0, 0.0)),
        ([*"bcdefghijk", "a"], {"a": 1}, (0.0, 0.0, 0.0, 0.0)),  # the eleventh does not count
    ],
)
def test_measures_have_the_values_worked_by_hand(
    ranked: list[str], judged: dict[str, int], wanted: tuple[float, ...]
) -> None:
    found = [measure(ranked, judged) for measure in (ndcg, recall, average_precision, reciprocal_rank)]
    assert found == pytest.approx(wanted)


@given(runs, grades)
def test_measures_are_those_of_their_definitions(ranked: list[str], judged: dict[str, int]) -> None:
    relevant = [one for one, grade in judged.items() if grade >= 1]
    first = ranked[:10]
    hits = [place for place, one in enumerate(first, start=1) if one in relevant]
    precisions = [sum(other in relevant for other in first[:place]) / place for place in hits]
    most = len(relevant) or 1
    assert recall(ranked, judged) == pytest.approx(len(hits) / most)
    assert average_precision(ranked, judged) == pytest.approx(sum(precisions) / most)
    assert reciprocal_rank(ranked, judged) == pytest.approx(1 / hits[0] if hits else 0.0)

    def gain(documents: list[str]) -> float:
        return sum(max(judged.get(one, 0), 0) / math.log2(place + 1) for place, one in enumerate(documents, start=1))

    best = gain(sorted(judged, key=lambda one: -judged[one])[:10])
    assert ndcg(ranked, judged) == pytest.approx(gain(first) / best if best else 0.0)


@settings(max_examples=25)
@given(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.tuples(grades, runs), min_size=1))
def test_measures_equal_those_of_ir_measures(given: dict[str, tuple[dict[str, int], list[str]]]) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is not installed")
    qrels = {question: judged for question, (judged, _) in given.items() if judged}
    if not qrels:
        return
    # No equal scores: the providers behind ir-measures do not agree on their order.
    scored = {
        question: {one: float(-place) for place, one in enumerate(ranked)}
        for question, (_, ranked) in given.items()
        if ranked
    }
    ours = rows_of("s", "x", {question: in_order(run) for question, run in scored.items()}, qrels)
    names = {name: name for name in ("nDCG@10", "R@1", "R@3", "R@10", "RR@10")} | {"MAP@10": "AP@10"}
    parsed = {name: ir_measures.parse_measure(other) for name, other in names.items()}
    theirs = ir_measures.calc_aggregate(list(parsed.values()), qrels, scored)
    assert {row.metric: row.value for row in ours} == pytest.approx(
        {name: theirs[measure] for name, measure in parsed.items()}, abs=1e-6
    )


def test_equal_scores_stand_in_the_order_that_trec_eval_gives_them() -> None:
    assert in_order({"a": 1.0, "c": 1.0, "b": 2.0}) == ["b", "c", "a"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_interval_of_a_mean_holds_it(values: list[float]) -> None:
    row = mean_row("s", "x", "R@10", values)
    assert row.low is not None
    assert row.high is not None
    assert 0.0 <= row.low <= row.value + 1e-12
    assert row.value - 1e-12 <= row.high <= 1.0


def test_a_question_without_a_ranking_counts_as_nothing_found() -> None:
    rows = rows_of("s", "x", {"q1": ["a"]}, {"q1": {"a": 1}, "q2": {"b": 1}})
    assert [(row.metric, row.value, row.n) for row in rows] == [(name, 0.5, 2) for name in MEASURES]


def test_no_question_is_no_measurement() -> None:
    with pytest.raises(ValueError, match="no question"):
        rows_of("s", "x", {}, {})


def test_a_run_that_is_written_is_read_in_the_same_order(tmp_path: Path) -> None:
    ranked = {"q1": ["b", "a", "c"], "q2": ["a"]}
    write_run(tmp_path / "x.run", ranked, "tag")
    assert {question: in_order(scores) for question, scores in read_run(tmp_path / "x.run").items()} == ranked


def test_names_with_white_space_stay_one_field(tmp_path: Path) -> None:
    place = write_set(tmp_path, "law, one", {"words": {"a b": ["c d", "c%20d"]}}, {"a b": {"c d": 1, "c%20d": 0}})
    assert place.name == "law-one"
    assert read_qrels(place / "set.qrels") == {"a%20b": {"c%20d": 1, "c%2520d": 0}}
    assert read_run(place / "words.run") == {"a%20b": {"c%20d": 2.0, "c%2520d": 1.0}}


def test_qrels_are_read_with_their_grades(tmp_path: Path) -> None:
    (tmp_path / "x.qrels").write_text("q1 0 a 2\nq1\t0\tb\t0\n\nq2 0 a -1\n")
    assert read_qrels(tmp_path / "x.qrels") == {"q1": {"a": 2, "b": 0}, "q2": {"a": -1}}


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("x.qrels", "q1 0 a 1\nq1 a 1\n", "line 2: a line is `question 0 document grade`"),
        ("x.qrels", "q1 0 a yes\n", "line 1: the grade is no whole number"),
        ("x.qrels", "q1 0 a 1\nq1 0 a 0\n", "line 2: the document is judged twice"),
        ("x.run", "q1 Q0 a 1\n", "line 1: a line is `question Q0 document rank score tag`"),
        ("x.run", "q1 Q0 a 1 nan tag\n", "line 1: the score is no finite number"),
        ("x.run", "q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n", "line 2: the document is ranked twice"),
    ],
)
def test_a_file_that_is_none_is_refused_by_line(tmp_path: Path, name: str, text: str, cause: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match="line") as caught:
        (read_qrels if name.endswith("qrels") else read_run)(tmp_path / name)
    assert cause in caught.value.message


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_run(tmp_path / "x.run")


def test_pairs_of_rankings_that_differ_in_their_tail_measure_the_same() -> None:
    head = [f"h{number}" for number in range(10)]
    for tail in itertools.permutations(["x", "y", "z"]):
        assert recall([*head, *tail], {"x": 1, "h3": 1}) == 0.5


def test_the_area_under_the_curve_counts_pairs_and_ties_half() -> None:
    assert area_under([0.9, 0.5], [0.1, 0.5]) == (1 + 1 + 1 + 0.5) / 4
    assert area_under([0.1], [0.9]) == 0.0
