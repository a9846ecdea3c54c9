"""The way of a document into the store: discover, skip what is unchanged, parse, annotate, store, embed, resolve."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from psycopg import errors
from pydantic import BaseModel, ConfigDict

from rag.database import Database
from rag.ingest.annotate import annotate
from rag.ingest.edges import resolve_edges
from rag.ingest.embed import embed_document
from rag.ingest.formats.base import Format, ManyDocuments, Source
from rag.ingest.formats.registry import Discovery, discover
from rag.ingest.nodes import ParsedDocument
from rag.ingest.store import StoredDocument, store_corpus, store_corpus_root, store_document
from rag.jurisdictions.registry import jurisdiction_for
from rag.schema import ensure_partition
from retrieval.embedding import Embedder
from retrieval.errors import IngestError, OlderEdition, ProviderError
from retrieval.paths import parse_urn
from retrieval.queries import QUERIES

logger = logging.getLogger(__name__)

# Raised whenever annotation or the text to be searched changes for the same source; part of what makes a document
# unchanged.
ANNOTATION_VERSION = 2
_OLDER = "an older edition than the one in the store"


class Rejected(BaseModel):
    """A file that is not in the store, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    line: int | None
    cause: str


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
    warnings: list[str] = []
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long task is. `total` counts documents."""

    done: int
    total: int
    label: str
    nodes: int


def ingest(
    database: Database,
    paths: Iterable[Path],
    *,
    today: date,
    effective: date | None = None,
    only: Format | None = None,
    embedder: Embedder | None = None,
    report: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Bring the store to what the files say; run again, it skips what it has.

    Args:
        database: an open store.
        paths: files or folders.
        today: date of changes that nothing else dates.
        effective: the user's date for changes that the source does not date.
        only: take every file as this format instead of asking all.
        embedder: for the dense leg; None leaves it as it is.
        report: called after each document.

    Returns:
        The report. Rejected files are in it, and the others went on.

    Raises:
        StoreError: the database failed; finished documents stay stored.
    """
    started = time.monotonic()
    result = IngestReport()
    found = _discover_all(paths, only, result)
    vectors = _Vectors(database, embedder, result)
    known = _known_documents(database)
    touched: set[str] = set()
    for position, (one, source) in enumerate(found, start=1):
        try:
            for key, document in _documents(one, source, known):
                if document is None:
                    result.unchanged += 1
                    vectors.add(source.name, *known[key])  # what an earlier run could not embed
                    continue
                with _noted(result, source.name):
                    stored = ingest_document(database, document, today=today, effective=effective, result=result)
                    touched.add(stored.jurisdiction)
                    vectors.add(source.name, stored.jurisdiction, stored.document_id, document.corpus.language)
        except IngestError as error:
            _reject(result, source.name, error)
        if report:
            report(Progress(position, len(found), source.name, result.nodes))
    if touched:
        _finish(database, sorted(touched), result)
    result.seconds = round(time.monotonic() - started, 3)
    return result


def _discover_all(paths: Iterable[Path], only: Format | None, result: IngestReport) -> list[tuple[Format, Source]]:
    found: list[tuple[Format, Source]] = []
    for path in paths:
        try:
            here = discover(path, only)
        except IngestError as error:
            here = Discovery(rejected=[error])
        found.extend(here.sources)
        result.rejected.extend(Rejected(file=error.file, line=error.line, cause=error.cause) for error in here.rejected)
        parts = sum(len(source.parts) for _, source in here.sources)
        for _, reason in here.skipped:
            result.skipped[reason] = result.skipped.get(reason, 0) + 1
        if here.other:
            result.skipped["of no known format"] = result.skipped.get("of no known format", 0) + len(here.other)
        logger.debug("found %d documents in %d further files", len(here.sources), parts)
    return found


def _known_documents(database: Database) -> dict[tuple[str, str], tuple[str, int, str]]:
    """(source hash, parser version) of every stored document -> its jurisdiction, id and language."""
    with database.read() as conn:
        rows = conn.execute(QUERIES["find_document_hashes"]).fetchall()
    return {
        (digest, version): (jurisdiction, number, language) for digest, version, jurisdiction, number, language in rows
    }


