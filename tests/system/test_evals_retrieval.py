"""The retrieval suite on small law: its layouts, what it counts as found, and stores that are kept between runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import SAMPLE

from evals.suites.retrieval import lay
from evals.suites.retrieval.sets import read_folder
from evals.suites.retrieval.suite import COLLOQUIAL, COLLOQUIAL_SPLITS, FEDERAL_SPLITS, Report, measure
from rag import Engine
from rag.settings import Settings, load_settings
from retrieval.errors import ConfigurationError

KEYS = "urn:lex:ma:940cmr:3.12"
NOWHERE = Path("nowhere")


def measured(settings: Settings, *data: Path) -> Report:
    return measure(list(data), NOWHERE, SAMPLE, seed=7, settings=settings)


def value(report: Report, source: str, metric: str) -> float:
    [row] = [row for row in report.rows if (row.source, row.metric) == (source, metric)]
    return row.value


def law_with(folder: Path, questions: list[dict[str, object]]) -> Path:
    folder.mkdir()
    for file in SAMPLE.glob("*.jsonl"):
        shutil.copy(file, folder)
    (folder / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions))
    return folder


def test_headings_of_the_law_lead_to_their_sections_and_the_store_is_kept(empty_settings: Settings) -> None:
    first, second = measured(empty_settings, SAMPLE), measured(empty_settings, SAMPLE)
    assert value(first, "sample us-ma en headings, lexical", "R@10") == 1.0
    assert first.rows == second.rows
    assert [any("ingested" in note for note in report.notes) for report in (first, second)] == [True, False]


def test_questions_beside_law_are_judged_by_the_rules_that_are_offered(
    empty_settings: Settings, tmp_path: Path
) -> None:
    asked = {"question": "Must I pay a key fee?", "jurisdiction": "us-ma"}
    folder = law_with(
        tmp_path / "law",
        [
            {"id": "rule", **asked, "gold": [KEYS]},
            {"id": "part", **asked, "gold": [f"{KEYS}:1"]},  # the rule around it is offered
            {"id": "gone", **asked, "gold": ["urn:lex:ma:940cmr:99.1"]},
            {"id": "away", **asked, "jurisdiction": "fr", "gold": [KEYS]},
        ],
    )
    report = measured(empty_settings, folder)
    assert value(report, "law, lexical", "R@10") == pytest.approx(2 / 3)
    assert [miss.splitlines()[0] for miss in report.misses] == ["law, synonym: gone"]
    said = "\n".join(report.notes)
    assert "2 judged provisions are not in the store" in said
    assert "away is not asked" in said


def test_lay_questions_are_asked_of_the_store_of_the_settings(empty_settings: Settings, tmp_path: Path) -> None:
    asked = {"jurisdiction": "us-ma", "law_language": "en", "language": "en"}
    file = tmp_path / "mine.jsonl"
    lines = [
        {"id": "1", **asked, "type": "plain", "question": "Must I pay a key fee?", "gold": [KEYS]},
        {"id": "2", **asked, "type": "colloquial", "question": "key fee?", "gold": ["urn:lex:ma:940cmr:99.1"]},
        {"id": "3", **asked, "type": "unanswerable", "question": "Who may fly a kite?", "gold": []},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    notes: list[str] = []
    with Engine.open(empty_settings) as engine:
        engine.ingest([SAMPLE])
        rows = {(row.source, row.metric): (row.value, row.n) for row in lay.measure(engine, file, notes)}
    assert rows["mine en, lexical", "R@10"] == (0.5, 2)
    assert rows["mine en plain, lexical", "R@3"] == (1.0, 1)
    assert rows["mine en colloquial, lexical", "R@10"] == (0.0, 1)
    assert rows["mine en colloquial, ask", "places_right@3"] == (0.0, 1)
    assert rows[f"{tmp_path.name} mine without an answer, ask", "answered in vain"] == (0.0, 1)
    assert any("1 judged provisions are not in the store" in note for note in notes)


def test_qrels_judge_the_provisions_themselves(empty_settings: Settings, tmp_path: Path) -> None:
    folder = law_with(tmp_path / "law", [{"id": "q", "question": "key fee for a lost key", "jurisdiction": "us-ma"}])
    values: list[float] = []
    for judged in (KEYS, "urn:lex:ma:940cmr"):  # the second is a container of it, which no search offers
        (folder / "x.qrels").write_text(f"q 0 {judged} 1\n")
        values.append(value(measured(empty_settings, folder), "law, lexical", "R@10"))
    assert values[1] == 0.0
    assert values[0] in (0.0, 1.0)


def test_passages_and_their_questions_are_read_as_published(empty_settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text(
        json.dumps(
            [
                {"ID": "a", "DocumentID": 1, "PassageID": "1.", "Passage": "FEES"},
                {"ID": "b", "DocumentID": 1, "PassageID": "1.1", "Passage": "A person must pay the annual fee."},
                {"ID": "c", "DocumentID": 1, "PassageID": "1.2", "Passage": "A firm must keep records for six years."},
            ]
        )
    )
    gold = [{"DocumentID": 1, "PassageID": "1.2", "Passage": ""}]
    (tmp_path / "set_dev.json").write_text(
        json.dumps([{"QuestionID": "q", "Question": "How long must a firm keep its records?", "Passages": gold}])
    )
    report = measured(empty_settings, tmp_path)
    assert value(report, f"{tmp_path.name} dev, lexical", "RR@10") == 1.0


def test_runs_of_others_are_measured_without_a_database(tmp_path: Path) -> None:
    (tmp_path / "x.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "bm25.run").write_text("q1 Q0 a 1 2.0 t\nq2 Q0 c 1 2.0 t\nq2 Q0 b 2 1.0 t\n")
    report = measured(load_settings(database_url="postgresql://nobody@127.0.0.1:1/none"), tmp_path)
    assert value(report, f"{tmp_path.name}, bm25.run", "RR@10") == 0.75
    assert value(report, f"{tmp_path.name}, bm25.run", "R@10") == 1.0


def test_runs_without_judgements_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2.0 t\n")
    with pytest.raises(ConfigurationError, match="no qrels"):
        measured(load_settings(), tmp_path)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("{", "line 1 is no JSON"),
        ("[]", 'line 1: a line is {"id", "question"'),
        ('{"id": "q"}', "line 1: a line is"),
        ('{"id": "q", "question": "x"}', "line 1: no `gold` and no qrels"),
        ('{"id": "q", "question": "x", "gold": ["u"]}\n{"id": "q", "question": "y", "gold": ["u"]}', "line 2: the id"),
    ],
)
def test_questions_that_cannot_be_used_are_refused_by_line(tmp_path: Path, line: str, cause: str) -> None:
    (tmp_path / "questions.jsonl").write_text(line)
    with pytest.raises(ConfigurationError, match="line") as caught:
        read_folder(tmp_path, "x")
    assert cause in caught.value.message
    assert '"x"' not in caught.value.message  # no question in an error


def test_the_questions_of_this_project_are_of_the_layout(tmp_path: Path) -> None:
    shutil.copy(COLLOQUIAL, tmp_path / "questions.jsonl")
    [found] = read_folder(tmp_path, "x").sets
    assert found.level == "rule"
    assert len(found.questions) >= 120
    splits = {json.loads(line)["split"] for line in COLLOQUIAL.read_text(encoding="utf-8").splitlines()}
    assert splits == {*COLLOQUIAL_SPLITS, *FEDERAL_SPLITS}


def test_a_set_that_is_too_large_is_sampled_and_says_so(empty_settings: Settings, tmp_path: Path) -> None:
    question = {"question": "Must I pay a key fee?", "jurisdiction": "us-ma", "gold": [KEYS]}
    folder = law_with(tmp_path / "law", [{"id": str(number), **question} for number in range(4)])
    for given, asked in (({"limit": 3}, 3), ({"limit": 3, "everything": True}, 4)):
        report = measure([folder], NOWHERE, SAMPLE, seed=7, settings=empty_settings, **given)
        assert {row.n for row in report.rows if row.source == "law, lexical"} == {asked}
        assert ("law: 3 of 4 questions, drawn by the seed" in report.notes) == (asked < 4)


def test_rankings_are_written_for_other_tools_and_measure_the_same_when_read_again(
    empty_settings: Settings, tmp_path: Path
) -> None:
    report = measure([SAMPLE], NOWHERE, SAMPLE, seed=7, settings=empty_settings, runs=tmp_path)
    assert report.rows
    again: dict[tuple[str, str], float] = {}
    for place in tmp_path.iterdir():
        for row in measured(load_settings(database_url="postgresql://nobody@127.0.0.1:1/none"), place).rows:
            again[row.source, row.metric] = row.value
    for row in report.rows:
        name, _, leg = row.source.rpartition(", ")
        folder = "-".join(name.split())
        assert again[f"{folder}, {leg}.run", row.metric] == row.value
    assert len(again) == len(report.rows)


def test_a_folder_that_cannot_be_written_is_named(empty_settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match=r"file.* cannot be written"):
        measure([SAMPLE], NOWHERE, SAMPLE, seed=7, settings=empty_settings, runs=tmp_path / "file")
