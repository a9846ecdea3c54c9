from __future__ import annotations

from itertools import pairwise

import pytest
from annotation_documents import DC, C, annotated, dc_document, par
from hypothesis import given
from hypothesis import strategies as st

from rag.languages.en.terms import EnglishTerms
from rag.law.term_uses import Sense, TermIndex, WordPlaces

ENGLISH = EnglishTerms()
TERMS = [
    "tenant",
    "rental unit",
    "rental unit fee",
    "act",
    "lease",
    "party",
    "goods",
    "mayor",
    "owner's lien",
    "and/or clause",
]


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("“Rental  Unit”", "rental unit"),
        ("The Mayor", "mayor"),
        ("a", "a"),
        ("‘Tenant’,", "tenant"),
        ("Cafe\u0301", "café"),
        ("owner’s lien", "owner's lien"),
    ],
)
def test_normal_form_of_a_term(written: str, normal: str) -> None:
    assert ENGLISH.normalise(written) == normal


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_for_words(text: str) -> None:
    once = ENGLISH.normalise(" ".join(part for part in text.split() if part.isalpha()))
    assert ENGLISH.normalise(f"“{once}”") in (once, ENGLISH.normalise(once))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a tenant of the rental unit", ["tenant", "rental unit"]),
        ("Tenants pay the rental unit fee", ["tenant", "rental unit fee"]),
        ("two rental units and three parties", ["rental unit", "party"]),
        ("the tenant’s rental unit", ["tenant", "rental unit"]),
        ("the owner’s lien", ["owner's lien"]),
        ("tenancy of subtenants", []),
        ("a co-tenant", []),
        ("a tenant-occupied house", ["tenant"]),
        ("good faith", []),
        ("rental, unit", []),
        ("the Equal Credit Opportunity Act", []),
        ("If the Act applies", ["act"]),
        ("who fails to act", []),
        ("shall lease the house", []),
        ("to lease the house", []),
        ("subject to lease", ["lease"]),
        ("Mayor Ada Rack", []),
        ("The Mayor decides", ["mayor"]),
        ("a notice that leases the house", []),
        ("she leases his house", []),
        ("the lease his lawyer wrote", ["lease"]),
        ("a fee that the lease states", ["lease"]),
        ("an and/or clause", ["and/or clause"]),
    ],
)
def test_uses_of_terms(text: str, expected: list[str]) -> None:
    assert [term for _, _, term in TermIndex(TERMS, ENGLISH).find(text)] == expected


@pytest.mark.parametrize(
    ("term", "sense", "text", "found"),
    [
        ("moor", Sense.ACTION, "A boat was moored.", True),
        ("moor", Sense.ACTION, "Whoever moors a boat", True),
        ("moor", Sense.ACTION, "fences on the adjoining moors", False),
        ("moor", Sense.ACTION, "its moors are wet", False),
        ("store", Sense.ACTION, "Every store shall close.", False),
        ("discharge", Sense.ACTION, "the discharge of oil", True),
        ("prescribed", Sense.STATE, "in the prescribed manner", True),
        ("prescribed", Sense.STATE, "as prescribed by order", True),
        ("prescribed", Sense.STATE, "a diet that has been prescribed", True),
        ("prescribed", Sense.STATE, "who has recently prescribed rest", False),
        ("prescribed", Sense.STATE, "The doctor prescribed a diet.", False),
        ("minister", Sense.NAME, "The Minister may act.", True),
        ("minister", Sense.NAME, "A minister may pray.", False),
        ("lot", None, "The lot is sold.", True),
        ("lot", None, "A lot of boats is sold.", False),
        ("interest", None, "An interest in land", True),
        ("interest", None, "in the interest of safety", False),
    ],
)
def test_what_a_definition_makes_of_its_word_decides_its_uses(
    term: str, sense: Sense | None, text: str, found: bool
) -> None:
    senses = {term: {sense}} if sense else {}
    assert bool(TermIndex([term], ENGLISH, senses).find(text)) is found


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        (("Minister", "boat"), "Ask the Minister. A minister of a church has a boat.", ["boat", "minister"]),
        (("Minister", "boat"), "A boat of the Minister.", ["boat", "minister"]),
        (("Minister", "Boat"), "A minister has a boat.", ["boat", "minister"]),
        (("Minister", "boat"), "A minister of a church has a boat.", ["boat", "minister"]),  # nowhere with its capital
    ],
)
def test_terms_of_a_rule(terms: tuple[str, str], text: str, expected: list[str]) -> None:
    items = [par(letter, f"“{term}” means one who acts;") for letter, term in zip("ab", terms, strict=True)]
    document = annotated(dc_document(*items, par("c", text), intro="In this section—"))
    assert document.used_terms[f"{DC}:98-301:c"] == expected


