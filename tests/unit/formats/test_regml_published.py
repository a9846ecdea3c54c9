"""RegML and eRegs JSON on published regulations: nothing lost, nothing doubled, one address in both formats."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from pathlib import Path

import pytest
from lxml import etree

from rag.ingest.formats.base import Source
from rag.ingest.formats.cfpb.eregs_json import ERegsJson
from rag.ingest.formats.cfpb.regml import RegMl
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.paths import child_path, parse_urn, root_path

pytestmark = pytest.mark.data

U = "urn:lex:us:12cfr"
REGML = (
    "1002/2011-31714", "1002/2016-16301", "1002/2017-20417_20220101", "1013/2011-31723", "1013/2017-24411",
    "1016/2011-31729", "1016/2016-16132", "1022/2011-31728", "1071/2012-14046", "1080/2011-19035",
)  # fmt: skip
BOTH = ("1002/2017-20417_20220101", "1013/2017-24411", "1022/2011-31728")


@lru_cache(maxsize=16)
def regml(folder: Path, name: str) -> ParsedDocument:
    root = folder / "cfpb-regml"
    return RegMl().parse(Source(root / "regulation" / f"{name}.xml", root))


@lru_cache(maxsize=4)
def eregs(folder: Path, name: str) -> ParsedDocument:
    root = folder / "cfpb-regs-json"
    file = root / "regulation" / name
    return ERegsJson().parse(Source(file, root, ERegsJson().parts(file, root)))


@pytest.mark.parametrize("name", REGML)
def test_nodes_are_one_tree_with_one_address_each(shared_data: Path, name: str) -> None:
    document = regml(shared_data, name)
    paths = {U: root_path(U)}
    for node in document.nodes:
        assert parse_urn(node.urn).text == node.urn
        assert node.urn not in paths
        paths[node.urn] = child_path(paths[node.parent_urn or ""], node.level, node.number)
        assert node.valid_from == document.edition_date is not None
        for mark in node.marks:
            assert node.text[mark.start : mark.end].strip() == node.text[mark.start : mark.end] != ""
    assert len(set(paths.values())) == len(paths)
    assert [node.urn for node in Tree(document.nodes).subtree(document.nodes[0])] == list(paths)[1:]
    assert {link.source_urn for link in document.links} <= set(paths)


def words(node: ParsedNode) -> tuple[str, str, str]:
    return node.heading, node.intro_text, node.content_text


@pytest.mark.parametrize(
    ("name", "unlike"),
    [
        # The publisher's JSON drops the words that its XML repeats after a blank of a form.
        (BOTH[0], {f"{U}:part_1002:appendix_c:5:h.1:p.5"}),
        # A caption that ends in a dash cannot be told from a lead-in in JSON.
        (BOTH[1], {f"{U}:1013.4:g", f"{U}:1013.7:f", f"{U}:1013.9:b"}),
        (BOTH[2], set[str]()),
    ],
)
def test_both_publications_of_one_part_give_the_same_nodes(shared_data: Path, name: str, unlike: set[str]) -> None:
    one, other = regml(shared_data, name), eregs(shared_data, name)
    assert [node.urn for node in one.nodes] == [node.urn for node in other.nodes]
    assert one.edition_date == other.edition_date
    different: set[str] = set()
    for left, right in zip(one.nodes, other.nodes, strict=True):
        assert (left.parent_urn, left.structure_type, left.level, left.number, left.kind, left.valid_from) == (
            right.parent_urn, right.structure_type, right.level, right.number, right.kind, right.valid_from
        )  # fmt: skip
        assert left.tags == right.tags or left.level == "part"
        if words(left) != words(right):
            different.add(left.urn)
    assert different == unlike
    explained = {(link.source_urn, link.target_urn) for link in one.links if link.kind == "interprets"}
    assert explained == {(link.source_urn, link.target_urn) for link in other.links}


@pytest.mark.parametrize(
    ("urn", "structure", "number", "start"),
    [
        (f"{U}:1002.2", "SECTION", "1002.2", "For the purposes of this part, unless"),
        (f"{U}:1002.2:c:1:i", "SUBPARAGRAPH", "i", "A refusal to grant credit"),
        (f"{U}:1002.9:a:3:i:b", "CLAUSE", "B", "Disclosure of an applicant's right"),
        (f"{U}:part_1002:appendix_b:1", "SUBSECTION", "1", "1. This appendix contains four"),
        (f"{U}:part_1002:supplement_i:2-c-1-i:1", "CLAUSE", "1", "If the applicant applied in accordance"),
        (f"{U}:part_1002:supplement_i:h.1:2", "SUBSECTION", "2", "Under appendix D to the regulation"),
    ],
)
def test_well_known_provisions_have_their_addresses(
    shared_data: Path, urn: str, structure: str, number: str, start: str
) -> None:
    node = Tree(regml(shared_data, BOTH[0]).nodes).by_urn[urn]
    assert (node.structure_type, node.number) == (structure, number)
    assert node.text.startswith(start)


def test_editions_of_one_part_share_addresses_and_differ_in_date(shared_data: Path) -> None:
    editions = [regml(shared_data, name) for name in REGML[:3]]
    assert [edition.edition_date for edition in editions] == [date(2011, 12, 30), date(2016, 7, 11), date(2022, 1, 1)]
    first, _, last = ({node.urn for node in edition.nodes} for edition in editions)
    assert len(first & last) > 900
    assert f"{U}:1002.5:a:4:i" in last - first


def test_every_use_of_a_term_leads_to_a_definition_of_this_part(shared_data: Path) -> None:
    for name, count in ((BOTH[0], 2308), (BOTH[1], 759)):
        document = regml(shared_data, name)
        defined = {node.urn for node in document.nodes}
        uses = [link for link in document.links if link.kind == "uses_term"]
        assert {link.target_urn for link in uses} <= defined
        marks = etree.parse(str(shared_data / "cfpb-regml" / "regulation" / f"{name}.xml")).iter("{eregs}ref")
        assert sum(mark.get("reftype") == "term" for mark in marks) == count
        # A paragraph that uses the term which it defines is not linked to itself.
        assert 0.9 * count < sum(int(link.properties["uses"]) for link in uses) <= count


def test_only_its_own_folders_files_are_claimed(shared_data: Path) -> None:
    claimed: dict[str, set[str]] = {}
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for file in files[:: max(1, len(files) // 25)]:
            with file.open("rb") as stream:
                head = stream.read(4096)
            for form in (RegMl(), ERegsJson()):
                if form.claims(file, head) or form.skips(file, head):
                    claimed.setdefault(form.name, set()).add(folder.name)
    assert claimed == {"regml": {"cfpb-regml"}, "eregs_json": {"cfpb-regs-json"}}
