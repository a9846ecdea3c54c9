"""Applications and the short answer rest on what is served; a judge here says what the test tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import pytest
from requirements import requirement

from rag.answering.answer import ShortAnswer
from rag.answering.prompts import build_prompt
from rag.answering.synthesis import Synthesis, synthesise
from rag.models.drafting import DraftRequest
from rag.verification.draft import Draft, DraftCitation, DraftComputation, DraftShortAnswer, DraftStatement
from rag.verification.judging import Judge, Judgement, Question
from retrieval.model import Block, ScopedContext

URN = "urn:lex:us:x:1"
FEE = "No landlord shall demand a deposit of more than 2 months' rent from a tenant."
SCENARIO = "My landlord asks for three months' rent. Is that allowed?"
FIRST, SECOND = "Deposits have a ceiling, set by law.", "The ceiling protects whoever rents."
APPLIED = "So three months' rent is more than your landlord may ask for."
SHORT = "No."


@dataclass
class Drafts:
    """A model with one draft."""

    reply: Draft
    provider: str = "scripted"
    model: str = "test"

    def draft(self, request: DraftRequest) -> Draft:
        return self.reply


@dataclass
class Supporting:
    """A judge that supports these statements and no other, or a statement on these premises only."""

    known: frozenset[str | tuple[str, ...]]
    asked: list[Question] = field(default_factory=list[Question])
    name: str = "scripted judge"

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        self.asked += questions
        return [
            Judgement(
                "supported"
                if {question.statement, (question.statement, *question.premises)} & self.known
                else "not_supported",
                "high",
            )
            for question in questions
        ]


DRAFT = Draft(
    (
        DraftStatement("a", "law", FIRST, (DraftCitation(URN, FEE),)),
        DraftStatement("b", "law", SECOND, (DraftCitation(URN, FEE),)),
        DraftStatement("c", "application", APPLIED, rests_on=("b",), facts=("three months' rent",)),
    ),
    short_answer=DraftShortAnswer(SHORT, ("c",)),
)


class Agreeing:
    """A judge that supports whatever it is asked."""

    name = "agreeing judge"

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        return [Judgement("supported", "high") for _ in questions]


def ask(
    *supported: str | tuple[str, ...], judge: Judge | None = None, draft: Draft = DRAFT, scenario: str = SCENARIO
) -> Synthesis:
    block = Block.model_validate(
        {
            "id": "b1", "urn": URN, "role": "rule", "heading": "Deposits", "text": FEE, "lead_in": "", "flush": "",
            "valid_from": None, "valid_to": None, "parent_urn": None, "applies_to": [URN], "reason": "r",
        }
    )  # fmt: skip
    context = ScopedContext(
        status="ok", targets=[URN], at_date=date(2026, 1, 1), digest="d" * 64, blocks=[block],
        definitions=[], overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    prompt = build_prompt(context, scenario, language="en")
    judge = judge or Supporting(frozenset(supported))
    return synthesise(
        Drafts(draft), context, scenario, prompt, [], None, language="en", deadline_seconds=60.0, judge=judge
    )


@requirement("P11")
def test_what_a_judge_supports_is_served_at_its_level() -> None:
    out = ask(FIRST, SECOND, APPLIED, SHORT)
    assert [(statement.id, statement.level) for statement in out.statements] == [
        ("s1", "EXPLAINED"),
        ("s2", "EXPLAINED"),
        ("s3", "APPLIED"),
    ]
    assert out.short_answer is not None
    assert (out.short_answer.level, out.short_answer.rests_on) == ("APPLIED", ["s1", "s2", "s3"])
    assert {citation.urn for citation in out.statements[2].citations} == {URN}


def test_two_statements_that_fall_back_to_one_sentence_still_carry_what_rests_on_either() -> None:
    out = ask(APPLIED, SHORT)
    assert [(statement.id, statement.text) for statement in out.statements] == [("s1", FEE), ("s3", APPLIED)]
    assert out.statements[1].rests_on == ["s1"]
    assert out.short_answer is not None


def test_what_rests_on_an_application_falls_with_it_unless_it_follows_from_what_is_below() -> None:
    out = ask(FIRST, SECOND, (SHORT, APPLIED, FIRST, SECOND))
    assert [statement.id for statement in out.statements] == ["s1", "s2"]
    assert out.short_answer is None
    assert [withheld.reasons for withheld in out.withheld] == [["NOT_ENTAILED"], ["PREMISE_NOT_SERVED"]]
    judge = Supporting(frozenset({FIRST, SECOND, SHORT}))
    out = ask(judge=judge)
    assert out.short_answer is not None
    assert (out.short_answer.level, out.short_answer.rests_on) == ("APPLIED", ["s1", "s2"])
    assert [withheld.reasons for withheld in out.withheld] == [["NOT_ENTAILED"]]
    last = judge.asked[-1]
    assert (last.statement, last.premises, [passage.text for passage in last.passages]) == (
        SHORT,
        (SECOND, FIRST),
        [FEE],
    )


def test_the_applications_that_a_withheld_short_answer_names_take_its_place_if_all_are_served() -> None:
    out = ask(FIRST, SECOND, APPLIED)
    assert [withheld.reasons for withheld in out.withheld] == [["NOT_ENTAILED"]]
    assert out.short_answer == ShortAnswer(text=APPLIED, level="APPLIED", rests_on=["s3"])
    assert [warning.message for warning in out.warnings if warning.kind == "short_answer"] == [
        "The model's own short answer was withheld; in its place stand the statements that it rested on."
    ]
    other = DraftStatement("d", "application", "You may refuse.", rests_on=("a",))
    two = Draft((*DRAFT.statements, other), short_answer=DraftShortAnswer(SHORT, ("c", "d")))
    out = ask(FIRST, SECOND, APPLIED, draft=two)
    assert out.short_answer is None
    assert any("read the statements below" in warning.message for warning in out.warnings)
    assert not [warning for warning in ask(FIRST, SECOND, APPLIED, SHORT).warnings if warning.kind == "short_answer"]


def test_a_sound_step_of_an_application_that_falls_for_another_figure_still_founds_the_short_answer() -> None:
    step = DraftComputation("multiply", ("2", "1000 dollars"), "2000 dollars")
    fallen = DraftStatement(
        "c", "application", "You pay 2000 dollars, which 99 others pay.", rests_on=("a",), computations=(step,)
    )
    told = "My rent is 1000 dollars. How much deposit may he ask for?"
    short = DraftShortAnswer("At most 2000 dollars.", ("c",))
    out = ask(judge=Agreeing(), draft=Draft((*DRAFT.statements[:1], fallen), short_answer=short), scenario=told)
    assert [statement.kind for statement in out.statements] == ["law"]
    assert out.short_answer is not None
    assert (out.short_answer.text, out.short_answer.rests_on) == ("At most 2000 dollars.", ["s1"])
    unsound = DraftComputation("multiply", ("3", "1000 dollars"), "3000 dollars")
    fallen = replace(fallen, text="You pay 3000 dollars.", computations=(unsound,))
    short = DraftShortAnswer("At most 3000 dollars.", ("c",))
    out = ask(judge=Agreeing(), draft=Draft((*DRAFT.statements[:1], fallen), short_answer=short), scenario=told)
    assert out.short_answer is None


@requirement("P2")
@pytest.mark.parametrize("ring", [("c",), ("c", "d"), ("c", "d", "e")])
def test_applications_that_rest_on_one_another_and_on_no_law_are_not_served(ring: tuple[str, ...]) -> None:
    circle = tuple(
        DraftStatement(name, "application", "Your landlord must return the deposit.", rests_on=(ring[place - 1],))
        for place, name in enumerate(ring)
    )
    draft = Draft((*DRAFT.statements[:1], *circle), short_answer=DraftShortAnswer("Yes.", (ring[0],)))
    synthesis = ask(judge=Agreeing(), draft=draft)
    assert [statement.kind for statement in synthesis.statements] == ["law"]
    assert synthesis.short_answer is None


@requirement("P2")
def test_nothing_takes_the_place_of_a_wrong_computation() -> None:
    steps = (DraftComputation("multiply", ("2", "1000 dollars"), "3000 dollars"),)
    wrong = DraftStatement("c", "application", "You pay 3000 dollars.", rests_on=("a",), computations=steps)
    after = DraftStatement("d", "application", "So you owe the landlord everything.", rests_on=("c",))
    draft = Draft((*DRAFT.statements[:1], wrong, after), short_answer=DraftShortAnswer("Yes.", ("c",)))
    synthesis = ask(judge=Agreeing(), draft=draft)
    assert [statement.kind for statement in synthesis.statements] == ["law"]
    assert synthesis.short_answer is None


def test_business_days_are_served_with_what_was_not_counted() -> None:
    step = DraftComputation("add_business_days", ("14 September 2026", "3 business days"), "17 September 2026")
    applied = DraftStatement(
        "c", "application", "It has to come by 17 September 2026.", rests_on=("a",), computations=(step,)
    )  # fmt: skip
    told = "He asked on 14 September 2026 and gave me 3 business days. Until when?"
    out = ask(judge=Agreeing(), draft=Draft((*DRAFT.statements[:1], applied)), scenario=told)
    assert [statement.level for statement in out.statements] == ["EXPLAINED", "APPLIED"]
    warned = [warning.message for warning in out.warnings if warning.kind == "computation"]
    assert warned == ["17 September 2026: weekends only are left out; each public holiday in between moves the day on."]
    refused = ask(FIRST, draft=Draft((*DRAFT.statements[:1], applied)), scenario=told)
    assert not [warning for warning in refused.warnings if warning.kind == "computation"]
