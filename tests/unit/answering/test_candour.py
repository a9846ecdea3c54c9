"""An extractive answer that has little of what was asked says so, and one that has next to nothing is none."""

from __future__ import annotations

from datetime import date

import pytest
from requirements import requirement

from rag.answering.answer import Place
from rag.answering.extractive.candour import ANSWERS, other_rules, recitals, weak_match
from rag.answering.prompts import build_prompt
from rag.answering.run import Run, told_beside
from rag.answering.synthesis import synthesise
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.model import Block, ContextWarning, DefinitionInScope, ScopedContext

DRONES = "A passenger may not launch a drone from the deck of a ferry."
LOCKS = (
    "Upon the written request of a tenant who is the victim of an offense, a housing provider shall change the locks "
    "to all entrance doors of that unit within five business days, provided that a copy of the order is furnished."
)
URN = "urn:lex:us:x:1"
RARITY = {"launch": 3.0, "deck": 3.0, "drone": 4.0, "ferry": 2.0, "lock": 4.0, "landlord": 1.5, "valid": 2.0}
LANDLORD = SynonymHit("landlord", "housing provider", 1.0)


@pytest.mark.parametrize(
    ("question", "unknown", "answer", "told"),
    [
        ("Can I launch a rocket from the deck?", ["rocket"], DRONES, "“rocket”"),
        ("Can I launch a drone from the deck?", [], DRONES, ""),
        ("May I really use a drone on deck, okay?", ["really", "okay"], DRONES, ""),
        ("Is a deck launching allowed for drones?", ["launching"], DRONES, ""),
        ("Do ferries have launchers for the drone on deck?", ["launchers"], DRONES, ""),
        ("May the lockers of a drone be on deck?", ["lockers"], DRONES, "“lockers”"),
        ("Can my landlord lock me out?", [], LOCKS, "“landlord”, “lock”"),
        ("How long is a licence valid?", [], "A licence is valid for 24 months.", ""),
        ("I want to launch a drone from the deck of the ferry. Can I?", [], DRONES, ""),
        ("I want to launch my drone from the deck first. Can I?", ["first"], DRONES, ""),
        ("Peter Elm lives upstairs. He launched a drone from the deck.", ["peter", "lives", "upstairs"], DRONES, ""),
        ("My landlord has a ferry. May I launch a drone from the deck?", [], DRONES, ""),
        ("My landlord is a valid lock. May I launch from the deck?", [], DRONES, "“lock”"),
        ("How much may a passenger launch from the deck of a ferry?", [], DRONES, "asks for an amount"),
        (
            "How long may a passenger launch a drone?",
            [],
            "A passenger may launch a drone after the ferry has left.",
            "asks for a time",
        ),
        ("How soon must a passenger launch a drone?", [], "A passenger shall launch a drone without delay.", ""),
        ("How soon may a passenger launch a drone from the deck of a ferry?", [], DRONES, "asks for a time"),
        ("When may a passenger launch a drone from the deck of a ferry?", [], DRONES, ""),  # of conditions, perhaps
        ("How many months is a licence valid?", [], "A licence is valid for 24 months.", ""),
        ("May a drone be launched from the deck of the Ferry Board?", ["board"], DRONES, ""),  # the asker's own name
        ("May the drone of the Harbor Lock launch?", [], DRONES, "“lock”"),  # one that the law uses too
        ("Is the ferry late? I hate rockets.", ["late", "rockets"], "The ferry sails at noon.", "“late”"),
    ],
)
def test_a_reader_is_told_which_words_of_the_question_an_answer_lacks_or_that_it_shares_few(
    question: str, unknown: list[str], answer: str, told: str
) -> None:
    _, message = weak_match(question, [LANDLORD], RARITY, unknown, "en", [answer], "")
    assert (told in message) if told else message == ""


