"""Every part of C(R) is that of the date, and a comparison of two dates says what changed between them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import law
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law import Span, document, node, override, preempt
from oracle import DATES, FEDERAL, STATE, Law, bodies_of_law, expect

from rag import Engine
from rag.jurisdictions.grammars import GRAMMARS
from rag.law.nodes import Definition, Link, ParsedDocument, ParsedNode
from retrieval.context.diff import compare_dates
from retrieval.errors import IngestError, InputError
from retrieval.model import ScopedContext

T, R = f"{STATE}:1", f"{STATE}:1:1"
START, CHANGE, END = date(2010, 1, 1), date(2015, 1, 1), date(2020, 1, 1)
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def store(stores: Any, empty_template: Any):
    """An engine over one store, emptied between tests."""
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=200_000)) as engine:
        yield engine


@pytest.fixture
def engine(store: Engine) -> Engine:
    law.empty(store.database)
    return store


def versions(urn: str, old: str, new: str = "", **given: object) -> list[ParsedNode]:
    """A node with two versions from START to END, or the first of them only."""
    first = node(urn, old, valid_from=START, valid_to=CHANGE, **given)
    return [first, node(urn, new, valid_from=CHANGE, valid_to=END, **given)] if new else [first]


def texts(context: ScopedContext) -> dict[str, str]:
    """What every block says, its heading and the words around it included."""
    return {block.urn: " ".join((block.heading, block.lead_in, block.text, block.flush)) for block in context.blocks}


# --- the rule ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounds", [(START, END), (None, END), (START, None), (None, None)])
def test_a_rule_is_in_force_from_its_first_day_to_the_one_before_it_ends(engine: Engine, bounds: Span) -> None:
    start, end = bounds
    law.store(engine.database, document([node(T), node(R, "Words.", valid_from=start, valid_to=end)]))
    begun, ended = start or START, end or END
    expected = {
        date.min: start is None, begun - DAY: start is None, begun: True, begun + DAY: True, ended - DAY: True,
        ended: end is None, ended + DAY: end is None, date.max: end is None,
    }  # fmt: skip
    assert {day: engine.context(R, at_date=day).status == "ok" for day in expected} == expected
    if start is None:
        assert [warning.kind for warning in engine.context(R, at_date=begun).warnings] == ["unknown_start"]


SPANS: dict[str, tuple[date, date]] = {
    "a leap day": (date(2024, 2, 29), date(2024, 3, 1)),
    "the first day there is": (date.min, date(1, 1, 2)),
    "the last day but two there is": (date(9999, 12, 29), date(9999, 12, 30)),  # the last one means no end
    "a day on which clocks change": (date(2024, 3, 31), date(2024, 4, 1)),
}


@pytest.mark.parametrize("span", SPANS)
def test_f27_law_of_one_day_is_in_force_on_that_day_alone_beside_gaps(engine: Engine, span: str) -> None:
    start, end = SPANS[span]
    law.store(engine.database, document([node(T), node(R, "Words.", valid_from=start, valid_to=end)]))
    around = {day for day in (START, end, date.max) if day != start}
    around |= {start - DAY} if start > date.min else set()
    assert engine.context(R, at_date=start).status == "ok"
    assert {engine.context(R, at_date=day).status for day in around} == {"not_in_force"}


def test_f27_law_that_overlaps_itself_is_refused_and_law_that_meets_is_not(engine: Engine) -> None:
    meets = [node(R, "Old.", valid_from=START, valid_to=CHANGE), node(R, "New.", valid_from=CHANGE, valid_to=END)]
    overlaps = [*meets[:1], node(R, "New.", valid_from=CHANGE - DAY, valid_to=END)]
    with pytest.raises(IngestError, match=f"two versions of {R} are in force at once"):
        law.store(engine.database, document([node(T), *overlaps]))
    assert engine.context(R, at_date=START).status == "not_found"
    law.store(engine.database, document([node(T), *meets]))
    assert texts(engine.context(R, at_date=CHANGE - DAY))[R].endswith("Old. ")
    assert texts(engine.context(R, at_date=CHANGE))[R].endswith("New. ")


@pytest.mark.parametrize(
    ("day", "told"),
    [
        (START - DAY, "from an unknown date until 2000-01-01, from 2010-01-01 until 2015-01-01, from 2020-01-01 on"),
        (CHANGE, "from an unknown date until 2000-01-01, from 2010-01-01 until 2015-01-01, from 2020-01-01 on"),
    ],
)
def test_a_rule_that_is_not_in_force_says_all_the_times_it_was(engine: Engine, day: date, told: str) -> None:
    spans: list[Span] = [(None, date(2000, 1, 1)), (START, CHANGE), (END, None)]
    law.store(engine.database, document(
        [node(T), *(node(R, f"Words {n}.", valid_from=a, valid_to=b) for n, (a, b) in enumerate(spans))]
    ))  # fmt: skip
    context = engine.context(R, at_date=day)
    assert (context.status, context.blocks, context.allow_list) == ("not_in_force", [], ())
    assert f"not in force at {day.isoformat()}; the store has it in force {told}." in context.message
    assert engine.ask(R, at_date=day).status == "refused"


def test_future_law_is_not_served_today_and_is_at_its_date(engine: Engine) -> None:
    today = datetime.now(UTC).date()
    law.store(engine.database, document([
        node(T, valid_from=START), node(R, "Quokkas may be let.", valid_from=START, valid_to=today + DAY),
        node(R, "Numbats may be let.", valid_from=today + DAY),
        node(f"{T}:2", "Wombats may be let.", valid_from=today + DAY),
    ]))  # fmt: skip
    assert "Quokkas" in texts(engine.context(R))[R]
    assert "Numbats" in texts(engine.context(R, at_date=today + DAY))[R]
    assert engine.context(f"{T}:2").status == "not_in_force"
    assert engine.context(f"{T}:2", at_date=today + DAY).status == "ok"
    assert [result.urn for result in engine.search("wombats").results] == []
    assert [result.urn for result in engine.search("wombats", at_date=today + DAY).results] == [f"{T}:2"]
    assert engine.search("numbats").results == []


def test_of_two_editions_of_one_day_one_counts_in_every_order_and_the_report_says_so(engine: Engine) -> None:
    law.store(engine.database, replace(document([node(T), node(R, "Before.")]), edition_date=START, source="a"))
    report = None
    for source, text in (("law-2", "As corrected."), ("law-1", "As first published.")):
        one = document([node(T), node(R, text, valid_from=CHANGE)], edition=CHANGE)
        report = law.store(engine.database, replace(one, source=source))
    assert report is not None
    assert any("law-1 and law-2 differ" in warning and "2015-01-01" in warning for warning in report.warnings)
    assert texts(engine.context(R, at_date=CHANGE - DAY))[R].endswith("Before. ")
    assert texts(engine.context(R, at_date=CHANGE))[R].endswith("As corrected. ")
    (change,) = (change for change in engine.diff(R, START, END).changed if change.urn == R)
    assert (change.from_block.text, change.to_block.text) == ("Before.", "As corrected.")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_change_between_two_editions_is_told_as_of_an_unknown_day(engine: Engine, order: tuple[int, ...]) -> None:
    told, new = f"{T}:2", f"{T}:3"
    shown = [
        document([
            node(T), node(R, "Old." if day < END else "New."), node(f"{R}:1", "Same."),
            node(told, "Old.", valid_from=START) if day < END else node(told, "New.", valid_from=CHANGE + DAY),
            node(new), *([] if day < END else [node(f"{new}:1", "New.")]),
        ], edition=day)
        for day in (START, CHANGE, END)
    ]  # fmt: skip
    law.store(engine.database, *(replace(shown[n], source=f"{n}.test") for n in order))
    days = (START, CHANGE - DAY, CHANGE, CHANGE + DAY, END - DAY, END)  # an edition speaks of its own day
    warned = {
        urn: [
            day
            for day in days
            if "uncertain_dates" in {warning.kind for warning in engine.context(urn, at_date=day).warnings}
        ]
        for urn in (R, f"{R}:1", told, new)
    }
    between = [CHANGE + DAY, END - DAY]
    assert warned == {R: between, f"{R}:1": between, told: [], new: between}
    (warning,) = (
        warning for warning in engine.context(R, at_date=CHANGE + DAY).warnings if warning.kind == "uncertain_dates"
    )
    assert warning.message == (
        f"Between the editions of 2015-01-01 and 2020-01-01 the text changed; the day is not known: {R}."
    )
    diff = engine.diff(R, CHANGE + DAY, CHANGE + 2 * DAY)
    assert (diff.equal, diff.warnings, diff.before.message, diff.after.message) == (
        True, [], warning.message, warning.message
    )  # fmt: skip
    assert engine.diff(R, CHANGE, CHANGE + DAY).before.message == ""
    before = engine.context(R, at_date=START - DAY)
    told = [warning.message for warning in before.warnings if warning.kind == "uncertain_dates"]
    assert "before 2010-01-01, the day of the first edition with a date" in told[0]
    rule = engine.document(R, at_date=CHANGE)
    assert (rule.from_basis, rule.to_basis) == ("unknown", "edition")
    for at, expected in ((CHANGE, 0), (CHANGE + DAY, 1), (END, 0)):
        said = (engine.document(R, at_date=at).warnings, engine.resolve(R, at_date=at).warnings,
                engine.search("old new", at_date=at).warnings)  # fmt: skip
        heard = [
            [warning for warning in warnings if "Between the editions" in warning and R in warning] for warnings in said
        ]
        assert [len(warnings) for warnings in heard] == [expected] * 3


# --- every other part -------------------------------------------------------------------------------------------------

PARTS = {
    "paragraph": f"{R}:1", "section with a lead-in": R, "title": T, "definition": f"{T}:2", "exception": f"{T}:3",
    "what the rule yields to": f"{T}:4", "authority": f"{T}:5", "federal rule": f"{FEDERAL}:1:1",
}  # fmt: skip
WORDS = {
    f"{R}:1": "let a unit subject to section 4 as section 5 permits", f"{T}:2": "“Unit” means a flat.",
    f"{T}:3": "Notwithstanding section 1 anyone may.", f"{T}:4": "Yielded to.", f"{T}:5": "Power.",
}  # fmt: skip


def whole(amended: str = "", old: str = "", new: str = "") -> list[ParsedDocument]:
    """A rule with all the parts that a context can have, one of them amended."""

    def nodes(urn: str, **given: object) -> list[ParsedNode]:
        words = WORDS.get(urn, "")
        if urn != amended:
            return [node(urn, words, **given)]
        if urn in (T, R):
            field = "heading" if urn == T else "intro_text"
            return [
                node(urn, valid_from=START, valid_to=CHANGE, **{**given, field: f"{old} shall"}),  # pyright: ignore[reportArgumentType]
                node(urn, valid_from=CHANGE, valid_to=END, **{**given, field: f"{new} shall"}),  # pyright: ignore[reportArgumentType]
            ]
        return versions(urn, f"{words} {old}", f"{words} {new}", **given)

    state = [*nodes(T), *nodes(R, intro_text="No owner shall"), *nodes(f"{R}:1")]
    state += [node for n in (2, 3, 4, 5) for node in nodes(f"{T}:{n}")]
    links = [
        Link(f"{T}:3", "notwithstanding", "section 1", R), Link(f"{R}:1", "subject_to", "section 4", f"{T}:4"),
        Link(f"{R}:1", "enabled_by", "section 5", f"{T}:5"),
    ]  # fmt: skip
    used = {f"{R}:1": ["unit"]}
    federal = [node(f"{FEDERAL}:1"), *nodes(f"{FEDERAL}:1:1")]
    return [document(state, [Definition("unit", f"{T}:2", T)], links, used), document(federal)]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_a_context_has_the_words_of_the_date(engine: Engine, part: str) -> None:
    urn = PARTS[part]
    law.store(engine.database, *whole(urn, "Marsupials", "Monotremes"))
    preempt(engine, f"{FEDERAL}:1:1", R)
    for day, here, gone in (
        (START, "Marsupials", "Monotremes"), (CHANGE - DAY, "Marsupials", "Monotremes"),
        (CHANGE, "Monotremes", "Marsupials"), (END - DAY, "Monotremes", "Marsupials"),
    ):  # fmt: skip
        context = engine.context(f"{R}:1" if urn in (T, R) else R, at_date=day)
        said = texts(context)
        assert here in said[urn], day
        assert not any(gone in text for text in said.values())
        if urn == R:  # the lead-in stands with the paragraph that continues it
            assert f"{here} shall" in said[f"{R}:1"]
    assert urn in texts(engine.context(f"{R}:1" if urn == T else R, at_date=END - DAY))
    if urn not in (T, R):
        for day in (START - DAY, END):
            context = engine.context(R, at_date=day)
            assert context.status == "ok"
            assert urn not in texts(context)
    (change,) = (
        change for change in engine.diff(f"{R}:1" if urn == T else R, START, CHANGE).changed if change.urn == urn
    )
    (span,) = (each for text in change.texts for each in text.spans if each.op == "replace")
    assert (span.from_text, span.to_text) == ("Marsupials", "Monotremes")


def test_a_definition_repealed_before_the_rule_no_longer_governs_it(engine: Engine) -> None:
    law.store(engine.database, document(
        [
            node(T), *versions(R, "A unit.", "A unit stays."), *versions(f"{R}:1", "“Unit” means a flat."),
            node(f"{T}:2", "“Unit” means a building."),
        ],
        [Definition("unit", f"{R}:1", R), Definition("unit", f"{T}:2", T)], used={R: ["unit"]},
    ))  # fmt: skip
    governing = {
        day: [(definition.urn, definition.shadows) for definition in engine.context(R, at_date=day).definitions]
        for day in (START, CHANGE - DAY, CHANGE)
    }
    closest, outer = [(f"{R}:1", [f"{T}:2"])], [(f"{T}:2", [])]  # pyright: ignore[reportUnknownVariableType]
    assert governing == {START: closest, CHANGE - DAY: closest, CHANGE: outer}
    (change,) = engine.diff(R, CHANGE - DAY, CHANGE).definitions
    assert (change.reason, [definition.urn for definition in change.to_definitions]) == ("shadowing", [f"{T}:2"])


def test_what_another_document_says_is_that_of_the_date_with_the_words_around_it(engine: Engine) -> None:
    there = f"{STATE}:2:1"
    law.store(engine.database, document([node(T), node(R, "A unit.")], used={R: ["unit"]}), document(
        [
            node(f"{STATE}:2"), node(there, valid_from=START, valid_to=CHANGE, intro_text="Marsupials shall"),
            node(there, valid_from=CHANGE, intro_text="Monotremes shall"),
            node(f"{there}:1", "despite section 1 stay."), *versions(f"{STATE}:2:2", "“Unit” means a flat."),
        ],
        [Definition("unit", f"{STATE}:2:2", STATE)], [Link(f"{there}:1", "notwithstanding", "section 1", R)],
    ))  # fmt: skip
    for day, lead_in, governing in (
        (START, "Marsupials shall", ["unit"]), (CHANGE - DAY, "Marsupials shall", ["unit"]),
        (CHANGE, "Monotremes shall", []),
    ):  # fmt: skip
        context = engine.context(R, at_date=day)
        (exception,) = (block for block in context.blocks if block.role == "exception")
        assert (exception.urn, exception.lead_in) == (f"{there}:1", lead_in)
        assert [definition.term for definition in context.definitions] == governing
        assert (f"{STATE}:2:2" in texts(context)) == bool(governing)


def test_the_scope_of_a_definition_is_that_of_its_words_at_the_date(engine: Engine) -> None:
    for day, scope, words in ((START, T, "this title"), (CHANGE, f"{T}:2", "this section"), (END, T, "this title")):
        law.store(engine.database, document(
            [node(T), node(R, "A unit."), node(f"{T}:2", f"In {words}, “unit” means a flat at {day}.")],
            [Definition("unit", f"{T}:2", scope, phrase=words)], used={R: ["unit"], f"{T}:2": ["unit"]}, edition=day,
        ))  # fmt: skip
    days = (START, CHANGE - DAY, CHANGE, END - DAY, END)
    scopes = {
        day: [definition.scope_urn for definition in engine.context(f"{T}:2", at_date=day).definitions] for day in days
    }
    assert scopes == {START: [T], CHANGE - DAY: [T], CHANGE: [f"{T}:2"], END - DAY: [f"{T}:2"], END: [T]}
    reach = {day: [definition.urn for definition in engine.context(R, at_date=day).definitions] for day in days}
    assert [day for day, found in reach.items() if found] == [START, CHANGE - DAY, END]
    assert [definition.reason for definition in engine.diff(f"{T}:2", START, CHANGE).definitions] == ["scope"]


@pytest.mark.parametrize("span", [(START, END), (None, END), (START, None), (None, None)])
@pytest.mark.parametrize("kind", ["override", "preemption"])
def test_what_courts_and_federal_law_do_is_bounded_by_its_days(engine: Engine, span: Span, kind: str) -> None:
    law.store(engine.database, *whole())
    if kind == "override":
        override(engine, f"{T}:*", "SUSPENDED", span)
    else:
        preempt(engine, f"{FEDERAL}:1:1", f"{T}:*", span)
    for day in (START - DAY, START, END - DAY, END):
        context = engine.context(R, at_date=day)
        holds = (span[0] is None or span[0] <= day) and (span[1] is None or day < span[1])
        assert (kind in {warning.kind for warning in context.warnings}) == holds
        assert (f"{FEDERAL}:1:1" in texts(context)) == (holds and kind == "preemption")
    diff = engine.diff(R, START - DAY, START)
    began = diff.overrides if kind == "override" else diff.preemption
    assert {one.change for one in began} == ({"began"} if span[0] else set())
    assert diff.equal == (span[0] is None)


# --- comparing --------------------------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(data=st.data(), body=bodies_of_law())
def test_what_two_dates_differ_in_is_what_the_oracle_says(store: Engine, data: st.DataObject, body: Law) -> None:
    law.empty(store.database)
    law.store(store.database, *body.documents())
    for order in body.orders:
        override(store, order.pattern, order.status, order.span)
    for overlap in body.overlaps:
        preempt(store, overlap.federal, overlap.pattern, overlap.span)
    rules = [(urn, a, b) for urn in body.history if urn.count(":") > 3 for a in DATES for b in DATES if a < b]
    for rule, first, second in data.draw(st.lists(st.sampled_from(rules), min_size=1, max_size=6, unique=True)):
        diff = store.diff(rule, first, second)
        old, new = ({} if body.version(rule, day) is None else expect(body, rule, day).roles for day in (first, second))
        assert {block.urn for block in diff.removed} == old.keys() - new.keys()
        assert {block.urn for block in diff.added} == new.keys() - old.keys()
        other = {urn for urn in old.keys() & new.keys() if body.version(urn, first) != body.version(urn, second)}
        assert other <= {change.urn for change in diff.changed}
        roles = {
            change.urn: (change.from_block.role, change.to_block.role)
            for change in diff.changed
            if "role" in change.fields
        }
        assert roles == {urn: (old[urn], new[urn]) for urn in old.keys() & new.keys() if old[urn] != new[urn]}


def test_a_rule_in_force_at_one_date_is_compared_with_nothing_and_says_when_it_was(engine: Engine) -> None:
    law.store(engine.database, document([node(T), *versions(R, "Words.")]))
    ended = engine.diff(R, CHANGE - DAY, CHANGE)
    assert (ended.status, [block.urn for block in ended.removed], ended.added) == ("compared", [STATE, T, R], [])
    assert (ended.before.status, ended.after.status) == ("ok", "not_in_force")
    assert "in force from 2010-01-01 until 2015-01-01" in ended.after.message
    assert [block.urn for block in engine.diff(R, START - DAY, START).added] == [STATE, T, R]
    assert engine.diff(R, CHANGE, END).status == "not_in_force"
    assert engine.diff(f"{T}:7", CHANGE, END).status == "not_found"


def test_both_contexts_are_of_one_snapshot_and_whole_whatever_the_budget(stores: Any, empty_template: Any) -> None:
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=500)) as engine:
        law.store(engine.database, *whole(f"{T}:2", "long " * 500, "long " * 500 + "and longer"))
        assert [omitted.urn for omitted in engine.context(R, at_date=START).omitted] == [f"{T}:2"]
        with engine.database.read() as conn:
            before = compare_dates(conn, GRAMMARS, R, START, CHANGE, today=END)
            law.store(engine.database, *whole(f"{T}:3", "Marsupials", "Monotremes"))
            override(engine, R)
            assert compare_dates(conn, GRAMMARS, R, START, CHANGE, today=END) == before
        assert engine.diff(R, START, CHANGE).after.status == "halted"
        assert before.omitted == []
        assert f"{T}:2" in {change.urn for change in before.changed}


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("2015-01-01", "2015-01-01", "the same"),
        ("2015-01-02", "2015-01-01", "Exchange --from and --to"),
        ("2015-01-32", "2016-01-01", "--from: The date is not a day of the calendar"),
        ("2015-01-01", "tomorrow", "--to: The date is not in the form YYYY-MM-DD"),
    ],
)
def test_dates_that_cannot_be_compared_are_refused_with_what_to_do(
    engine: Engine, first: str, second: str, told: str
) -> None:
    with pytest.raises(InputError) as raised:
        engine.diff(R, first, second)
    assert told in raised.value.message
    assert "tomorrow" not in raised.value.message
