"""Vectors for the dense leg: one model per store, unchanged text never embedded twice."""

from __future__ import annotations

import hashlib

from pgvector import HalfVector
from psycopg import sql
from psycopg.types.json import Jsonb

from rag.database import Connection, Database
from retrieval.dense import check_embedder, stored_model
from retrieval.embedding import Embedder
from retrieval.queries import QUERIES


def embed_document(database: Database, jurisdiction: str, document_id: int, language: str, embedder: Embedder) -> int:
    """Embed what has no vector yet, each node with its heading chain.

    Returns:
        How many texts were too long for the model and are represented by their beginning only.

    Raises:
        ConfigurationError: the store has another model.
        ProviderError: the provider failed; the law stays stored and searchable without vectors.
    """
    values = {"jurisdiction": jurisdiction, "document_id": document_id, "model": embedder.model}
    with database.read() as conn:
        known = stored_model(conn)
        if known is not None:
            check_embedder(known, embedder)
        rows = conn.execute(QUERIES["find_unembedded"], values).fetchall()
    if not rows:
        return 0
    texts = ["\n".join(part for part in (row[5], row[2], row[3], row[4]) if part) for row in rows]
    hashes = [hashlib.sha256(f"{language}\n{text}".encode()).hexdigest() for text in texts]
    with database.read() as conn:
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
    with database.write() as conn:
        model = Jsonb({"model": embedder.model, "dimensions": embedder.dimensions})
        conn.execute(QUERIES["write_store_setting"], {"key": "embedding_model", "value": model})
        with conn.cursor() as cursor, cursor.copy(QUERIES["copy_embeddings"]) as copy:
            for row, digest in zip(rows, hashes, strict=True):
                copy.write_row((jurisdiction, row[0], embedder.model, digest, row[1], vectors[digest]))
        _ensure_index(conn, jurisdiction, embedder.dimensions)
    return shortened


def _ensure_index(conn: Connection, jurisdiction: str, dimensions: int) -> None:
    name = f"node_embeddings_{jurisdiction.replace('-', '_')}"
    conn.execute(
        sql.SQL("create index if not exists {} on {} using hnsw ((embedding::halfvec({})) halfvec_cosine_ops)").format(
            sql.Identifier(f"{name}_hnsw_idx"), sql.Identifier(name), sql.Literal(dimensions)
        )
    )
