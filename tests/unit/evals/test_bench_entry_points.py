"""The benchmark of entry points: its words, its questions and its arguments, without a database."""

from __future__ import annotations

import pytest

from evals.bench import main
from evals.bench.entry_points import AT_LEAST, AT_MOST, _row
from evals.bench.questions import STATUTORY, TOPIC_WORDS, TOPICS, WORDS_OF_A_TEXT, Vocabulary


def test_the_same_seed_gives_the_same_words_and_another_seed_others() -> None:
    assert Vocabulary(3).text(5) == Vocabulary(3).text(5)
    assert Vocabulary(3).text(5) != Vocabulary(4).text(5)


def test_a_text_has_words_of_all_statutes_of_its_topic_and_rare_ones() -> None:
    words = Vocabulary(7)
    text = words.text(11).split()
    assert len(text) == WORDS_OF_A_TEXT
    kinds = [sum(word in group for word in text) for group in (set(STATUTORY), set(words.topics[11]), set(words.rare))]
    assert kinds == [18, 12, 10]
    assert len({word for topic in words.topics for word in topic}) == TOPICS * TOPIC_WORDS


@pytest.mark.parametrize(
    ("metric", "sense"), [*((word, ">=") for word in AT_LEAST), *((word, "<=") for word in AT_MOST)]
)
def test_a_goal_is_judged_in_its_own_sense_and_fails_nothing(metric: str, sense: str) -> None:
    gate = _row("10000 nodes", metric, 1.0, 3).gate
    assert (gate.sense, gate.hard) == (sense, False)
    assert gate.bound is not None


@pytest.mark.parametrize("arguments", [["--questions", "0"], ["--sizes", "10"], ["--rounds", "x"], ["--sizes", "a,b"]])
def test_arguments_that_cannot_be_used_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["entry-points", *arguments])
    assert ended.value.code == 2
