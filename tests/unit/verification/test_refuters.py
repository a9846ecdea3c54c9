"""What contradicts the law is told from what is only worded otherwise, and neither is served: refuters, levels."""

from __future__ import annotations

import hashlib
import random
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_verification_mutants import INVENTED

from evals.suites.fidelity.operators import OPERATORS, SCOPE_OPERATORS
from evals.suites.fidelity.paraphrases import paraphrase
from rag.languages.text import fold, locate
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.ledger import QUOTED, Record
from rag.verification.model import CheckedClaim, Evidence, EvidenceBlock, Reason
from rag.verification.refuters import REFUTERS

URN = "urn:lex:us-dc:code:42-1:a"
DAY = date(2026, 1, 1)


def verify(law: str, claim: str, language: str = "en", **options: object) -> CheckedClaim:
    """Verify a claim that cites all of the law."""
    evidence = Evidence((EvidenceBlock(URN, law),), DAY, language)
    return verify_claim(DraftClaim(claim, (DraftCitation(URN, law),)), evidence, **options)  # pyright: ignore[reportArgumentType]


DEPOSIT = (
    "The landlord shall return the deposit to the tenant within 45 days after the tenancy ends, unless the tenant owes "
    "rent under section 12."
)
ENTRY = "A landlord may not retain any part of the deposit for ordinary wear."
OBJECTION = "An objection must be filed at least 30 days before the hearing."
MIETE = "Der Vermieter darf die Kaution nicht einbehalten, wenn der Mieter die Miete binnen drei Monaten zahlt."
BAIL = "Le bailleur doit restituer le dépôt au locataire dans un délai de deux mois à compter de la remise des clés."

KOKUCHI = "使用者は、労働者を解雇しようとする場合においては、少なくとも三十日前にその予告をしなければならない。"

