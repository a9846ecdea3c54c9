from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from annotation_documents import CFR, DC, C, T, annotated, cfr, cfr_document, dc_document, document, node, par
from hypothesis import given
from hypothesis import strategies as st

from rag.law.nodes import ParsedDocument, ParsedNode
from rag.law.scope_windows import sentence_spans

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
        ("", "“Rack”, except as used in § 98-302, means a frame.", SECTION, True),
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


@pytest.mark.parametrize(
    ("level", "structure", "unit", "whole"),
    [
        ("act", "ROOT", "this Act", True),
        ("public law", "ROOT", "this Act", True),
        ("law", "ROOT", "these Regulations", True),
        ("regulation", "ROOT", "this Regulation", True),
        ("code", "ROOT", "this Act", False),
        ("title", "TITLE", "this Act", False),
    ],
)
def test_this_act_is_the_document_that_is_one(level: str, structure: str, unit: str, whole: bool) -> None:
    law = "urn:lex:us-ny:rack-act"
    root = replace(node(law, None, "title"), level=level, structure_type=structure)
    section = node(f"{law}:3", law, "section", f"In {unit}, “rack” means a frame.", heading="Racks.")
    hook = node(f"{law}:4", law, "section", f"A hook within {unit} is free. “Hook” means a bar.", heading="Hooks.")
    found = annotated(document(law, root, section, hook), "us-ny").definitions
    assert [definition.scope_urn for definition in found] == [law if whole else f"{law}:3", f"{law}:4"]
    assert [definition.inferred for definition in found] == [not whole, True]


@pytest.mark.parametrize("number", ["1.03", "103"])
def test_provision_that_a_definition_excepts_is_not_in_its_scope(number: str) -> None:
    law = "urn:lex:us-ny:rack-act"
    part = f"{law}:part_1"
    text = f"“Rack”, except as used in section {number}, means a frame. “Hook” means a bar."
    parsed = document(
        law,
        replace(node(law, None, "title"), level="act", structure_type="ROOT"),
        node(part, law, "part"),
        node(f"{law}:1.01", part, "section", intro="As used in this part:", heading="Definitions."),
        node(f"{law}:1.01:a", f"{law}:1.01", "paragraph", text),
        node(f"{law}:1.02", part, "section", "A rack is free."),
        node(f"{law}:{number}", part, "section", "A rack is a shelf."),
    )
    found = [
        (definition.term, definition.scope_urn, definition.inferred)
        for definition in annotated(parsed, "us-ny").definitions
    ]
    assert found == [("Rack", f"{law}:1.01", False), ("Rack", f"{law}:1.02", False), ("Hook", part, False)]
    assert parsed.definitions[0].phrase == f"As used in this part, except as used in section {number}"
    assert f"{law}:{number}" not in parsed.used_terms


def test_exception_from_too_wide_a_scope_leaves_it_whole_and_marks_it() -> None:
    parsed = dc_document(par("1", "“Rack”, except as used in § 98-302, means a frame."))
    parsed.nodes.extend(node(f"{DC}:98-303{n}", C, "section", "A rack is free.") for n in range(70))
    definition = annotated(parsed).definitions[0]
    assert (definition.scope_urn, definition.inferred) == (C, True)
    assert definition.phrase == "except as used in § 98-302"


def test_unit_that_the_document_lacks_keeps_its_words_as_evidence() -> None:
    parsed = dc_document(par("1", "“Rack” means a frame."), intro="For the purposes of this subchapter, the term:")
    definition = annotated(parsed).definitions[0]
    assert definition.inferred
    assert definition.phrase == "" or "this subchapter" in definition.phrase


def test_lead_in_is_only_a_guess_for_a_term_that_names_a_unit_which_the_document_lacks() -> None:
    text = "“Rack”, for purposes of subchapter IX of this chapter, means a frame."
    [one] = annotated(dc_document(par("1", text), intro="In this chapter, the term:")).definitions
    assert (one.scope_urn, one.inferred) == (C, True)
    assert one.phrase.startswith("for purposes of subchapter IX")


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
    assert [definition.scope_urn for definition in annotated(parsed).definitions] == [f"{DC}:98-302", f"{DC}:98-401"]


