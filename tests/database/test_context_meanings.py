"""What C(R) says of meanings that its own words give, and of those that a definition only points to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import law
import pytest
from law import document, node
from oracle import STATE

from rag import Engine
from rag.answering.prompts import build_prompt
from rag.law.nodes import Corpus, Definition, Link
from retrieval.context.blocks import CHARACTERS_PER_TOKEN
from retrieval.context.compose import assemble
from retrieval.model import DOUBTS, ScopedContext
from retrieval.nodes import versions_by_urn

T = f"{STATE}:1"
R = f"{T}:1"
OTHER = "urn:lex:us-dc:oc"


@pytest.fixture(scope="module")
def store(stores: Any, empty_template: str) -> Iterator[Engine]:
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=200_000)) as engine:
        yield engine


@pytest.fixture
def engine(store: Engine) -> Engine:
    law.empty(store.database)
    return store


def meanings(context: ScopedContext) -> list[tuple[str, str, list[str], list[str]]]:
    return [
        (definition.term, definition.urn, definition.shadows, definition.applies_to)
        for definition in context.definitions
    ]


OUTER = [node(f"{T}:9", "“Unit” means a building.")]
OUTER_DEFINITION = Definition("unit", f"{T}:9", T)


def test_a_term_that_the_rule_only_defines_names_its_winner_and_what_that_shadows(engine: Engine) -> None:
    nodes = [node(T), node(R, "Words."), node(f"{R}:1", "“Unit” means a flat."), *OUTER]
    law.store(engine.database, document(nodes, [Definition("unit", f"{R}:1", R), OUTER_DEFINITION]))
    assert meanings(engine.context(R)) == [("unit", f"{R}:1", [f"{T}:9"], [R])]
    assert meanings(engine.context(f"{R}:1")) == [("unit", f"{R}:1", [f"{T}:9"], [f"{R}:1"])]
    assert f"{T}:9" not in engine.context(R).allow_list


def test_a_term_that_a_lead_in_defines_names_its_winner(engine: Engine) -> None:
    nodes = [node(T), node(R, intro_text="A flat (“unit”):"), node(f"{R}:1", "is dry."), *OUTER]
    law.store(engine.database, document(nodes, [Definition("unit", R, R), OUTER_DEFINITION]))
    assert meanings(engine.context(f"{R}:1")) == [("unit", R, [f"{T}:9"], [f"{R}:1"])]


def test_a_part_that_defines_a_term_for_itself_is_named_as_what_it_applies_to(engine: Engine) -> None:
    nodes = [node(T), node(R, "Words."), node(f"{R}:1", "“Unit” means a flat here."), *OUTER]
    law.store(engine.database, document(nodes, [Definition("unit", f"{R}:1", f"{R}:1"), OUTER_DEFINITION]))
    assert meanings(engine.context(R)) == [("unit", f"{R}:1", [f"{T}:9"], [f"{R}:1"])]


def test_a_definition_of_the_rule_for_other_provisions_governs_nothing_of_it(engine: Engine) -> None:
    nodes = [node(T), node(R, "In section 2, “unit” means a flat."), node(f"{T}:2", "A unit.")]
    law.store(engine.database, document(nodes, [Definition("unit", R, f"{T}:2")], used={f"{T}:2": ["unit"]}))
    assert meanings(engine.context(R)) == []
    assert meanings(engine.context(f"{T}:2")) == [("unit", R, [], [f"{T}:2"])]


def test_a_winner_that_stands_elsewhere_brings_no_block_for_a_term_that_nothing_uses(engine: Engine) -> None:
    nodes = [node(T), node(R, "Words."), node(f"{R}:1", "“Unit” means a flat."), *OUTER, node(f"{T}:8", "“Unit”: all.")]
    definitions = [Definition("unit", f"{R}:1", T), Definition("unit", f"{T}:8", R)]
    law.store(engine.database, document(nodes, definitions))
    context = engine.context(R)
    assert {block.role for block in context.blocks} == {"ancestor", "rule"}
    assert meanings(context) == []


@pytest.mark.parametrize("turn", [1, -1])
def test_what_a_meaning_of_another_document_needs_is_looked_for_around_the_rule(engine: Engine, turn: int) -> None:
    other = f"{STATE}:2"
    wide = document(
        [node(T), node(f"{T}:9", "“Unit” means a dwelling.")], [Definition("unit", f"{T}:9", STATE)],
        used={f"{T}:9": ["dwelling"]},
    )  # fmt: skip
    own = document(
        [
            node(other), node(f"{other}:1", "A unit."),
            node(f"{other}:8", "“Dwelling”: a house."), node(f"{other}:9", "“House”: walls."),
        ],
        [Definition("dwelling", f"{other}:8", other), Definition("house", f"{other}:9", other)],
        used={f"{other}:1": ["unit"], f"{other}:8": ["house"]},
    )  # fmt: skip
    law.store(engine.database, *[wide, own][::turn])
    found = meanings(engine.context(f"{other}:1"))
    assert [urn for _, urn, _, _ in found] == [f"{T}:9", f"{other}:8", f"{other}:9"]


@pytest.mark.parametrize(("year", "found"), [(2005, ["unit", "alpha"]), (2015, ["unit"])])
def test_a_definition_needs_what_its_words_at_the_date_use(engine: Engine, year: int, found: list[str]) -> None:
    definitions = [Definition("unit", f"{T}:9", T), Definition("alpha", f"{T}:8", T)]
    for edition, words, terms in ((2000, "an alpha", ["alpha"]), (2010, "a house", [])):
        nodes = [node(T), node(R, "A unit."), node(f"{T}:8", "“Alpha”: one."), node(f"{T}:9", f"“Unit” means {words}.")]
        used = {R: ["unit"], f"{T}:9": terms}
        law.store(engine.database, document(nodes, definitions, used=used, edition=date(edition, 1, 1)))
    assert [definition.term for definition in engine.context(R, at_date=date(year, 1, 1)).definitions] == found


def test_federal_law_over_a_part_of_a_chapter_is_named_where_a_rule_beside_it_needs_that_part(engine: Engine) -> None:
    chapter = f"{T}:c"
    nodes = [node(T), node(R, "A unit."), node(chapter, level="chapter"), node(f"{chapter}:9", "“Unit” means a house.")]
    law.store(engine.database, document(nodes, [Definition("unit", f"{chapter}:9", T)], used={R: ["unit"]}))
    law.preempt(engine, "urn:lex:us:tc:*", f"{chapter}:9")
    with engine.database.read() as conn:
        targets = versions_by_urn(conn, [R, chapter])
        found = assemble(conn, targets, date(2020, 1, 1), jurisdictions=["us-dc"], budget_tokens=200_000)
    assert [warning.urn for warning in found.warnings if warning.kind == "preemption"] == [chapter]


def test_a_pointer_leads_to_the_entry_of_its_term_in_another_document(engine: Engine) -> None:
    other = document(
        [
            node(f"{OTHER}:1"), node(f"{OTHER}:1:5", intro_text="In this law:"),
            node(f"{OTHER}:1:5:1", "“Fee” means a price."),
            node(f"{OTHER}:1:5:2", "“Unit” means a flat."),
        ],
        [Definition("fee", f"{OTHER}:1:5:1", f"{OTHER}:1"), Definition("unit", f"{OTHER}:1:5:2", f"{OTHER}:1")],
        in_corpus=Corpus(OTHER, "Other code", "en"),
    )  # fmt: skip
    pointer = Definition("unit", f"{T}:9", T, "reference", reference_urn=f"{OTHER}:1:5")
    nodes = [
        node(T),
        node(R, "A unit."),
        node(f"{T}:9", "“Unit” has the meaning given in section 5 of the other code."),
    ]
    law.store(engine.database, document(nodes, [pointer], used={R: ["unit"]}), other)
    context = engine.context(R)
    said = [
        (definition.urn, definition.relation, definition.scope_urn, definition.depth)
        for definition in context.definitions
    ]
    assert said == [(f"{T}:9", "reference", T, 0), (f"{OTHER}:1:5:2", "referenced", T, 1)]
    shown = {block.urn for block in context.blocks if "by reference" in block.reason}
    assert shown == {f"{OTHER}:1:5:2"}


def test_a_pointer_to_law_that_is_not_in_the_store_says_so(engine: Engine) -> None:
    pointer = Definition("unit", f"{T}:9", T, "reference", reference_urn=f"{OTHER}:1:5")
    nodes = [
        node(T),
        node(R, "A unit."),
        node(f"{T}:9", "“Unit” has the meaning given in section 5 of the other code."),
    ]
    law.store(engine.database, document(nodes, [pointer], used={R: ["unit"]}))
    context = engine.context(R)
    assert [definition.relation for definition in context.definitions] == ["reference"]
    assert [omitted.urn for omitted in context.omitted] == [f"{OTHER}:1:5"]
    assert [(warning.kind, "section 5 of the other code" in warning.message) for warning in context.warnings[-1:]] == [
        ("definition_elsewhere", True)
    ]


def test_law_that_the_rule_yields_to_and_that_no_grammar_places_is_named(engine: Engine) -> None:
    links = [Link(R, "subject_to", "section 5 of the Harbours Act"), Link(R, "cites", "section 6 of the Ports Act")]
    law.store(engine.database, document([node(T), node(R, "A unit.")], links=links))
    warnings = [warning for warning in engine.context(R).warnings if warning.kind == "exception_elsewhere"]
    assert [("Harbours Act" in warning.message, warning.urn) for warning in warnings] == [(True, R)]


def test_a_pointer_to_a_section_without_an_entry_brings_one_line_and_none_of_its_text(engine: Engine) -> None:
    nodes = [
        node(T), node(R, "A unit."), node(f"{T}:9", "“Unit” has the meaning given in section 5, “flat” in section 6."),
        node(f"{T}:5"), node(f"{T}:5:1", "A unit is kept dry."), node(f"{T}:5:2", "Nobody may kick it."),
    ]  # fmt: skip
    pointer = Definition("unit", f"{T}:9", T, "reference", reference_urn=f"{T}:5")
    law.store(engine.database, document(nodes, [pointer], used={R: ["unit"]}))
    context = engine.context(R)
    assert not [block.urn for block in context.blocks if f"{T}:5" in block.urn]
    assert [
        warning.urn
        for warning in context.warnings
        if warning.kind == "definition_elsewhere" and f"{T}:5" in warning.message
    ] == [R]


def test_a_pointer_to_a_paragraph_or_to_a_section_headed_with_its_term_brings_it(engine: Engine) -> None:
    for target, heading in ((f"{T}:5:1", ""), (f"{T}:5", "Meaning of unit")):
        law.empty(engine.database)
        nodes = [
            node(T), node(R, "A unit."), node(f"{T}:9", "“Unit” has the meaning given in section 5."),
            node(f"{T}:5", heading=heading), node(f"{T}:5:1", "Walls and a door."),
        ]  # fmt: skip
        pointer = Definition("unit", f"{T}:9", T, "reference", reference_urn=target)
        law.store(engine.database, document(nodes, [pointer], used={R: ["unit"]}))
        context = engine.context(R)
        assert f"{T}:5:1" in {block.urn for block in context.blocks if block.role == "definition"}
        assert [warning.kind for warning in context.warnings if warning.kind == "definition_elsewhere"] == []


def test_an_item_of_a_list_that_takes_the_rule_out_of_force_comes_with_the_words_above_it(engine: Engine) -> None:
    lead = "The following provisions of this title do not apply to barns:"
    nodes = [node(T), node(R, "Doors shall be shut."), node(f"{T}:2", intro_text=lead), node(f"{T}:2:1", "section 1.")]
    law.store(engine.database, document(nodes, [], [Link(f"{T}:2:1", "disapplies", "section 1", R)]))
    found = [block for block in engine.context(R).blocks if block.role == "exception"]
    assert [(block.urn, block.lead_in, block.text) for block in found] == [(f"{T}:2:1", lead, "section 1.")]


def test_words_that_siblings_share_are_printed_once_and_counted_once(stores: Any, empty_template: str) -> None:
    lead = "In this title, and wherever else its words are used, unless the context requires otherwise:"
    terms = [f"term{n}" for n in range(20)]
    nodes = [node(T), node(R, f"Words: {' '.join(terms)}."), node(f"{T}:9", intro_text=lead)]
    nodes += [node(f"{T}:9:{n}", f"“{term}” means it;") for n, term in enumerate(terms)]
    definitions = [Definition(term, f"{T}:9:{n}", T) for n, term in enumerate(terms)]
    one = document(nodes, definitions, used={R: terms})
    repeated = 20 * len(lead) // CHARACTERS_PER_TOKEN
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=repeated)) as small:
        law.store(small.database, one)
        context = small.context(R)
    assert context.omitted == []
    assert [block.lead_in for block in context.blocks if block.role == "definition"] == [lead] * 20
    printed = build_prompt(context, "A scenario.", language="en").input
    first = next(block.id for block in context.blocks if block.role == "definition")
    assert printed.count(lead) == 1
    assert printed.count(f"It continues: what block {first} continues") == 19


@pytest.mark.parametrize(
    ("other", "warned"),
    [("“Fee” means twenty dollars.", True), ("“Fee” means\nten dollars.", False), ("“Unit” means a flat.", False)],
)
def test_two_meanings_of_one_scope_are_both_served_with_a_warning(engine: Engine, other: str, warned: bool) -> None:
    nodes = [node(T), node(R, "Pay the fee."), node(f"{T}:8", "“Fee” means ten dollars."), node(f"{T}:9", other)]
    term = "fee" if "Fee" in other else "unit"
    definitions = [Definition("fee", f"{T}:8", T), Definition(term, f"{T}:9", T)]
    law.store(engine.database, document(nodes, definitions, used={R: ["fee"]}))
    context = engine.context(R)
    urns = [f"{T}:8", *([f"{T}:9"] if term == "fee" else [])]
    assert meanings(context) == [("fee", urn, [], [R]) for urn in urns]
    assert set(urns) <= set(context.allow_list)
    told = [warning for warning in context.warnings if warning.kind == "conflicting_definitions"]
    assert [warning.urn for warning in told] == [R] * warned
    assert all(urn in warning.message for warning in told for urn in urns)
    printed = build_prompt(context, "A scenario.", language="en").input
    assert ("“fee” has 2 meanings" in printed) is warned


@pytest.mark.parametrize(
    ("scope", "inferred", "noted", "warned"),
    [
        (T, False, False, True),  # it says itself that it governs what the meaning does
        (T, True, False, False),  # it stands beside the meaning, and adds to it
        (T, True, True, True),  # nothing tells how it relates to the meaning
        (R, False, False, False),  # it adds to the meaning for a part of what that governs
    ],
)
def test_an_inclusion_beside_a_meaning_is_told_as_a_conflict_where_it_may_be_one(
    engine: Engine, scope: str, inferred: bool, noted: bool, warned: bool
) -> None:
    nodes = [node(T), node(R, "Pay the fee."), node(f"{T}:8", "A fee is a price."), node(f"{T}:9", "Fees: all tips.")]
    definitions = [Definition("fee", f"{T}:8", T), Definition("fee", f"{T}:9", scope, "includes", inferred)]
    links = [Link(f"{T}:9", "may_define", "fee", T)] * noted
    law.store(engine.database, document(nodes, definitions, links, used={R: ["fee"]}))
    told = [warning for warning in engine.context(R).warnings if warning.kind == "conflicting_definitions"]
    assert [f"What {T}:9 says may only add to the other." in warning.message for warning in told] == [True] * warned


@pytest.mark.parametrize("outer", [f"{T}:9", "urn:lex:us-dc:tc"], ids=["one", "all"])
def test_a_halted_definition_shadows_nothing(engine: Engine, outer: str) -> None:
    """A void meaning in the rule's own section, or in another provision, lets the next closest one govern."""
    root = "urn:lex:us-dc:tc"
    nodes = [
        node(T), node(R, "Pay the fee."), node(f"{R}:1", "“Fee” means ten dollars."),
        node(f"{T}:9", "“Fee” means twenty dollars."),
    ]  # fmt: skip
    wide = document(
        [node("urn:lex:us-dc:tc:2"), node("urn:lex:us-dc:tc:2:1", "“Fee” means thirty dollars."),],
        [Definition("fee", "urn:lex:us-dc:tc:2:1", root)],
    )  # fmt: skip
    closest = [Definition("fee", f"{R}:1", R), Definition("fee", f"{T}:9", T)]
    law.store(engine.database, document(nodes, closest, used={R: ["fee"]}), wide)
    law.override(engine, f"{R}:1")
    if outer == root:
        law.override(engine, f"{T}:9", "ENJOINED")
    context = engine.context(R)
    struck, governs = ([f"{R}:1", f"{T}:9"], f"{root}:2:1") if outer == root else ([f"{R}:1"], f"{T}:9")
    blocks = {block.urn: block for block in context.blocks}
    assert [definition.urn for definition in context.definitions] == [governs]
    assert (blocks[governs].role, governs in context.allow_list) == ("definition", True)
    assert [blocks[urn].role for urn in struck] == ["warning"] * len(struck)
    assert "dollars" not in "".join(blocks[urn].text for urn in struck)
    [told] = [warning for warning in context.warnings if warning.kind == "void_definition"]
    assert all(urn in told.message for urn in [*struck, governs])


