"""German references, definitions and exceptions on published law and on a published citation suite."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import thorough

from rag.ingest.annotation import annotate
from rag.ingest.formats.base import Source
from rag.ingest.formats.german.de_md import DeMd
from rag.jurisdictions.de.laws import read_name
from rag.jurisdictions.de.reader import citations
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, ReferenceContext
from rag.law.nodes import ParsedDocument
from retrieval.tag_query import TagFilterOp

DE = jurisdiction_for("de")


@cache
def law(path: Path) -> ParsedDocument:
    document = DeMd().parse(Source(path, path.parent))
    annotate(document, DE)
    return document


@pytest.fixture(params=thorough("gg", "bgb"))
def published(request: pytest.FixtureRequest, shared_data: Path) -> ParsedDocument:
    return law(shared_data / "de-gesetze-md" / f"{request.param}.md")


def test_signs_of_a_law_are_references_and_the_certain_ones_exist(published: ParsedDocument) -> None:
    index = DocumentIndex(published)
    exists: Counter[bool] = Counter()
    read: Counter[bool] = Counter()
    for node in published.nodes:
        found = DE.find_references(node.text, ReferenceContext(node, index))
        for reference in found:
            own = [urn for urn in reference.urns if DE.document_urn(urn) == published.urn]
            exists.update(index.node(urn) is not None for urn in own if reference.confident)
        for sign in re.finditer(r"§+|\bArtikel[ns]?\s\d|\bAbs(?:\.|atz|ätzen?)\s\d|\bSatz \d|\bNummern? \d", node.text):
            read[any(reference.start <= sign.start() < reference.end for reference in found)] += 1
    assert exists[True] > 300
    assert exists[False] == 0
    assert read[True] / read.total() >= 0.995


def test_definitions_and_exceptions_stand_in_the_numbers_counted_by_hand(shared_data: Path) -> None:
    document = law(shared_data / "de-gesetze-md" / "bgb.md")
    brackets = [
        definition
        for definition in document.definitions
        if f"({definition.term})" in _text(document, definition.node_urn)
    ]
    assert 0.9 * 145 <= len(brackets) <= 1.1 * 145
    terms = {definition.term: definition for definition in document.definitions}
    assert terms["Vollmacht"].node_urn.endswith(":166:2")
    things = {definition.node_urn: definition for definition in document.definitions if definition.term == "Sachen"}
    stated = things["urn:lex:de:bgb:90"]
    assert (stated.phrase, stated.inferred, stated.relation) == ("im Sinne des Gesetzes", False, "means")
    # Animals are none in the whole law; what stands beside movable things in § 1362 does so there alone.
    assert {urn: (thing.relation, thing.scope_urn) for urn, thing in things.items() if thing is not stated} == {
        "urn:lex:de:bgb:90a": ("excludes", "urn:lex:de:bgb"),
        "urn:lex:de:bgb:1362:1": ("includes", "urn:lex:de:bgb:1362"),
    }
    assert not {"Fingierte Erklärungen", "weggefallen"} & terms.keys()
    excepts = {
        (link.source_urn[15:], link.target_urn[15:]) for link in document.links if link.kind == "notwithstanding"
    }
    assert {("475d:1", "323:2"), ("475d:1", "440")} <= excepts
    kinds = Counter(link.kind for link in document.links)
    assert kinds["disapplies"] >= 150
    assert kinds["notwithstanding"] >= 40


def _text(document: ParsedDocument, urn: str) -> str:
    return next(node.text for node in document.nodes if node.urn == urn)


def _suite(shared_data: Path, *calls: str) -> list[dict[str, Any]]:
    tests = json.loads((shared_data / "citations-quantlaw-de" / "tests.json").read_text(encoding="utf-8"))
    return [test for test in tests if test["call"] in calls and test["assert"] == "assertEqual"]


def test_suites_citations_are_taken_apart_as_it_expects(shared_data: Path) -> None:
    words = {"Abs": "abs", "Satz": "satz", "Nr": "nr"}
    wrong: list[str] = []
    for entry in _suite(shared_data, "parse_main"):
        # What is finer than a Satz is no node, so it is read over.
        expected = [tuple((words.get(u, u), n) for u, n in path if u != "Halbsatz") for path in entry["expected"]]
        got = [item.path for found in citations(entry["args"][0], smaller=False) for item in found.reading.items]
        if got != expected:
            wrong.append(entry["args"][0])
    assert wrong == []


def test_file_numbers_of_the_constitutional_court_in_published_notes_are_read_with_their_court(
    shared_data: Path,
) -> None:
    notes = "".join(path.read_text(encoding="utf-8") for path in (shared_data / "de-gesetze-tei").glob("*.xml"))
    numbers = set(re.findall(r"\b\d Bv[A-Z] \d+/\d\d\b", notes))
    assert len(numbers) >= 14
    for number in numbers:
        [query] = DE.tag_queries(number)
        wanted = {tag_filter.key: (tag_filter.op, tag_filter.value) for tag_filter in query.tag_filters.filters}
        assert (query.kind, query.hint) == ("decision", "Aktenzeichen BVerfG")
        assert wanted == {"case_number": (TagFilterOp.NORMALIZE, number), "court": (TagFilterOp.EQ, "bverfg")}


def test_suites_laws_are_told_as_it_expects(shared_data: Path) -> None:
    roles = {"dict": {"german"}, "sgb": {"german"}, "eu": {"european", "external"}, "ignore": {"external", "own"}}
    wrong: list[str] = []
    for entry in _suite(shared_data, "search", "find_all"):
        text, expected = entry["args"][0], entry["expected"]
        areas = [
            dict(part.split(":", 1) for part in area.split(";"))
            for area in ([expected] if isinstance(expected, str) else expected)
            if area.startswith("Main:")
        ]
        found = citations(text, smaller=False)
        for area, citation in zip(areas, found, strict=True):
            role = {citation.act.role} if citation.act else {"none"}
            same = role <= roles.get(area["Type"], {"none"})
            if not same or not text[citation.start :].startswith(area["Main"]):
                wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize(("name", "code"), [("Grundgesetz", "GG"), ("10. Buch Sozialgesetzbuch", "SGB 10")])
def test_suites_names_of_laws_are_known(shared_data: Path, name: str, code: str) -> None:
    assert any(entry["args"][0] == name for entry in _suite(shared_data, "parse_law"))
    found = read_name(name, 0)
    assert found is not None
    assert found.law is not None
    assert found.law.code == code


def test_every_reference_of_a_published_provision_to_a_named_law_is_certain(shared_data: Path) -> None:
    text = (shared_data / "citations-quantlaw-de" / "paragraph_120_gvg.txt").read_text(encoding="utf-8")
    found = DE.find_references(text, None)
    # 42 signs, of which six name the law they stand in.
    assert len(found) == 36
    assert all(reference.kind == "explicit" and reference.confident for reference in found)
    laws = Counter(urn.split(":")[3] for reference in found for urn in reference.urns)
    assert set(laws) == {"stgb", "patg", "gebrmg", "halblschg", "krwaffkontrg", "stpo", "gg"}
