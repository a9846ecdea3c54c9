"""Drafting of countries whose law is not at hand, one row a class: what it defines and excepts, in invented words."""

from __future__ import annotations

import pytest
from cited_laws import defined, law

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import ParsedDocument

ACT = "urn:lex:gb:ukpga-2021-5"
EU_ACT = "urn:lex:eu:32031r0007"


def act(text: str, heading: str = "Kites", more: str = "Toys fly.") -> ParsedDocument:
    """An act of two Parts; section 1 of the first has the text in subsection (1)."""
    return law(
        ACT, ("part_1", "part"), ("1", "section", "", heading),
        ("1:1", "subsection", text), ("1:2", "subsection", more),
        ("part_2", "part"), ("2", "section", "Wind blows.", "Wind"), ("3", "section", "Rain falls.", "Rain"),
    )  # fmt: skip


def short(document: ParsedDocument, code: str = "gb") -> list[tuple[str, str, str, bool]]:
    """Term, relation, scope below the act, and inference of what a document defines."""
    found = defined(document, code)
    return [
        (definition.term, definition.relation, definition.scope_urn.removeprefix(ACT).lstrip(":"), definition.inferred)
        for definition in found
    ]


def links(document: ParsedDocument, code: str = "gb") -> list[tuple[str, str]]:
    """Kind and target of a document's exceptions."""
    annotate(document, jurisdiction_for(code))
    return [
        (link.kind, link.target_urn.removeprefix(ACT).lstrip(":"))
        for link in document.links
        if link.kind not in ("cites", "may_define")
    ]


