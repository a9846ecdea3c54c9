"""Writes one annotated document in one transaction: its edition, its versions, its definitions and edges."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date

from psycopg.rows import class_row
from psycopg.types.range import DateRange

from rag.ingest.writing.editions import UNKNOWN_DAY, Dating, History, Key, Showing, Step, overlapping
from rag.ingest.writing.reach import store_term_closures
from rag.ingest.writing.rows import NodeRow, build_rows
from rag.ingest.writing.transactions import Ids, write_again
from rag.ingest.writing.versions import StoredVersion, VersionPlan, plan_versions, shown_by_urn
from rag.ingest.writing.writer import Place, Writer, multirange
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from rag.store.database import Connection, Database
from rag.store.schema import ensure_partition
from retrieval.errors import IngestError, InputError
from retrieval.paths import parse_urn, root_path
from retrieval.queries import QUERIES

_ROOT_ONLY = "corpus/1"  # parser version of a document that is nothing but a corpus's root


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What storing a document came to."""

    document_id: int
    jurisdiction: str
    nodes: int
    new_versions: int
    definitions: int
    edges: int
    warnings: list[str] = field(default_factory=list[str])


def store_corpus(conn: Connection, corpus: Corpus) -> None:
    """Record the corpus in `sources`; rarely written reference data, so never inside a document's transaction.

    Args:
        conn: in a transaction of its own.
        corpus: as the latest edition of a document describes it.
    """
    conn.execute(QUERIES["flush_later"])
    conn.execute(QUERIES["upsert_source"], {**asdict(corpus), "jurisdiction": parse_urn(corpus.urn).jurisdiction})


def is_older(conn: Connection, document: ParsedDocument) -> bool:
    """Whether the store has a later edition of the document."""
    jurisdiction = parse_urn(document.corpus.urn).jurisdiction
    row = conn.execute(QUERIES["find_latest_edition"], {"jurisdiction": jurisdiction, "urn": document.urn}).fetchone()
    if row is None:
        return False
    own = document.edition_date or _newest(document)
    return Key(own is not None, own or UNKNOWN_DAY, document.source) < Key(row[0] != "none", row[1], row[2])


def store_corpus_root(conn: Connection, corpus: Corpus, *, today: date) -> None:
    """Store the root of a corpus whose documents have roots of their own, such as titles of a code.

    A corpus that is stored as one whole document has its root already, with everything below it.
    """
    jurisdiction = parse_urn(corpus.urn).jurisdiction
    conn.execute(QUERIES["lock_document"], {"urn": corpus.urn})
    known = conn.execute(QUERIES["find_document"], {"jurisdiction": jurisdiction, "urn": corpus.urn}).fetchone()
    document = _corpus_document(corpus)
    if known is not None:
        editions = find_editions(conn, jurisdiction, known[0])
        if known[1] != _ROOT_ONLY or any(edition.source_hash == document.source_hash for edition in editions):
            return
    store_document(conn, document, document_rows(document), today=today, effective=None)


def _corpus_document(corpus: Corpus) -> ParsedDocument:
    node = ParsedNode(
        urn=corpus.urn, parent_urn=None, structure_type="ROOT", level="corpus", heading=corpus.title, kind="section"
    )
    said = hashlib.sha256(f"{corpus.language}\n{corpus.title}".encode()).hexdigest()
    return ParsedDocument(corpus=corpus, nodes=[node], source="", format="corpus", source_hash=said, parser_version=1)


def document_rows(document: ParsedDocument) -> list[NodeRow]:
    """The rows of a document, by what it says itself: nothing of the store is needed to make them.

    Raises:
        IngestError: the document contradicts itself.
    """
    _check_jurisdiction(document, parse_urn(document.corpus.urn).jurisdiction)
    rows = build_rows(document, root_path(document.corpus.urn) if document.nodes[0].parent_urn is not None else None)
    _refuse_impossible_validity(document, rows)
    return rows


