"""The opinion parser on invented opinions: their head, their paragraphs and notes, their citations, what is refused."""

from __future__ import annotations

import json
import re
from datetime import date
from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.courtlistener.jsonl import CourtListenerJsonl, TooDeep, citation_urn, read_opinion
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError


def cite(volume: str, reporter: str, page: str, opinion: str = "") -> str:
    parts = (("volume", volume), ("reporter", reporter), ("page", page))
    words = " ".join(f'<span class="{name}">{value}</span>' for name, value in parts)
    if not opinion:
        return f'<span class="citation no-link">{words}</span>'
    return f'<span class="citation" data-id="{opinion}"><a href="/opinion/{opinion}/x/">{words}</a></span>'


HEAD = f"""<div><center><b>{cite("901", "U.S.", "12")} (1999)</b></center>
<center><h1>KITE COMPANY<br> v.<br> LANTERN.</h1></center><center>No. 65.</center>
<center><p><b>Supreme Court of United States.</b></p></center>
<center>Argued March 1, 2, 1999.</center><center>Decided May 29, 1999.</center>
APPEAL FROM THE COURT OF STRINGS.
"""
OLD = (
    f'<p class="case_cite">{cite("901", "U.S.", "12")}</p><p class="parties">KITE<br>v.<br>LANTERN.</p>'
    '<p class="docket">No. 7, Original.</p><p class="court">Supreme Court of the United States</p>'
    '<p class="date">June 5, 1999</p><div class="prelims"><p class="indent">Mr. A for the kite.</p></div>'
    '<div class="num" id="p1"><span class="num">1</span><p class="indent">First.</p></div>'
    '<div class="num" id="p2"><span class="num">2</span><p class="indent">Second.</p></div>'
)