@pytest.mark.parametrize(
    ("text", "heading", "expected"),
    [
        # What words of the law mean is said of other words.
        ("Expressions used in this Act and in the Wind Act have the same meaning as in it.", "Interpretation", []),
        ("The terms used in this Part are defined in section 2.", "Interpretation", []),
        (
            "“Flight” and related expressions are (subject to subsection (2)) to be read with section 2.",
            "Interpretation", [("Flight", "reference", "", True)],
        ),
        (
            "A reference to a flyer is a reference to a person who flies a kite.", "Interpretation",
            [("flyer", "means", "", True)],
        ),
        (
            "In this Part any reference to a long flight is, subject to section 2, a reference to an hour.", "Kites",
            [("long flight", "means", "part_1", False)],
        ),
        (
            "A reference in this Act to a kite shall be read as a reference to a toy.", "Kites",
            [("kite", "means", "", False)],
        ),
        ("References to a kite include references to its line.", "Kites", [("kite", "includes", "", True)]),
        ("A reference to the Board is to be made within ten days.", "Kites", []),
        ("A reference to a person who flies is a reference to a flyer.", "Kites", []),
        # A condition says what is one; a section named after the term defines it for the act.
        (
            "For the purposes of this Part a toy is a light kite if it has no tail.", "Kites",
            [("light kite", "means", "part_1", False)],
        ),
        (
            "A wet toy is not a light kite for the purposes of this Part.", "Kites",
            [("light kite", "excludes", "part_1", False)],
        ),
        ("A toy is a kite if it flies.", "Kites", [("kite", "means", "", True)]),
        ("He has a firm hold on a line if he pulls.", "Meaning of “firm hold”", [("firm hold", "means", "", True)]),
        ("Kite, line and tail have the same meaning as in section 2.", "Definitions",
         [("Kite", "reference", "", True), ("line", "reference", "", True), ("tail", "reference", "", True)]),
        ("Top Flyer, subject to section 2.01, means the oldest.", "Definitions", [("Top Flyer", "means", "", True)]),
        ("Kite (風箏) means a toy.", "Definitions", [("Kite", "means", "", True)]),
        (
            "The definitions of “kite” and “line” in section 2 apply.", "Tails",
            [("kite", "reference", "1", True), ("line", "reference", "1", True)],
        ),
        ("The definition of “kite” in section 2 does not apply.", "Tails", []),
        # A range without one of its ends is not all that the law says.
        ("In sections 1 to 9 “kite” means a toy.", "Tails", [("kite", "means", "1", True)]),
        # The verb may stand apart from its object, and what follows a colon or stands in quotation marks may be a term.
        ("In this Part “kite” and “tail” have, subject to section 2, the meanings given in section 3.", "Tails",
         [("kite", "reference", "part_1", False), ("tail", "reference", "part_1", False)]),
        ("References to a kite include a line.", "Tails", [("kite", "includes", "1", True)]),
        ("‘kite’s tail’ means a line, and ‘line’ shall mean a cord.", "Definitions",
         [("kite’s tail", "means", "", True), ("line", "means", "", True)]),
        ("Kite (hereinafter ‘toy’) means a bird.", "Definitions", [("Kite", "means", "", True),
                                                                  ("toy", "means", "1", True)]),
        ("Any reference in this Act to a “kite” shall be construed in accordance with section 2.", "Tails",
         [("kite", "reference", "", False)]),
        ("For the sole purposes of this section, “kite” means a toy.", "Tails", [("kite", "means", "1", False)]),
        # A table's head, and what a thing is called by people, define nothing.
        ("The expressions listed in the left-hand column have the meanings given in section 2.", "Tails", []),
        ("A toy, commonly known as a “kite”, may fly.", "Tails", []),
        # A section that gives one term's meaning gives others theirs for itself.
        ("“Tail” means a line.", "Meaning of kite in this Part", [("Tail", "means", "1", True)]),
        # What is called something in this Act, and a second name in the same sentence.
        ("The body in this Act referred to as “the Board” sits.", "Tails", [("the Board", "means", "", False)]),
        ("A toy that flies is called a “kite”, and its cord the line.", "Tails", [("kite", "means", "1", True)]),
        ("A person who is called a “flyer” by others is none.", "Tails", []),
        ("A toy is a “tail” of another toy, its “kite”, if it follows.", "Meaning of “tail”",
         [("tail", "means", "", True), ("kite", "means", "", True)]),
        ("“Fly” means to soar; “flight” has a corresponding meaning.", "Tails",
         [("Fly", "means", "1", True), ("flight", "means", "1", True)]),
        ("‘‘kite’’ means a toy.", "Definitions", [("kite", "means", "", True)]),
        ("For the purposes of section 2, a reference to a kite includes a line.", "Tails",
         [("kite", "includes", "2", False)]),
        # A body that the law calls so is called so throughout; a person whom it gives a letter is not.
        ("A body (“the Kite Board”) sits.", "Tails", [("the Kite Board", "means", "", True)]),
        ("A person (“P”) sits.", "Tails", [("P", "means", "1", True)]),
        ("For the purposes of the provisions in this Part “kite” means a toy.", "Tails",
         [("kite", "means", "part_1", False)]),
        # What is taken out of a scope is not in it, whatever the words.
        ("In this Act, other than Part 2, “kite” means a toy.", "Tails", [("kite", "means", "part_1", False)]),
        ("In this Part apart from section 1, “kite” means a toy.", "Tails", [("kite", "means", "part_1", True)]),
        ("For the purposes of the second subparagraph, “kite” means a toy.", "Tails", [("kite", "means", "1:1", True)]),
        ("In this section and that Schedule “kite” means a toy.", "Tails", [("kite", "means", "1", True)]),
        ("In this Part “kite” (except in the expression “kite line”) means a toy.", "Tails",
         [("kite", "means", "part_1", False)]),
        ("In this Subdivision “kite” means a toy.", "Tails", [("kite", "means", "1", True)]),
        ("This section applies for the interpretation of this Part. “Kite” is to be read as a toy.", "Tails", []),
        ("In sections 1 to 3 “kite” means a toy.", "Tails",
         [("kite", "means", "1", False), ("kite", "means", "2", False), ("kite", "means", "3", False)]),
    ],
)  # fmt: skip
def test_definition_has_its_terms_relation_and_scope(
    text: str, heading: str, expected: list[tuple[str, str, str, bool]]
) -> None:
    assert short(act(text, heading)) == expected


def test_section_says_in_a_sentence_of_its_own_what_its_definitions_are_for() -> None:
    document = act("This section applies for the purposes of this Part.", "Interpretation", "“Kite” means a toy.")
    assert short(document) == [("Kite", "means", "part_1", False)]


@pytest.mark.parametrize(
    ("lead", "scopes"),
    [
        ("In this Act (except in Part 2)—", {"part_1"}),
        ("In this Act, other than section 2,—", {"part_1", "3"}),
        ("In this Act, except where section 2 otherwise provides—", {""}),
    ],
)
def test_lead_in_says_what_its_definitions_do_not_govern(lead: str, scopes: set[str]) -> None:
    document = law(
        ACT, ("part_1", "part"), ("1", "section", lead, "Kites"), ("1:a", "paragraph", "“kite” means a toy."),
        ("part_2", "part"), ("2", "section", "Wind blows.", "Wind"), ("3", "section", "Rain falls.", "Rain"),
    )  # fmt: skip
    found = short(document)
    assert {scope for _, _, scope, _ in found} == scopes
    assert not any(inferred for *_, inferred in found)


