"""What a reading of a legal sentence finds: operators by kind, and the words that carry its content."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """The kinds of operators. Each is compared as a sequence of values."""

    NUMBER = "number"
    UNIT = "unit"
    MODALITY = "modality"
    NEGATION = "negation"
    COMPARATOR = "comparator"
    CONNECTIVE = "connective"
    EXCEPTION = "exception"
    CONDITION = "condition"
    ABSOLUTE = "absolute"
    RELATIVE = "relative"
    REFERENCE = "reference"
    PARTY = "party"
    VOICE = "voice"
    DESIGNATOR = "designator"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator; equal `value`s of one kind mean the same."""

    kind: Kind
    value: str


class Place(NamedTuple):
    """What stands around a content word and says how it is meant; each empty where there is none (English)."""

    preposition: str  # before it or before its determiner
    determiner: str
    ending: str  # `ing` or `ed`: `the requesting State`, `the requested State`
    time: str = ""  # of the auxiliary before it: now, past, or done (`has paid`)
    number: str = ""  # of a noun with a determiner: one or many


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reading found: operators in text order, and the stems of the content words in text order.

    `order` has both in one sequence, operators by their kind, absolutes and references by their value. `named` are
    stems of words such as `title` and `this chapter`, which a claim may add and may not leave out. `directed` are
    content stems with the direction word before them (`by trust`). `places` has one entry for each of `content`, in
    other languages than English with nothing but its number.
    """

    operators: tuple[Operator, ...]
    content: tuple[str, ...]
    order: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    directed: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    def sequence(self, kind: Kind) -> tuple[str, ...]:
        """The values of one kind in text order."""
        return tuple(operator.value for operator in self.operators if operator.kind is kind)
