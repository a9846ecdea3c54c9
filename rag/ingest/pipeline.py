"""The way of a document into the store: discover, skip what is unchanged, parse, annotate, store, embed, resolve."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path, PurePosixPath

from psycopg import Rollback, errors
from pydantic import BaseModel, ConfigDict

from rag.ingest.formats.base import Format, Source
from rag.ingest.formats.plain.source import Place, refuse_namesakes
from rag.ingest.formats.registry import Discovery, discover
from rag.ingest.reading import Key, Known, Unreadable, WholeFile, annotate_once, processes, reading
from rag.ingest.writing.edges import resolve_edges
from rag.ingest.writing.embed import Vectors, count_rules_without_vectors, index_vectors
from rag.ingest.writing.law_readings import LawReadings
from rag.ingest.writing.progress import Pace, Progress
from rag.ingest.writing.rows import NodeRow, fitting_the_index
from rag.ingest.writing.sections import make_sections
from rag.ingest.writing.store import Corpora, StoredDocument, document_rows, store_document
from rag.ingest.writing.transactions import note_analyzed, write_again
from rag.law.nodes import ParsedDocument
from rag.models.law_reading import LawReader
from rag.store.database import Connection, Database
from retrieval.cluster import is_distributed
from retrieval.errors import IngestError, InputError, ProviderError
from retrieval.nodes import stored_jurisdictions
from retrieval.providers.embedding import Embedder
from retrieval.queries import QUERIES

logger = logging.getLogger(__name__)

_CONSTRAINT = re.compile("unique_active_version|_pkey|_key")  # a shard's has its number behind


class Rejected(BaseModel):
    """A file that is not in the store, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    line: int | None
    cause: str


SKIPPED_NAMED = 5
_LEAST_PACKED = 2_000  # nodes of a run; with fewer there is nothing to gain from indexes made anew
_SHARE_PACKED = 0.1  # of the nodes that the store has then: the price is at most a tenth of what the run has cost
_GROWN = 0.1  # new nodes for each that the planner knows of, from which on it is told of them at once


class IngestReport(BaseModel):
    """What an ingest did. Counts are of this run; `unchanged` are documents skipped by their source hash."""

    model_config = ConfigDict(extra="forbid")

    documents: int = 0
    nodes: int = 0
    definitions: int = 0
    edges: int = 0
    resolved: int = 0
    unchanged: int = 0
    rejected: list[Rejected] = []
    skipped: dict[str, int] = {}  # reason -> files
    skipped_files: dict[str, list[str]] = {}  # reason -> names of the first SKIPPED_NAMED of them
    warnings: list[str] = []
    seconds: float = 0.0


