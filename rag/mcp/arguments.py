"""Arguments as language models send them, read as what they mean.

One call, `read_arguments`, does all of it: other names of a parameter, values of another type (a number as text, a list
where one text is asked for, an object as text), a place or a language by its name, a day in words, a grade by another
word. Only what has one meaning is read so; the rest is refused by the tool with a message that says what it takes.
What can be left out without another answer is left out, and the reply says so.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from difflib import get_close_matches
from typing import Any, Literal, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from rag import clock
from rag.jurisdictions.places import codes_named
from rag.languages.registry import language_codes, primary_language
from rag.verification.figures import PartDate, read_figures

# What a tool's chief parameter is called, and what models call it; then the same of further parameters.
_CHIEF = ("query", "reference", "question", "text", "case_name", "root_id")
_CALLED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        _CHIEF,
        frozenset({*_CHIEF, "urn", "citation", "id", "document", "draft", "scenario", "name", "q", "root", "node"}),
    ),
    "at_date": frozenset({"date", "as_of", "day", "when"}),
    "date": frozenset({"year", "day", "when", "decided"}),
    "date_from": frozenset({"start", "from", "since", "after", "start_date", "from_date"}),
    "date_to": frozenset({"end", "to", "until", "before", "end_date", "to_date"}),
    "jurisdiction": frozenset({"jurisdictions", "country", "state", "place"}),
    "language": frozenset({"lang", "locale", "languages"}),
    "terms": frozenset({"keywords", "search_terms", "statutory_terms", "legal_terms"}),
    "limit": frozenset({"top_k", "max_results", "k", "n", "count", "num_results", "page_size"}),
    "tags": frozenset({"filters", "filter", "tag"}),
    "documents_cited": frozenset({"citations", "sources", "cited"}),
    "queries_attempted": frozenset({"queries"}),
    "tools_sequence": frozenset({"tools"}),
}
_TAGS = ("jurisdiction", "kind", "source")  # parameters that a tool with `tags` has under that name
_CLOSE = 0.85  # of a name that is misspelt
_DAYS = ("at_date", "date_from", "date_to", "date")
# Values for nothing, where the parameter is no free text.
_NOTHING = frozenset({"", "null", "none", "undefined", "nil", "n/a", "na", "default", "auto", "any", "all", "*"})
_TODAY = frozenset({
    "today", "now", "current", "currently", "present", "latest", "heute", "jetzt", "aktuell", "aujourd'hui",
    "maintenant", "hoy", "oggi", "今日", "本日", "現在",
})  # fmt: skip
_YESTERDAY = frozenset({"yesterday", "gestern", "hier", "ayer", "ieri", "昨日"})
# Kinds of documents by what models call them.
_KINDS = {
    **dict.fromkeys(("statute", "law", "act", "code", "regulation", "rule"), "legislation"),
    **dict.fromkeys(("case", "case law", "caselaw", "judgment", "judgement", "ruling", "opinion"), "decision"),
}
# Grades of a choice of three, the highest first, by words that models have for them.
_GRADES = (
    "high very strong good full fully complete certain sure excellent serious severe major sufficient critical",
    "medium moderate moderately mid middle partial partially mixed average fair some reasonable normal important",
    "low poor weak none bad uncertain minimal small trivial no insufficient minor",
)
_PAIR = re.compile(r"\s*(?P<key>[A-Za-z_]{1,40})\s*[=:]\s*(?P<value>[^,;]*?)\s*(?:[,;]|\Z)")
_PART = re.compile(r"(?P<year>\d{4})(?:[-/.](?P<month>0?[1-9]|1[0-2]))?\Z", re.ASCII)
_DIGITS = re.compile(
    r"(?P<year>\d{4})(?:(?P<dash>[-/.])(?P<month>\d{1,2})(?P=dash)(?P<day>\d{1,2})|(?P<mm>\d\d)(?P<dd>\d\d))"
    r"(?:[T ]\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?)?\Z",
    re.ASCII,
)
_LONGEST = 400  # characters of a value that is read here; a longer one is none of these


def read_arguments(given: Mapping[str, Any], fields: Mapping[str, FieldInfo]) -> tuple[dict[str, Any], list[str]]:
    """The arguments of a call as its tool takes them, and what was left out, in sentences that repeat none of it."""
    named, unknown = _by_their_names(given, fields)
    values: dict[str, Any] = {}
    notes: list[str] = []
    for name, value in named.items():
        field = fields[name]
        read = as_meant(name, value, field.annotation)
        if not field.is_required() and _is_open(name, read, field.annotation):
            continue
        choices = _choices(field.annotation)
        if choices and field.default is None and read not in choices:
            notes.append(f"`{name}` was left out: it takes {', '.join(choices)}.")
            continue
        values[name] = read
    if unknown:
        one = "1 argument was" if unknown == 1 else f"{unknown} arguments were"
        notes.append(f"{one} left out: this tool takes {', '.join(fields)}.")
    return values, notes


# --- names -----------------------------------------------------------------------------------------------------------


def _by_their_names(given: Mapping[str, Any], fields: Mapping[str, FieldInfo]) -> tuple[dict[str, Any], int]:
    """The arguments under the names that a tool has for them, and how many it has no name for."""
    out = {name: value for name, value in given.items() if name in fields}
    tags: dict[str, Any] = {}
    unknown = 0
    for name, value in given.items():
        if name in fields:
            continue
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name[:_LONGEST]).lower().replace("-", "_")
        meant = _meant(plain, fields)
        if "tags" in fields and plain in _TAGS and meant is None:
            tags[plain] = value
        elif meant is None or meant in out:
            unknown += value is not None
        else:
            out[meant] = value
    if tags:
        out["tags"] = {**tags, **cast("dict[str, Any]", as_meant("tags", out.get("tags") or {}, dict[str, str]))}
    return out, unknown


def _meant(name: str, fields: Mapping[str, FieldInfo]) -> str | None:
    """The parameter that a name stands for: its other name, one whose words it has, or one that it misspells."""
    if name in fields:
        return name
    chief = next((name for name in _CHIEF if name in fields), None)
    called = {field: {field, *_CALLED.get(field, ())} for field in fields if field == chief or field not in _CHIEF}
    exact = [one for one, names in called.items() if name in names]
    words = [one for one, names in called.items() if names.intersection(name.split("_"))]
    for found in (exact, words):
        if len(found) == 1:
            return found[0]
    return next(iter(get_close_matches(name, called, 1, _CLOSE)), None) if not words else None


# --- values ----------------------------------------------------------------------------------------------------------


def as_meant(name: str, value: Any, annotation: Any) -> Any:
    """The value of a parameter as its tool takes it; the value itself where nothing is known of it."""
    kinds = _kinds(annotation)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and (dict in kinds or list in kinds):
        with suppress(ValueError, RecursionError):
            value = cast("object", json.loads(value))
    if name == "jurisdiction" and isinstance(value, list) and list in kinds:  # each is asked for itself
        return [
            codes_named(name.strip()) if len(name) <= _LONGEST else name
            for name in map(str, cast("list[object]", value))
        ]
    if dict in kinds:
        return _object(cast("object", value))
    if list in kinds and str not in kinds:
        return _list(cast("object", value))
    if name == "discover" and value in (True, "true", "True"):
        return "*"
    if isinstance(value, list):
        value = _one_text(name, cast("list[object]", value))
    if isinstance(value, (int, float)) and not isinstance(value, bool) and str in kinds and int not in kinds:
        value = str(value)
    choices = _choices(annotation)
    if choices:
        return _choice(value, choices)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return value
    text = value.strip()
    if name == "jurisdiction":
        return codes_named(text)
    if name in ("kind", "type"):
        one = text.casefold().replace("_", " ").removesuffix("s")
        return _KINDS.get(one, text) if name == "kind" else one if text.isascii() and text.isalpha() else text
    if name == "language":
        return primary_language(text) if text.replace("-", "").replace("_", "").isalpha() else value
    return _day(name, text) if name in _DAYS else value


def _kinds(annotation: Any) -> list[Any]:
    """The types that a parameter may have, without what they hold."""
    parts = [annotation] if get_origin(annotation) in (Literal, list, dict) else [*get_args(annotation)] or [annotation]
    return [part if get_origin(part) is Literal else get_origin(part) or part for part in parts]


def _choices(annotation: Any) -> list[str]:
    """The words that a parameter takes; none where it takes others too."""
    return [word for kind in _kinds(annotation) for word in get_args(kind) if isinstance(word, str)]


def _is_open(name: str, value: Any, annotation: Any) -> bool:
    """Whether a value says no more than leaving it out does."""
    if value is None or (isinstance(value, (list, dict, str)) and not value):
        return True
    if not isinstance(value, str):
        return False
    free = str in _kinds(annotation) and name not in {*_DAYS, "language", "blocks", "type"}
    text = value.strip().casefold()
    return not text if free else text in _NOTHING


def _one_text(name: str, values: list[object]) -> object:
    """The one text of a list: of texts to read paragraphs, of filters alternatives, of words a row of them."""
    if not all(isinstance(value, (str, int, float)) for value in values):
        return cast("object", values)
    between = {"text": "\n\n", "jurisdiction": "|", "language": "|", "type": "|", "reference": ", "}.get(name, " ")
    return between.join(str(value) for value in values)


def _object(value: object) -> object:
    """The filters of an object, of a text of pairs (`kind=decision, source: x`), or of a list of either."""
    if isinstance(value, list):
        parts = [_object(entry) for entry in cast("list[object]", value)]
        if not all(isinstance(part, dict) for part in parts):
            return cast("object", value)
        return {key: one for part in parts for key, one in cast("dict[str, object]", part).items()}
    if isinstance(value, str):
        pairs = list(_PAIR.finditer(value[:_LONGEST]))
        if "".join(pair[0] for pair in pairs) != value:
            return value if value.strip().casefold() not in _NOTHING else None
        value = {pair["key"]: pair["value"] for pair in pairs}
    if not isinstance(value, dict):
        return value
    filters: dict[str, object] = {}
    for key, one in cast("dict[str, object]", value).items():
        if isinstance(one, list):
            one = "|".join(str(part) for part in cast("list[object]", one))
        if isinstance(one, (bool, int, float)):
            one = str(one).lower()
        if one is not None:
            filters[key] = as_meant(key, one, str) if isinstance(one, str) else one
    return filters


def _list(value: object) -> object:
    """A list of texts: of one text its parts, at semicolons or lines where it has any, else at commas."""
    if isinstance(value, str):
        text = value.strip()
        parts = re.split(r"\s*[;\n|]\s*" if re.search(r"[;\n|]", text) else r"\s*,\s*", text)
        return [part for part in parts if part and text.casefold() not in _NOTHING]
    if isinstance(value, list):
        return [str(entry) if isinstance(entry, (int, float)) else entry for entry in cast("list[object]", value)]
    return value


def _choice(value: object, choices: list[str]) -> object:
    """The word of a choice that is meant: in another case, as part of the value, or as a grade or share of 1."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return value
    words = re.findall(r"[^\W_]+|\d*\.\d+", value.casefold())
    plain = "_".join(words)
    if plain in choices:
        return plain
    if len(choices) == len(_GRADES) and any(choices[0] in grade.split() for grade in _GRADES):
        told: set[int] = {at for at, grade in enumerate(_GRADES) for word in words if word in grade.split()}
        with suppress(ValueError):
            share = float(value.strip().rstrip("%")) / (100 if value.strip().endswith("%") else 1)
            told = {0 if share > 2 / 3 else 1 if share > 1 / 3 else 2} if 0 <= share <= 1 else set[int]()
        if len(told) == 1:
            return choices[told.pop()]
    named = [choice for choice in choices if choice in words or plain.startswith(choice)]
    return named[0] if len(named) == 1 else value


