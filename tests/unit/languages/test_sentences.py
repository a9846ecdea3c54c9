"""Sentence boundaries in legal text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.languages.sentences import split_sentences


def pieces(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The fee under D.C. Code § 42-3502.17(b) is $1.50 a day.", "en"),
        ("See Sec. 12 of the Act.", "en"),
        ("Under 42 U.S.C. § 1983 the court may award costs.", "en"),
        ("Rule No. 5 of 16 C.F.R. Part 310 applies.", "en"),
        ("Acme Inc. v. Smith decided the point.", "en"),
        ("Security, e.g. The Bank's bond, must be given.", "en"),
        ("(1) The tenant shall pay.", "en"),
        ("1. The tenant shall pay.", "en"),
        ("Sec. 5. The tenant shall pay.", "en"),
        ("§ 42-3502.17. The tenant shall pay.", "en"),
        ("iv. The tenant shall pay.", "en"),
        ("The notice (see Sec. 5. It governs form.) must be in writing.", "en"),
        ("No person shall: charge a fee; take a deposit; or sue.", "en"),
        ("No person shall:\n(1) charge a fee;\n(2) take a deposit; or\n(3) sue.", "en"),
        ("A person who does so\nis liable.", "en"),
        ("Where it is owed —\nthe debtor must pay.", "en"),
        ("Mr. Brown, Dr. Green and J. Smith signed.", "en"),
        ("Nach Art. 5 Abs. 1 Nr. 3 GG gilt dies.", "de"),
        ("Am 1. Januar 2020 tritt das Gesetz in Kraft.", "de"),
        ("Dies gilt z. B. Für Kaufleute nicht, vgl. § 5.", "de"),
        ("L'art. L. 111-1 al. 2 s'applique.", "fr"),
        ("Il est dit « Voir l'art. 5. » à la page suivante.", "fr"),
        ("この法律（以下「法」という。）は、次のとおりとする。", "ja"),
        ("The Pub. L. 88-243 amendments of Dec. 30, 1963 apply.", "en"),
        ("It was decided at 5 p.m. on Monday.", "en"),
        ("The tenant may sue under M.G.L. c. 186, § 15B, and St. 1977, c. 979.", "en"),
        ("Par. 12 of tit. 3, as defined in section 11 e. (2) of the Act, applies.", "en"),
        ("Es gilt Anl. 2 zu § 7 (s. § 8) mit Wirkung für alle.", "de"),
        ("L'acte du 4 janv. 1955 est abrogé.", "fr"),
    ],
)
def test_one_sentence_stays_one(text: str, language: str) -> None:
    assert pieces(text, language) == [text]


@pytest.mark.parametrize(
    ("sentences", "language"),
    [
        (["The tenant shall pay.", "The landlord shall repair."], "en"),
        (["(1) The tenant shall pay.", "(2) The landlord shall repair."], "en"),
        (["1. The tenant shall pay.", "2. The landlord shall repair."], "en"),
        (["He is in Washington, D.C.", "The court sits there."], "en"),
        (["The answer is no.", "The tenant may stay."], "en"),
        (["The fee is $5.", "It is due at once."], "en"),
        (["He wrote “Pay now.”", "The tenant paid."], "en"),
        (["The rule applies.", "(It is new.)", "It binds all."], "en"),
        (["May the tenant stay?", "The tenant may."], "en"),
        (["Rent is due under § 5.", "No person shall pay more."], "en"),
        (["It applies to fees, etc.", "The Mayor may add to them."], "en"),
        (["The list is open; it grows.", "§ 6 closes it."], "en"),
        (["Das ist so.", "§ 6 gilt nicht."], "de"),
        (["This is the Act.", "2. The owner pays the tax.", "(3) It is due."], "en"),
        (["Er haftet nach § 823.", "Der Anspruch verjährt."], "de"),
        (["Il est interdit.", "Nul ne peut y déroger."], "fr"),
        (["甲は支払う。", "乙は受け取る。"], "ja"),
    ],
)
def test_sentences_are_told_apart(sentences: list[str], language: str) -> None:
    joiner = "" if language == "ja" else " "
    assert pieces(joiner.join(sentences), language) == sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("First rule.\nsecond rule.", ["First rule.", "second rule."]),
        ("A heading\n\nThe rule is this.", ["A heading", "The rule is this."]),
        ("A rule without stop\n(b) Another rule.", ["A rule without stop", "(b) Another rule."]),
        ("A rule is\nwrapped here.", ["A rule is\nwrapped here."]),
        ("All of these:\n\n(a) one; and\n\n(b) two.", ["All of these:\n\n(a) one; and\n\n(b) two."]),
    ],
)
def test_a_line_feed_ends_a_sentence_only_where_the_line_is_closed(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_empty_and_blank_texts_have_no_sentences() -> None:
    assert split_sentences("") == []
    assert split_sentences(" \n\t ") == []


LEGAL = st.text(alphabet="aA1.;:,()[]“”\"' \n§?!。「」éZ-", max_size=200) | st.text(max_size=80)


@given(LEGAL, st.sampled_from(["en", "de", "fr", "ja", "xx"]))
def test_spans_cover_every_character_that_is_no_space_once_and_in_order(text: str, language: str) -> None:
    spans = split_sentences(text, language)
    covered = [index for start, end in spans for index in range(start, end)]
    assert covered == sorted(set(covered))
    assert all(text[index].isspace() for index in set(range(len(text))) - set(covered))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)


@pytest.mark.parametrize("unit", ["a. ", "(", "Sec. 5. ", "\n", ". \n", "A.", "「", "(a.) ", "a" * 50, "; and\n"])
def test_no_text_makes_it_slow(unit: str) -> None:
    spans = split_sentences(unit * 20_000)
    assert spans == sorted(spans)
