"""Text, designators, dates and cite paths of the D.C. Code's XML."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from rag.ingest.formats.dc_xml.text import designator, latest_date, render, stub_status
from rag.ingest.formats.dc_xml.tree import section_cite


@pytest.mark.parametrize(
    ("notes", "day"),
    [
        (["July 17, 1985, D.C. Law 6-10, § 217"], date(1985, 7, 17)),
        (["Apr. 9, 1997, 44 DCR 923", "Mar. 23 1995, D.C. Law 10-249"], date(1997, 4, 9)),
        (["renumbered and amended, Sept. 24, 2010, D.C. Law 18-223"], date(2010, 9, 24)),
        (["4 Geo. 2, ch. 10, §§ 1, 2, 1731", "Feb. 30, 2001, D.C. Law 1-1"], None),
        ([], None),
    ],
)
def test_the_latest_history_date_counts(notes: list[str], day: date | None) -> None:
    assert latest_date(notes) == day


@pytest.mark.parametrize("path", ["§217", "§", "§51-1|()", "chapter", "§51-1|é", "§51-" + "9" * 600])
def test_cite_paths_that_name_no_section_have_no_urn(path: str) -> None:
    assert section_cite(path) == ""


@pytest.mark.parametrize(
    ("printed", "number"), [("(a-1)", "a-1"), ("1.", "1"), ("(A)", "A"), ("(5)-(7)", "5-7"), ("28:1-101", "28:1-101")]
)
def test_designators_lose_brackets_only(printed: str, number: str) -> None:
    assert designator(printed) == number


def test_a_heading_that_mentions_repeal_is_no_stub() -> None:
    assert stub_status("Repeal of laws [see notes].", "The law is repealed.") == ""


WORDS = st.text(alphabet="ab (1)§\n\u00a0", max_size=12)


@given(st.lists(st.tuples(st.sampled_from(["cite", "em", "strong"]), WORDS, WORDS), max_size=6), WORDS)
def test_rendering_keeps_every_character_and_places_every_cite(parts: list[tuple[str, str, str]], start: str) -> None:
    element = etree.Element("text")
    element.text = start
    for name, inside, after in parts:
        child = etree.SubElement(element, name)
        child.text, child.tail = inside, after
    rendered = render(element)
    assert rendered.text == " ".join("".join(element.itertext()).split())
    cited = [" ".join(inside.split()) for name, inside, _ in parts if name == "cite" and inside.strip()]
    assert [rendered.text[cite.start : cite.end] for cite in rendered.marks] == cited
