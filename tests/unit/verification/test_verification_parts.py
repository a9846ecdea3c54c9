"""What a claim may leave out of a sentence: alternatives that only narrow the rule, clauses that stand alone."""

from __future__ import annotations

from datetime import date
from itertools import combinations

import pytest

from rag.verification.claims import Evidence, EvidenceBlock, Reason, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import CheckedClaim

DAY = date(2026, 1, 1)
URN = "urn:lex:us-dc:code:42-3502.17:b"


def checked(sentence: str, text: str, quote: str = "", language: str = "en") -> CheckedClaim:
    evidence = Evidence((EvidenceBlock(URN, sentence),), DAY, language)
    return verify_claim(DraftClaim(text, (DraftCitation(URN, quote or sentence),)), evidence)


# One place for alternatives per rule; whether a rule that names fewer of them follows from the rule.
RULES = (
    ("No landlord shall demand {} from a tenant.", True),
    ("A landlord may not demand {} from a tenant.", True),
    ("A landlord may demand {} from a tenant.", True),
    ("A landlord need not demand {} from a tenant.", True),
    ("If a landlord demands {}, the tenant may sue.", True),
    ("A landlord shall demand {} from a tenant.", False),
    ("A landlord shall repair the roof unless the tenant owes {}.", False),
    ("A landlord may repair the roof except for {}.", False),
    ("A landlord may only demand {} from a tenant.", False),
    ("A landlord may not fail to demand {} from a tenant.", False),
    ("A landlord may demand the greater of {} from a tenant.", False),
    ("A deposit means {}.", False),
    ("A landlord may repair the roof until the tenant pays {}.", False),
    ("If the tenant does not pay {}, the landlord may sue.", False),
)
ITEMS = ("interest", "rent", "salary")


def listed(items: tuple[str, ...]) -> str:
    *before, last = items
    if not before:
        return last
    return f"{', '.join(before)}{',' if len(before) > 1 else ''} or {last}"


@pytest.mark.parametrize(("rule", "follows"), RULES)
def test_fewer_alternatives_are_served_exactly_where_they_follow(rule: str, follows: bool) -> None:
    for size in (2, 3):
        whole = rule.format(listed(ITEMS[:size]))
        for kept in combinations(ITEMS[:size], 1):
            found = checked(whole, rule.format(listed(kept)))
            assert (found.level != "WITHHELD") is follows, found
            assert not follows or Reason.PART_STATED in found.reasons


@pytest.mark.parametrize(("rule", "follows"), RULES)
def test_more_alternatives_than_the_law_has_are_never_served(rule: str, follows: bool) -> None:
    assert checked(rule.format(listed(ITEMS[:2])), rule.format(listed(ITEMS))).level == "WITHHELD"


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("A person or corporation shall pay the fee.", "A person shall pay the fee."),
        ("A person or corporation shall pay the fee.", "A corporation shall pay the fee."),
        (
            "No officer shall accept a gift made for a candidate, or make any payment on behalf of a candidate, in "
            "violation of a limit on gifts and payments.",
            "No officer shall accept a gift made for a candidate in violation of a limit on gifts.",
        ),
        (
            "Any tenant may sue for waste committed by his cotenant, or in a suit for a partition may have said waste "
            "charged against the share of the cotenant.",
            "Any tenant may sue for waste committed by his cotenant.",
        ),
        (
            "In addition to all other rights in this chapter, a tenant may buy the house.",
            "A tenant may buy the house.",
        ),
    ],
)
def test_a_part_that_follows_is_served_with_the_whole_sentence_beside_it(sentence: str, text: str) -> None:
    found = checked(sentence, text)
    assert found.level == "CHECKED"
    assert found.limited
    assert [citation.quote for citation in found.citations] == [sentence]


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("The landlord or the tenant shall pay the fee.", "The tenant shall pay the fee."),
        ("No bank shall pay a check or draft drawn abroad.", "No bank shall pay a check."),
        ("A tenant may sue if the roof or wall leaks and rots.", "A tenant may sue if the roof or wall leaks."),
        ("A tenant may keep dogs, cats, or birds that sing.", "A tenant may keep dogs, cats, or birds."),
        ("No tenant shall keep 2 dogs or 3 cats.", "No tenant shall keep 2 cats."),
        ("If the lease ends, the heir, agent, or owner shall pay.", "If the lease ends, the heir or owner shall pay."),
        ("If the lease ends, the heir or owner shall pay.", "If the lease ends, the owner shall pay."),
        ("A tenant may keep a dog, but shall keep it quiet.", "A tenant may keep a dog."),
        ("A tenant may keep a dog and may bark only at noon.", "A tenant may keep a dog and may bark."),
    ],
)
def test_a_part_that_says_more_than_the_law_is_withheld(sentence: str, text: str) -> None:
    assert checked(sentence, text).level == "WITHHELD"


