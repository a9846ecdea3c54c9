"""From C(R) and a scenario to verified statements: draft, verify, repair, judge, and nothing else is served.

draft -> code: VERBATIM, CHECKED, refuted, or open -> one repair round for what was refuted or misquoted
      -> the judge decides what is open: EXPLAINED -> for the rest the law's own sentence stands
      -> applications and the short answer, on what is served: code, then the judge: APPLIED
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rag.answering.answer import Citation, Computation, ShortAnswer, Statement, Withheld
from rag.answering.extractive.candour import ANSWERS, other_rules, parts_left, recitals, weak_match
from rag.answering.extractive.draft import LABEL as EXTRACTIVE_LABEL
from rag.answering.extractive.draft import draft_extractive, draft_meaning, sentence_breaks
from rag.answering.judged import (
    Application,
    Applied,
    Judged,
    apply,
    ask_judge,
    explained,
    is_open,
    question_of,
    reason_of,
)
from rag.answering.limits.provisions import UNTOLD, Grounds, with_companions
from rag.answering.limits.rest import rest_of
from rag.answering.meanings import governing_cited
from rag.answering.prompts import Prompt, build_repair
from rag.answering.refusals import heading_over
from rag.languages.base import Language
from rag.languages.placeholders import placeholder
from rag.languages.registry import language_of
from rag.languages.text import fold, is_plain
from rag.models.drafting import Declined, DraftRequest, LanguageModel
from rag.verification.claims import verbatim_fallback, verify_claim
from rag.verification.draft import Draft, DraftClaim, DraftComputation, StatementKind
from rag.verification.judging import Judge, Judgement
from rag.verification.model import DESCRIPTIONS, CheckedClaim, Evidence, EvidenceBlock, Reason
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.errors import ProviderError
from retrieval.model import ContextWarning, ScopedContext

# What a model says that the context does not settle: its only words that no check holds against the law. Pure.

_MOST_CHARACTERS = 300
_MOST_SHOWN = 6
_WORD = re.compile(r"[^\W_]+")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SECOND_SENTENCE = re.compile(r"[.;:!?。！？](?=\s*\S)|\n")


def open_parts(parts: Sequence[str], scenario: str, law: Iterable[str], language: str) -> tuple[str, ...]:
    """The parts of a question that a model left open, as a reader may see them.

    Returns:
        At most six parts, then one sentence that counts what is not shown.
    """
    if not parts:
        return ()
    question = fold(scenario).casefold()
    source = f"{question} {fold(' '.join(law)).casefold()}"
    known = frozenset(_WORD.findall(source))
    shown: list[str] = []
    named = list(dict.fromkeys(part.strip() for part in parts))
    for part in named:
        if (
            len(shown) < _MOST_SHOWN
            and _is_plain_part(part)
            and any(
                # Whoever asks about foreign law may ask in English, and a model answers in the words of the question.
                _tells_nothing(part, question, known, source, language_of(code))
                for code in dict.fromkeys((language, "en"))
            )
        ):
            shown.append(part)
    hidden = len(named) - len(shown)
    if hidden == 1:
        shown.append("A part that the model named in words of its own; they are not shown, for nothing verifies them.")
    elif hidden:
        shown.append(
            f"{hidden} parts that the model named in words of its own; they are not shown, for nothing verifies them."
        )
    return tuple(shown)


def _is_plain_part(part: str) -> bool:
    plain = len(part) <= _MOST_CHARACTERS and is_plain(part)
    return plain and not _SECOND_SENTENCE.search(part) and _WORD.search(part) is not None


def _tells_nothing(part: str, question: str, known: frozenset[str], source: str, asking: Language) -> bool:
    text = fold(part).casefold().strip(" .?!。？")
    if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question) or (_SIGNS.search(text) and text in question):
        return True
    words = _WORD.findall(text)
    openers, within = asking.questions.openers, asking.questions.within
    return words[0] in openers and all(
        word in known or word in openers or word in within or asking.is_neutral(word) or _is_written(word, source)
        for word in words
    )


def _is_written(word: str, source: str) -> bool:
    """Whether a run of signs without spaces has all its pairs in the question or the law."""
    return _SIGNS.search(word) is not None and all(word[at : at + 2] in source for at in range(max(1, len(word) - 1)))


# The one repair round: what goes back is the same prompt, each failed claim and its reason codes; no new context and no
# hint at an answer. A repaired claim is verified like any other. A reply that does not answer claim by claim is unused.

# A claim is one sentence; what is longer, or more, is no slip that asking again would mend.
MAX_CLAIM_CHARACTERS = 4_000
MAX_CLAIMS = 40
# Less is not worth a call that the deadline would end.
LEAST_SECONDS = 2.0

Outcome = Literal["not_needed", "repaired", "declined", "unusable", "no_time", "failed"]


@dataclass(frozen=True, slots=True)
class Repair:
    """What came of the repair round.

    Attributes:
        outcome: not_needed (nothing failed, or nothing could go back), repaired (a reply came, claim by claim),
            declined, unusable (another number of claims came back), no_time, failed (the provider did).
        prompt_digest: digest of its prompt; None where none was sent.
        usage: tokens by kind.
    """

    outcome: Outcome = "not_needed"
    prompt_digest: str | None = None
    usage: dict[str, int] = field(default_factory=dict[str, int])


def repair_claims(
    model: LanguageModel | None,
    prompt: Prompt,
    allowed_urns: tuple[str, ...],
    claims: Sequence[DraftClaim],
    checked: Sequence[CheckedClaim],
    evidence: Evidence,
    *,
    seconds: float,
    keep: Callable[[CheckedClaim], bool] | None = None,
) -> tuple[list[tuple[DraftClaim, CheckedClaim]], Repair]:
    """Ask once about the claims that failed.

    Args:
        model: who drafted; None asks nobody.
        claims: the first draft's statements of law.
        checked: the same verified, in the same order.
        seconds: what is left of the request's deadline.
        keep: claims that need no repair though they are not served yet, because a judge is going to decide.

    Returns:
        One claim for each of the draft's, in its order, with its verdict, and what came of the round. A failing
        provider is an outcome here, never an exception: the first draft stands.
    """
    failed = [
        place for place, one in enumerate(checked) if one.level == "WITHHELD" and not (keep is not None and keep(one))
    ]
    lines = {place: _line(claims[place], checked[place]) for place in failed}
    going = [place for place in failed if len(lines[place]) <= MAX_CLAIM_CHARACTERS][:MAX_CLAIMS]
    replies: dict[int, DraftClaim] = {}
    repair = Repair()
    if model is not None and going:
        second = build_repair(prompt, [lines[place] for place in going])
        replies, repair = _ask(model, second, allowed_urns, going, seconds)
    out = list(zip(claims, checked, strict=True))
    for place, reply in replies.items():
        if not reply.text.strip() and not reply.citations:
            out[place] = (reply, checked[place])  # withdrawn by the model: nothing stands for it
            continue
        again = verify_claim(reply, evidence)
        # A reply that quotes better is worth having even where code cannot tell that it follows.
        if again.level != "WITHHELD" or (keep is not None and keep(again)):
            out[place] = (reply, again)
        elif verbatim_fallback(claims[place], evidence) is None and verbatim_fallback(reply, evidence) is not None:
            out[place] = (reply, checked[place])
    return out, repair


def _line(claim: DraftClaim, checked: CheckedClaim) -> str:
    """A failed claim as one line of ASCII JSON, so that nothing in it can look like the prompt's own marks."""
    return json.dumps(
        {
            "text": claim.text,
            "citations": [{"urn": citation.urn, "quote": citation.quote} for citation in claim.citations],
            "reasons": {str(reason): DESCRIPTIONS[reason] for reason in checked.reasons},
        }
    )


