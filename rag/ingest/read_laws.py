"""Has a language model read the laws of the store, a window at a time, and applies what it read. Resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from psycopg import Rollback
from pydantic import Field

from rag.ingest.export import StoredDocument, find_documents, stored_document
from rag.ingest.law_readings import Applied, LawWindows, Read, Window
from rag.ingest.pipeline import summarise
from rag.ingest.writing.law_readings import Counts, find_readings, read_window
from rag.ingest.writing.progress import Progress
from rag.ingest.writing.rows import words_hash
from rag.ingest.writing.store import document_rows, find_editions, load_history, store_document, stored_versions
from rag.law.nodes import ParsedNode
from rag.models.law_reading import LawReader
from rag.store.database import Connection, Database
from retrieval.context.material import READ_BY
from retrieval.errors import InputError, NotInStore
from retrieval.model import Record
from retrieval.nodes import stored_jurisdictions
from retrieval.paths import expand_jurisdictions, named_jurisdictions
from retrieval.providers.embedding import estimated_tokens
from retrieval.queries import QUERIES


class LawReadingReport(Record):
    """What reading laws took or would take, and what came of it. Counts are of this run."""

    documents: int  # with a window that no model has read, or that was read again
    windows: int  # of those documents that are to be read
    tokens: int  # that sending them takes, estimated
    read: int = 0  # windows that were read
    kept: int = 0
    dropped: dict[str, int] = Field(default_factory=dict[str, int])  # reason -> items that the law does not bear out
    limits: int = 0  # that the documents have now
    definitions: int = 0
    other_laws: int = 0
    usage: dict[str, int] = Field(default_factory=dict[str, int])  # kind -> tokens that the provider counted
    left: list[str] = Field(default_factory=list[str])  # documents that get it when they are ingested again


@dataclass(frozen=True, slots=True)
class Work:
    """A document with how many of its windows are to be read, and the tokens that sending them takes."""

    stored: StoredDocument
    windows: int
    tokens: int


def plan_reading(
    database: Database,
    *,
    jurisdiction: str | None = None,
    document: str | None = None,
    limit: int | None = None,
    again: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> list[Work]:
    """The documents with windows that are to be read, in the order of their URNs.

    Args:
        jurisdiction: of the store, with its subdivisions; all where it does not say.
        document: URN of a document or of a corpus.
        limit: the most windows in all; a document counts whole.
        again: read what was read before too.

    Raises:
        InputError: the URN names no document, or the store has no law of the jurisdiction.
    """
    work: list[Work] = []
    with database.read() as conn:
        found = _documents(conn, jurisdiction, document)
    for number, stored in enumerate(found):
        if limit is not None and sum(part.windows for part in work) >= limit:
            break
        if report is not None:
            report(Progress(number, len(found), stored.urn, 0, step="looking for what is not read"))
        with database.read() as conn:
            law = latest_law(conn, stored)
            windows = law.windows()
            readings = find_readings(conn, windows)
        known = {read.window.prompt.key for read in readings}
        due = [window for window in windows if again or window.prompt.key not in known]
        if due or not _is_applied(law, readings):
            work.append(Work(stored, len(due), sum(_tokens(window) for window in due)))
    return work


def stored_laws(conn: Connection) -> Iterator[LawWindows]:
    """All laws of the store, each by its latest edition."""
    return (latest_law(conn, stored) for stored in _documents(conn, None, None))


def _documents(conn: Connection, jurisdiction: str | None, document: str | None) -> list[StoredDocument]:
    codes = stored_jurisdictions(conn)
    if jurisdiction is not None:
        present, codes = codes, expand_jurisdictions(jurisdiction, codes)
        if not codes:
            raise NotInStore(named_jurisdictions(jurisdiction)[1], present)
    if document is None:
        corpora = conn.execute(QUERIES["list_corpora"], {"jurisdictions": codes}).fetchall()
        return [stored for (urn,) in corpora for stored in find_documents(conn, urn)]
    found = [stored for stored in find_documents(conn, document) if stored.jurisdiction in codes]
    if not found:
        raise InputError("There is no document of this URN in the store.")
    return found


def _is_applied(law: LawWindows, readings: Sequence[Read]) -> bool:
    """Whether the document has what was read in it, and says so."""
    return not readings or any(link.kind == READ_BY for link in law.document.links)


def told_plan(work: Sequence[Work]) -> LawReadingReport:
    """What reading some documents would take."""
    return LawReadingReport(
        documents=len(work), windows=sum(part.windows for part in work), tokens=sum(part.tokens for part in work)
    )


def _tokens(window: Window) -> int:
    return estimated_tokens(f"{window.prompt.instructions}\n{window.prompt.text}")


def read_laws(
    database: Database,
    reader: LawReader,
    work: Sequence[Work],
    *,
    today: date,
    again: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> LawReadingReport:
    """Have the windows of documents read and apply what was read, a document at a time.

    Raises:
        ProviderError: no usable reply came; what was read before it stays, and the next run goes on from there.
    """
    counts, applied, left = Counts(), Applied(), list[str]()
    total, done = sum(part.windows for part in work), 0
    for part in work:
        with database.read() as conn:
            law = latest_law(conn, part.stored)
            windows = law.windows()
            known = {read.window.prompt.key for read in find_readings(conn, windows)}
        for window in windows:
            if again or window.prompt.key not in known:
                if report is not None:
                    report(Progress(done, total, part.stored.urn, 0, step=f"window {done + 1} of {total}"))
                read_window(database, reader, law, window, counts)
                done += 1
        added = apply_readings(database, part.stored, today=today)
        if added is None:
            left.append(part.stored.urn)
            continue
        applied.limits += added.limits
        applied.definitions += added.definitions
        applied.other_laws += added.other_laws
    came = {
        "read": counts.windows, "kept": counts.kept, "dropped": counts.dropped, "limits": applied.limits,
        "definitions": applied.definitions, "other_laws": applied.other_laws, "usage": counts.usage, "left": left,
    }  # fmt: skip
    return told_plan(work).model_copy(update=came)


def apply_readings(database: Database, stored: StoredDocument, *, today: date) -> Applied | None:
    """Write a document's latest edition once more, with what models read in it.

    Returns:
        What that added; None where the store cannot say again what its source said, so that only an ingest of the
        source applies it.
    """
    applied: Applied | None = None
    with database.write() as conn:
        law = latest_law(conn, stored)
        applied = law.apply(find_readings(conn, law.windows()))
        written = store_document(conn, law.document, document_rows(law.document), today=today, effective=None)
        if written.new_versions:
            applied = None
            raise Rollback
    summarise(database)
    return applied


def latest_law(conn: Connection, stored: StoredDocument) -> LawWindows:
    """A document as its latest edition shows it, annotated, under the name and digest of that edition's source."""
    document = stored_document(conn, stored)
    key = {"jurisdiction": stored.jurisdiction, "document_id": stored.id}
    [(source_hash, parser_version)] = conn.execute(QUERIES["find_source_of"], key).fetchall()
    format_, _, version = parser_version.rpartition("/")
    versions = stored_versions(conn, stored.jurisdiction, stored.id)
    editions = find_editions(conn, stored.jurisdiction, stored.id)
    shown = load_history(conn, stored.jurisdiction, stored.id, editions, versions).steps
    dates = {
        (urn, showing.source_hash): showing for urn, steps in shown.items() if steps for showing in steps[-1].shown
    }
    nodes = list[ParsedNode]()
    for node in document.nodes:
        showing = dates.pop((node.urn, words_hash(node, stored.language)), None)
        if showing is not None:
            nodes.append(replace(node, valid_from=showing.valid_from, valid_to=showing.valid_to))
    urns = {node.urn for node in nodes}
    document = replace(
        document, nodes=nodes, format=format_, parser_version=int(version), source_hash=source_hash, warnings=[],
        definitions=[definition for definition in document.definitions
            if {definition.node_urn, definition.scope_urn} <= urns],
        links=[link for link in document.links if link.source_urn in urns],
    )  # fmt: skip
    return LawWindows(document)
