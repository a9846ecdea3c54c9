"""The eCFR parser on small invented titles: every shape the published ones have, and those they may have."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from rag.ingest.formats.base import Source
from rag.ingest.formats.ecfr.xml import Draft, EcfrXml, build, dates
from rag.ingest.formats.xml import Element
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.errors import IngestError
from retrieval.paths import parse_urn

U = "urn:lex:us:99cfr"


def parse(tmp_path: Path, xml: str) -> ParsedDocument:
    file = tmp_path / "title.xml"
    file.write_text(xml, encoding="utf-8")
    return EcfrXml().parse(Source(file, tmp_path))


def title(parts: str, *, amended: str = "Feb. 20, 2025") -> str:
    top = f'<DIV1 N="99" TYPE="TITLE"><HEAD>Title 99—Invented Rules</HEAD>{parts}</DIV1>'
    return f"<ECFR><AMDDATE>{amended}</AMDDATE>{top}</ECFR>"


def part(sections: str) -> str:
    return title(f'<DIV5 N="7" TYPE="PART"><HEAD>PART 7—KITES</HEAD>{sections}</DIV5>')


def section(body: str, head: str = "§ 7.1   Kites.") -> str:
    return part(f'<DIV8 N="7.1" TYPE="SECTION"><HEAD>{head}</HEAD>{body}</DIV8>')


def nodes_of(document: ParsedDocument) -> dict[str, ParsedNode]:
    found = {node.urn.removeprefix(U).lstrip(":"): node for node in document.nodes}
    assert len(found) == len(document.nodes)
    for node in document.nodes:
        assert parse_urn(node.urn).text == node.urn
    return found


def rule(tmp_path: Path, body: str, head: str = "§ 7.1   Kites.") -> dict[str, ParsedNode]:
    return nodes_of(parse(tmp_path, section(body, head)))


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (b'<?xml version="1.0"?>\n<DLPSTEXTCLASS>', True),
        (b'\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?><ECFR>', True),
        (b'<DIV5 N="7" TYPE="PART" VOLUME="1">', True),
        (b"<!-- a comment --><ECFR><AMDDATE>", True),
        (b"<uscDoc>", False),
        (b'<DIV class="x">', False),
        (b"<html><ECFR>", False),
        (b"ECFR", False),
    ],
)
def test_a_file_is_claimed_by_its_root_element(head: bytes, claimed: bool) -> None:
    assert EcfrXml().claims(Path("any.xml"), head) is claimed


def test_levels_have_urns_by_kind_and_number(tmp_path: Path) -> None:
    found = nodes_of(
        parse(
            tmp_path,
            title(
                '<DIV2 N="B" TYPE="SUBTITLE"><HEAD>Subtitle B—Toys</HEAD><DIV3 N="IV" TYPE="CHAPTER">'
                '<HEAD>CHAPTER IV—KITE OFFICE</HEAD><DIV4 N="C" TYPE="SUBCHAP"><HEAD>SUBCHAPTER C—FLYING</HEAD>'
                '<DIV5 N="60-2" TYPE="PART"><HEAD>PART 60-2—STRINGS</HEAD><DIV6 N="A" TYPE="SUBPART">'
                '<HEAD>Subpart A—General</HEAD><DIV7 N="ECFR0f" TYPE="SUBJGRP"><HEAD>Length &amp; Weight</HEAD>'
                '<DIV8 N="60-2.1" TYPE="SECTION"><HEAD>§ 60-2.1   Length.</HEAD><P>Long.</P></DIV8>'
                "</DIV7></DIV6></DIV5>"
                '<DIV5 N="61-69" TYPE="PART"><HEAD>PARTS 61-69 [RESERVED]</HEAD></DIV5></DIV4></DIV3></DIV2>'
            ),
        )
    )
    shapes = {urn: (node.structure_type, node.level, node.number, node.heading) for urn, node in found.items()}
    assert shapes == {
        "": ("TITLE", "title", "99", "Invented Rules"),
        "subtitle_b": ("TITLE", "subtitle", "B", "Toys"),
        "chapter_iv": ("CHAPTER", "chapter", "IV", "KITE OFFICE"),
        "chapter_iv:subchapter_c": ("CHAPTER", "subchapter", "C", "FLYING"),
        "part_60-2": ("PART", "part", "60-2", "STRINGS"),
        "part_60-2:subpart_a": ("PART", "subpart", "A", "General"),
        "part_60-2:subpart_a:subjgrp_length-weight": ("PART", "subjgrp", "length-weight", "Length & Weight"),
        "60-2.1": ("SECTION", "section", "60-2.1", "Length."),
        "part_61-69": ("PART", "part", "61-69", "[RESERVED]"),
    }
    assert found["60-2.1"].tags == {"code": "CFR", "title": "99", "section_number": "60-2.1", "part": "60-2"}
    assert found["part_61-69"].tags["status"] == "reserved"
    assert found[""].kind == found["part_60-2"].kind == "section"
    assert found["60-2.1"].kind == "legislation"
    assert found["60-2.1"].parent_urn == f"{U}:part_60-2:subpart_a:subjgrp_length-weight"


@pytest.mark.parametrize(
    ("number", "head", "urn", "heading"),
    [
        ("§ 7.1", "§ 7.1   Kites.", "7.1", "Kites."),
        ("7.1", "§ 7.1 Kites.", "7.1", "Kites."),
        ("§§ 7.3-7.5", "§§ 7.3-7.5   [Reserved]", "7.3-7.5", "[Reserved]"),
        ("1.401(a)-1", "§ 1.401(a)-1   Qualified kites.", "1.401-a--1", "Qualified kites."),
        ("1.45D–1", "§ 1.45D–1 Credit.", "1.45d-1", "Credit."),
        ("", "§ 7.9 No attribute.", "7.9", "No attribute."),
    ],
)
def test_a_section_is_addressed_by_its_number(tmp_path: Path, number: str, head: str, urn: str, heading: str) -> None:
    xml = part(f'<DIV8 N="{number}" TYPE="SECTION"><HEAD>{head}</HEAD></DIV8>')
    node = nodes_of(parse(tmp_path, xml))[urn]
    assert node.heading == heading
    assert (node.tags.get("status") == "reserved") is (heading == "[Reserved]")


def test_captions_are_headings_and_defined_terms_stay_in_the_text(tmp_path: Path) -> None:
    found = rule(
        tmp_path,
        "<P>(a) <I>Scope.</I> (1) This applies.</P><P>(2) <I>Timing</I>—(i) Now.</P><P>(ii) Later.</P>"
        "<P>(b) <I>Box kite. Box kite</I> means a cell.</P><P>(c) <I>Sled kite</I> means flat.</P>",
    )
    assert (found["7.1:a"].heading, found["7.1:a"].text) == ("Scope.", "")
    assert found["7.1:a:1"].text == "This applies."
    assert found["7.1:a:2"].heading == "Timing"
    assert found["7.1:a:2:ii"].text == "Later."
    assert (found["7.1:b"].heading, found["7.1:b"].text) == ("Box kite.", "Box kite means a cell.")
    assert (found["7.1:c"].heading, found["7.1:c"].text) == ("", "Sled kite means flat.")
    for urn, marked in (("7.1:b", "Box kite"), ("7.1:c", "Sled kite")):
        (mark,) = found[urn].marks
        assert (found[urn].text[mark.start : mark.end], mark.kind) == (marked, "italic")


def test_words_before_a_child_are_its_parents_lead_in(tmp_path: Path) -> None:
    found = rule(tmp_path, "<P>Every kite:</P><P>(a) For purposes of this section—(1) flies;</P><P>(2) Lands.</P>")
    assert found["7.1"].intro_text == "Every kite:"
    assert found["7.1:a"].intro_text == "For purposes of this section—"
    assert found["7.1:a:2"].content_text == "Lands."


def test_italic_digits_are_a_level_below_capitals(tmp_path: Path) -> None:
    body = "".join(f"<P>{value} Text.</P>" for value in ("(a)(1)(i)", "(A)", "(<I>1</I>)", "(<I>2)</I>", "(B)", "(ii)"))
    assert list(rule(tmp_path, body))[-4:] == ["7.1:a:1:i:a:1", "7.1:a:1:i:a:2", "7.1:a:1:i:b", "7.1:a:1:ii"]


def test_definitions_without_designators_are_nodes_by_their_terms(tmp_path: Path) -> None:
    found = rule(
        tmp_path,
        "<P>As used in this part:</P><P><I>Kite</I> means a thing on a string. It flies.</P>"
        "<P>“Line” or “string” means:</P><P>(1) Twine; or</P><P>(2) Wire.</P><P>Tail includes ribbons.</P>"
        "<P><I>Bare kite:</I></P><P>(1) Means a toy.</P>",
        "§ 7.1 Definitions.",
    )
    assert found["7.1"].intro_text == "As used in this part:"
    assert [urn for urn in found if urn.startswith("7.1:")] == [
        "7.1:def.kite", "7.1:def.line-or-string", "7.1:def.line-or-string:1", "7.1:def.line-or-string:2",
        "7.1:def.tail", "7.1:def.bare-kite", "7.1:def.bare-kite:1"]  # fmt: skip
    tail, wire = found["7.1:def.tail"], found["7.1:def.line-or-string:2"]
    assert (tail.structure_type, tail.level, wire.structure_type) == ("DEFINITION", "definition", "PARAGRAPH")


def test_the_only_definition_of_a_section_is_its_lead_in(tmp_path: Path) -> None:
    found = rule(tmp_path, "<P><I>Kite</I> means anything that:</P><P>(a) Flies; and</P><P>(b) Has a line.</P>")
    assert found["7.1"].intro_text == "Kite means anything that:"
    assert "7.1:b" in found


def test_definitions_inside_a_paragraph_are_its_children(tmp_path: Path) -> None:
    found = rule(
        tmp_path,
        "<P>(a) Fly.</P><P>(b) <I>Definitions.</I> In this section:</P><P><I>Kite</I> means x.</P>"
        "<P><I>Line</I> means y.</P>"
        "<P>(c) Land.</P>",
    )
    assert [urn for urn in found if urn.startswith("7.1:")] == [
        "7.1:a", "7.1:b", "7.1:b:def.kite", "7.1:b:def.line", "7.1:c",
    ]  # fmt: skip


def test_unnumbered_words_stay_where_they_stand(tmp_path: Path) -> None:
    found = rule(
        tmp_path,
        "<P>(a) List:</P><P>(1) One;</P><P>(2) Two,</P><P>whichever is less.</P><P>(b) Alone.</P><P>More of b.</P>"
        "<P>(c) Last:</P><P>(1) x.</P><FP>Flush of c.</FP><P>A general sentence.</P><P>Another one.</P>",
    )
    assert found["7.1:a"].content_text == "whichever is less."
    assert found["7.1:b"].content_text == "Alone.\nMore of b."
    assert found["7.1:c"].content_text == "Flush of c."
    assert [found[f"7.1:p.{n}"].content_text for n in (1, 2)] == ["A general sentence.", "Another one."]
    assert found["7.1:p.1"].structure_type == "PARAGRAPH"


def test_a_section_without_designators_is_one_text(tmp_path: Path) -> None:
    assert rule(tmp_path, "<P>First.</P><P>Second  and\nlast.</P>")["7.1"].content_text == "First.\nSecond and last."


def test_tables_extracts_examples_and_pictures_are_lines_of_their_paragraph(tmp_path: Path) -> None:
    document = parse(
        tmp_path,
        section(
            "<P>(a) Fees:</P><DIV width='1'><DIV class='t'><P>Table 1</P></DIV><TABLE><TR><TH>Kind</TH><TH>Fee</TH>"
            "</TR><TR><TD>Box</TD><TD>$ <I>5</I></TD></TR></TABLE></DIV>"
            "<EXTRACT><P>(a) A form.</P><FP>Sign here</FP></EXTRACT>"
            "<P>(b) Formula</P><MATH><MI>x</MI></MATH><img src='a.gif'/>"
            "<EXAMPLE><HED>Example 1.</HED><PSPACE>A kite.</PSPACE></EXAMPLE>"
            "<HD1>Other</HD1><STRANGE>Kept words</STRANGE>"
        ),
    )
    found = nodes_of(document)
    assert found["7.1:a"].content_text == "Fees:\nTable 1\nKind | Fee\nBox | $ 5\n(a) A form.\nSign here"
    assert found["7.1:b"].content_text == "Formula\n[formula: x]\n[image]\nExample 1. A kite.\nOther\nKept words"
    (mark,) = found["7.1:a"].marks
    assert found["7.1:a"].text[mark.start : mark.end] == "5"
    assert [warning.partition(": ")[0] for warning in document.warnings] == [f"{U}:7.1"] * 3


def test_notes_are_nodes_and_annotations_are_not_text(tmp_path: Path) -> None:
    document = parse(
        tmp_path,
        section(
            "<P>(a) Fly.<SU>1</SU><FTREF/></P><FTNT><P><SU>1</SU> High.</P></FTNT>"
            "<NOTE><HED>Note to paragraph (a):</HED><P>See the sky.</P></NOTE><P>(b) Land.</P>"
            "<SECAUTH>(99 U.S.C. 2)</SECAUTH><CITA>[79 FR 1, Dec. 29, 2014]</CITA>"
            "<EDNOTE><HED>Editorial Note:</HED><PSPACE>Nothing.</PSPACE></EDNOTE><CROSSREF><P>See.</P></CROSSREF>"
        ),
    )
    found = nodes_of(document)
    assert found["7.1:a"].text == "Fly. 1"
    assert [(found[f"7.1:a:note.{n}"].level, found[f"7.1:a:note.{n}"].text) for n in (1, 2)] == [
        ("footnote", "1 High."), ("note", "See the sky."),
    ]  # fmt: skip
    assert found["7.1:a:note.2"].heading == "Note to paragraph (a):"
    words = " ".join(node.text for node in document.nodes)
    assert not any(name in words for name in ("79 FR", "Nothing", "See.", "U.S.C."))
    assert found["7.1"].tags["authority"] == "(99 U.S.C. 2)"
    assert [link.source_urn for link in document.links] == [f"{U}:7.1"]


def test_authority_is_a_tag_and_a_link_for_each_provision_that_it_cites(tmp_path: Path) -> None:
    document = parse(
        tmp_path,
        part(
            "<AUTH><HED>Authority:</HED><PSPACE>47 U.S.C. 1(8), 2; sec. 3, E.O. 4.</PSPACE></AUTH>"
            "<SOURCE><HED>Source:</HED><PSPACE>41 FR 1, Sept. 29, 1976, unless otherwise noted.</PSPACE></SOURCE>"
            '<DIV8 N="7.1" TYPE="SECTION"><HEAD>§ 7.1 Kites.</HEAD><P>Fly.</P></DIV8>'
        ),
    )
    found = nodes_of(document)
    assert found["part_7"].tags["authority"] == "47 U.S.C. 1(8), 2; sec. 3, E.O. 4."
    assert found["part_7"].tags["source_note"].startswith("41 FR 1")
    assert [(link.kind, link.source_urn, link.reference, link.target_urn) for link in document.links] == [
        ("enabled_by", f"{U}:part_7", "47 U.S.C. 1(8), 2", "urn:lex:us:47usc:1:8"),
        ("enabled_by", f"{U}:part_7", "47 U.S.C. 1(8), 2", "urn:lex:us:47usc:2"),
        ("enabled_by", f"{U}:part_7", "sec. 3, E.O. 4", ""),
    ]  # fmt: skip
    assert found["7.1"].valid_from == date(1976, 9, 29)


@pytest.mark.parametrize(
    ("history", "expected", "warned"),
    [
        (
            "[41 FR 1, Sept. 29, 1976, as amended at 45 FR 2, Apr. 1, 1980; 79 FR 3, Dec. 29, 2014]",
            date(2014, 12, 29),
            0,
        ),
        ("[41 FR 1, Sept. 29, 1976; 99 FR 3, Dec. 29, 2034]", date(1976, 9, 29), 1),
        ("[No date]", None, 0),
    ],
)
def test_the_latest_amendment_is_the_first_day_in_force(
    tmp_path: Path, history: str, expected: date | None, warned: int
) -> None:
    document = parse(tmp_path, section(f"<P>(a) Fly.</P><P>(b) Land.</P><CITA>{history}</CITA>"))
    assert {node.valid_from for node in document.nodes if ":7.1" in node.urn} == {expected}
    assert len(document.warnings) == warned
    assert document.edition_date == date(2025, 2, 20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Dec. 29, 2022(fm)", [date(2022, 12, 29)]), ("March 17, 2015", [date(2015, 3, 17)]), ("June 31, 2015", []),
     ("2022-12-29", [date(2022, 12, 29)]), ("May 1, 1999; Sept. 2, 2001", [date(1999, 5, 1), date(2001, 9, 2)])],
)  # fmt: skip
def test_dates_are_read_as_printed(text: str, expected: list[date]) -> None:
    assert dates(text) == expected


def test_a_designator_used_twice_is_kept_apart_with_a_warning(tmp_path: Path) -> None:
    document = parse(tmp_path, section("<P>(a) One.</P><P>(b) Two.</P><P>(b) Three.</P><P>(c) Four.</P>"))
    assert nodes_of(document)["7.1:b~2"].text == "Three."
    assert [warning for warning in document.warnings if f"{U}:7.1:b~2" in warning] == document.warnings != []


def test_ranges_of_reserved_paragraphs_are_one_node(tmp_path: Path) -> None:
    found = rule(tmp_path, "<P>(a) One.</P><P>(b)-(d) [Reserved]</P><P>(e) Five.</P>")
    assert found["7.1:b-d"].tags == {"status": "reserved"}
    assert found["7.1:b-d"].text == "[Reserved]"
    assert "7.1:e" in found


def test_an_appendix_is_addressed_below_its_part(tmp_path: Path) -> None:
    def appendix(number: str) -> str:
        return f'<DIV9 N="{number}" TYPE="APPENDIX"><HEAD>{number}—Forms</HEAD><P>1. First.</P><P>2. Second.</P></DIV9>'

    names = ("Appendix A to Part 7", "Supplement I to Part 7", "Appendix A to Subpart C of Part 7", "Kite Charts")
    document = parse(tmp_path, part("".join(map(appendix, names))))
    found = nodes_of(document)
    keys = ["appendix_a", "supplement_i", "appendix_a-to-subpart-c", "appendix_kite-charts"]
    assert [urn for urn, node in found.items() if node.structure_type == "APPENDIX"] == [
        f"part_7:{key}" for key in keys
    ]
    assert found["part_7:appendix_a"].heading == "Forms"
    assert found["part_7:appendix_a:2"].text == "Second."


def test_volumes_of_a_title_are_one_tree(tmp_path: Path) -> None:
    def volume(number: int, sections: str) -> str:
        return (
            f'<ECFRBRWS><AMDDATE>Jan. {number}, 2020</AMDDATE><DIV1 N="{number}" NODE="99:{number}" TYPE="TITLE">'
            f'<HEAD>Title 99—Kites--Volume {number}</HEAD><DIV3 N="I" TYPE="CHAPTER"><HEAD>CHAPTER I—OFFICE</HEAD>'
            f'<DIV5 N="7" TYPE="PART"><HEAD>PART 7—KITES</HEAD>{sections}</DIV5></DIV3></DIV1></ECFRBRWS>'
        )

    one, two = (f'<DIV8 N="§ 7.{n}" TYPE="SECTION"><HEAD>§ 7.{n} X.</HEAD><P>Y.</P></DIV8>' for n in (1, 2))
    document = parse(
        tmp_path, f"<DLPSTEXTCLASS><TEXT><BODY>{volume(1, one)}{volume(2, two)}</BODY></TEXT></DLPSTEXTCLASS>"
    )
    assert list(nodes_of(document)) == ["", "chapter_i", "part_7", "7.1", "7.2"]
    assert document.corpus.title == "Code of Federal Regulations, Title 99 (Kites)"
    assert (document.edition_date, document.warnings) == (date(2020, 1, 2), [])


def test_a_part_downloaded_alone_stands_below_its_title(tmp_path: Path) -> None:
    body = '<HEAD>PART 7—KITES</HEAD><DIV8 N="7.1" TYPE="SECTION"><HEAD>§ 7.1 X.</HEAD><P>Y.</P></DIV8></DIV5>'
    for start in (
        '<DIV5 N="7" NODE="99:1.0.1" TYPE="PART">',
        """<DIV5 N="7" TYPE="PART" hierarchy_metadata='{"path":"/on/2025-01-01/title-99/part-7"}'>""",
    ):
        assert list(nodes_of(parse(tmp_path, start + body))) == ["", "part_7", "7.1"]
    with pytest.raises(IngestError, match="does not say which"):
        parse(tmp_path, f'<DIV5 N="7" TYPE="PART">{body}')


@pytest.mark.parametrize(
    ("xml", "cause"),
    [
        (part('<DIV8 N="7.1" TYPE="SECTION"><HEAD>§ 7.1 X.</HEAD></DIV8>' * 2), "section 7.1 occurs twice"),
        (part('<DIV8 N="" TYPE="SECTION"><HEAD>Nameless</HEAD></DIV8>'), "without a number"),
        (part('<DIV6 N="A" TYPE="WING"><HEAD>Wing A</HEAD></DIV6>'), "no level"),
        ("<ECFR><AMDDATE>Jan. 1, 2020</AMDDATE></ECFR>", "no DIV1"),
        ('<ECFR><DIV1 N="1" NODE="5:1" TYPE="TITLE"><HEAD>Title 6—X</HEAD></DIV1></ECFR>', "several title numbers"),
    ],
)
def test_what_cannot_be_addressed_is_refused_by_name(tmp_path: Path, xml: str, cause: str) -> None:
    with pytest.raises(IngestError, match=cause) as caught:
        parse(tmp_path, xml)
    assert caught.value.file == "title.xml"


WORDS = st.sampled_from(
    [
        "(a)", "(b)", "(1)", "(2)", "(i)", "(ii)", "(A)", "<I>(1)</I>", "(<I>2</I>)", "<I>Cap.</I>",
        "<I>Kite</I> means", "text", "Text.", "text:", "x—", "“Line” means", "(see", "52", "U.S.C.)", "[Reserved]",
        "(d)-(e) [Reserved]",
    ]
)  # fmt: skip
TAGS = st.sampled_from(["P", "P", "P", "FP", "EXTRACT", "NOTE", "FTNT", "HD1"])
BLOCKS = st.tuples(TAGS, st.lists(WORDS, max_size=6))


def printed(tree: Tree, node: ParsedNode) -> str:
    number = "" if re.match(r"(?:p|note|def)\.|7\.1\Z", node.number) else node.number.split("~")[0]
    below = "".join(printed(tree, child) for child in tree.children(node.urn))
    return number + node.heading * (node.number != "7.1") + node.intro_text + below + node.content_text


@settings(max_examples=share_of(150))
@given(st.lists(BLOCKS, max_size=14))
def test_no_word_of_any_section_is_lost_doubled_or_moved(blocks: list[tuple[str, list[str]]]) -> None:
    body = "".join(f"<{tag}>{' '.join(words)}</{tag}>" for tag, words in blocks)
    element: Element = etree.fromstring(f"<DIV8>{body}</DIV8>")
    warnings: list[str] = []
    root = Draft(f"{U}:7.1", "7.1", "SECTION", "section", "Kites.")
    nodes = build(root, element, valid_from=None, warnings=warnings)
    tree = Tree(nodes)
    assert len(tree.by_urn) == len(nodes)
    assert build(Draft(f"{U}:7.1", "7.1", "SECTION"), element, valid_from=None, warnings=[])[1:] == nodes[1:]
    assert [node.urn for node in tree.subtree(nodes[0])] == [node.urn for node in nodes]

    def bare(text: str) -> str:
        return re.sub(r"[\s()—-]+", "", text)

    assert bare(printed(tree, nodes[0])) == bare("".join(element.itertext()))
