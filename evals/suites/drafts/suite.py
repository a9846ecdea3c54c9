"""Drafts as a careful model writes them, honest and altered, through synthesis: what is withheld, what is let through.

A set is a folder with

    drafts.jsonl      {"id", "urn", "jurisdiction", "language", "scenario", "draft"}; the draft is what a model replies
    altered.jsonl     {"id", "statement": "s3" or "short_answer", "operator", "text", "facts"?, "computations"?}
    judgements.jsonl  {"key", "entailment", "confidence"}, see `rag.models.replay`; without it nobody judges

Both directions count: an honest statement that is not shown in its own words, and an altered one that is shown.
A question without a recorded judgement is told apart, and its statement is not served. What is to be judged depends on
what was judged before: an application is asked about once more without a premise that fell. `Report.open` has the
questions that are next, so that a judge who is asked round after round sees no question that decides nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.judgements import RecordedJudge
from evals.rows import REPORTED, Gate, Row, share_row
from rag.answering.limits.provisions import Grounds
from rag.answering.prompts import build_prompt
from rag.answering.synthesis import Synthesis, evidence_of, synthesise
from rag.engine import Engine
from rag.models.drafting import Declined, DraftRequest, parse_draft
from rag.models.replay import RecordedJudgement
from rag.verification.draft import Draft
from rag.verification.judging import Judge, Judgement, Question
from rag.verification.model import Reason
from rag.verification.refuters import REFUTERS
from retrieval.errors import ConfigurationError, ProviderTimeout

SUITE = "drafts"
DRAFTS, ALTERED, JUDGEMENTS = "drafts.jsonl", "altered.jsonl", "judgements.jsonl"
SETS = Path(__file__).resolve().parents[2] / "data" / "drafts"
# Where the law of each jurisdiction lies in ../shared/data.
LAW: Mapping[str, tuple[str, ...]] = {
    "us-dc": ("dc-code-xml/us",),
    "us": (
        "ecfr-xml/ECFR-title1.xml", "ecfr-xml/ECFR-title3.xml", "ecfr-xml/ECFR-title11.xml", "uscode-uslm",
        "cfpb-regml",
    ),
    "gb": ("uk-clml",),
    "fr": ("fr-legalize-md/LEGITEXT000006070721.md", "fr-legalize-md/LEGITEXT000031366350.md"),
    "de": ("de-gesetze-tei",),
    "eu": ("eu-gdpr",),
    "jp": ("jp-egov-xml",),
}  # fmt: skip
SECONDS = 600.0
Line = TypeVar("Line", bound=BaseModel)
# The goals; the first three are not reached yet, and fail nothing until they are.
GATES = {
    "own_words": Gate(">=", 0.9, hard=False),
    "applied_served": Gate(">=", 0.8, hard=False),
    "short_answer_kept": Gate(">=", 0.85, hard=False),
    "altered_served": Gate("<=", 0.01),
}


class Drafted(BaseModel):
    """One honest draft."""

    model_config = ConfigDict(frozen=True)

    id: str
    urn: str
    jurisdiction: str
    language: str
    scenario: str
    draft: dict[str, Any]


class Altered(BaseModel):
    """One statement of a draft, or its short answer, made false."""

    model_config = ConfigDict(frozen=True)

    id: str
    statement: str
    operator: str
    text: str
    facts: list[str] | None = None
    computations: list[dict[str, Any]] | None = None


@dataclass(slots=True)
class Report:
    """Rows, notes, and a line for each honest statement withheld and each altered one served."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[str] = field(default_factory=list[str])
    open: dict[str, Question] = field(default_factory=dict[str, Question])  # by key, those to be judged next


class _Once:
    """A model that replies with one draft, and then no more."""

    provider, model = "set", "drafts"

    def __init__(self, draft: Draft) -> None:
        self._draft: Draft | None = draft

    def draft(self, request: DraftRequest) -> Draft | Declined:
        """The draft; a second call finds nothing."""
        draft, self._draft = self._draft, None
        if draft is None:
            raise ProviderTimeout(self.provider, "one reply only")
        return draft


_SUPPORTED = Judgement("supported", "high")


def sets_in(places: Iterable[Path]) -> list[Path]:
    """The folders among some places that are sets."""
    return [place for place in places if (place / DRAFTS).is_file()]


def law_of(folders: Iterable[Path]) -> list[str]:
    """The law that some sets are about, by its place in ../shared/data.

    Raises:
        ConfigurationError: a set cannot be read, or is about a jurisdiction whose law is not known.
    """
    asked = {drafted.jurisdiction: folder for folder in folders for drafted in _read(folder / DRAFTS, Drafted)}
    for jurisdiction in asked.keys() - LAW.keys():
        message = f"The set {asked[jurisdiction].name} is about {jurisdiction!r}, whose law is not in ../shared/data."
        raise ConfigurationError(message)
    return [place for jurisdiction, places in LAW.items() if jurisdiction in asked for place in places]


