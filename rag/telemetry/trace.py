"""The record of one request: what was searched, assembled, prompted, drafted and verified.

A trace in memory is whole. `redacted()` is what is stored by default: hashes, URNs, quotes and verdicts, and nothing
of the scenario, of the prompt's scenario part or of the claims' wording.
"""

from __future__ import annotations

import hashlib
import re
from datetime import date, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from pydantic import Field

from rag.answering.answer import Citation, Computation, Place, Refusal, ShortAnswer
from rag.answering.run import Run, told_beside
from rag.verification.model import Level
from retrieval.model import ContextWarning, Record, ScopedContext

if TYPE_CHECKING:
    from rag.models.drafting import LanguageModel

TRACE_VERSION = 2
TRACED_HITS = 20  # of each leg
TRACE_ID = re.compile(r"[0-9a-f]{16}")
# Warnings whose words are ours, URNs and headings of law; what another kind says may repeat the question.
WITHOUT_USERS_WORDS = frozenset(
    {
        "limits",
        "wide_limits",
        "limits_of_limits",
        "limit",
        "other_rules",
        "parts_left",
        "recital",
        "rest",
        "future_date",
    }
)


class TracedHit(Record):
    """One line of a leg's ranking."""

    urn: str
    score: float


class TracedEntryPoint(Record):
    """One candidate rule after fusion."""

    urn: str
    hit_urn: str
    score: float
    legs: dict[str, float]


class TracedStatement(Record):
    """One statement beside its verdict. What is the user's or the model's wording is None in a redacted trace."""

    id: str = ""
    kind: str = "law"
    text: str | None
    level: Level
    verdict: str
    reasons: list[str]
    citations: list[Citation]
    rests_on: list[str] = Field(default_factory=list[str])
    facts: list[str] | None = None
    computations: list[Computation] | None = None

    def redacted(self) -> TracedStatement:
        """The same without wording, facts and computations."""
        return self.model_copy(update={"text": None, "facts": None, "computations": None})


class Trace(Record):
    """Everything a reviewer needs to follow one request."""

    version: int = TRACE_VERSION
    id: str
    created_at: datetime
    privacy: str  # full or redacted
    lexscope: str  # program version
    request: str  # ask, context
    status: str
    at_date: date
    jurisdictions: list[str]
    language: str
    scenario: str | None
    scenario_sha256: str
    legs: dict[str, list[TracedHit]]  # leg -> its ranking, best first
    entry_points: list[TracedEntryPoint]
    synonyms: list[str] | None  # "phrase -> target"; None in a redacted trace, for phrases are the user's words
    context: ScopedContext | None
    prompt: str | None  # exactly as sent; None in a redacted trace
    prompt_redacted: str | None  # the same with the scenario taken out
    prompt_digest: str | None
    repair_digest: str | None = None  # digest of the repair round's prompt; None where none was sent
    repair: str = "not_needed"  # what came of that round, in the words of `rag.answering.synthesis`
    provider: str
    model: str
    judge: str = "none"
    short_answer: ShortAnswer | None = None  # None in a redacted trace too
    places: list[Place] = Field(default_factory=list[Place])
    statements: list[TracedStatement]
    unanswered: list[str] | None
    # Warnings beside those of the context; of most a redacted trace keeps the kind only.
    told: list[ContextWarning] = Field(default_factory=list[ContextWarning])
    refusal_reason: str | None
    refusal_message: str | None
    usage: dict[str, int]
    milliseconds: dict[str, float]  # by stage
    # Of jurisdictions asked side by side: what asks on of this one and those before it (`rag.answering.follow_up`).
    follow_up: str | None = None

    def redacted(self) -> Trace:
        """The trace without the user's words and without the model's wording."""
        if self.privacy == "redacted":
            return self
        return self.model_copy(
            update={
                "privacy": "redacted",
                "scenario": None,
                "synonyms": None,
                "unanswered": None,
                "told": [_without_users_words(warning) for warning in self.told],
                "prompt": None,
                "short_answer": None,
                # Why each was chosen is told in the user's words.
                "places": [place.model_copy(update={"why": ""}) for place in self.places],
                "statements": [statement.redacted() for statement in self.statements],
            }
        )


def _without_users_words(warning: ContextWarning) -> ContextWarning:
    return warning if warning.kind in WITHOUT_USERS_WORDS else warning.model_copy(update={"message": ""})


def scenario_sha256(scenario: str) -> str:
    """Digest of what was asked."""
    return hashlib.sha256(scenario.encode()).hexdigest()


def trace_of(run: Run, status: str, refusal: Refusal | None, model: LanguageModel | None) -> Trace:
    """The whole trace of a run, the user's words included; what is stored of it is for `Trace.redacted` to say."""
    synthesis = run.synthesis
    checked: list[TracedStatement] = []
    if synthesis is not None:
        from rag.answering.synthesis import citations_of  # loaded by then

        checked = [
            TracedStatement(
                id=traced.id,
                kind=traced.kind,
                text=traced.checked.text,
                level=traced.checked.level,
                verdict=traced.checked.verdict,
                reasons=[str(reason) for reason in traced.checked.reasons],
                citations=citations_of(traced.checked, run.context) if run.context else [],
                rests_on=list(traced.rests_on),
                facts=list(traced.facts),
                computations=[
                    Computation(operation=step.operation, inputs=list(step.inputs), result=step.result)
                    for step in traced.computations
                ],
            )
            for traced in synthesis.checked
        ]
    return Trace(
        id=run.trace_id,
        created_at=run.started,
        privacy="full",
        lexscope=version("lexscope"),
        request=run.request,
        status=status,
        at_date=run.at_date,
        jurisdictions=list(run.filters.jurisdictions) if run.filters else [],
        language=run.filters.language if run.filters else "",
        scenario=run.scenario,
        scenario_sha256=scenario_sha256(run.scenario),
        legs={
            name: [TracedHit(urn=hit.urn, score=round(hit.score, 6)) for hit in hits[:TRACED_HITS]]
            for name, hits in sorted(run.found.legs.items())
        },
        entry_points=[
            TracedEntryPoint(urn=point.rule.urn, hit_urn=point.hit_urn, score=point.score, legs=point.legs)
            for point in run.found.points
        ],
        synonyms=[*map(str, run.found.synonyms), *(f"rewriting -> {term}" for term in run.found.terms)],
        context=run.context,
        prompt=run.prompt.text if run.prompt else None,
        prompt_redacted=run.prompt.text_redacted if run.prompt else None,
        prompt_digest=run.prompt.digest if run.prompt else None,
        repair_digest=synthesis.repair.prompt_digest if synthesis else None,
        repair=synthesis.repair.outcome if synthesis else "not_needed",
        provider=model.provider if model else "extractive",
        model=model.model if model else "none",
        judge=synthesis.judge if synthesis else "none",
        short_answer=synthesis.short_answer if synthesis else None,
        places=run.places,
        statements=checked,
        unanswered=list(synthesis.unanswered) if synthesis else [],
        told=told_beside(run, refusal, model),
        refusal_reason=refusal.reason if refusal else None,
        refusal_message=refusal.message if refusal else None,
        usage=synthesis.usage if synthesis else {},
        milliseconds=run.milliseconds,
        follow_up=run.token_beside(),
    )
