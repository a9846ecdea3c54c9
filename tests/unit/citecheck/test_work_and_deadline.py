"""Reading grows with the text and not faster, in windows as at once, and ends between two steps of a deadline."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from processor_time import seconds_of

from rag.citecheck.deadline import Deadline, DeadlineReached
from rag.citecheck.quotes import find_quotations
from rag.citecheck.references import find_mentions, find_unread, with_back_references
from rag.citecheck.ties import references_of_quotation, references_of_sentence, sentences_of
from rag.citecheck.words import clean_quotation, elements_of, without_designators
from rag.jurisdictions.registry import all_jurisdictions

_CLOCK = 0.05  # seconds of processor time; a smaller time of the short text is mostly the clock's own steps
_MOST = 7.5  # times the work for four times the text; where every member looks at the rest of the text it is 16
_ROUNDS = 4
_WINDOW = 6_000  # characters, for a text of a few windows


def read_around(text: str) -> None:
    """What is read beside the references before the store is asked."""
    mentions, _ = find_mentions(text, ())
    find_unread(text, mentions)
    quotations, _ = find_quotations(text)
    sentences = sentences_of(text, mentions, quotations, "en")
    for index, sentence in enumerate(sentences):
        references_of_sentence(sentences, index)
        for number in sentence.quotations:
            quotation = quotations[number]
            references_of_quotation(sentences, index, quotation, mentions)
            words = clean_quotation(text[quotation.inner_start : quotation.inner_end])
            elements_of(without_designators(words))


def growth(work: Callable[[str], object], make: Callable[[int], str], size: int) -> float:
    """Times the work for four times the text; the least of each, and timed again where it seems to grow."""
    short = long = float("inf")
    for _ in range(_ROUNDS):
        long = min(long, seconds_of(work, make(4 * size)))
        if long <= _MOST * _CLOCK:
            return _MOST  # or less, for the short text counts as the clock's step at least
        short = min(short, seconds_of(work, make(size)))
        if long <= _MOST * max(short, _CLOCK):
            break
    return long / max(short, _CLOCK)


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + unit * (size // len(unit)) + after


def counted(unit: str, after: str = "") -> Callable[[int], str]:
    return lambda size: "".join(unit.format(number) for number in range(1, size // len(unit))) + after


@pytest.mark.parametrize(
    ("make", "size"),
    [
        pytest.param(repeated("第一条"), 24_000, id="articles in Japanese"),
        pytest.param(repeated("（第一条）"), 24_000, id="articles in brackets"),
        pytest.param(repeated("Id. "), 24_000, id="Id."),
        pytest.param(repeated("Id. § 5. "), 24_000, id="Id. with a section"),
        pytest.param(repeated("§ 1 "), 24_000, id="sections by sign"),
        pytest.param(repeated("section 1 of "), 48_000, id="sections by word"),
        pytest.param(repeated("article 1 "), 48_000, id="articles by word"),
        pytest.param(repeated("subsection (b) ", "urn:lex:us:42usc:1983 "), 48_000, id="parts by word"),
        pytest.param(repeated("1 Ab. 1 "), 32_000, id="reports"),
        pytest.param(repeated("supra "), 48_000, id="supra"),
        pytest.param(repeated("Smith, urn:lex:us:42usc:1983; Smith, supra; "), 12_000, id="supra with a name"),
    ],
)
def test_short_forms_take_time_in_proportion_to_them(make: Callable[[int], str], size: int) -> None:
    def read(text: str) -> None:
        found, _ = find_mentions(text, ())
        with_back_references(text, found, find_unread(text, found))

    assert growth(read, make, size) <= _MOST


@pytest.mark.parametrize(
    ("make", "size"),
    [
        pytest.param(repeated("第一条"), 8_000, id="articles in Japanese"),
        pytest.param(repeated("§ 1 Abs. 1 Satz 1 "), 8_000, id="German sections"),
        pytest.param(repeated("l'article 1 "), 8_000, id="French articles"),
        pytest.param(repeated("Schedule 1 "), 8_000, id="schedules"),
        pytest.param(repeated("sections 1 and "), 8_000, id="a list of sections without end"),
        pytest.param(repeated("section 1, ", after="section 1"), 6_000, id="sections between commas"),
        pytest.param(counted("section {}, ", "section 1"), 6_000, id="other sections between commas"),
        pytest.param(counted("subsection ({}), ", "subsection (1)"), 9_000, id="subsections between commas"),
        pytest.param(counted("chapter {0}, division {0}, "), 6_000, id="containers between commas"),
        pytest.param(repeated("1", "1 U.S.C. 1-"), 8_000, id="a number without end"),
    ],
)
def test_grammars_take_time_in_proportion_to_the_text(make: Callable[[int], str], size: int) -> None:
    assert growth(lambda text: find_mentions(text, all_jurisdictions()), make, size) <= _MOST


@pytest.mark.parametrize(
    ("make", "size"),
    [
        pytest.param(repeated("A", "ss. 1 "), 2_000, id="a word without end behind a number"),
        pytest.param(repeated("A. ", "1 "), 8_000, id="initials behind a number"),
        pytest.param(repeated("“a"), 32_000, id="marks that open"),
        pytest.param(repeated("„"), 24_000, id="marks that nothing closes"),
        pytest.param(repeated("> \n", after="> a b c d\n\n"), 16_000, id="empty lines of a block"),
        pytest.param(repeated("> \n> — a\n", after="> a b c d\n\n"), 32_000, id="lines of attribution"),
        pytest.param(repeated(":\n\n    a\n\n> b\n\n"), 25_000, id="blocks of both kinds"),
        pytest.param(repeated(", ", "The tenant may deduct interest", "x urn:lex:us:42usc:1."), 1_000, id="commas"),
        pytest.param(repeated("(1)", "urn:lex:us:42usc:1 has:\n\n> "), 24_000, id="designators in a block"),
        pytest.param(repeated("漢", "urn:lex:us:42usc:1 has:\n\n> "), 24_000, id="words without spaces in a block"),
        pytest.param(repeated("1a", "urn:lex:us:42usc:1 has:\n\n> "), 24_000, id="digits and letters in a block"),
        pytest.param(repeated("[a", "urn:lex:us:42usc:1 has:\n\n> "), 24_000, id="brackets in a block"),
        pytest.param(repeated("a “b c d” urn:lex:us:42usc:1 and "), 32_000, id="quotations of one sentence"),
    ],
)
def test_quotations_and_sentences_take_time_in_proportion_to_the_text(make: Callable[[int], str], size: int) -> None:
    assert growth(read_around, make, size) <= _MOST


@pytest.mark.parametrize(
    ("unit", "urn"),
    [
        ("Der Vermieter haftet nach § 535 Abs. 1 BGB.\n\n", "urn:lex:de:bgb:535:1"),
        ("See 42 U.S.C. § 1983 and no more. ", "urn:lex:us:42usc:1983"),
        ("民法第七百九条", "urn:lex:jp:129ac0000000089:709"),
        ("urn:lex:us:42usc:1983 ", "urn:lex:us:42usc:1983"),
    ],
)
def test_a_text_longer_than_a_window_is_read_as_its_parts_are(unit: str, urn: str) -> None:
    text = unit * (3 * _WINDOW // len(unit))
    found, read_to = find_mentions(text, all_jurisdictions(), window=_WINDOW)
    [one], _ = find_mentions(unit, all_jurisdictions())
    assert read_to == len(text)
    assert one.urns == (urn,)
    places = [(one.start + offset, one.end + offset) for offset in range(0, len(text), len(unit))]
    assert [(each.start, each.end) for each in found] == places
    assert {each.urns for each in found} == {one.urns}
    assert all(text[each.start : each.end] == each.words for each in found)


def test_a_reference_over_the_end_of_a_window_is_read_whole() -> None:
    for before in range(_WINDOW - 60, _WINDOW + 5):
        text = "x" * before + " section 5(a)(1) of title 42, United States Code, " + "x" * _WINDOW
        found, _ = find_mentions(text, all_jurisdictions(), window=_WINDOW)
        assert [mention.urns for mention in found] == [("urn:lex:us:42usc:5:a:1",)], before


class Clock:
    """Says how often it was asked."""

    def __init__(self) -> None:
        self.asked = -1

    def __call__(self) -> float:
        self.asked += 1
        return float(self.asked)


def test_a_deadline_that_was_reached_stays_reached() -> None:
    times = iter([0.0, 1.0, 2.0, 0.0, 0.0])
    deadline = Deadline(1.5, lambda: next(times))
    assert [deadline.passed() for _ in range(4)] == [False, True, True, True]
    with pytest.raises(DeadlineReached):
        deadline.check()
    Deadline().check()


@pytest.mark.parametrize("asked", [1, 9, 10, 17, 30])
def test_what_was_read_until_the_deadline_is_what_is_read_of_it_alone(asked: int) -> None:
    text = "See 42 U.S.C. § 1983 and no more.\n\n" * (3 * _WINDOW // 35)
    found, read_to = find_mentions(text, all_jurisdictions(), Deadline(asked, Clock()), window=_WINDOW)
    windows = (asked - 1) // len(all_jurisdictions())
    assert read_to <= windows * _WINDOW
    assert (read_to > 0) == (windows > 0)
    assert found == find_mentions(text[:read_to], all_jurisdictions())[0]
    assert text[:read_to].endswith("\n\n") or not read_to
