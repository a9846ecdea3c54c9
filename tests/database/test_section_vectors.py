"""What is stored of sections and their vectors is what the vectors say, whatever happened to the law."""

from __future__ import annotations

import hashlib
import math
import struct
import threading
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

import law
import psycopg
import pytest
from conftest import SAMPLE, Stores, owner_of
from hypothesis import given, settings
from hypothesis import strategies as st
from law import C, document, node
from pgvector.psycopg import register_vector

from rag import Engine
from rag.cli.app import app, run
from rag.ingest.writing.embed import Vectors, estimate, reembed
from rag.ingest.writing.sections import make_sections
from rag.store.database import Database
from rag.store.schema import migrate
from retrieval.entry_points.dense import StoredModel, find_sections, model_of, stored_model, vector_values
from retrieval.entry_points.legs import find_entry_points
from retrieval.entry_points.lexical import Filters, LegHit, Section
from retrieval.providers.embedding import EmbeddingBatch, Progress
from retrieval.queries import QUERIES, sql_folder

FIRST, SECOND, THIRD = date(2010, 1, 1), date(2015, 1, 1), date(2020, 1, 1)
DAYS = (date(2000, 1, 1), FIRST, date(2012, 1, 1), SECOND, THIRD, date(2026, 1, 1))
VECTOR = [0.25, -0.5, 0.125, 1.0]
LONG = "whatever " * 700  # a section with it is too long to be the rule of its parts


class Hashed:
    """Vectors made of hashes."""

    dimensions = 4

    def __init__(self, model: str = "hashed") -> None:
        self.model = model

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        digests = (hashlib.sha256(f"{self.model}{text}".encode()).digest() for text in texts)
        return EmbeddingBatch([[number / 255 - 0.5 for number in digest[:4]] for digest in digests])


# --- what there should be, by loops over plain records --------------------------------------------------------------


class Version(NamedTuple):
    """One version of one node, with its vector."""

    jurisdiction: str
    id: int
    node_id: int
    urn: str
    rule_id: int
    ancestor_ids: list[int]
    structure_type: str
    kind: str
    words: int
    since: date | None
    until: date | None
    vector: list[float] | None

    def in_force(self, day: date) -> bool:
        return (self.since is None or self.since <= day) and (self.until is None or day < self.until)


def versions(database: Database, model: StoredModel) -> list[Version]:
    found = law.rows(
        database,
        "select n.jurisdiction, n.id, n.node_id, n.urn, n.rule_id, n.ancestor_ids, n.structure_type, n.kind,"
        " n.fts_length, lower(n.validity), upper(n.validity), e.embedding::text from legal_nodes n"
        " left join node_embeddings e on e.node_version_id = n.id and e.model = %s",
        model.space,
    )
    return [Version(*row[:-1], _floats(row[-1])) for row in found]  # pyright: ignore[reportArgumentType]


def _floats(text: object) -> list[float] | None:
    return None if text is None else [float(number) for number in str(text).strip("[]").split(",")]


def expected(every: Sequence[Version], hit: Version, day: date) -> Section:
    now = [version for version in every if version.in_force(day)]
    line = [
        version for version in now
        if version.node_id in hit.ancestor_ids and version.kind != "section" and version.structure_type == "SECTION"
    ]  # fmt: skip
    section = max(line, key=lambda version: len(version.ancestor_ids)).node_id if line else hit.rule_id
    parts = [version for version in now if section in version.ancestor_ids and version.vector is not None]
    if not parts:
        return Section(section, None)
    vectors = [version.vector for version in parts if version.vector is not None]
    mean = [_half(sum(numbers) / len(vectors)) for numbers in zip(*vectors, strict=True)]
    above = next(version.ancestor_ids for version in now if version.node_id == section)[:-2]
    return Section(section, _cosine(mean, VECTOR), sum(version.words for version in parts), above[-1] if above else 0)


def _half(number: float) -> float:
    return float(struct.unpack("e", struct.pack("e", number))[0])


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


def check(database: Database, model: StoredModel) -> None:
    """Sections as a search reads them are those of the loops, on every day."""
    every = versions(database, model)
    with database.read() as conn:
        for day in DAYS:
            now = [version for version in every if version.in_force(day) and version.kind == "legislation"]
            legs = {
                "lexical": [LegHit(*hit[:5], 1.0) for hit in now],
                "dense": [LegHit(*hit[:5], _cosine(hit.vector, VECTOR)) for hit in now if hit.vector is not None],
            }
            found = find_sections(conn, vector_values(VECTOR, model), legs, Filters(("us",), "en", day))
            assert found.keys() == {(hit.jurisdiction, hit.id) for hit in now}
            for hit in now:
                section, wanted = found["us", hit.id], expected(every, hit, day)
                assert section._replace(similarity=None) == wanted._replace(similarity=None), (hit.urn, day)
                assert section.similarity == pytest.approx(wanted.similarity, abs=1e-3), (hit.urn, day)


# --- what happens to law --------------------------------------------------------------------------------------------

