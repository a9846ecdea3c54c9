"""Decisions by what someone remembers of them: number, else name (and court), else court (and date).

A clue of a higher rank makes the lower ones needless: a case number is one of a kind, a name nearly so. What a rank
leaves aside is said in the result.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Literal

from psycopg.rows import dict_row

from retrieval.cluster import send_each
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import Connection
from retrieval.queries import QUERIES
from retrieval.references.pipeline import checked_reference

MAX_CASES = 10
CaseStatus = Literal["found", "no_clue", "no_candidate"]
Basis = Literal["case_number", "case_name", "court", "date"]
_RANKS: tuple[Basis, ...] = ("case_number", "case_name", "court", "date")
# The clues that a search by the one looks at.
_USED: dict[Basis, tuple[Basis, ...]] = {
    "case_number": ("case_number",),
    "case_name": ("case_name", "court"),
    "court": ("court", "date"),
    "date": ("date",),
}
_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?\Z", re.ASCII)

NO_CLUE = "There is no clue to find a case by. Give a case number, a case name, a court or a date."
NO_CANDIDATE = (
    "No case in the store fits. That does not mean that none exists. Give fewer clues or another spelling, or "
    "search for words of the decision."
)


_NAMED = 6  # jurisdictions that a message names


class Case(Record):
    """One decision, as far as its source describes it."""

    urn: str
    court: str
    date: str  # as the source dates it, ISO; empty where it does not
    case_number: str
    case_name: str
    citations: list[str]  # how else it is cited


class CaseResolution(Record):
    """Decisions that fit, latest first. `no_clue` and `no_candidate` say what to do in `message`."""

    status: CaseStatus
    basis: Basis | None  # the clue that was searched by
    cases: list[Case]
    more: bool = False  # further cases fit; narrow it
    ignored: tuple[str, ...] = ()  # clues that the basis made needless
    message: str = ""


def date_range(text: str) -> tuple[str, str]:
    """The days that a whole or partial date names: first day, and the first day after, both ISO.

    Raises:
        InputError: another form than 2023, 2023-05 or 2023-05-17, or no such day.
    """
    match = _PARTIAL.match(text.strip())
    if match is None:
        raise InputError("The date of a case has the form 2023, 2023-05 or 2023-05-17.")
    year, month, day = (int(group) if group else None for group in match.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
        if day:
            after = first + timedelta(days=1)
        else:
            after = date(first.year + (not month or month == 12), 1 if not month or month == 12 else month + 1, 1)
    except (ValueError, OverflowError):
        raise InputError("The date of a case is not a day of the calendar.") from None
    return first.isoformat(), after.isoformat()


def resolve_case(
    conn: Connection,
    *,
    court: Sequence[str] = (),
    date: str | None = None,
    case_number: Sequence[str] = (),
    case_name: str | None = None,
    limit: int = 5,
    jurisdictions: Sequence[str],
) -> CaseResolution:
    """Find decisions by one clue and what narrows it.

    Args:
        court: spellings of the court's name, any of which may be a part of it; narrows a name and a date.
        date: `2023`, `2023-05` or `2023-05-17`; narrows a court.
        case_number: spellings of the number, any of which may be part of what the source has; signs do not count.
            Decisions that have the whole number are preferred to those that only contain it.
        case_name: part of the name, or words of it in their order, abbreviated or not: `Brown v. Board`.
        limit: cases at most, 1 to 10.
        jurisdictions: those of the store to look in.

    Raises:
        InputError: limit or date cannot be used, or a clue is too long or no text.
    """
    if not 1 <= limit <= MAX_CASES:
        raise InputError(f"The limit is 1 to {MAX_CASES} cases.")
    days = date_range(date) if date and date.strip() else None
    numbers = [clue for name in case_number if (clue := _clue(name))]
    name, places = _clue(case_name), [clue for name in court if (clue := _clue(name))]
    clues: list[Basis] = [one for one, clue in zip(_RANKS, (numbers, name, places, days), strict=True) if clue]
    basis = clues[0] if clues else None
    if basis is None:
        return CaseResolution(status="no_clue", basis=None, cases=[], message=NO_CLUE)
    by_date = basis in ("court", "date") and days is not None
    values = {
        "jurisdictions": list(jurisdictions),
        "numbers": numbers,
        "name": name if basis == "case_name" else None,
        "name_words": name_words(name) if name and basis == "case_name" else None,
        "courts": places if basis != "case_number" else [],
        "first": days[0] if by_date and days else None,
        "after": days[1] if by_date and days else None,
        "limit": limit + 1,
    }
    found = _found(conn, values)
    return CaseResolution(
        status="found" if found else "no_candidate",
        basis=basis,
        cases=found[:limit],
        more=len(found) > limit,
        ignored=tuple(clue for clue in clues if clue not in _USED[basis]),
        message="" if found else _no_candidate(conn, jurisdictions),
    )


def _no_candidate(conn: Connection, jurisdictions: Sequence[str]) -> str:
    """What to say where no decision fits: that there is none at all, where that is so."""
    if send_each(conn, QUERIES["find_a_case"], {"jurisdictions": list(jurisdictions)}).fetchall():
        return NO_CANDIDATE
    named = f" of {', '.join(jurisdictions)}" if 0 < len(jurisdictions) <= _NAMED else ""
    return f"The store has no decisions{named} at all; that does not mean that none exists. Look for it elsewhere."


_WORD = re.compile(r"[^\W_]+")
_ABBREVIATED = 6  # letters that an abbreviation has at most


def name_words(name: str) -> str:
    """A pattern for names in plain letters that have a name's words in their order, whatever is between them.

    A word begins one of the name, so that "Educational" is no Education. A short one gives letters of it or initials of
    several: "Ry." is Railway, "Penna." Pennsylvania, "ICC" Interstate Commerce Commission.
    """
    plain = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char)).lower()
    plain = re.sub(r"['’](?=\w)", "", plain)
    words = ["v" if word in ("vs", "versus") else word for word in _WORD.findall(plain)]
    parts = [r"\w* ?".join(word) if 1 < len(word) <= _ABBREVIATED else word for word in words]
    return ".*".join(rf"\m{part}" + (r"\M" if part == "v" else "") for part in parts)


def _found(conn: Connection, values: dict[str, Any]) -> list[Case]:
    """The decisions that fit, latest first; those that have a number or name whole alone, where there are any."""
    rows = send_each(conn, QUERIES["find_cases"], values, rows=dict_row).fetchall()
    whole = any(row["whole"] for row in rows)
    kept = [Case(**{name: row[name] for name in Case.model_fields}) for row in rows if row["whole"] or not whole]
    kept.sort(key=lambda one: one.urn)
    return sorted(kept, key=lambda one: one.date, reverse=True)[: values["limit"]]


def _clue(text: str | None) -> str | None:
    """The text of a clue; None for one without a letter or digit."""
    if text is None or not any(char.isalnum() for char in text):
        return None
    return checked_reference(text)
