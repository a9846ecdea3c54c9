"""Documents in United States Legislative Markup, invented: each oddity of the publications once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.uscode.uslm import Uslm
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

HOUSE = "http://xml.house.gov/schemas/uslm/1.0"
GPO = "http://schemas.gpo.gov/xml/uslm"
DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
ID = 'identifier="/us/usc/t60/'

TITLE = f"""<?xml version="1.0" encoding="UTF-8"?>
<uscDoc xmlns="{HOUSE}" {DC} identifier="/us/usc/t60"><meta><docNumber>60</docNumber>
<docPublicationName>Online@120-1</docPublicationName><dcterms:created>2025-03-01T07:18:38</dcterms:created></meta>
<main><title identifier="/us/usc/t60"><num value="60">Title 60—</num><heading>LIGHTHOUSES</heading>
<note topic="enacting"><p>Enacted by act July 1, 1990.</p></note>
<toc><layout><tocItem><column>1.</column><column>Keepers</column></tocItem></layout></toc>
%s</title></main></uscDoc>"""


def parse(tmp_path: Path, text: str) -> ParsedDocument:
    path = tmp_path / "law.xml"
    path.write_text(text, encoding="utf-8")
    return Uslm().parse(Source(path, tmp_path))


def title(tmp_path: Path, body: str) -> ParsedDocument:
    return parse(tmp_path, TITLE % body)


def nodes(document: ParsedDocument) -> dict[str, ParsedNode]:
    """By URN without `urn:lex:us:`."""
    return {node.urn.removeprefix("urn:lex:us:"): node for node in document.nodes}


def section(number: str, inside: str, identifier: str = "") -> str:
    stated = f'{ID}{identifier or "s" + number}"'
    return f'<section {stated}><num value="{number}">§ {number}.</num><heading> Lamps</heading>{inside}</section>'


def test_a_title_is_its_corpus_and_its_chapters_and_sections_have_short_urns(tmp_path: Path) -> None:
    document = title(
        tmp_path,
        f'<part {ID}ptI"><num value="I">PART I—</num><heading>PEOPLE</heading>'
        f'<chapter {ID}ptI/ch1"><num value="1">CHAPTER 1—</num><heading>KEEPERS</heading>'
        f'<subchapter {ID}ptI/ch1/schA"><num value="A">SUBCHAPTER A—</num><heading>DUTIES</heading>'
        + section("1308–1", "<content>Keep the lamp lit.</content>")
        + "</subchapter></chapter></part>",
    )
    assert [(node.urn, node.structure_type, node.level, node.number, node.kind) for node in document.nodes] == [
        ("urn:lex:us:60usc", "TITLE", "title", "60", "section"),
        ("urn:lex:us:60usc:part_i", "PART", "part", "I", "section"),
        ("urn:lex:us:60usc:chapter_1", "CHAPTER", "chapter", "1", "section"),
        ("urn:lex:us:60usc:chapter_1:subchapter_a", "CHAPTER", "subchapter", "A", "section"),
        ("urn:lex:us:60usc:1308-1", "SECTION", "section", "1308-1", "legislation"),
    ]
    leaf = document.nodes[-1]
    assert leaf.aliases == ["/us/usc/t60/s1308-1", "/us/usc/t60/s1308–1"]
    assert leaf.tags == {"code": "U.S.C.", "title": "60", "section_number": "1308-1"}
    assert (leaf.heading, leaf.intro_text, leaf.content_text) == ("Lamps", "", "Keep the lamp lit.")
    assert document.corpus.title == "United States Code, Title 60 (LIGHTHOUSES)"
    assert document.edition_date == date(2025, 3, 1)
    assert document.nodes[0].tags["release_point"] == "120-1"


def test_a_chapter_number_used_in_two_parts_keeps_the_part_in_its_urn(tmp_path: Path) -> None:
    chapter = '<chapter><num value="1">CHAPTER 1—</num><heading>X</heading></chapter>'
    found = nodes(
        title(
            tmp_path, "".join(f'<part><num value="{letter}"/><heading>P</heading>{chapter}</part>' for letter in "AB")
        )
    )
    assert list(found)[1:] == ["60usc:part_a", "60usc:part_a:chapter_1", "60usc:part_b", "60usc:part_b:chapter_1"]


def test_lead_in_and_flush_text_stay_with_the_parent(tmp_path: Path) -> None:
    found = nodes(
        title(
            tmp_path,
            section(
                "2",
                '<subsection><num value="a">(a)</num><heading> <i>In General</i>.—</heading>'
                "<chapeau>A keeper—</chapeau>"
                '<paragraph><num value="1">(1)</num><content> shall trim; and</content></paragraph>'
                '<paragraph><num value="2">(2)</num><content> shall clean,</content></paragraph>'
                "<continuation>unless the sea is calm.</continuation><proviso>"
                "<i>Provided</i>, That it stays so.</proviso>"
                "</subsection>",
            ),
        )
    )
    parent = found["60usc:2:a"]
    assert parent.heading == "In General."
    assert parent.intro_text == "A keeper—"
    assert parent.content_text == "unless the sea is calm.\nProvided, That it stays so."
    assert [parent.text[mark.start : mark.end] for mark in parent.marks] == ["Provided"]
    assert [(found[f"60usc:2:a:{n}"].structure_type, found[f"60usc:2:a:{n}"].text) for n in (1, 2)] == [
        ("PARAGRAPH", "shall trim; and"),
        ("PARAGRAPH", "shall clean,"),
    ]


def test_words_between_paragraphs_keep_their_place_and_lead_into_a_list_of_another_level(tmp_path: Path) -> None:
    document = title(
        tmp_path,
        section(
            "3",
            '<subparagraph><num value="A">(A)</num><clause><num value="i">(i)</num><content>lamps; or</content>'
            "</clause>"
            "<continuation>except that—</continuation>"
            '<subclause><num value="I">(I)</num><content>no oil; or</content></subclause>'
            '<subclause><num value="II">(II)</num><content>no wick,</content></subclause>'
            "<continuation>may be used.</continuation></subparagraph>",
        ),
    )
    found = nodes(document)
    assert list(found)[2:] == [
        "60usc:3:a", "60usc:3:a:i", "60usc:3:a:p.1", "60usc:3:a:p.1:i", "60usc:3:a:p.1:ii",
    ]  # fmt: skip
    assert found["60usc:3:a:p.1"].intro_text == "except that—"
    assert found["60usc:3:a"].content_text == "may be used."
    assert found["60usc:3:a:p.1:ii"].aliases == ["urn:lex:us:60usc:3:a:ii"]  # its neighbour's would be (i)'s
    assert not [warning for warning in document.warnings if "second" in warning]


def test_notes_credits_and_contents_are_counted_and_not_in_the_text(tmp_path: Path) -> None:
    document = title(
        tmp_path,
        section(
            "4",
            '<content>A lamp <ref class="footnoteRef" idref="f1">1</ref><note type="footnote" id="f1">'
            "<num>1</num> So in"
            " original.</note> and a lamp <sup>1</sup> again, 10<sup>6</sup> times.</content>"
            '<sourceCredit>(July 1, 1990.)</sourceCredit><notes><note topic="amendments"><p>2001—Changed.</p></note>'
            '<note topic="prospectiveAmendment"><p>Later.</p></note></notes>',
        ),
    )
    node = nodes(document)["60usc:4"]
    assert node.text == "A lamp and a lamp again, 106 times."
    assert node.tags["prospective_amendment"] == "true"
    counts = {warning.partition("left out on purpose: ")[2] for warning in document.warnings}
    assert counts >= {"3 note", "1 footnote", "2 footnote mark", "1 sourceCredit", "1 toc"}


def test_the_latest_day_of_the_credit_is_the_first_day_and_reaches_every_paragraph(tmp_path: Path) -> None:
    document = title(
        tmp_path,
        section(
            "5",
            '<paragraph><num value="1">(1)</num><content>x</content></paragraph>'
            '<sourceCredit>(<date date="1990-07-01">July 1, 1990</date>; <date date="2001-02-03">Feb. 3, 2001</date>; '
            '<date date="2030-01-01">Jan. 1, 2030</date>.)'
            "</sourceCredit>",
        ),
    )
    found = nodes(document)
    assert found["60usc:5"].valid_from == found["60usc:5:1"].valid_from == date(2001, 2, 3)
    assert any("names 2030-01-01, after the edition of 2025-03-01" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("xml", "status", "day"),
    [
        ('status="repealed"><num value="6">[§ 6.</num><heading>Repealed. May 5, 1999]</heading>', "repealed",
         date(1999, 5, 5)),
        ('status="renumbered"><num value="6">[§ 6.</num><heading> Renumbered § 7]</heading>', "renumbered", None),
        ('><num value="6">§ 6.</num><heading>[Reserved]</heading>', "reserved", None),
    ],
)  # fmt: skip
def test_a_stub_says_what_became_of_its_section(tmp_path: Path, xml: str, status: str, day: date | None) -> None:
    node = nodes(title(tmp_path, f"<section {xml}</section>"))["60usc:6"]
    assert node.tags["status"] == status
    assert node.valid_from == day
    assert "]" not in node.heading or node.heading == "[Reserved]"


def test_a_repealed_range_answers_to_each_of_its_sections_but_not_to_a_living_one(tmp_path: Path) -> None:
    stub = f'<section status="repealed" {ID}s7...9"><num value="7 to 9">§§ 7–9.</num><heading>Gone</heading></section>'
    found = nodes(title(tmp_path, stub + section("8", "<content>Back again.</content>")))
    assert found["60usc:7-to-9"].aliases == ["/us/usc/t60/s7...9", "urn:lex:us:60usc:7", "urn:lex:us:60usc:9"]
    assert found["60usc:8"].text == "Back again."


def test_one_identifier_on_two_sections_keeps_both_and_warns(tmp_path: Path) -> None:
    document = title(tmp_path, section("10", "<content>First.</content>") + section("10", "<content>Second.</content>"))
    found = nodes(document)
    assert (found["60usc:10"].text, found["60usc:10~2"].text) == ("First.", "Second.")
    assert found["60usc:10~2"].number == "10~2"
    assert found["60usc:10~2"].tags["duplicate_of"] == "urn:lex:us:60usc:10"
    assert found["60usc:10~2"].aliases == []
    assert sum("60usc:10" in warning for warning in document.warnings) == 2


def test_a_list_of_definitions_is_split_at_its_terms(tmp_path: Path) -> None:
    body = (
        f'<section {ID}s11"><num value="11">§ 11.</num><heading>Definitions</heading><content><p>In this title:</p>'
        '<p class="indent1">A “lamp” is—</p><p class="indent2">(1) a light; or</p>'
        '<p class="indent2">(2) a “lantern”.</p>'
        '<p class="indent1">The term “keeper’s mate” means an aid.</p><p class="indent1">Nothing else is one.</p>'
        "</content></section>"
    )
    found = nodes(title(tmp_path, body))
    assert found["60usc:11"].intro_text == "In this title:"
    assert {urn: node.text for urn, node in found.items() if node.structure_type == "DEFINITION"} == {
        "60usc:11:lamp": "A “lamp” is—\n(1) a light; or\n(2) a “lantern”.",
        "60usc:11:keeper-s-mate": "The term “keeper’s mate” means an aid.\nNothing else is one.",
    }


def test_paragraphs_under_another_heading_are_not_split(tmp_path: Path) -> None:
    found = nodes(title(tmp_path, section("12", "<content><p>A “x” is y.</p><p>A “z” is w.</p></content>")))
    assert found["60usc:12"].content_text == "A “x” is y.\nA “z” is w."


def test_references_name_our_urns_and_tables_are_rows(tmp_path: Path) -> None:
    found = nodes(
        title(
            tmp_path,
            section(
                "13",
                '<content><p>See <ref href="/us/usc/t60/s2/a">section 2(a)</ref>.</p>'
                '<table xmlns="http://www.w3.org/1999/xhtml">'
                "<tr><th>Year</th><th>Fee</th></tr><tr><td>1</td><td>$5</td></tr></table></content>",
            ),
        )
    )
    node = found["60usc:13"]
    assert node.text == "See section 2(a).\nYear | Fee\n1 | $5"
    assert [(node.text[m.start : m.end], m.target) for m in node.marks] == [("section 2(a)", "urn:lex:us:60usc:2:a")]


APPENDIX = f"""<uscDoc xmlns="{HOUSE}" {DC} identifier="/us/usc/t60a"><meta><docNumber>60a</docNumber></meta>
<appendix identifier="/us/usc/t60a"><num value="60a">Title 60—APPENDIX</num><heading>RULES</heading>
<courtRules><heading>RULES OF HARBOR PROCEDURE</heading>
<part><num value="I">PART I.</num><heading>SCOPE</heading><courtRule identifier="/us/usc/rule1">
<num value="1">Rule 1.</num>
<heading> Scope</heading><subsection identifier="/us/usc/rule1/a"><num value="a">(a)</num>
<content> All.</content></subsection>
<sourceCredit>(As amended Apr. 2, 2020, eff. Dec. 1, 2020.)</sourceCredit></courtRule></part></courtRules>
<courtRules><heading>RULES OF BUOY EVIDENCE</heading><courtRule identifier="/us/usc/rule1"><num value="1">Rule 1.</num>
<heading> Title</heading><content>Buoys.</content></courtRule></courtRules>
<compiledAct><heading>BEACON ACT</heading><section><num value="1">§ 1.</num><content>Beacons.</content>
</section></compiledAct>
<level><heading>FORMER LAW</heading><section status="repealed"><num value="1">[§ 1.</num>
<heading>Repealed]</heading></section></level>
</appendix></uscDoc>"""


def test_rules_and_acts_of_an_appendix_number_anew_below_their_own_name(tmp_path: Path) -> None:
    document = parse(tmp_path, APPENDIX)
    found = nodes(document)
    harbor = "60ausc:court-rules_rules-of-harbor-procedure"
    assert list(found) == [
        "60ausc", harbor, f"{harbor}:part_i", f"{harbor}:1", f"{harbor}:1:a",
        "60ausc:court-rules_rules-of-buoy-evidence", "60ausc:court-rules_rules-of-buoy-evidence:1",
        "60ausc:compiled-act_beacon-act", "60ausc:compiled-act_beacon-act:1",
        "60ausc:level_former-law", "60ausc:level_former-law:1",
    ]  # fmt: skip
    assert found[f"{harbor}:1"].level == "court rule"
    assert found[f"{harbor}:1"].tags["rule_number"] == "1"
    assert found[f"{harbor}:1"].valid_from == date(2020, 12, 1)
    assert not any(node.aliases for node in document.nodes[1:])  # `/us/usc/rule1` would be both rules
    assert not [warning for warning in document.warnings if "second" in warning]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f'<uscDoc xmlns="{HOUSE}"><meta/><main/></uscDoc>', "does not say which title"),
        (f'<uscDoc xmlns="{HOUSE}" identifier="/us/usc/t1"><meta/></uscDoc>', "no body"),
        (f'<cfrDoc xmlns="{GPO}"><meta/><main/></cfrDoc>', "does not say which title"),
        (f'<pLaw xmlns="{GPO}"><meta/><main/></pLaw>', "no public-law number"),
        (f'<bill xmlns="{GPO}"><main/></bill>', "no document of law"),
        ('<!DOCTYPE uscDoc [<!ENTITY x "y">]><uscDoc>&x;</uscDoc>', "DOCTYPE"),
        ("<uscDoc>", "not well-formed"),
        (TITLE % section("1", "<paragraph>" * 70 + "</paragraph>" * 70), "nested deeper"),
        (TITLE % section("1", f"<content>{'<b>' * 120}x{'</b>' * 120}</content>"), "nested deeper"),
    ],
)  # fmt: skip
def test_what_is_no_law_in_uslm_is_refused_by_name(tmp_path: Path, text: str, cause: str) -> None:
    with pytest.raises(IngestError) as raised:
        parse(tmp_path, text)
    assert cause in raised.value.cause
    assert raised.value.file == "law.xml"


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (f'<?xml version="1.0"?>\n<?xml-stylesheet href="x.css"?><!-- c --><uscDoc xmlns="{HOUSE}">', True),
        (f'\ufeff<pLaw xmlns="{GPO}/2.0" {DC}>', True),
        (f'<statuteCompilation xmlns="{GPO}"', True),
        (f'<u:cfrDoc xmlns:u="{GPO}">', True),
        (f'<bill xmlns="{GPO}">', False),
        ('<uscDoc xmlns="http://example.org/other">', False),
        ('<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act>', False),
        ('<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation">', False),
        ('<container xmlns="https://code.dccouncil.us/schemas/dc-library"><prefix>Title</prefix>', False),
        ("<DLPSTEXTCLASS><HEADER>", False),
        ('<regulation xmlns="eregs"><fdsys>', False),
        ('<Law Era="Showa" Year="27"><LawNum>', False),
        ('<TEI xmlns="http://www.tei-c.org/ns/1.0">', False),
        ('{"urn": "urn:lex:us:17usc"}', False),
        (f"# Title 17\n\nuscDoc xmlns=\"{HOUSE}\"", False),
        ("<!-- " * 800, False),
        ("", False),
    ],
)  # fmt: skip
def test_only_documents_of_law_are_claimed(head: str, claimed: bool) -> None:
    assert Uslm().claims(Path("x.xml"), head.encode()) is claimed


def test_a_bill_is_skipped_with_a_reason_and_other_formats_are_left_alone() -> None:
    assert "bill" in Uslm().skips(Path("x.xml"), f'<bill xmlns="{GPO}">'.encode())
    assert Uslm().skips(Path("x.xml"), f'<uscDoc xmlns="{HOUSE}">'.encode()) == ""
    assert Uslm().skips(Path("x.xml"), b'<bill xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0">') == ""
