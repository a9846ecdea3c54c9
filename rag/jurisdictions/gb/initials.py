"""British acts by their initials: "s 24 PACE", "HRA 1998, s 6", "s.21 HA 1988".

Initials are made from the well-known titles. Few of them belong to one act only, so that most are a reading and not
certain; acts outside the list may share the rest.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rag.jurisdictions.gb.acts import KNOWN_TITLES
from rag.jurisdictions.gb.laws import ELSEWHERE
from rag.jurisdictions.grammar.provisions import Law

_JOINTS = frozenset({"of", "and", "the", "for", "in", "to", "from", "with", "at"})
# In use beside what the titles give: initials -> title as `title_key` has it.
_OTHERS = {
    "PACE": "police and criminal evidence act 1984",
    "EQA": "equality act 2010",
    "TUPE": "transfer of undertakings (protection of employment) regulations 2006",
    "PECR": "privacy and electronic communications (ec directive) regulations 2003",
    "CCR": "consumer contracts (information cancellation and additional charges) regulations 2013",
    "HSWA": "health and safety at work etc act 1974",
    "TCPA": "town and country planning act 1990",
}
# Those that name one act whoever writes them, with or without its year.
_KNOWN_ALONE = frozenset({"PACE", "FSMA", "HRA", "UCTA", "CDPA", "TULRCA", "RIPA", "FOIA", "EQA"})
_KNOWN_WITH_YEAR = _KNOWN_ALONE | {"DPA", "ERA", "CRA", "POCA", "TUPE", "PECR", "LPA", "CJA", "SOA", "TCPA", "HSWA"}
# "the Irish DPA 2018" is another country's.
_OF_A_COUNTRY = re.compile(
    r"\b(?!British|English|Scottish)(?:[A-Z][a-z]{1,12}(?:ish|ese|ian|ean|can|yan)|Manx|Israeli)\s\Z"
)
_INITIALS = r"(?:[A-Z][A-Za-z]{1,7}|[A-Z]{2,8})"
_NAMED = re.compile(rf"(?P<initials>{_INITIALS})(?:,?\s{{0,2}}(?P<year>(?:18|19|20)\d\d))?(?![\w/’'-])")
_UNIT = r"(?:ss?\.?\s?\d|sections?\s\d|[Ss]ch(?:edule|\.)?\s|regs?\.?\s?\d|para\.?\s|Pt\.?\s|Part\s)"


def _of_titles() -> dict[str, dict[str, set[str]]]:
    """Initials in capitals -> year -> URNs."""
    found: dict[str, dict[str, set[str]]] = {}

    def note(initials: str, title: str) -> None:
        found.setdefault(initials.upper(), {}).setdefault(title[-4:], set()).add(KNOWN_TITLES[title])

    for title in KNOWN_TITLES:
        words = title[:-5].replace("(", "").split()
        note("".join(one[0] for one in words if one not in _JOINTS and one != "etc"), title)
        note("".join(one[0] for one in words if one not in _JOINTS - {"of"} and one != "etc"), title)
    for initials, title in _OTHERS.items():
        note(initials, title)
    return found


_TITLES = _of_titles()
# Before a provision: these alone, so that other words in capitals are left as they are.
STARTS = (
    rf"(?<![\w&./-])(?:{'|'.join(sorted(_KNOWN_WITH_YEAR - {'EQA'}, key=len, reverse=True))}|EqA)"
    rf"(?:,?\s(?:19|20)\d\d)?(?=,?\s{{1,3}}{_UNIT})"
)


def initialled_at(text: str, at: int) -> tuple[Law, int] | None:
    """The act whose initials begin at this offset, and where they end; None for other words.

    The law is certain for initials that mean one act. Several acts of one year with the same initials are none.
    """
    match = _NAMED.match(text, at)
    if match is None:
        return None
    law = _act(match["initials"], match["year"] or "")
    if law is None or ELSEWHERE.match(text, match.end()) or _OF_A_COUNTRY.search(text, max(0, at - 20), at):
        return None
    return law, match.end()


@lru_cache(maxsize=1024)
def _act(initials: str, year: str) -> Law | None:
    key = initials.upper()
    years = _TITLES.get(key) if sum(char.isupper() for char in initials) > 1 else None
    if years is None or (not year and len(key) < 3):
        return None
    urns = years.get(year, set()) if year else years[max(years)]
    if len(urns) != 1:
        return None
    certain = key in (_KNOWN_WITH_YEAR if year else _KNOWN_ALONE)
    return Law(next(iter(urns)), initials, certain=certain)
