"""A citation made of a URN is read as that URN again, for every provision that the examples of the grammars cite."""

from __future__ import annotations

import pytest

from rag.jurisdictions.citing import cited_as
from rag.jurisdictions.registry import all_jurisdictions

CITED = sorted(
    {urn for jurisdiction in all_jurisdictions() for _, urns in jurisdiction.examples for urn in urns if cited_as(urn)}
)


@pytest.mark.parametrize(
    ("urn", "citation"),
    [
        ("urn:lex:us:17usc:106:1:a", "17 U.S.C. § 106(1)(A)"),
        ("urn:lex:us:16cfr:310.4:b:1", "16 C.F.R. § 310.4(b)(1)"),
        ("urn:lex:us-dc:code:42-3502.22:b:1:h:ii", "D.C. Code § 42-3502.22(b)(1)(H)(ii)"),
        ("urn:lex:us-dc:code:28:9-340", "D.C. Code § 28:9-340"),
        ("urn:lex:ma:940cmr:3.01:def.owner", "940 CMR 3.01"),
        ("urn:lex:ma:mgl-93a:2", "M.G.L. c. 93A, § 2"),
        ("urn:lex:de:bgb:312g:1", "§ 312g(1) BGB"),
        ("urn:lex:de:gg:1", "Art. 1 GG"),
        ("urn:lex:fr:code-de-la-consommation:l221-18", "Code de la consommation, art. L221-18"),
        ("urn:lex:eu:32016r0679:6:1:f", "GDPR, art. 6(1)(f)"),
        ("urn:lex:us:17usc:101:audiovisual-works", "17 U.S.C. § 101"),
        ("urn:lex:us:17usc", "17 U.S.C."),
        ("urn:lex:de:bgb", "BGB"),
        ("urn:lex:us-dc:doc:house-rules:0007", "house-rules, part 7"),
        ("urn:lex:us-dc:code:title_42", ""),
        ("urn:lex:de:bgb:308:nr.5", ""),
        ("urn:lex:de:no-known-law:3", ""),
    ],
)
def test_a_provision_is_cited_as_its_law_is(urn: str, citation: str) -> None:
    assert cited_as(urn) == citation


@pytest.mark.parametrize("urn", CITED)
def test_what_is_cited_is_found_by_its_citation(urn: str) -> None:
    code = urn.split(":")[2].replace("ma", "us-ma", 1) if urn.startswith("urn:lex:ma:") else urn.split(":")[2]
    grammar = next(jurisdiction for jurisdiction in all_jurisdictions() if jurisdiction.code == code)
    read = {query for query in grammar.tag_queries(cited_as(urn)) if query.hint is None}
    named = {str(tag_filter.value).casefold() for query in read for tag_filter in query.tag_filters.filters}
    assert urn in named or urn.split(":")[4] in named, cited_as(urn)


def test_the_examples_have_provisions_of_every_form() -> None:
    assert len(CITED) > 60
    assert {urn.split(":")[2] for urn in CITED} >= {"us", "us-dc", "ma", "de", "fr", "eu"}
