"""A citation path is an address as a URN is, and a jurisdiction that only one reading fits need not be named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from conftest import Stores
from mcp_calls import call, refused

from rag import Engine
from retrieval.nodes import versions_by_urn

RULE = "urn:lex:us:9usc:2"


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, shared_data: Path) -> Iterator[Engine]:
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([shared_data / "uscode-uslm" / "usc09.xml", shared_data / "eu-gdpr"])
        yield opened


@pytest.fixture(scope="module")
def one_law(stores: Stores, empty_template: str, shared_data: Path) -> Iterator[Engine]:
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([shared_data / "uscode-uslm" / "usc09.xml"])
        yield opened


def path_of(engine: Engine, urn: str) -> str:
    with engine.database.read() as conn:
        return versions_by_urn(conn, [urn])[0].path


@pytest.mark.parametrize("urn", [RULE, "urn:lex:us:9usc:16:a:1", "urn:lex:eu:32016r0679:17:1"])
def test_a_citation_path_means_its_node_on_every_face(engine: Engine, urn: str) -> None:
    path = path_of(engine, urn)
    assert engine.resolve(path).urn == engine.resolve(path.upper()).urn == urn
    assert engine.context(path).targets == engine.ask(path).targets == [urn]
    assert engine.context(path).digest == engine.context(urn).digest
    assert engine.document(path).urn == urn
    assert engine.search(path, jurisdiction="*").results[0].urn == urn
    assert [resolution.urn for resolution in engine.resolve_many([path])] == [urn]
    assert anyio.run(lambda: call(engine, "get_context", reference=path))["targets"] == [urn]


def test_places_count_what_sets_their_whole_laws_aside_and_an_answer_tells_it(
    stores: Stores, sample_template: str
) -> None:
    with Engine.open(stores.clone(sample_template)) as sample:
        places = sample.ask("My landlord kept the deposit for paint", jurisdiction="us-ma")
        answer = sample.ask("Must my landlord pay interest on my security deposit?", jurisdiction="us-ma")
        context = sample.context(places.places[0].urn)
    told, said, whole = (
        [warning.message for warning in record.warnings if warning.kind == "general_exceptions"]
        for record in (places, answer, context)
    )
    assert (places.status, answer.status) == ("places", "answered")
    assert len(told) == 1
    assert told[0].startswith("Around ")
    assert "3.02" not in told[0]
    assert "urn:lex:ma:940cmr:3.02" in " ".join(said)
    assert "urn:lex:ma:940cmr:3.02" in " ".join(whole)


def test_a_path_that_leads_nowhere_names_the_nearest_above_it(engine: Engine) -> None:
    path = f"{path_of(engine, RULE)}.par_77"
    found, context = engine.resolve(path), engine.context(path)
    assert (found.status, found.suggestions) == ("not_found", [RULE])
    assert (context.status, context.suggestions) == ("not_found", [RULE])
    assert engine.resolve("root.us.nowhere.at_all").status == "not_found"


def test_the_only_jurisdiction_that_a_reference_fits_is_taken_and_told(engine: Engine) -> None:
    reply = anyio.run(lambda: call(engine, "get_context", reference="section 2"))
    assert reply["targets"] == [RULE]
    assert [warning["message"] for warning in reply["warnings"] if warning["kind"] == "jurisdiction"] == [
        "No jurisdiction was named; as a reference this fits law of us alone."
    ]
    named = anyio.run(lambda: call(engine, "get_context", reference="9 U.S.C. 2"))
    assert not [warning for warning in named["warnings"] if warning["kind"] == "jurisdiction"]
    # A reference names its law where the store does not have the provision, too.
    absent = anyio.run(lambda: call(engine, "get_context", reference="9 U.S.C. 999"))
    assert (absent["status"], absent["targets"]) == ("not_found", [])


def test_a_question_needs_its_jurisdiction_where_the_store_has_law_of_several(engine: Engine, one_law: Engine) -> None:
    question = "Is a written agreement to arbitrate valid?"
    assert "Name the jurisdiction" in anyio.run(lambda: refused(engine, "ask", {"question": question}))
    reply = anyio.run(lambda: call(one_law, "ask", question=question))
    assert reply["jurisdictions"] == ["us"]
    assert any(warning["kind"] == "jurisdiction" and "us alone" in warning["message"] for warning in reply["warnings"])
