"""Paragraph designators: what is a letter, what a Roman numeral, and what stands below what."""

from __future__ import annotations

from random import Random

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.designators import Designator, Step, outline, readings
from rag.ingest.formats.ecfr.xml import designators
from rag.ingest.formats.xml_text import Rich
from retrieval.roman import to_roman


def steps(text: str) -> list[Step]:
    """One word a paragraph; `/` joins designators of one paragraph, `*` marks italics, `:` announces a list."""
    out: list[Step] = []
    announced = False
    for word in text.split():
        marks = word.rstrip(":").split("/")
        tokens = tuple(
            Designator(one.strip("*"), one.strip("*"), italic="*" in one, refuse=6.0 if n else 8.0)
            for n, one in enumerate(marks)
        )
        out.append(Step(tokens, announced=announced))
        announced = word.endswith(":")
    return out


def paths(text: str) -> list[str]:
    """Every accepted designator with its ancestors, as `a.1.i`."""
    open_levels: list[str] = []
    found: list[str] = []
    for step, placements in zip(steps(text), outline(steps(text)), strict=True):
        for placement in placements:
            open_levels = [*open_levels[: placement.depth - 1], step.designators[placement.index].label]
            found.append(".".join(open_levels))
    return found


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("a b c d e f g h i j", "a b c d e f g h i j"),
        ("g h i", "g h i"),
        ("a 1 i ii 2 b", "a a.1 a.1.i a.1.ii a.2 b"),
        ("a: i ii iii b", "a a.i a.ii a.iii b"),
        ("a b c d e f g h 1 2 i 1 2", "a b c d e f g h h.1 h.2 i i.1 i.2"),
        ("a b c d e f g h 1: i ii 2 i j", "a b c d e f g h h.1 h.1.i h.1.ii h.2 i j"),
        ("a b c d e f g h/1 2 i/1 2", "a b c d e f g h h.1 h.2 i i.1 i.2"),
        ("a 1 i ii iii iv v vi 2 b", "a a.1 a.1.i a.1.ii a.1.iii a.1.iv a.1.v a.1.vi a.2 b"),
        ("r s t u v w x y z aa bb cc", "r s t u v w x y z aa bb cc"),
        ("x y z aa ab ac", "x y z aa ab ac"),
        ("k l m", "k l m"),
        ("a b c 1 i ii d", "a b c c.1 c.1.i c.1.ii d"),
        ("a 1 i A *1* *2* *i* B ii 2", "a a.1 a.1.i a.1.i.A a.1.i.A.1 a.1.i.A.2 a.1.i.A.2.i a.1.i.B a.1.ii a.2"),
        ("a 1 i A: 1 2 3 B ii 2", "a a.1 a.1.i a.1.i.A a.1.i.A.1 a.1.i.A.2 a.1.i.A.3 a.1.i.B a.1.ii a.2"),
        ("a/1/i ii 2 b", "a a.1 a.1.i a.1.ii a.2 b"),
        ("1 2: i ii 3", "1 2 2.i 2.ii 3"),
        ("1: a b 2", "1 1.a 1.b 2"),
        ("a a-1 a-2 b", "a a-1 a-2 b"),
        ("a 1 2 c d", "a a.1 a.2 c d"),
        ("a b b c", "a b b c"),
    ],
)  # fmt: skip
def test_designators_stand_where_their_sequence_puts_them(printed: str, expected: str) -> None:
    shown = printed.split()[0].strip(":").split("/")[0]
    offset = [] if shown in ("a", "1") else [chr(number) for number in range(ord("a"), ord(shown))]
    assert paths(" ".join([*offset, printed]))[len(offset) :] == expected.split()


@pytest.mark.parametrize(("following", "expected"), [("j", "i"), ("ii", "h.2.i")])
def test_what_follows_decides_between_letter_and_numeral(following: str, expected: str) -> None:
    assert paths(f"a b c d e f g h 1 2 i {following}")[10] == expected


