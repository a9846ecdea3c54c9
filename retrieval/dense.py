"""The dense leg: nearest nodes by the store's one embedding model.

A partition with an index is searched through it, approximately; a small one has none and is searched exactly. Filters
stand inside the search, so that the index goes on until enough neighbours pass them; where it gives up before, the
search is done again without it, and what matches is never fewer than there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from pgvector import HalfVector
from psycopg import sql

from retrieval.embedding import Embedder
from retrieval.errors import ConfigurationError
from retrieval.lexical import LEG_LIMIT, Filters, LegHit
from retrieval.nodes import Connection, record_row
from retrieval.queries import QUERIES


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The model that the store's vectors come from."""

    model: str
    dimensions: int

    @property
    def space(self) -> str:
        """What tells its vectors from another model's, and from its own of another size."""
        return f"{self.model}/{self.dimensions}"


def stored_model(conn: Connection) -> StoredModel | None:
    """The store's embedding model; None where nothing is embedded."""
    row = conn.execute(QUERIES["read_store_setting"], {"key": "embedding_model"}).fetchone()
    return StoredModel(**row[0]) if row else None


def model_of(embedder: Embedder) -> StoredModel:
    """The model that an embedder's vectors come from."""
    return StoredModel(embedder.model, embedder.dimensions)


def check_embedder(stored: StoredModel, embedder: Embedder) -> None:
    """Refuse a vector of another model.

    Raises:
        ConfigurationError: the embedder is not the store's model.
    """
    if model_of(embedder) != stored:
        raise ConfigurationError(
            f"This store's vectors come from {stored.model} ({stored.dimensions} dimensions), the settings say "
            f"{embedder.model} ({embedder.dimensions}). Set LEXSCOPE_EMBEDDING_MODEL and "
            "LEXSCOPE_EMBEDDING_DIMENSIONS to the store's, or take the store over to the new model with "
            "`lexscope reembed`."
        )


def search_dense(conn: Connection, vector: list[float], stored: StoredModel, filters: Filters) -> list[LegHit]:
    """Nearest nodes by cosine similarity, nearest first, ties by URN: as many as match, up to the leg's limit.

    Args:
        conn: a read connection.
        vector: the question's embedding, `stored.dimensions` long.
        stored: the store's model.
        filters: jurisdictions, language, date and further predicates.
    """
    values = {"vector": HalfVector(vector), "model": stored.space, "limit": LEG_LIMIT, **filters.values}
    named = filters.statement(QUERIES["search_dense"])
    statement = sql.SQL(named).format(dimensions=sql.Literal(stored.dimensions))
    conn.execute(QUERIES["use_vector_indexes"])
    found = _hits(conn, statement, values)
    if len(found) < LEG_LIMIT:
        conn.execute(QUERIES["compare_all_vectors"])
        found = _hits(conn, statement, values)
        conn.execute(QUERIES["use_vector_indexes"])
    return found


def _hits(conn: Connection, statement: sql.Composed, values: dict[str, object]) -> list[LegHit]:
    with conn.cursor(binary=True, row_factory=record_row(LegHit)) as cursor:
        return cursor.execute(statement, values).fetchall()
