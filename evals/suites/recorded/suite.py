"""Recorded answers over real law: what the verifier makes of drafts as models write them (E13, E18, kappa).

Each answer is replayed by the hash of its prompt, which is built anew from the law. A prompt that is no longer the one
that was answered is a failure, never a skip. How the answers were produced is in `data/recorded/README.md`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.measures import kappa
from evals.rows import REPORTED, Gate, Row, share_row
from evals.scratch import empty_engine
from evals.suites.recorded.altered import read_altered, served_altered
from rag.answering.limits.provisions import Grounds
from rag.answering.prompts import Prompt, build_prompt
from rag.answering.synthesis import evidence_of
from rag.engine import Engine
from rag.languages.text import locate
from rag.models.drafting import Declined, DraftRequest
from rag.models.replay import Recording, ReplayedModel, prompt_key
from rag.store.reference_data import import_overrides
from rag.verification.draft import Draft
from retrieval.errors import ConfigurationError
from retrieval.model import ScopedContext

SUITE = "recorded"
FOLDER = Path(__file__).parents[2] / "data" / "recorded"
ANSWERS = FOLDER / "answers.jsonl"
OVERRIDES = FOLDER / "overrides.csv"
FRESH = Gate("<=", 0.0)
FLAGGED = Gate("<=", 0.10, hard=False)
WITHHELD = Gate("<=", 0.03, hard=False)
FALSE_SERVED = Gate("<=", 0.0)
ALTERED_SERVED = Gate("<=", 0.02)
ACCURATE = Gate(">=", 0.8, hard=False)
HALLUCINATED = Gate("<=", 0.01, hard=False)
_PASSES = 2
_ANSWERED = ("answerable", "shadowing")  # kinds of questions that the context answers


class Grade(BaseModel):
    """One reading of one answer: the Stanford labels, and of each claim whether the cited law states it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: Literal["correct", "incorrect", "refusal"]
    grounding: Literal["grounded", "misgrounded", "ungrounded"]
    claims: list[bool]
    note: str = ""

    @property
    def label(self) -> str:
        """Accurate, incomplete or hallucinated."""
        if self.answer == "incorrect" or self.grounding == "misgrounded":
            return "hallucinated"
        return "accurate" if self.answer == "correct" and self.grounding == "grounded" else "incomplete"


class Entry(Recording):
    """One recorded answer with its question and its grades."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    id: str
    source: str  # the corpus, as a path in the folder of real law
    kind: Literal["answerable", "unanswerable", "override", "shadowing", "date"]
    target: str
    at_date: date
    question: str
    provider: str
    model: str
    params: dict[str, str]
    produced: str
    context_sha256: str
    law_sha256: str  # of the blocks' words alone: what a reply was written from, however the prompt tells it
    grades: list[Grade]


@dataclass(slots=True)
class Report:
    """What the recordings gave."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Built:
    """An entry beside the context and prompt that the product builds for it today."""

    entry: Entry
    context: ScopedContext
    language: str
    prompt: Prompt

    @property
    def key(self) -> str:
        """The prompt's hash."""
        return prompt_key(self.prompt.instructions, self.prompt.input)

    @property
    def law(self) -> str:
        """The hash of the words of all blocks, with their URNs, roles and order."""
        words = [[block.urn, block.role, block.lead_in, block.text, block.flush] for block in self.context.blocks]
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def read_entries(file: Path = ANSWERS) -> list[Entry]:
    """The recorded answers.

    Raises:
        ConfigurationError: a line is no recording, or an id stands twice.
    """
    found: list[Entry] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found.append(Entry.model_validate_json(line))
        except ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise ConfigurationError(f"{file.name}:{number} is no recorded answer ({place or 'not JSON'}).") from None
    if len({entry.id for entry in found}) != len(found):
        raise ConfigurationError(f"An id stands twice in {file.name}.")
    return found


@contextmanager
def build_all(entries: Sequence[Entry], shared: Path) -> Generator[tuple[list[Built], list[str]]]:
    """Contexts and prompts of all entries whose law is there, from a store of their own, and notes on the others."""
    there = {name: shared / name for name in sorted({entry.source for entry in entries}) if (shared / name).exists()}
    away = sorted({entry.source for entry in entries} - set(there))
    notes = [f"{name} is not measured: ../shared/data/{name} is not there" for name in away]
    with empty_engine() as engine:
        notes += _fill(engine, list(there.values()))
        yield [_build(engine, entry) for entry in entries if entry.source in there], notes


def _fill(engine: Engine, places: Sequence[Path]) -> list[str]:
    """Ingest law and the invented overrides; notes on files that are refused."""
    report = engine.ingest(places)
    import_overrides(engine.database, OVERRIDES)
    return [f"{bad.file}: {bad.cause}" for bad in report.rejected]


def _build(engine: Engine, entry: Entry) -> Built:
    context = engine.context(entry.target, at_date=entry.at_date)
    language = {"de-gesetze-md/bgb.md": "de", "fr-legalize-md": "fr"}.get(entry.source, "en")
    return Built(entry, context, language, build_prompt(context, entry.question, language=language))