def measure(engine: Engine, folder: Path, judged: Mapping[str, Judgement] | None = None) -> Report:
    """Put all drafts of a set through synthesis.

    Args:
        engine: over the law of the set.
        folder: the set.
        judged: judgements besides those in the folder.

    Raises:
        ConfigurationError: a file of the set cannot be read.
        StoreError: the store failed.
    """
    drafts = _read(folder / DRAFTS, Drafted)
    changed: defaultdict[str, list[Altered]] = defaultdict(list)
    for altered in _read(folder / ALTERED, Altered) if (folder / ALTERED).is_file() else []:
        changed[altered.id].append(altered)
    recorded = _read(folder / JUDGEMENTS, RecordedJudgement) if (folder / JUDGEMENTS).is_file() else []
    known = {
        recorded_judgement.key: Judgement(recorded_judgement.entailment, recorded_judgement.confidence)
        for recorded_judgement in recorded
    } | dict(judged or {})
    report, counts = Report(), defaultdict[str, list[bool]](list)
    words = [0, 0]
    for drafted in drafts:
        context = engine.context(drafted.urn, jurisdiction=drafted.jurisdiction)
        if context.status != "ok":
            report.notes.append(f"{drafted.id} is left out: {drafted.urn} is {context.status}")
            continue
        prompt = build_prompt(context, drafted.scenario, language=drafted.language)
        grounds = Grounds(context, evidence_of(context, drafted.language))

        def run(draft: Mapping[str, object], judge: Judge | None) -> Synthesis:
            return synthesise(
                _Once(parse_draft(json.dumps(draft))), context, drafted.scenario, prompt, [], None,  # noqa: B023
                language=drafted.language, deadline_seconds=SECONDS, judge=judge, grounds=grounds,  # noqa: B023
            )  # fmt: skip

        def judged_run(draft: Mapping[str, object], about: Collection[str] = ()) -> Synthesis:
            """Put a draft through with the recorded judgements, and note what of it is still to be judged.

            Where a question has no judgement, a second run that takes each such for supported comes to those after it.

            Args:
                about: the statements of interest; empty: all.
            """
            judge = RecordedJudge(known)
            out = run(draft, judge)
            if judge.asked:
                judge = RecordedJudge(known, _SUPPORTED)
                run(draft, judge)
            report.open.update(
                (question.key, question) for question in judge.asked if not about or question.statement in about
            )
            return out

        honest = judged_run(drafted.draft)
        for kind, text, told in _told(drafted, honest):
            counts[kind].append(told)
            if not told:
                report.misses.append(f"{drafted.id} {kind} not in its own words: {text}")
        code = run(drafted.draft, RecordedJudge({}, _SUPPORTED))
        counts["own_words_before_judge"] += [told for kind, _, told in _told(drafted, code) if kind == "own_words"]
        for claim in parse_draft(json.dumps(drafted.draft)).claims:
            fired = {refutation.reason for refutation in grounds.verified(claim).refuted}
            for refuter in REFUTERS:
                counts[f"honest_refuted {refuter.name}"].append(refuter.reason in fired)
        texts = [
            drafted.draft["short_answer"]["text"],
            *(statement["text"] for statement in drafted.draft["statements"]),
        ]
        words[0] += sum(len(text.split()) for text in texts)
        words[1] += sum(len(statement.text.split()) for statement in honest.statements)
        words[1] += len(honest.short_answer.text.split()) if honest.short_answer else 0
        for altered in changed[drafted.id]:
            false = _with(drafted.draft, altered)
            for name, out in (
                ("altered_served", judged_run(false, {altered.text})),
                ("altered_past_code", run(false, RecordedJudge({}, _SUPPORTED))),
            ):
                served = _serves(altered, out)
                counts[name].append(served)
                counts[f"{name} {altered.operator}"].append(served)
                if served and name == "altered_served":
                    report.misses.append(f"{drafted.id} {altered.statement} {altered.operator}, served: {altered.text}")
    name = folder.resolve().name
    report.rows = [
        share_row(SUITE, name, metric, sum(hits), len(hits), GATES.get(metric, REPORTED) if known else REPORTED)
        for metric, hits in counts.items()
    ]
    if words[0]:
        ratio = words[1] / words[0]
        report.rows.append(Row(SUITE, name, "words_out_per_word_in", ratio, len(drafts), None, None, REPORTED))
    if not known:
        report.notes.append(f"{name}: no judgement is recorded, so the rows are those of code without a judge")
    elif report.open:
        number = len(report.open)
        report.notes.append(f"{name}: {number} questions have no recorded judgement; their statements are not served")
    return report


def _told(drafted: Drafted, out: Synthesis) -> list[tuple[str, str, bool]]:
    """Of each honest statement and the short answer: metric, text, and whether it reaches the reader as it is."""
    replaced = str(Reason.REPLACED_BY_SENTENCE)
    served = {statement.text for statement in out.statements if replaced not in statement.reasons}
    kinds = {"law": "own_words", "application": "applied_served"}
    found = [
        (kinds[statement["kind"]], statement["text"], statement["text"] in served)
        for statement in drafted.draft["statements"]
    ]
    short = drafted.draft["short_answer"]["text"]
    kept = out.short_answer is not None and out.short_answer.text == short
    return [*found, ("short_answer_kept", short, kept)] if short else found


def _with(draft: Mapping[str, Any], altered: Altered) -> dict[str, Any]:
    """A draft with one statement altered."""
    out = json.loads(json.dumps(draft))
    if altered.statement == "short_answer":
        out["short_answer"]["text"] = altered.text
        return out
    for statement in out["statements"]:
        if statement["id"] == altered.statement:
            statement["text"] = altered.text
            more = {"facts": altered.facts, "computations": altered.computations}
            statement.update({name: value for name, value in more.items() if value is not None})
    return out


def _serves(altered: Altered, out: Synthesis) -> bool:
    short = out.short_answer is not None and out.short_answer.text == altered.text
    return short or any(statement.text == altered.text for statement in out.statements)


def _read(file: Path, kind: type[Line]) -> list[Line]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        return [kind.model_validate_json(line) for line in lines if line.strip()]
    except (OSError, ValidationError) as error:
        raise ConfigurationError(f"{file.name} of the set {file.parent.name} cannot be read: {error}.") from error
