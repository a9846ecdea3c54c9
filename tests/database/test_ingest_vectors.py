"""Vector indexes are built last: at the end of a run, or of the next one where a run was killed before its end."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import law
from conftest import SAMPLE, Stores
from law import C, document, node

from rag import Engine
from rag.ingest.pipeline import IngestReport
from rag.ingest.writing.embed import EXACT_BELOW, LIVE_VECTORS, Vectors, index_vectors
from rag.store.database import Database
from retrieval.providers.embedding import EmbeddingBatch, Progress


@dataclass
class Hashed:
    """Vectors made of hashes, without a model; notes how many indexes there are whenever it is asked."""

    store: Database
    model: str = "hashed"
    dimensions: int = 4
    indexes: list[int] = field(default_factory=list[int])

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        self.indexes.append(indexes(self.store))
        return EmbeddingBatch(
            [[number / 255 for number in hashlib.sha256(text.encode()).digest()[:4]] for text in texts], 0
        )


def indexes(database: Database) -> int:
    return len(law.rows(database, "select 1 from pg_indexes where indexdef like %s", "%USING hnsw%"))


def stored(database: Database, first: int, last: int) -> tuple[str, int]:
    """A document of many short sections, stored without vectors: its jurisdiction and id."""
    nodes = [node(f"{C}:{first}"), *(node(f"{C}:{first}:{n}", f"Section {first} {n}.") for n in range(first, last))]
    report: IngestReport = law.store(database, document(nodes))
    assert report.documents == 1
    found = law.rows(database, "select id from documents where urn = %s", f"{C}:{first}")
    return "us", int(str(found[0][0]))


def test_few_vectors_are_compared_one_by_one_and_many_are_indexed_at_the_end_of_the_run(
    stores: Stores, empty_template: str
) -> None:
    with Engine.open(stores.clone(empty_template)) as engine:
        embedder = Hashed(engine.database)
        engine = engine.using(embedder=embedder)
        assert not engine.ingest([SAMPLE], embed=True).warnings
        assert indexes(engine.database) == 0
        assert engine.search("security deposit", mode="semantic").results
        Vectors(engine.database, embedder).embed_document(*stored(engine.database, 1, EXACT_BELOW))
        assert set(embedder.indexes) == {0}
        engine.ingest([SAMPLE], embed=True)
        assert indexes(engine.database) == 1  # of federal law; the other jurisdiction has few


def test_a_run_that_was_killed_is_searched_at_once_and_indexed_by_the_next(stores: Stores, empty_template: str) -> None:
    with Engine.open(stores.clone(empty_template)) as engine:
        engine = engine.using(embedder=Hashed(engine.database))
        Vectors(engine.database, engine.embedder).embed_document(*stored(engine.database, 1, 40))
        assert indexes(engine.database) == 0
        ahead = engine.search("Section 1 7.", mode="semantic").results
        assert ahead
        assert index_vectors(engine.database, exact_below=1) == ["us"]
        assert index_vectors(engine.database, exact_below=1) == []
        assert engine.search("Section 1 7.", jurisdiction="us", mode="semantic").results[0].hit_urn == ahead[0].hit_urn


def test_an_index_takes_a_few_vectors_and_makes_way_for_many(database: Database) -> None:
    vectors = Vectors(database, Hashed(database))
    vectors.embed_document(*stored(database, 1, 30))
    assert index_vectors(database, exact_below=1) == ["us"]
    vectors = Vectors(database, Hashed(database))
    vectors.embed_document(*stored(database, 100, 130))
    assert indexes(database) == 1
    vectors.embed_document(*stored(database, 1000, 1000 + LIVE_VECTORS))
    assert indexes(database) == 0
    assert index_vectors(database, exact_below=1) == ["us"]


@dataclass
class Told:
    """Notes the texts it is asked for."""

    model: str = "told"
    dimensions: int = 4
    texts: list[str] = field(default_factory=list[str])

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        self.texts += texts
        return EmbeddingBatch([[1.0, float(len(text)), 0.5, 0.0] for text in texts])


def headed(database: Database, heading: str) -> tuple[str, int]:
    """A title of that heading with two sections, stored: its jurisdiction and id."""
    nodes = [node(f"{C}:1", heading=heading), node(f"{C}:1:1", "No landlord shall."), node(f"{C}:1:2", "A tenant may.")]
    law.store(database, document(nodes))
    found = law.rows(database, "select id from documents where urn = %s", f"{C}:1")
    return "us", int(str(found[0][0]))


def test_a_node_is_embedded_with_the_headings_above_it_and_again_when_one_changes(database: Database) -> None:
    embedder = Told()
    Vectors(database, embedder).embed_document(*headed(database, "Housing"))
    above = "Test code urn:lex:us:tc > Housing"
    assert embedder.texts == [f"{above}\nHeading 1\nNo landlord shall.", f"{above}\nHeading 2\nA tenant may."]
    embedder.texts.clear()
    place = headed(database, "Dwellings")
    assert Vectors(database, embedder).embed_document(*place).texts == 0
    done = Vectors(database, embedder).embed_document(*place, changed=True)
    assert (done.texts, done.reused) == (2, 0)
    assert embedder.texts[0].startswith("Test code urn:lex:us:tc > Dwellings\n")
    assert Vectors(database, embedder).embed_document(*place, changed=True).texts == 0


def test_a_text_that_speaks_for_itself_is_embedded_without_the_headings_above_it(database: Database) -> None:
    embedder = Told()
    long = "A landlord shall return the deposit. " * 10
    law.store(database, document([node(f"{C}:1", heading="Housing"), node(f"{C}:1:1", long)]))
    Vectors(database, embedder).embed_jurisdiction("us")
    assert embedder.texts == [f"Heading 1\n{long}"]


def parted(database: Database, own: str, *parts: str) -> list[str]:
    """What is embedded of a section that has these words of its own and these parts, the first with number 9."""
    below = [node(f"{C}:1:1:{n}", text, heading="") for n, text in enumerate(parts, start=9)]
    law.store(database, document([node(f"{C}:1"), node(f"{C}:1:1", own), *below]))
    embedder = Told()
    Vectors(database, embedder).embed_jurisdiction("us")
    return [text.removeprefix("Test code urn:lex:us:tc > Heading 1\n") for text in embedder.texts]


def test_a_provision_of_few_words_is_embedded_with_how_its_parts_begin(database: Database) -> None:
    assert parted(database, "", "No landlord.", "No tenant.")[0] == "Heading 1\nNo landlord. No tenant."
    # A part that changes changes its provision's text too, and that alone is embedded again.
    assert parted(database, "", "No landlord.", "Any tenant.") == [
        "Heading 1\nNo landlord. Any tenant.", "Test code urn:lex:us:tc > Heading 1 > Heading 1\nAny tenant.",
    ]  # fmt: skip


def test_of_the_parts_no_more_than_their_beginning_is_embedded(database: Database) -> None:
    first = parted(database, "It is:", "x" * 400, "y" * 400)[0]
    assert first == "Heading 1\nIt is:\n" + "x" * 400 + " " + "y" * 99


def test_a_provision_with_words_enough_is_embedded_without_its_parts(database: Database) -> None:
    own = "A landlord shall return the deposit. " * 10
    assert parted(database, own, "No tenant.")[0] == f"Heading 1\n{own}"


def test_the_same_words_take_over_their_vector(database: Database) -> None:
    embedder = Told()
    nodes = [node(f"{C}:1"), *(node(f"{C}:1:{n}", "Repealed.", heading="") for n in range(5))]
    law.store(database, document(nodes))
    done = Vectors(database, embedder).embed_jurisdiction("us")
    assert (done.texts, len(embedder.texts)) == (5, 1)
    law.store(database, document([node(f"{C}:2", heading="Heading 1"), node(f"{C}:2:1", "Repealed.", heading="")]))
    done = Vectors(database, embedder).embed_jurisdiction("us")
    assert (done.texts, done.reused, len(embedder.texts)) == (1, 1, 1)
