"""Labels and mixed content of RegML: addresses read by rule, marks that stay on their words."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from rag.ingest.formats.cfpb.labels import external_urn, follows, label_segment, provision_urn, split_label
from rag.ingest.formats.cfpb.text import without_repeat, words
from rag.ingest.formats.xml_text import Rich, join
from rag.law.nodes import Mark


@pytest.mark.parametrize(
    ("target", "words", "after", "urn"),
    [
        ("USC:15-1601", "15 U.S.C. 1601", " et seq.", "urn:lex:us:15usc:1601"),
        ("USC:15-1681s-2", "15 U.S.C. 1681s–2", "", "urn:lex:us:15usc:1681s-2"),
        ("USC:15-1601-a-1", "15 U.S.C. 1601(a)(1)", "", "urn:lex:us:15usc:1601:a:1"),
        ("CFR:12-1026", "12 CFR part 1026", "", "urn:lex:us:12cfr:part_1026"),
        ("CFR:12-1026-4", "12 CFR 1026.4", "", "urn:lex:us:12cfr:1026.4"),
        ("CFR:12-1026-4-b", "12 CFR 1026.4(b)", "", "urn:lex:us:12cfr:1026.4:b"),
        # Software reads "the Act" as the part's own number, and stops inside "2000d".
        ("USC:12-1002", "the Act", "", ""),
        ("USC:42-2000", "42 U.S.C. 2000", "d", ""),
        ("USC:15-1639", "12 U.S.C. 1639", "", ""),
        ("PUBLIC_LAW:111-203", "Public Law 111-203", "", ""),
        ("STATUTES_AT_LARGE:124-Stat.-1376", "124 Stat. 1376", "", ""),
    ],
)
def test_targets_in_other_codes_are_read_where_the_words_agree(target: str, words: str, after: str, urn: str) -> None:
    assert external_urn(target, f"see {words}{after}", 4, 4 + len(words)) == urn


@pytest.mark.parametrize(
    ("heading", "text", "kept", "cut"),
    [
        ("Scope.", "Scope. This part applies.", "This part applies.", "Scope."),
        (
            "Other kites of the owner.",
            "kites of the owner. An owner may fly.",
            "An owner may fly.",
            "kites of the owner.",
        ),
        ("Other kites.", "kites. An owner may fly.", "kites. An owner may fly.", ""),
        ("Kite", "Kite means a toy.", "Kite means a toy.", ""),
        ("Definition.", "Definition of a kite.", "Definition of a kite.", ""),
    ],
)
def test_a_caption_repeated_in_the_text_is_left_out(heading: str, text: str, kept: str, cut: str) -> None:
    said, repeated = without_repeat(heading, Rich(text))
    assert (said.text, repeated) == (kept, cut)


@pytest.mark.parametrize(
    ("one", "other", "goes_on"),
    [("1", "2", True), ("h", "i", True), ("i", "ii", True), ("ii", "iv", False), ("i", "A", False), ("p1", "a", False)],
)
def test_a_list_goes_on_in_one_style(one: str, other: str, goes_on: bool) -> None:
    assert follows(one, other) is goes_on


@pytest.mark.parametrize(
    ("word", "named"),
    [("b", "b"), ("p1", "p.1"), ("h2", "h.2"), ("MortgageLoan", "def.mortgage-loan"), ("ATMFee", "def.atm-fee"),
     ("iV", "iv"), ("II", "ii"), ("A", "a")],
)  # fmt: skip
def test_a_labels_word_is_a_designator_a_count_or_a_term(word: str, named: str) -> None:
    assert label_segment(word) == named


@pytest.mark.parametrize(
    ("label", "urn"),
    [
        ("1024-31-MortgageLoan", "urn:lex:us:12cfr:1024.31:def.mortgage-loan"),
        ("1026-4-b-1", "urn:lex:us:12cfr:1026.4:b:1"),
        ("1026-H-3", "urn:lex:us:12cfr:part_1026:appendix_h:3"),
        ("1026-4-Interp", ""),
        ("1026", ""),
        ("Interp", ""),
    ],
)
def test_labels_of_parts_that_are_not_at_hand_are_read_by_rule(label: str, urn: str) -> None:
    assert provision_urn(tuple(label.split("-")), "urn:lex:us:12cfr") == urn


def test_a_part_number_with_a_hyphen_stays_whole() -> None:
    assert split_label("60-2-1-a", "60-2") == ("60-2", "1", "a")


TEXT = st.text("abc .§—\n\u00a0", max_size=12)


@given(st.lists(st.tuples(TEXT, TEXT, st.sampled_from(["ref", "def"])), max_size=6))
def test_marks_cover_the_words_that_the_source_marks(runs: list[tuple[str, str, str]]) -> None:
    inner = "".join(f"{escape(a)}<{tag}>{escape(b)}</{tag}>" for a, b, tag in runs)
    element = etree.fromstring(f"<content>{inner}</content>")
    said, _ = words(element)
    assert said.text == " ".join("".join(a + b for a, b, _ in runs).split())
    assert [said.text[mark.start : mark.end] for mark in said.marks] == [
        " ".join(b.split()) for _, b, _ in runs if b.split()
    ]


@given(st.lists(TEXT.map(lambda one: " ".join(one.split())), max_size=5), st.integers(0, 20))
def test_cutting_and_joining_keep_every_mark_on_its_words(texts: list[str], length: int) -> None:
    parts = [Rich(text, (Mark(0, len(text), "def", text),) if text else ()) for text in texts]
    whole = join(parts)
    assert whole.text == "\n".join(text for text in texts if text)
    assert all(whole.text[mark.start : mark.end] == mark.target for mark in whole.marks)
    rest = whole.cut(length)
    assert rest.text == whole.text[length:].lstrip()
    assert all(mark.target.endswith(rest.text[mark.start : mark.end]) for mark in rest.marks)
