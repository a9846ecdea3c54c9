"""What a request says, checked before anything else happens. Messages never repeat what was typed."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime

from rag import clock
from retrieval.errors import InputError

MAX_QUESTION = 20_000  # characters; a scenario, not a library
_INSTEAD = {"Cc": " ", "Cf": ""}  # of a character of this category
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def checked_question(text: str) -> str:
    """The question, NFC and without control characters and invisible ones.

    Raises:
        InputError: empty, too long, or no text.
    """
    if len(text) > MAX_QUESTION:
        raise InputError(f"The question has {len(text)} characters; the limit is {MAX_QUESTION}.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError("The question is not valid Unicode text.")
    # What is not seen, such as a soft hyphen or a mark of direction, stands inside words.
    kept = "".join(_INSTEAD.get(unicodedata.category(char), char) if char not in "\n\t" else char for char in text)
    kept = unicodedata.normalize("NFC", kept).strip()
    if not any(char.isalnum() for char in kept):
        raise InputError("The question is empty. Ask in words, or name a provision.")
    return kept


def checked_date(value: date | str | None) -> date:
    """The date of the law asked about; today in UTC where none is given.

    Raises:
        InputError: not a calendar date in the form 2026-11-21.
    """
    if value is None:
        return clock.today()
    if isinstance(value, datetime):
        raise InputError("The date has a time of day; give the day alone, as YYYY-MM-DD.")
    if isinstance(value, date):
        return value
    if not _ISO_DATE.match(value):
        raise InputError("The date is not in the form YYYY-MM-DD.")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise InputError("The date is not a day of the calendar.") from None
