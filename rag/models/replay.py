"""Recorded answers as a language model and recorded judgements as a judge: each is found by the hash of what was asked.

A question without a recording is an error and never an empty answer: a recording that has become stale must be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.models.drafting import Declined, DraftRequest, parse_draft
from rag.models.law_reading import ReadingPrompt, Reply, parse_reading
from rag.models.prompting import prompt_key
from rag.models.rewriting import read_terms, rewrite_prompt
from rag.verification.draft import Draft
from rag.verification.judging import Confidence, Entailment, Judgement, Question
from retrieval.errors import ConfigurationError, ProviderRejected

STALE = "no answer is recorded for this prompt: the recording is missing or stale"
UNREAD = "no reading is recorded for this window of a law: the recording is missing or stale"
UNREWRITTEN = "no terms are recorded for this question: the recording is missing or stale"
UNJUDGED = "no judgement is recorded for this statement: the recording is missing or stale"
_SHA256 = r"^[0-9a-f]{64}$"


class StaleRecording(ProviderRejected):
    """There is no recorded answer for this prompt, or no recorded judgement of this statement."""

    code = "stale_recording"


class Recording(BaseModel):
    """One answer as it came: `reply` is the raw output text. Other fields of a line are for its readers."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    prompt_sha256: str = Field(pattern=_SHA256)
    reply: str
    finish_reason: Literal["completed", "refusal", "content_filter"] = "completed"
    usage: dict[str, int] = {}


class RecordedJudgement(BaseModel):
    """What a judge said of one question; see `Question.key`. Other fields of a line are for its readers."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    key: str = Field(pattern=_SHA256)
    entailment: Entailment
    confidence: Confidence


@dataclass(frozen=True)
class ReplayedModel:
    """A `LanguageModel` over recordings; deterministic, offline, safe to share by threads."""

    recordings: dict[str, Recording]
    provider: str = "replay"
    model: str = "recorded"

    @classmethod
    def of(cls, recordings: Iterable[Recording]) -> Self:
        """A model over some recordings.

        Raises:
            ConfigurationError: two differ for one prompt.
        """
        known: dict[str, Recording] = {}
        for recording in recordings:
            if known.setdefault(recording.prompt_sha256, recording) != recording:
                raise ConfigurationError(f"Two recordings differ for one prompt: {recording.prompt_sha256[:16]}.")
        return cls(known)

    @classmethod
    def read(cls, file: Path) -> Self:
        """A model over a file of JSON Lines, one recording a line.

        Raises:
            ConfigurationError: the file cannot be read, or a line is no recording; names the line.
        """
        return cls.of(read_recordings(file, Recording, "recordings", "LEXSCOPE_RECORDINGS"))

    def draft(self, request: DraftRequest) -> Draft | Declined:
        """The recorded draft.

        Raises:
            StaleRecording: none was recorded for this prompt.
            ProviderRejected: the recorded reply is not usable, as it would not have been when it came.
        """
        found = self.recordings.get(prompt_key(request.instructions, request.input))
        if found is None:
            raise StaleRecording(self.provider, STALE)
        if found.finish_reason != "completed":
            return Declined(found.finish_reason)
        draft = parse_draft(found.reply, provider=self.provider)
        return replace(draft, usage=dict(found.usage))


@dataclass(frozen=True)
class ReplayedJudge:
    """A `Judge` over recordings; deterministic, offline, safe to share by threads."""

    judgements: dict[str, Judgement]
    name: str = "replay recorded"

    @classmethod
    def of(cls, recordings: Iterable[RecordedJudgement]) -> Self:
        """A judge over some recordings.

        Raises:
            ConfigurationError: two differ for one question.
        """
        known: dict[str, Judgement] = {}
        for recording in recordings:
            judgement = Judgement(recording.entailment, recording.confidence)
            if known.setdefault(recording.key, judgement) != judgement:
                raise ConfigurationError(f"Two recorded judgements differ for one statement: {recording.key[:16]}.")
        return cls(known)

    @classmethod
    def read(cls, file: Path) -> Self:
        """A judge over a file of JSON Lines, one judgement a line.

        Raises:
            ConfigurationError: the file cannot be read, or a line is no judgement; names the line.
        """
        return cls.of(read_recordings(file, RecordedJudgement, "judgements", "LEXSCOPE_JUDGEMENTS"))

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        """The recorded judgements.

        Raises:
            StaleRecording: one of the questions has none.
        """
        if any(question.key not in self.judgements for question in questions):
            raise StaleRecording("replay", UNJUDGED)
        return [self.judgements[question.key] for question in questions]


@dataclass(frozen=True)
class ReplayedRewriter:
    """A `Rewriter` over recordings, found by the prompt as answers are; deterministic, offline, safe to share."""

    recordings: dict[str, Recording]
    name: str = "replay recorded"

    @classmethod
    def read(cls, file: Path) -> Self:
        """A rewriter over a file of JSON Lines, one recording a line.

        Raises:
            ConfigurationError: the file cannot be read, or a line is no recording; names the line.
        """
        return cls(ReplayedModel.of(read_recordings(file, Recording, "rewritings", "LEXSCOPE_REWRITINGS")).recordings)

    def terms(self, question: str, language: str) -> list[str]:
        """The recorded terms.

        Raises:
            StaleRecording: none were recorded for this prompt.
            ProviderRejected: the recorded reply is not usable, as it would not have been when it came.
        """
        found = self.recordings.get(prompt_key(*rewrite_prompt(question, language)))
        if found is None:
            raise StaleRecording("replay", UNREWRITTEN)
        return read_terms(found.reply, provider="replay")


@dataclass(frozen=True)
class ReplayedLawReader:
    """A `LawReader` over recordings, found by the prompt as answers are; deterministic, offline, safe to share."""

    recordings: dict[str, Recording]
    provider: str = "replay"
    model: str = "recorded"

    @classmethod
    def read_file(cls, file: Path) -> Self:
        """A reader over a file of JSON Lines, one recording a line.

        Raises:
            ConfigurationError: the file cannot be read, or a line is no recording; names the line.
        """
        return cls(ReplayedModel.read(file).recordings)

    def read(self, prompt: ReadingPrompt) -> Reply:
        """The recorded reading.

        Raises:
            StaleRecording: none was recorded for this prompt.
            ProviderRejected: the recorded reply is not usable, as it would not have been when it came.
        """
        found = self.recordings.get(prompt.key)
        if found is None:
            raise StaleRecording(self.provider, UNREAD)
        return Reply(parse_reading(found.reply, provider=self.provider), dict(found.usage))


_Line = TypeVar("_Line", bound=BaseModel)


def read_recordings(file: Path, kind: type[_Line], what: str, setting: str) -> list[_Line]:
    """The lines of a file of recordings.

    Args:
        file: JSON Lines.
        kind: of a line.
        what: they are, in messages.
        setting: that names the file, in messages.

    Raises:
        ConfigurationError: the file cannot be read, or a line is none of them; names the line.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"The {what} cannot be read ({type(error).__name__}); set {setting} to a .jsonl file."
        ) from None
    found: list[_Line] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(kind.model_validate_json(line))
        except ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise ConfigurationError(
                f"{file.name}:{number} is not one of the {what} ({place or 'not JSON'})."
            ) from None
    return found
