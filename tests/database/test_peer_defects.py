"""Defects of the systems before this one that concern context: each is a test that bears its name.

The numbers are those of the list of must-fix defects that these systems' specification and code gave: `row 3` is its
third entry, `1.9e` the fifth of the defects that were met in the code of the first of them.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import law
import psycopg
import pytest
from conftest import owner_of
from fakes.openai_server import FakeOpenAI
from law import document, node, override, preempt
from oracle import FEDERAL, STATE
from requirements import requirement

from rag import Engine
from rag.law.nodes import Definition, Link, ParsedDocument, ParsedNode
from rag.models.openai import OpenAIModel
from retrieval.errors import InputError, StoreError
from retrieval.model import ScopedContext

T, R = f"{STATE}:1", f"{STATE}:1:1"
CHANGE = date(2015, 1, 1)
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def store(stores, empty_template):
    """An engine over one store, emptied between tests."""
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=200_000)) as engine:
        yield engine


@pytest.fixture
def engine(store: Engine) -> Engine:
    law.empty(store.database)
    store.model = None
    return store


def roles(context: ScopedContext) -> dict[str, str]:
    return {block.urn: block.role for block in context.blocks}


def governing(engine: Engine, rule: str) -> dict[str, str]:
    """Term as the definition has it -> the node that defines it."""
    return {definition.term.lower(): definition.urn for definition in engine.context(rule).definitions}


def read(*nodes: ParsedNode) -> ParsedDocument:
    """A document whose definitions, scopes and uses are found by annotation and not given."""
    return replace(document([*nodes]), annotated=False)


# --- row 1, 1.9a, 1.9b, 1.9c: versions --------------------------------------------------------------------------------


def test_peer_defect_a_urn_vanishes_when_it_is_amended(engine: Engine) -> None:
    """Row 1, 1.9a: two rows of one URN made the look-up fail."""
    law.store(engine.database, document(
        [node(T), node(R, "Old.", valid_to=CHANGE), node(R, "New.", valid_from=CHANGE)]
    ))  # fmt: skip
    told = {day: engine.context(R, at_date=day).blocks[-1].text for day in (CHANGE - DAY, CHANGE, CHANGE + DAY, None)}
    assert told == {CHANGE - DAY: "Old.", CHANGE: "New.", CHANGE + DAY: "New.", None: "New."}
    assert {engine.context(R, at_date=day).targets[0] for day in told} == {R}


def test_peer_defect_validity_begins_with_the_day_of_ingest(engine: Engine) -> None:
    """1.9b: what was in force for years was not found at any date before its ingest."""
    law.store(engine.database, document([node(T), node(R, "Words."), node(f"{T}:2", "Dated.", valid_from=CHANGE)]))
    assert engine.context(R, at_date="1990-01-01").status == "ok"
    block = engine.context(f"{T}:2", at_date=CHANGE).blocks[-1]
    assert (block.valid_from, block.valid_to) == (CHANGE, None)


def test_peer_defect_removed_provisions_stay_in_force(engine: Engine) -> None:
    """1.9c: what a later edition lacks was never ended; here it ends, and half of an edition is never there."""
    old = document([node(T), node(R, "Words."), node(f"{T}:2", "Removed.")], edition=date(2010, 1, 1))
    law.store(engine.database, old, document([node(T), node(R, "Words.")], edition=CHANGE))
    assert engine.context(f"{T}:2", at_date=CHANGE - DAY).status == "ok"
    gone = engine.context(f"{T}:2", at_date=CHANGE)
    assert (gone.status, "until 2015-01-01" in gone.message) == ("not_in_force", True)


# --- row 2: corpora ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["urn:lex:us-dc:other", "urn:lex:us:tc", "urn:lex:us-ma:tc"])
def test_peer_defect_a_path_leads_into_another_corpus(engine: Engine, other: str) -> None:
    """Row 2: equal paths of two corpora made ancestors and definitions of one out of those of the other."""
    for root in (STATE, other):
        law.store(engine.database, document(
            [node(f"{root}:1"), node(f"{root}:1:1", "A unit."), node(f"{root}:1:2", "“Unit” means a flat.")],
            [Definition("unit", f"{root}:1:2", f"{root}:1")], used={f"{root}:1:1": ["unit"]},
        ))  # fmt: skip
    for root in (STATE, other):
        context = engine.context(f"{root}:1:1")
        assert set(roles(context)) == {root, f"{root}:1", f"{root}:1:1", f"{root}:1:2"}
        assert [(definition.urn, definition.shadows) for definition in context.definitions] == [(f"{root}:1:2", [])]


# --- row 3, 1.9f: definitions -----------------------------------------------------------------------------------------


@requirement("P5")
def test_peer_defect_the_wrong_owner(engine: Engine) -> None:
    """Row 3: of two definitions of “Owner” the nearest counts; a sibling's never leaks."""
    law.store(engine.database, read(
        node(T), node(R, "An owner shall repair the roof."),
        node(f"{R}:1", "As used in this section, “owner” means a person who lets a flat."),
        node(f"{T}:2", "An owner may sell."), node(f"{T}:3", "As used in this title, “owner” means a holder of title."),
        node(f"{T}:4", "An owner may build."), node(f"{T}:4:1", "In this section, “owner” means a builder."),
    ))  # fmt: skip
    found = {rule: governing(engine, rule)["owner"] for rule in (R, f"{T}:2", f"{T}:4")}
    assert found == {R: f"{R}:1", f"{T}:2": f"{T}:3", f"{T}:4": f"{T}:4:1"}
    (owner,) = (definition for definition in engine.context(R).definitions if definition.term.lower() == "owner")
    assert owner.shadows == [f"{T}:3"]
    said = engine.context(R).model_dump_json()
    assert "a builder" not in said
    assert "holder of title" not in said


