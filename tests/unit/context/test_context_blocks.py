"""Blocks: lead-ins, canonical order and a budget that drops whole groups."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from retrieval.context.blocks import (
    AUTHORITY,
    BESIDE_WORDS,
    FEDERAL,
    NAMES_ABOVE,
    NAMES_CONTAINER,
    NAMES_RULE,
    ORDER,
    ROLES,
    BlockDraft,
    definition_priority,
    fit_budget,
    number_blocks,
    sentence_goes_on,
    surroundings,
)
from retrieval.context.compose import Scope
from retrieval.context.material import Material
from retrieval.nodes import ContextNode, document_order


def version(
    number: int,
    above: tuple[int, ...] = (),
    *,
    intro: str = "",
    content: str = "",
    kind: str = "legislation",
    ordinal: int = 0,
    corpus: str = "urn:lex:us:x",
) -> ContextNode:
    return ContextNode(
        jurisdiction="us",
        id=number,
        node_id=number,
        urn=f"urn:lex:us:x:{number:03}",
        path=f"root.us.x.n_{number:03}",
        kind=kind,
        ordinal=ordinal,
        heading="",
        intro_text=intro,
        content_text=content,
        valid_from=None,
        valid_to=None,
        ancestor_ids=[*above, number],
        used_terms=[],
        corpus=corpus,
    )


def draft(
    node: ContextNode, role: str = "rule", priority: int = 0, group: str = "", chain: tuple[ContextNode, ...] = ()
):
    made = surroundings(chain).draft(node, role, "because", priority, group or node.urn)
    made.applies_to.append(node.urn)
    return made


@requirement("P3")
def test_a_block_put_into_a_scope_says_of_its_surroundings_what_a_draft_of_its_own_says() -> None:
    outer = version(1, intro="Who:", content="is fined.")
    inner = version(2, (1,), intro="takes:", content="or keeps,")
    leaves = [version(3, (1, 2), content="gold"), version(4, (1,), content="lies"), version(5, (1, 2), content="tin")]
    material = Material(date(2020, 1, 1))
    for node in (*leaves, inner, outer):
        material.add([node])
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
def test_a_block_carries_the_open_sentence_around_it(above: list[ContextNode], lead_in: str, flush: str) -> None:
    node = version(9, tuple(context_node.node_id for context_node in above), content="pay.")
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

LEADS = ["", "In this Part:" * 10, "Unless the context otherwise requires, " * 5]


def led(made: BlockDraft, lead: int) -> BlockDraft:
    made.lead_in = LEADS[lead]
    return made


drafts = st.lists(
    st.tuples(st.sampled_from([0, 5, 10, 12]), st.integers(0, 300), st.integers(0, 6), st.integers(0, 2)),
    min_size=1, max_size=12,
).map(
    lambda given_: [
        led(draft(version(n, content="x" * size), "definition", priority, f"group {priority} {group}"), lead)
        for n, (priority, size, group, lead) in enumerate(given_, start=1)
    ]
)  # fmt: skip


def size_of(made: list[BlockDraft]) -> int:
    """Own words of each and shared words once."""
    return sum(block_draft.tokens for block_draft in made) + sum(
        -(-len(lead) // 3) for lead in {block_draft.lead_in for block_draft in made}
    )


@requirement("P10")
@given(drafts, st.integers(0, 900))
def test_a_budget_keeps_whole_groups_and_drops_only_what_does_not_fit_beside_what_is_needed_more(
    made: list[BlockDraft], limit: int
) -> None:
    budget = fit_budget(made, limit)
    assert {id(piece) for piece in [*budget.kept, *budget.dropped]} == {id(block_draft) for block_draft in made}
    assert len(budget.kept) + len(budget.dropped) == len(made)
    assert all(piece.priority > 0 for piece in budget.dropped)
    assert {piece.group for piece in budget.kept}.isdisjoint(piece.group for piece in budget.dropped)
    assert budget.tokens == size_of(budget.kept)
    assert budget.exceeded == (budget.tokens > limit)
    if budget.exceeded:
        assert all(piece.priority == 0 for piece in budget.kept)
    if not budget.dropped:
        assert [id(piece) for piece in budget.kept] == [id(block_draft) for block_draft in made]
    for group in {piece.group for piece in budget.dropped}:  # it does not fit beside what is needed more
        members = [piece for piece in budget.dropped if piece.group == group]
        more = [piece for piece in budget.kept if piece.priority <= members[0].priority]
        assert size_of([*more, *members]) > limit


@given(drafts, st.integers(0, 900), st.randoms(use_true_random=False))
def test_a_budget_does_not_depend_on_the_order_of_blocks(made: list[BlockDraft], limit: int, chance) -> None:
    wanted = {piece.node.urn for piece in fit_budget(made, limit).dropped}
    chance.shuffle(made)
    assert {piece.node.urn for piece in fit_budget(made, limit).dropped} == wanted


@requirement("P10")
def test_what_the_rule_needs_least_is_what_a_budget_drops_first() -> None:
    needs = [NAMES_RULE, definition_priority(0), FEDERAL, AUTHORITY, NAMES_ABOVE, *map(definition_priority, (1, 2, 99))]
    needs += [NAMES_CONTAINER, BESIDE_WORDS]
    assert needs == sorted(set(needs))
    made = [draft(version(n, content="x" * 30), "exception", need) for n, need in enumerate(needs, start=1)]
    size = made[0].tokens
    for fitting in range(len(needs) + 1):
        assert [piece.priority for piece in fit_budget(made, fitting * size).kept] == needs[:fitting]


@pytest.mark.parametrize(
    ("intro", "content", "child", "goes_on"),
    [
        ("Notwithstanding section 1, an owner shall:", "", "pay.", True),
        ("Notwithstanding section 1, an owner shall pay.", "", "A tenant may pay.", False),
        ("Notwithstanding section 1, these may pay.", "", "an owner; and", True),
        ("", "unless section 1 applies.", "An owner may pay", True),
        ("", "Section 1 does not apply.", "An owner may pay.", False),
        ("", "", "Section 1 does not apply.", True),
    ],
)
def test_an_exception_needs_its_parts_only_where_its_sentence_goes_on_in_them(
    intro: str, content: str, child: str, goes_on: bool
) -> None:
    parts = [version(2, (1,), content=child), version(3, (1,), content="The end.")]
    assert sentence_goes_on(version(1, intro=intro, content=content), parts) == goes_on


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
    wanted = [root, *(node for pair in zip(sections, parts, strict=True) for node in pair)]
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
