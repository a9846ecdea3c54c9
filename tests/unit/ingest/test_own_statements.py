"""What a document states of itself: its short title, and the day from which all of it is in force."""

from __future__ import annotations

from datetime import date

import pytest

from rag.ingest.annotation import SHORT_TITLE, add_own_statements
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode

MARCH = date(2024, 3, 1)
TITLES = {"en": "Acts, Codes and Ordinances of Linden", "de": "Satzungen von Linden", "fr": "Règlement et arrêté"}


def document(language: str, *texts: str, title: str = "", level: str = "document") -> ParsedDocument:
    root = ParsedNode("urn:lex:us-wa:doc:x", None, "ROOT", level, "x", title or TITLES[language], kind="section")
    nodes = [
        ParsedNode(f"{root.urn}:{number}", root.urn, "SECTION", "section", str(number), "", content_text=text)
        for number, text in enumerate(texts, start=1)
    ]
    return ParsedDocument(Corpus(root.urn, root.heading, language), [root, *nodes], "x.md", "markdown", "0" * 64, 1)


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("en", "This Act may be cited as the Harbour Moorings Act 1990.", "Harbour Moorings Act 1990"),
        ("en", "(1) This ordinance shall be known and may be cited as the “Trade Ordinance”.", "Trade Ordinance"),
        (
            "en", "These Regulations may be cited as the Kite (Fees) Rules 2021 and come into force on 1st March 2021.",
            "Kite (Fees) Rules 2021",
        ),
        ("de", "Diese Satzung heißt Leihradsatzung. Sie gilt in Linden.", "Leihradsatzung"),
        ("de", "Diese Satzung trägt den Namen „Satzung über Leihräder“.", "Satzung über Leihräder"),
        ("de", "Dieses Gesetz kann als Leihradgesetz zitiert werden.", "Leihradgesetz"),
        ("fr", "Le présent règlement peut être cité sous le titre « Règlement des refuges ».", "Règlement des refuges"),
        ("en", "An order under this Act may be cited as the Pier Order 2001.", None),
        ("en", "Part 2 of these Regulations may be cited as the Fees Rules 2020.", None),
        ("en", "That Act may be cited as the Harbour Act.", None),
        ("de", "Die Anlage dieser Satzung heißt Gebührentafel.", None),
        ("fr", "L'annexe du présent règlement est citée comme la Table des taxes.", None),
    ],
)  # fmt: skip
def test_the_name_by_which_a_document_says_that_it_is_cited(language: str, text: str, name: str | None) -> None:
    read = document(language, text)
    add_own_statements(read)
    assert read.nodes[0].tags.get(SHORT_TITLE) == name


def test_of_two_names_none_is_taken_and_what_the_source_says_stands() -> None:
    acts = [f"This Act may be cited as the {name} Act." for name in ("Harbour", "Pier")]
    both = document("en", *acts)
    add_own_statements(both)
    assert SHORT_TITLE not in both.nodes[0].tags
    given = document("en", acts[0])
    given.nodes[0].tags[SHORT_TITLE] = "Moorings Act"
    add_own_statements(given)
    assert given.nodes[0].tags[SHORT_TITLE] == "Moorings Act"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "This Act comes into force on 1 March 2024."),
        ("en", "1. This Ordinance shall take effect on March 1, 2024."),
        ("en", "This Act may be cited as the Pier Act 2024 and comes into force on the 1st day of March 2024."),
        ("de", "Diese Satzung tritt am 1. März 2024 in Kraft. Gleichzeitig tritt die Satzung von 2010 außer Kraft."),
        ("de", "Diese Satzung tritt mit Wirkung vom 01.03.2024 in Kraft."),
        ("fr", "Le présent arrêté entre en vigueur le 1er mars 2024."),
        ("en", "This Ordinance may be cited as the Pier Ordinance. It comes into force on 1 March 2024."),
        ("en", "This Act applies to piers. It takes effect on 1 March 2024."),
        ("de", "Diese Satzung heißt Leihradsatzung. Sie tritt am 1. März 2024 in Kraft."),
        ("fr", "Le présent règlement est cité comme la Charte des refuges. Il entre en vigueur le 1er mars 2024."),
    ],
)
def test_a_day_that_is_stated_of_the_whole_dates_all_provisions(language: str, text: str) -> None:
    read = document(language, "A fee is due.", text)
    add_own_statements(read)
    assert {node.valid_from for node in read.nodes} == {MARCH}
    [warning] = read.warnings
    assert f"comes into force on 2024-03-01 ({read.nodes[2].urn})" in warning


