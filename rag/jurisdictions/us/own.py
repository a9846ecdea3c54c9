"""What codes are called: by others, and how their own sections speak of them: "the Revised Code", "RCW 59.18.030".

A code of a state without a grammar of its own is the state's name, words that begin with a capital, and one that says
that it is law: "Cal. Civ. Code", "N.Y. Penal Law", "Wash. Rev. Code Ann."; or it is its initials: "RCW", "O.C.G.A.".
What code of the state that is, no URN scheme says; where the store has law of that state, its sections of this number
are candidates.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

_OWN_NAME = re.compile(r"(?:[A-Z][\w.’'&-]*\s)?[A-Z][\w.’'&-]*\s(?:Code|Statutes|Laws)\Z")
_SMALL = frozenset({"of", "the", "and", "for"})
_ABBREVIATED = 2  # words at least, for one letter is no abbreviation


@dataclass(frozen=True, slots=True)
class CodeName:
    """How a family of codes is cited before its numbers ("11 CFR", "D.C. Code").

    `pattern` has no capturing group but `title`, whose text (empty without the group) `corpus` turns into a URN
    prefix, or into an empty string for law without a URN scheme. `alone`: cited without a number it is the whole code.
    `act`: a number after it is a section only with a section sign or word, and its titles may be between.
    """

    pattern: str
    corpus: Callable[[str], str]
    alone: bool = False
    act: bool = False


@lru_cache(maxsize=64)
def own_code(title: str, corpus: str) -> tuple[re.Pattern[str], str] | None:
    """What finds the name by which a code's sections speak of it, and its URN prefix.

    "Revised Code" in the Ohio Revised Code, and the initials of its title: "RCW", "ORS", "C.R.S.", "G.S.".

    Args:
        corpus: its URN prefix, which is given back beside the pattern.
    """
    found = [initials.pattern] if (initials := own_initials(title)) is not None else []
    name = _OWN_NAME.search(title)
    if name is not None:
        *first, word, kind = (re.escape(item) for item in name[0].split())
        shorter = f"(?:{first[0]}\\s)?" if first else ""
        found.append(rf"(?:the\s)?{shorter}{word}\s{kind}(?!\s(?:of|and)\b)(?!\w)")
    return (re.compile("|".join(found)), corpus) if found else None


@lru_cache(maxsize=64)
def own_initials(title: str) -> re.Pattern[str] | None:
    """What finds the initials of a code's title, without those of its first words too: "N.C.G.S." and "G.S."."""
    letters = [word[0] for word in re.findall(r"[^\W\d_]+", title) if word not in _SMALL and word[0].isupper()]
    if len(letters) < _ABBREVIATED or not re.search(r"\b(?:Code|Statutes|Laws)\b", title):
        return None
    optional = ""
    for letter in letters[:-_ABBREVIATED]:
        optional = rf"(?:{optional}{letter}\.?\s?)?"
    return re.compile(
        rf"(?<!\w){optional}" + r"\s?".join(rf"{letter}\.?" for letter in letters[-_ABBREVIATED:]) + r"(?!\w)"
    )


@lru_cache(maxsize=64)
def starts_with_own(starts: re.Pattern[str], title: str, *, coded: bool = False) -> re.Pattern[str]:
    """Where references begin in a code that calls itself by the initials of its title.

    Args:
        coded: whether its sections have numbers that tell by themselves: "TFMC 12.44.340", whatever it is called.
    """
    initials = own_initials(title)
    names = [rf"(?P<own>(?-i:{initials.pattern})\s(?:§{{1,2}}\s?)?(?=\d))"] if initials is not None else []
    if coded:
        names.append(
            r"(?P<numbered>(?:(?-i:\b[A-Z]{2,6})\s(?:§{1,2}\s?)?)?(?=\d{1,3}(?:[.-]\d{1,4}){2,}(?![\d-]|\.\d)))"
        )
    return re.compile("|".join((starts.pattern, *names)), re.IGNORECASE) if names else starts


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
