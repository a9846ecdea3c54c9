"""Writes one annotated document in one transaction: stage by COPY, insert, close, delete, definitions, edges."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import date

from psycopg.rows import class_row, tuple_row
from psycopg.types.range import DateRange

from rag.database import Connection
from rag.ingest.nodes import Corpus, ParsedDocument, ParsedNode
from rag.ingest.rows import NodeRow, build_rows, term_id
from rag.ingest.versions import StoredVersion, VersionPlan, plan_versions
from rag.jurisdictions.languages import term_rules
from retrieval.errors import IngestError, InputError, OlderEdition
from retrieval.languages import text_search_config
from retrieval.paths import canonical_jurisdiction, parse_urn
from retrieval.queries import QUERIES

ID_BLOCK = 256
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


@dataclass(slots=True)
class _Place:
    """Ids and path of a node that definitions and edges refer to."""

    node_id: int
    path: str


def store_corpus(conn: Connection, corpus: Corpus) -> None:
    """Record the corpus in `sources`; rarely written reference data, so never inside a document's transaction."""
    conn.execute(QUERIES["upsert_source"], {**asdict(corpus), "jurisdiction": parse_urn(corpus.urn).jurisdiction})


def store_corpus_root(conn: Connection, corpus: Corpus, *, today: date) -> None:
    """Store the root of a corpus whose documents have roots of their own, such as titles of a code.

    A corpus that is stored as one whole document has its root already, with everything below it.
    """
    jurisdiction = parse_urn(corpus.urn).jurisdiction
    conn.execute(QUERIES["lock_document"], {"urn": corpus.urn})
    known = conn.execute(QUERIES["find_document"], {"jurisdiction": jurisdiction, "urn": corpus.urn}).fetchone()
    document = _corpus_document(corpus)
    if known is None or (known[2] == _ROOT_ONLY and known[1] != document.source_hash):
        store_document(conn, document, today=today, effective=None)


def _corpus_document(corpus: Corpus) -> ParsedDocument:
    node = ParsedNode(
        urn=corpus.urn, parent_urn=None, structure_type="ROOT", level="corpus", heading=corpus.title, kind="section"
    )
    said = hashlib.sha256(f"{corpus.language}\n{corpus.title}".encode()).hexdigest()
    return ParsedDocument(corpus=corpus, nodes=[node], source="", format="corpus", source_hash=said, parser_version=1)


def store_document(
    conn: Connection, document: ParsedDocument, *, today: date, effective: date | None
) -> StoredDocument:
    """Bring the store to what the document says. Call inside one transaction.

    Args:
        conn: a connection in a read-committed transaction.
        document: parsed and annotated.
        today: the date of a change that neither the source nor the user dates.
        effective: the user's date for changes that the source does not date.

    Returns:
        What was written.

    Raises:
        IngestError: the document contradicts itself or another document; nothing is written.
    """
    corpus_urn = parse_urn(document.corpus.urn)
    jurisdiction = corpus_urn.jurisdiction
    conn.execute(QUERIES["lock_document"], {"urn": document.urn})
    known = conn.execute(QUERIES["find_document"], {"jurisdiction": jurisdiction, "urn": document.urn}).fetchone()
    parser_version = f"{document.format}/{document.parser_version}"
    if known and known[3] and document.edition_date and document.edition_date < known[3]:
        # Words of an older edition would otherwise end those of a newer one.
        cause = f"is the edition of {document.edition_date}; the store has that of {known[3]}. Ingest the oldest first"
        raise OlderEdition(cause, file=document.source)
    ids = _Ids(conn)
    document_id = known[0] if known else ids.take()
    _check_jurisdiction(document, jurisdiction)
    root = _corpus_root(conn, document, jurisdiction)
    rows = build_rows(document, root[1].path if root else None)
    _refuse_foreign_urns(conn, document, jurisdiction, document_id)
    stored = _stored_versions(conn, jurisdiction, document_id)
    plan = plan_versions(
        rows,
        stored,
        change_date=effective or document.edition_date or today,
        # Of a corpus's bare root nothing was said before, so its first whole document amends nothing either.
        correct=bool(known and (known[2] == _ROOT_ONLY or known[1] == document.source_hash != "")),
    )
    _refuse_empty_validity(document, rows)
    conn.execute(
        QUERIES["upsert_document"],
        {
            "jurisdiction": jurisdiction, "id": document_id, "urn": document.urn, "corpus_urn": document.corpus.urn,
            "source": document.source, "format": document.format, "source_hash": document.source_hash,
            "parser_version": parser_version, "edition_date": document.edition_date,
            "generation": known[4] + 1 if known else 1, "nodes": len({node.urn for node in document.nodes}),
        },
    )  # fmt: skip
    writer = _Writer(conn, document, jurisdiction, document_id, ids)
    writer.write_nodes(rows, plan, stored, root)
    definitions = writer.write_definitions()
    edges = writer.write_edges()
    return StoredDocument(document_id, jurisdiction, len(rows), len(plan.new), definitions, edges)


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