def write(folder: Path, *htmls: str, **fields: object) -> Source:
    path = folder / "opinions.jsonl"
    rows = [
        {"id": 5 + at, "absolute_url": f"/opinion/{5 + at}/kite-v-lantern/", "html_with_citations": html, **fields}
        for at, html in enumerate(htmls)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return Source(path, folder)


def parse(folder: Path, html: str, **fields: object) -> ParsedDocument:
    document = CourtListenerJsonl().parse(write(folder, html, **fields))
    assert len(build_rows(document, None)) == len(document.nodes)
    return document


def test_the_head_gives_urn_name_court_docket_and_date(tmp_path: Path) -> None:
    document = parse(tmp_path, HEAD + "<p>We affirm.</p></div>", author_str="Kitely", per_curiam=False)
    root, paragraph = document.nodes
    assert root.urn == document.corpus.urn == "urn:lex:us:scotus-901-us-12"
    assert root.tags == {
        "court": "Supreme Court of the United States", "date": "1999-05-29", "case_number": "65",
        "case_name": "KITE COMPANY v. LANTERN", "author": "Kitely",
    }  # fmt: skip
    assert root.aliases == ["901 U.S. 12", "courtlistener.5", "/opinion/5/kite-v-lantern/"]
    assert root.intro_text.splitlines()[-1] == "APPEAL FROM THE COURT OF STRINGS."
    assert (root.kind, root.parent_urn, document.edition_date) == ("decision", None, date(1999, 5, 29))
    assert (paragraph.urn, paragraph.text) == ("urn:lex:us:scotus-901-us-12:p.1", "We affirm.")
    assert paragraph.valid_from == date(1999, 5, 29)


def test_printed_paragraph_numbers_are_kept_and_others_are_counted_apart(tmp_path: Path) -> None:
    document = parse(tmp_path, OLD)
    assert [node.number for node in document.nodes[1:]] == ["p.1", "1", "2"]
    assert [node.text for node in document.nodes[1:]] == ["Mr. A for the kite.", "First.", "Second."]
    assert document.nodes[0].tags["case_number"] == "7, Original"


@pytest.mark.parametrize(
    ("html", "last"),
    [
        (HEAD, "scotus-901-us-12"),
        (f'<p class="case_cite">{cite("3", "L. Ed. 2d", "4")}</p><p>Words.</p>', "scotus-3-l-ed-2d-4"),
        ('<p class="court">Court of Strings</p><p class="docket">No. 22-7</p><p class="date">June 5, 1999</p><p>W</p>',
         "court-of-strings-no-22-7-1999-06-05"),
        (f'<p class="case_cite">{cite("8", "F.3d", "9")}</p><p>Words.</p>', "opinion-8-f3d-9"),
        ("<p>Words.</p>", "opinion-cl-5"),
    ],
)  # fmt: skip
def test_the_urn_comes_from_the_citation_else_the_docket_else_the_id(tmp_path: Path, html: str, last: str) -> None:
    assert parse(tmp_path, html + "<p>x</p>").urn == f"urn:lex:us:{last}"


def test_resolved_citations_are_marks_with_a_target_and_parallel_ones_share_it(tmp_path: Path) -> None:
    cited = (cite("900", "U.S.", "7", "44"), cite("9", "L. Ed.", "1", "44"), cite("2", "Stat.", "3"))
    body = f"<p>See <i>Kite</i> v. Sun, {', '.join(cited)}.</p>"
    node = parse(tmp_path, HEAD + body).nodes[1]
    assert node.text == "See Kite v. Sun, 900 U.S. 7, 9 L. Ed. 1, 2 Stat. 3."
    assert [(node.text[mark.start : mark.end], mark.kind, mark.target) for mark in node.marks] == [
        ("Kite", "italic", ""), ("900 U.S. 7", "reference", "urn:lex:us:scotus-900-us-7"),
        ("9 L. Ed. 1", "reference", "urn:lex:us:scotus-900-us-7"), ("2 Stat. 3", "reference", ""),
    ]  # fmt: skip


def test_an_id_with_two_official_citations_has_no_certain_target(tmp_path: Path) -> None:
    body = f"<p>See {cite('900', 'U.S.', '7', '44')} and {cite('900', 'U.S.', '9', '44')}.</p>"
    node = parse(tmp_path, HEAD + body).nodes[1]
    assert [mark.target for mark in node.marks] == ["", ""]


def test_page_breaks_and_footnote_calls_are_left_out_and_counted(tmp_path: Path) -> None:
    body = (
        '<p><span class="star-pagination">*13</span> A kite<sup>[1]</sup> of <span class="star-pagination">*14</span>'
        " 10<sup>6</sup> threads.</p><h2>NOTES</h2><p>[1]   Of silk.</p><p>Or hemp.</p>"
    )
    document = parse(tmp_path, HEAD + body)
    assert document.nodes[1].text == "A kite of 106 threads."
    assert document.nodes[1].tags == {"page": "13"}
    note = document.nodes[2]
    assert (note.number, note.structure_type, note.text) == ("note.1", "NOTE", "Of silk.\nOr hemp.")
    assert any("2 page breaks and 1 footnote calls" in warning for warning in document.warnings)


def test_marks_of_a_note_follow_its_words_over_its_lines(tmp_path: Path) -> None:
    body = f"<p>A.</p><h2>NOTES</h2><p>[1]  See <i>Kite</i>.</p><p>And {cite('900', 'U.S.', '7', '4')}.</p>"
    note = parse(tmp_path, HEAD + body).nodes[2]
    assert [note.text[mark.start : mark.end] for mark in note.marks] == ["Kite", "900 U.S. 7"]


def test_footnotes_with_anchors_are_notes(tmp_path: Path) -> None:
    html = OLD + (
        '<div class="footnotes"><div class="footnote" id="fn1"><a class="footnote" href="#fn1_ref">1</a><p>A note.</p>'
        "</div></div>"
    )
    node = parse(tmp_path, html.replace("First.", 'First.<a class="footnote" href="#fn1">1</a>')).nodes[-1]
    assert (node.urn.rpartition(":")[2], node.text) == ("note.1", "A note.")


def test_two_notes_with_one_label_are_kept_and_reported(tmp_path: Path) -> None:
    document = parse(tmp_path, HEAD + "<p>A.</p><h2>NOTES</h2><p>[1] One.</p><p>[1] Two.</p>")
    assert [node.number for node in document.nodes[2:]] == ["note.1", "note.1~2"]
    assert any("note.1~2" in warning for warning in document.warnings)


def test_tables_keep_their_rows_and_scripts_their_silence(tmp_path: Path) -> None:
    body = (
        "<script>alert('x')</script><p>Rows:</p><pre>Year  | Feet\n1884  |  666</pre>"
        "<table><tr><td>a</td><td>b</td></tr></table><p onclick='x'>&lt;b&gt; &amp; more</p>"
    )
    document = parse(tmp_path, HEAD + body)
    assert [node.text for node in document.nodes[1:]] == ["Rows:", "Year | Feet\n1884 | 666", "a | b", "<b> & more"]
    assert any("1 scripts" in warning for warning in document.warnings)


def test_paragraphs_that_are_never_closed_stay_apart(tmp_path: Path) -> None:
    document = parse(tmp_path, HEAD + "".join(f"<p>Paragraph {at}." for at in range(300)))
    assert [node.text for node in document.nodes[1:4]] == ["Paragraph 0.", "Paragraph 1.", "Paragraph 2."]
    assert len(document.nodes) == 301


def test_cited_opinions_that_no_mark_leads_to_are_links(tmp_path: Path) -> None:
    listed = [f"https://example.org/api/rest/v3/opinions/{value}/" for value in (44, 45)]
    document = parse(tmp_path, HEAD + f"<p>See {cite('900', 'U.S.', '7', '44')}.</p>", opinions_cited=listed)
    assert [(link.kind, link.reference) for link in document.links] == [("cites", "courtlistener.45")]


def test_each_line_is_a_document_and_a_citation_used_twice_is_reported(tmp_path: Path) -> None:
    source = write(tmp_path, HEAD + "<p>One.</p>", HEAD + "<p>Two.</p>", OLD.replace("901", "902"))
    documents = list(CourtListenerJsonl().documents(source))
    assert [document.urn.rpartition(":")[2] for document in documents] == [
        "scotus-901-us-12", "scotus-901-us-12~2", "scotus-902-us-12",
    ]  # fmt: skip
    assert len({document.source_hash for document in documents}) == 3
    assert "have this citation" in documents[1].warnings[0]
    with pytest.raises(IngestError, match="3 documents"):
        CourtListenerJsonl().parse(source)


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"html_with_citations": 3}, "html_with_citations"), ({"id": "5"}, "id"),
        ({"html_with_citations": "<p> </p>"}, "no text"),
        ({"html_with_citations": "<p>A<h2>SECRET</h2>"}, "ends in a heading"),
        ({"html_with_citations": "<div>" * 500 + "SECRET"}, "nested too deeply"),
        ({"html_with_citations": '<div class="num"><span class="num">-</span><p>A</p></div>'}, "cannot be cited"),
    ],
)  # fmt: skip
def test_what_is_no_opinion_is_refused_with_its_line(tmp_path: Path, fields: dict[str, object], cause: str) -> None:
    source = write(tmp_path, HEAD + "<p>One.</p>", **fields)
    with pytest.raises(IngestError, match=cause) as caught:
        CourtListenerJsonl().parse(source)
    assert caught.value.line == 1
    assert "SECRET" not in caught.value.message


