from __future__ import annotations

from dataclasses import replace

import pytest
from annotation_documents import CFR, DC, C, annotated, by_form, cfr, cfr_document, dc_document, document, node, par

from rag.law.nodes import Link, Mark

LEAD = "For the purposes of this chapter, the term:"


def found(text: str, **more: str) -> list[tuple[str, str]]:
    parsed = annotated(dc_document(par("1", text, **more), intro=LEAD))
    return [(definition.term, definition.relation) for definition in by_form(parsed)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Rack” means a frame.", [("Rack", "means")]),
        ('"Rack" means a frame.', [("Rack", "means")]),
        ("The term “rack” shall include a frame.", [("rack", "includes")]),
        ("In this section, however, “rack” also means a hook.", [("rack", "includes")]),
        ("The term “rack” does not include a wall hook.", [("rack", "excludes")]),
        ("“Rack”, “frame” and “stand” mean any support.", [("Rack", "means"), ("frame", "means"), ("stand", "means")]),
        ("“Lock”, in relation to a bicycle, means a chain.", [("Lock", "means")]),
        ("“Lock”, as distinguished from “chain”, means a bar.", [("Lock", "means")]),
        ("“Short-Term Rental (STR)” means a loan of a bicycle.", [("Short-Term Rental", "means"), ("STR", "means")]),
        ("A “repair” is the restoring of a worn part.", [("repair", "means")]),
        ("“Board of Racks’ means the Board of Racks.", [("Board of Racks", "means")]),
        ("“Mayor” [“Commissioner”] means the head of the office.", [("Mayor", "means"), ("Commissioner", "means")]),
        ("The lease with Ada Rack (the “Owner”) is void.", [("Owner", "means")]),
        ("Bicycle means a vehicle with two wheels.", [("Bicycle", "means")]),
        ("For this rule the term parking bay means a marked place.", [("parking bay", "means")]),
        ("“Racks” are frames with hooks.", [("Racks", "means")]),
        ("A “rack” stand is any stand of wood.", [("rack", "means")]),
        ("“Rack” comprises a frame and a hook.", [("Rack", "means")]),
        ("“Parked” describes a bicycle at rest.", [("Parked", "means")]),
        ("The “width of a rack” of a shop means the space that it takes.", [("width of a rack", "means")]),
        ("“Lock”, where a bicycle is at rest, means a chain.", [("Lock", "means")]),
        ("“Kin”, in relation to a rider (“A”), means any person related to A.", [("Kin", "means")]),
        ("“Lock,” unless the deed is older, shall mean a chain.", [("Lock", "means")]),
        ("Age refers only to full years.", [("Age", "means")]),
        ("The fee is ten dollars. For the purposes of this section, lot means a load.", [("lot", "means")]),
        ("'Coating' means any paint on a rack.", [("Coating", "means")]),
        ("References in this chapter to “loose frames” are to frames without a hook.", [("loose frames", "means")]),
        ("References to registration are references to entry in the list.", [("registration", "means")]),
        ("“This or any other chapter” includes chapter 9.", [("This or any other chapter", "includes")]),
        ("A “sale” consists in the passing of title.", [("sale", "means")]),
        ("A hook is a “fixture” when it is bolted down.", [("fixture", "means")]),
        ("A rider has “control” of a bicycle if the rider holds it.", [("control", "means")]),
        ("(a) Kite means a toy that flies.", [("Kite", "means")]),
        ("1. Kite string means what holds a kite.", [("Kite string", "means")]),
        ("Collect means to obtain a rack.", [("Collect", "means")]),
        ("Bicycle information means any word about a bicycle.", [("Bicycle information", "means")]),
        ("Lock, in relation to a bicycle, means a chain.", [("Lock", "means")]),
        ("Except for hooks, parking frame means a stand.", [("parking frame", "means")]),
        ("The term parking frame has the meaning of stand.", [("parking frame", "reference")]),
        ("Notice of Use or NOU means a form.", [("Notice of Use", "means"), ("NOU", "means")]),
        ("Bicycle Act or Act means the Act of 1980.", [("Bicycle Act", "means"), ("Act", "means")]),
        ("Act and rule mean the Act of 1980.", [("Act", "means"), ("rule", "means")]),
        ("Negative rule or value means a low one.", [("Negative rule or value", "means")]),
        ("Costs of parking or washing bicycles means money.", [("Costs of parking or washing bicycles", "means")]),
        ("Covered and other racks mean frames.", [("Covered and other racks", "means"), ("racks", "means")]),
        ("Day rack means a frame. Night rack means a hook.", [("Day rack", "means"), ("Night rack", "means")]),
        ("Rack means a frame. The term “old rack” includes a hook.", [("Rack", "means"), ("old rack", "includes")]),
        ("A rack without hooks is referred to in this section as a “bare rack”.", [("bare rack", "means")]),
        ("The adjective “rusty”, used of a lock, characterizes one that sticks.", [("rusty", "means")]),
        ("“Harm” does not, subject to § 98-302, include rust.", [("Harm", "excludes")]),
        (
            "“Rider” and related expressions are (subject to § 98-302) to be read with § 98-401.",
            [("Rider", "reference")],
        ),
        ("“Rack” and “stand” have the same meaning.", [("Rack", "means"), ("stand", "means")]),
        ("“Rack” (see § 98-401);", [("Rack", "reference")]),
        ("“Rack”, a frame; “hook”, the bar on it.", [("Rack", "means"), ("hook", "means")]),
        ("“Rack”, steel or not.", []),
        ("A reference to a “season” is a reference to the summer months.", [("season", "means")]),
        (
            "“Rack” means a frame. The term includes a “night rack” that is lit.",
            [("Rack", "means"), ("night rack", "means")],
        ),
        ("“Paid” shall be construed according to the method by which fees are kept.", [("Paid", "means")]),
        ("bicycle means a vehicle with two wheels.", [("bicycle", "means")]),
        ("parking bay, in relation to a shop, includes a kerb.", [("parking bay", "includes")]),
        ("The board (hereinafter referred to as the Rack Board) meets.", [("Rack Board", "means")]),
        ("A rack is, for the purposes of this chapter, a bare rack if it has no hooks.", [("bare rack", "means")]),
        ("In this chapter a bare rack is a rack in which no hook is fixed.", [("bare rack", "means")]),
        (
            "In this chapter “rack” means a frame, and “keeper”, in relation to a rack, means its owner.",
            [("rack", "means"), ("keeper", "means")],
        ),
        ("Hooks are considered small racks for purposes of this chapter.", [("small racks", "includes")]),
        ("Unless defined in this chapter, the words used have the meanings of the dictionary.", []),
        ("the racks of an operator include hooks.", []),
        ("Words in the singular number include the plural.", []),
    ],
)
def test_form_of_definition_is_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Notice may be given by electronic means of communication.",
        "The Mayor shall use any means by which racks are counted.",
        "By other reasonable means the operator shall keep records.",
        "In subsection (a), strike “rack” means and insert “frame” means.",
        "Every bicycle shall be marked “For hire” including the date.",
        "The operator, who is called “Boss” by all, shall means test riders.",
        "The term of the lease ends in May.",
        "The Bicycle Act of 1980 (“this chapter”) is good law.",
        "The following terms have the following meanings:",
        "The means or mode of the ride.",
        "The use of any false rack or deceptive means to collect a fee.",
        "In subsection (a), for “in this Act “rack” means a frame” substitute “a frame is within this Act”.",
        "In subsection (a), for ““rack” has the same meaning” substitute ““stand” has the same meaning”.",
        "A form is “Rack 7” of the series.",
        "Box 3 (“Who we are” and “What we do”).",
        "The public rack refers to a marked place and is free.",
        "The term does not include:",
        "A solicitation would include a call.",
    ],
)
def test_words_that_look_like_a_definition_are_refused(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bare rack includes a hook.", [("Bare rack", "includes")]),
        ("A frame is a bare rack if it has no hooks.", [("bare rack", "means")]),
        ("Frames are bare rack if they have no hooks.", [("bare rack", "means")]),
        ("A shelf is not bare rack.", [("bare rack", "excludes")]),
        ("A frame is a full rack if it has hooks.", []),
    ],
)
def test_heading_that_names_a_term_shows_that_its_text_defines_it(text: str, expected: list[tuple[str, str]]) -> None:
    parsed = annotated(dc_document(par("a", text), heading="Bare rack."))
    assert [(definition.term, definition.relation) for definition in by_form(parsed)] == expected


