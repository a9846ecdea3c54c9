from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from cited_laws import citations, law, published, read_at
from hypothesis import given
from hypothesis import strategies as st

from rag.jurisdictions.registry import jurisdiction_for
from retrieval.paths import parse_urn
from retrieval.tag_query import TagFilterSet

EU = jurisdiction_for("eu")
ACT = "urn:lex:eu:32031r0007"
GDPR = "urn:lex:eu:32016r0679"
_ROWS: list[tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, str]] = [
    ("rec.1", "recital"), ("chapter_ii", "chapter"), ("1", "article"), ("1:1", "paragraph"), ("1:1:a", "point"),
    ("1:1:b", "point"), ("1:1:sub.2", "subparagraph"), ("1:2", "paragraph"), ("1:2:a", "point"), ("2", "article"),
    ("2:1", "paragraph"), ("annex.i", "annex"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "urn"),
    [
        ("Regulation (EU) 2016/679", "urn:lex:eu:32016r0679"),
        ("Regulation (EC) No 765/2008", "urn:lex:eu:32008r0765"),
        ("Regulation (EEC) No 2658/87", "urn:lex:eu:31987r2658"),
        ("Regulation (EU, Euratom) 2018/1046", "urn:lex:eu:32018r1046"),
        ("Regulation No 1/2003", "urn:lex:eu:32003r0001"),
        ("Directive 2014/24/EU", "urn:lex:eu:32014l0024"),
        ("Commission Recommendation 2003/361/EC", "urn:lex:eu:32003h0361"),
        ("Framework Decision 2002/584/JHA", "urn:lex:eu:32002f0584"),
        ("règlement (CE) n° 44/2001", "urn:lex:eu:32001r0044"),
        ("Verordnung (EG) Nr. 44/2001", "urn:lex:eu:32001r0044"),
        ("Richtlinie 93/13/EWG", "urn:lex:eu:31993l0013"),
        ("32016R0679", GDPR),
        ("Article 4(1)(a), first subparagraph, of Regulation (EU) 2016/679", f"{GDPR}:4:1:a"),
        ("second subparagraph of Article 6(1) of Regulation (EU) 2016/679", f"{GDPR}:6:1:sub.2"),
        ("Art. 6 Abs. 1 S. 1 lit. f DSGVO", f"{GDPR}:6:1:f"),
        ("Article 28bis of Directive 2010/13/EU", "urn:lex:eu:32010l0013:28bis"),
        ("article\u00a06,\u00a0paragraphe\u00a01, du RGPD", f"{GDPR}:6:1"),
    ],
)
def test_written_forms_are_read(text: str, urn: str) -> None:
    [found] = EU.find_references(text, None)
    assert (found.urns, found.confident) == ((urn,), True)


@pytest.mark.parametrize(
    "text",
    [
        "Article 101 TFEU", "Article 6(1) TEU", "Article 8 of the Charter", "ECLI:EU:C:2014:317",
        "OJ L 119, 4.5.2016, p. 1", "Article 8 of the European Convention", "32016R0679R(02)",
    ],
)  # fmt: skip
def test_law_without_urn_scheme_is_external(text: str) -> None:
    [found] = EU.find_references(text, None)
    assert (found.kind, found.urns) == ("external", ())


@pytest.mark.parametrize("text", ["95/46/EC", "C-131/12", "Case T-315/01"])
def test_number_that_may_name_another_act_is_not_certain(text: str) -> None:
    [found] = EU.find_references(text, None)
    assert found.urns
    assert not found.confident


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        ("1:1:a", "this Regulation", [""]),
        ("1:1:a", "paragraph 2", ["1:2"]),
        ("1:1:a", "points (a) and (b)", ["1:1:a", "1:1:b"]),
        ("1:2:a", "point (b) of paragraph 1", ["1:1:b"]),
        ("1:1:sub.2", "point (a) of the first subparagraph", ["1:1:a"]),
        ("1:1:a", "second subparagraph", ["1:1:sub.2"]),
        ("1:1:a", "Article 2(1)", ["2:1"]),
        ("1:1:a", "Articles 1 to 2", ["1", "2"]),
        ("1:1:a", "paragraph 1 of this Article", ["1:1"]),
        ("1:1:a", "recital 1", ["rec.1"]),
        ("1:1:a", "Annex I", ["annex.i"]),
        ("1:1:a", "Chapter II", ["chapter_ii"]),
    ],
)
def test_reference_is_read_from_its_place(at: str, text: str, expected: list[str]) -> None:
    [found] = read_at(law(ACT, *_ROWS), at, text, "eu")
    assert [urn.removeprefix(ACT).lstrip(":") for urn in found.urns] == expected
    assert found.confident


