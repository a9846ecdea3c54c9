"""French law as published, in both formats: nothing lost, nothing doubled, and the two agree."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.french.legalize_md import LegalizeMd
from rag.ingest.formats.french.legi_json import LegiJson
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.paths import parse_urn

pytestmark = pytest.mark.data

CRPA = "urn:lex:fr:code-des-relations-entre-le-public-et-l-administration"
CIVIL = "urn:lex:fr:code-civil"
CIVIL_FILE = "fr-legalize-md/LEGITEXT000006070721.md"
CRPA_FILE = "fr-legalize-md/LEGITEXT000031366350.md"
JSON = "fr-legi-json/LEGITEXT000031366350.json"
MARKDOWN = {
    CIVIL_FILE: (2917, 3),
    "fr-legalize-md/LEGITEXT000006070721@2016-08-10.md": (2871, 3),
    CRPA_FILE: (484, 8),
}
# Other words in the two publications, which are eight weeks apart or lost a <div> in one of them.
REWORDED = {
    "l112-9",
    "l311-5",
    "l321-1",
    "l321-2",
    "l322-6",
    "l323-2",
    "l324-1",
    "l326-1",
    "l421-1",
    "l421-2",
    "l513-2",
}
ONLY_JSON, ONLY_MARKDOWN = {"l421-3", "l424-2", "r115-4", "r115-5"}, {"d114-9-2", "l221-11", "r221-12", "r221-13"}


@lru_cache(maxsize=8)
def parsed(folder: Path, name: str) -> ParsedDocument:
    form = LegiJson() if name.endswith(".json") else LegalizeMd()
    return form.parse(Source(folder / name, folder))


def bare(text: str) -> str:
    """Text without white space and without what encloses a designator."""
    return re.sub(r"[\s.°º()|–—-]+", "", text)


def printed(tree: Tree, node: ParsedNode) -> str:
    """A node's subtree as it was printed, without its note."""
    own = node.number.split("~")[0] if node.level == "point" else ""
    children = (printed(tree, child) for child in tree.children(node.urn) if child.level != "nota")
    return own + node.intro_text + "".join(children) + node.content_text


def articles(document: ParsedDocument) -> list[ParsedNode]:
    return [node for node in document.nodes if node.structure_type in ("ARTICLE", "APPENDIX")]


