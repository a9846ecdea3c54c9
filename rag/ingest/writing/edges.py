"""Resolves edges whose target was not in the store when they were written: by URN, then by reading their words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from rag.ingest.writing.progress import Progress
from rag.ingest.writing.transactions import write_again
from rag.jurisdictions.registry import jurisdiction_for
from rag.requests import checked_date
from rag.store.database import Connection, Database
from retrieval.errors import InputError
from retrieval.model import Record, Resolution
from retrieval.nodes import stored_jurisdictions
from retrieval.paths import parse_urn, urn_spellings
from retrieval.queries import QUERIES
from retrieval.references.batch import resolve_many
from retrieval.references.hits import names_urn


def resolve_edges(database: Database, documents: Mapping[str, Sequence[int]] | None = None) -> int:
    """Fill `target_id` of edges whose target URN is in the store by now.

    A reference to a node that is not there keeps its words and its URN, and stays unresolved.

    Args:
        documents: jurisdiction -> ids of documents; only their edges, and those to their nodes, are looked at. All
            unresolved edges of the store where it does not say.

    Returns:
        How many edges were resolved.
    """
    return write_again(database, lambda conn: _resolve_edges(conn, documents))


def _resolve_edges(conn: Connection, documents: Mapping[str, Sequence[int]] | None) -> int:
    resolved = 0
    conn.execute(QUERIES["lock_summary"])
    jurisdictions = stored_jurisdictions(conn)
    wanted: dict[str, set[str]] = {}
    for target, urn in _unresolved_targets(conn, documents, jurisdictions):
        wanted.setdefault(target, set()).add(urn)
    for target, urns in sorted(wanted.items()):
        spellings = {spelling: urn for urn in sorted(urns) for spelling in urn_spellings(parse_urn(urn))}
        found: dict[str, int] = {}
        values = {"jurisdiction": target, "urns": sorted(spellings)}
        for urn, node_id, aliases in conn.execute(QUERIES["find_targets"], values):
            for name in (urn, *aliases):
                if name in spellings and (name == urn or spellings[name] not in found):
                    found[spellings[name]] = node_id
        if not found:
            continue
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


def _unresolved_targets(
    conn: Connection, documents: Mapping[str, Sequence[int]] | None, jurisdictions: list[str]
) -> Iterator[tuple[str, str]]:
    """Jurisdictions and URNs that unresolved edges name and that may be in the store by now."""
    if documents is None:
        yield from conn.execute(QUERIES["find_unresolved_targets"], {"jurisdictions": jurisdictions})
        return
    for code, ids in documents.items():
        values = {"jurisdiction": code, "document_ids": ids}
        yield from conn.execute(QUERIES["find_unresolved_targets_of"], values)
        names = [row[0] for row in conn.execute(QUERIES["find_names"], values)]
        spelled = sorted({spelling for name in names for spelling in _spellings(name)})
        for start in range(0, len(spelled), _NAMES):
            part = spelled[start : start + _NAMES]
            values = {"jurisdictions": jurisdictions, "target_jurisdiction": code, "urns": part}
            for [urn] in conn.execute(QUERIES["find_wanted"], values):
                yield code, urn


def _spellings(name: str) -> list[str]:
    try:
        return urn_spellings(parse_urn(name))
    except InputError:  # an alias that only looks like a URN
        return []


# The background job over all unresolved edges; words are read by the grammar of the source's jurisdiction.

_NAMES = 20_000  # URNs looked up at once
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
    total = sum(len(references) for references in wanted.values())
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
        sure = [
            (*reference, urn)
            for reference, found in zip(part, resolutions, strict=True)
            if (urn := _certain(found, reference[1]))
        ]
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