def test_a_strange_word_weighs_as_much_where_a_thesaurus_knows_statutory_terms_for_it() -> None:
    knows = [SynonymHit("rocket", "firework", 1.0)]
    question = "Can I launch a rocket from the deck of a ferry?"
    shares = [weak_match(question, group, RARITY, ["rocket"], "en", [DRONES], "")[0] for group in ([], knows)]
    assert shares[0] == shares[1] < 1
    share, told = weak_match(question, knows, RARITY, ["rocket"], "en", [DRONES, "A firework is no drone."], "")
    assert (share, told) == (1.0, "")


def test_the_words_that_ask_are_not_missed_where_a_thesaurus_has_them() -> None:
    asks = [SynonymHit("wie lange", "Frist", 1.0)]
    rarity = {"wie": 3.0, "lange": 3.0, "mieter": 2.0, "kündigung": 2.0}
    question = "Wie lange kann ein Mieter auf die Kündigung warten?"
    answer = "Ein Mieter kann auf die Kündigung drei Monate warten."
    assert weak_match(question, asks, rarity, [], "de", [answer], "")[1] == ""


def test_a_statutory_term_that_only_comes_near_does_not_stand_for_the_word() -> None:
    question = "Can I launch a rocket from the deck of a ferry?"
    for weight, told in ((0.9, False), (0.6, True)):
        near = [SynonymHit("rocket", "drone", weight)]
        assert bool(weak_match(question, near, RARITY, ["rocket"], "en", [DRONES], "")[1]) is told


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("A housing provider may hold a security deposit.", True),
        ("A housing provider shall credit interest to the tenant.", True),
        ("A housing provider shall credit interest on each security deposit.", False),
        ("A housing provider shall credit the yield of the escrow.", False),
    ],
)
def test_a_phrase_of_two_matters_is_met_by_terms_for_both_or_by_one_in_other_words(answer: str, told: bool) -> None:
    question = "Must my landlord credit interest on my deposit?"
    terms = ("interest", "security deposit", "yield of the escrow")
    known = [LANDLORD, *(SynonymHit("interest on my deposit", term, 0.9) for term in terms)]
    rarity = {"landlord": 1.5, "credit": 3.0, "interest": 3.0, "deposit": 3.0}
    assert bool(weak_match(question, known, rarity, [], "en", [answer], "")[1]) is told


def test_the_share_counts_words_that_the_law_never_uses() -> None:
    shares = [
        weak_match("Launch rockets quickly over deck?", [], RARITY, words, "en", [DRONES], "")[0]
        for words in ([], ["rockets"], ["rockets", "over"], ["rockets", "over", "quickly"])
    ]
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)
    assert shares[1] < 1.0


def context(text: str) -> ScopedContext:
    urn = URN
    block = Block.model_validate(
        {
            "id": "b1", "urn": urn, "role": "rule", "heading": "Drones", "text": text, "lead_in": "", "flush": "",
            "valid_from": None, "valid_to": None, "parent_urn": None, "applies_to": [urn], "reason": "r",
        }
    )  # fmt: skip
    return ScopedContext(
        status="ok", targets=[urn], at_date=date(2026, 1, 1), digest="d" * 64, blocks=[block],
        definitions=[], overrides=[], warnings=[], omitted=[],
    )  # fmt: skip


@requirement("P11")
@pytest.mark.parametrize(
    ("strange", "served", "warned"),
    [([], True, False), (["rocket"], True, True), (["rocket", "moon", "gun", "laser", "robot", "sun"], False, True)],
)
def test_an_answer_is_served_bare_with_a_warning_or_not_at_all(strange: list[str], served: bool, warned: bool) -> None:
    question = f"May I launch {' or '.join(strange)} from the deck?"
    law = context(DRONES)
    prompt = build_prompt(law, question, language="en")
    out = synthesise(
        None, law, question, prompt, [], RARITY, language="en", deadline_seconds=5.0, unknown=strange
    )  # fmt: skip
    assert bool(out.statements) == served
    assert [warning.kind for warning in out.warnings] == (["weak_match"] if warned else [])
    assert ANSWERS < 1


