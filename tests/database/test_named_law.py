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


# A title of which the store has two parts, each in a file of its own.
SHIPS = "urn:lex:us:46cfr"
PARTS_HELD = {
    part: [
        {"lexscope": 1, "corpus": {"urn": SHIPS, "title": "Title 46", "language": "en"}},
        {
            "urn": f"{SHIPS}:part_{part}", "parent_urn": SHIPS, "structure_type": "PART", "level": "part",
            "kind": "section", "number": part, "heading": f"Part {part}",
        },
        {
            "urn": f"{SHIPS}:{part}.1", "parent_urn": f"{SHIPS}:part_{part}", "structure_type": "SECTION",
            "level": "section", "number": f"{part}.1", "content_text": "A master keeps a log.",
        },
    ]
    for part in ("27", "28")
}  # fmt: skip


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("law")
    for name, lines in (("us", LAW), ("eu", OF_THE_UNION), *PARTS_HELD.items()):
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
    assert answer.places[0].urn == "urn:lex:us:16cfr:310.4"
    (why,) = (warning.message for warning in answer.warnings if warning.kind == "weak_match")
    assert not any(word in why for word in ("310", "CFR", "part"))


def test_that_only_the_named_law_was_searched_is_said(engine: Engine) -> None:
    assert engine.search("fine under 16 CFR part 310", jurisdiction="us").warnings[-1:] == [
        "Only the law that the question names was searched: Calls."
    ]
    assert not any("Only the law" in warning for warning in engine.search("fine", jurisdiction="us").warnings)


OUTSIDE = "is outside of what this store holds: of urn:lex:us:46cfr it has only urn:lex:us:46cfr:part_27, "


@pytest.mark.parametrize("reference", ["46 CFR 29.1", "46 CFR 2.1", "46 CFR part 29"])
def test_a_part_that_the_store_does_not_have_of_a_title_is_never_told_as_missing_law(
    engine: Engine, reference: str
) -> None:
    found = engine.resolve(reference)
    assert (found.status, found.suggestions) == ("not_found", [])
    answer, context = engine.ask(reference), engine.context(reference)
    assert answer.refusal is not None
    for message in (found.message, answer.refusal.message, context.message):
        assert OUTSIDE in message
    [item] = engine.verify(f"See {reference}.").items
    assert item.verdict == "OUTSIDE_CORPUS"
    assert OUTSIDE in item.reasons[0]


@pytest.mark.parametrize("reference", ["46 CFR 27.9", "16 CFR 999.1", "46 CFR 27.1(a)"])
def test_what_a_part_that_is_held_or_a_whole_title_does_not_have_is_not_found(engine: Engine, reference: str) -> None:
    assert OUTSIDE[:20] not in engine.resolve(reference).message
    [item] = engine.verify(f"See {reference}.").items
    assert item.verdict == "NOT_FOUND"
