from __future__ import annotations

from itertools import pairwise

import pytest
from annotation_documents import CFR, DC, C, T, annotated, cfr, cfr_document, dc_document, document, node, par
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.scopes import sentence_spans

SECTION = f"{DC}:98-301"


@pytest.mark.parametrize(
    ("intro", "text", "scope", "inferred"),
    [
        ("For the purposes of this chapter, the term:", "“Rack” means a frame.", C, False),
        ("As used in this title:", "“Rack” means a frame.", T, False),
        ("", "In this section, “rack” means a frame.", SECTION, False),
        ("", "“Rack,” as used in this chapter, means a frame.", C, False),
        ("", "“Rack”, in this chapter, means a frame.", C, False),
        ("For purposes of this chapter:", "For purposes of this paragraph, “rack” means a bar.", f"{SECTION}:1", False),
        ("", "When found in this chapter, “rack” means a frame.", C, False),
        ("", "For the purposes of paragraph (2) of this section, “rack” means a bar.", f"{SECTION}:2", False),
        ("", "“Rack,” except as otherwise provided in § 98-302, means a frame.", C, True),
        ("", "“Rack”, except as used in § 98-302, means a frame.", C, True),
        ("", "In this section a bar is free. “Rack” means a frame.", SECTION, False),
        ("Words defined in this section, when used in this chapter, mean:", "“Rack” means a frame.", C, False),
        ("The words defined in this section are these terms:", "“Rack” means a frame.", C, True),
        ("For the purposes of this subchapter, the term:", "“Rack” means a frame.", C, True),
        ("For the purposes of this Act, the term:", "“Rack” means a frame.", C, True),
        ("", "“Rack” means a frame, or, for the purposes of this paragraph, a hook.", C, True),
    ],
)  # fmt: skip
def test_phrase_decides_the_scope(intro: str, text: str, scope: str, inferred: bool) -> None:
    parsed = dc_document(par("1", text), par("2", "A hook is not enough."), intro=intro)
    definition = annotated(parsed).definitions[0]
    assert (definition.scope_urn, definition.inferred) == (scope, inferred)


def test_unit_that_the_document_lacks_keeps_its_words_as_evidence() -> None:
    parsed = dc_document(par("1", "“Rack” means a frame."), intro="For the purposes of this subchapter, the term:")
    definition = annotated(parsed).definitions[0]
    assert definition.inferred
    assert definition.phrase == "" or "this subchapter" in definition.phrase


def test_heading_gives_the_scope() -> None:
    parsed = dc_document(par("1", "“Rack” means a frame."), heading="Definitions for this title")
    assert annotated(parsed).definitions[0].scope_urn == T


def test_sentence_elsewhere_in_the_section_gives_the_scope() -> None:
    parsed = dc_document(
        par("a", "“Rack” means a frame."), par("b", "The definitions in this section apply throughout this title.")
    )
    definition = annotated(parsed).definitions[0]
    assert (definition.scope_urn, definition.inferred) == (T, False)


def test_two_named_units_are_two_scopes() -> None:
    parsed = dc_document(par("1", "“Rack” means a frame."), intro="For the purposes of §§ 98-302 and 98-401, the term:")
    assert [one.scope_urn for one in annotated(parsed).definitions] == [f"{DC}:98-302", f"{DC}:98-401"]


def test_range_of_sections_is_expanded_by_the_order_of_the_nodes() -> None:
    sections = [node(f"{DC}:98-30{n}", C, "section", "A rack is needed.") for n in ("3", "3a", "4")]
    parsed = document(
        DC,
        node(T, None, "title"),
        node(C, T, "chapter"),
        *sections,
        node(f"{DC}:98-305", C, "section", "For purposes of §§ 98-303 through 98-304, “rack” means a frame."),
    )
    assert [one.scope_urn for one in annotated(parsed).definitions] == [one.urn for one in sections]


def test_inline_definition_without_phrase_governs_its_section() -> None:
    parsed = dc_document(par("a", "The office for racks (“Office”) is open."), heading="Office.")
    definition = annotated(parsed).definitions[0]
    assert (definition.scope_urn, definition.inferred) == (SECTION, True)


def test_definition_outside_a_definitions_section_governs_its_section() -> None:
    parsed = dc_document(par("a", "The term “rack” means a frame."), heading="Duties.")
    definition = annotated(parsed).definitions[0]
    assert (definition.scope_urn, definition.inferred) == (SECTION, True)


def test_regulation_definitions_without_phrase_govern_the_part_when_early_and_the_subpart_when_late() -> None:
    sections = [cfr(f"10.{n}", "Racks are safe.", heading="Safety.") for n in range(2, 6)]
    early = annotated(cfr_document(cfr("10.1", "*Rack* means a frame.", heading="Definitions."), *sections), "us")
    late = annotated(cfr_document(*sections, cfr("10.9", "*Rack* means a frame.", heading="Definitions.")), "us")
    assert [one.scope_urn for one in early.definitions] == [f"{CFR}:part_10"]
    assert [one.scope_urn for one in late.definitions] == [f"{CFR}:part_10:subpart_a"]
    assert all(one.inferred for one in (*early.definitions, *late.definitions))


def test_code_definitions_without_phrase_govern_the_widest_container_they_open() -> None:
    sub = f"{C}:subchapter_i"
    parsed = document(
        DC,
        node(T, None, "title"),
        node(C, T, "chapter"),
        node(sub, C, "subchapter"),
        node(f"{DC}:98-301", sub, "section", "“Rack” means a frame.", heading="Definitions."),
    )
    assert annotated(parsed).definitions[0].scope_urn == C


def test_definitions_of_a_general_part_govern_what_that_part_opens() -> None:
    general = f"{C}:part_1"
    parsed = document(
        DC,
        node(T, None, "title"),
        node(C, T, "chapter"),
        node(general, C, "part", heading="General Provisions"),
        *(node(f"{DC}:98-30{n}", general, "section", "Racks are safe.", heading="Safety.") for n in range(1, 5)),
        node(f"{DC}:98-306", general, "section", "“Rack” means a frame.", heading="Definitions."),
    )
    assert annotated(parsed).definitions[0].scope_urn == C


def test_scope_of_every_definition_is_a_node_of_the_document() -> None:
    parsed = annotated(dc_document(par("1", "For purposes of § 12-999, “rack” means a frame.")))
    known = {one.urn for one in parsed.nodes}
    assert parsed.definitions
    assert all(one.scope_urn in known for one in parsed.definitions)


@given(st.text(alphabet="Ab .;:\n(“§1", max_size=60))
def test_sentences_cover_the_text_in_order_without_overlap(text: str) -> None:
    spans = sentence_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()).strip('"”)') == "".join(text.split()).strip('"”)')
