from __future__ import annotations

from pathlib import Path

import pytest
from cited_laws import defined, law, published

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for

ACT = "urn:lex:gb:ukpga-2021-5"
EU_ACT = "urn:lex:eu:32031r0007"


def scopes(text: str, *, heading: str = "Kites") -> list[tuple[str, str, str, bool]]:
    """Term, relation, scope and inference of what a section with one subsection defines."""
    document = law(
        ACT, ("part_1", "part"), ("1", "section", "", heading), ("1:1", "subsection", text), ("1:2", "subsection"),
        ("part_2", "part"), ("2", "section"),
    )  # fmt: skip
    found = defined(document, "gb")
    return [
        (definition.term, definition.relation, definition.scope_urn.removeprefix(ACT).lstrip(":"), definition.inferred)
        for definition in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In this Act “kite” means a toy.", ("kite", "means", "", False)),
        ("In this Part “kite” means a toy.", ("kite", "means", "part_1", False)),
        ("In subsection (2) above, “kite” means a toy.", ("kite", "means", "1:2", False)),
        ("In this section “kite”, in relation to a child, means a toy.", ("kite", "means", "1", False)),
        # A section named after a term defines it for the act.
        ("“kite” has the meaning given by section 2.", ("kite", "reference", "", True)),
        ("“wind” has the meaning given by section 2.", ("wind", "reference", "1", True)),
        ("In this Act “kite” is to be construed in accordance with section 2.", ("kite", "reference", "", False)),
        ("In subsection (2) above, a “holding” is a day without wind.", ("holding", "means", "1:2", False)),
        ("Subject to subsection (2), in this Act “kite” means a toy.", ("kite", "means", "", False)),
        ("A kite may fly, but in this Part “kite” means a toy.", ("kite", "means", "part_1", False)),
        ("In this section “wind”, in relation to a kite, is the air that lifts it.", ("wind", "means", "1", False)),
        # The provision named second is not all that the term is for.
        (
            "The word “wind” in the last sentence and in section 2 does not include a storm.",
            ("wind", "excludes", "1", True),
        ),
        ("For this purpose “wind” includes a breeze.", ("wind", "includes", "1", True)),
        ("For the purposes of this clause the term “wind” includes a breeze.", ("wind", "includes", "1", True)),
        (
            "For the purposes of this Part, a toy is an exempt toy if it is blue.",
            ("exempt toy", "means", "part_1", False),
        ),
    ],
)
def test_british_definition_has_its_scope(text: str, expected: tuple[str, str, str, bool]) -> None:
    assert scopes(text) == [expected]


@pytest.mark.parametrize(
    ("heading", "after", "scope"),
    [
        ("Kites", True, "part_2"),
        # General Parts, and the section that ends an act, define for all of it.
        ("General", True, ""),
        ("Kites", False, ""),
    ],
)
def test_interpretation_at_the_end_of_a_part_is_that_parts(heading: str, after: bool, scope: str) -> None:
    rows = [
        ("part_1", "part"), ("1", "section", "“Wind” means air.", "Interpretation"), ("part_2", "part"),
        ("2", "section", "Kites fly."), ("3", "section", "“Kite” means a toy.", "Interpretation"),
        *([("part_3", "part"), ("4", "section", "Rain falls.")] if after else []),
        ("sch.1", "schedule"), ("sch.1:1", "paragraph", "Lines break."),
    ]  # fmt: skip
    document = law(ACT, *rows)
    next(node for node in document.nodes if node.urn == f"{ACT}:part_2").heading = heading
    [found] = [definition for definition in defined(document, "gb") if definition.term == "Kite"]
    assert (found.scope_urn.removeprefix(ACT).lstrip(":"), found.inferred) == (scope, True)


def test_following_provisions_of_a_unit_are_the_section_and_what_comes_after_it() -> None:
    found = scopes("In the following provisions of this Act “kite” means a toy.")
    assert found == [("kite", "means", "1", False), ("kite", "means", "part_2", False)]


