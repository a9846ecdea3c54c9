"""A policy as a user writes it: clauses are provisions, cited by its title, and memos are checked against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag import Engine, Settings
from rag.citecheck.references import OwnDocuments
from rag.citecheck.run import verify_text
from retrieval.references.law_names import Document, LawNames

POLICY = """# Fleet Use Policy

## 1. Definitions

1.1 In this policy, "vehicle" means any car or van that the company owns or leases.

## 2. Use

2.1 Only an employee may use a vehicle.

2.2 A vehicle must be returned within 24 hours after the end of the trip.

2.3 Clause 2.2 does not apply to vehicles assigned to a branch.

## 3. Damage

3.1 The driver reports damage within 2 days:

(a) for a car, by telephone;

(b) for a van, in writing.
"""
ROOT = "urn:lex:us-acme:doc:fleet"


@pytest.fixture
def engine(empty_settings: Settings, tmp_path: Path) -> Engine:
    """An engine on a store of the policy alone."""
    (tmp_path / "fleet.md").write_text(POLICY)
    opened = Engine.open(empty_settings)
    opened.ingest([tmp_path], jurisdiction="us-acme")
    return opened


def test_a_clause_has_its_scope(engine: Engine) -> None:
    with engine:
        context = engine.context(f"{ROOT}:2.2")
    roles = {block.urn.removeprefix(f"{ROOT}:"): block.role for block in context.blocks}
    assert roles == {ROOT: "ancestor", "2": "ancestor", "2.2": "rule", "1.1": "definition", "2.3": "exception"}
    assert [(one.term, one.scope_urn, one.inferred) for one in context.definitions] == [("vehicle", ROOT, False)]


@pytest.mark.parametrize(
    ("reference", "place"),
    [
        ("clause 2.2 of the Fleet Use Policy", ":2.2"), ("Fleet Use Policy, clause 3.1(b)", ":3.1:b"),
        ("fleet 2.2", ":2.2"), ("Fleet Use Policy", ""), ("FLEET USE POLICY § 2.1", ":2.1"),
    ],
)  # fmt: skip
def test_a_clause_is_cited_by_the_title_of_its_document(engine: Engine, reference: str, place: str) -> None:
    with engine:
        found = engine.resolve(reference)
    assert (found.status, found.candidates[0].urn) == ("resolved", f"{ROOT}{place}")


@pytest.mark.parametrize(
    "question", ["Fleet Use Policy, clause 2.2", "What does clause 2.2 of the Fleet Use Policy say?"]
)
def test_a_citation_is_asked_about_as_it_is_resolved(engine: Engine, question: str) -> None:
    with engine:
        assert engine.context(question).targets == [f"{ROOT}:2.2"]
        answer = engine.ask(question)
        other = engine.context("Must a vehicle be returned within 24")  # ends as a citation may
    assert answer.status == "answered"
    assert [citation.urn for citation in answer.statements[0].citations] == [f"{ROOT}:2.2"]
    assert other.targets == [f"{ROOT}:2.2"]


def test_a_memo_about_it_is_checked(engine: Engine) -> None:
    memo = (
        "Under clause 2.2 of the Fleet Use Policy a vehicle must be returned within 48 hours after the trip ends. "
        "Clause 2.1 says that only an employee may use a vehicle. Clause 3.1 sets 2 days. Clause 9.9 bars trailers."
    )
    with engine:
        result = verify_text(engine, memo)
    found = {(item.kind, memo[item.start : item.end][:10]): (item.verdict, item.urn) for item in result.items}
    assert found["claim", "Under clau"] == ("UNVERIFIED", f"{ROOT}:2.2")
    assert found["reference", "clause 2.2"] == ("SUPPORTED", f"{ROOT}:2.2")
    assert found["reference", "Clause 2.1"] == ("SUPPORTED", f"{ROOT}:2.1")
    assert found["reference", "Clause 9.9"] == ("NOT_FOUND", f"{ROOT}:9.9")
    assert result.items[0].is_doubted
    assert result.items[0].reasons[1] == "NUMBER_CHANGED: It says 48 hours; the law has 24 hours."


def test_what_is_too_short_to_compare_is_told(engine: Engine) -> None:
    memo = (
        "Clause 2.3 of the Fleet Use Policy, branches\n\n"  # a heading
        "Clause 2.1 of the Fleet Use Policy bars visitors. See clause 2.2 of the Fleet Use Policy."
    )
    with engine:
        result = verify_text(engine, memo)
    claims = [item for item in result.items if item.kind == "claim"]
    assert [(memo[item.start : item.end], item.verdict, item.urn) for item in claims] == [
        ("Clause 2.1 of the Fleet Use Policy bars visitors.", "UNVERIFIED", f"{ROOT}:2.1")
    ]
    assert claims[0].reasons[0].startswith("TOO_SHORT: ")
    assert result.exit_code == 3  # that the clause exists supports nothing


def own(titles: list[tuple[str, str]]) -> OwnDocuments:
    return OwnDocuments(LawNames(Document(urn, "en", title, ()) for title, urn in titles))


def test_what_two_documents_are_called_names_neither() -> None:
    found_by = own([("House rules", "urn:lex:us-a:doc:rules"), ("House Rules", "urn:lex:us-b:doc:rules")])
    assert found_by.find_references("rule 2 of the House rules", None) == []
    leases = own([("Flat Lease", "urn:lex:us-a:doc:flat"), ("Shop Lease", "urn:lex:us-a:doc:shop")])
    assert leases.find_references("clause 2 of the lease", None) == []
    assert len(leases.find_references("clause 2 of the shop lease", None)) == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("A van goes back within a day (fleet-use, 2.2).", ":2.2"), ("See fleet use, 2.2.", ":2.2"),
        ("Fleet Use Policy, 2.2(b)", ":2.2:b"), ("clause 2.2 of the policy", ":2.2"), ("policy § 2", ":2"),
        ("(Fleet Use Policy, 2(b))", ":2:b"),
        ("the policy of 2.2 million drivers", None), ("Under the policy, 3 vans are enough.", None),
        ("fleet-use 12", None),
    ],
)  # fmt: skip
def test_a_document_is_cited_as_it_is_printed_and_by_what_it_is(text: str, place: str | None) -> None:
    found_by = own([("Fleet Use Policy", "urn:lex:us-acme:doc:fleet-use")])
    found = [part.urn for reference in found_by.find_references(text, None) for part in reference.parts]
    assert found == ([] if place is None else [f"urn:lex:us-acme:doc:fleet-use{place}"])


def test_the_document_is_read_in_the_order_of_its_clauses(engine: Engine) -> None:
    with engine:
        blocks = engine.document(ROOT).blocks
    assert [block.urn.removeprefix(f"{ROOT}:") for block in blocks] == [
        ROOT, "1", "1.1", "2", "2.1", "2.2", "2.3", "3", "3.1", "3.1:a", "3.1:b",
    ]  # fmt: skip
