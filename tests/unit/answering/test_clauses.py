"""A sentence answers where it says all of what is asked, of the same actor, with a figure of the kind asked for."""

from __future__ import annotations

import pytest

from rag.answering.extractive.clauses import asked_of, takes_up
from rag.languages.registry import language_of
from rag.languages.stems import WORD

INTEREST = (
    "An owner who holds a security deposit for one year shall pay the tenant interest on the security deposit at the "
    "rate of 3 percent a year."
)
DEDUCT = (
    "If the owner does not pay the interest when it is due, the tenant may deduct it from the next payment of rent."
)
ENTRY = (
    "Except in an emergency, an owner shall not enter a unit without the consent of the tenant, given 30 hours before."
)
CALLS = "A creditor shall not call a debtor more than 3 times in any period of 7 days."
LIST = "It is an abusive practice for a seller to do any of the following: call a person at night; or sell a used car."
PUBLISHED = "The Director may supply copies of drawings of patents and published applications in electronic form."
RETURNED = (
    "Notwithstanding section 2, an owner who has taken a deposit shall return it within 40 days after the tenancy."
)
KEPT = (
    "An owner shall not: retain any part of a deposit for more than 25 days after the tenancy, unless damage is listed."
)
COMPLAINT = "A complaint about a decision of the warden must be made to the Board within 20 days."
GUEST = "A tenant may house a guest without payment for 14 nights."
LICENCE = "The Registrar may refuse a licence if the applicant has been convicted of an offence."
OBJECTION = "The panel must decide within 30 days after the objection is lodged."
REMOVED = "A constable may remove a boat that blocks the lock and whose owner cannot be found within one hour."
OPTION = "Only one club may exercise the option to purchase the field in which two clubs have an interest."
DUTY = "It is the duty of the keeper of a dog to register the dog."
COPIES = "The Archivist shall copy such deeds as may, in his view, need copying in order to preserve the originals."
WRITTEN = "Each notice of default shall be in writing and shall name the fee."
ERLAUBNIS = "Der Mieter darf einen Baum ohne Erlaubnis fällen."
VERMIETER = "Der Vermieter hat dem Mieter die Kaution innerhalb von drei Monaten zurückzuzahlen."
BAILLEUR = "Le bailleur restitue le dépôt au locataire dans un délai de deux mois."


def lacks(question: str, sentence: str, language: str = "en") -> str:
    """What the sentence lacks, all words that are not idle being known to the law and equally rare."""
    words = {word for word in WORD.findall(question.lower()) if word not in language_of(language).idle}
    return min(
        (part.lacks(sentence) for part in asked_of(question, [], dict.fromkeys(words, 1.0), [], language)), key=len
    )


