"""C(R) against a brute-force oracle on random law, and against itself in another order of inserts."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Generator
from contextlib import contextmanager
from datetime import date
from typing import Any

import law
import oracle
import pytest
from conftest import share_of
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from law import override, preempt
from oracle import DATES, STATE, Def, Law, bodies_of_law, expect
from requirements import requirement

from rag import Engine
from retrieval.model import ScopedContext, context_digest

EXAMPLES = int(os.environ.get("ORACLE_EXAMPLES", str(share_of(40))))  # bodies of law; of each eight rules at most
EACH = settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink])


@pytest.fixture(scope="module")
def store(stores: Any, empty_template: str):
    """An engine over one store, emptied between examples."""
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=200_000)) as engine:
        yield engine


def build(engine: Engine, body: Law, shuffle: int | None = None) -> None:
    """Store a body of law; a number shuffles the order of everything that can be."""
    law.empty(engine.database)
    documents, orders, overlaps = body.documents(), [*body.orders], [*body.overlaps]
    if shuffle is not None:
        for group in (documents, orders, overlaps):
            random.Random(shuffle).shuffle(group)
    law.store(engine.database, *documents)
    for each in orders:
        override(engine, each.pattern, each.status, each.span)
    for each in overlaps:
        preempt(engine, each.federal, each.pattern, each.span)


def some_rules(data: st.DataObject, body: Law, most: int) -> list[tuple[str, date]]:
    """Rules to ask for, each at a date when it is in force."""
    rules = [(urn, at) for urn in body.history for at in DATES if urn.count(":") > 3 and body.version(urn, at)]
    return data.draw(st.lists(st.sampled_from(rules), min_size=1, max_size=most, unique=True))


@requirement("P4", "P5")
@EACH
@given(data=st.data(), body=bodies_of_law())
def test_a_context_is_what_the_oracle_says(store: Engine, data: st.DataObject, body: Law) -> None:
    build(store, body)
    for rule, at in some_rules(data, body, 8):
        context, wanted = store.context(rule, at_date=at), expect(body, rule, at)
        check_types(context)
        if wanted.halted:
            assert (context.status, context.blocks) == ("halted", [])
            assert context.message.startswith("Legal Override active.")
            continue
        assert context.status == "ok"
        assert {block.urn: block.role for block in context.blocks} == wanted.roles
        check_definitions(context, wanted)
        check_overrides(context, wanted)
        check_texts(context, body, at)
        assert {omitted.urn for omitted in context.omitted} == wanted.omitted
        assert {(one.by, one.urn, one.in_force) for one in context.prevails_over} == wanted.over
        told = [warning.message for warning in context.warnings if warning.kind == "general_exceptions"]
        for urn in wanted.general - wanted.roles.keys():
            assert re.search(rf"{re.escape(urn)}[,. ]", told[0])
        assert bool(told) is bool(wanted.general - wanted.roles.keys())


def check_types(context: ScopedContext) -> None:
    """Records are made without validation: they are what it would have made, to the byte."""
    checked = ScopedContext.model_validate(context.model_dump(), strict=True)
    assert checked == context.with_limiting(())
    assert checked.model_dump_json() == context.model_dump_json()
    assert context.digest == context_digest(checked)


def check_definitions(context: ScopedContext, wanted: oracle.Expected) -> None:
    assert {
        (definition.term, definition.urn, definition.scope_urn) for definition in context.definitions
    } == wanted.kept
    for definition in context.definitions:
        assert set(definition.shadows) in wanted.shadowed[definition.term, definition.urn, definition.scope_urn]


def check_overrides(context: ScopedContext, wanted: oracle.Expected) -> None:
    assert {(override.urn, override.urn_pattern) for override in context.overrides} == wanted.warned
    redacted = {block.urn for block in context.blocks if block.role == "warning"}
    assert redacted == wanted.redacted
    assert redacted.isdisjoint(context.allow_list)
    said = {warning.message.split(" (")[0] for warning in context.warnings if warning.kind == "preemption"}
    assert said == {f"Supremacy Clause Warning: {federal} may preempt {rule}" for federal, rule in wanted.federal}


def check_texts(context: ScopedContext, body: Law, at: date) -> None:
    """Every block has the words of the version in force, and the rule's parts stand in document order.

    Where a source has a part in force inside one that is not, nothing says where among the others it stands.
    """
    for block in context.blocks:
        span = body.version(block.urn, at)
        assert (block.valid_from, block.valid_to) == span
        if span is not None and block.role != "warning" and block.urn.count(":") > 3:
            assert block.text == oracle.text_of(body, block.urn, span)
            assert block.urn in context.allow_list
    order = list(body.history)
    parts = [block.urn for block in context.blocks if block.role == "rule"]
    whole = [urn for urn in parts if len(body.above(urn, at)) == urn.count(":") - 3]
    rules = [order.index(urn) for urn in whole]
    assert rules == sorted(rules)


@requirement("P1")
@settings(EACH, max_examples=max(1, EXAMPLES * 3 // 8))
@given(data=st.data(), body=bodies_of_law())
def test_the_order_of_inserts_changes_no_byte(store: Engine, data: st.DataObject, body: Law) -> None:
    asked = some_rules(data, body, 6)
    build(store, body)
    first = [store.context(rule, at_date=at).model_dump_json(exclude={"trace_id"}) for rule, at in asked]
    again = [store.context(rule, at_date=at).model_dump_json(exclude={"trace_id"}) for rule, at in asked]
    build(store, body, shuffle=data.draw(st.integers(0, 99)))
    shuffled = [store.context(rule, at_date=at).model_dump_json(exclude={"trace_id"}) for rule, at in asked]
    assert first == again == shuffled


@contextmanager
def without_keys(store: Engine, rule: str) -> Generator[None]:
    """A rule is read as a container is, by its path; what names it finds its parts as before."""
    keys = "select id, subtree_ids, context_ids from legal_nodes where urn = %s"
    with store.database.write() as conn:
        held = conn.execute(keys.encode(), [rule]).fetchall()
        conn.execute("update legal_nodes set subtree_ids = '{}', context_ids = '{}' where urn = %s", [rule])
    yield
    with store.database.write() as conn:
        for number, parts, context in held:
            values = [parts, context, number]
            conn.execute("update legal_nodes set subtree_ids = %s, context_ids = %s where id = %s", values)


@requirement("P1")
def test_definitions_of_one_term_in_one_place_stand_in_the_order_of_their_scopes_however_they_were_read(
    store: Engine,
) -> None:
    nodes = [f"{STATE}:{name}" for name in ("1", "1:1", "2", "2:1", "2:1:1")]
    scopes = [(nodes[3], nodes[4]), (nodes[3], nodes[2]), *[(nodes[1], STATE)] * 4]
    history: dict[str, list[law.Span]] = {urn: [(None, None)] for urn in (STATE, "urn:lex:us:fc", *nodes)}
    meant = [Def("alpha", urn, scope, "means", [(None, None)]) for urn, scope in scopes]
    build(store, Law(history, {urn: [] for urn in nodes}, meant, [], [], []))
    keyed = store.context(nodes[3], at_date=DATES[0]).definitions
    with without_keys(store, nodes[3]):
        unkeyed = store.context(nodes[3], at_date=DATES[0]).definitions
    assert [definition.scope_urn for definition in keyed] == [nodes[2], nodes[4]]
    assert unkeyed == keyed


@requirement("P1")
@settings(EACH, max_examples=max(1, EXAMPLES * 3 // 8))
@given(data=st.data(), body=bodies_of_law())
def test_provisions_without_keys_of_their_own_have_the_same_contexts(
    store: Engine, data: st.DataObject, body: Law
) -> None:
    asked = some_rules(data, body, 6)
    build(store, body)
    keyed = [store.context(rule, at_date=at).model_dump_json(exclude={"trace_id"}) for rule, at in asked]
    for (rule, at), told in zip(asked, keyed, strict=True):
        with without_keys(store, rule):
            assert store.context(rule, at_date=at).model_dump_json(exclude={"trace_id"}) == told
