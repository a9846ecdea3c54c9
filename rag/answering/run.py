"""One request on its way through the engine, and the two records made of it: the answer and the trace.

One question to the law of several jurisdictions is asked of each by itself, and one record holds the answers apart.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, TypedDict

from rag.answering.answer import NO_MODEL, Answer, AnswerStatus, Place, Refusal
from rag.answering.follow_up import MOST_PARTS, Kept, kept_of, token_of
from rag.answering.limits.overridden import overridden_by
from rag.answering.refusals import nearest
from rag.clock import utc_now
from retrieval.entry_points.finding import QuestionVector, comes_near, leads
from retrieval.entry_points.legs import EntryPoints, lacks_text
from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.meanings import MOST_MEANINGS
from retrieval.errors import InputError
from retrieval.model import ContextWarning, ScopedContext
from retrieval.paths import expand_jurisdictions

if TYPE_CHECKING:
    from rag.answering.prompts import Prompt
    from rag.answering.synthesis import Synthesis
    from rag.models.drafting import LanguageModel
    from retrieval.nodes import NodeVersion


ELSEWHERE_LABEL = "The law searched does not hold in the place that the question names; these rules came nearest."
GENERAL = "general_exceptions"  # kind of the warnings on what sets a whole law aside and is not about the rule
INSUFFICIENT = "Nothing in the assembled context answers the question. That is not a statement that no law exists."
PLACES_LABEL = f"None of these rules clearly answers; they came nearest. {NO_MODEL}"

# How a caller follows a request through its stages: the engine calls it as each one ends.

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("lexscope_progress", default=None)


def tell_stage(name: str) -> None:
    """Say that a stage of the current request is done, such as `entry_points`; nothing happens where nobody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(name)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Have a function called with the name of each stage that requests inside the `with` finish."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def _new_trace_id() -> str:
    """A random id: it says nothing of the request."""
    return secrets.token_hex(8)


class Limits(TypedDict, total=False):
    """What a request may say beside its text and its jurisdiction; `Engine.ask` describes it."""

    language: str | None
    at_date: date | str | None
    rules: int | None
    terms: Sequence[str] | None


