"""What people record beside the law itself: synonyms, court overrides, federal preemption. Checked before written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeVar

from psycopg.rows import class_row
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from rag.requests import checked_date
from rag.store.database import Connection, Database
from rag.store.reference_files import RejectedLine, read_records, read_rows
from retrieval.context.overrides import Override, Preemption
from retrieval.entry_points.phrases import UNSPACED, normalise_phrase, phrase_words, spoken_text, stem_dictionary
from retrieval.entry_points.synonyms import LONGEST_PHRASE, with_enclosing
from retrieval.errors import InputError
from retrieval.model import Record
from retrieval.nodes import versions_by_urn
from retrieval.paths import canonical_jurisdiction, is_urn, parse_urn, pattern_prefix
from retrieval.queries import QUERIES

_Row = TypeVar("_Row", bound=BaseModel)


class _Checked(BaseModel):
    """Base of rows: closed, blank fields count as missing, values never repeated in messages."""

    model_config = ConfigDict(defer_build=True, extra="forbid", hide_input_in_errors=True, str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _blank_is_missing(cls, values: object) -> object:
        if not isinstance(values, Mapping):
            return values
        return {key: value for key, value in values.items() if value not in (None, "")}  # pyright: ignore[reportUnknownVariableType]


class _Dated(_Checked):
    effective_from: date | None = None
    effective_to: date | None = None

    @field_validator("effective_from", "effective_to", mode="before")
    @classmethod
    def _iso_date(cls, value: object) -> object:
        try:
            return checked_date(value) if isinstance(value, str) else value
        except InputError as error:
            raise ValueError(error.message) from None

    @model_validator(mode="after")
    def _ordered(self) -> _Dated:
        if self.effective_from and self.effective_to and self.effective_to <= self.effective_from:
            raise ValueError("effective_to is not after effective_from")
        return self


def _pattern(value: str) -> str:
    return _urn(value, allow_pattern=True)


def _urn(value: str, *, allow_pattern: bool = False) -> str:
    try:
        return parse_urn(value, allow_pattern=allow_pattern).text
    except InputError as error:
        raise ValueError(error.message) from None


class NewOverride(_Dated):
    """A court's override of everything a URN pattern covers."""

    urn_pattern: str
    status: Literal["VOID", "ENJOINED", "SUSPENDED", "VACATED", "STAYED", "PREEMPTED", "LIMITED", "QUESTIONED"]
    severity: Literal["WARNING", "CRITICAL"] = "CRITICAL"
    court: str = Field(min_length=1, max_length=300)
    court_citation: str = Field(min_length=1, max_length=300)
    message: str = Field(default="", max_length=1000)

    _urn = field_validator("urn_pattern")(_pattern)


class NewPreemption(_Dated):
    """A federal rule that overlaps state rules."""

    federal_pattern: str
    state_pattern: str
    kind: Literal["express", "conflict", "field"]
    note: str = Field(default="", max_length=1000)
    authority: str = Field(default="", max_length=300)

    _urns = field_validator("federal_pattern", "state_pattern")(_pattern)


class NewSynonym(_Checked):
    """A colloquial phrase and what the law calls it: a term or a URN. A jurisdiction `*`, or none, means every one."""

    phrase: str = Field(min_length=1, max_length=200)
    target: str = Field(min_length=1, max_length=512)
    language: str = Field(pattern=r"^[a-z]{2}$")
    jurisdiction: str = ""
    weight: float = Field(default=1.0, gt=0, le=10)
    note: str = Field(default="", max_length=1000, exclude=True)  # for those who review the file; not recorded

    @field_validator("phrase")
    @classmethod
    def _phrase(cls, value: str) -> str:
        phrase = normalise_phrase(value)
        if not phrase:
            raise ValueError("the phrase has no words")
        return phrase

    @field_validator("target")
    @classmethod
    def _target(cls, value: str) -> str:
        target = _urn(value) if is_urn(value) else normalise_phrase(value)
        if not target:
            raise ValueError("the target has no words")
        return target

    @field_validator("jurisdiction")
    @classmethod
    def _jurisdiction(cls, value: str) -> str:
        try:
            return canonical_jurisdiction(value) if value not in ("", "*") else ""
        except InputError as error:
            raise ValueError(error.message) from None

    @model_validator(mode="after")
    def _can_be_found(self) -> NewSynonym:
        """A phrase that no look-up could find, or that would be found in every other word, helps nobody."""
        if self.language in UNSPACED:
            if len(spoken_text(self.phrase)) < 2:
                raise ValueError("the phrase has one sign only; in a language without spaces it needs two")
        elif (words := len(phrase_words(self.phrase, self.language))) > LONGEST_PHRASE:
            raise ValueError(f"the phrase has {words} words that it is compared by; the limit is {LONGEST_PHRASE}")
        return self

    @property
    def compared_words(self) -> str:
        """The words that it is found by, joined by spaces; in a language without spaces, the phrase as it is."""
        if self.language in UNSPACED:
            return spoken_text(self.phrase)
        return " ".join(word.word for word in phrase_words(self.phrase, self.language))


class ImportedSynonyms(Record):
    """What an import of synonyms did: rows recorded, and the lines that were left out because they are none."""

    recorded: int
    rejected: list[RejectedLine] = Field(default_factory=list[RejectedLine])


def add_override(database: Database, row: NewOverride) -> int:
    """Record an override; returns its number."""
    with database.write() as conn:
        return _insert_override(conn, row)


def covers_a_node(database: Database, urn_pattern: str) -> bool:
    """Whether the store has what a pattern names, as far as its literal part tells; a typo would name nothing."""
    prefix = pattern_prefix(urn_pattern)
    if prefix.count(":") < 3:
        return True
    with database.read() as conn:
        return bool(versions_by_urn(conn, [prefix]))


