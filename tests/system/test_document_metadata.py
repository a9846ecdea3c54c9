"""Plain documents bring what is said of them: front matter, a sidecar, arguments; lists and searches filter by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag import Engine
from rag.ingest.formats.plain.metadata import front_matter, tags_of
from retrieval.errors import InputError

NOTE = """---
title: Deposits in practice
Document Type: practice_note
authors: [A. Writer, "B. Reader"]
topics:
  - deposits
  - interest
chunk_count: 99
---
# Deposits

A landlord keeps the zebra deposit in an escrow account.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "note.md").write_text(NOTE, encoding="utf-8")
    (tmp_path / "lease.txt").write_text("The tenant pays the zebra rent on the first day.", encoding="utf-8")
    said = {"title": "Lease of flat 3", "legaldocument_type": "standard_documents_clauses", "pages": 2, "signed": True}
    (tmp_path / "lease.txt.meta.json").write_text(json.dumps(said), encoding="utf-8")
    return tmp_path


def test_a_document_has_the_tags_of_its_front_matter_its_sidecar_and_the_arguments(
    engine: Engine, folder: Path
) -> None:
    report = engine.ingest([folder], jurisdiction="us-dc", tags={"collection": "housing"})
    assert (report.documents, report.rejected) == (2, [])
    note, lease = (engine.list_documents(jurisdiction="us-dc", type=name).documents for name in (
        "practice_note", "standard_documents_clauses"))  # fmt: skip
    assert [(row.urn, row.title) for row in note] == [("urn:lex:us-dc:doc:note", "Deposits in practice")]
    assert [(row.urn, row.title) for row in lease] == [("urn:lex:us-dc:doc:lease", "Lease of flat 3")]
    assert note[0].tags["authors"] == "A. Writer; B. Reader"
    assert note[0].tags["topics"] == "deposits; interest"
    assert note[0].tags["chunk_count"] == "1"  # what the store says of a document, no document says otherwise
    assert (lease[0].tags["pages"], lease[0].tags["signed"]) == ("2", "true")
    both = engine.list_documents(jurisdiction="us-dc", tags={"collection": "housing"})
    assert len(both.documents) == 2


def test_a_search_of_chunks_filters_by_the_tags_of_their_document_and_never_lists_it(
    engine: Engine, folder: Path
) -> None:
    engine.ingest([folder], jurisdiction="us-dc")
    every = engine.search("zebra deposit lease", jurisdiction="us-dc").results
    assert {result.urn for result in every} == {"urn:lex:us-dc:doc:note:0001", "urn:lex:us-dc:doc:lease:0001"}
    titled = engine.search("practice flat", jurisdiction="us-dc").results  # words of the titles alone
    assert {result.urn for result in titled} == {"urn:lex:us-dc:doc:note:0001", "urn:lex:us-dc:doc:lease:0001"}
    only = engine.search("zebra", jurisdiction="us-dc", tags={"type": "practice_note"}).results
    assert [result.urn for result in only] == ["urn:lex:us-dc:doc:note:0001"]


def test_a_changed_sidecar_is_a_new_edition_and_the_same_one_is_not(engine: Engine, folder: Path) -> None:
    engine.ingest([folder], jurisdiction="us-dc")
    assert engine.ingest([folder], jurisdiction="us-dc").unchanged == 2
    (folder / "lease.txt.meta.json").write_text('{"type": "lease"}', encoding="utf-8")
    again = engine.ingest([folder], jurisdiction="us-dc")
    assert (again.documents, again.unchanged) == (1, 1)
    assert len(engine.list_documents(jurisdiction="us-dc", type="lease").documents) == 1


@pytest.mark.parametrize("text", ["[1, 2]", "{", '"type"'])
def test_a_sidecar_that_is_no_object_refuses_its_document_by_name(engine: Engine, folder: Path, text: str) -> None:
    (folder / "lease.txt.meta.json").write_text(text, encoding="utf-8")
    report = engine.ingest([folder], jurisdiction="us-dc")
    assert report.documents == 1
    assert ["lease.txt.meta.json" in str(rejected) for rejected in report.rejected] == [True]


def test_what_cannot_be_a_tag_is_named(engine: Engine, folder: Path) -> None:
    assert tags_of({"kind": "decision", "9": "x", "nested": {"a": 1}, "Ok Key": " a  b "}) == (
        {"ok_key": "a b"}, ["fields that are no tags of a document: kind, 9, nested"]
    )  # fmt: skip
    assert front_matter("a: 'x'\nb:\n- one\n- two\nnested:\n  c: d\n") == {
        "a": "x", "b": ["one", "two"], "nested": "",
    }  # fmt: skip
    with pytest.raises(InputError):
        engine.ingest([folder], jurisdiction="us-dc", tags={"kind": "decision"})
    with pytest.raises(InputError):
        engine.ingest([folder], tags={"type": "lease"})