def ingest(
    database: Database,
    paths: Iterable[Path],
    *,
    today: date,
    effective: date | None = None,
    only: Format | None = None,
    place: Place | None = None,
    embedder: Embedder | None = None,
    reader: LawReader | None = None,
    report: Callable[[Progress], None] | None = None,
    jobs: int = 1,
    again: bool = False,
) -> IngestReport:
    """Bring the store to what the files say; run again, it skips what it has.

    Args:
        today: date of changes that nothing else dates.
        effective: the user's date for changes that the source does not date.
        only: take every file as this format instead of asking all.
        place: where plain documents belong; None leaves them out and reports them as skipped.
        embedder: for the dense leg; None leaves the vectors to be made later, so that nothing waits for them.
        reader: reads what no model has read; None applies what was read before.
        report: called after each source, and with a step before whatever may take long within one.
        jobs: processes that read; 0 is one for each core. The store and the report are the same for every number.
        again: read unchanged files too, since the countries and languages of other packages may have changed.

    Returns:
        The report. Rejected files are in it, and the others went on.

    Raises:
        InputError: no path, or a negative number of jobs.
        StoreError: the database failed; finished documents stay stored.
    """
    jobs, paths = processes(jobs), [*paths]
    if not paths:
        raise InputError("No file or folder is named, so there is nothing to ingest.")
    started = time.monotonic()
    result = IngestReport()
    found = _discover_all(paths, only, place, result)
    vectors = _Embedding(database, embedder, result)
    names = sorted({source.path.name for _, source in found})
    known = _known_documents(database, names)
    corpora, readings = Corpora(database), LawReadings(database, reader)
    pace = Pace([source for _, source in found])
    skipping = Known(frozenset(), {}) if again else Known(frozenset(known), _known_files(database, names))
    with reading(found, skipping, jobs) as sources:
        for source, documents in sources:
            if report:
                report(pace.during(source.name, "reading", result.nodes))
            for read in documents:
                if isinstance(read, Unreadable):
                    result.rejected.append(Rejected(file=read.file, line=read.line, cause=read.cause))
                elif isinstance(read, WholeFile):
                    _note_file(database, read)
                elif read.document is None:
                    result.unchanged += 1
                    vectors.add(source.name, *known[read.key])  # what an earlier run could not embed
                else:
                    if report:
                        report(pace.during(source.name, f"storing {len(read.document.nodes):,} nodes", result.nodes))
                    with _noted(result, source.name):
                        stored = ingest_document(
                            database, read.document, today=today, effective=effective, result=result,
                            corpora=corpora, readings=readings,
                        )  # fmt: skip
                        vectors.add(source.name, stored.jurisdiction, stored.document_id, changed=True)
            if report:
                report(pace.after(source, result.nodes))
    if report and result.documents:
        report(pace.during("all documents", "looking up their references", result.nodes))
    _finish(database, result, vectors.documents)
    result.warnings += [readings.warning] if readings.warning else []
    if not result.documents and not result.unchanged:
        left = f"rejected {len(result.rejected)}, skipped {sum(result.skipped.values())}"
        logger.warning("ingest: nothing of what was named is in the store: %s", left)
        result.warnings.append(f"nothing: of what was named nothing is in the store ({left})")
    result.seconds = round(time.monotonic() - started, 3)
    return result


def _discover_all(
    paths: Iterable[Path], only: Format | None, place: Place | None, result: IngestReport
) -> list[tuple[Format, Source]]:
    found: list[tuple[Format, Source]] = []
    for path in paths:
        try:
            here = discover(path, only, place)
        except IngestError as error:
            here = Discovery(rejected=[error])
        found.extend(here.sources)
        result.rejected.extend(Rejected(file=error.file, line=error.line, cause=error.cause) for error in here.rejected)
        parts = sum(len(source.parts) for _, source in here.sources)
        for file, reason in (*here.skipped, *((unread, "of no known format") for unread in here.other)):
            result.skipped[reason] = result.skipped.get(reason, 0) + 1
            named = result.skipped_files.setdefault(reason, [])
            named += [file] if len(named) < SKIPPED_NAMED else []
        logger.debug("found %d documents in %d further files", len(here.sources), parts)
    kept, namesakes = refuse_namesakes(found)
    result.rejected.extend(Rejected(file=error.file, line=error.line, cause=error.cause) for error in namesakes)
    return kept


def _known_documents(database: Database, names: list[str]) -> dict[Key, tuple[str, int]]:
    """What stored editions of files with these names are recognised by -> their documents' jurisdiction and id."""
    with database.read() as conn:
        rows = conn.execute(QUERIES["find_document_hashes"], {"names": names}).fetchall()
    return {
        (digest, version, PurePosixPath(source).name): (jurisdiction, number)
        for digest, version, source, jurisdiction, number in rows
    }


def _known_files(database: Database, names: list[str]) -> dict[Key, list[str]]:
    with database.read() as conn:
        rows = conn.execute(QUERIES["find_source_files"], {"names": names}).fetchall()
    return {(digest, version, source): documents for digest, version, source, documents in rows}


def _note_file(database: Database, file: WholeFile) -> None:
    digest, version, source = file.key
    values = {"source": source, "parser_version": version, "source_hash": digest, "documents": list(file.documents)}
    with database.write() as conn:
        conn.execute(QUERIES["flush_later"])
        conn.execute(QUERIES["upsert_source_file"], values)