def test_a_term_whose_only_definition_is_halted_is_said_to_be_uncertain(engine: Engine) -> None:
    nodes = [node(T), node(R, "Pay the fee."), node(f"{T}:9", "“Fee” means twenty dollars.")]
    law.store(engine.database, document(nodes, [Definition("fee", f"{T}:9", T)], used={R: ["fee"]}))
    law.override(engine, f"{T}:9")
    context = engine.context(R)
    assert context.definitions == []
    [told] = [warning for warning in context.warnings if warning.kind == "void_definition"]
    assert told.message.endswith("what it means here is uncertain.")


def test_a_pointer_to_a_meaning_of_its_own_scope_is_no_conflict(engine: Engine) -> None:
    nodes = [
        node(T),
        node(R, "Pay the fee."),
        node(f"{T}:8", "“Fee” means ten dollars."),
        node(f"{T}:9", "“Fee”: see 8."),
    ]
    pointer = Definition("fee", f"{T}:9", T, "reference", reference_urn=f"{T}:8")
    law.store(engine.database, document(nodes, [Definition("fee", f"{T}:8", T), pointer], used={R: ["fee"]}))
    assert [warning.kind for warning in engine.context(R).warnings if warning.kind.startswith("conf")] == []


@pytest.mark.parametrize(
    ("rule", "source", "shown"), [("unit", "unit", True), ("unit", "fee", False), ("", "fee", True), ("unit", "", True)]
)
def test_an_exception_to_a_whole_title_is_shown_where_it_shares_a_term_and_named_otherwise(
    engine: Engine, rule: str, source: str, shown: bool
) -> None:
    words = "Notwithstanding any other provision of this title, doors are shut."
    nodes = [node(T), node(R, "A rule."), node(f"{T}:2", words)]
    used = {urn: [term] for urn, term in ((R, rule), (f"{T}:2", source)) if term}
    link = Link(f"{T}:2", "notwithstanding", "this title", T)
    law.store(engine.database, document(nodes, [], [link], used))
    context = engine.context(R)
    assert [block.urn for block in context.blocks if block.role == "exception"] == [f"{T}:2"] * shown
    told = [warning.message for warning in context.warnings if warning.kind == "general_exceptions"]
    said = "1 provision elsewhere says where all of “Heading 1” does not apply or what it leaves alone: "
    assert told == [f"{said}{T}:2 (Heading 2): “{words}”."] * (not shown)


