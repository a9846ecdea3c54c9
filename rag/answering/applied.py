"""The law applied to the facts told, and the short answer: on statements that are served, by code, then by the judge.

All that passes code goes to the judge in one call; what rests on a statement that the judge then does not support falls
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rag.answering.judged import ask_judge, passages_of, reason_of
from rag.verification.applications import (
    CheckedApplication,
    Premise,
    question,
    rounds,
    verify_application,
    verify_short_answer,
)
from rag.verification.draft import Draft, DraftStatement
from rag.verification.judging import Judge, Judgement
from rag.verification.model import VERDICTS, CheckedCitation, CheckedClaim, Evidence, Level, Reason
from retrieval.model import ScopedContext

_SHORT = "short_answer"


@dataclass(frozen=True, slots=True)
class Application:
    """An application or a short answer that is served, or not.

    Attributes:
        id: of the draft; `short_answer` for the short answer.
        checked: what code found.
        claim: level, verdict and reasons, with the citations of the statements of law that it rests on.
        details: why it is withheld, each a line that a reader can act on.
    """

    id: str
    checked: CheckedApplication
    claim: CheckedClaim
    details: tuple[str, ...] = ()

    @property
    def served(self) -> bool:
        """Whether a reader sees it."""
        return self.claim.level != "WITHHELD"


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of the applications of a draft and of its short answer."""

    applications: list[Application] = field(default_factory=list[Application])
    short_answer: Application | None = None
    outcome: str = "not_needed"  # see `rag.answering.judged`


def apply(
    draft: Draft,
    law: Mapping[str, tuple[DraftStatement, CheckedClaim]],
    context: ScopedContext,
    evidence: Evidence,
    scenario: str,
    judge: Judge | None,
    left: Callable[[], float],
) -> Applied:
    """Check the applications of a draft and its short answer.

    Args:
        draft: whose ids are unique.
        law: the statements of law that are served, as drafted and as they stand, by their ids.
        context: what they were verified against.
        evidence: the verifier's view of it.
        scenario: what was asked.
        judge: decides on what passes code; without one nothing of it is served.
        left: the seconds that are left of the request's deadline.
    """
    drafted = [statement for statement in draft.statements if statement.kind == "application"]
    short = draft.short_answer if draft.short_answer is not None and draft.short_answer.text.strip() else None
    if not drafted and short is None:
        return Applied()
    language, jurisdiction = evidence.language, context.targets[0].split(":")[2] if context.targets else ""
    premises: dict[str, Premise] = {
        name: Premise(claim.text, "law", passages_of(statement, claim.citations, context, evidence))
        for name, (statement, claim) in law.items()
    }
    found: dict[str, CheckedApplication] = {}
    for together in rounds(drafted):
        for statement in together:
            found[statement.id] = verify_application(
                statement, premises, scenario, language, jurisdiction=jurisdiction, at_date=context.at_date
            )
        premises.update({name: found[name].premise for name in (each.id for each in together) if found[name].passes})
    told = None
    if short is not None:
        told = verify_short_answer(
            short, premises, scenario, language, jurisdiction=jurisdiction, at_date=context.at_date
        )
    waiting = {**found, **({_SHORT: told} if told is not None else {})}
    passing = {name: checked for name, checked in waiting.items() if checked.passes}
    questions = [question(checked, premises, language, scenario) for checked in passing.values()]
    judged = ask_judge(judge, questions, seconds=left())
    said = dict(zip(passing, judged.judgements, strict=True))
    standing = _standing(found, said, law.keys())
    cited = {name: claim.citations for name, (_, claim) in law.items()}

    def settled(name: str, level: Level) -> Application:
        checked, judgement = waiting[name], said.get(name)
        reasons = checked.reasons
        if checked.passes and not (judgement is not None and judgement.holds):
            reasons = (reason_of(judgement),)
        elif checked.passes and not set(checked.rests_on) <= standing:
            reasons = (Reason.PREMISE_NOT_SERVED,)
        citations = _citations(checked.rests_on, found, cited)
        if reasons:
            claim = CheckedClaim(checked.text, "WITHHELD", VERDICTS[reasons[0]], reasons, citations)
            return Application(name, checked, claim, checked.details)
        return Application(name, checked, CheckedClaim(checked.text, level, "SUPPORTED", (Reason.JUDGED,), citations))

    applications = [settled(statement.id, "APPLIED") for statement in drafted]
    answer = None
    if told is not None:
        applies = told.facts or any(name in found for name in told.rests_on)
        answer = settled(_SHORT, "APPLIED" if applies else "EXPLAINED")
    return Applied(applications, answer, judged.outcome)


def _standing(
    found: Mapping[str, CheckedApplication], said: Mapping[str, Judgement | None], law: Iterable[str]
) -> set[str]:
    """The ids of the statements that stand: law, and applications that hold and rest on nothing else."""
    standing = set(law)
    holding = {name for name in found if (judgement := said.get(name)) is not None and judgement.holds}
    while added := {name for name in holding - standing if set(found[name].rests_on) <= standing}:
        standing |= added
    return standing


def _citations(
    rests_on: Sequence[str],
    found: Mapping[str, CheckedApplication],
    cited: Mapping[str, tuple[CheckedCitation, ...]],
) -> tuple[CheckedCitation, ...]:
    """The citations of all law that a statement rests on, itself or through others, each once."""
    out: dict[CheckedCitation, None] = {}
    waiting, seen = list(rests_on), set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        out.update(dict.fromkeys(cited.get(name, ())))
        waiting.extend(found[name].rests_on if name in found else ())
    return tuple(out)
