"""Word documents: structure, numbers, notes, tracked changes, and archives that are not what they seem."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from docx import Document
from docx.oxml import parse_xml
from joined_text import joined_text

from rag.ingest.formats.plain.blocks import Cleaner
from rag.ingest.formats.plain.docx import PlainDocx
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
NUMBERING = f"""<w:numbering {W}>
  <w:abstractNum w:abstractNumId="0">
    <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
    <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1(%2)"/></w:lvl>
    <w:lvl w:ilvl="2"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%3)"/></w:lvl>
  </w:abstractNum>
  <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
  <w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num>
  <w:num w:numId="8"><w:abstractNumId w:val="0"/>
    <w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
  <w:num w:numId="9"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"""


def write_docx(*paragraphs: str) -> bytes:
    """A document whose body holds these elements, with the numbering above."""
    document = Document()
    for paragraph in paragraphs:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(paragraph.replace(">", f" {W}>", 1)))
    buffer = io.BytesIO()
    document.save(buffer)
    return rewritten(buffer.getvalue(), lambda name, data: NUMBERING.encode() if name == "word/numbering.xml" else data)


def rewritten(archive: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def p(words: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"


def item(words: str, number: int = 7, level: int = 0) -> str:
    return p(words, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def parse(folder: Path, data: bytes) -> ParsedDocument:
    path = folder / "lease.docx"
    path.write_bytes(data)
    return PlainDocx().parse(PlainSource(path, folder, place=Place("us-dc", "en")))


def refusal(folder: Path, data: bytes) -> str:
    with pytest.raises(IngestError) as caught:
        parse(folder, data)
    return caught.value.cause


def test_headings_tables_and_line_breaks_are_kept(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("Pet agreement", 0)
    document.add_heading("Cats", 1)
    document.add_paragraph("A tenant may\tkeep\ntwo cats.")
    table = document.add_table(2, 2)
    for cell, words in zip(
        (cell for row in table.rows for cell in row.cells), ("Pet", "Fee", "Cat", "10"), strict=True
    ):
        cell.text = words
    document.add_heading("Dogs", 1)
    document.add_paragraph("None.")
    document.sections[0].header.paragraphs[0].text = "Confidential"
    document.save(str(tmp_path / "a.docx"))
    parsed = parse(tmp_path, (tmp_path / "a.docx").read_bytes())
    assert [(node.heading, node.text) for node in parsed.nodes] == [
        ("Pet agreement", ""),
        ("Pet agreement > Cats", "Pet agreement\n\nCats\n\nA tenant may keep\ntwo cats.\n\nPet | Fee\nCat | 10\n\n"),
        ("Pet agreement > Dogs", "Dogs\n\nNone."),
    ]
    assert parsed.warnings == ["1 lines of running headers and footers are left out"]


def test_numbers_that_word_computes_are_written_out(tmp_path: Path) -> None:
    numbered = [item("a"), item("b", level=1), item("c", level=1), item("d", level=2), item("e"), item("f", level=1)]
    data = write_docx(*numbered, item("g", number=8), item("h", number=9), p("i"), item("j", number=404))
    path = tmp_path / "lease.docx"
    path.write_bytes(data)
    reading = PlainDocx().read(PlainSource(path, tmp_path, place=Place("us-dc", "en")), Cleaner())
    assert [block.text for block in reading.blocks] == [
        "1. a", "1(a) b", "1(b) c", "IV) d", "2. e", "2(a) f", "1. g", "- h", "i", "j",
    ]  # fmt: skip


def test_numbers_that_word_computes_make_provisions(tmp_path: Path) -> None:
    rows = [item("Rent is due."), item("in advance", level=1), item("by transfer", level=1), item("Cats may stay.")]
    document = parse(tmp_path, write_docx(*rows))
    assert [(node.urn.removeprefix("urn:lex:us-dc:doc:"), node.text) for node in document.nodes[1:]] == [
        ("lease:1", "Rent is due."), ("lease:1:a", "in advance"), ("lease:1:b", "by transfer"),
        ("lease:2", "Cats may stay."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("inner", "text", "remark"),
    [
        ("<w:del><w:r><w:delText>old </w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>", "new",
         "3 characters that tracked changes delete are left out"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:t>seen</w:t></w:r>", "seen",
         "6 characters of hidden text are left out"),
        ("<w:r><w:t>tenant</w:t></w:r><w:del><w:r><w:delText> may </w:delText></w:r></w:del><w:r><w:t>must</w:t></w:r>",
         "tenant must", "3 characters that tracked changes delete are left out"),
        ("<w:r><w:rPr><w:strike/></w:rPr><w:t>500</w:t></w:r><w:r><w:rPr><w:dstrike/></w:rPr><w:t>6</w:t></w:r>"
         "<w:r><w:t>900</w:t></w:r>", "900", "4 characters of deleted or struck-out text are left out"),
        ('<w:r><w:rPr><w:strike w:val="false"/></w:rPr><w:t>seen</w:t></w:r>', "seen", ""),
        ('<w:r><w:rPr><w:color w:val="ffffff"/></w:rPr><w:t>white</w:t></w:r>', "white",
         "5 characters of white text without a background are kept; check whether a reader sees them"),
        ('<w:r><w:rPr><w:color w:val="FFFFFF"/><w:shd w:fill="000000"/></w:rPr><w:t>seen</w:t></w:r>', "seen", ""),
        ('<w:pPr><w:shd w:fill="000000"/></w:pPr><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>seen</w:t></w:r>',
         "seen", ""),
        ('<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>seen</w:t></w:r>', "seen", ""),
        ("<w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:noBreakHyphen/><w:t>x</w:t></w:r>",
         "link-x", ""),
        ("<w:sdt><w:sdtContent><w:r><w:t>control</w:t></w:r></w:sdtContent></w:sdt>", "control", ""),
        ("<w:r><w:instrText>PAGE</w:instrText></w:r><w:fldSimple><w:r><w:t>3</w:t></w:r></w:fldSimple>", "3", ""),
        ('<w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r>', "10²", ""),
        ("<w:r><w:drawing/><w:t>x</w:t></w:r>", "x", "1 images or drawings are not read"),
        ("<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></w:pict><w:t>x</w:t></w:r>",
         "x\n\nbox", ""),
        ("<w:r><w:ruby><w:rt><w:r><w:t>やちん</w:t></w:r></w:rt>"
         "<w:rubyBase><w:r><w:t>家賃</w:t></w:r></w:rubyBase></w:ruby></w:r>",
         "家賃(やちん)", ""),
        ('<w:r><w:t>x</w:t><w:footnoteReference w:id="99"/></w:r>', "x[1]", "the note [1] has a mark and no text"),
    ],
)  # fmt: skip
def test_every_word_that_is_shown_is_read_once(inner: str, text: str, remark: str, tmp_path: Path) -> None:
    document = parse(tmp_path, write_docx(f"<w:p>{inner}</w:p>"))
    assert joined_text(document) == text
    assert document.warnings == ([remark] if remark else [])


@pytest.mark.parametrize(("around", "beside"), [(30, 1), (1, 2000)])
def test_text_boxes_inside_and_beside_one_another_are_read_once_each(around: int, beside: int, tmp_path: Path) -> None:
    box = "<w:pict><w:txbxContent>{}</w:txbxContent></w:pict>"
    words = "<w:p><w:r><w:t>Deepest.</w:t></w:r></w:p>"
    for level in range(around):
        words = f"<w:p><w:r><w:t>Of level {level} too.</w:t>{box.format(words) * beside}</w:r></w:p>"
    text = joined_text(parse(tmp_path, write_docx(words)))
    assert [text.count(f"Of level {level} too.") for level in range(around)] == [1] * around
    assert text.count("Deepest.") == beside


def test_footnotes_follow_the_text_under_their_marks(tmp_path: Path) -> None:
    data = write_docx('<w:p><w:r><w:t>Rent</w:t><w:footnoteReference w:id="2"/><w:t> is due.</w:t></w:r></w:p>')
    notes = f'<w:footnotes {W}><w:footnote w:id="2">{p("See the schedule.")}</w:footnote></w:footnotes>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    part = '<Override PartName="/word/footnotes.xml" ContentType="application/xml"/></Types>'

    def change(name: str, data: bytes) -> bytes:
        if name == "word/_rels/document.xml.rels":
            link = f'<Relationship Id="rIdN" Type="{kind}" Target="footnotes.xml"/></Relationships>'
            return data.replace(b"</Relationships>", link.encode())
        return data.replace(b"</Types>", part.encode()) if name == "[Content_Types].xml" else data

    buffer = io.BytesIO(rewritten(data, change))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/footnotes.xml", notes)
    assert joined_text(parse(tmp_path, buffer.getvalue())) == "Rent[1] is due.\n\n[1] See the schedule."


def test_what_is_no_document_is_refused_by_name(tmp_path: Path) -> None:
    whole = write_docx(p("A rule."))
    assert refusal(tmp_path, b"") == "is empty"
    assert "damaged" in refusal(tmp_path, b"not an archive")
    assert "password" in refusal(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    for cut in range(40, len(whole), len(whole) // 12):
        assert "damaged" in refusal(tmp_path, whole[:cut])
    torn = rewritten(whole, lambda name, data: data[:300] if name == "word/document.xml" else data)
    assert "not well-formed XML" in refusal(tmp_path, torn)
    other = rewritten(
        whole, lambda name, data: data.replace(b"officeDocument", b"other") if name == "_rels/.rels" else data
    )
    assert "no Word document" in refusal(tmp_path, other)


def test_entities_and_bombs_are_refused_before_anything_is_unpacked(tmp_path: Path) -> None:
    whole = write_docx(p("A rule."))
    entity = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'

    def with_entity(name: str, data: bytes) -> bytes:
        return (
            data.replace(b"?>", b"?>" + entity, 1).replace(b"A rule.", b"&e;") if name == "word/document.xml" else data
        )

    assert "DOCTYPE" in refusal(tmp_path, rewritten(whole, with_entity))

    def aside(name: str, data: bytes) -> bytes:
        return data.replace(b"?>", b"?>" + entity, 1) if name == "docProps/core.xml" else data

    assert "DOCTYPE" in refusal(tmp_path, rewritten(whole, aside))

    def in_utf_16(name: str, data: bytes) -> bytes:
        if name != "word/document.xml":
            return data
        return with_entity(name, data).decode().replace("UTF-8", "UTF-16", 1).encode("utf-16")

    assert "DOCTYPE" in refusal(tmp_path, rewritten(whole, in_utf_16))
    bomb = rewritten(whole, lambda name, data: data + b" " * (70 << 20) if name == "word/styles.xml" else data)
    assert len(bomb) < 1 << 20
    assert "bytes of XML" in refusal(tmp_path, bomb)


def test_an_archive_is_known_by_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "contract"
    path.write_bytes(write_docx(p("A rule.")))
    assert PlainDocx().claims(path, path.read_bytes()[:100])
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("law.xml", "<law/>")
    assert not PlainDocx().claims(tmp_path / "other.zip", b"PK\x03\x04")


@pytest.mark.parametrize(("library", "name"), [("docx", "a.docx"), ("pypdf", "a.pdf")])
def test_without_its_library_a_file_is_refused_with_the_extra_to_install(
    library: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(b"anything")
    code = f"""
