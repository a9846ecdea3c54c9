"""The CLML parser on law as legislation.gov.uk publishes it: nothing lost, doubled or moved."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.clml.parser import Clml
from rag.jurisdictions.gb.addresses import read_uri
from rag.law.nodes import STRUCTURE_TYPES, ParsedDocument
from retrieval.paths import parse_urn

pytestmark = pytest.mark.data


@cache
def parsed(folder: Path) -> dict[str, ParsedDocument]:
    parser = Clml()
    return {path.name: parser.parse(Source(path, folder)) for path in sorted(folder.glob("*.xml"))}


@pytest.fixture
def documents(shared_data: Path) -> dict[str, ParsedDocument]:
    return parsed(shared_data / "uk-clml")


def name(element: etree._Element) -> str:
    return etree.QName(element).localname


def test_nodes_are_well_formed_and_follow_their_parents(documents: dict[str, ParsedDocument]) -> None:
    for file, document in documents.items():
        seen = {document.nodes[0].parent_urn}
        for node in document.nodes:
            assert node.parent_urn in seen, (file, node.urn)
            assert parse_urn(node.urn).text == node.urn
            assert node.urn not in seen, "these files hold no two versions of a provision"
            assert node.structure_type in STRUCTURE_TYPES
            assert node.number
            seen.add(node.urn)
            for mark in node.marks:
                assert 0 <= mark.start < mark.end <= len(node.text), node.urn
                assert node.text[mark.start : mark.end].strip() == node.text[mark.start : mark.end], node.urn


def test_the_publishers_own_addresses_name_the_nodes_they_belong_to(documents: dict[str, ParsedDocument]) -> None:
    seen = 0
    for document in documents.values():
        for node in document.nodes:
            for alias in node.aliases:
                address = read_uri(alias)
                assert address is not None
                if address.path[-1:] not in ((), ("introduction",)) and not re.search("crossheading|wrapper", alias):
                    assert address.urn == node.urn
                    seen += 1
    assert seen > 1500


def test_text_of_other_acts_makes_no_nodes(documents: dict[str, ParsedDocument]) -> None:
    health = {node.urn: node for node in documents["ukpga_20030004_en.xml"].nodes}
    assert "urn:lex:gb:ukpga-2003-4:20a" not in health
    amending = health["urn:lex:gb:ukpga-2003-4:1:1"]
    quoted = [amending.text[mark.start : mark.end] for mark in amending.marks if mark.kind == "quoted"]
    assert len(quoted) == 1
    assert quoted[0].startswith("Community Health Councils in Wales\n20A (1) The Community Health Councils")


def test_references_inside_an_instrument_reach_its_nodes(documents: dict[str, ParsedDocument]) -> None:
    noise = documents["uksi_20051643_en.xml"]
    urns = {node.urn for node in noise.nodes}
    own = [mark for node in noise.nodes for mark in node.marks if mark.target.startswith(noise.corpus.urn)]
    assert len(own) > 50
    assert all(mark.target in urns for mark in own)


def test_two_dates_of_one_section_are_one_urn_with_validity(documents: dict[str, ParsedDocument]) -> None:
    before = documents["ukpga-2000-38-section-19-2014-04-01.xml"].nodes[0]
    after = documents["ukpga-2000-38-section-19.xml"].nodes[0]
    assert before.urn == after.urn == "urn:lex:gb:ukpga-2000-38:19"
    assert before.parent_urn == "urn:lex:gb:ukpga-2000-38"
    assert before.valid_from is not None
    assert after.valid_from is not None
    assert before.valid_from < after.valid_from


def test_files_of_other_formats_are_not_claimed(shared_data: Path) -> None:
    parser = Clml()
    claimed = set[str]()
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in files[:: max(1, len(files) // 12)]:
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
            if parser.claims(path, head) or parser.skips(path, head):
                claimed.add(folder.name)
    assert claimed == {"uk-clml"}
