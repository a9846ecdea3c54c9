"""Recorded answers as a language model: each reply is found by the hash of the prompt it was written for.

A prompt without a recording is an error and never an empty answer: a recording that has become stale must be seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.models.drafting import Declined, DraftRequest, parse_draft
from rag.verification.draft import Draft
from retrieval.errors import ConfigurationError, ProviderRejected

STALE = "no answer is recorded for this prompt: the recording is missing or stale"
_SHA256 = r"^[0-9a-f]{64}$"


class StaleRecording(ProviderRejected):
    """There is no recorded answer for this prompt."""

    code = "stale_recording"


class Recording(BaseModel):
    """One answer as it came: `reply` is the raw output text. Other fields of a line are for its readers."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    prompt_sha256: str = Field(pattern=_SHA256)
    reply: str
    finish_reason: Literal["completed", "refusal", "content_filter"] = "completed"
    usage: dict[str, int] = {}


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
        for one in recordings:
            if known.setdefault(one.prompt_sha256, one) != one:
                raise ConfigurationError(f"Two recordings differ for one prompt: {one.prompt_sha256[:16]}.")
        return cls(known)

    @classmethod
    def read(cls, file: Path) -> Self:
        """A model over a file of JSON Lines, one recording a line.

        Raises:
            ConfigurationError: the file cannot be read, or a line is no recording; names the line.
        """
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"The recordings cannot be read ({type(error).__name__}); set LEXSCOPE_RECORDINGS to a .jsonl file."
            ) from None
        found: list[Recording] = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                found.append(Recording.model_validate_json(line))
            except ValidationError as error:
                place = ".".join(str(part) for part in error.errors()[0]["loc"])
                raise ConfigurationError(f"{file.name}:{number} is no recording ({place or 'not JSON'}).") from None
        return cls.of(found)

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


def prompt_key(instructions: str, text: str) -> str:
    """SHA-256 of what a model is sent, byte for byte: what recordings are found by."""
    return hashlib.sha256(f"{instructions}\x00{text}".encode()).hexdigest()
