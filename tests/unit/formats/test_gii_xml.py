"""The parser for the publisher's XML of German law: invented laws, and published ones that are known from TEI."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.german.de_tei import NAMESPACE, DeTei
from rag.ingest.formats.german.gii_xml import GiiXml
from rag.ingest.formats.registry import discover
from rag.ingest.formats.xml import Element
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

LAW = "urn:lex:de:apfelg"
DOCTYPE = '<!DOCTYPE dokumente SYSTEM "http://127.0.0.1:9/dtd/1.01/gii-norm.dtd">'
TITLE = "<langue>Apfelgesetz</langue>"
CANARY = "Quillfeather 4711"


def xml(
    *norms: str, first: str = "", data: str = "", title: str = TITLE, short: str = "ApfelG 1999", doctype: str = DOCTYPE
) -> str:
    head = (
        f"<norm><metadaten><jurabk>{short}</jurabk><ausfertigung-datum>1999-01-02</ausfertigung-datum>{title}{data}"
        f"</metadaten><textdaten>{first}</textdaten></norm>"
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8" ?>{doctype}\n<dokumente builddate="20240101" doknr="BJNR009990999">'
        f"{head}{''.join(norms)}</dokumente>"
    )


def unit(name: str, inner: str, title: str = "", *, data: str = "", notes: str = "") -> str:
    return (
        f"<norm><metadaten><jurabk>ApfelG</jurabk>{data}<enbez>{name}</enbez><titel>{title}</titel></metadaten>"
        f"<textdaten><text><Content>{inner}</Content></text><fussnoten><Content>{notes}</Content></fussnoten>"
        f"</textdaten></norm>"
    )


def place(number: str, name: str, title: str = "") -> str:
    return (
        f"<gliederungseinheit><gliederungskennzahl>{number}</gliederungskennzahl>"
        f"<gliederungsbez>{name}</gliederungsbez><gliederungstitel>{title}</gliederungstitel></gliederungseinheit>"
    )


def container(number: str, name: str, title: str = "", inner: str = "<P/>") -> str:
    return (
        f"<norm><metadaten>{place(number, name, title)}</metadaten>"
        f"<textdaten><text><Content>{inner}</Content></text></textdaten></norm>"
    )


def listing(*items: tuple[str, str]) -> str:
    return f"<DL>{''.join(f'<DT>{marker}</DT><DD><LA>{words}</LA></DD>' for marker, words in items)}</DL>"


def parsed(folder: Path, text: str) -> ParsedDocument:
    path = folder / "law.xml"
    path.write_text(text, encoding="utf-8")
    document = GiiXml().parse(Source(path, folder))
    build_rows(document, None)  # one address each, or it raises
    return document


def nodes(document: ParsedDocument) -> dict[str, ParsedNode]:
    found = {node.urn: node for node in document.nodes}
    assert len(found) == len(document.nodes)
    return found


def test_a_law_is_a_corpus_with_its_data_as_tags(tmp_path: Path) -> None:
    data = (
        "<fundstelle><periodikum>BGBl I</periodikum><zitstelle>1999, 7</zitstelle></fundstelle>"
        "<standangabe><standtyp>Neuf</standtyp><standkommentar>Neugefasst durch Bek. v. 3.4.2005 I 9</standkommentar>"
        "</standangabe><standangabe><standtyp>Stand</standtyp><standkommentar>zuletzt geändert durch Art. 2 G v. "
        "5.6.2021 I 8</standkommentar></standangabe><standangabe><standtyp>Hinweis</standtyp><standkommentar>noch "
        "nicht berücksichtigt</standkommentar></standangabe>"
    )
    document = parsed(tmp_path, xml(unit("§ 1", "<P>Äpfel sind rund.</P>"), data=data))
    root = document.nodes[0]
    assert (document.corpus.urn, document.corpus.language, document.corpus.title) == (LAW, "de", "Apfelgesetz")
    assert (root.urn, root.parent_urn, root.structure_type) == (LAW, None, "ROOT")
    assert root.aliases == ["BJNR009990999"]
    assert root.tags == {
        "code": "ApfelG", "abbreviation": "ApfelG 1999", "enacted": "1999-01-02", "publication": "BGBl I: 1999, 7",
        "restated": "Bek. v. 3.4.2005 I 9", "last_amended": "Art. 2 G v. 5.6.2021 I 8",
        "hinweis": "noch nicht berücksichtigt",
    }  # fmt: skip
    assert document.edition_date == date(2021, 6, 5)


def test_containers_nest_as_their_numbers_do_and_paragraphs_stand_in_the_one_before_them(tmp_path: Path) -> None:
    found = nodes(parsed(tmp_path, xml(
        container("010", "Buch 1", "Obst"), container("010010", "Abschnitt 1"), unit("§ 1", "<P>A.</P>"),
        # The level between may be left out.
        container("010020030", "Titel 3", "Kern"), unit("§ 2", "<P>B.</P>"),
        container("020", "Buch 2"), unit("§ 3", "<P>C.</P>", data=place("020", "Buch 2")),
    )))  # fmt: skip
    parents = {urn.removeprefix(LAW): (node.parent_urn or "").removeprefix(LAW) for urn, node in found.items()}
    assert parents == {
        "": "", ":buch_1": "", ":buch_1:abschnitt_1": ":buch_1", ":1": ":buch_1:abschnitt_1",
        ":buch_1:titel_3": ":buch_1", ":2": ":buch_1:titel_3", ":buch_2": "", ":3": ":buch_2",
    }  # fmt: skip
    assert found[f"{LAW}:buch_1"].heading == "Obst"


@given(st.lists(st.lists(st.sampled_from(["010", "020"]), min_size=1, max_size=4).map("".join), min_size=1, max_size=9))
def test_a_container_stands_in_the_last_one_before_it_whose_number_begins_its_own(numbers: list[str]) -> None:
    with TemporaryDirectory() as folder:
        places = [container(number, f"Teil {at}") for at, number in enumerate(numbers)]
        found = parsed(Path(folder), xml(*places, unit("§ 1", "<P>A.</P>"))).nodes
    parents = {node.number: (node.parent_urn or "").rpartition("teil_")[2] for node in found if node.level == "teil"}
    for at, number in enumerate(numbers):
        # Every one that is not around a later one before this has ended by then.
        around = [
            before for before, outer in enumerate(numbers[:at])
            if number != outer and number.startswith(outer)
            and all(number != outer and number.startswith(outer) for number in numbers[before + 1 : at])
        ]  # fmt: skip
        assert parents[str(at)] == (str(around[-1]) if around else LAW)


def test_an_artikel_that_is_numbered_as_a_container_holds_its_text_and_its_paragraphs(tmp_path: Path) -> None:
    found = nodes(parsed(tmp_path, xml(
        container("010", "Erster Teil"),
        container("010000010", "Art 1", inner="<P>(1) Der Apfel.</P><P>(2) Die Birne.</P>"),
        container("010000020", "Art 2", "Übergang"),
        unit("§ 1", "<P>Die Quitte.</P>", data=place("010000020", "Art 2", "Übergang")),
    )))  # fmt: skip
    assert found[f"{LAW}:1"].structure_type == "ARTICLE"
    assert found[f"{LAW}:1:2"].content_text == "Die Birne."
    assert found[f"{LAW}:2:par.1"].parent_urn == f"{LAW}:2"
    assert found[f"{LAW}:2:par.1"].content_text == "Die Quitte."


def test_lists_between_words_become_children_with_lead_in_and_flush_text(tmp_path: Path) -> None:
    inner = listing(("a)", "rot,"), ("b)", "grün"))
    text = f"<P>(1) Wer {listing(('1.', f'Äpfel<BR/>isst, die {inner} sind,'), ('2.', 'Birnen isst,'))}zahlt.</P>"
    found = nodes(parsed(tmp_path, xml(unit("§ 5", text, "Pflichten<BR/>des Essers"))))
    assert found[f"{LAW}:5"].heading == "Pflichten des Essers"
    assert (found[f"{LAW}:5:1"].intro_text, found[f"{LAW}:5:1"].content_text) == ("Wer", "zahlt.")
    assert (found[f"{LAW}:5:1:1"].intro_text, found[f"{LAW}:5:1:1"].content_text) == ("Äpfel isst, die", "sind,")
    assert found[f"{LAW}:5:1:1:b"].content_text == "grün"
    assert found[f"{LAW}:5:1:2"].content_text == "Birnen isst,"


def test_what_the_publisher_says_made_a_provision_is_its_history(tmp_path: Path) -> None:
    notes = (
        "<P>§ 1 Abs. 2: Eingef. durch Art. 1 Nr. 3 G v. 1.2.2003 I 99 mWv 1.3.2003</P>"
        "<P>§ 1 Abs. 7: Geänd. durch Art. 2 G v. 1.2.2004 I 5</P><P>§ 1: IdF d. Art. 4 G v. 5.6.2007 I 12</P>"
    )
    inner = "<P>(1) Äpfel sind rund.</P><P>(2) Birnen nicht.</P>"
    links = parsed(tmp_path, xml(unit("§ 1", inner, notes=notes))).links
    assert [(link.source_urn, link.kind, link.reference, link.properties["date"]) for link in links] == [
        (f"{LAW}:1:2", "created_by", "Art. 1 Nr. 3 G v. 1.2.2003 I 99", "2003-03-01"),
        (f"{LAW}:1", "amended_by", "Art. 4 G v. 5.6.2007 I 12", "2007-06-05"),
    ]


def test_what_the_publisher_adds_is_no_text_of_the_law(tmp_path: Path) -> None:
    notes = "<P><pre>(+++ § 1: Zur Anwendung vgl. § 9 +++)</pre><BR/>§ 1: Mit GG vereinbar</P>"
    inner = (
        '<P><noindex><kommentar typ="Fundstelle">(Fundstelle: BGBl. I 2005)</kommentar></noindex></P>'
        '<P>Äpfel<FnR ID="F1"/> sind rund.<FnArea><FnR ID="F1"/></FnArea></P></Content><Footnotes>'
        '<Footnote ID="F1" FnZ="*">Amtlicher<BR/>Hinweis.</Footnote></Footnotes><Content>'
    )
    found = nodes(parsed(tmp_path, xml(unit("§ 1", inner, notes=notes))))
    assert found[f"{LAW}:1"].text == "Äpfel sind rund."
    assert found[f"{LAW}:1"].tags["editorial_note"] == "(+++ § 1: Zur Anwendung vgl. § 9 +++)"
    note = found[f"{LAW}:1:hinweis.1"]
    assert (note.structure_type, note.kind) == ("NOTE", "notice")
    assert note.text == "(Fundstelle: BGBl. I 2005)\n* Amtlicher Hinweis.\n§ 1: Mit GG vereinbar"


def test_a_table_keeps_its_columns_where_cells_span_rows_or_columns(tmp_path: Path) -> None:
    table = (
        '<table><Title>Sorten</Title><tgroup cols="3"><colspec colname="c1" colnum="1"/><colspec colname="c2"/>'
        '<colspec colname="c3"/><thead><row><entry>Nr.</entry><entry namest="c2" nameend="c3">Maß</entry></row></thead>'
        '<tbody><row><entry morerows="1">1</entry><entry>10 m<SUP>2</SUP></entry><entry>10<SUP>3</SUP></entry></row>'
        "<row><entry>a<BR/>b</entry><entry/></row><row><entry>2</entry><entry>c</entry><entry>d</entry></row>"
        "</tbody></tgroup></table>"
    )
    found = nodes(parsed(tmp_path, xml(unit("Anlage 1", f"<P>Siehe:{table}Ende.</P>", "(zu § 3)<BR/>Sorten"))))
    annex = found[f"{LAW}:anlage.1"]
    assert (annex.structure_type, annex.heading) == ("APPENDIX", "(zu § 3) Sorten")
    assert found[f"{LAW}:anlage.1:tabelle.1"].content_text.splitlines() == [
        "Sorten", "Nr. | Maß | ", "1 | 10 m2 | 10^3", " | a b | ", "2 | c | d",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "title", "inner", "status"),
    [
        ("(XXXX) §§ 3 bis 6", "(weggefallen)", "<P/>", "repealed"), ("§ 3", "", "<P>(weggefallen)</P>", "repealed"),
        ("§ 3", "", "<P>-</P>", "repealed"), ("§ 3", "", "<P>Gilt.</P>", None),
    ],
)  # fmt: skip
def test_a_repealed_provision_says_so(name: str, title: str, inner: str, status: str | None, tmp_path: Path) -> None:
    assert parsed(tmp_path, xml(unit(name, inner, title))).nodes[1].tags.get("status") == status


def test_words_of_an_unknown_element_are_kept_and_it_is_named(tmp_path: Path) -> None:
    text = "<TOC><P>§ 1</P></TOC><P>Der <Glitzer>rote <B>Apfel</B></Glitzer><IMG SRC='a.jpg'/> ist rund.</P>"
    document = parsed(tmp_path, xml(unit("§ 1", text)))
    assert document.nodes[1].content_text == "Der rote Apfel [image] ist rund."
    assert document.warnings == [
        "left out: 1 pictures and files, their places marked in the text",
        "left out: 1 tables of contents",
        "1 elements Glitzer are unknown in this format; their words are kept where they stand",
    ]


def test_what_stands_in_the_first_norm_is_a_note_of_the_law_or_all_the_text_it_has(tmp_path: Path) -> None:
    first = (
        "<text><Content><P>Dient der Umsetzung.</P></Content></text>"
        "<fussnoten><Content><P><pre>(+++ ab: 1.1.1999 +++)</pre>Erlassen 1999.</P></Content></fussnoten>"
    )
    root, note, _ = parsed(tmp_path, xml(unit("§ 1", "<P>A.</P>"), first=first)).nodes
    assert root.text == ""
    assert (note.kind, note.text) == ("notice", "Dient der Umsetzung.\nErlassen 1999.")
    _, text, note = parsed(tmp_path, xml(first=first)).nodes
    assert (text.structure_type, text.content_text) == ("SECTION", "Dient der Umsetzung.")
    assert (note.kind, note.text) == ("notice", "Erlassen 1999.")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (xml(unit("§ 1", "<P>A.</P>"), title=""), "title"),
        (xml(unit("§ 1", "<P>A.</P>"), short=""), "abbreviation"),
        (xml(), "holds no provision"),
        (xml(container("01", "Buch 1")), "three digits"),
        (xml(container("010", "-")), "neither a designation nor a title"),
        (xml("<norm/>"), "no metadaten"),
        (xml(unit("§ 1", "<P>A.</P>")).replace("1999-01-02", CANARY), "no date"),
        ('<dokumente doknr="BJNR1"/>', "norms"),
        (xml(unit("§ 1", "<P>&sect;</P>")), "refers to an entity"),
        (xml(unit("§ 1", "<P>A.</P>")).replace('builddate="20240101"', 'builddate="&x;"'), "refers to an entity"),
        (xml(unit("§ 1", "<P>A.</P>"), doctype="<!DOCTYPE dokumente []>"), "has a DOCTYPE"),
        (xml(unit("§ 1", "<P>A.</P>"), doctype=f'{DOCTYPE[:-1]} [<!ENTITY x "y">]>'), "has a DOCTYPE"),
        (xml(unit("§ 1", "<P>A.</P>"), doctype='<!DOCTYPE dokumente [<!ATTLIST P x CDATA "y">]>'), "has a DOCTYPE"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_such_law_is_refused_without_its_words(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(IngestError, match=says) as refused:
        parsed(tmp_path, text)
    assert refused.value.file == "law.xml"
    assert CANARY not in str(refused.value)


def test_files_are_told_by_content_and_the_list_of_laws_is_no_law(tmp_path: Path) -> None:
    law = xml(unit("§ 1", "<P>A.</P>"))
    (tmp_path / "law.xml").write_text(f"\ufeff{law}", encoding="utf-8")
    (tmp_path / "subset.xml").write_text(law.replace('.dtd"', '.dtd" [<!ENTITY x "y">]'), encoding="utf-8")
    toc = f"{DOCTYPE}<items><item><title>Apfelgesetz</title><link>http://x/xml.zip</link></item></items>"
    (tmp_path / "gii-toc.xml").write_text(toc, encoding="utf-8")
    found = discover(tmp_path)
    assert [(form.name, source.name) for form, source in found.sources] == [("gii_xml", "law.xml")]
    assert found.skipped == [("gii-toc.xml", "the publisher's list of laws, which holds none")]
    assert [error.file for error in found.rejected] == ["subset.xml"]


# --- the same law, as TEI and as the XML that the TEI was made from ---------------------------------------------------

TEI = f"{{{NAMESPACE}}}"


def as_gii(path: Path) -> str:
    """A published TEI law with the elements of gii-norm."""
    root = etree.parse(str(path)).getroot()
    title, short = root.findall(f".//{TEI}titleStmt/{TEI}title")
    front = "".join(inner(element) for element in root.findall(f".//{TEI}text/{TEI}front"))
    divisions = root.findall(f".//{TEI}text/*/{TEI}div")
    norms = "".join(norm(one, f"{at:03d}") for at, one in enumerate(divisions, start=1))
    named = f"<langue>{escaped(title.text)}</langue>"
    law = xml(norms, first=f"<fussnoten><Content>{front}</Content></fussnoten>", title=named, short=short.text or "")
    day = root.findtext(f".//{TEI}publicationStmt/{TEI}date") or ""
    return law.replace("1999-01-02", day).replace("BJNR009990999", path.stem)


def norm(division: Element, number: str) -> str:
    heads = division.findall(f"{TEI}head")
    name = escaped(" ".join(head.text or "" for head in heads if head.get("type") is None))
    title = escaped(" ".join(head.text or "" for head in heads if head.get("type") is not None))
    children = division.findall(f"{TEI}div")
    loose = " ".join(f"{division.text or ''} {' '.join(element.tail or '' for element in division)}".split())
    notes = f"<Footnotes><Footnote>{escaped(loose)}</Footnote></Footnotes>" if loose else ""
    text = "".join(inner(element) for element in division if element.tag not in (f"{TEI}div", f"{TEI}head"))
    is_unit = not children and re.match(r"§|Art|\(XXXX\)|An(?:lage|hang)", name)
    data = f"<enbez>{name}</enbez><titel>{title}</titel>" if is_unit else place(number, name, title)
    below = "".join(norm(one, f"{number}{at:03d}") for at, one in enumerate(children, start=1))
    return (
        f"<norm><metadaten>{data}</metadaten><textdaten><text><Content>{text}</Content>{notes}</text></textdaten>"
        f"</norm>{below}"
    )


def inner(element: Element) -> str:
    kind = etree.QName(element).localname
    if kind == "list":
        items = ((escaped(child.get("n")), content(child)) for child in element)
        return listing(*items)
    if kind == "table":
        rows = "".join(f"<row>{''.join(f'<entry>{content(cell)}</entry>' for cell in row)}</row>" for row in element)
        return f"<table><tgroup><tbody>{rows}</tbody></tgroup></table>"
    return f"<P>{content(element)}</P>" if kind in ("p", "note") else f"<B>{content(element)}</B>"


def content(element: Element) -> str:
    return escaped(element.text) + "".join(inner(child) + escaped(child.tail) for child in element)


def escaped(text: str | None) -> str:
    return (text or "").replace("&", "&amp;").replace("<", "&lt;")


@pytest.mark.data
@pytest.mark.parametrize("law", ["BJNR000010949", "BJNR001950896"])
def test_a_published_law_gives_the_nodes_that_its_tei_gives(law: str, shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "de-gesetze-tei" / f"{law}.xml"
    expected = DeTei().parse(Source(source, source.parent))
    (tmp_path / "law.xml").write_text(as_gii(source), encoding="utf-8")
    assert GiiXml().claims(tmp_path / "law.xml", (tmp_path / "law.xml").read_bytes()[:HEAD_BYTES])
    found = GiiXml().parse(Source(tmp_path / "law.xml", tmp_path))
    assert found.corpus == expected.corpus
    assert len(found.nodes) == len(expected.nodes) > 700
    for one, other in zip(found.nodes, expected.nodes, strict=True):
        assert shape(one) == shape(other)


def shape(node: ParsedNode) -> tuple[object, ...]:
    return (
        node.urn, node.parent_urn, node.structure_type, node.level, node.number, node.heading, node.intro_text,
        node.content_text, node.kind, node.tags, node.aliases,
    )  # fmt: skip