@requirement("P5")
def test_peer_defect_a_definition_for_one_section_or_part_governs_all(engine: Engine) -> None:
    """Row 3: “for purposes of this section” and “this part” reach no further than they say."""
    a, b = f"{T}:a", f"{T}:b"
    law.store(engine.database, read(
        node(T), node(a, level="part"),
        node(f"{a}:1", "In this section, “goat” means a horned animal.", level="section"),
        node(f"{a}:2", "For purposes of this part, “sheep” means a woolly animal.", level="section"),
        node(f"{a}:3", "A goat and a sheep may graze.", level="section"),
        node(b, level="part"), node(f"{b}:1", "A goat and a sheep may not graze.", level="section"),
    ))  # fmt: skip
    assert governing(engine, f"{a}:3") == {"sheep": f"{a}:2"}
    assert governing(engine, f"{b}:1") == {}


@requirement("P5")
def test_peer_defect_a_term_inside_a_definition_is_not_followed(engine: Engine) -> None:
    """Row 3, 1.9f: definitions inside definitions, and ones that run in a circle."""
    law.store(engine.database, read(
        node(T), node(R, "A lodger shall pay."), node(f"{T}:2", "In this title, “lodger” means a guest of a keeper."),
        node(f"{T}:3", "In this title, “keeper” means a person who feeds a lodger."),
    ))  # fmt: skip
    found = [(definition.term.lower(), definition.depth) for definition in engine.context(R).definitions]
    assert found == [("lodger", 0), ("keeper", 1)]


@pytest.mark.parametrize("used", ["An owner", "OWNERS", "Owners", "The Owner’s agent"])
def test_peer_defect_plural_and_capitals_hide_a_term(engine: Engine, used: str) -> None:
    """Row 3: the defined word is met in the forms that it is used in."""
    law.store(engine.database, read(
        node(T), node(R, f"{used} shall pay."), node(f"{T}:2", "In this title, “Owner” means a holder of title.")
    ))  # fmt: skip
    assert governing(engine, R) == {"owner": f"{T}:2"}


# --- row 4, 1.9d, 1.9e: overrides -------------------------------------------------------------------------------------


