"""Similarities of nodes that another leg found, so that fusion compares like with like."""

from __future__ import annotations

from collections.abc import Sequence

from pgvector import HalfVector
from psycopg import sql

from retrieval.dense import StoredModel
from retrieval.lexical import LegHit
from retrieval.nodes import Connection
from retrieval.queries import QUERIES


def with_similarities(
    conn: Connection, nearest: Sequence[LegHit], others: Sequence[LegHit], vector: list[float], stored: StoredModel
) -> list[LegHit]:
    """The dense leg's ranking, followed by the nodes of other legs that it did not reach, by their similarity.

    A node without a vector has no similarity and is left out.

    Args:
        conn: a read connection.
        nearest: what the dense leg found.
        others: what other legs found.
        vector: the question's embedding, `stored.dimensions` long.
        stored: the store's model.
    """
    known = {(one.jurisdiction, one.id) for one in nearest}
    missing = {key: one for one in others if (key := (one.jurisdiction, one.id)) not in known}
    if not missing:
        return list(nearest)
    statement = sql.SQL(QUERIES["score_dense"]).format(dimensions=sql.Literal(stored.dimensions))
    values = {
        "jurisdictions": sorted({code for code, _ in missing}),
        "ids": sorted({number for _, number in missing}),
        "model": stored.space,
        "vector": HalfVector(vector),
    }
    scored = [
        LegHit(one.jurisdiction, one.id, one.node_id, one.urn, one.rule_id, score)
        for code, number, score in conn.execute(statement, values)
        if (one := missing.get((code, number))) is not None
    ]
    return [*nearest, *sorted(scored, key=lambda one: (-one.score, one.urn, one.id))]
