"""The USLM parser on the titles and compilations as published: nothing lost, doubled or moved."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.uscode.uslm import Uslm
from rag.law.nodes import STRUCTURE_TYPES, ParsedDocument, Tree
from retrieval.paths import child_path, parse_urn, root_path

pytestmark = pytest.mark.data

FOLDERS = ("uscode-uslm", "us-uslm2")
# What the source says beside the law.
BESIDE = frozenset({"notes", "note", "sourceCredit", "toc", "editorialNote", "footnote"})


def files(shared_data: Path) -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((shared_data / folder).glob("*.xml"))]


@cache
def parsed(path: Path) -> ParsedDocument:
    return Uslm().parse(Source(path, path.parent))


@pytest.fixture
def documents(shared_data: Path) -> dict[str, ParsedDocument]:
    return {path.stem: parsed(path) for path in files(shared_data)}


def name_of(element: etree._Element) -> str:
    return etree.QName(element).localname


def test_every_identifier_of_the_law_leads_to_one_node(shared_data: Path) -> None:
    for path in files(shared_data):
        root = etree.parse(path).getroot()
        known = Counter(alias for node in parsed(path).nodes for alias in node.aliases)
        assert max(known.values()) == 1
        for element in root.iter(etree.Element):
            beside = any(
                name_of(iterancestor) in (*BESIDE, "quotedContent") for iterancestor in element.iterancestors()
            )
            for identifier in [] if beside else (element.get("identifier") or "").split():
                assert known[identifier] == 1, identifier


def test_nodes_are_well_formed_and_follow_their_parents(documents: dict[str, ParsedDocument]) -> None:
    for document in documents.values():
        known = {node.parent_urn: root_path(document.urn) for node in document.nodes[:1]}
        for node in document.nodes:
            assert node.parent_urn in known
            assert node.urn not in known
            assert parse_urn(node.urn).text == node.urn
            assert node.structure_type in STRUCTURE_TYPES
            assert node.kind == (
                "section" if node.structure_type in ("TITLE", "CHAPTER", "PART", "ROOT") else "legislation"
            )
            assert "\u00ad" not in node.text
            assert node.text == node.text.strip()
            parent = known[node.parent_urn]
            known[node.urn] = parent if node.parent_urn is None else child_path(parent, node.level, node.number)
        paths = [path for urn, path in known.items() if urn]
        assert len(paths) == len(set(paths))
        known_urns = set(known)
        assert known_urns.isdisjoint(alias for node in document.nodes for alias in node.aliases)


def test_sections_number_as_the_snapshot_says(documents: dict[str, ParsedDocument]) -> None:
    sections = {
        name: sum(node.structure_type == "SECTION" for node in document.nodes) for name, document in documents.items()
    }
    assert sum(count for name, count in sections.items() if name.startswith("usc")) == 562
    assert {name: count for name, count in sections.items() if name.startswith("COMPS")} == {
        "COMPS-1523": 34, "COMPS-1649": 28, "COMPS-1656": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "urn", "level", "text"),
    [
        ("usc17", "17usc:106", "section", "Subject to sections 107 through 122"),
        ("usc17", "17usc:115:d:3:d:ix:ii:aa:aa", "subitem", ""),
        ("usc17", "17usc:101:joint-work", "definition", "A “joint work” is a work prepared by two or more authors"),
        ("usc17", "17usc:110:p.3:b", "subparagraph", "with respect to an institution providing elementary"),
        ("usc17", "17usc:801:b:2:a:p.1", "paragraph", "except that—"),
        ("usc17", "17usc:chapter_1", "chapter", ""),
        ("usc35", "35usc:part_ii", "part", ""),
        ("usc13", "13usc:chapter_1:subchapter_i", "subchapter", ""),
        ("usc27", "27usc:11-to-40", "section", ""),
        ("COMPS-1523", "pl-91-596:2:b:1", "paragraph", "by encouraging employers and employees"),
        ("COMPS-1523", "pl-91-596:1", "section", "That this Act may be cited"),
        ("COMPS-1649", "pl-95-604:101:6:a:ii", "clause", "a license (issued by the Commission"),
        ("COMPS-1649", "pl-95-604:title_i", "title", ""),
    ],
)
def test_known_provisions_are_found_where_they_are_cited(
    documents: dict[str, ParsedDocument], name: str, urn: str, level: str, text: str
) -> None:
    node = Tree(documents[name].nodes).by_urn[f"urn:lex:us:{urn}"]
    assert node.level == level
    assert node.text.startswith(text)


def test_dates_status_and_addresses_come_from_the_publication(documents: dict[str, ParsedDocument]) -> None:
    title = Tree(documents["usc17"].nodes).by_urn
    section = title["urn:lex:us:17usc:106"]
    assert section.valid_from == title["urn:lex:us:17usc:106:1"].valid_from == date(2002, 11, 2)
    assert section.aliases == ["/us/usc/t17/s106"]
    assert section.tags["section_number"] == "106"
    assert title["urn:lex:us:17usc:509"].tags["status"] == "repealed"
    assert documents["usc17"].edition_date == date(2025, 8, 26)
    stub = Tree(documents["usc27"].nodes).by_urn["urn:lex:us:27usc:43a-43b"]
    assert stub.tags["status"] == "omitted"
    assert stub.aliases == ["/us/usc/t27/s43a", "/us/usc/t27/s43b", "urn:lex:us:27usc:43a", "urn:lex:us:27usc:43b"]
    act = Tree(documents["COMPS-1523"].nodes).by_urn["urn:lex:us:pl-91-596:4"]
    assert act.tags["codified_at"] == "urn:lex:us:29usc:653"
    assert documents["COMPS-1523"].edition_date == date(2019, 12, 20)


def test_marks_stand_on_the_words_they_mark(documents: dict[str, ParsedDocument]) -> None:
    marks = [(node, mark) for document in documents.values() for node in document.nodes for mark in node.marks]
    terms = [node.text[mark.start : mark.end] for node, mark in marks if mark.kind == "term"]
    assert len(terms) == 28
    assert "processing site" in terms
    for node, mark in marks:
        assert node.text[mark.start : mark.end].strip()
        assert 0 <= mark.start < mark.end <= len(node.text)


def test_references_into_these_titles_resolve_to_a_node(documents: dict[str, ParsedDocument]) -> None:
    nodes = [node for document in documents.values() for node in document.nodes]
    known = {node.urn for node in nodes} | {alias for node in nodes for alias in node.aliases}
    targets = [mark.target for node in nodes for mark in node.marks if mark.target]
    here = [target for target in targets if re.match(r"urn:lex:us:(1|4|9|13|17|27|35)usc", target)]
    assert len(here) > 30
    assert [target for target in here if target not in known] == []


def test_only_documents_of_law_in_uslm_are_claimed(shared_data: Path) -> None:
    claimed: Counter[str] = Counter()
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        for path in [path for path in sorted(folder.rglob("*")) if path.is_file()][:40]:
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
            claimed[folder.name] += Uslm().claims(path, head)
            assert not Uslm().skips(path, head)
    assert +claimed == {"us-uslm2": 3, "uscode-uslm": 7}