@dataclass(slots=True)
class Run:
    """What one request asks for, and what its stages leave behind."""

    request: str  # search, context, ask
    scenario: str
    at_date: date
    day_given: bool = True  # else a day that the words of a reference name comes before it
    jurisdiction: str | None = None  # as asked for
    language: str | None = None  # as asked for
    most_rules: int | None = None  # of which the context is made; the settings' number by default
    named_terms: Sequence[str] | None = None  # statutory terms that came with the question
    earlier: Kept | None = None  # the answer that the question goes on from
    beside: Sequence[str] = ()  # jurisdictions that are asked the same, each for itself
    absent: Sequence[str] = ()  # jurisdictions that were to be asked the same, and of which the store has no law
    before: Sequence[Kept] = ()  # what a follow-up keeps of the jurisdictions that were asked before this one
    vector: QuestionVector = field(default_factory=QuestionVector)
    filters: Filters | None = None
    jurisdictions: Sequence[str] = ()  # all of the store, in the snapshot that was read
    found: EntryPoints = field(default_factory=EntryPoints)
    rules: Sequence[NodeVersion] = ()  # whose context that is
    asked: frozenset[str] = frozenset()  # URNs of the rules and laws that the request is about, and did not only find
    context: ScopedContext | None = None
    prompt: Prompt | None = None
    synthesis: Synthesis | None = None
    places: list[Place] = field(default_factory=list[Place])
    place_has_all: bool = False  # whether the first place has every word of the question
    place_goes_on: bool = False  # whether the first place has a word of a question that goes on about earlier rules
    places_lack: str = ""  # what a reader must be told of what the places do not have of the question
    trace_id: str = field(default_factory=_new_trace_id)
    started: datetime = field(default_factory=utc_now)
    milliseconds: dict[str, float] = field(default_factory=dict[str, float])
    kept: bool = True  # whether the trace will be stored, so that its id leads somewhere

    def doubt(self, model: LanguageModel | None) -> str:
        """Why what was found may not stand as an answer, in a reader's words; empty where it may.

        Not where none of the law searched holds in the place that the question names; and without a model neither
        where the store has nothing of what the question cites, nor where the place has law of its own that is not
        there, nor where the match is weak, nor where the first statement is of another rule than the one that was
        found first and leads, so not where a court struck that down; nor, but where the request names its rule, where
        what limits an answer cannot be told with it.
        """
        if self.found.elsewhere:
            return ELSEWHERE_LABEL
        if model is not None:
            return ""
        if (self.found.lacking or self.found.unheld) and not self.found.cited:
            return "Not sure: this is other law than the question cites."
        if self.found.meanings > MOST_MEANINGS:
            return f"Not sure: the law gives this term {self.found.meanings} meanings, and the question names none."
        if self.synthesis is not None and self.synthesis.unsure:
            return self.synthesis.unsure
        if self.found.absent:
            named = ", ".join(self.found.absent)
            return f"Not sure: the question names {named}, and of the law that it has itself none was searched."
        return self._lead_doubt() if self.found.points else ""  # else the request names its rule

    def _lead_doubt(self) -> str:
        statements = self.synthesis.statements if self.synthesis else []
        cited = [citation.urn for citation in statements[0].citations] if statements else []
        if not any(f"{urn}:".startswith(f"{self.found.points[0].rule.urn}:") for urn in cited):
            return "Not sure: the rule that is nearest to the question has no sentence that answers it."
        alone = self.synthesis is not None and self.synthesis.alone
        return (
            ""
            if alone or leads(self.found)
            else "Not sure: several rules are about as near, and which one governs is open."
        )

    def leaves_places(self, refusal: Refusal | None, model: LanguageModel | None) -> bool:
        """Whether a request without an answer is better served by the rules found than by a refusal."""
        return (
            model is None
            and refusal is not None
            and (refusal.reason, refusal.message) == ("insufficient_context", INSUFFICIENT)
            and bool(self.places)
            and not self.found.elsewhere
            and (comes_near(self.found) or self.place_has_all or self.place_goes_on)
        )

    def token_beside(self) -> str | None:
        """What asks on of this jurisdiction and of those that were asked before it; None where one was asked alone."""
        found = kept_of(self.context, self.filters.language) if self.context and self.filters else None
        own = [replace(found, place=self.jurisdiction or "")] if found else []
        return token_of([*self.before, *own]) if self.beside and (self.before or own) else None

    def timed(self, stage: str, since: float) -> None:
        """Note how long a stage took, given `time.perf_counter()` at its start, and tell a caller that follows."""
        self.milliseconds[stage] = round((time.perf_counter() - since) * 1000, 3)
        tell_stage(stage)


def answer_of(run: Run, context: ScopedContext, refusal: Refusal | None, model: LanguageModel | None) -> Answer:
    """The answer that a run came to; claims are served only where nothing refused."""
    synthesis = run.synthesis
    served = synthesis if refusal is None else None
    weak = refusal is None and bool(run.doubt(model))
    kept = kept_of(context, run.filters.language if run.filters else "en")
    stated = [] if weak or served is None else served.statements
    return Answer(
        status="places" if weak else _status(refusal),
        at_date=run.at_date,
        targets=context.targets,
        short_answer=served.short_answer if served and not weak else None,
        statements=stated,
        definitions=[] if weak or served is None else served.definitions,
        limits=[] if weak or served is None else served.limits,
        rest=[] if weak or served is None else served.rest,
        places=run.places,
        withheld=synthesis.withheld if synthesis else [],
        unanswered=list(served.unanswered) if served else [],
        refusal=refusal,
        warnings=[*(context.warnings if stated else _without_general(context)), *told_beside(run, refusal, model)],
        overrides=context.overrides,
        omitted=context.omitted,
        context_digest=context.digest,
        how_read=context.how_read,
        prevails_over=overridden_by(context, (citation.urn for one in stated for citation in one.citations)),
        prompt_digest=run.prompt.digest if run.prompt else None,
        provider=model.provider if model else "extractive",
        model=model.model if model else "none",
        judge=synthesis.judge if synthesis else "none",
        label=_places_label(run, model) if weak else synthesis.label if synthesis else "",
        trace_id=run.trace_id if run.kept else None,
        headings=dict(nearest(context)),
        jurisdictions=list(run.filters.jurisdictions) if run.filters else [],
        language=run.filters.language if run.filters else "",
        follow_up=token_of([kept]) if kept else None,
        context=context,
    )