@pytest.mark.parametrize(
    "other", ["No drone may be left on the deck of a ferry.", "No drone may launch from the deck of a ferry."]
)
def test_words_of_another_rule_complete_no_answer(other: str) -> None:
    first = "A passenger may launch a drone."
    law = context(first)
    second = law.blocks[0].model_copy(update={"id": "b2", "urn": f"{URN}2", "text": other, "applies_to": [f"{URN}2"]})
    law = law.model_copy(update={"blocks": [*law.blocks, second], "targets": [URN, f"{URN}2"]})
    question = "May a passenger launch a drone from the deck of a ferry?"
    prompt = build_prompt(law, question, language="en")
    out = synthesise(None, law, question, prompt, [], RARITY, language="en", deadline_seconds=5.0)
    assert [claim.text for claim in out.statements] == [first]
    assert "weak_match" in [warning.kind for warning in out.warnings]


def test_provisions_that_answer_nearly_as_well_are_named_with_their_headings() -> None:
    law = context(DRONES)
    warning = other_rules(["urn:lex:us:x:1", "urn:lex:us:x:2:a"], law)
    assert warning is not None
    assert warning.kind == "other_rules"
    assert "urn:lex:us:x:1 (Drones), urn:lex:us:x:2:a." in warning.message
    assert other_rules([], law) is None


def test_recitals_among_the_cited_are_named_as_no_rules() -> None:
    warning = recitals(["urn:lex:eu:32020r0001:rec.7", "urn:lex:eu:32020r0001:7", "urn:lex:eu:32020r0001:rec.7"])
    assert warning is not None
    assert warning.message.count("rec.7") == 1
    assert recitals(["urn:lex:eu:32020r0001:7"]) is None


def test_a_figure_of_a_definition_is_no_amount_that_an_answer_gives() -> None:
    rule, meaning = "urn:lex:us:x:1", "urn:lex:us:x:2"
    law = context("A drone may launch from the deck.")
    defined = law.blocks[0].model_copy(
        update={"id": "b2", "urn": meaning, "role": "definition", "text": "“Drone” means a craft of 3 kilograms."}
    )
    term = DefinitionInScope(
        term="drone", urn=meaning, scope_urn=rule, applies_to=[rule], shadows=[], relation="means", inferred=False,
        phrase="", depth=0,
    )  # fmt: skip
    law = law.model_copy(update={"blocks": [*law.blocks, defined], "definitions": [term]})
    question = "How much may a drone launch from the deck?"
    prompt = build_prompt(law, question, language="en")
    out = synthesise(None, law, question, prompt, [], RARITY, language="en", deadline_seconds=5.0)
    assert ([statement.text for statement in out.statements], [definition.text for definition in out.definitions]) == (
        ["A drone may launch from the deck."],
        ["“Drone” means a craft of 3 kilograms."],
    )
    assert "asks for an amount" in out.warnings[0].message


@pytest.mark.parametrize(
    ("answer", "heading", "told"),
    [
        ("A passenger may launch a kite from the deck of a ferry.", "Kites; drones", "“drone”"),  # what weighs most
        ("A passenger may launch a drone from the deck.", "Ferries", ""),
        ("A passenger may launch a drone from the deck of a ferry.", "", ""),
    ],
)
def test_the_word_that_weighs_most_must_stand_in_a_sentence_and_not_only_in_a_heading(
    answer: str, heading: str, told: str
) -> None:
    question = "May I launch a drone from the deck of a ferry?"
    share, message = weak_match(question, [], RARITY, [], "en", [answer], heading)
    assert share == 1.0
    assert (told in message) if told else message == ""


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Die Sicherheit des Mieters richtet sich nach § 549 Abs. 2 Nr. 2.", True),
        ("Die Sicherheit des Mieters beträgt nach § 549 höchstens 3 Monatsmieten.", False),
    ],
)
def test_the_number_of_a_provision_is_no_amount(answer: str, told: bool) -> None:
    rarity = {"sicherheit": 3.0, "mieters": 2.0}
    _, message = weak_match("Wie hoch ist die Sicherheit des Mieters?", [], rarity, [], "de", [answer], "")
    assert ("asks for an amount" in message) is told