@pytest.mark.parametrize(
    ("question", "sentence", "answers"),
    [
        ("Must the owner pay interest on the security deposit?", INTEREST, True),
        ("Must the tenant pay interest on the security deposit?", INTEREST, False),
        ("Who must pay interest on the security deposit?", INTEREST, True),
        ("What rate of interest must the owner pay on my security deposit?", INTEREST, True),
        ("May the owner raise the rent by 3 percent a year?", INTEREST, False),
        ("May the tenant deduct the interest from the rent?", DEDUCT, True),
        ("May the owner deduct the interest from the rent?", DEDUCT, False),
        ("May the tenant deduct the rent from the security deposit?", DEDUCT, False),
        ("May the owner enter the unit without the consent of the tenant?", ENTRY, True),
        ("May the tenant enter the unit without the consent of the owner?", ENTRY, False),
        ("May the owner enter the unit after 2 days?", ENTRY, True),  # both measure time
        ("May the owner enter the unit for 20 dollars?", ENTRY, False),
        ("How much may the owner ask to enter the unit?", ENTRY, False),
        ("How often may a creditor call a debtor?", CALLS, True),
        ("How often may a creditor call a debtor in one week?", CALLS, True),
        ("May a debtor call a creditor?", CALLS, False),
        ("Does a notice of default have to be in writing?", WRITTEN, True),
        ("Must the club purchase the field?", OPTION, False),
        ("Do the two clubs have an interest in the option to purchase?", OPTION, False),
        ("Must the keeper of a dog register the dog?", DUTY, True),
        ("Where are the originals of deeds preserved?", COPIES, False),
        ("Must the Archivist copy deeds?", COPIES, True),
        ("Must the warden make a complaint within 20 days?", COMPLAINT, False),
        ("Does the Board have to complain within 20 days?", COMPLAINT, False),
        ("May a tenant house a guest without payment?", GUEST, True),
        ("May a tenant house a guest for payment?", GUEST, False),
        ("May the Registrar refuse a licence if the applicant has been convicted of an offence?", LICENCE, True),
        ("May the applicant refuse a licence if the Registrar has been convicted of an offence?", LICENCE, False),
        ("Must the panel decide within 30 days?", OBJECTION, True),
        ("Must the panel lodge the objection within 30 days?", OBJECTION, False),
        ("May a constable remove a boat whose owner cannot be found within one hour?", REMOVED, True),
        ("May the owner remove a constable who cannot be found within one hour?", REMOVED, False),
        ("May a seller call a person at night?", LIST, True),
        ("May a person call a seller at night?", LIST, False),
        ("May a seller call a person to sell a used car?", LIST, False),  # of two items
        ("May the Director publish drawings of patents in electronic form?", PUBLISHED, False),
        ("May the Director supply drawings of patents in electronic form?", PUBLISHED, True),
        ("May a fence be higher than 6 feet?", "A fence shall be no higher than 6 feet.", True),
        ("May a fence be higher than 6 hours?", "A fence shall be no higher than 6 feet.", False),
        ("Must a permit be refused?", "A permit shall be promptly examined and refused.", True),
        ("May the clerk refuse a permit?", "The clerk of a court shall refuse a permit.", True),
        ("May the court refuse a permit?", "The clerk of a court shall refuse a permit.", False),
        ("May I refuse a permit?", "The mayor may refuse a permit.", False),
        ("May I launch a drone?", "A passenger may not launch a drone.", True),
        ("May I visit a tenant?", "An owner shall not visit a tenant.", True),
        ("May I visit my landlord?", "An owner shall not visit a tenant or a landlord.", False),
        ("Must the owner pay the clerk a fee?", "The owner shall pay the clerk, as (e) and (f) say.", False),
        ("May a seller call a person after 9 pm?", "A seller shall not call a person after 9 p.m. on any day.", True),
        ("Are the fees of the clerk paid?", "In addition to fees here, firms shall pay the clerk 2 dollars.", False),
        ("Are the fees of the clerk paid?", "Firms shall pay the fees of the clerk each year.", True),
        ("Who may publish the city gazette?", "The clerk may publish a report in the city gazette.", False),
        ("Who may publish the city gazette?", "The clerk may publish copies of the city gazette and of laws.", True),
        ("Are the fees of the clerk paid?", "Firms shall pay the clerk tax; the fee so paid may not be less.", False),
        ("Who may publish the city gazette?", "The board shall publish a report in the city gazette.", False),
        ("May the mayor issue a stop and desist order?", "The mayor may issue an order to stop and desist.", True),
        ("Who may publish the city gazette?", "The clerk may publish rules in a newspaper or the city gazette.", False),
        ("May the owner enter the unit without notice?", "An owner shall not enter a unit without notice.", True),
        ("May ministers refuse the permit?", "Where a permit has been refused, ministers shall pay the costs.", False),
        ("May owners enter the unit?", "A tenant may enter the unit.", False),
        ("May owners enter the unit?", "An owner may enter the unit.", True),
        ("Must the owner pay a fee?", "If the owner is late, she shall pay a fee.", True),
        ("Must the clerk pay a fee to the owner?", "If the owner is late, she shall pay a fee to the clerk.", False),
        ("Must the club purchase the field?", "The club's option to purchase the field is lost.", False),
        ("Must the club purchase the field?", "The club may purchase the field.", False),
        ("Must the club purchase the field?", "The club is entitled to purchase the field.", False),
        ("Must the club purchase the field?", "The club shall have 9 days to purchase the field.", False),
        ("Must the club purchase the field?", "The club shall not purchase the field if it is wet.", False),
        (
            "How much notice must owners give to enter?",
            "Owners shall not enter without leave, on 9 hours' notice.",
            True,
        ),
        (
            "May the club sell the field if the board fails?",
            "The club may sell the field unless the board fails.",
            True,
        ),
        ("Must the club not purchase the field?", "The club shall not purchase the field if it is wet.", True),
        ("Must the club purchase the field?", "The club is not required to purchase the field.", True),
        ("May the club purchase the field?", "The club shall purchase the field.", True),
        ("Must the club purchase the field?", "The board shall purchase for the club the field.", False),
        ("Must the owner purchase fields?", "The clerk shall notify the owner of a purchase and the fields.", False),
        ("May the assignor sue the assignee?", "But the assignee, if named so, may sue the assignor.", False),
        ("May the assignee sue the assignor?", "But the assignee, if named so, may sue the assignor.", True),
        ("May the club sell the field?", "The club may mow the field, may fence it, and may sell it.", True),
        ("Must the clerk publish the list?", "The clerk shall, with notice to the mayor, publish the list.", True),
        ("Who may appoint the clerk?", "The clerk and any person whom she has appointed may sit.", False),
        ("Who decides whether the board will sit?", "The mayor shall decide whether the board will sit.", True),
        ("Must the board sit?", "The mayor shall decide whether, and the extent to which, the board will sit.", False),
        ("May the club sell the permit?", "If the club has a permit, it may sell the field.", False),
        ("May the owner give the notice?", "The owner, after giving notice, may recall the notice.", False),
        ("How long does the club have to buy the field?", "The club may, within 9 days, buy the field.", True),
        ("How long does the club have to buy the field?", "The owner may, within 9 days, buy the club's field.", False),
        ("How long must the club keep the field?", "The club may keep the field for 9 days.", False),
        ("May an agent sign the lease for the owner?", "A lease may be signed for the owner by an agent.", True),
        ("May the owner sign the lease for an agent?", "A lease may be signed for the owner by an agent.", False),
        ("May an agent sign a lease?", "A lease may be signed by a person named by an agent.", False),
        ("May an agent sign a lease for the owner?", "An owner of a lease may be signed by an agent.", False),
        ("Who has to publish the list?", "The clerk shall publish the list.", True),
        ("Who may appoint the clerk?", "The clerk may be appointed for 2 years.", False),
        ("Who may appoint the clerk?", "The clerk may be appointed by the mayor.", True),
        ("Must two keepers sign the list?", "2 or more keepers shall sign the list.", True),
        ("Must two keepers sign the list?", "3 or more keepers shall sign the list.", False),
        ("What is the fee for a permit?", "The fee for a permit under this chapter is $50.", True),
        ("What is the fee for a permit?", "The late fee for a permit is $50.", False),
        ("What is the fee for a permit?", "The fee for a copy of a permit is $50.", False),
        ("What is the fee for a permit?", "The permit for a fee is $50.", False),
        ("What is the fee for a permit?", "The fee for a permit is payable within 9 days.", False),
        ("What is the fee for a permit?", "If the fee for a permit is $50, the clerk shall return it.", False),
        ("What is the maximum fine for nonpayment?", "The fine for nonpayment shall not exceed $50.", True),
        ("What is the purpose of the fund?", "The purpose of the fund is to buy the field.", True),
        ("What is the purpose of the fund?", "The fund of the purpose is a field.", False),
        ("Must an applicant be a resident?", "An applicant shall be a resident of the city.", True),
        ("Must an applicant be a resident?", "An applicant shall be a friend of a resident.", False),
        ("Must an applicant be a resident?", "An applicant shall have a resident as a guest.", False),
        ("Who has jurisdiction over appeals?", "The court has exclusive jurisdiction over appeals.", True),
        ("May a seller call a debtor?", "It is unlawful for a seller to call a debtor.", True),
        ("May a seller call a debtor?", "It is unlawful for a debtor to call a seller.", False),
        ("May a seller call a debtor?", "It is the duty of the clerk to help a seller to call a debtor.", False),
        ("Does this part limit the board?", "Nothing in this part shall be construed to limit the board.", True),
        ("Does the board limit this part?", "Nothing in this part shall be construed to limit the board.", False),
        ("By what date must the clerk sell the field?", "The clerk shall sell the field by May 5.", True),
        ("By what date must the clerk sell the field?", "The clerk named on May 5 shall sell the field.", False),
        ("Does the trustee get half of the income as his pay?", "The trustee shall pay half of the income.", False),
        ("Who may sign the lease?", "The lease may be signed by mail.", False),
        ("May the board remove the clerk?", "The clerk or the board may remove a member of the board.", False),
        ("May the board remove the clerk?", "The clerk or the board may remove a man after hearing him.", False),
        ("Must the owner keep records?", "The owners' association shall keep records.", False),
        ("Who may appoint an assignee?", "The court may hear an assignee and appoint a trustee.", False),
        ("Who may enter into agreements with the clerk?", "The clerk may enter into agreements with firms.", False),
        ("Until when may the clerk sell the field?", "The clerk may sell the field until 9 days have passed.", True),
    ],
)
def test_who_does_what_is_the_same(question: str, sentence: str, answers: bool) -> None:
    assert (lacks(question, sentence) == "") is answers


