"""The verb `synonyms` as people and programs meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Lexscope, address, caller

from rag import Engine
from rag.settings import Settings


@pytest.fixture
def lexscope(capsys: pytest.CaptureFixture[str], sample_settings: Settings) -> Lexscope:
    """The command on a sample of the test's own."""
    return caller(capsys, "--database-url", address(sample_settings))


def test_bad_lines_are_named_and_can_be_left_out(lexscope: Lexscope, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text('{"phrase": "pad", "target": "dwelling unit", "language": "en"}\n{"phrase": 1}\n', encoding="utf-8")
    refused = lexscope("synonyms", "import", str(file))
    assert refused.status == 2
    assert "own.jsonl:2: phrase" in refused.err
    assert "Nothing was recorded" in refused.err
    done = lexscope("synonyms", "import", str(file), "--skip-rejected", "--json")
    assert done.status == 0
    told = json.loads(done.out)
    assert (told["recorded"], [line["line"] for line in told["rejected"]]) == (1, [2])
    assert "rejected own.jsonl:2: phrase" in done.err
    listed = json.loads(lexscope("synonyms", "list", "pad", "--language", "en", "--jurisdiction", "*", "--json").out)
    assert [entry["target"] for entry in listed["synonyms"]] == ["dwelling unit"]
    assert lexscope("synonyms", "list", "pad", "--language", "fr").out == "No synonym is recorded.\n"
    assert lexscope("synonyms", "list", "--jurisdiction", "nowhere at all").status == 2


def test_candidates_are_printed_and_written_for_review_and_not_recorded(lexscope: Lexscope, tmp_path: Path) -> None:
    before = json.loads(lexscope("synonyms", "list", "--json").out)
    file = tmp_path / "candidates.csv"
    found = json.loads(lexscope("synonyms", "suggest", "--output", str(file), "--json").out)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 1 + len(found["suggestions"])
    assert json.loads(lexscope("synonyms", "list", "--json").out) == before
    assert lexscope("synonyms", "suggest", "--language", "xx").out.endswith("No candidate was found.\n")


def test_the_starter_thesauri_are_one_command_away(lexscope: Lexscope) -> None:
    assert lexscope("synonyms", "starter", "--language", "ja").status == 0
    assert "無人航空機" in lexscope("synonyms", "list", "ドローン").out
    refused = lexscope("synonyms", "starter", "--language", "xx")
    assert refused.status == 2
    assert "no starter thesaurus" in refused.err


def test_the_trace_of_an_answer_shows_the_boost(sample_settings: Settings) -> None:
    with Engine.open(sample_settings) as engine:
        _, trace = engine.traced_ask("He was kicking me out. Late fees?", jurisdiction="us-ma")
        assert "late fees -> charge for late payment (weight 1)" in (trace.synonyms or [])
