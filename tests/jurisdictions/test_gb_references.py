from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from cited_laws import below, citations, law, published, read_at
from hypothesis import given
from hypothesis import strategies as st

from rag.jurisdictions.registry import jurisdiction_for
from retrieval.paths import parse_urn

GB = jurisdiction_for("gb")
ACT = "urn:lex:gb:ukpga-2021-5"


def sample() -> list[tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, str]]:
    return [
        ("part_1", "part"), ("1", "section", "", "Kites"), ("1:1", "subsection"), ("1:1:a", "paragraph"),
        ("1:1:b", "paragraph"), ("1:2", "subsection"), ("1:2:a", "paragraph"), ("2", "section"), ("2:1", "subsection"),
        ("part_2", "part"), ("3", "section"), ("3a", "section"),
        ("4", "section", "In this Act “the 1990 Act” means the Windmills Act 1990 (c. 7).", "Interpretation"),
        ("5", "section", "The Windmills Act 1990 (c. 7) is amended as follows.", "Amendments"),
        ("5:1", "subsection", "In section 2, after subsection (1) insert—"),
        ("sch.1", "schedule"), ("sch.1:1", "paragraph"), ("sch.1:1:1", "subparagraph"), ("sch.1:2", "paragraph"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        ("Ss. 1, 2 and 3 of the Theft Act 1968", ["1", "2", "3"]),
        ("section 12A(2)(za) of the Theft Act 1968", ["12a:2:za"]),
        ("section 6(1)(a)(ii), (d) and (e) of the Theft Act 1968", ["6:1:a:ii", "6:1:d", "6:1:e"]),
        ("sections 5(1), 6(2) and (3) and 8 to 10 of the Theft Act 1968", ["5:1", "6:2", "6:3", "8", "10"]),
        ("section 1 (basic definition of theft) of the Theft Act 1968", ["1"]),
        ("s.1(1)  THEFT ACT 1968", ["1:1"]),
        ("Theft Act 1968 (c. 60), Schedule 1, paragraph 2(1)", ["sch.1:2:1"]),
        ("Sch 1, para 2 to the Theft Act 1968", ["sch.1:2"]),
        ("the First Schedule to the Theft Act 1968", ["sch.1"]),
        ("section 9 of, or paragraph 2 of Schedule 1 to, the Theft Act 1968", ["9", "sch.1:2"]),
        ("section 1 of the theft act 1968", ["1"]),
    ],
)
def test_written_forms_of_one_act_are_read(text: str, urns: list[str]) -> None:
    found = [urn for reference in GB.find_references(text, None) for urn in reference.urns]
    assert found == [f"urn:lex:gb:ukpga-1968-60:{urn}" for urn in urns]


@pytest.mark.parametrize(
    ("text", "urn"),
    [
        ("[2020] EWHC 12 (Admin), para 45", "urn:lex:gb:ewhc-admin-2020-12:45"),
        ("[2001] EWHC Admin 5", "urn:lex:gb:ewhc-admin-2001-5"),
        ("[2017] EWCA 1416 (Civ)", "urn:lex:gb:ewca-civ-2017-1416"),
        ("[2018] SAC (Civ) 5", "urn:lex:gb:sac-civ-2018-5"),
        ("[2011] UKUT 00022 (AAC)", "urn:lex:gb:ukut-aac-2011-22"),
        ("Widgets (Scotland) Act 2016 (asp 8)", "urn:lex:gb:asp-2016-8"),
        ("Widgets (Wales) Act 2014 (anaw 4)", "urn:lex:gb:anaw-2014-4"),
        ("Widgets Act (Northern Ireland) 2011 (c. 3)", "urn:lex:gb:nia-2011-3"),
        ("S.R. 2005 No. 5", "urn:lex:gb:nisr-2005-5"),
        ("CPR r 3.4(2)", "urn:lex:gb:uksi-1998-3132:3.4:2"),
    ],
)
def test_series_of_law_and_decisions_have_their_own_urns(text: str, urn: str) -> None:
    [found] = GB.find_references(text, None)
    assert (found.urns, found.confident) == ((urn,), True)


@pytest.mark.parametrize(
    "text",
    [
        "[1992] Ch 560", "[2019] 1 WLR 1", "(1868) LR 3 HL 330", "2004 SLT 24", "[2007] EWHC 2789",
        "section 3 of the Windmills Act 1987", "section 3 of the Administration Act",
        "Article 3 of the Windmills Convention",
    ],
)  # fmt: skip
def test_law_that_cannot_be_placed_is_external(text: str) -> None:
    [found] = GB.find_references(text, None)
    assert (found.kind, found.urns, found.text) == ("external", (), text)


def test_chapter_of_a_session_is_no_certain_reading() -> None:
    [found] = GB.find_references("Windmills Act 1939 (c. 82)", None)
    assert (found.urns, found.confident) == (("urn:lex:gb:ukpga-1939-82",), False)