@contextmanager
def _noted(result: IngestReport, name: str) -> Generator[None]:
    """One document of a source that cannot be stored is reported, and the next is read."""
    try:
        yield
    except IngestError as error:
        _reject(result, name, error)


def _reject(result: IngestReport, name: str, error: IngestError) -> None:
    result.rejected.append(Rejected(file=error.file or name, line=error.line, cause=error.cause))


class _Embedding:
    """Embeds documents as they come; a provider that fails is not asked again in this run, and the report says so."""

    def __init__(self, database: Database, embedder: Embedder | None, result: IngestReport) -> None:
        self._vectors = Vectors(database, embedder) if embedder else None
        self._result = result
        self.documents: dict[str, list[int]] = {}  # jurisdiction -> documents that got vectors

    def add(self, name: str, jurisdiction: str, document_id: int, *, changed: bool = False) -> None:
        """Embed what of a document has no vector yet; of one just written also what stands under a new heading."""
        if self._vectors is None:
            return
        try:
            done = self._vectors.embed_document(jurisdiction, document_id, changed=changed)
        except ProviderError as error:
            self._vectors = None
            self._result.warnings.append(
                f"{name}: stored, but not embedded, nor is what follows: {error.message}. "
                "`lexscope embed` goes on from there."
            )
            return
        if done.texts:
            self.documents.setdefault(jurisdiction, []).append(document_id)
        if done.shortened:
            self._result.warnings.append(f"{name}: {done.shortened} texts were embedded by their beginning only")


def ingest_document(
    database: Database,
    document: ParsedDocument,
    *,
    today: date,
    effective: date | None,
    result: IngestReport,
    rows: list[NodeRow] | None = None,
    corpora: Corpora | None = None,
    readings: LawReadings | None = None,
) -> StoredDocument:
    """Annotate and store one parsed document, and add its counts to the report.

    Args:
        today: date of changes that nothing else dates.
        effective: the user's date for changes that the source does not date.
        rows: the document's rows where they are made already.
        corpora: what earlier documents of the run have seen to.
        readings: the run's readings by models; those that are stored where it does not say.

    Raises:
        IngestError: it contradicts itself or another document; nothing of it is written.
    """
    annotate_once(document)
    (readings or LawReadings(database)).apply(document)
    named = f"{document.source}:"  # some parsers begin with it themselves, to name a line
    result.warnings.extend(
        warning if warning.startswith(named) else f"{named} {warning}" for warning in document.warnings
    )
    made = document_rows(document) if rows is None else rows
    (corpora or Corpora(database)).prepare(document, today=today)
    try:
        stored = write_again(database, lambda conn: _store(conn, document, made, today, effective))
    except _TooLong:
        fitting = [fitting_the_index(row) for row in made]
        cut = [
            (row.node.urn, len(fitted.search_body)) for row, fitted in zip(made, fitting, strict=True) if row != fitted
        ]
        if not cut:
            raise
        stored = write_again(database, lambda conn: _store(conn, document, fitting, today, effective))
        result.warnings.extend(
            f"{named} {urn}: search finds the first {length:,} characters of this text only; it is stored whole"
            for urn, length in cut
        )
    result.warnings.extend(stored.warnings)
    result.documents += 1
    result.nodes += stored.nodes
    result.definitions += stored.definitions
    result.edges += stored.edges
    result.resolved += stored.resolved
    return stored


class _TooLong(IngestError):
    """Something is longer than an index of the server takes."""


def _store(
    conn: Connection, document: ParsedDocument, rows: list[NodeRow], today: date, effective: date | None
) -> StoredDocument:
    try:
        return store_document(conn, document, rows, today=today, effective=effective)
    except (errors.ExclusionViolation, errors.UniqueViolation):
        raise _conflict(document) from None
    except errors.InternalError_ as error:
        # What a worker of a cluster refuses can arrive without its code; it is told by the constraint's name.
        if not _CONSTRAINT.search(error.diag.message_primary or ""):
            raise
        raise _conflict(document) from None
    except errors.ProgramLimitExceeded:
        raise _TooLong("a heading, an id or a text is too long for the store's indexes", file=document.source) from None