def _ask(
    model: LanguageModel,
    prompt: Prompt,
    allowed_urns: tuple[str, ...],
    going: Sequence[int],
    seconds: float,
) -> tuple[dict[int, DraftClaim], Repair]:
    if seconds < LEAST_SECONDS:
        return {}, Repair("no_time")
    try:
        reply = model.draft(DraftRequest(prompt.instructions, prompt.input, allowed_urns, seconds))
    except ProviderError:
        return {}, Repair("failed", prompt.digest)
    if isinstance(reply, Declined):
        return {}, Repair("declined", prompt.digest)
    if len(reply.claims) != len(going):
        return {}, Repair("unusable", prompt.digest, reply.usage)
    return dict(zip(going, reply.claims, strict=True)), Repair("repaired", prompt.digest, reply.usage)


@dataclass(frozen=True, slots=True)
class Traced:
    """A statement with its verdict, as the trace keeps it."""

    id: str
    kind: StatementKind
    checked: CheckedClaim
    rests_on: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    computations: tuple[DraftComputation, ...] = ()


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What came of one draft."""

    statements: list[Statement]
    definitions: list[Statement]
    limits: list[Statement]
    rest: list[Statement]
    short_answer: ShortAnswer | None
    withheld: list[Withheld]
    checked: list[Traced]  # all of them, for the trace
    unanswered: tuple[str, ...]
    declined: str | None
    usage: dict[str, int]
    label: str
    judge: str = "none"
    judged: str = "not_needed"  # what came of asking the judge, in the words of `rag.answering.judged`
    repair: Repair = field(default_factory=Repair)
    warnings: list[ContextWarning] = field(default_factory=list[ContextWarning])
    unsure: str = ""  # why what is served may be no answer, in a reader's words
    alone: bool = False  # whether it says all that is asked for, and no other rule has the words for it


def evidence_of(context: ScopedContext, language: str) -> Evidence:
    """The verifier's view of a context: only what may be cited."""
    return Evidence(
        blocks=tuple(
            EvidenceBlock(
                urn=block.urn, text=block.text, role=block.role, lead_in=block.lead_in, flush=block.flush,
                heading=block.heading, valid_from=block.valid_from, valid_to=block.valid_to,
                overridden=block.role == "warning",
                breaks=sentence_breaks(block),
            )
            for block in context.blocks
            if block.text and not placeholder(block.text, language)
        ),
        at_date=context.at_date,
        language=language,
        terms=tuple(dict.fromkeys(definition.term for definition in context.definitions)),
    )  # fmt: skip


