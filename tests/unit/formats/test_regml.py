"""RegML on small invented regulations: every shape the published ones have, and those they may have."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.cfpb.regml import RegMl
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.errors import IngestError
from retrieval.paths import parse_urn

U = "urn:lex:us:99cfr"
S = "part_7:supplement_i"


def parse(tmp_path: Path, xml: str) -> ParsedDocument:
    file = tmp_path / "part.xml"
    file.write_text(xml, encoding="utf-8")
    return RegMl().parse(Source(file, tmp_path))


def regulation(content: str, *, date: str = "2020-02-01", title: str = "99", more: str = "") -> str:
    return (
        '<regulation xmlns="eregs"><fdsys>'
        f"<cfrTitleNum>{title}</cfrTitleNum><cfrTitleText>KITES AND TOYS</cfrTitleText><title>KITES</title></fdsys>"
        "<preamble><agency>Kite Office</agency><regLetter>K</regLetter><cfr><title>99</title><section>7</section></cfr>"
        f"<documentNumber>2020-1</documentNumber><effectiveDate>{date}</effectiveDate></preamble>"
        f'<part label="7"><tableOfContents><tocSecEntry>Twice</tocSecEntry></tableOfContents><content>{content}'
        f"</content></part>{more}</regulation>"
    )


def subpart(sections: str) -> str:
    return f'<subpart label="7-Subpart"><content>{sections}</content></subpart>'


def section(body: str, number: str = "1", subject: str = "§ 7.1 Kites.") -> str:
    return subpart(f'<section label="7-{number}" sectionNum="{number}"><subject>{subject}</subject>{body}</section>')


def p(label: str, marker: str, words: str, inside: str = "", title: str = "") -> str:
    caption = f'<title type="keyterm">{title}</title>' if title else ""
    named = f' label="{label}"' if label else ""
    return f'<paragraph{named} marker="{marker}">{caption}<content>{words}</content>{inside}</paragraph>'


def nodes_of(document: ParsedDocument) -> dict[str, ParsedNode]:
    found = {node.urn.removeprefix(U).lstrip(":"): node for node in document.nodes}
    assert len(found) == len(document.nodes)
    assert all(parse_urn(node.urn).text == node.urn for node in document.nodes)
    assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == [
        node.urn for node in document.nodes
    ]
    return found


def rule(tmp_path: Path, body: str) -> dict[str, ParsedNode]:
    return nodes_of(parse(tmp_path, regulation(section(body))))


@pytest.mark.parametrize(
    ("head", "claimed", "skipped"),
    [
        (b'<?xml version=\'1.0\'?>\n<regulation xmlns="eregs" xmlns:xsi="x">', True, False),
        (b'<!-- c --><e:regulation xmlns:e="eregs">', True, False),
        (b'<notice xmlns="eregs" xmlns:xsi="x">', False, True),
        (b'<regulation xmlns="http://example.org/other">', False, False),
        (b"<regulation><part/>", False, False),
        (b"<ECFR><AMDDATE>", False, False),
        (b'<DIV5 N="7" TYPE="PART">', False, False),
        (b'<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0">', False, False),
        (b'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0">', False, False),
        (b'<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation">', False, False),
        (b'<Law Era="Showa" Year="22">', False, False),
        (b'{"children": []}', False, False),
        (b"# regulation xmlns eregs", False, False),
    ],
)
def test_a_file_is_claimed_by_its_root_and_namespace(head: bytes, claimed: bool, skipped: bool) -> None:
    form = RegMl()
    assert form.claims(Path("any"), head) is claimed
    assert bool(form.skips(Path("any"), head)) is skipped


def test_the_part_is_the_document_of_its_titles_corpus(tmp_path: Path) -> None:
    document = parse(tmp_path, regulation(section(p("7-1-a", "(a)", "Fly."))))
    root = document.nodes[0]
    assert (root.urn, root.parent_urn, root.structure_type, root.kind) == (f"{U}:part_7", U, "PART", "section")
    assert root.heading == "KITES"
    assert root.tags["regulation"] == "K"
    assert root.tags["document_number"] == "2020-1"
    assert document.corpus.title == "Code of Federal Regulations, Title 99 (Kites and Toys)"
    assert document.corpus.publisher == "Kite Office"
    assert document.edition_date == date(2020, 2, 1)
    assert {node.valid_from for node in document.nodes} == {date(2020, 2, 1)}
    assert "left out: 1 tables of contents, which repeat the headings" in document.warnings


def test_paragraphs_have_the_addresses_of_the_code(tmp_path: Path) -> None:
    inner = p("7-1-a-1", "(1)", "One.", p("7-1-a-1-i", "(i)", "Deep.", p("7-1-a-1-i-A", "(A)", "Deeper.")))
    found = rule(tmp_path, p("7-1-a", "(a)", "Lead:", inner, title="Scope."))
    shapes = {urn: (node.structure_type, node.number, node.heading, node.text) for urn, node in found.items()}
    assert shapes == {
        "part_7": ("PART", "7", "KITES", ""),
        "7.1": ("SECTION", "7.1", "Kites.", ""),
        "7.1:a": ("SUBSECTION", "a", "Scope.", "Lead:"),
        "7.1:a:1": ("PARAGRAPH", "1", "", "One."),
        "7.1:a:1:i": ("SUBPARAGRAPH", "i", "", "Deep."),
        "7.1:a:1:i:a": ("CLAUSE", "A", "", "Deeper."),
    }
    assert found["7.1:a"].intro_text == "Lead:"
    assert found["7.1:a:1:i:a"].content_text == "Deeper."
    assert found["7.1"].tags == {"code": "CFR", "title": "99", "part": "7", "section_number": "7.1"}
    assert found["7.1:a"].aliases == ["eregs:99/7-1-a"]


@pytest.mark.parametrize(
    ("body", "intro", "urns"),
    [
        (p("", "", "Lead.") + p("7-1-a", "(a)", "A."), "Lead.", ["7.1:a"]),
        (p("7-1-p1", "", "Lead.") + p("7-1-a", "(a)", "A."), "Lead.", ["7.1:a"]),
        (p("7-1-p1", "", "All."), "All.", []),
        (p("7-1-a", "(a)", "A.") + p("", "", "Last."), "", ["7.1:a", "7.1:p.1"]),
        (p("7-1-p1", "", "Lead.") + p("7-1-p2", "", "More."), "Lead.", ["7.1:p.2"]),
        (p("7-1-p1", "", "Own.", title="Named."), "", ["7.1:p.1"]),
        (p("7-1-MortgageLoan", "", "Mortgage loan means a kite."), "Mortgage loan means a kite.", []),
        (p("7-1-a", "(a)", "A.") + p("7-1-BoxKite", "", "B."), "", ["7.1:a", "7.1:def.box-kite"]),
    ],
)
def test_paragraphs_without_designator_are_lead_in_or_counted(
    tmp_path: Path, body: str, intro: str, urns: list[str]
) -> None:
    found = rule(tmp_path, body)
    assert found["7.1"].text == intro
    assert [urn for urn in found if urn.startswith("7.1:")] == urns
    assert all(found[urn].structure_type == "DEFINITION" for urn in urns if "def." in urn)


@pytest.mark.parametrize(
    ("body", "urns", "warned"),
    [
        # The next of the parent's own list, nested in it.
        (p("7-1-a", "(a)", "A.", p("7-1-a-1", "(1)", "1.", p("7-1-a-2", "(2)", "2."))), ["a", "a:1", "a:2"], "beside"),
        # Of two lists inside each other only the tail goes on.
        (
            p("7-1-a", "(a)", "A.", p("7-1-a-1", "(1)", "1.", p("7-1-a-1-i", "(i)", "i.") + p("7-1-a-2", "(2)", "2."))),
            ["a", "a:1", "a:1:i", "a:2"],
            "beside",
        ),
        # Beside the paragraph that it belongs into.
        (p("7-1-a", "(a)", "A.") + p("7-1-a-1", "(1)", "1."), ["a", "a:1"], "inside"),
        # A label that skips a level, or has one too many.
        (p("7-1-a", "(a)", "A.", p("7-1-a-ii-2", "(2)", "2.")), ["a", "a:2"], "by its place"),
        (p("7-1-a", "(a)", "A.", p("7-1-A-1", "(1)", "1.")), ["a", "a:1"], "by its place"),
        # Letters below numbers are no sequel of them.
        (p("7-1-a", "(a)", "A.", p("7-1-b1-ii", "(ii)", "2.")), ["a", "a:ii"], "by its place"),
        # The same designator twice.
        (p("7-1-a", "(a)", "A.") + p("7-1-a", "(a)", "B."), ["a", "a~2"], "occurs 2 times"),
        # A hyphen that is part of the designator.
        (p("7-1-a", "(a)", "A.") + p("7-1-a-1", "(a-1)", "B."), ["a", "a-1"], ""),
    ],
)
def test_labels_that_contradict_the_nesting_are_put_right_or_named(
    tmp_path: Path, body: str, urns: list[str], warned: str
) -> None:
    document = parse(tmp_path, regulation(section(body)))
    assert [urn for urn in nodes_of(document) if urn.startswith("7.1:")] == [f"7.1:{urn}" for urn in urns]
    assert any(warned in warning for warning in document.warnings)


def test_a_designator_that_differs_from_the_label_is_kept_as_a_tag(tmp_path: Path) -> None:
    found = rule(tmp_path, p("7-1-a", "(a)", "A.") + p("7-1-b", "(a)", "B."))
    assert found["7.1:b"].tags == {"marker": "(a)"}
    assert (found["7.1:b"].number, found["7.1:a"].tags) == ("b", {})


def test_references_and_defined_terms_are_marks_at_their_place(tmp_path: Path) -> None:
    document = parse(
        tmp_path,
        regulation(
            section(
                p("7-1-a", "(a)", '<def term="kite">Kite </def> means a <ref target="7-1-b" reftype="term">toy</ref>;'
                  ' see <ref target="7-1-b" reftype="internal">(b)</ref>, <ref target="8-2-c" reftype="internal">'
                  '§ 8.2(c)</ref> and <ref target="USC:15-1601" reftype="external">15 U.S.C. 1601</ref>.')
                + p("7-1-b", "(b)", 'A <ref target="7-1-b" reftype="term">toy</ref> flies as a'
                    ' <ref target="7-1-a" reftype="term">kite</ref>,\n <ref target="7-1-a" reftype="term">kite</ref>.')
            )
        ),
    )  # fmt: skip
    node = nodes_of(document)["7.1:a"]
    assert node.text == "Kite means a toy; see (b), § 8.2(c) and 15 U.S.C. 1601."
    assert [(node.text[mark.start : mark.end], mark.kind, mark.target) for mark in node.marks] == [
        ("Kite", "term", ""),
        ("(b)", "reference", f"{U}:7.1:b"),
        ("§ 8.2(c)", "reference", f"{U}:8.2:c"),
        ("15 U.S.C. 1601", "reference", "urn:lex:us:15usc:1601"),
    ]
    uses = [(link.source_urn, link.reference, link.target_urn, link.properties) for link in document.links]
    assert uses == [
        (f"{U}:7.1:a", "toy", f"{U}:7.1:b", {"uses": "1"}),
        (f"{U}:7.1:b", "kite", f"{U}:7.1:a", {"uses": "2"}),
    ]


def test_appendices_keep_their_publishers_addresses(tmp_path: Path) -> None:
    def part(label: str, body: str, subject: str = "") -> str:
        return (
            f'<appendixSection appendixSecNum="1" label="{label}"><subject>{subject}</subject>{body}</appendixSection>'
        )

    content = (
        '<appendix appendixLetter="A" label="7-A"><appendixTitle>Appendix A to Part 7—Model Kites</appendixTitle>'
        + part("7-A-1", p("7-A-1-p1", "", "1. Lead.") + p("7-A-1-p2", "", "Next."))
        + part("7-A-p1", p("7-A-a", "(a)", "A.", p("7-A-a-1", "1.", "One.")) + p("7-A-1", "", "Form.", title="A-1"))
        + part("7-A-p2", p("7-A-p2-1", "1.", "Own.") + p("7-A-2", "", "Form.", title="A-2"), "II. Tails")
        + '</appendix><appendix appendixLetter="B" label="7-B"><appendixTitle>Appendix B to Part 7 [Reserved]'
        "</appendixTitle><reserved/></appendix>"
    )
    found = nodes_of(parse(tmp_path, regulation(content)))
    shapes = {
        urn.removeprefix("part_7:"): (node.structure_type, node.heading, node.text) for urn, node in found.items()
    }
    assert list(shapes.items())[1:] == [
        ("appendix_a", ("APPENDIX", "Model Kites", "")),
        ("appendix_a:1", ("SUBSECTION", "", "1. Lead.")),
        ("appendix_a:1:p.2", ("PARAGRAPH", "", "Next.")),
        ("appendix_a:p.1", ("SUBSECTION", "", "")),
        ("appendix_a:a", ("PARAGRAPH", "", "A.")),
        ("appendix_a:a:1", ("SUBPARAGRAPH", "", "One.")),
        ("appendix_a:p.1:1", ("PARAGRAPH", "A-1", "Form.")),
        ("appendix_a:p.2", ("SUBSECTION", "II. Tails", "")),
        ("appendix_a:p.2:1", ("PARAGRAPH", "", "Own.")),
        ("appendix_a:2", ("PARAGRAPH", "A-2", "Form.")),
        ("appendix_b", ("APPENDIX", "[Reserved]", "")),
    ]
    assert found["part_7:appendix_b"].tags["status"] == "reserved"
    assert found["part_7:appendix_a"].tags["appendix"] == "A"


def comment(label: str, marker: str, words: str, inside: str = "", title: str = "", target: str = "") -> str:
    caption = f"<title>{title}</title>" if title else ""
    aimed = f' target="{target}"' if target else ""
    return (
        f'<interpParagraph label="{label}" marker="{marker}"{aimed}>{caption}<content>{words}</content>{inside}'
        "</interpParagraph>"
    )


def test_official_interpretations_are_commentary_on_their_provision(tmp_path: Path) -> None:
    content = section(p("7-1-a", "(a)", "A.", p("7-1-a-1", "(1)", "One.")) + p("7-1-b", "(b)", "B.")) + (
        '<interpretations label="7-Interp"><title>Supplement I to Part 7—Official Interpretations</title>'
        '<interpSection label="7-Interp-h1"><title>Introduction</title>'
        + comment("7-Interp-h1-1", "1.", "Status.")
        + '</interpSection><interpSection label="7-1-Interp" target="7-1"><title>Section 7.1—Kites</title>'
        + comment(
            "7-1-a-Interp", "", "",
            comment("7-1-a-Interp-1", "1.", "On a.", comment("7-1-a-Interp-1-i", "i.", "Deep."))
            + comment("7-1-a-1-Interp", "", "", comment("7-1-a-1-Interp-1", "1.", "On a1."), title="1(a)(1) One.",
                      target="7-1-a-1")
            + comment("7-1-b-Interp", "", "", comment("7-1-b-Interp-1", "1.", "On b.", target="7-9"), title="1(b)"),
            title="1(a) Scope.",
        )
        + "</interpSection></interpretations>"
    )  # fmt: skip
    document = parse(tmp_path, regulation(content))
    found = {urn: node for urn, node in nodes_of(document).items() if urn.startswith(S)}
    assert {urn.removeprefix(S): (node.structure_type, node.level, node.kind) for urn, node in found.items()} == {
        "": ("PART", "supplement", "section"),
        ":h.1": ("SECTION", "interpretation", "notice"),
        ":h.1:1": ("SUBSECTION", "comment", "notice"),
        ":1": ("SECTION", "interpretation", "notice"),
        ":1-a": ("SUBSECTION", "interpretation", "notice"),
        ":1-a:1": ("PARAGRAPH", "comment", "notice"),
        ":1-a:1:i": ("SUBPARAGRAPH", "comment", "notice"),
        ":1-a-1": ("PARAGRAPH", "interpretation", "notice"),
        ":1-a-1:1": ("SUBPARAGRAPH", "comment", "notice"),
        ":1-b": ("SUBSECTION", "interpretation", "notice"),
        ":1-b:1": ("PARAGRAPH", "comment", "notice"),
    }
    assert found[f"{S}:1-a:1:i"].tags["comment"] == "1(a)-1.i"
    assert [(link.kind, link.source_urn, link.target_urn) for link in document.links] == [
        ("interprets", f"{U}:{S}:1", f"{U}:7.1"),
        ("interprets", f"{U}:{S}:1-a", f"{U}:7.1:a"),
        ("interprets", f"{U}:{S}:1-a-1", f"{U}:7.1:a:1"),
        ("interprets", f"{U}:{S}:1-b", f"{U}:7.1:b"),
    ]
    assert any("(7-9) is not in this part" in warning for warning in document.warnings)


def test_pictures_blanks_tables_and_footnotes_are_read_as_what_they_are(tmp_path: Path) -> None:
    graphic = "<graphic><altText>{}</altText><text>![](K1.001)</text><url>https://example.org/K1</url></graphic>"
    rows = "<header><row><cell>Kite</cell><cell>Tail</cell></row></header><row><cell>Box</cell><cell/></row>"
    found = rule(
        tmp_path,
        p("7-1-a", "(a)", graphic.format("")) + p("7-1-b", "(b)", f"Form {graphic.format('A kite')}.")
        + p("7-1-c", "(c)", "<dash>Name:</dash>") + p("7-1-d", "(d)", f"Sizes: <table>{rows}</table> apply.")
        + p("7-1-e", "(e)", "Law<footnote>See the annex.</footnote> rules."),
    )  # fmt: skip
    assert found["7.1:a"].text == "[image]"
    assert found["7.1:a"].tags["image"] == "K1.001"
    assert found["7.1:b"].text == "Form [image: A kite]."
    assert found["7.1:c"].text == "Name:_____"
    assert found["7.1:d"].text == "Sizes:\nKite | Tail\nBox |\napply."
    assert found["7.1:e"].text == "Law rules."
    note = found["7.1:e:note.1"]
    assert (note.structure_type, note.text) == ("NOTE", "See the annex.")


def test_words_of_unknown_elements_and_flush_text_are_kept(tmp_path: Path) -> None:
    body = p("7-1-a", "(a)", "A.", p("7-1-a-1", "(1)", "One.") + "<content>Flush.</content>")
    document = parse(tmp_path, regulation(section(body + "<motto>Fly high</motto> and far")))
    found = nodes_of(document)
    assert (found["7.1:a"].intro_text, found["7.1:a"].content_text) == ("A.", "Flush.")
    assert found["7.1"].text == "Fly high\nand far"
    assert any("<motto>" in warning for warning in document.warnings)


def test_a_caption_alone_takes_its_dash(tmp_path: Path) -> None:
    found = rule(tmp_path, p("7-1-a", "(a)", "—", p("7-1-a-1", "(1)", "One."), title="Timing"))
    assert (found["7.1:a"].heading, found["7.1:a"].text) == ("Timing", "")


def test_the_agencys_analysis_is_left_out_and_counted(tmp_path: Path) -> None:
    more = '<analysis><analysisSection target="7-1"><title>T</title><p>Why.</p></analysisSection></analysis>'
    document = parse(tmp_path, regulation(section(p("7-1-a", "(a)", "A.")), more=more))
    assert not any("Why." in node.text for node in document.nodes)
    assert any("analysis (1 sections)" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("xml", "cause"),
    [
        (regulation("", title="98"), "several title numbers"),
        ('<regulation xmlns="eregs"><part label="7"/></regulation>', "does not say which title"),
        ('<regulation xmlns="eregs"><fdsys/></regulation>', "no part with a label"),
        (regulation("", date="2020-13-01"), "not a date"),
        (regulation(subpart("<section><subject>Nameless</subject></section>")), "section without a number"),
        (regulation("<appendix><appendixTitle>N</appendixTitle></appendix>"), "appendix without a number"),
        (regulation(section("") + section("")), "occurs twice"),
        (regulation(section(p("-".join(["7"] * 60), "(a)", "A."))), "more than 40 levels"),
        ('<!DOCTYPE regulation><regulation xmlns="eregs"/>', "DOCTYPE"),
        ('<regulation xmlns="eregs"><part>', "not well-formed"),
        (regulation(section(p("7-1-a", "(a)", "A<footnote>B<footnote>C</footnote></footnote>"))), "footnote inside"),
    ],
)
def test_what_cannot_be_read_as_law_is_refused_by_name(tmp_path: Path, xml: str, cause: str) -> None:
    with pytest.raises(IngestError, match=cause) as refused:
        parse(tmp_path, xml)
    assert refused.value.file == "part.xml"


def test_a_missing_effective_date_is_a_warning(tmp_path: Path) -> None:
    document = parse(tmp_path, regulation(section(""), date=""))
    assert document.edition_date is None
    assert any("no effective date" in warning for warning in document.warnings)
