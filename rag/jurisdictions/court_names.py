"""The names of courts, long and short: sources tag one spelling and people remember another."""

from __future__ import annotations

import re
import unicodedata

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

_NAMES = [(one, names) for names in _SAME for one in names]


def court_spellings(name: str) -> list[str]:
    """The name of a court, and what else it may be called: `東京地裁` -> also `東京地方裁判所`.

    Returns:
        The name first; every other spelling once.
    """
    plain = unicodedata.normalize("NFKC", name).strip()
    spellings = [name]
    taken: list[tuple[int, int]] = []
    # Longer names first: 最高裁判所 holds the signs of 高裁 and is no 高等裁判所.
    for one, names in sorted(_NAMES, key=lambda pair: -len(pair[0])):
        pattern = rf"(?<!\w){re.escape(one)}(?!\w)" if one.isascii() else re.escape(one)
        match = re.search(pattern, plain, re.IGNORECASE)
        if match is None or any(start < match.end() and match.start() < end for start, end in taken):
            continue
        taken.append(match.span())
        spellings += [plain[: match.start()] + other + plain[match.end() :] for other in names if other != one]
    return list(dict.fromkeys(spellings))
