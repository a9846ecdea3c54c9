"""An identifier becomes the addresses that the publisher has for it, or an error that says what is expected."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rag.fetch.sources import SOURCES, BulkSource, source_named
from rag.fetch.web import Web, redirected
from rag.ingest.formats.registry import format_named
from retrieval.errors import FetchError, InputError

TITLES = {
    "titles": [
        {"number": 1, "latest_issue_date": "2025-01-02", "reserved": False},
        {"number": 35, "latest_issue_date": None, "reserved": True},
        {"number": 50, "latest_issue_date": "2025-03-04", "reserved": False},
    ]
}
REVISIONS = {
    "revisions": [
        {"law_revision_id": "327AC0000000231_20991231_505AC0000000099", "current_revision_status": "UnEnforced"},
        {"law_revision_id": "327AC0000000231_20240401_505AC0000000063", "current_revision_status": "CurrentEnforced"},
        {"law_revision_id": "327AC0000000231_20200401_501AC0000000038", "current_revision_status": "PreviousEnforced"},
    ]
}


def feed(items: list[str], more: object = 0) -> str:
    entries = "".join(f"<entry><id>http://www.legislation.gov.uk/id/{item}</id></entry>" for item in items)
    leg = "http://www.legislation.gov.uk/namespaces/legislation"
    pages = f'<leg:morePages xmlns:leg="{leg}">{more}</leg:morePages>'
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{pages}{entries}</feed>'


def toc(*names: str) -> str:
    items = "".join(
        f"<item><title>{name}</title><link>http://www.gesetze-im-internet.de/{name}/xml.zip</link></item>"
        for name in names
    )
    return f'<!DOCTYPE items SYSTEM "http://127.0.0.1:9/gii-toc.dtd"><items>{items}</items>'


DUMPS = "".join(
    f'<a href="{value}.tar.gz">{value}.tar.gz</a>'
    for value in (
        "LEGI_20260101-200000", "Freemium_legi_global_20250713-140000", "Freemium_legi_global_20240713-140000",
        "Freemium_jorf_global_20270101-000000",
    )
)  # fmt: skip


class Shelf:
    """An index that has what a test put into it."""

    def __init__(self, folder: Path, pages: dict[str, object]) -> None:
        self._folder = folder
        self._pages = pages
        self.asked: list[str] = []

    def __call__(self, path: str) -> Path:
        self.asked.append(path)
        page = self._pages[path]
        file = self._folder / f"index-{len(self.asked)}"
        file.write_text(page if isinstance(page, str) else json.dumps(page), encoding="utf-8")
        return file


@pytest.mark.parametrize("source", SOURCES, ids=lambda one: one.name)
def test_a_source_yields_a_format_that_is_read_and_shows_identifiers_that_it_takes(source: BulkSource) -> None:
    assert format_named(source.form).name == source.form
    assert source.checked(source.example.split()) == source.example.split()
    assert Web(source.base_url).base_url == source.base_url
    assert source.delay >= 1.0
    assert source_named(source.name) is source


@pytest.mark.parametrize("source", SOURCES, ids=lambda one: one.name)
def test_an_official_source_cannot_redirect_to_this_machine(source: BulkSource) -> None:
    for target in ("https://localhost/", "https://127.0.0.1/", "https://[::1]/", "https://192.168.0.1/"):
        with pytest.raises(FetchError, match="another host"):
            redirected(source.base_url, source.hosts, source.base_url, target)


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("ecfr", "0"), ("ecfr", "100"), ("ecfr", "11@2024"), ("ecfr", "11@2024-02-30"), ("ecfr", "all@2024-01-01"),
        ("ecfr", "1/../../2"), ("ecfr", ""), ("ecfr", "１１"),
        ("dc-code", "../main"), ("dc-code", "-x"), ("dc-code", "a/b"), ("dc-code", "a?b"),
        ("legislation-gov-uk", "ukpga"), ("legislation-gov-uk", "ukpga/1968/60/61"),
        ("legislation-gov-uk", "ukpga/1968/../60"), ("legislation-gov-uk", "UKPGA/1968/60"),
        ("legislation-gov-uk", "ukpga/1968/60@2020-13-01"), ("legislation-gov-uk", "ukpga/1968/60\n"),
        ("egov", "327ac0000000231"), ("egov", "327AC0000000231_2024"), ("egov", "../x"),
        ("gesetze-im-internet", "../bgb"), ("gesetze-im-internet", "b.gb"), ("gesetze-im-internet", "bürgerlich"),
        ("legi", "2025"), ("legi", "LEGITEXT000006070721"), ("legi", "20250713-140000.tar"),
    ],
)  # fmt: skip
def test_an_identifier_of_another_form_is_refused(name: str, identifier: str) -> None:
    with pytest.raises(InputError):
        source_named(name).checked([identifier])


@pytest.mark.parametrize("name", ["ecfr", "legislation-gov-uk", "egov", "gesetze-im-internet"])
def test_a_source_without_a_default_asks_for_an_identifier(name: str) -> None:
    with pytest.raises(InputError, match="Say what to fetch"):
        source_named(name).checked([])


def test_one_archive_is_fetched_in_one_edition() -> None:
    assert source_named("dc-code").checked([]) == ["HEAD"]
    with pytest.raises(InputError, match="one edition"):
        source_named("dc-code").checked(["main", "dev"])
    assert source_named("legi").checked([]) == ["latest"]
    with pytest.raises(InputError, match="one edition"):
        source_named("legi").checked(["20250713-140000", "20240713-140000"])


def test_an_unknown_source_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="ecfr, dc-code"):
        source_named("nowhere")


@pytest.mark.parametrize(
    ("name", "identifier", "pages", "expected"),
    [
        ("ecfr", "50", {"/api/versioner/v1/titles.json": TITLES},
         [("/api/versioner/v1/full/2025-03-04/title-50.xml", "title-50-2025-03-04.xml")]),
        ("ecfr", "11@2023-01-01", {},
         [("/api/versioner/v1/full/2023-01-01/title-11.xml", "title-11-2023-01-01.xml")]),
        ("ecfr", "all", {"/api/versioner/v1/titles.json": TITLES},
         [("/api/versioner/v1/full/2025-01-02/title-1.xml", "title-1-2025-01-02.xml"),
          ("/api/versioner/v1/full/2025-03-04/title-50.xml", "title-50-2025-03-04.xml")]),
        ("dc-code", "HEAD", {}, [("/archive/HEAD.tar.gz", ".fetch/law-xml-HEAD.tar.gz")]),
        ("legislation-gov-uk", "ukpga/1968/60", {}, [("/ukpga/1968/60/data.xml", "ukpga-1968-60.xml")]),
        ("legislation-gov-uk", "ukpga/1968/60@2020-01-01", {},
         [("/ukpga/1968/60/2020-01-01/data.xml", "ukpga-1968-60-2020-01-01.xml")]),
        ("legislation-gov-uk", "ukpga/Geo6/12-13-14/30", {},
         [("/ukpga/Geo6/12-13-14/30/data.xml", "ukpga-Geo6-12-13-14-30.xml")]),
        ("legislation-gov-uk", "asp/2003",
         {"/asp/2003/data.feed?page=1": feed(["asp/2003/1", "asp/2003/2"], 1),
          "/asp/2003/data.feed?page=2": feed(["asp/2003/2", "asp/2003/3"])},
         [(f"/asp/2003/{n}/data.xml", f"asp-2003-{n}.xml") for n in (1, 2, 3)]),
        ("egov", "327AC0000000231", {"/api/2/law_revisions/327AC0000000231": REVISIONS},
         [("/api/2/law_file/xml/327AC0000000231_20240401_505AC0000000063",
           "327AC0000000231_20240401_505AC0000000063.xml")]),
        ("gesetze-im-internet", "gg", {"/gii-toc.xml": toc("bgb", "gg")}, [("/gg/xml.zip", ".fetch/gg.zip")]),
        ("gesetze-im-internet", "all", {"/gii-toc.xml": toc("_ag", "1-dm-goldm_nzg", "_ag")},
         [("/_ag/xml.zip", ".fetch/_ag.zip"), ("/1-dm-goldm_nzg/xml.zip", ".fetch/1-dm-goldm_nzg.zip")]),
        ("legi", "latest", {"/OPENDATA/LEGI/": DUMPS},
         [("/OPENDATA/LEGI/Freemium_legi_global_20250713-140000.tar.gz",
           ".fetch/Freemium_legi_global_20250713-140000.tar.gz")]),
        ("legi", "20240713-140000", {"/OPENDATA/LEGI/": DUMPS},
         [("/OPENDATA/LEGI/Freemium_legi_global_20240713-140000.tar.gz",
           ".fetch/Freemium_legi_global_20240713-140000.tar.gz")]),
        ("egov", "327AC0000000231_20200401_501AC0000000038", {},
         [("/api/2/law_file/xml/327AC0000000231_20200401_501AC0000000038",
           "327AC0000000231_20200401_501AC0000000038.xml")]),
    ],
)  # fmt: skip
def test_an_identifier_becomes_these_files(
    name: str, identifier: str, pages: dict[str, object], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    source = source_named(name)
    (checked,) = source.checked([identifier])
    assert [(target.path, target.file) for target in source.plan(Shelf(tmp_path, pages), checked)] == expected


@pytest.mark.parametrize(
    ("name", "identifier", "page", "says"),
    [
        ("ecfr", "35", TITLES, "no such title"),
        ("ecfr", "2", TITLES, "no such title"),
        ("ecfr", "1", {"titles": "none"}, "no such title"),
        ("ecfr", "1", "<html/>", "not valid JSON"),
        ("ecfr", "1", {"titles": [{"number": 1, "latest_issue_date": "../../x"}]}, "layout changed"),
        ("ecfr", "all", {"titles": [{"number": "1", "latest_issue_date": "2025-01-01"}]}, "layout changed"),
        ("legislation-gov-uk", "asp/2003", feed([]), "lists nothing"),
        ("legislation-gov-uk", "asp/2003", feed([], 3), "empty page"),
        ("legislation-gov-uk", "asp/2003", feed(["asp/2003/1"], "many"), "whether there are more pages"),
        ("legislation-gov-uk", "asp/2003", feed(["asp/2003/../../etc"]), "layout changed"),
        ("legislation-gov-uk", "asp/2003", "<html/>", "is no feed"),
        ("legislation-gov-uk", "asp/2003", "<feed>", "cannot be read"),
        ("legislation-gov-uk", "asp/2003", '<!DOCTYPE feed [<!ENTITY a "b">]><feed/>', "DOCTYPE"),
        ("gesetze-im-internet", "stgb", toc("bgb", "gg"), "lists no such law"),
        ("gesetze-im-internet", "all", toc(), "or none"),
        ("gesetze-im-internet", "bgb", toc("bgb", ".."), "layout changed"),
        ("gesetze-im-internet", "bgb", toc("bgb", "a/b"), "layout changed"),
        ("gesetze-im-internet", "bgb", "<html/>", "no such list"),
        ("gesetze-im-internet", "bgb", '<!DOCTYPE items [<!ENTITY a "b">]><items/>', "DOCTYPE"),
        ("legi", "latest", "<html>moved</html>", "lists no full dump"),
        ("legi", "20230101-000000", DUMPS, "it has 20240713-140000, 20250713-140000"),
        ("egov", "327AC0000000231", {"revisions": []}, "no single edition"),
        ("egov", "327AC0000000231",
         {"revisions": [{"law_revision_id": "../x", "current_revision_status": "CurrentEnforced"}]},
         "no single edition"),
    ],
)  # fmt: skip
def test_an_index_of_another_layout_is_refused(
    name: str, identifier: str, page: object, says: str, tmp_path: Path
) -> None:
    source = source_named(name)
    path = {
        "ecfr": "/api/versioner/v1/titles.json", "egov": "/api/2/law_revisions/327AC0000000231",
        "gesetze-im-internet": "/gii-toc.xml", "legi": "/OPENDATA/LEGI/",
    }.get(name, "/asp/2003/data.feed?page=1")  # fmt: skip
    with pytest.raises(FetchError, match=re.escape(says)):
        source.plan(Shelf(tmp_path, {path: page}), identifier)
