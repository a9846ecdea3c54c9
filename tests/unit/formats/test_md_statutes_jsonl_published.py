"""The parser of U.S. Code chunks on a published title: nothing lost, nothing doubled, every list in its order."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.contrib.md_statutes_jsonl import MdStatutesJsonl, ranks
from rag.law.nodes import ParsedDocument, Tree
from retrieval.paths import child_path, parse_urn, root_path

pytestmark = pytest.mark.data

# Sections whose published text has a list that does not run from its beginning, item by item.
BROKEN = {"18a", "1637", "1681b", "1693a", "7703"}


@lru_cache(maxsize=1)
def parsed(folder: Path) -> ParsedDocument:
    path = folder / "uscode-md-chunks" / "title-15-selected.jsonl"
    return MdStatutesJsonl().parse(Source(path, path.parent))


def test_nodes_are_one_tree_with_one_address_each(shared_data: Path) -> None:
    document = parsed(shared_data)
    seen: dict[str, str] = {}
    for node in document.nodes:
        assert parse_urn(node.urn).text == node.urn
        assert node.urn not in seen
        if node.parent_urn is None:
            seen[node.urn] = root_path(document.corpus.urn)
        else:
            seen[node.urn] = child_path(seen[node.parent_urn], node.level, node.number)
    assert len(set(seen.values())) == len(seen)
    assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == list(seen)


def test_paragraphs_of_one_list_are_consecutive(shared_data: Path) -> None:
    tree = Tree(parsed(shared_data).nodes)
    lists, broken = 0, set[str]()
    for node in tree.nodes:
        numbers = [child.number for child in tree.children(node.urn) if child.level in LIST_LEVELS]
        numbers = [number for number in numbers if not number.startswith("p.")]
        lists += bool(numbers)
        if numbers and not any(consecutive(numbers, rank) for rank in range(1, 8)):
            broken.add(node.urn.split(":")[4])
    assert lists > 1400
    assert broken == BROKEN


LIST_LEVELS = ("subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem")


def consecutive(numbers: list[str], rank: int) -> bool:
    values = [dict(ranks(number)).get(rank, (0, 0)) for number in numbers]
    return values[0] == (1, 0) and all(
        two in ((one[0] + 1, 0), (one[0], one[1] + 1)) for one, two in pairwise(values)
    )  # fmt: skip


def test_well_known_provisions_stand_where_they_are_cited(shared_data: Path) -> None:
    nodes = {node.urn: node for node in parsed(shared_data).nodes}
    pornographers = nodes["urn:lex:us:15usc:1125:d:1:b:i:i"]
    assert pornographers.level == "subclause"
    assert pornographers.text.startswith("the trademark or other intellectual property rights")
    assert nodes["urn:lex:us:15usc:45:a:4:a"].text.startswith("For purposes of subsection (a), the term")
    assert nodes["urn:lex:us:15usc:1602:bb:2:a"].text.startswith("After the 2-year period")
    assert nodes["urn:lex:us:15usc:1681c-1"].aliases[-1] == "/us/usc/t15/s1681c–1"
    assert nodes["urn:lex:us:15usc:1114:1:a"].text.startswith("use in commerce any reproduction")
