"""Meanings that an annex gives, expressions named in different forms, and what is only asked, in each language."""

from __future__ import annotations

import pytest
from annotation_documents import document, node

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import Corpus, Definition, ParsedDocument, ParsedNode

LONG = "The quay. " * 500


def annex(corpus: str, word: str, number: str, text: str = "The north quay.", heading: str = "") -> ParsedNode:
    made = node(f"{corpus}:{word}.{number or 'x'}", corpus, "section", text, heading=heading)
    made.structure_type, made.level, made.number = "APPENDIX", word, number
    return made


def law(language: str, jurisdiction: str, texts: list[str], *annexes: tuple[str, str, str, str]) -> ParsedDocument:
    corpus = f"urn:lex:{jurisdiction}:quay"
    sections = [node(f"{corpus}:{number}", corpus, "section", text) for number, text in enumerate(texts, 1)]
    made = document(corpus, node(corpus, None, "title"), *sections, *(annex(corpus, *given) for given in annexes))
    made.corpus = Corpus(corpus, "Quay Act", language)
    made.nodes[0].structure_type, made.nodes[0].level = "ROOT", "act"
    annotate(made, jurisdiction_for(jurisdiction))
    return made


@pytest.mark.parametrize(
    ("language", "jurisdiction", "text", "kind"),
    [
        ("de", "de", "Die Behörde prüft, ob für einen Kai, einen Steg oder ein Boot § 2 nicht gilt.", "cites"),
        ("de", "de", "Die Behörde stellt fest, ob abweichend von § 2 zu verfahren ist.", "cites"),
        ("de", "de", "Wer fragt, ob er zahlen muss, zahlt abweichend von § 2 nichts.", "notwithstanding"),
        ("fr", "fr", "Le maire décide si, par dérogation à l'article 2, le quai est ouvert.", "cites"),
        ("fr", "fr", "Si le quai est fermé, par dérogation à l'article 2, nul ne paie.", "notwithstanding"),
    ],
)
def test_what_is_asked_or_decided_limits_nothing(language: str, jurisdiction: str, text: str, kind: str) -> None:
    made = law(language, jurisdiction, [text, "..."])
    assert [link.kind for link in made.links if link.target_urn == made.nodes[2].urn] == [kind]


def pointed(made: ParsedDocument) -> list[tuple[str, str]]:
    """Terms with the last part of what they point to."""
    return [
        (definition.term.casefold(), definition.reference_urn.rpartition(":")[2])
        for definition in made.definitions
        if definition.reference_urn
    ]


@pytest.mark.parametrize(
    ("language", "jurisdiction", "text", "annexes", "expected"),
    [
        ("en", "ca", "In this Act, “berth” means a place set out in the schedule.", ["schedule"], "schedule.x"),
        ("en", "us", "In this Act, “berth” means a place described in Appendix 2.",
         ["appendix 1", "appendix 2"], "appendix.2"),
        ("en", "us", "In this Act, “berth” means a place set out in table 1 to this Act.", ["table 1"], "table.1"),
        ("de", "de", "Liegeplatz im Sinne dieses Gesetzes ist jeder in der Anlage bezeichnete Ort.",
         ["anlage"], "anlage.x"),
        ("de", "de", "Liegeplatz im Sinne dieses Gesetzes ist jeder in den Anlagen genannte Ort.",
         ["anlage"], "anlage.x"),
        ("fr", "fr", "Pour l'application de la présente loi, on entend par poste un lieu fixé au tableau annexé.",
         ["annexe"], "annexe.x"),
        ("ja", "jp", "この法律において「係留所」とは、別表に掲げる場所をいう。", ["別表"], "別表.x"),
        # Of two none is named, or another one; the schedule of another law, and a word that only begins alike.
        ("en", "us", "In this Act, “berth” means a place set out in an appendix.", ["appendix 1", "appendix 2"], ""),
        ("en", "us", "In this Act, “berth” means a place set out in Appendix 3.", ["appendix 1", "appendix 2"], ""),
        ("en", "gb", "In this Act, “berth” means a place in Schedule 1 to the Docks Act 1990.", ["schedule 1"], ""),
        ("en", "gb", "In this Act, “berth” means a place for scheduled sailings.", ["schedule"], ""),
        ("de", "de", "Liegeplatz im Sinne dieses Gesetzes ist jede Hafenanlage.", ["anlage"], ""),
    ],
)  # fmt: skip
def test_a_definition_that_names_an_annex_points_to_it(
    language: str, jurisdiction: str, text: str, annexes: list[str], expected: str
) -> None:
    given = [(word, number, "...", "") for word, _, number in (name.partition(" ") for name in annexes)]
    made = law(language, jurisdiction, [text], *given)
    assert [target for _, target in pointed(made)] == ([expected] if expected else [])


