"""Public laws, compilations and the C.F.R. in United States Legislative Markup, invented."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.uscode.uslm import Uslm
from rag.law.nodes import ParsedDocument, ParsedNode, Tree

GPO = "http://schemas.gpo.gov/xml/uslm"
DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'


def parse(tmp_path: Path, text: str) -> ParsedDocument:
    path = tmp_path / "law.xml"
    path.write_text(text, encoding="utf-8")
    return Uslm().parse(Source(path, tmp_path))


def nodes(document: ParsedDocument) -> dict[str, ParsedNode]:
    """By URN without `urn:lex:us:`."""
    return {node.urn.removeprefix("urn:lex:us:"): node for node in document.nodes}


LAW = f"""<pLaw xmlns="{GPO}/2.0" {DC}><meta><dc:title>Public Law 120–7: To light the coast.</dc:title>
<docNumber>7</docNumber>
<citableAs>Public Law 120–7</citableAs><citableAs>140 Stat. 9</citableAs><congress>120</congress></meta>
<preface><page>140 STAT. 9</page></preface><main><longTitle><docTitle>An Act</docTitle>
<officialTitle>To light the coast.</officialTitle>
<sidenote><p>May 4, 2027</p></sidenote></longTitle><enactingFormula>Be it enacted,</enactingFormula>
%s<action><actionDescription>Approved May 4, 2027.</actionDescription></action></main>
<legislativeHistory><note><p>Jan. 1, passed House.</p></note></legislativeHistory></pLaw>"""


def test_a_public_law_is_a_corpus_in_force_from_its_approval(tmp_path: Path) -> None:
    document = parse(
        tmp_path,
        LAW % (
            '<section><num value="1">SECTION 1. </num><heading>SHORT TITLE.</heading>'
            '<content>This is the <shortTitle>“Coast'
            " Lighting Act”</shortTitle>.</content></section>"
            '<section role="instruction"><num value="2">SEC. 2. </num><chapeau>Section 9 is amended—</chapeau>'
            '<paragraph><num value="1">(1)</num><content>by <amendingAction type="delete">striking</amendingAction>'
            " <quotedText>“oil”</quotedText><page>140 STAT. 10</page> and adding:<quotedContent><paragraph><num"
            ' value="9">“(9)</num><content>gas.”</content></paragraph></quotedContent>.</content></paragraph></section>'
        ),
    )  # fmt: skip
    found = nodes(document)
    assert list(found) == ["pl-120-7", "pl-120-7:1", "pl-120-7:2", "pl-120-7:2:1"]
    root = document.nodes[0]
    assert root.heading == document.corpus.title == "Coast Lighting Act"
    assert root.intro_text == "An Act\nTo light the coast.\nBe it enacted,"
    assert root.aliases == ["Public Law 120-7", "140 Stat. 9", "/us/pl/120/7"]
    assert {node.valid_from for node in document.nodes[1:]} == {document.edition_date} == {date(2027, 5, 4)}
    assert found["pl-120-7:2:1"].text == "by striking “oil” and adding:."
    assert "1 quotedContent (text of other acts)" in "".join(document.warnings)
    assert found["pl-120-7:2"].tags["act_title"] == "Coast Lighting Act"
    assert found["pl-120-7:2"].tags["public_law"] == "120-7"


def test_sections_numbered_anew_in_each_division_are_addressed_through_it(tmp_path: Path) -> None:
    one = '<section><num value="101">SEC. 101. </num><content>Text.</content></section>'
    alone = '<section><num value="5">SEC. 5. </num><content>Text.</content></section>'
    divisions = "".join(f'<division><num value="{name}">DIVISION {name}—</num>{one}</division>' for name in "AB")
    found = nodes(parse(tmp_path, LAW % (alone + divisions)))
    assert list(found)[1:] == [
        "pl-120-7:5", "pl-120-7:division_a", "pl-120-7:division_a:101", "pl-120-7:division_b",
        "pl-120-7:division_b:101",
    ]  # fmt: skip


COMPILATION = f"""<statuteCompilation xmlns="{GPO}" {DC}><meta><dc:title>COAST ACT</dc:title>%s
<containsShortTitle>Coast Act</containsShortTitle><property role="fileId">77</property></meta>
<preface><editionNote>[As Amended Through <currentThroughPublicLaw>P.L. 120–3</currentThroughPublicLaw>, Enacted
<date date="2026-02-01">February 1, 2026</date>]</editionNote></preface>
<main><section role="undesignated-level"><content>That this Act may be cited so.</content></section>
<section identifier="/us/sComp/90/5/s2"><heading>definitions </heading><num value="2">Sec. 2. </num>
<paragraph><num value="1">(1) </num><content>The term “<term>coast</term>” means a shore.</content></paragraph>
<editorialNote role="uscRef"><b>[</b><ref href="/us/usc/t60/s90">60 U.S.C. 90</ref><b>]</b></editorialNote>
<sourceCredit>Enacted March 1, 1967, P.L. 90–5.</sourceCredit></section>
<section><num value="3">Sec. 3. </num><editorialNote><b>[</b>Omitted—Section 3 amends the Sea Act.<b>]</b>
</editorialNote></section>
<section><num value="4">Sec. 4. </num><subsection><content>Unnumbered.</content></subsection></section></main>
</statuteCompilation>"""


def test_a_compilation_has_the_urn_of_the_law_it_compiles(tmp_path: Path) -> None:
    document = parse(tmp_path, COMPILATION % "<citableAs>Public Law 90–5, as amended</citableAs>")
    found = nodes(document)
    assert list(found) == [
        "pl-90-5",
        "pl-90-5:1",
        "pl-90-5:2",
        "pl-90-5:2:1",
        "pl-90-5:3",
        "pl-90-5:4",
        "pl-90-5:4:p.1",
    ]
    assert (document.corpus.title, document.edition_date) == ("Coast Act", date(2026, 2, 1))
    assert found["pl-90-5"].tags["amended_through"] == "P.L. 120-3"
    assert found["pl-90-5:1"].tags["number_inferred"] == "true"
    assert found["pl-90-5:2"].aliases == ["/us/sComp/90/5/s2"]
    assert found["pl-90-5:2"].tags["codified_at"] == "urn:lex:us:60usc:90"
    assert found["pl-90-5:2"].valid_from == date(1967, 3, 1)
    term = found["pl-90-5:2:1"]
    assert [(term.text[mark.start : mark.end], mark.kind) for mark in term.marks] == [("coast", "term")]
    assert found["pl-90-5:3"].tags["editorial_note"] == "Omitted—Section 3 amends the Sea Act."
    assert found["pl-90-5:3"].tags["status"] == "omitted"


def test_a_compilation_of_an_older_act_goes_by_its_file_number(tmp_path: Path) -> None:
    cited = "<citableAs>Division B of Public Law 90–5</citableAs>"
    text = (COMPILATION % cited).replace("/us/sComp/90/5/s2", "/us/sComp/ch531/s2")
    assert parse(tmp_path, text).urn == "urn:lex:us:comps-77"


REGULATIONS = f"""<cfrDoc xmlns="{GPO}" {DC}><meta>
<docNumber>27</docNumber>%s<docReleasePoint>2017-04-01</docReleasePoint></meta>
<main><title identifier="/us/cfr/t27"><num value="27">Title 27—</num><heading>Lamps</heading>
<chapter identifier="/us/cfr/t27/ch1"><num value="I">CHAPTER I—</num><heading>COAST</heading>
<part identifier="/us/cfr/t27/p40"><num value="40">PART 40—</num><heading>OIL</heading><toc>
<heading>Contents</heading></toc>
<authority><heading>Authority:</heading> <ref href="/us/usc/t60/s1">60 U.S.C. 1</ref>; 60 U.S.C. 2.</authority>
<source><heading>Source:</heading> 24 FR 599, <date date="1959-01-28">Jan. 28, 1959</date>.</source>
<subpart identifier="/us/cfr/t27/p40/spA"><num value="A">Subpart A—</num><heading>General</heading>
<level style="-uslm-sgm:SUBJGRP"><heading>Keeping Records</heading>
<section identifier="/us/cfr/t27/s40.1"><num value="40.1">§ 40.1</num><heading>Scope.</heading><ear>Pt. 40</ear>
<paragraph identifier="/us/cfr/t27/s40.1/a"><num value="a">(a)</num><chapeau> Keep—</chapeau><paragraph>
<num value="1">(1)</num>
<content><p>logs;<ref class="footnoteRef" idref="n1">1</ref></p><footnote id="n1"><num>1</num>
<p>Log means book.</p></footnote>
<note role="approval">(Approved under control number 1)</note>
<source>[55 FR 1, <date date="1990-11-14">Nov. 14, 1990</date>]</source>
</content></paragraph></paragraph><note><heading>Note:</heading><p>Ink only.</p></note></section>
<section><num value="40.2">§ 40.2</num><heading>Meaning of terms.</heading><content><p>
<inline class="-gpo-grid-0-3">Bank.</inline> A bank.</p>
<p><inline class="-gpo-grid-0-3">Day.</inline> A day.</p><source>[T.D. 1]</source></content></section>
</level></subpart></part></chapter></title></main></cfrDoc>"""


def test_the_c_f_r_has_the_urns_that_the_ecfr_has(tmp_path: Path) -> None:
    document = parse(tmp_path, REGULATIONS % "")
    found = nodes(document)
    group = "27cfr:part_40:subpart_a:subjgrp_keeping-records"
    assert list(found) == [
        "27cfr", "27cfr:chapter_i", "27cfr:part_40", "27cfr:part_40:subpart_a", group, "27cfr:40.1", "27cfr:40.1:a",
        "27cfr:40.1:a:1", "27cfr:40.1:a:1:note.1", "27cfr:40.1:note.1", "27cfr:40.2", "27cfr:40.2:bank",
        "27cfr:40.2:day",
    ]  # fmt: skip
    assert found["27cfr:40.1"].tags == {"code": "CFR", "title": "27", "section_number": "40.1", "part": "40"}
    assert (found["27cfr:40.1:a:1"].text, found["27cfr:40.1:a:1"].structure_type) == ("logs;", "PARAGRAPH")
    footnote, note = found["27cfr:40.1:a:1:note.1"], found["27cfr:40.1:note.1"]
    assert (footnote.structure_type, footnote.text) == ("NOTE", "Log means book.")
    assert (note.structure_type, note.heading, note.text) == ("NOTE", "Note:", "Ink only.")
    assert found["27cfr:40.2"].valid_from == date(1959, 1, 28)
    assert [(link.source_urn, link.kind, link.reference) for link in document.links] == [
        ("urn:lex:us:27cfr:part_40", "enabled_by", "60 U.S.C. 1"),
        ("urn:lex:us:27cfr:part_40", "enabled_by", "60 U.S.C. 2"),
    ]
    assert document.edition_date == date(2017, 4, 1)
    assert "1 note" in "".join(document.warnings)  # the approval


def test_a_volume_of_the_c_f_r_is_a_document_of_its_own_below_the_title(tmp_path: Path) -> None:
    stated = "<startingProvision>40</startingProvision><endingProvision>399</endingProvision>"
    document = parse(tmp_path, REGULATIONS % stated)
    assert document.corpus.urn == document.nodes[0].parent_urn == "urn:lex:us:27cfr"
    assert [node.urn for node in document.nodes[:3]] == [
        "urn:lex:us:27cfr:parts_40-to-399", "urn:lex:us:27cfr:parts_40-to-399:chapter_i", "urn:lex:us:27cfr:part_40",
    ]  # fmt: skip


def test_a_parent_always_comes_before_its_children(tmp_path: Path) -> None:
    for text in (REGULATIONS % "", COMPILATION % ""):
        document = parse(tmp_path, text)
        seen = {document.nodes[0].urn}
        for node in document.nodes[1:]:
            assert node.parent_urn in seen
            seen.add(node.urn)
        assert len(Tree(document.nodes).by_urn) == len(document.nodes)
