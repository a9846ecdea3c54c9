from __future__ import annotations

from itertools import pairwise

import pytest
from annotation_documents import CFR, DC, C, T, cfr, cfr_document, dc_document, document, node, par
from hypothesis import given
from hypothesis import strategies as st

from rag.jurisdictions.registry import jurisdiction_for
from rag.law.designators import continue_path, read_designators
from rag.law.jurisdiction import DocumentIndex, FoundReference, ReferenceContext
from rag.law.nodes import ParsedDocument

US, USDC, USMA = (jurisdiction_for(code) for code in ("us", "us-dc", "us-ma"))
SECTION = f"{DC}:98-301"


def in_dc(text: str, at: str = f"{SECTION}:a:1") -> list[tuple[str, ...]]:
    parsed = dc_document(
        par("a", level="subsection"), par("a:1"), par("a:1:b", level="subparagraph"), par("a:2"), par("a:4"),
        par("a:7"), par("b", level="subsection"), par("b:1"),
    )  # fmt: skip
    return resolved(parsed, at, text, "us-dc")


def in_cfr(text: str, at: str = f"{CFR}:10.1:a:1") -> list[tuple[str, ...]]:
    paths = ("10.1", "10.1:a", "10.1:a:1", "10.1:a:1:i", "10.1:a:2", "10.1:b", "10.1:c", "10.2")
    return resolved(cfr_document(*(cfr(path) for path in paths)), at, text, "us")


def resolved(parsed: ParsedDocument, at: str, text: str, jurisdiction: str) -> list[tuple[str, ...]]:
    index = DocumentIndex(parsed)
    here = index.node(at)
    assert here is not None
    return [
        reference.urns
        for reference in jurisdiction_for(jurisdiction).find_references(text, ReferenceContext(here, index))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("this section", [(SECTION,)]),
        ("this subsection", [(f"{SECTION}:a",)]),
        ("this chapter", [(C,)]),
        ("this title", [(T,)]),
        ("subsection (b) of this section", [(f"{SECTION}:b",)]),
        ("subsection (a)(4) and (7) of this section", [(f"{SECTION}:a:4", f"{SECTION}:a:7")]),
        ("paragraph (2) of this subsection", [(f"{SECTION}:a:2",)]),
        ("paragraph (2)", [(f"{SECTION}:a:2",)]),
        ("subparagraph (B) of this paragraph", [(f"{SECTION}:a:1:b",)]),
        ("paragraph (1) of subsection (b)", [(f"{SECTION}:b:1",)]),
        ("paragraphs (1) through (4) of this subsection", [(f"{SECTION}:a:1", f"{SECTION}:a:4")]),
        ("§§ 98-302 and 98-401", [(f"{DC}:98-302", f"{DC}:98-401")]),
        ("§§ 98-302 [repealed], 98-401, and 98-402", [(f"{DC}:98-302", f"{DC}:98-401", f"{DC}:98-402")]),
        ("Chapter 4 of this title", [(f"{T}:chapter_4",)]),
        ("subchapter III of this chapter", [(f"{C}:subchapter_iii",)]),
        ("section 5 of the Clayton Act", [()]),
        ("within 5 days of section 98-302 and 10 days", [(f"{DC}:98-302",)]),
    ],
)
def test_reference_is_read_from_its_place_in_the_district_code(text: str, expected: list[tuple[str, ...]]) -> None:
    assert in_dc(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("paragraph (a)(2) of this section", [(f"{CFR}:10.1:a:2",)]),
        ("paragraph (b)", [(f"{CFR}:10.1:b",)]),
        ("paragraph (i) of this paragraph", [(f"{CFR}:10.1:a:1:i",)]),
        ("this paragraph (a)(1)", [(f"{CFR}:10.1:a:1",)]),
        ("98 CFR 10.1 (a), (b) and (c)", [(f"{CFR}:10.1:a", f"{CFR}:10.1:b", f"{CFR}:10.1:c")]),
        ("§ 10.2", [(f"{CFR}:10.2",)]),
        ("this part", [(f"{CFR}:part_10",)]),
        ("part 114", [(f"{CFR}:part_114",)]),
        ("subpart A of this part", [(f"{CFR}:part_10:subpart_a",)]),
        ("section 315 of the Act", [()]),
    ],
)
def test_reference_is_read_from_its_place_in_regulations(text: str, expected: list[tuple[str, ...]]) -> None:
    assert in_cfr(text) == expected


