"""What people record beside the law itself: synonyms, court overrides, federal preemption. Checked before written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeVar

from psycopg.rows import class_row
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from rag import clock
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


def _iso_day(value: object) -> object:
    try:
        return checked_date(value) if isinstance(value, str) else value
    except InputError as error:
        raise ValueError(error.message) from None


class _Dated(_Checked):
    effective_from: date | None = None
    effective_to: date | None = None

    _iso_date = field_validator("effective_from", "effective_to", mode="before")(_iso_day)

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
    source: str = Field(default="", max_length=500)  # where it was read: a file, an address
    checked_on: date | None = None  # when somebody last compared it with what the court says; None: when recorded
    check_by: date | None = None  # when somebody has to do so again

    _urn = field_validator("urn_pattern")(_pattern)
    _days = field_validator("checked_on", "check_by", mode="before")(_iso_day)

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it the same entry in a file read again."""
        return self.urn_pattern, self.status, self.court, self.court_citation


class OverrideRow(NewOverride):
    """An override as it is recorded."""

    id: int


class OverrideChanges(Record):
    """What an import of overrides changes, in the order of the file; each entry by pattern, status and citation."""

    recorded: int  # rows of the file
    added: list[str]
    changed: list[str]
    ended: list[str]  # recorded entries in effect that the file does not have
    unchanged: int
    done: bool  # False: only shown


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
        return add_override_row(conn, row)


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
        beginning: only phrases that start with these words.
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
        file: the file; the last of two lines that give the same phrase and target decides the weight.
        skip_rejected: leave bad lines out, named in the result, instead of recording nothing.

    Raises:
        InputError: the file cannot be used, or has bad lines (each is named) and `skip_rejected` is not set.
    """
    found = read_records(file, NewSynonym)
    rows = found.rows if skip_rejected else found.checked()
    add_synonyms(database, rows)
    return ImportedSynonyms(recorded=len(rows), rejected=found.rejected)


def import_overrides(
    database: Database, file: Path, *, replace: bool = False, show_only: bool = False
) -> OverrideChanges:
    """Bring the overrides to what a CSV says whose columns are the fields of `NewOverride`; all rows or none.

    An entry is known again by pattern, status, court and citation: reading a file twice changes nothing but the day on
    which its entries were checked.

    Args:
        replace: the file is the whole set: entries in effect that it does not have end today.
        show_only: say what would change, and change nothing.

    Raises:
        InputError: the file cannot be used; every bad line is named.
    """
    today = clock.today()
    given = {row.key: row for row in read_rows(file, NewOverride)}
    with database.write() as conn:
        with conn.cursor(row_factory=class_row(OverrideRow)) as cursor:
            known = {row.key: row for row in cursor.execute(QUERIES["list_override_rows"])}
        added = [row for key, row in given.items() if key not in known]
        changed = [row for key, row in given.items() if key in known and _said(row) != _said(known[key])]
        ended = [
            row for key, row in known.items()
            if replace and key not in given and (row.effective_to is None or row.effective_to > today)
        ]  # fmt: skip
        if not show_only:
            for row in given.values():
                if row.key not in known:
                    add_override_row(conn, _from_file(row, file, today))
                else:
                    values = _from_file(row, file, today).model_dump()
                    conn.execute(QUERIES["update_override"], {**values, "id": known[row.key].id})
            for row in ended:
                if row.effective_from is not None and row.effective_from >= today:
                    raise InputError(f"Override {row.id} begins later and is not in {file.name}: end it by hand first.")
                conn.execute(QUERIES["end_override"], {"id": row.id, "effective_to": today})
    return OverrideChanges(
        recorded=len(given), added=[_named(row) for row in added], changed=[_named(row) for row in changed],
        ended=[_named(row) for row in ended], unchanged=len(given) - len(added) - len(changed), done=not show_only,
    )  # fmt: skip


def check_override(database: Database, number: int, on: date, again_by: date | None = None) -> None:
    """Note that somebody compared an override with the court's records.

    Raises:
        InputError: no such override.
    """
    with database.write() as conn:
        values = {"id": number, "checked_on": on, "check_by": again_by}
        if not conn.execute(QUERIES["check_override"], values).fetchone():
            raise InputError(f"There is no override {number}.")


def _from_file(row: NewOverride, file: Path, today: date) -> NewOverride:
    return row.model_copy(update={"source": row.source or file.name, "checked_on": row.checked_on or today})


def _said(row: NewOverride) -> tuple[object, ...]:
    """What a reader of an answer would see change."""
    return row.severity, row.message, row.effective_from, row.effective_to


def _named(row: NewOverride) -> str:
    return f"{row.urn_pattern} {row.status} ({row.court_citation})"


def import_preemption(database: Database, file: Path) -> int:
    """Load preemptions from a CSV whose columns are the fields of `NewPreemption`; all rows or none."""
    return _import(database, file, NewPreemption, _insert_preemption)


def add_override_row(conn: Connection, row: NewOverride) -> int:
    """Record an override in a transaction that does more; returns its number."""
    checked = row.checked_on or clock.today()
    values = {**row.model_dump(), "checked_on": checked, "pattern_prefix": pattern_prefix(row.urn_pattern)}
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
