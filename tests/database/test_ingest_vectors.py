"""Vector indexes are built last: at the end of a run, or of the next one where a run was killed before its end."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import law
from conftest import SAMPLE, Stores
from law import C, document, node

from rag import Engine
from rag.database import Database
from rag.ingest.embed import LIVE_VECTORS, Vectors, index_vectors
from rag.ingest.pipeline import IngestReport
from retrieval.embedding import EmbeddingBatch, Progress


@dataclass
class Hashed:
    """Vectors made of hashes, without a model; notes how many indexes there are whenever it is asked."""

    store: Database
    model: str = "hashed"
    dimensions: int = 4
    indexes: list[int] = field(default_factory=list[int])

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        self.indexes.append(indexes(self.store))
        return EmbeddingBatch([[one / 255 for one in hashlib.sha256(text.encode()).digest()[:4]] for text in texts], 0)


def indexes(database: Database) -> int:
    return len(law.rows(database, "select 1 from pg_indexes where indexdef like %s", "%USING hnsw%"))


def jurisdictions(database: Database) -> int:
    return len(law.rows(database, "select distinct jurisdiction from node_embeddings"))


def stored(database: Database, first: int, last: int) -> tuple[str, int, str]:
    """A document of many short sections, stored without vectors: its jurisdiction, id and language."""
    nodes = [node(f"{C}:{first}"), *(node(f"{C}:{first}:{n}", f"Section {first} {n}.") for n in range(first, last))]
    report: IngestReport = law.store(database, document(nodes))
    assert report.documents == 1
    found = law.rows(database, "select id from documents where urn = %s", f"{C}:{first}")
    return "us", int(str(found[0][0])), "en"


def test_the_first_vectors_are_indexed_at_the_end_of_the_run(stores: Stores, empty_template: str) -> None:
    with Engine.open(stores.clone(empty_template)) as engine:
        embedder = Hashed(engine.database)
        engine.embedder = embedder
        assert not engine.ingest([SAMPLE]).warnings
        assert set(embedder.indexes) == {0}
        assert indexes(engine.database) == jurisdictions(engine.database) > 1


def test_a_run_that_was_killed_is_searched_at_once_and_indexed_by_the_next(stores: Stores, empty_template: str) -> None:
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.embedder = Hashed(engine.database)
        Vectors(engine.database, engine.embedder).embed_document(*stored(engine.database, 1, 40))
        assert indexes(engine.database) == 0
        ahead = engine.search("Section 1 7.", mode="semantic").results
        assert ahead
        engine.ingest([SAMPLE])
        assert indexes(engine.database) == jurisdictions(engine.database)
        assert index_vectors(engine.database) == []
        assert engine.search("Section 1 7.", jurisdiction="us", mode="semantic").results[0].hit_urn == ahead[0].hit_urn


def test_an_index_takes_a_few_vectors_and_makes_way_for_many(database: Database) -> None:
    vectors = Vectors(database, Hashed(database))
    vectors.embed_document(*stored(database, 1, 30))
    assert index_vectors(database) == ["us"]
    vectors = Vectors(database, Hashed(database))
    vectors.embed_document(*stored(database, 100, 130))
    assert indexes(database) == 1
    vectors.embed_document(*stored(database, 1000, 1000 + LIVE_VECTORS))
    assert indexes(database) == 0
    assert index_vectors(database) == ["us"]