@pytest.mark.parametrize(
    "text",
    [
        "Article 1 of the Charter of the United Nations", "Article 1 or Article 2 of Directive 95/46/EC", "Article 99",
        "Regulation (EU) 2016/679, and Article 1 thereof",
    ],
)  # fmt: skip
def test_article_of_other_law_is_never_certainly_one_of_this_act(text: str) -> None:
    found = read_at(law(ACT, *_ROWS), "1:1", text, "eu")
    assert not [
        urn for reference in found if reference.confident for urn in reference.urns if urn.startswith(f"{ACT}:")
    ]


def test_that_directive_is_the_last_one_named() -> None:
    found = read_at(law(ACT, *_ROWS), "1:1", "Directive 95/46/EC and Article 3 of that Directive", "eu")
    assert [reference.urns for reference in found] == [("urn:lex:eu:31995l0046",), ("urn:lex:eu:31995l0046:3",)]


@pytest.mark.parametrize(
    "text", ["a point for discussion", "third parties and that part of it", "the UK GDPR", "No 5/2016"]
)
def test_everyday_words_are_no_references(text: str) -> None:
    assert EU.find_references(text, None) == []


_PIECES = st.sampled_from([
    "Article ", "Art. ", "6", "(1)", "(f)", " of ", "the ", "GDPR", "Regulation (EU) ", "2016/679", "Directive ",
    "95/46/EC", " and ", " to ", "point (a)", "paragraph 2", "this ", "C-131/12", "TFEU", "recital ", "\u00a0",
    "\ud800", "\x00", "\u202e", "Abs. 1", "lit. f", "first subparagraph", "32016R0679", "OJ L 119",
    "ECLI:EU:C:2014:317",
])  # fmt: skip


@given(st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=40).map("".join))
def test_any_text_gives_ordered_references_with_sound_urns(text: str) -> None:
    for found in (EU.find_references(text, None), read_at(law(ACT, *_ROWS), "1:1:a", text, "eu")):
        assert all(reference.text == text[reference.start : reference.end] for reference in found)
        assert all(first.end <= second.start for first, second in pairwise(found))
        assert all(parse_urn(urn).text == urn for reference in found for urn in reference.urns)
    for query in EU.tag_queries(text):
        assert query.tag_filters.filters


@pytest.mark.data
def test_references_of_the_published_regulation_exist(shared_data: Path) -> None:
    [document] = published(shared_data / "eu-gdpr")
    rows = [
        (urn, index.node(urn) is not None, found)
        for node, found, index in citations(document, "eu")
        if node.level != "citation"
        for urn in found.urns
    ]
    own = [there for urn, there, found in rows if urn.startswith(document.urn) and found.confident]
    assert len(own) > 900
    assert sum(own) / len(own) >= 0.99
    assert sum(not found.confident for _, _, found in rows) <= 5


@pytest.mark.data
def test_treaties_and_acts_that_published_acts_name_are_read_as_queries(shared_data: Path) -> None:
    paths = ("eu-gdpr/gdpr.json", "uk-clml/eur_20140319_adopted_en.xml", "uk-clml/eudn_2004_605_adopted.xml")
    text = " ".join((shared_data / path).read_text(encoding="utf-8") for path in paths)
    treaties = {"TFEU": "TFEU", "of the Charter": "Charter", "of the Treaty on European Union": "TEU"}
    articles = set(re.findall(rf"\bArticle (\d+)(?:\(\d+\))? ({'|'.join(treaties)})", text))
    assert {treaty for _, treaty in articles} == {*treaties}
    for number, treaty in articles:
        [query] = EU.tag_queries(f"Article {number} {treaty}")
        assert query.tag_filters == TagFilterSet.from_tags({"article_number": number, "treaty": treaties[treaty]})
    acts = set(re.findall(r"\b((Regulation|Directive) (?:\(E[A-Z]+\) No )?(\d+)/(\d+)\b(?:/E[CU])?)", text))
    assert len(acts) > 20
    for written, kind, first, second in acts:
        year, number = (first, second) if kind == "Directive" or int(first) == 2016 else (second, first)
        celex = f"3{year if len(year) == 4 else f'19{year}'}{kind[0] if kind == 'Regulation' else 'L'}{int(number):04}"
        [query] = EU.tag_queries(written)
        assert query.tag_filters == TagFilterSet.from_tags({"urn": f"urn:lex:eu:{celex.lower()}"})