CONTRADICTIONS = [
    ("number", Reason.NUMBER_CHANGED, "ja", KOKUCHI, "解雇の予告は60日前にする。"),
    ("unit", Reason.UNIT_CHANGED, "ja", KOKUCHI, "解雇の予告は三十年前にする。"),
    ("modality", Reason.MODALITY_CHANGED, "ja", KOKUCHI, "労働者を解雇しようとする場合には、予告をしてはならない。"),
    ("number", Reason.NUMBER_CHANGED, "en", DEPOSIT, "Once the tenancy is over, you get the money back in 60 days."),
    ("number", Reason.NUMBER_CHANGED, "de", MIETE, "Zahlt der Mieter in fünf Monaten, so bleibt ihm die Kaution."),
    ("number", Reason.NUMBER_CHANGED, "fr", BAIL, "Vous récupérez votre argent au bout de six mois."),
    ("unit", Reason.UNIT_CHANGED, "en", DEPOSIT, "The tenant gets the money back within 45 weeks."),
    ("unit", Reason.UNIT_CHANGED, "de", MIETE, "Wer drei Jahre hat, um zu zahlen, behält die Kaution."),
    ("unit", Reason.UNIT_CHANGED, "fr", BAIL, "L'argent est rendu au bout de deux ans."),
    ("comparator", Reason.COMPARATOR_CHANGED, "en", OBJECTION, "You file your objection at most 30 days before it."),
    ("comparator", Reason.COMPARATOR_CHANGED, "en", OBJECTION, "Objections come at least 30 days after the hearing."),
    ("modality", Reason.MODALITY_CHANGED, "en", DEPOSIT, "The landlord may return the deposit to the tenant."),
    ("modality", Reason.MODALITY_CHANGED, "en", ENTRY, "Landlords are entitled to retain part of the deposit."),
    ("modality", Reason.MODALITY_CHANGED, "fr", BAIL, "Le bailleur peut restituer le dépôt au locataire."),
    ("negation", Reason.NEGATION_CHANGED, "de", MIETE, "Der Vermieter darf die Kaution einbehalten."),
    ("exception", Reason.EXCEPTION_CHANGED, "en", DEPOSIT, DEPOSIT.replace("unless", "if")),
    ("exception", Reason.EXCEPTION_CHANGED, "en", DEPOSIT, f"{DEPOSIT.partition(', unless')[0]}."),
    ("number", Reason.NUMBER_CHANGED, "en", "A motion needs two thirds of the members.",
     "A motion needs a majority of the members."),
    ("reference", Reason.REFERENCE_CHANGED, "en", DEPOSIT, "Rent under section 13 is set off."),
    ("number", Reason.NUMBER_CHANGED, "en", "The owner is liable for the amount withheld.",
     "The owner is liable for double the amount withheld."),
    ("number", Reason.NUMBER_CHANGED, "en", "The owner is liable for double the amount withheld.",
     "The owner is liable for the amount withheld."),
    ("number", Reason.NUMBER_CHANGED, "en", "The owner is liable for three times the amount withheld.",
     "The owner is liable for twice the amount withheld."),
    ("unit", Reason.UNIT_CHANGED, "en", "On the balance, interest runs at 5 percent a month until it is paid.",
     "You pay 5 percent per year."),
    ("modality", Reason.MODALITY_CHANGED, "en", "Only an owner may request an election.",
     "Nobody may request an election."),
    ("comparator", Reason.COMPARATOR_CHANGED, "en", "The term of the lease does not exceed four months.",
     "The term of the lease exceeds four months."),
    ("comparator", Reason.COMPARATOR_CHANGED, "en", "A fee may not be more than 40 dollars in a month.",
     "A fee may be more than 40 dollars in a month."),
    ("negation", Reason.NEGATION_CHANGED, "en", "The fee shall not apply to a tenant, nor shall it apply to an owner.",
     "The fee shall apply to a tenant and it shall apply to an owner."),
    ("number", Reason.NUMBER_CHANGED, "en", "A fine of $500 is due within 30 days.",
     "You pay a fine of $700 within 30 days."),
    ("modality", Reason.MODALITY_CHANGED, "en", "The auto dealer has no duty to send a pricing notice to the buyer. "
     "The bank shall send the pricing notice to the buyer.",
     "The auto dealer has to send the pricing notice to the buyer."),
    ("unit", Reason.UNIT_CHANGED, "en", "A credit of $2,000 is given in the tax year.",
     "A credit of 2,000 euros is given in the tax year."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "reason", "language", "law", "claim"), CONTRADICTIONS)
def test_a_contradiction_is_found_by_its_own_refuter_and_altered_where_one_that_decides_finds_it(
    name: str, reason: Reason, language: str, law: str, claim: str
) -> None:
    found = verify(law, claim, language)
    decided = any(QUOTED[refutation.reason].decides for refutation in found.refuted)
    assert (found.level, found.verdict) == ("WITHHELD", "ALTERED" if decided else "UNVERIFIED")
    assert reason in [refutation.reason for refutation in found.refuted]
    without = tuple(refuter for refuter in REFUTERS if refuter.name != name)
    assert reason not in [refutation.reason for refutation in verify(law, claim, language, refuters=without).refuted]


def test_the_ledger_has_a_row_for_each_refuter_and_what_decides_was_right_nine_times_in_ten() -> None:
    assert {str(refuter.reason) for refuter in REFUTERS} == QUOTED.keys()
    deciding = {str(reason) for reason, record in QUOTED.items() if record.decides}
    assert deciding == {Reason.NUMBER_CHANGED, Reason.UNIT_CHANGED, Reason.REFERENCE_CHANGED}
    records = [Record(9, 1), Record(8, 2), Record(3, 0), Record(3, 0, strict=True), Record(7, 3, strict=True)]
    assert [record.decides for record in records] == [True, False, False, True, False]