def synthesise(
    model: LanguageModel | None,
    context: ScopedContext,
    scenario: str,
    prompt: Prompt,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float] | None,
    *,
    language: str,
    deadline_seconds: float,
    unknown: Sequence[str] = (),
    judge: Judge | None = None,
    matter: str = "",
    any_rule: bool = False,
    meaning: str = "",
    grounds: Grounds | None = None,
) -> Synthesis:
    """Draft with a model, or without one, and verify every statement.

    Args:
        model: None for the extractive answer.
        context: status ok.
        synonyms: of the question, for the extractive answer.
        rarity: of the question's words, for the same.
        deadline_seconds: for the model, its retry, the repair round and the judge together.
        unknown: words of the question that the law searched never uses, for the extractive answer's candour.
        matter: the scenario without the provisions that it cites, for the extractive answer: no law repeats their
            names. The scenario itself where empty.
        judge: decides what code neither proves nor refutes; None: the law's own sentence stands for such statements.
        any_rule: whether no rule of the context comes before another, for the extractive answer.
        meaning: the term, normalised, whose meaning alone is asked for, for the extractive answer.
        grounds: those of the context in this language, where several drafts over it share what is read in it.

    Raises:
        ProviderError: the model failed; the context still stands.
    """
    started = time.monotonic()

    def left() -> float:
        return deadline_seconds - (time.monotonic() - started)

    asked = matter.strip() or scenario
    if model is None:
        drafted: Draft | Declined = (
            draft_meaning(context, meaning, language)
            if meaning
            else draft_extractive(
                context,
                asked,
                synonyms,
                rarity,
                language,
                unknown,
                any_rule=any_rule,
                request=scenario if asked != scenario else "",
            )
        )
    else:
        drafted = model.draft(DraftRequest(prompt.instructions, prompt.input, context.allow_list, deadline_seconds))
    if isinstance(drafted, Declined):
        return Synthesis([], [], [], [], None, [], [], (), drafted.kind, {}, "")
    draft = renumbered(drafted)
    grounds = grounds or Grounds(context, evidence_of(context, language))
    law = [statement for statement in draft.statements if statement.kind == "law"]
    first = [grounds.verified(claim) for claim in draft.claims]
    again, repair = repair_claims(
        model, prompt, context.allow_list, draft.claims, first, grounds.evidence,
        keep=is_open if judge is not None else None, seconds=left(),
    )  # fmt: skip
    law = [
        replace(one, text=mended.text, citations=mended.citations) for one, (mended, _) in zip(law, again, strict=True)
    ]
    checked = [one for _, one in again]
    waiting = [place for place, one in enumerate(checked) if is_open(one)]
    questions = [question_of(law[place], checked[place], grounds) for place in waiting] if judge else []
    judged = ask_judge(judge, questions, seconds=left()) if judge else Judged((None,) * len(waiting), "no_judge")
    for place, judgement in zip(waiting, judged.judgements, strict=True):
        checked[place] = _after(judgement, checked[place], judge)
    settled = {
        statement.id: grounds.standing_for(statement.claim, one) for statement, one in zip(law, checked, strict=True)
    }
    own_words = sum(claim.level != "WITHHELD" for claim in checked)
    served = [Traced(id_, "law", one) for id_, one in settled.items() if one.level != "WITHHELD"]
    withheld = [Traced(id_, "law", one) for id_, one in settled.items() if one.level == "WITHHELD"]
    weak = draft.unsure
    if model is None and rarity is not None and served:
        claims = [traced.checked for traced in served]
        share, weak = weak_match(asked, synonyms, rarity, unknown, language, *_answering(claims, context))
        weak = weak or draft.unsure
        served = served if share >= ANSWERS else []
    stated, limits, warnings = _with_limits(served, grounds)
    shown = _shown_as(served)
    standing = {
        statement.id: (statement, settled[statement.id]) for statement in law if shown.get(statement.id) == statement.id
    }
    resting = renumbered(draft, shown)
    applied = apply(resting, standing, grounds, scenario, judge, left)
    defining: list[Traced] = []
    if model is None:
        stated, defining = _apart(stated, context)
    told = [traced.checked for traced in (*stated, *defining, *limits)]
    more, told_more = rest_of([traced.checked for traced in stated], told, grounds, draft.left)
    rest = [Traced(f"r{number}", "law", claim) for number, claim in enumerate(more, start=1)]
    stated += [_traced(application) for application in applied.applications if application.served]
    answer = applied.short_answer
    unserved = [
        application for application in (*applied.applications, *([answer] if answer else [])) if not application.served
    ]
    others = other_rules(draft.others, context) if stated else None
    explain = recitals(cited.urn for traced in stated for cited in traced.checked.citations)
    left_out = parts_left(draft.left) if stated else None
    warnings = (
        [warning for warning in (left_out, others, explain) if warning is not None]
        + _caveats(applied)
        + warnings
        + told_more
    )
    if model is None and not any_rule and any(warning.kind == UNTOLD for warning in warnings):
        weak = weak or "Not sure: other provisions limit the sentence that answers, and cannot be told with it here."
    if weak:
        warnings = [ContextWarning(kind="weak_match", message=weak), *warnings]
    told = _short(answer) if answer is not None and answer.served else _short_of_applications(resting, applied)
    if answer is not None and not answer.served:
        warnings = [ContextWarning(kind="short_answer", message=_WITHHELD[told is not None]), *warnings]
    replaced = len(law) - own_words - len(withheld)
    return Synthesis(
        statements=[_statement(traced, context) for traced in stated],
        definitions=[_statement(traced, context) for traced in defining],
        limits=[_statement(limit, context) for limit in limits],
        rest=[_statement(one, context) for one in rest],
        short_answer=told,
        withheld=[
            *map(_withheld, withheld),
            *(_withheld(_traced(application), application.details) for application in unserved),
        ],
        checked=[*stated, *defining, *limits, *rest, *withheld, *map(_traced, unserved)],
        unanswered=open_parts(draft.unanswered, scenario, (block.text for block in context.blocks), language),
        declined=None,
        usage=_added(draft.usage, repair.usage),
        label=EXTRACTIVE_LABEL
        if model is None
        else _label(model, judge, judged.outcome, own_words, replaced, len(withheld)),
        judge=judge.name if judge is not None and "judged" in (judged.outcome, applied.outcome) else "none",
        judged=judged.outcome if waiting else applied.outcome,
        repair=repair,
        warnings=warnings,
        unsure=draft.unsure or weak,  # what one sentence lacks another place may have
        alone=draft.alone,
    )


