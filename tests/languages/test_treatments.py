"""What a sentence of a decision does to a reference: voice, polarity, who says it, and where nothing is said."""

from __future__ import annotations

import time

import pytest

from rag.languages.registry import language_of
from rag.law.treatments import Treatment, treatment_of

SAID = (
    ("overruled", "For these reasons «Bowers v. Hardwick, 478 U.S. 186» should be and now is overruled."),
    ("overruled", "«Roe v. Wade, 410 U.S. 113» and Planned Parenthood v. Casey, 505 U.S. 833, are overruled."),
    ("overruled", "The Supreme Court in Brown v Black [2015] UKSC 1 overruled «Smith v Jones [1999] 1 AC 1»."),
    ("held_unconstitutional", "We hold that «18 U.S.C. § 922(q)» is unconstitutional."),
    ("held_unconstitutional", "There «section 5 of the Act» was struck down as a violation of the First Amendment."),
    ("void", "The High Court declared «article 3 of the Order» to be ultra vires."),
    ("enjoined", "The District Court enjoined the Secretary from enforcing «42 CFR 59.14»."),
    ("followed", "The writ was dismissed on the authority of Roe v. Doe, 1 U.S. 2, and «Smith v. Jones, 12 U.S. 3»."),
    ("followed", "I am bound by the decision of the Court of Appeal in «Smith v Jones [1999] 1 AC 1»."),
    (
        "distinguished",
        "The rule acted on in «Smith v. Jones, 12 U.S. 3», relied on by counsel, has no application here.",
    ),
    (
        "distinguished",
        "The judge distinguished «Smith v Jones [1999] 1 AC 1» on the ground that the lease had expired.",
    ),
    ("interpreted", "He is a worker within the meaning of «section 230(3)(b) of the Employment Rights Act 1996»."),
    ("reversed", "The court held the act void and reversed «the decrees of the trial court»."),
    ("affirmed", "The decree is reversed and «that of the District Court» is affirmed."),
)
NOT_SAID = (
    "See «Smith v. Jones, 12 U.S. 3».",
    "Petitioner asks us to overrule «Auer v. Robbins, 519 U.S. 452».",  # a request
    "We decline to overrule «Miranda v. Arizona, 384 U.S. 436».",  # a denial
    "The dissent would overrule «Abood v. Detroit Bd. of Ed., 431 U.S. 209».",
    "If «Hammer v. Dagenhart, 247 U.S. 251» were overruled, Congress could act.",  # a condition
    "Hammer v. Dagenhart was overruled in «United States v. Darby, 312 U.S. 100».",  # the case that overrules
    "The plaintiff contends that «section 5 of the Act» is unconstitutional.",  # an argument
    "It is said that the order takes property; it is asserted that there is no power; and that «section 5» is void.",
    "Appellants contend that the decision of this Court in «Hill v. Wallace, 259 U.S. 44», is conclusive.",
    "No court has held «section 2» unconstitutional.",
    "Nothing in «section 2» renders the order invalid.",
    "A contract that does not comply with «section 2» is void.",  # the contract
    "The claim was overruled upon the authority of the Act, and «Smith v. Jones, 12 U.S. 3» was cited.",
    "We do not think the principle of «Potts v. Creager, 155 U.S. 597», applies in this case.",
    "This case was followed by that of «Gordon v. Anthony, 16 Blatchf. 234».",  # in time
)


def found_in(text: str, *, separate: bool = False) -> Treatment | None:
    words = language_of("en").treatments
    assert words is not None
    start, end = text.index("«"), text.index("»") - 1
    return treatment_of(text.replace("«", "").replace("»", ""), start, end, words(), separate=separate)


@pytest.mark.parametrize(("kind", "text"), SAID)
def test_what_is_said_of_a_reference_is_its_treatment(kind: str, text: str) -> None:
    found = found_in(text)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("text", NOT_SAID)
def test_what_is_asked_argued_denied_or_said_of_another_thing_is_none(text: str) -> None:
    assert found_in(text) is None


def test_a_separate_opinion_decides_nothing() -> None:
    text = "We overrule «Abood v. Detroit Bd. of Ed., 431 U.S. 209»."
    assert found_in(text) is not None
    assert found_in(text, separate=True) is None


def test_the_words_are_told_with_their_place_and_who_says_them() -> None:
    text = "The District Court held  «section 2 of the Act» unconstitutional, and the State appealed."
    found = found_in(text)
    assert found is not None
    plain = text.replace("«", "").replace("»", "")
    assert plain[found.start : found.end] == "held  section 2 of the Act unconstitutional"
    assert found.by == "another decision"
    ours = found_in("We overrule «Abood v. Detroit Bd. of Ed., 431 U.S. 209».")
    assert ours is not None
    assert ours.by == "this decision"


def test_a_sentence_of_many_clauses_is_read_in_short_time() -> None:
    clauses = "The court held that " + "the rule, and the order, or the act which provides that " * 60
    since = time.perf_counter()
    assert found_in(clauses + "«section 2» is void.") is not None
    assert time.perf_counter() - since < 5
    assert found_in(clauses * 2 + "«section 2» is void.") is None  # no sentence is so long
