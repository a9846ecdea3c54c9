"""Recorded claims altered by hand: what the law does not say, in words that are nearly the law's (E13:altered_served).

Each line of `data/recorded/altered.jsonl` names a recorded claim, what was changed, and the claim's words afterwards.
The citations are those of the recorded claim. None of them may be served.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.verification.claims import verify_claim
from rag.verification.draft import Draft, DraftClaim
from rag.verification.model import Evidence
from retrieval.errors import ConfigurationError

ALTERED = Path(__file__).parents[2] / "data" / "recorded" / "altered.jsonl"


class Altered(BaseModel):
    """One altered claim. `claim` is the number of the recorded claim within its answer, from 1."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    id: str
    claim: int = Field(ge=1)
    change: str
    text: str


def read_altered(file: Path = ALTERED) -> dict[str, list[Altered]]:
    """The altered claims by the id of their answer.

    Raises:
        ConfigurationError: a line is no altered claim.
    """
    found: dict[str, list[Altered]] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            one = Altered.model_validate_json(line)
        except ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise ConfigurationError(f"{file.name}:{number} is no altered claim ({place or 'not JSON'}).") from None
        found.setdefault(one.id, []).append(one)
    return found


def served_altered(altered: Sequence[Altered], draft: Draft, evidence: Evidence) -> list[Altered]:
    """The altered claims of one answer that the verifier serves as paraphrases or as the law's own words.

    Raises:
        ConfigurationError: one of them names a claim that the answer does not have.
    """
    served: list[Altered] = []
    for one in altered:
        if one.claim > len(draft.claims):
            raise ConfigurationError(f"{ALTERED.name}: {one.id} has no claim {one.claim}.")
        claim = DraftClaim(one.text, draft.claims[one.claim - 1].citations)
        if verify_claim(claim, evidence).level != "WITHHELD":
            served.append(one)
    return served
