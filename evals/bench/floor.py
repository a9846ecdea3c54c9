"""The floor of a scoped context: its very rows, fetched by primary key in one pipeline.

Two floors are told apart. One fetches the rows as the rest of the program reads them, into `NodeVersion`; the lean one
fetches no more than the columns that the look-ups of a context read, in their format and into their records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.rows import args_row, tuple_row

from retrieval.context.material import EdgeRow, Material
from retrieval.context.overrides import Override, Preemption
from retrieval.context.shadowing import DefinitionVersion
from retrieval.model import ScopedContext
from retrieval.nodes import ContextNode, NodeVersion, id_array, name_array, record_row

NODES = """select jurisdiction, id, node_id, urn, citation_path::text, kind, structure_type, level, number, ordinal,
    heading, intro_text, content_text, lower(validity), upper(validity), ancestor_ids, rule_id, used_terms, tags,
    language, corpus, document_id, uncertain::text, from_basis, to_basis, null, null, null, null
from legal_nodes where jurisdiction = any(%(jurisdictions)s) and id = any(%(nodes)s)"""
DEFINITIONS = """select jurisdiction, id, node_version_id, node_id, node_path::text, urn, term, normalised_term,
    term_id, relation, scope_id, scope_urn, nlevel(scope_path), inferred, phrase, reference_urn, lower(validity),
    used_terms, ancestor_ids, subtree_ids
from legal_definitions where jurisdiction = any(%(jurisdictions)s) and id = any(%(definitions)s)"""
LEAN_NODES = """select jurisdiction, id, node_id, urn, citation_path::text, kind, ordinal, heading, intro_text,
    content_text, lower(validity), upper(validity), ancestor_ids, used_terms, corpus, uncertain::text
from legal_nodes where jurisdiction = any(%(jurisdictions)s) and id = any(%(nodes)s)"""
LEAN_DEFINITIONS = """select jurisdiction, id, node_id, urn, term, normalised_term, term_id, relation, scope_id,
    scope_urn, inferred, phrase, reference_urn, lower(validity), used_terms, ancestor_ids, subtree_ids
from legal_definitions where jurisdiction = any(%(jurisdictions)s) and id = any(%(definitions)s)"""
EDGES = """select true, jurisdiction, source_id, kind, reference, target_jurisdiction, target_urn, target_id,
    null, coalesce(properties ->> 'model', ''), coalesce(properties ->> 'unshared', '')
from edges where jurisdiction = any(%(jurisdictions)s) and id = any(%(edges)s)"""
OVERRIDES = """select id, urn_pattern, status, severity, court, court_citation, message, lower(effective),
    upper(effective)
from judicial_overrides where id = any(%(overrides)s)"""
PREEMPTIONS = """select id, federal_pattern, state_pattern, kind, note, authority, lower(effective), upper(effective)
from federal_preemption where id = any(%(preemptions)s)"""
EDGE_IDS = """select id from edges where jurisdiction = any(%s) and (source_id = any(%s) or target_id = any(%s))
    and kind = any(%s)"""
_REST = ((EDGES, record_row(EdgeRow)), (OVERRIDES, args_row(Override)), (PREEMPTIONS, args_row(Preemption)))
FETCHES: tuple[tuple[str, Any], ...] = ((NODES, record_row(NodeVersion)), (DEFINITIONS, tuple_row), *_REST)
LEAN_FETCHES: tuple[tuple[str, Any], ...] = (
    (LEAN_NODES, record_row(ContextNode)), (LEAN_DEFINITIONS, record_row(DefinitionVersion)), *_REST,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Floor:
    """The primary keys of one context's rows."""

    keys: dict[str, Any]
    rows: int

    def fetch(self, conn: Connection[Any], *, lean: bool = False) -> list[list[Any]]:
        """Fetch them, table by table, in one round trip."""
        with conn.pipeline():
            cursors = [
                conn.cursor(binary=lean, row_factory=rows).execute(query.encode(), self.keys)
                for query, rows in (LEAN_FETCHES if lean else FETCHES)
            ]
        return [cursor.fetchall() for cursor in cursors]


def floor_of(conn: Connection[Any], material: Material, context: ScopedContext) -> Floor:
    """What one context rests on, without what its look-ups read in excess.

    That is: the blocks' nodes and all that contains them, the definitions that apply and those they shadow, the edges,
    overrides and preemptions that were found.
    """
    by_urn = {node.urn: node for node in material.nodes.values()}
    shown = [by_urn[block.urn] for block in context.blocks]
    shown += [by_urn[omitted.urn] for omitted in context.omitted if omitted.urn in by_urn]
    nodes = {above.id: above for node in shown for above in material.chain(node)}
    applied = {
        (definition.term.lower(), urn)
        for definition in context.definitions
        for urn in (definition.urn, *definition.shadows)
    }
    definitions = {
        definition.id for definition in material.definitions if (definition.term.lower(), definition.urn) in applied
    }
    jurisdictions = sorted({node.jurisdiction for node in nodes.values()})
    edges = _edge_ids(conn, material, jurisdictions)
    keys: dict[str, Any] = {
        "jurisdictions": name_array(jurisdictions), "nodes": id_array(sorted(nodes)),
        "definitions": id_array(sorted(definitions)), "edges": id_array(sorted(edges)),
        "overrides": id_array(sorted(material.overrides)),
        "preemptions": id_array(sorted(material.preemptions)),
    }  # fmt: skip
    rows = len(nodes) + len(definitions) + len(edges) + len(material.overrides) + len(material.preemptions)
    return Floor(keys, rows)


def _edge_ids(conn: Connection[Any], material: Material, jurisdictions: Sequence[str]) -> list[int]:
    ids = [edge.source_id for edge in material.edges if edge.outward]
    ends = [edge.target_id for edge in material.edges if not edge.outward and edge.target_id is not None]
    kinds = sorted({edge.kind for edge in material.edges})
    return [row[0] for row in conn.execute(EDGE_IDS.encode(), [list(jurisdictions), ids, ends, kinds])]
