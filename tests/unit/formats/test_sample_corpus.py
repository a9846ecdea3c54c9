from __future__ import annotations

import csv
import io
import re
from datetime import date
from pathlib import Path

import pytest

import rag
from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.lexjsonl.parser import LexJsonl, write_lexjsonl
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.paths import (
    canonical_jurisdiction,
    canonical_urn,
    child_path,
    is_urn,
    parse_urn,
    pattern_matches,
    pattern_prefix,
    root_path,
)

PACKAGE = Path(rag.__file__).parent
SAMPLE = PACKAGE / "sample"
THESAURI = [
    (PACKAGE / "thesaurus" / f"{one}.csv", least)
    for one, least in (("en", 10_000), ("de", 6_000), ("fr", 6_000), ("ja", 600))
]
NOTICE = "Sample text, not official law"
REGULATION = "urn:lex:ma:940cmr"
STATUTE = "urn:lex:ma:mgl-93a"
FEDERAL = "urn:lex:us:16cfr"
RULE = f"{REGULATION}:3.17:4"


def read(path: Path) -> ParsedDocument:
    return LexJsonl().parse(Source(path, path.parent))


FILES = sorted(SAMPLE.glob("*.jsonl"))
DOCUMENTS = {document.urn: document for document in map(read, FILES)}
NODES = [node for document in DOCUMENTS.values() for node in document.nodes]
URNS = {node.urn for node in NODES}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, strict=True))


def text_of(urn: str) -> str:
    (node,) = (parsed for parsed in NODES if parsed.urn == urn)
    return node.text


def path_of(urn: str) -> str:
    document = next(one for one in DOCUMENTS.values() if f"{urn}:".startswith(f"{one.urn}:"))
    tree = Tree(document.nodes)
    path = root_path(document.corpus.urn)
    for node in reversed([tree.by_urn[urn], *tree.ancestors(tree.by_urn[urn])][:-1]):
        path = child_path(path, node.level, node.number)
    return path


def in_force(node: ParsedNode, at_date: date) -> bool:
    return (node.valid_from or date.min) <= at_date < (node.valid_to or date.max)


def effective(row: dict[str, str], at_date: date) -> bool:
    end = date.fromisoformat(row["effective_to"]) if row["effective_to"] else date.max
    return date.fromisoformat(row["effective_from"]) <= at_date < end


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_sample_file_is_native_format_as_export_writes_it(path: Path) -> None:
    data = path.read_bytes()
    assert LexJsonl().claims(path, data[:HEAD_BYTES])
    stream = io.BytesIO()
    write_lexjsonl(read(path), stream)
    assert stream.getvalue() == data


def test_the_sample_is_three_documents_of_a_readable_size() -> None:
    assert set(DOCUMENTS) == {REGULATION, STATUTE, FEDERAL}
    assert 30 <= len(NODES) <= 70


def test_every_document_says_that_it_is_no_law() -> None:
    for document in DOCUMENTS.values():
        assert document.corpus.title.startswith(NOTICE)
        assert document.nodes[0].heading.startswith(NOTICE)
        assert document.nodes[0].tags["sample"] == "true"
    assert "not official law" in (SAMPLE / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("urn", "path"),
    [
        (REGULATION, "root.us_ma.940cmr"),
        (f"{REGULATION}:part_3", "root.us_ma.940cmr.part_3"),
        (f"{REGULATION}:3.17", "root.us_ma.940cmr.part_3.sec_17"),
        (RULE, "root.us_ma.940cmr.part_3.sec_17.sub_4"),
        (f"{RULE}:a", "root.us_ma.940cmr.part_3.sec_17.sub_4.par_a"),
        (f"{STATUTE}:2:c", "root.us_ma.mgl__93a.sec_2.sub_c"),
        (f"{FEDERAL}:310.4:b:1", "root.us.16cfr.part_310.sec_310_4.par_b.par_1"),
    ],
)
def test_the_addresses_of_the_specification_hold(urn: str, path: str) -> None:
    assert path_of(urn) == path


def test_the_slice_above_the_rule_is_section_part_and_corpus() -> None:
    tree = Tree(DOCUMENTS[REGULATION].nodes)
    assert parse_urn(RULE).jurisdiction == "us-ma"
    assert [node.urn for node in tree.ancestors(tree.by_urn[RULE])] == [
        f"{REGULATION}:3.17", f"{REGULATION}:part_3", REGULATION,
    ]  # fmt: skip


def test_the_regulation_names_the_statute_that_enables_it() -> None:
    (link,) = [link for document in DOCUMENTS.values() for link in document.links]
    assert (link.source_urn, link.kind, link.target_urn) == (f"{REGULATION}:part_3", "enabled_by", f"{STATUTE}:2")
    assert link.target_urn in URNS


def test_definitions_are_left_to_annotation() -> None:
    for document in DOCUMENTS.values():
        assert not document.annotated
        assert not document.definitions
        assert not document.used_terms