@pytest.mark.parametrize(
    ("intro", "scopes"),
    [
        ("For the purposes of § 98-302—", [f"{DC}:98-302"]),
        ("In section 98-302:", [f"{DC}:98-302"]),
        ("In this section and section 98-302—", [f"{DC}:98-301", f"{DC}:98-302"]),
    ],
)
def test_a_lead_in_that_only_names_sections_gives_the_scope(intro: str, scopes: list[str]) -> None:
    found = annotated(dc_document(par("1", "“Rack” means a frame."), intro=intro)).definitions
    assert [(definition.scope_urn, definition.inferred) for definition in found] == [(urn, False) for urn in scopes]


def test_range_of_sections_is_expanded_by_the_order_of_the_nodes() -> None:
    sections = [node(f"{DC}:98-30{n}", C, "section", "A rack is needed.") for n in ("3", "3a", "4")]
    parsed = document(
        DC,
        node(T, None, "title"),
        node(C, T, "chapter"),
        *sections,
        node(f"{DC}:98-305", C, "section", "For purposes of §§ 98-303 through 98-304, “rack” means a frame."),
    )
    assert [definition.scope_urn for definition in annotated(parsed).definitions] == [
        section.urn for section in sections
    ]


def test_inline_definition_without_phrase_governs_its_section() -> None:
    parsed = dc_document(par("a", "The office for racks (“Office”) is open."), heading="Office.")
    definition = annotated(parsed).definitions[0]
    assert (definition.scope_urn, definition.inferred) == (SECTION, True)


def test_inline_definition_below_a_lead_in_has_the_scope_that_the_lead_in_states() -> None:
    text = "A frame that a keeper (“holder”) owns is safe."
    stated = annotated(dc_document(par("1", text), intro="For the purposes of this chapter:"))
    silent = annotated(dc_document(par("1", text), intro="A frame is safe where:"))
    assert [(definition.term, definition.scope_urn, definition.inferred) for definition in stated.definitions] == [
        ("holder", C, False)
    ]
    assert [(definition.term, definition.scope_urn, definition.inferred) for definition in silent.definitions] == [
        ("holder", SECTION, True)
    ]


def test_definition_outside_a_definitions_section_governs_its_section() -> None:
    parsed = dc_document(par("a", "The term “rack” means a frame."), heading="Duties.")
    definition = annotated(parsed).definitions[0]
    assert (definition.scope_urn, definition.inferred) == (SECTION, True)


def test_regulation_definitions_without_phrase_govern_the_part_when_early_and_the_subpart_when_late() -> None:
    sections = [cfr(f"10.{n}", "Racks are safe.", heading="Safety.") for n in range(2, 6)]
    early = annotated(cfr_document(cfr("10.1", "*Rack* means a frame.", heading="Definitions."), *sections), "us")
    late = annotated(cfr_document(*sections, cfr("10.9", "*Rack* means a frame.", heading="Definitions.")), "us")
    assert [definition.scope_urn for definition in early.definitions] == [f"{CFR}:part_10"]
    assert [definition.scope_urn for definition in late.definitions] == [f"{CFR}:part_10:subpart_a"]
    assert all(definition.inferred for definition in (*early.definitions, *late.definitions))


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


def only_scope(parsed: ParsedDocument, jurisdiction: str = "us-dc") -> str:
    [definition] = annotated(parsed, jurisdiction).definitions
    assert definition.inferred
    return definition.scope_urn