import sys
sys.modules[{library!r}] = None
from pathlib import Path
from rag.ingest.formats.registry import discover
from rag.ingest.formats.plain.source import Place
from retrieval.errors import IngestError
(one, source), = discover(Path({str(tmp_path)!r}), place=Place("us", "en")).sources
try:
    one.parse(source)
except IngestError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"{name}: needs {library}; install the extra: pip install 'lexscope[documents]'"


def level(at: int, form: str, text: str, more: str = "", start: int = 1) -> str:
    """One level of a list; `more` stands where the schema has what follows the form of its numbers."""
    begin = f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>'
    return f'{begin}{more}<w:lvlText w:val="{text}"/></w:lvl>'


def shown(folder: Path, levels: str, paragraphs: list[str], styles: str = "", numbers: str = "") -> list[str]:
    """The blocks of a document with one list of these levels, whose number is 1."""
    numbering = (
        f'<w:numbering {W}><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>{numbers}'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )

    def change(name: str, data: bytes) -> bytes:
        if name == "word/styles.xml":
            return data.replace(b"</w:styles>", styles.encode() + b"</w:styles>")
        return numbering.encode() if name == "word/numbering.xml" else data

    path = folder / "law.docx"
    path.write_bytes(rewritten(write_docx(*paragraphs), change))
    source = PlainSource(path, folder, place=Place("us-dc", "en"))
    return [block.text for block in PlainDocx().read(source, Cleaner()).blocks]


