"""The stored weights of words, counted by hand, and the candidates that they choose, by comparing all nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from conftest import SAMPLE, Stores
from hypothesis import given, settings
from hypothesis import strategies as st
from test_search_legs import write_law

from rag import Engine
from rag.settings import Settings
from rag.store.database import Connection, Database
from retrieval.entry_points.bm25 import Word
from retrieval.entry_points.legs import find_entry_points
from retrieval.entry_points.lexical import CANDIDATES, LEG_LIMIT, Filters, question_weights, quoted, word_place
from retrieval.queries import QUERIES, fill

DAY = date(2026, 1, 1)
WORDS = ("deposit", "interest", "tenant", "o'neil", "敷金", "months")
MOST = 16_000  # words that a `sparsevec` has room for


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str) -> Iterator[Database]:
    chosen = stores.clone(empty_template)
    with Engine.open(chosen) as engine:
        engine.ingest([SAMPLE])
        yield engine.database
    stores.drop(chosen)


def weights_of(conn: Connection, vector: str) -> dict[int, float]:
    row = conn.execute("select lex_weights(%s::tsvector)::text", [vector]).fetchone()
    assert row
    return {int(place): float(weight) for place, weight in re.findall(r"(\d+):(\d+)", row[0])}


def counted(vector: str) -> dict[int, float]:
    """The weights of the words of a tsvector, by the formula that sql/schema.sql states."""
    out: dict[int, float] = {}
    for lexeme, listed in re.findall(r"'((?:[^']|'')+)':([0-9A-C,]+)", vector):
        places = listed.split(",")
        first, count = places[0][-1], len(places)
        own = count + (first == "A")
        around = {"B": 95 * count // (10 * count + 9), "C": 1}
        weight = around[first] if first in around else 190 * own // (10 * own + 9)
        out[word_place(lexeme.replace("''", "'"))] = float(weight)
    return out


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(WORDS),
        st.dictionaries(st.integers(1, 90), st.sampled_from(("A", "B", "C", "")), min_size=1, max_size=8),
        max_size=len(WORDS),
    )
)
def test_a_word_weighs_what_it_does_where_it_first_stands_and_more_the_oftener(
    store: Database, held: dict[str, dict[int, str]]
) -> None:
    written = {word: ",".join(f"{at}{label}" for at, label in sorted(places.items())) for word, places in held.items()}
    vector = " ".join(f"{quoted(word)}:{places}" for word, places in written.items())
    with store.read() as conn:
        assert weights_of(conn, vector) == counted(vector)


def test_a_node_of_more_words_than_there_is_room_for_has_weights(store: Database) -> None:
    vector = " ".join(f"'w{number}':1" for number in range(MOST + 4_000))
    with store.read() as conn:
        assert len(weights_of(conn, vector)) == MOST


def asked(conn: Connection, words: list[Word], query: str, candidates: int) -> list[int]:
    values = {
        "candidate_words": query, "weights": question_weights(words), "lexemes": [word.lexeme for word in words],
        "average_length": 20.0, "candidates": candidates, **Filters(("us-ma",), "en", DAY).values,
    }  # fmt: skip
    return [row[1] for row in conn.execute(fill(QUERIES["search_lexical"], filters="true"), values)]


@settings(max_examples=25)
@given(
    st.dictionaries(
        st.sampled_from(("deposit", "interest", "tenant", "lessor", "month", "notic")),
        st.floats(0.01, 12),
        min_size=1,
    ),
    st.integers(1, 40),
)
def test_candidates_are_the_best_by_their_weights_over_their_length_and_all_where_there_is_room(
    store: Database, rarity: dict[str, float], most: int
) -> None:
    words = [Word(lexeme, idf, []) for lexeme, idf in rarity.items()]
    query = " | ".join(quoted(word.lexeme) for word in words)
    with store.read() as conn:
        nodes = conn.execute(
            "select id, fts::text, fts_length from legal_nodes where jurisdiction = 'us-ma' and language = 'en'"
            " and kind <> 'section' and validity @> %s::date and fts @@ %s::tsquery",
            [DAY, query],
        ).fetchall()
        scores = {
            number: sum(
                weight * max(round(word.idf * 64), 1)
                for word in words
                if (weight := counted(vector).get(word_place(word.lexeme)))
            )
            / (1 + 0.2 * length / 20.0)
            for number, vector, length in nodes
        }
        best = sorted(scores, key=lambda number: (-scores[number], number))
        assert asked(conn, words, query, most) == best[:most]
        assert sorted(asked(conn, words, query, 100_000)) == sorted(scores)


def test_a_question_weighs_each_word_at_its_place_in_whole_numbers_above_zero() -> None:
    weights = question_weights([Word("deposit", 2.0, [1]), Word("interest", 0.001, [2])])
    listed = re.fullmatch(r"\{([\d:,]+)\}/268435456", weights)
    assert listed
    pairs = [tuple(map(int, item.split(":"))) for item in listed[1].split(",")]
    assert pairs == sorted([(word_place("deposit"), 128), (word_place("interest"), 1)])
    assert question_weights([]) == "{}/268435456"


def test_a_page_of_search_has_as_many_results_as_match_though_a_question_ranks_fewer(
    empty_settings: Settings, tmp_path: Path
) -> None:
    law = write_law(tmp_path / "law.jsonl", "us", "en", [f"The fee of class {number} is due." for number in range(130)])
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([law]).rejected
        with engine.database.read() as conn:
            found = find_entry_points(conn, "fee", Filters(("us",), "en", DAY), mode="keyword", limit=100)
        page = engine.search("fee", jurisdiction="us", limit=100)
    assert (len(found.points), len(page.results), page.total) == (CANDIDATES, LEG_LIMIT, LEG_LIMIT)
    assert any("More may match" in warning for warning in page.warnings)