def json_articles(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if node["type"] == "article":
        yield node["data"]
    for child in node.get("children", ()):
        yield from json_articles(child)


def test_every_word_of_every_json_article_is_in_its_nodes_in_order(shared_data: Path) -> None:
    document = parsed(shared_data, JSON)
    tree = Tree(document.nodes)
    source = list(json_articles(json.loads((shared_data / JSON).read_bytes())))
    found = articles(document)
    assert len(found) == len(source) == 476
    for node, data in zip(found, source, strict=True):
        words = html.unescape(re.sub(r"<[^>]*>", " ", data["texteHtml"]))
        assert bare(printed(tree, node)) == bare(words) == bare(data["texte"]), node.urn
        assert node.tags["legi_id"] == data["id"]
        notes = [child.text for child in tree.children(node.urn) if child.level == "nota"]
        assert bare("".join(notes)) == bare(data["nota"])


def printed_lines(document: ParsedDocument) -> dict[int, str]:
    """What the nodes say was printed, by line of the source: articles' own lines follow their headings."""
    out: dict[int, str] = {}
    for node in document.nodes[1:]:
        assert node.line is not None
        if node.kind == "section":
            out[node.line] = node.heading
        elif node.level == "article":
            out[node.line] = f"Article{node.number.split('~')[0]}"
            if node.text:
                out[-node.line] = node.text  # the line after its heading, whichever that is
        else:
            own = node.number.split("~")[0] if node.level == "point" else ""
            out[node.line] = out.get(node.line, "") + own + node.text
    return out


@pytest.mark.parametrize("name", MARKDOWN)
def test_every_line_of_a_markdown_law_is_in_exactly_one_place_of_its_nodes(shared_data: Path, name: str) -> None:
    count, superseded = MARKDOWN[name]
    document = parsed(shared_data, name)
    assert len(articles(document)) == count - superseded
    by_line = printed_lines(document)
    containers = {node.line for node in document.nodes if node.kind == "section"}
    lines = (shared_data / name).read_text(encoding="utf-8").split("\n")
    start = lines.index("---", 1) + 1
    dropped, article, seen = 0, 0, set[int]()
    for number, line in enumerate(lines[start:], start=start + 1):
        words = line.strip("# ")
        if not words or line.startswith("# "):
            continue
        if re.fullmatch(r"Article (?:[LRD]\*?)?\d+(?:-\d+)*", words):
            article = number if number in by_line else 0
            dropped += not article
        elif number not in containers and not article:
            continue  # a superseded text, counted by its heading
        if number in containers:
            # Kind and number of a heading are taken apart; its words end the line.
            assert bare(words).endswith(bare(by_line[number])), number
            seen.add(number)
            continue
        place = number if number in by_line else -article
        if place:
            assert bare(by_line[place]) == bare(words), number
            assert place not in seen, number
            seen.add(place)
    assert seen == set(by_line)
    assert dropped == superseded


@pytest.mark.parametrize("name", [JSON, *MARKDOWN])
def test_nodes_are_one_tree_with_one_address_each(shared_data: Path, name: str) -> None:
    document = parsed(shared_data, name)
    assert len({row.path for row in build_rows(document, None)}) == len(document.nodes)
    assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == [n.urn for n in document.nodes]
    aliases: dict[str, str] = {}
    urns = {node.urn for node in document.nodes}
    for node in document.nodes:
        assert parse_urn(node.urn).text == node.urn
        for alias in node.aliases:
            assert alias not in urns
            assert aliases.setdefault(alias, node.urn) == node.urn
        for mark in node.marks:
            assert node.text[mark.start : mark.end].strip() == node.text[mark.start : mark.end] != ""
            assert not mark.target or parse_urn(mark.target)


def test_both_formats_give_the_same_addresses_and_texts_of_one_code(shared_data: Path) -> None:
    first, second = (subtrees(parsed(shared_data, name)) for name in (JSON, CRPA_FILE))
    assert set(first) - set(second) == ONLY_JSON
    assert set(second) - set(first) == ONLY_MARKDOWN
    # The Markdown has lost every table.
    tables = {name for name, nodes in first.items() if any(":tab." in urn for urn, *_ in nodes)}
    unlike = {name for name in set(first) & set(second) if first[name] != second[name]}
    assert unlike - tables == REWORDED
    assert len(unlike & tables) == 44
    assert len(set(first) & set(second)) == 472


def subtrees(document: ParsedDocument) -> dict[str, list[tuple[str, ...]]]:
    out: dict[str, list[tuple[str, ...]]] = {}
    current: list[tuple[str, ...]] = []
    for node in document.nodes:
        if node.kind != "legislation":
            continue
        if node.level == "article":
            current = out.setdefault(node.urn.removeprefix(f"{CRPA}:"), [])
        current.append(
            (node.urn, node.parent_urn if node.level != "article" else "", node.intro_text, node.content_text)
        )
    return out


def test_both_formats_name_the_same_containers_but_for_the_repealed_ones_of_the_markdown(shared_data: Path) -> None:
    first, second = (
        {node.urn for node in parsed(shared_data, name).nodes if node.kind == "section"} for name in (JSON, CRPA_FILE)
    )
    assert first <= second
    assert len(first) == 202
    assert all("~" in urn for urn in second - first)


@pytest.mark.parametrize(
    ("name", "urn", "start"),
    [
        (CIVIL_FILE, f"{CIVIL}:1240", "Tout fait quelconque de l'homme"),
        (CIVIL_FILE, f"{CIVIL}:1242:al.4", "Les parents, en tant qu'ils exercent"),
        (CIVIL_FILE, f"{CIVIL}:910:i", "Les dispositions entre vifs"),
        ("fr-legalize-md/LEGITEXT000006070721@2016-08-10.md", f"{CIVIL}:1382", "Tout fait quelconque de l'homme"),
        (JSON, f"{CRPA}:l100-3:2:a", "Toute personne physique"),
        (JSON, f"{CRPA}:l240-1:1", "Abrogation d'un acte"),
        (JSON, f"{CRPA}:r132-4", "La décision d'organiser"),
    ],
)
def test_well_known_provisions_have_their_addresses(shared_data: Path, name: str, urn: str, start: str) -> None:
    assert Tree(parsed(shared_data, name).nodes).by_urn[urn].text.startswith(start)


def test_no_file_of_another_format_is_claimed(shared_data: Path) -> None:
    claimed: set[str] = set()
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        for path in sorted(path for path in folder.rglob("*") if path.is_file())[:40]:
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
            claimed |= {f"{one.name} {folder.name}" for one in (LegiJson(), LegalizeMd()) if one.claims(path, head)}
    assert claimed == {"legi_json fr-legi-json", "legalize_md fr-legalize-md"}
