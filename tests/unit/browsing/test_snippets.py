"""Snippets show the words asked for, in the law's own text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.browsing.snippets import MARK, SNIPPET, Lexemes, snippet
from retrieval.texts import after_children, node_text, with_gap

STEMS = Lexemes({word: frozenset({word.rstrip("s")}) for word in ("deposit", "deposits", "interest", "rent", "rents")})
FILLING = "nothing of any kind happens here at all " * 30


def shown(text: str, *wanted: str, otherwise: frozenset[str] = frozenset(), query: str = "") -> str:
    return snippet(text, STEMS, frozenset(wanted), otherwise, query)


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("A deposit bears interest.", ("deposit",), "A **deposit** bears interest."),
        ("Two Deposits, one rent", ("deposit", "rent"), "Two **Deposits**, one **rent**"),
        ("No such word", ("deposit",), "No such word"),
        ("white \n  space", (), "white space"),
        ("", ("deposit",), ""),
    ],
)
def test_words_are_marked_in_every_form(text: str, wanted: tuple[str, ...], expected: str) -> None:
    assert shown(text, *wanted) == expected


def test_the_part_with_most_different_words_is_shown() -> None:
    text = f"The deposit, the deposit. {FILLING}A deposit bears interest while rent is due. {FILLING}"
    found = shown(text, "deposit", "interest", "rent")
    assert "**deposit** bears **interest** while **rent**" in found
    assert found.startswith("… ")
    assert found.endswith(" …")


def test_statutory_terms_are_marked_where_the_question_has_no_word_of_its_own() -> None:
    text = "The rent is due with interest."
    assert shown(text, "rent", otherwise=frozenset({"interest"})) == "The **rent** is due with interest."
    assert shown(text, "deposit", otherwise=frozenset({"interest"})) == "The rent is due with **interest**."


def test_scripts_without_spaces_show_the_run_they_share_with_the_question() -> None:
    text = "この法律は、" + "あ" * 300 + "個人情報の保護について定める。"
    found = shown(text, query="個人情報の開示")
    assert "**個人情報の**保護" in found
    assert found.startswith("… ")


@given(st.lists(st.sampled_from(["deposit", "deposits", "rents", "a", "bb", "x" * 300]), max_size=120))
def test_a_snippet_is_a_piece_of_the_text_and_no_longer_than_the_limit(words: list[str]) -> None:
    text = " ".join(words)
    found = shown(text, "deposit", "rent")
    bare = found.replace(MARK, "").removeprefix("… ").removesuffix(" …")
    assert bare in text
    assert len(bare) <= SNIPPET
    if len(text) <= SNIPPET:
        assert bare == text
        assert found.count(MARK) == 2 * sum(name in ("deposit", "deposits", "rents") for name in words)
    elif any(name in ("deposit", "deposits", "rents") for name in words):
        assert MARK in found


def test_the_place_of_a_node_s_parts_is_marked() -> None:
    lead_in, flush = "No owner shall take a deposit that:", "may be kept as interest."
    whole = with_gap(node_text(lead_in, flush), after_children(lead_in, flush))
    assert shown(whole, "interest") == f"{lead_in} [...] {flush.replace('interest', f'{MARK}interest{MARK}')}"
    assert with_gap(lead_in, after_children(lead_in, "")) == lead_in
