"""Reading the operators of English legal sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.languages.en.operators import Kind, read
from rag.languages.en.tokens import stem


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("within thirty (30) days", Kind.NUMBER, ("30",)),
        ("1,500.50 or 007", Kind.NUMBER, ("1500.5", "7")),
        ("one hundred and twenty-five", Kind.NUMBER, ("125",)),
        ("two thousand three hundred", Kind.NUMBER, ("2300",)),
        ("1.5 million dollars", Kind.NUMBER, ("1500000",)),
        ("two-thirds of the price and 2/3 of the rest", Kind.NUMBER, ("2/3", "2/3")),
        ("one-half or half", Kind.NUMBER, ("1/2", "1/2")),
        ("the first day and the 2nd day", Kind.NUMBER, ("#1", "#2")),
        ("one million two hundred thousand", Kind.NUMBER, ("1200000",)),
        ("treble damages", Kind.NUMBER, ("x3",)),
        ("(1) pay; (2) sign", Kind.NUMBER, ()),
        ("$5 per day or 3%", Kind.UNIT, ("dollar", "day", "percent")),
        (
            "10 business days or 10 working days or 10 calendar days",
            Kind.UNIT,
            ("business day",) * 2 + ("calendar day",),
        ),
        ("3 per cent", Kind.UNIT, ("percent",)),
        ("It shall pay and must sign and is required to go", Kind.MODALITY, ("OBLIGATION",) * 3),
        ("No person shall sue", Kind.MODALITY, ("PROHIBITION",)),
        ("A person may not sue; nobody may", Kind.MODALITY, ("PROHIBITION",) * 2),
        ("The tenant need not pay", Kind.MODALITY, ("NO_OBLIGATION",)),
        ("If no objection is filed the court shall decide", Kind.MODALITY, ("OBLIGATION",)),
        ("He has no right and it shall stay", Kind.MODALITY, ("OBLIGATION",)),
        ("No person shall not pay", Kind.MODALITY, ("PROHIBITION",)),
        ("in May 2020 the court may act", Kind.MODALITY, ("PERMISSION",)),
        ("May 1 is the date", Kind.MODALITY, ()),
        ("If no objection is filed", Kind.NEGATION, ("NOT",)),
        ("No person shall sue", Kind.NEGATION, ()),
        ("it isn't due and can't be, without notice", Kind.NEGATION, ("NOT",) * 3),
        ("in no event", Kind.NEGATION, ("NOT",)),
        ("at least 2, not more than 3", Kind.COMPARATOR, ("AT_LEAST", "AT_MOST")),
        ("not less than 2 or more than 3", Kind.COMPARATOR, ("AT_LEAST", "MORE")),
        ("under this section, under 18, over the age of 5", Kind.COMPARATOR, ("LESS", "MORE")),
        ("prior to the sale and subsequent to it", Kind.COMPARATOR, ("BEFORE", "AFTER")),
        ("2 or more and and/or", Kind.CONNECTIVE, ("and", "and", "or")),
        ("unless he pays, other than rent, provided, however, that", Kind.EXCEPTION, ("UNLESS", "EXCEPT", "PROVIDED")),
        ("if, where and in the event that", Kind.CONDITION, ("IF",) * 3),
        ("only if it is due", Kind.EXCEPTION, ("ONLY_IF",)),
        ("all rents in all cases", Kind.ABSOLUTE, ("ALL", "ALWAYS")),
        ("the tenant who pays", Kind.RELATIVE, ("who",)),
        ("under § 5(b) and section 5(b)", Kind.REFERENCE, ("section 5(b)",) * 2),
        ("paragraphs (1), (2), or (3)", Kind.REFERENCE, ("paragraph (1)", "(2)", "(3)")),
        ("15 U.S.C. § 1601(a) and 16 CFR 310.4", Kind.REFERENCE, ("15 usc section 1601(a)", "16 cfr 3104")),
        ("28:9-516(b)", Kind.REFERENCE, ("section 28:9-516(b)",)),
        ("(a) pay; (b) sign", Kind.DESIGNATOR, ("(a)", "(b)")),
        ("the landlord shall pay the tenant", Kind.PARTY, ("landlord", "tenant")),
        ("paid by the tenant to a landlord", Kind.PARTY, ("by tenant", "to landlord")),
        ("the registrant sues the franchiser", Kind.PARTY, ("registrant", "franchiser")),
        ("pursuant to the Mayor's order", Kind.PARTY, ("mayor",)),
        ("the seller shall be paid", Kind.VOICE, ("PASSIVE",)),
    ],
)
def test_a_text_has_these_operators(text: str, kind: Kind, values: tuple[str, ...]) -> None:
    assert read(text).sequence(kind) == values


def test_a_defined_term_counts_as_a_party_and_stays_whole() -> None:
    reading = read("The housing provider and the covered entity agree", terms=("Housing provider", "covered entities"))
    assert reading.sequence(Kind.PARTY) == ("hous provider", "cover entiti")


def test_content_leaves_out_operators_and_neutral_words() -> None:
    reading = read("The tenant shall pay the monthly rent within 30 days under this section")
    assert reading.content == ("tenant", "pay", "monthli", "rent")


@pytest.mark.parametrize(
    "group",
    [
        ["deposit", "deposits", "deposited", "depositing"],
        ["notify", "notifies", "notified", "notifying"],
        ["lease", "leases", "leased", "leasing"],
        ["pay", "pays", "paid", "paying"],
        ["permit", "permits", "permitted", "permitting"],
        ["charge", "charged"],
        ["agree", "agrees", "agreed"],
    ],
)
def test_inflections_share_a_stem(group: list[str]) -> None:
    assert len({stem(word) for word in group}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("lessor", "lessee"), ("mortgage", "mortgagee"), ("mortgagor", "mortgagee"), ("employer", "employee")],
)
def test_different_parties_have_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@given(st.text(max_size=200) | st.text(alphabet="no shallmay.,(1)§ 5%$", max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    reading = read(text, terms=(text[:10],))
    assert reading == read(text, terms=(text[:10],))


@pytest.mark.parametrize(
    "unit", ["no ", "9", "§", "(1)", "one hundred and ", "not more ", "section ", "paragraph (1), ", "a.b."]
)
def test_no_text_makes_reading_slow(unit: str) -> None:
    assert read(unit * 5_000) == read(unit * 5_000)
