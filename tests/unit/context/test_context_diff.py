"""What two contexts differ in: nothing lost, nothing invented, the same from both sides."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.context.diff import (
    MOST_PAIRS,
    ContextDiff,
    DefinitionReason,
    TextChange,
    TextSpan,
    compare,
    similarity,
    word_spans,
)
from retrieval.model import (
    Block,
    ContextStatus,
    ContextWarning,
    DefinitionInScope,
    Omitted,
    OverrideNotice,
    PrevailsOver,
    ScopedContext,
)

THEN, NOW = date(2010, 1, 1), date(2020, 1, 1)
R, D, E = "urn:lex:us:tc:1:1", "urn:lex:us:tc:1:2", "urn:lex:us:tc:1:3"
EACH = settings(max_examples=60)


def block(urn: str = R, text: str = "Words.", **given: object) -> Block:
    return Block.model_validate({
        "id": "b1", "urn": urn, "role": "rule", "heading": "", "text": text, "lead_in": "", "flush": "",
        "valid_from": None, "valid_to": None, "parent_urn": None, "applies_to": [R], "reason": "the rule", **given,
    })  # fmt: skip


def definition(urn: str = D, **given: object) -> DefinitionInScope:
    return DefinitionInScope.model_validate({
        "term": "unit", "urn": urn, "scope_urn": "urn:lex:us:tc:1", "applies_to": [R], "shadows": [],
        "relation": "means", "inferred": False, "phrase": "", "depth": 0, **given,
    })  # fmt: skip


def notice(**given: object) -> OverrideNotice:
    return OverrideNotice.model_validate({
        "urn": R, "urn_pattern": R, "status": "STAYED", "severity": "", "court": "Court", "court_citation": "1 C. 1",
        "message": "", "effective_from": None, "effective_to": None, "action": "warn", **given,
    })  # fmt: skip


def context(at: date = THEN, status: ContextStatus = "ok", **given: object) -> ScopedContext:
    blocks = given.pop("blocks", [])
    assert isinstance(blocks, list)
    numbered = [one.model_copy(update={"id": f"b{n}"}) for n, one in enumerate(blocks, start=1)]
    return ScopedContext.model_validate({
        "status": status, "targets": [R], "at_date": at, "digest": at.isoformat(), "blocks": numbered,
        "definitions": [], "overrides": [], "warnings": [], "omitted": [], **given,
    })  # fmt: skip


# --- properties -------------------------------------------------------------------------------------------------------

urns = st.sampled_from([R, D, E, f"{R}:1", f"{R}:2"])
words = st.lists(st.sampled_from(["no", "owner", "may", " ", ", ", ". ", "賃貸", "é", "\n"]), max_size=12).map("".join)
days = st.sampled_from([None, THEN, date(2015, 6, 1), NOW])
roles = st.sampled_from(["rule", "ancestor", "definition", "exception", "warning"])
blocks = st.lists(
    st.builds(block, urns, words, role=roles, heading=words, lead_in=words, valid_from=days, reason=words),
    unique_by=lambda one: one.urn, max_size=4,
)  # fmt: skip
definitions = st.lists(
    st.builds(
        definition, urns, term=st.sampled_from(["unit", "owner"]), scope_urn=urns, depth=st.integers(0, 1),
        applies_to=st.lists(urns, min_size=1, max_size=2, unique=True), shadows=st.lists(urns, max_size=1),
    ),
    unique_by=lambda one: (one.term, one.urn, one.scope_urn), max_size=3,
)  # fmt: skip
contexts = st.builds(
    context, st.sampled_from([THEN, NOW]), st.sampled_from(["ok", "ok", "halted", "not_in_force"]), blocks=blocks,
    definitions=definitions,
    overrides=st.lists(st.builds(notice, urn=urns, effective_from=days), max_size=2, unique_by=str),
    warnings=st.lists(
        st.builds(ContextWarning, kind=st.sampled_from(["budget", "preemption"]), message=words), max_size=2,
        unique_by=str,
    ),
    omitted=st.lists(st.builds(Omitted, urn=urns, reason=words), max_size=2, unique_by=str),
    prevails_over=st.lists(
        st.builds(
            PrevailsOver, urn=urns, heading=words, path=words, in_force=st.booleans(), by=urns, reference=words,
            applies_to=st.just([R]),
        ),
        max_size=2, unique_by=str,
    ),
)  # fmt: skip


def said(blocks_: list[Block]) -> dict[str, Block]:
    """Blocks by URN, without their numbers."""
    return {block_.urn: block_.model_copy(update={"id": ""}) for block_ in blocks_}


def governing(one: ScopedContext) -> dict[tuple[str, str], list[DefinitionInScope]]:
    """(user, term) -> definitions, the whole of what a context says of them."""
    found: dict[tuple[str, str], list[DefinitionInScope]] = {}
    for each in one.definitions:
        for user in each.applies_to:
            alone = each.model_copy(update={"applies_to": [user]})
            found.setdefault((user, each.term), []).append(alone)
    return found


@EACH
@given(contexts)
def test_a_context_does_not_differ_from_itself(one: ScopedContext) -> None:
    diff = compare(one, one)
    assert diff.equal
    assert (diff.added, diff.removed, diff.changed, diff.definitions, diff.overrides, diff.reordered) == (
        [], [], [], [], [], False,
    )  # fmt: skip
    assert diff.unchanged == len(one.blocks)


@EACH
@given(contexts, contexts)
def test_the_differences_turn_one_context_into_the_other(old: ScopedContext, new: ScopedContext) -> None:
    diff = compare(old, new)
    result = said(old.blocks)
    assert diff.unchanged == len(result) - len(diff.removed) - len(diff.changed)
    for block_ in diff.removed:
        del result[block_.urn]
    for change in diff.changed:
        assert result[change.urn] == change.from_block.model_copy(update={"id": ""})
        result[change.urn] = change.to_block.model_copy(update={"id": ""})
    result.update(said(diff.added))
    assert result == said(new.blocks)
    meaning = governing(old)
    for change in diff.definitions:
        key = change.user, change.term
        assert meaning.pop(key, []) == change.from_definitions
        meaning.update({key: change.to_definitions} if change.to_definitions else {})
    assert meaning == governing(new)
    for name, before, after in (
        ("override", old.overrides, new.overrides), ("omitted", old.omitted, new.omitted),
        ("warning", old.warnings, new.warnings), ("prevails_over", old.prevails_over, new.prevails_over),
    ):  # fmt: skip
        listed = {
            "override": diff.overrides, "omitted": diff.omitted, "warning": [*diff.warnings, *diff.preemption],
            "prevails_over": diff.prevails_over,
        }[name]  # fmt: skip
        ended = [getattr(override, name) for override in listed if override.change == "ended"]
        began = [getattr(override, name) for override in listed if override.change == "began"]
        assert {*map(str, before)} - {*map(str, ended)} | {*map(str, began)} == {*map(str, after)}


@EACH
@given(contexts, contexts)
def test_the_other_way_round_says_the_same_with_the_sides_exchanged(old: ScopedContext, new: ScopedContext) -> None:
    assert compare(new, old) == exchanged(compare(old, new))


def exchanged(diff: ContextDiff) -> ContextDiff:
    """The same with its sides exchanged."""
    other = {"began": "ended", "ended": "began", "insert": "delete", "delete": "insert"}

    def turned(name: str) -> list[object]:
        return [entry.model_copy(update={"change": other[entry.change]}) for entry in getattr(diff, name)]

    def text(one: TextChange) -> TextChange:
        spans = [
            TextSpan(op=other.get(each.op, each.op), from_text=each.to_text, to_text=each.from_text)  # pyright: ignore[reportArgumentType]
            for each in one.spans
        ]
        return one.model_copy(update={"spans": spans})

    return diff.model_copy(update={
        "before": diff.after, "after": diff.before, "added": diff.removed, "removed": diff.added,
        "changed": [
            change.model_copy(update={
                "from_block": change.to_block, "to_block": change.from_block,
                "texts": [text(each) for each in change.texts],
            })
            for change in diff.changed
        ],
        "definitions": [
            change.model_copy(update={
                "from_definitions": change.to_definitions, "to_definitions": change.from_definitions,
            })
            for change in diff.definitions
        ],
        **{name: turned(name) for name in ("overrides", "preemption", "warnings", "omitted", "prevails_over")},
    })  # fmt: skip


@EACH
@given(contexts, contexts)
def test_equal_is_said_only_of_contexts_that_say_the_same(old: ScopedContext, new: ScopedContext) -> None:
    aside = {"at_date", "digest", "trace_id", "message"}
    same = old.model_dump(exclude=aside) == new.model_dump(exclude=aside)
    if compare(old, new).equal:
        assert said(old.blocks) == said(new.blocks)
        assert governing(old) == governing(new)
        assert (old.status, old.targets) == (new.status, new.targets)
    assert compare(old, new).equal or not same


@settings(max_examples=share_of(400))
@given(words, words)
def test_the_spans_are_both_texts_whole_and_alternate(old: str, new: str) -> None:
    spans = word_spans(old, new)
    assert "".join(span.from_text for span in spans) == old
    assert "".join(span.to_text for span in spans) == new
    kinds = [span.op == "equal" for span in spans]
    assert all(first != second for first, second in pairwise(kinds))
    for span in spans:
        assert (span.op == "equal") == (span.from_text == span.to_text)
        assert (span.op == "insert", span.op == "delete") == (not span.from_text, not span.to_text)
    assert (similarity(spans) == 1.0) == (old == new)


# --- examples ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("Pay 10 days late.", "Pay 25 days late.", ["Pay ", "10>25", " days late."]),
        ("An owner may.", "No owner may.", ["An>No", " owner may."]),
        ("It ends. A.", "It ends. A new clause; A.", ["It ends. ", ">A new clause; ", "A."]),
        ("民法を定める。", "商法を定める。", ["民>商", "法を定める。"]),
        ("a b c", "a, b, c", ["a", ">,", " b", ">,", " c"]),
        ("See section 12(a).", "See section 12(b).", ["See section 12(", "a>b", ")."]),
    ],
)
def test_words_are_compared_and_not_letters(old: str, new: str, expected: list[str]) -> None:
    spans = word_spans(old, new)
    shown = [span.from_text if span.op == "equal" else f"{span.from_text}>{span.to_text}" for span in spans]
    assert shown == expected


def test_a_text_too_much_alike_everywhere_is_still_told_whole() -> None:
    size = int(MOST_PAIRS**0.5) * 2
    old, new = " ".join("ab"[n % 2] for n in range(size)), " ".join("ab"[n % 3 % 2] for n in range(size))
    spans = word_spans(f"Same start. {old} same end", f"Same start. {new} same end")
    assert spans[0].op == spans[-1].op == "equal"
    assert any(span.op == "replace" for span in spans)
    assert "".join(span.to_text for span in spans) == f"Same start. {new} same end"


later = {"valid_from": date(2015, 1, 1), "role": "definition"}
always = {"role": "definition"}


@pytest.mark.parametrize(
    ("reason", "old", "new", "old_block", "new_block"),
    [
        ("shadowing", [definition(D)], [definition(E, scope_urn=R, shadows=[D])], always, later),
        ("shadowing", [definition(D)], [definition(D, shadows=[E])], always, always),
        ("scope", [definition(D)], [definition(D, scope_urn=R)], always, later),
        ("validity", [definition(D)], [definition(E)], always, later),
        ("validity", [], [definition(E)], always, later),
        ("use", [], [definition(E)], always, always),
        ("use", [definition(D, depth=1)], [definition(D)], always, always),
        ("wording", [definition(D)], [definition(D, relation="includes")], always, later),
    ],
)
def test_a_change_of_what_governs_a_term_says_why(
    reason: DefinitionReason,
    old: list[DefinitionInScope],
    new: list[DefinitionInScope],
    old_block: dict[str, object],
    new_block: dict[str, object],
) -> None:
    before = context(
        THEN, definitions=old, blocks=[block(definition_in_scope.urn, **old_block) for definition_in_scope in old]
    )
    after = context(
        NOW, definitions=new, blocks=[block(definition_in_scope.urn, **new_block) for definition_in_scope in new]
    )
    (change,) = compare(before, after).definitions
    assert (change.term, change.user, change.reason) == ("unit", R, reason)
    assert [definition.urn for definition in change.from_definitions] == [definition.urn for definition in old]
    assert [definition.urn for definition in change.to_definitions] == [definition.urn for definition in new]
    (back,) = compare(after, before).definitions
    assert back.reason == reason


@pytest.mark.parametrize(("since", "reason"), [(date(2015, 1, 1), "validity"), (None, "context"), (THEN, "context")])
def test_an_override_that_began_is_told_from_one_that_only_came_into_view(since: date | None, reason: str) -> None:
    (change,) = compare(context(THEN), context(NOW, overrides=[notice(effective_from=since)])).overrides
    assert (change.change, change.reason) == ("began", reason)


def test_a_redacted_block_is_a_change_of_role_and_no_change_of_words() -> None:
    old = context(THEN, blocks=[block(D, "“Unit” means a flat.", role="definition")])
    new = context(NOW, blocks=[block(D, "VOID by Court.", role="warning")])
    (change,) = compare(old, new).changed
    assert ({"role", "text"} <= set(change.fields), change.texts) == (True, [])


def test_a_halt_at_one_date_is_said_and_not_read_as_repeal() -> None:
    diff = compare(context(THEN, blocks=[block()]), context(NOW, "halted", message="Legal Override active."))
    assert (diff.status, diff.equal, [block_.urn for block_ in diff.removed]) == ("compared", False, [R])
    assert "halts the rule at 2020-01-01" in diff.message


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("ok", "not_in_force", "compared"),
        ("not_found", "halted", "compared"),
        ("not_in_force", "not_in_force", "not_in_force"),
        ("not_in_force", "not_found", "not_in_force"),
        ("not_found", "not_found", "not_found"),
    ],
)
def test_two_contexts_are_compared_when_the_rule_is_in_force_at_one_date(
    old: ContextStatus, new: ContextStatus, status: str
) -> None:
    diff = compare(context(THEN, old), context(NOW, new))
    assert (diff.status, diff.equal) == (status, old == new)


def test_the_same_blocks_in_another_order_are_not_equal() -> None:
    one, other = block(f"{R}:1"), block(f"{R}:2")
    diff = compare(context(THEN, blocks=[one, other]), context(NOW, blocks=[other, one]))
    assert (diff.reordered, diff.equal, diff.unchanged) == (True, False, 2)