@requirement("P4")
@pytest.mark.parametrize("status", ["VOID", "ENJOINED", "SUSPENDED", "VACATED", "STAYED"])
def test_peer_defect_a_struck_rule_is_answered_from_as_if_nothing_had_happened(engine: Engine, status: str) -> None:
    """Row 4: void or enjoined halts; suspended, vacated or stayed is said first, with the court, whatever follows."""
    law.store(engine.database, document([node(T), node(R, "No owner shall enter.")]))
    override(engine, R, status)
    context, halts = engine.context(R), status in ("VOID", "ENJOINED")
    assert (context.status, R in context.allow_list) == (("halted", False) if halts else ("ok", True))
    assert [(override.action, override.court) for override in context.overrides] == [
        ("halt" if halts else "warn", "Test Court")
    ]
    said = context.message if halts else " ".join(warning.message for warning in context.warnings)
    assert f"{status} by Test Court, 1 T.C. 1" in said


@requirement("P4")
@pytest.mark.parametrize("part", ["definition", "exception", "paragraph", "what it yields to"])
def test_peer_defect_overrides_are_looked_up_for_the_target_and_its_ancestors_only(engine: Engine, part: str) -> None:
    """Row 4, 1.9e: any other block of the context is redacted too, by a wildcard over what it belongs to as well."""
    urns = {"definition": f"{T}:2", "exception": f"{T}:3", "paragraph": f"{R}:1", "what it yields to": f"{T}:4"}
    law.store(engine.database, document(
        [
            node(T), node(R, "A unit, subject to section 4."), node(f"{R}:1", "Struck words."),
            *(node(f"{T}:{n}", "Struck words.") for n in (2, 3, 4)),
        ],
        [Definition("unit", f"{T}:2", T)],
        [Link(f"{T}:3", "notwithstanding", "section 1", R), Link(R, "subject_to", "section 4", f"{T}:4")],
        {R: ["unit"]},
    ))  # fmt: skip
    for pattern in (urns[part], f"{urns[part]}*"):
        number = override(engine, pattern)
        context = engine.context(R)
        assert (context.status, roles(context)[urns[part]]) == ("ok", "warning")
        assert urns[part] not in context.allow_list
        assert [block.text for block in context.blocks if block.text == "Struck words."] == ["Struck words."] * 3
        assert number


@requirement("P4")
@requirement("P7")
def test_peer_defect_a_failed_override_lookup_fails_open(stores, empty_template) -> None:
    """Row 4, 1.9d: an error of the database was read as “no overrides”; here nothing is answered."""
    with Engine.open(stores.clone(empty_template, traces="off")) as engine:
        law.store(engine.database, document([node(T), node(R, "No owner shall enter.")]))
        assert engine.context(R).status == "ok"
        with psycopg.connect(owner_of(engine.database)) as conn:
            conn.execute("alter table judicial_overrides rename to away")
        for asked in (engine.context, engine.ask):
            with pytest.raises(StoreError):
                asked(R)
        with pytest.raises(StoreError):
            engine.diff(R, "2015-01-01", "2016-01-01")


@requirement("P4")
def test_peer_defect_overrides_have_no_dates(engine: Engine) -> None:
    """Row 4: an injunction of 2015 stops no answer about 2014, and one that was lifted stops none about today."""
    law.store(engine.database, document([node(T), node(R, "No owner shall enter.")]))
    override(engine, R, "ENJOINED", (CHANGE, CHANGE + DAY))
    status = {day: engine.context(R, at_date=day).status for day in (CHANGE - DAY, CHANGE, CHANGE + DAY, None)}
    assert status == {CHANGE - DAY: "ok", CHANGE: "halted", CHANGE + DAY: "ok", None: "ok"}


# --- row 5: preemption ------------------------------------------------------------------------------------------------