def measure(shared: Path, file: Path = ANSWERS) -> Report:
    """Verify every recorded answer as the product would, and compare with the grades.

    Args:
        shared: the folder of real law.
        file: the recordings.

    Raises:
        ConfigurationError: the recordings cannot be read.
        StoreError: the store of the measurement failed.
    """
    out = Report()
    entries = read_entries(file)
    model = ReplayedModel.of(
        Recording.model_validate(entry.model_dump(include=set(Recording.model_fields))) for entry in entries
    )
    counts: Counter[str] = Counter()
    with build_all(entries, shared) as (built, notes):
        out.notes += notes
        for case in built:
            count_entry(case, model, counts, out)
    if not built:
        return out
    graded = [case.entry for case in built if len(case.entry.grades) == _PASSES]
    out.notes.append(f"{len(graded)} of {len(built)} answers were graded in both passes")
    shares = (
        ("stale", "stale", "entries", FRESH),
        ("E13:flagged", "flagged", "true", FLAGGED),
        ("E13:withheld", "withheld", "true", WITHHELD),
        ("E13:told_altered", "told_altered", "true", REPORTED),
        ("E13:altered_served", "altered_served", "altered", ALTERED_SERVED),
        ("false_served", "false_served", "false", FALSE_SERVED),
        ("misleading_verbatim", "misleading_verbatim", "false", REPORTED),
        ("E18:accurate", "accurate", "graded", ACCURATE),
        ("E18:incomplete", "incomplete", "graded", REPORTED),
        ("E18:hallucinated", "hallucinated", "graded", HALLUCINATED),
    )
    for source in ("all", *sorted({case.entry.source.partition("/")[0] for case in built})):
        for metric, hits, cases, gate in shares:
            if counts[f"{source}:{cases}"]:
                row = share_row(SUITE, source, metric, counts[f"{source}:{hits}"], counts[f"{source}:{cases}"], gate)
                out.rows.append(row)
    if graded:
        pairs = [(entry.grades[0].label, entry.grades[1].label) for entry in graded]
        out.rows.append(Row(SUITE, "all", "kappa", kappa(pairs), len(pairs), None, None, REPORTED))
    return out


def count_entry(one: Built, model: ReplayedModel, counts: Counter[str], out: Report) -> None:
    """Add what one answer comes to: a name a case, for all answers (`all:true`) and for its corpus."""
    entry = one.entry

    def count(name: str) -> None:
        for source in ("all", entry.source.partition("/")[0]):
            counts[f"{source}:{name}"] += 1

    count("entries")
    if one.key != entry.prompt_sha256 or one.context.digest != entry.context_sha256:
        count("stale")
        out.misses.append(f"stale {entry.id}: the prompt is no longer the one that was answered; see --rehash")
        return
    request = DraftRequest(one.prompt.instructions, one.prompt.input, one.context.allow_list)
    drafted = model.draft(request)
    # A refusal is right where nothing answers, and the labels would call it incomplete.
    for grade in entry.grades[:1] if entry.kind in _ANSWERED else ():
        count("graded")
        count(grade.label)
    if isinstance(drafted, Declined) or not entry.grades:
        return
    evidence = evidence_of(one.context, one.language)
    altered = read_altered().get(entry.id, [])
    for _ in altered:
        count("altered")
    for changed in served_altered(altered, drafted, evidence):
        count("altered_served")
        out.misses.append(f"{entry.id} claim {changed.claim} altered and served: {changed.change}")
    grounds = Grounds(one.context, evidence)
    first = [grounds.verified(claim) for claim in drafted.claims]
    final = [grounds.standing_for(*claim) for claim in zip(drafted.claims, first, strict=True)]
    for place, (before, after) in enumerate(zip(first, final, strict=True)):
        true = all(grade.claims[place] for grade in entry.grades)
        count("true" if true else "false")
        if true and before.verdict == "ALTERED":
            count("told_altered")
        if before.level == "WITHHELD":
            count("flagged" if true else "caught")
            out.misses.append(f"{entry.id} claim {place + 1} {'true' if true else 'false'}: {' '.join(before.reasons)}")
        elif not true:
            # The law's own whole sentence is stated by the law; a grader may still miss what follows it.
            count("false_served" if before.level == "CHECKED" else "misleading_verbatim")
            out.misses.append(f"{entry.id} claim {place + 1}: graded as not stated, and served as {before.level}")
        if true and after.level == "WITHHELD":
            count("withheld")


def rehash(shared: Path, file: Path = ANSWERS) -> list[str]:
    """Write today's hashes into the recordings, and say what has changed.

    Args:
        shared: the folder of real law; all corpora of the recordings have to be there.
        file: the recordings.

    Returns:
        A line for each answer whose context has other words of law, and for each quote that is no longer in it.
        A prompt that tells the same law otherwise is no line.

    Raises:
        ConfigurationError: a corpus is not there, or the recordings cannot be read.
    """
    entries = read_entries(file)
    missing = sorted({entry.source for entry in entries if not (shared / entry.source).exists()})
    if missing:
        raise ConfigurationError(f"Not in ../shared/data, so nothing was written: {', '.join(missing)}.")
    told: list[str] = []
    lines: list[str] = []
    with build_all(entries, shared) as (built, _):
        for case in built:
            entry = case.entry
            if case.context.status != "ok":
                told.append(f"{entry.id}: the context is {case.context.status}; no prompt would be sent")
            if case.law != entry.law_sha256:
                told.append(f"{entry.id}: the law of the context changed; read the answer again")
            told += _lost_quotes(case)
            new = entry.model_copy(
                update={"prompt_sha256": case.key, "context_sha256": case.context.digest, "law_sha256": case.law}
            )
            lines.append(json.dumps({"id": entry.id, **new.model_dump(mode="json")}, ensure_ascii=False))
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return told


def _lost_quotes(one: Built) -> list[str]:
    draft = ReplayedModel({one.key: one.entry}).draft(DraftRequest(one.prompt.instructions, one.prompt.input, ("",)))
    if not isinstance(draft, Draft):
        return []
    texts = {block.urn: block.text for block in one.context.blocks if block.role != "warning"}
    return [
        f"{one.entry.id}: a quote does not stand in {citation.urn}"
        for claim in draft.claims
        for citation in claim.citations
        if not locate(citation.quote, texts.get(citation.urn, ""))
    ]