def test_heading_on_the_meaning_of_a_term_names_it() -> None:
    parsed = annotated(dc_document(par("a", "A frame is a bare rack where—"), heading="Meaning of bare rack."))
    assert [definition.term for definition in by_form(parsed)] == ["bare rack"]


def test_limb_of_the_same_paragraph_is_no_second_definition() -> None:
    text = "“Rack” means a frame. The term “rack” does not include a hook. The term “rack” includes a stand."
    assert found(text) == [("Rack", "means")]


def test_limb_in_a_part_of_the_defining_paragraph_is_no_second_definition() -> None:
    parsed = dc_document(
        par("1", intro="“Rack” means:"),
        par("1:a", "A frame; and"),
        par("1:b", "The term “rack” includes a stand."),
        intro=LEAD,
    )
    assert [(definition.term, definition.node_urn) for definition in annotated(parsed).definitions] == [
        ("Rack", f"{DC}:98-301:1")
    ]


def test_addition_in_another_paragraph_is_kept_with_its_relation() -> None:
    parsed = dc_document(par("1", "“Rack” means a frame."), par("2", "“Rack” includes a stand."), intro=LEAD)
    assert [(definition.relation, definition.node_urn[-1]) for definition in annotated(parsed).definitions] == [
        ("means", "1"),
        ("includes", "2"),
    ]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("“Fee” has the meaning given in § 98-401.", f"{DC}:98-401"),
        ("“Fee” shall have the same meaning as in § 98-401(b)(2).", f"{DC}:98-401:b:2"),
        ("“Fee” means a fee as defined in 16 CFR 310.2(c).", "urn:lex:us:16cfr:310.2:c"),
        ("“Fee” is defined in the Bicycle Act.", ""),
    ],
)
def test_meaning_given_elsewhere_is_a_reference_to_it(text: str, target: str) -> None:
    definition = annotated(dc_document(par("1", text), intro=LEAD)).definitions[0]
    assert (definition.relation, definition.reference_urn) == ("reference", target)


