"""What changed between two texts, word by word. Pure.

Clauses are aligned first and words only inside what differs, so that a long provision costs little and a changed
sentence is not explained by words of its neighbours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from retrieval.model import Record

SpanOp = Literal["equal", "insert", "delete", "replace"]
# Passages in which more pairs of pieces are equal are shown as replaced whole: aligning them costs that much and more.
MOST_PAIRS = 100_000
FEW_WORDS = 3

_CLAUSE = re.compile(r"[^.;:!?。；\n]*[.;:!?。；\n]+\s*|[^.;:!?。；\n]+")
# Scripts that are written without spaces count by the character.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"\s+|[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+|[^\w\s]")


class TextSpan(Record):
    """A piece of two texts. All `from_text` joined are the earlier text, all `to_text` the later one."""

    op: SpanOp
    from_text: str  # empty for `insert`
    to_text: str  # empty for `delete`


def word_spans(before: str, after: str) -> list[TextSpan]:
    """The differences of two texts in reading order, equal pieces included.

    The spans of (after, before) are those of (before, after) with the sides exchanged.

    Args:
        before: the earlier text.
        after: the later text.

    Returns:
        Spans, coarse where texts are huge and alike everywhere (`MOST_PAIRS`); of two neighbours one is equal and the
        other changed. No span for two empty texts.
    """
    if (len(after), after) < (len(before), before):  # the matcher breaks ties by its first side
        return [_turned(one) for one in _spans(after, before)]
    return _spans(before, after)


def similarity(spans: Sequence[TextSpan]) -> float:
    """The share of the characters of two texts that stand in equal spans, 0 to 1; 1 for equal texts only."""
    total = sum(len(one.from_text) + len(one.to_text) for one in spans)
    kept = sum(2 * len(one.from_text) for one in spans if one.op == "equal")
    return 10_000 * kept // total / 10_000 if total else 1.0


def _turned(span: TextSpan) -> TextSpan:
    turned: dict[SpanOp, SpanOp] = {"insert": "delete", "delete": "insert"}
    return TextSpan(op=turned.get(span.op, span.op), from_text=span.to_text, to_text=span.from_text)


def _spans(before: str, after: str) -> list[TextSpan]:
    pieces: list[tuple[str, str]] = []
    for old, new in _aligned(_CLAUSE.findall(before), _CLAUSE.findall(after)):
        if old == new or not old or not new:
            pieces.append((old, new))
        else:
            pieces.extend(_aligned(_TOKEN.findall(old), _TOKEN.findall(new)))
    return _joined(pieces)


def _aligned(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of pieces, equal or not, that make up both sides."""
    start = _common(before, after)
    end = _common(reversed(before[start:]), reversed(after[start:]))
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    yield "".join(before[:start]), "".join(after[:start])
    counts = Counter(one for one in new if not one.isspace())
    if sum(counts[one] for one in old) > MOST_PAIRS:
        yield "".join(old), "".join(new)
    else:
        # White space alone aligns nothing: it stands everywhere.
        for _, low, high, new_low, new_high in SequenceMatcher(str.isspace, old, new, autojunk=False).get_opcodes():
            yield "".join(old[low:high]), "".join(new[new_low:new_high])
    yield "".join(before[len(before) - end :]), "".join(after[len(after) - end :])


def _common(before: Iterable[str], after: Iterable[str]) -> int:
    """How many pieces two sides have in common at their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _joined(pieces: Sequence[tuple[str, str]]) -> list[TextSpan]:
    """Spans of alternating kind.

    Equal words between two changes join them where they are a blank or a comma, or few words inside much that changed:
    nobody reads those by themselves.
    """
    runs = _alternating(pieces)
    out: list[list[str]] = []
    for position, (old, new) in enumerate(runs):
        between = old == new and 0 < position < len(runs) - 1
        joins = _too_little(old, out[-1], runs[position + 1]) if between else bool(out) and old != new
        if joins and out[-1][0] != out[-1][1]:
            out[-1] = [out[-1][0] + old, out[-1][1] + new]
        else:
            out.append([old, new])
    return [_span(old, new) for old, new in out]


def _alternating(pieces: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Neighbouring pieces of one kind as one: equal ones, and changed ones."""
    runs: list[list[str]] = []
    for old, new in pieces:
        if not old and not new:
            continue
        if runs and (runs[-1][0] == runs[-1][1]) == (old == new):
            runs[-1] = [runs[-1][0] + old, runs[-1][1] + new]
        else:
            runs.append([old, new])
    return runs


def _too_little(equal: str, before: Sequence[str], after: Sequence[str]) -> bool:
    if not any(char.isalnum() for char in equal):
        return True
    return len(equal.split()) <= FEW_WORDS and all(len(equal.strip()) < max(map(len, one)) for one in (before, after))


def _span(old: str, new: str) -> TextSpan:
    op: SpanOp = "equal" if old == new else "replace" if old and new else "delete" if old else "insert"
    return TextSpan(op=op, from_text=old, to_text=new)
