"""The opinion parser on published opinions: every word once, in order, and every citation where it stands."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.courtlistener.jsonl import CourtListenerJsonl
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, Tree

pytestmark = pytest.mark.data


@lru_cache(maxsize=1)
def parsed(folder: Path) -> list[ParsedDocument]:
    path = folder / "us-scotus-opinions" / "opinions.jsonl"
    return list(CourtListenerJsonl().documents(Source(path, path.parent)))


def published(folder: Path) -> list[str]:
    lines = (folder / "us-scotus-opinions" / "opinions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["html_with_citations"] for line in lines]


def test_every_marked_citation_is_a_reference_mark_on_its_words(shared_data: Path) -> None:
    for html, document in zip(published(shared_data), parsed(shared_data), strict=True):
        marks = [
            node.text[mark.start : mark.end] for node in document.nodes for mark in node.marks
            if mark.kind == "reference"
        ]  # fmt: skip
        assert len(marks) == html.count('<span class="citation')
        assert all(mark and mark == mark.strip() for mark in marks)
    targets = [
        mark.target for document in parsed(shared_data) for node in document.nodes for mark in node.marks if mark.target
    ]
    assert len(targets) > 1400
    assert set(targets) & {document.urn for document in parsed(shared_data)}


def test_every_opinion_has_court_date_name_and_a_urn_of_its_own(shared_data: Path) -> None:
    documents = parsed(shared_data)
    assert len({document.urn for document in documents}) == 200
    for document in documents:
        root = document.nodes[0]
        assert document.urn == f"urn:lex:us:scotus-{'-'.join(root.aliases[0].replace('.', '').lower().split())}"
        assert {"court", "date", "case_name"} <= set(root.tags)
        assert document.edition_date is not None
        assert 1922 <= document.edition_date.year <= 1923
    assert sum("case_number" in document.nodes[0].tags for document in documents) == 198


def test_every_opinion_can_be_stored(shared_data: Path) -> None:
    for document in parsed(shared_data):
        assert len(build_rows(document, None)) == len(document.nodes) == len({node.urn for node in document.nodes})
        assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == [
            node.urn for node in document.nodes
        ]