def test_each_of_several_definitions_in_a_text_points_to_what_its_own_words_name() -> None:
    text = "In this Act— “berth” means a place set out in Schedule 2; “craft” means a boat."
    made = law("en", "ca", [text], ("schedule", "1", "...", ""), ("schedule", "2", "...", ""))
    assert pointed(made) == [("berth", "schedule.2")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("paragraph 2 of the schedule", "2"), ("column 3 of the schedule", "schedule.x"), ("the schedule", "schedule.x")],
)
def test_a_definition_that_names_a_part_of_an_annex_points_to_that(words: str, expected: str) -> None:
    corpus = "urn:lex:ca:quay"
    root = node(corpus, None, "title")
    section = node(f"{corpus}:1", corpus, "section", f"In this Act, “berth” has the meaning given in {words}.")
    supplement = annex(corpus, "schedule", "", "")
    parts = [node(f"{supplement.urn}:{number}", supplement.urn, "paragraph", "A place.") for number in (1, 2)]
    made = document(corpus, root, section, supplement, *parts)
    root.structure_type, root.level = "ROOT", "act"
    annotate(made, jurisdiction_for("ca"))
    assert pointed(made) == [("berth", expected)]


@pytest.mark.parametrize(("text", "entered"), [("The north quay.", True), (LONG, False)])
def test_a_short_annex_is_an_entry_of_the_term(text: str, *, entered: bool) -> None:
    words = "In this Act, “berth” means a place set out in the schedule."
    made = law("en", "ca", [words], ("schedule", "", text, ""))
    entry = Definition("berth", f"{made.nodes[0].urn}:schedule.x", f"{made.nodes[0].urn}:schedule.x", "includes")
    found = [(each.term, each.scope_urn, each.relation) for each in made.definitions if each.node_urn == entry.node_urn]
    assert found == ([(entry.term, entry.scope_urn, entry.relation)] if entered else [])


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Quay Act", "As used in this [act], “berth” means a place."),
        ("Convention on Quays", "A quay shall be treated as a berth for the purposes of this Convention."),
    ],
)
def test_a_law_is_what_it_calls_itself_in_brackets_and_in_an_annex(title: str, text: str) -> None:
    corpus = "urn:lex:int:quay"
    root = node(corpus, None, "title")
    section = node(f"{corpus}:1", corpus, "section", "For the purposes of this Convention “berth” means a place.")
    supplement = annex(corpus, "annex", "1", "")
    part = node(f"{supplement.urn}:1", supplement.urn, "paragraph", text)
    made = document(corpus, root, section, supplement, part)
    made.corpus = Corpus(corpus, title, "en")
    root.structure_type, root.level = "ROOT", "act"
    annotate(made, jurisdiction_for("int"))
    found = [each for each in made.definitions if each.node_urn == part.urn]
    assert [(each.scope_urn, each.inferred) for each in found] == [(corpus, False)]


@pytest.mark.parametrize(
    ("language", "jurisdiction", "texts", "names"),
    [
        ("de", "de", ["Markttage im Sinne dieses Gesetzes sind der Mittwoch und der Samstag.",
                      "Ein Markttag im Sinne dieses Gesetzes ist jeder Tag, an dem geöffnet ist."], {"Markttage"}),
        ("en", "ca", ["In this Act, “berths” means places on the quay.", "In this Act, “berth” means a place."],
         {"berths"}),
        ("de", "de", ["Verleih im Sinne dieses Gesetzes ist jede Miete.",
                      "Verleiher im Sinne dieses Gesetzes ist, wer vermietet."], {"Verleih", "Verleiher"}),
        # Two of one section are two expressions.
        ("en", "ca", ["In this Act, “institutions” means courts; “institution” means a school."],
         {"institutions", "institution"}),
    ],
)  # fmt: skip
def test_definitions_in_two_sections_that_differ_in_number_are_of_one_expression(
    language: str, jurisdiction: str, texts: list[str], names: set[str]
) -> None:
    made = law(language, jurisdiction, texts)
    assert {definition.term for definition in made.definitions} == names