def store_document(
    conn: Connection, document: ParsedDocument, rows: list[NodeRow], *, today: date, effective: date | None
) -> StoredDocument:
    """Bring the store to what the document says. Call inside one transaction.

    The document is one edition among others: which versions the store has afterwards depends on the editions and not
    on the order in which they are stored.

    Args:
        conn: a connection in a read-committed transaction.
        document: parsed and annotated.
        rows: its rows, see `document_rows`.
        today: the date of a change that neither the source nor the user dates.
        effective: the user's date for changes that the source does not date.

    Returns:
        What was written. A crash of the server may undo it, as a whole, until a later transaction waits for the disk.

    Raises:
        IngestError: the document contradicts the store; nothing is written.
    """
    jurisdiction = parse_urn(document.corpus.urn).jurisdiction
    known = _known(conn, document, jurisdiction)
    ids = Ids(conn)
    ids.reserve(1 if known.document_id else 1 + 2 * len(rows) + len(document.definitions) + len(document.links))
    document_id = known.document_id or ids.take()
    generation = known.generation + 1
    if known.parser_version == _ROOT_ONLY:
        # Of a corpus's bare root nothing was said before, so its first whole document amends nothing.
        conn.execute(QUERIES["delete_editions"], {"jurisdiction": jurisdiction, "document_id": document_id})
    editions = find_editions(conn, jurisdiction, document_id) if known.document_id else []
    stored = _stored_versions(conn, jurisdiction, document_id) if known.document_id else []
    history = load_history(conn, jurisdiction, document_id, editions, stored)
    day = _day(document, editions, today, effective)
    before = len(history.editions)
    edition = Edition(day.day, document.source, day.dating, document.source_hash, generation)
    plan = plan_versions(rows, stored, history, edition.key, edition.dating)
    writer = Writer(conn, document, jurisdiction, document_id, ids)
    parser_version = f"{document.format}/{document.parser_version}"
    is_latest = edition.key == history.keys[-1]
    with conn.pipeline():
        _write_document(conn, document, jurisdiction, document_id, parser_version, generation, is_latest)
        store_edition(conn, jurisdiction, document_id, edition, parser_version)
        writer.prepare(rows, plan, stored, known.root)
    store_steps(conn, jurisdiction, document_id, edition.key, history, plan, stored_before=before)
    writer.write_nodes(plan, stored, rows)
    if stored:
        store_bounds(conn, jurisdiction, document_id, history, plan)
    definitions = writer.write_definitions()
    if definitions or stored:
        store_term_closures(conn, jurisdiction, document_id)
    edges = writer.write_edges()
    warnings = _warnings(plan, edition, editions)
    return StoredDocument(document_id, jurisdiction, len(rows), len(plan.new), definitions, edges, warnings)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store has of a document and of what is above it; an id of 0 where it has nothing."""

    document_id: int
    parser_version: str
    generation: int
    root: tuple[list[int], Place] | None


def _known(conn: Connection, document: ParsedDocument, jurisdiction: str) -> _Known:
    """Wait for other writers of the document, then look it up; all in one round trip."""
    values = {"jurisdiction": jurisdiction, "urn": document.urn}
    with conn.pipeline():
        conn.execute(QUERIES["flush_later"])
        conn.execute(QUERIES["lock_document"], {"urn": document.urn})
        found = conn.execute(QUERIES["find_document"], values)
        roots = conn.execute(QUERIES["find_corpus_root"], {**values, "urns": [document.corpus.urn]})
        urns = [node.urn for node in document.nodes]
        elsewhere = conn.execute(QUERIES["find_urns_elsewhere"], {**values, "urns": urns})
    other = elsewhere.fetchone()
    if other is not None:
        raise IngestError(f"{other[0]} already belongs to another document", file=document.source)
    root: tuple[list[int], Place] | None = None
    if document.nodes[0].parent_urn is not None:
        above = roots.fetchone()
        if above is None:
            raise IngestError(f"the corpus {document.corpus.urn} has no root node", file=document.source)
        root = list(above[2]), Place(above[1], above[3])
    row = found.fetchone()
    return _Known(row[0], row[1], row[2], root) if row else _Known(0, "", 0, root)


def _day(document: ParsedDocument, editions: list[Edition], today: date, effective: date | None) -> EditionDay:
    if document.format == "corpus":
        return EditionDay(UNKNOWN_DAY, "none")
    return edition_day(document, editions, today=today, effective=effective)


def _write_document(
    conn: Connection, document: ParsedDocument, jurisdiction: str, document_id: int, parser_version: str,
    generation: int, is_latest: bool,
) -> None:  # fmt: skip
    if not is_latest:
        values = {"jurisdiction": jurisdiction, "id": document_id, "generation": generation}
        conn.execute(QUERIES["count_generation"], values)
        return
    conn.execute(
        QUERIES["upsert_document"],
        {
            "jurisdiction": jurisdiction, "id": document_id, "urn": document.urn, "corpus_urn": document.corpus.urn,
            "source": document.source, "format": document.format, "source_hash": document.source_hash,
            "parser_version": parser_version, "edition_date": document.edition_date, "generation": generation,
            "nodes": len({node.urn for node in document.nodes}),
        },
    )  # fmt: skip


def _warnings(plan: VersionPlan, edition: Edition, editions: list[Edition]) -> list[str]:
    """What a reader of the report should know of an edition that went in."""
    out: list[str] = []
    same = [other for other in editions if other.key[:2] == edition.key[:2] and other.source != edition.source]
    if plan.changed and same:
        first, last = sorted((same[-1].source, edition.source))
        day = "unknown date" if edition.day == UNKNOWN_DAY else edition.day.isoformat()
        out.append(
            f"{edition.source}: where {first} and {last} differ, both of {day}, the words of {last} stand. If another "
            "is the later one, ingest it again with --effective and its day"
        )
    if edition.dating == "none" and any(other.dating != "none" for other in editions):
        out.append(
            f"{edition.source}: nothing says of which day it is, so its words stand only where no dated edition "
            "speaks. Ingest it again with --effective and its day"
        )
    if plan.unplaced:
        out.append(
            f"{edition.source}: words of {_some(plan.unplaced)} ended before the edition that shows them, and nothing "
            "says when they began; they are not kept"
        )
    if plan.missing:
        out.append(
            f"{edition.source}: with this correction earlier words of {_some(plan.missing)} are in force again, and "
            "the store no longer has them. Ingest the other editions of the document again"
        )
    return out


def _some(urns: list[str]) -> str:
    more = len(set(urns)) - 1
    return f"{urns[0]} and {more} more" if more else urns[0]


def _check_jurisdiction(document: ParsedDocument, jurisdiction: str) -> None:
    for node in document.nodes:
        try:
            found = parse_urn(node.urn).jurisdiction
        except InputError as error:
            raise IngestError(error.message, file=document.source, line=node.line) from None
        if found != jurisdiction:
            raise IngestError(
                f"node {node.urn} is of jurisdiction {found}, its corpus of {jurisdiction}",
                file=document.source,
                line=node.line,
            )


def _refuse_impossible_validity(document: ParsedDocument, rows: list[NodeRow]) -> None:
    for row in rows:
        if row.valid_from is not None and row.valid_to is not None and row.valid_to <= row.valid_from:
            cause = f"{row.node.urn} would end on {row.valid_to}, not after the day it begins, {row.valid_from}"
            raise IngestError(cause, file=document.source, line=row.node.line)
    for urn, shown in shown_by_urn(rows).items():
        wrong = overlapping(shown)
        if wrong is not None:
            lines = [row.node.line for row in rows if row.node.urn == urn and row.source_hash == wrong.source_hash]
            raise IngestError(f"two versions of {urn} are in force at once", file=document.source, line=lines[-1])


def _stored_versions(conn: Connection, jurisdiction: str, document_id: int) -> list[StoredVersion]:
    with conn.cursor(row_factory=class_row(StoredVersion)) as cursor:
        values = {"jurisdiction": jurisdiction, "document_id": document_id}
        return cursor.execute(QUERIES["find_document_nodes"], values).fetchall()


# What must be there before a document is stored: its jurisdiction's partition, its corpus, and the corpus's root.


class Corpora:
    """Sees to the corpora of a run's documents, each once as long as documents describe it in the same words."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._partitions: set[str] = set()
        self._described: dict[str, Corpus] = {}
        self._rooted: dict[str, Corpus] = {}

    def prepare(self, document: ParsedDocument, *, today: date) -> None:
        """Make the store ready for a document.

        Args:
            document: parsed.
            today: the day of the ingest.

        Raises:
            IngestError: the corpus's root cannot be stored.
        """
        corpus = document.corpus
        jurisdiction = parse_urn(corpus.urn).jurisdiction
        if jurisdiction not in self._partitions:
            ensure_partition(self._database, jurisdiction)
            self._partitions.add(jurisdiction)
        in_corpus = document.nodes[0].parent_urn is not None  # it hangs below a root that is no part of it
        if self._described.get(corpus.urn) == corpus and (not in_corpus or self._rooted.get(corpus.urn) == corpus):
            return
        with self._database.write() as conn:
            # An older edition than the store has does not say what its corpus is called today.
            if is_older(conn, document):
                return
            store_corpus(conn, corpus)
        self._described[corpus.urn] = corpus
        if in_corpus:
            write_again(self._database, lambda conn: store_corpus_root(conn, corpus, today=today))
            self._rooted[corpus.urn] = corpus