def test_what_has_a_corresponding_meaning_is_a_thing_or_a_verb() -> None:
    items = [par("a", "“sale” means a transfer for money; “sell” has a corresponding meaning.")]
    document = annotated(dc_document(*items, par("b", "Whoever is selling racks shall pay."), intro="In this section—"))
    assert document.used_terms[f"{DC}:98-301:b"] == ["sell"]


def test_what_is_read_accordingly_needs_the_term_before_it() -> None:
    items = [par("a", "“Ferry” means a boat for hire;"), par("b", "“operator” is to be read accordingly;")]
    document = annotated(dc_document(*items, par("c", "Tell the operator."), intro="In this section—"))
    assert document.used_terms == {f"{DC}:98-301:b": ["ferry"], f"{DC}:98-301:c": ["operator"]}


def test_a_heading_alone_uses_no_term_unless_it_is_all_the_words_of_its_node() -> None:
    items = [par("a", "“Lot” means a grave."), par("b", "Pay ten percent.", heading="Care of lots")]
    above = [par("c", heading="Sale of lots"), par("c:1", "Pay ten percent.", level="subparagraph")]
    alone = par("d", heading="Sale of lots")
    document = annotated(dc_document(*items, *above, alone, intro="In this section—"))
    assert document.used_terms == {f"{DC}:98-301:d": ["lot"]}


def test_any_form_of_a_word_is_meant_where_it_is_defined_for_one_section_alone() -> None:
    def used(scope: str) -> dict[str, list[str]]:
        meaning = par("b", f"In this {scope} “transfer” includes a letting of a plot for more than a year.")
        return annotated(dc_document(par("a", "A holder shall not transfer a plot."), meaning)).used_terms

    assert used("section") == {f"{DC}:98-301:a": ["transfer"]}
    assert used("chapter") == {}


def test_a_verb_that_rules_use_only_as_a_thing_is_one() -> None:
    def used(*rules: str) -> list[str]:
        parts = [par(letter, text) for letter, text in zip("bc", rules, strict=False)]
        document = annotated(dc_document(par("a", "“Bet” means to stake money."), *parts, intro="In this section—"))
        return document.used_terms.get(f"{DC}:98-301:b", [])

    assert used("Every bet is void.") == ["bet"]
    assert used("Every bet is void.", "No child may bet.") == []


def test_a_capital_tells_a_name_where_other_terms_of_the_list_are_small() -> None:
    items = [par("a", "“Minister” means one who acts;"), par("b", "“boat” means a ship.")]
    rules = [par("c", "Ask the Minister for a boat."), par("d", "A minister has a boat.")]
    document = annotated(dc_document(*items, *rules, intro="In this section—"))
    assert [document.used_terms[f"{DC}:98-301:{letter}"] for letter in "cd"] == [["boat", "minister"], ["boat"]]


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("person in charge", "the persons in charge", True),
        ("attorney general", "two attorneys general", True),
        ("rights of way", "a right of way", True),
        ("child", "three children", True),
        ("foster children", "a foster child", True),
        ("salesman", "the salesmen", True),
        ("statutes", "a statute", True),
        ("third parties", "a third party", True),
        ("goods", "a good", False),
        ("boss", "a bos", False),
        ("criterion", "these criteria", True),
        ("media", "a medium", False),
        ("person", "the people", False),
        ("person in charge", "a person in chief", False),
    ],
)
def test_plural_of_the_head_noun_is_a_use(term: str, text: str, found: bool) -> None:
    assert bool(TermIndex([term], ENGLISH).find(text)) is found


@pytest.mark.parametrize(
    ("meaning", "text", "found"),
    [
        ("“Sell” means to hand over for money.", "No person shall sell racks.", True),
        ("“Sell” includes to offer a thing.", "Racks sold in May.", True),
        ("“Sell” means handing a thing over.", "A person may not sell.", True),
        ("To “sell” includes a gift.", "He wants to sell the rack.", True),
        ("“Ship” means to send.", "Shipping and shipped racks.", True),
        ("“Carry on trade” means to sell often.", "Who carries on trade pays.", True),
        ("“Promote” includes organize.", "No person may promote a ride.", True),
        ("“Stand” includes shelf.", "No person may stand. A stand is dry.", True),
        ("“Build” means to put up.", "A building is dry.", False),
        ("“Lease” means a contract.", "A person may lease a rack.", False),
        ("“Lease” means anything written.", "A person may lease a rack.", False),
        ("“Lease” means a contract, and “sell” means to hand over.", "A person may lease a rack.", False),
        ("“Lease” means a contract.", "A lease is void.", True),
    ],
)
def test_a_verb_that_the_law_defines_is_used_by_verbs_and_a_noun_is_not(meaning: str, text: str, found: bool) -> None:
    parsed = dc_document(par("1", meaning), par("2", text), intro="For the purposes of this chapter, the term:")
    assert (f"{DC}:98-301:2" in annotated(parsed).used_terms) is found


