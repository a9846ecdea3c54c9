"""Plain text: encodings, odd characters, headings, names, and what is taken at all."""

from __future__ import annotations

import pickle
import re
import textwrap
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


# --- printed pages ---------------------------------------------------------------------------------------------------

SENTENCES = [
    f"Tenant {first}{second} shall pay the rent on the first day of each month and keep the hall of the house clean."
    for first in ("ash", "birch", "cod", "d", "elm", "feather")
    for second in ("field", "ing", "wood", "berry")
]


def read(folder: Path, text: str) -> tuple[list[str], int]:
    """The blocks of a text file, and how many running lines are left out."""
    path = folder / "rules.txt"
    path.write_text(text, encoding="utf-8")
    cleaner = Cleaner()
    return [block.text for block in PlainText().read(source(path), cleaner).blocks], cleaner.counts["running"]


@pytest.mark.parametrize("head", ["", "HOUSE RULES  edition 2020"])
@pytest.mark.parametrize("end", ["", "\f"])
@pytest.mark.parametrize(
    "foot",
    ["{}", "- {} -", "Page {} of 4", "[[Page {}]]", "Seite {}", "{}/4", "House Rules    {}", "{}  HC  1-31-2019"],
)
def test_what_pages_leave_in_a_text_is_left_out(foot: str, end: str, head: str, tmp_path: Path) -> None:
    lines = textwrap.wrap(" ".join(SENTENCES), 60)
    size = len(lines) // 4 + 1
    pages = [lines[start : start + size] for start in range(0, len(lines), size)]
    printed = [
        "\n".join(((head, "") if head else ()) + (*page, "", " " * 20 + foot.format(number), ""))
        for number, page in enumerate(pages, start=1)
    ]
    text = f"\n{end}".join(printed)
    blocks, running = read(tmp_path, text)
    first = bool(head) and not end  # nothing tells it from a title
    assert blocks == ([head.replace("  ", " ")] if first else []) + ["\n".join(lines)]
    assert running == 4 * (2 if head else 1) - first


def test_running_heads_may_name_the_provision_of_their_page(tmp_path: Path) -> None:
    pages = [
        ["(a) A fee is paid by", "", "21 HC 2019"],
        ["Shore Facilities  § 41.3", "", "any guest.", "", "22 HC 2019"],
        ["Shore Facilities  § 41.9", "", "(b) A guest waits.", "", "23 HC 2019"],
    ]
    blocks, running = read(tmp_path, "\f".join("\n".join(page) for page in pages))
    assert (blocks, running) == (["(a) A fee is paid by\nany guest.", "(b) A guest waits."], 5)


@pytest.mark.parametrize(
    "head",
    ["Article {0}\n(Rule {0})", "SCHEDULE {0}\nRegulation 1{0}", "[{0}]", "{0}.", "{0}", "§ {0}", "PART {0} GENERAL",
     "{0}. Repealed by Order 2012/3", "Chapter {0}\nGeneral provisions"],
)  # fmt: skip
def test_provisions_that_count_up_and_stand_far_apart_are_no_pages(head: str, tmp_path: Path) -> None:
    parts = [
        f"{head.format(number)}\n" + "\n".join(textwrap.wrap(" ".join(SENTENCES[number - 1 : number + 6]), 60))
        for number in range(1, 8)
    ]
    blocks, running = read(tmp_path, "\n\n".join(parts))
    assert (blocks, running) == (parts, 0)


def test_words_parted_at_the_ends_of_lines_are_joined_in_their_lines(tmp_path: Path) -> None:
    text = "A pump-out station is fixed or por-\ntable\nor a self-\nservice one; a self-service one. Gewerbe-\nund Hof"
    joined = "A pump-out station is fixed or portable\nor a self-service\none; a self-service one. Gewerbe-\nund Hof"
    assert read(tmp_path, text)[0] == [joined]