@pytest.mark.parametrize(
    ("form", "text", "numbers"),
    [
        ("japaneseCounting", "第%1条", ["第一条", "第十一条", "第百二十三条"]),
        ("decimalFullWidth", "%1", ["１", "１１", "１２３"]),
        ("ideographDigital", "%1", ["一", "一一", "一二三"]), ("aiueo", "(%1)", ["(ア)", "(サ)", "(123)"]),
        ("iroha", "%1", ["イ", "ル", "123"]), ("decimalEnclosedCircle", "%1", ["①", "⑪", "123"]),
        ("ordinal", "%1", ["1st", "11th", "123rd"]),
        ("ordinalText", "Part %1", ["Part First", "Part Eleventh", "Part 123"]),
        ("cardinalText", "%1.", ["One.", "Eleven.", "123."]), ("upperRoman", "%1.", ["I.", "XI.", "CXXIII."]),
        ("lowerLetter", "%1)", ["a)", "k)", "sssss)"]), ("russianUpper", "%1.", ["А.", "Л.", "123."]),
    ],
)  # fmt: skip
def test_numbers_have_the_form_that_word_shows(form: str, text: str, numbers: list[str], tmp_path: Path) -> None:
    for start, number in zip((1, 11, 123), numbers, strict=True):
        assert shown(tmp_path, level(0, form, text, start=start), [item("x", 1)]) == [f"{number} x"]


