"""What an answer is, as Python, `--json` and MCP give it. Nothing here that was not verified by code."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import Field

from rag.verification.draft import StatementKind
from rag.verification.model import Level
from retrieval.model import (
    ContextStatus,
    ContextWarning,
    Omitted,
    OverrideNotice,
    PrevailsOver,
    Record,
    ScopedContext,
)

AnswerStatus = Literal[
    "answered",
    "places",  # no answer that is sure; the rules to look at, best first, each with its operative sentence
    "refused",
    "halted",
    "failed",
]
RefusalReason = Literal[
    "no_entry_point",  # search found no candidate rule
    "not_found",  # the rule that was named is not in the store
    "not_in_force",  # it is, but not at the date
    "insufficient_context",  # nothing in C(R) answers
    "legal_override",  # a court's override halts the rule
    "model_declined",  # the model refused or its filter did
    "nothing_verified",  # every statement failed verification
    "provider_timeout",
    "provider_rejected",
    "provider_error",
]


# What to do next, in words that hold for every face: a command line, a tool and a page have these operations.
ADVICE: Mapping[str, str] = {  # by RefusalReason
    "no_entry_point": "Try other words, another jurisdiction or date, or ingest the corpus it would be in.",
    "not_found": "Search for it in words, or ingest the corpus it belongs to.",
    "not_in_force": "Ask again with a date on which it is in force (--at-date, `at_date`).",
    "insufficient_context": "Ask in the law's own words, name the provision you mean, or read what came nearest.",
    "legal_override": "Do not rely on this rule; read the decision named here.",
    "model_declined": "Read the scoped context itself, or answer without a model (LEXSCOPE_PROVIDER=extractive).",
    "nothing_verified": "Read the scoped context itself; LEXSCOPE_PROVIDER=extractive answers without a model.",
    "provider_timeout": "Try again, raise LEXSCOPE_REQUEST_SECONDS, or set LEXSCOPE_PROVIDER=extractive.",
    "provider_rejected": "Check key, quota and model with `lexscope doctor`, or set LEXSCOPE_PROVIDER=extractive.",
    "provider_error": "Try again, or set LEXSCOPE_PROVIDER=extractive to answer without a model.",
}
# Why a context that did not come to be gives no answer.
REFUSALS: Mapping[str, RefusalReason] = {  # by ContextStatus
    "halted": "legal_override",
    "not_found": "not_found",
    "not_in_force": "not_in_force",
    "insufficient": "no_entry_point",
}


def advice_for(status: ContextStatus) -> str:
    """What to do about a context of some status; empty where it stands."""
    return advice_on(REFUSALS.get(status, ""))


def advice_on(reason: str) -> str:
    """What to do about a reason for a refusal; empty where it is none, as a trace from elsewhere may have it."""
    return ADVICE.get(reason, "")


def _advice(validated: dict[str, Any]) -> str:
    return advice_on(validated.get("reason", ""))


class Citation(Record):
    """A quote and where it stands: `text[start:end] == quote` in the cited node version."""

    urn: str
    quote: str
    start: int
    end: int
    heading: str = ""  # of the cited node, or of the nearest one around it that has one
    valid_from: date | None = None  # of the version; None: the source does not say
    valid_to: date | None = None  # the first day it is no longer in force; None: no end is known


NO_MODEL = "No language model was used."

# How a statement was checked, in a reader's words.
LEVELS: Mapping[Level, str] = {
    "VERBATIM": "the law's own words",
    "CHECKED": "a paraphrase; code accounted for every word",
    "EXPLAINED": "in plain words, beside the law's own; a judge found that it follows from them",
    "APPLIED": "applied to the facts as you told them, which nobody has checked",
    "WITHHELD": "not served",
}


class Computation(Record):
    """A step of arithmetic or of the calendar that code repeated with the same result."""

    operation: str
    inputs: list[str]
    result: str


class Statement(Record):
    """One statement with what it rests on.

    `kind` law states what provisions say and cites them; application applies such statements to the facts told, and
    cites what they cite. `level` says how it was checked (`LEVELS`). `reasons` are closed codes; on a served statement
    they say which checks did not apply. `rests_on` has ids of statements of the same answer, `facts` spans of the
    question, letter for letter.
    """

    id: str
    kind: StatementKind
    text: str
    level: Level
    verdict: str
    reasons: list[str]
    citations: list[Citation]
    rests_on: list[str] = Field(default_factory=list[str])
    facts: list[str] = Field(default_factory=list[str])
    computations: list[Computation] = Field(default_factory=list[Computation])


class ShortAnswer(Record):
    """What the user asked, in a sentence: yes, no, how much, until when. It cites through what it rests on."""

    text: str
    level: Level
    rests_on: list[str]


class Place(Record):
    """A rule to look at, with its operative sentence, whole and with its lead-in."""

    urn: str
    citation: str  # as a lawyer writes it; the URN where no citation is known
    heading: str
    path: str  # headings of what contains it, outermost first
    sentence: str
    why: str  # it was chosen
    rest: str = ""  # what the provision says right behind the sentence, or before its last one, word for word, shortly


class Withheld(Record):
    """A statement that was not served. Its wording is kept out of everything but a full trace."""

    verdict: str
    reasons: list[str]
    urns: list[str]
    details: list[str] = Field(default_factory=list[str])  # what to act on: `5 percent of $1,200 is $60, not $50.`


class Refusal(Record):
    """Why there is no answer, and what to do."""

    reason: RefusalReason
    message: str  # what is the case
    advice: str = Field(default_factory=_advice)  # what to do


class Answer(Record):
    """A verified answer, a refusal, a halt or an honest failure."""

    status: AnswerStatus
    at_date: date
    targets: list[str]
    short_answer: ShortAnswer | None
    statements: list[Statement]
    definitions: list[Statement]  # what the law says that terms of these sentences mean, added by code
    limits: list[Statement]  # the law's own sentences that limit a statement above, added by code
    # What else the provisions say that are quoted above, word for word, added by code whatever it says.
    rest: list[Statement] = Field(default_factory=list[Statement])
    places: list[Place]
    withheld: list[Withheld]
    unanswered: list[str]  # parts of the question that the model said the context does not settle
    refusal: Refusal | None
    warnings: list[ContextWarning]
    overrides: list[OverrideNotice]
    omitted: list[Omitted]
    context_digest: str | None
    prompt_digest: str | None
    provider: str
    model: str
    judge: str  # who judged what code could neither prove nor refute; `none` where nobody did
    label: str  # what kind of answer this is, for the reader
    trace_id: str | None
    # Of each target by its URN: its own heading, or that of the nearest node around it.
    headings: dict[str, str] = Field(default_factory=dict[str, str])
    jurisdictions: list[str] = Field(default_factory=list[str])  # whose law was searched
    language: str = ""  # of the law searched, ISO 639-1
    how_read: str = ""  # how the law was read for what governs these rules (ScopedContext)
    prevails_over: list[PrevailsOver] = Field(default_factory=list[PrevailsOver])  # what yields to what is cited above
    follow_up: str | None = None  # to ask on about the same rules at the same date; None where no context was assembled
    # The answer of each jurisdiction by the name it was asked under, where several were asked side by side; then
    # nothing is served beside these.
    parts: dict[str, Answer] = Field(default_factory=dict[str, "Answer"])
    context: ScopedContext | None = Field(default=None, exclude=True)  # for callers in Python; not part of the JSON

    @property
    def exit_code(self) -> int:
        """0 answered, 1 failed, 3 otherwise: places, refused, halted."""
        return {"answered": 0, "failed": 1}.get(self.status, 3)
