"""The record of one request: what was searched, assembled, prompted, drafted and verified.

A trace in memory is whole. `redacted()` is what is stored by default: hashes, URNs, quotes and verdicts, and nothing
of the scenario, of the prompt's scenario part or of the claims' wording.
"""

from __future__ import annotations

import hashlib
from datetime import date, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from pydantic import Field

from rag.answering.answer import Citation, Refusal
from rag.answering.run import Run, told_beside
from retrieval.model import ContextWarning, Record, ScopedContext

if TYPE_CHECKING:
    from rag.models.drafting import LanguageModel

TRACE_VERSION = 1
TRACED_HITS = 20  # of each leg
# Warnings whose words are ours, URNs and headings of law; what another kind says may repeat the question.
WITHOUT_USERS_WORDS = frozenset({"limits", "limit", "other_rules", "recital", "future_date"})


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


class TracedClaim(Record):
    """One claim beside its verdict. `text` is None in a redacted trace."""

    text: str | None
    level: str
    verdict: str
    reasons: list[str]
    citations: list[Citation]


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
    repair: str = "not_needed"  # what came of that round, in the words of `rag.answering.repair`
    provider: str
    model: str
    claims: list[TracedClaim]
    unanswered: list[str] | None
    # Warnings beside those of the context; of most a redacted trace keeps the kind only.
    told: list[ContextWarning] = Field(default_factory=list[ContextWarning])
    refusal_reason: str | None
    refusal_message: str | None
    usage: dict[str, int]
    milliseconds: dict[str, float]  # by stage

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
                "told": [_without_users_words(one) for one in self.told],
                "prompt": None,
                "claims": [one.model_copy(update={"text": None}) for one in self.claims],
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
    checked: list[TracedClaim] = []
    if synthesis is not None:
        from rag.answering.synthesis import citations_of  # loaded by then

        checked = [
            TracedClaim(
                text=claim.text,
                level=claim.level,
                verdict=claim.verdict,
                reasons=[str(reason) for reason in claim.reasons],
                citations=citations_of(claim, run.context) if run.context else [],
            )
            for claim in synthesis.checked
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
            name: [TracedHit(urn=one.urn, score=round(one.score, 6)) for one in hits[:TRACED_HITS]]
            for name, hits in sorted(run.found.legs.items())
        },
        entry_points=[
            TracedEntryPoint(urn=one.rule.urn, hit_urn=one.hit_urn, score=one.score, legs=one.legs)
            for one in run.found.points
        ],
        synonyms=[str(one) for one in run.found.synonyms],
        context=run.context,
        prompt=run.prompt.text if run.prompt else None,
        prompt_redacted=run.prompt.text_redacted if run.prompt else None,
        prompt_digest=run.prompt.digest if run.prompt else None,
        repair_digest=synthesis.repair.prompt_digest if synthesis else None,
        repair=synthesis.repair.outcome if synthesis else "not_needed",
        provider=model.provider if model else "extractive",
        model=model.model if model else "none",
        claims=checked,
        unanswered=list(synthesis.unanswered) if synthesis else [],
        told=told_beside(run, refusal, model),
        refusal_reason=refusal.reason if refusal else None,
        refusal_message=refusal.message if refusal else None,
        usage=synthesis.usage if synthesis else {},
        milliseconds=run.milliseconds,
    )
