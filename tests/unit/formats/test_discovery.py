"""What a path holds: documents, parts, and what is refused or left out by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag.ingest.formats.registry import discover, format_named
from retrieval.errors import ConfigurationError, IngestError


def test_a_document_type_with_entities_is_refused_in_a_folder_too(tmp_path: Path) -> None:
    (tmp_path / "law.xml").write_text('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><x>&e;</x>')
    found = discover(tmp_path)
    assert [(one.file, "DOCTYPE" in one.cause) for one in found.rejected] == [("law.xml", True)]
    assert not found.other


def test_utf_16_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "law.xml").write_bytes("<?xml version='1.0'?><ECFR/>".encode("utf-16"))
    assert [one.cause for one in discover(tmp_path).rejected] == ["is UTF-16; save it as UTF-8"]


def test_a_pipe_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert discover(tmp_path).skipped == [("pipe", "not a regular file")]
    with pytest.raises(IngestError, match="not a regular file"):
        discover(tmp_path / "pipe")


def test_a_link_to_a_folder_is_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "notes.txt").write_text("not law")
    (tmp_path / "law" / "sub").mkdir(parents=True)
    (tmp_path / "law" / "sub" / "link").symlink_to(tmp_path / "elsewhere")
    found = discover(tmp_path / "law")
    assert [name for name, _ in found.skipped] == ["sub/link"]
    assert "not followed" in found.skipped[0][1]
    # The folder that the user names may be a link itself.
    assert [name for name, _ in discover(tmp_path / "law" / "sub" / "link").skipped] == ["notes.txt"]


def test_a_folder_without_a_file_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "law" / "sub").mkdir(parents=True)
    assert [(one.file, one.cause) for one in discover(tmp_path / "law").rejected] == [
        ("law", "the folder holds no file")
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    assert [one.file for one in discover(tmp_path).rejected] == ["shut"]


def test_a_file_that_is_not_what_it_was_named_as_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not law")
    with pytest.raises(IngestError, match="is not ecfr_xml"):
        discover(tmp_path / "notes.txt", format_named("ecfr_xml"))
    with pytest.raises(IngestError, match="no known format"):
        discover(tmp_path / "notes.txt")
    with pytest.raises(ConfigurationError, match="lexjsonl"):
        format_named("bogus")


def test_hidden_files_and_the_list_of_a_fetch_are_named_and_not_read(tmp_path: Path) -> None:
    words = '{"lexscope": 1, "corpus": {"urn": "urn:lex:us:tc", "title": "T", "language": "en"}}\n'
    for name in ("law.jsonl", ".fetch/law.jsonl.part", ".git/deep/law.jsonl", ".law.jsonl", "sub/manifest.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(words)
    (tmp_path / "manifest.json").write_text("{}")
    found = discover(tmp_path)
    # A file of that name is the list of a fetch only where a fetch was at work.
    assert [source.name for _, source in found.sources] == ["law.jsonl", "sub/manifest.json"]
    assert [name for name, _ in found.skipped] == [
        ".fetch/law.jsonl.part", ".git/deep/law.jsonl", ".law.jsonl", "manifest.json"
    ]  # fmt: skip
    assert "lexscope fetch" in found.skipped[-1][1]
    assert not found.other


def test_an_empty_file_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "law.xml").touch()
    assert discover(tmp_path).skipped == [("law.xml", "empty files")]
    with pytest.raises(IngestError, match="is empty; get the file again"):
        discover(tmp_path / "law.xml")


def test_a_collection_of_acts_is_skipped_with_what_to_do(tmp_path: Path) -> None:
    namespace = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
    words = f'<akomaNtoso xmlns="{namespace}"><officialGazette name="g"><meta/></officialGazette></akomaNtoso>'
    (tmp_path / "gazette.xml").write_text(words)
    ((name, reason),) = discover(tmp_path).skipped
    assert name == "gazette.xml"
    assert "save each act or judgment in it as a file of its own" in reason
