"""Plain text: encodings, odd characters, headings, names, and what is taken at all."""

from __future__ import annotations

import pickle
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from joined_text import joined_text

from rag.ingest.formats.plain.blocks import Block, Cleaner
from rag.ingest.formats.plain.lines import heading_level, mark_headings
from rag.ingest.formats.plain.source import MAX_BYTES, Place, PlainSource, place_named, refuse_namesakes
from rag.ingest.formats.plain.text import PlainText
from rag.ingest.formats.registry import PLAIN_SKIPPED, discover, format_named, plain_formats
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError, InputError

PLACE = Place("us-dc", "en")


def source(path: Path) -> PlainSource:
    return PlainSource(path, path.parent, place=PLACE)


def parse(folder: Path, data: bytes, name: str = "rules.txt") -> ParsedDocument:
    path = folder / name
    path.write_bytes(data)
    document = PlainText().parse(source(path))
    assert len(build_rows(document, None)) == len(document.nodes)
    return document


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be"])
def test_text_with_a_byte_order_mark_or_in_utf_8_is_read(encoding: str, tmp_path: Path) -> None:
    text = "Die Miete beträgt 500 €.\r\n\r\n家賃は五百円。"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    document = parse(tmp_path, mark + text.encode(encoding))
    assert joined_text(document) == "Die Miete beträgt 500 €.\n\n家賃は五百円。"
    assert document.warnings == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n\n\t ", "holds no words"),
        ("Überlassung".encode("cp1252"), "is not valid utf-8 (byte 0); save it as UTF-8"),
        ("ab\u0142".encode("utf-16-le"), "has a NUL at byte 1"),
        (b"\xff\xfea", "is not valid utf-16-le (byte 2)"),
    ],
)
def test_what_is_no_text_is_refused_by_name(data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(IngestError) as caught:
        parse(tmp_path, data)
    assert said in caught.value.cause
    assert caught.value.file == "rules.txt"


def test_a_file_above_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    with pytest.raises(IngestError, match=r"100,000,000 bytes.*at most 25,165,824\. Split it"):
        PlainText().parse(source(path))
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(IngestError, match=r"at most 268,435,456\. Split it"):
        source(path).sha256()


@pytest.mark.parametrize(
    ("text", "clean", "remark"),
    [
        ("a\u202ed\u202c b\u200f.", "ad b.", "3 marks of writing direction are removed"),
        ("co\u00adoperate\u200b now\ufeff.", "cooperate now.", "3 invisible characters are removed"),
        ("a\x07b\x9cc.", "a b c.", "2 control characters are replaced by spaces"),
        ("caf\u00c3\u00a9 \u00e2\u20ac\u201dx.", None, "2 places look like text read with a wrong encoding"),
        ("a\ufffdb \ue001.", None, "2 characters are unreadable"),
        ("cafe\u0301  \u00a0a\u2028b", "caf\u00e9 a\nb", ""),
        ("\u0646\u200c\u0647 \u4e9c\U000e0100", None, ""),
    ],
)
def test_odd_characters_are_counted(text: str, clean: str | None, remark: str) -> None:
    cleaner = Cleaner()
    assert cleaner.clean(text) == (text if clean is None else clean)
    assert [name for name in cleaner.remarks() if remark not in name or not remark] == []
    assert bool(cleaner.remarks()) is bool(remark)


def test_form_feeds_part_pages(tmp_path: Path) -> None:
    document = parse(tmp_path, b"RENT\n\nPay it.\fDEPOSIT\n\nHold it.")
    assert [(node.heading, node.tags["page"]) for node in document.nodes[1:]] == [("RENT", "1"), ("DEPOSIT", "2")]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("PART I", 1), ("Chapter 4 Deposits", 2), ("Section 5. Deposits", 3), ("Artikel 3", 3), ("§ 5 Kaution", 3),
        ("第二章 敷金", 2), ("第五条", 5), ("1. Rent", 3), ("4.2 Late payment", 4), ("HOUSE RULES", 1),
        ("Section 5 applies to rent", 0), ("Section 5 applies.", 0), ("1. the rent", 0), ("The tenant pays", 0),
        ("IT IS SO ORDERED.", 0), ("2024", 0), ("", 0), ("A" * 101, 0),
    ],
)  # fmt: skip
def test_headings_are_known_by_what_the_line_looks_like(line: str, level: int) -> None:
    assert heading_level(line) == level


