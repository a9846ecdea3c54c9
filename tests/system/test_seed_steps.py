"""The specification's retrieval algorithm, step by step, on the sample: entry point, ancestry, shadowing, overrides,
preemption, synthesis."""

from __future__ import annotations

import json

import pytest
from fakes.openai_server import FakeOpenAI, draft_of
from requirements import requirement

from rag import Engine
from rag.models.openai import OpenAIModel

RULE = "urn:lex:ma:940cmr:3.17:4"
SCENARIO = "Landlord didn't pay interest on security deposit."


def test_step_1_the_scenario_finds_the_deposit_rule_first(engine: Engine) -> None:
    found = engine.search(SCENARIO, jurisdiction="us-ma")
    assert found.results[0].urn == "urn:lex:ma:940cmr:3.17:4" or found.results[0].hit_urn.startswith(RULE)
    assert found.results[0].legs.lexical is not None
    assert found.results[0].legs.synonym is not None


def test_step_2_ancestry_gives_paragraph_section_part_and_the_enabling_statute(engine: Engine) -> None:
    context = engine.context(RULE)
    roles = {block.urn: block.role for block in context.blocks}
    assert roles[RULE] == "rule"
    for urn in ("urn:lex:ma:940cmr:3.17", "urn:lex:ma:940cmr:part_3", "urn:lex:ma:940cmr"):
        assert roles[urn] == "ancestor"
    assert roles["urn:lex:ma:mgl-93a:2"] == "authority"
    with engine.database.read() as conn:
        literal = conn.execute(
            "select urn from legal_nodes where citation_path @> %s::ltree and upper_inf(validity)",
            ["root.us_ma.940cmr.part_3.sec_17.sub_4"],
        ).fetchall()
    chain = {block.urn for block in context.blocks if block.role == "ancestor"} | {RULE}
    assert {row[0] for row in literal} == chain


@requirement("P5")
def test_step_3_the_local_owner_shadows_the_global_one(engine: Engine) -> None:
    context = engine.context(RULE)
    owner = next(definition for definition in context.definitions if definition.term == "Owner")
    assert owner.scope_urn == "urn:lex:ma:940cmr:3.17"
    assert owner.shadows == ["urn:lex:ma:940cmr:3.01:def.owner"]
    assert "urn:lex:ma:940cmr:3.01:def.owner" not in context.allow_list
    elsewhere = engine.context("urn:lex:ma:940cmr:3.16")
    assert all(definition.urn != owner.urn for definition in elsewhere.definitions)


@requirement("P4")
def test_step_4_a_void_and_an_enjoined_rule_halt_before_any_model_is_called(engine: Engine) -> None:
    with FakeOpenAI() as server:
        engine.model = OpenAIModel("key", "model", server.base_url)
        for urn in ("urn:lex:ma:940cmr:3.12", "urn:lex:ma:940cmr:3.18"):
            answer = engine.ask(urn)
            assert answer.status == "halted"
            assert answer.exit_code == 3
            assert answer.refusal is not None
            assert answer.refusal.message.startswith("Legal Override active.")
            assert answer.overrides[0].action == "halt"
        assert server.calls == 0


def test_an_ended_override_halts_only_while_it_was_in_effect(engine: Engine) -> None:
    assert engine.context("urn:lex:ma:940cmr:3.04").status == "ok"
    assert engine.context("urn:lex:ma:940cmr:3.04", at_date="2011-06-30").status == "halted"


def test_step_4_a_federal_rule_that_overlaps_gives_a_supremacy_clause_warning(engine: Engine) -> None:
    context = engine.context("urn:lex:ma:940cmr:3.20")
    warning = next(warning for warning in context.warnings if warning.kind == "preemption")
    assert warning.message.startswith("Supremacy Clause Warning")
    assert "urn:lex:us:16cfr:310.4:b:1" in warning.message
    assert "urn:lex:ma:940cmr:3.20" in warning.message
    assert any(block.role == "federal" and block.text for block in context.blocks)


@requirement("P12")
@pytest.mark.parametrize(
    "question",
    ["May a seller call me at home before 7:00 a.m. to sell goods?", "May a seller call me at home after 9 pm?"],
)
def test_an_answer_from_state_law_shows_the_sentence_of_the_federal_rule_that_is_stricter(
    engine: Engine, question: str
) -> None:
    answer = engine.ask(question, jurisdiction="us-ma")
    assert answer.status == "answered"
    assert [citation.urn for citation in answer.statements[0].citations] == ["urn:lex:ma:940cmr:3.20:1"]
    (limit,) = answer.limits
    assert "before 8:30 a.m. or after 8:00 p.m." in limit.text
    assert [citation.urn for citation in limit.citations] == ["urn:lex:us:16cfr:310.4:b:1"]
    assert not any(warning.kind == "limits" for warning in answer.warnings)


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("May a telephone seller call me at 7 in the morning?", "“telephone”, “morning”"),
        ("Must the owner paint the dwelling unit?", "Not sure: "),
        ("May a political campaign call people at home before 7:00 a.m.?", "“political”"),
    ],
)
def test_places_always_say_in_one_line_why_they_are_not_sure(engine: Engine, question: str, why: str) -> None:
    answer = engine.ask(question, jurisdiction="us-ma")
    assert answer.status == "places"
    (said,) = (warning.message for warning in answer.warnings if warning.kind == "weak_match")
    assert why in said
    assert said.startswith("Not sure: ")
    assert "\n" not in said