@pytest.mark.parametrize(
    ("kind", "part", "heading", "shown"),
    [
        ("notwithstanding", 2, "Doors", False),
        ("excepts", 2, "Doors", False),
        ("limits", 2, "Doors", False),
        ("disapplies", 2, "Doors", False),
        ("applies", 2, "Doors", True),
        ("limits", 2, "Payments at doors", True),
        ("disapplies", 2, "Payments at doors", True),
        ("limits", 2, "Paying", False),
        ("notwithstanding", 1, "Doors", True),
        ("limits", 1, "Doors", True),
        ("notwithstanding", 3, "Doors", False),
        ("notwithstanding", 3, "Payments at doors", True),
        ("limits", 3, "Doors", False),
        ("disapplies", 3, "Doors", True),
    ],
)
def test_what_sets_a_title_aside_without_the_words_of_the_rule_s_heading_is_named_in_a_line(
    engine: Engine, kind: str, part: int, heading: str, shown: bool
) -> None:
    """From the first part, where general provisions stand, it is shown, and so is what has the words of the rule's
    heading, what says to whom the title applies, and what leaves something out of it in the rule's own part."""
    subjects = {1: "General", 2: "Walls", 3: "Rents"}
    parts = [node(f"{T}:{number}", heading=heading_, kind="section") for number, heading_ in subjects.items()]
    rule, source, words = f"{T}:3:30", f"{T}:{part}:9", "Notwithstanding this title, doors are shut."
    nodes = [node(T), *parts, node(rule, "Paying is due.", heading="Payments"), node(source, words, heading=heading)]
    law.store(engine.database, document(nodes, [], [Link(source, kind, "this title", T)]))
    context = engine.context(rule)
    assert [block.urn for block in context.blocks if block.role == "exception"] == [source] * shown
    told = [warning.message for warning in context.warnings if warning.kind == "general_exceptions"]
    assert [f"{source} ({heading}): “{words}”." in message for message in told] == [True] * (not shown)


