"""The law applied to the facts told, and the short answer: on statements that are served, by code, then by the judge.

All that passes code goes to the judge in one call. What rests on an application that is then not served is checked
once more, with the law and the facts below that application in its place: it falls only where it does not follow from
these either. Nothing takes the place of an application whose computation or facts are wrong, nor of one that rests on
no law in the end, as those of a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rag.answering.judged import ask_judge, passages_of, reason_of
from rag.verification.applications import (
    MAX_PARTS,
    CheckedApplication,
    Premise,
    question,
    rounds,
    told_premises,
    verify_application,
    verify_short_answer,
)
from rag.verification.draft import Draft, DraftShortAnswer, DraftStatement
from rag.verification.judging import Judge, Judgement
from rag.verification.model import VERDICTS, CheckedCitation, CheckedClaim, Evidence, Level, Reason
from retrieval.model import ScopedContext

_SHORT = "short_answer"
_WRONG = frozenset({Reason.COMPUTATION_WRONG, Reason.FACT_NOT_TOLD})  # what rests on such an application is wrong too
_Said = dict[str, Judgement | None]


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
    if short is not None and short.rests_on:
        # It sums up what is printed under it: its judge sees all the law there, named or not.
        short = replace(short, rests_on=tuple(dict.fromkeys((*short.rests_on, *law)))[:MAX_PARTS])
    language, jurisdiction = evidence.language, context.targets[0].split(":")[2] if context.targets else ""
    premises: dict[str, Premise] = {
        name: Premise(claim.text, "law", passages_of(statement, claim.citations, context, evidence))
        for name, (statement, claim) in law.items()
    }

    def check(one: DraftStatement | DraftShortAnswer, known: Mapping[str, Premise]) -> CheckedApplication:
        day = context.at_date
        if isinstance(one, DraftStatement):
            return verify_application(one, known, scenario, language, jurisdiction=jurisdiction, at_date=day)
        return verify_short_answer(one, known, scenario, language, jurisdiction=jurisdiction, at_date=day)

    def ask(waiting: Mapping[str, CheckedApplication], known: Mapping[str, Premise]) -> tuple[_Said, str]:
        passing = {name: checked for name, checked in waiting.items() if checked.passes}
        questions = [question(checked, known, language, scenario) for checked in passing.values()]
        judged = ask_judge(judge, questions, seconds=left())
        return dict(zip(passing, judged.judgements, strict=True)), judged.outcome

    found: dict[str, CheckedApplication] = {}
    for statement in (statement for together in rounds(drafted) for statement in together):
        found[statement.id] = check(statement, premises)
        if found[statement.id].passes:
            premises[statement.id] = found[statement.id].premise
    every: dict[str, DraftStatement | DraftShortAnswer] = {statement.id: statement for statement in drafted}
    if short is not None:
        every[_SHORT], found[_SHORT] = short, check(short, premises)
    said, outcome = ask(found, premises)
    standing = _standing(found, said, law.keys())
    fallen = [name for name, checked in found.items() if _fell(checked, said.get(name), standing)]
    if fallen:
        grounded = _grounded(found, law.keys())
        below = {name: premise for name, premise in premises.items() if name in grounded}
        below |= {name: found[name].stand_in for name in found if name in grounded and name not in standing}
        again = {name: checked for name in fallen if (checked := check(every[name], below)).passes}
        later, _ = ask(again, below)
        holding = {name for name in again if _holds(later[name])}
        standing = _standing(found, said, {*standing, *holding})
        for name in holding:
            if not (_holds(said.get(name)) and set(found[name].rests_on) <= standing):
                rests_on = told_premises(again[name].rests_on, below)
                found[name], said[name] = replace(again[name], rests_on=rests_on), later[name]
    cited = {name: claim.citations for name, (_, claim) in law.items()}

    def settled(name: str, level: Level) -> Application:
        checked, judgement = found[name], said.get(name)
        reasons = checked.reasons
        if checked.passes and not _holds(judgement):
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
    if short is not None:
        applies = found[_SHORT].facts or any(name in found for name in short.rests_on)
        answer = settled(_SHORT, "APPLIED" if applies else "EXPLAINED")
    return Applied(applications, answer, outcome)


def _holds(judgement: Judgement | None) -> bool:
    return judgement is not None and judgement.holds


def _fell(checked: CheckedApplication, judgement: Judgement | None, standing: Collection[str]) -> bool:
    """Whether a statement is not served for a premise alone: with another one in its place it might be."""
    without = not set(checked.rests_on) <= set(standing)
    return without and (_holds(judgement) if checked.passes else Reason.PREMISE_NOT_SERVED in checked.reasons)


def _standing(
    found: Mapping[str, CheckedApplication], said: Mapping[str, Judgement | None], law: Iterable[str]
) -> set[str]:
    """The ids of the statements that stand: law, and applications that hold and rest on nothing else."""
    standing = set(law)
    holding = {name for name in found if _holds(said.get(name))}
    while added := {name for name in holding - standing if set(found[name].rests_on) <= standing}:
        standing |= added
    return standing


def _grounded(found: Mapping[str, CheckedApplication], law: Iterable[str]) -> set[str]:
    """The ids of the law, and of the applications that rest on law in the end and on nothing that is wrong."""
    grounded = set(law)
    sound = {name for name, checked in found.items() if checked.rests_on and not _WRONG & set(checked.reasons)}
    while added := {name for name in sound - grounded if set(found[name].rests_on) <= grounded}:
        grounded |= added
    return grounded


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