def test_captioned_paragraph_inside_a_subsection_governs_the_subsection() -> None:
    text = "The term “rack” means a frame."
    deep = dc_document(par("a", intro="Rules:"), par("a:4", text, heading="Definition."), heading="Duties.")
    top = dc_document(par("e", text, heading="Definitions."), heading="Duties.")
    general = dc_document(par("e", text, heading="Definitions."), heading="Miscellaneous provisions.")
    top.nodes.insert(2, node(f"{DC}:98-300", C, "section", "Racks are safe.", heading="Safety."))
    assert only_scope(deep) == f"{SECTION}:a"
    assert only_scope(top) == SECTION
    assert only_scope(general) == C


def test_captioned_paragraph_of_the_section_that_opens_a_chapter_governs_the_chapter() -> None:
    assert only_scope(dc_document(par("b", "“Rack” means a frame.", heading="Definitions."), heading="Racks.")) == C


def test_term_defined_deep_among_rules_governs_its_subsection() -> None:
    parsed = dc_document(
        par("b", intro="Racks:"), par("b:1", intro="Hooks:"), par("b:1:A", "“Rack” means a frame."), heading="Duties."
    )
    assert only_scope(parsed) == f"{SECTION}:b"


def test_first_section_of_a_title_that_is_a_law_of_its_own_defines_for_the_title() -> None:
    root = "urn:lex:us:98usc"
    parsed = document(
        root,
        node(root, None, "title"),
        node(f"{root}:chapter_1", root, "chapter"),
        node(f"{root}:1", f"{root}:chapter_1", "section", "“Rack” means a frame.", heading="Definitions"),
        node(f"{root}:2", f"{root}:chapter_1", "section", "Racks are safe.", heading="Safety"),
    )
    assert only_scope(parsed, "us") == root


def test_part_that_is_a_document_is_governed_as_a_part() -> None:
    root = f"{CFR}:part_10"
    parsed = document(
        CFR,
        node(root, None, "part"),
        node(f"{root}:subpart_0", root, "subpart"),
        node(f"{CFR}:10.3", f"{root}:subpart_0", "section", "*Rack* means a frame.", heading="Definitions."),
    )
    assert only_scope(parsed, "us") == root


def test_title_of_an_act_is_a_container_and_a_subtitle_that_groups_chapters_is_none() -> None:
    act = "urn:lex:us:pl-98-1"
    titled = document(
        act,
        replace(node(act, None, "part"), level="act", structure_type="ROOT"),
        node(f"{act}:title_i", act, "title"),
        node(f"{act}:101", f"{act}:title_i", "section", "“Rack” means a frame.", heading="definitions"),
    )
    titled.nodes.insert(1, node(f"{act}:1", act, "section", "This is the Rack Act.", heading="short title"))
    assert only_scope(titled, "us") == f"{act}:title_i"
    subtitle = f"{T}:subtitle_i"
    grouped = document(
        DC,
        node(T, None, "title"),
        replace(node(subtitle, T, "chapter"), level="subtitle"),
        node(f"{subtitle}:chapter_1", subtitle, "chapter"),
        node(f"{DC}:98-101", f"{subtitle}:chapter_1", "section", "“Rack” means a frame.", heading="Definitions."),
    )
    assert only_scope(grouped) == f"{subtitle}:chapter_1"


def test_in_a_container_of_definitions_a_section_defines_widely_what_it_is_named_after() -> None:
    part = f"{CFR}:part_10"
    parsed = document(
        CFR,
        node(CFR, None, "title"),
        node(part, CFR, "part", heading="Scope and definitions"),
        node(f"{CFR}:10.6", part, "section", "*Rack* means a frame. *Hook* means a bent nail.", heading="Rack."),
    )
    found = {definition.term: definition.scope_urn for definition in annotated(parsed, "us").definitions}
    assert found == {"Rack": part, "Hook": f"{CFR}:10.6"}


GB = "urn:lex:gb:ukpga-2030-1"


def british(*nodes: ParsedNode) -> ParsedDocument:
    return document(GB, replace(node(GB, None, "part"), level="act", structure_type="ROOT"), *nodes)