def test_a_pronoun_takes_up_the_document_of_the_provision_before() -> None:
    read = document("en", "These Acts may be cited as the Pier Acts.", "They come into force on 1 March 2024.")
    add_own_statements(read)
    assert {node.valid_from for node in read.nodes} == {MARCH}
    read = document("en", "These Acts may be cited as the Pier Acts.", "They come into force on 1 March 2024.")
    read.nodes[2].heading = "Fees"
    add_own_statements(read)
    assert {node.valid_from for node in read.nodes} == {None}


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["This Act is about fees. Section 5 sets them. It comes into force on 1 March 2024."]),
        ("en", ["Section 5 of this Act sets fees. It comes into force on 1 March 2024."]),
        ("en", ["This Act is about fees.", "Section 5 sets them.", "It comes into force on 1 March 2024."]),
        ("de", ["Diese Satzung gilt in Linden. Die Gebühr ist fällig. Sie tritt am 1. März 2024 in Kraft."]),
        ("en", ["Section 5 comes into force on 1 March 2024."]),
        ("en", ["Section 5 of this Act comes into force on 1 March 2024."]),
        ("en", ["This Act, except section 5, comes into force on 1 March 2024."]),
        ("en", ["This Act comes into force on 1 March 2024, except section 5."]),
        ("en", ["This Act comes into force on 1 March 2024 and expires on 1 May 2026."]),
        ("en", ["This Act comes into force on 1 March 2024.", "However, section 5 comes into force on 1 June 2024."]),
        ("en", ["This Act comes into force on 1 March 2024.", "Section 5 was amended by Act 7 of 2025."]),
        ("en", ["This Act comes into force on the day after publication."]),
        ("en", ["This Act does not come into force on 1 March 2024."]),
        ("en", ["This Act was amended on 1 March 2024."]),
        ("en", ["This Lease takes effect on 1 March 2024."]),  # the document is no lease
        ("de", ["§ 5 tritt am 1. März 2024 in Kraft."]),
        ("de", ["Diese Satzung tritt mit Ausnahme des § 5 am 1. März 2024 in Kraft."]),
        ("de", ["Diese Satzung tritt am Tag nach ihrer Bekanntmachung in Kraft."]),
        ("de", ["Diese Satzung tritt am 1. März 2024 in Kraft.", "Zuletzt geändert am 5. Mai 2025."]),
        ("fr", ["L'article 5 du présent arrêté entre en vigueur le 1er mars 2024."]),
        ("fr", ["Le présent arrêté entre en vigueur le 1er mars 2024, sauf l'article 3."]),
        ("fr", ["Le présent arrêté entre en vigueur le lendemain de sa publication."]),
    ],
)
def test_a_day_of_a_part_or_of_something_else_dates_nothing(language: str, texts: list[str]) -> None:
    read = document(language, *texts)
    add_own_statements(read)
    assert {node.valid_from for node in read.nodes} == {None}


def test_a_document_with_a_date_and_law_of_a_publication_keep_theirs() -> None:
    text = "This Act comes into force on 1 March 2024."
    dated = document("en", text)
    dated.nodes[1].valid_from = date(2025, 1, 1)
    published = document("en", text, level="act")
    for read in (dated, published):
        add_own_statements(read)
    assert [node.valid_from for node in (*dated.nodes, *published.nodes)] == [None, date(2025, 1, 1), None, None]
