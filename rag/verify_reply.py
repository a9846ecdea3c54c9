"""A model's reply in the form of a draft, or an answer of `ask --json`: its claims with the citations they name.

Such a text says itself what rests on what, so nothing has to be guessed from the order of its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from rag.draft import DraftCitation, DraftClaim
from rag.verify_references import Mention
from retrieval.strict_json import JsonRefused, objects, parse_json

_FENCED = re.compile(r"\A\s*(?:```[a-z]*\s*\n)?(\{.*\})\s*(?:```\s*)?\Z", re.DOTALL | re.IGNORECASE)
_MAX_BYTES = 8 * 1024 * 1024
_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Placed:
    """A string of the reply and where it stands in the text, without its quotation marks."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReplyCitation:
    """One citation of a claim."""

    urn: Placed
    quote: Placed


@dataclass(frozen=True, slots=True)
class ReplyClaim:
    """One claim of a reply."""

    text: Placed
    citations: tuple[ReplyCitation, ...]

    @property
    def draft(self) -> DraftClaim:
        """The claim as the verifier takes it."""
        return DraftClaim(
            self.text.value, tuple(DraftCitation(one.urn.value, one.quote.value) for one in self.citations)
        )


def read_reply(text: str) -> list[ReplyClaim] | None:
    """The claims of a text that is a JSON object with `claims`, fenced or not; None for any other text.

    A claim is an object with a string `text` and a list `citations` of objects with strings `urn` and `quote`; other
    members are left alone.
    """
    match = _FENCED.match(text)
    if match is None:
        return None
    try:
        value = parse_json(match[1], max_bytes=_MAX_BYTES, max_depth=_MAX_DEPTH)
    except JsonRefused:
        return None
    claims = cast("dict[str, object]", value).get("claims") if isinstance(value, dict) else None
    if not isinstance(claims, list):
        return None
    places = _Places(text, match.start(1))
    found: list[ReplyClaim] = []
    for one in objects(cast("object", claims)):
        said = one.get("text")
        if not isinstance(said, str):
            return None
        placed = places.of(said)
        found.append(ReplyClaim(placed, tuple(_citations(one.get("citations"), places, placed.start))))
    return found


def _citations(value: object, places: _Places, start: int) -> Iterator[ReplyCitation]:
    for one in objects(value):
        urn, quote = one.get("urn"), one.get("quote")
        if isinstance(urn, str) and isinstance(quote, str):
            yield ReplyCitation(places.of(urn, start), places.of(quote, start))


class _Places:
    """Where strings stand in the text, as JSON may write them; the whole reply where none of the spellings is there."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._next: dict[str, int] = {}
        self._start = start

    def of(self, value: str, start: int | None = None) -> Placed:
        """The next place of a string, at or after the last one found for the same string."""
        begin = max(self._next.get(value, self._start), self._start if start is None else start)
        for spelled in (json.dumps(value, ensure_ascii=False), json.dumps(value)):
            at = self._text.find(spelled, begin)
            if at >= 0:
                self._next[value] = at + len(spelled)
                return Placed(value, at + 1, at + len(spelled) - 1)
        return Placed(value, self._start, len(self._text.rstrip()))


def mention_of(urn: Placed) -> Mention:
    """A cited URN as a mention."""
    return Mention(urn.start, urn.end, (urn.value.lower(),), urn.value, urn.start, urn.end)