def test_a_verb_is_told_by_its_first_item() -> None:
    parsed = dc_document(
        par("1", intro="“Sell” means—"), par("1:a", "to hand over;"), par("2", "No person shall sell racks."),
        intro="For the purposes of this chapter, the term:",
    )  # fmt: skip
    assert annotated(parsed).used_terms == {f"{DC}:98-301:2": ["sell"]}


def test_possessive_lies_outside_the_span() -> None:
    text = "the tenant’s house"
    [(start, end, _)] = TermIndex(["tenant"], ENGLISH).find(text)
    assert text[start:end] == "tenant"


def test_longer_term_out_of_scope_does_not_hide_a_shorter_one() -> None:
    index = TermIndex(TERMS, ENGLISH)
    assert [term for _, _, term in index.find("the rental unit fee", {"rental unit"})] == ["rental unit"]


def test_heading_in_capitals_uses_its_terms() -> None:
    index = TermIndex(["rental unit"], ENGLISH)
    assert index.find("Rental Unit Registration", heading=True)
    assert not index.find("Rental Unit Registration")


@given(
    st.lists(st.sampled_from(["tenant", "pays", "rental", "unit", "fee", "the", ",", "act's", "units"]), max_size=12)
)
def test_spans_are_ordered_inside_the_text_and_do_not_overlap(words: list[str]) -> None:
    text = " ".join(words)
    found = TermIndex(TERMS, ENGLISH).find(text)
    assert all(text[start:end].lower().startswith(term[:3]) for start, end, term in found)
    assert all(first[1] <= second[0] for first, second in pairwise(found))


def test_terms_are_used_inside_their_scope_only() -> None:
    parsed = annotated(
        dc_document(par("1", "“Operator” means a person."), intro="For the purposes of this chapter, the term:")
    )
    assert parsed.used_terms.get(f"{DC}:98-302") == ["operator"]
    assert f"{DC}:98-401" not in parsed.used_terms


def test_longest_term_in_scope_is_used_and_out_of_its_scope_the_shorter_one() -> None:
    parsed = dc_document(
        par("1", "“Deposit” means money."),
        par("2", "In this section, “security deposit” means money for damage."),
        par("3", "A security deposit is small."),
        intro="For the purposes of this chapter, the term:",
    )
    parsed.nodes[-3].content_text = "A security deposit is due."
    used = annotated(parsed).used_terms
    assert used[f"{DC}:98-301:3"] == ["security deposit"]
    assert used[f"{DC}:98-302"] == ["deposit"]


def test_defining_paragraph_and_its_parts_do_not_use_their_own_term() -> None:
    parsed = dc_document(
        par("1", intro="“Operator” means:"),
        par("1:a", "An operator of racks."),
        par("2", "“Rack” means an operator’s frame."),
        intro="For the purposes of this chapter, the term:",
    )
    used = annotated(parsed).used_terms
    assert used[f"{DC}:98-301:1:a"] == ["rack"]
    assert used[f"{DC}:98-301:2"] == ["operator"]


def test_heading_and_flush_text_count_as_uses() -> None:
    parsed = annotated(
        dc_document(par("1", "“Rack” means a frame."), intro="For the purposes of this chapter, the term:")
    )
    assert parsed.used_terms[f"{DC}:98-302"] == ["rack"]
    assert C not in parsed.used_terms


def test_two_terms_that_are_forms_of_one_word_are_both_used() -> None:
    both = TermIndex(["bare rack", "bare racks"], ENGLISH)
    assert both.find("A bare rack is free.") == [(2, 11, "bare rack"), (2, 11, "bare racks")]
    assert both.find("A bare rack is free.", {"bare racks"}) == [(2, 11, "bare racks")]


_WORDS = st.lists(
    st.sampled_from(["tenant", "Tenants", "rental", "unit", "units", "fee", "of", ".", "lease", "leases"]), max_size=6
)


@given(st.lists(_WORDS.map(" ".join), max_size=6), st.sets(st.sampled_from(TERMS), max_size=3))
def test_terms_are_looked_for_in_every_text_that_uses_one(texts: list[str], terms: set[str]) -> None:
    index = TermIndex(terms, ENGLISH)
    using = [number for number, text in enumerate(texts) if index.find(text)]
    places = WordPlaces(texts, ENGLISH).of(index)
    assert set(using) <= set(places)
    assert places == sorted(set(places))
    assert all(any(word in texts[number].lower() for word in index.first_words) for number in places)


@given(st.lists(_WORDS.map(" ".join), max_size=6), st.sets(st.sampled_from(TERMS), max_size=3), st.integers(0, 20))
def test_uses_are_the_same_however_many_tokens_are_kept(texts: list[str], terms: set[str], most: int) -> None:
    words = WordPlaces(texts, ENGLISH, most)
    kept = sum(len(words.tokens(text)) for text in set(texts) if words.tokens(text) is words.tokens(text))
    assert kept <= most
    found = words.index(terms)
    assert [found.find(text) for text in (*texts, "A unit.")] == [
        TermIndex(terms, ENGLISH).find(text) for text in (*texts, "A unit.")
    ]
