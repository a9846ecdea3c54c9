"""The Akoma Ntoso parser on small invented acts, bills and judgments."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from rag.ingest.formats.akn.parser import NAMESPACE, AkomaNtoso
from rag.ingest.formats.base import Source
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.paths import parse_urn

FORMAT = AkomaNtoso()
UKL = 'xmlns:ukl="https://www.legislation.gov.uk/namespaces/UK-AKN"'
ACT = "/akn/za/act/1980-05-03/10"


def meta(uri: str = ACT, country: str = "za", more: str = "", language: str = "eng", title: str = "Ferries Act") -> str:
    return (
        f'<meta><identification source="#p"><FRBRWork><FRBRthis value="{uri}/!main"/><FRBRuri value="{uri}"/>'
        f'<FRBRalias value="{title}" name="title"/><FRBRdate date="1980-05-03" name="Generation"/>'
        f'<FRBRcountry value="{country}"/></FRBRWork><FRBRExpression><FRBRdate date="2020-02-01" name="Generation"/>'
        f'<FRBRlanguage language="{language}"/></FRBRExpression></identification>{more}</meta>'
    )


def write(folder: Path, document: str, declared: str = "") -> Path:
    path = folder / "law.xml"
    path.write_text(f'<akomaNtoso xmlns="{NAMESPACE}" {declared}>{document}</akomaNtoso>', encoding="utf-8")
    return path


def parse(folder: Path, document: str, declared: str = "") -> ParsedDocument:
    path = write(folder, document, declared)
    parsed = FORMAT.parse(Source(path, folder))
    build_rows(parsed, None)  # whatever is parsed can be stored
    return parsed


def act(folder: Path, body: str, **given: str) -> dict[str, ParsedNode]:
    document = parse(folder, f"<act>{meta(**given)}<body>{body}</body></act>")
    return {node.urn.removeprefix(document.urn).lstrip(":"): node for node in document.nodes}


def judgment(folder: Path, decision: str, cite: str = "[2031] EWHC 7 (Ch)", header: str = "") -> ParsedDocument:
    own = f"<proprietary><cite>{cite}</cite><court>EWHC</court><caseNumber>AB-1</caseNumber></proprietary>"
    metadata = (
        '<meta><identification><FRBRWork><FRBRdate date="2031-04-05" name="judgment"/><FRBRcountry value="GB-UKM"/>'
        f'<FRBRname value="Oar v Sail"/></FRBRWork></identification>{own}</meta>'
    )
    return parse(
        folder,
        f'<judgment name="judgment">{metadata}<header><p>{header}</p></header>'
        f"<judgmentBody><decision>{decision}</decision></judgmentBody></judgment>",
    )


def p(words: str) -> str:
    return f"<content><p>{words}</p></content>"


def para(num: str, words: str = "Words.") -> str:
    return f"<paragraph><num>{num}</num>{p(words)}</paragraph>"


def section(num: str, inner: str, heading: str = "Heading") -> str:
    return f'<section eId="sec_{num}"><num>{num}.</num><heading>{heading}</heading>{inner}</section>'


def test_sections_are_addressed_by_number_and_containers_by_kind(tmp_path: Path) -> None:
    inner = (
        "<subsection><num>(1)</num><intro><p>If—</p></intro>"
        f"{para('(a)')}{para('(b)')}<wrapUp><p>then stop.</p></wrapUp></subsection>"
    )
    nodes = act(tmp_path, f"<part><num>Part 2A</num><heading>Oars</heading>{section('5', inner)}</part>")
    rows = [(urn, node.structure_type, node.level, node.number, node.kind) for urn, node in nodes.items()]
    assert rows == [
        ("", "ROOT", "act", "", "section"),
        ("part_2a", "PART", "part", "2A", "section"),
        ("5", "SECTION", "section", "5", "legislation"),
        ("5:1", "SUBSECTION", "subsection", "1", "legislation"),
        ("5:1:a", "PARAGRAPH", "paragraph", "a", "legislation"),
        ("5:1:b", "PARAGRAPH", "paragraph", "b", "legislation"),
    ]
    assert (nodes["5:1"].intro_text, nodes["5:1"].content_text) == ("If—", "then stop.")
    assert nodes["5"].tags == {"section_number": "5", "act_title": "Ferries Act"}
    assert nodes["5"].aliases == [f"{ACT}#sec_5"]


def test_quoted_structures_of_other_acts_are_left_out_and_quoted_words_stay(tmp_path: Path) -> None:
    inner = f"<section><num>9</num>{p('In this Act <def>oar</def> means a pole.')}</section>"
    quoted = f'<quotedStructure startQuote="“">{inner}</quotedStructure>'
    words = (
        f'<mod>After section 8 insert—{quoted}<inline name="AppendText">;</inline></mod> and for <mod>'
        '<quotedText startQuote="“" endQuote="”"><def>sail</def></quotedText></mod> read mast.'
    )
    document = parse(tmp_path, f"<act>{meta()}<body>{section('1', p(words))}</body></act>")
    assert [node.urn for node in document.nodes] == ["urn:lex:za:act-1980-10", "urn:lex:za:act-1980-10:1"]
    assert document.nodes[1].text == "After section 8 insert—; and for “sail” read mast."
    assert document.nodes[1].marks == []
    assert document.warnings == ["left out on purpose: quoted structure of another act (1)"]


def test_defined_terms_and_references_are_marked_where_they_stand(tmp_path: Path) -> None:
    words = (
        f'In  this\nAct <def {UKL} ukl:startQuote="“" ukl:endQuote="”">an oar</def> means what '
        '<ref href="#sec_2">section 2</ref>, <ref href="/akn/za/act/1990/4#part_1__sec_3__subsec_1">the Act</ref> and '
        '<ref href="https://example.org/">others</ref> say.'
    )
    node = act(tmp_path, section("1", p(words)) + section("2", p("A pole.")))["1"]
    assert node.text == "In this Act “an oar” means what section 2, the Act and others say."
    assert [(node.text[mark.start : mark.end], mark.kind, mark.target) for mark in node.marks] == [
        ("an oar", "term", ""),
        ("section 2", "reference", "urn:lex:za:act-1980-10:2"),
        ("the Act", "reference", "urn:lex:za:act-1990-4:3:1"),
        ("others", "reference", ""),
    ]


def test_definitions_without_numbers_are_addressed_by_their_term(tmp_path: Path) -> None:
    entry = '<hcontainer name="definition"><content><p><def>{0}</def> means a thing.</p></content></hcontainer>'
    inner = (
        f"<intro><p>In this Act—</p></intro>{entry.format('Öar of wood')}{entry.format('sail')}{entry.format('sail')}"
    )
    nodes = act(tmp_path, section("1", inner))
    assert list(nodes)[2:] == ["1:def.oar-of-wood", "1:def.sail", "1:def.sail~2"]
    assert nodes["1:def.sail"].structure_type == "DEFINITION"
    assert nodes["1:def.sail~2"].tags == {"duplicate_of": "urn:lex:za:act-1980-10:1:def.sail"}


def test_numbers_used_twice_in_one_place_are_kept_and_reported(tmp_path: Path) -> None:
    body = section("1", "".join(f"<subsection><num>(2)</num>{p(value)}</subsection>" for value in ("One.", "Two.")))
    document = parse(tmp_path, f"<act>{meta()}<body>{body}</body></act>")
    assert [node.urn.rpartition(":")[2] for node in document.nodes[2:]] == ["2", "2~2"]
    assert [node.number for node in document.nodes[2:]] == ["2", "2~2"]
    assert document.warnings == [
        "line 1: a second urn:lex:za:act-1980-10:1:2; it is kept as urn:lex:za:act-1980-10:1:2~2"
    ]


def test_numbers_that_start_anew_in_every_part_are_addressed_below_it(tmp_path: Path) -> None:
    parts = "".join(f"<part><num>PART {n}</num>{section('1', p(f'Of {n}.'))}</part>" for n in ("I", "II"))
    assert list(act(tmp_path, parts + section("2", p("Alone.")))) == [
        "",
        "part_i",
        "part_i:1",
        "part_ii",
        "part_ii:1",
        "2",
    ]


def test_sections_that_hold_articles_are_containers(tmp_path: Path) -> None:
    nodes = act(
        tmp_path,
        "<section><num>Sezione II</num><heading>Remi</heading>"
        '<article eId="art_3"><num>Art. 3-bis.</num><paragraph><num>1.</num>'
        f"{p('Parole.')}</paragraph></article></section>",
    )
    assert [(urn, node.structure_type) for urn, node in nodes.items()][1:] == [
        ("section_ii", "PART"),
        ("3-bis", "ARTICLE"),
        ("3-bis:1", "PARAGRAPH"),
    ]
    assert nodes["3-bis"].tags["article_number"] == "3-bis"


def test_schedules_number_anew_and_their_note_is_a_node(tmp_path: Path) -> None:
    schedule = (
        '<hcontainer name="schedules"><heading>SCHEDULES</heading><hcontainer name="schedule"><num>Schedule 1'
        f"<authorialNote><p>Section 4</p></authorialNote></num><heading>Fees</heading>"
        f"<part><num>Part 2</num>{para('3.')}"
        "</part></hcontainer></hcontainer>"
    )
    nodes = act(tmp_path, section("3", p("Own.")) + schedule)
    assert list(nodes)[2:] == [
        "schedules_schedules", "sch.1", "sch.1:part_2", "sch.1:3", "sch.1:note.1",
    ]  # fmt: skip
    assert nodes["sch.1"].structure_type == "APPENDIX"
    assert nodes["sch.1:note.1"].structure_type == "NOTE"
    assert nodes["sch.1:3"].tags == {"paragraph_number": "3", "act_title": "Ferries Act", "schedule_number": "1"}


def test_attached_documents_are_appendices_of_the_act(tmp_path: Path) -> None:
    attachment = (
        '<attachments><attachment eId="att_1"><heading>First Schedule</heading><doc name="schedule"><meta/><mainBody>'
        f"<paragraph><num>2.</num>{p('Fee.')}</paragraph></mainBody></doc></attachment></attachments>"
    )
    document = parse(tmp_path, f"<act>{meta()}<body>{section('1', p('Own.'))}</body>{attachment}</act>")
    assert [node.urn.removeprefix(f"{document.urn}:") for node in document.nodes[2:]] == ["sch.1", "sch.1:2"]
    assert document.nodes[2].heading == "First Schedule"


def test_a_schedule_in_another_file_is_a_warning(tmp_path: Path) -> None:
    elsewhere = "<attachments><attachment><heading>Fees</heading><componentRef src='b.xml'/></attachment></attachments>"
    document = parse(tmp_path, f"<act>{meta()}<body>{section('1', p('Own.'))}</body>{elsewhere}</act>")
    assert len(document.nodes) == 2
    assert document.warnings == ["line 1: the words of an attachment are in another file"]


def test_footnotes_and_editors_remarks_stay_out_of_the_text(tmp_path: Path) -> None:
    noted = p('Row<authorialNote marker="1"><p>A note.</p></authorialNote> on.')
    nodes = act(
        tmp_path, section("1", noted) + section("2", p('<remark status="editorial">[repealed by Act 9]</remark>'))
    )
    assert nodes["1"].text == "Row on."
    assert (nodes["1:note.1"].text, nodes["1:note.1"].tags["marker"]) == ("A note.", "1")
    assert (nodes["2"].text, nodes["2"].tags["status"]) == ("", "repealed")
    assert nodes["2:note.1"].text == "[repealed by Act 9]"


def test_tables_are_rows_and_lists_in_cells_stay_on_their_row(tmp_path: Path) -> None:
    cell = "<blockList><listIntroduction>Either:</listIntroduction><item><num>•</num><p>one</p></item></blockList>"
    table = (
        '<tblock><foreign><table xmlns="http://www.w3.org/1999/xhtml"><tr><th><p>Kind</p></th><th><p>Fee</p></th></tr>'
        f"<tr><td><p>Oar</p><p>(long)</p></td><td>{cell}</td></tr><tr><td/><td><p>2</p></td></tr></table></foreign></tblock>"
    )
    node = act(tmp_path, section("1", f"<content><p>Fees:</p>{table}<p>End.</p></content>"))["1"]
    assert node.text.split("\n") == ["Fees:", "Kind | Fee", "Oar (long) | Either: • one", " | 2", "End."]


def test_numbered_block_lists_are_nodes_and_bulleted_ones_text(tmp_path: Path) -> None:
    items = "<item><num>(a)</num><p>oars;</p></item><item><num>(b)</num><p>sails.</p></item>"
    numbered = f"<blockList><listIntroduction>Bring—</listIntroduction>{items}<listWrapUp>Dry.</listWrapUp></blockList>"
    nodes = act(
        tmp_path,
        section("1", f"<content>{numbered}</content>")
        + section("2", "<content><blockList><item><num>•</num><p>Oar</p></item></blockList></content>"),
    )
    assert list(nodes)[1:] == ["1", "1:a", "1:b", "2"]
    assert (nodes["1"].intro_text, nodes["1"].content_text) == ("Bring—", "Dry.")
    assert nodes["2"].text == "• Oar"


def test_words_between_children_keep_their_place(tmp_path: Path) -> None:
    inner = f"{para('(a)', 'One.')}<content><p>Between.</p></content>{para('(b)', 'Two.')}"
    nodes = act(tmp_path, section("1", inner))
    assert [(urn, node.text) for urn, node in list(nodes.items())[2:]] == [
        ("1:a", "One."), ("1:p.1", "Between."), ("1:b", "Two."),
    ]  # fmt: skip


def test_lists_points_and_unnumbered_alineas_are_addressed(tmp_path: Path) -> None:
    points = f"<point><num>a)</num>{p('oar')}</point><point><num>b)</num>{p('sail')}</point>"
    listed = f"<list><intro><p>Either:</p></intro>{points}</list>"
    article = f"<article><num>Article 4</num><alinea>{p('Un.')}</alinea><alinea>{listed}</alinea></article>"
    nodes = act(tmp_path, article)
    assert list(nodes)[1:] == ["4", "4:al.1", "4:al.2", "4:al.2:a", "4:al.2:b"]
    assert nodes["4:al.2"].intro_text == "Either:"


def test_recitals_and_enacting_words_are_kept(tmp_path: Path) -> None:
    front = (
        "<preface><longTitle><p>An Act about oars.</p></longTitle></preface><preamble><recitals><recital><num>(1)</num>"
        "<p>Whereas oars float.</p></recital></recitals><formula name='e'><p>Enacted.</p></formula></preamble>"
    )
    document = parse(tmp_path, f"<act>{meta()}{front}<body>{section('1', p('Own.'))}</body></act>")
    assert [(node.urn.removeprefix(f"{document.urn}:"), node.text) for node in document.nodes[1:4]] == [
        ("preface", "An Act about oars."),
        ("preamble", "Enacted."),
        ("preamble:rec.1", "Whereas oars float."),
    ]


def test_versions_of_a_section_share_its_urn(tmp_path: Path) -> None:
    life = (
        '<lifecycle source="#p"><eventRef eId="e1" date="1980-06-01"/><eventRef eId="e2" date="1999-01-01"/>'
        "</lifecycle>"
        '<temporalData source="#p"><temporalGroup eId="old"><timeInterval start="#e1" end="#e2"/></temporalGroup>'
        '<temporalGroup eId="new"><timeInterval start="#e2"/></temporalGroup></temporalData>'
    )
    body = "".join(
        f'<section period="#{name}"><num>1</num><subsection><num>(1)</num>{p(name)}</subsection></section>'
        for name in ("old", "new")
    )
    document = parse(tmp_path, f"<act>{meta(more=life)}<body>{body}</body></act>")
    assert [(node.urn[-5:], node.valid_from, node.valid_to, node.text) for node in document.nodes if node.text] == [
        ("0:1:1", date(1980, 6, 1), date(1999, 1, 1), "old"),
        ("0:1:1", date(1999, 1, 1), None, "new"),
    ]
    assert document.warnings == []


def test_a_cross_heading_without_contents_is_a_container_of_its_own(tmp_path: Path) -> None:
    nodes = act(tmp_path, f"<part><num>1</num><crossHeading>Of oars</crossHeading>{section('1', p('Own.'))}</part>")
    assert list(nodes)[1:] == ["part_1", "part_1:crossheading_of-oars", "1"]
    assert nodes["part_1:crossheading_of-oars"].heading == "Of oars"


def test_deeply_wrapped_lists_are_read_or_refused(tmp_path: Path) -> None:
    deep = "<list>" * 200 + f"<point><num>a)</num>{p('Oar.')}</point>" + "</list>" * 200
    assert act(tmp_path, section("1", deep))["1:a"].text == "Oar."


def test_deleted_passages_and_images_are_left_out_and_counted(tmp_path: Path) -> None:
    body = section("1", p('Row <del>never</del> <ins>always</ins><img src="a.png"/>.'))
    document = parse(tmp_path, f"<act>{meta()}<body>{body}</body></act>")
    assert document.nodes[1].text == "Row always."
    assert document.warnings == ["left out on purpose: deleted passage (1)", "left out on purpose: image (1)"]


def test_removed_provisions_are_repealed(tmp_path: Path) -> None:
    assert act(tmp_path, '<section status="removed"><num>1</num></section>')["1"].tags["status"] == "repealed"


def test_judgment_paragraphs_are_decision_nodes_below_the_neutral_citation(tmp_path: Path) -> None:
    decision = (
        f"<level class='author'>{p('LADY OAR:')}</level><level><heading>The facts</heading>{para('1.', 'It sank.')}"
        "<paragraph><num>2.</num><intro><p>Because:</p></intro><subparagraph><num>(a)</num>"
        f"{p('a hole')}</subparagraph><subparagraph>{p('“quoted”')}</subparagraph></paragraph></level>"
    )
    document = judgment(tmp_path, decision, header="<docketNumber>AB-1</docketNumber> Oar v Sail")
    rows = [(node.urn.removeprefix(document.urn), node.kind, node.text) for node in document.nodes]
    assert document.urn == "urn:lex:gb:ewhc-ch-2031-7"
    assert rows == [
        ("", "decision", ""),
        (":header", "decision", "AB-1 Oar v Sail"),
        (":p.1", "decision", "LADY OAR:"),
        (":level_the-facts", "section", ""),
        (":1", "decision", "It sank."),
        (":2", "decision", "Because:"),
        (":2:a", "decision", "a hole"),
        (":2:p.1", "decision", "“quoted”"),
    ]
    assert document.nodes[0].tags == {
        "case_name": "Oar v Sail", "court": "EWHC", "date": "2031-04-05", "neutral_citation": "[2031] EWHC 7 (Ch)",
        "case_number": "AB-1",
    }  # fmt: skip
    assert document.nodes[0].aliases == ["[2031] EWHC 7 (Ch)"]
    assert document.nodes[4].tags["paragraph"] == "1"
    assert {node.valid_from for node in document.nodes} == {date(2031, 4, 5)}


def test_what_a_court_quotes_stays_in_its_paragraph(tmp_path: Path) -> None:
    quoted = f"<block name='e'><embeddedStructure>{para('(1)', 'Oars <def>float</def>.')}</embeddedStructure></block>"
    document = judgment(
        tmp_path, f"<paragraph><num>1.</num><content><p>The Act says:</p>{quoted}</content></paragraph>"
    )
    assert [node.text for node in document.nodes if node.number == "1"] == ["The Act says:\n(1) Oars float."]
    assert all(not node.marks for node in document.nodes)


def test_numbered_headings_do_not_take_the_numbers_of_paragraphs(tmp_path: Path) -> None:
    document = judgment(tmp_path, para("(1)", "First issue") + "".join(para(f"{n}.") for n in (1, 2, 3)))
    assert [node.urn.rpartition(":")[2] for node in document.nodes[1:]] == ["h.1", "1", "2", "3"]


_WORDS = st.text(st.sampled_from("abc XY1-”é"), min_size=1, max_size=12).filter(lambda text: text.strip() != "")
_NUMBER = st.sampled_from(["", "(1)", "(a)", "2.", "•", "Part 3", "A"])


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0) -> str:
    kinds = [
        "part",
        "chapter",
        "section",
        "article",
        "paragraph",
        "subparagraph",
        "level",
        "hcontainer",
        "point",
        "list",
    ]
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind, number = draw(st.sampled_from(kinds)), draw(_NUMBER)
        num = f"<num>{number}</num>" if number else ""
        heading = f"<heading>{draw(_WORDS)}</heading>" if draw(st.booleans()) else ""
        inner = draw(bodies(depth + 1)) if depth < 3 and draw(st.booleans()) else p(draw(_WORDS))
        lead = f"<intro><p>{draw(_WORDS)}</p></intro>" if draw(st.booleans()) else ""
        parts.append(f"<{kind}>{num}{heading}{lead}{inner}</{kind}>")
    return "".join(parts)


@settings(max_examples=60)  # a busy machine is no failure
@given(body=bodies())
def test_any_structure_keeps_its_words_in_order_and_can_be_stored(
    body: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    document = parse(folder, f"<act>{meta()}<body>{body}</body></act>")
    assert all(parse_urn(node.urn) for node in document.nodes)
    words: list[str] = []
    for text in etree.fromstring(f"<b>{body}</b>").iter("p", "heading"):
        words.extend("".join(text.itertext()).split())
    tree = Tree(document.nodes)

    def kept(node: ParsedNode) -> str:
        below = " ".join(kept(child) for child in tree.children(node.urn))
        return f"{node.heading} {node.intro_text} {below} {node.content_text}"

    assert kept(document.nodes[0]).removeprefix("Ferries Act").split() == words
