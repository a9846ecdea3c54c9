"""The dense leg: nearest nodes by the store's one embedding model."""

from __future__ import annotations

from dataclasses import dataclass

from pgvector import HalfVector
from psycopg import sql

from retrieval.embedding import Embedder
from retrieval.errors import ConfigurationError
from retrieval.lexical import LEG_LIMIT, Filters, LegHit
from retrieval.nodes import Connection
from retrieval.queries import QUERIES


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The model that the store's vectors come from."""

    model: str
    dimensions: int


def stored_model(conn: Connection) -> StoredModel | None:
    """The store's embedding model; None where nothing is embedded."""
    row = conn.execute(QUERIES["read_store_setting"], {"key": "embedding_model"}).fetchone()
    return StoredModel(**row[0]) if row else None


def check_embedder(stored: StoredModel, embedder: Embedder) -> None:
    """Refuse a question's vector of another model.

    Raises:
        ConfigurationError: the embedder is not the store's model.
    """
    if (embedder.model, embedder.dimensions) != (stored.model, stored.dimensions):
        raise ConfigurationError(
            f"This store's vectors come from {stored.model} ({stored.dimensions} dimensions), the settings say "
            f"{embedder.model} ({embedder.dimensions}). Set LEXSCOPE_EMBEDDING_MODEL and "
            "LEXSCOPE_EMBEDDING_DIMENSIONS to the store's, or use another store."
        )


def search_dense(conn: Connection, vector: list[float], stored: StoredModel, filters: Filters) -> list[LegHit]:
    """Nearest nodes by cosine similarity, nearest first.

    Args:
        conn: a read connection.
        vector: the question's embedding, `stored.dimensions` long.
        stored: the store's model.
        filters: jurisdictions, language and date.
    """
    # Iterative scans keep filling the result when a filter rejects neighbours.
    conn.execute("set local hnsw.iterative_scan = relaxed_order; set local hnsw.ef_search = 400")
    statement = sql.SQL(QUERIES["search_dense"]).format(dimensions=sql.Literal(stored.dimensions))
    values = {
        "vector": HalfVector(vector),
        "model": stored.model,
        "jurisdictions": list(filters.jurisdictions),
        "language": filters.language,
        "at_date": filters.at_date,
        "kinds": list(filters.kinds),
        "limit": LEG_LIMIT,
    }
    return [LegHit(*row) for row in conn.execute(statement, values)]