def test_meaning_set_out_below_is_no_reference() -> None:
    assert found("“Fee” has the following meaning:") == [("Fee", "means")]


def test_term_in_the_parent_and_verb_in_the_first_part_are_one_definition() -> None:
    parsed = dc_document(
        par("a", intro="The term “rack”"), par("a:1", "means a frame; and"), par("a:2", "includes a stand.")
    )
    assert [
        (definition.term, definition.relation, definition.node_urn) for definition in annotated(parsed).definitions
    ] == [("rack", "means", f"{DC}:98-301:a")]


def test_term_with_a_dash_is_defined_by_its_parts() -> None:
    parsed = dc_document(par("a", intro="“Rack”—"), par("a:1", "a frame; and"), par("a:2", "a stand."), intro=LEAD)
    assert [(definition.term, definition.node_urn) for definition in annotated(parsed).definitions] == [
        ("Rack", f"{DC}:98-301:a")
    ]


def test_caption_names_the_term_that_the_text_leaves_out() -> None:
    parsed = dc_document(par("a", "The term means a frame.", heading="Rack."))
    assert [(definition.term, definition.node_urn) for definition in annotated(parsed).definitions] == [
        ("Rack", f"{DC}:98-301:a")
    ]


def test_italic_term_before_a_verb_is_defined_and_an_italic_caption_is_not() -> None:
    parsed = cfr_document(
        cfr("10.1", intro="As used in this part:", heading="Definitions."),
        cfr("10.1:a", "*Rack operator* means a person who keeps a rack."),
        cfr("10.2", heading="Duties."),
        cfr("10.2:a", "*General.* The operator shall include a map."),
    )
    assert [(definition.term, definition.node_urn) for definition in annotated(parsed, "us").definitions] == [
        ("Rack operator", "urn:lex:us:98cfr:10.1:a")
    ]


def test_index_entries_are_references_with_the_scope_of_their_list() -> None:
    article = f"{DC}:title_98:article_2"
    section = f"{DC}:98:2-103"
    parsed = document(
        DC,
        node(f"{DC}:title_98", None, "title"),
        node(article, f"{DC}:title_98", "article"),
        node(section, article, "section", "Other definitions applying to this article and the sections in which they "
             "appear are:\n“Lot”. § 98:2-105.\n“Bicycle lane”. Section 98:2-106(a) ."),
    )  # fmt: skip
    assert [(d.term, d.relation, d.reference_urn, d.scope_urn) for d in annotated(parsed).definitions] == [
        ("Lot", "reference", f"{DC}:98:2-105", article),
        ("Bicycle lane", "reference", f"{DC}:98:2-106:a", article),
    ]