def renumbered(draft: Draft, shown: Mapping[str, str] | None = None) -> Draft:
    """A draft whose ids are ours, `s1`, `s2`, ... in its order: a name that a model gives may say anything.

    Args:
        shown: where its ids are ours already, the statement by which each statement of law is shown; what rests on the
            one then rests on the other.
    """
    own = {statement.id: f"s{number}" for number, statement in enumerate(draft.statements, start=1)}
    names = {name: (shown or {}).get(number, number) for name, number in own.items()}

    def known(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(names.get(name, "?") for name in ids))

    statements = tuple(
        replace(statement, id=own[statement.id], rests_on=known(statement.rests_on)) for statement in draft.statements
    )
    short = draft.short_answer
    return replace(
        draft,
        statements=statements,
        short_answer=replace(short, rests_on=known(short.rests_on)) if short is not None else None,
    )


def _after(judgement: Judgement | None, checked: CheckedClaim, judge: Judge | None) -> CheckedClaim:
    """An open statement once the judge has spoken."""
    if judgement is not None and judgement.holds:
        return explained(checked)
    if judge is None:
        return checked
    return replace(checked, reasons=tuple(dict.fromkeys((reason_of(judgement), *checked.reasons))))


def _with_limits(served: Sequence[Traced], grounds: Grounds) -> tuple[list[Traced], list[Traced], list[ContextWarning]]:
    """The statements, each told once, and apart from them the law's own sentences that limit them."""
    shown = _shown_as(served)
    stated = [statement for statement in served if shown[statement.id] == statement.id]
    found, warnings = with_companions([statement.checked for statement in stated], grounds)
    limiting = [claim for claim in found if Reason.LIMITS in claim.reasons]
    limits = [Traced(f"l{number}", "law", claim) for number, claim in enumerate(limiting, start=1)]
    return stated, limits, warnings


