"""Parts of a provision as the words behind its number name them: "(b)(1)", "Abs. 2 Nr. 3", "alinéa 1er", "III, 1°".

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

from retrieval.errors import InputError
from retrieval.paths import segment
from retrieval.roman import roman_value
from retrieval.tag_query import PART_NAMED, TagQuery, urn_query

BRACKETS = r"\((?!(?:1[6-9]|20)\d\d\))[a-z0-9]{1,4}\)"  # no year of an edition
# A sentence is no part that a store has, so that the whole is found.
SENTENCE = r"satz|s\."
NAMED = r"abs\.|absatz|al\.|alinéas?|nr\.|nummer|lit\.|buchst\.|buchstabe"
IN_ENGLISH = r"para\.|paragraph|subsection"
_GAP = r"(?:(?<=\.)\s?|\s)"  # "Abs.2", and "Absatz 2"
_SPELLINGS = 8  # of one place that are tried


def named_part(units: str) -> str:
    """A pattern for a part that is named by one of some words."""
    name = r"(?:\d{1,3}(?:er|re|ème|[a-z])?|[a-z0-9]{1,4})"
    return rf",?\s(?:{units}){_GAP}(?:{name}(?!\w)|\({name}\))"


# A Roman number in capitals, behind which German law may have the number of a sentence, or one with a degree sign.
# "Under § 5 I think" has no part: behind a single I only words of places stand in small letters.
_WORDS_BEHIND = r"(?:d[eu]s?|der|et|ou|und|oder|à|al\.|alinéa)(?!\w)"
POINT = (
    rf"(?:(?:,\s?|\s|-)(?-i:(?!I\s(?!{_WORDS_BEHIND})[a-zà-ÿ])[IVX]{{1,6}})(?:\s(?:bis|ter|quater)\b)?(?![\w'’°])"
    r"(?:\s[1-9]\d?(?![\w°]|[.,]\d|\s?[.)°]))?|(?:,\s?|\s|-)\d{1,3}\s?°(?:\s(?:bis|ter|quater)\b)?)"
)
_EACH = re.compile(
    rf"\((?P<bracket>[a-z0-9]{{1,5}})\)"
    rf"|(?<!\w)(?P<unit>{NAMED}|{SENTENCE}|{IN_ENGLISH}){_GAP}\(?(?P<part>[a-z0-9]{{1,4}})"
    r"|(?<=[\s,-])(?P<roman>(?-i:[IVX]{1,6}))(?:\s(?P<more>bis|ter|quater))?(?![\w'’°])(?:\s(?P<behind>[1-9]\d?)(?![\w°]|\s?°))?"
    r"|(?P<degree>\d{1,3})\s?°(?:\s(?P<again>bis|ter|quater))?",
    re.IGNORECASE,
)


class Place(NamedTuple):
    """A provision of a law.

    Attributes:
        number: of it.
        below: the names of its parts from the outside; Roman numbers in capitals.
        sentence: whether one of its sentences is named.
        pointed: whether a part is named by a Roman number or one with a degree sign.
    """

    number: str
    below: tuple[str, ...]
    sentence: bool = False
    pointed: bool = False

    def spelled(self) -> Iterator[tuple[str, ...]]:
        """How URNs may spell its parts, the likeliest first."""
        return islice(product(*map(_spelled, self.below)), _SPELLINGS)

    def urns(self, law: str) -> list[str]:
        """Its URNs in a law, the likeliest first."""
        try:
            return [":".join((law, segment(self.number), *parts)) for parts in self.spelled()]
        except InputError:
            return []

    def whole(self, law: str) -> list[str]:
        """The URN of the provision where a part of it is named that many laws have no nodes for."""
        return self._replace(below=()).urns(law) if self.pointed and not self.sentence else []

    def queries(self, law: str, language: str) -> list[TagQuery]:
        """What asks for it; with the hint that the whole is found where a sentence is named, or for a point."""
        hint = PART_NAMED if self.sentence else None
        found = [urn_query(urn, language=language, hint=hint) for urn in self.urns(law)]
        return found + [urn_query(urn, language=language, hint=PART_NAMED) for urn in self.whole(law)]


def _spelled(name: str) -> Iterator[str]:
    """How URNs may spell the name of a part: `nr.3` for a number of a German list, `2` for its Absatz II."""
    yield name.lower()
    if name.isdigit():
        yield f"nr.{name}"
    roman, dash, more = name.partition("-")
    if roman.isupper() and (value := roman_value(roman)):
        yield f"{value}{dash}{more}"


def place_of(number: str, parts: str) -> Place:
    """A provision by its number and the words that name its parts."""
    below, sentence, pointed = list[str](), False, False
    for one in _EACH.finditer(parts):
        if one["roman"] or one["degree"]:
            more = one["more"] or one["again"]
            below.append(f"{one['roman'] or one['degree']}{f'-{more.lower()}' if more else ''}")
            sentence, pointed = sentence or bool(one["behind"]), True
        elif one["bracket"]:
            below.append(one["bracket"].lower())
        elif re.fullmatch(SENTENCE, one["unit"], re.IGNORECASE):
            sentence = True
        else:
            part = one["part"].lower()
            below.append(f"al.{part.rstrip('erèm')}" if one["unit"].lower().startswith("al") else part)
    return Place(number, tuple(below), sentence, pointed)
