"""Vectors for the dense leg: one model per store, unchanged text never embedded twice, indexes built last.

To put a vector into an HNSW index costs about six times as much as its share of building the index over all vectors
at once. So the first vectors of a jurisdiction, and as many new ones as make it cheaper to build the index anew, are
written without one. Until the run's end search compares them all, which is exact and slower; a run that was killed
before its end leaves the building to the next one.
"""

from __future__ import annotations

import hashlib
from collections import Counter

from pgvector import HalfVector
from psycopg import sql
from psycopg.types.json import Jsonb

from rag.database import Connection, Database
from retrieval.dense import check_embedder, stored_model
from retrieval.embedding import Embedder
from retrieval.queries import QUERIES

LIVE_VECTORS = 1000  # so many new vectors of a run go into an index whatever it holds
_SHARE = 0.25  # new vectors for each one in the index, from which on building it anew is cheaper


class Vectors:
    """Writes the vectors of one run; `index_vectors` ends it."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._written: Counter[str] = Counter()  # jurisdiction -> vectors of this run
        self._before: dict[str, int] = {}  # jurisdiction -> vectors ahead of this run

    def embed_document(self, jurisdiction: str, document_id: int, language: str) -> int:
        """Embed what has no vector yet, each node with its heading chain.

        Returns:
            How many texts were too long for the model and are represented by their beginning only.

        Raises:
            ConfigurationError: the store has another model.
            ProviderError: the provider failed; the law stays stored and searchable without vectors.
        """
        embedder = self._embedder
        values = {"jurisdiction": jurisdiction, "document_id": document_id, "model": embedder.model}
        with self._database.read() as conn:
            known = stored_model(conn)
            if known is not None:
                check_embedder(known, embedder)
            rows = conn.execute(QUERIES["find_unembedded"], values).fetchall()
        if not rows:
            return 0
        texts = ["\n".join(part for part in (row[5], row[2], row[3], row[4]) if part) for row in rows]
        hashes = [hashlib.sha256(f"{language}\n{text}".encode()).hexdigest() for text in texts]
        with self._database.read() as conn:
            found = conn.execute(
                QUERIES["find_embeddings_by_text"],
                {"jurisdiction": jurisdiction, "model": embedder.model, "hashes": hashes},
            ).fetchall()
        vectors: dict[str, HalfVector] = dict(found)
        missing = {digest: text for digest, text in zip(hashes, texts, strict=True) if digest not in vectors}
        shortened = 0
        if missing:
            batch = embedder.embed(list(missing.values()))
            shortened = batch.shortened
            vectors.update(zip(missing, map(HalfVector, batch.vectors), strict=True))
        with self._database.write() as conn:
            model = Jsonb({"model": embedder.model, "dimensions": embedder.dimensions})
            conn.execute(QUERIES["write_store_setting"], {"key": "embedding_model", "value": model})
            self._make_way(conn, jurisdiction, len(rows))
            with conn.cursor() as cursor, cursor.copy(QUERIES["copy_embeddings"]) as copy:
                for row, digest in zip(rows, hashes, strict=True):
                    copy.write_row((jurisdiction, row[0], embedder.model, digest, row[1], vectors[digest]))
        return shortened

    def _make_way(self, conn: Connection, jurisdiction: str, count: int) -> None:
        """Drop the index that vectors are about to go into, where it is cheaper to build it anew."""
        if jurisdiction not in self._before:
            row = conn.execute(QUERIES["count_embeddings"], {"jurisdiction": jurisdiction}).fetchone()
            self._before[jurisdiction] = row[0] if row else 0
        self._written[jurisdiction] += count
        if self._written[jurisdiction] > max(LIVE_VECTORS, self._before[jurisdiction] * _SHARE):
            conn.execute(sql.SQL("drop index if exists {}").format(sql.Identifier(_index(jurisdiction))))


def index_vectors(database: Database) -> list[str]:
    """Build the vector indexes that are missing, whichever run left them to be built.

    Returns:
        The jurisdictions whose index was built now.
    """
    with database.read() as conn:
        model = stored_model(conn)
        stored = [row[0] for row in conn.execute(QUERIES["find_stored_jurisdictions"])]
        values = {"jurisdictions": stored, "indexes": [_index(one) for one in stored]}
        missing = [row[0] for row in conn.execute(QUERIES["find_unindexed_vectors"], values)] if model else []
    if model is None:
        return []
    for jurisdiction in missing:
        with database.write() as conn:
            conn.execute(QUERIES["lock_vector_index"], {"jurisdiction": jurisdiction})
            conn.execute(
                sql.SQL(
                    "create index if not exists {} on {} using hnsw ((embedding::halfvec({})) halfvec_cosine_ops)"
                ).format(
                    sql.Identifier(_index(jurisdiction)),
                    sql.Identifier(_partition(jurisdiction)),
                    sql.Literal(model.dimensions),
                )
            )
    return missing


def _partition(jurisdiction: str) -> str:
    return f"node_embeddings_{jurisdiction.replace('-', '_')}"


def _index(jurisdiction: str) -> str:
    return f"{_partition(jurisdiction)}_hnsw_idx"
