"""Contexts and answers from everywhere but some jurisdictions: `!=`, as search takes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Stores
from mcp_calls import call, refused
from search_law import EDICT, TEA, write_law

from rag import Engine
from retrieval.entry_points.sources import SourceRow, left_by_exclusion, stored_sources
from retrieval.errors import InputError

TEA_LAW = "May I import black tea?"


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    settings = stores.clone(empty_template)
    with Engine.open(settings) as opened:
        assert not opened.ingest([write_law(tmp_path_factory.mktemp("law"))]).rejected
        yield opened
    stores.drop(settings)


@pytest.fixture(scope="module")
def sources(engine: Engine) -> list[SourceRow]:
    with engine.database.read() as conn:
        return stored_sources(conn)


@pytest.mark.parametrize(
    ("jurisdiction", "codes", "named"),
    [
        (None, {"us-dc", "us", "fr", "fr-alsace", "gb"}, None),
        ("us", {"us-dc", "us", "fr", "fr-alsace", "gb"}, "us"),
        ("!=us", {"fr", "fr-alsace", "gb"}, "fr|fr-alsace|gb"),
        ("!=us-dc", {"us", "fr", "fr-alsace", "gb"}, "fr|fr-alsace|gb|us"),
        (" !=fr|gb ", {"us", "us-dc"}, "us|us-dc"),
        ("!=jp", {"us-dc", "us", "fr", "fr-alsace", "gb"}, "fr|fr-alsace|gb|us|us-dc"),
    ],
)
def test_an_exclusion_leaves_all_other_corpora(
    sources: list[SourceRow], jurisdiction: str | None, codes: set[str], named: str | None
) -> None:
    left, applied = left_by_exclusion(sources, jurisdiction)
    assert ({source_row.jurisdiction for source_row in left}, applied) == (codes, named)


@pytest.mark.parametrize(
    ("jurisdiction", "says"),
    [("!*", "not allowed"), ("!=us|fr|gb", "any but us, fr, gb"), ("!us", "does not exist"), ("!=x y", "code such as")],
)
def test_an_exclusion_that_cannot_be_used_is_refused(engine: Engine, jurisdiction: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        engine.context(TEA_LAW, jurisdiction=jurisdiction, language="en")


def test_a_question_is_answered_from_what_is_left(engine: Engine) -> None:
    assert engine.context(TEA_LAW, jurisdiction="us", language="en", rules=1).targets == [f"{EDICT}:1"]
    # Without federal law, and without D.C. though `us` would include it.
    for excluded, left in (("!=us", {"gb"}), ("!=us-dc", {"us", "gb"})):
        context = engine.context("black tea", jurisdiction=excluded, language="en", rules=10)
        assert {target.split(":")[2] for target in context.targets} <= left
        assert context.targets
    answer = engine.ask(TEA_LAW, jurisdiction="!=us-dc|gb|fr")
    assert answer.targets == [f"{EDICT}:1"]


def test_a_provision_of_an_excluded_jurisdiction_is_named_as_such(engine: Engine) -> None:
    context = engine.context(f"{TEA}:2", jurisdiction="!=us-dc")
    assert (context.status, context.targets, context.blocks) == ("not_found", [f"{TEA}:2"], [])
    assert "law of us-dc, which the filter on the jurisdiction leaves out" in context.message
    assert engine.context(f"{TEA}:2", jurisdiction="!=fr").status == "ok"


def test_an_empty_store_says_so(stores: Stores, empty_template: str) -> None:
    settings = stores.clone(empty_template)
    with Engine.open(settings) as empty, pytest.raises(InputError, match="holds no law yet"):
        empty.context(TEA_LAW, jurisdiction="!=us")
    stores.drop(settings)


@pytest.mark.anyio
async def test_the_tools_take_it_too(engine: Engine) -> None:
    found = await call(engine, "get_context", reference=TEA_LAW, jurisdiction="!=us-dc|gb", language="en", rules=1)
    assert found["targets"] == [f"{EDICT}:1"]
    answer = await call(engine, "ask", question=TEA_LAW, jurisdiction="!=us-dc|gb", language="en", rules=1)
    assert answer["targets"] == [f"{EDICT}:1"]
    assert "`!*` is not allowed" in await refused(engine, "ask", {"question": TEA_LAW, "jurisdiction": "!*"})
    missing = await refused(engine, "get_context", {"reference": TEA_LAW})
    assert "The store has fr, fr-alsace, gb, us, us-dc; `eu|fr` is both, `!=eu` all others" in missing
    for tool, arguments in (
        ("search", {"query": "tea"}), ("get_context", {"reference": "tea"}), ("resolve_case", {"case_name": "tea"}),
        ("verify_citations", {"text": "tea"}), ("safety_guidelines", {}),
    ):  # fmt: skip
        refusal = await refused(engine, tool, {**arguments, "jurisdiction": "nowhere"})
        assert "The store has fr, fr-alsace, gb, us, us-dc." in refusal, tool


@pytest.mark.parametrize(
    ("given", "told"),
    [("dc", "Did you mean us-dc?"), ("jp|dc", "Did you mean us-dc?"), ("jp", "fr, fr-alsace, gb, us, us-dc.")],
)
def test_a_short_form_is_not_guessed_and_the_codes_that_it_may_mean_are_named(
    engine: Engine, given: str, told: str
) -> None:
    for asked in (engine.search, engine.context, engine.ask):
        with pytest.raises(InputError) as error:
            asked("tea", jurisdiction=given)
        assert told in error.value.message


@pytest.mark.parametrize("reference", ["§ 433 BGB", "Art. 6 GDPR"])
def test_a_reference_to_law_that_the_filter_leaves_out_is_not_taken_for_words(engine: Engine, reference: str) -> None:
    context = engine.context(reference, jurisdiction="us-dc")
    assert (context.status, context.blocks) == ("not_found", [])
    assert "not a statement that no such law exists" in context.message
