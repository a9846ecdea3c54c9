"""The packaged encoder in a store: made after the ingest, for law in English, and what is said until then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import law
import pytest
from conftest import SAMPLE, Stores
from psycopg.types.json import Jsonb
from test_search_legs import LAW, write_law

from rag import Engine
from rag.cli.doctor import Check, examine
from rag.ingest.writing.embed import embed_missing, estimate, reembed
from rag.models.choice import embedder_of
from rag.settings import load_settings
from retrieval.errors import ConfigurationError
from retrieval.providers.packaged_embedding import PackagedEmbedder
from retrieval.providers.packages import MULTILINGUAL, is_installed, spec_of

pytestmark = pytest.mark.skipif(not is_installed(), reason="the packaged encoder is not installed (make setup)")

LAY = "can they come in while I'm at work?"
needs_multilingual = pytest.mark.skipif(
    spec_of(MULTILINGUAL) is None, reason="the weights for other languages are not installed (make setup)"
)


@pytest.fixture
def engine(stores: Stores, empty_template: str) -> Iterator[Engine]:
    """The sample without vectors, and the encoder that no setting names."""
    with Engine.open(stores.clone(empty_template)) as opened:
        opened = opened.using(embedder=PackagedEmbedder(by_default=True, multilingual=False))
        assert not opened.ingest([SAMPLE]).warnings
        yield opened


def embedded(engine: Engine) -> int:
    assert engine.embedder is not None
    return embed_missing(engine.database, engine.embedder, before=estimate(engine.database, engine.embedder)).texts


def dense_notes(engine: Engine, **asked: str) -> list[str]:
    return [warning for warning in engine.search(LAY, **asked).warnings if warning.startswith("dense")]


def test_an_ingest_makes_no_vectors_and_embed_makes_them(engine: Engine) -> None:
    assert law.rows(engine.database, "select 1 from node_embeddings") == []
    assert dense_notes(engine) == ["dense: skipped (the store has no embeddings; `lexscope embed` makes them)"]
    assert embedded(engine) > 40
    assert dense_notes(engine) == []
    found = engine.search(LAY, jurisdiction="us-ma", mode="semantic")
    assert found.results[0].urn.startswith("urn:lex:ma:940cmr:3.17")  # of entry into the apartment
    assert embedded(engine) == 0


def test_what_came_since_is_counted_until_it_has_vectors(engine: Engine, tmp_path: Path) -> None:
    embedded(engine)
    assert not engine.ingest([write_law(tmp_path / "en.jsonl", "us", "en", LAW["us", "en"])]).rejected
    told = "dense: 3 rules have no vector yet and are found by words only; `lexscope embed` makes them"
    assert dense_notes(engine, jurisdiction="us") == [told]
    assert dense_notes(engine, jurisdiction="us-ma") == []
    answer = engine.ask("the landlord must return the deposit", jurisdiction="us")
    assert [warning.message for warning in answer.warnings if warning.kind == "search"] == [told]
    assert embedded(engine) == 3
    assert dense_notes(engine, jurisdiction="us") == []


def test_law_in_a_language_that_it_does_not_know_is_searched_as_without_it(engine: Engine, tmp_path: Path) -> None:
    engine.ingest([write_law(tmp_path / "fr.jsonl", "fr", "fr", LAW["fr", "fr"])], embed=True)
    assert embedded(engine) > 40
    assert law.rows(engine.database, "select 1 from node_embeddings where jurisdiction = 'fr'") == []
    question = "Qui entretient la chose louée ?"
    found = engine.search(question, jurisdiction="fr")
    words = engine.search(question, jurisdiction="fr", mode="keyword")
    assert [result.urn for result in found.results] == [result.urn for result in words.results]
    assert found.results[0].urn == "urn:lex:fr:law:2"
    assert found.warnings == ["dense: skipped (the embedding model says that it knows en, not fr)"]


@needs_multilingual
def test_law_in_another_language_is_found_by_words_that_it_does_not_have(engine: Engine, tmp_path: Path) -> None:
    engine = engine.using(embedder=PackagedEmbedder(by_default=True))
    engine.ingest([write_law(tmp_path / "de.jsonl", "de", "de", LAW["de", "de"])])
    assert embedded(engine) > 45
    lay = "Gibt mir der Hausherr das hinterlegte Geld der Wohnung wieder?"
    for question in (lay, "When does the landlord return my security deposit?"):
        words = engine.search(question, jurisdiction="de", mode="keyword")
        assert "urn:lex:de:law:2" not in {result.urn for result in words.results[:1]}
        for mode in ("hybrid", "semantic"):
            found = engine.search(question, jurisdiction="de", mode=mode)
            assert found.results[0].urn == "urn:lex:de:law:2"  # of the Vermieter and the Kaution
            assert not [warning for warning in found.warnings if warning.startswith("dense")]
    answer = engine.ask("Bekomme ich vom Vermieter die Kaution wieder?", jurisdiction="de")
    assert "urn:lex:de:law:2" in {place.urn for place in answer.places} | set(answer.targets)


@needs_multilingual
def test_vectors_of_another_edition_are_not_compared_and_told_and_made_anew(
    stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    clone = stores.clone(empty_template)
    settings = load_settings(database_url=clone.database_url, data_dir=tmp_path, embedding="packaged")

    def told() -> Check:
        return next(check for check in examine(settings).checks if check.name == "embedding")

    question = "Wann gibt der Vermieter die Kaution wieder?"
    with Engine.open(settings) as engine:
        engine.ingest([SAMPLE, write_law(tmp_path / "de.jsonl", "de", "de", LAW["de", "de"])], embed=True)
        assert told().status == "ok"
        assert set(law.rows(engine.database, "select value from store_settings where key = 'dictionaries'")[0][0]) == {
            "de"
        }
        read = "select jurisdiction, node_version_id, embedding::text from node_embeddings order by 1, 2"
        before = law.rows(engine.database, read)
        made = engine.search(question, jurisdiction="de")
        with engine.database.write() as conn:
            conn.execute("""update store_settings set value = '{"de": "a dictionary"}' where key = 'dictionaries'""")
        assert told().status == "warn"
        assert told().detail.endswith("vectors for de are none of this encoder's: run `lexscope reembed`")
        found = engine.search(question, jurisdiction="de")
        assert [result.urn for result in found.results] == [
            result.urn for result in engine.search(question, jurisdiction="de", mode="keyword").results
        ]
        told_so = "dense: skipped (the store's vectors for de are none of this encoder's; see `lexscope doctor`)"
        assert found.warnings == [told_so]
        assert engine.search(question, jurisdiction="de", mode="semantic").results == []
        embedder = engine.embedder
        assert embedder is not None
        assert embedded(engine) == 0
        for anew in (sum(code == "de" for code, *_ in before), 0):
            assert reembed(engine.database, embedder, before=estimate(engine.database, embedder)).texts == anew
        assert law.rows(engine.database, read) == before
        assert told().status == "ok"
        assert engine.search(question, jurisdiction="de") == made


@pytest.mark.parametrize(("made", "status"), [("packaged", "warn"), ("openai", "ok")])
def test_what_made_the_vectors_of_a_language_is_asked_of_the_packaged_encoder_only(
    stores: Stores, empty_template: str, tmp_path: Path, made: str, status: str
) -> None:
    settings = load_settings(
        database_url=stores.clone(empty_template).database_url, data_dir=tmp_path, embedding=made, openai_api_key="k"
    )
    embedder = embedder_of(settings)
    assert embedder is not None
    with Engine.open(settings) as engine, engine.database.write() as conn:
        for key, value in (
            ("embedding_model", {"model": embedder.model, "dimensions": embedder.dimensions}),
            ("dictionaries", {"de": "a dictionary"}),
        ):
            conn.execute("insert into store_settings (key, value) values (%s, %s)", (key, Jsonb(value)))
    told = next(check for check in examine(settings).checks if check.name == "embedding")
    assert told.status == status
    assert ("vectors for de" in told.detail) == (status == "warn")


def test_a_store_of_another_model_is_searched_by_words_with_a_note(engine: Engine) -> None:
    with engine.database.write() as conn:
        conn.execute(
            'insert into store_settings (key, value) values (\'embedding_model\', \'{"model": "x", "dimensions": 3}\')'
        )
    assert [dense_note[:54] for dense_note in dense_notes(engine)] == [
        "dense: skipped (the store's vectors come from x; set L"
    ]
    with pytest.raises(ConfigurationError, match="come from x"):
        engine.using(embedder=PackagedEmbedder()).search(LAY)
