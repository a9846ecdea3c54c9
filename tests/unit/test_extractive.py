"""Answers without a model, and what keeps a lead-in apart from the words after its list."""

from __future__ import annotations

from datetime import date

from requirements import requirement

from rag.draft import DraftCitation, DraftClaim
from rag.extractive import draft_extractive
from rag.prompts import build_prompt
from rag.synthesis import evidence_of
from rag.verification import verify_claim
from retrieval.model import Block, DefinitionInScope, ScopedContext

RULE = "urn:lex:us:x:1"
OTHER = "urn:lex:us:x:2"
LEAD = "An owner shall not:"
AFTER = "An owner who holds a deposit shall pay the tenant interest each year."
QUESTION = "Must the owner pay interest on the deposit?"
RARITY = {"owner": 1.0, "pay": 2.0, "interest": 2.0, "deposit": 3.0}


def block(number: int, urn: str, text: str, role: str = "rule", rule: str = RULE, after: int | None = None) -> Block:
    return Block.model_validate(
        {
            "id": f"b{number}", "urn": urn, "role": role, "heading": "", "text": text, "lead_in": "", "flush": "",
            "after_children": after, "valid_from": None, "valid_to": None, "parent_urn": None, "applies_to": [rule],
            "reason": "r",
        }
    )  # fmt: skip


def definition(urn: str, relation: str = "means", rule: str = RULE) -> DefinitionInScope:
    return DefinitionInScope(
        term="deposit", urn=urn, scope_urn="urn:lex:us:x", applies_to=[rule], shadows=[], relation=relation,
        inferred=False, phrase="", depth=0,
    )  # fmt: skip


def context(*blocks: Block, definitions: tuple[DefinitionInScope, ...] = ()) -> ScopedContext:
    return ScopedContext(
        status="ok", targets=[RULE], at_date=date(2026, 1, 1), digest="d", blocks=list(blocks),
        definitions=list(definitions), overrides=[], warnings=[], omitted=[],
    )  # fmt: skip


TWO_SIDED = block(1, RULE, f"{LEAD}\n{AFTER}", after=len(LEAD) + 1)


@requirement("P3")
def test_a_duty_after_a_list_is_never_read_with_the_prohibition_before_it() -> None:
    drafted = draft_extractive(context(TWO_SIDED), QUESTION, [], RARITY, "en")
    assert [claim.text for claim in drafted.claims] == [AFTER]
    evidence = evidence_of(context(TWO_SIDED), QUESTION, "en")
    assert verify_claim(drafted.claims[0], evidence).level == "VERBATIM"
    joined = DraftClaim(f"{LEAD} {AFTER}", (DraftCitation(RULE, AFTER),))
    assert verify_claim(joined, evidence).level == "WITHHELD"


def test_words_after_a_list_that_go_on_in_lower_case_keep_their_lead_in() -> None:
    text = "If the tenant objects:\nthe landlord shall pay the interest on the deposit."
    one = block(1, RULE, text, after=text.index("\n") + 1)
    drafted = draft_extractive(context(one), "Must the landlord pay interest on the deposit?", [], RARITY, "en")
    assert [claim.text for claim in drafted.claims] == [text]


def test_a_prompt_shows_the_two_sides_apart() -> None:
    assert TWO_SIDED.sides == (LEAD, AFTER)
    prompt = build_prompt(context(TWO_SIDED), QUESTION, language="en")
    assert f"{LEAD}\n{AFTER}" not in prompt.input
    before, _, behind = prompt.input.partition("its parts stand in blocks of their own; after them:\n")
    assert before.rpartition("\n===")[0].endswith(LEAD)
    assert behind.startswith(AFTER)


def test_a_definition_that_only_points_elsewhere_or_is_another_rules_is_no_claim() -> None:
    meaning = block(2, "urn:lex:us:x:9", "“Deposit” means money held for the tenant.", role="definition")
    for given, wanted in (
        (definition(meaning.urn), [AFTER, meaning.text]),
        (definition(meaning.urn, relation="reference"), [AFTER]),
        (definition(meaning.urn, rule=OTHER), [AFTER]),
    ):
        drafted = draft_extractive(context(TWO_SIDED, meaning, definitions=(given,)), QUESTION, [], RARITY, "en")
        assert [claim.text for claim in drafted.claims] == wanted


def test_two_things_asked_about_must_be_met_and_a_named_provision_speaks_for_itself() -> None:
    assert draft_extractive(context(TWO_SIDED), "interest", [], {"interest": 2.0}, "en").claims == ()
    assert draft_extractive(context(TWO_SIDED), RULE, [], None, "en").claims
