"""PDF files written byte by byte: pages, running lines, parted words, and what is refused."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from joined_text import joined_text
from plain_pdf_files import write_pdf
from pypdf import PdfReader, PdfWriter

from rag.ingest.formats.plain.blocks import Cleaner
from rag.ingest.formats.plain.pdf import PlainPdf
from rag.ingest.formats.plain.printed import drop_running_lines, join_lines
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError


def parse(folder: Path, data: bytes) -> ParsedDocument:
    path = folder / "lease.pdf"
    path.write_bytes(data)
    return PlainPdf().parse(PlainSource(path, folder, place=Place("us-dc", "en")))


def refusal(folder: Path, data: bytes) -> str:
    with pytest.raises(IngestError) as caught:
        parse(folder, data)
    assert caught.value.file == "lease.pdf"
    return caught.value.cause


PAGES = [
    ["Model lease, 2024", "1. Rent", "The tenant shall pay the rent in ad-", "vance. A self-employed tenant shall pay",
     "it twice.", "Page 1 of 3"],
    ["Model lease, 2024", "The rent of a self-", "employed tenant falls due on the first day of", "Page 2 of 3"],
    ["Model lease, 2024", "each month.", "2. Deposit", "A deposit (of €5) is held in escrow.", "Page 3 of 3"],
]  # fmt: skip


def test_pages_become_paragraphs_with_their_pages_and_without_running_lines(tmp_path: Path) -> None:
    document = parse(tmp_path, write_pdf(PAGES))
    assert [(node.number, node.heading, node.text) for node in document.nodes[1:]] == [
        ("1", "Rent",
         "The tenant shall pay the rent in advance. A self-employed tenant shall pay it twice.\n"
         "The rent of a self-employed tenant falls due on the first day of each month."),
        ("2", "Deposit", "A deposit (of €5) is held in escrow."),
    ]  # fmt: skip
    assert [(node.tags["page"], node.tags.get("last_page")) for node in document.nodes[1:]] == [("1", "3"), ("3", None)]
    assert document.nodes[0].tags["pages"] == "3"
    assert "6 lines of running headers and footers are left out" in document.warnings
    assert "1 words parted at the end of a line are joined" in document.warnings


def test_a_title_stands_apart_from_the_first_provision_and_is_what_the_page_prints(tmp_path: Path) -> None:
    page = ["Parking Policy of the Campus", "1. Permits", "1.1 Each car that is parked here must show a permit.",
            "2. Towing", "2.1 A car that is parked in a fire lane may be towed at any time."]  # fmt: skip
    for stated in ("(anonymous)", "Parking policy"):
        writer = PdfWriter(clone_from=io.BytesIO(write_pdf([page])))
        writer.add_metadata({"/Title": stated})
        data = io.BytesIO()
        writer.write(data)
        document = parse(tmp_path, data.getvalue())
        title = page[0] if stated == "(anonymous)" else stated
        assert [node.heading for node in document.nodes] == [title, "Permits", "", "Towing", ""]


def test_lines_that_only_some_pages_repeat_are_kept() -> None:
    lines = [("Article 1", 1), ("A.", 1), ("Article 2", 2), ("B.", 2), ("Article 3", 3), ("C.", 3), ("D.", 4)]
    cleaner = Cleaner()
    assert drop_running_lines(lines, cleaner) == lines
    assert not cleaner.counts["running"]
    assert drop_running_lines([(str(page + 7), page) for page in range(1, 4)], cleaner) == []


def test_heads_of_several_lines_are_left_out_of_two_or_three_pages_and_of_left_and_right_ones() -> None:
    for pages in (2, 3, 7):
        words = [f"Words that stand on no page but on page {'abcdefg'[page]}." for page in range(pages)]
        printed = [
            [
                (line, page)
                for line in ("Harbour Trust", "Rules of the Harbour", f"Seite {page} von {pages}", words[page - 1])
            ]
            for page in range(1, pages + 1)
        ]
        assert drop_running_lines([line for page in printed for line in page], Cleaner()) == [
            page[3] for page in printed
        ]
    sides = [(f"{page} Harbour Rules" if page % 2 else f"Chapter II {page}", page) for page in range(1, 9)]
    text = [(f"Words of page {'abcdefgh'[page - 1]}", page) for page in range(1, 9)]
    lines = [line for both in zip(sides, text, strict=True) for line in both]
    assert drop_running_lines(lines, Cleaner()) == text


@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        (["The tenant shall:", "(a) pay; and", "(b) leave."], ["The tenant shall:", "(a) pay; and", "(b) leave."]),
        (["A sentence that fills the line and ends here.", "Short.", "A new one that is as long as the first one is."],
         ["A sentence that fills the line and ends here. Short.", "A new one that is as long as the first one is."]),
        (["賃借人は、毎月の", "家賃を支払う。"], ["賃借人は、毎月の家賃を支払う。"]),
        (["Der Mieter zahlt die Betriebskos\u2010", "ten."], ["Der Mieter zahlt die Betriebskosten."]),
        (["A well-", "known rule and a wellknown name, a well-known rule, a well-known one."],
         ["A well-known rule and a wellknown name, a well-known rule, a well-known one."]),
        (["The North-", "West line."], ["The North- West line."]),
        (["one paragraph without an end", "", "Another one"], ["one paragraph without an end", "Another one"]),
        (["Waren der Gewerbe-", "und der Landwirte."], ["Waren der Gewerbe- und der Landwirte."]),
        # Numbers beside their paragraphs are read as lines of their own.
        (["2", "Use of the harbour", "2.1", "Boats are moored. The warden may, in", "each case, tow", "2.1.1", "rafts,",
          "2.1.2", "canoes.", "3", "Term"],
         ["2 Use of the harbour", "2.1 Boats are moored. The warden may, in each case, tow", "2.1.1 rafts,",
          "2.1.2 canoes.", "3 Term"]),
        (["§ 4", "(1)", "Hunde sind an der Leine zu führen, ausgenommen sind alle anderen", "a)", "Katzen",
          "b)", "Enten.", "(2)", "Vögel sind frei.", "§ 5"],
         ["§ 4", "(1) Hunde sind an der Leine zu führen, ausgenommen sind alle anderen", "a) Katzen", "b) Enten.",
          "(2) Vögel sind frei.", "§ 5"]),
        (["Fees are due now.", "", "Hens", "5", "Ducks", "7"], ["Fees are due now.", "Hens 5", "Ducks 7"]),
    ],
)  # fmt: skip
def test_lines_are_joined_to_paragraphs(lines: list[str], texts: list[str]) -> None:
    assert [join_line.text for join_line in join_lines([(line, 1) for line in lines], Cleaner())] == texts


def test_a_scan_is_refused_and_scanned_pages_are_named(tmp_path: Path) -> None:
    assert refusal(tmp_path, write_pdf([[], []])) == "no text layer on its 2 pages; OCR it first"
    document = parse(tmp_path, write_pdf([["A rule."], [], ["Another rule."]]))
    assert "1 of 3 pages have no text (OCR them?): 2" in document.warnings


def test_an_encrypted_file_is_refused_unless_it_opens_without_a_password(tmp_path: Path) -> None:
    for password, opens in (("secret", False), ("", True)):
        writer = PdfWriter(clone_from=PdfReader(io.BytesIO(write_pdf([["A rule."]]))))
        writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
        buffer = io.BytesIO()
        writer.write(buffer)
        if opens:
            assert joined_text(parse(tmp_path, buffer.getvalue())) == "A rule."
        else:
            assert refusal(tmp_path, buffer.getvalue()) == "is encrypted; save it without a password"


def test_damaged_files_are_refused_or_read_and_nothing_else_happens(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"not a PDF") == "is named .pdf and is no PDF file"
    assert refusal(tmp_path, b"") == "is empty"
    whole = write_pdf(PAGES)
    for cut in range(20, len(whole), 97):
        assert "cut off" in refusal(tmp_path, whole[:cut])
        flipped = whole[:cut] + bytes([whole[cut] ^ 0x15]) + whole[cut + 1 :]
        with contextlib.suppress(IngestError):  # refused by name, or read; anything else fails the test
            assert any(node.text for node in parse(tmp_path, flipped).nodes)


def test_a_faulty_file_that_can_be_read_is_reported(tmp_path: Path) -> None:
    moved = write_pdf(PAGES).replace(b"%PDF-1.4\n", b"%PDF-1.4\n% a line that moves every object\n")
    assert any("faulty" in warning for warning in parse(tmp_path, moved).warnings)
