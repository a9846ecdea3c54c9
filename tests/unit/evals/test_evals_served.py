"""What is measured of served answers: shares, their bounds, and the prompts that are recorded for rewriting."""

from __future__ import annotations

import json
from pathlib import Path

from evals.suites.halts.suite import questions
from evals.suites.retrieval.rewritings import prompts
from evals.suites.retrieval.served import Served, served_rows, vain_row
from evals.suites.retrieval.sets import vain_questions
from rag.models.replay import prompt_key

RIGHT = Served("answered", right=True, placed=False, found=True, first=True, lead=0.4)
WRONG = Served("answered", right=False, placed=True, found=True, first=False, lead=0.2)
PLACED = Served("places", right=False, placed=True, found=True, first=True, lead=0.1)
REFUSED = Served("refused", right=False, placed=True, found=True, first=False, lead=0.0)
FAR = Served("refused", right=False, placed=False, found=False, first=False, lead=0.0)


def test_each_share_counts_what_its_name_says() -> None:
    rows = {
        served_row.metric: served_row
        for served_row in served_rows("s", "set", [RIGHT, WRONG, PLACED, REFUSED, FAR], gates=True)
    }
    assert {metric: (round(one.value, 3), one.n) for metric, one in rows.items()} == {
        "places_right@3": (0.6, 5),  # of an answer its own first statement counts, whatever places stand beside it
        "answered": (0.4, 5),
        "answered_right": (0.5, 2),
        "wrong_as_certain": (0.2, 5),
        "refused_though_found": (0.2, 5),
        "AUC of the lead": (round(5 / 6, 3), 5),
    }
    assert str(rows["wrong_as_certain"].gate) == "<= 0.01 (soft)"
    assert str(served_rows("s", "set", [RIGHT, FAR], gates=False)[0].gate) == ""
    assert vain_row("s", "set", [FAR, WRONG]).value == 0.5


def test_questions_without_an_answer_are_asked_where_their_law_is_or_of_all(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"id": "1", "question": "A?", "gold": [], "jurisdiction": "de", "law_language": "de", "language": "en"},
        {"id": "2", "question": "B?", "gold": [], "jurisdiction": "none", "law_language": "none", "language": "fr"},
        {"id": "3", "question": "C?", "gold": ["urn:lex:de:bgb:1"], "jurisdiction": "de", "law_language": "de"},
    ]
    file = tmp_path / "half1.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    [one] = vain_questions(file)
    assert [(q.id, q.jurisdiction, q.language) for q in one.questions] == [("1", "de", "de"), ("2", "", "fr")]
    asked = list(prompts(file, ["de"]))
    assert ["A?" in asked[0]["input"], "C?" in asked[1]["input"], len(asked)] == [True, True, 2]
    assert asked[0]["prompt_sha256"] == prompt_key(asked[0]["instructions"], asked[0]["input"])


def test_every_line_of_every_set_of_lay_questions_can_be_asked_for_halts() -> None:
    asked = list(questions())
    assert len({one.id for one in asked}) == len(asked) > 2000
    assert {one.jurisdiction for one in asked} == {None, "de", "eu", "fr", "gb", "us", "us-dc"}
    assert any(one.jurisdiction is None and not one.gold for one in asked)
