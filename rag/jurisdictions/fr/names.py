"""Names that French law is cited by: its codes with their abbreviations, constitutional texts, well-known laws.

They are the entries of `laws.toml`. A code that it lacks is recognised as a code, and read as a candidate only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace

from rag.jurisdictions.fr.naming import JURISDICTION_URN
from rag.jurisdictions.fr.text import MONTHS
from rag.jurisdictions.tables import LawEntry, laws_of

_NUMBER = re.compile(r"(?P<nature>loi|decret|ordonnance|arrete)-(?P<number>\d+(?:-\d+)*)\Z")
_CONSTITUTIONAL = ("constitution", "declaration", "charte")
_MONTH_NAMES = {number: name for name, number in MONTHS.items()}


@dataclass(frozen=True, slots=True)
class LawName:
    """A law as cited. `urn` is empty for law that is recognised as other law and has no address.

    `nature` is the noun by which the text takes it up again ("la même loi"); `sure` is False where the words only
    suggest this law.
    """

    urn: str
    nature: str
    title: str = ""
    number: str = ""  # of a law with one: 78-17
    sure: bool = True
    others: tuple[str, ...] = ()  # URNs that the same words can mean too


CODES: dict[str, LawName] = {}  # by the official title
OTHER_TITLES: dict[str, LawName] = {}
CONSTITUTIONAL: dict[str, LawName] = {}
BY_YEAR: dict[str, LawName] = {}  # laws that go by their year: "loi de 1905"
NAMED_LAWS: dict[str, tuple[str, ...]] = {}  # what is behind "loi" -> the numbers that it stands for
# Laws that go by their nature and date. Others may bear the same date, so that only those without a number are certain.
DATED_LAWS: dict[tuple[str, str], LawName] = {}
ABBREVIATIONS: dict[str, LawName] = {}
ENGLISH: dict[str, str] = {}  # name in English -> title


def _read(entry: LawEntry, shared: dict[str, list[LawName]]) -> None:
    """Note one entry under all its names; `shared` are the laws of each abbreviation."""
    numbered = _NUMBER.match(entry.id)
    nature = numbered["nature"] if numbered else entry.id.partition("-")[0]
    kind = "constitution" if nature in _CONSTITUTIONAL else nature
    law = LawName(f"{JURISDICTION_URN}:{entry.id}", kind, entry.title, numbered["number"] if numbered else "")
    if kind == "constitution":
        CONSTITUTIONAL.update(dict.fromkeys((entry.title, *entry.names), law))
    elif kind in ("code", "livre"):
        CODES[entry.title] = law
        OTHER_TITLES.update(dict.fromkeys(entry.names, law))
    else:
        for name in entry.names:
            if name.startswith(f"{nature} "):
                BY_YEAR[name] = law
            else:
                NAMED_LAWS[name] = (*NAMED_LAWS.get(name, ()), law.number)
        if (day := entry.since) is not None:
            DATED_LAWS[nature, f"{day.day} {_MONTH_NAMES[day.month]} {day.year}"] = replace(law, sure=not law.number)
    for short in entry.abbreviations:
        shared[short].append(law)
    ABBREVIATIONS.update(dict.fromkeys(entry.doubtful, replace(law, sure=False)))
    # Of a title such as "Constitution du 4 octobre 1958" the first word is what citations say.
    ENGLISH.update(dict.fromkeys(entry.english, "Constitution" if nature == "constitution" else entry.title))


def _read_all() -> None:
    shared: defaultdict[str, list[LawName]] = defaultdict(list)
    for entry in laws_of("fr").laws:
        _read(entry, shared)
    for short, (law, *others) in shared.items():
        several = replace(law, sure=False, others=tuple(other.urn for other in others))
        ABBREVIATIONS[short] = several if others else law


_read_all()
