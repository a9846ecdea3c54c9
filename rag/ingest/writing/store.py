"""Writes one annotated document in one transaction: its edition, its versions, its definitions and edges."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date

from psycopg.rows import class_row
from psycopg.types.range import DateRange

from rag.ingest.writing.editions import UNKNOWN_DAY, Dating, Days, History, Key, Showing, Step, overlapping
from rag.ingest.writing.reach import (
    NOTHING,
    Defines,
    Meaning,
    Needs,
    Placed,
    Reach,
    int_array,
    needs_of,
    reach_of,
    store_term_closures,
)
from rag.ingest.writing.rows import (
    NodeRow,
    StoredVersion,
    VersionPlan,
    build_rows,
    plan_versions,
    shown_by_urn,
    term_id,
)
from rag.ingest.writing.transactions import Ids, note_analyzed, write_again
from rag.languages.registry import term_rules
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from rag.store.database import Connection, Database
from rag.store.schema import ensure_partition
from retrieval.errors import IngestError, InputError
from retrieval.languages import text_search_config
from retrieval.nodes import stored_jurisdictions
from retrieval.paths import canonical_jurisdiction, parse_urn, root_path
from retrieval.queries import QUERIES

_SURPRISE = 0.5  # new rows for each one that the planner knows of


@dataclass(slots=True)
class Place:
    """Ids and path of a node that definitions and edges refer to."""

    node_id: int
    path: str


class Writer:
    """The statements of one document, in the order foreign keys want them."""

    def __init__(
        self, conn: Connection, document: ParsedDocument, jurisdiction: str, document_id: int, ids: Ids
    ) -> None:
        self.conn = conn
        self.document = document
        self.jurisdiction = jurisdiction
        self.document_id = document_id
        self.ids = ids
        self.places: dict[str, Place] = {}
        # Every version that the source vouches for, with its id and validity: what definitions and edges hang on.
        self.versions: dict[str, list[tuple[int, ParsedNode, DateRange]]] = {}
        self._reach: dict[int, Reach] = {}  # by node id
        self._placed: list[Placed] = []  # all versions of its nodes
        self._moved: list[tuple[NodeRow, StoredVersion]] = []
        self._kept: list[int] = []  # those of them that the store had before

    def prepare(
        self,
        rows: list[NodeRow],
        plan: VersionPlan,
        stored: list[StoredVersion],
        root: tuple[list[int], Place] | None,
    ) -> None:
        """Number the nodes and take the locks; needs no answer of the server unless ids run out."""
        self._number(rows, stored, root)
        self._moved = [(row, old) for row, old in plan.kept if self._has_moved(row, old)]
        # Statistics are locked row by row in one order. Whoever passes over them more than once goes alone, for two
        # such writers could each hold what the other needs.
        lock = "lock_statistics" if self._moved or plan.deleted else "share_statistics"
        key = {"jurisdiction": self.jurisdiction}
        self.conn.execute(QUERIES[lock], key)
        if stored:
            self.conn.execute(QUERIES["share_vectors"], key)
            self.conn.execute(QUERIES["forget_document_sections"], {**key, "document_id": self.document_id})
        if plan.new or self._moved:
            self.conn.execute(QUERIES["create_stage"])

    def write_nodes(self, plan: VersionPlan, stored: list[StoredVersion], rows: list[NodeRow]) -> None:
        """Bring the document's versions to what the plan says; call `prepare` first.

        At no moment are two versions of a node in force at once, so what ends goes before what begins.
        """
        self._delete(rows, plan, stored)
        dated = [(version, span.valid_from, span.valid_to) for version, span in plan.redated]
        dated += [(old, row.valid_from, row.valid_to) for row, old in self._moved]
        self._derive_reach(plan, stored)
        shrunk = [(version, *_common(version, start, end)) for version, start, end in dated]
        self._redate([redated for redated in shrunk if (redated[0].valid_from, redated[0].valid_to) != redated[1:]])
        copies = self._copy(plan)
        self._redate([redated for redated, less in zip(dated, shrunk, strict=True) if redated[1:] != less[1:]])
        if plan.used_terms:
            with self.conn.cursor() as cursor:
                cursor.executemany(
                    QUERIES["set_used_terms"],
                    [{"jurisdiction": self.jurisdiction, "id": old.id, "used_terms": ids}
                     for old, ids in plan.used_terms],
                )  # fmt: skip
        self._update()
        new_ids = [self.ids.take() for _ in plan.new]
        self._insert(list(zip(new_ids, plan.new, strict=True)), copies)
        self._kept = [old.id for _, old in plan.kept]
        for version_id, row in [*((old.id, row) for row, old in plan.kept), *zip(new_ids, plan.new, strict=True)]:
            entry = (version_id, row.node, DateRange(row.valid_from, row.valid_to))
            self.versions.setdefault(row.node.urn, []).append(entry)

    def _delete(self, rows: list[NodeRow], plan: VersionPlan, stored: list[StoredVersion]) -> None:
        if not plan.deleted:
            return
        ids = [version.id for version in plan.deleted]
        self._count(ids, -1)
        self.conn.execute(QUERIES["delete_nodes"], {"jurisdiction": self.jurisdiction, "ids": ids})
        gone = set(ids)
        left = {version.urn for version in stored if version.id not in gone} | {row.node.urn for row in rows}
        vanished = sorted({version.node_id for version in plan.deleted if version.urn not in left})
        if vanished:
            # Should the node come back it gets another id, and a reference must be able to find that.
            values = {
                "jurisdictions": stored_jurisdictions(self.conn), "target_jurisdiction": self.jurisdiction,
                "node_ids": vanished,
            }  # fmt: skip
            self.conn.execute(QUERIES["unresolve_edges"], values)

    def _derive_reach(self, plan: VersionPlan, stored: list[StoredVersion]) -> None:
        """What reading each provision will look up; versions that stay are brought to it before any is copied."""
        gone = {version.id for version in plan.deleted}
        left = [version for version in stored if version.id not in gone]
        now = {
            old.id: (self._ancestors[row.node.urn], row.used_terms, self.places[row.rule_urn].node_id)
            for row, old in plan.kept
        }
        now |= {old.id: (old.ancestor_ids, terms, old.rule_id) for old, terms in plan.used_terms}
        placed = [
            Placed(version.node_id, ancestors, version.kind == "section", terms, rule_id)
            for version in left
            for ancestors, terms, rule_id in (
                now.get(version.id, (version.ancestor_ids, version.used_terms, version.rule_id)),
            )
        ]
        placed += [
            Placed(
                self.places[node.urn].node_id, self._ancestors[node.urn], node.kind == "section", row.used_terms,
                self.places[row.rule_urn].node_id,
            )
            for row in plan.new
            for node in (row.node,)
        ]  # fmt: skip
        rules = term_rules(self.document.corpus.language)
        definitions = [
            Defines(
                self._place(definition.node_urn).node_id,
                term_id(rules.normalise(definition.term)),
                self._place(definition.scope_urn).node_id,
            )
            for definition in self.document.definitions
        ]
        if stored:
            values = {"jurisdiction": self.jurisdiction, "document_id": self.document_id}
            definitions += [Defines(*row) for row in self.conn.execute(QUERIES["find_definition_places"], values)]
        self._reach, self._placed = reach_of(placed, definitions), placed
        changed = [
            (version, reach) for version in left
            if (reach := self._reach_of(version.node_id, version.kind))
            != (version.subtree_ids, version.line_terms, version.scope_ids, version.context_ids)
        ]  # fmt: skip
        if changed:
            values = {
                "jurisdiction": self.jurisdiction, "ids": [version.id for version, _ in changed],
                "subtree_ids": [int_array(reach.subtree_ids) for _, reach in changed],
                "line_terms": [_keys(reach.line_terms) for _, reach in changed],
                "scope_ids": [_keys(reach.scope_ids) for _, reach in changed],
                "context_ids": [_keys(reach.context_ids) for _, reach in changed],
            }  # fmt: skip
            self.conn.execute(QUERIES["set_reach"], values)

    def _reach_of(self, node_id: int, kind: str) -> Reach:
        return NOTHING if kind == "section" else self._reach[node_id]

    def _redate(self, dated: list[tuple[StoredVersion, date | None, date | None]]) -> None:
        """Give versions other validity, and what hangs on them."""
        if not dated:
            return
        ids = [version.id for version, _, _ in dated]
        values = {
            "jurisdiction": self.jurisdiction, "ids": ids, "starts": [start for _, start, _ in dated],
            "ends": [end for _, _, end in dated],
        }  # fmt: skip
        self.conn.execute(QUERIES["redate_nodes"], values)
        self._follow(ids)

    def _follow(self, ids: list[int]) -> None:
        values = {"jurisdiction": self.jurisdiction, "ids": ids}
        self.conn.execute(QUERIES["follow_redated_definitions"], values)
        self.conn.execute(QUERIES["follow_redated_edges"], values)
        self.conn.execute(QUERIES["follow_redated_embeddings"], values)

    def _copy(self, plan: VersionPlan) -> list[int]:
        """Write stored words once more with all that hangs on them; returns the ids of the copies."""
        if not plan.copied:
            return []
        origins = [version.id for version, _ in plan.copied]
        self.ids.reserve(len(origins))
        copies = [self.ids.take() for _ in origins]
        starts, ends = [span.valid_from for _, span in plan.copied], [span.valid_to for _, span in plan.copied]
        values = {"jurisdiction": self.jurisdiction, "ids": copies, "origins": origins}
        self.conn.execute(QUERIES["copy_versions"], {**values, "starts": starts, "ends": ends})
        self._copy_parts("find_definitions_of", "copy_version_definitions", origins, copies)
        self._copy_parts("find_edges_of", "copy_version_edges", origins, copies)
        self.conn.execute(QUERIES["copy_version_embeddings"], values)
        return copies

    def _copy_parts(self, find: str, copy: str, origins: list[int], copies: list[int]) -> None:
        key = {"jurisdiction": self.jurisdiction}
        parts = self.conn.execute(QUERIES[find], {**key, "ids": origins}).fetchall()
        pairs = [
            (part, version)
            for origin, version in zip(origins, copies, strict=True)
            for part, owner in parts
            if owner == origin
        ]
        self.ids.reserve(len(pairs))
        ids = [self.ids.take() for _ in pairs]
        values = {"ids": ids, "origins": [part for part, _ in pairs], "versions": [version for _, version in pairs]}
        self.conn.execute(QUERIES[copy], {**key, **values})

    def _update(self) -> None:
        """Bring place and derived columns of kept versions to what their last edition says."""
        if not self._moved:
            return
        ids = [old.id for _, old in self._moved]
        self._count(ids, -1)
        self._stage([(old.id, row) for row, old in self._moved])
        self.conn.execute(QUERIES["update_staged_nodes"], self._config())
        self._count(ids, 1)
        self.conn.execute("truncate stage_nodes")

    def _insert(self, new: list[tuple[int, NodeRow]], copies: list[int]) -> None:
        """Write new versions, and count them with those that were copied."""
        if new:
            self._stage(new)
        with self.conn.pipeline():
            if new:
                self.conn.execute(
                    QUERIES["insert_staged_nodes"],
                    {
                        **self._config(), "document_id": self.document_id, "language": self.document.corpus.language,
                        "corpus": self.document.corpus.urn, "source": self.document.source,
                    },
                )  # fmt: skip
            self._count([*copies, *(version_id for version_id, _ in new)], 1)
            estimated = self.conn.execute(QUERIES["estimate_nodes"])
        row = estimated.fetchone()
        # Rows that the planner does not know of would surprise it: foreign keys to them are checked one by one.
        if len(new) > 1 and (row is None or len(new) > row[0] * _SURPRISE):
            self.conn.execute(QUERIES["analyze_nodes"])
            note_analyzed(self.conn, len(new))

    def _config(self) -> dict[str, str]:
        return {"jurisdiction": self.jurisdiction, "config": text_search_config(self.document.corpus.language)}

    def _number(self, rows: list[NodeRow], stored: list[StoredVersion], root: tuple[list[int], Place] | None) -> None:
        """Give every node its id, in document order, and from that its ancestors."""
        known = {version.urn: version.node_id for version in stored}
        self.ids.reserve(2 * len(rows))
        self._ancestors: dict[str, list[int]] = {}
        if root is not None:
            self._ancestors[self.document.corpus.urn] = root[0]
            self.places[self.document.corpus.urn] = root[1]
        for row in rows:
            urn = row.node.urn
            if urn not in self._ancestors:
                node_id = known.get(urn) or self.ids.take()
                self.places[urn] = Place(node_id, row.path)
                above = self._ancestors[row.node.parent_urn] if row.node.parent_urn else []
                self._ancestors[urn] = [*above, node_id]

    def _has_moved(self, row: NodeRow, old: StoredVersion) -> bool:
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
                reach = self._reach_of(self.places[node.urn].node_id, node.kind)
                copy.write_row((
                    version_id, self.places[node.urn].node_id, node.urn, row.path, node.kind, node.structure_type,
                    node.level, node.number, row.ordinal, node.heading, node.intro_text, node.content_text,
                    _json(node.tags), node.aliases, row.valid_from, row.valid_to, int_array(self._ancestors[node.urn]),
                    self.places[row.rule_urn].node_id, int_array(row.used_terms), row.search_heading,
                    row.search_titles, row.search_leads, row.search_body, node.line, row.source_hash, row.search_hash,
                    row.from_basis, row.to_basis, multirange(row.uncertain), *map(_keys, reach),
                ))  # fmt: skip

    def _count(self, ids: list[int], sign: int) -> None:
        if ids:
            values = {"jurisdiction": self.jurisdiction, "ids": ids, "sign": sign}
            self.conn.execute(QUERIES["adjust_lexeme_stats"], values)
            self.conn.execute(QUERIES["adjust_language_stats"], values)

    def write_definitions(self, *, new: bool) -> int:
        """Replace the definitions of the versions that the source vouches for; returns how many there are.

        Args:
            new: of the document nothing is stored, so that what its definitions need is known, too. Written without
                and filled in later, each would be a row and its indexes' entries twice.
        """
        if self._kept:
            self.conn.execute(QUERIES["delete_definitions"], {"jurisdiction": self.jurisdiction, "ids": self._kept})
        rows = [
            (definition, version_id, node, validity)
            for definition in self.document.definitions
            for version_id, node, validity in self._holding(definition.node_urn, definition.term)
        ]
        if not rows:
            return 0
        self.ids.reserve(len(rows))
        terms = [term_rules(self.document.corpus.language).normalise(row[0].term) for row in rows]
        meanings = [
            Meaning(
                self._place(definition.node_urn).node_id, term_id(term),
                None if definition.used_terms is None else [*map(term_id, definition.used_terms)],
                sorted(self._place(urn).node_id for urn in definition.apart),
            )
            for (definition, *_), term in zip(rows, terms, strict=True)
        ]  # fmt: skip
        if new:
            needs, inside = needs_of(self._placed, meanings), {version.node_id for version in self._placed}
        else:
            reaches = [
                self._reach_of(meaning.node_id, row[2].kind) for meaning, row in zip(meanings, rows, strict=True)
            ]
            needs, inside = [Needs([], [], reach.subtree_ids) for reach in reaches], None
        with self.conn.cursor() as cursor, cursor.copy(QUERIES["copy_definitions"]) as copy:
            for (definition, version_id, node, validity), term, meaning, need in zip(
                rows, terms, meanings, needs, strict=True
            ):
                place, scope = self._place(definition.node_urn), self._place(definition.scope_urn)
                copy.write_row((
                    self.jurisdiction, self.ids.take(), version_id, place.node_id, place.path, definition.term, term,
                    meaning.term_id, definition.relation, scope.node_id, scope.path, definition.scope_urn,
                    definition.inferred, definition.phrase, definition.reference_urn, self.document.corpus.language,
                    validity, int_array(need.used_terms), int_array(need.needed_terms),
                    inside is not None and scope.node_id not in inside, node.urn,
                    int_array(self._ancestors[node.urn]), int_array(need.subtree_ids), _keys(meaning.own_terms),
                    int_array(meaning.apart_ids),
                ))  # fmt: skip
        return len(rows)

    def write_edges(self) -> tuple[int, int]:
        """Replace the edges of the versions that the source vouches for.

        Returns:
            How many there are, and how many of them lead to a node of the document itself. Only these have their target
            at once: written without and filled in later, each would be a row and its indexes' entries twice.
        """
        if self._kept:
            self.conn.execute(QUERIES["delete_edges"], {"jurisdiction": self.jurisdiction, "ids": self._kept})
        rows = [
            (link, version_id, validity)
            for link in self.document.links
            for version_id, _, validity in self._holding(link.source_urn, link.reference)
        ]
        if not rows:
            return 0, 0
        self.ids.reserve(len(rows))
        inside = 0
        with self.conn.cursor() as cursor, cursor.copy(QUERIES["copy_edges"]) as copy:
            for link, version_id, validity in rows:
                target = canonical_jurisdiction(link.target_urn.split(":")[2]) if link.target_urn else ""
                node_id = self.places[link.target_urn].node_id if link.target_urn in self.versions else None
                inside += node_id is not None
                copy.write_row((
                    self.jurisdiction, self.ids.take(), version_id, self._place(link.source_urn).node_id, link.kind,
                    link.reference, target, link.target_urn, node_id, _json(link.properties), validity,
                ))  # fmt: skip
        return len(rows), inside

    def _place(self, urn: str) -> Place:
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
        return [version for version in versions if words.casefold() in version[1].text.casefold()] or versions


def multirange(days: Iterable[Days]) -> str | None:
    """Days as PostgreSQL writes a multirange; None where there are none."""
    ranges = [f"[{since or ''},{until or ''})" for since, until in days]
    return "{" + ",".join(ranges) + "}" if ranges else None


def _keys(numbers: list[int] | None) -> str | None:
    return None if numbers is None else int_array(numbers)


def _json(value: dict[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False) if value else "{}"


def _common(version: StoredVersion, valid_from: date | None, valid_to: date | None) -> tuple[date | None, date | None]:
    """The time that a version's validity has in common with another; there is some."""
    starts = [day for day in (version.valid_from, valid_from) if day is not None]
    ends = [day for day in (version.valid_to, valid_to) if day is not None]
    return max(starts, default=None), min(ends, default=None)


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
    resolved: int  # edges to nodes of the document itself
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
    stored = stored_versions(conn, jurisdiction, document_id) if known.document_id else []
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
    definitions = writer.write_definitions(new=not stored)
    if stored:
        store_term_closures(conn, jurisdiction, document_id)
    edges, resolved = writer.write_edges()
    warnings = _warnings(plan, edition, editions)
    return StoredDocument(document_id, jurisdiction, len(rows), len(plan.new), definitions, edges, resolved, warnings)


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
    rewritten = plan.rewritten() if edition.key not in {other.key for other in editions} else []
    if rewritten:
        out.append(
            f"{edition.source}: words of {_some(rewritten)} that an earlier edition shows were in force on no day, for "
            "this one gives its own words the same days. Where both were law, give the new ones their first day "
            "(valid_from) and ingest it again"
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


def stored_versions(conn: Connection, jurisdiction: str, document_id: int) -> list[StoredVersion]:
    """All versions of a document's nodes."""
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
        editions: those that the store has of it.
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
        history: with the edition in it.
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
                words = bytes.fromhex(showing.source_hash)
                copy.write_row((key["jurisdiction"], key["document_id"], urn, *since, stated, words))