def _documents(
    one: Format, source: Source, known: Collection[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], ParsedDocument | None]]:
    """The documents of a source with what each is recognised by; None for one that is stored as it is."""
    version = one.version * 1000 + ANNOTATION_VERSION
    try:
        digest = source.sha256()
    except OSError as error:
        raise IngestError(f"cannot be read ({type(error).__name__})", file=source.name) from None
    if isinstance(one, ManyDocuments):
        for document in one.documents(source):
            document.parser_version = version
            key = (document.source_hash, f"{one.name}/{version}")
            yield key, None if key in known else document
        return
    key = (digest, f"{one.name}/{version}")
    if key in known:
        yield key, None
        return
    document = one.parse(source)
    document.source_hash, document.parser_version = digest, version
    yield key, document


@contextmanager
def _noted(result: IngestReport, name: str) -> Generator[None]:
    """One document of a source that cannot be stored is reported, and the next is read."""
    try:
        yield
    except OlderEdition as error:
        result.skipped[_OLDER] = result.skipped.get(_OLDER, 0) + 1
        result.warnings.append(f"{name}: {error.cause}")
    except IngestError as error:
        _reject(result, name, error)


def _reject(result: IngestReport, name: str, error: IngestError) -> None:
    result.rejected.append(Rejected(file=error.file or name, line=error.line, cause=error.cause))


class _Vectors:
    """Embeds documents as they come; a provider that fails is not asked again in this run, and the report says so."""

    def __init__(self, database: Database, embedder: Embedder | None, result: IngestReport) -> None:
        self._database = database
        self._embedder = embedder
        self._result = result

    def add(self, name: str, jurisdiction: str, document_id: int, language: str) -> None:
        """Embed what of a document has no vector yet."""
        if self._embedder is None:
            return
        try:
            shortened = embed_document(self._database, jurisdiction, document_id, language, self._embedder)
        except ProviderError as error:
            self._embedder = None
            self._result.warnings.append(
                f"{name}: stored, but not embedded, nor is what follows: {error.message}. Run the ingest again."
            )
            return
        if shortened:
            self._result.warnings.append(f"{name}: {shortened} texts were embedded by their beginning only")


def ingest_document(
    database: Database, document: ParsedDocument, *, today: date, effective: date | None, result: IngestReport
) -> StoredDocument:
    """Annotate and store one parsed document, and add its counts to the report.

    Raises:
        IngestError: it contradicts itself or another document; nothing of it is written.
    """
    jurisdiction = jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction)
    if not document.annotated:
        annotate(document, jurisdiction)
    result.warnings.extend(f"{document.source}: {warning}" for warning in document.warnings)
    with database.write() as conn:
        store_corpus(conn, document.corpus)
    ensure_partition(database, parse_urn(document.corpus.urn).jurisdiction)
    if document.nodes[0].parent_urn is not None:
        with database.write() as conn:
            store_corpus_root(conn, document.corpus, today=today)
    with database.write() as conn:
        try:
            stored = store_document(conn, document, today=today, effective=effective)
        except (errors.ExclusionViolation, errors.UniqueViolation):
            raise IngestError("two versions of one node are in force at once", file=document.source) from None
        except errors.ProgramLimitExceeded:
            raise IngestError("a text is too long for the search index", file=document.source) from None
    result.documents += 1
    result.nodes += stored.nodes
    result.definitions += stored.definitions
    result.edges += stored.edges
    return stored


def _finish(database: Database, jurisdictions: list[str], result: IngestReport) -> None:
    """What is done once for a run: resolve edges, renew facet counts and planner statistics."""
    result.resolved = resolve_edges(database)
    with database.write() as conn:
        conn.execute(QUERIES["delete_tag_stats"], {"jurisdictions": jurisdictions})
        conn.execute(QUERIES["insert_tag_stats"], {"jurisdictions": jurisdictions})
    with database.write() as conn:
        conn.execute(QUERIES["analyze_store"])
        conn.execute(QUERIES["clean_pending_fts"])
