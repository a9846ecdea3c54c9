"""The D.C. Code parser on titles 28 and 42 as published: nothing lost, doubled or moved."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.dc_xml.parser import DcXml
from rag.law.nodes import STRUCTURE_TYPES, ParsedDocument, ParsedNode, Tree
from retrieval.paths import parse_urn

pytestmark = pytest.mark.data

CODE = "urn:lex:us-dc:code"
LIBRARY = "{https://code.dccouncil.us/schemas/dc-library}"
SECTIONS = {"28": 886, "42": 1018}


@pytest.fixture
def corpus(shared_data: Path) -> Path:
    return shared_data / "dc-code-xml"


@pytest.fixture
def titles(corpus: Path) -> dict[str, ParsedDocument]:
    return parsed(corpus)


@pytest.fixture
def published(corpus: Path) -> dict[str, etree._Element]:
    return section_files(corpus)


@cache
def parsed(corpus: Path) -> dict[str, ParsedDocument]:
    parser = DcXml()
    found: dict[str, ParsedDocument] = {}
    for number in SECTIONS:
        path = corpus / f"us/dc/council/code/titles/{number}/index.xml"
        found[number] = parser.parse(Source(path, corpus, parser.parts(path, corpus)))
    return found


@cache
def section_files(corpus: Path) -> dict[str, etree._Element]:
    """Every section file's root by its number, without annotations."""
    found: dict[str, etree._Element] = {}
    for path in sorted(corpus.glob("us/dc/council/code/titles/*/sections/*.xml")):
        root = etree.parse(path).getroot()
        for notes in list(root.iter(f"{LIBRARY}annotations")):
            notes.getparent().remove(notes)
        number = root.findtext(f"{LIBRARY}num")
        assert number not in found
        found[number] = root
    return found


def sections(document: ParsedDocument) -> list[ParsedNode]:
    return [node for node in document.nodes if node.structure_type == "SECTION"]


def test_every_published_section_is_stored_exactly_once(
    titles: dict[str, ParsedDocument], published: dict[str, etree._Element]
) -> None:
    numbers = [node.number for document in titles.values() for node in sections(document)]
    assert {title: len(sections(document)) for title, document in titles.items()} == SECTIONS
    assert Counter(numbers) == Counter(published.keys())


def test_containers_and_sections_stand_in_the_order_of_the_index(
    titles: dict[str, ParsedDocument], corpus: Path
) -> None:
    for number, document in titles.items():
        index = etree.parse(corpus / f"us/dc/council/code/titles/{number}/index.xml").getroot()
        hrefs = [element.get("href") for element in index.iter("{http://www.w3.org/2001/XInclude}include")]
        files = [href.removeprefix("./sections/").removesuffix(".xml").replace("~", ":") for href in hrefs]
        assert [node.number for node in sections(document)] == files
        numbers = [element.findtext(f"{LIBRARY}num") for element in index.iter(f"{LIBRARY}container")]
        groups = {"28": ["II"], "42": ["I", "II", "III", "IV", "V", "VI", "VII", "VII-A", "VIII"]}[number]
        containers = [node.number for node in document.nodes if node.kind == "section"]
        assert Counter(containers) == Counter(numbers + groups)


def test_nodes_are_well_formed_and_follow_their_parents(titles: dict[str, ParsedDocument]) -> None:
    for document in titles.values():
        known = {document.corpus.urn}
        for node in document.nodes:
            assert node.parent_urn in known
            assert node.urn not in known
            known.add(node.urn)
            assert parse_urn(node.urn).text == node.urn
            assert node.structure_type in STRUCTURE_TYPES
            assert node.text == node.text.strip()
        siblings = Counter((node.parent_urn, node.level, node.number.lower()) for node in document.nodes)
        assert max(siblings.values()) == 1
        aliases = [alias for node in document.nodes for alias in node.aliases]
        assert len(aliases) == len(set(aliases))
        assert known.isdisjoint(aliases)


def test_designators_published_twice_are_kept_and_reported(titles: dict[str, ParsedDocument]) -> None:
    urns = {node.urn for document in titles.values() for node in document.nodes}
    assert {urn for urn in urns if "~" in urn} == {f"{CODE}:28:9-323:b~2", f"{CODE}:42-1904.09:g~2"} | {
        f"{CODE}:28:9-323:b~2:{number}" for number in ("1", "2")
    }
    assert [len(document.warnings) for document in titles.values()] == [1, 1]


