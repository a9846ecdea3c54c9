"""Answers without a model, and what keeps a lead-in apart from the words after its list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from requirements import requirement

from rag.answering.answer import Answer
from rag.answering.extractive.draft import draft_extractive
from rag.answering.extractive.kinds import Want, wants_of, worth
from rag.answering.extractive.places import places_of
from rag.answering.lists import whole
from rag.answering.prompts import build_prompt
from rag.answering.synthesis import evidence_of, synthesise
from rag.presentation.answers import defined_terms
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
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
    evidence = evidence_of(context(TWO_SIDED), "en")
    assert verify_claim(drafted.claims[0], evidence).level == "VERBATIM"
    joined = DraftClaim(f"{LEAD} {AFTER}", (DraftCitation(RULE, AFTER),))
    assert verify_claim(joined, evidence).level == "WITHHELD"


def test_words_after_a_list_that_go_on_in_lower_case_keep_their_lead_in() -> None:
    text = "If the tenant objects:\nthe landlord shall pay the interest on the deposit."
    one = block(1, RULE, text, after=text.index("\n") + 1)
    drafted = draft_extractive(context(one), "Must the landlord pay interest on the deposit?", [], RARITY, "en")
    assert [claim.text for claim in drafted.claims] == [text.replace("\n", " [...] ")]


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


def test_a_definition_in_a_chunk_is_told_by_its_sentence_and_not_by_the_headline_above() -> None:
    text = "1. Definition of a deposit\n\nA guest pays rent. “Deposit” means money held for the tenant."
    meaning = block(2, "urn:lex:us:x:9", text, role="definition")
    drafted = draft_extractive(
        context(TWO_SIDED, meaning, definitions=(definition(meaning.urn),)), QUESTION, [], RARITY, "en"
    )
    assert [claim.text for claim in drafted.claims] == [AFTER, "“Deposit” means money held for the tenant."]


@pytest.mark.parametrize(
    ("language", "term", "sentence", "question", "meaning", "told"),
    [
        ("en", "secondary party", "A lessor pays secondary parties the interest.", "Who pays the interest?",
         "“Secondary party” means whoever signs last.", True),
        ("en", "party", "A lessor pays the part of the interest.", "Who pays the interest?",
         "“Party” means whoever signs last.", False),
        ("de", "Bewohner", "Der Vermieter gibt den Bewohnern die Schlüssel zurück.", "Wer gibt die Schlüssel zurück?",
         "„Bewohner“ ist, wer in der Wohnung lebt.", True),
        ("de", "Bewohner", "Der Vermieter gibt der Bewohnerschaft die Schlüssel zurück.",
         "Wer gibt die Schlüssel zurück?", "„Bewohner“ ist, wer in der Wohnung lebt.", False),
        ("fr", "local principal", "Le bailleur remet les clés des locaux principaux.", "Qui remet les clés ?",
         "«Local principal» s'entend du lieu habité.", True),
        ("fr", "local", "Le bailleur remet les clés de la localité.", "Qui remet les clés ?",
         "«Local» s'entend du lieu habité.", False),
        ("ja", "居住者", "賃貸人は、居住者に鍵を返還する。",
         "鍵を返還するのは誰か。", "「居住者」とは、建物に住む者をいう。", True),
        ("ja", "居住者", "賃貸人は、非居住者に鍵を返還する。",
         "鍵を返還するのは誰か。", "「居住者」とは、建物に住む者をいう。", False),
    ],
)  # fmt: skip
def test_the_terms_of_a_sentence_are_found_in_the_forms_of_its_language(
    language: str, term: str, sentence: str, question: str, meaning: str, told: bool
) -> None:
    entry = block(2, "urn:lex:us:x:9", meaning, role="definition")
    given = definition(entry.urn).model_copy(update={"term": term})
    law = context(block(1, RULE, sentence), entry, definitions=(given,))
    rarity = dict.fromkeys(question.strip(" ?。").split(), 1.0)
    drafted = draft_extractive(law, question, [], rarity, language, any_rule=True)
    assert [claim.text for claim in drafted.claims] == [sentence, *([meaning] if told else [])]


@requirement("P3")
@pytest.mark.parametrize(
    ("at", "wanted"), [(RULE, "money"), (f"{RULE}:a", "a bond"), (f"{RULE}:a:1", "a bond"), (f"{RULE}:ab", "money")]
)
def test_a_meaning_that_a_part_of_the_rule_replaces_for_itself_is_no_meaning_there(at: str, wanted: str) -> None:
    sentence = "An owner pays the tenant interest on the deposit."
    wide, narrow = "urn:lex:us:x:9", f"{RULE}:a:2"
    law = context(
        block(1, at, sentence),
        block(2, wide, "“Deposit” means money.", role="definition"),
        block(3, narrow, "“Deposit” means a bond.", role="definition"),
        definitions=(definition(wide), definition(narrow, rule=f"{RULE}:a")),
    )
    drafted = draft_extractive(law, QUESTION, [], RARITY, "en")
    assert [claim.text for claim in drafted.claims] == [sentence, f"“Deposit” means {wanted}."]


@requirement("P3")
@pytest.mark.parametrize("applies", [True, False])
def test_only_a_meaning_that_governs_the_rule_is_told_as_that_of_its_terms(applies: bool) -> None:
    meaning = block(
        2, f"{RULE}:d", "An owner must pay interest in money on the deposit, which in section 2 means a bond."
    )
    given = definition(meaning.urn, rule=RULE if applies else OTHER)
    law = context(block(1, RULE, "An owner must pay interest on the deposit."), meaning, definitions=(given,))
    prompt = build_prompt(law, QUESTION, language="en")
    out = synthesise(None, law, QUESTION, prompt, [], RARITY, language="en", deadline_seconds=5.0)
    assert [statement.citations[0].urn for statement in out.statements] == [RULE, *([] if applies else [meaning.urn])]
    assert [statement.citations[0].urn for statement in out.definitions] == ([meaning.urn] if applies else [])


def test_a_list_of_meanings_is_told_whole_and_only_the_terms_that_govern_are_named() -> None:
    nine, opens = "urn:lex:us:x:9", "Here the words are read so that:"
    texts = ("the deposit is money;", "the owner is a lessor; and", "the agent is a clerk.")
    entries = [
        block(3 + at, f"{nine}:{at}", text, role="definition").model_copy(update={"parent_urn": nine, "lead_in": opens})
        for at, text in enumerate(texts)
    ]
    given = [
        definition(entry.urn, rule=RULE if term == "deposit" else OTHER).model_copy(update={"term": term})
        for entry, term in zip(entries, ("deposit", "owner", "agent"), strict=True)
    ]
    sentence = block(1, RULE, "Each year interest is due on the deposit.")
    law = context(sentence, block(2, nine, opens, role="ancestor"), *entries, definitions=tuple(given))
    prompt = build_prompt(law, QUESTION, language="en")
    out = synthesise(None, law, QUESTION, prompt, [], RARITY, language="en", deadline_seconds=5.0)
    assert [told.text for told in out.definitions] == [" ".join((opens, *texts))]
    answer = Answer.model_construct(statements=out.statements, definitions=out.definitions, context=law)
    assert defined_terms(answer) == "“deposit” (urn:lex:us:x:9:0)"


FACTS = "The tenant who is late with the rent gets a letter."
RENT = {"late": 2.0, "rent": 2.0, "tenant": 1.0, "fee": 3.0, "charged": 2.0}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much late fee may a tenant be charged?", "A tenant may be charged a late fee of 20 dollars."),
        ("When is the late fee charged to a tenant?", "The late fee is charged to the tenant after 5 days."),
        ("May a late fee be charged to the tenant?", "No late fee shall be charged to a tenant."),
    ],
)
def test_a_sentence_that_has_what_is_asked_for_comes_before_one_that_says_more_of_the_words(
    question: str, answer: str
) -> None:
    plain = "The late fee charged to the tenant is a fee on late rent charged to the tenant."
    drafted = draft_extractive(context(block(1, RULE, f"{plain} {answer}")), question, [], RENT, "en")
    assert drafted.claims[0].text == answer


def test_the_rule_found_first_answers_or_none_does() -> None:
    same = block(1, RULE, "A late fee may be charged to the tenant.")
    other = block(2, OTHER, "A late fee may be charged to the tenant of a boat.", rule=OTHER)
    question = "May a late fee be charged to the tenant?"
    drafted = draft_extractive(context(same, other), question, [], RENT, "en")
    assert [claim.citations[0].urn for claim in drafted.claims] == [RULE]
    weaker = block(1, RULE, "A boat has a name.")
    drafted = draft_extractive(context(weaker, other), question, [], RENT, "en")
    assert not drafted.claims


@pytest.mark.parametrize(
    ("second", "alone"),
    [
        ("A boat has a name.", True),
        ("A fee may be charged to the tenant of a boat.", True),  # of no late fee
        ("A late fee may be charged to the tenant of a boat.", False),
        ("The tenant who pays a late fee may be charged no more.", False),  # all words, whoever does what
    ],
)
def test_a_sentence_that_says_all_of_it_is_alone_where_no_other_rule_has_the_words(second: str, alone: bool) -> None:
    law = context(block(1, RULE, "A late fee may be charged to the tenant."), block(2, OTHER, second, rule=OTHER))
    drafted = draft_extractive(law, "May a late fee be charged to the tenant?", [], RENT, "en")
    assert (drafted.unsure, drafted.alone) == ("", alone)
    assert not draft_extractive(law, "May the tenant charge a late fee?", [], RENT, "en").alone


@pytest.mark.parametrize(
    ("language", "question", "wants"),
    [
        ("en", "How much can a landlord ask for?", {Want.AMOUNT}),
        ("en", "How many days do I have to object?", {Want.TIME, Want.DUTY}),
        ("en", "My landlord, who lives upstairs, may sell. Can he raise the rent?", {Want.PERMISSION}),
        ("en", "Who appoints the inspector?", {Want.PERSON}),
        ("en", "Is interest due, and when?", {Want.TIME}),
        ("en", "My landlord kept my deposit.", set[Want]()),
        ("fr", "Combien de temps ai-je pour répondre ?", {Want.TIME}),
        ("fr", "Qui doit payer combien ?", {Want.PERSON, Want.DUTY, Want.AMOUNT}),
        ("de", "Wie lange darf er warten?", {Want.TIME, Want.PERMISSION}),
        ("de", "Wer muss zahlen, und wie viel?", {Want.PERSON, Want.DUTY, Want.AMOUNT}),
        ("ja", "いつまでですか?", set[Want]()),
    ],
)
def test_what_a_question_asks_for_is_read_from_how_it_is_put(language: str, question: str, wants: set[Want]) -> None:
    assert wants_of(question, language) == wants


@pytest.mark.parametrize(
    ("language", "want", "good", "poor"),
    [
        ("en", Want.AMOUNT, "The fee is 20 dollars.", "The fee is fair."),
        ("en", Want.TIME, "The fee is due before the sale.", "The fee is due at 20 dollars."),
        ("fr", Want.TIME, "La caution est rendue dans un délai de deux mois.", "La caution est rendue."),
        ("de", Want.DUTY, "Der Mieter muss zahlen.", "Der Mieter zahlt."),
        ("en", Want.PERSON, "The Mayor appoints the inspector.", "It is green."),
    ],
)
def test_a_sentence_without_what_is_asked_for_is_worth_less(language: str, want: Want, good: str, poor: str) -> None:
    assert worth(good, frozenset({want}), language) == 1.0
    assert worth(poor, frozenset({want}), language) < 1.0
    assert worth(poor, frozenset(), language) == 1.0


def test_two_things_asked_about_must_be_met_and_a_named_provision_speaks_for_itself() -> None:
    both = {"interest": 2.0, "kite": 2.0}
    assert draft_extractive(context(TWO_SIDED), "interest on a kite", [], both, "en").claims == ()
    assert (
        draft_extractive(context(TWO_SIDED), "interest on a kite", [], {"interest": 2.0}, "en", ["kite"]).claims == ()
    )
    assert draft_extractive(context(TWO_SIDED), RULE, [], None, "en").claims


def test_of_a_provision_that_is_named_a_lead_in_is_told_with_its_items_only() -> None:
    opening = block(1, RULE, LEAD)
    item = block(2, f"{RULE}:a", "keep the deposit;").model_copy(update={"lead_in": LEAD})
    both = draft_extractive(context(opening, item), RULE, [], None, "en").claims
    assert [claim.text for claim in both] == [f"{LEAD} keep the deposit;"]
    alone = draft_extractive(context(opening), RULE, [], None, "en").claims
    assert [claim.text for claim in alone] == [LEAD]


@pytest.mark.parametrize("size", [1, 400])
def test_a_provision_that_is_named_is_told_whole_or_what_is_left_out_is_named(size: int) -> None:
    parts = [f"Part {number} of the deposit is held in trust{' and kept apart' * size}." for number in range(1, 4)]
    opening = f"{LEAD}\n{AFTER}"
    items = [
        block(number, f"{RULE}:{letter}", words).model_copy(update={"lead_in": LEAD, "parent_urn": RULE})
        for number, letter, words in ((2, "a", "keep the deposit; or"), (3, "b", "sell it."))
    ]
    others = [block(number, f"{RULE}:{number}", words) for number, words in enumerate(parts, start=4)]
    whole = context(block(1, RULE, opening, after=len(LEAD) + 1), *items, *others)
    drafted = draft_extractive(whole, RULE, [], None, "en")
    told = [f"{LEAD} keep the deposit; or sell it. {AFTER}", *parts]
    if size == 1:
        assert ([claim.text for claim in drafted.claims], drafted.left) == (told, ())
        return
    assert [claim.text for claim in drafted.claims] == told[:1]
    assert drafted.left == (f"{RULE}:4", f"{RULE}:5", f"{RULE}:6")
    done = synthesise(
        None, whole, RULE, build_prompt(whole, RULE, language="en"), [], None, language="en", deadline_seconds=60.0
    )
    [warning] = [warning for warning in done.warnings if warning.kind == "parts_left"]
    assert all(urn in warning.message for urn in drafted.left)
    assert "get_document" in warning.message


@pytest.mark.parametrize("question", ["interest", "Interest?", "What is interest?"])
def test_a_question_of_one_word_is_about_that_one_thing(question: str) -> None:
    claims = draft_extractive(context(TWO_SIDED), question, [], {"interest": 2.0}, "en", ["what"]).claims
    assert claims
    assert all("interest" in claim.text.lower() for claim in claims)


GUIDE = (
    "Guide to boat ramps and boat ramp fees\n\nEach boat ramp opens at 5 a.m. every day.\n\nFees\n\n"
    "A user of a boat ramp pays 8 dollars."
)
RAMPS = {"boat": 1.0, "ramp": 1.0, "fees": 2.0, "opens": 2.0, "user": 2.0, "pay": 2.0, "guide": 3.0}


def test_a_headline_of_a_plain_document_is_no_answer() -> None:
    for question, rarity in (("What are the boat ramp fees in the guide?", RAMPS), (RULE, None)):
        drafted = draft_extractive(context(block(1, RULE, GUIDE)), question, [], rarity, "en")
        assert not {claim.text for claim in drafted.claims} & {"Fees", GUIDE.split("\n")[0]}
    only = draft_extractive(context(block(1, RULE, "Schedule of the boat ramps")), RULE, [], None, "en")
    assert [claim.text for claim in only.claims] == ["Schedule of the boat ramps"]


@requirement("P11")
def test_two_questions_in_one_sentence_are_both_answered() -> None:
    first = "A regional council must appoint a harbourmaster for every harbour in its region."
    second = "The appointment takes effect on the day after it is notified in the Gazette."
    words = {"appoints": 3.0, "harbourmaster": 3.0, "appointment": 4.0, "take": 4.0, "effect": 4.0}
    question = "Who appoints the harbourmaster and when does the appointment take effect?"
    drafted = draft_extractive(context(block(1, RULE, f"{first} {second}")), question, [], words, "en")
    assert {claim.text for claim in drafted.claims} == {first, second}


def test_a_sentence_that_does_not_name_what_is_counted_comes_after_one_that_does() -> None:
    plain = "A tenant pays 20 dollars to the landlord before the rent is raised."
    named = "A landlord gives the tenant notice of 30 days before the rent."
    words = {"notice": 2.0, "landlord": 1.0, "tenant": 1.0, "rent": 1.0, "raised": 2.0, "pays": 2.0}
    question = "How much notice does a tenant get from the landlord before the rent is raised?"
    drafted = draft_extractive(context(block(1, RULE, f"{plain} {named}")), question, [], words, "en")
    assert drafted.claims[0].text == named


def test_the_words_that_ask_how_long_are_not_looked_for_in_the_answer() -> None:
    words = {"quickly": 9.0, "breach": 2.0, "notified": 2.0}
    text = "A breach shall be notified within 72 hours."
    drafted = draft_extractive(context(block(1, RULE, text)), "How quickly is a breach notified?", [], words, "en")
    assert [claim.text for claim in drafted.claims] == [text]


@pytest.mark.parametrize(
    ("language", "text", "question", "claims"),
    [
        (
            "en", "A lender may ask for a name. But it may not ask for the name of the husband.",
            "May a lender ask for the name of a husband?",
            ["A lender may ask for a name. But it may not ask for the name of the husband."],
        ),
        (
            "en", "A lender is a person. It is unlawful that a lender asks for the name of the husband.",
            "May a lender ask for the name of a husband?",
            ["It is unlawful that a lender asks for the name of the husband."],
        ),
        (
            "en", "A lender may ask for the name of a husband. But it may not ask for the name of the husband's bank.",
            "May a lender ask for the name of a husband?",
            ["A lender may ask for the name of a husband. But it may not ask for the name of the husband's bank."],
        ),
        (
            "fr", "Le prêteur demande un nom. Toutefois, le nom du mari n'est pas demandé par le prêteur.",
            "Le prêteur peut-il demander le nom du mari ?",
            ["Le prêteur demande un nom. Toutefois, le nom du mari n'est pas demandé par le prêteur."],
        ),
    ],
)  # fmt: skip
def test_a_sentence_that_leans_on_the_one_before_it_brings_it_along(
    language: str, text: str, question: str, claims: list[str]
) -> None:
    rarity = {"husband": 5.0, "mari": 5.0, "name": 2.0, "nom": 2.0, "lender": 1.0, "prêteur": 1.0, "ask": 1.0}
    drafted = draft_extractive(context(block(1, RULE, text)), question, [], rarity, language)
    assert [claim.text for claim in drafted.claims] == claims
    evidence = evidence_of(context(block(1, RULE, text)), language)
    assert [verify_claim(claim, evidence).level for claim in drafted.claims] == ["VERBATIM"]


def test_an_entry_whose_meaning_stands_in_its_parts_is_no_claim() -> None:
    entry = block(2, "urn:lex:us:x:9", "Deposit.", role="definition")
    given = (definition("urn:lex:us:x:9"),)
    drafted = draft_extractive(context(TWO_SIDED, entry, definitions=given), QUESTION, [], RARITY, "en")
    assert [claim.text for claim in drafted.claims] == [AFTER]


@pytest.mark.parametrize(
    ("language", "question", "answer", "other"),
    [
        (
            "en", "When may the landlord enter the home?",
            "Except in an emergency, no landlord shall enter the home.", "A landlord may sell the home after 5 days.",
        ),
        (
            "de", "Darf der Vermieter die Wohnung betreten?",
            "Das Betreten der Wohnung ist dem Vermieter untersagt.", "Der Vermieter darf die Wohnung verkaufen.",
        ),
    ],
)  # fmt: skip
def test_the_word_that_asks_what_may_be_is_not_looked_for_in_the_answer(
    language: str, question: str, answer: str, other: str
) -> None:
    words = {"may": 3.0, "darf": 3.0, "landlord": 1.0, "vermieter": 1.0, "home": 1.0, "wohnung": 1.0}
    rarity = {**words, "enter": 2.0, "betreten": 2.0}
    drafted = draft_extractive(context(block(1, RULE, f"{other} {answer}")), question, [], rarity, language)
    assert drafted.claims[0].text == answer


@requirement("P3")
@pytest.mark.parametrize("role", ["definition", "rule"])
def test_a_meaning_that_stands_in_a_list_comes_with_all_of_it(role: str) -> None:
    opens = "“Deposit” means:"
    nine = "urn:lex:us:x:9"
    items = ("money held for the tenant; or", "a promise of it, but not a fee.")
    parts = [
        block(3 + at, f"{nine}:{at}", text, role=role).model_copy(update={"parent_urn": nine, "lead_in": opens})
        for at, text in enumerate(items)
    ]
    law = context(TWO_SIDED, block(2, nine, opens, role=role), *parts, definitions=(definition(nine),))
    drafted = draft_extractive(law, QUESTION, [], RARITY, "en")
    assert [claim.text for claim in drafted.claims] == [AFTER, " ".join((opens, *items))]
    assert [cited.urn for cited in drafted.claims[1].citations] == [part.urn for part in parts]


def test_a_meaning_in_a_list_too_long_to_tell_is_left_to_the_context() -> None:
    opens, nine = "“Deposit” means:", "urn:lex:us:x:9"
    long = block(3, f"{nine}:1", "money held " * 300).model_copy(update={"parent_urn": nine, "lead_in": opens})
    law = context(TWO_SIDED, block(2, nine, opens, role="definition"), long, definitions=(definition(nine),))
    drafted = draft_extractive(law, QUESTION, [], RARITY, "en")
    assert [claim.text for claim in drafted.claims] == [AFTER]


@pytest.mark.parametrize(
    ("second", "named"),
    [
        ("A tenant may be charged a late fee within a year.", True),
        ("A late letter is sent.", False),
        ("No late fee may be charged to a tenant whose rent is late.", True),
    ],
)
def test_a_further_rule_that_answers_nearly_as_well_is_named(second: str, named: bool) -> None:
    first = "A tenant may be charged a late fee of 20 dollars."
    law = context(block(1, RULE, first), block(2, OTHER, second, rule=OTHER)).model_copy(
        update={"targets": [RULE, OTHER]}
    )
    drafted = draft_extractive(law, "May a tenant be charged a fee for late rent?", [], RENT, "en")
    assert drafted.others == ((OTHER,) if named else ())


def _list(opens: str, items: tuple[str, ...]) -> list[Block]:
    parts = [
        block(2 + at, f"{RULE}:{at}", text).model_copy(update={"parent_urn": RULE, "lead_in": opens})
        for at, text in enumerate(items)
    ]
    return [block(1, RULE, opens), *parts]


@requirement("P3")
@pytest.mark.parametrize(
    "opens", ["A late fee may be charged to a tenant if the rent:", "A late fee may be charged if the tenant"]
)
def test_a_lead_in_is_served_with_its_whole_list_and_never_without(opens: str) -> None:
    items = ("pays nothing for 5 days; or", "pays by a bad check.")
    blocks = _list(opens, items)
    drafted = draft_extractive(context(*blocks), "May a tenant be charged a late fee?", [], RENT, "en")
    assert [claim.text for claim in drafted.claims] == [" ".join((opens, *items))]
    assert [cited.urn for cited in drafted.claims[0].citations] == [block_.urn for block_ in blocks[1:]]


def test_a_list_too_long_to_tell_is_not_begun() -> None:
    opens = "A late fee may be charged to a tenant who"
    blocks = _list(opens, ("pays nothing, " * 300, "owns a boat."))
    drafted = draft_extractive(context(*blocks), "May a tenant be charged a late fee?", [], RENT, "en")
    assert opens not in [claim.text for claim in drafted.claims]
    assert all("pays nothing" not in claim.text for claim in drafted.claims)


def test_an_item_that_answers_better_than_its_list_comes_alone() -> None:
    opens = "A tenant may be charged:"
    blocks = _list(opens, ("a fee for late rent; or", "a fee for a key."))
    drafted = draft_extractive(context(*blocks), "May a tenant be charged a late rent fee?", [], RENT, "en")
    assert [claim.text for claim in drafted.claims] == [f"{opens} a fee for late rent; or"]


def test_an_item_that_answers_comes_with_its_sisters_where_they_hold_together() -> None:
    opens, items = "A tenant shall be charged:", ("a fee for late rent; and", "a fee for a key.")
    drafted = draft_extractive(context(*_list(opens, items)), "Is a tenant charged a late rent fee?", [], RENT, "en")
    assert [claim.text for claim in drafted.claims] == [" ".join((opens, *items))]


def test_a_recital_answers_only_where_no_article_does_as_well() -> None:
    said = "A tenant may be charged a late fee."
    recital, article = "urn:lex:eu:32020r0001:rec.7", "urn:lex:eu:32020r0001:7"
    law = context(block(1, recital, said, rule=recital), block(2, article, said, rule=article)).model_copy(
        update={"targets": [recital, article]}
    )
    drafted = draft_extractive(law, "May a tenant be charged a late fee?", [], RENT, "en")
    assert drafted.claims[0].citations[0].urn == article


def test_place_shows_an_item_where_its_list_is_too_long_to_show() -> None:
    lead = "An owner who takes a deposit shall do each of the following:"
    items = [
        f"keep record number {number} of what was paid, by whom, on which day and for which flat"
        for number in range(30)
    ]
    parts = [
        block(number + 2, f"{RULE}:{number}", text).model_copy(update={"lead_in": lead, "parent_urn": RULE})
        for number, text in enumerate(items)
    ]
    found = context(block(1, RULE, lead), *parts)
    [place] = places_of(found, QUESTION, [], RARITY, "en")
    assert (place.urn, place.sentence) == (f"{RULE}:0", f"{lead} {items[0]}")
    short = context(block(1, RULE, lead), *parts[:3])
    assert all(item in places_of(short, QUESTION, [], RARITY, "en")[0].sentence for item in items[:3])


def test_a_place_shows_the_sentence_nearest_in_meaning_where_words_tell_none() -> None:
    said = [
        "A member may bring two guests a month.",
        "Guests may not climb in the evening.",
        "Each guest signs a waiver.",
    ]
    found = context(block(1, RULE, " ".join(said)))

    def likeness(sentences: Sequence[str]) -> list[float]:
        return [0.2 * ("evening" in sentence) for sentence in sentences]

    asked = ("Can my friend come at 6 pm?", [], {"friend": 1.0}, "en")
    assert places_of(found, *asked)[0].sentence == said[0]
    assert places_of(found, *asked, likeness)[0].sentence == said[1]
    # All the words of a question are worth more than a similarity of 0.2.
    by_words = places_of(found, "Who signs a waiver?", [], {"signs": 1.0, "waiver": 1.0}, "en", likeness)
    assert by_words[0].sentence == said[2]


def test_a_place_is_not_about_the_word_by_which_a_question_asks() -> None:
    found = context(block(1, RULE, "A member may bring two guests a month."))

    def why(question: str) -> str:
        return places_of(found, question, [], {"may": 0.1}, "en")[0].why

    assert why("May I keep a crocodile?") == "found by a synonym or by its meaning; it shares no word with the question"
    assert why("May guests swim?") == "it speaks of guests"


def test_what_a_sentence_of_a_place_means_is_told_by_its_heading_and_lead_in_too() -> None:
    said = ["They last for a week.", "They last until the end of the year.", "They last for ten days."]
    parts = [
        block(number + 2, f"{RULE}:{number}", text).model_copy(update={"lead_in": lead, "heading": heading})
        for number, (text, lead, heading) in enumerate(
            zip(said, ("", "", "Of guests:"), ("", "Members", ""), strict=True)
        )
    ]
    found = context(*parts)

    def shown(word: str) -> str:
        def likeness(sentences: Sequence[str]) -> list[float]:
            return [float(word in sentence) for sentence in sentences]

        return places_of(found, "How long does it last?", [], {"long": 1.0}, "en", likeness)[0].sentence

    assert said[1] in shown("Members")
    assert said[2] in shown("Of guests:")


def test_a_place_shows_the_rule_and_no_definition_that_serves_it() -> None:
    own = "An owner returns what was paid in advance within 30 days."
    serving = block(2, OTHER, "“Deposit” means money that an owner takes as interest on what the owner may pay.")
    serving = serving.model_copy(update={"applies_to": [OTHER, RULE]})
    found = context(block(1, RULE, own), serving).model_copy(update={"targets": [RULE, OTHER]})
    assert [(place.urn, place.sentence == own) for place in places_of(found, QUESTION, [], RARITY, "en")] == [
        (RULE, True), (OTHER, False),
    ]  # fmt: skip


SELLER, PAYS = "A seller who holds the deposit of an owner:", "shall pay interest on the deposit."


@requirement("P3")
@pytest.mark.parametrize("size", [1, 3_000])
def test_a_sentence_that_goes_on_after_its_list_is_told_with_it_or_with_a_mark(size: int) -> None:
    rule = block(1, RULE, f"{SELLER}\n{PAYS}", after=len(SELLER) + 1)
    items = [
        block(number, f"{RULE}:{letter}", words).model_copy(
            update={"lead_in": SELLER, "flush": PAYS, "parent_urn": RULE}
        )
        for number, letter, words in ((2, "a", f"is told of it{' in time' * size}; and"), (3, "b", "has no claim,"))
    ]
    whole = f"{SELLER} {items[0].text} {items[1].text} {PAYS}"
    context_ = context(rule, *items)
    drafted = draft_extractive(context_, QUESTION, [], RARITY, "en")
    places = places_of(context_, QUESTION, [], RARITY, "en")
    told = [*(claim.text for claim in drafted.claims), *(place.sentence for place in places)]
    assert told
    assert all(f"{SELLER} {PAYS}" not in " ".join(one.split()) for one in told)
    if size == 1:
        assert whole in told


def test_a_sentence_whose_noun_takes_up_the_one_before_comes_with_it_where_the_question_has_words_of_that_one() -> None:
    first = "An owner who holds a deposit shall pay interest at 3 percent."
    due = "The interest is due each year, within 20 days after the anniversary."
    law = context(block(1, RULE, f"{first} {due}"))
    words = {"interest": 2.0, "deposit": 3.0, "due": 2.0}
    told = draft_extractive(law, "When is the interest on the deposit due?", [], words, "en")
    assert ([claim.text for claim in told.claims], told.unsure) == ([f"{first} {due}"], "")
    alone = draft_extractive(law, "When is the interest due?", [], words, "en")
    assert ([claim.text for claim in alone.claims], alone.unsure) == ([due], "")


@pytest.mark.parametrize("names", [("nr.10", "nr.2", "nr.1"), ("c", "b", "a")])
def test_a_list_is_told_in_the_order_of_its_numbers(names: tuple[str, ...]) -> None:
    opening = block(1, RULE, "An owner must return:")
    items = [
        block(2, f"{RULE}:{name}", f"the key {name};").model_copy(update={"parent_urn": RULE, "lead_in": opening.text})
        for name in names
    ]
    told = whole(opening, opening.text, [opening, *items], "en")
    assert [one.urn for one in told.citations] == [f"{RULE}:{name}" for name in reversed(names)]