STATE_ACT = "urn:lex:us-ny:sample-act"


def in_state_act(text: str) -> list[FoundReference]:
    """An act that no module knows: title 1 with sections 1.01 to 1.03, title II with 2.01, which the text is in."""
    one, two = f"{STATE_ACT}:title_1", f"{STATE_ACT}:title_ii"
    parsed = document(
        STATE_ACT,
        node(STATE_ACT, None, "part"),
        node(one, STATE_ACT, "title"),
        node(f"{STATE_ACT}:1.01", one, "section"),
        node(f"{STATE_ACT}:1.02", one, "section"),
        node(f"{STATE_ACT}:1.02:a", f"{STATE_ACT}:1.02", "subsection"),
        node(f"{STATE_ACT}:1.03", one, "section"),
        node(two, STATE_ACT, "title"),
        node(f"{STATE_ACT}:2.01", two, "section"),
    )
    parsed.nodes[1].number = "title_1"  # as a source without printed numbers gives it
    index = DocumentIndex(parsed)
    here = index.node(f"{STATE_ACT}:2.01")
    assert here is not None
    return jurisdiction_for("us-ny").find_references(text, ReferenceContext(here, index))


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        ("Title 1 does not apply to the Federal Government.", ["title_1"]),
        ("except as title II provides", ["title_ii"]),
        ("section 1.02 of title 1", ["1.02"]),
        ("section 1.02", ["1.02"]),
        ("Section 1.02(a) shall not apply.", ["1.02:a"]),
        ("Sections 1.01 through 1.03 shall not apply.", ["1.01", "1.03"]),
        ("sections 1.01, 1.02, and 2.01", ["1.01", "1.02", "2.01"]),
    ],
)
def test_act_of_no_known_code_is_read_by_its_own_containers_and_numbers(text: str, urns: list[str]) -> None:
    [found] = in_state_act(text)
    assert [urn.removeprefix(f"{STATE_ACT}:") for urn in found.urns] == urns
    assert (found.kind, found.confident) == ("relative", True)


@pytest.mark.parametrize(
    "text",
    ["Title 17 does not apply.", "section 106 of title 17", "section 9.99", "section 9.99 of title 1", "section 1.x"],
)
def test_title_or_section_that_an_act_of_no_known_code_lacks_is_never_certain(text: str) -> None:
    found = in_state_act(text)
    assert not any(reference.confident and reference.urns for reference in found)
    assert not any(urn.startswith("urn:lex:us:") for reference in found for urn in reference.urns)


def test_title_of_a_named_code_is_read_in_any_law() -> None:
    [found] = in_state_act("section 106 of title 17, United States Code")
    assert (found.urns, found.kind, found.confident) == (("urn:lex:us:17usc:106",), "explicit", True)


@pytest.mark.parametrize("corpus", ["urn:lex:us:98usc", CFR])
def test_title_without_a_code_is_of_the_united_states_code_in_federal_codes(corpus: str) -> None:
    parsed = document(corpus, node(corpus, None, "title"), node(f"{corpus}:10.1", corpus, "section"))
    assert resolved(parsed, f"{corpus}:10.1", "section 106 of title 17", "us") == [("urn:lex:us:17usc:106",)]


def test_title_in_other_law_of_the_district_is_not_of_its_code() -> None:
    corpus = "urn:lex:us-dc:sample-act"
    parsed = document(corpus, node(corpus, None, "part"), node(f"{corpus}:5", corpus, "section"))
    assert resolved(parsed, f"{corpus}:5", "Title 28 and chapter 2 of Title 28", "us-dc") == [()]


def test_undesignated_level_is_reached_over_its_alias() -> None:
    paragraph = par("a:5")
    paragraph.aliases.append(f"{SECTION}:5")
    parsed = dc_document(par("a"), paragraph)
    assert resolved(parsed, f"{SECTION}:a", "§ 98-301(5)", "us-dc") == [(f"{SECTION}:a:5",)]


