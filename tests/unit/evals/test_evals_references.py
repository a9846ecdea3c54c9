"""What publishers' marks judge: those that contradict their own words judge nothing, and are counted."""

from __future__ import annotations

import pytest

from evals.suites.references.marks import contradicts, fits, in_range, titled
from evals.suites.references.model import Score
from evals.suites.references.text import Reading, judge_text
from rag.law.jurisdiction import DocumentIndex, FoundReference, RangeEnd, ReferencePart
from rag.law.nodes import Corpus, Mark, ParsedDocument, ParsedNode

C = "urn:lex:us:tc"


def _index() -> DocumentIndex:
    nodes = [ParsedNode(C, None, "ROOT", "corpus", kind="section"), ParsedNode(f"{C}:1", C, "TITLE", "title", "1")]
    for number in "5678":
        section = f"{C}:1:{number}"
        nodes.append(ParsedNode(section, f"{C}:1", "SECTION", "section", number, content_text="Words."))
        for paragraph in "123" if number in "56" else "":
            urn = f"{section}:{paragraph}"
            nodes.append(ParsedNode(urn, section, "SUBSECTION", "subsection", paragraph, content_text="Words."))
    return DocumentIndex(ParsedDocument(Corpus(C, "Code", "en"), nodes, "test", "test", "0" * 64, 1))


INDEX = _index()


def marked(text: str, target: str) -> tuple[str, Mark]:
    """A text whose marked words stand in square brackets."""
    start, end = text.index("["), text.index("]") - 1
    return text.replace("[", "").replace("]", ""), Mark(start, end, "reference", target)


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("under [section 6]", f"{C}:1:6", False),
        ("under [section 6]", f"{C}:1:5", True),
        ("under [section 6(2)]", f"{C}:1:6:2", False),
        ("under [section 6(2)]", f"{C}:1:6", False),
        ("under [sections 5 to 8]", f"{C}:1:8", False),
        ("for [subsection (2)]", f"{C}:1:6:2", False),
        ("for [subsection (2)]", f"{C}:1:5:2", True),
        ("for [subsection (2)] of section 5", f"{C}:1:5:2", False),
        ("for [subsection (2)] and (3) of section 5", f"{C}:1:5:2", False),
        ("section 5(1) and [(2)]", f"{C}:1:5:2", False),
        ("for [paragraph (z)]", f"{C}:1:5:2", True),
        ("15 U.S.C. [§ 6]", f"{C}:1:6", True),
        ("15 U.S.C. [§ 6]", "urn:lex:us:15usc:6", False),
        ("16 CFR [6.1]", "urn:lex:us:16cfr:6.1", False),
        ("[section 6 of title 16], Code of Federal Regulations", "urn:lex:us:16usc:6", True),
        ("the [Kites Act 1987 (c. 47)]", "urn:lex:gb:asp-1987-47", True),
        ("the [Kites Act 1987 (c. 47)]", "urn:lex:gb:ukpga-1987-47", False),
        ("the [Kites Act 1987]", "urn:lex:gb:ukpga-1987-47", False),
    ],
)
def test_mark_contradicts_its_words_where_they_name_another_provision(text: str, target: str, expected: bool) -> None:
    plain, mark = marked(text, target)
    here = INDEX.node(f"{C}:1:6:1")
    assert here is not None
    assert contradicts(mark, plain, here, INDEX) is expected


def test_instruments_of_one_series_are_one_and_acts_are_not() -> None:
    assert fits("urn:lex:gb:nisi-1999-3147:26:1", "urn:lex:gb:uksi-1999-3147")
    assert not fits("urn:lex:gb:ukpga-1999-3", "urn:lex:gb:asp-1999-3")


def reading(text: str, *ends: tuple[str, RangeEnd], confident: bool = True) -> Reading:
    parts = tuple(ReferencePart(0, len(text), f"{C}:1:{number}", end) for number, end in ends)
    return Reading(text, [FoundReference(0, len(text), text, parts, "relative", confident)])


@pytest.mark.parametrize(("number", "inside"), [("5", False), ("6", True), ("7", True), ("8", False)])
def test_member_of_a_range_lies_between_its_ends(number: str, inside: bool) -> None:
    parts = [part for _, part in reading("sections 5 to 8", ("5", "start"), ("8", "end")).parts()]
    assert in_range(parts, f"{C}:1:{number}", INDEX) is inside


@pytest.mark.parametrize(
    ("text", "target", "number", "counts"),
    [  # expected, found, read, right, certain and wrong, contradicting
        ("[section 6]", "6", "6", (1, 1, 1, 1, 0, 0)),
        ("[section 6]", "6", "7", (1, 0, 1, 0, 1, 0)),
        ("[section 6]", "5", "6", (0, 0, 0, 0, 0, 1)),
        ("[section 6]", "6", "", (1, 0, 0, 0, 0, 0)),
    ],
)
def test_text_is_judged_by_its_marks(text: str, target: str, number: str, counts: tuple[int, ...]) -> None:
    plain, mark = marked(text, f"{C}:1:{target}")
    here = INDEX.node(f"{C}:1:8")
    assert here is not None
    score = Score("test")
    read = reading(plain, (number, "")) if number else Reading(plain, [])
    judge_text(here, plain, [mark], read, INDEX, score)
    given = (score.expected, score.found, score.read, score.right, score.certain_wrong, score.contradicting)
    assert given == counts


def test_range_marked_by_its_first_provision_is_right_at_both_ends() -> None:
    text, mark = marked("[sections 5 to 8]", f"{C}:1:5")
    here = INDEX.node(f"{C}:1:7")
    assert here is not None
    score = Score("test")
    judge_text(here, text, [mark], reading(text, ("5", "start"), ("8", "end")), INDEX, score)
    assert (score.found, score.right, score.certain_wrong) == (1, 2, 0)


def test_title_with_its_year_names_an_act_that_the_mark_numbers() -> None:
    assert titled("Tax Credits Act 2002", "urn:lex:gb:ukpga-2002-21")
    assert not titled("Tax Credits Act 2002", "urn:lex:gb:ukpga-2003-21")
    assert not titled("section 5", f"{C}:1:5")