@pytest.mark.parametrize(
    ("language", "question", "sentence", "answers"),
    [
        ("de", "Muss der Vermieter die Kaution zurückzahlen?", "Der Vermieter hat die Kaution zurückzuzahlen.", True),
        ("de", "Wann hat der Vermieter die Kaution zurückzuzahlen?", VERMIETER, True),
        ("de", "Wann hat der Mieter die Kaution zurückzuzahlen?", VERMIETER, False),
        ("de", "Darf der Mieter einen Baum ohne Erlaubnis fällen?", ERLAUBNIS, True),
        ("de", "Darf der Mieter mit Erlaubnis einen Baum fällen?", ERLAUBNIS, False),
        ("fr", "Dans quel délai le bailleur restitue-t-il le dépôt ?", BAILLEUR, True),
        ("fr", "Dans quel délai le locataire restitue-t-il le dépôt ?", BAILLEUR, False),
    ],
)
def test_who_acts_is_the_same_in_german_and_french(language: str, question: str, sentence: str, answers: bool) -> None:
    assert (lacks(question, sentence, language) == "") is answers


@pytest.mark.parametrize(
    ("question", "rivalled"),
    [
        ("Must the owner return the deposit within 14 days?", True),
        ("How long has the owner to return the deposit?", True),
        ("How much of the deposit must the owner return?", False),
        ("Must the owner return the deposit?", False),
    ],
)
def test_another_figure_of_the_kind_asked_for_is_a_rival(question: str, rivalled: bool) -> None:
    [asked] = asked_of(question, [], dict.fromkeys(("owner", "return", "deposit"), 1.0), [], "en")
    assert asked.is_rivalled([RETURNED], KEPT) is rivalled
    assert not asked.is_rivalled([RETURNED, KEPT], KEPT)


