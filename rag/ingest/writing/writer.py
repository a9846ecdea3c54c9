"""Writes the versions of one document: delete, redate, copy, update, insert; then definitions and edges."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from psycopg.types.range import DateRange

from rag.ingest.writing.editions import Days
from rag.ingest.writing.reach import NOTHING, Defines, Placed, Reach, int_array, reach_of
from rag.ingest.writing.rows import NodeRow, term_id
from rag.ingest.writing.transactions import Ids, note_analyzed
from rag.ingest.writing.versions import StoredVersion, VersionPlan
from rag.languages.registry import term_rules
from rag.law.nodes import ParsedDocument, ParsedNode
from rag.store.database import Connection
from retrieval.errors import IngestError
from retrieval.languages import text_search_config
from retrieval.nodes import stored_jurisdictions
from retrieval.paths import canonical_jurisdiction
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
        self.conn.execute(QUERIES[lock], {"jurisdiction": self.jurisdiction})
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
        now = {old.id: (self._ancestors[row.node.urn], row.used_terms) for row, old in plan.kept}
        now |= {old.id: (old.ancestor_ids, terms) for old, terms in plan.used_terms}
        placed = [
            Placed(version.node_id, ancestors, version.kind == "section", terms)
            for version in left
            for ancestors, terms in (now.get(version.id, (version.ancestor_ids, version.used_terms)),)
        ]
        placed += [
            Placed(self.places[node.urn].node_id, self._ancestors[node.urn], node.kind == "section", row.used_terms)
            for row in plan.new
            for node in (row.node,)
        ]
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
        self._reach = reach_of(placed, definitions)
        changed = [
            (version, reach) for version in left
            if (reach := self._reach_of(version.node_id, version.kind))
            != (version.subtree_ids, version.line_terms, version.scope_ids, version.context_ids)
        ]  # fmt: skip
        if changed:
            values = {
                "jurisdiction": self.jurisdiction, "ids": [version.id for version, _ in changed],
                "subtree_ids": [int_array(reach.subtree_ids) for _, reach in changed],
                "line_terms": [int_array(reach.line_terms) for _, reach in changed],
                "scope_ids": [int_array(reach.scope_ids) for _, reach in changed],
                "context_ids": [int_array(reach.context_ids) for _, reach in changed],
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
                    row.from_basis, row.to_basis, multirange(row.uncertain), *map(int_array, reach),
                ))  # fmt: skip

    def _count(self, ids: list[int], sign: int) -> None:
        if ids:
            values = {"jurisdiction": self.jurisdiction, "ids": ids, "sign": sign}
            self.conn.execute(QUERIES["adjust_lexeme_stats"], values)
            self.conn.execute(QUERIES["adjust_language_stats"], values)

    def write_definitions(self) -> int:
        """Replace the definitions of the versions that the source vouches for; returns how many there are."""
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
        rules = term_rules(self.document.corpus.language)
        with self.conn.cursor() as cursor, cursor.copy(QUERIES["copy_definitions"]) as copy:
            for definition, version_id, node, validity in rows:
                place, scope = self._place(definition.node_urn), self._place(definition.scope_urn)
                term = rules.normalise(definition.term)
                copy.write_row((
                    self.jurisdiction, self.ids.take(), version_id, place.node_id, place.path, definition.term, term,
                    term_id(term), definition.relation, scope.node_id, scope.path, definition.scope_urn,
                    definition.inferred, definition.phrase, definition.reference_urn, self.document.corpus.language,
                    validity, node.urn, int_array(self._ancestors[node.urn]),
                    int_array(self._reach_of(place.node_id, node.kind).subtree_ids),
                    None if definition.used_terms is None else int_array(map(term_id, definition.used_terms)),
                    int_array(sorted(self._place(urn).node_id for urn in definition.apart)),
                ))  # fmt: skip
        return len(rows)

    def write_edges(self) -> int:
        """Replace the edges of the versions that the source vouches for; returns how many there are."""
        if self._kept:
            self.conn.execute(QUERIES["delete_edges"], {"jurisdiction": self.jurisdiction, "ids": self._kept})
        rows = [
            (link, version_id, validity)
            for link in self.document.links
            for version_id, _, validity in self._holding(link.source_urn, link.reference)
        ]
        if not rows:
            return 0
        self.ids.reserve(len(rows))
        with self.conn.cursor() as cursor, cursor.copy(QUERIES["copy_edges"]) as copy:
            for link, version_id, validity in rows:
                target = canonical_jurisdiction(link.target_urn.split(":")[2]) if link.target_urn else ""
                copy.write_row((
                    self.jurisdiction, self.ids.take(), version_id, self._place(link.source_urn).node_id, link.kind,
                    link.reference, target, link.target_urn, _json(link.properties), validity,
                ))  # fmt: skip
        return len(rows)

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


def _json(value: dict[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False) if value else "{}"


def _common(version: StoredVersion, valid_from: date | None, valid_to: date | None) -> tuple[date | None, date | None]:
    """The time that a version's validity has in common with another; there is some."""
    starts = [day for day in (version.valid_from, valid_from) if day is not None]
    ends = [day for day in (version.valid_to, valid_to) if day is not None]
    return max(starts, default=None), min(ends, default=None)
