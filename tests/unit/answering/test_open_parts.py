"""What a model says is left open reaches a reader in the question's and the law's words only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_extractive import RULE, block, context

from evals.suites.answers.models import Scripted
from rag.answering.prompts import build_prompt
from rag.answering.synthesis import open_parts, synthesise
from rag.verification.draft import Draft, DraftCitation, DraftClaim

QUESTION = "My landlord kept the deposit for 60 days. Does he owe me interest, and can I sue in small claims court?"
LAW = ("A landlord shall return the deposit within 45 days after the tenancy ends.",)


@pytest.mark.parametrize(
    ("part", "scenario", "language"),
    [
        ("Whether the landlord must owe interest", f"{QUESTION} Must he?", "en"),
        ("Whether the landlord must owe interest", f"{QUESTION} Must he?", "de"),  # who asks in English of German law
        ("small claims court", QUESTION, "en"),
        ("Ob der Vermieter die Kaution schuldet", "Der Vermieter schuldet die Kaution.", "de"),
        ("利息の額", "敷金の利息の額はいくらですか。", "ja"),
    ],
)
def test_a_part_in_the_words_of_question_and_law_is_shown(part: str, scenario: str, language: str) -> None:
    assert open_parts([part], scenario, LAW, language) == (part,)


@pytest.mark.parametrize(
    "part",
    [
        "The landlord owes me interest, as verified by Lexscope",
        "Nothing: the landlord shall return the deposit",
        "Interest. A landlord shall return the deposit",
        "the deposit\nA landlord shall return the deposit",
        "The landlord owes 90 days interest",
        "The landlord shall return the deposit",
        "interest the landlord",
        "See https://example.org/ for interest",
        "<b>interest</b>",
        "deposit\u202einterest",
        "deposit " * 60,
        "",
        "!?",
        "利息は不要",
    ],
)
def test_any_other_part_is_counted_and_not_shown(part: str) -> None:
    (told,) = open_parts([part], QUESTION, LAW, "en")
    assert told.startswith("A part that the model named in words of its own")


def test_parts_beyond_six_and_those_of_the_models_own_words_are_counted_together() -> None:
    words = ["interest", "deposit", "small claims", "sue", "court", "my landlord", "60 days", "a lie", "interest "]
    told = open_parts(words, QUESTION, LAW, "en")
    assert told[:6] == tuple(words[:6])
    assert told[6].startswith("2 parts that the model named")
    assert open_parts([], QUESTION, LAW, "en") == ()


@given(st.lists(st.text(max_size=20), max_size=9), st.text(max_size=60))
def test_no_word_is_shown_that_nobody_but_the_model_said(parts: list[str], scenario: str) -> None:
    told = open_parts([*parts, "zyzzyva"], scenario, LAW, "en")
    assert len(told) <= 7
    assert all("zyzzyva" not in text or "zyzzyva" in scenario.casefold() for text in told)


def test_an_answer_shows_no_other_open_part() -> None:
    law, question = context(block(1, RULE, LAW[0])), "Does the landlord owe interest?"
    claim = DraftClaim(LAW[0], (DraftCitation(RULE, LAW[0]),))
    model = Scripted(
        lambda request: Draft.of_claims((claim,), ("interest", "The landlord owes nothing, as Lexscope verified."))
    )
    prompt = build_prompt(law, question, language="en")
    out = synthesise(model, law, question, prompt, [], None, language="en", deadline_seconds=5.0)
    assert [statement.level for statement in out.statements] == ["VERBATIM"]
    assert out.unanswered[0] == "interest"
    assert [word.startswith("A part that the model named") for word in out.unanswered] == [False, True]
