"""Plain documents through the command line: taken, found, listed with their chunks, and put together again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Lexscope, address, caller
from docx import Document
from plain_pdf_files import write_pdf

from rag import Engine, Settings
from rag.ingest.formats.plain.document import CHUNK_LEVEL
from retrieval.errors import InputError

SENTENCES = {
    "house-rules": "No resident shall play the trombone after ten o'clock.",
    "pet-policy": "A tenant may keep two cats in an apartment.",
    "parking": "Visitors may park a caravan in the courtyard for two nights.",
    "lease": "The landlord shall hold the deposit in an escrow account.",
    "cellar": "Bicycles are kept in the cellar, never in the stairwell.",
}


def write_folder(folder: Path) -> None:
    """One document of each kind; each has its sentence of its own among others."""
    filling = [f"Paragraph {number} says nothing of interest to anybody at all. " * 9 for number in range(12)]
    (folder / "House rules.md").write_text(
        "# House rules\n\n## Quiet hours\n\n{}\n\n## Other\n\n{}".format(SENTENCES["house-rules"], "\n\n".join(filling))
    )
    (folder / "cellar.txt").write_text("CELLAR\n\n{}\n\n{}".format(SENTENCES["cellar"], "\n\n".join(filling)))
    (folder / "parking.html").write_text(f"<h1>Parking</h1><p>{SENTENCES['parking']}<p hidden>Everything is allowed.")
    word = Document()
    word.add_heading("Pets", 1)
    word.add_paragraph(SENTENCES["pet-policy"])
    word.save(str(folder / "Pet policy.docx"))
    (folder / "lease.pdf").write_bytes(write_pdf([["Rent", "Rent is due."], ["DEPOSIT", SENTENCES["lease"]]]))


@pytest.fixture
def call(empty_settings: Settings, capsys: pytest.CaptureFixture[str]) -> Lexscope:
    """The command on an empty store."""
    return caller(capsys, "--database-url", address(empty_settings))


def test_documents_of_every_kind_are_taken_found_and_put_together_again(
    call: Lexscope, empty_settings: Settings, tmp_path: Path
) -> None:
    write_folder(tmp_path)
    first = call("ingest", str(tmp_path), "--jurisdiction", "us-dc", "--json")
    assert first.status == 0
    report = json.loads(first.out)
    assert (report["documents"], report["rejected"], report["skipped"]) == (5, [], {})
    again = json.loads(call("ingest", str(tmp_path), "--jurisdiction", "us-dc", "--json").out)
    assert (again["documents"], again["unchanged"]) == (0, 5)
    for slug, sentence in SENTENCES.items():
        urn = f"urn:lex:us-dc:doc:{slug}"
        found = json.loads(call("search", sentence, "--jurisdiction", "us-dc", "--json").out)["results"][0]
        assert found["document_urn"] == urn
        assert found["urn"].startswith(f"{urn}:0")
        answer = json.loads(call("ask", sentence, "--jurisdiction", "us-dc", "--json").out)
        assert (answer["status"], answer["statements"][0]["text"]) == ("answered", sentence)
    with Engine.open(empty_settings) as engine:
        for slug, sentence in SENTENCES.items():
            document = engine.document(f"urn:lex:us-dc:doc:{slug}")
            chunks = [block for block in document.blocks if block.urn != document.urn]
            assert (document.kind, document.language) == ("record", "en")
            numbers = list(dict.fromkeys(int(chunk.urn.rpartition(":")[2]) for chunk in chunks))
            assert numbers == list(range(1, int(document.tags["chunk_count"]) + 1))
            whole = "".join(chunk.text for chunk in chunks)
            assert len(whole) == int(document.tags["characters"])
            assert sentence in whole
            for block in chunks:
                tags = engine.document(block.urn).tags
                assert whole[int(tags["start"]) : int(tags["end"])] == block.text
        assert engine.document("urn:lex:us-dc:doc:lease:0002").tags["page"] == "2"
        assert int(engine.document("urn:lex:us-dc:doc:cellar").tags["chunk_count"]) > 3


def test_a_definitions_section_governs_the_whole_document(
    call: Lexscope, empty_settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "lease.md").write_text(
        '# Lease\n\n## Definitions\n\n"Premises" means the apartment and its cellar.\n\n'
        "## Use\n\nThe tenant shall keep the premises clean.\n"
    )
    assert call("ingest", str(tmp_path), "--jurisdiction", "us-dc").status == 0
    with Engine.open(empty_settings) as engine:
        context = engine.context("urn:lex:us-dc:doc:lease:0002")
    assert [(definition.term, definition.urn) for definition in context.definitions] == [
        ("Premises", "urn:lex:us-dc:doc:lease:0001")
    ]
    assert CHUNK_LEVEL == "chunk"


def test_without_a_jurisdiction_they_are_listed_and_left(call: Lexscope, tmp_path: Path) -> None:
    write_folder(tmp_path)
    ran = call("ingest", str(tmp_path), "--json")
    assert (ran.status, json.loads(ran.out)["documents"]) == (0, 0)
    assert json.loads(ran.out)["skipped"] == {
        "plain documents (name a jurisdiction with --jurisdiction to take them)": 5
    }
    named = call("ingest", str(tmp_path / "cellar.txt"), "--json")
    assert named.status == 1
    assert "--jurisdiction" in json.loads(named.out)["rejected"][0]["cause"]


def test_what_cannot_be_read_is_named_and_the_others_are_taken(call: Lexscope, tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "scan.pdf").write_bytes(write_pdf([[]]))
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "LEASE.txt").write_text("Another lease.")
    ran = call("ingest", str(tmp_path), "--jurisdiction", "us-dc", "--json")
    report = json.loads(ran.out)
    assert (ran.status, report["documents"]) == (1, 4)
    assert {line["file"]: line["cause"] for line in report["rejected"]}.keys() == {
        "scan.pdf", "empty.txt", "lease.pdf", "LEASE.txt",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--language", "en"), "--jurisdiction"),
        (("--jurisdiction", "zz"), "--language"),
        (("--jurisdiction", "us dc"), "jurisdiction"),
        (("--jurisdiction", "us", "--language", "English"), "two or three letters"),
    ],
)
def test_a_wrong_place_is_refused(options: tuple[str, ...], said: str, call: Lexscope, tmp_path: Path) -> None:
    ran = call("ingest", str(tmp_path), *options)
    assert ran.status == InputError.exit_code
    assert said in ran.err


def test_a_changed_document_gets_new_versions_and_keeps_the_old(
    call: Lexscope, empty_settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "rules.txt"
    file.write_text("RENT\n\nRent is due monthly.")
    assert call("ingest", str(file), "--jurisdiction", "us-dc", "--effective-date", "2020-01-01").status == 0
    file.write_text("RENT\n\nRent is due weekly.")
    assert call("ingest", str(file), "--jurisdiction", "us-dc", "--effective-date", "2024-01-01").status == 0
    with Engine.open(empty_settings) as engine:
        for day, words in (("2023-01-01", "monthly"), ("2024-01-01", "weekly")):
            chunk = engine.document("urn:lex:us-dc:doc:rules:0001", at_date=day)
            assert words in chunk.blocks[0].text
