"""Runs under an interpreter that has the peers, never under ours; see `peers.py`.

The first line on stdin names the store to read and the database to fill; the answer says which peers were loaded.
Every line after that is a question for one of them.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote_plus

ROWS = """select n.id, n.jurisdiction, n.content_text, e.embedding::text
from legal_nodes n join node_embeddings e
    on e.jurisdiction = n.jurisdiction and e.node_version_id = n.id and e.model = %s
where n.kind <> 'section' and n.validity @> %s::date order by n.jurisdiction, n.id"""
BATCH, TOP = 1000, 10
HNSW = {"m": 16, "ef_construction": 64, "ef_search": 100}


class Peer(Protocol):
    """One system."""

    def load(self, rows: Iterator[tuple[int, str, str, list[float]]]) -> None:
        """Take (id, jurisdiction, text, vector)."""
        ...

    def search(self, text: str, vector: list[float]) -> list[int]:
        """The ids of its ten best."""
        ...


def url(database: dict[str, str], driver: str) -> str:
    """The database as SQLAlchemy writes it; a socket folder goes into the query."""
    user, name = database["user"], database["dbname"]
    return f"postgresql+{driver}://{user}@/{name}?host={quote_plus(database['host'])}&port={database['port']}"


class LlamaIndex:
    """PGVectorStore with `hybrid_search`, the way its documentation sets it up."""

    def __init__(self, database: dict[str, str], dimensions: int, *, fresh: bool) -> None:
        base: Any = importlib.import_module("llama_index.vector_stores.postgres")
        self.core: Any = importlib.import_module("llama_index.core.vector_stores.types")
        self.schema: Any = importlib.import_module("llama_index.core.schema")
        self.store = base.PGVectorStore.from_params(
            connection_string=url(database, "psycopg2"), async_connection_string=url(database, "asyncpg"),
            table_name="llama", embed_dim=dimensions, hybrid_search=True, text_search_config="english",
            hnsw_kwargs={
                "hnsw_m": HNSW["m"], "hnsw_ef_construction": HNSW["ef_construction"],
                "hnsw_ef_search": HNSW["ef_search"], "hnsw_dist_method": "vector_cosine_ops",
            },
        )  # fmt: skip

    def load(self, rows: Iterator[tuple[int, str, str, list[float]]]) -> None:
        for batch in batches(rows):
            self.store.add([
                self.schema.TextNode(id_=str(number), text=text, metadata={"jurisdiction": code}, embedding=vector)
                for number, code, text, vector in batch
            ])  # fmt: skip

    def search(self, text: str, vector: list[float]) -> list[int]:
        query = self.core.VectorStoreQuery(
            query_embedding=vector, query_str=text, similarity_top_k=TOP, sparse_top_k=TOP,
            mode=self.core.VectorStoreQueryMode.HYBRID,
        )  # fmt: skip
        return [int(entry) for entry in self.store.query(query).ids][:TOP]


class _Given:
    """An embedder that gives the vector it was handed."""

    def __init__(self) -> None:
        self.vector: list[float] = []

    def embed_query(self, text: str) -> list[float]:
        return self.vector

    async def aembed_query(self, text: str) -> list[float]:
        return self.vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError("the vectors of documents are given")


class LangChain:
    """PGVectorStore with a hybrid configuration and both its indexes."""

    def __init__(self, database: dict[str, str], dimensions: int, *, fresh: bool) -> None:
        library: Any = importlib.import_module("langchain_postgres")
        hybrid: Any = importlib.import_module("langchain_postgres.v2.hybrid_search_config")
        self.indexes: Any = importlib.import_module("langchain_postgres.v2.indexes")
        engine = library.PGEngine.from_connection_string(url(database, "asyncpg"))
        self.config = hybrid.HybridSearchConfig(
            tsv_column="content_tsv", tsv_lang="pg_catalog.english",
            fusion_function=hybrid.reciprocal_rank_fusion, primary_top_k=TOP, secondary_top_k=TOP,
            index_name="langchain_tsv_idx", index_type="GIN",
        )  # fmt: skip
        integer: Any = importlib.import_module("langchain_postgres").Column
        if fresh:
            engine.init_vectorstore_table(
                "langchain", dimensions, hybrid_search_config=self.config,
                metadata_columns=[integer("number", "BIGINT"), integer("jurisdiction", "TEXT")],
            )  # fmt: skip
        self.given = _Given()
        self.store = library.PGVectorStore.create_sync(
            engine, self.given, "langchain", metadata_columns=["number", "jurisdiction"], k=TOP,
            hybrid_search_config=self.config,
            index_query_options=self.indexes.HNSWQueryOptions(ef_search=HNSW["ef_search"]),
        )  # fmt: skip

    def load(self, rows: Iterator[tuple[int, str, str, list[float]]]) -> None:
        for batch in batches(rows):
            self.store.add_embeddings(
                [text for _, _, text, _ in batch], [vector for _, _, _, vector in batch],
                metadatas=[{"number": number, "jurisdiction": code} for number, code, _, _ in batch],
            )  # fmt: skip
        self.store.apply_hybrid_search_index()
        self.store.apply_vector_index(
            self.indexes.HNSWIndex(m=HNSW["m"], ef_construction=HNSW["ef_construction"], name="langchain_hnsw")
        )

    def search(self, text: str, vector: list[float]) -> list[int]:
        self.given.vector = vector
        return [int(entry.metadata["number"]) for entry in self.store.similarity_search(text, k=TOP)]


class Haystack:
    """A keyword and an embedding retriever joined by reciprocal rank."""

    def __init__(self, database: dict[str, str], dimensions: int, *, fresh: bool) -> None:
        stores: Any = importlib.import_module("haystack_integrations.document_stores.pgvector")
        retrievers: Any = importlib.import_module("haystack_integrations.components.retrievers.pgvector")
        joiners: Any = importlib.import_module("haystack.components.joiners")
        self.library: Any = importlib.import_module("haystack")
        secret: Any = importlib.import_module("haystack.utils").Secret
        parts = " ".join(f"{name}={database[name]}" for name in ("user", "dbname", "host", "port"))
        self.store = stores.PgvectorDocumentStore(
            connection_string=secret.from_token(parts), table_name="haystack", embedding_dimension=dimensions,
            vector_function="cosine_similarity", search_strategy="hnsw", language="english", recreate_table=fresh,
            hnsw_index_creation_kwargs={"m": HNSW["m"], "ef_construction": HNSW["ef_construction"]},
            hnsw_ef_search=HNSW["ef_search"],
        )  # fmt: skip
        self.pipeline = self.library.Pipeline()
        for name, one in (
            ("words", retrievers.PgvectorKeywordRetriever(document_store=self.store, top_k=TOP)),
            ("near", retrievers.PgvectorEmbeddingRetriever(document_store=self.store, top_k=TOP)),
            ("join", joiners.DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP)),
        ):
            self.pipeline.add_component(name, one)
        self.pipeline.connect("words", "join")
        self.pipeline.connect("near", "join")

    def load(self, rows: Iterator[tuple[int, str, str, list[float]]]) -> None:
        for batch in batches(rows):
            self.store.write_documents([
                self.library.Document(id=str(number), content=text, meta={"jurisdiction": code}, embedding=vector)
                for number, code, text, vector in batch
            ])  # fmt: skip

    def search(self, text: str, vector: list[float]) -> list[int]:
        out = self.pipeline.run({"words": {"query": text}, "near": {"query_embedding": vector}})
        return [int(document.id) for document in out["join"]["documents"]]


PEERS: dict[str, Any] = {"llamaindex": LlamaIndex, "langchain": LangChain, "haystack": Haystack}


def batches(rows: Iterator[tuple[int, str, str, list[float]]]) -> Iterator[list[tuple[int, str, str, list[float]]]]:
    """Rows in lists of `BATCH`."""
    batch: list[tuple[int, str, str, list[float]]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def stored_rows(message: dict[str, Any]) -> Iterator[tuple[int, str, str, list[float]]]:
    """The store's nodes in force."""
    psycopg: Any = importlib.import_module("psycopg")
    with psycopg.connect(message["store"]) as conn, conn.cursor(name="rows") as cursor:
        for number, code, text, vector in cursor.execute(ROWS, [message["model"], message["at"]]):
            yield number, code, text, [float(entry) for entry in json.loads(vector)]