# Editions in the store: which there are, what they show, and of which day a document speaks.


@dataclass(frozen=True, slots=True)
class Edition:
    """A stored edition, as one of its files gave it."""

    day: date
    source: str
    dating: Dating
    source_hash: str
    generation: int

    @property
    def key(self) -> Key:
        """Its place among the document's editions."""
        return Key(self.dating != "none", self.day, self.source)


@dataclass(frozen=True, slots=True)
class EditionDay:
    """The day of which a document speaks, and what that rests on."""

    day: date
    dating: Dating


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
    dated change in it. Of a document that says nothing of its time the day is unknown; a file of the same name with
    other words changed by today. An edition that dates itself may have the very words of an earlier one: there the
    file's name must be the same too.

    Args:
        document: parsed.
        editions: those that the store has of it.
        today: the day of the ingest.
        effective: the user's date for what the source does not date.
    """
    last_undated: dict[str, int] = {}
    for edition in editions:
        if edition.dating in ("given", "none"):
            last_undated[edition.source] = max(edition.generation, last_undated.get(edition.source, 0))
    for edition in editions:
        counts = last_undated.get(edition.source) in (None, edition.generation) or edition.dating in ("own", "nodes")
        same = edition.source_hash == document.source_hash and edition.source == document.source
        if same and counts and effective in (None, edition.day):
            return EditionDay(edition.day, edition.dating)
    if effective is not None:
        return EditionDay(effective, "given" if document.edition_date is None else "own")
    if document.edition_date is not None:
        return EditionDay(document.edition_date, "own")
    newest = _newest(document, today)
    if newest is not None:
        return EditionDay(newest, "nodes")
    return EditionDay(today if document.source in last_undated else UNKNOWN_DAY, "none")


def _newest(document: ParsedDocument, today: date = date.max) -> date | None:
    """The latest date of a node, where the document has none itself."""
    return max((one for node in document.nodes if (one := node.valid_from) and one <= today), default=None)


def load_history(
    conn: Connection, jurisdiction: str, document_id: int, editions: Sequence[Edition], stored: Sequence[StoredVersion]
) -> History:
    """What the stored editions of a document show."""
    keys = {(edition.day, edition.source): edition.key for edition in editions}
    history = History({edition.key: edition.dating for edition in editions})
    if len(keys) == 1:  # what the one edition shows is what is stored
        for version in stored:
            shown = Showing(version.source_hash, version.valid_from, version.valid_to)
            _take(history, version.urn, editions[0].key, shown)
    elif keys:
        values = {"jurisdiction": jurisdiction, "document_id": document_id}
        for urn, day, source, valid_from, valid_to, source_hash in conn.execute(QUERIES["find_edition_nodes"], values):
            _take(history, urn, keys[day, source], Showing(source_hash, valid_from, valid_to) if source_hash else None)
    for steps in history.steps.values():
        steps.sort(key=lambda step: step.since)
    return history


def _take(history: History, urn: str, since: Key, showing: Showing | None) -> None:
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
            "dating": edition.dating, "source_hash": edition.source_hash, "parser_version": parser_version,
            "generation": edition.generation,
        },
    )  # fmt: skip


def store_steps(
    conn: Connection,
    jurisdiction: str,
    document_id: int,
    edition: Key,
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
        edition: which one.
        history: with the edition in it.
        plan: what the edition changed.
        stored_before: how many editions there were before; of one, nothing of the history is stored yet.
    """
    key = {"jurisdiction": jurisdiction, "document_id": document_id}
    if len(history.editions) > 1:
        near = [edition, *([plan.following] if plan.following else [])]
        if stored_before > 1:
            named = {"days": [key.day for key in near], "sources": [key.source for key in near]}
            conn.execute(QUERIES["delete_edition_nodes"], {**key, **named, "urns": plan.changed})
            _copy(conn, key, ((urn, step) for urn in plan.changed for step in history.steps[urn] if step.since in near))
        else:
            _copy(conn, key, ((urn, step) for urn, steps in history.steps.items() for step in steps))
    if plan.missing:
        named = {"day": edition.day, "source": edition.source}
        conn.execute(QUERIES["forget_other_editions"], {**key, **named})


