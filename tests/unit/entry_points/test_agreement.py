"""What candidates have of a question, alone and together with those of their branch."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.entry_points.bm25 import Candidate, Ranked
from retrieval.entry_points.lexical import AGREEMENT, Found, agreed, with_terms
from retrieval.entry_points.question_words import Matter, Phrase, QuestionWords, inverse_frequency
from retrieval.entry_points.word_places import read_places


def ranked(vector: str, number: int = 1, branch: int = 1, score: float = 1.0, jurisdiction: str = "us") -> Ranked:
    urn = f"urn:lex:us:x:{number}"
    row = Candidate(jurisdiction, number, number, urn, number, 1, 1, branch, False, 5, vector)
    return Ranked(row, score, read_places(vector))


def found(vector: str, phrases: Sequence[Phrase] = ()) -> Found:
    return with_terms([ranked(vector)], phrases)[0]


def asked_for(matters: list[Matter], phrases: Sequence[Phrase] = ()) -> QuestionWords:
    return QuestionWords([], bool(phrases), {}, list(phrases), {}, 100, 10.0, matters=matters)


LANDLORD = Phrase("landlord", 0.5, [(0, "lessor")])
QUESTION = asked_for([Matter("deposit", 2.0), Matter("interest", 2.0)], [LANDLORD])


def test_what_stands_beside_the_rest_of_the_question_goes_before_what_does_not() -> None:
    article = [ranked("'deposit':1 'interest':2", 1, branch=9, score=5.0)]
    housing = [ranked("'deposit':1", 2, 42, 4.8), ranked("'lessor':1", 3, 42, 1.0), ranked("'interest':1", 4, 42, 1.0)]
    first = agreed(with_terms([*article, *housing], [LANDLORD]), QUESTION)
    assert [hit.ranked.row.id for hit in first] == [2, 1, 3, 4]
    assert first[0].ranked.score == pytest.approx(4.8 + AGREEMENT * 5.0)  # its branch has all of it


def test_branches_of_two_jurisdictions_do_not_help_each_other() -> None:
    here, there = ranked("'deposit':1", 1, score=4.0), ranked("'interest':1", 2, score=4.0, jurisdiction="fr")
    apart = agreed(with_terms([here, there], []), QUESTION)
    together = agreed(with_terms([here, there._replace(row=there.row._replace(jurisdiction="us"))], []), QUESTION)
    assert all(one.ranked.score < other.ranked.score for one, other in zip(apart, together, strict=True))


def test_where_nothing_of_the_question_matters_no_candidate_gains() -> None:
    nodes = with_terms([ranked("'deposit':1", 1, score=4.0), ranked("'deposit':1", 2, score=5.0)], [])
    assert [hit.ranked.score for hit in agreed(nodes, asked_for([]))] == [5.0, 4.0]
    assert agreed([], QUESTION) == []


WORDS = ["deposit", "interest", "lessor", "rent"]
nodes = st.lists(
    st.tuples(st.sets(st.sampled_from(WORDS)), st.integers(1, 3), st.sampled_from([0.0, 0.5, 2.0, 7.25])), max_size=8
)


@given(nodes)
def test_a_candidate_gains_what_its_branch_has_of_the_question(drawn: list[tuple[set[str], int, float]]) -> None:
    given_nodes = [
        ranked(" ".join(f"'{word}':{at}" for at, word in enumerate(sorted(words), start=1)), number, branch, score)
        for number, (words, branch, score) in enumerate(drawn)
    ]
    unit = inverse_frequency(0.0, 100)
    parts = {"deposit": 2.0 / unit, "interest": 2.0 / unit, "lessor": 0.5}
    top = max((score for _, _, score in drawn), default=0.0)
    wanted: dict[int, float] = {}
    for number, (_, branch, score) in enumerate(drawn):
        said = {word for words, other, _ in drawn if other == branch for word in words}
        have = sum(weight for word, weight in parts.items() if word in said) / sum(parts.values())
        wanted[number] = score + AGREEMENT * top * have
    result = agreed(with_terms(given_nodes, [LANDLORD]), QUESTION)
    assert {hit.ranked.row.id: hit.ranked.score for hit in result} == pytest.approx(wanted)
    assert [hit.ranked.score for hit in result] == sorted((hit.ranked.score for hit in result), reverse=True)
