"""The tables of a country that no code is needed to read or extend: `laws.toml` and `examples.toml`.

The head of each file explains its columns. What a file may say is checked here; an error names the file, the entry and
what to do. The setting `laws` names a folder with more laws, one file a country: `de.toml`, `fr.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields as columns_of
from datetime import date
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from rag.settings import load_settings
from retrieval.errors import ConfigurationError, InputError
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery

_HERE = Path(__file__).parent
_ID = re.compile(r"[a-z0-9][a-z0-9.-]*\Z")


@dataclass(frozen=True, slots=True)
class LawEntry:
    """One law of `laws.toml`, with its columns as the head of the file explains them.

    `id` is the last part of the law's URN, empty for law that is recognised and has none.
    """

    title: str
    id: str = ""
    names: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    english: tuple[str, ...] = ()
    english_alone: tuple[str, ...] = ()
    language: str = ""
    since: date | None = None
    number: str = ""
    counts: str = ""
    certain: str = ""
    tag: str = ""
    doubtful: tuple[str, ...] = ()
    any_case: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    alone: bool = True


@dataclass(frozen=True, slots=True)
class LawTable:
    """A `laws.toml`: its laws, and the lists of words that are none of them."""

    laws: tuple[LawEntry, ...]
    words: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Text:
    """One entry of `examples.toml` with the URNs that a text holds."""

    text: str
    urns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reference:
    """One entry of `examples.toml` with the queries that a string is read as."""

    text: str
    queries: tuple[Mapping[str, object], ...] = ()


Entry = TypeVar("Entry", LawEntry, _Text, _Reference)
_KINDS: dict[str, tuple[type, str]] = {
    "str": (str, 'words in quotation marks, such as "BGB"'),
    "date | None": (date, "a day without quotation marks, such as 1978-01-06"),
    "bool": (bool, "true or false"),
    "tuple[str, ...]": (list, 'a list of words, such as ["BGB", "StGB"]'),
    "tuple[Mapping[str, object], ...]": (list, "a list of queries in curly brackets"),
}


def read_laws(path: Path) -> LawTable:
    """The laws of a file.

    Raises:
        ConfigurationError: it cannot be read, or an entry says what its columns do not allow.
    """
    content = _content(path)
    laws = _entries(path, content.pop("law", []), LawEntry)
    for number, law in enumerate(laws, start=1):
        if law.id and _ID.match(law.id) is None:
            raise _refused(path, number, law.title, "id has lower-case letters, digits, hyphens and points only")
        named = (
            *law.names,
            *law.abbreviations,
            *law.english,
            *law.english_alone,
            *law.doubtful,
            *law.any_case,
            *law.letters,
        )
        if not all(name.strip() == name and name for name in (law.title, *named)):
            raise _refused(path, number, law.title, "a name is empty or has a space before or behind it; remove that")
    words: dict[str, tuple[str, ...]] = {}
    for key, listed in content.items():
        if not _is_list_of(listed, str):
            raise ConfigurationError(f"{path}: {key} is not a list of words. Laws begin with the line [[law]].")
        words[key] = tuple(cast("list[str]", listed))
    return LawTable(laws, words)


def has_laws(country: str) -> bool:
    """Whether a country of this folder has a table of laws."""
    return (_HERE / country / "laws.toml").is_file()


@cache
def laws_of(country: str, own_file: Path | None = None) -> LawTable:
    """The laws of a country's folder, and after them those of the folder that the setting `laws` names.

    Args:
        own_file: the `laws.toml` of a country of another package, which has no folder here.

    Raises:
        ConfigurationError: see `read_laws`.
    """
    own = read_laws(own_file or _HERE / country / "laws.toml")
    folder = load_settings().laws
    if folder is None or not (more := folder / f"{country}.toml").is_file():
        return own
    added = read_laws(more)
    return LawTable((*own.laws, *added.laws), {**own.words, **added.words})


class WithExamples:
    """A grammar whose examples are in its country's `examples.toml`; they are read when first asked for.

    `also` are jurisdictions of the same folder whose references it has to read alike.
    """

    code = ""
    also: tuple[str, ...] = ()

    @property
    def examples(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each text with the URNs in it."""
        return tuple((entry.text, entry.urns) for entry in _examples(self.code)[0])

    @property
    def query_examples(self) -> tuple[tuple[str, tuple[TagQuery, ...]], ...]:
        """Each reference with its queries."""
        return tuple(read for code in (self.code, *self.also) for read in _examples(code)[1])