def test_items_of_lists_and_of_contents_are_no_headings() -> None:
    listed = [Block("The tenant may keep:"), Block("1. Cats"), Block("They are quiet.")]
    contents = [Block("1. Rent"), Block("2. Deposit"), Block("1. Rent"), Block("Pay it.")]
    assert [mark_heading.level for mark_heading in mark_headings(listed)] == [0, 0, 0]
    assert [mark_heading.level for mark_heading in mark_headings(contents)] == [0, 0, 3, 0]
    sentence = [Block(text) for text in ("2.1 A guest may park", "(a) by day, or", "2.2 Guests of Members", "(a) pay.")]
    assert [mark_heading.level for mark_heading in mark_headings(sentence)] == [0, 0, 4, 0]


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("House Rules (2024).txt", "house-rules-2024"), ("Vertrag über Miete.pdf", "vertrag-uber-miete"),
        ("lease.v2.docx", "lease-v2"),
    ],
)  # fmt: skip
def test_the_files_name_gives_the_urn(name: str, slug: str, tmp_path: Path) -> None:
    assert source(tmp_path / name).urn == f"urn:lex:us-dc:doc:{slug}"


def test_names_in_another_script_or_cut_end_in_a_digest(tmp_path: Path) -> None:
    long = "a word " * 30
    slugs = {source(tmp_path / name).slug for name in ("契約.txt", "規則.txt", f"{long}1.txt", f"{long}2.txt")}
    assert len(slugs) == 4
    composed, parted = (
        source(tmp_path / name).slug for name in ("k\u00e9p\u4e9c\u4e9c.txt", "ke\u0301p\u4e9c\u4e9c.txt")
    )
    assert composed == parted


def test_files_that_would_share_a_urn_are_all_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    for name in ("a/rules.txt", "b/Rules.md", "b/other.txt"):
        (tmp_path / name).write_text("A rule.")
    kept, refused = refuse_namesakes(discover(tmp_path, place=PLACE).sources)
    assert [one.name for _, one in kept] == ["b/other.txt"]
    assert sorted(error.file for error in refused) == ["a/rules.txt", "b/Rules.md"]
    assert all("2 files of this ingest" in error.cause and error.cause.endswith("rename them") for error in refused)
    twice = discover(tmp_path / "a", place=PLACE).sources * 2
    assert refuse_namesakes(twice) == (twice, [])


