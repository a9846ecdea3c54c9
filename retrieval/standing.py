"""Provisions that the store holds and that are no law any more: the tag `status` of their versions says so. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Protocol

# What stands in place of words that hold: a publication's own status, or a placeholder such as `[Repealed]`.
GONE = (
    "repealed", "abrogated", "revoked", "expired", "renumbered", "transferred", "omitted", "vacated", "reserved",
)  # fmt: skip


class Version(Protocol):
    """A version of a node, such as `retrieval.nodes.NodeVersion`."""

    @property
    def tags(self) -> Mapping[str, Any]:
        """Its tags."""
        ...

    @property
    def valid_from(self) -> date | None:
        """The first day of the version."""
        ...

    @property
    def valid_to(self) -> date | None:
        """The first day after it. Where there is one, a status tells of that day and not of the text."""
        ...


def gone(version: Version) -> str:
    """What became of a provision whose text is a placeholder: `repealed`, `reserved`; empty for law in force."""
    status = str(version.tags.get("status", "")).lower()
    return status if status in GONE and version.valid_to is None else ""


def gone_since(urn: str, version: Version) -> str:
    """A sentence that says so, beginning with the URN; empty for law in force."""
    status = gone(version)
    since = f" since {version.valid_from.isoformat()}" if version.valid_from else ""
    return f"{urn}{_NOT_LAW}{status}{since}." if status else ""


_NOT_LAW, _NOT_YET = " is not law in force: ", " is not in force before "


def out_of_force(urn: str, version: Version, at: date) -> str:
    """A sentence that says that a version is not law at a date, beginning with the URN; empty where it is."""
    if version.valid_to is not None and version.valid_to <= at:
        status = str(version.tags.get("status", "")).lower()
        word = status if status in GONE else "ended or replaced"
        return f"{urn}{_NOT_LAW}{word} since {version.valid_to.isoformat()}."
    if version.valid_from is not None and version.valid_from > at:
        return f"{urn}{_NOT_YET}{version.valid_from.isoformat()}."
    return gone_since(urn, version)


def says_out_of_force(urn: str, sentence: str) -> bool:
    """Whether a sentence is what `out_of_force` says of a provision."""
    return sentence.startswith((f"{urn}{_NOT_LAW}", f"{urn}{_NOT_YET}"))
