"""The suite of drafts counts in both directions, over the sample and a set made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.judgements import read_judgements, write_questions
from evals.suites.drafts.suite import ALTERED, DRAFTS, JUDGEMENTS, SETS, Report, law_of, measure
from evals.suites.drafts.suite import LAW as LAW_PLACES
from rag.engine import Engine
from retrieval.errors import ConfigurationError

RULE = "urn:lex:ma:940cmr:3.17:4"
SENTENCE = (
    "An owner who holds a security deposit for one year or longer shall pay the tenant interest on the security "
    "deposit at the rate of 3 percent a year."
)
LAW = "If your landlord keeps the deposit a year or more, you are owed 3 percent interest on it for each year."
APPLIED = "On your deposit of $1,000 that is $30 a year."
SHORT = "Yes, $30 a year."
SCENARIO = "I paid a deposit of $1,000 two years ago. Do I get interest?"
DRAFT: dict[str, Any] = {
    "short_answer": {"text": SHORT, "rests_on": ["s2"]},
    "statements": [
        {"id": "s1", "kind": "law", "text": LAW, "citations": [{"urn": RULE, "quote": SENTENCE}]},
        {
            "id": "s2", "kind": "application", "text": APPLIED, "rests_on": ["s1"], "facts": ["a deposit of $1,000"],
            "computations": [{"operation": "percent", "inputs": ["3 percent", "$1,000"], "result": "$30"}],
        },
    ],
}  # fmt: skip
FALSE = [
    {"id": "d1", "statement": "s1", "operator": "direction",
     "text": "If your landlord keeps the deposit a year or more, you owe 3 percent interest on it for each year."},
    {"id": "d1", "statement": "s2", "operator": "wrong arithmetic",
     "text": "On your deposit of $1,000 that is $50 a year.",
     "computations": [{"operation": "percent", "inputs": ["3 percent", "$1,000"], "result": "$50"}]},
    {"id": "d1", "statement": "short_answer", "operator": "negation", "text": "No, you get no interest."},
]  # fmt: skip


def write(folder: Path, name: str, lines: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    line = {"id": "d1", "urn": RULE, "jurisdiction": "us-ma", "language": "en", "scenario": SCENARIO, "draft": DRAFT}
    write(tmp_path, DRAFTS, [line])
    write(tmp_path, ALTERED, FALSE)
    return tmp_path


def values(report: Report) -> dict[str, float]:
    return {row.metric: row.value for row in report.rows}


def test_without_judgements_nothing_that_code_cannot_prove_is_served(served: Engine, drafts: Path) -> None:
    report = measure(served, drafts)
    found = values(report)
    assert (found["own_words"], found["applied_served"], found["short_answer_kept"]) == (0, 0, 0)
    assert (found["own_words_before_judge"], found["altered_served"]) == (1, 0)
    assert "no judgement is recorded" in " ".join(report.notes)
    assert any(LAW in miss for miss in report.misses)


def test_with_judgements_honest_statements_are_served_and_a_wrong_sum_is_not(served: Engine, drafts: Path) -> None:
    asked = measure(served, drafts).open
    honest = {LAW, APPLIED, SHORT}
    lines = [
        {"key": key, "entailment": "supported" if one.statement in honest else "contradicted", "confidence": "high"}
        for key, one in asked.items()
    ]
    write(drafts, JUDGEMENTS, lines)
    found = values(measure(served, drafts))
    assert (found["own_words"], found["applied_served"], found["short_answer_kept"]) == (1, 1, 1)
    assert (found["altered_served"], found["altered_past_code wrong arithmetic"]) == (0, 0)
    assert found["altered_past_code direction"] == 1  # which code leaves to the judge
    write(drafts, JUDGEMENTS, [{**line, "entailment": "supported"} for line in lines])
    assert values(measure(served, drafts))["altered_served"] > 0  # the gate can fall


def test_questions_are_written_blind_and_asked_round_after_round_until_none_is_left(
    served: Engine, drafts: Path, tmp_path: Path
) -> None:
    honest = {LAW, APPLIED, SHORT}
    judged: list[Path] = []
    numbers: list[int] = []
    while (left := measure(served, drafts, read_judgements(judged)[0]).open) and len(judged) < 5:
        file = tmp_path / f"round{len(judged)}.jsonl"
        numbers.append(write_questions(left.values(), file))
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert [line.keys() for line in lines] == [{"key", "question"}] * len(lines)
        assert [line["key"] for line in lines] == sorted(left)
        assert "not_supported" in file.with_name(f"{file.name}.md").read_text(encoding="utf-8")
        judged.append(tmp_path / f"judged{len(judged)}.jsonl")
        # The statement of law falls, so that what rests on it is asked about with the law's own sentence.
        told = [line["question"].rpartition("\n")[2] for line in lines]
        holds = [statement in honest - {LAW} for statement in told]
        write(
            tmp_path, judged[-1].name,
            [
                {"key": line["key"], "entailment": "supported" if held else "not_supported", "confidence": "high"}
                for line, held in zip(lines, holds, strict=True)
            ],
        )  # fmt: skip
    assert len(numbers) == 2
    found = values(measure(served, drafts, read_judgements(judged)[0]))
    assert (found["own_words"], found["applied_served"], found["altered_served"]) == (0, 1, 0)


def test_what_two_judges_say_counts_where_both_support_it(tmp_path: Path) -> None:
    keys = ["a" * 64, "b" * 64]
    for name, said in (("one", ["supported", "supported"]), ("two", ["supported", "not_supported"])):
        write(
            tmp_path, name,
            [{"key": key, "entailment": one, "confidence": "high"} for key, one in zip(keys, said, strict=True)],
        )  # fmt: skip
    found, agreement = read_judgements([tmp_path / "one", tmp_path / "two"])
    assert [found[key].holds for key in keys] == [True, False]
    assert agreement.startswith("2 judgements beside another of the same question: 1 alike")


def test_the_law_of_a_set_is_that_of_its_jurisdictions(drafts: Path) -> None:
    with pytest.raises(ConfigurationError, match="us-ma"):
        law_of([drafts])
    assert law_of([SETS / "second"]) == [
        place for code in ("us-dc", "us", "gb", "fr", "de") for place in LAW_PLACES[code]
    ]


def test_a_set_that_cannot_be_read_is_named(served: Engine, tmp_path: Path) -> None:
    (tmp_path / DRAFTS).write_text("{}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=DRAFTS):
        measure(served, tmp_path)


def test_the_sets_of_the_project_are_whole() -> None:
    for folder in (SETS / "first", SETS / "second"):
        known = {json.loads(line)["id"] for line in (folder / DRAFTS).read_text(encoding="utf-8").splitlines()}
        altered = [json.loads(line) for line in (folder / ALTERED).read_text(encoding="utf-8").splitlines()]
        assert len(known) > 30
        assert {line["id"] for line in altered} <= known
