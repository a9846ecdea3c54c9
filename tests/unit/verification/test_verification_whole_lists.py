"""Lists are one unit of text: which items may be told without their sisters, and what is told instead."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from drafted_claims import URN, claim, evidence
from requirements import requirement

from rag.verification.claims import verbatim_fallback, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.lists import LONGEST_LIST, Told, cut_list, may_stand_alone, words_around
from rag.verification.model import Evidence, EvidenceBlock, Reason
from rag.verification.norm import make_unit, unit_notes

OUTER = "A house is exempt if:"

# Lead-in, items, and whether the first item may be told alone.
ENGLISH = [
    # duties, powers and prohibitions with their subject and modal
    ("A landlord shall:", ("keep the roof tight; and", "pay interest."), True),
    ("The landlord shall, within 30 days:", ("return the deposit; and", "send an account."), True),
    ("The Board may:", ("hold hearings; and", "make rules."), True),
    ("The clerk is authorized to:", ("take oaths;", "keep the seal."), True),
    ("No person shall:", ("enter a unit; or", "change a lock."), True),
    ("A landlord may not do any of the following:", ("enter a unit;", "change a lock."), True),
    ("It is unlawful for any person to:", ("enter a unit; or", "change a lock."), True),
    ("If the rent is late, the landlord may:", ("give notice; and", "sue for it."), True),
    ("The notice shall include:", ("the date of the sale; and", "the price."), True),
    # a choice, a joint prohibition, requirements of one thing
    ("A landlord shall:", ("repair the roof; or", "lower the rent."), False),
    ("No person shall:", ("sell liquor; and", "sell arms."), False),
    ("An application shall:", ("be in writing; and", "state the name."), False),
    ("To be eligible, a tenant shall:", ("file a form; and", "pay a fee."), False),
    ("The petition shall be signed by:", ("the owner; and", "the tenant."), False),
    ("The court shall consider:", ("the harm done; and", "the cost."), False),
    ("The landlord is liable for treble damages, and:", ("the cost of moving; and", "the fee."), False),
    ("A plan, which shall:", ("name an agent; and", "set a date."), False),
    (
        "This part does not apply to a lease which provides that:",
        ("The lessee has no liability; and", "The lessee has no option."),
        False,
    ),
    # alternatives, each of which is enough
    ("A tenant may leave if:", ("the roof leaks; or", "the stove fails."), True),
    ("A person who:", ("sells liquor; or", "sells arms,"), True),
    ("A landlord may charge:", ("a late fee; or", "a key fee."), True),
    ("The fee is waived where any of the following applies:", ("the tenant is ill;", "the tenant is blind."), True),
    ("Notice is given:", ("if it is sent by post; or", "if it is left at the house."), True),
    # conditions that hold together, exceptions, what is necessary
    ("A tenant may leave if:", ("the roof leaks; and", "the landlord was told."), False),
    ("A tenant may leave if:", ("the roof leaks;", "the landlord was told."), False),
    ("A tenant may leave only if:", ("the roof leaks; or", "the stove fails."), False),
    ("A tenant shall pay unless:", ("the roof leaks; or", "the stove fails."), False),
    ("A tenant may not be sued until:", ("the rent is late; or", "notice is given."), False),
    ("This act applies to any house other than:", ("a hotel; or", "a school."), False),
    ("A tenant may leave if the landlord does not:", ("repair the roof; or", "lower the rent."), False),
    ("Where a tenant dies, the lease passes to:", ("the spouse; or", "a child."), False),
    ("A person who sells liquor is liable for:", ("damages; or", "costs."), False),
    # which, that, each of, definitions, comparisons
    ("A body which:", ("has a seal; and", "keeps a register;"), False),
    ("An entity that:", ("has a seal; and", "keeps a register,"), False),
    ("A list of each project, including, for each project:", ("the cost; and", "the place."), False),
    ("A house is exempt where each of the following holds:", ("it is old;", "it is empty."), False),
    ("“House” means:", ("a dwelling; or", "a flat."), False),
    ("A house is a building:", ("that has a roof; or", "that has a door."), False),
    ("The fee is the lesser of:", ("20 dollars; or", "a day's rent."), False),
    ("The period begins on:", ("the day of the sale; or", "if later, the day of notice."), False),
    # sentences by themselves
    ("In this section:", ("“House” means a dwelling.", "“Flat” means a part of one."), True),
    ("For the purposes of this act, the term:", ("“House” means a dwelling; and", "“Flat” is a part."), True),
    ("The following rules apply:", ("The day of notice is not counted.", "A month is 30 days."), True),
    ("The notice shall comply with the following rules:", ("It shall be signed.", "It may be posted."), True),
    ("A notice shall comply with the following rules:", ("a signature; and", "a date."), False),
    ("A notice is good if it meets the following rules:", ("It shall be signed.", "It shall be dated."), False),
    # an item that speaks of a sister
    ("The clerk shall:", ("send a copy on payment of such fee; and", "keep the seal."), False),
]
FRENCH = [
    ("Le bailleur ne peut, même avec l'accord du preneur :", ("Entrer dans le logement ;", "Couper l'eau."), True),
    ("Le juge peut :", ("Ordonner une expertise ;", "Fixer une pension."), True),
    ("Le bailleur est obligé, par la nature du contrat :", ("De délivrer la chose ;", "De l'entretenir."), True),
    ("Le bail est nul si :", ("le bailleur a menti ; ou", "le preneur est mineur."), True),
    ("La société prend fin :", ("Par la mort d'un associé ;", "Par la faillite."), True),
    ("Le bail est nul si :", ("le bailleur a menti ; et", "le preneur l'ignorait."), False),
    ("Le bail ne peut être résilié que si :", ("le loyer est impayé ; ou", "le logement est vide."), False),
    ("Le producteur est responsable à moins qu'il ne prouve :", ("Qu'il ignorait ;", "Ou que la loi l'oblige."), False),
    ("Le navire paie sauf :", ("en cas de détresse ;", "en cas de grève."), False),
    ("Le bailleur doit :", ("réparer le toit ; ou", "baisser le loyer."), False),
    ("Est un logement le bâtiment qui :", ("a un toit ; et", "a une porte."), False),
    ("Constitue une pratique interdite :", ("le refus de vente ;", "la vente forcée."), False),
]
GERMAN = [
    ("Der Vermieter darf", ("die Wohnung besichtigen und", "Belege verlangen."), True),
    ("Der Pächter ist ohne Erlaubnis nicht berechtigt,", ("Boden zu verkaufen,", "Bauten zu errichten."), True),
    ("Der Zahler ist verpflichtet,", ("den Verlust anzuzeigen und", "die Karte zu sperren."), True),
    ("Der Mieter kann kündigen, wenn", ("das Dach leckt oder", "die Heizung ausfällt."), True),
    ("Der Verleiher kann die Leihe kündigen:", ("wenn er die Sache braucht,", "wenn der Entleiher stirbt."), True),
    ("Der Mieter kann kündigen, wenn", ("das Dach leckt und", "der Vermieter es weiß."), False),
    ("Der Mieter kann nur kündigen, wenn", ("das Dach leckt oder", "die Heizung ausfällt."), False),
    ("Der Mieter zahlt, es sei denn,", ("das Dach leckt oder", "die Heizung ausfällt."), False),
    ("Der Vermieter muss", ("das Dach richten oder", "die Miete senken."), False),
    ("Wohnraum im Sinne dieses Gesetzes ist", ("ein Haus oder", "eine Wohnung."), False),
    ("Ansprüche verjähren", ("in zwei Jahren bei einem Werk und", "in fünf Jahren bei einem Bau."), False),
]
JAPANESE = [
    ("次の各号のいずれかに該当するときは、罰金に処する。", ("検査を拒んだとき。", "報告をしなかつたとき。"), True),
    ("次の各号のいずれにも該当する者は、許可を受ける。", ("住所を有する者", "罰金に処せられていない者"), False),
    ("次に掲げる事項を記載しなければならない。", ("氏名", "住所"), False),
]
ALL = [(language, *row) for language, rows in
       (("en", ENGLISH), ("fr", FRENCH), ("de", GERMAN), ("ja", JAPANESE)) for row in rows]  # fmt: skip


@requirement("P3")
@pytest.mark.parametrize(("language", "lead_in", "items", "alone"), ALL)
def test_an_item_is_told_alone_only_where_that_does_not_mislead(
    language: str, lead_in: str, items: tuple[str, ...], alone: bool
) -> None:
    assert may_stand_alone(lead_in, items, 0, language) is alone
    blocks = tuple(EvidenceBlock(f"{URN}:{at}", text, lead_in=lead_in) for at, text in enumerate(items, start=1))
    law = Evidence(blocks, date(2026, 1, 1), language)
    said = claim(f"{lead_in} {items[0]}", items[0], blocks[0].urn)
    checked = verify_claim(said, law)
    assert checked.level == ("VERBATIM" if alone else "WITHHELD")
    fallback = verbatim_fallback(said, law)
    assert fallback is not None
    assert fallback.text == " ".join((lead_in, *(items[:1] if alone else items)))
    again = tuple(DraftCitation(citation.urn, citation.quote) for citation in fallback.citations)
    assert verify_claim(DraftClaim(fallback.text, again), law).level == "VERBATIM"


LEAD = "A tenant may leave if:"
ITEMS = (
    EvidenceBlock(f"{URN}:1", "the roof leaks;", lead_in=LEAD),
    EvidenceBlock(f"{URN}:2", "the landlord was told; and", lead_in=LEAD),
    EvidenceBlock(f"{URN}:3", "a month has passed.", lead_in=LEAD),
)


def test_a_claim_that_cites_the_whole_list_and_tells_a_part_is_a_part() -> None:
    cited = tuple(DraftCitation(item.urn, item.text) for item in ITEMS)
    for texts, level in ((("the roof leaks;",), "WITHHELD"), (tuple(item.text for item in ITEMS), "VERBATIM")):
        assert verify_claim(DraftClaim(" ".join((LEAD, *texts)), cited), evidence(*ITEMS)).level == level


def test_two_alternatives_of_three_stand() -> None:
    lead = "A tenant may leave if:"
    items = [
        EvidenceBlock(f"{URN}:{at}", text, lead_in=lead)
        for at, text in enumerate(("the roof leaks;", "the stove fails; or", "the door is gone."), start=1)
    ]
    cited = tuple(DraftCitation(item.urn, item.text) for item in items[:2])
    text = f"{lead} the roof leaks; the stove fails; or"
    assert verify_claim(DraftClaim(text, cited), evidence(*items)).level == "VERBATIM"


def test_an_inner_list_brings_the_outer_one_that_must_go_whole() -> None:
    outer, inner = "A house is exempt if:", "A house is exempt if: its owner:"
    blocks = (
        EvidenceBlock(URN, outer),
        EvidenceBlock(f"{URN}:1", "its owner:", lead_in=outer),
        EvidenceBlock(f"{URN}:1:a", "lives in it; or", lead_in=inner),
        EvidenceBlock(f"{URN}:1:b", "is a charity; and", lead_in=inner),
        EvidenceBlock(f"{URN}:2", "it is old.", lead_in=outer),
    )
    said = claim(f"{inner} lives in it; or", "lives in it; or", f"{URN}:1:a")
    assert Reason.LIST_INCOMPLETE in verify_claim(said, evidence(*blocks)).reasons
    fallback = verbatim_fallback(said, evidence(*blocks))
    assert fallback is not None
    assert fallback.text == f"{inner} lives in it; or is a charity; and it is old."
    both = (replace(blocks[4], text="it is old; or", urn=f"{URN}:2"), *blocks[:4])
    assert cut_list([f"{URN}:2"], both, "en") is not None


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("is a charity; and", f"{OUTER} its owner: lives in it; or is a charity; and it is old."),
        # What follows a sentence that has ended needs its own beginning.
        ("is a charity.", f"{OUTER} its owner: lives in it; or is a charity. {OUTER} it is old."),
    ],
)
def test_the_words_of_each_list_stand_once_around_its_items(ending: str, told: str) -> None:
    inner = f"{OUTER} its owner:"
    items = [
        Told(f"{URN}:1:a", "lives in it; or", inner, ""),
        Told(f"{URN}:1:b", ending, inner, ""),
        Told(f"{URN}:2", "it is old.", OUTER, ""),
    ]
    around = words_around(items)
    parts = (
        part for item, words in zip(items, around, strict=True) for part in (words.lead_in, item.text, words.flush)
    )
    assert " ".join(filter(None, parts)) == told


def test_inner_lists_share_what_the_outer_one_opens() -> None:
    items = [
        Told(f"{URN}:{at}:a", "a boat;", f"{OUTER} it is of: {by}", "and free, at once.")
        for at, by in ((1, "one:"), (2, "two:"))
    ]
    assert [(words.lead_in, words.flush, words.shared_flush) for words in words_around(items)] == [
        (f"{OUTER} it is of: one:", "", "and free, at once."),
        ("two:", "and free, at once.", ""),
    ]


def test_a_list_that_is_told_whole_is_no_item_of_a_list() -> None:
    lead = "The landlord may enter if:"
    items = [
        EvidenceBlock(f"{URN}:{at}", text, lead_in=lead) for at, text in enumerate(("it burns; or", "it floods."), 1)
    ]
    said = (f"{lead} it burns; or it floods.", f"{lead} it floods.")
    cited = (tuple(DraftCitation(item.urn, item.text) for item in items), (DraftCitation(items[1].urn, items[1].text),))
    found = [verify_claim(DraftClaim(*pair), evidence(*items)) for pair in zip(said, cited, strict=True)]
    assert [Reason.LIST_ITEM in one.reasons for one in found] == [False, True]


@pytest.mark.parametrize("role", ["definition", "rule"])
def test_an_entry_of_a_list_of_definitions_is_no_item_of_a_list_but_a_part_of_one_is(role: str) -> None:
    lead = "As used in this part, the following terms have these meanings:"
    opens = "“flat” means a room that is:"
    entries = (
        EvidenceBlock(f"{URN}:1", "“house” means a building for one household;", role=role, lead_in=lead),
        EvidenceBlock(f"{URN}:2", opens, role=role, lead_in=lead),
        EvidenceBlock(f"{URN}:2:a", "let by the month; or", role=role, lead_in=f"{lead} {opens}"),
        EvidenceBlock(f"{URN}:2:b", "let by the year;", role=role, lead_in=f"{lead} {opens}"),
    )
    notes = [
        unit_notes([make_unit(item, ((0, len(item.text)),), language="en")], evidence(*entries))
        for item in (entries[0], entries[2])
    ]
    assert [Reason.LIST_ITEM in one for one in notes] == [role == "rule", True]


def test_what_follows_a_list_whose_sentence_has_ended_is_no_item() -> None:
    after = EvidenceBlock(f"{URN}:4", "The Mayor shall keep a register.", lead_in=LEAD)
    assert cut_list([after.urn], (*ITEMS, after), "en") is None
    cut = cut_list([ITEMS[0].urn], (*ITEMS, after), "en")
    assert cut is not None
    assert cut.items == ITEMS


@requirement("P10")
def test_a_list_too_long_or_not_all_there_is_told_to_go_on() -> None:
    long = replace(ITEMS[1], text=f"{'the landlord was told again, ' * (LONGEST_LIST // 20)}and")
    for known in ((ITEMS[0], long, ITEMS[2]), ITEMS[:1], ITEMS[:2]):
        for found in (
            verify_claim(claim(f"{LEAD} the roof leaks;", "the roof leaks;", f"{URN}:1"), evidence(*known)),
            verbatim_fallback(claim("Leaks let you go.", "the roof leaks;", f"{URN}:1"), evidence(*known)),
        ):
            assert found is not None
            assert (found.text, found.level, found.limited) == (f"{LEAD} the roof leaks;", "VERBATIM", True)
            assert Reason.LIST_GOES_ON in found.reasons
    alone = EvidenceBlock(f"{URN}:1", "the roof leaks.", lead_in=LEAD)
    found = verify_claim(claim(f"{LEAD} the roof leaks.", "the roof leaks.", alone.urn), evidence(alone))
    assert Reason.LIST_GOES_ON not in found.reasons
    last = verify_claim(claim(f"{LEAD} a month has passed.", "a month has passed.", f"{URN}:3"), evidence(ITEMS[2]))
    assert Reason.LIST_GOES_ON in last.reasons


def test_a_list_within_one_that_is_too_long_is_told_whole() -> None:
    inner = f"{LEAD} both of these are true:"
    first = EvidenceBlock(f"{URN}:1:a", "the roof leaks; and", lead_in=inner)
    second = EvidenceBlock(f"{URN}:1:b", "the landlord was told; and", lead_in=inner)
    long = EvidenceBlock(f"{URN}:2", f"{'the rent was paid again, ' * (LONGEST_LIST // 20)}and", lead_in=LEAD)
    last = EvidenceBlock(f"{URN}:3", "a month has passed.", lead_in=LEAD)
    known = evidence(EvidenceBlock(f"{URN}:1", "both of these are true:", lead_in=LEAD), first, second, long, last)
    found = verbatim_fallback(claim("Leaks let you go.", first.text, first.urn), known)
    assert found is not None
    assert found.text == f"{inner} {first.text} {second.text}"
    assert Reason.LIST_GOES_ON in found.reasons


def test_a_duty_whose_sisters_are_not_known_may_be_one_of_a_choice() -> None:
    lead = "A landlord shall:"
    block = EvidenceBlock(f"{URN}:1", "repair the roof;", lead_in=lead)
    found = verify_claim(claim(f"{lead} repair the roof;", "repair the roof;", block.urn), evidence(block))
    assert Reason.LIST_GOES_ON in found.reasons
    ban = replace(block, lead_in="A landlord shall not:")
    found = verify_claim(claim(f"{ban.lead_in} repair the roof;", "repair the roof;", ban.urn), evidence(ban))
    assert Reason.LIST_GOES_ON in found.reasons  # `and` may join prohibitions that are one
    power = replace(block, lead_in="A landlord may:")
    found = verify_claim(claim(f"{power.lead_in} repair the roof;", "repair the roof;", power.urn), evidence(power))
    assert Reason.LIST_GOES_ON not in found.reasons


WORDLESS = (
    EvidenceBlock(URN, OUTER),
    EvidenceBlock(f"{URN}:1", "it is old;", lead_in=OUTER),
    EvidenceBlock(f"{URN}:2:a", "it has no roof; or", lead_in=OUTER),
    EvidenceBlock(f"{URN}:2:b", "it has no door; and", lead_in=OUTER),
    EvidenceBlock(f"{URN}:3", "it is empty.", lead_in=OUTER),
)


def test_an_item_without_words_of_its_own_stands_in_its_list_by_its_parts() -> None:
    told = verbatim_fallback(
        claim("A house without a door is exempt.", "it has no door", f"{URN}:2:b"), evidence(*WORDLESS)
    )
    assert told is not None
    assert told.text == f"{OUTER} it is old; it has no roof; or it has no door; and it is empty."
    # An inner list whose items are each enough is none of a list whose items are not.
    outer = verbatim_fallback(claim("An old house is exempt.", "it is old", f"{URN}:1"), evidence(*WORDLESS))
    assert outer is not None
    assert outer.text == told.text


@pytest.mark.parametrize(("most", "follows"), [(1, True), (LONGEST_LIST, False)])
def test_the_sentences_after_a_list_that_is_told_whole_are_told_with_it(most: int, *, follows: bool) -> None:
    after = f"A hotel is no house{' of any kind' * (most // 8)}."
    list_ = (
        EvidenceBlock(URN, f"{OUTER}\n{after}", breaks=(len(OUTER) + 1,)),
        EvidenceBlock(f"{URN}:1", "it is old; and", lead_in=OUTER),
        EvidenceBlock(f"{URN}:2", "it is empty.", lead_in=OUTER),
    )
    told = verbatim_fallback(claim("An old house is exempt.", "it is old", f"{URN}:1"), evidence(*list_))
    assert told is not None
    assert told.text == f"{OUTER} it is old; and it is empty.{f' {after}' * follows}"
    assert told.level == "VERBATIM"


SELLER, PAYS = "A seller who:", "shall return the price within 20 days."


def sold(size: int = 1) -> Evidence:
    """A sentence that goes on after its list; of a longer list no claim tells all."""
    received = f"has received the price{' of goods' * size}; and"
    return evidence(
        EvidenceBlock(URN, f"{SELLER}\n{PAYS}", breaks=(len(SELLER) + 1,)),
        EvidenceBlock(f"{URN}:a", received, lead_in=SELLER, flush=PAYS),
        EvidenceBlock(f"{URN}:b", "is told of a defect,", lead_in=SELLER, flush=PAYS),
    )


@requirement("P3")
@pytest.mark.parametrize(
    "text",
    [f"{SELLER} {PAYS}", "A seller who shall return the price within 20 days.", f"A seller {PAYS}", PAYS.capitalize()],
)
@pytest.mark.parametrize("quote", [PAYS, SELLER, f"{SELLER}\n{PAYS}"])
def test_the_ends_of_a_sentence_are_not_told_without_its_list(text: str, quote: str) -> None:
    found = verify_claim(claim(text, quote, URN), sold())
    assert found.level == "WITHHELD"
    told = verbatim_fallback(claim(text, PAYS, URN), sold())
    assert told is not None
    assert told.text == f"{SELLER} has received the price of goods; and is told of a defect, {PAYS}"


@requirement("P3")
def test_where_a_list_is_too_long_its_place_is_marked() -> None:
    long = sold(LONGEST_LIST)
    told = verbatim_fallback(claim(f"A seller {PAYS}", PAYS, URN), long)
    assert told is not None
    assert (told.text, told.level) == (f"{SELLER} [...] {PAYS}", "VERBATIM")
    assert Reason.LIST_GOES_ON in told.reasons
    assert verify_claim(claim(told.text, PAYS, URN), long).level == "VERBATIM"
    assert verify_claim(claim(f"{SELLER} {PAYS}", PAYS, URN), long).level == "WITHHELD"
    assert (told.citations[0].quote, told.citations[0].lead_in) == (PAYS, f"{SELLER} [...]")