def _places_label(run: Run, model: LanguageModel | None) -> str:
    """What places are, for the reader; what the question cites and the store lacks comes first."""
    label = PLACES_LABEL if model is None else ELSEWHERE_LABEL
    return f"{_cited_missing(run)} {label}".strip()


def _cited_missing(run: Run) -> str:
    """Says what the question cites and the store does not have; empty where it has all of it."""
    from rag.jurisdictions.citing import cited_as

    told = list[str]()
    if run.found.lacking:
        named = ", ".join(cited_as(urn) or urn for urn in run.found.lacking)
        told.append(f"The store has no text of {named}, which the question cites, in force at the date.")
    if run.found.unheld:
        named = ", ".join(f"“{name}”" for name in dict.fromkeys(run.found.unheld))
        told.append(
            f"None of the law searched is called {named}, as the question names it; what is found is other law."
        )
    return " ".join(told)


def _without_general(context: ScopedContext) -> list[ContextWarning]:
    """The warnings of a context of which nothing is stated.

    What sets whole laws around its rules aside, and is not about them, is counted: it is told with the rule's context.
    """
    general = {warning.urn for warning in context.warnings if warning.kind == GENERAL}
    others = [warning for warning in context.warnings if warning.kind != GENERAL]
    if not general:
        return others
    message = (
        f"Around {len(general)} of these rules provisions elsewhere set a whole chapter or law aside or say what it "
        "leaves alone; the context of each rule names them."
    )
    return [*others, ContextWarning(kind=GENERAL, message=message)]


def told_beside(run: Run, refusal: Refusal | None, model: LanguageModel | None) -> list[ContextWarning]:
    """The warnings of a run beside those of its context."""
    missing = {lacks_text(urn) for urn in run.found.lacking}
    out = [ContextWarning(kind="search", message=told) for told in run.found.warnings if told not in missing]
    if message := _cited_missing(run):
        out.insert(0, ContextWarning(kind="cited_missing", message=message))
    if run.absent:
        message = (
            f"The store has no law of {', '.join(run.absent)}, which was asked about too; nothing here answers it."
        )
        out.insert(0, ContextWarning(kind="jurisdiction", message=message))
    context = run.context
    if model is not None and context is not None and context.status == "ok":
        from rag.models.drafting import enum_fits

        if not enum_fits(context.allow_list):
            message = "The allow-list is too long for the provider's schema; URNs were checked afterwards only."
            out.append(ContextWarning(kind="limit", message=message))
    if run.at_date > utc_now().date():  # not part of C(R), which no clock may change
        message = "The date lies ahead: this is the law as the store has it now; it may change until then."
        out.append(ContextWarning(kind="future_date", message=message))
    beside = run.synthesis.warnings if run.synthesis and refusal is None else []
    why = run.doubt(model) if refusal is None and model is None else ""
    if why:
        # Other rules that nearly answer are among the places, and what one of them lacks another may have.
        spared = ("weak_match", "other_rules") if run.places else ("weak_match",)
        beside = [warning for warning in beside if warning.kind not in spared]
        beside = [ContextWarning(kind="weak_match", message=run.places_lack or why), *beside]
    return [*out, *beside]


