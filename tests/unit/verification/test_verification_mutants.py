"""Truth-known mutants of real and invented sentences: what the verifier must catch, and what it must let pass."""

from __future__ import annotations

import random
import re
from datetime import date
from pathlib import Path

import pytest
from lxml import etree

from evals.suites.fidelity.operators import OPERATORS, SCOPE_OPERATORS, Operator
from evals.suites.fidelity.paraphrases import paraphrase
from rag.languages.sentences import split_sentences
from rag.verification.claims import Evidence, EvidenceBlock, verbatim_fallback, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim

DAY = date(2026, 1, 1)
URN = "urn:lex:us-dc:code:28-1:a"

INVENTED = (
    (
        "No landlord shall demand a security deposit of more than 1 month's rent from a tenant, unless the "
        "tenant keeps 2 or more dogs and the Mayor has approved the lease."
    ),
    (
        "The landlord shall return the deposit to the tenant within 45 days after the tenancy ends, except "
        "that the landlord may keep an amount not exceeding $250 for cleaning or repairs."
    ),
    (
        "If the seller fails to deliver the goods before the agreed date, the buyer may cancel the contract "
        "and must notify the seller in writing not later than ten business days after the failure."
    ),
    (
        "A lender who charges interest at a rate greater than 24 percent per year shall refund the excess to "
        "the borrower."
    ),
    (
        "The Mayor may not issue a license to an applicant who has been convicted of fraud within the 5 years"
        " before the application, other than an applicant who has received a pardon."
    ),
    (
        "A consumer may bring an action against the dealer or the manufacturer within 3 years, provided that "
        "the consumer has given notice of the defect to the dealer."
    ),
    (
        "Subject to the approval of the court, the trustee shall pay at least one-half of the income to the "
        "beneficiary each year and may invest the rest."
    ),
    (
        "The contractor shall send the owner a notice under section 12 and shall keep a copy of it for 2 years; the "
        "owner must pay the contractor within 30 days."
    ),
    "The owner is not liable to a guest for a loss that is caused by the negligence of the guest.",
    "The debtor shall not transfer the collateral only if the creditor objects at least 30 days before the sale.",
)


def passes(sentence: str, claim: str, quote: str | None = None) -> bool:
    """Whether a claim over this sentence is served, the quote being the sentence unless another is given."""
    evidence = Evidence((EvidenceBlock(URN, sentence),), DAY)
    return verify_claim(DraftClaim(claim, (DraftCitation(URN, quote or sentence),)), evidence).level != "WITHHELD"


def dc_sentences(data: Path, title: str, count: int) -> list[str]:
    """Norm sentences of one title of the D.C. Code, sampled by a fixed seed."""
    files = sorted((data / "dc-code-xml/us/dc/council/code/titles" / title / "sections").glob("*.xml"))
    rng = random.Random(7)
    rng.shuffle(files)
    out: list[str] = []
    for file in files:
        root = etree.parse(file, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
        for element in root.iter("{*}text"):
            if any(True for _ in element.iterancestors("{*}annotations", "{*}table")):
                continue
            text = " ".join("".join(element.itertext()).split())
            sentences = [text[start:end] for start, end in split_sentences(text)]
            out += [
                sentence
                for sentence in sentences
                if re.search(r"\b(?:shall|may|must)\b", sentence) and sentence.endswith(".")
            ]
        if len(out) >= count:
            break
    return out[:count]


def rate(operator: Operator, sentences: list[str]) -> tuple[int, int, list[tuple[str, str]]]:
    """How many mutants there are, how many are caught, and those that are not."""
    rng = random.Random(operator.name)
    missed: list[tuple[str, str]] = []
    total = 0
    for sentence in sentences:
        mutant = operator.mutate(sentence, rng)
        if mutant is None:
            continue
        total += 1
        if total > ENOUGH:
            return ENOUGH, ENOUGH - len(missed), missed
        if passes(sentence, mutant, mutant if operator.cut else None):
            missed.append((sentence, mutant))
    return total, total - len(missed), missed


HARD = [operator for operator in (*OPERATORS, *SCOPE_OPERATORS) if operator.hard]
ENOUGH = 70
NAMES = [operator.name for operator in HARD]


@pytest.fixture(scope="module", params=["28", "42"])
def real_sentences(request: pytest.FixtureRequest, shared_data: Path) -> list[str]:
    sentences = dc_sentences(shared_data, request.param, 500)
    assert len(sentences) == 500
    return sentences


@pytest.mark.parametrize("operator", HARD, ids=NAMES)
def test_a_mutant_of_an_invented_sentence_is_caught(operator: Operator) -> None:
    total, caught, missed = rate(operator, list(INVENTED))
    assert total
    assert caught == total, missed


@pytest.mark.data
@pytest.mark.parametrize("operator", HARD, ids=NAMES)
def test_mutants_of_real_sentences_are_caught_at_the_goal(operator: Operator, real_sentences: list[str]) -> None:
    total, caught, missed = rate(operator, real_sentences)
    assert total
    assert caught >= operator.goal * total, missed


@pytest.mark.data
def test_a_whole_real_sentence_is_never_withheld(real_sentences: list[str]) -> None:
    assert [real_sentence for real_sentence in real_sentences[:200] if not passes(real_sentence, real_sentence)] == []


@pytest.mark.data
def test_at_most_four_of_a_hundred_made_paraphrases_are_withheld(real_sentences: list[str]) -> None:
    rng = random.Random(1)
    pairs = [
        (real_sentence, other)
        for real_sentence in [*real_sentences[:150], *INVENTED]
        if (other := paraphrase(real_sentence, rng)) is not None
    ]
    withheld = [(one, other) for one, other in pairs if not passes(one, other)]
    assert len(pairs) > 100
    assert len(withheld) <= 0.04 * len(pairs), withheld


def test_no_made_paraphrase_of_an_invented_sentence_is_withheld() -> None:
    rng = random.Random(2)
    pairs = [(value, other) for value in INVENTED * 5 if (other := paraphrase(value, rng)) is not None]
    assert [pair for pair in pairs if not passes(*pair)] == []


@pytest.mark.data
def test_the_fallback_of_a_cut_quote_is_its_whole_sentence(real_sentences: list[str]) -> None:
    for sentence in real_sentences[:60]:
        words = sentence.split()
        quote = " ".join(words[2:8])
        claim = DraftClaim("The landlord wins.", (DraftCitation(URN, quote),))
        evidence = Evidence((EvidenceBlock(URN, sentence),), DAY)
        fallback = verbatim_fallback(claim, evidence)
        assert fallback is not None
        assert fallback.text == sentence
        assert verify_claim(DraftClaim(fallback.text, claim.citations), evidence).level == "VERBATIM"
