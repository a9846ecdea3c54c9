"""Words, designators and addresses of United States Legislative Markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from rag.ingest.formats.uscode.cites import sections_of, urn_of
from rag.ingest.formats.uscode.text import Reader, designator, heading_text
from retrieval.errors import IngestError
from retrieval.paths import parse_urn


def read(xml: str, *, quotes: bool = True) -> str:
    return Reader(quotes=quotes).read(etree.fromstring(xml)).text


@pytest.mark.parametrize(
    ("href", "urn"),
    [
        ("/us/usc/t17/s106", "17usc:106"),
        ("/us/usc/t17/s106/1/A", "17usc:106:1:a"),
        ("/us/usc/t42/s1395w–4/b/1", "42usc:1395w-4:b:1"),
        ("/us/usc/t15/s80a–90", "15usc:80a-90"),
        ("/us/usc/t22/s288–1", "22usc:288-1"),
        ("/us/usc/t17", "17usc"),
        ("/us/usc/t18a/s3", "18ausc:3"),
        ("/us/usc/t26/stA/ch1/schB/ptII", "26usc:chapter_1:subchapter_b:part_ii"),
        ("/us/usc/t35/ptII", "35usc:part_ii"),
        ("/us/cfr/t27/s40.183/e", "27cfr:40.183:e"),
        ("/us/cfr/t27/p40", "27cfr:part_40"),
        ("/us/cfr/t27/ch1/schB", "27cfr:chapter_1:subchapter_b"),
        ("/us/cfr/t27/p40/spCa", "27cfr:part_40:subpart_ca"),
        ("/us/pl/94/553", "pl-94-553"),
        ("/us/pl/94/553/tI/s101/a/2", "pl-94-553:101:a:2"),
        ("/us/sComp/91/596/s(2)/b", "pl-91-596:2:b"),
    ],
)
def test_a_publishers_address_is_read_as_a_urn(href: str, urn: str) -> None:
    assert urn_of(href) == f"urn:lex:us:{urn}"


@pytest.mark.parametrize(
    "href",
    ["/us/stat/90/2541", "/us/act/1947-07-30/ch388/s1", "/us/usc/t29/s651nt", "/us/usc/t17/s501...513",
     "/us/usc/t21/s151–158", "/us/usc/t15/s10a-12c", "/us/usc/t7/s2011-2030/a",
     "/us/bill/115/hr/7", "/us/pl/107/273/dC/tIII/s13210/4/A", "/us/usc/t49/s40101/prec/§", "#fn1", ""],
)  # fmt: skip
def test_an_address_that_is_no_certain_provision_has_no_urn(href: str) -> None:
    assert urn_of(href) == ""


@given(st.text(alphabet="/usc.tfrplschI1aA2-–() ", max_size=60))
def test_every_address_gives_a_urn_or_nothing(text: str) -> None:
    urn = urn_of(f"/us/{text}")
    assert urn == "" or parse_urn(urn).text == urn


@pytest.mark.parametrize(
    ("number", "sections"),
    [
        ("143 to 146", ["143", "144", "145", "146"]),
        ("63a to 63d", ["63a", "63b", "63c", "63d"]),
        ("61, 62", ["61", "62"]),
        ("155, 155A", ["155", "155A"]),
        ("4, 6 to 8, and 10a", ["4", "6", "7", "8", "10a"]),
        ("71 to 73a", ["71", "72", "73", "73a"]),
        ("1437z-3", []),
        ("106", []),
        ("1395w-1 to 1395w-4", []),
    ],
)
def test_a_number_of_several_sections_names_each(number: str, sections: list[str]) -> None:
    assert sections_of(number) == sections


def test_a_range_of_absurd_length_is_addressed_by_its_ends() -> None:
    assert sections_of("1 to 99999999999") == ["1", "99999999999"]


@pytest.mark.parametrize(
    ("xml", "number"),
    [
        ('<num value="a">“(a)</num>', "a"),
        ('<num value="(2)">Sec. (2)<ref class="footnoteRef">1</ref></num>', "2"),
        ('<num value="1308–1">§ 1308–1.</num>', "1308-1"),
        ("<num>Sec. 12.</num>", "12"),
        ("<num>(iv) </num>", "iv"),
        ("<num>ARTICLE III—</num>", "III"),
        ("<num>—</num>", ""),
    ],
)
def test_a_designator_is_its_value_without_brackets(xml: str, number: str) -> None:
    assert designator(etree.fromstring(xml)) == number


def test_headings_lose_the_dash_that_leads_over_and_a_half_bracket() -> None:
    assert heading_text(" In General.— ") == "In General."
    assert heading_text("Repealed. 74 Stat. 738]") == "Repealed. 74 Stat. 738"
    assert heading_text("[Reserved]") == "[Reserved]"


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<content> one\n  two\u202fthree </content>", "one two three"),
        ("<content>copy\u00adright</content>", "copyright"),
        ("<content><p>first</p><p>second</p></content>", "first\nsecond"),
        ('<content>the <ref class="footnoteRef">1</ref><note type="footnote">So.</note> end</content>', "the end"),
        ('<content>waste <ref class="footnoteRef">4</ref>.</content>', "waste."),
        ("<content>a<sup>2</sup> b</content>", "a2 b"),
        ("<content>see<sidenote><p>Deadline.</p></sidenote> it<page>12 STAT. 3</page></content>", "see it"),
        ("<table><tr><td>a</td><td><p>b</p><p>c</p></td></tr><tr><td>d</td><td/></tr></table>", "a | b c\nd |"),
        ('<content>before <img src="x"/> after</content>', "before [image] after"),
    ],
)  # fmt: skip
def test_words_are_read_as_law_prints_them(xml: str, text: str) -> None:
    assert read(xml) == text


def test_quoted_text_of_another_act_is_left_out_and_counted() -> None:
    reader = Reader(quotes=False)
    element = etree.fromstring("<content>adding:<quotedContent><p>“(6) other law”</p></quotedContent>; and</content>")
    assert reader.read(element).text == "adding:; and"
    assert reader.left_out == {"quotedContent (text of other acts)": 1}
    assert reader.read(element).text == "adding:; and"
    assert reader.left_out.total() == 1
    assert "other law" in Reader(quotes=True).read(element).text


def test_marks_cover_exactly_the_words_inside_them() -> None:
    element = etree.fromstring(
        '<content>The term “<term>site </term>” in<ref href="/us/usc/t5/s552"> 5 U.S.C.\n552</ref>, <i>Provided</i>,'
        ' <ref href="/us/stat/9/1">9 Stat. 1</ref></content>'
    )
    words = Reader(quotes=True).read(element)
    assert [(words.text[mark.start : mark.end], mark.kind, mark.target) for mark in words.marks] == [
        ("site", "term", ""),
        ("5 U.S.C. 552", "reference", "urn:lex:us:5usc:552"),
        ("Provided", "italic", ""),
        ("9 Stat. 1", "reference", ""),
    ]


@given(
    st.lists(st.tuples(st.sampled_from(["p", "i", "term", "ref", "inline"]), st.text("ab \n", max_size=6)), max_size=8)
)
def test_no_word_is_lost_and_no_mark_leaves_the_text(parts: list[tuple[str, str]]) -> None:
    element = etree.Element("content")
    for name, text in parts:
        child = etree.SubElement(element, name, {"href": "/us/usc/t1/s1"})
        child.text, child.tail = text, text[::-1]
    words = Reader(quotes=True).read(element)
    assert "".join(words.text.split()) == "".join("".join(element.itertext()).split())
    assert words.text == words.text.strip()
    assert all(0 <= mark.start < mark.end <= len(words.text) for mark in words.marks)
    assert all(words.text[mark.start : mark.end].strip() == words.text[mark.start : mark.end] for mark in words.marks)


def test_elements_nested_without_end_are_refused() -> None:
    with pytest.raises(IngestError, match="nested deeper"):
        read("<content>" + "<inline>" * 200 + "x" + "</inline>" * 200 + "</content>")
