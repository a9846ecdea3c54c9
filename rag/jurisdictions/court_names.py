"""The names of courts, long and short: sources tag one spelling and people remember another.

American courts are those of `courts-db` (Free Law Project, BSD): name, abbreviation of citations, id. It is read at the
first name that no row of ours has, and only for whole names; its regular expressions take half a second to compile.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache, lru_cache
from typing import cast

# Each line: the names of one court, or of one kind of court, in any language; short ones are whole words.
_SAME = (
    ("supreme court of the united kingdom", "uk supreme court", "uksc"),
    ("supreme court of the united states", "us supreme court", "u.s. supreme court", "scotus"),
    ("judicial committee of the privy council", "privy council", "ukpc"),
    ("house of lords", "ukhl"),
    ("court of appeal", "ewca"),
    ("high court", "ewhc"),
    ("chancery division", "ewhc-chancery", "ewhc ch"),
    ("queen's bench division", "ewhc-qbd", "ewhc qb"),
    ("king's bench division", "ewhc-kbd", "ewhc kb"),
    ("administrative court", "ewhc-qbd-admin", "ewhc-kbd-admin", "ewhc admin"),
    ("upper tribunal", "ukut"),
    ("first-tier tribunal", "ukftt"),
    ("family court", "ewfc"),
    ("court of protection", "ewcop"),
    ("employment appeal tribunal", "ukeat"),
    ("court of session", "csoh", "csih"),
    ("cour de cassation", "cour_cassation"),
    ("conseil d'état", "conseil d'etat", "conseil_etat"),
    ("conseil constitutionnel", "conseil_constitutionnel"),
    ("cour d'appel", "cour_appel"),
    ("court of justice of the european union", "european court of justice", "cjue", "eugh", "cjeu"),
    ("bundesgerichtshof", "bgh"),
    ("bundesverfassungsgericht", "bverfg"),
    ("bundesverwaltungsgericht", "bverwg"),
    ("bundesarbeitsgericht", "bag"),
    ("bundessozialgericht", "bsg"),
    ("bundesfinanzhof", "bfh"),
    ("oberlandesgericht", "olg"),
    ("landgericht", "lg"),
    ("amtsgericht", "ag"),
    ("最高裁判所", "最高裁"),
    ("高等裁判所", "高裁"),
    ("地方裁判所", "地裁"),
    ("家庭裁判所", "家裁"),
    ("簡易裁判所", "簡裁"),
)

_NAMES = [(known, names) for names in _SAME for known in names]


_STATES = re.compile(r"(?:the\s)?(?:u\.?\s?s\.?|united states)\s(?=\S)")
_LATIN_NAME = re.compile(r"[A-Za-z0-9 .,'’&()-]{2,120}\Z")


@cache
def _american_courts() -> tuple[dict[str, list[tuple[str, ...]]], str]:
    """The courts of a name in small letters, each with all its names; and all names, a line each."""
    from courts_db import load_courts_db

    courts: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for court in cast("list[dict[str, str]]", load_courts_db()):
        written = (court["name"], court.get("citation_string", ""), court["id"])
        names = tuple({name.casefold(): name for name in written if len(name) > 1}.values())
        for name in names:
            courts[name.casefold()].append(names)
    return courts, "\n".join(courts)


@lru_cache(maxsize=1024)
def _american(name: str) -> tuple[str, ...]:
    """The names of the one American court that bears a name, with or without "United States" before it.

    Names that are a part of another court's are left out, for a spelling is looked for inside what the store says:
    "Mass." would find every district court there.
    """
    courts, everything = _american_courts()
    low = name.casefold()
    named = courts.get(low) or courts.get(_STATES.sub("", low, count=1)) or []
    return tuple(other for other in named[0] if everything.count(other.casefold()) == 1) if len(named) == 1 else ()


def court_spellings(name: str) -> list[str]:
    """The name of a court, and what else it may be called: `東京地裁` -> also `東京地方裁判所`.

    Returns:
        The name first; every other spelling once.
    """
    plain = unicodedata.normalize("NFKC", name).strip()
    spellings = [name]
    taken: list[tuple[int, int]] = []
    # Longer names first: 最高裁判所 holds the signs of 高裁 and is no 高等裁判所.
    for known, names in sorted(_NAMES, key=lambda pair: -len(pair[0])):
        pattern = rf"(?<!\w){re.escape(known)}(?!\w)" if known.isascii() else re.escape(known)
        match = re.search(pattern, plain, re.IGNORECASE)
        if match is None or any(start < match.end() and match.start() < end for start, end in taken):
            continue
        taken.append(match.span())
        spellings += [plain[: match.start()] + other + plain[match.end() :] for other in names if other != known]
    if not taken and _LATIN_NAME.match(plain):
        spellings += _american(plain)
    return list(dict.fromkeys(spellings))