# --- days ------------------------------------------------------------------------------------------------------------


def _day(name: str, text: str) -> str | None:
    """A day in ISO form. Of a year or a month it is the last day, or the first where a range begins with it.

    The last day of the law asked for is never in the future: of this year it is today. A case's date keeps what it has.
    """
    if text.casefold() in _TODAY:
        return None if name == "at_date" else clock.today().isoformat()
    if text.casefold() in _YESTERDAY:
        return (clock.today() - timedelta(days=1)).isoformat()
    if (digits := _DIGITS.match(text)) is not None:
        month, day = digits["month"] or digits["mm"], digits["day"] or digits["dd"]
        return f"{digits['year']}-{int(month):02}-{int(day):02}"
    part = _PART.match(text)
    written = PartDate(int(part["year"]), int(part["month"] or 0) or None, None) if part is not None else _written(text)
    if isinstance(written, date):
        return written.isoformat()
    if written is None or not written.year:
        return text
    year, month = written.year, written.month
    if name == "date":
        return f"{year:04}-{month:02}" if month else f"{year:04}"
    if name == "date_from":
        return date(year, month or 1, 1).isoformat()
    last = date(year, month or 12, monthrange(year, month or 12)[1])
    return (min(last, clock.today()) if name == "at_date" else last).isoformat()


def _written(text: str) -> date | PartDate | None:
    """The day or the month of a year that a text is, in any known language; None where readers of dates differ."""
    found: set[date | PartDate] = set()
    for language in language_codes():
        for country in ("us", "gb"):  # they read 3/1/2024 as different days
            for figure in read_figures(text, language, country):
                if (figure.start, figure.end) == (0, len(text)) and isinstance(figure.value, (date, PartDate)):
                    found.add(figure.value)
    one = found.pop() if len(found) == 1 else None
    return None if isinstance(one, PartDate) and (one.year is None or one.day is not None) else one
