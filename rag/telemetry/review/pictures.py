"""Pictures of law as SVG: pure functions of records, with a title and a text for those who do not see them.

Colours and type come from the style sheet by class; text is escaped, and is between tags only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup, escape

from rag.telemetry.review.unseen import visible

WIDTH = 960  # of every picture, in its own units; the page scales it
ROW = 32
_CUT = 62  # characters of a label
_END = Markup(' text-anchor="end"')


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time: `start` None: it began before all that is shown; `end` None: no end is known."""

    start: date | None
    end: date | None
    kind: str  # a class: version, here, halt, warn


@dataclass(frozen=True, slots=True)
class Lane:
    """Stretches of time that are drawn on one line, under their words."""

    label: str
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A line of a tree; `depth` from 0, no deeper than its predecessor's by more than one."""

    depth: int
    label: str
    note: str
    kind: str  # a class: role-rule, role-definition ...
    href: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one label on the left to one on the right."""

    left: str
    right: str
    note: str
    kind: str


def timeline(title: str, lanes: Sequence[Lane], marks: Sequence[tuple[date, str]] = ()) -> Markup:
    """Spans on one scale, a lane each, with days marked; the words are the page's own, so that they wrap.

    Args:
        title: what the picture shows, for a screen reader.
        lanes: what lasted, each with its words.
        marks: days to draw a line at, each with a word.
    """
    spans = [span for lane in lanes for span in lane.spans]
    days = sorted({day for span in spans for day in (span.start, span.end) if day} | {day for day, _ in marks})
    if not days:
        return Markup("")
    first, last = days[0].toordinal(), days[-1].toordinal()
    margin = max((last - first) // 12, 180)
    low, high = first - margin, last + margin

    def at(day: date | None, otherwise: float) -> float:
        """Where a day is, in hundredths of the width."""
        return otherwise if day is None else (day.toordinal() - low) * 100 / (high - low)

    lines = Markup("").join(
        Markup('<line class="mark" x1="{0:.1f}%" y1="0" x2="{0:.1f}%" y2="16"></line>').format(at(day, 0))
        for day, _ in marks
    )
    out = Markup()
    for lane in lanes:
        drawn = Markup("").join(
            Markup('<rect class="span {}" x="{:.1f}%" y="4" width="{:.1f}%" height="7" rx="2"></rect>').format(
                _word(span.kind), at(span.start, 0), max(at(span.end, 100) - at(span.start, 0), 0.3)
            )
            for span in lane.spans
        )
        out += Markup('<p>{}</p><svg class="lane" aria-hidden="true">{}{}</svg>').format(
            escape(visible(lane.label)), lines, drawn
        )
    for day, word in marks:
        x = at(day, 0)
        out += Markup('<svg class="lane" aria-hidden="true"><text x="{:.1f}%" y="13"{}>{}</text></svg>').format(
            x, _END if x > 50 else "", _label(word)
        )
    return Markup('<figure class="times"><figcaption class="unshown">{}</figcaption>{}</figure>').format(title, out)


def tree(title: str, nodes: Sequence[TreeNode]) -> Markup:
    """An indented tree, a line for each node, its role as a coloured edge and in words."""
    if not nodes:
        return Markup("")
    out = Markup()
    above: list[int] = []  # rows of the last node at each depth
    for row, node in enumerate(nodes):
        x, y = 10 + node.depth * 26, row * ROW + 4
        del above[node.depth :]
        if above:
            parent = above[-1]
            out += Markup('<path class="branch" d="M{0} {1}V{2}H{3}"></path>').format(
                10 + (len(above) - 1) * 26 + 6, parent * ROW + 26, y + 11, x
            )
        above += [row] * (node.depth + 1 - len(above))
        said = Markup('<rect class="edge {}" x="{}" y="{}" width="5" height="22"></rect>').format(
            _word(node.kind), x, y
        ) + Markup('<text x="{}" y="{}">{} <tspan class="note">{}</tspan></text>').format(
            x + 12, y + 16, _label(node.label), _label(node.note)
        )
        out += Markup('<a href="{}">{}</a>').format(node.href, said) if node.href else said
    return _picture(title, out, len(nodes) * ROW + 8)


def arrows(title: str, pairs: Sequence[Arrow], between: str) -> Markup:
    """Who stands against whom: each label on the left once, with an arrow to each of its own on the right.

    Args:
        title: what the picture shows, for a screen reader.
        between: what an arrow says, `shadows` or `cites`.
    """
    lefts, rights = (
        list(dict.fromkeys(side)) for side in ((pair.left for pair in pairs), (pair.right for pair in pairs))
    )
    rows = max(len(lefts), len(rights))
    spread = {
        side: {name: 14 + (at + 0.5) * rows * ROW / len(names) for at, name in enumerate(names)}
        for side, names in (("left", lefts), ("right", rights))
    }
    out = Markup()
    for pair in pairs:
        y1, y2 = spread["left"][pair.left], spread["right"][pair.right]
        out += Markup('<path class="arrow {}" d="M{} {:.1f}C{} {:.1f} {} {:.1f} {} {:.1f}"></path>').format(
            _word(pair.kind), 400, y1, 450, y1, 480, y2, 530, y2
        )
        out += Markup('<path class="head {0}" d="M530 {1:.1f}l-8 -4v8z"></path>').format(_word(pair.kind), y2)
    for name, y in spread["left"].items():
        out += Markup('<text x="392" y="{:.1f}" text-anchor="end">{}</text>').format(y + 5, _label(name, 48))
    notes = {pair.right: pair.note for pair in pairs}
    for name, y in spread["right"].items():
        out += Markup('<text x="538" y="{:.1f}">{} <tspan class="note">{}</tspan></text>').format(
            y + 5, _label(name, 40), _label(notes[name], 16)
        )
    if not pairs:
        return Markup("")
    out += Markup('<text class="note" x="465" y="12" text-anchor="middle">{}</text>').format(between)
    return _picture(title, out, rows * ROW + 22)


def neighbourhood(title: str, citing: Sequence[str], cited: Sequence[tuple[str, str]]) -> Markup:
    """A provision in the middle, who cites it on the left, and what it cites on the right; empty without either.

    Args:
        title: what the picture shows, for a screen reader.
        citing: URNs.
        cited: URNs or words of references, each with the kind of relation.
    """
    lefts = list(dict.fromkeys(citing))
    rights = dict(cited)
    rows = max(len(lefts), len(rights))
    if not rows:
        return Markup("")
    middle = rows * ROW / 2 + 6
    out = Markup('<circle class="here" cx="480" cy="{:.1f}" r="9"></circle>').format(middle)
    for at, name in enumerate(lefts):
        y = 6 + (at + 0.5) * rows * ROW / len(lefts)
        out += Markup('<text x="380" y="{:.1f}" text-anchor="end">{}</text>').format(y + 5, _label(name, 46))
        out += Markup('<path class="arrow" d="M388 {0:.1f}C430 {0:.1f} 430 {1:.1f} 468 {1:.1f}"></path>').format(
            y, middle
        )
    for at, (name, kind) in enumerate(rights.items()):
        y = 6 + (at + 0.5) * rows * ROW / len(rights)
        out += Markup('<text x="580" y="{:.1f}">{} <tspan class="note">{}</tspan></text>').format(
            y + 5, _label(name, 34), _label(kind, 14)
        )
        out += Markup('<path class="arrow" d="M492 {1:.1f}C530 {1:.1f} 530 {0:.1f} 572 {0:.1f}"></path>').format(
            y, middle
        )
    return _picture(title, out, rows * ROW + 12)


def _picture(title: str, inside: Markup, height: int) -> Markup:
    return Markup(
        '<div class="scroll" role="region" aria-label="{0}" tabindex="0">'
        '<svg class="picture" viewBox="0 0 {1} {2}" role="{4}" aria-label="{0}">{3}</svg></div>'
    ).format(title, WIDTH, height, inside, "group" if "<a " in inside else "img")


def _label(text: str, cut: int = _CUT) -> Markup:
    return escape(visible(text if len(text) <= cut else f"{text[: cut - 1].rstrip()}…"))


def _word(kind: str) -> str:
    """A class; anything else than small letters and hyphens is dropped."""
    return "".join(char for char in kind if char.islower() or char == "-")