def test_levels_restart_and_show_figures_as_they_state(tmp_path: Path) -> None:
    levels = level(0, "upperRoman", "Article %1.") + level(1, "decimal", "%1.%2", "<w:isLgl/>")
    never = levels + level(2, "lowerLetter", "(%3)", '<w:lvlRestart w:val="0"/>')
    first = levels + level(2, "lowerLetter", "(%3)", '<w:lvlRestart w:val="1"/>')
    items = [item("x", 1, at) for at in (0, 1, 2, 1, 2, 0, 1, 2)]
    marks = [text.removesuffix(" x") for text in shown(tmp_path, never, items)]
    assert marks == ["Article I.", "1.1", "(a)", "1.2", "(b)", "Article II.", "2.1", "(c)"]
    assert [text.removesuffix(" x") for text in shown(tmp_path, first, items)][2:] == [
        "(a)", "1.2", "(b)", "Article II.", "2.1", "(a)",
    ]  # fmt: skip


def test_styles_number_paragraphs_and_lists_may_take_their_levels_from_a_style(tmp_path: Path) -> None:
    levels = level(0, "decimal", "%1.", '<w:pStyle w:val="S1"/>') + level(
        1, "decimal", "%1.%2", '<w:pStyle w:val="S2"/>'
    )
    numbered = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/>{numbered}</w:style>'
        for name in ("S1", "S2")
    )
    named = [p("x", f'<w:pStyle w:val="{name}"/>') for name in ("S1", "S2", "S2", "S1")]
    assert shown(tmp_path, levels, named, styles) == ["1. x", "1.1 x", "1.2 x", "2. x"]
    other = f'<w:abstractNum w:abstractNumId="1">{level(0, "lowerLetter", "(%1)")}</w:abstractNum>'
    other += '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    style = '<w:style w:type="numbering" w:styleId="L"><w:name w:val="L"/>'
    style += numbered.replace('"1"', '"2"') + "</w:style>"
    assert shown(tmp_path, '<w:numStyleLink w:val="L"/>', [item("x", 1), item("y", 1)], style, other) == [
        "(a) x",
        "(b) y",
    ]


