"""Overrides that decisions of the store suggest by their wording. A person decides; only what was accepted halts."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from psycopg.rows import dict_row

from rag.languages.registry import language_of
from rag.languages.sentences import split_sentences
from rag.law.treatments import Actor, Treatment, TreatmentKind, TreatmentWords, begins_separate, treatment_of
from rag.store.database import Database
from rag.store.reference_data import NewOverride, add_override_row
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import expand_jurisdictions
from retrieval.queries import QUERIES
from retrieval.texts import node_text

# The override that a treatment suggests; the others say something of a rule and do not end it.
STATUSES: Mapping[TreatmentKind, str] = {
    "held_unconstitutional": "VOID", "void": "VOID", "enjoined": "ENJOINED", "overruled": "VACATED",
    "reversed": "VACATED",
}  # fmt: skip
Verdict = Literal["accepted", "rejected"]


class Proposal(Record):
    """What a sentence of a decision does to a provision or another decision, with the evidence."""

    key: str  # names it: the same wording has the same key in every store
    treatment: TreatmentKind
    by: Actor  # whether the decision itself says so, or reports another one
    status: str | None  # of the override that it suggests; None where it suggests none
    target_urn: str
    in_store: bool  # whether the store has the target
    reference: str  # as the sentence cites it
    decision_urn: str  # the decision's paragraph
    case: str  # name and citation of the decision
    court: str
    decided: str  # ISO date, empty where the source does not say
    sentence: str
    start: int  # the words that say so, as offsets into `sentence`
    end: int
    verdict: Verdict | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None


def propose(
    database: Database, *, jurisdiction: str | None = None, every: bool = False, decided: bool = False
) -> list[Proposal]:
    """What the decisions of a store do to what they cite, in the order of the targets.

    Args:
        jurisdiction: only decisions of this one.
        every: also treatments that suggest no override: followed, distinguished, interpreted, affirmed.
        decided: also proposals that somebody has accepted or rejected.

    Raises:
        InputError: no such jurisdiction.
    """
    with database.read() as conn:
        return _proposals(conn, jurisdiction, every=every, decided=decided)


def accept(database: Database, key: str, by: str, *, message: str = "", effective_from: date | None = None) -> int:
    """Record the override that a proposal suggests, and who accepted it.

    Args:
        by: who accepts it.
        message: a sentence for the reader of a halt; by default the decision's own.
        effective_from: first day of effect; by default that of the decision.

    Returns:
        The override's number.

    Raises:
        InputError: no such proposal, one that suggests no override, or one that was decided.
    """
    with database.write() as conn:
        found = _open_proposal(conn, key)
        if found.status is None:
            raise InputError(f"Proposal {key} says {found.treatment}, which is no override.")
        cited = found.case if found.by == "this decision" else f"reported in {found.case}"
        row = NewOverride.model_validate({
            "urn_pattern": found.target_urn, "status": found.status, "court": found.court[:300] or "not named",
            "court_citation": cited[:300], "message": message or found.sentence[:1000],
            "effective_from": effective_from or found.decided or None,
            "source": f"{found.decision_urn}, proposal {key}",
        })  # fmt: skip
        number = add_override_row(conn, row)
        _record(conn, found, "accepted", by, number)
    return number


def reject(database: Database, key: str, by: str) -> None:
    """Record that a proposal is wrong or is not to become an override, and who says so.

    Raises:
        InputError: no such proposal, or one that was decided.
    """
    with database.write() as conn:
        _record(conn, _open_proposal(conn, key), "rejected", by, None)


def _record(conn: Connection, found: Proposal, verdict: Verdict, by: str, override: int | None) -> None:
    if not by.strip():
        raise InputError("Say who decides: a name.")
    values = {
        **found.model_dump(include={"key", "treatment", "target_urn", "decision_urn", "sentence"}),
        "verdict": verdict, "decided_by": by.strip()[:200], "override_id": override,
    }  # fmt: skip
    conn.execute(QUERIES["record_proposal"], values)


def _open_proposal(conn: Connection, key: str) -> Proposal:
    found = next(
        (proposal for proposal in _proposals(conn, None, every=True, decided=True) if proposal.key == key.strip()), None
    )
    if found is None:
        raise InputError(f"There is no proposal {key[:40]}; `lexscope override propose --all` lists them.")
    if found.verdict is not None:
        raise InputError(f"Proposal {key} was {found.verdict} by {found.decided_by} already.")
    return found


def _proposals(conn: Connection, jurisdiction: str | None, *, every: bool, decided: bool) -> list[Proposal]:
    codes = expand_jurisdictions(jurisdiction, stored_jurisdictions(conn))
    verdicts = {row[0]: row[1:] for row in conn.execute(QUERIES["list_proposal_verdicts"])}
    found: dict[str, Proposal] = {}
    for code in sorted(codes):
        rows = conn.cursor(row_factory=dict_row).execute(QUERIES["find_decision_citations"], {"jurisdiction": code})
        for proposal in _read(rows):
            if not every and proposal.status is None:
                continue
            verdict = verdicts.get(proposal.key)
            if verdict is not None and decided:
                told, by, at = verdict
                found.setdefault(
                    proposal.key, proposal.model_copy(update={"verdict": told, "decided_by": by, "decided_at": at})
                )
            elif verdict is None:
                found.setdefault(proposal.key, proposal)
    return sorted(found.values(), key=lambda one: (one.target_urn, one.decision_urn, one.key))


def _read(rows: Iterator[Mapping[str, Any]] | Any) -> Iterator[Proposal]:
    """The proposals of decisions whose paragraphs come in order, each decision's together."""
    decision, separate = "", False
    for row in rows:
        words = _words(row["language"])
        if words is None:
            continue
        text = node_text(row["intro_text"], row["content_text"])
        if row["decision"] != decision:
            decision, separate = row["decision"], False
        separate = separate or begins_separate(text, words)  # what follows a dissent's heading is no decision
        cited: Sequence[Mapping[str, Any]] = row["cited"] or ()
        if separate or not cited:
            continue
        sentences = split_sentences(text, row["language"])
        starts = [start for start, _ in sentences]
        for edge in cited:
            place = bisect_right(starts, edge["start"]) - 1
            if place < 0 or edge["end"] > sentences[place][1] or edge["target_urn"].startswith(decision):
                continue
            start, end = sentences[place]
            said = treatment_of(text[start:end], edge["start"] - start, edge["end"] - start, words)
            if said is not None:
                yield _proposal(row, edge, text[start:end], said)


def _words(language: str) -> TreatmentWords | None:
    treatments = language_of(language).treatments
    return treatments() if treatments else None


def _proposal(row: Mapping[str, Any], edge: Mapping[str, Any], sentence: str, said: Treatment) -> Proposal:
    named = "\n".join((row["urn"], edge["target_urn"], said.kind, sentence))
    cited = ", ".join(filter(None, (row["case_name"], row["citation"]))) or row["decision"]
    return Proposal(
        key=hashlib.sha256(named.encode()).hexdigest()[:10], treatment=said.kind, by=said.by,
        status=STATUSES.get(said.kind), target_urn=edge["target_urn"], in_store=edge["in_store"],
        reference=edge["reference"], decision_urn=row["urn"], case=cited, court=row["court"], decided=row["decided"],
        sentence=sentence, start=said.start, end=said.end,
    )  # fmt: skip
