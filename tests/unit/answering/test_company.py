"""A sentence that the law limits elsewhere is never served without what limits it."""

from __future__ import annotations

import pytest
from company_cases import BAN, RULE, SECTION, answer, block
from requirements import requirement

from rag.answering.limits.provisions import MOST


@requirement("P3")
@pytest.mark.parametrize(
    ("language", "says", "limit"),
    [
        ("en", BAN, "However, a vessel in distress may use any mooring."),
        ("en", BAN, "No licence is required for a vessel in distress."),
        ("en", BAN, "This section does not apply to a vessel in distress."),
        ("en", "The owner must return the deposit.", "The owner may keep it if the hirer has damaged the vessel."),
        ("fr", "Le bailleur doit rendre le dépôt.", "Toutefois, cette obligation ne s'applique pas aux meublés."),
        ("fr", "Le bailleur doit rendre le dépôt.", "Cette règle n'est pas applicable aux meublés."),
        ("de", "Der Mieter muss die Miete zahlen.", "Eine Mahnung ist nicht erforderlich."),
        ("de", "Der Mieter muss die Miete zahlen.", "Dies gilt nicht, wenn die Wohnung unbewohnbar ist."),
        ("ja", "何人も船を係留してはならない。", "ただし、遭難した船については、この限りでない。"),
    ],
)
def test_the_next_sentence_that_takes_something_back_follows_the_claim(language: str, says: str, limit: str) -> None:
    whole = block(1, RULE, f"{says} {limit} The fee is 20 dollars.")
    told, warned = answer(whole, says=says, language=language)
    assert told == [(says, False), (limit, True)]
    assert warned == []


@pytest.mark.parametrize(
    ("language", "says", "following"),
    [
        ("en", BAN, "The harbourmaster shall keep a list. However, it is secret."),
        ("fr", "Le bailleur doit rendre le dépôt.", "Le dépôt n'est pas un loyer."),
        ("de", "Der Mieter muss die Miete zahlen.", "Die Wohnung ist im Vertrag nicht beschrieben."),
    ],
)
def test_a_next_sentence_that_takes_nothing_back_does_not_follow(language: str, says: str, following: str) -> None:
    told, _ = answer(block(1, RULE, f"{says} {following}"), says=says, language=language)
    assert told == [(says, False)]


@requirement("P3")
@pytest.mark.parametrize(
    ("urn", "role", "text", "added"),
    [
        ("urn:lex:us:x:5:2", "rule", "Subsection (1) does not apply to a vessel in distress.", True),
        ("urn:lex:us:x:5:2", "exception", "Subsection (1) does not apply to a vessel in distress.", True),
        ("urn:lex:us:x:5:2:b", "rule", "Despite subsection (1), a council may use a mooring.", True),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 5, a council may use a mooring.", True),
        ("urn:lex:us:x:8", "rule", "Notwithstanding section 5, a council may use a mooring.", True),
        ("urn:lex:us-dc:y:8", "exception", "Notwithstanding 9 X.Y. 5, a council may use a mooring.", True),
        ("urn:lex:us:x:5:4", "rule", "Subsections (1) to (3) do not apply to a council.", True),
        ("urn:lex:us:x:5:4", "rule", "Subsections (3), (2) and (1) do not apply to a council.", True),
        ("urn:lex:us:x:9", "exception", "Sections 3 through 7 do not apply to a council.", True),
        ("urn:lex:us:x:9", "exception", "Sections 3, 5 and 7 do not apply to a council.", True),
        ("urn:lex:us:x:9", "exception", "Sections 6 to 8 do not apply to a council.", False),
        ("urn:lex:us:x:5:4", "rule", "Subsections (2) to (3) do not apply to a council.", False),
        ("urn:lex:us:x:5:2", "rule", "Subsection (3) does not apply to a vessel in distress.", False),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 5(1), a council may use a mooring.", True),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 5(2) and (1), a council may use a mooring.", True),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 5(2), a council may use a mooring.", False),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 51, a council may use a mooring.", False),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 5.2, a council may use a mooring.", False),
        ("urn:lex:us:x:8", "rule", "Subsection (1) does not apply to a council.", False),
        ("urn:lex:us:x:8", "rule", "Section 5 shall be read with this section.", False),
        ("urn:lex:us-dc:y:8", "rule", "Notwithstanding section 5, a council may use a mooring.", False),
    ],
)
def test_what_sets_the_cited_provision_aside_by_name_follows_the_claim(
    urn: str, role: str, text: str, added: bool
) -> None:
    told, _ = answer(block(1, RULE, BAN), block(2, urn, text, role=role))
    assert told == [(BAN, False), *([(text, True)] if added else [])]