def test_marks_stand_on_the_words_the_publisher_marked(
    titles: dict[str, ParsedDocument], published: dict[str, etree._Element]
) -> None:
    cites = Counter(
        " ".join("".join(cite.itertext()).split())
        for section in published.values()
        for cite in section.iter(f"{LIBRARY}cite", f"{LIBRARY}code-cite")
    )
    nodes = [node for document in titles.values() for node in document.nodes]
    assert Counter(node.text[mark.start : mark.end] for node in nodes for mark in node.marks) == cites


def test_marks_resolve_unless_the_publication_is_stale(titles: dict[str, ParsedDocument]) -> None:
    known = {node.urn for document in titles.values() for node in document.nodes}
    inside = re.compile(rf"{CODE}:(?:title_)?(?:28|42)[:-]")
    targets = [mark.target for document in titles.values() for node in document.nodes for mark in node.marks]
    here = [target for target in targets if inside.match(target)]
    assert len(here) > 1600
    assert sum(target not in known for target in here) / len(here) < 0.02


@pytest.mark.parametrize(
    ("urn", "level", "words"),
    [
        ("42-3502.17:b", "subsection", "nonpayment of interest on tenant security deposits"),
        ("42-3501.03:a:33", "paragraph", "“Rental unit” means"),
        ("28:9-102:a:2", "paragraph", "“Account”"),
        ("28:2-103:1:a", "paragraph", "“Buyer” means"),
        ("42-3402.11", "section", ""),
        ("28-3904", "section", ""),
    ],
)
def test_known_provisions_are_found_where_they_are_cited(
    titles: dict[str, ParsedDocument], urn: str, level: str, words: str
) -> None:
    nodes = {node.urn: node for document in titles.values() for node in document.nodes}
    node = nodes[f"{CODE}:{urn}"]
    assert node.level == level
    assert words in node.text


def test_dates_and_tags_come_from_the_notes(titles: dict[str, ParsedDocument]) -> None:
    nodes = {node.urn: node for document in titles.values() for node in document.nodes}
    assert nodes[f"{CODE}:42-3502.17"].valid_from == date(2012, 6, 7)
    assert nodes[f"{CODE}:42-3502.17:b"].valid_from == date(2012, 6, 7)
    assert nodes[f"{CODE}:42-820"].valid_from == date(2012, 9, 26)
    assert nodes[f"{CODE}:42-1502"].valid_from is None  # an English statute, dated by its year only
    assert nodes[f"{CODE}:42-832.07"].tags["status"] == "repealed"
    assert nodes[f"{CODE}:42-832.07"].tags["temporary_legislation"] == "true"
    statuses = Counter(node.tags.get("status") for node in nodes.values() if node.structure_type == "SECTION")
    assert statuses["repealed"] >= 274


def test_subheadings_are_the_subtitles_that_the_code_cites(titles: dict[str, ParsedDocument]) -> None:
    tree = Tree(titles["42"].nodes)
    chapter = tree.by_urn[f"{CODE}:title_42:chapter_35"]
    assert [node.heading for node in tree.ancestors(chapter)] == [
        "Rental Housing and Commercial Tenancy.",
        "Real Property.",
    ]
    assert f"{CODE}:title_42:chapter_35:subchapter_ii" in tree.by_urn


def test_every_file_of_the_corpus_is_claimed_or_explained(corpus: Path) -> None:
    parser = DcXml()
    outcome: Counter[str] = Counter()
    for path in corpus.glob("us/**/*.xml"):
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        outcome["title" if parser.claims(path, head) else parser.skips(path, head)] += 1
    assert outcome == {
        "title": 2,
        "part of a title's index.xml": 1904,
        "index of the code; its titles are documents of their own": 1,
    }


def test_a_title_named_alone_is_the_same_as_in_the_corpus(titles: dict[str, ParsedDocument], corpus: Path) -> None:
    path = corpus / "us/dc/council/code/titles/42/index.xml"
    parser = DcXml()
    alone = parser.parse(Source(path, path.parent, parser.parts(path, path.parent)))
    assert alone.nodes == titles["42"].nodes
    assert alone.source_hash == titles["42"].source_hash
    assert alone.source == "index.xml"