def test_two_acts_of_one_sentence_are_two() -> None:
    found = GB.find_references("the Rent Act 1977 and the Housing Act 1988", None)
    assert [reference.urns for reference in found] == [("urn:lex:gb:ukpga-1977-42",), ("urn:lex:gb:ukpga-1988-50",)]


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        ("1:1:a", "this section", ["1"]),
        ("1:1:a", "subsection (2)(a)", ["1:2:a"]),
        ("1:1:a", "paragraph (b)", ["1:1:b"]),
        ("1:1:a", "paragraph (a) of subsection (2)", ["1:2:a"]),
        ("1:1:a", "subsections (1) and (2) above", ["1:1", "1:2"]),
        ("1:1:a", "section 3A below", ["3a"]),
        ("1:1:a", "this Part", ["part_1"]),
        ("1:1:a", "Part 2", ["part_2"]),
        ("1:1:a", "this Act", [""]),
        ("1:1:a", "paragraph 1(1) of Schedule 1", ["sch.1:1:1"]),
        ("sch.1:2", "paragraph 1(1)", ["sch.1:1:1"]),
        ("sch.1:2", "this Schedule", ["sch.1"]),
        ("1:2", "the last preceding subsection", ["1:1"]),
        ("2:1", "the preceding section", ["1"]),
        ("2:1", "Regulations may provide that section 1 is not to apply", ["1"]),
        ("2:1", "subsection (2) of section one of this Act", ["1:2"]),
    ],
)
def test_reference_is_read_from_its_place(at: str, text: str, expected: list[str]) -> None:
    document = law(ACT, *sample())
    [found] = read_at(document, at, text, "gb")
    assert [urn.removeprefix(ACT).lstrip(":") for urn in found.urns] == expected
    assert found.confident


def test_name_that_the_document_gives_is_the_law_it_means() -> None:
    [found] = read_at(law(ACT, *sample()), "1:1", "section 6(1) of the 1990 Act", "gb")
    assert found.urns == ("urn:lex:gb:ukpga-1990-7:6:1",)


def test_title_without_a_number_is_the_act_that_the_document_numbers_elsewhere() -> None:
    for text in ("section 6(1) of the Windmills Act 1990", "the Windmills Act 1990, section 6(1)"):
        [found] = read_at(law(ACT, *sample()), "1:1", text, "gb")
        assert (found.urns, found.confident) == (("urn:lex:gb:ukpga-1990-7:6:1",), True)
    [other] = read_at(law(ACT, *sample()), "1:1", "section 6(1) of the Windmills Act 1991", "gb")
    assert other.urns == ()


def test_title_with_two_numbers_in_one_document_is_neither() -> None:
    rows = [*sample(), ("6", "section", "The Windmills Act 1990 (c. 8) applies.", "Error")]
    [found] = read_at(law(ACT, *rows), "1:1", "section 6(1) of the Windmills Act 1990", "gb")
    assert found.urns == ()


def test_name_that_the_document_gives_stands_for_the_law_alone() -> None:
    found = read_at(law(ACT, *sample()), "1:1", "a benefit under the 1990 Act; “the 1990 Act 1991”", "gb")
    assert [(reference.urns, reference.text) for reference in found] == [(("urn:lex:gb:ukpga-1990-7",), "1990 Act")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("earnings as in the 1990 Act (see sections 3(1) and 12)", [("3:1", True), ("12", True)]),
        (
            "section 47(1) of the Windmills Act 1990 (which limits section 46(1) to a person)",
            [("47:1", True), ("46:1", False)],
        ),
    ],
)
def test_bracket_after_a_law_speaks_of_that_law(text: str, expected: list[tuple[str, bool]]) -> None:
    found = read_at(law(ACT, *sample()), "1:1", text, "gb")
    given = [(urn, reference.confident) for reference in found for urn in reference.urns if urn.count(":") > 3]
    assert given == [(f"urn:lex:gb:ukpga-1990-7:{urn}", sure) for urn, sure in expected]


def test_line_at_the_head_of_a_schedule_is_a_section_of_its_own_act() -> None:
    rows = [*sample(), ("sch.2", "schedule", "Section 3", "Minor and consequential amendments")]
    [found] = read_at(law(ACT, *rows), "sch.2", "Section 3\nShort title | Extent", "gb")
    assert (found.urns, found.confident) == ((f"{ACT}:3",), True)


def test_parts_below_in_that_schedule_are_parts_of_it() -> None:
    rows = [*sample(), ("sch.2", "schedule"), ("sch.2:part_1", "part"), ("sch.2:part_2", "part")]
    text = "Schedule 2 has effect and in that Schedule—\nPart 1 makes provision;\nPart 2 makes more."
    found = read_at(law(ACT, *rows), "1:1", text, "gb")
    assert [below(law(ACT, *rows), reference.urns) for reference in found if reference.text[:4] == "Part"] == [
        ("sch.2:part_1",),
        ("sch.2:part_2",),
    ]


def test_sections_listed_below_provisions_of_an_act_are_its_own() -> None:
    rows = [*sample(), ("6", "section", "These provisions of the 1990 Act, namely—"), ("6:a", "paragraph")]
    [found] = read_at(law(ACT, *rows), "6:a", "section 172 (references to kites)", "gb")
    assert found.urns == ("urn:lex:gb:ukpga-1990-7:172",)