def _refuse_empty_validity(document: ParsedDocument, rows: list[NodeRow]) -> None:
    for row in rows:
        if row.valid_from is not None and row.valid_to is not None and row.valid_to <= row.valid_from:
            cause = f"{row.node.urn} would end on {row.valid_to}, not after the day it begins, {row.valid_from}"
            raise IngestError(cause, file=document.source, line=row.node.line)


def _corpus_root(conn: Connection, document: ParsedDocument, jurisdiction: str) -> tuple[list[int], _Place] | None:
    if document.nodes[0].parent_urn is None:
        return None
    values = {"jurisdiction": jurisdiction, "urns": [document.corpus.urn]}
    row = conn.execute(QUERIES["find_node_ids"], values).fetchone()
    if row is None:
        raise IngestError(f"the corpus {document.corpus.urn} has no root node", file=document.source)
    return list(row[2]), _Place(row[1], row[3])


def _refuse_foreign_urns(conn: Connection, document: ParsedDocument, jurisdiction: str, document_id: int) -> None:
    urns = [node.urn for node in document.nodes]
    values = {"jurisdiction": jurisdiction, "urns": urns, "document_id": document_id}
    row = conn.execute(QUERIES["find_urns_elsewhere"], values).fetchone()
    if row is not None:
        raise IngestError(f"{row[0]} already belongs to another document", file=document.source)


def _stored_versions(conn: Connection, jurisdiction: str, document_id: int) -> list[StoredVersion]:
    with conn.cursor(row_factory=class_row(StoredVersion)) as cursor:
        values = {"jurisdiction": jurisdiction, "document_id": document_id}
        return cursor.execute(QUERIES["find_document_nodes"], values).fetchall()