@pytest.mark.parametrize(
    ("kind", "source", "term", "shown"),
    [
        ("disapplies", f"{T}:2:9", "unit", False),
        ("disapplies", f"{T}:2:9", "fee", True),
        ("disapplies", f"{T}:1:9", "unit", True),
        ("disapplies", f"{T}:9", "unit", True),
        ("disapplies", f"{STATE}:2:9", "unit", False),
        ("applies", f"{T}:2:9", "unit", True),
    ],
)
def test_what_a_part_leaves_out_of_a_title_is_shown_where_it_shares_a_term(
    engine: Engine, kind: str, source: str, term: str, shown: bool
) -> None:
    """What the title's own provisions, in none of its parts or in the first, leave out of it is always shown, and so
    is to whom it applies."""
    rule, used = f"{T}:2:1", {f"{T}:2:1": ["fee"], source: [term]}
    parts = [node(f"{T}:{number}", kind="section") for number in (1, 2)]
    titles = {T: [node(T), *parts, node(rule, "A fee is due.", heading="Fees")], f"{STATE}:2": [node(f"{STATE}:2")]}
    titles[":".join(source.split(":")[:5])].append(node(source, "Not to this.", heading="Scope"))
    links = [Link(source, kind, "this title", T)]
    for nodes in titles.values():
        law.store(engine.database, document(nodes, [], links if nodes[-1].urn == source else [], used))
    context = engine.context(rule)
    assert [block.urn for block in context.blocks if block.role == "exception"] == [source] * shown
    told = [warning.message for warning in context.warnings if warning.kind == "general_exceptions"]
    assert [source in message for message in told] == [True] * (not shown)


