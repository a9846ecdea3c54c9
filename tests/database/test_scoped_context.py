"""C(R): the promises that single examples show best; `test_context_oracle.py` holds the rest against an oracle."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import law
import pytest
from conftest import Stores
from law import document, node, override, preempt
from oracle import FEDERAL, STATE
from requirements import requirement

from rag import Engine
from rag.law.nodes import Definition, Link, ParsedDocument
from rag.store.reference_data import end_override
from retrieval.model import ScopedContext


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str) -> Iterator[Engine]:
    """An engine over one store, emptied between examples."""
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=200_000)) as engine:
        yield engine


T = f"{STATE}:1"
R = f"{T}:1"


def statute(**given: object) -> ParsedDocument:
    """A title with a rule, a sibling section, and a definition of “unit” for the title and for each section."""
    return document(
        [
            node(T), node(R, "A unit shall be kept dry.", **given), node(f"{R}:1", "“Unit” means a flat."),
            node(f"{T}:2", "A unit may be sold."), node(f"{T}:2:1", "“Unit” means a share."),
            node(f"{T}:3", "“Unit” means a building."),
        ],
        [
            Definition("unit", f"{R}:1", R), Definition("unit", f"{T}:2:1", f"{T}:2"),
            Definition("unit", f"{T}:3", T, inferred=True),
        ],
        used={R: ["unit"], f"{T}:2": ["unit"]},
    )  # fmt: skip


@pytest.fixture
def engine(store: Engine) -> Engine:
    law.empty(store.database)
    return store


def roles(context: ScopedContext) -> dict[str, str]:
    return {block.urn: block.role for block in context.blocks}


def test_what_follows_a_list_whose_sentence_has_ended_does_not_continue_its_lead_in(engine: Engine) -> None:
    after = f"{R}:al.4"
    parts = [
        node(R, intro_text="The clerk shall:"), node(f"{R}:1", "keep the seal;"),
        node(f"{R}:2", intro_text="send:"), node(f"{R}:2:a", "copies."),
        node(after, intro_text="The clerk may also keep:"), node(f"{after}:1", "a list."),
    ]  # fmt: skip
    law.store(engine.database, document([node(T), *parts]))
    led = {block.urn: block.lead_in for block in engine.context(R).blocks if block.urn.startswith(f"{R}:")}
    assert led == {
        f"{R}:1": "The clerk shall:", f"{R}:2": "The clerk shall:", f"{R}:2:a": "The clerk shall: send:",
        after: "", f"{after}:1": "The clerk may also keep:",
    }  # fmt: skip


def test_what_follows_an_open_list_continues_its_lead_in(engine: Engine) -> None:
    parts = [
        node(R, intro_text="The clerk shall:"), node(f"{R}:1", "keep the seal;"),
        node(f"{R}:al.3", "Send copies."),
    ]  # fmt: skip
    law.store(engine.database, document([node(T), *parts]))
    led = {block.urn: block.lead_in for block in engine.context(R).blocks}
    assert led[f"{R}:al.3"] == "The clerk shall:"


@requirement("P5")
def test_the_closest_definition_reaches_the_context_and_names_what_it_shadows(engine: Engine) -> None:
    law.store(engine.database, statute())
    context = engine.context(R)
    assert [(definition.urn, definition.shadows, definition.inferred) for definition in context.definitions] == [
        (f"{R}:1", [f"{T}:3"], False)
    ]
    assert f"{T}:3" not in roles(context)


@requirement("P4")
def test_an_override_spelled_with_another_code_reaches_what_only_the_second_look_ups_find(engine: Engine) -> None:
    federal = document([node(f"{FEDERAL}:1"), node(f"{FEDERAL}:1:1", "Words."), node(f"{FEDERAL}:1:1:1", "A part.")])
    yields = Link(R, "subject_to", "section 1 of the federal code", f"{FEDERAL}:1:1")
    law.store(engine.database, document([node(T), node(R, "Words.")], [], [yields]), federal)
    override(engine, f"{FEDERAL}:1:1:1".replace("urn:lex:us:", "urn:lex:fed:"), "VOID")
    assert [(override.urn, override.action) for override in engine.context(R).overrides] == [
        (f"{FEDERAL}:1:1:1", "redact")
    ]


def test_a_federal_rule_is_found_by_its_former_name(engine: Engine) -> None:
    former = f"{FEDERAL}:9:9"
    federal = document([node(f"{FEDERAL}:1"), node(f"{FEDERAL}:1:1", "Words.", aliases=[former])])
    law.store(engine.database, document([node(T), node(R, "Words.")]), federal)
    preempt(engine, former, R)
    assert roles(engine.context(R))[f"{FEDERAL}:1:1"] == "federal"


@requirement("P5")
def test_a_siblings_definition_never_leaks(engine: Engine) -> None:
    law.store(engine.database, statute())
    for rule, other in ((R, f"{T}:2:1"), (f"{T}:2", f"{R}:1")):
        context = engine.context(rule)
        assert other not in roles(context)
        assert all(other not in (definition.urn, *definition.shadows) for definition in context.definitions)


def test_definitions_that_use_each_other_end_and_are_both_there(engine: Engine) -> None:
    law.store(engine.database, document(
        [node(T), node(R, "A unit."), node(f"{T}:2", "“Unit” means a part."), node(f"{T}:3", "“Part” means a unit.")],
        [Definition("unit", f"{T}:2", T), Definition("part", f"{T}:3", T)],
        used={R: ["unit"], f"{T}:2": ["part"], f"{T}:3": ["unit"]},
    ))  # fmt: skip
    assert [(definition.term, definition.depth) for definition in engine.context(R).definitions] == [
        ("unit", 0),
        ("part", 1),
    ]


def test_a_term_that_nothing_uses_brings_no_definition(engine: Engine) -> None:
    law.store(engine.database, document(
        [node(T), node(R, "Words."), node(f"{T}:2", "“Unit” means a part.")], [Definition("unit", f"{T}:2", T)],
    ))  # fmt: skip
    assert engine.context(R).definitions == []


@requirement("P4")
@pytest.mark.parametrize("status", ["VOID", "ENJOINED"])
@pytest.mark.parametrize("pattern", [R, T, f"{STATE}:*", f"{T}:*", "urn:lex:us-dc:*", f"{STATE}:*:1"])
def test_a_halting_override_of_the_rule_or_what_contains_it_halts(engine: Engine, status: str, pattern: str) -> None:
    law.store(engine.database, statute())
    override(engine, pattern, status)
    context = engine.context(R)
    assert (context.status, context.blocks, context.allow_list) == ("halted", [], ())
    assert context.message.startswith("Legal Override active.")
    assert "Test Court, 1 T.C. 1" in context.message
    assert [override.action for override in context.overrides] == ["halt"]
    answer = engine.ask(R)
    assert (answer.status, answer.statements) == ("halted", [])


@requirement("P4")
def test_a_void_rule_that_was_merely_found_is_left_out_and_the_next_one_serves(engine: Engine) -> None:
    law.store(engine.database, statute())
    override(engine, R, span=(date(2020, 1, 1), None))
    question = "is a unit kept by penguins in winter?"
    context = engine.context(question)
    assert (context.status, context.targets) == ("ok", [f"{T}:2", f"{T}:3"])
    assert [
        (override_notice.urn, override_notice.action, override_notice.court) for override_notice in context.overrides
    ] == [(R, "left_out", "Test Court")]
    said = [warning.message for warning in context.warnings if warning.urn == R]
    assert said == [f"{R} is left out: VOID by Test Court, 1 T.C. 1, effective 2020-01-01."]
    assert R not in context.allow_list
    assert "kept dry" not in context.model_dump_json()


@requirement("P4")
def test_a_void_rule_that_a_question_clearly_means_halts(engine: Engine) -> None:
    text = "Ferrets shall be registered annually with the harbour warden."
    law.store(engine.database, document([node(T), node(R, text), node(f"{T}:2", "Otters are registered annually.")]))
    override(engine, R)
    assert engine.context("Are ferrets registered annually with the harbour warden?").status == "halted"
    found = engine.context("Do I have to pay when my otters and ferrets are registered in April?")
    assert (found.status, found.targets) == ("ok", [f"{T}:2"])


@requirement("P4")
def test_where_all_that_was_found_is_void_nothing_is_answered(engine: Engine) -> None:
    law.store(engine.database, statute())
    override(engine, f"{STATE}:*")
    context = engine.context("is a unit kept by penguins in winter?")
    assert (context.status, context.blocks) == ("insufficient", [])
    assert "VOID by Test Court" in context.message
    assert engine.ask("is a unit kept by penguins in winter?").status == "refused"


@pytest.mark.parametrize("pattern", [f"{T}:2", f"{T}:11", f"{STATE}:2:*", "urn:lex:us:*", f"{R}*:9"])
def test_an_override_of_something_else_changes_nothing(engine: Engine, pattern: str) -> None:
    law.store(engine.database, statute())
    before = engine.context(R).digest
    override(engine, pattern)
    assert engine.context(R).digest == before


@requirement("P4")
@pytest.mark.parametrize(
    ("at", "status"),
    [
        (date(2019, 12, 31), "ok"),
        (date(2020, 1, 1), "halted"),
        (date(2022, 12, 31), "halted"),
        (date(2023, 1, 1), "ok"),
    ],
)
def test_an_override_counts_from_its_first_day_until_the_day_it_ends(engine: Engine, at: date, status: str) -> None:
    law.store(engine.database, statute())
    number = override(engine, R, span=(date(2020, 1, 1), None))
    end_override(engine.database, number, date(2023, 1, 1))
    assert engine.context(R, at_date=at).status == status


@requirement("P4")
def test_a_struck_definition_is_redacted_with_court_and_date_and_may_not_be_cited(engine: Engine) -> None:
    law.store(engine.database, statute())
    override(engine, f"{R}:*", span=(date(2020, 1, 1), None))
    context = engine.context(R)
    block = next(block for block in context.blocks if block.urn == f"{R}:1")
    assert (block.role, block.lead_in, block.flush) == ("warning", "", "")
    assert block.text == "VOID by Test Court, 1 T.C. 1, effective 2020-01-01."
    assert f"{R}:1" not in context.allow_list
    assert "a flat" not in context.model_dump_json()


def test_other_statuses_warn_and_leave_the_text(engine: Engine) -> None:
    law.store(engine.database, statute())
    override(engine, R, "STAYED")
    context = engine.context(R)
    assert context.status == "ok"
    assert [(override.urn, override.action) for override in context.overrides] == [(R, "warn")]  # and not its parts
    assert R in context.allow_list


def test_an_overlapping_federal_rule_warns_with_both_urns_and_brings_its_text(engine: Engine) -> None:
    law.store(engine.database, statute(), document([node(f"{FEDERAL}:1"), node(f"{FEDERAL}:1:1", "Federal words.")]))
    preempt(engine, f"{FEDERAL}:1:1", f"{R}:*")
    context = engine.context(R)
    warning = next(warning for warning in context.warnings if warning.kind == "preemption")
    assert warning.message.startswith("Supremacy Clause Warning")
    assert f"{FEDERAL}:1:1" in warning.message
    assert R in warning.message
    assert roles(context)[f"{FEDERAL}:1:1"] == "federal"
    assert context.status == "ok"


@pytest.mark.parametrize("pattern", ["urn:lex:us:*", f"{FEDERAL}:*", f"{FEDERAL}:1:9*", f"{FEDERAL}:7"])
def test_a_federal_pattern_that_names_no_stored_node_still_warns(engine: Engine, pattern: str) -> None:
    law.store(engine.database, statute(), document([node(f"{FEDERAL}:1"), node(f"{FEDERAL}:1:1", "Federal words.")]))
    preempt(engine, pattern, T)
    context = engine.context(R)
    assert context.status == "ok"
    assert pattern in next(warning.message for warning in context.warnings if warning.kind == "preemption")


@pytest.mark.parametrize("pattern", [f"{FEDERAL}:1:*", f"{FEDERAL}:1:1*", f"{FEDERAL}:1:1:*", "urn:lex:us:*"])
def test_a_federal_pattern_is_warned_of_as_one_and_brings_neither_text_nor_omission(
    engine: Engine, pattern: str
) -> None:
    law.store(engine.database, statute(), document([node(f"{FEDERAL}:1"), node(f"{FEDERAL}:1:1", "Federal words.")]))
    preempt(engine, pattern, R)
    context = engine.context(R)
    (message,) = (warning.message for warning in context.warnings if warning.kind == "preemption")
    assert message.startswith(f"Supremacy Clause Warning: {pattern} may preempt {R} (conflict).")
    assert message.endswith("The texts of what this pattern names are not in the context.")
    assert ("federal" in roles(context).values(), context.omitted) == (False, [])


def test_an_inferred_scope_is_said_to_rest_on_its_phrase_or_on_none(engine: Engine) -> None:
    law.store(engine.database, document(
        [node(T), node(R, "A unit or a part."), node(f"{T}:2", "In this Act, “unit” means x."),
         node(f"{T}:3", "“Part” means y.")],
        [Definition("unit", f"{T}:2", T, inferred=True, phrase="In this Act"),
         Definition("part", f"{T}:3", T, inferred=True)],
        used={R: ["unit", "part"]},
    ))  # fmt: skip
    said = [warning.message for warning in engine.context(R).warnings if warning.kind == "inferred_scope"]
    assert said == [
        "That these definitions govern the rule is inferred from where they stand; no phrase in them says so: “part”.",
        "“unit” says “In this Act”, and which provisions that means is inferred.",
    ]


def test_a_publishers_note_is_no_part_of_the_rule_above_it_and_defines_nothing_there(engine: Engine) -> None:
    note, below = f"{R}:9", f"{R}:9:1"
    law.store(engine.database, document(
        [node(T), node(R, "A unit."), node(f"{R}:1", "A part."), node(note, "“Unit” means x.", kind="notice"),
         node(below, "Section 1 notwithstanding.", kind="notice"), node(f"{T}:2", "Comment.", kind="notice")],
        [Definition("unit", note, R)], [Link(below, "notwithstanding", "Section 1", R)], {R: ["unit"]},
    ))  # fmt: skip
    context = engine.context(R)
    assert [urn for urn, role in roles(context).items() if role != "ancestor"] == [R, f"{R}:1"]
    assert context.definitions == []
    assert [block.urn for block in engine.context(note).blocks if block.role == "rule"] == [note, below]
    assert f"{T}:2" in roles(engine.context(T))  # a container holds it for itself


@requirement("P10")
def test_exceptions_for_a_whole_chapter_go_before_the_definitions_that_the_rule_uses(
    stores: Stores, empty_template: str
) -> None:
    other, far, near = f"{STATE}:2", f"{STATE}:2:1", f"{T}:8"
    body = [
        document(
            [node(T), node(R, "A unit."), node(f"{T}:2", "“Unit” means " + "x " * 80 + "."),
             node(near, "Section 1 does not apply to barns. " + "y " * 80 + "."), node(f"{near}:1", "z " * 600 + ".")],
            [Definition("unit", f"{T}:2", T)], [Link(near, "disapplies", "Section 1", R)], {R: ["unit"]},
        ),
        document([node(other), node(far, "Title 1 does not apply to boats. " + "w " * 600 + ".")],
                 links=[Link(far, "disapplies", "Title 1", T)]),
    ]  # fmt: skip
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=500)) as small:
        law.store(small.database, *body)
        context = small.context(R)
    assert [omitted.urn for omitted in context.omitted] == [f"{near}:1", far]
    assert {urn: role for urn, role in roles(context).items() if role in ("definition", "exception")} == {
        f"{T}:2": "definition", near: "exception"
    }  # fmt: skip


def test_exceptions_come_from_both_directions(engine: Engine) -> None:
    law.store(
        engine.database,
        document(
            [node(T), node(R, "Subject to section 2."), node(f"{T}:2", "Yields."), node(f"{T}:3", "Notwithstanding.")],
            links=[
                Link(R, "subject_to", "section 2", f"{T}:2"), Link(f"{T}:3", "notwithstanding", "section 1", R),
                Link(f"{T}:3", "cites", "section 2", f"{T}:2"),
            ],
        ),
    )  # fmt: skip
    assert {urn for urn, role in roles(engine.context(R)).items() if role == "exception"} == {f"{T}:2", f"{T}:3"}
    assert "exception" not in roles(engine.context(f"{T}:2")).values()


def test_what_a_rule_prevails_over_is_named_and_not_shown(engine: Engine) -> None:
    nodes = [
        node(T), node(R, intro_text="Notwithstanding section 10 or 9,"), node(f"{R}:1", "despite section 10(1) or 99."),
        node(f"{T}:9", "Kept.", valid_to=date(2020, 1, 1)), node(f"{T}:10", "Yields.", heading="Fees"),
        node(f"{T}:10:1", "Yields too.", heading=""),
    ]  # fmt: skip
    links = [
        Link(R, "notwithstanding", "section 10", f"{T}:10"), Link(R, "notwithstanding", "9", f"{T}:9"),
        Link(f"{R}:1", "notwithstanding", "section 10(1)", f"{T}:10:1"),
        Link(f"{R}:1", "notwithstanding", "99", f"{T}:99"), Link(f"{R}:1", "notwithstanding", "section 1", R),
        Link(f"{R}:1", "notwithstanding", "any other law", ""),
    ]  # fmt: skip
    law.store(engine.database, document(nodes, links=links))
    context = engine.context(f"{R}:1")
    assert [(one.by, one.urn, one.heading, one.path, one.in_force) for one in context.prevails_over] == [
        (R, f"{T}:9", "", "", False),
        (R, f"{T}:10", "Fees", f"Test code {STATE} > Heading 1", True),
        (f"{R}:1", f"{T}:10:1", "Fees", f"Test code {STATE} > Heading 1", True),
        (f"{R}:1", f"{T}:99", "", "", False),
    ]
    assert {block.urn for block in context.blocks} == {STATE, T, R, f"{R}:1"}
    assert context.omitted == []
    assert {one.applies_to[0] for one in context.prevails_over} == {f"{R}:1"}
    # Of the whole section the same is told, and of the other one that the rule prevails over it.
    assert [one.urn for one in engine.context(R).prevails_over] == [one.urn for one in context.prevails_over]
    assert engine.context(f"{T}:10").prevails_over == []
    assert roles(engine.context(f"{T}:10"))[R] == "exception"
    override(engine, f"{R}:1", "VOID")
    assert {one.by for one in engine.context(R).prevails_over} == {R}


def test_an_answer_names_what_the_cited_rule_prevails_over_and_stays_an_answer(engine: Engine) -> None:
    nodes = [
        node(T), node(R, intro_text="The following applies."), node(f"{R}:1", "Despite section 2, a fee is due."),
        node(f"{R}:2", "A receipt is given."), node(f"{T}:2", "No fee is due.", heading="Fees"),
    ]  # fmt: skip
    law.store(engine.database, document(nodes, links=[Link(f"{R}:1", "notwithstanding", "section 2", f"{T}:2")]))
    answer = engine.ask(f"{R}:1")
    assert (answer.status, answer.limits) == ("answered", [])
    assert [(one.by, one.urn, one.heading) for one in answer.prevails_over] == [(f"{R}:1", f"{T}:2", "Fees")]
    assert engine.ask(f"{R}:2").prevails_over == []


@pytest.mark.parametrize("kind", ["subject_to", "notwithstanding"])
def test_an_exception_ends_with_the_version_that_has_its_words(engine: Engine, kind: str) -> None:
    source, target = (R, f"{T}:2") if kind == "subject_to" else (f"{T}:2", R)
    change = date(2020, 1, 1)
    law.store(
        engine.database,
        document(
            [
                node(T),
                node(source, "See section 2 or 1.", valid_to=change),
                node(source, "Repealed in part.", valid_from=change),
                node(target, "Words."),
            ],
            links=[Link(source, kind, "section 2 or 1", target)],
        ),
    )
    assert "exception" in roles(engine.context(R, at_date=date(2019, 12, 31))).values()
    assert "exception" not in roles(engine.context(R, at_date=change)).values()


@pytest.mark.parametrize(
    ("at", "status", "text"),
    [
        (date(2009, 12, 31), "not_in_force", ""),
        (date(2010, 1, 1), "ok", "First."),
        (date(2014, 12, 31), "ok", "First."),
        (date(2015, 1, 1), "ok", "Second."),
        (date(2019, 12, 31), "ok", "Second."),
        (date(2020, 1, 1), "not_in_force", ""),
        (date(1, 1, 1), "not_in_force", ""),
        (date(9999, 12, 31), "not_in_force", ""),
    ],
)
def test_dates_are_half_open_at_every_boundary(engine: Engine, at: date, status: str, text: str) -> None:
    law.store(engine.database, document([
        node(T),
        node(R, "First.", valid_from=date(2010, 1, 1), valid_to=date(2015, 1, 1)),
        node(R, "Second.", valid_from=date(2015, 1, 1), valid_to=date(2020, 1, 1)),
    ]))  # fmt: skip
    context = engine.context(R, at_date=at)
    assert context.status == status
    assert [block.text for block in context.blocks if block.role == "rule"] == ([text] if text else [])
    if status == "not_in_force":
        assert "from 2010-01-01 until 2015-01-01, from 2015-01-01 until 2020-01-01" in context.message


def test_an_unknown_urn_is_not_found_with_what_is_near(engine: Engine) -> None:
    law.store(engine.database, statute())
    context = engine.context(f"{T}:22")
    assert context.status == "not_found"
    neighbours = [suggestion for suggestion in context.suggestions if suggestion.startswith(f"{T}:")]
    assert f"{T}:2" in neighbours
    assert context.suggestions[len(neighbours) :] == [T]


def test_a_former_name_leads_to_the_node_and_one_of_two_nodes_is_never_guessed(engine: Engine) -> None:
    old, shared = f"{STATE}:9:1", f"{STATE}:9:2"
    law.store(engine.database, document(
        [node(T), node(R, "Moved.", aliases=[old, shared]), node(f"{T}:2", "Merged.", aliases=[shared])]
    ))  # fmt: skip
    assert engine.context(old).targets == [R]
    context = engine.context(shared)
    assert (context.status, context.blocks, context.suggestions) == ("not_found", [], [R, f"{T}:2"])
    assert "several nodes" in context.message


@requirement("P10")
def test_a_budget_drops_whole_definitions_in_order_and_they_leave_the_allow_list(
    stores: Stores, empty_template: str
) -> None:
    used, nodes = [f"term{n}" for n in range(8)], [node(T), node(R, "Term0 to term7.")]
    definitions: list[Definition] = []
    for n, term in enumerate(used):
        urn = f"{T}:{n + 2}"
        nodes += [node(urn, f"“{term}” means " + "words " * 60), node(f"{urn}:1", "more " * 20)]
        definitions.append(Definition(term, urn, T))
    nodes.append(node(f"{T}:20", "Notwithstanding section 1, " + "words " * 60))
    body = document(nodes, definitions, [Link(f"{T}:20", "notwithstanding", "section 1", R)], {R: used})
    settings_ = stores.clone(empty_template, traces="off", context_tokens=700)
    with Engine.open(settings_) as small, Engine.open(settings_.model_copy(update={"context_tokens": 9000})) as large:
        law.store(small.database, body)
        whole, cut = large.context(R), small.context(R)
    left_out = [omitted.urn for omitted in cut.omitted]
    assert whole.omitted == []
    assert left_out
    assert set(left_out).isdisjoint(cut.allow_list)
    assert set(left_out) | {block.urn for block in cut.blocks} == {block.urn for block in whole.blocks}
    assert {"rule", "ancestor", "exception"} <= {block.role for block in cut.blocks}  # definitions go first
    assert all(omitted.reason == "left out to fit the token budget" for omitted in cut.omitted)
    assert {definition.urn for definition in cut.definitions}.isdisjoint(left_out)
    for n in range(8):  # a definition stays or goes with its parts
        both = {f"{T}:{n + 2}", f"{T}:{n + 2}:1"}
        assert both <= set(left_out) or both.isdisjoint(left_out)
    said = sum(len(block.text) + len(block.heading) + len(block.urn) for block in cut.blocks)
    assert said <= 700 * 3 + 3 * len(cut.blocks)


@requirement("P10")
def test_a_rule_larger_than_the_budget_stays_whole_and_says_so(stores: Stores, empty_template: str) -> None:
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=500)) as small:
        law.store(small.database, document([node(T), node(R, "long " * 1000)]))
        context = small.context(R)
    assert next(block.text for block in context.blocks if block.role == "rule") == "long " * 1000
    assert [warning.kind for warning in context.warnings if warning.kind == "budget"] == ["budget"]
    assert context.omitted == []