def loaded(message: dict[str, Any]) -> tuple[dict[str, Peer], dict[str, Any]]:
    """The peers that are installed, filled, and what to say of all."""
    psycopg: Any = importlib.import_module("psycopg")
    names = [f"{name}={message['database'][name]}" for name in ("user", "dbname", "host", "port")]
    with psycopg.connect(" ".join(names), autocommit=True) as conn:
        conn.execute("create extension if not exists vector")
    peers: dict[str, Peer] = {}
    filled: dict[str, float] | None = message["filled"]
    seconds: dict[str, float] = {}
    missing: dict[str, str] = {}
    for name, make in PEERS.items():
        since = time.monotonic()
        if filled is not None and name not in filled:
            missing[name] = "not in the database that was kept"
            continue
        try:
            peer = make(message["database"], message["dimensions"], fresh=filled is None)
        except ImportError as error:
            missing[name] = f"not installed: {error.name}"
            continue
        if filled is not None:
            peers[name], seconds[name] = peer, filled[name]
            continue
        peer.load(stored_rows(message))
        peers[name], seconds[name] = peer, round(time.monotonic() - since, 1)
        print(f"{name} loaded in {seconds[name]} s", file=sys.stderr)
    if filled is None:
        with psycopg.connect(" ".join(names), autocommit=True) as conn:
            conn.execute("vacuum analyze")
    return peers, {"loaded": seconds, "missing": missing}


class Work:
    """The processor time of this process and of the backends of a database, where both are on this machine."""

    def __init__(self, database: dict[str, str]) -> None:
        self.database = database
        self._conn: Any = None

    def backends(self) -> list[Path] | None:
        """Where the system tells the time of each backend; None where it does not."""
        if self._conn is None:
            psycopg: Any = importlib.import_module("psycopg")
            names = " ".join(f"{name}={self.database[name]}" for name in ("user", "dbname", "host", "port"))
            self._conn = psycopg.connect(names, autocommit=True)
        rows = self._conn.execute("select pid from pg_stat_activity where datname = current_database()").fetchall()
        files = [Path(f"/proc/{row[0]}/schedstat") for row in rows]
        return files if self.database["host"].startswith("/") and all(file.is_file() for file in files) else None

    def done(self, backends: list[Path] | None) -> float | None:
        """Seconds of work so far."""
        if backends is None:
            return None
        return time.process_time() + sum(int(backend.read_bytes().split()[0]) for backend in backends) / 1e9


def main() -> None:
    """Answer lines until there are none."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints is not an answer
    peers: dict[str, Peer] = {}
    work = Work({})
    for line in sys.stdin:
        message = json.loads(line)
        if "store" in message:
            peers, reply = loaded(message)
            work = Work(message["database"])
        else:
            peer = peers[message["peer"]]
            backends = work.backends()
            before, began = work.done(backends), time.perf_counter()
            ids = peer.search(message["text"], message["vector"])
            took, after = time.perf_counter() - began, work.done(backends)
            cpu = None if before is None or after is None else (after - before) * 1000
            reply = {"milliseconds": took * 1000, "cpu": cpu, "ids": ids}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
