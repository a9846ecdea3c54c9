"""The CLML parser on invented law: every oddity of the publication, one small law each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.clml.levels import NEVER
from rag.ingest.formats.clml.parser import Clml
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

Parse = Callable[[str], ParsedDocument]

SITE = "http://www.legislation.gov.uk"
ACT = "urn:lex:gb:ukpga-1999-7"
DECLARED = (
    'xmlns="http://www.legislation.gov.uk/namespaces/legislation" '
    'xmlns:ukm="http://www.legislation.gov.uk/namespaces/metadata" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/" '
    'xmlns:m="http://www.w3.org/1998/Math/MathML" xmlns:h="http://www.w3.org/1999/xhtml"'
)
META = (
    '<ukm:PrimaryMetadata><ukm:DocumentClassification><ukm:DocumentMainType Value="{kind}"/>'
    '<ukm:DocumentStatus Value="{status}"/></ukm:DocumentClassification><ukm:Year Value="1999"/>'
    '<ukm:Number Value="7"/><ukm:EnactmentDate Date="1999-05-04"/>{more}</ukm:PrimaryMetadata>'
)


def law(
    body: str, *, after: str = "", attributes: str = "", identifier: str = "", content: str = "Primary",
    kind: str = "UnitedKingdomPublicGeneralAct", status: str = "revised", root: str = "Legislation", more: str = "",
    wrap: str = "Body", notes: str = "",
) -> str:  # fmt: skip
    meta = META.format(kind=kind, status=status, more=more)
    name = f"<dc:identifier>{identifier}</dc:identifier>" if identifier else ""
    inner = f"<{wrap}>{body}</{wrap}>" if wrap else body
    return (
        f"<{root} {DECLARED} {attributes}><ukm:Metadata>{name}<dc:title>Kettles Act 1999</dc:title>{meta}"
        f"</ukm:Metadata><{content}>{inner}{after}</{content}>{notes}</{root}>"
    )


@pytest.fixture
def parse(tmp_path: Path) -> Parse:
    def read(text: str) -> ParsedDocument:
        path = tmp_path / "law.xml"
        path.write_text(text, encoding="utf-8")
        assert Clml().claims(path, text.encode()[:4096])
        return Clml().parse(Source(path, tmp_path))

    return read


def by_urn(document: ParsedDocument) -> dict[str, ParsedNode]:
    return {node.urn.removeprefix(f"{document.corpus.urn}:"): node for node in document.nodes}


def p1(number: str, inner: str, attributes: str = "") -> str:
    return f"<P1 {attributes}><Pnumber>{number}</Pnumber><P1para>{inner}</P1para></P1>"


def p(level: int, number: str, inner: str) -> str:
    return f"<P{level}><Pnumber>{number}</Pnumber><P{level}para>{inner}</P{level}para></P{level}>"


def test_sections_nest_as_numbered_with_lead_in_and_flush_text(parse: Parse) -> None:
    items = p(3, "a", "<Text>is of steel, or</Text>") + p(3, "b", "<Text>is of tin,</Text>")
    two = p(2, "1", f"<Text>A kettle which—</Text>{items}<Text>is to be sold.</Text>")
    nodes = by_urn(parse(law(f"<P1group><Title>Sale</Title>{p1('4A', two)}</P1group>")))
    assert list(nodes) == [ACT, "4a", "4a:1", "4a:1:a", "4a:1:b"]
    section = nodes["4a"]
    assert (section.structure_type, section.level, section.number, section.heading) == (
        "SECTION",
        "section",
        "4A",
        "Sale",
    )
    assert section.tags["section_number"] == "4A"
    assert section.tags["act_title"] == "Kettles Act 1999"
    assert (nodes["4a:1"].intro_text, nodes["4a:1"].content_text) == ("A kettle which—", "is to be sold.")
    assert (nodes["4a:1"].level, nodes["4a:1:a"].level) == ("subsection", "paragraph")


def test_paragraph_directly_below_a_section_is_a_paragraph(parse: Parse) -> None:
    nodes = by_urn(parse(law(p1("1", f"<Text>These are—</Text>{p(3, 'a', '<Text>pots.</Text>')}"))))
    assert (nodes["1:a"].structure_type, nodes["1:a"].level) == ("PARAGRAPH", "paragraph")


def test_words_between_paragraphs_keep_their_place(parse: Parse) -> None:
    inner = (
        p(2, "1", "<Text>One.</Text>") + "<Text>Provided that tea is served.</Text>" + p(2, "2", "<Text>Two.</Text>")
    )
    nodes = by_urn(parse(law(p1("1", inner))))
    assert list(nodes)[2:] == ["1:1", "1:p.1", "1:2"]
    assert nodes["1:p.1"].text == "Provided that tea is served."


@pytest.mark.parametrize(
    ("attributes", "printed", "word", "kind"),
    [
        (f'IdURI="{SITE}/id/ukpga/1999/7/rule/3"', "3", "rule", "SECTION"),
        ('id="article-3"', "3", "article", "ARTICLE"),
        ('id="p00003"', "Article 3", "article", "ARTICLE"),
        ("", "3", "section", "SECTION"),
    ],
)
def test_a_unit_is_named_by_address_id_print_or_kind_of_law(
    parse: Parse, attributes: str, printed: str, word: str, kind: str
) -> None:
    node = by_urn(parse(law(p1(printed, "<Text>Tea.</Text>", attributes))))["3"]
    assert (node.level, node.number, node.structure_type) == (word, "3", kind)
    assert node.tags[f"{word}_number"] == "3"


def test_containers_are_above_sections_and_not_in_their_urns(parse: Parse) -> None:
    inner = f"<Pblock><Title>Of tea pots</Title>{p1('1', '<Text>Pots.</Text>')}</Pblock>"
    document = parse(law(f"<Part><Number>Part II</Number><Title>Pots</Title>{inner}</Part>"))
    nodes = by_urn(document)
    assert list(nodes) == [ACT, "part_ii", "part_ii:crossheading_of-tea-pots", "1"]
    assert nodes["part_ii"].number == "II"
    assert nodes["1"].parent_urn == f"{ACT}:part_ii:crossheading_of-tea-pots"
    assert {nodes[urn].kind for urn in ("part_ii", "part_ii:crossheading_of-tea-pots")} == {"section"}


def schedule(number: str, body: str, title: str = "Tea") -> str:
    return (
        f"<Schedule><Number>{number}</Number><TitleBlock><Title>{title}</Title></TitleBlock>"
        f"<Reference>Section 1</Reference><ScheduleBody>{body}</ScheduleBody></Schedule>"
    )


@pytest.mark.parametrize(
    ("printed", "own", "level"),
    [
        ("SCHEDULE 1", "sch.1", "schedule"), ("FIRST SCHEDULE", "sch.1", "schedule"), ("SCHEDULE", "sch", "schedule"),
        ("Schedule ZA1", "sch.za1", "schedule"), ("ANNEX II", "annex.ii", "annex"), ("ANNEX", "annex", "annex"),
    ],
)  # fmt: skip
def test_schedules_are_addressed_by_number(parse: Parse, printed: str, own: str, level: str) -> None:
    inner = p1("2", p(2, "1", f"<Text>It—</Text>{p(3, 'a', '<Text>boils.</Text>')}"))
    nodes = by_urn(parse(law("", after=f"<Schedules>{schedule(printed, inner)}</Schedules>")))
    assert list(nodes)[1:] == [own, f"{own}:2", f"{own}:2:1", f"{own}:2:1:a"]
    assert (nodes[own].structure_type, nodes[own].level, nodes[own].heading) == ("APPENDIX", level, "Tea")
    assert nodes[own].intro_text == "Section 1"
    assert nodes[f"{own}:2"].level == "paragraph"
    assert nodes[f"{own}:2:1"].level == "sub-paragraph"


def test_numbers_that_restart_in_parts_of_a_schedule_are_addressed_by_part(parse: Parse) -> None:
    def part(number: str, *paragraphs: str) -> str:
        inner = "".join(p1(paragraph, "<Text>Tea.</Text>") for paragraph in paragraphs)
        return f"<Part><Number>Part {number}</Number><Title>T</Title>{inner}</Part>"

    body = schedule("SCHEDULE 1", part("1", "1", "2") + part("2", "1", "3"))
    document = parse(law("", after=f"<Schedules>{body}</Schedules>"))
    units = [urn for urn, node in by_urn(document).items() if node.level == "paragraph"]
    assert units == ["sch.1:part_1:1", "sch.1:2", "sch.1:part_2:1", "sch.1:3"]
    assert not document.warnings


def test_quoted_text_of_other_acts_is_text_and_no_node(parse: Parse) -> None:
    quoted = p1("9A", p(2, "1", "<Text>“kettle” means a <InternalLink Ref='x'>pot</InternalLink>.</Text>"))
    block = f'<BlockAmendment Format="default">{quoted}</BlockAmendment><AppendText>; and</AppendText>'
    document = parse(law(p1("1", f"<Text>After section 9 insert—</Text>{block}")))
    assert list(by_urn(document)) == [ACT, "1"]
    node = document.nodes[1]
    assert node.text == "After section 9 insert—\n“9A (1) “kettle” means a pot.”; and"
    assert [(mark.kind, node.text[mark.start : mark.end]) for mark in node.marks] == [
        ("quoted", "9A (1) “kettle” means a pot.")
    ]


def test_amendment_mark_up_leaves_the_words_and_annotations_go(parse: Parse) -> None:
    text = (
        '<Text><CommentaryRef Ref="c1"/>A <Substitution CommentaryRef="c2">kettle</Substitution>'
        '<Repeal CommentaryRef="c3">. . .</Repeal> <Addition>boils</Addition> <FootnoteRef Ref="f1"/>.</Text>'
    )
    notes = (
        "<Footnotes><Footnote id='f1'><FootnoteText><Para><Text>NOTE</Text></Para></FootnoteText></Footnote>"
        "</Footnotes>"
        '<Commentaries><Commentary id="c1" Type="F"><Para><Text>NOTE</Text></Para></Commentary></Commentaries>'
    )
    document = parse(law(p1("1", text), notes=notes))
    assert document.nodes[1].text == "A kettle. . . boils."
    assert document.warnings == ["left out: 1 editorial annotations, 1 footnotes"]


def test_words_repealed_in_one_territory_only_are_kept_and_tagged(parse: Parse) -> None:
    text = '<Text>A <Repeal RetainText="true" Extent="E+W">blue</Repeal> kettle.</Text>'
    node = parse(law(p1("1", text))).nodes[1]
    assert node.text == "A blue kettle."
    assert node.tags["repealed_words"] == "E+W"


def test_dates_extent_and_status_come_from_the_provision_and_reach_its_parts(parse: Parse) -> None:
    group = (
        '<P1group RestrictStartDate="2001-02-03" RestrictEndDate="2004-05-06" RestrictExtent="E+W" Status="Repealed">'
        f"<Title>Tea</Title>{p1('1', p(2, '1', '<Text>Tea.</Text>'))}</P1group>"
    )
    part = f'<Part RestrictStartDate="2019-01-01" RestrictEndDate="2020-01-01"><Number>Part 1</Number>{group}</Part>'
    nodes = by_urn(parse(law(part)))
    assert (nodes["1"].valid_from, nodes["1"].valid_to) == (date(2001, 2, 3), date(2004, 5, 6))
    assert (nodes["1:1"].valid_from, nodes["1:1"].valid_to) == (date(2001, 2, 3), date(2004, 5, 6))
    assert (nodes["1"].tags["extent"], nodes["1"].tags["status"]) == ("E+W", "repealed")
    assert (nodes["part_1"].valid_from, nodes["part_1"].valid_to) == (None, None)


def test_a_prospective_provision_is_in_force_on_no_day(parse: Parse) -> None:
    later = f'<P1group Status="Prospective"><Title>T</Title>{p1("1", "<Text>Tea.</Text>")}</P1group>'
    begun = f'<P1group RestrictStartDate="2001-02-03"><Title>T</Title>{p1("2", "<Text>Tea.</Text>")}</P1group>'
    nodes = by_urn(parse(law(f'<Part Status="Prospective"><Number>Part 1</Number>{later}{begun}</Part>')))
    assert nodes["1"].valid_from == NEVER
    assert nodes["1"].tags["status"] == "prospective"
    assert nodes["2"].valid_from == date(2001, 2, 3)
    assert "status" not in nodes["2"].tags


def test_texts_of_one_section_in_turn_are_versions_and_at_once_are_duplicates(parse: Parse) -> None:
    def version(since: str, until: str, text: str) -> str:
        dates = f'RestrictStartDate="{since}"' + (f' RestrictEndDate="{until}"' if until else "")
        return f"<P1group {dates}><Title>T</Title>{p1('1', f'<Text>{text}</Text>')}</P1group>"

    old, new = version("2001-01-01", "2002-01-01", "Old."), version("2002-01-01", "", "New.")
    document = parse(law(old + new))
    assert [node.urn for node in document.nodes[1:]] == [f"{ACT}:1", f"{ACT}:1"]
    assert not document.warnings
    document = parse(law(old + version("2001-06-01", "", "Other.")))
    assert [node.urn for node in document.nodes[1:]] == [f"{ACT}:1", f"{ACT}:1~2"]
    assert document.nodes[2].tags["duplicate_of"] == f"{ACT}:1"
    assert "a second urn:lex:gb:ukpga-1999-7:1" in document.warnings[0]


@pytest.mark.parametrize("dates", [("2002-01-01", "2001-01-01"), ("soon", "2001-01-01")])
def test_dates_that_contradict_are_refused_with_the_line(parse: Parse, dates: tuple[str, str]) -> None:
    group = (
        f'<P1group RestrictStartDate="{dates[0]}" RestrictEndDate="{dates[1]}"><Title>T</Title>{p1("1", "")}</P1group>'
    )
    with pytest.raises(IngestError) as caught:
        parse(law(group))
    assert caught.value.line == 1
    assert caught.value.file == "law.xml"


def test_defined_terms_of_a_list_are_nodes_and_designated_items_their_limbs(parse: Parse) -> None:
    items = (
        '<UnorderedList Class="Definition"><ListItem><Para><Text>“<Term>hot tea</Term>” means—</Text>'
        '<OrderedList Type="roman" Decoration="parens"><ListItem><Para><Text>black</Text></Para></ListItem>'
        "<ListItem><Para><Text>green.</Text></Para></ListItem></OrderedList></Para></ListItem></UnorderedList>"
    )
    nodes = by_urn(parse(law(p1("1", f"<Text>In this Act—</Text>{items}"))))
    assert list(nodes)[1:] == ["1", "1:def.hot-tea", "1:def.hot-tea:i", "1:def.hot-tea:ii"]
    node = nodes["1:def.hot-tea"]
    assert node.structure_type == "DEFINITION"
    assert [(mark.kind, node.text[mark.start : mark.end]) for mark in node.marks] == [("term", "hot tea")]


def test_a_list_without_designators_is_lines_of_its_paragraph(parse: Parse) -> None:
    items = "".join(f"<ListItem><Para><Text>{value}</Text></Para></ListItem>" for value in ("pots;", "pans."))
    document = parse(law(p1("1", f"<Text>Tools:</Text><UnorderedList>{items}</UnorderedList>")))
    assert len(document.nodes) == 2
    assert document.nodes[1].text == "Tools:\npots;\npans."


def test_tables_are_rows_with_the_footnotes_they_point_to(parse: Parse) -> None:
    table = (
        "<Tabular><h:table><h:tfoot><h:tr><h:td><Footnote id='f1'><FootnoteText><Para><Text>Per day.</Text></Para>"
        "</FootnoteText></Footnote></h:td></h:tr></h:tfoot><h:tbody><h:tr><h:th>Tea</h:th><h:th>Fee</h:th></h:tr>"
        "<h:tr><h:td>Black<FootnoteRef Ref='f2'/></h:td><h:td>2<FootnoteRef Ref='f1'/></h:td></h:tr></h:tbody>"
        "</h:table></Tabular>"
    )
    note = "<FootnoteText><Para><Text>No milk.</Text></Para></FootnoteText>"
    notes = f"<Footnotes><Footnote id='f2'>{note}</Footnote></Footnotes>"
    document = parse(law(p1("1", f"<Text>Fees:</Text>{table}"), notes=notes))
    assert document.nodes[1].text == "Fees:\nTea | Fee\nBlack[1] | 2[2]\n[2] Per day.\n[1] No milk."
    assert not document.warnings


def test_formulas_keep_fractions_and_powers(parse: Parse) -> None:
    formula = (
        "<Formula><m:math><m:mfrac><m:mrow><m:mi>a</m:mi><m:mo>+</m:mo><m:mi>b</m:mi></m:mrow><m:mi>c</m:mi></m:mfrac>"
        "<m:msup><m:mi>d</m:mi><m:mn>2</m:mn></m:msup></m:math></Formula>"
    )
    node = parse(law(p1("1", f"<Text>It is 10<Superior>3</Superior> times</Text>{formula}"))).nodes[1]
    assert node.text == "It is 10^3 times\n(a+b)/cd^2"


def test_references_resolve_to_our_urns(parse: Parse) -> None:
    text = (
        f'<Text>See <Citation id="c1" Class="UnitedKingdomPublicGeneralAct" Year="1925" Number="20" '
        f'URI="{SITE}/id/ukpga/Geo5/15-16/20">the Act</Citation>, <CitationSubRef CitationRef="c1" '
        f'URI="{SITE}/id/ukpga/Geo5/15-16/20/section/40/2">section 40(2)</CitationSubRef>, <Citation '
        f'Class="EuropeanUnionDirective" URI="{SITE}/european/directive/2000/0053">2000/53</Citation>, '
        '<InternalLink Ref="p2">section 2</InternalLink> and <InternalLink Ref="gone">it</InternalLink>.</Text>'
    )
    document = parse(law(p1("1", text) + p1("2", "<Text>Tea.</Text>", 'id="p2"')))
    node = document.nodes[1]
    assert [(node.text[mark.start : mark.end], mark.target) for mark in node.marks] == [
        ("the Act", "urn:lex:gb:ukpga-1925-20"),
        ("section 40(2)", "urn:lex:gb:ukpga-1925-20:40:2"),
        ("2000/53", "urn:lex:eu:32000l0053"),
        ("section 2", f"{ACT}:2"),
        ("it", ""),
    ]


@pytest.mark.parametrize("root", ["Legislation", "Fragment"])
def test_a_fragment_is_a_document_below_its_law(parse: Parse, root: str) -> None:
    units = p1("3", "<Text>Tea.</Text>", f'IdURI="{SITE}/id/ukpga/1999/7/section/3"')
    body = f"<Part><Number>Part 1</Number><Title>Pots</Title>{units}</Part>"
    document = parse(law(body, identifier=f"{SITE}/ukpga/1999/7/section/3/2010-01-12", root=root))
    assert [node.urn for node in document.nodes] == [f"{ACT}:3"]
    assert document.nodes[0].parent_urn == document.corpus.urn == ACT
    assert document.nodes[0].tags["within"] == "part 1 Pots"
    assert document.edition_date == date(2010, 1, 12)


def test_a_fragment_without_ids_is_found_by_its_number(parse: Parse) -> None:
    identifier = f"{SITE}/id/ukpga/1999/7/section/3"
    document = parse(law(p1("3", "<Text>Tea.</Text>"), identifier=identifier, root="Fragment", wrap=""))
    assert document.urn == f"{ACT}:3"
    with pytest.raises(IngestError, match="section 4"):
        parse(law(p1("3", "<Text>Tea.</Text>"), identifier=identifier[:-1] + "4", root="Fragment"))


def test_the_body_as_fragment_has_a_root_of_its_own(parse: Parse) -> None:
    document = parse(law(p1("3", "<Text>Tea.</Text>"), identifier=f"{SITE}/ukpga/1999/7/body"))
    assert [(node.urn, node.parent_urn) for node in document.nodes] == [
        (f"{ACT}:body", ACT),
        (f"{ACT}:3", f"{ACT}:body"),
    ]


def test_eu_law_kept_as_uk_law_has_recitals_articles_and_points(parse: Parse) -> None:
    prelims = (
        "<EUPrelims><MultilineTitle><Text>Regulation</Text></MultilineTitle><EUPreamble><P><Text>Whereas:</Text></P>"
        "<Division><Number>(1)</Number><P><Text>Tea is hot.</Text></P></Division></EUPreamble></EUPrelims>"
    )
    items = p(3, "a", "<Text>black tea.</Text>")
    unit = f"<P1group><Title>Scope</Title>{p1('Article 1', p(2, '1', f'<Text>For:</Text>{items}'))}</P1group>"
    chapter = f"<EUChapter><Number>CHAPTER I</Number><Title>Tea</Title>{unit}</EUChapter>"
    text = law(f"{prelims}<EUBody>{chapter}</EUBody>", wrap="", content="EURetained", kind="EuropeanUnionRegulation",
               more='<ukm:CELEX Value="31999R0007"/>')  # fmt: skip
    document = parse(text)
    nodes = by_urn(document)
    assert document.corpus.urn == "urn:lex:gb:eur-1999-7"
    assert list(nodes)[1:] == ["introduction", "rec.1", "chapter_i", "1", "1:1", "1:1:a"]
    assert [nodes[urn].level for urn in ("1", "1:1", "1:1:a")] == ["article", "paragraph", "point"]
    assert nodes["1"].structure_type == "ARTICLE"
    assert document.nodes[0].tags["celex"] == "31999R0007"


def test_an_instrument_with_one_commencement_date_begins_on_it(parse: Parse) -> None:
    def instrument(dates: str) -> ParsedDocument:
        more = f"<ukm:ComingIntoForce>{dates}</ukm:ComingIntoForce>"
        kind = "UnitedKingdomStatutoryInstrument"
        return parse(law(p1("1", "<Text>Tea.</Text>"), kind=kind, status="final", more=more, content="Secondary"))

    one, two = '<ukm:DateTime Date="1999-08-01"/>', '<ukm:DateTime Date="1999-09-01"/>'
    assert instrument(one).nodes[1].valid_from == date(1999, 8, 1)
    assert instrument(one + two).nodes[1].valid_from is None


def test_metadata_and_address_that_name_different_laws_are_refused(parse: Parse) -> None:
    with pytest.raises(IngestError, match="ukpga-1999-7"):
        parse(law("", attributes=f'IdURI="{SITE}/id/ukpga/1998/42"'))


def test_a_fragment_that_says_no_more_than_its_address_is_read(parse: Parse) -> None:
    text = law(p1("3", "<Text>Tea.</Text>"), root="Fragment", identifier=f"{SITE}/id/asp/2003/2/section/3")
    start, end = text.index("<dc:title>"), text.index("</ukm:Metadata>")
    document = parse(text[:start] + text[end:])
    assert document.urn == "urn:lex:gb:asp-2003-2:3"
    assert document.nodes[0].tags["section_number"] == "3"


def test_a_welsh_text_is_a_corpus_of_its_own(parse: Parse) -> None:
    text = law(p1("3", "<Text>Te.</Text>")).replace("<dc:title>", "<dc:language>cy</dc:language><dc:title>")
    document = parse(text)
    assert (document.corpus.language, document.urn) == ("cy", f"{ACT}-cy")


def test_a_file_without_text_is_refused(parse: Parse) -> None:
    text = law("").replace("<Primary><Body></Body></Primary>", "<Contents/>")
    with pytest.raises(IngestError, match="no text"):
        parse(text)


def test_explanatory_notes_images_and_alternatives_are_counted(parse: Parse) -> None:
    after = "<ExplanatoryNotes><P><Text>Not law.</Text></P></ExplanatoryNotes>"
    figure = '<Figure><Image ResourceRef="r1"/></Figure>'
    notes = f'<Versions><Version id="v1">{p1("1", "<Text>Other.</Text>")}</Version></Versions>'
    document = parse(law(p1("1", f"<Text>Tea.</Text>{figure}"), after=after, notes=notes))
    assert [node.text for node in document.nodes] == ["", "Tea."]
    assert document.warnings == ["left out: 1 alternative versions of provisions, 1 explanatory notes, 1 images"]


@pytest.mark.parametrize(
    ("title", "status"), [("(repealed)", "repealed"), ("(revoked 1.4.2006)", "repealed"), ("", None)]
)
def test_what_its_publisher_calls_repealed_is_no_law_in_force(parse: Parse, title: str, status: str | None) -> None:
    body = "<P1 id='section-1'><Pnumber>1</Pnumber><P1para><Text>A kettle has f\u2061(x) lids.</Text></P1para></P1>"
    document = parse(law(body).replace("Kettles Act 1999", f"Kettles Act 1999 {title}".strip()))
    section = by_urn(document)["1"]
    assert (section.text, section.tags.get("status")) == ("A kettle has f(x) lids.", status)
    assert any("no longer in force" in warning for warning in document.warnings) == bool(status)


def test_an_act_as_enacted_is_told(parse: Parse) -> None:
    body = "<P1 id='section-1'><Pnumber>1</Pnumber><P1para><Text>A kettle has a lid.</Text></P1para></P1>"
    told = "it is the text as enacted or made; what amended it later is not in it"
    assert told in parse(law(body, status="final")).warnings
    assert told not in parse(law(body)).warnings