def test_a_long_provision_that_sets_a_title_aside_is_told_by_the_words_that_do(engine: Engine) -> None:
    words = f"{'Doors are shut. ' * 30}Nothing in this title opens them. {'Windows too. ' * 30}"
    parts = [node(f"{T}:{number}", kind="section") for number in (1, 2, 3)]
    rule, source = f"{T}:3:30", f"{T}:2:9"
    nodes = [node(T), *parts, node(rule, "Pay.", heading="Payments"), node(source, words, heading="Doors")]
    law.store(engine.database, document(nodes, [], [Link(source, "limits", "this title", T)]))
    [told] = [warning for warning in engine.context(rule).warnings if warning.kind == "general_exceptions"]
    [said] = re.findall(r"“… (.*) …”", told.message)
    assert "Nothing in this title opens them." in said
    assert f" {said} " in words  # whole words
    assert len(told.message) < 500


def test_a_part_of_what_is_told_in_a_line_is_no_block_of_its_own(engine: Engine) -> None:
    rule, source = f"{T}:30", f"{T}:9"
    nodes = [node(T), node(rule, "Pay.", heading="Payments"), node(source, "Despite this title:", heading="Doors"),
             node(f"{source}:1", "nothing in this title opens doors.", heading="")]  # fmt: skip
    links = [Link(source, "notwithstanding", "this title", T), Link(f"{source}:1", "limits", "this title", T)]
    law.store(engine.database, document(nodes, [], links))
    context = engine.context(rule)
    assert [block.urn for block in context.blocks if block.role == "exception"] == []
    [told] = [warning.message for warning in context.warnings if warning.kind == "general_exceptions"]
    assert f"{source} (Doors)" in told