def _caveats(applied: Applied) -> list[ContextWarning]:
    """What the computed results that a reader sees depend on beside their inputs, each once."""
    steps = [
        step
        for application in applied.applications
        if application.served
        for step in application.checked.computations
        if step.caveat
    ]
    lines = [f"{step.said}: {step.caveat}." for step in steps]
    return [ContextWarning(kind="computation", message=line) for line in dict.fromkeys(lines)]


def _apart(stated: Sequence[Traced], context: ScopedContext) -> tuple[list[Traced], list[Traced]]:
    """The sentences that answer, and those that say what their terms mean; all of them answer where only such are.

    A meaning that a term has elsewhere is none of theirs, and is told as a sentence of the law.
    """
    meanings = {definition.urn for definition in context.definitions}
    answering = [traced for traced in stated if any(cited.urn not in meanings for cited in traced.checked.citations)]
    cited = (citation.urn for traced in answering for citation in traced.checked.citations)
    theirs = {definition.urn for definition in governing_cited(context, cited)}
    defining = [
        traced
        for traced in stated
        if traced not in answering and any(citation.urn in theirs for citation in traced.checked.citations)
    ]
    return [traced for traced in stated if traced not in defining], [
        replace(traced, checked=replace(traced.checked, reasons=(*traced.checked.reasons, Reason.DEFINES)))
        for traced in defining
    ]


def _shown_as(served: Sequence[Traced]) -> dict[str, str]:
    """The id by which each statement is shown: the first that says the same; two may fall back to one sentence."""
    first: dict[tuple[str, str], str] = {}
    return {
        statement.id: first.setdefault((statement.checked.text, statement.checked.level), statement.id)
        for statement in served
    }


def _label(model: LanguageModel, judge: Judge | None, outcome: str, own: int, replaced: int, withheld: int) -> str:
    """What kind of answer it is, in numbers that are true of it."""
    parts = [f"{own} of {own + replaced + withheld} statements of law in the words of {model.provider} {model.model}"]
    if replaced:
        parts.append(f"{replaced} replaced by the law's own sentence")
    if withheld:
        parts.append(f"{withheld} withheld")
    who = {
        "judged": f"code checked each, and {judge.name} judged what code cannot" if judge else "",
        "no_judge": "code alone checked each; no judge is configured",
        "no_time": "code alone checked each; there was no time for the judge",
        "failed": "code alone checked each; the judge failed",
    }.get(outcome, "code checked each")
    return f"{', '.join(parts)}; {who}."