def test_peer_defect_federal_law_that_overlaps_goes_unmentioned_or_stops_everything(engine: Engine) -> None:
    """Row 5: a Supremacy Clause Warning names both URNs and halts nothing."""
    federal = f"{FEDERAL}:1:1"
    law.store(engine.database, document([node(T), node(R, "No owner shall enter.")]))
    law.store(engine.database, document([node(f"{FEDERAL}:1"), node(federal, "Federal words.")]))
    preempt(engine, federal, R)
    context = engine.context(R)
    (warning,) = (warning.message for warning in context.warnings if warning.kind == "preemption")
    assert warning.startswith(f"Supremacy Clause Warning: {federal} may preempt {R}")
    assert (context.status, R in context.allow_list, roles(context)[federal]) == ("ok", True, "federal")


# --- row 6, row 8, 1.9h, 1.9i: answers --------------------------------------------------------------------------------


@requirement("P2")
def test_peer_defect_citations_of_what_is_not_in_the_context_or_not_in_force(engine: Engine) -> None:
    """Row 6, 1.9i: each claim cites what is in C(R) and in force at the date, with its literal words."""
    law.store(engine.database, document([
        node(T), node(R, "No owner shall keep wombats.", valid_to=CHANGE),
        node(R, "An owner may keep two wombats.", valid_from=CHANGE), node(f"{T}:2", "Wombats shall be fed daily."),
    ]))  # fmt: skip
    for day, words in ((CHANGE - DAY, "No owner shall keep wombats."), (CHANGE, "An owner may keep two wombats.")):
        answer = engine.ask("May an owner keep wombats?", at_date=day)
        assert answer.context is not None
        texts = {block.urn: block.text for block in answer.context.blocks}
        cited = [each for claim in answer.statements for each in claim.citations]
        assert words in [citation.quote for citation in cited]
        for citation in cited:
            assert citation.urn in answer.context.allow_list
            assert texts[citation.urn][citation.start : citation.end] == citation.quote
        assert "No owner" in str(answer.statements) if day < CHANGE else "No owner" not in answer.model_dump_json()


@requirement("P6")
def test_peer_defect_empty_law_is_answered_from_common_principles(engine: Engine) -> None:
    """Row 8, 1.9h: no context, a halted one or one not in force is a refusal, and no model is asked."""
    law.store(engine.database, document([
        node(T), node(R, "No owner shall enter."), node(f"{T}:2", "Ended.", valid_to=CHANGE),
    ]))  # fmt: skip
    override(engine, R)
    with FakeOpenAI() as server:
        engine.model = OpenAIModel("key", "model", server.base_url)
        answers = {asked: engine.ask(asked) for asked in (R, f"{T}:2", f"{T}:9", "zygote quasar")}
        assert server.calls == 0
    assert {asked: answer.status for asked, answer in answers.items()} == {
        R: "halted", f"{T}:2": "refused", f"{T}:9": "refused", "zygote quasar": "refused",
    }  # fmt: skip
    assert all(answer.refusal is not None and not answer.statements for answer in answers.values())


# --- row 7, 1.9g, row 11: limits --------------------------------------------------------------------------------------


@requirement("P10")
def test_peer_defect_text_beyond_the_budget_stays_on_the_allow_list(stores, empty_template) -> None:
    """Row 7, 1.9g, row 11: what is dropped is dropped whole and listed; no text is cut; a limit is told."""
    long = "word " * 400
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=1000)) as engine:
        law.store(engine.database, document(
            [node(T), node(R, f"A unit. {long}"), *(node(f"{T}:{n}", f"“Unit{n}” means {long}") for n in range(2, 6))],
            [Definition(f"unit{n}", f"{T}:{n}", T) for n in range(2, 6)], used={R: [f"unit{n}" for n in range(2, 6)]},
        ))  # fmt: skip
        context = engine.context(R)
        dropped = {omitted.urn for omitted in context.omitted}
        assert dropped
        assert dropped.isdisjoint(context.allow_list)
        assert dropped | {definition.urn for definition in context.definitions} == {f"{T}:{n}" for n in range(2, 6)}
        assert all(block.text.endswith(long) for block in context.blocks if block.text)
        law.store(engine.database, document([node(f"{STATE}:2"), node(f"{STATE}:2:1", long * 4)]))
        assert "above the budget of 1000" in engine.context(f"{STATE}:2:1").warnings[-1].message


