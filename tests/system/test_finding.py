"""From a request to its rules: what a text names, and how many rules a context rests on."""

from __future__ import annotations

import pytest
from conftest import Stores
from requirements import requirement

from rag import Engine
from rag.store.reference_data import NewSynonym, add_synonyms

HOURS = "urn:lex:ma:940cmr:3.20"
KEYS, DEFINITIONS = "urn:lex:ma:940cmr:3.12", "urn:lex:ma:940cmr:3.01"
QUESTION = "Must I pay a key fee?"
BEFORE_THE_OVERRIDE = "2016-01-01"


@requirement("P12")
def test_a_name_that_two_provisions_bear_is_a_list_and_no_context(engine: Engine) -> None:
    with engine.database.write() as conn:
        conn.execute(
            "update legal_nodes set aliases = aliases || '{KEYS-1}' where urn = any(%s)", ([KEYS, DEFINITIONS],)
        )
    found = engine.context("KEYS-1", at_date=BEFORE_THE_OVERRIDE)
    assert (found.status, found.blocks, sorted(found.suggestions)) == ("not_found", [], [DEFINITIONS, KEYS])


def test_every_provision_of_a_list_is_a_rule(engine: Engine) -> None:
    found = engine.context("940 CMR 3.01 and 3.12", at_date=BEFORE_THE_OVERRIDE)
    assert (found.status, found.targets) == ("ok", [DEFINITIONS, KEYS])


def test_a_further_rule_gives_way_where_the_budget_would_cost_the_first_its_company(
    stores: Stores, sample_template: str
) -> None:
    targets: list[list[str]] = []
    for tokens in (12_000, 500):
        settings = stores.clone(sample_template, context_tokens=tokens)
        with Engine.open(settings) as engine:
            targets.append(engine.context(QUESTION, jurisdiction="us-ma", at_date=BEFORE_THE_OVERRIDE).targets)
        stores.drop(settings)
    whole, narrow = targets
    assert len(whole) > 1
    assert narrow == whole[:1]


def test_a_provision_that_the_thesaurus_names_stands_above_what_words_bring(
    stores: Stores, sample_template: str
) -> None:
    settings = stores.clone(sample_template)
    question = "dwelling unit rented for 90 days or less, frobnication"
    with Engine.open(settings) as engine:
        [before, *_] = engine.search(question, jurisdiction="us-ma").results
        add_synonyms(engine.database, [NewSynonym(phrase="frobnication", target=HOURS, language="en")])
        [first, *_] = engine.search(question, jurisdiction="us-ma").results
    stores.drop(settings)
    assert before.urn < first.urn == HOURS


HALTED_KEY_FEE = "Does {} let my landlord keep 75 dollars for a key?"
LATE = "urn:lex:ma:940cmr:3.17:5"


@requirement("P4")
@pytest.mark.parametrize("name", ["940 CMR 3.12", KEYS, KEYS.upper()])
def test_what_a_question_names_is_what_it_is_about_wherever_it_stands(engine: Engine, name: str) -> None:
    for question in (HALTED_KEY_FEE.format(name), f"{name} lets my landlord keep 75 dollars, is that right?"):
        answer = engine.ask(question, jurisdiction="us-ma")
        assert (answer.status, [override.urn for override in answer.overrides]) == ("halted", [KEYS]), question


def test_a_urn_in_a_question_that_the_store_does_not_have_is_named(engine: Engine) -> None:
    question = "My landlord never paid the interest on my security deposit. Under {} he need not, he says."
    for name in ("940 CMR 3.99", "urn:lex:ma:940cmr:3.99"):
        answer = engine.ask(question.format(name), jurisdiction="us-ma")
        told = [warning.message for warning in answer.warnings if warning.kind == "cited_missing"]
        assert told == ["The store has no text of 940 CMR 3.99, which the question cites, in force at the date."], name
        assert answer.status == "places", name
        assert answer.label.startswith(told[0])
        found = engine.search(question.format(name), jurisdiction="us-ma")
        assert any(note.startswith("urn:lex:ma:940cmr:3.99 is cited in the question") for note in found.warnings)
    cut = engine.ask(question.format("urn:lex:ma:"), jurisdiction="us-ma")
    assert cut.status == engine.ask(question.format("it"), jurisdiction="us-ma").status


@pytest.mark.parametrize("name", ["940 CMR 3.17(5)", LATE])
def test_the_name_of_a_provision_is_no_word_that_its_answer_lacks(engine: Engine, name: str) -> None:
    answer = engine.ask(f"What does {name} say about the charge for late payment of rent?", jurisdiction="us-ma")
    assert [warning.message for warning in answer.warnings if warning.kind == "weak_match"] == []
    cited = {citation.urn for statement in answer.statements for citation in statement.citations}
    assert (answer.status, cited) == ("answered", {LATE})
    other = engine.ask(f"What does {name} say about the entry of the owner?", jurisdiction="us-ma")
    assert other.status != "answered"


@pytest.mark.parametrize("reference", ["section 3.17", "§ 4-99"])
def test_a_number_without_a_law_is_not_found_and_no_question(engine: Engine, reference: str) -> None:
    found = engine.context(reference, jurisdiction="us-ma")
    assert found.status == "not_found"
    assert "names a provision and no law" in found.message
    assert found.targets == []


def test_rules_that_the_search_chose_are_told_unless_they_are_clear(engine: Engine) -> None:
    def warned(reference: str) -> bool:
        context = engine.context(reference, jurisdiction="us-ma")
        assert context.status == "ok"
        return any(warning.kind == "weak_match" for warning in context.warnings)

    assert warned("The window of my neighbour is broken and the owner wrote a notice.")
    assert not warned("940 CMR 3.17(4)")
    assert not warned("urn:lex:ma:940cmr:3.17:4")
