"""The Akoma Ntoso parser on published bills and judgments: nothing lost, doubled or moved."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.akn.parser import AkomaNtoso
from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import KINDS, STRUCTURE_TYPES, ParsedDocument, Tree
from retrieval.paths import parse_urn

pytestmark = pytest.mark.data

FORMAT = AkomaNtoso()
FOLDERS = ("uk-akn-lawmaker", "uk-judgments-akn")


@pytest.fixture
def documents(shared_data: Path) -> dict[str, ParsedDocument]:
    return parsed(shared_data)


@cache
def parsed(shared_data: Path) -> dict[str, ParsedDocument]:
    return {
        path.name: FORMAT.parse(Source(path, shared_data))
        for folder in FOLDERS
        for path in sorted((shared_data / folder).glob("*.xml"))
    }


def local(element: etree._Element) -> str:
    return etree.QName(element).localname


def test_every_document_is_claimed_and_can_be_stored(documents: dict[str, ParsedDocument], shared_data: Path) -> None:
    for document in documents.values():
        path = shared_data / document.source
        assert FORMAT.claims(path, path.read_bytes()[:HEAD_BYTES])
        assert len(build_rows(document, None)) == len(document.nodes)
        for node in document.nodes:
            assert node.structure_type in STRUCTURE_TYPES
            assert node.kind in KINDS
            assert parse_urn(node.urn).text == node.urn
            assert all(0 <= mark.start < mark.end <= len(node.text) for mark in node.marks)
    assert len({document.urn for document in documents.values()}) == len(documents)
    aliases = [alias for document in documents.values() for node in document.nodes for alias in node.aliases]
    assert len(aliases) == len(set(aliases))


def test_numbered_paragraphs_of_judgments_have_their_official_numbers(
    documents: dict[str, ParsedDocument], shared_data: Path
) -> None:
    seen = 0
    for document in documents.values():
        tree = Tree(document.nodes)
        root = etree.parse(shared_data / document.source).getroot()
        for paragraph in root.iterfind(".//{*}decision//{*}paragraph"):
            match = re.fullmatch(r"para_(\d+)", paragraph.get("eId", ""))
            if match:
                node = tree.by_urn[f"{document.urn}:{match[1]}"]
                assert (node.kind, node.number) == ("decision", match[1])
                seen += 1
    assert seen == 1129


def test_definitions_marked_in_quoted_acts_are_left_out_with_them(
    documents: dict[str, ParsedDocument], shared_data: Path
) -> None:
    marked, outside = 0, 0
    for document in documents.values():
        marked += sum(mark.kind == "term" for node in document.nodes for mark in node.marks)
        for term in etree.parse(shared_data / document.source).getroot().iter("{*}def"):
            above = {local(iterancestor) for iterancestor in term.iterancestors()}
            outside += not above & {"quotedStructure", "quotedText"}
    assert marked == outside > 100


@pytest.mark.parametrize(
    ("file", "urn", "level", "words"),
    [
        ("test12.xml", "urn:lex:gb:ewhc-ch-2011-3553:1", "paragraph", ""),
        ("test32.xml", "urn:lex:gb:ewca-civ-2022-840:100", "paragraph", ""),
        ("test44.xml", "urn:lex:gb:ukftt-tc-2022-347:12:a:ii", "subparagraph", "Why are paragraphs 6-13"),
        ("nipubb-test8.xml", "urn:lex:gb:nipubb-justice-bill:3:12", "subsection", "“commencement day” means"),
        ("nipubb-test8.xml", "urn:lex:gb:nipubb-justice-bill:sch.4:10:3:a", "paragraph", "in sub-paragraph (1) for"),
        (
            "nipubb-quoted-text-and-defined-terms.xml",
            "urn:lex:gb:nipubb-adoption-and-children-bill:2:2:def.adoption-agency",
            "definition",
            "“adoption agency” means",
        ),
    ],
)
def test_known_provisions_are_found_where_they_are_cited(
    documents: dict[str, ParsedDocument], file: str, urn: str, level: str, words: str
) -> None:
    node = Tree(documents[file].nodes).by_urn[urn]
    assert node.level == level
    assert words in node.text


def test_only_akoma_ntoso_is_claimed_among_all_publications(shared_data: Path) -> None:
    claimed: Counter[str] = Counter()
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        for path in [file for file, _ in zip(files, range(12), strict=False)]:
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
            claimed[folder.name] += FORMAT.claims(path, head) or bool(FORMAT.skips(path, head))
    assert {folder for folder, count in claimed.items() if count} == set(FOLDERS)