def test_british_interpretation_governs_the_act_its_part_or_its_schedule_by_where_it_stands() -> None:
    text = "“Rack” means a frame."
    schedule = replace(node(f"{GB}:sch.1", GB, "part"), level="schedule", structure_type="APPENDIX")
    parsed = british(
        node(f"{GB}:part_1", GB, "part"),
        node(f"{GB}:1", f"{GB}:part_1", "section", "Racks are safe.", heading="Safety"),
        node(f"{GB}:2", f"{GB}:part_1", "section", text, heading="Interpretation"),
        node(f"{GB}:part_2", GB, "part"),
        node(f"{GB}:3", f"{GB}:part_2", "section", text, heading="Interpretation"),
        node(f"{GB}:4", f"{GB}:part_2", "section", "This is the Rack Act.", heading="Title"),
        schedule,
        node(f"{GB}:sch.1:1", f"{GB}:sch.1", "section", text, heading="Interpretation"),
    )
    scopes = {definition.node_urn: definition.scope_urn for definition in annotated(parsed, "gb").definitions}
    assert scopes == {f"{GB}:2": f"{GB}:part_1", f"{GB}:3": GB, f"{GB}:sch.1:1": f"{GB}:sch.1"}


def test_definitions_of_siblings_and_of_one_section_only_stay_where_they_are() -> None:
    parsed = document(
        DC,
        node(T, None, "title"),
        node(C, T, "chapter"),
        *(node(f"{DC}:98-30{n}", C, "section", f"In this section, “rack” means frame {n}. A rack is safe.")
          for n in (1, 2)),
        node(f"{DC}:98-303", C, "section", "A rack is safe."),
    )  # fmt: skip
    done = annotated(parsed)
    assert [(definition.node_urn, definition.scope_urn) for definition in done.definitions] == [
        (f"{DC}:98-30{n}",) * 2 for n in (1, 2)
    ]
    assert done.used_terms == {}


def test_inferred_scope_gives_way_to_one_that_an_index_states() -> None:
    article = f"{DC}:title_98:article_2"
    parsed = document(
        DC,
        node(f"{DC}:title_98", None, "title"),
        node(article, f"{DC}:title_98", "article"),
        node(f"{DC}:98:2-103", article, "section", "Other definitions applying to this article and the sections in "
             "which they appear are:\n“Lot”. § 98:2-105."),
        node(f"{DC}:98:2-105", article, "section", "“Lot” means a parcel.", heading="Goods."),
    )  # fmt: skip
    assert [(definition.scope_urn, definition.inferred) for definition in annotated(parsed).definitions] == [
        (article, False)
    ]


def test_heading_that_begins_with_sections_gives_their_range() -> None:
    parsed = document(
        "urn:lex:us:98usc",
        node("urn:lex:us:98usc", None, "title"),
        *(node(f"urn:lex:us:98usc:{n}", "urn:lex:us:98usc", "section", "Racks are safe.") for n in (1, 2, 3)),
        node("urn:lex:us:98usc:4", "urn:lex:us:98usc", "section", "“Rack” means a frame.",
             heading="Sections 1 to 3: interpretation"),
    )  # fmt: skip
    found = [definition.scope_urn.rpartition(":")[2] for definition in annotated(parsed, "us").definitions]
    assert found == ["1", "2", "3"]


def test_scope_of_every_definition_is_a_node_of_the_document() -> None:
    parsed = annotated(dc_document(par("1", "For purposes of § 12-999, “rack” means a frame.")))
    known = {place_.urn for place_ in parsed.nodes}
    assert parsed.definitions
    assert all(definition.scope_urn in known for definition in parsed.definitions)


@given(st.text(alphabet="Ab .;:\n(“§1", max_size=60))
def test_sentences_cover_the_text_in_order_without_overlap(text: str) -> None:
    spans = sentence_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()).strip('"”)') == "".join(text.split()).strip('"”)')
