"""References that lean on another one of the same text, and years of editions: read where one reading is left."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.citecheck.references import Mention, find_mentions, find_unread, with_back_references
from rag.citecheck.ties import sentences_of
from rag.jurisdictions.registry import all_jurisdictions

USC = "urn:lex:us:42usc"


def read(text: str) -> list[Mention]:
    found, _ = find_mentions(text, all_jurisdictions())
    return with_back_references(text, found, find_unread(text, found))


def leaning(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """What was read beyond the grammars: the words and their URNs."""
    return [(text[mention.start : mention.end], mention.urns) for mention in read(text) if mention.note]


@pytest.mark.parametrize(
    ("text", "words", "urn"),
    [
        ("See 42 U.S.C. § 1983. Id.", "Id.", f"{USC}:1983"),
        ("See 42 U.S.C. § 1983. It says so. Ibid.", "Ibid.", f"{USC}:1983"),
        ("See 42 U.S.C. § 1983. Id. § 1985(3).", "Id. § 1985(3)", f"{USC}:1985:3"),
        ("See 42 U.S.C. § 1983. Id. at § 1985.", "Id. at § 1985", f"{USC}:1985"),
        ("See 42 U.S.C. § 1983. § 1988(b) gives fees.", "§ 1988(b)", f"{USC}:1988:b"),
        # Of two laws cited there the one of which the same section or part was cited.
        ("See 42 U.S.C. § 1983 and 11 CFR 9008.4. § 9008.5(b) is next.", "§ 9008.5(b)", "urn:lex:us:11cfr:9008.5:b"),
        ("See 42 U.S.C. § 1983 and 11 CFR 9008.4. § 1983(a) is next.", "§ 1983(a)", f"{USC}:1983:a"),
        # What the sentence only speaks of is not what `Id.` cites, unless it begins with that.
        ("It is barred, 42 U.S.C. § 1983. One kind of suit under 42 U.S.C. § 1985 is not. Id.", "Id.", f"{USC}:1983"),
        ("It is barred (42 U.S.C. § 1983). Suits under 42 U.S.C. § 1985 are, too (id.).", "id.", f"{USC}:1983"),
        ("It is barred, 42 U.S.C. § 1983. Under 42 U.S.C. § 1985 it is not. Id.", "Id.", f"{USC}:1985"),
    ],
)
def test_a_leaning_reference_is_read_with_what_it_leans_on(text: str, words: str, urn: str) -> None:
    assert leaning(text) == [(words, (urn,))]
    assert find_unread(text, read(text)) == []


@pytest.mark.parametrize(
    ("words", "names"),
    [("Id. at (b)", ("b",)), ("Id. (b)(2)", ("b", "2")), ("id., (c)", ("c",)), ("Id. at § 1983", None)],
)
def test_a_part_behind_id_is_one_of_the_same_section(words: str, names: tuple[str, ...] | None) -> None:
    *_, last = read(f"See 42 U.S.C. § 1983(a). {words}.")
    assert last.words == words
    assert (last.part.names if last.part else None) == names


@pytest.mark.parametrize(
    ("named", "said", "read_as"),
    [
        ("Section 7 of the Kite Act 1949", "s 24A(2) of the 1949 Act", ["s 24A(2) of the Kite Act 1949"]),
        (
            "The Kite (Amendment) Act 1949 (“the 1949 Act”)",
            "s 2 of the 1949 Act",
            ["s 2 of the Kite (Amendment) Act 1949"],
        ),
        (
            "Section 7 of the Kite Act 1949",
            "ss 1 and 2 of the 1949 Act",
            [f"ss {at} of the Kite Act 1949" for at in "12"],
        ),
        (
            "Regulation 7 of the Kite Regulations 2007",
            "reg 4 of the 2007 Regulations",
            ["reg 4 of the Kite Regulations 2007"],
        ),
        # Of another year, of another kind, and of two laws of one year.
        ("Section 7 of the Kite Act 1949", "s 24A(2) of the 1950 Act", ["s 24A(2) of the 1950 Act"]),
        ("Section 7 of the Kite Act 1949", "s 24A(2) of the 1949 Order", ["s 24A(2) of the 1949 Order"]),
        (
            "Section 7 of the Kite Act 1949, section 3 of the Lamp Act 1949",
            "s 2 of the 1949 Act",
            ["s 2 of the 1949 Act"],
        ),
    ],
)
def test_a_law_named_by_its_year_alone_is_the_one_that_the_text_names_so(
    named: str, said: str, read_as: list[str]
) -> None:
    text = f"{named} is old. So is {said}."
    assert [mention.words for mention in read(text) if mention.start >= text.index("So is")] == read_as


def test_a_law_named_by_its_year_alone_may_have_a_urn() -> None:
    assert leaning("Patents Act 1977, s 60. Section 61(1) of the 1977 Act goes on.") == [
        ("Section 61(1) of the 1977 Act", ("urn:lex:gb:ukpga-1977-37:61:1",))
    ]


@pytest.mark.parametrize("cited", ["42 U.S.C. § 1988(a)", "§ 1988(a)"])
def test_a_part_is_one_of_the_section_cited_behind_the_sentence(cited: str) -> None:
    text = f"Nobody sues under 42 U.S.C. § 1983 without standing. {cited}. Courts then award it under subsection (b)."
    *_, section, part = read(text)
    assert (section.words, part.words) == (cited, "subsection (b)")
    assert part.part is not None
    assert part.part.of == section.start


def test_a_numbered_article_needs_no_word_before_it() -> None:
    code = "urn:lex:fr:code-des-relations-entre-le-public-et-l-administration"
    text = "L'article L. 221-2 du CRPA est écarté : L. 523-1, 1°. Les articles L. 221-4 et L. 221-5 aussi, id., 2°."
    found = {text[mention.start : mention.end]: mention.urns for mention in read(text) if mention.note}
    [first, *_, whole] = found["L. 523-1, 1°"]
    assert (first, whole, found["id."]) == (f"{code}:l523-1:1", f"{code}:l523-1", found["L. 523-1, 1°"])


def test_a_decision_is_no_law_of_which_sections_are_read() -> None:
    assert leaning("Id. § 12. 410 U.S. 113 ") == []


def test_a_sentence_ends_with_its_reference() -> None:
    text = (
        "Die Miete zahlt er, § 556 Abs. 3 Satz 1 BGB. Danach nicht, Abs. 3 Satz 3. Zu Teilen ist er nicht verpflichtet."
    )
    found = [text[sentence.start : sentence.end] for sentence in sentences_of(text, read(text), [], "de")]
    assert found == [
        "Die Miete zahlt er, § 556 Abs. 3 Satz 1 BGB.",
        "Danach nicht, Abs. 3 Satz 3.",
        "Zu Teilen ist er nicht verpflichtet.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Id. It comes first.",
        "See 42 U.S.C. §§ 1983, 1985. Id.",  # which of the two
        "See 42 U.S.C. § 1983. Then 3 Foo. Bar. Rep. 12. Id.",  # something unread stands between
        "See 42 U.S.C. § 1983. Id. at 12.",  # a section has no pages
        "See 42 U.S.C. § 1983 and 16 CFR 310.4. § 12 is another matter.",  # of which of the two laws
        "See 42 U.S.C. § 1983. § 12 of the lease differs.",
        "See 42 U.S.C. § 1983. Smith, supra, at 5.",
    ],
)
def test_what_may_mean_several_things_stays_unread(text: str) -> None:
    assert leaning(text) == []
    assert find_unread(text, read(text))


def test_supra_finds_the_one_case_of_that_name() -> None:
    text = "Roe v. Wade, 410 U.S. 113 (1973). More follows. Roe, supra, at 116. Id. at 117."
    roe = next(mention for mention in read(text) if "410" in mention.words)
    assert [(mention.words, text[mention.start : mention.end]) for mention in read(text) if mention.note] == [
        (roe.words, "Roe, supra, at 116"),
        (roe.words, "Id. at 117"),
    ]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("347 U.S. at 490", "347 U.S. 483"),
        ("347 U. S., at 490-91", "347 U.S. 483"),
        ("347 U.S. at 520", "347 U.S. 497"),  # of two decisions in one volume the one that the page lies in
        ("see id. at 505", "347 U.S. 497"),
    ],
)
def test_a_page_of_a_reporter_is_one_of_the_decision_cited_in_full(short: str, full: str) -> None:
    text = f"Brown v. Board, 347 U.S. 483 (1954), and Bolling v. Sharpe, 347 U.S. 497 (1954), say so. So {short}."
    [one] = [mention for mention in read(text) if mention.note]
    assert (one.words, text[one.start : one.end], one.case) == (full, short.removeprefix("see "), "")
    assert find_unread(text, read(text)) == []


def test_a_page_of_a_volume_that_the_text_has_not_cited_stays_unread() -> None:
    text = "Brown v. Board, 347 U.S. 483 (1954), says so. So 348 U.S. at 490, and 347 U.S. at 12."
    assert [text[slice(*span)] for span in find_unread(text, read(text))] == ["348 U.S. at 490", "347 U.S. at 12"]


def test_the_name_before_a_decision_is_read_without_its_signal() -> None:
    text = "See Brown v. Board of Education, 347 U.S. 483 (1954); In re Gault, 387 U.S. 1 (1967). It is 410 U.S. 113."
    assert [mention.case for mention in read(text)] == ["Brown v. Board of Education", "In re Gault", ""]


def test_id_means_nothing_of_an_earlier_paragraph() -> None:
    text = "A keeper moors. 42 U.S.C. § 1983.\n\nUnder the comments of the agency on 42 U.S.C. § 1985, a port pays. Id."
    assert [mention.urns for mention in read(text)] == [(f"{USC}:1983",), (f"{USC}:1985",), (f"{USC}:1985",)]
    text = text.replace("\n\n", " ")
    assert [mention.urns for mention in read(text)] == [(f"{USC}:1983",), (f"{USC}:1985",), (f"{USC}:1983",)]


def test_id_before_a_full_reference_belongs_to_it() -> None:
    text = "See 42 U.S.C. § 1983. Id., 42 U.S.C. § 1985."
    assert find_unread(text, read(text)) == []
    assert [mention.urns for mention in read(text)] == [(f"{USC}:1983",), (f"{USC}:1985",)]


@pytest.mark.parametrize(
    ("after", "year"),
    [
        (" (2018).", 2018),
        (" (West 2015).", 2015),
        (" (2012 & Supp. V 2017).", 2012),
        (", (1982).", 1982),
        (" (1999).", 1999),
        (" was passed (2018).", None),
        (" (in 2018).", None),
        (".", None),
    ],
)
def test_the_year_of_an_edition_is_read(after: str, year: int | None) -> None:
    [one] = read(f"See 42 U.S.C. § 1983{after}")
    assert one.edition == year


PIECES = st.sampled_from(
    ["Id. ", "Id. at 5. ", "Id. § 12. ", "§ 12. ", "§ 3(b) of it ", "42 U.S.C. § 1983 ", "16 CFR 310.4 ",
     "Roe, supra. ", "410 U.S. 113 ", "Roe v. Wade, ", "\n\n", "It says so. ", "supra note 3 "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
def test_mentions_stay_in_order_and_apart_whatever_the_text(text: str) -> None:
    found = read(text)
    plain, _ = find_mentions(text, all_jurisdictions())
    assert [mention for mention in found if not mention.note] == plain
    assert [mention.start for mention in found] == sorted(mention.start for mention in found)
    for one, other in pairwise(found):
        assert one.end <= other.start
    assert all(mention.urns or not mention.assumed for mention in found)
