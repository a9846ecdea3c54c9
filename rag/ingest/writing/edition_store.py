"""Editions in the store: which there are, what they show, and of which day a document speaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from psycopg.rows import class_row
from psycopg.types.range import DateRange

from rag.ingest.writing.editions import UNKNOWN_DAY, History, Showing, Step
from rag.ingest.writing.versions import StoredVersion, VersionPlan
from rag.law.nodes import ParsedDocument
from rag.store.database import Connection
from retrieval.nodes import CHANGED_BETWEEN
from retrieval.queries import QUERIES


@dataclass(frozen=True, slots=True)
class Edition:
    """A stored edition, as one of its files gave it."""

    day: date
    source: str
    dated: bool
    source_hash: str
    generation: int


@dataclass(frozen=True, slots=True)
class EditionDay:
    """The day of which a document speaks, and whether its source says so."""

    day: date
    dated: bool


def find_editions(conn: Connection, jurisdiction: str, document_id: int) -> list[Edition]:
    """The editions of a document, oldest first."""
    with conn.cursor(row_factory=class_row(Edition)) as cursor:
        values = {"jurisdiction": jurisdiction, "document_id": document_id}
        return cursor.execute(QUERIES["find_editions"], values).fetchall()


def edition_day(
    document: ParsedDocument, editions: Sequence[Edition], *, today: date, effective: date | None
) -> EditionDay:
    """The day of which a document speaks.

    A source that is known keeps its day. Otherwise it is the user's, the edition's own, or that of the latest
    dated change in it; a document that says nothing of its time speaks of today, unless it is the first one known.
    An edition that dates itself may have the very words of an earlier one: there the file's name must be the same too.

    Args:
        document: parsed.
        editions: those that the store has of it.
        today: the day of the ingest.
        effective: the user's date for what the source does not date.
    """
    last_undated = max((one.generation for one in editions if not one.dated), default=0)
    for one in editions:
        same = one.source_hash == document.source_hash and (one.dated or one.generation == last_undated)
        if same and (document.edition_date is None or one.source == document.source):
            return EditionDay(one.day, one.dated)
    if effective is not None:
        return EditionDay(effective, document.edition_date is not None)
    if document.edition_date is not None:
        return EditionDay(document.edition_date, True)
    newest = max((one for node in document.nodes if (one := node.valid_from) and one <= today), default=None)
    # Other words without a later date are a change that the source does not date.
    if newest is not None and all(one.day != newest for one in editions):
        return EditionDay(newest, True)
    return EditionDay(today if editions else UNKNOWN_DAY, False)


def load_history(
    conn: Connection, jurisdiction: str, document_id: int, editions: Sequence[Edition], stored: Sequence[StoredVersion]
) -> History:
    """What the stored editions of a document show."""
    days = sorted({one.day for one in editions})
    history = History(days)
    if len(days) == 1:  # what the one edition shows is what is stored
        for one in stored:
            _take(history, one.urn, days[0], Showing(one.source_hash, one.valid_from, one.valid_to))
    elif days:
        values = {"jurisdiction": jurisdiction, "document_id": document_id}
        for urn, since, valid_from, valid_to, source_hash in conn.execute(QUERIES["find_edition_nodes"], values):
            _take(history, urn, since, Showing(source_hash, valid_from, valid_to) if source_hash else None)
    return history


def _take(history: History, urn: str, since: date, showing: Showing | None) -> None:
    steps = history.steps.setdefault(urn, [])
    if steps and steps[-1].since == since and showing is not None:
        steps[-1] = Step(since, (*steps[-1].shown, showing))
    else:
        steps.append(Step(since, () if showing is None else (showing,)))


def store_edition(conn: Connection, jurisdiction: str, document_id: int, edition: Edition, parser_version: str) -> None:
    """Record an edition, inside its document's transaction; `parser_version` has its format's name in it."""
    conn.execute(
        QUERIES["upsert_edition"],
        {
            "jurisdiction": jurisdiction, "document_id": document_id, "day": edition.day, "source": edition.source,
            "dated": edition.dated, "source_hash": edition.source_hash, "parser_version": parser_version,
            "generation": edition.generation,
        },
    )  # fmt: skip


def store_steps(
    conn: Connection,
    jurisdiction: str,
    document_id: int,
    day: date,
    history: History,
    plan: VersionPlan,
    *,
    stored_before: int,
) -> None:
    """Record what an edition changes of its document's history.

    Args:
        conn: inside the document's transaction.
        jurisdiction: the document's.
        document_id: the document's.
        day: the edition's.
        history: with the edition in it.
        plan: what the edition changed.
        stored_before: of how many days there were editions before; of one, nothing of the history is stored yet.
    """
    key = {"jurisdiction": jurisdiction, "document_id": document_id}
    if len(history.days) > 1:
        days = {day, plan.following}
        if stored_before > 1:
            values = {**key, "urns": plan.changed, "days": [one for one in days if one is not None]}
            conn.execute(QUERIES["delete_edition_nodes"], values)
            _copy(conn, key, ((urn, step) for urn in plan.changed for step in history.steps[urn] if step.since in days))
        else:
            _copy(conn, key, ((urn, step) for urn, steps in history.steps.items() for step in steps))
    if plan.missing:
        conn.execute(QUERIES["forget_other_editions"], {**key, "day": day})


def mark_gaps(
    conn: Connection, jurisdiction: str, document_id: int, history: History, editions: Iterable[Edition]
) -> None:
    """Tag the versions of a document that a change between two editions ends on a day which nothing tells.

    Everything is derived anew from the history, so that the order of ingest does not matter.

    Args:
        conn: inside the document's transaction, after its versions are written.
        jurisdiction: the document's.
        document_id: the document's.
        history: with all editions in it.
        editions: all of them.
    """
    if len(history.days) < 2:
        return
    dated = {one.day for one in editions if one.dated}
    gaps = [(urn, gap) for urn in sorted(history.steps) for gap in history.gaps(urn, dated)]
    conn.execute(
        QUERIES["mark_gaps"],
        {
            "jurisdiction": jurisdiction, "document_id": document_id, "tag": CHANGED_BETWEEN,
            "urns": [urn for urn, _ in gaps], "sinces": [gap.since for _, gap in gaps],
            "untils": [gap.until for _, gap in gaps], "begins": [gap.begins for _, gap in gaps],
        },
    )  # fmt: skip


def _copy(conn: Connection, key: Mapping[str, object], steps: Iterable[tuple[str, Step]]) -> None:
    with conn.cursor() as cursor, cursor.copy(QUERIES["copy_edition_nodes"]) as copy:
        for urn, step in steps:
            for one in step.shown or (Showing("", None, None),):
                stated = DateRange(one.valid_from, one.valid_to)
                copy.write_row((key["jurisdiction"], key["document_id"], urn, step.since, stated, one.source_hash))
