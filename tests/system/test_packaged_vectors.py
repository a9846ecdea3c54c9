"""The packaged encoder in a store: made after the ingest, for law in English, and what is said until then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import law
import pytest
from conftest import SAMPLE, Stores
from dictd_files import written
from test_search_legs import LAW, write_law

from rag import Engine
from rag.cli.doctor import Check, examine
from rag.ingest.writing.embed import embed_missing, estimate, reembed
from rag.settings import Settings, load_settings
from retrieval.entry_points.dense import model_of
from retrieval.entry_points.fusion import fuse
from retrieval.entry_points.legs import find_entry_points
from retrieval.entry_points.lexical import Filters
from retrieval.errors import ConfigurationError
from retrieval.providers.packaged_embedding import PackagedEmbedder
from retrieval.providers.packages import is_installed

pytestmark = pytest.mark.skipif(not is_installed(), reason="the packaged encoder is not installed (make setup)")

AT = date(2026, 1, 1)
LAY = "can they come in while I'm at work?"
GERMAN = {
    word: [f"{word} /x/\n{english}\n"]
    for word, english in {
        "das": "the", "der": "the", "die": "the", "dem": "the", "ende": "end", "geld": "money", "gibt": "gives",
        "hausherr": "landlord", "hinterlegte": "deposited", "kaution": "security deposit", "kündigung": "termination",
        "miete": "tenancy", "schuldner": "debtor", "vermieter": "landlord", "wohnung": "apartment", "kosten": "costs",
        "wieder": "back", "schriftform": "written form", "bauen": "build", "ersatz": "replacement",
    }.items()
}  # fmt: skip


@pytest.fixture
def engine(stores: Stores, empty_template: str) -> Iterator[Engine]:
    """The sample without vectors, and the encoder that no setting names."""
    with Engine.open(stores.clone(empty_template)) as opened:
        opened = opened.using(embedder=PackagedEmbedder(by_default=True))
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


def test_with_a_dictionary_law_is_found_by_words_that_it_does_not_have(engine: Engine, tmp_path: Path) -> None:
    written(tmp_path, "freedict-deu-eng", GERMAN)
    engine = engine.using(embedder=PackagedEmbedder(by_default=True, dictionaries=tmp_path))
    engine.ingest([write_law(tmp_path / "de.jsonl", "de", "de", LAW["de", "de"])])
    assert embedded(engine) > 45
    lay = "Gibt mir der Hausherr das hinterlegte Geld der Wohnung wieder?"
    for question in (lay, "When does the landlord return my security deposit?"):
        words = engine.search(question, jurisdiction="de", mode="keyword")
        assert "urn:lex:de:law:2" not in {result.urn for result in words.results[:1]}
        found = engine.search(question, jurisdiction="de")
        assert found.results[0].urn == "urn:lex:de:law:2"  # of the Vermieter and the Kaution
        assert not [warning for warning in found.warnings if warning.startswith("dense")]


def test_legs_beside_a_dictionary_are_fused_by_its_own_points(engine: Engine, tmp_path: Path) -> None:
    written(tmp_path, "freedict-deu-eng", GERMAN)
    embedder = PackagedEmbedder(by_default=True, dictionaries=tmp_path)
    engine = engine.using(embedder=embedder)
    engine.ingest([write_law(tmp_path / "de.jsonl", "de", "de", LAW["de", "de"])])
    embedded(engine)
    question, model = "Wann gibt der Vermieter die Kaution wieder?", model_of(embedder)
    filters = Filters(("de",), "de", AT, named=("de",))
    with engine.database.read() as conn:
        vector = embedder.embed_query(question)
        points = find_entry_points(conn, question, filters, vector=vector, model=model, by_dictionary=True)
    ours, others = (
        {rule.hit.urn: rule.score for rule in fuse(points.legs, points.sections, points.most, ("de",), by_dictionary)}
        for by_dictionary in (True, False)
    )
    assert ours != others
    assert {point.hit_urn: point.score for point in points.points} == ours
    results = engine.search(question, jurisdiction="de", at_date=AT.isoformat()).results
    assert {result.hit_urn: result.score for result in results} == ours


def test_another_edition_of_a_dictionary_is_told_and_reembedded(
    stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    written(tmp_path, "freedict-deu-eng", GERMAN)
    clone = stores.clone(empty_template)
    settings = load_settings(
        database_url=clone.database_url, data_dir=tmp_path, embedding="packaged", dictionaries=tmp_path
    )

    def told() -> Check:
        return next(check for check in examine(settings).checks if check.name == "dictionaries")

    with Engine.open(settings) as engine:
        engine.ingest([SAMPLE, write_law(tmp_path / "de.jsonl", "de", "de", LAW["de", "de"])], embed=True)
        assert told() == Check(name="dictionaries", status="ok", detail=f"de by those in {tmp_path}")
        read = "select jurisdiction, node_version_id, embedding::text from node_embeddings order by 1, 2"
        before = law.rows(engine.database, read)
        written(tmp_path, "freedict-deu-eng", {**GERMAN, "vermieter": ["vermieter /x/\nhirer\n"]})
    with Engine.open(settings) as engine:
        assert told().status == "warn"
        assert told().detail.endswith("vectors for de come from another edition: run `lexscope reembed`")
        embedder = engine.embedder
        assert embedder is not None
        assert embedded(engine) == 0
        for made in (sum(code == "de" for code, *_ in before), 0):
            assert reembed(engine.database, embedder, before=estimate(engine.database, embedder)).texts == made
        after = law.rows(engine.database, read)
        assert [row for row in after if row[0] != "de"] == [row for row in before if row[0] != "de"]
        assert {row[:2] for row in after} == {row[:2] for row in before}
        assert after != before
        assert told().status == "ok"
    # The edition of a dictionary that is added later is noted with the first vectors made by it.
    for name in ("freedict-fra-eng", "freedict-fra-deu"):
        written(tmp_path, name, {"loyer": ["loyer\nMiete\n"]})
    with Engine.open(settings) as engine:
        engine.ingest([write_law(tmp_path / "fr.jsonl", "fr", "fr", LAW["fr", "fr"])], embed=True)
        assert told() == Check(name="dictionaries", status="ok", detail=f"de, fr by those in {tmp_path}")
        written(tmp_path, "freedict-fra-deu", {"loyer": ["loyer\nPacht\n"]})
        assert told().detail.endswith("vectors for fr come from another edition: run `lexscope reembed`")


def test_dictionaries_that_are_not_read_are_told(sample_settings: Settings, tmp_path: Path) -> None:
    def told(**settings: object) -> dict[str, str]:
        chosen = load_settings(database_url=sample_settings.database_url, data_dir=tmp_path, **settings)
        return {check.name: f"{check.status} {check.detail}" for check in examine(chosen).checks}

    assert told(embedding="packaged")["dictionaries"].startswith(
        "ok none: law in German and French is searched by words alone"
    )
    assert "dictionaries" not in told(embedding="none")
    assert told(embedding="none", dictionaries=tmp_path)["dictionaries"].startswith(f"warn {tmp_path}: not read")
    missing = told(embedding="packaged", dictionaries=tmp_path)
    assert missing["embedding"].startswith(f"fail LEXSCOPE_DICTIONARIES: {tmp_path} has no freedict-deu-eng.index")
    assert "dictionaries" not in missing


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
