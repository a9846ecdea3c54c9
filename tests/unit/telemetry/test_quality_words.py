"""The vocabularies, detectors and alerts of quality_check: closed, and with one alert for every flag."""

from __future__ import annotations

from datetime import date
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.answering.answer import Answer, Citation, ShortAnswer, Statement
from rag.telemetry.quality.checklist import (
    ALERTS,
    NOTHING,
    alerts_of,
    detect_in_answer,
    detect_in_text,
    highest,
    relay_of,
)
from rag.telemetry.quality.debrief import (
    DIFFICULTIES,
    ERROR_DETAILS,
    GAPS,
    OTHER_MODEL,
    codes_in,
    model_name,
    tag_words,
)
from rag.telemetry.quality.model import FLAGS, TIERS, Flag

PREFIX = "response_"


def flags_of(text: str) -> set[str]:
    return {flag.removeprefix(PREFIX) for flag, found in detect_in_text(text).items() if found}


def test_the_checklist_has_thirteen_flags_and_an_alert_for_each() -> None:
    assert len(FLAGS) == 13
    assert set(FLAGS) == set(get_args(Flag)) == set(ALERTS)
    assert {tier for tier, _, _ in ALERTS.values()} == set(TIERS)


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("You should sue your landlord now.", "contains_prescriptive_legal_advice"),
        ("Je vous conseille d'attendre.", "contains_prescriptive_legal_advice"),
        ("Sie sollten kündigen.", "contains_prescriptive_legal_advice"),
        ("The court will side with the tenant.", "contains_outcome_prediction"),
        ("Die Erfolgsaussichten sind gut.", "contains_outcome_prediction"),
        ("There is no such law.", "asserts_legal_absence_as_inexistence"),
        ("Il n’existe aucune disposition.", "asserts_legal_absence_as_inexistence"),
        ("Es gibt keine Vorschrift dazu.", "asserts_legal_absence_as_inexistence"),
        ("そのような規定は存在しません。", "asserts_legal_absence_as_inexistence"),
        ("Great question!", "contains_flattery"),
        ("As I said above, it depends.", "self_references_previous_turn"),
        ("This is settled case law.", "claims_settled_case_law"),
        ("Nach ständiger Rechtsprechung gilt das.", "claims_settled_case_law"),
        ("The tenant must give notice.", "contains_legal_assertion_verb"),
        ("義務を負う。", "contains_legal_assertion_verb"),
        ("Perhaps it applies.", "contains_hedge_marker"),
    ],
)
def test_wording_raises_its_flag(text: str, flag: str) -> None:
    assert flag in flags_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "The section names the tenant and the landlord.",
        "Nothing in this store matches.",
        "L'article 1240 vise la faute.",
        "",
    ],
)
def test_plain_wording_raises_none(text: str) -> None:
    assert flags_of(text) == set()


def answer_of(*statements: Statement) -> Answer:
    return Answer(
        status="answered", at_date=date(2026, 1, 1), targets=[], short_answer=None, statements=list(statements),
        definitions=[], limits=[], places=[], withheld=[], unanswered=[], refusal=None, warnings=[], overrides=[],
        omitted=[],
        context_digest=None, prompt_digest=None, provider="openai", model="m", judge="none", label="", trace_id=None,
    )  # fmt: skip


def test_a_claim_without_a_quote_is_detected_and_a_quoted_one_is_not() -> None:
    quoted = Statement(
        id="s1", kind="law",
        text="The landlord shall pay interest.", level="VERBATIM", verdict="SUPPORTED", reasons=[],
        citations=[Citation(urn="urn:lex:us:1", quote="shall pay", start=0, end=9)],
    )  # fmt: skip
    uncited = quoted.model_copy(update={"citations": []})
    flag: Flag = "response_cites_document_without_verbatim_or_locator"
    assert detect_in_answer(answer_of(quoted))[flag] is False
    assert detect_in_answer(answer_of(quoted, uncited))[flag] is True
    assert detect_in_answer(answer_of()) == {}


