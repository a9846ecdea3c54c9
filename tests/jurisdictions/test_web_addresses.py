"""Addresses of official publications name the provision that they show."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.jurisdictions.grammar.web_addresses import ADDRESSES

NAMED = (
    ("https://www.legislation.gov.uk/ukpga/1968/60/section/1", "urn:lex:gb:ukpga-1968-60:1"),
    ("http://www.legislation.gov.uk/id/ukpga/1968/60/section/1/1", "urn:lex:gb:ukpga-1968-60:1:1"),
    ("legislation.gov.uk/uksi/2013/3134/regulation/5/2005-01-01", "urn:lex:gb:uksi-2013-3134:5"),
    ("ukpga/2002/16", "urn:lex:gb:ukpga-2002-16"),
    ("ukpga/2002/16/schedule/3/paragraph/2", "urn:lex:gb:ukpga-2002-16:sch.3:2"),
    ("ukpga/2002/16/schedule/3/part/1/paragraph/2", "urn:lex:gb:ukpga-2002-16:sch.3:2"),
    ("https://caselaw.nationalarchives.gov.uk/uksc/2024/1", "urn:lex:gb:uksc-2024-1"),
    ("https://caselaw.nationalarchives.gov.uk/id/uksc/2024/1", "urn:lex:gb:uksc-2024-1"),
    ("https://caselaw.nationalarchives.gov.uk/ewca/civ/2023/99", "urn:lex:gb:ewca-civ-2023-99"),
    ("https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:32016R0679", "urn:lex:eu:32016r0679"),
    ("https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX%3A32016R0679&from=EN", "urn:lex:eu:32016r0679"),
    ("http://data.europa.eu/eli/reg/2016/679/oj", "urn:lex:eu:32016r0679"),
    ("http://data.europa.eu/eli/reg/2016/679/art_6/oj", "urn:lex:eu:32016r0679:6"),
    ("https://www.gesetze-im-internet.de/bgb/__823.html", "urn:lex:de:bgb:823"),
    ("https://www.gesetze-im-internet.de/gg/art_1.html", "urn:lex:de:gg:1"),
    ("https://www.gesetze-im-internet.de/sgb_2/__7.html", "urn:lex:de:sgb-2:7"),
    ("https://www.gesetze-im-internet.de/bdsg_2018/", "urn:lex:de:bdsg"),
    (
        "https://www.ecfr.gov/current/title-12/chapter-X/part-1002/subpart-A/section-1002.5#p-1002.5(b)(1)",
        "urn:lex:us:12cfr:1002.5:b:1",
    ),
    ("https://www.ecfr.gov/current/title-12/part-1002", "urn:lex:us:12cfr:part_1002"),
    ("https://www.law.cornell.edu/uscode/text/17/107", "urn:lex:us:17usc:107"),
    ("https://www.law.cornell.edu/cfr/text/12/1002.5", "urn:lex:us:12cfr:1002.5"),
    (
        "https://uscode.house.gov/view.xhtml?req=granuleid:USC-prelim-title17-section107&num=0&edition=prelim",
        "urn:lex:us:17usc:107",
    ),
    ("https://code.dccouncil.gov/us/dc/council/code/sections/42-3502.17", "urn:lex:us-dc:code:42-3502.17"),
    ("https://code.dccouncil.gov/us/dc/council/code/sections/28:2-314.html", "urn:lex:us-dc:code:28:2-314"),
    ("https://laws.e-gov.go.jp/law/129AC0000000089", "urn:lex:jp:129ac0000000089"),
    ("https://laws.e-gov.go.jp/law/129AC0000000089#Mp-At_709", "urn:lex:jp:129ac0000000089:709"),
)


@pytest.mark.parametrize(("address", "urn"), NAMED)
def test_an_address_names_its_provision_with_certainty(address: str, urn: str) -> None:
    queries = ADDRESSES.tag_queries(address)
    assert {value for query in queries for value in query.tag_filters.filters[0].values} == {urn}
    assert all(query.hint is None for query in queries)


@pytest.mark.parametrize(
    ("address", "day"),
    [
        ("https://www.legislation.gov.uk/ukpga/2000/38/section/19/2014-04-01", date(2014, 4, 1)),
        ("https://www.ecfr.gov/on/2017-01-03/title-11/section-100.5", date(2017, 1, 3)),
        ("https://www.legifrance.gouv.fr/codes/article_lc/LEGIARTI000032041571/2016-10-01", date(2016, 10, 1)),
        ("https://www.ecfr.gov/current/title-11/section-100.5", None),
    ],
)
def test_an_address_that_names_a_day_asks_for_the_law_of_that_day(address: str, day: date | None) -> None:
    assert {tag_query.at_date for tag_query in ADDRESSES.tag_queries(address)} == {day}


@pytest.mark.parametrize("address", ["ukpga/2002/16/enacted", "ukpga/2002/16/section/3/2/enacted", "uksi/1998/1/made"])
def test_an_address_of_the_text_as_first_made_is_never_certain(address: str) -> None:
    queries = ADDRESSES.tag_queries(address)
    assert queries
    assert all(query.hint and "first made" in query.hint for query in queries)
    assert not any("enacted" in value for query in queries for value in query.tag_filters.filters[0].values)


def test_a_day_that_no_calendar_has_names_nothing() -> None:
    assert ADDRESSES.tag_queries("https://www.ecfr.gov/on/2017-02-31/title-11/section-100.5") == []


def test_an_identifier_of_legifrance_is_looked_up_as_an_alias() -> None:
    [query] = ADDRESSES.tag_queries("https://www.legifrance.gouv.fr/codes/article_lc/LEGIARTI000032041571/2016-10-01")
    assert (query.tag_filters.filters[0].key, query.tag_filters.filters[0].value) == (
        "alias",
        "fr.legiarti000032041571",
    )


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/ukpga/1968/60/section/1",
        "https://www.legislation.gov.uk.example.org/ukpga/1968/60",
        "https://www.legislation.gov.uk/ukpga/1968/60/section/1?query=theft",
        "see https://www.law.cornell.edu/uscode/text/17/107",
        "https://www.law.cornell.edu/wex/theft",
        "17 U.S.C. § 107",
        "",
    ],
)
def test_nothing_else_is_an_address(other: str) -> None:
    assert ADDRESSES.tag_queries(other) == []


@given(st.text(max_size=200))
def test_any_string_is_read_or_left(text: str) -> None:
    for query in ADDRESSES.tag_queries(text):
        assert query.hint is None
