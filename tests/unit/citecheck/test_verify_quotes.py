"""Quotations found in any text, and compared with the law's words, ellipses and brackets included."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.citecheck.compare import Passage, changes_by_brackets, find_in, is_exact, nearest
from rag.citecheck.quotes import find_quotations
from rag.citecheck.words import (
    clean_quotation,
    elements_of,
    guess_language,
    narrows,
    weigh,
    without_designators,
)

LAW = [
    ("urn:lex:us:tc:1:1", "No landlord shall, unless the tenant agrees in writing, enter the dwelling unit."),
    ("urn:lex:us:tc:1:2", "The tenant shall pay the rent within 5 days. He may not withhold it."),
]


def quoted(text: str) -> list[str]:
    return [text[quotation.inner_start : quotation.inner_end].strip() for quotation in find_quotations(text)[0]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He said “the rent is due” today.", ["the rent is due"]),
        ('He said "the rent is due" and "pay it".', ["the rent is due", "pay it"]),
        ("Es heißt „Wer den Schaden verursacht“ dort.", ["Wer den Schaden verursacht"]),
        ("Es heißt »Wer den Schaden« dort, ›so‹ auch.", ["Wer den Schaden", "so"]),
        ("Il dispose : « Tout fait quelconque ».", ["Tout fait quelconque"]),
        ("条文は「他人の「権利」を侵害」という。", ["他人の「権利」を侵害"]),
        ("『権利』と「義務」", ["権利", "義務"]),
        ("It says ‘the landlord’s duty ends’ there.", ["the landlord’s duty ends"]),
        ("the '90s, the tenants' rights, it isn't", []),
        ("It says 'the duty ends' there.", ["the duty ends"]),
        ("The Code:\n\n> No person shall\n> enter.\n\nSo.", ["No person shall\n> enter."]),
        ("The Code:\n\n> “No person shall enter.”\n> — D.C. Code § 1\n", ["No person shall enter."]),
        ("The Code says:\n\n    No person shall\n    enter.\n\nSo.", ["No person shall\n    enter."]),
        ("outer “one ‘two’ three” end", ["one ‘two’ three"]),
        ("not > a block\nand 3 > 2", []),
    ],
)
def test_quotation_marks_of_every_style_are_read(text: str, found: list[str]) -> None:
    assert quoted(text) == found


def test_a_mark_that_nothing_closes_is_named_and_ends_with_its_paragraph() -> None:
    text = "He said “the rent is due.\n\nA new paragraph ” here."
    assert find_quotations(text) == ([], [text.index("“")])


@given(st.text(alphabet="ab .\n\t>\"'“”„«»「」『』‘’—:", max_size=120))
def test_quotations_lie_in_the_text_in_order_and_apart(text: str) -> None:
    found, unclosed = find_quotations(text)
    assert all(
        0 <= quotation.start <= quotation.inner_start < quotation.inner_end <= quotation.end <= len(text)
        for quotation in found
    )
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(
        not any(quotation.start < at < quotation.end for quotation in found if not quotation.block) for at in unclosed
    )


WORDS = st.lists(st.sampled_from(["the", "rent", "shall", "not", "pay"]), min_size=1, max_size=12)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_a_quotation_with_ellipses_is_found_exactly_where_brute_force_finds_it(
    law: list[str], parts: list[list[str]]
) -> None:
    pattern = r"(?:.*? )?".join(rf"\b{re.escape(' '.join(part))}(?: |$)" for part in parts)
    expected = re.search(pattern, " ".join(law)) is not None
    quotation = " ... ".join(" ".join(part) for part in parts)
    found = find_in(Passage.of([("urn:lex:us:tc:1", " ".join(law))]), elements_of(clean_quotation(quotation)))
    assert (found is not None) == expected


@pytest.mark.parametrize(
    ("quotation", "stands"),
    [
        ("No landlord shall, unless the tenant agrees", True),
        ("[T]he tenant shall pay the rent", True),
        ("[t]he tenant shall pay", True),
        ("No landlord shall . . . enter the dwelling unit", True),
        ("No landlord shall […] enter the dwelling unit", True),
        ("[The occupant] may not withhold it", True),
        ("No landlord shall [ever] enter the dwelling unit", True),  # five words stand between
        ("within 5 days [sic]", True),
        ("within 50 days", False),
        ("the landlord shall pay", False),
        ("enter the dwelling unit ... No landlord shall", False),
    ],
)
def test_brackets_and_ellipses_are_read_as_the_convention_has_them(quotation: str, stands: bool) -> None:
    assert (find_in(Passage.of(LAW), elements_of(clean_quotation(quotation))) is not None) == stands


@pytest.mark.parametrize(
    ("quotation", "exact", "capitals"),
    [
        ("The tenant shall pay the rent within 5 days.", True, True),
        ("the tenant shall pay the rent within 5 days,", True, True),
        ("The Tenant shall pay the rent", True, False),
        ("The tenant shall pay, the rent", False, False),
    ],
)
def test_punctuation_within_a_quotation_counts_and_at_its_ends_does_not(
    quotation: str, exact: bool, capitals: bool
) -> None:
    passage = Passage.of(LAW)
    found = find_in(passage, elements_of(clean_quotation(quotation)))
    assert found is not None
    assert is_exact(passage, found, quotation)[0] == exact
    assert is_exact(passage, found, quotation)[1] == capitals


@pytest.mark.parametrize(
    ("quotation", "difference"),
    [
        ("The tenant shall pay the rent within 50 days", "the text has “5” where the quotation has “50”"),
        ("The landlord shall pay the rent within 5 days", "the text has “tenant” where the quotation has “landlord”"),
        ("He may withhold it", "the text also has “not”"),
        ("The tenant shall promptly pay the rent", "the text does not have “promptly”"),
        ("A tenant shall pay the rent", "the text has “The” where the quotation has “a”"),
    ],
)
def test_the_nearest_passage_names_the_difference(quotation: str, difference: str) -> None:
    near = nearest(Passage.of(LAW), quotation)
    assert near is not None
    assert near.urn == "urn:lex:us:tc:1:2"
    assert near.differences == (difference,)


def test_words_that_are_nothing_like_the_law_have_no_nearest_passage() -> None:
    assert nearest(Passage.of(LAW), "Unicorns graze quietly on distant purple meadows") is None


@pytest.mark.parametrize(
    ("replaced", "inserted", "changes"),
    [
        ("he", "the tenant", False),
        ("such person", "the owner", True),
        ("the tenant", "the landlord", True),
        ("shall", "may", True),
        ("", "only", True),
        ("", "residential", False),
        ("5 days", "50 days", True),
    ],
)
def test_words_in_brackets_may_explain_and_not_change(replaced: str, inserted: str, changes: bool) -> None:
    assert changes_by_brackets(replaced, inserted) == changes


def test_designators_that_begin_items_are_left_out_and_those_in_references_stay() -> None:
    assert without_designators("No person shall— (i) enter; or (ii) stay") == "No person shall— enter; or stay"
    assert without_designators("under section 5(b) of this title") == "under section 5(b) of this title"


@pytest.mark.parametrize(
    ("language", "turns", "limits"),
    [("en", "No person shall enter", "enter unless invited"), ("de", "Das gilt nicht", "sofern er zustimmt"),
     ("fr", "il ne peut agir", "sauf accord"), ("ja", "入ってはならない", "ただし書")],
)  # fmt: skip
def test_what_turns_or_limits_a_sentence_is_known_in_four_languages(language: str, turns: str, limits: str) -> None:
    assert weigh(turns, language).turning
    assert weigh(limits, language).limiting


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "a deed, sealed or not, is recorded"), ("en", "a deed is recorded, whether or not it bears a seal"),
     ("de", "eine Urkunde, besiegelt oder nicht, wird eingetragen"), ("fr", "un acte, contresigné ou non, est publié")],
)  # fmt: skip
def test_what_leaves_open_whether_something_holds_denies_nothing(language: str, text: str) -> None:
    assert not weigh(text, language).turning


@pytest.mark.parametrize(
    ("text", "language"),
    [("the rent shall be paid to the owner", "en"), ("der Mieter ist dem Vermieter und den Erben", "de"),
     ("le bail est dû par la caution", "fr"), ("賃料を支払わなければならない", "ja"), ("Lorem ipsum", "")],
)  # fmt: skip
def test_the_language_of_a_quotation_is_guessed_only_where_it_is_clear(text: str, language: str) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize(
    ("language", "words", "limits"),
    [
        ("en", "for the purpose of preventing fraud", True),
        ("en", "in order to prevent fraud", True),
        ("en", "with intent to defraud", True),
        ("en", "for the purposes of this section", False),
        ("en", "each month", False),
        ("fr", "afin de prévenir la fraude", True),
        ("fr", "chaque mois", False),
        ("de", "um Betrug zu verhindern", True),
        ("de", "zum Zwecke der Prüfung", True),
        ("de", "um drei Uhr", False),
    ],
)
def test_what_something_may_be_done_for_limits_it(language: str, words: str, limits: bool) -> None:
    assert bool(+weigh(words, language).limiting) is limits


@pytest.mark.parametrize(
    ("language", "words", "narrowing"),
    [
        ("en", "of the agency that keeps the file", True),
        ("en", "knowingly", True),
        ("en", "for up to 14 days", True),
        ("en", ", the Commissioner,", False),
        ("fr", "qui tient le registre", True),
        ("fr", "pendant quatorze jours", True),
        ("fr", ", le juge,", False),
        ("de", ", der das Register führt,", True),
        ("de", "binnen 14 Tagen", True),
        ("de", "im Register", False),
    ],
)
def test_what_an_ellipsis_leaves_out_may_narrow(language: str, words: str, narrowing: bool) -> None:
    assert narrows(words, language) is narrowing
