"""Closest-scope shadowing, as a pure function of definitions and a rule's ancestors."""

from __future__ import annotations

import random
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from rag.ingest.writing.rows import term_id
from retrieval.context.shadowing import DefinitionVersion, bind, used_bindings

OLD, NEW = date(2000, 1, 1), date(2020, 1, 1)
PATH = [1, 2, 3, 4]  # a rule's ancestors, root first, itself last


def definition(
    number: int,
    scope: int,
    term: str = "unit",
    relation: str = "means",
    day: date | None = None,
    *,
    uses: tuple[str, ...] = (),
    urn: str = "",
) -> DefinitionVersion:
    return DefinitionVersion(
        jurisdiction="us",
        id=number,
        node_id=100 + number,
        urn=urn or f"urn:lex:us:x:{number}",
        term=term,
        normalised_term=term,
        term_id=term_id(term),
        relation=relation,
        scope_id=scope,
        scope_urn=f"urn:lex:us:x:{scope}",
        inferred=False,
        phrase="",
        reference_urn="",
        valid_from=day,
        used_terms=[term_id(use) for use in uses],
    )


def version(number: int, scope: int, day: date) -> DefinitionVersion:
    """A further version of definition `number`, with the next id."""
    return definition(number, scope, day=day)._replace(id=number + 1)


def ids(found: tuple[DefinitionVersion, ...]) -> list[int]:
    return [definition_version.id for definition_version in found]


@requirement("P5")
@pytest.mark.parametrize(
    ("definitions", "kept", "shadowed"),
    [
        ([definition(1, 1), definition(2, 3)], [2], [1]),
        ([definition(1, 4), definition(2, 3), definition(3, 1)], [1], [2, 3]),
        ([definition(1, 3), definition(2, 99)], [1], []),  # of another branch
        ([definition(1, 2, day=OLD), definition(2, 2, day=NEW)], [1, 2], []),  # a conflict, whatever their dates
        ([definition(1, 2, day=OLD), version(1, 2, day=NEW)], [2], [1]),  # the later version of one node
        ([definition(1, 2), version(1, 2, day=OLD)], [2], [1]),  # an unknown start is the earliest
        ([definition(1, 2), definition(2, 2, relation="reference"), definition(3, 1)], [1, 2], [3]),
        ([definition(1, 3, relation="includes"), definition(2, 2), definition(3, 1)], [1, 2], [3]),
        ([definition(1, 2), definition(2, 2, relation="includes"), definition(3, 1, relation="excludes")], [1, 2], [3]),
        ([definition(1, 3, relation="reference"), definition(2, 1)], [1], [2]),
        ([definition(1, 3, relation="includes")], [1], []),
    ],
)
def test_the_closest_scope_is_kept_and_what_it_adds_to_stays(
    definitions: list[DefinitionVersion], kept: list[int], shadowed: list[int]
) -> None:
    for order in (definitions, definitions[::-1]):
        binding = bind(order, PATH)["unit"]
        assert sorted(ids(binding.kept)) == kept
        assert sorted(ids(binding.shadowed)) == shadowed


def test_a_term_whose_definitions_all_stand_elsewhere_is_not_bound() -> None:
    assert bind([definition(1, 99)], PATH) == {}


drawn = st.lists(
    st.builds(
        definition, st.integers(1, 50), st.integers(1, 6), st.sampled_from(["unit", "part", "share"]),
        st.sampled_from(["means", "includes", "excludes", "reference"]), st.sampled_from([None, OLD, NEW]),
    ),
    max_size=10, unique_by=lambda one: one.id,
)  # fmt: skip


@requirement("P1", "P5")
@given(drawn, st.randoms(use_true_random=False))
def test_binding_is_a_partition_that_no_order_changes(
    definitions: list[DefinitionVersion], chance: random.Random
) -> None:
    shuffled = [*definitions]
    chance.shuffle(shuffled)
    bindings = bind(definitions, PATH)
    assert bind(shuffled, PATH) == bindings
    for term, binding in bindings.items():
        here = [entry for entry in definitions if entry.normalised_term == term and entry.scope_id in PATH]
        assert sorted(ids((*binding.kept, *binding.shadowed))) == sorted(meaning.id for meaning in here)
        closing = [meaning for meaning in binding.kept if meaning.relation in ("means", "reference")]
        assert len({meaning.scope_id for meaning in closing}) <= 1
        assert len({meaning.node_id for meaning in closing}) == len(closing)
        deepest = max(meaning.scope_id for meaning in here)
        assert any(meaning.scope_id == deepest for meaning in binding.kept)
        if closing:
            assert all(meaning.scope_id <= closing[0].scope_id for meaning in binding.shadowed)


