"""What American references were read as, and the references that this makes."""

from __future__ import annotations

from dataclasses import dataclass

from rag.jurisdictions.american_reader import Reading
from rag.jurisdictions.base import FoundReference, ReferenceKind, ReferencePart


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