TWO = "The landlord shall repair the roof; the tenant may inspect the roof."


def test_a_clause_of_its_own_may_be_stated_where_nothing_else_is_quoted() -> None:
    first, second = TWO.rstrip(".").split("; ")
    assert checked(TWO, f"{first}.", first).level == "CHECKED"
    assert checked(TWO, "The tenant may inspect the roof.", second).level == "CHECKED"
    assert checked(TWO, f"{first}.", TWO).level == "WITHHELD"


@pytest.mark.parametrize(
    ("second", "whole_quoted", "level"),
    [
        ("and shall paint the wall", False, "CHECKED"),
        ("and shall paint the wall", True, "WITHHELD"),
        ("and shall only use slate", False, "WITHHELD"),
        ("and shall use slate if it rains", False, "WITHHELD"),
    ],
)
def test_a_second_duty_is_left_out_only_where_it_limits_nothing_and_is_not_quoted(
    second: str, whole_quoted: bool, level: str
) -> None:
    first = "The landlord shall repair the roof"
    whole = f"{first} {second}."
    assert checked(whole, f"{first}.", whole if whole_quoted else first).level == level


@pytest.mark.parametrize(
    "tail", ["but the tenant may do so", "provided that the tenant agrees", "in that case the tenant may pay less"]
)
def test_a_clause_that_limits_another_is_never_left_out(tail: str) -> None:
    first = "The landlord shall repair the roof"
    assert checked(f"{first}; {tail}.", f"{first}.", first).level == "WITHHELD"


def test_items_of_a_list_are_no_clauses_of_their_own() -> None:
    block = EvidenceBlock(f"{URN}:1", "may open a lock;", lead_in="A person who:", flush="shall pay 100 dollars.")
    claim = DraftClaim("A person who may open a lock", (DraftCitation(block.urn, "may open a lock"),))
    assert verify_claim(claim, Evidence((block,), DAY)).level == "WITHHELD"


@pytest.mark.parametrize(
    ("sentence", "text", "level", "language"),
    [
        (
            "Wer vorsätzlich oder fahrlässig das Leben, die Freiheit oder das Eigentum verletzt, ist zum Ersatz "
            "verpflichtet.",
            "Wer fahrlässig das Eigentum verletzt, ist zum Ersatz verpflichtet.",
            "CHECKED",
            "de",
        ),
        (
            "Der Schuldner hat dem Gläubiger Zinsen oder Miete zu zahlen.",
            "Der Schuldner hat dem Gläubiger Miete zu zahlen.",
            "WITHHELD",
            "de",
        ),
        (
            "Le preneur ne peut céder le bail ou la chose.",
            "Le preneur ne peut céder le bail.",
            "CHECKED",
            "fr",
        ),
        ("Le preneur doit rendre le bail ou la chose.", "Le preneur doit rendre le bail.", "WITHHELD", "fr"),
    ],
)
def test_alternatives_are_told_in_other_languages(sentence: str, text: str, level: str, language: str) -> None:
    assert checked(sentence, text, language=language).level == level
