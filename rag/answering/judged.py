"""What code neither proved nor refuted goes to a judge, and what the judge does not clearly support is not served.

The judge sees whole sentences with their lead-ins, the provisions that limit them, the definitions of their terms, the
parts of their section that they name and the sentences that they go on from, and nothing else. It never sees a
statement that a refuter or a citation check spoke against.

The law applied to the facts told, and the short answer, rest on statements that are served: code checks them, then the
judge, in one call. What rests on an application that is then not served is checked once more, with the law and the
facts below that application in its place: it falls only where it does not follow from these either. Nothing takes the
place of an application whose computation or facts are wrong, nor of one that rests on no law in the end, as those of a
circle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rag.answering.limits.provisions import Grounds, named_in, with_companions
from rag.answering.lists import told_whole
from rag.answering.refusals import heading_over
from rag.languages.registry import language_of
from rag.languages.stems import telling_stems
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
from rag.verification.draft import Draft, DraftClaim, DraftShortAnswer, DraftStatement
from rag.verification.judging import Judge, Judgement, Passage, PassageRole, Question, distinct_passages
from rag.verification.model import VERDICTS, CheckedCitation, CheckedClaim, Level, Reason
from rag.verification.norm import sentences_of
from retrieval.errors import ProviderError

MOST_LIMITS = 6  # limiting sentences that a judge is shown with one statement
MOST_DEFINITIONS = 6
MOST_BESIDE = 3  # parts of the section that the cited sentences name, and likewise sentences that these go on from
LONGEST_BESIDE = 1_500  # characters of one of those; half of a list misleads, so what is longer is not shown
LEAST_SECONDS = 1.0  # less is not worth a call that the deadline would end
_NEVER_JUDGED = frozenset({Reason.CLAIM_TOO_LONG})


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of asking a judge.

    Attributes:
        judgements: one for each question; None where none came.
        outcome: not_needed, judged, no_judge, no_time, failed (the provider did).
    """

    judgements: tuple[Judgement | None, ...]
    outcome: str


def is_open(checked: CheckedClaim) -> bool:
    """Whether a judge may decide: the citations hold, and code found neither that it follows nor that it does not."""
    return (
        checked.level == "WITHHELD"
        and checked.verdict == "UNVERIFIED"
        and bool(checked.citations)
        and not _NEVER_JUDGED.intersection(checked.reasons)
    )


def ask_judge(judge: Judge | None, questions: Sequence[Question], *, seconds: float) -> Judged:
    """Ask about some statements; a judge that fails or has no time has said nothing."""
    nothing = (None,) * len(questions)
    if not questions:
        return Judged((), "not_needed")
    if judge is None:
        return Judged(nothing, "no_judge")
    if seconds < LEAST_SECONDS:
        return Judged(nothing, "no_time")
    try:
        found = judge.judge(questions, seconds=seconds)
    except ProviderError:
        return Judged(nothing, "failed")
    return Judged(tuple(found) if len(found) == len(questions) else nothing, "judged")


def reason_of(judgement: Judgement | None) -> Reason:
    """Why a statement is not served on a judgement that does not hold."""
    if judgement is None:
        return Reason.NOT_JUDGED
    return Reason.JUDGE_UNSURE if judgement.entailment == "supported" else Reason.NOT_ENTAILED


def question_of(statement: DraftStatement, checked: CheckedClaim, grounds: Grounds) -> Question:
    """What a judge is asked about a statement of law."""
    return Question(
        statement=checked.text,
        kind="law",
        passages=passages_of(statement.claim, checked.citations, grounds),
        language=grounds.language,
    )


def passages_of(claim: DraftClaim, citations: Sequence[CheckedCitation], grounds: Grounds) -> tuple[Passage, ...]:
    """The law that a statement rests on: what it cites, what limits that, what defined terms in it mean, and what it
    names of its own section or goes on from.

    A sentence that opens a list has its items, and an item that must not be told alone its sisters: who sees a part of
    them can only doubt.
    """
    key = claim, _of_whole_sentences(citations)
    if key not in grounds.passages:
        grounds.passages[key] = _passages_of(*key, grounds)
    return grounds.passages[key]


