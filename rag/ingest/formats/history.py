"""What made, changed and ended a provision, as its publisher notes it beside the text: edges from the provision.

An edge `created_by`, `amended_by` or `repealed_by` leads from a provision to the act that did it; `codifies` leads to
the act whose words it took over. `date` in its properties is the day that the note names (ISO): of the act or of its
effect, as the publisher has it. `place` is `history`: the words are beside the law, not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from rag.ingest.formats.xml import collapse
from rag.law.nodes import Link

# What an English note says happened; the first that fits. Without any of them a note is one of the acts in a history.
_SAID = (
    ("repealed_by", re.compile(r"\brepeal(?:ed|s)\b|\bomitted\b|\brevoked\b|\brescinded\b", re.IGNORECASE)),
    ("renumbered_by", re.compile(r"\b(?:renumbered|redesignated|transferred)\b", re.IGNORECASE)),
    ("created_by", re.compile(r"\b(?:added|inserted|enacted|created)\b", re.IGNORECASE)),
    ("amended_by", re.compile(r"\b(?:amended|substituted|revised|restated|modified)\b", re.IGNORECASE)),
)


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BEFORE_ACT = re.compile(r"[^\d,\[(]*")  # an American credit says what happened before it names the act


def happened(words: str, otherwise: str = "") -> str:
    """The kind of edge that the words of an English note amount to; `otherwise` where they say nothing."""
    return next((kind for kind, said in _SAID if said.search(words)), otherwise)


def made(urn: str, kind: str, reference: str, target: str = "", day: date | None = None) -> Link:
    """An edge of a provision's history.

    Args:
        target: the act's URN, or empty.
        day: the day that the note names.
    """
    properties = {"place": "history"} | ({"date": day.isoformat()} if day else {})
    return Link(urn, kind, collapse(reference), target, properties)


def day_of(year: str, month: str, day: str) -> date | None:
    """A day of three numbers, the month perhaps by its English name; None for one that no calendar has."""
    try:
        number = int(month) if month.isdecimal() else MONTHS.index(month[:3].lower()) + 1
        return date(int(year), number, int(day))
    except ValueError:
        return None


def in_order(urn: str, credits: Iterable[tuple[str, str, date | None]], *, repealed: bool = False) -> list[Link]:
    """The edges of a history whose first act made the provision, and whose later ones amended it.

    Where a later act says that it added the provision ("D.C. Law 6-10, § 202a; as added Mar. 12, 2011, ..."), the first
    is the act whose section it became, which the provision codifies.

    Args:
        credits: each act's words, target and day, first to last; one that says what it did is believed.
        repealed: whether the last act ended the provision.
    """
    listed = list(credits)
    said = [happened(match[0]) if (match := _BEFORE_ACT.match(words)) else "" for words, _, _ in listed]
    first = "codifies" if "created_by" in said[1:] else "created_by"
    links: list[Link] = []
    for place, (words, target, day) in enumerate(listed):
        kind = said[place] or (first if place == 0 else "amended_by")
        if repealed and place == len(listed) - 1 and place:
            kind = "repealed_by"
        links.append(made(urn, kind, words, target, day))
    return links