@pytest.mark.parametrize(
    ("reference", "named"), [("sections 2 through 5", [2, 4, 5]), ("sections 2, 3, 4 and 5", [2, 3, 4, 5])]
)
def test_of_a_range_that_a_rule_yields_to_what_is_about_something_else_is_told_in_a_line(
    engine: Engine, reference: str, named: list[int]
) -> None:
    headings = {2: "Payments of rent", 3: "Doors", 4: "Late payments", 5: "Payments"}
    nodes = [node(T), node(R, "Pay.", heading="Payments")]
    nodes += [node(f"{T}:{number}", f"Words {number}.", heading=heading) for number, heading in headings.items()]
    links = [Link(R, "subject_to", reference, f"{T}:{number}") for number in headings]
    law.store(engine.database, document(nodes, [], links))
    context = engine.context(R)
    assert [block.urn for block in context.blocks if block.role == "exception"] == [f"{T}:{n}" for n in named]
    told = [warning.message for warning in context.warnings if warning.kind == "general_exceptions"]
    line = f"{R} yields to 1 more provision of “{reference}”: {T}:3 (Doors): “Words 3.”."
    assert told == [line] * (len(named) < len(headings))


def test_what_may_limit_a_rule_is_shown_as_possible_and_told(engine: Engine) -> None:
    nodes = [node(T), node(R, "Keep samples."), *(node(f"{T}:{number}", "A sample may go.") for number in range(2, 7))]
    links = [Link(f"{T}:{number}", "may_limit", "section 1", R) for number in range(2, 7)]
    law.store(engine.database, document(nodes, [], links))
    context = engine.context(R)
    shown = [block.urn for block in context.blocks if block.role == "possible_exception"]
    assert shown == [f"{T}:{number}" for number in range(2, 5)]
    assert not [block for block in context.blocks if block.role == "exception"]
    (told,) = [warning.message for warning in context.warnings if warning.kind == "possible_exceptions"]
    assert all(f"{T}:{number}" in told for number in range(2, 7))