def test_the_same_bytes_elsewhere_are_another_document(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("A rule.")
    places = (PLACE, Place("us-ma", "en"), Place("us-dc", "fr"))
    hashes = {PlainSource(path, tmp_path, place=place).sha256() for place in places}
    assert len(hashes) == 3
    kept: PlainSource = pickle.loads(pickle.dumps(source(path)))
    assert kept.sha256() == source(path).sha256()


# --- what is taken ---------------------------------------------------------------------------------------------------


def test_plain_documents_are_taken_only_with_a_jurisdiction(tmp_path: Path) -> None:
    for name in ("SOURCE.md", "note.txt", "page.html", "a.docx", "b.pdf"):
        (tmp_path / name).write_text("Words.")
    (tmp_path / "data.bin").write_bytes(b"\x00\x01")
    (tmp_path / "law.json").write_text("{}")
    without = discover(tmp_path)
    assert without.sources == []
    assert [reason for _, reason in without.skipped] == [PLAIN_SKIPPED] * 5
    assert without.other == ["data.bin", "law.json"]
    taken = discover(tmp_path, place=PLACE)
    assert [(source.name, one.name) for one, source in taken.sources] == [
        ("SOURCE.md", "plain_markdown"), ("a.docx", "plain_docx"), ("b.pdf", "plain_pdf"), ("note.txt", "plain_text"),
        ("page.html", "plain_html"),
    ]  # fmt: skip
    with pytest.raises(IngestError, match="name a jurisdiction with --jurisdiction"):
        discover(tmp_path / "note.txt")


def test_a_file_named_as_text_that_is_none_is_refused_by_name_in_a_folder_too(tmp_path: Path) -> None:
    for name in ("a.txt", "b.md"):
        (tmp_path / name).write_bytes(b"No dogs.\x00No cats.")
    found = discover(tmp_path, place=PLACE)
    assert not found.other
    for (form, taken), name in zip(found.sources, ("a.txt", "b.md"), strict=True):
        with pytest.raises(IngestError, match="has a NUL at byte 8") as caught:
            form.parse(taken)
        assert caught.value.file == name


def test_files_of_no_known_format_are_named(tmp_path: Path) -> None:
    assert discover(tmp_path).remarks() == []
    for number in range(22):
        (tmp_path / f"{number:02}.bin").write_bytes(b"\x00")
    (said,) = discover(tmp_path, place=PLACE).remarks()
    assert said.startswith("22 files are of no known format: 00.bin, 01.bin, ")
    assert said.endswith(", 19.bin and 2 more")


def test_a_file_of_law_stays_one_where_a_jurisdiction_is_named(tmp_path: Path) -> None:
    front = '---\ntitle: "Code civil"\nidentifier: "LEGITEXT000006070721"\ncountry: "fr"\n---\n\n# Code civil\n'
    (tmp_path / "code.md").write_text(front)
    assert [one.name for one, _ in discover(tmp_path, place=PLACE).sources] == ["legalize_md"]


def test_no_published_file_of_law_is_taken_as_a_plain_document(shared_data: Path) -> None:
    taken = {
        (one.name, source.path.suffix)
        for folder in ("fr-legalize-md", "de-gesetze-md", "us-uslm2", "uscode-uslm", "dc-code-xml")
        if (shared_data / folder).is_dir()
        for one, source in discover(shared_data / folder, place=PLACE).sources
        if isinstance(source, PlainSource) and source.path.stem not in ("SOURCE", "README", "LICENSE")
    }
    assert taken == set()


def test_a_plain_format_can_be_named_and_needs_a_jurisdiction(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.")
    named = format_named("plain_text")
    assert discover(tmp_path, named).skipped == [("a.txt", PLAIN_SKIPPED)]
    assert len(discover(tmp_path, named, PLACE).sources) == 1
    assert {plain_format.name for plain_format in plain_formats()} == {
        "plain_pdf", "plain_docx", "plain_html", "plain_markdown", "plain_text",
    }  # fmt: skip


def test_a_place_is_checked() -> None:
    assert place_named(None, None) is None
    assert place_named("us-dc", None) == replace(PLACE, assumed=True)
    assert place_named("us-dc", "en") == PLACE
    assert place_named("ma", "FR") == Place("us-ma", "fr")
    assert place_named("us-hi", "haw") == Place("us-hi", "haw")
    assert place_named("fr", "fra") == Place("fr", "fr")
    for jurisdiction, language, said in ((None, "en", "--jurisdiction"), ("zz", None, "--language"),
                                         ("us", "english", "is not a code of two or three"),
                                         ("us", "e", "two or three"), ("u s", None, "jurisdiction")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            place_named(jurisdiction, language)


RULES = "A member may bring a guest to the gym. The guest must not climb in the evening."
REGELN = "Der Mieter darf den Hof nicht als Parkplatz nutzen. Die Kinder dürfen auf dem Hof spielen, wie es ist."


@pytest.mark.parametrize(
    ("name", "text", "place", "language", "remark"),
    [
        ("a.txt", RULES, Place("de", "de", assumed=True), "en", "its words are of the language en"),
        ("a.txt", RULES, Place("de", "de"), "de", ""),
        ("a.txt", REGELN, Place("de", "de", assumed=True), "de", ""),
        ("a.txt", "Hof 2", Place("de", "de", assumed=True), "de", ""),
        ("a.md", f"---\nlanguage: fr\n---\n{RULES}", Place("de", "de", assumed=True), "fr", ""),
        ("a.md", f"---\nlanguage: fr\n---\n{RULES}", Place("de", "de"), "de", "the file says that its language is fr"),
        ("a.html", f'<html lang="en-GB"><p>{REGELN}', Place("de", "de", assumed=True), "en", ""),
    ],
)
def test_a_document_is_in_the_language_that_is_named_else_stated_else_told_by_its_words(
    name: str, text: str, place: Place, language: str, remark: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    ((read, source),) = discover(tmp_path, place=place).sources
    document = read.parse(source)
    assert document.corpus.language == language
    assert len(document.warnings) == bool(remark)
    assert remark in "".join(document.warnings)


@pytest.mark.parametrize(
    ("field", "since"),
    [
        ("effective: 2026-01-31", date(2026, 1, 31)), ('valid_from: "2026-01-31"', date(2026, 1, 31)),
        ("Effective date: 2026-01-31", date(2026, 1, 31)), ("effective: 2026-02-30", None), ("effective: soon", None),
        ("date: 2026-01-31", None),
    ],
)  # fmt: skip
def test_a_document_may_say_since_when_it_is_in_force(field: str, since: date | None, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"---\n{field}\n---\n# Rules\n\n{RULES}", encoding="utf-8")
    ((read, source),) = discover(tmp_path, place=PLACE).sources
    assert {node.valid_from for node in read.parse(source).nodes} == {since}
