"""The Akoma Ntoso parser on published bills and judgments: nothing lost, doubled or moved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.akn import AkomaNtoso
from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.nodes import KINDS, STRUCTURE_TYPES, ParsedDocument, ParsedNode, Tree
from rag.ingest.rows import build_rows
from retrieval.paths import parse_urn

pytestmark = pytest.mark.data

FORMAT = AkomaNtoso()
FOLDERS = ("uk-akn-lawmaker", "uk-judgments-akn")
HIERARCHY = {
    "part", "chapter", "hcontainer", "section", "article", "subsection", "paragraph", "subparagraph", "level",
}  # fmt: skip
AS_TEXT = {"embeddedStructure", "header", "preface", "coverPage", "td", "th", "authorialNote"}
GENERATED = re.compile(r"(?:p|al|note|def|level)\.|(?:preface|preamble|header|coverpage|conclusions|sch)\Z")


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


def characters(text: str) -> str:
    return re.sub(r"[\s|]+", "", text)


def bare(number: str) -> str:
    plain = re.sub(r"[^\w]+", " ", number).lower().strip()
    return characters(re.sub(r"\b(?:part|chapter|schedule)\b", "", plain))


def value(element: etree._Element, name: str) -> str:
    return next((text for key, text in element.attrib.items() if etree.QName(key).localname == name), "")


def published(document: etree._Element) -> tuple[str, list[str]]:
    """All words of a document in the order nodes have, and the words of its notes."""
    decision = local(document) == "judgment"
    shown = {one.get("eId"): one.get("showAs") for one in document.iter("{*}TLCConcept", "{*}TLCProcess")}
    notes: list[str] = []

    def skipped(element: etree._Element) -> bool:
        name = local(element)
        return name in ("meta", "toc", "del") or (not decision and name in ("coverPage", "quotedStructure"))

    def walk(element: etree._Element, text: bool) -> Iterator[str]:
        name = local(element)
        if skipped(element):
            return
        if name == "authorialNote":
            notes.append(characters("".join(element.itertext())))
            return
        if name == "ref" and element.get("class") == "placeholder":
            yield shown.get(element.get("href", "")[1:], "")
        text = text or name in AS_TEXT
        numbered = name == "item" and any(re.search(r"\w", num.text or "") for num in element.iterfind("../*/{*}num"))
        parts = list(element)
        if not text and (name in HIERARCHY or numbered):
            for part in sorted(parts, key=lambda one: {"num": 0, "heading": 1}.get(local(one), 2)):
                if local(part) == "num":
                    yield bare("".join(walk(part, True)))
                else:
                    yield from walk(part, text)
            return
        yield value(element, "startQuote") + (element.text or "")
        for part in parts:
            yield from walk(part, text)
            yield part.tail or ""
        yield value(element, "endQuote")

    return characters("".join(walk(document, False))), notes


def stored(tree: Tree, node: ParsedNode) -> Iterator[str]:
    number = node.number.partition("~")[0].removeprefix("h.")
    headed = node.kind == "section" and node.level in ("crossheading", "level", "schedules")
    yield "" if headed or GENERATED.match(number) else bare(number)
    yield node.heading + node.intro_text
    for child in tree.children(node.urn):
        if child.level != "note":
            yield from stored(tree, child)
    yield node.content_text


def test_no_word_is_lost_doubled_or_moved(documents: dict[str, ParsedDocument], shared_data: Path) -> None:
    unlike: list[str] = []
    for name, document in documents.items():
        root = etree.parse(shared_data / document.source).getroot()
        words, notes = published(root[0])
        tree = Tree(document.nodes)
        ours = characters("".join(text for child in tree.children(document.urn) for text in stored(tree, child)))
        kept = [characters(node.text) for node in document.nodes if node.level == "note"]
        if ours != words or Counter(kept) != Counter(notes):
            unlike.append(name)
    assert len(documents) == 16
    assert unlike == []


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
            above = {local(one) for one in term.iterancestors()}
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
    for folder in sorted(one for one in shared_data.iterdir() if one.is_dir()):
        files = (one for one in sorted(folder.rglob("*")) if one.is_file())
        for path in [file for file, _ in zip(files, range(12), strict=False)]:
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
            claimed[folder.name] += FORMAT.claims(path, head) or bool(FORMAT.skips(path, head))
    assert {folder for folder, count in claimed.items() if count} == set(FOLDERS)
