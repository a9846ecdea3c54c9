"""Fusion of legs: exact, ordered, and deaf to the order in which hits arrive."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from retrieval.entry_points.fusion import BESIDE_VECTORS, PHRASES, WEIGHTS, fuse, fuse_nodes, normalise
from retrieval.entry_points.lexical import LegHit, Section


def hit(number: int, score: float, rule: int | None = None, jurisdiction: str = "us", urn: str = "") -> LegHit:
    return LegHit(jurisdiction, number, number, urn or f"urn:lex:us:x:{number:03}", rule or number, score)


def test_scores_of_a_leg_are_scaled_to_its_best() -> None:
    assert normalise([hit(1, 8.0), hit(2, 2.0), hit(3, -1.0)]) == {("us", 1): 1.0, ("us", 2): 0.25, ("us", 3): 0.0}


def test_scores_without_a_zero_are_scaled_between_the_least_and_the_best() -> None:
    found = normalise([hit(1, 0.9), hit(2, 0.8), hit(3, 0.7)], has_zero=False)
    assert found == pytest.approx({("us", 1): 1.0, ("us", 2): 0.5, ("us", 3): 0.0})


@pytest.mark.parametrize("hits", [[hit(1, 0.4)], [hit(1, 0.4), hit(2, 0.4)]])
def test_scores_that_are_all_equal_are_all_the_best(hits: list[LegHit]) -> None:
    assert set(normalise(hits, has_zero=False).values()) == {1.0}


# Similarities of six digits: closer ones are one number once they are scaled, in any arithmetic of floats.
SIMILARITIES = st.integers(10_000, 990_000).map(lambda millionths: millionths / 1_000_000)


@given(st.lists(SIMILARITIES, min_size=2, max_size=8, unique=True), st.floats(0.1, 3), st.floats(0, 1))
def test_an_embedder_whose_similarities_lie_closer_together_gives_the_same_fusion(
    scores: list[float], scale: float, shift: float
) -> None:
    here = fuse_nodes({"dense": [hit(number, score) for number, score in enumerate(scores)]})
    there = fuse_nodes({"dense": [hit(number, score * scale + shift) for number, score in enumerate(scores)]})
    assert {fused_node.hit.id: fused_node.score for fused_node in here} == pytest.approx(
        {fused_node.hit.id: fused_node.score for fused_node in there}, abs=1e-6
    )


def test_a_leg_with_a_full_score_is_scaled_to_it_unless_something_scores_higher() -> None:
    assert normalise([hit(1, 0.3)], full=1.5) == {("us", 1): 0.2}
    assert normalise([hit(1, 3.0), hit(2, 1.5)], full=1.5) == {("us", 1): 1.0, ("us", 2): 0.5}


def test_a_term_that_says_little_does_not_outvote_the_words_of_the_question() -> None:
    legs = {"lexical": [hit(1, 5.0), hit(2, 4.6)], "synonym": [hit(2, 0.1)]}
    assert [fuse_node.hit.id for fuse_node in fuse_nodes(legs)] == [1, 2]
    assert [fuse_node.hit.id for fuse_node in fuse_nodes({**legs, "synonym": [hit(2, PHRASES)]})] == [2, 1]


def test_beside_vectors_words_and_phrases_count_for_what_they_say() -> None:
    near = [hit(1, 0.60), hit(2, 0.58), hit(3, 0.20)]
    legs = {"dense": near, "lexical": [hit(2, 4.0)]}
    # Four points of BM25 are worth two of similarity where some node has three tenths of the question's words.
    assert [fuse_nodes(legs, share=share)[0].hit.id for share in (0.0, 0.2, 0.3, 1.0)] == [1, 1, 2, 2]
    legs = {"dense": near, "lexical": [hit(3, 8.0)]}
    assert [fuse_nodes(legs, share=share)[0].hit.id for share in (0.8, 1.0)] == [1, 3]
    assert fuse_nodes({"dense": near, "synonym": [hit(2, 0.2)]})[0].hit.id == 1
    assert fuse_nodes({"dense": near, "synonym": [hit(2, PHRASES)]})[0].hit.id == 2
    assert fuse_nodes({"dense": near, "synonym": [hit(3, PHRASES)]})[0].hit.id == 1


def test_each_part_of_a_score_beside_vectors_has_its_weight() -> None:
    dense = [hit(1, 0.50), hit(2, 0.40), hit(3, 0.10, jurisdiction="us-dc"), hit(4, 0.0, jurisdiction="us-dc")]
    legs = {"dense": dense, "lexical": [hit(2, 10.0)], "synonym": [hit(3, 3.0, jurisdiction="us-dc")]}
    sections = {
        ("us", 1): Section(11, 0.20, 8000),
        ("us", 2): Section(12, 0.30, 80),
        ("us-dc", 3): Section(13, None, 3),
        ("us-dc", 4): Section(14, 0.0, 800),
    }
    found = {fuse_node.hit.id: fuse_node.score for fuse_node in fuse_nodes(legs, sections, share=0.5, named=("us-dc",))}
    # By hand, in points of similarity: node and section, words, phrases (two count), length over 80 words, place.
    points = {
        1: 0.7 * 0.50 + 0.3 * 0.20 - 0.02 * math.log(100) - 0.1,
        2: 0.7 * 0.40 + 0.3 * 0.30 + 10 * (0.05 * 0.25 + 0.0026) - 0.1,
        3: 0.10 + 2 * 0.07,
        4: -0.02 * math.log(10),
    }
    low, high = min(points.values()), max(points.values())
    assert found == pytest.approx({key: (one - low) / (high - low) for key, one in points.items()}, abs=1e-8)


def test_a_node_without_a_vector_is_as_far_as_the_farthest() -> None:
    found = {
        fuse_node.hit.id: fuse_node.score
        for fuse_node in fuse_nodes({"dense": [hit(1, 0.6), hit(2, 0.2)], "lexical": [hit(3, 0.0)]})
    }
    assert found == {1: 1.0, 2: 0.0, 3: 0.0}


def test_of_two_nodes_as_near_the_one_of_the_nearer_section_comes_first() -> None:
    legs = {"dense": [hit(1, 0.6), hit(2, 0.59)]}
    assert [fuse_node.hit.id for fuse_node in fuse_nodes(legs)] == [1, 2]
    sections = {("us", 1): Section(11, 0.2), ("us", 2): Section(12, 0.5)}
    assert [fuse_node.hit.id for fuse_node in fuse_nodes(legs, sections)] == [2, 1]
    assert [fuse_node.hit.id for fuse_node in fuse_nodes(legs, {("us", 1): Section(11, None)})] == [1, 2]


def test_the_jurisdiction_that_is_named_comes_before_those_in_it() -> None:
    legs = {"dense": [hit(1, 0.6, jurisdiction="us-dc"), hit(2, 0.59), hit(3, 0.1)]}
    assert [fuse_node.hit.id for fuse_node in fuse_nodes(legs)] == [1, 2, 3]
    assert [fuse_node.hit.id for fuse_node in fuse_nodes(legs, named=("us",))] == [2, 1, 3]
    legs["dense"][0] = hit(1, 0.7, jurisdiction="us-dc")
    assert [fuse_node.hit.id for fuse_node in fuse_nodes(legs, named=("us",))] == [1, 2, 3]


def test_a_section_stands_once_and_its_other_rules_behind_all_sections() -> None:
    legs = {"dense": [hit(1, 0.9), hit(2, 0.8), hit(3, 0.7), hit(4, 0.1)]}
    sections = {("us", number): Section(10 if number < 3 else number, None) for number in (1, 2, 3, 4)}
    found = fuse(legs, sections)
    assert [fused_rule.rule_id for fused_rule in found] == [1, 3, 4, 2]
    assert [fused_rule.score for fused_rule in found] == sorted(
        (fused_rule.score for fused_rule in found), reverse=True
    )
    assert [fused_rule.rule_id for fused_rule in fuse(legs)] == [1, 2, 3, 4]


def _in_sections(legs: dict[str, list[LegHit]], changed: dict[int, Section]) -> list[tuple[int, float]]:
    """(Section, score) of the rules found, where node 5 is in section 3, 6 in 2, and others in one of their own."""
    held = {5: 3, 6: 2}
    numbers = {hit.id for hits in legs.values() for hit in hits}
    own = {number: held.get(number, number) for number in numbers}
    sections = {
        ("us", number): changed.get(section, Section(section, None, chapter=10 * section))
        for number, section in own.items()
    }
    return [(own[rule.hit.id], rule.score) for rule in fuse(legs, sections)]


@pytest.mark.parametrize(
    ("told", "more"),
    [
        (Section(3, 0.2, chapter=10), []),  # in the chapter of the first
        (Section(3, 0.2, share=0.5), []),  # its rule has more of what is asked
        (Section(3, 0.29, 320), []),  # as a whole it is nearer, by less than it is longer
        (Section(3, 0.2), [hit(5, 1.0)]),  # another of its nodes has a statutory phrase
    ],
)
def test_beside_vectors_more_than_the_best_node_decides(told: Section, more: list[LegHit]) -> None:
    near = [hit(1, 0.6), hit(2, 0.501), hit(3, 0.5), hit(4, 0.2), hit(5, 0.2)]
    around = {number: Section(number, 0.2, chapter=10 * number) for number in range(1, 5)}
    legs = {"dense": near, "synonym": more}
    fused = {node.hit.id: node.score for node in fuse_nodes(legs, {("us", 3): told})}
    assert sorted(fused, key=lambda number: -fused[number])[:3] == [1, 2, 3]
    assert [section for section, _ in _in_sections({"dense": near}, around)][:4] == [1, 2, 3, 4]
    anew = _in_sections(legs, {**around, 3: told})
    assert [section for section, _ in anew][:4] == [1, 3, 2, 4]
    assert [score for _, score in anew] == sorted((score for _, score in anew), reverse=True)  # of a place


def test_a_rule_that_is_first_by_the_order_alone_does_not_lead() -> None:
    legs = {"dense": [hit(1, 0.6), hit(2, 0.59), hit(3, 0.2)]}
    (first, lead), (_, second), _ = _in_sections(legs, {2: Section(2, None, share=1.0)})
    assert (first, lead) == (2, second)
    assert [score for _, score in _in_sections(legs, {})][:2] == [1.0, second]


def test_rules_after_those_put_in_order_stay_where_they_are() -> None:
    after = 10 + BESIDE_VECTORS.rules
    legs = {"dense": [*(hit(number, 0.7 - number / 1e4) for number in range(10, 2 + after)), hit(99, 0.1)]}
    found = Section(after, None, share=1.0)
    assert [section for section, _ in _in_sections(legs, {after: found})] == [*range(10, 2 + after), 99]
    order = [section for section, _ in _in_sections(legs, {after - 1: found._replace(id=after - 1)})]
    assert order == [after - 1, *range(10, after - 1), after, after + 1, 99]


@pytest.mark.parametrize(
    "told",
    [
        Section(3, None, chapter=30, share=0.5),  # its nodes together have more of what is asked
        Section(3, None, chapter=20),  # in the chapter of the second
    ],
)
def test_by_words_alone_what_a_section_has_together_and_its_chapter_decide(told: Section) -> None:
    legs = {"lexical": [hit(1, 5.0), hit(2, 4.9), hit(3, 4.85), hit(4, 1.0)]}
    plain = _in_sections(legs, {})
    anew = _in_sections(legs, {3: told})
    assert [section for section, _ in plain] == [1, 2, 3, 4]
    assert [section for section, _ in anew].index(3) < 2
    assert [score for _, score in anew] == [score for _, score in plain]  # a score belongs to a place


def test_nodes_of_one_rule_are_all_there_before_they_are_grouped() -> None:
    found = fuse_nodes({"lexical": [hit(1, 1.0, rule=9), hit(2, 4.0, rule=9), hit(3, 3.0, rule=8)]})
    assert [(fused_node.hit.id, fused_node.score) for fused_node in found] == [(2, 1.0), (3, 0.75), (1, 0.25)]


@pytest.mark.parametrize("hits", [[], [hit(1, 0.0)], [hit(1, -2.0), hit(2, -1.0)]])
def test_a_leg_without_a_positive_score_says_nothing(hits: list[LegHit]) -> None:
    assert normalise(hits) == {}
    assert all(fused_rule.score == 0.0 for fused_rule in fuse({"lexical": hits}))


def test_equal_scores_are_ordered_by_urn() -> None:
    found = fuse({"lexical": [hit(2, 1.0), hit(3, 1.0), hit(1, 1.0, urn="urn:lex:us:x:999")]})
    assert [fused_rule.hit.urn for fused_rule in found] == ["urn:lex:us:x:002", "urn:lex:us:x:003", "urn:lex:us:x:999"]


def test_a_difference_in_the_last_bits_decides_nothing() -> None:
    found = fuse({"lexical": [hit(2, 1.0 + 1e-12), hit(1, 1.0)]})
    assert [fused_rule.hit.id for fused_rule in found] == [1, 2]


def test_a_rule_is_offered_once_for_its_best_node() -> None:
    found = fuse({"lexical": [hit(1, 1.0, rule=9), hit(2, 4.0, rule=9), hit(3, 3.0, rule=8)]})
    assert [(fused_rule.rule_id, fused_rule.hit.id, fused_rule.score) for fused_rule in found] == [
        (9, 2, 1.0),
        (8, 3, 0.75),
    ]


def test_rules_of_two_jurisdictions_are_never_confused() -> None:
    found = fuse({"lexical": [hit(1, 2.0, rule=7), hit(1, 1.0, rule=7, jurisdiction="fr", urn="urn:lex:fr:x:1")]})
    assert [(fused_rule.jurisdiction, fused_rule.rule_id) for fused_rule in found] == [("us", 7), ("fr", 7)]


def test_shares_are_scaled_to_the_legs_that_ran() -> None:
    alone = fuse({"lexical": [hit(1, 5.0)], "dense": [], "synonym": []})
    assert alone[0].score == 1.0
    both = fuse({"lexical": [hit(1, 5.0)], "synonym": [hit(2, PHRASES)]})
    weights = WEIGHTS["lexical"] + WEIGHTS["synonym"]
    assert {fused_rule.hit.id: fused_rule.score for fused_rule in both} == {
        1: round(WEIGHTS["lexical"] / weights, 9), 2: round(WEIGHTS["synonym"] / weights, 9)
    }  # fmt: skip
    assert {fused_rule.hit.id: set(fused_rule.legs) for fused_rule in both} == {1: {"lexical"}, 2: {"synonym"}}


def test_no_leg_gives_no_candidate() -> None:
    assert fuse({}) == []
    assert fuse({"lexical": [], "dense": []}) == []


hits = st.lists(
    st.builds(hit, st.integers(1, 12), st.sampled_from([0.0, 0.5, 1.0, 1 / 3, 7.25]), st.integers(1, 4)),
    max_size=12, unique_by=lambda one: one.id,
)  # fmt: skip


@requirement("P1")
@given(st.fixed_dictionaries(dict.fromkeys(("lexical", "dense", "synonym"), hits)), st.randoms(use_true_random=False))
def test_the_order_of_hits_and_legs_changes_nothing(legs: dict[str, list[LegHit]], chance: random.Random) -> None:
    # A node has one rule, whichever leg found it.
    rule = {one.id: one.rule_id for found in legs.values() for one in found}
    legs = {name: [hit(one.id, one.score, rule[one.id]) for one in found] for name, found in legs.items()}
    wanted = fuse(legs)
    names = [*legs]
    chance.shuffle(names)
    shuffled = {name: chance.sample(legs[name], len(legs[name])) for name in names}
    said = [
        (fused_rule.jurisdiction, fused_rule.rule_id, fused_rule.hit.urn, fused_rule.score, fused_rule.legs)
        for fused_rule in wanted
    ]
    assert [
        (fused_rule.jurisdiction, fused_rule.rule_id, fused_rule.hit.urn, fused_rule.score, fused_rule.legs)
        for fused_rule in fuse(shuffled)
    ] == said
    assert [fused_rule.score for fused_rule in wanted] == sorted(
        (fused_rule.score for fused_rule in wanted), reverse=True
    )
    assert all(0.0 <= fused_rule.score <= 1.0 for fused_rule in wanted)
    assert {fused_rule.rule_id for fused_rule in wanted} == set(rule.values())
