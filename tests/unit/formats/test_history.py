"""What made, changed and ended provisions: edges from the publishers' own notes, on published files."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from rag.ingest.formats import history
from rag.ingest.formats.registry import discover
from rag.law.nodes import Link


def edges(path: Path) -> list[Link]:
    """All history edges of what a path holds."""
    found: list[Link] = []
    for form, source in discover(path).sources:
        document = form.parse(source)
        urns = {node.urn for node in document.nodes}
        assert all(link.source_urn in urns for link in document.links)
        found += [link for link in document.links if link.properties.get("place") == "history"]
    return found


def of(links: list[Link], urn: str) -> list[tuple[str, str, str]]:
    return [(link.kind, link.target_urn, link.properties.get("date", "")) for link in links if link.source_urn == urn]


def test_a_section_of_the_dc_code_names_the_acts_that_made_and_changed_it(shared_data: Path) -> None:
    links = edges(shared_data / "dc-code-xml")
    assert of(links, "urn:lex:us-dc:code:42-3502.17") == [
        ("created_by", "urn:lex:us-dc:law-6-10:217", "1985-07-17"),
        ("amended_by", "urn:lex:us-dc:law-16-276", "2007-03-14"),
        ("amended_by", "urn:lex:us-dc:law-17-366", "2009-03-25"),
        ("amended_by", "urn:lex:us-dc:law-19-140", "2012-06-07"),
    ]
    assert of(links, "urn:lex:us-dc:code:42-3502.02a")[:2] == [
        ("codifies", "urn:lex:us-dc:law-6-10:202a", "1985-07-17"),
        ("created_by", "urn:lex:us-dc:law-18-327", "2011-03-12"),
    ]
    assert of(links, "urn:lex:us-dc:code:42-832.23")[-1] == ("repealed_by", "urn:lex:us-dc:law-14-132", "2002-05-07")
    assert Counter(link.kind for link in links)["repealed_by"] > 100


def test_a_section_of_the_us_code_names_the_acts_of_its_credit(shared_data: Path) -> None:
    links = edges(shared_data / "uscode-uslm" / "usc17.xml")
    assert of(links, "urn:lex:us:17usc:107") == [
        ("created_by", "urn:lex:us:pl-94-553:101", "1976-10-19"),
        ("amended_by", "urn:lex:us:pl-101-650:607", "1990-12-01"),
        ("amended_by", "urn:lex:us:pl-102-492", "1992-10-24"),
    ]
    liquor = edges(shared_data / "uscode-uslm" / "usc27.xml")
    assert of(liquor, "urn:lex:us:27usc:217") == [("created_by", "urn:lex:us:pl-100-690:8001:a:3", "1988-11-18")]


def test_an_article_of_a_french_code_names_the_texts_that_made_and_changed_it(shared_data: Path) -> None:
    links = [edge for edge in edges(shared_data / "fr-legi-json") if edge.source_urn.endswith(":l222-2")]
    changed = [link for link in links if link.kind == "amended_by"]
    assert [(link.reference, link.properties["date"]) for link in changed] == [
        ("Ordonnance n°2021-1310 du 7 octobre 2021 - art. 18", "2022-07-01")
    ]
    assert changed[0].properties["id"].startswith("fr.legiarti")


def test_annotations_of_british_law_say_what_repealed_and_what_amended(shared_data: Path) -> None:
    links = edges(shared_data / "uk-clml" / "ukpga-1981-54-part-VI-2020-08-03.xml")
    act = "urn:lex:gb:ukpga-1981-54"
    assert of(links, f"{act}:130") == [("repealed_by", "urn:lex:gb:ukpga-2003-39:sch.10", "2005-01-04")]
    assert ("amended_by", "urn:lex:gb:ukpga-2005-4:sch.11:26:1", "2009-10-01") in of(links, f"{act}:131:1")
    assert ("cites", "urn:lex:gb:ukpga-1971-23", "") in of(links, f"{act}:146")


def test_a_japanese_law_names_the_laws_that_amended_it(shared_data: Path) -> None:
    [links] = [edges(shared_data / "jp-egov-xml")]
    assert ("amended_by", "urn:lex:jp:411ac0000000160", "1999-12-22") in of(links, "urn:lex:jp:327ac0000000231")
    assert {link.kind for link in links} == {"amended_by"}


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (["Mar. 3, 1901, ch. 854", "May 7, 2002, Law 1"], ["created_by", "amended_by"]),
        (["as added Apr. 27, 2001, Law 2", "renumbered and amended Apr. 9, 1997, Law 3"],
         ["created_by", "renumbered_by"]),
        (["July 17, 1985, Law 6-10, § 203a [redesignated]"], ["created_by"]),
        (["July 17, 1985, Law 6-10, § 203a", "as added Mar. 12, 2011, Law 18-327"], ["codifies", "created_by"]),
    ],
)  # fmt: skip
def test_credits_in_order_make_then_amend(words: list[str], kinds: list[str]) -> None:
    acts = [(word, "", date(2000, 1, 1)) for word in words]
    assert [link.kind for link in history.in_order("urn:lex:us-dc:x:1", acts)] == kinds
    last = history.in_order("urn:lex:us-dc:x:1", acts, repealed=True)[-1].kind
    assert last == ("repealed_by" if len(words) > 1 else "created_by")
