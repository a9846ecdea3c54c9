"""From C(R) and a scenario to verified claims: prompt, draft, verify, and nothing else is served."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rag.answering.answer import Citation, Claim, Withheld
from rag.answering.extractive.candour import ANSWERS, other_rules, recitals, weak_match
from rag.answering.extractive.draft import LABEL as EXTRACTIVE_LABEL
from rag.answering.extractive.draft import draft_extractive, sentence_breaks
from rag.answering.limits.provisions import with_companions
from rag.answering.prompts import Prompt
from rag.answering.refusals import heading_over
from rag.answering.repair import Repair, repair_claims
from rag.languages.base import Language
from rag.languages.registry import language_of
from rag.languages.text import fold, is_plain
from rag.models.drafting import Declined, DraftRequest, LanguageModel
from rag.verification.claims import verify_draft
from rag.verification.draft import Draft
from rag.verification.model import CheckedClaim, Evidence, EvidenceBlock
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.model import ContextWarning, ScopedContext

# What a model says that the context does not settle: its only words that no check holds against the law. Pure.

_MOST_CHARACTERS = 300
_MOST_SHOWN = 6
_WORD = re.compile(r"[^\W_]+")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SECOND_SENTENCE = re.compile(r"[.;:!?。！？](?=\s*\S)|\n")


def open_parts(parts: Sequence[str], scenario: str, law: Iterable[str], language: str) -> tuple[str, ...]:
    """The parts of a question that a model left open, as a reader may see them.

    Args:
        parts: as the model wrote them.
        scenario: the question.
        law: the texts of the context.
        language: of the law.

    Returns:
        At most six parts, then one sentence that counts what is not shown.
    """
    if not parts:
        return ()
    question = fold(scenario).casefold()
    source = f"{question} {fold(' '.join(law)).casefold()}"
    known = frozenset(_WORD.findall(source))
    shown: list[str] = []
    named = list(dict.fromkeys(one.strip() for one in parts))
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


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What came of one draft."""

    claims: list[Claim]
    withheld: list[Withheld]
    checked: list[CheckedClaim]  # all of them, for the trace
    unanswered: tuple[str, ...]
    declined: str | None
    usage: dict[str, int]
    label: str
    repair: Repair = field(default_factory=Repair)
    warnings: list[ContextWarning] = field(default_factory=list[ContextWarning])


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
            if block.text
        ),
        at_date=context.at_date,
        language=language,
        terms=tuple(dict.fromkeys(one.term for one in context.definitions)),
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
) -> Synthesis:
    """Draft with a model, or without one, and verify every claim.

    Args:
        model: None for the extractive answer.
        context: status ok.
        scenario: what was asked.
        prompt: built from both.
        synonyms: of the question, for the extractive answer.
        rarity: of the question's words, for the same.
        language: of the law.
        deadline_seconds: for the model, its retry and the repair round included.
        unknown: words of the question that the law searched never uses, for the extractive answer's candour.

    Raises:
        ProviderError: the model failed; the context still stands.
    """
    started = time.monotonic()
    if model is None:
        drafted: Draft | Declined = draft_extractive(context, scenario, synonyms, rarity, language, unknown)
        label = EXTRACTIVE_LABEL
    else:
        drafted = model.draft(DraftRequest(prompt.instructions, prompt.input, context.allow_list, deadline_seconds))
        label = f"Drafted by {model.provider} {model.model}; every claim was verified by code against the cited text."
    if isinstance(drafted, Declined):
        return Synthesis([], [], [], (), drafted.kind, {}, label)
    evidence = evidence_of(context, language)
    left = deadline_seconds - (time.monotonic() - started)
    first = verify_draft(drafted, evidence)
    checked, repair = repair_claims(model, prompt, context.allow_list, drafted, first, evidence, seconds=left)
    served = list({(one.text, one.level): one for one in checked if one.level != "WITHHELD"}.values())
    weak = ""
    if model is None and rarity is not None and served:
        found = [
            weak_match(scenario, synonyms, rarity, unknown, language, *_answering(claims, context))
            for claims in (served, *_by_rule(served, context))
        ]
        served = served if found[0][0] >= ANSWERS else []
        # Words that stand in provisions about different things are no answer together: one has to have enough alone.
        weak = found[0][1] or max(found[1:], key=lambda one: (not one[1], one[0]), default=found[0])[1]
    served, warnings = with_companions(served, context, evidence)
    others = other_rules(drafted.others, context) if served else None
    explain = recitals(cited.urn for one in served for cited in one.citations)
    warnings = [one for one in (others, explain) if one is not None] + warnings
    if weak:
        warnings = [ContextWarning(kind="weak_match", message=weak), *warnings]
    return Synthesis(
        claims=[_claim(one, context) for one in served],
        withheld=[
            Withheld(
                verdict=one.verdict,
                reasons=[str(reason) for reason in one.reasons],
                urns=[citation.urn for citation in one.citations],
            )
            for one in checked
            if one.level == "WITHHELD"
        ],
        checked=[*served, *(one for one in checked if one.level == "WITHHELD")],
        unanswered=open_parts(drafted.unanswered, scenario, (block.text for block in context.blocks), language),
        declined=None,
        usage=_added(drafted.usage, repair.usage),
        label=label,
        repair=repair,
        warnings=warnings,
    )


def _answering(served: Sequence[CheckedClaim], context: ScopedContext) -> tuple[list[str], str]:
    """The claims that answer, and what stands around them: headings, and definitions, whose figures answer nothing."""
    defining = {block.urn for block in context.blocks if block.role == "definition"}
    texts = [one.text for one in served if any(cited.urn not in defining for cited in one.citations)]
    meanings = [one.text for one in served if one.text not in texts] if texts else []
    return texts or [one.text for one in served], " ".join((_headings(served, context), *meanings))


def _by_rule(served: Sequence[CheckedClaim], context: ScopedContext) -> list[list[CheckedClaim]]:
    """The claims of each rule that claims other than definitions cite, with the definitions; one list for each rule."""
    of_rule = {
        block.urn: rule
        for rule in context.targets for block in context.blocks if block.role == "rule" and rule in block.applies_to
    }  # fmt: skip
    rules = [{of_rule[cited.urn] for cited in one.citations if cited.urn in of_rule} for one in served]
    return [
        [claim for claim, of in zip(served, rules, strict=True) if not of or rule in of]
        for rule in dict.fromkeys(rule for of in rules for rule in of)
    ]


def _headings(served: Sequence[CheckedClaim], context: ScopedContext) -> str:
    """The headings under which claims stand."""
    cited = {citation.urn for one in served for citation in one.citations}
    rules = {rule for block in context.blocks if block.urn in cited for rule in block.applies_to}
    above = [one for one in context.blocks if one.role == "ancestor" and rules & set(one.applies_to)]
    return " ".join(one.heading for one in (*above, *(one for one in context.blocks if one.urn in cited)))


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Tokens of both calls by kind."""
    return {kind: one.get(kind, 0) + other.get(kind, 0) for kind in dict.fromkeys((*one, *other))}


def _claim(one: CheckedClaim, context: ScopedContext) -> Claim:
    return Claim(
        text=one.text,
        level=one.level,
        verdict=one.verdict,
        reasons=[str(reason) for reason in one.reasons],
        citations=citations_of(one, context),
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