def store_bounds(conn: Connection, jurisdiction: str, document_id: int, history: History, plan: VersionPlan) -> None:
    """Say of a document's versions what their bounds rest on, and on which days other words may have been in force.

    A node that began between two editions has no words before: there the provision that it is a part of is uncertain.

    Args:
        conn: inside the document's transaction, after its versions are written.
        jurisdiction: the document's.
        document_id: the document's.
        history: with all editions in it.
        plan: with the timelines of all nodes.
    """
    spans = [(urn, span) for urn, timeline in plan.timelines.items() for span in timeline]
    begun = [
        (urn, beginning) for urn, timeline in plan.timelines.items() for beginning in history.beginning(urn, timeline)
    ]
    conn.execute(
        QUERIES["set_bounds"],
        {
            "jurisdiction": jurisdiction, "document_id": document_id,
            "urns": [urn for urn, _ in spans], "starts": [span.valid_from for _, span in spans],
            "from_bases": [span.from_basis for _, span in spans], "to_bases": [span.to_basis for _, span in spans],
            "uncertain": [multirange(span.uncertain) for _, span in spans],
            "begun": [urn for urn, _ in begun], "untils": [one.until for _, one in begun],
            "days": [multirange([one.days]) for _, one in begun],
        },
    )  # fmt: skip


def _copy(conn: Connection, key: Mapping[str, object], steps: Iterable[tuple[str, Step]]) -> None:
    with conn.cursor() as cursor, cursor.copy(QUERIES["copy_edition_nodes"]) as copy:
        for urn, step in steps:
            for showing in step.shown or (Showing("", None, None),):
                stated = DateRange(showing.valid_from, showing.valid_to)
                since = (step.since.day, step.since.source)
                copy.write_row((key["jurisdiction"], key["document_id"], urn, *since, stated, showing.source_hash))
