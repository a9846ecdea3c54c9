"""Law of the states without a grammar of their own: which state a citation is of, and the number of its section.

A code is the state's name, words that begin with a capital, and one that says that it is law: "Cal. Civ. Code",
"N.Y. Penal Law", "Wash. Rev. Code Ann."; or it is its initials: "RCW", "O.C.G.A.". What code of the state that is, no
URN scheme says; where the store has law of that state, its sections of this number are candidates.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

_LAW = r"(?:Code|Stat(?:utes?|s)?\b\.?|Laws?\b|Leyes|Act|Const(?:itution|\b\.?)|CPLR|C\.P\.L\.R\.)"
_WORD = r"[A-Z][\w.&'’-]{0,14}"
_SUBJECT = rf"(?:,\s{_WORD}(?:\s(?:&\s)?{_WORD}){{0,3}})?"  # "Md. Code Ann., Real Prop. § 8-203"
_TAIL = (
    rf"(?:\s(?:and\s)?{_WORD}){{0,4}}{_SUBJECT}"
    r"(?:\s\((?:West|Vernon|Lexis|LexisNexis|McKinney|Consol\.?)(?:\s\d{4})?\))?"
)
_TITLE = r"(?:,?\s(?:tit|ch|art)\.\s[\dA-Z-]{1,6})?"
_SIGN = r"(?:§{1,2}\s?|[Ss]ec(?:tions?|s?\.)\s)"
_ARTICLE = r"(?:[Aa]rt(?:icle|\.)?\s)"
_NUMBER = r"\d{1,6}[A-Za-z]{0,2}(?:(?:[.:/-]|\s/\s)\d{1,6}[A-Za-z]{0,3}){0,4}"
_PARTS = r"(?:\s?\(\w{1,5}\)){0,6}"


class _State(NamedTuple):
    code: str
    name: str


class _Table(NamedTuple):
    named: str  # pattern of a code by the state's name and words
    initials: str
    numbered: str  # after the number of a title
    states: dict[str, list[_State]]  # by what is before, letters alone


@cache
def _table() -> _Table:
    rows = tomllib.loads((Path(__file__).parent / "states.toml").read_text(encoding="utf-8"))["state"]
    states: dict[str, list[_State]] = {}
    patterns: dict[str, list[str]] = {"names": [], "initials": [], "numbered": []}
    for row in rows:
        for column, found in patterns.items():
            for words in row.get(column, ()):
                found.append(_loosely(words))
                states.setdefault(_letters(words), []).append(_State(row["code"], row["names"][0]))
    names, initials, numbered = ("|".join(sorted(pattern, key=len, reverse=True)) for pattern in patterns.values())
    return _Table(
        rf"\b(?:{names})\s(?:{_WORD}\s(?:and\s|&\s|of\s)?){{0,5}}{_LAW}{_TAIL}{_TITLE}",
        rf"\b(?:{initials})(?!\w)", rf"(?<![\w.])\d{{1,3}}\s(?:{numbered})(?!\w){_TAIL}", states,
    )  # fmt: skip


def _loosely(words: str) -> str:
    """A pattern of an abbreviation with or without its full stops and the spaces between."""
    plain = re.escape(words).replace(r"\ ", r"\s?" if "." in words else r"\s")
    return re.sub(r"\\\.", r"\\.?\\s?", plain).removesuffix(r"\s?")


def _letters(words: str) -> str:
    return "".join(char for char in words.casefold() if char.isalpha())


def state_externals() -> tuple[str, ...]:
    """Patterns of such citations in a running text, where the number has a section sign or is no plain one."""
    table = _table()
    pointed = r"(?=\d{1,6}[A-Za-z]{0,2}[.:/-]\d)"
    return tuple(
        rf"(?-i:{before},?\s(?:{_SIGN}|{pointed}){_NUMBER}{_PARTS})"  # capitals tell a code from other words
        for before in (table.named, table.initials, table.numbered)
    )


@cache
def _whole() -> re.Pattern[str]:
    table = _table()
    before = "|".join((table.named, table.initials, table.numbered))
    return re.compile(
        rf"(?P<code>(?:\d{{1,3}}\s)?(?:{before})),?\s(?:{_SIGN}|{_ARTICLE})?(?P<number>{_NUMBER}){_PARTS}(?:\s\(\d{{4}}\))?\s?\.?\Z"
    )


def state_queries(reference: str) -> list[TagQuery]:
    """What a string that is a citation of a state's law may mean; never certain."""
    match = _whole().match(reference)
    if match is None:
        return []
    code = re.sub(r"^\d{1,3}\s", "", match["code"])
    known = _table().states
    words = code.split()
    said = (_letters("".join(words[:end])) for end in range(len(words), 0, -1))
    of = next((known[text] for text in said if text in known), list[_State]())
    return [
        TagQuery(
            language="en", kind="legislation",
            tag_filters=TagFilterSet((
                TagFilter("jurisdiction", TagFilterOp.EQ, state.code),
                TagFilter("section_number", TagFilterOp.EQ, match["number"]),
            )),
            hint=f"section of this number in law of {state.name}, cited as {code}",
        )
        for state in of
    ]  # fmt: skip