def _conflict(document: ParsedDocument) -> IngestError:
    return IngestError("two versions of one node are in force at once", file=document.source)


def _finish(database: Database, result: IngestReport, embedded: Mapping[str, Sequence[int]]) -> None:
    """What is done once for a run, and for one that was killed before it: what is derived across documents."""
    index_vectors(database)
    result.resolved += summarise(database)
    make_sections(database, embedded)
    with database.write() as conn:
        distributed = is_distributed(conn)
        if not distributed:
            conn.execute(QUERIES["clean_pending"])
    if distributed:
        result.warnings += vacuum_nodes(database)
    else:
        pack_indexes(database, result.nodes)


def pack_indexes(database: Database, written: int) -> int:
    """Build the B-trees of law anew, each in a transaction of its own, which readers wait for: 2 s a million nodes.

    Keys that come in the middle of an index leave its pages half full; anew it takes two thirds of the room (0087).

    Args:
        database: the store, on one server.
        written: nodes of the documents that the run stored.

    Returns:
        How many; none after a run that is small beside the store, and no more where others write for half a second.
    """
    if written < _LEAST_PACKED:
        return 0
    with database.write() as conn:
        known = conn.execute(QUERIES["estimate_nodes"]).fetchone()
        names = [name for (name,) in conn.execute(QUERIES["list_packed"])]
    if known is None or written < _SHARE_PACKED * known[0]:
        return 0
    for packed, name in enumerate(names):
        with database.write() as conn:
            try:
                conn.execute(QUERIES["pack_index"], {"index": name})
                continue
            except errors.LockNotAvailable:
                raise Rollback from None
        return packed
    return len(names)


def vacuum_nodes(database: Database) -> list[str]:
    """Merge new rows into the indexes of words on every worker of a cluster; what to say where the role may not."""
    with database.admin() as conn:
        if conn.execute(QUERIES["may_vacuum_nodes"]).fetchone() == (True,):
            conn.execute(QUERIES["vacuum_nodes"])
            return []
    return ["New rows wait for the indexes of words until the owner of the tables runs `vacuum legal_nodes`."]


def summarise(database: Database) -> int:
    """Bring what is derived across documents up to the documents that changed since; returns the edges resolved.

    Each step may be done again: a run that is killed leaves the rest to the next.
    """
    with database.read() as conn:
        stored = {"jurisdictions": stored_jurisdictions(conn)}
        rows = conn.execute(QUERIES["find_due_documents"], stored).fetchall()
        known = conn.execute(QUERIES["estimate_nodes"]).fetchone()
    if not rows:
        return 0
    due: dict[str, list[int]] = {}
    for code, number, *_ in rows:
        due.setdefault(code, []).append(number)
    if known is None or sum(row[4] for row in rows) > known[0] * _GROWN:
        with database.write() as conn:
            conn.execute(QUERIES["analyze_store"])
            note_analyzed(conn, sum(row[4] for row in rows))
    resolved = resolve_edges(database, due)
    count_rules_without_vectors(database, due)
    make_sections(database, due)
    _note_coverage(database, {**stored, "urns": sorted({row[3] for row in rows})})
    with database.write() as conn:
        for code in due:
            mine = [row for row in rows if row[0] == code]
            values = {"ids": [row[1] for row in mine], "generations": [row[2] for row in mine]}
            conn.execute(QUERIES["set_summarised"], {"jurisdiction": code, **values})
    return resolved


def _note_coverage(database: Database, asked: dict[str, list[str]]) -> None:
    """Write what the sources hold.

    It is counted and written in transactions of their own, for a cluster refuses one that does both; then counted
    again, for the counts of two ingests that end at once can be written in either order.
    """
    written: list[tuple[str, int, int]] | None = None
    while True:
        with database.read() as conn:
            counted = sorted(conn.execute(QUERIES["find_coverage"], asked).fetchall())
        if counted == written:
            return
        written = counted
        names, documents, nodes = ([row[n] for row in counted] for n in range(3))
        with database.write() as conn:
            conn.execute(QUERIES["set_coverage"], {"urns": names, "documents": documents, "nodes": nodes})
