"""Which nodes are candidates, where words stand in them, and which phrases they hold; against counting by hand."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.entry_points.bm25 import Candidate, Ranked, Word
from retrieval.entry_points.lexical import ENOUGH, candidate_words, hold_phrases, quoted, rank_words, with_terms
from retrieval.entry_points.question_words import Matter, Phrase, QuestionWords
from retrieval.entry_points.word_places import Places, read_places


def asked(frequencies: dict[str, int], nodes: float) -> QuestionWords:
    words = [Word(one, 1.0, [place]) for place, one in enumerate(frequencies, start=1)]
    return QuestionWords(words, False, frequencies, [], {}, nodes, 10.0)


def asked_for(matters: list[Matter]) -> QuestionWords:
    words = [Word(matter.lexeme, matter.weight, []) for matter in matters]
    frequencies = dict.fromkeys((matter.lexeme for matter in matters), 1)
    return QuestionWords(words, False, frequencies, [], {}, 100, 5.0, matters=matters)


def matches(query: str, held: AbstractSet[str]) -> bool:
    """What PostgreSQL makes of a query of words and of alternatives joined by &."""
    alternatives = re.findall(r"\([^)]*\) & \([^)]*\)|'\w+'", query)
    assert " | ".join(alternatives) == query
    return any(
        all(set(re.findall(r"\w+", side)) & held for side in alternative.split("&")) for alternative in alternatives
    )


@pytest.mark.parametrize(
    ("frequencies", "nodes", "held", "candidate"),
    [
        ({"a": 5}, 100, {"a"}, True),
        ({"a": 5, "b": 7, "c": 90}, 100, {"c"}, True),  # the others could not give enough
        ({"a": 5, "b": 200, "c": 300}, 10_000, {"c"}, False),
        ({"a": 5, "b": 200, "c": 300, "d": 400}, 10_000, {"c", "d"}, True),
        ({"a": 5, "b": 200, "c": 300, "d": 9_000}, 10_000, {"c", "d"}, False),  # too common to count
        ({"the": 900_000, "person": 800_000}, 1_000_000, {"the"}, True),  # there is nothing rarer
        ({"a": 2, "b": 3, "person": 500_000}, 1_000_000, {"person"}, False),  # would read half of all law
    ],
)
def test_a_candidate_holds_a_rare_word_or_two_that_are_not_too_common(
    frequencies: dict[str, int], nodes: float, held: set[str], candidate: bool
) -> None:
    assert matches(candidate_words(asked(frequencies, nodes)), held) is candidate


@given(st.integers(0, 9), st.sets(st.integers(0, 9)))
def test_any_two_of_the_words_that_are_paired_make_a_candidate_and_one_does_not(size: int, drawn: set[int]) -> None:
    paired = {f"w{number}": ENOUGH + number for number in range(size)}
    query = candidate_words(asked({"rare": 1, "rarer": ENOUGH - 1, **paired}, 100_000))
    held = {f"w{number}" for number in drawn} & set(paired)
    assert matches(query, held) is (len(held) >= 2)


@pytest.mark.parametrize("lexeme", ["deposit", "o'neil", "a\\b", "'", "\\'"])
def test_a_lexeme_is_read_back_as_it_was_written(lexeme: str) -> None:
    assert list(read_places(f"'other':4 {quoted(lexeme)}:1A,3,7B,9C")) == ["other", lexeme]


def test_words_of_the_heading_count_twice_and_words_around_a_node_apart() -> None:
    found = read_places("'deposit':1A,3,17B,19C 'interest':22C 'stripped'")
    assert found == {
        "deposit": Places(3.0, 1.1, (1, 3), (1, 3, 17, 19)),
        "interest": Places(0.0, 0.1, (), (22,)),
        "stripped": Places(0.0, 0.0, (), ()),
    }


def ranked(vector: str, number: int = 1) -> Ranked:
    row = Candidate("us", number, number, f"urn:lex:us:x:{number}", number, 1, 1, 1, False, 5, vector)
    return Ranked(row, 1.0, read_places(vector))


@pytest.mark.parametrize(
    ("lexemes", "held"),
    [
        ([(0, "deposit")], True),
        ([(0, "secur"), (1, "deposit")], True),
        ([(0, "deposit"), (1, "secur")], False),
        ([(0, "secur"), (2, "deposit")], False),
        ([(0, "deposit"), (3, "tenant")], True),  # as "deposit of the tenant" leaves its places
        ([(0, "secur"), (1, "lease")], False),
    ],
)
def test_a_phrase_is_held_where_its_words_stand_at_its_distances(lexemes: list[tuple[int, str]], held: bool) -> None:
    node = ranked("'deposit':5,9 'secur':2,8 'tenant':12B")
    assert bool(hold_phrases(with_terms([node], [Phrase("phrase", 1.0, lexemes)]))) is held


def test_renderings_of_one_phrase_count_once_with_the_best_and_phrases_add_up() -> None:
    nodes = [ranked("'deposit':5 'evict':8", 1), ranked("'evict':1", 2), ranked("'lease':1", 3)]
    phrases = [
        Phrase("kicked out", 0.7, [(0, "evict")]), Phrase("kicked out", 1.5, [(0, "deposit")]),
        Phrase("money", 1.0, [(0, "deposit")]),
    ]  # fmt: skip
    assert [(hold_phrase.id, hold_phrase.score) for hold_phrase in hold_phrases(with_terms(nodes, phrases))] == [
        (1, 2.5),
        (2, 0.7),
    ]


def test_nodes_of_another_leg_are_ranked_with_the_candidates_where_they_hold_a_word() -> None:
    question = asked_for([Matter("deposit", 3.0), Matter("interest", 2.0)])
    candidates = [ranked("'interest':1", 1).row, ranked("'deposit':1", 2).row]
    others = [ranked("'deposit':1 'interest':2", 3).row, ranked("", 4).row]
    alone, together = rank_words(question, candidates), rank_words(question, candidates, others)
    assert [hit.id for hit in alone.lexical] == [2, 1]
    assert [hit.id for hit in together.lexical] == [3, 2, 1]
    assert (alone.most, together.most) == (pytest.approx(0.6), pytest.approx(1.0))


def test_the_nodes_of_a_rule_have_the_words_of_a_question_together() -> None:
    question = asked_for([Matter("deposit", 3.0), Matter("interest", 2.0), Matter("tenant", 5.0)])
    rows = [ranked(f"'{word}':1", number).row for number, word in [(1, "deposit"), (2, "interest"), (3, "deposit")]]
    found = rank_words(question, [rows[0], rows[1]._replace(rule_id=1), rows[2]]).sections
    assert {node: (section.id, section.share) for (_, node), section in found.items()} == {
        1: (1, pytest.approx(0.5)), 2: (1, pytest.approx(0.5)), 3: (3, pytest.approx(0.3))
    }  # fmt: skip
