"""The e-Gov parser on the Civil Aeronautics Act as published: nothing lost, doubled or moved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.egov_xml import EgovXml
from rag.ingest.formats.kanji import kanji_numeral
from rag.ingest.formats.xml import Element, read_xml
from rag.ingest.nodes import ParsedDocument, ParsedNode, Tree
from rag.ingest.rows import build_rows

pytestmark = pytest.mark.data

U = "urn:lex:jp:327ac0000000231"
CONTAINERS = {"chapter": "章", "section": "節", "subsection": "款"}
KANA = {"i": "イ", "ro": "ロ", "ha": "ハ", "ni": "ニ", "ho": "ホ"}


@pytest.fixture
def path(shared_data: Path) -> Path:
    return next((shared_data / "jp-egov-xml").glob("*.xml"))


@pytest.fixture
def document(path: Path) -> ParsedDocument:
    return parsed(path)


@cache
def parsed(path: Path) -> ParsedDocument:
    return EgovXml().parse(Source(path, path.parent))


@cache
def published(path: Path) -> Element:
    return read_xml(path, name=path.name)


def words_of(element: Element) -> Iterator[str]:
    """All words of the publication but the table of contents, ruby readings and the numerals of paragraphs."""
    if element.tag in ("TOC", "Rt", "LawNum"):
        return
    paragraph = element.getparent() if element.tag == "ParagraphNum" else None
    if paragraph is not None:
        yield f"[{paragraph.get('Num')}]"
        return
    yield element.text or ""
    for child in element:
        yield from words_of(child)
        yield child.tail or ""


def branched(number: str) -> str:
    return "の".join(kanji_numeral(int(one)) for one in number.split("-"))


def printed(node: ParsedNode) -> str:
    """Designator and heading as the publication prints them."""
    if node.level in CONTAINERS:
        return f"第{branched(node.number)}{CONTAINERS[node.level]}{node.heading}"
    caption = f"（{node.heading}）" if node.heading else ""
    if node.level == "article":
        low, _, high = node.number.partition("..")
        ends = [f"第{kanji_numeral(int(one.partition('-')[0]))}条{branch(one)}" for one in (low, high) if one]
        neighbours = high and int(high) == int(low) + 1
        return caption + ("及び".join(ends) if neighbours else "から".join(ends) + ("まで" if high else ""))
    if node.level == "paragraph":
        return f"{caption}[{node.number}]"
    if node.level == "item":
        return "及び".join(branched(one) for one in node.number.split(".."))
    return KANA[node.number] if node.level == "subitem1" else node.heading


def branch(number: str) -> str:
    return "".join(f"の{kanji_numeral(int(one))}" for one in number.split("-")[1:])


def stored(tree: Tree, node: ParsedNode) -> str:
    below = "".join(stored(tree, child) for child in tree.children(node.urn))
    return printed(node) + node.intro_text + below + node.content_text


def bare(text: str) -> str:
    return re.sub(r"[\s|]+", "", text)


def test_every_word_and_designator_is_stored_in_published_order(document: ParsedDocument, path: Path) -> None:
    kept = bare(stored(Tree(document.nodes), document.nodes[0]))
    assert kept == bare("".join(words_of(published(path))))
    assert len(kept) > 150_000


def test_every_element_has_its_node(document: ParsedDocument, path: Path) -> None:
    names = ("Chapter", "Section", "Subsection", "Article", "Paragraph", "Item", "Subitem1")
    source = {name.lower(): sum(1 for _ in published(path).iter(name)) for name in names}
    levels = Counter(node.level for node in document.nodes)
    assert {name: levels[name] for name in source} == source
    assert levels["supplementary"] == 73
    assert levels["appended table"] == 1
    assert sum(levels.values()) == sum(source.values()) + 75


def test_rows_can_be_built_and_nothing_is_doubled(document: ParsedDocument) -> None:
    rows = build_rows(document, None)
    assert len({row.path for row in rows}) == len(rows) == len(document.nodes)
    assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == [one.urn for one in document.nodes]
    aliases = [alias for node in document.nodes for alias in node.aliases]
    assert len(aliases) == len(set(aliases))
    assert {node.urn for node in document.nodes}.isdisjoint(aliases)
    assert document.warnings == [f"{document.source}: left out on purpose: 38 ruby readings, 1 tables of contents"]


@pytest.mark.parametrize(
    ("urn", "start"),
    [
        ("2:1", "この法律において「航空機」とは"),
        ("3-2:1", "航空機は、登録を受けたときは、日本の国籍を取得する。"),
        ("132-40:1", ""),
        ("101:1:5:i", "第四条第一項各号に掲げる者"),
        ("131-2-7:1", ""),
        ("table.1", "資格 | 業務範囲"),
        ("sup:1:1", "この法律は、公布の日から施行する。"),
        ("sup.328ac66:7", "改正前の航空法の規定によりした航空機の登録は"),
        ("121..122:1", "削除"),
    ],
)
def test_known_provisions_are_found_where_they_are_cited(document: ParsedDocument, urn: str, start: str) -> None:
    node = Tree(document.nodes).by_urn[f"{U}:{urn}"]
    assert node.text.startswith(start)
    assert node.text


def test_deleted_articles_and_ranges_are_repealed(document: ParsedDocument) -> None:
    repealed = [node for node in document.nodes if node.tags.get("status") == "repealed" and node.level == "article"]
    assert [node.number for node in repealed] == ["117", "121..122", "138..142"]
    assert f"{U}:140" in repealed[2].aliases