def test_the_short_answer_is_looked_at_too() -> None:
    sure = ShortAnswer(text="Your appeal will succeed.", level="APPLIED", rests_on=["s1"])
    told = detect_in_answer(answer_of().model_copy(update={"short_answer": sure}))
    assert told["response_contains_outcome_prediction"] is True


def test_alerts_come_most_severe_first_and_say_who_found_them() -> None:
    detected: dict[Flag, bool] = {"response_contains_flattery": True, "response_contains_hedge_marker": False}
    alerts = alerts_of(["response_contains_hedge_marker", "safety_guidelines_not_fully_loaded"], detected, cites=True)
    assert [(alert.tier, alert.declared, alert.detected) for alert in alerts] == [
        ("STOP", True, None),
        ("DRIFT", False, True),
        ("ATTENTION", True, False),
    ]
    assert highest(alerts) == "STOP"
    assert "Do not send" in relay_of(alerts)
    assert (highest([]), relay_of([])) == (None, NOTHING)


def test_law_stated_without_any_citation_is_a_danger() -> None:
    flag: Flag = "response_contains_legal_assertion_verb"
    assert [quality_alert.tier for quality_alert in alerts_of([flag], {}, cites=True)] == ["ATTENTION"]
    assert [quality_alert.tier for quality_alert in alerts_of([flag], {}, cites=False)] == ["DANGER"]


@pytest.mark.parametrize(
    ("severity", "tier"), [("critical", "STOP"), ("important", "DANGER"), ("minor", "ATTENTION"), (None, "DANGER")]
)
def test_a_corrected_error_alerts_by_its_severity(severity: str | None, tier: str) -> None:
    [alert] = alerts_of([], {}, cites=True, error="wrong_article", severity=severity)  # pyright: ignore[reportArgumentType]
    assert (alert.tier, alert.flag) == (tier, "wrong_article")


def test_an_invented_citation_is_always_a_stop() -> None:
    [alert] = alerts_of([], {}, cites=True, error="fabricated_citation", severity="minor")
    assert alert.tier == "STOP"


@pytest.mark.parametrize(
    "name",
    [
        "claude-opus-4-20260115", "gpt-5-mini", "gpt-4o-2024-08-06", "gemini-2.5-pro", "llama-3.3-70b-instruct",
        "us.anthropic.claude-3", "o3", "mistral-large-2411", "lexscope-extractive",
    ],
)  # fmt: skip
def test_names_of_models_pass(name: str) -> None:
    assert model_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "John Smith", "claude-john", "gpt-555-0199", "555-1234", "42", "a@b.example", "gpt-5 for Mrs Doe",
        "claude-19800101", "claude-1234567", "", "gpt-\u0665", "claude-1-2-3-4",
    ],
)  # fmt: skip
def test_anything_else_is_another_model(name: str) -> None:
    assert model_name(name) == OTHER_MODEL


@given(st.lists(st.text(max_size=60), max_size=4))
def test_no_word_of_a_text_outlives_its_reduction(texts: list[str]) -> None:
    for vocabulary in (GAPS, DIFFICULTIES, ERROR_DETAILS):
        codes, lost = codes_in(texts, vocabulary)
        assert set(codes) <= set(vocabulary)
        assert lost <= len(texts)
    kept, lost = tag_words({text: text for text in texts})
    assert all(name.partition("=")[0].isidentifier() for name in kept)
    assert len(kept) + lost >= len(set(texts)) or lost


def test_sentences_leave_their_codes_only() -> None:
    assert codes_in(["no case law about Jane Doe", "timeout", "xyz"], GAPS) == (["no_case_law"], 2)
    assert codes_in(["missing_version"], GAPS) == (["missing_version"], 0)
    assert tag_words({"kind": "legislation|decision|Jane", "Jane": "Doe", "court": "Jane"}) == (
        ["court", "kind=decision", "kind=legislation"],
        1,
    )