@pytest.mark.parametrize(
    ("question", "rivalled"),
    [
        ("May my landlord enter with 24 hours' notice?", False),  # it is about entering, and not about notices
        ("May my landlord begin with 24 hours' notice?", True),
        ("How many hours' notice is there of repairs by a landlord?", True),
    ],
)
def test_a_rival_is_about_the_same_act_or_what_it_is_done_to(question: str, rivalled: bool) -> None:
    other = "A landlord shall begin the repairs within 36 hours after notice."
    words = [word for word in ("landlord", "enter", "begin", "notice", "repairs") if word in question]
    [asked] = asked_of(question, [], dict.fromkeys(words, 1.0), [], "en")
    assert asked.is_rivalled(["A landlord shall not enter without 30 hours' notice."], other) is rivalled


def test_what_is_served_tells_where_a_subject_ends_so_that_its_words_alone_make_no_rival() -> None:
    question = "How many years does the rent clerk serve?"
    [asked] = asked_of(question, [], dict.fromkeys(("rent", "clerk", "serve"), 1.0), [], "en")
    served = "The rent clerk shall serve a 3-year term."
    assert not asked.is_rivalled([served], "The board shall name a rent clerk within 90 days.")
    assert asked.is_rivalled([served], "A rent clerk shall serve no more than 90 days.")


@pytest.mark.parametrize(
    ("language", "sentence", "before", "taken"),
    [
        ("en", "The interest is due each year.", "The owner shall pay interest on the deposit.", True),
        ("en", "The owner keeps a list.", "Interest is due each year.", False),
        ("en", "Interest is due each year.", "The owner shall pay interest on the deposit.", False),
        ("de", "Die Zinsen sind am Jahresende zu zahlen.", "Der Vermieter schuldet Zinsen der Kaution.", True),
        ("fr", "Les intérêts sont dus chaque année.", "Le bailleur verse les intérêts du dépôt.", True),
        ("ja", "利息は毎年支払う。", "所有者は利息を支払う。", False),
    ],
)
def test_a_noun_with_an_article_takes_up_the_sentence_before_that_has_it(
    language: str, sentence: str, before: str, taken: bool
) -> None:
    assert takes_up(sentence, before, language_of(language)) is taken


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("When is the interest on the deposit due?", True),
        ("When must the owner pay the interest on the deposit?", False),  # the act has to be in the sentence itself
        ("How much interest on the deposit is due?", False),  # and so has the figure
    ],
)
def test_words_of_a_sentence_taken_up_are_matter_and_neither_act_nor_figure(question: str, answers: bool) -> None:
    before = "An owner who holds a deposit for 2 years shall pay interest on the deposit at 3 percent."
    said = "The interest is due each year, within 20 days after the anniversary."
    words = [word for word in ("interest", "deposit", "due", "owner", "pay") if word in question]
    [asked] = asked_of(question, [], dict.fromkeys(words, 1.0), [], "en")
    assert (asked.lacks(said, before) == "") is answers
    assert asked.lacks(said) != ""


@pytest.mark.parametrize(
    ("request_", "question", "answers"),
    [
        ("What does 9 X.Y. 3 say about a charge for the call?", "What does say about a charge for the call?", True),
        (
            "What does an owner say about a charge for the call?",
            "What does an owner say about a charge for the call?",
            False,
        ),
        ("Under 9 X.Y. 3, may owners charge for the call?", "Under , may owners charge for the call?", False),
    ],
)
def test_what_a_named_provision_says_of_something_is_no_act_of_a_person(
    request_: str, question: str, answers: bool
) -> None:
    words = dict.fromkeys(("charge", "call", "owner", "owners"), 1.0)
    [asked] = asked_of(question, [], words, [], "en", request_)
    assert asked.of_provision is answers
    said = "A charge for the call is due."
    assert (asked.lacks(said) == "") is answers