def test_words_that_restrict_a_list_do_not_hide_its_scope() -> None:
    document = law(
        ACT, ("part_1", "part"), ("1", "section", "In this Part, unless the context otherwise requires,—", "Kites"),
        ("1:1", "subsection", "“kite” means a toy;"), ("1:2", "subsection", "“wind” (see section 2);"),
        ("2", "section"),
    )  # fmt: skip
    found = [
        (definition.term, definition.relation, definition.scope_urn, definition.inferred)
        for definition in defined(document, "gb")
    ]
    part = f"{ACT}:part_1"
    assert found == [("kite", "means", part, False), ("wind", "reference", part, False)]


def test_interpretation_section_without_phrase_governs_the_whole_act() -> None:
    assert scopes("“kite” means a toy.", heading="Interpretation") == [("kite", "means", "", True)]


@pytest.mark.parametrize(
    "text", ["for “kite” substitute “balloon”", "A person is deemed to be a kite.", "by electronic means"]
)
def test_amending_words_and_fictions_define_nothing(text: str) -> None:
    assert scopes(text) == []


def test_term_of_a_union_act_in_passing_governs_the_act_from_the_end_of_a_chapter_too() -> None:
    document = law(
        EU_ACT, ("chapter_i", "chapter"), ("1", "article", "‘kite’ means a toy.", "Definitions"),
        ("chapter_ii", "chapter"), ("2", "article", "Toys fly.", "Toys"),
        ("3", "article", "An adult (‘flyer’) may fly.", "Kites"),
    )  # fmt: skip
    assert [(definition.term, definition.scope_urn) for definition in defined(document, "eu")] == [
        ("kite", EU_ACT),
        ("flyer", EU_ACT),
    ]


def test_terms_of_a_union_act_govern_all_of_it() -> None:
    document = law(
        EU_ACT, ("chapter_i", "chapter"), ("1", "article", "For the purposes of this Regulation:"),
        ("1:1", "point", "‘kite’ means a toy that an adult (‘flyer’) flies;"),
    )  # fmt: skip
    found = [(definition.term, definition.scope_urn, definition.inferred) for definition in defined(document, "eu")]
    assert found == [("kite", EU_ACT, False), ("flyer", EU_ACT, False)]


@pytest.mark.data
def test_published_regulation_has_its_twenty_six_definitions_and_the_one_in_passing(shared_data: Path) -> None:
    [document] = published(shared_data / "eu-gdpr")
    found = defined(document, "eu")
    listed = [
        definition
        for definition in found
        if definition.node_urn.startswith(f"{document.urn}:4:") and not definition.inferred
    ]
    assert len({definition.node_urn for definition in listed}) == 26
    assert [definition.term for definition in listed if definition.node_urn.endswith(":4:1")] == [
        "personal data",
        "data subject",
    ]
    assert {definition.scope_urn for definition in listed} == {document.urn}


@pytest.mark.data
def test_published_british_law_has_most_scopes_from_phrases(shared_data: Path) -> None:
    documents = [document for document in published(shared_data / "uk-clml") if len(document.nodes) < 500]
    definitions = [definition for document in documents for definition in defined(document, "gb")]
    assert len(definitions) >= 100
    assert sum(not definition.inferred for definition in definitions) / len(definitions) >= 0.6


@pytest.mark.data
def test_exceptions_of_the_published_regulation_point_to_its_provisions(shared_data: Path) -> None:
    [document] = published(shared_data / "eu-gdpr")
    annotate(document, jurisdiction_for("eu"))
    urns = {node.urn for node in document.nodes}
    excepting = [link for link in document.links if link.kind != "cites" and link.target_urn.startswith(document.urn)]
    assert len(excepting) >= 30
    assert all(link.target_urn in urns for link in excepting)
    unless = [link.target_urn for link in excepting if link.source_urn == f"{document.urn}:22:4"]
    assert unless == [f"{document.urn}:9:2:a", f"{document.urn}:9:2:g"]