def test_the_section_defines_owner_more_widely_than_the_part() -> None:
    assert text_of(f"{REGULATION}:3.01").startswith("As used in this part,")
    part_wide = text_of(f"{REGULATION}:3.01:def.owner")
    section_wide = text_of(f"{REGULATION}:3.17:1")
    assert part_wide.startswith('"Owner" means a person who holds title')
    assert "property manager" not in part_wide
    assert section_wide.startswith('In this section, "Owner" means')
    assert "property manager" in section_wide


def test_the_rule_on_deposits_orders_yearly_interest_and_yields_to_an_exception() -> None:
    (rule,) = (node for node in NODES if node.urn == RULE)
    assert rule.intro_text.endswith("an owner shall not:")
    assert "3.17(6)" in rule.intro_text
    assert "interest on the security deposit" in rule.content_text
    assert "940 CMR 3.17(4) does not apply" in text_of(f"{REGULATION}:3.19:1")


@pytest.mark.parametrize(
    ("at_date", "days"), [(date(2019, 6, 30), "10 days"), (date(2019, 7, 1), "25 days"), (date(2026, 1, 1), "25 days")]
)
def test_late_charges_changed_on_one_day(at_date: date, days: str) -> None:
    (version,) = (node for node in NODES if node.urn == f"{REGULATION}:3.17:5" and in_force(node, at_date))
    assert f"overdue for {days}" in version.text


def test_one_section_was_repealed_without_a_successor() -> None:
    ended = {node.urn for node in NODES if node.valid_to} - {node.urn for node in NODES if node.valid_to is None}
    assert ended == {f"{REGULATION}:3.08"}


def test_every_reference_within_the_regulation_names_a_node() -> None:
    found = re.findall(r"940 CMR (3\.\d\d)((?:\(\w+\))*)", "\n".join(node.text for node in NODES))
    targets = [":".join([REGULATION, section, *re.findall(r"\w+", rest)]) for section, rest in found]
    assert len(targets) >= 4
    assert set(targets) <= URNS


def test_overrides_cover_void_enjoined_and_ended_and_spare_the_rule() -> None:
    overrides = rows(SAMPLE / "overrides.csv")
    today, rule_and_ancestors = date(2026, 1, 1), {RULE, *parse_urn(RULE).prefixes, f"{REGULATION}:part_3"}
    assert sorted((row["status"], effective(row, today)) for row in overrides) == [
        ("ENJOINED", False), ("ENJOINED", True), ("VOID", True),
    ]  # fmt: skip
    for row in overrides:
        parse_urn(row["urn_pattern"], allow_pattern=True)
        named = {urn for urn in URNS if pattern_matches(row["urn_pattern"], urn)}
        assert named
        assert not named & rule_and_ancestors
        assert row["severity"] in {"WARNING", "CRITICAL"}
        assert "Sample" in row["court"]
        assert "Sample" in row["court_citation"]
        assert "not a real decision" in row["message"]


def test_nothing_else_refers_to_an_overridden_section() -> None:
    for row in rows(SAMPLE / "overrides.csv"):
        number = row["urn_pattern"].rpartition(":")[2]
        assert not [node.urn for node in NODES if number in node.text]


def test_the_federal_calling_hours_meet_the_state_ones() -> None:
    (row,) = rows(SAMPLE / "preemption.csv")
    assert row["kind"] == "conflict"
    assert effective(row, date(2026, 1, 1))
    federal = [urn for urn in URNS if pattern_matches(row["federal_pattern"], urn)]
    state = {urn for urn in URNS if pattern_matches(row["state_pattern"], urn)}
    assert federal == [f"{FEDERAL}:310.4:b:1"]
    assert state == {f"{REGULATION}:3.20", f"{REGULATION}:3.20:1"}
    assert pattern_prefix(row["state_pattern"]) in map(canonical_urn, URNS)


@pytest.mark.parametrize(
    ("path", "least"), [(SAMPLE / "synonyms.csv", 60), *THESAURI], ids=["sample", "en", "de", "fr", "ja"]
)
def test_synonyms_are_well_formed(path: Path, least: int) -> None:
    synonyms = rows(path)
    assert len(synonyms) >= least
    assert list(synonyms[0]) == ["phrase", "target", "language", "jurisdiction", "weight"]
    keys = [(row["phrase"], row["target"], row["language"], row["jurisdiction"]) for row in synonyms]
    assert len(set(keys)) == len(keys)
    for row in synonyms:
        assert row["phrase"] == " ".join(row["phrase"].lower().split()) != ""
        assert row["phrase"] != row["target"]
        assert row["language"] == (path.stem if path.parent.name == "thesaurus" else "en")
        assert not row["jurisdiction"] or canonical_jurisdiction(row["jurisdiction"]) == row["jurisdiction"]
        assert 0 < float(row["weight"]) <= 1


def test_synonyms_of_the_sample_lead_to_words_and_nodes_of_the_sample() -> None:
    words = "\n".join(f"{node.heading}\n{node.text}" for node in NODES).lower()
    for row in rows(SAMPLE / "synonyms.csv"):
        assert row["target"] in (URNS if is_urn(row["target"]) else words), row


def test_general_synonyms_name_terms_and_no_provision() -> None:
    for path, _ in THESAURI:
        assert not [row for row in rows(path) if is_urn(row["target"]) or row["jurisdiction"]]