@pytest.mark.parametrize(("words", "told"), [("sample jar", True), ("Samples", True), ("kite", False), ("jar", False)])
def test_a_sentence_about_the_meaning_of_words_of_the_rule_is_told(engine: Engine, words: str, told: bool) -> None:
    nodes = [node(T), node(R, "Keep samples."), node(f"{T}:2", "A sample jar counts as a vessel.")]
    law.store(engine.database, document(nodes, [], [Link(f"{T}:2", "may_define", words, T)]))
    context = engine.context(R)
    found = [warning.message for warning in context.warnings if warning.kind in DOUBTS]
    assert [f"“{words}” ({T}:2)" in message for message in found] == [True] * told
    assert [block.urn for block in context.blocks if block.role == "exception"] == []


@pytest.mark.parametrize("noted", [True, False])
def test_a_likely_definition_is_marked_and_told(engine: Engine, noted: bool) -> None:
    nodes = [node(T), node(R, "Keep each sample."), node(f"{T}:2", "What is drawn is hereafter styled a sample.")]
    links = [Link(f"{T}:2", "may_define", "sample", T)] * noted
    definition = Definition("sample", f"{T}:2", T, inferred=True)
    law.store(engine.database, document(nodes, [definition], links, {R: ["sample"]}))
    context = engine.context(R)
    assert [(one.term, one.likely) for one in context.definitions] == [("sample", noted)]
    told = [warning.message for warning in context.warnings if warning.kind in DOUBTS]
    assert ["“sample”" in message and f"{T}:2" in message for message in told] == [True] * noted


