"""Vectors for the dense leg: one model per store, unchanged text never embedded twice, indexes built last.

To put a vector into an HNSW index costs about six times as much as its share of building the index over all vectors
at once. So the first vectors of a jurisdiction, and as many new ones as make it cheaper to build the index anew, are
written without one. Until the run's end search compares them all, which is exact and slower; a run that was killed
before its end leaves the building to the next one. Few vectors need no index at all.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pgvector import HalfVector
from psycopg import sql
from psycopg.types.json import Jsonb

from rag.store.database import Connection, Database
from retrieval.entry_points.dense import StoredModel, check_embedder, model_of, stored_model
from retrieval.nodes import stored_jurisdictions
from retrieval.providers.embedding import Embedder, EmbeddingBatch
from retrieval.queries import QUERIES

LIVE_VECTORS = 1000  # so many new vectors of a run go into an index whatever it holds
_SHARE = 0.25  # new vectors for each one in the index, from which on building it anew is cheaper
# Fewer vectors are compared one by one in as many milliseconds as an index takes, and exactly.
EXACT_BELOW = 5000
PAGE = 1000  # texts that are embedded and written at once: what a killed run loses at most

Embed = Callable[[list[str]], EmbeddingBatch]
Advance = Callable[[int], None]


@dataclass(slots=True)
class Embedded:
    """What embedding came to."""

    texts: int = 0  # versions that have a vector now and had none of this text before
    reused: int = 0  # of them, with a vector that the same words had already
    shortened: int = 0  # too long for the model, and represented by their beginning only
    tokens: int = 0  # as the provider counted them; 0 where it does not


class Vectors:
    """Writes the vectors of one run; `index_vectors` ends it.

    Args:
        database: an open store.
        embedder: whose vectors are written.
        embed: asks the embedder; by default once, and a failure is the caller's.
        beside: write them beside those of the store's model, as what the store is to go over to.
    """

    def __init__(
        self, database: Database, embedder: Embedder, *, embed: Embed | None = None, beside: bool = False
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._embed = embed or embedder.embed
        self._beside = beside
        self._written: Counter[str] = Counter()  # jurisdiction -> vectors of this run
        self._before: dict[str, int] = {}  # jurisdiction -> vectors ahead of this run

    def embed_document(self, jurisdiction: str, document_id: int, *, changed: bool = False) -> Embedded:
        """Embed what of a document has no vector yet, each node with what `find_texts_to_embed` says.

        Args:
            jurisdiction: the document's.
            document_id: its id.
            changed: whether it was written just now: a new heading or part changes the texts of others.

        Raises:
            ConfigurationError: the store has another model.
            ProviderError: the provider failed; the law stays stored and searchable without vectors.
        """
        return self._embed_pages(jurisdiction, document_id, stale=changed)

    def embed_jurisdiction(self, jurisdiction: str, advance: Advance | None = None) -> Embedded:
        """Embed what has no vector yet, or one of words that it no longer has; see `embed_document`.

        Args:
            jurisdiction: in whose law.
            advance: called after each page with the texts that have their vectors now.
        """
        return self._embed_pages(jurisdiction, None, stale=True, advance=advance)

    def _embed_pages(
        self, jurisdiction: str, document_id: int | None, *, stale: bool, advance: Advance | None = None
    ) -> Embedded:
        done, after = Embedded(), -1
        model: StoredModel | None = None
        while True:
            with self._database.read() as conn:
                if model is None:
                    model = self._checked_model(conn)
                values = {
                    "jurisdiction": jurisdiction, "document_id": document_id, "after": after, "stale": stale,
                    "model": model.space, "limit": PAGE,
                }  # fmt: skip
                rows = conn.execute(QUERIES["find_texts_to_embed"], values).fetchall()
            if rows:
                self._embed_page(jurisdiction, model, rows, done)
                after = rows[-1][0]
                if advance is not None:
                    advance(len(rows))
            if len(rows) < PAGE:
                return done

    def _checked_model(self, conn: Connection) -> StoredModel:
        """The embedder's model.

        Raises:
            ConfigurationError: it is not the store's, and is not to be beside it.
        """
        known = stored_model(conn)
        if known is not None and not self._beside:
            check_embedder(known, self._embedder)
        return model_of(self._embedder)

    def _embed_page(
        self, jurisdiction: str, model: StoredModel, rows: list[tuple[int, str, str]], done: Embedded
    ) -> None:
        ids, hashes = [row[0] for row in rows], [row[2] for row in rows]
        values = {"jurisdiction": jurisdiction, "model": model.space, "hashes": hashes}
        with self._database.read() as conn:
            vectors = dict[str, str](conn.execute(QUERIES["find_embeddings_by_text"], values).fetchall())
        missing = {digest: text for _, text, digest in rows if digest not in vectors}
        done.reused += sum(digest in vectors for digest in hashes)
        if missing:
            batch = self._embed(list(missing.values()))
            done.shortened += batch.shortened
            done.tokens += batch.tokens
            vectors.update(zip(missing, (HalfVector(one).to_text() for one in batch.vectors), strict=True))
        with self._database.write() as conn:
            conn.execute(QUERIES["lock_vectors"], {"jurisdiction": jurisdiction})
            if not self._beside:
                self._claim_store(conn, model)
            self._make_way(conn, jurisdiction, model, len(rows))
            values = {**values, "ids": ids, "vectors": [vectors[digest] for digest in hashes]}
            conn.execute(QUERIES["write_embeddings"], values)
        done.texts += len(rows)

    def _claim_store(self, conn: Connection, model: StoredModel) -> None:
        """Make sure that the store has this model and keeps it until these vectors are written.

        Raises:
            ConfigurationError: it went over to another one meanwhile.
        """
        value = Jsonb({"model": model.model, "dimensions": model.dimensions})
        conn.execute(QUERIES["write_store_setting"], {"key": "embedding_model", "value": value})
        row = conn.execute(QUERIES["lock_store_setting"], {"key": "embedding_model"}).fetchone()
        if row is not None:
            check_embedder(StoredModel(**row[0]), self._embedder)

    def _make_way(self, conn: Connection, jurisdiction: str, model: StoredModel, count: int) -> None:
        """Drop the index that vectors are about to go into, where it is cheaper to build it anew."""
        if jurisdiction not in self._before:
            values = {"jurisdiction": jurisdiction, "model": model.space}
            row = conn.execute(QUERIES["count_embeddings"], values).fetchone()
            self._before[jurisdiction] = row[0] if row else 0
        self._written[jurisdiction] += count
        if self._written[jurisdiction] > max(LIVE_VECTORS, self._before[jurisdiction] * _SHARE):
            drop_index(conn, jurisdiction, model)


def index_vectors(database: Database, model: StoredModel | None = None, *, exact_below: int = EXACT_BELOW) -> list[str]:
    """Build the vector indexes that are missing, whichever run left them to be built.

    Args:
        database: an open store.
        model: whose vectors; the store's by default.
        exact_below: a jurisdiction with fewer vectors gets none.

    Returns:
        The jurisdictions whose index was built now.
    """
    with database.read() as conn:
        wanted = model or stored_model(conn)
        if wanted is None:
            return []
        stored = stored_jurisdictions(conn)
        values = {
            "jurisdictions": stored, "indexes": [index_name(one, wanted) for one in stored], "model": wanted.space,
            "least": max(exact_below, 1),
        }  # fmt: skip
        missing = [row[0] for row in conn.execute(QUERIES["find_unindexed_vectors"], values)]
    for jurisdiction in missing:
        with database.write() as conn:
            conn.execute(QUERIES["lock_vector_index"], {"jurisdiction": jurisdiction})
            conn.execute(
                sql.SQL(
                    "create index if not exists {} on {} using hnsw ((embedding::halfvec({})) halfvec_cosine_ops)"
                    " where model = {}"
                ).format(
                    sql.Identifier(index_name(jurisdiction, wanted)),
                    sql.Identifier(_partition(jurisdiction)),
                    sql.Literal(wanted.dimensions),
                    sql.Literal(wanted.space),
                )
            )
    return missing


def drop_index(conn: Connection, jurisdiction: str, model: StoredModel) -> None:
    """Drop a jurisdiction's index over a model's vectors, if there is one."""
    conn.execute(sql.SQL("drop index if exists {}").format(sql.Identifier(index_name(jurisdiction, model))))


def index_name(jurisdiction: str, model: StoredModel) -> str:
    """The name of a jurisdiction's index over a model's vectors."""
    digest = hashlib.sha256(model.space.encode()).hexdigest()[:8]
    return f"{_partition(jurisdiction)}_{digest}_hnsw_idx"


def _partition(jurisdiction: str) -> str:
    return f"node_embeddings_{jurisdiction.replace('-', '_')}"
