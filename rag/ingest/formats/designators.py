"""Which paragraphs of a section are children of which, decided from their designators alone: (a), (1), (i), (A).

The Code of Federal Regulations prints its paragraph levels as plain text. One designator can be read in several ways:
`(i)` is the letter after `(h)` or the first Roman numeral, `(1)` may go on with a list or open one. `outline` reads a
whole section at once and takes the reading with the fewest breaks of sequence, so what follows decides as well as what
went before. The costs below only rank readings; a reading without any break always wins over one with a break.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar, cast

from retrieval.roman import roman_value

Step_ = TypeVar("Step_")
Stack = TypeVar("Stack", bound=tuple[object, ...])
Placed = TypeVar("Placed")

BEAM = 32
_HOPELESS = 12.0  # a reading this much worse than the best so far is given up
MOST_ROMAN = 100
_NEXT_STYLE = {"a": "1", "1": "i", "i": "A", "A": "1", "I": "A"}
_LABEL = re.compile(r"(\d{1,3}|[a-z]{1,7}|[A-Z]{1,7})(?:-(\d{1,2}))?\Z")

# Costs of readings, in units of "one missing designator is 3".
_GAP, _GAP_STEP, _GAP_MOST = 3.0, 0.3, 8.0
_REPEATED = 7.0
_BACKWARD = 7.5
_LATE_START, _LATE_STEP, _LATE_MOST = 6.0, 0.5, 12.0
_LONELY = 1.5  # a list of one item
_UNANNOUNCED = 0.6  # a list opens though the words before it do not end in a colon or dash
_UNANSWERED = 1.5  # they do, and none opens
_ODD_STYLE = 1.5  # another style than the one that usually follows
_SAME_STYLE = 8.0  # letters below letters, in one typeface
_SHIFT = 1.0  # a typeface that differs from the rest of the list
_OUTWARD = 0.05  # breaks ties: a list goes on rather than one further out


@dataclass(frozen=True, slots=True)
class Designator:
    """One printed designator. `label` is without brackets; `last` ends a range (`(d)-(e)`), else it equals `label`.

    `refuse` is what reading it as plain text costs; `mark` tells families apart that never mix (`1.` and `(1)`).
    """

    label: str
    last: str = ""
    italic: bool = False
    refuse: float = 8.0
    mark: str = "()"
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One paragraph: its designators in order, each deeper than the one before; a definition is above its own.

    `announced` says that the words before this paragraph end in a colon or a dash.
    """

    designators: tuple[Designator, ...] = ()
    definition: bool = False
    announced: bool = False
    introduces: bool = False  # a paragraph without designator that itself ends in a colon or a dash


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a paragraph, or a part of it, stands: `depth` 1 is directly under the section.

    `index` is the designator's in its step, -1 where the paragraph itself opens the level (a definition, or a
    lead-in that a list hangs on). `anomaly` is empty, `gap`, `repeat` or `start` (a list that does not begin at its
    beginning).
    """

    index: int
    depth: int
    anomaly: str = ""


class _Level(NamedTuple):
    style: str
    italic: bool
    value: tuple[int, int]
    size: int


@dataclass(slots=True)
class _State(Generic[Stack, Placed]):
    cost: float
    stack: Stack
    parent: _State[Stack, Placed] | None = None
    placed: Placed | None = None


def cheapest(
    steps: Iterable[Step_],
    moves: Callable[[Stack, Step_], Iterable[tuple[float, Stack, Placed]]],
    ending: Callable[[Stack], float],
    empty: Stack,
    *,
    beam: int,
    hopeless: float,
) -> list[Placed]:
    """How each step is placed in the reading of all of them that costs least.

    Args:
        moves: what a step may do to a stack of open levels: the cost, the stack after it, where the step then is.
        ending: what it costs to end with a stack.
        empty: the stack before the first step.
        beam: readings that are followed at once, of different stacks.
        hopeless: a reading this much worse than the best so far is given up.
    """
    states = [_State[Stack, Placed](0.0, empty)]
    for step in steps:
        following: dict[Stack, _State[Stack, Placed]] = {}
        for state in states:
            for cost, stack, placed in moves(state.stack, step):
                known = following.get(stack)
                if known is None or state.cost + cost < known.cost:
                    following[stack] = _State(state.cost + cost, stack, state, placed)
        # Sorting is stable and the moves are generated in a fixed order, so equal costs never depend on chance.
        states = sorted(following.values(), key=lambda state: state.cost)[:beam]
        states = [state for state in states if state.cost <= states[0].cost + hopeless]
    current = min(states, key=lambda state: state.cost + ending(state.stack))
    out: list[Placed] = []
    while current.parent is not None:
        out.append(cast("Placed", current.placed))
        current = current.parent
    return out[::-1]


@lru_cache(maxsize=4096)
def readings(label: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    """Every (style, value) that a label can stand for; empty where it is no designator.

    Styles are `1`, `a`, `A`, `i`, `I`; a value is the ordinal and what follows a hyphen (`a-1` is (1, 1)). Letters go
    on after z as aa, bb or as aa, ab.
    """
    match = _LABEL.match(label)
    if not match:
        return ()
    stem, extra = match[1], int(match[2] or 0)
    if stem.isdigit():
        return (("1", (int(stem), extra)),) if int(stem) else ()
    upper = stem.isupper()
    found: list[tuple[str, tuple[int, int]]] = []
    position = ord(stem[0].lower()) - ord("a") + 1
    if len(set(stem)) == 1 and len(stem) <= 4:
        found.append(("A" if upper else "a", (26 * (len(stem) - 1) + position, extra)))
    if len(stem) == 2:
        spread = (26 * position + ord(stem[1].lower()) - ord("a") + 1, extra)
        if ("A" if upper else "a", spread) not in found:
            found.append(("A" if upper else "a", spread))
    roman = roman_value(stem, MOST_ROMAN)
    if roman is not None:
        found.append(("I" if upper else "i", (roman, extra)))
    return tuple(found)


def outline(steps: Sequence[Step]) -> list[tuple[Placement, ...]]:
    """Place every paragraph of a section.

    Returns:
        For each paragraph its placements, one a designator that was accepted, outermost first; empty where the
        paragraph opens no level and stands where the one before stood.
    """
    return cheapest(steps, _moves, _lonely, (), beam=BEAM, hopeless=_HOPELESS)


_Move = tuple[float, tuple[_Level, ...], tuple[Placement, ...]]


def _moves(stack: tuple[_Level, ...], step: Step) -> Iterator[_Move]:
    if step.definition or not step.designators:
        for cost, after, placed in _plain_moves(stack, step):
            yield from _chain(cost, after, placed, step.designators if placed else ())
        return
    first, rest = step.designators[0], step.designators[1:]
    # A refused designator leaves the paragraph as plain text.
    yield first.refuse, stack, ()
    for cost, after, anomaly in _first_moves(stack, first, announced=step.announced):
        yield from _chain(cost, after, (Placement(0, len(after), anomaly),), rest)


def _chain(
    cost: float, stack: tuple[_Level, ...], placed: tuple[Placement, ...], rest: tuple[Designator, ...]
) -> Iterator[_Move]:
    """The designators after the first of one paragraph: each opens a level below the one before, or is plain text."""
    yield cost + (rest[0].refuse if rest else 0.0), stack, placed
    if rest:
        for more, after, anomaly in _openings(stack, rest[0]):
            step = Placement(placed[-1].index + 1, len(after), anomaly)
            yield from _chain(cost + more, after, (*placed, step), rest[1:])


def _plain_moves(stack: tuple[_Level, ...], step: Step) -> Iterator[_Move]:
    if step.definition:
        for depth, level in enumerate(stack):
            if level.style == "def":
                after = (*stack[:depth], _Level("def", False, (0, 0), 2))
                yield _lonely(stack[depth + 1 :]), after, (Placement(-1, depth + 1),)
        for depth in range(len(stack) + 1):
            if depth and stack[depth - 1].style == "def":
                continue
            cost = (
                0.0
                if depth == len(stack) and (step.announced or not stack)
                else 1.0
                if depth in (0, len(stack))
                else 3.0
            )
            after = (*stack[:depth], _Level("def", False, (0, 0), 2))
            yield cost + _lonely(stack[depth:]), after, (Placement(-1, depth + 1),)
        return
    yield 0.0, stack, ()
    if stack and step.introduces:
        # A second list of one section may hang on a lead-in of its own.
        yield 1.0 + _lonely(stack), (_Level("p", False, (0, 0), 2),), (Placement(-1, 1),)


def _first_moves(
    stack: tuple[_Level, ...], designator: Designator, *, announced: bool
) -> Iterator[tuple[float, tuple[_Level, ...], str]]:
    for cost, after, anomaly in _openings(stack, designator):
        yield (
            cost + (0.0 if announced or not stack or stack[-1].style in ("def", "p") else _UNANNOUNCED),
            after,
            anomaly,
        )
    closing = 0.0
    for depth in range(len(stack) - 1, -1, -1):
        level = stack[depth]
        for style, value, last in _values(designator.label, designator.last, designator.mark):
            if style != level.style:
                continue
            cost, anomaly = _sequel(level.value, value)
            cost += closing + _OUTWARD * (len(stack) - 1 - depth)
            cost += _SHIFT * (designator.italic != level.italic) + _UNANSWERED * announced
            yield cost, (*stack[:depth], _Level(style, level.italic, last, level.size + 1)), anomaly
        closing += _lonely((level,))


def _openings(stack: tuple[_Level, ...], designator: Designator) -> Iterator[tuple[float, tuple[_Level, ...], str]]:
    """Every way in which a designator begins a list below the innermost open level."""
    for style, value, last in _values(designator.label, designator.last, designator.mark):
        late = value[0] - 1
        cost = min(_LATE_START + _LATE_STEP * late, _LATE_MOST) if late or value[1] else 0.0
        cost += _style_cost(stack, style, italic=designator.italic)
        yield cost, (*stack, _Level(style, designator.italic, last, 2 if last != value else 1)), "start" if late else ""


@lru_cache(maxsize=4096)
def _values(label: str, last: str, mark: str) -> tuple[tuple[str, tuple[int, int], tuple[int, int]], ...]:
    """Every (style, first value, last value) of a designator or range."""
    ends = dict(readings(last or label))
    return tuple(
        (style if mark == "()" else style + mark, value, max(value, ends.get(style, value)))
        for style, value in readings(label)
    )


def _sequel(before: tuple[int, int], value: tuple[int, int]) -> tuple[float, str]:
    if value == (before[0] + 1, 0) or value == (before[0], before[1] + 1):
        return 0.0, ""
    if value == before:
        return _REPEATED, "repeat"
    if value < before:
        return _BACKWARD, "repeat"
    return min(_GAP + _GAP_STEP * (value[0] - before[0] - 1), _GAP_MOST), "gap"


def _style_cost(stack: tuple[_Level, ...], style: str, *, italic: bool) -> float:
    lists = [level for level in stack if level.style not in ("def", "p")]
    base = style[0]
    if not lists or lists[-1] is not stack[-1]:  # a definition or a lead-in starts its lists afresh
        return 0.0 if base == "a" else 0.3 if base == "1" else 1.0
    expected = _NEXT_STYLE[lists[-1].style[0]]
    if base != expected and any(level.style == style and level.italic == italic for level in lists):
        return _SAME_STYLE
    # Below (A) the Code prints the numerals in italics; many publishers lose the typeface.
    deep = len(lists) >= 4 or lists[-1].style[0] == "A"
    shifted = italic and not deep and not lists[-1].italic
    return (0.0 if base == expected else _ODD_STYLE) + 0.5 * (deep and not italic) + _SHIFT * shifted


def _lonely(levels: tuple[_Level, ...]) -> float:
    return _LONELY * sum(level.size == 1 for level in levels)
