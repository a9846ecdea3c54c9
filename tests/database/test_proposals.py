"""Overrides that decisions suggest: listed with their evidence, decided by people, and halting only when accepted."""

from __future__ import annotations

import pytest
from database.law import C, document, node, rows, store
from requirements import requirement

from rag.engine import Engine
from rag.law.nodes import Link, ParsedDocument, ParsedNode
from rag.settings import Settings
from rag.store.database import Database
from rag.store.proposals import accept, propose, reject
from rag.store.reference_data import list_overrides
from retrieval.errors import InputError

CASE = "urn:lex:us:tc-1-t-c-5"
RULE, OTHER = f"{C}:1:1", f"{C}:1:2"
PARAGRAPHS = (
    "This is an appeal from the trial court.",
    "Appellant contends that section 2 is unconstitutional. We hold that section 1 is unconstitutional.",
    "We construe it no further, for nothing in section 2 is void.",
    "MR. JUSTICE DOE, dissenting.",
    "We must hold that section 2 is unconstitutional too.",
)


def decision() -> ParsedDocument:
    nodes = [ParsedNode(CASE, None, "ROOT", "opinion", heading="ROE v. DOE", kind="decision", aliases=["1 T.C. 5"])]
    nodes[0].tags = {"court": "Test Court", "date": "1923-05-01", "case_name": "ROE v. DOE"}
    links: list[Link] = []
    for number, text in enumerate(PARAGRAPHS, start=1):
        urn = f"{CASE}:p.{number}"
        nodes.append(ParsedNode(urn, CASE, "PARAGRAPH", "paragraph", f"p.{number}", content_text=text, kind="decision"))
        for words, target in (("section 1", RULE), ("section 2", OTHER)):
            if (start := text.find(words)) >= 0:
                place = {"start": str(start), "end": str(start + len(words))}
                links.append(Link(urn, "cites", words, target, place))
    return document(nodes, links=links)


@pytest.fixture
def engine(database: Database, empty_settings: Settings) -> Engine:
    sections = [node(f"{C}:1"), node(RULE, "No boat enters the harbour."), node(OTHER, "Ferrets are registered.")]
    store(database, document(sections), decision())
    return Engine(database, empty_settings)


def test_what_a_decision_holds_is_proposed_with_its_sentence(engine: Engine) -> None:
    (one,) = propose(engine.database)
    assert (one.treatment, one.status, one.target_urn, one.in_store) == ("held_unconstitutional", "VOID", RULE, True)
    assert (one.reference, one.decision_urn, one.court, one.decided) == (
        "section 1", f"{CASE}:p.2", "Test Court", "1923-05-01"
    )  # fmt: skip
    assert (one.case, one.sentence) == ("ROE v. DOE, 1 T.C. 5", "We hold that section 1 is unconstitutional.")
    assert one.sentence[one.start : one.end] == "section 1 is unconstitutional"


@requirement("P4")
def test_only_what_was_accepted_halts_and_who_accepted_it_is_recorded(engine: Engine) -> None:
    (one,) = propose(engine.database)
    assert engine.context(RULE).status == "ok"
    number = accept(engine.database, one.key, "A. Reviewer")
    assert engine.context(RULE).status == "halted"
    (recorded,) = list_overrides(engine.database)
    assert (recorded.id, recorded.court, recorded.court_citation) == (number, "Test Court", "ROE v. DOE, 1 T.C. 5")
    assert (recorded.message, str(recorded.effective_from)) == (one.sentence, "1923-05-01")
    assert propose(engine.database) == []
    (told,) = propose(engine.database, decided=True)
    assert (told.verdict, told.decided_by) == ("accepted", "A. Reviewer")
    assert told.decided_at is not None
    with pytest.raises(InputError, match="already"):
        reject(engine.database, one.key, "Another")


def test_what_was_rejected_halts_nothing_and_does_not_come_again(engine: Engine) -> None:
    (one,) = propose(engine.database)
    reject(engine.database, one.key, "A. Reviewer")
    assert (propose(engine.database), list_overrides(engine.database)) == ([], [])
    assert engine.context(RULE).status == "ok"
    store(engine.database, decision())  # read again
    assert propose(engine.database) == []
    assert rows(engine.database, "select verdict, decided_by from override_proposals") == [("rejected", "A. Reviewer")]


def test_a_decision_needs_a_proposal_and_a_name(engine: Engine) -> None:
    (one,) = propose(engine.database)
    for key, by in ((one.key, "  "), ("0000000000", "A. Reviewer")):
        with pytest.raises(InputError):
            accept(engine.database, key, by)
    assert list_overrides(engine.database) == []