def test_own_provision_where_the_amended_law_is_not_named_is_a_reading_only() -> None:
    rows = [*sample(), ("6", "section", "Schedule 1 has effect.", "Repeals"), ("6:1", "subsection")]
    found = read_at(law(ACT, *rows), "6:1", "The repeals in Schedule 1 and section 99", "gb")
    assert [(reference.urns, reference.confident) for reference in found] == [((f"{ACT}:sch.1",), False), ((), False)]


def test_number_in_brackets_goes_on_with_a_list_where_the_act_has_it() -> None:
    found = read_at(
        law(ACT, *sample()), "2:1", "section 1(1) and (2) where kites fly, section 1(1) and (9) where", "gb"
    )
    assert [below(law(ACT, *sample()), reference.urns) for reference in found] == [("1:1", "1:2"), ("1:1",)]


def test_bare_section_in_amending_words_is_one_of_the_amended_act() -> None:
    found = read_at(law(ACT, *sample()), "5:1", "In section 2, after subsection (1) insert—", "gb")
    assert [(reference.urns, reference.confident) for reference in found] == [
        (("urn:lex:gb:ukpga-1990-7:2",), False),
        ((), False),
    ]


def test_section_that_the_act_does_not_have_is_no_target() -> None:
    [found] = read_at(law(ACT, *sample()), "1:1", "section 77", "gb")
    assert (found.urns, found.confident) == ((), False)


@pytest.mark.parametrize("text", ["section 1 of the Charter of Windmills", "paragraph (a) of the definition of “kite”"])
def test_provision_of_something_unknown_is_not_one_of_this_act(text: str) -> None:
    found = read_at(law(ACT, *sample()), "1:1", text, "gb")
    assert [reference.urns for reference in found if reference.confident and reference.urns] == []


def test_law_after_a_comma_need_not_hold_the_section_before_it() -> None:
    found = read_at(law(ACT, *sample()), "1:1", "Under section 2, the Theft Act 1968 applies.", "gb")
    assert [reference.urns for reference in found] == [(f"{ACT}:2",), ("urn:lex:gb:ukpga-1968-60",)]


def test_that_act_is_the_last_one_named() -> None:
    found = read_at(law(ACT, *sample()), "1:1", "made under the Theft Act 1968; section 3 of that Act", "gb")
    assert [reference.urns for reference in found] == [("urn:lex:gb:ukpga-1968-60",), ("urn:lex:gb:ukpga-1968-60:3",)]


def test_that_section_is_the_section_and_not_its_subsection() -> None:
    text = "paragraph (a) of section 3 and section 1(2); and in subsection (1) of that section and that subsection"
    found = read_at(law(ACT, *sample()), "2:1", text, "gb")
    assert [below(law(ACT, *sample()), reference.urns) for reference in found[1:]] == [("1:2",), ("1:1",), ("1:1",)]


_PIECES = st.sampled_from([
    "section ", "s. ", "1", "(2)", "(a)", " of ", "the ", "Theft ", "Act 1968", ", ", " and ", "Sch 2 ", "[2024] ",
    "UKSC 1", "SI 2013/3134", "this ", "Part I", "that Act", "\u00a0", "\ud800", "\x00", "\u202e", "Ⅳ", "ſ", "“",
    "1990 c. 7", "(1990) ", "CPR 3.4",
])  # fmt: skip


@given(st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=40).map("".join))
def test_any_text_gives_ordered_references_with_sound_urns(text: str) -> None:
    for found in (GB.find_references(text, None), read_at(law(ACT, *sample()), "1:1:a", text, "gb")):
        assert all(reference.text == text[reference.start : reference.end] for reference in found)
        assert all(first.end <= second.start for first, second in pairwise(found))
        assert all(parse_urn(urn).text == urn for reference in found for urn in reference.urns)
        assert all(
            reference.start <= part.start <= part.end <= reference.end
            for reference in found
            for part in reference.parts
        )
    for query in GB.tag_queries(text):
        assert query.tag_filters.filters


@pytest.mark.data
@pytest.mark.thorough
def test_references_of_published_acts_exist_where_they_are_certain(shared_data: Path) -> None:
    wanted = existing = 0
    for document in published(shared_data / "uk-clml"):
        if document.urn != document.corpus.urn:
            continue  # of a fragment the rest of the act is not there
        for _, found, index in citations(document, "gb"):
            own = [urn for urn in found.urns if found.confident and urn.startswith(f"{document.urn}:")]
            wanted += len(own)
            existing += sum(index.node(urn) is not None for urn in own)
    assert wanted > 1500
    assert existing / wanted >= 0.98


@pytest.mark.data
def test_every_judgment_names_itself_by_its_urn(shared_data: Path) -> None:
    documents = published(shared_data / "uk-judgments-akn")
    named = [any(document.urn in found.urns for _, found, _ in citations(document, "gb")) for document in documents]
    assert len(named) == 12
    assert all(named)