@requirement("P3")
@pytest.mark.parametrize(
    ("urn", "role", "text", "added"),
    [
        ("urn:lex:us:x:5:2", "rule", "This section does not apply to a vessel in distress.", True),
        ("urn:lex:us:x:5:2", "rule", "Nothing in this section prevents a council from using a mooring.", True),
        ("urn:lex:us:x:5:2", "rule", "This section applies only to a vessel with an engine.", True),
        ("urn:lex:us:x:5:2", "rule", "A vessel in distress is exempt from this section.", True),
        ("urn:lex:us:x:5:2", "rule", "However, a vessel in distress may use any mooring.", True),
        ("urn:lex:us:x:5:2", "rule", "The preceding subsection does not apply to a council.", True),
        ("urn:lex:us:x:8", "exception", "This chapter does not apply to a council.", True),
        ("urn:lex:us:x:5:3", "rule", "However, a vessel in distress may use any mooring.", False),
        ("urn:lex:us:x:5:2", "rule", "Except at night, no person may enter the harbor office.", False),
        ("urn:lex:us:x:5:2", "rule", "Unless the mayor agrees, the quay closes at 8 p.m.", False),
        ("urn:lex:us:x:5:3", "rule", "The preceding subsection does not apply to a council.", False),
        ("urn:lex:us:x:5:2", "rule", "This subsection does not apply to a council.", False),
        ("urn:lex:us:x:8", "exception", "This section does not apply to a council.", False),
        ("urn:lex:us:x:5:2", "rule", "This section shall be read with chapter 3.", False),
    ],
)
def test_a_sister_that_limits_this_section_or_what_precedes_it_follows_the_claim(
    urn: str, role: str, text: str, added: bool
) -> None:
    between = [block(3, "urn:lex:us:x:5:2", "A licence costs 20 dollars.")] if urn.endswith(":5:3") else []
    told, _ = answer(block(1, RULE, BAN), *between, block(2, urn, text, role=role))
    assert told == [(BAN, False), *([(text, True)] if added else [])]


@pytest.mark.parametrize(
    ("language", "says", "limit"),
    [
        ("fr", "Le bailleur doit rendre le dépôt.", "Le présent article ne s'applique pas aux meublés."),
        ("fr", "Le bailleur doit rendre le dépôt.", "Cet article n'est applicable qu'aux logements vides."),
        ("de", "Der Mieter muss die Miete zahlen.", "Diese Vorschrift gilt nur für Wohnräume."),
        ("de", "Der Mieter muss die Miete zahlen.", "Diese Vorschrift ist nicht anzuwenden auf Ferienwohnungen."),
        ("ja", "何人も船を係留してはならない。", "前項の規定は、遭難した船については、適用しない。"),
        ("fr", "Le bailleur doit rendre le dépôt.", "Les alinéas 1 et 3 ne s'appliquent pas aux meublés."),
        ("de", "Der Mieter muss die Miete zahlen.", "Die Absätze 1 bis 3 gelten nicht für Ferienwohnungen."),
        ("de", "Der Mieter muss die Miete zahlen.", "Die Absätze 3 und 1 gelten nicht für Ferienwohnungen."),
        ("ja", "何人も船を係留してはならない。", "第一項の規定は、遭難した船については、適用しない。"),
        ("ja", "何人も船を係留してはならない。", "この条の規定は、遭難した船については、適用しない。"),
    ],
)
def test_a_sister_limits_this_provision_in_the_words_of_each_language(language: str, says: str, limit: str) -> None:
    told, _ = answer(block(1, RULE, says), block(2, "urn:lex:us:x:5:2", limit), says=says, language=language)
    assert told == [(says, False), (limit, True)]


