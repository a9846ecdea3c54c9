"""The background job over unresolved edges: by URN, then by reading their words with the source's grammar."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice

from rag.ingest.pipeline import Progress
from rag.ingest.writing.edges import resolve_edges
from rag.ingest.writing.transactions import write_again
from rag.jurisdictions.registry import jurisdiction_for
from rag.requests import checked_date
from rag.store.database import Connection, Database
from retrieval.model import Record, Resolution
from retrieval.nodes import stored_jurisdictions
from retrieval.queries import QUERIES
from retrieval.references.batch import resolve_many
from retrieval.references.hits import names_urn

BATCH = 1_000  # distinct references read, looked up and written together


class EdgeReport(Record):
    """What the job did."""

    by_urn: int  # edges whose target's URN is in the store by now
    by_words: int  # edges whose words lead to exactly one provision, with certainty
    references: int  # distinct references that were read
    unresolved: int  # edges that still have no target
    seconds: float


def resolve_all_edges(database: Database, report: Callable[[Progress], None] | None = None) -> EdgeReport:
    """Give every unresolved edge its target where one is certain. Running it again changes nothing more.

    Words are read by the grammar of the source's jurisdiction as if they stood alone; only a certain reading with a
    single hit counts, and an edge that was already read as a URN keeps that reading.

    Args:
        database: an open store.
        report: called after each batch of references.

    Raises:
        StoreError: the store failed; batches written before stay.
    """
    since = time.monotonic()
    by_urn = resolve_edges(database)
    by_words = done = 0
    with database.read() as conn:
        jurisdictions = stored_jurisdictions(conn)
        wanted = {code: _unresolved(conn, code) for code in jurisdictions}
    total = sum(len(one) for one in wanted.values())
    for code, references in wanted.items():
        rest = iter(references)
        while part := list(islice(rest, BATCH)):
            by_words += _resolve_part(database, code, part, jurisdictions)
            done += len(part)
            if report is not None:
                report(Progress(done, total, f"references of {code}", 0))
    with database.read() as conn:
        [row] = conn.execute(QUERIES["count_unresolved_edges"], {"jurisdictions": jurisdictions}).fetchall()
    return EdgeReport(
        by_urn=by_urn, by_words=by_words, references=total, unresolved=row[0], seconds=time.monotonic() - since
    )


def _unresolved(conn: Connection, code: str) -> list[tuple[str, bool]]:
    """The distinct words of a jurisdiction's unresolved edges, and whether a grammar read a URN in them."""
    return conn.execute(QUERIES["list_unresolved_references"], {"jurisdiction": code}).fetchall()


def _resolve_part(database: Database, code: str, part: list[tuple[str, bool]], jurisdictions: list[str]) -> int:
    parsers = [jurisdiction_for(code)]
    with database.read() as conn:
        resolutions = resolve_many(
            conn, [reference for reference, _ in part], parsers, jurisdictions=jurisdictions,
            today=checked_date(None), ids=False, chunk=BATCH,
        )  # fmt: skip
        sure = [(*one, urn) for one, found in zip(part, resolutions, strict=True) if (urn := _certain(found, one[1]))]
        known = {"jurisdictions": jurisdictions, "urns": sorted({urn for *_, urn in sure})}
        nodes = {urn: (owner, node_id) for owner, urn, node_id in conn.execute(QUERIES["find_node_ids"], known)}
    if not sure:
        return 0
    rows = [(reference, named, *nodes[urn]) for reference, named, urn in sure]
    columns = ("references", "named", "target_jurisdictions", "node_ids")
    found = {name: [row[position] for row in rows] for position, name in enumerate(columns)}
    return write_again(
        database,
        lambda conn: conn.execute(QUERIES["resolve_edge_references"], {"jurisdiction": code, **found}).rowcount,
    )


def _certain(found: Resolution, named: bool) -> str:
    """The provision that words lead to for certain; empty where they do not.

    An edge that its place in the text gave a URN is only helped by other tags: the same words read alone would drop
    what the place said.
    """
    if found.status != "resolved" or found.urn is None or len(found.candidates) != 1:
        return ""
    return "" if named and any(names_urn(query) for query in found.tag_queries) else found.urn