def by_term(definitions: list[DefinitionVersion]) -> dict[int, list[DefinitionVersion]]:
    found: dict[int, list[DefinitionVersion]] = {}
    for entry in definitions:
        found.setdefault(entry.term_id, []).append(entry)
    return found


class ReadOnce(dict[int, list[DefinitionVersion]]):
    """Definitions by term, each looked up once: going round a circle again fails, where it would not end."""

    def __init__(self, known: dict[int, list[DefinitionVersion]]) -> None:
        super().__init__(known)
        self.left = set(known)

    def __getitem__(self, term: int) -> list[DefinitionVersion]:
        self.left.remove(term)
        return super().__getitem__(term)


def test_used_terms_bring_definitions_through_definitions_and_cycles_end() -> None:
    definitions = by_term([
        definition(1, 1, "unit", uses=("part",)), definition(2, 1, "part", uses=("share", "unit")),
        definition(3, 1, "share", uses=("share",)), definition(4, 1, "other"),
    ])  # fmt: skip
    found = used_bindings(ReadOnce(definitions), PATH, [term_id("unit"), term_id("unknown")])
    assert [(binding.term, depth) for binding, depth in found] == [("unit", 0), ("part", 1), ("share", 2)]
    assert used_bindings(definitions, PATH, []) == []


def test_f26_ten_thousand_terms_in_one_circle_are_each_bound_once() -> None:
    count = 10_000
    circle = by_term([
        definition(number + 1, 1, f"term {number}", uses=(f"term {(number + 1) % count}", f"term {number}"))
        for number in range(count)
    ])  # fmt: skip
    found = used_bindings(ReadOnce(circle), PATH, [term_id("term 0")])
    assert [(binding.term, depth) for binding, depth in found] == [
        (f"term {number}", number) for number in range(count)
    ]


TERMS = ["unit", "part", "share", "plumless", "buckeroo"]


@requirement("P5")
@given(
    st.lists(
        st.builds(
            definition, st.integers(1, 50), st.integers(1, 6), st.sampled_from(TERMS),
            st.sampled_from(["means", "includes", "excludes"]), st.sampled_from([None, OLD, NEW]),
            uses=st.lists(st.sampled_from(TERMS), max_size=2).map(tuple),
        ),
        max_size=14, unique_by=lambda one: one.id,
    ),
    st.sets(st.sampled_from(TERMS)),
)  # fmt: skip
def test_the_bindings_used_are_those_of_all_terms_that_can_be_reached(
    definitions: list[DefinitionVersion], words: set[str]
) -> None:
    bindings = bind(definitions, PATH)
    depth: dict[str, int] = {}
    terms, level = {term_id(word) for word in words}, 0
    while True:
        reached = {term: one for term, one in bindings.items() if one.kept[0].term_id in terms and term not in depth}
        if not reached:
            break
        depth |= dict.fromkeys(reached, level)
        terms, level = (
            {used for binding in reached.values() for kept in binding.kept for used in kept.used_terms},
            level + 1,
        )
    wanted = sorted(((bindings[term], at) for term, at in depth.items()), key=lambda pair: (pair[1], pair[0].term))
    assert used_bindings(by_term(definitions), PATH, {term_id(word) for word in words}) == wanted


def test_terms_that_share_a_number_are_both_offered_and_never_confused() -> None:
    # Two of the many pairs of words whose CRC-32 agrees.
    one, other = "plumless", "buckeroo"
    assert term_id(one) == term_id(other)
    definitions = [definition(1, 1, one), definition(2, 1, other)]
    assert {term: ids(binding.kept) for term, binding in bind(definitions, PATH).items()} == {one: [1], other: [2]}
    found = used_bindings(by_term(definitions), PATH, [term_id(one)])
    assert {binding.term for binding, _ in found} == {one, other}