# --- row 9: hostile input ---------------------------------------------------------------------------------------------

HOSTILE = [
    "%", "_", "100 % of units_", "\\", "' or true; --", '"unbalanced', "((( unit", "unit & | !", "unit:*", "<-> unit",
    "\x00unit", "urn:lex:us-dc:tc:%", "urn:lex:us-dc:tc:1:_", "urn:lex:us-dc:tc:*", "urn:lex:us-dc:tc:1:" + "9" * 600,
    "section " + "1." * 9000, "urn:lex::", "1 U.S.C. " + "9" * 5000, "unit " * 3000,
]  # fmt: skip


@pytest.mark.parametrize("asked", HOSTILE, ids=range(len(HOSTILE)))
def test_peer_defect_wildcards_and_unbalanced_input_reach_the_query(engine: Engine, asked: str) -> None:
    """Row 9: such input is refused with a reason, or answered as the words it is; it never matches everything."""
    law.store(engine.database, document([node(T), node(R, "Zebras."), node(f"{T}:2", "Okapis.")]))
    for request in (engine.context, engine.ask, lambda text: engine.diff(text, "2015-01-01", "2016-01-01")):
        refusal = status = ""
        try:
            status = request(asked).status
        except InputError as error:
            refusal = error.message
        assert len(asked) < 20 or asked[:20] not in refusal
        assert bool(refusal) != (status in ("not_found", "insufficient", "refused"))


def test_peer_defect_a_pattern_matches_by_likeness(engine: Engine) -> None:
    """Row 9: an underscore of a URN is no wildcard, and a segment that begins alike is another segment."""
    near, alike = f"{STATE}:1:a_1", f"{STATE}:1:ab1"
    law.store(engine.database, document([node(T), node(near, "Words."), node(alike, "Words."), node(f"{T}:11", "W.")]))
    override(engine, near)
    override(engine, R)
    status = {urn: engine.context(urn).status for urn in (near, alike, f"{T}:11")}
    assert status == {near: "halted", alike: "ok", f"{T}:11": "ok"}


def test_peer_defect_a_giant_body_is_cut_without_a_word(engine: Engine) -> None:
    """Row 9: a text of a megabyte is served whole."""
    giant = " ".join(f"Rule {number} holds." for number in range(60_000))
    law.store(engine.database, document([node(T), node(R, giant)]))
    assert len(giant) > 1_000_000
    assert engine.context(R).blocks[-1].text == giant


# --- row 10: order ----------------------------------------------------------------------------------------------------


@requirement("P1")
def test_peer_defect_ten_comes_before_two(engine: Engine) -> None:
    """Row 10: parts stand as the publication has them, whatever their numbers sort like."""
    parts = [f"{R}:{name}" for name in ("1", "2", "2-a", "9", "10", "11", "a", "ii", "x")]
    law.store(
        engine.database, document([node(T), node(R, intro_text="These:"), *(node(urn, "Part.") for urn in parts)])
    )
    assert [block.urn for block in engine.context(R).blocks if block.role == "rule"] == [R, *parts]
    assert [block.id for block in engine.context(R).blocks] == [f"b{n}" for n in range(1, len(parts) + 4)]


# --- row 14 -----------------------------------------------------------------------------------------------------------


@requirement("P9")
def test_peer_defect_nothing_works_without_a_key(engine: Engine) -> None:
    """Row 14: context, comparison and a cited answer need no provider."""
    law.store(engine.database, document([node(T), node(R, "No owner shall keep wombats.")]))
    assert (engine.model, engine.embedder) == (None, None)
    assert engine.context("May an owner keep wombats?").targets == [R]
    assert engine.ask("May an owner keep wombats?").status == "answered"
    assert engine.diff(R, "2015-01-01", datetime.now(UTC).date()).equal