OPENS = "Subsection (1) does not apply to:"


@pytest.mark.parametrize(
    ("limit", "follows"),
    [
        ("Notwithstanding any provision of this chapter, a licence for a mooring may be used by any person.", True),
        ("Notwithstanding any provision of this chapter, the fee of an inspector is due at once.", False),
        ("This chapter does not apply to vessels of the state.", True),
    ],
)
def test_what_prevails_over_a_whole_chapter_limits_only_what_it_is_about(limit: str, follows: bool) -> None:
    told, _ = answer(block(1, RULE, BAN), block(2, "urn:lex:us:x:9:1", limit, role="exception"))
    assert [text for text, _ in told] == ([BAN, limit] if follows else [BAN])


def test_a_limiting_sentence_that_opens_a_list_comes_with_its_items() -> None:
    two = "urn:lex:us:x:5:2"
    told, warned = answer(
        block(1, RULE, BAN),
        block(2, two, OPENS),
        block(3, f"{two}:a", "ferries;", lead_in=OPENS),
        block(4, f"{two}:b", "a vessel in distress.", lead_in=OPENS),
    )
    assert told == [(BAN, False), (f"{OPENS} ferries; a vessel in distress.", True)]
    assert warned == []


def test_the_sentences_after_a_list_are_told_after_it_as_its_own_words() -> None:
    two, after = "urn:lex:us:x:5:2", "The harbor master keeps a list of them."
    opening = block(2, two, f"{OPENS}\n{after}").model_copy(update={"after_children": len(OPENS) + 1})
    told, _ = answer(
        block(1, RULE, BAN),
        opening,
        block(3, f"{two}:a", "ferries;", lead_in=OPENS),
        block(4, f"{two}:b", "a vessel in distress.", lead_in=OPENS),
    )
    assert told == [(BAN, False), (f"{OPENS} ferries; a vessel in distress. {after}", True)]


def test_a_nested_list_is_one_claim_with_the_lead_in_of_each_inner_list() -> None:
    two = "urn:lex:us:x:5:2"
    inner = f"{OPENS} a vessel of"
    told, _ = answer(
        block(1, RULE, BAN),
        block(2, two, OPENS),
        block(3, f"{two}:a", "a vessel of", lead_in=OPENS, flush="under command."),
        block(4, f"{two}:a:i", "the harbor police; or", lead_in=inner, flush="under command."),
        block(5, f"{two}:a:ii", "a fire department", lead_in=inner, flush="under command."),
        block(6, f"{two}:b", "a ferry. It keeps a timetable.", lead_in=OPENS),
    )
    assert told == [
        (BAN, False),
        (
            f"{inner} the harbor police; or a fire department under command. {OPENS} a ferry. It keeps a timetable.",
            True,
        ),
    ]


def test_an_item_that_names_the_provision_itself_comes_with_its_list() -> None:
    two, opens = "urn:lex:us:x:5:2", "The following do not apply to a council:"
    told, _ = answer(
        block(1, RULE, BAN),
        block(2, two, opens),
        block(3, f"{two}:a", "subsection (1);", lead_in=opens),
        block(4, f"{two}:b", "section 9.", lead_in=opens),
    )
    assert told == [(BAN, False), (f"{opens} subsection (1); section 9.", True)]


def test_items_that_end_in_full_stops_in_one_text_stay_with_the_words_that_open_them() -> None:
    text = f"{OPENS}\n(a) A vessel in distress.\n(b) A council. It pays nothing."
    told, _ = answer(block(1, RULE, BAN), block(2, "urn:lex:us:x:5:2", text))
    assert told == [(BAN, False), (f"{OPENS}\n(a) A vessel in distress.\n(b) A council.", True)]


@requirement("P10")
@pytest.mark.parametrize("items", [0, 500])
def test_a_list_that_is_not_there_or_too_long_is_named(items: int) -> None:
    two = "urn:lex:us:x:5:2"
    long = [block(3 + number, f"{two}:{number}", "a vessel;", lead_in=OPENS) for number in range(items)]
    told, warned = answer(block(1, RULE, BAN), block(2, two, OPENS), *long)
    assert told == [(BAN, False)]
    assert len(warned) == 1
    assert two in warned[0]


