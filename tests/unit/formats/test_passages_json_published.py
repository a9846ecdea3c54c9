"""The passages parser on published rulebooks: every passage once, under its id, and nothing of it lost."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.contrib.passages_json import PassagesJson
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, Tree
from retrieval.paths import root_path

pytestmark = pytest.mark.data

COUNT = 40


@lru_cache(maxsize=COUNT)
def parsed(folder: Path, number: int) -> ParsedDocument:
    path = folder / "obliqa" / "StructuredRegulatoryDocuments" / f"{number}.json"
    return PassagesJson().parse(Source(path, path.parent))


def published(folder: Path, number: int) -> list[dict[str, str]]:
    path = folder / "obliqa" / "StructuredRegulatoryDocuments" / f"{number}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_passages_keep_their_order_but_those_that_stand_apart_from_their_parent(shared_data: Path) -> None:
    moved = set[int]()
    for number in range(1, COUNT + 1):
        document = parsed(shared_data, number)
        if [node.aliases[0] for node in document.nodes[1:]] != [
            entry["ID"] for entry in published(shared_data, number)
        ]:
            moved.add(number)
            assert any("stands apart" in warning for warning in document.warnings)
    assert moved == {6, 7, 10, 11, 13, 28, 40}


def test_every_rulebook_is_one_tree_that_can_be_stored(shared_data: Path) -> None:
    for number in range(1, COUNT + 1):
        document = parsed(shared_data, number)
        rows = build_rows(document, root_path(document.corpus.urn))
        assert len({row.path for row in rows}) == len(rows)
        assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == [
            node.urn for node in document.nodes
        ]


def test_known_passages_have_the_rank_they_are_cited_by(shared_data: Path) -> None:
    rulebook = {node.urn.removeprefix("urn:lex:ae:doc:passages-"): node for node in parsed(shared_data, 1).nodes}
    assert rulebook["1:1:1"].kind == "section"
    assert rulebook["1:1:1:1"].structure_type == "SECTION"
    assert rulebook["1:1:1:1:2"].text.startswith("Nothing in the AML Rulebook")
    act = {node.urn.removeprefix("urn:lex:ae:doc:passages-"): node for node in parsed(shared_data, 17).nodes}
    assert act["17"].heading == "FINANCIAL SERVICES AND MARKETS REGULATIONS 2015"
    assert act["17:part_2:chapter_1:5a"].structure_type == "SECTION"


def test_the_file_of_questions_is_skipped_and_every_rulebook_is_claimed(shared_data: Path) -> None:
    one = PassagesJson()
    for path in sorted((shared_data / "obliqa").rglob("*.json")):
        head = path.read_bytes()[:HEAD_BYTES]
        questions = path.name.startswith("ObliQA")
        assert (one.claims(path, head), bool(one.skips(path, head))) == (not questions, questions)
