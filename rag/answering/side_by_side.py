"""One question to the law of several jurisdictions: each answers for itself, and one record holds them apart."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from rag.answering.answer import Answer, AnswerStatus
from rag.answering.follow_up import MOST_PARTS, Kept, kept_of, token_of
from retrieval.errors import InputError

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
    kept = [
        Kept(found.rules, found.at_date, found.language, found.digest, code)
        for code, part in parts.items()
        if part.context is not None and (found := kept_of(part.context, part.language)) is not None
    ]
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