def test_what_the_answer_tells_anyway_is_not_told_twice() -> None:
    limit = "Subsection (1) does not apply to a vessel in distress."
    other = "urn:lex:us:x:5:2"
    told, _ = answer(block(1, RULE, BAN), block(2, other, limit), also=((other, limit),))
    assert told == [(BAN, False), (limit, False)]


def test_of_a_federal_rule_that_may_preempt_the_nearest_sentence_follows_the_claim() -> None:
    says = "A ferry may carry 150 passengers."
    federal = "A ticket is personal. No ferry shall carry more than 90 passengers."
    state = block(1, "urn:lex:us-or:f:1", says)
    told, _ = answer(state, block(2, "urn:lex:us:49x:1", federal, role="federal"), says=says)
    assert told == [(says, False), ("No ferry shall carry more than 90 passengers.", True)]
    elsewhere = block(2, "urn:lex:us:49x:1", federal, role="federal", applies_to="urn:lex:us:x:9")
    told, _ = answer(state, elsewhere, says=says)
    assert told == [(says, False)]


@requirement("P3")
@pytest.mark.parametrize(("item", "told_of"), [("carry more than 90 passengers; or", True), ("", False)])
def test_what_limits_a_claim_is_told_though_its_list_goes_on_elsewhere(item: str, told_of: bool) -> None:
    says, opens = "A ferry may carry 150 passengers.", "It is unlawful for a ferry to do any of the following:"
    law = [block(2, "urn:lex:us:49x:1", opens, role="federal")]
    if item:
        law = [block(3, "urn:lex:us:49x:1:a", item, role="federal", lead_in=opens)]
    told, warned = answer(block(1, "urn:lex:us-or:f:1", says), *law, says=says)
    assert told == [(says, False), *([(f"{opens} {item}", True)] if told_of else [])]
    assert ["urn:lex:us:49x:1" in text for text in warned] == ([] if told_of else [True])


@requirement("P10")
def test_provisions_beyond_the_most_that_an_answer_takes_are_named() -> None:
    others = [
        block(number, f"urn:lex:us:x:5:{number}", f"Subsection (1) does not apply to a boat of kind {number}.")
        for number in range(2, MOST + 4)
    ]
    told, warned = answer(block(1, RULE, BAN), *others)
    assert len(told) == 1 + MOST
    assert len(warned) == 1
    assert all(block_.urn in warned[0] for block_ in others[MOST:])
    assert others[0].urn not in warned[0].split()


@pytest.mark.parametrize(
    ("above", "added"),
    [
        ("A vessel must be moored in accordance with paragraphs (a)(1), or (a)(2), or (a)(3) of this section.", True),
        ("A vessel must be moored as paragraph (2) says.", True),
        ("A vessel must be moored in accordance with paragraphs (a)(1) and (a)(3) of this section.", False),
        ("A vessel must be moored within 2 days.", False),
    ],
)
def test_the_whole_sentence_that_leads_into_a_provision_by_naming_it_is_told(above: str, added: bool) -> None:
    says = "Two anchors to the north."
    told, _ = answer(block(1, f"{SECTION}:a:2", says), block(2, f"{SECTION}:a", above), says=says)
    assert told == [(says, False), *([(above, True)] if added else [])]


@pytest.mark.parametrize(
    ("language", "says", "heading", "case"),
    [
        ("en", BAN, "Examples:", "Anna is in distress. This section does not apply to her boat."),
        ("en", BAN, "", "Example 1: Anna is in distress. This section does not apply to her boat."),
        ("de", "Der Mieter muss zahlen.", "Beispiele", "A ist krank. Dieser Paragraph gilt nicht für ihn."),
    ],
)
def test_a_worked_example_limits_nothing(language: str, says: str, heading: str, case: str) -> None:
    blocks = [
        block(1, RULE, says), block(2, f"{SECTION}:2", "").model_copy(update={"heading": heading}),
        block(3, f"{SECTION}:2:1", case),
    ]  # fmt: skip
    told, warned = answer(*blocks, says=says, language=language)
    assert (told, warned) == ([(says, False)], [])
