"""Arguments as language models send them, read as what they mean: other names of a parameter, a place by its name, a
language by its name, a day in words, one text where a list is asked for.

Only what has one meaning is read so. What is left is refused by the tool with a message that says what it takes.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, cast, get_args, get_origin

from rag import clock
from rag.jurisdictions.places import codes_of_place
from rag.languages.registry import primary_language

# What a tool's chief parameter is called, and what models call it; then the same of further parameters.
_CHIEF = ("query", "reference", "question", "text", "case_name", "root_id")
_CALLED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        _CHIEF,
        frozenset({*_CHIEF, "urn", "citation", "id", "document_id", "draft", "scenario", "name", "q", "root"}),
    ),
    "at_date": frozenset({"date", "as_of", "as_of_date"}),
    "jurisdiction": frozenset({"jurisdictions", "country", "state"}),
    "limit": frozenset({"top_k", "max_results", "k"}),
}  # fmt: skip
_DAYS = ("at_date", "date_from", "date_to")
_JOINED = re.compile(r"\s*[|,;]\s*")
_PART = re.compile(r"(?P<year>\d{4})(?:-(?P<month>0[1-9]|1[0-2]))?\Z", re.ASCII)
_MOMENT = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?\Z", re.ASCII)
_WORDED = ("%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y")
_LONGEST = 400  # characters of a value that is read here; a longer one is none of these


def by_its_names(arguments: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """The arguments under the names that a tool has for them.

    Args:
        arguments: as they came.
        known: the tool's parameters.
    """
    out = {name: value for name, value in arguments.items() if name in known}
    for name, value in arguments.items():
        if name in known:
            continue
        chief = next((one for one in _CHIEF if one in known), None)
        meant = [one for one in known if name in _CALLED.get(one, ()) and (one == chief or one not in _CHIEF)]
        out[meant[0] if len(meant) == 1 and meant[0] not in arguments else name] = value
    return out


def as_meant(name: str, value: Any, annotation: Any) -> Any:
    """The value of a parameter as its tool takes it; the value itself where nothing is known of it.

    Args:
        name: of the parameter.
        value: as it came.
        annotation: the parameter's type.
    """
    if name == "tags" and isinstance(value, dict):
        tags = cast("dict[str, object]", value)
        return {key: as_meant(key, one, str) if isinstance(one, str) else one for key, one in tags.items()}
    kinds = _kinds(annotation)
    if name == "jurisdiction" and isinstance(value, list):
        codes = [str(one) for one in cast("list[object]", value)]
        if list in kinds:  # each is asked for itself
            return [_codes(one.strip()) if len(one) <= _LONGEST else one for one in codes]
        value = "|".join(codes)
    if isinstance(value, int) and not isinstance(value, bool) and str in kinds and int not in kinds:
        value = str(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return value
    text = value.strip()
    words = [word for kind in kinds for word in get_args(kind) if isinstance(word, str)]
    if words:
        return next((word for word in words if word.casefold() == text.casefold()), value)
    if list in kinds and str not in kinds and not text.startswith("["):
        return [part for part in _JOINED.split(text) if part]
    if name == "jurisdiction":
        return _codes(text)
    if name == "language":
        return primary_language(text) if text.replace("-", "").isalpha() else value
    return _day(name, text) if name in _DAYS else value


def _kinds(annotation: Any) -> list[Any]:
    """The types that a parameter may have, without what they hold."""
    parts = [annotation] if get_origin(annotation) in (Literal, list, dict) else [*get_args(annotation)] or [annotation]
    return [part if get_origin(part) is Literal else get_origin(part) or part for part in parts]


def _codes(text: str) -> str:
    """A filter on the jurisdiction whose places are codes, `!=` kept; as it is where one of them is none known."""
    start, rest = ("!=", text[2:]) if text.startswith("!=") else ("", text)
    codes = [code for part in _JOINED.split(rest) for code in codes_of_place(part) or (part,)]
    return start + "|".join(dict.fromkeys(codes))


def _day(name: str, text: str) -> str | None:
    """A day in ISO form. Of a year or a month it is the last day, or the first where a range begins with it.

    The last day of the law asked for is never in the future: of this year it is today.
    """
    if name == "at_date" and text.casefold() in ("today", "now", "current"):
        return None
    if (moment := _MOMENT.match(text)) is not None:
        return moment["day"]
    if (part := _PART.match(text)) is not None and int(part["year"]) > 0:
        year, month = int(part["year"]), int(part["month"] or 0)
        if name == "date_from":
            return date(year, month or 1, 1).isoformat()
        last = date(year, month or 12, monthrange(year, month or 12)[1])
        return (min(last, clock.today()) if name == "at_date" else last).isoformat()
    for form in _WORDED:
        try:
            return datetime.strptime(text, form).date().isoformat()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return text