def test_dash_after_a_term_is_no_verb_of_the_words_behind_the_list() -> None:
    document = law(
        ACT, ("1", "section", "In this Act “flight”—", "Tails"),
        ("1:a", "paragraph", "in relation to a kite, means an hour,"), ("2", "section", "Wind blows."),
    )  # fmt: skip
    document.nodes[1].content_text = "and “flown” shall be construed accordingly."
    assert short(document) == [("flight", "means", "", False), ("flown", "means", "", False)]


@pytest.mark.parametrize("unit", ["By-law", "Charter", "Proclamation"])
def test_law_may_call_itself_otherwise_than_its_publisher_does(unit: str) -> None:
    document = act(f"In this {unit}, unless the context indicates otherwise, “kite” means a toy.")
    assert short(document) == [("kite", "means", "", False)]


def test_treaty_in_a_schedule_is_that_schedule() -> None:
    text = "For the purposes of the present Convention, “kite” means a toy."
    document = law(ACT, ("1", "section", text, "Kites"), ("sch.1", "schedule"), ("sch.1:1", "paragraph", text))
    assert short(document) == [("kite", "means", "", False), ("kite", "means", "sch.1", False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nothing contained in section 2 shall apply to a child.", [("disapplies", "2")]),
        ("Nothing in section 2 limits a right that may apply to a child.", [("limits", "2")]),
        ("Section 2 shall not, so far as possible, apply to a child.", [("disapplies", "2")]),
        ("Subrule (2) does not apply to a child.", [("disapplies", "1:2")]),
        ("Sections 2 and 3 do not impose any obligation on a child.", [("disapplies", "2"), ("disapplies", "3")]),
        ("Section 2, except section 3, does not apply to a child.", [("disapplies", "2")]),
        ("Section 2, with the exception of its last sentence, does not apply to a child.", [("disapplies", "2")]),
        ("Section 2 (wind and weather) does not apply to a child.", [("disapplies", "2")]),
        ("Section 2 (other than its first sentence) does not apply to a child.", [("disapplies", "2")]),
        (
            "Despite section 2 (wind) or section 3 (rain), a child may fly.",
            [("notwithstanding", "2"), ("notwithstanding", "3")],
        ),
        ("Section 2 is not to apply to a child.", [("disapplies", "2")]),
        # What stands before "of this Part" was not read: the Part is not what yields.
        ("Notwithstanding section two hundred one of this Part, a child may fly.", []),
        ("Except as provided in subparts B and C of this Part, a child may fly.", []),
        ("Despite subsection 1(2), a child may fly.", [("notwithstanding", "1:2")]),
        (
            "Section 2 shall, notwithstanding section 3, not apply to a child.",
            [("disapplies", "2"), ("notwithstanding", "3")],
        ),
        (
            "Sections 2 and 3, so far as relating to kites, do not have effect.",
            [("disapplies", "2"), ("disapplies", "3")],
        ),
        (
            "Despite section 2 and anything in section 3, a child may fly.",
            [("notwithstanding", "2"), ("notwithstanding", "3")],
        ),
        # What one clause says of another purpose is none of its list.
        (
            "Section 1 has effect subject to section 2; and for the purposes of section 3 a toy is a kite.",
            [("limits", "1"), ("subject_to", "2"), ("subject_to", "2")],  # of subsection (1), and of section 1
        ),
        (
            "Sections 2 (except subsection (2)) and 3 do not apply to a child.",
            [("disapplies", "2"), ("disapplies", "3")],
        ),
        ("A child may fly, with the exception of section 2.", [("subject_to", "2")]),
        ("A child pays no fee other than those provided for in section 2.", [("subject_to", "2")]),
        ("A child may fly whether or not subject to section 2.", []),
        ("A rule applies to a child unless another Act declares that it operates despite section 2.", []),
        # Who may exempt has not done so.
        ("The Minister may exempt from section 2 any kite.", [("limits", "2")]),
        ("The Minister may exempt any kite from section 2.", [("limits", "2")]),
        ("A kite may be exempt from section 2.", [("disapplies", "2")]),
        # Being under a Part is no exception to it.
        ("A flyer subject to this Part may land.", []),
        ("Hooks are blue and subject to the provisions of this Part on nets.", [("subject_to", "part_1")]),
        ("Hooks are not subject to this Part.", [("disapplies", "part_1")]),
    ],
)
def test_words_that_except_reach_the_provision_they_name(text: str, expected: list[tuple[str, str]]) -> None:
    assert links(act(text)) == expected


