"""The eCFR parser on published titles: nothing lost, nothing doubled, every paragraph where the source has it."""

from __future__ import annotations

import random
import re
from datetime import date
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.base import Source
from rag.ingest.formats.designators import readings
from rag.ingest.formats.ecfr.xml import EcfrXml
from rag.law.nodes import ParsedDocument, Tree
from retrieval.paths import child_path, parse_urn, root_path

pytestmark = pytest.mark.data

FILES = ("ECFR-title1.xml", "ECFR-title3.xml", "ECFR-title11.xml", "title-1-2023-01-01.xml")


@lru_cache(maxsize=8)
def parsed(folder: Path, name: str) -> ParsedDocument:
    return EcfrXml().parse(Source(folder / "ecfr-xml" / name, folder))


@lru_cache(maxsize=8)
def sections(folder: Path, name: str) -> list[etree._Element]:
    return list(etree.parse(str(folder / "ecfr-xml" / name)).getroot().iter("DIV8"))


@pytest.mark.parametrize("name", FILES)
def test_nodes_are_one_tree_with_one_address_each(shared_data: Path, name: str) -> None:
    document = parsed(shared_data, name)
    seen: dict[str, str] = {}
    for node in document.nodes:
        assert parse_urn(node.urn).text == node.urn
        assert node.urn not in seen
        if node.parent_urn is None:
            seen[node.urn] = root_path(document.corpus.urn)
        else:
            seen[node.urn] = child_path(seen[node.parent_urn], node.level, node.number)
        for mark in node.marks:
            assert node.text[mark.start : mark.end].strip() == node.text[mark.start : mark.end] != ""
        assert node.valid_from is None or node.valid_from <= (document.edition_date or date.max)
    assert len(set(seen.values())) == len(seen)
    assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == list(seen)


def consecutive(numbers: list[str], style: str) -> bool:
    ends = [tuple(dict(readings(item)).get(style, (0, 0))[0] for item in number.split("-")) for number in numbers]
    return ends[0][0] == 1 and all(one[-1] + 1 == two[0] for one, two in pairwise(ends))


def test_paragraphs_of_one_list_are_consecutive(shared_data: Path) -> None:
    broken: list[str] = []
    lists = 0
    for name in FILES[:3]:
        document = parsed(shared_data, name)
        tree = Tree(document.nodes)
        for node in document.nodes:
            numbers = [
                child.number for child in tree.children(node.urn)
                if child.level == "paragraph" and not child.number.startswith("p.")
            ]  # fmt: skip
            lists += bool(numbers)
            if numbers and not any(consecutive(numbers, style) for style in ("1", "a", "i", "A", "I")):
                broken.append(node.urn)
    # Title 11 prints (a)(1), (2), (3), (5) there; the parser says so in its warnings.
    assert broken == ["urn:lex:us:11cfr:4.9:a"]
    assert any("11cfr:4.9:a:5" in warning for warning in parsed(shared_data, FILES[2]).warnings)
    assert lists > 1800


def test_deep_paragraphs_are_found_in_their_sections_source(shared_data: Path) -> None:
    document = parsed(shared_data, FILES[2])
    tree = Tree(document.nodes)
    source = {(section.get("N") or "").strip("§ "): section for section in sections(shared_data, FILES[2])}
    deep = [node for node in document.nodes if node.structure_type in ("CLAUSE", "ITEM") and node.text]
    for node in random.Random(11).sample(deep, 50):
        rule = next(ancestor for ancestor in tree.ancestors(node) if ancestor.level == "section")
        paragraphs = [" ".join("".join(element.itertext()).split()) for element in source[rule.number].iter("P")]
        shown = re.escape(f"({node.number}) {node.heading}".strip()).replace(r"\ ", " ?")
        opening = re.compile(rf"{shown}[ —]*{re.escape(node.text.partition(chr(10))[0])}")
        assert any(opening.search(paragraph) for paragraph in paragraphs), node.urn


@pytest.mark.parametrize(
    ("urn", "structure", "heading", "start"),
    [
        ("100.5", "SECTION", "Political committee (52 U.S.C. 30101(4), (5), and (6)).", "Political committee means"),
        ("100.5:e:1", "PARAGRAPH", "Principal campaign committee.", "Principal campaign committee means"),
        ("100.5:g:4:ii:a", "CLAUSE", "", "Whether a sponsoring organization owns"),
        ("104.22:a:4:ii:b:1", "ITEM", "", "A lobbyist/registrant had a primary role"),
        ("100.22:a", "SUBSECTION", "", "Uses phrases such as"),
        ("9420.2:def.facility", "DEFINITION", "", "Facility means all or any portion"),
        ("110.1:e:2:ii", "SUBPARAGRAPH", "", "These partners' profits are reduced"),
    ],
)
def test_well_known_paragraphs_have_their_addresses(
    shared_data: Path, urn: str, structure: str, heading: str, start: str
) -> None:
    node = Tree(parsed(shared_data, FILES[2]).nodes).by_urn[f"urn:lex:us:11cfr:{urn}"]
    assert (node.structure_type, node.heading) == (structure, heading)
    assert node.text.startswith(start)


def test_dates_and_authorities_are_those_of_the_publication(shared_data: Path) -> None:
    document = parsed(shared_data, FILES[2])
    found = Tree(document.nodes).by_urn
    assert document.edition_date == date(2025, 2, 20)
    assert document.corpus.title == "Code of Federal Regulations, Title 11 (Federal Elections)"
    assert found["urn:lex:us:11cfr:1.1"].valid_from == date(2014, 12, 29)
    # Its history stands in a finding aid, so the part's age would be a wrong answer.
    assert found["urn:lex:us:11cfr:110.1"].valid_from is None
    parts = {link.source_urn for link in document.links if link.kind == "enabled_by"}
    assert len([urn for urn in parts if ":part_" in urn]) == 53