NOTES = """
Meaning.     1.  In these rules “pier” means the pier
                 of the town.

Protection   2.  (1) No person shall
of birds.            (a) feed a bird; or
                     (b) touch a nest.
                 (2) Birds are protected.

Opening and  3A. The pier opens at eight.
closing
times.

             4.  The pier is cleaned each day.
Fees.        5.  A fee is paid.
"""


@pytest.mark.parametrize("indent", ["", "   "])
@pytest.mark.parametrize("number", ["{}. ", "§{}. "])
def test_notes_in_the_margin_are_captions(number: str, indent: str, tmp_path: Path) -> None:
    text = NOTES if number == "{}. " else re.sub(r"(?<=\s)(\d\w?)\. {1,2}(?=\S)", lambda m: f"§ {m[1]} ", NOTES)
    sign = "§ " if number != "{}. " else ""
    mark = "" if sign else "."
    blocks, _ = read(tmp_path, "\n".join(indent + line for line in text.split("\n")))
    assert blocks == [
        f"Meaning\n{sign}1{mark} In these rules “pier” means the pier\nof the town.",
        f"Protection of birds\n{sign}2{mark} (1) No person shall\n(a) feed a bird; or\n(b) touch a nest.\n"
        "(2) Birds are protected.",
        f"Opening and closing times\n{sign}3A{mark} The pier opens at eight.",
        f"{sign}4{mark} The pier is cleaned each day.",
        f"Fees\n{sign}5{mark} A fee is paid.",
    ]


def test_a_note_may_fill_the_margin_and_another_may_stand_beside_a_paragraph(tmp_path: Path) -> None:
    text = """
Objet               Art. 1.  La présente ordonnance règle
                             l'usage des bancs.
Champ d'application Art. 2.  Elle vaut pour
                             a) les parcs ;
Exception                    (2) Elle ne vaut pas ailleurs.
Peines              Art. 3.  Qui s'assied mal paie
                             dix francs.
Inob-               Art. 4.  Le juge en décide.
servation

          Annexe de l'Art. 1  Bancs du parc
"""
    assert read(tmp_path, text)[0] == [
        "Objet\nArt. 1. La présente ordonnance règle\nl'usage des bancs.",
        "Champ d'application\nArt. 2. Elle vaut pour\na) les parcs ;",
        "Exception\n(2) Elle ne vaut pas ailleurs.",
        "Peines\nArt. 3. Qui s'assied mal paie\ndix francs.",
        "Inobservation\nArt. 4. Le juge en décide.",
        "Annexe de l'Art. 1 Bancs du parc",
    ]


@pytest.mark.parametrize(
    "rows",
    ["Boats       40  per week\nRafts       12  per week\nDucks        3  per week\nSwans        7  per week",
     "Smith      1.  May\nJones      2.  June\nBrown      3.  July\nGreen      4.  August"],
)  # fmt: skip
def test_a_table_is_not_taken_for_notes(rows: str, tmp_path: Path) -> None:
    assert read(tmp_path, rows)[0] == [re.sub(" +", " ", rows)]


def test_centred_captions_and_titles_are_whole(tmp_path: Path) -> None:
    text = """
                  CEMETERY RULES

             of the Town of Oak Harbour

                      PART 2

       PROTECTION OF THE GROUND AND OF ITS WILD
             BIRDS, AND OF ALL THOSE WHO
                      VISIT IT

    1. No person shall remove from the ground, or displace,
any barrier, post, seat or implement, or any part of it.
                       § 2
                    Penalties
"""
    assert read(tmp_path, text)[0] == [
        "CEMETERY RULES\nof the Town of Oak Harbour", "PART 2",
        "PROTECTION OF THE GROUND AND OF ITS WILD BIRDS, AND OF ALL THOSE WHO VISIT IT",
        "1. No person shall remove from the ground, or displace,\n"
        "any barrier, post, seat or implement, or any part of it.\n§ 2\nPenalties",
    ]  # fmt: skip


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
