"""What code neither proved nor refuted goes to a judge, and what the judge does not clearly support is not served.

The judge sees whole sentences with their lead-ins, the provisions that limit them, the definitions of their terms, the
parts of their section that they name and the sentences that they go on from, and nothing else. It never sees a
statement that a refuter or a citation check spoke against.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.answering.limits.provisions import named_in, with_companions
from rag.answering.lists import told_whole
from rag.answering.refusals import heading_over
from rag.languages.registry import language_of
from rag.languages.stems import telling_stems
from rag.verification.claims import verbatim_fallback
from rag.verification.draft import DraftStatement
from rag.verification.judging import Judge, Judgement, Passage, PassageRole, Question, distinct_passages
from rag.verification.model import CheckedCitation, CheckedClaim, Evidence, Reason
from rag.verification.norm import sentences_of
from retrieval.errors import ProviderError
from retrieval.model import ScopedContext

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
    """The law that a statement rests on: what it cites, what limits that, what defined terms in it mean, and what it
    names of its own section or goes on from.

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

    texts = [(block.urn, block.text) for block in context.blocks if block.text]
    sentences = [(passage.urn, " ".join((passage.lead_in, passage.text, passage.flush))) for passage in cited]
    stems = language_of(evidence.language)
    unsaid = telling_stems(statement.claim.text, stems) - telling_stems(words, stems)
    beside = [
        *passages_named(sentences, texts, evidence.language),
        *_gone_on_from(citations, dict(texts), unsaid, evidence.language),
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
        language: of the law.

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
    citations = tuple(
        replace(citation, quote=citation.sentence, start=citation.sentence_start, end=citation.sentence_end)
        for citation in checked.citations
    )
    return CheckedClaim(checked.text, "EXPLAINED", "SUPPORTED", (Reason.JUDGED,), citations, limited=True)
