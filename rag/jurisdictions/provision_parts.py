"""What a reference to provisions named by words is taken apart into: laws, units and items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rag.jurisdictions.base import RangeEnd
from rag.jurisdictions.designators import Path


@dataclass(slots=True, unsafe_hash=True)
class Law:
    """A law as named. `role` `unread`: a name that stands for no law that could be told."""

    urn: str  # its corpus; empty where it has no URN scheme or is not known
    title: str = ""  # as written, for a search by title
    tags: tuple[tuple[str, str], ...] = ()  # tags that name it instead of a URN
    certain: bool = True
    role: Literal["named", "unread"] = "named"


@dataclass(slots=True, unsafe_hash=True)
class Unit:
    """A provision inside a larger one.

    `level` is a level of the grammar, or one after `this`, `that`, `before` or `after`.
    """

    level: str
    number: str = ""
    path: Path = ()


@dataclass(slots=True)
class Item:
    """One member of a list of provisions of one level."""

    start: int
    end: int
    number: str
    path: Path
    range: RangeEnd = ""


@dataclass(slots=True)
class Reading:
    """A reference taken apart; `outer` are the units that the items lie in, innermost first."""

    start: int
    end: int
    level: str
    items: list[Item]
    outer: list[Unit] = field(default_factory=lambda: [])
    law: Law | None = None
    unread: bool = False  # what the items lie in could not be read
