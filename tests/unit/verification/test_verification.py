"""The verifier on small invented law: every check, list structures, other languages, fallback."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from drafted_claims import BLOCK, DAY, FEE, URN, claim, evidence, paraphrase_of

from rag.verification.claims import (
    CHECKS,
    DESCRIPTIONS,
    VERDICTS,
    Evidence,
    EvidenceBlock,
    Reason,
    verbatim_fallback,
    verify_claim,
)
from rag.verification.draft import DraftCitation, DraftClaim
from retrieval.errors import InputError

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
    Reason.RELATION_CHANGED: paraphrase_of("The fee is held for the bank.", "The fee is held by the bank."),
    Reason.VOICE_CHANGED: paraphrase_of("The seller shall be paid.", "The seller shall pay."),
    Reason.ABSOLUTE_CHANGED: paraphrase_of("The fee is due.", "The fee is always due."),
    Reason.REFERENCE_CHANGED: paraphrase_of("The fee is due under § 5(b).", "The fee is due under § 5(c)."),
    Reason.NEW_CONTENT: paraphrase_of("The fee is due.", "The fee is due with interest."),
    Reason.CONTENT_OMITTED: paraphrase_of("The cleaning fee is due monthly.", "The fee is due."),
    Reason.WORDS_MOVED: paraphrase_of("The big roof of the house leaks.", "The roof of the big house leaks."),
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
    first = VERDICTS[next(reason for reason in checked.reasons if reason in VERDICTS)]
    assert checked.verdict == ("ALTERED" if any(refutation.decides for refutation in checked.refuted) else first)


@pytest.mark.parametrize("reason", [check.reason for check in CHECKS])
def test_deleting_a_check_is_noticed(reason: Reason) -> None:
    without = tuple(check for check in CHECKS if check.reason is not reason)
    assert len(without) == len(CHECKS) - 1
    # A refuter may give the same reason.
    assert verify_claim(*FAILING[reason], checks=without, refuters=()) != verify_claim(*FAILING[reason], refuters=())


def test_every_reason_is_described_and_every_failure_has_a_verdict() -> None:
    assert set(DESCRIPTIONS) == set(Reason)
    assert {check.reason for check in CHECKS} <= set(VERDICTS)


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


@pytest.mark.parametrize(
    "more",
    ["The fee, money, is due.", "The illegal fee is due.", "The fee is due. You win.", "The fee is due by mail."],
)
def test_no_word_is_lent_by_a_definition_or_by_anybody_else(more: str) -> None:
    fee = EvidenceBlock(URN, "The fee is due.")
    definition = EvidenceBlock(
        f"{URN}:9", "“Fee” means money that is illegal, whoever may win it by mail.", "definition"
    )
    checked = verify_claim(claim(more, fee.text), evidence(fee, definition))
    assert (checked.level, Reason.NEW_CONTENT in checked.reasons) == ("WITHHELD", True)


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (
            "A landlord of a residential unit shall return the initial deposit and the interest to the tenant after a "
            "reasonable time.",
            "A landlord of a{} unit shall return the{} deposit and the interest to the tenant after a{} time.",
        )
    ],
)
def test_an_adjective_is_never_left_out(sentence: str, text: str) -> None:
    words = (" residential", " initial", " reasonable")
    assert verify_claim(*paraphrase_of(sentence, text.format(*words))).level == "VERBATIM"
    for gone in range(3):
        kept = ["" if place == gone else word for place, word in enumerate(words)]
        assert Reason.CONTENT_OMITTED in verify_claim(*paraphrase_of(sentence, text.format(*kept))).reasons


@pytest.mark.parametrize(
    ("sentence", "text", "served"),
    [
        ("The seller conveys title to the barn.", "The seller conveys to the barn.", False),
        ("Title passes to the trust.", "Title passes by the trust.", False),
        ("The seller may use the barn.", "Under this title, the seller may use the barn.", True),
        ("Both parties shall sign.", "Either party shall sign.", False),
        ("It shall be unlawful to enter.", "It is unlawful to enter.", True),
        ("The tenant shall be entitled to a receipt.", "The tenant is entitled to a receipt.", True),
        ("The tenant shall be entitled to a receipt.", "The tenant may be entitled to a receipt.", False),
        ("The tenant shall not be liable.", "The tenant is liable.", False),
        ("The agent shall be a resident.", "The agent is a resident.", False),
        ("The fee is due unless excluded by the lease.", "The fee is due unless it is excluded by the lease.", True),
        ("The fee is due at the time the lease ends.", "The fee is due when the lease ends.", True),
    ],
)
def test_what_carries_law_is_told_from_what_does_not(sentence: str, text: str, served: bool) -> None:
    assert (verify_claim(*paraphrase_of(sentence, text)).level != "WITHHELD") is served


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # An operator that the same words do not have in the law: something else is said.
        ("No landlord shall demand a deposit of more than 3 months' rent from a tenant.", "ALTERED"),
        ("A landlord may demand a deposit from a tenant.", "UNVERIFIED"),  # a doubt
        ("No landlord shall demand a deposit of more than 2 months' rent from a tenant who keeps a cat, unless the "
         "Mayor has approved the lease.", "UNVERIFIED"),
        # Another word, summed up, or about something else: neither proven.
        ("No landlord shall demand more than a tenant who keeps a dog.", "UNVERIFIED"),
        ("Deposits in buildings with elevators are regulated by the housing administration.", "UNVERIFIED"),
    ],
)  # fmt: skip
def test_what_is_altered_is_told_from_what_is_not_shown_to_be_the_same(text: str, verdict: str) -> None:
    found = verify_claim(claim(text), evidence())
    assert (found.level, found.verdict) == ("WITHHELD", verdict)


def test_defined_terms_count_as_parties() -> None:
    text = "The alpha pays the beta."
    swapped = claim("The beta pays the alpha.", text)
    assert verify_claim(swapped, evidence(EvidenceBlock(URN, text))).reasons == (Reason.WORDS_MOVED,)
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
    assert (checked.level, [citation.urn for citation in checked.citations]) == ("CHECKED", [other.urn])


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


@pytest.mark.parametrize(
    "block", [replace(BLOCK, overridden=True), replace(BLOCK, valid_to=DAY), EvidenceBlock(URN, "Else.")]
)
def test_there_is_no_fallback_without_a_valid_citation(block: EvidenceBlock) -> None:
    assert verbatim_fallback(claim("Anything."), evidence(block)) is None


def test_there_is_no_fallback_to_active_content() -> None:
    block = EvidenceBlock(URN, "See http://example.gov for the fee.")
    assert verbatim_fallback(claim("Anything.", "for the fee"), evidence(block)) is None