HONEST = [
    ("en", "The centre must, if required by the assembly, pay to the chief executive such pension as it may set. The "
     "centre may pay to the members such fees as it may set.",
     "If the assembly requires it, the centre must pay to the chief executive the pension that is set."),
    ("en", "A petition must state clear grounds why such questions were not and could not have been presented earlier.",
     "It has to give clear grounds why those questions were not, and could not have been, presented earlier."),
    ("en", "The bylaws shall provide whether or not there shall be officers in addition to the members of the board.",
     "Whether there are officers in addition to the board's members is a matter for the bylaws."),
    ("de", "Jeder Kreis hat mindestens drei Stimmen, Kreise mit mehr als zwei Millionen Einwohnern haben vier, Kreise "
     "mit mehr als sechs Millionen Einwohnern fünf Stimmen.",
     "Dort hat jeder Kreis mindestens drei, ein Kreis mit mehr als sechs Millionen Einwohnern fünf Stimmen."),
    ("en", "The deposit is returned within 45 days, and 5 percent a year is added to it.",
     "To a deposit of $900, 5 percent a year is added once it goes back within 45 days."),
    ("en", "Except as otherwise provided, the board shall make a public announcement at least seven days prior to a "
     "hearing. A hearing may be held with less than seven days notice if the board so votes.",
     "In general, the board must publicly announce a hearing at least seven days beforehand."),
    ("en", "The owner shall give the tenants a reasonable period to bargain, and shall not require less than 120 days "
     "from receipt of the statement. The owner shall require a signed offer.",
     "The owner may not require a bargaining period of less than 120 days from receipt of the statement."),
    ("en", "An issuer is not liable to a person for the loss if the person does not obtain an order in the time given.",
     "To hold the issuer liable for the loss, the person has to have obtained an order in the time given."),
    ("en", "Only an owner may request an election or send notice of it to the tenants.",
     "Nobody but an owner may request an election or send notice of it."),
    ("en", "Where the data subject objects to the processing, the data shall no longer be processed for such purposes.",
     "Once you object to the processing, your data may no longer be processed for those purposes."),
    ("en", "The penalties of this chapter shall not apply to an officer of the State, nor to a person acting for him.",
     "None of the penalties applies to an officer of the State, or to a person acting for him."),
    ("en", "No arbitration agreement or waiver of joint action shall be valid with respect to a case under State law.",
     "No arbitration agreement and no waiver of joint action is valid with respect to a case under State law."),
    ("en", "A lease is for a period exceeding four months and a total obligation not exceeding the threshold amount.",
     "A lease is for a period of more than four months and a total obligation that does not exceed the threshold "
     "amount."),
    ("en", "Volume is high when the number of requests during any 24 hour period is more than 125 percent of the "
     "rolling daily average.",
     "Volume is high when more people ask within any twenty-four hours than 125 percent of the rolling daily average."),
    ("en", "The trustee shall not be entitled to more than 1 such allowance in addition to his commission.",
     "No more than one of them may be added to the commission."),
    ("en", "Payments may not exceed 50% of the candidate's spending limit.",
     "Payments may not go beyond half of the candidate's spending limit."),
    ("en", "A $2,000 income tax credit is given in the tax year of the purchase.",
     "There is an income tax credit of $2,000 for the tax year of the purchase."),
    ("en", "The owner is liable for three times the amount withheld.", "You get triple what was withheld."),
    ("fr", "L'inscription ne peut avoir lieu que pour une somme et sur des immeubles déterminés.",
     "L'inscription suppose une somme déterminée et des immeubles déterminés."),
    ("ja", KOKUCHI, "会社が労働者を解雇するときは、30日前までに知らせる必要がある。"),
    ("en", DEPOSIT, "You get your deposit back no later than 45 days after you move out. Owing rent is the exception."),
    ("en", DEPOSIT, "Unless there is rent owing under section 12, the deposit goes back to the tenant in 45 days."),
    ("en", ENTRY, "The landlord is not entitled to retain the deposit to pay for ordinary wear."),
    ("en", ENTRY, "Ordinary wear gives the landlord no right to keep part of the deposit."),
    ("en", ENTRY, "Two things follow: wear is at the landlord's cost, and the tenant gets all of the money."),
    ("en", OBJECTION, "There must be thirty days or more between your objection and the hearing."),
    ("en", "The fee is one half of the rent.", "It costs you 50 percent of what you pay in rent."),
    ("en", "The notice runs for a month.", "You have 30 days."),
    ("en", "The appeal lies within 24 months.", "You may appeal for two years."),
    ("en", "The Mayor shall not exercise the option unless at least 25% of the units are affordable.",
     "The Mayor may use the option only if at least a quarter of the units, 25%, are affordable."),
    ("en", "“Agent” means a person employed by a landlord to collect rent.", "Agents are those a landlord employs."),
    ("en", "The seller may be harmed by the buyer in the sale.", "The buyer may harm the seller in the sale."),
    ("en", "If the day is a holiday or other nonbusiness day in the District, the next day counts.",
     "A holiday, or a day that is no business day in the District, does not end it; the next day counts."),
    ("en", "If a majority of the members vote, the motion is carried.",
     "It takes more than half of the members for the motion."),
    ("de", MIETE, "Hat der Mieter innerhalb von 3 Monaten gezahlt, muss der Vermieter ihm die Kaution zurückgeben."),
    ("de", "Die Verjährung tritt nach einer dreijährigen Frist ein.", "Nach drei Jahren ist der Anspruch verjährt."),
    ("de", "Geschäftsunfähig ist, wer nicht das siebente Lebensjahr vollendet hat.",
     "Kinder unter sieben Jahren sind geschäftsunfähig."),
    ("de", "Der Annehmende ist dem Angenommenen vor den leiblichen Verwandten des Angenommenen zum "
     "Unterhalt verpflichtet. Die Wirkungen erstrecken sich nicht auf die Verwandten des Annehmenden.",
     "Unterhalt schuldet er vor den leiblichen Verwandten des Angenommenen."),
    ("en", "The Mayor shall not exercise the opportunity unless 25% of the rental units are affordable. An affordable "
     "unit is a rental unit in an accommodation with low rent.",
     "The opportunity may not be exercised unless 25% of the rental units in the accommodation are affordable."),
    ("de", "Jeder trägt die Hälfte der Kosten.", "Auf jeden entfallen 50 Prozent der Kosten."),
    ("fr", BAIL, "Une fois les clés remises, votre propriétaire a 2 mois pour rendre l'argent."),
    ("fr", "Le locataire paie la moitié des frais.", "50 % des frais sont à votre charge."),
    ("fr", "Le mineur non émancipé ne pourra disposer que par testament.",
     "Le mineur non émancipé peut disposer, mais par testament seulement."),
    ("de", "Die Ersitzung ist ausgeschlossen, wenn der Erwerber später die Sache verliert.",
     "Ausgeschlossen ist die Ersitzung, wenn der Erwerber später die Sache verliert."),
    ("en", "The rent charged may, at the election of the housing provider, be increased. The housing provider shall "
     "disclose the increase to the tenant on a form.", "The housing provider may elect to raise the rent."),
    ("en", "A lease of more than 3 units shall be recorded.", "The lease of eleven units has to go on record."),
    ("en", "The Administrator shall publish lists and indexes of registered designs and cancellations of designs and "
     "may also publish the drawings or other representations of registered designs for sale.",
     "The drawings or other representations of registered designs may be published by the Administrator for sale."),
    ("de", "Ein Ehegatte kann ein Kind seines Ehegatten allein annehmen.",
     "Das Kind seines Ehegatten kann ein Ehegatte allein annehmen."),
    ("en", "No meeting shall be held before the end of the period of 28 days beginning with the date of the previous "
     "meeting.",
     "After a meeting, a period of 28 days that starts with the date of that meeting has to come to its end before "
     "another one is held."),
    ("en", "It shall be commenced not later than the earlier of either the date that is 10 years after the misconduct "
     "occurred, or 1 year after the misconduct is made known.",
     "It must start 10 years after the misconduct or 1 year after it is made known, whichever of the two days is the "
     "earlier."),
    ("en", "The person appointed (or where two or more persons are so appointed, at least one of those persons) shall "
     "be a person who is not a police officer or a person employed in the civil service.",
     "At least one of those appointed must be neither a police officer nor a person employed in the civil service."),
    ("de", "Der Verkäufer ist nicht gebunden, wenn er die Äußerung nicht kannte und auch nicht kennen konnte oder wenn "
     "sie den Käufer nicht beeinflussen konnte.",
     "Daran ist der Verkäufer nicht gebunden, wenn er die Äußerung weder kannte noch kennen konnte oder wenn sie den "
     "Käufer nicht beeinflussen konnte."),
    ("en", "The owner has not less than two months from the date a copy is given to him to file a statement. Within a "
     "period of two months from the date of service, that person may file a reply to any statement of the owner.",
     "That person may then, within two months from the date of service, file a reply to the statement."),
]  # fmt: skip