def add_preemption(database: Database, row: NewPreemption) -> int:
    """Record a preemption; returns its number."""
    with database.write() as conn:
        return _insert_preemption(conn, row)


def add_synonyms(database: Database, rows: Iterable[NewSynonym]) -> None:
    """Record synonyms, or their new weights, all or none; of two rows for one phrase and target, the last counts."""
    given = list({(row.phrase, row.language, row.jurisdiction, row.target): row for row in rows}.values())
    values = {
        "phrases": [synonym.phrase for synonym in given],
        "words": [synonym.compared_words for synonym in given],
        "dictionaries": [
            None if synonym.language in UNSPACED else stem_dictionary(synonym.language) for synonym in given
        ],
        "targets": [synonym.target for synonym in given],
        "languages": [synonym.language for synonym in given],
        "jurisdictions": [synonym.jurisdiction for synonym in given],
        "weights": [synonym.weight for synonym in given],
    }
    with database.write() as conn:
        conn.execute(QUERIES["insert_synonyms"], values)


def list_overrides(database: Database) -> list[Override]:
    """All overrides, ended ones included."""
    with database.read() as conn, conn.cursor(row_factory=class_row(Override)) as cursor:
        return cursor.execute(QUERIES["list_overrides"]).fetchall()


def list_preemption(database: Database) -> list[Preemption]:
    """All preemptions, ended ones included."""
    with database.read() as conn, conn.cursor(row_factory=class_row(Preemption)) as cursor:
        return cursor.execute(QUERIES["list_preemption"]).fetchall()


def list_synonyms(
    database: Database,
    beginning: str = "",
    limit: int = 1000,
    *,
    language: str | None = None,
    jurisdiction: str | None = None,
) -> list[NewSynonym]:
    """Synonyms in the order of their phrases.

    Args:
        database: the store.
        beginning: only phrases that start with these words.
        limit: rows at most.
        language: only those of one language, by ISO 639-1.
        jurisdiction: only those that apply in one: its own, those of what it lies in, and those of every
            jurisdiction; `*` for these alone.

    Raises:
        InputError: no such jurisdiction.
    """
    escaped = normalise_phrase(beginning).replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    places = None
    if jurisdiction is not None:
        places = ["", *(with_enclosing([canonical_jurisdiction(jurisdiction)]) if jurisdiction != "*" else [])]
    values = {"pattern": f"{escaped}%", "limit": limit, "language": language, "jurisdictions": places}
    with database.read() as conn:
        rows = conn.execute(QUERIES["list_synonyms"], values).fetchall()
    return [
        NewSynonym(phrase=row[0], target=row[1], language=row[2], jurisdiction=row[3], weight=row[4]) for row in rows
    ]


def end_override(database: Database, number: int, effective_to: date) -> None:
    """Let an override end; before it and up to that day it stays in effect.

    Raises:
        InputError: no such override, or it starts on or after that day.
    """
    _end(database, "end_override", number, effective_to)


def end_preemption(database: Database, number: int, effective_to: date) -> None:
    """Let a preemption end.

    Raises:
        InputError: no such preemption, or it starts on or after that day.
    """
    _end(database, "end_preemption", number, effective_to)


def _end(database: Database, query: Literal["end_override", "end_preemption"], number: int, day: date) -> None:
    with database.write() as conn:
        if not conn.execute(QUERIES[query], {"id": number, "effective_to": day}).fetchone():
            raise InputError(f"There is no number {number} that starts before {day.isoformat()}.")


def import_synonyms(database: Database, file: Path, *, skip_rejected: bool = False) -> ImportedSynonyms:
    """Load synonyms from a CSV with the columns phrase, target, language, jurisdiction, weight, or from JSON lines.

    Args:
        database: the store.
        file: the file; the last of two lines that give the same phrase and target decides the weight.
        skip_rejected: leave bad lines out, named in the result, instead of recording nothing.

    Raises:
        InputError: the file cannot be used, or has bad lines (each is named) and `skip_rejected` is not set.
    """
    found = read_records(file, NewSynonym)
    rows = found.rows if skip_rejected else found.checked()
    add_synonyms(database, rows)
    return ImportedSynonyms(recorded=len(rows), rejected=found.rejected)


def import_overrides(database: Database, file: Path) -> int:
    """Load overrides from a CSV whose columns are the fields of `NewOverride`; all rows or none."""
    return _import(database, file, NewOverride, _insert_override)


def import_preemption(database: Database, file: Path) -> int:
    """Load preemptions from a CSV whose columns are the fields of `NewPreemption`; all rows or none."""
    return _import(database, file, NewPreemption, _insert_preemption)


def _insert_override(conn: Connection, row: NewOverride) -> int:
    values = {**row.model_dump(), "pattern_prefix": pattern_prefix(row.urn_pattern)}
    return _number(conn, QUERIES["insert_override"], values)


def _insert_preemption(conn: Connection, row: NewPreemption) -> int:
    values = {**row.model_dump(), "state_prefix": pattern_prefix(row.state_pattern)}
    return _number(conn, QUERIES["insert_preemption"], values)


def _number(conn: Connection, query: Any, values: dict[str, Any]) -> int:
    row = next(conn.execute(query, values))
    return int(row[0])


def _import(database: Database, file: Path, kind: type[_Row], write: Callable[[Connection, _Row], object]) -> int:
    rows = read_rows(file, kind)
    with database.write() as conn:
        for row in rows:
            write(conn, row)
    return len(rows)
