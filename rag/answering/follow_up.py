"""A follow-up question keeps the rules, the date and with them the definitions of the first answer.

What is kept is a token that the client holds: URNs, a date, a language and the beginning of the digest of C(R), in
plain JSON under base64. Nothing of it is stored, and no word of the question is in it. Nor is it signed: everything it
names is looked up again, with every halt and every limit, so that a forged token asks no more than a question that
cites the same provisions.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import cast

from rag.answering.answer import Refusal
from retrieval.errors import InputError
from retrieval.languages import checked_language
from retrieval.model import ContextWarning, ScopedContext
from retrieval.paths import canonical_jurisdiction, expand_jurisdictions, parse_urn

MOST_PARTS = 5  # jurisdictions that one question is asked of, side by side
MOST_RULES = 10  # of each
MAX_TOKEN = 16_000  # characters
_FORMAT = "lex1."  # how a token of this format begins
_DIGITS = 16  # of the digest
_NOT_ONE = "This is neither the follow-up token nor the trace id of an answer. Copy it whole, or ask without it."


@dataclass(frozen=True, slots=True)
class Kept:
    """What a follow-up question keeps of one answer."""

    rules: tuple[str, ...]  # URNs, in their order
    at_date: date
    language: str
    digest: str  # the first digits of that of C(R)
    place: str = ""  # the jurisdiction as it was asked side by side with others; empty where it was asked alone

    def lies_in(self, jurisdiction: str | Sequence[str]) -> bool:
        """Whether each of the rules is law of a jurisdiction that is named, or of a subdivision of it."""
        places = {parse_urn(urn).jurisdiction for urn in self.rules}
        wanted = jurisdiction if isinstance(jurisdiction, str) else "|".join(jurisdiction)
        return places <= set(expand_jurisdictions(wanted, places))

    def told(self, context: ScopedContext, refusal: Refusal | None) -> list[ContextWarning]:
        """What to say where the same rules have another context now, or do not answer what is asked on."""
        out: list[str] = []
        if context.targets == list(self.rules) and not context.digest.startswith(self.digest):
            out.append("The store has changed since the first answer: the context of these rules is another one now.")
        if refusal is not None and refusal.reason == "insufficient_context":
            out.append("Only the rules of the first answer were looked at: ask anew for others.")
        return [ContextWarning(kind="follow_up", message=message) for message in out]


def kept_of(context: ScopedContext, language: str) -> Kept | None:
    """What a follow-up keeps of a context; None where there is none to keep."""
    out = {override.urn for override in context.overrides if override.action == "left_out"}
    rules = tuple(urn for urn in context.targets if urn not in out)[:MOST_RULES]
    if context.status != "ok" or not rules:
        return None
    return Kept(rules, context.at_date, language, context.digest[:_DIGITS])


def token_of(kept: Sequence[Kept]) -> str:
    """What a client holds to ask on; see `kept_in`."""
    parts = [[part.place, part.at_date.isoformat(), part.language, part.digest, *part.rules] for part in kept]
    text = json.dumps(parts, separators=(",", ":"))
    return _FORMAT + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def kept_in(token: str) -> list[Kept]:
    """What a token keeps, one entry for each jurisdiction that was asked.

    Raises:
        InputError: it is no token, or holds anything but URNs, a date, a language and a digest.
    """
    text = token.strip()
    if not text.startswith(_FORMAT) or len(text) > MAX_TOKEN or not text.isascii():
        raise InputError(_NOT_ONE)
    body = text.removeprefix(_FORMAT)
    try:
        found: object = json.loads(base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise InputError(_NOT_ONE) from None
    parts = cast("list[object]", found) if isinstance(found, list) else []
    if not 1 <= len(parts) <= MOST_PARTS:
        raise InputError(_NOT_ONE)
    return [_kept(part) for part in parts]


def _kept(part: object) -> Kept:
    fields = cast("list[object]", part) if isinstance(part, list) else []
    texts = [field for field in fields if isinstance(field, str)]
    if len(texts) != len(fields) or not 5 <= len(texts) <= 4 + MOST_RULES:
        raise InputError(_NOT_ONE)
    place, day, language, digest, *rules = texts
    known = checked_language(language)
    try:
        at_date = date.fromisoformat(day)
    except ValueError:
        raise InputError(_NOT_ONE) from None
    if known is None or len(digest) != _DIGITS or not set(digest) <= set("0123456789abcdef"):
        raise InputError(_NOT_ONE)
    codes = "|".join(canonical_jurisdiction(code) for code in place.split("|")) if place else ""
    return Kept(tuple(parse_urn(urn).text for urn in rules), at_date, known, digest, codes)
