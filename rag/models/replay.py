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


_Answer = TypeVar("_Answer")


def _by_key(answers: Iterable[tuple[str, _Answer]], differ: str) -> dict[str, _Answer]:
    known: dict[str, _Answer] = {}
    for key, answer in answers:
        if known.setdefault(key, answer) != answer:
            raise ConfigurationError(f"{differ}: {key[:16]}.")
    return known


@dataclass(frozen=True)
class _Replayed:
    """Recordings, found by the hash of a prompt; deterministic, offline, safe to share by threads."""

    recordings: dict[str, Recording]
    provider: str = "replay"
    model: str = "recorded"

    @classmethod
    def of(cls, recordings: Iterable[Recording]) -> Self:
        """Over some recordings.

        Raises:
            ConfigurationError: two differ for one prompt.
        """
        pairs = ((recording.prompt_sha256, recording) for recording in recordings)
        return cls(_by_key(pairs, "Two recordings differ for one prompt"))

    @classmethod
    def read_file(cls, file: Path, what: str = "recordings", setting: str = "LEXSCOPE_RECORDINGS") -> Self:
        """Over a file of JSON Lines, one recording a line; `what` and `setting` as in `read_recordings`.

        Raises:
            ConfigurationError: the file cannot be read, or a line is no recording; names the line.
        """
        return cls.of(read_recordings(file, Recording, what, setting))

    def _recorded(self, key: str, missing: str) -> Recording:
        found = self.recordings.get(key)
        if found is None:
            raise StaleRecording(self.provider, missing)
        return found


class ReplayedModel(_Replayed):
    """A `LanguageModel` over recordings."""

    def draft(self, request: DraftRequest) -> Draft | Declined:
        """The recorded draft.

        Raises:
            StaleRecording: none was recorded for this prompt.
            ProviderRejected: the recorded reply is not usable.
        """
        found = self._recorded(prompt_key(request.instructions, request.input), STALE)
        if found.finish_reason != "completed":
            return Declined(found.finish_reason)
        draft = parse_draft(found.reply, provider=self.provider)
        return replace(draft, usage=dict(found.usage))


class ReplayedRewriter(_Replayed):
    """A `Rewriter` over recordings."""

    name = "replay recorded"

    def terms(self, question: str, language: str) -> list[str]:
        """The recorded terms.

        Raises:
            StaleRecording: none were recorded for this prompt.
            ProviderRejected: the recorded reply is not usable.
        """
        found = self._recorded(prompt_key(*rewrite_prompt(question, language)), UNREWRITTEN)
        return read_terms(found.reply, provider=self.provider)


class ReplayedLawReader(_Replayed):
    """A `LawReader` over recordings."""

    def read(self, prompt: ReadingPrompt) -> Reply:
        """The recorded reading.

        Raises:
            StaleRecording: none was recorded for this prompt.
            ProviderRejected: the recorded reply is not usable.
        """
        found = self._recorded(prompt.key, UNREAD)
        return Reply(parse_reading(found.reply, provider=self.provider), dict(found.usage))


@dataclass(frozen=True)
class ReplayedJudge:
    """A `Judge` over recordings; deterministic, offline, safe to share by threads."""

    judgements: dict[str, Judgement]
    name: str = "replay recorded"

    @classmethod
    def read(cls, file: Path) -> Self:
        """A judge over a file of JSON Lines, one judgement a line.

        Raises:
            ConfigurationError: the file cannot be read, a line is no judgement (it is named), or two differ.
        """
        read = read_recordings(file, RecordedJudgement, "judgements", "LEXSCOPE_JUDGEMENTS")
        pairs = ((recording.key, Judgement(recording.entailment, recording.confidence)) for recording in read)
        return cls(_by_key(pairs, "Two recorded judgements differ for one statement"))

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        """The recorded judgements.

        Raises:
            StaleRecording: one of the questions has none.
        """
        if any(question.key not in self.judgements for question in questions):
            raise StaleRecording("replay", UNJUDGED)
        return [self.judgements[question.key] for question in questions]


_Line = TypeVar("_Line", bound=BaseModel)


def read_recordings(file: Path, kind: type[_Line], what: str, setting: str) -> list[_Line]:
    """The lines of a file of recordings.

    Args:
        file: JSON Lines.
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
