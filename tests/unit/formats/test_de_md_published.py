"""German laws as published, in both formats: no word lost, doubled or moved, and the same addresses in both."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.german.de_md import DeMd
from rag.ingest.formats.german.de_tei import DeTei
from rag.law.nodes import STRUCTURE_TYPES, ParsedDocument, ParsedNode, Tree
from retrieval.paths import parse_urn

pytestmark = pytest.mark.data

FILES = {
    "BGB 2014": "de-gesetze-tei/BJNR001950896.xml",
    "GG 2014": "de-gesetze-tei/BJNR000010949.xml",
    "BGB 2022": "de-gesetze-md/bgb.md",
    "GG 2022": "de-gesetze-md/gg.md",
}
CITED = ("SECTION", "ARTICLE", "APPENDIX")


@cache
def parsed(folder: Path, name: str) -> ParsedDocument:
    path = folder / FILES[name]
    return (DeMd() if path.suffix == ".md" else DeTei()).parse(Source(path, folder))


@pytest.mark.parametrize(
    ("name", "sections", "containers", "stubs"),
    [("BGB 2014", 2408, 238, 169), ("GG 2014", 197, 14, 2), ("BGB 2022", 2527, 259, 0), ("GG 2022", 204, 14, 2)],
)
def test_every_section_and_container_is_counted(
    shared_data: Path, name: str, sections: int, containers: int, stubs: int
) -> None:
    document = parsed(shared_data, name)
    assert sum(node.structure_type in CITED for node in document.nodes) == sections
    assert sum(node.kind == "section" for node in document.nodes) == containers
    assert stubs <= sum(len(node.aliases) for node in document.nodes[1:])


@pytest.mark.parametrize("name", FILES)
def test_nodes_are_well_formed_and_follow_their_parents(shared_data: Path, name: str) -> None:
    document = parsed(shared_data, name)
    known: set[str] = set()
    siblings: set[tuple[str | None, str, str]] = set()
    for node in document.nodes:
        assert node.urn not in known
        assert node.parent_urn in known or (node.parent_urn is None and node is document.nodes[0])
        known.add(node.urn)
        assert parse_urn(node.urn).text == node.urn
        assert node.structure_type in STRUCTURE_TYPES
        assert (node.parent_urn, node.level, node.number.lower()) not in siblings
        siblings.add((node.parent_urn, node.level, node.number.lower()))
        assert node.text == node.text.strip()
    aliases = [alias for node in document.nodes for alias in node.aliases]
    assert len(aliases) == len(set(aliases))
    assert known.isdisjoint(aliases)
    assert not [warning for warning in document.warnings if not warning.startswith("left out")]


def provision(tree: Tree, node: ParsedNode) -> str:
    """A provision's words without its title, which only one of the formats has."""
    parts = [node.intro_text]
    for child in tree.children(node.urn):
        if child.structure_type != "NOTE":
            label = "" if child.level == "textteil" else child.number
            parts.append(f"{label} {child.heading} {provision(tree, child)}")
    return " ".join(" ".join([*parts, node.content_text]).split()).replace("(weggefallen)", "")


@pytest.mark.parametrize(("law", "common", "same"), [("BGB", 2395, 2138), ("GG", 197, 181)])
def test_both_formats_give_the_same_addresses_and_words(shared_data: Path, law: str, common: int, same: int) -> None:
    """Eight years of amendments lie between the editions; what they did not touch is equal to the character."""
    old, new = (Tree(parsed(shared_data, f"{law} {year}").nodes) for year in (2014, 2022))
    shared = [
        (node, new.by_urn[node.urn]) for node in old.nodes if node.structure_type in CITED and node.urn in new.by_urn
    ]
    assert len(shared) == common
    assert sum(provision(old, one) == provision(new, other) for one, other in shared) == same
    containers = {node.urn for node in old.nodes if node.kind == "section"}
    assert containers <= set(new.by_urn)


@pytest.mark.parametrize(
    ("name", "urn", "words"),
    [
        ("BGB 2022", "bgb:823:1", "Wer vorsätzlich oder fahrlässig das Leben"),
        ("BGB 2022", "bgb:308:nr.8:a", "den Vertragspartner unverzüglich"),
        ("BGB 2022", "bgb:309:nr.8:b:ff", "die Verjährung von Ansprüchen"),
        ("BGB 2022", "bgb:199:3a", "Ansprüche, die auf einem Erbfall beruhen"),
        ("BGB 2022", "bgb:204:1:6a", "die Zustellung der Anmeldung"),
        ("BGB 2022", "bgb:491:3:text.2", "Keine Immobiliar-Verbraucherdarlehensverträge"),
        ("BGB 2014", "bgb:1592:nr.1", "der zum Zeitpunkt der Geburt"),
        ("GG 2014", "gg:1:1", "Die Würde des Menschen ist unantastbar."),
        ("GG 2022", "gg:73:1:10:b", "zum Schutze der freiheitlichen"),
        ("GG 2022", "gg:anhang.ev:3:tabelle.1", "1991 | 55 vom Hundert\n1992 | 60 vom Hundert"),
    ],
)
def test_known_provisions_stand_where_they_are_cited(shared_data: Path, name: str, urn: str, words: str) -> None:
    nodes = {node.urn: node for node in parsed(shared_data, name).nodes}
    assert nodes[f"urn:lex:de:{urn}"].text.startswith(words)


def test_no_other_format_is_claimed(shared_data: Path) -> None:
    claimed: set[str] = set()
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        for path in sorted(path for path in folder.rglob("*") if path.is_file())[:40]:
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
            if DeTei().claims(path, head) or DeMd().claims(path, head):
                claimed.add(path.relative_to(shared_data).as_posix())
    assert claimed == set(FILES.values())