def test_division_is_a_container_where_a_law_has_divisions() -> None:
    document = law(
        "urn:lex:ca:act-2021-5", ("part_1", "part"), ("1", "section", "Division I does not apply to toys.", "Toys"),
        ("2", "section", "For the purposes of this Division, “kite” means a toy."),
    )  # fmt: skip
    division = document.nodes[1]
    division.level, division.number, division.structure_type = "division", "I", "PART"
    annotate(document, jurisdiction_for("ca"))
    assert [(link.kind, link.target_urn) for link in document.links if link.kind != "cites"] == [
        ("disapplies", division.urn)
    ]
    assert [(definition.scope_urn, definition.inferred) for definition in document.definitions] == [
        (division.urn, False)
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Except for section 411, subtitle IV shall not apply to toys.", False),
        ("Section 411 is repealed. Subtitle IV shall not apply to toys.", True),
        ("Except for § 99-102, subtitle IV shall not apply to toys.", True),
    ],
)
def test_container_beside_a_section_of_an_acts_own_number_is_none_of_the_code(text: str, named: bool) -> None:
    code = "urn:lex:us-dc:code"
    document = law(code, ("subtitle_iv", "part"), ("99-101", "section", text, "Toys"), ("99-102", "section", "Kites."))
    subtitle = document.nodes[1]
    subtitle.level, subtitle.number = "subtitle", "IV"
    annotate(document, jurisdiction_for("us-dc"))
    assert [link.target_urn for link in document.links if link.kind == "disapplies"] == [subtitle.urn] * named


def test_index_at_the_end_of_an_act_points_to_the_sections_that_define() -> None:
    document = law(
        ACT, ("part_1", "part"), ("1", "section", "“Kite” means a toy.", "Toys"), ("part_2", "part"),
        ("2", "section", "The expressions in the first column are defined by the provisions listed opposite to them."
         "\n“kite” section 1", "Index of defined expressions"),
    )  # fmt: skip
    document.nodes[3].heading = "General"
    assert ("kite", "means", "", True) in short(document)


def test_rules_may_speak_of_themselves_as_these_rules() -> None:
    document = law(
        "urn:lex:us:frcp", ("part_1", "part"), ("1", "rule", "“Judgment” as used in these rules includes a decree."),
        ("2", "rule", "In this rule, “kite” means a toy."),
    )  # fmt: skip
    root = document.nodes[0].urn
    found = [(definition.term, definition.scope_urn, definition.inferred) for definition in defined(document, "us")]
    assert found == [("Judgment", root, False), ("kite", f"{root}:2", False)]


def test_section_of_articles_is_what_this_section_names() -> None:
    document = law(
        EU_ACT, ("chapter_i", "chapter"), ("chapter_i:section_1", "part"),
        ("1", "article", "This Section, with the exception of Article 9, shall not apply to toys.", "Kites"),
    )  # fmt: skip
    section = next(node for node in document.nodes if node.urn.endswith("section_1"))
    section.level = "section"
    next(node for node in document.nodes if node.urn.endswith(":1")).parent_urn = section.urn
    annotate(document, jurisdiction_for("eu"))
    assert ("disapplies", section.urn) in [(link.kind, link.target_urn) for link in document.links]


def test_part_in_words_is_a_container_of_titles_in_an_act_of_the_union() -> None:
    document = law(
        EU_ACT, ("part_one", "part"), ("1", "article", "For the purposes of Part Three, ‘kite’ means a toy.", "Kites"),
        ("part_three", "part"), ("2", "article", "Wind blows."),
    )  # fmt: skip
    assert [(definition.scope_urn, definition.inferred) for definition in defined(document, "eu")] == [
        (f"{EU_ACT}:part_three", False)
    ]