@pytest.mark.parametrize(("language", "law", "claim"), HONEST)
def test_another_wording_is_unknown_and_not_altered(language: str, law: str, claim: str) -> None:
    found = verify(law, claim, language)
    assert (found.level, found.verdict, found.refuted) == ("WITHHELD", "UNVERIFIED", ())


def test_who_acts_in_the_passive_may_bear_a_defined_name() -> None:
    law = "“Transfer agent” means a person employed by a corporation to transfer securities."
    claim = DraftClaim("Transfer agents are those whom a corporation employs.", (DraftCitation(URN, law),))
    evidence = Evidence((EvidenceBlock(URN, law),), DAY, terms=("transfer agent", "corporation"))
    assert verify_claim(claim, evidence).refuted == ()


def test_a_term_in_small_letters_is_no_party() -> None:
    law = "He is unfit to discharge his functions as a member of the Board."
    claim = DraftClaim("He is unfit to carry out a Board member's functions.", (DraftCitation(URN, law),))
    terms = ("functions", "Board")
    assert verify_claim(claim, Evidence((EvidenceBlock(URN, law),), DAY, terms=terms)).refuted == ()


def test_a_heading_contradicts_nothing() -> None:
    law = "Subsection (a) shall not apply to a nonprofit library, archives or museum."
    evidence = Evidence((EvidenceBlock(URN, law, heading="Limitation for nonprofit library, archives or museum"),), DAY)
    claim = "Nonprofit libraries, archives and museums are not subject to subsection (a)."
    assert verify_claim(DraftClaim(claim, (DraftCitation(URN, law),)), evidence).refuted == ()


