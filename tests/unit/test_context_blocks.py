"""Blocks: lead-ins, canonical order and a budget that drops whole groups."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from retrieval.context_blocks import ORDER, ROLES, BlockDraft, draft_block, fit_budget, number_blocks
from retrieval.context_lookups import Material
from retrieval.context_scope import Scope
from retrieval.nodes import NodeVersion, document_order


def version(
    number: int,
    above: tuple[int, ...] = (),
    *,
    intro: str = "",
    content: str = "",
    kind: str = "legislation",
    ordinal: int = 0,
    corpus: str = "urn:lex:us:x",
) -> NodeVersion:
    return NodeVersion(
        jurisdiction="us",
        id=number,
        node_id=number,
        urn=f"urn:lex:us:x:{number:03}",
        path=f"root.us.x.n_{number:03}",
        kind=kind,
        structure_type="SECTION",
        level="section",
        number=str(number),
        ordinal=ordinal,
        heading="",
        intro_text=intro,
        content_text=content,
        valid_from=None,
        valid_to=None,
        ancestor_ids=[*above, number],
        rule_id=number,
        used_terms=[],
        tags={},
        language="en",
        corpus=corpus,
        document_id=1,
    )


def draft(
    node: NodeVersion, role: str = "rule", priority: int = 0, group: str = "", chain: tuple[NodeVersion, ...] = ()
):
    made = draft_block(node, [*chain, node], role, "because", priority, group or node.urn)
    made.applies_to.append(node.urn)
    return made


@requirement("P3")
def test_a_block_put_into_a_scope_says_of_its_surroundings_what_a_draft_of_its_own_says() -> None:
    outer = version(1, intro="Who:", content="is fined.")
    inner = version(2, (1,), intro="takes:", content="or keeps,")
    leaves = [version(3, (1, 2), content="gold"), version(4, (1,), content="lies"), version(5, (1, 2), content="tin")]
    material = Material(date(2020, 1, 1))
    for node in (*leaves, inner, outer):
        material.add(node)
        material.chain(leaves[0])  # nodes that are read later belong to it too
    scope, chains = Scope(material), {3: [outer, inner], 4: [outer], 5: [outer, inner]}
    for leaf in leaves:
        wanted = draft(leaf, chain=tuple(chains[leaf.node_id]))
        scope.put(leaf, "rule", leaf.urn, "because", 0, leaf.urn)
        assert scope.drafts[leaf.urn] == wanted


@requirement("P3")
@pytest.mark.parametrize(
    ("above", "lead_in", "flush"),
    [
        ([], "", ""),
        ([version(1, intro="No person shall:")], "No person shall:", ""),
        (
            [version(1, intro="No person shall:"), version(2, (1,), intro="while at work:")],
            "No person shall: while at work:",
            "",
        ),
        # A sentence that ended does not go on in the list below it.
        ([version(1, intro="It is so."), version(2, (1,), intro="A person must:")], "A person must:", ""),
        ([version(1, intro="A person must:"), version(2, (1,), intro="This is closed.")], "", ""),
        ([version(1, intro="A person must (“duty.”)")], "", ""),
        ([version(1, intro="A person must:", content="unless excused.")], "A person must:", "unless excused."),
        ([version(1, intro="A person must:", content="A new sentence.")], "A person must:", ""),
        (
            [version(1, intro="Who:", content="is fined."), version(2, (1,), intro="takes:", content="or keeps,")],
            "Who: takes:",
            "or keeps, is fined.",
        ),
        (
            [version(1, intro="Chapter words:", kind="section"), version(2, (1,), intro="A person must:")],
            "A person must:",
            "",
        ),
    ],
)
def test_a_block_carries_the_open_sentence_around_it(above: list[NodeVersion], lead_in: str, flush: str) -> None:
    node = version(9, tuple(one.node_id for one in above), content="pay.")
    made = draft(node, chain=tuple(above))
    assert (made.lead_in, made.flush, made.text) == (lead_in, flush, "pay.")
    assert made.parent_urn == (above[-1].urn if above else None)


def test_a_redacted_block_keeps_only_the_warning_and_is_never_dropped() -> None:
    made = draft(version(1, intro="Secret", content="words"), "definition", 12)
    made.redact("VOID by a court.")
    block = number_blocks([made], [])[0]
    assert (block.role, block.text, block.lead_in, block.flush, made.priority) == (
        "warning",
        "VOID by a court.",
        "",
        "",
        0,
    )


# --- budget ---------------------------------------------------------------------------------------------------------

drafts = st.lists(
    st.tuples(st.sampled_from([0, 5, 10, 12]), st.integers(0, 300), st.integers(0, 6)), min_size=1, max_size=12
).map(
    lambda given_: [
        draft(version(n, content="x" * size), "definition", priority, f"group {priority} {group}")
        for n, (priority, size, group) in enumerate(given_, start=1)
    ]
)


@requirement("P10")
@given(drafts, st.integers(0, 900))
def test_a_budget_keeps_whole_groups_and_drops_the_least_needed_first(made: list[BlockDraft], limit: int) -> None:
    budget = fit_budget(made, limit)
    assert {id(one) for one in [*budget.kept, *budget.dropped]} == {id(one) for one in made}
    assert len(budget.kept) + len(budget.dropped) == len(made)
    assert all(one.priority > 0 for one in budget.dropped)
    assert {one.group for one in budget.kept}.isdisjoint(one.group for one in budget.dropped)
    assert budget.tokens == sum(one.tokens for one in budget.kept)
    assert budget.exceeded == (budget.tokens > limit)
    if budget.exceeded:
        assert all(one.priority == 0 for one in budget.kept)
    if budget.dropped:
        least = min(one.priority for one in budget.dropped)
        assert all(one.priority <= least for one in budget.kept)
    else:
        assert [id(one) for one in budget.kept] == [id(one) for one in made]
    smallest = min((sum(one.tokens for one in budget.dropped if one.group == group) for group in
                    {one.group for one in budget.dropped}), default=0)  # fmt: skip
    assert (
        not budget.dropped
        or budget.tokens + smallest > limit
        or any(one.priority > min(each.priority for each in budget.dropped) for one in budget.dropped)
    )


@given(drafts, st.integers(0, 900), st.randoms(use_true_random=False))
def test_a_budget_does_not_depend_on_the_order_of_blocks(made: list[BlockDraft], limit: int, chance) -> None:
    wanted = {one.node.urn for one in fit_budget(made, limit).dropped}
    chance.shuffle(made)
    assert {one.node.urn for one in fit_budget(made, limit).dropped} == wanted


# --- order ----------------------------------------------------------------------------------------------------------


def test_blocks_stand_in_canonical_order_with_rules_as_ranked() -> None:
    made = [draft(version(n), role) for n, role in enumerate([*ROLES, "rule"], start=1)]
    blocks = number_blocks(made, [made[-1].node.urn, made[0].node.urn])
    assert [block.role for block in blocks] == ["ancestor", "rule", "rule", *ORDER[2:]]
    assert [block.urn for block in blocks if block.role == "rule"] == [made[-1].node.urn, made[0].node.urn]
    assert [block.id for block in blocks] == [f"b{n}" for n in range(1, len(blocks) + 1)]


def test_document_order_is_numeric_and_never_textual() -> None:
    root = version(1)
    sections = [version(n, (1,), ordinal=n) for n in range(2, 30)]
    parts = [version(100 + n, (1, n), ordinal=0) for n in range(2, 30)]
    mixed = [*reversed(sections), *parts, root]
    wanted = [root, *(one for pair in zip(sections, parts, strict=True) for one in pair)]
    assert document_order(mixed) == wanted
    assert document_order(wanted) == wanted


@requirement("P1")
@given(st.permutations(list(range(8))))
def test_the_order_of_blocks_does_not_depend_on_the_order_of_drafts(order: list[int]) -> None:
    made = [
        draft(version(n + 1, (1,) if n else (), ordinal=n % 3, corpus=f"urn:lex:us:{'xy'[n % 2]}"), ROLES[n % 4])
        for n in range(8)
    ]
    wanted = [block.urn for block in number_blocks(made, [])]
    assert [block.urn for block in number_blocks([made[n] for n in order], [])] == wanted


def test_text_is_lead_in_before_flush_and_quotes_count_from_there() -> None:
    assert version(1, intro="A", content="B").text == "A\nB"
    assert version(1, intro="A").text == "A"
    assert version(1, content="B").text == "B"