def test_what_one_place_lacks_and_another_has_is_not_missed() -> None:
    question, law = "May I launch rocket from the deck?", context(DRONES)
    weak = synthesise(
        None, law, question, build_prompt(law, question, language="en"), [], RARITY, language="en",
        deadline_seconds=5.0, unknown=["rocket"],
    )  # fmt: skip
    place = Place(urn=URN, citation="c", heading="h", path="p", sentence="s", why="w")
    for lacking in ("", "None of the places has “moon”."):
        run = Run("ask", question, date(2026, 1, 1), synthesis=weak, places=[place], places_lack=lacking)
        assert run.doubt(None)
        told = [warning.message for warning in told_beside(run, None, None) if warning.kind == "weak_match"]
        assert told == [lacking or run.doubt(None)]
    alone = Run("ask", question, date(2026, 1, 1), synthesis=weak)
    assert [warning.kind for warning in told_beside(alone, None, None)] == ["weak_match"]


@requirement("P12")
@pytest.mark.parametrize(("limits", "names_rule", "sure"), [(7, False, False), (6, False, True), (7, True, True)])
def test_what_limits_an_answer_and_is_only_named_makes_it_places_unless_the_rule_was_asked_for(
    limits: int, names_rule: bool, sure: bool
) -> None:
    law = context("A passenger may launch a drone from the deck of a ferry.")
    blocks = [
        law.blocks[0].model_copy(
            update={
                "id": f"b{2 + at}",
                "urn": f"urn:lex:us:x:{2 + at}",
                "role": "exception",
                "text": f"Section 1 does not apply to a drone of kind {2 + at}.",
            }
        )
        for at in range(limits)
    ]
    law = law.model_copy(update={"blocks": [*law.blocks, *blocks]})
    question = "May a passenger launch a drone from the deck of a ferry?"
    prompt = build_prompt(law, question, language="en")
    out = synthesise(
        None,
        law,
        question,
        prompt,
        [],
        {**RARITY, "passenger": 2.0},
        language="en",
        deadline_seconds=5.0,
        any_rule=names_rule,
    )
    assert len(out.limits) == 6
    assert (out.unsure == "") is sure


@pytest.mark.parametrize(
    ("about", "untold", "told"),
    [(URN, "urn:lex:us:*", True), (URN, "", False), ("urn:lex:us:x:9", "urn:lex:us:*", False)],
)
def test_federal_law_that_may_preempt_and_is_not_here_leaves_an_answer_unsure(
    about: str, untold: str, told: bool
) -> None:
    law = context("A passenger may launch a drone from the deck of a ferry.")
    message = f"Supremacy Clause Warning: urn:lex:us:* may preempt {about} (field)."
    warning = ContextWarning(kind="preemption", message=message, urn=about, untold=untold)
    law = law.model_copy(update={"warnings": [warning]})
    question = "May a passenger launch a drone from the deck of a ferry?"
    prompt = build_prompt(law, question, language="en")
    out = synthesise(None, law, question, prompt, [], {**RARITY, "passenger": 2.0}, language="en", deadline_seconds=5.0)
    assert bool(out.unsure) is told
    assert ["its text is not here" in warning.message for warning in out.warnings if warning.kind == "limits"] == (
        [True] if told else []
    )


@pytest.mark.parametrize(
    ("question", "law_says", "told"),
    [("9 pm", "after 9 p.m. from", False), ("9 pm", "after 9 a.m. from", True)],
)
def test_an_abbreviation_is_the_same_with_and_without_its_points(question: str, law_says: str, told: bool) -> None:
    unknown = [question.split()[1]]
    said = f"A passenger may launch a drone {law_says} the deck."
    _, message = weak_match(
        f"May I launch a drone from the deck after {question}?", [], RARITY, unknown, "en", [said], ""
    )
    assert bool(message) is told
