"""What searches need of sections beside vectors: where each rule stands, and the mean of its section's vectors.

A row holds from one day to another. Whoever changes nodes or vectors removes the rows that speak of them in the same
transaction, so that none is ever wrong; the run makes them anew at its end. A search makes what is missing for itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from rag.ingest.writing.progress import Progress
from rag.store.database import Connection, Database
from retrieval.cluster import send_each, use_plans
from retrieval.entry_points.dense import StoredModel, stored_model
from retrieval.nodes import id_array, name_array, stored_jurisdictions
from retrieval.queries import QUERIES, fill

PAGE = 500  # rules of one transaction, which writers of the same jurisdiction wait for


def make_sections(
    database: Database,
    documents: Mapping[str, Sequence[int]] | None = None,
    *,
    model: StoredModel | None = None,
    report: Callable[[Progress], None] | None = None,
) -> int:
    """Make what is missing.

    Args:
        documents: jurisdiction -> ids of the documents to look through; all by default.
        model: whose vectors; the store's by default.
        report: called after each document with something to make.

    Returns:
        How many rows.
    """
    started = time.monotonic()
    with database.read() as conn:
        wanted = model or stored_model(conn)
        if wanted is None:
            return 0
        places = _places(conn, documents)
    made = 0
    for done, (jurisdiction, document_id) in enumerate(places, start=1):
        key = {"jurisdiction": jurisdiction, "model": wanted.space}
        with database.read() as conn:
            values = {**key, "document_id": document_id}
            nodes = [row[0] for row in conn.execute(QUERIES["find_rules_without_sections"], values)]
        for first in range(0, len(nodes), PAGE):
            with database.write() as conn:
                made += _make(conn, key, nodes[first : first + PAGE])
        if report is not None and nodes:
            seconds = time.monotonic() - started
            remaining = seconds * (len(places) - done) / done
            report(Progress(done, len(places), f"sections of {jurisdiction}", made, seconds, remaining))
    return made


def _places(conn: Connection, documents: Mapping[str, Sequence[int]] | None) -> list[tuple[str, int]]:
    if documents is not None:
        return [(code, document) for code, ids in sorted(documents.items()) for document in sorted(set(ids))]
    return [
        (code, document)
        for code in stored_jurisdictions(conn)
        for (document,) in conn.execute(QUERIES["list_document_ids"], {"jurisdiction": code})
    ]


def _make(conn: Connection, key: Mapping[str, str], nodes: Sequence[int]) -> int:
    use_plans(conn, "custom")  # a plan for any number of rules compares all vectors for each
    # Nobody changes nodes or vectors of the jurisdiction between what is read here and what is written.
    conn.execute(QUERIES["lock_vectors"], {"jurisdiction": key["jurisdiction"]})
    periods = conn.execute(QUERIES["find_periods"], {**key, "nodes": id_array(nodes)}).fetchall()
    code = key["jurisdiction"]
    values = {
        **key, "jurisdictions": name_array([code]), "codes": name_array(code for _ in periods),
        "ids": id_array(version for version, _, _ in periods),
        "days": [day for _, day, _ in periods], "untils": [until for _, _, until in periods],
    }  # fmt: skip
    made = send_each(conn, fill(QUERIES["make_section_vectors"], sections=QUERIES["derive_sections"]), values)
    return len(made.fetchall())
