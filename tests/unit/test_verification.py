"""The verifier on small invented law: every check, list structures, other languages, fallback."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from rag.draft import Draft, DraftCitation, DraftClaim
from rag.verification import (
    CHECKS,
    DESCRIPTIONS,
    VERDICTS,
    Evidence,
    EvidenceBlock,
    Reason,
    verbatim_fallback,
    verify_claim,
    verify_draft,
)
from retrieval.errors import InputError

DAY = date(2026, 1, 1)
URN = "urn:lex:us-dc:code:42-3502.17:b"
FEE = (
    "No landlord shall demand a deposit of more than 2 months' rent from a tenant who keeps a dog, unless the Mayor "
    "has approved the lease."
)
BLOCK = EvidenceBlock(URN, FEE)


def evidence(*blocks: EvidenceBlock, language: str = "en", scenario: str = "") -> Evidence:
    return Evidence(blocks or (BLOCK,), DAY, language, scenario)


def claim(text: str, quote: str = FEE, urn: str = URN) -> DraftClaim:
    return DraftClaim(text, (DraftCitation(urn, quote),))


def paraphrase_of(sentence: str, text: str) -> tuple[DraftClaim, Evidence]:
    return claim(text, sentence), evidence(EvidenceBlock(URN, sentence))


FORBIDDEN = "urn:lex:us:doc:elsewhere"
# One case per reason: a claim that would be served, or withheld for less, without the check of this reason.
FAILING: dict[Reason, tuple[DraftClaim, Evidence]] = {
    Reason.EMPTY_CLAIM: (claim(" . "), evidence()),
    Reason.ACTIVE_CONTENT: paraphrase_of("See www.example.gov for it.", "See www.example.gov for it."),
    Reason.NO_CITATION: (DraftClaim(FEE, ()), evidence()),
    Reason.URN_MALFORMED: (
        DraftClaim(FEE, (DraftCitation(URN, FEE), DraftCitation("urn:lex:us-dc:cоde:42", FEE))),
        evidence(),
    ),
    Reason.URN_NOT_IN_CONTEXT: (
        DraftClaim(FEE, (DraftCitation(URN, FEE), DraftCitation(FORBIDDEN, FEE))),
        evidence(),
    ),
    Reason.NOT_IN_FORCE: (claim(FEE), evidence(replace(BLOCK, valid_to=DAY))),
    Reason.OVERRIDDEN: (claim(FEE), evidence(replace(BLOCK, overridden=True))),
    Reason.QUOTE_TOO_SHORT: (claim(FEE, "a dog"), evidence()),
    Reason.QUOTE_NOT_IN_NODE: (claim(FEE, "shall demand a deposit of more than 3 months"), evidence()),
    Reason.LANGUAGE_NOT_CHECKED: (claim("A landlord must not demand it."), evidence(language="ja")),
    Reason.CLAIM_TOO_LONG: paraphrase_of("The fee " * 2000 + "is due.", "A fee " * 2000 + "is due."),
    Reason.QUOTE_CUT: (claim("demand a deposit of more than", "demand a deposit of more than"), evidence()),
    Reason.NUMBER_CHANGED: paraphrase_of("The fee is 5 dollars.", "The fee is 6 dollars."),
    Reason.UNIT_CHANGED: paraphrase_of("The fee is due in 5 days.", "The fee is due in 5 weeks."),
    Reason.MODALITY_CHANGED: paraphrase_of("The tenant shall pay.", "The tenant may pay."),
    Reason.NEGATION_CHANGED: paraphrase_of("The fee is not due.", "The fee is due."),
    Reason.COMPARATOR_CHANGED: paraphrase_of("It is due before the sale.", "It is due after the sale."),
    Reason.CONNECTIVE_CHANGED: paraphrase_of("The rent and the fee are due.", "The rent or the fee are due."),
    Reason.EXCEPTION_CHANGED: paraphrase_of("The fee is due unless waived.", "The fee is due, waived."),
    Reason.CONDITION_CHANGED: paraphrase_of("The fee is due if demanded.", "The fee is due until demanded."),
    Reason.PARTY_CHANGED: paraphrase_of("The seller pays the buyer.", "The buyer pays the seller."),
    Reason.VOICE_CHANGED: paraphrase_of("The seller shall be paid.", "The seller shall pay."),
    Reason.ABSOLUTE_CHANGED: paraphrase_of("The fee is due.", "The fee is always due."),
    Reason.REFERENCE_CHANGED: paraphrase_of("The fee is due under § 5(b).", "The fee is due under § 5(c)."),
    Reason.NEW_CONTENT: paraphrase_of("The fee is due.", "The fee is due with interest."),
    Reason.CONTENT_OMITTED: paraphrase_of("The cleaning fee is due monthly.", "The fee is due."),
    Reason.WORDS_MOVED: (
        claim("Le preneur paie le bailleur.", "Le bailleur paie le preneur."),
        evidence(EvidenceBlock(URN, "Le bailleur paie le preneur."), language="fr"),
    ),
    Reason.RESTRICTION_DROPPED: paraphrase_of(
        "The big old red stone house, which burned, has a long oak stair, ten iron doors and green glass lamps.",
        "The big old red stone house has a long oak stair, ten iron doors and green glass lamps.",
    ),
    Reason.QUALIFIER_DROPPED: paraphrase_of(
        "The big old landlord shall promptly repair the red roof, the oak stair, the iron doors and the green lamps.",
        "The big old landlord shall repair the red roof, the oak stair, the iron doors and the green lamps.",
    ),
    Reason.LIST_INCOMPLETE: (
        claim("The landlord must repair the unit", "repair the unit; or"),
        evidence(EvidenceBlock(f"{URN}:1", "repair the unit; or", lead_in="The landlord shall:"),
                 EvidenceBlock(f"{URN}:2", "pay the tenant.", lead_in="The landlord shall:")),
    ),
}  # fmt: skip
FAILING[Reason.LIST_INCOMPLETE] = (
    claim("The landlord must repair the unit", "repair the unit; or", f"{URN}:1"),
    FAILING[Reason.LIST_INCOMPLETE][1],
)


@pytest.mark.parametrize("reason", [check.reason for check in CHECKS])
def test_a_claim_that_breaks_one_rule_is_withheld_for_it(reason: Reason) -> None:
    checked = verify_claim(*FAILING[reason])
    assert checked.level == "WITHHELD"
    assert reason in checked.reasons
    assert checked.verdict == VERDICTS[next(one for one in checked.reasons if one in VERDICTS)]


@pytest.mark.parametrize("reason", [check.reason for check in CHECKS])
def test_deleting_a_check_is_noticed(reason: Reason) -> None:
    without = tuple(check for check in CHECKS if check.reason is not reason)
    assert len(without) == len(CHECKS) - 1
    assert verify_claim(*FAILING[reason], checks=without) != verify_claim(*FAILING[reason])


def test_every_reason_is_described_and_every_failure_has_a_verdict() -> None:
    assert set(DESCRIPTIONS) == set(Reason)
    assert {check.reason for check in CHECKS} == set(VERDICTS)


def test_the_whole_sentence_is_verbatim_with_its_span() -> None:
    checked = verify_claim(claim(FEE, "demand a deposit of more than"), evidence())
    (citation,) = checked.citations
    assert (checked.level, checked.verdict, checked.reasons) == ("VERBATIM", "SUPPORTED", ())
    assert FEE[citation.start : citation.end] == citation.quote == "demand a deposit of more than"
    assert (citation.sentence, citation.sentence_start, citation.sentence_end) == (FEE, 0, len(FEE))


def test_typographic_marks_and_spaces_make_no_difference() -> None:
    block = EvidenceBlock(URN, "The “fee”\u00a0is the\n landlord’s cost — e\u0301tage 2\u20115.")
    checked = verify_claim(
        claim('The "fee" is the landlord\'s cost - \u00e9tage 2-5', "landlord's cost - \u00e9tage"), evidence(block)
    )
    assert checked.level == "VERBATIM"
    assert checked.citations[0].quote == "landlord’s cost — e\u0301tage"


@pytest.mark.parametrize(
    "text",
    [
        "A landlord must not demand a deposit of more than two months' rent from a tenant who keeps a dog, unless the "
        "Mayor has approved the lease.",
        "Under § 42-3502.17(b), no landlord may demand a deposit exceeding 2 months' rent from a tenant who keeps a "
        "dog, unless the Mayor has approved the lease.",
        "Unless the Mayor has approved the lease, no landlord shall demand a deposit of more than 2 months' rent from "
        "a tenant who keeps a dog.",
    ],
)
def test_a_faithful_paraphrase_is_checked(text: str) -> None:
    checked = verify_claim(claim(text), evidence())
    assert checked.level == "CHECKED", checked.reasons


def test_a_leading_condition_may_move_to_the_end() -> None:
    checked = verify_claim(
        *paraphrase_of("If the rent is late, the fee is due.", "The fee is due if the rent is late.")
    )
    assert checked.level == "CHECKED"


@pytest.mark.parametrize("start", ["If a lessor", "Under the law, if a lessor"])
def test_parties_swapped_across_a_condition_are_noticed(start: str) -> None:
    sentence = "If a lessee is in default, the lessor may cancel the lease."
    checked = verify_claim(*paraphrase_of(sentence, f"{start} is in default, the lessee may cancel the lease."))
    assert Reason.PARTY_CHANGED in checked.reasons


@pytest.mark.parametrize(
    "quote",
    [
        "landlord shall demand a deposit of more than 2 months' rent from a tenant who keeps a dog, unless the Mayor "
        "has approved the lease.",
        "No landlord shall demand a deposit of more than 2 months' rent from a tenant who keeps a dog",
    ],
)
def test_a_true_quote_that_hides_an_operator_is_altered(quote: str) -> None:
    checked = verify_claim(claim(quote, quote), evidence())
    assert (checked.level, checked.verdict) == ("WITHHELD", "ALTERED")
    assert Reason.QUOTE_CUT in checked.reasons


def test_without_whole_sentences_the_cut_quote_would_pass() -> None:
    quote = "landlord shall demand a deposit of more than 2 months' rent"
    assert verify_claim(claim(quote, quote), evidence()).level == "WITHHELD"
    assert verify_claim(claim(quote, quote), evidence(), expand=lambda _t, a, b, _l: ((a, b),)).level == "VERBATIM"


def test_a_figure_is_not_quoted_out_of_a_longer_figure() -> None:
    block = EvidenceBlock(URN, "The fee is 15 days of rent or 1.5 days of rent.")
    for quote in ("5 days of rent", "5 days of rent or 1"):
        assert verify_claim(claim(block.text, quote), evidence(block)).verdict == "MISQUOTED"
    assert verify_claim(claim(block.text, "15 days of"), evidence(block)).level == "VERBATIM"


def test_a_repeated_quote_takes_the_first_and_says_so() -> None:
    block = EvidenceBlock(URN, "The fee is due now. The fee is due later.")
    checked = verify_claim(claim("The fee is due now.", "The fee is due"), evidence(block))
    assert (checked.level, checked.citations[0].start, checked.reasons) == ("VERBATIM", 0, (Reason.QUOTE_REPEATED,))


@pytest.mark.parametrize(
    ("valid_from", "valid_to", "verdict"),
    [
        (DAY, None, "SUPPORTED"),
        (date(2026, 1, 2), None, "NOT_IN_FORCE"),
        (None, DAY, "NOT_IN_FORCE"),
        (None, date(2026, 1, 2), "SUPPORTED"),
    ],
)
def test_validity_is_half_open(valid_from: date | None, valid_to: date | None, verdict: str) -> None:
    block = replace(BLOCK, valid_from=valid_from, valid_to=valid_to)
    assert verify_claim(claim(FEE), evidence(block)).verdict == verdict


def test_the_version_in_force_is_the_one_that_is_quoted() -> None:
    old = EvidenceBlock(URN, "The fee is 5 dollars.", valid_to=DAY)
    new = EvidenceBlock(URN, "The fee is 6 dollars.", valid_from=DAY)
    assert verify_claim(claim(old.text, old.text), evidence(old, new)).verdict == "MISQUOTED"
    assert verify_claim(claim(new.text, new.text), evidence(old, new)).level == "VERBATIM"


def test_two_spellings_of_a_jurisdiction_are_one_urn() -> None:
    block = EvidenceBlock("urn:lex:ma:940cmr:3.17:4", FEE)
    checked = verify_claim(claim(FEE, urn="urn:lex:us-ma:940CMR:3.17:4"), evidence(block))
    assert (checked.level, checked.citations[0].urn) == ("VERBATIM", block.urn)


def test_evidence_with_a_bad_urn_is_refused() -> None:
    with pytest.raises(InputError):
        evidence(EvidenceBlock("somewhere", FEE))


LEAD = "No person shall, in the District:"
LEAF = EvidenceBlock(f"{URN}:1", "demand a pet fee; or", lead_in=LEAD)
LAST = EvidenceBlock(f"{URN}:2", "demand a second deposit.", lead_in=LEAD)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("No person shall, in the District: demand a pet fee; or", "VERBATIM"),
        ("No person shall, in the District demand a pet fee", "VERBATIM"),
        ("A person must not, in the District, demand a pet fee.", "CHECKED"),
        ("demand a pet fee", "WITHHELD"),
        ("A person may, in the District, demand a pet fee.", "WITHHELD"),
    ],
)
def test_a_list_leaf_is_judged_with_its_lead_in(text: str, level: str) -> None:
    checked = verify_claim(claim(text, "demand a pet fee", LEAF.urn), evidence(LEAF, LAST))
    assert checked.level == level, checked.reasons
    assert checked.citations[0].lead_in == LEAD


def test_lead_in_and_leaves_cited_together_make_one_norm() -> None:
    parent = EvidenceBlock(URN, LEAD)
    cited = tuple(DraftCitation(block.urn, block.text) for block in (parent, LEAF, LAST))
    for text, level in (
        ("No person shall, in the District: demand a pet fee; or demand a second deposit.", "VERBATIM"),
        ("A person may not, in the District, demand a pet fee or demand a second deposit.", "CHECKED"),
        ("A person may not, in the District, demand a pet fee and demand a second deposit.", "WITHHELD"),
    ):
        assert verify_claim(DraftClaim(text, cited), evidence(parent, LEAF, LAST)).level == level, text


def test_flush_text_finishes_the_sentence() -> None:
    block = EvidenceBlock(
        f"{URN}:1", "breaks a lock;", lead_in="A person who:", flush="shall pay a fine of 100 dollars."
    )
    whole = "A person who breaks a lock; shall pay a fine of 100 dollars."
    assert (
        verify_claim(claim("A person who breaks a lock", "breaks a lock", block.urn), evidence(block)).level
        == "WITHHELD"
    )
    assert verify_claim(claim(whole, "breaks a lock", block.urn), evidence(block)).level == "VERBATIM"


def test_a_whole_sentence_under_a_neutral_lead_in_stands_alone() -> None:
    block = EvidenceBlock(URN, "“Fee” means money owed.", lead_in="For the purposes of this chapter, the term:")
    assert verify_claim(claim("“Fee” means money owed.", "means money owed"), evidence(block)).level == "VERBATIM"
    block = replace(block, text="Rent is due.", lead_in="The following does not apply:")
    assert verify_claim(claim("Rent is due.", "Rent is due"), evidence(block)).level == "WITHHELD"


def test_conditions_that_hold_together_are_not_stated_alone() -> None:
    lead = "The tenant may leave if:"
    blocks = (
        EvidenceBlock(f"{URN}:1", "the roof leaks; and", lead_in=lead),
        EvidenceBlock(f"{URN}:2", "the Mayor agrees.", lead_in=lead),
    )
    checked = verify_claim(
        claim("The tenant may leave if the roof leaks.", "the roof leaks", f"{URN}:1"), evidence(*blocks)
    )
    assert checked.level == "VERBATIM"
    assert checked.limited
    checked = verify_claim(
        claim("A tenant is allowed to leave if the roof leaks.", "the roof leaks", f"{URN}:1"), evidence(*blocks)
    )
    assert Reason.LIST_INCOMPLETE in checked.reasons


def test_an_open_sentence_is_limited() -> None:
    checked = verify_claim(claim(LEAD, LEAD), evidence(EvidenceBlock(URN, LEAD)))
    assert checked.limited
    assert Reason.OPEN_SENTENCE in checked.reasons


@pytest.mark.parametrize(
    ("sentence", "note"),
    [
        ("The fee of § 5 is due.", Reason.CROSS_REFERENCE),
        ("It is not due and not payable.", Reason.NEGATION_SCOPE),
        ("Rent and fee are 5 and 6 dollars respectively.", Reason.RESPECTIVELY),
        ("The fee is 3 + 4 dollars.", Reason.TABLE_OR_FORMULA),
    ],
)
def test_what_a_check_does_not_cover_is_said(sentence: str, note: Reason) -> None:
    checked = verify_claim(*paraphrase_of(sentence, f"The law says that {sentence}"))
    assert (checked.level, checked.limited) == ("CHECKED", True)
    assert note in checked.reasons


def test_words_may_come_from_the_facts_and_from_definitions_that_apply() -> None:
    fee = EvidenceBlock(URN, "The fee is due.")
    definition = EvidenceBlock(f"{URN}:9", "“Fee” means money.", role="definition")
    unrelated = EvidenceBlock(f"{URN}:9", "“Levy” means money.", role="definition")
    text = claim("The fee, money, is due.", fee.text)
    assert verify_claim(text, evidence(fee)).level == "WITHHELD"
    assert verify_claim(text, evidence(fee, definition)).level == "CHECKED"
    assert verify_claim(text, evidence(fee, unrelated)).level == "WITHHELD"
    assert verify_claim(text, evidence(fee, scenario="He wants money.")).level == "CHECKED"


def test_defined_terms_count_as_parties() -> None:
    text = "The alpha pays the beta."
    swapped = claim("The beta pays the alpha.", text)
    assert verify_claim(swapped, evidence(EvidenceBlock(URN, text))).reasons == (Reason.ORDER_CHANGED,)
    known = Evidence((EvidenceBlock(URN, text),), DAY, terms=("alpha", "beta"))
    assert Reason.PARTY_CHANGED in verify_claim(swapped, known).reasons


def test_one_citation_that_fails_withholds_the_claim() -> None:
    both = DraftClaim(FEE, (DraftCitation(URN, FEE), DraftCitation(URN, "something else entirely")))
    checked = verify_claim(both, evidence())
    assert (checked.level, checked.verdict, len(checked.citations)) == ("WITHHELD", "MISQUOTED", 1)


def test_a_superfluous_citation_is_left_out() -> None:
    other = EvidenceBlock(f"{URN}:2", "The court may waive the fee.")
    both = DraftClaim(
        "The law says that the court may waive a fee.", (DraftCitation(URN, FEE), DraftCitation(other.urn, other.text))
    )
    checked = verify_claim(both, evidence(BLOCK, other))
    assert (checked.level, [one.urn for one in checked.citations]) == ("CHECKED", [other.urn])


def test_other_languages_are_served_verbatim_only() -> None:
    block = EvidenceBlock("urn:lex:es:doc:x:1", "Nadie puede pedir una fianza. Así es.")
    spanish = evidence(block, language="es")
    whole = claim("Nadie puede pedir una fianza.", "pedir una fianza", block.urn)
    assert verify_claim(whole, spanish).level == "VERBATIM"
    checked = verify_claim(claim("Se puede pedir una fianza.", "pedir una fianza", block.urn), spanish)
    assert (checked.verdict, checked.reasons) == ("UNVERIFIED", (Reason.LANGUAGE_NOT_CHECKED,))


def test_japanese_quotes_need_no_spaces() -> None:
    block = EvidenceBlock("urn:lex:jp:doc:x", "甲は支払う。乙は受け取る。")
    japanese = evidence(block, language="ja")
    assert verify_claim(claim("乙は受け取る。", "乙は受け取る", block.urn), japanese).level == "VERBATIM"
    assert verify_claim(claim("乙は受け取る。", "乙", block.urn), japanese).verdict == "MISQUOTED"


def test_the_fallback_is_the_whole_sentence_with_lead_in() -> None:
    fallback = verbatim_fallback(claim("Pet fees are fine.", "a pet fee", LEAF.urn), evidence(LEAF, LAST))
    assert fallback is not None
    assert (fallback.text, fallback.level) == (f"{LEAD} {LEAF.text}", "VERBATIM")
    again = verify_claim(claim(fallback.text, "a pet fee", LEAF.urn), evidence(LEAF, LAST))
    assert again.level == "VERBATIM"


@pytest.mark.parametrize(
    "block", [replace(BLOCK, overridden=True), replace(BLOCK, valid_to=DAY), EvidenceBlock(URN, "Else.")]
)
def test_there_is_no_fallback_without_a_valid_citation(block: EvidenceBlock) -> None:
    assert verbatim_fallback(claim("Anything."), evidence(block)) is None


def test_there_is_no_fallback_to_active_content() -> None:
    block = EvidenceBlock(URN, "See http://example.gov for the fee.")
    assert verbatim_fallback(claim("Anything.", "for the fee"), evidence(block)) is None


def test_a_draft_is_checked_claim_by_claim_in_order() -> None:
    checked = verify_draft(Draft((claim(FEE), claim("The fee is free."))), evidence())
    assert [one.level for one in checked] == ["VERBATIM", "WITHHELD"]
