"""Which paragraphs of a section of the United States Code are children of which: (a)(1)(A)(i)(I)(aa)(AA).

The order of the levels is fixed, so a designator's style names its level; what a designator's style is, `(i)` after
`(h)` or before `(ii)`, is decided by the whole section: the reading with the fewest breaks of sequence wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rag.ingest.formats.designators import roman_value

LEVELS = ("subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem")
STRUCTURES = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM", "ITEM", "ITEM")

_BEAM = 16
_HOPELESS = 14.0  # a reading this much worse than the best so far is given up
_REFUSED = 9.0  # a designator read as plain text
_GAP, _REPEATED, _BACKWARD, _LATE = 3.0, 7.0, 8.0, 6.0
_LONELY = 1.5
_SKIPPED = 0.2  # a level of the fixed order that is left out
_INVERTED, _NESTED = 3.5, 5.0  # letters below numerals, numerals below numerals: a few older acts are printed so
_UNANNOUNCED, _UNANSWERED = 0.4, 1.0
_HINT = 4.0  # the source marks another level
_LEAD_IN = 1.0
_STEM = re.compile(r"(\d{1,3}|[a-z]{1,7}|[A-Z]{1,7})(?:-(\d{1,2}))?\Z")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One line of a section. `hint` is the level (1 to 7) that the source marks, 0 for none.

    `announced`: the words before it do not end a sentence or an item. `introduces`: its own words do not, either.
    """

    designator: str = ""
    hint: int = 0
    announced: bool = False
    introduces: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands: `depth` 1 is directly under the section; `level` 1 to 7, 0 for a lead-in of its own."""

    depth: int
    level: int
    anomaly: str = ""


class _Open(NamedTuple):
    rank: float
    value: tuple[int, int]
    size: int


_Move = tuple[float, tuple[_Open, ...], Place | None]


@dataclass(slots=True)
class _State:
    cost: float
    stack: tuple[_Open, ...]
    parent: _State | None = None
    place: Place | None = None


@lru_cache(maxsize=4096)
def ranks(label: str) -> tuple[tuple[int, tuple[int, int]], ...]:
    """Every (level, value) that a designator can stand for; empty where it is none."""
    match = _STEM.match(label)
    if not match:
        return ()
    stem, extra = match[1], int(match[2] or 0)
    if stem.isdigit():
        return ((2, (int(stem), extra)),) if int(stem) else ()
    upper = stem.isupper()
    found: list[tuple[int, tuple[int, int]]] = []
    position = ord(stem[0].lower()) - ord("a") + 1
    if len(set(stem)) == 1 and len(stem) <= 3:
        found.append((3 if upper else 1, (26 * (len(stem) - 1) + position, extra)))
        if len(stem) > 1:
            found.append((7 if upper else 6, (26 * (len(stem) - 2) + position, extra)))
    roman = roman_value(stem)
    if roman is not None:
        found.append((5 if upper else 4, (roman, extra)))
    return tuple(found)


def place(paragraphs: Sequence[Paragraph]) -> list[Place | None]:
    """Place every line of a section; None where it opens no level."""
    states = [_State(0.0, ())]
    for one in paragraphs:
        following: dict[tuple[_Open, ...], _State] = {}
        for state in states:
            for cost, stack, where in _moves(state.stack, one):
                known = following.get(stack)
                if known is None or state.cost + cost < known.cost:
                    following[stack] = _State(state.cost + cost, stack, state, where)
        # Sorting is stable and the moves are generated in a fixed order, so equal costs never depend on chance.
        states = sorted(following.values(), key=lambda state: state.cost)[:_BEAM]
        states = [state for state in states if state.cost <= states[0].cost + _HOPELESS]
    current = min(states, key=lambda state: state.cost + _lonely(state.stack))
    out: list[Place | None] = []
    while current.parent is not None:
        out.append(current.place)
        current = current.parent
    return out[::-1]


def _moves(stack: tuple[_Open, ...], one: Paragraph) -> Iterator[_Move]:
    if not one.designator:
        yield 0.0, stack, None
        if one.introduces:
            yield from _lead_ins(stack)
        return
    yield _REFUSED, stack, None
    for rank, value in ranks(one.designator):
        hint = _HINT * (one.hint not in (0, rank))
        same = [depth for depth, level in enumerate(stack) if level.rank == rank]
        for depth in reversed(same):
            more, anomaly = _sequel(stack[depth].value, value)
            cost = hint + more + _lonely(stack[depth + 1 :]) + _UNANSWERED * one.announced
            after = (*stack[:depth], _Open(rank, value, stack[depth].size + 1))
            yield cost, after, Place(len(after), rank, anomaly)
        late = value != (1, 0)
        cost = hint + _LATE * late
        if not same:
            depth = next((depth for depth, level in enumerate(stack) if level.rank > rank), len(stack))
            after = (*stack[:depth], _Open(rank, value, 1))
            yield cost + _opening(stack, depth, rank, one), after, Place(len(after), rank, "start" if late else "")
        if not late and len(same) < 2 and any(level.rank >= rank for level in stack):
            price = (_NESTED if same else _INVERTED) + 4 * _UNANNOUNCED * (not one.announced)
            after = (*stack, _Open(rank, value, 1))
            yield cost + price, after, Place(len(after), rank)


def _opening(stack: tuple[_Open, ...], depth: int, rank: int, one: Paragraph) -> float:
    """What it costs to begin a list below the first `depth` open levels, beyond its own value."""
    cost = _UNANNOUNCED * (not one.announced)
    if depth < len(stack):  # a list hardly begins outside one that is still open
        cost += _BACKWARD + _lonely(stack[depth:])
    if not depth:
        return cost + 0.1 * (rank > 2)
    return cost + _SKIPPED * max(0.0, rank - stack[depth - 1].rank - 1)


def _lead_ins(stack: tuple[_Open, ...]) -> Iterator[_Move]:
    """A second list of one level may hang on a lead-in of its own."""
    for depth in range(len(stack)):
        outer = stack[depth - 1].rank if depth else 0.0
        if outer % 1:
            continue  # a lead-in never stands under another
        after = (*stack[:depth], _Open(outer + 0.5, (0, 0), 2))
        yield _LEAD_IN + _lonely(stack[depth:]), after, Place(depth + 1, 0)


def _sequel(before: tuple[int, int], value: tuple[int, int]) -> tuple[float, str]:
    if value in ((before[0] + 1, 0), (before[0], before[1] + 1)):
        return 0.0, ""
    if value <= before:
        return (_REPEATED if value == before else _BACKWARD), "repeat"
    return _GAP + 0.3 * min(value[0] - before[0] - 1, 10), "gap"


def _lonely(levels: Sequence[_Open]) -> float:
    return _LONELY * sum(level.size == 1 for level in levels)