def _passages_of(claim: DraftClaim, citations: Sequence[CheckedCitation], grounds: Grounds) -> tuple[Passage, ...]:
    context, language = grounds.context, grounds.language
    blocks = {block.urn: block for block in reversed(context.blocks)}

    def passage(urn: str, sentence: str, lead_in: str, flush: str, role: PassageRole) -> Passage:
        plain = Passage(urn, sentence, lead_in, flush, heading_over(context, urn), role)
        block = blocks.get(urn)
        told = told_whole(block, sentence, context.blocks, language) if block is not None else ""
        return replace(plain, text=told, lead_in="", flush="") if told else plain

    def of(one: CheckedCitation, role: PassageRole) -> Passage:
        return passage(one.urn, one.sentence, one.lead_in, one.flush, role)

    cited = list(dict.fromkeys(of(citation, "cited") for citation in citations))
    sentence = grounds.fallback(claim)
    limits = with_companions([sentence], grounds)[0][1:] if sentence is not None else []
    told = {(passage.urn, passage.text) for passage in cited}
    limiting = [of(citation, "limit") for limit in limits for citation in limit.citations]
    words = " ".join(f"{passage.lead_in} {passage.text}" for passage in cited).casefold()
    defined = [
        passage(block.urn, block.text, block.lead_in, block.flush or "", "definition")
        for definition in context.definitions
        if definition.term.casefold() in words
        for block in context.blocks
        if block.urn == definition.urn and block.text and block.role in ("definition", "rule")
    ]

    def others(passages: Iterable[Passage], most: int) -> list[Passage]:
        return [passage for passage in dict.fromkeys(passages) if (passage.urn, passage.text) not in told][:most]

    texts = [(block.urn, block.text) for block in context.blocks if block.text]
    sentences = [(passage.urn, " ".join((passage.lead_in, passage.text, passage.flush))) for passage in cited]
    stems = language_of(language)
    unsaid = telling_stems(claim.text, stems) - telling_stems(words, stems)
    beside = [
        *passages_named(sentences, texts, language),
        *_gone_on_from(citations, dict(texts), unsaid, language),
    ]
    shown = (*cited, *others(limiting, MOST_LIMITS), *others(defined, MOST_DEFINITIONS))
    return distinct_passages((*shown, *beside))


def passages_named(
    sentences: Iterable[tuple[str, str]], texts: Sequence[tuple[str, str]], language: str
) -> list[Passage]:
    """The parts of a section that sentences of it name, each whole: "the request described in paragraph (2)".

    Args:
        sentences: URN and words, lead-ins included.
        texts: URN and text of the section's nodes, in order; others may be among them.

    Returns:
        At most `MOST_BESIDE`, none longer than `LONGEST_BESIDE`.
    """
    urns = list(dict.fromkeys(urn for urn, _ in texts))
    found: list[Passage] = []
    for named in dict.fromkeys(part for urn, said in sentences for part in named_in(said, urn, urns, language)):
        whole = "\n".join(dict.fromkeys(text for urn, text in texts if f"{urn}:".startswith(f"{named}:")))
        if len(whole) <= LONGEST_BESIDE:
            found.append(Passage(named, whole, role="beside"))
    return found[:MOST_BESIDE]


def _gone_on_from(
    citations: Sequence[CheckedCitation], texts: Mapping[str, str], unsaid: frozenset[str], language: str
) -> list[Passage]:
    """The sentence of its node before each cited one that leans on it, or that lacks a word of the statement which the
    sentence before has: "that person may reply".
    """
    known, found = language_of(language), list[Passage]()
    for cited in citations:
        text = texts.get(cited.urn, "")
        before = [span for span in sentences_of(text, language) if span[1] <= cited.sentence_start]
        said = text[slice(*before[-1])] if before else ""
        needed = known.limits.leans.match(cited.sentence) or not unsaid.isdisjoint(telling_stems(said, known))
        if said and needed and len(said) <= LONGEST_BESIDE:
            found.append(Passage(cited.urn, said, role="beside"))
    return list(dict.fromkeys(found))[:MOST_BESIDE]


def explained(checked: CheckedClaim) -> CheckedClaim:
    """An open statement that a judge supports: served beside the whole sentences that it cites."""
    citations = _of_whole_sentences(checked.citations)
    return CheckedClaim(checked.text, "EXPLAINED", "SUPPORTED", (Reason.JUDGED,), citations, limited=True)


def _of_whole_sentences(citations: Sequence[CheckedCitation]) -> tuple[CheckedCitation, ...]:
    return tuple(
        replace(citation, quote=citation.sentence, start=citation.sentence_start, end=citation.sentence_end)
        for citation in citations
    )


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
    outcome: str = "not_needed"  # as that of `Judged`


def apply(
    draft: Draft,
    law: Mapping[str, tuple[DraftStatement, CheckedClaim]],
    grounds: Grounds,
    scenario: str,
    judge: Judge | None,
    left: Callable[[], float],
) -> Applied:
    """Check the applications of a draft and its short answer.

    Args:
        draft: whose ids are unique.
        law: the statements of law that are served, as drafted and as they stand, by their ids.
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
    context, language = grounds.context, grounds.language
    jurisdiction = context.targets[0].split(":")[2] if context.targets else ""
    premises: dict[str, Premise] = {
        name: Premise(claim.text, "law", passages_of(statement.claim, claim.citations, grounds))
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