def test_paragraphs_without_words_count_and_those_whose_ends_are_deleted_do_not(tmp_path: Path) -> None:
    gone = '<w:rPr><w:del w:id="1" w:author="x"/></w:rPr>'
    place = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    paragraphs = [item("a", 1), item("", 1), item("c", 1), p("now ", place + gone), item("then", 1), p("last", gone)]
    assert shown(tmp_path, level(0, "decimal", "%1."), paragraphs) == ["1. a", "3. c", "4. now then", "last"]


def test_tables_of_layout_are_paragraphs(tmp_path: Path) -> None:
    def table(*rows: list[str]) -> str:
        cells = ("".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in rows)
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"

    inner = table([p("(a)"), p("one;")], [p("(b)"), p("It costs 5.")])
    typed = table([p("1."), p("Title") + p("This law.")], [p(""), p("(2) More.")], [p("2"), p("Aim") + inner])
    assert shown(tmp_path, level(0, "decimal", "%1."), [
        typed, table([item("", 1), p("Dogs are kept.")], [item("", 1), p("Cats too.")]),
        table([p("Title"), p("5."), p("This may be cited.")], [p("Aim"), p("6."), p("It parts.")]),
        table([p("Item"), p("Fee")], [p("1"), p("Dog")]), table([p("In a frame.") + p("(a) x")]),
    ]) == [
        "1. Title", "This law.", "(2) More.", "2. Aim", "(a) one;", "(b) It costs 5.", "1. Dogs are kept.",
        "2. Cats too.", "Title", "5. This may be cited.", "Aim", "6. It parts.", "Item | Fee\n1 | Dog", "In a frame.",
        "(a) x",
    ]  # fmt: skip


def test_a_number_that_is_typed_with_a_tab_counts(tmp_path: Path) -> None:
    tabbed = "<w:p><w:r><w:t>{}</w:t><w:tab/><w:t>{}</w:t></w:r></w:p>"
    paragraphs = [tabbed.format("1", "Dogs"), tabbed.format("(a)", "kept"), tabbed.format("12", "30")]
    assert shown(tmp_path, level(0, "decimal", "%1."), paragraphs) == ["1. Dogs", "(a) kept", "12 30"]


def test_a_table_of_contents_that_word_makes_is_left_out_where_it_ends(tmp_path: Path) -> None:
    def field(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    def said(words: str, tag: str = "t") -> str:
        return f"<w:r><w:{tag}>{words}</w:{tag}></w:r>"

    begin = field("begin") + said("TOC o 1-3", "instrText") + field("separate") + said("1. Aim")
    page = field("begin") + said("PAGEREF a", "instrText") + field("separate") + said("3") + field("end")
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    document = [
        f"<w:sdt>{gallery}<w:sdtContent>{p('Contents')}</w:sdtContent></w:sdt>", f"<w:p>{begin}{page}</w:p>",
        p("2. Fees 4"), f"<w:p>{field('end')}{said('Of pets')}</w:p>", f"<w:p>{said('Section ')}{page}</w:p>",
    ]  # fmt: skip
    assert shown(tmp_path, level(0, "decimal", "%1."), document) == ["Of pets", "Section 3"]
    assert shown(tmp_path, level(0, "decimal", "%1."), [f"<w:p>{begin}</w:p>", p("law")]) == ["1. Aim", "law"]
