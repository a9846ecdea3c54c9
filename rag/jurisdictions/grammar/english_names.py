"""Law of a country that is cited in English, though it is not written in it: "section 433 of the German Civil Code".

A grammar gives the English names of its laws; what is cited comes back as number and path, for the grammar to write
in its own way. Only for whole strings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rag.law.designators import Path, read_designators
from rag.law.patterns import lazy

_WORD = r"(?P<word>articles?|arts?\.?|sections?|secs?\.?|ss?\.?|paragraphs?|paras?\.?|§{1,2})\s?"
_NUMBER = r"(?P<number>(?:[LRD]\.?\s?)?\d{1,4}(?:[a-z]{1,2})?(?:-\d{1,4}){0,4})(?![\w-]|\.\d)"
_FIRST = lazy(rf"{_WORD}{_NUMBER}", re.IGNORECASE)
_JOINT = lazy(r"\s?,?\s(?:of\s)?(?:the\s)?", re.IGNORECASE)
_PARAGRAPH = lazy(r",?\s(?:para(?:graph|\.)?|sub-?s(?:ection|\.)?|no\.)\s\(?(\d{1,3})\)?", re.IGNORECASE)
_GLOSS = lazy(r"\s\(([\w-]{2,12})\)")
_ITEM = lazy(r",?\s(?:item|point|no\.)\s\(?(\w{1,3})\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EnglishCitation:
    """What an English citation of foreign law names. `path` are the units below the number, outermost first."""

    law: str  # as the grammar's own names have it
    number: str
    path: Path


class EnglishNames:
    """The English names of one country's laws.

    Args:
        laws: English name without the country -> the law's own name; in any capitals.
        country: a pattern of the words that say whose law it is before the name, without groups.
        state: a pattern of the same behind the name: `Germany`, `the Federal Republic of Germany`.
        own: names that need no country, since no other country has a law of that name.
    """

    def __init__(self, laws: Mapping[str, str], country: str, state: str, own: Mapping[str, str]) -> None:
        self._laws = {name.casefold(): law for name, law in laws.items()}
        self._own = {name.casefold(): law for name, law in own.items()}
        either = "|".join(_pattern(name) for name in sorted({*laws, *own}, key=len, reverse=True))
        self._name = lazy(
            rf"(?:(?P<country>{country})\s)?(?P<name>{either})(?:\s(?:of|for)\s(?:the\s)?(?P<state>{state}))?(?![\w-])",
            re.IGNORECASE,
        )

    def citation(self, reference: str) -> EnglishCitation | None:
        """What a whole string cites; None where it is no English citation of this country's law."""
        text = " ".join(reference.split()).rstrip(" .,;?")
        if first := _FIRST.match(text):
            path, end = _path(text, first.end())
            joint = _JOINT.match(text, end)
            law = self._named(text, joint.end()) if joint else None
            return EnglishCitation(law[0], first["number"], path) if law and law[1] == len(text) else None
        law = self._named(text, 0)
        joint = _JOINT.match(text, law[1]) if law else None
        last = _FIRST.match(text, joint.end()) if joint else None
        if law is None or last is None:
            return None
        path, end = _path(text, last.end())
        return EnglishCitation(law[0], last["number"], path) if end == len(text) else None

    def _named(self, text: str, at: int) -> tuple[str, int] | None:
        match = self._name.match(text, at)
        if match is None:
            return None
        name = " ".join(match["name"].split()).casefold()
        said = match["country"] or match["state"]
        law = (self._laws.get(name) if said else None) or self._own.get(name)
        if law is None:
            return None
        gloss = _GLOSS.match(text, match.end())
        # "the German Civil Code (BGB)": the bracket says the same.
        return law, gloss.end() if gloss and gloss[1].casefold() == law.casefold() else match.end()


def _pattern(name: str) -> str:
    return re.escape(name).replace(r"\ ", r"\s")


def _path(text: str, at: int) -> tuple[Path, int]:
    """The units below a number: "(1)(a)", ", paragraph 2", ", item 3"."""
    path, end = read_designators(text, at)
    if not path and (paragraph := _PARAGRAPH.match(text, end)):
        path, end = (paragraph[1],), paragraph.end()
    if path and (item := _ITEM.match(text, end)):
        path, end = (*path, item[1]), item.end()
    return path, end