def _status(refusal: Refusal | None) -> AnswerStatus:
    if refusal is None:
        return "answered"
    if refusal.reason == "legal_override":
        return "halted"
    return "failed" if refusal.reason.startswith("provider_") else "refused"


# The whole is no better than its worst part.
_WORST_FIRST: Sequence[AnswerStatus] = ("failed", "halted", "refused", "places", "answered")


def jurisdictions_asked(jurisdiction: str | Sequence[str] | None) -> list[str | None]:
    """The jurisdictions that a question is asked of one by one; a single None for all together.

    Raises:
        InputError: too many, or an empty one.
    """
    if jurisdiction is None or isinstance(jurisdiction, str):
        return [jurisdiction]
    codes = list(dict.fromkeys(word.strip() for word in jurisdiction))
    if not codes:
        return [None]
    if len(codes) > MOST_PARTS or not all(codes):
        raise InputError(f"Name 1 to {MOST_PARTS} jurisdictions to be asked side by side.")
    return [*codes]


def left_by_store(codes: Sequence[str | None], stored: Sequence[str]) -> tuple[list[str | None], list[str]]:
    """The jurisdictions asked side by side of which the store has law, and the others; all where it has none of any.

    Args:
        codes: two or more, as given.
        stored: the jurisdictions of the store.

    Raises:
        InputError: a malformed code.
    """
    absent = [code for code in codes if code and code[0] != "!" and not expand_jurisdictions(code, stored)]
    left = [code for code in codes if code not in absent]
    return (left, absent) if left else ([*codes], [])


def kept_of_parts(parts: Mapping[str, Answer]) -> list[Kept]:
    """What a follow-up keeps of the answers of several jurisdictions, by the name of each."""
    return [
        replace(found, place=code)
        for code, part in parts.items()
        if part.context is not None and (found := kept_of(part.context, part.language)) is not None
    ]


def side_by_side(parts: Mapping[str, Answer]) -> Answer:
    """The answers of several jurisdictions as one record.

    Its own statements are empty, so that nobody takes the law of one place for that of another: all that is served
    is in `parts`. Its status is that of the part that has the worst one, and its refusal says of which that is.

    Args:
        parts: the answer of each jurisdiction, two or more, in the order asked.
    """
    answers = list(parts.values())
    place, worst = min(parts.items(), key=lambda item: _WORST_FIRST.index(item[1].status))
    refusal = worst.refusal
    kept = kept_of_parts(parts)
    digests = "\n".join(f"{code} {part.context_digest or ''}" for code, part in parts.items())
    languages = {part.language for part in answers}
    said = ", ".join(f"{code} {part.status}" for code, part in parts.items())
    return Answer(
        status=worst.status,
        at_date=answers[0].at_date,
        targets=[urn for part in answers for urn in part.targets],
        short_answer=None,
        statements=[],
        definitions=[],
        limits=[],
        places=[],
        withheld=[],
        unanswered=[],
        refusal=refusal.model_copy(update={"message": f"{place}: {refusal.message}"}) if refusal else None,
        warnings=[],
        overrides=[],
        omitted=[],
        context_digest=hashlib.sha256(digests.encode()).hexdigest(),
        prompt_digest=None,
        provider=answers[0].provider,
        model=answers[0].model,
        judge=answers[0].judge,
        label=f"{len(parts)} jurisdictions side by side, each from its own law alone: {said}.",
        trace_id=None,  # each part has its own
        headings={urn: heading for part in answers for urn, heading in part.headings.items()},
        jurisdictions=list(dict.fromkeys(code for part in answers for code in part.jurisdictions)),
        language=languages.pop() if len(languages) == 1 else "",
        follow_up=token_of(kept) if kept else None,
        parts=dict(parts),
    )
