"""The one repair round: claims that failed go back to the model once, then the law's own sentence stands for them.

What goes back is the same prompt, each failed claim and its reason codes; no new context and no hint at an answer.
A repaired claim is verified like any other. A reply that does not answer claim by claim is not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rag.answering.prompts import Prompt, build_repair
from rag.models.drafting import Declined, DraftRequest, LanguageModel
from rag.verification.claims import verbatim_fallback, verify_claim
from rag.verification.draft import DraftClaim
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
    repair = Repair(not_sent=len(failed) - len(going) if model is not None else 0)
    if model is not None and going:
        second = build_repair(prompt, [lines[place] for place in going])
        replies, repair = _ask(model, second, allowed_urns, going, repair.not_sent, seconds)
    out = list(zip(claims, checked, strict=True))
    mended = 0
    for place, reply in replies.items():
        if not reply.text.strip() and not reply.citations:
            out[place] = (reply, checked[place])  # withdrawn by the model: nothing stands for it
            continue
        again = verify_claim(reply, evidence)
        # A reply that quotes better is worth having even where code cannot tell that it follows.
        if again.level != "WITHHELD" or (keep is not None and keep(again)):
            out[place] = (reply, again)
            mended += again.level != "WITHHELD"
        elif verbatim_fallback(claims[place], evidence) is None and verbatim_fallback(reply, evidence) is not None:
            out[place] = (reply, checked[place])
            mended += 1
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
            "citations": [{"urn": citation.urn, "quote": citation.quote} for citation in claim.citations],
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
