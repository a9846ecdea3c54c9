"""What American references were read as, and the references that this makes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.jurisdictions.us.reader import Item, Reading
from rag.law.jurisdiction import FoundReference, ReferenceKind, ReferencePart
from retrieval.errors import InputError
from retrieval.paths import segment

_DASH = re.compile(r"\s{0,3}[-\u2010-\u2015\u2212]\s{0,3}")


@dataclass(slots=True, unsafe_hash=True)
class Target:
    """What one unit or item was read as."""

    urn: str
    kind: ReferenceKind
    confident: bool = True


OTHER = Target("", "external")
UNREAD = Target("", "relative", confident=False)


def level_of(reading: Reading) -> str:
    """The level of a reading's items as its words say it."""
    return reading.word if reading.level == "paragraph" else reading.level


def reference_of(text: str, reading: Reading, targets: list[Target]) -> FoundReference:
    """The reference that a reading and the targets of its items make; as many targets as items."""
    parts = tuple(
        ReferencePart(item.start, item.end, target.urn, item.range)
        for item, target in zip(reading.items, targets, strict=True)
    )
    kinds = {target.kind for target in targets}
    kind: ReferenceKind = "relative" if "relative" in kinds else "explicit" if "explicit" in kinds else "external"
    confident = all(target.confident for target in targets)
    return FoundReference(reading.start, reading.end, text[reading.start : reading.end], parts, kind, confident)


def corpus_of(urn: str) -> str:
    """The corpus part of a URN: `urn:lex:us:16cfr`."""
    return ":".join(urn.split(":")[:4])


def plain_number(number: str) -> str:
    """A number with hyphens for typographic dashes, and no spaces around them: `96 \u2013 164` -> `96-164`."""
    return number if number.isalnum() else _DASH.sub("-", number)


def below(urn: str, *designators: str) -> str:
    """The URN of a provision below another; an empty string where a designator has no citable character."""
    try:
        return ":".join([urn, *[segment(one) for one in designators]]) if urn else ""
    except InputError:
        return ""


def range_ends(item: Item, first: str, last: str) -> list[Item]:
    """The two ends of a range that is printed like one number."""
    middle = item.start + len(first)
    return [Item(item.start, middle, first, (), "start"), Item(middle + 1, item.end, last, (), "end")]