class _Ids:
    """Ids from the sequence, a block at a time."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._free: list[int] = []

    def reserve(self, count: int) -> None:
        """Make sure that the next `count` ids come in one round trip."""
        missing = count - len(self._free)
        if missing > 0:
            blocks = -(-missing // ID_BLOCK)
            with self._conn.cursor(row_factory=tuple_row) as cursor:
                cursor.execute(QUERIES["reserve_ids"], {"blocks": blocks})
                starts = sorted((row[0] for row in cursor), reverse=True)
            self._free[:0] = [one for start in starts for one in range(start + ID_BLOCK - 1, start - 1, -1)]

    def take(self) -> int:
        """The next id."""
        self.reserve(1)
        return self._free.pop()


class _Writer:
    """The statements of one document, in the order foreign keys want them."""

    def __init__(
        self, conn: Connection, document: ParsedDocument, jurisdiction: str, document_id: int, ids: _Ids
    ) -> None:
        self.conn = conn
        self.document = document
        self.jurisdiction = jurisdiction
        self.document_id = document_id
        self.ids = ids
        self.places: dict[str, _Place] = {}
        # Every version that the source vouches for, with its id and validity: what definitions and edges hang on.
        self.versions: dict[str, list[tuple[int, ParsedNode, DateRange]]] = {}

    def write_nodes(
        self,
        rows: list[NodeRow],
        plan: VersionPlan,
        stored: list[StoredVersion],
        root: tuple[list[int], _Place] | None,
    ) -> None:
        """Delete, close, update and insert versions."""
        config = {"jurisdiction": self.jurisdiction, "config": text_search_config(self.document.corpus.language)}
        self._number(rows, stored, root)
        kept = {id(row): version for row, version in plan.kept}
        moved = [(row, old) for row, old in plan.kept if self._moved(row, old)]
        # Statistics are locked row by row in one order. Whoever passes over them more than once goes alone, for two
        # such writers could each hold what the other needs.
        lock = "lock_statistics" if moved or plan.deleted else "share_statistics"
        self.conn.execute(QUERIES[lock], {"jurisdiction": self.jurisdiction})
        self._delete(rows, plan, stored)
        self._close(plan)
        new_ids = {id(row): self.ids.take() for row in plan.new}
        self.conn.execute(QUERIES["create_stage"])
        if moved:
            ids = [old.id for _, old in moved]
            self._count(ids, -1)
            self._stage([(old.id, row) for row, old in moved])
            self.conn.execute(QUERIES["update_staged_nodes"], config)
            self.conn.execute(QUERIES["follow_closed_embeddings"], {"jurisdiction": self.jurisdiction, "ids": ids})
            self._count(ids, 1)
            self.conn.execute("truncate stage_nodes")
        if plan.new:
            self._stage([(new_ids[id(row)], row) for row in plan.new])
            self.conn.execute(
                QUERIES["insert_staged_nodes"],
                {
                    **config, "document_id": self.document_id, "language": self.document.corpus.language,
                    "corpus": self.document.corpus.urn, "source": self.document.source,
                },
            )  # fmt: skip
            self._count(list(new_ids.values()), 1)
        if not stored and len(plan.new) > 1:
            self.conn.execute(QUERIES["analyze_nodes"])
        for row in rows:
            old = kept.get(id(row))
            version_id = old.id if old else new_ids[id(row)]
            entry = (version_id, row.node, DateRange(row.valid_from, row.valid_to))
            self.versions.setdefault(row.node.urn, []).append(entry)

    def _delete(self, rows: list[NodeRow], plan: VersionPlan, stored: list[StoredVersion]) -> None:
        if not plan.deleted:
            return
        ids = [one.id for one in plan.deleted]
        self._count(ids, -1)
        self.conn.execute(QUERIES["delete_nodes"], {"jurisdiction": self.jurisdiction, "ids": ids})
        gone = set(ids)
        left = {one.urn for one in stored if one.id not in gone} | {row.node.urn for row in rows}
        vanished = sorted({one.node_id for one in plan.deleted if one.urn not in left})
        if vanished:
            # Should the node come back it gets another id, and a reference must be able to find that.
            jurisdictions = [row[0] for row in self.conn.execute(QUERIES["find_stored_jurisdictions"])]
            values = {
                "jurisdictions": jurisdictions, "target_jurisdiction": self.jurisdiction, "node_ids": vanished
            }  # fmt: skip
            self.conn.execute(QUERIES["unresolve_edges"], values)

    def _close(self, plan: VersionPlan) -> None:
        by_date: dict[date, list[int]] = {}
        for version, day in plan.closed:
            by_date.setdefault(day, []).append(version.id)
        for day, closed in sorted(by_date.items()):
            values = {"jurisdiction": self.jurisdiction, "ids": closed, "valid_to": day}
            self.conn.execute(QUERIES["close_nodes"], values)
            self.conn.execute(QUERIES["follow_closed_definitions"], values)
            self.conn.execute(QUERIES["follow_closed_edges"], values)
            self.conn.execute(QUERIES["follow_closed_embeddings"], values)

    def _number(self, rows: list[NodeRow], stored: list[StoredVersion], root: tuple[list[int], _Place] | None) -> None:
        """Give every node its id, in document order, and from that its ancestors."""
        known = {one.urn: one.node_id for one in stored}
        self.ids.reserve(2 * len(rows))
        self._ancestors: dict[str, list[int]] = {}
        if root is not None:
            self._ancestors[self.document.corpus.urn] = root[0]
            self.places[self.document.corpus.urn] = root[1]
        for row in rows:
            urn = row.node.urn
            if urn not in self._ancestors:
                node_id = known.get(urn) or self.ids.take()
                self.places[urn] = _Place(node_id, row.path)
                above = self._ancestors[row.node.parent_urn] if row.node.parent_urn else []
                self._ancestors[urn] = [*above, node_id]

    def _moved(self, row: NodeRow, old: StoredVersion) -> bool:
        urn = row.node.urn
        now = (
            row.path, row.ordinal, self._ancestors[urn], self.places[row.rule_urn].node_id, row.used_terms,
            row.search_hash, row.valid_from, row.valid_to,
        )  # fmt: skip
        return now != (
            old.path, old.ordinal, old.ancestor_ids, old.rule_id, old.used_terms, old.search_hash, old.valid_from,
            old.valid_to,
        )  # fmt: skip

    def _stage(self, rows: list[tuple[int, NodeRow]]) -> None:
        with self.conn.cursor() as cursor, cursor.copy(QUERIES["copy_stage"]) as copy:
            for version_id, row in rows:
                node = row.node
                copy.write_row((
                    version_id, self.places[node.urn].node_id, node.urn, row.path, node.kind, node.structure_type,
                    node.level, node.number, row.ordinal, node.heading, node.intro_text, node.content_text,
                    json.dumps(node.tags, ensure_ascii=False), node.aliases, row.valid_from, row.valid_to,
                    self._ancestors[node.urn], self.places[row.rule_urn].node_id, row.used_terms, row.search_heading,
                    row.search_titles, row.search_leads, row.search_body, node.line, row.source_hash, row.search_hash,
                ))  # fmt: skip

    def _count(self, ids: list[int], sign: int) -> None:
        if ids:
            values = {"jurisdiction": self.jurisdiction, "ids": ids, "sign": sign}
            self.conn.execute(QUERIES["adjust_lexeme_stats"], values)
            self.conn.execute(QUERIES["adjust_language_stats"], values)

    def _version_ids(self) -> list[int]:
        return [version_id for versions in self.versions.values() for version_id, _, _ in versions]

    def write_definitions(self) -> int:
        """Replace the definitions of the versions that the source vouches for; returns how many there are."""
        self.conn.execute(
            QUERIES["delete_definitions"], {"jurisdiction": self.jurisdiction, "ids": self._version_ids()}
        )
        rows = [
            (definition, version_id, validity)
            for definition in self.document.definitions
            for version_id, _, validity in self._holding(definition.node_urn, definition.term)
        ]
        self.ids.reserve(len(rows))
        rules = term_rules(self.document.corpus.language)
        with self.conn.cursor() as cursor, cursor.copy(QUERIES["copy_definitions"]) as copy:
            for definition, version_id, validity in rows:
                place, scope = self._place(definition.node_urn), self._place(definition.scope_urn)
                term = rules.normalise(definition.term)
                copy.write_row((
                    self.jurisdiction, self.ids.take(), version_id, place.node_id, place.path, definition.term, term,
                    term_id(term), definition.relation, scope.node_id, scope.path, definition.scope_urn,
                    definition.inferred, definition.phrase, definition.reference_urn, self.document.corpus.language,
                    validity,
                ))  # fmt: skip
        return len(rows)

    def write_edges(self) -> int:
        """Replace the edges of the versions that the source vouches for; returns how many there are."""
        self.conn.execute(QUERIES["delete_edges"], {"jurisdiction": self.jurisdiction, "ids": self._version_ids()})
        rows = [
            (link, version_id, validity)
            for link in self.document.links
            for version_id, _, validity in self._holding(link.source_urn, link.reference)
        ]
        self.ids.reserve(len(rows))
        with self.conn.cursor() as cursor, cursor.copy(QUERIES["copy_edges"]) as copy:
            for link, version_id, validity in rows:
                target = canonical_jurisdiction(link.target_urn.split(":")[2]) if link.target_urn else ""
                copy.write_row((
                    self.jurisdiction, self.ids.take(), version_id, self._place(link.source_urn).node_id, link.kind,
                    link.reference, target, link.target_urn, json.dumps(link.properties, ensure_ascii=False), validity,
                ))  # fmt: skip
        return len(rows)

    def _place(self, urn: str) -> _Place:
        place = self.places.get(urn)
        if place is None:
            raise IngestError(
                f"a definition or link names {urn}, which is not in the document", file=self.document.source
            )
        return place

    def _holding(self, urn: str, words: str) -> list[tuple[int, ParsedNode, DateRange]]:
        """The versions of a node that have these words; all of them where there is one, or none has."""
        versions = self.versions.get(urn, [])
        if len(versions) < 2:
            return versions
        return [one for one in versions if words.casefold() in one[1].text.casefold()] or versions