@pytest.mark.parametrize(
    ("citation", "urn"),
    [
        (("259", "U.S.", "188"), "urn:lex:us:scotus-259-us-188"),
        (("259", "U. S.", "188"), "urn:lex:us:scotus-259-us-188"),
        (("42", "S. Ct.", "5"), ""), (("x", "U.S.", "1"), ""), (("1", "U.S.", "___"), ""),
    ],
)  # fmt: skip
def test_only_official_citations_name_a_decision(citation: tuple[str, str, str], urn: str) -> None:
    assert citation_urn(*citation) == urn


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (b'{"id": 5, "absolute_url": "/opinion/5/a-v-b/", "html', True),
        (b'{"resource_uri": "x", "absolute_url": "/opinion/5/a-v-b/"' + b" " * HEAD_BYTES, True),
        (b'{"lexscope": 1, "corpus": {"url": "/opinion/5/"}}\n', False),
        (b'{"n": 1, "path": "a", "text": ""}\n', False),
        (b'[{"ID": "a", "DocumentID": 1, "PassageID": "1", "Passage": ""}]', False), (b"<akomaNtoso/>", False),
        (b'{"source": "uscode-uslm/usc17.xml", "provision": "/us/usc/t17/s511"}\n', False), (b"", False),
        (b'{"suite": "cfr", "text": "absolute_url"}\n{"absolute_url": "/opinion/5/a/"}', False),
    ],
)  # fmt: skip
def test_opinions_are_claimed_by_their_content_and_other_files_are_not(head: bytes, claimed: bool) -> None:
    assert CourtListenerJsonl().claims(Path("any.jsonl"), head[:HEAD_BYTES]) is claimed
    assert CourtListenerJsonl().skips(Path("any.jsonl"), head) == ""


def test_html_without_end_of_depth_is_refused() -> None:
    with pytest.raises(TooDeep):
        read_opinion("<b>" * 1000)


WORDS = st.text(alphabet="ab<&> \n\u202f§é", max_size=20)
TAGS = st.sampled_from(["p", "div", "i", "b", "center", "blockquote", "pre", "unknown"])


@given(st.lists(st.tuples(TAGS, WORDS, st.booleans()), max_size=12))
@settings(max_examples=60)
def test_no_word_of_any_html_is_lost_or_doubled(pieces: list[tuple[str, str, bool]]) -> None:
    html = "".join(f"<{tag}>{escape(words)}" + (f"</{tag}>" if closed else "") for tag, words, closed in pieces)
    found = "".join(block.text for block in read_opinion(html).blocks)
    assert re.sub(r"\s", "", found) == re.sub(r"\s", "", "".join(words for _, words, _ in pieces))
