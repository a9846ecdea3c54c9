"""What code neither proved nor refuted goes to a judge, and what the judge does not clearly support is not served.

The judge sees whole sentences with their lead-ins, the provisions that limit them and the definitions of their terms,
and nothing else. It never sees a statement that a refuter or a citation check spoke against.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rag.answering.limits.provisions import with_companions
from rag.answering.lists import told_whole
from rag.answering.refusals import heading_over
from rag.verification.claims import verbatim_fallback
from rag.verification.draft import DraftStatement
from rag.verification.judging import Judge, Judgement, Passage, PassageRole, Question, distinct_passages
from rag.verification.model import CheckedCitation, CheckedClaim, Evidence, Reason
from retrieval.errors import ProviderError
from retrieval.model import ScopedContext

MOST_LIMITS = 6  # limiting sentences that a judge is shown with one statement
MOST_DEFINITIONS = 6
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


def question_of(
    statement: DraftStatement, checked: CheckedClaim, context: ScopedContext, evidence: Evidence
) -> Question:
    """What a judge is asked about a statement of law."""
    return Question(
        statement=checked.text,
        kind="law",
        passages=passages_of(statement, checked.citations, context, evidence),
        language=evidence.language,
    )


def passages_of(
    statement: DraftStatement, citations: Sequence[CheckedCitation], context: ScopedContext, evidence: Evidence
) -> tuple[Passage, ...]:
    """The law that a statement rests on: what it cites, what limits that, and what defined terms in it mean.

    A sentence that opens a list has its items, and an item that must not be told alone its sisters: who sees a part of
    them can only doubt.
    """
    blocks = {block.urn: block for block in reversed(context.blocks)}

    def passage(urn: str, sentence: str, lead_in: str, flush: str, role: PassageRole) -> Passage:
        plain = Passage(urn, sentence, lead_in, flush, heading_over(context, urn), role)
        block = blocks.get(urn)
        told = told_whole(block, sentence, context.blocks, evidence.language) if block is not None else ""
        return replace(plain, text=told, lead_in="", flush="") if told else plain

    def of(one: CheckedCitation, role: PassageRole) -> Passage:
        return passage(one.urn, one.sentence, one.lead_in, one.flush, role)

    cited = list(dict.fromkeys(of(citation, "cited") for citation in citations))
    sentence = verbatim_fallback(statement.claim, evidence)
    limits = with_companions([sentence], context, evidence)[0][1:] if sentence is not None else []
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

    return distinct_passages((*cited, *others(limiting, MOST_LIMITS), *others(defined, MOST_DEFINITIONS)))


def explained(checked: CheckedClaim) -> CheckedClaim:
    """An open statement that a judge supports: served beside the whole sentences that it cites."""
    citations = tuple(
        replace(citation, quote=citation.sentence, start=citation.sentence_start, end=citation.sentence_end)
        for citation in checked.citations
    )
    return CheckedClaim(checked.text, "EXPLAINED", "SUPPORTED", (Reason.JUDGED,), citations, limited=True)
