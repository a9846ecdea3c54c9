"""The D.C. Code parser on small invented titles."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.dc_xml.parser import DcXml
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.errors import IngestError

DECLARED = (
    'xmlns="https://code.dccouncil.us/schemas/dc-library" xmlns:codify="https://code.dccouncil.us/schemas/codify" '
    'xmlns:xi="http://www.w3.org/2001/XInclude" containing-doc="D.C. Code"'
)
CODE = "urn:lex:us-dc:code"
FORMAT = DcXml()


def title(inner: str, number: str = "51") -> str:
    return (
        f"<container {DECLARED}><prefix>Title</prefix><num>{number}</num><heading>Ferries.</heading>{inner}</container>"
    )


def section(number: str, inner: str = "<text>Words.</text>", heading: str = "Heading.") -> str:
    return f"<section {DECLARED}><num>{number}</num><heading>{heading}</heading>{inner}</section>"


def para(num: str, inner: str = "<text>Words.</text>") -> str:
    return f"<para><num>{num}</num>{inner}</para>"


def include(target: str) -> str:
    return f'<xi:include href="./sections/{target}.xml"/>'


def chapter(number: str, inner: str, prefix: str = "Chapter") -> str:
    return f"<container><prefix>{prefix}</prefix><num>{number}</num><heading>Of {number}.</heading>{inner}</container>"


def write(root: Path, index: str, files: Mapping[str, str] | None = None) -> Path:
    path = root / "index.xml"
    for file, text in {"index.xml": index, **(files or {})}.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    return path


def parse(root: Path, index: str, files: Mapping[str, str] | None = None) -> ParsedDocument:
    path = write(root, index, files)
    return FORMAT.parse(Source(path, root, FORMAT.parts(path, root)))


def parse_section(root: Path, inner: str, number: str = "51-101", heading: str = "Heading.") -> dict[str, ParsedNode]:
    document = parse(root, title(section(number, inner, heading)))
    return {node.urn.removeprefix(f"{CODE}:"): node for node in document.nodes}


def test_containers_and_sections_get_the_urns_people_cite(tmp_path: Path) -> None:
    inner = chapter("35A", chapter("II", chapter("A", include("51-3502.17"), "Part"), "Subchapter"))
    document = parse(tmp_path, title(inner), {"sections/51-3502.17.xml": section("51-3502.17")})
    rows = [
        (node.urn.removeprefix(CODE), node.structure_type, node.level, node.number, node.kind)
        for node in document.nodes
    ]
    assert rows == [
        (":title_51", "TITLE", "title", "51", "section"),
        (":title_51:chapter_35a", "CHAPTER", "chapter", "35A", "section"),
        (":title_51:chapter_35a:subchapter_ii", "CHAPTER", "subchapter", "II", "section"),
        (":title_51:chapter_35a:subchapter_ii:part_a", "PART", "part", "A", "section"),
        (":51-3502.17", "SECTION", "section", "51-3502.17", "legislation"),
    ]
    assert document.nodes[0].parent_urn == CODE == document.corpus.urn
    assert [node.parent_urn for node in document.nodes[1:]] == [node.urn for node in document.nodes[:-1]]
    assert document.nodes[-1].tags == {"code": "D.C. Code", "section_number": "51-3502.17", "title": "51"}
    assert document.nodes[-1].line == 1


def test_articles_that_hold_sections_are_containers(tmp_path: Path) -> None:
    document = parse(tmp_path, title(chapter("4A", section("51:4A-101"), "Article")))
    article, rule = document.nodes[1:]
    assert (article.urn, article.structure_type) == (f"{CODE}:title_51:article_4a", "PART")
    assert (rule.urn, rule.number) == (f"{CODE}:51:4a-101", "51:4A-101")


def test_paragraphs_nest_and_their_levels_follow_dc_usage(tmp_path: Path) -> None:
    deep = para("(a)", para("(1)", para("(A)", para("(i)", para("(I)", "<text>Deep.</text>")))))
    nodes = parse_section(tmp_path, deep)
    assert [(urn, node.structure_type, node.level, node.number) for urn, node in list(nodes.items())[2:]] == [
        ("51-101:a", "SUBSECTION", "subsection", "a"),
        ("51-101:a:1", "PARAGRAPH", "paragraph", "1"),
        ("51-101:a:1:a", "SUBPARAGRAPH", "subparagraph", "A"),
        ("51-101:a:1:a:i", "CLAUSE", "sub-subparagraph", "i"),
        ("51-101:a:1:a:i:i", "ITEM", "sub-sub-subparagraph", "I"),
    ]


@pytest.mark.parametrize(
    ("inner", "level", "kind"),
    [
        (f"<text>The term:</text>{para('(1)')}", "paragraph", "PARAGRAPH"),
        (f"<text>The term:</text>{para('(1)', para('(A)'))}", "paragraph", "PARAGRAPH"),
        (f"<text>The term:</text>{para('(1)', para('(a)'))}", "subsection", "SUBSECTION"),
        (para("(1)", "<text>A rule of its own.</text>"), "subsection", "SUBSECTION"),
        (para("(a-1)"), "subsection", "SUBSECTION"),
    ],
)
def test_first_level_is_read_from_the_drafting_style(tmp_path: Path, inner: str, level: str, kind: str) -> None:
    node = list(parse_section(tmp_path, inner).values())[2]
    assert (node.level, node.structure_type) == (level, kind)


def test_words_before_children_lead_in_and_words_after_them_are_flush_text(tmp_path: Path) -> None:
    inner = (
        f"<text>If:</text><text> it\n rains; </text>{para('(1)')}<aftertext>then stay.</aftertext><text>Home.</text>"
    )
    node = parse_section(tmp_path, inner)["51-101"]
    assert (node.intro_text, node.content_text) == ("If:\nit rains;", "then stay.\nHome.")
    leaf = parse_section(tmp_path, "<text>One.</text><text/><text>Two.</text>")["51-101"]
    assert (leaf.intro_text, leaf.content_text) == ("", "One.\nTwo.")
    loose = parse_section(tmp_path, "<para>Loose <num>(1)</num>words</para>")["51-101:1"]
    assert loose.content_text == "Loose\nwords"


def test_words_between_two_children_keep_their_place(tmp_path: Path) -> None:
    nodes = parse_section(tmp_path, f"{para('(a)')}<text>Between.</text>{para('(b)')}stray{para('(c)')}")
    assert list(nodes)[2:] == ["51-101:a", "51-101:p.1", "51-101:b", "51-101:p.2", "51-101:c"]
    assert (nodes["51-101:p.1"].content_text, nodes["51-101:p.2"].content_text) == ("Between.", "stray")


def test_paragraphs_without_a_citable_designator_are_counted(tmp_path: Path) -> None:
    document = parse(tmp_path, title(section("51-1", para("", "<text>A.</text>") + para("•", "<text>B.</text>"))))
    assert [(node.urn, node.content_text) for node in document.nodes[2:]] == [
        (f"{CODE}:51-1:p.1", "A."),
        (f"{CODE}:51-1:p.2", "B."),
    ]
    assert "•" in document.warnings[0]


def test_paragraph_headings_and_prefixed_articles_are_kept(tmp_path: Path) -> None:
    article = "<para><prefix>ARTICLE</prefix><num>IV</num><heading>Rates.</heading>" + para("(a)") + "</para>"
    nodes = parse_section(tmp_path, f"<text>The compact:</text>{article}")
    assert (nodes["51-101:iv"].heading, nodes["51-101:iv"].level) == ("Rates.", "article")
    assert nodes["51-101:iv"].structure_type == "SUBSECTION"
    assert (nodes["51-101:iv:a"].level, nodes["51-101:iv:a"].structure_type) == ("subsection", "PARAGRAPH")


def test_undesignated_paragraphs_are_passed_over_by_aliases(tmp_path: Path) -> None:
    wrapper = '<para><num undesignated="true">(a)</num>' + para("(5)", para("(A)")) + "</para>"
    cite = '<text>See <cite path="§51-101|(5)|(A)">§ 51-101(5)(A)</cite>.</text>'
    nodes = parse_section(tmp_path, wrapper + para("(b)", cite))
    assert nodes["51-101:a:5"].aliases == [f"{CODE}:51-101:5"]
    assert nodes["51-101:a:5:a"].aliases == [f"{CODE}:51-101:5:a"]
    assert nodes["51-101:a"].tags == {"undesignated": "true"}
    assert nodes["51-101:b"].marks[0].target == f"{CODE}:51-101:a:5:a"


def test_only_the_first_of_two_equal_designators_has_an_alias(tmp_path: Path) -> None:
    wrapper = '<para><num undesignated="true">(a)</num>' + para("(5)") + para("(5)") + "</para>"
    nodes = parse_section(tmp_path, wrapper)
    assert (nodes["51-101:a:5"].aliases, nodes["51-101:a:5~2"].aliases) == ([f"{CODE}:51-101:5"], [])


def test_an_alias_that_could_mean_two_paragraphs_is_not_given(tmp_path: Path) -> None:
    wrapper = '<para><num undesignated="true">({})</num>' + para("(1)") + "</para>"
    nodes = parse_section(tmp_path, wrapper.format("a") + wrapper.format("b"))
    assert [node.aliases for node in nodes.values()] == [[]] * len(nodes)


def test_two_paragraphs_of_one_designator_are_both_kept_and_named(tmp_path: Path) -> None:
    document = parse(tmp_path, title(section("51-1", para("(b)", "<text>A.</text>") + para("(b)", para("(1)")))))
    assert [node.urn.removeprefix(CODE) for node in document.nodes[2:]] == [":51-1:b", ":51-1:b~2", ":51-1:b~2:1"]
    assert document.nodes[3].tags == {"duplicate_of": f"{CODE}:51-1:b"}
    assert document.nodes[3].number == "b~2"
    assert len(document.warnings) == 1
    assert f"{CODE}:51-1:b~2" in document.warnings[0]


def test_a_section_number_used_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    files = {"sections/51-1.xml": section("51-1"), "sections/51-2.xml": "\n\n" + section("51-1")}
    with pytest.raises(
        IngestError, match=r"sections/51-2\.xml:3: duplicate URN urn:lex:us-dc:code:51-1, first at .*:1"
    ):
        parse(tmp_path, title(include("51-1") + include("51-2")), files)


@pytest.mark.parametrize(
    ("inner", "heading", "status", "text"),
    [
        ("<reason>Repealed</reason><text>Repealed.</text>", "Fees.", "repealed", "Repealed."),
        ("<reason>Expired</reason>", "Fees.", "expired", "Expired"),
        ("<reason>Omitted</reason><text>See note.</text>", "Fees.", "omitted", "Omitted\nSee note."),
        ("<reason>Transferred by law</reason>", "Fees.", "transferred by law", "Transferred by law"),
        ("", "[Reserved].", "reserved", ""),
        ("<text>Not funded.</text>", "Fees.", "not funded", "Not funded."),
        ("<text>Repealed laws stay repealed.</text>", "Fees.", None, "Repealed laws stay repealed."),
    ],
)
def test_stubs_keep_their_node_and_say_what_they_are(
    tmp_path: Path, inner: str, heading: str, status: str | None, text: str
) -> None:
    node = parse_section(tmp_path, inner, heading=heading)["51-101"]
    assert (node.tags.get("status"), node.content_text) == (status, text)


def test_annotations_stay_out_of_the_text_and_give_dates_and_tags(tmp_path: Path) -> None:
    notes = (
        '<annotations><annotation type="History">Mar. 14, 2007, D.C. Law 16-276, § 3</annotation>'
        '<annotation type="History">as added Sept. 6, 1980, D.C. Law 3-85</annotation>'
        '<annotation type="Emergency Legislation">For temporary repeal, see Jan. 1, 2030.</annotation>'
        '<text type="Applicability">Applies as of Oct. 1, 2031.</text></annotations>'
    )
    inner = '<text>Words<annotation type="History">D.C. Law 16-276</annotation>.</text>'
    nodes = parse_section(tmp_path, para("(a)", inner) + notes)
    assert nodes["51-101:a"].text == "Words."
    assert {nodes["51-101"].valid_from, nodes["51-101:a"].valid_from} == {date(2007, 3, 14)}
    assert nodes["51-101"].tags["emergency_legislation"] == "true"
    assert nodes["51-101"].tags["applicability"] == "true"
    assert "temporary_legislation" not in nodes["51-101"].tags
    assert all("temporary repeal" not in node.text and "16-276" not in node.text for node in nodes.values())


def test_cites_become_marks_at_their_place_in_the_joined_text(tmp_path: Path) -> None:
    lead = '<text>As  <em>if</em> in <cite path="§51-9|(a)|(4)">§ 51-9(a)(4)</cite>, if:</text>'
    flush = '<aftertext>see <cite doc="D.C. Law 1-48" path="§217">D.C.  Law 1-48</cite>.</aftertext>'
    node = parse_section(tmp_path, lead + para("(1)") + flush)["51-101"]
    assert [(node.text[mark.start : mark.end], mark.target) for mark in node.marks] == [
        ("§ 51-9(a)(4)", f"{CODE}:51-9:a:4"),
        ("D.C. Law 1-48", ""),
    ]
    assert {mark.kind for mark in node.marks} == {"reference"}


def test_cites_stand_behind_a_reason_that_is_put_before_the_text(tmp_path: Path) -> None:
    inner = '<reason>Omitted</reason><text>See <cite path="§51-9">§ 51-9</cite>.</text>'
    node = parse_section(tmp_path, inner)["51-101"]
    assert node.text[node.marks[0].start : node.marks[0].end] == "§ 51-9"


@pytest.mark.parametrize(
    ("path", "words", "target"),
    [
        ("51|3", "Chapter 3 of this title", "title_51:chapter_3"),
        ("51|II|3", "Chapter 3 of Subtitle II", "title_51:chapter_3"),
        ("51|I", "Subtitle I of this title", "title_51:subtitle_i"),
        ("51|I|9", "Article 9", "title_51:subtitle_i:article_9"),
        ("51|9", "Article 9", None),
        ("51|3|IV", "subchapter IV of this chapter", None),
        ("subtitle|3", "chapter 3 of this subtitle", "title_51:chapter_3"),
        ("51", "this title", "title_51"),
        ("2|5|I", "subchapter I of Chapter 5 of Title 2", "title_2:chapter_5:subchapter_i"),
        ("28|I", "Subtitle I of Title 28", "title_28:subtitle_i"),
        ("47|28|I-A", "that subchapter", "title_47:chapter_28:subchapter_i-a"),
        ("Constitution|1", "Article 1", None),
    ],
)
def test_cites_of_containers_are_found_by_place(tmp_path: Path, path: str, words: str, target: str | None) -> None:
    rule = section("51-301", f'<text>By <cite path="{path}">{words}</cite>.</text>')
    inner = chapter("I", chapter("9", "", "Article"), "Subtitle")
    inner += "<subheading>Subtitle II. Other.</subheading>" + chapter("3", rule)
    nodes = {node.urn: node for node in parse(tmp_path, title(inner)).nodes}
    assert nodes[f"{CODE}:51-301"].marks[0].target == (f"{CODE}:{target}" if target else "")


def test_subheadings_group_what_follows_without_changing_its_urn(tmp_path: Path) -> None:
    units = "<subheading>Unit A. Terms.</subheading>" + section("51-1")
    units += "<subheading>Unit B. Rules.</subheading>" + section("51-2")
    inner = "<subheading>Subtitle I. Boats.</subheading>" + chapter("1", units)
    inner += "<subheading>Subtitle II. Piers.</subheading>" + chapter("2", "") + "<subheading>Old law.</subheading>"
    tree = Tree(parse(tmp_path, title(inner)).nodes)
    parents = {urn.removeprefix(f"{CODE}:"): node.parent_urn for urn, node in tree.by_urn.items()}
    assert {urn: (parent or "").removeprefix(f"{CODE}:") for urn, parent in parents.items()} == {
        "title_51": CODE,
        "title_51:subtitle_i": "title_51",
        "title_51:chapter_1": "title_51:subtitle_i",
        "title_51:chapter_1:unit_a": "title_51:chapter_1",
        "51-1": "title_51:chapter_1:unit_a",
        "title_51:chapter_1:unit_b": "title_51:chapter_1",
        "51-2": "title_51:chapter_1:unit_b",
        "title_51:subtitle_ii": "title_51",
        "title_51:chapter_2": "title_51:subtitle_ii",
        "title_51:subheading_old-law": "title_51:subtitle_ii",
    }
    assert tree.by_urn[f"{CODE}:title_51:subtitle_i"].heading == "Boats."
    assert tree.by_urn[f"{CODE}:title_51:subheading_old-law"].heading == "Old law."
    assert tree.by_urn[f"{CODE}:title_51:chapter_1"].aliases == [f"{CODE}:title_51:subtitle_i:chapter_1"]


def test_words_of_a_container_itself_are_kept(tmp_path: Path) -> None:
    inner = chapter(
        "1", "<text>Preamble.</text>" + section("51-1") + para("(a)", "<text>Odd.</text>") + "<text>End.</text>"
    )
    nodes = {node.urn.removeprefix(f"{CODE}:title_51:"): node for node in parse(tmp_path, title(inner)).nodes}
    assert (nodes["chapter_1"].intro_text, nodes["chapter_1"].content_text) == ("Preamble.", "End.")
    assert nodes["chapter_1:a"].content_text == "Odd."


def test_tables_lists_and_forms_become_lines(tmp_path: Path) -> None:
    table = "<table><tr><td>1 person</td><td>50 <br/> %</td></tr><tr><td/><td>60%</td></tr></table>"
    form = "<center><strong>NOTICE</strong></center> Pay <text>(1) now</text>"
    node = parse_section(tmp_path, f"<text>Limits:{table}</text><text>{form}</text>")["51-101"]
    assert node.content_text == "Limits:\n1 person | 50 %\n | 60%\nNOTICE\nPay (1) now"


def test_what_is_no_text_is_reported_and_not_dropped_silently(tmp_path: Path) -> None:
    odd = "<text>See <img src='f.png'/> below.</text><codify:marginalia>Instruction.</codify:marginalia>"
    document = parse(tmp_path, title(section("51-1", odd)))
    assert document.nodes[-1].content_text == "See below."
    assert [("image" in warning, "marginalia" in warning) for warning in document.warnings] == [
        (True, False),
        (False, True),
    ]


def test_an_empty_element_with_a_codified_value_gives_the_value(tmp_path: Path) -> None:
    node = parse_section(tmp_path, '<text>created by <span codify:value="§"/>§ 9.</text>')["51-101"]
    assert node.content_text == "created by §§ 9."


@pytest.mark.parametrize(
    ("inner", "cause"),
    [
        (section("§"), "has no number"),
        (section("51-1", section("51-2")), "a section cannot hold the element section"),
        (section("51-1", include("51-2")), "a section cannot hold the element include"),
        (section("51-1", "<para><num>(a)</num>" * 70 + "</para>" * 70), "nested deeper than"),
        (section("51-" + "9" * 600), "has no URN"),
    ],
)
def test_titles_that_cannot_be_read_as_law_are_refused(tmp_path: Path, inner: str, cause: str) -> None:
    path = write(tmp_path, title(inner), {"sections/51-2.xml": section("51-2")})
    with pytest.raises(IngestError, match=cause):
        FORMAT.parse(Source(path, tmp_path))