def test_a_number_of_another_cited_sentence_or_of_the_heading_is_the_laws() -> None:
    blocks = (
        EvidenceBlock(URN, "The tenant shall give notice.", heading="Notice of 60 days"),
        EvidenceBlock(f"{URN}:1", "It is given 10 days before rent is due."),
    )
    claim = "You give notice, in all 60 days and with 10 more days before the rent."
    cited = tuple(DraftCitation(block.urn, block.text) for block in blocks)
    assert verify_claim(DraftClaim(claim, cited), Evidence(blocks, DAY)).verdict == "UNVERIFIED"
    assert verify_claim(DraftClaim(claim, cited[:1]), Evidence(blocks[:1], DAY)).verdict == "ALTERED"


def test_sentences_that_a_statement_needs_are_cited_as_well_and_those_beside_it_only_for_their_numbers() -> None:
    rules = "The Mayor may propose rules to implement this chapter. They shall be submitted to the Council for review."
    blocks = (
        EvidenceBlock(f"{URN}:a", rules),
        EvidenceBlock(f"{URN}:b", "The Council shall hold a public hearing within 45 days."),
    )
    evidence = Evidence(blocks, DAY)
    cited = (DraftCitation(f"{URN}:a", "They shall be submitted to the Council for review."),)

    def needs(claim: str) -> list[str]:
        found = verify_claim(DraftClaim(claim, cited), evidence)
        assert (found.verdict, found.citations[0].sentence) == ("UNVERIFIED", cited[0].quote)
        return [citation.sentence for citation in found.citations[1:]]

    assert needs("Rules that the Mayor proposes have to go to the Council.") == [rules.partition(" They")[0]]
    assert needs("What is submitted is heard by the Council within 45 days.") == [blocks[1].text]
    assert needs("Whatever is submitted is for the Council to hold a public hearing on.") == []
    number = verify_claim(DraftClaim("It shall be submitted to the Council within 60 days.", cited), evidence)
    assert (number.verdict, len(number.citations)) == ("ALTERED", 1)


