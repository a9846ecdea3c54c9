"""The one repair round: claims that failed go back to the model once, then the law's own sentence stands for them.

What goes back is the same prompt, each failed claim and its reason codes; no new context and no hint at an answer.
A repaired claim is verified like any other. A reply that does not answer claim by claim is not used.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from rag.answering.prompts import Prompt, build_repair
from rag.models.drafting import Declined, DraftRequest, LanguageModel
from rag.verification.claims import verbatim_fallback, verify_claim
from rag.verification.draft import Draft, DraftClaim
from rag.verification.model import DESCRIPTIONS, CheckedClaim, Evidence
from retrieval.errors import ProviderError

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
        sent: claims that went back.
        not_sent: failed claims too long or too many to go back.
        mended: claims served because of it.
        prompt_digest: digest of its prompt; None where none was sent.
        error: the failure's code where the provider failed.
        usage: tokens by kind.
    """

    outcome: Outcome = "not_needed"
    sent: int = 0
    not_sent: int = 0
    mended: int = 0
    prompt_digest: str | None = None
    error: str | None = None
    usage: dict[str, int] = field(default_factory=dict[str, int])


def repair_claims(
    model: LanguageModel | None,
    prompt: Prompt,
    allowed_urns: tuple[str, ...],
    draft: Draft,
    checked: Sequence[CheckedClaim],
    evidence: Evidence,
    *,
    seconds: float,
) -> tuple[list[CheckedClaim], Repair]:
    """Ask once about the claims that failed, and let the law's sentence stand for those that still do.

    Args:
        model: who drafted; None asks nobody, and only the fallback is left.
        prompt: what the draft was made from.
        allowed_urns: what may be cited.
        draft: the first draft.
        checked: its claims verified, in the same order.
        evidence: what they may rest on.
        seconds: what is left of the request's deadline.

    Returns:
        One claim for each of the draft's, in its order, and what came of the round. A failing provider is an outcome
        here, never an exception: the first draft stands.
    """
    failed = [place for place, one in enumerate(checked) if one.level == "WITHHELD"]
    lines = {place: _line(draft.claims[place], checked[place]) for place in failed}
    going = [place for place in failed if len(lines[place]) <= MAX_CLAIM_CHARACTERS][:MAX_CLAIMS]
    replies: dict[int, DraftClaim] = {}
    repair = Repair(not_sent=len(failed) - len(going) if model is not None else 0)
    if model is not None and going:
        second = build_repair(prompt, [lines[place] for place in going])
        replies, repair = _ask(model, second, allowed_urns, going, repair.not_sent, seconds)
    out = list(checked)
    mended = 0
    for place in failed:
        reply = replies.get(place)
        out[place], came = _settled(draft.claims[place], checked[place], reply, evidence)
        mended += came
    return out, _with_mended(repair, mended)


def _with_mended(repair: Repair, mended: int) -> Repair:
    return Repair(
        repair.outcome, repair.sent, repair.not_sent, mended, repair.prompt_digest, repair.error, repair.usage
    )


def _line(claim: DraftClaim, checked: CheckedClaim) -> str:
    """A failed claim as one line of ASCII JSON, so that nothing in it can look like the prompt's own marks."""
    return json.dumps(
        {
            "text": claim.text,
            "citations": [{"urn": one.urn, "quote": one.quote} for one in claim.citations],
            "reasons": {str(reason): DESCRIPTIONS[reason] for reason in checked.reasons},
        }
    )


def _ask(
    model: LanguageModel,
    prompt: Prompt,
    allowed_urns: tuple[str, ...],
    going: Sequence[int],
    not_sent: int,
    seconds: float,
) -> tuple[dict[int, DraftClaim], Repair]:
    if seconds < LEAST_SECONDS:
        return {}, Repair("no_time", not_sent=not_sent + len(going))

    def came(outcome: Outcome, error: str | None = None, usage: dict[str, int] | None = None) -> Repair:
        return Repair(outcome, len(going), not_sent, 0, prompt.digest, error, usage or {})

    try:
        reply = model.draft(DraftRequest(prompt.instructions, prompt.input, allowed_urns, seconds))
    except ProviderError as error:
        return {}, came("failed", error.code)
    if isinstance(reply, Declined):
        return {}, came("declined")
    if len(reply.claims) != len(going):
        return {}, came("unusable", usage=reply.usage)
    return dict(zip(going, reply.claims, strict=True)), came("repaired", usage=reply.usage)


def _settled(
    claim: DraftClaim, checked: CheckedClaim, reply: DraftClaim | None, evidence: Evidence
) -> tuple[CheckedClaim, bool]:
    """What stands for a failed claim in the end, and whether the repair round brought it."""
    if reply is not None and not reply.text.strip() and not reply.citations:
        return checked, False  # withdrawn by the model
    if reply is not None:
        again = verify_claim(reply, evidence)
        if again.level != "WITHHELD":
            return again, True
    for one in (claim, reply):
        sentence = verbatim_fallback(one, evidence) if one is not None else None
        if sentence is not None:
            return sentence, one is not claim
    return checked, False