@pytest.mark.parametrize(
    ("label", "styles"),
    [("i", {"a", "i"}), ("v", {"a", "i"}), ("ii", {"a", "i"}), ("b", {"a"}), ("iii", {"a", "i"}), ("I", {"A", "I"}),
     ("12", {"1"}), ("0", set()), ("FOIA", set()), ("the", set()), ("dd", {"a"}), ("xiv", {"i"})],
)  # fmt: skip
def test_a_label_has_all_its_readings(label: str, styles: set[str]) -> None:
    assert {style for style, _ in readings(label)} == styles


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("(a) Text.", ["a"]),
        ("(a)(1) Text.", ["a", "1"]),
        ("(6) (i) If the agency", ["6", "i"]),
        ("(c) Identity. (1) Whoever", ["c", "1"]),
        ("(b) Timing—(1) Whoever", ["b", "1"]),
        ("(b) For purposes of this section—(1) Meeting", ["b", "1"]),
        ("(52 U.S.C. 30101) applies", []),
        ("(the Act) applies", []),
        ("(FOIA) applies", []),
        ("(see paragraph (a)) applies", []),
        ("(a) The Act. (52 U.S.C. 30101)", ["a"]),
        ("(a) As in 5 U.S.C. (1) and others", ["a"]),
        ("(a) Whoever pays: (1) a fee; or (2) a fine", ["a"]),
        ("(d)-(e) [Reserved]", ["d"]),
        ("(b) See paragraphs (a) and (c)", ["b"]),
    ],
)
def test_only_designators_open_levels(text: str, labels: list[str]) -> None:
    assert [designator.label for designator in designators(Rich(text))] == labels


def test_a_range_ends_at_its_last_designator() -> None:
    (token,) = designators(Rich("(d) through (f) [Reserved]"))
    assert (token.label, token.last) == ("d", "f")
    placed = outline([Step((Designator("c"),)), Step((token,)), Step((Designator("g"),))])
    assert [pair[0].anomaly for pair in placed] == ["start", "", ""]


def test_a_list_that_begins_in_mid_sentence_is_found_by_its_second_item() -> None:
    text = Rich("Advocating means that a person (a) Uses phrases, or")
    assert [designator.label for designator in designators(text, following="b")] == ["a"]
    assert designators(text, following="c") == ()
    assert designators(Rich("Whoever is named in paragraph (a) of this section"), following="b") == ()


@pytest.mark.parametrize(("printed", "anomaly"), [("a b d", "gap"), ("a b b", "repeat"), ("a b a", "repeat")])
def test_a_break_of_sequence_is_named(printed: str, anomaly: str) -> None:
    assert outline(steps(printed))[-1][0].anomaly == anomaly


def test_a_second_list_hangs_on_its_own_lead_in() -> None:
    first = [Step((Designator("a"),)), Step((Designator("b"),))]
    second = [Step(introduces=True), *(Step(one.designators, announced=n == 0) for n, one in enumerate(first))]
    assert [[placement.depth for placement in placed] for placed in outline([*first, *second])] == [
        [1],
        [1],
        [1],
        [2],
        [2],
    ]


LABELS = (
    lambda n: chr(ord("a") + n),
    lambda n: str(n + 1),
    lambda n: to_roman(n + 1),
    lambda n: chr(ord("A") + n),
    lambda n: str(n + 1),
    lambda n: to_roman(n + 1),
)
# A tree as nested lists: every list is a node's children. No list of one is drawn: the Code's own rules forbid it.
Outline = list["Outline"]
OUTLINES: st.SearchStrategy[Outline] = st.recursive(
    st.just([]), lambda below: st.lists(below, min_size=2, max_size=12) | st.just([]), max_leaves=40
)


@settings(max_examples=share_of(150))
@given(st.lists(OUTLINES, min_size=2, max_size=14), st.randoms(use_true_random=False))
def test_any_outline_is_read_back_from_its_printed_form(tree: Outline, random: Random) -> None:
    printed: list[Step] = []
    expected: list[list[tuple[str, int]]] = []
    state = {"joins": False, "announced": False}

    def write(nodes: Outline, depth: int) -> None:
        for number, children in enumerate(nodes):
            token = Designator(
                LABELS[depth](number), italic=depth >= 4, refuse=6.0 if state["joins"] and not number else 8.0
            )
            if state["joins"] and not number:
                last = printed.pop()
                printed.append(Step((*last.designators, token), announced=last.announced))
                expected[-1].append((token.label, depth + 1))
            else:
                printed.append(Step((token,), announced=state["announced"]))
                expected.append([(token.label, depth + 1)])
            below = children if depth + 1 < len(LABELS) else []
            # The first child stands in its parent's paragraph, or after words that end in a colon.
            state["joins"] = bool(below) and random.random() < 0.4
            state["announced"] = bool(below) and not state["joins"]
            if below:
                write(below, depth + 1)
            state["joins"] = False
            state["announced"] = False

    write(tree, 0)
    found = [
        [(step.designators[placement.index].label, placement.depth) for placement in placed]
        for step, placed in zip(printed, outline(printed), strict=True)
    ]
    assert found == expected
