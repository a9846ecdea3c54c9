"""The sentences of a text in which scope phrases stand, and what such a phrase says."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from rag.law.patterns import lazy

_SENTENCE_END = lazy(
    r"(?<=[.;:])(?<!\b[A-Z]\.)(?<!\bNo\.)(?<!\bno\.)(?<!\be\.g\.)(?<!\bi\.e\.)[\"”)]?\s+(?=[A-Z“\"(\[])|\n"
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The nodes that a definition governs. `inferred` where position and not a phrase says so."""

    urns: tuple[str, ...]
    phrase: str = ""
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """A span of a node's text that may hold a scope phrase: sentences, or what is between term and verb.

    `adjacent`: only words right before the term count, since the meaning of another is before them.
    """

    start: int
    end: int
    sentence: bool
    adjacent: bool = False


@lru_cache(maxsize=64)  # one paragraph's sentences are asked for once for each term it defines
def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Character spans of the sentences of a text; a line break ends one, a list's lead-in is one."""
    starts = [0]
    ends: list[int] = []
    for match in _SENTENCE_END.finditer(text):
        ends.append(match.start())
        starts.append(match.end())
    ends.append(len(text))
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start < end)


def sentence_at(text: str, position: int) -> tuple[int, int]:
    """The span of the sentence at an offset; between two sentences the one before, the whole text where none is."""
    spans = sentence_spans(text)
    found = bisect_right(spans, position, key=lambda span: span[0])
    return spans[found - 1] if found else (0, len(text))