@requirement("P11")
@pytest.mark.parametrize(
    ("question", "urn", "says"),
    [
        ("When is interest on the deposit due?", "urn:lex:ma:940cmr:3.17:4", "The interest is due each year"),
        ("May my landlord enter with 24 hours notice?", "urn:lex:ma:940cmr:3.17:7", "at least 30 hours' notice"),
    ],
)
def test_what_the_law_says_in_one_sentence_is_answered(engine: Engine, question: str, urn: str, says: str) -> None:
    answer = engine.ask(question, jurisdiction="us-ma")
    assert answer.status == "answered"
    assert {citation.urn for statement in answer.statements for citation in statement.citations} == {urn}
    assert says in answer.statements[0].text


@requirement("P2")
@requirement("P6")
def test_step_5_the_prompt_holds_only_the_context_and_the_scenario(engine: Engine) -> None:
    def answer(request: dict[str, object]) -> dict[str, object]:
        sent = json.dumps(request)
        assert "Answer strictly based on the provided context. Do not use outside knowledge." in sent
        assert "Cite specific URNs for every assertion." in sent
        quote = "demand a security deposit that is greater than the rent for one month;"
        return draft_of(
            {
                "text": f"Except as provided in 940 CMR 3.17(6), an owner shall not: {quote}",
                "citations": [{"urn": f"{RULE}:a", "quote": quote}],
            },
            {"text": "The landlord owes three times the deposit.", "citations": []},
            {
                "text": "Owners hold title.",
                "citations": [{"urn": "urn:lex:ma:940cmr:3.01:def.owner", "quote": "holds title"}],
            },
        )

    with FakeOpenAI(answer) as server:
        engine.model = OpenAIModel("key", "model", server.base_url)
        question = "How large may the security deposit be, says 940 CMR 3.17(4)?"
        result = engine.ask(question, jurisdiction="us-ma", rules=1)
        assert result.context is not None
        request = server.requests[0].json
        enum = json.dumps(request)
        assert all(urn in enum for urn in result.context.allow_list)
        assert "3.01:def.owner" not in enum  # shadowed, so it is nowhere in the prompt
    assert result.status == "answered"
    assert [statement.level for statement in result.statements] == ["VERBATIM"]
    # Another section disapplies the rule for an owner who lives in the building, and a later paragraph of its own
    # limits it for short rentals, in two sentences: that is told with it.
    limits = [limit.citations[0].urn for limit in result.limits]
    assert limits == ["urn:lex:ma:940cmr:3.19:1", "urn:lex:ma:940cmr:3.17:6", "urn:lex:ma:940cmr:3.17:6"]
    assert {withheld.verdict for withheld in result.withheld} == {"UNCITED", "OUT_OF_SCOPE"}


@requirement("P1")
def test_the_same_request_gives_the_same_context_and_prompt_digest(engine: Engine) -> None:
    first, second = (engine.ask(SCENARIO, jurisdiction="us-ma") for _ in range(2))
    assert first.context_digest == second.context_digest
    assert first.prompt_digest == second.prompt_digest
    assert first.trace_id != second.trace_id


@requirement("P6")
@requirement("P9")
def test_a_question_that_nothing_answers_is_refused_without_a_model(engine: Engine) -> None:
    with FakeOpenAI() as server:
        engine.model = OpenAIModel("key", "model", server.base_url)
        assert engine.ask("zygote quasar", jurisdiction="us-ma").status == "refused"
        assert server.calls == 0
    engine.model = None
    assert engine.ask("What is the capital of Mongolia?", jurisdiction="us-ma").status == "refused"


@requirement("P2")
@requirement("P3")
def test_every_served_citation_is_a_span_of_its_node_in_scope_and_in_force(engine: Engine) -> None:
    answer = engine.ask(SCENARIO, jurisdiction="us-ma")
    assert answer.status == "answered"
    assert answer.context is not None
    texts = {block.urn: block.text for block in answer.context.blocks}
    for claim in answer.statements:
        assert claim.citations
        for citation in claim.citations:
            assert citation.urn in answer.context.allow_list
            assert texts[citation.urn][citation.start : citation.end] == citation.quote


@requirement("P7")
def test_a_provider_that_is_away_is_a_failure_and_not_an_answer(engine: Engine) -> None:
    with FakeOpenAI() as server:
        address = server.base_url
    engine.model = OpenAIModel("key", "model", address, backoff_seconds=0.01)
    answer, trace = engine.traced_ask(SCENARIO, jurisdiction="us-ma")
    assert answer.status == "failed"
    assert answer.exit_code == 1
    assert answer.statements == []
    assert answer.context_digest is not None
    assert trace.refusal_reason in ("provider_error", "provider_timeout")


@requirement("P8")
def test_a_stored_trace_keeps_no_word_of_the_scenario(engine: Engine) -> None:
    from rag.telemetry.store import stored_trace

    marker = "Zebulon Quartermaine"
    answer, trace = engine.traced_ask(f"{marker} never paid interest on my security deposit", jurisdiction="us-ma")
    with engine.database.read() as conn:
        everything = str(conn.execute("select * from traces").fetchall())
    assert answer.trace_id is not None
    assert answer.trace_id in everything
    for word in marker.split():
        assert word not in everything
    assert stored_trace(engine.database, answer.trace_id).privacy == "redacted"
    assert trace.scenario is not None


@requirement("P10")
def test_what_a_budget_leaves_out_is_listed_and_leaves_the_allow_list(engine: Engine) -> None:
    whole = engine.context(RULE)
    engine = engine.using(settings=engine.settings.model_copy(update={"context_tokens": 800}))
    cut = engine.context(RULE)
    gone = {omitted.urn for omitted in cut.omitted if "budget" in omitted.reason}
    assert gone
    assert gone.isdisjoint(cut.allow_list)
    assert gone >= set(whole.allow_list) - set(cut.allow_list)
    assert RULE in cut.allow_list
