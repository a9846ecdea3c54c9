"""Applications and short answers checked by code: what passes, what is withheld and why, and hostile drafts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import pytest
from altered_applications import altered, altered_text
from hypothesis import given
from hypothesis import strategies as st

from rag.languages.text import is_plain
from rag.verification.applications import (
    MAX_PARTS,
    CheckedApplication,
    Premise,
    question,
    rounds,
    verify_application,
    verify_short_answer,
)
from rag.verification.computations import BusinessDays
from rag.verification.draft import DraftComputation, DraftShortAnswer, DraftStatement
from rag.verification.judging import Passage
from rag.verification.model import Reason

URN = "urn:lex:us-dc:code:42-3502.17:b"
SCENARIO = (
    "I rent a flat in D.C. for $1,200 a month. On 14 September 2026 my landlord gave me back only $900 of my deposit "
    "of $1,200. I did not agree to this. He says that he has 3 months to pay, and I asked for the rest on 3 October "
    "2026. How much must he pay me, and until when?"
)
LAW: Mapping[str, Premise] = {
    "s1": Premise(
        "The landlord has to return the whole deposit within 45 days after the tenancy ends, or pay 5 percent of it.",
        "law",
        (
            Passage(
                URN,
                "Within 45 days after the termination of the tenancy the owner shall return the deposit in full or pay "
                "5 percent of it under section 42-3502.17(d).",
                heading="Security deposit",
            ),
        ),
    ),
    "s2": Premise(
        "The tenant may ask the Mayor for a hearing.",
        "law",
        (
            Passage(
                "urn:lex:us-dc:code:42-3502.18", "If the owner does not pay, the tenant may request a hearing in full."
            ),
        ),
    ),
}
DEADLINE = DraftComputation("add_days", ("14 September 2026", "45 days"), "29 October 2026")
REST = DraftComputation("subtract", ("$1,200", "$900"), "$300")
SOUND = DraftStatement(
    "s5",
    "application",
    "Your landlord still owes you $300 of the deposit and has to pay it by 29 October 2026.",
    rests_on=("s1",),
    facts=("On 14 September 2026 my landlord gave me back only $900 of my deposit of $1,200",),
    computations=(DEADLINE, REST),
)


def check(
    statement: DraftStatement, premises: Mapping[str, Premise] = LAW, scenario: str = SCENARIO, language: str = "en"
) -> CheckedApplication:
    return verify_application(statement, premises, scenario, language, jurisdiction="us-dc")


def said(text: str, **changes: object) -> CheckedApplication:
    return check(replace(SOUND, text=text, **changes))


def test_a_sound_application_is_ready_for_a_judge() -> None:
    found = check(SOUND)
    assert (found.passes, found.verdict, found.reasons, found.details) == (True, "SUPPORTED", (), ())
    (fact,) = found.facts
    assert SCENARIO[fact.start : fact.end] == fact.text == SOUND.facts[0]
    assert [step.agrees for step in found.computations] == [True, True]


@pytest.mark.parametrize(
    "text",
    [
        "He owes you 300 dollars of the deposit of 1,200 dollars.",
        "The 45-day period ends on 29 October 2026; the rest is $300.00.",
        "The period of forty-five days ends on 29 October.",
        "In October 2026 he must pay the rest.",
        "Both of you know it: one of the first things is 5% of the deposit.",
        "Section 42-3502.17(d) and § 42-3502.17(b) deal with the two sides of it.",
    ],
)
def test_figures_count_by_value_however_they_are_written(text: str) -> None:
    assert said(text).reasons == ()


@pytest.mark.parametrize(
    ("changes", "reason", "detail"),
    [
        ({"text": "He owes you $400."}, Reason.FIGURE_UNFOUNDED, "$400"),
        ({"text": "He has until 30 October 2026."}, Reason.FIGURE_UNFOUNDED, "30 October 2026"),
        ({"text": "He has 45 months."}, Reason.FIGURE_UNFOUNDED, "45 months"),
        ({"text": "He has 45 business days."}, Reason.FIGURE_UNFOUNDED, "45 business days"),
        ({"text": "He pays 6 percent."}, Reason.FIGURE_UNFOUNDED, "6 percent"),
        ({"text": "He owes you £300."}, Reason.FIGURE_UNFOUNDED, "£300"),
        ({"text": "He pays a third of it."}, Reason.FIGURE_UNFOUNDED, "a third"),
        ({"text": "He pays four times that."}, Reason.FIGURE_UNFOUNDED, "four"),
        ({"text": "He pays by 30 February 2026."}, Reason.FIGURE_UNFOUNDED, "30 February 2026"),
        ({"text": "Under section 42-3502.19 he pays."}, Reason.FIGURE_UNFOUNDED, "42-3502.19"),
        ({"text": "Under section 42-3502.17(c) he pays."}, Reason.FIGURE_UNFOUNDED, "42-3502.17(c)"),
        ({"rests_on": ()}, Reason.PREMISE_NOT_SERVED, "no statement"),
        ({"rests_on": ("s1", "s9")}, Reason.PREMISE_NOT_SERVED, "withheld"),
        ({"rests_on": ("s1", "s5")}, Reason.PREMISE_NOT_SERVED, "withheld"),
        ({"facts": ("my landlord gave me back $900",)}, Reason.FACT_NOT_TOLD, "Fact 1"),
        ({"facts": ("my landlord gave me back only $90",)}, Reason.FACT_NOT_TOLD, "Fact 1"),
        ({"facts": (".",)}, Reason.FACT_NOT_TOLD, "Fact 1"),
        ({"facts": ("",)}, Reason.FACT_NOT_TOLD, "Fact 1"),
        ({"computations": (DEADLINE, replace(REST, result="$400"))}, Reason.COMPUTATION_WRONG, "is $300, not $400"),
        ({"computations": (DEADLINE, replace(REST, operation="minus"))}, Reason.COMPUTATION_UNREADABLE, "not known"),
        ({"computations": (DEADLINE, REST, DraftComputation("add", ("$7", "$900"), "$907"))}, Reason.FIGURE_UNFOUNDED,
         "The figure $7, with which it computes (add), is in no fact told and no law cited"),
        ({"text": "See https://example.com for the $300."}, Reason.ACTIVE_CONTENT, "mark-up"),
        ({"text": "You get <b>$300</b>."}, Reason.ACTIVE_CONTENT, "mark-up"),
        ({"text": " … "}, Reason.EMPTY_CLAIM, "no words"),
        ({"text": "word " * 5_000}, Reason.CLAIM_TOO_LONG, "longer"),
        ({"text": "45 days, " * 300}, Reason.CLAIM_TOO_LONG, "figures"),
        ({"facts": SOUND.facts * (MAX_PARTS + 1)}, Reason.CLAIM_TOO_LONG, "longer"),
    ],
)  # fmt: skip
def test_what_fails_says_what_and_why(changes: dict[str, object], reason: Reason, detail: str) -> None:
    found = check(replace(SOUND, **changes))
    assert reason in found.reasons
    assert not found.passes
    assert any(detail in line for line in found.details), found.details
    assert all(is_plain(line) for line in found.details)


def test_a_fact_may_differ_in_marks_spaces_and_its_first_letter() -> None:
    scenario = "On  14 September\n2026 he wrote: “I won’t pay.” My deposit was $300."
    statement = DraftStatement("a1", "application", "He owes $300.", rests_on=("s1",), facts=(
        'on 14 September 2026 he wrote: "I won\'t pay', "my deposit was $300.",
    ))  # fmt: skip
    found = check(statement, scenario=scenario)
    assert found.reasons == ()
    assert [scenario[fact.start : fact.end] for fact in found.facts] == [fact.text for fact in found.facts]


def test_a_figure_of_the_scenario_that_no_fact_has_adds_its_sentence() -> None:
    found = said("You asked for the $300 on 3 October 2026, and his 3 months are not the law's.")
    assert found.reasons == ()
    added = [fact for fact in found.facts if not fact.named]
    assert [fact.text for fact in added] == [
        "He says that he has 3 months to pay, and I asked for the rest on 3 October 2026."
    ]


def test_a_figure_of_other_law_that_is_served_adds_its_statement() -> None:
    deadline = "He has to pay it by 29 October 2026."
    found = said(deadline, rests_on=("s2",), computations=(DEADLINE,))
    assert (found.reasons, found.rests_on) == ((), ("s2", "s1"))
    only = {"s2": LAW["s2"]}
    found = check(replace(SOUND, text=deadline, rests_on=("s2",), computations=(DEADLINE,)), only)
    assert found.reasons == (Reason.FIGURE_UNFOUNDED,)


def test_a_figure_of_another_application_adds_it_but_never_the_statement_itself() -> None:
    first = replace(SOUND, id="a1", text="He owes you $300.", computations=(REST,))
    served = {**LAW, "a1": check(first).premise}
    second = replace(SOUND, id="a2", text="The $300 are yours.", computations=(), rests_on=("s1",))
    assert (check(second, served).rests_on, check(second, served).reasons) == (("s1", "a1"), ())
    itself = {**LAW, "a2": check(first).premise}
    assert check(second, itself).reasons == (Reason.FIGURE_UNFOUNDED,)
    circle = {**served, "a1": replace(served["a1"], rests_on=("a2",)), "a2": replace(served["a1"], text="It is so.")}
    assert check(second, circle).reasons == (Reason.FIGURE_UNFOUNDED,)


def test_a_step_of_an_unknown_operation_gives_no_figure_and_costs_none() -> None:
    unknown = replace(REST, operation="compare")
    assert said("He paid less than the deposit of $1,200.", computations=(unknown,)).reasons == ()
    assert set(said("He owes you $300.", computations=(unknown,)).reasons) == {
        Reason.FIGURE_UNFOUNDED, Reason.COMPUTATION_UNREADABLE,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "step", "passes"),
    [
        ("That was 19 days later.", "days_between(14 September 2026, 3 October 2026) = 19", True),
        ("That was 20 days later.", "", False),
        ("That was one month later.", "", False),
    ],
)
def test_a_period_between_two_told_days_is_computed(text: str, step: str, passes: bool) -> None:
    found = said(text, computations=())
    assert (found.passes, [computation.line for computation in found.computations]) == (passes, [step] if step else [])


@pytest.mark.parametrize(
    ("language", "text", "operation", "inputs", "result", "passes"),
    [
        ("de", "Sie endet am 23. März 2026.", "add_days", ("2026-03-09", "14 days"), "2026-03-23", True),
        ("de", "Sie endet am 23. März 2026.", "add_days", ("2026-03-09", "14"), "2026-03-23", True),
        ("de", "Sie endet am 24. März 2026.", "add_days", ("2026-03-09", "15"), "2026-03-24", False),
        ("de", "Das sind 48.000 Euro.", "percent", ("20", "240000"), "48000", True),
        ("de", "Das sind 72.000 Euro.", "percent", ("30", "240000"), "72000", False),
        ("de", "Das sind 4,87 Prozent.", "add", ("-0,13", "5"), "4,87", True),
        ("fr", "Sur 24 mois, 600 euros par mois.", "multiply", ("24", "600"), "14 400", True),
        ("fr", "Sur 24 mois, 700 euros par mois.", "multiply", ("24", "700"), "16 800", False),
        ("fr", "Sur 25 mois, 576 euros par mois.", "multiply", ("25", "576"), "14 400", False),
    ],
)
def test_inputs_are_founded_in_other_units_signs_and_turned_round(
    language: str, text: str, operation: str, inputs: tuple[str, ...], result: str, passes: bool
) -> None:
    law = {
        "de": "Zwei Wochen nach dem Zugang endet die Frist; fünf Punkte über dem Basiszinssatz sind geschuldet.",
        "fr": "Le juge peut échelonner le paiement dans la limite de deux années.",
    }[language]
    told = {
        "de": "Am 9. März 2026 ging es zu. Ein Fünftel von 240.000 Euro. Der Zinssatz war minus 0,13 Prozent.",
        "fr": "Je dois 14 400 euros.",
    }[language]
    premises = {"s1": Premise(law, "law", (Passage(URN, law),))}
    steps = (DraftComputation(operation, inputs, result),)
    statement = DraftStatement("s2", "application", text, rests_on=("s1",), computations=steps)
    assert check(statement, premises, told, language).passes is passes


@pytest.mark.parametrize(
    ("factor", "result", "text", "passes"),
    [
        ("12", "$14,400", "That is $14,400 a year, at $1,200 a month.", True),
        ("52", "$62,400", "That is $62,400 a year, at $1,200 a month.", False),
        ("12", "$14,400", "That is $14,400 in all.", False),
    ],
)
def test_what_one_period_of_a_rate_has_of_another_needs_no_source(
    factor: str, result: str, text: str, passes: bool
) -> None:
    step = DraftComputation("multiply", (factor, "$1,200"), result)
    assert said(text, computations=(step,)).passes is passes


@pytest.mark.parametrize(
    ("day", "passes"),
    [
        ("31 December 2026", True),
        ("1 January 2027", True),
        ("30 September 2026", True),
        ("31 October 2026", True),
        ("31 August 2026", False),
        ("15 October 2026", False),
        ("31 December 2025", False),
    ],
)
def test_the_end_of_a_calendar_period_of_a_known_day_needs_no_source(day: str, passes: bool) -> None:
    step = DraftComputation("add_days", (day, "45 days"), "")
    found = said("He has to pay.", computations=(step,))
    assert (Reason.FIGURE_UNFOUNDED not in found.reasons) is passes


def test_a_computation_may_use_the_result_of_an_earlier_one_but_not_of_a_later() -> None:
    half = DraftComputation("percent", ("5 percent", "$300"), "$15")
    assert said("It is $15.", computations=(REST, half)).reasons == ()
    assert said("It is $15.", computations=(half, REST)).reasons == (Reason.FIGURE_UNFOUNDED,)


def test_a_day_without_its_year_has_one_near_the_date_of_the_question() -> None:
    scenario = "On 14 September my landlord gave me back $900 of $1,200."
    statement = replace(SOUND, facts=("On 14 September my landlord gave me back $900 of $1,200",))
    unknown = check(statement, scenario=scenario)
    assert unknown.reasons == (Reason.FIGURE_UNFOUNDED,)
    for at_date, passes in ((date(2026, 11, 22), True), (date(2027, 1, 3), True), (date(2024, 1, 1), False)):
        found = verify_application(statement, LAW, scenario, "en", at_date=at_date)
        assert found.passes is passes


@pytest.mark.parametrize(
    ("text", "urn", "passes"),
    [
        ("11 CFR 100.20 covers it.", "urn:lex:us:11cfr:100.20", True),
        ("11 CFR 100.21 covers it.", "urn:lex:us:11cfr:100.20", False),
        ("Part 9037 covers it.", "urn:lex:us:11cfr:part_9037", True),
        ("Section 17(2) covers it.", "urn:lex:gb:ukpga-1949-30:17:2", True),
        ("Section 17(3) covers it.", "urn:lex:gb:ukpga-1949-30:17:2", False),
    ],
)
def test_a_provision_that_is_named_is_one_of_a_premise(text: str, urn: str, passes: bool) -> None:
    premises = {"s1": Premise("It is covered.", "law", (Passage(urn, "It is covered within a month."),))}
    statement = DraftStatement("a1", "application", text, rests_on=("s1",))
    assert check(statement, premises).passes is passes
    assert check(replace(statement, text="It is covered within one month."), premises).passes


def test_a_wrong_computation_supports_no_figure() -> None:
    found = said("He owes you $400.", computations=(replace(REST, result="$400"),))
    assert set(found.reasons) == {Reason.COMPUTATION_WRONG, Reason.FIGURE_UNFOUNDED}
    assert found.verdict == "ALTERED"


def test_the_rule_of_the_law_for_business_days_is_used() -> None:
    step = DraftComputation("add_business_days", ("14 September 2026", "45"), "17 November 2026")
    statement = replace(SOUND, text="He has until 17 November 2026.", computations=(step,))
    rule = BusinessDays(holidays=frozenset({date(2026, 10, 12)}))
    assert verify_application(statement, LAW, SCENARIO, "en", business_days=rule).passes
    found = verify_application(statement, LAW, SCENARIO, "en")
    assert found.reasons == (Reason.COMPUTATION_UNREADABLE, Reason.FIGURE_UNFOUNDED)


@pytest.mark.parametrize(
    ("text", "withheld"),
    [
        ("You may request a hearing.", False),
        ("You must request a hearing.", True),
        ("You have to request a hearing.", True),
        ("To get your money you must request a hearing by 29 October 2026.", False),
        ("If he refuses, you must request a hearing.", False),
        ("You must request a hearing in writing.", False),
        ("You must return the deposit.", False),
        ("You are always right.", True),
        ("You will certainly win.", True),
        ("If he does not pay, you will certainly win.", False),
    ],
)
def test_must_where_the_law_says_may_and_certainty_over_conditions(text: str, withheld: bool) -> None:
    found = said(text, rests_on=("s2",), facts=(), computations=(DEADLINE,))
    assert (Reason.STRONGER_THAN_PREMISES in found.reasons) is withheld


@pytest.mark.parametrize(
    ("language", "law", "text"),
    [
        (
            "en",
            "The court may publish the list, or order the clerk to publish it.",
            "The clerk has to publish the list, because the court ordered it.",
        ),
        (
            "de",
            "Der Schenker kann die Erfüllung verweigern.",
            "Sie müssen 7.000 Euro zahlen und dürfen ihr 3.000 Euro verweigern.",
        ),
    ],
)
def test_a_duty_of_somebody_else_or_of_another_verb_is_no_right_made_a_duty(language: str, law: str, text: str) -> None:
    premises = {"s1": Premise(law, "law", (Passage("urn:lex:x:y:1", law),))}
    statement = DraftStatement("a1", "application", text, rests_on=("s1",))
    scenario = "Es geht um 7.000 Euro und um 3.000 Euro."
    assert check(statement, premises, scenario, language).passes


@pytest.mark.parametrize(
    ("text", "law", "computation", "reason"),
    [
        ("Your State has more than one.", "In a State with one member it may.", ("more_than", "8", "one"), None),
        (
            "It was due on 9 April 2026.",
            "It is due within one month.",
            ("add_months", "9 March 2026", "one", "9 April 2026"),
            None,
        ),
        (
            "You have one month.",
            "It is due within three months.",
            ("more_than", "8", "1"),
            Reason.FIGURE_UNFOUNDED,
        ),
    ],
)
def test_one_in_words_is_an_input_and_a_comparison_with_it_founds_no_figure(
    text: str, law: str, computation: tuple[str, ...], reason: Reason | None
) -> None:
    operation, first, second, *result = computation
    step = DraftComputation(operation, (first, second), *(result or ["true"]))
    premises = {"s1": Premise(law, "law", (Passage("urn:lex:x:y:1", law),))}
    statement = DraftStatement("a1", "application", text, rests_on=("s1",), computations=(step,))
    scenario = "Our State has 8 of them. They asked on 9 March 2026."
    assert check(statement, premises, scenario).reasons == ((reason,) if reason else ())


@pytest.mark.parametrize(
    ("language", "law", "right", "duty"),
    [
        ("de", "Der Mieter kann die Miete mindern.", "Sie können die Miete mindern.", "Sie müssen die Miete mindern."),
        ("fr", "Le locataire peut résilier le bail.", "Vous pouvez résilier le bail.", "Vous devez résilier le bail."),
    ],
)
def test_a_duty_is_told_from_a_right_in_other_languages(language: str, law: str, right: str, duty: str) -> None:
    premises = {"s1": Premise(law, "law", (Passage("urn:lex:x:y:1", law),))}
    for text, passes in ((right, True), (duty, False)):
        statement = DraftStatement("a1", "application", text, rests_on=("s1",))
        assert check(statement, premises, "Was gilt?", language).passes is passes


SHORT = DraftShortAnswer("He owes you $300, until 29 October 2026.", ("s5",))


def short(text: str, rests_on: tuple[str, ...] = ("s5",)) -> CheckedApplication:
    served = {**LAW, "s5": check(SOUND).premise}
    return verify_short_answer(DraftShortAnswer(text, rests_on), served, SCENARIO, "en", jurisdiction="us-dc")


def test_a_short_answer_has_the_figures_of_what_it_rests_on() -> None:
    assert short(SHORT.text).passes
    assert short("$300 of your $1,200, within 45 days.").passes
    assert short("$400, until 29 October 2026.").reasons == (Reason.FIGURE_UNFOUNDED,)
    assert short("$300, until 28 October 2026.").reasons == (Reason.FIGURE_UNFOUNDED,)
    assert short("Yes.", ()).reasons == (Reason.PREMISE_NOT_SERVED,)
    assert short("$300.", ("s1",)).rests_on == ("s1", "s5")
    assert verify_short_answer(DraftShortAnswer("$300.", ("s1",)), LAW, SCENARIO, "en").reasons == (
        Reason.FIGURE_UNFOUNDED,
    )
    assert short("$300.", ("s5", "s7")).reasons == (Reason.PREMISE_NOT_SERVED,)
    assert short("You must request it.", ("s2",)).reasons == (Reason.STRONGER_THAN_PREMISES,)


def test_the_question_for_a_judge_has_premises_sentences_and_computations_and_no_more() -> None:
    found = check(replace(SOUND, facts=("agree to this", *SOUND.facts)))
    asked = question(found, LAW, "en", SCENARIO)
    assert (asked.kind, asked.statement, asked.scenario) == ("application", SOUND.text, SCENARIO)
    assert question(found, LAW, "en", SCENARIO * 100).scenario == ""  # of a long one the facts are shown, and no more
    assert asked.premises == (LAW["s1"].text,)
    assert asked.passages == LAW["s1"].passages
    assert asked.facts[0] == "I did not agree to this."  # the span leaves out the `not`
    assert asked.computations == (
        "add_days(14 September 2026, 45 days) = 29 October 2026",
        "subtract($1,200, $900) = $300",
    )
    served = {**LAW, "s5": found.premise}
    answer = question(verify_short_answer(SHORT, served, SCENARIO, "en"), served, "en", SCENARIO)
    assert (answer.kind, answer.scenario, answer.premises) == ("short_answer", SCENARIO, (SOUND.text,))
    assert answer.passages == LAW["s1"].passages
    assert answer.computations == asked.computations


def test_applications_are_checked_after_what_they_rest_on() -> None:
    def one(name: str, *rests_on: str) -> DraftStatement:
        return DraftStatement(name, "application", "Text.", rests_on=rests_on)

    law = DraftStatement("s1", "law", "Text.")
    ordered = rounds([one("a3", "a2"), law, one("a1", "s1"), one("a2", "a1", "s1")])
    assert [[statement.id for statement in each] for each in ordered] == [["a1"], ["a2"], ["a3"]]
    circle = rounds([one("a1", "a2"), one("a2", "a1"), one("a3", "s1"), one("a4", "a4"), one("a5", "unknown")])
    assert [[statement.id for statement in each] for each in circle] == [["a3", "a5"], ["a1", "a2", "a4"]]
    for statement in circle[-1]:
        assert check(statement).reasons == (Reason.PREMISE_NOT_SERVED,)


def test_a_bare_number_is_of_any_unit_but_not_where_it_has_another() -> None:
    step = replace(DEADLINE, inputs=("14 September 2026", "45"))
    assert said("He had 45 days.", computations=(step,)).passes
    assert said("He had 45 years.", computations=(step,)).reasons == (Reason.FIGURE_UNFOUNDED,)
    scenario = "I am 31 and my brother is 3."
    statement = DraftStatement("a1", "application", "You are 31 years old.", rests_on=("s1",), facts=("I am 31",))
    assert check(statement, scenario=scenario).passes


def test_a_provision_is_not_named_by_parts_of_two_others() -> None:
    premises = {"s1": Premise("Section 17(2) and section 18(3) say it.", "law")}
    for text, passes in (("Section 17(2) says it.", True), ("Section 17(3) says it.", False), ("Section 17.", True)):
        assert check(DraftStatement("a1", "application", text, rests_on=("s1",)), premises).passes is passes


def test_a_premise_that_rests_on_itself_ends() -> None:
    premises = {"a1": Premise("Text.", "application", rests_on=("a2",)),
                "a2": Premise("Text.", "application", rests_on=("a1",))}  # fmt: skip
    statement = DraftStatement("a3", "application", "Text.", rests_on=("a1",))
    assert check(statement, premises).passes


# --- alterations -----------------------------------------------------------------------------------------------------

GERMAN = (
    DraftStatement(
        "s3", "application",
        "Ihr Vermieter schuldet Ihnen 300 Euro und muss bis zum 14. Oktober 2026 zahlen, also binnen 30 Tagen.",
        rests_on=("s1",), facts=("Am 14. September 2026 zog ich aus", "1.200 Euro Kaution", "nur 900 Euro zurück"),
        computations=(
            DraftComputation("subtract", ("1.200 Euro", "900 Euro"), "300 Euro"),
            DraftComputation("add_days", ("14. September 2026", "30 Tage"), "14. Oktober 2026"),
        ),
    ),
    {"s1": Premise("Der Vermieter muss die Kaution binnen dreißig Tagen zurückzahlen.", "law")},
    "Am 14. September 2026 zog ich aus. Von 1.200 Euro Kaution bekam ich nur 900 Euro zurück.",
    "de",
)  # fmt: skip
FRENCH = (
    DraftStatement(
        "s3", "application",
        "Votre bailleur vous doit 300 € et doit payer au plus tard le 14 novembre 2026, soit deux mois après.",
        rests_on=("s1",), facts=("j'ai rendu les clés le 14 septembre 2026", "dépôt de 1 200 €", "que 900 €"),
        computations=(
            DraftComputation("subtract", ("1 200 €", "900 €"), "300 €"),
            DraftComputation("add_months", ("14 septembre 2026", "deux mois"), "14 novembre 2026"),
        ),
    ),
    {"s1": Premise("Le bailleur doit restituer le dépôt dans un délai de deux mois.", "law")},
    "j'ai rendu les clés le 14 septembre 2026. Sur un dépôt de 1 200 € il ne m'a rendu que 900 €.",
    "fr",
)  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "premises", "scenario", "language"), [(SOUND, LAW, SCENARIO, "en"), GERMAN, FRENCH]
)
def test_each_alteration_of_a_figure_a_fact_a_premise_or_a_step_is_found(
    statement: DraftStatement, premises: Mapping[str, Premise], scenario: str, language: str
) -> None:
    assert check(statement, premises, scenario, language).reasons == ()
    seen: set[str] = set()
    for operator, changed in altered(statement, language):
        seen.add(operator)
        assert not check(changed, premises, scenario, language).passes, (operator, changed)
    assert seen >= {"figure", "date", "fact", "result", "input", "premise"}


def test_each_alteration_of_a_short_answer_is_found() -> None:
    for operator, text in altered_text(SHORT.text, "en"):
        assert not short(text).passes, (operator, text)


# --- hostile drafts --------------------------------------------------------------------------------------------------


@given(
    st.text(max_size=200), st.lists(st.text(max_size=30), max_size=3), st.lists(st.text(max_size=30), max_size=3),
    st.text(max_size=200), st.sampled_from(["en", "de", "fr", "ja", "it"]),
)  # fmt: skip
def test_no_draft_raises(text: str, rests_on: list[str], facts: list[str], scenario: str, language: str) -> None:
    step = DraftComputation(text[:20], tuple(facts), text)
    statement = DraftStatement("a", "application", text, (), tuple(rests_on), tuple(facts), (step,))
    found = verify_application(statement, LAW, scenario, language)
    assert not found.passes
    question(found, LAW, language, scenario)
    verify_short_answer(DraftShortAnswer(text, ("s1",)), LAW, scenario, language)


def test_a_hostile_draft_takes_bounded_time() -> None:
    digits = " ".join(str(number) for number in range(1_500))
    scenario = " ".join(str(number) for number in range(4_000, 9_000))
    steps = tuple(DraftComputation("add", ("1" * 18,) * 20, "1" * 18) for _ in range(MAX_PARTS))
    hostile = [
        replace(SOUND, text=digits[:7_900]),
        replace(SOUND, text=digits[:600], facts=tuple(scenario[at : at + 200] for at in range(0, 6_000, 100))),
        replace(SOUND, computations=steps),
        replace(SOUND, text="must " * 1_500),
        replace(SOUND, text="section 1(1), " * 500),
        replace(SOUND, text="(" * 7_900),
        replace(SOUND, facts=("a" * 1_000_000,)),
    ]
    before = time.process_time()
    for statement in hostile:
        assert not check(statement, scenario=scenario).passes
    assert time.process_time() - before < 10


@pytest.mark.parametrize(
    ("operation", "inputs", "result", "ready"),
    [
        ("divide", ("48", "3"), "16", True),
        ("multiply", ("16", "2"), "32", True),
        ("divide", ("48", "2"), "24", False),
        ("multiply", ("16", "3"), "48", True),  # both others are told
        ("multiply", ("16", "5"), "80", False),
    ],
)
def test_the_parts_of_a_share_are_inputs_of_its_own_computation(
    operation: str, inputs: tuple[str, ...], result: str, ready: bool
) -> None:
    law = {"s1": Premise("Two thirds of the seats are the assembly's.", "law", (Passage(URN, "Two thirds of it."),))}
    steps = (DraftComputation(operation, inputs, result),)
    said = DraftStatement("s2", "application", f"That makes {result} seats.", rests_on=("s1",), computations=steps)
    found = check(said, law, "There are 48 seats, and 16 were named.")
    assert found.passes is ready, found.details
