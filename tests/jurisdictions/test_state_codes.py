"""How American states and federal agencies point within their own law, one row a class, in invented words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cited_laws import defined, law

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import Mark, ParsedDocument

CODE = "urn:lex:us-oh:kites"


def code(text: str, title: str = "Kite Revised Code") -> ParsedDocument:
    """A code with two chapters; section 5.01 has the text in its paragraph (1)(a)."""
    document = law(
        CODE, ("chapter_5", "chapter"), ("5.01", "section", "", "Kites"), ("5.01:1", "subsection"),
        ("5.01:1:a", "paragraph", text), ("5.01:1:b", "paragraph", "Tails are long."),
        ("5.01:2", "subsection", "Lines are thin."), ("5.02", "section", "Wind blows.", "Wind"),
        ("chapter_6", "chapter"), ("6.01", "section", "Rain falls.", "Rain"),
    )  # fmt: skip
    document.nodes[0].level, document.nodes[0].structure_type = "code", "ROOT"
    return replace(document, corpus=replace(document.corpus, title=title))


def links(text: str, title: str = "Kite Revised Code") -> list[tuple[str, str]]:
    """Kind and target of the exceptions that the text makes."""
    document = code(text, title)
    annotate(document, jurisdiction_for("us-oh"))
    return [
        (link.kind, link.target_urn.removeprefix(CODE).lstrip(":"))
        for link in document.links
        if link.kind not in ("cites", "may_define")
    ]


def scopes(text: str) -> list[tuple[str, str, bool]]:
    """Term, scope and inference of what the text defines."""
    found = defined(code(text), "us-oh")
    return [
        (definition.term, definition.scope_urn.removeprefix(CODE).lstrip(":"), definition.inferred)
        for definition in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Except as provided in division (A)(2) of section 5.02 of the Revised Code, kites fly.",
         [("subject_to", "5.02")]),
        ("Notwithstanding section 6.01 of the Revised Code, kites fly.", [("notwithstanding", "6.01")]),
        ("Notwithstanding section 6.01 of the Penal Code, kites fly.", [("notwithstanding", "")]),
        # Another code's name may end alike.
        ("Notwithstanding section 6.01 of the Revised Code of Utah, kites fly.", [("notwithstanding", "")]),
        ("Notwithstanding s. 6.01, kites fly.", [("notwithstanding", "6.01")]),
        ("Except as provided in (b) of this subsection, kites fly.", [("subject_to", "5.01:1:b")]),
        ("Except as provided in (a) and (b) of this subsection, kites fly.", [("subject_to", "5.01:1:b")]),
        ("Notwithstanding subdivision two of this section, kites fly.", [("notwithstanding", "5.01:2")]),
        ("Notwithstanding subdivisions 1 and 2 of this section, kites fly.", [("notwithstanding", "5.01:1"),
                                                                              ("notwithstanding", "5.01:2")]),
        ("The provisions of sections 5.02 (except subsection (d) of it) and 6.01 shall not apply to toys.",
         [("disapplies", "5.02"), ("disapplies", "6.01")]),
        ("No provision of this chapter shall apply to toys.", [("disapplies", "chapter_5")]),
        ("No provision of this chapter that is void binds a child.", []),
        ("Toys are not intended to be governed by the provisions of this chapter.", [("disapplies", "chapter_5")]),
        ("Any provision of section 5.02 or section 6.01 that allows flight does not apply to toys.",
         [("disapplies", "5.02"), ("disapplies", "6.01")]),
        ("Flight is subject to, and limited by, section 5.02.", [("subject_to", "5.02")]),
        ("Flight is free, subject, however, to section 5.02.", [("subject_to", "5.02")]),
        ("Subject to an agreement to the contrary, the provisions of section 5.02 govern flight.", []),
        ("Notwithstanding section 5.01, subdivision 2, kites fly.", [("notwithstanding", "5.01:2")]),
        ("Notwithstanding section 5.01, subdivision 1, paragraph (b), kites fly.", [("notwithstanding", "5.01:1:b")]),
        ("Except as provided in sub. (2), kites fly.", [("subject_to", "5.01:2")]),
        ("This Code section does not apply to toys.", [("disapplies", "5.01")]),
        # Numbers in words, letters without brackets, the code by the initials of its title, a chapter by its number.
        ("Notwithstanding subdivision two of section five and subdivision one of this section, kites fly.",
         [("notwithstanding", "5"), ("notwithstanding", "5.01:1")]),
        ("Notwithstanding section eight hundred ninety-nine-bb, kites fly.", [("notwithstanding", "899-bb")]),
        ("Notwithstanding chapter one hundred and eighty-six A, kites fly.", []),
        ("Except as provided in subsection 2 or § 5.02, kites fly.",
         [("subject_to", "5.01:2"), ("subject_to", "5.02")]),
        ("Except as provided in paragraph b of this subsection, kites fly.", [("subject_to", "5.01:1:b")]),
        ("Except as provided in paragraph a person may fly.", []),
        ("Notwithstanding KRC 6.01 and 5.02, kites fly.", [("notwithstanding", "6.01"), ("notwithstanding", "5.02")]),
        ("Notwithstanding R.C. 6.01, kites fly.", [("notwithstanding", "6.01")]),
        ("Notwithstanding KRC 6 and ABC 5.02, kites fly.", [("notwithstanding", "chapter_6")]),
        ("Notwithstanding chapter 6 KRC, kites fly.", [("notwithstanding", "chapter_6")]),
        ("Notwithstanding subsection (2) of Code Section 5.01, kites fly.", [("notwithstanding", "5.01:2")]),
        ("This chapter 5 does not apply to toys.", [("disapplies", "chapter_5")]),
        ("Sections 5.02-6.01 do not apply to toys.", [("disapplies", "5.02"), ("disapplies", "6.01")]),
        ("Toys fly at no fee other than those set forth in section 5.02.", [("subject_to", "5.02")]),
        ("No toys fly, with the exception of section 5.02.", [("subject_to", "5.02")]),
        ("Flight is subject to the defenses in section 5.02.", [("subject_to", "5.02")]),
        ("Toys are banned whether or not subject to section 5.02.", []),
        # "Paragraph (A)" is none of the section's own "(a)", which another level has.
        ("Subparagraph (B) does not apply to toys.", []),
    ],
)  # fmt: skip
def test_words_that_except_reach_the_provision_they_name(text: str, expected: list[tuple[str, str]]) -> None:
    if text.startswith("Subparagraph"):
        assert [target for _, target in links(text)] == [""]
    else:
        assert [link for link in links(text) if link[1] != "5.01:1:a"] == expected


def test_code_that_is_named_otherwise_is_another_law() -> None:
    text = "Notwithstanding section 6.01 of the Revised Code, kites fly."
    assert links(text, title="Kite Laws 2021") == [("notwithstanding", "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As used in this subdivision, “kite” means a toy.", [("kite", "5.01:1", False)]),
        ("For purposes of division (1)(a) of this section, “kite” means a toy.", [("kite", "5.01:1:a", False)]),
        ("As used in this section and of section 5.02, “kite” means a toy.",
         [("kite", "5.01", False), ("kite", "5.02", False)]),
        ("As used in this section, and in chapter 6, “kite” means a toy.",
         [("kite", "5.01", False), ("kite", "chapter_6", False)]),
        ("In this chapter and for purposes of section 6.01, “kite” means a toy.",
         [("kite", "chapter_5", False), ("kite", "6.01", False)]),
        # Each term of a sentence has the words before it.
        ("In section 6.01 “gift” means a toy, and in this section “kite” means a bird.",
         [("gift", "6.01", False), ("kite", "5.01", False)]),
        ("In this chapter, “gift” means a toy made for purposes of section 6.01, and “kite” means a bird.",
         [("gift", "chapter_5", False), ("kite", "chapter_5", False)]),
        # A unit that could not be read is not all that the term is for.
        ("As used in this section, section two hundred twenty and article eight, “kite” means a toy.",
         [("kite", "5.01", True)]),
        # What is left out is no scope.
        ("“Kite”, except when used in section 6.01, means a toy.", [("Kite", "5.01", True)]),
        ("As used in this section the “rate” at which a kite is flown shall be deemed to include wind.",
         [("rate", "5.01", False)]),
        ("For purposes of this section, “kite” and “toy” shall each have the meaning given in section 6.01.",
         [("kite", "5.01", False), ("toy", "5.01", False)]),
        ("“Kite” (or “flyer”) means a toy.", [("Kite", "5.01", True), ("flyer", "5.01", True)]),
        ("A toy commonly known as a “kite” is banned.", []),
        # Every unit of a list counts, whatever it is called, and what is taken out behind the verb too.
        ("As used in this chapter 5 and chapter 6 of this title, “kite” means a toy.",
         [("kite", "chapter_5", False), ("kite", "chapter_6", False)]),
        ("For purposes of subdivision one of this section and subdivision three of section ninety, “kite” means a toy.",
         [("kite", "5.01:1", False)]),
        ("For purposes of this section and that Schedule, “kite” means a toy.", [("kite", "5.01", True)]),
        ("As used in KRC 5.02 to 6.01, “kite” means a toy.", [("kite", "5.02", False), ("kite", "6.01", False)]),
        ("As used in this code, other than chapter 6, “kite” means a toy.",
         [("kite", "5.01", False), ("kite", "5.02", False)]),
        ("As used in this chapter, “kite” means (except for purposes of section 5.02) a toy.",
         [("kite", "5.01", False), ("kite", "chapter_6", False)]),
        ("For purposes of the preceding sentence, “kite” means a toy.", [("kite", "5.01:1:a", True)]),
        ("For purposes of subsection (9)(b), “kite” means a toy.", [("kite", "5.01", True)]),
        ("In this chapter kites fly by state law (as “state” is defined in section 6.01).", [("state", "5.01", True)]),
        ("As used in this division, “kite” means a toy.", [("kite", "5.01:1:a", False)]),
        ("A flyer “pulls unlawfully” on a line when it breaks.", [("pulls unlawfully", "5.01", True)]),
        ("“Kite” has its ordinary meaning and occurs when it flies.", [("Kite", "5.01", True)]),
        ("In this chapter, “kite” (except in the phrase “kite line”) means a toy.", [("kite", "chapter_5", False)]),
        ("For purposes of this Code section, “kite” means a toy.", [("kite", "5.01", False)]),
        ("For the purposes of this chapter, the terms defined in this section have the meanings given them.", []),
        ("“Kite,” as used in any provision of this code, refers to a toy.", [("Kite", "", False)]),
        ("“CTO” stands for the Chief Toy Officer.", [("CTO", "5.01", True)]),
    ],
)  # fmt: skip
def test_definition_has_its_terms_and_scope(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert scopes(text) == expected


@pytest.mark.parametrize(
    ("lead", "inferred", "scope"),
    [
        ("For the purposes of §§ 5.02 and 6.01:", False, {"5.02", "6.01"}),
        ("As used in ss. 5.02-7.01:", False, {"5.02", "6.01", "7.01"}),
        ("In this chapter (the Kite Act):", False, {"chapter_5"}),
        ("In this chapter, except in section 5.02 and section 6.01—", False, {"7.01"}),
        ("In divisions A and B of chapters 5 and 6—", True, {"7.01"}),
        # It states law and introduces no definitions.
        ("Toys are no goods for the purposes of this chapter:", True, {"7.01"}),
    ],
)
def test_lead_in_gives_a_scope_where_it_introduces_definitions(lead: str, inferred: bool, scope: set[str]) -> None:
    document = law(
        CODE, ("chapter_5", "chapter"), ("5.02", "section", "Wind blows."), ("6.01", "section", "Rain falls."),
        ("7.01", "section", lead, "Toys"), ("7.01:1", "subsection", "“Kite” means a toy."),
    )  # fmt: skip
    found = defined(document, "us-oh")
    assert {definition.scope_urn.removeprefix(f"{CODE}:") for definition in found} == scope
    assert {definition.inferred for definition in found} == {inferred}


@pytest.mark.parametrize("text", ["For purposes of this subtitle, “kite” means a toy.", "“Kite” means a toy."])
def test_list_beside_a_definition_gives_it_no_scope(text: str) -> None:
    document = law(
        CODE, ("chapter_5", "chapter"), ("5.01", "section", "", "Kites"), ("5.01:a", "subsection", text),
        ("5.01:b", "subsection", "For purposes of this section, the following definitions apply:"),
        ("5.01:b:1", "paragraph", "The term “tail” means a line."),
    )  # fmt: skip
    found = {
        definition.term.lower(): (definition.scope_urn, definition.inferred)
        for definition in defined(document, "us-oh")
    }
    assert found["kite"][1], "neither a subtitle that the law lacks nor a sister's list gives a scope"
    assert found["tail"] == (f"{CODE}:5.01", False)


@pytest.mark.parametrize(
    ("lead", "text", "terms"),
    [
        ("The following terms have the meanings given:", "“Kite.” A toy that flies.", ["Kite"]),
        ("The following terms have the meanings given:", "Light kite. A toy that flies.", ["Light kite"]),
        ("The following terms have the meanings given:", "Open kite: Toys that fly.", ["Open kite"]),
        ("When used in this code:", "A light kite is any toy that flies.", ["light kite"]),
        ("When used in this code:", "Flying. A person may fly.", []),
        # What the law says of a thing that it has just defined is no definition, nor is a sentence of a caption.
        ("For purposes of this section, the term kite includes a toy.", "A kite is a danger when it flies.", ["kite"]),
        ("The word or a term, defined in this section, has the same meaning here:", "Toys fly.", []),
    ],
)
def test_item_of_a_list_of_definitions_needs_no_verb(lead: str, text: str, terms: list[str]) -> None:
    document = law(CODE, ("5.01", "section", lead, "Kites"), ("5.01:1", "subsection", text))
    assert [definition.term for definition in defined(document, "us-oh")] == terms


@pytest.mark.parametrize(
    ("caption", "text", "found"),
    [
        ("Flyer.", "A person who, for a fee, flies kites or sells them.", ["Flyer"]),
        ("Flyer.", "A person shall fly.", []),
        ("Scope.", "All toys that fly.", []),
        ("Toys that are not kites.", "A toy that falls.", []),
    ],
)
def test_caption_in_a_section_of_definitions_is_a_term_where_its_text_only_says_what_that_is(
    caption: str, text: str, found: list[str]
) -> None:
    document = law(CODE, ("5.01", "section", "", "Definitions"), ("5.01:a", "subsection", text, caption))
    assert [definition.term for definition in defined(document, "us-oh")] == found


def test_caption_gives_way_to_the_sentence_that_repeats_it_and_keeps_its_scope_to_itself() -> None:
    document = law(
        CODE, ("chapter_5", "chapter"), ("5.01", "section", "The following definitions apply:", "Definitions"),
        ("5.01:a", "subsection", "Kite. As used in this chapter, the term kite means a toy."),
        ("5.01:b", "subsection", "Line means a cord."),
        ("5.02", "section", "Wind blows.", "Wind"),
    )  # fmt: skip
    document.nodes[3].marks = [Mark(0, 5, "italic"), Mark(40, 44, "italic")]
    document.nodes[4].marks = [Mark(0, 4, "italic")]
    found = {
        definition.term.lower(): (definition.scope_urn.removeprefix(f"{CODE}:"), definition.inferred)
        for definition in defined(document, "us-oh")
    }
    assert found["kite"] == ("chapter_5", False)
    assert found["line"][1], "another term's own words give no scope"


def test_term_in_the_caption_of_a_list_is_what_its_qualified_items_define() -> None:
    document = law(
        CODE, ("5.01", "section", "As used in this code:", "Definitions"), ("5.01:a", "subsection", "Class:"),
        ("5.01:a:1", "paragraph", "As used with respect to kites, lines, and tails, means a group."),
    )  # fmt: skip
    document.nodes[2].marks = [Mark(0, 6, "italic")]
    assert [definition.term for definition in defined(document, "us-oh")] == ["Class"]


@pytest.mark.parametrize(
    ("heading", "text", "terms"),
    [
        ("Meaning of “light kite”", "Subject to section 5.02, a light kite is a toy.", ["light kite"]),
        ("Light kite defined", "A light kite is the best toy.", ["light kite"]),
        ("Light kite", "A light kite is any toy without a tail.", ["light kite"]),
        ("Light kite", "The light kite is a danger.", []),
    ],
)
def test_heading_shows_that_a_sentence_says_what_a_thing_is(heading: str, text: str, terms: list[str]) -> None:
    document = law(CODE, ("5.01", "section", text, heading), ("5.02", "section", "Wind blows."))
    assert [definition.term for definition in defined(document, "us-oh")] == terms


@pytest.mark.parametrize(
    ("text", "kinds", "scope"),
    [
        (
            "Except as stated in Rule 12(a) or (b), a flyer must land.",
            [("subject_to", "12:a"), ("subject_to", "12:b")],
            "",
        ),
        ("These rules do not apply to toys.", [("disapplies", "")], ""),
        ("In this rule and Rule 12, “kite” means a toy.", [], "4 12"),
        ("In these rules, “kite” means a toy.", [], " "),
    ],
)
def test_rules_of_court_cite_each_other_as_rules(text: str, kinds: list[tuple[str, str]], scope: str) -> None:
    rules = "urn:lex:us:rules-of-flight"
    document = law(
        rules, ("4", "rule", text, "Flight"), ("12", "rule", "", "Landing"), ("12:a", "subsection", "Land."),
        ("12:b", "subsection", "Stop."),
    )  # fmt: skip
    document.nodes[0].level = "law"
    found = defined(document, "us")
    below = [
        (link.kind, link.target_urn.removeprefix(rules).lstrip(":")) for link in document.links if link.kind != "cites"
    ]
    assert below == kinds
    assert [definition.scope_urn.removeprefix(rules).lstrip(":") for definition in found] == (
        scope.split() or [""] * len(found)
    )
    assert not any(definition.inferred for definition in found)


@pytest.mark.parametrize("name", ["NKRC", "N.K.R.C.", "K.R.C.", "R.C.", "Revised Code"])
def test_code_is_named_by_the_initials_of_its_title_or_of_the_last_words_of_it(name: str) -> None:
    words, target = (f"chapter 6 {name}", "chapter_6") if " " in name else (f"{name} 6.01", "6.01")
    assert links(f"Notwithstanding {words}, kites fly.", title="North Kite Revised Code") == [
        ("notwithstanding", target)
    ]


def test_part_of_its_section_that_was_not_found_makes_no_wider_scope() -> None:
    document = law(
        CODE, ("chapter_5", "chapter"), ("5.01", "section", "", "Definitions"),
        ("5.01:1", "subsection", "For purposes of subsection (9)(b), “kite” means a toy."),
        ("5.02", "section", "Wind blows.", "Wind"),
    )  # fmt: skip
    assert [(definition.scope_urn, definition.inferred) for definition in defined(document, "us-oh")] == [
        (f"{CODE}:5.01", True)
    ]


def test_rule_is_no_section_of_a_code() -> None:
    assert links("Notwithstanding Rule 5.02, kites fly.") == []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Kite Act or KA means the law.", ["Kite Act", "KA"]),
        ("Absorption. The point at which a line is paid.", ["Absorption"]),
    ],
)
def test_italics_open_an_item_of_a_list_of_definitions(text: str, terms: list[str]) -> None:
    document = law(
        CODE, ("5.01", "section", "The following definitions apply:", "Definitions"), ("5.01:a", "subsection", text)
    )
    item = document.nodes[-1]
    stop = text.find(".") if text.startswith("A") else text.find(" means")
    item.marks = [Mark(0, stop, "italic")]
    assert [definition.term for definition in defined(document, "us-oh")] == terms


def test_section_of_an_act_on_its_own_may_be_said_to_be_of_this_act() -> None:
    document = law(
        CODE, ("1", "section", "As used in Sections 1 and 3 of this Act, “kite” means a toy.", "Kites"),
        ("2", "section", "Wind blows."), ("3", "section", "Rain falls."),
    )  # fmt: skip
    assert [(definition.scope_urn, definition.inferred) for definition in defined(document, "us-oh")] == [
        (f"{CODE}:1", False), (f"{CODE}:3", False),
    ]  # fmt: skip


def test_range_printed_as_one_number_is_a_range_unless_a_section_has_that_number() -> None:
    title = "urn:lex:us:98usc"

    def governed(*numbers: str) -> list[str]:
        text = "In sections 117 and 118–121 of this title, “kite” means a toy."
        document = law(title, *((number, "section", "Wind blows.") for number in numbers), ("102", "section", text))
        document.nodes[0].level, document.nodes[0].structure_type = "title", "TITLE"
        return [definition.scope_urn.removeprefix(f"{title}:") for definition in defined(document, "us")]

    assert governed("117", "118", "119", "121", "122") == ["117", "118", "119", "121"]
    assert governed("117", "118", "118-121", "121") == ["117", "118-121"]