def test_index_entry_is_followed_to_the_definition_that_it_points_to() -> None:
    article = f"{DC}:title_98:article_2"
    parsed = document(
        DC,
        node(f"{DC}:title_98", None, "title"),
        node(article, f"{DC}:title_98", "article"),
        node(f"{DC}:98:2-103", article, "section", "Other definitions applying to this article and the sections in "
             "which they appear are:\n“Lot”. § 98:2-105.\n“Crate”. § 98:2-105."),
        node(f"{DC}:98:2-105", article, "section", heading="Goods."),
        node(f"{DC}:98:2-105:1", f"{DC}:98:2-105", "subsection", "“Lot” means a parcel."),
    )  # fmt: skip
    assert [(d.term, d.relation, d.node_urn, d.scope_urn, d.inferred) for d in annotated(parsed).definitions] == [
        ("Lot", "means", f"{DC}:98:2-105:1", article, False),
        ("Crate", "reference", f"{DC}:98:2-103", article, False),
    ]


def test_list_of_definitions_is_known_by_what_introduces_it_and_not_by_the_word_means() -> None:
    limb = "Rental information means any word about a rack."
    defining = dc_document(par("1", limb), intro="In this chapter, these terms apply:", heading="Duties.")
    limiting = dc_document(par("1", limb), intro="No one may use false means, such as:", heading="Duties.")
    assert [definition.term for definition in annotated(defining).definitions] == ["Rental information"]
    assert annotated(limiting).definitions == []


def test_paragraph_that_is_a_term_alone_is_defined_by_its_first_part() -> None:
    parsed = dc_document(par("c", "Adverse ride"), par("c:1", "The term means a fall."), par("c:2", "It hurts."))
    assert [(definition.term, definition.node_urn) for definition in annotated(parsed).definitions] == [
        ("Adverse ride", f"{DC}:98-301:c")
    ]


def test_comment_defines_nothing_and_is_governed_by_what_governs_its_provision() -> None:
    comment = f"{CFR}:part_10:comment-10.2"
    parsed = cfr_document(
        cfr("10.1", "Racks are safe.", heading="Duties."),
        cfr("10.2", "In this section, *rack* means a frame.", heading="Racks."),
        node(comment, f"{CFR}:part_10", "paragraph", "The term rack means a sturdy frame. A rack may rust."),
    )
    parsed.links.append(Link(comment, "interprets", "section 10.2", f"{CFR}:10.2"))
    done = annotated(parsed, "us")
    found = [(definition.node_urn, definition.scope_urn, definition.inferred) for definition in done.definitions]
    assert found == [(f"{CFR}:10.2", f"{CFR}:10.2", False), (f"{CFR}:10.2", comment, False)]
    assert done.used_terms[comment] == ["rack"]


@pytest.mark.parametrize(("kind", "terms"), [("notice", []), ("legislation", ["Rack"])])
def test_editorial_note_defines_nothing_and_a_note_of_the_law_does(kind: str, terms: list[str]) -> None:
    note = replace(par("note", "“Rack” means a frame."), structure_type="NOTE", kind=kind)
    assert [definition.term for definition in annotated(dc_document(note)).definitions] == terms


def test_publishers_reference_mark_gives_the_target_of_a_definition_by_reference() -> None:
    paragraph = par("1", "“Fee” has the meaning given in § 98-401.")
    start = paragraph.text.index("§")
    paragraph.marks.append(Mark(start, start + 8, "reference", f"{DC}:98-401:c"))
    definition = annotated(dc_document(paragraph, intro=LEAD)).definitions[0]
    assert definition.reference_urn == f"{DC}:98-401:c"


def test_defining_node_is_the_paragraph_and_its_scope_the_chapter() -> None:
    definition = annotated(dc_document(par("1", "“Rack” means a frame."), intro=LEAD)).definitions[0]
    assert (definition.node_urn, definition.scope_urn) == (f"{DC}:98-301:1", C)
    assert (definition.inferred, definition.phrase) == (False, "For the purposes of this chapter")


def test_a_pointer_to_another_law_names_no_provision_of_its_own() -> None:
    parsed = annotated(
        dc_document(par("1", "“Bank” has the meaning given in section 98-302 of the Bank Act."), intro=LEAD)
    )
    assert [(definition.term, definition.relation, definition.reference_urn) for definition in by_form(parsed)] == [
        ("Bank", "reference", "")
    ]