def test_capital_and_small_designators_are_told_apart_by_print() -> None:
    parsed = dc_document(par("a"), par("a:1"), par("a:1:b", level="subparagraph"), par("b"))
    for place_ in parsed.nodes:
        if place_.urn.endswith(":1:b"):
            place_.number = "B"
    assert resolved(parsed, f"{SECTION}:a:1", "paragraph (b)", "us-dc") == [(f"{SECTION}:b",)]
    assert resolved(parsed, f"{SECTION}:a:1", "subparagraph (B)", "us-dc") == [(f"{SECTION}:a:1:b",)]


def test_relative_references_of_a_question_are_left_out() -> None:
    assert USDC.find_references("May I under this section and paragraph (b) keep the deposit?", None) == []


def test_enumeration_of_the_sentence_is_no_list_of_subsections() -> None:
    found = USDC.find_references("made under § 98-302(e), and (ii) which is late", None)
    assert [reference.urns for reference in found] == [(f"{DC}:98-302:e",)]


def test_ends_of_a_range_are_marked() -> None:
    [found] = USDC.find_references("§§ 98-302(f) through 98-319", None)
    assert [part.range for part in found.parts] == ["start", "end"]


@pytest.mark.parametrize(
    "text",
    [
        "D.C. Law 1-76",
        "50 U.S.C. App. 595",
        "85 FR 55292",
        "410 U.S. 113",
        "D.C. Code, 1973 ed., § 45-1644",
        "14 DCMR § 308",
    ],
)
def test_law_without_urn_scheme_is_recognised_as_external(text: str) -> None:
    [found] = USDC.find_references(text, None)
    assert (found.kind, found.urns, found.text) == ("external", (), text)


@pytest.mark.parametrize(
    ("text", "urn"),
    [
        ("38 CFR Part 74.2", "urn:lex:us:38cfr:74.2"),
        ("5CFR, part 575", "urn:lex:us:5cfr:part_575"),
        ("47 CFR 54.506 (c)", "urn:lex:us:47cfr:54.506:c"),
        ("47 CFR 54.506 (whatever)", "urn:lex:us:47cfr:54.506"),
        ("43 C.F.R. §8360.0–7", "urn:lex:us:43cfr:8360.0-7"),
        ("17 CFR § 240.10b-21", "urn:lex:us:17cfr:240.10b-21"),
        ("41 CFR §109-38.301-1.50", "urn:lex:us:41cfr:109-38.301-1.50"),
        ("48 CFR 53.303-DD-254", "urn:lex:us:48cfr:53.303-dd-254"),
        ("5 usc 552", "urn:lex:us:5usc:552"),
        ("5 U.S.C. 552(a)(1)(E)", "urn:lex:us:5usc:552:a:1:e"),
        ("section 5362-10c(5) of title 31", "urn:lex:us:31usc:5362-10c:5"),
        ("section 89, title 14", "urn:lex:us:14usc:89"),
    ],
)
def test_published_spellings_of_federal_references_are_read(text: str, urn: str) -> None:
    assert [reference.urns for reference in US.find_references(text, None)] == [(urn,)]


def test_section_of_the_general_laws_is_read_inside_its_chapter() -> None:
    corpus = "urn:lex:ma:mgl-93a"
    parsed = document(corpus, node(corpus, None, "chapter"), node(f"{corpus}:2", corpus, "section"))
    assert resolved(parsed, f"{corpus}:2", "section 2 and chapter 186", "us-ma") == [
        (f"{corpus}:2",),
        ("urn:lex:ma:mgl-186",),
    ]


def test_reading_that_the_document_does_not_confirm_is_not_confident() -> None:
    parsed = dc_document(par("a"))
    index = DocumentIndex(parsed)
    here = ReferenceContext(parsed.nodes[3], index)
    [missing] = USDC.find_references("subsection (z) of this section", here)
    [present] = USDC.find_references("subsection (a) of this section", here)
    assert (missing.confident, present.confident) == (False, True)


@given(st.text(max_size=200))
def test_any_text_gives_ordered_references_that_quote_it(text: str) -> None:
    for jurisdiction in (US, USDC, USMA):
        found = jurisdiction.find_references(text, None)
        assert all(reference.text == text[reference.start : reference.end] for reference in found)
        assert all(first.end <= second.start for first, second in pairwise(found))