@pytest.mark.parametrize("kind", ["applies", "disapplies", "confines"])
def test_what_says_to_what_a_law_applies_is_shown_whatever_its_words(engine: Engine, kind: str) -> None:
    nodes = [node(T), node(R, "A rule."), node(f"{T}:2", "This law applies to doors.")]
    link = Link(f"{T}:2", kind, "This law", T)
    law.store(engine.database, document(nodes, [], [link], {R: ["unit"], f"{T}:2": ["fee"]}))
    assert [block.urn for block in engine.context(R).blocks if block.role == "exception"] == [f"{T}:2"]


def test_law_that_a_definition_speaks_of_and_the_store_has_not_is_named(engine: Engine) -> None:
    nodes = [node(T), node(R, "Pay the fee."), node(f"{T}:8", "“Fee” means a fee under the Kite Act.")]
    link = Link(f"{T}:8", "cites", "the Kite Act", "", {"external": "true"})
    law.store(engine.database, document(nodes, [Definition("fee", f"{T}:8", T)], [link], used={R: ["fee"]}))
    told = [warning.message for warning in engine.context(R).warnings if warning.kind == "law_elsewhere"]
    assert told == ["Definitions speak of law that is not in the store: “fee” (the Kite Act)."]
    told = [warning.message for warning in engine.context(f"{T}:8").warnings if warning.kind == "law_elsewhere"]
    assert told == [f"{T}:8 speaks of law that is not in the store: the Kite Act."]


@pytest.mark.parametrize(
    ("reference", "target", "properties", "told"),
    [
        ("Paragraph (2)", "", {"confident": "false"}, False),  # a part of its own text that has no node
        ("paragraph (2) of this section", f"{T}:8:2", {"exists": "false"}, False),
        ("section 9", f"{T}:9", {}, True),
    ],
)
def test_a_part_of_the_text_itself_is_no_law_elsewhere(
    engine: Engine, reference: str, target: str, properties: dict[str, str], told: bool
) -> None:
    nodes = [node(T), node(R, "Pay the fee."), node(f"{T}:8", "“Fee” means a fee.")]
    link = Link(f"{T}:8", "cites", reference, target, properties)
    law.store(engine.database, document(nodes, [Definition("fee", f"{T}:8", T)], [link], used={R: ["fee"]}))
    found = [warning.message for warning in engine.context(R).warnings if warning.kind == "law_elsewhere"]
    assert found == [f"Definitions speak of law that is not in the store: “fee” ({reference})."] * told


def test_law_elsewhere_is_named_once_with_the_terms_that_speak_of_it(engine: Engine) -> None:
    nodes = [node(T), node(R, "Pay the fee for a kite."), node(f"{T}:8", "“Fee” and “kite” are as in the Kite Act.")]
    links = [Link(f"{T}:8", "cites", words, "", {"external": "true"}) for words in ("the Kite Act", "The Kite Act")]
    links.append(Link(f"{T}:8", "cites", "section 2 of the Kite Act", "", {"external": "true"}))
    defined = [Definition("fee", f"{T}:8", T), Definition("kite", f"{T}:8", T)]
    law.store(engine.database, document(nodes, defined, links, used={R: ["fee", "kite"]}))
    (told,) = [warning.message for warning in engine.context(R).warnings if warning.kind == "law_elsewhere"]
    assert told == ("Definitions speak of law that is not in the store: “fee”, “kite” (section 2 of the Kite Act).")


def test_a_document_without_a_date_of_force_is_said_to_have_none_once(engine: Engine) -> None:
    nodes = [node(T), node(R, "A rule."), node(f"{T}:2", "Another.")]
    law.store(engine.database, document(nodes))
    with engine.database.read() as conn:
        targets = versions_by_urn(conn, [R, f"{T}:2"])
        warnings = assemble(conn, targets, date(2020, 1, 1), jurisdictions=["us-dc"], budget_tokens=200_000).warnings
    assert [warning.urn for warning in warnings if warning.kind == "unknown_start"] == [STATE]