PARTS = st.dictionaries(st.integers(1, 3), st.sampled_from(["", "A tenant may.", "No landlord.", LONG]), max_size=3)
EDITION = st.tuples(
    st.just("edition"), st.integers(1, 2), st.sampled_from([None, FIRST, SECOND, THIRD]),
    st.dictionaries(st.integers(1, 3), st.tuples(st.sampled_from(["", "It is:", LONG]), PARTS), min_size=1, max_size=3),
)  # fmt: skip
STEPS = st.lists(
    EDITION | st.tuples(st.sampled_from(["embed one", "embed", "reembed", "make"]), st.integers(1, 2)),
    min_size=2, max_size=8,
)  # fmt: skip


def edition(number: int, day: date | None, sections: dict[int, tuple[str, dict[int, str]]]) -> Any:
    nodes = [node(f"{C}:{number}")]
    for section, (words, parts) in sections.items():
        nodes.append(node(f"{C}:{number}:{section}", words))
        nodes += [node(f"{C}:{number}:{section}:{part}", text) for part, text in parts.items()]
    return document(nodes, edition=day)


def take(database: Database, step: tuple[Any, ...]) -> None:
    with database.read() as conn:
        stored = stored_model(conn)
    embedder = Hashed(stored.model if stored else "hashed")
    match step:
        case "edition", number, day, sections:
            law.store(database, edition(number, day, sections))
        case "embed one", number:
            found = law.rows(database, "select id from documents where urn = %s", f"{C}:{number}")
            for (document_id,) in found:
                Vectors(database, embedder).embed_document("us", int(str(document_id)))
        case "embed", _:
            Vectors(database, embedder).embed_jurisdiction("us")
        case "reembed", _:
            other = Hashed("other" if embedder.model == "hashed" else "hashed")
            reembed(database, other, before=estimate(database, other))
        case _:
            make_sections(database)


@given(STEPS)
@settings(max_examples=25)
def test_sections_are_those_of_the_vectors_whatever_happened(database: Database, steps: list[tuple[Any, ...]]) -> None:
    law.empty(database)
    with database.write() as conn:
        conn.execute("delete from store_settings")
    law.store(
        database, edition(1, None, {1: ("It is:", {1: "A tenant may.", 2: "No landlord."}), 2: (LONG, {1: LONG})})
    )
    for step in [("embed", 1), *steps]:
        take(database, step)
        with database.read() as conn:
            model = stored_model(conn)
        assert model is not None
        check(database, model)
    make_sections(database)
    check(database, model)
    left = {**{"jurisdiction": "us", "model": model.space}}
    with database.read() as conn:
        for (number,) in conn.execute("select id from documents").fetchall():
            rows = conn.execute(QUERIES["find_rules_without_sections"], {**left, "document_id": number})
            assert rows.fetchall() == []
        assert conn.execute("select count(*) from section_vectors where model <> %s", [model.space]).fetchone() == (0,)
        assert conn.execute("select count(*) from section_vectors").fetchone() != (0,)


def test_who_changes_nodes_is_waited_for(database: Database) -> None:
    """Rows that are made while a document is written would be those of before."""
    law.store(database, edition(1, None, {1: ("It is:", {1: "A tenant may.", 2: "No landlord."})}))
    Vectors(database, Hashed()).embed_jurisdiction("us")
    made: list[int] = []
    maker = threading.Thread(target=lambda: made.append(make_sections(database)))
    with database.write() as conn:
        conn.execute(QUERIES["share_vectors"], {"jurisdiction": "us"})
        conn.execute("delete from legal_nodes where urn = %s", [f"{C}:1:1:2"])
        maker.start()
        with psycopg.connect(owner_of(database), autocommit=True) as other:
            while other.execute("select from pg_locks where locktype = 'advisory' and not granted").fetchone() is None:
                assert maker.is_alive()
    maker.join()
    assert made != [0]
    check(database, model_of(Hashed()))


def test_a_store_of_before_is_searched_at_once_and_alike_when_init_has_made_its_sections(
    stores: Stores, sample_template: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given, model = stores.clone(sample_template), model_of(Hashed())
    told: list[bool] = []
    with Engine.open(given) as engine:
        engine = engine.using(embedder=Hashed())
        assert not engine.ingest([SAMPLE], embed=True, again=True).warnings
        Vectors(engine.database, Hashed()).embed_jurisdiction("us-ma")
        with psycopg.connect(owner_of(engine.database), autocommit=True) as conn:
            conn.execute((sql_folder() / "roles.sql").read_bytes())
            law.take_back(conn, 7)
        assert migrate(engine.database)[0].version == 7
        found: list[Any] = []
        for _ in range(2):
            with engine.database.read() as conn:
                register_vector(conn)
                filters = Filters(("us-ma", "us"), "en", DAYS[-1])
                points = find_entry_points(conn, "security deposit interest", filters, vector=VECTOR, model=model)
                found.append((points.points, points.sections))
            assert run(app, ["init", "--database-url", engine.database.conninfo]) == 0
            told.append("sections of us-ma" in capsys.readouterr().err)
        assert found[0] == found[1]
        assert len(found[0][0]) > 3
        assert told == [True, False]  # nothing is left to be made the second time
        for role in ("lexscope_read", "lexscope_write"):
            with psycopg.connect(owner_of(engine.database), autocommit=True) as conn:
                conn.execute(f"set role {role}".encode())
                assert conn.execute("select count(*) from section_vectors").fetchone() != (0,)
                if role == "lexscope_write":
                    conn.execute("delete from section_vectors")
    stores.drop(given)