_DESIGNATOR = st.sampled_from(["a", "b", "1", "12", "i", "iv", "A", "B", "a-1", "aa"])


@given(st.lists(_DESIGNATOR, min_size=1, max_size=5))
def test_designators_are_read_back_as_printed(path: list[str]) -> None:
    text = "".join(f"({name})" for name in path)
    assert read_designators(text, 0) == (tuple(path), len(text))


@pytest.mark.parametrize(
    ("previous", "following", "expected"),
    [
        (("a", "1"), ("2",), ("a", "2")),
        (("a", "1"), ("b",), ("b",)),
        (("a", "1", "i"), ("iv",), ("a", "1", "iv")),
        (("a", "1"), ("b", "3"), ("b", "3")),
        (("a",), ("2",), None),
        (("e",), ("ii",), None),
    ],
)
def test_list_member_continues_the_level_of_its_kind(
    previous: tuple[str, ...], following: tuple[str, ...], expected: tuple[str, ...] | None
) -> None:
    assert continue_path(previous, following, None) == expected


@pytest.mark.parametrize(
    ("text", "urns", "confident"),
    [
        ("41 U.S.C. 10a-10c", ["41usc:10a", "41usc:10c"], True),
        ("7 U.S.C. §§ 2011–2030", ["7usc:2011", "7usc:2030"], True),
        ("42 U.S.C. 288–1(a)", ["42usc:288-1:a"], True),
        ("42 U.S.C. 2000e-5", ["42usc:2000e-5"], True),
        ("16 USC 460nnn-101", ["16usc:460nnn-101"], True),
        ("15 U.S.C. § 2051-83", ["15usc:2051-83"], False),
        ("31 U.S.C. 5318A(b)(1)-(5)", ["31usc:5318a:b:1", "31usc:5318a:b:5"], True),
        ("7 U.S.C. 612c note", ["7usc:612c"], False),
        ("Section 14123(a)(2) of 49 U.S.C.", ["49usc:14123:a:2"], True),
        ("Treas. Reg. § 1.42-1T", ["26cfr:1.42-1t"], True),
        ("Pub.L.No. 105 – 33", ["pl-105-33"], True),
        ("section 4402(e)(1) of PL 107–171", ["pl-107-171:4402:e:1"], True),
    ],
)
def test_form_that_misleads_is_read_as_what_it_names(text: str, urns: list[str], confident: bool) -> None:
    [found] = US.find_references(text, None)
    assert ([urn.removeprefix("urn:lex:us:") for urn in found.urns], found.confident) == (urns, confident)


def test_section_of_an_act_with_divisions_is_not_addressed() -> None:
    [found] = US.find_references("Pub. L. 116-260, div. BB, title I, § 102", None)
    assert (found.urns, found.kind) == ((), "external")


def test_number_after_a_public_law_is_no_section_of_it() -> None:
    [found] = US.find_references("Pub. L. 105-33 5 years later", None)
    assert found.urns == ("urn:lex:us:pl-105-33",)


@pytest.mark.parametrize(
    "text", ["486329", "12", "310.4 and more", "§ 310.4 applies", "1990-2000", "3.5%", "1.2.3.4.5"]
)
def test_number_that_may_be_anything_is_no_bare_section(text: str) -> None:
    assert US.tag_queries(text) == []


@pytest.mark.parametrize("text", ["I paid 347 dollars on May 483", "In re 5", "section 5 of the Clayton Act", "A 1"])
def test_words_with_numbers_are_no_decision(text: str) -> None:
    assert [tag_query for tag_query in US.tag_queries(text) if tag_query.kind == "decision"] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("21 D.C. (Tuck. & Cl.) 456", "21 D.C. 456"), ("1 Ill. (Breese) 456", "1 Ill. 456"),
        ("24 S.C.L. (Rice) 456", "24 S.C.L. 456"), ("19 Tenn. (Meigs) 456", "19 Tenn. 456"),
        ("17 S.C. Eq. (Speers Eq.) 456", "17 S.C. Eq. 456"),
    ],
)  # fmt: skip
def test_of_two_reporters_the_first_names_the_decision_in_every_process(text: str, name: str) -> None:
    [query] = US.tag_queries(text)
    assert name in query.tag_filters.filters[0].values
