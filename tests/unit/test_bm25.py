from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.bm25 import COMPANY, K1, PAIR, PAIR_DISTANCE, RARITY, TURNED, B, WordRow, rank

QUESTION = ["deposit", "interest", "tenant"]
IDF = {"deposit": 2.0, "interest": 1.5, "tenant": 0.5}


def rows(node: int, words: list[str], around: tuple[str, ...] = (), average: float = 6.0) -> list[WordRow]:
    """The rows the store would give for a node with these words of its own, then those around it."""
    found: dict[str, list[tuple[int, str]]] = {}
    for position, word in enumerate([*words, *around], start=1):
        found.setdefault(word, []).append((position, "D" if position <= len(words) else "B"))
    return [
        WordRow(
            "us", node, node, f"urn:lex:us:x:{node}", node, node, node, False, len(words), average, word, IDF[word],
            [QUESTION.index(word) + 1], [at for at, _ in found[word]], "".join(name for _, name in found[word]),
        )
        for word in sorted(set(QUESTION) & set(found))
    ]  # fmt: skip


def order(*nodes: list[WordRow]) -> list[int]:
    return [one.row.id for one in rank(list(itertools.chain(*nodes)))]


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
    assert order(rows(1, worse), rows(2, better)) == [2, 1]


def test_words_around_a_node_count_less_than_its_own_and_more_than_none() -> None:
    own, around, none = rows(1, ["tenant", "deposit"]), rows(2, ["tenant", "x"], ("deposit",)), rows(3, ["tenant", "x"])
    assert order(none, around, own) == [1, 2, 3]


def test_words_of_the_heading_count_twice() -> None:
    headed = [one._replace(fields="A") for one in rows(1, ["deposit"])]
    assert order(rows(2, ["deposit"]), headed) == [1, 2]


def test_a_definition_gives_way_to_a_rule_of_the_same_words_and_not_to_one_of_fewer() -> None:
    definition = [one._replace(defines=True) for one in rows(1, ["deposit", "interest"])]
    assert order(definition, rows(2, ["deposit", "interest"])) == [2, 1]
    assert order(definition, rows(2, ["deposit", "x"])) == [1, 2]


@pytest.mark.parametrize("shared", ["document_id", "part_id"])
def test_a_candidate_in_good_company_is_ranked_above_its_equal(shared: str) -> None:
    best = [one._replace(**{shared: 77}) for one in rows(3, ["deposit", "interest", "tenant"])]
    beside = [one._replace(**{shared: 77}) for one in rows(2, ["interest"])]
    assert order(rows(1, ["interest"]), beside, best) == [3, 2, 1]


def test_company_of_another_jurisdiction_is_none() -> None:
    best = [one._replace(document_id=1, part_id=1, jurisdiction="fr") for one in rows(3, ["deposit", "interest"])]
    assert order(rows(2, ["interest"]), rows(1, ["interest"]), best) == [3, 1, 2]


def test_equal_candidates_stand_in_the_order_of_their_urns() -> None:
    assert order(rows(2, ["deposit"]), rows(1, ["deposit"])) == [1, 2]


def _oracle(texts: list[list[str]], average: float) -> list[float]:
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
    asked = sorted({word for text in matching for word in text if word in IDF}, key=QUESTION.index)
    scores: list[float] = []
    for text in matching:
        score = sum(IDF[word] ** RARITY * saturated(text.count(word), len(text)) for word in asked)
        for one, two in itertools.pairwise(asked):
            holding = sum(pair(other, one, two) > 0 for other in matching)
            rarity = math.log(1 + (len(matching) - holding + 0.5) / (holding + 0.5))
            score += PAIR * rarity * saturated(pair(text, one, two), len(text))
        # Each text is a document and a part of its own, so that its company is itself.
        scores.append(score * (1 + 2 * COMPANY))
    return scores


@given(
    st.lists(st.lists(st.sampled_from([*QUESTION, "x", "y"]), min_size=1, max_size=12), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_scores_are_those_of_the_formula_in_any_order_of_rows(texts: list[list[str]], shuffle: random.Random) -> None:
    nodes = [one for number, text in enumerate(texts) if (one := rows(number, text))]
    shuffle.shuffle(nodes)
    ranked = {one.row.id: one.score for one in rank(list(itertools.chain(*nodes)))}
    matching = [number for number, text in enumerate(texts) if set(text) & set(QUESTION)]
    assert sorted(ranked) == matching
    assert [ranked[number] for number in matching] == pytest.approx(_oracle(texts, 6.0), abs=1e-6)
