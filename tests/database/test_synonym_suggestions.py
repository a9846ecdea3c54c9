"""Candidates for synonyms from definitions, other names and headings: proposed, never recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from law import C, document, node, store

from rag.law.nodes import Definition
from rag.store.database import Database
from rag.store.reference_data import import_synonyms, list_synonyms
from rag.store.synonym_suggestions import listed_words, suggest_synonyms, write_suggestions
from retrieval.errors import InputError

OWNER = "“Housing provider” means a landlord, an owner, lessor, sublessor, or any person who receives rent."


@pytest.mark.parametrize(
    ("text", "term", "language", "words"),
    [
        (OWNER, "Housing provider", "en", ["landlord", "owner", "lessor", "sublessor"]),
        ("“Person” means an individual who is alive.", "Person", "en", []),
        ("“Fee” includes a charge and a commission.", "Fee", "en", ["charge", "commission"]),
        ("“Rent” means the money paid for a unit, or any rent.", "Rent", "en", []),
        ("“Fee” means a fee or a charge.", "Fee", "en", ["charge"]),
        ("Le mot véhicule désigne une voiture, un camion ou une remorque.", "véhicule", "fr",
         ["voiture", "camion", "remorque"]),
        ("Wohnraum bezeichnet Zimmer, Küche und Bad.", "Wohnraum", "de", ["Zimmer", "Küche", "Bad"]),
        ("この法律において航空機とは、飛行機、気球をいう。", "航空機", "ja", ["飛行機", "気球"]),
        ("“Fee” means a charge or a toll.", "Rate", "en", []),
        ("“Fee” means a charge or a toll.", "Fee", "xx", []),
    ],
)  # fmt: skip
def test_a_definition_gives_the_plain_words_of_its_list(text: str, term: str, language: str, words: list[str]) -> None:
    assert listed_words(text, term, language) == words


def law(database: Database) -> None:
    nodes = [
        node(f"{C}:1"),
        node(f"{C}:1:1", OWNER, heading="Definitions"),
        node(f"{C}:1:2", "A thing is kept. It is commonly known as a “lemon law” right.", heading="Repair of vehicles"),
        node(f"{C}:1:3", "Nothing.", heading="Cancellation or rescission"),
        node(f"{C}:1:4", "A lessor shall.", heading="Duties of the lessor or of an agent who acts"),
    ]
    store(database, document(nodes, [Definition("Housing provider", f"{C}:1:1", f"{C}:1")]))


def test_candidates_come_from_definitions_other_names_and_headings(database: Database) -> None:
    law(database)
    found = suggest_synonyms(database)
    assert [
        (suggestion.kind, suggestion.phrase, suggestion.target, suggestion.urn) for suggestion in found.suggestions
    ] == [
        ("alias", "lemon law", "repair of vehicles", f"{C}:1:2"),
        ("definition", "landlord", "housing provider", f"{C}:1:1"),
        ("definition", "lessor", "housing provider", f"{C}:1:1"),
        ("definition", "owner", "housing provider", f"{C}:1:1"),
        ("definition", "sublessor", "housing provider", f"{C}:1:1"),
        ("heading", "rescission", "cancellation", f"{C}:1:3"),
        ("heading", "cancellation", "rescission", f"{C}:1:3"),
    ]
    assert list_synonyms(database) == []
    assert suggest_synonyms(database, language="fr").suggestions == []
    assert suggest_synonyms(database, jurisdiction="us-ma").suggestions == []
    cut = suggest_synonyms(database, jurisdiction="us", limit=2)
    assert (len(cut.suggestions), cut.more, found.more) == (2, True, False)
    with pytest.raises(InputError):
        suggest_synonyms(database, jurisdiction="no such place")


def test_reviewed_candidates_can_be_imported_and_are_not_suggested_again(database: Database, tmp_path: Path) -> None:
    law(database)
    file = tmp_path / "candidates.csv"
    write_suggestions(suggest_synonyms(database), file)
    assert f"lemon law,repair of vehicles,en,us,0.8,alias: {C}:1:2" in file.read_text(encoding="utf-8")
    assert import_synonyms(database, file).recorded == 7
    assert suggest_synonyms(database).suggestions == []
    with pytest.raises(InputError, match="cannot be written"):
        write_suggestions(suggest_synonyms(database), tmp_path / "no" / "file.csv")
