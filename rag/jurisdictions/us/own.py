"""What codes are called: by others, and how their own sections speak of them: "the Revised Code", "RCW 59.18.030"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

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
        title: of the corpus.
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
def starts_with_own(starts: re.Pattern[str], title: str) -> re.Pattern[str]:
    """Where references begin in a code that calls itself by the initials of its title."""
    initials = own_initials(title)
    if initials is None:
        return starts
    return re.compile(rf"{starts.pattern}|(?P<own>(?-i:{initials.pattern})\s(?:§{{1,2}}\s?)?)(?=\d)", re.IGNORECASE)