def test_a_pointer_where_a_term_is_used_governs_that_provision_alone() -> None:
    parsed = annotated(
        dc_document(
            par("1", "“Rack” means a frame."), par("2", "Keep a rack, as defined in § 98-401, and a hook."),
            par("3", "Keep a fee as defined in § 98-401."), par("4", "A rack, as defined in paragraph (1)."),
            par("5", "In this paragraph, “rack” means a hook."), par("6", "A rack as defined in paragraph (5)."),
            intro=LEAD,
        )
    )  # fmt: skip
    section = f"{DC}:98-301"
    named = [definition for definition in parsed.definitions if definition.phrase.startswith("as defined")]
    assert [(definition.term, definition.node_urn, definition.scope_urn) for definition in named] == [
        ("rack", f"{section}:5", f"{section}:6")
    ]
    assert parsed.used_terms[f"{section}:6"] == ["rack"]


def test_a_denial_takes_from_a_term_that_another_provision_defines() -> None:
    parsed = dc_document(
        par("1", "“Rack” means a frame."),
        par("2", "A hook that bears a coat is not a rack."),
        par("3", "A frame that is not a rack is free, and if it is red it is not a rack."),
        intro="For the purposes of this chapter, the term:",
    )
    taken = [
        (definition.node_urn, definition.scope_urn)
        for definition in annotated(parsed).definitions
        if definition.relation == "excludes"
    ]
    assert taken == [(f"{DC}:98-301:2", C)]


@pytest.mark.parametrize(("second", "scope"), [("Hook means a rod.", C), ("A hook is free.", f"{DC}:98-301")])
def test_a_section_that_does_nothing_but_define_is_one_of_definitions(second: str, scope: str) -> None:
    parsed = dc_document(par("1", "Rack means a frame."), par("2", second), heading="What do I need to know?")
    assert [definition.scope_urn for definition in annotated(parsed).definitions if definition.term == "Rack"] == [
        scope
    ]


def test_a_heading_names_what_a_provision_may_designate() -> None:
    parsed = dc_document(text="The Mayor may designate any street as a rack street.", heading="Rack streets")
    assert [definition.term for definition in annotated(parsed).definitions] == ["rack street"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What the phrase names, that provision; without one its own section.
        ("For the purposes of § 98-302 a hook is to be treated as a rack.", [("includes", f"{DC}:98-302", False)]),
        ("A hook shall be deemed a rack.", [("includes", f"{DC}:98-301", True)]),
        ("For the purposes of § 98-302, a hook is not a rack.", [("excludes", f"{DC}:98-302", False)]),
        ("A hook is not a rack.", [("excludes", C, False)]),
        ("A hook is not to be treated as a rack.", [("excludes", C, False)]),
        ("A hook is deemed sold.", []),
        ("In order to be considered a rack, a hook must be green.", []),
    ],
)
def test_provisions_add_to_a_term_that_another_one_defines(text: str, expected: list[tuple[str, str, bool]]) -> None:
    meaning = node(f"{DC}:98-401:a", f"{DC}:98-401", "paragraph", "In chapter 3, “rack” means a frame.")
    parsed = dc_document(par("a", text), heading="Bicycles.")
    parsed.nodes.append(meaning)
    added = [one for one in annotated(parsed).definitions if one.node_urn != meaning.urn]
    assert [(one.relation, one.scope_urn, one.inferred) for one in added] == expected
    assert not added or "rack" in parsed.used_terms[f"{DC}:98-301:a"]  # it leans on the meaning


def test_a_section_of_definitions_without_a_phrase_competes_with_one_beside_it_that_has_one() -> None:
    parsed = dc_document(par("a", "In this chapter, “rack” means a frame."))
    parsed.nodes.insert(
        -2, node(f"{DC}:98-303", C, "section", "“Rack” means a hook.", heading="Definitions for hooks.")
    )
    assert [definition.scope_urn for definition in annotated(parsed).definitions] == [C, C]


def test_an_addition_beside_a_pointer_leaves_the_meaning_its_scope() -> None:
    text = "Count each rack as defined in § 98-301(a), except that all racks of a street shall be considered one rack."
    parsed = dc_document(par("a", "“Rack” means a frame."))
    parsed.nodes.insert(-2, node(f"{DC}:98-303", C, "section", text, heading="Counts."))
    found = [(one.relation, one.scope_urn) for one in annotated(parsed).definitions]
    assert found == [("means", C), ("includes", f"{DC}:98-303")]
