"""How a reader is told a status, an override's effect, a validity and the order of warnings. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrieval.model import Block, ContextWarning

STATUS_WORDS = {
    "answered": "Answered", "places": "Places to look", "refused": "Refused", "halted": "Halted", "failed": "Failed",
    "ok": "Context assembled",
    "not_found": "Not found", "not_in_force": "Not in force", "insufficient": "Insufficient context",
}  # fmt: skip
STATUS_TONES = {"answered": "good", "ok": "good", "halted": "stop", "failed": "stop"}
ACTION_WORDS = {
    "halt": "Stopped the answer", "redact": "Text taken out of the context", "warn": "Warning only",
    "left_out": "Rule left out of the context",
}  # fmt: skip
WEAK_MATCH = "weak_match"  # kind of a warning: what is served may be about something else
_FIRST = ("cited_missing", WEAK_MATCH, "parts_left", "recital", "other_rules", "limits", "wide_limits")


def worst_first(warnings: Sequence[ContextWarning]) -> list[ContextWarning]:
    """What an answer lacks first, then what may govern or limit it, and what search says of itself last."""
    order = {kind: place for place, kind in enumerate(_FIRST)}
    return sorted(warnings, key=lambda warning: (order.get(warning.kind, len(order)), warning.kind == "search"))


# How the notes of a search begin that tell of a step of it, and how a reader is told.
_STEPS = {
    "dense: skipped": "Not searched by meaning", "rewriting: skipped": "No model named words of the statute",
    "rerank: skipped": "Not reranked", "dense: ": "Search by meaning: ", "rerank: ": "Reranking: ",
    "terms: ": "Words of the statute: ",
}  # fmt: skip


def search_note(message: str) -> str:
    """What a search says of itself, in a reader's words."""
    start = next((start for start in _STEPS if message.startswith(start)), "")
    return _STEPS[start] + message.removeprefix(start) if start else message


def force_words(block: Block) -> str:
    """A block's validity in words; both dates as half-open bounds."""
    since = f"in force from {block.valid_from}" if block.valid_from else "in force, start not stated by the source"
    return f"{since}, no longer from {block.valid_to}" if block.valid_to else since


def join_words(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
