"""The e-Gov parser on the Civil Aeronautics Act as published: nothing lost, doubled or moved."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.egov.xml import EgovXml
from rag.ingest.formats.xml import Element, read_xml
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, Tree

pytestmark = pytest.mark.data

U = "urn:lex:jp:327ac0000000231"


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
    assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == [
        node.urn for node in document.nodes
    ]
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