@given(st.sampled_from(INVENTED), st.sampled_from(INVENTED))
def test_no_refuter_fires_on_the_laws_own_sentences(one: str, other: str) -> None:
    found = verify(f"{one} {other}", one)
    assert (found.level, found.refuted) == ("VERBATIM", ())


def test_without_a_judge_the_same_claims_are_served_as_before_refuters_were_told_apart() -> None:
    levels = [
        verify(sentence, mutant).level[0]
        for sentence in INVENTED
        for operator in (*OPERATORS, *SCOPE_OPERATORS)
        for seed in range(3)
        if (mutant := operator.mutate(sentence, random.Random(seed))) is not None
    ]
    levels += [
        verify(sentence, text).level[0]
        for sentence in INVENTED
        for seed in range(9)
        if (text := paraphrase(sentence, random.Random(seed))) is not None
    ]
    # Recorded with the verifier of commit a637d32.
    assert (len(levels), hashlib.sha256("".join(levels).encode()).hexdigest()[:16]) == LEVELS


LEVELS = (485, "c9b4373fc1bfb254")


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Return the deposit", "return the deposit"),
        ("the landlord shall return", "The landlord shall return"),
        ("return The deposit", ""),
        ("eturn the deposit", ""),
    ],
)
def test_a_quote_may_begin_with_another_case_and_its_span_has_the_laws_words(quote: str, found: str) -> None:
    spans = locate(quote, DEPOSIT)
    assert [fold(DEPOSIT[start:end]) for start, end in spans] == ([found] if found else [])
    assert (verify(DEPOSIT, DEPOSIT).level, bool(spans)) == ("VERBATIM", bool(found))


@pytest.mark.parametrize("unit", ["The landlord shall pay 30 days, ", "a. ", "1,", "if ", "a-", "(", "é", "[", "a@"])
def test_five_megabytes_end_at_once(unit: str) -> None:
    text = unit * (5_000_000 // len(unit))
    evidence = Evidence((EvidenceBlock(URN, DEPOSIT),), DAY)
    begun = time.process_time()
    long_claim = verify_claim(DraftClaim(text, (DraftCitation(URN, DEPOSIT),)), evidence)
    long_quote = verify_claim(DraftClaim(DEPOSIT, (DraftCitation(URN, text),)), evidence)
    assert (long_claim.verdict, long_claim.reasons) == ("UNVERIFIED", (Reason.CLAIM_TOO_LONG,))
    assert (long_quote.level, long_quote.verdict) == ("WITHHELD", "MISQUOTED")
    assert time.process_time() - begun < 3


LEASES = "The term does not include a lease for agricultural, business, or commercial purposes or a lease to an owner."
ESTATES = "No estate, whether for life or for years, or any trust of the same, shall be created except by deed."
PERIODS = "The Director may, for good cause shown, extend the period by 6 months, and may adjust the periods."


@pytest.mark.parametrize(
    ("law", "claim"),
    [
        (
            LEASES,
            "A lease for agricultural, business, or commercial purposes and a lease to an owner are not included.",
        ),
        (ESTATES, "No estate for life or for years shall be created except by deed."),
        (PERIODS, "The Director may extend the period by 6 months, and the period may be adjusted for good cause."),
    ],
)
def test_what_is_denied_or_turned_at_another_place_is_no_contradiction(law: str, claim: str) -> None:
    assert verify(law, claim).refuted == ()


@pytest.mark.parametrize(
    ("law", "claim"),
    [
        ("No fee or charge shall be imposed on a resident.", "A fee or no charge shall be imposed on a resident."),
        ("No member or guest may enter the hall.", "A member or no guest may enter the hall."),
        ("No dog or cat shall be kept.", "A dog or no cat shall be kept."),
    ],
)
def test_no_before_one_of_two_alternatives_does_not_deny_both(law: str, claim: str) -> None:
    assert verify(law, claim).verdict in {"ALTERED", "UNVERIFIED"}
