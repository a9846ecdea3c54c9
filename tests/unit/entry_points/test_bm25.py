from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.entry_points.bm25 import COMPANY, K1, PAIR, PAIR_DISTANCE, POOL, RARITY, TURNED, B, Candidate, Word, rank

QUESTION = ["deposit", "interest", "tenant"]
IDF = {"deposit": 2.0, "interest": 1.5, "tenant": 0.5}
ASKED = [Word(one, IDF[one], [place]) for place, one in enumerate(QUESTION, start=1)]


def node(number: int, words: list[str], around: tuple[str, ...] = ()) -> Candidate:
    """The row the store would give for a node with these words of its own, then those around it."""
    found: dict[str, list[str]] = {}
    for position, word in enumerate([*words, *around], start=1):
        found.setdefault(word, []).append(f"{position}{'' if position <= len(words) else 'B'}")
    vector = " ".join(f"'{word}':{','.join(found[word])}" for word in sorted(set(QUESTION) & set(found)))
    urn = f"urn:lex:us:x:{number}"
    return Candidate("us", number, number, urn, number, number, number, number, False, len(words), vector)


def order(*nodes: Candidate) -> list[int]:
    return [ranked.row.id for ranked in rank(ASKED, nodes, average_length=6.0, matching=len(nodes))]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (["deposit"], ["tenant"]),  # the rarer word
        (["deposit", "deposit", "x"], ["deposit", "x", "x"]),  # the more frequent one
        (["deposit", "x"], ["deposit", *["x"] * 20]),  # the shorter text
        (["x", "deposit", "interest"], ["interest", "x", "deposit"]),  # the question's order
        (["deposit", "x", "interest", "x", "x"], ["deposit", "x", "x", "x", "interest"]),  # closer together
    ],
)
def test_node_is_ranked_above_another(better: list[str], worse: list[str]) -> None:
    assert order(node(1, worse), node(2, better)) == [2, 1]


def test_words_around_a_node_count_less_than_its_own_and_more_than_none() -> None:
    own, around, none = node(1, ["tenant", "deposit"]), node(2, ["tenant", "x"], ("deposit",)), node(3, ["tenant", "x"])
    assert order(none, around, own) == [1, 2, 3]


def test_words_of_the_heading_count_twice() -> None:
    headed = node(1, ["deposit"])._replace(words="'deposit':1A")
    assert order(node(2, ["deposit"]), headed) == [1, 2]


def test_a_definition_gives_way_to_a_rule_of_the_same_words_and_not_to_one_of_fewer() -> None:
    definition = node(1, ["deposit", "interest"])._replace(defines=True)
    assert order(definition, node(2, ["deposit", "interest"])) == [2, 1]
    assert order(definition, node(2, ["deposit", "x"])) == [1, 2]


@pytest.mark.parametrize("shared", ["document_id", "part_id"])
def test_a_candidate_in_good_company_is_ranked_above_its_equal(shared: str) -> None:
    best = node(3, ["deposit", "interest", "tenant"])._replace(**{shared: 77})
    beside = node(2, ["interest"])._replace(**{shared: 77})
    assert order(node(1, ["interest"]), beside, best) == [3, 2, 1]


def test_company_of_another_jurisdiction_is_none() -> None:
    best = node(3, ["deposit", "interest"])._replace(document_id=1, part_id=1, jurisdiction="fr")
    assert order(node(2, ["interest"]), node(1, ["interest"]), best) == [3, 1, 2]


def test_equal_candidates_stand_in_the_order_of_their_urns() -> None:
    assert order(node(2, ["deposit"]), node(1, ["deposit"])) == [1, 2]


def _oracle(texts: list[list[str]], average: float, pool: int) -> list[float]:
    """The formula word by word over the texts themselves."""

    def saturated(count: float, length: int) -> float:
        return count * (K1 + 1) / (count + K1 * (1 - B + B * length / average)) if count else 0.0

    def pair(text: list[str], one: str, two: str) -> float:
        total = 0.0
        for at, word in enumerate(text):
            if word == one and two in text[at + 1 : at + 1 + PAIR_DISTANCE]:
                total += 1
            elif word == one and two in text[max(0, at - PAIR_DISTANCE) : at]:
                total += TURNED
        return total

    matching = [text for text in texts if set(text) & set(QUESTION)]
    scores: list[float] = []
    for text in matching:
        score = sum(IDF[word] ** RARITY * saturated(text.count(word), len(text)) for word in QUESTION)
        for one, two in itertools.pairwise(QUESTION):
            holding = sum(pair(other, one, two) > 0 for other in matching)
            rarity = math.log(1 + (pool - holding + 0.5) / (holding + 0.5))
            score += PAIR * rarity * saturated(pair(text, one, two), len(text))
        # Each text is a document and a part of its own, so that its company is itself.
        scores.append(score * (1 + 2 * COMPANY))
    return scores


@given(
    st.lists(st.lists(st.sampled_from([*QUESTION, "x", "y"]), min_size=1, max_size=12), min_size=1, max_size=8),
    st.integers(0, 2 * POOL),
    st.randoms(use_true_random=False),
)
def test_scores_are_those_of_the_formula_in_any_order_of_rows(
    texts: list[list[str]], matching: int, shuffle: random.Random
) -> None:
    nodes = [node(number, text) for number, text in enumerate(texts) if set(text) & set(QUESTION)]
    shuffle.shuffle(nodes)
    ranked = {ranked.row.id: ranked.score for ranked in rank(ASKED, nodes, average_length=6.0, matching=matching)}
    held = [number for number, text in enumerate(texts) if set(text) & set(QUESTION)]
    assert sorted(ranked) == held
    assert [ranked[number] for number in held] == pytest.approx(
        _oracle(texts, 6.0, max(len(held), min(matching, POOL))), abs=1e-6
    )


def test_of_a_word_and_its_kin_the_better_counts() -> None:
    words = [Word("deposit", 2.0, [1]), Word("interest", 1.0, [], "deposit")]
    nodes = [node(1, ["deposit"]), node(2, ["interest"]), node(3, ["deposit", "interest"]), node(4, ["deposit", "x"])]
    scores = {ranked.row.id: ranked.score for ranked in rank(words, nodes, average_length=2.0, matching=4)}
    assert scores[1] > scores[3] == scores[4] > scores[2] > 0
