"""What a search query says beside its words: `"an exact phrase"`, `-exclude`, `-"a phrase"`, `a OR b`, `a AND b`.

OR and AND are operators in capitals between two words only, since people write `or` in plain questions; in a query
all in capitals they are words. OR binds closer than AND: `a AND b OR c` wants a, and b or c. Words without an operator
are not required, they rank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_TOKEN = re.compile(r'(?P<minus>(?<!\S)-(?=["“]?\w))?(?:["“](?P<phrase>[^"“”]+)["”]|(?P<word>[^\s"“”]+|["“”]))')
MAX_OPERANDS = 20  # required and excluded ones together; further ones are words, which a warning says


@dataclass(frozen=True, slots=True)
class Syntax:
    """A query taken apart."""

    text: str  # what is ranked by: everything but what is excluded, without operators
    required: tuple[tuple[str, ...], ...] = ()  # each group by any of its words or phrases
    excluded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    quoted: frozenset[str] = frozenset()  # required phrases that no operator joins: people quote in plain questions too


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    phrase: bool = False
    minus: bool = False

    @property
    def operator(self) -> str:
        return self.text if not self.phrase and not self.minus and self.text in ("OR", "AND") else ""


def parse_syntax(query: str) -> Syntax:
    """Take a query apart. Never fails: what is no operator is a word. Linear in the query's length."""
    tokens = [
        _Token(match["phrase"] or match["word"], match["phrase"] is not None, match["minus"] is not None)
        for match in _TOKEN.finditer(query)
    ]
    shouted = query.upper() == query  # OR and AND are no capitals among capitals
    words: list[str] = []
    required: list[list[str]] = []
    quoted: set[str] = set()
    excluded: list[str] = []
    joined = ""  # the operator between the last operand and the next
    last: _Token | None = None
    for position, one in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        if _is_operator(one, last, following) and not shouted:
            joined = one.operator
            continue
        if one.minus:
            if joined == "AND" and last is not None:
                required.append([_bare(last.text)])
            excluded.append(_bare(one.text))
            last, joined = None, ""
            continue
        words.append(one.text)
        if joined == "OR" and last is not None:
            if not required or required[-1][-1] != _bare(last.text):
                required.append([_bare(last.text)])
            required[-1].append(_bare(one.text))
        elif joined == "AND" and last is not None:
            if not required or required[-1][-1] != _bare(last.text):
                required.append([_bare(last.text)])
            required.append([_bare(one.text)])
        elif one.phrase:
            required.append([_bare(one.text)])
            quoted.add(_bare(one.text))
        if joined and last is not None:
            quoted -= {_bare(last.text), _bare(one.text)}
        last, joined = one, ""
    groups = tuple(tuple(dict.fromkeys(filter(None, group))) for group in required)
    found = _bounded(" ".join(words), tuple(filter(None, groups)), tuple(dict.fromkeys(filter(None, excluded))))
    return replace(found, quoted=frozenset(filter(None, quoted)))


def _is_operator(one: _Token, last: _Token | None, following: _Token | None) -> bool:
    if last is None or following is None or following.operator:
        return False
    return one.operator == "AND" or (one.operator == "OR" and not following.minus)


def _bare(text: str) -> str:
    """An operand without the punctuation around it; empty where nothing is left."""
    kept = text.strip(" ,.;:!?()[]{}'‘’…")
    return kept if any(char.isalnum() for char in kept) else ""


def _bounded(text: str, required: tuple[tuple[str, ...], ...], excluded: tuple[str, ...]) -> Syntax:
    count = sum(map(len, required)) + len(excluded)
    if count <= MAX_OPERANDS:
        return Syntax(text, required, excluded)
    kept: list[tuple[str, ...]] = []
    room = MAX_OPERANDS
    for group in required:
        if len(group) <= room:
            kept.append(group)
            room -= len(group)
    note = f"syntax: {MAX_OPERANDS} operands applied of {count} in the query; give the others as filters."
    return Syntax(text, tuple(kept), excluded[:room], (note,))
