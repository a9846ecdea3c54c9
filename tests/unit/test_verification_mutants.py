"""Truth-known mutants of real and invented sentences: what the verifier must catch, and what it must let pass."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from lxml import etree

from rag.draft import DraftCitation, DraftClaim
from rag.sentences import split_sentences
from rag.verification import Evidence, EvidenceBlock, verbatim_fallback, verify_claim

DAY = date(2026, 1, 1)
URN = "urn:lex:us-dc:code:28-1:a"
Mutator = Callable[[str, random.Random], str | None]

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
    "The debtor shall not transfer the collateral only if the creditor objects at least 30 days before the sale.",
)


def _swap(text: str, pairs: dict[str, str], rng: random.Random) -> str | None:
    """Replace one occurrence of one key by its value, keeping a capital."""
    found = [
        match
        for match in re.finditer(
            r"\b(?:" + "|".join(sorted(map(re.escape, pairs), key=len, reverse=True)) + r")\b", text, re.I
        )
        if match[0].lower() in pairs and not (match[0] == "May" and match.start())
    ]
    if not found:
        return None
    match = rng.choice(found)
    new = pairs[match[0].lower()]
    return text[: match.start()] + (new.capitalize() if match[0][0].isupper() else new) + text[match.end() :]


NUMBER = re.compile(r"(?<![\w.:§$-])\d{1,3}(?![\w:~-]|\.\d)")
AMOUNT = re.compile(
    r"(?<![\w.:§$(-])\d{1,3}(?= (?:business |calendar )?(?:days?|months?|years?|weeks?|hours?|percent|or more)\b)"
)
WORD_NUMBERS = {
    "two": "three", "three": "two", "five": "six", "seven": "eight", "ten": "nine", "thirty": "sixty", "sixty": "forty",
    "ninety": "ten",
}  # fmt: skip


def number_changed(text: str, rng: random.Random) -> str | None:
    found = list(NUMBER.finditer(text))
    if not found:
        return _swap(text, WORD_NUMBERS, rng)
    match = rng.choice(found)
    return f"{text[: match.start()]}{int(match[0]) + rng.choice((1, 2, 10))}{text[match.end() :]}"


UNITS = {"days": "months", "day": "week", "months": "years", "month": "year", "years": "months", "year": "month",
         "hours": "days", "percent": "dollars", "weeks": "days", "business days": "days", "feet": "miles"}  # fmt: skip


def unit_changed(text: str, rng: random.Random) -> str | None:
    return _swap(text, UNITS, rng)


def not_dropped(text: str, rng: random.Random) -> str | None:
    found = list(re.finditer(r"\bnot ", text))
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + text[match.end() :]


def not_added(text: str, rng: random.Random) -> str | None:
    found = list(re.finditer(r"\b(?:shall|may|must|is|are)\b(?! not)", text))
    if not found:
        return None
    match = rng.choice(found)
    return f"{text[: match.end()]} not{text[match.end() :]}"


def modal_changed(text: str, rng: random.Random) -> str | None:
    """`No person shall` and `No person may`, `shall not` and `may not` mean the same: those are no mutants."""
    if re.search(
        r"\b(?:[Nn]o|[Nn]either|[Nn]othing|[Nn]one)\b[^.;:]*\b(?:shall|may)\b|\b(?:shall|may|must) not\b", text
    ):
        return None
    return _swap(text, {"shall": "may", "may": "shall", "must": "may"}, rng)


def and_or_changed(text: str, rng: random.Random) -> str | None:
    return _swap(text, {"and": "or", "or": "and"}, rng) if "and/or" not in text else None


COMPARATORS = {
    "not more than": "not less than", "not less than": "not more than", "at least": "at most",
    "no more than": "no less than",
    "more than": "less than", "less than": "more than", "before": "after", "after": "before",
    "within": "not earlier than",
    "not later than": "not earlier than", "exceeds": "is less than", "prior to": "after", "greater than": "less than",
    "or more": "or less", "or less": "or more", "exceeding": "under", "at most": "at least", "fewer than": "more than",
}  # fmt: skip


def comparator_flipped(text: str, rng: random.Random) -> str | None:
    return _swap(text, COMPARATORS, rng)


EXCEPTION = re.compile(
    r",? (?:unless|except(?: that| as| for)?|"
    r"provided,? that|subject to|notwithstanding|other than|only if)\b[^,;:.]{4,}"
)


def exception_dropped(text: str, rng: random.Random) -> str | None:
    found = list(EXCEPTION.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + text[match.end() :]


PARTIES = [
    "landlord", "tenant", "seller", "buyer", "lessor", "lessee", "debtor", "creditor", "court", "mayor", "secretary",
    "bank", "owner", "employer", "agent", "trustee", "consumer", "dealer", "lender", "borrower", "purchaser", "person",
    "director", "council", "commission", "issuer", "applicant",
]  # fmt: skip
PARTY = re.compile(r"\b(?:" + "|".join(PARTIES) + r")\b", re.I)


def party_replaced(text: str, rng: random.Random) -> str | None:
    found = list(PARTY.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    other = rng.choice([party for party in PARTIES if party != match[0].lower()])
    return text[: match.start()] + other + text[match.end() :]


def parties_swapped(text: str, rng: random.Random) -> str | None:
    found = list(PARTY.finditer(text))
    kinds = sorted({match[0].lower() for match in found})
    if len(kinds) < 2:
        return None
    one, two = rng.sample(kinds, 2)
    swapped = PARTY.sub(lambda match: {one: two, two: one}.get(match[0].lower(), match[0]), text)
    # Swapping round a conjunction says the same: `the buyer and the seller`.
    return (
        None
        if re.search(rf"{one}s? (?:and|or) (?:the |a )?{two}|" rf"{two}s? (?:and|or) (?:the |a )?{one}", text, re.I)
        else swapped
    )


def restriction_dropped(text: str, rng: random.Random) -> str | None:
    found = list(
        re.finditer(
            r",? (?:who|whose|whom|which|that (?:is|are|was|has|have|does))\b[^,;:.]{6,}?(?=[,;.]|$| shall| may| must)",
            text,
        )
    )
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + text[match.end() :]


CONSEQUENCES = (
    ", and is liable for treble damages", ", on pain of imprisonment", ", and the contract is void",
    " and shall pay a fine",
    ", which a criminal court will enforce", " and forfeits the property", ", with attorney's fees",
)  # fmt: skip


def consequence_added(text: str, rng: random.Random) -> str | None:
    return text.rstrip(" .") + rng.choice(CONSEQUENCES) + "."


def absolute_added(text: str, rng: random.Random) -> str | None:
    found = list(re.finditer(r"\b(?:shall|may|must|is|are)\b", text))
    if not found:
        return None
    match = rng.choice(found)
    return (
        text[: match.end()]
        + rng.choice((" in all cases", " always", " only", " automatically", " entirely"))
        + text[match.end() :]
    )


def _quote(text: str) -> str | None:
    text = text.strip(" ,")
    return text if len(text.split()) > 4 else None


def cut_no(text: str, rng: random.Random) -> str | None:
    return _quote(text[3:]) if text.startswith("No ") else None


def cut_not(text: str, rng: random.Random) -> str | None:
    match = re.search(r"\bnot ", text)
    return _quote(text[match.end() :]) if match else None


def cut_exception(text: str, rng: random.Random) -> str | None:
    match = EXCEPTION.search(text)
    return _quote(text[: match.start()]) if match else None


def cut_condition(text: str, rng: random.Random) -> str | None:
    match = re.match(r"(?:If|When|Where|Unless|Upon|Except)\b[^,]{4,}, ", text)
    return _quote(text[match.end() :]) if match else None


PLAIN = {
    "shall": "must", "pursuant to": "under", "prior to": "before", "subsequent to": "after",
    "not more than": "no more than",
    "not less than": "at least", "not later than": "no later than", "shall not": "must not", 
    "in the event that": "if",
    "commence": "begin", "terminates": "ends", "purchase": "buy", "any": "an", "where": "if", "when": "if",
    "such": "the", "in accordance with": "under", "is required to": "must", "may not": "must not",
    "other than": "except",
    "in excess of": "more than", "exceeding": "more than", "percent": "%", "furnish": "provide", "obtain": "get",
    "set forth in": "under", "each": "every", 
}  # fmt: skip


def paraphrase(text: str, rng: random.Random) -> str | None:
    """One to three rewordings that leave the meaning alone."""
    out = text
    if out.startswith("No ") and (match := re.match(r"No ([a-z]+) (?:shall|may) ", out)):
        out = f"A {match[1]} must not {out[match.end() :]}"
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.7:
            out = _swap(out, PLAIN, rng) or out
        else:
            out = AMOUNT.sub(
                lambda match: {"2": "two", "3": "three", "10": "ten", "30": "thirty"}.get(match[0], match[0]), out
            )
    if rng.random() < 0.3:
        out = (
            rng.choice(("Under this section, ", "The law provides that ", "Under D.C. law, "))
            + out[0].lower()
            + out[1:]
        )
    return out if out != text else None


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
            out += [one for one in sentences if re.search(r"\b(?:shall|may|must)\b", one) and one.endswith(".")]
        if len(out) >= count:
            break
    return out[:count]


def rate(mutator: Mutator, sentences: list[str], *, cut: bool = False) -> tuple[int, int, list[tuple[str, str]]]:
    """How many mutants there are, how many are caught, and those that are not."""
    rng = random.Random(mutator.__name__)
    missed: list[tuple[str, str]] = []
    total = 0
    for sentence in sentences:
        mutant = mutator(sentence, rng)
        if mutant is None or mutant == sentence:
            continue
        total += 1
        if total > ENOUGH:
            return ENOUGH, ENOUGH - len(missed), missed
        if passes(sentence, mutant, mutant if cut else None):
            missed.append((sentence, mutant))
    return total, total - len(missed), missed


OPERATOR_GOALS: list[tuple[Mutator, float, bool]] = [
    (number_changed, 0.99, False),
    (unit_changed, 0.99, False),
    (not_dropped, 0.99, False),
    (not_added, 0.99, False),
    (modal_changed, 0.99, False),
    (and_or_changed, 0.99, False),
    (comparator_flipped, 0.99, False),
    (exception_dropped, 0.99, False),
    (party_replaced, 0.99, False),
    (parties_swapped, 0.99, False),
    (restriction_dropped, 0.95, False),
    (consequence_added, 1.0, False),
    (absolute_added, 0.995, False),
    (cut_no, 0.99, True),
    (cut_not, 0.99, True),
    (cut_exception, 0.99, True),
    (cut_condition, 0.98, True),
]
ENOUGH = 70
NAMES = [mutator.__name__ for mutator, _, _ in OPERATOR_GOALS]


@pytest.fixture(scope="module", params=["28", "42"])
def real_sentences(request: pytest.FixtureRequest, shared_data: Path) -> list[str]:
    sentences = dc_sentences(shared_data, request.param, 500)
    assert len(sentences) == 500
    return sentences


@pytest.mark.parametrize(("mutator", "goal", "cut"), OPERATOR_GOALS, ids=NAMES)
def test_a_mutant_of_an_invented_sentence_is_caught(mutator: Mutator, goal: float, cut: bool) -> None:
    total, caught, missed = rate(mutator, list(INVENTED), cut=cut)
    assert total
    assert caught == total, missed


@pytest.mark.data
@pytest.mark.parametrize(("mutator", "goal", "cut"), OPERATOR_GOALS, ids=NAMES)
def test_mutants_of_real_sentences_are_caught_at_the_goal(
    mutator: Mutator, goal: float, cut: bool, real_sentences: list[str]
) -> None:
    total, caught, missed = rate(mutator, real_sentences, cut=cut)
    assert total
    assert caught >= goal * total, missed


@pytest.mark.data
def test_a_whole_real_sentence_is_never_withheld(real_sentences: list[str]) -> None:
    assert [one for one in real_sentences[:200] if not passes(one, one)] == []


@pytest.mark.data
def test_at_most_four_of_a_hundred_made_paraphrases_are_withheld(real_sentences: list[str]) -> None:
    rng = random.Random(1)
    pairs = [(one, other) for one in [*real_sentences[:150], *INVENTED] if (other := paraphrase(one, rng)) is not None]
    withheld = [(one, other) for one, other in pairs if not passes(one, other)]
    assert len(pairs) > 100
    assert len(withheld) <= 0.04 * len(pairs), withheld


def test_no_made_paraphrase_of_an_invented_sentence_is_withheld() -> None:
    rng = random.Random(2)
    pairs = [(one, other) for one in INVENTED * 5 if (other := paraphrase(one, rng)) is not None]
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
