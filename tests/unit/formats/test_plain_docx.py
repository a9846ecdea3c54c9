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
