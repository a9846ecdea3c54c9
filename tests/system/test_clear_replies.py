"""What a user reads where something is missing or unusual: the nearest thing, the reason, and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import address, caller

from rag import Engine
from rag.settings import Settings

DAYS = {"jurisdiction": "us-ma", "at_date": "2026-01-01"}


def test_a_provision_that_is_not_there_is_followed_by_its_neighbours_by_number(served: Engine) -> None:
    context = served.context("urn:lex:ma:940cmr:3.99")
    assert context.status == "not_found"
    assert context.suggestions[0] == "urn:lex:ma:940cmr:3.18"
    assert "urn:lex:ma:940cmr" in context.suggestions


def test_a_date_that_lies_ahead_is_said_and_does_not_change_the_context(served: Engine) -> None:
    question = "What interest does an owner pay on a security deposit?"
    ahead, trace = served.traced_ask(question, jurisdiction="us-ma", at_date="2090-01-01")
    assert [warning.kind for warning in ahead.warnings].count("future_date") == 1
    assert any("lies ahead" in warning.message for warning in trace.told)
    assert "future_date" not in [warning.kind for warning in served.ask(question, **DAYS).warnings]
    assert "future_date" not in [warning.kind for warning in served.context(question, jurisdiction="us-ma").warnings]


def test_a_draft_of_which_nothing_held_says_by_which_checks(empty_settings: Settings, tmp_path: Path) -> None:
    urn = "urn:lex:us-or:notices"
    lines = [
        {"lexscope": 1, "corpus": {"urn": urn, "title": "Notices", "language": "en"}},
        {"urn": urn, "structure_type": "ROOT", "level": "code", "heading": "Notices"},
        {"urn": f"{urn}:1", "parent_urn": urn, "structure_type": "SECTION", "level": "section",
         "content_text": "A notice of removal is posted at https://evil.example/x for 14 days."},
    ]  # fmt: skip
    (tmp_path / "n.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([tmp_path]).rejected
        answer = engine.ask("How long is a notice of removal posted?", jurisdiction="us-or")
        trees = engine.browse_structure(language="en", jurisdiction="us-or", root_id="nonsense")
        nothing = engine.list_documents(jurisdiction="us-or", type="judgment")
        rules = engine.guidelines("jurisdiction", "us-or|us")
    assert answer.refusal is not None
    assert (answer.refusal.reason, answer.statements) == ("nothing_verified", [])
    assert "ACTIVE_CONTENT" in answer.refusal.message
    assert trees.message.startswith("The root names no node.")
    assert "leave a filter out" in nothing.message
    assert "1 document, " in rules.text


def test_an_answer_says_which_law_was_searched_and_what_its_rules_are_called(served: Engine) -> None:
    refused = served.ask("How many wheels does a bicycle have to have?", **DAYS)
    assert refused.refusal is not None
    assert (refused.jurisdictions, refused.language) == (["us-ma"], "en")
    assert list(refused.headings) == refused.targets
    named = served.ask("urn:lex:ma:940cmr:3.17:4")
    assert named.headings == {"urn:lex:ma:940cmr:3.17:4": "Security deposits and interest"}
    assert (named.jurisdictions, named.language) == (["us-ma"], "en")


def test_a_citation_says_what_it_cites_and_which_version(served: Engine) -> None:
    answer, trace = served.traced_ask("What interest does an owner pay on a security deposit?", **DAYS)
    assert answer.context is not None
    blocks = {block.urn: block for block in answer.context.blocks}
    claims = (*answer.statements, *answer.definitions, *answer.limits, *answer.rest)
    cited = [citation for claim in claims for citation in claim.citations]
    assert cited
    for citation in cited:
        assert (citation.valid_from, citation.valid_to) == (
            blocks[citation.urn].valid_from,
            blocks[citation.urn].valid_to,
        )
    (deposit,) = {citation.heading for citation in cited if citation.urn == "urn:lex:ma:940cmr:3.17:4"}
    assert deposit == "Security deposits and interest"
    assert [citation for claim in trace.statements for citation in claim.citations] == cited


@pytest.mark.parametrize("language", ["EN", "En", " en "])
def test_a_language_is_told_in_any_case(served: Engine, language: str) -> None:
    found = served.search("deposit", jurisdiction="us-ma", language=language).results
    assert found == served.search("deposit", jurisdiction="us-ma", language="en").results != []
    assert served.browse_structure(jurisdiction="us-ma", language=language).total
    assert served.ask("deposit", jurisdiction="us-ma", language=language).status in ("answered", "places")


def test_a_search_without_hits_says_what_to_do(served: Engine) -> None:
    nothing = served.search("qwertzuiop", jurisdiction="us-ma", language="en")
    assert "Try other words" in nothing.message
    ended = served.search("coupon book", jurisdiction="us-ma", language="en", at_date="2026-01-01")
    assert "urn:lex:ma:940cmr:3.08 (in force from 1995-01-01 until 2015-01-01)" in ended.message


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("override", "add", "no urn", "--status", "VOID", "--court", "C", "--citation", "1"),
            "URN: A URN",
        ),
        (("preemption", "add", "no urn", "urn:lex:ma:x:1", "--kind", "field"), "FEDERAL: A URN"),
    ],
)
def test_a_wrong_row_is_refused_in_one_clean_sentence(
    served_settings: Settings, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    refused = caller(capsys, "--database-url", address(served_settings))(*arguments)
    assert refused.status == 2
    assert says in refused.err
    assert "Value error" not in refused.err
    assert not refused.err.rstrip().endswith("..")


def test_an_ingest_names_the_first_files_that_it_skipped_and_counts_the_others(
    empty_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(7):
        (tmp_path / f"odd{number}.xml").write_text("<unknown/>", encoding="utf-8")
    ran = caller(capsys, "--database-url", address(empty_settings))("ingest", str(tmp_path))
    assert "skipped 7 files: of no known format (odd0.xml, odd1.xml" in " ".join(ran.out.split())
    assert "and 2 more)" in ran.out


def test_a_provision_that_is_not_there_is_followed_by_its_neighbours_on_a_terminal(
    served_settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = caller(capsys, "--database-url", address(served_settings))("ask", "940 CMR 3.99")
    assert refused.status == 3
    assert "urn:lex:ma:940cmr:3.20" in refused.out


def test_a_question_in_another_language_than_the_laws_is_told_so(served: Engine) -> None:
    refused = served.ask("Wie lange darf der Vermieter die Kaution behalten?", jurisdiction="us-ma")
    assert refused.refusal is not None
    assert "The law searched is in English" in refused.refusal.message