_Read = tuple[tuple[_Text, ...], tuple[tuple[str, tuple[TagQuery, ...]], ...]]


@cache
def _examples(code: str) -> _Read:
    path = _HERE / code.partition("-")[0] / "examples.toml"
    content = _content(path)
    own = content.get(code)
    if not isinstance(own, dict) or not own.keys() <= {"text", "reference"}:
        raise ConfigurationError(f"{path}: entries begin with the line [[{code}.text]] or [[{code}.reference]].")
    own = cast("dict[str, object]", own)
    texts = _entries(path, own.get("text", []), _Text)
    references = _entries(path, own.get("reference", []), _Reference)
    language = str(content.get("language", "en"))
    queries = (
        (entry.text, tuple(_query(path, number, entry, told, language) for told in entry.queries))
        for number, entry in enumerate(references, start=1)
    )
    return texts, tuple(queries)


_QUERY = frozenset({"urn", "where", "language", "kind", "hint", "at_date", "in_force_first"})


def _query(path: Path, number: int, entry: _Reference, told: Mapping[str, object], language: str) -> TagQuery:
    """One query: by `urn`, or `where` each filter is a list such as ["court", "in", ["ag", "lg"]]."""
    if unknown := told.keys() - _QUERY:
        raise _refused(path, number, entry.text, f"a query has no {', '.join(sorted(unknown))}")
    said = {"where": [["urn", "eq", told["urn"]]] if "urn" in told else [], "language": language, **told}
    try:
        filters = tuple(_filter(*given) for given in cast("list[list[str]]", said["where"]))
        return TagQuery(
            language=cast("str", said["language"]), kind=cast("str | None", said.get("kind")),
            tag_filters=TagFilterSet(filters), hint=cast("str | None", said.get("hint")),
            at_date=cast("date | None", said.get("at_date")), should_sort_in_force_first="in_force_first" in said,
        )  # fmt: skip
    except (TypeError, ValueError, KeyError, InputError) as error:
        raise _refused(path, number, entry.text, f"a query cannot be read ({error})") from error


def _filter(key: str, op: str, value: str | list[str] | None = None, pattern: str = "") -> TagFilter:
    return TagFilter(key, TagFilterOp(op), value, NORMALIZE_PATTERNS[pattern] if pattern else None)


# Reading a file


def _content(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is no TOML file in UTF-8: {error}.") from error


def _refused(path: Path, number: int, title: str, cause: str) -> ConfigurationError:
    return ConfigurationError(f"{path}, entry {number} ({title}): {cause}.")


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in cast("list[object]", value))


def _entries(path: Path, listed: object, entry: type[Entry]) -> tuple[Entry, ...]:
    """The entries of one kind, each checked against the columns of it."""
    if not _is_list_of(listed, dict):
        raise ConfigurationError(f"{path}: every entry begins with its heading in double square brackets.")
    columns = {column.name: str(column.type) for column in columns_of(entry)}
    first = next(iter(columns))
    found: list[Entry] = []
    for number, told in enumerate(cast("list[dict[str, object]]", listed), start=1):
        title = str(told.get(first, "without a " + first))
        if not told.get(first):
            raise _refused(path, number, title, f"write its {first}")
        given: dict[str, object] = {}
        for name, value in told.items():
            if name not in columns:
                raise _refused(path, number, title, f"the column {name} is unknown; known are {', '.join(columns)}")
            kind, wanted = _KINDS[columns[name]]
            inner = dict if "Mapping" in columns[name] else str
            if not isinstance(value, kind) or (kind is list and not _is_list_of(value, inner)):
                raise _refused(path, number, title, f"{name} takes {wanted}")
            given[name] = tuple(cast("list[object]", value)) if kind is list else value
        found.append(cast("type[object]", entry)(**given))  # pyright: ignore[reportCallIssue, reportArgumentType]
    return tuple(found)
