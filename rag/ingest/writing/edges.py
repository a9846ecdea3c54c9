"""Resolves recorded references: edges whose target was not in the store when they were written."""

from __future__ import annotations

from rag.ingest.writing.transactions import write_again
from rag.store.database import Connection, Database
from retrieval.paths import parse_urn, urn_spellings
from retrieval.queries import QUERIES


def resolve_edges(database: Database) -> int:
    """Fill `target_id` of every edge whose target URN is in the store by now.

    A reference to a node that is not there keeps its words and its URN, and stays unresolved.

    Returns:
        How many edges were resolved.
    """
    return write_again(database, resolve_stored_edges)


def resolve_stored_edges(conn: Connection) -> int:
    """The same in a transaction of the caller's."""
    resolved = 0
    conn.execute(QUERIES["lock_summary"])
    jurisdictions = [row[0] for row in conn.execute(QUERIES["find_stored_jurisdictions"])]
    wanted: dict[str, list[str]] = {}
    for target, urn in conn.execute(QUERIES["find_unresolved_targets"], {"jurisdictions": jurisdictions}):
        wanted.setdefault(target, []).append(urn)
    for target, urns in sorted(wanted.items()):
        spellings = {spelling: urn for urn in urns for spelling in urn_spellings(parse_urn(urn))}
        found: dict[str, int] = {}
        values = {"jurisdiction": target, "urns": sorted(spellings)}
        for urn, node_id, aliases in conn.execute(QUERIES["find_targets"], values):
            for name in (urn, *aliases):
                if name in spellings and (name == urn or spellings[name] not in found):
                    found[spellings[name]] = node_id
        pairs = sorted(found.items())
        cursor = conn.execute(
            QUERIES["resolve_edges"],
            {
                "jurisdictions": jurisdictions,
                "target_jurisdiction": target,
                "urns": [urn for urn, _ in pairs],
                "node_ids": [node_id for _, node_id in pairs],
            },
        )
        resolved += cursor.rowcount
    return resolved
