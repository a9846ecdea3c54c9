"""The dense leg: nearest nodes by the store's one embedding model.

A partition with an index is searched through it, approximately, unless the planner finds it cheaper to compare all; a
small one has none, and is searched exactly. Filters stand inside the search, so that the index goes on until enough
neighbours pass them; where it gives up before, the search is done again without it, and there are never fewer than
match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import LiteralString, Protocol, TypeVar

from pgvector import HalfVector
from psycopg import Cursor, sql
from psycopg.rows import RowFactory, tuple_row

from retrieval.embedding import Embedder
from retrieval.errors import ConfigurationError
from retrieval.lexical import LEG_LIMIT, Filters, LegHit
from retrieval.nodes import Connection, id_array, record_row
from retrieval.queries import QUERIES

# How many of the nearest vectors are looked at for the leg's limit of nodes in the language searched: as many as the
# search of an index has at hand anyway (hnsw.ef_search).
_REACH = 4 * LEG_LIMIT

Row = TypeVar("Row")


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


class Placed(Protocol):
    """A version of a node: a hit or a candidate of some leg."""

    @property
    def jurisdiction(self) -> str:
        """Its jurisdiction."""
        ...

    @property
    def id(self) -> int:
        """The version's id."""
        ...


@dataclass(frozen=True, slots=True)
class DenseSearch:
    """A search for the nearest nodes that was sent; in a pipeline the server works on it while the caller goes on."""

    _conn: Connection
    _model: StoredModel
    _filters: Filters
    _values: Mapping[str, object]
    _first: Cursor[LegHit]
    _scored: Cursor[tuple[str, int, float]] | None

    def nearest(self) -> list[LegHit]:
        """Nearest nodes by cosine similarity, nearest first, ties by URN: as many as match, up to the leg's limit."""
        found = self._first.fetchall()
        if len(found) < LEG_LIMIT and self._filters.where is None:
            found = self._again()
        if len(found) < LEG_LIMIT:
            self._conn.execute(QUERIES["compare_all_vectors"])
            found = self._again()
            self._conn.execute(QUERIES["use_vector_indexes"])
        return found

    def similarities(self) -> dict[tuple[str, int], float]:
        """Those of the nodes that were named; a node without a vector has none."""
        rows = self._scored.fetchall() if self._scored is not None else []
        return {(code, number): score for code, number, score in rows}

    def _again(self) -> list[LegHit]:
        statement = _sized(self._filters.statement(QUERIES["search_dense"]), self._model)
        return _send(self._conn, statement, self._values, record_row(LegHit)).fetchall()


def send_dense(
    conn: Connection, vector: list[float], stored: StoredModel, filters: Filters, others: Iterable[Placed] = ()
) -> DenseSearch:
    """Send a search for the nearest nodes, and for the similarities of some others.

    Args:
        conn: a read connection.
        vector: the question's embedding, `stored.dimensions` long.
        stored: the store's model.
        filters: jurisdictions, language, date and further predicates.
        others: what other legs found, or may.
    """
    values = {
        "vector": HalfVector(vector), "model": stored.space, "limit": LEG_LIMIT, "reach": _REACH, **filters.values
    }  # fmt: skip
    conn.execute(QUERIES["use_vector_indexes"])
    named = filters.statement(QUERIES["search_dense"]) if filters.where else QUERIES["search_nearest"]
    first = _send(conn, _sized(named, stored), values, record_row(LegHit))
    keys = {(one.jurisdiction, one.id) for one in others}
    scored = None
    if keys:
        asked = {
            **values, "jurisdictions": sorted({code for code, _ in keys}), "ids": id_array(sorted({n for _, n in keys}))
        }  # fmt: skip
        scored = _send(conn, _sized(QUERIES["score_dense"], stored), asked, tuple_row)
    return DenseSearch(conn, stored, filters, values, first, scored)


def search_dense(conn: Connection, vector: list[float], stored: StoredModel, filters: Filters) -> list[LegHit]:
    """Nearest nodes by cosine similarity, as `DenseSearch.nearest`.

    Args:
        conn: a read connection.
        vector: the question's embedding, `stored.dimensions` long.
        stored: the store's model.
        filters: jurisdictions, language, date and further predicates.
    """
    return send_dense(conn, vector, stored, filters).nearest()


def _sized(named: LiteralString, stored: StoredModel) -> sql.Composed:
    return sql.SQL(named).format(dimensions=sql.Literal(stored.dimensions))


def _send(
    conn: Connection, statement: sql.Composed, values: Mapping[str, object], rows: RowFactory[Row]
) -> Cursor[Row]:
    return conn.cursor(binary=True, row_factory=rows).execute(statement, values)