def _answering(served: Sequence[CheckedClaim], context: ScopedContext) -> tuple[list[str], str]:
    """The claims that answer, and what stands around them: headings, and definitions, whose figures answer nothing."""
    defining = {block.urn for block in context.blocks if block.role == "definition"}
    texts = [
        checked_claim.text
        for checked_claim in served
        if any(cited.urn not in defining for cited in checked_claim.citations)
    ]
    meanings = [checked_claim.text for checked_claim in served if checked_claim.text not in texts] if texts else []
    return texts or [checked_claim.text for checked_claim in served], " ".join((_headings(served, context), *meanings))


def _headings(served: Sequence[CheckedClaim], context: ScopedContext) -> str:
    """The headings under which claims stand."""
    cited = {citation.urn for claim in served for citation in claim.citations}
    rules = {rule for block in context.blocks if block.urn in cited for rule in block.applies_to}
    above = [block for block in context.blocks if block.role == "ancestor" and rules & set(block.applies_to)]
    return " ".join(block.heading for block in (*above, *(block for block in context.blocks if block.urn in cited)))


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Tokens of both calls by kind."""
    return {kind: one.get(kind, 0) + other.get(kind, 0) for kind in dict.fromkeys((*one, *other))}


def _statement(one: Traced, context: ScopedContext) -> Statement:
    return Statement(
        id=one.id,
        kind=one.kind,
        text=one.checked.text,
        level=one.checked.level,
        verdict=one.checked.verdict,
        reasons=[str(reason) for reason in one.checked.reasons],
        citations=citations_of(one.checked, context),
        rests_on=list(one.rests_on),
        facts=list(one.facts),
        computations=[
            Computation(operation=step.operation, inputs=list(step.inputs), result=step.result)
            for step in one.computations
        ],
    )


def _short(one: Application) -> ShortAnswer:
    rests_on = sorted(one.checked.rests_on, key=lambda name: int(name.removeprefix("s")))
    return ShortAnswer(text=one.claim.text, level=one.claim.level, rests_on=rests_on)


_MOST_TOLD = 3  # applications that are told in place of a short answer: more are no short answer
_WITHHELD = {
    True: "The model's own short answer was withheld; in its place stand the statements that it rested on.",
    False: "The model's own short answer was withheld; read the statements below.",
}


def _short_of_applications(draft: Draft, applied: Applied) -> ShortAnswer | None:
    """What takes the place of a short answer that is withheld: the applications that it names, if all are served."""
    if draft.short_answer is None:
        return None
    known = {application.id: application for application in applied.applications}
    named = [known[name] for name in draft.short_answer.rests_on if name in known]
    if not 0 < len(named) <= _MOST_TOLD or not all(application.served for application in named):
        return None
    text = " ".join(application.claim.text for application in named)
    return ShortAnswer(text=text, level="APPLIED", rests_on=[application.id for application in named])


def _traced(one: Application) -> Traced:
    """An application, or the short answer, as the trace keeps it."""
    facts = tuple(fact.text for fact in one.checked.facts)
    # A step without an operation that is known proved nothing and is not shown.
    steps = tuple(
        DraftComputation(step.operation, step.inputs, step.said)
        for step in one.checked.computations
        if step.operation or not one.served
    )
    return Traced(one.id, "application", one.claim, one.checked.rests_on, facts, steps)


def _withheld(one: Traced, details: Sequence[str] = ()) -> Withheld:
    return Withheld(
        verdict=one.checked.verdict,
        reasons=[str(reason) for reason in one.checked.reasons],
        urns=list(dict.fromkeys(citation.urn for citation in one.checked.citations)),
        details=list(details),
    )


def citations_of(one: CheckedClaim, context: ScopedContext) -> list[Citation]:
    """The citations that held, as results write them: with what the context says of the cited nodes."""
    blocks = {block.urn: block for block in context.blocks}
    return [
        Citation(
            urn=each.urn, quote=each.quote, start=each.start, end=each.end, heading=heading_over(context, each.urn),
            valid_from=blocks[each.urn].valid_from, valid_to=blocks[each.urn].valid_to,
        )
        for each in one.citations
    ]  # fmt: skip
