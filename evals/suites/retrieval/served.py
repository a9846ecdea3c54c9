"""What `ask` serves without a model: answers, places and refusals, for questions with known provisions and without any.

places_right@3        of all: a place shown is a known provision, or the first statement of an answer is of one
answered              of all: served as `answered`
answered_right        of those: the first statement is of a known provision
wrong_as_certain      of all: `answered`, and it is not
refused_though_found  of all: refused, while one of the first three entry points was right
AUC of the lead       how well the distance from the first entry point to the next tells right first ones from wrong
answered in vain      of the questions that nothing in the store answers: `answered`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from evals.measures import area_under
from evals.rows import REPORTED, Gate, Row, wilson
from evals.suites.retrieval.asking import same_provision
from evals.suites.retrieval.sets import Question, QuestionSet
from rag import Engine

FIRST = 3
GATES = {
    "places_right@3": Gate(">=", 0.75, hard=False),
    "answered_right": Gate(">=", 0.95, hard=False),
    "wrong_as_certain": Gate("<=", 0.01, hard=False),
    "answered in vain": Gate("<=", 0.05, hard=False),
}


@dataclass(frozen=True, slots=True)
class Served:
    """What came of one question.

    Attributes:
        status: of the answer.
        right: its first statement is of a known provision.
        placed: one of its first three places is.
        found: one of the first three entry points is.
        first: the first entry point is.
        lead: the distance from the first entry point to the next; 0 without any.
    """

    status: str
    right: bool
    placed: bool
    found: bool
    first: bool
    lead: float


def served(engine: Engine, questions: Sequence[Question]) -> list[Served]:
    """Ask each question; no model may be configured.

    Raises:
        StoreError: the store failed.
    """
    return [_served(engine, question) for question in questions]


def _served(engine: Engine, question: Question) -> Served:
    answer, trace = engine.traced_ask(
        question.text, jurisdiction=question.jurisdiction or None, language=question.language or None
    )
    cited = [citation.urn for statement in answer.statements[:1] for citation in statement.citations]
    places = [place.urn for place in answer.places[:FIRST]]
    points = trace.entry_points

    def known(urns: Sequence[str]) -> bool:
        return any(same_provision(gold, urn) for gold in question.gold for urn in urns)

    lead = points[0].score - (points[1].score if len(points) > 1 else 0.0) if points else 0.0
    return Served(
        status=answer.status,
        right=known(cited),
        placed=known(places),
        found=known([point.urn for point in points[:FIRST]]),
        first=known([point.urn for point in points[:1]]),
        lead=lead,
    )


def served_rows(suite: str, name: str, found: Sequence[Served], *, gates: bool) -> list[Row]:
    """The rows of one set, of questions that the store answers.

    Args:
        suite: its name.
        name: of the set.
        found: what came of its questions; at least one.
        gates: whether its rows have to keep the bounds; others are reported.
    """
    answered = [answer for answer in found if answer.status == "answered"]
    shares = {
        "places_right@3": ([answer.right if answer.status == "answered" else answer.placed for answer in found]),
        "answered": [answer.status == "answered" for answer in found],
        "answered_right": [answer.right for answer in answered],
        "wrong_as_certain": [answer.status == "answered" and not answer.right for answer in found],
        "refused_though_found": [answer.status == "refused" and answer.found for answer in found],
    }
    rows = [_row(suite, name, metric, hits, gates=gates) for metric, hits in shares.items() if hits]
    right, wrong = ([answer.lead for answer in found if answer.first is first] for first in (True, False))
    if right and wrong:
        value = area_under(right, wrong)
        rows.append(Row(suite, f"{name}, ask", "AUC of the lead", value, len(found), None, None, REPORTED))
    return rows


def vain_row(suite: str, name: str, found: Sequence[Served]) -> Row:
    """The row of questions that nothing in the store answers; at least one."""
    return _row(suite, name, "answered in vain", [answer.status == "answered" for answer in found], gates=True)


def _row(suite: str, name: str, metric: str, hits: Sequence[bool], *, gates: bool) -> Row:
    low, high = wilson(sum(hits), len(hits))
    gate = GATES.get(metric, REPORTED) if gates else REPORTED
    return Row(suite, f"{name}, ask", metric, fmean(hits), len(hits), low, high, gate)


def measured(suite: str, engine: Engine, asked: Sequence[QuestionSet], vain: Sequence[QuestionSet]) -> list[Row]:
    """The rows of sets of questions with and without an answer; English ones have to keep the bounds."""
    rows: list[Row] = []
    for question_set in asked:
        if question_set.questions:
            rows += served_rows(
                suite,
                question_set.name,
                served(engine, question_set.questions),
                gates=question_set.name.endswith(" en"),
            )
    return rows + [
        vain_row(suite, question_set.name, served(engine, question_set.questions))
        for question_set in vain
        if question_set.questions
    ]
