"""What a query says beside its words, and what filters say beside their values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.entry_points.operators import edge_targets, tag_filter
from retrieval.entry_points.syntax import MAX_OPERANDS, Syntax, parse_syntax
from retrieval.errors import InputError
from retrieval.tag_query import TagFilterOp


@pytest.mark.parametrize(
    ("query", "text", "required", "excluded"),
    [
        ("who may enter or leave", "who may enter or leave", (), ()),
        ("deposit OR rent", "deposit rent", (("deposit", "rent"),), ()),
        ("deposit AND rent", "deposit rent", (("deposit",), ("rent",)), ()),
        ("a AND b OR c d", "a b c d", (("a",), ("b", "c")), ()),
        ("x OR y OR z", "x y z", (("x", "y", "z"),), ()),
        ('"late fee" rent', "late fee rent", (("late fee",),), ()),
        ("say “no smoking” here", "say no smoking here", (("no smoking",),), ()),
        ('a OR "b c"', "a b c", (("a", "b c"),), ()),
        ("rent -deposit", "rent", (), ("deposit",)),
        ('rent -"late fee"', "rent", (), ("late fee",)),
        ("rent AND -deposit", "rent", (("rent",),), ("deposit",)),
        ("-deposit", "", (), ("deposit",)),
        ("y a-t-il un co-op - or not", "y a-t-il un co-op - or not", (), ()),
        ("NO PERSON OR ENTITY", "NO PERSON OR ENTITY", (), ()),
        ("OR rent", "OR rent", (), ()),
        ("rent AND", "rent AND", (), ()),
        ('an open "quote', 'an open " quote', (), ()),
        ('"" x', '" " x', (), ()),
    ],
)
def test_operators_are_read_and_everything_else_is_words(
    query: str, text: str, required: tuple[tuple[str, ...], ...], excluded: tuple[str, ...]
) -> None:
    assert replace(parse_syntax(query), quoted=frozenset()) == Syntax(text, required, excluded)


@pytest.mark.parametrize(
    ("query", "quoted"),
    [
        ('he said "get out" and "now"', {"get out", "now"}),
        ('rent AND "late fee"', set[str]()),
        ('"late fee" AND rent', set[str]()),
        ('"late fee" OR rent "no dogs"', {"no dogs"}),
        ('rent -"late fee"', set[str]()),
    ],
)
def test_quotations_that_no_operator_joins_are_told_apart(query: str, quoted: set[str]) -> None:
    assert parse_syntax(query).quoted == quoted


@given(st.text(alphabet='ab "-“”OR AND|&()', max_size=80))
def test_no_query_fails_and_no_word_is_lost(query: str) -> None:
    found = parse_syntax(query)
    operands = [word for group in found.required for word in group]
    assert all(operand in query for operand in (*operands, *found.excluded))
    assert all(word in query for word in found.text.split())
    if not set('"“”') & set(query) and not found.required and not found.excluded:
        assert sorted(found.text.split()) == sorted(query.split())


def test_more_operands_than_fit_are_said() -> None:
    found = parse_syntax(" ".join(f'"phrase {n}"' for n in range(30)))
    assert len(found.required) == MAX_OPERANDS
    assert found.warnings == (
        f"syntax: {MAX_OPERANDS} operands applied of 30 in the query; give the others as filters.",
    )


@pytest.mark.parametrize(
    ("value", "op", "values"),
    [
        ("a", TagFilterOp.IN, ("a",)), (" a | b ", TagFilterOp.IN, ("a", "b")), ("a|a", TagFilterOp.IN, ("a",)),
        ("!=a", TagFilterOp.NOT_IN, ("a",)), ("!=a|b", TagFilterOp.NOT_IN, ("a", "b")),
        ("*", TagFilterOp.EXISTS, ()), (" !* ", TagFilterOp.NOT_EXISTS, ()),
        ("R. * 6-1", TagFilterOp.IN, ("R. * 6-1",)),
        ("a=b", TagFilterOp.IN, ("a=b",)), ("a!", TagFilterOp.IN, ("a!",)),
    ],
)  # fmt: skip
def test_the_six_operators(value: str, op: TagFilterOp, values: tuple[str, ...]) -> None:
    one = tag_filter("court", value, "here")
    assert (one.op, one.values) == (op, values)


@pytest.mark.parametrize("value", ["", "|", "a|", "!", "!a", "!=", "=a", "<a", ">=a", "~a", "*a", "a*", "a|!=b", "**"])
def test_operators_that_do_not_exist_are_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(InputError) as caught:
        tag_filter("court", value, "Filter 2 of `tags`")
    assert caught.value.message.startswith("Filter 2 of `tags` has an ")


def test_edge_targets_are_groups_of_alternatives() -> None:
    assert edge_targets("cites", "a|b&c") == (("a", "b"), ("c",))
    assert edge_targets("*", "a") == (("a",),)
    for kind, value in (("Cites", "a"), ("", "a"), ("cites", "!a"), ("cites", "a&&b"), ("cites", "*")):
        with pytest.raises(InputError):
            edge_targets(kind, value)
