"""Where words stand in a node, read from the text form of PostgreSQL's tsvector."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_OWN = {"A": 2.0}  # the node's own heading; its own words, which have no letter, count 1
_AROUND = {"B": 1.0, "C": 0.1}  # headings above it, and lead-ins
_WORD = re.compile(r"'([^'\\]*(?:(?:''|\\\\)[^'\\]*)*)'(?::([0-9A-C,]+))?")


class Places(NamedTuple):
    """Where one word stands in a node."""

    own: float  # how often in the node's own words, those of its heading twice
    around: float  # how often around it: in headings above it 1, in lead-ins a tenth
    positions: Sequence[int]  # in its own words, counted through the node's heading and text
    everywhere: Sequence[int]  # the same and, counted on from there, those around it


def read_places(vector: str) -> dict[str, Places]:
    """The words of a tsvector, such as `'deposit':3A,17 'interest':22B`, and where they stand."""
    return {lexeme if lexeme.isalnum() else _plain(lexeme): _places(listed) for lexeme, listed in _WORD.findall(vector)}


@lru_cache(maxsize=1 << 14)  # as many places as a vector has: most words stand once in a node
def _places(listed: str) -> Places:
    own, around = 0.0, 0.0
    inside: list[int] = []
    outside: list[int] = []
    for item in listed.split(","):
        field = item[-1:]
        if field in _AROUND:
            around += _AROUND[field]
            outside.append(int(item[:-1]))
        elif item:
            own += _OWN.get(field, 1.0)
            inside.append(int(item[:-1] if field in _OWN else item))
    return Places(own, around, tuple(inside), (*inside, *outside))


def _plain(lexeme: str) -> str:
    return lexeme if lexeme.isalnum() else lexeme.replace("''", "'").replace("\\\\", "\\")