@pytest.mark.parametrize(
    ("text", "scope", "inferred"),
    [
        ("In this chapter, “kite” means a toy.", "", True),
        ("“Kite” means a toy.", "", True),
        ("For the purposes of this section, “kite” means a toy.", "0001", True),
        ("In this Act, “kite” means a toy.", "", False),
    ],
)
def test_chunk_of_a_plain_document_is_no_section(text: str, scope: str, inferred: bool) -> None:
    document = law("urn:lex:gb:doc:kites", ("0001", "section", text), ("0002", "section", "A kite flies."))
    for node in document.nodes:
        node.kind, node.level = ("chunk", "chunk") if node.parent_urn else ("record", "document")
    [found] = defined(document, "gb")
    root = "urn:lex:gb:doc:kites"
    assert (found.scope_urn, found.inferred) == (f"{root}:{scope}" if scope else root, inferred)


def competing(*sections: tuple[str, str, str, str]) -> list[tuple[str, str, bool]]:
    """Defining section, scope and inference of "kite" in an act of one Part for each (number, heading, text, Part)."""
    rows = [row for number, heading, text, part in sections for row in (
        (f"part_{number}", "part", "", part), (number, "section", text, heading),
        (f"{number}9", "section", "A kite flies.", "Flight"),
    )]  # fmt: skip
    found = [definition for definition in defined(law(ACT, *rows), "gb") if definition.term.lower() == "kite"]
    return [
        (
            definition.node_urn.removeprefix(f"{ACT}:"),
            definition.scope_urn.removeprefix(ACT).lstrip(":"),
            definition.inferred,
        )
        for definition in found
    ]


BIRD = ("2", "Kites", "A bird is a kite if it hunts.", "Birds")


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        # Alone a section named after its term defines it for the act.
        ([("1", "Kites", "A toy is a kite if it flies.", "Toys")], [("1", "", True)]),
        # Of two none is before the other: each governs its own Part.
        (
            [("1", "Kites", "A toy is a kite if it flies.", "Toys"), BIRD],
            [("1", "part_1", True), ("2", "part_2", True)],
        ),
        # One among general provisions keeps the act.
        (
            [("1", "Kites", "A toy is a kite if it flies.", "General"), BIRD],
            [("1", "", True), ("2", "part_2", True)],
        ),
        # Beside one that the law's own words give the act, another is its section's.
        (
            [("1", "Kites", "In this Act “kite” means a toy.", "Toys"), BIRD],
            [("1", "", False), ("2", "2", True)],
        ),
        # Two that both say so are the law's own.
        (
            [
                ("1", "Kites", "In this Act “kite” means a toy.", "Toys"),
                ("2", "Kites", "In this Act “kite” means a bird.", "Birds"),
            ],
            [("1", "", False), ("2", "", False)],
        ),
    ],
)  # fmt: skip
def test_of_several_meanings_without_a_phrase_each_governs_its_own_part(
    sections: list[tuple[str, str, str, str]], expected: list[tuple[str, str, bool]]
) -> None:
    assert competing(*sections) == expected


def test_addition_without_a_phrase_governs_what_the_meaning_in_its_section_does() -> None:
    document = law(
        ACT, ("part_1", "part"), ("1", "section", "", "Tails"),
        ("1:1", "subsection", "In this Part “kite” means a toy."),
        ("1:2", "subsection", "“Kite” does not include a bird."), ("2", "section", "A kite flies."),
    )  # fmt: skip
    assert short(document) == [("kite", "means", "part_1", False), ("Kite", "excludes", "part_1", True)]


@pytest.mark.parametrize(("number", "targets"), [(" 4-25", ["4-25"]), ("s 4-5", ["4", "5"])])
def test_hyphen_belongs_to_a_sections_number_where_the_law_has_it(number: str, targets: list[str]) -> None:
    document = law(
        "urn:lex:au:act-1997-38", ("4-10", "section", f"This section has effect subject to section{number}.", "Tax"),
        *((name, "section", "Tax is due.") for name in ("4-25", "4", "5")),
    )  # fmt: skip
    annotate(document, jurisdiction_for("au"))
    found = [link.target_urn for link in document.links if link.kind == "subject_to" and link.target_urn]
    assert [name.rpartition(":")[2] for name in found] == targets


@pytest.mark.parametrize(("heading", "expected"), [("Wind", [("limits", "1")]), ("Examples:", [])])
def test_a_worked_example_limits_no_provision(heading: str, expected: list[tuple[str, str]]) -> None:
    case = law(
        ACT, ("1", "section", "Kites shall be red.", "Kites"), ("2", "section", "", heading),
        ("2:1", "subsection", "Anna flies a toy. Anna is not required to comply with section 1."),
    )  # fmt: skip
    assert links(case) == expected
