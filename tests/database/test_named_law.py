"""A question that names a whole law is answered from that law, and from its provisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date

import pytest
from conftest import Stores

from rag import Engine
from rag.jurisdictions.grammars import GRAMMARS
from retrieval.entry_points.finding import named_law
from retrieval.entry_points.lexical import Filters

CORPUS = "urn:lex:us:16cfr"
PART, OTHER = f"{CORPUS}:part_310", f"{CORPUS}:part_429"
LAW: list[dict[str, object]] = [
    {"lexscope": 1, "corpus": {"urn": CORPUS, "title": "Title 16", "language": "en"}},
    {"urn": CORPUS, "structure_type": "ROOT", "level": "corpus", "number": "16", "kind": "section"},
]
for part, heading, section, text in (
    (PART, "Calls", "310.4", "A seller who calls at night pays a fine of 50 dollars."),
    (OTHER, "Doors", "429.1", "A seller pays a fine of 90 dollars, a maximum fine."),
):
    LAW.extend([
        {
            "urn": part, "parent_urn": CORPUS, "structure_type": "PART", "level": "part", "kind": "section",
            "number": part.rpartition("_")[2], "heading": heading,
        },
        {
            "urn": f"{CORPUS}:{section}", "parent_urn": part, "structure_type": "SECTION", "level": "section",
            "number": section, "content_text": text,
        },
    ])  # fmt: skip


REGULATION = "urn:lex:eu:32016r0679"
OF_THE_UNION: list[dict[str, object]] = [
    {"lexscope": 1, "corpus": {"urn": REGULATION, "title": "A regulation", "language": "en"}},
    {"urn": REGULATION, "structure_type": "ROOT", "level": "corpus", "number": "32016r0679", "heading": "GDPR"},
    {
        "urn": f"{REGULATION}:83", "parent_urn": REGULATION, "structure_type": "ARTICLE", "level": "article",
        "number": "83", "content_text": "A controller pays a fine of 20 000 000 EUR.",
    },
]  # fmt: skip


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("law")
    for name, lines in (("us", LAW), ("eu", OF_THE_UNION)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as opened:
        assert not opened.ingest([folder]).rejected
        yield opened


@pytest.mark.parametrize(
    ("question", "targets"),
    [
        ("What is the maximum fine?", ["urn:lex:us:16cfr:429.1"]),
        ("What is the maximum fine under 16 CFR part 310?", ["urn:lex:us:16cfr:310.4"]),
        ("Under 16 CFR part 429, what is the maximum fine?", ["urn:lex:us:16cfr:429.1"]),
        ("16 CFR part 310", [PART]),
        ("Does 16 CFR part 310 regulate windmills?", [PART]),  # nothing there: the part itself is what was named
        ("Under 16 CFR part 310, does 16 CFR 429.1 set the maximum fine?", ["urn:lex:us:16cfr:429.1"]),
    ],
)
def test_what_a_question_names_is_where_its_answer_is_looked_for(
    engine: Engine, question: str, targets: list[str]
) -> None:
    assert engine.context(question, jurisdiction="us").targets == targets


def test_the_root_of_a_law_is_no_provision_of_it(engine: Engine) -> None:
    assert engine.context("Who pays a fine under the GDPR?", jurisdiction="eu").targets == [f"{REGULATION}:83"]


def test_a_question_that_says_nothing_beside_the_name_of_a_law_is_about_that_law(engine: Engine) -> None:
    filters = Filters(("us",), "en", date(2026, 1, 1))
    with engine.database.read() as conn:
        for question, told in (("What does 16 CFR part 310 say?", False), ("Fines under 16 CFR part 310?", True)):
            found = named_law(conn, question, GRAMMARS.cited_in(question, ["us"]), filters)
            assert (found is not None) is told


def test_the_name_of_the_law_is_no_word_that_its_provisions_must_have(engine: Engine) -> None:
    answer = engine.ask("Who pays a fine under 16 CFR part 310?", jurisdiction="us")
    assert [claim.citations[0].urn for claim in answer.statements] == ["urn:lex:us:16cfr:310.4"]
    assert "weak_match" not in {warning.kind for warning in answer.warnings}


def test_that_only_the_named_law_was_searched_is_said(engine: Engine) -> None:
    assert engine.search("fine under 16 CFR part 310", jurisdiction="us").warnings[-1:] == [
        "Only the law that the question names was searched: Calls."
    ]
    assert not any("Only the law" in warning for warning in engine.search("fine", jurisdiction="us").warnings)
