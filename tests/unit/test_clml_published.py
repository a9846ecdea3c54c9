"""The CLML parser on law as legislation.gov.uk publishes it: nothing lost, doubled or moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.clml import Clml
from rag.ingest.formats.clml_uris import read_uri
from rag.ingest.nodes import STRUCTURE_TYPES, ParsedDocument, ParsedNode, Tree
from retrieval.paths import parse_urn

pytestmark = pytest.mark.data

NOTES = {"CommentaryRef", "MarginNoteRef", "FootnoteRef", "Image", "annotation", "ExplanatoryNotes", "EarlierOrders"}
FRAGMENTS = {"ukpga-1981-54": "Part", "ukpga-1996-31": "P1group", "ukpga-2000-38": "P1group"}
ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
READER = etree.XMLParser(remove_comments=True, remove_pis=True)
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")


@cache
def parsed(folder: Path) -> dict[str, ParsedDocument]:
    parser = Clml()
    return {path.name: parser.parse(Source(path, folder)) for path in sorted(folder.glob("*.xml"))}


@pytest.fixture
def documents(shared_data: Path) -> dict[str, ParsedDocument]:
    return parsed(shared_data / "uk-clml")


def name(element: etree._Element) -> str:
    return etree.QName(element).localname


def characters(text: str) -> str:
    """Without what the publisher's style sheets print around words: white space, brackets, quotes, bars, joints."""
    text = re.sub(r"\[\d+\]", "", text.casefold())
    return re.sub(r"[\s()“”|/^_]+", "", text)


def ordinal(kind: str, value: int) -> str:
    return {"alpha": chr(96 + value), "roman": ROMAN[value - 1]}.get(kind, str(value))


def words(element: etree._Element, notes: dict[str, etree._Element], *, table: bool = False) -> Iterator[str]:
    """All words of a published element in printed order."""
    tag = name(element)
    if tag in NOTES or (tag == "Footnote" and not table):
        return
    if tag == "Number" and name(element.getparent()) == "Division":
        yield "".join(element.itertext()).strip(" .")
        return
    if tag == "Number" and name(element.getparent()) == "Schedule":
        text = "".join(element.itertext()).casefold()
        yield "".join(ORDINALS.get(word, word) for word in sorted(text.split(), key=lambda word: word != "schedule"))
        return
    if tag == "Pnumber" and any(name(above) == "BlockAmendment" for above in element.iterancestors()):
        yield element.get("PuncBefore", "") + "".join(element.itertext()) + element.get("PuncAfter", "")
        return
    outer, table = table, table or tag in ("Tabular", "table")
    yield re.sub(r"\AArticle\s", "", element.text or "") if tag == "Pnumber" else element.text or ""
    start = int(element.get("Start", "1"))
    for index, child in enumerate(sorted(element, key=lambda part: name(part) == "tfoot")):
        if tag == "OrderedList":
            yield child.get("NumberOverride", ordinal(element.get("Type", ""), index + start))
        if tag == "KeyListItem" and index == 1:
            yield element.getparent().get("Separator", "")
        yield from words(child, notes, table=table)
        yield child.tail or ""
    if table and not outer:
        inside = {note.get("id") for note in element.iter("{*}Footnote")}
        for ref in dict.fromkeys(ref.get("Ref") for ref in element.iter("{*}FootnoteRef")):
            if ref not in inside:
                yield "".join(notes[ref].itertext())


def stored(tree: Tree, node: ParsedNode) -> str:
    """The node's heading, designator and words in printed order, with everything below it."""
    number = node.number.partition("~")[0]
    if node.level == "schedules":
        title = node.heading
    elif node.kind == "section" or node.level in ("schedule", "annex") or node.structure_type == "PART":
        shown = "" if node.urn.endswith(f"_{number}") and number not in ("1", "2", "3") else node.level + number
        if re.search(rf":{node.level}_{re.escape(number.lower())}\Z", node.urn) and node.level in ("part", "chapter"):
            shown = node.level + number
        title = "" if node.structure_type == "ROOT" else (node.level if number == node.level else shown) + node.heading
    elif node.level == "form":
        title = node.heading
    elif node.level == "division":
        title = ("" if number.startswith("division_") else number) + node.heading
    elif re.fullmatch(r"p\.\d+|def\..*|introduction|signature", number) or node.level == "heading":
        title = node.heading
    else:
        title = node.heading + number
    below = "".join(stored(tree, child) for child in tree.children(node.urn))
    return title + node.intro_text + below + node.content_text


def test_every_document_has_all_its_words_in_published_order(
    documents: dict[str, ParsedDocument], shared_data: Path
) -> None:
    for file, document in documents.items():
        root = etree.parse(shared_data / "uk-clml" / file, READER).getroot()
        notes = {note.get("id"): note for note in root.iter("{*}Footnote")}
        law = parse_urn(document.corpus.urn).corpus
        content = next(part for part in root if name(part) in ("Primary", "Secondary", "EURetained"))
        if law in FRAGMENTS:
            content = next(content.iter(f"{{*}}{FRAGMENTS[law]}"))
        found = characters(stored(Tree(document.nodes), document.nodes[0]))
        assert found == characters("".join(words(content, notes))), file


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
